"""Reading large files and asking them: how long, and how long the loop stands still meanwhile.

Run it as `python -m tests.bench.bench_import`. The goal: 100,000 x 8 rows of .xlsx without a stall,
and quicker than pandas with openpyxl, which reads the same file in the same run; the first answer
of a fresh query process within 0.6 s.
"""

import asyncio
import csv
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

import openpyxl

from qhub_desktop.data.workspace import Workspace
from tests.bench.record import Figure, record

SHEET_ROWS = 100_000
TEXT_ROWS = 1_000_000
RESULT_ROWS = 100_000
TICK_S = 0.002
IDLE_S = 5
HEADER = ("id", "data", "turno", "peca", "espessura", "contagem", "rack", "operador")
BY_PANDAS = "import sys, pandas; pandas.read_{kind}(sys.argv[1]{more})"

Output = TypeVar("Output")


def rows(count: int) -> Iterator[tuple[object, ...]]:
    """Readings as a line's export has them: numbers, a date, categories, a text."""
    start = date(2026, 1, 1)
    for number in range(count):
        yield (
            number,
            start + timedelta(days=number % 300),
            ("manha", "tarde", "noite")[number % 3],
            f"peca {number % 5_000}",
            80 + (number * 7_919 % 10_007) / 1_000,
            number * 31 % 500,
            f"R{number % 9 + 8:02}",
            ("Julia", "Carlos", "Pedro", "Margareta")[number % 4],
        )


def make_files(folder: Path) -> tuple[Path, Path]:
    """The workbook and the text table."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Dados")
    sheet.append(HEADER)
    for row in rows(SHEET_ROWS):
        sheet.append(row)
    book.save(folder / "dados.xlsx")
    with (folder / "dados.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(rows(TEXT_ROWS))
    return folder / "dados.xlsx", folder / "dados.csv"


def children_cpu_s() -> float:
    """Processor seconds of the processes that have ended: what a busy machine does not distort."""
    times = os.times()
    return times.children_user + times.children_system


async def watched(work: Callable[[], Awaitable[Output]]) -> tuple[Output, float, float]:
    """What came of the work, its seconds, and the longest time the loop stood still."""
    worst = 0.0

    async def tick() -> None:
        nonlocal worst
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK_S)
            worst = max(worst, time.perf_counter() - before - TICK_S)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    start = time.perf_counter()
    output = await work()
    took = time.perf_counter() - start
    ticking.cancel()
    return output, took, worst


def by_pandas(kind: str, file: Path, more: str = "") -> tuple[float, float]:
    """Seconds, and of the processor, that pandas takes in a process of its own, as ours is."""
    start, cpu = time.perf_counter(), children_cpu_s()
    code = BY_PANDAS.format(kind=kind, more=more)
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
    return time.perf_counter() - start, children_cpu_s() - cpu


async def measure(folder: Path) -> dict[str, dict[str, Figure]]:
    """All of it, one after the other."""
    workbook, text = make_files(folder)
    gc.collect()
    workspace = Workspace(folder / "datasets")
    try:
        _nothing, idle_s, idle_stall = await watched(lambda: asyncio.sleep(IDLE_S))
        begin_cpu = children_cpu_s()
        (sheet,), sheet_s, sheet_stall = await watched(lambda: workspace.load(workbook))
        sheet_cpu = children_cpu_s()
        (table,), text_s, text_stall = await watched(lambda: workspace.load(text))
        text_cpu = children_cpu_s()
        _again, again_s, again_stall = await watched(lambda: workspace.load(text))
        assert (sheet.rows, table.rows) == (SHEET_ROWS, TEXT_ROWS)
        tables = {"d": table.id}
        grouped = "SELECT turno, rack, avg(espessura) FROM d GROUP BY ALL ORDER BY ALL"
        asked: dict[str, tuple[object, float, float]] = {}
        for name, sql, limit in (
            ("first answer, fresh process", grouped, 100),
            ("the same again", grouped, 100),
            ("first 100 of 1,000,000 rows", "FROM d", 100),
            ("100,000 x 8 rows brought back", f"FROM d LIMIT {RESULT_ROWS}", RESULT_ROWS),
        ):
            asked[name] = await watched(lambda: workspace.query(sql, tables, limit=limit))  # noqa: B023  awaited at once
    finally:
        workspace.close()
    pandas_sheet_s, pandas_sheet_cpu_s = by_pandas("excel", workbook, ", engine='openpyxl'")
    pandas_text_s, pandas_text_cpu_s = by_pandas("csv", text, ", parse_dates=['data']")
    figures: dict[str, dict[str, Figure]] = {
        # What the machine does to a loop that has nothing to do: the measure of the others.
        "an idle loop": {"wall_s": idle_s, "longest_stall_ms": idle_stall * 1000},
        ".xlsx 100,000 x 8": {
            "wall_s": sheet_s,
            "cpu_s": sheet_cpu - begin_cpu,
            "longest_stall_ms": sheet_stall * 1000,
            "pandas_s": pandas_sheet_s,
            "pandas_cpu_s": pandas_sheet_cpu_s,
            "times_quicker": pandas_sheet_s / sheet_s,
        },
        ".csv 1,000,000 x 8": {
            "wall_s": text_s,
            "cpu_s": text_cpu - sheet_cpu,
            "longest_stall_ms": text_stall * 1000,
            "pandas_s": pandas_text_s,
            "pandas_cpu_s": pandas_text_cpu_s,
            "times_quicker": pandas_text_s / text_s,
        },
        "the same .csv again": {"wall_s": again_s, "longest_stall_ms": again_stall * 1000},
    }
    for name, (_answer, took, stall) in asked.items():
        figures[name] = {"wall_s": took, "longest_stall_ms": stall * 1000}
    return figures


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as folder:
        record("import", asyncio.run(measure(Path(folder))))


if __name__ == "__main__":
    main()
