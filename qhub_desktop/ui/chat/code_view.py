"""Code on the page: monospaced and coloured, to be read, copied, or changed before it runs."""

import keyword
import re

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import visible
from qhub_desktop.ui.chat.markdown_style import monospace
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.theme import SMALL_PT, mix, theme

MOST_LINES = 18  # seen at once; the others are scrolled to
INDENT = "    "
COPIED_MS = 1_500
_ICON_PX = 16

_QUOTES = {1: "'''", 2: '"""'}  # of a text that goes on in the next line, by the block's state
_WORDS = frozenset((*keyword.kwlist, *keyword.softkwlist)) - {"_"}
_TOKEN = re.compile(
    r"(?P<comment>#.*)"
    r"|(?P<open>[rbfuRBFU]{0,2}(?:'''|\"\"\"))"
    r"|(?P<text>[rbfuRBFU]{0,2}(?:'(?:\\.|[^'\\])*'?|\"(?:\\.|[^\"\\])*\"?))"
    r"|(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[^\W\d]\w*)"
)


class PythonHighlighter(QSyntaxHighlighter):
    """Colours of Python's keywords, texts, numbers and comments, in the theme's palette."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view.document())
        self._formats: dict[str, QTextCharFormat] = {}
        self._restyle()
        theme().on_change(self._restyle)

    def _restyle(self) -> None:
        palette = theme().palette
        for kind, colour in (
            ("word", palette.accent),
            ("text", mix(palette.good, palette.text, 0.25)),
            ("number", mix(palette.warn, palette.text, 0.25)),
            ("comment", palette.quiet),
        ):
            self._formats[kind] = QTextCharFormat()
            self._formats[kind].setForeground(QColor(colour))
        self.rehighlight()

    @override
    def highlightBlock(self, text: str) -> None:
        at = self._finish_text(text, 0, self.previousBlockState())
        while match := _TOKEN.search(text, at):
            at = match.end()
            if match.lastgroup == "open":
                state = 1 if match[0].endswith(_QUOTES[1]) else 2
                start = match.start()
                at = self._finish_text(text, at, state)
                self.setFormat(start, at - start, self._formats["text"])
            elif match.lastgroup == "name":
                if match[0] in _WORDS:
                    self.setFormat(match.start(), at - match.start(), self._formats["word"])
            elif match.lastgroup is not None:
                kind = self._formats[match.lastgroup]
                self.setFormat(match.start(), at - match.start(), kind)

    def _finish_text(self, text: str, start: int, state: int) -> int:
        """Colour what belongs to a text over several lines, and return where it ends."""
        self.setCurrentBlockState(0)
        if state not in _QUOTES:
            return start
        end = text.find(_QUOTES[state], start)
        if end < 0:
            self.setCurrentBlockState(state)
        end = len(text) if end < 0 else end + len(_QUOTES[state])
        self.setFormat(start, end - start, self._formats["text"])
        return end


class CodeView(QFrame):
    """Python code with a button that copies it; as high as its lines, up to MOST_LINES.

    Signals:
        submitted: Ctrl+Enter was pressed in code that can be changed.
    """

    submitted = Signal()

    def __init__(self, code: str, *, is_editable: bool = False) -> None:
        super().__init__()
        self.editor = _Editor(is_editable=is_editable)
        self.editor.setPlainText(visible(code))  # what is seen is what runs
        self.editor.submitted.connect(self.submitted)
        self._highlighter = PythonHighlighter(self.editor)
        self.copy_button = IconButton("copy", _("Copy the code"), size_px=_ICON_PX)
        self.copy_button.clicked.connect(self._copy)
        self.setFocusProxy(self.editor)
        head = row_layout(spacing=4)
        head.addWidget(make_label("Python", role="small"))
        head.addStretch(1)
        head.addWidget(self.copy_button)
        column = column_layout(self, margins=(0, 0, 0, 0), spacing=0)
        column.addLayout(head)
        column.addWidget(self.editor)

    @property
    def code(self) -> str:
        """The code as it stands now."""
        return self.editor.toPlainText()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code)
        self.copy_button.set_icon("check")
        QTimer.singleShot(COPIED_MS, self.copy_button, lambda: self.copy_button.set_icon("copy"))


class _Editor(QPlainTextEdit):
    """The text itself: it indents, and gives the wheel to the page where it has nothing to scroll.

    Signals:
        submitted: Ctrl+Enter was pressed.
    """

    submitted = Signal()

    def __init__(self, *, is_editable: bool) -> None:
        super().__init__()
        self.setReadOnly(not is_editable)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setAccessibleName(_("Python code"))
        points = self.font().pointSizeF()
        self.setFont(monospace(points * 0.9 if points > 0 else SMALL_PT))
        if is_editable:
            self.setProperty("kind", "field")
        else:
            self.setFrameShape(QFrame.Shape.NoFrame)
            self.setStyleSheet(
                "QPlainTextEdit { background: transparent; border: none; padding: 0; }"
            )
            self.document().setDocumentMargin(0)
        self.blockCountChanged.connect(self._fit)

    def _fit(self) -> None:
        margins = self.contentsMargins()
        lines = min(max(self.blockCount(), 1), MOST_LINES)
        room = margins.top() + margins.bottom() + 2 * round(self.document().documentMargin())
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + room + bar)

    @override
    def sizeHint(self) -> QSize:
        self._fit()
        return QSize(super().sizeHint().width(), self.height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.isReadOnly():
            super().keyPressEvent(event)
        elif is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
        elif is_enter:
            line = self.textCursor().block().text()
            indent = line[: len(line) - len(line.lstrip(" "))]
            deeper = INDENT if line.rstrip().endswith(":") else ""
            self.insertPlainText(f"\n{indent}{deeper}")
        else:
            super().keyPressEvent(event)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.blockCount() > MOST_LINES and self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the page scrolls
