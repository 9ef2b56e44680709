"""View of a document without pages: its text as it was read, with the quoted passage marked."""

import asyncio
import re
import time
from collections.abc import Sequence

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QApplication, QFrame, QTextEdit
from typing_extensions import override

from qhub_desktop.core.documents import DocumentPlace, Passage
from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import visible
from qhub_desktop.knowledge.quotations import LEAST_SHARE, share_in
from qhub_desktop.ui.chat.find import occurrences
from qhub_desktop.ui.controls.layouts import text_margin_px
from qhub_desktop.ui.theme import GRID_PX, mix, theme

LEAST_PT, MOST_PT = 6.0, 36.0
_SLICE_S = 0.010
_QUOTED = "#FFD640"


class PassageText(QTextEdit):
    """Text of a document, passage after passage, under its headings and places."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(_("Text of the document"))
        self.document().setUndoRedoEnabled(False)
        self.document().setDocumentMargin(3 * GRID_PX)
        self._starts: list[int] = []  # of the passages, in the text
        self._passages: Sequence[Passage] = ()
        self._quoted: tuple[int, int] | None = None
        self._found: list[tuple[int, int]] = []
        self._now = -1

    @property
    def marked_text(self) -> str:
        """The words that are marked as quoted."""
        if self._quoted is None:
            return ""
        return self._cursor(*self._quoted).selectedText().replace("\u2029", "\n")

    async def show_passages(self, passages: Sequence[Passage]) -> None:
        """Show the passages, a little at a time."""
        self._passages = passages
        self._starts = []
        self.clear()
        writer = QTextCursor(self.document())
        began = time.perf_counter()
        before = DocumentPlace()
        for passage in passages:
            text = visible(passage.text)
            heading, _newline, rest = text.partition("\n")
            headings = passage.place.headings
            self._write_place(writer, before, passage.place, leave_out=heading)
            before = passage.place
            self._new_block(writer, top=2 * GRID_PX if heading in headings else GRID_PX)
            self._starts.append(writer.position())
            if heading in headings:
                writer.insertText(heading, _heading_look(headings.index(heading)))
                text = f"\n{rest}" if rest else ""
            writer.insertText(text, QTextCharFormat())
            if time.perf_counter() - began > _SLICE_S:
                await asyncio.sleep(0)
                began = time.perf_counter()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def zoom_by(self, steps: int) -> None:
        """Write larger or smaller by a number of steps; 0 writes as usual. What is on top stays."""
        top = self.cursorForPosition(QPoint(0, 0)).position()
        font = self.font()
        wanted = font.pointSizeF() + steps if steps else QApplication.font().pointSizeF()
        font.setPointSizeF(min(MOST_PT, max(LEAST_PT, wanted)))
        self.setFont(font)
        self._scroll_to(top, down=0)

    def mark(self, place: DocumentPlace, quote: str) -> bool:
        """Mark quoted words in their passage; return whether at least half of them stand there."""
        self._quoted = self._place_of(place, quote)
        self._paint()
        if self._quoted is not None:
            self._scroll_to(self._quoted[0])
        return self._quoted is not None

    def mark_found(self, words: str) -> int:
        """Mark all occurrences of words; return their number."""
        text = fold_in_place(self.toPlainText())
        wanted = fold_in_place(words.strip())
        self._found = [(at, at + len(wanted)) for at in occurrences(text, wanted)] if wanted else []
        self._now = -1
        self._paint()
        return len(self._found)

    def step_to(self, index: int) -> None:
        """Bring an occurrence into sight, counted from 0."""
        self._now = index
        self._paint()
        self._scroll_to(self._found[index][0])

    def _place_of(self, place: DocumentPlace, quote: str) -> tuple[int, int] | None:
        shares = [
            (each.place == place, share_in(quote, each.text), -number)
            for number, each in enumerate(self._passages)
            if each.place == place
        ]
        if not shares or (best := max(shares))[1] < LEAST_SHARE:
            return None
        number = -best[2]
        start, text = self._starts[number], visible(self._passages[number].text)
        spaced = r"\s+".join(map(re.escape, quote.split()))
        exact = re.search(spaced, text) if quote.strip() else None
        if exact is None:
            return start, start + len(text)
        return start + exact.start(), start + exact.end()

    def _write_place(
        self, writer: QTextCursor, before: DocumentPlace, place: DocumentPlace, *, leave_out: str
    ) -> None:
        """Write the headings and places that begin with a passage, but for one."""
        if place.slide is not None and place.slide != before.slide:
            self._write_heading(writer, _("slide {number}").format(number=place.slide), 2)
        if place.page is not None and place.page != before.page:
            self._write_heading(writer, _("p. {page}").format(page=place.page), 2)
        if place.sheet and (place.sheet, place.cells) != (before.sheet, before.cells):
            self._write_heading(writer, place.label_text, 2)
        if place.part and place.part != before.part:
            self._write_heading(writer, place.part, 2)
        same = 0
        for own, other in zip(place.headings, before.headings, strict=False):
            if own != other:
                break
            same += 1
        for level, heading in enumerate(place.headings[same:], same):
            if visible(heading) != leave_out:
                self._write_heading(writer, heading, level)

    def _write_heading(self, writer: QTextCursor, words: str, level: int) -> None:
        self._new_block(writer, top=2 * GRID_PX)
        writer.insertText(visible(words), _heading_look(level))

    def _new_block(self, writer: QTextCursor, *, top: int) -> None:
        look = QTextBlockFormat()
        look.setTopMargin(top)
        look.setLineHeight(135, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if self.document().isEmpty():
            writer.setBlockFormat(look)
        else:
            writer.insertBlock(look, QTextCharFormat())

    def _paint(self) -> None:
        palette = theme().palette
        marks = []
        for number, span in enumerate(self._found):
            tint = palette.warn if number == self._now else palette.accent
            marks.append(self._selection(span, mix(palette.page, tint, 0.35)))
        if self._quoted is not None:
            tint = mix(palette.page, _QUOTED, 0.35) if palette.is_dark else _QUOTED
            marks.insert(0, self._selection(self._quoted, tint))
        self.setExtraSelections(marks)

    def _selection(self, span: tuple[int, int], colour: str) -> QTextEdit.ExtraSelection:
        chosen = QTextEdit.ExtraSelection()
        chosen.cursor = self._cursor(*span)
        chosen.format.setBackground(QColor(colour))
        return chosen

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        side = max(0, text_margin_px(self.width()) - 3 * GRID_PX)
        self.setViewportMargins(side, 0, side, 0)
        super().resizeEvent(event)

    def _scroll_to(self, position: int, *, down: float = 1 / 3) -> None:
        """Bring a place of the text into the view, so far down in it."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        top = self.document().documentLayout().blockBoundingRect(cursor.block()).top()
        self.verticalScrollBar().setValue(round(top - down * self.viewport().height()))


def _heading_look(level: int) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setFontWeight(600)
    look.setProperty(QTextCharFormat.Property.FontSizeAdjustment, max(0, 2 - level))
    if level >= 2:
        look.setForeground(QColor(theme().palette.quiet))
    return look
