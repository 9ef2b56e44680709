"""Tables of web pages, which many systems write under the name .xls."""

import email
import email.policy
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from email.message import EmailMessage

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.letters import Decoded, decoded
from qhub_desktop.data.formats.page import Page, Table
from qhub_desktop.data.formats.sheet import (
    Decimal,
    Merge,
    Opened,
    RawSheet,
    Source,
    Value,
    file_format,
)

PAGE_LIMIT_BYTES = 200 * 2**20
SAMPLE_ROWS = 2_000
MOST_TABLES = 60  # of a page; each takes a fifth of a second
DECLARATION_BYTES = 4_096  # where a page says how its letters are written

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SHEET_NAME = re.compile(r"<x:ExcelWorksheet>\s*<x:Name>([^<]+)</x:Name>", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:[. \xa0]\d{3})+|\d+),\d+\s?%?-?")
_POINT = re.compile(r"[+-]?(?:\d{1,3}(?:[, \xa0]\d{3})+|\d+)\.\d+\s?%?-?")


@file_format("HTML", suffixes=(".html", ".htm"))
def read_html(source: Source) -> Opened:
    """Every table of a web page, whatever the file is called."""
    content = _content(source)
    page = decoded(content, chosen=source.choices.encoding, said=_declared(content))
    return _opened(source, _tables(source, page), page.encoding, names=[])


@file_format("MHTML", suffixes=(".mht", ".mhtml"))
def read_mhtml(source: Source) -> Opened:
    """Every table of a web archive, as Excel saves one."""
    message = email.message_from_bytes(_content(source), policy=email.policy.default)
    pages = [_part(part) for part in message.walk() if part.get_content_type() == "text/html"]
    tables = [table for page in pages for table in _tables(source, page)]
    names = [name for page in pages for name in _SHEET_NAME.findall(page.text)]
    return _opened(source, tables, pages[0].encoding if pages else "utf-8", names=names)


def _content(source: Source) -> bytes:
    if source.path.stat().st_size > PAGE_LIMIT_BYTES:
        raise refused.refusal(source, refused.TOO_LONG, refused.AS_TEXT)
    return source.path.read_bytes()


def _part(part: EmailMessage) -> Decoded:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    return decoded(content, said=[*([charset] if charset else []), *_declared(content)])


def _declared(content: bytes) -> list[str]:
    """What a page itself says of its letters."""
    found = _CHARSET.search(content[:DECLARATION_BYTES])
    return [found[1].decode("ascii", "replace")] if found else []


def _tables(source: Source, page: Decoded) -> list[Table]:
    opening = _("Opening {file}").format(file=source.name)
    return Page().read(page.text, lambda share: source.tell(opening, share))


def _opened(
    source: Source, tables: Sequence[Table], encoding: str, *, names: Sequence[str]
) -> Opened:
    filled = [table for table in tables if table.is_filled]
    # A single row is a heading or a page's frame, unless there is nothing else.
    wanted = [table for table in filled if len(table.rows) > 1] or filled
    if not wanted:
        raise refused.refusal(source, refused.NO_TABLE, refused.FROM_SOURCE)
    if len(wanted) == 1:
        return Opened((), iter([_sheet(wanted[0], None, 1, encoding)]))
    called = list(names) if len(names) == len(wanted) else _names(wanted)
    named = [*zip(called, wanted, strict=True)]
    if len(named) > MOST_TABLES:
        least = sorted((len(table.rows) for table in wanted), reverse=True)[MOST_TABLES - 1]
        named = [each for each in named if len(each[1].rows) >= least][:MOST_TABLES]
    sheets = [
        _sheet(table, name, number, encoding) for number, (name, table) in enumerate(named, start=1)
    ]
    if len(named) < len(wanted):
        told = (*sheets[0].doubtful, _some_only(len(named), len(wanted)))
        sheets[0] = replace(sheets[0], doubtful=told)
    return Opened(tuple(name for name, _table in named), iter(sheets))


def _some_only(read: int, present: int) -> Finding:
    text = _(
        "The page has {present} tables. The {read} with the most rows were read, the others not."
    )
    return Finding("tables_left", text.format(present=present, read=read), present - read)


def _names(tables: Sequence[Table]) -> list[str]:
    """What the tables are called; each name once."""
    names: list[str] = []
    for number, table in enumerate(tables, start=1):
        name = table.title or _("Table {number}").format(number=number)
        names.append(name if name not in names else f"{name} ({number})")
    return names


def _sheet(table: Table, name: str | None, number: int, encoding: str) -> RawSheet:
    last = len(table.rows) - 1
    return RawSheet(
        name=name,
        number=number,
        rows=_rows(table),
        is_text=True,
        decimal=_decimal(table),
        merges=tuple(
            Merge(row, column, min(last_row, last), last_column)
            for row, column, last_row, last_column in table.merges
            if (min(last_row, last), last_column) != (row, column)
        ),
        doubtful=_said(table),
        encoding=encoding,
    )


def _said(table: Table) -> list[Finding]:
    if not table.has_wild_spans:
        return []
    return [
        Finding(
            kind="spans_shortened",
            text=_("Some cells claim to span more rows or columns than any page has."),
        )
    ]


def _rows(table: Table) -> Iterator[Sequence[Value]]:
    yield from table.rows


def _decimal(table: Table) -> Decimal:
    """What stands before decimals, by what most numbers show."""
    cells = [cell for row in table.rows[:SAMPLE_ROWS] for cell in row if cell]
    commas = sum(_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."
