"""Layouts of sheets as people build them, many by seed: one table is laid out at random.

Each maker takes a seed and gives a file with its truth. A case that allows of two readings is
honest (see `Truth`): whatever is made of it, something has to be said.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import mean
from typing import Any

from openpyxl.styles import PatternFill
from openpyxl.utils import get_column_letter

from tests.data.nasty.truth import Case, Sheet, Truth, said, sheet
from tests.data.writers import grids

Row = tuple[Any, ...]
Maker = Callable[[int], Case]

CODES = ("lote", "peça", "ordem", "amostra", "Ref.", "batch id")
WORDS = {
    "turno": ("manhã", "tarde", "noite"),
    "linha": ("L1", "L2", "L3", "L4"),
    "cor": ("branco", "preto", "cinza", "azul"),
    "operador": ("Ana", "Rui", "Marta", "João", "Inês"),
    "station": ("north", "south", "east"),
}
DATES = ("data", "Data de fabrico", "day")
COUNTS = ("peças", "defeitos", "rejeitadas", "horas", "qty", "paragens")
MEASURES = ("espessura", "brilho", "peso", "viscosidade", "temperatura", "pressão", "gloss")
REASONS = ("Limpeza", "Avaria do robô", "Troca de cor", "Falta de peças")
WIDE = ("Total operador", "Subtotal das paragens")  # of nothing that the table has
# Of each file one or several may be said without need, as far as this suite is concerned.
PERHAPS = (
    *("names_given", "names_told_apart", "merged_filled", "blank_columns", "text_as_number"),
    *(
        "labels_once",
        "day_month",
        "totals_kept",
        "decimal_mark",
        "shorter_rows",
        "text_as_date",
        "mixed_column",
    ),
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is in truth; a kind is `code`, `word`, `date`, `count` or `measure`."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def types(self) -> str:
        """What the columns are read as."""
        known = {"code": "text", "word": "text", "date": "date", "count": "integer"}
        return " ".join(known.get(kind, "number") for kind in self.kinds)

    @property
    def numbers(self) -> list[int]:
        """Where the columns of numbers stand."""
        return [n for n, kind in enumerate(self.kinds) if kind in ("count", "measure")]

    def truth(self, names: Sequence[str] | None = None, **more: Any) -> Sheet:
        """The table as a data set."""
        more.setdefault("perhaps", PERHAPS)
        return sheet(tuple(names or self.names), self.types, self.rows, **more)


def table(
    rng: random.Random,
    *,
    rows: int | None = None,
    texts: int | None = None,
    numbers: int | None = None,
    dates: int | None = None,
    without: Sequence[str] = (),
) -> Table:
    """A table at random; its first column is a code, and no name is one of `without`."""
    free = [name for name in CODES if name not in without]
    columns: list[tuple[str, str]] = [(rng.choice(free), "code")]
    words = rng.sample([n for n in WORDS if n not in without], texts if texts is not None else 1)
    columns += [(name, "word") for name in words]
    if dates if dates is not None else rng.random() < 0.5:
        columns.append((rng.choice([n for n in DATES if n not in without]), "date"))
    pool = [(name, "count") for name in COUNTS] + [(name, "measure") for name in MEASURES]
    count = numbers if numbers is not None else rng.randint(2, 4)
    columns += rng.sample([each for each in pool if each[0] not in without], count)
    letter, first = rng.choice("ABCKX"), rng.randint(100, 700)
    start = date(2026, rng.randint(1, 9), rng.randint(14, 20))
    made: list[Row] = []
    for number in range(rows or rng.randint(6, 24)):
        cells: list[Any] = []
        for name, kind in columns:
            match kind:
                case "code":
                    cells.append(f"{letter}-{first + number}")
                case "word":
                    cells.append(rng.choice(WORDS[name]))
                case "date":
                    cells.append(start + timedelta(days=number))
                case "count":
                    cells.append(rng.randint(5, 4000))
                case _:
                    cells.append(rng.randint(110, 49_900) / 100 + (0.25 if number == 0 else 0))
        made.append(tuple(round(c, 2) if isinstance(c, float) else c for c in cells))
    # A column of measures in which no number has decimals would be one of counts.
    fixed = [
        tuple(c + 0.5 if isinstance(c, float) and c.is_integer() else c for c in row)
        for row in made
    ]
    return Table(tuple(n for n, _k in columns), tuple(k for _n, k in columns), tuple(fixed))


def case(
    name: str,
    seed: int,
    grid: Sequence[Sequence[Any]],
    sheets: Sequence[Sheet],
    *,
    formats: Sequence[str] = ("csv", "xlsx", "xls", "ods"),
    change: Callable[[Any], None] | None = None,
    is_honest: bool = False,
) -> Case:
    """The grid as a file of one of the formats, by the seed; `change` is for .xlsx alone."""
    made = {
        "csv": _csv,
        "xlsx": lambda g: grids.xlsx(g, change),
        "xls": grids.xls,
        "ods": grids.ods,
    }
    format_ = "xlsx" if change is not None else formats[seed % len(formats)]
    truth = Truth(f"{name}, seed {seed}", tuple(sheets), is_honest=is_honest)
    return Case(f"{name}_{seed}.{format_}", made[format_](grid), truth)


def _csv(grid: grids.Grid) -> bytes:
    width = max(map(len, grid))
    padded = [(*row, *(None,) * (width - len(row))) for row in grid]
    return grids.csv_text(padded).encode("utf-8")


# Totals


def summary_words_are_data(seed: int) -> Case:
    """A column says what each row is: mean, maximum, total. None of them is a total."""
    rng = random.Random(seed)
    words = rng.choice(
        (
            ("Média", "Máximo", "Mínimo"),
            ("Mean", "Max", "Min", "Std"),
            ("Parcial", "Total"),
            ("Soma", "Contagem"),
            ("Total", "Homens", "Mulheres"),
            ("Average", "Count", "Sum"),
        )
    )
    base = table(rng, rows=rng.randint(3, 8), texts=0, numbers=rng.randint(1, 3))
    place = rng.choice((0, 1))
    rows = [
        (*row[:place], word, *row[place:-1], *([None] if rng.random() < 0.15 else row[-1:]))
        for row in base.rows
        for word in words
    ]
    rows = [
        tuple(
            round(cell * rng.uniform(0.5, 1.9), 2) + 0.01
            if isinstance(cell, float)
            else rng.randint(5, 4000)
            if isinstance(cell, int)
            else cell
            for cell in row
        )
        for row in rows
    ]
    if rows[0][-1] is None:
        rows[0] = (*rows[0][:-1], base.rows[0][-1])
    names = (*base.names[:place], "Estatística", *base.names[place:])
    kinds = (*base.kinds[:place], "word", *base.kinds[place:])
    # Where a group is written once, most rows lack what names them.
    if rng.random() < 0.4:
        at = 1 - place if place < 2 else 0
        rows = [
            (*row[:at], row[at] if number % len(words) == 0 else None, *row[at + 1 :])
            for number, row in enumerate(rows)
        ]
    rows = [tuple(round(c, 2) if isinstance(c, float) else c for c in row) for row in rows]
    made = Table(names, kinds, tuple(rows))
    return case("summary_words", seed, (names, *rows), (made.truth(),))


def total_is_a_category(seed: int) -> Case:
    """A category called Total, in rows that lack a cell here and there."""
    rng = random.Random(seed)
    base = table(rng, texts=1, numbers=rng.randint(1, 3), dates=0)
    word = rng.choice(("Total", "TOTAL", "Soma", "Média", "Subtotal"))
    others = ("Parcial", "Nova", "Parado")
    rows = []
    for number, row in enumerate(base.rows):
        label = word if number % 4 == 3 or number == len(base.rows) - 1 else rng.choice(others)
        lacks = number > 0 and rng.random() < 0.3
        rows.append((None if lacks else row[0], label, *row[2:]))
    made = Table((base.names[0], "modo", *base.names[2:]), base.kinds, tuple(rows))
    return case("total_as_category", seed, (made.names, *rows), (made.truth(),), is_honest=True)


def totals_that_add_up(seed: int) -> Case:
    """A last row of sums, subtotals of groups, a block of statistics: all true."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(6, 18), texts=1, numbers=rng.randint(1, 3))
    form = seed % 3
    label = rng.choice(("Total", "TOTAL", "Total geral", "Soma", "Sum", "Grand total"))
    grid: list[Row] = [base.names]
    apart: list[tuple[str, int, int]] = []
    perhaps = (*PERHAPS, "totals_set_apart")

    def put(words: str, over: Sequence[Row], how: Callable[[list[float]], float]) -> None:
        cells: list[Any] = [None] * len(base.names)
        cells[0] = words
        for at in base.numbers:
            value = how([row[at] for row in over])
            cells[at] = value if isinstance(value, int) else round(value, 4)
        grid.append(tuple(cells))
        apart.append(("total", len(grid), len(grid)))

    if form == 0:
        grid += base.rows
        put(label, base.rows, sum)
    elif form == 1:
        place, rows = 0, list(base.rows)
        while place < len(rows):
            group = rows[place : place + rng.randint(2, 5)]
            grid += group
            put(rng.choice(("Subtotal", "Sub-total")), group, sum)
            place += len(group)
        put(label, base.rows, sum)
    else:
        grid += base.rows
        put("Total", base.rows, sum)
        put(rng.choice(("Média", "Average")), base.rows, mean)
        put(rng.choice(("Máximo", "Max")), base.rows, max)
        put(rng.choice(("Mínimo", "Min")), base.rows, min)
    truth = base.truth(apart=tuple(apart), perhaps=perhaps)
    return case("totals_true", seed, grid, (truth,))


