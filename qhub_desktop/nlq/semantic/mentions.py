"""Mentions: all that the spans of a question may stand for, and the cheapest ways through them.

A question is a lattice: `cheapest_paths` are the cheapest sequences that cover every word of it.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic import (
    event_spans,
    noun_context,
    similar_columns,
    states,
    word_context,
)
from qhub_desktop.nlq.semantic.column_meaning import AT_LARGE, gained_measures, money_measures
from qhub_desktop.nlq.semantic.computed_roles import ASKED_FOR, asked_and_came
from qhub_desktop.nlq.semantic.noun_context import NUMBER
from qhub_desktop.nlq.semantic.question_context import SHORTEST_NOUN, QuestionContext
from qhub_desktop.nlq.semantic.schema_linking import (
    INFLECTED,
    MEANT,
    RELATED,
    SIMILAR,
    ValueLink,
)
from qhub_desktop.nlq.semantic.slots import (
    EACH,
    NUMBERED,
    Mention,
    cues_that_name,
    flags_last,
    numbered_first,
)
from qhub_desktop.nlq.semantic.word_keys import (
    CONJUGATION,
    MONEY,
    PIECES,
    SHORTEST_SLIP,
    ending_with,
    is_neutral_verb,
)
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES
from qhub_desktop.nlq.tokenizer import BLANK, Word, parse_number
from qhub_desktop.nlq.verbs import verbs
from qhub_desktop.nlq.word_meanings import (
    ARTICLES,
    FINITE,
    GRAIN_CUES,
    HOW_MUCH,
    OF_WORDS,
    ORDERING,
    PER,
    RELATIONS,
    SUPERLATIVES,
    VERB,
    number_of,
)

_FOREIGN_CUE, _GRAIN_ALONE, _CAPITAL, _WEAK_WHY, _VERB_OF_CATEGORY = 0.2, 0.12, 0.3, 0.6, 0.4
_STATISTIC_RATHER, _CUE_THAT_NAMES, _BY_UNIT, _GOOD, _NAMED_RATHER = 0.4, 0.5, 0.3, 0.6, 0.5
_STATE_AS_NOUN, _MOST_NOUN_WORDS = 0.9, 3
_ARCS = 7  # of a kind from each word
_DURATIONS = words_by_role("duration_noun")
_DENIED = words_by_role("not_yet") | words_by_role("denial")
_COUNTED_OR_RANKED = words_by_role("how_many") | words_by_role("ranked_by")
_DOING = frozenset(["produced", "work", "consumption"])  # what a row is of, rather than a state
_PART_CONCEPTS = PIECES - {"quantity"}
_ACRONYM = re.compile(r"[A-Z]{2,4}s")
_LEVEL_IS_NO_ROW = 0.6  # 'OEE', 'temperatura': what is measured of rows
_THOUSANDS = re.compile(r"(\d+(?:[.,]\d+)?)k", re.IGNORECASE)
_ORDERS = words_by_role("orders") | words_by_role("ordering_noun")
_DURATION = 0.3  # 'tempo', where a row has two dates
_SAID_WHOLE = 0.8  # a cue that is a column's name, or one that is taken apart
_ROWS_THAT_NAME = 0.35  # 'entradas', of a column of the days when
_NOUN_THAT_ASKS = 0.8  # 'longest', which is no thing
_POINTING = words_by_role("that_before") | words_by_role("those_before")
_PART_BEHIND = 0.1  # of what a column and a part of its value behind it cost by themselves
_CELLS = 0.05  # what the cells of a wide table hold
_THAT_NAMES = {"#noise": 0.4, "#columns": 0.9}  # a word of no meaning elsewhere names something
_TIME_IS_NO_ROW = 1.2  # 'tempo de paragem', where two columns tell it
_SAID_IN_FULL = 0.25  # 'no-show', of no function words
_CALLS, _MOST_OF_IT, _ROW_RATHER = 0.2, 0.3, 0.9
_OPPOSITE = 0.25  # 'reprovados', the no of 'Aprovado'
_NO_GAIN = 0.3  # 'vendas' are no refunds
_LONGEST_COLUMN = 0.9  # what a column may cost
# What it costs to pass over a word, by its kind.
PASSED_FINITE = 0.45  # a verb that names nothing says only what rows do
PASSED_VERB, PASSED_WORD, PASSED_QUALITY, PASSED_THING, PASSED_NAME = 1.1, 1.4, 1.6, 1.6, 3.0
NEUTRAL_VERB, IDLE_VERB, ADVERB = 0.08, 0.15, 0.03
_NOUN_OF_FILE, _NOUN_KNOWN, _NOUN_GUESSED = 0.05, 0.2, 0.65
_COLUMN_RATHER = 0.4  # 'gravidade', which is a column, not the value 'Grave'
_CUE_GOES_ON = 0.4  # 'depois da data prevista'
_COLUMN_IS_NO_ROW = 0.2  # 'máquinas', where a column has them
_VALUE_IS_NO_ROW = 0.5  # 'rejeições', where lots were rejected
_WEAK_CUES = frozenset(
    ["#which", "#distinct", "#again", "#noise", "#show", "#least", "#at_most", "#divided"]
)


_QUALITY = re.compile(rf".{{2,}}(?:{ending_with('participle_ending', 'quality_ending')})")
_MONEY_VERB = re.compile(f"(?:{ending_with('money_verb')}){CONJUGATION}")


def _asks_beyond(cues: Sequence[Mention], at: int) -> bool:
    """Return whether a count is asked for from a word on in several words: 'how many'."""
    return any(each.lemma == "#count" and each.end > at + 1 for each in cues)


def arcs_of(words: Sequence[Word], index: SchemaIndex, language: Language) -> list[list[Mention]]:
    """Return all mentions of a question over one data set, by the word with which they begin."""
    context = QuestionContext(words, index, language)
    context.spans_time = event_spans.spans_time(context)
    for at in range(len(words)):
        context.arcs.append([*_arcs_at(context, at)])
    return context.arcs


def _arcs_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield all that the spans from a word on may stand for."""
    word = context.words[at]
    if word.text == BLANK:
        yield Mention("date", at, at + 1, 0.0, "")
        return
    cues, names = _priced_together(context, at, [*_cues_at(context, at)], [*_names_at(context, at)])
    found = [*cues, *states.states_at(context, at), *names, *_numbers_at(context, at)]
    parts = [each for each in found if each.kind == "column" and each.column in context.telling]
    context.is_part = any(each.cost < 0.6 for each in parts)
    flags = (each for each in parts if context.index.is_flag(each.column))
    context.is_flag = any(each.cost < RELATED for each in flags)
    yield from found
    yield from _ways_to_name_rows(context, at, cues, names)
    yield from _times(context, at)
    yield from _asked_for_behind(context, at)
    wide = context.index.wide
    is_named = any(each.cost < MEANT for each in names)
    if wide is not None and not is_named and word_context.names_cells(context, at):
        cells = Mention("column", at, at + 1, _CELLS, word.text, column=wide.value)
        yield replace(cells, is_whole=False)
    if word_context.is_row_of_day(context, at):
        yield Mention("noun", at, at + 1, _NOUN_OF_FILE, word.text)
    if context.lasts:
        if not any("#correlation" in context.cues_of(place) for place in range(at + 1)):
            yield from event_spans.elapsed_at(context, at)  # not 'relação entre A e B'
        yield from event_spans.set_against(context, at)
    yield from _named_nouns(context, at)
    asked = word_context.asked(context, at)
    if asked:
        yield Mention("cue", at, at + 1, 0.0, word.text, asked)
    elif word.normalized in words_by_role("who") or word.normalized in _POINTING:
        yield Mention("joining", at, at + 1, 0.0, word.text)  # 'a idade de quem ficou'
    elif at in context.joining:
        yield from _joined_at(context, at, cues, found)
    else:
        yield from _free_words(context, at, cues, names, found)


