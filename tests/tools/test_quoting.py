"""Papers of a plant quoted without a model, and nothing claimed that they do not say."""

from pathlib import Path

import pytest

from tests.tools.quoted_papers import FOLDER, judged, papers, shares


@pytest.mark.parametrize("name", ["quotes_open", "quotes_kept", "quotes_kinds"])
async def test_papers_answer_most_questions_and_claim_almost_nothing_else(
    name: str, tmp_path: Path
) -> None:
    found = await judged(papers(FOLDER / f"{name}.toml"), tmp_path, words_only=True)

    wrong = [question for kind, question, _answer in found if kind == "wrong"]
    assert len(wrong) <= 1, wrong
    assert shares(found)["right_share"] >= 0.85
