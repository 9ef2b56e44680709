"""Ratios of a question, each read as a whole: one amount by another, whatever words say so.

'A por B', 'A a dividir por B', 'A sobre B' and 'A em % de B' name two amounts with a divisor
between them. What they are by their types decides that they are divided: no rows are grouped by an
amount, and a price is not shared out. Both sums are taken over the same rows, so that a ratio is
that of the totals and no mean of the ratios of rows.
"""

from itertools import pairwise
from typing import Literal

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import (
    AVAILABILITY,
    availability_of,
    is_part_amount,
    rate_of_part,
)
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Measure
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic.column_meaning import is_edge, is_price
from qhub_desktop.nlq.semantic.mention_context import AND, MentionContext
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.tokenizer import Word, normalize, stem, tokenize, unit
from qhub_desktop.nlq.word_meanings import ARTICLES, OF_A_WHOLE, OF_WORDS, TO_WORDS, VERB

Sign = Literal["", "by", "divided", "percent"]
_SAID_BETWEEN = ("#mean", "#money", "#noise", "#total", "#sum")  # beside an amount of a ratio
_SAID_AS_UNIT = 0.1  # what an amount costs that a ratio tells apart from others
_PASSED_OVER, _SAID_AGAIN = 0.1, 0.3
_DIVIDES = words_by_role("divides")
_SHARE_CUES = ("#percent", "#part_of")
_BEGIN_CLAUSES = frozenset[str]().union(
    *map(words_by_role, ("copula", "before_done", "before_plain_verb", "relative"))
)


def bind_ratios(context: MentionContext) -> None:
    """Bind each ratio that is said; one that is said twice is surer."""
    for at, item in enumerate(context.items):
        _bind_availability(context, at, item)
    for at in range(len(context.items)):
        sign, begin = _sign_at(context, at)
        place = _amount_before(context, at) if sign else None
        if place is None or not {at, place, begin}.isdisjoint(context.used):
            continue
        made = _ratio(context, place, begin, sign)
        if made is None or context.slots.ratio not in (None, made[0]):
            continue
        ratio, end = made
        surer = _means_amount(context, end) or _is_told_as_ratio(context, end)
        for each in (place, end) if surer else ():
            if context.items[each].kind != "cue":
                context.slots.cost -= max(0.0, context.items[each].cost - _SAID_AS_UNIT)
        if context.slots.ratio is None:
            context.slots.ratio = ratio
            context.slots.cues.append("#divided")
            context.slots.order.append(("measure", ratio.column))
            _take_name(context, place)
        else:
            context.slots.cost -= _SAID_AGAIN  # 'custo por hora (custo a dividir por horas)'
        context.used.update(range(place, end + 1))
        _pass_over_kind(context, end)
    _take_whole_of_clause(context)


@role_rule
def _take_whole_of_clause(context: MentionContext) -> bool:
    """Take what a share is of, where a clause says its part: 'what percentage of A did we B'."""
    at = next((at for at, e in enumerate(context.items) if e.lemma in _SHARE_CUES), None)
    measured = [
        place
        for place, item in enumerate(context.items)
        if item.kind == "column" and context.index.is_measure(item.column)
    ]
    if at is None or len(measured) != 2 or measured[1] < at:
        return False
    whole, part = measured
    if (
        not {word.normalized for word in _words_between(context, min(at, whole) - 1, whole)}
        & OF_WORDS
    ):
        return False
    between = [word.normalized for word in _words_between(context, whole, part)]
    says_clause = not _BEGIN_CLAUSES.isdisjoint(between) or VERB.fullmatch(context.word_of(part))
    joined = next((each for each in reversed(between) if each not in ARTICLES), "")
    if not says_clause or joined in OF_WORDS | TO_WORDS | AND:
        return False  # 'of A that is in B'
    context.slots.shared_whole = context.items[whole].column
    return True


def _words_between(context: MentionContext, at: int, other: int) -> list[Word]:
    """Return the words behind one mention, -1 for the beginning, up to another."""
    start = context.items[at].end if at >= 0 else 0
    return list(context.words[start : context.items[other].start])


