"""Wordings that are put into others, and names in the data that they leave alone."""

import pytest

from qhub_desktop.nlq.query_ast import (
    Filter,
    Measure,
    Number,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.shorthand import plainly
from tests.nlq.schemas import TRADES, all_mean, rows_of, table

MACHINES = table(
    "leituras",
    {
        "Leitura": "key",
        "Data": "day",
        "Máquina": "P90,P95,P99",
        "Stock máximo": "#300",
        "Stock mínimo": "#50",
        "Peso (kg)": "#",
    },
)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("p90 do peso", "percentil 90 do peso"),
        ("P97,5 do Peso", "percentil 97,5 do Peso"),
        ("nº de testes", "número de testes"),
        ("máx - mín do Peso", "amplitude do Peso"),
        ("diferença entre o peso mais alto e o mais baixo", "amplitude de peso"),
        ("clientes com 25 visitas ou mais", "clientes com 25 ou mais visitas"),
        ("peso até 50", "peso no máximo 50"),
        ("peso a partir de 50", "peso pelo menos 50"),
        ("visitas a partir de 5 de março", None),
        ("visitas a partir de 2025", None),
        ("visitas até 12/05", None),
        ("visitas até 10h", None),
        ("de 20 até 50 kg", None),
        ("visitas face ao mês", None),
        ("how much of the weight is Alfa", "what percentage of the weight is Alfa"),
        ("visits a month", "visits per month"),
        ("a minimum of 2025", None),
    ],
)
def test_only_the_words_of_a_wording_change(said: str, plain: str | None) -> None:
    assert plainly(said, (TRADES[0].index,)) == (said if plain is None else plain)


@pytest.mark.parametrize(
    "said",
    ["peso da P90", "diferença entre o stock máximo e o mínimo", "peso da máquina P95 em março"],
)
def test_names_in_the_data_are_no_wordings(said: str) -> None:
    assert plainly(said, (schema_index_of(MACHINES.profile),)) == said


def test_a_machine_is_no_percentile() -> None:
    weight = Measure("sum", "Peso (kg)")

    all_mean(
        MACHINES,
        Number(rows_of(MACHINES, Filter("Máquina", ("P90",))), weight),
        "peso total da P90",
        "total de peso da P90",
    )
    all_mean(
        MACHINES,
        Number(rows_of(MACHINES, Filter("Máquina", ("P90",), "is not"))),
        "quantas leituras menos a P90?",
        "quantas leituras exceto a P90?",
    )
