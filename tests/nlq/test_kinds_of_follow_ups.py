"""Kinds of questions that follow others, and the numbers that answers tell, over several trades."""

from collections import defaultdict
from dataclasses import replace
from statistics import mean, quantiles
from typing import Any, cast

import pytest

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    query_of,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.driver import Answer
from tests.nlq.schemas import (
    APRIL,
    MARCH,
    OVER_ALL,
    Trade,
    at_once,
    plan_at_once,
    plan_over,
    rows_of,
    table,
    understood,
)


def last(trade: Trade, language: Language, *forms: str) -> Plan | None:
    """The plan of the last of some questions of one conversation."""
    return understood(*(trade.asked(form, language) for form in forms), trade.index)


def named(trade: Trade, place: int) -> Filter:
    return Filter(trade["name"], (trade.names[place],))


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("pt", "quant{g}s {rows} de {value}?", "e de {other}?"),
        ("pt", "quant{g}s {rows} de {value}?", "e {other}?"),
        ("pt", "quant{g}s {rows} de {value}?", "não, queria dizer {other}"),
        ("en", "how many {rows} of {value}?", "and {other}?"),
        ("en", "how many {rows} of {value}?", "no, I meant {other}"),
    ],
)
def test_a_name_takes_the_place_of_one_like_it(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    assert last(trade, language, first, second) == Number(trade.where(named(trade, 2)))


@OVER_ALL
def test_a_condition_of_another_sort_is_added(trade: Trade) -> None:
    opened = Filter(trade["state"], (trade.open,))

    plan = last(trade, "pt", "quant{g}s {rows} {open}?", "e de {value}?")
    other = last(trade, "pt", "quant{g}s {rows} {open}?", "e {closed}?")

    assert plan == Number(trade.where(opened, named(trade, 1)))
    assert other == Number(trade.where(Filter(trade["state"], (trade.closed,))))


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [("pt", "{amount} em março", "e em abril?"), ("en", "{amount} in March", "and in April?")],
)
def test_a_period_takes_the_place_of_the_one_before(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    total = Measure("sum", trade["amount"])

    assert last(trade, language, first) == Number(trade.where(days=MARCH), total)
    assert last(trade, language, first, second) == Number(trade.where(days=APRIL), total)


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("pt", "quant{g}s {rows} de {value}?", "e em abril?"),
        ("en", "how many {rows} of {value}?", "and in April?"),
    ],
)
def test_what_was_asked_stays_where_a_period_is_added(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    rows = trade.where(named(trade, 1), days=APRIL)

    assert last(trade, language, first, second) == Number(rows)
    third = "e por {staff}?" if language == "pt" else "and by {staff}?"
    by_staff = GroupBy(rows, Dimension(trade["staff"]))
    assert last(trade, language, first, second, third) == by_staff


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "known", "declined", "second"),
    [
        (
            "pt",
            "quant{g}s {rows} de {value}?",
            "{amount} de Zurbado por mês",
            "e em março?",
        ),
        ("en", "how many {rows} of {value}?", "{amount} of Zurbado by month", "and in March?"),
    ],
)
def test_what_follows_a_declined_question_does_not_change_the_one_before(
    trade: Trade, language: Language, known: str, declined: str, second: str
) -> None:
    forms = (known, declined, second)
    plan = at_once(*(trade.asked(form, language) for form in forms), trade.index)

    # What it may have meant goes on, and the word that is not in the data is told.
    assert isinstance(plan, Ask)
    assert plan.unclear == ("Zurbado",)
    scopes = [query_of(each).scope for _, each in plan.readings]
    assert all(each.period is not None for each in scopes)
    assert not scopes[0].filters
    again = last(trade, language, known, declined, known)
    assert again == Number(trade.where(named(trade, 1)))


