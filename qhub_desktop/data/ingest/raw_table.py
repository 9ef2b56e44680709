"""The raw table: every cell of a sheet exactly as read, none forced into a type.

The forms of names, units and numbers in cells stand here, too.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from functools import cache, cached_property, lru_cache
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Literal, cast

import duckdb

from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.readers.sheet import CellError, Value
from qhub_desktop.data.value_counts import COLUMNS_AT_ONCE, FEW_ROWS, side_by_side

Kind = Literal["number", "text", "boolean", "date", "datetime", "time", "duration", "error"]
ColumnKind = Literal[Kind, "mixed", ""]  # what a column is; nothing while it is empty

BLANKS = " \t\r\n\v\f\N{NO-BREAK SPACE}"
_CURRENCY_SIGNS = r"$\xa2-\xa5\u20a0-\u20cf"  # signs, in a class of a pattern
_SIGNS = re.compile(rf"[\s%{_CURRENCY_SIGNS}]")
_NUMERIC = re.compile(r"[+-]?[.,']*\d[\d.,']*-?")
_SHORT_UNIT = r"[^\W\d_]{1,4}(?:/[^\W\d_]{1,4})?[²³]?"
_AMOUNT_WITH_UNIT = re.compile(rf"(.*[\d-])\s*{_SHORT_UNIT}")
LENGTH_OF_TIME = re.compile(r"[+-]?[0-9]{1,6}:[0-5][0-9](:[0-5][0-9])?")
TEXT_CHARACTERS = 200  # of a row that is told
# Of a table of texts that is held in memory: with several such tables in a file, statements that
# find nothing would cost more than all cells do.
REMEMBERED = 2**15  # texts, that several ask about
HELD_ROWS, HELD_CELLS = 1_000, 100_000
NAMED_PLACES = 100  # of rows, in a condition; with more it takes longer than what found them
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

STEP_ERROR = 0.021  # of a step, between equal ones: 0.063, 0.125, 0.25 are halves
_NUMBER_LIKE = re.compile(
    rf"[\s+\-(]*[{_CURRENCY_SIGNS}]?[\s(-]*[.,]?\d[\d.,'‘’\u02bc\s]*[%{_CURRENCY_SIGNS})]?\s*[%{_CURRENCY_SIGNS})]?-?"
    r"|[+-]?\d+(?:[.,]\d*)?[eE][-+]\d{1,3}"
)
_TIMESTAMP_LIKE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?"
)
# Units by their form: in brackets, with a sign that words lack, or a few letters and an exponent.
_IN_BRACKETS = re.compile(
    rf"\[[^\]]{{0,20}}\]|\((?!(?:[{_CURRENCY_SIGNS}]\s?)?\d[\d.,\s]*[%{_CURRENCY_SIGNS}]?\))[^)]{{0,20}}\)"
)
_WITH_SIGN = re.compile(r"(?=\S{1,16}$)\S*[%‰°º/^·⋅*²³⁻¹µμΩÅ$\xa2-\xa5\u20a0-\u20cf]\S*")
_LETTERS = re.compile(r"[^\W\d_]{1,6}\.?(?:[-−]?\d{1,2})?")
_PLAIN = re.compile(r"[-+]?\d{1,15}(?:[.,]\d+)?", re.ASCII)
_WORD = re.compile(r"[^\d\s.,:()+-]")
NO_BREAK = "\N{NO-BREAK SPACE}"
_NUMBERED = re.compile(r"[(\[]?(\d{1,4})[)\].]?")

# Words for missing values in a column of numbers or dates; in other columns they are plain texts.
MOST_DASHES = 20  # that stand for a missing value
MISSING_WORDS = frozenset(
    (
        *("-" * length for length in range(1, MOST_DASHES + 1)),
        *("–", "—", "––", "——", ".", "?", "*"),
        *("..", "...", "…", ":"),  # of statistics offices: not yet known, secret, none
        *("-.-", "-.--", "--.-", "--.--", "---.-", "-,-", "-,--", "--,-", "--,--"),  # of displays
        *("null", "none", "nan", "nil", "(null)", "<null>"),  # of programs
        *words_of("files", "missing"),
    )
)
# Not-a-number and infinity as Windows' C library writes them, with all and with few decimals.
_NO_NUMBER = (
    r"[-+]?(?:1[.,]#(?:qnan|snan|inf|ind|qnb|qo|io|r|j)0*|1[.,]\$|nan(?:\((?:ind|snan)\))?)"
)
# No day as databases, SAP and spreadsheets write it: a day zero, or the time of a missing one.
_NO_NUMBER_OR_DAY = _NO_NUMBER + (
    r"|0{1,4}[-/.]0{1,2}[-/.]0{1,4}(?:[ t]00:00(?::00(?:\.0+)?)?)?|00:00:00|0{8}(?:0{4}|0{6})?"
    r"|0{1,2}/0?1/1900|0?1/0{1,2}/1900|1900-01-00"
)


# Rows stored together, a quarter of the usual: two threads share them evenly, a fifth quicker.
GROUPS = "(ROW_GROUP_SIZE 30720)"


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of texts that is stored typed, where every text comes back from its value.

    `conversion` makes the value of the text `{v}`, `text` the text of the value `{v}`, and every
    text matches `pattern` in full. `quick`, if not empty, is true only where the text `{c}` comes
    back from its value `{v}`: it tells so of most texts in less time than `text`.
    """

    pattern: str
    conversion: str
    text: str
    quick: str = ""


