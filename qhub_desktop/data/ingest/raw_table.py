"""The raw table: every cell of a sheet exactly as read, none forced into a type; and its sums."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal, cast

import duckdb

from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.data.ingest.readers.sheet import CellError, Value

Kind = Literal["number", "text", "boolean", "date", "datetime", "time", "duration", "error"]
ColumnKind = Literal[Kind, "mixed", ""]  # what a column is; nothing while it is empty

BLANKS = " \t\r\n\v\f\N{NO-BREAK SPACE}"
# Of a number: blanks, apostrophes, and signs of currencies and percentages.
_NO_DIGITS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'‘’\N{MODIFIER LETTER APOSTROPHE}€$£%"
_SIGNS = re.compile(r"[\s€$£%]")
_NUMERIC = re.compile(r"[+-]?[.,']*\d[\d.,']*-?")
SUMMED_COLUMNS = 60  # of numbers, that a total may sum up
SMALL = 99  # up to here a number without a label may be the sum of others by chance
STARTS = 40  # of groups above a total, that it may sum up
EXACT = 2**53  # up to here a float holds every whole number
TAG = "\x01"
TAGS: dict[Kind, str] = {
    "number": "n",
    "boolean": "b",
    "date": "d",
    "datetime": "m",
    "time": "t",
    "duration": "u",
    "error": "e",
    "text": "s",  # only where a text begins with the tag's own character
}
SQL_TYPES: dict[str, str] = {
    "": "VARCHAR",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
    "duration": "INTERVAL",
    "error": "VARCHAR",
    "mixed": "VARCHAR",
}
_KINDS: dict[type, Kind] = {
    int: "number",
    float: "number",
    str: "text",
    bool: "boolean",
    date: "date",
    datetime: "datetime",
    time: "time",
    timedelta: "duration",
    CellError: "error",
}

# Words for missing values in a column of numbers or dates; in other columns they are plain texts.
MISSING_WORDS = (
    *("-", "--", "---", "----", "–", "—", ".", "?", "*"),
    *("null", "none", "nan", "nil", "(null)", "<null>"),  # of programs
    *words_of("files", "missing"),
)


@dataclass
class RawTable:
    """The table `raw` of a database: columns c0, c1, …, its rows in the order of the file.

    A column whose cells are of several kinds is text, each cell tagged with its kind (see `TAGS`).
    """

    db: duckdb.DuckDBPyConnection
    first_row: int = 0  # of the file, from 0: where the table's first row stands there
    first_column: int = 0
    rows: int = 0
    kept: str = ""  # SQL for which rows are data, once others have been set apart

    def __post_init__(self) -> None:
        self.column_kinds: list[ColumnKind] = []

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.column_kinds)

    def column(self, position: int) -> str:
        """Return SQL for one column of the rows that are data, each with its `place`.

        The view `body` has all columns, which takes the database time for each of them.
        """
        return f"(SELECT rowid AS place, c{position} FROM raw{self.kept})"

    def widen(self, width: int) -> None:
        """Add columns until there are `width`."""
        if width <= self.width:
            return
        if not self.column_kinds:
            self.create(width)
            return
        added = ", ".join(f"NULL::VARCHAR AS c{position}" for position in range(self.width, width))
        self.db.execute("ALTER TABLE raw RENAME TO narrow")
        self.db.execute(f"CREATE TABLE raw AS SELECT *, {added} FROM narrow")
        self.db.execute("DROP TABLE narrow")
        self.column_kinds += [""] * (width - self.width)

    def create(self, width: int) -> None:
        """Create the table with `width` columns; it must not exist yet."""
        columns = ", ".join(f"c{position} VARCHAR" for position in range(width))
        self.db.execute(f"CREATE TABLE raw ({columns})")
        self.column_kinds = [""] * width

    def append(self, rows: Sequence[Sequence[Value]]) -> None:
        """Append rows, widening the table and its columns' types where needed."""
        columns: list[Sequence[Value]] = list(zip_longest(*rows))
        if not self.column_kinds:
            self.create(max(1, len(columns)))
        self.widen(len(columns))
        arrays: dict[str, Any] = {}
        selected: list[str] = []
        for position, cells in enumerate(columns):
            array, form = self._as_column(position, cells)
            if array is None:
                selected.append("NULL")
                continue
            arrays[f"c{position}"] = array
            selected.append(f"CAST(c{position} AS {SQL_TYPES[form]})")
        selected += ["NULL"] * (self.width - len(columns))
        if not arrays:
            arrays["nothing"] = _as_array([None] * len(rows), "number")
        self.db.register("arriving", arrays)
        self.db.execute(f"INSERT INTO raw SELECT {', '.join(selected)} FROM arriving")
        self.db.unregister("arriving")
        self.rows += len(rows)

    def _as_column(self, position: int, cells: Sequence[Value]) -> tuple[Any, ColumnKind]:
        """Return the cells as an array for the database, and the kind of column that they need."""
        types = set(map(type, cells))
        if str in types:
            # Readers give an empty text for an empty cell.
            cells = [None if cell == "" else cell for cell in cells]
            types = set(map(type, cells))
        kinds: set[Kind] = {_KINDS[each] for each in types - {type(None)}}
        if not kinds:
            return None, ""
        wanted: ColumnKind = next(iter(kinds)) if len(kinds) == 1 else "mixed"
        if kinds == {"date", "datetime"}:
            wanted = "datetime"
        if wanted == "error" or (wanted == "number" and _has_huge(cells)):
            wanted = "mixed"
        form = self._reconcile(position, wanted)
        if form == "mixed":
            return _as_array([tagged(cell) for cell in cells], "text"), form
        return _as_array(cells, form), form

    def _reconcile(self, position: int, wanted: ColumnKind) -> ColumnKind:
        """Widen a column's type, if needed, so that cells of this kind fit; return its new kind."""
        present = self.column_kinds[position]
        if present == wanted:
            return wanted
        column = f"c{position}"
        if present == "":
            if SQL_TYPES[wanted] != "VARCHAR":
                self.db.execute(
                    f"ALTER TABLE raw ALTER {column} TYPE {SQL_TYPES[wanted]} USING NULL"
                )
        elif {present, wanted} == {"date", "datetime"}:
            wanted = "datetime"
            if present == "date":
                self.db.execute(f"ALTER TABLE raw ALTER {column} TYPE TIMESTAMP")
        else:
            wanted = "mixed"
            if present != "mixed":
                tagged_cells = _tagged_sql(present, column)
                self.db.execute(f"ALTER TABLE raw ALTER {column} TYPE VARCHAR USING {tagged_cells}")
        self.column_kinds[position] = wanted
        return wanted


