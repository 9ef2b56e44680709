"""Nothing is lost: every row of a file is read, is the header, or was set apart, in both ways."""

import random
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from qhub_desktop.core.dataset import Finding, ImportChoices, ImportReport
from qhub_desktop.data.ingest.readers.xlsx import LARGE_BYTES
from qhub_desktop.data.ingest.type_conversion import ColumnConversion, decide_conversions
from tests.data.conftest import Imported, read_here
from tests.data.nasty.truth import receipt_of

Row = Sequence[object]
Write = Callable[..., Path]

ROWS = 10_000
DAY = date(2026, 1, 1)
NAMES = ("n", "medida", "peça", "dia", "hora", "código")
BODY: list[Row] = [
    (
        n,
        n / 8,
        f"peça de nome {n % 9}",
        DAY + timedelta(days=n % 300),
        datetime(2026, 1, 1, 8, n % 60),
        f"A{n:06}",
    )
    for n in range(ROWS)
]
NAMES_LINE = "n;medida;peça;dia;vazia;código"
LINES = [
    f"{n};{n / 7:.3f};peça {n % 9};{DAY + timedelta(days=n % 300)};;{n:05}" for n in range(ROWS)
]
BLANK: Row = (None,)
SUM = "the sum of what is above"  # of the second column, from the sum before it on
# What stands above, between and below the rows: the lines put there, and what is set apart then.
SURROUNDINGS: dict[
    str, tuple[list[Row], list[tuple[int, Row]], list[Row], list[tuple[str, int]]]
] = {
    "titles": ([("Relatório",), ("Semana", 7), BLANK], [], [], [("title", 2), ("blank", 1)]),
    "blank rows": ([], [(10, BLANK), (5_000, BLANK)], [], [("blank", 2)]),
    "a total": ([], [], [("Total", SUM)], [("total", 1)]),
    "totals between": (
        [],
        [(500, (None, SUM, "Total")), (900, (None, SUM, "Subtotal"))],
        [],
        [("total", 2)],
    ),
    "notes": ([], [], [BLANK, ("* medido à mão",), ("Fonte: SAP",)], [("blank", 1), ("note", 2)]),
    "repeated headers": ([], [(3_000, NAMES), (6_000, NAMES)], [], [("repeated_header", 2)]),
}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.fixture
def book(tmp_path: Path) -> Write:
    """A workbook; a merged range beside the table, where nobody looks, makes it a careful one."""

    def write(rows: Sequence[Row], *, is_careful: bool = False, column: int = 0) -> Path:
        file = tmp_path / f"{'careful' if is_careful else 'quick'}.xlsx"
        with xlsxwriter.Workbook(file, {"default_date_format": "dd/mm/yyyy hh:mm"}) as made:
            sheet = made.add_worksheet("Dados")
            for number, row in enumerate(rows):
                sheet.write_row(number, column, row)
                if "#DIV/0!" in row:
                    sheet.write_formula(number, 1, "=1/0", None, "#DIV/0!")
            if is_careful:
                sheet.merge_range(ROWS // 2, column + 20, ROWS // 2, column + 21, None)
        return file

    return write


@pytest.fixture
def text(tmp_path: Path) -> Write:
    """A text table; quotation marks around a cell change nothing."""

    def write(lines: Sequence[str], *, name: str = "a.csv", encoding: str = "utf-8") -> Path:
        file = tmp_path / name
        file.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))
        return file

    return write


def in_its_way(file: Path, kept: Path) -> tuple[Imported, bool]:
    """A file read, and whether that was the quick way: the careful one tells of rows on the way."""
    told: list[tuple[str, float | None]] = []
    (imported,) = read_here(file, kept, tell=lambda words, share: told.append((words, share)))
    return imported, not any("rows" in words and share for words, share in told)


def report(imported: Imported) -> ImportReport:
    assert imported.profile.report is not None
    return imported.profile.report


def apart(imported: Imported) -> list[tuple[str, int, int, str]]:
    return [(each.kind, each.row, each.last_row, each.text) for each in report(imported).set_apart]


