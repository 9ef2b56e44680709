"""What SQL can reach: names are those in scope, and what is past the guard knows no path."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from qhub_desktop.core.errors import ToolError
from qhub_desktop.data.query.sql_guard import (
    TABLE_FUNCTIONS,
    attach_rows,
    check_select,
    lock,
)
from qhub_desktop.data.query.worker import LIMITS

# A name that is a CTE somewhere else than where it is read; {kelvin} folds to {name} in Unicode.
ELSEWHERE = [
    "FROM {name}",
    "SELECT (WITH {name} AS (SELECT 1 AS x) SELECT x FROM {name}) FROM {name}",
    "FROM {name} WHERE 1 IN (WITH {name} AS (SELECT 1 AS x) FROM {name})",
    "WITH a AS (FROM {name}), {name} AS (SELECT 1 AS x) FROM a",
    "WITH {name} AS (FROM {name}) FROM {name}",
    "WITH a AS (WITH {name} AS (SELECT 1 AS x) FROM {name}) FROM {name}",
    "(WITH {name} AS (SELECT 1 AS x) FROM {name}) UNION ALL FROM {name}",
    "WITH RECURSIVE {name}(n) AS (SELECT 1 FROM {name} UNION ALL SELECT n FROM {name}) FROM {name}",
    'WITH "{kelvin}" AS (SELECT 1 AS x) FROM {name}',
    "SELECT * FROM (SELECT 1), LATERAL (WITH {name} AS (SELECT 1 AS x) FROM {name}), {name}",
    "PIVOT {name} ON x IN (1) USING count(*)",
    "FROM (SUMMARIZE {name})",
    "DESCRIBE {name}",
]
IN_SCOPE = [
    "WITH {name} AS (FROM d) FROM {name}",
    "WITH {name} AS (FROM d), b AS (FROM {name}) FROM b",
    "WITH {name} AS (FROM d) SELECT (SELECT count(*) FROM {name}) FROM d",
    "WITH {name} AS (FROM d) FROM (FROM (FROM {name}))",
    "WITH a AS (WITH {name} AS (FROM d) FROM {name}) FROM a",
    "WITH RECURSIVE {name}(n) AS (SELECT 1 UNION SELECT n + 1 FROM {name} WHERE n < 9) FROM {name}",
    "WITH {name} AS (FROM d) FROM {name} UNION ALL FROM {name}",
    "WITH {name} AS (FROM d), d AS (FROM {name}) FROM d",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data folder of Ana")


@pytest.fixture(scope="module")
def locked(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database as the query process opens it, over the rows of a file."""
    with duckdb.connect(str(folder / "rows.duckdb")) as made:
        made.execute("CREATE TABLE rows AS SELECT range AS n, 'T' || range % 3 AS t FROM range(99)")
    with duckdb.connect(":memory:", config=LIMITS) as db:
        attach_rows(db, {"d": folder / "rows.duckdb", "e": folder / "rows.duckdb"})
        lock(db)
        yield db


def column(db: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return [str(row[0]) for row in db.execute(sql).fetchall()]


def views(db: duckdb.DuckDBPyConnection) -> list[str]:
    found = column(db, "SELECT DISTINCT view_name FROM duckdb_views() WHERE internal")
    assert {"duckdb_databases", "pragma_database_list", "pg_settings"} <= set(found)
    return found


def is_refused(db: duckdb.DuckDBPyConnection, sql: str) -> bool:
    try:
        check_select(db, sql, ["d", "e"])
    except (ToolError, duckdb.Error):
        return True
    return False


def test_no_view_of_the_catalogue_is_read_because_a_cte_elsewhere_has_its_name(
    locked: duckdb.DuckDBPyConnection,
) -> None:
    for name in views(locked):
        kelvin = name.replace("k", "\N{KELVIN SIGN}").replace("s", "\N{LATIN SMALL LETTER LONG S}")
        for form in ELSEWHERE:
            sql = form.format(name=name, kelvin=kelvin)
            assert is_refused(locked, sql), sql


@pytest.mark.parametrize("name", ["a1", "tables", "Turnos", '"com espaço"'])
@pytest.mark.parametrize("form", IN_SCOPE)
def test_a_cte_is_read_where_it_is_known(
    locked: duckdb.DuckDBPyConnection, form: str, name: str
) -> None:
    sql = form.format(name=name)
    check_select(locked, sql, ["d", "e"])
    locked.execute(sql).fetchall()


def test_a_data_set_may_have_a_name_of_the_catalogue(locked: duckdb.DuckDBPyConnection) -> None:
    assert check_select(locked, "FROM pg_stat", ["pg_stat"]).table == "pg_stat"


def test_every_function_that_makes_rows_is_closed_but_those_of_arguments(
    locked: duckdb.DuckDBPyConnection,
) -> None:
    kinds = "('table', 'table_macro', 'pragma')"
    names = f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN {kinds}"
    for name in {*column(locked, names)} - TABLE_FUNCTIONS:
        assert is_refused(locked, f"FROM {name}()"), name


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("PIVOT d ON t USING sum(n)", "PIVOT"),
        ("FROM (PIVOT d ON t USING sum(n))", "PIVOT"),
        ("WITH p AS (PIVOT d ON t USING sum(n)) FROM p", "PIVOT"),
        ("SHOW TABLES", "SHOW TABLES"),
        ("FROM (SHOW DATABASES)", "SHOW DATABASES"),
        ("FROM (SHOW ALL TABLES)", "SHOW"),
    ],
)
def test_what_is_refused_is_refused_by_its_name(
    locked: duckdb.DuckDBPyConnection, sql: str, word: str
) -> None:
    with pytest.raises(ToolError, match=word):
        check_select(locked, sql, ["d"])


