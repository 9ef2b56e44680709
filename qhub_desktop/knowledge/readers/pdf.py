"""PDF files: words with their rectangles, page by page; a page without text is read by OCR."""

import ctypes
import math
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.errors import PasswordNeededError
from qhub_desktop.core.text import fold, ngettext
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.layout import PageLine, RuledLine, Segment, lines_of
from qhub_desktop.knowledge.pages import ReadPage, page_blocks
from qhub_desktop.knowledge.quotations import PlacedWord
from qhub_desktop.knowledge.readers.ocr import Ocr, OcrMissingError
from qhub_desktop.knowledge.readers.source import (
    DAMAGED,
    LOCKED,
    MOST_PAGES,
    TOO_MANY_PAGES,
    WRONG_PASSWORD,
    DocumentContent,
    Source,
    refusal,
)

FEW_LETTERS = 20  # a page with fewer is a picture of a page
OCR_DPI = 200
POINTS_PER_INCH = 72
MOST_PIXELS = 4_000  # of a side of a page that is rendered; A3 at 200 dpi has 3,300
MOST_LETTERS = 200_000  # of a page; a dense one has 8,000
MOST_OBJECTS = 5_000  # of a page, looked at for the rules of tables
UNITS = 1_000_000  # in which the library tells places on the page as it is shown
HYPHENS = {0x2, 0xAD, 0xFFFE}  # by which the library tells a hyphen at a line's end
LIGATURES = {
    0xFB00 + at: parts for at, parts in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))
}
BOLD = 600
THIN_POINTS = 2.5
LEAST_RULE_POINTS = 8
TAIL_BYTES = 2**16  # in which a whole file tells where its table is; others append noughts
TILTED = math.radians(8)

Transform = Callable[[float, float], tuple[float, float]]


def read_pdf(source: Source) -> DocumentContent:
    """Read a PDF page by page. Raises UserError for one that is locked, damaged or too long."""
    _check_end(source)
    try:
        document = pypdfium2.PdfDocument(source.path, password=source.password)
    except pypdfium2.PdfiumError as error:
        if error.err_code != pdfium.FPDF_ERR_PASSWORD:
            raise refusal(DAMAGED, source.name) from error
        text = WRONG_PASSWORD if source.password else LOCKED
        raise PasswordNeededError(str(refusal(text, source.name))) from error
    try:
        count = len(document)
        if count > MOST_PAGES:
            raise refusal(TOO_MANY_PAGES, source.name)
        if not count:
            raise refusal(DAMAGED, source.name)
        reading = _Reading(document, source)
        pages = [reading.page(number) for number in range(count)]
        title = sanitize(document.get_metadata_value("Title")).strip()
    finally:
        document.close()
    blocks, headers = page_blocks(pages)
    return DocumentContent(
        "PDF",
        blocks,
        title,
        headers=headers,
        pages=count,
        warnings=tuple(reading.warnings(count)),
    )


def _check_end(source: Source) -> None:
    """Raise UserError for a file that was cut: the library would show the pages that are left."""
    with source.path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL_BYTES))
        if b"startxref" not in file.read():
            raise refusal(DAMAGED, source.name)


