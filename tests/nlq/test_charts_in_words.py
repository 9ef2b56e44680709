"""Charts in words: each kind is understood however the words before it stand."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

import qhub_desktop.charts.catalogue  # noqa: F401  registers the charts
from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.query_ast import AsChart
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import data
from tests.nlq.schemas import understood

KINDS = [
    (each.name, phrase)
    for each in chart_kinds()
    for phrase in each.words["pt"].split(", ")
    if phrase.startswith("grafico de ")
    and each.name not in ("scatter", "box")  # which ask for more
]


@pytest.mark.parametrize("before", ["num", "em", "no"])
@pytest.mark.parametrize(("kind", "phrase"), KINDS)
def test_a_kind_of_chart_is_understood_behind_a_preposition(
    kind: str, phrase: str, before: str
) -> None:
    days = [date(2026, 3, 1) + timedelta(days=n % 9) for n in range(60)]
    numbers = [80 + n % 17 for n in range(60)]
    columns: dict[str, tuple[ColumnType, Sequence[Cell]]]
    columns = {"data": ("date", days), "espessura": ("number", numbers)}
    index = schema_index_of(data("peças", columns).profile)

    plan = understood(f"espessura por dia {before} {phrase}", index)

    assert isinstance(plan, AsChart), plan
    assert plan.kind == kind
    assert plan.of == understood("espessura por dia", index)
