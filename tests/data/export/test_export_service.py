"""Whole data sets on their way into files, as the window asks for it."""

import asyncio
import csv
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import duckdb
import openpyxl
import pytest

from qhub_desktop.core import text
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.table import Column, Table
from qhub_desktop.data.export.output import OutputSheet
from qhub_desktop.data.export_service import ExportService
from qhub_desktop.data.query.view_spec import Between, NoneOf, OneOf, RowView
from qhub_desktop.data.workspace import Progress, Workspace

ROWS = 12_000


@pytest.fixture
def exports() -> Iterator[ExportService]:
    opened = ExportService()
    yield opened
    opened.close()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A data set's database, with everything that is easily spoiled."""
    file = tmp_path / "rows.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE TABLE rows AS SELECT i AS n, '00' || i AS code, DATE '2026-02-01' +"
            " CAST(i % 28 AS INT) AS dia, i / 8 AS taxa, i % 2 = 0 AS bom,"
            f" CASE WHEN i % 3 = 0 THEN NULL ELSE '=1+' || i END AS nota FROM range({ROWS}) t(i)"
        )
    return file


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go, to see that none is left."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names_in(folder: Path) -> set[str]:
    """What lies there, but for the program's own data."""
    return {each.name for each in folder.iterdir()} - {"home"}


def expected(at: int) -> tuple[object, ...]:
    day = date(2026, 2, 1) + timedelta(at % 28)
    return at, f"00{at}", day, at / 8, at % 2 == 0, None if at % 3 == 0 else f"=1+{at}"


async def test_a_data_set_becomes_a_workbook_with_every_row_in_order(
    exports: ExportService, rows: Path, tmp_path: Path, scratch: Path
) -> None:
    target = tmp_path / "dados.xlsx"
    heard: list[Progress] = []

    told = await exports.export_rows(
        rows, target, name="Folha1", table="dados", on_progress=heard.append
    )

    found = list(openpyxl.load_workbook(target)["Folha1"].iter_rows(values_only=True))
    assert told.rows == ROWS
    assert found[0] == ("n", "code", "dia", "taxa", "bom", "nota")
    for at in (0, 1, 2, 6_667, ROWS - 1):
        n, code, day, rate, good, note = expected(at)
        assert found[1 + at][:2] + found[1 + at][3:] == (n, code, rate, good, note)
        assert str(found[1 + at][2]) == f"{day} 00:00:00"
    shares = [each.share for each in heard if each.share is not None]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert not names_in(scratch)


@pytest.mark.parametrize(
    ("language", "separator", "second"),
    [
        ("pt", ";", ["1", "001", "02/02/2026", "0,125", "não", "'=1+1"]),
        ("en", ",", ["1", "001", "2026-02-02", "0.125", "no", "'=1+1"]),
    ],
)
async def test_csv_is_written_as_the_persons_excel_reads_it(
    exports: ExportService,
    rows: Path,
    tmp_path: Path,
    language: text.Language,
    separator: str,
    second: list[str],
) -> None:
    text.use(language)
    target = tmp_path / "dados.csv"

    await exports.export_rows(rows, target, name="Folha1", table="dados")

    with target.open(encoding="utf-8-sig", newline="") as file:
        found = list(csv.reader(file, delimiter=separator))
    assert target.read_bytes().startswith(b"\xef\xbb\xbf")
    assert len(found) == ROWS + 1
    assert found[2] == second


async def test_only_what_a_select_gives_is_written(
    exports: ExportService, rows: Path, tmp_path: Path
) -> None:
    sql = "SELECT dia, count(*) AS total FROM dados GROUP BY dia ORDER BY dia DESC -- all"

    await exports.export_rows(rows, tmp_path / "a.xlsx", name="Dias", table="dados", sql=sql)

    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["Dias"]
    assert sheet.max_row == 29
    assert [cell.value for cell in sheet["B"]][:3] == ["total", 428, 428]


