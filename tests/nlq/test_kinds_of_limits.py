"""Kinds of questions about limits and targets, the last rows of each, and columns of one name."""

from datetime import date, timedelta

import pytest

from qhub_desktop.core.table import Cell
from qhub_desktop.nlq.query_ast import (
    Ask,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Rows,
    RowSelection,
    Several,
    is_count,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from tests.nlq.profiles import data
from tests.nlq.schemas import at_once, understood

N = 60
DAYS: list[Cell] = [date(2025, 3, 3) + timedelta(days=2 * place) for place in range(N)]


def _keys(start: str) -> list[Cell]:
    return [f"{start}{200 + place}" for place in range(N)]


def _of(*names: str) -> list[Cell]:
    return [names[place * 7 % 11 % len(names)] for place in range(N)]


def _numbers(least: int, most: int) -> list[Cell]:
    return [least + place * 37 % (most - least) + 0.5 for place in range(N)]


STOCK = schema_index_of(
    data(
        "armazem_tintas",
        {
            "lotNo": ("text", _keys("L")),
            "receivedOn": ("date", DAYS),
            "productName": ("category", _of("Verniz", "Diluente", "Primário")),
            "qtyIn_kg": ("number", _numbers(20, 90)),
            "qtyOnHand_kg": ("number", _numbers(0, 60)),
            "minStock_kg": ("number", _numbers(5, 40)),
            "unitPrice_EUR": ("number", _numbers(2, 30)),
        },
    ).profile
)
ROUTES = schema_index_of(
    data(
        "rotas",
        {
            "Rota": ("text", _keys("R")),
            "Data": ("date", DAYS),
            "Motorista": ("category", _of("Rita", "Bruno", "Telma")),
            "Cidade": ("category", _of("Braga", "Faro", "Viseu")),
            "Dist_km": ("number", [float(5 * (1 + place % 8)) for place in range(N)]),
            "tempo_prev_min": ("number", _numbers(30, 120)),
            "tempo_real_min": ("number", _numbers(25, 150)),
        },
    ).profile
)
GAUGES = schema_index_of(
    data(
        "medidas",
        {
            "id": ("text", _keys("M")),
            "data": ("date", DAYS),
            "Operador": ("category", _of("Ivo", "Neide", "Jonas")),
            "Peça": ("category", _of("PX-1", "PX-2", "PX-3", "PX-4")),
            **{f"D{n}": ("number", _numbers(20 + n, 60 + n)) for n in range(1, 5)},
            "Target_um": ("number", _numbers(38, 41)),
            "LSL_um": ("number", _numbers(28, 31)),
            "USL_um": ("number", _numbers(52, 55)),
        },
    ).profile
)
OVER = ("tempo_real_min", "tempo_prev_min")


def rows(index: SchemaIndex, *filters: Filter) -> RowSelection:
    """The rows of a table that meet conditions."""
    return RowSelection(index.profile.dataset, filters)


def _against(column: str, relation: str, limit: str) -> Filter:
    return Filter(column, (), relation, other=limit)  # type: ignore[arg-type]


def _sum(index: SchemaIndex, name: str, *filters: Filter) -> Number:
    return Number(rows(index, *filters), Measure("sum", name))


def _is(column: str, *values: str | float) -> Filter:
    return Filter(column, values)


def _mean(index: SchemaIndex, name: str) -> Number:
    return Number(rows(index), Measure("mean", name))


LATE = _against(*OVER[:1], "above", OVER[1])
BY = Measure("mean", OVER[0], since=OVER[1], unit="difference")
D_BY = Measure("mean", "D1", since="Target_um", unit="difference")


WHAT_IS_IS_MEASURED_RATHER_THAN_WHAT_SHOULD_BE: list[tuple[SchemaIndex, DataPlan, list[str]]] = [
    (
        STOCK,
        _sum(STOCK, "qtyOnHand_kg", _is("productName", "Verniz")),
        ["stock de Verniz", "kg em stock de Verniz", "total stock of Verniz"],
    ),
    (
        ROUTES,
        _mean(ROUTES, OVER[0]),
        ["tempo médio", "qual o tempo médio por favor", "average time", "minutos em média"],
    ),
    (
        ROUTES,
        _mean(ROUTES, OVER[1]),
        ["tempo previsto médio", "average planned time", "média do tempo previsto"],
    ),
]


def test_what_is_is_measured_rather_than_what_should_be() -> None:
    for index, plan, questions in WHAT_IS_IS_MEASURED_RATHER_THAN_WHAT_SHOULD_BE:
        for each in questions:
            assert understood(each, index) == plan, each


@pytest.mark.parametrize(
    ("index", "wanted", "questions"),
    [
        (
            STOCK,
            _against("qtyOnHand_kg", "below", "minStock_kg"),
            [
                "quantas linhas abaixo do stock mínimo",
                "how many rows are below the minimum stock?",
                "how many rows with qtyOnHand under minStock",
            ],
        ),
        (
            ROUTES,
            LATE,
            [
                "quantas rotas passaram do tempo previsto?",
                "quantas rotas excederam o previsto",
                "how many routes exceeded the planned time",
                "quantas rotas foram além do previsto",
            ],
        ),
        (
            GAUGES,
            _against("D3", "below", "LSL_um"),
            [
                "quantas linhas com D3 abaixo do mínimo",
                "how many rows have D3 below LSL",
                "quantas medidas com D3 abaixo do limite inferior",
            ],
        ),
        (
            GAUGES,
            _against("D2", "above", "USL_um"),
            ["how many rows have D2 over the upper limit", "quantas vezes o D2 passou do máximo"],
        ),
        (
            ROUTES,
            Filter(OVER[0], (20.0,), "above", since=OVER[1], unit="difference"),
            [
                "quantas rotas excederam o previsto em mais de 20 min",
                "how many routes exceeded the planned time by more than 20 minutes",
            ],
        ),
    ],
    ids=["stock", "time", "lower", "upper", "by-how-much"],
)
def test_a_limit_is_what_is_compared_with(
    index: SchemaIndex, wanted: Filter, questions: list[str]
) -> None:
    for each in questions:
        plan = understood(each, index)
        assert is_count(plan), each
        assert plan.scope == rows(index, wanted), each


BY_HOW_MUCH_AND_WHO_REACHED_IT: list[tuple[SchemaIndex, DataPlan, list[str]]] = [
    (
        ROUTES,
        GroupBy(rows(ROUTES), Dimension("Motorista"), BY),
        [
            "desvio médio face ao tempo previsto por motorista",
            "average deviation from planned time by driver",
        ],
    ),
    (
        GAUGES,
        GroupBy(rows(GAUGES), Dimension("Peça"), D_BY),
        ["desvio médio do D1 face ao target, por peça", "avg gap between D1 vs target by part"],
    ),
    (
        ROUTES,
        top(
            rows(ROUTES, _against(OVER[0], "at most", OVER[1])),
            Dimension("Motorista"),
            1,
            "most",
        ),
        ["quem cumpriu mais vezes o tempo previsto?", "quem mais vezes bateu o tempo previsto"],
    ),
]


def test_by_how_much_and_who_reached_it() -> None:
    for index, plan, questions in BY_HOW_MUCH_AND_WHO_REACHED_IT:
        for each in questions:
            assert understood(each, index) == plan, each


@pytest.mark.parametrize(
    ("index", "n", "order", "within", "questions"),
    [
        (
            ROUTES,
            1,
            ("Data", "most"),
            "Motorista",
            ["a última rota de cada motorista", "latest route of each driver"],
        ),
        (ROUTES, 3, ("Data", "most"), "Cidade", ["as últimas 3 rotas de cada cidade"]),
        (GAUGES, 1, ("data", "most"), "Peça", ["última medida por peça", "last reading per part"]),
        (GAUGES, 1, ("data", "least"), "Peça", ["a primeira medida de cada peça"]),
        (
            GAUGES,
            1,
            ("data", "most"),
            "",
            ["quem fez a última medida e qual foi o D2?", "última medida: quem e D2"],
        ),
        (
            ROUTES,
            1,
            (OVER[0], "most"),
            "",
            ["qual a rota mais demorada e de quem é?", "rota mais demorada: em q cidade e quem"],
        ),
    ],
)
def test_the_rows_that_come_first_of_each(
    index: SchemaIndex, n: int, order: tuple[str, str], within: str, questions: list[str]
) -> None:
    for each in questions:
        plan = understood(each, index)
        assert isinstance(plan, Rows), each
        assert (plan.n, (plan.by, plan.order), plan.within) == (n, order, within), each


def test_ranges_of_columns_units_of_values_and_what_is_left() -> None:
    means = tuple(_mean(GAUGES, f"D{n}") for n in range(1, 5))
    for said in ("média de D1 a D4", "mean of D1-D4", "médias D1..D4"):
        assert understood(said, GAUGES) == Several(means), said
    of_ten = rows(ROUTES, _is("Dist_km", 10.0))
    for said in ("quantas rotas de 10 km", "how many routes of 10 km"):
        plan = understood(said, ROUTES)
        assert is_count(plan), said
        assert plan.scope == of_ten, said
    left = rows(STOCK, Filter("qtyOnHand_kg", (0.0,), "above"))
    for said in ("quantos lotes ainda têm stock", "how many lots are still in stock"):
        plan = understood(said, STOCK)
        assert is_count(plan), said
        assert plan.scope == left, said


def test_what_can_not_be_is_no_answer() -> None:
    for said, index in (
        ("total stock value in EUR", STOCK),
        ("rotas com tempo de 10000 min e tempo de 20000", ROUTES),
        ("espessura média por peça", GAUGES),
    ):
        plan = at_once(said, index)
        assert not isinstance(plan, Number | GroupBy | Several), said


@pytest.mark.parametrize(
    ("made", "planned", "questions"),
    [
        (
            "Produzidas",
            "Objetivo",
            ("atingimos o objetivo?", "cumprimos o objetivo", "o objetivo foi atingido?"),
        ),
        (
            "Produção",
            "Produção Prevista",
            ("atingimos a previsão?", "atingimos a produção prevista?", "batemos o previsto?"),
        ),
        (
            "Produced",
            "Planned",
            ("did we meet the plan?", "was the plan met?", "did we reach our forecast?"),
        ),
    ],
)
def test_whether_a_target_was_reached_sets_both_sums_side_by_side(
    made: str, planned: str, questions: tuple[str, ...]
) -> None:
    """The same target in every row is added up with what was made."""
    index = schema_index_of(
        data(
            "linhas",
            {
                "Data": ("date", DAYS),
                "Turno": ("category", _of("A", "B")),
                made: ("integer", [100 + place * 13 % 60 for place in range(N)]),
                "Rejeitadas": ("integer", [place % 7 for place in range(N)]),
                planned: ("integer", [140] * N),
            },
        ).profile
    )
    both = tuple(Number(rows(index), Measure("sum", name)) for name in (made, planned))

    for said in questions:
        assert understood(said, index) == Several(both), said


def test_a_target_alone_is_no_answer_to_how_it_was_met() -> None:
    """A target with nothing beside it that was to reach it."""
    index = schema_index_of(
        data(
            "runs",
            {
                "Run date": ("date", DAYS),
                "Scrap": ("integer", [place % 7 for place in range(N)]),
                "Rework": ("integer", [place % 5 for place in range(N)]),
                "Target rate": ("integer", [20] * N),
            },
        ).profile
    )

    for said in ("did we hit the target?", "compare with the target"):
        assert not isinstance(at_once(said, index), Number | GroupBy | Several), said


def test_what_is_said_of_no_plan_is_not_the_planned_at_once() -> None:
    """A column that is planned is listed for 'produção', and answers for 'produção prevista'."""
    index = schema_index_of(
        data(
            "registos",
            {
                "Data": ("date", DAYS),
                "Turno": ("category", _of("A", "B")),
                "Produção Prevista": ("integer", [100 + place * 13 % 60 for place in range(N)]),
                "Rejeitado": ("integer", [place % 7 for place in range(N)]),
            },
        ).profile
    )
    planned = Measure("sum", "Produção Prevista")
    wanted = GroupBy(rows(index), Dimension("Turno"), planned)

    assert at_once("produção prevista por turno", index) == wanted
    assert isinstance(at_once("produção por turno", index), Ask)
