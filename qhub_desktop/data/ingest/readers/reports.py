"""Texts of a known kind: reports in blocks, server logs, tables of statistics offices.

Dumps of databases and ARFF, too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, words_of
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import Sentence
from qhub_desktop.data.ingest.readers import encoding, rejection
from qhub_desktop.data.ingest.readers.delimited import MISFITS, Lines, lines_finding
from qhub_desktop.data.ingest.readers.dialect import SAMPLE_ROWS
from qhub_desktop.data.ingest.readers.listings import (
    LIMIT_BYTES,
    QUOTED_CHARACTERS,
    VALUE,
    decimal_of,
    is_plain_text,
    lines_beside,
)
from qhub_desktop.data.ingest.readers.sheet import (
    InputFile,
    ParsedFile,
    RawSheet,
    table_names,
)
from qhub_desktop.data.ingest.readers.sniff import ANY_TEXT, Content, file_format

FEWEST_NAMES = 3
FEWEST_BLOCKS = 2
HEAD_CHARACTERS = 200_000  # of the definition of a table
KEPT_SHARE = 0.9  # so many lines of a log have as many parts

_BLOCKS = Sentence(
    "blocks",
    "This is a report in {count} blocks, which were read as one table. Its first column holds the"
    " line that each block stands under, such as {label}.",
)
_KEYS_PARTED = Sentence(
    "keys_parted",
    "The first column of the file holds several keys, which are columns here. {flags} behind"
    " numbers stand in columns of their own; {missing} were read as missing.",
)
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\S+')
_MARKED = re.compile(r"(?:^|\s)\[[^\]]*\d[^\]]*\](?=\s|$)")
_PAGE = re.compile(rf"\b(?:{'|'.join(words_of('files', 'page'))})\.?\s*:?\s*\d", re.IGNORECASE)
_KEY = re.compile(r"\w+(?:,\w+)*\\\w+")
_SQL_NAME = r"(?:[`\"\[][^`\"\]]*[`\"\]]|[\w$]+)(?:\.(?:[`\"\[][^`\"\]]*[`\"\]]|[\w$]+))*"
_SQL = re.compile(
    r"(?:\s|--[^\n]*\n|#[^\n]*\n|/\*.*?\*/;?)*(?:CREATE|INSERT|DROP|SET|USE|BEGIN|START|LOCK|PRAGMA|"
    r"DELETE|ALTER|COPY|REPLACE|TRUNCATE|IF|GO|SELECT)\b[^\n;,|\t]*[\s(;]",
    re.IGNORECASE | re.DOTALL,
)
_SQL_WORDS = re.compile(
    r"^\s*(?:(?:INSERT|REPLACE)\s+(?:\w+\s+)?INTO\s|CREATE\s+(?:\w+\s+){0,2}TABLE\s"
    r"|COPY\s.*\sFROM\s+stdin)",
    re.IGNORECASE | re.MULTILINE,
)
_SQL_PART = re.compile(
    rf"^\s*(?:INSERT|REPLACE)\s+(?:(?:IGNORE|OR\s+\w+)\s+)?INTO\s+(?P<into>{_SQL_NAME})\s*"
    r"(?:\((?P<columns>[^()]*)\)\s*)?VALUES?\s*"
    rf"|^CREATE\s+(?:\w+\s+){{0,2}}TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<made>{_SQL_NAME})\s*\("
    rf"|^COPY\s+(?P<copied>{_SQL_NAME})\s*\((?P<given>[^()]*)\)\s+FROM\s+stdin[^;\n]*;\n",
    re.IGNORECASE | re.MULTILINE,
)
_SQL_TOKEN = re.compile(
    r"\s*(?:(?:_binary\s+|[NnBbXxEe])?'(?P<text>(?:[^'\\]|\\.|'')*)'|(?P<word>[\w.+-]+(?:\([^()]*\))?)"
    r"|(?P<sign>[(),;]))",
    re.DOTALL,
)
_SQL_COLUMN = re.compile(rf"\s*({_SQL_NAME})\s+\w")
_SQL_KEYS = ("PRIMARY", "KEY", "UNIQUE", "CONSTRAINT", "INDEX", "FOREIGN", "CHECK", "FULLTEXT")
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": ""}
_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.*)", re.IGNORECASE)
_ARFF_CELL = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,]*?)\s*(?:,|$)")
_FLAGGED = re.compile(r"(:|-?\d[\d.]*(?:[eE][-+]?\d+)?)(?:\s+(\S+))?")


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Rows under names that come again and again, each block under lines of its own."""

    names: list[str]
    names_line: int  # the first of them
    rows: dict[int, list[str | None]]
    labels: dict[int, str]  # of the block that a row stands in
    used: set[int]


