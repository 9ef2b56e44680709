"""Kinds of groups that meet a condition, and of measures that are named by per cents."""

import pytest

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    Rows,
)
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import by, plan_over, rows_of, table

REGISTER = table(
    "registo_pessoal",
    {
        "Registo": "key",
        "Dia": "day",
        "Nome": "Ana Reis,Rui Melo,Eva Paz,Luís Sá",
        "Tipo": "Falta,Atraso,Atestado",
        "Loja": "Braga,Porto,Faro",
        "Horas": "#9",
    },
)
ROUNDS = table(
    "inspection_rounds",
    {
        "Round": "key",
        "Date": "day",
        "Inspector": "R. Hart,M. Quill,P. Onslow",
        "Observation": "Blocked exit,Loose cable,No label,Oil spill",
        "Part ref": "P-10,P-20,P-30,P-40",
        "Scrapped pieces": "#20",
    },
)
ABSENT = Filter("Tipo", ("Falta",))


@pytest.mark.parametrize(
    ("dataset", "question", "wanted"),
    [
        (
            REGISTER,
            "quem tem 10 ou mais faltas?",
            GroupBy(
                rows_of(REGISTER, ABSENT), Dimension("Nome"), having=Filter("", (10.0,), "at least")
            ),
        ),
        (
            REGISTER,
            "lojas com mais de 5 faltas",
            GroupBy(
                rows_of(REGISTER, ABSENT), Dimension("Loja"), having=Filter("", (5.0,), "above")
            ),
        ),
        (
            REGISTER,
            "lojas com mais de 2 tipos",
            GroupBy(
                rows_of(REGISTER),
                Dimension("Loja"),
                Measure("distinct", "Tipo"),
                having=Filter("", (2.0,), "above"),
            ),
        ),
        (
            ROUNDS,
            "which inspectors raised more than 15 findings?",
            GroupBy(rows_of(ROUNDS), Dimension("Inspector"), having=Filter("", (15.0,), "above")),
        ),
        (
            ROUNDS,
            "which part refs have more than 150 scrapped pieces?",
            GroupBy(
                rows_of(ROUNDS),
                Dimension("Part ref"),
                Measure("sum", "Scrapped pieces"),
                having=Filter("", (150.0,), "above"),
            ),
        ),
    ],
)
def test_groups_meet_a_condition(dataset: Data, question: str, wanted: GroupBy) -> None:
    assert plan_over(dataset, question) == wanted


HOURS = table(
    "folha_horas",
    {
        "Folha": "key",
        "Dia": "day",
        "Nome": "Ana Reis,Rui Melo,Eva Paz",
        "Obra": "Ponte,Escola,Silo",
        "HE 50%": "#9",
        "HE 100%": "#7",
        "Depósito/un (€)": "#3",
        "Valor (€)": "#900",
    },
)
AT_HALF = Measure("sum", "HE 50%")


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("HE 50% por obra", by(HOURS, "Obra", AT_HALF)),
        ("total de horas extras a 50% por obra", by(HOURS, "Obra", AT_HALF)),
        ("horas extras 100%", Number(rows_of(HOURS), Measure("sum", "HE 100%"))),
        ("quantas horas a 100% por obra?", by(HOURS, "Obra", Measure("sum", "HE 100%"))),
        (
            "quem fez mais hora extra a 50%?",
            GroupBy(rows_of(HOURS), Dimension("Nome"), AT_HALF, n=1, order="most"),
        ),
        (
            "mostra os 3 maiores registos em valor",
            Rows(rows_of(HOURS), 3, "most", "Valor (€)"),
        ),
        (
            "participação de cada obra no valor",
            GroupBy(rows_of(HOURS), Dimension("Obra"), Measure("sum", "Valor (€)"), is_share=True),
        ),
    ],
)
def test_per_cents_of_a_name_are_no_percentage_and_a_price_is_no_value(
    question: str, wanted: Plan
) -> None:
    assert plan_over(HOURS, question) == wanted


LINES_OF_ORDERS = data(
    "order_lines",
    {
        "Order no": ("text", [f"SO-{place // 3:03}" for place in range(90)]),
        "Buyer": ("category", [f"{chr(65 + place % 30)}. Payne" for place in range(90)]),
        "Product": ("category", ["Lamp", "Shade", "Bulb"] * 30),
        "Net value": ("number", [float(1 + place * 37 % 101) for place in range(90)]),
    },
)


@pytest.mark.parametrize(
    ("question", "per", "amount"),
    [
        ("average ticket per order", "Order no", "Net value"),
        ("qual o ticket médio por order?", "Order no", "Net value"),
        ("net value per buyer, on average", "Buyer", "Net value"),
    ],
)
def test_one_mean_is_told_of_what_each_thing_has(question: str, per: str, amount: str) -> None:
    wanted = Measure("per", per, amount=amount)

    assert plan_over(LINES_OF_ORDERS, question) == Number(rows_of(LINES_OF_ORDERS), wanted)


def test_a_mean_of_few_groups_is_told_for_each() -> None:
    wanted = by(LINES_OF_ORDERS, "Product", Measure("mean", "Net value"))

    assert plan_over(LINES_OF_ORDERS, "mean net value per product") == wanted
