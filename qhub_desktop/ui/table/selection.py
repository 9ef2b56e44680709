"""The selection in the grid: summed up, and copied."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QByteArray, QItemSelection, QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QTableView

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.export.text_tables import HTML_TAIL, html_head, tsv_head
from qhub_desktop.data.query.service import CellRange, ClipboardRows, Summary
from qhub_desktop.ui.controls.progress import BusyLine
from qhub_desktop.ui.table.grid import Grid
from qhub_desktop.ui.tasks import OnError, Tasks


def areas(chosen: QItemSelection, names: Sequence[str]) -> tuple[CellRange, ...]:
    """The rectangles of a selection; hidden columns are in it as far as they were selected."""
    return tuple(
        CellRange(
            each.top(),
            each.bottom() - each.top() + 1,
            tuple(names[at] for at in range(each.left(), each.right() + 1)),
        )
        for each in (chosen.at(at) for at in range(chosen.count()))
    )


def cells_of(parts: Sequence[CellRange]) -> int:
    """How many cells these are."""
    return sum(each.count * len(each.columns) for each in parts)


@dataclass(frozen=True, slots=True)
class Band:
    """Neighbouring rows of which the same columns are selected, by their positions."""

    start: int
    count: int
    columns: frozenset[int]


def bands(chosen: QItemSelection) -> tuple[Band, ...]:
    """A selection from top to bottom, each row once."""
    pieces = [chosen.at(at) for at in range(chosen.count())]
    edges = sorted({edge for each in pieces for edge in (each.top(), each.bottom() + 1)})
    found = []
    for start, end in pairwise(edges):
        columns = frozenset(
            column
            for each in pieces
            if each.top() <= start and end <= each.bottom() + 1
            for column in range(each.left(), each.right() + 1)
        )
        if columns:
            found.append(Band(start, end - start, columns))
    return tuple(found)


PAUSE_S = 0.1  # of selecting, before anything is summed up
MOST_AREAS = 50  # a selection of more pieces is not summed up

Ask = Callable[[Sequence[CellRange]], Awaitable[Summary]]


class Sums(QLabel):
    """Follows the selection of a grid, over whatever many rows."""

    def __init__(
        self,
        grid: QTableView,
        names: Sequence[str],
        *,
        ask: Ask,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        super().__init__()
        self._grid = grid
        self._names = names
        self._ask = ask
        self._tasks = tasks
        self._on_error = on_error
        self._selected = 0  # counts selections, so that only the last is summed up
        self.setProperty("role", "small")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.selectionModel().selectionChanged.connect(self.refresh)

    def refresh(self) -> None:
        """Sum up what is selected now."""
        self._selected += 1
        self._tasks.start(self._sum(self._selected), on_error=self._on_error)

    async def _sum(self, selected: int) -> None:
        await asyncio.sleep(PAUSE_S)
        if selected != self._selected:
            return
        chosen = self._grid.selectionModel().selection()
        parts = areas(chosen, self._names) if chosen.count() <= MOST_AREAS else ()
        if cells_of(parts) < 2:
            self.clear()
            return
        found = await self._ask(parts)
        if selected == self._selected:
            self.setText(_told(found))


def _told(found: Summary) -> str:
    parts = [_("Count {count}").format(count=number(found.filled, digits=0))]
    if found.mean is not None and found.least is not None and found.most is not None:
        parts += [
            _("Sum {value}").format(value=number(found.total)),
            _("Mean {value}").format(value=number(found.mean)),
            _("Min {value}").format(value=number(found.least)),
            _("Max {value}").format(value=number(found.most)),
        ]
    return "   ".join(parts)


MOST_COPIED = 100_000  # rows: what a clipboard and Excel take in a few seconds
READ_ROWS = 5_000

Write = Callable[[int, int, Sequence[str | None]], Awaitable[Sequence[ClipboardRows]]]


class Copier:
    """Copies from a grid with these columns, one thing at a time. `write` writes its rows out."""

    def __init__(
        self,
        grid: Grid,
        columns: Sequence[ColumnProfile],
        busy: BusyLine,
        *,
        write: Callable[[], Write],
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        self._grid = grid
        self._columns = columns
        self._busy = busy
        self._write = write
        self._tasks = tasks
        self._on_error = on_error
        self._copying: asyncio.Task[None] | None = None

    def begin(self, chosen: Sequence[Band]) -> None:
        """Copy these cells, and nothing else any more."""
        self.stop()
        if chosen:
            self._copying = self._tasks.start(
                self._copy(self._write(), chosen), on_error=self._on_error
            )

    def stop(self) -> bool:
        """Whether there was anything to stop."""
        if self._copying is None or self._copying.done():
            return False
        return self._copying.cancel()

    async def _copy(self, write: Write, chosen: Sequence[Band]) -> None:
        places = frozenset().union(*(each.columns for each in chosen))
        seen = (at for at in places if not self._grid.isColumnHidden(at) or len(places) == 1)
        columns = [
            (at, self._columns[at].name) for at in sorted(seen, key=self._grid.header.visualIndex)
        ]
        self._busy.begin(_("Copying…"))
        try:
            copied = await _copy_bands(write, chosen, columns, most=MOST_COPIED)
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
    write: Write, chosen: Sequence[Band], columns: Sequence[tuple[int, str]], *, most: int
) -> int:
    """Put rows on the clipboard with their columns' names, as text and as Excel likes them.

    `columns` are those wanted with their places, in this order; cells of theirs that are not
    selected are left empty. Gives how many rows were copied, at most `most`.
    """
    names = [name for _at, name in columns]
    lines = [tsv_head(names)]
    # Qt's own bytes, for it takes them as they are: 45 MB would be copied in a tenth of a second.
    markup = QByteArray(html_head(names).encode())
    left = most
    for band in chosen:
        end = band.start + min(band.count, left)
        seen = [name if at in band.columns else None for at, name in columns]
        for start in range(band.start, end, READ_ROWS):
            for part in await write(start, min(READ_ROWS, end - start), seen):
                lines.append(part.lines)
                markup.append(part.markup.encode())
                left -= part.count
                await asyncio.sleep(0)
    markup.append(HTML_TAIL.encode())
    data = QMimeData()
    data.setText("\n".join(lines))
    await asyncio.sleep(0)
    data.setData("text/html", markup)
    QGuiApplication.clipboard().setMimeData(data)
    return most - left