class _Reading:
    """The pages of one document; it remembers which could not be read."""

    def __init__(self, document: pypdfium2.PdfDocument, source: Source) -> None:
        self._document = document
        self._source = source
        self._broken: list[int] = []
        self._unread: list[int] = []
        self._ocr_missing = ""  # why
        self._ocr: Ocr | None = None

    def page(self, number: int) -> ReadPage:
        """Return the lines of a page, counted from 0."""
        self._source.tell(number, len(self._document))
        label = sanitize(self._label(number))
        label = "" if label == str(number + 1) else label
        try:
            page = self._document[number]
        except pypdfium2.PdfiumError:
            self._broken.append(number + 1)
            return ReadPage(number + 1, label, [])
        try:
            lines = _text_lines(page)
            letters = sum(len(line.text) for line in lines)
            ocr = self._source.ocr
            if ocr == "always" or (ocr == "auto" and letters < FEW_LETTERS):
                lines = self._scanned(page, number + 1) or lines
            elif letters < FEW_LETTERS and _has_picture(page):
                self._unread.append(number + 1)
        except pypdfium2.PdfiumError:
            self._broken.append(number + 1)
            lines = []
        finally:
            page.close()
        return ReadPage(number + 1, label, lines)

    def _label(self, number: int) -> str:
        try:
            return str(self._document.get_page_label(number))
        except (UnicodeDecodeError, pypdfium2.PdfiumError):
            return ""

    def _scanned(self, page: pypdfium2.PdfPage, number: int) -> list[PageLine]:
        if not _has_picture(page) and self._source.ocr == "auto":
            return []  # a blank page
        if self._ocr_missing:
            self._unread.append(number)
            return []
        try:
            self._ocr = self._ocr or Ocr()
        except OcrMissingError as error:
            self._ocr_missing = str(error)
            self._unread.append(number)
            return []
        scale = OCR_DPI / POINTS_PER_INCH
        scale = min(scale, MOST_PIXELS / max(1, *page.get_size()))
        return self._ocr.lines(page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3])

    def warnings(self, count: int) -> Iterator[str]:
        """Yield what a person should know of pages that were not read."""
        if self._broken:
            yield ngettext(
                "{count} page could not be read: {pages}.",
                "{count} pages could not be read: {pages}.",
                len(self._broken),
            ).format(count=len(self._broken), pages=_numbers(self._broken))
        if self._unread and self._ocr_missing:
            yield _(
                "Scanned pages were not read: {pages} of {count}. {why} Read the document again"
                " afterwards."
            ).format(pages=_numbers(self._unread), count=count, why=self._ocr_missing)
        elif self._unread:
            yield _("Scanned pages were not read, as asked: {pages} of {count}.").format(
                pages=_numbers(self._unread), count=count
            )


def _numbers(pages: list[int]) -> str:
    shown = ", ".join(map(str, pages[:10]))
    return f"{shown}…" if len(pages) > 10 else shown


def _has_picture(page: pypdfium2.PdfPage) -> bool:
    """Return whether anything is on a page that could be a picture of text, or drawn letters."""
    for number, thing in enumerate(page.get_objects(max_depth=3)):
        if thing.type in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            return True
        if thing.type == pdfium.FPDF_PAGEOBJ_PATH and number > 100:
            return True
        if number > MOST_OBJECTS:
            return True
    return False


def _text_lines(page: pypdfium2.PdfPage) -> list[PageLine]:
    """Return the lines of a page: first those in its main direction, then those turned."""
    shown = _shown(page)
    by_direction: dict[int, list[_Word]] = {}
    for word in _words(page, shown):
        by_direction.setdefault(word.direction, []).append(word)
    if not by_direction:
        return []
    size = page.get_size()
    made: list[PageLine] = []
    directions = sorted(
        by_direction, key=lambda each: -sum(len(w.text) for w in by_direction[each])
    )
    for direction in directions:
        words = by_direction[direction]
        upright = partial(_upright, direction=max(0, direction), size=size)
        segments = [
            Segment(
                word.text,
                _turned(word.mark, upright),
                word.mark,
                word.size,
                word.is_bold,
            )
            for word in words
        ]
        rules = []
        if direction == directions[0]:
            rules = [RuledLine(*_turned(each, upright)) for each in _rules(page, shown)]
        made += lines_of(segments, rules)
    return made


@dataclass(frozen=True, slots=True)
class _Word:
    """A word; `direction` counts quarter turns clockwise of its writing, -1 is tilted."""

    text: str
    mark: Rectangle
    size: float
    is_bold: bool
    direction: int


