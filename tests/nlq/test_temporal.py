"""Days found in a question, and what only looks like one."""

from datetime import date

import pytest

from qhub_desktop.nlq.date_units import Calendar
from qhub_desktop.nlq.temporal import days_in
from qhub_desktop.nlq.times_of_day import Hours, hours_in

CALENDAR = Calendar(today=date(2026, 3, 4), last=date(2026, 2, 28))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("quantos em 12/02/2026?", date(2026, 2, 12), date(2026, 2, 12)),
        ("2026-02-12", date(2026, 2, 12), date(2026, 2, 12)),
        ("em 12/2", date(2026, 2, 12), date(2026, 2, 12)),
        ("12.2.2026", date(2026, 2, 12), date(2026, 2, 12)),
        ("no dia 12", date(2026, 2, 12), date(2026, 2, 12)),
        ("12 de fevereiro", date(2026, 2, 12), date(2026, 2, 12)),
        ("February 12th, 2025", date(2025, 2, 12), date(2025, 2, 12)),
        ("em dezembro", date(2025, 12, 1), date(2025, 12, 31)),
        ("em Fevereiro", date(2026, 2, 1), date(2026, 2, 28)),
        ("in May 2025", date(2025, 5, 1), date(2025, 5, 31)),
        ("in 2025", date(2025, 1, 1), date(2025, 12, 31)),
        ("hoje", date(2026, 3, 4), date(2026, 3, 4)),
        ("yesterday", date(2026, 3, 3), date(2026, 3, 3)),
        ("esta semana", date(2026, 3, 2), date(2026, 3, 8)),
        ("na semana 8", date(2026, 2, 16), date(2026, 2, 22)),
        ("last week", date(2026, 2, 23), date(2026, 3, 1)),
        ("este mês", date(2026, 3, 1), date(2026, 3, 31)),
        ("no mês passado", date(2026, 2, 1), date(2026, 2, 28)),
        ("nos últimos 7 dias", date(2026, 2, 26), date(2026, 3, 4)),
        ("the last 2 weeks", date(2026, 2, 19), date(2026, 3, 4)),
        ("entre 2026-02-01 e 2026-02-05", date(2026, 2, 1), date(2026, 2, 5)),
        ("from 5/2 to 1/2", date(2026, 2, 1), date(2026, 2, 5)),
        ("de 1 a 10 de fevereiro", date(2026, 2, 1), date(2026, 2, 10)),
        ("desde 15/02", date(2026, 2, 15), None),
        ("até fevereiro", None, date(2026, 2, 28)),
        ("after 2026-02-10", date(2026, 2, 11), None),
        ("antes de 10/02", None, date(2026, 2, 9)),
        ("antes do dia 10/02", None, date(2026, 2, 9)),
        ("depois do dia 3 de fevereiro", date(2026, 2, 4), None),
        ("after the 3rd of February", date(2026, 2, 4), None),
        ("do dia 3/2 até ao dia 6/2", date(2026, 2, 3), date(2026, 2, 6)),
        ("desde o dia 3 ao dia 6", date(2026, 2, 3), date(2026, 2, 6)),
        ("na segunda quinzena de fevereiro", date(2026, 2, 16), date(2026, 2, 28)),
        ("first week of February", date(2026, 2, 1), date(2026, 2, 7)),
        ("KW 6", date(2026, 2, 2), date(2026, 2, 8)),
        ("este ano", date(2026, 1, 1), date(2026, 12, 31)),
        ("este trimestre", date(2026, 1, 1), date(2026, 3, 31)),
        ("last quarter", date(2025, 10, 1), date(2025, 12, 31)),
        # from the end of a month into the next
        ("de 28 a 3 de fevereiro", date(2026, 1, 28), date(2026, 2, 3)),
        ("de 28 a 3/2", date(2026, 1, 28), date(2026, 2, 3)),
        ("do dia 28 ao dia 3", date(2026, 1, 28), date(2026, 2, 3)),
    ],
)
def test_days_are_found(text: str, first: date | None, last: date | None) -> None:
    (place, span), *_ = days_in(text, CALENDAR)

    assert span == (first, last)
    assert 0 <= place[0] < place[1] <= len(text)


@pytest.mark.parametrize(
    "text", ["30/02/2026", "entre 3 e 6", "top 5", "R12", "may I ask", "de manhã", "por dia"]
)
def test_what_is_no_day_is_left_alone(text: str) -> None:
    assert days_in(text, CALENDAR) == ()


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("depois das 14h", Hours("at least", (14,))),
        ("depois das 14:30", Hours("at least", (14 * 60 + 30,), "minute")),
        ("antes das 6h30", Hours("below", (6 * 60 + 30,), "minute")),
        ("after 2 pm", Hours("at least", (14,))),
        ("after 2:30 pm", Hours("at least", (14 * 60 + 30,), "minute")),
        ("entre as 6h e as 14h", Hours("between", (6, 13))),
        ("das 22:30 às 23:15", Hours("between", (22 * 60 + 30, 23 * 60 + 14), "minute")),
        ("entre as 22h e as 6h", Hours("between", (22, 5))),
        ("das 16h às 0h", Hours("between", (16, 23))),
        ("início 06:00", Hours("is", (6 * 60,), "minute")),
        ("às 06:00", Hours("is", (6 * 60,), "minute")),
        ("turno 06:00-14:00", None),
        ("12/02/2026 06:00:30", None),
    ],
)
def test_times_of_day_are_found_to_the_minute(text: str, hours: Hours | None) -> None:
    place, found = hours_in(text) or ((0, 0), None)

    assert found == hours
    assert 0 <= place[0] <= place[1] <= len(text)
    assert (place[0] < place[1]) == (hours is not None)
