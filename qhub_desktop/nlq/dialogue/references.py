"""References: questions that say nothing without an answer before: 'qual a diferença?'.

Each language's file has them under `[reference]`, as patterns over text without accents. The answer
may be that of the same sentence: 'Quantas estão suspensas e quanto valem?' is read as a question
and its follow-up, where the whole sentence comes to one number only.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import Protocol, TypeVar

from qhub_desktop.core.text import fold_in_place, lexicons
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsKpi,
    Comparison,
    DataPlan,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    Unknown,
    dataset_of,
    is_distinct,
    is_unranked,
    query_of,
)
from qhub_desktop.nlq.semantic.candidate import compared

_PLACES = {"second": 2, "third": 3}  # which may be days of the week, too
_OTHERWISE = frozenset([*_PLACES, "share_of_each"])  # which may be read on their own


def as_ranking(frame: QuestionFrame, implied: str, topic: DataPlan) -> QuestionFrame | None:
    """Return a question for an extreme alone as one about the groups before, None if it is not.

    After costs by department 'o mais barato' is a department, not a row.

    Args:
        frame: The words.
        implied: What the extreme is of, where its word tells ('cheapest': 'money'), else ''.
        topic: The plan before.

    """
    before = query_of(topic)
    if not (isinstance(before, GroupBy) and before.measure.column and implied):
        return None
    if not frame.has("max", "min") or frame.names_something or frame.has_subject or frame.noun:
        return None
    if before.measure.column not in frame.index.measures_of(implied):
        return None
    ends = {"#max": "#most", "#min": "#least"}
    return replace(
        frame,
        cues=frozenset(ends.get(each, each) for each in frame.cues),
        cue_words=tuple((ends.get(cue, cue), said) for cue, said in frame.cue_words),
    )


def refers(question: str) -> bool:
    """Return whether a question says nothing without the last answer."""
    said = fold_in_place(question)
    names = (name for name, pattern in _patterns() if pattern.search(said))
    return any(name not in _OTHERWISE for name in names)


def referred(
    question: str,
    topic: DataPlan | None,
    history: Sequence[DataPlan],
    parse: Callable[[str], QuestionFrame],
) -> DataPlan | None:
    """Return the plan of a question that only refers to what was answered, None if it is none.

    `history` are the topics before, the latest last; `parse` reads words over the topic's data.
    """
    if topic is None:
        return None
    said = fold_in_place(question)
    for name, pattern in _patterns():
        if (found := pattern.search(said)) is None:
            continue
        query = query_of(topic)
        made: Query | None = None
        if name == "difference":
            made = _difference(query, [query_of(each) for each in history])
        elif name in _PLACES:
            made = _up_to(query, _PLACES[name])
        elif name == "share_of_total":
            made = _share(query, ())
        elif name == "share_of_each":
            made = _share_of_each(query)
        elif name == "share_of_all":
            frame = parse(question[slice(*found.span(found.lastindex or 1))])
            named = not (frame.unknown or frame.columns or frame.period)
            made = _share(query, frame.filters) if named else None
        if made is not None:
            return made
    return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    tables = (file.get("reference", {}) for file in lexicons().values())
    return tuple((name, re.compile(said)) for table in tables for name, said in table.items())


def _difference(query: Query, before: Sequence[Query]) -> Query | None:
    """Return the last two numbers side by side, if they are of one measure over other rows."""
    match query:
        case Comparison():
            return query
        case GroupBy() if is_unranked(query) and any(
            len(each.values) == 2 for each in query.scope.filters
        ):
            return query  # whose answer tells it
        case Several(of=(Number() as first, Number() as second)):
            pair: tuple[Query, Query] = first, second
        case _ if before:
            pair = before[-1], query
        case _:
            return None
    match pair:
        case Number() as one, Number() as other if (one.measure, one.is_share) == (
            other.measure,
            other.is_share,
        ):
            pass
        case _:
            return None
    is_same_data = dataset_of(one) == dataset_of(other)
    return Comparison(one, other) if is_same_data and one.scope != other.scope else None


def _up_to(query: Query, place: int) -> Query | None:
    """Return a ranking up to a place: 'e o segundo?'."""
    match query:
        case GroupBy() if query.dimension.grain == "weekday":
            return None  # 'a segunda' is a day
        case GroupBy(n=int(), split=None, within=None):
            return replace(query, n=place)
        case Rows(n=int(), by=by) if by:
            return replace(query, n=place)
        case _:
            return None


def _share(query: Query, whole: Sequence[Filter]) -> Query | None:
    """Return what share a number is of that of all rows, or of those that `whole` selects."""
    scope = query.scope
    part = tuple(each for each in scope.filters if each not in whole)
    if not part or len(part) + len(whole) != len({*scope.filters, *whole}):
        return None
    if {each.column for each in whole} & {each.column for each in part}:
        return None
    all_rows = RowSelection(scope.dataset, tuple(whole), scope.period)
    match query:
        case Number(measure=Measure("count"), is_share=False) if not whole and scope.period is None:
            return replace(query, is_share=True)
        case Number(measure=Measure("count"), is_share=False):
            return Number(all_rows, Measure("share", part=part))
        case Number(measure=Measure(kind="sum", column=column)):
            return Number(all_rows, Measure("share", column, part=part))
        case _:
            return None


def _share_of_each(query: Query) -> Query | None:
    """Return what share of each group's own rows was counted: 'em % das entregas de cada um'.

    All groups are told, of which those that had the most before are some.
    """
    match query:
        case GroupBy(measure=Measure("count"), split=None, within=None, having=None) if (
            len(query.scope.filters) == 1 and not query.dimension.grain
        ):
            rows = replace(query.scope, filters=())
            share = Measure("share", part=query.scope.filters)
            return GroupBy(rows, query.dimension, share)
        case _:
            return None


Part = Number | Spread | GroupBy | Rows | Comparison


def _either(*roles: str) -> str:
    words = {word for role in roles for word in words_by_role(role)}
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_BORDER = re.compile(
    rf"(?:[,;]?\s+({_either('and')})\s+|\?\s*(?:({_either('and')})\s+)?)"
    rf"(?:(?:{_either('before_amount')})\s+)?(?=(?:{_either('asking_again')})(?![\w]))"
)


class Answered(Protocol):
    """A state of a dialogue, of which the plan is known."""

    @property
    def plan(self) -> Plan:
        """The plan of the last question."""


State = TypeVar("State", bound=Answered)
_MOST_PAIRED = 4  # readings of two questions in one that are listed
_BARE_QUESTION_WORDS = 2  # words of a first question that has no verb of its own
_ASKING = re.compile(rf"^\W*(?:{_either('asking_again')})(?![\w])\W*")


def clauses_of(question: str) -> tuple[str, str] | None:
    """Return the two questions of a sentence, the second one as a follow-up, None if it is one."""
    found = [*_BORDER.finditer(fold_in_place(question))]
    if len(found) != 1:
        return None
    border = found[0]
    first, second = question[: border.start()], question[border.end() :]
    is_empty = not re.search(r"\w{2}", _ASKING.sub("", fold_in_place(second)))
    if is_empty or not re.search(r"\w{3}", first):
        return None
    joined = next(iter(words_by_role("and") & {*border.groups()}), "e")
    return first, f"{joined} {second}"


def both_answered(
    whole: State,
    clauses: tuple[str, str],
    before: State,
    interpret: Callable[[str, State], State],
    chosen: Callable[[State, DataPlan], State],
) -> Plan:
    """Return the plan of a sentence of two questions; `whole` is what it is as one.

    Where a number is the answer to the first, the second may not be left out. Where one of them is
    not sure, it is asked back which of its readings is meant, each beside the other question;
    `chosen` returns a state with one of them answered.
    """
    plan = whole.plan
    is_number = isinstance(plan, Unknown | Ask | Number | AsKpi | Several) or is_distinct(plan)
    if not (is_number or _is_ranking(plan)):
        return plan
    first = interpret(clauses[0], before)
    made = plan
    if _part(first.plan) is not None:
        made = _both(plan, clauses, first, interpret(clauses[1], first))
    if not isinstance(made, Unknown | Ask):
        return made
    pairs: list[tuple[int, Several]] = []
    unclear: dict[str, None] = {}
    for place, one in enumerate(_as_answered(first, chosen)):
        second = interpret(clauses[1], one)
        for at, other in enumerate(_as_answered(second, chosen), start=place):
            if isinstance(pair := _both(plan, clauses, one, other), Several):
                pairs.append((at, pair))
                unclear |= dict.fromkeys((*_unclear_in(first.plan), *_unclear_in(second.plan)))
    asked = [*dict.fromkeys(pair for _, pair in sorted(pairs, key=itemgetter(0)))]
    readings = tuple(("", each) for each in asked[:_MOST_PAIRED])
    return Ask("", readings, tuple(unclear)) if readings else made


def _unclear_in(plan: Plan) -> Sequence[str]:
    return plan.unclear if isinstance(plan, Ask) else ()


def _as_answered(state: State, chosen: Callable[[State, DataPlan], State]) -> Sequence[State]:
    """Return a state that is answered, or one for each reading listed, the likeliest first."""
    if not isinstance(state.plan, Ask) or state.plan.word:
        return [state]
    return [chosen(state, each) for _, each in state.plan.readings[:_MOST_PAIRED]]


def _both(plan: Plan, clauses: tuple[str, str], first: State, second: State) -> Plan:
    """Return both questions in one, or the plan of the whole, if they are none."""
    one = _part(first.plan)
    if one is None:
        return plan
    if _is_ranking(plan):
        is_told = not isinstance(one, Number | Spread)
        ranking = _part(plan)
        return plan if is_told or ranking is None else Several((one, ranking))
    other = _part(second.plan)
    added = {each.column for each in other.scope.filters} if other is not None else set()
    added -= {each.column for each in one.scope.filters}
    if (
        added and len(clauses[0].split()) <= _BARE_QUESTION_WORDS
    ):  # 'quantas avaliações e quantas altas fez a Ana'
        return plan if isinstance(plan, Unknown | Ask) else Unknown("unheeded", (clauses[0],))
    is_new = other is not None and compared(other) != compared(one)
    if other is None or not is_new or not _keeps(one, other):
        is_open = isinstance(plan, Unknown | Ask | Several)
        return plan if is_open else Unknown("unheeded", (clauses[1],))
    return Several((one, other))


def _keeps(one: Part, other: Part) -> bool:
    """Return whether the second question is about rows of which the first is, or about others."""
    columns = {each.column for each in other.scope.filters}
    columns |= {each.column for measure in _measures(other) for each in measure.part}
    is_timed = one.scope.period is None or other.scope.period is not None
    return is_timed and {each.column for each in one.scope.filters} <= columns


def _measures(part: Part) -> tuple[Measure, ...]:
    return (part.measure,) if isinstance(part, Number | GroupBy) else ()


def _is_ranking(plan: Plan) -> bool:
    return isinstance(plan, GroupBy | Rows) and isinstance(plan.n, int)


def _part(plan: Plan) -> Part | None:
    query = query_of(plan) if isinstance(plan, AsKpi) else plan
    is_drawn = isinstance(query, Spread) and not is_distinct(query)
    return query if isinstance(query, Part) and not is_drawn else None
