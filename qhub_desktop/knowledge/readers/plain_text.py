"""Plain text and Markdown (.txt, .md): paragraphs, headings and tables as they are written."""

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.passages import Block
from qhub_desktop.knowledge.readers.source import DocumentContent, Source

MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_MARKED_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_UNDERLINE = re.compile(r"(=|-)\1{2,}\s*")
_RULE_OF_TABLE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+")
_GAP = re.compile(r" {2,}|\t+")  # between the cells of a table that is drawn with spaces
LEAST_CELLS = 3  # of its rows: the first of two may be a label
LONGEST_HEADING = 120
LEAST_CAPITALS = 4  # letters of a heading in capitals
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z])[.)]?\s")
_BRACKETED = re.compile(r"\([^()]*\)")
# What Markdown writes around words, and what is shown of it: images, links, code, emphasis,
# escapes.
_MARKUP = (
    (re.compile(r"!\[[^\]]*\](?:\([^)]*\))?"), ""),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"(`+)(.+?)\1"), r"\2"),
    (re.compile(r"(?<!\\)(\*{1,3})(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w\\])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_QUOTED = re.compile(r"\s{0,3}(?:>\s?)+")


def decode(content: bytes) -> str:
    """Decode a text: by its mark, as UTF-8, else as Windows wrote it in western Europe."""
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return sanitize(content.decode(encoding, "replace"))
    try:
        return sanitize(content.decode("utf-8"))
    except UnicodeDecodeError:
        return sanitize(content.decode("cp1252", "replace"))


def read_text(source: Source) -> DocumentContent:
    """Read a text file. The place of a paragraph is its number, and the headings above it."""
    text = decode(source.path.read_bytes())
    is_markdown = any(map(_is_marked, text.splitlines()))
    blocks = tuple(text_blocks(_without_markup(text) if is_markdown else text))
    return DocumentContent("Markdown" if is_markdown else "Text", blocks)


def _is_marked(line: str) -> bool:
    is_rule = "|" in line and "-" in line and _RULE_OF_TABLE.fullmatch(line.strip())
    return bool(is_rule or _MARKED_HEADING.fullmatch(line))


def _without_markup(text: str) -> str:
    """Return Markdown with its words as they are shown; code between fences as it stands."""
    lines, fence = list[str](), ""
    for line in text.splitlines():
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            lines.append(reduce(_shown, _MARKUP, _QUOTED.sub("", line, count=1)))
            continue
        lines.append(line)
    return "\n".join(lines)


def _shown(line: str, markup: tuple[re.Pattern[str], str]) -> str:
    return markup[0].sub(markup[1], line)


def text_blocks(text: str, *, part: str = "") -> Iterator[Block]:
    """Yield the paragraphs, headings and rows of a text, counted from 1."""
    for number, block in enumerate(_written(text.splitlines()), 1):
        place = DocumentPlace(part=part, paragraph=number)
        yield Block(block.text, place, level=block.level, header=block.header)


def _written(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    header = ""
    fence = ""

    level = 1  # of the next heading in capitals

    def ended(*, by_text: bool = False) -> Iterator[Block]:
        yield from _paragraph(paragraph, level, is_followed=by_text)
        paragraph.clear()

    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
            continue
        if fence:
            paragraph.append(line.rstrip())
            continue
        is_row = line.count("|") > 1 or ("|" in line and bool(header))
        if not is_row:
            header = ""
        if heading := _MARKED_HEADING.fullmatch(line):
            yield from ended()
            if heading[2]:
                yield Block(heading[2], level=len(heading[1]))
        elif is_row:
            yield from ended()
            if _RULE_OF_TABLE.fullmatch(line.strip()):
                continue
            cells = CELL.join(each.strip() for each in line.strip().strip("|").split("|"))
            if _RULE_OF_TABLE.fullmatch(following.strip()) and "|" in following:
                header = cells
                if number + 2 >= len(lines) or "|" not in lines[number + 2]:
                    yield Block(cells)
            else:
                yield Block(cells, header=header)
        elif paragraph and len(paragraph) == 1 and (under := _UNDERLINE.fullmatch(line)):
            yield Block(paragraph.pop().strip(), level=1 if under[1] == "=" else 2)
        elif not line.strip() or _UNDERLINE.fullmatch(line.strip()):
            yield from ended()
            level = 2
        elif _LIST.match(line) and (paragraph or not _is_heading(line)):
            yield from ended(by_text=True)
            paragraph.append(line.strip())
        else:
            paragraph.append(line.strip())
    yield from ended()


def _paragraph(lines: Sequence[str], level: int, *, is_followed: bool) -> Iterator[Block]:
    """Yield the lines between blank ones: a heading in capitals, rows in columns, running text.

    A heading has text below it, or a number.
    """
    is_led = is_followed or len(lines) > 1 or any(map(_NUMBERED.match, lines))
    if is_led and lines and _is_heading(lines[0]):
        yield Block(lines[0].rstrip(" :"), level=level)
        lines = lines[1:]
    for count, group in groupby(lines, key=lambda line: len(_GAP.split(line))):
        rows = [*group]
        if count < LEAST_CELLS or len(rows) == 1:
            yield Block("\n".join(rows).strip())
            continue
        header, *others = (CELL.join(_GAP.split(row)) for row in rows)
        if any(map(str.isdigit, header)):
            header, others = "", [header, *others]
        yield from (Block(row, header=header) for row in others)


def _is_heading(line: str) -> bool:
    """Return whether a line is in capitals, but for what stands in brackets: a heading."""
    words = _BRACKETED.sub("", line)
    capitals = sum(map(str.isupper, words))
    is_short = len(line) <= LONGEST_HEADING and not line.rstrip().endswith((".", ";", ","))
    is_sized = capitals >= LEAST_CAPITALS and not any(map(str.islower, words))
    return is_short and is_sized and len(_GAP.split(line.strip())) < LEAST_CELLS