def _asked_for_behind(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the amount that was asked for, by its verb: 'recebemos menos do que pedimos'."""
    pairs, word = asked_and_came(context.index), context.words[at]
    if len(pairs) != 1 or not context.keys[at].concepts & ASKED_FOR:
        return
    ends = {at, at - 1} if context.words[at - 1].normalized in ARTICLES else {at}
    if any(e.lemma in RELATIONS and e.end in ends for arcs in context.arcs[:at] for e in arcs):
        yield Mention("column", at, at + 1, _BY_UNIT / 2, word.text, column=pairs[0][0])


def _priced_together(
    context: QuestionContext, at: int, cues: list[Mention], names: list[Mention]
) -> tuple[list[Mention], list[Mention]]:
    """Return cues and names from one word on, each priced by what else the word may be."""
    columns = [each for each in names if each.kind == "column"]
    flagged = any(each.cost < 0.3 and each.column in context.telling for each in columns)
    is_called = any(each.is_whole and each.cost < MEANT for each in columns)
    cues = [
        replace(each, cost=each.cost + 0.3)
        if (flagged and each.lemma in ("#duplicates", "#missing"))
        or (is_called and each.lemma == "#percent")
        else each
        for each in cues
    ]
    measured = [each for each in columns if context.index.is_measure(each.column)]
    ends = [each.end - 1 for each in cues if each.lemma == "#money"]
    is_value = any(link.cost <= INFLECTED for end in ends for link in context.values_at(end))
    named_so = cues_that_name(measured, (RELATED, MEANT), is_value=is_value)
    cues = [
        replace(each, cost=each.cost + _CUE_THAT_NAMES) if each.lemma in named_so else each
        for each in cues
    ]
    if word_context.weighs(context, at):  # 'peso da Renova no frete total'
        names = [replace(each, cost=each.cost + 2 * _SAID_WHOLE) for each in names]
        cues = [replace(each, cost=0.0) if each.lemma == "#percent" else each for each in cues]
    if any(each.end == at + 1 and each.cost <= MEANT for each in names):
        cues = [
            replace(each, cost=each.cost + _THAT_NAMES[each.lemma])
            if each.lemma in _THAT_NAMES and each.end == at + 1
            else each
            for each in cues
        ]
    rather = {*STATISTIC_CUES, *(GRAIN_CUES if context.spans_time else ())}  # 'hours', beside 'HR'
    if any(each.lemma in rather and each.end == at + 1 for each in cues):
        names = [
            replace(each, cost=each.cost + _STATISTIC_RATHER) if each.kind == "value" else each
            for each in names
        ]  # 'duração média', where a priority is called 'Média'
    return cues, names


def _ways_to_name_rows(
    context: QuestionContext, at: int, cues: Sequence[Mention], names: Sequence[Mention]
) -> Iterator[Mention]:
    """Yield the file's own name, and words that only say of what kind or unit a name is."""
    word = context.words[at]
    name = tuple(token.lemma for token in context.tokens[at : at + len(context.index.name)])
    if name and name == context.index.name and not any(each.startswith("#") for each in name):
        yield Mention("noun", at, at + len(name), _NOUN_OF_FILE, context.text(at, at + len(name)))
    if word_context.is_unit_of_name(context, at) or word_context.is_said_of_cell(context, at):
        yield Mention("joining", at, at + 1, 0.0, word.text)
    counts = _asks_beyond(cues, at) and (
        any(each.normalized in words_by_role("and") for each in context.words[at + 2 :])
        or (word.normalized in NUMBER and noun_context.may_be_said(context, at))
    )  # 'número de clientes por país'
    names_kind = word.normalized in words_by_role("name_kind") and not counts
    is_named = any(each.cost < MEANT for each in names)
    counts_by = (
        at > 0
        and context.words[at - 1].normalized in PER
        and noun_context.counts_behind(context, at)
    )
    if names_kind and not (is_named or counts_by) and word_context.names_beside(context, at):
        yield Mention("joining", at, at + 1, 0.15, word.text)
    if (concept := word_context.unit_of_answer(context, at)) is not None:
        yield Mention("unit", at, at + 1, 0.0, word.text, concept)


def _times(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield a word for time as a delay, or as what lies between two moments of a row."""
    word = context.words[at]
    is_delay = (
        word.normalized in _DURATIONS and context.is_due and "delay" in context.keys[at].concepts
    )
    if is_delay:
        yield Mention("cue", at, at + 1, 0.0, word.text, "#overdue")
    says_time = word.normalized in _DURATIONS or word_context.lasts_most(context, at)
    if says_time and context.lasts and not (is_delay or word_context.is_between_rows(context, at)):
        is_held = context.index.measures_of("time") and not context.spans_time
        paid = _DURATION if is_held else 0.0
        yield Mention("cue", at, at + 1, paid, word.text, "#duration")


def _joined_at(
    context: QuestionContext, at: int, cues: Sequence[Mention], found: Sequence[Mention]
) -> Iterator[Mention]:
    """Yield a function word as one that only joins, unless a cue says more of it."""
    says = any(
        each.kind == "cue"
        and each.end == at + 1
        and each.cost < _FOREIGN_CUE
        and each.lemma not in _WEAK_CUES
        for each in found
    )
    if not says:
        ranks = any(each.lemma == "#least" and each.end == at + 1 for each in cues)
        paid = _SAID_WHOLE if _asks_beyond(cues, at) else 0.3 if ranks else 0.0  # 'how many'
        yield Mention("joining", at, at + 1, paid, context.words[at].text)


def _free_words(
    context: QuestionContext,
    at: int,
    cues: Sequence[Mention],
    names: Sequence[Mention],
    found: Sequence[Mention],
) -> Iterator[Mention]:
    """Yield a word as a verb of money, as what rows are called by, or as passed over."""
    word = context.words[at]
    is_explained = any(each.end == at + 1 and each.cost < 0.5 for each in found)
    if _MONEY_VERB.fullmatch(word.normalized) and not word_context.qualifies(context, at):
        paid = 0.4 if any(each.kind in ("value", "column") for each in found) else 0.1
        paid += _NAMED_RATHER * noun_context.names_amount(context, names)  # 'poupou', of 'Poupança'
        if verbs().states(word.normalized) and word_context.is_counted_and_is(context, at):
            paid += _STATE_AS_NOUN  # 'how many were paid'
        yield Mention("cue", at, at + 1, paid, word.text, "#money")
    says_cue = any(
        each.end == at + 1 and each.cost <= _FOREIGN_CUE and each.lemma not in _WEAK_CUES
        for each in cues
    )
    substance = similar_columns.how_much_of(context.index, context.words, at, context.tokens[at])
    for each in _nouns_at(context, at):
        yield replace(each, cost=each.cost + _NOUN_THAT_ASKS * (says_cue or bool(substance)))
        if substance:  # 'mais leite'
            yield replace(each, kind="column", cost=RELATED, column=substance)
    if noun_context.calls_value(context, at):
        yield Mention("joining", at, at + 1, _CALLS, word.text)  # 'no armazém B1'
    before = context.arcs[at - 1] if at else []
    most = any(each.end == at + 1 and each.lemma in SUPERLATIVES for each in before)
    whole = any(each.end > at + 1 and each.cost <= INFLECTED for each in names)
    paid = _MOST_OF_IT * most + 0.6 * (whole and at in context.joining)  # 'no show', a value
    for each in _passed_over(context, at, is_explained=is_explained, says_cue=says_cue):
        yield replace(each, cost=each.cost + paid)


def _cues_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    before = context.words[at - 1].normalized if at else ""
    weighs = similar_columns.names_amount(context.index, event_spans.columns_at(context, at))
    compares = similar_columns.says_more_than_one(context.words, at)
    for lemma, length, is_own in context.lexicon.cues_at(context.stems, at, context.language):
        cost = 0.0 if is_own else _FOREIGN_CUE
        if compares and lemma in ("#most", "#least"):
            cost += _SAID_WHOLE  # 'mais do que uma', which ranks nothing
        said = context.words[at].normalized
        if lemma == "#distinct" and said in words_by_role("single_value"):
            continue
        if lemma == "#sort" and context.words[at].normalized in _ORDERS:
            continue
        if lemma.startswith("#kind_") and before in words_by_role("how_many"):
            continue  # 'quantas caixas', which are no chart
        if lemma in GRAIN_CUES and length == 1 and at not in context.joining:
            cost += _GRAIN_ALONE
            if any(keys.stemmed == context.own[at] for keys in context.column_words):
                cost += 0.25  # 'horas', of a column that is called so
        if context.stems[at : at + length] != context.own[at : at + length]:
            if length == 1 and context.own[at].startswith(context.stems[at]):
                continue  # 'rated' is no slip of 'rate'
            cost += 0.5  # a slip of the finger
        if length == 1 and context.words[at].is_quoted:
            cost += 1.0
        if lemma == "#noise" and length == 1 and word_context.says_something(context, at):
            cost += 0.2
        if lemma == "#noise" and said in _DURATIONS and context.lasts:
            cost += _TIME_IS_NO_ROW if word_context.lasts_most(context, at) else _DURATION + 0.5
        if lemma == "#count" and length == 1 and word_context.begins_name(context, at):
            cost += _ROWS_THAT_NAME  # 'qtd recebida'
        if lemma == "#count" and _measures_value(context, at, at + length):
            cost += _ROWS_THAT_NAME  # 'quantidade total de tampas'
        if lemma in ("#money", "#std") and length == 1 and word_context.is_column(context, at):
            cost += _SAID_WHOLE  # 'sales', 'desvio', of a column that is called so
        if lemma == "#percent" and length == 1 and weighs:
            cost += _SAID_WHOLE  # 'peso', of what is weighed
        if lemma == "#by_value" and context.has_money:
            cost += 2 * _ROWS_THAT_NAME  # 'por valor', of money
        if lemma == "#rows" and length == 1 and word_context.may_name(context, at):
            cost += _ROWS_THAT_NAME
        if lemma == "#noise" and before in words_by_role("state_marker"):
            cost += _ROWS_THAT_NAME  # 'já saíram'
        parts = context.counts_parts and context.keys[at].concepts & _PART_CONCEPTS
        if lemma == "#noise" and (parts or _is_asked_in(context, at, before)):
            cost += 1.0  # 'unidades', of which there is a quantity; 'os litros da rota 1'
        elif lemma == "#noise" and before in _COUNTED_OR_RANKED:
            cost += 0.5  # 'quantos litros', 'mais litros'
        is_unit = before not in words_by_role("in_unit") and not (
            before.isdigit() or verbs().form(said)
        )
        is_meant = (
            before in PER
            or said in NUMBER
            or (is_unit and word_context.says_something(context, at))
        )
        if lemma == "#noise" and is_meant and noun_context.may_be_said(context, at):
            cost += 1.0  # 'custo por litro', 'litros por mês', 'número de clientes por país'
        if cost < _CAPITAL and word_context.is_named_value(context, at, length):
            cost += _CAPITAL  # 'o plano Total'
        following = context.words[at + 1].normalized if at + 1 < len(context.words) else ""
        if lemma == "#by" and word_context.denies(context, at, following):
            cost += 0.6  # 'por fechar'
        if lemma in ORDERING and said in PER and _is_name(context, at + 1, at + length):
            cost += 2 * _SAID_WHOLE  # 'by name', of a column that is called so
        if (
            lemma == "#why"
            and at
            and length > 1
            and word_context.is_column(context, at + length - 1)
        ):
            cost += _WEAK_WHY  # 'e por que motivo', of a column of reasons
        if all(place in context.joining for place in range(at, at + length)):
            cost -= EACH
        yield Mention("cue", at, at + length, cost, context.text(at, at + length), lemma)


def _measures_value(context: QuestionContext, start: int, end: int) -> bool:
    """Return whether some words begin with the name of an amount, and a value follows them."""
    end += end in context.joining
    return any(
        each.is_whole and each.cost <= MEANT and context.index.is_measure(each.column)
        for each in event_spans.columns_at(context, start)
    ) and any(link.cost <= INFLECTED for link in context.values_at(end))


def _is_name(context: QuestionContext, start: int, end: int) -> bool:
    """Return whether some words are the whole name of a column that holds no numbers."""
    return start < end and any(
        each.is_whole and each.length == end - start and each.cost <= MEANT
        for each in event_spans.columns_at(context, start)
        if not context.index.is_number(each.column)
    )


def _names_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the columns and values that are named from a word on."""
    if at in context.joining and not word_context.starts_name(context, at):
        return
    if context.words[at].normalized in words_by_role("who"):
        return
    before = context.words[at - 1].normalized if at else ""
    is_asked = word_context.is_counted(context, at) or before in words_by_role("ranked_by")
    columns = _rather_acts(context, at, before, _named_columns(context, at))
    columns = _rather_counted(context, at, before, columns, is_asked=is_asked)
    is_asked = is_asked or noun_context.is_grouped(context, at)
    columns = similar_columns.told_apart(context.index, columns, context.keys, is_counted=is_asked)
    columns = [*similar_columns.with_rate(context.index, columns, context.words, context.keys, at)]
    columns = _rather_others(context, at, before, columns)
    yield from heapq.nsmallest(_ARCS, columns, key=lambda each: (each.cost, each.start - each.end))
    text, is_verb = context.words[at].text, VERB.fullmatch(context.words[at].normalized) is not None
    is_meant = any(each.cost <= MEANT for each in columns)
    if context.keys[at].concepts & MONEY and not (is_verb or is_asked or is_meant):
        yield from _amounts_of_money(context, at)
    for name, paid in similar_columns.of_unit(context.index, context.tokens[at], context.keys):
        yield Mention("column", at, at + 1, _BY_UNIT + paid, text, column=name, is_whole=False)
    yield from _values_behind(context, columns)
    values = _named_values(context, at, before, columns)
    yield from heapq.nsmallest(_ARCS, values, key=lambda each: (each.cost, each.start - each.end))
    if not any(each.cost <= SIMILAR for each in (*columns, *values)):
        for name, value in word_context.opposites_at(context, at):
            yield Mention("value", at, at + 1, _OPPOSITE, text, column=name, values=(value,))


def _values_behind(context: QuestionContext, columns: Sequence[Mention]) -> Iterator[Mention]:
    """Yield values of which a part stands right behind their column: 'armazém das tintas'."""
    for each in columns:
        if each.cost > MEANT or context.index.is_number(each.column):
            continue
        joins = each.end < len(context.words) and context.words[each.end].normalized in OF_WORDS
        at = each.end + joins
        for link in context.values_at(at) if at < len(context.words) else ():
            if link.column == each.column and len(link.values) == 1 and link.cost > MEANT:
                end, paid = at + link.length, (each.cost + link.cost) * _PART_BEHIND
                text = context.text(each.start, end)
                yield Mention(
                    "value", each.start, end, paid, text, column=each.column, values=link.values
                )


def _named_columns(context: QuestionContext, at: int) -> list[Mention]:
    """Return the columns that words may name from a word on."""
    return [
        Mention(
            "column",
            at,
            at + each.length,
            each.cost,
            context.text(at, at + each.length),
            column=each.column,
            is_whole=each.is_whole,
        )
        for each in event_spans.columns_at(context, at)
        if each.cost <= _LONGEST_COLUMN and not word_context.is_verb_of_key(context, at, each)
    ]


def _is_verb_form(context: QuestionContext, at: int) -> bool:
    """Return whether a word is the form of a verb, and no thing that is counted."""
    verb = verbs().form(context.words[at].normalized)
    is_form = verb is not None and verb.kind in ("finite", "participle")
    return is_form and not word_context.is_thing_counted(context, at)


def _rather_acts(
    context: QuestionContext, at: int, before: str, columns: list[Mention]
) -> list[Mention]:
    """Price columns that a verb names: 'quem afinou', of a column of who did."""
    if before in words_by_role("who"):
        near = (MEANT if MEANT < each.cost <= RELATED else each.cost for each in columns)
        return [replace(each, cost=c) for each, c in zip(columns, near, strict=True)]
    if not columns or not (
        FINITE.fullmatch(context.words[at].normalized) or _is_verb_form(context, at)
    ):
        return columns
    return [
        replace(each, cost=each.cost + _VERB_OF_CATEGORY)
        if each.end == at + 1
        and each.cost >= MEANT
        and not (each.is_whole and each.column in context.telling)
        and not context.index.is_moment(each.column)
        else each
        for each in columns
    ]


def _rather_counted(
    context: QuestionContext, at: int, before: str, columns: list[Mention], *, is_asked: bool
) -> list[Mention]:
    """Price columns where rows are counted by what may be their name: 'quantas vendas'."""
    counts = before in _COUNTED_OR_RANKED
    is_of_file = counts and context.index.is_in_file_name(context.tokens[at])
    if counts and (is_of_file or before not in words_by_role("ranked_by")):
        # What the file is called by is rather a row than what it only means: 'quantos apertos'.
        least = MEANT if is_of_file else RELATED
        if domain_lexicon().concept_of_unit(context.words[at].text):
            least = _LONGEST_COLUMN  # 'quantos litros', which are no rows
        is_row_word = bool(context.keys[at].concepts & context.lexicon.rows)
        columns = [
            replace(each, cost=each.cost + 0.3)
            if (each.cost >= least and context.index.is_measure(each.column))
            or (each.cost >= RELATED and is_row_word and not each.is_whole)
            else each
            for each in columns
        ]
    if context.keys[at].concepts & _PART_CONCEPTS and is_asked:  # rather rows than references
        least = 0.0 if context.counts_parts else MEANT
        columns = [
            each
            if each.cost < least or context.index.is_measure(each.column)
            else replace(each, cost=each.cost + 0.3)
            for each in columns
        ]
    return columns


def _rather_others(
    context: QuestionContext, at: int, before: str, columns: list[Mention]
) -> list[Mention]:
    """Price columns where others, or the rows, are rather meant: what was done, amounts."""
    is_row = context.index.is_in_file_name(context.tokens[at]) and before in PER
    columns = [
        replace(each, cost=each.cost + _ROW_RATHER)
        if is_row and not each.is_whole and not context.index.is_measure(each.column)
        else replace(each, cost=each.cost + 0.15)
        if each.cost >= RELATED and word_context.is_planned(context, each.column)
        else each
        for each in columns
    ]
    says_money = context.has_money and context.keys[at].concepts & MONEY
    if says_money and before not in _DENIED and not _is_verb_form(context, at):
        said = {each.column for each in columns}
        amounts = {e for e in said if e not in context.telling or context.index.is_measure(e)}
        columns = flags_last(columns, amounts, MEANT)
    if "price" in context.keys[at].concepts:
        columns = similar_columns.priced_first(columns)
    return numbered_first(columns, context.numbered, MEANT)


def _amounts_of_money(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield the amounts that a word for money may be."""
    text = context.words[at].text
    gains = gained_measures(context.index) if context.says_gain else ()
    for name, paid in money_measures(context.index):
        is_loss = bool(gains) and name not in gains
        cost = min(paid, AT_LARGE) if gains == (name,) else paid + _NO_GAIN * is_loss
        yield Mention("column", at, at + 1, cost, text, column=name, is_whole=False)


def _named_values(
    context: QuestionContext, at: int, before: str, columns: Sequence[Mention]
) -> list[Mention]:
    """Return the values that words may name from a word on, beside the columns there."""
    links = (*context.values_at(at), *context.linker.rare_values_at(context.tokens, at))
    values = {
        (each.column, each.values, each.length): each
        for each in sorted(links, key=lambda each: -each.cost)  # the cheapest of them stays
    }
    is_anyone = context.words[at].normalized in words_by_role("people")
    made = [
        Mention(
            "value",
            at,
            at + each.length,
            _value_cost(context, at, each, is_anyone=is_anyone),
            context.text(at, at + each.length),
            column=each.column,
            values=each.values,
        )
        for each in values.values()
        if each.cost < MEANT
        or not similar_columns.holds_units(context.index, each.column)  # 'consumo' is no 'kWh'
    ]
    if context.index.is_in_file_name(context.tokens[at]):  # 'encomenda', of orders, in a note
        made = [
            replace(each, cost=each.cost + 0.4)
            if each.cost > 0 or context.index.column(each.column).type == "text"
            else each
            for each in made
        ]
    elif context.is_of_file(at) and context.words[at].normalized[-1:] == "s":  # 'visitas'
        made = [replace(each, cost=each.cost + 0.6) for each in made]
    whole = [each for each in columns if each.is_whole and each.cost <= INFLECTED]
    named = bool(whole)
    measured = any(context.index.is_measure(each.column) for each in whole)
    asks = before in PER or before in words_by_role("asking_word")
    grouped = asks and any(each.cost <= RELATED for each in columns)
    # What a column is called by is rather the column, and an amount more so.
    paid = 0.2 * named + 0.2 * measured + 0.35 * grouped
    return [
        replace(each, cost=each.cost + (paid or _COLUMN_RATHER))
        if (paid and not any(each.column == other.column for other in columns))
        or (named and each.cost >= MEANT)
        else each
        for each in made
    ]


def _value_cost(context: QuestionContext, at: int, value: ValueLink, *, is_anyone: bool) -> float:
    """Return what it costs that a span is a value, rather than anyone, or what rows are of."""
    is_thing = similar_columns.is_rather_thing(
        context.index, context.words[at], context.keys[at], value
    )
    is_in_full = value.length > 1 and value.cost <= INFLECTED
    counts = (
        context.counts_parts
        and bool(context.keys[at].concepts & _PART_CONCEPTS)
        and value.length > 1
    )
    is_thing = is_thing or noun_context.is_dated(context, at)
    unlike = 0.4 * is_anyone + _COLUMN_RATHER * (is_thing + 3 * counts)  # 'peças boas'
    return value.cost + (value.cost >= MEANT) * unlike - _SAID_IN_FULL * is_in_full


def _numbers_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    word = context.words[at]
    number = number_of(context.tokens[at])
    if (thousands := _THOUSANDS.fullmatch(word.text)) is not None:
        number = 1000 * float(thousands[1].replace(",", "."))
    if number is None and word.normalized in words_by_role("zero"):
        number = 0.0
    if number is not None:
        paid = 0.0 if word.text[:1].isdigit() else 0.5 if word_context.orders(context, at) else 0.1
        yield Mention("number", at, at + 1, paid, word.text, number=number)
    follows = at and parse_number(context.words[at - 1].normalized) is not None
    ranked = context.lexicon.cues_at(context.stems, at - 2, context.language) if at > 1 else ()
    if not follows or any(lemma == "#top" for lemma, _, _ in ranked):  # 'top 3 peças'
        return
    concept = similar_columns.unit_of_number(context.index, context.tokens[at], context.keys[at])
    if concept is not None:
        yield Mention("unit", at, at + 1, 0.0, word.text, concept)


def _named_nouns(context: QuestionContext, at: int) -> Iterator[Mention]:
    """Yield what rows are called by in several words: 'ordens de trabalho'."""
    stems = [each.stemmed for each in context.keys[at : at + _MOST_NOUN_WORDS]]
    for length in range(2, len(stems) + 1):
        said = tuple(stems[:length])
        meant = {*context.lexicon.field_meanings(said)}
        meant.update(each for each, n in domain_lexicon().concepts_at(said, 0) if n == length)
        if not meant & context.lexicon.rows:
            continue
        measures = any(
            each.cost <= _GOOD and context.index.is_measure(each.column)
            for place in range(at, at + length)
            for each in event_spans.columns_at(context, place)
        )
        paid = _NOUN_KNOWN + 0.5 * measures  # 'downtime minutes' are an amount
        said_here = {word.normalized for word in context.words[at : at + length]}
        if context.lasts and said_here & _DURATIONS:
            paid += _TIME_IS_NO_ROW
        yield Mention("noun", at, at + length, paid, context.text(at, at + length))


def _nouns_at(context: QuestionContext, at: int) -> Iterator[Mention]:
    word, token = context.words[at], context.tokens[at]
    if at and _ACRONYM.fullmatch(word.text):
        yield Mention("noun", at, at + 1, _NOUN_GUESSED, word.text)
        return
    if not word.text.isalpha() or len(word.text) < SHORTEST_NOUN or word.is_quoted:
        return
    is_name = word.text[:1].isupper() and at > 0 and not word.text.isupper()
    before = context.words[at - 1].normalized if at else ""
    ranks = before.isdigit() and any(e.lemma in SUPERLATIVES for a in context.arcs[:at] for e in a)
    is_by = before in PER
    if context.index.is_in_file_name(token):
        cost = _NOUN_OF_FILE + 2 * _COLUMN_IS_NO_ROW * (
            is_by and noun_context.names_groups(context, at)
        )
    elif context.is_of_file(at) or (context.index.names_rows(token) and not is_name):
        cost = (
            _NOUN_OF_FILE
            + 0.1
            + 2 * _COLUMN_IS_NO_ROW * (is_by and noun_context.names_groups(context, at))
        )
    elif is_name:
        cost = _NOUN_GUESSED + 1.0
    elif context.keys[at].concepts & context.lexicon.rows:
        cost = _NOUN_KNOWN + _VALUE_IS_NO_ROW * noun_context.means_value(context, at)
        cost += _COLUMN_IS_NO_ROW * (noun_context.names_groups(context, at) and not context.is_part)
        cost += _VALUE_IS_NO_ROW * noun_context.names_rare(context, at)
    elif before in words_by_role("copula"):
        cost = _NOUN_GUESSED + 0.6  # 'foram expulsos'
    elif context.keys[at].concepts or any(
        each.fullmatch(word.normalized) for each in (VERB, _QUALITY)
    ):
        cost = _NOUN_GUESSED + 0.5
    else:
        times = {each.normalized for each in context.words[max(0, at - 3) : at]}
        is_counted = bool(times & words_by_role("counted_times"))  # 'quantas vezes aparece X'
        cost = _NOUN_GUESSED + 0.6 * (is_counted or word_context.is_mistyped(context, at))
        cost += 0.6 * noun_context.says_aspect(context, at)
    counted = context.told_by_number | (_PART_CONCEPTS if context.counts_parts else frozenset())
    if context.keys[at].concepts & counted:
        cost += 1.0 if context.counts_parts and context.keys[at].concepts & _PART_CONCEPTS else 0.3
    cost += NUMBERED * noun_context.is_numbered(context, at)
    is_of_file = context.index.is_in_file_name(token) or context.is_of_file(at)
    is_level = any(domain_lexicon().kind(each) == "level" for each in context.keys[at].concepts)
    cost += _LEVEL_IS_NO_ROW * (is_level and not is_of_file)
    if (
        context.keys[at].concepts & MONEY
        and context.has_money
        and not word_context.is_counted(context, at)
    ):
        cost += 0.35  # 'o dia com mais vendas': what they came to
    cost = max(cost, (_NOUN_GUESSED + 0.5) * bool(FINITE.fullmatch(word.normalized)))
    cost += 2 * (
        ranks and noun_context.names_groups(context, at, or_type=True)
    )  # 'top 3 defeitos', of kinds
    counts_rows = before in words_by_role("how_many")
    if not (context.index.is_in_file_name(token) or context.index.names_rows(token)):
        if verbs().states(word.normalized):
            cost += _STATE_AS_NOUN  # 'quantas foram devolvidas'
        elif (verb := verbs().form(word.normalized)) is not None and verb.kind != "bare":
            cost = max(cost, _NOUN_GUESSED + (0.9 if verb.kind == "finite" else 0.5))
        elif verb is not None and before in HOW_MUCH:
            cost += _STATE_AS_NOUN  # 'quanto pesa'
    cost += _TIME_IS_NO_ROW * (context.lasts and word.normalized in _DURATIONS)
    if context.is_part and not (counts_rows or word.normalized.endswith("s")):  # 'stock'
        cost += 0.4 * noun_context.may_be_said(context, at)
    if context.is_part and not (counts_rows and cost <= _NOUN_OF_FILE):
        cost += 0.65 if context.is_flag else 0.35  # a column is called so
    yield Mention("noun", at, at + 1, cost, word.text)


def _is_asked_in(context: QuestionContext, at: int, before: str) -> bool:
    """Return whether a unit is what is asked for, and not what a number is in."""
    said = context.words[at].normalized
    is_unit = len(said) >= SHORTEST_SLIP and bool(domain_lexicon().concept_of_unit(said))
    return is_unit and not before.isdigit() and word_context.unit_of_answer(context, at) is None


def _passed_over(
    context: QuestionContext, at: int, *, is_explained: bool, says_cue: bool
) -> Iterator[Mention]:
    word = context.words[at]
    lemma = context.tokens[at].lemma
    if word.normalized in words_by_role("adverb"):
        begins = any(each.kind == "cue" and each.end > at + 1 for each in _cues_at(context, at))
        cost, is_explained = ADVERB + _CUE_GOES_ON * begins, False
    elif context.lasts and (word.normalized in _DURATIONS or word_context.lasts_most(context, at)):
        cost = PASSED_THING
    elif is_neutral_verb(word.normalized):
        cost, is_explained = NEUTRAL_VERB, False
        if FINITE.fullmatch(word.normalized) is None and (
            word_context.may_name(context, at) or word_context.ends_name(context, at)
        ):
            cost = PASSED_FINITE  # 'movimento', a noun; 'qtd recebida'
        if says_cue:
            cost = PASSED_VERB  # 'acumuladas'
    elif (
        not says_cue
        and not _MONEY_VERB.fullmatch(word.normalized)
        and word_context.is_idle_verb(context, at)
    ):
        cost, is_explained = IDLE_VERB, False
    elif lemma in context.lexicon.vague and word.normalized in (lemma, context.own[at]):
        cost = 0.4
    elif word.is_quoted or any(map(str.isdigit, word.text)) or (word.is_name and at > 0):
        cost = PASSED_NAME
    elif VERB.fullmatch(word.normalized):
        names = (context.keys[at].concepts - _DOING) or context.keys[at].derived
        is_finite = FINITE.fullmatch(word.normalized) is not None
        is_finite = is_finite and not (
            at and context.words[at - 1].normalized in words_by_role("relative")
        )
        cost = PASSED_FINITE if is_finite and not names else PASSED_VERB
    elif _QUALITY.fullmatch(word.normalized):
        cost = PASSED_QUALITY
    elif context.keys[at].concepts:
        cost = PASSED_THING
    else:
        cost = PASSED_WORD
    yield Mention("unknown", at, at + 1, cost + 0.5 * is_explained, word.text)
