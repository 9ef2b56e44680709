"""The whole open set of questions, asked of the real program."""

from pathlib import Path

from tests.offline.asked.making import OPEN
from tests.offline.asking import Scored, ask_all, figures, questions

LEAST_RIGHT = 95.0  # percent
MOST_WRONG = 1.0  # percent: wrong with confidence


async def test_nearly_all_open_questions_are_answered_right(home: Path) -> None:
    scored = await ask_all(questions(OPEN))

    shares = figures(scored)
    assert len(scored) > 300
    assert shares["right"] >= LEAST_RIGHT, _told(scored)
    assert shares["wrong"] <= MOST_WRONG, _told(scored)


def _told(scored: list[Scored]) -> str:
    """What was not right, a line each."""
    lines = [
        f"{each.verdict} {each.question['id']} {each.question['question']}: {each.heard.text[:120]}"
        for each in scored
        if each.verdict != "right"
    ]
    return "\n".join(lines)
