"""List of documents and of passages that were found: item model, delegate and view."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)
from typing_extensions import override

from qhub_desktop.core.documents import Document, DocumentHit, DocumentState
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, ngettext
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.layouts import draw_row_ground, set_up_drawn_list
from qhub_desktop.ui.controls.plain_text import elided, one_line, tooltip
from qhub_desktop.ui.controls.popup import types_text
from qhub_desktop.ui.theme import TARGET_PX, bold_font, small_font, theme

ROW_ROLE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex

STATE_WORDS: dict[DocumentState, str] = {
    "queued": gettext_noop("waits to be read"),
    "words": "",
    "ready": "",
    "superseded": gettext_noop("superseded"),
    "gone": gettext_noop("no longer in its folder"),
    "failed": gettext_noop("could not be read"),
}
_WRONG: tuple[DocumentState, ...] = ("superseded", "gone", "failed")
_PAD_PX = 10
_SIGN_PX = 18
MORE_PX = 28
_SNIPPET_LINES = 2


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document; `is_read` says that it is being read now."""

    document: Document
    is_read: bool = False

    @property
    def state_text(self) -> str:
        """What is to be said of its state; empty for one that is searched."""
        if self.is_read:
            return _("is being read…")
        words = STATE_WORDS[self.document.state]
        return _(words) if words else ""

    @property
    def below(self) -> str:
        """The line below its name."""
        document = self.document
        parts = [document.file] if document.file != document.name else []
        if document.pages:
            pages = ngettext("{count} page", "{count} pages", document.pages)
            parts.append(pages.format(count=document.pages))
        return " · ".join(parts) or document.title or document.format


@dataclass(frozen=True, slots=True)
class HitRow:
    """A passage that was found, and which of them it is, from 0."""

    hit: DocumentHit
    number: int


Row = str | DocumentRow | HitRow  # a heading is its words


def row_label(row: Row) -> str:
    """Return the accessible text of a row."""
    match row:
        case DocumentRow(document):
            return ", ".join(filter(None, (document.name, row.below, row.state_text)))
        case HitRow(hit):
            place = hit.passage.place.label_text
            return ", ".join(filter(None, (hit.document.name, place, hit.passage.text)))
        case _:
            return row


class DocumentModel(QAbstractListModel):
    """Item model of the rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace the rows; where as many are of the same kind, they are only drawn again."""
        if rows == self.rows:
            return
        if len(rows) == len(self.rows) and all(
            type(one) is type(other) for one, other in zip(rows, self.rows, strict=True)
        ):
            self.rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case int(value) if value == ROW_ROLE:
                return row
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return one_line(row_label(row))
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(_tip(row))
            case _:
                return None

    @override
    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemNeverHasChildren
        if index.isValid() and not isinstance(self.rows[index.row()], str):
            flags |= Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags


def _tip(row: Row) -> str:
    match row:
        case DocumentRow(document):
            lines = [document.name, document.title, document.file, document.path, document.error]
            lines.extend(document.warnings)
            facts = document.facts
            lines += [facts.customer, facts.issued]
            return "\n".join(dict.fromkeys(filter(None, lines)))
        case HitRow(hit):
            return hit.passage.text
        case _:
            return row


