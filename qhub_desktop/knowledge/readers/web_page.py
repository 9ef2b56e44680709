"""Web pages (.html): headings, paragraphs and rows of tables, without scripts, from no network."""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree, html

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.passages import Block
from qhub_desktop.knowledge.readers.plain_text import decode
from qhub_desktop.knowledge.readers.source import DAMAGED, DocumentContent, Source, refusal

# What is not text that a person reads on the page.
_SKIPPED = {"script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object"}
_SKIPPED |= {"select", "textarea", "nav"}
_BLOCKS = {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "section", "article", "header", "footer"}
_BLOCKS |= {"main", "aside", "table", "tbody", "thead", "tfoot", "tr", "blockquote", "pre", "body"}
_BLOCKS |= {"figure", "figcaption", "address", "form", "fieldset", "hr", "caption", "details"}
_CELLS = ("td", "th")
_HEADING = re.compile(r"h([1-6])")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET_BYTES = 4_096


def read_web_page(source: Source) -> DocumentContent:
    """Read a web page. The place of a paragraph is its number, and the headings above it."""
    content = source.path.read_bytes()
    named = _CHARSET.search(content[:_CHARSET_BYTES])
    text = decode(content)
    if named:
        try:
            text = content.decode(named[1].decode("ascii"), "replace")
        except LookupError:
            named = None
    blocks, title = page_blocks_of(text)
    if not blocks and not title:
        raise refusal(DAMAGED, source.name)
    return DocumentContent("Web page", blocks, title)


def page_blocks_of(text: str, *, part: str = "") -> tuple[tuple[Block, ...], str]:
    """Return the blocks of a page's source, and its title."""
    # Nothing is fetched and no entity is resolved: the parser of HTML knows no declarations.
    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False)
    root = etree.fromstring(sanitize(text).encode("utf-8"), parser)
    if root is None:
        return (), ""
    title = root.findtext(".//title") or ""
    blocks = tuple(
        Block(
            block.text,
            DocumentPlace(part=part, paragraph=number),
            level=block.level,
            header=block.header,
        )
        for number, block in enumerate(_Walk().blocks(root), 1)
    )
    return blocks, sanitize(" ".join(title.split()))


class _Walk:
    """A walk over the elements of a page: text gathered up to where a block ends."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._level = 0
        self._rows: list[list[str]] = []  # the rows that are open: tables stand in cells
        self._headers: list[str] = []
        self._has_rows: list[bool] = []

    def blocks(self, root: Any) -> Iterator[Block]:
        """Yield headings, paragraphs and rows."""
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        skipped = None
        for event, element in walk:
            tag = element.tag if isinstance(element.tag, str) else ""
            if event in ("comment", "pi"):
                self._add(element.tail if skipped is None else None)
            elif event == "start":
                if skipped is None and (tag in _SKIPPED or _is_hidden(element)):
                    skipped = element
                if skipped is None:
                    yield from self._begin(tag)
                    self._add(element.text)
            else:
                if skipped is element:
                    skipped = None
                elif skipped is None:
                    yield from self._end(tag)
                if skipped is None:
                    self._add(element.tail)
        yield from self._ended()

    def _add(self, text: str | None) -> None:
        if text:
            self._text.append(text)

    def _begin(self, tag: str) -> Iterator[Block]:
        heading = _HEADING.fullmatch(tag)
        if tag in _BLOCKS or heading or tag in _CELLS:
            if self._rows:
                self._add(" ")
            else:
                yield from self._ended()
        if heading and not self._rows:
            self._level = int(heading[1])
        elif tag == "table":
            self._headers.append("")
            self._has_rows.append(False)
        elif tag == "tr":
            self._rows.append([])
            self._text.clear()
        elif tag in _CELLS:
            self._text.clear()
        elif tag == "br":
            self._text.append("\n")
        elif tag == "li" and not self._rows:
            self._text.append("• ")

    def _end(self, tag: str) -> Iterator[Block]:
        if tag in _CELLS and self._rows:
            self._rows[-1].append(" ".join("".join(self._text).split()))
            self._text.clear()
        elif tag == "tr" and self._rows:
            yield from self._row(self._rows.pop())
            self._text.clear()
        elif tag == "table" and self._headers:
            header, has_rows = self._headers.pop(), self._has_rows.pop()
            if header and not has_rows and not self._rows:
                yield Block(header)
        elif (tag in _BLOCKS or _HEADING.fullmatch(tag)) and not self._rows:
            yield from self._ended()
        elif tag in _BLOCKS:
            self._add(" ")

    def _row(self, cells: list[str]) -> Iterator[Block]:
        text = CELL.join(cells)
        if not any(cells):
            return
        if not self._headers:
            yield Block(text)
        elif len(cells) > 1 and not self._headers[-1] and not self._has_rows[-1]:
            self._headers[-1] = text
        else:
            self._has_rows[-1] = True
            yield Block(text, header=self._headers[-1])

    def _ended(self) -> Iterator[Block]:
        lines = ("".join(self._text)).split("\n") if self._text else []
        text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
        level, self._level = self._level, 0
        self._text.clear()
        if text and text != "•":
            yield Block(text, level=level)


def _is_hidden(element: Any) -> bool:
    style = element.get("style") or ""
    return element.get("hidden") is not None or bool(_HIDDEN.search(style))
