"""The interpretation of a question: a row of parts under the answer, each to be changed."""

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.message import Chip, Interpretation, Part
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.layouts import Flow
from qhub_desktop.ui.theme import GRID_PX, mix, theme

PART_NAMES: dict[Part, str] = {
    "dataset": gettext_noop("Data"),
    "measure": gettext_noop("Measure"),
    "dimension": gettext_noop("By"),
    "filter": gettext_noop("Where"),
    "period": gettext_noop("Period"),
    "chart": gettext_noop("Chart"),
    "order": gettext_noop("Order"),
    "reading": gettext_noop("Word"),
}
_PAD_PX = 12
_GAP_PX = 7
_ARROW_PX = 9
_TICK_PX = 16
_LEAST_PX = 96


class PartButton(QPushButton):
    """What a part is, what it says, and whether the question before had said it.

    Signals:
        chosen: the Choice that it shall say instead.
    """

    chosen = Signal(object)

    def __init__(self, chip: Chip) -> None:
        super().__init__()
        self.chip = chip
        self._name = _(PART_NAMES[chip.part])
        self._kept = _("kept") if chip.is_kept else ""
        self.setProperty("kind", "part")
        # A label that finds no room on a whole line is cut.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        # What nobody can change is read, not pressed.
        can_change = bool(chip.choices)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_change else Qt.FocusPolicy.NoFocus)
        if can_change:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        told = self._told()
        self.setAccessibleName(told)
        self.setToolTip(told)
        self.clicked.connect(self._open)

    def menu_of_choices(self) -> QMenu:
        """What it says, and then what else it could say."""
        menu = QMenu(self)
        menu.setProperty("kind", "choices")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.chip.label not in [choice.label for choice in self.chip.choices]:
            self._tick(menu.addAction(_shown(self.chip.label)))
        for choice in self.chip.choices:
            action = menu.addAction(_shown(choice.label))
            if choice.label == self.chip.label:
                self._tick(action)
            else:
                action.triggered.connect(lambda _on=False, each=choice: self.chosen.emit(each))
        return menu

    @override
    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics = self.fontMetrics()
        width = 2 * _PAD_PX + self._around_px() + _width_px(metrics, self.chip.label)
        return QSize(width, max(self.minimumHeight(), metrics.height() + _PAD_PX))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), _LEAST_PX), self.minimumHeight())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self._open()
        else:
            super().keyPressEvent(event)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_frame(painter)
        self._draw_words(painter)
        if self.chip.choices:
            self._draw_arrow(painter)

    def _draw_frame(self, painter: QPainter) -> None:
        palette = theme().palette
        is_live = self.isEnabled() and bool(self.chip.choices)
        back = palette.page if self.chip.is_kept or not self.chip.choices else palette.panel
        if is_live and self.isDown():
            back = mix(palette.panel, palette.text, 0.13)
        elif is_live and self.underMouse():
            back = palette.hover
        pen = QPen(QColor(mix(palette.card, palette.text, 0.2)), 1.0)
        if self.hasFocus():
            pen = QPen(QColor(palette.accent), 2.0)
        elif self.chip.is_kept:
            pen = QPen(QColor(palette.edge), 1.0, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QColor(back))
        inset = pen.widthF() / 2
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)

    def _draw_words(self, painter: QPainter) -> None:
        palette, metrics = theme().palette, self.fontMetrics()
        is_faint = self.chip.is_kept or not self.isEnabled()
        room = self.width() - 2 * _PAD_PX - self._around_px()
        label = metrics.elidedText(self.chip.label, Qt.TextElideMode.ElideRight, room)
        left = _PAD_PX
        for words, colour in (
            (self._name, palette.quiet),
            (label, palette.quiet if is_faint else palette.text),
            (self._kept, palette.quiet),
        ):
            if words is self._kept:
                painter.setFont(self._slanted())
            painter.setPen(QColor(colour))
            place = QRect(left, 0, self.width() - left, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
            left += _width_px(metrics, words) + _GAP_PX

    def _draw_arrow(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(theme().palette.quiet), 1.5))
        middle = self.height() / 2
        left = self.width() - _PAD_PX - _ARROW_PX
        painter.drawPolyline(
            [
                QPointF(left, middle - 2),
                QPointF(left + _ARROW_PX / 2, middle + 2.5),
                QPointF(left + _ARROW_PX, middle - 2),
            ]
        )

    def _around_px(self) -> int:
        """What stands beside the label, with the gaps between."""
        metrics = self.fontMetrics()
        around = _width_px(metrics, self._name) + _GAP_PX
        if self._kept:
            around += _GAP_PX + _width_px(QFontMetrics(self._slanted()), self._kept)
        if self.chip.choices:
            around += _GAP_PX + _ARROW_PX
        return around

    def _slanted(self) -> QFont:
        font = QFont(self.font())
        font.setItalic(True)
        return font

    def _told(self) -> str:
        told = [_("{part}: {words}.").format(part=self._name, words=self.chip.label)]
        if self.chip.is_kept:
            told.append(_("Kept from the question before."))
        if self.chip.choices:
            told.append(_("Press to change it."))
        return " ".join(told)

    def _tick(self, action: QAction) -> None:
        action.setIcon(icon("check", theme().palette.accent, size_px=_TICK_PX))

    def _open(self) -> None:
        if self.chip.choices:
            self.menu_of_choices().popup(self.mapToGlobal(QPoint(0, self.height() + 2)))


def _width_px(metrics: QFontMetrics, words: str) -> int:
    """Room for words: what they advance is rounded down, and would be cut."""
    return metrics.horizontalAdvance(words) + 1


def _shown(label: str) -> str:
    """An ampersand would mark a key."""
    return label.replace("&", "&&")


class UnderstandingRow(QWidget):
    """A button for each part, in as many lines as it takes.

    Signals:
        chosen: the Choice that was taken for one of the parts.
    """

    chosen = Signal(object)

    def __init__(self, understood: Interpretation) -> None:
        super().__init__()
        self.setAccessibleName(_("What was understood"))
        flow = Flow(spacing_px=GRID_PX)
        self.setLayout(flow)
        self.parts = [PartButton(chip) for chip in understood.chips]
        for part in self.parts:
            part.chosen.connect(self.chosen)
            flow.addWidget(part)
