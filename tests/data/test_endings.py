"""Rows that a program, a bank or a printer adds are set apart; texts that are no table are told."""

from pathlib import Path

import pytest

from tests.data.conftest import Read
from tests.data.nasty import endings
from tests.data.nasty.truth import receipt_of
from tests.data.test_generated_texts import wrong_in

SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "maker",
    [
        endings.marks, endings.balances, endings.ends, endings.sums, endings.averages,
        endings.codes,
    ],
)  # fmt: skip
def test_rows_that_are_no_data_are_set_apart(
    read: Read, tmp_path: Path, maker: endings.Maker, seed: int
) -> None:
    for case in maker(seed):
        assert wrong_in(read, tmp_path, case) == [], case


@pytest.mark.parametrize("seed", range(6))
def test_the_pages_of_a_list_are_one_table(read: Read, tmp_path: Path, seed: int) -> None:
    for case in endings.pages(seed):
        file = tmp_path / case.name
        file.write_bytes(case.content)
        (found,) = read(file)
        (truth,) = case.truth.sheets
        assert found.names == [*truth.columns]
        assert found.rows == [*truth.rows]
        assert receipt_of(found.profile) == []
        assert found.profile.report is not None
        assert "pages" in {each.kind for each in found.profile.report.repaired}


@pytest.mark.parametrize("seed", SEEDS)
def test_prose_is_said_to_be_no_table(read: Read, tmp_path: Path, seed: int) -> None:
    for text in endings.letters(seed):
        file = tmp_path / "carta.txt"
        file.write_text(text, encoding="utf-8")
        for found in read(file):
            assert found.profile.report is not None
            assert "no_table" in {each.kind for each in found.profile.report.doubtful}, text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_form_is_said_to_be_one(read: Read, tmp_path: Path, seed: int) -> None:
    for text in endings.forms(seed):
        file = tmp_path / "8d.csv"
        file.write_text(text, encoding="utf-8")
        for found in read(file):
            assert found.profile.report is not None
            assert "form" in {each.kind for each in found.profile.report.doubtful}, text
