"""Delimited text (.csv, .tsv, .txt): the cells exactly as written, with all that was repaired."""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import islice
from pathlib import Path

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import CountedSentence, Sentence, listed
from qhub_desktop.data.ingest.readers import encoding, rejection
from qhub_desktop.data.ingest.readers.dialect import (
    FIXED_WIDTH,
    DialectMatch,
    Unexplained,
    dialect_of,
    unexplained,
)
from qhub_desktop.data.ingest.readers.encoding import (
    END_MARK,
    MIXED,
    ORDER_MARK,
    TWICE,
    TextScan,
    decode_mixed,
    undo_twice,
)
from qhub_desktop.data.ingest.readers.line_forms import (
    GAPS_IN_HEADER,
    SHORT_HEADER,
    ColourLines,
    ExtendedLog,
    Form,
    LabviewLines,
    LedLines,
    SettingsBeside,
    form_of,
    has_gaps_in_header,
    is_header_short,
)
from qhub_desktop.data.ingest.readers.preamble import USUAL_DELIMITERS, preamble_cells, preamble_of
from qhub_desktop.data.ingest.readers.records import TRUSTED_LINES, Delimited, Fixed, Records
from qhub_desktop.data.ingest.readers.sheet import (
    InputFile,
    ParsedFile,
    PlainText,
    RawSheet,
    address,
)
from qhub_desktop.data.ingest.readers.sniff import ANY_TEXT, Content, file_format

SAMPLE_CHARACTERS = 200_000
PAGE_LINES = 15  # at the beginning, with the titles of a page and the names of the columns

_GAP = re.compile(r"\s{2,}")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")

