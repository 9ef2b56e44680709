"""Tables of web pages: cells in their places, spans told, text as a browser shows it."""

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.data.ingest.readers.html import MOST_TABLES
from tests.data.readers.conftest import Give
from tests.data.writers import grids


def page(body: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def table(*rows: str) -> str:
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def test_a_page_under_the_name_of_a_workbook_is_read_as_text(give: Give) -> None:
    (given,) = give("a.xls", grids.html([["peça", "peso"], ["00123", 1.5]]))
    assert given.format == "HTML"
    assert given.rows == [["peça", "peso"], ["00123", "1,5"]]
    assert (given.sheet.is_text, given.sheet.decimal, given.sheet.encoding) == (True, ",", "cp1252")


def test_spans_leave_their_text_in_the_first_cell(give: Give) -> None:
    content = page(
        table(
            "<th rowspan=2>a<th colspan='2'>b",
            "<td>c<td>d",
            "<td>1<td rowspan=0>2<td>3",
            "<td>4<td>5",
        )
    )
    (given,) = give("a.xls", content)
    assert given.rows == [["a", "b", None], [None, "c", "d"], ["1", "2", "3"], ["4", None, "5"]]
    assert given.merges == [(0, 0, 1, 0), (0, 1, 0, 2), (2, 1, 3, 1)]


def test_text_is_what_a_browser_shows(give: Give) -> None:
    content = page(
        table(
            "<td> a \n  b&nbsp;</td><td>1<br/>2</td><td><p>x</p><p>y</p></td>",
            "<td>&lt;b&gt; &amp; &#231;</td><td><b>g</b>ras<i>so</i></td><td><nobr>5 < 6</nobr>",
            "<td title='a > b'>t</td><td><!-- <td>no</td> -->n</td><td><script>'<td>'</script>",
        )
    )
    (given,) = give("a.html", content)
    assert given.rows == [
        ["a b", "1\n2", "x\ny"],
        ["<b> & ç", "grasso", "5 < 6"],
        ["t", "n", ""],
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "iso-8859-1"])
def test_letters_are_read_by_mark_declaration_or_fit(give: Give, encoding: str) -> None:
    body = "<table><tr><td>peça</td></tr><tr><td>manhã</td></tr></table>"
    declared = f'<html><meta charset="{encoding}">{body}'.encode(encoding)
    (given,) = give("a.xls", declared)
    assert given.rows == [["peça"], ["manhã"]]
    (given,) = give("a.xls", f"<html>{body}".encode(encoding))
    assert given.rows == [["peça"], ["manhã"]]


def test_a_wrong_declaration_is_not_believed(give: Give) -> None:
    (given,) = give("a.xls", '<html><meta charset="utf-8"><table><tr><td>ç'.encode("cp1252"))
    assert given.rows == [["ç"]]


def test_each_table_is_a_sheet_named_by_what_stands_above(give: Give) -> None:
    rows = ("<td>a<td>b", "<td>1<td>2")
    content = page(
        "<table><tr><td>menu</td></tr></table>"
        f"<h2>Turno da <b>manhã</b></h2>{table(*rows)}"
        f"{table(*rows).replace('<table>', '<table><caption>Noite</caption>')}{table(*rows)}"
    )
    given = give("a.xls", content)
    names = ("Turno da manhã", "Noite", "Table 3")
    assert [each.sheet.name for each in given] == [*names]
    assert given[0].names == names
    assert [each.rows for each in given] == [[["a", "b"], ["1", "2"]]] * 3


def test_the_table_of_a_frame_counts_and_small_ones_inside_cells_are_their_text(
    give: Give,
) -> None:
    inner = table("<td>a<td>b", "<td>1<td><table><tr><td>2</td><td>x</td></tr></table>")
    (given,) = give("a.xls", page(f"<table><tr><td>{inner}</td></tr></table>"))
    assert given.rows == [["a", "b"], ["1", "2 x"]]


def test_what_is_left_open_ends_with_the_page(give: Give) -> None:
    (given,) = give("a.xls", b"<TABLE><TR><TD>a<TD>b<TR><TD>1<TD>2")
    assert given.rows == [["a", "b"], ["1", "2"]]


def test_wild_spans_are_cut_and_said(give: Give) -> None:
    (given,) = give("a.xls", page(table("<td colspan=99999999>a", "<td>b")))
    assert given.said == ["spans_shortened"]
    assert len(given.rows[0]) == 1_000


def test_a_page_without_a_table_is_refused(give: Give) -> None:
    with pytest.raises(UserError, match="web page without a table"):
        give("a.xls", page("<p>Sem dados</p>"))


def test_a_web_archive_gives_its_sheets(give: Give) -> None:
    names = "".join(
        f"<x:ExcelWorksheet><x:Name>{name}</x:Name></x:ExcelWorksheet>" for name in ("Um", "Dois")
    )
    parts = [
        f"<html><xml>{names}</xml><frameset></frameset></html>",
        f"<html>{table('<td>peça', '<td>1')}</html>",
        f"<html>{table('<td>lote', '<td>2')}</html>",
    ]
    made = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n'
    for part in parts:
        text = part.encode("utf-8").replace(b"=", b"=3D")
        quoted = "".join(chr(byte) if byte < 128 else f"={byte:02X}" for byte in text)
        made += (
            "--b\r\nContent-Type: text/html; charset=utf-8\r\n"
            f"Content-Transfer-Encoding: quoted-printable\r\n\r\n{quoted}\r\n"
        )
    one, two = give("a.xls", (made + "--b--\r\n").encode("ascii"))
    assert (one.sheet.name, one.rows) == ("Um", [["peça"], ["1"]])
    assert (two.sheet.name, two.rows) == ("Dois", [["lote"], ["2"]])


def test_of_a_page_with_hundreds_of_tables_the_largest_are_read_and_the_others_told(
    give: Give,
) -> None:
    tables = [table(*["<td>a<td>1"] * (2 + number % 100)) for number in range(300)]
    given = give("a.xls", page("".join(tables)))
    assert len(given) == MOST_TABLES
    assert min(len(each.rows) for each in given) == 82  # three tables each of 82 to 101 rows
    assert given[0].said == ["tables_left"]
    assert [each.sheet.number for each in given] == [*range(1, MOST_TABLES + 1)]
