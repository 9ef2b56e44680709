"""Keeps the window at work, samples what it holds, kills it, and judges whether it grows.

`python -m tests.soak --minutes 120`; fewer minutes do less, of each kind at least one. With
`--one-life` nothing is killed before the end: what one process gathers shows only then, since in
its first minutes its pools fill (with ten dashboards that are drawn anew each minute, in four).
"""

import argparse
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import fmean, linear_regression

import psutil

import dev
from tests.bench.exports import make_plain
from tests.bench.record import RESULTS, Figure, record
from tests.soak.plan import FULL_MINUTES, entries, plan, scene
from tests.wire.server import WireServer

KILL_EVERY_S = 600.0
SHORTEST_LIFE_S = 45.0  # of a short soak: time for a start and a few acts
SAMPLE_S = 10.0
SETTLED = 0.3  # the part of a life that belongs to its start
ORPHAN_S = 15.0  # in which children must notice that their parent is gone
FILE_ROWS = 336_000  # 20 MB as CSV
JUDGED = ("memory_mb", "children_mb", "handles")
LIMIT = 3  # percent, of growth
LEAST_POINTS = 3  # for a slope
BANDS = ("memory_mb", "children_mb", "handles", "children", "disk_mb", "stall_ms")
WIDTH, HEIGHT, LEFT, GAP = 900, 90, 170, 22
Sample = dict[str, float]


class Soak:
    """One run: lives of the program on one data folder."""

    def __init__(
        self,
        folder: Path,
        minutes: float,
        environment: dict[str, str],
        *,
        is_one_life: bool,
        home: Path | None = None,
    ) -> None:
        self.journal = folder / "journal.ndjson"
        self.samples: list[Sample] = []
        self.lives = self.orphans = 0
        self._children: list[psutil.Process] = []
        self.lost: set[str] = set()
        self._home = home or folder / "home"
        self._minutes = minutes
        self._environment = {**environment, "QHUB_HOME": str(self._home)}
        self._source = make_plain(folder / "exporta.csv", FILE_ROWS)
        self._step_s = min(SAMPLE_S, minutes)  # a short soak has no fewer samples than one an hour
        self._life_s = max(SHORTEST_LIFE_S, KILL_EVERY_S * min(1.0, minutes / FULL_MINUTES))
        if is_one_life:
            self._life_s = minutes * 60
        self._began = time.time()

    def run(self) -> None:
        """Live, be killed and live again, until the time is over."""
        while time.time() < self._began + self._minutes * 60:
            self.lives += 1
            self._live()
            self.lost |= self._missing()

    def _live(self) -> None:
        born = time.time()
        given = map(str, (self.journal, self._minutes, self._began, self._source))
        command = [sys.executable, "-m", "tests.soak.driver", *given]
        with subprocess.Popen(command, cwd=dev.ROOT, env=self._environment) as process:
            program = psutil.Process(process.pid)
            while process.poll() is None and time.time() < born + self._life_s:
                time.sleep(self._step_s)
                with contextlib.suppress(psutil.NoSuchProcess):  # a child, gone meanwhile
                    self.samples.append(self._sample(program, born))
            if process.poll() is not None:
                self.lost.add(f"life {self.lives} ended by itself, with {process.returncode}")
            process.kill()
        self.orphans += len(psutil.wait_procs(self._children, timeout=ORPHAN_S)[1])

    def _sample(self, program: psutil.Process, born: float) -> Sample:
        self._children = children = program.children(recursive=True)
        now = time.time()
        lately = [each for each in entries(self.journal) if each["at"] > now - self._step_s]
        return {
            "life": self.lives,
            "age_s": now - born,
            "at_s": now - self._began,
            "memory_mb": program.memory_info().rss / 1e6,
            "children_mb": sum(each.memory_info().rss for each in children) / 1e6,
            # Windows has the first.
            "handles": (getattr(program, "num_handles", None) or program.num_fds)(),
            "children": len(children),
            "disk_mb": _size_mb(self._home),
            "stall_ms": max((each.get("stall_ms", 0.0) for each in lately), default=0.0),
        }

    def _missing(self) -> set[str]:
        """What the journal says was stored, and the data folder does not have."""
        with contextlib.closing(sqlite3.connect(self._home / "qhub.db")) as db:
            whole = db.execute("PRAGMA integrity_check").fetchone()[0]
            texts = {text for (text,) in db.execute("SELECT text FROM texts")}
            ids = {id_ for (id_,) in db.execute("SELECT dataset_id FROM pins")}
            boards = db.execute("SELECT count(*) FROM dashboards").fetchone()[0]
        stored = [each for each in entries(self.journal) if "stored" in each]
        missing = {each["stored"] for each in stored if each["act"] != "import"} - texts
        missing |= {whole} - {"ok"}
        acts = Counter(each["act"] for each in stored)
        kept = sum((self._home / "workspace" / id_).is_dir() for id_ in ids)
        if kept < acts["import"] or boards < acts["dashboard"]:
            missing.add(f"of {acts}: {kept} imports and {boards} dashboards are there")
        return missing


