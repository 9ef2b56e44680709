"""The packaged program beside the source, in turns: its size, and how soon it is there.

Both are looked at from outside, so that nothing is measured that only one of them has: when the
window's first picture stands on the screen (painted, not only mapped), when text is in it, and
when a command has ended. Files have been read before, as on the second start of a day. What
is compared are the quickest runs: on a busy machine these say most.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dev
from tests.bench.record import record

BUILT = dev.ROOT / "build" / ".dist" / "qhub-desktop"
RUNS = 7
HEADER = 1024  # words of the file that the screen is kept in, at most
EVERY = 53  # words, which are pixels
POLL_S = 0.005
MOST_S = 60.0
SELF_TESTS = 3
# Checks of the self-test that are the first of their kind in its window.
IN_WINDOW = {
    "question": "first answer in a window",
    "chart": "first chart in a window",
    "dashboard page": "first page in a window",
}
LEAST_COLOURS = 3  # of bare lines, with the screen's own
LEAST_COLOURS_FILLED = 60  # of text
PAGE = "<h1>Painel</h1><p>uma página</p>"


@dataclass(frozen=True)
class Commands:
    """How one of the two is started."""

    window: tuple[str, ...]
    console: tuple[str, ...]


SOURCE = Commands(
    (sys.executable, "-m", "qhub_desktop"),
    (sys.executable, "-c", "from qhub_desktop.app import command_line as c; raise SystemExit(c())"),
)
PACKAGED = Commands((str(BUILT / "qhub-desktop"),), (str(BUILT / "qhub"),))


def main() -> None:
    """Print and keep the figures."""
    if not BUILT.exists():
        print(f"There is no {BUILT}: make it by `python build/make.py`.")
        return
    with tempfile.TemporaryDirectory() as folder:
        told = _measure(Path(folder))
    files = [each for each in BUILT.rglob("*") if each.is_file() and not each.is_symlink()]
    record(
        "built",
        {
            "size": {"built": sum(each.stat().st_size for each in files) / 1e6, "unit": "MB"},
            "files": {"built": len(files)},
            **told,
        },
    )


def _measure(folder: Path) -> dict[str, dict[str, float | int | str]]:
    page = folder / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    surroundings = {**os.environ, "QHUB_HOME": str(folder / "home"), "PYTHONPATH": str(dev.ROOT)}
    for unwanted in ("ANTHROPIC_API_KEY", "PYTHONDONTWRITEBYTECODE", "QT_QPA_PLATFORM"):
        surroundings.pop(unwanted, None)
    ask = ("ask", "--engine", "offline", "quantos defeitos há?")
    render = ("--render", str(page), "--out", str(folder / "page.png"), "--seconds", "0")
    seconds: dict[str, tuple[list[float], list[float]]] = {}
    with _screen(folder) as (display, screen):
        seen = {**surroundings, "DISPLAY": display}
        for run in range(RUNS + 1):
            for place, each in enumerate((PACKAGED, SOURCE)):
                painted, filled = _until_painted(each.window, seen, screen)
                found = {
                    "window, first painted": painted,
                    "window, filled": filled,
                    "qhub version": _until_ended([*each.console, "version"], surroundings),
                    "qhub ask, offline": _until_ended([*each.console, *ask], surroundings),
                    "first web view, --render": _until_ended([*each.window, *render], surroundings),
                }
                if run <= SELF_TESTS:
                    found |= _self_test(each.window, surroundings)
                for name, took in found.items():
                    lists = seconds.setdefault(name, ([], []))
                    if run:  # the first one warms the files up
                        lists[place].append(took)
    return {
        name: {
            "built": min(built),
            "source": min(source),
            "unit": "s",
            "built / source": min(built) / min(source),
            "median of pairs": statistics.median(
                ours / theirs for ours, theirs in zip(built, source, strict=True)
            ),
        }
        for name, (built, source) in seconds.items()
    }


def _self_test(command: Sequence[str], surroundings: dict[str, str]) -> dict[str, float]:
    """Return how long the first answer, chart and page of a new window took, by the self-test."""
    told = subprocess.run(
        [*command, "--self-test", "--json"],
        check=True,
        cwd=dev.ROOT,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=2 * MOST_S,
    ).stdout
    took = {each["name"]: each["ms"] / 1000 for each in json.loads(told)}
    return {label: took[name] for name, label in IN_WINDOW.items()}


def _until_ended(command: Sequence[str], surroundings: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        command, check=True, cwd=dev.ROOT, env=surroundings, capture_output=True, timeout=MOST_S
    )
    return time.perf_counter() - began


def _until_painted(
    command: Sequence[str], surroundings: dict[str, str], screen: Path
) -> tuple[float, float]:
    """Return when the window's first picture was seen, and when its text was."""
    began = time.perf_counter()
    painted = 0.0
    with subprocess.Popen(
        command, cwd=dev.ROOT, env=surroundings, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while (took := time.perf_counter() - began) < MOST_S:
                colours = len(set(_pixels(screen)))
                if not painted and colours >= LEAST_COLOURS:
                    painted = took
                if colours >= LEAST_COLOURS_FILLED:
                    break
                time.sleep(POLL_S)
            else:
                raise TimeoutError("no window was filled")
        finally:
            process.kill()
    _until_blank(screen)
    return painted, took


def _until_blank(screen: Path) -> None:
    while len(set(_pixels(screen))) > 1:
        time.sleep(POLL_S)


def _pixels(screen: Path) -> list[int]:
    """Return a sample of the screen's pixels."""
    return memoryview(screen.read_bytes()).cast("I")[HEADER::EVERY].tolist()


@contextlib.contextmanager
def _screen(folder: Path) -> Iterator[tuple[str, Path]]:
    """An X display that nobody sees, and the file that its picture is kept in."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1366x768x24"]
    with subprocess.Popen(
        [*command, "-nolisten", "tcp", "-fbdir", str(folder)],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        try:
            with os.fdopen(reading, encoding="ascii") as told:
                yield f":{told.readline().strip()}", folder / "Xvfb_screen0"
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
