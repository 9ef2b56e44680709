"""Columns of a short table are looked at together: each is read as if it were alone."""

import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import number
from qhub_desktop.data.ingest.raw_table import RawTable, select
from tests.data.conftest import Imported, Read

ROWS, COPIES = 700, 12

# What stands in a row, the type that it makes, how many cells are missing, and what is told of how
# many cells.
KINDS: dict[str, tuple[Callable[[int], str], str, int, dict[str, int]]] = {
    "plain": (lambda row: str(row * 3), "integer", 0, {}),
    "three": (lambda row: f"{row % 90}.{row % 7 + 111}", "number", 0, {}),
    "stray": (
        lambda row: "ver nota" if row in (3, 5) else f"{row}.5",
        "text",
        0,
        {"mixed_column": 2},
    ),
    "unread": (
        lambda row: "n/d" if row % 50 == 9 else f"{row}.5",
        "number",
        14,
        {"missing_words": 14},
    ),
    "padded": (lambda row: f" {row}.25 ", "number", 0, {}),
    "error": (lambda row: "#N/A" if row == 4 else str(row), "integer", 1, {"error_cells": COPIES}),
    "late": (lambda row: "" if row < 690 else f"{row}.25", "number", 690, {}),
    "none": (lambda _row: "", "text", 700, {}),
    "day": (lambda row: f"{row % 28 + 1:02}/03/2026", "date", 0, {}),
    "answer": (lambda row: "sim" if row % 3 else "não", "boolean", 0, {}),
    "aligned": (lambda row: f"{'A' * (row % 4 + 1):6}", "category", 0, {}),
    "code": (lambda row: f"{row:05}", "text", 0, {"kept_as_text": 1}),
}


def _written(file: Path, kinds: list[str]) -> Path:
    lines = [";".join(["row", *(f"{kind} x{place}" for place, kind in enumerate(kinds))])]
    lines += [
        ";".join([f"r{row}", *(KINDS[kind][0](row) for kind in kinds)]) for row in range(ROWS)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _told(imported: Imported, name: str) -> dict[str, Finding]:
    report = imported.profile.report
    assert report is not None
    found = [*report.repaired, *report.doubtful]
    return {
        each.kind: each for each in found if f" {name}:" in each.text or each.kind == "error_cells"
    }


def _texts(imported: Imported, name: str) -> list[str]:
    """What is told of a column, without its name and the letters of cells."""
    return [
        re.sub(r"[A-Z]+(?=\d)", "", each.text.replace(name, ""))
        for kind, each in _told(imported, name).items()
        if kind != "error_cells"
    ]


def test_each_of_many_columns_is_read_as_its_cells_are(read: Read, tmp_path: Path) -> None:
    (together,) = read(_written(tmp_path / "wide.csv", [*KINDS] * COPIES))
    columns = {column.name: column for column in together.profile.columns}
    assert len(columns) == len(KINDS) * COPIES + 1
    for kind, (write, type_, missing, said) in KINDS.items():
        wanted = [write(row).strip() for row in range(ROWS)]
        for name in [name for name in columns if name.startswith(f"{kind} ")]:
            told = _told(together, name)
            assert (columns[name].type, columns[name].missing) == (type_, missing), name
            for expected, value in zip(wanted, together.column(name), strict=True):
                if type_ in ("integer", "number") and value is not None:
                    assert value == float(expected)
                elif type_ in ("text", "category"):
                    assert (value or "") == expected
            for finding, count in said.items():
                assert told[finding].count == count, (name, told)
            if kind in ("stray", "unread"):
                (only,) = said
                rows = [row + 2 for row, text in enumerate(wanted) if not text[:1].isdigit()]
                found = [re.fullmatch(r"([A-Z]+)(\d+)", cell) for cell in told[only].cells]
                assert len({each and each[1] for each in found}) == 1
                assert [int(each[2]) for each in found if each] == rows[: len(found)]


@pytest.mark.parametrize("kind", ["stray", "unread", "padded", "late", "aligned"])
def test_a_column_alone_is_told_as_among_others(read: Read, tmp_path: Path, kind: str) -> None:
    (alone,) = read(_written(tmp_path / "alone.csv", [kind]))
    (among,) = read(_written(tmp_path / "among.csv", [*KINDS]))
    name = next(each for each in among.names if each.startswith(f"{kind} "))

    assert alone.column(f"{kind} x0") == among.column(name)
    assert _texts(alone, f"{kind} x0") == _texts(among, name)


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_small_whole_number_is_written_as_the_language_writes_it(language: str) -> None:
    from babel.numbers import format_decimal

    locale = {"pt": "pt_PT", "en": "en"}[language]
    for value in (-999, -1, 0, 7, 999, 1_000, 12_345, 3.0):
        for digits in (None, 0):
            written = number(value, digits=digits, language=language)
            assert written == format_decimal(value, format="#,##0", locale=locale)


@pytest.mark.parametrize(
    ("condition", "limit", "places"),
    [
        ("c0 = 'none'", None, []),
        ("c0 = 'rare'", None, [7, 107, 207]),
        ("c0 = 'rare'", 2, [7, 107]),
        ("c0 <> 'rare'", None, [place for place in range(300) if place % 100 != 7]),
        ("c1 IS NULL", 150, [*range(0, 300, 2)]),
        ("true", 3, [0, 1, 2]),
    ],
)
def test_rows_are_found_whole_and_in_their_order(
    condition: str, limit: int | None, places: list[int]
) -> None:
    rows = [
        ["rare" if place % 100 == 7 else f" t{place}", place + 0.5 if place % 2 else None, True]
        for place in range(300)
    ]
    with duckdb.connect(":memory:") as db:
        raw = RawTable(db)
        raw.append(rows)
        found = select(raw, condition, limit=limit)
    assert [each.place for each in found] == places
    assert [each.cells for each in found] == [
        (str(rows[at][0]).strip(), str(rows[at][1] or ""), "true") for at in places
    ]
