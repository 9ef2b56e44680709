"""The composer: attachments, the question box, and the button that sends or stops."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QToolButton,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.readings import WordMark
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.attachments import FileChip
from qhub_desktop.ui.chat.reading_strip import ReadingStrip
from qhub_desktop.ui.chat.text_views import wrap_mode
from qhub_desktop.ui.controls.buttons import ICON_PX, IconButton, icon
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    chain_tabs,
    column_of,
    make_label,
    row_of,
    scrolled,
    text_margin_px,
)
from qhub_desktop.ui.controls.plain_text import captioned, elided, set_tooltip
from qhub_desktop.ui.controls.popup import types_text
from qhub_desktop.ui.theme import (
    CARD_RADIUS_PX,
    GRID_PX,
    OPERATOR_TARGET_PX,
    TARGET_PX,
    mix,
    theme,
)

_MAX_LINES = 8
_MAX_ROWS_SEEN = 20  # of a pasted text, to tell that it is a table
_BOX_PAD_PX = 6
_TINT = 0.18  # share of a mark's colour in what is behind its words
ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class QuestionBox(QPlainTextEdit):
    """Text box of one to eight lines.

    Signals:
        submitted: Enter was pressed.
        escaped: Esc was pressed.
        files_pasted: local files were pasted, as a list of paths.
        table_pasted: cells of a spreadsheet were pasted, as tab-separated text.
    """

    submitted = Signal()
    escaped = Signal()
    files_pasted = Signal(list)
    table_pasted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._history: list[str] = []
        self._history_index = 0
        self._placeholder = ""
        # Whether a key was for what stands around the box; Tab and Shift+Tab are asked about apart.
        self.takes_key: Callable[[QKeyEvent], bool] = lambda _key: False
        self.takes_tab: Callable[[int], bool] = lambda _step: False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet(
            "QPlainTextEdit, QPlainTextEdit:focus { background: transparent; border: none; }"
        )
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(_("Question"))
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.textChanged.connect(self._on_text_changed)
        self._fit_height()

    def set_history(self, questions: Sequence[str]) -> None:
        """Set the questions that the Up key brings back, oldest first."""
        self._history = list(questions)
        self._history_index = len(self._history)

    @property
    def cursor_place(self) -> int:
        """Place of the cursor in the text."""
        text, units = self.toPlainText(), self.textCursor().position()
        if text.isascii():
            return units
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * units]
        return len(before.decode("utf-16-le", "ignore"))

    @property
    def can_recall(self) -> bool:
        """Whether Up and Down bring back questions: nothing else was typed."""
        if not self._history:
            return False
        text = self.toPlainText()
        is_untouched = (
            self._history_index < len(self._history) and text == self._history[self._history_index]
        )
        return not text or is_untouched

    @property
    def is_in_last_line(self) -> bool:
        """Whether the cursor is in the last line that is seen."""
        return not self.textCursor().movePosition(QTextCursor.MoveOperation.Down)

    def left_of(self, place: int) -> int:
        """Return how far from the left a place in the text is, in pixels."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(_units(self.toPlainText()[:place]))
        return self.cursorRect(cursor).left()

    def show_marks(self, marks: Sequence[WordMark]) -> None:
        """Tint words by what they are taken for, and underline those that are not used."""
        text, palette = self.toPlainText(), theme().palette
        tints = {"column": palette.accent, "value": palette.good, "period": palette.warn}
        shown = []
        for mark in marks:
            selection = QTextEdit.ExtraSelection()
            cursor, drawn = QTextCursor(self.document()), QTextCharFormat()
            cursor.setPosition(_units(text[: mark.start]))
            cursor.setPosition(_units(text[: mark.end]), QTextCursor.MoveMode.KeepAnchor)
            if mark.kind == "unused":
                drawn.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
                drawn.setUnderlineColor(QColor(palette.warn))
            else:
                drawn.setBackground(QColor(mix(palette.card, tints[mark.kind], _TINT)))
            selection.cursor, selection.format = cursor, drawn
            shown.append(selection)
        self.setExtraSelections(shown)

    def replace_text(self, start: int, end: int, words: str) -> None:
        """Replace a part of the text, as one step to undo; the cursor goes to its end."""
        text, cursor = self.toPlainText(), self.textCursor()
        cursor.setPosition(_units(text[:start]))
        cursor.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(words)
        self.setTextCursor(cursor)

    def set_placeholder(self, text: str) -> None:
        """Set the placeholder, in one line."""
        self._placeholder = text
        self._fit_placeholder()

    def set_text(self, text: str) -> None:
        """Replace the text and move the cursor to its end."""
        self.setWordWrapMode(wrap_mode(text))
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self.takes_key(event):
            return
        if key in ENTER_KEYS and not is_shifted:
            self.submitted.emit()
        elif key in ENTER_KEYS:
            self.insertPlainText("\n")
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and self.can_recall:
            self._recall(self._history_index - 1)
        elif key == Qt.Key.Key_Down and self.can_recall:
            self._recall(self._history_index + 1)
        else:
            super().keyPressEvent(event)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        return self.takes_tab(1 if next else -1) or super().focusNextPrevChild(next)

    @override
    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    @override
    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_paths(source):
            self.files_pasted.emit(files)
        elif source.hasText() and is_table(source.text()):
            self.table_pasted.emit(source.text())
        else:
            self.setWordWrapMode(wrap_mode(self.toPlainText() + source.text()))
            super().insertFromMimeData(source)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()
        self._fit_placeholder()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_height()
            self._fit_placeholder()

    def _on_text_changed(self) -> None:
        if self.document().isEmpty():
            self.setWordWrapMode(wrap_mode(""))
        self._fit_height()

    def _fit_placeholder(self) -> None:
        room = self.viewport().width() - 4
        words = elided(self._placeholder, self.fontMetrics(), room)
        self.setPlaceholderText(words)

    def _recall(self, place: int) -> None:
        self._history_index = max(0, min(place, len(self._history)))
        is_past_last = self._history_index == len(self._history)
        self.set_text("" if is_past_last else self._history[self._history_index])

    def _fit_height(self) -> None:
        # QPlainTextDocumentLayout gives the height in lines, not in pixels.
        lines = max(1, round(self.document().size().height()))
        shown = min(lines, _MAX_LINES)
        first = self.document().firstBlock()
        line = self.blockBoundingRect(first).height() / max(1, first.lineCount())
        height = math.ceil(shown * line) + 2 * _BOX_PAD_PX
        is_scrolled = lines > _MAX_LINES
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if is_scrolled
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if not is_scrolled:
            self.verticalScrollBar().setValue(0)
        if self.height() != height:
            self.setViewportMargins(0, _BOX_PAD_PX, 0, _BOX_PAD_PX)
            self.setFixedHeight(height)


