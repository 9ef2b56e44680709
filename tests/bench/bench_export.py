"""Writing a data set to files: how long, how much memory, how long the loop stands still meanwhile.

Run it as `python -m tests.bench.bench_export`. Beside ours, XlsxWriter's own rows and pandas write
the same rows in the same run, in processes of their own.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import duckdb

from qhub_desktop.data.export_service import ExportService
from qhub_desktop.data.workspace import Progress
from tests.bench.record import Figure, record

ROWS = 100_000
TICK_S = 0.002
MAKE = f"""
CREATE TABLE rows AS SELECT
    i AS id, DATE '2026-01-01' + CAST(i % 300 AS INT) AS data,
    ['manha', 'tarde', 'noite'][1 + i % 3] AS turno, 'peca ' || (i % 5000) AS peca,
    80 + (i * 7919 % 10007) / 1000 AS espessura, i * 31 % 500 AS contagem,
    'R' || (i % 9 + 8) AS rack, ['Julia', 'Carlos', 'Pedro', 'Margareta'][1 + i % 4] AS operador
FROM range({ROWS}) t(i)
"""
READ = "import sys, duckdb; db = duckdb.connect(sys.argv[1], read_only=True)\n"
OTHERS = {
    "xlsx, XlsxWriter's own rows": READ
    + """
import xlsxwriter
book = xlsxwriter.Workbook(sys.argv[2], {"constant_memory": True, "strings_to_formulas": False,
    "strings_to_urls": False, "default_date_format": "dd/mm/yyyy"})
sheet = book.add_worksheet()
for at, row in enumerate(db.execute("FROM rows").fetchall()):
    sheet.write_row(at, 0, row)
book.close()
""",
    "xlsx, pandas with openpyxl": READ
    + """
import pandas
columns = db.execute("FROM rows").fetchnumpy()
pandas.DataFrame(columns).to_excel(sys.argv[2], index=False, engine="openpyxl")
""",
    "csv, pandas": READ
    + """
import pandas
pandas.DataFrame(db.execute("FROM rows").fetchnumpy()).to_csv(sys.argv[2], index=False, sep=";")
""",
}


def children_cpu_s() -> float:
    """Processor seconds of the processes that have ended: what a busy machine does not distort."""
    times = os.times()
    return times.children_user + times.children_system


def children_peak_mb() -> float:
    """The most memory that any child has had so far; nothing where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


async def stalls(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Seconds of the work, and the longest time that the loop stood still meanwhile."""
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
    await work()
    took = time.perf_counter() - start
    ticking.cancel()
    return took, worst


async def ours(rows: Path, target: Path) -> dict[str, Figure]:
    """One file of ours."""
    exports = ExportService()
    begun = time.perf_counter()
    first: list[float] = []

    def on_progress(progress: Progress) -> None:
        if not first:
            first.append(time.perf_counter() - begun)

    cpu = children_cpu_s()
    took, worst = await stalls(
        lambda: exports.export_rows(
            rows, target, name="Dados", table="dados", on_progress=on_progress
        )
    )
    return {
        "wall_s": took,
        "cpu_s": children_cpu_s() - cpu,
        "peak_mb": children_peak_mb(),
        "first_progress_ms": first[0] * 1000,
        "longest_stall_ms": worst * 1000,
        "size_mb": size_mb(target),
    }


def size_mb(file: Path) -> float:
    """How large a file is."""
    return file.stat().st_size / 2**20


def theirs(code: str, rows: Path, target: Path) -> dict[str, Figure]:
    """One file by another program."""
    start, cpu = time.perf_counter(), children_cpu_s()
    subprocess.run([sys.executable, "-c", code, str(rows), str(target)], check=True)
    return {
        "wall_s": time.perf_counter() - start,
        "cpu_s": children_cpu_s() - cpu,
        "size_mb": size_mb(target),
    }


def main() -> None:
    """Measure, and keep what was measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with duckdb.connect(str(folder / "rows.duckdb")) as db:
            db.execute(MAKE)
        rows = folder / "rows.duckdb"
        figures: dict[str, dict[str, Figure]] = {}
        # Ours first: what the system tells of memory is the most of all children so far.
        for suffix in ("csv", "xlsx"):
            figures[suffix] = asyncio.run(ours(rows, folder / f"ours.{suffix}"))
        for name_, code in OTHERS.items():
            figures[name_] = theirs(code, rows, folder / f"theirs.{name_.partition(',')[0]}")
    record("bench_export", figures)


if __name__ == "__main__":
    main()