def _shown(page: pypdfium2.PdfPage) -> Transform:
    """Return what leads from the page's own points to shares of the page as it is shown.

    It minds the page's turn and the box that it is cropped to.
    """
    corners = []
    x, y = ctypes.c_int(), ctypes.c_int()
    for point in ((0, 0), (1_000, 0), (0, 1_000)):
        pdfium.FPDF_PageToDevice(page, 0, 0, UNITS, UNITS, 0, *point, x, y)
        corners.append((x.value / UNITS, y.value / UNITS))
    (zero_x, zero_y), (a, b), (c, d) = corners
    across = (a - zero_x) / 1_000, (b - zero_y) / 1_000
    along = (c - zero_x) / 1_000, (d - zero_y) / 1_000
    return lambda px, py: (
        zero_x + px * across[0] + py * along[0],
        zero_y + px * across[1] + py * along[1],
    )


def _turned(box: Rectangle, transform: Transform) -> Rectangle:
    (x1, y1), (x2, y2) = transform(box[0], box[1]), transform(box[2], box[3])
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _upright(
    x: float, y: float, *, direction: int, size: tuple[float, float]
) -> tuple[float, float]:
    """Return a share of the shown page as a place in page widths, with the writing upright."""
    width, height = size
    match direction:
        case 1:  # it runs down
            return y, (1 - x) * width / height
        case 2:
            return 1 - x, (1 - y) * height / width
        case 3:  # it runs up
            return 1 - y, x * width / height
        case _:
            return x, y * height / width


def _words(page: pypdfium2.PdfPage, shown: Transform) -> Iterator[_Word]:
    """Yield the words that stand on the page as it is shown, in the order of the file."""
    text = page.get_textpage()
    try:
        letters: list[str] = []
        box = [0.0, 0.0, 0.0, 0.0]
        first = 0
        rect = pdfium.FS_RECTF()
        high = ""
        for index in range(min(text.count_chars(), MOST_LETTERS)):
            code = pdfium.FPDFText_GetUnicode(text, index)
            letter = "-" if code in HYPHENS else chr(code) if code < 0x110000 else ""
            if 0xD800 <= code < 0xDC00:
                high = letter
                continue
            letter, high = high + letter, ""
            is_blank = not letter or letter.isspace() or (code < 0x20 and code not in HYPHENS)
            if not is_blank:
                if not pdfium.FPDFText_GetLooseCharBox(text, index, rect):
                    continue
                place = (
                    rect.left,
                    min(rect.bottom, rect.top),
                    rect.right,
                    max(rect.bottom, rect.top),
                )
                if letters and _is_apart(box, place):
                    yield from _word(text, first, letters, box, shown)
                    letters = []
                if not letters:
                    first, box = index, list(place)
                else:
                    box = [
                        min(box[0], place[0]),
                        min(box[1], place[1]),
                        max(box[2], place[2]),
                        max(box[3], place[3]),
                    ]
                letters.append(letter)
            elif letters:
                yield from _word(text, first, letters, box, shown)
                letters = []
        if letters:
            yield from _word(text, first, letters, box, shown)
    finally:
        text.close()


def _is_apart(word: list[float], letter: Rectangle) -> bool:
    """Return whether a letter does not touch the word: it stands on another line or far off."""
    near = max(letter[2] - letter[0], letter[3] - letter[1], 1.0)
    return (
        letter[0] > word[2] + near
        or letter[2] < word[0] - near
        or letter[1] > word[3] + near / 4
        or letter[3] < word[1] - near / 4
    )