class HeldTexts:
    """The cells of a small table of texts, as they are, by row and by column."""

    def __init__(self, cells: Sequence[Sequence[str | None]]) -> None:
        self.cells = cells
        self.columns = [*zip(*cells, strict=True)]
        self.places: Sequence[int] = range(len(cells))  # of the rows that are data
        self._rows: dict[int, Row] = {}
        self._counted: dict[int, Counter[str | None]] = {}

    @cached_property
    def lacking(self) -> list[bool]:
        """Whether each column has cells that are missing, or begin with a blank or are empty."""
        firsts = ({cell[:1] if cell else "" for cell in each} for each in self.columns)
        return [any(each < "!" or each == NO_BREAK for each in some) for some in firsts]

    @cached_property
    def columns_of_words(self) -> list[set[str]]:
        """The different texts of each column; none of a column without anything but figures."""
        texts = [{cell for cell in each if cell} for each in self.columns]
        return [some if _WORD.search("\n".join(some)) else set() for some in texts]

    def set_apart(self, places: AbstractSet[int]) -> None:
        """Leave rows out of the data."""
        self.places = [each for each in range(len(self.cells)) if each not in places]
        self._counted.clear()

    def counted(self, position: int) -> Counter[str | None]:
        """Return the different texts of a column's data with their counts."""
        if position not in self._counted:
            column = self.columns[position]
            is_all = len(self.places) == len(column)
            some = column if is_all else (column[place] for place in self.places)
            self._counted[position] = Counter(some)
        return self._counted[position]

    def blanks(self, position: int) -> list[int]:
        """Return the places of the data where a column holds nothing that can be seen."""
        column = self.columns[position]
        return [each for each in self.places if not (column[each] or "").strip(BLANKS)]

    def row(self, place: int) -> "Row":
        """Return the row at a place."""
        if place not in self._rows:
            cells = tuple([(cell or "").strip(BLANKS) for cell in self.cells[place]])
            self._rows[place] = Row(place, cells)
        return self._rows[place]


