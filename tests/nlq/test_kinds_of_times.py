"""Kinds of questions on how long rows lasted, between two columns of dates or of moments."""

from datetime import datetime, time, timedelta
from typing import Any

import pytest

from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data

_MACHINES = ("Prensa", "Estufa", "Robô")
_STARTS = [datetime(2026, 3, 2, 6) + timedelta(hours=5 * place) for place in range(60)]
_MINUTES = [4 + place * 37 % 53 for place in range(60)]
_KEYS = [f"P-{100 + place}" for place in range(60)]


def _stops(names: tuple[str, str, str, str] = ("N.º", "Máquina", "Início", "Fim")) -> Data:
    """Stops with the moments when they began and ended."""
    key, machine, start, end = names
    ends: list[Any] = [
        begun + timedelta(minutes=lasted) for begun, lasted in zip(_STARTS, _MINUTES, strict=True)
    ]
    return data(
        "paragens",
        {
            key: ("text", [*_KEYS]),
            machine: ("category", [_MACHINES[place % 3] for place in range(60)]),
            start: ("datetime", [*_STARTS]),
            end: ("datetime", ends),
        },
    )


_TABLES = {
    "pt": _stops(),
    "en": _stops(("stopId", "machine", "startTime", "endTime")),
    "de": _stops(("Nr.", "Anlage", "Beginn", "Ende")),
}


@pytest.mark.parametrize("table", _TABLES.values(), ids=_TABLES)
@pytest.mark.parametrize(
    "question",
    [
        "quantas paragens demoraram mais de 40 minutos?",
        "quantas paragens duraram mais de 40 min",
        "nº de paragens com mais de 40 minutos",
        "how many stops took over 40 minutes",
        "how many stops lasted more than 40 minutes?",
    ],
)
async def test_rows_are_chosen_by_how_long_they_lasted(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    assert answer.text.startswith(f"**{sum(each > 40 for each in _MINUTES)}**"), answer.text


@pytest.mark.parametrize("table", _TABLES.values(), ids=_TABLES)
@pytest.mark.parametrize(
    "question",
    [
        "qual foi a paragem mais longa?",
        "qual a paragem que demorou mais tempo?",
        "which stop took the longest?",
        "longest stop",
    ],
)
async def test_the_longest_row_is_told_with_what_it_is_called(
    table: Data, question: str, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    longest = max(_MINUTES)
    assert f"**{longest}**" in answer.text, answer.text
    assert _KEYS[_MINUTES.index(longest)] in answer.text, answer.text


@pytest.mark.parametrize("table", _TABLES.values(), ids=_TABLES)
@pytest.mark.parametrize(
    ("question", "per_hour"),
    [
        ("tempo médio das paragens em minutos", 1),
        ("average stop time in minutes", 1),
        ("average stop duration in hours", 60),
    ],
)
async def test_a_mean_of_times_is_told_in_the_unit_that_is_said(
    table: Data, question: str, per_hour: int, talks: Talks
) -> None:
    answer = await talks(table).told(question)

    wanted = sum(_MINUTES) / 60 / per_hour
    said = answer.text.split("**")[1].replace(",", ".")
    assert float(said) == pytest.approx(wanted, abs=0.01), answer.text


async def test_times_of_day_pass_midnight(talks: Talks) -> None:
    starts = [time(22, 50), time(23, 40), time(8), time(9)] * 10
    ends = [time(23, 10), time(0, 30), time(8, 30), time(9, 10)] * 10
    shifts = data(
        "paragens",
        {
            "N.º": ("text", [f"P-{100 + place}" for place in range(40)]),
            "Hora início": ("time", starts),
            "Hora fim": ("time", ends),
        },
    )

    answer = await talks(shifts).told("quantas paragens demoraram mais de 40 minutos?")

    assert answer.text.startswith("**10**"), answer.text
