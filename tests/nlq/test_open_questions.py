"""Questions with a word that is not understood, and those that go on from one asked back."""

from datetime import date

import pytest

import qhub_desktop.charts.catalogue  # noqa: F401  the kinds of chart, which are words too
from qhub_desktop.nlq.dialogue.state import DialogueState
from qhub_desktop.nlq.query_ast import (
    Ask,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Number,
    RowSelection,
    Unknown,
    query_of,
)
from tests.nlq.driver import interpret_all
from tests.nlq.profiles import production

TODAY = date(2026, 2, 20)


def _asked(*questions: str) -> DialogueState:
    """The state after questions over a table of production."""
    return interpret_all([(each, TODAY) for each in questions], [production().profile])


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("soma da sucata xaropada por máquina", "xaropada"),
        ("sucata por máquina xaropada em janeiro", "xaropada"),
        ("média cabal de peças por turno", "cabal"),
        ("quantas peças rutilantes fez a M2?", "rutilantes"),
        ("mostra as peças trelhadas por dia num gráfico", "trelhadas"),
    ],
)
def test_one_unknown_word_is_marked_and_the_rest_is_offered(question: str, word: str) -> None:
    plan = _asked(question).plan

    assert isinstance(plan, Ask)
    assert plan.unclear == (word,)
    assert all(isinstance(each, DataPlan) for _, each in plan.readings)


@pytest.mark.parametrize(
    "question",
    [
        "sucata por máquina Zurbado",
        "sucata por máquina X99",
        "peças produzidas por fornecedor",
        "total de peças por turno sem xpto",
    ],
)
def test_a_word_that_could_be_in_the_data_or_change_the_number_is_told(question: str) -> None:
    assert isinstance(_asked(question).plan, Unknown)


def test_a_question_goes_on_from_the_parts_of_one_that_was_asked_back() -> None:
    state = _asked("quantas peças rutilantes fez a M2?", "e por turno?")

    assert isinstance(state.plan, Ask)
    assert state.plan.unclear == ("rutilantes",)
    for _, plan in state.plan.readings:
        query = query_of(plan)
        assert isinstance(query, GroupBy)
        assert query.dimension == Dimension("Turno")
        assert query.scope.filters == (Filter("Máquina", ("M2",)),)


def test_a_question_for_itself_does_not_go_on_from_what_was_asked_back() -> None:
    plan = _asked("quantas peças rutilantes fez a M2?", "quantas linhas à noite?").plan

    assert plan == Number(RowSelection("producao", (Filter("Turno", ("Noite",)),)))
