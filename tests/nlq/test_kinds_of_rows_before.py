"""Kinds of questions about the rows or the group that were told before, and of what else is meant.

So 'em que lotes?' after the empty cells, 'quantas teve essa?' after a machine, and the other end
of a ranking by amounts that are below zero.
"""

from collections import Counter
from dataclasses import replace

import pytest

from qhub_desktop.core.table import Cell
from qhub_desktop.nlq.query_ast import (
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    RowSelection,
    plan_from_json,
    query_of,
)
from tests.nlq.conftest import Talks
from tests.nlq.driver import Answer
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import plan_at_once, plan_over, read_as, table

STOPS = table(
    "paragens",
    {
        "Nº": "key",
        "Data": "day",
        "Máquina": "Forno,Robô,Cabine",
        "Armazém": "A1 Tintas,A2 Peças,A3 Geral",
        "Família": "Tintas,Vernizes,Lixas",
        "Minutos": "#90",
        "Leitura": "#40?",
        "Custo (€)": "#300",
    },
)
ORDERS = table(
    "rececoes",
    {
        "Guia": "key",
        "Data": "day",
        "Fornecedor": "Alfa,Beta",
        "Estado": "Recebida,Anulada,Em curso",
        "Qtd Enc.": "#90",
        "Qtd Rec.": "#80",
    },
)
PLANNED = table(
    "producao",
    {
        "OF": "key",
        "Data": "day",
        "Linha": "L1,L2",
        "Qtd Plan.": "#90",
        "Qtd Prod.": "#80",
        "Qtd NOK": "#4",
    },
)
JOBS = table(
    "ordens",
    {
        "Nº OT": "key",
        "Abertura": "day",
        "Fecho": "day+4?",
        "Prioridade": "Urgente,Normal,Baixa",
        "Acidente": "Acidente c/ baixa,Acidente s/ baixa,Nenhum",
    },
)


def moves() -> Data:
    """What came in and went out of a store, the latter as less than nothing."""
    amounts: list[Cell] = [
        (200 if place % 4 == 0 else -10 * (1 + place % 3)) for place in range(60)
    ]
    return data(
        "movimentos",
        {
            "Artigo": ("category", [f"Artigo {'ABCDE'[place % 5]}" for place in range(60)]),
            "Tipo": ("category", ["Entrada" if place % 4 == 0 else "Saída" for place in range(60)]),
            "Valor (€)": ("number", amounts),
        },
    )


def rows_of(given: Data, *filters: Filter) -> RowSelection:
    return RowSelection(given.profile.dataset, filters)


def queries(answer: Answer) -> list[object]:
    assert answer.asked is not None, answer.text
    return [query_of(plan_from_json(each.plan)) for each in answer.asked.choices]


def _without_noun(plan: Plan | None) -> Plan | None:
    return replace(plan, noun="") if isinstance(plan, Number) else plan


EMPTY = Filter("Leitura", (), "missing")


def test_groups_are_of_the_rows_before_or_of_all() -> None:
    plans = read_as(STOPS, "quantas leituras faltam?", "em que máquinas?")

    scopes = [query_of(each).scope for each in plans if isinstance(each, DataPlan)]
    assert scopes[0] == rows_of(STOPS, EMPTY)


async def test_what_points_back_is_the_group_that_was_named(talks: Talks) -> None:
    talk = talks(STOPS)
    told = Counter[str]()
    for row in STOPS.rows:
        told[str(row["Máquina"])] += int(str(row["Minutos"]))
    leader = told.most_common(1)[0][0]

    await talk.told("qual a máquina com mais minutos?")
    answer = await talk.told("quantas paragens teve essa?")

    count = sum(row["Máquina"] == leader for row in STOPS.rows)
    assert f"**{count}**" in answer.text


async def test_after_a_list_a_question_is_of_its_likeliest_reading(talks: Talks) -> None:
    talk = talks(STOPS)
    await talk.ask("minutos brumosos na Cabine")

    answer = await talk.ask("e no Forno?")

    scopes = [query.scope for query in queries(answer) if isinstance(query, Number)]
    assert scopes[0] == rows_of(STOPS, Filter("Máquina", ("Forno",)))


def test_money_takes_the_place_of_an_amount_in_the_same_groups() -> None:
    plan = plan_over(STOPS, "minutos por máquina", "e isso em dinheiro?")

    assert plan == GroupBy(rows_of(STOPS), Dimension("Máquina"), Measure("sum", "Custo (€)"))


def test_other_days_are_set_against_those_before() -> None:
    plan = plan_over(STOPS, "minutos em março", "compara com abril")

    assert isinstance(plan, Comparison)
    assert {each.measure for each in (plan.first, plan.second)} == {Measure("sum", "Minutos")}
    days = [each.scope.period for each in (plan.first, plan.second)]
    assert [each.start.month for each in days if each and each.start] == [4, 3]


