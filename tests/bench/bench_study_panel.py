"""The panel of a study over 100,000 rows: from a change to the study's card on the screen.

Run it as `python -m tests.bench bench_study_panel`. In the real window, controls of the panel are
changed one after the other, each once the study of the one before is painted with its charts.
Goals: the median of each change at most 300 ms, and no work of the window's thread of 50 ms; the
exit code says so.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qhub_desktop.core.codec import Json
from tests.bench.live import eye, play_live, run_live, watched_work
from tests.bench.record import Figure, record
from tests.waiting import until

ROWS = 100_000
MOST_MS, LONGEST_WORK_MS = 300.0, 50.0
TIMES = 6
# By what is measured: a method, what it is given, and the values that a control then has in turn.
CHANGES: Mapping[str, tuple[str, dict[str, Json], str, tuple[Json, Json]]] = {
    "individuals: rules": ("carta_controlo", {"tipo": "i"}, "regras", (["nelson1"], ["we1"])),
    "averages of five: estimator": (
        "carta_controlo", {"subgrupo": 5}, "estimador", ("Rbar/d2", "Sbar/c4"),
    ),
    "averages of five: subgroup": ("carta_controlo", {}, "subgrupo", (4, 5)),
    "capability of individuals: limit": ("capacidade", {"lie": 90}, "lse", (109, 110)),
    "capability of subgroups: limit": (
        "capacidade", {"lie": 90, "subgrupo": 5}, "lse", (109, 110),
    ),
    "test of groups: groups": ("teste_hipotese", {"por": "Turno"}, "por", ("Turno", "Linha")),
    "p chart by day: kind": (
        "carta_controlo",
        {"coluna": "Rejeitadas", "volume": "Produzidas", "periodo": "dia"},
        "tipo",
        ("p", "laney_p"),
    ),
}  # fmt: skip


def main() -> int:
    """Measure, and return the exit code."""
    if sys.argv[1:2] == ["--live"]:
        play_live(_changed, Path(sys.argv[2]), ROWS)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = _written(folder)
        figures: dict[str, dict[str, Figure]] = run_live("tests.bench.bench_study_panel", str(file))
    record("study_panel", figures, libraries=("scipy",))
    is_met = all(
        float(each["median_ms"]) <= MOST_MS and float(each["longest_work_ms"]) < LONGEST_WORK_MS
        for each in figures.values()
    )
    return 0 if is_met else 1


def _written(folder: str) -> Path:
    """Readings of 25 days, with shift, line and counts."""
    rng = random.Random("panel")
    file = Path(folder) / "medidas.csv"
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.write("Data;Turno;Linha;Espessura;Rejeitadas;Produzidas\n")
        for row in range(ROWS):
            minute = row * 25 * 1440 // ROWS
            day, clock = divmod(minute, 1440)
            moment = f"2026-01-{day + 1:02} {clock // 60:02}:{clock % 60:02}:{row % 60:02}"
            value = f"{rng.gauss(100, 2):.2f}".replace(".", ",")
            shift = ("manhã", "tarde", "noite")[clock // 480]
            out.write(f"{moment};{shift};L{rng.randint(1, 6)};{value};{rng.randint(0, 20)};400\n")
    return file


async def _changed(window: Any) -> dict[str, dict[str, Figure]]:
    from PySide6.QtWidgets import QGraphicsView

    from qhub_desktop.core.study import AskedStudy

    form, seen = window.controller.windows.open_statistics(), eye()

    def canvas_of(card: Any) -> Any:
        """Return where the first chart is painted."""
        return card.study_view.panels.views()[0].findChild(QGraphicsView).viewport()

    def begin() -> float:
        """Wait for another card from now on; return when that is."""
        if form.card is not None:
            canvas_of(form.card).removeEventFilter(seen)
        seen.painted = 0.0
        return time.perf_counter()

    def look(_study: object) -> None:
        card = form.card
        card.study_view.panels.drawn.connect(lambda: canvas_of(card).installEventFilter(seen))

    form.made.connect(look)
    await until(lambda: seen.painted)
    figures: dict[str, dict[str, Figure]] = {}
    with watched_work() as work:
        for name, (method, given, field, values) in CHANGES.items():
            begin()
            await form.begin(AskedStudy(method, {"coluna": "Espessura", **given}))
            await until(lambda: seen.painted)
            taken: list[float] = []
            longest = 0.0
            for turn in range(TIMES + 2):
                work[:] = [0.0]
                begun = begin()
                control = form.controls[field]
                control.set_value(values[turn % 2])
                control.edited.emit(False)
                await until(lambda: seen.painted)
                taken.append((seen.painted - begun) * 1000)
                await asyncio.sleep(0.3)
                longest = max(longest, *work)
            figures[name] = {
                "first_ms": taken[0],
                "median_ms": statistics.median(taken[2:]),
                "longest_work_ms": longest * 1000,
            }
    return figures


if __name__ == "__main__":
    sys.exit(main())