BLANK = "\ufeff \t\r\n\x1a;,|"  # a file of nothing else holds nothing
LINES_TOLD = 5  # in a finding
EXAMPLE_CHARACTERS = 80  # of a line in a finding
RULE_LINES = CountedSentence(
    "rule_lines",
    "{count} line drawn with dashes was taken for a blank one: {cells}.",
    "{count} lines drawn with dashes were taken for blank ones: {cells}.",
)
MISFITS = CountedSentence(
    "misfit",
    "{count} row does not keep to the columns, and is given as one cell: {cells}.",
    "{count} rows do not keep to the columns, and are given as one cell each: {cells}.",
)
_QUOTES = CountedSentence(
    "quotes",
    "The quotation marks do not match in {count} row, so they were read as part of the text there:"
    " {cells}.",
    "The quotation marks do not match in {count} rows, so they were read as part of the text there:"
    " {cells}.",
)
_ORDER_MARKS = CountedSentence(
    "order_marks",
    "{count} line begins with a byte order mark, as where files were joined, which is not part of"
    " its value: {cells}.",
    "{count} lines begin with a byte order mark, as where files were joined, which is not part of"
    " their values: {cells}.",
)
_COMMENTS = CountedSentence(
    "comments",
    "{count} line with notes among the rows, which begins with #, was left out: {cells}.",
    "{count} lines with notes among the rows, which begin with #, were left out: {cells}.",
)
_PAGES = CountedSentence(
    "pages",
    "The list has pages, and {count} line with their titles or the names of the columns was left"
    " out: {cells}.",
    "The list has pages, and {count} lines with their titles or the names of the columns were left"
    " out: {cells}.",
)
_MIXED_ENCODING = CountedSentence(
    "mixed_encoding",
    "{count} line is not in UTF-8 as the others are, and was read as cp1252: {lines}.",
    "{count} lines are not in UTF-8 as the others are, and were read as cp1252: {lines}.",
)
_NO_TABLE = {
    "one_text": Sentence(
        "no_table",
        "{count} of the first {lines} lines have parts that no separator explains, such as"
        " {example}. This may be a log, a report or another kind of text, and no table. Choose"
        " the separator, or export the data as .xlsx or .csv.",
    ),
    "cut_pairs": Sentence(
        "no_table",
        "In {count} of the first {lines} lines the separator {separator} parts brackets or"
        " quotation marks that belong together, as in {example}. This may be a log or another"
        " kind of text. Choose another separator, or export the data as .xlsx or .csv.",
    ),
    "sentences": Sentence(
        "no_table",
        "{count} of the first {lines} lines are sentences, such as {example}. This may be a"
        " text and no table: each line was read as one cell.",
    ),
    "prose": Sentence(
        "no_table",
        "{count} of the first {lines} lines are sentences, such as {example}. This may be a"
        " text and no table. Choose another separator, or export the data as .xlsx or .csv.",
    ),
    "records": Sentence(
        "no_table",
        "The names in the first column come again and again, as in {example}. This may be a"
        " list of {count} records, one name and one value a line, which were read as {lines} rows."
        " Export the data as .xlsx or .csv to have a row for each record.",
    ),
    "uneven": Sentence(
        "no_table",
        "{count} of the first {lines} lines have more or fewer cells than the others, such as"
        " {example}, parted by {separator}. This may be a text and no table. Choose another"
        " separator, or export the data as .xlsx or .csv.",
    ),
}
_IN_BLOCKS = Sentence(
    "no_table",
    "{count} of the first {lines} lines under the table's beginning hold one text, such as"
    " {example}, and not its columns. This may be a report in blocks: such lines were read"
    " as rows, or set apart. Check them, or export the data as .xlsx or .csv.",
)
_DECLARATION = re.compile(r'"?sep=(\t|[^\r\n"])"?;*[\r\n]*', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a list as it was printed: each has the names of the columns, and titles."""

    names: str
    titles: frozenset[str]  # by their forms, as the number of a page differs
    left_out: list[int] = field(default_factory=list)  # lines that stand on each page, from 0

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines, with blank ones in place of what stands on each page but the first."""
        self.left_out.clear()
        has_begun = False
        for number, line in enumerate(lines):
            text = line.strip()
            is_title = text == self.names or _form(text) in self.titles
            if has_begun and is_title:
                self.left_out.append(number)
            yield "\n" if has_begun and is_title else line.replace("\f", "")
            has_begun = has_begun or text == self.names


def pages_of(sample: Sequence[str]) -> Pages | None:
    """Return the pages of a list in aligned columns; None of a text that is none."""
    texts = [line.strip() for line in sample]
    times = Counter(texts)
    for number, text in enumerate(texts[:PAGE_LINES]):
        is_named = len(_GAP.split(text)) > 1 and not any(map(str.isdigit, text))
        if not is_named or times[text] == 1 or not any(map(str.isalpha, text)):
            continue
        below = {_form(each) for each in texts[number + 1 :]}
        above = {_form(each) for each in texts[:number] if any(map(str.isalpha, each))}
        return Pages(text, frozenset(above & below)) if above & below else None
    return None


def _form(text: str) -> str:
    return re.sub(r"\d+", "9", " ".join(text.split()))


class Lines:
    """The lines of one file with their ends, and the progress of reading them."""

    def __init__(self, path: Path, scan: TextScan) -> None:
        self._path = path
        self._scan = scan
        self._size = max(1, path.stat().st_size)
        self._position: Callable[[], int] = lambda: 0
        self.form: Form | None = None
        self.pages: Pages | None = None
        self.marks: list[int] = []  # lines, from 0, that begin with a byte order mark
        self.others: list[int] = []  # the numbers of lines that are not in UTF-8 as others are

    @property
    def share(self) -> float:
        """The share of the file that was read."""
        return min(1.0, self._position() / self._size)

    def sample(self) -> list[str]:
        """Return the first lines, none of them cut unless it is the only one."""
        lines: list[str] = []
        characters = 0
        others = self.others.copy()
        for line in self:
            characters += len(line)
            if characters > SAMPLE_CHARACTERS:
                if not lines:
                    lines.append(line[:SAMPLE_CHARACTERS])
                break
            lines.append(line)
        self.others = others
        self._position = lambda: 0
        return lines

    def __iter__(self) -> Iterator[str]:
        lines = self._mixed() if self._scan.encoding == MIXED else self._plain()
        if self._scan.inner_marks or self._scan.encoding == MIXED:
            lines = self._unmarked(lines)
        if self._scan.has_end_mark:
            lines = (line for line in lines if line != END_MARK)
        if self._scan.nuls:
            lines = (line.replace("\0", "") for line in lines)
        if self.form:
            lines = self.form.undone(lines)
        return self.pages.joined(lines) if self.pages else lines

    def _plain(self) -> Iterator[str]:
        is_twice = self._scan.encoding == TWICE
        encoding = "utf-8-sig" if is_twice else self._scan.encoding
        with (
            self._path.open("rb") as source,
            io.TextIOWrapper(
                source, encoding=encoding, errors=self._scan.errors, newline=""
            ) as opened,
        ):
            self._position = source.tell
            try:
                yield from map(undo_twice, opened) if is_twice else opened
            finally:
                self._position = lambda: self._size

    def _mixed(self) -> Iterator[str]:
        with self._path.open("rb") as opened:
            self._position = opened.tell
            try:
                for number, line in enumerate(opened, start=1):
                    text = self._decoded(number, line)
                    yield from _LINE.findall(text) if "\r" in text else (text,)
            finally:
                self._position = lambda: self._size

    def _unmarked(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines without byte order marks, which stand where files were joined.

        Where the file before had no newline at its end, the names after it begin a line.
        """
        self.marks.clear()
        names = ""
        for number, line in enumerate(lines):
            bare = line.lstrip(ORDER_MARK)
            names = names or f"{ORDER_MARK}{bare.rstrip()}"
            if bare != line and number:
                self.marks.append(number)
            before, mark, after = bare.partition(names)
            if mark and before:
                self.marks.append(number + 1)
                yield f"{before}\n"
                bare = names.lstrip(ORDER_MARK) + after
            yield bare

    def _decoded(self, number: int, line: bytes) -> str:
        try:
            return line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            self.others.append(number)
            return decode_mixed(line)


def _is_text(content: Content) -> bool:
    return not content.is_xml and not content.is_binary


@file_format(
    "CSV", suffixes=(".csv", ".tsv", ".txt", ".lvm", ".mpt"), sniff=_is_text, rank=ANY_TEXT, place=5
)
def read_delimited(source: InputFile) -> ParsedFile:
    """Read the one table of a text file."""
    scan = encoding.scan_text(source)
    lines = Lines(source.path, scan)
    sample = lines.sample()
    if not any(line.strip(BLANK) for line in lines):
        raise rejection.refusal(source, rejection.EMPTY_FILE, rejection.EXPORT_AGAIN)
    declared = _DECLARATION.fullmatch(sample[0])
    lines.form = None if declared else form_of(sample)
    choices = source.choices
    preamble, delimiter = lines.form.above if lines.form else 0, ""
    if not declared and not lines.form and choices.header_row is None:
        preamble, delimiter = preamble_of(sample, delimiters=choices.separator or USUAL_DELIMITERS)
    if lines.form:
        sample = lines.sample()
    separator = declared[1] if declared else None
    if isinstance(lines.form, ExtendedLog | LabviewLines | ColourLines):
        separator = lines.form.separator
    above = preamble or int(declared is not None)
    chosen = choices.separator or separator or delimiter or None
    match = dialect_of(sample[above:], separator=chosen)
    if (
        not preamble
        and match.separator in (None, " ", FIXED_WIDTH)
        and not declared
        and not lines.form
    ):
        lines.pages = pages_of(sample)
        if lines.pages:
            # Above the names stand titles, which keep to no columns.
            sample = lines.sample()
            while sample[0].strip() != lines.pages.names:
                del sample[0]
            match = dialect_of(sample, separator=choices.separator)
    if isinstance(match.dialect, Delimited) and match.dialect.quote == '"' and not scan.has_quotes:
        match = replace(match, dialect=replace(match.dialect, quote=""))
    table = _Table(lines, scan, match, has_declaration=declared is not None, preamble=preamble)
    records = sample[preamble + int(declared is not None) + match.comments :]
    if is_header_short(records, match.dialect):
        table.is_header_short = True
        table.doubtful.append(SHORT_HEADER.finding())
    elif has_gaps_in_header(records, match.dialect):
        table.has_gaps_in_header = True
        table.repaired.append(GAPS_IN_HEADER.finding())
    has_names = table.is_header_short or table.has_gaps_in_header
    if odd := unexplained(records, match):
        table.doubtful.append(_no_table(odd, match))
    sheet = RawSheet(
        name=None,
        number=1,
        rows=iter(table),
        is_text=True,
        decimal=match.decimal,
        header=-1
        if isinstance(lines.form, LedLines) and not lines.form.has_names
        else preamble + match.comments
        if has_names or isinstance(lines.form, ExtendedLog | LabviewLines | ColourLines)
        else None,
        first_row=int(declared is not None),
        first_column=lines.form.width
        if isinstance(lines.form, SettingsBeside)
        else int(isinstance(match.dialect, Delimited) and match.dialect.is_bordered),
        repaired=table.repaired,
        doubtful=table.doubtful,
        share_read=lambda: lines.share,
        encoding=scan.encoding,
        separator=match.separator,
        preamble=preamble,
        facts=lines.form.facts if lines.form else (),
        plain=None if declared or lines.form or has_names else _plain(source.path, scan, match),
    )
    return ParsedFile((), iter([sheet]))


class _Table:
    """The rows of the file, with the findings on them once all were read."""

    def __init__(
        self,
        lines: Lines,
        scan: TextScan,
        match: DialectMatch,
        *,
        has_declaration: bool,
        preamble: int,
    ) -> None:
        self._lines = lines
        self._match = match
        self._preamble = preamble
        # Lines that are no records.
        self._above = preamble + int(has_declaration) + match.comments
        self.is_header_short = self.has_gaps_in_header = False
        self.repaired = encoding.repaired(scan)
        self.doubtful = encoding.doubtful(scan)

    def __iter__(self) -> Iterator[Sequence[str]]:
        lines = iter(self._lines)
        for line in islice(lines, self._preamble):
            yield preamble_cells(line, self._match.separator or "")
        for line in islice(lines, self._above - self._preamble):
            if not _DECLARATION.fullmatch(line):
                yield [line.rstrip("\r\n")]
        records = Records(lines, self._match.dialect)
        rows = iter(records)
        if self.is_header_short and (names := next(rows, None)) is not None:
            yield ["", *names]
        elif self.has_gaps_in_header and (names := next(rows, None)) is not None:
            yield [name for name in names if name.strip()]
        yield from rows
        self._report(records)

    def _lines_of(self, records: Sequence[int]) -> list[int]:
        return [self._above + record - 1 for record in records]

    def _report(self, records: Records) -> None:
        if records.repaired:
            self.repaired.append(lines_finding(_QUOTES, self._lines_of(records.repaired)))
        if records.rule_lines:
            self.repaired.append(lines_finding(RULE_LINES, self._lines_of(records.rule_lines)))
        if records.misfits:
            self.doubtful.append(lines_finding(MISFITS, self._lines_of(records.misfits)))
        if marks := self._lines.marks:
            self.repaired.append(lines_finding(_ORDER_MARKS, marks))
        if self._lines.form:
            told = self._lines.form.findings()
            (self.doubtful if self._lines.form.is_doubtful else self.repaired).extend(told)
            if isinstance(self._lines.form, ExtendedLog) and (notes := self._lines.form.notes):
                self.repaired.append(lines_finding(_COMMENTS, notes))
        if self._lines.pages and (left_out := self._lines.pages.left_out):
            self.repaired.append(lines_finding(_PAGES, left_out))
        if others := self._lines.others:
            named = listed([*map(str, others[:LINES_TOLD])], of=len(others))
            self.repaired.append(_MIXED_ENCODING.finding(len(others), lines=named))


def _no_table(odd: Unexplained, match: DialectMatch) -> Finding:
    """Report a text of which much is not what a table has, and how it was read all the same."""
    return _NO_TABLE.get(odd.kind, _IN_BLOCKS).finding(
        odd.count,
        lines=odd.lines,
        separator=f"'{match.separator}'",
        example=f"'{sanitize(' '.join(odd.example.split())[:EXAMPLE_CHARACTERS])}'",
    )


def lines_finding(sentence: Sentence, lines: Sequence[int]) -> Finding:
    """Return a finding on lines, from 0, with the addresses of the first of them."""
    return sentence.finding(len(lines), [address(line, 0) for line in lines[:LINES_TOLD]])


def _plain(file: Path, scan: TextScan, match: DialectMatch) -> PlainText | None:
    """Return the file as the simplest kind of text table, if it is one."""
    dialect = match.dialect
    if isinstance(dialect, Fixed) or scan.newline is None or scan.nuls or scan.has_end_mark:
        return None
    if scan.inner_marks:
        return None
    if match.has_repairs or match.comments:
        return None
    if scan.has_quotes and not dialect.quote:
        return None
    is_simple = dialect == Delimited(dialect.delimiter, dialect.quote, width=dialect.width)
    is_single = len(dialect.delimiter) == 1 and dialect.delimiter.isascii()
    if not is_simple or not is_single or dialect.quote == "'":
        return None
    if (
        scan.encoding in (MIXED, TWICE)
        or scan.errors != "strict"
        or scan.longest_cell_lines >= TRUSTED_LINES
    ):
        return None
    return PlainText(
        file=file,
        encoding=(
            # The database reads latin-1 without a copy. Where cp1252 has signs of its own (€, “),
            # the file is transcoded first.
            "latin-1" if scan.encoding == "cp1252" and not scan.has_cp1252_signs else scan.encoding
        ),
        delimiter=dialect.delimiter,
        newline=scan.newline,
        lines=scan.lines,
        has_quotes=scan.has_quotes,
    )
