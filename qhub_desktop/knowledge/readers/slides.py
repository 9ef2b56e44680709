"""Presentations (.pptx): titles, texts and tables of each slide, and its notes."""

from collections.abc import Iterator
from typing import Any

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.passages import Block
from qhub_desktop.knowledge.readers.source import (
    MOST_PAGES,
    TOO_MANY_PAGES,
    DocumentContent,
    Source,
    refusal,
)

DEEPEST_GROUP = 10


def read_slides(source: Source) -> DocumentContent:
    """Read a presentation. A place is the number of the slide, counted from 1."""
    import pptx

    presentation = pptx.Presentation(str(source.path))
    slides = list(presentation.slides)
    if len(slides) > MOST_PAGES:
        raise refusal(TOO_MANY_PAGES, source.name)
    blocks: list[Block] = []
    for number, slide in enumerate(slides, 1):
        source.tell(number - 1, len(slides))
        blocks += _slide(slide, number)
    title = sanitize(presentation.core_properties.title or "")
    return DocumentContent("PowerPoint", tuple(blocks), title, pages=len(slides))


def _slide(slide: Any, number: int) -> Iterator[Block]:
    place = DocumentPlace(slide=number)
    title = slide.shapes.title
    if title is not None and (text := _text(title.text_frame)):
        yield Block(text.replace("\n", " "), place, level=1)
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                if text := _line(paragraph.text):
                    yield Block(text, place)
        elif getattr(shape, "has_table", False):
            yield from _table(shape.table, place)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = DocumentPlace(slide=number, part=_("notes"))
        for line in _text(frame).split("\n"):
            yield Block(line, notes)


def _shapes(shapes: Any, depth: int = 1) -> Iterator[Any]:
    """Yield shapes from top to bottom and left to right, with those of groups."""
    for shape in sorted(shapes, key=lambda each: (each.top or 0, each.left or 0)):
        inner = getattr(shape, "shapes", None)
        if inner is not None and depth < DEEPEST_GROUP:
            yield from _shapes(inner, depth + 1)
        else:
            yield shape


def _table(table: Any, place: DocumentPlace) -> Iterator[Block]:
    rows = [
        [" ".join(_text(cell.text_frame).split()) for cell in row.cells if not cell.is_spanned]
        for row in table.rows
    ]
    lines = [CELL.join(row) for row in rows if any(row)]
    header = lines[0] if len(lines) > 1 else ""
    for line in lines[1:] if header else lines:
        yield Block(line, place, header=header)


def _text(frame: Any) -> str:
    return "\n".join(filter(None, (_line(each.text) for each in frame.paragraphs)))


def _line(text: str) -> str:
    return sanitize(" ".join(text.split()))
