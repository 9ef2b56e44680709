"""Comparisons and bare numbers in a question, and the column that each is about."""

from datetime import date

import pytest

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.nlq.query_ast import (
    Ask,
    Filter,
    GroupBy,
    Period,
    Plan,
    Rows,
    Unknown,
    is_count,
)
from tests.nlq.driver import interpret_all
from tests.nlq.profiles import demo, measurements, production
from tests.nlq.schemas import plan_over

TODAY = date(2026, 2, 20)
LOG = demo().profile  # of February 2026, positions 1 to 10
GLOSS, FILM = "Gloss", "Thickness (µm)"


def plan_of(question: str, profile: DatasetProfile = LOG) -> Plan | None:
    return interpret_all([(question, TODAY)], [profile]).plan


def at(relation: str, *numbers: float) -> Filter:
    return Filter("posicao", numbers, relation)  # type: ignore[arg-type]  # spelled by the case


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("defeitos na posição 5 ou mais", at("at least", 5)),
        ("defeitos com posição maior ou igual a 5", at("at least", 5)),
        ("defeitos na posição entre 4 e 2", at("between", 2, 4)),
        ("defeitos nas posições 2 a 4", at("between", 2, 4)),
        ("defeitos na posição 2 a", at("is", 2)),  # a range that breaks off
        ("defeitos acima de 7", at("above", 7)),
        ("defeitos acima de 10", at("above", 10)),
        ("defeitos abaixo de 1", at("below", 1)),
        ("defeitos entre 3 e 29", at("between", 3, 29)),  # February 2026 has no 29th
    ],
)
def test_a_comparison_selects_rows_by_the_column_that_holds_such_numbers(
    question: str, wanted: Filter
) -> None:
    plan = plan_of(question)

    assert is_count(plan)
    assert plan.scope.filters == (wanted,)


def test_a_number_that_no_column_holds_is_unknown() -> None:
    assert plan_of("defeitos acima de 11") == Unknown("value", ("acima de 11",))


@pytest.mark.parametrize(("first", "last"), [(3, 5), (3, 28), (1, 2)])
def test_numbers_that_could_be_days_are_asked_about(first: int, last: int) -> None:
    plan = plan_of(f"defeitos entre {first} e {last}")

    assert isinstance(plan, Ask)
    of_positions, of_days = (reading for _label, reading in plan.readings)
    assert is_count(of_positions)
    assert of_positions.scope.filters == (at("between", first, last),)
    assert is_count(of_days)
    assert of_days.scope.period == Period("data", date(2026, 2, first), date(2026, 2, last))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("medições com mais de 33 de espessura", [Filter(FILM, (33.0,), "above")]),
        (
            "medições com brilho abaixo de 82 e espessura acima de 33",
            [Filter(GLOSS, (82.0,), "below"), Filter(FILM, (33.0,), "above")],
        ),
    ],
)
def test_each_comparison_belongs_to_the_column_beside_it(
    question: str, wanted: list[Filter]
) -> None:
    plan = plan_of(question, measurements().profile)

    assert isinstance(plan, Rows)  # whose number is told, too
    assert list(plan.scope.filters) == wanted


def test_a_count_of_rows_compares_groups_and_an_amount_compares_rows() -> None:
    of_groups = plan_of("racks com pelo menos 10 defeitos")
    of_rows = plan_over(production(), "máquinas com menos de 100 peças produzidas")

    assert isinstance(of_groups, GroupBy)
    assert of_groups.having == Filter("", (10.0,), "at least")
    assert isinstance(of_rows, GroupBy | Rows)
    assert not isinstance(of_rows, GroupBy) or of_rows.having is None
    assert of_rows.scope.filters == (Filter("Peças produzidas", (100.0,), "below"),)


MORNING = Filter("turno", ("manha",))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("defeitos exceto posição acima de 7", [at("at most", 7)]),
        ("defeitos sem posição acima de 7", [at("at most", 7)]),
        ("defects except position above 7", [at("at most", 7)]),
        ("defeitos que não têm posição maior ou igual a 7", [at("below", 7)]),
        ("defeitos exceto posição abaixo de 3", [at("at least", 3)]),
        ("defeitos exceto acima da posição 7", [at("at most", 7)]),
        ("defeitos exceto acima de 7", [at("at most", 7)]),
        ("defeitos exceto posição entre 3 e 5", [at("outside", 3, 5)]),
        ("defeitos sem posição", [Filter("posicao", (), "missing")]),
        # The exception ends at a preposition before another column.
        ("defeitos exceto posição acima de 7 no turno da manhã", [at("at most", 7), MORNING]),
        ("defects except position above 7 in the morning shift", [at("at most", 7), MORNING]),
        (
            "defects except dirt in the morning shift",
            [Filter("tipo_defeito", ("lixo",), "is not"), MORNING],
        ),
        (
            "defeitos exceto lixo com posição acima de 7",
            [Filter("tipo_defeito", ("lixo",), "is not"), at("above", 7)],
        ),
    ],
)
def test_what_is_excepted_by_a_comparison_is_the_opposite_comparison(
    question: str, wanted: list[Filter]
) -> None:
    plan = plan_of(question)

    assert is_count(plan)
    assert set(plan.scope.filters) == set(wanted)


def test_groups_are_excepted_by_their_count() -> None:
    plan = plan_of("racks exceto mais de 10 defeitos")

    assert isinstance(plan, GroupBy)
    assert plan.having == Filter("", (10.0,), "at most")


@pytest.mark.parametrize(
    "question",
    ["turno da manhã e rack R12 ou turno da tarde", "defeitos de lixo ou posição acima de 7"],
)
def test_an_or_between_conditions_on_two_columns_is_not_passed_over(question: str) -> None:
    assert plan_of(question) == Unknown("value", ("ou",))