def _units(text: str) -> int:
    """Return the length of a text as Qt counts it: a picture such as an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def local_paths(mime: QMimeData) -> list[Path]:
    """Return the local files and folders in dragged or pasted data."""
    return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]


def is_table(text: str) -> bool:
    """Return whether text is tab-separated with at least two rows, as Excel copies it."""
    rows = text.strip("\r\n").splitlines()
    return len(rows) >= 2 and all("\t" in row for row in rows[:_MAX_ROWS_SEEN])


class Composer(QWidget):
    """Input area; never disabled, so that the next question can be typed during an answer.

    Signals:
        submitted: a question, not blank; it stays in the box until `clear`.
        stopped: stop the answer under way.
        edit_cancelled: editing an earlier question was cancelled.
        attach_requested: the attach button was pressed.
        choices_requested: the button that asks by choices was pressed.
        files_dropped: files were pasted, as a list of paths.
        table_pasted: cells of a spreadsheet were pasted, as tab-separated text.
        changed: the text in the box, after each key.
    """

    submitted = Signal(str)
    stopped = Signal()
    edit_cancelled = Signal()
    attach_requested = Signal()
    choices_requested = Signal()
    files_dropped = Signal(list)
    table_pasted = Signal(str)
    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._is_answering = False
        self._is_editing = False
        self._button_px = TARGET_PX
        self.question_box = QuestionBox()
        self._attach_button = IconButton("attach", _("Attach a file"))
        self.choices_button = IconButton("filter", _("Ask by choices"), shortcut="Ctrl+E")
        self.send_button = QToolButton()
        self.send_button.setIconSize(QSize(ICON_PX, ICON_PX))
        # A click must not take the focus from where the person is typing.
        self.send_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._hint = make_label(role="small")
        self._cancel_edit_button = captioned(QPushButton(), _("Do not change it"))
        self._cancel_edit_button.setProperty("kind", "link")
        self._cancel_edit_button.clicked.connect(self.edit_cancelled)
        self._chip_rows = _ChipRows()
        self.input_frame = _InputFrame()
        self.strip = ReadingStrip()
        self._build()
        chain_tabs(self.tab_parts)
        self.question_box.submitted.connect(self._on_submitted)
        self.question_box.escaped.connect(self._on_escaped)
        self.question_box.files_pasted.connect(self.files_dropped)
        self.question_box.table_pasted.connect(self.table_pasted)
        self.question_box.textChanged.connect(self._on_text_changed)
        self.question_box.installEventFilter(self)
        self._attach_button.clicked.connect(self.attach_requested)
        self.choices_button.clicked.connect(self.choices_requested)
        self.send_button.clicked.connect(self._on_send_clicked)
        self.set_answering(is_answering=False)
        self._show_hint("")
        theme().register(self._update_send_button)

    @property
    def text(self) -> str:
        """The text in the box."""
        return self.question_box.toPlainText()

    @property
    def tab_parts(self) -> tuple[QWidget, ...]:
        """The box and its buttons, in the order of Tab.

        The box first, which has the focus of the whole: Tab would pass over what is before it.
        """
        return (self.question_box, self._attach_button, self.choices_button, self.send_button)

    @property
    def is_blocked(self) -> bool:
        """Whether an answer is under way, or an earlier question is being edited."""
        return self._is_answering or self._is_editing

    @property
    def hint(self) -> str:
        """The hint above the box."""
        return "" if self._hint.isHidden() else self._hint.text()

    @property
    def chips(self) -> tuple[FileChip, ...]:
        """The attachments of the open conversation."""
        return tuple(chip for chip in self._chip_rows.chips if not chip.isHidden())

    def take_key(self, event: QKeyEvent) -> bool:
        """Type what was pressed elsewhere into the box, if it is typing; return whether it was."""
        if not (types_text(event) or event.matches(QKeySequence.StandardKey.Paste)):
            return False
        self.question_box.setFocus()
        QApplication.sendEvent(self.question_box, event)
        return True

    def clear(self) -> None:
        """Empty the box, once the question was sent."""
        self.question_box.clear()
        self.set_editing(is_editing=False)

    def write(self, text: str) -> None:
        """Write a question into the box, in the place of what is there; Ctrl+Z brings that back."""
        self.question_box.replace_text(0, len(self.text), text)
        self.question_box.setFocus()

    def set_answering(self, *, is_answering: bool) -> None:
        """Set whether the button stops an answer or sends a question."""
        self._is_answering = is_answering
        tooltip = _("Stop the answer (Esc)") if is_answering else _("Send (Enter)")
        set_tooltip(self.send_button, tooltip)
        self.send_button.setAccessibleName(tooltip)
        self._show_hint(self._default_hint())
        self._update_send_button()

    def show_wait_hint(self) -> None:
        """Show the hint that an answer is under way and the next question must wait."""
        self._show_hint(_("The answer is still being written. Esc stops it; your text stays here."))

    def set_editing(self, *, is_editing: bool) -> None:
        """Set whether the box holds an earlier question being edited."""
        self._is_editing = is_editing
        self._show_hint(self._default_hint())

    def set_operator_mode(self, *, is_operator_mode: bool) -> None:
        """Set large targets, for gloves."""
        side = OPERATOR_TARGET_PX if is_operator_mode else TARGET_PX
        self._attach_button.setFixedSize(side, side)
        self.choices_button.setFixedSize(side, side)
        self._button_px = side
        self.strip.set_operator_mode(is_operator_mode=is_operator_mode)
        self._update_send_button()

    def add_chip(self, name: str) -> FileChip:
        """Add a chip for a file being imported into the open conversation."""
        chip = FileChip(name, self._chip_rows.conversation)
        self._chip_rows.add(chip)
        return chip

    def show_chips_of(self, conversation: ConversationId | None) -> None:
        """Show the chips of a conversation; those of others stay in theirs."""
        self._chip_rows.show_those_of(conversation)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.question_box and event.type() in (
            QEvent.Type.FocusIn,
            QEvent.Type.FocusOut,
        ):
            self.input_frame.set_focused(is_focused=event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        side = text_margin_px(self.width())
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(side, 4, side, 2 * GRID_PX)
        super().resizeEvent(event)

    def _build(self) -> None:
        hint = row_of(self._hint, self._cancel_edit_button, STRETCH, margins=(4, 0, 0, 0))
        row = QHBoxLayout(self.input_frame)
        row.setContentsMargins(6, 6, 6, 6)
        row.setSpacing(6)
        bottom = Qt.AlignmentFlag.AlignBottom
        row.addWidget(self._attach_button, alignment=bottom)
        row.addWidget(self.choices_button, alignment=bottom)
        row.addWidget(self.question_box, 1, alignment=Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.send_button, alignment=bottom)
        self.input_frame.setFocusProxy(self.question_box)
        self.setFocusProxy(self.question_box)
        column_of(
            self._chip_rows, hint, self.input_frame, self.strip, owner=self, margins=None, spacing=6
        )
        self.set_operator_mode(is_operator_mode=False)

    def _update_send_button(self) -> None:
        palette = theme().palette
        is_ready = self._is_answering or bool(self.text.strip())
        back = palette.accent if is_ready else palette.hover
        front = palette.on_accent if is_ready else palette.quiet
        name = "stop" if self._is_answering else "send"
        self.send_button.setIcon(icon(name, front, size_px=18))
        self.send_button.setStyleSheet(
            f"QToolButton {{ background: {back}; border: none; border-radius: 8px;"
            f" padding: 0; min-width: {self._button_px}px; min-height: {self._button_px}px; }}"
            f"QToolButton:focus {{ border: 2px solid {palette.text}; }}"
        )

    def _show_hint(self, text: str) -> None:
        self._hint.setText(text)
        self._hint.setVisible(bool(text))
        self._cancel_edit_button.setVisible(self._is_editing)

    def _default_hint(self) -> str:
        if not self._is_editing:
            return ""
        return _("Changing an earlier question: it and what followed will be replaced.")

    def _on_submitted(self) -> None:
        if question := self.text.strip():
            self.submitted.emit(question)

    def _on_send_clicked(self) -> None:
        if self._is_answering:
            self.stopped.emit()
        else:
            self._on_submitted()

    def _on_escaped(self) -> None:
        if self._is_answering:
            self.stopped.emit()
        elif self._is_editing:
            self.edit_cancelled.emit()

    def _on_text_changed(self) -> None:
        self._update_send_button()
        if self.hint and not self._is_editing:
            self._show_hint("")
        self.changed.emit(self.text)


class _InputFrame(QFrame):
    """The rounded field around the box and its buttons."""

    def __init__(self) -> None:
        super().__init__()
        self._is_focused = False

    def set_focused(self, *, is_focused: bool) -> None:
        self._is_focused = is_focused
        self.update()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self._is_focused else 1.0
        edge = palette.accent if self._is_focused else palette.edge
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(palette.card))
        inset = width / 2
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(box, CARD_RADIUS_PX, CARD_RADIUS_PX)


_CHIP_ROWS_PX = 200  # most of the window that chips take; what is more is scrolled


class _ChipRows(QWidget):
    """Chips of the open conversation, side by side, as many in a row as fit."""

    def __init__(self) -> None:
        super().__init__()
        self.chips: list[FileChip] = []
        self._conversation: ConversationId | None = None
        self._inside = QWidget()
        self._flow = FlowLayout(spacing_px=GRID_PX)
        self._inside.setLayout(self._flow)
        self._area = scrolled(self._inside)
        column_of(self._area, owner=self)
        self.hide()

    @property
    def conversation(self) -> ConversationId | None:
        """The conversation whose chips are shown; None is one that has not begun."""
        return self._conversation

    def add(self, chip: FileChip) -> None:
        self.chips.append(chip)
        self._flow.addWidget(chip)
        chip.dismissed.connect(lambda: self._remove(chip))
        chip.moved.connect(self._show_own)
        chip.installEventFilter(self)
        self._show_own()

    def show_those_of(self, conversation: ConversationId | None) -> None:
        self._conversation = conversation
        self._show_own()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit_height()
        return super().eventFilter(watched, event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _show_own(self) -> None:
        for chip in self.chips:
            chip.setVisible(chip.conversation == self._conversation)
        self.setVisible(any(not chip.isHidden() for chip in self.chips))
        self._fit_height()

    def _fit_height(self) -> None:
        needed = self._flow.heightForWidth(self.width())
        self._area.setFixedHeight(min(needed, _CHIP_ROWS_PX))

    def _remove(self, chip: FileChip) -> None:
        self.chips.remove(chip)
        self._flow.removeWidget(chip)
        chip.deleteLater()
        self._show_own()
