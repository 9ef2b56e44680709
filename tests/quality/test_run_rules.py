"""The rules against a slow definition, read off the page of their source."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.quality.run_rules import (
    ALL_CODES,
    NELSON,
    WESTERN_ELECTRIC,
    Rules,
    rule_flags,
    rule_text,
    signals_of,
)

EVERY = replace(NELSON, we1=3.0, we2=2, we3=4, we4=8)
# Halves of a sigma, so that many points lie on a line.
series = st.lists(st.integers(-7, 7).map(lambda step: step / 2), min_size=1, max_size=60)


def slow(code: str, x: list[float], place: int, rules: Rules) -> bool:
    """Whether the point completes the pattern of the rule, with centre 0 and sigma 1."""
    number = int(getattr(rules, code))

    def last(count: int) -> list[float]:
        return x[place - count + 1 : place + 1] if place + 1 >= count else []

    match code:
        case "nelson1" | "we1":
            return abs(x[place]) > number
        case "nelson2" | "we4":
            window = last(number)
            return bool(window) and (all(v > 0 for v in window) or all(v < 0 for v in window))
        case "nelson3" | "nelson4":
            said = rules.trend_counts if code == "nelson3" else rules.alternation_counts
            window = last(number + (said == "steps"))
            steps = [later - earlier for earlier, later in pairwise(window)]
            if not steps:
                return False
            if code == "nelson3":
                return all(step > 0 for step in steps) or all(step < 0 for step in steps)
            turns = pairwise(steps)
            return all(earlier * later < 0 for earlier, later in turns)
        case "nelson5" | "we2" | "nelson6" | "we3":
            width = 2 if code in {"nelson5", "we2"} else 1
            window = x[max(place - number, 0) : place + 1]
            above = x[place] > width and sum(v > width for v in window) >= number
            below = x[place] < -width and sum(v < -width for v in window) >= number
            return above or below
        case "nelson7":
            window = last(number)
            return bool(window) and all(abs(v) <= 1 for v in window)
        case _:
            window = last(number)
            outside = bool(window) and all(abs(v) > 1 for v in window)
            if rules.nelson8_sides == "both":
                return outside and min(window) < 0 < max(window)
            return outside


@pytest.mark.parametrize(
    "rules",
    [
        EVERY,
        replace(EVERY, trend_counts="steps", alternation_counts="steps", nelson8_sides="both"),
        # Short patterns, which chance makes often.
        replace(EVERY, nelson2=3, nelson3=3, nelson4=4, nelson7=3, nelson8=3, we4=2),
        replace(EVERY, nelson5=1, nelson6=2, nelson8=2, nelson8_sides="both"),
    ],
    ids=["usual", "steps", "short", "shorter"],
)
@given(x=series)
def test_each_rule_flags_what_its_definition_flags(rules: Rules, x: list[float]) -> None:
    flags = rule_flags(np.array(x), 0.0, 1.0, rules)

    assert list(flags) == list(ALL_CODES)
    for code, flagged in flags.items():
        expected = [slow(code, x, place, rules) for place in range(len(x))]
        assert flagged.tolist() == expected, code


@given(x=series, shift=st.integers(-20, 20), scale=st.sampled_from([0.5, 2.0, 4.0]))
def test_the_rules_know_neither_unit_nor_origin(x: list[float], shift: int, scale: float) -> None:
    moved = rule_flags(np.array(x) * scale + shift, float(shift), scale, EVERY)

    for code, flagged in rule_flags(np.array(x), 0.0, 1.0, EVERY).items():
        assert moved[code].tolist() == flagged.tolist()


def test_the_point_on_the_other_side_is_not_flagged() -> None:
    flags = rule_flags(np.array([2.5, 2.6, -2.5, 2.5]), 0.0, 1.0)

    assert flags["nelson5"].tolist() == [False, True, False, True]


def test_a_gap_ends_a_run() -> None:
    x = np.array([1.0] * 5 + [np.nan] + [1.0] * 8)

    assert not rule_flags(x, 0.0, 1.0)["nelson2"].any()
    assert not rule_flags(x, 0.0, 1.0)["nelson7"].any()


def test_a_point_lists_every_rule_that_it_breaks() -> None:
    flags = rule_flags(np.array([0.1, 3.5, 3.5]), 0.0, 1.0, EVERY)

    assert signals_of(flags) == (
        (1, ("nelson1", "we1")),
        (2, ("nelson1", "nelson5", "we1", "we2")),
    )


def test_lines_may_differ_from_point_to_point() -> None:
    flags = rule_flags(np.array([2.0, 2.0, 2.0]), 0.0, np.array([1.0, 0.5, 0.6]))

    assert flags["nelson1"].tolist() == [False, True, True]


def test_a_rule_that_is_off_flags_nothing_and_still_has_words() -> None:
    rules = replace(NELSON, nelson3=None)

    assert "nelson3" not in rule_flags(np.zeros(3), 0.0, 1.0, rules)
    assert rule_text("nelson3", rules).startswith("6 ")


@pytest.mark.parametrize("code", [*ALL_CODES, "beyond", "run_length"])
def test_every_rule_has_words(code: str) -> None:
    assert "{" not in rule_text(code, NELSON) + rule_text(code, WESTERN_ELECTRIC)


def test_counting_steps_asks_for_a_point_more() -> None:
    steps = replace(NELSON, trend_counts="steps", alternation_counts="steps")

    assert rule_text("nelson3", steps).startswith("7 ")
    assert rule_text("nelson4", steps).startswith("15 ")
