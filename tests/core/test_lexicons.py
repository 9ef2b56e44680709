"""The words of every language, read whole or one table of each."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from qhub_desktop.core.text import kept_tables, lexicons, read_tables


@pytest.mark.parametrize("table", ["calendar", "files", "defects"])
def test_a_table_read_alone_is_the_one_in_the_whole_file(table: str) -> None:
    alone = lexicons(table)

    assert list(alone) == list(lexicons())
    assert alone == {
        language: {table: lexicon[table]} if table in lexicon else {}
        for language, lexicon in lexicons().items()
    }


def test_the_first_language_is_the_plants() -> None:
    assert next(iter(lexicons())) == "pt"


@pytest.mark.parametrize(
    "found",
    [
        None,
        "",
        "{",
        "[]",
        '{"made_of": ["0"], "tables": {"words": {"to": ["old"]}}}',
        '{"made_of": 0, "tables": 1}',
    ],
)
def test_what_is_kept_beside_a_file_counts_for_the_same_bytes_alone(
    tmp_path: Path, found: str | None
) -> None:
    file = tmp_path / "words.toml"
    file.write_text('[words]\nto = ["até"]\n', encoding="utf-8")
    kept = tmp_path / "__pycache__" / "words.json"
    if found is not None:
        kept.parent.mkdir()
        kept.write_text(found, encoding="utf-8")

    first = read_tables(file)

    assert first == read_tables(file) == {"words": {"to": ["até"]}}
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]
    file.write_text('[words]\nto = ["ate"]\n', encoding="utf-8")
    assert read_tables(file) == {"words": {"to": ["ate"]}}


def test_what_is_kept_beside_a_file_is_taken_without_parsing_it(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text('[words]\nto = ["a"]\n', encoding="utf-8")
    read_tables(file)
    kept = tmp_path / "__pycache__" / "words.json"
    content = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps({**content, "tables": {"kept": {}}}), encoding="utf-8")

    assert read_tables(file) == {"kept": {}}


def test_an_installed_program_writes_nothing_beside_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    file = tmp_path / "words.toml"
    file.write_text('[words]\nto = ["a"]\n', encoding="utf-8")

    assert read_tables(file) == {"words": {"to": ["a"]}}
    assert [*tmp_path.iterdir()] == [file]


def test_what_is_kept_is_made_anew_by_another_module_but_not_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, module = tmp_path / "words.toml", tmp_path / "maker.py"
    file.touch()
    module.write_text("# as it was", encoding="utf-8")
    maker = ModuleType("maker")
    maker.__file__ = str(module)
    monkeypatch.setitem(sys.modules, "maker", maker)
    made = iter(range(9))

    def taken() -> object:
        words = kept_tables(file, [b"a"], lambda: {"made": next(made)}, modules=["maker"])
        return words["made"]

    assert [taken(), taken()] == [0, 0]
    module.write_text("# as it is", encoding="utf-8")
    assert [taken(), taken()] == [1, 1]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    module.unlink()
    assert taken() == 1
