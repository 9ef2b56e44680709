"""Asking 1,000,000 rows: how long, and how long the loop stands still meanwhile.

Run it as `python -m tests.bench bench_queries`. The goal: the first answer of a fresh query process
within 0.6 s, and no stall of 50 ms, however many rows come back.
"""

import asyncio
import tempfile
import time
from pathlib import Path

from qhub_desktop.data.workspace import Workspace
from tests.bench.exports import make_plain
from tests.bench.loading import watching
from tests.bench.record import Figure, record

ROWS = 1_000_000
RESULT_ROWS = 100_000
GROUPED = "SELECT turno, rack, avg(espessura) FROM d GROUP BY ALL ORDER BY ALL"
ASKED = {
    "first answer, fresh process": (GROUPED, 100),
    "the same again": (GROUPED, 100),
    "first 100 of 1,000,000 rows": ("FROM d", 100),
    "100,000 x 8 rows brought back": (f"FROM d LIMIT {RESULT_ROWS}", RESULT_ROWS),
}


async def measure(folder: Path) -> dict[str, dict[str, Figure]]:
    """All of it, one after the other."""
    file = make_plain(folder / "dados.csv", ROWS)
    workspace = Workspace(folder / "datasets")
    figures: dict[str, dict[str, Figure]] = {}
    try:
        (profile,) = await workspace.load(file)
        start = time.perf_counter()
        await workspace.load(file)
        figures["the same file again"] = {"wall_s": time.perf_counter() - start}
        for name, (sql, limit) in ASKED.items():
            async with watching() as watch:
                start = time.perf_counter()
                await workspace.query(sql, {"d": profile.id}, limit=limit)
                took = time.perf_counter() - start
            figures[name] = {"wall_s": took, **watch.figures}
    finally:
        workspace.close()
    return figures


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as folder:
        record("queries", asyncio.run(measure(Path(folder))))


if __name__ == "__main__":
    main()
