"""States: which words of a question say that rows are open, over, late or repeated.

What is open is told by an empty day of closing, or by a column of states, where it is all of them
but those in which a row is over: 'por fechar', of 'Nova', 'Em análise', 'Arquivada', 'Anulada'.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.row_events import events_near, events_said
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic import event_spans, word_context
from qhub_desktop.nlq.semantic.question_context import QuestionContext
from qhub_desktop.nlq.semantic.schema_linking import MEANT
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import closing_column, due_and_closed, events_by_column
from qhub_desktop.nlq.semantic.word_keys import INFINITIVE
from qhub_desktop.nlq.tokenizer import BLANK, tokenize
from qhub_desktop.nlq.word_meanings import WEEKDAY_NUMBERS

_DONE = tuple(words_by_role("participle_ending") | words_by_role("done_ending"))
_CLOSED = frozenset(["closed", "completed", "resolved"])  # what any row may be in the end
_ENDS = _CLOSED | {"delivered", "paid", "verified_by", "validated", "actual", "repair", "return"}
_ENDS |= {"cancelled", "reject", "rejected", "write_off"}
_GOES_ON = frozenset(["open", "pending", "in_progress", "new", "under_review", "forwarded"])
_GOES_ON |= {"reopened", "planned", "in_transit", "registered", "postponed"}
_STILL = words_by_role("still") | words_by_role("yet")
_MOST_STATES = 12
_SHORTEST_CUT = 3  # letters that a longer word is cut down to: 'ConfOn'
# What the open states cost, what less where several words say so, what more where it is not clear
# which these are.
_OPEN, _SAID_SO, _UNCLEAR = 0.05, 0.4, 0.2
_LONGEST_BETWEEN = 3  # words between a denial and what it denies


@dataclass(frozen=True, slots=True)
class States:
    """A column of states: those in which a row is over, and those of which it is unclear."""

    column: str
    over: tuple[str, ...]
    unclear: tuple[str, ...]
    meant: frozenset[str]  # what the others and the halfway ones are called by


_SAYS_SO = 0.5  # what a word costs at most that names a column


def _is_open(value: str) -> bool | None:
    """Return whether a state is one of rows that go on, None where nothing says so."""
    words = [each.normalized for each in tokenize(value)]
    meant = {*domain_lexicon().concepts_of_name(value)}
    is_partial = any(word.startswith(tuple(words_by_role("partly"))) for word in words)
    if is_partial or (words[:1] and words[0] in words_by_role("under_way")) or meant & _GOES_ON:
        return True
    if meant & _ENDS or words_by_role("over_value") & {*words}:
        return False
    return True if words and words[-1].endswith(tuple(words_by_role("going_on_ending"))) else None


@lru_cache(maxsize=64)
def states_of(index: SchemaIndex) -> States | None:
    """Return the column that tells which rows are open, None where none or several do."""
    found = []
    for column in index.profile.columns:
        meant = {*domain_lexicon().concepts_of_name(column.name)}
        values = [str(each) for each in column.known]
        is_told = column.type in ("text", "category") and 1 < len(values) <= _MOST_STATES
        if not is_told or not meant & {"status", "phase"}:
            continue
        told = {value: _is_open(value) for value in values}
        if {True, False} <= {*told.values()}:
            called = frozenset().union(*map(domain_lexicon().concepts_of_name, values))
            over = tuple(value for value, is_open in told.items() if is_open is False)
            unclear = tuple(value for value, is_open in told.items() if is_open is None)
            found.append(States(column.name, over, unclear, called - _GOES_ON))
    return found[0] if len(found) == 1 else None


def states_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the words from a position on that say that rows are late, open, over or repeated."""
    stems = [each.stemmed for each in context.keys[at : at + 4]]
    lengths = {
        length for concept, length in domain_lexicon().concepts_at(stems, 0) if concept == "overdue"
    }
    if "overdue" in context.keys[at].concepts:
        lengths.add(1)
    for length in lengths:
        paid = 0.1 if length == 1 else -0.1  # 'fora do prazo' excepts nothing
        yield Mention("cue", at, at + length, paid, context.text(at, at + length), "#overdue")
    yield from _kept_or_missed(context, at)
    for place in range(2, min(6, len(context.words) - at + 1)):
        said = " ".join(word.normalized for word in context.words[at : at + place])
        of_rows = said in words_by_role("more_than_one") and context.names_row(at + place)
        if of_rows or said in words_by_role("more_than_once"):
            yield Mention("cue", at, at + place, 0.0, context.text(at, at + place), "#repeated")
    yield from _open_or_over(context, at)
    yield from _open_states(context, at)
    if days := [each for each in context.keys[at].concepts if each in WEEKDAY_NUMBERS]:
        yield Mention("cue", at, at + 1, 0.05, days[0], "#on_weekday")
    following = context.words[at + 1].normalized if at + 1 < len(context.words) else ""
    if word_context.denies(context, at, following):
        yield Mention("cue", at, at + 1, 0.0, context.words[at].text, "#except")


