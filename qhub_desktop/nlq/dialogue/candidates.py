"""Candidates: all plans that a question may mean over the data sets, each with what it costs."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.date_units import whole_months
from qhub_desktop.nlq.dialogue.references import as_ranking
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.parser.slots import Part, QuestionFrame, likewise
from qhub_desktop.nlq.planner import is_self_contained, with_presentation
from qhub_desktop.nlq.query_ast import (
    COMPARING,
    AsDashboard,
    AsTable,
    Columns,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Query,
    Rows,
    RowSelection,
    Several,
    dataset_of,
    is_count,
    is_distinct,
    is_unranked,
    last_compared_column,
    query_of,
    rebuilt,
)
from qhub_desktop.nlq.question import Question
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.semantic.candidate import (
    Candidate,
    averages_rows,
    compared,
    counts_lines,
    is_senseless,
    measures_an_id,
    ranks_signed,
)
from qhub_desktop.nlq.semantic.column_meaning import (
    reaches,
)
from qhub_desktop.nlq.semantic.mentions import arcs_of
from qhub_desktop.nlq.semantic.queries import all_queries
from qhub_desktop.nlq.semantic.query_context import QueryContext
from qhub_desktop.nlq.semantic.query_parts import prepare
from qhub_desktop.nlq.semantic.roles import roles_of
from qhub_desktop.nlq.semantic.schema_linking import RELATED
from qhub_desktop.nlq.semantic.slots import Mention, Path, Slots, cheapest_paths
from qhub_desktop.nlq.semantic.timestamps import closing_day, closing_values, due_and_closed
from qhub_desktop.nlq.tokenizer import Word, normalize, stem, tokenize
from qhub_desktop.nlq.unused_words import told_with_row, unaccounted, unmet
from qhub_desktop.nlq.word_meanings import AND_WORDS, RANKING_WORDS

_UNUSED = 1.5  # for each word that a plan does not hold
_UNMET = 1.5  # more for each word that asks for another form of answer
_SENSELESS = 2.5
_PER_ROW = 1.8  # an amount by a word for rows that the file is not called by
_UNTIMED = 2.5  # days or hours were said, and no column has any
_OTHER_DATA, _LOG_UNASKED, _LATER_SHEET, _UNLIKELY = 0.3, 2.5, 0.02, 0.12
_UNLINKED = 0.15  # for each word that another sheet has a name for
_OTHER_NAMED = 0.4  # rows of another sheet are called by a word of the question
_LEGEND, _LEGEND_ROWS = 0.5, 40  # a sheet of a few texts, which explains another
_NO_DAYS = 0.8  # no row has a day of the period
_STANDS_ALONE, _REFERS = 0.5, 0.6
_BY_UNIT_SAID = 0.9  # what a unit behind 'per' speaks for what there was of each
_OTHER_END = 0.1  # a ranking from its other end, of an amount below zero in many rows
_CLOSED_LATE = 0.4  # rows that were late once, where those that are late now are told
_POINTS = 1.0  # of all rows, where a word points at those before
_UNSAID = 0.3  # the rows before, where nothing points at them
_OF_ALL_BEFORE = 0.5  # all rows that were told of, where one group of them was named
_LINES = 0.5  # the lines of a wide table, rather than what its cells hold
_TOLD_ANYWAY = 0.8  # of what the words cost that ask something of a row that is told as a whole


FollowUp = Callable[[QuestionFrame, DataPlan], DataPlan | None]


def candidates_over(
    questions: Sequence[Question],
    *,
    follow: FollowUp,
    topic: DataPlan | None = None,
    likely: SchemaIndex | None = None,
    leader: Filter | None = None,
) -> tuple[Candidate, ...]:
    """Return the plans that a question may mean over several data sets, the cheapest first.

    Args:
        questions: The question over each of them.
        follow: Applies a follow-up question to the topic's plan.
        topic: The plan before.
        likely: The data set that the question seems to be about.
        leader: The one group that the answer before named.

    """
    indexes = [each.index for each in questions]
    about = dataset_of(topic) if topic is not None else ""
    found: list[Candidate] = []
    named = _named_sheets(questions[0].text, indexes)
    linked: list[frozenset[str]] = []  # by sheet, what its best plan links
    for place, question in enumerate(questions):
        index, profile = question.index, question.index.profile
        is_log = profile.id in (LOG, LOG_ID)
        paid = 0.0
        if about and profile.dataset != about:
            paid += _OTHER_DATA
        if is_log and len(indexes) > 1:
            paid += _LOG_UNASKED
        paid += _LATER_SHEET * min(place, 5) * (not is_log)
        if likely is not None and index is not likely:
            paid += _UNLIKELY
        if named and index not in named and not is_log:
            paid += _OTHER_NAMED
        if len(indexes) > 1 and not is_log and index not in named and _is_legend(index):
            paid += _LEGEND
        own = candidates(question, follow, topic, leader)
        found += [replace(each, cost=each.cost + paid) for each in own]
        if own and not is_log:
            linked.append(_linked_words(own[0]))
    if len(linked) > 1:
        known = frozenset[str]().union(*linked)
        found = [
            replace(each, cost=each.cost + _UNLINKED * len(known - _linked_words(each)))
            for each in found
        ]
    return tuple(sorted(found, key=lambda each: each.cost))


def _linked_words(candidate: Candidate) -> frozenset[str]:
    """Return the words of a question that a candidate has for names of columns and values."""
    mentions = candidate.path.mentions if candidate.path is not None else ()
    return frozenset(
        normalize(word)
        for each in mentions
        if each.kind in ("column", "value", "elapsed", "against")
        for word in each.text.split()
    )


def _named_sheets(question: str, indexes: Sequence[SchemaIndex]) -> list[SchemaIndex]:
    """Return the sheets whose own names stand in a question, where others do not."""
    said = {stem(word.normalized) for word in tokenize(question)}
    names = [
        {stem(word.normalized) for word in tokenize(each.profile.sheet or "")} for each in indexes
    ]
    shared = set.intersection(*names) if names else set()
    named = [
        each
        for each, name in zip(indexes, names, strict=True)
        if any(word in said and not word.isdigit() for word in name - shared)
    ]
    return named if len(named) < len(indexes) else []


def _is_legend(index: SchemaIndex) -> bool:
    """Return whether a sheet has a few rows of texts only."""
    columns = index.profile.columns
    return index.profile.rows <= _LEGEND_ROWS and all(
        each.type in ("text", "category") for each in columns
    )


def candidates(
    question: Question,
    follow: FollowUp,
    topic: DataPlan | None = None,
    leader: Filter | None = None,
) -> tuple[Candidate, ...]:
    """Return the plans that a question may mean over one data set, the cheapest first.

    `follow` applies a follow-up question to the topic's plan; `leader` is the group it named.
    """
    index = question.index
    words = question.words
    if not words:
        return ()
    about = topic is not None and dataset_of(topic) == index.profile.dataset
    recent = last_compared_column(topic) if topic is not None and about else None
    found: dict[DataPlan, Candidate] = {}
    for path in cheapest_paths(arcs_of(words, index, question.language)):
        for slots in roles_of(path.mentions, words, index, recent):
            for each in _plans(question, slots, path, follow, topic, leader):
                key = compared(each.plan)
                known = found.get(key)
                if known is None or each.cost < known.cost:
                    found[key] = each
    return tuple(sorted(found.values(), key=lambda each: each.cost))


def _with_number(
    slots: Slots, frame: QuestionFrame, topic: DataPlan
) -> tuple[QuestionFrame, float]:
    """Return a follow-up in which a number alone is a value of what was selected: 'e na 2?'."""
    if len(slots.numbers_left) != 1 or frame.filters or frame.columns or frame.dimensions:
        return frame, 0.0
    said = slots.numbers_left[0]
    for each in reversed(query_of(topic).scope.filters):
        column = frame.index.column(each.column)
        if frame.index.is_number(each.column):
            if each.relation in COMPARING and len(each.values) == 1 and not each.grain:
                other = replace(each, values=(float(said),))  # 'não, 80'
                return replace(frame, filters=(other,), number=None), -2.4
            continue
        named = [
            value
            for value in map(str, column.known)
            if value == said or re.findall(r"\d+", value) == [said]
        ]
        if len(named) == 1:
            return replace(frame, filters=(Filter(each.column, (named[0],)),)), -2.4
    return frame, 0.0


def is_elliptic(frame: QuestionFrame, topic: DataPlan) -> bool:
    """Return whether it is not said what is ranked: 'qual o mês com mais?' after amounts.

    After rows that were chosen, it is those.
    """
    before = query_of(topic)
    is_of_rows = is_count(before) and bool(before.scope.filters)
    is_of_amounts = isinstance(before, Number | GroupBy) and bool(before.measure.column)
    if not (is_of_rows or is_of_amounts):
        return False
    if frame.has_subject or frame.noun or frame.filters:
        return False
    named = [each.column for each in (*frame.columns, *frame.dimensions)]
    is_measured = any(frame.index.is_measure(column) for column in named)
    return frame.has("top", "most", "least", "max", "min") and not is_measured and bool(named)


def as_asked_of(frame: QuestionFrame, topic: DataPlan) -> QuestionFrame:
    """Return a follow-up's words as they are meant of a topic.

    'E os piores?' is the other end of a ranking by what is neither good nor bad, 'em todas as
    lojas' forgets the one before, a column of yes and no that is named is a condition, and days are
    of the column that those before were of.
    """
    before = query_of(topic)
    frame = replace(frame, period=_dated_alike(frame, before.scope.period))
    named, index = [each.column for each in frame.columns], frame.index
    if isinstance(before, GroupBy) and before.n is not None and frame.has("worst"):
        column = before.measure.column
        is_neutral = bool(column) and index.is_gain(column) is None and before.order == "most"
        if is_neutral and not (named or frame.dimensions):
            kept = tuple(each for each in frame.cue_words if each[0] != "#worst")
            cues = (frame.cues - {"#worst"}) | {"#least"}
            return replace(frame, cues=cues, cue_words=kept)
    if not named or frame.dimensions or frame.has(*RANKING_WORDS, "which", "distinct"):
        return frame
    if frame.has("everything") and all(before.scope.filter_on(name) for name in named):
        cues = frame.cues - {"#everything"}
        return replace(frame, cues=cues, columns=(), forgotten=(*frame.forgotten, *named))
    yes = {name: flag[0] for name in named if (flag := flag_values(index.column(name)))}
    if len(yes) < len(named) or frame.measure_kinds or is_distinct(before):
        return frame
    told = tuple(Filter(name, (value,)) for name, value in yes.items())
    return replace(frame, columns=(), filters=(*frame.filters, *told))


def _dated_alike(frame: QuestionFrame, before: Period | None) -> Period | None:
    """Return days that are said of no column on that of the days before: 'e em 2026?'."""
    period = frame.period
    if period is None or before is None or frame.dated_by:
        return period
    is_reached = reaches(frame.index, before.column, (period.start, period.end))
    return replace(period, column=before.column) if is_reached else period


def _with_having(frame: QuestionFrame, path: Path, topic: DataPlan) -> QuestionFrame:
    """Return a comparison of no column as one of what groups show: 'só os que têm mais de 20'."""
    before = query_of(topic)
    if not is_unranked(before) or before.split is not None or frame.having is not None:
        return frame
    named = {each.column for each in path.mentions if each.kind == "column"}
    named |= {each.column for each in before.scope.filters}
    compared = [
        each
        for each in frame.filters
        if each.relation in COMPARING and each.column not in named and not (each.grain or each.unit)
    ]
    if len(compared) != 1 or not frame.index.is_number(compared[0].column):
        return frame
    (said,) = compared
    filters = tuple(each for each in frame.filters if each is not said)
    return replace(frame, filters=filters, having=Filter("", said.values, said.relation))


def _plans(
    question: Question,
    slots: Slots,
    path: Path,
    follow: FollowUp,
    topic: DataPlan | None,
    leader: Filter | None,
) -> Iterator[Candidate]:
    index = question.index
    dated_by = next(iter(slots.moments), "")
    period, other, extra = _periods(slots, question)
    time = question.hours_on(slots.moments)
    if time is not None:
        slots.moments = [each for each in slots.moments if each != time.column]
    elif question.hours is not None:
        extra += _UNTIMED
    context = QueryContext(slots, index, period, other, time)
    prepare(context)
    frame = replace(_frame_of(slots, index, period, other), dated_by=dated_by)
    if time is not None:
        frame = replace(frame, filters=(*frame.filters, time))
    cost = _with_untold(path.cost + slots.cost + extra, slots, question.words)
    refers = _refers(frame, slots, path)
    if topic is not None and dataset_of(topic) == index.profile.dataset:
        ranking = as_ranking(frame, slots.implied, topic)
        refers |= ranking is not None or is_elliptic(frame, topic)
        frame = ranking or frame
        told = (*frame.columns, *(Dimension(name) for name in context.asked))
        asked = replace(frame, columns=tuple(dict.fromkeys(told)))
        asked = as_asked_of(_with_having(asked, path, topic), topic)
        asked, paid = _with_number(slots, asked, topic)
        followed = follow(asked, topic)
        is_paid = isinstance(followed, Number) and not is_count(followed) and "#money" in frame.cues
        if slots.implied and followed is not None and not (frame.columns or is_paid or ranking):
            paid += 1.0
        if followed is not None:
            alone = is_self_contained(frame) and not refers
            found = _follow_up(question, path, asked, followed, topic, cost=cost, paid=paid)
            rules = context.rules_of(followed)
            yield replace(found, cost=found.cost + _REFERS * alone, rules=rules)
        if (ratio := _per_amount(asked, topic)) is not None:
            paid -= _BY_UNIT_SAID * any(map(_is_said_otherwise, path.mentions))
            yield _follow_up(question, path, asked, ratio, topic, cost=cost, paid=paid)
    alone = is_self_contained(frame)
    doubt = 0.3 * refers if topic is None else _STANDS_ALONE * (not alone) + _REFERS * refers
    rows = _rows_before(question, frame, topic, leader, is_meant=refers or not alone)
    points = bool(rows) and points_back(question.words) != ""
    for query, paid in all_queries(context):
        if isinstance(query, Several) and not query.of:
            continue
        made = _new_candidate(question, path, frame, context, query, cost + paid)
        yield replace(made, cost=made.cost + doubt + _POINTS * points)
        if (plan := _other_end(made.plan, index)) != made.plan:
            yield replace(made, plan=plan, cost=made.cost + doubt + _OTHER_END)
        if slots.has("overdue") and (plan := _closed_late(made.plan, index)) != made.plan:
            yield replace(made, plan=plan, cost=made.cost + doubt + _CLOSED_LATE)
        for each, more in rows:
            if (plan := _of_rows(made.plan, each)) != made.plan:
                yield replace(made, plan=plan, cost=made.cost + more, is_follow_up=True)


def _other_end(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a ranking by an amount with a sign from its other end."""
    if not isinstance(plan, GroupBy) or not ranks_signed(plan, index):
        return plan
    return replace(plan, order="least" if plan.order == "most" else "most")


