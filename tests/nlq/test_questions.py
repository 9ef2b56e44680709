"""All questions, those put aside too, asked of the real program."""

from pathlib import Path

import pytest

from tests.nlq.ask_all import Scored, ask_all, figures, questions
from tests.nlq.questions.question import ASIDE, OPEN


@pytest.mark.parametrize(
    ("asked", "count", "least_right", "most_wrong"),  # in percent; wrong: with confidence
    [
        pytest.param(OPEN, 339, 95.0, 1.0, id="open"),
        pytest.param(ASIDE, 101, 90.0, 1.0, id="aside"),
    ],
)
async def test_nearly_all_questions_are_answered_right(
    home: Path, asked: Path, count: int, least_right: float, most_wrong: float
) -> None:
    scored = await ask_all(questions(asked))

    shares = figures(scored)
    assert len(scored) == count
    assert shares["right"] >= least_right, _told(scored)
    assert shares["wrong"] <= most_wrong, _told(scored)


def _told(scored: list[Scored]) -> str:
    """What was not right, a line each."""
    lines = [
        f"{each.verdict} {each.question['id']} {each.question['question']}: {each.heard.text[:120]}"
        for each in scored
        if each.verdict != "right"
    ]
    return "\n".join(lines)
