"""Workbooks beside .xlsx: every value as it stands, errors and merges in their places."""

import io
import struct
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
import xlwt

from qhub_desktop.core.errors import UserError
from qhub_desktop.data.ingest.readers.sheet import CellError
from tests.data.readers.conftest import Give
from tests.data.writers import grids
from tests.data.writers.xlsb import Error, Uncalculated, xlsb

VALUES: list[list[Any]] = [
    ["lote", "peso", "dia", "momento", "hora", "tempo", "ok"],
    [
        "00123",
        0.1,
        date(2026, 2, 1),
        datetime(2026, 2, 1, 8, 30, 5),
        time(8, 30),
        timedelta(hours=30, minutes=5),
        True,
    ],
    ["x", 1e-10, None, None, time(23, 59, 59), timedelta(minutes=90), False],
]
WRITERS = {"a.xls": grids.xls, "a.ods": grids.ods, "a.xml": grids.spreadsheetml}
ODS_ROW = b"</table:table-row>"
NOT_AVAILABLE = 0x2A
CODES = (0x07, 0x17, NOT_AVAILABLE)


def old_book(fill: "xlwt.Worksheet") -> bytes:
    target = io.BytesIO()
    fill.get_parent().save(target)
    return target.getvalue()


def old_sheet(name: str = "Dados") -> "xlwt.Worksheet":
    return xlwt.Workbook().add_sheet(name)


def record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def ods(*rows: str, before: str = "") -> bytes:
    parts = grids.unzipped(grids.ods([["a"]]))
    head, _sheet, tail = parts["content.xml"].partition(b'<table:table table:name="Dados">')
    assert tail
    head = head.replace(
        b"<office:body>",
        b' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
        b' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
        b' xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0">'
        + before.encode()
        + b"<office:body>",
    ).replace(b'office:version="1.2"> xmlns', b'office:version="1.2" xmlns')
    body = f'<table:table table:name="Dados">{"".join(rows)}</table:table>'
    end = b"</office:spreadsheet></office:body></office:document-content>"
    return grids.zipped({**parts, "content.xml": head + body.encode() + end})


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def words(text: str, attributes: str = "") -> str:
    return (
        f'<table:table-cell office:value-type="string" {attributes}><text:p>{text}</text:p>'
        "</table:table-cell>"
    )


def amount(value: str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}" {attributes}/>'


@pytest.mark.parametrize("name", [*WRITERS])
def test_every_kind_of_value_comes_as_it_stands(give: Give, name: str) -> None:
    (given,) = give(name, WRITERS[name](VALUES))
    kept = [0, 1, 2, 3, 6] if name == "a.xml" else [*range(7)]  # which has no times of its own
    assert [[each[n] for n in kept] for each in given.rows] == [
        [e[n] for n in kept] for e in VALUES
    ]
    assert [type(given.rows[1][n]) for n in kept] == [type(VALUES[1][n]) for n in kept]


@pytest.mark.parametrize("name", [*WRITERS])
def test_sheets_keep_their_names_and_places_and_empty_ones_are_left_out(
    give: Give, name: str
) -> None:
    content = WRITERS[name]({"Um": [["a"], [1]], "Vazia": [], "Três & é": [["b"]]})
    first, third = give(name, content)
    assert first.names == ("Um", "Vazia", "Três & é")
    assert (first.sheet.name, first.sheet.number) == ("Um", 1)
    assert (third.sheet.name, third.sheet.number) == ("Três & é", 3)


@pytest.mark.parametrize("name", [*WRITERS])
def test_a_table_further_down_tells_where_it_begins(give: Give, name: str) -> None:
    (given,) = give(name, WRITERS[name]([[None], [None], [None, "a"], [], [None, "b"]]))
    shift = given.sheet.first_column
    assert given.sheet.first_row == 2
    assert [list(filter(None, each)) for each in given.rows] == [["a"], [], ["b"]]
    assert given.rows[0].index("a") + shift == 1


def test_the_kind_of_a_workbook_is_told_by_its_content(give: Give) -> None:
    (given,) = give("a.csv", grids.xls([["a"]]))
    assert given.format == "Excel (.xls)"
    (given,) = give("a.xls", grids.ods([["a"]]))
    assert given.format == "OpenDocument (.ods)"
    (given,) = give("a.xls", grids.spreadsheetml([["a"]]))
    assert given.format == "Excel 2003 XML"


def test_errors_in_an_old_workbook_stand_where_they_stood(give: Give) -> None:
    sheet = old_sheet()
    sheet.write(0, 0, "a")
    sheet.write(0, 1, "b")
    for number, code in enumerate(CODES, start=1):
        sheet.row(number).set_cell_error(number % 2, code)
        sheet.write(number, (number + 1) % 2, number)
    (given,) = give("a.xls", old_book(sheet))
    assert given.rows[1:] == [
        [1, CellError("#DIV/0!")],
        [CellError("#REF!"), 2],
        [3, CellError("#N/A")],
    ]


