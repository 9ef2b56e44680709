"""A question's words before they are read: comparisons put together, near words put in place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from qhub_desktop.nlq.language_files import small_words
from qhub_desktop.nlq.lexicon import Token, vocabulary
from qhub_desktop.nlq.query_ast import Relation
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import figure

RELATIONS: dict[str, Relation] = {
    "#above": "above",
    "#at_least": "at least",
    "#below": "below",
    "#at_most": "at most",
    "#equal": "is",
}
_AFTERWARDS: dict[str, Relation] = {"#or_more": "at least", "#or_less": "at most"}
_AND = small_words("and")
_TO = small_words("to") | _AND
_MEASURES = frozenset(["#mean", "#max", "#min", "#median", "#std", "#sum"])
_ORDINAL = re.compile(rf"(\d{{1,3}})(?:{'|'.join(small_words('ordinal_ending'))})")
_UNITS = small_words("unit")
COMPARED = "#compared"


@dataclass(frozen=True, slots=True)
class Comparison(Token):
    """'maior que 5', 'entre 3 e 7', '20 ou mais': a relation with its numbers."""

    relation: Relation = "is"
    numbers: tuple[float, ...] = ()


def apply_token_rules(index: SchemaIndex, words: Sequence[Token]) -> list[Token]:
    """The words that mean something, ready to be read over one data set."""
    tokens = [*_with_comparisons([*_without_units(words)])]
    tokens = _points(index, [token for token in tokens if token.lemma])
    tokens = [
        token if index.values_at(tokens, place) else _near(index, token)
        for place, token in enumerate(tokens)
    ]
    return _measures_first(index, tokens)


def number_of(token: Token) -> float | None:
    """The number that a word is."""
    text = token.words[0].plain
    if text in vocabulary().numbers:
        return vocabulary().numbers[text]
    ordinal = _ORDINAL.fullmatch(text)
    return float(ordinal[1]) if ordinal else figure(text)


def _points(index: SchemaIndex, tokens: Sequence[Token]) -> list[Token]:
    """'ponto 4' is what columns call P4."""
    joined: list[Token] = []
    for token in tokens:
        mark = f"p{token.words[0].plain}"
        if joined and joined[-1].lemma == "point" and mark in index.known:
            joined[-1] = Token((*joined[-1].words, *token.words), mark)
        else:
            joined.append(token)
    return joined


def _without_units(words: Sequence[Token]) -> Iterator[Token]:
    """'20 min' is 20, where 'min' alone would be a minimum."""
    for before, token in pairwise((None, *words)):
        assert token is not None
        is_unit = token.words[0].plain in _UNITS
        if not (is_unit and before is not None and figure(before.words[0].plain) is not None):
            yield token


def _with_comparisons(words: Sequence[Token]) -> Iterator[Token]:
    place = 0
    while place < len(words):
        found = _comparison(words, place)
        if found is None:
            yield words[place]
            place += 1
            continue
        made, length = found
        yield made
        place += length


def _comparison(words: Sequence[Token], place: int) -> tuple[Comparison, int] | None:
    token = words[place]
    if token.lemma == "#between":
        return _range(words, place, place + 1)
    if (relation := RELATIONS.get(token.lemma)) is not None:
        # 'maior ou igual a 5', 'acima dos 5': words that only join may stand between.
        at = place + 1
        while at < len(words) and not words[at].lemma:
            at += 1
        if at < len(words) and (number := number_of(words[at])) is not None:
            made = words[place : at + 1]
            return _made(made, relation, number), len(made)
        return None
    first = figure(token.words[0].plain)
    if first is None:
        return None
    for at in (place + 1, place + 2):
        if at < len(words) and (relation := _AFTERWARDS.get(words[at].lemma)) is not None:
            if at == place + 1 or not words[place + 1].lemma:
                return _made(words[place : at + 1], relation, first), at + 1 - place
            return None
    return _bare_range(words, place)


def _range(words: Sequence[Token], place: int, at: int) -> tuple[Comparison, int] | None:
    """Two numbers after 'entre'."""
    numbers: list[float] = []
    end = at
    while end < len(words) and len(numbers) < 2:
        number = figure(words[end].words[0].plain)
        if number is not None:
            numbers.append(number)
        elif words[end].lemma not in ("", "#again"):
            return None
        end += 1
    if len(numbers) < 2:
        return None
    made = words[place:end]
    return _made(made, "between", *sorted(numbers)), len(made)


def _bare_range(words: Sequence[Token], place: int) -> tuple[Comparison, int] | None:
    """'2 a 4', '2 to 4', of which the column tells what they are."""
    if place + 2 >= len(words) or words[place + 1].words[-1].plain not in _TO:
        return None
    if words[place + 1].lemma == "#again" and words[place + 1].words[0].plain in _AND:
        return None  # 'as posições 2 e 4' are two
    first, second = (figure(words[at].words[0].plain) for at in (place, place + 2))
    if first is None or second is None or first >= second:
        return None
    return _made(words[place : place + 3], "between", first, second), 3


def _made(words: Sequence[Token], relation: Relation, *numbers: float) -> Comparison:
    return Comparison(
        tuple(word for each in words for word in each.words), COMPARED, relation, numbers
    )


def _near(index: SchemaIndex, token: Token) -> Token:
    """What the data calls by a similar name, where it has no such thing itself."""
    if token.is_cue or (token.lemma in index.known and not _is_of_several(index, token)):
        return token
    for lemma in vocabulary().similar.get(token.lemma, ()):
        if lemma in index.known:
            return replace(token, lemma=lemma)
    return token


def _is_of_several(index: SchemaIndex, token: Token) -> bool:
    """Whether a word stands in many values and for none: 'robô', of 'Robô 1' to 'Robô 3'."""
    is_named = token.lemma in index.parts or (token.lemma,) in index.values
    return not is_named and len(index.value_parts.get(token.lemma, ())) > 1


def _measures_first(index: SchemaIndex, tokens: Sequence[Token]) -> list[Token]:
    """'pressão máxima da bomba A' as 'máxima pressão bomba A', so that a name stays together."""
    ordered = [*tokens]
    for place, (before, after) in enumerate(pairwise(tokens)):
        if after.lemma in _MEASURES and place + 2 < len(tokens):
            named = set(index.parts.get(before.lemma, ()))
            if named & set(index.parts.get(tokens[place + 2].lemma, ())):
                ordered[place], ordered[place + 1] = after, before
    return ordered
