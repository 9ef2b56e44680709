"""Sheets of workbooks and tables (.xlsx, .csv) as text: control plans, lists, matrices."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.passages import Block, column_letters
from qhub_desktop.knowledge.readers.plain_text import read_text
from qhub_desktop.knowledge.readers.source import OTHER, DocumentContent, Source, refusal

MOST_ROWS = 20_000  # of all sheets; a longer table is a data set, not a document
MOST_COLUMNS = 200
LONGEST_CELL = 2_000


def read_workbook(source: Source, *, is_text: bool = False) -> DocumentContent:
    """Read the sheets of a workbook row by row. A place is the sheet and its range of cells."""
    if source.sheets is None:
        if is_text:
            return read_text(source)
        raise refusal(OTHER, source.name)
    blocks: list[Block] = []
    left = MOST_ROWS
    warnings: tuple[str, ...] = ()
    for sheet, rows in source.sheets(source.path):
        taken = [tuple(row[:MOST_COLUMNS]) for row in islice(rows, left + 1)]
        if len(taken) > left:
            warnings = (
                _(
                    "Only the first {count} rows were read. Longer tables are better data sets."
                ).format(count=MOST_ROWS),
            )
        left -= min(left, len(taken))
        blocks += _sheet(sanitize(sheet), taken[:MOST_ROWS])
        if not left:
            break
    return DocumentContent("Table" if is_text else "Excel", tuple(blocks), warnings=warnings)


def _sheet(sheet: str, rows: Sequence[tuple[str, ...]]) -> Iterator[Block]:
    """Yield the rows of a sheet; blank ones part its tables, of which each has its header."""
    cells = [[sanitize(" ".join(each.split()))[:LONGEST_CELL] for each in row] for row in rows]
    numbered = enumerate(cells, 1)
    for is_filled, group in groupby(numbered, key=lambda each: any(each[1])):
        if not is_filled:
            continue
        header = ""
        lines = list(group)
        for place, (number, row) in enumerate(lines):
            filled = [column for column, cell in enumerate(row) if cell]
            text = CELL.join(row[filled[0] : filled[-1] + 1])
            where = DocumentPlace(sheet=sheet, cells=_range(filled[0], filled[-1], number))
            following = sum(map(bool, lines[place + 1][1])) if place + 1 < len(lines) else 0
            # A row of fewer cells than the next one, with a number, is a title: 'PC-17 | rev. 2'.
            is_title = len(filled) < following and any(map(str.isdigit, text))
            is_table = len(filled) > 1 and following > 1 and not is_title
            if not header and is_table and _is_header(row):
                header = text
                continue
            yield Block(text, where, header=header, level=int(is_title and not header))


def _is_header(row: Sequence[str]) -> bool:
    worded = [cell for cell in row if any(map(str.isalpha, cell))]
    return len(worded) * 2 > sum(map(bool, row))


def _range(first: int, last: int, row: int) -> str:
    start = f"{column_letters(first)}{row}"
    return start if first == last else f"{start}:{column_letters(last)}{row}"
