"""Colours of code, Python's and SQL's: words, texts, numbers and comments."""

import keyword
import re
from collections.abc import Iterator

from PySide6.QtGui import (
    QColor,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextLayout,
)
from typing_extensions import override

from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.theme import Palette, mix, theme


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """How a language is read: its tokens, its own words, and what goes on over lines.

    `ends` are the ends of what was opened in an earlier line, by the state of that line's block.
    """

    token: re.Pattern[str]
    words: frozenset[str]
    ends: dict[int, tuple[str, str]]  # the kind, and the text that ends it
    is_case_sensitive: bool = True

    def opened(self, sign: str) -> int:
        """Return the state that a sign opens."""
        return next((key for key, (_, end) in self.ends.items() if sign.endswith(end)), 1)


PYTHON = CodeLanguage(
    re.compile(
        r"(?P<comment>#.*)"
        r"|(?P<open>[rbfuRBFU]{0,2}(?:'''|\"\"\"))"
        r"|(?P<text>[rbfuRBFU]{0,2}(?:'(?:\\.|[^'\\])*'?|\"(?:\\.|[^\"\\])*\"?))"
        r"|(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?))"
        r"|(?P<name>[^\W\d]\w*)"
    ),
    frozenset((*keyword.kwlist, *keyword.softkwlist)) - {"_"},
    {1: ("text", "'''"), 2: ("text", '"""')},
)
_SQL_WORDS = """
    all and any as asc between by case cast cross desc distinct else end except exclude exists false
    filter following from full group having ilike in inner intersect interval is join lateral left
    like limit not null nulls offset on or order outer over partition pivot preceding qualify range
    replace right row rows select semi similar table then true unbounded union unnest unpivot using
    values when where window with
"""
SQL = CodeLanguage(
    re.compile(
        r"(?P<comment>--.*)"
        r"|(?P<open>/\*)"
        r"|(?P<text>'(?:''|[^'])*'?)"
        r'|(?P<quoted>"(?:""|[^"])*"?)'
        r"|(?P<number>\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
        r"|(?P<name>[^\W\d]\w*)"
    ),
    frozenset(_SQL_WORDS.split()),
    {1: ("comment", "*/")},
    is_case_sensitive=False,
)
LANGUAGES = {"python": PYTHON, "py": PYTHON, "sql": SQL, "duckdb": SQL}

Span = tuple[int, int, str]  # start, length, kind


def read_line(text: str, language: CodeLanguage, state: int) -> tuple[list[Span], int]:
    """Return what is coloured in a line, and the state after it, of `language.ends`; 0 for none.

    `state` is that after the line before.
    """
    spans: list[Span] = []
    at = 0
    if state in language.ends:
        at, state = _finish(text, 0, 0, language, state, spans)
    while match := language.token.search(text, at):
        start, at = match.span()
        match match.lastgroup:
            case "open":
                at, state = _finish(text, start, at, language, language.opened(match[0]), spans)
            case "name":
                word = match[0] if language.is_case_sensitive else match[0].lower()
                if word in language.words:
                    spans.append((start, at - start, "word"))
            case "comment" | "text" | "number" as kind:
                spans.append((start, at - start, kind))
            case _:
                pass  # a quoted name
    return spans, state


def _finish(
    text: str, start: int, at: int, language: CodeLanguage, state: int, spans: list[Span]
) -> tuple[int, int]:
    """Add what goes on over lines; return where it ends, and the state there."""
    kind, closing = language.ends[state]
    end = text.find(closing, at)
    is_open = end < 0
    end = len(text) if is_open else end + len(closing)
    spans.append((start, end - start, kind))
    return end, state if is_open else 0


def formats_of(palette: Palette) -> dict[str, QTextCharFormat]:
    """Return the format of each kind in a palette."""
    formats: dict[str, QTextCharFormat] = {}
    for kind, colour in (
        ("word", palette.accent),
        ("text", mix(palette.good, palette.text, 0.25)),
        ("number", mix(palette.warn, palette.text, 0.25)),
        ("comment", palette.quiet),
    ):
        formats[kind] = QTextCharFormat()
        formats[kind].setForeground(QColor(colour))
    return formats


def colour_blocks(blocks: Iterator[QTextBlock], language: CodeLanguage, palette: Palette) -> None:
    """Colour the lines of a piece of code in a document."""
    formats, state = formats_of(palette), 0
    for block in blocks:
        spans, state = read_line(block.text(), language, state)
        ranges = []
        for start, length, kind in spans:
            ranges.append(QTextLayout.FormatRange())
            ranges[-1].start, ranges[-1].length = start, length
            ranges[-1].format = formats[kind]
        block.layout().setFormats(ranges)


class CodeHighlighter(QSyntaxHighlighter):
    """Colours the code of a whole document in the theme's palette, as it is typed."""

    def __init__(self, document: QTextDocument, language: CodeLanguage) -> None:
        super().__init__(document)
        self._language = language
        self._restyle()
        theme().on_change(self._restyle)

    def _restyle(self) -> None:
        self._formats = formats_of(theme().palette)
        self.rehighlight()

    @override
    def highlightBlock(self, text: str) -> None:
        spans, state = read_line(text, self._language, self.previousBlockState())
        self.setCurrentBlockState(state)
        for start, length, kind in spans:
            self.setFormat(start, length, self._formats[kind])
