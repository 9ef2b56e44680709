"""The local model with a real engine, in its own process, from question to end."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.chat.local.local_model import LocalModel
from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.events import (
    Answering,
    ModelRequest,
    StatusChanged,
    TextAdded,
    UsageCounted,
)
from qhub_desktop.core.machine import Machine
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import Settings
from tests.chat.local.tiny_model import DONE, make_model
from tests.chat.requests import answered, asked, hear, request_of
from tests.waiting import until

ROOMY = Machine(cores=2, free_bytes=8 * 2**30, battery=None)
TIGHT = replace(ROOMY, free_bytes=2**29)
LOW = replace(ROOMY, battery=0.1)


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("Modelos São João") / "o pequeno.gguf")


@pytest.fixture(scope="session")
def endless_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that, once it has a result, does not stop saying that it is done."""
    return make_model(tmp_path_factory.mktemp("modelos") / "sem fim.gguf", ends=False)


@asynccontextmanager
async def local_model(
    file: Path, machine: Machine = ROOMY, **more: Any
) -> AsyncIterator[LocalModel]:
    async def wanted(_request: ModelRequest) -> tuple[str, ...]:
        return ("contar_defeitos",)

    settings = Settings(local_model=str(file))
    model = LocalModel(
        settings=lambda: settings,
        prices=load_prices(RESOURCES, Path()),
        prompt="És breve.",
        wanted_tools=wanted,
        machine=lambda: machine,
        **more,
    )
    try:
        yield model
    finally:
        await model.close()


def child_of_this() -> psutil.Process:
    """The process of the engine."""
    (found,) = (
        each
        for each in psutil.Process().children()
        if each.is_running() and "model" in each.cmdline()[-1:]
    )
    return found


async def test_a_question_becomes_a_call_and_its_result_the_end(model_file: Path) -> None:
    async with local_model(model_file) as model:
        first = await hear(model)
        (call,) = first.of(ToolCall)
        result = ToolResult(call.id, {"total": 200})
        under_way = answered(call, result, engine="local:Pequeno")
        last = await hear(model, request_of(asked("Quantos defeitos há?"), under_way))

    assert (first.failure, last.failure) == (None, None)
    assert (call.name, call.input) == ("contar_defeitos", {})
    assert first.of(Answering)[-1] == Answering("local:Pequeno")
    assert last.text == DONE
    assert [each.cost_usd for each in first.of(UsageCounted)] == [0.0]
    assert "Pequeno" in first.of(StatusChanged)[-1].text


async def test_two_questions_at_once_wait_for_each_other(model_file: Path) -> None:
    async with local_model(model_file) as model:
        both = await asyncio.gather(hear(model), hear(model))

    assert [len(each.of(ToolCall)) for each in both] == [1, 1]


async def test_stopping_ends_the_answer_at_once_and_the_next_one_comes(endless_file: Path) -> None:
    call = ToolCall("a", "contar_defeitos", {})
    under_way = answered(call, ToolResult("a", {"total": 200}), engine="local:Pequeno")
    request = request_of(asked("Quantos?"), under_way)
    async with local_model(endless_file) as model:
        began = asyncio.Event()

        async def listen() -> None:
            async for event in model.stream(request):
                if isinstance(event, TextAdded):
                    began.set()

        listening = asyncio.create_task(listen())
        await began.wait()
        listening.cancel()
        stopped = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await listening
        assert time.monotonic() - stopped < 1.0
        assert (await hear(model)).of(ToolCall)


async def test_an_engine_that_is_killed_is_one_sentence_and_the_next_question_starts_another(
    endless_file: Path,
) -> None:
    call = ToolCall("a", "contar_defeitos", {})
    under_way = answered(call, ToolResult("a", {"total": 200}), engine="local:Pequeno")
    async with local_model(endless_file) as model:
        failure = None
        try:
            async for event in model.stream(request_of(asked("Quantos?"), under_way)):
                if isinstance(event, TextAdded):
                    child_of_this().kill()
        except ServiceError as error:
            failure = str(error)
        assert "The local model has ended" in (failure or "")
        assert (await hear(model)).of(ToolCall)


async def test_an_engine_that_goes_silent_is_given_up(endless_file: Path) -> None:
    call = ToolCall("a", "contar_defeitos", {})
    under_way = answered(call, ToolResult("a", {"total": 200}), engine="local:Pequeno")
    failure = None
    async with local_model(endless_file, silence_s=1.0) as model:
        await hear(model)  # it is loaded
        try:
            async for event in model.stream(request_of(asked("Quantos?"), under_way)):
                if isinstance(event, TextAdded):
                    child_of_this().suspend()
        except ServiceError as error:
            failure = str(error)
    assert "has written nothing" in (failure or "")


