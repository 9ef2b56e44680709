"""Kinds of questions on several dates of a row: percentiles between two, and that of the row."""

from datetime import date, datetime, timedelta

import pytest

from qhub_desktop.nlq.query_ast import (
    GroupBy,
    Number,
    query_of,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import understood

_ROWS = 60
_OPENED = [datetime(2026, 2, 2, 8) + timedelta(hours=31 * place) for place in range(_ROWS)]
_CLOSED = [opened + timedelta(hours=2 + n * 11 % 90) for n, opened in enumerate(_OPENED)]


def _tickets(name: str, *columns: str) -> Data:
    key, kind, opened, closed = columns
    return data(
        name,
        {
            key: ("text", [f"K-{100 + place}" for place in range(_ROWS)]),
            kind: ("category", [("Norte", "Sul", "Leste")[place % 3] for place in range(_ROWS)]),
            opened: ("datetime", [*_OPENED]),
            closed: ("datetime", [*_CLOSED]),
        },
    )


def test_a_percentile_of_times_is_no_median() -> None:
    repairs = _tickets("pedidos", "N.º", "Zona", "Dt. Abertura", "Dt. Fecho")
    cases = _tickets("tickets", "ticketId", "region", "openedAt", "closedAt")
    for table, question, quantile in (
        (repairs, "percentil 90 do tempo entre a abertura e o fecho", 0.9),
        (repairs, "p95 do tempo da abertura ao fecho", 0.95),
        (repairs, "p90 do tempo entre a abertura e o fecho por zona", 0.9),
        (cases, "90th percentile of the time between opening and closing", 0.9),
        (cases, "p75 of the time from opening to closing", 0.75),
    ):
        plan = understood(question, schema_index_of(table.profile))
        assert isinstance(plan, Number | GroupBy), (question, plan)
        measure = plan.measure
        assert (measure.kind, measure.quantile) == ("percentile", quantile), question


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("dt_ult_visita", "dt_entrada"),
        ("lastVisitDate", "arrivalDate"),
        ("Próxima visita", "Data"),
        ("prev_visit", "visit_date"),
    ],
)
def test_the_day_of_what_came_before_is_not_that_of_the_row(other: str, own: str) -> None:
    table = data(
        "visitas",
        {
            "id": ("text", [f"V-{place}" for place in range(_ROWS)]),
            other: ("date", [date(2025, 1, 1) + timedelta(days=n) for n in range(_ROWS)]),
            own: ("date", [date(2026, 1, 1) + timedelta(days=n) for n in range(_ROWS)]),
        },
    )
    index = schema_index_of(table.profile)
    assert index.date_column == own
    plan = understood("quantas visitas em janeiro", index)
    assert plan is not None
    period = query_of(plan).scope.period  # type: ignore[arg-type]
    assert period is not None
    assert period.column == own
