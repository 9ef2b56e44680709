"""Tables of any cells, written in any way: nothing breaks, and no cell is lost without a word."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Literal

import openpyxl
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from qhub_desktop.core.errors import UserError
from tests.data.conftest import Read
from tests.data.lost_cells import lost
from tests.data.writers.handwritten_xlsx import exactly

quietly = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    # An example takes a fifth of a second: a smaller one is not worth the minutes it takes to find.
    phases=(Phase.generate,),
    # One folder serves every example: files are told apart by their content.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

LETTERS = "abcçãéABCÇ"
SIGNS = "-+*/=@#%&()[]{}<>!?:;,.'\"\\| \t\n_~^€$º"
# What a workbook's XML can hold as it is; a return comes back as a line feed.
EVERYTHING = st.characters(
    codec="utf-8", exclude_characters="\r\ufffe\uffff", exclude_categories=("Cc", "Cs")
) | st.sampled_from("\t\n")

# In others, no encoding of eight bits could be told.
real_words = st.sampled_from(
    ["peça", "manhã", "verniz", "código", "operação", "Lixo", "AÇÃO", "turno", "não"]
)
plain_words = st.text(LETTERS, min_size=1, max_size=12)
any_words = st.text(st.sampled_from(LETTERS + SIGNS + "0123456789") | EVERYTHING, max_size=12)
numbers = (
    st.integers(-(10**17), 10**17).map(str)
    | st.decimals(-(10**6), 10**6, places=3, allow_nan=False).map(
        lambda n: f"{n}".replace(".", ",")
    )
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.integers(0, 999).map(lambda n: f"{n:05}")
    | st.integers(0, 99_999).map(lambda n: f"{n / 100:.2f} €")
    | st.integers(0, 1_000).map(lambda n: f"{n / 10}%")
)
dates = (
    st.dates(date(1900, 3, 1), date(2100, 1, 1)).map(lambda day: f"{day:%d/%m/}{day.year:04}")
    | st.dates(date(1900, 3, 1), date(2100, 1, 1)).map(date.isoformat)
    | st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)).map(
        lambda each: each.isoformat(" ", "seconds")
    )
    | st.times().map(lambda each: each.isoformat("seconds"))
)
odd = st.sampled_from(
    (
        "",
        "",
        " ",
        "NA",
        "N/A",
        "-",
        "null",
        "#N/A",
        "sim",
        "não",
        "TRUE",
        "X",
        "12E4",
        "1-2",
        "+351",
        "Total",
        "=1+1",
        "1.234",
        "1,234",
        "0x1F",
        "inf",
        "nan",
        "'",
        '"',
        "1e999",
        "--",
        "#",
    )
)


@dataclass(frozen=True)
class Written:
    """A table and how it is written."""

    rows: tuple[tuple[str, ...], ...]
    delimiter: str
    newline: str
    encoding: str
    quoting: Literal[0, 1]  # as the csv module counts: where it is needed, or all

    @property
    def content(self) -> bytes:
        target = io.StringIO(newline="")
        csv.writer(
            target, delimiter=self.delimiter, lineterminator=self.newline, quoting=self.quoting
        ).writerows(self.rows)
        return target.getvalue().encode(self.encoding)


def tables(header: st.SearchStrategy[Any], *cells: st.SearchStrategy[Any]) -> Any:
    """Rows under a header, each column of one kind of cell, with a few of another among them."""

    @st.composite
    def made(draw: st.DrawFn) -> tuple[tuple[Any, ...], ...]:
        width = draw(st.integers(1, 5))
        height = draw(st.integers(0, 12))
        names = draw(st.lists(header, min_size=width, max_size=width))
        kinds = [draw(st.sampled_from(cells)) for _place in range(width)]
        seldom = [draw(st.sampled_from((0, 0, 0, 10, 40))) for _place in range(width)]
        rows = [
            tuple(
                draw(odd if draw(st.integers(0, 99)) < chance else kind)
                for kind, chance in zip(kinds, seldom, strict=True)
            )
            for _number in range(height)
        ]
        return (tuple(names), *rows)

    return made()


@st.composite
def written(draw: st.DrawFn) -> Written:
    """Any table in any way of writing it."""
    rows = draw(tables(any_words, plain_words, any_words, numbers, dates))
    return Written(
        rows,
        draw(st.sampled_from(";,\t|")),
        draw(st.sampled_from(("\n", "\r\n"))),
        draw(st.sampled_from(("utf-8", "utf-8-sig", "utf-16"))),
        draw(st.sampled_from((0, 1))),
    )


def as_reported(content: bytes, *, encoding: str, delimiter: str, is_quoted: bool) -> list[Any]:
    """The cells of the file by the encoding and the separator that the report names."""
    text = content.decode(encoding).removeprefix("\ufeff")
    return list(
        csv.reader(
            io.StringIO(text, newline=""),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        )
    )


@given(table=written())
@quietly
def test_no_cell_of_a_text_table_is_lost_without_a_word(
    read: Read, tmp_path: Path, table: Written
) -> None:
    file = tmp_path / "dados.csv"
    file.write_bytes(table.content)
    try:
        (imported,) = read(file)
    except UserError:
        assert not any(cell.strip() for row in table.rows[1:] for cell in row)
        return
    report = imported.profile.report
    assert report is not None
    assert report.encoding is not None
    grid = as_reported(
        table.content,
        encoding=report.encoding,
        delimiter=report.separator or ";",
        is_quoted=not any(each.kind == "quotes" for each in report.doubtful),
    )
    assert lost(grid, imported) == []


@given(
    rows=tables(real_words, real_words, numbers, dates),
    delimiter=st.sampled_from(";\t|"),
    encoding=st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "cp1252")),
)
@quietly
def test_the_way_a_common_table_is_written_is_found(
    read: Read, tmp_path: Path, rows: tuple[tuple[str, ...], ...], delimiter: str, encoding: str
) -> None:
    # Three rows of two cells are the least from which a separator can be told.
    grid = [row for row in rows if any(cell.strip() for cell in row)]
    if len(grid) < 4 or len(grid[0]) < 2 or len({len(row) for row in grid}) > 1:
        return
    table = Written(tuple(grid), delimiter, "\r\n", encoding, 0)
    file = tmp_path / "dados.csv"
    file.write_bytes(table.content)
    (imported,) = read(file)
    report = imported.profile.report
    assert report is not None
    assert report.separator == delimiter
    assert lost(grid, imported) == []


def without_edges(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """The rows from the first used one to the last, as a workbook keeps them."""
    used = [place for place, row in enumerate(rows) if any(cell is not None for cell in row)]
    return list(rows[used[0] : used[-1] + 1]) if used else []


def _or_none(words: str) -> str | None:
    return words or None


words_or_none: st.SearchStrategy[str | None] = any_words.map(_or_none)
cells_of_excel = (
    words_or_none,
    st.integers(-(10**15), 10**15),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.dates(date(1900, 3, 1), date(2100, 1, 1)),
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)).map(
        lambda each: each.replace(microsecond=0)
    ),
    st.times().map(lambda each: each.replace(microsecond=0)),
    st.none(),
)


@given(rows=tables(words_or_none, *cells_of_excel))
@quietly
def test_no_cell_of_a_workbook_is_lost_without_a_word(
    read: Read, tmp_path: Path, rows: tuple[tuple[Any, ...], ...]
) -> None:
    grid = without_edges([[None if cell == "" else cell for cell in row] for row in rows])
    file = tmp_path / "dados.xlsx"
    file.write_bytes(exactly(grid))
    try:
        (imported,) = read(file)
    except UserError:
        assert not any(str(cell or "").strip() for row in grid[1:] for cell in row)
        return
    assert lost(grid, imported) == []


def test_another_reader_finds_in_a_workbook_what_was_put_there() -> None:
    rows = (("a", "b"), ("x", 1), (None, 2.5), (time(8, 30), date(2026, 2, 1)))
    sheet = openpyxl.load_workbook(io.BytesIO(exactly(rows))).worksheets[0]
    found = [tuple(row) for row in sheet.iter_rows(values_only=True)]
    assert found[:3] == list(rows[:3])
    assert found[3] == (time(8, 30), datetime(2026, 2, 1))
