"""Kinds of numbers that no column holds: money of amounts, what is left, pieces by the hour."""

from collections import Counter
from dataclasses import replace

import pytest

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Order,
    columns_of,
    plan_from_json,
    plan_to_json,
    query_of,
)
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data
from tests.nlq.schemas import by, plan_at_once, read_as, rows_of, table

BOUGHT = table(
    "compras",
    {
        "Pedido": "key",
        "Data": "day",
        "Fornecedor": "Alba,Brisa,Corvo",
        "Qtd pedida": "#80",
        "Qtd recebida": "#70",
        "Preço unitário": "#9",
    },
)
KILNS = table(
    "fornadas",
    {
        "Data": "day",
        "Forno": "F1,F2,F3",
        "Turno": "Manhã,Tarde,Noite",
        "Planeado": "#90",
        "Produzido": "#80",
        "Tempo de operação (min)": "#400",
        "Paragem (min)": "#50",
        "Custo gás (€)": "#50",
        "Custo argila (€)": "#60",
    },
)
SHIFTS = table(
    "overtime",
    {
        "Employee": "Ana,Rui,Eva",
        "Overtime hours": "#6",
        "Hourly rate (€)": "#14",
        "Day": "day",
        "Reason": "Rush,Training",
    },
)
LINES = table(
    "paragens",
    {
        "Dia": "day",
        "Linha": "L1,L2",
        "Produzidas": "#90",
        "Rejeitadas": "0#9",
        "Tempo planeado (min)": "#480",
        "Tempo de operação (min)": "#400",
        "Ciclo ideal (s)": "#60",
    },
)
ORDERS = table(
    "orders",
    {
        "Order No": "key",
        "Customer": "Ames,Bell,Cole",
        "Qty ordered": "#80",
        "Unit price": "#9",
        "Freight (€)": "#50",
    },
)
OEE = Measure(
    "product",
    factors=(
        Measure("rate", "Tempo de operação (min)", "Tempo planeado (min)"),
        Measure(
            "rate", "Produzidas", "Tempo de operação (min)", since="Ciclo ideal (s)", unit="product"
        ),
        Measure("rate", "Produzidas", "Produzidas", since="Rejeitadas", unit="difference"),
    ),
)
TESTS = table(
    "ensaios",
    {"Dia": "day", "Analista": "Joana,Pedro,Lara", "Resultado": "Conforme,Não conforme,Repetir"},
)
GOOD = Measure("sum", "Produzidas", since="Rejeitadas", unit="difference")
SOLD = Measure("sum", "Qty ordered", since="Unit price", unit="product")
SPENT = Measure("sum", "Qtd pedida", since="Preço unitário", unit="product")
TO_COME = Measure("sum", "Qtd pedida", since="Qtd recebida", unit="difference")
BOTH = Measure("sum", "Custo gás (€)", since="Custo argila (€)", unit="sum")
LESS = Measure("sum", "Custo gás (€)", since="Custo argila (€)", unit="difference")
TO_MAKE = Measure("sum", "Planeado", since="Produzido", unit="difference")
CAME = Measure("rate", "Qtd recebida", "Qtd pedida")
PACE = Measure("rate", "Produzido", "Tempo de operação (min)", per=60)
WAGES = Measure("sum", "Overtime hours", since="Hourly rate (€)", unit="product")


@pytest.mark.parametrize(
    ("dataset", "question", "measure", "column"),
    [
        (BOUGHT, "valor total por fornecedor", SPENT, "Fornecedor"),
        (BOUGHT, "quanto gastámos?", SPENT, ""),
        (BOUGHT, "quanto falta receber por fornecedor?", TO_COME, "Fornecedor"),
        (BOUGHT, "diferença entre a quantidade pedida e a recebida", TO_COME, ""),
        (KILNS, "custo gás mais custo argila por forno", BOTH, "Forno"),
        (KILNS, "custo gás menos custo argila", LESS, ""),
        (KILNS, "quanto falta produzir?", TO_MAKE, ""),
        (KILNS, "peças por hora em cada forno", PACE, "Forno"),
        (KILNS, "produzido por hora", PACE, ""),
        (SHIFTS, "total overtime cost by employee", WAGES, "Employee"),
        (BOUGHT, "percentagem do pedido recebida por fornecedor", CAME, "Fornecedor"),
        (BOUGHT, "quanto está por receber?", TO_COME, ""),
        (BOUGHT, "quantidade em falta por fornecedor", TO_COME, "Fornecedor"),
        (ORDERS, "what was the revenue?", SOLD, ""),
        (ORDERS, "revenue by customer", SOLD, "Customer"),
        (ORDERS, "average order value", replace(SOLD, kind="mean"), ""),
        (LINES, "oee por linha", OEE, "Linha"),
        (LINES, "peças boas por linha", GOOD, "Linha"),
        (BOUGHT, "cumprimento por fornecedor", CAME, "Fornecedor"),
        (KILNS, "cumprimento do planeado", Measure("rate", "Produzido", "Planeado"), ""),
    ],
)
def test_a_number_is_computed_of_two_columns(
    dataset: Data, question: str, measure: Measure, column: str
) -> None:
    wanted = by(dataset, column, measure) if column else Number(rows_of(dataset), measure)

    assert read_as(dataset, question)[0] == wanted


