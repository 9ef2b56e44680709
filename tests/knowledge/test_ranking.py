"""Ranking of passages."""

import sqlite3

import pytest

from qhub_desktop.knowledge.ranking import WordIndex, ranked, related_terms, vocabulary_of
from qhub_desktop.knowledge.words import is_lookalike

TEXTS = [
    "polir peca duas vezes polir",
    "estufa verniz grau minut",
    "peca verniz polir lixa agua boina rotac",
    "gruas logis camia",
]


def test_meaning_and_words_are_added_each_as_a_share_of_the_best() -> None:
    found = ranked(words={1: 4.0, 2: 2.0}, related={}, cosines={1: 0.8, 2: 0.9, 3: 0.7}, exact={})

    assert [key for key, _score in found] == [2, 1, 3]
    assert [score for _key, score in found] == pytest.approx([1 + 0.5 * 0.5, 0.5 + 0.5, 0.0])


def test_words_that_mean_the_same_count_half() -> None:
    found = ranked(words={1: 2.0}, related={2: 2.0, 1: 4.0}, cosines={}, exact={})

    assert dict(found) == pytest.approx({1: 1.0, 2: 0.25})


def test_passages_with_the_codes_of_the_question_come_first() -> None:
    found = ranked(words={1: 9.0, 2: 1.0}, related={}, cosines={1: 0.9, 2: 0.1}, exact={3: 1, 2: 2})

    assert [key for key, _score in found] == [2, 3, 1]


def test_a_lookalike_of_a_code_that_stands_nowhere_is_left_out() -> None:
    found = ranked(words={1: 9.0, 2: 1.0}, related={}, cosines={}, exact={}, lookalikes={1})

    assert [key for key, _score in found] == [2]
    assert ranked(words={}, related={}, cosines={}, exact={}) == []


@pytest.mark.parametrize(
    ("other", "is_one"),
    [("E-3024", True), ("E-1107", True), ("E-3042", False), ("F-3042", False), ("3042", False)],
)
def test_codes_of_the_same_letters_look_alike(other: str, *, is_one: bool) -> None:
    assert is_lookalike("E-3042", other) is is_one


def test_scores_of_words_are_those_of_fts5() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE passage USING fts5 (terms)")
    database.executemany("INSERT INTO passage VALUES (?)", [(text,) for text in TEXTS])
    query = "SELECT rowid - 1, -bm25(passage) FROM passage WHERE terms MATCH 'polir OR boina'"
    expected = dict(database.execute(query).fetchall())
    database.close()

    found = WordIndex([text.split() for text in TEXTS]).scores(["polir", "boina", "nunca"])

    assert found == pytest.approx(expected)
    assert WordIndex([]).scores(["polir"]) == {}


def test_a_question_has_the_other_words_for_its_words_and_phrases() -> None:
    vocabulary = vocabulary_of(
        [["sujidade", "lixo", "pó de lixa"], ["casca de laranja", "ondulação"], ["", "a"]]
    )

    assert related_terms("peças com lixo", vocabulary) == ("sujid",)
    assert related_terms("casca de laranja no capô", vocabulary) == ("ondul",)
    assert related_terms("laranja e sujidade, lixo", vocabulary) == ()
