"""Kinds of questions by what the rows of a trade are: goods, calls, trips, tests; their units."""

from datetime import date, timedelta

from qhub_desktop.core.table import Cell
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsTable,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Rows,
    Unknown,
    distinct,
    is_count,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import data
from tests.nlq.schemas import LINES, all_mean, at_once, by, rows_of, table, understood

STOCK = table(
    "stock_lotes",
    {
        "lote": "key",
        "dt_entrada": "day",
        "descricao": "Gaze,Luva,Seringa,Penso",
        "laboratorio": "Alfa,Beta,Gama",
        "qtd_stock": "#140",
        "stock_min": "#40",
        "pvp": "#90",
        "Fornecedor": "Norte,Sul",
    },
)
CALLS = table(
    "chamadas",
    {
        "callId": "key",
        "startTime": "day",
        "queue": "Vendas,Suporte,Retenção",
        "agentName": "Ana Reis,Rui Dias,Eva Melo",
        "waitSec": "#400",
        "talkSec": "#900",
        "firstCallRes": "S,N",
        "abandoned": "N,N,S",
        "customerNo": "30011,30012,30013,30017,30021",
    },
)
TRIPS = table(
    "viagens",
    {
        "N.º Viagem": "key",
        "Dt Carga": "day",
        "Matrícula": "AA-11-BB,CC-22-DD,EE-33-FF",
        "Cliente": "Renova,Amorim,Lactogal",
        "País": "PT,ES,FR",
        "KM": "#900",
        "KM vazio": "#120",
        "Gasóleo (L)": "#310",
        "Custo Gasóleo (€)": "#510",
        "Portagens (€)": "#90",
        "Peso (t)": "#24",
        "Frete (€)": "#1400",
        "Faturado": "S,N",
    },
)
PEEL = table(
    "schaelversuche",
    {
        "Probe-Nr.": "key",
        "Prüfdatum": "day",
        "Klebstoff": "K1,K2,K3",
        "Fmax [N]": "#80",
        "Fmittel [N/25mm]": "#60",
        "Soll min. [N/25mm]": "#50",
        "i.O.": "S,N",
    },
)


def test_what_describes_goods_is_the_product() -> None:
    all_mean(
        STOCK, distinct(rows_of(STOCK), "descricao"), "quantos produtos temos", "how many items"
    )
    all_mean(
        STOCK,
        by(STOCK, "laboratorio", Measure("distinct", "descricao")),
        "quantos produtos diferentes por laboratório",
    )
    more = Filter("", (25.0,), "above")
    all_mean(
        STOCK,
        GroupBy(rows_of(STOCK), Dimension("descricao"), having=more),
        "produtos com mais de 25 lotes",
    )


def test_stock_stands_beside_its_minimum() -> None:
    below = Filter("qtd_stock", (), "below", other="stock_min")
    all_mean(
        STOCK,
        Number(rows_of(STOCK, below)),
        "quantos lotes estão abaixo do stock minimo",
        "how many batches below minimum stock",
    )


def test_units_are_no_rows_where_there_is_a_quantity() -> None:
    index = schema_index_of(STOCK.profile)
    for question in ("quantas unidades recebemos", "das unidades, quantas % são da Alfa"):
        assert not is_count(understood(question, index)), question


def test_a_limit_that_no_row_meets_is_one_of_groups() -> None:
    over = Filter("", (3000.0,), "above")
    summed = GroupBy(rows_of(TRIPS), Dimension("Cliente"), Measure("sum", "Frete (€)"), having=over)
    all_mean(
        TRIPS,
        summed,
        "clientes com mais de 3000 euros de frete",
        "que clientes têm mais de 3000 de frete",
    )
    most = Filter("", (400.0,), "above")
    all_mean(
        STOCK,
        GroupBy(rows_of(STOCK), Dimension("laboratorio"), Measure("sum", "qtd_stock"), having=most),
        "laboratórios com mais de 400 unidades em stock",
    )


def test_a_verb_says_what_a_row_is() -> None:
    more = Filter("", (4.0,), "above")
    all_mean(
        CALLS,
        GroupBy(rows_of(CALLS), Dimension("customerNo"), having=more),
        "quantos clientes ligaram mais de 4 vezes",
    )
    sales = Filter("queue", ("Vendas",))
    all_mean(
        CALLS,
        distinct(rows_of(CALLS, sales), "customerNo"),
        "quantos clientes distintos ligaram para Vendas",
    )


def test_what_was_not_abandoned_was_answered() -> None:
    answered, lost = Filter("abandoned", ("N",)), Filter("abandoned", ("S",))
    all_mean(CALLS, Number(rows_of(CALLS, answered)), "quantas chamadas foram atendidas")
    all_mean(CALLS, Number(rows_of(CALLS, lost)), "quantas chamadas perdidas")


