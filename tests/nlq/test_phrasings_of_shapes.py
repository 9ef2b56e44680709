"""Phrasings over tables of special shapes.

Wide ones, those with a target beside what came of it, with notes, with empty cells, and amounts
that are said with units, in thousands and in currencies.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from qhub_desktop.nlq.query_ast import (
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Plan,
    Relation,
    RowSelection,
    Several,
    distinct,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import at_once, ordered, understood

MONTHS = ("Jan", "Fev", "Mar", "Abr", "Mai", "Jun", "Jul", "Ago", "Set", "Out")
SHOPS = ("Porto", "Lisboa", "Braga", "Faro", "Coimbra")
METERS = ("Main Hall", "Paint Shop", "Office", "Warehouse")
PEOPLE = ("Müller", "Schmidt", "Weber", "Fischer")
COUNTRIES = ("Espanha", "França", "Itália", "Alemanha", "Brasil")


def sales(*, has_total: bool = True) -> Data:
    """Sales of shops by month, with empty cells and the sum of each line."""
    empty = ((7, 2), (7, 4), (3, 1))
    columns: dict[str, Any] = {
        "Loja": ("category", SHOPS),
        "Região": ("category", ["Norte", "Sul", "Norte", "Sul", "Centro"]),
    }
    for month, name in enumerate(MONTHS):
        cells = [
            None if (month, shop) in empty else 100 + 37 * shop * (month + 2) % 211 + 10 * month
            for shop in range(5)
        ]
        columns[name] = ("integer", cells)
    if has_total:
        columns["Total"] = ("integer", [1000 + shop for shop in range(5)])
    return data("vendas_2025", columns, file="vendas 2025.xlsx")


def energy() -> Data:
    """What meters counted by month."""
    columns: dict[str, Any] = {"Meter": ("category", METERS)}
    for month in range(12):
        cells = [float(500 + 83 * meter * (month + 3) % 307) for meter in range(4)]
        columns[f"2025-{month + 1:02d}"] = ("number", cells)
    return data("energy_kwh", columns, file="energy kWh.xlsx")


def hours() -> Data:
    """Hours of people by week."""
    columns: dict[str, Any] = {"Mitarbeiter": ("category", PEOPLE)}
    for week in range(10, 20):
        columns[f"KW {week}"] = ("number", [float(30 + week * who * 7 % 13) for who in range(4)])
    return data("stunden_2026", columns, file="Stunden 2026.xlsx")


def exports() -> Data:
    """What was exported by year."""
    columns: dict[str, Any] = {"País": ("category", COUNTRIES)}
    for year in range(2019, 2026):
        columns[str(year)] = ("integer", [1000 + 97 * at * (year - 2015) % 911 for at in range(5)])
    return data("exportaciones", columns, file="exportaciones.xlsx")


def goals() -> Data:
    """Sales of teams beside what they ought to be."""
    return data(
        "vendas_por_equipa",
        {
            "Equipa": ("category", ["Azul", "Verde", "Roxa"] * 12),
            "Mês": ("date", [date(2025, 1 + place // 3, 1) for place in range(36)]),
            "Meta": ("integer", [100 + place for place in range(36)]),
            "Vendas": ("integer", [90 + place * 13 % 45 for place in range(36)]),
        },
    )


def spending() -> Data:
    """What stores spent beside their budgets."""
    return data(
        "stores",
        {
            "Store": ("text", [f"Store {place + 1}" for place in range(24)]),
            "City": ("category", ["Leeds", "York", "Hull"] * 8),
            "Budget": ("number", [1000.0 + place * 50 for place in range(24)]),
            "Actual": ("number", [900.0 + place * 131 % 1500 for place in range(24)]),
        },
    )


def lines() -> Data:
    """Pieces of lines a day beside what was planned."""
    return data(
        "linien",
        {
            "Datum": ("date", [date(2026, 3, 1) + timedelta(days=place) for place in range(30)]),
            "Linie": ("category", ["L1", "L2", "L3"] * 10),
            "Soll": ("integer", [200 + place for place in range(30)]),
            "Ist": ("integer", [180 + place * 17 % 60 for place in range(30)]),
        },
    )


def orders() -> Data:
    """Work orders with notes, some without a technician, a cost or a note."""
    notes = ("fuga de óleo na bomba", "rolamento gasto", "sem peças", None, "fuga de ar", "limpeza")
    return data(
        "ordens_servico",
        {
            "OS": ("text", [f"OS-{100 + place}" for place in range(60)]),
            "Data": ("date", [date(2026, 1, 5) + timedelta(days=place) for place in range(60)]),
            "Técnico": ("category", ["Rui", "Ana", "Marta", None] * 15),
            "Equipamento": ("category", ["Bomba 1", "Forno", "Robô"] * 20),
            "Observações": ("text", [*notes] * 10),
            "Custo (€)": (
                "number",
                [None if place % 10 == 3 else 108.5 * place % 4000 for place in range(60)],
            ),
        },
    )


def parcels() -> Data:
    """Parcels with weights, values and comments."""
    comments = ("customer asked about parking", None, "left at reception", "parking problem")
    return data(
        "parcels",
        {
            "Parcel": ("text", [f"P{2000 + place}" for place in range(60)]),
            "Customer": ("category", ["Acme", "Bolt", "Core"] * 20),
            "Weight (kg)": ("number", [0.5 * (place % 20) + 0.2 for place in range(60)]),
            "Value (EUR)": ("number", [300.0 * place % 17000 for place in range(60)]),
            "Comments": ("text", [*comments] * 15),
        },
    )


def purchases() -> Data:
    """Purchases in reais, of which no header says so."""
    return data(
        "compras",
        {
            "Pedido": ("text", [f"PC{place + 1}" for place in range(50)]),
            "Fornecedor": (
                "category",
                [["Aços SA", "Tintas Lda"][place % 2] for place in range(50)],
            ),
            "Valor": ("number", [137.0 * place * place % 23000 for place in range(50)]),
            "Peso (kg)": ("number", [0.3 * place for place in range(50)]),
            "Aprovador": ("category", [[None, "Lia", "Téo"][place % 3] for place in range(50)]),
        },
    )


def accidents() -> Data:
    """Accidents with days that were lost, often none."""
    told = ("escorregou no piso", "corte na mão", None, "queda de empilhador")
    return data(
        "acidentes",
        {
            "Data": ("date", [date(2025, 6, 1) + timedelta(days=9 * at) for at in range(28)]),
            "Local": ("category", ["Armazém", "Pintura"] * 14),
            "Dias perdidos": ("integer", [at % 6 for at in range(28)]),
            "Descrição": ("text", [*told] * 7),
        },
    )


TABLES: dict[str, SchemaIndex] = {}


def index_of(name: str) -> SchemaIndex:
    """What is known of a table, made once."""
    if name not in TABLES:
        made: Data = globals()[name]()
        TABLES[name] = schema_index_of(made.profile)
    return TABLES[name]


def rows(name: str, *filters: Filter, days: tuple[date | None, date | None] | None = None) -> Any:
    """The rows of a table that meet conditions, on days."""
    index = index_of(name)
    column = index.date_column or ""
    period = None if days is None else Period(column, *days)
    return ordered(RowSelection(index.profile.dataset, filters, period))


def check(name: str, wanted: Plan, forms: Sequence[str]) -> None:
    """Every form has the same plan."""
    for form in forms:
        assert understood(form, index_of(name)) == wanted, form


def cells(name: str) -> Measure:
    """The sum of a wide table's cells."""
    wide = index_of(name).wide
    assert wide is not None
    return Measure("sum", wide.value)


