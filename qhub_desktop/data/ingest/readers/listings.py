"""Listings: tables drawn with lines in a text.

Markdown, reStructuredText, SQL consoles, SAP and statistics programs draw tables with bars and
dashes. What else stands in such a text is no table, and that is said.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.data.ingest.findings import CountedSentence, listed
from qhub_desktop.data.ingest.readers import encoding, rejection
from qhub_desktop.data.ingest.readers.delimited import (
    LINES_TOLD,
    RULE_LINES,
    Lines,
    lines_finding,
)
from qhub_desktop.data.ingest.readers.dialect import SAMPLE_ROWS, DialectMatch
from qhub_desktop.data.ingest.readers.records import Delimited
from qhub_desktop.data.ingest.readers.sheet import (
    Decimal,
    InputFile,
    ParsedFile,
    RawSheet,
    address,
    table_names,
)
from qhub_desktop.data.ingest.readers.sniff import ANY_TEXT, Content, file_format

LIMIT_BYTES = 100 * 2**20
TITLE_CHARACTERS = 80
QUOTED = 3  # lines in a finding
QUOTED_CHARACTERS = 60
GAP_LINES = 8  # of text between two pages of one table

_LINES_JOINED = CountedSentence(
    "lines_joined",
    "{count} line goes on with the cells of the line above it, and was joined to it: {cells}.",
    "{count} lines go on with the cells of the lines above them, and were joined to them: {cells}.",
)
_DRAWN_SPANS = CountedSentence(
    "drawn_spans",
    "{count} line parts some columns only, so cells beside it reach over several rows: {cells}."
    " Check these rows.",
    "{count} lines part some columns only, so cells beside them reach over several rows: {cells}."
    " Check these rows.",
)
_TEXT_BESIDE = CountedSentence(
    "text_beside",
    "{count} line of text outside the tables was not read: {lines}.",
    "{count} lines of text outside the tables were not read: {lines}.",
)
_SOME_RULE = re.compile(
    r"^[ \t]*(?:[|+:]?[-=]{2,}|\|[ \t]*:?-|[^\n\r|]*\|[ \t]*:?-{2,}|[\u2500-\u257f])",
    re.MULTILINE,
)
_BAR = re.compile(r"(?<!\\)[|│║┃]")
_RULE = re.compile(r"[-=_+|:\s\u2500-\u257f]*(?:-{3}|={3}|_{3}|[─━═]{3})[-=_+|:\s\u2500-\u257f]*")
_MARKDOWN_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*")
_DRAWN = "-=_+|: \t" + "".join(map(chr, range(0x2500, 0x2580)))
_STRONG = re.compile(r"[=═━]")
_PARTIAL_RULE = re.compile(r"\+(?:[-=]{2,}\+)+")
_GOES_ON = re.compile(r" \+(?:\||$)")
_TO_BLANKS = str.maketrans("+-=", "|  ")
_JUNCTION = re.compile(r"[+|]|[\u2502-\u254b\u2551-\u256c]")
_FLAT = "─━═┄┅┈┉╌╍"  # of what is drawn, it joins nothing
_GROUPS = re.compile(r"\s*={2,}(?: +={2,})+\s*")
_DRAWN_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?%?-?")
VALUE = re.compile(r"[-+(]?[\d.,]*\d[\d.,%]*\)?-?")


@dataclass
class _Table:
    """A table among the lines of a text; lines count from 0."""

    first: int
    last: int
    names: list[str] | None  # None where what is drawn does not tell them
    names_line: int = 0
    rows: dict[int, list[str | None]] = field(default_factory=dict)
    rules: list[int] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)  # lines that continue the row above them
    repeated: list[int] = field(default_factory=list)  # the names again, on another page
    title: str = ""

    @property
    def used(self) -> set[int]:
        """The lines that were read."""
        return {self.names_line, *self.rows, *self.rules, *self.joined, *self.repeated}

    def as_rows(self) -> Iterator[Sequence[str | None]]:
        """Yield a row for every line; a blank one for a line that is drawn."""
        names = dict.fromkeys((self.names_line, *self.repeated), self.names or [])
        for number in range(self.first, self.last + 1):
            yield self.rows.get(number) or (names.get(number, []) if self.names else [])


def _bars(line: str) -> bool:
    """Return whether a line is framed by bars."""
    text = line.strip()
    return (
        len(text) > 1
        and text[0] in "|│║┃+╟╠├"
        and text[-1] in "|│║┃+╢╣┤"
        and _BAR.search(text) is not None
    )


def _is_rule(line: str) -> bool:
    if line.strip(_DRAWN):
        return False  # most lines show it at once
    return bool(_RULE.fullmatch(line) or _MARKDOWN_RULE.fullmatch(line))


def _junctions(rule: str) -> list[int]:
    """Return where columns meet in a drawn line; nothing in a bare one."""
    return [found.start() for found in _JUNCTION.finditer(rule) if found[0] not in _FLAT]


def _find_tables(lines: Sequence[str]) -> list[_Table]:
    """Return the tables that are drawn in a text."""
    tables: list[_Table] = []
    place = 0
    while place < len(lines):
        table = _simple_table(lines, place) or _drawn_table(lines, place)
        if table is None:
            place += 1
            continue
        tables.append(table)
        place = table.last + 1
    return tables


def _simple_table(lines: Sequence[str], place: int) -> _Table | None:
    """Return the table under a line of parted groups of '=', as reStructuredText writes it."""
    if not _GROUPS.fullmatch(lines[place]):
        return None
    rule = lines[place].rstrip()
    rules = [place]
    for number in range(place + 1, len(lines)):
        text = lines[number].rstrip()
        if text == rule:
            rules.append(number)
            if number + 1 == len(lines) or not lines[number + 1].strip():
                break
        elif _is_rule(text) and text.lstrip().startswith("="):
            return None
    if len(rules) not in (2, 3):
        return None
    starts = [found.start() for found in re.finditer(r"=+", rule)]
    bounds = [*zip(starts, [*starts[1:], None], strict=True)]
    table = _Table(place, rules[-1], None, place, rules=rules)
    above: list[list[str]] = []
    for number in range(place + 1, rules[-1]):
        line = lines[number].rstrip()
        if not line:
            continue
        if number in rules or _is_rule(line):
            table.rules = sorted({*table.rules, number})
            continue
        cells: list[str | None] = [line[start:end].strip() or None for start, end in bounds]
        if len(rules) == 3 and number < rules[1]:
            above.append([cell or "" for cell in cells])
            table.names_line = place + 1
            if len(above) > 1:
                table.joined.append(number)
        elif cells[0] is None and table.rows:
            _join(table.rows[max(table.rows)], cells)
            table.joined.append(number)
        else:
            table.rows[number] = cells
    if above:
        table.names = [" ".join(filter(None, each)) for each in zip(*above, strict=True)]
    return table if table.rows else None


def _drawn_table(lines: Sequence[str], place: int) -> _Table | None:
    """Return the table that is drawn from a line on, with bars and rules."""
    has_frame = _bars(lines[place]) or _is_rule(lines[place])
    end = place
    if has_frame:
        while end < len(lines) and (_bars(lines[end]) or _is_rule(lines[end])):
            end += 1
    if not has_frame or not any(
        _bars(line) and not _is_rule(line) for line in islice(lines, place, end)
    ):
        return _open_table(lines, place)
    block = range(place, end)
    # A line under a title is none of the table's.
    inside = [number for number in block if _is_rule(lines[number])]
    rows = [number for number in block if number not in {*inside}]
    if not inside or len(rows) < 2:
        return None
    junctions = sorted({at for number in inside for at in _junctions(lines[number])})
    if len(junctions) < 2:
        junctions = _common_bars([lines[number] for number in rows])
    return _table_of(lines, block, {*inside}, junctions) if len(junctions) > 1 else None


def _open_table(lines: Sequence[str], place: int) -> _Table | None:
    """Return the table whose names stand above a rule that parts their columns, without a frame."""
    if place + 2 >= len(lines) or _is_rule(lines[place]) or not _is_rule(lines[place + 1]):
        return None
    count = len(_BAR.findall(lines[place]))
    junctions = _junctions(lines[place + 1])
    if not count or len(junctions) != count or "=" in lines[place + 1]:
        return None
    end = place + 2
    while end < len(lines) and len(_BAR.findall(lines[end])) >= count:
        end += 1
    if end == place + 2:
        return None
    wide = max(map(len, islice(lines, place, end))) + 1
    block = range(place, end)
    return _table_of(lines, block, {place + 1}, [-1, *junctions, wide])


def _common_bars(rows: Sequence[str]) -> list[int]:
    """Return where the bars of most rows stand."""
    counted = Counter(found.start() for row in rows for found in _BAR.finditer(row))
    return sorted(place for place, count in counted.items() if count * 2 > len(rows))


def _table_of(
    lines: Sequence[str], block: range, rules: set[int], junctions: list[int]
) -> _Table | None:
    """Return the table of a block of lines, whose columns meet at the junctions."""
    groups: list[list[tuple[int, list[str | None]]]] = [[]]
    merges: dict[int, list[tuple[int, int]]] = {}
    is_strong: list[bool] = []  # whether the rule above each group is a double one
    strong = False
    for number in block:
        if number in rules:
            strong = bool(_STRONG.search(lines[number])) or strong
            if groups[-1]:
                groups.append([])
            continue
        cells, spans = _cells(lines[number], junctions)
        if len(spans) == 1 and len(spans[0]) == len(junctions) - 1 > 1:
            continue  # a title over the whole table
        if not groups[-1]:
            is_strong.append(strong)
            strong = False
        groups[-1].append((number, cells))
        merges[number] = [(span[0], span[-1]) for span in spans if len(span) > 1]
    groups = [group for group in groups if group]
    if not groups or sum(map(len, groups)) < 2:
        return None
    table = _Table(block[0], block[-1], None, block[0], rules=sorted(rules))
    head = _header_groups(groups, is_strong)
    if head:
        _take_names(table, [row for group in groups[:head] for row in group], merges)
    start = block[0]
    is_grid = _are_records(groups[head:], is_double=bool(head) and is_strong[head])
    for group in groups[head:]:
        for at, (number, cells) in enumerate(group):
            if at > 0 and is_grid:
                _join(table.rows[start], cells)
                table.joined.append(number)
            elif at > 0 and _continues(lines[group[at - 1][0]], group[at - 1][1], cells):
                row = table.rows[start]
                marked = [cell and cell.removesuffix("+").rstrip() for cell in row]
                row[:] = [
                    new if more else old for old, new, more in zip(row, marked, cells, strict=False)
                ]
                _join(row, cells, "\n")
                table.joined.append(number)
            else:
                table.rows[number] = cells
                start = number
    return table if table.rows else None


def _header_groups(
    groups: Sequence[Sequence[tuple[int, list[str | None]]]], is_strong: Sequence[bool]
) -> int:
    """Return how many of the groups between rules are the names; 0 if the rules do not tell."""
    double = [place for place, strong in enumerate(is_strong) if strong and place]
    if double and (len(double) == 1 or not is_strong[0]):
        return double[0]
    if len(groups) < 2 or (len(groups) > 2 and all(len(group) == 1 for group in groups)):
        return 0
    texts = [cell for _line, cells in groups[0] for cell in cells if cell]
    # A row of values is no header.
    numbers = sum(bool(_DRAWN_NUMBER.fullmatch(cell)) for cell in texts)
    is_named = texts and numbers * 2 <= len(texts)
    return int(bool(is_named) and len(groups[0]) <= QUOTED)


def _are_records(
    groups: Sequence[Sequence[tuple[int, list[str | None]]]], *, is_double: bool
) -> bool:
    """Return whether what stands between two rules is one row, of several lines."""
    if all(len(group) == 1 for group in groups):
        return False
    are_one = all(_is_one([cells for _line, cells in group]) for group in groups)
    if is_double:
        return len(groups) > 1 or are_one
    return len(groups) > 1 and are_one


def _is_one(lines: Sequence[Sequence[str | None]]) -> bool:
    """Return whether lines are one row: no column has two values, and each goes on in a few."""
    for column in zip(*lines, strict=False):
        if sum(bool(cell and VALUE.fullmatch(cell)) for cell in column) > 1:
            return False
    first = sum(cell is not None for cell in lines[0])
    return all(sum(cell is not None for cell in line) < max(2, first) for line in lines[1:])


def _continues(line: str, cells: Sequence[str | None], more: Sequence[str | None]) -> bool:
    """Return whether a console says that cells of a line go on in the next one, and they do."""
    return (
        any(more)
        and len(more) == len(cells)
        and all(
            not after or (before or "").endswith("+")
            for before, after in zip(cells, more, strict=True)
        )
        and _GOES_ON.search(line) is not None
    )


def _take_names(
    table: _Table,
    rows: Sequence[tuple[int, list[str | None]]],
    merges: dict[int, list[tuple[int, int]]],
) -> None:
    """Join the lines of the header to one name for each column; a wide label is that of all."""
    names: list[str] = [""] * max(len(cells) for _line, cells in rows)
    for number, cells in rows:
        labels = [*cells, *[None] * (len(names) - len(cells))]
        for first, last in merges[number]:
            labels[first : last + 1] = [labels[first]] * (last + 1 - first)
        for place, label in enumerate(labels):
            if label:
                names[place] = f"{names[place]} {label}".strip()
    table.names, table.names_line = names, rows[0][0]
    table.joined += [number for number, _cells in rows[1:]]


def _join(row: list[str | None], more: Sequence[str | None], between: str = " ") -> None:
    for place, cell in enumerate(more):
        if cell and place < len(row):
            before = row[place]
            row[place] = f"{before}{between}{cell}" if before else cell
        elif cell:
            row.append(cell)


def _cells(line: str, junctions: Sequence[int]) -> tuple[list[str | None], list[range]]:
    """Return the cells of a line, and the columns that each covers where some cover several."""
    width = len(junctions) - 1
    if "+-" in line or "+=" in line:
        # A rule over some columns only, beside cells that go on.
        line = _PARTIAL_RULE.sub(lambda found: found[0].translate(_TO_BLANKS), line)
    text = line.strip() if junctions[0] >= 0 else line
    parts = text.split("|") if "\\" not in text and text.isascii() else _BAR.split(text)
    if junctions[0] >= 0:
        parts = parts[1:-1]
    if len(parts) == width:
        return [_cell(part) for part in parts], []
    bars = [found.start() for found in _BAR.finditer(line)]
    inner = [at for at in junctions if at in bars]
    if len(parts) > width and len(inner) >= len(junctions) - 2 * (junctions[0] < 0):
        # Bars that stand elsewhere are signs in a cell.
        parts = [line[start + 1 : end] for start, end in pairwise(junctions)]
    elif len(parts) < width and {*bars} <= {*junctions}:
        ends = [place for place, at in enumerate(junctions) if at in bars or at < 0]
        spans = [range(start, end) for start, end in pairwise(ends)]
        cells: list[str | None] = [None] * width
        for span, part in zip(spans, parts, strict=False):
            cells[span.start] = _cell(part)
        return cells, spans
    return [_cell(part) for part in parts], []


def _cell(text: str) -> str | None:
    return text.strip().replace("\\|", "|") or None


def _joined_pages(lines: Sequence[str], tables: Sequence[_Table]) -> list[_Table]:
    """Return the tables, those joined that are pages of one: of the same names, under lines that
    stood above the first page too, but for digits.
    """
    found: list[_Table] = []
    above: set[str] = set()
    last = 0
    for table in tables:
        between = [*filter(str.strip, lines[last : table.first])]
        forms = {re.sub(r"\d+", "9", line.strip()) for line in between if not _is_rule(line)}
        is_page = (
            found
            and table.names is not None
            and found[-1].names == table.names
            and len(between) <= GAP_LINES
            and forms <= above
        )
        if is_page:
            whole = found[-1]
            whole.repeated.append(table.names_line)
            whole.rows |= table.rows
            whole.rules += table.rules
            whole.joined += table.joined
            whole.last = table.last
        else:
            table.title = _title(between)
            found.append(table)
            above = forms if not found[:-1] else above | forms
        last = table.last + 1
    return found


def _title(lines: Sequence[str]) -> str:
    """Return the last line of text above a table without its markup, if it is short."""
    texts = [line.strip() for line in lines if not _is_rule(line)]
    text = texts[-1].strip("#*=:`_ \t") if texts else ""
    return text if 0 < len(text) <= TITLE_CHARACTERS else ""


def is_plain_text(content: Content) -> bool:
    """Return whether this is a text that is not to be read by a separator, as chosen."""
    return not (
        content.is_xml
        or content.is_binary
        or content.source.choices.separator
        or content.source.path.stat().st_size > LIMIT_BYTES
    )


def _is_drawn(content: Content) -> bool:
    if not is_plain_text(content) or not _SOME_RULE.search(content.text):
        return False
    lines = content.lines
    tables = _find_tables(lines)
    if not tables:
        return False
    inside = {number for table in tables for number in range(table.first, table.last + 1)}
    others = [line for number, line in enumerate(lines) if number not in inside and line.strip()]
    is_quoted = "\n".join(lines[: tables[0].first]).count('"') % 2
    is_beside = len(others) * 2 > len(inside) and _are_delimited(others)
    return not is_quoted and not is_beside


def _are_delimited(lines: Sequence[str]) -> bool:
    """Return whether most lines have as many of one delimiter, so that they are the table."""
    for delimiter, least in ((";", 1), ("\t", 1), (",", 2)):
        counted = Counter(line.strip().rstrip(delimiter).count(delimiter) for line in lines)
        often = max((times for count, times in counted.items() if count >= least), default=0)
        if often > 2 and often * 2 > len(lines):
            return True
    return False


@file_format(
    "Listing",
    suffixes=(".md", ".rst", ".lst", ".prn"),
    sniff=_is_drawn,
    rank=ANY_TEXT - 1,
    place=11,
)
def read_drawn(source: InputFile) -> ParsedFile:
    """Read every table that is drawn in a text, each as a sheet of its own."""
    scan = encoding.scan_text(source)
    lines = [line.rstrip("\r\n").lstrip("\f") for line in Lines(source.path, scan)]
    tables = _joined_pages(lines, _find_tables(lines))
    if not tables:
        raise rejection.refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    used = {number for table in tables for number in table.used}
    beside = [
        number
        for number, line in enumerate(lines)
        if line.strip() and number not in used and not _is_rule(line)
    ]
    names = table_names([sanitize(table.title) for table in tables])
    sheets = (
        RawSheet(
            name=names[at] if len(tables) > 1 else None,
            number=at + 1,
            rows=table.as_rows(),
            is_text=True,
            decimal=decimal_of(table.rows.values()),
            first_row=table.first,
            repaired=[*encoding.repaired(scan), *_repaired(table)],
            doubtful=[
                *encoding.doubtful(scan),
                *_spans(table, lines),
                *(lines_beside(lines, beside) if at == 0 else []),
            ],
            encoding=scan.encoding,
            header=None if table.names is None else table.names_line - table.first,
        )
        for at, table in enumerate(tables)
    )
    return ParsedFile(tuple(names) if len(tables) > 1 else (), sheets)


def decimal_of(rows: Iterable[Sequence[str | None]]) -> Decimal:
    """Return the decimal mark that most numbers of the first rows show."""
    cells = tuple([cell or "" for cell in row] for row in islice(rows, SAMPLE_ROWS))
    return DialectMatch(Delimited("|"), 0, cells).decimal


def _repaired(table: _Table) -> list[Finding]:
    found: list[Finding] = []
    if table.rules:
        found.append(lines_finding(RULE_LINES, table.rules))
    if table.joined:
        found.append(lines_finding(_LINES_JOINED, table.joined))
    return found


def _spans(table: _Table, lines: Sequence[str]) -> list[Finding]:
    """Report lines in which a rule is drawn over some columns only."""
    partial = [
        number
        for number in range(table.first, table.last + 1)
        if ("+-" in lines[number] or "+=" in lines[number])
        and any(map(str.isalnum, lines[number]))
        and _PARTIAL_RULE.search(lines[number])
    ]
    partial += [number for number in table.rules if lines[number].lstrip()[:1] in "|│║┃"
                and "+" in lines[number] and " " in lines[number].strip("|│║┃ ")]  # fmt: skip
    return [lines_finding(_DRAWN_SPANS, sorted(partial))] if partial else []


def lines_beside(lines: Sequence[str], numbers: Sequence[int]) -> list[Finding]:
    """Report lines of text outside the tables."""
    if not numbers:
        return []
    quoted = [
        f"'{sanitize(lines[number].strip()[:QUOTED_CHARACTERS])}'" for number in numbers[:QUOTED]
    ]
    cells = [address(number, 0) for number in numbers[:LINES_TOLD]]
    told = listed(quoted, of=len(numbers))
    return [_TEXT_BESIDE.finding(len(numbers), cells, lines=told)]
