"""From the cells of a sheet to rows under names: titles, blank rows and the header are told apart.

Nothing is dropped without being counted: rows read = titles + header + blank rows + rows kept.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import chain, islice, zip_longest
from typing import Literal

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.data.formats.sheet import Flaw, RawSheet, Value

CHUNK_ROWS = 5_000
EXACT = 1e15  # below, a whole number has 15 digits and is written as such
TITLE_ROWS = 10  # looked through for a wider row

Kind = Literal["number", "text", "boolean", "date", "datetime", "time", "duration", "flaw"]
TextRow = tuple[str | None, ...]

_KINDS: dict[type, Kind] = {
    int: "number",
    float: "number",
    str: "text",
    bool: "boolean",
    date: "date",
    datetime: "datetime",
    time: "time",
    timedelta: "duration",
    Flaw: "flaw",
}


@dataclass
class TidySheet:
    """A sheet being read: its rows as text, and what was met on the way.

    Everything but `rows` is complete only when `rows` has been read to its end.
    """

    header: list[str] = field(default_factory=list)  # as in the file; may be shorter than the rows
    titles: list[str] = field(default_factory=list)
    blank_rows: int = 0
    kept_rows: int = 0
    read_rows: int = 0
    longer_rows: int = 0  # with more cells than the header
    shorter_rows: int = 0
    kinds: defaultdict[int, set[Kind]] = field(default_factory=lambda: defaultdict(set))
    is_header_of_values: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every row read is accounted for."""
        header = 1 if self.read_rows > self.blank_rows else 0
        known = len(self.titles) + header + self.blank_rows + self.kept_rows
        return known == self.read_rows

    def begin(self, sheet: RawSheet) -> Iterator[Sequence[Value]]:
        """Find the header; gives the rows under it."""
        rows = self._without_blanks(sheet.rows)
        first = list(islice(rows, 1))
        if not first:
            return rows
        if _filled(first[0]) == 1:
            first.extend(self._until_wider(rows))
        if len(first) > 1 and _filled(first[-1]) > 1:
            self.titles = [_words(row) for row in first[:-1]]
            first = first[-1:]
        self.header = [" ".join(as_text(cell).split()) for cell in first[0]]
        self.is_header_of_values = not any(
            isinstance(cell, str) and not _is_number(cell) for cell in first[0]
        )
        return chain(first[1:], rows)

    def chunks(self, body: Iterator[Sequence[Value]], *, is_text: bool) -> Iterator[list[TextRow]]:
        """The rows under the header as text, some thousands at a time."""
        while chunk := list(islice(body, CHUNK_ROWS)):
            self.kept_rows += len(chunk)
            yield self._texts(chunk, is_text=is_text)

    def account_for(self, rows: int) -> None:
        """Count rows of text that went another way."""
        self.read_rows += rows
        self.kept_rows += rows
        for position in range(len(self.header)):
            self.kinds[position].add("text")

    def _without_blanks(self, rows: Iterable[Sequence[Value]]) -> Iterator[Sequence[Value]]:
        for row in rows:
            self.read_rows += 1
            # A first cell that is there settles it for nearly every row.
            if (row and row[0] and str(row[0]).strip()) or _filled(row):
                yield row
            else:
                self.blank_rows += 1

    def _until_wider(self, rows: Iterator[Sequence[Value]]) -> Iterator[Sequence[Value]]:
        for row in islice(rows, TITLE_ROWS):
            yield row
            if _filled(row) > 1:
                return

    def _texts(self, chunk: list[Sequence[Value]], *, is_text: bool) -> list[TextRow]:
        width = len(self.header)
        lengths = {len(row) for row in chunk}
        if lengths != {width}:
            self.longer_rows += sum(len(row) > width for row in chunk)
            self.shorter_rows += sum(len(row) < width for row in chunk)
        columns: list[Sequence[Value]] = list(zip_longest(*chunk))
        if is_text:
            for position in range(len(columns)):
                self.kinds[position].add("text")
            return list(zip(*columns, strict=True))
        texts = [self._column(position, cells) for position, cells in enumerate(columns)]
        return list(zip(*texts, strict=True))

    def _column(self, position: int, cells: Sequence[Value]) -> Sequence[str | None]:
        types: set[type] = set(map(type, cells))
        kinds = self.kinds[position]
        for each in types - {type(None), str}:
            kinds.add(_KINDS[each])
        if str in types and any(isinstance(cell, str) and cell.strip() for cell in cells):
            kinds.add("text")
        # Nearly every column is of one type; asking each cell again takes four times as long.
        if types == {str}:
            return [cell or None for cell in cells]  # type: ignore[misc]  # all text, as was seen
        return [as_text(cell) or None for cell in cells]