def value_is(name: str, relation: Relation, *numbers: float) -> Filter:
    """A condition on a wide table's cells."""
    return Filter(cells(name).column, numbers, relation)


def by_time(name: str) -> Dimension:
    """The columns of a wide table."""
    wide = index_of(name).wide
    assert wide is not None
    return Dimension(wide.day, wide.grain)


def month(number: int) -> tuple[date, date]:
    """The days of a month of the wide tables' year."""
    last = date(2025, number + 1, 1) if number < 12 else date(2026, 1, 1)
    return date(2025, number, 1), last - timedelta(days=1)


# Wide tables.


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("sales", ("total de vendas", "vendas no ano todo", "Total", "vendas no ano inteiro")),
        ("energy", ("total kWh", "total consumption", "consumo total")),
        ("hours", ("total hours",)),
    ],
)
def test_all_cells_are_added_up(name: str, forms: Sequence[str]) -> None:
    check(name, Number(rows(name), cells(name)), forms)


@pytest.mark.parametrize(
    ("name", "column", "value", "days", "forms"),
    [
        ("sales", "Loja", "Lisboa", month(3), ("quanto vendeu Lisboa em março?",)),
        ("sales", "Loja", "Porto", None, ("total da loja Porto", "quanto vendeu o Porto?")),
        ("sales", "Loja", "Porto", None, ("quanto vendeu o Porto no ano todo?",)),
        ("sales", "Loja", "Faro", month(6), ("faturamento de Faro em junho",)),
        ("sales", "Loja", "Porto", month(10), ("vendas do Porto no último mês",)),
        ("energy", "Meter", "Paint Shop", month(3), ("consumption of the Paint Shop in March",)),
        ("energy", "Meter", "Office", month(5), ("consumo do Office em maio",)),
        ("energy", "Meter", "Office", month(12), ("consumption of the Office last month",)),
    ],
)
def test_cells_of_a_line(
    name: str, column: str, value: str, days: tuple[date, date] | None, forms: Sequence[str]
) -> None:
    check(name, Number(rows(name, Filter(column, (value,)), days=days), cells(name)), forms)


