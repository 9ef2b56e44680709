"""Kinds of questions that name a day by what happens then, and the time between two such days."""

from datetime import date, timedelta
from typing import Any

import pytest

from qhub_desktop.core.table import ColumnType
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data

_COUNT = 60
_FIRST = date(2026, 1, 5)
_BEGUN = [_FIRST + timedelta(days=3 * place) for place in range(_COUNT)]
_TOOK = [2 + place * 7 % 19 for place in range(_COUNT)]  # days until it was over
_AGREED = [6 + place * 5 % 9 for place in range(_COUNT)]  # days until it was due
_OVER = [begun + timedelta(days=took) for begun, took in zip(_BEGUN, _TOOK, strict=True)]
_DUE = [begun + timedelta(days=agreed) for begun, agreed in zip(_BEGUN, _AGREED, strict=True)]
_LATE = sum(over > due for over, due in zip(_OVER, _DUE, strict=True))
_MEAN = sum(_TOOK) / _COUNT
_LONGEST = max(range(_COUNT), key=lambda place: _TOOK[place])
_PLACES = ("Norte", "Sul", "Centro")


def _table(name: str, key: str, begun: str, due: str, over: str, other: str = "") -> Data:
    """Rows that began, were due and were over; `other` is a day on which nothing is asked for."""
    columns: dict[str, tuple[ColumnType, list[Any]]] = {
        key: ("text", [f"K{700 + place}" for place in range(_COUNT)]),
        "Zona": ("category", [_PLACES[place % 3] for place in range(_COUNT)]),
        "Custo (€)": ("number", [10.0 + place for place in range(_COUNT)]),
        begun: ("date", [*_BEGUN]),
        due: ("date", [*_DUE]),
        over: ("date", [*_OVER]),
    }
    if other:
        columns[other] = ("date", [each + timedelta(days=400) for each in _BEGUN])
    return data(name, columns)


ORDERS = _table("compras", "Nº Linha", "OrdDat", "ReqDelDat", "GRDat")
SAMPLES = _table("ensaios", "N.º Ensaio", "F. Toma", "F. Límite", "F. Result.")
ISSUES = _table("avarias", "N.º OT", "Dt. deteção", "Prazo", "Dt. reparação")
CASES = _table("faelle", "Fall-Nr.", "Gemeldet am", "Soll-Ende", "Ist-Ende")
TRIPS = _table("viagens", "Nº Guia", "DT_SAIDA", "DT_PREV_ENT", "DT_ENTREGA")
CARDS = _table("cartoes", "Nº Cartão", "Emitido em", "Lim. Renov.", "Renovado em", "F. Caduc.")


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (ORDERS, "quantos dias em média da encomenda até à entrada da mercadoria?"),
        (ORDERS, "average days from order to goods receipt"),
        (SAMPLES, "em média quantos dias entre a colheita da amostra e o resultado?"),
        (SAMPLES, "mean days from sampling to result"),
        (ISSUES, "quantos dias passam em média entre a deteção da avaria e a reparação?"),
        (ISSUES, "average days from finding a leak until we repair it"),
        (CASES, "dias em média entre o registo do caso e o fim"),
        (CASES, "average days between reporting and finishing"),
        (TRIPS, "average days from departure to delivery"),
        (TRIPS, "dias em média da saída à entrega"),
    ],
)
async def test_the_time_between_two_days_named_by_what_happens_then(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    told = answer.text.replace(",", ".")
    assert told.startswith((f"**{_MEAN:.2f}", f"**{_MEAN:.1f}")), answer.text


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (ORDERS, "quantas linhas foram recebidas depois da data pedida?"),
        (ORDERS, "how many lines were received after the requested date?"),
        (ISSUES, "quantas foram reparadas depois do prazo?"),
        (ISSUES, "how many were repaired after the deadline?"),
        (TRIPS, "quantas viagens foram entregues depois da data prevista?"),
        (TRIPS, "how many trips were delivered after the promised date?"),
    ],
)
async def test_what_came_after_the_day_that_was_agreed(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    assert answer.text.startswith(f"**{_LATE}**"), answer.text


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (ISSUES, "quantas avarias foram reparadas mais de 10 dias depois da deteção?"),
        (ISSUES, "how many were repaired more than 10 days after detection?"),
        (TRIPS, "how many trips were delivered more than 10 days after departure?"),
        (CASES, "how many were finished more than 10 days after they were reported?"),
    ],
)
async def test_what_came_so_many_days_after_something(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).ask(question)

    assert answer.text.startswith(f"**{sum(each > 10 for each in _TOOK)}**"), answer.text


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (ISSUES, "qual a avaria que levou mais tempo a reparar?"),
        (ISSUES, "which one took the longest to repair?"),
        (TRIPS, "qual a viagem que demorou mais a entregar?"),
    ],
)
async def test_the_row_that_took_the_longest_to_be_over(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    assert f"K{700 + _LONGEST}" in answer.text, answer.text


@pytest.mark.parametrize(
    ("table", "question", "days"),
    [
        (ISSUES, "quantas foram detetadas em fevereiro?", _BEGUN),
        (ISSUES, "how many were repaired in February?", _OVER),
        (TRIPS, "quantas saíram em fevereiro?", _BEGUN),
        (CASES, "how many were reported in February?", _BEGUN),
    ],
)
async def test_days_are_of_the_column_that_the_verb_names(
    table: Data, question: str, days: list[date], talks: Talks
) -> None:
    answer = await talks(table).told(question)

    wanted = sum(each.month == 2 for each in days)
    assert answer.text.startswith(f"**{wanted}**"), answer.text


@pytest.mark.parametrize(
    "question",
    ["quantos cartões caducam antes do fim de abril de 2027?", "how many expire before May 2027?"],
)
async def test_days_still_to_come_are_of_the_column_that_the_verb_names(
    question: str, talks: Talks
) -> None:
    answer = await talks(CARDS).ask(question)

    wanted = sum(each + timedelta(days=400) < date(2027, 5, 1) for each in _BEGUN)
    assert answer.text.startswith(f"**{wanted}**"), answer.text
