"""The books are true: paths, verbs and options in the READMEs exist, the version is the log's."""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import qhub_desktop
from qhub_desktop.cli import make_parser
from tests.foundation import scratch

ROOT = Path(scratch.__file__).parents[2]
USERS = ROOT / "README.md"
MAP = ROOT / "qhub_desktop" / "README.md"
README_FILES = sorted(
    path
    for path in ROOT.rglob("README.md")
    if not {".venv", ".work", ".dist", "node_modules"} & set(path.relative_to(ROOT).parts)
)
# A path has a slash or a known suffix; anything with a blank, a star or a brace is a pattern.
PATH = re.compile(r"`([\w.~-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:py|md|toml|lock))`")
NOT_OURS = {"~/.local/share/QHub", "vocabulary.toml", "updates/seen.json"}  # the person's own


def _named_paths(readme: Path) -> list[str]:
    return sorted(set(PATH.findall(readme.read_text(encoding="utf-8"))) - NOT_OURS)


def _exists(named: str, readme: Path) -> bool:
    places = (ROOT, readme.parent, ROOT / "qhub_desktop")
    return any((place / named).exists() for place in places)


@pytest.mark.parametrize("readme", README_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_a_readme_names_exists(readme: Path) -> None:
    assert [named for named in _named_paths(readme) if not _exists(named, readme)] == []


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of each verb, and of each verb's verbs."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in dict.fromkeys(action.choices.values()):
                yield each
                yield from _parsers(each)


def test_every_verb_and_option_of_the_command_line_is_in_the_readme() -> None:
    text = USERS.read_text(encoding="utf-8")
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


def test_every_option_that_the_readme_gives_a_verb_exists() -> None:
    table = re.search(r"```\nqhub ask.*?```", USERS.read_text(encoding="utf-8"), re.DOTALL)
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