@pytest.mark.parametrize(
    ("name", "days", "forms"),
    [
        ("sales", month(10), ("último mês", "vendas no último mês")),
        ("energy", month(12), ("last month", "consumption last month", "consumo no último mês")),
        ("exports", (date(2025, 1, 1), date(2025, 12, 31)), ("exportações no último ano",)),
        ("sales", (date(2025, 3, 1), date(2025, 5, 31)), ("de março a maio",)),
        ("energy", (date(2025, 1, 1), date(2025, 6, 30)), ("consumption in the first half",)),
    ],
)
def test_cells_of_a_time(name: str, days: tuple[date, date], forms: Sequence[str]) -> None:
    check(name, Number(rows(name, days=days), cells(name)), forms)


def test_two_times_side_by_side() -> None:
    def both(first: tuple[date, date], second: tuple[date, date], *only: Filter) -> Comparison:
        parts = [
            Number(rows("energy", *only, days=days), cells("energy")) for days in (first, second)
        ]
        return Comparison(*parts)

    halves = (date(2025, 1, 1), date(2025, 6, 30)), (date(2025, 7, 1), date(2025, 12, 31))
    check("energy", both(*halves), ("first half vs second half", "1st half vs 2nd half"))
    months = month(1), month(2)
    check("energy", both(*months), ("difference between January and February",))
    office = Filter("Meter", ("Office",))
    later = month(3), month(4)
    check("energy", both(*later, office), ("change from March to April for the Office",))


def test_lines_without_a_value() -> None:
    scope = rows("sales", value_is("sales", "missing"), days=month(8))
    forms = ("quantas lojas não têm valor em agosto?", "que lojas não venderam em agosto?")
    check("sales", distinct(scope, "Loja"), forms)
    check("sales", GroupBy(scope, Dimension("Loja")), ("lojas sem valor em agosto",))
    april = rows("sales", value_is("sales", "missing"), days=month(4))
    check("sales", Number(april), ("há valores em falta em abril?",))