@dataclass
class RawTable:
    """The table `raw` of a database: columns c0, c1, …, its rows in the order of the file.

    A column whose cells are of several kinds is text, each cell tagged with its kind (see `TAGS`).
    Rows that were stored typed at once are a view of the stored ones, which gives each cell back
    as it was written; values of the columns that are not texts are t0, t1, … there.
    """

    db: duckdb.DuckDBPyConnection
    first_row: int = 0  # of the file, from 0: where the table's first row stands there
    first_column: int = 0
    rows: int = 0
    kept: str = ""  # SQL for which rows are data, once others have been set apart
    stored: tuple[str, ...] = ()  # how the columns were stored at once, as SQL over c0, c1, …

    def __post_init__(self) -> None:
        self.column_kinds: list[ColumnKind] = []
        self.typed: Mapping[int, TypedColumn] = {}  # of the columns stored at once
        self._file: Path | None = None
        self._held: HeldTexts | None = None
        self._is_known = False  # whether it is held
        self._apart: AbstractSet[int] = frozenset()  # places of the rows that are not in `body`

    @property
    def held(self) -> HeldTexts | None:
        """The cells, of a small table of texts alone; None of any other.

        Once it is asked for, whoever changes cells says so with `forget`.
        """
        if not self._is_known:
            self._is_known = True
            is_small = 0 < self.rows <= HELD_ROWS and 0 < self.rows * self.width <= HELD_CELLS
            if is_small and not self.stored and {*self.column_kinds} <= {"text", ""}:
                self._held = HeldTexts(self.db.execute("FROM raw").fetchall())
                self._held.set_apart(self._apart)
        return self._held

    def set_apart(self, places: AbstractSet[int]) -> None:
        """Take the rows at these places for no data, as `kept` has to say too."""
        self._apart = places
        if self._held is not None:
            self._held.set_apart(places)

    def forget(self) -> None:
        """Read the cells again, when they are asked for the next time."""
        self._held, self._is_known = None, False

    def may_lack(self, position: int) -> bool:
        """Return whether a column may have cells that are missing or begin with a blank."""
        return self.held is None or self.held.lacking[position]

    def may_match(self, positions: Sequence[int], pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern may be found in any of these columns' words."""
        if self.held is None:
            return True
        words = set[str]().union(*(self.held.columns_of_words[each] for each in positions))
        return any(map(pattern.search, words))

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.column_kinds)

    def column(self, position: int) -> str:
        """Return SQL for one column of the rows that are data, each with its `place`."""
        value = f", t{position}" if position in self.typed else ""
        return f"(SELECT rowid AS place, c{position}{value} FROM {self.body})"

    @property
    def body(self) -> str:
        """SQL for the rows that are data, to stand last in a statement; `rowid` is their place.

        The view `body` has a `place`, but takes the database time for each column of the table.
        """
        return f"raw{self.kept}"

    def count_filled(self, positions: Sequence[int]) -> list[int]:
        """Count the cells of columns in the rows that are data that hold what can be seen."""
        if self.rows > FEW_ROWS:
            asked = [f"count(*) FILTER (NOT ({self.is_blank(each)}))" for each in positions]
            return aggregates(self.db, asked, self.body)
        texts = [each for each in positions if self.may_have_blanks(each)]
        others = [each for each in positions if not self.may_have_blanks(each)]
        asked = [f"count({'t' if each in self.typed else 'c'}{each})" for each in others]
        found = dict(zip(others, aggregates(self.db, asked, self.body), strict=True))
        filled = f"count(*) FILTER (value IS NOT NULL AND NOT {is_blank_text('value')})"
        for start in range(0, len(texts), COLUMNS_AT_ONCE):
            batch = texts[start : start + COLUMNS_AT_ONCE]
            cells = side_by_side(self.body, [f"c{each}" for each in batch])
            rows = self.db.execute(f"SELECT place, {filled} FROM {cells} GROUP BY place").fetchall()
            found |= {batch[place]: count for place, count in rows}
        return [found.get(each, 0) for each in positions]

    def is_null(self, position: int) -> str:
        """Return SQL that is true where a column has no cell."""
        return f"{'t' if position in self.typed else 'c'}{position} IS NULL"

    def is_blank(self, position: int) -> str:
        """Return SQL that is true where a column holds nothing that can be seen."""
        is_null = self.is_null(position)
        if not self.may_have_blanks(position):
            return is_null
        return f"({is_null} OR ({is_blank_text(f'c{position}')}))"

    def may_have_blanks(self, position: int) -> bool:
        """Return whether a column may have texts of blanks, or that begin with them."""
        return self.has_any_text(position) and position not in self.typed

    def has_any_text(self, position: int) -> bool:
        """Return whether a column has texts, among others perhaps."""
        return self.column_kinds[position] in ("text", "mixed")

    def may_be(self, text: str, position: int) -> bool:
        """Return whether a text may stand in a column; nothing speaks against it in most."""
        typed = self.typed.get(position)
        return typed is None or re.fullmatch(typed.pattern, text, re.ASCII) is not None

    def counted_texts(self, position: int, text: str) -> str:
        """Return SQL for the different texts `v` of a column, and how many `times` each is there.

        `text` is SQL for a text.
        """
        if position not in self.typed:
            texts = f"(SELECT {text} AS v FROM {self.column(position)})"
            return f"SELECT v, count(*) AS times FROM {texts} GROUP BY v"
        # Values are told apart quicker than texts.
        values = f"(SELECT t{position} AS v, count(*) AS times FROM raw{self.kept} GROUP BY v)"
        texts = f"(SELECT {self.typed[position].text.format(v='v')} AS c{position}, times"
        return f"SELECT {text} AS v, times FROM {texts} FROM {values})"

    def store(
        self, read: str, names: Sequence[str], typed: Mapping[int, TypedColumn], target: Path
    ) -> bool:
        """Store texts typed at once in `kept.rows`; return False, and no rows, if not exact.

        `read` is SQL for the texts c0, c1, … It is exact if every text comes back from its value:
        then it does not matter what is found out about the texts later.
        """
        self._file = target
        cells = [f"c{position}" for position in range(len(names))]
        stored = [
            typed[position].conversion.format(v=cell) if position in typed else cell
            for position, cell in enumerate(cells)
        ]
        values = "".join(f", {stored[position]} AS t{position}" for position in typed)
        views = [f"{quoted(name)} AS c{position}" for position, name in enumerate(names)]
        for position, each in typed.items():
            cell, value, name = f"c{position}", f"t{position}", quoted(names[position])
            quick = f"WHEN {each.quick.format(v=value, c=cell)} THEN {value} " if each.quick else ""
            is_back = f"WHEN {each.text.format(v=value)} = {cell} THEN {value}"
            is_other = f"WHEN {cell} IS NOT NULL THEN error('not exact')"
            cells[position] = f"CASE {quick}{is_back} {is_other} END"
            views[position] = f"{each.text.format(v=name)} AS {cell}, {name} AS {value}"
        selected = ", ".join(
            f"{cell} AS {quoted(name)}" for cell, name in zip(cells, names, strict=True)
        )
        try:
            self.db.execute(f"ATTACH {sql_literal(str(target))} AS kept {GROUPS}")
            self.db.execute(
                f"CREATE TABLE kept.rows AS SELECT {selected} FROM (SELECT *{values} FROM {read})"
            )
        except duckdb.Error:
            self._discard()
            return False
        self.db.execute(f"CREATE VIEW raw AS SELECT rowid, {', '.join(views)} FROM kept.rows")
        self.typed, self.stored = typed, tuple(stored)
        return True

    def unpack(self) -> None:
        """Make a table of texts of the rows that were stored at once, to be stored otherwise."""
        cells = ", ".join(f"c{position}" for position in range(self.width))
        self.db.execute(f"CREATE TABLE texts AS SELECT {cells} FROM raw")
        self.db.execute("DROP VIEW IF EXISTS body; DROP TABLE IF EXISTS apart; DROP VIEW raw")
        self.db.execute("ALTER TABLE texts RENAME TO raw")
        self._discard()
        self.forget()

    def drop(self) -> None:
        """Drop the rows."""
        self.db.execute(f"DROP {'VIEW' if self.stored else 'TABLE'} IF EXISTS raw")
        if self.stored:
            self._discard()

    def _discard(self) -> None:
        """Delete what was stored at once."""
        self.db.execute("DETACH DATABASE IF EXISTS kept")
        self.kept, self.stored, self.typed = "", (), {}
        assert self._file is not None
        self._file.unlink(missing_ok=True)
        self._file.with_name(f"{self._file.name}.wal").unlink(missing_ok=True)

    def widen(self, width: int) -> None:
        """Add columns until there are `width`."""
        if width <= self.width:
            return
        if not self.column_kinds:
            self.create(width)
            return
        added = ", ".join(f"NULL::VARCHAR AS c{position}" for position in range(self.width, width))
        self.forget()
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
        self.forget()
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


