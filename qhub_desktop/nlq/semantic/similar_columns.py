"""Similar columns: which of several columns a word rather means.

Columns of one thing hold its number, its minutes, its price or its type. A noun may be what a
column tells the type or the number of, rather than a value that is spelled like it. What is asked
of columns and words alone, whatever stands around them, is answered here, too.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.text import words_of
from qhub_desktop.nlq.column_roles import (
    SHARING,
    by_statistic,
    flag_values,
    is_number_of,
    is_type_of,
    priced_unit,
    rate_in_name,
)
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.tokenizer import Word, normalize, stem, tokenize, unit, without_unit
from qhub_desktop.nlq.verbs import verbs

if TYPE_CHECKING:
    from qhub_desktop.nlq.semantic.schema_linking import ColumnLink, ValueLink
    from qhub_desktop.nlq.semantic.word_keys import WordKeys

_MUCH = words_by_role("how_much") | words_by_role("ranked_by") | words_by_role("much")
_SUBSTANCE = frozenset(["volume", "weight", "area", "energy"])
_TIMES = frozenset(["time", "minute", "hour", "second", "duration", "day"])
_OTHER_OF_NAME = 0.35  # minutes, where stops are counted; a target, where none is said
_ALIKE = 0.6  # from where on a word is rather a value that is spelled like it
_SAID_WITH_RATE, _SAID_BY_RATE = 0.15, 0.2  # what a column costs whose per cents are said
_NO_PRICE = 0.4  # 'preço' is no total where a column has prices
_OUTCOMES = frozenset(["status", "result", "disposition", "resolution", "phase"])
_DESCRIBING, _AS_NEAR = frozenset(["description", "text", "notes"]), 0.1
_NEAR = 0.6  # what a column costs at most that a word names by its meaning
_USED_UP = frozenset(["energy", "water", "gas", "fuel", "electricity", "material", "reading"])
_KINDS = frozenset(["type", "number", "id", "category"])
# What says that a column tells the type, the state or the number of something.
_SAYING_KIND = frozenset(["type", "number", "id", "code", "category", "status"])


def holds_time(index: SchemaIndex, name: str) -> bool:
    """Return whether a column of numbers holds lengths of time, by its unit: 'T.Par(min)'."""
    return index.is_measure(name) and domain_lexicon().concept_of_unit(unit(name)) in _TIMES


def numbered(index: SchemaIndex) -> frozenset[str]:
    """Return the concepts of which a column holds the number: stops, of 'Nr.Par'."""
    names = (each for each in index.measures if index.is_amount(each) and is_number_of(each))
    meant = frozenset[str]().union(*map(domain_lexicon().concepts_of_name, names))
    return meant - {"number", "quantity"}


def how_much_of(index: SchemaIndex, words: Sequence[Word], at: int, token: Token) -> str:
    """Return the column that tells how much there is of an uncountable thing, '' if none does.

    So 'mais leite' means the litres in a table of milk, where one column tells them.
    """
    before = words[at - 1].normalized if at else ""
    is_mass = before in _MUCH and not words[at].normalized.endswith("s")
    return _amount_of_substance(index) if is_mass and index.is_in_file_name(token) else ""


@lru_cache(maxsize=64)
def _amount_of_substance(index: SchemaIndex) -> str:
    told = {
        name: {domain_lexicon().concept_of_unit(unit(name)), *index.lemmas[name]}
        | {*domain_lexicon().concepts_of_name(name)}
        for name in index.measures
        if index.is_amount(name)
    }
    held = [name for name, concepts in told.items() if concepts & _SUBSTANCE]
    return held[0] if len(held) == 1 else ""


def told_apart(
    index: SchemaIndex,
    columns: Sequence[Mention],
    said: Sequence["WordKeys"],
    *,
    is_counted: bool,
) -> list[Mention]:
    """Make columns cost more that hold another property of the thing that is named.

    Such as its minutes where stops are counted, its type only ('quantas limpezas', of 'Tipo
    Limpieza'), or another statistic.
    """
    named = {each.column for each in columns if each.column}
    measures = {each for each in named if index.is_measure(each)}
    times = {each for each in measures if holds_time(index, each)}
    numbers = {each for each in measures if is_number_of(each)} - times
    keys = [each for each in columns if _tells_rows_apart(index, each.column)]
    made = []
    for each in columns:
        words = said[each.start : each.end]
        meant = {key for keys in words for key in keys.concepts}
        lasts = any(keys.text in words_by_role("duration_noun") for keys in words)
        says_time = lasts or bool(meant & _TIMES)
        is_other = (each.column in times and bool(numbers) and is_counted and not says_time) or (
            each.column in numbers and bool(times) and says_time
        )
        if is_counted and each.end == each.start + 1:
            is_other = is_other or is_type_of(each.column or "", meant)
            beside = (
                key for key in keys if key.end == each.end and key.cost <= each.cost + _AS_NEAR
            )
            is_other = is_other or (any(beside) and _only_describes(each.column, meant))
        own = [keys.text for keys in words]
        meant_so = by_statistic([each.column], index.lemmas, own, [keys.text for keys in said])
        is_other = is_other or each.column not in meant_so
        is_code = bool(times) and lasts and each.column not in measures  # 'tempo de paragem'
        cost = each.cost + _OTHER_OF_NAME * is_other + 2 * _OTHER_OF_NAME * is_code
        made.append(replace(each, cost=cost))
    return made


def _tells_rows_apart(index: SchemaIndex, name: str) -> bool:
    return bool(name) and (index.is_identity(name) or index.is_row_number(name))


def _only_describes(name: str, meant: Collection[str]) -> bool:
    """Return whether a column is the description of what the rows are called by its rest."""
    named = {*domain_lexicon().concepts_of_name(name)}
    return bool(_DESCRIBING & named - {*meant})


def with_rate(
    index: SchemaIndex,
    columns: Sequence[Mention],
    words: Sequence[Word],
    said_keys: Sequence["WordKeys"],
    at: int,
) -> Iterator[Mention]:
    """Yield the columns with the per cents that belong to a name: 'horas extras a 50 %'.

    One that is called by other per cents than are said costs more, and where the per cents alone
    tell a column ('as horas a 100 %'), they name it. By a word for per cent none is named.
    """
    for each in columns:
        rate = rate_in_name(each.column)
        if rate and all(keys.concepts & SHARING for keys in said_keys[each.start : each.end]):
            continue
        said, end = _rate_said(words, each.end) if rate else ("", each.end)
        if said == rate and end > each.end:
            yield replace(each, end=end, cost=min(each.cost, _SAID_WITH_RATE))
        else:
            yield replace(each, cost=each.cost + _OTHER_OF_NAME * bool(said and said != rate))
    said, end = _rate_said(words, at)
    called = [name for name in index.measures if said and rate_in_name(name) == said]
    if len(called) == 1 and words[at].normalized == said:
        text = " ".join(word.text for word in words[at:end])
        yield Mention("column", at, end, _SAID_BY_RATE, text, column=called[0], is_whole=False)


def _rate_said(words: Sequence[Word], at: int) -> tuple[str, int]:
    """Return the per cents that are said from a word on, and where they end."""
    is_joined = words[at : at + 1] and not words[at].normalized[:1].isdigit()
    place = at + 1 if is_joined else at
    if place + 1 < len(words) and words[place + 1].text == "%":
        return words[place].normalized, place + 2
    return "", at


def of_unit(
    index: SchemaIndex, token: Token, said: Sequence["WordKeys"]
) -> Iterator[tuple[str, float]]:
    """Yield the columns in a unit that is named, each with its cost.

    The 'motivo de paragem por minutos' is that of the minutes of stops.
    """
    measured = index.measures_in(token)
    meant = frozenset[str]().union(*(each.concepts for each in said)) - _TIMES
    told = {each for each in measured if meant & {*domain_lexicon().concepts_of_name(each)}}
    for name in measured:
        yield name, _OTHER_OF_NAME * bool(told and name not in told)


def priced_first(columns: list[Mention]) -> list[Mention]:
    """Make other amounts cost more where a column has the price per unit that is said."""
    priced = {each.column for each in columns if priced_unit(each.column)}
    if not priced:
        return columns
    return [
        each if each.column in priced else replace(each, cost=each.cost + _NO_PRICE)
        for each in columns
    ]


@lru_cache(maxsize=64)
def _things_told(index: SchemaIndex) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """Return by concept the words of names that say what has a type or a number: 'Tipo Hab.'.

    Then the concepts that have a name or a number of their own: these are not what rows are.
    """
    found: dict[str, tuple[str, ...]] = {}
    own: set[str] = set()
    for column in index.profile.columns:
        words = [word.normalized for word in tokenize(without_unit(column.name))]
        meant = {word: {*domain_lexicon().concepts_of_name(word)} for word in words}
        for word in words:
            beside = {each for other in words if other != word for each in meant[other]}
            numbered = any(other in words_of("files", "number_of") for other in words)
            if not _SAYING_KIND & beside or numbered:
                own |= meant[word]
            for concept in meant[word] - _SAYING_KIND if _SAYING_KIND & beside or numbered else ():
                found[concept] = (*found.get(concept, ()), word)
    return found, frozenset(own)


def rows_have_type(index: SchemaIndex, meant: Collection[str]) -> bool:
    """Return whether a column tells the type of what is named, and none its name or number."""
    told, own = _things_told(index)
    return bool({*meant} & told.keys() - own)


def is_rather_thing(index: SchemaIndex, word: Word, keys: "WordKeys", value: "ValueLink") -> bool:
    """Return whether a noun rather means a thing than the value that is spelled like it.

    'Quartos' are what 'Tipo Hab.' tells the type of, and no suites; 'limpos' are rather 'Limpia'
    than a value of 'Tipo Limpieza'.
    """
    if value.length > 1:  # 'tipo de quarto'
        return bool(_KINDS & keys.concepts)
    said = word.normalized
    verb = verbs().form(said)
    if verbs().states(said) or (verb is not None and verb.kind != "bare"):
        return False
    told = {each for key in keys.concepts for each in _things_told(index)[0].get(key, ())}
    likeness = _likeness(said, [normalize(str(each)) for each in value.values])
    return bool(told) and (likeness <= _ALIKE or likeness <= _likeness(said, told))


def _likeness(said: str, words: Collection[str]) -> float:
    return max((SequenceMatcher(None, stem(said), stem(each)).ratio() for each in words), default=0)


def without_gender(stemmed: str) -> str:
    """Return a stem without its ending of gender, also of short words: 'pag', of 'pago'."""
    return stemmed.rstrip("aeo") or stemmed


def meanings_of(stemmed: str) -> Iterator[str]:
    """Yield the concepts of a stem."""
    for concept, _ in domain_lexicon().concepts_at((stemmed,), 0):
        yield concept


@lru_cache(maxsize=64)
def tells_outcomes(index: SchemaIndex) -> bool:
    """Return whether a column tells how rows ended: a state, a flag or a day with gaps."""
    return any(
        flag_values(each) is not None
        or (index.is_moment(each.name) and each.missing > 0)
        or _OUTCOMES & {*domain_lexicon().concepts_of_name(each.name)}
        for each in index.profile.columns
    )


def names_amount(index: SchemaIndex, links: Sequence["ColumnLink"]) -> bool:
    """Return whether a word may name a column of numbers by its meaning."""
    return any(each.cost <= _NEAR and index.is_measure(each.column) for each in links)


def holds_units(index: SchemaIndex, name: str) -> bool:
    """Return whether the values of a column are units: 'kWh' and 'm3'."""
    texts = [str(value) for value in index.column(name).known]
    are_units = [bool(domain_lexicon().concept_of_unit(text)) for text in texts]
    is_called_so = index.is_unit(name) and any(are_units)  # with one that is not known
    return any(len(text) > 1 for text in texts) and (is_called_so or all(are_units))


def is_amount(concept: str) -> bool:
    """Return whether a concept is an amount, which is added up."""
    return domain_lexicon().kind(concept) == "amount"


def says_cells(index: SchemaIndex, concepts: Collection[str], *, is_named: bool) -> bool:
    """Return whether concepts are of what the cells of a wide table hold, by its file's name.

    `is_named` is whether the name has a word that could say it.
    """
    meant = {concept for each in index.row_names for concept in meanings_of(each)}
    is_used = "consumption" in concepts and bool(meant & _USED_UP)
    is_of_nothing_else = not any(map(is_amount, meant)) and not is_named
    named = [each for each in concepts if each in meant or is_of_nothing_else]
    return is_used or any(map(is_amount, named))


def unit_of_number(index: SchemaIndex, token: Token, keys: "WordKeys") -> str | None:
    """Return the concept that a word behind a number measures, None where it is no unit."""
    domain, (word,) = domain_lexicon(), token.words
    measured = [each for each in keys.concepts if domain.kind(each) in ("amount", "level")]
    concept = domain.concept_of_unit(word.text) or next(iter(sorted(measured)), "")
    if word.normalized in words_by_role("degree"):
        return "temperature"
    is_unit = word.normalized in words_by_role("unit") | words_by_role("currency")
    return concept if is_unit or concept or index.measures_in(token) else None


def says_more_than_one(words: Sequence[Word], at: int) -> bool:
    """Return whether words compare with one, and rank nothing: 'mais do que uma'."""
    said = [each.normalized for each in words[at : at + 4]]
    more = words_by_role("more_than_one")
    return " ".join(said[:3]) in more or " ".join(said) in more
