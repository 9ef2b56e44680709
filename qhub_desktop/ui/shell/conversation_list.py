"""Conversation list: item model grouped by day, delegate and view."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.layouts import draw_row_ground, set_up_drawn_list
from qhub_desktop.ui.controls.plain_text import elided, entered, one_line, tooltip
from qhub_desktop.ui.controls.popup import types_text
from qhub_desktop.ui.theme import TARGET_PX, small_font, theme

ROW_ROLE = int(Qt.ItemDataRole.UserRole)  # model data role that returns the `Row`

_LONGEST_TITLE = 120
_MARKUP = str.maketrans("", "", "*`#")


@dataclass(frozen=True, slots=True)
class DayHeading:
    """Heading row: the day of last activity of the conversations below it."""

    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Conversation row; what a search has found has its day and the text around the hit below."""

    conversation: Conversation
    is_hit: bool = False

    @property
    def title(self) -> str:
        """Title of the conversation, or a placeholder before the first question."""
        return self.conversation.title or _("New conversation")

    @property
    def accessible_text(self) -> str:
        """Accessible text: the title, and whether it asks something, or an answer is unread."""
        if self.conversation.has_question:
            return _("{title} (asks you something)").format(title=self.title)
        if not self.conversation.is_unread:
            return self.title
        return _("{title} (new answer)").format(title=self.title)

    @property
    def snippet(self) -> str:
        """Day of a hit, and the text around it without Markdown markup."""
        if not self.is_hit:
            return ""
        day = moment(self.conversation.updated.astimezone().date())
        return " · ".join(filter(None, (day, self.conversation.snippet.translate(_MARKUP))))


Row = DayHeading | Entry


def by_day(conversations: Sequence[Conversation], today: date) -> list[Row]:
    """Insert day headings into a list sorted by pinned first, then newest first."""
    rows: list[Row] = []
    heading = ""
    for conversation in conversations:
        above = _heading(conversation, today)
        if above != heading:
            heading = above
            rows.append(DayHeading(above))
        rows.append(Entry(conversation))
    return rows


def _heading(conversation: Conversation, today: date) -> str:
    if conversation.is_pinned:
        return _("Pinned")
    day = conversation.updated.astimezone().date()
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    if day > today - timedelta(days=7):
        return _weekday(day)
    return moment(day)


def _weekday(day: date) -> str:
    names = (
        _("Monday"),
        _("Tuesday"),
        _("Wednesday"),
        _("Thursday"),
        _("Friday"),
        _("Saturday"),
        _("Sunday"),
    )
    name = names[day.weekday()]
    return name[:1].upper() + name[1:]  # Portuguese writes names of days and months in lower case


def rows_for(conversations: Sequence[Conversation], *, is_search: bool, now: datetime) -> list[Row]:
    """Return the rows grouped by day, or search results in their order of relevance."""
    if is_search:
        return [Entry(conversation, is_hit=True) for conversation in conversations]
    return by_day(conversations, now.date())


MORE_PX = 28
_ENTRY_PAD_PX = 10
_PIN_PX = 14
_DOT_PX = 8
_BADGE_PX = 18
Index = QModelIndex | QPersistentModelIndex


