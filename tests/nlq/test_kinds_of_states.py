"""Kinds of questions about what is open or over, and about the statistic that a column holds."""

import pytest

from qhub_desktop.nlq.query_ast import (
    Filter,
    Measure,
    Number,
    is_count,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.semantic.slots import Slots
from qhub_desktop.nlq.semantic.states import states_of
from tests.nlq.profiles import Data
from tests.nlq.schemas import by, plan_over, rows_of, table

PERMITS = table(
    "licencas",
    {
        "Proc.": "key",
        "Entrada": "day",
        "Fase": "Nova,Em apreciação,A aguardar parecer,Arquivada,Anulada",
        "Freguesia": "Bonfim,Cedofeita",
    },
)
LOANS = table(
    "emprestimos",
    {
        "Req.": "key",
        "Data": "day",
        "Estado": "Planned,In transit,Delivered,Cancelled",
        "Polo": "A,B",
    },
)
BILLS = table(
    "faturas",
    {"Fat.": "key", "Emissão": "day", "Status": "offen,teilbezahlt,bezahlt", "Cliente": "Ana,Rui"},
)
OVENS = table(
    "fornos",
    {"Lote": "key", "Forno": "F1,F2", "TempMín (ºC)": "#180", "TempMéd (ºC)": "#200"},
)
ROADS = table(
    "trocos",
    {"Troço": "key", "Via": "N1,N2", "Speed min": "#30", "Speed avg": "#50", "Speed max": "#90"},
)


@pytest.mark.parametrize(
    ("dataset", "column", "over", "questions"),
    [
        (
            PERMITS,
            "Fase",
            ("Arquivada", "Anulada"),
            (
                "quantas estão em aberto?",
                "quantas ainda estão por fechar?",
                "quantas ainda não foram concluídas?",
                "how many are still unresolved?",
                "how many are not closed yet?",
            ),
        ),
        (
            LOANS,
            "Estado",
            ("Delivered", "Cancelled"),
            (
                "how many are not delivered yet?",
                "quantos ainda não foram entregues?",
                "quantos estão por entregar?",
                "how many are still open?",
            ),
        ),
        (
            BILLS,
            "Status",
            ("bezahlt",),
            ("how many are not fully paid?", "quantas ainda não foram pagas?"),
        ),
    ],
)
def test_what_is_open_is_all_that_is_not_over(
    dataset: Data, column: str, over: tuple[str, ...], questions: tuple[str, ...]
) -> None:
    for question in questions:
        plan = plan_over(dataset, question)
        assert is_count(plan), question
        (made,) = plan.scope.filters
        assert (made.column, {*made.values}, made.relation) == (column, {*over}, "is not"), question


def test_states_that_are_named_are_not_told_from_others_too() -> None:
    slots = Slots()
    slots.filters = {("Fase", "is not"): ["Arquivada"], ("Fase", "is"): ["Nova"]}

    assert slots.all_filters == (Filter("Fase", ("Nova",)),)


def test_a_state_that_nothing_is_known_of_leaves_it_open_which_are_over() -> None:
    odd = table("pedidos", {"Nr": "key", "Estado": "Aberto,Fechado,Xyz"})

    states = states_of(schema_index_of(odd.profile))

    assert states is not None
    assert states.unclear == ("Xyz",)


@pytest.mark.parametrize(
    ("dataset", "question", "kind", "column"),
    [
        (OVENS, "temperatura média", "mean", "TempMéd (ºC)"),
        (OVENS, "average temperature", "mean", "TempMéd (ºC)"),
        (OVENS, "temperatura mínima", "min", "TempMín (ºC)"),
        (OVENS, "média de TempMín", "mean", "TempMín (ºC)"),
        (ROADS, "average speed", "mean", "Speed avg"),
    ],
)
def test_of_the_least_the_mean_and_the_most_the_one_that_is_said_is_meant(
    dataset: Data, question: str, kind: str, column: str
) -> None:
    measure = Measure(kind, column)  # type: ignore[arg-type]

    assert plan_over(dataset, question) == Number(rows_of(dataset), measure)
    group = "Forno" if dataset is OVENS else "Via"
    assert plan_over(dataset, f"{question} por {group}") == by(dataset, group, measure)
