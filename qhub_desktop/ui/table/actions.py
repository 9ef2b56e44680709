"""Actions on the grid: menus of columns and cells, filter chips, hidden columns, sums, copying."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QByteArray, QItemSelection, QMimeData, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QTableView, QWidget

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.text_tables import HTML_TAIL, html_head, tsv_head
from qhub_desktop.data.query.service import CellRange, CellSummary, ClipboardRows
from qhub_desktop.data.query.view_spec import Direction, Filter
from qhub_desktop.ui.controls.buttons import TextButton, icon
from qhub_desktop.ui.controls.column_summary import ColumnView
from qhub_desktop.ui.controls.layouts import FlowLayout, PlainLabel, column_of, make_label
from qhub_desktop.ui.controls.plain_text import add_action, captioned, set_caption, set_tooltip
from qhub_desktop.ui.controls.popup import PopupFrame, make_menu
from qhub_desktop.ui.controls.progress import BusyBar
from qhub_desktop.ui.controls.saving import put_on_clipboard
from qhub_desktop.ui.table.filters import describe_filter, value_text
from qhub_desktop.ui.table.grid import TableGrid
from qhub_desktop.ui.tasks import OnError, Tasks
from qhub_desktop.ui.theme import GRID_PX, theme

MAX_VALUE_CHARACTERS = 32  # characters of a value in a menu
STATISTICS_PX = 320
GAP_PX = 6
CHIP_ICON_PX = 14


@dataclass(frozen=True, slots=True)
class ColumnActions:
    """Callbacks of the entries of a column's menu."""

    sort: Callable[[Direction | None], object]
    filter: Callable[[], object]
    unfilter: Callable[[], object]
    statistics: Callable[[], object]
    copy: Callable[[], object]
    select: Callable[[], object]
    hide: Callable[[], object]


def column_menu(
    actions: ColumnActions,
    *,
    sorted_by: Direction | None,
    is_filtered: bool,
    is_last: bool,
    parent: QWidget,
) -> QMenu:
    """Return the menu of a column; it is deleted when closed."""
    menu = make_menu(parent)

    def add(words: str, name: str, does: Callable[[], object]) -> QAction:
        return add_action(
            menu, words, lambda _on: does(), picture=icon(name, theme().palette.quiet, size_px=16)
        )

    add(_("Sort upwards"), "sort-up", lambda: actions.sort("up")).setEnabled(sorted_by != "up")
    add(_("Sort downwards"), "sort-down", lambda: actions.sort("down")).setEnabled(
        sorted_by != "down"
    )
    if sorted_by:
        add(_("Do not sort by it"), "close", lambda: actions.sort(None))
    menu.addSeparator()
    add(_("Filter…"), "filter", actions.filter)
    if is_filtered:
        add(_("Clear its filter"), "close", actions.unfilter)
    menu.addSeparator()
    add(_("Statistics"), "chart", actions.statistics)
    menu.addSeparator()
    add(_("Select the column"), "columns", actions.select)
    add(_("Copy the column"), "copy", actions.copy)
    add(_("Hide the column"), "eye-off", actions.hide).setEnabled(not is_last)
    return menu


def cell_menu(
    value: Cell,
    *,
    copy: Callable[[], object],
    only: Callable[[], object],
    without: Callable[[], object],
    parent: QWidget,
) -> QMenu:
    """Return the menu of a cell; it is deleted when closed."""
    words = " ".join(value_text(value).split())
    named = words if len(words) <= MAX_VALUE_CHARACTERS else words[: MAX_VALUE_CHARACTERS - 1] + "…"
    menu = make_menu(parent)
    add_action(menu, _("Copy"), lambda _on: copy())
    menu.addSeparator()
    for says, does in (
        (_("Only rows with “{value}”"), only),
        (_("Rows without “{value}”"), without),
    ):
        add_action(menu, says.format(value=named), lambda _on, does=does: does())
    return menu


