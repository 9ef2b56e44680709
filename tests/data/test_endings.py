"""Rows that a program, a bank or a printer adds are set apart; texts that are no table are told."""

from pathlib import Path

import pytest

from tests.data.conftest import Read
from tests.data.nasty import endings
from tests.data.nasty.truth import receipt_of
from tests.data.test_generated_texts import wrong_in

SEEDS = range(2)  # of each ending; more are tried by hand


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


CODES = {
    "-999": (988.2, 1031.4),
    "-9999": (0, 900),
    "-99.9": (0.1, 7.5),
    "9999.9": (100, 300),
    "99999": (1, 40),
}


@pytest.mark.parametrize("code", CODES)
def test_a_number_of_nines_far_from_all_others_is_told(
    read: Read, tmp_path: Path, code: str
) -> None:
    low, high = CODES[code]
    rows = [f"2024-01-{day:02};{low + (high - low) * day / 28:.1f}" for day in range(1, 29)]
    for place in (3, 17):
        rows[place] = f"2024-01-{place + 1:02};{code}"
    file = tmp_path / "estacao.csv"
    file.write_text("\n".join(["dia;valor", *rows]), encoding="utf-8")

    (found,) = read(file)

    assert found.profile.report is not None
    told = [each for each in found.profile.report.doubtful if each.kind == "missing_code"]
    assert len(told) == 1
    assert "valor" in told[0].text
    assert "2 cells" in told[0].text


@pytest.mark.parametrize(
    "values",
    [
        [*range(9970, 10_000)],  # a number of orders that ends in nines
        [-999, *range(-998, -960)],
        [999.0, *(each * 31 for each in range(1, 30))],
        [*range(1, 30), 999],  # once, and above: as the price of a machine
    ],
)
def test_nines_among_their_like_are_numbers(
    read: Read, tmp_path: Path, values: list[float]
) -> None:
    file = tmp_path / "ordens.csv"
    file.write_text("\n".join(["n;v", *(f"a{each};{each}" for each in values)]), encoding="utf-8")
    (found,) = read(file)
    assert found.profile.report is not None
    assert "missing_code" not in {each.kind for each in found.profile.report.doubtful}


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
