"""Monitors over real data sets, folders and the defect log: judged once, stored before shown."""

import asyncio
import os
import subprocess
import sys
from datetime import datetime, timedelta
from io import BufferedReader
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.monitor import Monitor, Violation
from qhub_desktop.core.study import PointNote, Study, subject_of
from qhub_desktop.tools.studies import monitors as at_work
from qhub_desktop.tools.studies.monitors import Monitors
from tests.program import offline_program
from tests.tools.conftest import ToolHarness

CALM = [
    100 + each for each in (1, -2, 0.5, 2, -1, -0.5, 1.5, -1.5, 0, 2.5, -2.5, 1, -1, 0.5, 2)
] * 2
HIGH = 140.0


def export(path: Path, values: list[float], *, head: str = "espessura") -> Path:
    """Write an export of one column of measurements."""
    path.write_text("\n".join([head, *map(str, values)]) + "\n", encoding="utf-8")
    return path


async def study_of(harness: ToolHarness, **given: object) -> Study:
    shown: object = (await harness.use("carta_controlo", **given)).widget
    assert isinstance(shown, Study)
    return shown


def monitors_of(harness: ToolHarness) -> Monitors:
    return harness.program.study_tools.monitors(harness.store.monitors)


async def watch(harness: ToolHarness, folder: Path | None = None, **given: object) -> Monitor:
    """Watch a chart, as the card asks for it."""
    study = await study_of(harness, **given)
    return await monitors_of(harness).create(
        await harness.conversation(), study, subject=subject_of(study), folder=folder
    )


async def found_in(harness: ToolHarness) -> list[tuple[str, float | None]]:
    return [(each.found.label, each.found.value) for each in await monitors_of(harness).look()]