def export_menu(
    export: Callable[[str], object], *, shown: int, rows: int, parent: QWidget
) -> QMenu:
    """Return the export menu, which names the number of rows if the view is filtered."""
    to_excel, to_csv = _("Export to Excel…"), _("Export as CSV…")
    if shown != rows:
        counted = row_count_text(shown, rows)
        to_excel = _("Export {rows} to Excel…").format(rows=counted)
        to_csv = _("Export {rows} as CSV…").format(rows=counted)
    menu = make_menu(parent)
    add_action(menu, to_excel, lambda _on: export("xlsx"))
    add_action(menu, to_csv, lambda _on: export("csv"))
    return menu


def row_count_text(shown: int, rows: int) -> str:
    """Return the number of rows as text, with the number shown if it differs."""
    if shown == rows:
        words = ngettext("{rows} row", "{rows} rows", rows)
    else:
        words = ngettext("{shown} of {rows} row", "{shown} of {rows} rows", rows)
    return words.format(shown=number(shown, digits=0), rows=number(rows, digits=0))


def size_text(shown: int, rows: int, columns: int) -> str:
    """Return the number of shown rows and columns as text."""
    wide = ngettext("{count} column", "{count} columns", columns)
    return " · ".join((row_count_text(shown, rows), wide.format(count=number(columns, digits=0))))


class ColumnStatistics(PopupFrame):
    """Popup with the statistics of a column, over all rows of the data set, filtered or not."""

    def __init__(self, column: ColumnProfile, *, rows: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = ColumnView(column, rows=rows)
        self.view.setFixedWidth(STATISTICS_PX)
        self.view.setChecked(True)
        # A click closes it in the data panel; here it stays open.
        self.view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        words = ngettext(
            "Of {count} row, filtered or not", "Of all {count} rows, filtered or not", rows
        )
        self.scope = make_label(words.format(count=number(rows, digits=0)), role="small")
        self.scope.setIndent(GRID_PX)
        self.setAccessibleName(_("Statistics of {column}").format(column=column.name))
        self.setAccessibleDescription(self.view.accessibleDescription())
        column_of(self.view, self.scope, owner=self, margins=12, spacing=None)


class FilterChips(QWidget):
    """The filters in force, a chip each, wrapped over several lines.

    Signals:
        removed: position of the filter to remove.
        cleared: remove all filters.
    """

    removed = Signal(int)
    cleared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._filters: tuple[Filter, ...] = ()
        self._chips: list[QPushButton] = []
        self._flow = FlowLayout(spacing_px=GAP_PX)
        self.setLayout(self._flow)
        self.setContentsMargins(0, 0, 0, GRID_PX)
        self.hide()
        theme().on_change(self._restyle)

    def show_filters(self, filters: tuple[Filter, ...]) -> None:
        """Show a chip for each filter; hide without any."""
        self._filters = filters
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(at, each) for at, each in enumerate(filters)]
        if filters:
            clear = captioned(QPushButton(), _("Clear all"))
            clear.setProperty("kind", "pill")
            clear.clicked.connect(self.cleared)
            self._chips.append(clear)
        for chip in self._chips:
            self._flow.addWidget(chip)
        self.setVisible(bool(filters))

    def _restyle(self) -> None:
        self.show_filters(self._filters)

    def _chip(self, at: int, wanted: Filter) -> QPushButton:
        words = describe_filter(wanted)
        chip = captioned(QPushButton(), f"{words}\N{NO-BREAK SPACE}")  # a gap before the cross
        chip.setProperty("kind", "pill")
        # Puts the icon, a cross, at the end
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        chip.setIcon(icon("close", theme().palette.quiet, size_px=CHIP_ICON_PX))
        chip.setIconSize(QSize(CHIP_ICON_PX, CHIP_ICON_PX))
        chip.setAccessibleName(_("Take away the filter {words}").format(words=words))
        set_tooltip(chip, _("Take this filter away"))
        chip.clicked.connect(lambda: self.removed.emit(at))
        return chip


