"""Passages found by words alone and by meaning, too: how often, how quickly, and the model itself.

Run it as `python -m tests.bench bench_passages`. The goals: the right passage first for 65 % of the
questions, among five for 72 %, codes always, 10 points of first hits above words alone; 200 ms a
question over 20,000 passages with its vector (95th percentile); vectors at least 0.999 to those of
the engine in C. The questions are those of `tests/knowledge/evaluation_set.py`; passages by number
are copies of theirs with vectors made up, which are scanned as real ones are.
"""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qhub_desktop.knowledge.embedding import ONE_THREAD, Embedder, TextKind

os.environ.update(ONE_THREAD)  # before NumPy is loaded, as in the child of documents

import numpy as np

import qhub_desktop.charts.catalogue  # noqa: F401  the lexicon has the words of charts
from qhub_desktop.knowledge.evaluation import (
    AskedPassage,
    PassagesInMemory,
    evaluated,
)
from qhub_desktop.knowledge.ranking import (
    WordIndex,
    ranked,
    related_terms,
    vocabulary_of,
)
from qhub_desktop.knowledge.words import terms
from qhub_desktop.nlq.lexicon import current_lexicon
from tests.bench.record import Figure, record
from tests.knowledge.evaluation_set import Questions, evaluation_content

NUMBERS = (1_000, 20_000, 100_000)
VECTORS = Path(__file__).parents[1] / "knowledge" / "e5_vectors.npz"
ROWS_AT_ONCE = 8_192


class Remembering:
    """The model, which embeds passages of both sets once."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self._embedder = embedder
        self._passages: tuple[list[str], Any] = ([], None)
        self.passages_s = 0.0

    def embed(self, texts: Sequence[str], kind: TextKind) -> Any:
        """Return the vectors, those of the same passages as before from memory."""
        if kind == "query":
            return self._embedder.embed(texts, kind)
        if self._passages[0] != list(texts):
            began = time.perf_counter()
            self._passages = (list(texts), self._embedder.embed(texts, kind))
            self.passages_s = time.perf_counter() - began
        return self._passages[1]


def quality(embedder: Remembering, questions: Questions) -> dict[str, Any]:
    """The figures of each engine on a set of questions."""
    content = evaluation_content(questions)
    passages = {each["id"]: each["text"] for each in content["passages"]}
    asked = [
        AskedPassage(each["q"], frozenset(each["gold"]), each["kind"])
        for each in content["questions"]
    ]
    vocabulary = vocabulary_of(current_lexicon().synonyms(("pt", "en")))
    rows: dict[str, Any] = {}
    for engine in ("words", "hybrid"):
        searched = PassagesInMemory(
            passages,
            embedder=embedder if engine == "hybrid" else None,
            related=lambda question: related_terms(question, vocabulary),
        )
        found = evaluated(asked, searched.search)
        kinds = {f"{kind} hit1": each["hit1"] for kind, each in found.pop("by_kind").items()}
        rows[f"{questions}, {engine}"] = {**found, **kinds}
    return rows


def by_number(embedder: Embedder, number: int) -> dict[str, Figure]:
    """How long a question takes over so many passages, in its parts and in all."""
    content = evaluation_content("open")
    texts = [terms(each["text"]) for each in content["passages"]]
    index = WordIndex([texts[place % len(texts)] for place in range(number)])
    chance = np.random.default_rng(37)
    matrix = chance.standard_normal((number, 384), np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    halves = matrix.astype(np.float16)
    parts: dict[str, list[float]] = {"vector": [], "words": [], "scan": [], "rank": [], "all": []}
    for each in content["questions"]:
        times = [time.perf_counter()]
        vector = embedder.embed([each["q"]], "query")[0]
        times.append(time.perf_counter())
        words = index.scores(terms(each["q"]))
        times.append(time.perf_counter())
        starts = range(0, number, ROWS_AT_ONCE)
        cosines = np.concatenate(
            [halves[start : start + ROWS_AT_ONCE].astype(np.float32) @ vector for start in starts]
        )
        times.append(time.perf_counter())
        ranked(words=words, related={}, cosines=dict(enumerate(cosines.tolist())), exact={})
        times.append(time.perf_counter())
        steps = np.diff(times) * 1000
        for name, step in zip(parts, [*steps, steps.sum()], strict=True):
            parts[name].append(float(step))
    return {f"{name}_p95_ms": float(np.quantile(steps, 0.95)) for name, steps in parts.items()}


def fidelity(embedder: Embedder) -> dict[str, Figure]:
    """How close the vectors are to those of the engine in C."""
    with np.load(VECTORS) as kept:
        texts, kinds = json.loads(kept["texts"].tobytes())
        expected = kept["vectors"].astype(np.float32)
    cosines = [
        float(embedder.embed([text], kind)[0] @ vector)
        for text, kind, vector in zip(texts, kinds, expected, strict=True)
    ]
    return {"texts": len(texts), "least_cosine": min(cosines)}


def main() -> None:
    """Measure everything."""
    began = time.perf_counter()
    embedder = Embedder.load()
    load_s = time.perf_counter() - began
    remembering = Remembering(embedder)
    sets: tuple[Questions, ...] = ("open", "kept", "reworded")
    figures: dict[str, Any] = {}
    for questions in sets:
        figures |= quality(remembering, questions)
    passages = evaluation_content("open")["passages"]
    figures |= {f"{number:,} passages": by_number(embedder, number) for number in NUMBERS}
    figures["the engine in C"] = fidelity(embedder)
    figures["passages_a_minute"] = 60 * len(passages) / remembering.passages_s
    figures["characters_a_passage"] = sum(len(each["text"]) for each in passages) / len(passages)
    figures["model_load_s"] = load_s
    record("passages", figures)


if __name__ == "__main__":
    main()
