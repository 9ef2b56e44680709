"""Whole plans of a question, weighed against each other: kinds of questions over several schemas.

None of the tables is of a paint shop, so that the words of the plant's log explain nothing here.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import permutations

import pytest

from qhub_desktop.nlq.dialogue.candidates import candidates
from qhub_desktop.nlq.dialogue.selection import Weighed, choose
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Plan,
    Relation,
    Rows,
    RowSelection,
    Several,
    Unknown,
    distinct,
    is_count,
)
from qhub_desktop.nlq.question import question_over
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from qhub_desktop.nlq.semantic.candidate import Candidate, compared
from tests.nlq.profiles import data
from tests.nlq.schemas import APRIL, MARCH, TODAY

DAYS = [date(2026, 1, 1) + timedelta(days=place) for place in range(120)]


@dataclass(frozen=True)
class Schema:
    """A table with one column of each sort, and what a person calls them."""

    index: SchemaIndex
    row: str
    rows: str
    entity: str  # column of names
    entities: str  # as a person says them
    amount: str  # column of amounts that are added up
    amounts: str
    value: str  # a name in `entity`
    day: str

    @property
    def scope(self) -> RowSelection:
        return RowSelection(self.index.profile.dataset)


def _schema(
    dataset: str,
    rows: tuple[str, str],
    entity: tuple[str, str],
    amount: tuple[str, str],
    names: tuple[str, ...],
    key: str,
    day: str,
) -> Schema:
    made = data(
        dataset,
        {
            key: ("text", [f"{dataset[:2].upper()}-{1000 + place}" for place in range(120)]),
            day: ("date", DAYS),
            entity[0]: ("category", [names[place % len(names)] for place in range(120)]),
            amount[0]: ("number", [place * 37 % 101 + 0.5 for place in range(120)]),
        },
    )
    return Schema(schema_index_of(made.profile), *rows, *entity, *amount, names[1], day)


SCHEMAS = (
    _schema(
        "entregas",
        ("entrega", "entregas"),
        ("Transportadora", "transportadoras"),
        ("Peso (kg)", "peso"),
        ("Norvia", "Rotalis", "Cargonor"),
        "N.º Entrega",
        "Data",
    ),
    _schema(
        "faturas",
        ("fatura", "faturas"),
        ("Fornecedor", "fornecedores"),
        ("Montante", "montante"),
        ("Alfagest", "Betalux", "Gamatex", "Deltafil"),
        "Fatura",
        "Emissão",
    ),
    _schema(
        "paragens",
        ("paragem", "paragens"),
        ("Máquina", "máquinas"),
        ("Minutos", "minutos"),
        ("Torno", "Fresa", "Serra", "Prensa"),
        "Registo",
        "Dia",
    ),
    _schema(
        "consumos",
        ("leitura", "leituras"),
        ("Edifício", "edifícios"),
        ("Consumo (kWh)", "consumo"),
        ("Sede", "Armazém", "Refeitório"),
        "ID leitura",
        "Data leitura",
    ),
)
TWO_MONTHS = "compara {} total de março com abril", "{} total em março e abril"
OVER_ALL = pytest.mark.parametrize("schema", SCHEMAS, ids=lambda each: each.index.profile.dataset)


def understood(question: str, schema: Schema) -> Plan | None:
    return interpret(question, INITIAL_STATE, [schema.index], today=TODAY).plan


@OVER_ALL
def test_an_amount_is_added_up_over_groups(schema: Schema) -> None:
    expected = GroupBy(schema.scope, Dimension(schema.entity), Measure("sum", schema.amount))

    assert understood(f"{schema.amounts} por {schema.entity}", schema) == expected
    assert understood(f"total {schema.amounts} by {schema.entity}", schema) == expected


@OVER_ALL
@pytest.mark.parametrize("form", ["top 2 {} por {}", "as 2 {} com mais {}", "top 2 {} by {}"])
def test_groups_are_ranked_by_the_sum_of_an_amount(schema: Schema, form: str) -> None:
    plan = understood(form.format(schema.entities, schema.amounts), schema)

    by = Dimension(schema.entity)
    assert plan == GroupBy(schema.scope, by, Measure("sum", schema.amount), n=2, order="most")


@OVER_ALL
@pytest.mark.parametrize("form", ["quantas {} há?", "how many {} are there?"])
def test_a_column_that_is_counted_has_its_values_counted(schema: Schema, form: str) -> None:
    plan = understood(form.format(schema.entities), schema)

    assert plan == distinct(schema.scope, schema.entity)


@OVER_ALL
def test_a_row_is_found_by_its_amount(schema: Schema) -> None:
    plan = understood(f"qual a {schema.row} com mais {schema.amounts}?", schema)

    assert plan == Rows(schema.scope, 1, "most", schema.amount)


@OVER_ALL
def test_the_order_of_the_parts_does_not_decide(schema: Schema) -> None:
    parts = f"média de {schema.amounts}", f"da {schema.value}", "em março"
    plans = {understood(", ".join(each), schema) for each in permutations(parts)}

    rows = replace(
        schema.scope,
        filters=(Filter(schema.entity, (schema.value,)),),
        period=Period(schema.day, *MARCH),
    )
    assert plans == {Number(rows, Measure("mean", schema.amount))}


@OVER_ALL
@pytest.mark.parametrize(
    "form", ["compara {} total de março com abril", "{} total em março e abril"]
)
def test_two_periods_are_two_totals(schema: Schema, form: str) -> None:
    plan = understood(form.format(schema.amounts), schema)

    total = Measure("sum", schema.amount)
    march, april = (
        Number(replace(schema.scope, period=Period(schema.day, *each)), total)
        for each in (MARCH, APRIL)
    )
    assert plan == Comparison(march, april)


@OVER_ALL
def test_rows_and_an_amount_are_both_told(schema: Schema) -> None:
    for question in (
        f"quantas {schema.rows} e que {schema.amounts} total?",
        f"quantos registos há e qual é o total de {schema.amounts}?",
    ):
        plan = understood(question, schema)

        assert isinstance(plan, Several), question
        counted, total = plan.of
        assert is_count(counted), question
        assert total == Number(schema.scope, Measure("sum", schema.amount)), question


def test_what_the_file_is_called_by_is_counted_as_rows() -> None:
    made = data(
        "apertos_linha",
        {
            "Binário (Nm)": ("number", [place / 7 for place in range(60)]),
            "Posto": ("category", ["E10", "E20"] * 30),
        },
    )
    scope = RowSelection("apertos_linha")

    state = interpret(
        "quantos apertos por posto?", INITIAL_STATE, [schema_index_of(made.profile)], today=TODAY
    )

    assert state.plan == GroupBy(scope, Dimension("Posto"))


@OVER_ALL
def test_a_word_that_stands_nowhere_speaks_against_every_plan(schema: Schema) -> None:
    known = _weighed(f"total de {schema.amounts} por {schema.entity}", schema)
    odd = _weighed(f"total de {schema.amounts} zurbado por {schema.entity}", schema)

    assert not known[0].left
    assert odd[0].cost > known[0].cost + 0.3


@OVER_ALL
def test_the_cheapest_plan_comes_first(schema: Schema) -> None:
    found = _weighed(f"{schema.amounts} por mês da {schema.value}", schema)

    assert len(found) > 1
    assert [each.cost for each in found] == sorted(each.cost for each in found)


SCHEMA = SCHEMAS[0]
TOTAL = Number(SCHEMA.scope, Measure("sum", SCHEMA.amount))
MEAN = Number(SCHEMA.scope, Measure("mean", SCHEMA.amount))
MEDIAN = Number(SCHEMA.scope, Measure("median", SCHEMA.amount))


@pytest.mark.parametrize(
    ("plan", "costs", "expected"),
    [
        (TOTAL, (0.1, 0.9), TOTAL),  # both ways of reading come to it
        (TOTAL, (1.5, 1.9), TOTAL),  # and are trusted far
        (TOTAL, (9.0, 9.9), Unknown()),  # but not where much speaks against it
        (MEAN, (0.1, 1.9), TOTAL),  # a rival leads far
        (MEAN, (1.3, 1.9), Ask("", (("", TOTAL), ("", MEAN)))),  # two ways, none sure
        (Unknown(), (0.1, 1.9), Ask("", (("", TOTAL),))),  # one way alone
        (Unknown(), (9.0, 9.9), Unknown()),
        (Unknown(), (0.1, 0.1), Ask("", (("", TOTAL), ("", MEDIAN)))),  # none leads
    ],
)
def test_a_plan_leads_or_the_person_is_asked(
    plan: Plan, costs: tuple[float, float], expected: Plan
) -> None:
    found = [Candidate(TOTAL, costs[0]), Candidate(MEDIAN, costs[1])]
    frame = parse(question_over("total", SCHEMA.index, "pt", TODAY))

    _, chosen = choose(frame, plan, found)

    assert chosen == expected


@pytest.mark.parametrize(
    ("missing", "told"),
    [(("peso", "zurbado"), Unknown("value", ("zurbado",))), (("peso",), Unknown())],
)
def test_a_word_that_is_known_is_not_told_as_missing(missing: tuple[str, ...], told: Plan) -> None:
    (best, *_) = _weighed("total de peso zurbado por transportadora", SCHEMA)
    frame = parse(question_over("total", SCHEMA.index, "pt", TODAY))

    _, chosen = choose(frame, Unknown("value", missing), [replace(best, cost=9.0)])

    assert chosen == told


def test_what_only_names_the_rows_is_one_plan() -> None:
    named, bare = Number(SCHEMA.scope, noun="entregas"), Number(SCHEMA.scope)

    assert compared(named) == compared(bare)
    assert compared(TOTAL) != compared(MEAN)


@pytest.mark.parametrize("relation", ["above", "below", "is", "missing"])
def test_that_a_compared_cell_is_filled_makes_no_other_plan(relation: Relation) -> None:
    late = Filter(SCHEMA.day, (), relation, other="prometida")
    filled = Filter(SCHEMA.day, (), "present")
    plans = [
        Number(replace(SCHEMA.scope, filters=filters)) for filters in ((filled, late), (late,))
    ]

    weighed = Weighed("agreed", tuple(Candidate(each, 0.1) for each in plans), SCHEMA.index)

    assert weighed.leads is (relation != "missing")


def _weighed(question: str, schema: Schema) -> tuple[Candidate, ...]:
    """Return the plans of a question that follows no other."""
    asked = question_over(question, schema.index, "pt", TODAY)
    return candidates(asked, lambda frame, plan: None)
