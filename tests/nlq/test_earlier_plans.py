"""Plans that earlier versions stored: read as what they are today, for good."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Profile,
    RowSelection,
    Several,
    Spread,
    plan_from_json,
    plan_to_json,
    top,
)
from tests.store.homes.make import HERE

# As versions up to 1.0 wrote them: each field of each part.
ROWS: JsonObject = {
    "dataset": "defeitos",
    "filters": [
        {
            "column": "turno",
            "values": ["noite"],
            "relation": "is",
            "grain": "",
            "other": "",
            "since": "",
            "unit": "",
        }
    ],
    "period": {
        "column": "data",
        "start": {"date": "2026-02-01"},
        "end": {"date": "2026-02-10"},
        "said": "",
        "but": None,
    },
}
RACK: JsonObject = {"column": "rack", "grain": ""}
SHIFT: JsonObject = {"column": "turno", "grain": ""}
SCOPE = RowSelection(
    "defeitos",
    (Filter("turno", ("noite",)),),
    Period("data", date(2026, 2, 1), date(2026, 2, 10)),
)


def earlier(kind: str, **fields: Json) -> JsonObject:
    """A query as it was stored."""
    return {"type": kind, "scope": ROWS, **fields}


TOP = earlier("top", dimension=RACK, n=5, order="least", is_share=True, within=None)
TOP_WITHIN = earlier("top", dimension=RACK, n=1, order="most", is_share=False, within=SHIFT)
BY_SHIFT = earlier("by_shift", dimension=SHIFT, is_share=False)

MEAN: JsonObject = {
    "kind": "mean",
    "column": "custo",
    "over": "",
    "part": [],
    "quantile": 0.5,
    "amount": "",
    "since": "",
    "unit": "",
}
COUNT = earlier("count", is_share=False, noun="defeitos")
SHARE = earlier("count", is_share=True, noun="")
MEASURE = earlier("measure", measure=MEAN)

QUERIES: list[tuple[JsonObject, Any]] = [
    (
        earlier("values", columns=["custo", "tempo"], dimension=None),
        Spread(SCOPE, ("custo", "tempo")),
    ),
    (
        earlier("values", columns=["custo"], dimension=RACK),
        Spread(SCOPE, ("custo",), Dimension("rack")),
    ),
    (earlier("distinct", column="rack"), Spread(SCOPE, ("rack",), shows="distinct")),
    (earlier("summary", column="custo"), Spread(SCOPE, ("custo",), shows="summary")),
    (earlier("outliers", column="custo"), Spread(SCOPE, ("custo",), shows="outliers")),
    (
        earlier("correlation", columns=["custo", "tempo"]),
        Spread(SCOPE, ("custo", "tempo"), shows="correlation"),
    ),
    (earlier("missing"), Profile(SCOPE, "missing")),
    (earlier("duplicates"), Profile(SCOPE, "duplicates")),
    (COUNT, Number(SCOPE, noun="defeitos")),
    (SHARE, Number(SCOPE, is_share=True)),
    (MEASURE, Number(SCOPE, Measure("mean", "custo"))),
    (TOP, top(SCOPE, Dimension("rack"), 5, "least", is_share=True)),
    (TOP_WITHIN, top(SCOPE, Dimension("rack"), 1, within=Dimension("turno"))),
    (BY_SHIFT, GroupBy(SCOPE, Dimension("turno"))),
    (
        earlier("by_shift", dimension=SHIFT, is_share=True),
        GroupBy(SCOPE, Dimension("turno"), is_share=True),
    ),
]


@pytest.mark.parametrize(("stored", "plan"), QUERIES, ids=lambda each: str(each)[:40])
def test_a_query_of_an_earlier_version_is_read(stored: JsonObject, plan: DataPlan) -> None:
    assert plan_from_json(stored) == plan
    assert plan_from_json(plan_to_json(plan)) == plan


@pytest.mark.parametrize(("stored", "query"), QUERIES, ids=lambda each: str(each)[:40])
def test_a_query_of_an_earlier_version_is_read_in_every_form(
    stored: JsonObject, query: Any
) -> None:
    chart: JsonObject = {"type": "chart", "of": stored, "kind": "pie", "is_new": False}
    assert plan_from_json(chart) == AsChart(query, "pie", is_new=False)
    assert plan_from_json({"type": "table", "of": stored}) == AsTable(query)
    workbook: JsonObject = {"type": "workbook", "of": stored, "kind": None}
    assert plan_from_json(workbook) == AsWorkbook(query)
    page: JsonObject = {"type": "dashboard", "of": [stored, stored]}
    assert plan_from_json(page) == AsDashboard((query, query))


def test_numbers_of_an_earlier_version_are_read_wherever_they_stood() -> None:
    count, mean = Number(SCOPE, noun="defeitos"), Number(SCOPE, Measure("mean", "custo"))
    assert plan_from_json({"type": "kpi", "of": MEASURE}) == AsKpi(mean)
    pair: JsonObject = {"type": "comparison", "first": COUNT, "second": MEASURE}
    assert plan_from_json(pair) == Comparison(count, mean)
    several: JsonObject = {"type": "several", "of": [COUNT, TOP, pair]}
    ranking = top(SCOPE, Dimension("rack"), 5, "least", is_share=True)
    assert plan_from_json(several) == Several((count, ranking, Comparison(count, mean)))
    study: JsonObject = {
        "type": "study",
        "of": COUNT,
        "tool": "carta_controlo",
        "given": [["tipo", "p"]],
    }
    assert plan_from_json(study) == AsStudy(count, "carta_controlo", (("tipo", "p"),))


def plans_in(kept: Json) -> Iterator[JsonObject]:
    """Every plan of data in what a data folder keeps: of answers, and of each choice in them."""
    match kept:
        case dict():
            if isinstance(plan := kept.get("plan"), dict) and plan.get("type") not in (None, "ask"):
                yield plan
            for each in kept.values():
                yield from plans_in(each)
        case list():
            for each in kept:
                yield from plans_in(each)


@pytest.mark.parametrize("home", sorted(path.stem for path in HERE.glob("schema_*.json")))
def test_every_plan_in_a_data_folder_of_an_earlier_version_is_read(home: str) -> None:
    stored = [*plans_in(json.loads((HERE / f"{home}.json").read_text(encoding="utf-8")))]

    kinds = set()
    for plan in stored:
        read = plan_from_json(plan)
        assert plan_from_json(plan_to_json(read)) == read
        kinds.add(type(read))
    assert kinds >= {Number, GroupBy, AsChart}
