"""Kinds of questions by what a table holds: targets, due days, prices, outcomes, rare cells."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.query_ast import (
    AsChart,
    Ask,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Rows,
    RowSelection,
    Several,
    Spread,
    Unknown,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import all_mean, at_once, rows_of, understood

N = 80
DAYS: list[Cell] = [date(2025, 1, 2) + timedelta(days=4 * place) for place in range(N)]
Columns = dict[str, tuple[ColumnType, list[Cell]]]


def _keys(start: str) -> tuple[ColumnType, list[Cell]]:
    return "text", [f"{start}-{100 + place}" for place in range(N)]


def _of(*names: str) -> tuple[ColumnType, list[Cell]]:
    return "category", [names[place * 7 % 11 % len(names)] for place in range(N)]


def _numbers(most: int) -> tuple[ColumnType, list[Cell]]:
    return "integer", [1 + place * 37 % most for place in range(N)]


def _days(after: int = 0, gaps: int = 0) -> tuple[ColumnType, list[Cell]]:
    made: list[Cell] = []
    for place, day in enumerate(DAYS):
        assert isinstance(day, date)
        is_gap = gaps and place % gaps == 1
        made.append(None if is_gap else day + timedelta(days=after + place * 7 % 13))
    return "date", made


AUDITS = data(
    "auditorias",
    {
        "N.º": _keys("A"),
        "Data": ("date", DAYS),
        "Área": _of("Pintura", "Montagem", "Armazém"),
        "Total (%)": _numbers(97),
        "Objetivo (%)": _numbers(89),
    },
)
DELIVERIES = data(
    "entregas",
    {
        "Guia": _keys("G"),
        "Data encomenda": ("date", DAYS),
        "Data prevista": _days(9),
        "Data de entrega": _days(6, gaps=9),
        "Loja": _of("Norte", "Sul", "Centro"),
        "Peso (kg)": _numbers(71),
        "Frete (€)": _numbers(53),
    },
)
TESTS = data(
    "ensaios",
    {
        "Ensaio": _keys("E"),
        "Dia": ("date", DAYS),
        "Máquina": _of("M1", "M2", "M3"),
        "Resultado": _of("OK", "OK", "NOK"),
        "dE": ("number", [place * 13 % 29 / 10 for place in range(N)]),
        "zona1": ("number", [200 + place * 13 % 29 / 2 for place in range(N)]),
        "zona2": ("number", [210 + place * 11 % 23 / 2 for place in range(N)]),
        "Alarme": ("category", ["A17" if place % 8 == 3 else None for place in range(N)]),
    },
)
FUEL = data(
    "abastecimentos",
    {
        "Talão": _keys("T"),
        "Data": ("date", DAYS),
        "Posto": _of("Cepsa", "Galp", "Prio"),
        "Litros": ("number", [20 + place * 13 % 29 / 2 for place in range(N)]),
        "€/L": ("number", [1.5 + place * 13 % 29 / 100 for place in range(N)]),
        "Total (€)": ("number", [30 + place * 13 % 31 / 2 for place in range(N)]),
    },
)


def _where(of: Data, *filters: Filter) -> RowSelection:
    return rows_of(of, *filters)


@pytest.mark.parametrize(
    ("relation", "questions"),
    [
        (
            "below",
            (
                "quantas auditorias abaixo do objetivo?",
                "quantas auditorias ficaram abaixo da meta",
                "quantas auditorias não atingiram o objetivo",
                "how many audits below target?",
                "how many audits did not reach the target?",
            ),
        ),
        (
            "at least",
            (
                "quantas auditorias atingiram o objetivo?",
                "quantas auditorias cumpriram a meta?",
                "how many audits reached the target?",
                "how many audits met the target?",
            ),
        ),
    ],
)
def test_what_is_stands_beside_what_ought_to_be(relation: Any, questions: tuple[str, ...]) -> None:
    met = Filter("Total (%)", (), relation, other="Objetivo (%)")

    all_mean(AUDITS, Number(_where(AUDITS, met)), *questions)


def test_no_actual_stands_beside_a_target_where_several_may() -> None:
    several = data(
        "auditorias",
        {
            "N.º": _keys("A"),
            "Pintura": _numbers(97),
            "Montagem": _numbers(83),
            "Objetivo": _numbers(89),
        },
    )

    plan = at_once("quantas auditorias abaixo do objetivo?", schema_index_of(several.profile))

    assert isinstance(plan, Unknown | Ask)


ON_TIME = Filter("Data de entrega", (), "at most", other="Data prevista")
LATE = Filter("Data de entrega", (), "above", other="Data prevista")


@pytest.mark.parametrize(
    ("wanted", "questions"),
    [
        (
            Number(_where(DELIVERIES, ON_TIME)),
            (
                "quantas entregas dentro do prazo?",
                "quantas entregas no prazo",
                "how many deliveries on time?",
            ),
        ),
        (
            Number(_where(DELIVERIES, LATE)),
            (
                "quantas entregas depois da data prevista?",
                "quantas entregas após a data prevista",
            ),
        ),
        (
            Number(_where(DELIVERIES, ON_TIME), is_share=True),
            (
                "% de entregas dentro do prazo",
                "que percentagem das entregas foi no prazo?",
                "what percentage of deliveries was on time?",
            ),
        ),
        (
            Number(
                _where(DELIVERIES, LATE),
                Measure("mean", "Data de entrega", since="Data prevista", unit="days"),
            ),
            ("quantos dias de atraso em média?", "atraso médio em dias"),
        ),
    ],
)
def test_what_was_done_stands_beside_the_day_when_it_was_due(
    wanted: DataPlan, questions: tuple[str, ...]
) -> None:
    all_mean(DELIVERIES, wanted, *questions)


@pytest.mark.parametrize(
    "question",
    [
        "quantos dias em média da encomenda à entrega?",
        "tempo médio entre a encomenda e a entrega",
        "average days from order to delivery",
        "average days between order and delivery",
    ],
)
def test_a_time_is_between_the_moments_that_are_named(question: str) -> None:
    elapsed = Measure("mean", "Data de entrega", since="Data encomenda", unit="days")

    all_mean(DELIVERIES, Number(_where(DELIVERIES), elapsed), question)


@pytest.mark.parametrize(
    "question",
    [
        "taxa de rejeição por máquina",
        "reject rate by machine",
        "scrap rate by machine",
        "taxa de NOK por máquina",
    ],
)
def test_what_is_not_good_is_what_was_rejected(question: str) -> None:
    bad = Filter("Resultado", ("NOK",))

    all_mean(
        TESTS,
        GroupBy(_where(TESTS), Dimension("Máquina"), Measure("share", part=(bad,))),
        question,
    )


def test_rows_that_have_a_rare_cell_are_counted_by_it() -> None:
    ringing = Filter("Alarme", (), "present")

    all_mean(
        TESTS,
        GroupBy(_where(TESTS, ringing), Dimension("Máquina")),
        "alarmes por máquina",
        "alarms by machine",
    )


def test_a_column_is_called_by_its_own_letters() -> None:
    all_mean(TESTS, Number(_where(TESTS), Measure("mean", "dE")), "dE médio", "average dE")


def test_a_number_behind_a_word_belongs_to_a_name() -> None:
    all_mean(
        TESTS,
        Number(_where(TESTS), Measure("max", "zona2")),
        "máximo da zona 2",
        "zona 2 máxima",
        "maximum of zona 2",
    )


def test_a_price_is_of_the_unit_that_is_said() -> None:
    all_mean(
        FUEL,
        GroupBy(_where(FUEL), Dimension("Posto"), Measure("mean", "€/L")),
        "preço médio por posto",
        "preço por litro por posto",
        "average price by posto",
    )
    all_mean(
        FUEL,
        GroupBy(_where(FUEL), Dimension("Posto"), Measure("mean", "€/L"), n=1, order="least"),
        "que posto tem o preço mais baixo em média?",
    )


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("compara o Q1 com o Q2", (1, 3), (4, 6)),
        ("Q1 vs Q3", (1, 3), (7, 9)),
        ("compare Q2 and Q3", (4, 6), (7, 9)),
    ],
)
def test_a_quarter_without_a_year_is_the_last_of_the_data(
    question: str, first: tuple[int, int], second: tuple[int, int]
) -> None:
    def rows(months: tuple[int, int]) -> Number:
        end = date(2025, months[1] + 1, 1) - timedelta(days=1)
        period = Period("Data", date(2025, months[0], 1), end)
        return Number(RowSelection("auditorias", (), period))

    all_mean(AUDITS, Comparison(rows(first), rows(second)), question)


def test_a_code_that_is_a_value_is_no_quarter() -> None:
    shifts = data("turnos", {"Dia": ("date", DAYS), "Equipa": _of("Q1", "Q2", "Q3")})

    all_mean(shifts, Number(_where(shifts, Filter("Equipa", ("Q2",)))), "quantas linhas na Q2?")


def test_measures_of_two_periods_have_each_its_statistic() -> None:
    first = RowSelection(
        "entregas", (), Period("Data de entrega", date(2025, 1, 1), date(2025, 3, 31))
    )
    second = RowSelection(
        "entregas", (), Period("Data de entrega", date(2025, 4, 1), date(2025, 6, 30))
    )
    weight, freight = Measure("sum", "Peso (kg)"), Measure("mean", "Frete (€)")
    wanted = Several(
        tuple(Comparison(Number(first, each), Number(second, each)) for each in (weight, freight))
    )

    all_mean(DELIVERIES, wanted, "compara o 1º trimestre com o 2º: peso e frete médio")


def test_measures_of_two_values_stand_side_by_side() -> None:
    both = _where(DELIVERIES, Filter("Loja", ("Norte", "Sul")))
    wanted = Several(
        tuple(
            GroupBy(both, Dimension("Loja"), Measure("mean", name))
            for name in ("Frete (€)", "Peso (kg)")
        )
    )

    all_mean(
        DELIVERIES,
        wanted,
        "compara Norte com Sul: frete médio e peso médio",
        "compare Norte and Sul: frete médio e peso médio",
    )


def test_a_chart_of_two_measures_against_each_other_draws_each_row() -> None:
    all_mean(
        DELIVERIES,
        AsChart(Spread(_where(DELIVERIES), ("Peso (kg)", "Frete (€)"))),
        "gráfico do peso contra o frete",
        "plot peso against frete",
    )


def test_two_categories_with_by_between_them_are_crossed() -> None:
    both = data(
        "alunos", {"Nome": _keys("N"), "Estado": _of("ativo", "saiu"), "Sede": _of("A1", "B2")}
    )

    all_mean(
        both,
        GroupBy(_where(both), Dimension("Sede"), split=Dimension("Estado")),
        "estado por sede",
        "estado by sede",
    )


def test_the_largest_and_who_it_was_is_one_row() -> None:
    fines = data(
        "requisicoes",
        {
            "Requisição": _keys("R"),
            "Leitor": _of("Ana", "Rui", "Eva"),
            "Autor": _of("Eça", "Pessoa"),
            "Multa (€)": _numbers(61),
        },
    )
    plan = understood("qual a multa mais alta e quem a teve?", schema_index_of(fines.profile))

    assert isinstance(plan, Rows)
    assert (plan.n, plan.by) == (1, "Multa (€)")
    assert "Leitor" in plan.columns


@pytest.mark.parametrize(
    "question", ["qual é o melhor posto?", "which is the best posto?", "qual o pior posto?"]
)
def test_the_best_of_nothing_is_asked_back(question: str) -> None:
    assert isinstance(at_once(question, schema_index_of(FUEL.profile)), Ask | Unknown)


def test_a_cross_is_a_yes_and_a_blank_a_no() -> None:
    crossed: list[Cell] = ["x" if place % 3 else None for place in range(N)]
    photos = data(
        "achados",
        {"N.º": _keys("A"), "Zona": _of("A1", "B2"), "Foto": ("category", crossed)},
    )
    with_photo = Filter("Foto", ("x",))

    all_mean(photos, Number(_where(photos, with_photo)), "quantos achados têm foto?")
    all_mean(
        photos,
        Number(_where(photos, with_photo), is_share=True),
        "que % dos achados tem foto?",
        "que percentagem dos achados tem foto",
    )


def test_the_day_of_the_rows_is_that_which_the_file_is_called_by() -> None:
    moved = data(
        "customer_returns",
        {
            "id": _keys("C"),
            "orderDate": ("date", DAYS),
            "returnDate": _days(20),
        },
    )
    march = Period("returnDate", date(2025, 3, 1), date(2025, 3, 31))

    all_mean(
        moved,
        Number(RowSelection("customer_returns", (), march)),
        "how many returns in March?",
        "how many rows in march",
    )


def test_numbers_of_charges_are_counted_and_never_added_up() -> None:
    at: list[Cell] = [datetime(2025, 2, 1, 8) + timedelta(minutes=15 * place) for place in range(N)]
    log = data(
        "forno_log",
        {
            "timestamp": ("datetime", at),
            "furnace": _of("HT-1", "HT-2"),
            "charge_no": ("integer", [5200 + place // 4 for place in range(N)]),
            "temp": ("number", [800 + place * 13 % 29 / 2 for place in range(N)]),
        },
    )

    all_mean(
        log,
        GroupBy(_where(log), Dimension("furnace"), Measure("distinct", "charge_no")),
        "number of charges per furnace",
        "how many charges per furnace?",
    )


def test_notes_are_counted_as_rows() -> None:
    notes: list[Cell] = [f"caixa danificada {place}" if place % 4 else None for place in range(N)]
    found = data("lotes", {"Lote": _keys("L"), "Zona": _of("A1", "B2"), "Obs.": ("text", notes)})
    said = Filter("Obs.", ("danificada",), "contains")

    all_mean(
        found,
        Number(_where(found, said)),
        "quantas observações falam de danificada?",
        "conta as observações que falam de danificada",
    )
