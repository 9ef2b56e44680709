"""How the question may go on at the cursor: a list above the box, of which Tab takes one."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QGraphicsDropShadowEffect, QWidget
from typing_extensions import override

from qhub_desktop.core.readings import Completion, CompletionKind
from qhub_desktop.core.text import fold, gettext_noop
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import line_with_signs
from qhub_desktop.ui.chat.reading_strip import (
    LEFT,
    RIGHT,
    ROW_PAD_PX,
    draw_back,
    draw_key,
    key_px,
)
from qhub_desktop.ui.controls.layouts import column_of
from qhub_desktop.ui.controls.plain_text import elided
from qhub_desktop.ui.theme import GRID_PX, small_font, theme

KIND_NAMES: dict[CompletionKind, str] = {
    "column": gettext_noop("Column"),
    "value": gettext_noop("Value"),
    "period": gettext_noop("Period"),
    "phrase": gettext_noop("Words"),
    "chart": gettext_noop("Chart"),
}
_LEAST_WIDTH_PX = 240
_MOST_WIDTH_PX = 440
_HINT_SHARE = 0.45  # of a row's width that the hint may take


class CompletionRow(QAbstractButton):
    """One way to go on: its text, and what it is."""

    def __init__(self, completion: Completion, *, least_px: int) -> None:
        super().__init__()
        self.completion = completion
        self._least_px = least_px
        self._is_marked = False
        self._text = line_with_signs(completion.text)
        self._hint = line_with_signs(completion.hint) or _(KIND_NAMES[completion.kind])
        self.setAccessibleName(f"{self._text}, {self._hint}")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_marked(self, *, is_marked: bool) -> None:
        """Set whether Tab takes this one."""
        self._is_marked = is_marked
        self.update()

    @override
    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        words = metrics.horizontalAdvance(self._text) + metrics.horizontalAdvance(self._hint)
        width = words + metrics.horizontalAdvance("Tab") + 2 * ROW_PAD_PX + 5 * GRID_PX
        width = max(_LEAST_WIDTH_PX, min(width, _MOST_WIDTH_PX))
        return QSize(width, max(self._least_px, metrics.height() + GRID_PX + 2))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_back(painter, self, is_marked=self._is_marked)
        row = self.rect().adjusted(ROW_PAD_PX, 0, -ROW_PAD_PX, 0)
        if self._is_marked:
            draw_key(painter, row, "Tab")
            row.setRight(row.right() - key_px("Tab", self.font()) - GRID_PX)
        palette, font = theme().palette, small_font(self.font())
        painter.setFont(font)
        hint = elided(self._hint, painter.fontMetrics(), row.width() * _HINT_SHARE)
        painter.setPen(QColor(palette.quiet))
        painter.drawText(row, RIGHT, hint)
        row.setRight(row.right() - painter.fontMetrics().horizontalAdvance(hint) - 2 * GRID_PX)
        painter.setFont(self.font())
        painter.setPen(QColor(palette.text))
        painter.drawText(row, LEFT, elided(self._text, self.fontMetrics(), row.width()))


class CompletionList(QFrame):
    """Ways to go on, the likeliest marked; it never has the focus, and Enter is not for it.

    Signals:
        taken: the index of the Completion that was pressed.
    """

    taken = Signal(int)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("kind", "popover")
        self.setAccessibleName(_("How the question may go on"))
        self.rows: list[CompletionRow] = []
        self._column = column_of(owner=self, margins=4, spacing=0)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 70))
        self.setGraphicsEffect(shadow)
        self.hide()

    def show_completions(self, completions: Sequence[Completion], *, least_px: int) -> None:
        """Show ways to go on, in rows of at least such a height."""
        self._keep([])
        self.rows = [CompletionRow(each, least_px=least_px) for each in completions]
        for row in self.rows:
            row.clicked.connect(lambda _on=False, row=row: self.taken.emit(self.rows.index(row)))
            self._column.addWidget(row)
        self._fit()
        self.show()
        self.raise_()

    def mark(self, index: int) -> None:
        """Mark the one that was taken, or that Tab takes."""
        for at, row in enumerate(self.rows):
            row.set_marked(is_marked=at == index)

    def narrow(self, typed: str) -> None:
        """Leave those that what stands before the cursor still begins; hide if there is none."""
        begins = [(row, fold(typed[row.completion.start :])) for row in self.rows]
        texts = {row: fold(row.completion.text) for row in self.rows}
        self._keep([row for row, begun in begins if begun and texts[row].startswith(begun)])
        # Whoever has typed it whole needs nothing more of it.
        if not self.rows or fold(typed[self.rows[0].completion.start :]) == texts[self.rows[0]]:
            self.hide()
        else:
            self._fit()

    def place_at(self, foot: QPoint, right: int) -> None:
        """Move the lower left corner to a place of the window, all of it left of `right`."""
        room = right - self.width()
        self.move(max(0, min(foot.x() - ROW_PAD_PX, room)), max(0, foot.y() - self.height()))

    def _keep(self, rows: list[CompletionRow]) -> None:
        for row in self.rows:
            if row not in rows:
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        self.rows = rows

    def _fit(self) -> None:
        foot = self.geometry().bottomLeft()
        self.mark(0)
        self.adjustSize()
        self.move(foot.x(), foot.y() + 1 - self.height())