def counted(imported: Imported) -> list[tuple[str, int]]:
    found: dict[str, int] = {}
    for each in report(imported).set_apart:
        found[each.kind] = found.get(each.kind, 0) + each.last_row - each.row + 1
    return sorted(found.items())


def assert_alike(one: Imported, other: Imported) -> None:
    assert one.names == other.names
    assert one.types == other.types
    assert one.rows == other.rows
    assert one.profile.columns == other.profile.columns
    assert one.profile.duplicate_rows == other.profile.duplicate_rows
    assert apart(one) == apart(other)
    assert report(one).rows_present == report(other).rows_present
    assert receipt_of(one.profile) == receipt_of(other.profile) == []


def surrounded(
    head: Row, rows: Sequence[Row], name: str
) -> tuple[list[Row], list[tuple[str, int]]]:
    above, between, below, expected = SURROUNDINGS[name]
    whole: list[Row] = []
    start = 0
    for place, row in [*between, *((len(rows), row) for row in below)]:
        whole += rows[start:place]
        total = round(sum(float(str(each[1])) for each in rows[start:place]), 3)
        is_sum = SUM in row
        whole.append(tuple(total if cell == SUM else cell for cell in row) if is_sum else row)
        start = place
    return [*above, head, *whole, *rows[start:]], sorted(expected)


def test_a_large_workbook_is_read_alike_in_both_ways(book: Write, kept: Path) -> None:
    quick_file = book([NAMES, *BODY], column=1)
    with zipfile.ZipFile(quick_file) as archive:
        assert archive.getinfo("xl/worksheets/sheet1.xml").file_size > LARGE_BYTES
    quick, was_quick = in_its_way(quick_file, kept)
    careful, was_careful = in_its_way(book([NAMES, *BODY], is_careful=True, column=1), kept)
    assert was_quick
    assert not was_careful
    assert_alike(quick, careful)
    assert quick.rows == [tuple(row) for row in BODY]
    assert quick.types == ["integer", "number", "category", "date", "datetime", "text"]
    assert quick.profile.warnings == careful.profile.warnings


def test_one_failed_formula_in_a_large_workbook_changes_no_other_cell(
    book: Write, kept: Path
) -> None:
    rows = [*BODY]
    rows[7_000] = (7_000, "#DIV/0!", *BODY[7_000][2:])
    file = book([NAMES, *rows])
    with_error, was_quick = in_its_way(file, kept)
    assert not was_quick
    assert with_error.types == ["integer", "number", "category", "date", "datetime", "text"]
    assert [row for place, row in enumerate(with_error.rows) if place != 7_000] == [
        tuple(row) for place, row in enumerate(BODY) if place != 7_000
    ]
    assert receipt_of(with_error.profile) == []


