"""Search of passages by words, by codes and by meaning; run in the child of documents."""

from collections.abc import Collection, Sequence

from qhub_desktop.core.documents import Passage, SearchEngine
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.embedding import Embedder
from qhub_desktop.knowledge.ranking import ranked
from qhub_desktop.knowledge.vectors import VectorMatrix, packed_vectors
from qhub_desktop.knowledge.words import asked_codes, is_lookalike, terms
from qhub_desktop.store.document_index import DocumentIndex

MOST_COMPARED = 500  # passages by meaning: more than a search may return


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question to passages. `hashes` are the SHA-256 of the documents that may be found.

    `related` are other words for what is asked, of half the weight. `vector` is that of the
    question where another program has made it, by `model`; "" for words alone.
    """

    question: str
    hashes: tuple[str, ...]
    count: int
    model: str = ""
    vector: tuple[float, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that a search found, with its document by its bytes; the rest as `DocumentHit`."""

    sha256: str
    passage: Passage
    score: float
    is_exact: bool
    share: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """Passages that a search found, best first; `found` before the limit."""

    engine: SearchEngine
    found: int
    passages: tuple[RankedPassage, ...]


class PassageSearch:
    """Searches an index, for one thread at a time; keeps model and vectors between questions."""

    def __init__(self, index: DocumentIndex) -> None:
        self._index = index
        self._matrices: dict[str, VectorMatrix] = {}
        self._embedder: Embedder | None = None

    def answer(self, asked: SearchRequest) -> Ranked:
        """Return the passages that fit a question best, of the documents that may be found."""
        contents = self._index.allowed(frozenset(asked.hashes))
        own, codes = set(terms(asked.question)), asked_codes(asked.question)
        words, related = self._index.match(own), self._index.match(set(asked.related) - own)
        exact = self._index.with_codes(codes)
        places = self._index.contents_of([*words, *related, *exact])
        may_be_found = frozenset(contents)
        of_these = {id_ for id_, content in places.items() if content in may_be_found}
        exact = {id_: count for id_, count in exact.items() if id_ in of_these}
        cosines = self._cosines(asked, contents, of_these)
        lookalikes = self._lookalikes(codes) if codes and not exact else set[int]()
        order = ranked(
            words={id_: score for id_, score in words.items() if id_ in of_these},
            related={id_: score for id_, score in related.items() if id_ in of_these},
            cosines=cosines,
            exact=exact,
            lookalikes=lookalikes,
        )
        best = order[: asked.count]
        passages = self._index.found([id_ for id_, _score in best])
        return Ranked(
            "hybrid" if cosines else "words",
            max(len(of_these - lookalikes), len(best)),
            tuple(
                RankedPassage(
                    passages[id_].sha256,
                    passages[id_].passage,
                    score,
                    is_exact=id_ in exact,
                    share=_share(own, passages[id_].passage),
                )
                for id_, score in best
                if id_ in passages
            ),
        )

    def embed_some(self, most: int) -> int:
        """Make the vectors of so many passages that have none; return how many were made.

        Raises UserError where the model is missing.
        """
        lacking = self._index.without_vector(Embedder.model, most)
        if lacking:
            texts = [searched_text(each.passage) for each in lacking]
            vectors = packed_vectors(self._loaded().embed(texts, "passage"))
            packed = {each.id: vector for each, vector in zip(lacking, vectors, strict=True)}
            self._index.keep_vectors(Embedder.model, packed)
        return len(lacking)

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            self._embedder = Embedder.load()
        return self._embedder

    def _cosines(
        self, asked: SearchRequest, contents: list[int], also: Collection[int]
    ) -> dict[int, float]:
        """Return the cosines with the question that can matter; {} where there are no vectors."""
        if not asked.model:
            return {}
        import numpy as np

        if asked.vector:
            vector = np.asarray(asked.vector, dtype=np.float32)
            vector /= max(float(np.linalg.norm(vector)), 1e-12)
        else:
            try:
                vector = self._loaded().embed([asked.question], "query")[0]
            except UserError:  # its file is gone: words alone, as the engine of the result says
                return {}
        matrix = self._matrices.setdefault(asked.model, VectorMatrix())
        matrix.add(self._index.vectors(asked.model, after=matrix.last))
        return matrix.cosines(vector, contents, most=MOST_COMPARED, also=[*also])

    def _lookalikes(self, codes: Sequence[str]) -> set[int]:
        """Return passages with codes that only resemble those asked for, which stand nowhere."""
        alike = [
            known
            for known in self._index.codes()
            if any(is_lookalike(code, known) for code in codes)
        ]
        return set(self._index.with_codes(alike))


def searched_text(passage: Passage) -> str:
    """Return what a passage is found by: the headings above it that are not in it, and its text."""
    above = (each for each in passage.place.headings if each not in passage.text)
    return "\n".join((*above, passage.text))


def _share(words: set[str], passage: Passage) -> float:
    there = words.intersection(terms(searched_text(passage)))
    return len(there) / len(words) if words else 0.0