def subtotals_of_groups(seed: int) -> Case:
    """A sum after each group's rows, with the group's name, in whichever order, or without."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(8, 20), texts=1, numbers=rng.randint(2, 3), dates=0)
    rows = sorted(base.rows, key=lambda row: str(row[1]))
    times = Counter(row[1] for row in rows)
    forms = ["{} Total", "Total {}", "Subtotal {}", "Total de {}"]
    form = rng.choice([*forms, ""] if min(times.values()) > 1 else forms)
    grid: list[Sequence[Any]] = [base.names]
    apart: list[tuple[str, int, int]] = []
    for name in dict.fromkeys(row[1] for row in rows):
        group = [row for row in rows if row[1] == name]
        grid += group
        sums = [round(sum(row[at] for row in group), 4) for at in base.numbers]
        grid.append((None, form.format(name) or None, *sums))
        apart.append(("total", len(grid), len(grid)))
    made = Table(base.names, base.kinds, tuple(rows))
    truth = made.truth(apart=tuple(apart), perhaps=(*PERHAPS, "totals_set_apart"))
    return case("subtotals", seed, grid, (truth,))


def subtotals_among_reasons(seed: int) -> Case:
    """A sum after each group's rows, of another column's value, of that column, or of words."""
    rng = random.Random(seed)
    name, groups = rng.choice((("Turno", WORDS["turno"]), ("Linha", WORDS["linha"])))
    label = rng.choice(("Total {of}", "Subtotal {of}", "Total {name} {of}", "Total {name}", *WIDE))
    names = ("Dia", name, "Motivo", "Minutos", "Peças")
    grid: list[Row] = [names]
    rows: list[Row] = []
    apart: list[tuple[str, int, int]] = []
    has_day = label not in WIDE and seed % 2 == 0
    for day in range(1, rng.randint(3, 6)):
        for of in groups:
            group: list[Row] = [
                (date(2026, 3, day), of, rng.choice(REASONS), rng.randint(3, 90), rng.randint(0, 9))
                for _ in range(rng.randint(2, 4))
            ]
            rows += group
            grid += group
            sums = [sum(row[at] for row in group) for at in (3, 4)]
            key = date(2026, 3, day) if has_day else None
            grid.append((key, None, label.format(of=of, name=name.lower()), *sums))
            apart.append(("total", len(grid), len(grid)))
    made = Table(names, ("date", "word", "word", "count", "count"), tuple(rows))
    truth = made.truth(apart=tuple(apart), perhaps=(*PERHAPS, "totals_set_apart"))
    return case("subtotals_reasons", seed, grid, (truth,))


def sums_named_like_totals(seed: int) -> Case:
    """Reasons, or characteristics, that begin like a total, in rows that lack nothing: data."""
    rng = random.Random(seed)
    words = ("Total runout", "Soma dos desvios", "Total length", "Paragem total", "Total L1")
    rows: tuple[Row, ...] = tuple(
        (rng.choice(WORDS["linha"]), rng.choice((*words, *REASONS)), rng.randint(50, 9_000) / 8)
        for _ in range(rng.randint(8, 40))
    )
    names = ("Linha", "Característica", "Valor")
    made = Table(names, ("word", "word", "measure"), rows)
    perhaps = tuple(kind for kind in PERHAPS if kind != "totals_kept")
    return case("like_totals", seed, (names, *rows), (made.truth(perhaps=perhaps),))


def totals_in_another_language(seed: int) -> Case:
    """A last row of sums whose label no list has."""
    rng = random.Random(seed)
    base = table(rng, texts=1, rows=rng.randint(4, 20))
    cells: list[Any] = [None] * len(base.names)
    cells[0] = rng.choice(("Gesamt", "Summe", "Итого", "合計", "Razem", None))
    for at in base.numbers:
        cells[at] = round(sum(row[at] for row in base.rows), 4)
    at = len(base.rows) + 2
    truth = base.truth(apart=(("total", at, at),))
    formats = ("xlsx", "ods", "csv")
    return case("totals_foreign", seed, (base.names, *base.rows, cells), (truth,), formats=formats)


def rows_without_a_key(seed: int) -> Case:
    """Rows of numbers alone, which sum up nothing: they stay."""
    rng = random.Random(seed)
    base = table(rng, texts=1, rows=rng.randint(6, 24), numbers=rng.randint(1, 3), dates=0)
    small = tuple(
        tuple(
            None
            if at < 2 and (number % 5 == 4 or number == len(base.rows) - 1)
            else rng.randint(0, 3)
            if at in base.numbers
            else cell
            for at, cell in enumerate(row)
        )
        for number, row in enumerate(base.rows)
    )
    kinds = tuple("count" if kind == "measure" else kind for kind in base.kinds)
    made = Table(base.names, kinds, small)
    return case("no_key", seed, (base.names, *small), (made.truth(),))


def totals_that_do_not(seed: int) -> Case:
    """A last row called Total that is not the sum: whatever is made of it, it is said."""
    rng = random.Random(seed)
    base = table(rng, texts=1)
    cells: list[Any] = [None] * len(base.names)
    cells[0] = rng.choice(("Total", "Total geral", "Média", "Soma"))
    for at in base.numbers:
        cells[at] = base.rows[0][at] * 3 + 1
    truth = base.truth()
    return case("totals_untrue", seed, (base.names, *base.rows, cells), (truth,), is_honest=True)


# Headers

UNITS = ("mm", "µm", "mass%", "cm-1", "%T", "1/min", "[mm]", "(°C)", "kg/m³", "m/s²", "mPa·s",
         "GU", "log10", "€/un", "pcs", "W/(m·K)", "[-]", "10^3/µL", "ppm", "s⁻¹")  # fmt: skip


def units_under_names(seed: int) -> Case:
    """A row of units under the names, of any form; nothing stands under what has none."""
    rng = random.Random(seed)
    base = table(rng)
    units: list[str | None] = [None] * len(base.names)
    for at in base.numbers:
        units[at] = rng.choice(UNITS)
    if rng.random() < 0.3:
        units = [unit or rng.choice(("-", None)) for unit in units]
    names = [_joined(name, unit) for name, unit in zip(base.names, units, strict=True)]
    truth = base.truth(names, header_row=2, header_rows=2)
    return case("units", seed, (base.names, units, *base.rows), (truth,))


def _joined(name: str, unit: str | None) -> str:
    if unit in (None, "-"):
        return name
    return f"{name} {unit}" if unit[0] in "[(" else f"{name} ({unit})"


def numbering_under_names(seed: int) -> Case:
    """Statistics offices number their columns under the header: no row of data."""
    rng = random.Random(seed)
    base = table(rng, texts=rng.randint(0, 2), numbers=rng.randint(3, 5))
    width = len(base.names)
    numbering = rng.choice(
        (
            tuple(range(1, width + 1)),
            tuple(str(number) for number in range(1, width + 1)),
            tuple(f"({number})" for number in range(1, width + 1)),
            (None, *range(1, width)),
            ("A", *range(1, width)),
        )
    )
    title = [("Quadro 3 - Produção",)] if rng.random() < 0.5 else []
    at = len(title) + 1
    apart = [("title", 1, 1)] if title else []
    grid = [*title, base.names, numbering, *base.rows]
    truth = base.truth(header_row=at, apart=(*apart, ("numbering", at + 1, at + 1)))
    return case("numbering", seed, grid, (truth,))


def matrix_that_begins_at_one(seed: int) -> Case:
    """A first row 1, 2, 3 of data: it stays, or something is said."""
    rng = random.Random(seed)
    width = rng.randint(3, 6)
    names = tuple(rng.sample((*COUNTS, *MEASURES), width))
    rows = tuple(tuple(range(n * width + 1, (n + 1) * width + 1)) for n in range(rng.randint(3, 9)))
    made = Table(names, ("count",) * width, rows)
    return case("matrix", seed, (names, *rows), (made.truth(),), is_honest=True)


def sparse_rows_under_header(seed: int) -> Case:
    """The first rows of data hold a cell or two."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(9, 24), texts=2, numbers=rng.randint(3, 5))
    rows = [list(row) for row in base.rows]
    for row in rows[: rng.randint(1, 3)]:
        kept = rng.choice(([0], [0, 1], [1, 2], [0, base.numbers[0]], [base.numbers[0]]))
        for at in range(len(row)):
            if at not in kept:
                row[at] = None
    made = Table(base.names, base.kinds, tuple(tuple(row) for row in rows))
    return case("sparse", seed, (made.names, *made.rows), (made.truth(),))


