"""Forms that programs give the lines of a text table: each is undone before the lines are read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cache
from itertools import islice, pairwise
from typing import Protocol

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import CountedSentence, Sentence
from qhub_desktop.data.ingest.readers.dialect import dialect_of
from qhub_desktop.data.ingest.readers.preamble import (
    USUAL_DELIMITERS,
    Fact,
    are_settings,
    facts_of,
    is_value,
    split_cells,
)
from qhub_desktop.data.ingest.readers.records import Delimited, Dialect, Records

FEWEST_ROWS = 3
FEWEST_CELLS = 3  # in a line that is quoted as a whole and has no quotation marks in it
FIRST_LINES = 10
LED_SHARE = 0.8  # of the lines have dots between a name and its value
FORM_ROWS = 300  # of the beginning, which tell a form

# The first cells of lines in a measurement file of LabVIEW: a head begins and ends, and the names.
CHANNELS, END_OF_HEAD, X_NAME = "Channels", "***End_of_Header***", "X_Value"

SHORT_HEADER = Sentence(
    "short_header",
    "The header has one name fewer than every row has cells. The names were given to the columns"
    " from the second on, as the first has the numbers or the names of the rows. Check them.",
)
GAPS_IN_HEADER = Sentence(
    "gaps_in_header",
    "Between its names the header has more separators than the rows. The rows have as many cells as"
    " there are names, which were given to them in order.",
)
_LOG_FIELDS = Sentence(
    "log_fields",
    "From line {line} on the log has other columns than those above, and they were read under the"
    " first names. Split the file there.",
)
_QUOTED_LINES = Sentence(
    "quoted_lines",
    "Every line stands in quotation marks as a whole, as in a table that was saved twice. They were"
    " left out, and the cells were read from what stands between them.",
)
_DOT_LEADERS = Sentence(
    "dot_leaders", "Dots lead from names to values. They were left out, and part the columns."
)
_SETTINGS_BESIDE = CountedSentence(
    "settings_beside",
    "{count} setting stands beside the first rows, and is no part of them. It is among what the"
    " file says of its data.",
    "{count} settings stand beside the first rows, and are no part of them. They are among what the"
    " file says of its data.",
)
_FIELDS = re.compile(r"#\s?Fields:\s*(\S.*)", re.IGNORECASE)
_WHOLE = re.compile(r'"((?:[^"]|"")*)"([;,\t]*\s*)')
_LED = re.compile(r"\s*([^\W\d_][^.\r\n]*?)\s*(?:\.{3,}|\.(?: \.){2,})\s*:?\s*([^\s.:][^\r\n]*)")
_INTEGER = re.compile(r"-?\d+")
_BARE_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+(?:[eE][+-]?\d+)?|NA|NaN|-?Inf")
# Names that may stand over the number of a row themselves.
_NUMBER_NAME = re.compile(r"\W?\w{0,3}\W{0,2}|id.*|.*[_ ]id", re.IGNORECASE)


class Form(Protocol):
    """A form of all the lines of a file."""

    @property
    def above(self) -> int:
        """The lines above the table."""

    @property
    def facts(self) -> list[Fact]:
        """What it says of the data beside the lines above, once all lines were read."""

    @property
    def is_doubtful(self) -> bool:
        """Whether what there is to say of it is a doubt, and not what was repaired."""

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines as a table has them, one for each."""

    def findings(self) -> list[Finding]:
        """Return what there is to say of it, once all lines were read."""


def form_of(sample: Sequence[str]) -> Form | None:
    """Return the form of lines that begin so; None of a usual table."""
    forms = (_log_of, _labview_of, _colours_of, _quoted_of, _led_of, _settings_of, _set_above_of)
    for form in forms:
        if found := form(sample):
            return found
    return None


