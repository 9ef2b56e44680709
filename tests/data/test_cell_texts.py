"""What the texts of cells stand for: numbers, days, nothing; what is near one of them is told."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.data.conftest import Imported, Read


def column(read: Read, folder: Path, texts: list[str], *, name: str = "valor") -> Imported:
    """A column of texts beside one of numbers, read."""
    file = folder / "leituras.csv"
    lines = [f"n;{name}", *(f"{n};{text}" for n, text in enumerate(texts, start=1))]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (imported,) = read(file)
    return imported


def kinds(imported: Imported) -> tuple[list[str], list[str]]:
    """The kinds of what was repaired, and of what is doubtful."""
    report = imported.profile.report
    assert report is not None
    return [each.kind for each in report.repaired], [each.kind for each in report.doubtful]


NUMBERS: list[tuple[list[str], list[float | None], str]] = [
    (["+ 1,50", "- 3,00", "+ 2,25"], [1.5, -3, 2.25], ""),
    (["+   26.34", "-    0.50", "+  127.00"], [26.34, -0.5, 127], ""),
    (["- 1.250,00", "- 3,25", "+ 7,5"], [-1250, -3.25, 7.5], ""),
    (["+ 3", "- 4", "+ 12"], [3, -4, 12], ""),
    (["-.0000244", "-.5", ".25"], [-0.0000244, -0.5, 0.25], ""),
    (["＋1.5", "－3.0", "＋2.25"], [1.5, -3, 2.25], "plain_signs"),
    (["１２，５", "－３，２５", "４，０"], [12.5, -3.25, 4], "plain_signs"),
    (["40 %RH", "41.5 %RH", "39 %RH"], [40, 41.5, 39], "unit_removed"),
    (["40,5 % HR", "41 % HR", "39 % HR"], [40.5, 41, 39], "unit_removed"),
    (["5 %vol", "6,5 %vol", "7 %vol"], [5, 6.5, 7], "unit_removed"),
    (["- 5 mm", "+ 6,5 mm", "7 mm"], [-5, 6.5, 7], "unit_removed"),
    (
        ["1.#QNAN", "1.5", "1.#INF", "2.5", "3.5", "4"],
        [None, 1.5, None, 2.5, 3.5, 4],
        "missing_words",
    ),
    (
        ["-1.#IND00", "1.5", "1.#J", "-1.#INF", "nan(ind)"],
        [None, 1.5, *[None] * 3],
        "missing_words",
    ),
    (["1,#QNAN", "1,5", "2,5", "3"], [None, 1.5, 2.5, 3], "missing_words"),
]


@pytest.mark.parametrize(("texts", "values", "told"), NUMBERS, ids=lambda value: str(value)[:40])
def test_numbers_are_read_in_every_writing(
    read: Read, tmp_path: Path, texts: list[str], values: list[float | None], told: str
) -> None:
    imported = column(read, tmp_path, texts)
    assert imported.column("valor") == values
    assert kinds(imported) == ([told] if told else [], [])


DAY = date(2026, 3, 14)
OTHERS = [date(2026, 3, 16), date(2026, 4, 1)]
DAYS: list[tuple[list[str], list[Any]]] = [
    (["14/03/2026", "00:00:00", "16/03/2026", "01/04/2026"], [DAY, None, *OTHERS]),
    (["14.03.2026", "00.00.0000", "16.03.2026", "01.04.2026"], [DAY, None, *OTHERS]),
    (["2026-03-14", "0000-00-00", "2026-03-16", "2026-04-01"], [DAY, None, *OTHERS]),
    (["14/03/2026", "00/01/1900", "16/03/2026", "01/04/2026"], [DAY, None, *OTHERS]),
    (
        ["2026-03-14 10:30:00", "0000-00-00 00:00:00"],
        [datetime(2026, 3, 14, 10, 30), None],
    ),
]


@pytest.mark.parametrize(("texts", "values"), DAYS, ids=lambda value: str(value)[:40])
def test_a_day_zero_among_days_is_missing_and_told(
    read: Read, tmp_path: Path, texts: list[str], values: list[Any]
) -> None:
    imported = column(read, tmp_path, texts)
    assert imported.column("valor") == values
    assert kinds(imported) == (["missing_words"], [])


def test_midnights_among_times_are_times(read: Read, tmp_path: Path) -> None:
    imported = column(read, tmp_path, [*["00:00:00"] * 6, "10:30:00", "14/03/2026"])
    assert imported.column("valor")[0] == "00:00:00"
    assert kinds(imported) == ([], ["mixed_column"])


def test_a_moment_of_midnight_is_written_without_its_time(read: Read, tmp_path: Path) -> None:
    imported = column(read, tmp_path, ["3/14/2026 1:05:00 PM", "3/15/2026", "3/16/2026 2:05 AM"])
    assert imported.column("valor") == [
        datetime(2026, 3, 14, 13, 5),
        datetime(2026, 3, 15),
        datetime(2026, 3, 16, 2, 5),
    ]


@pytest.mark.parametrize("name", ["BUDAT", "Fertigungsdatum", "lote", "data"])
def test_numbers_that_are_all_days_are_days_whatever_their_name(
    read: Read, tmp_path: Path, name: str
) -> None:
    texts = ["20260314", "20260316", "00000000", "20260401"]
    imported = column(read, tmp_path, texts, name=name)
    assert imported.column(name) == [DAY, OTHERS[0], None, OTHERS[1]]
    repaired, doubtful = kinds(imported)
    assert sorted([*repaired, *doubtful]) == ["compact_dates", "missing_words"]
    assert doubtful == ([] if name == "data" else ["compact_dates"])


@pytest.mark.parametrize(
    ("texts", "type_", "doubts"),
    [
        (["20260314", "20260316", "20260230"], "integer", []),  # February has no such day
        (["20260314", "20260314", "20260314"], "integer", ["compact_dates"]),
        (["20990014", "20261316", "20260401"], "integer", []),
        (["20260314101500", "20260316235959", "20260401000000"], "datetime", ["compact_dates"]),
    ],
)
def test_only_numbers_that_can_be_nothing_but_days_are_read_so(
    read: Read, tmp_path: Path, texts: list[str], type_: str, doubts: list[str]
) -> None:
    imported = column(read, tmp_path, texts)
    assert imported.types[1] == type_
    assert kinds(imported)[1] == doubts


NEARLY = [
    ["ca. 12,5", "ca. 13,5", "ca. 14,25"],
    ["12 caixas", "15 caixas", "7 caixas"],
    ["~~ 1.5", "~~ 2.5", "~~ 3.5"],
    ["13/03", "05/03", "01/04"],
    ["13.03.", "14.03.", "01.04."],
    ["13-mar", "14-mar", "01-abr"],
    ["Mar 13", "Mar 14", "April 1"],
]
CODES = [
    ["v1.2", "v1.3", "v2.0"],
    ["Linha 1", "Linha 2", "Linha 3"],
    ["A-101", "A-102", "A-103"],
    ["MAR10", "SEP1", "ABR3"],
    ["1.1.", "1.2.", "2.1."],
    ["1-2", "3-4", "10-12"],
]


@pytest.mark.parametrize("texts", [*NEARLY, *CODES], ids=str)
def test_what_is_near_a_number_or_a_day_is_told_and_a_code_is_not(
    read: Read, tmp_path: Path, texts: list[str]
) -> None:
    imported = column(read, tmp_path, texts)
    assert imported.column("valor") == texts
    assert kinds(imported)[1] == (["unread_values"] if texts in NEARLY else [])


def test_days_without_a_year_that_read_as_numbers_are_told(read: Read, tmp_path: Path) -> None:
    imported = column(read, tmp_path, ["13.03", "14.03", "1.04"], name="data")
    assert imported.column("data") == [13.03, 14.03, 1.04]
    assert kinds(imported)[1] == ["unread_values"]


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["2026-10-25T01:30:00+01:00", "2026-10-25T01:30:00+00:00"], 1),
        (["2026-10-25T01:30:00+01:00", "2026-10-25T02:30:00+00:00"], 0),
        (["25/10/2026 01:30 WEST", "25/10/2026 01:30 WET", "26/10/2026 01:30 WET"], 1),
    ],
)
def test_instants_that_fall_together_without_their_zone_are_told(
    read: Read, tmp_path: Path, texts: list[str], count: int
) -> None:
    imported = column(read, tmp_path, texts)
    repaired, doubtful = kinds(imported)
    assert repaired == ["zone_removed"]
    assert doubtful == ["instants_together"] * count


HEAD, ONE, TWO = "data;turno;n\r\n", "13/03/2026;A;26\r\n", "14/03/2026;B;28\r\n"
ROWS = [(date(2026, 3, 13), "A", 26), (DAY, "B", 28)]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (f"{HEAD}{ONE}\ufeff{HEAD}{TWO}", "utf-8-sig"),
        (f"{HEAD}{ONE}\ufeff{HEAD}{TWO}", "utf-8"),
        (f"{HEAD}{ONE}\ufeff{HEAD}{TWO}", "utf-16"),
        (f"{HEAD}{ONE.rstrip()}\ufeff{HEAD}{TWO}", "utf-8-sig"),  # no newline at the first's end
        (f"{HEAD}\ufeff{ONE}\ufeff{TWO}", "utf-8-sig"),
        (f'"data";turno;n\n\ufeff"13/03/2026";A;26\n{TWO}', "utf-8-sig"),
    ],
)
def test_a_byte_order_mark_in_mid_file_is_part_of_no_value(
    read: Read, tmp_path: Path, text: str, encoding: str
) -> None:
    file = tmp_path / "junto.csv"
    file.write_bytes(text.encode(encoding))
    (imported,) = read(file)
    assert imported.names == ["data", "turno", "n"]
    assert imported.rows == ROWS
    assert kinds(imported) == (["order_marks"], [])
    report = imported.profile.report
    assert report is not None
    repeated = text.count("turno") - 1
    assert [each.kind for each in report.set_apart] == ["repeated_header"] * repeated
