"""Nouns of a question: what rows are grouped by, what a column numbers, what names a class.

A noun beside a name or a code may only say of what kind that is ('elevadores KONE', 'a linha
B1'): then it explains nothing more, and does not make the engine ask. What is counted, what names
a column, a value, an amount, an event or a state of the data is never such a noun.
"""

import re
from collections.abc import Sequence

from qhub_desktop.nlq.column_roles import is_grouping
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.row_events import events_said
from qhub_desktop.nlq.row_names import is_noun
from qhub_desktop.nlq.semantic import event_spans, word_context
from qhub_desktop.nlq.semantic.question_context import QuestionContext
from qhub_desktop.nlq.semantic.schema_linking import MEANT, RELATED
from qhub_desktop.nlq.semantic.similar_columns import is_rather_thing, rows_have_type
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.word_keys import PIECES

NUMBER = words_by_role("number_word")
_VALUE = MEANT + 0.05  # what a value may cost that a noun is rather than the rows
_GOOD = 0.6  # what a column of numbers costs at most that a word names
_SHORTEST = 3  # letters of a noun
_PLURAL = re.compile(r"[^si]s$")  # 'medições'; not 'kurtosis', 'skewness'


def calls_value(context: QuestionContext, at: int) -> bool:
    """Return whether a noun only says of what kind the name beside it is: 'no armazém B1'.

    A code has what it is the code of before it; a name, what it is called by that the data do
    not tell of ('elevadores KONE', 'MEGA trailers', 'parking lot Norte').
    """
    behind = context.words[at + 1] if at + 1 < len(context.words) else None
    is_code = behind is not None and not behind.text.isdigit()
    is_code = is_code and any(map(str.isdigit, behind.text if behind else ""))
    if (
        context.counts_parts
        and context.keys[at].concepts & PIECES
        and word_context.is_counted(context, at)
    ):
        return False  # 'quantas caixas KLT4315', of which there is a quantity
    if is_code and context.keys[at].concepts:
        return any(not each.cost for each in context.values_at(at + 1))
    if not _is_mere_noun(context, at) or word_context.is_counted(context, at):
        return False
    follows = bool(context.keys[at].concepts) and any(  # an English noun, not any word
        not each.cost and each.length == at - place
        for place in range(max(0, at - 2), at)
        if _is_written_as_name(context, place)
        for each in context.values_at(place)
    )
    first = next((n for n in (at + 1, at + 2) if not _is_mere_noun(context, n)), at)
    before = at - 1 - (_is_mere_noun(context, at - 1) if at else 0)
    leads = before < 0 or before in context.joining
    named = first > at and leads and _is_written_as_name(context, first)
    return follows or (named and any(not each.cost for each in context.values_at(first)))


def _is_written_as_name(context: QuestionContext, at: int) -> bool:
    """Return whether a word is written as a name or a number of several digits is."""
    text = context.words[at].text if at < len(context.words) else ""
    return text[:1].isupper() or (text.isdigit() and len(text) > 2)


def _is_mere_noun(context: QuestionContext, at: int) -> bool:
    """Return whether a word names a thing of which the data tell nothing."""
    if not 0 <= at < len(context.words) or at in context.joining:
        return False
    word = context.words[at]
    if not word.text.isalpha() or len(word.text) < _SHORTEST or word.is_quoted or word.is_name:
        return False
    domain, concepts = domain_lexicon(), context.keys[at].concepts
    is_measured = any(domain.kind(each) in ("amount", "level") for each in concepts)
    if is_measured or concepts & context.lexicon.rows or not is_noun(word.normalized):
        return False
    if events_said(word.normalized) or context.cues_of(at) or context.values_at(at):
        return False
    return all(each.cost > RELATED + 0.1 for each in event_spans.columns_at(context, at))


def counts_behind(context: QuestionContext, at: int) -> bool:
    """Return whether a word counts what is behind it, in the plural: 'n.º de provas'."""
    counts = "#count" in context.cues_of(at)
    behind = at + 1
    while behind < len(context.words) and behind in context.inside:
        behind += 1
    return counts and behind < len(context.words) and context.words[behind].normalized.endswith("s")


def says_aspect(context: QuestionContext, at: int) -> bool:
    """Return whether a word names a property of an amount, and no row: 'curtose da espessura'."""
    behind = at + 1
    while behind in context.joining:
        behind += 1
    return (
        at + 1 < behind < len(context.words)
        and not _PLURAL.search(context.words[at].normalized)
        and any(
            not each.cost and context.index.is_measure(each.column)
            for each in event_spans.columns_at(context, behind)
        )
    )


def is_numbered(context: QuestionContext, at: int) -> bool:
    """Return whether a column numbers what is named, and several rows have one number."""
    links = (
        each for each in event_spans.columns_at(context, at) if each.column in context.numbered
    )
    return any(each.cost <= MEANT for each in links)


def is_grouped(context: QuestionContext, at: int) -> bool:
    """Return whether things are told for each of something: 'visitas por zona'."""
    following = context.words[at + 1].normalized if at + 1 < len(context.words) else ""
    return following in words_by_role("by") and context.words[at].normalized.endswith("s")


def means_value(context: QuestionContext, at: int) -> bool:
    """Return whether a word alone may be a value, rather than what rows are called."""
    word, keys = context.words[at], context.keys[at]
    values = [each for each in context.values_at(at) if each.length == 1 and each.cost <= _VALUE]
    meant = [each for each in values if each.cost >= MEANT]
    return len(values) > sum(is_rather_thing(context.index, word, keys, each) for each in meant)


def names_rare(context: QuestionContext, at: int) -> bool:
    """Return whether a column is named of which most cells are empty: 'alarms'."""
    rows = context.index.profile.rows
    return any(
        each.length == 1
        and each.cost <= RELATED + 0.1
        and 2 * context.index.column(each.column).missing > rows
        for each in event_spans.columns_at(context, at)
    )


def names_groups(context: QuestionContext, at: int, *, or_type: bool = False) -> bool:
    """Return whether a column is named that rows are grouped by, and is no type of the rows."""
    return (or_type or not rows_have_type(context.index, context.keys[at].concepts)) and any(
        each.length == 1
        and each.cost <= RELATED + 0.1
        and is_grouping(context.index.column(each.column))
        for each in event_spans.columns_at(context, at)
    )


def is_dated(context: QuestionContext, at: int) -> bool:
    """Return whether the day of something is meant, and not its state: 'data de abertura'."""
    before = at - 1
    while before > 0 and before in context.inside:
        before -= 1
    return before >= 0 and "date" in context.keys[before].concepts


def may_be_said(context: QuestionContext, at: int) -> bool:
    """Return whether a unit is that of a column, or whether things are counted behind it."""
    if context.words[at].normalized in NUMBER:
        return any(each.normalized.endswith("s") for each in context.words[at + 2 : at + 3])
    return any(
        context.index.is_measure(each.column) for each in event_spans.columns_at(context, at)
    )


def names_amount(context: QuestionContext, names: Sequence[Mention]) -> bool:
    """Return whether a column of numbers is among what a word may name."""
    good = (each for each in names if each.kind == "column" and each.cost < _GOOD)
    return any(context.index.is_measure(each.column) for each in good)
