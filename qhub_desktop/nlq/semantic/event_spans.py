"""Spans of a question that name moments by what happens then, and times from one to another.

'da colheita até ao resultado', 'from receiving a claim until we send the 8D', 'depois da data
prometida', 'caducaram'. A span names the column of dates that its words fit best: by the column's
name, by the event that they say (`nlq/row_events.py`), or by one near it.
"""

from collections.abc import Iterator
from functools import partial

from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.row_events import DUE, events_near, events_said
from qhub_desktop.nlq.semantic.question_context import QuestionContext
from qhub_desktop.nlq.semantic.schema_linking import INFLECTED, MEANT, ColumnLink
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import (
    begun_before,
    closing_values,
    events_by_column,
    in_order,
    is_agreed,
)
from qhub_desktop.nlq.semantic.word_keys import INFINITIVE, LASTING_VERBS, is_neutral_verb
from qhub_desktop.nlq.tokenizer import BLANK, tokenize
from qhub_desktop.nlq.verbs import verbs
from qhub_desktop.nlq.word_meanings import ARTICLES, FINITE, OF_WORDS

_LONGEST = 6  # words of a span that names a moment
_MOST_MOMENT_COST = 0.6  # what the name of a moment may cost
# What it costs that an event is one near that of a column, that some of what a column tells is not
# said, and that a day is taken for one that was only agreed.
_NEAR, _UNSAID, _IS_AGREED, _IS_NOT_AGREED = 0.4, 0.12, 0.35, 1.0
_SAID_TOO = 0.1  # what another word is worth that belongs to a column: 'the 8D'
_DAY_OF_ROW = 0.3  # what it costs to take the day of a row for that of what it is called by
# What a word costs within a span: what a row is, what is known of the trades, a verb, any other.
_OF_ROW, _KNOWN, _VERB, _OTHER, _NAMED = 0.03, 0.08, 0.06, 0.3, 0.6
_SELECTS = 2.0  # a value, which says of which rows
_OTHER_EVENT = 0.2  # and more, where it says another event
_SPAN = 0.05  # what it costs to read two moments as one time
_TIED = 0.05  # what the best may cost less than others that are as likely
# What it costs to link a word out of such a span by its event.
_BY_VERB, _BY_NEAR, _BY_DATE, _LAST = 0.25, 0.4, 0.1, 0.05
_SHORT_SPANNED = ("a", "as", "ao", "to")  # between two words they may mean anything
_JOINED = words_by_role("and") | words_by_role("or")
_BREAKS = frozenset[str]().union(*map(words_by_role, ("by", "which", "who", "where", "when")))
_LAST_CUES = ("#last", "#first", "#max_date", "#min_date")
_STATES = words_by_role("open_state") | words_by_role("over_state")
_UNTIL_WORDS = words_by_role("of") | words_by_role("spanned") | words_by_role("purpose")
_EVENT_REACH = 3  # words between one for time and what it took the time to do
_DATE_WORDS = words_by_role("date_word")
_PARTICIPLE = tuple(words_by_role("participle_ending"))


def columns_at(context: QuestionContext, at: int) -> list[ColumnLink]:
    """Return the columns that words from a position on name, by their name or by an event."""
    if at not in context.event_links_from:
        links = [*context.named_columns_at(at)]
        named = {each.column: each.cost for each in links if each.length == 1}
        links += [e for e in _event_links(context, at) if e.cost < named.get(e.column, 9.0)]
        context.event_links_from[at] = [*links, *_dated_links(context, at)]
    return context.event_links_from[at]


def _said_at(context: QuestionContext, at: int) -> frozenset[str]:
    """Return the events that a word says, none of what joins or is a number."""
    word = context.words[at]
    if at in context.inside or word.text == BLANK or not word.normalized.isalpha():
        return frozenset()
    return events_said(word.normalized)


