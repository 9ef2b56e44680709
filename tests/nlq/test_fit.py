"""The limits of the choice between plans: fitted on questions, never set by hand."""

from dataclasses import replace

from qhub_desktop.nlq.dialogue.selection import LIMITS_FILE, Limits
from tests.nlq.fit import NEVER, Asked, figures, fitted, kept, written

SURE = Asked("one", "table", "", "agreed", 0.2, 0.9, "right", 1, 0)


def test_the_limits_are_those_that_the_kept_questions_come_to() -> None:
    assert LIMITS_FILE.read_text(encoding="utf-8") == written(kept())


def test_hardly_anything_is_answered_wrong_at_once() -> None:
    counts = figures(kept(), fitted(kept()))

    shares = {name: told["wrong"] / sum(told.values()) for name, told in counts.items()}
    assert {name for name, share in shares.items() if share > 0.02} == {
        "second, at first",  # before its kinds were mended
        "second, at first, left out",
    }


def test_limits_keep_out_what_was_wrong() -> None:
    wrong = [replace(SURE, lead=0.1, outcome="wrong") for _ in range(10)]

    limits = fitted([SURE] * 40 + wrong)["agreed"]

    assert limits == Limits(0.2, 0.5)


def test_nothing_is_answered_by_limits_that_few_questions_tried() -> None:
    assert fitted([SURE] * 3)["agreed"] == NEVER


def test_what_is_not_answered_is_listed() -> None:
    limits = {**fitted([]), "agreed": Limits(0.1, 0.2)}

    assert SURE.under(limits) == "listed right"
    assert replace(SURE, place=0).under(limits) == "listed without"
    assert replace(SURE, may_ask=1, place=0).under(limits) == "right"
    assert replace(SURE, cost=0.1).under(limits) == "right"
