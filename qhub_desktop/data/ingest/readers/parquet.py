"""Parquet files, read by the database: every value with the type that the file gives it."""

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet, Value, fraction
from qhub_desktop.data.ingest.readers.sniff import Content, file_format

BATCH_ROWS = 10_000
SURE_DIGITS = 15  # so many digits any float keeps
PLAIN = {
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "VARCHAR", "TIME",
}  # fmt: skip
MOMENTS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
ZONED = "TIMESTAMP WITH TIME ZONE"
# Magic characters of a path that may name several files, each as itself.
ESCAPES = str.maketrans({"[": "[[]", "*": "[*]", "?": "[?]"})


def _is_parquet(content: Content) -> bool:
    return content.head.startswith(b"PAR1")


@file_format("Parquet", suffixes=(".parquet",), sniff=_is_parquet, place=9)
def read_parquet(source: InputFile) -> ParsedFile:
    """Read the one table of the file."""
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
        table = f"read_parquet({sql_literal(str(source.path).translate(ESCAPES))})"
        described = db.execute(f"DESCRIBE FROM {table}").fetchall()
        types = {str(name): str(kind) for name, kind, *_rest in described}
        selected = [_selected(db, table, name, kind) for name, kind in types.items()]
        counted = db.execute(f"SELECT count(*) FROM {table}").fetchone()
        rows = _Rows(source, db, f"SELECT {', '.join(selected)} FROM {table}", types)
    except duckdb.Error as error:
        db.close()
        raise _refused(source, error) from error
    rows.count = counted[0] if counted else 0
    sheet = RawSheet(
        name=None,
        number=1,
        rows=iter(rows),
        is_text=False,
        doubtful=_findings(types),
        share_read=rows.share,
        has_names=True,
    )
    return ParsedFile((), iter([sheet]))


def _refused(source: InputFile, error: duckdb.Error) -> UserError:
    """Return the error for a file that the database gave up on."""
    match error:
        case duckdb.OutOfMemoryException():
            return rejection.refusal(source, rejection.TOO_LONG, rejection.SPLIT)
        case duckdb.NotImplementedException():
            return rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AGAIN)
        case _:
            return rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN)


class _Rows:
    """The names, then the rows; the database is closed after the last one."""

    def __init__(
        self, source: InputFile, db: duckdb.DuckDBPyConnection, select: str, types: dict[str, str]
    ) -> None:
        self.count = 0
        self._source = source
        self._db = db
        self._select = select
        self._types = types
        self._read = 0

    def share(self) -> float:
        """Return the share of the rows that was read."""
        return self._read / max(1, self.count)

    def __iter__(self) -> Iterator[Sequence[Value]]:
        yield list(self._types)
        decimals = [
            place for place, kind in enumerate(self._types.values()) if _is_long_decimal(kind)
        ]
        try:
            with self._db as db:
                result = db.execute(self._select)
                while batch := result.fetchmany(BATCH_ROWS):
                    self._read += len(batch)
                    yield from (
                        (_with_exact_decimals(row, decimals) for row in batch)
                        if decimals
                        else batch
                    )
        except duckdb.Error as error:
            raise _refused(self._source, error) from error


def _selected(db: duckdb.DuckDBPyConnection, table: str, name: str, kind: str) -> str:
    """Return SQL for a column as values that Python has, without loss."""
    column = quoted(name)
    if kind in PLAIN:
        return column
    if kind == "DATE" or kind in MOMENTS or kind == ZONED:
        return _within_calendar(db, table, column, kind)
    if kind.startswith("DECIMAL"):
        return f"CAST({column} AS {'VARCHAR' if _is_long_decimal(kind) else 'DOUBLE'})"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "JSON", "VARIANT")):
        return f"CAST(to_json({column}) AS VARCHAR)"
    return f"CAST({column} AS VARCHAR)"


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


def _with_exact_decimals(row: tuple[Any, ...], decimals: Sequence[int]) -> list[Value]:
    cells: list[Value] = [*row]
    for place in decimals:
        text = cells[place]
        cells[place] = fraction(text) if isinstance(text, str) else text
    return cells


def _findings(types: dict[str, str]) -> list[Finding]:
    zoned = [name for name, kind in types.items() if kind == ZONED]
    if not zoned:
        return []
    return [
        Finding(
            kind="times_in_utc",
            text=_("The times in {names} are those of UTC, as the file keeps them.").format(
                names=", ".join(zoned)
            ),
            count=len(zoned),
        )
    ]