@dataclass(frozen=True, slots=True)
class ExtendedLog:
    """A log in the W3C's extended format: lines that begin with # tell the names, and notes."""

    above: int
    names: tuple[str, ...]
    separator: str
    notes: list[int] = field(default_factory=list)  # lines further down, from 0
    changes: list[int] = field(default_factory=list)  # those of them that tell other names
    facts: list[Fact] = field(default_factory=list)
    is_doubtful: bool = True

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the names in place of the line that tells them, blank lines in place of notes."""
        self.notes.clear()
        self.changes.clear()
        for number, line in enumerate(lines):
            if number == self.above:
                yield self.separator.join(self.names) + "\n"
            elif number < self.above or not line.startswith("#"):
                yield line
            else:
                told = _FIELDS.match(line)
                if told and tuple(told[1].split()) != self.names:
                    self.changes.append(number)
                self.notes.append(number)
                yield "\n"

    def findings(self) -> list[Finding]:
        """Return what there is to say of names that change further down."""
        return _other_names(self.changes)


def _other_names(changes: Sequence[int]) -> list[Finding]:
    return [_LOG_FIELDS.finding(len(changes), line=changes[0] + 1)] if changes else []


def _log_of(sample: Sequence[str]) -> ExtendedLog | None:
    for number, line in enumerate(sample):
        if not line.startswith("#"):
            return None
        if found := _FIELDS.match(line):
            names = tuple(found[1].split())
            first = next((each for each in sample[number:] if each.strip() and each[0] != "#"), "")
            if len(names) < 2 or any(each in found[1] for each in ",;|") or not first:
                return None
            return ExtendedLog(number, names, "\t" if "\t" in first else " ")
    return None


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Lines that are quoted as a whole, with the marks in them doubled: a table saved twice."""

    above: int = 0
    facts: list[Fact] = field(default_factory=list)
    is_doubtful: bool = False

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines without these marks."""
        return map(_unquoted, lines)

    def findings(self) -> list[Finding]:
        """Return what was undone."""
        return [_QUOTED_LINES.finding()]


def _unquoted(line: str) -> str:
    found = _WHOLE.fullmatch(line)
    if found is None:
        return line
    return found[1].replace('""', '"') + found[2].lstrip(";,\t")


def _quoted_of(sample: Sequence[str]) -> QuotedLines | None:
    lines = [line for line in sample[:FORM_ROWS] if line.strip()]
    if len(lines) < FEWEST_ROWS or not all(map(_WHOLE.fullmatch, lines)):
        return None
    inner = [_unquoted(line) for line in lines]
    match = dialect_of(inner)
    if match.separator is None or not isinstance(match.dialect, Delimited) or match.comments:
        return None
    delimiter, width = match.dialect.delimiter, match.dialect.width
    rows = list(Records(inner, match.dialect))
    if delimiter == " " or any(len(row) != width for row in rows):
        return None
    is_doubled = sum('""' in line[1:-1] for line in lines) * 2 > len(lines)
    if is_doubled:
        # The marks stand around cells, and not around words of a text.
        text = "".join(inner)
        marks = re.findall(
            rf'(?:^|{re.escape(delimiter)})"[^"]*"(?={re.escape(delimiter)}|\s*$)',
            text,
            re.MULTILINE,
        )
        return QuotedLines() if len(marks) * 2 == text.count('"') else None
    has_numbers = any(
        all(map(_BARE_NUMBER.fullmatch, column)) for column in zip(*rows[1:], strict=True)
    )
    is_plain = not any(f"{delimiter} " in line for line in inner)
    is_named = len(set(rows[0])) == width and not any(map(_BARE_NUMBER.fullmatch, rows[0]))
    is_table = width >= FEWEST_CELLS and has_numbers and is_plain and is_named
    return QuotedLines() if is_table else None


@dataclass(frozen=True, slots=True)
class LedLines:
    """Lines in which dots lead from a name to its value: 'Speed ....... 1200'."""

    has_names: bool  # whether a line without dots stands above the first
    above: int = 0
    facts: list[Fact] = field(default_factory=list)
    is_doubtful: bool = False

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines with a tab in place of the dots."""
        return (_LED.sub(r"\1\t\2", line) for line in lines)

    def findings(self) -> list[Finding]:
        """Return what was undone."""
        return [_DOT_LEADERS.finding()]