@pytest.mark.parametrize(
    "sql", ["DROP TABLE rows", "SELECT * FROM read_csv('/etc/passwd')", "SELECT nothing FROM dados"]
)
async def test_sql_that_may_not_run_is_refused_and_leaves_nothing(
    exports: ExportService, rows: Path, tmp_path: Path, sql: str, scratch: Path
) -> None:
    with pytest.raises(ToolError):
        await exports.export_rows(rows, tmp_path / "a.xlsx", name="a", table="dados", sql=sql)

    assert names_in(tmp_path) == {"rows.duckdb", "scratch"}
    assert not names_in(scratch)


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
async def test_cancelling_ends_it_and_leaves_nothing_behind(
    exports: ExportService, rows: Path, tmp_path: Path, suffix: str, scratch: Path
) -> None:
    begun = asyncio.Event()

    def on_progress(progress: Progress) -> None:
        if progress.share:
            begun.set()

    target = tmp_path / f"dados{suffix}"
    target.write_bytes(b"old")
    task = asyncio.create_task(
        exports.export_rows(rows, target, name="a", table="dados", on_progress=on_progress)
    )
    await begun.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert target.read_bytes() == b"old"
    assert names_in(tmp_path) == {"rows.duckdb", "scratch", target.name}
    assert not names_in(scratch)


async def test_closing_ends_what_is_being_written(
    exports: ExportService, rows: Path, tmp_path: Path
) -> None:
    def on_progress(progress: Progress) -> None:
        if progress.share:
            exports.close()

    with pytest.raises(UserError, match=r"a\.xlsx could not be written"):
        await exports.export_rows(
            rows, tmp_path / "a.xlsx", name="a", table="dados", on_progress=on_progress
        )


