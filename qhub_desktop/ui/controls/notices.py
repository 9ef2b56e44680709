"""Notices: error banner, toast in a corner, and offer box."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import ElidedButton, IconButton, IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import (
    FlowLayout,
    add_to,
    column_of,
    make_label,
    row_of,
)
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.theme import GRID_PX, set_style_property


@dataclass(frozen=True, slots=True)
class Remedy:
    """Button that resolves a problem."""

    label: str
    run: Callable[[], object]


MAX_CHARACTERS = 600  # of a message, which may quote a name: more would hide the window
TOAST_MS = 5_000  # that a toast stays without anything to press
TOAST_OFFER_MS = 10_000  # that a toast with buttons stays
_TOAST_PX = 420
_LEAST_TOAST_PX = 200
_TOAST_EDGE_PX = 2 * GRID_PX


class Toast(QFrame):
    """Quiet message in the lower right corner of its owner, over what is there: it moves nothing.

    It goes by itself, unless the pointer is on it or the focus in it; one that stays goes when
    it is closed or answered, and comes back after a passing one. Its buttons are `target_px` high
    at least.
    """

    def __init__(self, owner: QWidget, *, widest_px: int = _TOAST_PX, target_px: int = 0) -> None:
        super().__init__(owner)
        self._widest_px = widest_px
        self._target_px = target_px
        self.setProperty("kind", "popover")
        self.setAutoFillBackground(True)
        self._owner = owner
        self._clear_of: QWidget | None = None
        self._places: tuple[QWidget, ...] = ()
        self._staying: tuple[str, tuple[Remedy, ...]] | None = None
        self._is_passing = False
        self._icon_label = IconLabel("check", "good", size_px=18)
        self._message = make_label(is_wrapped=True)
        self._close = IconButton("close", _("Close"), on_click=self._on_closed)
        self._row = FlowLayout(spacing_px=4)
        self.buttons: list[ElidedButton] = []
        head = row_of(self._icon_label, (self._message, 1), self._close)
        self._column = column_of(head, self._row, owner=self, margins=(12, 6, 6, 6), spacing=2)
        self._going = QTimer(self, singleShot=True)
        self._going.timeout.connect(self._on_time_over)
        owner.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """Message shown; empty while hidden."""
        return "" if self.isHidden() else self._message.text()

    def keep_clear_of(self, widget: QWidget) -> None:
        """Stand above a widget where the corner is its place, as that of the question is."""
        self._clear_of = widget
        widget.installEventFilter(self)

    def stand_on(self, *columns: QWidget) -> None:
        """Stand at the foot of the first of these that is shown: what is read stands elsewhere."""
        self._places = columns
        for column in columns:
            column.installEventFilter(self)

    def tell(self, sentence: str, *remedies: Remedy, stays: bool = False) -> None:
        """Show a message in place of the last one; one that stays waits for an answer."""
        if stays:
            self._staying = (sentence, remedies)
        self._is_passing = not stays
        self._show(sentence, remedies)

    def offer_undo(self, sentence: str, undo: Callable[[], object]) -> None:
        """Say what was done, and offer to undo it."""
        self.tell(sentence, Remedy(_("Undo"), undo))

    def _show(self, sentence: str, remedies: Sequence[Remedy]) -> None:
        is_cut = len(sentence) > MAX_CHARACTERS
        self._message.setText(f"{sentence[:MAX_CHARACTERS]}…" if is_cut else sentence)
        self.setAccessibleName(sentence)
        self._icon_label.show_icon(*(("check", "good") if self._is_passing else ("info", "accent")))
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for remedy in remedies:
            button = ElidedButton(remedy.label, kind="link")
            button.setMinimumSize(self._target_px, self._target_px)
            button.setAutoDefault(False)  # Enter is for the window below
            button.clicked.connect(lambda *_clicked, run=remedy.run: self._on_clicked(run))
            self.buttons.append(button)
            self._row.addWidget(button)
        self._going.stop()
        if self._is_passing:
            self._going.start(TOAST_OFFER_MS if remedies else TOAST_MS)
        self.show()
        self.raise_()
        self._place()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        places = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        if event.type() in places and isValid(self._owner) and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    @override
    def event(self, event: QEvent) -> bool:
        is_heard = super().event(event)
        # Only when it is styled does a button know its height.
        if event.type() == QEvent.Type.LayoutRequest and not self.isHidden():
            self._place()
        return is_heard

    def _place(self) -> None:
        """Stand at the foot of a column, or in the corner above what is to stay clear."""
        room = self._owner.rect()
        for column in self._places:
            if isValid(column) and column.isVisible() and column.width() >= _LEAST_TOAST_PX:
                room &= QRect(column.mapTo(self._owner, QPoint(0, 0)), column.size())
                break
        edge = _TOAST_EDGE_PX if room == self._owner.rect() else GRID_PX
        room.adjust(edge, edge, -edge, -edge)
        width = min(self._widest_px, room.width())
        height = self._column.totalHeightForWidth(width)
        box = QRect(room.right() - width + 1, room.bottom() - height + 1, width, height)
        other = self._clear_of
        if other is not None and isValid(other) and other.isVisible():
            taken = QRect(other.mapTo(self._owner, QPoint(0, 0)), other.size())
            if taken.intersects(box):
                box.moveBottom(max(taken.top() - GRID_PX, height))
        self.setGeometry(box)

    def _on_time_over(self) -> None:
        focus: QWidget | None = self.focusWidget()
        if self.underMouse() or (focus is not None and focus.hasFocus()):
            self._going.start(TOAST_MS)
        else:
            self._go()

    def _on_closed(self) -> None:
        if not self._is_passing:
            self._staying = None
        self._go()

    def _on_clicked(self, run: Callable[[], object]) -> None:
        self._on_closed()
        run()

    def _go(self) -> None:
        """Go, or show again what stays."""
        self._going.stop()
        self.hide()
        if self._is_passing and self._staying is not None:
            self._is_passing = False
            self._show(*self._staying)


class Banner(QFrame):
    """Banner with the latest error or note, until closed or resolved."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._remedy: Remedy | None = None
        self._is_note = False
        self._icon_label = IconLabel()
        self._message = make_label(is_wrapped=True, is_selectable=True)
        self.remedy_button = TextButton("", on_click=self._on_clicked)
        self._close = IconButton("close", _("Close"), on_click=self.hide)
        row = row_of(owner=self, margins=(12, 6, 6, 6))
        add_to(row, self._icon_label, (self._message, 1), self.remedy_button, self._close)
        self._toast: Toast | None = None
        self.hide()

    @property
    def toast(self) -> Toast:
        """The toast over the window of the banner, for what went well."""
        if self._toast is None:
            self._toast = Toast(self.parentWidget() or self)
        return self._toast

    def show_error(self, sentence: str, remedy: Remedy | None = None) -> None:
        """Show an error in place of any earlier message."""
        self._show(sentence, remedy, is_note=False)

    def show_note(self, sentence: str, remedy: Remedy | None = None) -> None:
        """Show a note, unless an error is shown."""
        if self.isHidden() or self._is_note:
            self._show(sentence, remedy, is_note=True)

    def _show(self, sentence: str, remedy: Remedy | None, *, is_note: bool) -> None:
        self._is_note = is_note
        kind = "note" if is_note else "banner"
        if self.property("kind") != kind:
            set_style_property(self, "kind", kind)
        if is_note:
            self._icon_label.show_icon("info", "accent")
        else:
            self._icon_label.show_icon("warning", "bad")
        shown = sentence if len(sentence) <= MAX_CHARACTERS else f"{sentence[:MAX_CHARACTERS]}…"
        self._message.setText(shown)
        set_tooltip(self._message, "" if shown == sentence else sentence)
        self.setAccessibleName(sentence)
        self._remedy = remedy
        self.remedy_button.setVisible(remedy is not None)
        self.remedy_button.set_caption(remedy.label if remedy else "")
        self.show()

    @property
    def text(self) -> str:
        """Message shown; empty while hidden."""
        return "" if self.isHidden() else self._message.text()

    def _on_clicked(self) -> None:
        remedy, self._remedy = self._remedy, None
        self.hide()
        if remedy is not None:
            remedy.run()