def test_an_error_beyond_all_values_is_not_cut_off(give: Give) -> None:
    sheet = old_sheet()
    sheet.write(1, 1, "a")
    sheet.row(0).set_cell_error(0, NOT_AVAILABLE)
    sheet.row(3).set_cell_error(2, NOT_AVAILABLE)
    (given,) = give("a.xls", old_book(sheet))
    assert (given.sheet.first_row, given.sheet.first_column) == (0, 0)
    assert given.rows[0][0] == CellError("#N/A")
    assert given.rows[1][1] == "a"
    assert given.rows[3][2] == CellError("#N/A")


def test_formulas_that_no_program_calculated_are_said(give: Give) -> None:
    sheet = old_sheet()
    sheet.write(0, 0, 2)
    sheet.write(0, 1, xlwt.Formula("A1*2"))
    (given,) = give("a.xls", old_book(sheet))
    assert given.said == ["formula_uncalculated"]
    (finding,) = given.sheet.doubtful
    assert finding.cells == ("B1",)


def test_merged_cells_are_told_and_hold_their_value_once(give: Give) -> None:
    sheet = old_sheet()
    sheet.write_merge(1, 2, 1, 3, "a")
    sheet.write(3, 1, "b")
    (given,) = give("a.xls", old_book(sheet))
    first = given.sheet.first_row
    assert given.merges == [(1 - first, 0, 2 - first, 2)]
    assert [each[0] for each in given.rows] == ["a", None, "b"]


def test_the_days_of_a_macintosh_are_the_same_days(give: Give) -> None:
    book = xlwt.Workbook()
    book.dates_1904 = True
    book.add_sheet("Dados").write(0, 0, 36_526 - 1_462, xlwt.easyxf(num_format_str="DD/MM/YYYY"))
    target = io.BytesIO()
    book.save(target)
    (given,) = give("a.xls", target.getvalue())
    assert given.rows == [[date(2000, 1, 1)]]


def test_a_binary_workbook_is_read_with_its_errors_and_merges(give: Give) -> None:
    rows: list[list[Any]] = [
        ["lote", "peso", "dia", "ok"],
        ["00123", 1.5, date(2026, 2, 1), True],
        [None, Error("#N/A"), Error("#REF!", is_formula=True), Uncalculated()],
    ]
    content = xlsb({"Um": rows, "Dois": [[], [None, "z"]]}, merges=[(1, 2, 0, 0)])
    one, two = give("a.xls", content)
    assert one.format == "Excel (.xlsb)"
    assert one.rows == [*rows[:2], [None, CellError("#N/A"), CellError("#REF!"), None]]
    assert one.merges == [(1, 0, 2, 0)]
    assert one.said == ["formula_uncalculated"]
    assert one.sheet.doubtful[0].cells == ("D3",)
    assert (two.sheet.first_row, two.sheet.first_column, two.rows) == (1, 1, [["z"]])


def test_a_cell_in_the_last_corner_of_a_binary_workbook_is_refused(give: Give) -> None:
    with pytest.raises(UserError, match=r"'Um' reaches as far as the cell XFD1048576, with 3"):
        give("a.xlsb", xlsb({"Um": [["a", "b"]]}, far=(1_048_575, 16_383)))


def test_an_old_workbook_that_reaches_too_far_is_refused(give: Give) -> None:
    content = bytearray(grids.xls([["a", 1]]))
    # The cell of the number moves to the last row and column that two bytes can say.
    place = content.index(struct.pack("<HHHH", 0x027E, 10, 0, 1))
    content[place + 4 : place + 8] = struct.pack("<HH", 65_535, 65_535)
    with pytest.raises(UserError, match=r"'Dados' reaches as far as the cell CRXP65536"):
        give("a.xls", bytes(content))


@pytest.mark.parametrize("share", [0.15, 0.4, 0.7, 0.95])
def test_a_workbook_that_was_cut_is_told_as_that(give: Give, share: float) -> None:
    for name, content in (("a.xls", grids.xls([["a", 1]])), ("a.xlsb", xlsb({"Um": [["a"]]}))):
        with pytest.raises(UserError, match="ends in the middle"):
            give(name, content[: int(len(content) * share)])


def test_repeated_cells_and_rows_stand_as_often_as_they_repeat(give: Give) -> None:
    content = ods(
        row(words("a"), words("b")),
        row(amount("1", 'table:number-columns-repeated="2"'),
            attributes='table:number-rows-repeated="3"'),
        row("<table:table-cell/>", attributes='table:number-rows-repeated="2"'),
        row(amount("2")),
        row('<table:table-cell table:number-columns-repeated="16384"/>',
            attributes='table:number-rows-repeated="1048569"'),
    )  # fmt: skip
    (given,) = give("a.ods", content)
    assert given.rows == [["a", "b"], [1, 1], [1, 1], [1, 1], [], [], [2]]


