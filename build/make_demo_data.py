"""Makes the demo data: 200 paint defects whose counts are exact and whose stories can be found.

Run it after a change here: `python build/make_demo_data.py`. The same bytes come out every time.

The stories: orange peel clings to racks R12 and R13 and to the night, grease to Julia's mornings
and PP_Negro, runs to the afternoon, craters to three days in the middle of the month, and peeling
to PP_Vermelho. Dirt is everywhere, and at its worst on R11.
"""

import csv
import functools
import io
import math
import operator
import random
import re
import zipfile
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill

DATA = Path(__file__).resolve().parents[1] / "data"
COLUMNS = ("id", "data", "turno", "operador", "tipo_defeito", "material", "rack", "posicao")

COUNTS: dict[str, dict[str, int]] = {
    "turno": {"manha": 73, "tarde": 68, "noite": 59},
    "operador": {"Julia": 55, "Carlos": 52, "Pedro": 49, "Margareta": 44},
    "tipo_defeito": {
        "lixo": 62,
        "falta_tinta": 31,
        "casca_laranja": 27,
        "gordura": 24,
        "descasque": 21,
        "escorrido": 19,
        "crateras": 12,
        "outros": 4,
    },
    "material": {"ABS_Cinza": 58, "PP_Negro": 54, "PP_Vermelho": 47, "PA_Branco": 41},
    "rack": {
        "R12": 38,
        "R11": 37,
        "R13": 36,
        "R10": 33,
        "R14": 29,
        "R09": 10,
        "R15": 8,
        "R08": 5,
        "R16": 4,
    },
    # Sum 918 and sum of squares 5270: mean 4.59, sample standard deviation 2.304.
    "posicao": {
        "1": 14,
        "2": 29,
        "3": 31,
        "4": 30,
        "5": 29,
        "6": 23,
        "7": 18,
        "8": 15,
        "9": 6,
        "10": 5,
    },
}
NIGHT_DIRT = 21

# How much likelier than chance two values meet, as a logarithm.
AFFINITIES: dict[tuple[str, str], float] = {
    ("casca_laranja", "R12"): 1.3,
    ("casca_laranja", "R13"): 1.1,
    ("casca_laranja", "noite"): 0.7,
    ("gordura", "Julia"): 0.8,
    ("gordura", "PP_Negro"): 0.9,
    ("gordura", "manha"): 0.4,
    ("escorrido", "tarde"): 0.8,
    ("escorrido", "R10"): 0.7,
    ("descasque", "PP_Vermelho"): 1.4,
    ("falta_tinta", "R14"): 0.8,
    ("falta_tinta", "PA_Branco"): 0.6,
    ("lixo", "R11"): 0.6,
    ("crateras", "mid"): 3.2,
    ("Julia", "manha"): 1.1,
    ("Carlos", "tarde"): 1.1,
    ("Pedro", "noite"): 1.2,
    ("Margareta", "tarde"): 0.4,
    ("Margareta", "noite"): 0.4,
    ("R08", "PA_Branco"): 0.9,
    ("R16", "ABS_Cinza"): 0.9,
}
FIRST_ROWS = (
    ("2026-02-11", "manha", "Julia", "gordura", "ABS_Cinza", "R11", "3"),
    ("2026-02-12", "manha", "Julia", "escorrido", "PP_Negro", "R10", "2"),
)
# Monday to Sunday: the line runs fully on weekdays, and with a skeleton crew on Sunday.
WEEKDAY_WEIGHTS = (9, 10, 9, 9, 8, 5, 2)
MID = {"2026-02-16", "2026-02-17", "2026-02-18"}


def records() -> list[tuple[str, ...]]:
    """All 200 rows, ids first."""
    chance = random.Random(20260201)
    pools = {"data": _days(chance)} | {name: list(Counter(n).elements()) for name, n in _counts()}
    given = [dict(zip(COLUMNS[1:], row, strict=True)) for row in FIRST_ROWS]
    for row in given:
        for name, value in row.items():
            pools[name].remove(value)
    for pool in pools.values():
        chance.shuffle(pool)
    free = [dict(zip(pools, values, strict=True)) for values in zip(*pools.values(), strict=True)]
    _mingle(free, chance)
    _set_night_dirt(free)
    shifts = list(COUNTS["turno"])
    free.sort(key=lambda row: (row["data"], shifts.index(row["turno"])))
    return [
        (str(number), *(row[name] for name in COLUMNS[1:]))
        for number, row in enumerate(given + free, start=1)
    ]


