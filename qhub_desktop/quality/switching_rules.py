"""Switching rules of sampling inspection: when lots are inspected tightened, reduced or not at all.

Source: ISO 2859-1:1999, 9.3, with its switching score in place of the limit numbers of older
editions; a plan of reduced inspection with a gap between its two numbers is that of Z1.4.
"""

from dataclasses import replace

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.acceptance_sampling import SamplingPlan, accept_one_step_tighter

_WINDOW = 5  # lots in a row
_REJECTED_OF_WINDOW = 2  # that tighten
_REJECTED_AT_ALL = 5  # on tightened inspection, that end it
_SCORE_FOR_REDUCED = 30
_LARGE_ACCEPT = 2  # from here on, a lot has to be better than its AQL asks for


@dataclass(frozen=True, slots=True)
class SwitchingState:
    """Where the inspection of a characteristic stands: what the next lot is inspected by.

    `lately` tells of the last lots under this severity, up to five, whether each was accepted;
    `rejected` counts those rejected on tightened inspection. A `is_stopped` inspection goes on
    once the supplier has improved.
    """

    severity: str = "normal"
    score: int = 0
    lately: tuple[bool, ...] = ()
    rejected: int = 0
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class JudgedLot:
    """A lot after its inspection, the state from then on, and why that changed ("" if not)."""

    is_accepted: bool
    state: SwitchingState
    why: str


def judged_lot(state: SwitchingState, plan: SamplingPlan, found: int) -> JudgedLot:
    """Judge a lot by its plan, in which so many nonconforming units were found."""
    is_accepted = found < plan.reject
    lately = (*state.lately, is_accepted)[-_WINDOW:]
    now = replace(state, lately=lately, score=_score(state.score, plan, found))
    match state.severity:
        case "reduced":
            if found <= plan.accept:
                return JudgedLot(is_accepted, now, "")
            why = (
                _("A lot was not accepted: back to normal.")
                if not is_accepted
                else _(
                    "More were found than the plan accepts: the next lot is inspected as normal."
                )
            )
            return JudgedLot(is_accepted, SwitchingState(), why)
        case "tightened":
            rejected = state.rejected + (not is_accepted)
            if rejected >= _REJECTED_AT_ALL:
                why = _(
                    "Five lots were not accepted on tightened inspection: accept none until the"
                    " supplier has improved."
                )
                return JudgedLot(is_accepted, replace(now, rejected=rejected, is_stopped=True), why)
            if len(lately) == _WINDOW and all(lately):
                why = _("Five lots in a row were accepted: back to normal.")
                return JudgedLot(is_accepted, SwitchingState(), why)
            return JudgedLot(is_accepted, replace(now, rejected=rejected, score=0), "")
        case _:
            if lately.count(False) >= _REJECTED_OF_WINDOW:
                why = _("Two of five lots or fewer were not accepted: tightened from now on.")
                return JudgedLot(is_accepted, SwitchingState("tightened"), why)
            if now.score >= _SCORE_FOR_REDUCED:
                why = _(
                    "The switching score has reached 30: reduced from now on, where production is"
                    " steady and reduced inspection is wanted."
                )
                return JudgedLot(is_accepted, SwitchingState("reduced"), why)
            return JudgedLot(is_accepted, now, "")


def _score(score: int, plan: SamplingPlan, found: int) -> int:
    """Return the switching score after a lot of normal inspection (ISO 2859-1, 9.3.3.2)."""
    if plan.severity != "normal":
        return 0
    if plan.accept >= _LARGE_ACCEPT:
        return score + 3 if found <= accept_one_step_tighter(plan) else 0
    return score + 2 if found <= plan.accept else 0