class ConversationDelegate(QStyledItemDelegate):
    """Delegate that draws headings and conversations with pin, unread dot and search snippet."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._row_px = TARGET_PX

    def set_row_height(self, target_px: int) -> None:
        """Set the minimum row height."""
        self._row_px = target_px

    def more_rect(self, row: QRect) -> QRect:
        """Return the rectangle of the '…' button of a row."""
        return QRect(row.right() - MORE_PX - 4, row.top(), MORE_PX, row.height())

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        small = QFontMetrics(small_font(option.font)).height()
        row: Row = index.data(ROW_ROLE)
        match row:
            case DayHeading():
                return QSize(0, small + 20)
            case Entry(is_hit=is_hit):
                below = small + 2 if is_hit else 0
                lines = QFontMetrics(option.font).height() + below
                return QSize(0, max(lines + 14, self._row_px + 2))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        match row:
            case DayHeading(text):
                self._draw_heading(painter, option, text)
            case Entry():
                self._draw_entry(painter, option, row)
        painter.restore()

    @override
    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QLineEdit:
        editor = QLineEdit(parent)
        editor.setMaxLength(_LONGEST_TITLE)
        editor.setAccessibleName(_("New title"))
        return editor

    @override
    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect)

    def _draw_heading(self, painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
        font = small_font(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme().palette.quiet))
        place = option.rect.adjusted(_ENTRY_PAD_PX, 8, -_ENTRY_PAD_PX, -2)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), text)

    def _draw_entry(self, painter: QPainter, option: QStyleOptionViewItem, row: Entry) -> None:
        palette = theme().palette
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        draw_row_ground(painter, option, is_selected=is_selected, is_hovered=is_hovered)
        words = option.rect.adjusted(_ENTRY_PAD_PX, 0, -_ENTRY_PAD_PX, 0)
        if is_hovered or is_selected:
            words.setRight(self.more_rect(option.rect).left() - 2)
            self._draw_more(painter, option.rect, is_hovered=is_hovered)
        elif row.conversation.is_pinned:
            words.setRight(words.right() - _PIN_PX - 4)
            pin = self._pixmap("pin", palette.quiet, _PIN_PX)
            at = QPoint(words.right() + 4, option.rect.center().y() - _PIN_PX // 2)
            painter.drawPixmap(at, pin)
        snippet = row.snippet
        font = QFont(option.font)
        if row.conversation.has_question:
            font.setWeight(QFont.Weight.DemiBold)
            words.setRight(words.right() - _BADGE_PX - 6)
            at = QPoint(words.right() + 6, option.rect.center().y())
            self._draw_badge(painter, at, option.font)
        elif row.conversation.is_unread:
            font.setWeight(QFont.Weight.DemiBold)
            words.setRight(words.right() - _DOT_PX - 6)
            self._draw_dot(painter, QPoint(words.right() + 6, option.rect.center().y()))
        metrics = QFontMetrics(font)
        small = small_font(option.font)
        block = metrics.height() + (QFontMetrics(small).height() + 2 if snippet else 0)
        top = words.top() + (words.height() - block) // 2
        line = QRect(words.left(), top, words.width(), metrics.height())
        painter.setFont(font)
        faded = palette.quiet if row.conversation.is_archived else palette.text
        painter.setPen(QColor(faded))
        title = elided(row.title, metrics, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), title)
        if not snippet:
            return
        metrics = QFontMetrics(small)
        line = QRect(line.left(), line.bottom() + 3, line.width(), metrics.height())
        painter.setFont(small)
        painter.setPen(QColor(palette.quiet))
        found = elided(snippet, metrics, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), found)

    def _draw_dot(self, painter: QPainter, left: QPoint) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().palette.accent))
        painter.drawEllipse(QRect(left.x(), left.y() - _DOT_PX // 2, _DOT_PX, _DOT_PX))

    def _draw_badge(self, painter: QPainter, left: QPoint, font: QFont) -> None:
        """Draw the sign of a question that waits for the person."""
        palette = theme().palette
        place = QRect(left.x(), left.y() - _BADGE_PX // 2, _BADGE_PX, _BADGE_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.accent))
        painter.drawEllipse(place)
        sign = small_font(font)
        sign.setWeight(QFont.Weight.DemiBold)
        painter.setFont(sign)
        painter.setPen(QColor(palette.on_accent))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), "?")

    def _draw_more(self, painter: QPainter, row: QRect, *, is_hovered: bool) -> None:
        palette = theme().palette
        place = self.more_rect(row)
        pointer = self._view.viewport().mapFromGlobal(QCursor.pos())
        is_under_pointer = is_hovered and place.contains(pointer)
        colour = palette.text if is_under_pointer else palette.quiet
        at = place.center() - QPoint(8, 8)
        painter.drawPixmap(at, self._pixmap("more", colour, 18))

    def _pixmap(self, name: str, colour: str, size_px: int) -> QPixmap:
        return pixmap(name, colour, size_px=size_px, ratio=self._view.devicePixelRatioF())


class ConversationModel(QAbstractListModel):
    """Item model of the conversation list.

    Signals:
        renamed: the conversation's id and the title edited in the list.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def show_rows(self, rows: list[Row]) -> None:
        """Replace all rows."""
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row_at(self, index: Index) -> Row | None:
        """Return the row at an index, or None if there is none."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, conversation: ConversationId) -> QModelIndex:
        """Return the index of a conversation, invalid if it is not listed."""
        for position, row in enumerate(self._rows):
            if isinstance(row, Entry) and row.conversation.id == conversation:
                return self.index(position)
        return QModelIndex()

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        match row:
            case DayHeading(text):
                return text if role == Qt.ItemDataRole.DisplayRole else None
            case Entry():
                if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
                    return one_line(row.title)
                if role == Qt.ItemDataRole.ToolTipRole:
                    return tooltip(f"{row.accessible_text}\n{moment(row.conversation.updated)}")
                if role == Qt.ItemDataRole.AccessibleTextRole:
                    return row.accessible_text
                return None

    @override
    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_at(index)
        if not isinstance(row, Entry):
            return False
        title = entered(str(value), row.title, limit=_LONGEST_TITLE)
        if not title or title == row.title:
            return False
        self.renamed.emit(row.conversation.id, title)
        return True

    @override
    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self.row_at(index), Entry):
            return (
                Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsEditable
                | Qt.ItemFlag.ItemNeverHasChildren
            )
        return Qt.ItemFlag.ItemNeverHasChildren


class ConversationList(QListView):
    """List view: a click or Enter opens; menu key, right click or '…' requests the menu.

    Signals:
        opened: the conversation to open.
        menu_requested: the conversation and the menu's position on the screen.
        end_reached: the view is scrolled to its end and more rows may be loaded.
    """

    opened = Signal(str)
    menu_requested = Signal(object, QPoint)
    end_reached = Signal()

    def __init__(self, model: ConversationModel) -> None:
        super().__init__()
        self._model = model
        self._delegate = ConversationDelegate(self)
        set_up_drawn_list(self, model, self._delegate, _("Conversations"))
        self.customContextMenuRequested.connect(self._on_custom_context_menu_requested)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def select(self, conversation: ConversationId | None) -> None:
        """Select the open conversation; `None` clears the selection."""
        index = self._model.index_of(conversation) if conversation else QModelIndex()
        self.setCurrentIndex(index)
        if not index.isValid():
            self.clearSelection()

    def rename(self, conversation: ConversationId) -> None:
        """Start editing the title of a conversation in place."""
        index = self._model.index_of(conversation)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def set_row_height(self, target_px: int) -> None:
        """Set the minimum row height."""
        self._delegate.set_row_height(target_px)
        self.scheduleDelayedItemsLayout()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._model.row_at(self.currentIndex())
        if isinstance(row, Entry) and self.state() != QAbstractItemView.State.EditingState:
            match event.key():
                case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                    self.opened.emit(row.conversation.id)
                    return
                case Qt.Key.Key_F2:
                    self.edit(self.currentIndex())
                    return
        if types_text(event):
            event.ignore()  # it is for the question
            return
        super().keyPressEvent(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = self._model.row_at(index)
        super().mouseReleaseEvent(event)
        if not isinstance(row, Entry) or event.button() != Qt.MouseButton.LeftButton:
            return
        more = self._delegate.more_rect(self.visualRect(index))
        if more.contains(event.position().toPoint()):
            below = self.viewport().mapToGlobal(more.bottomLeft())
            self.menu_requested.emit(row.conversation, below)
        else:
            self.opened.emit(row.conversation.id)

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        # The '…' is drawn only on the hovered row, so the row left is repainted.
        if event.type() in (QEvent.Type.Leave, QEvent.Type.HoverMove):
            self.viewport().update()
        return super().viewportEvent(event)

    def _on_custom_context_menu_requested(self, point: QPoint) -> None:
        index = self.indexAt(point)
        if not index.isValid():
            index = self.currentIndex()
            point = self.visualRect(index).center()
        row = self._model.row_at(index)
        if isinstance(row, Entry):
            self.menu_requested.emit(row.conversation, self.viewport().mapToGlobal(point))

    def _on_scrolled(self, value: int) -> None:
        if value >= self.verticalScrollBar().maximum() - self.viewport().height():
            self.end_reached.emit()
