"""Many rows to the clipboard without holding the window: they are written a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.paging import Page
from qhub_desktop.data.writing.clipboard import to_html, to_tsv
from qhub_desktop.ui.table_window.selection import Band

READ_ROWS = 2_000
SLICE_CELLS = 800  # written within 10 ms
BODY, END = "<tbody>", "</tbody>"

Fetch = Callable[[int, int], Awaitable[Page]]


def said_copied(copied: int, wanted: int) -> str:
    """What is said after copying."""
    if copied < wanted:
        return _(
            "The first {copied} of {wanted} rows were copied, as many as a clipboard takes."
            " Export writes all of them."
        ).format(copied=number(copied, digits=0), wanted=number(wanted, digits=0))
    return ngettext("{count} row copied", "{count} rows copied", copied).format(
        count=number(copied, digits=0)
    )


async def read_bands(
    fetch: Fetch, chosen: Sequence[Band], wanted: Sequence[int], *, most: int
) -> list[tuple[Cell, ...]]:
    """The selected rows, exact, at most so many; nothing where a cell of theirs is not selected."""
    rows: list[tuple[Cell, ...]] = []
    for band in chosen:
        places = [at if at in band.columns else None for at in wanted]
        end = band.start + min(band.count, most - len(rows))
        for start in range(band.start, end, READ_ROWS):
            page = await fetch(start, min(READ_ROWS, end - start))
            rows += [
                tuple(None if at is None else row[at] for at in places) for row in page.table.rows
            ]
    return rows


async def copy_rows(columns: tuple[Column, ...], rows: Sequence[tuple[Cell, ...]]) -> None:
    """Put rows on the clipboard with their columns' names, as text and as Excel likes them."""
    step = max(1, SLICE_CELLS // max(1, len(columns)))
    lines = [to_tsv(Table(columns, ()))]
    before, _body, after = to_html(Table(columns, ())).partition(BODY + END)
    cells: list[bytes] = []
    for start in range(0, len(rows), step):
        part = Table(columns, tuple(rows[start : start + step]))
        lines.append(to_tsv(part).partition("\n")[2])
        html = to_html(part)
        cells.append(html[html.index(BODY) + len(BODY) : html.rindex(END)].encode())
        await asyncio.sleep(0)
    data = QMimeData()
    data.setText("\n".join(lines))
    # As bytes: to make one long text of Qt's of them would take a tenth of a second.
    data.setData(
        "text/html", b"".join([f"{before}{BODY}".encode(), *cells, f"{END}{after}".encode()])
    )
    QGuiApplication.clipboard().setMimeData(data)