def names_with_gaps(seed: int) -> Case:
    """Some columns have no name."""
    rng = random.Random(seed)
    base = table(rng, texts=2, numbers=rng.randint(3, 5))
    width = len(base.names)
    gaps = set(rng.sample(range(width), rng.randint(1, max(1, width // 3))))
    header = [None if at in gaps else name for at, name in enumerate(base.names)]
    names = [name or f"column_{at + 1}" for at, name in enumerate(header)]
    title = [("Registo de produção",), ()] if rng.random() < 0.4 else []
    apart = (("title", 1, 1), ("blank", 2, 2)) if title else ()
    truth = base.truth(names, header_row=len(title) + 1, apart=apart)
    return case("gaps", seed, [*title, header, *base.rows], (truth,))


def _grouped(rng: random.Random, levels: int) -> tuple[Table, list[list[str | None]], list[str]]:
    """A table whose numbers are in groups of equal names, its header rows, its joined names."""
    measured = rng.sample(MEASURES, rng.randint(2, 3))
    parts = rng.choice(
        (("mín", "máx"), ("mín", "méd", "máx"), ("antes", "depois"), ("n", "x", "s"))
    )
    texts = rng.randint(1, 2)
    width = texts + len(measured) * len(parts)
    names = ("peça", "turno")[:texts]
    base = table(rng, texts=texts - 1, numbers=0, dates=0)
    rows = tuple(
        (*row, *(rng.randint(110, 49_900) / 100 + 0.003 for _n in range(width - texts)))
        for row in base.rows
    )
    rows = tuple(tuple(round(c, 3) if isinstance(c, float) else c for c in row) for row in rows)
    groups: list[str | None] = [None] * width
    lower: list[str | None] = [*names, *(parts * len(measured))]
    joined = [*names]
    for number, name in enumerate(measured):
        groups[texts + number * len(parts)] = name
        joined += [f"{name} {part}" for part in parts]
    header = [groups, lower]
    if levels == 3:
        top: list[str | None] = [None] * width
        top[texts] = "Ensaios"
        header.insert(0, top)
        joined = [*joined[:texts], *(f"Ensaios {name}" for name in joined[texts:])]
    kinds = (*("word",) * texts, *("measure",) * (width - texts))
    return Table((*names, *joined[texts:]), kinds, rows), header, joined


def group_labels(seed: int) -> Case:
    """Labels of groups over the names: at the left, centred, or merged; two rows or three."""
    rng = random.Random(seed)
    levels = 2 if seed % 3 else 3
    made, header, joined = _grouped(rng, levels)
    texts = sum(kind == "word" for kind in made.kinds)
    size = (len(made.names) - texts) // sum(map(bool, header[-2]))
    form = rng.choice(("left", "centred", "merged"))
    if form == "centred" and levels == 2:
        labels = header[-2]
        header[-2] = [None] * len(labels)
        for at, label in enumerate(labels):
            if label:
                header[-2][at + (size - 1) // 2] = label
    change = None
    if form == "merged":

        def change(page: Any) -> None:
            for at in range(texts, len(made.names), size):
                page.merge_cells(
                    start_row=levels - 1, end_row=levels - 1, start_column=at + 1,
                    end_column=at + size,
                )  # fmt: skip
            if levels == 3:
                page.merge_cells(
                    start_row=1, end_row=1, start_column=texts + 1, end_column=len(made.names)
                )

    truth = made.truth(joined, header_row=levels, header_rows=levels)
    return case("groups", seed, [*header, *made.rows], (truth,), change=change)


def names_over_several_rows(seed: int) -> Case:
    """Names written over two or three rows, with units in the last of them."""
    rng = random.Random(seed)
    base = table(rng, texts=1, numbers=rng.randint(2, 4), rows=rng.randint(8, 20))
    second = [
        rng.choice(("interno", "da peça", "final")) if kind in ("code", "word") else
        rng.choice(("medida", "registada", "acumulada"))
        for kind in base.kinds
    ]  # fmt: skip
    header: list[Sequence[Any]] = [base.names, second]
    joined = [f"{name} {more}" for name, more in zip(base.names, second, strict=True)]
    if rng.random() < 0.5:
        units = [rng.choice(UNITS) if at in base.numbers else None for at in range(len(joined))]
        header.append(units)
        joined = [_joined(name, unit) for name, unit in zip(joined, units, strict=True)]
    truth = base.truth(joined, header_row=len(header), header_rows=len(header))
    return case("wrapped", seed, [*header, *base.rows], (truth,), is_honest=True)


def words_in_first_row(seed: int) -> Case:
    """The first row of data has words where the others have numbers: it is a row all the same."""
    rng = random.Random(seed)
    base = table(rng, texts=1, dates=0, rows=rng.randint(8, 20), numbers=rng.randint(2, 4))
    words = ("falhou", "avaria", "sem amostra", "parado")
    first = tuple(
        rng.choice(words) if kind in ("count", "measure") and rng.random() < 0.8 else cell
        for cell, kind in zip(base.rows[0], base.kinds, strict=True)
    )
    made = Table(base.names, base.kinds, (first, *base.rows[1:]))
    return case("first_words", seed, (made.names, *made.rows), (made.truth(),), is_honest=True)


# Several tables


def stacked_tables(seed: int) -> Case:
    """Two or three tables one under the other, with blank rows or titles between them."""
    rng = random.Random(seed)
    form = rng.choice(("blank", "title", "both", "blanks"))
    grid: list[Sequence[Any]] = []
    sheets: list[Sheet] = []
    used: list[str] = []
    for number in range(rng.choice((2, 2, 3))):
        one = table(rng, without=used, rows=rng.randint(3, 14), texts=number % 2, dates=None)
        used += one.names
        apart: list[tuple[str, int, int]] = []
        if number:
            grid += [()] * {"blank": 1, "title": 0, "both": 1, "blanks": 3}[form]
        if form in ("title", "both"):
            grid.append((f"Tabela {number + 1}: {rng.choice(('Linha', 'Ensaio'))} {number}",))
            apart.append(("title", len(grid), len(grid)))
        grid.append(one.names)
        sheets.append(
            one.truth(header_row=len(grid), apart=tuple(apart), repaired=("tables_read_apart",))
        )
        grid += one.rows
    return case("stacked", seed, grid, biggest_first(sheets))


def legend_under_table(seed: int) -> Case:
    """A table of texts under one with values: what its codes mean."""
    rng = random.Random(seed)
    one = table(rng, texts=0, numbers=rng.randint(2, 4), dates=0)
    codes = (("A", "riscos"), ("B", "falta de tinta"), ("C", "gordura"), ("D", "crateras"))
    legend = Table(("código", "significado"), ("word", "word"), codes[: rng.randint(2, 4)])
    grid: list[Sequence[Any]] = [one.names, *one.rows, *[()] * rng.randint(1, 2)]
    grid += [legend.names, *legend.rows]
    at = len(grid) - len(legend.rows)
    sheets = [
        one.truth(repaired=("tables_read_apart",)),
        legend.truth(header_row=at, repaired=("tables_read_apart",)),
    ]
    return case("legend", seed, grid, biggest_first(sheets))


def limits_under_table(seed: int) -> Case:
    """Names with a value each under the table: no rows of it, and so something has to be said."""
    rng = random.Random(seed)
    base = table(rng, texts=2, numbers=rng.randint(2, 4), rows=rng.randint(8, 20))
    limits = [("Limite superior", 82.5), ("Limite inferior", 78.5), ("Alvo", 80)]
    grid = (base.names, *base.rows, (), *limits[: rng.randint(1, 3)])
    return case("limits", seed, grid, (base.truth(),), is_honest=True)


def tables_side_by_side(seed: int) -> Case:
    """Two tables beside each other, parted by blank columns, of different heights."""
    rng = random.Random(seed)
    heights = rng.sample(range(4, 16), 2)
    one = table(rng, rows=heights[0], numbers=2)
    other = table(rng, rows=heights[1], numbers=2, without=one.names)
    gap = (None,) * rng.randint(1, 2)
    titled = rng.random() < 0.4
    width = len(one.names)
    grid: list[Sequence[Any]] = []
    if titled:
        grid.append(("Linha 1", *(None,) * (width - 1), *gap, "Linha 2"))
    grid.append((*one.names, *gap, *other.names))
    at = len(grid)
    for number in range(max(heights)):
        left = one.rows[number] if number < heights[0] else (None,) * width
        right = other.rows[number] if number < heights[1] else (None,) * len(other.names)
        grid.append((*left, *gap, *right))
    apart = (("title", 1, 1),) if titled else ()
    sheets = [
        each.truth(header_row=at, apart=apart, repaired=("tables_read_apart",))
        for each in (one, other)
    ]
    return case("beside", seed, grid, biggest_first(sheets))


def biggest_first(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The sheets in the order in which their data sets come."""
    return sorted(sheets, key=lambda each: -len(each.rows) * len(each.columns))


def one_table_with_gaps(seed: int) -> Case:
    """Blank rows, blank columns and repeated headers inside one table: it stays one."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(6, 20))
    grid: list[Sequence[Any]] = [base.names]
    apart: list[tuple[str, int, int]] = []
    repeats = rng.random() < 0.4
    for number, row in enumerate(base.rows):
        if number and number % 4 == 0:
            grid.append(())
            apart.append(("blank", len(grid), len(grid)))
            if repeats:
                grid.append(base.names)
                apart.append(("repeated_header", len(grid), len(grid)))
        grid.append(row)
    if rng.random() < 0.4:
        grid += [(), ("Fonte: MES, extraído por marta",)]
        apart += [("blank", len(grid) - 1, len(grid) - 1), ("note", len(grid), len(grid))]
    if rng.random() < 0.4:
        cut = rng.randint(1, len(base.names) - 1)
        grid = [(*row[:cut], None, *row[cut:]) if len(row) > 1 else row for row in grid]
    return case("one_table", seed, grid, (base.truth(apart=tuple(apart)),))


# Hidden


def hidden_parts(seed: int) -> Case:
    """Hidden sheets, rows and columns are read and told; a hidden sheet is never the first."""
    rng = random.Random(seed)
    form = ("sheet", "rows", "columns", "filter")[seed % 4]
    format_ = ("xlsx", "xls", "ods")[seed // 4 % 3]
    if form == "filter" and format_ == "xls":
        format_ = "xlsx"  # the library cannot write a filter
    shown = table(rng, rows=rng.randint(5, 9))
    other = table(rng, rows=rng.randint(12, 20))
    rows = sorted(rng.sample(range(1, len(shown.rows)), rng.randint(1, 3)))
    columns = [rng.randrange(len(shown.names))]
    grid = (shown.names, *shown.rows)
    if form == "sheet":
        book = {"Lista": (other.names, *other.rows), "Dados": grid}
        sheets = [
            shown.truth(name="Dados"),
            other.truth(name="Lista", doubtful=("hidden_sheet",)),
        ]
        content = hidden(book, format_, sheets=("Lista",))
    else:
        kind = {"rows": "hidden_rows", "columns": "hidden_columns", "filter": "filtered_rows"}[form]
        cells = tuple(f"A{row + 1}" for row in rows[:1]) if form != "columns" else ()
        sheets = [shown.truth(name="Dados", doubtful=(said(kind, *cells),))]
        content = hidden(
            {"Dados": grid},
            format_,
            rows=() if form == "columns" else rows,
            columns=columns if form == "columns" else (),
            is_filtered=form == "filter",
        )
    return Case(f"hidden_{seed}.{format_}", content, Truth(f"hidden {form}, {seed}", tuple(sheets)))


def hidden(
    book: dict[str, Any],
    format_: str,
    *,
    sheets: Sequence[str] = (),
    rows: Sequence[int] = (),
    columns: Sequence[int] = (),
    is_filtered: bool = False,
) -> bytes:
    """A workbook of which sheets, or rows and columns (from 0) of its only sheet, are hidden."""
    match format_:
        case "ods":
            return _hidden_ods(book, sheets, rows, columns, "filter" if is_filtered else "collapse")
        case "xls":

            def hide_old(made: Any) -> None:
                for name in sheets:
                    made.get_sheet(name).visibility = 1
                page = made.get_sheet(0)
                for row in rows:
                    page.row(row).hidden = True
                for column in columns:
                    page.col(column).hidden = True

            return grids.xls(book, hide_old)

    def hide(made: Any) -> None:
        for name in sheets:
            made[name].sheet_state = "veryHidden" if len(name) % 2 else "hidden"
        page = made.worksheets[0]
        for row in rows:
            page.row_dimensions[row + 1].hidden = True
        for column in columns:
            page.column_dimensions[get_column_letter(column + 1)].hidden = True
        if is_filtered:
            page.auto_filter.ref = page.dimensions

    return grids.xlsx(book, hide)


def _hidden_ods(
    book: dict[str, Any],
    sheets: Sequence[str],
    rows: Sequence[int],
    columns: Sequence[int],
    visibility: str,
) -> bytes:
    parts = grids.unzipped(grids.ods(book))
    text = parts["content.xml"].decode("utf-8")
    style = (
        '<office:automatic-styles><style:style style:name="ta2" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
    )
    text = text.replace("<office:body>", f"{style}<office:body>").replace(
        ' office:version="1.2">',
        ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" office:version="1.2">',
    )
    for name in sheets:
        text = text.replace(f'table:name="{name}"', f'table:name="{name}" table:style-name="ta2"')
    head, *others = text.split("<table:table-row>")
    if columns:
        before = f'<table:table-column table:number-columns-repeated="{columns[0]}"/>'
        head += (before if columns[0] else "") + '<table:table-column table:visibility="collapse"/>'
    for number, row in enumerate(others):
        shown = f' table:visibility="{visibility}"' if number in rows else ""
        head += f"<table:table-row{shown}>{row}"
    return grids.zipped({**parts, "content.xml": head.encode("utf-8")}, is_deflated=False)


# Empty cells with a style


def styled_cells(seed: int) -> Case:
    """Cells that have a colour and no value, far beyond the table."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(3, 9))
    far_row = rng.choice((200, 60_000, 1_048_576))
    far_column = rng.choice((40, 900, 16_384))
    fill = PatternFill("solid", fgColor="FFFF00")

    def style(page: Any) -> None:
        for row in (*range(2, 30), far_row):
            page.cell(row, far_column).fill = fill
            page.cell(row, len(base.names) + 3).fill = fill
        for row in range(len(base.rows) + 2, 60):
            for column in range(1, 12):
                page.cell(row, column).fill = fill

    truth = base.truth(name="Dados")
    grid = (base.names, *base.rows)
    return case("styled", seed, grid, (truth,), change=style)


# Lines that are no rows


def titles_of_pages(seed: int) -> Case:
    """A long export with its titles, the page and the names again on each page."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(40, 90), texts=1, dates=1)
    gap: Row = (None,) * (len(base.names) - 2)
    page = rng.choice(("Página", "Page", "Seite", "Pág."))
    title = rng.choice(("ACME Lda", "Encomendas abertas", "Open orders"))
    size = rng.randint(12, 18)
    header_row = 2 + seed % 2
    grid: list[Row] = []
    apart: list[tuple[str, int, int]] = []
    for number, at in enumerate(range(0, len(base.rows), size), 1):
        kind = "note" if number > 1 else "title"
        lines: list[Row] = [(title, *gap, f"{page} {number}"), ("Impresso em 3 de maio",)]
        for line in lines[: 1 + seed % 2]:
            grid.append(line)
            apart.append((kind, len(grid), len(grid)))
        grid.append(base.names)
        if number > 1:
            apart.append(("repeated_header", len(grid), len(grid)))
        grid += base.rows[at : at + size]
    truth = base.truth(apart=tuple(apart), header_row=header_row)
    return case("pages", seed, grid, (truth,))


def numbers_of_pages(seed: int) -> Case:
    """Lines such as 'Página 3 de 7' among the rows, and no names again."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(40, 90), texts=1)
    page = rng.choice(("Página {} de 7", "Page {} of 7", "Seite {} von 7", "pág. {}/7"))
    size = rng.randint(12, 18)
    grid: list[Row] = [base.names]
    apart: list[tuple[str, int, int]] = []
    for number, at in enumerate(range(0, len(base.rows), size), 1):
        grid += base.rows[at : at + size]
        grid.append((page.format(number),))
        apart.append(("note", len(grid), len(grid)))
    return case("page_numbers", seed, grid, (base.truth(apart=tuple(apart)),))


def comments_among_rows(seed: int) -> Case:
    """Lines that begin with the sign of a comment, among rows of which none does."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(6, 24))
    sign = rng.choice(("# ", "#", "// ", ";; "))
    grid: list[Row] = [base.names, *base.rows]
    places = sorted(rng.sample(range(2, len(grid)), rng.randint(1, 2)))
    for place in reversed(places):
        grid.insert(place, (f"{sign}{rng.choice(('sensor mudado', 'turno da noite', 'ver ata'))}",))
    rows = [place + n + 1 for n, place in enumerate(places)]
    truth = base.truth(apart=tuple(("note", row, row) for row in rows))
    return case("comments", seed, grid, (truth,))


def codes_that_look_like_comments(seed: int) -> Case:
    """Codes with the sign of a comment, of which one row has nothing else: all are data."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(6, 24))
    rows = [(f"#{row[0]}", *row[1:]) for row in base.rows]
    place = rng.randrange(1, len(rows) - 2)
    rows[place] = (rows[place][0], *[None] * (len(base.names) - 1))
    made = Table(base.names, base.kinds, tuple(rows))
    return case("comments_none", seed, (made.names, *made.rows), (made.truth(),))


def codes_under_signed_titles(seed: int) -> Case:
    """Codes such as #12 under lines of titles with the same sign: all are data."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(6, 24))
    share = rng.choice((0.3, 1))  # of the codes have the sign
    signs = ["#" if number < 2 or rng.random() < share else "" for number in range(len(base.rows))]
    rows = [(f"{signs[n]}{n + 8}", *row[1:]) for n, row in enumerate(base.rows)]
    if rng.random() < 0.5:
        place = rng.randrange(1, len(rows) - 2)
        rows[place] = (rows[place][0], *[None] * (len(base.names) - 1))
    made = Table(base.names, base.kinds, tuple(rows))
    titles = (("# Relatório de turno",), ("# Linha 2, pintura",))
    grid: list[Row] = [*titles, made.names, *made.rows]
    apart: list[tuple[str, int, int]] = [("title", 1, 1), ("title", 2, 2)]
    if rng.random() < 0.5:
        grid.insert(5, ("# sensor mudado",))
        apart.append(("note", 6, 6))
    truth = made.truth(header_row=3, apart=tuple(apart))
    return case("signed_titles", seed, grid, (truth,))


def pages_with_lines(seed: int) -> Case:
    """A long export in pages: lines of one cell and the names again before each of them."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(40, 90), texts=1, dates=1)
    page = rng.choice(("Página {}", "Page {}", "Página {} de 9", "Seite {}", "Pág. {}/9"))
    first = rng.choice(((), ("ACME Lda",), ("Encomendas abertas", "Fábrica de Ovar")))
    last = rng.choice((page, "Impresso em 03.05.2026 10:{:02}"))
    size = rng.randint(12, 18)
    grid: list[Row] = []
    apart: list[tuple[str, int, int]] = []
    for number, at in enumerate(range(0, len(base.rows), size), 1):
        if number > 1 and seed % 2:
            grid.append(())
            apart.append(("blank", len(grid), len(grid)))
        for line in (*first, last.format(number)):
            grid.append((line,))
            apart.append(("note" if number > 1 else "title", len(grid), len(grid)))
        grid.append(base.names)
        if number > 1:
            apart.append(("repeated_header", len(grid), len(grid)))
        grid += base.rows[at : at + size]
    truth = base.truth(apart=tuple(apart), header_row=len(first) + 2)
    return case("lines_of_pages", seed, grid, (truth,))


# Tables that are no list of records


def pivot_tables(seed: int) -> Case:
    """A pivot table as its values: filters above, labels of groups once, subtotals, a total."""
    rng = random.Random(seed)
    value, total, whole = rng.choice(
        (
            ("Soma de Custo", "Total", "Total Geral"),
            ("Sum of Cost", "Total", "Grand Total"),
            ("Count of Order", "Total", "Grand Total"),
        )
    )
    columns = ("manhã", "tarde", "noite")[: rng.randint(2, 3)]
    defects = ("riscos", "bolhas", "grão", "fendas")
    rows: list[Row] = []
    grid: list[Row] = [("Ano", "(Todos)"), ()] if rng.random() < 0.5 else []
    titles = [("title", 1, 1), ("blank", 2, 2)] if grid else []
    grid.append((value, None, "Turno"))
    titles.append(("title", len(grid), len(grid)))
    grid.append(("Fábrica", "Defeito", *columns, whole))
    header_row = len(grid)
    apart: list[tuple[str, int, int]] = []
    sums = [0] * (len(columns) + 1)
    for plant in rng.sample(("Aveiro", "Ovar", "Porto", "Lyon"), rng.randint(2, 4)):
        own = [0] * len(sums)
        for number, defect in enumerate(rng.sample(defects, rng.randint(2, 4))):
            counts = [rng.randint(1, 400) for _column in columns]
            cells = (*counts, sum(counts))
            own = [a + b for a, b in zip(own, cells, strict=True)]
            rows.append((None if number else plant, defect, *cells))
            grid.append(rows[-1])
        grid.append((f"{plant} {total}", None, *own))
        apart.append(("total", len(grid), len(grid)))
        sums = [a + b for a, b in zip(sums, own, strict=True)]
    grid.append((whole, None, *sums))
    if apart[-1][1] == len(grid) - 1:
        apart[-1] = ("total", len(grid) - 1, len(grid))
    made = sheet(
        ("Fábrica", "Defeito", *columns, whole),
        "text text" + " integer" * len(sums),
        rows,
        header_row=header_row,
        apart=(*titles, *apart),
        doubtful=("labels_once",),
        perhaps=(*PERHAPS, "totals_set_apart"),
    )
    return case("pivot", seed, grid, (made,))


def labels_once(seed: int, *, depth: int = 0) -> Case:
    """Labels of one or two levels that are written in the first row of their group only."""
    rng = random.Random(seed)
    depth = depth or rng.randint(1, 2)
    base = table(rng, rows=rng.randint(12, 30), texts=0, dates=0, numbers=2)
    plants = [f"Fábrica {name}" for name in ("Norte", "Sul", "Este", "Centro")]
    lines = [f"Linha {number}" for number in range(1, 4)]
    labels: list[Row] = []
    for plant in plants:
        for line in lines if depth == 2 else ("",):
            for number in range(rng.randint(2, 4)):
                first = number == 0
                is_first = first and line == (lines[0] if depth == 2 else "")
                labels.append(
                    (
                        plant if is_first else None,
                        *((line if first else None,) if depth == 2 else ()),
                    )
                )
    rows = [(*label, *row) for label, row in zip(labels[: len(base.rows)], base.rows, strict=False)]
    names = (*("Fábrica", "Linha")[:depth], *base.names)
    kinds = (*("word", "word")[:depth], *base.kinds)
    made = Table(names, kinds, tuple(rows))
    truth = made.truth(doubtful=("labels_once",))
    return case("labels_once", seed, (names, *rows), (truth,))


def records_in_columns(seed: int) -> Case:
    """Fields in rows and records in columns: told, and not exchanged."""
    rng = random.Random(seed)
    count = rng.randint(3, 9)
    start = date(2026, 3, 14)
    fields: list[Row] = [
        ("Data", *(start + timedelta(n) for n in range(count))),
        ("Operador", *(rng.choice(WORDS["operador"]) for _n in range(count))),
        ("pH", *(rng.randint(601, 799) / 100 for _n in range(count))),
        ("Densidade", *(rng.randint(1001, 1099) / 1000 for _n in range(count))),
        ("Aprovado", *(rng.choice(("sim", "não")) for _n in range(count))),
        ("Lote", *(f"A-{rng.randint(100, 999)}" for _n in range(count))),
    ]
    kept = [fields[0], *rng.sample(fields[1:], rng.randint(3, 5))]
    rng.shuffle(kept)
    grid = [("Amostra", *(f"P-{n + 1}" for n in range(count))), *kept]
    truth = Truth(f"records_in_columns, seed {seed}", is_honest=True)
    made = case("in_columns", seed, grid, ())
    return Case(made.name, made.content, truth)


def calendars(seed: int) -> Case:
    """The calendar of a month, with or without what happens on its days."""
    rng = random.Random(seed)
    first, days = rng.randint(0, 6), rng.choice((28, 30, 31))
    cells = [None] * first + [*range(1, days + 1)]
    weeks = [tuple(cells[at : at + 7]) for at in range(0, len(cells), 7)]
    grid: list[Row] = [("março de 2026",), ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")]
    for week in weeks:
        grid.append(week)
        if seed % 2:
            grid.append(tuple(rng.choice(("folga", "inventário", None)) for _day in week))
    made = case("calendar", seed, grid, ())
    return Case(made.name, made.content, Truth(f"calendar, seed {seed}", is_honest=True))


# Notes under tables


def signatures_under_total(seed: int) -> Case:
    """A total whose label no list has, and who signed for it below."""
    rng = random.Random(seed)
    base = table(rng, texts=1, dates=0, numbers=rng.randint(2, 4), rows=rng.randint(4, 20))
    cells: list[Any] = [None] * len(base.names)
    cells[0] = rng.choice(("Gesamt", "Итого", "Razem", "Yhteensä"))
    for at in base.numbers:
        cells[at] = round(sum(row[at] for row in base.rows), 4)
    grid: list[Row] = [base.names, *base.rows]
    apart: list[tuple[str, int, int]] = []
    if seed % 2:
        grid.append(())
        apart.append(("blank", len(grid), len(grid)))
    grid.append(tuple(cells))
    apart.append(("total", len(grid), len(grid)))
    for line in (("Sporządził: Wójcik", None, "Data: 14.03.2024"), ("Aprovado: ..........",)):
        grid.append(line)
        apart.append(("note", len(grid), len(grid)))
    formats = ("xlsx", "ods")
    return case("signatures", seed, grid, (base.truth(apart=tuple(apart)),), formats=formats)


def words_of_a_session(seed: int) -> Case:
    """What a database's client says under its rows."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(3, 24))
    lines = ((f"{len(base.rows)} rows in set",), ("Bye",))[seed % 2 :]
    at = len(base.rows) + 2
    apart = tuple(("note", at + n, at + n) for n in range(len(lines)))
    return case("session", seed, (base.names, *base.rows, *lines), (base.truth(apart=apart),))


# Numbers as names


def numbers_as_names(seed: int) -> Case:
    """Wavelengths, hours, years and sizes as names, which could be a row of numbers as well."""
    rng = random.Random(seed)
    names: list[Any]
    match seed % 6:
        case 0:  # wavelengths
            first, step = rng.choice((200, 350, 400)), rng.choice((0.5, 1, 2, 5))
            names = [first + n * step for n in range(rng.randint(8, 250))]
        case 1:  # wave numbers, falling
            names = [4000 - 4 * n for n in range(rng.randint(8, 60))]
        case 2:  # hours
            names = [*range(rng.choice((0, 6)), 24)]
        case 3:  # sizes that double
            names = [0.063 * 2**n for n in range(rng.randint(5, 9))]
            names = [round(size, 3) for size in names]
        case 4:  # sizes of shoes and clothes
            names = [*range(34, 34 + 2 * rng.randint(4, 8), 2)]
        case _:  # years
            first = rng.randint(1990, 2010)
            names = [*range(first, first + rng.randint(4, 12))]
    is_whole = seed % 6 in (2, 4)
    corner = rng.choice(("Sample", "Peça", "lote")) if rng.random() < 0.7 else None
    rows: list[Row] = [
        (
            f"S-{n + 1}",
            *(
                rng.randint(0, 400) if is_whole else rng.randint(1001, 1999) / 1000 + 0.0001
                for _name in names
            ),
        )
        for n in range(rng.randint(4, 12))
    ]
    if seed % 6 < 2 and corner and rng.random() < 0.5:  # rows that rise evenly, too
        rows = [
            (row[0], *(n + 0.001 * at + 0.0005 for at in range(len(names))))
            for n, row in enumerate(rows)
        ]
    rows = [tuple(round(c, 4) if isinstance(c, float) else c for c in row) for row in rows]
    told = tuple(f"{name:g}" for name in names)
    written = names if rng.random() < 0.5 else [grids.spoken(name) for name in names]
    format_ = ("csv", "xlsx", "xls", "ods")[seed % 4]
    if format_ == "csv":
        told = tuple(grids.spoken(name) for name in names)
    elif written is not names:
        told = tuple(map(str, written))
    are_years = seed % 6 == 5
    made = sheet(
        (corner or "column_1", *told),
        " ".join(("text", *["integer" if is_whole else "number"] * len(names))),
        rows,
        doubtful=() if are_years else ("numbers_as_names",),
        perhaps=PERHAPS,
    )
    return case("numbers_as_names", seed, ((corner, *written), *rows), (made,), formats=(format_,))


def days_as_names(seed: int) -> Case:
    """A plan of shifts: the days of a month as names, mostly with their weekdays above them."""
    rng = random.Random(seed)
    days = rng.choice((28, 29, 30, 31))
    weekdays = rng.choice((("seg", "ter", "qua", "qui", "sex", "sáb", "dom"), "MTWTFSS"))
    first, has_weekdays = rng.randint(0, 6), rng.random() < 0.7
    above = [weekdays[(first + day) % 7] for day in range(days)]
    rows: list[Row] = [
        (name, *(rng.choice(("M", "T", "N", "F", None)) for _day in range(days)))
        for name in ("Ana", "Rui", "Marta", "João", "Inês")[: rng.randint(3, 5)]
    ]
    titled = [("Turnos de março de 2026",)] if rng.random() < 0.5 else []
    grid = [
        *titled,
        *([(None, *above)] if has_weekdays else []),
        ("Nome", *range(1, days + 1)),
        *rows,
    ]
    names = [f"{above[n]} {n + 1}" if has_weekdays else f"{n + 1}" for n in range(days)]
    made = sheet(
        ("Nome", *names),
        " ".join(["text"] * (days + 1)),
        rows,
        header_row=len(titled) + has_weekdays + 1,
        header_rows=1 + has_weekdays,
        apart=(("title", 1, 1),) if titled else (),
        doubtful=("days_as_names", *(("header_rows",) if has_weekdays else ())),
        perhaps=PERHAPS,
    )
    return case("days_as_names", seed, grid, (made,))


def rows_in_steps(seed: int) -> Case:
    """No names, and rows that rise evenly: the first of them is a row like the others."""
    rng = random.Random(seed)
    width = rng.randint(8, 14)
    firsts = [rng.randint(1, 90) / 2 for _row in range(rng.randint(4, 12))]
    steps = [rng.choice((1.5, 2.5, 3.5)) for _first in firsts]
    rows = [
        tuple(first + n * step + 0.25 for n in range(width))
        for first, step in zip(firsts, steps, strict=True)
    ]
    made = sheet(
        tuple(f"column_{n + 1}" for n in range(width)),
        " ".join(["number"] * width),
        rows,
        header_row=None,
        doubtful=("no_header",),
        perhaps=PERHAPS,
    )
    return case("rows_in_steps", seed, rows, (made,))


MAKERS: tuple[Maker, ...] = (
    summary_words_are_data,
    total_is_a_category,
    totals_that_add_up,
    subtotals_of_groups,
    subtotals_among_reasons,
    sums_named_like_totals,
    totals_in_another_language,
    rows_without_a_key,
    totals_that_do_not,
    units_under_names,
    numbering_under_names,
    matrix_that_begins_at_one,
    sparse_rows_under_header,
    names_with_gaps,
    group_labels,
    names_over_several_rows,
    words_in_first_row,
    stacked_tables,
    legend_under_table,
    limits_under_table,
    tables_side_by_side,
    one_table_with_gaps,
    hidden_parts,
    styled_cells,
    titles_of_pages,
    numbers_of_pages,
    comments_among_rows,
    codes_that_look_like_comments,
    codes_under_signed_titles,
    pages_with_lines,
    pivot_tables,
    labels_once,
    records_in_columns,
    calendars,
    signatures_under_total,
    words_of_a_session,
    numbers_as_names,
    days_as_names,
    rows_in_steps,
)
