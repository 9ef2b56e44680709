"""Find in the table: the search line, and steps from match to match."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.query.service import Match, Step
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.progress import BusyLine
from qhub_desktop.ui.table.grid import Grid
from qhub_desktop.ui.tasks import OnError, Tasks
from qhub_desktop.ui.theme import theme

PAUSE_S = 0.3  # without a key press, before rows are searched
ICON_PX = 18
WIDTH_PX = 260


class FindLine(QWidget):
    """Search line: Enter goes to the next match, Shift+Enter to the previous, Escape to the rows.

    Signals:
        changed: the words have changed; they may be empty.
        stepped: 1 for the next match, -1 for the previous.
        narrowed: show only rows with the words, or all again.
        left: Escape was pressed.
    """

    changed = Signal(str)
    stepped = Signal(int)
    narrowed = Signal(bool)
    left = Signal()

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self._waiting: asyncio.Task[None] | None = None
        self._told = ""
        self.line = QLineEdit()
        self.line.setPlaceholderText(_("Find in all rows"))
        self.line.setAccessibleName(_("Find in all rows"))
        self.line.setToolTip(_("Find in all rows ({key})").format(key="Ctrl+F"))
        self.line.setClearButtonEnabled(True)
        self.line.setFixedWidth(WIDTH_PX)
        self.line.textChanged.connect(self._on_text_changed)
        self._glass = QAction(self)
        self.line.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._count = QLabel()
        self._count.setProperty("role", "small")
        self._count.setMinimumWidth(84)
        self._back = _button(_("Previous place (Shift+F3)"))
        self._forth = _button(_("Next place (F3)"))
        self._only = _button(_("Show only the rows with these words"))
        self._only.setCheckable(True)
        self._back.clicked.connect(lambda: self.stepped.emit(-1))
        self._forth.clicked.connect(lambda: self.stepped.emit(1))
        self._only.toggled.connect(self._on_only_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.line)
        row.addSpacing(2)
        for each in (self._back, self._forth, self._only):
            row.addWidget(each)
        row.addSpacing(4)
        row.addWidget(self._count)
        self._enable()
        theme().style(self._restyle)

    @property
    def words(self) -> str:
        """The words to find."""
        return self.line.text().strip()

    @property
    def is_narrowing(self) -> bool:
        """Whether only rows with the words are to be shown."""
        return self._only.isChecked() and bool(self.words)

    @property
    def count(self) -> str:
        """The shown position among the matches."""
        return self._count.text()

    def begin(self) -> None:
        """Show the line and focus it."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

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

    def show_nothing(self) -> None:
        """Show no number of matches."""
        self._count.clear()

    def _restyle(self) -> None:
        palette = theme().palette
        self._glass.setIcon(icon("search", palette.quiet, size_px=16))
        self._back.setIcon(icon("chevron-up", palette.quiet, size_px=ICON_PX))
        self._forth.setIcon(icon("chevron-down", palette.quiet, size_px=ICON_PX))
        self._only.setIcon(icon("filter", palette.quiet, size_px=ICON_PX))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.line.text():
                self.line.clear()
                self.left.emit()
            case Qt.Key.Key_Escape | Qt.Key.Key_Down:
                self.left.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                if not self._tell_now():  # new words start at their first match
                    self.stepped.emit(-1 if is_shifted else 1)
            case _:
                super().keyPressEvent(event)

    def _on_text_changed(self, _words: str) -> None:
        self._enable()
        self._stop_waiting()
        self._waiting = self._tasks.start(self._tell_soon())

    async def _tell_soon(self) -> None:
        if self.words:
            await asyncio.sleep(PAUSE_S)
        self._tell()

    def _on_only_toggled(self, is_on: bool) -> None:  # noqa: FBT001  Qt's signal
        self._tell_now()
        self.narrowed.emit(is_on)

    def _tell_now(self) -> bool:
        self._stop_waiting()
        return self._tell()

    def _tell(self) -> bool:
        """Emit `changed` if the words have changed; return whether they had."""
        if self.words == self._told:
            return False
        self._told = self.words
        self.changed.emit(self.words)
        return True

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _enable(self) -> None:
        for each in (self._back, self._forth, self._only):
            each.setEnabled(bool(self.words))


def _button(says: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("kind", "icon")
    button.setIconSize(QSize(ICON_PX, ICON_PX))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(says)
    button.setAccessibleName(says)
    return button


Look = Callable[[str, int, Step], Awaitable[Match | None]]


class Finder:
    """Steps through matches, one step after the other: two key presses go two matches on.

    `look` finds the next match in the current view.
    """

    def __init__(
        self,
        line: FindLine,
        grid: Grid,
        busy: BusyLine,
        *,
        look: Look,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        self._line = line
        self._grid = grid
        self._busy = busy
        self._look = look
        self._tasks = tasks
        self._on_error = on_error
        self._turn = asyncio.Lock()
        line.stepped.connect(self.step)

    def look(self) -> None:
        """Go to the first match from the current row on, that row included."""
        self._begin(is_new=True, step="next")

    def step(self, step: int) -> None:
        """Go to the next match (1) or the previous (-1); without words, focus the search line."""
        if self._line.words:
            self._begin(is_new=False, step="next" if step > 0 else "previous")
        else:
            self._line.begin()

    def _begin(self, *, is_new: bool, step: Step) -> None:
        words = self._line.words
        self._tasks.start(self._find(words, step, is_new=is_new), on_error=self._on_error)

    async def _find(self, words: str, step: Step, *, is_new: bool) -> None:
        async with self._turn:
            if words != self._line.words:
                return
            row = self._grid.currentIndex().row()
            self._busy.begin(_("Looking for “{words}”…").format(words=words))
            try:
                found = await self._look(words, max(row, 0) - 1 if is_new else row, step)
            finally:
                self._busy.end()
            if words != self._line.words:
                return
            if found is None:
                self._line.show_count(0, 0)
                return
            self._line.show_count(found.number, found.total)
            self._grid.go_to(found.position, found.column)