def _find_blocks(lines: Sequence[str]) -> _Blocks | None:
    """Return the blocks of a report; None if it has none, or if too much of it is something else.

    A block has the names of its columns above its rows, and a line above those that tells what it
    is about.
    """
    split = [line.split() for line in lines]
    counted = Counter(
        tuple(parts) for parts in split if len(parts) >= FEWEST_NAMES and _are_names(parts)
    )
    names, times = max(counted.items(), key=lambda each: each[1], default=((), 0))
    if times < FEWEST_BLOCKS:
        return None
    starts = [number for number, parts in enumerate(split) if tuple(parts) == names]
    rows: dict[int, list[str | None]] = {}
    labels: dict[int, str] = {}
    last = -1
    for start in starts:
        above = [each for each in range(last + 1, start) if lines[each].strip()]
        about = [each for each in above if each > 0 and not lines[each - 1].strip()] or above
        if not above or any(_has_values(split[each], len(names)) for each in above):
            return None  # rows that were not seen as such
        if any(_PAGE.search(lines[each]) for each in above):
            return None
        label = " ".join(split[about[-1]])
        number = start + 1
        while number < len(lines) and _is_row(split[number], len(names)):
            rows[number] = [*split[number]]
            labels[number] = label
            number += 1
        if number == start + 1:
            return None
        last = number - 1
    used = {*starts, *rows}
    return _Blocks([*names], starts[0], rows, labels, used)


def _are_names(parts: Sequence[str]) -> bool:
    return len({*parts}) == len(parts) and not any(any(map(str.isdigit, each)) for each in parts)


def _has_values(parts: Sequence[str], width: int) -> bool:
    """Return whether a line has as many parts as there are names, and numbers among them."""
    return len(parts) == width and sum(bool(VALUE.fullmatch(part)) for part in parts) > 1


def _is_row(parts: Sequence[str], width: int) -> bool:
    """Return whether these are a name and values, perhaps with a mark behind them.

    A name of two words would shift the values under other names: such a line is no row.
    """
    if not width <= len(parts) <= width + 1:
        return False
    are_values = [bool(VALUE.fullmatch(part)) for part in parts]
    last = width if len(parts) > width else width - 1
    return all(are_values[1:last]) and (len(parts) == width or not are_values[-1])


def _has_blocks(content: Content) -> bool:
    return is_plain_text(content) and _find_blocks(content.lines) is not None


@file_format("Report", suffixes=(".rpt",), sniff=_has_blocks, rank=ANY_TEXT - 1, place=12)
def read_blocks(source: InputFile) -> ParsedFile:
    """Read a report in blocks as one table, with a column that tells the block of each row."""
    scan = encoding.scan_text(source)
    lines = [line.rstrip("\r\n").lstrip("\f") for line in Lines(source.path, scan)]
    blocks = _find_blocks(lines)
    if blocks is None:
        raise rejection.refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    beside = [
        number for number, line in enumerate(lines) if line.strip() and number not in blocks.used
    ]
    called = _("Block")
    name = called if called not in blocks.names else f"{called} (2)"

    def rows() -> Iterator[Sequence[str | None]]:
        yield [name, *blocks.names]
        for number in range(blocks.names_line + 1, max(blocks.rows) + 1):
            if number in blocks.rows:
                yield [sanitize(blocks.labels[number]), *blocks.rows[number]]
            else:
                yield []

    sheet = RawSheet(
        name=None,
        number=1,
        rows=rows(),
        is_text=True,
        decimal=decimal_of(blocks.rows.values()),
        first_row=blocks.names_line,
        repaired=encoding.repaired(scan),
        doubtful=[*encoding.doubtful(scan), _in_blocks(blocks), *lines_beside(lines, beside)],
        encoding=scan.encoding,
        header=0,
    )
    return ParsedFile((), iter([sheet]))


