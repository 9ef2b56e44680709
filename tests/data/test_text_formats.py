"""Texts of formats with rules of their own are read by these, or said to be no table."""

from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from tests.data.conftest import Read
from tests.data.nasty import text_formats
from tests.data.test_generated_texts import wrong_in

SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_with_rules_of_its_own_is_read_by_them(
    read: Read, tmp_path: Path, seed: int
) -> None:
    for case in text_formats.read(seed):
        assert wrong_in(read, tmp_path, case) == [], case


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_without_a_table_is_said_to_be_what_it_is(
    read: Read, tmp_path: Path, seed: int
) -> None:
    for suffix, content, words in text_formats.refused(seed):
        file = tmp_path / f"ensaio.{suffix}"
        file.write_bytes(content)
        with pytest.raises(UserError, match=words):
            read(file)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_that_begins_as_another_format_is_read_as_a_table(
    read: Read, tmp_path: Path, seed: int
) -> None:
    for case in text_formats.plain(seed):
        assert wrong_in(read, tmp_path, case) == [], case


def test_a_dump_of_several_tables_has_a_sheet_for_each(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "tudo.sql"
    file.write_text(
        "CREATE TABLE pecas (id int, nome text);\nCREATE TABLE vazia (id int);\n"
        "INSERT INTO pecas VALUES (1, 'porta'), (2, 'capot');\n"
        "INSERT INTO turnos (turno, horas) VALUES ('manhã', 8);\n"
        "INSERT INTO turnos (turno, horas) VALUES ('noite', 7.5);\n",
        encoding="utf-8",
    )
    found = read(file)
    assert [(each.profile.sheet, each.names, each.rows) for each in found] == [
        ("pecas", ["id", "nome"], [(1, "porta"), (2, "capot")]),
        ("turnos", ["turno", "horas"], [("manhã", 8.0), ("noite", 7.5)]),
    ]
