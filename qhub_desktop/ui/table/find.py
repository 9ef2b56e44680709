"""Find in the table: the search line, and steps from match to match."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.query.service import CellMatch, Step
from qhub_desktop.ui.controls.buttons import IconButton, add_clear_button, icon
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import make_label, row_of
from qhub_desktop.ui.controls.plain_text import make_action, set_tooltip
from qhub_desktop.ui.controls.progress import BusyBar
from qhub_desktop.ui.table.grid import TableGrid
from qhub_desktop.ui.tasks import LatestTask, OnError, Tasks
from qhub_desktop.ui.theme import theme

FIND_DEBOUNCE_S = 0.3  # without a key press, before rows are searched
FIND_ICON_PX = 18
FIND_WIDTH_PX = 260


class FindLine(QWidget):
    """Search line: Enter goes to the next match, Shift+Enter to the previous, Escape to the rows.

    Signals:
        changed: the words have changed; they may be empty.
        step_requested: 1 for the next match, -1 for the previous.
        filter_toggled: show only rows with the words, or all again.
        escaped: Escape was pressed.
    """

    changed = Signal(str)
    step_requested = Signal(int)
    filter_toggled = Signal(bool)
    escaped = Signal()

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._debounced = LatestTask(tasks)
        self._emitted = ""
        self.line_edit = text_field(_("Find in all rows"), placeholder=_("Find in all rows"))
        set_tooltip(self.line_edit, _("Find in all rows ({key})").format(key="Ctrl+F"))
        add_clear_button(self.line_edit)
        self.line_edit.setFixedWidth(FIND_WIDTH_PX)
        self.line_edit.textChanged.connect(self._on_text_changed)
        self._search_action = make_action(_("Search"), self)
        self.line_edit.addAction(self._search_action, QLineEdit.ActionPosition.LeadingPosition)
        self._count = make_label(role="small")
        self._count.setMinimumWidth(84)
        tooltip = _("Previous place (Shift+F3)")
        self._previous_button = IconButton("chevron-up", tooltip, size_px=FIND_ICON_PX)
        self._next_button = IconButton("chevron-down", _("Next place (F3)"), size_px=FIND_ICON_PX)
        tooltip = _("Show only the rows with these words")
        self._filter_button = IconButton("filter", tooltip, size_px=FIND_ICON_PX)
        self._filter_button.setCheckable(True)
        self._previous_button.clicked.connect(lambda: self.step_requested.emit(-1))
        self._next_button.clicked.connect(lambda: self.step_requested.emit(1))
        self._filter_button.toggled.connect(self._on_filter_toggled)
        row = row_of(owner=self, spacing=2)
        row.addWidget(self.line_edit)
        row.addSpacing(2)
        for each in (self._previous_button, self._next_button, self._filter_button):
            row.addWidget(each)
        row.addSpacing(4)
        row.addWidget(self._count)
        self._update_buttons()
        theme().register(self._restyle)

    @property
    def search_text(self) -> str:
        """The words to find."""
        return self.line_edit.text().strip()

    @property
    def is_filtering(self) -> bool:
        """Whether only rows with the words are to be shown."""
        return self._filter_button.isChecked() and bool(self.search_text)

    @property
    def count(self) -> str:
        """The shown position among the matches."""
        return self._count.text()

    def focus(self) -> None:
        """Show the line and focus it."""
        self.line_edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line_edit.selectAll()

    def show_count(self, place: int, total: int) -> None:
        """Show the number of the current match, from 1, and their total."""
        if not total:
            self._count.setText(_("not found"))
            return
        self._count.setText(
            _("{place} of {count}").format(
                place=number(place, digits=0), count=number(total, digits=0)
            )
        )

    def clear_count(self) -> None:
        """Show no number of matches."""
        self._count.clear()

    def _restyle(self) -> None:
        self._search_action.setIcon(icon("search", theme().palette.quiet, size_px=16))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.line_edit.text():
                self.line_edit.clear()
                self.escaped.emit()
            case Qt.Key.Key_Escape | Qt.Key.Key_Down:
                self.escaped.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                if not self._emit_now():  # new words start at their first match
                    self.step_requested.emit(-1 if is_shifted else 1)
            case _:
                super().keyPressEvent(event)

    def _on_text_changed(self, _words: str) -> None:
        self._update_buttons()
        self._debounced.start(self._emit_later())

    async def _emit_later(self) -> None:
        if self.search_text:
            await asyncio.sleep(FIND_DEBOUNCE_S)
        self._emit_changed()

    def _on_filter_toggled(self, is_on: bool) -> None:  # noqa: FBT001  Qt's signal
        self._emit_now()
        self.filter_toggled.emit(is_on)

    def _emit_now(self) -> bool:
        self._debounced.cancel()
        return self._emit_changed()

    def _emit_changed(self) -> bool:
        """Emit `changed` if the words have changed; return whether they had."""
        if self.search_text == self._emitted:
            return False
        self._emitted = self.search_text
        self.changed.emit(self.search_text)
        return True

    def _update_buttons(self) -> None:
        for each in (self._previous_button, self._next_button, self._filter_button):
            each.setEnabled(bool(self.search_text))


FindNext = Callable[[str, int, Step], Awaitable[CellMatch | None]]


class TableSearch:
    """Steps through matches, one step after the other: two key presses go two matches on.

    `find_next` finds the next match in the current view.
    """

    def __init__(
        self,
        line: FindLine,
        grid: TableGrid,
        busy: BusyBar,
        *,
        find_next: FindNext,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        self._line = line
        self._grid = grid
        self._busy = busy
        self._find_next = find_next
        self._tasks = tasks
        self._on_error = on_error
        self._lock = asyncio.Lock()
        line.step_requested.connect(self.step)

    def find_first(self) -> None:
        """Go to the first match from the current row on, that row included."""
        self._start(is_new=True, step="next")

    def step(self, step: int) -> None:
        """Go to the next match (1) or the previous (-1); without words, focus the search line."""
        if self._line.search_text:
            self._start(is_new=False, step="next" if step > 0 else "previous")
        else:
            self._line.focus()

    def _start(self, *, is_new: bool, step: Step) -> None:
        words = self._line.search_text
        self._tasks.start(self._find(words, step, is_new=is_new), on_error=self._on_error)

    async def _find(self, words: str, step: Step, *, is_new: bool) -> None:
        async with self._lock:
            if words != self._line.search_text:
                return
            row = self._grid.currentIndex().row()
            self._busy.begin(_("Looking for “{words}”…").format(words=words))
            try:
                found = await self._find_next(words, max(row, 0) - 1 if is_new else row, step)
            finally:
                self._busy.end()
            if words != self._line.search_text:
                return
            if found is None:
                self._line.show_count(0, 0)
                return
            self._line.show_count(found.number, found.total)
            self._grid.go_to(found.position, found.column)
