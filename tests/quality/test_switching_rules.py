"""Switching rules: each transition of ISO 2859-1, figure 1, and the switching score."""

from collections.abc import Sequence

import pytest

from qhub_desktop.quality.acceptance_sampling import aql_plan
from qhub_desktop.quality.switching_rules import SwitchingState, judged_lot

GOOD, BAD = 0, 1000


def _after(state: SwitchingState, found: Sequence[int], *, aql: float = 1.0) -> SwitchingState:
    for each in found:
        plan = aql_plan(1000, aql, "II", state.severity)
        state = judged_lot(state, plan, each).state
    return state


@pytest.mark.parametrize(
    ("found", "severity"),
    [
        ([BAD, GOOD, GOOD, GOOD, BAD], "tightened"),  # two of five
        ([BAD, BAD], "tightened"),  # or fewer
        ([BAD, GOOD, GOOD, GOOD, GOOD, BAD], "normal"),  # two of six
    ],
)
def test_two_rejected_lots_of_five_tighten(found: list[int], severity: str) -> None:
    assert _after(SwitchingState(), found).severity == severity


def test_five_accepted_lots_in_a_row_end_tightened_inspection() -> None:
    tightened = SwitchingState("tightened")

    assert _after(tightened, [GOOD] * 4).severity == "tightened"
    assert _after(tightened, [GOOD] * 4 + [BAD] + [GOOD] * 4).severity == "tightened"
    assert _after(tightened, [GOOD] * 5) == SwitchingState()


def test_five_rejected_lots_under_tightened_inspection_stop_it() -> None:
    state = _after(SwitchingState("tightened"), [BAD, GOOD, BAD, GOOD, BAD, GOOD, BAD, GOOD])

    assert not state.is_stopped
    assert _after(state, [BAD]).is_stopped


def test_the_score_counts_two_for_small_acceptance_numbers() -> None:
    """Ac of 1 for J and 0.65 %: 15 accepted lots make the 30 that reduced inspection asks for."""
    assert aql_plan(1000, 0.65).accept == 1

    state = _after(SwitchingState(), [1] * 14, aql=0.65)
    assert (state.severity, state.score) == ("normal", 28)
    assert _after(state, [1], aql=0.65).severity == "reduced"
    assert _after(state, [2], aql=0.65).score == 0


def test_the_score_counts_three_where_a_lot_is_better_than_asked() -> None:
    """Ac of 5 for J and 2.5 %, and of 3 at the next AQL below: 3 found count, and 4 do not."""
    assert aql_plan(1000, 2.5).accept == 5

    state = _after(SwitchingState(), [3] * 9, aql=2.5)
    assert (state.severity, state.score) == ("normal", 27)
    assert _after(state, [3], aql=2.5).severity == "reduced"
    assert _after(state, [4], aql=2.5).score == 0


def test_reduced_inspection_ends_with_more_than_the_plan_accepts() -> None:
    reduced = SwitchingState("reduced")
    plan = aql_plan(1000, 1.0, "II", "reduced")
    assert (plan.sample_size, plan.accept, plan.reject) == (32, 1, 3)

    assert judged_lot(reduced, plan, 1).state.severity == "reduced"
    between = judged_lot(reduced, plan, 2)
    assert (between.is_accepted, between.state.severity) == (True, "normal")
    beyond = judged_lot(reduced, plan, 3)
    assert (beyond.is_accepted, beyond.state.severity) == (False, "normal")
