"""Kinds of questions about what was due: kept or missed, still to come, late by so many days."""

from dataclasses import replace

import pytest

from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsStudy,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Rows,
    RowSelection,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data
from tests.nlq.schemas import TODAY, by, plan_over, read_as, rows_of, table

FREIGHT = table(
    "remessas",
    {
        "Guia": "key",
        "Destino": "Leiria,Viseu,Évora",
        "Data prevista": "day",
        "Data de entrega": "day+2?",
        "Peso kg": "#50",
    },
)
REPAIRS = table(
    "repairs",
    {
        "Job": "key",
        "Opened": "day",
        "Due date": "day+5",
        "Closed on": "day+9?",
        "Shop": "North,Sea",
    },
)
RINGS = table(
    "aneis",
    {"Dia": "day", "Início": "day", "Fim": "day+1", "Folga (mm)": "#90", "Peças": "#400"},
)
LATE = Filter("Data de entrega", (), "above", other="Data prevista")
KEPT = Filter("Data de entrega", (), "at most", other="Data prevista")
OPEN = Filter("Data de entrega", (), "missing")


@pytest.mark.parametrize(
    ("dataset", "wanted", "questions"),
    [
        (
            FREIGHT,
            LATE,
            (
                "quantas remessas não cumpriram o prazo?",
                "quantas ultrapassaram a data prevista?",
                "quantas falharam os prazos?",
                "quantas não foram entregues a tempo?",
            ),
        ),
        (FREIGHT, KEPT, ("quantas cumpriram o prazo?", "quantas respeitaram a data prevista?")),
        (FREIGHT, OPEN, ("quantas ainda não chegaram?", "quantas remessas estão por entregar?")),
        (
            REPAIRS,
            Filter("Closed on", (), "above", other="Due date"),
            ("how many exceeded the deadline?", "how many did not meet the due date?"),
        ),
        (
            REPAIRS,
            Filter("Closed on", (), "at most", other="Due date"),
            ("how many met the deadline?", "how many were closed within the due date?"),
        ),
    ],
)
def test_what_was_due_is_compared_with_what_happened(
    dataset: Data, wanted: Filter, questions: tuple[str, ...]
) -> None:
    for question in questions:
        plan = plan_over(dataset, question)
        assert isinstance(plan, Number), question
        assert plan.scope == rows_of(dataset, wanted), question


@pytest.mark.parametrize("question", ["que destino falha mais prazos?", "destino com mais atrasos"])
def test_who_is_late_most_is_ranked_by_what_came_late(question: str) -> None:
    readings = read_as(FREIGHT, question)

    grouped = [each for each in readings if isinstance(each, GroupBy)]
    assert any(
        each.dimension == Dimension("Destino") and LATE in each.scope.filters for each in grouped
    )


def test_late_by_more_than_some_days_is_the_time_between_the_two() -> None:
    plan = plan_over(FREIGHT, "remessas com mais de 3 dias de atraso")

    later = Filter("Data de entrega", (3.0,), "above", since="Data prevista", unit="days")
    assert plan is not None
    assert getattr(plan, "scope", None) == rows_of(FREIGHT, later)


def test_a_share_that_was_kept_is_one_of_each_group_when_groups_are_named() -> None:
    plan = plan_over(FREIGHT, "que percentagem foi entregue a tempo?", "e por destino?")

    assert isinstance(plan, GroupBy)
    assert plan.measure == Measure("share", part=(KEPT,))
    assert plan.scope == rows_of(FREIGHT)


def test_what_is_late_by_its_name_is_no_cue_without_a_day_that_was_due() -> None:
    plan = plan_over(RINGS, "quantas falharam os prazos?")

    assert not isinstance(plan, Number) or plan.scope.filters == ()


@pytest.mark.parametrize(
    "question",
    ["peças ao fim de semana", "peças aos sábados e domingos", "peças nos fins de semana"],
)
def test_a_weekend_is_no_column_called_fim(question: str) -> None:
    plan = plan_over(RINGS, question)

    assert isinstance(plan, Number)
    assert plan.measure == Measure("sum", "Peças")
    (days,) = plan.scope.filters
    assert (days.grain, days.values) == ("weekday", (6, 7))


@pytest.mark.parametrize("question", ["peças p semana", "peças p. semana", "peças por semana"])
def test_p_before_a_unit_of_time_is_each(question: str) -> None:
    plan = plan_over(RINGS, question)

    assert isinstance(plan, GroupBy)
    assert (plan.dimension.grain, plan.measure) == ("week", Measure("sum", "Peças"))


@pytest.mark.parametrize(
    "question", ["peso médio por destino", "média do peso por destino", "mean weight by destino"]
)
def test_a_unit_behind_a_name_is_no_part_of_it(question: str) -> None:
    wanted = GroupBy(RowSelection("remessas"), Dimension("Destino"), Measure("mean", "Peso kg"))

    assert read_as(FREIGHT, question)[0] == wanted


