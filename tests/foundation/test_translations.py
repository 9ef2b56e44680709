"""The catalogues: complete, true to the code, and the same wherever they are made."""

import ast
import gettext
import subprocess
import sys
from pathlib import Path

import pytest

from qhub_desktop.core.paths import RESOURCES

ROOT = Path(__file__).resolve().parents[2]
CODE = """
from qhub_desktop.core.text import gettext as _, gettext_noop, ngettext

LABEL = gettext_noop("Station")

def sentences(name, count):
    yield _("{name} was not loaded.").format(name=name)
    yield ngettext("one row", "{count} rows", count).format(count=count)
"""
TRANSLATED = {
    'msgid "Station"\nmsgstr ""': 'msgid "Station"\nmsgstr "Posto"',
    'msgid "{name} was not loaded."\nmsgstr ""': (
        'msgid "{name} was not loaded."\nmsgstr "{name} não foi carregado."'
    ),
    'msgstr[0] ""\nmsgstr[1] ""': 'msgstr[0] "uma linha"\nmsgstr[1] "{count} linhas"',
}


class Workshop:
    """Some code, its Portuguese catalogue, and the program under test."""

    def __init__(self, folder: Path) -> None:
        self.code = folder / "code" / "texts.py"
        self.catalogue = folder / "catalogues" / "pt" / "LC_MESSAGES" / "qhub.po"
        self.code.parent.mkdir()
        self.catalogue.parent.mkdir(parents=True)
        self.code.write_text(CODE, encoding="utf-8")

    def run(self, action: str) -> str:
        """What the program prints; nothing from a check that finds nothing."""
        command = [sys.executable, str(ROOT / "build" / "translations.py"), action]
        places = [f"--source={self.code.parent}", f"--catalogues={self.catalogue.parents[2]}"]
        ended = subprocess.run(
            [*command, *places], stdout=subprocess.PIPE, check=False, encoding="utf-8"
        )
        assert ended.returncode == (1 if action == "check" and ended.stdout else 0)
        return ended.stdout

    def edit(self, changes: dict[str, str]) -> None:
        """What a translator does."""
        text = self.catalogue.read_text(encoding="utf-8")
        for before, after in changes.items():
            assert before in text
            text = text.replace(before, after)
        self.catalogue.write_text(text, encoding="utf-8", newline="\n")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Code whose texts are all translated."""
    made = Workshop(tmp_path)
    made.run("update")
    made.edit(TRANSLATED)
    made.run("update")
    return made


def test_every_text_of_the_app_is_translated_and_compiled() -> None:
    command = [sys.executable, str(ROOT / "build" / "translations.py"), "check"]
    checked = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8")

    assert checked.stdout == ""
    assert checked.returncode == 0


def test_the_shipped_catalogue_speaks_portuguese() -> None:
    portuguese = gettext.translation("qhub", RESOURCES / "translations", languages=["pt"])

    assert portuguese.gettext("Language") == "Idioma"


def test_texts_are_filled_in_after_translation_not_before() -> None:
    filled_before = [
        f"{file.relative_to(ROOT).as_posix()}:{call.lineno}"
        for file in (ROOT / "qhub_desktop").rglob("*.py")
        for call in calls_for_texts(ast.parse(file.read_text(encoding="utf-8")))
        if any(isinstance(each, ast.JoinedStr | ast.BinOp | ast.Call) for each in call.args[:2])
    ]

    assert filled_before == []


def test_texts_stand_where_every_python_lets_them_be_found() -> None:
    """Before 3.12 an f-string is one token, and a text within it is not extracted."""
    hidden = [
        f"{file.relative_to(ROOT).as_posix()}:{call.lineno}"
        for file in (ROOT / "qhub_desktop").rglob("*.py")
        for joined in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(joined, ast.JoinedStr)
        for call in calls_for(joined, {"_", "gettext", "ngettext"})
        if any(isinstance(each, ast.Constant) for each in call.args[:1])
    ]

    assert hidden == []


def calls_for_texts(module: ast.Module) -> list[ast.Call]:
    """Where a module asks for words, under the names it has imported for that."""
    names = {
        each.asname or each.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "qhub_desktop.core.text"
        for each in node.names
        if each.name in ("gettext", "ngettext", "gettext_noop")
    }
    assert names <= {"_", "gettext", "ngettext", "gettext_noop"}  # what the extraction looks for
    return calls_for(module, names)


def calls_for(tree: ast.AST, names: set[str]) -> list[ast.Call]:
    """The calls in some code of anything under these names."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]


def test_what_is_translated_is_compiled(workshop: Workshop) -> None:
    assert workshop.run("check") == ""
    catalogues = workshop.catalogue.parents[2]
    portuguese = gettext.translation("qhub", catalogues, languages=["pt"])
    assert portuguese.gettext("Station") == "Posto"
    assert portuguese.ngettext("one row", "{count} rows", 2) == "{count} linhas"


def test_a_second_update_changes_nothing(workshop: Workshop) -> None:
    files = [workshop.catalogue, workshop.catalogue.with_suffix(".mo")]
    before = [file.read_bytes() for file in files]
    workshop.run("update")

    assert [file.read_bytes() for file in files] == before


def test_a_new_text_is_missed_then_asked_for(workshop: Workshop) -> None:
    workshop.code.write_text(CODE + '\nNEW = gettext_noop("Undo")\n', encoding="utf-8")

    assert "'Undo': not in the catalogue" in workshop.run("check")
    workshop.run("update")
    assert "'Undo': not translated" in workshop.run("check")
    assert "Posto" in workshop.catalogue.read_text(encoding="utf-8")


def test_a_text_that_returns_finds_its_translation(workshop: Workshop) -> None:
    workshop.code.write_text(CODE.replace("Station", "Place"), encoding="utf-8")
    assert "'Station': no longer in the code" in workshop.run("check")
    workshop.run("update")
    workshop.code.write_text(CODE, encoding="utf-8")
    workshop.run("update")

    assert workshop.run("check") == ""


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("{name} não foi", "{nome} não foi", "{placeholders}"),
        ("{name} não foi", "não foi", "{placeholders}"),
        ("{name} não foi", "{name não foi", "{placeholders}"),
        ("{count} linhas", "linhas", "{placeholders}"),
        ('msgid "Station"', '#, fuzzy\nmsgid "Station"', "uncertain"),
        ("Posto", "Estação", "qhub.mo is not made from it"),
    ],
)
def test_a_faulty_translation_is_not_let_through(
    workshop: Workshop, before: str, after: str, complaint: str
) -> None:
    workshop.edit({before: after})

    assert complaint in workshop.run("check")
