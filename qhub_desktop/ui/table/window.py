"""The table window: every row of a data set, to sort, filter, search and copy."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.query.view_spec import Direction, Filter, NoneOf, OneOf, RowView
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.plain_text import set_title, set_tooltip
from qhub_desktop.ui.controls.popup import Command, OwnWindow, add_shortcuts, fit_screen
from qhub_desktop.ui.controls.progress import BusyBar
from qhub_desktop.ui.table.actions import (
    ColumnActions,
    ColumnStatistics,
    Copier,
    FilterChips,
    HiddenColumns,
    RowBand,
    SelectionSummary,
    WriteRows,
    cell_menu,
    column_menu,
    export_menu,
    row_bands,
    size_text,
)
from qhub_desktop.ui.table.filters import FilterPopup
from qhub_desktop.ui.table.find import FindLine, TableSearch
from qhub_desktop.ui.table.grid import TableGrid
from qhub_desktop.ui.table.rows import Fetch, RowCache, RowsModel
from qhub_desktop.ui.tasks import OnError, Tasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.data.query.service import CellMatch, CellRange, CellSummary, Step
    from qhub_desktop.data.workspace import Workspace

BAR_SIDE_PX = 12


Output = TypeVar("Output")


class WindowTasks(Tasks):
    """Tasks of the program that are cancelled together when the window closes."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__(lambda _error: None)
        self._tasks = tasks
        self._started: set[asyncio.Task[Any]] = set()

    @override
    def start(
        self, coroutine: Coroutine[Any, Any, Output], *, on_error: OnError | None = None
    ) -> asyncio.Task[Output]:
        task = self._tasks.start(coroutine, on_error=on_error)
        self._started.add(task)
        task.add_done_callback(self._started.discard)
        return task

    def cancel_started(self) -> None:
        """Cancel all tasks without waiting for them."""
        for task in list(self._started):
            task.cancel()


SIZE_PX = (1180, 720)


