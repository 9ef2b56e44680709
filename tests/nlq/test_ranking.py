"""What a question is parted into, ranked by and limited to, where it does not say all of it."""

from datetime import date, timedelta

import pytest

from qhub_desktop.nlq.grouping import grain_for
from qhub_desktop.nlq.query_ast import Period, Rows, RowSelection
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.driver import interpret_all
from tests.nlq.profiles import demo, measurements

FIRST = date(2026, 1, 1)


@pytest.mark.parametrize(
    ("days", "grain"),
    [(0, "day"), (62, "day"), (63, "week"), (400, "week"), (401, "month")],
)
def test_a_longer_period_is_parted_more_coarsely(days: int, grain: str) -> None:
    period = Period("data", FIRST, FIRST + timedelta(days=days))

    assert grain_for(schema_index_of(demo().profile), period) == grain


def test_a_period_without_an_end_goes_to_the_last_day_of_the_data() -> None:
    index = schema_index_of(demo().profile)  # of February 2026

    assert grain_for(index, None) == "day"
    assert grain_for(index, Period("data", date(2025, 6, 1), None)) == "week"
    assert grain_for(index, Period("data", date(2020, 1, 1), None)) == "month"


@pytest.mark.parametrize(("word", "order"), [("baixo", "least"), ("alto", "most")])
def test_a_number_of_rows_is_ranked_by_the_one_number_named(word: str, order: str) -> None:
    asked = [(f"as 5 medições com brilho mais {word}", FIRST)]

    plan = interpret_all(asked, [measurements().profile]).plan

    assert plan == Rows(RowSelection("measurements"), 5, order, "Gloss")  # type: ignore[arg-type]