@pytest.mark.parametrize(
    ("dataset", "question"),
    [
        (BOUGHT, "quantos fornecedores nos venderam?"),
        (BOUGHT, "qtd pedida por fornecedor"),
        (BOUGHT, "preço unitário médio"),
        (KILNS, "paragem"),
    ],
)
def test_what_a_column_holds_is_not_computed(dataset: Data, question: str) -> None:
    made = [query_of(each) for each in read_as(dataset, question)]  # type: ignore[arg-type]

    assert [each for each in made if getattr(each, "measure", Measure()).unit] == []


async def test_the_money_of_an_amount_is_the_sum_of_each_rows(talks: Talks) -> None:
    rows = [(int(str(row["Qtd pedida"])), int(str(row["Preço unitário"]))) for row in BOUGHT.rows]

    answer = await talks(BOUGHT).told("quanto gastámos?")

    spent = sum(amount * price for amount, price in rows)
    assert f"**{spent}**" in answer.text.replace("\N{NO-BREAK SPACE}", "")


def test_what_a_thing_never_had_is_asked_of_all_its_rows() -> None:
    part = (Filter("Forno", ("F1",)),)
    wanted = GroupBy(
        rows_of(KILNS), Dimension("Turno"), Measure("share", part=part), having=Filter("", (0,))
    )

    assert query_of(read_as(KILNS, "que turno nunca trabalhou no F1?")[0]) == wanted  # type: ignore[arg-type]


def test_a_mean_is_compared_with_that_of_all_rows_or_of_the_groups() -> None:
    above = Filter("Custo gás (€)", (), "above", statistic="mean")
    dear = Number(rows_of(KILNS, above))
    kilns = by(KILNS, "Forno", Measure("sum", "Custo gás (€)"))

    assert read_as(KILNS, "quantos registos com custo gás acima da média?")[0] == dear
    assert query_of(read_as(KILNS, "fornos com custo gás acima da média")[0]) == replace(  # type: ignore[arg-type]
        kilns, having=replace(above, column="")
    )


async def test_rows_above_the_mean_are_counted_in_sql(talks: Talks) -> None:
    costs = [int(str(row["Custo gás (€)"])) for row in KILNS.rows]
    above = [each for each in costs if each > sum(costs) / len(costs)]

    answer = await talks(KILNS).ask("quantos registos com custo gás acima da média?")

    told = [each.value for each in answer.asked.choices] if answer.asked else [answer.text]
    assert str(len(above)) in told[0]


async def test_groups_above_the_mean_of_groups_are_found_in_sql(talks: Talks) -> None:
    totals: Counter[str] = Counter()
    for row in KILNS.rows:
        totals[str(row["Forno"])] += int(str(row["Custo gás (€)"]))
    dear = {name for name, cost in totals.items() if cost > totals.total() / len(totals)}

    answer = await talks(KILNS).ask("fornos com custo gás acima da média")

    told = answer.asked.choices[0].value if answer.asked else answer.text
    assert {name for name in totals if name in told} == dear


async def test_effectiveness_is_the_product_of_its_factors(talks: Talks) -> None:
    cells = [
        {name: int(str(cell)) for name, cell in row.items() if str(cell).isdigit()}
        for row in LINES.rows
    ]
    made, planned = (
        sum(row[name] for row in cells) for name in ("Produzidas", "Tempo planeado (min)")
    )
    good = made - sum(row["Rejeitadas"] for row in cells)
    ideal = sum(row["Produzidas"] * row["Ciclo ideal (s)"] for row in cells) / 60

    answer = await talks(LINES).ask("qual o oee?")

    told = answer.asked.choices[0].value if answer.asked else answer.text
    assert f"{100 * ideal / planned * good / made:.2f}".rstrip("0").replace(".", ",") in told


def test_a_product_is_kept_with_its_factors() -> None:
    plan = Number(rows_of(LINES), OEE)

    assert plan_from_json(plan_to_json(plan)) == plan
    assert columns_of(plan) >= {"Ciclo ideal (s)", "Tempo planeado (min)", "Rejeitadas"}


def test_different_things_of_each_group_are_counted() -> None:
    wanted = by(SHIFTS, "Reason", Measure("distinct", "Employee"))

    assert read_as(SHIFTS, "different employees by reason")[0] == wanted


