"""Many rows to the clipboard without holding the window: they are written a few at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.writing.clipboard import to_html, to_tsv
from qhub_desktop.ui.table_window.busy_line import BusyLine
from qhub_desktop.ui.table_window.grid import Grid
from qhub_desktop.ui.table_window.row_cache import Fetch
from qhub_desktop.ui.table_window.selection import Band
from qhub_desktop.ui.tasks import OnError, Tasks

MOST_COPIED = 100_000  # rows: what a clipboard and Excel take in a few seconds
READ_ROWS = 2_000
SLICE_CELLS = 800  # written within 10 ms
BODY, END = "<tbody>", "</tbody>"


class Copier:
    """Copies from a grid with these columns, one thing at a time. `fetch` reads what it shows."""

    def __init__(
        self,
        grid: Grid,
        columns: Sequence[ColumnProfile],
        busy: BusyLine,
        *,
        fetch: Callable[[], Fetch],
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        self._grid = grid
        self._columns = columns
        self._busy = busy
        self._fetch = fetch
        self._tasks = tasks
        self._on_error = on_error
        self._copying: asyncio.Task[None] | None = None

    def begin(self, chosen: Sequence[Band]) -> None:
        """Copy these cells, and nothing else any more."""
        self.stop()
        if chosen:
            self._copying = self._tasks.start(
                self._copy(self._fetch(), chosen), on_error=self._on_error
            )

    def stop(self) -> bool:
        """Whether there was anything to stop."""
        if self._copying is None or self._copying.done():
            return False
        return self._copying.cancel()

    async def _copy(self, fetch: Fetch, chosen: Sequence[Band]) -> None:
        places = frozenset().union(*(each.columns for each in chosen))
        seen = (at for at in places if not self._grid.isColumnHidden(at) or len(places) == 1)
        columns = [
            (at, Column(self._columns[at].name, self._columns[at].type))
            for at in sorted(seen, key=self._grid.header.visualIndex)
        ]
        self._busy.begin(_("Copying…"))
        try:
            copied = await _copy_bands(fetch, chosen, columns, most=MOST_COPIED)
        finally:
            self._busy.end()
        self._busy.say(_said_copied(copied, sum(each.count for each in chosen)))


def _said_copied(copied: int, wanted: int) -> str:
    """What is said after copying."""
    if copied < wanted:
        return _(
            "The first {copied} of {wanted} rows were copied, as many as a clipboard takes."
            " Export writes all of them."
        ).format(copied=number(copied, digits=0), wanted=number(wanted, digits=0))
    return ngettext("{count} row copied", "{count} rows copied", copied).format(
        count=number(copied, digits=0)
    )


async def _copy_bands(
    fetch: Fetch,
    chosen: Sequence[Band],
    columns: Sequence[tuple[int, Column]],
    *,
    most: int,
) -> int:
    """Put rows on the clipboard with their columns' names, as text and as Excel likes them.

    `columns` are those wanted with their places, in this order; cells of theirs that are not
    selected are left empty. Gives how many rows were copied, at most `most`.
    """
    names = tuple(column for _at, column in columns)
    lines = [to_tsv(Table(names, ()))]
    before, _body, after = to_html(Table(names, ())).partition(BODY + END)
    # Qt's own bytes, for it takes them as they are: 45 MB would be copied in a tenth of a second.
    markup = QByteArray(f"{before}{BODY}".encode())
    copied = 0
    async for rows in _slices(fetch, chosen, [at for at, _column in columns], most=most):
        part = Table(names, rows)
        lines.append(to_tsv(part).partition("\n")[2])
        html = to_html(part)
        markup.append(html[html.index(BODY) + len(BODY) : html.rindex(END)].encode())
        copied += len(rows)
        await asyncio.sleep(0)
    markup.append(f"{END}{after}".encode())
    data = QMimeData()
    data.setText("\n".join(lines))
    await asyncio.sleep(0)
    data.setData("text/html", markup)
    QGuiApplication.clipboard().setMimeData(data)
    return copied


async def _slices(
    fetch: Fetch, chosen: Sequence[Band], wanted: Sequence[int], *, most: int
) -> AsyncIterator[tuple[tuple[Cell, ...], ...]]:
    """The rows, few at a time. None is kept: the collector would go through them all."""
    step = max(1, SLICE_CELLS // max(1, len(wanted)))
    left = most
    for band in chosen:
        places = [at if at in band.columns else None for at in wanted]
        end = band.start + min(band.count, left)
        left -= end - band.start
        for start in range(band.start, end, READ_ROWS):
            page = await fetch(start, min(READ_ROWS, end - start))
            found = page.table.rows
            for first in range(0, len(found), step):
                yield tuple(
                    tuple(None if at is None else row[at] for at in places)
                    for row in found[first : first + step]
                )