def _led_of(sample: Sequence[str]) -> LedLines | None:
    # Of a usual table the first line is none, nor are those under a title.
    if not any("..." in line or ". . ." in line for line in sample[:FIRST_LINES]):
        return None
    lines = [line for line in sample[:FORM_ROWS] if line.strip()]
    led = [bool(_LED.match(line)) for line in lines]
    is_whole = len(lines) > FEWEST_ROWS and sum(led) >= LED_SHARE * len(lines)
    if not is_whole or any("\t" in line for line in lines):
        return None
    return LedLines(has_names=not led[0])


@dataclass(frozen=True, slots=True)
class LabviewLines:
    """A measurement file of LabVIEW: segments of rows, each under a head and the names."""

    above: int  # up to the first names
    separator: str
    names: tuple[str, ...]
    has_segments: bool
    facts: list[Fact] = field(default_factory=list)  # of the heads further down
    heads: list[int] = field(default_factory=list)  # their lines, from 0
    changes: list[int] = field(default_factory=list)  # lines with other names
    is_doubtful: bool = True

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the rows with the number of their segment, blank lines in place of other heads."""
        for found in (self.facts, self.heads, self.changes):
            found.clear()
        segment = 1
        for number, line in enumerate(lines):
            cells = line.rstrip("\r\n").split(self.separator)
            if number < self.above or not any(cells):
                yield line
            elif number == self.above:
                yield self._joined(_("Segment"), cells)
            elif cells[0] in (CHANNELS, END_OF_HEAD):
                segment += cells[0] == CHANNELS
                self.heads.append(number)
                yield "\n"
            elif self.heads and cells[0] and self._is_head(number, cells[0]):
                self.heads.append(number)
                told = facts_of([cells])
                self.facts.extend((f"{name} ({segment})", value) for name, value in told)
                yield "\n"
            elif cells[0] == X_NAME:
                if _named(cells) != self.names:
                    self.changes.append(number)
                self.heads.append(number)
                yield "\n"
            else:
                yield self._joined(str(segment), cells)

    def _is_head(self, number: int, name: str) -> bool:
        return number == self.heads[-1] + 1 and not is_value(name) and name != X_NAME

    def _joined(self, segment: str, cells: list[str]) -> str:
        # The comment of a row may be left out, with the delimiter before it.
        cells = [*cells, *[""] * (len(self.names) - len(cells))]
        return self.separator.join([*([segment] * self.has_segments), *cells]) + "\n"

    def findings(self) -> list[Finding]:
        """Return what there is to say of names that change further down."""
        return _other_names(self.changes)


def _named(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell for cell in cells if cell)


def _labview_of(sample: Sequence[str]) -> LabviewLines | None:
    if not sample or not sample[0].startswith("LabVIEW Measurement"):
        return None
    head = {name: value for line in sample for name, value in facts_of([re.split("[\t,]", line)])}
    separator = "," if head.get("Separator") == "Comma" else "\t"
    for number, line in enumerate(sample):
        cells = line.rstrip("\r\n").split(separator)
        if cells[0] == X_NAME:
            has_segments = head.get("Multi_Headings") == "Yes"
            return LabviewLines(number, separator, _named(cells), has_segments)
    return None


@dataclass(frozen=True, slots=True)
class ColourLines:
    """A file of colours (CGATS, ISO 28178), which tells the names apart from the rows."""

    above: int  # up to the line that begins the rows
    separator: str
    names: tuple[str, ...]
    told: range  # the lines that tell them
    facts: list[Fact] = field(default_factory=list)
    is_doubtful: bool = True

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the names in place of the line above the rows, and none elsewhere."""
        for number, line in enumerate(lines):
            if number == self.above:
                yield self.separator.join(self.names) + "\n"
            elif number in self.told or line.strip() == "END_DATA":
                yield "\n"
            else:
                yield line

    def findings(self) -> list[Finding]:
        """Return nothing: the format tells its names."""
        return []


