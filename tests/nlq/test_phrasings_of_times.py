"""Phrasings of time: how long rows last, which are open, what is late, the hours of the day."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from qhub_desktop.nlq.query_ast import (
    Ask,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Period,
    Plan,
    Relation,
    Rows,
    RowSelection,
    TimeUnit,
    Unknown,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import at_once, ordered, understood


def work() -> Data:
    """Work orders with the moments when they were opened and closed; some are open."""
    opened = [datetime(2026, 1, 5, 7) + timedelta(hours=13 * place) for place in range(60)]
    closed: list[Any] = [
        None if place % 9 == 4 else begun + timedelta(minutes=20 + place * 37 % 300)
        for place, begun in enumerate(opened)
    ]
    return data(
        "ordens_servico",
        {
            "OS": ("text", [f"OS-{100 + place}" for place in range(60)]),
            "Técnico": ("category", ["Rui", "Ana", "Marta"] * 20),
            "Equipamento": ("category", ["Bomba 1", "Forno", "Robô", "Compressor"] * 15),
            "Prioridade": ("category", ["Alta", "Média", "Baixa"] * 20),
            "Abertura": ("datetime", [*opened]),
            "Fecho": ("datetime", closed),
            "Custo (€)": ("number", [15.5 * place for place in range(60)]),
        },
    )


def parcels() -> Data:
    """Orders with four dates, of which one is that by which they were to be delivered."""
    ordered_on = [date(2025, 9, 1) + timedelta(days=2 * place) for place in range(60)]
    shipped = [day + timedelta(days=1 + place % 5) for place, day in enumerate(ordered_on)]
    delivered: list[Any] = [
        None if place % 8 == 7 else day + timedelta(days=2 + place % 7)
        for place, day in enumerate(shipped)
    ]
    return data(
        "orders",
        {
            "Order No": ("text", [f"A{2000 + place}" for place in range(60)]),
            "Customer": ("category", ["Acme", "Bolt", "Core"] * 20),
            "Order Date": ("date", [*ordered_on]),
            "Ship Date": ("date", [*shipped]),
            "Delivery Date": ("date", delivered),
            "Due Date": ("date", [day + timedelta(days=9) for day in ordered_on]),
            "Carrier": ("category", ["DHL", "UPS"] * 30),
            "Weight (kg)": ("number", [0.5 * (place % 20) for place in range(60)]),
            "Value (EUR)": ("number", [300.0 * place % 17000 for place in range(60)]),
        },
    )


def stops() -> Data:
    """Stops of machines with their reasons, in German."""
    begun = [datetime(2026, 3, 2, 6) + timedelta(hours=5 * place) for place in range(40)]
    return data(
        "stoerungen",
        {
            "Nr.": ("text", [f"P-{100 + place}" for place in range(40)]),
            "Anlage": ("category", ["Presse", "Ofen"] * 20),
            "Beginn": ("datetime", [*begun]),
            "Ende": (
                "datetime",
                [day + timedelta(minutes=4 + place * 37 % 53) for place, day in enumerate(begun)],
            ),
            "Grund": ("category", ["Werkzeug", "Material"] * 20),
        },
    )


def visits() -> Data:
    """Visits with times of day, in Spanish."""
    came = [time(8 + place * 5 % 11, place * 7 % 60) for place in range(48)]
    day = date(2026, 1, 1)
    left = [
        (datetime.combine(day, begun) + timedelta(minutes=15 + place * 11 % 70)).time()
        for place, begun in enumerate(came)
    ]
    return data(
        "visitas",
        {
            "Expediente": ("text", [f"V{place + 1:03d}" for place in range(48)]),
            "Médico": ("category", ["Dr. Gil", "Dra. Sanz", "Dra. Vega"] * 16),
            "Fecha": ("date", [date(2026, 2, 2) + timedelta(days=place) for place in range(48)]),
            "Hora entrada": ("time", [*came]),
            "Hora salida": ("time", [*left]),
            "Sala": ("category", ["A", "B"] * 24),
        },
    )


def accidents() -> Data:
    """Accidents, some of which are still open."""
    days = [date(2025, 6, 1) + timedelta(days=9 * place) for place in range(30)]
    ended: list[Any] = [
        None if place % 6 == 5 else day + timedelta(days=7 + place % 9)
        for place, day in enumerate(days)
    ]
    return data(
        "acidentes",
        {
            "Data": ("date", [*days]),
            "Local": ("category", ["Armazém", "Pintura", "Cais"] * 10),
            "Data de encerramento": ("date", ended),
            "Dias perdidos": ("integer", [place % 6 for place in range(30)]),
        },
    )


def sites() -> Data:
    """Building sites with when they were to begin and to end, and when they did."""
    planned = [date(2025, 3, 10) + timedelta(days=7 * place) for place in range(40)]
    ended: list[Any] = [
        None if place % 7 == 3 else day + timedelta(days=place % 15 - 5)
        for place, day in enumerate(planned)
    ]
    return data(
        "obras",
        {
            "Obra": ("text", [f"Obra {place + 1}" for place in range(40)]),
            "Encarregado": ("category", ["Silva", "Costa"] * 20),
            "Início previsto": ("date", [day - timedelta(days=59) for day in planned]),
            "Fim previsto": ("date", [*planned]),
            "Fim real": ("date", ended),
            "Orçamento (€)": ("number", [5000.0 + place * 700 for place in range(40)]),
        },
    )


TABLES: dict[str, SchemaIndex] = {}
# The columns between which a row lasts, and the unit in which that is told.
SPANS: dict[str, tuple[str, str, TimeUnit]] = {
    "work": ("Abertura", "Fecho", "minutes"),
    "parcels": ("Order Date", "Delivery Date", "days"),
    "stops": ("Beginn", "Ende", "minutes"),
    "visits": ("Hora entrada", "Hora salida", "minutes"),
    "accidents": ("Data", "Data de encerramento", "days"),
    "sites": ("Início previsto", "Fim real", "days"),
}


def index_of(name: str) -> SchemaIndex:
    """What is known of a table, made once."""
    if name not in TABLES:
        made: Data = globals()[name]()
        TABLES[name] = schema_index_of(made.profile)
    return TABLES[name]


def rows(name: str, *filters: Filter, period: Period | None = None) -> RowSelection:
    """The rows of a table that meet conditions, within days."""
    return ordered(RowSelection(index_of(name).profile.dataset, filters, period))


def check(name: str, wanted: Plan, forms: Sequence[str]) -> None:
    """Every form has the same plan."""
    for form in forms:
        assert understood(form, index_of(name)) == wanted, form


def lasting(name: str, kind: MeasureKind, unit: TimeUnit = "") -> Measure:
    """How long rows of a table last."""
    start, end, usual = SPANS[name]
    return Measure(kind, end, since=start, unit=unit or usual)


# How long rows last.


@pytest.mark.parametrize(
    ("name", "kind", "unit", "forms"),
    [
        ("work", "mean", "", ("duração média", "tempo médio entre abertura e fecho")),
        ("work", "median", "", ("duração mediana",)),
        ("work", "max", "", ("duração máxima",)),
        ("work", "sum", "hours", ("duração total das ordens em horas",)),
        ("stops", "sum", "", ("tempo total de paragem",)),
        ("stops", "sum", "hours", ("total downtime in hours",)),
        ("visits", "mean", "", ("duração média das consultas", "average visit time")),
        ("visits", "mean", "", ("tempo entre entrada e saída",)),
        ("parcels", "mean", "", ("da encomenda à entrega", "between order and delivery")),
        ("parcels", "median", "", ("median delivery time",)),
        ("accidents", "mean", "", ("tempo médio de encerramento",)),
    ],
)
def test_how_long_rows_last(
    name: str, kind: MeasureKind, unit: TimeUnit, forms: Sequence[str]
) -> None:
    check(name, Number(rows(name), lasting(name, kind, unit)), forms)


@pytest.mark.parametrize(
    ("name", "group", "kind", "forms"),
    [
        ("work", "Equipamento", "mean", ("duração média por equipamento",)),
        ("work", "Equipamento", "sum", ("duração total por equipamento",)),
        ("work", "Técnico", "mean", ("tempo médio por técnico", "average duration by technician")),
        ("stops", "Anlage", "sum", ("downtime by machine",)),
        ("stops", "Grund", "mean", ("tempo médio por causa",)),
        ("visits", "Médico", "sum", ("total time per doctor", "tempo total por médico")),
        ("visits", "Médico", "mean", ("tempo médio por médico",)),
    ],
)
def test_how_long_rows_last_by_group(
    name: str, group: str, kind: MeasureKind, forms: Sequence[str]
) -> None:
    check(name, GroupBy(rows(name), Dimension(group), lasting(name, kind)), forms)


def test_a_part_of_the_rows_lasts() -> None:
    room = rows("visits", Filter("Sala", ("A",)))
    check("visits", Number(room, lasting("visits", "sum")), ("tempo total na sala A",))


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("work", ("quem demora mais?", "quem demorou mais tempo em média?")),
    ],
)
def test_who_takes_longest(name: str, forms: Sequence[str]) -> None:
    wanted = GroupBy(rows(name), Dimension("Técnico"), lasting(name, "mean"), n=1, order="most")
    check(name, wanted, forms)


@pytest.mark.parametrize(
    "form", ["qual a máquina com mais tempo de paragem?", "que máquina esteve mais tempo parada?"]
)
def test_time_that_groups_have_is_added_up(form: str) -> None:
    wanted = GroupBy(rows("stops"), Dimension("Anlage"), lasting("stops", "sum"), n=1, order="most")

    plan = at_once(form, index_of("stops"))

    readings: list[Any] = [each for _, each in plan.readings] if isinstance(plan, Ask) else [plan]
    assert wanted in readings, plan


def test_time_by_group_may_be_a_sum_or_a_mean() -> None:
    plan = at_once("tempo de paragem por máquina", index_of("stops"))

    assert isinstance(plan, Ask), plan
    kinds = {each.measure.kind for _, each in plan.readings if isinstance(each, GroupBy)}
    assert kinds == {"sum", "mean"}, plan


@pytest.mark.parametrize(
    ("name", "relation", "number", "unit", "forms"),
    [
        ("work", "above", 3, "hours", ("ordens que demoraram mais de 3 horas",)),
        ("work", "below", 30, "minutes", ("ordens abaixo de 30 minutos",)),
        ("stops", "above", 30, "minutes", ("paragens de mais de 30 minutos",)),
        ("visits", "above", 1, "hours", ("consultas de mais de 1 hora",)),
        ("visits", "above", 60, "minutes", ("visits that lasted over 60 minutes",)),
        ("parcels", "above", 5, "days", ("orders that took more than 5 days to deliver",)),
        ("accidents", "above", 10, "days", ("acidentes que demoraram mais de 10 dias a encerrar",)),
    ],
)
def test_rows_that_took_more_or_less(
    name: str, relation: Relation, number: float, unit: TimeUnit, forms: Sequence[str]
) -> None:
    start, end, _ = SPANS[name]
    took = Filter(end, (float(number),), relation, since=start, unit=unit)
    check(name, Number(rows(name, took)), forms)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("accidents", "tempo médio entre acidentes"),
        ("accidents", "average time between accidents"),
        ("parcels", "average time between orders"),
    ],
)
def test_time_between_rows_is_no_time_that_a_row_lasts(name: str, form: str) -> None:
    assert isinstance(at_once(form, index_of(name)), Unknown | Ask), form


def test_a_statistic_is_no_value_of_the_same_name() -> None:
    wanted = GroupBy(rows("work"), Dimension("Equipamento"), lasting("work", "mean"))
    check("work", wanted, ("duração média por equipamento",))
    middling = rows("work", Filter("Prioridade", ("Média",)))
    forms = ("ordens de prioridade média", "quantas ordens com prioridade média?")
    check("work", Number(middling), forms)


# Open rows and the last ones.


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        (
            "work",
            (
                "quantas ordens estão abertas?",
                "ordens em aberto",
                "ordens ainda por fechar",
                "quantas ainda não foram fechadas?",
                "open orders",
                "how many are still open?",
                "how many orders are not closed?",
                "ordens sem data de fecho",
            ),
        ),
        ("accidents", ("acidentes por encerrar", "acidentes ainda abertos", "nunca encerrados")),
        ("sites", ("obras por concluir",)),
        ("parcels", ("undelivered orders", "orders not yet delivered", "not delivered yet")),
    ],
)
def test_rows_that_are_open(name: str, forms: Sequence[str]) -> None:
    check(name, Number(rows(name, Filter(SPANS[name][1], (), "missing"))), forms)


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("work", ("ordens fechadas", "quantas ordens foram fechadas?", "closed orders")),
        ("sites", ("obras concluídas",)),
    ],
)
def test_rows_that_are_over(name: str, forms: Sequence[str]) -> None:
    check(name, Number(rows(name, Filter(SPANS[name][1], (), "present"))), forms)


def test_open_rows_by_group_and_share() -> None:
    scope = rows("work", Filter("Fecho", (), "missing"))
    check("work", GroupBy(scope, Dimension("Técnico")), ("abertas por técnico",))
    check("work", top(scope, Dimension("Técnico"), 1), ("o técnico com mais ordens abertas",))
    check("work", Number(scope, is_share=True), ("percentagem de ordens abertas",))


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        (
            "work",
            (
                "a aberta mais antiga",
                "qual a ordem aberta mais antiga?",
                "há quantos dias está aberta a mais antiga?",
            ),
        ),
        ("accidents", ("acidente aberto mais antigo",)),
        ("parcels", ("oldest undelivered order",)),
    ],
)
def test_the_oldest_that_is_open(name: str, forms: Sequence[str]) -> None:
    start, end, _ = SPANS[name]
    scope = rows(name, Filter(end, (), "missing"))
    check(name, Rows(scope, 1, "least", start), forms)


def test_rows_that_have_been_open_for_long() -> None:
    last = max(
        each.date() for row in work().rows for each in row.values() if isinstance(each, datetime)
    )
    before = Period("Abertura", None, last - timedelta(days=11))
    scope = rows("work", Filter("Fecho", (), "missing"), period=before)
    forms = ("ordens abertas há mais de 10 dias", "orders open for more than 10 days")
    check("work", Number(scope), forms)


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("work", ("há quanto tempo foi a última ordem?", "quantos dias desde a última ordem?")),
        ("accidents", ("how long since the last accident?",)),
    ],
)
def test_since_the_last_one_is_of_its_day(name: str, forms: Sequence[str]) -> None:
    check(name, Rows(rows(name), 1, "most", SPANS[name][0]), forms)


# What is late.


@pytest.mark.parametrize(
    ("name", "due", "relation", "forms"),
    [
        (
            "parcels",
            "Due Date",
            "above",
            (
                "orders delivered late",
                "delivered late",
                "how many orders were delivered late?",
                "encomendas entregues com atraso",
                "orders delivered after the due date",
            ),
        ),
        ("parcels", "Due Date", "below", ("orders delivered before due date",)),
        ("parcels", "Due Date", "at most", ("on time orders", "encomendas dentro do prazo")),
    ],
)
def test_rows_beside_the_day_when_they_were_due(
    name: str, due: str, relation: Relation, forms: Sequence[str]
) -> None:
    check(name, Number(rows(name, Filter(SPANS[name][1], (), relation, other=due))), forms)


@pytest.mark.parametrize(
    ("name", "due", "kind", "forms"),
    [
        ("parcels", "Due Date", "mean", ("average delay", "average delay in days")),
        ("parcels", "Due Date", "mean", ("quantos dias de atraso em média?",)),
        ("parcels", "Due Date", "max", ("maior atraso",)),
        ("sites", "Fim previsto", "mean", ("atraso médio das obras",)),
        ("sites", "Fim previsto", "mean", ("quantos dias de atraso em média?",)),
    ],
)
def test_how_late_rows_are(name: str, due: str, kind: MeasureKind, forms: Sequence[str]) -> None:
    end = SPANS[name][1]
    late = rows(name, Filter(end, (), "above", other=due))
    check(name, Number(late, Measure(kind, end, since=due, unit="days")), forms)


def test_how_late_groups_and_rows_are() -> None:
    late = rows("parcels", Filter("Delivery Date", (), "above", other="Due Date"))
    delay = Measure("mean", "Delivery Date", since="Due Date", unit="days")
    check("parcels", GroupBy(late, Dimension("Carrier"), delay), ("delay by carrier",))
    late = rows("sites", Filter("Fim real", (), "above", other="Fim previsto"))
    wanted = Rows(late, 1, "most", "Fim real", since="Fim previsto", unit="days")
    check("sites", wanted, ("obra com maior atraso",))


@pytest.mark.parametrize(
    "form", ["obras que acabaram depois do previsto", "quantas obras acabaram antes do previsto?"]
)
def test_the_end_is_set_against_the_end_that_was_planned(form: str) -> None:
    plan = understood(form, index_of("sites"))

    first: Any = plan.readings[0][1] if isinstance(plan, Ask) else plan
    assert [each.other for each in first.scope.filters] == ["Fim previsto"], plan


# Hours of the day and days of the week.


@pytest.mark.parametrize(
    ("name", "column", "relation", "numbers", "forms"),
    [
        ("work", "Abertura", "between", (8, 9), ("ordens entre as 8h e as 10h",)),
        ("work", "Abertura", "between", (8, 9), ("orders between 8 and 10 am",)),
        ("work", "Abertura", "at least", (18,), ("ordens depois das 18h", "orders after 6pm")),
        ("work", "Fecho", "at least", (18,), ("ordens fechadas depois das 18h",)),
        ("work", "Abertura", "between", (6, 11), ("ordens abertas de manhã",)),
        ("work", "Abertura", "between", (6, 11), ("orders in the morning",)),
        ("work", "Abertura", "between", (20, 5), ("ordens à noite", "orders opened at night")),
        ("work", "Abertura", "between", (0, 5), ("ordens de madrugada",)),
        ("work", "Fecho", "between", (12, 19), ("quantas fecharam à tarde?",)),
        ("visits", "Hora entrada", "between", (6, 11), ("consultas de manhã",)),
        ("visits", "Hora entrada", "between", (12, 19), ("consultas à tarde",)),
        ("visits", "Hora entrada", "below", (10,), ("consultas antes das 10h",)),
        ("visits", "Hora entrada", "at least", (17,), ("visits after 5pm",)),
        ("visits", "Hora entrada", "at least", (16,), ("entradas depois das 16h",)),
        ("visits", "Hora salida", "at least", (18,), ("saídas depois das 18:00",)),
    ],
)
def test_hours_of_the_day(
    name: str, column: str, relation: Relation, numbers: tuple[float, ...], forms: Sequence[str]
) -> None:
    check(name, Number(rows(name, Filter(column, numbers, relation, "hour"))), forms)


def test_days_of_the_week() -> None:
    weekend = rows("work", Filter("Abertura", (6, 7), grain="weekday"))
    forms = ("ordens ao fim de semana", "ordens aos fins de semana", "weekend orders")
    check("work", Number(weekend), forms)
    mondays = rows("work", Filter("Abertura", (1,), grain="weekday"))
    check("work", Number(mondays), ("ordens às segundas", "orders on mondays"))


def test_a_part_of_the_day_is_a_shift_where_there_are_shifts() -> None:
    shifts = data(
        "producao",
        {
            "Data": ("datetime", [datetime(2026, 3, 2, place % 24) for place in range(48)]),
            "Turno": ("category", ["Manhã", "Tarde", "Noite"] * 16),
            "Peças": ("integer", [100 + place for place in range(48)]),
        },
    )

    plan = understood("peças no turno da noite", schema_index_of(shifts.profile))

    wanted = RowSelection("producao", (Filter("Turno", ("Noite",)),))
    assert plan == Number(wanted, Measure("sum", "Peças")), plan