def as_text_sql(column: str, form: str) -> str:
    """Return SQL for the cells of a column of this kind as text."""
    match form:
        case "number":
            is_whole = f"{column} = floor({column}) AND abs({column}) <= {EXACT}"
            whole = f"CAST(CAST({column} AS BIGINT) AS VARCHAR)"
            return f"CASE WHEN {is_whole} THEN {whole} ELSE CAST({column} AS VARCHAR) END"
        case "boolean":
            return f"upper(CAST({column} AS VARCHAR))"
        case _:
            return f"CAST({column} AS VARCHAR)"


def tagged(cell: Value) -> str | None:
    """Return a cell as it is stored in a mixed column."""
    if isinstance(cell, str):
        return f"{TAG}s{cell}" if cell.startswith(TAG) else cell
    if cell is None:
        return None
    text = cell.name if isinstance(cell, CellError) else as_text(cell)
    return f"{TAG}{TAGS[_KINDS[type(cell)]]}{text}"


def as_text(cell: Value) -> str:
    """Return a cell as text from which its value can be restored exactly; '' for a blank one."""
    match cell:
        case str():
            return cell
        case None | CellError():
            return ""
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) <= EXACT else repr(cell)
        case int():
            return str(cell)
        case datetime():
            return cell.isoformat(" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return _hours(cell)


def is_blank(cell: Value) -> bool:
    """Return whether a cell holds nothing that can be seen."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _tagged_sql(form: str, column: str) -> str:
    if form == "text":
        return (
            f"CASE WHEN starts_with({column}, chr(1)) THEN {sql_literal(TAG + 's')} || {column}"
            f" ELSE {column} END"
        )
    tag = sql_literal(TAG + TAGS[cast("Kind", form)])
    return f"{tag} || {as_text_sql(column, form)}"


def _has_huge(cells: Sequence[Value]) -> bool:
    return int in set(map(type, cells)) and any(
        isinstance(cell, int) and abs(cell) > EXACT for cell in cells
    )


def _as_array(cells: Sequence[Value], form: ColumnKind) -> Any:
    # Its import takes 90 ms, and the faster strategies do not need it.
    import numpy as np

    match form:
        case "number":
            return np.array(
                cells, dtype=float
            )  # None becomes NaN, which the database reads as NULL
        case "date" | "datetime":
            return np.array(cells, dtype="datetime64[us]")
        case "duration":
            return np.array(cells, dtype="timedelta64[us]")
        case "time":
            return np.array(
                [None if cell is None else as_text(cell) for cell in cells], dtype=object
            )
        case _:
            # A list of texts is made an array of texts of one length unless told otherwise.
            array = np.empty(len(cells), dtype=object)
            array[:] = cells
            return array


def _hours(duration: timedelta) -> str:
    sign = "-" if duration < timedelta() else ""
    total = abs(duration)
    seconds = total.days * 86_400 + total.seconds
    text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{total.microseconds:06}" if total.microseconds else text


def is_blank_sql(position: int, form: ColumnKind) -> str:
    """Return SQL that is true where a column of `raw` holds nothing that can be seen."""
    column = f"c{position}"
    if form in ("text", "mixed"):
        return f"({column} IS NULL OR ({is_blank_text(column)}))"
    return f"{column} IS NULL"


def is_blank_text(column: str) -> str:
    """Return SQL that is true for a text of blanks only.

    Nearly every text shows by its first character that it is not blank; with CASE, the database
    trims only the others.
    """
    return (
        f"CASE WHEN {begins_blank(column)}"
        f" THEN trim({column}, {sql_literal(BLANKS)}) = '' ELSE false END"
    )


def begins_blank(column: str) -> str:
    """Return SQL that is true for texts that begin with a blank, for empty ones and few others.

    It compares only: as a condition of its own, of one column, the database skips by it all blocks
    of rows whose least and greatest text say that there is none.
    """
    gap = "\N{NO-BREAK SPACE}"
    return f"({column} < '!' OR ({column} >= '{gap}' AND {column} < '{chr(ord(gap) + 1)}'))"


def untagged(position: int, form: ColumnKind) -> str:
    """Return SQL for a column of `raw` as text, without the tags of mixed columns."""
    if form == "mixed":
        return (
            f"CASE WHEN starts_with(c{position}, {sql_literal(TAG)}) THEN substr(c{position}, 3)"
            f" ELSE c{position} END"
        )
    return f"CAST(c{position} AS VARCHAR)"


def numbers_sql(raw: RawTable, position: int) -> tuple[str, str]:
    """Return SQL for a column's cells as numbers: with a decimal point, and with a comma."""
    form = raw.column_kinds[position]
    if form == "number":
        return f"c{position}", f"c{position}"
    bare = f"translate({untagged(position, form)}, {sql_literal(_NO_DIGITS)}, '')"
    # SAP writes the minus behind the number.
    bare = f"CASE WHEN suffix({bare}, '-') THEN '-' || rtrim({bare}, '-') ELSE {bare} END"
    point = f"TRY_CAST(replace({bare}, ',', '') AS DOUBLE)"
    comma = f"TRY_CAST(replace(replace({bare}, '.', ''), ',', '.') AS DOUBLE)"
    return point, comma


def decimals_in(text: str) -> int:
    """Return how many digits stand behind the last point or comma."""
    digits = re.sub(r"[^\d.,]", "", text)
    last = max(digits.rfind("."), digits.rfind(","))
    return len(digits) - last - 1 if last >= 0 else 0


def is_near(value: float, computed: float, step: float, count: int) -> bool:
    """Return whether a number is what was computed, but for rounding of it and of `count` terms."""
    rounding = 0.51 * step * (1 if step >= 1 else max(1.0, count**0.5))
    return abs(value - computed) <= max(1e-6 * abs(value), rounding if step > 1e-9 else 0.0)


@dataclass(frozen=True, slots=True)
class Segment:
    """The numbers of one column in some rows, summed up."""

    count: int
    sum: float
    min: float
    max: float
    squares: float

    def others(self) -> list[float]:
        """Return the mean, the extremes, the count and the standard deviations."""
        mean = self.sum / self.count
        spread = max(0.0, self.squares - self.sum * mean)
        deviations = [(spread / self.count) ** 0.5]
        if self.count > 1:
            deviations.append((spread / (self.count - 1)) ** 0.5)
        return [mean, self.min, self.max, float(self.count), *deviations]


def joined(parts: Sequence[Segment]) -> Segment:
    """Return segments as one."""
    counted = [part for part in parts if part.count]
    return Segment(
        sum(part.count for part in counted),
        sum(part.sum for part in counted),
        min((part.min for part in counted), default=0.0),
        max((part.max for part in counted), default=0.0),
        sum(part.squares for part in counted),
    )


def is_numeric(text: str) -> bool:
    """Return whether a text stands for a number."""
    return _NUMERIC.fullmatch(_SIGNS.sub("", text)) is not None


@dataclass(frozen=True)
class Row:
    """A row that may not be data: its place in the table and its cells as text."""

    place: int
    cells: tuple[str, ...]

    @cached_property
    def filled(self) -> list[int]:
        """The positions of cells that hold something."""
        return [position for position, cell in enumerate(self.cells) if cell]


def select(raw: RawTable, condition: str, *, limit: int | None = None) -> list[Row]:
    """Return the rows that meet a condition, in the order of the file."""
    cells = ", ".join(untagged(position, form) for position, form in enumerate(raw.column_kinds))
    # Sorting thousands of columns takes a gigabyte; they come in the order of the file.
    rows: list[tuple[Any, ...]] = raw.db.execute(
        f"SELECT rowid, {cells} FROM raw WHERE {condition}" + (f" LIMIT {limit}" if limit else "")
    ).fetchall()
    return [
        Row(place, tuple((cell or "").strip(BLANKS) for cell in others)) for place, *others in rows
    ]


class Sums:
    """Sums, means, extremes and counts of the rows between those that may be totals."""

    def __init__(self, raw: RawTable, suspects: Sequence[Row], labelled: AbstractSet[int]) -> None:
        self._suspects = suspects
        self._labelled = labelled
        self.doubted: set[int] = set()  # places of the last rows that sum up, and lack nothing
        self._positions = [
            position
            for position in range(raw.width)
            if any(is_numeric(each.cells[position]) for each in suspects)
        ][:SUMMED_COLUMNS]
        # By twice the number of suspects above; a suspect that is no total stands between.
        self._segments: dict[int, list[Segment]] = {}
        self._given: dict[int, list[float | None]] = {}  # by a suspect's place
        if self._positions:
            self._compute(raw)

    def _compute(self, raw: RawTable) -> None:
        # A text is read twice, with a point and with a comma before decimals: a sum that holds in
        # the wrong reading holds in the right one.
        cells = [value for position in self._positions for value in numbers_sql(raw, position)]
        raw.db.execute("CREATE TEMP TABLE suspects (place BIGINT, number BIGINT)")
        with raw.db.appender("suspects") as appender:
            appender.append_rows([(each.place, n) for n, each in enumerate(self._suspects, 1)])
        among = "(SELECT place FROM suspects)"
        selected = ", ".join(
            f"count({cell}), sum({cell}), min({cell}), max({cell}), sum(({cell}) * ({cell}))"
            for cell in cells
        )
        rows = raw.db.execute(
            f"SELECT coalesce(number, 0), {selected} FROM (FROM raw SELECT *, rowid AS place"
            f" WHERE rowid NOT IN {among}) rows ASOF LEFT JOIN suspects"
            " ON rows.place > suspects.place GROUP BY 1"
        ).fetchall()
        for number, *counted in rows:
            parts = [counted[at : at + 5] for at in range(0, len(counted), 5)]
            self._segments[2 * number] = [Segment(*(part or 0 for part in each)) for each in parts]
        given = raw.db.execute(
            f"SELECT rowid, {', '.join(cells)} FROM raw WHERE rowid IN {among}"
        ).fetchall()
        self._given = {place: values for place, *values in given}
        raw.db.execute("DROP TABLE suspects")

    def prove(self, lacking: AbstractSet[int], ends: AbstractSet[int], *, single: bool) -> set[int]:
        """Return the places of the totals among the rows of `lacking`; `ends` have nothing below.

        With `single`, a group may be of one row. What is no total is a row that others sum up.
        """
        whole = {number: [*parts] for number, parts in self._segments.items()}
        proven: set[int] = set()
        after = 0  # where the rows under the last total begin
        for number, each in enumerate(self._suspects):
            is_end = each.place in ends
            if each.place not in lacking | ends or not self._is_sum(
                number, after, is_end=is_end, least=1 if single else 2
            ):
                self._absorb(number)
            elif each.place in lacking:
                proven.add(each.place)
                after = 2 * number + 2
            else:
                self.doubted.add(each.place)
                self._absorb(number)
        self._segments = whole
        return proven

    def _absorb(self, number: int) -> None:
        """Count a suspect among the rows under it."""
        given = self._given.get(self._suspects[number].place, [])
        ones = [
            Segment(0, 0.0, 0.0, 0.0, 0.0)
            if value is None
            else Segment(1, value, value, value, value * value)
            for value in given
        ]
        if ones:
            self._segments[2 * number + 1] = ones

    def _is_sum(self, number: int, after: int, *, is_end: bool, least: int) -> bool:
        """Return whether most numbers of a suspect sum up at least so many rows above it.

        Without a label all have to, and those `after` the last total, or all rows.
        """
        each = self._suspects[number]
        given = self._given.get(each.place, [])
        starts = sorted(start for start in self._segments if start <= 2 * number)
        if not starts or not any(given):
            return False
        is_labelled = each.place in self._labelled
        if not is_labelled:
            groups = {start for start in starts if start >= after}
            for start in {starts[0], *([min(groups)] if groups else [])}:
                sums, _others, all_ = self._held(number, given, start, 2)
                # One small number may be a sum by chance.
                is_large = max(abs(value or 0.0) for value in given) > SMALL
                if sums == all_ > (0 if is_end and start == starts[0] and is_large else 1):
                    return True
            return False
        for start in sorted({starts[0], *starts[-STARTS:]}, reverse=True):
            sums, others, all_ = self._held(number, given, start, least)
            if sums > 0 and sums * 2 >= all_:
                return True
            may_be_other = is_end or self._follows_total(number)
            is_group = start in (starts[0], starts[-1])
            if may_be_other and is_group and sums + others == all_ > 0:
                return True
        return False

    def _follows_total(self, number: int) -> bool:
        """Return whether a suspect stands right below another, in a block of summaries."""
        return number > 0 and (self._suspects[number - 1].place == self._suspects[number].place - 1)

    def _held(
        self, number: int, given: Sequence[float | None], start: int, least: int
    ) -> tuple[int, int, int]:
        """Return how many numbers are sums, how many other summaries, and how many there are."""
        sums = others = all_ = 0
        each = self._suspects[number]
        for at, position in enumerate(self._positions):
            text = each.cells[position]
            if not is_numeric(text):
                continue
            readings = [
                (given[2 * at + reading], self._over(2 * at + reading, start, number))
                for reading in (0, 1)
            ]
            known = [(value, part) for value, part in readings if value is not None and part.count]
            if not known or max(part.count for _value, part in known) < least:
                continue
            all_ += 1
            step = 10.0 ** -decimals_in(text)
            if any(is_near(value, part.sum, step, part.count) for value, part in known):
                sums += 1
            elif any(
                is_near(value, other, step, 1) for value, part in known for other in part.others()
            ):
                others += 1
        return sums, others, all_

    def _over(self, reading: int, start: int, number: int) -> Segment:
        """Return the rows from a segment to the one right above a suspect as one segment."""
        parts = [
            self._segments[each][reading]
            for each in range(start, 2 * number + 1)
            if each in self._segments
        ]
        return joined(parts)