def _colours_of(sample: Sequence[str]) -> ColourLines | None:
    texts = [line.strip() for line in sample]
    marks = ("BEGIN_DATA_FORMAT", "END_DATA_FORMAT", "BEGIN_DATA")
    if any(mark not in texts for mark in marks):
        return None
    first, last, begin = map(texts.index, marks)
    if not first < last < begin < len(texts) - 1:
        return None
    names = " ".join(texts[first + 1 : last]).split()
    separator = "\t" if "\t" in texts[begin + 1] else " "
    return ColourLines(begin, separator, (*names,), range(first, last + 1))


@dataclass(frozen=True, slots=True)
class SettingsBeside:
    """Settings of an instrument beside the first rows: name, value, a blank column, the points."""

    delimiter: str
    width: int  # of the columns that are theirs, the blank one among them
    above: int = 0
    facts: list[Fact] = field(default_factory=list)
    is_doubtful: bool = False

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines without the columns of the settings."""
        self.facts.clear()
        blank = self.delimiter * self.width
        for line in lines:
            if line.startswith(blank):
                yield line[self.width :]
                continue
            found = _lead(self.delimiter, self.width).match(line)
            if found is None:
                yield line
                continue
            cells = split_cells(found[0], self.delimiter)
            if any(map(str.strip, cells)):
                whole = ((cells[0].strip(), " ".join(cells[1:]).strip()),)
                self.facts.extend(facts_of([cells]) or whole)
            yield line[found.end() :]

    def findings(self) -> list[Finding]:
        """Return what was undone."""
        return [_SETTINGS_BESIDE.finding(len(self.facts))]


@cache
def _lead(delimiter: str, width: int) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:(?:"(?:[^"]|"")*"|[^{mark}"\r\n]*){mark}){{{width}}}')


def _settings_of(sample: Sequence[str]) -> SettingsBeside | None:
    lines = [line.rstrip("\r\n") for line in sample[:FORM_ROWS] if line.strip()]
    for delimiter in USUAL_DELIMITERS:
        width = len(lines[-1]) - len(lines[-1].lstrip(delimiter)) if lines else 0
        if width < 2 or lines[0].startswith(delimiter):
            continue
        blank = delimiter * width
        rows = [split_cells(line, delimiter) for line in lines]
        beside = [row for line, row in zip(lines, rows, strict=True) if not line.startswith(blank)]
        pairs = facts_of(row[: width - 1] for row in beside)
        is_apart = all(len(row) > width and row[width].strip() for row in rows)
        is_apart = is_apart and not any(row[width - 1].strip() for row in rows)
        are_points = any(map(is_value, rows[-1]))
        if is_apart and are_points and len(beside) * 2 < len(rows) + 1 and are_settings(pairs):
            return SettingsBeside(delimiter, width)
    return None


@dataclass(frozen=True, slots=True)
class SettingsAbove:
    """Settings at the right of the names and units: each has one value, in the row of the units."""

    delimiter: str
    width: int  # of the columns that are not theirs
    settings: tuple[Fact, ...]
    above: int = 0
    is_doubtful: bool = False

    @property
    def facts(self) -> list[Fact]:
        """The settings, which are known from the beginning."""
        return [*self.settings]

    def undone(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines without these columns; what else stands there is kept."""
        for number, line in enumerate(lines):
            cells = line.rstrip("\r\n").split(self.delimiter)
            is_bare = number < 2 or not any(map(str.strip, cells[self.width :]))
            yield self.delimiter.join(cells[: self.width]) + "\n" if is_bare else line

    def findings(self) -> list[Finding]:
        """Return what was undone."""
        return [_SETTINGS_BESIDE.finding(len(self.settings))]


