"""Text tables with rows between those of data, by seed: limits and units, taxes, comments."""

import random
from collections.abc import Callable, Sequence

from tests.data.nasty.truth import Case, Sheet, Truth, sheet

Maker = Callable[[int], Case]
_LIMITS = (
    ("LSL", "USL"),
    ("Nominal", "LSL", "USL"),
    ("Min", "Max"),
    ("Lower Limit", "Upper Limit"),
    ("Target", "Lower Tol", "Upper Tol"),
    ("LIE", "LSE"),
    ("UGW", "OGW"),
    ("Sollwert", "Untere Toleranz", "Obere Toleranz"),
    ("Límite inferior", "Límite superior"),
)
_TAXES = ("IVA 23%", "VAT 20%", "MwSt. 19 %", "TVA (5,5 %)", "IVA", "Tax 8.25%")


def limits_under_names(seed: int) -> Case:
    """Measures of an instrument, with limits, and perhaps units, under the names or at the end."""
    chance = random.Random(f"limits {seed}")
    labels = _LIMITS[seed % len(_LIMITS)]
    has_units = chance.random() < 0.5
    is_last = not has_units and labels[0] != "Min" and chance.random() < 0.3
    names = ["Serial", "Dia", "Altura"]
    grid = [[label, f"{9 + number / 10:.1f}", f"{19 + number}.5"] for number, label in
            enumerate(labels)]  # fmt: skip
    body = [
        (f"SN{number:04}", round(chance.gauss(10, 0.1), 1), round(chance.gauss(20, 0.2), 1))
        for number in range(chance.randrange(10, 40))
    ]
    rows = [[serial, f"{one:.1f}", f"{two:.1f}"] for serial, one, two in body]
    units = [["Unit", "mm", "mm"]] if has_units else []
    lines = [names, *units, *(rows + grid if is_last else grid + rows)]
    first = len(units) + 2 + (len(rows) if is_last else 0)
    columns = ["Serial", "Dia (mm)", "Altura (mm)"] if has_units else names
    table = sheet(
        columns,
        "text number number",
        body,
        header_row=1 + len(units),
        header_rows=1 + len(units),
        apart=tuple(("note", first + place, first + place) for place in range(len(grid))),
        doubtful=["limits"],
    )
    return _case(f"limits_{seed}.csv", lines, ",", table)


def statistics(seed: int) -> Case:
    """A table of statistics, whose words are those of limits: rows like others."""
    chance = random.Random(f"statistics {seed}")
    body = [
        (label, number, chance.randrange(10, 99) / 10)
        for number in range(chance.randrange(4, 12))
        for label in ("Min", "Max", "Target")
    ]
    lines = [["Stat", "Grupo", "Valor"], *([label, str(n), str(v)] for label, n, v in body)]
    return _case(
        f"statistics_{seed}.csv",
        lines,
        ";",
        sheet("Stat Grupo Valor", "text integer number", body, perhaps=("decimal_mark",)),
    )


def taxes_between(seed: int) -> Case:
    """Invoices in blocks: their items, and under these a tax."""
    chance = random.Random(f"taxes {seed}")
    label = _TAXES[seed % len(_TAXES)]
    lines, body, apart = [["Fatura", "Artigo", "Texto", "Qtd", "Valor"]], [], []
    for invoice in range(1, chance.randrange(4, 9)):
        values = [chance.randrange(1_100, 90_000) / 100 for _ in range(chance.randrange(2, 5))]
        for value in values:
            item = (f"FT-{invoice}", f"A{chance.randrange(100, 999)}", "Peça", 2, value)
            body.append(item)
            lines.append([*map(str, item[:4]), f"{value:.2f}".replace(".", ",")])
        tax = f"{sum(values) * 0.23:.2f}".replace(".", ",")
        lines.append([f"FT-{invoice}", "", label, "", tax])
        apart.append(("total", len(lines), len(lines)))
    table = sheet(
        lines[0],
        "text text text integer number",
        body,
        apart=tuple(apart),
        doubtful=["taxes_set_apart"],
    )
    return _case(f"taxes_{seed}.csv", lines, ";", table)


def taxes_as_rows(seed: int) -> Case:
    """A price list in which a tax is an article as any other."""
    chance = random.Random(f"tax rows {seed}")
    words = ["IVA", "Papel", "Tax", "Tinta", "VAT", "Serviço"]
    body = [
        (f"C{number}", chance.choice(words), chance.randrange(100, 9_000) / 100)
        for number in range(chance.randrange(10, 40))
    ]
    lines = [["Conta", "Texto", "Valor"], *([a, b, f"{c:.2f}"] for a, b, c in body)]
    return _case(
        f"tax_rows_{seed}.csv", lines, ",", sheet("Conta Texto Valor", "text text number", body)
    )


def comments_above(seed: int) -> Case:
    """Lines of comment above the names, with the separator in them; the last may be the names."""
    chance = random.Random(f"comments {seed}")
    sign = ("# ", "// ", "! ", "% ", "-- ")[seed % 5]
    are_names = seed % 2 == 1
    above = [[f"{sign}Station {chance.randrange(9)}", "north hall"], [f"{sign}Exported", "by hand"]]
    names = ["time", "temp"]
    first = [f"{sign}time" if are_names else "time", "temp"]
    body = [(number, chance.randrange(10, 40)) for number in range(chance.randrange(8, 30))]
    lines = [*above, first, *([str(one), str(two)] for one, two in body)]
    table = sheet(
        names,
        "integer integer",
        body,
        header_row=3,
        apart=(("title", 1, 1), ("title", 2, 2)),
    )
    return _case(f"comments_{seed}.csv", lines, ",", table)


def _case(name: str, lines: Sequence[Sequence[str]], mark: str, table: Sheet) -> Case:
    content = "".join(mark.join(line) + "\n" for line in lines).encode()
    return Case(name, content, Truth(name.rpartition("_")[0].replace("_", " "), (table,)))


MAKERS: tuple[Maker, ...] = (
    limits_under_names,
    statistics,
    taxes_between,
    taxes_as_rows,
    comments_above,
)
