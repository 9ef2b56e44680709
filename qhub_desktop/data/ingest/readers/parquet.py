"""Parquet files, read by the database: every value with the type that the file gives it."""

from __future__ import annotations  # the database is loaded with the first file

import base64
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import DIGITS_KEPT, Sentence
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import (
    EXACT_CHARACTERS,
    WHOLE_CHARACTERS,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
    fraction,
)
from qhub_desktop.data.ingest.readers.sniff import Content, file_format

# The window, which asks the readers only for their suffixes, is 16 MB smaller without it.
if TYPE_CHECKING:
    import duckdb

FETCHED_ROWS = 10_000
SURE_DIGITS = 15  # so many digits any float keeps
PLAIN = {
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER",
    "FLOAT", "DOUBLE", "VARCHAR", "TIME",
}  # fmt: skip
WHOLE = {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"}
TIMESTAMPS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
ZONED = "TIMESTAMP WITH TIME ZONE"
_TIMES_IN_UTC = Sentence(
    "times_in_utc", "The times in {names} are those of UTC, as the file keeps them."
)
# Arrow's units of lengths of time, in microseconds.
DURATIONS = {"tDs": "1000000", "tDm": "1000", "tDu": "1", "tDn": "0.001"}
LONGEST_S = 10**12  # of a length of time; Python's reach three times as far
# Magic characters of a path that may name several files, each as itself.
ESCAPES = str.maketrans({"[": "[[]", "*": "[*]", "?": "[?]"})


@dataclass(frozen=True, slots=True)
class _Column:
    """A column by its place: the name in the file, and the database's own name and type."""

    name: str
    sql: str
    kind: str
    length: str = ""  # the microseconds of one, of a column of lengths of time


def _is_parquet(content: Content) -> bool:
    return content.head.startswith(b"PAR1")


@file_format("Parquet", suffixes=(".parquet",), sniff=_is_parquet, place=9)
def read_parquet(source: InputFile) -> ParsedFile:
    """Read the one table of the file."""
    import duckdb

    db = duckdb.connect(
        ":memory:",
        config={
            "threads": 2,
            "memory_limit": "1GB",
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
        },
    )
    try:
        file = sql_literal(str(source.path).translate(ESCAPES))
        table = f"read_parquet({file})"
        columns = _columns(db, file, table)
        selected = [_selected(db, table, each) for each in columns]
        counted = db.execute(f"SELECT count(*) FROM {table}").fetchone()
        rows = _Rows(source, db, f"SELECT {', '.join(selected)} FROM {table}", columns)
        rows.exact = [
            place
            for place, each in enumerate(columns)
            if _is_long_decimal(each.kind) and _is_exact(db, table, each.sql)
        ]
        kept = _kept_digits(db, table, columns, selected, rows.exact)
    except duckdb.Error as error:
        db.close()
        raise _refused(source, error) from error
    rows.count = counted[0] if counted else 0
    sheet = RawSheet(
        name=None,
        number=1,
        rows=iter(rows),
        is_text=False,
        repaired=kept,
        doubtful=_findings(columns),
        share_read=rows.share,
        has_names=True,
    )
    return ParsedFile((), iter([sheet]))


def _refused(source: InputFile, error: duckdb.Error) -> UserError:
    """Return the error for a file that the database gave up on."""
    import duckdb

    match error:
        case duckdb.OutOfMemoryException():
            return rejection.refusal(source, rejection.TOO_LONG, rejection.SPLIT)
        case duckdb.NotImplementedException():
            return rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AGAIN)
        case _:
            return rejection.damaged(source)


def _columns(db: duckdb.DuckDBPyConnection, file: str, table: str) -> list[_Column]:
    """Return the columns as the file names them: the database renames those that differ by case."""
    described = db.execute(f"DESCRIBE FROM {table}").fetchall()
    elements = db.execute(f"SELECT name, num_children FROM parquet_schema({file})").fetchall()
    names: list[str] = []
    place = 1
    while place < len(elements):
        names.append(elements[place][0])
        place = _behind(elements, place)
    if len(names) != len(described):
        names = [str(name) for name, *_rest in described]
    lengths = _lengths(db, file)
    return [
        _Column(name, quoted(str(sql)), str(kind), lengths.get(name, ""))
        for name, (sql, kind, *_rest) in zip(names, described, strict=True)
    ]


def _behind(elements: Sequence[tuple[str, int | None]], place: int) -> int:
    """Return the place behind an element of a schema and all that is in it."""
    count, place = elements[place][1] or 0, place + 1
    for _child in range(count):
        place = _behind(elements, place)
    return place


def _lengths(db: duckdb.DuckDBPyConnection, file: str) -> dict[str, str]:
    """Return the columns of lengths of time, with the microseconds of one.

    Parquet knows whole numbers only; what they are stands in the Arrow schema beside them.
    """
    found = db.execute(
        f"SELECT value FROM parquet_kv_metadata({file}) WHERE key = 'ARROW:schema'::BLOB"
    ).fetchone()
    if found is None:
        return {}
    from nanoarrow import c_array_stream, ipc  # 50 ms, for what Arrow's libraries have written

    try:
        message = base64.b64decode(found[0])
        stream = c_array_stream(ipc.InputStream.from_readable(io.BytesIO(message)))
        schema = stream.get_schema()
    except (RuntimeError, ValueError):
        return {}  # what others wrote beside the columns
    kinds = {str(each.name): str(each.format) for each in schema.children}
    return {name: DURATIONS[kind] for name, kind in kinds.items() if kind in DURATIONS}


