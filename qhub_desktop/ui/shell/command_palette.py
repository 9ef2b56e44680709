"""Command palette: fuzzy search over commands and agents, and full-text search of conversations."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import PaletteEntry
from qhub_desktop.ui.tasks import LatestTask, Tasks
from qhub_desktop.ui.theme import theme

_START_OF_WORD = 8
_ADJACENT = 5
_GAP = 1  # lost for each letter between two that match


def fuzzy_score(typed: str, words: str) -> int | None:
    """Return a fuzzy match score (higher is better), or None unless all letters occur in order."""
    letters, text = fold(typed).replace(" ", ""), fold(words)
    if not letters:
        return 0
    best: int | None = None
    start = text.find(letters[0])
    while start >= 0:
        score = _score_from(letters, text, start)
        if score is not None and (best is None or score > best):
            best = score
        start = text.find(letters[0], start + 1)
    return best


def _score_from(letters: str, text: str, start: int) -> int | None:
    score, before = 0, start - 1
    for letter in letters:
        at = text.find(letter, before + 1)
        if at < 0:
            return None
        if at == 0 or not text[at - 1].isalnum():
            score += _START_OF_WORD
        if at == before + 1:
            score += _ADJACENT
        else:
            score -= min(at - before, 10) * _GAP
        before = at
    return score - len(text) // 20


_PALETTE_WIDTH_PX = 560
_MAX_ROWS = 9  # visible rows
_DETAIL_ROLE = int(Qt.ItemDataRole.UserRole)
_DEBOUNCE_S = 0.1  # debounce before conversations are searched


class CommandPalette(QFrame):
    """Popup over the window, open until a choice is made or Escape is pressed."""

    def __init__(
        self,
        choices: Sequence[PaletteEntry],
        search: Callable[[str], Awaitable[Sequence[PaletteEntry]]],
        *,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", "popover")
        self._entries = choices
        self._search = search
        self._searching = LatestTask(tasks)
        self._shown: list[PaletteEntry] = []
        self._window = parent
        self._was_focused: QWidget | None = parent.window().focusWidget()
        hint = _("What to do, or which conversation to open")
        self.line_edit = text_field(_("Command"), placeholder=hint)
        self.line_edit.setAcceptDrops(False)
        self.line_edit.textChanged.connect(self._on_text_changed)
        self.line_edit.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(_("Command"))
        self.list.setProperty("kind", "choices")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setIconSize(QSize(18, 18))
        self.list.setMouseTracking(True)
        self.list.setItemDelegate(_DetailDelegate(self.list))
        self.list.itemClicked.connect(self._on_item_clicked)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._empty_label = make_label(_("Nothing is called so. Try other letters."), role="quiet")
        self._empty_label.setContentsMargins(8, 4, 8, 8)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(40)
        shadow.setOffset(0, 8)
        shadow.setColor(QColor(0, 0, 0, 90))
        self.setGraphicsEffect(shadow)
        column_of(self.line_edit, self.list, self._empty_label, owner=self, margins=8)
        self._show_entries(list(self._entries))

    def open(self) -> None:
        """Open near the top of the window with keyboard focus in the search field."""
        self._fit()
        self.raise_()
        self.show()
        self.line_edit.setFocus(Qt.FocusReason.PopupFocusReason)
        self._on_text_changed("")

    def labels(self) -> list[str]:
        """Return the labels of the listed choices, best match first."""
        return [choice.label for choice in self._shown]

    @override
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._handle_key(event)
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
            self._on_focus_out(event.reason())
        return False

    def _on_focus_out(self, reason: Qt.FocusReason) -> None:
        if reason != Qt.FocusReason.ActiveWindowFocusReason:
            self._dismiss()

    def _handle_key(self, event: QKeyEvent) -> bool:
        count = self.list.count()
        match event.key():
            case Qt.Key.Key_Escape:
                self._dismiss()
            case Qt.Key.Key_Down | Qt.Key.Key_Tab if count:
                self.list.setCurrentRow((self.list.currentRow() + 1) % count)
            case Qt.Key.Key_Up | Qt.Key.Key_Backtab if count:
                self.list.setCurrentRow((self.list.currentRow() - 1) % count)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._run(self.list.currentRow())
            case _:
                return False
        return True

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        self._run(self.list.row(item))

    def _run(self, position: int) -> None:
        if not 0 <= position < len(self._shown):
            return
        choice = self._shown[position]
        self._dismiss()
        choice.run()

    def _dismiss(self) -> None:
        if self.isHidden():
            return
        self._searching.cancel()
        has_focus = self.line_edit.hasFocus()
        self.hide()  # Qt gives the focus to any widget
        if has_focus and self._was_focused is not None and isValid(self._was_focused):
            self._was_focused.setFocus(Qt.FocusReason.PopupFocusReason)
        self.deleteLater()

    def _on_text_changed(self, typed: str) -> None:
        self._show_entries(self._matching(typed))
        self._searching.start(self._find(typed))

    def _matching(self, typed: str) -> list[PaletteEntry]:
        fits = [(fuzzy_score(typed, choice.label), choice) for choice in self._entries]
        kept = [(score, choice) for score, choice in fits if score is not None]
        # The sort is stable: choices of equal score keep their order of declaration.
        return [choice for _score, choice in sorted(kept, key=lambda each: -each[0])]

    async def _find(self, typed: str) -> None:
        await asyncio.sleep(_DEBOUNCE_S)
        found = await self._search(typed)
        self._show_entries([*self._matching(typed), *found])

    def _show_entries(self, choices: list[PaletteEntry]) -> None:
        if choices == self._shown and self.list.count():
            return
        self._shown = choices
        self.list.clear()
        for choice in choices:
            item = QListWidgetItem(self._icon(choice.icon), one_line(choice.label))
            item.setData(_DETAIL_ROLE, choice.shortcut or choice.group)
            self.list.addItem(item)
        self._empty_label.setHidden(bool(choices))
        self.list.setCurrentRow(0 if choices else -1)
        self._fit()

    def _icon(self, name: str) -> QIcon:
        return icon(name, theme().palette.quiet, size_px=18)

    def _fit(self) -> None:
        window = self._window
        width = min(_PALETTE_WIDTH_PX, window.width() - 32)
        row = self.list.sizeHintForRow(0) if self.list.count() else 0
        rows = min(max(self.list.count(), 1), _MAX_ROWS)
        self.list.setFixedHeight(rows * row)
        self.list.setVisible(bool(row))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(QPoint((window.width() - width) // 2, min(96, window.height() // 8)))


class _DetailDelegate(QStyledItemDelegate):
    """Item delegate that draws the shortcut or the group at the end of each row."""

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.save()
        painter.setPen(QColor(theme().palette.quiet))
        painter.drawText(
            option.rect.adjusted(0, 0, -12, 0), int(flags), str(index.data(_DETAIL_ROLE))
        )
        painter.restore()