def _word(
    text: pypdfium2.PdfTextPage, first: int, letters: list[str], box: list[float], shown: Transform
) -> Iterator[_Word]:
    """Yield the word, unless it lies outside of the page as it is shown."""
    mark = _turned((box[0], box[1], box[2], box[3]), shown)
    if not (0 <= (mark[0] + mark[2]) / 2 <= 1 and 0 <= (mark[1] + mark[3]) / 2 <= 1):
        return
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, first, matrix)
    start, end = shown(0, 0), shown(matrix.a * 1_000, matrix.b * 1_000)
    page = text.page.get_size()
    angle = math.atan2((end[1] - start[1]) * page[1], (end[0] - start[0]) * page[0])
    quarter = round(angle / (math.pi / 2))
    is_tilted = abs(angle - quarter * math.pi / 2) > TILTED
    direction = -1 if is_tilted else quarter % 4
    sides = ((mark[2] - mark[0]) * page[0], (mark[3] - mark[1]) * page[1])
    mark = tuple(min(1.0, max(0.0, round(each, 5))) for each in mark)  # type: ignore[assignment]
    size = sides[0] if direction in (1, 3) else sides[1]
    words = unicodedata.normalize("NFC", sanitize("".join(letters)).translate(LIGATURES))
    yield _Word(words, mark, round(size, 1), _is_bold(text, first), direction)


def _is_bold(text: pypdfium2.PdfTextPage, index: int) -> bool:
    if pdfium.FPDFText_GetFontWeight(text, index) >= BOLD:
        return True
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(text, index, name, 128, None)
    return any(word in name.value.lower() for word in (b"bold", b"black", b"heavy"))


def _rules(page: pypdfium2.PdfPage, shown: Transform) -> Iterator[Rectangle]:
    """Yield the straight lines that are drawn on a page, as shares of it."""
    for number, thing in enumerate(
        page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=1)
    ):
        if number > MOST_OBJECTS:
            return
        for box in _path_lines(thing):
            yield _turned(box, shown)


def _path_lines(path: Any) -> Iterator[Rectangle]:
    """Yield the level and upright sides of a path, in the page's points."""
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(path, own)
    count = min(pdfium.FPDFPath_CountSegments(path), MOST_OBJECTS)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    sides: list[Rectangle] = []
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            own.a * x.value + own.c * y.value + own.e,
            own.b * x.value + own.d * y.value + own.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            sides.append((*last, *point))
        if pdfium.FPDFPathSegment_GetClose(segment):
            sides.append((*point, *start))
        last = point
    for x1, y1, x2, y2 in sides:
        if max(abs(x1 - x2), abs(y1 - y2)) >= LEAST_RULE_POINTS and (
            min(abs(x1 - x2), abs(y1 - y2)) <= THIN_POINTS
        ):
            yield min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


class PdfWords:
    """Words of a PDF's pages with their places, for a viewer. Owned by one thread until closed."""

    def __init__(self, path: Path, password: str | None = None) -> None:
        """Raise UserError for a file that cannot be opened."""
        try:
            self._document = pypdfium2.PdfDocument(path, password=password)
        except pypdfium2.PdfiumError as error:
            raise refusal(DAMAGED, path.name) from error

    def __len__(self) -> int:
        return len(self._document)

    def sizes(self, first: int, last: int) -> list[tuple[float, float]]:
        """Return width and height in points of pages from 1, as shown; (0, 0) for a broken one."""
        return [self._size(number - 1) for number in range(first, min(last, len(self)) + 1)]

    def _size(self, index: int) -> tuple[float, float]:
        try:
            width, height = self._document.get_page_size(index)
        except pypdfium2.PdfiumError:
            return 0.0, 0.0
        return float(width), float(height)

    def on_page(self, number: int, *, searched: str = "") -> list[PlacedWord]:
        """Return the words of a page, from 1, in the order of the file; [] for a broken one.

        Also [] for a page without the words that are searched: to place them takes 80 ms.
        """
        try:
            page = self._document[number - 1]
        except (pypdfium2.PdfiumError, IndexError):
            return []
        try:
            if searched and not _has_words(page, searched):
                return []
            return [PlacedWord(word.text, word.mark) for word in _words(page, _shown(page))]
        except pypdfium2.PdfiumError:
            return []
        finally:
            page.close()

    def close(self) -> None:
        """Let go of the file."""
        self._document.close()


def _has_words(page: pypdfium2.PdfPage, searched: str) -> bool:
    text = page.get_textpage()
    try:
        return "".join(fold(searched).split()) in "".join(fold(text.get_text_range()).split())
    finally:
        text.close()