class _Rows:
    """The names, then the rows; the database is closed after the last one."""

    def __init__(
        self,
        source: InputFile,
        db: duckdb.DuckDBPyConnection,
        select: str,
        columns: Sequence[_Column],
    ) -> None:
        self.count = 0
        self.exact: list[int] = []  # columns of texts that any float keeps
        self._source = source
        self._db = db
        self._select = select
        self._columns = columns
        self._read = 0

    def share(self) -> float:
        """Return the share of the rows that was read."""
        return self._read / max(1, self.count)

    def __iter__(self) -> Iterator[Sequence[Value]]:
        import duckdb

        yield [each.name for each in self._columns]
        try:
            with self._db as db:
                result = db.execute(self._select)
                while batch := result.fetchmany(FETCHED_ROWS):
                    self._read += len(batch)
                    yield from map(self._with_numbers, batch) if self.exact else batch
        except duckdb.Error as error:
            raise _refused(self._source, error) from error

    def _with_numbers(self, row: tuple[Any, ...]) -> list[Value]:
        cells: list[Value] = [*row]
        for place in self.exact:
            cells[place] = None if row[place] is None else float(row[place])
        return cells


def _selected(db: duckdb.DuckDBPyConnection, table: str, column: _Column) -> str:
    """Return SQL for a column as values that Python has, without loss."""
    name, kind = column.sql, column.kind
    if kind in PLAIN:
        return name
    if (
        kind in WHOLE
        and column.length
        and not _has_any(db, table, f"abs({name}::DOUBLE) * {column.length} > {LONGEST_S} * 1e6")
    ):
        return f"to_microseconds(CAST(round({name} * {column.length}) AS BIGINT))"
    if kind in WHOLE:
        digits = f"length(ltrim(CAST({name} AS VARCHAR), '-'))"
        is_long = _has_any(db, table, f"{digits} > {WHOLE_CHARACTERS}")
        return f"CAST({name} AS VARCHAR)" if is_long else name
    if kind == "DATE" or kind in TIMESTAMPS or kind == ZONED:
        return _within_calendar(db, table, name, kind)
    if kind.startswith("DECIMAL"):
        return f"CAST({name} AS {'VARCHAR' if _is_long_decimal(kind) else 'DOUBLE'})"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "JSON", "VARIANT")):
        return f"CAST(to_json({name}) AS VARCHAR)"
    return f"CAST({name} AS VARCHAR)"


def _has_any(db: duckdb.DuckDBPyConnection, table: str, condition: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone() is not None


def _within_calendar(db: duckdb.DuckDBPyConnection, table: str, column: str, kind: str) -> str:
    """Return SQL for a date or timestamp; as text if any is beyond Python's calendar."""
    odd = db.execute(
        f"SELECT count(*) FROM {table} WHERE NOT isfinite({column})"
        f" OR epoch({column}) NOT BETWEEN -62135596800 AND 253402300799"
    ).fetchone()
    if odd and odd[0]:
        return f"CAST({column} AS VARCHAR)"
    if kind == ZONED:
        return f"make_timestamp(epoch_us({column}))"
    return column if kind == "DATE" else f"CAST({column} AS TIMESTAMP)"


def _is_long_decimal(kind: str) -> bool:
    """Return whether a column's numbers may have more digits than a float keeps."""
    return kind.startswith("DECIMAL") and int(kind[8:].partition(",")[0]) > SURE_DIGITS


def _is_exact(db: duckdb.DuckDBPyConnection, table: str, column: str) -> bool:
    """Return whether every decimal of a column is the same as a float."""
    longer = db.execute(
        f"SELECT CAST({column} AS VARCHAR) AS v FROM {table} WHERE length(v) > {EXACT_CHARACTERS}"
    )
    while batch := longer.fetchmany(FETCHED_ROWS):
        if any(isinstance(fraction(text), str) for (text,) in batch):
            return False
    return True


def _kept_digits(
    db: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[_Column],
    selected: Sequence[str],
    exact: Sequence[int],
) -> list[Finding]:
    """Report numbers that are kept as text, since no number here has all of their digits."""
    found: list[Finding] = []
    for place, (column, sql) in enumerate(zip(columns, selected, strict=True)):
        is_number = column.kind in WHOLE or _is_long_decimal(column.kind)
        if not is_number or place in exact or not sql.endswith("AS VARCHAR)"):
            continue
        row = db.execute(
            f"SELECT CAST({column.sql} AS VARCHAR) AS v FROM {table} ORDER BY length(v) DESC, v"
            " LIMIT 1"
        ).fetchone()
        found.append(DIGITS_KEPT.finding(name=column.name, example=row[0] if row else ""))
    return found


def _findings(columns: Sequence[_Column]) -> list[Finding]:
    zoned = [each.name for each in columns if each.kind == ZONED]
    return [_TIMES_IN_UTC.finding(len(zoned), names=", ".join(zoned))] if zoned else []
