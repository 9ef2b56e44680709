"""Sheets as quality stations and their instruments keep them, many by seed.

Headers of several levels, studies of gauges, facts above and between tables, titles of shifts among
rows, and what survey tools and oscilloscopes write. Each maker is as those of `layouts` are.
"""

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from tests.data.nasty.layouts import (
    MEASURES,
    PERHAPS,
    Maker,
    Row,
    Table,
    biggest_first,
    case,
    table,
)
from tests.data.nasty.truth import Case, Sheet, Truth, sheet
from tests.data.writers import grids

Span = tuple[int, int, int, int]  # a merged range: row, column, last row, last column, from 1

MONTHS = ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez")
SHIFTS = (("manhã", "tarde", "noite"), ("M", "T", "N"), ("Turno 1", "Turno 2"))


def _merge(spans: Sequence[Span]) -> Any:
    def change(page: Any) -> None:
        for row, column, last_row, last_column in spans:
            page.merge_cells(
                start_row=row, start_column=column, end_row=last_row, end_column=last_column
            )

    return change


# Levels of a header that are numbers or dates


def _levels(
    seed: int,
    name: str,
    uppers: Sequence[Any],
    lowers: Sequence[Any],
    *,
    corner: str,
    label: str | None = None,
    **more: Any,
) -> Case:
    """Cells over cells, the upper ones merged, at the left of theirs, or written over each."""
    rng = random.Random(seed + 7)
    form = ("merged", "left", "each")[seed % 3]
    size, width = len(lowers), 1 + len(uppers) * len(lowers)
    upper: list[Any] = [label] + [None] * (width - 1)
    for number, value in enumerate(uppers):
        for at in range(size if form == "each" else 1):
            upper[1 + number * size + at] = value
    lower = [corner, *(tuple(lowers) * len(uppers))]
    rows: list[Row] = [
        (f"{corner[:1].upper()}-{n + 11}", *(rng.randint(3, 990) for _n in range(width - 1)))
        for n in range(rng.randint(3, 12))
    ]
    title = [("Produção por período",), ()] if rng.random() < 0.4 else []
    top = len(title) + 1
    change = None
    if form == "merged":
        change = _merge([(top, 2 + n * size, top, 1 + (n + 1) * size) for n in range(len(uppers))])
    format_ = "xlsx" if change else ("csv", "xlsx", "xls", "ods")[seed % 4]

    def told(cell: Any) -> str:
        if format_ == "csv":
            return grids.spoken(cell)
        return cell.isoformat() if isinstance(cell, date) else str(cell)

    names = [f"{told(each)} {told(one)}" for each in uppers for one in lowers]
    truth = sheet(
        (corner, *names),
        "text" + " integer" * (width - 1),
        rows,
        header_row=top + 1,
        header_rows=2,
        apart=(("title", 1, 1), ("blank", 2, 2)) if title else (),
        perhaps=(*PERHAPS, "header_rows", "numbers_as_names"),
    )
    grid = [*title, upper, lower, *rows]
    return case(name, seed, grid, (truth,), formats=(format_,), change=change, **more)


def years_over_months(seed: int) -> Case:
    """Years over months, or over names of columns."""
    rng = random.Random(seed)
    first = rng.randint(2018, 2024)
    years: list[Any] = [*range(first, first + rng.randint(2, 3))]
    if rng.random() < 0.3:
        years = [*map(str, years)]
    lowers = rng.choice((MONTHS[: rng.choice((2, 3, 6, 12))], ("produzidas", "rejeitadas")))
    return _levels(seed, "years_over", years, lowers, corner="Linha")


def weeks_over_names(seed: int) -> Case:
    """Numbers of weeks, stations or shifts over names."""
    rng = random.Random(seed)
    first = rng.choice((1, 9, 10, 23))
    numbers = [*range(first, first + rng.randint(2, 4))]
    lowers = rng.choice((("produzidas", "rejeitadas"), ("mín", "méd", "máx"), ("OK", "NOK")))
    return _levels(seed, "weeks_over", numbers, lowers, corner="Linha")