def test_letters_stand_for_a_name() -> None:
    plan = understood("FCR rate by queue", schema_index_of(CALLS.profile))

    assert isinstance(plan, GroupBy)
    assert [each.column for each in plan.measure.part] == ["firstCallRes"]


def test_a_limit_is_in_the_unit_that_is_said() -> None:
    index = schema_index_of(CALLS.profile)
    for question in ("chamadas com espera acima de 2 min", "calls with talk time over 10 minutes"):
        plan = understood(question, index)
        first = plan.readings[0][1] if isinstance(plan, Ask) else plan
        assert isinstance(first, Rows) or is_count(first), question
        assert first.scope.filters[0].values[0] in (120.0, 600.0), question
    heavy = Filter("Peso (t)", (10.0,), "above")
    all_mean(
        TRIPS,
        Number(rows_of(TRIPS, heavy), Measure("mean", "Portagens (€)")),
        "portagens médias com mais de 10 toneladas",
    )


def test_money_that_comes_in_is_no_cost_and_no_flag() -> None:
    freight = Measure("sum", "Frete (€)")
    all_mean(TRIPS, Number(rows_of(TRIPS), freight), "quanto faturámos")
    all_mean(TRIPS, by(TRIPS, "Cliente", freight), "faturação por cliente")


def test_an_amount_is_divided_by_what_is_said_of_it() -> None:
    ratio = Measure("ratio", "Custo Gasóleo (€)", over="Gasóleo (L)")
    all_mean(TRIPS, Number(rows_of(TRIPS), ratio), "custo de gasóleo por litro")
    all_mean(
        TRIPS,
        by(TRIPS, "Matrícula", Measure("rate", "Gasóleo (L)", over="KM")),
        "litros aos 100 por matrícula",
    )
    all_mean(
        TRIPS,
        by(TRIPS, "País", Measure("rate", "KM vazio", over="KM")),
        "percentagem de km em vazio por país",
    )
    all_mean(
        PEEL,
        by(PEEL, "Klebstoff", Measure("ratio", "Fmax [N]", over="Fmittel [N/25mm]")),
        "rácio Fmax / Fmittel por adesivo",
        "ratio Fmax / Fmittel by adhesive",
    )


def test_a_weight_in_an_amount_is_a_share() -> None:
    part = Filter("Cliente", ("Renova",))
    all_mean(
        TRIPS,
        Number(rows_of(TRIPS), Measure("share", "Frete (€)", part=(part,))),
        "qual o peso da Renova no frete total",
        "peso da Renova no frete",
    )


def test_numbers_of_things_are_of_different_ones() -> None:
    all_mean(
        TRIPS,
        by(TRIPS, "País", Measure("distinct", "Cliente")),
        "número de clientes por país",
        "number of customers by country",
    )


def test_letters_with_points_are_a_word() -> None:
    bad = Filter("i.O.", ("N",))
    all_mean(
        PEEL,
        by(PEEL, "Klebstoff", Measure("share", part=(bad,))),
        "taxa de não conformes por adesivo",
    )


def test_what_came_late_is_no_open_row() -> None:
    first = date(2026, 1, 5)
    places = range(LINES)
    due: list[Cell] = [first + timedelta(days=place) for place in places]
    done: list[Cell] = [
        None if place == 3 else first + timedelta(days=place + place % 3 - 1) for place in places
    ]
    deliveries = data(
        "entregas",
        {
            "Guia": ("text", [f"G{place}" for place in places]),
            "Descarga Prev.": ("date", due),
            "Dt Descarga": ("date", done),
            "Cliente": ("category", ["Alfa" if place % 3 else "Beta" for place in places]),
        },
    )
    late = Filter("Dt Descarga", (), "above", other="Descarga Prev.")
    all_mean(
        deliveries,
        Number(rows_of(deliveries, late)),
        "quantas entregas chegaram atrasadas",
        "how many deliveries arrived late",
    )
    all_mean(
        deliveries,
        by(deliveries, "Cliente", Measure("share", part=(late,))),
        "% de entregas fora de prazo por cliente",
    )


def test_an_amount_that_is_not_there_is_no_number_of_rows() -> None:
    stops = table(
        "producao",
        {"Dia": "day", "Linha": "L1,L2", "06h": "#60", "07h": "#50", "Chefe": "Rui,Eva"},
    )
    index = schema_index_of(stops.profile)
    for question in ("output by weekday", "total produzido na L2", "produção por dia da semana"):
        plan = at_once(question, index)
        assert isinstance(plan, Unknown | Ask | AsTable) or "count" not in repr(plan), question
