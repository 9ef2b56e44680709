"""Reading a plant's exports: ours beside pandas, DuckDB, Polars and the raw readers, in one run.

Run it as `python -m tests.bench bench_import`. Every reader has a process of its own, and they take
turns; the medians are compared. `process_s` is the whole process, `alone_s` only the reading. Ours
is `load_s`: everything is stored, decided, profiled and checked in it. `ours` is what a window does
that has been open for a moment and keeps a process ready; `ours, cold` starts the child as well, as
the command line does.

Goals: 100,000 x 8 .xlsx at least 8 times as quick as pandas with openpyxl and at most 1.5 times the
raw reader; 1,000,000 x 8 .csv at most 1.5 times DuckDB's own reader; first heard of within 200 ms,
gone within 1 s of being cancelled, and no stall of the loop of 50 ms.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench.exports import make_local, make_plain, make_quoted, make_workbook
from tests.bench.record import Figure, record

ROUNDS = 3
SHEET_ROWS = 100_000
TEXT_ROWS = 1_000_000
LIBRARIES = ("pandas", "openpyxl", "polars", "python-calamine", "fastexcel", "xlsxwriter")
CANCELLED_AFTER = (0.02, 0.2, 0.5, 0.8)  # of the time a whole import takes
OURS, COLD = "ours", "ours, cold"

SHEET_RIVALS = ("nothing", "pandas_openpyxl", "calamine", "fastexcel_arrow", "polars_excel")
TEXT_RIVALS = ("nothing", "duckdb_store", "duckdb_store_summarize", "polars_csv", "pandas_csv")
LOCAL_RIVALS = ("duckdb_store_local", "polars_csv_local", "pandas_csv_local")


def ours(file: Path, *options: str) -> dict[str, float]:
    """An import in a program of its own."""
    with tempfile.TemporaryDirectory() as folder:
        module = ("-m", "tests.bench.loading", str(file), str(Path(folder) / "datasets"))
        call = [sys.executable, *module, *options]
        done = subprocess.run(call, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    seen: dict[str, float] = json.loads(done.stdout)
    return seen


def theirs(name: str, file: Path) -> dict[str, float]:
    """The same by another reader."""
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-m", "tests.bench.rivals", name, str(file), folder]
        start, before = time.perf_counter(), os.times()
        done = subprocess.run(call, check=True, capture_output=True, encoding="utf-8")
        process_s, after = time.perf_counter() - start, os.times()
    alone_s, alone_cpu_s = json.loads(done.stdout)
    busy = after.children_user - before.children_user
    busy += after.children_system - before.children_system
    return {
        "process_s": process_s,
        "cpu_s": busy,
        "alone_s": alone_s,
        "alone_cpu_s": alone_cpu_s,
    }


def compared(file: Path, rivals: Sequence[str]) -> dict[str, dict[str, Figure]]:
    """Ours and the others by turns; the medians, and how many times as long as ours they took."""
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in (OURS, COLD, *rivals)}
    for _round in range(ROUNDS):
        for name, each in seen.items():
            match name:
                case "ours":
                    each.append(ours(file, "--warm"))
                case "ours, cold":
                    each.append(ours(file))
                case _:
                    each.append(theirs(name, file))
    figures: dict[str, dict[str, Figure]] = {
        name: {field: median(each[field] for each in all_) for field in all_[0]}
        for name, all_ in seen.items()
    }
    whole_s, cpu_s = float(figures[OURS]["load_s"]), float(figures[COLD]["cpu_s"])
    figures[COLD]["times_ours"] = float(figures[COLD]["load_s"]) / whole_s
    for name in rivals:
        found = figures[name]
        found["times_ours"] = float(found["process_s"]) / whole_s
        found["cpu_times_ours"] = float(found["cpu_s"]) / cpu_s
        found["alone_times_ours"] = float(found["alone_s"]) / whole_s
    return {f"{file.name}: {name}": found for name, found in figures.items()}


def cancelled(file: Path, whole_s: float) -> dict[str, Figure]:
    """Imports given up at several moments; the worst of them."""
    seen = [ours(file, "--cancel", str(whole_s * share)) for share in CANCELLED_AFTER]
    return {
        "gone_after_ms": max(each["gone_after_ms"] for each in seen),
        "longest_stall_ms": max(each["longest_stall_ms"] for each in seen),
        "left": sum(each["left"] for each in seen),
    }


def measure(folder: Path) -> dict[str, dict[str, Figure]]:
    """All of it, one after the other."""
    book = make_workbook(folder / "100,000 x 8.xlsx", SHEET_ROWS)
    plain = make_plain(folder / "1,000,000 x 8.csv", TEXT_ROWS)
    quoted = make_quoted(folder / "1,000,000 x 8 quoted.csv", TEXT_ROWS)
    local = make_local(folder / "1,000,000 x 8 cp1252.csv", TEXT_ROWS)
    figures: dict[str, dict[str, Figure]] = {}
    for file, rivals in (
        (book, SHEET_RIVALS),
        (plain, TEXT_RIVALS),
        (quoted, TEXT_RIVALS),
        (local, LOCAL_RIVALS),
    ):
        figures |= compared(file, rivals)
    for file in (book, plain):
        whole_s = float(figures[f"{file.name}: {OURS}"]["load_s"])
        figures[f"{file.name}: cancelled"] = cancelled(file, whole_s)
        figures[f"{file.name}: in a window's loop"] = dict(ours(file, "--qt"))
    return figures


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as folder:
        record("import", measure(Path(folder)), libraries=LIBRARIES)


if __name__ == "__main__":
    main()