def write_csv(rows: list[tuple[str, ...]], target: Path) -> None:
    """UTF-8, commas, one line a row."""
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def write_xlsx(rows: list[tuple[str, ...]], target: Path) -> None:
    """The same records as a person would export them: real dates and numbers, a styled header."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Defeitos"
    sheet.append(COLUMNS)
    for row in rows:
        sheet.append([int(row[0]), date.fromisoformat(row[1]), *row[2:7], int(row[7])])
    for (cell,) in sheet.iter_rows(min_row=2, min_col=2, max_col=2):
        cell.number_format = "dd/mm/yyyy"
    for cell in sheet[1]:
        cell.font = Font(bold=True, color="FFFFFF")
        cell.fill = PatternFill("solid", start_color="0B6E99")
        cell.alignment = Alignment(horizontal="center")
    for letter, width in zip("ABCDEFGH", (6, 12, 10, 12, 16, 14, 8, 9), strict=True):
        sheet.column_dimensions[letter].width = width
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = sheet.dimensions
    book.properties.creator = "QHub Desktop"
    book.properties.created = datetime(2026, 3, 1)
    written = io.BytesIO()
    book.save(written)
    target.write_bytes(_timeless(written.getvalue()))


def _counts() -> list[tuple[str, dict[str, int]]]:
    return list(COUNTS.items())


def _days(chance: random.Random) -> list[str]:
    """A date for each of the 200 rows, every day of the month at least once."""
    days = [date(2026, 2, 1) + timedelta(days=number) for number in range(28)]
    weights = [WEEKDAY_WEIGHTS[day.weekday()] * chance.uniform(0.75, 1.25) for day in days]
    weights = [
        w * (1.3 if day.isoformat() in MID else 1) for w, day in zip(weights, days, strict=True)
    ]
    extra = chance.choices(days, weights, k=200 - len(days))
    return [day.isoformat() for day in days + extra]


def _mingle(rows: list[dict[str, str]], chance: random.Random) -> None:
    """Swap values between rows, one column at a time, until the affinities show.

    Metropolis sampling: every total stays as it is, only who meets whom changes.
    """
    columns = list(COUNTS)
    for _ in range(60_000):
        name = columns[int(chance.random() * len(columns))]
        one, other = (rows[int(chance.random() * len(rows))] for _ in range(2))
        before = _likeness(one) + _likeness(other)
        one[name], other[name] = other[name], one[name]
        gain = _likeness(one) + _likeness(other) - before
        if gain < 0 and chance.random() >= math.exp(gain):
            one[name], other[name] = other[name], one[name]


def _likeness(row: dict[str, str]) -> float:
    kind, rack = row["tipo_defeito"], row["rack"]
    shift, worker, material = row["turno"], row["operador"], row["material"]
    period = "mid" if row["data"] in MID else ""
    pairs = (
        (kind, rack),
        (kind, shift),
        (kind, worker),
        (kind, material),
        (kind, period),
        (worker, shift),
        (rack, material),
    )
    # One addition after the other: from 3.12 on, `sum` rounds better, and the file would differ.
    return functools.reduce(operator.add, (AFFINITIES.get(pair, 0.0) for pair in pairs), 0.0)


def _set_night_dirt(rows: list[dict[str, str]]) -> None:
    """Swap shifts between rows until dirt makes exactly 21 of the night's 59."""

    def dirty(row: dict[str, str], *, at_night: bool, is_dirt: bool) -> bool:
        return (row["turno"] == "noite") == at_night and (row["tipo_defeito"] == "lixo") == is_dirt

    while True:
        night = [row for row in rows if dirty(row, at_night=True, is_dirt=True)]
        if len(night) == NIGHT_DIRT:
            return
        too_many = len(night) > NIGHT_DIRT
        one = next(row for row in rows if dirty(row, at_night=too_many, is_dirt=True))
        other = next(row for row in rows if dirty(row, at_night=not too_many, is_dirt=False))
        one["turno"], other["turno"] = other["turno"], one["turno"]


def _timeless(book: bytes) -> bytes:
    """The same workbook with fixed times inside, so that the same data gives the same bytes."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book)) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as fixed,
    ):
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"2026-03-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, (2026, 3, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            fixed.writestr(entry, content)
    return target.getvalue()


def main() -> None:
    """Write both files."""
    rows = records()
    write_csv(rows, DATA / "defeitos.csv")
    write_xlsx(rows, DATA / "defeitos.xlsx")


if __name__ == "__main__":
    main()
