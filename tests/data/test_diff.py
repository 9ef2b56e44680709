"""Two versions of one export: what changed, and both as one."""

import asyncio
import errno
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Table
from qhub_desktop.data.ingest.dataset_store import DatasetStore
from qhub_desktop.data.query.diff import is_same_export
from qhub_desktop.data.workspace import Workspace

HEAD = "peça;defeito;medida"


async def loaded(
    workspace: Workspace, folder: Path, *rows: str, name: str = "x.csv", head: str = HEAD
) -> DatasetProfile:
    file = folder / name
    file.write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")
    return (await workspace.load(file))[0]


async def rows_of(workspace: Workspace, profile: DatasetProfile) -> list[tuple[object, ...]]:
    answer = await workspace.query("FROM it", {"it": profile.id}, limit=1000)
    return list(answer.table.rows)


async def test_rows_are_compared_as_often_as_they_are_there(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5", "A;lixo;1,5", "B;;2,5", "C;risco;3,5")
    new = await loaded(
        workspace, tmp_path, "A;lixo;1,5", "B;;2,5", "A;lixo;1,5", "A;lixo;1,5", "D;risco;"
    )

    changes = await workspace.compare(old.id, new.id)

    assert (changes.rows_added, changes.rows_removed, changes.rows_same) == (2, 1, 3)
    assert changes.rows_changed == 0
    assert changes.sentence == "2 new rows, 1 row gone, 3 rows the same."
    assert (await workspace.compare(old.id, old.id)).is_nothing


async def test_where_a_number_tells_the_rows_apart_changed_ones_are_counted(
    workspace: Workspace, tmp_path: Path
) -> None:
    head = "id;peça;medida"
    old = await loaded(workspace, tmp_path, "11;A;1,5", "12;B;2,5", "13;C;3,5", head=head)
    new = await loaded(workspace, tmp_path, "11;A;1,5", "12;B;9,5", "14;D;3,5", head=head)

    changes = await workspace.compare(old.id, new.id)

    assert changes.key == "id"
    assert (changes.rows_added, changes.rows_removed) == (1, 1)
    assert (changes.rows_changed, changes.rows_same) == (1, 1)


async def test_a_column_that_only_counts_the_rows_does_not_make_them_others(
    workspace: Workspace, tmp_path: Path
) -> None:
    head = "N;peça;medida"
    old = await loaded(workspace, tmp_path, "1;A;1,5", "2;B;2,5", "3;C;3,5", head=head)
    new = await loaded(workspace, tmp_path, "1;Z;0,5", "2;A;1,5", "3;B;2,5", "4;C;3,5", head=head)

    changes = await workspace.compare(old.id, new.id)
    both = await workspace.append(old.id, new.id)

    assert (changes.rows_added, changes.rows_removed, changes.rows_same) == (1, 0, 3)
    assert changes.ignored == "N"
    assert [row[1] for row in await rows_of(workspace, both)] == ["A", "B", "C", "Z"]


async def test_columns_that_came_went_or_changed_are_named(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;1;x", "B;2;x", head="peça;código;linha")
    new = await loaded(workspace, tmp_path, "A;1;M", "B;02;T", head="peça;código;turno")

    changes = await workspace.compare(old.id, new.id)

    assert changes.columns_added == ("turno",)
    assert changes.columns_removed == ("linha",)
    assert changes.types_changed == ("código",)
    assert "turno" in changes.sentence
    assert not changes.is_nothing


async def test_appending_keeps_the_old_rows_and_adds_only_what_is_new(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5", "A;lixo;1,5", "B;;2,5", name="a.csv")
    new = await loaded(
        workspace, tmp_path, "D;x;4,5", "A;lixo;1,5", "B;;2,5", "B;;2,5", name="b.csv"
    )

    both = await workspace.append(old.id, new.id)

    assert await rows_of(workspace, both) == [
        ("A", "lixo", 1.5),
        ("A", "lixo", 1.5),
        ("B", None, 2.5),
        ("D", "x", 4.5),
        ("B", None, 2.5),
    ]
    assert both.rows == 5
    assert both.file == "a.csv + b.csv"
    assert both.dataset == old.dataset
    column = both.column("medida")
    assert column is not None
    assert (column.min, column.max) == (1.5, 4.5)
    report = both.report
    assert report is not None
    assert report.rows_present == report.rows_read == 5
    assert [each.count for each in report.repaired] == [2, 2]
    assert both.duplicate_rows == 2


async def test_the_same_two_appended_again_are_the_same_data_set(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5", name="a.csv")
    new = await loaded(workspace, tmp_path, "A;lixo;1,5", "B;lixo;2,5", name="b.csv")

    first = await workspace.append(old.id, new.id)
    everything = await workspace.append(old.id, new.id, mode="all")

    assert await workspace.append(old.id, new.id) == first
    assert (first.rows, everything.rows) == (2, 3)
    assert first.id != everything.id


async def test_columns_of_both_stand_side_by_side_and_no_cell_changes(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;1;7", head="peça;código;n", name="a.csv")
    new = await loaded(workspace, tmp_path, "B;02;M;1,5", head="peça;código;turno;n", name="b.csv")

    both = await workspace.append(old.id, new.id)

    assert [column.name for column in both.columns] == ["peça", "código", "n", "turno"]
    assert await rows_of(workspace, both) == [("A", "1", 7.0, None), ("B", "02", 1.5, "M")]


async def test_a_changed_row_is_kept_beside_the_older_one_and_said(
    workspace: Workspace, tmp_path: Path
) -> None:
    head = "id;peça"
    old = await loaded(workspace, tmp_path, "11;A", "12;B", head=head, name="a.csv")
    new = await loaded(workspace, tmp_path, "11;A", "12;C", head=head, name="b.csv")

    both = await workspace.append(old.id, new.id)

    assert both.rows == 3
    assert both.report is not None
    assert [each.kind for each in both.report.doubtful] == ["same_key"]


async def test_a_data_set_that_has_gone_is_said(workspace: Workspace, tmp_path: Path) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5")

    with pytest.raises(UserError, match="Drop its file again"):
        await workspace.compare(old.id, "0123456789ab-1")


async def test_many_rows_are_compared_one_by_one(workspace: Workspace, tmp_path: Path) -> None:
    for name, first in (("old", 0), ("new", 200)):
        target = tmp_path / f"{name}.csv"
        with duckdb.connect() as db:
            db.execute(
                "COPY (SELECT 100000 + i AS peca, 'defeito ' || i % 9 AS tipo, i % 97 / 8 AS x,"
                " DATE '2026-01-01' + CAST(i // 3000 AS INTEGER) AS dia"
                f" FROM range({first}, {first} + 200000) AS all_(i)) TO '{target}' (HEADER)"
            )
    (old,) = await workspace.load(tmp_path / "old.csv")
    (new,) = await workspace.load(tmp_path / "new.csv")

    changes = await workspace.compare(old.id, new.id)
    both = await workspace.append(old.id, new.id)

    assert (changes.rows_added, changes.rows_removed, changes.rows_same) == (200, 200, 199_800)
    assert both.rows == 200_200


async def test_a_cancelled_append_leaves_nothing_behind(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5", name="a.csv")
    new = await loaded(workspace, tmp_path, "B;lixo;2,5", name="b.csv")
    before = names(tmp_path / "datasets")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):  # a process takes longer to start
            await workspace.append(old.id, new.id)

    assert names(tmp_path / "datasets") == before
    assert (await workspace.append(old.id, new.id)).rows == 2


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("defeitos.xlsx", "defeitos.xlsx", True),
        ("defeitos.xlsx", "Defeitos (1).xlsx", True),
        ("defeitos.xlsx", "defeitos - Cópia.xlsx", True),
        ("defeitos.xlsx", "Copy of defeitos.xlsx", True),
        ("defeitos_2026-03-01.csv", "defeitos_2026-03-02.csv", True),
        ("Defeitos março 2026.csv", "defeitos abril 2026.csv", True),
        ("EXPORT_20260301.XLSX", "export_20260401.csv", True),
        ("defeitos.xlsx", "retrabalho.xlsx", False),
        ("linha A.csv", "linha B.csv", False),
    ],
)
def test_versions_of_one_export_are_known_by_columns_and_name(
    old: str, new: str, is_same: bool
) -> None:
    columns = tuple(ColumnProfile(name, "text", missing=0, distinct=2) for name in ("a", "b"))
    first = DatasetProfile(
        id="ba9876543210-1",
        dataset="x",
        file=old,
        sheet=None,
        sheets=(),
        rows=2,
        sha256="",
        columns=columns,
        preview=Table((), ()),
    )
    second = replace(first, id="0123456789ab-1", file=new)

    assert is_same_export(first, second) is is_same
    assert not is_same_export(first, first)
    assert not is_same_export(first, replace(second, columns=second.columns[1:]))


async def test_a_full_disk_is_said_in_a_sentence(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await loaded(workspace, tmp_path, "A;lixo;1,5")
    new = await loaded(workspace, tmp_path, "B;lixo;2,5")

    def begin(_store: DatasetStore) -> Path:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(DatasetStore, "begin", begin)
    with pytest.raises(UserError, match="no room left"):
        await workspace.compare(old.id, new.id)
    with pytest.raises(UserError, match="no room left"):
        await workspace.append(old.id, new.id)