@role_rule
def _bind_availability(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind availability, of which there is no column, as the time that was run of that planned."""
    if item.kind not in ("noun", "unknown") or context.slots.ratio is not None:
        return False
    if AVAILABILITY not in domain_lexicon().concepts_of_name(item.text):
        return False
    ratio = availability_of(context.index)
    if ratio is None:
        return False
    context.slots.ratio = ratio
    context.slots.cost -= max(0.0, item.cost - _SAID_AS_UNIT)
    context.slots.cues.append("#divided")
    context.slots.order.append(("measure", ratio.column))
    context.used.add(at)
    return True


@role_rule
def _take_name(context: MentionContext, place: int) -> bool:
    """Take what a rate is called by, where it is said, too: 'taxa de rejeição (A / B)'."""
    named = [
        at + 1
        for at, (item, name) in enumerate(pairwise(context.items[: place + 1]))
        if item.lemma == "#rate" and name.kind == "noun" and at not in context.used
    ]
    for at in named:
        context.slots.cost -= context.items[at].cost + _SAID_AGAIN
        context.used.add(at)
    return bool(named)


def _sign_at(context: MentionContext, at: int) -> tuple[Sign, int]:
    """Return how what stands before a mention is divided, and the place of the divisor."""
    item = context.items[at]
    if item.lemma == "#divided":
        return "divided", at + 1
    if item.lemma == "#by":
        return "by", at + 1
    if item.lemma in ("#percent", "#part_of") and at:
        return "percent", at + 1
    if context.before(at) & TO_WORDS and _is_told_as_ratio(context, at):
        return "divided", at
    return ("divided", at) if context.before(at) & _DIVIDES else ("", at)


def _is_told_as_ratio(context: MentionContext, at: int) -> bool:
    """Return whether a word for a ratio stands before or behind two amounts: 'A to B ratio'."""
    near = [*context.items[max(0, at - 2) : at - 1], *context.items[at + 1 : at + 2]]
    return any(map(_is_plain, near))


def _is_plain(item: Mention) -> bool:
    """Return whether a word asks for a plain ratio, and not for per cent: 'rácio'."""
    said = normalize(item.text).split()[:1]
    return item.lemma == "#rate" and not words_by_role("plain_ratio").isdisjoint(said)


def _amount_before(context: MentionContext, at: int) -> int | None:
    """Return the place of the column that is divided."""
    for place in range(at - 1, -1, -1):
        item = context.items[place]
        if item.kind == "column" and context.index.is_measure(item.column):
            return place
        if item.lemma not in (*_SAID_BETWEEN, "#rate"):
            return None  # 'litros aos 100 km' is said as a rate by km
    return None


@role_rule
def _ratio(
    context: MentionContext, place: int, begin: int, sign: Sign
) -> tuple[Measure, int] | None:
    """Return the ratio of an amount to what stands from a place on, and where that ends."""
    index, part = context.index, context.items[place].column
    says_percent = any(
        each.lemma in OF_A_WHOLE and (is_part_amount(index, part) or not _is_plain(each))
        for each in context.items
    )
    if index.wide is not None or is_price(index, part):
        return None
    if sign != "divided" and not index.is_amount(part):
        return None
    end = begin
    while end < len(context.items) and context.items[end].lemma in _SAID_BETWEEN:
        end += 1
    if end == len(context.items):
        return None
    item = context.items[end]
    if item.kind in ("noun", "unknown") and context.items[end - 1].lemma == "#total":
        rate = rate_of_part(index, part) if sign == "divided" else None
        return None if rate is None else (rate, end)  # 'nok sobre o total produzido'
    edges = [name for name in index.measures if is_edge(name) == item.lemma == "#max"]
    whole = edges[0] if len(edges) == 1 else item.column
    if not whole or whole == part or not index.is_measure(whole) or is_price(index, whole):
        return None
    if sign == "by" and not (index.is_amount(whole) or _says_unit(context, end)):
        return None
    if sign == "percent" and not _is_of(context, end):
        return None  # 'quanto por cento no valor total'
    rest = context.items[end + 1] if end + 1 < len(context.items) else None
    is_divided = context.items[begin - 1].lemma == "#divided"
    if rest is not None and rest.column == part and is_divided and not context.before(end + 1):
        return Measure("rate", part, whole, amount=part), end + 1  # 'nok / (ok + nok)'
    return Measure("rate" if says_percent else "ratio", part, whole), end


def _is_of(context: MentionContext, at: int) -> bool:
    """Return whether a mention is what a percentage is of: 'em % do orçamento'."""
    return bool(context.before(at) & OF_WORDS) or context.items[at - 1].lemma == "#part_of"


def _says_unit(context: MentionContext, at: int) -> bool:
    """Return whether a mention names the unit that a column is counted in: 'por dia'."""
    item = context.items[at]
    said = {stem(each.normalized) for each in context.words[item.start : item.end]}
    own = {stem(each.normalized) for each in tokenize(unit(item.column))} - {""}
    return bool(said & own)


def _means_amount(context: MentionContext, at: int) -> bool:
    """Return whether a mention's words are a unit or what is measured: 'litro', not 'turno'."""
    item = context.items[at]
    told = [each.text for each in context.words[item.start : item.end]]
    meant = {concept for each in told for concept in domain_lexicon().concepts_of_name(each)}
    kinds = {domain_lexicon().kind(each) for each in meant}
    is_unit = any(map(domain_lexicon().concept_of_unit, told)) or _says_unit(context, at)
    return is_unit or not kinds.isdisjoint(("amount", "level"))


@role_rule
def _pass_over_kind(context: MentionContext, at: int) -> bool:
    """Pass over what a divisor is of, which groups nothing: 'custo por hora de formação'."""
    item = context.items[at + 1] if at + 1 < len(context.items) else None
    if item is None or item.kind not in ("column", "noun") or not context.before(at + 1) & OF_WORDS:
        return False
    if item.kind == "column" and context.index.is_measure(item.column):
        return False
    context.used.add(at + 1)
    context.slots.cost += _PASSED_OVER
    return True
