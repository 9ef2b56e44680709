"""Text tables: which encoding, which delimiter, and then exactly the cells that stand there."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.sheet import (
    Decimal,
    Opened,
    PlainText,
    RawSheet,
    Source,
    file_format,
)

DELIMITERS = (";", ",", "\t", "|")
CHUNK_BYTES = 2**20
SAMPLE_CHARACTERS = 200_000
SAMPLE_ROWS = 300
CONSISTENT = 0.5  # so much of the rows must have one length for a delimiter to be one
CELL_CHARACTERS = 2**24  # the longest single cell
UNDEFINED = rb"[\x81\x8d\x8f\x90\x9d]"  # bytes that cp1252 leaves open; latin-1 has them all
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# What a cell of a table usually is; a wrong delimiter leaves cells like "5;2" behind.
_USUAL = re.compile(
    r"\s*(?:[+-]?[\d.,' ]*\d\s?%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?|[^\W\d][\w .\-()/ºª°%]{0,40})?\s*"
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file writes its table."""

    encoding: str
    delimiter: str
    is_quoted: bool = True  # quotation marks wrap cells; otherwise they stand for themselves
    is_spaced: bool = False  # a blank after each delimiter
    has_declaration: bool = False  # the first line is Excel's own `sep=;`

    @property
    def decimal(self) -> Decimal:
        """What probably stands before decimals: where commas do, commas can not part cells."""
        return "," if self.delimiter == ";" else "."


@file_format("CSV", suffixes=(".csv", ".tsv", ".txt"))
def read_delimited(source: Source) -> Opened:
    """The one table of a text file."""
    file = source.path
    csv.field_size_limit(CELL_CHARACTERS)
    found = _look(file)
    encoding, has_quotes = source.choices.encoding or found.encoding, found.has_quotes
    dialect = _dialect(file, encoding)
    if source.choices.separator:
        dialect = Dialect(encoding, source.choices.separator)
    repaired: list[Finding] = []
    if has_quotes and (line := _broken_quote(file, dialect)):
        dialect = Dialect(
            dialect.encoding,
            dialect.delimiter,
            is_quoted=False,
            has_declaration=dialect.has_declaration,
        )
        text = _(
            "The quotation marks do not match (line {line}): they are read as part of the text."
        )
        repaired.append(Finding("quotes", text.format(line=line)))
    rows = _Rows(file, dialect)
    sheet = RawSheet(
        name=None,
        number=1,
        rows=iter(rows),
        is_text=True,
        decimal=dialect.decimal,
        first_row=int(dialect.has_declaration),
        repaired=repaired,
        done=rows.share,
        encoding=encoding,
        separator=dialect.delimiter,
        plain=_plain(file, dialect, found),
    )
    return Opened((), iter([sheet]))


class _Rows:
    """The rows of the file, and how much of it was read."""

    def __init__(self, file: Path, dialect: Dialect) -> None:
        self._file = file
        self._dialect = dialect
        self._size = max(1, file.stat().st_size)
        self._position: Callable[[], int] = lambda: 0
        self._is_read = False

    def share(self) -> float:
        """The part of the file that was read."""
        return 1.0 if self._is_read else self._position() / self._size

    def __iter__(self) -> Iterator[Sequence[str]]:
        dialect = self._dialect
        with (
            self._file.open("rb") as source,
            io.TextIOWrapper(source, encoding=dialect.encoding, newline="") as opened,
        ):
            self._position = source.tell
            rows = _reader(opened, dialect)
            try:
                if dialect.has_declaration:
                    next(rows)
                yield from rows
                self._is_read = True
            except csv.Error as error:
                raise refused.refusal(self._file, refused.OTHER, refused.FROM_SOURCE) from error


def _reader(lines: Iterator[str], dialect: Dialect) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quoting=csv.QUOTE_MINIMAL if dialect.is_quoted else csv.QUOTE_NONE,
        skipinitialspace=dialect.is_spaced,
    )


@dataclass
class _Look:
    """What is known of a file from looking at all of its bytes."""

    encoding: str
    has_quotes: bool = False
    line_feeds: int = 0
    returns: int = 0
    pairs: int = 0  # of a return and a line feed
    last: bytes = b""

    def note(self, chunk: bytes) -> None:
        """Count what the next bytes hold."""
        self.has_quotes = self.has_quotes or b'"' in chunk
        self.line_feeds += chunk.count(b"\n")
        self.returns += chunk.count(b"\r")
        self.pairs += chunk.count(b"\r\n") + (self.last == b"\r" and chunk[:1] == b"\n")
        self.last = chunk[-1:]