def _in_blocks(blocks: _Blocks) -> Finding:
    label = f"'{sanitize(next(iter(blocks.labels.values()))[:QUOTED_CHARACTERS])}'"
    return _BLOCKS.finding(len(blocks.used) - len(blocks.rows), label=label)


def _log_parts(line: str) -> list[str]:
    """Return the parts of a line of a log: words, texts in quotation marks or brackets."""
    return _PART.findall(line)


def _width_of_log(lines: Sequence[str]) -> int:
    """Return how many parts the lines of a server's log have; 0 of another text."""
    sample = [line for line in lines if line.strip() and not line.startswith("#")][:SAMPLE_ROWS]
    counted = Counter(len(_log_parts(line)) for line in sample)
    width, times = max(counted.items(), key=lambda each: each[1], default=(0, 0))
    marked = sum(bool(_MARKED.search(line) and '"' in line) for line in sample)
    is_log = width > 3 and min(times, marked) >= KEPT_SHARE * len(sample) and times > 1
    return width if is_log else 0


def _is_server_log(content: Content) -> bool:
    lines = content.lines
    # The last may be cut.
    return is_plain_text(content) and _width_of_log(lines[:-1] or lines) > 0


@file_format("Log", suffixes=(".log",), sniff=_is_server_log, rank=ANY_TEXT - 1, place=13)
def read_log(source: InputFile) -> ParsedFile:
    """Read the log of a server: words, and texts in quotation marks or brackets, are its cells."""
    scan = encoding.scan_text(source)
    odd: list[int] = []
    width = _width_of_log([*islice(Lines(source.path, scan), SAMPLE_ROWS)])

    def rows() -> Iterator[Sequence[str | None]]:
        for number, line in enumerate(Lines(source.path, scan)):
            text = line.strip()
            parts = _log_parts(text)
            if text and len(parts) != width:
                odd.append(number)
                yield [text]
            else:
                yield [_without_marks(part) for part in parts]
        if odd:
            doubtful.append(lines_finding(MISFITS, odd))

    doubtful = encoding.doubtful(scan)
    sheet = RawSheet(
        name=None,
        number=1,
        rows=rows(),
        is_text=True,
        repaired=encoding.repaired(scan),
        doubtful=doubtful,
        encoding=scan.encoding,
    )
    return ParsedFile((), iter([sheet]))


def _without_marks(part: str) -> str | None:
    if len(part) > 1 and part[0] + part[-1] in ('""', "[]"):
        part = part[1:-1].replace('\\"', '"')
    return None if part == "-" else part


def _is_of_statistics(content: Content) -> bool:
    first = content.lines[0]
    key, tab, _periods = first.partition("\t")
    return is_plain_text(content) and bool(tab) and _KEY.fullmatch(key.strip()) is not None


@file_format("SDMX", suffixes=(), sniff=_is_of_statistics, rank=ANY_TEXT - 1, place=14)
def read_statistics(source: InputFile) -> ParsedFile:
    """Read a table as Eurostat writes it: keys joined by commas, flags behind the numbers.

    The keys are columns, and the flags of a period stand in a column beside it.
    """
    scan = encoding.scan_text(source)
    lines = Lines(source.path, scan)
    flagged: dict[int, int] = {}  # by the place of a period
    missing = 0
    for number, line in enumerate(lines):
        for place, cell in enumerate(line.rstrip("\r\n").split("\t")[1:] if number else ()):
            found = _FLAGGED.fullmatch(cell.strip())
            if found and found[2]:
                flagged[place] = flagged.get(place, 0) + 1
            missing += bool(found and found[1] == ":")

    def rows() -> Iterator[Sequence[str | None]]:
        for number, line in enumerate(lines):
            key, *cells = line.rstrip("\r\n").split("\t")
            row: list[str | None] = [*key.partition("\\")[0].strip().split(",")]
            if number and not line.strip():
                row = []
            for place, cell in enumerate(cells):
                text = cell.strip()
                named = (text, _("{name} flags").format(name=text))
                pair = _value_and_flag(text) if number else named
                row += pair if place in flagged else pair[:1]
            yield row

    sheet = RawSheet(
        name=None,
        number=1,
        rows=rows(),
        is_text=True,
        repaired=[*encoding.repaired(scan), *_split_up(sum(flagged.values()), missing)],
        doubtful=encoding.doubtful(scan),
        encoding=scan.encoding,
        separator="\t",
        header=0,
    )
    return ParsedFile((), iter([sheet]))