def individuals(found: list[Violation]) -> list[tuple[str, float | None]]:
    """Those of the chart of values; that of moving ranges tells the jumps beside them."""
    return [
        (each.found.label, each.found.value)
        for each in found
        if each.found.value is not None and each.found.value > 90
    ]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be quiet at once."""
    monkeypatch.setattr(at_work, "QUIET_S", 0.0)


async def test_a_newer_version_of_an_export_is_judged_from_where_the_last_one_ended(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    await watch(harness, coluna="espessura", congelar=30)
    assert await monitors_of(harness).look() == []

    await harness.drop(export(tmp_path / "linha.csv", [*CALM, 101, HIGH, 99]))
    found = await monitors_of(harness).look()

    assert individuals(found) == [("32", HIGH)]
    told = found[0].found
    assert told.rules == ("nelson1",)
    assert told.words == ("1 ponto a mais de 3 sigmas do centro",) or told.words[0].startswith(
        "1 p"
    )
    assert told.upper is not None
    assert told.upper < HIGH
    assert told.rows is not None
    assert told.rows.rows == ((HIGH,),)
    assert await monitors_of(harness).look() == []


async def test_a_file_with_the_name_of_the_log_is_watched_as_a_file(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(export(tmp_path / "defeitos.csv", CALM))
    monitor = await watch(harness, coluna="espessura", conjunto="defeitos", congelar=30)
    assert (monitor.watched.kind, monitor.watched.file) == ("dataset", "defeitos.csv")

    await harness.drop(export(tmp_path / "defeitos.csv", [*CALM, 101, HIGH, 99]))

    assert individuals(await monitors_of(harness).look()) == [("32", HIGH)]


async def test_limits_are_those_of_the_chart_that_was_frozen(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    study = await study_of(harness, coluna="espessura", congelar=30)
    await watch(harness, coluna="espessura", congelar=30)

    await harness.drop(export(tmp_path / "linha.csv", [*CALM, *[HIGH] * 8]))
    found = await monitors_of(harness).look()

    assert study.points is not None
    (limits,) = {(each.found.lower, each.found.upper) for each in found if each.found.value == HIGH}
    assert limits == pytest.approx((study.points.rows[0][2], study.points.rows[0][4]))


async def test_an_export_of_the_last_weeks_alone_is_judged_for_what_is_new_in_it(
    harness: ToolHarness, tmp_path: Path
) -> None:
    varied = [100 + (at * 7 % 11) / 4 for at in range(30)]
    await harness.drop(export(tmp_path / "linha.csv", [*varied[:5], HIGH, *varied[6:]]))
    await watch(harness, coluna="espessura", congelar={"centro": 101, "sigma": 1.5})

    await harness.drop(export(tmp_path / "linha.csv", [*varied[10:], 130.0]))

    assert individuals(await monitors_of(harness).look()) == [("21", 130.0)]


async def test_a_corrected_value_is_judged_again_and_the_others_are_not(
    harness: ToolHarness, tmp_path: Path
) -> None:
    values = [*CALM]
    values[3] = HIGH
    await harness.drop(export(tmp_path / "linha.csv", values))
    await watch(harness, coluna="espessura", congelar={"centro": 100, "sigma": 2})
    values[20] = 141.0

    await harness.drop(export(tmp_path / "linha.csv", values))

    assert individuals(await monitors_of(harness).look()) == [("21", 141.0)]


async def test_a_restart_judges_nothing_twice_and_skips_nothing(tmp_path: Path) -> None:
    first = ToolHarness(tmp_path)
    await first.drop(export(tmp_path / "linha.csv", CALM))
    await watch(first, coluna="espessura", congelar=30)
    await first.drop(export(tmp_path / "linha.csv", [*CALM, HIGH]))
    assert len(individuals(await monitors_of(first).look())) == 1
    await first.program.close()

    second = ToolHarness(tmp_path)
    assert await monitors_of(second).look() == []
    await second.drop(export(tmp_path / "linha.csv", [*CALM, HIGH, 101, 150.0]))
    assert individuals(await monitors_of(second).look()) == [("33", 150.0)]
    assert len(individuals(list(await second.store.monitors.violations()))) == 2
    await second.program.close()


async def test_a_look_that_is_killed_before_it_stored_is_made_again(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    await watch(harness, coluna="espessura", congelar=30)
    await harness.drop(export(tmp_path / "linha.csv", [*CALM, HIGH]))

    async def killed(*_given: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as here:
        here.setattr(harness.store.monitors, "record", killed)
        with pytest.raises(ZeroDivisionError):
            await monitors_of(harness).look()
    assert await harness.store.monitors.violations() == []

    assert individuals(await monitors_of(harness).look()) == [("31", HIGH)]


async def test_two_programs_judge_an_input_once(harness: ToolHarness, tmp_path: Path) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    await watch(harness, coluna="espessura", congelar=30)
    await harness.drop(export(tmp_path / "linha.csv", [*CALM, HIGH]))
    program = harness.program
    other = Monitors(
        program.store.monitors,
        program.study_tools,
        program.conversation_datasets,
        user="ana",
    )

    both = await asyncio.gather(monitors_of(harness).look(), other.look())
    other.close()

    assert len(individuals([*both[0], *both[1]])) == 1
    assert len(individuals(list(await harness.store.monitors.violations()))) == 1


async def test_a_violation_is_open_until_cause_and_action_are_noted(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    monitor = await watch(harness, coluna="espessura", congelar=30)
    await harness.drop(export(tmp_path / "linha.csv", [*CALM, HIGH]))
    (found, *_ranges) = await monitors_of(harness).look()
    store, now = harness.store, datetime.now().astimezone()
    assert found.is_open

    with pytest.raises(UserError):
        await store.monitors.answer(found.id, PointNote(found.found.label, "bico", " ", "rui", now))
    # A note on the point of the chart is the same note.
    await store.point_notes.add(
        monitor.subject, PointNote(found.found.label, "bico", "", "rui", now)
    )
    (half, *_others) = await store.monitors.violations()
    assert (half.cause, half.is_open) == ("bico", True)
    answered = await store.monitors.answer(
        found.id, PointNote(found.found.label, "bico gasto", "trocado", "rui", now)
    )

    assert (answered.cause, answered.action, answered.noted_by) == ("bico gasto", "trocado", "rui")
    assert not answered.is_open
    assert await store.monitors.open_count() == 0
    assert [each.action for each in await store.point_notes.of(monitor.subject)] == ["", "trocado"]


async def test_new_files_of_a_folder_are_judged_with_those_before_them(
    harness: ToolHarness, tmp_path: Path, patient: None
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "exportações"
    folder.mkdir()
    export(folder / "velho.csv", [HIGH, HIGH])
    await watch(harness, folder, coluna="espessura", congelar=30)
    assert await monitors_of(harness).look() == []

    export(folder / "a.csv", [101.0] * 5)
    assert await found_in(harness) == []
    export(folder / "b.csv", [101.5] * 5)
    found = await monitors_of(harness).look()

    assert found[0].found.label == "b · 4"  # the ninth in a row
    assert "nelson2" in found[0].found.rules
    export(folder / "b.csv", [101.5] * 5 + [HIGH])
    os.utime(folder / "b.csv", ns=(1, 2))
    assert individuals(await monitors_of(harness).look()) == [("b · 6", HIGH)]
    assert await found_in(harness) == []


async def test_a_file_that_grows_is_left_until_it_is_quiet(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [0.0]
    watched = at_work.FolderWatch(tmp_path, clock=lambda: seconds[0])
    growing = export(tmp_path / "a.csv", [1.0])
    (tmp_path / "~$a.xlsx").write_text("owner", encoding="utf-8")
    (tmp_path / "notas.txt").write_text("x", encoding="utf-8")

    assert watched.ready(await watched.files()) == []
    seconds[0] = 4.0
    export(growing, [1.0, 2.0])
    assert watched.ready(await watched.files()) == []
    seconds[0] = 8.0
    assert watched.ready(await watched.files()) == []
    seconds[0] = 9.5
    (ready,) = watched.ready(await watched.files())
    assert ready.name == "a.csv"

    watched.failed(ready)
    assert watched.ready(await watched.files()) == []
    seconds[0] += at_work.FIRST_RETRY_S
    assert watched.ready(await watched.files()) == [ready]


async def test_a_half_copied_file_is_told_and_tried_again(
    harness: ToolHarness, tmp_path: Path, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_work, "FIRST_RETRY_S", 0.0)
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "exportações"
    folder.mkdir()
    await watch(harness, folder, coluna="espessura", congelar=30)

    (folder / "meio.xlsx").write_bytes(b"PK\x03\x04half of a workbook")
    assert await found_in(harness) == []
    export(folder / "outro.csv", [1.0, 2.0], head="altura")
    assert await found_in(harness) == []
    (monitor,) = await harness.store.monitors.listed()
    assert len(monitor.problems) == 2
    assert any("altura" in each for each in monitor.problems)
    (folder / "meio.xlsx").unlink()
    export(folder / "outro.csv", [100.0, HIGH])

    assert individuals(await monitors_of(harness).look()) == [("outro · 2", HIGH)]


async def test_a_file_that_another_program_holds_is_told_and_no_other_is_opened(
    harness: ToolHarness, tmp_path: Path, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_work, "FIRST_RETRY_S", 0.0)
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "exportações"
    folder.mkdir()
    export(folder / "velho.csv", [100.0])
    await watch(harness, folder, coluna="espessura", congelar=30)
    opened: list[str] = []

    def held(path: Path) -> BufferedReader:
        opened.append(path.name)
        error = PermissionError(13, "held")
        error.winerror = 32  # type: ignore[attr-defined]  # ERROR_SHARING_VIOLATION
        raise error

    monkeypatch.setattr(at_work, "open_regular", held)
    export(folder / "aberto.csv", [HIGH])
    assert await found_in(harness) == []
    assert "aberto.csv" in (await harness.store.monitors.listed())[0].problems[0]
    assert opened == ["aberto.csv"]

    monkeypatch.undo()
    monkeypatch.setattr(at_work, "QUIET_S", 0.0)
    monkeypatch.setattr(at_work, "FIRST_RETRY_S", 0.0)
    monitors_of(harness)._folders.clear()
    assert await found_in(harness) == [("aberto · 1", HIGH)]


async def test_a_share_that_hangs_while_a_file_is_read_keeps_no_other_waiting(
    harness: ToolHarness, tmp_path: Path, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "partilha"
    folder.mkdir()
    await watch(harness, folder, coluna="espessura", congelar=30)
    export(folder / "novo.csv", [HIGH])

    async def never(*_given: object, **_named: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(at_work, "READ_S", 0.05)
    monkeypatch.setattr(harness.workspace, "load", never)

    assert await found_in(harness) == []
    (problem,) = (await harness.store.monitors.listed())[0].problems
    assert "partilha" in problem


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a name cannot be made here")
async def test_a_file_whose_name_is_no_text_is_judged_like_any_other(
    harness: ToolHarness, tmp_path: Path, patient: None
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "exportações"
    folder.mkdir()
    await watch(harness, folder, coluna="espessura", congelar=30)
    export(folder / os.fsdecode(b"pe\xe7as.csv"), [HIGH])

    found = await monitors_of(harness).look()

    assert individuals(found) == [("pe\ufffdas · 1", HIGH)]
    assert await found_in(harness) == []


async def test_a_folder_that_is_away_is_told_and_the_next_look_goes_on(
    harness: ToolHarness, tmp_path: Path, patient: None
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "partilha"
    folder.mkdir()
    await watch(harness, folder, coluna="espessura", congelar=30)
    folder.rename(tmp_path / "longe")

    assert await found_in(harness) == []
    assert "partilha" in (await harness.store.monitors.listed())[0].problems[0]
    (tmp_path / "longe").rename(folder)
    export(folder / "novo.csv", [HIGH])
    assert await found_in(harness) == [("novo · 1", HIGH)]
    assert (await harness.store.monitors.listed())[0].problems == ()


async def test_the_defects_of_a_day_that_goes_on_are_told_only_above_the_limit(
    harness: ToolHarness,
) -> None:
    last = datetime(2026, 3, 1, 10).astimezone()
    now = [last]
    program = harness.program
    monitors = Monitors(
        program.store.monitors,
        program.study_tools,
        program.conversation_datasets,
        user="rui",
        clock=lambda: now[0],
    )
    study = await study_of(
        harness,
        conjunto="defeitos",
        tipo="c",
        regras=["nelson1"],
        congelar={"centro": 12, "sigma": 3.46},
    )
    await monitors.create(await harness.conversation(), study, subject=subject_of(study))
    defect = {
        "tipo_defeito": "lixo",
        "turno": "manha",
        "operador": "Julia",
        "material": "ABS_Cinza",
        "rack": "R10",
        "posicao": 3,
        "data": "2026-03-01",
    }
    await harness.use("registar_defeito", **defect)
    assert await monitors.look() == []  # one so far: below the lower limit, but the day goes on

    now[0] = last + timedelta(days=1)
    assert [each.found.value for each in await monitors.look()] == [1.0]
    for _each in range(23):
        await harness.use("registar_defeito", **{**defect, "data": "2026-03-02"})
    found = await monitors.look()
    await harness.use("registar_defeito", **{**defect, "data": "2026-03-02"})
    again = await monitors.look()
    monitors.close()

    assert [(each.found.label, each.found.value) for each in found] == [("2026-03-02", 23.0)]
    assert again == []
    values = [each.found.value for each in await harness.store.monitors.violations()]
    assert values == [24.0, 1.0]


async def test_what_can_not_be_watched_is_refused_with_the_next_step(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(export(tmp_path / "linha.csv", CALM))
    study = await study_of(harness, coluna="espessura", tipo="ewma")
    pareto: object = (await harness.use("pareto", conjunto="defeitos")).widget
    assert isinstance(pareto, Study)
    create = monitors_of(harness).create
    talk = await harness.conversation()

    with pytest.raises(UserError):
        await create(talk, study, subject="x", folder=tmp_path)
    with pytest.raises(UserError):
        await create(talk, pareto, subject="x")
    assert await harness.store.monitors.listed() == []


def test_the_program_starts_without_monitors(tmp_path: Path) -> None:
    program = offline_program(tmp_path)
    assert asyncio.run(program.study_tools.monitors(program.store.monitors).look()) == []
    asyncio.run(program.close())


KILLED = """
import asyncio, sys
from pathlib import Path
from qhub_desktop.tools.studies import monitors as at_work
from tests.program import offline_program