def names_of(header: Sequence[str], positions: Sequence[int]) -> tuple[list[str], list[str]]:
    """A different name for each of these columns, and what had to be changed for that."""
    named: list[str] = []
    taken: set[str] = set()
    unnamed: list[str] = []
    repeated: list[str] = []
    for position in positions:
        given = header[position]
        wanted = given or _("column_{number}").format(number=position + 1)
        name, number = wanted, 2
        while name.casefold() in taken:
            name, number = f"{wanted}_{number}", number + 1
        if not given:
            unnamed.append(name)
        elif name != given:
            repeated.append(f"{given} → {name}")
        taken.add(name.casefold())
        named.append(name)
    warnings = []
    if unnamed:
        warnings.append(
            _("Columns without a name were given one: {names}.").format(names=", ".join(unnamed))
        )
    if repeated:
        warnings.append(
            _("Columns with the same name were told apart: {names}.").format(
                names=", ".join(repeated)
            )
        )
    return named, warnings


def receipt(tidy: TidySheet) -> list[str]:
    """What was found around the rows, in sentences."""
    found = []
    if tidy.titles:
        found.append(
            ngettext(
                "{count} title row above the header is not part of the data: {titles}",
                "{count} title rows above the header are not part of the data: {titles}",
                len(tidy.titles),
            ).format(count=len(tidy.titles), titles=" / ".join(tidy.titles)[:200])
        )
    if tidy.blank_rows:
        found.append(
            ngettext(
                "{count} blank row was left out.",
                "{count} blank rows were left out.",
                tidy.blank_rows,
            ).format(count=tidy.blank_rows)
        )
    if tidy.longer_rows:
        found.append(
            ngettext(
                "{count} row has more cells than the header; they are kept in extra columns.",
                "{count} rows have more cells than the header; they are kept in extra columns.",
                tidy.longer_rows,
            ).format(count=tidy.longer_rows)
        )
    if tidy.shorter_rows:
        found.append(
            ngettext(
                "{count} row has fewer cells than the header; those that lack are missing.",
                "{count} rows have fewer cells than the header; those that lack are missing.",
                tidy.shorter_rows,
            ).format(count=tidy.shorter_rows)
        )
    if tidy.is_header_of_values and tidy.kept_rows:
        found.append(
            _("The first row holds values, not names; it was taken as the header all the same.")
        )
    if not tidy.kept_rows:
        found.append(_("There are no rows under the header."))
    return found


def as_text(cell: Value) -> str:
    """A cell as text from which its value can be had back exactly; nothing for a blank one."""
    if isinstance(cell, float):  # first, for speed: there are millions of them
        return str(int(cell)) if cell.is_integer() and abs(cell) < EXACT else repr(cell)
    match cell:
        case str():
            return cell
        case None | Flaw():
            return ""
        case bool():
            return "TRUE" if cell else "FALSE"
        case int():
            return str(cell)
        case datetime():
            return cell.isoformat(" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return _hours(cell)


def _hours(duration: timedelta) -> str:
    sign = "-" if duration < timedelta() else ""
    total = abs(duration)
    seconds = int(total.total_seconds())
    text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{total.microseconds:06}" if total.microseconds else text


def _filled(row: Sequence[Value]) -> int:
    return sum(
        cell is not None and not (isinstance(cell, str) and not cell.strip()) for cell in row
    )


def _words(row: Sequence[Value]) -> str:
    return " ".join(filter(None, (as_text(cell).strip() for cell in row)))


def _is_number(text: str) -> bool:
    return bool(text.strip()) and not text.strip().strip("+-0123456789.,/ :")