async def test_only_who_has_the_key_is_answered_and_only_on_loopback(model_file: Path) -> None:
    async with local_model(model_file) as model:
        await hear(model)
        listening = [
            each.laddr
            for each in child_of_this().net_connections("inet")
            if each.status == psutil.CONN_LISTEN
        ]
        port = listening[0].port
        async with httpx2.AsyncClient(trust_env=False) as client:
            body = {"model": "m", "max_tokens": 1, "messages": []}
            refused = await client.post(f"http://127.0.0.1:{port}/v1/messages", json=body)

    assert {each.ip for each in listening} == {"127.0.0.1"}
    assert refused.status_code == 401


async def test_the_walls_that_this_system_has_stand_around_the_engine(model_file: Path) -> None:
    async with local_model(model_file) as model:
        await hear(model)
        told = _status_of(child_of_this())

    assert ("system calls" in model.walls) == ("Seccomp:\t2" in told)


async def test_a_history_longer_than_the_context_loses_its_oldest_questions(
    model_file: Path,
) -> None:
    long = "palavra " * 2_000
    history = [asked(long), answered(Text(long)), asked(long), answered(Text(long))]
    async with local_model(model_file) as model:
        heard = await hear(model, request_of(*history, asked("Quantos defeitos há?")))
        alone = await hear(model, request_of(asked(long)))

    assert heard.of(ToolCall)
    assert isinstance(alone.failure, ServiceError)
    assert "more than the local model can read" in str(alone.failure)


@pytest.mark.parametrize(
    ("machine", "said"), [(TIGHT, "needs .* of memory"), (LOW, "The battery is low")]
)
async def test_without_memory_or_battery_nothing_is_loaded(
    model_file: Path, machine: Machine, said: str
) -> None:
    async with local_model(model_file, machine) as model:
        with pytest.raises(UserError, match=said):
            async for _event in model.stream(request_of()):
                pass
        assert psutil.Process().children() == [] or not _has_engine()


def _has_engine() -> bool:
    return any("model" in each.cmdline()[-1:] for each in psutil.Process().children())


async def test_a_damaged_file_and_one_that_the_engine_cannot_run_are_sentences(
    model_file: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cortado.gguf"
    await asyncio.to_thread(_copy_start, model_file, cut)
    strange = make_model(tmp_path / "estranho.gguf", architecture="naoexiste")
    broken = make_model(tmp_path / "partido.gguf", template="{{ messages | nada }}{% tools")
    refusing = make_model(
        tmp_path / "recusa.gguf", template="{% if tools %}{{ raise_exception('n') }}{% endif %}"
    )
    cannot = "The engine cannot run this model"
    bad = ((cut, "is cut short"), (strange, cannot), (broken, cannot), (refusing, cannot))
    for file, said in bad:
        async with local_model(file) as model:
            with pytest.raises(UserError, match=said):
                async for _event in model.stream(request_of()):
                    pass


async def test_an_idle_engine_is_let_go(model_file: Path) -> None:
    async with local_model(model_file, idle_s=0.2) as model:
        await hear(model)
        process = child_of_this()
        await until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
        assert (await hear(model)).of(ToolCall)


async def test_a_model_that_repeats_itself_or_fails_twice_is_given_up(model_file: Path) -> None:
    one, two = (ToolCall(each, "contar_defeitos", {}) for each in "ab")
    other = ToolCall("b", "top_defeitos", {})
    failed = [ToolResult(each, {"erro": "x"}, is_error=True) for each in "ab"]
    repeating = answered(one, ToolResult("a", {}), two, ToolResult("b", {}))
    failing = answered(one, failed[0], other, failed[1])
    async with local_model(model_file) as model:
        for answer, said in ((repeating, "repeats itself"), (failing, "no call that works")):
            heard = await hear(model, request_of(asked("Quantos?"), answer))
            assert said in str(heard.failure)


def _status_of(process: psutil.Process) -> str:
    status = Path(f"/proc/{process.pid}/status")
    return status.read_text(encoding="utf-8") if status.exists() else ""


def _copy_start(model: Path, target: Path) -> None:
    target.write_bytes(model.read_bytes()[:-50_000])


OWNER = """
import asyncio, sys
from pathlib import Path
from tests.chat.local.test_local_model import local_model
from tests.chat.requests import hear
async def main():
    async with local_model(Path(sys.argv[1])) as model:
        await hear(model)
        import psutil
        print(psutil.Process().children()[0].pid, flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def test_a_program_that_is_killed_leaves_no_engine_behind(model_file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(model_file)], stdout=subprocess.PIPE, encoding="utf-8"
    ) as owner:
        assert owner.stdout is not None
        engine = psutil.Process(int(owner.stdout.readline()))
        os.kill(owner.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        owner.wait()
        assert engine.wait(timeout=30) is None or not engine.is_running()