Action = tuple[str, Callable[[], object]]


class OfferBox(QFrame):
    """Inline offer, removed when one of its buttons or its close button is pressed.

    Signals:
        dismissed: the offer was closed.
    """

    dismissed = Signal()

    def __init__(self, words: str, actions: Sequence[Action]) -> None:
        super().__init__()
        self.setProperty("kind", "offer")
        self.setAccessibleName(words)
        self._is_dismissed = False
        self._message = make_label(words, is_wrapped=True)
        self._message.setMinimumWidth(24)
        self._close = IconButton("close", _("Not now"), on_click=self.dismiss)
        sign = IconLabel("info", "accent", size_px=18)
        above = Qt.AlignmentFlag.AlignTop
        top = row_of((sign, 0, above), (self._message, 1), (self._close, 0, above))
        self.buttons: list[ElidedButton] = []
        row = FlowLayout(spacing_px=6)
        for position, (label, run) in enumerate(actions):
            button = ElidedButton(label, kind="primary" if position == 0 else "")
            button.clicked.connect(lambda *_clicked, run=run: self._on_action_clicked(run))
            self.buttons.append(button)
            row.addWidget(button)
        column = column_of(top, owner=self, margins=(10, 6, 4, 10), spacing=6)
        if self.buttons:
            column.addLayout(row)

    @property
    def text(self) -> str:
        """Text of the offer."""
        return self._message.text()

    def dismiss(self) -> None:
        """Close the offer."""
        if not self._is_dismissed:
            self._is_dismissed = True
            self.hide()
            self.deleteLater()
            self.dismissed.emit()

    def _on_action_clicked(self, run: Callable[[], object]) -> None:
        self.dismiss()
        run()