def growth_percent(samples: Sequence[Sample], name: str) -> dict[str, float]:
    """By how much a figure grows in the last half of a run, in percent of its mean there.

    `across`: the slope of the lives' means, which sees what a growing data folder adds. `within`,
    of a single life: its slope, which sees what a process gathers.
    """
    half = max(each["at_s"] for each in samples) / 2
    start = SETTLED * max(each["age_s"] for each in samples)
    late = [each for each in samples if each["at_s"] >= half and each["age_s"] >= start]
    lives = [list(life) for _life, life in groupby(late, key=itemgetter("life"))]
    if len(lives) > 1:
        kind, points = "across", [_means(life, name) for life in lives]
    else:
        kind, points = "within", [(each["at_s"], each[name]) for each in late]
    if len(points) < LEAST_POINTS:
        return {}
    at, values = zip(*points, strict=True)
    return {f"growth {kind}, %": 100 * half * linear_regression(at, values).slope / fmean(values)}


def _means(life: Sequence[Sample], name: str) -> tuple[float, float]:
    return fmean(each["at_s"] for each in life), fmean(each[name] for each in life)


def drawn(samples: Sequence[Sample]) -> str:
    """The samples as SVG: one band for each figure, over time, a line at each start."""
    end = max(each["at_s"] for each in samples)
    total = len(BANDS) * (HEIGHT + GAP) + 30
    births = {each["life"]: each["at_s"] - each["age_s"] for each in samples}
    scale = (WIDTH - LEFT - 10) / end
    starts = " ".join(f"M{LEFT + at_s * scale:.1f} 0V{total - 30}" for at_s in births.values())
    parts = [
        f'<rect width="{WIDTH}" height="{total}" fill="white"/><path d="{starts}" stroke="red"/>'
    ]
    for band, name in enumerate(BANDS):
        floor = (band + 1) * (HEIGHT + GAP) - GAP + 10
        top = max(each[name] for each in samples) or 1.0
        parts.append(f'<text x="8" y="{floor - 40}">{name}, to {top:.0f}</text>')
        parts.append(f'<path d="M{LEFT} {floor}H{WIDTH - 10}" stroke="silver"/>')
        for life in births:
            points = " ".join(
                f"{LEFT + each['at_s'] * scale:.1f},{floor - each[name] / top * HEIGHT:.1f}"
                for each in samples
                if each["life"] == life
            )
            parts.append(f'<polyline points="{points}" fill="none" stroke="navy"/>')
    parts.append(f'<text x="{LEFT}" y="{total - 10}">{end / 60:.0f} min; red: a life begins</text>')
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}"'
    return "\n".join([f'{start} font-family="sans-serif" font-size="12">', *parts, "</svg>\n"])


def _size_mb(folder: Path) -> float:
    found = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # gone meanwhile
            found += file.lstat().st_size
    return found / 1e6


def _figures(soak: Soak, minutes: float) -> dict[str, dict[str, Figure] | Figure]:
    counts = Counter(str(each["act"]) for each in entries(soak.journal) if "stored" in each)
    late = soak.samples[len(soak.samples) // 2 :]
    bands: dict[str, dict[str, Figure]] = {
        name: {
            "last half, mean": fmean(each[name] for each in late),
            "most": max(each[name] for each in soak.samples),
        }
        for name in BANDS
    }
    growth = [growth_percent(soak.samples, name) for name in JUDGED]
    for name, found in zip(JUDGED, growth, strict=True):
        bands[name].update(found)
    is_flat = max((most for found in growth for most in found.values()), default=100) <= LIMIT
    verdict = f"by {'at most' if is_flat else 'more than'} {LIMIT} %"
    return {
        "minutes": minutes,
        "turns": counts.total() - counts["import"],
        **counts,
        "planned and not done": len(plan(minutes)) - counts.total(),
        "kills": soak.lives,
        "orphans": soak.orphans,
        "lost": len(soak.lost),
        "last half grows": verdict if minutes >= FULL_MINUTES else f"{verdict}, but too short",
        **bands,
    }


def main() -> int:
    """Run it, keep the figures and their picture, and say what was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES)
    parser.add_argument("--one-life", action="store_true", help="kill it at the end only")
    options = parser.parse_args()
    minutes: float = options.minutes
    name = "soak_one_life" if options.one_life else "soak"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        url = stack.enter_context(WireServer(scene)).url
        environment = {
            **os.environ,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "key-for-tests",
        }
        if sys.platform == "linux":  # elsewhere on the screen that there is
            environment.pop("QT_QPA_PLATFORM", None)
            environment["DISPLAY"] = stack.enter_context(dev.virtual_display())
        soak = Soak(Path(folder), minutes, environment, is_one_life=options.one_life)
        soak.run()
        record(name, _figures(soak, minutes), libraries=("psutil",))
        failed = [each for each in entries(soak.journal) if "failed" in each]
    (RESULTS / f"{name}.svg").write_text(drawn(soak.samples), encoding="utf-8")
    print(f"Failed: {failed}\nLost: {sorted(soak.lost)}")
    return 1 if soak.lost or soak.orphans else 0


if __name__ == "__main__":
    sys.exit(main())
