"""Where axes are marked."""

from datetime import datetime

import pytest

from qhub_desktop.core import text
from qhub_desktop.ui.charts.scales import Tick, number_ticks, probability_ticks, time_ticks


def seconds(year: int, month: int, day: int, hour: int = 0) -> float:
    return (datetime(year, month, day, hour) - datetime(1970, 1, 1)).total_seconds()


def texts(ticks: tuple[Tick, ...]) -> list[str]:
    return [tick.text for tick in ticks]


def test_numbers_are_round_and_equally_fine() -> None:
    assert texts(number_ticks(0, 77, most=4)) == ["0", "20", "40", "60"]
    assert texts(number_ticks(-0.3, 0.31, most=4)) == ["-0.2", "0.0", "0.2"]
    assert texts(number_ticks(79.4, 80.6, most=5)) == ["79.5", "80.0", "80.5"]


def test_counts_have_no_fractions() -> None:
    assert texts(number_ticks(0, 2.1, most=8, is_whole=True)) == ["0", "1", "2"]


def test_numbers_are_written_in_the_language_of_the_person() -> None:
    text.use("pt")

    assert (
        texts(number_ticks(0, 2500, most=3, unit="%"))[1]
        == "1\N{NO-BREAK SPACE}000\N{NO-BREAK SPACE}%"
    )
    assert texts(number_ticks(0, 1, most=2)) == ["0,0", "0,5", "1,0"]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ((2026, 2, 1, 6), (2026, 2, 1, 14), "06:00 08:00 10:00 12:00 14:00"),
        ((2026, 2, 1, 18), (2026, 2, 2, 15), "01/02 18:00|02/02 00:00|02/02 06:00|02/02 12:00"),
        ((2026, 2, 1), (2026, 2, 28), "02/02 09/02 16/02 23/02"),
        ((2025, 12, 30), (2026, 1, 2), "30/12/25 31/12/25 01/01/26 02/01/26"),
        ((2025, 11, 15), (2026, 3, 15), "12/2025 01/2026 02/2026 03/2026"),
        ((2019, 5, 1), (2026, 5, 1), "2020 2022 2024 2026"),
    ],
)
def test_moments_are_those_a_person_would_pick(
    first: tuple[int, ...], last: tuple[int, ...], expected: str
) -> None:
    ticks = time_ticks(seconds(*first), seconds(*last), most=5)

    assert texts(ticks) == expected.split("|" if "|" in expected else None)


def test_a_range_without_width_has_no_ticks() -> None:
    assert number_ticks(3, 3, most=5) == ()
    assert time_ticks(3, 3, most=5) == ()
    assert number_ticks(0, float("inf"), most=5) == ()


def test_normal_scores_are_marked_in_per_cent() -> None:
    ticks = probability_ticks(-2.4, 2.4, most=20)

    assert texts(ticks) == ["1%", "5%", "10%", "25%", "50%", "75%", "90%", "95%", "99%"]
    assert [round(tick.value, 2) for tick in ticks[:3]] == [-2.33, -1.64, -1.28]
    assert texts(probability_ticks(-2.4, 2.4, most=5)) == ["1%", "10%", "50%", "90%", "99%"]
