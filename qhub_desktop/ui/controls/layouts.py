"""Layouts, labels and lists, made in one call; a flow layout, and labels that elide long text."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QAbstractItemModel, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QLayoutItem,
    QListView,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.untrusted import visible
from qhub_desktop.ui.controls.plain_text import breakable, elided, one_line, set_tooltip
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, TEXT_WIDTH_PX, theme

# In px: of all sides; left and right, top and bottom; or left, top, right, bottom.
Margins = int | tuple[int, int] | tuple[int, int, int, int]
TEXT_MARGIN_PX = 3 * GRID_PX  # at the least
ROW_KEY = Qt.ItemDataRole.UserRole
STRETCH: Literal["stretch"] = "stretch"  # room that takes what the others leave
# What stands in a row or a column: a part, alone or with its stretch and its alignment; a gap of so
# many px; or room.
Item = (
    QWidget
    | QLayout
    | tuple[QWidget | QLayout, int]
    | tuple[QWidget, int, Qt.AlignmentFlag]
    | int
    | Literal["stretch"]
)
Box = TypeVar("Box", bound=QBoxLayout)
ANY_HEIGHT_PX = 16_777_215  # as a maximum: no limit (Qt's QWIDGETSIZE_MAX)


# Where margins or the spacing are None, they are Qt's own.


def row_of(
    *items: Item,
    owner: QWidget | None = None,
    margins: Margins | None = 0,
    spacing: int | None = GRID_PX,
) -> QHBoxLayout:
    """Return a horizontal layout, of a widget or for another layout."""
    layout = QHBoxLayout() if owner is None else QHBoxLayout(owner)
    return _filled(layout, items, margins, spacing)


def column_of(
    *items: Item,
    owner: QWidget | None = None,
    margins: Margins | None = 0,
    spacing: int | None = GRID_PX,
) -> QVBoxLayout:
    """Return a vertical layout, of a widget or for another layout."""
    layout = QVBoxLayout() if owner is None else QVBoxLayout(owner)
    return _filled(layout, items, margins, spacing)


def _filled(
    layout: Box, items: Iterable[Item], margins: Margins | None, spacing: int | None
) -> Box:
    match margins:
        case int():
            layout.setContentsMargins(margins, margins, margins, margins)
        case (across, down):
            layout.setContentsMargins(across, down, across, down)
        case (left, top, right, bottom):
            layout.setContentsMargins(left, top, right, bottom)
    if spacing is not None:
        layout.setSpacing(spacing)
    add_to(layout, *items)
    return layout


def add_to(layout: QBoxLayout, *items: Item) -> None:
    """Add parts at the end of a row or a column."""
    for item in items:
        _add(layout, item)


def _add(layout: QBoxLayout, item: Item) -> None:
    match item:
        case QWidget():
            layout.addWidget(item)
        case QLayout():
            layout.addLayout(item)
        case int():
            layout.addSpacing(item)
        case "stretch":
            layout.addStretch(1)
        case (QWidget() as widget, stretch, alignment):
            layout.addWidget(widget, stretch, alignment)
        case (QWidget() as widget, stretch):
            layout.addWidget(widget, stretch)
        case (inner, stretch):
            layout.addLayout(inner, stretch)


def text_margin_px(width: int) -> int:
    """Return the margin at both sides of text in the middle of so wide a widget."""
    return max(TEXT_MARGIN_PX, (width - TEXT_WIDTH_PX) // 2)


def set_height_for_width(widget: QWidget) -> None:
    """Have a layout ask the widget for its height at the width that it gets, all that there is."""
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)


def widgets_in(layout: QLayout) -> Iterator[QWidget]:
    """Yield the widgets of a layout, in order."""
    for index in range(layout.count()):
        item = layout.itemAt(index)
        widget = item.widget() if item is not None else None
        if widget is not None:
            yield widget


class PlainLabel(QLabel):
    """Label that shows markup as it stands; Qt's own guesses what is markup."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    @override
    def setText(self, text: str) -> None:
        shown = visible(text)
        super().setText(breakable(shown) if self.wordWrap() else shown)

    @override
    def setWordWrap(self, on: bool) -> None:
        super().setWordWrap(on)
        self.setText(self.text().replace("\u200b", ""))