@pytest.mark.parametrize("name", ["titles", "totals between", "notes", "repeated headers"])
def test_what_surrounds_a_large_table_of_a_workbook_is_set_apart_in_both_ways(
    book: Write, kept: Path, name: str
) -> None:
    rows, expected = surrounded(NAMES, BODY, name)
    found = [in_its_way(book(rows, is_careful=way), kept)[0] for way in (False, True)]
    assert_alike(*found)
    assert counted(found[0]) == expected
    assert len(found[0].rows) == ROWS


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_large_text_table_is_read_alike_with_and_without_quotation_marks(
    text: Write, kept: Path, encoding: str
) -> None:
    plain = text([NAMES_LINE, *LINES], encoding=encoding)
    quoted = [line.replace("peça 1;", '"peça 1";') for line in LINES]
    # A mark in the midst of a cell is one that the quick way cannot be asked to understand.
    odd = [*LINES[:-1], LINES[-1].replace("peça ", 'peça "')]
    (one, one_quick), (two, _two_quick), (three, three_quick) = (
        in_its_way(file, kept)
        for file in (
            plain,
            text([NAMES_LINE, *quoted], name="b.csv", encoding=encoding),
            text([NAMES_LINE, *odd], name="c.csv", encoding=encoding),
        )
    )
    assert one_quick
    assert not three_quick
    assert_alike(one, two)
    assert (one.types, one.rows[:-1]) == (three.types, three.rows[:-1])
    assert receipt_of(three.profile) == []
    assert one.rows[8] == (8, 1.143, "peça 8", date(2026, 1, 9), None, "00008")
    assert len(one.rows) == ROWS


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_what_surrounds_a_large_text_table_is_set_apart(text: Write, kept: Path, name: str) -> None:
    head = NAMES_LINE.split(";")
    body = [tuple(line.split(";")) for line in LINES]
    rows, expected = surrounded(head, body, name)
    width = len(head)
    lines = [
        ";".join("" if cell is None else str(cell) for cell in (*row, *[None] * (width - len(row))))
        for row in (head if row is NAMES else row for row in rows)
    ]
    imported, _was_quick = in_its_way(text(lines), kept)
    assert counted(imported) == expected
    assert len(imported.rows) == ROWS
    assert receipt_of(imported.profile) == []
    assert report(imported).rows_present == len(lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["1;2;3", "", "4;5;6", "7;8", "9;10;11;12"],
        ['1;"duas\r\nlinhas";3', "4;5;6"],
        ["a;b;c", "1;2;3", "a;b;c", "4;5;6"],
        [";;", "1;2;3", ";;", ";;"],
        ["Total;;", "1;2;3", "Total;2;3"],
        ["x;y;z"],
        [],
    ],
)
def test_every_record_of_a_small_text_is_accounted_for(
    text: Write, kept: Path, lines: list[str]
) -> None:
    imported, _was_quick = in_its_way(text(["a;b;c", *lines]), kept)
    assert receipt_of(imported.profile) == []
    assert report(imported).rows_present == 1 + len(lines)


@pytest.mark.parametrize("place", [100, ROWS])
def test_a_number_kept_as_text_in_a_large_workbook_stays_what_it_is(
    book: Write, kept: Path, place: int
) -> None:
    rows = [*BODY]
    rows[place - 1] = (*BODY[place - 1][:5], "00123")
    imported, was_quick = in_its_way(book([NAMES, *rows]), kept)
    assert not was_quick
    assert imported.types[5] == "text"
    assert imported.rows[place - 1][5] == "00123"
    assert receipt_of(imported.profile) == []


def test_a_column_that_begins_late_in_a_large_workbook_keeps_its_place(
    book: Write, kept: Path
) -> None:
    rows: list[Row] = [("", *NAMES), *(("", *row) for row in BODY)]
    rows[8_000] = ("nota à margem", *BODY[7_999])
    rows[9_000] = ("", "fora", *BODY[8_999][1:])
    imported, _was_quick = in_its_way(book(rows), kept)
    assert len(imported.rows) == ROWS
    assert "nota à margem" in imported.rows[7_999]
    said = next(each for each in report(imported).doubtful if each.kind == "mixed_column")
    assert said.cells == ("B9001",)
    assert receipt_of(imported.profile) == []


def test_rows_of_many_columns_are_blank_only_if_every_cell_is(tmp_path: Path) -> None:
    """Whatever part of the columns is looked at first."""
    width, rows, late = 130, 300, {50: 41, 120: 0, 121: 129}  # the only cell of some rows
    lines = [";".join(f"col_{place}" for place in range(width))]
    for number in range(rows):
        filled = {late[number]} if number in late else range(width) if number % 10 else ()
        lines.append(";".join(f"w{number}" if place in filled else " " for place in range(width)))
    file = tmp_path / "largo.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    (found,) = read_here(file, tmp_path / "kept")
    blank = {number for number in range(rows) if number % 10 == 0} - set(late)
    report = found.profile.report
    assert report is not None
    assert receipt_of(found.profile) == []
    assert {each.row for each in report.set_apart if each.kind == "blank"} == {
        2 + number for number in blank
    }
    kept = [number for number in range(rows) if number not in blank]
    for place in (0, 41, 42, width - 1):
        assert found.column(f"col_{place}") == [
            f"w{number}" if late.get(number, place) == place else None for number in kept
        ]


