"""Excel workbooks: cells with their own types, and what the file does not tell."""

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from qhub_desktop.data.ingest.readers.sheet import address
from tests.data.conftest import Imported, Read
from tests.data.writers.handwritten_xlsx import number, text, workbook, worksheet

Rows = list[list[Any]]
Make = Callable[[Rows], Imported]


def save(book: Workbook, file: Path) -> Path:
    book.save(file)
    return file


def sheet_of(book: Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet


@pytest.fixture
def table(read: Read, tmp_path: Path) -> Make:
    """A workbook of one sheet, read."""

    def make(rows: Rows) -> Imported:
        book = openpyxl.Workbook()
        for row in rows:
            sheet_of(book).append(row)
        (imported,) = read(save(book, tmp_path / "livro.xlsx"))
        return imported

    return make


def repacked(file: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """The same workbook with its parts changed."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(file) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in source.namelist():
            made.writestr(name, change(name, source.read(name)))
    file.write_bytes(target.getvalue())
    return file


def test_every_type_of_cell_keeps_its_value(table: Make) -> None:
    columns: dict[str, tuple[str, list[Any]]] = {
        "n": ("integer", [1, 2]),
        "x": ("number", [274.659999999997, 1e-10]),
        "t": ("text", ["00123", "NA"]),
        "d": ("date", [date(2026, 2, 1), date(2026, 2, 28)]),
        "m": ("datetime", [datetime(2026, 2, 1, 8, 30), datetime(2026, 2, 2)]),
        "h": ("time", [time(8, 30), time(9, 0, 5)]),
        "b": ("boolean", [True, False]),
    }
    cells = zip(*(values for _type, values in columns.values()), strict=True)
    imported = table([list(columns), *map(list, cells)])
    found = dict(zip(imported.names, imported.types, strict=True))
    assert found == {name: type_ for name, (type_, _values) in columns.items()}
    for name, (_type, values) in columns.items():
        assert imported.column(name) == values


def test_durations_over_a_day_are_numbers_of_hours(table: Make) -> None:
    imported = table([["tempo"], [timedelta(hours=30)], [timedelta(minutes=61, seconds=5)]])
    assert imported.column("tempo") == [30, 3665 / 3600]
    assert imported.profile.report is not None
    assert [each.kind for each in imported.profile.report.repaired] == ["durations"]


def test_a_large_sheet_reads_like_openpyxl_reads_it(read: Read, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "peça": [f"P-{number % 40}" for number in range(3_000)],
            "espessura": [80 + number * 0.37 for number in range(3_000)],
            "dia": pd.date_range("2026-01-01", periods=3_000, freq="D"),
        }
    )
    file = tmp_path / "medidas.xlsx"
    frame.to_excel(file, index=False)

    (imported,) = read(file)

    sheet = sheet_of(openpyxl.load_workbook(file))
    expected = [
        (row[0], row[1], row[2].date())
        for row in sheet.iter_rows(min_row=2, values_only=True)
        if isinstance(row[2], datetime)
    ]
    assert imported.rows == expected
    assert imported.types == ["category", "number", "date"]


def test_every_sheet_that_holds_something_is_a_data_set(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet_of(book).title = "Vazia"
    for name in ("Janeiro", "Fevereiro & Março"):
        sheet = book.create_sheet(name)
        sheet.append(["valor"])
        sheet.append([len(name)])

    one, other = read(save(book, tmp_path / "Pintura 2026.xlsx"))

    assert (one.profile.sheet, one.rows) == ("Janeiro", [(7,)])
    assert one.profile.sheets == ("Vazia", "Janeiro", "Fevereiro & Março")
    assert one.profile.dataset == "pintura_2026_janeiro"
    assert other.profile.dataset == "pintura_2026_fevereiro_marco"
    assert one.profile.id[:-1] == other.profile.id[:-1]


def test_a_table_away_from_the_corner_under_a_title_is_found(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = sheet_of(book)
    sheet["C2"] = "Relatório de fevereiro"
    rows: Rows = [["turno", "total"], ["manha", 73], [None, None], ["tarde", 68]]
    for row, cells in enumerate(rows, start=4):
        for column, cell in enumerate(cells, start=3):
            sheet.cell(row, column, cell)

    (imported,) = read(save(book, tmp_path / "livro.xlsx"))

    assert imported.names == ["turno", "total"]
    assert imported.rows == [("manha", 73), ("tarde", 68)]
    assert "Relatório de fevereiro" in imported.warned
    assert "2 blank rows" in imported.warned


def test_error_cells_are_missing_and_named(table: Make) -> None:
    imported = table(
        [["x", "turno"], [1.5, "manha"], ["#N/A", "tarde"], [2.5, "#REF!"], ["#DIV/0!", "#N/A"]]
    )
    assert imported.rows == [(1.5, "manha"), (None, "tarde"), (2.5, None), (None, None)]
    assert "4 cells hold errors" in imported.warned
    for place in ("A3", "B4", "A5", "B5", "#N/A × 2"):
        assert place in imported.warned


def one_odd(cell: str) -> bytes:
    """A workbook letter by letter: three lots with their weights, the second cell of B odd."""
    rows = [text("A1", "lote") + text("B1", "peso"), text("A2", "a") + number("B2", "1.5")]
    return workbook({"D": worksheet([*rows, text("A3", "b") + cell, text("A4", "c")])})


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ('<c r="B3" t="e"><v>#GETTING_DATA</v></c>', "#GETTING_DATA"),
        ('<c r="B3" t="e"><f>A1&amp;"x"</f><v>#SPILL!</v></c>', "#SPILL!"),
        ('<c r="B3" t="e"><v>#WERT!</v></c>', "#WERT!"),
        ('<c r="B3" t="e"><v>#A&amp;B!</v></c>', "#A&B!"),
        ('<c r="B3" t="e"/>', "#ERROR!"),
        ('<c r="B3" t="e"><v></v></c>', "#ERROR!"),
        ("<c r='B3' t='e'><v>#CALC!</v></c>", "#CALC!"),
        ('<c t="e"><v>#N/A</v></c>', "#N/A"),  # the second of its row, as nothing else is said
    ],
)
def test_an_error_is_missing_and_named_whatever_it_is_called(
    read: Read, tmp_path: Path, cell: str, name: str
) -> None:
    file = tmp_path / "livro.xlsx"
    file.write_bytes(one_odd(cell))
    (imported,) = read(file)
    assert imported.column("peso") == [1.5, None, None]
    assert f"1 cell holds an error ({name} × 1) and was read as missing: B3" in imported.warned


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="B3" t="inlineStr"><v>2.5</v></c>',
        '<c r="B3" t="inlineStr"><f>A1</f>\n<v>2.5</v></c>',
        '<c r="B3" t="inlineStr"><is><t>2.5</t></is><v>9</v></c>',
        '<c r="B3" t="inlineStr"><is><r><t>2.</t></r><r><t>5</t></r></is></c>',
    ],
)
def test_a_text_in_its_cell_is_read_wherever_it_stands_there(
    read: Read, tmp_path: Path, cell: str
) -> None:
    file = tmp_path / "livro.xlsx"
    file.write_bytes(one_odd(cell))
    (imported,) = read(file)
    assert imported.column("peso") == [1.5, 2.5, None]
    assert "could not be read" not in imported.warned


@pytest.mark.parametrize(
    "cell",
    ['<c r="B3"><v><!-- -->7</v></c>', '<c r="B3" t="str"><v><![CDATA[7]]></v></c>'],
)
def test_a_filled_cell_that_its_reader_drops_is_named(
    read: Read, tmp_path: Path, cell: str
) -> None:
    file = tmp_path / "livro.xlsx"
    file.write_bytes(one_odd(cell))
    (imported,) = read(file)
    assert imported.column("peso") == [1.5, None, None]
    assert "1 cell holds something that could not be read, and is missing: B3" in imported.warned


def test_cells_of_blank_texts_are_no_lost_ones(read: Read, tmp_path: Path) -> None:
    shared = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t/></si></sst>'
    )
    cells = text("A3", "x") + '<c r="B3" t="s"><v>0</v></c>'
    rows = [text("A1", "a") + text("B1", "b"), text("A2", "y") + text("B2", "z"), cells]
    file = tmp_path / "livro.xlsx"
    file.write_bytes(workbook({"D": worksheet(rows)}, shared=shared))
    (imported,) = read(file)
    assert imported.rows == [("y", "z"), ("x", None)]
    assert "could not be read" not in imported.warned


def test_a_package_with_backslashes_opens_as_excel_opens_it(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "livro.xlsx"
    with (
        zipfile.ZipFile(io.BytesIO(one_odd(number("B3", "2.5")))) as source,
        zipfile.ZipFile(file, "w") as made,
    ):
        for name in source.namelist():
            entry = zipfile.ZipInfo(name)
            entry.filename = name.replace("/", "\\")  # past what Windows would make of it
            made.writestr(entry, source.read(name))
    (imported,) = read(file)
    assert imported.column("peso") == [1.5, 2.5, None]


def test_formulas_that_were_never_calculated_are_named(table: Make) -> None:
    imported = table([["a", "b"], [1, "=A2*2"], [3, "=A3*2"]])
    assert imported.rows == [(1, None), (3, None)]
    assert "2 formulas were never calculated" in imported.warned
    assert "B2, B3" in imported.warned


def test_formulas_that_were_calculated_give_their_values(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "=A2*2"], [3, '=IF(A3>5,"x","")']):
        sheet_of(book).append(row)

    def calculate(name: str, part: bytes) -> bytes:
        if name != "xl/worksheets/sheet1.xml":
            return part
        part = re.sub(rb"(<f>A2\*2</f>)<v\s*/?>(</v>)?", rb"\1<v>2</v>", part)
        part = re.sub(rb'<c r="B3">', rb'<c r="B3" t="str">', part)
        return re.sub(rb"(</f>)<v\s*/>", rb"\1<v></v>", part)

    file = repacked(save(book, tmp_path / "livro.xlsx"), calculate)
    (imported,) = read(file)
    assert imported.rows == [(1, 2), (3, None)]
    assert "never calculated" not in imported.warned


def test_a_prefix_before_every_name_hides_no_error(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "#N/A"], [3, 4]):
        sheet_of(book).append(row)

    def prefix(name: str, part: bytes) -> bytes:
        if name != "xl/worksheets/sheet1.xml":
            return part
        part = re.sub(rb"<(/?)(\w)", rb"<\1x:\2", part)
        return part.replace(b"xmlns=", b"xmlns:x=")

    (imported,) = read(repacked(save(book, tmp_path / "livro.xlsx"), prefix))
    assert imported.rows == [(1, None), (3, 4)]
    assert "B2" in imported.warned


def test_errors_are_found_across_the_whole_of_a_large_sheet(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("S")
    sheet.append(["n", "texto"])
    for place in range(12_000):
        sheet.append([place, "#N/A" if place % 3_000 == 1 else f"texto numero {place} bem longo"])
    (imported,) = read(save(book, tmp_path / "livro.xlsx"))
    assert "4 cells hold errors" in imported.warned
    assert "B3, B3003, B6003, B9003" in imported.warned


def test_numbers_and_words_in_one_column_stay_text_and_are_named(table: Make) -> None:
    imported = table([["x"], *[[1.25]] * 9, ["partido"]])
    assert imported.rows[0] == ("1.25",)
    assert "1 of 10 cells is of another kind than the others ('partido')" in imported.warned


def test_a_word_for_nothing_among_numbers_is_missing_and_named(table: Make) -> None:
    imported = table([["x"], *[[1.25]] * 9, ["n/d"]])
    assert imported.rows[-1] == (None,)
    assert imported.types == ["number"]
    assert "1 cell with 'n/d' was read as missing" in imported.warned


def test_dates_stored_as_text_become_dates_and_that_is_said(table: Make) -> None:
    imported = table([["d", "n"], ["13/02/2026", "1,5"], ["14/02/2026", "2,5"]])
    assert imported.rows == [(date(2026, 2, 13), 1.5), (date(2026, 2, 14), 2.5)]
    assert "Column d: 2 cells of dates are stored as text" in imported.warned
    assert "Column n: 2 cells of numbers are stored as text" in imported.warned


def test_an_empty_column_between_others_stays_if_it_has_a_name(table: Make) -> None:
    imported = table([["a", "b", None, "c"], [1, None, None, 2], [3, None, None, 4]])
    assert imported.names == ["a", "b", "c"]
    assert imported.column("b") == [None, None]


def test_the_original_stays_as_it_was(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet_of(book).append(["a"])
    file = save(book, tmp_path / "livro.xlsx")
    before = file.read_bytes()
    (imported,) = read(file)
    assert file.read_bytes() == before
    assert imported.rows == []


def test_cells_are_named_as_excel_names_them() -> None:
    assert [address(0, 0), address(8, 25), address(9, 26), address(1_048_575, 16_383)] == [
        "A1",
        "Z9",
        "AA10",
        "XFD1048576",
    ]


def test_digits_that_a_workbook_keeps_as_text_are_told_as_that(read: Read, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["account", "value"])
    for row in range(12):
        sheet.append([("620100", "620300", "651200")[row % 3], row + 0.5])
    book.save(tmp_path / "contas.xlsx")

    (found,) = read(tmp_path / "contas.xlsx")

    assert found.column("account")[:2] == ["620100", "620300"]
    assert "kept as text in the file and may be codes" in found.warned