class HiddenColumns(TextButton):
    """Button that counts hidden columns and brings them back; hidden without any."""

    def __init__(self, grid: QTableView) -> None:
        super().__init__("", icon_name="eye-off", kind="flat")
        self._grid = grid
        self.clicked.connect(self._on_clicked)
        self.hide()

    def hide_column(self, column: int) -> None:
        """Hide a column of the grid."""
        self._grid.hideColumn(column)
        self._update_text()

    def _on_clicked(self) -> None:
        model = self._grid.model()
        hidden = [at for at in range(model.columnCount()) if self._grid.isColumnHidden(at)]
        menu = make_menu(self)
        add_action(menu, _("Show all columns"), lambda: self._show_columns(*hidden))
        menu.addSeparator()
        for at in hidden:
            words = str(model.headerData(at, Qt.Orientation.Horizontal))
            add_action(menu, words, lambda _on=False, at=at: self._show_columns(at))
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _show_columns(self, *columns: int) -> None:
        for each in columns:
            self._grid.showColumn(each)
        self._update_text()

    def _update_text(self) -> None:
        count = self._grid.horizontalHeader().hiddenSectionCount()
        words = ngettext("{count} hidden column", "{count} hidden columns", count)
        said = words.format(count=number(count, digits=0))
        set_caption(self, f"\N{NO-BREAK SPACE}{said}")
        self.setAccessibleName(said)
        self.setVisible(bool(count))


SUMMARY_DEBOUNCE_S = 0.1  # without a change of the selection, before it is summed up
MAX_RANGES = 50  # selections of more rectangles are not summed up

Summarize = Callable[[Sequence[CellRange]], Awaitable[CellSummary]]


