"""Kinds of questions that ask their answer to have a form, and what follows from such answers.

Two tables, in other words and another language, stand for any.
"""

from datetime import date

import pytest

from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Plan,
    Several,
    Unknown,
    distinct,
    is_distinct,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data
from tests.nlq.schemas import at_once, by, rows_of, table, understood

_LACQUER = table(
    "tintas",
    {
        "Lote": "key",
        "Data": "day",
        "Turno": "Manhã,Tarde,Noite",
        "Tipo Tinta": "Base,Verniz,Primário",
        "Resultado": "OK,NOK",
        "Custo (€)": "#900",
        "Consumo (kg)": "#80",
    },
)
_PARTS = table(
    "parts",
    {
        "partId": "key",
        "date": "day",
        "shift": "Early,Late,Night",
        "partType": "Bumper,Grille,Mirror",
        "result": "OK,NOK",
        "costEur": "#900",
        "weightKg": "#80",
    },
)
_NOK = {"Resultado": ("NOK",), "result": ("NOK",)}


def _plan(dataset: Data, *questions: str) -> Plan | None:
    return understood(schema_index_of(dataset.profile), *questions)


def _is_open(plan: Plan | None) -> bool:
    return isinstance(plan, Ask | Unknown)


@pytest.mark.parametrize(
    ("dataset", "questions", "column", "measure"),
    [
        (
            _LACQUER,
            ("consumo médio por turno", "e por tipo de tinta?"),
            "Tipo Tinta",
            "Consumo (kg)",
        ),
        (_PARTS, ("average weight by shift", "and by part type?"), "partType", "weightKg"),
    ],
)
def test_a_column_called_as_the_rows_is_grouped_by_where_it_is_asked_for(
    dataset: Data, questions: tuple[str, str], column: str, measure: str
) -> None:
    assert _plan(dataset, *questions) == by(dataset, column, Measure("mean", measure))


@pytest.mark.parametrize(
    ("dataset", "questions", "column", "value"),
    [
        (_LACQUER, ("taxa de NOK na noite vs manhã", "e à tarde?"), "Turno", "Tarde"),
        (_PARTS, ("NOK rate early vs night", "and late?"), "shift", "Late"),
    ],
)
def test_a_share_of_two_groups_stays_one_of_a_third(
    dataset: Data, questions: tuple[str, str], column: str, value: str
) -> None:
    plan = _plan(dataset, *questions)

    assert isinstance(plan, Number), plan
    assert plan.measure.kind == "share"
    assert plan.scope.filters == (Filter(column, (value,)),)


@pytest.mark.parametrize(
    ("dataset", "questions", "column"),
    [
        (_LACQUER, ("soma de custo e de consumo por turno", "e por resultado?"), "Resultado"),
        (_PARTS, ("sum of cost and weight by shift", "and by result?"), "result"),
    ],
)
def test_what_follows_several_numbers_changes_each(
    dataset: Data, questions: tuple[str, str], column: str
) -> None:
    plan = _plan(dataset, *questions)

    assert isinstance(plan, Several), plan
    groups = [each for each in plan.of if isinstance(each, GroupBy)]
    assert [each.measure.kind for each in groups] == ["sum", "sum"]
    assert [each.dimension for each in groups] == [Dimension(column)] * 2


@pytest.mark.parametrize(
    ("dataset", "questions", "values", "column"),
    [
        (
            _LACQUER,
            ("quantos lotes na noite?", "e quantos tipos de tinta?"),
            ("Turno", "Noite"),
            "Tipo Tinta",
        ),
    ],
)
def test_how_many_things_are_asked_for_among_the_same_rows(
    dataset: Data, questions: tuple[str, str], values: tuple[str, str], column: str
) -> None:
    name, value = values

    assert _plan(dataset, *questions) == distinct(rows_of(dataset, Filter(name, (value,))), column)


@pytest.mark.parametrize(
    ("dataset", "question"),
    [
        (_LACQUER, "o lote mais barato e o mais caro?"),
        (_LACQUER, "turno com mais e com menos consumo?"),
        (_LACQUER, "quantos são NOK e em que turnos?"),
        (_LACQUER, "quantos lotes chegaram atrasados?"),
        (_LACQUER, "qual é o consumo total em euros?"),
        (_PARTS, "the cheapest and the most expensive part?"),
        (_PARTS, "how many are NOK and which part type has most?"),
        (_PARTS, "how many parts were late for delivery?"),
        (_PARTS, "total weight in euros"),
    ],
)
def test_one_number_does_not_answer_what_asks_for_more(dataset: Data, question: str) -> None:
    plan = at_once(schema_index_of(dataset.profile), question)
    is_told = isinstance(plan, Several | Comparison | GroupBy) or is_distinct(plan)

    assert is_told or _is_open(plan), plan


@pytest.mark.parametrize(
    ("dataset", "question"),
    [
        (_LACQUER, "NOK na tarde: quantos são e qual o custo total?"),
        (_PARTS, "NOK in the late shift: how many and what is the total cost?"),
    ],
)
def test_what_stands_before_a_colon_holds_for_both_questions(dataset: Data, question: str) -> None:
    plan = _plan(dataset, question)

    if not _is_open(plan):
        assert isinstance(plan, Several), plan
        assert all(len(each.scope.filters) == 2 for each in plan.of)


@pytest.mark.parametrize(
    ("dataset", "question"),
    [
        (_LACQUER, "custo do verniz, por favor: de 5 a 11 de janeiro contra 12 a 18 de janeiro"),
        (_PARTS, "cost of bumpers in this file: 5 to 11 january vs 12 to 18 january please"),
    ],
)
def test_days_behind_a_colon_are_not_passed_over(dataset: Data, question: str) -> None:
    plan = _plan(dataset, question)

    assert isinstance(plan, Comparison), plan
    periods = [each.scope.period for each in (plan.first, plan.second)]
    name = dataset.profile.columns[1].name
    assert periods == [
        Period(name, date(2026, 1, 5), date(2026, 1, 11)),
        Period(name, date(2026, 1, 12), date(2026, 1, 18)),
    ]


def test_a_share_is_made_of_what_adds_up() -> None:
    mean = _plan(_LACQUER, "consumo médio por turno", "e em percentagem?")
    counted = _plan(_LACQUER, "lotes por turno", "e em percentagem?")

    assert _is_open(mean) or not getattr(mean, "is_share", False), mean
    assert getattr(counted, "is_share", False), counted
