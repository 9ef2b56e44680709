"""Style of Markdown: headings, code, tables and quotes of a document in the palette's colours."""

from collections.abc import Generator, Iterator

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
)
from typing_extensions import override

from qhub_desktop.core.citations import (
    NUMBER_SCHEME,
    SCHEME,
    UNSUPPORTED_SCHEME,
    bracketed_citations,
)
from qhub_desktop.core.formulas import plain_formulas
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import visible
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.code_colours import LANGUAGES, colour_blocks
from qhub_desktop.ui.theme import Palette, mix

# No HTML: it is shown as text, and nothing is fetched.
FEATURES = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
MONOSPACE = ["Cascadia Mono", "Consolas", "DejaVu Sans Mono", "Liberation Mono", "monospace"]
CODE_HEADER_PX = 30
CODE_PAD_PX = 10
_BLOCK_GAP_PX = 8
_LINE_HEIGHT = 122.0
_HEADING_STEPS = {1: 2, 2: 1}  # Qt's size steps: 1.5 times and 1.2 times as large
_HEADING_WEIGHT = QFont.Weight.DemiBold
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


@dataclass(frozen=True, slots=True)
class BlockRange:
    """Adjacent blocks of one kind, by their numbers; `language` is that of a code block."""

    first: int
    last: int
    language: str = ""


@dataclass(frozen=True, slots=True)
class BlockDecorations:
    """Blocks with a background to paint behind the text."""

    codes: tuple[BlockRange, ...]
    quotes: tuple[BlockRange, ...]


class OfflineDocument(QTextDocument):
    """Text document that loads no resources.

    Its parent must be the widget that shows it: freed by Python earlier, it would be read once
    more while the widget is destroyed, which crashes.
    """

    def __init__(self, owner: QObject | None = None) -> None:
        super().__init__(owner)
        self.setDocumentMargin(0)
        self.setIndentWidth(24)
        self.setUndoRedoEnabled(False)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    @override
    def loadResource(self, kind: int, name: QUrl | str) -> object:
        # Return an empty picture, or Qt would look for the file itself: a model's text must not
        # make the program open a path, least of all on another computer.
        if kind == QTextDocument.ResourceType.ImageResource.value:
            blank = QImage(1, 1, QImage.Format.Format_ARGB32)
            blank.fill(Qt.GlobalColor.transparent)
            return blank
        return None


def load_markdown(document: QTextDocument, text: str, *, font: QFont) -> None:
    """Fill a document from Markdown, without our style and without its pictures.

    In the place of each stands what it is called: copied, its address would be asked for by the
    program that it is pasted into.
    """
    document.setDefaultFont(font)
    document.setMarkdown(bracketed_citations(visible(plain_formulas(text))), FEATURES)
    if "![" in text:
        _name_pictures(document)


def _name_pictures(document: QTextDocument) -> None:
    cursor = QTextCursor(document)
    for block in _blocks(document):
        for span in reversed(block.textFormats()):
            if span.format.isImageFormat():
                start = block.position() + span.start
                cursor.setPosition(start)
                cursor.setPosition(start + span.length, QTextCursor.MoveMode.KeepAnchor)
                name = span.format.stringProperty(QTextFormat.Property.ImageAltText.value)
                cursor.insertText(name.replace("\n", " "), QTextCharFormat())


