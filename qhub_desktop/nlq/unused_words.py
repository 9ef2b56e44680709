"""Unused words: checks that each word that could change the number stands in the plan.

What a plan was made of is compared with what was read: a filter, a column, a number, a period, a
statistic, an order, a comparison or a negation that the plan does not hold is told, and then no
answer is given. This is the one place that decides it, for new questions and follow-ups alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from qhub_desktop.nlq.column_roles import is_limit
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    OPPOSITES,
    AsChart,
    AsDashboard,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Profile,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    is_count,
    is_top,
    query_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import money_measures
from qhub_desktop.nlq.semantic.similar_columns import holds_time, says_more_than_one
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.statistic_kinds import RATES, STATISTICS
from qhub_desktop.nlq.tokenizer import Word, normalize
from qhub_desktop.nlq.word_meanings import ENDS, MEASURED_EXTREMES, SUPERLATIVES

GUESSED = 0.5  # what a word costs that is taken for what a row is called for want of a better
_ANDS = [[each] for each in words_by_role("and")]
_HOW_MANY = [[each] for each in words_by_role("how_many")]
_CROSSED = 2  # columns of a table by two
_LATENESS = frozenset(["#overdue", "#on_time"])
_OF_ONE_END = frozenset(["#max", "#min", "#most", "#least"]) | MEASURED_EXTREMES

_COUNT, _TOP = "count", "top"


def _form(query: Query) -> object:
    """Return the kind of a query, by which words are held; counts are none of other numbers."""
    if isinstance(query, Spread | Profile):
        return query.shows
    return _COUNT if is_count(query) else _TOP if is_top(query) else type(query)


@dataclass
class _Contents:
    """Everything that a plan says."""

    filters: list[Filter] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    measured: set[str] = field(default_factory=set)
    grouped: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)  # of measures
    forms: set[object] = field(default_factory=set)  # see `_form`
    numbers: set[int] = field(default_factory=set)
    grains: set[str] = field(default_factory=set)
    having: list[Filter] = field(default_factory=list)
    is_ordered: bool = False
    is_share: bool = False
    is_cumulative: bool = False
    is_elapsed: bool = False  # tells a time between two moments

    def add(self, plan: DataPlan) -> None:
        """Add what a plan, or one of the plans in it, says."""
        for query in _queries(plan):
            self.forms.add(_form(query))
            self._add_scope(query.scope)
            self._add_query(query)
        if isinstance(plan, AsStudy):
            self.columns.update(each for _name, each in plan.given if isinstance(each, str))

    def _add_scope(self, scope: RowSelection) -> None:
        self.filters += scope.filters
        self.kinds.update({each.statistic for each in scope.filters} - {""})
        for each in scope.filters:
            self.columns.update((each.column, each.other, each.since))
        if scope.period is not None:
            self.periods.append(scope.period)
            self.columns.add(scope.period.column)

    def _add_measure(self, measure: Measure) -> None:
        self.kinds.add(measure.kind)
        self.is_elapsed |= bool(measure.since)
        self.measured.update({measure.column} - {""})
        self.columns.update((measure.column, measure.over, measure.since, measure.amount))
        self.filters += measure.part
        for each in measure.factors:
            self._add_measure(each)
        self.columns.update(each.column for each in measure.part)

    def _add_dimension(self, dimension: Dimension | None) -> None:
        if dimension is not None:
            self.columns.add(dimension.column)
            self.grouped.add(dimension.column)
            self.grains.add(dimension.grain)

    def _add_query(self, query: Query) -> None:
        match query:
            case Number(measure=Measure("count"), is_share=is_share):
                self.is_share |= is_share
            case Number(measure=measure):
                self._add_measure(measure)
                if measure.kind == "per":
                    self.grains.add(measure.over)
            case GroupBy():
                self._add_groups(query)
            case Spread(columns=columns, dimension=dimension):
                self.columns.update(columns)
                self._add_dimension(dimension)
            case Rows(n=n, by=by, columns=columns, order=order, since=since, within=within):
                self.columns.update((by, since, within, *columns))
                self.grouped.add(within)
                self.numbers.update(() if n is None else (n,))
                self.is_ordered |= bool(by) or order == "last" or n is not None
            case _:
                pass

    def _add_groups(self, query: GroupBy) -> None:
        if not is_top(query):
            self._add_measure(query.measure)
        for each in query.keys:
            self._add_dimension(each)
        self.numbers.update(() if query.n is None else (query.n,))
        self.is_ordered |= bool(query.order) or query.n is not None
        self.is_share |= query.is_share
        self.is_cumulative |= query.is_cumulative
        if query.having is not None:
            self.having.append(query.having)
            self.kinds.update({query.having.statistic} - {""})


def _queries(plan: DataPlan) -> Iterator[Query]:
    match plan:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of) | AsStudy(of=of):
            yield from _queries(of)
        case AsDashboard(of=of) | Several(of=of):
            for each in of:
                yield from _queries(each)
        case Comparison(first, second):
            yield plan
            yield first
            yield second
        case Describe() | Columns():
            return
        case _:
            yield plan


def _gives(wanted: set[str], said: _Contents) -> bool:
    """Return whether a plan has a measure, a form or a trait of those wanted."""
    traits = {
        "cumulative": said.is_cumulative,
        "elapsed": said.is_elapsed,
        "ordered": said.is_ordered,
    }
    given = {*said.kinds, *said.forms, *(name for name, is_so in traits.items() if is_so)}
    return not wanted.isdisjoint(given)


# What must be in a plan where a word of this meaning was read.
_NEEDED: dict[str, Callable[[_Contents], bool]] = {
    **{f"#{kind}": partial(_gives, {kind, *each.instead}) for kind, each in STATISTICS.items()},
    "#percent": lambda said: said.is_share or bool(RATES & said.kinds) or Comparison in said.forms,
    "#part_of": lambda said: said.is_share or bool(RATES & said.kinds),
    "#rate": lambda said: said.is_share or bool(RATES & said.kinds),
    "#divided": lambda said: bool(RATES & said.kinds),
    "#cumulative": lambda said: said.is_cumulative or bool({GroupBy, _TOP} & said.forms),
    "#correlation": lambda said: bool({"correlation", "values"} & said.forms),
    "#outliers": lambda said: "outliers" in said.forms,
    "#duplicates": lambda said: "duplicates" in said.forms or bool(said.having),
    "#missing": lambda said: "missing" in said.forms or _has(said, "missing", "present"),
    "#contains": lambda said: _has(said, "contains", "lacks"),
    "#compare": lambda said: said.forms != {Rows} and _sets_apart(said),
    "#moment_of": lambda said: Rows in said.forms,
    "#top": lambda said: said.is_ordered,
    "#most": lambda said: said.is_ordered or "max" in said.kinds or _compares_groups(said),
    "#least": lambda said: said.is_ordered or "min" in said.kinds or _compares_groups(said),
    "#worst": lambda said: said.is_ordered,
    "#best": lambda said: said.is_ordered,
    "#duration": lambda said: bool({Number, GroupBy, Rows, Several, Comparison} & said.forms),
    "#zero": lambda said: any(0 in each.values for each in said.filters),
    "#negative": lambda said: _has(said, "below"),
    "#above": lambda said: _compares(said, "above") or _compares_groups(said),
    "#below": lambda said: _compares(said, "below") or _compares_groups(said),
    "#at_least": lambda said: _compares(said, "at least"),
    "#at_most": lambda said: _compares(said, "at most"),
    "#between": lambda said: _has(said, "between", "outside") or _is_of_two(said),
    "#after": lambda said: _compares(said, "above") or bool(said.periods),
    "#before": lambda said: _compares(said, "below") or bool(said.periods),
    "#on_time": lambda said: any(each.other for each in said.filters),
}


def _has(said: _Contents, *relations: str) -> bool:
    return any(each.relation in relations for each in (*said.filters, *said.having))


def _compares_groups(said: _Contents) -> bool:
    """Return whether a few named groups are set side by side: 'o Carlos tem mais que a Julia?'"""
    several = any(len(each.values) > 1 for each in said.filters if each.relation == "is")
    return Comparison in said.forms or (several and bool({GroupBy} & said.forms))


def _sets_apart(said: _Contents) -> bool:
    """Return whether each of several values that are compared gets its number."""
    several = any(len(each.values) > 1 for each in said.filters if each.relation == "is")
    is_apart = bool({Comparison, GroupBy} & said.forms) or said.forms == {_COUNT}
    return is_apart or not several


def _compares(said: _Contents, relation: str) -> bool:
    opposite = next(other for one, other in OPPOSITES.items() if one == relation)
    return _has(said, relation, opposite)


def _is_of_two(said: _Contents) -> bool:
    """Return whether 'entre' stood between two things, not two numbers."""
    is_pair = bool({Comparison, "correlation", "values", GroupBy, Several} & said.forms)
    return is_pair or bool(said.kinds) or bool(said.periods)


def unaccounted(frame: QuestionFrame, plan: DataPlan) -> tuple[str, ...]:
    """Return the words of a question that the plan does not hold, though they could change it.

    `plan` may change the plan before, so that it says more than the question does.
    """
    said = _Contents()
    said.add(plan)
    found = [*frame.ignored, *frame.unheeded]
    if isinstance(plan, Describe | Columns):
        is_listed = frame.has("list") and not frame.has("rows", "columns")
        return (*found, frame.words_of("#list")) if is_listed else tuple(found)
    is_averaged = said.kinds == {"mean"} and not frame.has("mean")
    if (
        is_averaged
        and frame.has("total")
        and not any("#total" in frame.index.lemmas[name] for name in said.columns if name)
    ):
        found.append(frame.words_of("#total"))
    is_flagged = any(frame.index.is_flag(each.column) for each in frame.filters)
    if "duplicates" in said.forms and is_flagged:
        found.append(frame.words_of("#duplicates"))  # 'repetidas (Repeat = Y)'
    found += [each.column for each in frame.filters if not _is_heeded(each, said, frame)]
    for period in (frame.period, frame.second_period):
        if period is not None and period not in said.periods:
            found.append(period.said or period.column)
    for each in (*frame.dimensions, *frame.columns):
        is_noun = frame.index.is_identity(each.column) and frame.has_subject
        is_noun = is_noun or frame.index.is_called_rows(each.column)
        is_noun = is_noun and (each not in frame.dimensions or not RATES & said.kinds)
        if each.column not in said.columns and not is_noun and "missing" not in said.forms:
            found.append(each.column)
    counts_rows = bool(
        {_COUNT, _TOP, Rows, "distinct"} & said.forms or {"count", "per"} & said.kinds
    )
    if not (counts_rows or frame.has("per_row")):
        found += frame.guessed_nouns
    if frame.number is not None and frame.number not in said.numbers:
        found.append(str(frame.number))
    if frame.having is not None and not said.having and not _has(said, frame.having.relation):
        found.append(" ".join(f"{value:g}" for value in _numbers(frame.having)))
    found += _doubts(frame, said)
    found += [
        frame.words_of(cue)
        for cue, is_in in _NEEDED.items()
        if cue in frame.cues and not is_in(said)
    ]
    return tuple(dict.fromkeys(found))


def _doubts(frame: QuestionFrame, said: _Contents) -> Iterator[str]:
    """Yield words that a plan holds, of which it is not clear what they ask for."""
    index = frame.index
    measured = [name for name in said.columns if name in index.roles and index.is_measure(name)]
    amounts = [name for name in measured if index.is_amount(name)]
    periodic = words_by_role("periodic")
    for cue, text in frame.cue_words:
        is_mean = cue.startswith("#grain_") and frame.has("mean") and "mean" in said.kinds
        if is_mean and amounts and normalize(text) in periodic:
            yield text  # 'average monthly output': of sums, or of rows
    wide = index.wide
    if wide is not None and said.periods and said.kinds & {"sum", "mean", "share"}:
        yield from (each for each in measured if each != wide.value)  # of a row, not of a month
    if frame.has("compare") and measured and all(is_limit(name) for name in measured):
        yield frame.words_of("#compare")  # with what ought to be, and nothing else is told
    ranked = measured if said.kinds & {"sum", "mean"} else []
    is_open = bool(ranked) and all(index.is_gain(each) is None for each in ranked)
    if frame.has("worst", "best") and is_open:
        yield frame.words_of("#worst" if frame.has("worst") else "#best")
    grouped = [*frame.dimensions, *frame.columns]
    if said.kinds & {"mean"} and len(amounts) > 1 and GroupBy in said.forms:
        yield from (each.column for each in grouped if each.column in said.grouped & {*amounts})


def _is_heeded(wanted: Filter, said: _Contents, frame: QuestionFrame) -> bool:
    """Return whether a plan has a filter, or rows of groups that are told apart by its values."""
    if wanted.column in frame.forgotten:
        return True
    held = [each for each in said.filters if each.column == wanted.column]
    if wanted in held:
        return True
    values = {value for each in held for value in each.values}
    is_split = wanted.column in said.columns and {GroupBy, _TOP} & said.forms
    return bool(held or is_split) and (values.issuperset(wanted.values) or bool(is_split))


def _numbers(wanted: Filter) -> list[float]:
    return [value for value in wanted.values if isinstance(value, int | float)]


def told_with_row(
    words: Sequence[Word], mentions: Sequence[Mention], plan: DataPlan
) -> tuple[Mention, ...]:
    """Return what is asked of the one row that is found: 'a maior venda: quem comprou e quando?'.

    The whole row is told, so that it holds the answer, whatever of it the words may name. What
    chooses among rows is no such word: a value, a number, a comparison, a denial.
    """
    query = query_of(plan)
    if not isinstance(query, Rows) or query.n != 1 or not query.by:
        return ()
    asking = words_by_role("asking_word") | words_by_role("who")
    extreme = next((each.end for each in mentions if each.lemma in SUPERLATIVES), len(words))
    asked_from = next(
        (at for at in range(extreme, len(words)) if words[at].normalized in asking), len(words)
    )
    kinds = ("column", "noun", "unknown", "cue")
    behind = [each for each in mentions if each.start >= asked_from]
    if any(each.lemma in _NEEDED or each.lemma == "#except" for each in behind):
        return ()
    return tuple(each for each in behind if each.kind in kinds)


def unmet(
    words: Sequence[Word], mentions: Sequence[Mention], plan: DataPlan, index: SchemaIndex
) -> tuple[str, ...]:
    """Return the words of which the plan has not the form that they ask an answer to have.

    So of the second of two questions in one, of the other extreme of two, of groups, of what is
    late, of an amount in a currency, and of a number where rows are ranked instead.
    """
    if isinstance(plan, Describe | Columns):
        return tuple(each.text for each in mentions if each.kind == "number")
    said = _Contents()
    said.add(plan)
    found = [
        *_not_crossed(words, said),
        *_counted_instead(mentions, said),
        *_single_words(mentions, said, index),
        *_more_than_one(words, said),
        *_not_ranked(mentions, said),
        *_untimed(mentions, said, index),
    ]
    if {"sum", "mean"} & said.kinds:  # 'o motivo mais frequente'
        found += [each.text for each in words if each.normalized in words_by_role("frequency")]
    query = None if isinstance(plan, AsDashboard) else query_of(plan)
    if isinstance(query, Rows) and query.by:  # 'top 3 peças', of rows that are none
        found += [each.text for each in mentions if each.kind == "noun" and each.cost >= GUESSED]
    if query is not None and not isinstance(query, Several | Comparison):
        found += [*_second_questions(words, said), *_other_extremes(mentions, said)]
        found += _lost_counts(mentions, said)
    return tuple(dict.fromkeys(found))


def _not_ranked(mentions: Sequence[Mention], said: _Contents) -> Iterator[str]:
    """Yield what asks for the first or last of something of which a plan lists all there are."""
    if "distinct" in said.forms and not (said.is_ordered or said.periods):
        yield from (each.text for each in mentions if each.lemma in ENDS)


def _more_than_one(words: Sequence[Word], said: _Contents) -> Iterator[str]:
    """Yield the words that ask for more than one of something, where a plan compares nothing."""
    is_compared = bool(said.having) or _has(said, "above", "at least")
    if is_compared or "duplicates" in said.forms or said.kinds & {"distinct", "share"}:
        return
    for at in range(len(words)):
        if says_more_than_one(words, at):
            yield words[at].text


def _untimed(mentions: Sequence[Mention], said: _Contents, index: SchemaIndex) -> Iterator[str]:
    """Yield the words for how long something lasted, where a plan measures no time."""
    known = [name for name in said.measured if name in index.roles]
    times = index.measures_of("time")
    lasts = said.is_elapsed or any(name in times or holds_time(index, name) for name in known)
    if known and not lasts:
        yield from (each.text for each in mentions if each.lemma == "#duration")


def _not_crossed(words: Sequence[Word], said: _Contents) -> Iterator[str]:
    """Yield the word that asks for a table by two columns, where groups are made by one."""
    if len(said.grouped) < _CROSSED and not said.forms & {"correlation", "values"}:
        yield from (each.text for each in words if each.normalized in words_by_role("crossing"))


def _second_questions(words: Sequence[Word], said: _Contents) -> Iterator[str]:
    """Yield what is asked for behind an 'and', where the plan answers one question only."""
    if said.forms & {Rows, "values"} or len(said.kinds) > 1:
        return
    asking, ands = words_by_role("asking_word"), words_by_role("and")
    told = [word.normalized for word in words]
    first = next((place for place, word in enumerate(told) if word in asking), len(told))
    for place in range(first + 1, len(told) - 1):
        if told[place] not in ands:
            continue
        after = place + 1 + (told[place + 1] in words_by_role("before_asking"))
        if told[after : after + 1] == [] or told[after] not in asking:
            continue
        counts = [_asks_number(told, each) for each in (first, after)]
        grouped = said.forms & {_TOP, GroupBy, "distinct"}
        is_told = bool(grouped) if counts[1] else counts[0] and "distinct" in said.forms
        if not is_told:
            yield words[after].text


def _asks_number(words: Sequence[str], place: int) -> bool:
    """Return whether an asking word asks for a number: 'quantos', 'how many'."""
    numbers = words_by_role("how_many") | words_by_role("how_much")
    return not numbers.isdisjoint((*words[place : place + 2], " ".join(words[place : place + 2])))


def _joins(mention: Mention) -> bool:
    """Return whether a mention begins with an 'and'."""
    is_word = mention.kind == "joining" or mention.lemma == "#again"
    return is_word and normalize(mention.text).split()[:1] in _ANDS


def _other_extremes(mentions: Sequence[Mention], said: _Contents) -> Iterator[str]:
    """Yield the second of two extremes of which a plan has one: 'a mais barata e a mais cara'."""
    if "summary" in said.forms or "range" in said.kinds:
        return
    edges = [each for each in mentions if each.kind == "cue" and each.lemma in _OF_ONE_END]
    for one, other in pairwise(edges):
        between = [m for m in mentions if one.end <= m.start and m.end <= other.start]
        is_joined = any(map(_joins, between))
        ends = {_end_of(one.lemma), _end_of(other.lemma)}
        if is_joined and ends == {"max", "min"}:
            yield other.text


def _lost_counts(mentions: Sequence[Mention], said: _Contents) -> Iterator[str]:
    """Yield what asks for a number of rows beside another number: 'nº de reservas e nota média'."""
    if "count" in said.kinds or said.forms & {_COUNT, "distinct", _TOP, Rows}:
        return
    for place, (one, other) in enumerate(pairwise(mentions)):
        rest = mentions[place + 2 :]
        is_counted = other.kind == "noun" or (
            other.kind == "column" and other.column not in said.columns
        )
        if one.lemma == "#count" and is_counted and any(map(_joins, rest[:1])):
            yield one.text


def _end_of(lemma: str) -> str:
    return "max" if lemma.startswith(("#max", "#most")) else "min"


def _counted_instead(mentions: Sequence[Mention], said: _Contents) -> Iterator[str]:
    """Yield the word that asks how many, where a plan ranks, groups or looks for blanks instead."""
    for one, other in pairwise(mentions):
        ends_so = one.lemma == "#again" and normalize(one.text).split()[-1:] in _HOW_MANY
        if one.kind != "cue" or not (one.lemma == "#count" or ends_so):
            continue
        is_grouped = other.kind == "column" and other.column in said.grouped
        counts = GroupBy in said.forms and not said.kinds - {"count"} and not said.having
        if is_grouped and counts:
            yield one.text
        if other.kind == "noun" and "missing" in said.forms:
            yield one.text


def _single_words(
    mentions: Sequence[Mention], said: _Contents, index: SchemaIndex
) -> Iterator[str]:
    """Yield words of lateness, of currencies and of groups of which a plan has nothing."""
    money = {name for name, _ in money_measures(index)}
    money |= {name for name in said.measured if "#money" in index.lemmas[name]}
    is_dated = (
        bool(said.periods)
        or said.is_elapsed
        or any(
            each.other or each.since or each.unit or each.relation in ("missing", "present")
            for each in said.filters
        )
    )
    for place, each in enumerate(mentions):
        if each.kind == "cue" and each.lemma in _LATENESS and not is_dated:
            yield each.text
        is_currency = each.kind == "unit" and normalize(each.text) in words_by_role("currency")
        if is_currency and (said.measured or said.having) and not said.measured & money:
            yield each.text
        after = mentions[place + 1] if place + 1 < len(mentions) else None
        is_by = each.kind == "cue" and each.lemma == "#by" and after is not None
        if is_by and after is not None and after.kind == "noun" and "rate" in said.kinds:
            yield after.text
    yield from ungrouped(mentions)


def ungrouped(mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield the words that rows are to be grouped by, and that name nothing: 'por bairro'."""
    for one, other in pairwise(mentions):
        is_guessed = other.kind == "noun" and other.cost >= GUESSED
        if one.lemma == "#by" and (is_guessed or other.kind == "unknown"):
            yield other.text
