"""Child process that compares two versions of a data set, or joins them into one."""

from pathlib import Path
from typing import Any

import duckdb

from qhub_desktop.core.codec import JsonObject, pack
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.data import profile
from qhub_desktop.data.ingest.dataset_store import ROWS_FILE

SPILL = "spill"
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
_EXACT_IN_DOUBLE = 2**53


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Numbers of rows by their difference, compared over `columns` of both versions."""

    added: int
    removed: int
    same: int
    changed: int
    columns: tuple[str, ...]
    ignored: str | None = None


def compare_or_append(parent: Parent) -> JsonObject:
    """Compare or append, as the message requests. Raises UserError if the disk fails."""
    try:
        return _answer(parent.receive())
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error  # the parent turns it into a sentence
    except (OSError, duckdb.IOException) as error:
        raise UserError(
            _("The rows could not be read or stored. Check that the disk has room, and try again.")
        ) from error


def _answer(request: Any) -> JsonObject:
    folder = Path(request["folder"])
    config = {**LIMITS, "temp_directory": str(folder / SPILL)}
    with duckdb.connect(":memory:", config=config) as db:
        for name in ("old", "new"):
            db.execute(f"ATTACH {sql_literal(request[name])} AS {name} (READ_ONLY)")
        versions = _Versions(db, request["key"])
        counted = versions.counted()
        reply: JsonObject = {
            "added": counted.added,
            "removed": counted.removed,
            "same": counted.same,
            "changed": counted.changed,
            "key": request["key"] if counted.ignored is None else None,
            "ignored": counted.ignored,
        }
        if request["do"] == "append":
            reply |= versions.join(folder / request["id"], counted, mode=request["mode"])
    return reply


class _Versions:
    """The tables old.rows and new.rows, compared over their common columns."""

    def __init__(self, db: duckdb.DuckDBPyConnection, key: str | None) -> None:
        self._db = db
        self._key = key
        self._old = _column_types(db, "old")
        self._new = _column_types(db, "new")
        self._both = {
            name: self._type(name, type_, self._new[name])
            for name, type_ in self._old.items()
            if name in self._new
        }

    def counted(self) -> RowCounts:
        """Count the differences, by the key if there is one."""
        columns = tuple(self._both)
        added, removed, same = self._multiset(columns)
        if self._key is None:
            return RowCounts(added, removed, same, 0, columns)
        key = self._cell(self._key)
        (shared,) = self._one(
            f"SELECT count(*) FROM (SELECT {key} AS key FROM old.rows)"
            f" JOIN (SELECT {key} AS key FROM new.rows) USING (key)"
        )
        changed = shared - same
        if changed > shared / 2 and self._only_counts():
            others = tuple(name for name in columns if name != self._key)
            without = self._multiset(others)
            if without[2] > same:
                return RowCounts(*without, 0, others, self._key)
        return RowCounts(added - changed, removed - changed, same, changed, columns)

    def join(self, folder: Path, counted: RowCounts, *, mode: str) -> JsonObject:
        """Write both versions to one database, the old rows first; return its profile."""
        folder.mkdir(parents=True)
        db = self._db
        db.execute(f"ATTACH {sql_literal(str(folder / ROWS_FILE))} AS kept")
        all_types = {**self._old, **self._new, **self._both}
        definition = ", ".join(f"{quoted(name)} {type_}" for name, type_ in all_types.items())
        db.execute(f"CREATE TABLE kept.rows ({definition})")
        self._insert("old", list(self._old), "")
        if mode == "new":
            self._find_new_rows(counted.columns)
            where = " WHERE rowid IN (SELECT place FROM fresh)"
        else:
            where = ""
        self._insert("new", list(self._new), f"{where} ORDER BY rowid")
        (rows,) = self._one("SELECT count(*) FROM kept.rows")
        (before,) = self._one("SELECT count(*) FROM old.rows")
        columns = profile.profile_columns(db, "kept.rows")
        preview = profile.preview(db, "kept.rows", columns)
        duplicates = profile.duplicate_rows(db, "kept.rows", columns)
        db.execute("DETACH kept")
        return {
            "rows": rows,
            "taken": rows - before,
            "columns": pack(columns),
            "preview": pack(preview),
            "duplicates": duplicates,
        }

    def _insert(self, side: str, names: list[str], rest: str) -> None:
        listed = ", ".join(map(quoted, names))
        cells = ", ".join(self._cell(name) for name in names)
        self._db.execute(f"INSERT INTO kept.rows ({listed}) SELECT {cells} FROM {side}.rows{rest}")

    def _find_new_rows(self, columns: tuple[str, ...]) -> None:
        """List the rows of the new version that the old one lacks, or has less often."""
        if not columns:
            self._db.execute("CREATE TEMP TABLE fresh AS SELECT rowid AS place FROM new.rows")
            return
        cells = self._numbered(columns)
        names = ", ".join(f"c{place}" for place in range(len(columns)))
        is_same = " AND ".join(
            f"seen.c{place} IS NOT DISTINCT FROM held.c{place}" for place in range(len(columns))
        )
        self._db.execute(
            "CREATE TEMP TABLE fresh AS SELECT seen.place FROM"
            f" (SELECT place, {names}, row_number() OVER (PARTITION BY {names} ORDER BY place)"
            f" AS nth FROM (SELECT rowid AS place, {cells} FROM new.rows)) AS seen"
            f" LEFT JOIN (SELECT {names}, count(*) AS times FROM"
            f" (SELECT {cells} FROM old.rows) GROUP BY {names}) AS held ON {is_same}"
            " WHERE seen.nth > coalesce(held.times, 0)"
        )

    def _multiset(self, columns: tuple[str, ...]) -> tuple[int, int, int]:
        """Count rows that are only in the new version, only in the old one, and in both."""
        if not columns:
            (old,) = self._one("SELECT count(*) FROM old.rows")
            (new,) = self._one("SELECT count(*) FROM new.rows")
            return new, old, 0
        cells = self._numbered(columns)
        names = ", ".join(f"c{place}" for place in range(len(columns)))
        found = self._one(
            "SELECT sum(greatest(fresh - stale, 0)), sum(greatest(stale - fresh, 0)),"
            " sum(least(stale, fresh)) FROM"
            " (SELECT count(*) FILTER (is_new) AS fresh, count(*) FILTER (NOT is_new) AS stale"
            f" FROM (SELECT false AS is_new, {cells} FROM old.rows"
            f" UNION ALL SELECT true, {cells} FROM new.rows) GROUP BY {names})"
        )
        added, removed, same = (int(count or 0) for count in found)
        return added, removed, same

    def _numbered(self, columns: tuple[str, ...]) -> str:
        return ", ".join(f"{self._cell(name)} AS c{place}" for place, name in enumerate(columns))

    def _cell(self, name: str) -> str:
        type_ = self._both.get(name)
        if type_ is None or self._old[name] == self._new[name]:
            return quoted(name)
        return f"CAST({quoted(name)} AS {type_})"

    def _type(self, name: str, old: str, new: str) -> str:
        """Return a type that holds the cells of both columns unchanged."""
        kinds = {old, new}
        if len(kinds) == 1:
            return old
        if kinds <= _WHOLE | {"HUGEINT"}:
            return "HUGEINT"
        if kinds <= _WHOLE | {"DOUBLE"} and self._is_exact(name):
            return "DOUBLE"
        return "TIMESTAMP" if kinds == {"DATE", "TIMESTAMP"} else "VARCHAR"

    def _is_exact(self, name: str) -> bool:
        """Return whether every integer of a column is exact as a DOUBLE."""
        cell = quoted(name)
        return all(
            self._one(f"SELECT coalesce(max(abs({cell})), 0) FROM {side}.rows")[0]
            <= _EXACT_IN_DOUBLE
            for side in ("old", "new")
        )

    def _only_counts(self) -> bool:
        """Return whether the key is 1, 2, 3… in both versions, as rows are numbered."""
        cell = quoted(self._key or "")
        if self._both[self._key or ""] not in _WHOLE:
            return False
        return all(
            self._one(f"SELECT min({cell}) = 1 AND max({cell}) = count(*) FROM {side}.rows")[0]
            for side in ("old", "new")
        )

    def _one(self, sql: str) -> tuple[Any, ...]:
        row = self._db.execute(sql).fetchone()
        assert row is not None
        return row


def _column_types(db: duckdb.DuckDBPyConnection, side: str) -> dict[str, str]:
    return {name: sql_type for name, sql_type, *_ in db.execute(f"DESCRIBE {side}.rows").fetchall()}