def texts_of(row: Sequence[Value]) -> list[str]:
    """Return the cells of a row as texts."""
    return [*map(as_text, row)]


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
    return (
        f"({column} < '!' OR ({column} >= '{NO_BREAK}' AND {column} < '{chr(ord(NO_BREAK) + 1)}'))"
    )


def untagged(position: int, form: ColumnKind) -> str:
    """Return SQL for a column of `raw` as text, without the tags of mixed columns."""
    if form == "mixed":
        return (
            f"CASE WHEN starts_with(c{position}, {sql_literal(TAG)}) THEN substr(c{position}, 3)"
            f" ELSE c{position} END"
        )
    column = f"c{position}"
    return column if SQL_TYPES[form] == "VARCHAR" else f"CAST({column} AS VARCHAR)"


@lru_cache(REMEMBERED)
def is_numeric(text: str) -> bool:
    """Return whether a text stands for a number."""
    return _NUMERIC.fullmatch(_SIGNS.sub("", text)) is not None


def is_amount(text: str) -> bool:
    """Return whether a text stands for a number, or for one with its unit or currency behind it."""
    if is_numeric(text):
        return True
    amount = _AMOUNT_WITH_UNIT.fullmatch(text)
    return amount is not None and is_numeric(amount[1])


def is_length_of_time(text: str) -> bool:
    """Return whether a text stands for a length of time, or a time of day."""
    return ":" in text and LENGTH_OF_TIME.fullmatch(text) is not None


