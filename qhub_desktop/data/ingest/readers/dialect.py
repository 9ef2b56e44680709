"""Dialect detection: the delimiter and quotes, or fixed widths, that make a table of a text."""

# Why it is so: decisions/importing-files.md

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers.records import RULE_STARTS, Delimited, Dialect, Fixed, Records
from qhub_desktop.data.ingest.readers.sheet import Decimal

FEWEST_LINES = 3
FEWEST_FOR_ONE_BLANK = 5  # so many lines before a single blank parts columns
TITLE_LINES = 12
NOTE_LINES = 4
DIALECT_LINES = 300
HALF = 0.5
QUARTER = 0.25
ALMOST = 0.9
FEW = 0.15  # of the lines
WORDY = 6  # words that a sentence has at least
PARAGRAPHS = 2  # blank lines between those of a text
SIGNS = "&|=+:,/"  # that part cells, where they stand alone between blanks
WEAK = 0.7  # of the weights of delimiters: these stand in texts as well
ALIGNED_SHARE = 0.7  # so many lines must keep to the columns that a drawn line shows

_HAS_LETTER = re.compile(r"[^\W\d_]")
_GROUP = re.compile(r"-{2,}|={2,}|_{2,}|─{2,}")

FIXED_WIDTH = "fixed width"  # shown to a person, and chosen, in place of a delimiter
SAMPLE_ROWS = 300
SAMPLE_CELLS = 6_000
CONSISTENT_SHARE = 0.5  # so much of the rows must have one length for a delimiter to be one
SHORT_CONSISTENCY = 0.9  # of rows whose last cells are left out, as their heading shows
FEWEST_VALUES = 2  # columns of aligned values, each parted from the next by one blank
FEWEST_SHORT = 2  # cells that such a row has at least
NOTE_ROWS = 3  # rows of one cell under a table that do not speak against it
NOTED_COLUMNS, NOTED_ROWS = 3, 5  # of a table that has any number of notes below it
SPACED_SHARE = 0.95  # so many delimiters with a blank after them, and the blank belongs to them
# Weights of delimiters. Blanks and colons separate words and times as well, so that they win only
# where nothing else does.
DELIMITERS = {
    ";": 1.0,
    ",": 1.0,
    "\t": 1.0,
    "|": 1.0,
    "\x1f": 1.0,
    "\x01": 1.0,
    "¦": 0.9,
    "│": 1.0,
    "~": 0.8,
    "^": 0.8,
    "§": 0.8,
    "¬": 0.8,
    ":": 0.6,
    " ": 0.5,
}
DOUBLED = "|:\t~^"  # that may be written twice to make one delimiter
ABSENT = ";,\t|\x1f"
_NUMBER = (
    r"[^\W\d_]{0,3}[$\xa2-\xa5\u20a0-\u20cf]?\s?[+-]?"
    r"(?:\d{1,3}(?:[., '\u00a0]\d{3})+|\d*)(?:[.,]?\d+)(?:[eE][+-]?\d+)?"
    r"\s?(?:[-%‰°$\xa2-\xa5\u20a0-\u20cf]|[^\W\d_]{1,3}[²³]?)?"
)
DATE = (
    r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- /.]?[^\W\d_]{3,9}\.?[- /.]?,?\s?\d{2,4})"
    r"(?:[ T]\s?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?|Z|[+-]\d{2}:?\d{2})?)?"
)
TIME = r"\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_CLOCK = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ T]+\d{1,2}:[0-5]\d(?::[0-5]\d)?(?![:\d])")
_WEB_ADDRESS = r"(?:https?|ftp|file)://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_NAME = r"(?=.*[^\W\d_])[^\W_][\w.\-/()ºª°%&#'+*]*(?: [\w.\-/()ºª°%&#'+*]+){0,7}"
# What a cell of a table usually is; a wrong delimiter leaves cells like "5;2" behind.
_TYPICAL = re.compile(rf"\s*(?:{_NUMBER}|{DATE}|{TIME}|{_WEB_ADDRESS}|{_NAME}|[-#?*\x22])?\s*")
_SENTENCE = re.compile(r"[^;|\t~^\x00-\x1f]*[^\W\d_]{2}[^;|\t~^\x00-\x08\x0b\x0c\x0e-\x1f]*")
# Words with blanks between them, and after their commas, but no quotation marks.
_PROSE = re.compile(r"(?!.*,[^\s\d])[^;|~^\x22\x00-\x08\x0b-\x1f]*[^\W\d_]{2}\S*(?:\s\S+){3,}\s*")
# What says that a line of text is no sentence and no name.
_TIMESTAMP_FIRST = re.compile(r"[\[(<]?\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}")
_PARTS = re.compile(
    r"\[[^\]]+\]|\{[^}]*\}|\w=\S|\x22[^\x22]+\x22[ ,]|<[^>]+>|\([^()]*,[^()\s][^()]*\)"
)
_WITH_DIGIT = re.compile(r"(?<!\S)\S*\d\S*")
_WIDE_GAP = re.compile(r"\S {2,}\S")
_ASSIGNED = re.compile(r"#?[\w.-]+ ?= ?\S|[\w.-]+\{|</?\w")
_SEPARATED = re.compile(r"(?:[^;]*;(?! )){3}|(?:[^|]*\|){3}|(?:[^\t]*\t){3}|(?:[^,]*,(?! )){3}")
_BARE_COMMA = re.compile(r",\S")
_PAIRED = re.compile(r"[(\[{\x22]")
SENTENCE_WEIGHT = 0.6  # of what a usual cell counts
_COMMA_DECIMAL = re.compile(r"\s*[+-]?\d{1,3}(?:\.\d{3})*,\d+\s?%?-?\s*|\s*[+-]?\d+,\d+\s?%?-?\s*")
_POINT_DECIMAL = re.compile(r"\s*[+-]?\d{1,3}(?:,\d{3})*\.\d+\s?%?-?\s*|\s*[+-]?\d+\.\d+\s?%?-?\s*")
_THOUSAND = re.compile(r"\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s?-?\s*")


def detect_fixed_width(lines: Sequence[str]) -> tuple[Fixed, list[str]] | None:
    """Return the columns of aligned lines, and the lines that show them; None if none align."""
    table = [line.rstrip() for line in lines[:DIALECT_LINES]]
    table = [line for line in table if line.strip() and not _is_rule(line)]
    remarks = [line for line in table if line.startswith("#")]
    if len(remarks) * 2 < len(table):
        table = [line for line in table if not line.startswith("#")]
    if ruled := _ruled([line.rstrip() for line in lines[:DIALECT_LINES]], table):
        return ruled
    used = [_used_places(line) for line in table]
    best: tuple[int, int, list[int]] = (0, 0, [])
    for first in range(min(TITLE_LINES, len(table) // 2) + 1):
        for last in range(len(table), max(first, len(table) - NOTE_LINES - 1), -1):
            if last - first < FEWEST_LINES:
                continue
            starts = _starts(used[first:last])
            if len(starts) > max(1, len(best[2])):
                starts = _join_texts(starts, table[first:last])
            if len(starts) > max(1, len(best[2])):
                best = (first, last, starts)
    part = table[best[0] : best[1]]
    starts = _join_heading_words(best[2], part) if part else []
    return (Fixed(tuple(starts)), part) if len(starts) > 1 else None


def _ruled(lines: Sequence[str], table: Sequence[str]) -> tuple[Fixed, list[str]] | None:
    """Return the columns under a ruled line below the header, if the rows keep to them."""
    for line in lines:
        starts = [group.start() for group in _GROUP.finditer(line)]
        if len(starts) < 2 or not _is_rule(line):
            continue
        kept = [
            each
            for each in table
            if all(each[start - 1 : start] in ("", " ") for start in starts[1:])
        ]
        if len(kept) >= max(2, ALIGNED_SHARE * len(table)):
            return Fixed((0, *starts[1:])), kept
    return None


def _is_rule(line: str) -> bool:
    return not set(line) - RULE_STARTS - {" "}


def _used_places(line: str) -> int:
    """Return the places of a line that are not blank, as the bits of a number."""
    return sum(1 << place for place, letter in enumerate(line) if letter != " ")


def _starts(lines: Sequence[int]) -> list[int]:
    """Return the places where columns begin, if every line has blanks between them."""
    used = 0
    for line in lines:
        used |= line
    least = 1 if len(lines) >= FEWEST_FOR_ONE_BLANK else 2
    starts: list[int] = []
    gap = least
    for place in range(used.bit_length()):
        if not used >> place & 1:
            gap += 1
            continue
        if gap >= least or not starts:
            starts.append(place)
        gap = 0
    return [0, *starts[1:]] if starts else []


def _join_texts(starts: list[int], lines: Sequence[str]) -> list[int]:
    """Join columns that a blank in texts of several words parts by chance.

    No name begins there, some of the texts end before it, and the others run up to it.
    """
    kept = starts[:1]
    for start, end in zip(starts[1:], [*starts[2:], None], strict=True):
        if start > 1 and _is_chance(lines, kept[-1], start, end):
            continue
        kept.append(start)
    return kept


def _is_chance(lines: Sequence[str], left: int, start: int, end: int | None) -> bool:
    on = [line for line in lines if line[start:end].strip()]
    runs_up = sum(line[start - 2 : start - 1] not in ("", " ") for line in on)
    beside = [line for line in lines if line[left : start - 1].strip()]
    if runs_up < len(on) or len(on) >= len(beside):
        return False
    texts = [line[left : start - 1].strip() for line in on]
    cells = [*texts, *(line[start:end] for line in on)]
    return all(map(_HAS_LETTER.search, cells)) or all(" " in text for text in texts)


def _join_heading_words(starts: list[int], lines: Sequence[str]) -> list[int]:
    """Join columns that hold one word of the next column's heading: numbers are aligned right."""
    kept = starts.copy()
    for start, end in pairwise(starts):
        is_filled = any(line[start:end].strip() for line in lines[1:])
        if not is_filled and end in kept and lines[0][end - 2 : end - 1] not in ("", " "):
            kept.remove(end)
    return kept


@dataclass(frozen=True, slots=True)
class DialectMatch:
    """A dialect, and a score of how much of a table it makes of the sample."""

    dialect: Dialect
    score: float
    rows: tuple[list[str], ...]  # those of the sample that have the table's width
    has_repairs: bool = False
    comments: int = 0  # lines above the table that begin with #

    @property
    def decimal(self) -> Decimal:
        """The decimal mark: by the cells, or else by the delimiter."""
        cells = [cell for row in self.rows for cell in row if not _THOUSAND.fullmatch(cell)]
        commas = sum(_COMMA_DECIMAL.fullmatch(cell) is not None for cell in cells)
        points = sum(_POINT_DECIMAL.fullmatch(cell) is not None for cell in cells)
        if commas == points:
            is_semicolon = isinstance(self.dialect, Delimited) and self.dialect.delimiter == ";"
            return "," if is_semicolon else "."
        return "," if commas > points else "."

    @property
    def separator(self) -> str | None:
        """The separator as it is shown to a person; None for a single column."""
        match self.dialect:
            case Fixed():
                return FIXED_WIDTH
            case Delimited(delimiter=delimiter, width=width):
                return delimiter if width > 1 else None


def dialect_of(sample: Sequence[str], *, separator: str | None = None) -> DialectMatch:
    """Return the best dialect for the sample; `separator` is the person's choice, if any."""
    comments = _comments(sample)
    lines = sample[max(0, comments - 1) :]
    found = _best_match(lines, separator)
    if comments and _width(lines[0], found.dialect) == found.dialect.width > 1:
        comments -= 1  # the last of them is the heading
    return replace(found, comments=comments)


def _comments(sample: Sequence[str]) -> int:
    """Return the number of lines above the table that begin with #."""
    count = 0
    while count < len(sample) and sample[count].lstrip().startswith("#"):
        count += 1
    return count if count < len(sample) else 0


def _width(line: str, dialect: Dialect) -> int:
    return len(next(iter(Records([line], dialect)), []))


def _best_match(lines: Sequence[str], separator: str | None) -> DialectMatch:
    fixed = _fixed(lines) if separator in (None, FIXED_WIDTH) else None
    if separator == FIXED_WIDTH and fixed is not None:
        return fixed
    if separator not in (None, FIXED_WIDTH):
        found = [_score_delimiter(lines, each) for each in _candidates(lines, separator)]
        best = max(found, key=lambda each: each.score, default=None)
        return best if best and best.score else DialectMatch(Delimited(separator or ";"), 0, ())
    found = [_score_delimiter(lines, each) for each in _candidates(lines, None)]
    options = [*found, fixed, _one_column(lines)]
    return max((each for each in options if each is not None), key=lambda each: each.score)


def _candidates(lines: Sequence[str], separator: str | None) -> Iterator[Delimited]:
    text = "".join(lines)
    delimiters = [separator] if separator else list(DELIMITERS)
    for delimiter in delimiters:
        used = delimiter
        count = text.count(delimiter)
        if not count or (not separator and delimiter == ":" and _are_clocks(text, count)):
            continue
        twice = text.count(delimiter * 2)
        if not separator and delimiter in DOUBLED and count == 2 * twice:
            used = delimiter * 2
        escaped = re.escape(used)
        quotes = ['"']
        # A single letter is found a hundred times as quickly as a pattern.
        if "'" in text and re.search(
            rf"(?:^|{escaped} ?)'[^'\n]*'\s*?(?:{escaped}|$)", text, re.MULTILINE
        ):
            quotes.append("'")
        if '"' in text and _has_ditto_marks(text, escaped):
            quotes.append("")  # a mark alone in its cell says "the same as above"
        is_blank = text.count(f"{used} ") >= SPACED_SHARE * text.count(used)
        for quote in quotes:
            is_marked = text.count(f"{used} {quote}") > text.count(f"{used}{quote}")
            is_spaced = used == " " or is_blank or is_marked
            plain = Delimited(used, quote=quote, is_spaced=is_spaced)
            yield plain
            if quote and f"\\{quote}" in text:
                yield replace(plain, has_backslashes=True)


def _are_clocks(text: str, colons: int) -> bool:
    """Return whether nearly all colons stand in times of day behind a date."""
    return sum(found[0].count(":") for found in _CLOCK.finditer(text)) >= ALMOST * colons


def _has_ditto_marks(text: str, delimiter: str) -> bool:
    """Return whether marks stand alone in their cells; `delimiter` is a pattern."""
    # The mark first, then what is before it: so it is looked for as a single letter.
    alone = rf'"(?:(?<={delimiter}")|(?<=^"))(?=\s*(?:{delimiter}|$))'
    return len([*islice(re.finditer(alone, text, re.MULTILINE), 2)]) > 1


def _score_delimiter(lines: Sequence[str], dialect: Delimited) -> DialectMatch:
    """Score a delimiter: by rows of one length, and by cells of typical kinds."""
    rows, repaired = _rows(lines, dialect)
    # Rows of one cell are titles and blanks; they say nothing for or against.
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return DialectMatch(dialect, 0, ())
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    dialect = replace(dialect, width=width)
    if repaired or any("\n" in cell for row in rows for cell in row):
        # Records that a stray mark has swallowed are recognised only once the width is known.
        rows, repaired = _rows(lines, dialect)
        count = sum(len(row) == width for row in rows)
    first = next((place for place, row in enumerate(rows) if len(row) == width), 0)
    last = next((place for place, row in enumerate(reversed(rows)) if len(row) > 1), 0)
    notes = max(min(last, NOTE_ROWS, count // 2), _notes_below(rows, width))
    # Lines above a table are few; many of them are a text, in which the delimiter occurs at last.
    above = min(first, TITLE_LINES, max(FEWEST_LINES, 2 * count))
    consistency = min(1.0, count / max(1, len(rows) - above - notes))
    if consistency < CONSISTENT_SHARE and _is_cut_short(rows):
        # The heading tells the width, of which most rows leave out the last, empty cells.
        width, consistency = len(rows[0]), SHORT_CONSISTENCY
        dialect, first = replace(dialect, width=width), 0
    if consistency < CONSISTENT_SHARE or _is_decimal_comma(dialect, rows, first):
        return DialectMatch(dialect, 0, ())
    kept = [row for row in rows if len(row) == width]
    dialect = replace(dialect, is_bordered=_is_bordered(kept))
    weight = DELIMITERS.get(dialect.delimiter, 1.0) * (1 - repaired / len(rows) / 2)
    if dialect.is_bordered:
        kept = [[cell.strip() for cell in row[1:-1]] for row in kept]
        dialect = replace(dialect, width=width - 2)
    # More columns win between two that are equally consistent, but only a little.
    score = consistency * (0.1 + _typical_share(kept)) * (1 - 0.2 / width) * weight
    return DialectMatch(dialect, score, tuple(kept), has_repairs=repaired > 0)


def _notes_below(rows: Sequence[Sequence[str]], width: int) -> int:
    """Return the number of rows below a table of three columns or more, if all of it is whole and
    they are shorter: notes, however many, as statistical offices have them.
    """
    wide = [place for place, row in enumerate(rows) if len(row) == width]
    if width < NOTED_COLUMNS or len(wide) < NOTED_ROWS or wide[-1] - wide[0] >= len(wide):
        return 0
    below = rows[wide[-1] + 1 :]
    return len(below) if all(len(row) < width for row in below) else 0


def _rows(lines: Sequence[str], dialect: Dialect) -> tuple[list[list[str]], int]:
    records = Records(lines, dialect)
    rows: list[list[str]] = []
    cells = 0
    for row in islice(records, SAMPLE_ROWS):
        if any(cell.strip() for cell in row):
            rows.append(row)
        cells += len(row)
        if cells > SAMPLE_CELLS and len(rows) > 10:
            break
    return rows, len(records.repaired)


def _is_cut_short(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether these are a heading of names and rows that leave out their last cells."""
    names = [cell.strip() for cell in rows[0]]
    widths = [len(row) for row in rows]
    return (
        len(rows) > FEWEST_LINES
        and len(names) > FEWEST_SHORT
        and len(set(names)) == len(names)
        and all(re.fullmatch(_NAME, name) for name in names)
        # A longer row would say that the heading does not tell the width.
        and max(widths) == widths[0]
        and min(widths) >= FEWEST_SHORT
        and widths.count(widths[0]) > 1
    )


def _is_decimal_comma(dialect: Delimited, rows: Sequence[Sequence[str]], first: int) -> bool:
    """Return whether these are numbers with decimal commas under the name of a single column."""
    return (
        dialect.delimiter == ","
        and dialect.width == 2
        and first > 0
        and not any(letter.isalpha() for cell in rows[first] for letter in cell)
    )


def _is_bordered(rows: Sequence[Sequence[str]]) -> bool:
    return len(rows[0]) > 2 and all(
        not row[0].strip() and not row[-1].strip() and any(cell.strip() for cell in row)
        for row in rows
    )


def _typical_share(rows: Sequence[Sequence[str]]) -> float:
    """Return the share of cells that are of typical kinds."""
    cells = Counter(islice((cell for row in rows for cell in row), SAMPLE_CELLS))
    typical = sum(
        count
        if len(cell) < 200 and _TYPICAL.fullmatch(cell)
        else SENTENCE_WEIGHT * count
        if _SENTENCE.fullmatch(cell)
        else 0.0
        for cell, count in cells.items()
    )
    return typical / max(1, cells.total())


def _one_column(lines: Sequence[str]) -> DialectMatch:
    """Return the lines as a table of one column; the delimiter is one that does not occur."""
    text = "".join(lines)
    absent = next((each for each in ABSENT if each not in text), "\x1f")
    quote = '"' if re.search(r'^"(?:[^"]|"")*"\s*$', text, re.MULTILINE) else ""
    cells = [line.strip() for line in lines[:SAMPLE_ROWS] if line.strip()]
    if quote:
        cells = [cell.strip('"').replace('""', '"') for cell in cells]
    # Lines of as many words each are a table whose columns are parted by blanks.
    words = Counter(len(cell.split()) for cell in cells)
    is_prose = not any(times * 2 > len(cells) for times in words.values())
    typical = sum(
        1.0
        if len(cell) < 200 and _TYPICAL.fullmatch(cell)
        else SENTENCE_WEIGHT
        if is_prose and _PROSE.fullmatch(cell)
        else 0.0
        for cell in cells
    )
    score = (0.1 + typical / max(1, len(cells))) * 0.8
    dialect = Delimited(absent, quote=quote, width=1)
    return DialectMatch(dialect, score, tuple([cell] for cell in cells))


def _fixed(lines: Sequence[str]) -> DialectMatch | None:
    """Return the match for columns aligned with blanks, if nothing speaks against them."""
    if any("\t" in line for line in lines):
        return None
    if not any("  " in line.strip() for line in lines) and not _are_words(lines[:DIALECT_LINES]):
        return None
    columns = detect_fixed_width(lines)
    if columns is None:
        return None
    fixed, table = columns
    rows = list(Records(table, fixed))
    wide = sum("  " in line.strip() for line in table)
    if wide < CONSISTENT_SHARE * len(table):
        firsts, known = {line.split()[0] for line in table}, {*table}
        left = [
            line for line in lines[:DIALECT_LINES] if line.strip() and line.rstrip() not in known
        ]
        # One blank between words, however well they align; or lines alike that do not align.
        if not _are_values(rows[1:]) or any(line.split()[0] in firsts for line in left):
            return None
    score = (0.1 + _typical_share(rows)) * (1 - 0.2 / fixed.width)
    return DialectMatch(fixed, score * 0.9, tuple(rows))


def _are_words(lines: Sequence[str]) -> bool:
    """Return whether every line has several blanks, as columns of values parted by one have."""
    return len(lines) >= FEWEST_FOR_ONE_BLANK and all(
        line.count(" ") >= FEWEST_VALUES for line in lines if line.strip()
    )


def _are_values(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether all columns but the last are filled with single words, most with digits."""
    columns = [*zip(*rows, strict=False)][:-1]
    if any('"' in cell for row in rows for cell in row):
        return False  # what stands in quotation marks was parted by a delimiter
    if len(columns) < FEWEST_VALUES or any(not cell or " " in cell for c in columns for cell in c):
        return False
    valued = [all(any(map(str.isdigit, cell)) for cell in column) for column in columns]
    return sum(valued) >= FEWEST_VALUES and sum(valued) * 2 >= len(columns)


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Lines that are not what a table has: their kind, how many of how many, and one of them."""

    kind: str
    count: int
    lines: int
    example: str


def unexplained(sample: Sequence[str], match: DialectMatch) -> Unexplained | None:
    """Return what the dialect leaves unexplained of a sample, if it is too much for a table."""
    lines = [line.strip() for line in sample[:SAMPLE_ROWS] if line.strip()]
    words = [len(each.split()) for each in lines]
    sentences = [each for each, count in zip(lines, words, strict=True) if count >= WORDY]
    blanks = [not each.strip() for each in sample[:SAMPLE_ROWS]]
    gaps = sum(before and not after for before, after in pairwise(blanks))
    if match.separator is None:
        parts = [each for each in lines if _is_structured(each)]
        # A column of sentences has a name above them, and no blank lines as between paragraphs.
        is_text = bool(words) and (words[0] >= WORDY or gaps >= PARAGRAPHS)
        deeper = [each for each in sample[:SAMPLE_ROWS] if each[:1] in " \t" and each.strip()]
        if len(deeper) < len(lines) and (found := _enough("one_text", deeper, lines, QUARTER)):
            return found
        return _enough("one_text", parts, lines, QUARTER) or (
            _enough("sentences", sentences, lines, QUARTER if gaps else HALF) if is_text else None
        )
    used, _repaired = _rows(sample, match.dialect)
    used = used[: len(used) - _notes_below(used, match.dialect.width)]
    joint = match.separator if isinstance(match.dialect, Delimited) else " "
    if isinstance(match.dialect, Delimited) and any(map(_PAIRED.search, lines)):
        cut = [joint.join(row) for row in used if _cuts_pairs(row, joint)]
        # Blanks part columns only where nothing else speaks against it.
        share = 0.0 if joint == " " else FEW
        if found := _enough(
            "cut_pairs", cut, lines, share, least=1 if joint == " " else FEWEST_LINES
        ):
            return found
    # In paragraphs, commas with a blank behind them part clauses.
    is_prose = joint == "," and gaps >= PARAGRAPHS and not any(map(_BARE_COMMA.search, lines))
    if is_prose and (found := _enough("prose", sentences, lines, QUARTER)):
        return found
    whole = [row for row in used if len(row) == match.dialect.width]
    if whole and not _is_heading(whole[0]):
        stuffed = [joint.join(row) for row in whole if any(map(_is_stuffed, row))]
        if found := _enough("one_text", stuffed, used, HALF):
            return found
    filled = [[cell for cell in row if cell.strip()] for row in used]
    if sum(len(cells) == 1 for cells in filled) >= ALMOST * len(used):
        parts = [each for each in lines if _is_structured(each)]
        return _enough("one_text", parts, lines, QUARTER)
    wide = [place for place, cells in enumerate(filled) if len(cells) * 2 > match.dialect.width]
    if not wide:
        return None
    between = slice(wide[0], wide[-1] + 1)
    if not isinstance(match.dialect, Delimited):
        alone = [cells[0] for cells in filled[between] if len(cells) == 1]
        share = FEW if match.dialect.width >= FEWEST_LINES else QUARTER
        return _enough("between_rows", alone, used[between], share)
    is_weak = DELIMITERS.get(joint, 1) < WEAK
    bare = [row[0] for row in used if len(row) == 1]
    if len(bare) * 2 > len(used) and (found := _enough("uneven", bare, used, HALF)):
        return found
    if is_weak:
        odd = [joint.join(row) for row in used[between] if len(row) != match.dialect.width]
        if found := _enough("uneven", odd, used[between], FEW):
            return found
    if is_weak:
        named = whole[1:] if len(whole[0]) > 1 and not whole[0][1].strip() else whole
        if cycle := _cycle([row[0].strip() for row in named]):
            return _enough("records", [joint.join(row) for row in named[:: len(cycle)]], used, 0.0)
    signs = [cells for cells in zip(*whole, strict=False) if {*cells} <= {*SIGNS}]
    if joint == " " and signs and not match.dialect.is_bordered:
        return _enough("one_text", [joint.join(row) for row in whole], used, HALF)
    alone = [row[0] for row in used[between] if len(row) == 1]
    return _enough("between_rows", alone, used[between], FEW)


def _cycle(keys: Sequence[str]) -> list[str]:
    """Return the texts that come again and again in one order, from the first on; none if not."""
    size = next((at for at, key in enumerate(keys) if at and key == keys[0]), 0)
    is_cycle = size > 1 and all(key == keys[at % size] for at, key in enumerate(keys))
    return [*keys[:size]] if is_cycle and len(keys) >= 2 * size else []


def _enough(
    kind: str,
    odd: Sequence[str],
    lines: Sequence[object],
    share: float,
    *,
    least: int = FEWEST_LINES,
) -> Unexplained | None:
    if len(odd) < least or len(odd) < share * len(lines):
        return None
    return Unexplained(kind, len(odd), len(lines), odd[0])


def _is_structured(line: str) -> bool:
    """Return whether a line has parts: a timestamp in front, brackets, names with values."""
    return bool(
        len(line.split(None, 3)) > 2
        and (
            _TIMESTAMP_FIRST.match(line)
            or _PARTS.search(line)
            or len(_WIDE_GAP.findall(line)) > 1
            or len(_WITH_DIGIT.findall(line)) > FEWEST_LINES
        )
    ) or bool(_ASSIGNED.match(line) or _SEPARATED.search(line))


def _is_heading(row: Sequence[str]) -> bool:
    """Return whether a row may be the names of columns."""
    return not any(
        _is_stuffed(cell) or re.fullmatch(rf"{_NUMBER}|{DATE}|{TIME}", cell.strip())
        for cell in row
        if cell.strip()
    )


def _is_stuffed(cell: str) -> bool:
    """Return whether a cell has parts of its own, as a line of a log or of a program has."""
    return len(cell.split(None, 3)) > 2 and bool(_PARTS.search(cell))


def _cuts_pairs(row: Sequence[str], joint: str) -> bool:
    """Return whether cells have halves of brackets or quotation marks that match in the line."""
    odd = sum(not _is_balanced(cell) for cell in row)
    return odd > 1 and _is_balanced(joint.join(row))


def _is_balanced(text: str) -> bool:
    return text.count('"') % 2 == 0 and all(
        text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}")
    )
