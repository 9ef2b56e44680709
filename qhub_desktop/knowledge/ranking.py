"""Ranking of passages by what a search knows of them: words, codes and meaning."""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from qhub_desktop.knowledge.words import terms

Key = TypeVar("Key", bound=Hashable)
Vocabulary = Mapping[tuple[str, ...], Collection[str]]
"""Terms of a word or phrase, and the terms of others that mean the same."""

WORDS_WEIGHT = 0.5  # of words beside meaning; both are 1 for the best passage
RELATED_WEIGHT = 0.5  # of a word that means the same as one of the question
# BM25 as FTS5 reckons it: how soon a repeated word counts no more, how much a long passage loses.
SATURATION, LENGTH_SHARE, LEAST_RARITY = 1.2, 0.75, 1e-6


def ranked(
    *,
    words: Mapping[Key, float],
    related: Mapping[Key, float],
    cosines: Mapping[Key, float],
    exact: Mapping[Key, int],
    lookalikes: Collection[Key] = (),
) -> list[tuple[Key, float]]:
    """Return passages with their scores, best first.

    `words` and `related` are BM25 by the question's own words and by words that mean the same,
    `cosines` those of the vectors, {} where there are none: a passage may be missing in any.
    `exact` tells how many of the question's codes stand in a passage: such passages come before
    all others. `lookalikes` have only codes that resemble one that stands nowhere: left out.
    """
    lexical = dict(words)
    for key, score in related.items():
        lexical[key] = lexical.get(key, 0.0) + RELATED_WEIGHT * score
    top = max(lexical.values(), default=0.0) or 1.0
    low, high = min(cosines.values(), default=0.0), max(cosines.values(), default=0.0)
    scale = (high - low) or 1.0
    scores = {key: (cosine - low) / scale for key, cosine in cosines.items()}
    weight = WORDS_WEIGHT if cosines else 1.0
    for key, score in lexical.items():
        scores[key] = scores.get(key, 0.0) + weight * score / top
    for key in exact:
        scores.setdefault(key, 0.0)
    for key in lookalikes:
        scores.pop(key, None)
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    if exact:
        order.sort(key=lambda key: exact.get(key, 0), reverse=True)
    return [(key, scores[key]) for key in order]


def related_terms(question: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return terms that mean what words and phrases of a question mean, without its own."""
    own = terms(question)
    longest = max(map(len, vocabulary), default=0)
    found = dict[str, None]()
    for start in range(len(own)):
        for end in range(start + 1, min(start + longest, len(own)) + 1):
            found.update(dict.fromkeys(vocabulary.get(own[start:end], ())))
    return tuple(term for term in found if term not in own)


def vocabulary_of(synonyms: Iterable[Iterable[str]]) -> Vocabulary:
    """Return the vocabulary of groups of words and phrases that mean the same.

    A phrase leads to other words, but none to a phrase: its words alone mean something else.
    """
    meant = dict[tuple[str, ...], dict[str, None]]()
    for group in synonyms:
        phrases = {terms(phrase): None for phrase in group}
        single = dict.fromkeys(phrase[0] for phrase in phrases if len(phrase) == 1)
        for phrase in filter(None, phrases):
            meant.setdefault(phrase, {}).update(single)
    return meant


class WordIndex:
    """An index of passages by their terms, in memory; scores as FTS5 gives them."""

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(passage) for passage in passages]
        self._lengths = [len(passage) for passage in passages]
        self._mean = sum(self._lengths) / len(passages) if passages else 0.0
        self._having = dict[str, list[int]]()
        for number, counts in enumerate(self._counts):
            for term in counts:
                self._having.setdefault(term, []).append(number)

    def scores(self, asked: Collection[str]) -> dict[int, float]:
        """Return BM25 of the passages that have one of the terms, by their numbers."""
        scores = dict[int, float]()
        for term in sorted(set(asked)):
            for number, score in self._scores_of(term):
                scores[number] = scores.get(number, 0.0) + score
        return scores

    def _scores_of(self, term: str) -> Iterator[tuple[int, float]]:
        having = self._having.get(term, [])
        others = len(self._counts) - len(having)
        rarity = max(math.log((others + 0.5) / (len(having) + 0.5)), LEAST_RARITY)
        for number in having:
            times = self._counts[number][term]
            length = 1 - LENGTH_SHARE + LENGTH_SHARE * self._lengths[number] / self._mean
            yield number, rarity * times * (SATURATION + 1) / (times + SATURATION * length)
