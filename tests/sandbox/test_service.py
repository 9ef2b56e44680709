"""The door to the sandbox: limits, cancelling, kills, what is handed over, and what is missing."""

import asyncio
import ctypes
import os
import random
import subprocess
import sys
import time
from datetime import date, datetime
from pathlib import Path

import psutil
import pytest
import wasmtime

from qhub_desktop import sandbox
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import HOLD_FILE
from qhub_desktop.core.processes.child import ChildGoneError, _BasicLimits, _ExtendedLimits
from qhub_desktop.core.processes.walls import Walls, _Privilege, _SidAndAttributes
from qhub_desktop.core.table import Column
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.sandbox import PythonData, PythonService, engine
from tests.sandbox.conftest import OwnChildren

KINDS = """
assert [str(each) for each in dados['tipos.csv'].dtypes] == {dtypes}, tipos.dtypes
tipos.head(2)
"""


async def test_the_value_of_the_last_line_is_shown(python: PythonService) -> None:
    run = await python.run("x = 20\nprint('olá')\nx + 1")

    assert (run.output, run.error, run.limit) == ("olá\n21", None, None)


async def test_output_is_cut_and_that_is_said(python: PythonService) -> None:
    run = await python.run("for at in range(10_000):\n    print('x' * 99)")

    assert run.output.startswith("x" * 99 + "\n")
    assert run.output.endswith("\n[The output was cut here: 5000 characters are the most.]")
    assert (run.limit, run.succeeded) == ("output", True)


async def test_an_error_names_the_lines_of_the_code_alone(python: PythonService) -> None:
    run = await python.run("def f():\n    return pd.DataFrame({'a': [1]})['b']\n\nf()")

    assert run.error == (
        "linha 4: f()\nlinha 2, em f: return pd.DataFrame({'a': [1]})['b']\nKeyError: 'b'"
    )


async def test_a_long_error_is_trimmed(python: PythonService) -> None:
    run = await python.run("raise ValueError('x' * 100_000)")

    assert run.error is not None
    assert len(run.error) <= 2_000


async def test_frames_and_series_become_tables(python: PythonService) -> None:
    run = await python.run(
        "d = pd.DataFrame({'dia': pd.to_datetime(['2026-03-01', None]), 'n': [1, 2],"
        " 'peso': [1.5, float('inf')], 'ok': [True, False], 'nome': ['ç', None]})\n"
        "{'um': d, 'dois': d.groupby('nome').n.sum()}"
    )

    one, two = run.tables
    assert one.table.columns == (
        Column("dia", "date"),
        Column("n", "integer"),
        Column("peso", "number"),
        Column("ok", "boolean"),
        Column("nome", "text"),
    )
    assert one.table.rows == (
        (date(2026, 3, 1), 1, 1.5, True, "ç"),
        (None, 2, None, False, None),
    )
    assert (two.title, two.table.names, two.table.rows) == ("dois", ("nome", "n"), (("ç", 1),))


async def test_of_many_rows_the_first_come_and_the_count_is_told(python: PythonService) -> None:
    run = await python.run("pd.DataFrame({'n': range(5_000)})")

    (table,) = run.tables
    assert (len(table.table.rows), table.row_count) == (1_000, 5_000)


async def test_charts_are_asked_for_with_their_values(python: PythonService) -> None:
    run = await python.run("grafico('bar', 'Título', pd.Series({'a': 1, 'b': 2}, name='n'), y='n')")

    (figure,) = run.figures
    assert (figure.kind, figure.title, figure.y) == ("bar", "Título", ("n",))
    assert figure.table.rows == (("a", 1), ("b", 2))


async def test_a_chart_of_an_unknown_kind_is_refused(python: PythonService) -> None:
    run = await python.run("grafico('bolo', 't', {'a': 1})")

    assert run.error is not None
    assert "tipo de gráfico desconhecido: 'bolo'; há: " in run.error
    assert run.figures == ()