def _kept_or_missed(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield that what was due was kept or missed: 'falha os prazos', 'não cumpriu a data prevista'.

    'Falha mais prazos' is late, too, and leaves the most to be read.
    """
    said = [word.normalized for word in context.words]
    denied = int(said[at] in words_by_role("denial"))
    verb = at + denied
    if verb >= len(said) or due_and_closed(context.index)[0] is None:
        return
    is_missed = said[verb].startswith(tuple(words_by_role("misses_due")))
    if not is_missed and not said[verb].startswith(tuple(words_by_role("keeps_due"))):
        return
    lemma = "#overdue" if is_missed != bool(denied) else "#on_time"
    noun, ranked = verb + 1, 0
    while noun < len(said) and noun - verb <= _LONGEST_BETWEEN:
        if length := _due_noun(said, noun):
            start, end = noun if ranked else at, noun + length
            if ranked:
                yield Mention("joining", at, ranked, 0.0, context.text(at, ranked))
            yield Mention("cue", start, end, -0.3, context.text(start, end), lemma)
            return
        if said[noun] in words_by_role("ranks_due"):
            ranked = ranked or noun
        elif said[noun] not in context.lexicon.joining:
            return
        noun += 1


def _due_noun(said: Sequence[str], at: int) -> int:
    """Return how many words from here on name what was agreed, 0 if none do."""
    named = words_by_role("due_noun")
    if at + 1 < len(said) and " ".join(said[at : at + 2]) in named:
        return 2
    return int(said[at] in named)


def _open_or_over(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield a word for what is open or over, of rows that end on a day: 'em aberto'."""
    column = closing_column(context.index)
    dated = {word.text for word in context.words} & {BLANK}
    if column is None or dated or context.words[at].is_quoted:
        return
    said = [word.normalized for word in context.words[at : at + 2]]
    length = 2 if len(said) > 1 and " ".join(said) in words_by_role("open_state") else 1
    is_open = " ".join(said[:length]) in words_by_role("open_state")
    meant = {*domain_lexicon().concepts_of_name(column), *context.index.lemmas[column]}
    done = {"delivery": "delivered", "return": "returned"}
    meant |= {done[each] for each in meant & done.keys()}
    word = said[0].removeprefix("un")
    is_done = word.endswith(_DONE) and bool(
        {*domain_lexicon().concepts_of_name(word)} & meant
    )  # 'undelivered'
    near = {each.normalized for each in context.words[max(0, at - 2) : at]}
    is_denied = word != said[0] or bool(near & words_by_role("denial"))
    behind = {each for keys in context.keys[at + 1 : at + 3] for each in keys.concepts}
    cues = {
        lemma for lemma, _, _ in context.lexicon.cues_at(context.stems, at + 1, context.language)
    }
    is_judged = "overdue" in behind or "#on_time" in cues  # 'delivered late'
    is_done = is_done and (is_denied or is_judged or at + 1 == len(context.words))
    is_open = is_open or (is_done and said[0].startswith("un"))
    if is_open or is_done or said[0] in words_by_role("over_state"):
        lemma = "#open" if is_open else "#over"
        yield Mention("cue", at, at + length, 0.0, context.text(at, at + length), lemma, column)


def _open_states(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield that rows are not over: 'por fechar', 'ainda não foram pagas', 'unconfirmed'."""
    states, ended = states_of(context.index), closing_column(context.index)
    if (states is None and ended is None) or context.words[at].is_quoted:
        return
    still = int(context.words[at].normalized in _STILL)
    named = _open_words(context, at + still) if states is not None or still else ()
    for length in {*named, *_not_done(context, at, still)}:
        end = at + still + length
        paid = _OPEN - _SAID_SO * (end > at + 1)
        open_ = Mention("cue", at, end, paid, context.text(at, end), "#open", ended or "")
        if states is None:
            yield open_
            continue
        choices = {states.over, states.over + states.unclear}
        paid += _UNCLEAR * (len(choices) > 1)
        for values in sorted(choices):
            yield replace(open_, cost=paid, column=states.column, values=values)


def _open_words(context: QuestionContext, at: int) -> Iterator[int]:
    """Yield how many words from here on say that something is open, and no value alone."""
    said = [word.normalized for word in context.words[at : at + 3]]
    for length in range(len(said), 0, -1):
        is_value = length == 1 and any(each.cost <= MEANT for each in context.values_at(at))
        if " ".join(said[:length]) in words_by_role("open_state") and not is_value:
            yield length
            return


def _not_done(context: QuestionContext, at: int, still: int) -> Iterator[int]:
    """Yield how many words, without 'ainda', say that what ends a row was not done yet."""
    said = [word.normalized for word in context.words]
    place = at + still
    if place + 1 < len(said) and said[place] in words_by_role("not_yet"):
        if INFINITIVE.fullmatch(said[place + 1]) and _ends_row(context, place + 1):
            yield 2
        return
    if place < len(said) and said[place].startswith("un") and _ends_row(context, place, "un"):
        yield 1
    if place >= len(said) or said[place] not in words_by_role("denial"):
        return
    verb = place + 1
    while verb < len(said) and said[verb] in words_by_role("before_done"):
        verb += 1
    if verb >= len(said) or verb - place > _LONGEST_BETWEEN or not _ends_row(context, verb):
        return
    yet = int(said[verb + 1 : verb + 2] != [] and said[verb + 1] in _STILL)
    is_part = bool({*said[place:verb]} & words_by_role("entirely"))
    if still or yet or is_part:
        yield verb + 1 + yet - place


def _ends_row(context: QuestionContext, at: int, prefix: str = "") -> bool:
    """Return whether a word says what a row is in the end, by a state or the day of closing."""
    said = context.words[at].normalized.removeprefix(prefix)
    named = (
        each for each in event_spans.columns_at(context, at) if context.index.is_flag(each.column)
    )
    if any(each.cost < _SAYS_SO for each in named):
        return False  # 'por resolver', where a column says of each row whether it is resolved
    if said in words_by_role("closing_verb"):
        return True
    keys = context.keys[at]
    meant = {*keys.concepts, *keys.derived, *domain_lexicon().concepts_of_name(said)}
    if (states := states_of(context.index)) is not None:
        return bool(meant & (_CLOSED | states.meant) - _GOES_ON)
    ended = closing_column(context.index) or ""
    own = domain_lexicon().concepts_of_name(ended)
    words = (each.normalized for each in tokenize(ended))
    is_cut = any(len(each) >= _SHORTEST_CUT and said.startswith(each) for each in words)
    events = events_by_column(context.index).get(ended, frozenset())
    is_cut = is_cut or bool(events & events_near(events_said(said)))  # 'chegaram', as delivered
    return is_cut or bool(meant & (_CLOSED | {*own}) - _GOES_ON)
