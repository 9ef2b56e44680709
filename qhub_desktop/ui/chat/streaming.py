"""Streaming Markdown: frozen segments, and a tail that is rendered again as it grows."""

import re
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.artifact import FENCE_OPENING, closes_fence
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.controls.layouts import ANY_HEIGHT_PX, column_of, set_height_for_width

SEGMENT_CHARACTERS = 3_000
# A document of 70 tables took 60 ms to lay out at once; in parts, the longest stall at 5,000 deltas
# a second is 34 ms.
PART_CHARACTERS = 6_000

_CONTINUATION = re.compile(r"^(\s|[-*+](\s|$)|\d{1,9}[.)](\s|$)|\||>|=+\s*$|-+\s*$)")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_ITEM = re.compile(r"^([-*+]|\d{1,9}[.)])\s")
# Enough of a line to tell that it is neither a list item nor a table row.
_MIN_LINE_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class TextSplit:
    """A text split in two: `head` will not change any more, `tail` still grows."""

    head: str
    tail: str


def split_text(text: str, *, size: int = SEGMENT_CHARACTERS) -> TextSplit | None:
    """Split a text longer than `size` characters; None while it cannot be split."""
    if len(text) <= size:
        return None
    scan = _scan(text, size)
    if scan.safe:
        return TextSplit(text[: scan.safe], text[scan.safe :])
    # Tables are slow to lay out, so they are split earlier.
    if len(text) <= 2 * size and not scan.header:
        return None
    return _force_split(text, scan, size)


def split_parts(text: str, *, size: int = PART_CHARACTERS) -> list[str]:
    """Split a text into parts of about `size` characters that render like the whole; mostly one.

    A document of 70 tables takes 60 ms to lay out at once, and cannot be interrupted.
    """
    found: list[str] = []
    wished = size
    while len(text) > wished + size // 2:
        if at := _scan(text, wished).safe:
            found.append(text[:at])
            text = text[at:]
            wished = size
        else:
            wished *= 2  # a long list, table or code block stays whole
    return [*found, text]


@dataclass(slots=True)
class _Scan:
    """State of the scan at the last possible split at or before the wished size."""

    safe: int = 0
    rough: int = 0  # the start of the last whole line
    rough_item: int = 0  # the start of the last list item at the margin
    fence: str = ""  # the line that opened the fence that `rough` stands in
    header: str = ""  # the first two lines of the table that `rough` stands in


def _scan(text: str, size: int) -> _Scan:
    scan = _Scan()
    fence = header = previous = ""
    was_blank = False
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        is_whole = len(bare) < len(line)
        if at > 2 * size:
            break
        scan.rough, scan.fence, scan.header = at, fence, header
        if not fence and _ITEM.match(bare):
            scan.rough_item = at
        is_known = is_whole or len(bare) >= _MIN_LINE_CHARACTERS
        if was_blank and not fence and bare.strip() and is_known and not _CONTINUATION.match(bare):
            scan.safe = at
            if at >= size:
                break
        found = FENCE_OPENING.match(bare)
        if found and not fence:
            fence = bare
        elif found and closes_fence(bare, fence):
            fence = ""
        if fence or not bare.strip():
            header = ""
        elif not header and _TABLE_RULE.match(bare) and "|" in previous:
            header = f"{previous}\n{bare}\n"
        was_blank = not bare.strip()
        previous = bare
        at += len(line)
    return scan


def _force_split(text: str, scan: _Scan, size: int) -> TextSplit | None:
    at = scan.rough
    # A split that leaves most of the text in the tail would soon be repeated.
    if at < size // 2:
        at = text.rfind(" ", 0, 2 * size) + 1
        is_open = scan.fence or scan.header or at < size // 2
        return None if is_open else TextSplit(text[:at], text[at:])
    if scan.fence:
        mark = scan.fence.strip()
        closing = mark[: len(mark) - len(mark.lstrip(mark[0]))]
        return TextSplit(f"{text[:at]}{closing}\n", f"{scan.fence}\n{text[at:]}")
    if scan.header:
        return TextSplit(text[:at], scan.header + text[at:])
    if scan.rough_item >= size // 2:
        return TextSplit(text[: scan.rough_item], text[scan.rough_item :])
    return TextSplit(text[:at], text[at:])


class StreamedText(QWidget):
    """A run of an answer's text, in Markdown.

    Signals:
        cited: address of a citation, or of a number, that was pressed.
    """

    cited = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._tail = ""
        self._column = column_of(owner=self)
        self._views: list[MarkdownView] = []
        set_height_for_width(self)

    @property
    def text(self) -> str:
        """The whole text so far."""
        return self._text

    @property
    def views(self) -> tuple[MarkdownView, ...]:
        """Views of the segments, top to bottom."""
        return tuple(self._views)

    def add(self, words: str) -> None:
        """Add text; frozen segments are not rendered again."""
        self._text += words
        self._tail += words
        while parted := split_text(self._tail):
            self._last_view().set_markdown(parted.head, is_final=False)
            self._tail = parted.tail
            self._append_view()
        self._last_view().set_markdown(self._tail, is_final=False)

    def finish(self) -> Iterator[None]:
        """Render the complete text once more, a little at each step of the iterator."""
        if not self._views:
            return
        self._tail = ""
        # The new segments are split elsewhere than the old: hide them until all are done.
        self.setFixedHeight(self.height())
        self.setUpdatesEnabled(False)
        try:
            yield from self._render_final(split_parts(self._text))
        finally:
            self.setMinimumHeight(0)
            self.setMaximumHeight(ANY_HEIGHT_PX)
            self.setUpdatesEnabled(True)

    def link_numbers(self, addresses: Sequence[tuple[int, int, str]]) -> Iterator[None]:
        """Make links of these places in the text, a little at each step of the iterator."""
        linked = self._text
        for start, end, address in reversed(addresses):
            linked = f"{linked[:start]}[{linked[start:end]}]({address}){linked[end:]}"
        yield from self._render_final(split_parts(linked))

    def set_text(self, text: str) -> None:
        """Show a complete text."""
        self._text = text
        for part in split_parts(text):
            self._append_view().set_markdown(part)

    def _render_final(self, whole: list[str]) -> Iterator[None]:
        while len(self._views) < len(whole):
            self._append_view()
        for view, part in zip(self._views, whole, strict=False):
            yield from view.set_markdown_in_slices(part)
            yield
        for view in self._views[len(whole) :]:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        del self._views[len(whole) :]

    def _last_view(self) -> MarkdownView:
        return self._views[-1] if self._views else self._append_view()

    def _append_view(self) -> MarkdownView:
        view = MarkdownView()
        view.cited.connect(self.cited)
        self._views.append(view)
        self._column.addWidget(view)
        return view
