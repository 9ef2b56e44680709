"""Two windows and the command line at work on one data folder: nothing is lost or damaged.

`python -m tests.soak.together --minutes 60`: both windows do what a soak plans, each with a journal
of its own, and command after command reads and writes beside them. At the end the file is whole,
everything that a journal says was stored is there, and the log agrees with its head.
"""

import argparse
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import dev
from tests.bench.record import Figure, record
from tests.end_to_end.qhub_process import QHUB
from tests.soak.__main__ import Soak
from tests.soak.plan import entries, scene
from tests.wire.server import WireServer

PAUSE_S = 10.0  # between two commands
START_S = 10.0  # between the two windows: the first makes the folder
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ask", "--engine", "offline", "--json", "quantos defeitos por turno?"),
    ("conversations", "--json"),
    ("costs", "--json"),
    ("ask", "--engine", "claude", "--yes", "--json", "words 1, por favor"),
    ("admin", "audit", "verify", "--json"),
    ("backup", "--json"),
    ("dashboards", "--json"),
)


class CommandLine:
    """Commands one after the other until stopped, and how they ended."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.ends: Counter[str] = Counter()
        self.failed: list[str] = []
        self._environment = environment
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._is_over.set()
        self._thread.join()

    def call(self, *words: str) -> str:
        """Call a command; return what it printed."""
        done = subprocess.run(
            [QHUB, *words],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        self.ends[f"{' '.join(words[:2])}: {done.returncode}"] += 1
        if done.returncode:
            self.failed.append(f"{' '.join(words)}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def _work(self) -> None:
        for words in itertools.cycle(COMMANDS):
            if self._is_over.wait(PAUSE_S):
                return
            self.call(*words)


def main() -> int:
    """Run it, and keep the figures; the exit code is 1 if something was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.together")
    parser.add_argument("--minutes", type=float, default=60)
    minutes: float = parser.parse_args().minutes
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        home = folder / "home"
        environment = {
            **os.environ,
            "ANTHROPIC_BASE_URL": stack.enter_context(WireServer(scene)).url,
            "ANTHROPIC_API_KEY": "key-for-tests",
            "QHUB_HOME": str(home),
        }
        if sys.platform == "linux":
            environment.pop("QT_QPA_PLATFORM", None)
            environment["DISPLAY"] = stack.enter_context(dev.virtual_display())
        windows = []
        for name in ("first", "second"):
            (folder / name).mkdir()
            windows.append(Soak(folder / name, minutes, environment, is_one_life=True, home=home))
        threads = [threading.Thread(target=each.run) for each in windows]
        threads[0].start()
        time.sleep(START_S)
        threads[1].start()
        with CommandLine(environment) as commands:
            for thread in threads:
                thread.join()
        verdict = json.loads(commands.call("admin", "audit", "verify", "--json") or "{}")
        lost = {words for each in windows for words in each.lost}
        if not verdict.get("whole"):
            lost.add(f"the log: {verdict}")
        acts = [each for window in windows for each in entries(window.journal)]
        failed = [each for each in acts if "failed" in each] + [*map(str, commands.failed)]
        figures: dict[str, dict[str, Figure] | Figure] = {
            "minutes": minutes,
            **Counter(str(each["act"]) for each in acts if "stored" in each),
            "commands": dict(commands.ends),
            "longest stall, ms": max((each.get("stall_ms", 0.0) for each in acts), default=0.0),
            "orphans": sum(each.orphans for each in windows),
            "failed": len(failed),
            "lost": len(lost),
        }
        record("soak_together", figures)
    print(f"Failed: {failed}\nLost: {sorted(lost)}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