@dataclass(frozen=True)
class Row:
    """A row that may not be data: its place in the table and its cells as text."""

    place: int
    cells: tuple[str, ...]

    @cached_property
    def filled(self) -> list[int]:
        """The positions of cells that hold something."""
        return [position for position, cell in enumerate(self.cells) if cell]

    @property
    def text(self) -> str:
        """The cells as one text, cut where it is long."""
        return " ".join(cell for cell in self.cells if cell)[:TEXT_CHARACTERS]

    @property
    def is_bare(self) -> bool:
        """Whether it holds numbers only, without a label."""
        return bool(self.filled) and all(is_numeric(self.cells[place]) for place in self.filled)

    def lacks(self, usually_filled: Sequence[bool]) -> bool:
        """Return whether it has no cell where others have one."""
        return any(is_so and not self.cells[at] for at, is_so in enumerate(usually_filled))


def select(raw: RawTable, condition: str, *, limit: int | None = None) -> list[Row]:
    """Return the rows that meet a condition, in the order of the file."""
    most = f" LIMIT {limit}" if limit else ""
    held = raw.held
    if held is not None:
        if condition == "true":
            return [held.row(place) for place in range(min(limit or raw.rows, raw.rows))]
        found = f"SELECT rowid FROM raw WHERE {condition}{most}"
        return [held.row(place) for (place,) in raw.db.execute(found).fetchall()]
    if raw.rows <= FEW_ROWS and condition != "true":
        # To plan all columns takes longer than to look for rows, of which there are mostly none.
        found = f"SELECT rowid FROM raw WHERE {condition}{most}"
        places = [str(place) for (place,) in raw.db.execute(found).fetchall()]
        if not places:
            return []
        if len(places) <= NAMED_PLACES:
            condition = f"rowid IN ({', '.join(places)})"
    cells = ", ".join(untagged(position, form) for position, form in enumerate(raw.column_kinds))
    # Sorting thousands of columns takes a gigabyte; they come in the order of the file.
    rows: list[tuple[Any, ...]] = raw.db.execute(
        f"SELECT rowid, {cells} FROM raw WHERE {condition}{most}"
    ).fetchall()
    return [
        Row(place, tuple((cell or "").strip(BLANKS) for cell in others)) for place, *others in rows
    ]


def select_places(raw: RawTable, places: Collection[int]) -> list[Row]:
    """Return the rows at these places, in the order of the file."""
    if raw.held is not None:
        return [raw.held.row(place) for place in sorted(places) if 0 <= place < raw.rows]
    return select(raw, f"rowid IN ({', '.join(map(str, places))})") if places else []


def rows_matching(positions: Sequence[int], pattern: str) -> str:
    """Return SQL that is true for rows of `raw` with a match in any of these columns of text, in
    any case. The pattern is made ready once, not for each column.
    """
    cells = ", ".join(f"c{position}" for position in positions)
    every = f"(SELECT rowid AS place, unnest([{cells}]) AS value FROM raw)"
    matches = f"regexp_matches(value, {sql_literal(pattern)}, 'i')"
    return f"rowid IN (SELECT place FROM {every} WHERE {matches})"


def numeric_columns(rows: Sequence[Row]) -> set[int]:
    """Return the columns in which most cells are numbers or dates."""
    width = max((len(each.cells) for each in rows), default=0)
    dense = [each.cells for each in rows if len(each.filled) * 2 > width]
    found: set[int] = set()
    for place in range(width):
        cells = [each.cells[place] for each in rows if each.cells[place]]
        digits = sum(map(_has_digit, cells))
        # In a few rows with other cells too, each of them has to have digits.
        are_codes = len(dense) > 2 and all(_has_digit(each[place]) for each in dense)
        if digits * 2 > len(cells) + 4 or are_codes:
            found.add(place)
    return found


def _has_digit(cell: str) -> bool:
    # Numbers end with one.
    return cell[-1:].isdigit() or any(map(str.isdigit, cell))


def is_name(cell: Value) -> bool:
    """Return whether a cell reads as a name rather than as a value."""
    return isinstance(cell, str) and _is_name(cell.strip())


@lru_cache(REMEMBERED)
def _is_name(text: str) -> bool:
    if is_missing_word(text):
        return False  # nothing, where a value could be
    return not (_NUMBER_LIKE.fullmatch(text) or _TIMESTAMP_LIKE.fullmatch(text))


def is_missing_word(cell: Value) -> bool:
    """Return whether a cell is a word for a missing value."""
    return isinstance(cell, str) and is_missing(cell.strip())