async def test_memory_has_a_limit_of_its_own(python: PythonService) -> None:
    enough = await python.run("len(np.ones(40_000_000))")
    too_much = await python.run("np.ones(80_000_000)")

    assert (enough.output, enough.error) == ("40000000", None)
    assert too_much.limit == "memory"
    assert too_much.error is not None
    assert too_much.error.startswith("The code needed more than the 512 MB of memory")


async def test_what_was_printed_before_the_time_was_up_is_kept(python: PythonService) -> None:
    run = await python.run("print('antes')\nwhile True:\n    pass", limit_s=0.5)

    assert (run.output, run.limit) == ("antes\n", "time")


async def test_cancelling_ends_a_run_at_once_and_the_next_one_starts_anew(
    python: PythonService,
) -> None:
    await python.run("1")
    running = asyncio.create_task(python.run("while True:\n    pass"))
    await asyncio.sleep(0.3)
    began = time.perf_counter()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert time.perf_counter() - began < 10  # of the 30 s that it had
    assert (await python.run("1 + 1")).output == "2"


async def test_a_process_that_is_killed_is_an_error_and_no_more(
    python: PythonService, own_children: OwnChildren
) -> None:
    moments = random.Random(1)
    await python.run("1")
    for _kill in range(10):
        (process,) = own_children()
        running = asyncio.create_task(python.run("sum(range(3_000_000))"))
        await asyncio.sleep(moments.uniform(0, 0.4))
        psutil.Process(process).kill()
        run = await running
        assert run.output == "4499998500000" or (
            run.error == "The safe Python was ended from outside. Run the code again."
        )
        assert (await python.run("1 + 1")).output == "2"


