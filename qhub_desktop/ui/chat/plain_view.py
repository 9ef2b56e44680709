"""Words as they are: selectable, as high as their text."""

import math

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPalette, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit
from typing_extensions import override

from qhub_desktop.ui.theme import Palette


class PlainView(QTextEdit):
    """A read-only text without frame or scroll bars."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextEdit { background: transparent; border: none; }")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.document().setUndoRedoEnabled(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        # The page asks for heights each time that anything on it changes.
        self._heights: dict[int, int] = {}
        self._natural: float | None = None
        self.textChanged.connect(self._forget)
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Text, QColor(palette.text))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(palette.accent))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(palette.on_accent))
        self.setPalette(colours)

    def natural_width(self) -> float:
        """How wide the text would be without a break of ours."""
        if self._natural is None:
            document = self.document()
            document.setDefaultFont(self.font())
            kept = document.textWidth()
            document.setTextWidth(-1)
            self._natural = document.idealWidth()
            document.setTextWidth(kept)
        return self._natural

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            document = self.document()
            document.setDefaultFont(self.font())
            kept = document.textWidth()
            if kept != width:
                document.setTextWidth(width)
            self._heights[width] = math.ceil(document.size().height())
            # Only measured: what is shown keeps the width that it is shown at.
            if kept not in (width, -1):
                document.setTextWidth(kept)
        return self._heights[width]

    @override
    def sizeHint(self) -> QSize:
        width = max(self.width(), 100)
        return QSize(width, self.heightForWidth(width))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(40, 0)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls, not the text

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._forget()

    def _forget(self) -> None:
        self._heights.clear()
        self._natural = None
        self.updateGeometry()
