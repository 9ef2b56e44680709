"""Two spans of time in one question: compared, shared, and what lies between them left out."""

from datetime import date

import pytest

from qhub_desktop.nlq.query_ast import (
    GroupBy,
    Period,
    is_count,
)
from tests.nlq.driver import interpret_all
from tests.nlq.profiles import demo

TODAY = date(2026, 2, 20)
LOG = demo().profile  # of February 2026


def feb(first: int, last: int) -> tuple[date, date]:
    return date(2026, 2, first), date(2026, 2, last)


@pytest.mark.parametrize(
    ("question", "days", "but", "grain"),
    [
        ("defeitos da semana 6 e da semana 8", feb(2, 22), feb(9, 15), "week"),
        ("defeitos da semana 8 e da semana 6", feb(2, 22), feb(9, 15), "week"),
        ("defeitos da semana 6 e da semana 7", feb(2, 15), None, "week"),
        ("defeitos de 3 a 5 de fevereiro e de 10 a 12 de fevereiro", feb(3, 12), feb(6, 9), "day"),
        ("defeitos de 2 a 7 de fevereiro e de 16 a 21 de fevereiro", feb(2, 21), feb(8, 15), "day"),
        (
            "defeitos de 2 a 8 de fevereiro e de 16 a 22 de fevereiro",
            feb(2, 22),
            feb(9, 15),
            "week",
        ),
        ("defeitos a 3 de fevereiro e a 5 de fevereiro", feb(3, 5), feb(4, 4), "day"),
        ("defeitos a 3 de fevereiro e a 4 de fevereiro", feb(3, 4), None, "day"),
        ("defects in January and February", (date(2026, 1, 1), date(2026, 2, 28)), None, "month"),
    ],
)
def test_two_spans_are_compared_without_the_days_between_them(
    question: str, days: tuple[date, date], but: tuple[date, date] | None, grain: str
) -> None:
    plan = interpret_all([(question, TODAY)], [LOG]).plan

    assert isinstance(plan, GroupBy)
    assert plan.scope.period == Period("data", *days, but=but)
    assert (plan.dimension.column, plan.dimension.grain) == ("data", grain)


def test_a_span_within_another_is_what_both_share() -> None:
    plan = interpret_all([("defeitos na última semana de fevereiro", TODAY)], [LOG]).plan

    assert is_count(plan)
    assert plan.scope.period == Period("data", *feb(22, 28))


def test_all_days_of_the_week_are_compared_and_some_are_selected() -> None:
    every, weekend = (
        interpret_all([(question, TODAY)], [LOG]).plan
        for question in ("defeitos durante a semana e ao fim de semana", "ao fim de semana")
    )

    assert isinstance(every, GroupBy)
    assert (every.scope.filters, every.dimension.grain) == ((), "weekday")
    assert is_count(weekend)
    assert [(each.values, each.grain) for each in weekend.scope.filters] == [((6, 7), "weekday")]