def make_label(
    text: str = "", *, role: str = "", is_wrapped: bool = False, is_selectable: bool = False
) -> QLabel:
    """Return a label of plain text; `role` selects a style of the theme."""
    label = PlainLabel(text)
    label.setWordWrap(is_wrapped)
    if is_selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label


class _MarkupLabel(QLabel):
    """Label of HTML that we have made."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setText(html)

    @override
    def setText(self, html: str) -> None:
        super().setText(visible(html))


def make_markup_label(html: str = "", *, role: str = "", is_wrapped: bool = False) -> QLabel:
    """Return a label of HTML, in which every text from outside has been escaped."""
    label = _MarkupLabel(html)
    label.setWordWrap(is_wrapped)
    if role:
        label.setProperty("role", role)
    return label


def make_list(
    name: str, columns: Sequence[str], *, wide: int, numbers: Collection[int] = ()
) -> QTreeWidget:
    """Return an empty list with columns; the column `wide` takes the room that the others leave.

    Heads stand over their cells: those of the columns `numbers` at the right, as `make_row` has
    them.
    """
    list_ = QTreeWidget()
    list_.setAccessibleName(name)
    list_.setProperty("kind", "choices")
    list_.setColumnCount(len(columns))
    list_.setHeaderLabels([*columns])
    for column in range(len(columns)):
        list_.headerItem().setTextAlignment(column, _SIDES[column in numbers])
    list_.setRootIsDecorated(False)
    list_.setUniformRowHeights(True)
    list_.setAllColumnsShowFocus(True)
    list_.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    header = list_.header()
    header.setStretchLastSection(False)
    header.setSectionsMovable(False)
    for column in range(len(columns)):
        is_wide = column == wide
        mode = QHeaderView.ResizeMode
        header.setSectionResizeMode(column, mode.Stretch if is_wide else mode.ResizeToContents)
    return list_


def set_up_drawn_list(
    view: QListView, model: QAbstractItemModel, delegate: QStyledItemDelegate, name: str
) -> None:
    """Let a list show a model whose rows a delegate draws, one of them selected at a time."""
    view.setModel(model)
    view.setItemDelegate(delegate)
    view.setAccessibleName(name)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setMouseTracking(True)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.viewport().setAutoFillBackground(False)


def draw_row_ground(
    painter: QPainter, option: QStyleOptionViewItem, *, is_selected: bool, is_hovered: bool
) -> None:
    """Draw what a row of a drawn list stands on, and the frame of one that has the keys."""
    palette = theme().palette
    ground = option.rect.adjusted(0, 1, 0, -1)
    if is_selected or is_hovered:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.chosen if is_selected else palette.hover))
        painter.drawRoundedRect(ground, RADIUS_PX, RADIUS_PX)
    has_focus = option.state & QStyle.StateFlag.State_HasFocus
    if has_focus and option.state & QStyle.StateFlag.State_KeyboardFocusChange:
        painter.setPen(QPen(QColor(palette.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)


_SIDES = (
    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
)


def make_row(
    cells: Sequence[str], key: object = None, *, numbers: Collection[int] = ()
) -> QTreeWidgetItem:
    """Return a row of a list, each cell on one line; `key` is what it stands for."""
    row = QTreeWidgetItem()
    row.setData(0, ROW_KEY, key)
    for column, cell in enumerate(cells):
        row.setText(column, one_line(cell))
        row.setTextAlignment(column, _SIDES[column in numbers])
    return row


def selected_key(list_: QTreeWidget) -> Any:
    """Return the key of the selected row; None where none is."""
    rows = list_.selectedItems()
    return rows[0].data(0, ROW_KEY) if rows else None


def scrolled(inside: QWidget) -> QScrollArea:
    """Return an area without a frame that scrolls a widget up and down; Tab goes to its parts."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    inside.setAutoFillBackground(False)
    area.viewport().setAutoFillBackground(False)
    return area