@OVER_ALL
def test_what_was_meant_is_what_is_grouped_by(trade: Trade) -> None:
    wanted = GroupBy(trade.scope, Dimension(trade["staff"]), Measure("sum", trade["amount"]))

    for second in ("não, queria dizer por {staff}", "e por {staff}?"):
        assert last(trade, "pt", "{amount} por {name}", second) == wanted
    for second in ("no, I meant by {staff}", "and by {staff}?"):
        assert last(trade, "en", "{amount} by {name}", second) == wanted


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("pt", "top 2 {names} por {amount}", "ao contrário"),
        ("en", "top 2 {names} by {amount}", "the other way round"),
    ],
)
def test_a_ranking_is_turned_round(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    total = Measure("sum", trade["amount"])
    most = GroupBy(trade.scope, Dimension(trade["name"]), total, n=2, order="most")

    assert last(trade, language, first) == most
    assert last(trade, language, first, second) == replace(most, order="least")
    assert last(trade, language, first, second, second) == most


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("pt", "quant{g}s {rows} de {value}?", "que percentagem é isso?"),
        ("en", "how many {rows} of {value}?", "what % is that?"),
    ],
)
def test_a_count_is_told_as_a_share(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    wanted = Number(trade.where(named(trade, 1)), is_share=True)

    assert last(trade, language, first, second) == wanted


@OVER_ALL
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("pt", "{amount} por {name}", "e a média?"),
        ("en", "{amount} by {name}", "and the average?"),
    ],
)
def test_another_statistic_is_of_the_same_groups(
    trade: Trade, language: Language, first: str, second: str
) -> None:
    wanted = GroupBy(trade.scope, Dimension(trade["name"]), Measure("mean", trade["amount"]))

    assert last(trade, language, first, second) == wanted


@OVER_ALL
def test_the_question_before_is_gone_back_to(trade: Trade) -> None:
    plan = last(trade, "pt", "{rows} por {name}", "{amount} por mês", "volta atrás")

    assert plan == GroupBy(trade.scope, Dimension(trade["name"]))


@pytest.mark.parametrize(("said", "number"), [("e na 2?", 2), ("e no 3?", 3), ("and in 3?", 3)])
@pytest.mark.parametrize(
    ("header", "letter", "word"), [("Turno", "T", "turno"), ("Linha", "L", "linha")]
)
def test_a_bare_number_takes_the_place_of_a_value(
    said: str, number: int, header: str, letter: str, word: str
) -> None:

    values = ",".join(f"{letter}{place}" for place in (1, 2, 3))
    made = table("leituras", {"Registo": "key", "Data": "day", header: values, "Litros": "#"})

    plan = understood(f"litros da {word} 1", said, schema_index_of(made.profile))

    chosen = rows_of(made, Filter(header, (f"{letter}{number}",)))
    assert plan == Number(chosen, Measure("sum", "Litros"))


# The numbers that are told, computed here from the cells.


def told(answer: Answer) -> list[list[Any]]:
    """The rows that the last query gave."""
    content = cast("dict[str, Any]", answer.results[-1].content)
    return cast("list[list[Any]]", content["linhas"])


@OVER_ALL
async def test_amounts_that_are_told_are_those_of_the_cells(talks: Talks, trade: Trade) -> None:
    amounts: defaultdict[str, list[float]] = defaultdict(list)
    for name, amount in zip(trade.cells("name"), trade.cells("amount"), strict=True):
        amounts[name].append(amount)
    talk = talks(trade.data)

    sums = await talk.ask(trade.asked("{amount} por {name}"))
    means = await talk.ask(trade.asked("e a média?"))
    best = await talk.ask(trade.asked("top 2 {names} por {amount}"))

    assert {row[0]: row[1] for row in told(sums)} == pytest.approx(
        {name: sum(each) for name, each in amounts.items()}
    )
    assert {row[0]: row[1] for row in told(means)} == pytest.approx(
        {name: mean(each) for name, each in amounts.items()}
    )
    ranked = sorted(amounts, key=lambda name: -sum(amounts[name]))
    assert [row[0] for row in told(best)][:2] == ranked[:2]
    assert f"**{ranked[0]}**" in best.text


