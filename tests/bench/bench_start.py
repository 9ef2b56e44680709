"""What each start costs in processor time, and which modules take it: the window, and one answer.

Run it as `python -m tests.bench bench_start`. Processor time of the process itself, which a busy
computer changes little: to the first paint beside that of a bare window, until a question can be
asked, and of a whole `qhub ask`. A module's time is its own, without what it imports.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

import dev
from qhub_desktop.tools.first_run import SKIP, VARIABLE
from tests.bench.bench_window import BARE, OURS
from tests.bench.record import Figure, record

RUNS = 7
HEAVIEST = 12
# Before everything else: the time that each module takes on its thread.
TRACE = """
import atexit, importlib.machinery, json, sys, threading, time
_own = threading.local()
_seen, _moments = {}, {}
def _timed(loader):
    load = loader.exec_module
    def exec_module(self, module):
        stack = _own.__dict__.setdefault("stack", [])
        began = time.thread_time()
        stack.append(0.0)
        try:
            load(self, module)
        finally:
            whole = time.thread_time() - began
            _seen[module.__name__] = whole - stack.pop()
            if stack:
                stack[-1] += whole
    loader.exec_module = exec_module
_timed(importlib.machinery.SourceFileLoader)
_timed(importlib.machinery.ExtensionFileLoader)
def moment(name):
    _moments.setdefault(name, time.process_time())
@atexit.register
def _tell():
    moment("whole")
    print(json.dumps([_moments, _seen]), file=sys.stderr)
"""
ASK = """
import sys
from qhub_desktop.app import command_line
sys.argv = ["qhub", "ask", "--engine", "offline", "top 5 defeitos"]
command_line()
"""
STARTS = {
    "bare window": BARE.replace("print(time.time(), flush=True)", "moment('painted')"),
    "window": OURS.replace(
        "self.seen = time.time()", "self.seen = time.time(); moment('painted')"
    ).replace("    print(eye.seen", "    moment('ready'); print(eye.seen"),
    "qhub ask": ASK,
}


def main() -> None:
    """Print and keep the figures."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {**os.environ, "QHUB_HOME": home, VARIABLE: SKIP}
        surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
        for unwanted in ("ANTHROPIC_API_KEY", "PYTHONDONTWRITEBYTECODE"):
            surroundings.pop(unwanted, None)
        for code in STARTS.values():
            _traced(code, surroundings)  # makes the data folder, and what is compiled
        runs = [
            {name: _traced(code, surroundings) for name, code in STARTS.items()}
            for _run in range(RUNS)
        ]
    figures: dict[str, dict[str, Figure]] = {}
    for name in STARTS:
        moments, modules = zip(*(run[name] for run in runs), strict=True)
        for moment in sorted(moments[0], key=moments[0].__getitem__):
            times = [each[moment] for each in moments]
            figures[f"{name}, {moment}"] = {"cpu_ms": 1_000 * statistics.median(times)}
        own = {
            module: statistics.median(each.get(module, 0.0) for each in modules)
            for module in modules[0]
        }
        for module in sorted(own, key=lambda module: -own[module])[:HEAVIEST]:
            figures[f"{name}: {module}"] = {"cpu_ms": 1_000 * own[module]}
    painted = [run["window"][0]["painted"] / run["bare window"][0]["painted"] for run in runs]
    figures["window / bare window, painted"] = {"ratio": statistics.median(painted)}
    record("start", figures)


def _traced(code: str, surroundings: dict[str, str]) -> tuple[dict[str, float], dict[str, float]]:
    done = subprocess.run(
        [sys.executable, "-c", TRACE + code],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        cwd=dev.ROOT,
        encoding="utf-8",
        env=surroundings,
    )
    moments, modules = json.loads(done.stderr.splitlines()[-1])
    return moments, modules


if __name__ == "__main__":
    main()