def test_a_share_is_of_all_that_are_named() -> None:
    plan = plan_over(STOPS, "how many stops of Forno in A1 Tintas?", "as % of all Forno")

    part = (Filter("Armazém", ("A1 Tintas",)),)
    whole = rows_of(STOPS, Filter("Máquina", ("Forno",)))
    assert plan == Number(whole, Measure("share", part=part))


def test_a_part_of_a_value_behind_its_column_is_of_that_column() -> None:
    plans = read_as(STOPS, "quantas paragens do armazém das tintas?")

    assert Number(rows_of(STOPS, Filter("Armazém", ("A1 Tintas",)))) in map(_without_noun, plans)


@pytest.mark.parametrize(
    ("given", "question", "wanted"),
    [
        (PLANNED, "em quantas ordens ficámos abaixo do planeado", ("Qtd Prod.", "Qtd Plan.")),
        (ORDERS, "em quantas guias recebemos menos do que pedimos?", ("Qtd Rec.", "Qtd Enc.")),
    ],
)
def test_less_than_what_was_asked_for_is_a_column_below_another(
    given: Data, question: str, wanted: tuple[str, str]
) -> None:
    (plan, *_others) = read_as(given, question)

    below = Filter(wanted[0], (), "below", other=wanted[1])
    assert isinstance(plan, Number)
    assert plan.scope == rows_of(given, below)


def test_a_value_behind_a_time_between_two_days_chooses_rows() -> None:
    plan = plan_at_once(JOBS, "tempo médio entre abertura e fecho das ordens urgentes")

    assert plan == Number(
        rows_of(JOBS, Filter("Prioridade", ("Urgente",))),
        Measure("mean", "Fecho", since="Abertura", unit="days"),
    )


@pytest.mark.parametrize(("said", "value"), [("com", "c/"), ("sem", "s/")])
def test_short_words_in_values_are_told_apart(said: str, value: str) -> None:
    plan = plan_over(JOBS, f"acidentes {said} baixa")

    assert isinstance(plan, DataPlan)
    assert query_of(plan).scope == rows_of(JOBS, Filter("Acidente", (f"Acidente {value} baixa",)))


async def test_a_ranking_by_what_may_be_below_zero_is_listed_from_both_ends(talks: Talks) -> None:
    answer = await talks(moves()).ask("em que artigo se gastou mais valor nas saídas?")

    orders = [each.order for each in queries(answer) if isinstance(each, GroupBy)]
    assert {"most", "least"} <= {*orders}


async def test_a_reading_of_rows_says_which_they_are(talks: Talks) -> None:
    answer = await talks(JOBS).ask("mostra as 5 ordens brumosas mais recentes")

    assert answer.asked is not None
    first = max(JOBS.rows, key=lambda row: str(row["Abertura"]))
    assert str(first["Nº OT"]) in str(answer.asked.choices[0].value)


async def test_different_values_are_counted_in_their_reading(talks: Talks) -> None:
    answer = await talks(STOPS).ask("quantas máquinas brumosas diferentes houve")

    assert answer.asked is not None
    assert any("3 valores" in str(each.value) for each in answer.asked.choices)


def test_a_slip_that_looks_like_undo_undoes_nothing() -> None:
    plan = plan_over(ORDERS, "guias por fornecedor", "qual o fornecedor com mais guias anuldas?")

    assert isinstance(plan, DataPlan)
    assert query_of(plan).scope == rows_of(ORDERS, Filter("Estado", ("Anulada",)))


def test_best_first_is_by_what_is_good() -> None:
    grades = table("formacao", {"ID": "key", "Curso": "Soldar,Pintar", "Vendas (€)": "#20"})

    plan = plan_over(grades, "vendas por curso, da melhor para a pior")

    assert isinstance(plan, GroupBy)
    assert plan.order == "most"


def test_a_key_that_stands_for_no_word_of_the_question_is_no_fault() -> None:
    columns = {"Viagem": "number", "Saída": "hour", "Chegada": "day", "Matrícula": "AA,BB,CC"}
    trips = table("viagens", columns)

    assert read_as(trips, "em que dia da semana saem menos carros")


async def test_ratios_that_look_alike_are_told_with_more_digits(talks: Talks) -> None:
    made = data(
        "ensaios",
        {
            "Bancada": ("category", ["B1", "B2", "B3"] * 4),
            "Boas": ("integer", [4831, 4819, 4824] * 4),
            "Feitas": ("integer", [10000] * 12),
        },
    )

    answer = await talks(made).told("rácio entre boas e feitas por bancada")

    assert "**0,4831**" in answer.text or "**0,483**" in answer.text
    assert "0,482" in answer.text


async def test_a_factor_of_effectiveness_that_lacks_is_named(talks: Talks) -> None:
    made = table(
        "oee",
        {
            "Data": "day",
            "Máquina": "M1,M2,M3",
            "Disponibilidade (%)": "#90",
            "Desempenho (%)": "#90",
            "Boas": "#100",
        },
    )

    answer = await talks(made).ask("OEE por máquina")

    assert "não há com que calcular a qualidade" in answer.text
    assert answer.asked is None
    assert "**" not in answer.text