def _event_links(context: QuestionContext, at: int) -> Iterator[ColumnLink]:
    """Yield the columns of dates that a verb names by what happened then: 'caducaram'."""
    said, word = _said_at(context, at), context.words[at].normalized
    is_verb = (
        any(pattern.fullmatch(word) for pattern in (FINITE, INFINITIVE))
        or word.endswith(_PARTICIPLE)
        or bool(verbs().states(word))
    )
    asks_day, dated = context.asks_day, any(e.normalized in _DATE_WORDS for e in context.words)
    is_state = any(each.cost <= MEANT for each in context.values_at(at)) or word in _STATES
    is_last = _names_last(context, at)
    ranks = any({*_LAST_CUES} & context.cues_of(place) for place in range(at))
    is_named = is_verb or is_last or (asks_day and (context.asks_when or context.asks_days))
    is_row = context.names_row(at) and not (is_last or context.asks_when)
    if not said or not is_named or is_row or (is_state and not asks_day):
        return
    states = {(e.column, value) for e in context.values_at(at) for value in e.values}
    is_over = not states.isdisjoint(closing_values(context.index))
    is_dated = any(each.text == BLANK for each in context.words)
    if is_over and is_dated and not (is_last or context.asks_when):
        return  # 'concluídos em novembro', a state that has its day
    day = context.index.date_column
    events = {
        name: own
        for name, own in events_by_column(context.index).items()
        if context.index.column(name).type != "time" and not (is_last and name == day)
    }
    near = events_near(said) if asks_day else frozenset[str]()
    for meant, paid in ((said, _BY_VERB), (near, _BY_NEAR)):
        fitting = [
            name
            for name, own in events.items()
            if own & meant and (DUE in said or dated or not is_agreed(name))
            if asks_day or ranks or context.index.column(name).missing  # which says that it was
        ]
        least = _LAST if is_last else paid
        for name in fitting if len(fitting) < 3 else ():
            yield ColumnLink(name, 1, least + 0.1 * (len(fitting) - 1), is_whole=False)
        if fitting:
            return


def _dated_links(context: QuestionContext, at: int) -> Iterator[ColumnLink]:
    """Yield the columns of dates whose event is said behind 'data', 'date of'."""
    if context.words[at].normalized not in _DATE_WORDS:
        return
    place = at + 1
    while place < len(context.words) and place in context.inside:
        place += 1
    said = _said_at(context, place) if place < len(context.words) else frozenset[str]()
    events = events_by_column(context.index)
    is_of = place > at + 1 and DUE not in said  # 'data do pedido', not 'data pedida'
    fitting = [n for n, own in events.items() if own & said and not (is_of and is_agreed(n))]
    for name in fitting if len(fitting) < 3 else ():
        paid = _BY_DATE + 0.1 * (len(fitting) - 1)
        yield ColumnLink(name, place + 1 - at, paid, is_whole=True)


def _names_last(context: QuestionContext, at: int) -> bool:
    """Return whether a noun says what happened last, or first: 'the last delivery'."""
    before = context.cues_of(at - 1)
    return bool({*_LAST_CUES} & before)


