"""An import of ours in a program of its own: `loading FILE FOLDER [--qt] [--warm] [--cancel S]`.

Prints one JSON object: how long it took, when it was first heard of, how long the loop stood still,
how much memory both processes had at most; or, with `--cancel`, how long it took to be gone.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from qhub_desktop.data.workspace import Progress, Workspace

TICK_S = 0.002
MEMORY_EVERY = 10  # ticks
WARMING_S = 2


@dataclass
class Watch:
    """What was seen of the loop and of the processes meanwhile."""

    longest_s: float = 0.0
    longest_work_s: float = 0.0  # of this thread: what a busy machine does not distort
    child_kb: int = 0

    @property
    def figures(self) -> dict[str, float]:
        """The longest that the loop stood still, by the clock and in work of its own."""
        return {
            "longest_stall_ms": self.longest_s * 1000,
            "longest_work_ms": self.longest_work_s * 1000,
        }

    async def tick(self) -> None:
        """Look again and again, until cancelled."""
        ticks = 0
        last, busy = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(TICK_S)
            now, busy_now = time.perf_counter(), time.thread_time()
            self.longest_s = max(self.longest_s, now - last - TICK_S)
            self.longest_work_s = max(self.longest_work_s, busy_now - busy)
            ticks += 1
            if ticks % MEMORY_EVERY == 0:
                self.child_kb = max([self.child_kb, *map(peak_kb, children())])
            last, busy = time.perf_counter(), time.thread_time()


@asynccontextmanager
async def watching() -> AsyncIterator[Watch]:
    """Watch the loop for as long as something runs in it."""
    watch = Watch()
    ticking = asyncio.create_task(watch.tick())
    await asyncio.sleep(0)
    try:
        yield watch
    finally:
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking


def children() -> list[int]:
    """The processes that this one has started; none where the system does not tell."""
    found: list[int] = []
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, listed.read_text(encoding="ascii").split())
    return found


def peak_kb(process: int | str) -> int:
    """The most memory a process has had; nothing where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


async def load(file: Path, folder: Path, *, is_warm: bool) -> dict[str, float]:
    """Import the file, watched."""
    workspace = Workspace(folder)
    if is_warm:
        workspace.warm(imports=True)
        await asyncio.sleep(WARMING_S)
    heard: list[float] = []

    def listen(_progress: Progress) -> None:
        heard.append(time.perf_counter())

    try:
        async with watching() as watch:
            start = time.perf_counter()
            profiles = await workspace.load(file, on_progress=listen)
            took = time.perf_counter() - start
    finally:
        workspace.close()
    times = os.times()
    silences = [later - earlier for earlier, later in pairwise([start, *heard, start + took])]
    return {
        "rows": profiles[0].rows,
        "load_s": took,
        "cpu_s": times.children_user + times.children_system,  # of the process that read
        "first_progress_ms": (heard[0] - start) * 1000,
        "longest_silence_s": max(silences),
        **watch.figures,
        "child_mb": watch.child_kb / 1024,
        "parent_mb": peak_kb("self") / 1024,
    }


async def cancel(file: Path, folder: Path, after_s: float) -> dict[str, float]:
    """Begin to import, and think better of it."""
    workspace = Workspace(folder)
    try:
        async with watching() as watch:
            loading = asyncio.create_task(workspace.load(file))
            await asyncio.sleep(after_s)
            running = children()
            start = time.perf_counter()
            loading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await loading
            took = time.perf_counter() - start
            left = len(set(running) & set(children())) + await asyncio.to_thread(_kept, folder)
    finally:
        workspace.close()
    return {
        "was_running": len(running),
        "left": left,
        "gone_after_ms": took * 1000,
        **watch.figures,
    }


def _kept(folder: Path) -> int:
    return len(list(folder.glob("*/*")))


def run(work: Awaitable[dict[str, float]], *, has_window: bool) -> dict[str, float]:
    """In a plain loop, or in that of a window."""

    async def whole() -> dict[str, float]:
        return await work

    if not has_window:
        return asyncio.run(whole())
    os.environ["QT_API"] = "pyside6"
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # Only where there is a window to be: what a program without one needs is measured too.
    import qasync
    from PySide6.QtWidgets import QApplication

    QApplication([])
    with qasync.QEventLoop() as loop:
        return dict(loop.run_until_complete(whole()))


def main() -> None:
    """Do it, and print what was seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--qt", action="store_true")
    parser.add_argument("--warm", action="store_true", help="as in a window that has been open")
    parser.add_argument("--cancel", type=float, metavar="S")
    asked = parser.parse_args()
    work = (
        load(asked.file, asked.folder, is_warm=asked.warm)
        if asked.cancel is None
        else cancel(asked.file, asked.folder, asked.cancel)
    )
    print(json.dumps(run(work, has_window=asked.qt)))


if __name__ == "__main__":
    main()
