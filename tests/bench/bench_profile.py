"""The profile of 1,000,000 x 8 rows that are stored already, beside DuckDB's SUMMARIZE and pandas.

Run it as `python -m tests.bench bench_profile`. The goal: at most 2 s, with two threads. Ours also
has what the others lack: exact distinct values, most frequent ones, classes, outliers, repeated
rows. pandas is told to describe, to count different values, and to find repeated rows.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

from qhub_desktop.data import profile
from tests.bench.exports import ROWS, SCATTERED
from tests.bench.record import Figure, record

ROUNDS = 5
COUNT = 1_000_000
WIDE_COLUMNS = 4_000
WIDE_ROWS = 1_000
LIMITS: dict[str, str | bool | int | float | list[str]] = {"threads": 2, "memory_limit": "1GB"}


def seconds(work: Callable[[], object], *, rounds: int = ROUNDS) -> dict[str, Figure]:
    """The median time, by the clock and of the processor."""
    walls: list[float] = []
    works: list[float] = []
    for _round in range(rounds):
        start, busy = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - start)
        works.append(time.process_time() - busy)
    return {"wall_s": median(walls), "cpu_s": median(works), "slowest_s": max(walls)}


def ours(db: duckdb.DuckDBPyConnection) -> None:
    """What an import does with the rows it has stored."""
    columns = profile.profile_columns(db, "kept.rows")
    profile.preview(db, "kept.rows", columns)
    profile.duplicate_rows(db, "kept.rows", columns)


def measured(file: Path, select: str) -> dict[str, dict[str, Figure]]:
    """All the ways to know the same rows."""
    with duckdb.connect(":memory:", config=LIMITS) as db:
        db.execute(f"ATTACH '{file}' AS kept")
        db.execute(f"CREATE TABLE kept.rows AS {select}")
        db.execute("CHECKPOINT kept")
        frame = db.execute("FROM kept.rows").df()
        figures = {
            "ours": seconds(lambda: ours(db)),
            "columns alone": seconds(lambda: profile.profile_columns(db, "kept.rows")),
            "repeated rows alone": seconds(lambda: profile.duplicate_rows(db, "kept.rows")),
            "SUMMARIZE": seconds(lambda: db.execute("SUMMARIZE kept.rows").fetchall()),
            "pandas": seconds(
                lambda: (frame.describe(include="all"), frame.nunique(), frame.duplicated().sum()),
                rounds=3,
            ),
        }
    for each in figures.values():
        each["times_ours"] = float(each["wall_s"]) / float(figures["ours"]["wall_s"])
    return figures


def wide(file: Path) -> dict[str, dict[str, Figure]]:
    """Thousands of columns."""
    columns = ", ".join(
        f"random() * 100 AS n{number}"
        if number % 2
        else f"'v' || (random() * 20)::INTEGER AS t{number}"
        for number in range(WIDE_COLUMNS)
    )
    with duckdb.connect(":memory:", config=LIMITS) as db:
        db.execute(f"ATTACH '{file}' AS kept")
        db.execute(f"CREATE TABLE kept.rows AS SELECT {columns} FROM range({WIDE_ROWS})")
        return {"ours": seconds(lambda: ours(db), rounds=3)}


def main() -> None:
    """Measure, print, keep."""
    figures: dict[str, dict[str, Figure]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, select in (("repeated values", ROWS), ("new values", SCATTERED)):
            file = Path(folder) / f"{name}.duckdb"
            for way, found in measured(file, select.format(rows=COUNT)).items():
                figures[f"1,000,000 x 8, {name}: {way}"] = found
        for way, found in wide(Path(folder) / "wide.duckdb").items():
            figures[f"{WIDE_ROWS:,} x {WIDE_COLUMNS:,}: {way}"] = found
    record("profile", figures, libraries=("pandas",))


if __name__ == "__main__":
    main()