def _set_above_of(sample: Sequence[str]) -> SettingsAbove | None:
    lines = [line.rstrip("\r\n") for line in sample[:FORM_ROWS]]
    if len(lines) < FEWEST_ROWS + 2 or any('"' in line for line in lines):
        return None
    for delimiter in USUAL_DELIMITERS:
        names, units, *rows = (line.rstrip(delimiter).split(delimiter) for line in lines)
        width = max(map(len, rows))
        settings = facts_of(zip(names[width:], units[width:], strict=False))
        are_points = all(len(row) == width and all(map(is_value, row)) for row in rows)
        if (
            1 < width < len(names) == len(units)
            and are_points
            and len(settings) == len(names) - width
            and all(is_value(value) for _name, value in settings)
            and not any(map(is_value, [*names, *units[:width]]))
        ):
            return SettingsAbove(delimiter, width, settings)
    return None


def has_gaps_in_header(sample: Sequence[str], dialect: Dialect) -> bool:
    """Return whether blank names stand between the others, which are as many as every row's cells,
    as where names are aligned by several tabs.
    """
    if not isinstance(dialect, Delimited) or dialect.is_bordered:
        return False
    rows = [row for row in islice(Records(sample, dialect), FORM_ROWS) if any(map(str.strip, row))]
    if len(rows) <= FEWEST_ROWS:
        return False
    header, *body = rows
    names = [name for name in header if name.strip()]
    if not 1 < len(names) < len(header) or not header[-1].strip():
        return False
    if len({*names}) != len(names) or not all(any(map(str.isalpha, name)) for name in names):
        return False
    return all(len(row) == len(names) for row in body) and not {*names} & {*body[0]}


def is_header_short(sample: Sequence[str], dialect: Dialect) -> bool:
    """Return whether the first column has no name, as R writes the names of rows.

    The header has one name fewer than every row has cells, and the first cells tell the rows apart:
    they are numbers that grow, or texts.
    """
    if not isinstance(dialect, Delimited) or dialect.is_bordered:
        return False
    rows = [row for row in islice(Records(sample, dialect), FORM_ROWS) if any(map(str.strip, row))]
    if len(rows) <= FEWEST_ROWS or len(rows[0]) < 2:
        return False
    names, *body = rows
    width = len(names) + 1
    cells = [row[0].strip() for row in body]
    if any(len(row) != width or not row[-1].strip() for row in body):
        return False
    if len(set(cells)) != len(cells) or len({*names}) != len(names):
        return False
    if not all(any(map(str.isalpha, name)) for name in names):
        return False
    columns = [*zip(*body, strict=True)]
    numeric = [all(_BARE_NUMBER.fullmatch(cell.strip()) for cell in column) for column in columns]
    if dialect.delimiter == "," and _has_digits_in_a_row(columns):
        return False  # a decimal comma in every row makes a cell more as well
    lines = [line for line in sample[1:FORM_ROWS] if line.strip()]
    is_quoted = all(line.startswith(dialect.quote or '"') for line in [sample[0], *lines])
    if is_quoted and any(numeric[1:]) and _has_bare_numbers(lines[0], dialect):
        return True
    if dialect.delimiter not in " \t":
        return False  # a note behind each row is more usual there
    if all(map(_INTEGER.fullmatch, cells)):
        is_counted = [*map(int, cells)] == [*range(1, len(cells) + 1)]
        is_key = _NUMBER_NAME.fullmatch(names[0].strip()) is not None
        return is_counted and len(names) >= FEWEST_CELLS and not is_key
    is_text = all(cell[:1].isalpha() for cell in cells)
    return is_text and len(names) >= FEWEST_CELLS and all(numeric[1:])


def _has_bare_numbers(line: str, dialect: Delimited) -> bool:
    """Return whether some cells of a line are numbers without quotation marks, others have them."""
    return any(_BARE_NUMBER.fullmatch(cell) for cell in line.strip().split(dialect.delimiter))


def _has_digits_in_a_row(columns: Sequence[Sequence[str]]) -> bool:
    digits = [all(cell.lstrip("+-").isdigit() for cell in column) for column in columns]
    return any(one and other for one, other in pairwise(digits))