class DocumentDelegate(QStyledItemDelegate):
    """Delegate that draws headings, documents with their state, and passages."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view

    def more_rect(self, row: QRect) -> QRect:
        """Return the rectangle of the '…' button of a document."""
        return QRect(row.right() - MORE_PX - 4, row.top(), MORE_PX, row.height())

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        small = QFontMetrics(small_font(option.font)).height()
        body = QFontMetrics(option.font).height()
        match index.data(ROW_ROLE):
            case DocumentRow():
                return QSize(0, max(body + small + 2 + 14, TARGET_PX + 8))
            case HitRow():
                return QSize(0, body + _SNIPPET_LINES * small + 2 + 16)
            case _:
                return QSize(0, small + 20)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        match row:
            case DocumentRow():
                _draw_ground(painter, option)
                self._draw_document(painter, option, row)
            case HitRow(hit):
                _draw_ground(painter, option)
                self._draw_hit(painter, option, hit)
            case _:
                font = bold_font(small_font(option.font))
                painter.setFont(font)
                painter.setPen(QColor(theme().palette.quiet))
                place = option.rect.adjusted(_PAD_PX, 8, -_PAD_PX, -2)
                words = elided(row, QFontMetrics(font), place.width())
                painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

    def _draw_document(
        self, painter: QPainter, option: QStyleOptionViewItem, row: DocumentRow
    ) -> None:
        palette, document = theme().palette, row.document
        is_wrong = document.state in _WRONG
        place = option.rect.adjusted(_PAD_PX, 0, -_PAD_PX, 0)
        sign = "warning" if document.state == "failed" else "document"
        colour = palette.bad if document.state == "failed" else palette.quiet
        drawn = pixmap(sign, colour, size_px=_SIGN_PX, ratio=self._view.devicePixelRatioF())
        painter.drawPixmap(place.left(), place.center().y() - _SIGN_PX // 2, drawn)
        words = place.adjusted(_SIGN_PX + 8, 0, 0, 0)
        shows_more = option.state & (
            QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
        )
        if shows_more:
            words.setRight(self.more_rect(option.rect).left() - 2)
            at = self.more_rect(option.rect).center() - QPoint(8, 8)
            ratio = self._view.devicePixelRatioF()
            painter.drawPixmap(at, pixmap("more", palette.quiet, size_px=18, ratio=ratio))
        faded = palette.quiet if is_wrong else palette.text
        top = self._draw_lines(painter, option.font, words, document.name, faded)
        small = small_font(option.font)
        metrics = QFontMetrics(small)
        line = QRect(words.left(), top, words.width(), metrics.height())
        painter.setFont(small)
        if state := row.state_text:
            tone = palette.bad if document.state == "failed" else palette.warn
            painter.setPen(QColor(tone if is_wrong else palette.accent))
            said = elided(state, metrics, line.width())
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), said)
            line.setLeft(line.left() + metrics.horizontalAdvance(said))
        if line.width() > 30:
            painter.setPen(QColor(palette.quiet))
            below = f" · {row.below}" if state and row.below else row.below
            rest = elided(below, metrics, line.width(), mode=Qt.TextElideMode.ElideMiddle)
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), rest)

    def _draw_lines(
        self, painter: QPainter, font: QFont, place: QRect, words: str, colour: str
    ) -> int:
        """Draw the upper one of two lines; return where the lower one begins."""
        metrics = QFontMetrics(font)
        both = metrics.height() + 2 + QFontMetrics(small_font(font)).height()
        top = place.top() + (place.height() - both) // 2
        painter.setFont(font)
        painter.setPen(QColor(colour))
        line = QRect(place.left(), top, place.width(), metrics.height())
        painter.drawText(
            line,
            int(Qt.AlignmentFlag.AlignVCenter),
            elided(words, metrics, place.width(), mode=Qt.TextElideMode.ElideMiddle),
        )
        return top + metrics.height() + 2

    def _draw_hit(self, painter: QPainter, option: QStyleOptionViewItem, hit: DocumentHit) -> None:
        palette = theme().palette
        place = option.rect.adjusted(_PAD_PX, 7, -_PAD_PX, -7)
        metrics = QFontMetrics(option.font)
        where = ", ".join(filter(None, (hit.document.name, hit.passage.place.label_text)))
        painter.setFont(option.font)
        painter.setPen(QColor(palette.accent))
        line = QRect(place.left(), place.top(), place.width(), metrics.height())
        painter.drawText(
            line, int(Qt.AlignmentFlag.AlignVCenter), elided(where, metrics, line.width())
        )
        small = small_font(option.font)
        painter.setFont(small)
        painter.setPen(QColor(palette.quiet))
        metrics = QFontMetrics(small)
        below = QRect(place.left(), line.bottom() + 3, place.width(), 2 * metrics.height())
        text = elided(one_line(hit.passage.text), metrics, 1.9 * below.width())
        flags = int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(below, flags, text)


def _draw_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    draw_row_ground(
        painter,
        option,
        is_selected=bool(option.state & QStyle.StateFlag.State_Selected),
        is_hovered=bool(option.state & QStyle.StateFlag.State_MouseOver),
    )


class DocumentList(QListView):
    """List view: a click or Enter opens; menu key, right click or '…' requests the menu.

    Signals:
        opened: the row of a document or a passage.
        menu_requested: a document, and the menu's position on the screen.
        removal_requested: a document.
    """

    opened = Signal(object)
    menu_requested = Signal(object, QPoint)
    removal_requested = Signal(object)

    def __init__(self, model: DocumentModel) -> None:
        super().__init__()
        self._delegate = DocumentDelegate(self)
        set_up_drawn_list(self, model, self._delegate, _("Documents"))
        self.customContextMenuRequested.connect(self._on_context_menu_requested)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().data(ROW_ROLE)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if row is not None:
                self.opened.emit(row)
            case Qt.Key.Key_Delete if isinstance(row, DocumentRow):
                self.removal_requested.emit(row.document)
            case _ if types_text(event):
                event.ignore()  # it is for the question
            case _:
                super().keyPressEvent(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = index.data(ROW_ROLE)
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or row is None or isinstance(row, str):
            return
        more = self._delegate.more_rect(self.visualRect(index))
        if isinstance(row, DocumentRow) and more.contains(event.position().toPoint()):
            below = self.viewport().mapToGlobal(more.bottomLeft())
            self.menu_requested.emit(row.document, below)
        else:
            self.opened.emit(row)

    def _on_context_menu_requested(self, point: QPoint) -> None:
        index = self.indexAt(point)
        if not index.isValid():
            index = self.currentIndex()
            point = self.visualRect(index).center()
        row = index.data(ROW_ROLE)
        if isinstance(row, DocumentRow):
            self.menu_requested.emit(row.document, self.viewport().mapToGlobal(point))