async def test_empty_cells_are_found(talks: Talks) -> None:
    answer = await talks(sales()).ask("lojas sem valor em agosto")
    counted = await talks(sales()).ask("quantas lojas não têm valor em agosto?")

    assert "Braga" in answer.text, answer.text
    assert "Coimbra" in answer.text, answer.text
    assert "Porto" not in answer.text, answer.text
    assert "**2**" in counted.text, counted.text


@pytest.mark.parametrize(
    ("name", "form"), [("sales", "quantos meses há?"), ("energy", "how many months are there?")]
)
def test_columns_are_counted(name: str, form: str) -> None:
    check(name, Number(rows(name), Measure("distinct", by_time(name).column)), (form,))


def test_columns_with_a_cell_above_a_limit_are_counted() -> None:
    scope = rows("sales", Filter("Loja", ("Porto",)), value_is("sales", "above", 150.0))
    wanted = Number(scope, Measure("distinct", by_time("sales").column))
    forms = (
        "em quantos meses o Porto passou de 150?",
        "em quantos meses o Porto vendeu mais de 150?",
    )
    check("sales", wanted, forms)
    scope = rows("energy", Filter("Meter", ("Office",)), value_is("energy", "above", 600.0))
    wanted = Number(scope, Measure("distinct", by_time("energy").column))
    check("energy", wanted, ("how many months did the Office use more than 600?",))


@pytest.mark.parametrize(
    ("name", "limit", "form"),
    [
        ("sales", 900.0, "meses com vendas acima de 900"),
        ("energy", 2500.0, "months above 2500 kWh"),
    ],
)
def test_times_whose_sum_is_above_a_limit(name: str, limit: float, form: str) -> None:
    having = Filter("", (limit,), "above")
    check(name, GroupBy(rows(name), by_time(name), cells(name), having=having), (form,))


def test_lines_above_a_limit_in_a_month() -> None:
    scope = rows("sales", value_is("sales", "above", 250.0), days=month(6))
    wanted = GroupBy(scope, Dimension("Loja"), cells("sales"))
    check("sales", wanted, ("que lojas passaram dos 250 em junho?",))


@pytest.mark.parametrize(
    ("name", "form", "order"),
    [
        ("sales", "melhor mês", "most"),
        ("sales", "pior mês", "least"),
        ("sales", "mês com mais vendas", "most"),
        ("energy", "lowest month", "least"),
        ("energy", "worst month", "most"),
    ],
)
def test_the_best_and_the_worst_time(name: str, form: str, order: Any) -> None:
    wanted = GroupBy(rows(name), by_time(name), cells(name), n=1, order=order)
    check(name, wanted, (form,))


@pytest.mark.parametrize(
    ("name", "form"), [("sales", "vendas acumuladas"), ("hours", "horas acumuladas")]
)
def test_running_totals_go_by_the_columns(name: str, form: str) -> None:
    check(name, GroupBy(rows(name), by_time(name), cells(name), is_cumulative=True), (form,))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("sales", "loja que mais subiu"),
        ("sales", "que loja desceu mais entre maio e junho?"),
        ("energy", "meter that grew the most"),
        ("exports", "which country grew the most?"),
    ],
)
def test_what_grew_the_most_is_not_what_came_to_the_most(name: str, form: str) -> None:
    plan = at_once(form, index_of(name))

    assert not isinstance(plan, GroupBy | Number), plan
    assert "n=10" not in repr(plan), plan


# A target beside what came of it.

_AIMS = {"goals": ("Vendas", "Meta"), "spending": ("Actual", "Budget"), "lines": ("Ist", "Soll")}