def _closed_late(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a plan of rows that are late and open as one of those that were closed too late."""
    due, closed = due_and_closed(index)
    if due is None or closed is None or isinstance(plan, Describe | Columns | AsDashboard):
        return plan
    is_open = Filter(closed, (), "missing")
    states = {column for column, _ in closing_values(index)}

    def told(part: object) -> object:
        is_due = isinstance(part, RowSelection) and part.period is not None
        if not isinstance(part, RowSelection) or is_open not in part.filters or not is_due:
            return part
        kept = tuple(
            each
            for each in part.filters
            if each != is_open and not (each.relation == "is not" and each.column in states)
        )
        return replace(part, filters=(*kept, Filter(closed, (), "above", other=due)), period=None)

    return rebuilt(plan, told)


def _is_said_otherwise(mention: Mention) -> bool:
    """Return whether a column is named by no word of its name: 'quilo', of 'Peso (kg)'."""
    own, said = (
        {stem(each.normalized) for each in tokenize(text)}
        for text in (mention.column, mention.text)
    )
    return mention.kind == "column" and own.isdisjoint(said)


def _per_amount(frame: QuestionFrame, topic: DataPlan) -> DataPlan | None:
    """Return a sum as that per one of another amount: 'e por quilo?' after what things cost."""
    query, named = query_of(topic), [*{e.column for e in (*frame.dimensions, *frame.columns)}]
    if len(named) != 1 or not frame.has("by") or not frame.index.is_amount(named[0]):
        return None
    match query:
        case Number(measure=Measure("sum", column)) | GroupBy(measure=Measure("sum", column)):
            is_other = column and column != named[0] and frame.index.is_amount(column)
            return replace(query, measure=Measure("ratio", column, named[0])) if is_other else None
        case _:
            return None


def points_back(words: Sequence[Word]) -> str:
    """Return which of what was told before a question points at: 'that', 'those', '' for none."""
    said = f" {' '.join(each.normalized for each in words)} "
    for role in ("that", "those"):
        if any(f" {each} " in said for each in words_by_role(f"{role}_before")):
            return role
    return ""


def _rows_before(
    question: Question,
    frame: QuestionFrame,
    topic: DataPlan | None,
    leader: Filter | None,
    *,
    is_meant: bool,
) -> list[tuple[RowSelection, float]]:
    """Return the rows that the topic was of, which a new question may be of, too; what each costs.

    So 'em que contadores?' after the empty cells, and 'quantas avarias teve essa?' after a machine.
    """
    if topic is None or isinstance(topic, Describe | Columns | AsDashboard):
        return []
    if dataset_of(topic) != question.index.profile.dataset:
        return []
    points = points_back(question.words)
    is_meant = is_meant and (frame.names_something or leader is not None)
    if not (points or is_meant) or frame.has("everything"):
        return []
    scope = query_of(topic).scope
    found: list[tuple[RowSelection, float]] = []
    is_of_leader = points == "that" or not frame.names_something
    if leader is not None and is_of_leader and points != "those":
        kept = scope.without(leader.column)
        found.append((replace(kept, filters=(*kept.filters, leader)), 0.0))
    if scope.filters or scope.period is not None:
        found.append((scope, _OF_ALL_BEFORE * len(found) + _UNSAID * (not points)))
    return found


def _of_rows(plan: DataPlan, rows: RowSelection) -> DataPlan:
    """Return a plan of the rows before, but for the columns that it says something else of."""
    if isinstance(plan, Describe | Columns | AsDashboard):
        return plan

    def narrowed(part: object) -> object:
        if not isinstance(part, RowSelection):
            return part
        named = {each.column for each in part.filters}
        kept = tuple(each for each in rows.filters if each.column not in named)
        return replace(part, filters=(*kept, *part.filters), period=part.period or rows.period)

    return rebuilt(plan, narrowed)


def _with_untold(cost: float, slots: Slots, words: Sequence[Word]) -> float:
    """Return a cost with that of what no plan tells: what is to come, and why."""
    if slots.has("future", "beyond"):
        weak = normalize(slots.cue_texts.get("#future", "")) in words_by_role("weak_future")
        cost += 0.4 if weak and not slots.has("beyond") else _UNTIMED
    if slots.has("why"):
        said_words = " ".join(word.normalized for word in words)
        says_because = any(f" {each} " in said_words for each in words_by_role("because"))
        ranks = slots.has("most", "least", "top", "max", "min")
        cost += 0.5 if ranks or (says_because and slots.has("count")) else 1.0
    return cost


def _refers(frame: QuestionFrame, slots: Slots, path: Path) -> bool:
    """Return whether a question says that it goes on from the one before: 'e por turno?'."""
    begins = path.mentions[0] if path.mentions else None
    is_joined = (
        begins is not None and begins.kind == "joining" and normalize(begins.text) in AND_WORDS
    )
    is_said = slots.has("those", "forget", "instead", "reverse")
    return frame.first_cue == "#again" or is_said or is_joined


def _follow_up(
    question: Question,
    path: Path,
    asked: QuestionFrame,
    followed: DataPlan,
    topic: DataPlan,
    *,
    cost: float,
    paid: float,
) -> Candidate:
    """Return the candidate of a plan that a follow-up makes of the topic's."""
    index = question.index
    lacks = unmet(question.words, path.mentions, followed, index)
    left = (*unaccounted(asked, followed), *lacks)
    paid += _UNMET * len(lacks)
    is_senseless_here = is_senseless(followed, index) or measures_an_id(followed, index)
    paid += _SENSELESS * (is_senseless_here or _repeats(followed, topic, path))
    total = cost + paid + _UNUSED * len(left)
    return Candidate(followed, total, is_follow_up=True, left=left, path=path)


def _new_candidate(
    question: Question,
    path: Path,
    frame: QuestionFrame,
    context: QueryContext,
    query: Query | Describe | Columns,
    cost: float,
) -> Candidate:
    """Return the candidate of a query that the slots ask for by themselves."""
    index, words = question.index, question.words
    plan: DataPlan = query
    if not isinstance(query, Describe | Columns):
        plan = with_presentation(query, frame)
        if isinstance(plan, GroupBy) and plan.having is not None:
            plan = AsTable(plan)  # every group that meets the condition
    shown, called = repr(plan), context.called_as
    lacks = unmet(words, path.mentions, plan, index)
    of_row = told_with_row(words, path.mentions, plan)
    answered = {said for each in of_row for said in (each.text, each.column)}
    left = (
        *(
            each
            for each in unaccounted(frame, plan)
            if each not in called or repr(called[each]) not in shown
        ),
        *_unasked(context, plan),
        *_unheeded(context.slots, plan),
        *lacks,
    )
    left = tuple(each for each in left if each not in answered)
    total = cost + _UNUSED * len(left) + _UNMET * len(lacks)
    total -= _TOLD_ANYWAY * sum(max(each.cost, 0.0) for each in of_row)
    total += _SENSELESS * is_senseless(plan, index) + _PER_ROW * averages_rows(plan, path)
    total += _LINES * counts_lines(plan, index)
    names, rules = tuple(called.items()), context.rules_of(query)
    placed = tuple(context.slots.placed)
    return Candidate(plan, total, left=left, path=path, called_as=names, rules=rules, placed=placed)


def _repeats(followed: DataPlan, topic: DataPlan, path: Path) -> bool:
    """Return whether nothing changes by a column that is named in other words: 'in minutes'."""
    told = [each for each in path.mentions if each.is_content]
    is_other_name = all(each.kind == "column" and each.cost >= RELATED for each in told)
    return followed == topic and is_other_name


def _unheeded(slots: Slots, plan: DataPlan) -> tuple[str, ...]:
    """Return the words that ask for what a plan does not tell.

    That is different values, or how often something was, where a plan adds up.
    """
    shown = repr(plan).lower()
    different, counted = (slots.cue_texts.get(each, "") for each in ("#distinct", "#count"))
    last = normalize(counted).rpartition(" ")[2]
    unheeded = {
        different: normalize(different) in words_by_role("different") and "distinct" not in shown,
        counted: last in words_by_role("counted_times") and "kind='sum'" in shown,
    }
    return tuple(said for said, is_lost in unheeded.items() if is_lost)


def _frame_of(
    slots: Slots, index: SchemaIndex, period: Period | None, second: Period | None
) -> QuestionFrame:
    """Return the slots as the frame of a question, for what follows from one and its form."""
    cues = [*slots.cues, *(f"#{kind}" for kind in slots.statistics)]
    if slots.groups:
        cues.append("#by")
    if slots.implied == "money" and "#money" in slots.cue_texts:
        cues.append("#money")
    columns = [*slots.targets, *slots.bare, *map(Dimension, slots.outputs)]
    columns += [Dimension(name) for name in (*slots.counted, *slots.measures, *slots.moments)]
    kinds = {
        "cue": "cue",
        "column": "column",
        "counted": "column",
        "measure": "column",
        "moment": "column",
        "group": "dimension",
        "filter": "filter",
        "noun": "noun",
        "number": "number",
    }
    parts = tuple(
        Part(kinds[role], name)  # type: ignore[arg-type]
        for role, name in slots.order
        if role in kinds
    )
    return QuestionFrame(
        index=index,
        cues=frozenset(cues),
        cue_words=tuple(slots.cue_texts.items()),
        first_cue=cues[0] if cues else "",
        dimensions=tuple(dict.fromkeys(slots.groups)),
        columns=tuple(dict.fromkeys(columns)),
        filters=slots.all_filters,
        period=period,
        number=slots.number,
        has_subject=slots.has_rows,
        counts_time=any(not is_by for _, is_by in slots.grains),
        is_plural=slots.is_plural,
        is_counted_column=bool(slots.counted),
        having=slots.having,
        coverage=len(parts),
        parts=parts,
        quantile=slots.quantile if slots.quantile is not None else 0.5,
        second_period=second,
        noun=" ".join(dict.fromkeys(slots.nouns)),
        forgotten=tuple(dict.fromkeys(slots.forgotten)),
    )


def _unasked(context: QueryContext, plan: DataPlan) -> tuple[str, ...]:
    """Return the columns that a pronoun asks for and a plan does not show: 'e quando?'."""
    shown = repr(plan)
    if isinstance(plan, Rows) and plan.by and plan.n == 1:
        return ()  # the whole row is told
    return tuple(name for name in context.asked if repr(name) not in shown)


def _periods(slots: Slots, question: Question) -> tuple[Period | None, Period | None, float]:
    """Return the periods that the rows lie in, and what is doubtful of them."""
    index, spans = question.index, [*question.days]
    spans += [whole_months(year, 1, 12) for year in slots.years]
    if not spans:
        return None, None, 0.0
    # A clock tells no day: 'litros recolhidos em maio', beside 'HrRec'.
    dated = (each for each in slots.moments if index.column(each).type != "time")
    column = next(dated, None)
    paid = 0.0
    is_named = column is not None
    if column is None and (closed := closing_day(index, slots.all_filters)) is not None:
        column = closed  # 'concluídas em maio'
    elif column is None:
        column = index.moment_of(spans[0]) or index.date_column
    else:
        slots.moments = [each for each in slots.moments if each != column]
        slots.order = [each for each in slots.order if each != ("moment", column)]
    does_reach = column is not None and reaches(index, column, spans[0])
    if question.is_ahead:
        paid += 0.0 if is_named and does_reach else _UNTIMED
    elif column is not None and not does_reach and not is_named:
        paid += _NO_DAYS
    if column is None:
        return None, None, _UNTIMED
    if len(spans) == 2 and slots.has("compare"):
        spans[1] = likewise(spans[0], spans[1])
    made = [
        Period(column, *each, question.relative if place == 0 else "")
        for place, each in enumerate(spans)
    ]
    if len(made) > 2:
        paid += _UNTIMED
    return made[0], (made[1] if len(made) > 1 else None), paid