def _named_moments(context: QuestionContext, start: int, end: int) -> list[tuple[float, str]]:
    """Return the columns of dates that all words from one to another may name, best first."""
    index, places = context.index, range(start, end)
    own = events_by_column(index)
    said = [(at, _said_at(context, at)) for at in places]
    every = frozenset[str]().union(*(each for _, each in said))
    wished = frozenset[str]().union(*(each for at, each in said if _says_agreed(context, at)))
    says_due = DUE in every or any(is_agreed(name) and own[name] & wished for name in own)
    is_known = any(own[name] & every for name in own if says_due or not is_agreed(name))
    found: list[tuple[float, str]] = []
    for name in own:
        links = [
            (each.cost, at, at + each.length)
            for at in places
            if at not in context.joining and context.words[at].normalized not in _DATE_WORDS
            for each in context.named_columns_at(at)
            if each.column == name
            and at + each.length <= end
            and each.cost <= _MOST_MOMENT_COST + 0.1
        ]
        hits = [at for at, events in said if events & own[name]]
        near = [at for at, events in said if events_near(events) & own[name]]
        cost, covered = 9.0, set[int]()
        if links:
            cost, first, last = min(links)
            covered = {*range(first, last)}
        if hits and cost > MEANT:
            unsaid = own[name] - every
            paid = MEANT + _UNSAID * bool(unsaid)
            cost, covered = min((cost, covered), (paid, {*hits}), key=lambda each: each[0])
        if not hits and near and not is_known and cost > _NEAR:
            cost, covered = _NEAR, {*near}
        if cost > 1.0:
            continue
        more = {*hits, *(at for _, at, _ in links), *_codes_of(context, name, start, end)} - covered
        cost -= _SAID_TOO * len(more)
        is_exact = cost <= INFLECTED
        if is_agreed(name) and not (says_due or is_exact):
            cost += _IS_AGREED
        if DUE in every and not is_agreed(name) and not is_exact:
            cost += _IS_NOT_AGREED
        if says_due and own[name] & wished and not is_agreed(name):
            cost += _IS_AGREED  # 'data pedida', which is not that of the order
        rest = sum(map(partial(_price_within, context), {*places} - covered - more))
        rest += _OTHER_EVENT * sum(
            bool(events) and not own[name] & (events | events_near(events))
            for at, events in said
            if at not in covered | more and not context.names_row(at)
        )
        found.append((max(cost, 0.0) + rest, name))
    day = index.date_column
    rows = [at for at in places if context.names_row(at)]
    is_day = any(name == day and cost <= _DAY_OF_ROW for cost, name in found)
    is_alone = sum(at not in context.joining for at in places) == 1
    if day is not None and rows and is_alone and not (is_day or is_known):
        rest = sum(map(partial(_price_within, context), {*places} - {*rows}))
        found.append((_DAY_OF_ROW + rest, day))
    found.sort()
    return [each for each in found if each[0] <= _MOST_MOMENT_COST]


def _says_agreed(context: QuestionContext, at: int) -> bool:
    """Return whether a participle says of a date that it was agreed: 'data pedida'."""
    word = context.words[at].normalized
    if not word.endswith(_PARTICIPLE):
        return False
    beside = {each.normalized for each in context.words[max(0, at - 1) : at + 2]}
    before = {each.normalized for each in context.words[:at]}
    is_left_out = bool(before & _DATE_WORDS) and context.words[at - 1].normalized in OF_WORDS
    return bool(beside & _DATE_WORDS) or is_left_out  # 'depois da pedida'


def _codes_of(context: QuestionContext, name: str, start: int, end: int) -> set[int]:
    """Return the places of words with figures in them that a column's name has, too."""
    own = {each.normalized for each in tokenize(name)}
    return {
        at
        for at in range(start, end)
        if any(map(str.isdigit, word := context.words[at].normalized))
        and {word, word[1:] + word[:1], word[-1:] + word[:-1]} & own
    }


def _price_within(context: QuestionContext, at: int) -> float:
    """Return what it costs that a word stands in the name of a moment and adds nothing."""
    word = context.words[at]
    if at in context.joining or word.normalized in _DATE_WORDS:
        return 0.0
    if word.text == BLANK or word.normalized.isdigit():
        return 9.0
    values = [each.cost for each in context.values_at(at)]
    if min(values, default=1.0) <= INFLECTED and word.text[:1].isupper():
        return _NAMED
    if context.names_row(at) or context.is_of_file(at):
        return _OF_ROW
    if min(values, default=1.0) <= MEANT and not _said_at(context, at):
        return _SELECTS  # 'das ordens urgentes'
    if min(values, default=1.0) <= _MOST_MOMENT_COST and not _said_at(context, at):
        return _OTHER  # 'to resolve the critical ones'
    is_idle = "#noise" in context.cues_of(at)
    if is_idle or is_neutral_verb(word.normalized) or verbs().form(word.normalized):
        return _VERB
    keys = context.keys[at]
    return _KNOWN if keys.concepts or keys.derived or _said_at(context, at) else _OTHER


def _ends_from(context: QuestionContext, at: int, *, is_last: bool = True) -> Iterator[int]:
    """Yield the ends of spans that may name a moment from a word on.

    The last thing that is said ends with no word that joins.
    """
    for end in range(at + 1, min(at + _LONGEST, len(context.words)) + 1):
        said = context.words[end - 1]
        if said.text == BLANK or said.normalized in _BREAKS:
            return
        if not (is_last and end - 1 in context.inside) and said.normalized not in _JOINED:
            yield end


