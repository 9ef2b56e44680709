"""Doubts about readings: what they find, and what they leave alone."""

import numpy as np
import pytest

from qhub_desktop.quality.reading_doubts import (
    doubts_of_neighbours,
    doubts_of_subgroups,
    doubts_of_values,
)

RNG = np.random.default_rng(11)


def kinds(found: tuple[object, ...]) -> list[str]:
    return [getattr(each, "kind", "") for each in found]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.r_[RNG.normal(100, 3, 50), np.zeros(5)], ["zeros"]),
        (np.r_[RNG.normal(0, 3, 50), np.zeros(5)], []),
        (np.array([0, 1, 2, 3, 4] * 10, dtype=float), ["grades"]),
        (np.round(RNG.normal(50, 0.3, 60)), ["coarse"]),
        (np.round(RNG.normal(50, 3, 60), 1), []),
        (np.array([1.0, 2.0, 3.0]), []),
    ],
)
def test_values_are_doubted_by_kind(values: np.ndarray, expected: list[str]) -> None:
    assert kinds(doubts_of_values(values, "x")) == expected


def test_streams_within_subgroups_are_seen_and_named() -> None:
    shifts = np.array([0.0, 2.0, 4.0, 6.0])
    mixed = [shifts + RNG.normal(0, 0.5, 4) for _each in range(25)]
    names = [["A", "B", "C", "D"]] * 25

    assert kinds(doubts_of_subgroups(mixed, {})) == ["streams"]
    (named,) = doubts_of_subgroups(mixed, {"Spindle": names})
    assert '"Spindle"' in named.text


def test_subgroups_of_one_stream_are_not_doubted() -> None:
    plain = [RNG.normal(10, 1, 5) for _each in range(30)]
    names = [["1", "2", "3", "4", "5"]] * 30

    assert doubts_of_subgroups(plain, {"Trial": names}) == ()


def test_neighbours_that_lean_on_each_other_are_told() -> None:
    assert kinds(doubts_of_neighbours(np.cumsum(RNG.normal(size=200)))) == ["autocorrelation"]
    assert doubts_of_neighbours(RNG.normal(size=200)) == ()