def style_in_slices(
    document: QTextDocument, palette: Palette, *, body_pt: float, blocks: int
) -> Generator[None, None, BlockDecorations]:
    """Style a freshly read document, yielding after every `blocks` blocks."""
    cursor = QTextCursor(document)
    tables = [_table_range(table) for table in _tables(document)]
    codes: list[BlockRange] = []
    quotes: list[BlockRange] = []
    # One edit block, or the document would be laid out after every change.
    cursor.beginEditBlock()
    cursor.select(QTextCursor.SelectionType.Document)
    spacing = QTextBlockFormat()
    spacing.setLineHeight(_LINE_HEIGHT, _PROPORTIONAL)
    cursor.mergeBlockFormat(spacing)
    was_code = False
    table = 0
    for count, block in enumerate(_blocks(document)):
        if count % blocks == blocks - 1:
            yield
        layout = block.blockFormat()
        number = block.blockNumber()
        is_code = _is_code(layout)
        if is_code:
            language = str(layout.property(QTextFormat.Property.BlockCodeLanguage) or "")
            _extend_ranges(codes, number, language=language, is_new=not was_code)
            was_code = True
            continue
        was_code = False
        while table < len(tables) and block.position() > tables[table][1]:
            table += 1
        is_cell = table < len(tables) and block.position() >= tables[table][0]
        if level := layout.headingLevel():
            _style_heading(cursor, block, level)
        elif not is_cell:
            is_quote = layout.hasProperty(QTextFormat.Property.BlockQuoteLevel)
            if is_quote:
                _extend_ranges(quotes, number, language="", is_new=False)
            _style_paragraph(cursor, block, palette, is_quote=is_quote)
        _style_spans(cursor, block, palette, body_pt=body_pt)
    for code in codes:
        _style_code(cursor, document, code, palette, body_pt=body_pt)
    yield
    for each in _tables(document):
        _style_table(cursor, each, palette)
    yield
    cursor.endEditBlock()
    for code in codes:
        if known := LANGUAGES.get(code.language.lower()):
            lines = map(document.findBlockByNumber, range(code.first, code.last + 1))
            colour_blocks(lines, known, palette)
    return BlockDecorations(tuple(codes), tuple(quotes))


def _table_range(table: QTextTable) -> tuple[int, int]:
    return table.firstPosition(), table.lastPosition()


def monospace(points: float) -> QFont:
    """Return the monospaced font of code and queries."""
    font = QFont(MONOSPACE)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(points)
    return font


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _is_code(layout: QTextBlockFormat) -> bool:
    return layout.hasProperty(QTextFormat.Property.BlockCodeFence) or layout.nonBreakableLines()


def _extend_ranges(found: list[BlockRange], number: int, *, language: str, is_new: bool) -> None:
    if found and found[-1].last == number - 1 and not is_new:
        found[-1] = BlockRange(found[-1].first, number, found[-1].language)
    else:
        found.append(BlockRange(number, number, language))


def _style_heading(cursor: QTextCursor, block: QTextBlock, level: int) -> None:
    layout = QTextBlockFormat()
    layout.setTopMargin(
        0 if block.blockNumber() == 0 else _BLOCK_GAP_PX * (2.2 if level < 3 else 1.6)
    )
    layout.setBottomMargin(_BLOCK_GAP_PX * 0.6)
    cursor.setPosition(block.position())
    cursor.mergeBlockFormat(layout)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    words = QTextCharFormat()
    words.setProperty(QTextFormat.Property.FontSizeAdjustment, _HEADING_STEPS.get(level, 0))
    words.setFontWeight(_HEADING_WEIGHT)
    cursor.mergeCharFormat(words)


def _style_paragraph(
    cursor: QTextCursor, block: QTextBlock, palette: Palette, *, is_quote: bool
) -> None:
    layout = QTextBlockFormat()
    gap = _BLOCK_GAP_PX / 2 if block.textList() is not None else _BLOCK_GAP_PX
    layout.setTopMargin(0 if block.blockNumber() == 0 else gap)
    layout.setBottomMargin(gap)
    cursor.setPosition(block.position())
    if is_quote:
        layout.setLeftMargin(2 * _BLOCK_GAP_PX)
        layout.setRightMargin(0)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        words = QTextCharFormat()
        words.setForeground(QColor(palette.quiet))
        cursor.mergeCharFormat(words)
    cursor.mergeBlockFormat(layout)