def dates_over_shifts(seed: int) -> Case:
    """Days over the shifts of each."""
    rng = random.Random(seed)
    first = date(2026, rng.randint(1, 9), rng.randint(13, 20))
    days = [first + timedelta(n) for n in range(rng.randint(2, 6))]
    return _levels(seed, "dates_over", days, rng.choice(SHIFTS), corner="Linha")


def names_over_years(seed: int) -> Case:
    """Names of groups over years."""
    rng = random.Random(seed)
    first = rng.randint(2018, 2023)
    years = [*range(first, first + rng.randint(2, 4))]
    groups = rng.sample(("Produção", "Custo", "Sucata", "Reclamações"), 2)
    return _levels(seed, "over_years", groups, years, corner="Fábrica")


def operators_over_trials(seed: int) -> Case:
    """A study of a gauge: operators over their trials 1, 2, 3."""
    rng = random.Random(seed)
    trials = [1, 2, 3][: rng.choice((2, 3))]
    operators = rng.choice((("Operador A", "Operador B", "Operador C"), ("Ana", "Rui"), "ABC"))
    return _levels(seed, "over_trials", [*operators], trials, corner="Peça")


# Headers of three levels


def control_plans(seed: int) -> Case:
    """A control plan: three rows of names, some merged over columns, some over rows."""
    rng = random.Random(seed)
    top = 1
    grid: list[list[Any]] = []
    apart: list[tuple[str, int, int]] = []
    spans: list[Span] = []
    if seed % 2:
        grid.append(["Plano de controlo", *[None] * 9])
        spans.append((1, 1, 1, 10))
        apart.append(("title", 1, 1))
        if rng.random() < 0.5:
            grid.append(["Peça: guarda-lamas", None, None, None, "Revisão: 04"])
            apart.append(("title", 2, 2))
        top = len(grid) + 1
    upper = ["Processo", None, None, "Características", None, None, "Métodos", None, None]
    middle = ["N.º", "Descrição", "Máquina", "N.º", "Produto", "Processo", "Especificação"]
    grid += [
        [*upper, "Plano de reação"],
        [*middle, "Amostra", None, None],
        [*[None] * 7, "Tamanho", "Frequência", None],
    ]
    spans += [(top, 1, top, 3), (top, 4, top, 6), (top, 7, top, 9), (top, 10, top + 2, 10)]
    spans += [(top + 1, at, top + 2, at) for at in (1, 2, 3, 4, 5, 6, 7)]
    spans += [(top + 1, 8, top + 1, 9)]
    names = (
        "Processo N.º", "Processo Descrição", "Processo Máquina", "Características N.º",
        "Características Produto", "Características Processo", "Métodos Especificação",
        "Métodos Amostra Tamanho", "Métodos Amostra Frequência", "Plano de reação",
    )  # fmt: skip
    rows: list[Row] = [
        (
            10 * (number // 2 + 1),
            rng.choice(("Injeção", "Lixagem", "Primário", "Pintura", "Polimento")),
            rng.choice(("M-12", "Robô 3", "Cabine 2", "Estufa 1")),
            number + 1,
            rng.choice(("Espessura", "Brilho", None, "Aderência")),
            rng.choice(("Temperatura", "Pressão", None)),
            rng.choice(("80 ± 5 µm", "> 85 GU", "170-185 °C", "Gt0", "3,5 a 4 bar")),
            rng.choice((1, 3, 5)),
            rng.choice(("por turno", "por hora", "1 por lote")),
            rng.choice(("Parar e chamar a qualidade", "Ajustar", "Separar o lote")),
        )
        for number in range(rng.randint(4, 12))
    ]
    types = "integer text text integer text text text integer text text"
    truth = sheet(
        names,
        types,
        rows,
        header_row=top + 2,
        header_rows=3,
        apart=tuple(apart),
        perhaps=(*PERHAPS, "header_rows"),
    )
    return case("control_plan", seed, [*grid, *rows], (truth,), change=_merge(spans))


def inspection_reports(seed: int) -> Case:
    """An inspection report: characteristics, under them parts, under those value and verdict."""
    rng = random.Random(seed)
    groups = rng.choice((("Antes da estufa", "Depois da estufa"), ("Lado A", "Lado B")))
    parts: list[Any] = [f"Peça {n + 1}" for n in range(rng.randint(2, 3))]
    if rng.random() < 0.4:
        parts = [*range(1, len(parts) + 1)]
    lowers = rng.choice((("valor", "OK/NOK"), ("valor", "desvio", "decisão")))
    size, each = len(lowers), len(lowers) * len(parts)
    width = 2 + each * len(groups)
    rowed: list[list[Any]] = [[None] * width for _n in range(3)]
    rowed[0][:2] = ["Cota", "Nominal"]
    spans: list[Span] = [(1, 1, 3, 1), (1, 2, 3, 2)]
    names = ["Cota", "Nominal"]
    for g, group in enumerate(groups):
        at = 2 + g * each
        rowed[0][at] = group
        spans.append((1, at + 1, 1, at + each))
        for p, part in enumerate(parts):
            rowed[1][at + p * size] = part
            spans.append((2, at + p * size + 1, 2, at + (p + 1) * size))
            for n, lower in enumerate(lowers):
                rowed[2][at + p * size + n] = lower
                names.append(f"{group} {part} {lower}")
    rows: list[Row] = []
    for number in range(rng.randint(4, 12)):
        cells: list[Any] = [f"C{number + 1}", round(rng.uniform(5, 90), 1) + 0.05]
        for _group in groups:
            for _part in parts:
                values = [round(rng.uniform(5, 90), 3) + 0.0004, rng.choice(("OK", "NOK"))]
                if size == 3:
                    values.insert(1, round(rng.uniform(-1, 1), 3) + 0.0004)
                cells += values
        rows.append(tuple(round(c, 4) if isinstance(c, float) else c for c in cells))
    kinds = ["number", "text"] if size == 2 else ["number", "number", "text"]
    types = " ".join(["text", "number", *(kinds * (len(parts) * len(groups)))])
    truth = sheet(
        names, types, rows, header_row=3, header_rows=3, perhaps=(*PERHAPS, "header_rows")
    )  # fmt: skip
    change = _merge(spans) if seed % 4 else None
    if change is None:
        # Not merged, the names that stand beside the groups are in the last row.
        rowed[2][:2], rowed[0][:2] = rowed[0][:2], [None, None]
    formats = ("xlsx", "csv", "xls", "ods")
    return case("inspection", seed, [*rowed, *rows], (truth,), formats=formats, change=change)


# Studies and charts


def gauge_studies(seed: int) -> Case:
    """A study of a gauge on its form: facts, operators merged over trials, what is computed."""
    rng = random.Random(seed)
    parts = rng.choice((5, 10))
    trials = rng.choice((2, 3))
    operators = ("Ana", "Rui", "Marta")[: rng.randint(2, 3)]
    facts = [
        ("Estudo de repetibilidade e reprodutibilidade",),
        ("Característica:", "Espessura", None, "Tolerância:", 0.5),
        ("Instrumento:", "Micrómetro 12", None, "Data:", date(2026, 3, 14)),
        ("Responsável:", "Inês"),
    ][: rng.randint(0, 4)]
    grid: list[Row] = [*facts, *([()] if facts else [])]
    spans: list[Span] = []
    count = range(1, parts + 1)
    is_named = rng.random() < 0.5
    header = ("Operador", "Ensaio", *(f"Peça {n}" if is_named else n for n in count), "Média")
    grid.append(header)
    at = len(grid)
    rows: list[Row] = []
    for operator in operators:
        spans.append((len(grid) + 1, 1, len(grid) + trials, 1))
        for trial in range(trials):
            values = [round(rng.uniform(10, 11), 3) for _n in count]
            row = (operator, trial + 1, *values, round(sum(values) / parts + 0.0003, 4))
            rows.append(row)
            grid.append((operator if not trial else None, *row[1:]))
    truth = sheet(
        tuple(map(str, header)),
        "text integer" + " number" * (parts + 1),
        rows,
        header_row=at,
        header_rows=1,
        apart=(
            *(("title", n + 1, n + 1) for n in range(len(facts))),
            *((("blank", at - 1, at - 1),) if facts else ()),
        ),
        doubtful=() if is_named else ("numbers_as_names",),
        perhaps=(*PERHAPS, "numbers_as_names"),
    )
    return case("gauge_study", seed, grid, (truth,), change=_merge(spans))


def control_chart_forms(seed: int) -> Case:
    """The form of a chart of means and ranges: subgroups in columns, with day and hour above."""
    rng = random.Random(seed)
    count = rng.choice((10, 15, 20, 25))
    size = rng.randint(3, 5)
    values = [[round(rng.uniform(79, 83), 1) + 0.05 for _n in range(count)] for _s in range(size)]
    values = [[round(v, 2) for v in row] for row in values]
    columns = [*zip(*values, strict=True)]
    first = date(2026, 3, 2)
    grid: list[Row] = []
    if seed % 3 == 0:
        grid += [("Carta X-barra/R",), ("Característica: Espessura (µm)",)]
    if seed % 2:
        grid.append(("Data", *(first + timedelta(n // 3) for n in range(count))))
        grid.append(("Hora", *((f"{6 + 8 * (n % 3):02}:00") for n in range(count))))
    grid.append((rng.choice(("Subgrupo", "Amostra", "N.º")), *range(1, count + 1)))
    names = rng.choice((["X1", "X2", "X3", "X4", "X5"], [1, 2, 3, 4, 5]))
    grid += [(name, *row) for name, row in zip(names, values, strict=False)]
    grid.append(("Média", *(round(sum(c) / size, 3) for c in columns)))
    grid.append(("Amplitude", *(round(max(c) - min(c), 3) for c in columns)))
    made = case("chart_form", seed, grid, ())
    return Case(made.name, made.content, Truth(f"control_chart_forms, seed {seed}", is_honest=True))


def subgroups_in_rows(seed: int) -> Case:
    """Subgroups in rows, their readings merged under one name over 1, 2, 3."""
    rng = random.Random(seed)
    size = rng.randint(3, 5)
    upper = ["Data", "Hora", "Leituras", *[None] * (size - 1), "Média", "Amplitude"]
    lower = [None, None, *range(1, size + 1), None, None]
    if rng.random() < 0.4:
        lower = [None, None, *(f"X{n + 1}" for n in range(size)), None, None]
    spans: list[Span] = [(1, 3, 1, 2 + size)]
    spans += [(1, at, 2, at) for at in (1, 2, 3 + size, 4 + size)]
    rows: list[Row] = []
    first = date(2026, 4, 14)
    for number in range(rng.randint(6, 25)):
        values = [round(rng.uniform(79, 83), 1) + 0.05 for _n in range(size)]
        rows.append(
            (
                first + timedelta(number // 3),
                f"{6 + 8 * (number % 3):02}:00:00",
                *(round(value, 2) for value in values),
                round(sum(values) / size + 0.0003, 4),
                round(max(values) - min(values) + 0.0003, 4),
            )
        )
    names = ("Data", "Hora", *(f"Leituras {each}" for each in lower[2:-2]), "Média", "Amplitude")
    truth = sheet(
        names,
        "date time" + " number" * (size + 2),
        rows,
        header_row=2,
        header_rows=2,
        perhaps=(*PERHAPS, "header_rows", "numbers_as_names", "text_as_time"),
    )
    return case("subgroups", seed, [upper, lower, *rows], (truth,), change=_merge(spans))


# Exports of instruments

FACTS: tuple[tuple[str, Any], ...] = (
    ("Instrument", "micro-gloss 60"), ("Serial number", "1087412"), ("Software", "smart-chart 2.1"),
    ("Operator", "Marta"), ("Date", "14/03/2026"), ("Time", "08:12:45"), ("Mode", "Continuous"),
    ("Geometry", "60°"), ("Calibration", "ok"), ("Calibration date", "02/03/2026"),
    ("Standard", "92.4"), ("Illuminant", "D65"), ("Observer", "10"), ("Average", 3),
    ("Unit", "GU"), ("Upper limit", 95.5), ("Lower limit", 85.5), ("Batch", "A-1204"),
    ("Project", "guarda-lamas"), ("Comment", "sem observações"),
)  # fmt: skip


def _facts(rng: random.Random, form: str, count: int) -> list[Row]:
    chosen = rng.sample(FACTS, count)
    match form:
        case "one cell":
            return [(f"{name}: {grids.spoken(value)}",) for name, value in chosen]
        case "colon":
            return [(f"{name}:", value) for name, value in chosen]
        case _:
            return [*chosen]


def instrument_exports(seed: int) -> Case:
    """Facts, 3 to 20 of them, above the table of an instrument; with or without a gap."""
    rng = random.Random(seed)
    form = ("one cell", "colon", "two cells")[seed % 3]
    facts = _facts(rng, form, rng.randint(3, 20))
    has_gap = rng.random() < 0.6 or form == "two cells"
    base = table(rng, texts=rng.randint(0, 1), numbers=rng.randint(2, 4))
    if seed % 4 == 0:  # readings of one instrument: a number and what was read
        rows = tuple((n + 1, round(rng.uniform(80, 95), 1) + 0.05) for n in range(len(base.rows)))
        base = Table(
            ("No.", "Gloss"), ("count", "measure"), tuple((n, round(v, 2)) for n, v in rows)
        )
    title = [("Relatório de medição",)] if rng.random() < 0.5 else []
    head: list[Row] = [*title, *facts]
    apart = [("title", n + 1, n + 1) for n in range(len(head))]
    if has_gap:
        head.append(())
        apart.append(("blank", len(head), len(head)))
    truth = base.truth(header_row=len(head) + 1, apart=tuple(apart))
    grid = [*head, base.names, *base.rows]
    return case("instrument", seed, grid, (truth,))


def facts_between_tables(seed: int) -> Case:
    """Several measurements under one another, each with facts of its own above its table."""
    rng = random.Random(seed)
    form = ("one cell", "colon", "two cells")[seed % 3]
    names = rng.sample(MEASURES, 2)
    count = rng.randint(3, 8)
    chosen = rng.sample(FACTS, count)
    grid: list[Row] = []
    sheets: list[Sheet] = []
    columns = ("Leitura", *names, "Decisão")
    for number in range(rng.randint(2, 4)):
        apart: list[tuple[str, int, int]] = []
        for name, value in chosen:
            own = f"{value} {number + 1}" if isinstance(value, str) else value + number
            match form:
                case "one cell":
                    grid.append((f"{name}: {grids.spoken(own)}",))
                case "colon":
                    grid.append((f"{name}:", own))
                case _:
                    grid.append((name, own))
            apart.append(("title", len(grid), len(grid)))
        grid.append(())
        apart.append(("blank", len(grid), len(grid)))
        grid.append(columns)
        at, rows = len(grid), []
        for n in range(rng.randint(3, 9)):
            values = [round(rng.uniform(10, 95), 2) + 0.003 for _name in names]
            rows.append((n + 1, *(round(v, 3) for v in values), rng.choice(("OK", "NOK"))))
        grid += [*rows, ()]
        made = Table(columns, ("count", "measure", "measure", "word"), tuple(rows))
        said = ("tables_read_apart",)
        sheets.append(made.truth(header_row=at, apart=tuple(apart), repaired=said))
    return case("facts_between", seed, grid[:-1], biggest_first(sheets))


# Titles among rows

TITLES = (
    ("TURNO MANHÃ", "TURNO TARDE", "TURNO NOITE"),
    ("Turno da manhã", "Turno da tarde", "Turno da noite"),
    ("Linha 1", "Linha 2", "Linha 3"),
    ("Cabine de primário", "Cabine de base", "Cabine de verniz"),
    ("Lote A-1204", "Lote A-1205", "Lote A-1207"),
    ("14/03/2026", "15/03/2026", "16/03/2026"),
)


def _as_date(title: str) -> str | date:
    return datetime.strptime(title, "%d/%m/%Y").date() if "/" in title else title


def titles_among_rows(seed: int) -> Case:
    """A title alone in its row over the rows of each shift: a label of them all."""
    rng = random.Random(seed)
    titles = TITLES[seed % len(TITLES)][: rng.randint(2, 3)]
    base = table(rng, rows=rng.randint(3, 6) * len(titles), texts=1, numbers=rng.randint(2, 3))
    has_gaps, is_merged = rng.random() < 0.4, rng.random() < 0.4
    is_repeated = seed % 3 == 1
    width = len(base.names)
    grid: list[Row] = [] if is_repeated else [base.names]
    apart: list[tuple[str, int, int]] = []
    spans: list[Span] = []
    rows: list[Row] = []
    size = len(base.rows) // len(titles)
    header_row = 1
    for number, title in enumerate(titles):
        if number and has_gaps:
            grid.append(())
            apart.append(("blank", len(grid), len(grid)))
        grid.append((title,))
        apart.append(("title" if is_repeated and not number else "group", len(grid), len(grid)))
        spans.append((len(grid), 1, len(grid), width))
        if is_repeated:
            grid.append(base.names)
            if number:
                apart.append(("repeated_header", len(grid), len(grid)))
            else:
                header_row = len(grid)
        for row in base.rows[number * size : (number + 1) * size]:
            rows.append((*row, _as_date(title)))
            grid.append(row)
    kind = "date" if "/" in titles[0] else "word"
    made = Table((*base.names, "group"), (*base.kinds, kind), tuple(rows))
    truth = made.truth(header_row=header_row, apart=tuple(apart), repaired=("groups_as_column",))
    change = _merge(spans) if is_merged and seed % 4 == 1 else None
    return case("titles_among", seed, grid, (truth,), change=change)


def separators_among_rows(seed: int) -> Case:
    """Lines of dashes among the rows, with or without words in them."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(8, 24), texts=1)
    form = rng.choice(
        ("--- {} ---", "=====", "*** {} ***", "-----", "== {} ==", "_______", "- - -")
    )
    words = ("mudança", "mudança de turno", "nova bobine", "paragem")
    grid: list[Row] = [base.names, *base.rows]
    places = sorted(rng.sample(range(2, len(grid)), rng.randint(1, 3)))
    for place in reversed(places):
        grid.insert(place, (form.format(rng.choice(words)),))
    rows = [place + n + 1 for n, place in enumerate(places)]
    truth = base.truth(apart=tuple(("note", row, row) for row in rows))
    return case("separators", seed, grid, (truth,))


# Other programs


def surveys(seed: int) -> Case:
    """A survey: ids of questions, their words, and what the tool imports them by."""
    rng = random.Random(seed)
    fixed = (
        ("StartDate", "Start Date", "startDate"),
        ("Status", "Response Type", "status"),
        ("Progress", "Progress", "progress"),
        ("ResponseId", "Response ID", "_recordId"),
    )
    questions = (
        ("Q1", "Em que turno trabalha habitualmente?", "QID1"),
        ("Q2", "Quão satisfeito está com a organização do seu posto, de 1 a 5?", "QID2"),
        ("Q3_1", "Indique o grau de concordância - A formação foi suficiente", "QID3_1"),
        ("Q4_TEXT", "Que melhoria propõe?", "QID4_TEXT"),
    )  # fmt: skip
    columns = [*fixed, *questions]
    start = datetime(2026, 3, 14, 8, 0, 0)
    rows: list[Row] = [
        (
            start + timedelta(minutes=37 * n),
            "IP Address",
            rng.choice((100, 80)),
            f"R_{rng.randint(10**8, 10**9)}xZ",
            rng.choice(("Manhã", "Tarde", "Noite")),
            rng.randint(1, 5),
            rng.randint(1, 5),
            rng.choice(("mais luz", "nada", None, "cadeira nova, por favor")),
        )
        for n in range(rng.randint(5, 20))
    ]
    ids = [f'{{"ImportId":"{each[2]}"}}' for each in columns]
    grid = [[each[0] for each in columns], [each[1] for each in columns], ids, *rows]
    truth = sheet(
        (
            "StartDate",
            "Status Response Type",
            "Progress",
            "ResponseId",
            "Q1 Em que turno trabalha habitualmente?",
            "Q2 Quão satisfeito está com a organização do seu…",
            "Q3_1 Indique o grau de concordância - A formação foi…",
            "Q4_TEXT Que melhoria propõe?",
        ),
        "datetime text integer text text integer integer text",
        rows,
        header_row=3,
        header_rows=3,
        doubtful=("header_rows",),
        perhaps=PERHAPS,
    )
    return case("survey", seed, grid, (truth,), formats=("csv", "xlsx"))


def settings_beside_data(seed: int) -> Case:
    """An oscilloscope's settings in the first columns, beside the curve, and no names at all."""
    rng = random.Random(seed)
    settings: list[Row] = [
        ("Record Length", 2500.0, "Points"), ("Sample Interval", 4e-06, "s"),
        ("Trigger Point", 1250.0, "Samples"), ("Trigger Time", 0.08, "s"),
        ("Source", "CH1"), ("Vertical Units", "V"), ("Vertical Scale", 0.5),
        ("Vertical Offset", 0.0),
        ("Horizontal Units", "s"), ("Horizontal Scale", 0.0005), ("Pt Fmt", "Y"), ("Yzero", 0.0),
        ("Probe Atten", 10.0), ("Model Number", "TDS2014B"), ("Serial Number", "C102345"),
    ][: rng.randint(5, 15)]  # fmt: skip
    gap = seed % 2
    rows: list[Row] = []
    for n in range(rng.randint(25, 60)):
        left = settings[n] if n < len(settings) else ()
        left = (*left, *[None] * (3 + gap - len(left)))
        rows.append((*left, round(-0.01 + n * 0.0004, 7), round(rng.uniform(-2, 2), 3) + 0.0004))
    made = case("oscilloscope", seed, rows, (), formats=("csv", "xlsx"))
    truth = Truth(f"settings_beside_data, seed {seed}", is_honest=True)
    return Case(made.name, made.content, truth)


def records_on_two_lines(seed: int) -> Case:
    """Records that take two lines each, under names on two lines, or under those of the first."""
    rng = random.Random(seed)
    base = table(rng, rows=rng.randint(4, 14), texts=2, numbers=2, dates=1)
    has_names = seed % 2 == 0
    size = len(base.names)
    lower_names = (None, "Defeito", "Quantidade", "Observações", *[None] * (size - 4))
    grid: list[Row] = [base.names]
    if has_names:
        grid.append(lower_names)
    for row in base.rows:
        grid.append(row)
        defect = rng.choice(("riscos", "bolhas", "grão"))
        note = rng.choice(("retocar", "ver foto", None))
        grid.append((None, defect, rng.randint(1, 9), note, *[None] * (size - 4)))
    truth = Truth(f"records_on_two_lines, seed {seed}", is_honest=True)
    made = case("two_lines", seed, grid, ())
    return Case(made.name, made.content, truth)


def blocks_with_one_header(seed: int) -> Case:
    """The same table for each line, under its title, with a gap between: one data set."""
    rng = random.Random(seed)
    titles = rng.choice(TITLES[:5])[: rng.randint(2, 3)]
    base = table(rng, rows=rng.randint(3, 9) * len(titles), texts=1, numbers=rng.randint(2, 3))
    form = rng.choice(("blank", "none", "blanks"))
    grid: list[Row] = []
    apart: list[tuple[str, int, int]] = []
    if rng.random() < 0.4:
        grid += [("Resumo de março",), ()]
        apart += [("title", 1, 1), ("blank", 2, 2)]
    size = len(base.rows) // len(titles)
    rows: list[Row] = []
    header_row = 0
    for number, title in enumerate(titles):
        if number:
            for _blank in range({"blank": 1, "none": 0, "blanks": 3}[form]):
                grid.append(())
                apart.append(("blank", len(grid), len(grid)))
        grid.append((title,))
        apart.append(("group" if number else "title", len(grid), len(grid)))
        grid.append(base.names)
        if number:
            apart.append(("repeated_header", len(grid), len(grid)))
        else:
            header_row = len(grid)
        for row in base.rows[number * size : (number + 1) * size]:
            grid.append(row)
            rows.append((*row, title))
    made = Table((*base.names, "group"), (*base.kinds, "word"), tuple(rows))
    truth = made.truth(header_row=header_row, apart=tuple(apart), repaired=("groups_as_column",))
    return case("blocks", seed, grid, (truth,))


# Rows of data in place of names

LOOSE = (
    *("capô", "porta", "teto", "asa", "grade", "friso", "espelho", "painel", "pilar", "aba"),
    *("riscos", "grão", "pó", "fio", "gota", "cratera", "mancha", "bolha", "fenda", "véu"),
    *("polir", "lavar", "retocar", "ver", "refazer", "medir", "deitar fora", "secar", "ir", "pôr"),
)


def first_rows_as_names(seed: int) -> Case:
    """No names, and a first row of words with one value among them: never unsaid."""
    rng = random.Random(seed)
    rows: list[Row] = []
    width = rng.randint(5, 7)
    first = date(2026, 3, 14)
    words = rng.sample(LOOSE, len(LOOSE))
    for number in range(len(LOOSE) // (width - 1)):
        value: Any = (first + timedelta(number), 100 + 7 * number, 80.5 + number / 8)[seed % 3]
        cells = words[number * (width - 1) : (number + 1) * (width - 1)]
        value = value if number % 3 == 0 else None
        rows.append((value, *cells) if seed % 2 else (*cells, value))
    truth = Truth(f"first_rows_as_names, seed {seed}", is_honest=True)
    made = case("first_row", seed, rows, ())
    return Case(made.name, made.content, truth)


def totals_above_groups(seed: int) -> Case:
    """A sum above each group's rows, beside the group's name, and one of everything or none."""
    rng = random.Random(seed)
    names = ("Equipamento", "Produzidas", "Rejeitadas", "Horas")
    groups = rng.sample(("Cabine", "Forno", "Retoque", "Lavagem", "Montagem"), rng.randint(2, 4))
    grid: list[Row] = []
    rows: list[Row] = []
    apart: list[tuple[str, int, int]] = []
    has_whole = seed % 3 == 0
    for group in groups:
        cells = [
            (f"Posto {rng.randint(1, 99)}{letter}", rng.randint(100, 900), rng.randint(0, 9), hours)
            for letter in "ABCDEF"[: rng.randint(2, 6)]
            for hours in (rng.randint(10, 99) / 4,)
        ]
        apart.append(("group", len(grid) + 2 + has_whole, len(grid) + 2 + has_whole))
        made, bad, worked = (sum(float(str(row[at])) for row in cells) for at in (1, 2, 3))
        grid += [(group, int(made), int(bad), worked), *cells]
        rows += [(*row, group) for row in cells]
    if has_whole:
        whole = ("Fábrica", *(sum(row[at] for row in rows) for at in (1, 2, 3)))
        grid.insert(0, whole)
        apart.insert(0, ("total", 2, 2))
    sheet_ = sheet(
        (*names, "group"),
        "text integer integer number text",
        rows,
        apart=tuple(apart),
        doubtful=("totals_above",),
        repaired=("groups_as_column",),
        perhaps=(*PERHAPS, "text_as_number"),
    )
    return case("totals_above", seed, (names, *grid), (sheet_,))


MAKERS: tuple[Maker, ...] = (
    totals_above_groups,
    years_over_months,
    weeks_over_names,
    dates_over_shifts,
    names_over_years,
    operators_over_trials,
    control_plans,
    inspection_reports,
    gauge_studies,
    control_chart_forms,
    subgroups_in_rows,
    instrument_exports,
    facts_between_tables,
    titles_among_rows,
    separators_among_rows,
    surveys,
    settings_beside_data,
    records_on_two_lines,
    blocks_with_one_header,
    first_rows_as_names,
)