@pytest.mark.parametrize(
    ("name", "relation", "forms"),
    [
        (
            "goals",
            "below",
            (
                "quantas vezes ficámos abaixo da meta?",
                "não atingiram a meta",
                "metas não cumpridas",
                "metas não atingidas",
                "falharam a meta",
            ),
        ),
        ("goals", "at least", ("metas atingidas", "bateu a meta", "metas cumpridas")),
        ("goals", "above", ("vendas acima da meta",)),
        ("lines", "below", ("dias abaixo do objetivo", "days that missed the target")),
        (
            "lines",
            "at least",
            ("quantos dias atingiram o objetivo?", "days that reached the target"),
        ),
        ("spending", "above", ("stores over budget", "lojas que ultrapassaram o orçamento")),
    ],
)
def test_rows_beside_their_target(name: str, relation: Relation, forms: Sequence[str]) -> None:
    actual, target = _AIMS[name]
    check(name, Number(rows(name, Filter(actual, (), relation, other=target))), forms)


@pytest.mark.parametrize(
    ("name", "group", "relation", "forms"),
    [
        ("goals", "Equipa", "at least", ("que equipa atingiu mais vezes a meta?",)),
        (
            "goals",
            "Equipa",
            "below",
            ("que equipa falhou mais a meta?", "which team missed the target most?"),
        ),
        (
            "lines",
            "Linie",
            "below",
            ("linha que mais falhou o objetivo", "which line missed the target most often?"),
        ),
    ],
)
def test_who_met_a_target_most_often(
    name: str, group: str, relation: Relation, forms: Sequence[str]
) -> None:
    actual, target = _AIMS[name]
    scope = rows(name, Filter(actual, (), relation, other=target))
    check(name, top(scope, Dimension(group), 1), forms)


@pytest.mark.parametrize(
    ("name", "kind", "forms"),
    [
        ("goals", "sum", ("vendas vs meta", "diferença para a meta")),
        ("goals", "mean", ("diferença média para a meta",)),
        ("spending", "sum", ("actual vs budget",)),
        ("spending", "mean", ("average difference to budget",)),
        ("lines", "mean", ("ist vs soll",)),
    ],
)
def test_what_came_and_what_ought_to_are_put_together_alike(
    name: str, kind: Any, forms: Sequence[str]
) -> None:
    parts = tuple(Number(rows(name), Measure(kind, column)) for column in _AIMS[name])
    check(name, Several(parts), forms)


def test_a_target_by_group_and_in_per_cent() -> None:
    city = Dimension("City")
    parts = tuple(
        GroupBy(rows("spending"), city, Measure("sum", column)) for column in ("Actual", "Budget")
    )
    check("spending", Several(parts), ("actual vs budget by city",))
    check(
        "goals",
        Number(rows("goals"), Measure("rate", "Vendas", "Meta")),
        ("vendas em % da meta",),
    )
    check("goals", Number(rows("goals"), Measure("sum", "Meta")), ("meta total",))
    met = rows("goals", Filter("Vendas", (), "at least", other="Meta"))
    forms = ("percentagem de vezes que se atingiu a meta", "share of rows that reached target")
    check("goals", Number(met, is_share=True), forms)


# Notes and empty cells.

_CELLS = """
orders | Observações | contains | fuga | ordens que falam de fuga; quantas mencionam fuga?
orders | Observações | contains | fuga | ordens com fuga nas observações
orders | Observações | contains | fuga | ordens com a palavra fuga nas observações
orders | Observações | contains | fuga | orders whose notes contain fuga
parcels | Comments | contains | parking | comments about parking
parcels | Comments | contains | parking | how many comments mention parking?
parcels | Comments | contains | parking | parcels with comments about parking
parcels | Comments | contains | parking | parcels with parking in the comments
parcels | Comments | contains | parking | comentários que falam de parking
accidents | Descrição | contains | queda | acidentes com queda na descrição
orders | Observações | present | | quantas têm observações?; ordens com observações
orders | Observações | present | | ordens com observações preenchidas
orders | Técnico | present | | ordens com técnico; ordens com técnico atribuído
orders | Técnico | present | | quantas ordens têm técnico?
parcels | Comments | present | | parcels with comments
accidents | Descrição | present | | acidentes com descrição
orders | Técnico | missing | | ordens sem técnico; técnico por preencher
orders | Observações | missing | | ordens sem observações; observações vazias
orders | Custo (€) | missing | | sem custo; quantas ordens têm custo por preencher?
parcels | Comments | missing | | parcels without comments; how many have no comment?
purchases | Aprovador | missing | | pedidos sem aprovador; aprovador em branco
"""


