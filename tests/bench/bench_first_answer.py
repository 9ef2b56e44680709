"""The first answer by Claude: its SDK loaded after the first paint, or with the question.

Run it as `python -m tests.bench.bench_first_answer`. For each way: the time from the question to
the first word, and the longest that the window stood still while the SDK was being loaded. Every
run is a process of its own with the real window, the two ways in turn.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

import dev
from tests.bench.record import Figure, record
from tests.wire.scenes import answer
from tests.wire.server_process import WireProcess

RUNS = 5
WAYS = {"after the first paint": "ahead", "with the question": "asked"}
WINDOW = """
import asyncio, json, sys, time
from qhub_desktop import app
from qhub_desktop.core.events import TextAdded
class Audience:
    first = 0.0
    def show(self, event):
        if isinstance(event, TextAdded) and not self.first:
            self.first = time.perf_counter()
    async def approve(self, request):
        return None
async def tick(gaps):
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.002)
        gaps.append(time.perf_counter() - began - 0.002)
async def live(program, application, *_others):
    from qhub_desktop.ui.appearance import Appearance
    from qhub_desktop.ui.shell.main_window import MainWindow
    window = MainWindow(program.services(), Appearance(application, program.settings))
    gone = asyncio.ensure_future(window.until_closed())
    await window.open()
    talk = (await window.controller.frame.centre.ensure_conversation()).id
    await asyncio.sleep(2)  # what else is loaded after the first paint
    gaps, audience = [], Audience()
    ticking = asyncio.create_task(tick(gaps))
    if sys.argv[1] == "ahead":
        await program.warm()
        while not program.claude._http:
            await asyncio.sleep(0.01)
    asked = time.perf_counter()
    await program.turns.reply(talk, "porque temos tanto lixo na rack R12?", audience=audience)
    ticking.cancel()
    print(json.dumps([audience.first - asked, max(gaps)]), flush=True)
    window.close()
    await gone
    await program.close()
from qhub_desktop.ui.shell import window_loop
window_loop.run_one  # raises where it is no longer called so
window_loop.run_one = live
app.run_window()
"""


def main() -> int:
    """Print and keep the figures."""
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    script = [answer("Olá, são os filtros.") for _ in range(RUNS * len(WAYS))]
    with (
        tempfile.TemporaryDirectory() as home,
        dev.virtual_display() as display,
        WireProcess([*script]) as server,
    ):
        surroundings = {
            **os.environ,
            "QHUB_HOME": home,
            "DISPLAY": display,
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "key-for-tests",
        }
        surroundings.pop("QT_QPA_PLATFORM", None)
        for _run in range(RUNS):
            for way, mode in WAYS.items():
                done = subprocess.run(
                    [sys.executable, "-c", WINDOW, mode],
                    stdout=subprocess.PIPE,
                    check=True,
                    cwd=dev.ROOT,
                    encoding="utf-8",
                    env=surroundings,
                )
                found[way].append(tuple(json.loads(done.stdout.splitlines()[-1])))
    figures: dict[str, dict[str, Figure]] = {
        way: {
            "first_word_s": statistics.median(first for first, _gap in runs),
            "longest_stall_ms": statistics.median(gap for _first, gap in runs) * 1000,
        }
        for way, runs in found.items()
    }
    record("first_answer", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
