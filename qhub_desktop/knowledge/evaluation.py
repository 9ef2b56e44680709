"""Evaluation of the search: how often it finds the right passages of questions that are given."""

from __future__ import annotations  # NumPy is loaded with the first vectors

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError, parse_json, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.ranking import WordIndex, ranked
from qhub_desktop.knowledge.vectors import CentredRows
from qhub_desktop.knowledge.words import asked_codes, codes, is_lookalike, terms

if TYPE_CHECKING:
    from qhub_desktop.knowledge.embedding import TextEmbedder

RelatedTerms = Callable[[str], Collection[str]]
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A question, and the passages that answer it by their names; `kind` groups questions."""

    question: str
    gold: frozenset[str]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Texts of passages by their names, and what is asked of them."""

    passages: dict[str, str]
    questions: tuple[AskedPassage, ...]


def read_evaluation_set(file: Path) -> EvaluationSet:
    """Return what stands in a JSON file.

    It has the form {"passages": [{"id", "text"}], "questions": [{"q", "gold": [id], "kind"}]}.
    Raises UserError where it has another.
    """
    try:
        content: Any = parse_json(read_regular(file, most_bytes=MOST_BYTES).decode("utf-8"))
        return EvaluationSet(
            {str(each["id"]): str(each["text"]) for each in content["passages"]},
            tuple(
                AskedPassage(
                    str(each["q"]), frozenset(map(str, each["gold"])), str(each.get("kind", ""))
                )
                for each in content["questions"]
            ),
        )
    except (MalformedContentError, UnicodeDecodeError, KeyError, TypeError) as error:
        text = _("{file} has no passages and questions in the form that is asked for.")
        raise UserError(text.format(file=file.name)) from error


class PassagesInMemory:
    """Passages that are searched as the stored ones are, and kept nowhere.

    `embedder` is None where they are searched by words alone.
    """

    def __init__(
        self,
        passages: dict[str, str],
        *,
        embedder: TextEmbedder | None = None,
        related: RelatedTerms = lambda _question: (),
    ) -> None:
        texts = list(passages.values())
        self._names = list(passages)
        self._words = WordIndex([terms(text) for text in texts])
        self._codes = [codes(text) for text in texts]
        self._embedder, self._related = embedder, related
        self._vectors = None if embedder is None else CentredRows(embedder.embed(texts, "passage"))

    def search(self, question: str) -> list[str]:
        """Return the names of passages, best first."""
        asked = asked_codes(question)
        own = terms(question)
        order = ranked(
            words=self._words.scores(own),
            related=self._words.scores(set(self._related(question)) - set(own)),
            cosines=self._cosines(question),
            exact={
                number: count
                for number, found in enumerate(self._codes)
                if (count := len(set(found).intersection(asked)))
            },
            lookalikes=set(self._lookalikes(asked)),
        )
        return [self._names[number] for number, _score in order]

    def _cosines(self, question: str) -> dict[int, float]:
        if self._embedder is None or self._vectors is None:
            return {}
        found = self._vectors.cosines(self._embedder.embed([question], "query")[0])
        return dict(enumerate(found.tolist()))

    def _lookalikes(self, asked: Sequence[str]) -> Iterator[int]:
        known = {code for found in self._codes for code in found}
        missing = [code for code in asked if code not in known]
        for number, found in enumerate(self._codes):
            if not known.intersection(asked) and any(
                is_lookalike(code, other) for code in missing for other in found
            ):
                yield number


def evaluated(
    questions: Sequence[AskedPassage], search: Callable[[str], Sequence[str]]
) -> dict[str, Any]:
    """Return how well a search answers questions, in shares of 1.

    The first hit is right (`hit1`), a right one is among five or twenty (`recall5`, `recall20`),
    the mean of one divided by its place (`mrr`); the same by the kinds of questions; and the 95th
    percentile of the milliseconds that a question takes.
    """
    ranks, times_ms = list[int](), list[float]()
    for asked in questions:
        began = time.perf_counter()
        found = search(asked.question)
        times_ms.append((time.perf_counter() - began) * 1000)
        places = (place for place, name in enumerate(found, 1) if name in asked.gold)
        ranks.append(next(places, 0))
    kinds = dict.fromkeys(asked.kind for asked in questions if asked.kind)
    return {
        **_figures(ranks),
        "ms_p95": round(_percentile(times_ms, 0.95), 1),
        "by_kind": {
            kind: _figures(
                [rank for rank, asked in zip(ranks, questions, strict=True) if asked.kind == kind]
            )
            for kind in kinds
        },
    }


def _figures(ranks: Sequence[int]) -> dict[str, Any]:
    def share(most: int) -> float:
        return round(fmean([0 < rank <= most for rank in ranks] or [0.0]), 4)

    return {
        "n": len(ranks),
        "hit1": share(1),
        "recall5": share(5),
        "recall20": share(20),
        "mrr": round(fmean([1 / rank if rank else 0.0 for rank in ranks] or [0.0]), 4),
    }


def _percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