def _style_spans(
    cursor: QTextCursor, block: QTextBlock, palette: Palette, *, body_pt: float
) -> None:
    """Style inline code and links."""
    start = block.position()
    for span in block.textFormats():
        if not (span.format.isAnchor() or span.format.fontFixedPitch()):
            continue
        words = QTextCharFormat()
        address = span.format.anchorHref()
        if address.startswith((f"{NUMBER_SCHEME}:", f"{UNSUPPORTED_SCHEME}:")):
            _style_number(words, palette, is_marked=address.startswith(UNSUPPORTED_SCHEME))
        elif span.format.isAnchor():
            is_citation = address.startswith(f"{SCHEME}:")
            words.setForeground(QColor(palette.accent))
            words.setFontUnderline(not is_citation)
            if is_citation:
                words.setBackground(QColor(mix(palette.page, palette.accent, 0.1)))
        else:
            words.setFontFamilies(MONOSPACE)
            words.setFontPointSize(body_pt * 0.93)
            words.setBackground(QColor(mix(palette.page, palette.text, 0.07)))
        cursor.setPosition(start + span.start)
        cursor.setPosition(start + span.start + span.length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(words)


def _style_number(words: QTextCharFormat, palette: Palette, *, is_marked: bool) -> None:
    """Leave a number that a result holds as it is; mark one that no tool has computed."""
    words.setForeground(QColor(palette.text))
    words.setFontUnderline(False)
    if is_marked:
        words.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        words.setUnderlineColor(QColor(palette.warn))
        words.setToolTip(_("Comes from no tool"))


def _style_code(
    cursor: QTextCursor,
    document: QTextDocument,
    code: BlockRange,
    palette: Palette,
    *,
    body_pt: float,
) -> None:
    first = document.findBlockByNumber(code.first)
    last = document.findBlockByNumber(code.last)
    cursor.setPosition(first.position())
    cursor.setPosition(last.position() + max(last.length() - 1, 0), QTextCursor.MoveMode.KeepAnchor)
    layout = QTextBlockFormat()
    layout.setNonBreakableLines(False)
    layout.setLeftMargin(CODE_PAD_PX + 4)
    layout.setRightMargin(CODE_PAD_PX)
    layout.setTopMargin(0)
    layout.setBottomMargin(0)
    layout.setLineHeight(112.0, _PROPORTIONAL)
    cursor.mergeBlockFormat(layout)
    words = QTextCharFormat()
    words.setFontFamilies(MONOSPACE)
    words.setFontPointSize(body_pt * 0.93)
    words.setForeground(QColor(palette.text))
    cursor.mergeCharFormat(words)
    top = QTextBlockFormat()
    top.setTopMargin(_BLOCK_GAP_PX + CODE_HEADER_PX + CODE_PAD_PX / 2)
    cursor.setPosition(first.position())
    cursor.mergeBlockFormat(top)
    bottom = QTextBlockFormat()
    bottom.setBottomMargin(_BLOCK_GAP_PX + CODE_PAD_PX)
    cursor.setPosition(last.position())
    cursor.mergeBlockFormat(bottom)
    _set_end_margins(document, top, bottom, code)


def _set_end_margins(
    document: QTextDocument, top: QTextBlockFormat, bottom: QTextBlockFormat, code: BlockRange
) -> None:
    """Set the margins above the first and below the last block, which Qt leaves out."""
    page = document.rootFrame().frameFormat()
    if code.first == 0:
        page.setTopMargin(top.topMargin())
    if code.last == document.blockCount() - 1:
        page.setBottomMargin(bottom.bottomMargin())
    document.rootFrame().setFrameFormat(page)


def _tables(document: QTextDocument) -> Iterator[QTextTable]:
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            yield frame


def _style_table(cursor: QTextCursor, table: QTextTable, palette: Palette) -> None:
    frame = table.format()
    frame.setBorder(1)
    frame.setBorderCollapse(True)
    frame.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    frame.setBorderBrush(QBrush(QColor(palette.line)))
    frame.setCellPadding(6)
    frame.setCellSpacing(0)
    frame.setTopMargin(_BLOCK_GAP_PX)
    frame.setBottomMargin(_BLOCK_GAP_PX)
    table.setFormat(frame)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = cell.format()
        head.setBackground(QColor(palette.panel))
        cell.setFormat(head)
        cursor.setPosition(cell.firstCursorPosition().position())
        cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
        words = QTextCharFormat()
        words.setFontWeight(_HEADING_WEIGHT)
        cursor.mergeCharFormat(words)
