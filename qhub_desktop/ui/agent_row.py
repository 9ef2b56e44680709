"""One agent in the left column: its icon, its name and what it is for."""

from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy
from typing_extensions import override

from qhub_desktop.ui.icons import agent_icon
from qhub_desktop.ui.theme import BODY_PT, RADIUS_PX, SMALL_PT, Palette

_ICON_PX = 24
_PAD_PX = 10


class AgentRow(QAbstractButton):
    """Checked while its agent answers."""

    def __init__(self, name: str, summary: str, icon_file: Path, palette: Palette) -> None:
        super().__init__()
        self._name = name
        self._summary = summary
        self._icon_file = icon_file
        self._palette = palette
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.setAccessibleDescription(summary)
        self.setToolTip(summary)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        self.update()

    @override
    def sizeHint(self) -> QSize:
        lines = QFontMetrics(self._bold()).height() + QFontMetrics(self._small()).height()
        return QSize(160, lines + 18)

    @override
    def nextCheckState(self) -> None:
        """Leave the choice to the owner: it may not change with a click alone."""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self.rect().adjusted(0, 1, 0, -1)
        if self.isChecked() or self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            colour = self._palette.chosen if self.isChecked() else self._palette.hover
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(ground, RADIUS_PX, RADIUS_PX)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
        tone = self._palette.accent if self.isChecked() else self._palette.quiet
        picture = agent_icon(self._icon_file, tone, size_px=_ICON_PX)
        place = QRect(_PAD_PX, (self.height() - _ICON_PX) // 2, _ICON_PX, _ICON_PX)
        picture.paint(painter, place)
        self._draw_words(painter, left=place.right() + 11)

    def _draw_words(self, painter: QPainter, *, left: int) -> None:
        width = self.width() - left - _PAD_PX
        name, summary = QFontMetrics(self._bold()), QFontMetrics(self._small())
        top = (self.height() - name.height() - summary.height()) // 2
        painter.setFont(self._bold())
        painter.setPen(QColor(self._palette.text))
        words = name.elidedText(self._name, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(left, top, width, name.height()), 0, words)
        painter.setFont(self._small())
        painter.setPen(QColor(self._palette.quiet))
        words = summary.elidedText(self._summary, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(left, top + name.height(), width, summary.height()), 0, words)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self.font().pointSizeF() * SMALL_PT / BODY_PT)
        return font
