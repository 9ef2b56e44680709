"""Evaluation of the search, and what it finds without the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.knowledge.evaluation import (
    AskedPassage,
    EvaluationSet,
    PassagesInMemory,
    evaluated,
    read_evaluation_set,
)
from qhub_desktop.knowledge.vectors import CentredRows
from tests.knowledge.evaluation_set import evaluation_content

if TYPE_CHECKING:
    from qhub_desktop.knowledge.embedding import Floats, TextKind


class ByLetters:
    """An embedder that is not the model: how often each letter stands in a text."""

    model = "letters"

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        assert kind in ("query", "passage")
        rows = [[text.count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts]
        vectors = np.array(rows, np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@cache
def workshop() -> EvaluationSet:
    content = evaluation_content("open", others=100)
    return EvaluationSet(
        {each["id"]: each["text"] for each in content["passages"]},
        tuple(
            AskedPassage(each["q"], frozenset(each["gold"]), each["kind"])
            for each in content["questions"]
        ),
    )


def test_figures_are_shares_of_the_questions() -> None:
    answers = {"first": ["a", "b"], "third": ["x", "y", "a"], "never": ["x"], "sixth": [*"vwxyza"]}
    asked = [
        AskedPassage(each, frozenset("a"), "code" if each == "first" else "") for each in answers
    ]

    found = evaluated(asked, answers.__getitem__)

    assert (found["n"], found["hit1"], found["recall5"], found["recall20"]) == (4, 0.25, 0.5, 0.75)
    assert found["mrr"] == pytest.approx((1 + 1 / 3 + 1 / 6) / 4, abs=1e-4)
    assert found["by_kind"] == {
        "code": {"n": 1, "hit1": 1.0, "recall5": 1.0, "recall20": 1.0, "mrr": 1.0}
    }


def test_no_question_gives_figures_too() -> None:
    assert evaluated([], lambda _question: [])["n"] == 0


def test_every_code_of_the_workshop_is_found_first() -> None:
    passages = PassagesInMemory(workshop().passages)
    codes = [each for each in workshop().questions if each.kind == "code"]

    assert len(codes) == 16
    assert evaluated(codes, passages.search)["hit1"] == 1.0


def test_words_alone_find_most_passages_of_the_workshop() -> None:
    found = evaluated(workshop().questions, PassagesInMemory(workshop().passages).search)

    assert found["n"] == 64
    assert found["recall5"] >= 0.8


def test_a_lookalike_never_stands_in_the_place_of_a_code() -> None:
    passages = PassagesInMemory(workshop().passages, embedder=ByLetters())

    assert passages.search("alarme E-3042")[0] == "k06"
    assert not {"k06", "k07", "k08"}.intersection(passages.search("alarme E-9042 do robô"))


def test_vectors_find_what_words_do_not() -> None:
    texts = {"words": "o verniz", "letters": "zzzzzz"}

    by_words = PassagesInMemory(texts).search("zzz")
    by_both = PassagesInMemory(texts, embedder=ByLetters()).search("zzz")

    assert by_words == []
    assert by_both == ["letters", "words"]


def test_other_words_for_the_question_find_a_passage() -> None:
    texts = {"a": "lixo na peça", "b": "camião atrasado"}

    found = PassagesInMemory(texts, related=lambda _question: ["lixo"]).search("sujidade")

    assert found == ["a"]


def test_a_set_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(evaluation_content("open", others=100)), encoding="utf-8")

    assert read_evaluation_set(file) == workshop()


@pytest.mark.parametrize("content", ["", "[]", '{"passages": [{"id": 1}], "questions": []}', "{}"])
def test_another_file_is_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content, encoding="utf-8")

    with pytest.raises(UserError, match=r"other\.json"):
        read_evaluation_set(file)


def test_what_all_passages_share_does_not_count() -> None:
    shared = np.array([10, 0, 0], np.float32)
    rows = (shared + np.eye(3, dtype=np.float32)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    found = CentredRows(rows).cosines(rows[1])

    centred = rows - rows.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    assert found == pytest.approx(centred @ centred[1], abs=1e-3)
    assert max(found[0], found[2]) < 0.1 < found[1]