def _best_moments(
    context: QuestionContext, start: int, end: int, but: str = ""
) -> list[tuple[float, str]]:
    found = [each for each in _named_moments(context, start, end) if each[1] != but]
    return [each for each in found if each[0] <= found[0][0] + _TIED][:2]


def spans_time(context: QuestionContext) -> bool:
    """Return whether a time from one moment to another is named: then 'tempo' is no column."""
    return any(any(elapsed_at(context, at)) for at in range(len(context.words)))


def elapsed_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the times between two moments named from here on: 'entre a abertura e o fecho'."""
    yield from _lasted_until(context, at)
    opens = context.words[at].normalized in words_by_role("spanning")
    only = context.words[at].normalized in words_by_role("spanning_only")
    start = at + opens
    if not (opens or _said_at(context, at) or _is_moment_at(context, at)):
        return
    for end in _ends_from(context, start, is_last=False):
        if end >= len(context.words):
            continue
        middle = context.words[end].normalized
        joins = only and middle in words_by_role("spanned_and")
        if not (joins or middle in words_by_role("spanned")):
            continue
        if not opens and middle in _SHORT_SPANNED:
            continue
        yield from _between(context, at, start, end, is_open=joins)
        if middle not in ARTICLES:
            return


def _lasted_until(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the time from the beginning of a row to what is named: 'tempo de resolução'.

    Of a row it is said by how long something took: 'demorou mais a fechar', 'longest to ship'.
    """
    if context.words[at].normalized not in _UNTIL_WORDS or not at:
        return
    before = range(max(0, at - _EVENT_REACH), at)
    if not any(_says_time(context, place) for place in before):
        return
    for end in _ends_from(context, at + 1):
        for cost, last in _best_moments(context, at + 1, end):
            begun = begun_before(context.index, last)
            is_first = last == context.index.date_column  # 'duração das consultas', of rows
            if begun is not None and cost <= _NEAR and not is_first:
                text = context.text(at, end)
                yield Mention("elapsed", at, end, cost / 3, text, column=last, since=begun)


def _says_time(context: QuestionContext, at: int) -> bool:
    """Return whether a word is one for how long something takes: 'tempo', 'demorou'."""
    word = context.words[at].normalized
    lasts = word in words_by_role("duration_noun") or word.startswith(LASTING_VERBS)
    return lasts or "#max_time" in context.cues_of(at)


def _is_moment_at(context: QuestionContext, at: int) -> bool:
    """Return whether the name of a column of dates begins here."""
    if at in context.joining:
        return False
    return any(
        e.cost <= _MOST_MOMENT_COST and context.index.is_moment(e.column)
        for e in columns_at(context, at)
    )


def _between(
    context: QuestionContext, at: int, start: int, middle: int, *, is_open: bool
) -> Iterator[Mention]:
    """Yield the times from what a span names to what is named behind it."""
    for stop in _ends_from(context, middle + 1):
        for cost, first in _best_moments(context, start, middle):
            for more, last in _best_moments(context, middle + 1, stop, but=first):
                types = {context.index.column(each).type for each in (first, last)}
                if "time" in types and len(types) > 1:
                    continue  # a clock tells no day
                begun, ended = first, last
                if is_open:
                    begun, ended = in_order(context.index, first, last)
                paid, text = (cost + more) / 4 + _SPAN, context.text(at, stop)
                yield Mention("elapsed", at, stop, paid, text, column=ended, since=begun)


def set_against(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield that something was before or after a named moment: 'depois da data prometida'."""
    cues = context.lexicon.cues_at(context.stems, at, context.language)
    lengths = {(lemma, n) for lemma, n, _ in cues if lemma in ("#after", "#before")}
    for lemma, length in lengths:
        start = at + length
        while start < len(context.words) and start in context.inside:
            start += 1
        for end in _ends_from(context, start):
            for cost, name in _best_moments(context, start, end):
                text = context.text(at, end)
                yield Mention("against", at, end, cost / 2, text, lemma, column=name)
