"""How much longer an import of a text table takes than the database's own reading and storing.

Run it as `python -m tests.bench bench_import_ratio`. Ours stores, decides types, profiles and
checks every row, in a process that a window keeps ready; the database reads and stores. They take
turns, and the medians are compared, of the clock and of the processor. What a process takes of the
processor to start is measured with a table of one row, and not counted.

Goals: 1,000,000 x 8 at most 1.4 times, plain, quoted and cp1252 alike; 901 columns at most 5 times;
25,000 rows of which two in five are called totals, and are none, in at most 4 s.
"""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.bench.bench_import import ours, theirs
from tests.bench.exports import make_local, make_plain, make_quoted
from tests.bench.record import Figure, record

ROUNDS = 5
ROWS = 1_000_000
WIDE_COLUMNS, WIDE_ROWS = 901, 1_500
NAMED_ROWS = 25_000


def make_wide(file: Path) -> Path:
    """A table of hundreds of columns: whole numbers, decimals, days and words."""
    chance = random.Random(1)
    write: dict[str, Callable[[int], str]] = {
        "whole": lambda _row: str(chance.randrange(10_000)),
        "decimal": lambda _row: f"{chance.random() * 100:.3f}",
        "day": lambda row: f"2026-0{row % 9 + 1}-{row % 28 + 1:02}",
        "word": lambda _row: chance.choice(("OK", "NOK", "a b", "L1")),
    }
    kinds = chance.choices(list(write), k=WIDE_COLUMNS)
    with file.open("w", encoding="utf-8", newline="\n") as target:
        target.write(",".join(f"col_{number}" for number in range(WIDE_COLUMNS)) + "\n")
        for row in range(WIDE_ROWS):
            target.write(",".join(write[kind](row) for kind in kinds) + "\n")
    return file


def make_named_totals(file: Path) -> Path:
    """A table of statistics: each row has the name of one, and some lack numbers."""
    chance = random.Random(1)
    names = ("Total", "Sum", "Mean", "Max", "Min", *(f"Cpk {number}" for number in range(7)))
    with file.open("w", encoding="utf-8", newline="\n") as target:
        target.write("lot,statistic,a,b,c,d,e,f\n")
        for row in range(NAMED_ROWS):
            numbers = (
                f"{chance.random() * 100:.3f}" if chance.random() < 0.9 else "" for _ in range(6)
            )
            target.write(f"L{row // 12},{chance.choice(names)},{','.join(numbers)}\n")
    return file


def start_cpu_s(folder: Path) -> float:
    """What an import takes of the processor that has nothing to read."""
    file = folder / "one row.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    return median(ours(file, "--warm")["cpu_s"] for _round in range(ROUNDS))


def compared(file: Path, rival: str, start_s: float) -> dict[str, Figure]:
    """The medians of both, and what ours is to the other's."""
    mine: list[dict[str, float]] = []
    other: list[dict[str, float]] = []
    for _round in range(ROUNDS):
        mine.append(ours(file, "--warm"))
        other.append(theirs(rival, file))
    ours_s, duckdb_s = (
        median(each["load_s"] for each in mine),
        median(each["alone_s"] for each in other),
    )
    # The clock does not count the start of our process either.
    ours_cpu_s = median(each["cpu_s"] for each in mine) - start_s
    duckdb_cpu_s = median(each["alone_cpu_s"] for each in other)
    return {
        "ours_s": ours_s,
        "duckdb_s": duckdb_s,
        "ratio": ours_s / duckdb_s,
        "least_ratio": min(each["load_s"] for each in mine)
        / min(each["alone_s"] for each in other),
        "ours_cpu_s": ours_cpu_s,
        "duckdb_cpu_s": duckdb_cpu_s,
        "cpu_ratio": ours_cpu_s / duckdb_cpu_s,
    }


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {
            make_plain(folder / "plain.csv", ROWS): "duckdb_store",
            make_quoted(folder / "quoted.csv", ROWS): "duckdb_store",
            make_local(folder / "cp1252.csv", ROWS): "duckdb_store_local",
            make_wide(folder / "901 columns.csv"): "duckdb_store",
            make_named_totals(folder / "named totals.csv"): "duckdb_store",
        }
        start_s = start_cpu_s(folder)
        record(
            "import_ratio",
            {file.stem: compared(file, rival, start_s) for file, rival in files.items()},
        )


if __name__ == "__main__":
    main()
