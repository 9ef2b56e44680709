"""Workbooks: cells that are what they were, in sheets that are ready to work with."""

import errno
import zipfile
from datetime import date, datetime, time
from pathlib import Path

import openpyxl
import pytest
import python_calamine
from openpyxl.utils.escape import unescape
from xlsxwriter.exceptions import XlsxWriterException

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.data.export.output import OutputSheet, os_error_text
from qhub_desktop.data.export.xlsx import BookWriter, sheet_name, write_book
from tests.data.export.conftest import Written

SLY = ("=1+1", "+351 912 345 678", "-abc", "@x", "'quoted", "<r><t>x</t></r>", "a_x0041_b")


def one(*cells: Cell, type_: ColumnType = "text") -> OutputSheet:
    return OutputSheet("Dados", Table((Column("a", type_),), tuple((cell,) for cell in cells)))


def xml_of(file: Path, part: str = "xl/worksheets/sheet1.xml") -> str:
    with zipfile.ZipFile(file) as packed:
        return packed.read(part).decode("utf-8")


@pytest.mark.parametrize(
    ("cell", "shape"),
    [
        (62, "0"),
        (0.1 + 0.2, "General"),
        (-1e-10, "General"),
        (date(2026, 2, 3), "dd/mm/yyyy"),
        (datetime(2026, 2, 3, 14, 5, 6), "dd/mm/yyyy hh:mm:ss"),
        (datetime(2026, 2, 3, 14, 5, 6, 250000), "dd/mm/yyyy hh:mm:ss.000"),
        (time(6, 30), "hh:mm:ss"),
        (True, "General"),
        ("lixo", "General"),
        ("00123", "@"),
        ("1234567890123456789", "@"),
    ],
)
def test_a_cell_comes_back_as_it_was(written: Written, cell: Cell, shape: str) -> None:
    found = written(one(cell))["Dados"]["A2"]

    expected = datetime(2026, 2, 3) if cell == date(2026, 2, 3) else cell
    assert found.value == expected
    assert type(found.value) is type(expected)
    assert found.number_format == shape


def test_every_digit_of_a_number_is_in_the_file(tmp_path: Path) -> None:
    write_book([one(0.1 + 0.2, type_="number")], tmp_path / "a.xlsx")

    assert "<v>0.30000000000000004</v>" in xml_of(tmp_path / "a.xlsx")


@pytest.mark.parametrize("cell", [*SLY, "tab\tand\nline", " spaces ", "\x00\x1f\x0b", "\ufffe"])
def test_text_is_text_whatever_it_looks_like(tmp_path: Path, cell: str) -> None:
    file = tmp_path / "a.xlsx"

    write_book([one(cell)], file)

    found = openpyxl.load_workbook(file)["Dados"]["A2"]
    assert found.data_type == "s"
    assert unescape(found.value) == cell
    assert "<f>" not in xml_of(file)


@pytest.mark.parametrize("cell", ["=1+1", "+351", "-abc", "@x"])
def test_typing_a_formula_like_text_again_keeps_it_text(written: Written, cell: str) -> None:
    found = written(one(cell))["Dados"]["A2"]

    assert found.quotePrefix
    assert found.number_format == "@"


def test_names_and_titles_are_no_formulas_either(tmp_path: Path) -> None:
    table = Table((Column("=A1", "integer"),), ((1,),))

    write_book([OutputSheet("=x", table, title="=1+1", notes=("@y",))], tmp_path / "a.xlsx")

    assert "<f>" not in xml_of(tmp_path / "a.xlsx")


def test_numbers_too_long_for_excel_are_text_with_every_digit(written: Written) -> None:
    sheet = written(one(999_999_999_999_999, 1_000_000_000_000_000, type_="integer"))["Dados"]

    assert sheet["A2"].value == 999_999_999_999_999
    assert sheet["A3"].value == "1000000000000000"


def test_what_no_sheet_can_hold_is_left_empty_or_written_out(written: Written) -> None:
    cells = (None, float("nan"), float("inf"), float("-inf"), date(1899, 5, 6), "")

    sheet = written(one(*cells))["Dados"]

    found = [sheet.cell(row, 1).value for row in range(2, 8)]
    assert found == [None, None, None, None, "1899-05-06", None]


def test_a_text_longer_than_a_cell_is_cut_and_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"

    told = write_book([one("x" * 40_000, "y" * 32_767, "😀" * 20_000)], file)

    sheet = openpyxl.load_workbook(file)["Dados"]
    assert len(sheet["A2"].value) == 32_767
    assert sheet["A3"].value == "y" * 32_767
    assert sheet["A4"].value == "😀" * 16_383
    assert told.notes == (
        "2 texts were longer than the 32,767 characters of a cell, and were cut.",
    )


def test_a_sheet_is_ready_to_work_with(written: Written) -> None:
    table = Table(
        (Column("n", "integer"), Column("a long name of a column", "text")), ((1, "x" * 30),)
    )

    plain = written(OutputSheet("Dados", table))["Dados"]
    titled = written(OutputSheet("Dados", table, title="Title", notes=("Source",)))["Dados"]

    assert plain.freeze_panes == "A2"
    assert plain.auto_filter.ref == "A1:B2"
    assert plain["A1"].font.bold
    assert plain.column_dimensions["A"].width < 10 < plain.column_dimensions["B"].width
    assert [titled[f"A{row}"].value for row in (1, 2, 3, 4)] == ["Title", "Source", None, "n"]
    assert titled.freeze_panes == "A5"
    assert titled.auto_filter.ref == "A4:B5"