class TableWindow(OwnWindow):
    """Window of one data set; it is deleted when closed.

    Signals:
        export_requested: profile, view and "xlsx" or "csv": write these rows to a file.
    """

    export_requested = Signal(object, str, object)

    def __init__(
        self, profile: DatasetProfile, *, workspace: Workspace, tasks: Tasks, parent: QWidget | None
    ) -> None:
        super().__init__(parent, [("Ctrl+F", _("Find in all rows")), ("Ctrl+C", _("Copy"))])
        self._profile = profile
        self._workspace = workspace
        self._tasks = WindowTasks(tasks)
        self._shown: RowView | None = None  # None until the first page is fetched
        self._requested = RowView()
        self.view_task: asyncio.Task[None] | None = None  # while a change of the view is under way

        self._cache = RowCache(
            profile.preview,
            total=profile.rows,
            columns=len(profile.columns),
            tasks=self._tasks,
        )
        self.model = RowsModel(profile, self._cache)
        self.grid = TableGrid(self.model)
        self.find_line = FindLine(self._tasks)
        self.chips = FilterChips()
        self.busy_bar = BusyBar(self._tasks)
        self.banner = Banner()
        self.row_count_label = make_label()
        self.selection_summary = SelectionSummary(
            self.grid,
            [each.name for each in profile.columns],
            summarize=self._summarize,
            tasks=self._tasks,
            on_error=self._on_error,
        )
        self._hidden = HiddenColumns(self.grid)
        self._copy_button = TextButton(_("Copy"), icon_name="copy", kind="flat")
        self.export_button = TextButton(_("Export"), icon_name="save", kind="flat")
        self._finder = TableSearch(
            self.find_line,
            self.grid,
            self.busy_bar,
            find_next=self._find_next,
            tasks=self._tasks,
            on_error=self._on_error,
        )
        self._copier = Copier(
            self.grid,
            profile.columns,
            self.busy_bar,
            write=lambda: self._write(self._shown or RowView()),
            tasks=self._tasks,
            on_error=self._on_error,
        )
        self._build()
        self._connect()
        self._update_row_count()
        self._request_view(RowView())

    @property
    def view(self) -> RowView:
        """The requested view, applied or about to be."""
        return self._requested

    @property
    def is_up_to_date(self) -> bool:
        """Whether the grid shows the requested view."""
        return self._shown == self._requested

    def sort(self, column: int, direction: Direction | None, *, is_more: bool = False) -> None:
        """Sort by a column, or stop (None); with `is_more`, as a further key."""
        name = self._column_name(column)
        keys = dict(self._requested.sort) if is_more or direction is None else {}
        if direction is None:
            keys.pop(name, None)
        else:
            keys[name] = direction
        self._request_view(replace(self._requested, sort=tuple(keys.items())))

    def filter(self, column: int, wanted: Filter | None) -> None:
        """Set or remove (None) the filter of a column."""
        others = self._requested.without(self._column_name(column))
        more = () if wanted is None else (wanted,)
        self._request_view(replace(others, filters=(*others.filters, *more)))

    def open_filter(self, column: int) -> FilterPopup:
        """Open the filter popup of a column."""
        popup = FilterPopup(
            self._profile.columns[column],
            self._profile.id,
            self._requested,
            workspace=self._workspace,
            tasks=self._tasks,
            parent=self,
        )
        popup.chosen.connect(lambda wanted: self.filter(column, wanted))
        popup.open_at(self.grid.header.menu_position(column))
        return popup

    def open_statistics(self, column: int) -> ColumnStatistics:
        """Open the statistics of a column."""
        popup = ColumnStatistics(
            self._profile.columns[column], rows=self._profile.rows, parent=self
        )
        popup.open_at(self.grid.header.menu_position(column))
        return popup

    def hide_column(self, column: int) -> None:
        """Hide a column; it is not copied either."""
        self._hidden.hide_column(column)

    def copy(self) -> None:
        """Copy the selection, or all rows without one."""
        chosen = row_bands(self.grid.selectionModel().selection())
        if not chosen and self._cache.total:
            chosen = (RowBand(0, self._cache.total, frozenset(range(self.model.columnCount()))),)
        self._copier.begin(chosen)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif not self.is_up_to_date and self.view_task is not None:
            self.view_task.cancel()
        elif not self._copier.stop():
            self.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        self._tasks.cancel_started()
        super().closeEvent(event)

    def _build(self) -> None:
        sheet = f" · {self._profile.sheet}" if self._profile.sheet else ""
        set_title(self, f"{self._profile.file}{sheet} · {self._row_count_text()}")
        set_tooltip(
            self._copy_button,
            _("Copy what is selected, with the columns' names ({key})").format(key="Ctrl+C"),
        )
        self.row_count_label.setProperty("role", "small")
        bar = row_of(margins=(BAR_SIDE_PX, GRID_PX), spacing=4)
        add_to(bar, self.find_line, STRETCH, self._hidden, self._copy_button, self.export_button)
        filters = row_of(self.chips, margins=(BAR_SIDE_PX, 0), spacing=None)
        foot = row_of(margins=(BAR_SIDE_PX, 6), spacing=2 * GRID_PX)
        add_to(foot, self.row_count_label, (self.busy_bar.label, 1), self.selection_summary)
        column_of(
            self.banner, bar, filters, self.busy_bar, (self.grid, 1), foot, owner=self, spacing=0
        )
        fit_screen(self, QSize(*SIZE_PX))
        self.grid.setFocus()

    def _connect(self) -> None:
        self.destroyed.connect(self._tasks.cancel_started)
        self.grid.visible_rows_changed.connect(self._cache.request_rows)
        self.grid.customContextMenuRequested.connect(self._on_cell_menu)
        header = self.grid.header
        header.sort_requested.connect(self._on_sort_requested)
        header.column_requested.connect(self.grid.select_column)
        header.menu_requested.connect(self._open_column_menu)
        self.find_line.changed.connect(self._on_search_changed)
        self.find_line.filter_toggled.connect(lambda _on: self._apply_search_filter())
        self.find_line.escaped.connect(lambda: self.grid.setFocus(Qt.FocusReason.OtherFocusReason))
        self.chips.removed.connect(self._on_chip_removed)
        self.chips.cleared.connect(lambda: self._request_view(replace(self._requested, filters=())))
        self._copy_button.clicked.connect(self.copy)
        self.export_button.clicked.connect(self._open_exports)
        self._add_shortcuts()

    def _add_shortcuts(self) -> None:
        grid, finder = self.grid, self._finder
        select = _("Select the column"), lambda: grid.select_column(self._current_column())
        for says, does, key in (
            (_("Find"), self.find_line.focus, "Ctrl+F"),
            (_("Next place"), lambda: finder.step(1), "F3"),
            (_("Previous place"), lambda: finder.step(-1), "Shift+F3"),
            (_("Copy"), self.copy, "Ctrl+C"),
            (_("Column"), lambda: self._open_column_menu(self._current_column()), "Alt+Down"),
            (_("Filter"), lambda: self.open_filter(self._current_column()), "Ctrl+Shift+L"),
            (*select, "Ctrl+Space"),
            (
                _("Select the row"),
                lambda: grid.select_row(grid.currentIndex().row()),
                "Shift+Space",
            ),
        ):
            add_shortcuts([Command(says, "", does, (key,))], self)

    def _request_view(self, view: RowView) -> None:
        """Request a view; while a change is under way, the latest request wins."""
        self._requested = view
        self._show_view()
        if self.view_task is None or self.view_task.done():
            self.view_task = self._tasks.start(self._update_view(), on_error=self._on_error)

    async def _update_view(self) -> None:
        try:
            while self._shown != (view := self._requested):
                self.busy_bar.begin(_("Sorting…") if view.sort else _("Reading the rows…"))
                fetch = self._fetch(view)
                first = await fetch(0, self._cache.page_rows)
                is_first = self._shown is None
                self._shown = view
                self._cache.show(fetch, first, on_error=self._on_error)
                self.model.reset()
                if not is_first:
                    self.grid.scrollToTop()
                self.grid.emit_visible_rows()
                self._update_row_count()
                self.selection_summary.refresh()
                if self.find_line.search_text and not view.find:
                    self._finder.find_first()
        finally:
            self.busy_bar.end()
            if self._shown is not None and self._shown != self._requested:
                self._requested = self._shown
                self._show_view()

    def _fetch(self, view: RowView) -> Fetch:
        """Return the function that fetches pages of a view."""
        return lambda start, count: self._workspace.views.page(
            self._profile.id, view, start=start, count=count
        )

    def _write(self, view: RowView) -> WriteRows:
        """Return the function that writes rows of a view for the clipboard."""
        return lambda start, count, columns: self._workspace.views.clipboard(
            self._profile.id, view, start=start, count=count, columns=columns
        )

    def _show_view(self) -> None:
        self.grid.header.show_view(self._requested)
        self.chips.show_filters(self._requested.filters)

    def _on_error(self, error: QHubError) -> None:
        self.busy_bar.show_message(str(error))

    def _update_row_count(self) -> None:
        self.row_count_label.setText(self._row_count_text())

    def _row_count_text(self) -> str:
        return size_text(self._cache.total, self._profile.rows, len(self._profile.columns))

    def _column_name(self, column: int) -> str:
        return self._profile.columns[column].name

    def _current_column(self) -> int:
        """Return the current column, or the first visible one."""
        at = self.grid.currentIndex().column()
        return at if at >= 0 else self.grid.header.logicalIndex(0)

    def _on_sort_requested(self, column: int, is_more: bool) -> None:  # noqa: FBT001  Qt's signal
        after: dict[Direction | None, Direction | None] = {None: "up", "up": "down", "down": None}
        now = dict(self._requested.sort).get(self._column_name(column))
        self.sort(column, after[now], is_more=is_more)

    def _on_chip_removed(self, at: int) -> None:
        filters = self._requested.filters
        self._request_view(replace(self._requested, filters=(*filters[:at], *filters[at + 1 :])))

    def _open_column_menu(self, column: int, place: QPoint | None = None) -> None:
        name = self._column_name(column)
        shown = self.grid.header.count() - self.grid.header.hiddenSectionCount()
        every = frozenset({column})
        menu = column_menu(
            ColumnActions(
                sort=lambda direction: self.sort(column, direction),
                filter=lambda: self.open_filter(column),
                unfilter=lambda: self.filter(column, None),
                statistics=lambda: self.open_statistics(column),
                copy=lambda: self._copier.begin((RowBand(0, self._cache.total, every),)),
                select=lambda: self.grid.select_column(column),
                hide=lambda: self.hide_column(column),
            ),
            sorted_by=dict(self._requested.sort).get(name),
            is_filtered=any(each.column == name for each in self._requested.filters),
            is_last=shown <= 1,
            parent=self,
        )
        menu.popup(place or self.grid.header.menu_position(column))

    def _on_cell_menu(self, place: QPoint) -> None:
        index = self.grid.indexAt(place)
        if not index.isValid() or not self.model.is_fetched(index.row()):
            return
        column = index.column()
        value, name = self.model.value(index.row(), column), self._column_name(column)
        cell_menu(
            value,
            copy=self.copy,
            only=lambda: self.filter(column, OneOf(name, (value,))),
            without=lambda: self.filter(column, NoneOf(name, (value,))),
            parent=self,
        ).popup(self.grid.viewport().mapToGlobal(place))

    def _open_exports(self) -> None:
        view = replace(self._shown or RowView(), columns=self._visible_columns())
        export_menu(
            lambda kind: self.export_requested.emit(self._profile, kind, view),
            shown=self._cache.total,
            rows=self._profile.rows,
            parent=self,
        ).popup(self.export_button.mapToGlobal(QPoint(0, self.export_button.height())))

    def _visible_columns(self) -> tuple[str, ...]:
        """Return visible columns in their order; empty if unchanged from the file."""
        header = self.grid.header
        order = [header.logicalIndex(at) for at in range(header.count())]
        names = [self._column_name(at) for at in order if not header.isSectionHidden(at)]
        return () if names == [each.name for each in self._profile.columns] else (*names,)

    def _on_search_changed(self, words: str) -> None:
        self.grid.highlight(words)
        self.find_line.clear_count()
        if self.find_line.is_filtering or self._requested.find:
            self._apply_search_filter()
        elif words:
            self._finder.find_first()

    def _apply_search_filter(self) -> None:
        self._request_view(
            replace(
                self._requested,
                find=self.find_line.search_text if self.find_line.is_filtering else "",
            )
        )

    async def _find_next(self, words: str, start: int, step: Step) -> CellMatch | None:
        return await self._workspace.views.find(
            self._profile.id, self._shown or self._requested, words, start=start, step=step
        )

    async def _summarize(self, parts: Sequence[CellRange]) -> CellSummary:
        return await self._workspace.views.summary(
            self._profile.id, self._shown or self._requested, parts
        )
