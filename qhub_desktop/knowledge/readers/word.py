"""Word documents (.docx): paragraphs under their headings, rows of tables; headers for facts."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lxml import etree

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.passages import Block
from qhub_desktop.knowledge.readers.source import DocumentContent, Source

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph

DEEPEST_TABLE = 3  # in a cell of a table in a cell
_HEADING_STYLE = re.compile(r"heading (\d)", re.IGNORECASE)  # the name in the file, in any language
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read_word(source: Source) -> DocumentContent:
    """Read a .docx. It has no pages: a place is the headings above and the paragraph's number."""
    import docx

    document: Document = docx.Document(str(source.path))
    blocks = tuple(_blocks(document))
    title = sanitize(document.core_properties.title or "")
    return DocumentContent("Word", blocks, title, headers=tuple(_headers(document)))


def _blocks(document: Any) -> Iterator[Block]:
    from docx.text.paragraph import Paragraph

    numbering = _Numbering(document)
    number = 0
    for item in _items(document.element.body, document):
        if not isinstance(item, Paragraph):
            rows = list(_rows(item))
            header = rows[0] if len(rows) > 1 else ""
            for place, row in enumerate(rows):
                number += 1
                if place or not header:
                    yield Block(row, DocumentPlace(paragraph=number), header=header)
            continue
        text = _text(item)
        if not text:
            continue
        number += 1
        text = f"{numbering.next_label(item)} {text}".strip()
        yield Block(text, DocumentPlace(paragraph=number), level=_level(item))


def _items(element: Any, parent: Any) -> Iterator["Paragraph | Table"]:
    """Yield paragraphs and tables, also those inside content controls, in order."""
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    for child in element.iterchildren():
        match child.tag:
            case tag if tag == f"{_W}p":
                yield Paragraph(child, parent)
                # Text boxes hang in a paragraph; of their two writings the newer counts.
                for box in child.iter(f"{_W}txbxContent"):
                    if not any(each.tag.endswith("}Fallback") for each in box.iterancestors()):
                        yield from _items(box, parent)
            case tag if tag == f"{_W}tbl":
                yield Table(child, parent)
            case tag if tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"):
                yield from _items(child, parent)


def _text(paragraph: "Paragraph") -> str:
    """Return the text of a paragraph as it stands: insertions are in it, deletions are not."""
    parts: list[str] = []
    for node in paragraph._p.iter():  # noqa: SLF001  runs in links and insertions, too
        if any(each.tag == f"{_W}txbxContent" for each in node.iterancestors(f"{_W}txbxContent")):
            continue
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr") and node.getparent().tag == f"{_W}r":
            parts.append("\t" if node.tag == f"{_W}tab" else "\n")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("-")
    return sanitize("".join(parts)).strip()


def _level(paragraph: "Paragraph") -> int:
    """Return the level of a heading, by its style or the outline level; 0 if it is none."""
    for style in _styles(paragraph):
        if found := _HEADING_STYLE.fullmatch(style.name or ""):
            return int(found[1])
        if (style.name or "").lower() == "title":
            return 1
    outline = paragraph._p.find(f"{_W}pPr/{_W}outlineLvl")  # noqa: SLF001  not in the library
    value = outline.get(f"{_W}val") if outline is not None else None
    # 9 is running text.
    return int(value) + 1 if value is not None and value.isdigit() and int(value) < 9 else 0


def _styles(paragraph: "Paragraph") -> Iterator[Any]:
    """Yield a paragraph's style, and those that it builds on; in a hostile file they are a ring."""
    style: Any = paragraph.style
    for _time in range(10):
        if style is None:
            return
        yield style
        style = getattr(style, "base_style", None)