@pytest.mark.parametrize("opens", ["abs(", "[", "CASE WHEN true THEN 1 ELSE ", "NOT "])
def test_what_is_nested_too_deeply_is_refused(
    locked: duckdb.DuckDBPyConnection, opens: str
) -> None:
    closes = {"abs(": ")", "[": "]", "NOT ": ""}.get(opens, " END")
    for levels in (900, 400, 300, 290, 280):
        sql = f"SELECT {opens * levels}1{closes * levels} LIMIT 1"
        with contextlib.suppress(ToolError, duckdb.Error):  # refused, and no bug
            check_select(locked, sql, ["t"])


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("FROM (PIVOT (SELECT t FROM d) ON t IN ('T0', 'T1') USING count(*))", [(33, 33)]),
        ("SELECT count(*) FROM (PIVOT d ON t IN ('T0') USING sum(n) GROUP BY n)", [(99,)]),
        ("FROM (SELECT t FROM d) PIVOT (count(*) FOR t IN ('T2'))", [(33,)]),
        ("SELECT count(*) FROM (UNPIVOT (SELECT n, n + 1 AS m FROM d) ON n, m)", [(198,)]),
        ("SELECT sum(v) FROM (SELECT n FROM d) UNPIVOT (v FOR k IN (n))", [(4851,)]),
        ("SELECT column_name FROM (DESCRIBE d)", [("n",), ("t",)]),
        ("SELECT max FROM (SUMMARIZE d) WHERE column_name = 'n'", [("98",)]),
        ("SELECT count(*) FROM d USING SAMPLE 10 ROWS", [(10,)]),
    ],
)
def test_pivots_descriptions_and_samples_run(
    locked: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[object, ...]]
) -> None:
    check_select(locked, sql, ["d"])
    assert locked.execute(sql).fetchall() == rows


def past_the_guard(db: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield SQL that asks the database for all that it knows of itself."""
    kinds = "('table', 'table_macro', 'pragma')"
    for name in column(
        db, f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN {kinds}"
    ):
        for argument in ("", "'d'", "'e'", "'SELECT 1'", "'qhub file 0'", "'qhub://0'", "'**'"):
            yield f"FROM {name}({argument})"
    for name in column(
        db,
        "SELECT DISTINCT schema_name || '.' || view_name FROM duckdb_views() WHERE internal",
    ):
        yield f"FROM {name}"
    for name in column(db, "SELECT name FROM duckdb_settings()"):
        yield f"SELECT current_setting('{name}')"
    for name in column(
        db, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE parameters = []"
    ):
        yield f'SELECT "{name}"()'
    yield from ("SHOW ALL TABLES", "SHOW DATABASES", "PRAGMA database_list", "FROM 'rows.duckdb'")
    yield from ("ATTACH 'qhub://0' AS x", "ATTACH 'qhub://9' AS y", "FROM read_text('qhub://0')")


def test_nothing_past_the_guard_knows_a_path(
    locked: duckdb.DuckDBPyConnection, folder: Path
) -> None:
    found = []
    for sql in past_the_guard(locked):
        try:
            told = repr(locked.execute(sql).fetchall())
        except (duckdb.Error, RuntimeError, ValueError) as error:
            told = str(error)
        if str(folder) in told or folder.name in told or str(Path.home() / "") in told:
            found.append((sql, told[:300]))
    assert found == []


def test_rows_are_the_same_without_their_path_from_several_threads(
    locked: duckdb.DuckDBPyConnection, folder: Path
) -> None:
    with duckdb.connect(str(folder / "large.duckdb")) as made:
        made.execute(
            "CREATE TABLE rows AS SELECT range AS n, md5(range::TEXT) AS t FROM range(600000)"
        )
        whole = made.execute("SELECT count(*), sum(n), sum(hash(t)) FROM rows").fetchall()
    with duckdb.connect(":memory:", config={**LIMITS, "threads": 8}) as db:
        attach_rows(db, {"d": folder / "large.duckdb"})
        lock(db)
        assert db.execute("SELECT count(*), sum(n), sum(hash(t)) FROM d").fetchall() == whole


def test_a_file_that_is_gone_is_said_to_be_without_its_path(tmp_path: Path) -> None:
    with (
        duckdb.connect(":memory:", config=LIMITS) as db,
        pytest.raises(duckdb.Error) as caught,
    ):
        attach_rows(db, {"d": tmp_path / "rows.duckdb"})
    assert str(tmp_path) not in str(caught.value)
