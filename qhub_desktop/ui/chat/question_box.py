"""Where a question is typed: it grows with its lines, and recalls earlier questions."""

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit
from typing_extensions import override

from qhub_desktop.core.text import gettext as _

_MOST_LINES = 8
_PAD_PX = 6
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class QuestionBox(QPlainTextEdit):
    """A text field of one to eight lines.

    Signals:
        entered: Enter was pressed.
        escaped: Esc was pressed.
        files_pasted: local files were pasted, as a list of paths.
        table_pasted: cells of a spreadsheet were pasted, as tab-separated text.
    """

    entered = Signal()
    escaped = Signal()
    files_pasted = Signal(list)
    table_pasted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._earlier: list[str] = []
        self._recalled = 0
        self._placeholder = ""
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
        self.textChanged.connect(self._grow)
        self._grow()

    def set_earlier(self, questions: Sequence[str]) -> None:
        """What Up brings back, oldest first."""
        self._earlier = list(questions)
        self._recalled = len(self._earlier)

    def set_placeholder(self, text: str) -> None:
        """What the empty box says, in one line."""
        self._placeholder = text
        self._fit_placeholder()

    def set_text(self, text: str) -> None:
        """Replace what is typed, and go to its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in _ENTER and not is_shifted:
            self.entered.emit()
        elif key in _ENTER:
            self.insertPlainText("\n")
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and self._may_recall():
            self._recall(self._recalled - 1)
        elif key == Qt.Key.Key_Down and self._may_recall():
            self._recall(self._recalled + 1)
        else:
            super().keyPressEvent(event)

    @override
    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    @override
    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_pasted.emit(files)
        elif source.hasText() and is_table(source.text()):
            self.table_pasted.emit(source.text())
        else:
            super().insertFromMimeData(source)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()
        self._fit_placeholder()

    def _fit_placeholder(self) -> None:
        room = self.viewport().width() - 4
        words = self.fontMetrics().elidedText(self._placeholder, Qt.TextElideMode.ElideRight, room)
        self.setPlaceholderText(words)

    def _may_recall(self) -> bool:
        if not self._earlier:
            return False
        text = self.toPlainText()
        is_untouched = self._recalled < len(self._earlier) and text == self._earlier[self._recalled]
        return not text or is_untouched

    def _recall(self, place: int) -> None:
        self._recalled = max(0, min(place, len(self._earlier)))
        is_past_last = self._recalled == len(self._earlier)
        self.set_text("" if is_past_last else self._earlier[self._recalled])

    def _grow(self) -> None:
        # The document of a plain text editor measures its height in lines.
        lines = max(1, round(self.document().size().height()))
        shown = min(lines, _MOST_LINES)
        first = self.document().firstBlock()
        line = self.blockBoundingRect(first).height() / max(1, first.lineCount())
        height = math.ceil(shown * line) + 2 * _PAD_PX
        is_scrolled = lines > _MOST_LINES
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if is_scrolled
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if not is_scrolled:
            self.verticalScrollBar().setValue(0)
        if self.height() != height:
            self.setViewportMargins(0, _PAD_PX, 0, _PAD_PX)
            self.setFixedHeight(height)


def is_table(text: str) -> bool:
    """Whether this looks like cells copied from a spreadsheet: two rows or more, with tabs."""
    rows = text.strip("\r\n").splitlines()
    return len(rows) >= 2 and all("\t" in row for row in rows)
