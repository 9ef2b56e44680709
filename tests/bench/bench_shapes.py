"""What small and middling files of twelve shapes cost, beside the database's own reading.

Run it as `python -m tests.bench bench_shapes`. Ours is the whole `qhub profile`, its processes
together, less what it takes for a file of 16 bytes; the database reads, stores and summarizes in a
process of its own, of which only that is counted. They take turns, and the medians of the
processor's time are compared. Of a workbook the database is given the same cells as text, which
costs less.

Goals: at most 5 times the database's from 0.2 to 5 MB, at most 2 s below 500 KB, and 0.6 s for the
file of 16 bytes.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from statistics import median

import xlsxwriter

from tests.bench.bench_import import theirs
from tests.bench.bench_import_ratio import make_named_totals
from tests.bench.record import Figure, record

ROUNDS = 3
RUN = "from qhub_desktop.__main__ import command_line; raise SystemExit(command_line())"
SMALLEST = "a;b\n1;2\n3;4\n5;6\n"
FIRST_DAY = date(2026, 1, 1)
WHERE = ("canto", "borda", "centro", "topo")
Write = Callable[[int], str]
Lines = Iterator[Sequence[str]]


class Shapes:
    """Writers of cells, from chance that is the same each time."""

    def __init__(self) -> None:
        self._chance = random.Random(1)

    def whole(self, _row: int) -> str:
        """A count."""
        return str(self._chance.randrange(10_000))

    def decimal(self, _row: int) -> str:
        """A measurement."""
        return f"{self._chance.random() * 100:.3f}"

    def comma(self, row: int) -> str:
        """A measurement as Portugal writes it."""
        return self.decimal(row).replace(".", ",")

    def day(self, row: int) -> str:
        """A day, as computers write it."""
        return (FIRST_DAY + timedelta(days=row % 300)).isoformat()

    def moment(self, row: int) -> str:
        """A moment, as people write it."""
        at = FIRST_DAY + timedelta(days=row // 86)
        return f"{at:%d/%m/%Y} {row % 24:02}:{row % 60:02}:07"

    def word(self, _row: int) -> str:
        """One of a few words."""
        return self._chance.choice(("OK", "NOK", "a b", "L1"))

    def text(self, row: int) -> str:
        """A remark that is hardly ever the same."""
        return f"peça {row} com {self._chance.choice(WHERE)} risco em {self.whole(row)}"

    def sparse(self, row: int) -> str:
        """A measurement that most rows lack, and one in a hundred says why."""
        drawn = self._chance.random()
        return "n/d" if drawn < 0.01 else self.decimal(row) if drawn < 0.3 else ""

    def code(self, row: int) -> str:
        """A code of a part, with now and then a number alone."""
        return str(row) if self._chance.random() < 0.85 else f"A{row}"

    def tables(self, count: int, columns: int, rows: int) -> Lines:
        """Several tables, one under the other, each with a header."""
        for number in range(count):
            yield ["lote", *(f"{'abcdefg'[number % 7]}{place}" for place in range(1, columns))]
            for row in range(rows):
                yield [f"L{number}-{row}", *(self.decimal(row) for _place in range(1, columns))]
            yield from ([], [])


def table(kinds: Sequence[Write], rows: int) -> Lines:
    """One table, its columns written so."""
    yield [f"{kind.__name__}_{place}" for place, kind in enumerate(kinds)]
    for row in range(rows):
        yield [kind(row) for kind in kinds]


def shapes() -> dict[str, tuple[str, Lines]]:
    """The lines of each file, by its name, with what parts their cells."""
    on = Shapes()
    mixed = [on.whole, on.decimal, on.day, on.word]
    narrow = [on.whole, on.moment, on.word, on.decimal, on.text]
    return {
        "plain.csv": (
            ",",
            table([on.whole, on.day, on.word, on.decimal, on.whole, on.code], 45_000),
        ),
        "local.csv": (";", table([on.whole, on.moment, on.word, on.comma, on.comma], 35_000)),
        "narrow.csv": (",", table(narrow, 3_500)),
        "wide.csv": (",", table(mixed * 37, 1_500)),
        "widest.csv": (",", table([*mixed * 225, on.word], 55)),
        "strays.csv": (",", table([on.sparse, on.code] * 60, 700)),
        "numbers.csv": (",", table([on.decimal] * 300, 500)),
        "texts.csv": (",", table([on.text] * 12, 2_500)),
        "dates.csv": (",", table([on.moment, on.day] * 10, 6_000)),
        "stacked.csv": (",", on.tables(17, 20, 100)),
        "book.xlsx": (",", table(mixed * 5, 2_500)),
    }


def make_shapes(folder: Path) -> list[Path]:
    """Write every file."""
    made = [_written(folder / name, *shape) for name, shape in shapes().items()]
    return [*made, make_named_totals(folder / "named totals.csv")]


def _written(file: Path, separator: str, lines: Lines) -> Path:
    rows = [*lines]
    text = file if file.suffix == ".csv" else file.with_suffix(".csv")
    with text.open("w", encoding="utf-8", newline="\n") as target:
        target.writelines(separator.join(row) + "\n" for row in rows)
    if file != text:
        with xlsxwriter.Workbook(str(file), {"strings_to_numbers": True}) as book:
            sheet = book.add_worksheet("Dados")
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return file


def profile_cpu_s(file: Path) -> float:
    """What the processor does for the profile of a file that was never read before."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {**os.environ, "QHUB_HOME": home}
        before = os.times()
        subprocess.run(
            [sys.executable, "-c", RUN, "profile", str(file)],
            check=True,
            stdout=subprocess.DEVNULL,
            env=surroundings,
        )
        after = os.times()
    busy = after.children_user - before.children_user
    return busy + after.children_system - before.children_system


def compared(file: Path, start_s: float) -> dict[str, Figure]:
    """The medians of both, and what ours is to the other's."""
    text = file.with_suffix(".csv")
    mine: list[float] = []
    other: list[float] = []
    for _round in range(ROUNDS):
        mine.append(profile_cpu_s(file) - start_s)
        other.append(theirs("duckdb_store_summarize", text)["alone_cpu_s"])
    ours_s, duckdb_s = median(mine), median(other)
    return {
        "kb": file.stat().st_size // 1000,
        "ours_cpu_s": ours_s,
        "duckdb_cpu_s": duckdb_s,
        "cpu_ratio": ours_s / duckdb_s,
    }


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        smallest = folder / "smallest.csv"
        smallest.write_text(SMALLEST, encoding="utf-8")
        start_s = median(profile_cpu_s(smallest) for _round in range(ROUNDS + 2))
        figures: dict[str, dict[str, Figure]] = {smallest.name: {"ours_cpu_s": start_s}}
        figures |= {file.name: compared(file, start_s) for file in make_shapes(folder)}
        record("shapes", figures)


if __name__ == "__main__":
    main()