async def test_columns_arrive_with_their_types(
    python: PythonService, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "tipos.csv"
    lines = ["n,peso,nome,dia,quando,hora,ok,vazio_n,rotulo"]
    lines += [
        f"{at},{at + 0.5},Ação {at},2026-03-{at + 1:02},2026-03-{at + 1:02} 07:30:00,07:{at:02}:00,"
        f"{'sim' if at % 2 else 'não'},{'' if at % 3 else at},{'' if at % 4 else 'x'}"
        for at in range(28)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (profile,) = await workspace.load(file)
    dtypes = ["int64", "float64", "str", "datetime64[us]", "datetime64[us]", "object", "bool"]

    async with python.handing_over() as folder:
        columns = await workspace.write_columns(profile.id, folder / "0")
        data = [PythonData("tipos", file.name, folder / "0", columns)]
        run = await python.run(KINDS.format(dtypes=[*dtypes, "Int64", "str"]), data)

    assert run.error is None
    (table,) = run.tables
    assert table.table.rows[1][:7] == (
        *(1, 1.5, "Ação 1", date(2026, 3, 2), datetime(2026, 3, 2, 7, 30)),
        *(table.table.rows[1][5], True),
    )
    assert str(table.table.rows[1][5]) == "07:01:00"
    assert table.table.rows[1][7:] == (None, None)


async def test_many_different_texts_arrive_in_order(
    python: PythonService, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "lotes.csv"
    names = [f"L{at * 7919 % 40_000}" if at % 11 else "" for at in range(40_000)]
    rows = "\n".join(f"{at},{name}" for at, name in enumerate(names))
    file.write_text(f"n,lote\n{rows}\n", encoding="utf-8")
    (profile,) = await workspace.load(file)

    async with python.handing_over() as folder:
        columns = await workspace.write_columns(profile.id, folder / "0")
        data = [PythonData("lotes", file.name, folder / "0", columns)]
        run = await python.run(
            "print(lotes.lote.isna().sum(), lotes.lote.nunique(), lotes.lote.iloc[39_999])", data
        )

    expected = (names.count(""), len({*names} - {""}), names[-1])
    assert (run.output, run.error) == ("{} {} {}\n".format(*expected), None)


WALLS = {
    "linux": {"memory", "files", "system calls", "network", "other processes"},
    "win32": {"memory", "one process", "no privileges", "low integrity"},
}


async def test_every_wall_of_this_system_stands_or_is_told_to_be_missing(
    python: PythonService,
) -> None:
    await python.run("1")

    assert {*python.walls} | {*python.missing_walls} == WALLS[sys.platform]
    assert {*python.walls} & {*python.missing_walls} == set()
    assert (await python.run("print(6 * 7)")).output == "42\n"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_the_walls_of_linux_stand(python: PythonService, own_children: OwnChildren) -> None:
    await python.run("1")

    assert "memory" in python.walls
    (process,) = own_children()
    status = _told_of(process, "status")
    assert ("system calls" in python.walls) == ("Seccomp:\t2" in status)
    assert "KEY" not in _told_of(process, "environ")


@pytest.mark.parametrize("error", [OSError("not here"), AttributeError("no such function")])
def test_a_wall_that_cannot_be_built_is_missing_and_nothing_more(error: Exception) -> None:
    walls = Walls()

    def fail() -> None:
        raise error

    walls.stand("one", lambda: None)
    walls.stand("other", fail)

    assert (walls.standing, walls.missing) == (["one"], {"other": str(error)})


def test_what_windows_is_handed_has_its_sizes() -> None:
    sizes = {
        _SidAndAttributes: 16,
        _Privilege: 12,
        _BasicLimits: 64,
        _ExtendedLimits: 144,
    }
    assert {each: ctypes.sizeof(each) for each in sizes} == sizes
    assert _BasicLimits.LimitFlags.offset == 16
    assert _BasicLimits.ActiveProcessLimit.offset == 40
    assert _ExtendedLimits.ProcessMemoryLimit.offset == 112
    assert _SidAndAttributes.Attributes.offset == 8
    assert _Privilege.Attributes.offset == 8


def _told_of(process: int, what: str) -> str:
    return Path(f"/proc/{process}/{what}").read_text(encoding="utf-8")


async def test_what_was_handed_over_is_deleted(python: PythonService, home: Path) -> None:
    async with python.handing_over() as folder:
        (folder / "0").write_bytes(b"a")

    assert not folder.exists()
    python.close()
    assert [*(home / "unfinished").iterdir()] == []


def test_an_image_is_the_same_wherever_it_is_made() -> None:
    # What chance, time and this process' addresses would put into it would change its hash, and the
    # pack of the packaged program with it.
    code = (
        "import hashlib, wasmtime\n"
        "from qhub_desktop.sandbox import engine\n"
        "package, (module, _image) = engine.package_folder(), engine.places()\n"
        "runtime = wasmtime.Engine(engine._configured())\n"
        "compiled = wasmtime.Module.deserialize_file(runtime, str(module))\n"
        "data = engine.code_and_data((package / 'python.wasm').read_bytes())[1]\n"
        "library = package / 'python-stdlib.zip'\n"
        "made = engine._start_image(runtime, compiled, data, library)\n"
        "print(hashlib.sha256(engine.Image.of(made).content).hexdigest())\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout

    made = engine.find()
    assert made is not None
    assert told.strip() == made.sha256[made.image.name]


def test_an_image_is_the_memory_without_its_zeros(tmp_path: Path) -> None:
    memory = bytearray(engine.PAGE * 40)
    memory[5_000:5_004] = b"here"
    memory[2**20 : 2**20 + 2**20 + 9] = bytes([7]) * (2**20 + 9)
    file = tmp_path / "image"
    file.write_bytes(engine.Image.of(bytes(memory)).content)

    content = engine.mapped(file)
    assert content is not None
    read = engine.Image.read(content)
    store = wasmtime.Store()
    restored = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
    read.restore(restored, store)

    assert file.stat().st_size < 2**20 + 4 * engine.CHUNK
    assert bytes(restored.read(store, 0, restored.data_len(store))) == bytes(memory)


def test_what_no_version_has_used_for_a_day_is_deleted_when_another_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "places", lambda: (tmp_path / "2.cwasm", tmp_path / "2.image"))
    made: list[str] = []
    monkeypatch.setattr(engine, "make", lambda *_given: made.append("made"))
    for name in ("0.image", "1.image", "1.cwasm", "2.image", "2.cwasm"):
        for path in (tmp_path / name, tmp_path / f"{name}.json"):
            path.write_bytes(b"x")
            if not name.startswith("1"):
                os.utime(path, (0, 0))
    (tmp_path / "0.part").write_bytes(b"half of one")

    engine.prepare(made.append)

    kept = {each.name for each in tmp_path.iterdir()} - {HOLD_FILE}
    assert made == ["made"]
    assert {each for each in kept if not each.endswith(".json")} == {
        *("1.image", "1.cwasm", "2.image", "2.cwasm")
    }
    assert len(kept) == 8


def test_what_is_loaded_counts_as_used() -> None:
    made = engine.find()
    assert made is not None
    for path in (made.module, made.image):
        os.utime(path, (1_000_000_000, 1_000_000_000))

    engine.load()

    assert min(made.module.stat().st_mtime, made.image.stat().st_mtime) > 1_000_000_000


async def test_without_an_engine_nothing_runs_and_that_is_said(
    python: PythonService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(child: object) -> None:  # as the process answers where its engine is not whole
        python._missing = "The safe Python is not whole."

    monkeypatch.setattr(python._server, "_greet", missing)

    with pytest.raises(UserError, match="not whole"):
        await python.run("1")


class _Child:
    """A process that answers what a guest with a hole in it could."""

    def __init__(self, *answers: object) -> None:
        self._answers = [*answers]

    def receive(self) -> object:
        return self._answers.pop(0)


DONE = {
    "ending": "done",
    "detail": "",
    "output": "",
    "ms": 1,
    "parts": 1,
    "value": None,
    "error": None,
    "kind": None,
}
GOOD = {"titulo": "t", "colunas": [["a", "integer"]], "linhas": [[1]], "total": 1}


@pytest.mark.parametrize(
    "table",
    [
        {**GOOD, "linhas": [["1"]]},
        {**GOOD, "linhas": [[True]]},
        {**GOOD, "linhas": [[2**63]]},
        {**GOOD, "linhas": [[1, 2]]},
        {**GOOD, "linhas": [1]},
        {**GOOD, "linhas": [[1]] * 20_001, "total": 20_001},
        {**GOOD, "linhas": [[1], [2]]},
        {**GOOD, "total": "1"},
        {**GOOD, "titulo": 1},
        {**GOOD, "colunas": [["a", "html"]]},
        {**GOOD, "colunas": [["a", "integer"], ["a", "integer"]], "linhas": [[1, 1]]},
        {**GOOD, "colunas": [["a" * 300, "integer"]]},
        {**GOOD, "colunas": [["a", "date"]], "linhas": [["yesterday"]]},
        {**GOOD, "colunas": [["a", "text"]], "linhas": [["x" * 501]]},
        {**GOOD, "colunas": [["a", "number"]], "linhas": [[10**400]]},
        {**GOOD, "colunas": {"a": "integer"}},
    ],
)
def test_a_result_of_another_shape_is_none(table: dict[str, object]) -> None:
    child = _Child(DONE, {"tabelas": table})

    with pytest.raises(ChildGoneError):
        sandbox._receive(child, 30)  # type: ignore[arg-type]  # it only receives


def test_a_result_of_the_right_shape_is_one() -> None:
    run = sandbox._receive(_Child(DONE, {"tabelas": GOOD}), 30)  # type: ignore[arg-type]

    assert [each.table.rows for each in run.tables] == [((1,),)]


def test_signs_that_mislead_are_taken_out_of_texts(tmp_path: Path) -> None:
    told = {**DONE, "output": "a\x1b[31m\u202eb\x00", "parts": 0}

    run = sandbox._receive(_Child(told), 30)  # type: ignore[arg-type]

    assert run.output == "a\ufffd[31m\ufffdb\ufffd"
