"""The books are true: what they name exists, they are current, and none outgrows its reader."""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import qhub_desktop
from qhub_desktop.cli import make_parser
from tests.foundation import folder_pages, scratch

ROOT = Path(scratch.__file__).parents[2]
PACKAGE = ROOT / "qhub_desktop"
USERS = ROOT / "README.md"
COMMANDS = ROOT / "resources" / "docs" / "command-line.md"
ARCHITECTURE = PACKAGE / "ARCHITECTURE.md"
CONTRIBUTING = PACKAGE / "CONTRIBUTING.md"
DECISIONS = PACKAGE / "decisions"
# Told to a model, or of times that are over.
NO_BOOKS = {"prompt.md", "common.md", "CHANGELOG.md"}
BOOKS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if path.name not in NO_BOOKS
    and not {".venv", ".work", ".dist", "node_modules"} & set(path.relative_to(ROOT).parts)
)
LIMITS = {USERS: 80, ARCHITECTURE: 120, CONTRIBUTING: 60} | {
    folder / folder_pages.NAME: 60 for folder in folder_pages.folders()
}
# A path has a slash or a known suffix; anything with a blank, a star or a brace is a pattern.
PATH = re.compile(r"`([\w.~-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:py|md|toml|lock))`")
SOURCES = {".py", ".toml", ".js", ".html"}
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[a-z_]\w*)*)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
# The person's own.
NOT_OURS = {"~/.local/share/QHub", "vocabulary.toml", "guard.toml", "updates/seen.json"}
DATE = re.compile(r"\*20\d\d-\d\d-\d\d[^*]*\*")


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _named_paths(book: Path) -> list[str]:
    return sorted(set(PATH.findall(book.read_text(encoding="utf-8"))) - NOT_OURS)


def _exists(named: str, book: Path) -> bool:
    places = (ROOT, book.parent, PACKAGE)
    return any((place / named).exists() for place in places)


@pytest.mark.parametrize("book", BOOKS, ids=_relative)
def test_every_path_that_a_book_names_exists(book: Path) -> None:
    assert [named for named in _named_paths(book) if not _exists(named, book)] == []


@pytest.mark.parametrize("book", BOOKS, ids=_relative)
def test_every_link_of_a_book_leads_somewhere(book: Path) -> None:
    links = LINK.findall(book.read_text(encoding="utf-8"))

    assert [link for link in links if not (book.parent / link).exists()] == []


@pytest.mark.parametrize("book", sorted(LIMITS), ids=_relative)
def test_a_book_is_no_longer_than_its_reader_reads(book: Path) -> None:
    assert len(book.read_text(encoding="utf-8").splitlines()) <= LIMITS[book]


@pytest.mark.parametrize("folder", folder_pages.folders(), ids=_relative)
def test_the_page_of_a_folder_is_made_from_its_docstrings(folder: Path) -> None:
    assert folder_pages.is_current(folder), "run python -m tests.foundation.folder_pages"


def test_every_module_says_in_its_first_line_what_it_is() -> None:
    modules = [file for file in PACKAGE.rglob("*.py") if file.name != "__main__.py"]

    assert [
        _relative(file) for file in modules if not _is_a_sentence(folder_pages.summary(file))
    ] == []


def _is_a_sentence(line: str) -> bool:
    return len(line) > 20 and line.endswith((".", "?", "!"))


def test_every_name_in_the_pages_for_developers_stands_in_the_source() -> None:
    folders = (PACKAGE, ROOT / "resources", ROOT / "tests")
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in SOURCES]
    files += [
        *(file for file in (ROOT / "build").glob("*.*") if file.is_file()),
        ROOT / "pyproject.toml",
        ROOT / "dev.py",
    ]
    known = {
        word
        for file in files
        if file != Path(__file__)
        for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))
    }
    named = {
        (name, _relative(book))
        for book in (ARCHITECTURE, *_decision_pages())
        for name in NAME.findall(book.read_text(encoding="utf-8"))
    }

    assert named
    assert {each for each in named if not set(each[0].split(".")) <= known} == set()


def test_cannot_is_one_word() -> None:
    files = [*PACKAGE.rglob("*.py"), *BOOKS]
    two_words = re.compile(r"\bcan\s+not\b", re.IGNORECASE)

    assert [_relative(file) for file in files if two_words.search(file.read_text("utf-8"))] == []


def test_the_architecture_lists_no_decisions() -> None:
    lines = ARCHITECTURE.read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if DATE.search(line) or line.startswith(("* **", "- **"))] == []


def _decision_pages() -> list[Path]:
    return [path for path in sorted(DECISIONS.glob("*.md")) if path.name != folder_pages.NAME]


@pytest.mark.parametrize("page", _decision_pages(), ids=lambda path: path.stem)
def test_every_decision_has_its_date(page: Path) -> None:
    _title, *decisions = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert decisions
    assert [each.partition("\n")[0] for each in decisions if not DATE.search(each)] == []


def test_every_page_of_decisions_is_in_their_list() -> None:
    listed = LINK.findall((DECISIONS / folder_pages.NAME).read_text(encoding="utf-8"))

    assert sorted(listed) == [page.name for page in _decision_pages()]


def test_every_page_of_decisions_that_the_code_names_exists() -> None:
    named = {
        (page, _relative(file))
        for file in PACKAGE.rglob("*.py")
        for page in re.findall(r"decisions/([\w-]+\.md)", file.read_text(encoding="utf-8"))
    }

    assert named
    assert [each for each in sorted(named) if not (DECISIONS / each[0]).exists()] == []


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of each verb, and of each verb's verbs."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in dict.fromkeys(action.choices.values()):
                yield each
                yield from _parsers(each)


def test_every_verb_and_option_of_the_command_line_is_in_its_book() -> None:
    text = COMMANDS.read_text(encoding="utf-8")
    words = {
        word
        for parser in _parsers(make_parser())
        for word in (
            parser.prog,
            *(name for action in parser._actions for name in action.option_strings),
        )
    } - {"-h", "--help"}

    assert {word for word in words if not _is_told(word, text)} == set()


def _is_told(word: str, text: str) -> bool:
    if word.startswith("-"):
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
    verb, *more = word.removeprefix("qhub ").split()
    line = rf"^qhub {verb}\b.*" + ".*".join(rf"\b{each}\b" for each in more)
    return re.search(line, text, re.MULTILINE) is not None


def test_every_option_that_the_book_gives_a_verb_exists() -> None:
    table = re.search(r"```\nqhub ask.*?```", COMMANDS.read_text(encoding="utf-8"), re.DOTALL)
    assert table is not None
    known = {
        name
        for parser in _parsers(make_parser())
        for action in parser._actions
        for name in action.option_strings
    }

    assert set(re.findall(r"--[a-z-]+", table[0])) - known == set()


def test_every_command_of_dev_is_in_the_readme() -> None:
    usage = subprocess.run(
        [sys.executable, str(ROOT / "dev.py"), "--help"],
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    commands = re.findall(r"^  (\w+) ", usage.stdout, re.MULTILINE)
    text = USERS.read_text(encoding="utf-8")

    assert commands
    assert [each for each in commands if not re.search(rf"\b{each}\b", text)] == []


def test_the_version_is_the_newest_of_the_change_log() -> None:
    log = (ROOT / "resources" / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\d+\.\d+\.\d+)", log, re.MULTILINE)

    assert newest is not None
    assert qhub_desktop.__version__ == newest[1]