def _look(file: Path) -> _Look:
    """The encoding, decided over the whole file, and what else one look tells.

    Measured on 27 files in cp1252: these rules are right on all, a guesser by letter frequency is
    wrong on 16.
    """
    with file.open("rb") as opened:
        head = opened.read(refused.HEAD_BYTES)
        marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
        look = _Look(marked or refused.is_utf16(head) or "utf-8")
        decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder(look.encoding)()
        chunk = head
        while chunk:
            look.note(chunk)
            decoder = _decoded(decoder, chunk, look, file)
            chunk = opened.read(CHUNK_BYTES)
        _decoded(decoder, b"", look, file)
    if look.encoding == "cp1252" and re.search(UNDEFINED, file.read_bytes()):
        look.encoding = "latin-1"
    return look


def _decoded(
    decoder: codecs.IncrementalDecoder | None, chunk: bytes, look: _Look, file: Path
) -> codecs.IncrementalDecoder | None:
    """Try the next bytes; nothing once they have shown that they are not UTF-8."""
    if decoder is None:
        return None
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        if look.encoding != "utf-8":
            raise refused.refusal(file, refused.BROKEN, refused.EXPORT_AGAIN) from error
        look.encoding = "cp1252"
        return None
    return decoder


def _plain(file: Path, dialect: Dialect, look: _Look) -> PlainText | None:
    """The file as the simplest kind of text table, if it is one."""
    is_wide = look.encoding.startswith("utf-16") or look.encoding.startswith("utf-32")
    is_even = look.returns == look.pairs and look.pairs in (0, look.line_feeds)
    if look.has_quotes or is_wide or not is_even or not look.line_feeds or dialect.has_declaration:
        return None
    return PlainText(
        file=file,
        encoding=look.encoding,
        delimiter=dialect.delimiter,
        newline="\r\n" if look.pairs else "\n",
        lines=look.line_feeds + (look.last != b"\n"),
        has_quotes=False,
    )


def _dialect(file: Path, encoding: str) -> Dialect:
    with file.open("r", encoding=encoding, newline="") as opened:
        sample = opened.read(SAMPLE_CHARACTERS)
    if len(sample) == SAMPLE_CHARACTERS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    if "\0" in sample:
        raise refused.refusal(file, refused.OTHER, refused.FROM_SOURCE)
    if not sample.strip():
        raise refused.refusal(file, refused.EMPTY, refused.EXPORT_AGAIN)
    if declared := re.match(r"sep=(.)\r?\n", sample, re.IGNORECASE):
        return Dialect(encoding, declared[1], has_declaration=True)
    choices = [
        Dialect(encoding, delimiter, is_spaced=f'{delimiter} "' in sample)
        for delimiter in DELIMITERS
    ]
    scores = {choice: _score(sample, choice) for choice in choices}
    best = max(choices, key=lambda choice: scores[choice])
    if scores[best] == 0:
        # One column: the delimiter is then whatever does not occur.
        absent = next((each for each in DELIMITERS if each not in sample), ";")
        return Dialect(encoding, absent)
    return best


def _score(sample: str, dialect: Dialect) -> float:
    """How much like a table the sample looks: rows of one length, cells of usual kinds."""
    lines = io.StringIO(sample, newline="")
    try:
        rows = [row for row in islice(_reader(lines, dialect), SAMPLE_ROWS) if any(row)]
    except csv.Error:
        return 0
    # Rows of one cell are titles and blanks; they say nothing for or against.
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    first = next(number for number, row in enumerate(rows) if len(row) == width)
    consistency = count / (len(rows) - first)
    if consistency < CONSISTENT or (first and not any(map(_is_name, rows[first]))):
        return 0  # a comma here and there, or decimal commas under the name of a single column
    cells = [cell for row in rows if len(row) == width for cell in row]
    usual = sum(_USUAL.fullmatch(cell) is not None for cell in cells) / len(cells)
    # More columns win between two that are equally consistent, but only a little.
    return consistency * (0.1 + usual) * (1 - 0.2 / width)


def _is_name(cell: str) -> bool:
    return any(letter.isalpha() for letter in cell)


def _broken_quote(file: Path, dialect: Dialect) -> int:
    """The line where quotation marks stop making sense; 0 if they always do."""
    with file.open("r", encoding=dialect.encoding, newline="") as opened:
        reader = csv.reader(
            opened,
            delimiter=dialect.delimiter,
            skipinitialspace=dialect.is_spaced,
            strict=True,
        )
        try:
            for _row in reader:
                pass
        except csv.Error:
            return reader.line_num
    return 0