@lru_cache(REMEMBERED)
def is_missing(text: str, *, of_days: bool = False) -> bool:
    """Return whether a text stands for a missing number, or with `of_days` for a missing day."""
    lower = text.lower()
    if lower in MISSING_WORDS:
        return True
    # Told ten times as quickly as by the pattern.
    has_sign = "#" in lower or "$" in lower or "nan" in lower
    if not has_sign and not (of_days and ("00" in lower or "0/" in lower)):
        return False
    return re.fullmatch(_NO_NUMBER_OR_DAY if of_days else _NO_NUMBER, lower) is not None


def is_missing_sql(text: str, *, of_days: bool = False) -> str:
    """Return SQL that is true where `is_missing` is."""
    return f"regexp_full_match(lower({text}), {_missing_literal(of_days)})"


@cache
def _missing_literal(of_days: bool) -> str:  # noqa: FBT001  a key of the cache
    form = _NO_NUMBER_OR_DAY if of_days else _NO_NUMBER
    # One pattern: a list of words takes fifty times as long to plan, where many columns have it.
    words = "|".join(map(re.escape, sorted(MISSING_WORDS)))
    return sql_literal(f"(?:{form})|{words}")


def is_timestamp(cell: Value) -> bool:
    """Return whether a cell is a date or a time, or looks like one."""
    if isinstance(cell, str):
        return bool(_TIMESTAMP_LIKE.fullmatch(cell.strip()))
    return isinstance(cell, date | time)


def is_unit(text: str, *, is_sure: bool) -> bool:
    """Return whether a text has the form of a unit; with `is_sure` letters alone are none."""
    if _IN_BRACKETS.fullmatch(text) or _WITH_SIGN.fullmatch(text):
        return True
    return not is_sure and bool(_LETTERS.fullmatch(text))


def steps_of(cells: Sequence[Value]) -> str:
    """Return how the numbers in cells rise or fall: "even" in equal steps or by one factor,
    "uneven", or not at all.
    """
    texts = [as_text(cell).strip().replace(",", ".") for cell in cells]
    if any(isinstance(cell, bool) for cell in cells) or not all(map(_PLAIN.fullmatch, texts)):
        return ""
    numbers = [float(text) for text in texts]
    steps = [after - before for before, after in pairwise(numbers)]
    if not steps or not (min(steps) > 0 or max(steps) < 0):
        return ""
    if max(steps) - min(steps) <= STEP_ERROR * max(map(abs, steps)):
        return "even"
    factors = [after / before for before, after in pairwise(numbers) if before]
    is_even = len(factors) == len(steps) and max(factors) - min(factors) <= STEP_ERROR * abs(
        factors[0]
    )
    return "even" if is_even else "uneven"


def counting_numbers(cells: Mapping[int, Value]) -> dict[int, int]:
    """Return the numbers of cells that count 0, 1, 2 or 1, 2, 3 in the order given, by their
    places; none if they do not. A letter may stand before the first one, as in 'A, 1, 2'.
    """
    found: dict[int, int] = {}
    for place, cell in cells.items():
        text = as_text(cell).strip()
        counted = _NUMBERED.fullmatch(text)
        if counted and not isinstance(cell, bool):
            found[place] = int(counted[1])
        elif found or len(text) > 1:
            return {}
    values = [*found.values()]
    is_count = bool(values) and values[0] in (0, 1, 2)
    return found if is_count and values == [*range(values[0], values[-1] + 1)] else {}


def is_other_size(cell: Value, number: int) -> bool:
    """Return whether a value is no whole number, or one far from the number of its column."""
    text = as_text(cell).strip()
    if isinstance(cell, str):
        if not re.fullmatch(r"-?\d+(?:[.,]\d+)?", text):
            return True
        text = text.replace(",", ".")
    value = float(text)
    return not value.is_integer() or abs(value) > 10 * (number + 1)


def form_of(cell: Value) -> str:
    """Return the form of a text: 'A99' for 'K12', a letter for letters and 9 for each digit."""
    text = re.sub(r"[^\W\d_]+", "A", as_text(cell).strip())
    return re.sub(r"\d", "9", text)


def is_name_of_codes(cell: Value, below: Sequence[Value]) -> bool:
    """Return whether a name stands above codes that are all of another form than it is."""
    form, *forms = (re.sub("9+", "9", form_of(each)) for each in (cell, *below))
    return len(forms) > 2 and is_name(cell) and {form} != {*forms} == {forms[0]} and "9" in forms[0]
