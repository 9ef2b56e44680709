"""How an answer of 5,000 deltas a second is read: the program's model beside the SDK alone.

Run it as `python -m tests.bench.bench_stream`. The goal: the loop never stands still for 50 ms, on
Qt's loop as on asyncio's. The service runs in a process of its own.
"""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anthropic
import qasync
from PySide6.QtWidgets import QApplication

from qhub_desktop.chat.claude.client import Claude
from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.core.events import ModelRequest, TextAdded
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import Settings
from tests.bench.record import Figure, record
from tests.chat.requests import NOW
from tests.wire.scenes import answer
from tests.wire.server_process import WireProcess

DELTAS = 20_000
CHARACTERS = 8
TICK_S = 0.002

Read = Callable[[str], Awaitable[tuple[int, int]]]


async def sdk_alone(url: str) -> tuple[int, int]:
    """The SDK's own stream, every event read and dropped."""
    client = anthropic.AsyncAnthropic(api_key="sk-test", base_url=url)
    characters = pieces = 0
    async with client:
        stream = await client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=4096,
            messages=[{"role": "user", "content": "Conta."}],
            stream=True,
        )
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                characters += len(event.delta.text)
                pieces += 1
    return characters, pieces


async def through_claude(url: str) -> tuple[int, int]:
    """The program's model, as a turn reads it."""
    claude = Claude(
        settings=Settings,
        key=lambda _service: "sk-test",
        prices=load_prices(RESOURCES, Path("nowhere")),
        environment={"ANTHROPIC_BASE_URL": url},
    )
    question = Message(MessageId(1), "user", (Text("Conta."),), NOW)
    request = ModelRequest("Conta.", (question,), (), (), "", 4096)
    characters = pieces = 0
    async for event in claude.stream(request):
        if isinstance(event, TextAdded):
            characters += len(event.content)
            pieces += 1
    await claude.close()
    return characters, pieces


async def measured(read: Read, url: str) -> dict[str, Figure]:
    """One reading: its time, its CPU, and the longest that the loop stood still."""
    await read(url)  # imports and first connections are not what is measured
    gc.collect()
    gaps: list[float] = []
    ticking = asyncio.create_task(_tick(gaps))
    begun, cpu = time.perf_counter(), time.process_time()
    characters, pieces = await read(url)
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    ticking.cancel()
    assert characters == DELTAS * CHARACTERS, characters
    gaps.sort()
    return {
        "time_s": took,
        "cpu_s": cpu,
        "cpu_us_per_delta": cpu / DELTAS * 1e6,
        "longest_stall_ms": gaps[-1] * 1000,
        "99_percent_ms": gaps[len(gaps) * 99 // 100] * 1000,
        "pieces": pieces,
    }


async def _tick(gaps: list[float]) -> None:
    """Note how much later than asked the loop comes round."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(TICK_S)
        gaps.append(time.perf_counter() - begun - TICK_S)


def main() -> int:
    """Measure both readers, on both loops, at both speeds."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(sys.argv[:1])
    text = "x" * (DELTAS * CHARACTERS)
    first = answer("x" * CHARACTERS * 10, size=CHARACTERS)
    figures: dict[str, dict[str, Figure]] = {}
    for speed, pace in (("5,000/s", 5_000.0), ("flood", None)):
        scene = answer(text, size=CHARACTERS, pace=pace)
        for name, read in (("SDK alone", sdk_alone), ("Claude", through_claude)):
            with WireProcess([first, scene]) as server:
                figures[f"{name}, asyncio, {speed}"] = asyncio.run(measured(read, server.url))
            with WireProcess([first, scene]) as server, qasync.QEventLoop(application) as loop:
                asyncio.set_event_loop(loop)
                figures[f"{name}, qasync, {speed}"] = loop.run_until_complete(
                    measured(read, server.url)
                )
                asyncio.set_event_loop(None)
    record("stream", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