at_work.QUIET_S = 0.0
program = offline_program(Path(sys.argv[1]))
store = program.store.monitors
record = store.record

async def told(*given):
    found = await record(*given)
    print("stored", flush=True)
    return found

store.record = told
asyncio.run(program.study_tools.monitors(store).look())
"""


async def test_a_program_that_is_killed_between_files_goes_on_with_the_next(
    tmp_path: Path, patient: None
) -> None:
    first = ToolHarness(tmp_path)
    await first.drop(export(tmp_path / "linha.csv", CALM))
    folder = tmp_path / "exportações"
    folder.mkdir()
    await watch(first, folder, coluna="espessura", regras=["nelson1"], congelar=30)
    await first.program.close()
    for at in range(6):
        export(folder / f"f{at}.csv", [100.0 + at / 4, HIGH + at])

    child = subprocess.Popen(  # noqa: ASYNC220  killed below
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert child.stdout is not None
    seen = [child.stdout.readline() for _each in range(2)]
    child.kill()
    child.wait()
    child.stdout.close()
    assert seen == ["stored\n", "stored\n"]

    second = ToolHarness(tmp_path)
    rest = individuals(await monitors_of(second).look())
    everything = individuals(list(await second.store.monitors.violations()))
    assert 2 <= len(everything) - len(rest) < 6
    assert sorted(everything) == [(f"f{at} · 2", HIGH + at) for at in range(6)]
    await second.program.close()
