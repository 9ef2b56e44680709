"""The scrolling column of a conversation, which follows its end only if the reader is there."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    TEXT_MARGIN_PX,
    column_of,
    text_margin_px,
    widgets_in,
)
from qhub_desktop.ui.theme import GRID_PX, theme

_NEAR_END_PX = 32  # so near, the reader follows the end
_JUMP_PX = 40
_SCROLL_STEP_PX = 48
_MARK_PX = 3
_MARK_MS = 3_000


class Transcript(QScrollArea):
    """Scroll area of entries, oldest on top.

    Entries added, removed or resized above the reader do not move what is being read.

    Signals:
        top_neared: the reader is close to the first entry.
        bottom_neared: the reader is close to the last entry.
    """

    top_neared = Signal()
    bottom_neared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_following = True
        self._read_from: QWidget | None = None  # the end is followed no further than to its top
        self._has_newest = True
        self._is_adjusting = False
        self._anchor: tuple[QWidget, int] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        self._column = column_of(STRETCH, owner=self._content, margins=None, spacing=2 * GRID_PX)
        self.setWidget(self._content)
        self.viewport().setAutoFillBackground(False)
        self._content.setAutoFillBackground(False)
        self.jump_button = self._make_jump_button()
        theme().register(self._restyle)
        bar = self.verticalScrollBar()
        bar.setSingleStep(_SCROLL_STEP_PX)
        bar.rangeChanged.connect(self._on_range_changed)
        bar.valueChanged.connect(self._on_value_changed)
        self._content.installEventFilter(self)

    @property
    def top_entry(self) -> QWidget | None:
        """The topmost visible entry."""
        top = self.verticalScrollBar().value()
        return next((each for each in self._entries() if each.y() + each.height() > top), None)

    @property
    def entries(self) -> tuple[QWidget, ...]:
        """All entries, top to bottom."""
        return tuple(self._entries())

    def append(self, entry: QWidget) -> None:
        """Add an entry at the end."""
        self.insert(self._column.count() - 1, entry)

    def insert(self, place: int, entry: QWidget) -> None:
        """Insert an entry before the one at index `place`."""
        entry.setParent(self._content)
        self._column.insertWidget(place, entry)
        entry.show()

    def index_of(self, entry: QWidget) -> int:
        """Return the index of an entry."""
        return self._column.indexOf(entry)

    def remove(self, entry: QWidget) -> None:
        """Remove and delete an entry."""
        if self._anchor and self._anchor[0] is entry:
            self._anchor = None
        if self._read_from is entry:
            self._read_from = None
        self._column.removeWidget(entry)
        entry.hide()
        entry.deleteLater()

    def remove_from(self, entry: QWidget) -> None:
        """Remove and delete an entry and all below it."""
        place = self.index_of(entry)
        for each in self.entries[place:]:
            self.remove(each)

    def lay_out_now(self) -> None:
        """Lay out new entries now, not at the next step of the event loop."""
        self._column.activate()
        self.eventFilter(self._content, QEvent(QEvent.Type.LayoutRequest))

    @property
    def is_scrollable(self) -> bool:
        """Whether the content is higher than the viewport."""
        return self.verticalScrollBar().maximum() > 0

    def set_has_newest(self, *, has_newest: bool) -> None:
        """Set whether the last entry is the newest message: only then the end is followed."""
        self._has_newest = has_newest
        if not has_newest and self._is_following:
            self._is_following = False
            self._set_anchor()

    def follow_end(self, *, read_from: QWidget | None = None) -> None:
        """Scroll to the end and follow it, until this entry is at the top: from there one reads."""
        self._is_following = True
        self._read_from = read_from
        self.jump_button.hide()
        self._restore_scroll()

    def bring_end(self) -> None:
        """Follow the very end, which waits for the reader, unless they have gone elsewhere."""
        if self._is_following:
            self.follow_end()

    def show_jump_button(self) -> None:
        """Show the jump button unless the reader is at the end."""
        bar = self.verticalScrollBar()
        if bar.value() < bar.maximum() - _NEAR_END_PX:
            self._place_jump_button()
            self.jump_button.show()
            self.jump_button.raise_()

    def scroll_to_entry(self, entry: QWidget, *, offset_px: int = 0) -> None:
        """Scroll so that this part of an entry is in the upper third of the viewport."""
        self._is_following = False
        self.lay_out_now()
        target = entry.y() + offset_px - self.viewport().height() // 3
        self.verticalScrollBar().setValue(target)

    def show_part(self, entry: QWidget, part: QWidget) -> None:
        """Scroll to a part of an entry, and mark it for a moment."""
        self.scroll_to_entry(entry, offset_px=part.mapTo(entry, QPoint(0, 0)).y())
        self.mark(part)

    def mark(self, part: QWidget) -> None:
        """Mark an entry, or a part of one, for a moment, so that it is seen what was meant."""
        marker = QFrame(self._content)
        marker.setObjectName("marker")
        marker.setStyleSheet(f"background: {theme().palette.accent}; border: none;")
        place = part.mapTo(self._content, QPoint(0, 0))
        marker.setGeometry(place.x() - GRID_PX, place.y(), _MARK_PX, part.height())
        marker.show()
        QTimer.singleShot(_MARK_MS, marker, marker.deleteLater)

    def _restyle(self) -> None:
        palette = theme().palette
        self.jump_button.setIcon(icon("chevron-down", palette.on_accent, size_px=20))
        self.jump_button.setStyleSheet(
            f"QToolButton {{ background: {palette.accent}; color: {palette.on_accent};"
            f" border: none; padding: 0 {2 * GRID_PX}px; min-height: {_JUMP_PX}px;"
            f" border-radius: {_JUMP_PX // 2}px; }}"
            f"QToolButton:focus {{ border: 2px solid {palette.text}; }}"
        )

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        side = text_margin_px(self.width())
        # Keep the width with and without the scroll bar, or every height would change.
        right = max(side - (self.width() - self.viewport().width()), GRID_PX)
        self._column.setContentsMargins(side, TEXT_MARGIN_PX, right, TEXT_MARGIN_PX)
        super().resizeEvent(event)
        self._restore_scroll()
        self._place_jump_button()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_handled = super().eventFilter(watched, event)
        if watched is self._content and event.type() in (
            QEvent.Type.LayoutRequest,
            QEvent.Type.Resize,
        ):
            self._restore_scroll()
        return is_handled

    def _entries(self) -> Iterator[QWidget]:
        return widgets_in(self._column)

    def _on_range_changed(self, _lower: int, _upper: int) -> None:
        self._restore_scroll()

    def _on_value_changed(self, value: int) -> None:
        if self._is_adjusting:
            return
        bar = self.verticalScrollBar()
        self._is_following = self._has_newest and value >= bar.maximum() - _NEAR_END_PX
        self._read_from = None
        if self._is_following:
            self.jump_button.hide()
        self._set_anchor()
        if value < bar.pageStep():
            self.top_neared.emit()
        if value > bar.maximum() - bar.pageStep():
            self.bottom_neared.emit()

    def _restore_scroll(self) -> None:
        """Restore the scroll position of the entry being read."""
        bar = self.verticalScrollBar()
        self._is_adjusting = True
        try:
            if self._is_following:
                first = self._read_from
                top = bar.maximum() if first is None else first.y() - GRID_PX
                bar.setValue(min(bar.maximum(), top))
                if top < bar.maximum() - _NEAR_END_PX:
                    self.show_jump_button()
            elif self._anchor is not None:
                entry, offset = self._anchor
                bar.setValue(entry.y() + offset)
        finally:
            self._is_adjusting = False

    def _set_anchor(self) -> None:
        entry = self.top_entry
        top = self.verticalScrollBar().value()
        self._anchor = (entry, top - entry.y()) if entry is not None else None

    def _make_jump_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(20, 20))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setText(_("Continues below"))
        button.clicked.connect(lambda _checked: self.follow_end())
        button.hide()
        return button

    def _place_jump_button(self) -> None:
        area, button = self.viewport().geometry(), self.jump_button
        button.adjustSize()
        left = area.center().x() - button.width() // 2
        button.move(left, area.bottom() - button.height() - GRID_PX)