def _value_and_flag(cell: str) -> tuple[str | None, str | None]:
    found = _FLAGGED.fullmatch(cell)
    if found is None:
        return cell or None, None
    return (None if found[1] == ":" else found[1]), found[2]


def _split_up(flags: int, missing: int) -> list[Finding]:
    flagged = ngettext("{count} flag", "{count} flags", flags)
    lacking = ngettext("{count} cell with ':'", "{count} cells with ':'", missing)
    return [
        _KEYS_PARTED.finding(
            flags, flags=flagged.format(count=flags), missing=lacking.format(count=missing)
        )
    ]


def _is_sql(content: Content) -> bool:
    return (
        not content.is_binary
        and not content.source.choices.separator
        and _SQL.match(content.text) is not None
        and _SQL_WORDS.search(content.text) is not None
    )


@file_format("SQL", suffixes=(".sql",), sniff=_is_sql, rank=ANY_TEXT - 2, place=15)
def read_sql(source: InputFile) -> ParsedFile:
    """Read the rows that a dump of a database puts into its tables, a sheet for each table."""
    scan, text = whole_text(source)
    names: dict[str, list[str]] = {}
    rows: dict[str, list[list[str | None]]] = {}
    for part in _SQL_PART.finditer(text):
        if part["made"]:
            names.setdefault(_sql_name(part["made"]), _made_columns(text, part.end()))
            continue
        table = _sql_name(part["into"] or part["copied"])
        if given := part["columns"] or part["given"]:
            names[table] = [_sql_name(each) for each in given.split(",")]
        found = _inserted(text, part.end()) if part["into"] else _copied(text, part.end())
        rows.setdefault(table, []).extend(found)
    tables = [table for table, found in rows.items() if found]
    if not tables:
        raise rejection.refusal(source, rejection.COMMANDS, rejection.FROM_SOURCE)
    called = table_names([sanitize(table) for table in tables])
    sheets = (
        _named_sheet(
            names.get(table, []),
            rows[table],
            repaired=encoding.repaired(scan),
            doubtful=encoding.doubtful(scan),
            encoding_=scan.encoding,
            name=called[at] if len(tables) > 1 else None,
            number=at + 1,
        )
        for at, table in enumerate(tables)
    )
    return ParsedFile(tuple(called) if len(tables) > 1 else (), sheets)


def whole_text(source: InputFile) -> tuple[encoding.TextScan, str]:
    """Return a text as a whole, its lines ended by newlines. Raises UserError if it is too long."""
    if source.path.stat().st_size > LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.AS_TEXT)
    scan = encoding.scan_text(source)
    text = "".join(Lines(source.path, scan))
    return scan, text.replace("\r\n", "\n").replace("\r", "\n")


def _named_sheet(
    names: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    *,
    repaired: Sequence[Finding],
    doubtful: Sequence[Finding],
    encoding_: str | None,
    name: str | None = None,
    number: int = 1,
) -> RawSheet:
    width = max(map(len, (names, *rows)))
    more = (_("column_{number}").format(number=at + 1) for at in range(len(names), width))
    return RawSheet(
        name=name,
        number=number,
        rows=iter([[*names, *more], *rows]),
        is_text=True,
        has_names=True,
        decimal=".",
        repaired=repaired,
        doubtful=doubtful,
        encoding=encoding_,
    )


def _sql_name(written: str) -> str:
    return written.strip().rpartition(".")[2].strip('`"[] ')