@pytest.mark.parametrize("line", _CELLS.strip().splitlines())
def test_what_notes_say_and_cells_that_are_filled_or_empty(line: str) -> None:
    name, column, relation, word, forms = (each.strip() for each in line.split("|"))
    wanted: Any = Filter(column, (word,) if word else (), relation)  # type: ignore[arg-type]
    check(name, Number(rows(name, wanted)), forms.split("; "))


def test_notes_by_group() -> None:
    scope = rows("orders", Filter("Observações", ("fuga",), "contains"))
    wanted = GroupBy(scope, Dimension("Equipamento"))
    forms = ("que falam de fuga por equipamento", "fuga nas observações por equipamento")
    check("orders", wanted, forms)
    scope = rows("parcels", Filter("Comments", ("parking",), "contains"))
    check(
        "parcels", GroupBy(scope, Dimension("Customer")), ("parking in the comments by customer",)
    )


def test_rows_with_none_of_what_is_often_none() -> None:
    none = rows("accidents", Filter("Dias perdidos", (0.0,)))
    check("accidents", Number(none), ("acidentes sem dias perdidos",))


# Amounts as people write them.

_AMOUNTS = """
orders | Custo (€) | above | 1500 | ordens com custo acima de 1,5 mil euros
orders | Custo (€) | above | 1500 | orders that cost more than €1,500
orders | Custo (€) | above | 2000 | custo acima de 2k
orders | Custo (€) | above | 2000 | orders over 2k
orders | Custo (€) | between | 1000 2000 | custo entre 1 e 2 mil euros
parcels | Value (EUR) | above | 1200 | value above 1.2k EUR
parcels | Value (EUR) | above | 10000 | parcels over 10 thousand euros
parcels | Value (EUR) | between | 5000 10000 | parcels between 5 and 10 thousand euros
parcels | Weight (kg) | above | 1.5 | peso acima de 1,5 kg
parcels | Weight (kg) | above | 1.5 | weight over 1.5 kg
parcels | Weight (kg) | below | 0.5 | parcels with less than 500 g
purchases | Peso (kg) | above | 0.8 | peso superior a 800 gramas
purchases | Peso (kg) | above | 10 | pedidos com mais de 0,01 toneladas
purchases | Valor | above | 300 | pedidos acima de R$ 300
purchases | Valor | above | 1500 | pedidos com valor maior que R$ 1.500,00
purchases | Valor | above | 1500.5 | valor acima de 1.500,50
purchases | Valor | above | 10000 | pedidos acima de 10 mil reais
purchases | Valor | below | 1000 | pedidos abaixo de mil reais
purchases | Valor | between | 5000 10000 | pedidos entre 5 mil e 10 mil reais
"""


@pytest.mark.parametrize("line", _AMOUNTS.strip().splitlines())
def test_numbers_with_units_and_in_thousands(line: str) -> None:
    name, column, relation, numbers, form = line.split(" | ")
    limits = tuple(map(float, numbers.split()))
    wanted: Any = Filter(column, limits, relation)  # type: ignore[arg-type]
    check(name, Number(rows(name, wanted)), (form,))


def test_a_name_that_looks_like_thousands_stays_a_name() -> None:
    paints = data(
        "tintas",
        {
            "Tinta": ("category", ["2K", "1K", "Base"] * 10),
            "Litros": ("number", [float(place) for place in range(30)]),
        },
    )
    index = schema_index_of(paints.profile)
    named = RowSelection("tintas", (Filter("Tinta", ("2K",)),))

    plan = understood("litros da tinta 2K", index)

    assert plan == Number(named, Measure("sum", "Litros")), plan