def test_columns_filled_up_with_blanks_lose_them_among_many_others(tmp_path: Path) -> None:
    """Every other of many columns, which are measured together; the blanks of the others stay."""
    words = ["ok", "a rever", "rejeitado", "em espera"]
    rows = 200
    rest = [f"x{'y' * (number % 5)} " for number in range(rows)]
    file = tmp_path / "largo.csv"
    with file.open("w", encoding="utf-8") as target:
        target.write(";".join(f"col_{place}" for place in range(60)) + "\n")
        for number in range(rows):
            cells = (f"{words[number % 4]:12}", rest[number])
            target.write(";".join(cells[place % 2] for place in range(60)) + "\n")
    (found,) = read_here(file, tmp_path / "kept")
    for place in range(60):
        wanted = rest if place % 2 else [words[number % 4] for number in range(rows)]
        assert found.column(f"col_{place}") == wanted


def test_of_thousands_of_rows_called_totals_those_that_sum_up_are(tmp_path: Path) -> None:
    """Two in five have the name of a summary, and some lack numbers."""
    chance = random.Random(1)
    names = ("Total", "Sum", "Mean", "Max", "Min", *(f"Cpk {number}" for number in range(7)))
    rows: list[tuple[str, str, list[int | None]]] = []
    totals = []
    for lot in range(300):
        group = [
            [chance.randrange(1, 900) if chance.random() < 0.9 else None for _column in range(4)]
            for _row in range(12)
        ]
        rows += [(f"L{lot}", chance.choice(names), numbers) for numbers in group]
        totals.append(len(rows))
        sums = [sum(filter(None, each)) for each in zip(*group, strict=True)]
        rows.append(("", "Total", [*sums]))
    file = tmp_path / "estatísticas.csv"
    with file.open("w", encoding="utf-8") as target:
        target.write("lot;statistic;a;b;c;d\n")
        for lot_, name, numbers in rows:
            target.write(";".join([lot_, name, *(str(n or "") for n in numbers)]) + "\n")
    (found,) = read_here(file, tmp_path / "kept")
    report = found.profile.report
    assert report is not None
    assert receipt_of(found.profile) == []
    assert [each.row - 2 for each in report.set_apart if each.kind == "total"] == totals
    assert found.profile.rows == len(rows) - len(totals)


@pytest.mark.parametrize("odd", [1e20, True, timedelta(hours=255), datetime(2026, 1, 1, 8, 30)])
def test_values_of_another_kind_than_the_others_are_said(tmp_path: Path, odd: object) -> None:
    """A column of days stays text where one cell is a value of another kind, no text."""
    file = tmp_path / "dias.xlsx"
    with xlsxwriter.Workbook(file, {"default_date_format": "dd/mm/yyyy hh:mm"}) as book:
        sheet = book.add_worksheet("Dados")
        hours = book.add_format({"num_format": "[h]:mm:ss"})
        sheet.write_row(0, 0, ("dia", "peça"))
        for number in range(12):
            sheet.write_row(1 + number, 0, (DAY + timedelta(days=number), f"A{number}"))
        sheet.write(8, 0, odd, *([hours] if isinstance(odd, timedelta) else []))
    (found,) = read_here(file, tmp_path / "kept")
    report = found.profile.report
    assert report is not None
    said = [(each.kind, each.count, each.cells) for each in report.doubtful]
    if isinstance(odd, datetime):
        assert (found.types[0], said) == ("datetime", [])
    else:
        assert (found.types[0], said) == ("text", [("mixed_column", 1, ("A9",))])