@OVER_ALL
async def test_days_shares_and_percentiles_are_those_of_the_cells(
    talks: Talks, trade: Trade
) -> None:
    days = [
        (done - day).days
        for day, done in zip(trade.cells("day"), trade.cells("done"), strict=True)
        if done is not None
    ]
    is_late = [
        done is None and due < trade.latest
        for due, done in zip(trade.cells("due"), trade.cells("done"), strict=True)
    ]
    nineties = quantiles(trade.cells("amount"), n=10, method="inclusive")[-1]
    talk = talks(trade.data)

    between = await talk.told(trade.asked("média de dias entre {day} e {done}"))
    overdue = await talk.told(trade.asked("quant{g}s {rows} em atraso?"))
    percentile = await talk.told(trade.asked("percentil 90 d{g_amount} {amount}"))

    assert told(between)[0][0] == pytest.approx(mean(days))
    assert f"**{sum(is_late)}**" in overdue.text
    assert told(percentile)[0][0] == pytest.approx(nineties)


@pytest.mark.parametrize(
    ("cost", "group", "before", "cheapest", "dearest"),
    [
        ("Custo (€)", "Secção", "custo por secção", "qual a mais barata?", "e a mais cara?"),
        ("Custo total", "Fornecedor", "custo por fornecedor", "o mais barato?", "o mais caro?"),
        ("Cost (EUR)", "Site", "cost by site", "which is cheapest?", "and the dearest?"),
    ],
)
def test_the_cheapest_after_costs_of_groups_is_a_group(
    cost: str, group: str, before: str, cheapest: str, dearest: str
) -> None:
    made = table("ordens", {"Nº": "key", "Dia": "day", group: "Anta,Bico,Cale", cost: "#900"})
    for question, order in ((cheapest, "least"), (dearest, "most")):
        plan = plan_over(made, before, question)

        assert isinstance(plan, GroupBy), question
        assert (plan.dimension.column, plan.measure.column) == (group, cost), question
        assert (plan.n, plan.order) == (1, order), question


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("quem tem 2 ou mais faltas?", "qual a % de faltas não justificadas?"),
        ("faltas por nome", "que percentagem das faltas não está justificada?"),
        ("atrasos por mês", "qual a percentagem das faltas sem ser justificadas?"),
    ],
)
def test_a_percentage_of_two_conditions_is_a_question_of_its_own(
    before: str, question: str
) -> None:
    columns = {
        "Dia": "day",
        "Nome": "Ana,Rui,Eva",
        "Tipo": "Falta,Atraso",
        "Justificada": "Sim,Não",
    }
    made = table("ponto", columns)

    alone = plan_over(made, question)
    assert isinstance(alone, Number)
    assert plan_over(made, before, question) == alone


USED = table(
    "consumos", {"Registo": "key", "Dia": "day", "Linha": "L1,L2,L3", "Consumo (kg)": "#140"}
)


@pytest.mark.parametrize(
    ("first", "then", "asked"),
    [
        ("qual foi o consumo da L1?", "e da L2?", "qual foi a variação em %?"),
        ("qual foi o consumo da L1?", "e da L2?", "então qual é a diferença entre as duas?"),
        ("what was the consumo of L1?", "and of L2?", "what was the percentage change?"),
        ("what was the consumo of L1?", "and of L2?", "so what is the change in %?"),
    ],
)
def test_a_change_asked_behind_two_numbers_is_between_them(
    first: str, then: str, asked: str
) -> None:
    one, other = (
        Number(rows_of(USED, Filter("Linha", (line,))), Measure("sum", "Consumo (kg)"))
        for line in ("L1", "L2")
    )

    assert plan_at_once(USED, first, then, asked) == Comparison(one, other)


def test_a_change_behind_one_number_compares_nothing() -> None:
    plan = plan_at_once(USED, "qual foi o consumo da L1?", "qual foi a variação em %?")

    assert not isinstance(plan, Comparison)