def test_a_sheet_goes_onto_paper_as_wide_as_it_is(written: Written) -> None:
    table = Table((Column("n", "integer"),), ((1,),))

    sheet = written(OutputSheet("Dados", table, title="Title"))["Dados"]

    assert sheet.page_setup.orientation == "landscape"
    assert str(sheet.page_setup.paperSize) == "9"
    scaling = sheet.sheet_properties.pageSetUpPr
    assert scaling is not None
    assert scaling.fitToPage
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) in ((None, 0), (1, 0))
    assert sheet.print_title_rows == "$3:$3"


def test_a_table_without_rows_is_its_header(written: Written) -> None:
    sheet = written(OutputSheet("Dados", Table((Column("a", "text"),), ())))["Dados"]

    assert sheet["A1"].value == "a"
    assert sheet.max_row == 1


def test_a_table_without_columns_is_a_sheet_with_its_title(written: Written) -> None:
    sheet = written(OutputSheet("Dados", Table((), ()), "Nada"))["Dados"]

    assert sheet["A1"].value == "Nada"


def test_more_rows_than_a_sheet_takes_go_on_on_the_next(tmp_path: Path) -> None:
    file, scratch = tmp_path / "a.xlsx", tmp_path / "scratch"
    scratch.mkdir()

    with BookWriter(file, scratch, rows_a_sheet=101) as book:
        page = book.begin_table("Dados", (Column("n", "integer"),))
        page.write(((at,) for at in range(250)), on_rows=lambda _rows: None)
        page.finish()

    sheets = openpyxl.load_workbook(file)
    assert sheets.sheetnames == ["Dados", "Dados (2)", "Dados (3)"]
    assert [sheet.max_row for sheet in sheets] == [101, 101, 51]
    rows = [row[0] for sheet in sheets for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert rows == list(range(250))
    assert all(sheet["A1"].value == "n" for sheet in sheets)
    assert sheets["Dados (3)"].auto_filter.ref == "A1:A51"
    assert "goes on over 3 sheets" in book.exported.notes[0]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Defeitos: por [turno] 1/2?", "Defeitos por turno 1 2"),
        ("x" * 40, "x" * 31),
        ("😀" * 20, "😀" * 15),
        ("", "Sheet"),
        ("'''", "Sheet"),
        ("History", "History_"),
    ],
)
def test_names_of_sheets_are_fit_for_excel(wanted: str, name: str) -> None:
    assert sheet_name(wanted) == name


def test_names_of_sheets_differ(written: Written) -> None:
    table = Table((Column("a", "text"),), ())

    book = written(*(OutputSheet(name, table) for name in ("Dados", "DADOS", "x" * 40, "x" * 50)))

    assert book.sheetnames == ["Dados", "DADOS (2)", "x" * 31, "x" * 27 + " (2)"]


def test_the_file_tells_nothing_of_the_person_or_the_machine(tmp_path: Path) -> None:
    write_book([one("a")], tmp_path / "a.xlsx", title="Defeitos")

    told = openpyxl.load_workbook(tmp_path / "a.xlsx").properties
    assert (told.title, told.creator, told.lastModifiedBy) == ("Defeitos", None, None)


def test_another_reader_finds_the_same(tmp_path: Path) -> None:
    write_book([one("00123", "=1+1", "Ação; é", type_="text")], tmp_path / "a.xlsx")

    with python_calamine.load_workbook(str(tmp_path / "a.xlsx")) as book:
        rows = book.get_sheet_by_index(0).to_python()

    assert rows == [["a"], ["00123"], ["=1+1"], ["Ação; é"]]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("taken.xlsx", "taken.xlsx is a folder. Choose another name."),
        ("nowhere/a.xlsx", "is not there. Choose another folder."),
    ],
)
def test_a_place_that_can_not_be_written_is_said_and_left_alone(
    tmp_path: Path, target: str, says: str
) -> None:
    (tmp_path / "taken.xlsx").mkdir()

    with pytest.raises(UserError, match=says.replace(".", r"\.")):
        write_book([one("a")], tmp_path / target)

    assert [each.name for each in tmp_path.iterdir() if each.name != "home"] == ["taken.xlsx"]


def test_what_goes_wrong_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(b"old")
    wide = Table(tuple(Column(str(at), "text") for at in range(16_385)), ())

    with pytest.raises(UserError, match=r"16,385 columns; Excel takes 16,384"):
        write_book([OutputSheet("Dados", wide)], file)

    assert file.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir() if each.name != "home"] == ["a.xlsx"]


def test_an_open_file_and_a_full_disk_are_said_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    file.touch()

    is_open = os_error_text(PermissionError(errno.EACCES, "denied"), file)
    is_full = os_error_text(OSError(errno.ENOSPC, "full"), file)

    assert is_open == (
        "a.xlsx is open in another program. Close it in Excel, or choose another name."
    )
    assert is_full.startswith("There is no room left on the disk for a.xlsx.")


def test_the_disk_filling_up_at_the_end_is_an_error_of_the_file_system(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    blocked = tmp_path / "folder"
    blocked.mkdir()

    with (
        pytest.raises(OSError, match=r"directory|denied") as caught,
        BookWriter(blocked, scratch) as book,
    ):
        book.add(one("a"), on_rows=lambda _rows: None)

    assert not isinstance(caught.value, XlsxWriterException)