def _made_columns(text: str, start: int) -> list[str]:
    """Return the columns of a table whose definition begins here."""
    depth, place, found = 1, start, list[str]()
    for sign in re.finditer(r"'(?:[^']|'')*'|[(),]", text[start : start + HEAD_CHARACTERS]):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if depth == 0 or (depth == 1 and sign[0] == ","):
            column = _SQL_COLUMN.match(text[place : start + sign.start()])
            if column and column[1].upper() not in _SQL_KEYS:
                found.append(_sql_name(column[1]))
            place = start + sign.end()
        if depth == 0:
            break
    return found


def _inserted(text: str, start: int) -> Iterator[list[str | None]]:
    """Yield the rows of the values in parentheses from here to the end of the command."""
    row: list[str | None] | None = None
    while token := _SQL_TOKEN.match(text, start):
        start = token.end()
        if token["sign"] == "(":
            row = []
        elif token["sign"] == ")" and row is not None:
            yield row
            row = None
        elif token["sign"] == ";" or (token["word"] and row is None):
            return
        elif row is not None and token["text"] is not None:
            row.append(_ESCAPED.sub(lambda each: _unescaped(each[1]), token["text"]))
        elif row is not None and token["word"]:
            row.append(None if token["word"].upper() == "NULL" else token["word"])


def _unescaped(letter: str | None) -> str:
    return "'" if letter is None else _ESCAPES.get(letter, letter)


def _copied(text: str, start: int) -> Iterator[list[str | None]]:
    """Yield the rows of lines with tabs, from here to the line that ends them."""
    end = text.find("\n\\.", start - 1)
    for line in text[start : end if end >= 0 else len(text)].split("\n"):
        if line:
            yield [
                None if cell == "\\N" else _ESCAPED.sub(lambda each: _unescaped(each[1]), cell)
                for cell in line.split("\t")
            ]


def _is_arff(content: Content) -> bool:
    return bool(re.match(r"(?:%[^\n]*\n|\s)*@relation\s", content.start))


@file_format("ARFF", suffixes=(".arff",), sniff=_is_arff, rank=ANY_TEXT - 2, place=16)
def read_arff(source: InputFile) -> ParsedFile:
    """Read the data of a file for Weka, whose attributes are the columns."""
    scan, text = whole_text(source)
    begin = re.search(r"^\s*@data\b.*\n?", text, re.IGNORECASE | re.MULTILINE)
    head, data = (text[: begin.start()], text[begin.end() :]) if begin else (text, "")
    names = [
        found[1].strip("'\"")
        for line in head.split("\n")
        if (found := _ATTRIBUTE.match(line.strip()))
    ]
    rows = [
        _arff_row(line.strip(), len(names))
        for line in data.split("\n")
        if line.strip() and not line.lstrip().startswith("%")
    ]
    if begin is None:
        raise rejection.refusal(source, rejection.CUT_OFF, rejection.EXPORT_AGAIN)
    if not names:
        raise rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AGAIN)
    sheet = _named_sheet(
        names,
        rows,
        repaired=encoding.repaired(scan),
        doubtful=encoding.doubtful(scan),
        encoding_=scan.encoding,
    )
    return ParsedFile((), iter([sheet]))


def _arff_row(line: str, width: int) -> list[str | None]:
    """Return the cells of a line; of one in braces, those that are not named are 0."""
    is_sparse = line.startswith("{")
    parts = [each[1] for each in _ARFF_CELL.finditer(line.strip("{}")) if each[0]]
    if not is_sparse and line.endswith(","):
        parts.append("")
    row: list[str | None] = ["0"] * width if is_sparse else []
    for part in parts:
        place, _blank, value = part.partition(" ") if is_sparse else ("", "", part)
        cell: str | None = None if value in ("?", "") else value
        if cell and cell[0] in "'\"" and cell[-1:] == cell[0]:
            cell = re.sub(r"\\(.)", r"\1", cell[1:-1])
        if not is_sparse:
            row.append(cell)
        elif place.isdecimal() and int(place) < width:
            row[int(place)] = cell
    return row