LONG = 21_000  # rows of a text table, of which columns are stored typed as they are read
FORMS: dict[str, Callable[[int], str]] = {
    "whole": lambda n: str(n * 7 - 900),
    "shortest": lambda n: repr(n / 8),
    "rounded": lambda n: f"{n / 7:.2f}",
    "comma": lambda n: f"{n / 7:.3f}".replace(".", ","),
    "as Excel": lambda n: f"{n / 4:g}".replace(".", ","),
    "day": lambda n: str(DAY + timedelta(days=n % 300)),
    "day of Portugal": lambda n: f"{DAY + timedelta(days=n % 300):%d/%m/%Y}",
    "day without zeros": lambda n: f"{n % 28 + 1}/{n % 12 + 1}/2026",
    "day or month": lambda n: f"{n % 12 + 1:02}/{n % 11 + 1:02}/2026",
    "moment": lambda n: str(datetime(2026, 1, 1) + timedelta(seconds=n * 7)),
    "minute": lambda n: f"{datetime(2026, 1, 1) + timedelta(minutes=n):%d-%m-%Y %H:%M}",
    "code": lambda n: f"{n % 900:05}",
    "word": lambda n: f"peça {n % 9}",
}
ODD_CELLS = ("", "-", "007", "1e3", "+5", "1.50", "1,5", " 7", "7 ", "#N/A", "31/02/2026", "nada")


def assert_read_as_texts(file: Path, kept: Path) -> None:
    """A long table holds, and says of itself, the same as where each cell was a text before."""
    (one,) = read_here(file, kept / "one")
    # What the last column is chosen to be it is anyway; but then no column is stored at once.
    chosen = ImportChoices(types=(("última", "text"),))
    (other,) = read_here(file, kept / "other", choices=chosen)
    assert_alike(one, other)
    assert report(one).repaired == report(other).repaired
    assert report(one).doubtful == report(other).doubtful
    assert one.profile.preview == other.profile.preview


def long_table(names: Sequence[str]) -> list[list[str]]:
    return [[*(FORMS[name](n) for name in names), f"x{n % 3}"] for n in range(LONG)]


@pytest.mark.parametrize("name", FORMS)
def test_a_long_text_table_is_stored_as_its_texts_are_read(
    text: Write, kept: Path, name: str
) -> None:
    rows = long_table([name, "word"])
    lines = [";".join(row) for row in rows]
    assert_read_as_texts(text([f"{name};palavra;última", *lines]), kept)


@pytest.mark.parametrize(
    ("cell", "place"), [*zip(ODD_CELLS, [LONG // 2, 50, LONG - 1] * len(ODD_CELLS), strict=False)]
)
def test_an_odd_cell_in_a_long_text_table_is_read_as_among_texts(
    text: Write, kept: Path, cell: str, place: int
) -> None:
    names = ("whole", "comma", "day of Portugal", "word")
    rows = long_table(names)
    for position in range(len(names)):
        rows[place - position][position] = cell
    lines = [";".join(row) for row in rows]
    assert_read_as_texts(text([";".join((*names, "última")), *lines]), kept)


@pytest.mark.parametrize(
    "line",
    ["", ";;;;", "Total;;;;", "whole;comma;day;word;última", "Página 2;;;;", "1;2", "1;2;3;4;5;6"],
)
@pytest.mark.parametrize("place", [LONG // 2, LONG])
def test_a_line_that_is_no_row_of_a_long_text_table_is_set_apart_as_among_texts(
    text: Write, kept: Path, line: str, place: int
) -> None:
    names = ("whole", "comma", "day", "word")
    lines = [";".join(row) for row in long_table(names)]
    lines.insert(place, line)
    assert_read_as_texts(text([";".join((*names, "última")), *lines]), kept)


def test_a_value_that_a_conversion_loses_is_named(
    monkeypatch: pytest.MonkeyPatch, kept: Path, text: Write
) -> None:
    right = decide_conversions

    def forgetful(*given: Any, **more: Any) -> tuple[list[ColumnConversion], list[Finding]]:
        decided, found = right(*given, **more)
        decided[1] = replace(decided[1], expression=f"nullif({decided[1].expression}, 2.5)")
        return decided, found

    monkeypatch.setattr("qhub_desktop.data.ingest.sheet_import.decide_conversions", forgetful)
    (imported,) = read_here(text(["lote;peso", "a;1,5", "b;2,5", "c;n/d", "d;3,5"]), kept)

    assert imported.column("peso") == [1.5, None, None, 3.5]
    told = {
        each.kind: each.cells for each in (*report(imported).repaired, *report(imported).doubtful)
    }
    assert told == {"missing_words": ("B4",), "unread_cells": ("B3",)}
