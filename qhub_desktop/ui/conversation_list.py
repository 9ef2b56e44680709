"""The list of conversations: it opens them, lets them be renamed and offers their menu."""

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.ui.conversation_delegate import ConversationDelegate
from qhub_desktop.ui.conversation_rows import ROW_ROLE, Entry, Heading, Row
from qhub_desktop.ui.theme import Palette

Index = QModelIndex | QPersistentModelIndex


class ConversationModel(QAbstractListModel):
    """The rows, as Qt's views read them.

    Signals:
        renamed: a conversation's id and the title it was given in the list.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def show_rows(self, rows: list[Row]) -> None:
        """Show these instead."""
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row_at(self, index: Index) -> Row | None:
        """What stands there."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, conversation: str) -> QModelIndex:
        """Where a conversation stands; an invalid index if it does not."""
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
            case Heading(text):
                return text if role == Qt.ItemDataRole.DisplayRole else None
            case Entry():
                if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
                    return row.title
                if role == Qt.ItemDataRole.ToolTipRole:
                    return f"{row.words}\n{moment(row.conversation.updated)}"
                if role == Qt.ItemDataRole.AccessibleTextRole:
                    return row.words
                return None

    @override
    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_at(index)
        title = str(value).strip()
        if not isinstance(row, Entry) or not title or title == row.title:
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
    """Opens on a click or Enter; the menu key, a right click or '…' asks for the menu.

    Signals:
        opened: the conversation to open.
        menu_wanted: a conversation, and where on the screen.
        end_reached: the last rows are in sight, and there may be more.
    """

    opened = Signal(str)
    menu_wanted = Signal(object, QPoint)
    end_reached = Signal()

    def __init__(self, model: ConversationModel, palette: Palette) -> None:
        super().__init__()
        self._model = model
        self._drawn = ConversationDelegate(palette, self)
        self.setModel(model)
        self.setItemDelegate(self._drawn)
        self.setAccessibleName(_("Conversations"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_custom_context_menu_requested)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.viewport().setAutoFillBackground(False)

    def select(self, conversation: str | None) -> None:
        """Mark the one that is open; `None` marks none."""
        index = self._model.index_of(conversation) if conversation else QModelIndex()
        self.setCurrentIndex(index)
        if not index.isValid():
            self.clearSelection()

    def rename(self, conversation: str) -> None:
        """Let its title be typed over."""
        index = self._model.index_of(conversation)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._drawn.set_palette(palette)
        self.viewport().update()

    def set_target(self, target_px: int) -> None:
        """Make rows at least as high as this."""
        self._drawn.set_target(target_px)
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
        super().keyPressEvent(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = self._model.row_at(index)
        super().mouseReleaseEvent(event)
        if not isinstance(row, Entry) or event.button() != Qt.MouseButton.LeftButton:
            return
        more = self._drawn.more_rect(self.visualRect(index))
        if more.contains(event.position().toPoint()):
            below = self.viewport().mapToGlobal(more.bottomLeft())
            self.menu_wanted.emit(row.conversation, below)
        else:
            self.opened.emit(row.conversation.id)

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        # The '…' is drawn under the pointer alone, so the row it leaves is drawn again.
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
            self.menu_wanted.emit(row.conversation, self.viewport().mapToGlobal(point))

    def _on_scrolled(self, value: int) -> None:
        if value >= self.verticalScrollBar().maximum() - self.viewport().height():
            self.end_reached.emit()