def test_errors_and_lacking_results_of_an_open_workbook_are_told(give: Give) -> None:
    content = ods(
        row(words("#N/A", 'calcext:value-type="error" table:formula="of:=NA()"'),
            words("Err:502", 'table:formula="of:=X"'), words("#N/A")),
        row('<table:table-cell table:formula="of:=[.A1]"/>', amount("1")),
    )  # fmt: skip
    (given,) = give("a.ods", content)
    assert given.rows == [[CellError("#N/A"), CellError("Err:502"), "#N/A"], [None, 1]]
    assert given.said == ["formula_uncalculated"]
    assert given.sheet.doubtful[0].cells == ("A2",)


def test_the_text_of_a_cell_is_what_the_cell_shows(give: Give) -> None:
    inside = (
        "<office:annotation><text:p>nota</text:p></office:annotation>"
        'a<text:s text:c="2"/>b<text:tab/><text:span>c</text:span><text:line-break/>d'
    )
    cell = (
        '<table:table-cell office:value-type="string">'
        "<office:annotation><text:p>nota</text:p></office:annotation>"
        f"<text:p>{inside.partition('</office:annotation>')[2]}</text:p><text:p>e</text:p>"
        "</table:table-cell>"
    )
    (given,) = give("a.ods", ods(row(cell)))
    assert given.rows == [["a  b\tc\nd\ne"]]


def test_a_format_of_hours_beyond_a_day_makes_durations(give: Give) -> None:
    styles = (
        '<office:automatic-styles><number:time-style style:name="N1"'
        ' number:truncate-on-overflow="false"/><style:style style:name="ce1"'
        ' style:data-style-name="N1"/></office:automatic-styles>'
    )
    hours = '<table:table-cell office:value-type="time" office:time-value="PT01H30M00S" {}/>'
    content = ods(
        '<table:table-column table:default-cell-style-name="ce1"/><table:table-column/>',
        row(hours.format(""), hours.format(""), hours.format('table:style-name="ce1"')),
        before=styles,
    )
    (given,) = give("a.ods", content)
    assert given.rows == [[timedelta(minutes=90), time(1, 30), timedelta(minutes=90)]]


def test_merged_cells_of_an_open_workbook_are_told(give: Give) -> None:
    content = ods(
        row(words("a", 'table:number-columns-spanned="2" table:number-rows-spanned="2"'),
            "<table:covered-table-cell/>", words("b")),
        row('<table:covered-table-cell table:number-columns-repeated="2"/>', words("c")),
    )  # fmt: skip
    (given,) = give("a.ods", content)
    assert given.merges == [(0, 0, 1, 1)]
    assert given.rows == [["a", None, "b"], [None, None, "c"]]


@pytest.mark.parametrize("declared", ['<!DOCTYPE o [<!ENTITY a "b">]>', "<!DOCTYPE o>"])
def test_declarations_in_xml_are_refused(give: Give, declared: str) -> None:
    parts = grids.unzipped(grids.ods([["a"]]))
    parts["content.xml"] = parts["content.xml"].replace(b"?>", b"?>" + declared.encode(), 1)
    with pytest.raises(UserError, match="XML declarations"):
        give("a.ods", grids.zipped(parts))
    sheets = grids.spreadsheetml([["a"]]).replace(b"?>", b"?>" + declared.encode(), 1)
    with pytest.raises(UserError, match="XML declarations"):
        give("a.xml", sheets)


def test_a_flipped_byte_is_noticed(give: Give) -> None:
    content = bytearray(grids.ods([["lote", "peso"], ["a", 1]]))
    place = content.index(b"lote</text:p>")
    content[place] ^= 1
    with pytest.raises(UserError, match="damaged"):
        give("a.ods", bytes(content))


def test_a_protected_open_workbook_is_said_to_be(give: Give) -> None:
    parts = grids.unzipped(grids.ods([["a"]]))
    parts["META-INF/manifest.xml"] += b"<manifest:encryption-data/>"
    with pytest.raises(UserError, match="protected by a password"):
        give("a.ods", grids.zipped(parts))


def test_skipped_cells_and_rows_of_excels_xml_stay_blank(give: Give) -> None:
    content = grids.spreadsheetml([["x"]]).decode()
    start = content.index("<Row>")
    made = content[:start] + (
        '<Row ss:Index="3"><Cell ss:Index="2" ss:MergeAcross="1" ss:MergeDown="1">'
        '<Data ss:Type="String">a</Data></Cell><Cell><Data ss:Type="Error">#N/A</Data></Cell></Row>'
        '<Row ss:Index="6"><Cell><Data ss:Type="Number">0.1</Data></Cell>'
        '<Cell ss:Formula="=RC[-1]"/></Row></Table></Worksheet></Workbook>'
    )
    (given,) = give("a.xls", made.encode())
    assert given.sheet.first_row == 2
    assert given.rows == [[None, "a", None, CellError("#N/A")], [], [], [0.1]]
    assert given.merges == [(0, 1, 1, 2)]
    assert given.said == ["formula_uncalculated"]
    assert given.sheet.doubtful[0].cells == ("B6",)