class _Numbering:
    """The numbers of headings and lists, which Word counts and the text does not have: '4.2'."""

    def __init__(self, document: Any) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}  # format, text, first number
        self._lists: dict[str, str] = {}  # a list's id, and that of its kind, which is counted on
        self._counts: dict[str, dict[int, int]] = {}
        parts = [
            relation.target_part
            for relation in document.part.rels.values()
            if relation.reltype.endswith("/numbering") and not relation.is_external
        ]
        for part in parts[:1]:
            root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False))
            for kind in root.iterchildren(f"{_W}abstractNum"):
                levels = (self._level(level) for level in kind.iterchildren(f"{_W}lvl"))
                self._levels[kind.get(f"{_W}abstractNumId", "")] = dict(levels)
            for one in root.iterchildren(f"{_W}num"):
                self._lists[one.get(f"{_W}numId", "")] = _value(one, "abstractNumId")

    def _level(self, level: Any) -> tuple[int, tuple[str, str, int]]:
        start = _value(level, "start")
        first = int(start) if start.isdecimal() else 1
        return _whole(level.get(f"{_W}ilvl", "")), (
            _value(level, "numFmt"),
            _value(level, "lvlText"),
            first,
        )

    def next_label(self, paragraph: "Paragraph") -> str:
        """Count a paragraph; return its number as it is printed, or nothing."""
        listed, depth = _list_of(paragraph)
        kind = self._lists.get(listed, "")
        levels = self._levels.get(kind, {})
        if depth not in levels:
            return ""
        counts = self._counts.setdefault(kind, {})
        counts[depth] = counts.get(depth, levels[depth][2] - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]

        def number(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            form, _text, first = levels.get(at, ("decimal", "", 1))
            return _written(counts.get(at, first), form)

        form, text, _first = levels[depth]
        return re.sub(r"%([1-9])", number, text) if form in _FORMS else ""


_FORMS = ("decimal", "lowerLetter", "upperLetter")


def _written(number: int, form: str) -> str:
    letter = chr(ord("a") + (number - 1) % 26)
    return {"lowerLetter": letter, "upperLetter": letter.upper()}.get(form, str(number))


def _value(element: Any, name: str) -> str:
    """Return the value of a child element, or nothing."""
    child = element.find(f"{_W}{name}")
    return "" if child is None else child.get(f"{_W}val", "")


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 3 else 0


def _list_of(paragraph: "Paragraph") -> tuple[str, int]:
    """Return the list that a paragraph is numbered in, by itself or by its style, and the level."""
    own_properties = paragraph._p.pPr  # noqa: SLF001  the library has no numbering
    for each in (own_properties, *(style.element.pPr for style in _styles(paragraph))):
        own = each.find(f"{_W}numPr") if each is not None else None
        if own is not None and (listed := _value(own, "numId")):
            return listed, _whole(_value(own, "ilvl"))
    return "", 0


def _rows(table: "Table", depth: int = 1) -> Iterator[str]:
    """Yield the rows of a table, cells between ' | '; a table in a cell follows its row."""
    from docx.text.paragraph import Paragraph

    for row in table._tbl.iterchildren(f"{_W}tr"):  # noqa: SLF001  the library copies merged cells
        cells: list[str] = []
        inner: list[str] = []
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tr")) is not row:
                continue
            texts: list[str] = []
            for item in _items(cell, table):
                if isinstance(item, Paragraph):
                    texts.append(" ".join(_text(item).split()))
                elif depth < DEEPEST_TABLE:
                    inner += _rows(item, depth + 1)
            cells.append(" ".join(filter(None, texts)))
        if any(cells):
            yield CELL.join(cells)
        yield from inner


def _headers(document: Any) -> Iterator[str]:
    """Yield the lines of headers and footers, each once."""
    from docx.table import Table

    seen: set[str] = set()
    for section in document.sections:
        for part in (
            section.first_page_header,
            section.header,
            section.even_page_header,
            section.first_page_footer,
            section.footer,
        ):
            if part.is_linked_to_previous:
                continue
            for item in _items(part._element, part):  # noqa: SLF001  in order
                lines = _rows(item) if isinstance(item, Table) else [_text(item)]
                for line in lines:
                    if line and line not in seen:
                        seen.add(line)
                        yield line