@pytest.mark.parametrize(
    ("question", "value", "order"),
    [
        ("analista com a pior percentagem de conformes", "Conforme", "least"),
        ("analista com a melhor taxa de não conformes", "Não conforme", "least"),
        ("analista com a pior taxa de não conformes", "Não conforme", "most"),
    ],
)
def test_the_worst_share_of_what_is_good_is_the_lowest(
    question: str, value: str, order: Order
) -> None:
    share = Measure("share", part=(Filter("Resultado", (value,)),))

    assert query_of(read_as(TESTS, question)[0]) == replace(  # type: ignore[arg-type]
        by(TESTS, "Analista", share), n=1, order=order
    )


def test_the_share_of_groups_in_what_was_asked_for_is_of_their_sums() -> None:
    plan = read_as(BOUGHT, "quota de cada fornecedor na quantidade pedida")[0]

    shares = replace(by(BOUGHT, "Fornecedor", Measure("sum", "Qtd pedida")), is_share=True)
    assert query_of(plan) == shares  # type: ignore[arg-type]


PURCHASES = table(
    "compras_do_ano",
    {
        "Nº Enc.": "number/3",
        "Forn.": "Alfa,Beta,Gama",
        "Artigo": "Lixa,Fita,Cola",
        "Qtd": "#900",
        "Pr. Unit. (€)": "#40",
        "Dia": "day",
    },
)
SOLD_ORDERS = table(
    "sold_orders",
    {
        "Order No": "number/3",
        "Item": "Paint,Tape,Glue",
        "Unit Price (EUR)": "#40",
        "Amount (EUR)": "#5000",
        "Date": "day",
    },
)


@pytest.mark.parametrize(
    ("dataset", "question", "column", "worth", "price"),
    [
        (
            PURCHASES,
            "quais foram as 5 encomendas mais caras?",
            "Nº Enc.",
            Measure("sum", "Qtd", since="Pr. Unit. (€)", unit="product"),
            "Pr. Unit. (€)",
        ),
        (
            SOLD_ORDERS,
            "the 5 most expensive orders",
            "Order No",
            Measure("sum", "Amount (EUR)"),
            "Unit Price (EUR)",
        ),
    ],
)
def test_dear_documents_may_be_meant_by_their_worth_or_by_one_price(
    dataset: Data, question: str, column: str, worth: Measure, price: str
) -> None:
    readings = read_as(dataset, question)

    assert readings[0] == GroupBy(rows_of(dataset), Dimension(column), worth, n=5, order="most")
    others = [each for each in readings[1:] if isinstance(each, GroupBy)]
    assert price in [each.measure.column for each in others]


def test_dear_things_are_those_of_the_highest_price() -> None:
    plan = plan_at_once(PURCHASES, "os artigos mais caros")

    assert isinstance(plan, GroupBy)
    assert (plan.dimension.column, plan.measure.column) == ("Artigo", "Pr. Unit. (€)")


@pytest.mark.parametrize(
    ("columns", "question", "meant", "never_first"),
    [
        (("Cons. (kg)", "Desp. (kg)"), "quanto gastou a L1?", ["Cons. (kg)"], "Desp. (kg)"),
        (("Cons. (kg)", "Desp. (kg)"), "em que linha se gastou mais?", ["Cons. (kg)"], ""),
        (("Cons.", "Desp."), "quanto gastou a L1?", ["Cons.", "Desp."], ""),
        (("Consumo (kg)", "Desp. (€)"), "quanto gastou a L1?", ["Desp. (€)"], "Consumo (kg)"),
        (("Consumo (kg)", "Despesa"), "quanto gastou a L1?", ["Despesa"], "Consumo (kg)"),
    ],
)
def test_a_short_name_that_two_words_share_leads_not_alone(
    columns: tuple[str, str], question: str, meant: list[str], never_first: str
) -> None:
    told = {"Dia": "day", "Linha": "L1,L2,L3", **dict.fromkeys(columns, "#90")}

    readings = [query_of(each) for each in read_as(table("registo_linha", told), question)]  # type: ignore[arg-type]
    measured = [each.measure.column for each in readings if isinstance(each, GroupBy | Number)]

    assert {*meant} <= {*measured}
    assert measured[0] != never_first


def test_paint_that_was_spent_may_be_what_was_consumed_or_its_price() -> None:
    told = {"Cons. (kg)": "#140", "Desp. (kg)": "#14", "Pr. (€/kg)": "#19"}
    paint = table("registo_tinta", {"Dia": "day", "Linha": "L1,L2,L3", **told})

    readings = [query_of(each) for each in read_as(paint, "quanta tinta gastámos?")]  # type: ignore[arg-type]
    measures = [each.measure for each in readings if isinstance(each, Number)]

    assert Measure("sum", "Cons. (kg)") in measures
    assert Measure("sum", "Cons. (kg)", since="Pr. (€/kg)", unit="product") in measures
    assert measures[0].column != "Desp. (kg)"
