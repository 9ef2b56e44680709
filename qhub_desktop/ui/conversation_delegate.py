"""How a row of the list of conversations is drawn."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QCursor, QFont, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.conversation_rows import ROW_ROLE, Entry, Heading, Row
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import BODY_PT, RADIUS_PX, SMALL_PT, TARGET_PX, Palette

MORE_PX = 28
_PAD_PX = 10
_PIN_PX = 14
_DOT_PX = 8
Index = QModelIndex | QPersistentModelIndex


class ConversationDelegate(QStyledItemDelegate):
    """Draws a day's heading, or a conversation: its pin, a dot if unread, the place found."""

    def __init__(self, palette: Palette, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._palette = palette
        self._target_px = TARGET_PX

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette

    def set_target(self, target_px: int) -> None:
        """Make a row at least as high as this."""
        self._target_px = target_px

    def more_rect(self, row: QRect) -> QRect:
        """Where the '…' of a row is."""
        return QRect(row.right() - MORE_PX - 4, row.top(), MORE_PX, row.height())

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        small = QFontMetrics(_small(option.font)).height()
        row: Row = index.data(ROW_ROLE)
        match row:
            case Heading():
                return QSize(0, small + 20)
            case Entry(conversation):
                below = small + 2 if conversation.snippet else 0
                lines = QFontMetrics(option.font).height() + below
                return QSize(0, max(lines + 14, self._target_px + 2))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        match row:
            case Heading(text):
                self._draw_heading(painter, option, text)
            case Entry():
                self._draw_entry(painter, option, row)
        painter.restore()

    @override
    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QLineEdit:
        editor = QLineEdit(parent)
        editor.setMaxLength(120)
        editor.setAccessibleName(_("New title"))
        return editor

    @override
    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect)

    def _draw_heading(self, painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
        font = _small(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(self._palette.quiet))
        place = option.rect.adjusted(_PAD_PX, 8, -_PAD_PX, -2)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), text)

    def _draw_entry(self, painter: QPainter, option: QStyleOptionViewItem, row: Entry) -> None:
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        self._draw_ground(painter, option, is_selected=is_selected, is_hovered=is_hovered)
        words = option.rect.adjusted(_PAD_PX, 0, -_PAD_PX, 0)
        if is_hovered or is_selected:
            words.setRight(self.more_rect(option.rect).left() - 2)
            self._draw_more(painter, option.rect, is_hovered=is_hovered)
        elif row.conversation.is_pinned:
            words.setRight(words.right() - _PIN_PX - 4)
            pin = self._pixmap("pin", self._palette.quiet, _PIN_PX)
            at = QPoint(words.right() + 4, option.rect.center().y() - _PIN_PX // 2)
            painter.drawPixmap(at, pin)
        snippet = row.snippet
        font = QFont(option.font)
        if row.conversation.is_unread:
            font.setWeight(QFont.Weight.DemiBold)
            words.setRight(words.right() - _DOT_PX - 6)
            self._draw_dot(painter, QPoint(words.right() + 6, option.rect.center().y()))
        metrics = QFontMetrics(font)
        small = _small(option.font)
        block = metrics.height() + (QFontMetrics(small).height() + 2 if snippet else 0)
        top = words.top() + (words.height() - block) // 2
        line = QRect(words.left(), top, words.width(), metrics.height())
        painter.setFont(font)
        faded = self._palette.quiet if row.conversation.is_archived else self._palette.text
        painter.setPen(QColor(faded))
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), title)
        if not snippet:
            return
        metrics = QFontMetrics(small)
        line = QRect(line.left(), line.bottom() + 3, line.width(), metrics.height())
        painter.setFont(small)
        painter.setPen(QColor(self._palette.quiet))
        found = metrics.elidedText(snippet, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), found)

    def _draw_ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        *,
        is_selected: bool,
        is_hovered: bool,
    ) -> None:
        ground = option.rect.adjusted(0, 1, 0, -1)
        if is_selected or is_hovered:
            colour = self._palette.chosen if is_selected else self._palette.hover
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(ground, RADIUS_PX, RADIUS_PX)
        has_focus = option.state & QStyle.StateFlag.State_HasFocus
        if has_focus and option.state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QPen(QColor(self._palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)

    def _draw_dot(self, painter: QPainter, left: QPoint) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._palette.accent))
        painter.drawEllipse(QRect(left.x(), left.y() - _DOT_PX // 2, _DOT_PX, _DOT_PX))

    def _draw_more(self, painter: QPainter, row: QRect, *, is_hovered: bool) -> None:
        place = self.more_rect(row)
        pointer = self._view.viewport().mapFromGlobal(QCursor.pos())
        is_under_pointer = is_hovered and place.contains(pointer)
        colour = self._palette.text if is_under_pointer else self._palette.quiet
        at = place.center() - QPoint(8, 8)
        painter.drawPixmap(at, self._pixmap("more", colour, 18))

    def _pixmap(self, name: str, colour: str, size_px: int) -> QPixmap:
        return pixmap(name, colour, size_px=size_px, ratio=self._view.devicePixelRatioF())


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * SMALL_PT / BODY_PT)
    return small
