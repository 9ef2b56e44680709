"""Progress indicators: line, spinner and busy bar."""

import asyncio

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QProgressBar, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.layouts import column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.tasks import LatestTask, Tasks
from qhub_desktop.ui.theme import theme


class ProgressLine(QWidget):
    """Progress bar with a cancel button; the owner of the work removes it.

    Signals:
        cancelled: the cancel button was pressed.
    """

    cancelled = Signal()

    def __init__(self, words: str) -> None:
        super().__init__()
        self._label = make_label(words, role="small", is_wrapped=True)
        self._label.setMinimumWidth(24)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(_("At work"))
        self._bar.setRange(0, 0)
        self._close = IconButton("close", _("Cancel"), on_click=self.cancelled)
        words_and_bar = column_of(self._label, self._bar, spacing=4)
        row_of((words_and_bar, 1), self._close, owner=self, margins=(4, 0, 0, 0), spacing=4)

    def hide_cancel(self) -> None:
        """Hide the cancel button, of work that goes on by itself."""
        self._close.hide()

    def set_progress(self, words: str, share: float | None) -> None:
        """Show the current step and the completed share (0 to 1, None if unknown)."""
        self._label.setText(words)
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))


_SIDE_PX = 14
_STEP_DEGREES = 30
_STEP_MS = 80


class Spinner(QWidget):
    """Spinner that turns while visible."""

    def __init__(self) -> None:
        super().__init__()
        self._angle = 0
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._turn)
        self.setFixedSize(QSize(_SIDE_PX, _SIDE_PX))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(theme().palette.quiet), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawArc(QRectF(1.5, 1.5, _SIDE_PX - 3, _SIDE_PX - 3), -self._angle * 16, 260 * 16)

    def _turn(self) -> None:
        self._angle = (self._angle + _STEP_DEGREES) % 360
        self.update()


SHOWN_AFTER_S = 0.3
STOPPABLE_AFTER_S = 2.0
HEIGHT_PX = 3


class BusyBar(QProgressBar):
    """Busy bar with the separate label `label`; fast work shows neither."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._delayed = LatestTask(tasks)
        self.setTextVisible(False)
        self.setFixedHeight(HEIGHT_PX)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # avoids a layout shift when it appears
        self.setSizePolicy(policy)
        self.setAccessibleName(_("At work"))
        self.hide()
        self.label = make_label(role="small")
        self.label.setMinimumWidth(1)

    def begin(self, words: str) -> None:
        """Show that work has started; follow with `end` or another `begin`."""
        self._delayed.start(self._show_later(words))

    def end(self) -> None:
        """Hide the busy bar: the work is done."""
        self._delayed.cancel()
        self.hide()
        self.label.clear()

    def show_message(self, words: str) -> None:
        """Show a message until the next work starts."""
        self.label.setText(words)
        set_tooltip(self.label, words)

    async def _show_later(self, words: str) -> None:
        await asyncio.sleep(SHOWN_AFTER_S)
        self.setRange(0, 0)
        self.show()
        self.show_message(words)
        await asyncio.sleep(STOPPABLE_AFTER_S - SHOWN_AFTER_S)
        self.show_message(_("{doing} Esc stops it.").format(doing=words))
