"""Text tables: exactly the cells that stand there, with all that was mended on the way."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import ngettext
from qhub_desktop.data.formats import encoding, refused
from qhub_desktop.data.formats.dialect import Found, dialect_of
from qhub_desktop.data.formats.encoding import MIXED, Look
from qhub_desktop.data.formats.lines import Lines
from qhub_desktop.data.formats.records import TRUSTED_LINES, Delimited, Fixed, Records
from qhub_desktop.data.formats.sheet import (
    Opened,
    PlainText,
    RawSheet,
    Source,
    address,
    file_format,
)

BLANK = "\ufeff \t\r\n\x1a;,|"  # a file of nothing else holds nothing
ADDRESSES = 5  # named in a finding

_DECLARATION = re.compile(r'"?sep=(\t|[^\r\n"])"?;*[\r\n]*', re.IGNORECASE)


@file_format("CSV", suffixes=(".csv", ".tsv", ".txt"))
def read_delimited(source: Source) -> Opened:
    """The one table of a text file."""
    look = encoding.look(source)
    lines = Lines(source.path, look)
    sample = lines.sample()
    if not any(line.strip(BLANK) for line in lines):
        raise refused.refusal(source, refused.EMPTY, refused.EXPORT_AGAIN)
    declared = _DECLARATION.fullmatch(sample[0])
    found = dialect_of(
        sample[1:] if declared else sample,
        separator=source.choices.separator or (declared[1] if declared else None),
    )
    if isinstance(found.dialect, Delimited) and found.dialect.quote == '"' and not look.has_quotes:
        found = replace(found, dialect=replace(found.dialect, quote=""))
    table = _Table(lines, look, found, has_declaration=declared is not None)
    sheet = RawSheet(
        name=None,
        number=1,
        rows=iter(table),
        is_text=True,
        decimal=found.decimal,
        first_row=int(declared is not None),
        first_column=int(isinstance(found.dialect, Delimited) and found.dialect.is_bordered),
        repaired=table.repaired,
        doubtful=table.doubtful,
        done=lambda: lines.share,
        encoding=look.encoding,
        separator=found.separator,
        plain=None if declared else _plain(source.path, look, found),
    )
    return Opened((), iter([sheet]))


class _Table:
    """The rows of the file; once they have come to their end, what was done to them."""

    def __init__(self, lines: Lines, look: Look, found: Found, *, has_declaration: bool) -> None:
        self._lines = lines
        self._found = found
        self._above = int(has_declaration) + found.comments  # lines that are no records
        self.repaired = encoding.repaired(look)
        self.doubtful = encoding.doubtful(look)

    def __iter__(self) -> Iterator[Sequence[str]]:
        lines = iter(self._lines)
        for line in islice(lines, self._above):
            if not _DECLARATION.fullmatch(line):
                yield [line.rstrip("\r\n")]
        records = Records(lines, self._found.dialect)
        yield from records
        self._report(records)

    def _report(self, records: Records) -> None:
        if records.mended:
            text = ngettext(
                "The quotation marks do not match in {count} row, so they were read as part of the"
                " text there: {cells}.",
                "The quotation marks do not match in {count} rows, so they were read as part of the"
                " text there: {cells}.",
                len(records.mended),
            )
            self.repaired.append(_finding("quotes", text, records.mended, self._above))
        if records.rules:
            text = ngettext(
                "{count} line drawn with dashes was taken for a blank one: {cells}.",
                "{count} lines drawn with dashes were taken for blank ones: {cells}.",
                len(records.rules),
            )
            self.repaired.append(_finding("rule_lines", text, records.rules, self._above))
        if records.misfits:
            text = ngettext(
                "{count} row does not keep to the columns, and is given as one cell: {cells}.",
                "{count} rows do not keep to the columns, and are given as one cell each: {cells}.",
                len(records.misfits),
            )
            self.doubtful.append(_finding("misfit", text, records.misfits, self._above))
        if others := self._lines.others:
            text = ngettext(
                "{count} line is not in UTF-8 as the others are, and was read as cp1252: {lines}.",
                "{count} lines are not in UTF-8 as the others are, and were read as cp1252:"
                " {lines}.",
                len(others),
            ).format(count=len(others), lines=_listed([str(each) for each in others]))
            self.repaired.append(Finding("mixed_encoding", text, len(others)))


def _finding(kind: str, text: str, rows: Sequence[int], above: int) -> Finding:
    cells = [address(above + row - 1, 0) for row in rows[: ADDRESSES + 1]]
    words = text.format(count=len(rows), cells=_listed(cells))
    return Finding(kind, words, len(rows), tuple(cells[:ADDRESSES]))


def _listed(places: Sequence[str]) -> str:
    return ", ".join(places[:ADDRESSES]) + (", …" if len(places) > ADDRESSES else "")


def _plain(file: Path, look: Look, found: Found) -> PlainText | None:
    """The file as the simplest kind of text table, if it is one."""
    dialect = found.dialect
    if isinstance(dialect, Fixed) or look.newline is None or look.nuls or look.has_end_mark:
        return None
    if found.has_mended or found.comments:
        return None
    if look.has_quotes and not dialect.quote:
        return None
    is_simple = dialect == Delimited(dialect.delimiter, dialect.quote, width=dialect.width)
    is_single = len(dialect.delimiter) == 1 and dialect.delimiter.isascii()
    if not is_simple or not is_single or dialect.quote == "'":
        return None
    if look.encoding == MIXED or look.errors != "strict" or look.longest >= TRUSTED_LINES:
        return None
    return PlainText(
        file=file,
        encoding=look.encoding,
        delimiter=dialect.delimiter,
        newline=look.newline,
        lines=look.lines,
        has_quotes=look.has_quotes,
    )