@pytest.mark.parametrize("name", ["a.xls", "a", "a.pdf"])
async def test_another_suffix_is_refused_with_those_there_are(
    exports: ExportService, rows: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(UserError, match=r"ends in \.xlsx or \.csv"):
        await exports.export_rows(rows, tmp_path / name, name="a", table="dados")


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
async def test_what_is_written_is_read_back_the_same(tmp_path: Path, suffix: str) -> None:
    text.use("pt")
    table = Table(
        (
            Column("dia", "date"),
            Column("codigo", "text"),
            Column("total", "integer"),
            Column("taxa", "number"),
            Column("tipo", "category"),
        ),
        tuple(
            (date(2026, 2, 1 + at), f"00{at}", at * 7, at + 0.125, ("lixo", "outros")[at % 2])
            for at in range(28)
        ),
    )
    workspace = Workspace(tmp_path / "datasets")
    try:
        await workspace.exports.export_sheets(
            [OutputSheet("Dados", table)], tmp_path / f"dados{suffix}"
        )
        (profile,) = await workspace.load(tmp_path / f"dados{suffix}")
        answer = await workspace.query("FROM dados", {"dados": profile.id}, limit=100)
    finally:
        workspace.close()

    types = [column.type for column in profile.columns]
    assert types == [column.type for column in table.columns]
    assert answer.table.rows == table.rows


async def test_what_a_view_shows_is_written_in_its_order(
    exports: ExportService, rows: Path, tmp_path: Path
) -> None:
    target = tmp_path / "dados.xlsx"
    view = RowView(sort=(("n", "down"),), filters=(OneOf("bom", (True,)),), find="000")

    told = await exports.export_rows(rows, target, name="Folha1", table="dados", view=view)

    wanted = [at for at in range(ROWS) if at % 2 == 0 and "000" in f"00{at} {at} {at / 8}"]
    found = list(openpyxl.load_workbook(target)["Folha1"].iter_rows(values_only=True))
    assert told.rows == len(wanted)
    assert found[0] == ("n", "code", "dia", "taxa", "bom", "nota")
    assert [row[0] for row in found[1:]] == wanted[::-1]


@pytest.mark.parametrize(
    "view", [RowView(), RowView(sort=(("n", "down"),))], ids=["plain", "sorted"]
)
async def test_the_columns_of_a_view_are_written_in_their_order(
    exports: ExportService, rows: Path, tmp_path: Path, view: RowView
) -> None:
    target = tmp_path / "dados.csv"
    wanted = replace(view, columns=("code", "n"))

    await exports.export_rows(rows, target, name="a", table="dados", view=wanted)

    lines = target.read_text(encoding="utf-8-sig").splitlines()
    numbers = range(ROWS)[::-1] if view.sort else range(ROWS)
    assert lines == ["code,n", *(f"00{at},{at}" for at in numbers)]


async def test_every_row_of_a_large_view_is_written_once(
    exports: ExportService, tmp_path: Path
) -> None:
    many = tmp_path / "rows.duckdb"
    with duckdb.connect(str(many)) as db:
        db.execute(
            "CREATE TABLE rows AS SELECT (i * 7919) % 250007 AS rowid, i % 5 AS k"
            " FROM range(250007) t(i)"
        )
    target = tmp_path / "dados.csv"
    view = RowView(sort=(("rowid", "up"),), filters=(NoneOf("k", (3,)),))
    heard: list[Progress] = []

    told = await exports.export_rows(
        many, target, name="a", table="dados", view=view, on_progress=heard.append
    )

    lines = target.read_text(encoding="utf-8-sig").splitlines()[1:]
    wanted = sorted((i * 7919) % 250007 for i in range(250007) if i % 5 != 3)
    assert [int(line.partition(",")[0]) for line in lines] == wanted
    assert told.rows == len(wanted)
    shares = [each.share for each in heard if each.share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1


async def test_words_are_found_in_a_view_as_the_person_writes_numbers(
    exports: ExportService, rows: Path, tmp_path: Path
) -> None:
    text.use("pt")
    target = tmp_path / "dados.csv"

    await exports.export_rows(rows, target, name="a", table="dados", view=RowView(find="1 499,875"))

    lines = target.read_text(encoding="utf-8-sig").splitlines()[1:]
    assert [line.partition(";")[0] for line in lines] == [str(ROWS - 1)]


async def test_rows_that_are_held_in_memory_are_exported_as_they_are_looked_at(
    tmp_path: Path,
) -> None:
    columns = (Column("k", "integer"), Column("n", "integer"))
    table = Table(columns, tuple((7, at) for at in range(10)))
    workspace = Workspace(tmp_path / "datasets")
    view = RowView(sort=(("n", "down"),), filters=(Between("n", 3, 5),), columns=("n",))
    try:
        held = await workspace.register("station-defects", "defeitos", table)
        told = await workspace.export(held.id, tmp_path / "log.csv", view=view)
    finally:
        workspace.close()

    assert told.rows == 3
    assert (tmp_path / "log.csv").read_text(encoding="utf-8-sig").split() == ["n", "5", "4", "3"]


async def test_rows_that_are_held_in_memory_are_exported_as_well(tmp_path: Path) -> None:
    table = Table((Column("n", "integer"),), tuple((at,) for at in range(10)))
    workspace = Workspace(tmp_path / "datasets")
    try:
        held = await workspace.register("station-defects", "defeitos", table)
        told = await workspace.export(held.id, tmp_path / "log.xlsx")
    finally:
        workspace.close()

    assert told.rows == 10
    assert openpyxl.load_workbook(tmp_path / "log.xlsx")["defeitos"]["A11"].value == 9


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_a_division_by_zero_is_missing_in_a_file_and_said(
    exports: ExportService, rows: Path, tmp_path: Path, suffix: str
) -> None:
    target = tmp_path / f"quocientes{suffix}"
    sql = "SELECT n, n / 0 AS a, -n / 0 AS b, 0 / 0 AS c FROM d ORDER BY n LIMIT 3"

    written = await exports.export_rows(rows, target, name="d", table="d", sql=sql)

    (note,) = written.notes
    assert note.startswith("9 ")
    if suffix == ".csv":
        lines = target.read_text(encoding="utf-8-sig").splitlines()
        assert [line.strip("0123456789;,") for line in lines[1:]] == ["", "", ""]
    else:
        sheet = openpyxl.load_workbook(target).worksheets[0]
        cells = [row[1:] for row in sheet.iter_rows(min_row=2, values_only=True)]
        assert cells == [(None, None, None)] * 3
