"""SQL written by a model: it reads what it was given, and harms nothing."""

import asyncio
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path

import pytest

from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.data.workspace import Answer, Workspace

HELD = Table(
    (
        Column("id", "integer"),
        Column("data", "date"),
        Column("quando", "datetime"),
        Column("turno", "category"),
        Column("peso", "number"),
        Column("ok", "boolean"),
    ),
    (
        (1, date(2026, 2, 1), datetime(2026, 2, 1, 8, 30, 0, 5), "manha", 1.5, True),
        (2, None, None, 'noite "fria"', None, None),
    ),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for the tests that leave no trace in it: a start takes half a second."""
    opened = Workspace(tmp_path_factory.mktemp("shared"), query_s=10)
    yield opened
    opened.close()


async def ask(workspace: Workspace, sql: str, *, limit: int = 100) -> Answer:
    """A question over the demo data, which SQL calls `defeitos`."""
    (profile,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    return await workspace.query(sql, {"defeitos": profile.id}, limit=limit)


async def refused(workspace: Workspace, sql: str) -> str:
    with pytest.raises(ToolError) as caught:
        await ask(workspace, sql)
    return str(caught.value)


async def test_a_query_counts_over_every_row(shared: Workspace) -> None:
    answer = await ask(
        shared,
        "SELECT tipo_defeito, count(*) AS total FROM defeitos"
        " GROUP BY 1 ORDER BY total DESC LIMIT 2",
    )
    assert answer.table == Table(
        (Column("tipo_defeito", "category"), Column("total", "integer")),
        (("lixo", 62), ("falta_tinta", 31)),
    )


async def test_only_the_first_rows_come_back_in_order_with_the_true_count(
    shared: Workspace,
) -> None:
    answer = await ask(shared, "FROM defeitos ORDER BY id DESC", limit=3)
    assert [row[0] for row in answer.table.rows] == [200, 199, 198]
    assert answer.row_count == 200


async def test_a_large_result_comes_back_whole(shared: Workspace) -> None:
    answer = await ask(shared, "SELECT range AS n, n / 8 AS x FROM range(50000)", limit=50_000)
    assert answer.table.rows[-1] == (49_999, 49_999 / 8)
    assert len(answer.table.rows) == answer.row_count == 50_000


async def test_a_table_of_more_than_a_thousand_columns_comes_back_whole(
    shared: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "largo.csv"
    count = 1_100  # one expression over 1,000 columns would be too deep
    last = f"c{count - 1}"
    lines = [[f"c{n}" for n in range(count)], *([f"{n}.5"] * count for n in range(3))]
    file.write_text("\n".join(map(",".join, lines)), encoding="utf-8")
    (profile,) = await shared.load(file)
    answer = await shared.query("SELECT * FROM largo", {"largo": profile.id}, limit=100)
    assert answer.table.names == tuple(lines[0])
    assert answer.table.rows == tuple((n + 0.5,) * count for n in range(3))
    divided = f"SELECT * REPLACE (c0 / 0.0 AS c0, {last} / 0.0 AS {last}) FROM largo"
    answer = await shared.query(divided, {"largo": profile.id}, limit=100)
    assert answer.undefined == 6
    assert answer.table.rows[0][-2:] == (0.5, None)


async def test_every_type_comes_back_as_a_value_of_ours(shared: Workspace) -> None:
    answer = await ask(
        shared,
        """SELECT 1::TINYINT AS a, 170141183460469231731687303715884105727::HUGEINT AS b,
        1.25::DECIMAL(9, 2) AS c, 7::DECIMAL(9, 0) AS d, 'NaN'::DOUBLE AS e, true AS f,
        DATE '2026-02-01' AS g, TIMESTAMP '2026-02-01 08:30:00.25' AS h, TIME '08:30' AS i,
        INTERVAL 3 DAY AS j, [1, 2] AS k, {'x': 1} AS l, 'ação' AS m, NULL AS n, 1.5::FLOAT AS o,
        TIMESTAMPTZ '2026-02-01 08:30:00+00' AT TIME ZONE 'UTC' AS p, 'abc'::BLOB AS q""",
    )
    cells: dict[str, Cell] = dict(zip(answer.table.names, answer.table.rows[0], strict=True))
    assert cells == {
        "a": 1,
        "b": 2**127 - 1,
        "c": 1.25,
        "d": 7,
        "e": None,
        "f": True,
        "g": date(2026, 2, 1),
        "h": datetime(2026, 2, 1, 8, 30, 0, 250_000),
        "i": time(8, 30),
        "j": "72:00:00",
        "k": "[1, 2]",
        "l": "{'x': 1}",
        "m": "ação",
        "n": None,
        "o": 1.5,
        "p": datetime(2026, 2, 1, 8, 30),
        "q": "abc",
    }
    types = {column.name: column.type for column in answer.table.columns}
    assert types["b"] == types["d"] == "integer"
    assert types["c"] == types["e"] == "number"
    assert (types["g"], types["h"], types["f"]) == ("date", "datetime", "boolean")


async def test_the_clock_and_zones_can_be_asked(shared: Workspace) -> None:
    answer = await ask(shared, "SELECT now() AS agora, today() AS hoje")
    assert [column.type for column in answer.table.columns] == ["datetime", "date"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM defeitos;",
        "SELECT count(*) FROM defeitos -- e mais nada",
        "FROM defeitos SELECT count(*)",
        "WITH d AS (FROM defeitos) SELECT count(*) FROM d",
        """WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 200)
        SELECT max(n) FROM t""",
        "SELECT count(*) FROM Defeitos a JOIN DEFEITOS b USING (id)",
        "VALUES (200)",
        "(SELECT 200)",
        "SELECT n FROM (UNPIVOT (SELECT 200 AS x) ON x INTO NAME k VALUE n)",
        "SELECT sum(total) FROM (SELECT count(*) AS total FROM defeitos GROUP BY turno)",
    ],
)
async def test_every_shape_of_select_runs(shared: Workspace, sql: str) -> None:
    assert (await ask(shared, sql)).table.rows == ((200,),)


@pytest.mark.parametrize(
    "moment", ["DATE '290000-01-01'", "DATE '0044-03-15 (BC)'", "TIME '24:00'"]
)
async def test_moments_that_no_calendar_of_ours_has_are_said_to_be(
    shared: Workspace, moment: str
) -> None:
    assert "outside the years" in await refused(shared, f"SELECT {moment}")


async def test_two_columns_of_one_name_are_told_apart(shared: Workspace) -> None:
    answer = await ask(shared, "SELECT id, id FROM defeitos LIMIT 1")
    assert len(set(answer.table.names)) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; SELECT 2",
        "",
        "-- nada",
        "COPY defeitos TO 'fora.csv'",
        "ATTACH 'outra.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 8",
        "PRAGMA version",
        "CALL pragma_version()",
        "CREATE TABLE x AS SELECT 1",
        "DROP VIEW defeitos",
        "UPDATE defeitos SET id = 1",
        "EXPLAIN SELECT 1",
        "WITH x AS (INSERT INTO defeitos VALUES (1)) SELECT 1",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('rows.duckdb')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM 'https://example.com/a.parquet'",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('defeitos')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_databases",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT current_setting('allowed_paths')",
        "SELECT getenv('HOME')",
        'SELECT * FROM "qhub file 0".rows',
        "SELECT * FROM information_schema.tables",
    ],
)
async def test_what_is_not_one_select_over_the_given_tables_does_not_run(
    shared: Workspace, sql: str
) -> None:
    assert await refused(shared, sql)


async def test_a_wrong_column_is_named_with_those_there_are(shared: Workspace) -> None:
    words = await refused(shared, "SELECT turnos FROM defeitos")
    assert "turnos" in words
    assert "turno" in words
    assert "LINE 1: SELECT turnos" in words


async def test_a_wrong_table_is_answered_with_the_right_ones(shared: Workspace) -> None:
    words = await refused(shared, "SELECT * FROM defects")
    assert "defects" in words
    assert "defeitos" in words


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('~/x.csv')",
        "SELECT nada FROM defeitos",
        "SELECT * FROM duckdb_extensions()",
        "SELECT CAST('x' AS INTEGER)",
        "SELEC 1",
    ],
)
async def test_no_error_tells_where_things_are(shared: Workspace, sql: str, tmp_path: Path) -> None:
    words = await refused(shared, sql)
    for secret in (str(tmp_path), str(Path.home()), str(Path.cwd()), "site-packages"):
        assert secret not in words


async def test_divisions_in_a_quoted_statement_are_no_paths(shared: Workspace) -> None:
    sql = "SELECT id / 2 / posicao, id/2/3 FROM defeitos WHERE nenhuma = 1"
    assert "id / 2 / posicao, id/2/3 FROM" in await refused(shared, sql)


async def test_an_endless_query_is_killed_and_the_next_one_runs(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "datasets", query_s=1)
    try:
        with pytest.raises(ToolError, match="stopped after 1 s"):
            await ask(
                workspace,
                "SELECT sum(a.generate_series * b.generate_series)"
                " FROM generate_series(1, 1000000000000) a, generate_series(1, 1000000) b",
            )
        assert (await ask(workspace, "SELECT count(*) FROM defeitos")).table.rows == ((200,),)
    finally:
        workspace.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 4000000000) || repeat('y', 4000000000)",
        "SELECT list(range) FROM range(1000000000)",
        "SELECT * FROM range(3000000000)",
    ],
)
async def test_a_query_that_eats_memory_is_stopped_and_the_next_one_runs(
    workspace: Workspace, sql: str
) -> None:
    told = await refused(workspace, sql)
    assert "temp_directory" not in told  # the database's advice to who runs it
    assert (await ask(workspace, "SELECT count(*) FROM defeitos")).table.rows == ((200,),)


async def test_a_cancelled_query_dies_and_the_next_one_runs(workspace: Workspace) -> None:
    await ask(workspace, "SELECT 1")
    endless = asyncio.create_task(
        ask(workspace, "SELECT count(*) FROM range(1000000000000) WHERE range % 7 = 3")
    )
    await asyncio.wait([endless], timeout=0.5)
    assert not endless.done()

    endless.cancel()
    await asyncio.wait([endless], timeout=5)

    assert endless.cancelled()
    assert (await ask(workspace, "SELECT count(*) FROM defeitos")).table.rows == ((200,),)


async def test_many_questions_at_once_are_answered_each(workspace: Workspace) -> None:
    answers = await asyncio.gather(
        *(ask(workspace, f"SELECT {number} + count(*) FROM defeitos") for number in range(20))
    )
    assert [answer.table.rows[0][0] for answer in answers] == [200 + n for n in range(20)]


async def test_two_data_sets_can_be_joined(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "alvos.csv"
    file.write_text("turno,alvo\nmanha,10\nnoite,20\n", encoding="utf-8")
    (targets,) = await workspace.load(file)
    (defects,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    answer = await workspace.query(
        "SELECT turno, count(*), any_value(alvo) FROM d JOIN alvos USING (turno)"
        " GROUP BY 1 ORDER BY 1",
        {"d": defects.id, "alvos": targets.id},
        limit=10,
    )
    assert answer.table.rows == (("manha", 73, 10), ("noite", 59, 20))


async def test_rows_made_in_the_app_are_a_data_set_like_any_other(workspace: Workspace) -> None:
    profile = await workspace.register("registo", "Registo de defeitos", HELD)
    answer = await workspace.query("FROM r", {"r": "registo"}, limit=10)
    assert answer.table.rows == HELD.rows
    assert profile.dataset == "registo_de_defeitos"
    assert profile.rows == 2
    assert [column.missing for column in profile.columns] == [0, 1, 1, 0, 1, 1]
    assert await workspace.profile("registo") == profile


async def test_held_rows_can_be_replaced_and_outlive_the_process(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "datasets", query_s=1)
    try:
        await workspace.register("registo", "registo", HELD)
        await workspace.query("FROM r", {"r": "registo"}, limit=1)
        await workspace.register("registo", "registo", Table(HELD.columns, (HELD.rows[0],) * 3))
        with pytest.raises(ToolError):
            await workspace.query(
                "SELECT count(*) FROM range(10000000000) a, range(10000000) b",
                {"r": "registo"},
                limit=1,
            )
        answer = await workspace.query("SELECT count(*) FROM r", {"r": "registo"}, limit=1)
        assert answer.table.rows == ((3,),)
    finally:
        workspace.close()


async def test_a_data_set_that_is_gone_is_said_to_be(shared: Workspace) -> None:
    with pytest.raises(UserError, match="no longer there"):
        await shared.query("FROM x", {"x": "0123456789ab-1"}, limit=1)
    with pytest.raises(UserError, match="no longer there"):
        await shared.profile("../../etc-1")


@pytest.mark.parametrize("over", ["0", "0.0", "0e0", "(id - id)", "NULLIF(id, id)"])
@pytest.mark.parametrize("quotient", ["id / {}", "-id / {}", "(id - id) / {}", "sum(id) / sum({})"])
async def test_a_division_by_zero_is_missing_and_said(
    shared: Workspace, quotient: str, over: str
) -> None:
    answer = await ask(shared, f"SELECT {quotient.format(over)} AS q FROM defeitos GROUP BY id")
    assert {row[0] for row in answer.table.rows} == {None}
    assert answer.row_count == 200
    if over != "NULLIF(id, id)":
        assert answer.undefined == 200
        (warning,) = answer.warnings
        assert "200 results are no numbers" in warning
    else:
        assert answer.warnings == ()


@pytest.mark.parametrize("remainder", ["id % 0", "id // 0", "mod(id, 0)", "1.5 % 0"])
async def test_a_remainder_of_a_division_by_zero_is_missing(
    shared: Workspace, remainder: str
) -> None:
    answer = await ask(shared, f"SELECT {remainder}, id FROM defeitos ORDER BY id LIMIT 1")
    assert answer.table.rows == ((None, 1),)
