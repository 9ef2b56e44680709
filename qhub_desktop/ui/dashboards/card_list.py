"""Editor of a dashboard's cards: their order, widths and names; and of its page's blocks.

Cards are moved by dragging their grip, or with arrow buttons.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dashboard import (
    WIDTHS,
    DashboardSpec,
    PageBlock,
    PinnedCard,
    Width,
    moved,
    moved_block,
    renamed,
    resized,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.ui.controls.buttons import IconButton, IconLabel
from qhub_desktop.ui.controls.layouts import STRETCH, ElidedLabel, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import entered, one_line, set_tooltip
from qhub_desktop.ui.theme import GRID_PX, theme

WIDTH_PX = 320
_INDICATOR_PX = 3
_AUTOSCROLL_PX = 40  # from an edge of the list, where dragging scrolls it
_WIDTH_NAMES: dict[Width, str] = {
    3: gettext_noop("a quarter"),
    4: gettext_noop("a third"),
    6: gettext_noop("half"),
    8: gettext_noop("two thirds"),
    12: gettext_noop("the whole width"),
}
Change = Callable[[DashboardSpec], DashboardSpec]


class CardList(QFrame):
    """List that moves, resizes, renames and removes cards.

    Signals:
        changed: the edit, as a function from the old DashboardSpec to the new one.
        taken_off: the card to take off.
        form_requested: the card whose form is wanted.
    """

    changed = Signal(object)
    taken_off = Signal(object)
    form_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setFixedWidth(WIDTH_PX)
        self.rows: list[ArrangedRow] = []
        self._shown: tuple[list[PinnedCard], list[PageBlock]] = ([], [])
        self._content = QWidget()
        self._drop_indicator = QFrame(self._content)
        self._drop_indicator.hide()
        self._list = column_of(STRETCH, owner=self._content, margins=(GRID_PX, 0, GRID_PX, GRID_PX))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setAccessibleName(_("Cards"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._content)
        heading = make_label(_("Cards"), role="heading")
        heading.setContentsMargins(GRID_PX, GRID_PX, GRID_PX, GRID_PX)
        column_of(heading, (self._scroll, 1), owner=self, spacing=None)
        theme().register(self._restyle)

    def show_cards(self, cards: Sequence[PinnedCard], blocks: Sequence[PageBlock] = ()) -> None:
        """Show the blocks of the page, then these cards, as they stand there.

        If they are the same, the rows stay, and what is being typed. A single block has no order.
        """
        shown = ([*cards], [*blocks])
        if shown == self._shown:
            return
        self._shown = shown
        for row in self.rows:
            self._list.removeWidget(row)
            row.deleteLater()
        several = blocks if len(blocks) > 1 else ()
        self.rows = [
            *(BlockRow(block, count=len(blocks)) for block in several),
            *(CardRow(card) for card in cards),
        ]
        for place, row in enumerate(self.rows):
            row.changed.connect(self.changed)
            if isinstance(row, CardRow):
                row.taken_off.connect(self.taken_off)
                row.form_requested.connect(self.form_requested)
            row.handle.dragged.connect(partial(self._on_dragged, row))
            row.handle.dropped.connect(partial(self._on_dropped, row))
            self._list.insertWidget(place, row)

    def _restyle(self) -> None:
        self._drop_indicator.setStyleSheet(f"background: {theme().palette.accent}; border: none;")

    def _on_dragged(self, row: "ArrangedRow", at: QPoint) -> None:
        """Mark where the card would be dropped."""
        here = self._content.mapFromGlobal(at)
        self._scroll.ensureVisible(0, here.y(), 0, _AUTOSCROLL_PX)
        gap = self._drop_index(here.y())
        after = self.rows[gap - 1].geometry().bottom() + 1 if gap else 0
        step = self._list.spacing() - _INDICATOR_PX
        self._drop_indicator.setGeometry(
            row.x(), after + (step // 2 if gap else 0), row.width(), _INDICATOR_PX
        )
        self._drop_indicator.raise_()
        self._drop_indicator.setVisible(self._is_inside(at) and self._move_offset(row, gap) != 0)

    def _on_dropped(self, row: "ArrangedRow", at: QPoint) -> None:
        self._drop_indicator.hide()
        step = self._move_offset(row, self._drop_index(self._content.mapFromGlobal(at).y()))
        if step and self._is_inside(at):
            row.move_by(step)

    def _drop_index(self, y: int) -> int:
        """Return how many cards lie above `y`."""
        return sum(each.geometry().center().y() < y for each in self.rows)

    def _move_offset(self, row: "ArrangedRow", gap: int) -> int:
        """Return by how many places the card would move to this gap."""
        place = self.rows.index(row)
        return gap - place - (gap > place)

    def _is_inside(self, at: QPoint) -> bool:
        """Whether a drop is inside the list; outside, the card stays where it was."""
        return self.rect().contains(self.mapFromGlobal(at))


class ArrangedRow(QFrame):
    """Row of what has a place on the page: a handle to drag it, and arrow buttons.

    Signals:
        changed: the edit, as in CardList.
    """

    changed = Signal(object)

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.handle = DragHandle(_("Drag {title} to its place").format(title=title))
        forward, back = _("Move {title} forward"), _("Move {title} back")
        self.up_button = IconButton("chevron-up", forward.format(title=title))
        self.up_button.clicked.connect(lambda: self.move_by(-1))
        self.down_button = IconButton("chevron-down", back.format(title=title))
        self.down_button.clicked.connect(lambda: self.move_by(1))

    def move_by(self, step: int) -> None:
        """Move it so many places further on."""
        raise NotImplementedError

    def _change(self, change: Change) -> None:
        self.changed.emit(change)


class BlockRow(ArrangedRow):
    """Row of a block of the page that a model has made: it is moved, and stays as it is."""

    def __init__(self, block: PageBlock, *, count: int) -> None:
        super().__init__(block.title)
        self.block = block
        self._count = count
        title = ElidedLabel(block.title)
        row_of(
            self.handle,
            (title, 1),
            self.up_button,
            self.down_button,
            owner=self,
            margins=GRID_PX,
            spacing=None,
        )

    @override
    def move_by(self, step: int) -> None:
        self._change(partial(moved_block, block=self.block.number, step=step, count=self._count))


class CardRow(ArrangedRow):
    """Row with the controls of one card.

    Signals:
        taken_off, form_requested: the card, as in CardList.
    """

    taken_off = Signal(object)
    form_requested = Signal(object)

    def __init__(self, card: PinnedCard) -> None:
        super().__init__(card.title)
        self.card = card
        self.name = QLineEdit(one_line(card.title))
        self.name.setAccessibleName(_("Name of the card"))
        self.name.editingFinished.connect(self._on_editing_finished)
        self.width_box = QComboBox()
        self.width_box.setAccessibleName(_("Width of {title}").format(title=card.title))
        for width in WIDTHS:
            self.width_box.addItem(_(_WIDTH_NAMES[width]))
        self.width_box.setMinimumContentsLength(5)
        self.width_box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.width_box.setCurrentIndex(WIDTHS.index(card.width))
        self.width_box.activated.connect(
            lambda at: self._change(partial(resized, card=card.id, width=WIDTHS[at]))
        )
        off = _("Take {title} off").format(title=card.title)
        self.remove_button = IconButton("trash", off)
        self.remove_button.clicked.connect(lambda: self.taken_off.emit(card))
        by_choices = _("Change {title} by choices").format(title=card.title)
        self.form_button = IconButton("filter", by_choices)
        self.form_button.clicked.connect(lambda: self.form_requested.emit(card))
        self.form_button.setVisible(card.has_form)
        doing = row_of(
            (self.width_box, 1),
            self.form_button,
            self.up_button,
            self.down_button,
            self.remove_button,
            spacing=None,
        )
        naming = row_of(self.handle, (self.name, 1), spacing=None)
        column_of(naming, doing, owner=self, margins=GRID_PX, spacing=None)

    @override
    def move_by(self, step: int) -> None:
        self._change(partial(moved, card=self.card.id, step=step))

    def _on_editing_finished(self) -> None:
        title = entered(self.name.text(), self.card.title)
        if title and title != self.card.title:
            self._change(partial(renamed, card=self.card.id, title=title))


class DragHandle(IconLabel):
    """Handle by which a card is dragged.

    Signals:
        dragged, dropped: global position of the pointer.
    """

    dragged = Signal(QPoint)
    dropped = Signal(QPoint)

    def __init__(self, tip: str) -> None:
        super().__init__("grip")
        set_tooltip(self, tip)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(event.globalPosition().toPoint())

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
            self.dropped.emit(event.globalPosition().toPoint())
