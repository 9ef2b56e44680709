"""Work given to real children: replies, progress, cancellation, limits, and nothing left behind."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from qhub_desktop.__main__ import CHILDREN
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.processes import child, supervisor
from qhub_desktop.core.processes.child import Child, ChildGoneError, ChildMemoryError
from qhub_desktop.core.processes.supervisor import ChildRunner, ChildServer, Progress
from tests.waiting import until

AT_ONCE_S = 10  # as against the 600 that a child hangs
FAILURE = "It could not be done."
LACKED_MEMORY = "It lacked memory."
LACKED_TIME = "It lacked time."

Start = Callable[[str], Callable[[], Child]]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """How a mode of `tests.core.processes.children` is started; all are gone when the test ends."""
    started: list[Child] = []

    def start(mode: str) -> Callable[[], Child]:
        def begin() -> Child:
            started.append(Child(mode, memory_mb=512))
            return started[-1]

        return begin

    monkeypatch.setattr(
        child, "command", lambda mode: [sys.executable, "-m", "tests.core.processes.children", mode]
    )
    yield start
    end = time.monotonic() + AT_ONCE_S
    # A spare child that was starting when its runner closed ends just after.
    while any(each.is_alive for each in started) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [each for each in started if each.is_alive]


async def test_a_child_gets_its_request_and_what_it_returns_is_the_reply(played: Start) -> None:
    heard: list[Progress] = []
    request: JsonObject = {"peça": [1, None, "ç"]}
    runner = ChildRunner(played("echo"))
    assert await runner.run(request, failure=FAILURE, on_progress=heard.append) == request
    assert heard == [Progress("half", 0.5)]


async def test_an_error_of_a_child_is_raised_with_its_sentence(
    played: Start,
) -> None:
    with pytest.raises(ToolError, match="no such table"):
        await ChildRunner(played("refuse")).run({}, failure=FAILURE)


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("die", FAILURE),
        ("unknown", FAILURE),
        ("swell", LACKED_MEMORY),
        ("abort", LACKED_MEMORY),
        ("hang", LACKED_TIME),
    ],
)
async def test_each_end_of_a_child_has_its_own_sentence(
    played: Start, tmp_path: Path, mode: str, sentence: str
) -> None:
    runner = ChildRunner(played(mode), limit_s=2 if mode == "hang" else None)
    with pytest.raises(UserError, match=sentence):
        await runner.run(
            {"draft": str(tmp_path / "draft")},
            failure=FAILURE,
            out_of_memory=LACKED_MEMORY,
            out_of_time=LACKED_TIME,
        )


async def test_a_child_that_the_system_kills_lacked_memory(played: Start) -> None:
    server = ChildServer(played("count"))
    is_asked = threading.Event()

    def wait(child: Child) -> object:
        is_asked.set()
        return child.receive()

    # In the middle of a request: between two of them it is replaced by one that waits for words.
    asked = asyncio.ensure_future(server.ask(wait))
    await until(is_asked.is_set)
    assert server._child is not None
    psutil.Process(server._child._process.pid).kill()

    # Windows has no such ending: it refuses memory, and kills nobody for it.
    expected = ChildGoneError if sys.platform == "win32" else ChildMemoryError
    with pytest.raises(expected):
        await asked
    server.close()


async def test_addresses_that_are_only_reserved_count_for_nothing(played: Start) -> None:
    assert await ChildRunner(played("reserve")).run({}, failure=FAILURE) == 2**30 + 2**23


async def test_a_child_that_nobody_needs_ends_and_the_next_request_has_another(
    played: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "IDLE_S", 0.3)
    started: list[Child] = []
    begin = played("echo")

    def start() -> Child:
        started.append(begin())
        return started[-1]

    runner = ChildRunner(start)

    runner.warm()
    await until(lambda: started and not started[0].is_alive)

    assert await runner.run({"a": 1}, failure=FAILURE) == {"a": 1}
    assert len(started) >= 2
    runner.close()


@pytest.mark.parametrize("end", ["cancelled", "closed", "out of time"])
async def test_a_child_ends_at_once_and_its_files_with_it(
    played: Start, tmp_path: Path, end: str
) -> None:
    runner = ChildRunner(played("hang"), limit_s=1 if end == "out of time" else None)
    hangs = asyncio.Event()

    def files(stack: ExitStack) -> JsonObject:
        folder = stack.enter_context(TemporaryDirectory(dir=tmp_path))
        return {"draft": str(Path(folder) / "draft")}

    work = asyncio.create_task(
        runner.run({}, failure=FAILURE, files=files, on_progress=lambda _progress: hangs.set())
    )
    if end != "out of time":
        await hangs.wait()
    began = time.monotonic()
    if end == "cancelled":
        work.cancel()
    elif end == "closed":
        runner.close()
    await asyncio.wait([work], timeout=AT_ONCE_S)
    assert work.done()
    assert time.monotonic() - began < AT_ONCE_S
    assert work.cancelled() if end == "cancelled" else isinstance(work.exception(), UserError)
    assert not [*tmp_path.iterdir()]  # noqa: ASYNC240


async def test_a_runner_that_keeps_one_ready_uses_it(played: Start) -> None:
    before = living()
    runner = ChildRunner(played("echo"))
    runner.warm()
    assert await runner.run({"n": 1}, failure=FAILURE) == {"n": 1}
    assert await runner.run({"n": 2}, failure=FAILURE) == {"n": 2}
    runner.close()
    await until(lambda: living() <= before, "the end of the one that was started for the next")


def living() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def said(message: Json, sent: threading.Event | None = None) -> Callable[[Child], Json]:
    def talk(child: Child) -> Json:
        child.send(message)
        if sent is not None:
            sent.set()
        return child.receive()

    return talk


async def test_a_server_keeps_its_child_and_replaces_one_that_has_died(played: Start) -> None:
    server = ChildServer(played("count"), greet=said("hello"))
    assert [await server.ask(said("one more")) for _each in range(2)] == [2, 3]
    with pytest.raises(ChildGoneError):
        await server.ask(said(0))
    assert await server.ask(said("one more")) == 2
    server.close()


async def test_a_server_that_is_no_longer_waited_for_lets_the_next_in(played: Start) -> None:
    server = ChildServer(played("count"))
    assert await server.ask(said("one more")) == 1
    with pytest.raises(TimeoutError):
        await server.ask(said(-1), limit_s=0.2)
    hangs = threading.Event()
    asked = asyncio.create_task(server.ask(said(-1, hangs)))
    await until(hangs.is_set, "the child being asked")
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert await server.ask(said("one more")) == 1
    server.close()
    with pytest.raises(RuntimeError):
        await server.ask(said("one more"))


@pytest.mark.parametrize("mode", CHILDREN)
def test_every_mode_of_the_program_has_its_function(mode: str) -> None:
    module, function = CHILDREN[mode].split(":")
    assert callable(getattr(import_module(module), function))
