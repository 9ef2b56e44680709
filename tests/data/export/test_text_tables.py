"""Tables as text for other programs: CSV files, and the clipboard."""

import csv
import io
from datetime import date, datetime, time

import pytest

from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import Language
from qhub_desktop.data.export.text_tables import to_csv, to_html, to_tsv

DATA = Table(
    (
        Column("dia", "date"),
        Column("tipo", "category"),
        Column("total", "integer"),
        Column("taxa", "number"),
    ),
    (
        (date(2026, 2, 3), "lixo", 9, 1234.5),
        (date(2026, 1, 20), "=2+3", 10, None),
        (date(2026, 2, 1), "gordura; fina", 100, 2.25),
        (None, "escorrido", 2, -0.5),
    ),
)


def one(cell: Cell, type_: ColumnType = "text") -> Table:
    return Table((Column("a", type_),), ((cell,),))


def test_csv_opens_in_a_portuguese_excel() -> None:
    content = to_csv(DATA, locale="pt")

    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=";"))
    assert content.startswith(b"\xef\xbb\xbf")
    assert rows == [
        ["dia", "tipo", "total", "taxa"],
        ["03/02/2026", "lixo", "9", "1234,5"],
        ["20/01/2026", "'=2+3", "10", ""],
        ["01/02/2026", "gordura; fina", "100", "2,25"],
        ["", "escorrido", "2", "-0,5"],
    ]


def test_csv_in_english_has_commas_and_iso_dates() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(DATA, locale="en").decode("utf-8-sig"))))

    assert rows[1] == ["2026-02-03", "lixo", "9", "1234.5"]
    assert rows[3][1] == "gordura; fina"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_text_never_becomes_a_formula(start: str) -> None:
    sly = Table((Column(f"{start}A1", "text"), Column("n", "integer")), ((f"{start}cmd", -5),))

    assert to_csv(sly, locale="en").decode("utf-8-sig") == f"'{start}A1,n\r\n'{start}cmd,-5\r\n"
    assert to_tsv(sly).startswith("'")


# What is not seen before a sign, which a program that reads the file may drop.
UNSEEN = [
    "",
    " ",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\x00",
    "\x0b",
    "\x1b",
    "\x7f",
    "\xa0",
    "\u200b",
    "\ufeff",
]
UNSEEN += [f"{one} {other}" for one in UNSEEN for other in UNSEEN if one or other]
SIGNS = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"]


@pytest.mark.parametrize("locale", ["pt", "en"])
def test_whatever_stands_unseen_before_a_sign_it_begins_no_formula(locale: Language) -> None:
    texts = [f"{unseen}{sign}A1" for unseen in UNSEEN for sign in SIGNS] + ["\tword", "\rword"]
    columns = (Column("a", "text"), Column("b", "integer"))

    content = to_csv(Table(columns, tuple((text, 1) for text in texts)), locale=locale)

    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    rows = list(csv.reader(lines, delimiter=";" if locale == "pt" else ","))[1:]
    assert {row[0][0] for row in rows} == {"'"}
    assert [row[0].replace("'", "") for row in rows] == texts
    pasted = to_tsv(Table(columns, tuple((text, 1) for text in texts))).split("\n")[1:]
    assert {line[0] for line in pasted} == {"'"}


@pytest.mark.parametrize("sign", ["=A1", "@A1", " =A1", "\x00=A1", "-A(1)", "+cmd|' /C x'!A0"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "\n", "\r\n"])
def test_a_part_of_a_text_is_no_formula_either_for_who_reads_with_another_separator(
    separator: str, sign: str
) -> None:
    text = f"x{separator}{sign}{separator}y"

    (line,) = to_csv(one(text), locale="en").decode("utf-8-sig").split("\r\n", 1)[1:]

    bare = sign.lstrip(" \x00")
    before = sign.removesuffix(bare)
    assert f"x{separator}{before}'{bare}{separator}y" in line


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ['"', ' "', '" '])
def test_a_quotation_mark_hides_no_formula(separator: str, quote: str) -> None:
    content = to_csv(one(f"a{separator}{quote}=1+1{separator}b"), locale="en").decode("utf-8-sig")

    cells = [cell for row in csv.reader(io.StringIO(content), delimiter=separator) for cell in row]
    assert not any(cell.strip(' "').startswith("=") for cell in cells)


@pytest.mark.parametrize("text", ["41.15,-8.61", "a; b", "R-12", "x = 3", "2026-02-03, 2026-02-04"])
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    (row,) = list(csv.reader(io.StringIO(to_csv(one(text), locale="en").decode("utf-8-sig"))))[1:]

    assert row == [text]


def test_a_lone_dash_stays_as_it_is() -> None:
    assert to_csv(one("-"), locale="en").decode("utf-8-sig") == "a\r\n-\r\n"


def test_line_breaks_and_quotes_survive() -> None:
    hard = Table(
        (Column("a", "text"), Column("b", "datetime")),
        (('say "no"\nor\tyes', datetime(2026, 2, 3, 14, 5)),),
    )

    content = io.StringIO(to_csv(hard, locale="pt").decode("utf-8-sig"), newline="")
    rows = list(csv.reader(content, delimiter=";"))

    assert rows[1] == ['say "no"\nor\tyes', "03/02/2026 14:05:00"]
    assert to_tsv(hard).splitlines()[1].startswith('say "no" or yes\t')


@pytest.mark.parametrize(
    ("cell", "pt", "en"),
    [
        (date(2026, 2, 3), "03/02/2026", "2026-02-03"),
        (date(32, 2, 3), "03/02/0032", "0032-02-03"),
        (
            datetime(2026, 2, 3, 14, 5, 6, 250000),
            "03/02/2026 14:05:06,25",
            "2026-02-03 14:05:06.25",
        ),
        (time(6, 30), "06:30:00", "06:30:00"),
        (1e-10, "1e-10", "1e-10"),
        (0.1 + 0.2, "0,30000000000000004", "0.30000000000000004"),
        (float("nan"), "", ""),
        (float("inf"), "", ""),
        (float("-inf"), "", ""),
        (2**60, "1152921504606846976", "1152921504606846976"),
        (True, "sim", "yes"),
    ],
)
def test_cells_keep_all_that_they_are(cell: Cell, pt: str, en: str) -> None:
    def written(locale: object) -> str:
        content = to_csv(one(cell), locale="pt" if locale == "pt" else "en")
        (row,) = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=";"))[1:]
        return row[0]

    assert (written("pt"), written("en")) == (pt, en)


def test_on_the_clipboard_text_is_marked_as_text_and_numbers_carry_their_value() -> None:
    page = to_html(
        Table(
            tuple(Column(name, "text") for name in "abcde"),
            (("00123", 1.5, date(2026, 2, 3), 1234567890123456, "=1+1"),),
        )
    )

    text = r"""<td style="mso-number-format:'\@'">"""
    assert f"{text}00123</td>" in page
    assert 'x:num="1.5"' in page
    assert 'x:num="46056"' in page
    assert f"{text}1234567890123456</td>" in page
    assert f"{text}=1+1</td>" in page


def test_on_the_clipboard_markup_is_only_text() -> None:
    page = to_html(one("<b>\nR&D</b>"))

    assert "&lt;b&gt;<br" in page
    assert "R&amp;D&lt;/b&gt;" in page
