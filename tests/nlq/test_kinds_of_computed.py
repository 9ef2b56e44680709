"""Kinds of numbers that no column holds: money of amounts, what is left, pieces by the hour."""

from collections import Counter
from dataclasses import replace

import pytest

from qhub_desktop.nlq.query_ast import Dimension, Filter, GroupBy, Measure, Number, query_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data
from tests.nlq.schemas import by, read_as, rows_of, table

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
    {"Employee": "Ana,Rui,Eva", "Overtime hours": "#6", "Hourly rate (€)": "#14", "Day": "day"},
)
SPENT = Measure("sum", "Qtd pedida", since="Preço unitário", unit="product")
TO_COME = Measure("sum", "Qtd pedida", since="Qtd recebida", unit="difference")
BOTH = Measure("sum", "Custo gás (€)", since="Custo argila (€)", unit="sum")
LESS = Measure("sum", "Custo gás (€)", since="Custo argila (€)", unit="difference")
TO_MAKE = Measure("sum", "Planeado", since="Produzido", unit="difference")
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
    ],
)
def test_a_number_is_computed_of_two_columns(
    dataset: Data, question: str, measure: Measure, column: str
) -> None:
    wanted = by(dataset, column, measure) if column else Number(rows_of(dataset), measure)

    assert read_as(dataset, question)[0] == wanted


@pytest.mark.parametrize(
    ("dataset", "question"),
    [(BOUGHT, "qtd pedida por fornecedor"), (BOUGHT, "preço unitário médio"), (KILNS, "paragem")],
)
def test_what_a_column_holds_is_not_computed(dataset: Data, question: str) -> None:
    made = [query_of(each) for each in read_as(dataset, question)]  # type: ignore[arg-type]

    assert [each for each in made if getattr(each, "measure", Measure()).unit] == []


async def test_the_money_of_an_amount_is_the_sum_of_each_rows(talks: Talks) -> None:
    rows = [(int(str(row["Qtd pedida"])), int(str(row["Preço unitário"]))) for row in BOUGHT.rows]

    answer = await talks(BOUGHT).ask("quanto gastámos?")

    assert answer.asked is not None
    values = [each.value.replace("\N{NO-BREAK SPACE}", "") for each in answer.asked.choices]
    assert values[0] == str(sum(amount * price for amount, price in rows))


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