def tab_stops(part: QWidget) -> Iterator[QWidget]:
    """Yield what Tab stops at in a part, in the order in which it is laid out."""
    if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None:
        yield part
    layout = part.layout()
    placed = [*_widgets_of(layout)] if layout is not None else []
    beside = [each for each in part.children() if isinstance(each, QWidget) and each not in placed]
    for child in (*placed, *beside):
        if not child.isWindow():
            yield from tab_stops(child)


def _widgets_of(layout: QLayout) -> Iterator[QWidget]:
    for at in range(layout.count()):
        item = layout.itemAt(at)
        if item is None:
            continue
        if (widget := item.widget()) is not None:
            yield widget
        elif (inner := item.layout()) is not None:
            yield from _widgets_of(inner)


def chain_tabs(parts: Iterable[QWidget]) -> None:
    """Have Tab go through parts one after the other, in whatever order they were made."""
    before: QWidget | None = None
    for part in parts:
        for stop in tab_stops(part):
            if before is not None:
                QWidget.setTabOrder(before, stop)
            before = stop


class FormBeside(QWidget):
    """A form with what it comes to beside it; below it where there is too little width.

    `shares` are those of the width: of the form, of what it comes to.
    """

    def __init__(
        self, form: QWidget, outcome: QWidget | QLayout, *, narrow_px: int, shares: tuple[int, int]
    ) -> None:
        super().__init__()
        self._narrow_px = narrow_px
        self._shares = shares
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(2 * GRID_PX)
        add_to(self._box, (form, shares[0]), (outcome, shares[1]))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        directions = QBoxLayout.Direction
        is_narrow = self.width() < self._narrow_px
        self._box.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)
        for at, share in enumerate((2, 3) if is_narrow else self._shares):
            self._box.setStretch(at, share)


class FlowLayout(QLayout):
    """Flow layout: widgets at their size hint, wrapped onto lines as high as the highest item."""

    def __init__(self, *, spacing_px: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing_px)

    @override
    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    @override
    def count(self) -> int:
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return self._do_layout(QRect(0, 0, width, 0), is_moving=False)

    @override
    def setGeometry(self, place: QRect) -> None:
        super().setGeometry(place)
        self._do_layout(place, is_moving=True)

    @override
    def sizeHint(self) -> QSize:
        return self.minimumSize()

    @override
    def minimumSize(self) -> QSize:
        least = QSize()
        for item in self._items:
            least = least.expandedTo(item.minimumSize())
        return least

    def _do_layout(self, place: QRect, *, is_moving: bool) -> int:
        """Lay out the items line by line; return the total height in px."""
        left, top, line_px = place.left(), place.top(), 0
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            size = item.sizeHint().boundedTo(QSize(place.width(), item.sizeHint().height()))
            if left > place.left() and left + size.width() > place.right() + 1:
                left, top, line_px = place.left(), top + line_px + self.spacing(), 0
            if is_moving:
                item.setGeometry(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            line_px = max(line_px, size.height())
        return top + line_px - place.top()


class ElidedLabel(PlainLabel):
    """Label of one line that prefers the full width of its text and elides it in less.

    `mode` says where: names that differ at their ends, as those of files and sheets do, lose their
    middle.
    """

    def __init__(
        self,
        words: str = "",
        *,
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(words)
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        place = self.contentsRect()
        words = elided(self.text(), self.fontMetrics(), place.width(), mode=self._mode)
        set_tooltip(self, self.text() if words != self.text() else "")
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), words)