@pytest.mark.parametrize(
    ("question", "limits"),
    [
        ("qual é a capacidade da folga?", {}),
        ("capacidade da folga entre 10 e 80", {"lie": 10.0, "lse": 80.0}),
        ("capacidade das peças entre 10 e 80", {"lie": 10.0, "lse": 80.0}),
    ],
)
def test_the_capability_of_what_was_measured_is_a_study(
    question: str, limits: dict[str, float]
) -> None:
    plan = plan_over(RINGS, question)

    assert isinstance(plan, AsStudy)
    given = dict(plan.given)
    assert plan.tool == "capacidade"
    assert {name: given[name] for name in given if name != "coluna"} == limits


def test_the_capacity_of_an_amount_is_no_study() -> None:
    assert not isinstance(plan_over(RINGS, "qual é a capacidade das peças?"), AsStudy)


def test_a_study_goes_on_with_another_column_and_its_own_limits() -> None:
    plan = plan_over(RINGS, "capacidade da folga entre 10 e 80", "e das peças?")

    assert isinstance(plan, AsStudy)
    assert dict(plan.given) == {"coluna": "Peças"}


@pytest.mark.parametrize("question", ["por destino", "e por destino?"])
def test_groups_behind_a_list_are_of_each_of_its_readings(question: str) -> None:
    indexes = [schema_index_of(FREIGHT.profile)]
    listed = interpret("peso brumoso total", INITIAL_STATE, indexes, today=TODAY)
    assert isinstance(listed.plan, Ask)

    after = interpret(question, listed, indexes, today=TODAY)

    assert isinstance(after.plan, Ask)
    (_, first), *_others = after.plan.readings
    assert first == by(FREIGHT, "Destino", Measure("sum", "Peso kg"))


def test_what_was_opened_by_month_is_not_only_what_is_open() -> None:
    readings = read_as(REPAIRS, "reparações abertas por mês")

    opened = GroupBy(rows_of(REPAIRS), Dimension("Opened", "month"))
    open_ = Filter("Closed on", (), "missing")
    assert opened in readings
    assert replace(opened, scope=rows_of(REPAIRS, open_)) in readings


def test_so_many_of_what_rows_are_called_by_is_no_number_of_one() -> None:
    plan = plan_over(FREIGHT, "as três guias mais pesadas")

    assert isinstance(plan, Rows)
    assert (plan.n, plan.by, plan.scope) == (3, "Peso kg", rows_of(FREIGHT))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("¿cuántas entregas hubo en marzo?", "quantas entregas houve em março?"),
        ("cuál es el destino con más peso?", "qual é o destino com mais peso?"),
        ("promedio del peso por destino", "média do peso por destino"),
        ("cuántas fueron entregadas fuera de plazo?", "quantas foram entregues fora de prazo?"),
    ],
)
def test_a_question_in_spanish_is_the_one_in_portuguese(question: str, wanted: str) -> None:
    assert read_as(FREIGHT, question)[0] == read_as(FREIGHT, wanted)[0]


def test_spanish_words_that_are_names_in_the_data_stay() -> None:
    places = table("lojas", {"Dia": "day", "Loja": "El Corte,Los Montes,Braga", "Venda": "#90"})

    plan = plan_over(places, "venda da Los Montes")

    assert isinstance(plan, Number)
    assert plan.scope == rows_of(places, Filter("Loja", ("Los Montes",)))


ARRIVALS = table(
    "chegadas_transportadores",
    {
        "Guia": "key",
        "Dt Prev.": "day",
        "Dt Cheg.": "day+1",
        "Transp.": "Alfa,Beta,Gama",
        "Motorista": "Ivo,Rui,Ana",
    },
)


@pytest.mark.parametrize(
    ("question", "column", "n"),
    [
        ("quem são os 2 transportadores com mais atrasos?", "Transp.", 2),
        ("quem são os transportadores com mais chegadas?", "Transp.", 5),
        ("quem é o transportador com mais atrasos?", "Transp.", 1),
        ("quem é o motorista com mais atrasos?", "Motorista", 1),
        ("quem tem mais atrasos?", "Motorista", 1),
    ],
)
def test_who_is_asked_for_is_what_the_noun_behind_it_names(
    question: str, column: str, n: int
) -> None:
    plan = plan_over(ARRIVALS, question)

    assert isinstance(plan, GroupBy)
    assert (plan.dimension, plan.n) == (Dimension(column), n)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (
            "os 2 transportadores com mais atrasos",
            "e em percentagem das chegadas de cada um desses, como fica?",
        ),
        ("os transportadores com mais atrasos", "e em % de cada um?"),
        ("os 2 transportadores com mais atrasos", "and as a percentage of each of those?"),
    ],
)
def test_a_share_of_each_is_of_its_own_rows(first: str, then: str) -> None:
    late = Filter("Dt Cheg.", (), "above", other="Dt Prev.")

    wanted = by(ARRIVALS, "Transp.", Measure("share", part=(late,)))
    assert plan_over(ARRIVALS, first, then) == wanted


def test_a_share_of_each_of_all_rows_is_that_in_the_whole() -> None:
    plan = plan_over(ARRIVALS, "chegadas por transportador", "e em % de cada um?")

    assert plan == replace(by(ARRIVALS, "Transp."), is_share=True)
