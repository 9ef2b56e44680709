"""The workspace: the same file twice, cancelling, crashes, and what is left behind."""

import asyncio
from datetime import datetime, time
from pathlib import Path

import psutil
import pytest

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.data.workspace import Progress, Workspace
from tests.data.writers import grids


def large(tmp_path: Path, *, rows: int = 300_000) -> Path:
    file = tmp_path / "grande.csv"
    with file.open("w", encoding="utf-8") as opened:
        opened.write("n,turno,valor\n")
        opened.writelines(f"{number},T{number % 3},{number / 7}\n" for number in range(rows))
    return file


async def test_an_import_tells_how_far_it_is(workspace: Workspace, tmp_path: Path) -> None:
    heard: list[Progress] = []
    (profile,) = await workspace.load(large(tmp_path, rows=20_000), on_progress=heard.append)
    assert profile.rows == 20_000
    shares = [progress.share for progress in heard if progress.share is not None]
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] <= 1
    assert any("20,000 rows" in progress.text for progress in heard)


async def test_the_same_bytes_again_are_the_same_data_set_without_a_process(
    workspace: Workspace, tmp_path: Path
) -> None:
    first = await workspace.load(DEMO_DATA / "defeitos.csv")
    heard: list[Progress] = []
    copy = tmp_path / "Cópia de defeitos.csv"
    copy.write_bytes((DEMO_DATA / "defeitos.csv").read_bytes())

    again = await workspace.load(copy, on_progress=heard.append)

    assert [profile.id for profile in again] == [profile.id for profile in first]
    assert [progress.text for progress in heard] == ["Opening Cópia de defeitos.csv"]
    assert (again[0].file, again[0].dataset) == ("Cópia de defeitos.csv", "copia_de_defeitos")
    assert await workspace.profile(first[0].id) == again[0]


async def test_a_data_set_outlives_the_program(tmp_path: Path) -> None:
    profiles: list[DatasetProfile] = []
    for _ in range(2):
        workspace = Workspace(tmp_path / "datasets")
        try:
            profiles.extend(await workspace.load(DEMO_DATA / "defeitos.xlsx"))
            profiles.append(await workspace.profile(profiles[0].id))
            answer = await workspace.query("FROM d", {"d": profiles[0].id}, limit=1)
            assert answer.row_count == 200
        finally:
            workspace.close()
    assert all(profile == profiles[0] for profile in profiles)


async def test_a_cancelled_import_dies_and_leaves_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = large(tmp_path)
    has_begun = asyncio.Event()

    def on_progress(progress: Progress) -> None:
        if progress.share is not None:  # a child is reading rows
            has_begun.set()

    loading = asyncio.create_task(workspace.load(file, on_progress=on_progress))
    await has_begun.wait()

    loading.cancel()
    await asyncio.wait([loading], timeout=5)

    assert loading.cancelled()
    assert list((tmp_path / "datasets").iterdir()) == []


async def test_several_files_are_read_at_once_and_the_same_one_only_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    files = []
    for number in range(3):
        file = tmp_path / f"f{number}.csv"
        file.write_text(f"a\n{number}\n", encoding="utf-8")
        files += [file, file]
    loaded = await asyncio.gather(*(workspace.load(file) for file in files))
    assert len({profile.id for (profile,) in loaded}) == 3


async def test_what_a_crash_left_is_read_anew(workspace: Workspace, tmp_path: Path) -> None:
    (profile,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    (tmp_path / "datasets" / profile.id / "profile.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError):
        await workspace.profile(profile.id)
    assert await workspace.load(DEMO_DATA / "defeitos.csv") == (profile,)


async def test_one_sheet_can_be_asked_for_by_name(workspace: Workspace) -> None:
    file = DEMO_DATA / "defeitos.xlsx"
    (profile,) = await workspace.load(file, sheet="defeitos")
    assert profile.sheet == "Defeitos"
    with pytest.raises(UserError, match="These hold data: Defeitos"):
        await workspace.load(file, sheet="Folha9")


async def test_the_demo_workbook_and_the_demo_text_hold_the_same(workspace: Workspace) -> None:
    (text_,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    (book,) = await workspace.load(DEMO_DATA / "defeitos.xlsx")
    assert text_.columns == book.columns
    assert text_.preview == book.preview
    assert text_.warnings == book.warnings == ()
    position = text_.column("posicao")
    assert position is not None
    assert position.mean == 4.59
    assert position.std == pytest.approx(2.304, abs=5e-4)


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.2])
async def test_a_warm_workspace_that_is_closed_leaves_no_process(
    tmp_path: Path, after_s: float
) -> None:
    before = set(psutil.Process().children(recursive=True))
    workspace = Workspace(tmp_path / "datasets")
    workspace.warm()
    await asyncio.sleep(after_s)  # from before the process is there to when it can be asked
    workspace.close()

    assert set(psutil.Process().children(recursive=True)) <= before


async def test_warming_and_asking_start_one_process(workspace: Workspace) -> None:
    workspace.warm()
    (profile,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    answer = await workspace.query("SELECT count(*) FROM d", {"d": profile.id}, limit=1)
    assert answer.table.rows == ((200,),)


def test_a_workspace_starts_nothing_before_it_is_asked(tmp_path: Path) -> None:
    Workspace(tmp_path / "datasets").close()
    assert not (tmp_path / "datasets").exists()


async def test_times_of_day_have_a_type_of_their_own(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "turnos.csv"
    file.write_text("peça;hora\nA1;22:00\nA2;06:30\nA3;\n", encoding="utf-8")

    (profile,) = await workspace.load(file)
    answer = await workspace.query("SELECT max(hora) AS fim FROM d", {"d": profile.id}, limit=5)

    hour = profile.columns[1]
    assert (hour.type, hour.min, hour.max, hour.missing) == ("time", time(6, 30), time(22), 1)
    assert (answer.table.columns[0].type, answer.table.rows) == ("time", ((time(22),),))


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        ([0.25, 0.9375, 1.5], [time(6), time(22, 30), None]),  # parts of a day
        (["06:00", "22:30", "sem hora"], [time(6), time(22, 30), None]),
        ([datetime(2026, 2, 11, 6), datetime(2026, 2, 12, 22, 30)], [time(6), time(22, 30)]),
    ],
)
async def test_cells_become_times_of_day_when_a_person_says_so(
    workspace: Workspace, tmp_path: Path, cells: list[object], read: list[time | None]
) -> None:
    file = tmp_path / "turnos.xlsx"
    file.write_bytes(grids.xlsx((("peça", "hora"), *((f"A{n}", c) for n, c in enumerate(cells)))))
    choices = ImportChoices(types=(("hora", "time"),))

    (profile,) = await workspace.load(file, choices=choices)
    answer = await workspace.query("SELECT hora FROM d", {"d": profile.id}, limit=5)

    assert [cell for (cell,) in answer.table.rows] == read