class SelectionSummary(PlainLabel):
    """Label with count, sum, mean, minimum and maximum of the selected cells."""

    def __init__(
        self,
        grid: QTableView,
        names: Sequence[str],
        *,
        summarize: Summarize,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        super().__init__()
        self._grid = grid
        self._names = names
        self._summarize = summarize
        self._tasks = tasks
        self._on_error = on_error
        self._request = 0  # number of the latest selection: results of older ones are dropped
        self.setProperty("role", "small")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.selectionModel().selectionChanged.connect(self.refresh)

    def refresh(self) -> None:
        """Sum up the current selection."""
        self._request += 1
        self._tasks.start(self._update(self._request), on_error=self._on_error)

    async def _update(self, selected: int) -> None:
        await asyncio.sleep(SUMMARY_DEBOUNCE_S)
        if selected != self._request:
            return
        chosen = self._grid.selectionModel().selection()
        parts = cell_ranges(chosen, self._names) if chosen.count() <= MAX_RANGES else ()
        if cell_count(parts) < 2:
            self.clear()
            return
        found = await self._summarize(parts)
        if selected == self._request:
            self.setText(_summary_text(found))


def cell_ranges(chosen: QItemSelection, names: Sequence[str]) -> tuple[CellRange, ...]:
    """Return the rectangles of a selection, selected hidden columns included."""
    return tuple(
        CellRange(
            each.top(),
            each.bottom() - each.top() + 1,
            tuple(names[at] for at in range(each.left(), each.right() + 1)),
        )
        for each in (chosen.at(at) for at in range(chosen.count()))
    )


def cell_count(parts: Sequence[CellRange]) -> int:
    """Return the number of cells in these areas."""
    return sum(each.count * len(each.columns) for each in parts)


def _summary_text(found: CellSummary) -> str:
    parts = [_("Count {count}").format(count=number(found.filled, digits=0))]
    if found.mean is not None and found.least is not None and found.most is not None:
        parts += [
            _("Sum {value}").format(value=number(found.total)),
            _("Mean {value}").format(value=number(found.mean)),
            _("Min {value}").format(value=number(found.least)),
            _("Max {value}").format(value=number(found.most)),
        ]
    return "   ".join(parts)


MAX_COPIED_ROWS = 100_000  # rows: what a clipboard and Excel take in a few seconds
ROWS_PER_READ = 5_000

WriteRows = Callable[[int, int, Sequence[str | None]], Awaitable[Sequence[ClipboardRows]]]


@dataclass(frozen=True, slots=True)
class RowBand:
    """Adjacent rows with the same selected columns, by their positions."""

    start: int
    count: int
    columns: frozenset[int]


def row_bands(chosen: QItemSelection) -> tuple[RowBand, ...]:
    """Split a selection into bands from top to bottom, each row once."""
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
            found.append(RowBand(start, end - start, columns))
    return tuple(found)


class Copier:
    """Copies cells of a grid to the clipboard; a new copy cancels the one before."""

    def __init__(
        self,
        grid: TableGrid,
        columns: Sequence[ColumnProfile],
        busy: BusyBar,
        *,
        write: Callable[[], WriteRows],
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

    def begin(self, chosen: Sequence[RowBand]) -> None:
        """Copy these cells and cancel any copy under way."""
        self.stop()
        if chosen:
            self._copying = self._tasks.start(
                self._copy(self._write(), chosen), on_error=self._on_error
            )

    def stop(self) -> bool:
        """Cancel the copy under way; return False if there was none."""
        if self._copying is None or self._copying.done():
            return False
        return self._copying.cancel()

    async def _copy(self, write: WriteRows, chosen: Sequence[RowBand]) -> None:
        places = frozenset().union(*(each.columns for each in chosen))
        seen = (at for at in places if not self._grid.isColumnHidden(at) or len(places) == 1)
        columns = [
            (at, self._columns[at].name) for at in sorted(seen, key=self._grid.header.visualIndex)
        ]
        self._busy.begin(_("Copying…"))
        try:
            copied = await _copy_bands(write, chosen, columns, most=MAX_COPIED_ROWS)
        finally:
            self._busy.end()
        self._busy.show_message(_copied_text(copied, sum(each.count for each in chosen)))


def _copied_text(copied: int, wanted: int) -> str:
    """Return the message after copying; it warns if not all rows were copied."""
    if copied < wanted:
        return _(
            "The first {copied} of {wanted} rows were copied, as many as a clipboard takes."
            " Export writes all of them."
        ).format(copied=number(copied, digits=0), wanted=number(wanted, digits=0))
    return ngettext("{count} row copied", "{count} rows copied", copied).format(
        count=number(copied, digits=0)
    )


async def _copy_bands(
    write: WriteRows, chosen: Sequence[RowBand], columns: Sequence[tuple[int, str]], *, most: int
) -> int:
    """Put rows on the clipboard with the names of their columns, as tab-separated text and as HTML.

    `columns` are positions and names, in the order to write them; their cells that are not
    selected are left empty. Return how many rows were copied, at most `most`.
    """
    names = [name for _at, name in columns]
    lines = [tsv_head(names)]
    # A QByteArray is handed over without a copy; copying 45 MB of bytes takes a tenth of a second.
    markup = QByteArray(html_head(names).encode())
    left = most
    for band in chosen:
        end = band.start + min(band.count, left)
        seen = [name if at in band.columns else None for at, name in columns]
        for start in range(band.start, end, ROWS_PER_READ):
            for part in await write(start, min(ROWS_PER_READ, end - start), seen):
                lines.append(part.lines)
                markup.append(part.markup.encode())
                left -= part.count
                await asyncio.sleep(0)
    markup.append(HTML_TAIL.encode())
    data = QMimeData()
    data.setText("\n".join(lines))
    await asyncio.sleep(0)
    data.setData("text/html", markup)
    put_on_clipboard(data)
    return most - left
