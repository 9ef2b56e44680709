"""Selection: the plan that leads, if one does, else the question which of several is meant."""

# Why it is so: decisions/reading-questions.md

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, cast

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import read_tables
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import is_limit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import (
    AVAILABILITY,
    compared_column,
    numbers_things,
    told_by_names,
)
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    AsDashboard,
    Ask,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    Dimension,
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
    is_count,
    is_distinct,
    parts_of,
    plan_to_json,
    query_of,
    rebuilt,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.semantic.candidate import (
    Candidate,
    compared,
    groups_by_itself,
    ranks_signed,
)
from qhub_desktop.nlq.semantic.column_meaning import is_price, is_target, meets_none
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES
from qhub_desktop.nlq.tokenizer import normalize, parse_number, stem, tokenize
from qhub_desktop.nlq.unused_words import GUESSED, ungrouped
from qhub_desktop.nlq.word_meanings import AND_WORDS

# At level DEBUG each choice is explained, in English as the code is: `qhub ask --explain`.
_LOG = logging.getLogger(__name__)
_EXPLAINED_PLANS = 5
# How the other way of reading, from left to right, stands to the best plan: it comes to the same,
# to nothing, to another plan, or asks which column or which thing in the data is meant. Where it
# comes to nothing, the best is the `only` one if it has a use for every word.
Kind = Literal["agreed", "only", "alone", "rival", "asked", "named"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the best plan may cost to be answered, and what the next one must cost more."""

    most: float
    least: float


LIMITS_FILE = RESOURCES / "choice.toml"
LIMITS: Mapping[Kind, Limits] = {
    kind: Limits(**own) for kind, own in read_tables(LIMITS_FILE)["limits"].items()
}
_WITNESS = 0.3  # how much less a plan costs that both ways of reading come to
_WITNESS_OF_DEFECTS = 0.8  # in a log of defects, whose words the lexicon was made of
_USUAL_PARTS, _LONG = 6, 0.05  # of a question; and what each more is let cost
_SHOWN_TOO = 0.1  # what a list costs more with another column that a word may name
_LEADING = 0.1  # what a lead is worth
_UNLIKE = 1.2  # what the best plan costs where none fits
_PLANT = ("shift", "operator", "material", "rack", "position")  # fields of a log of defects
_LEAST_FIELDS = 4
_FAR = 1.6  # the lead of what has no other beside it
# What the best plan may cost to be offered as a button, what others may cost more, and how many.
_OFFERED, _OFFERED_TOO, _MOST_OFFERED = 3.5, 0.5, 3
_OFFERED_KNOWN = 4.5  # what it may cost where no word is unknown
_ALMOST_ALL = 0.95
_ADDING = frozenset(["total", "quantity", "amount"])  # of what there was, rather than of rows
_BY_NAME = 0.4  # what groups cost more by names than by numbers, and are told by them still
_MEANS_NOTHING = 0.1  # what a word costs at most that is only said besides
_INSTEAD, _MOST_OTHERS = 1.6, 4  # what other readings may cost more, and how many are told


@dataclass(frozen=True, slots=True)
class Weighed:
    """The candidates of a question, weighed against what the other way of reading makes."""

    kind: Kind
    found: tuple[Candidate, ...]  # the cheapest first
    index: SchemaIndex

    @property
    def best(self) -> Candidate:
        """The cheapest."""
        return self.found[0]

    @property
    def lead(self) -> float:
        """What the next one costs more that does not come to the same rows."""
        own = self._rows(self.best)
        others = (each for each in self.found[1:] if self._rows(each) != own)
        following = next(others, None)
        return _FAR if following is None else following.cost - self.best.cost

    def _rows(self, found: Candidate) -> DataPlan:
        """Return a plan with the number of empty cells in the place of a column that lacks them.

        Columns that are filled together say the same of a row: 'Avaliador', 'Data de avaliação'.
        """
        plan = _comes_to(found.plan, self.index)
        return _by_gaps(_by_name(plan, self.index), self.index)

    @property
    def cost(self) -> float:
        """What speaks against the best, less what its lead is worth."""
        path = self.best.path
        parts = 0 if path is None else sum(each.is_content for each in path.mentions)
        return (
            self.best.cost - _LEADING * min(self.lead, _FAR) - _LONG * max(0, parts - _USUAL_PARTS)
        )

    @property
    def leads(self) -> bool:
        """Whether the best is sure enough to be answered."""
        limits = LIMITS[self.kind]
        return self.cost <= limits.most and self.lead >= limits.least


def with_all_columns(found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return candidates with what a list may show in one, where only that is open."""
    if not found or not isinstance(best := found[0].plan, Rows) or not best.columns:
        return found
    alike = [
        each
        for each in found
        if isinstance(each.plan, Rows)
        and each.plan.columns
        and replace(each.plan, columns=()) == replace(best, columns=())
        and each.cost < found[0].cost + _SHOWN_TOO
    ]
    shown = tuple(dict.fromkeys(name for each in alike for name in _columns_of(each)))
    merged = replace(found[0], plan=replace(best, columns=shown))
    return [merged, *(each for each in found if each not in alike)]


def _names_first(found: Sequence[Candidate], index: SchemaIndex) -> Sequence[Candidate]:
    """Return the candidates with the one that tells groups by names before that by numbers."""
    if not found or dataset_of(found[0].plan) != index.profile.dataset:
        return found
    wanted = _by_name(found[0].plan, index)
    for each in found[1:]:
        if each.cost < found[0].cost + _BY_NAME and each.plan == wanted:
            return [replace(each, cost=found[0].cost), *(one for one in found if one is not each)]
    return found


def _amounts_first(found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the candidates with a rate of amounts before the share of rows by the same word.

    'Taxa de refugo' is that of the pieces where they are counted, though a kind of row is called
    so, too. Neither leads the other.
    """
    best = compared(found[0].plan)
    if not _is_share_of_rows(best):
        return found
    for each in found[1:]:
        other = compared(each.plan)
        is_near = each.cost <= found[0].cost + _OFFERED_TOO
        if is_near and _is_rate(other) and _keys(other) == _keys(best):
            rest = (one for one in found if one is not each)
            return [replace(each, cost=found[0].cost), *rest]
    return found


def _is_share_of_rows(plan: DataPlan) -> bool:
    match plan:
        case Number(measure=Measure("share", "")) | GroupBy(measure=Measure("share", "")):
            return True
        case Number(measure=Measure("count"), is_share=is_share):
            return is_share
        case _:
            return False


def _keys(plan: DataPlan) -> tuple[Dimension, ...]:
    return plan.keys if isinstance(plan, GroupBy) else ()


def _without_what_is_shown(plan: DataPlan) -> DataPlan:
    """Return a plan as the number of its rows, where they differ in what is shown of them only.

    Of the one row with the most of something the rest is told, too.
    """
    made = compared(plan)
    if isinstance(made, Rows) and made.columns and (made.scope.filters or made.n is not None):
        return compared(replace(made, columns=()))
    return made


def _comes_to(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return the plan whose answer another's holds, too, or the plan itself.

    So groups of one row each, or of one value that was selected, are a number of rows; and the row
    with the most of something tells the most.
    """
    plan = _without_what_is_shown(plan)
    if dataset_of(plan) != index.profile.dataset:
        return plan
    match plan:
        case GroupBy(scope, dimension, Measure(kind="count"), split=None, n=None, having=None):
            only = scope.filter_on(dimension.column)
            is_one = only is not None and only.relation == "is" and len(only.values) == 1
            if is_one or (not dimension.grain and _is_row(dimension.column, index)):
                return Number(scope)
        case Spread(scope, (column,), shows="distinct") if _is_row(column, index):
            return Number(scope)
        case Number(scope, Measure(kind="share", column="", part=part)) if part:
            if not scope.filters and scope.period is None:
                return Number(replace(scope, filters=part), is_share=True)
        case Number(scope, Measure(kind="max" | "min" as kind, column=column) as measure):
            order: Literal["most", "least"] = "most" if kind == "max" else "least"
            return Rows(scope, 1, order, column, since=measure.since, unit=measure.unit)
    return plan


def _is_row(name: str, index: SchemaIndex) -> bool:
    """Return whether a column has another value in almost every row."""
    return index.column(name).distinct >= _ALMOST_ALL * index.profile.rows


def _columns_of(found: Candidate) -> tuple[str, ...]:
    return found.plan.columns if isinstance(found.plan, Rows) else ()


def _by_name(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a plan whose groups are told by names, where they were by numbers."""
    names = told_by_names(index)

    def named(part: object) -> object:
        if isinstance(part, Dimension):
            return replace(part, column=names.get(part.column, part.column))
        if is_distinct(part):
            return replace(part, columns=tuple(names.get(each, each) for each in part.columns))
        return part

    return rebuilt(plan, named) if names else plan


def _by_gaps(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a plan in which a condition on empty cells is of their number, not of a column."""
    missing = {each.name: each.missing for each in index.profile.columns}

    def counted(part: object) -> object:
        if isinstance(part, Filter) and part.relation in ("missing", "present"):
            return replace(part, column=f"{missing.get(part.column) or part.column}")
        return part

    def told(part: object) -> object:
        if not isinstance(part, RowSelection):
            return part
        kept = (each for each in part.filters if not _goes_without_saying(each, part.filters))
        return replace(part, filters=tuple(kept))

    return rebuilt(rebuilt(plan, told), counted)


def _goes_without_saying(filter_: Filter, beside: Sequence[Filter]) -> bool:
    """Return whether a filter only says that a column is filled, which another is compared by."""
    return filter_.relation == "present" and any(
        filter_.column in (each.column, each.other, each.since)
        for each in beside
        if each is not filter_ and each.relation != "missing"
    )


def weigh(frame: QuestionFrame, plan: Plan, found: Sequence[Candidate]) -> Weighed | None:
    """Return the candidates weighed, None if nothing but the first way of reading has a say."""
    if not found or _is_settled(frame, plan):
        return None
    found = _names_first(found, frame.index)
    if isinstance(plan, Ask) or frame.ambiguities:
        if _is_called_so(frame, plan, found[0]):
            return Weighed("rival", tuple(found), frame.index)
        is_named = _names_several(frame) and not _is_said_in_full(frame, found[0])
        return Weighed("named" if is_named else "asked", tuple(found), frame.index)
    if isinstance(plan, Unknown):
        return Weighed("only" if _uses_all(found[0]) else "alone", tuple(found), frame.index)
    if groups_by_itself(cast("DataPlan", plan)):
        return Weighed("alone", tuple(found), frame.index)
    made = cast("DataPlan", plan)
    is_guess = _counts_parts(frame, made) or _counts_unknown(frame, made)
    is_guess |= _adds_up_apart(found[0]) or _ranks_signed(found[0].plan, frame.index)
    is_guess |= _is_of_another_sheet(found[0], frame.index)
    if is_guess or _takes_limit(found[0], frame.index):
        return Weighed("alone", tuple(found), frame.index)
    of_defects = frame.index.type_column is not None
    index = frame.index
    found = _witnessed(found, made, is_of_defects=of_defects)
    found = _amounts_first(_names_first(found, index))
    one, other = (_by_name(_comes_to(each, index), index) for each in (found[0].plan, made))
    comes_to = one == other
    agrees = (
        _is_same(found[0], made)
        or (comes_to and not _guesses(found[0]))
        or _is_part(made, found[0].plan)
    )
    return Weighed("agreed" if agrees else "rival", tuple(found), index)


def choose(
    frame: QuestionFrame, plan: Plan, found: Sequence[Candidate], *, said: str = ""
) -> tuple[QuestionFrame, Plan]:
    """Return the plan that leads with its frame, or the question which of several is meant.

    `plan` is what the words make when they are read from left to right, `frame` what they were
    read as, and `found` are the candidates, the cheapest first. A plan that both ways of reading
    come to is trusted further than one that only the candidates have. `said` is the question, for
    who wants the choice explained.
    """
    weighed = weigh(frame, plan, with_all_columns(found))
    limits = None if weighed is None else LIMITS[weighed.kind]
    _explain(said, frame.rules, plan, weighed, limits)
    if weighed is None:
        declines = Unknown | Ask | Several | Comparison | Describe | Columns
        is_sure = bool(found) or _is_settled(frame, plan) or isinstance(plan, declines)
        return frame, plan if is_sure else Unknown()
    best, settled = weighed.best, replace(frame, ambiguities=())
    if weighed.leads:
        return answered(frame, plan, weighed)
    is_lost = isinstance(plan, Unknown)
    kind = "alone" if is_lost and weighed.kind != "only" else weighed.kind
    if kind in ("asked", "named") or isinstance(plan, Ask):
        return frame, plan
    if best.path is not None and (columns := tuple(ungrouped(best.path.mentions))):
        return settled, Unknown("column", columns)
    match kind:
        case "alone" | "only":
            lacking = _unknown(plan, best, frame.index)
            lacks = _says_what_lacks(lacking) and best.cost > _UNLIKE
            most = _OFFERED if unclear_words(best) else _OFFERED_KNOWN
            return settled, lacking if lacks else (offered(weighed.found, most) or lacking)
        case "agreed":
            return settled, offered(weighed.found) or Unknown()
    if best.cost > _UNLIKE and isinstance(plan, Several | Comparison):
        if _is_odd(plan, frame.index):
            return settled, Unknown()
        return frame, plan  # of several questions, which the candidates are not made for
    other = Candidate(cast("DataPlan", plan), best.cost)
    return settled, offered([best, other, *weighed.found[1:]]) or Unknown()


def answered(frame: QuestionFrame, plan: Plan, weighed: Weighed) -> tuple[QuestionFrame, Plan]:
    """Return the best plan with its frame, fuller where the other way of reading agrees."""
    if weighed.kind == "agreed":
        return frame, _fuller(frame, cast("DataPlan", plan), weighed.best)
    return replace(frame, ambiguities=()), weighed.best.plan


def _fuller(frame: QuestionFrame, plan: DataPlan, best: Candidate) -> Plan:
    """Return the one of two like plans that shows more: rows with their number, names of codes."""
    lists = isinstance(best.plan, Rows) and is_count(plan) and not frame.has("count")
    is_same = compared(best.plan) == compared(plan)
    if isinstance(plan, Rows) and isinstance(best.plan, Rows) and not is_same:
        shows_all = {*best.plan.columns} <= {*plan.columns}
        return plan if shows_all and best.plan.columns else best.plan
    return plan if is_same and not (lists or best.called_as) else best.plan


def _witnessed(
    found: Sequence[Candidate], plan: DataPlan, *, is_of_defects: bool
) -> Sequence[Candidate]:
    """Return the candidates with the one less costly that the other way of reading comes to.

    Which of several sheets is meant, the other way hardly knows.
    """
    if dataset_of(plan) != dataset_of(found[0].plan) or _leaves_out(plan, found[0].plan):
        return found
    weight = _WITNESS_OF_DEFECTS if is_of_defects else _WITNESS
    together = _told_together(plan)
    agreed = [
        replace(each, cost=each.cost - weight)
        if _is_same(each, plan) or _is_same(each, together)
        else each
        for each in found
    ]
    return sorted(agreed, key=lambda each: each.cost)


def _told_together(plan: DataPlan) -> DataPlan:
    """Return the count of all rows whose number is told of each of several things that were named.

    'Quantos defeitos fez o Rui e a Ana' counts the same rows, once or for each.
    """
    match plan:
        case GroupBy(scope, Dimension(column), Measure(kind="count"), split=None, n=None) if (
            column == compared_column(scope) and plan.having is None and not plan.is_share
        ):
            return Number(scope)
    return plan


def _leaves_out(plan: DataPlan, whole: DataPlan) -> bool:
    """Return whether several queries are some of another's only, and so of fewer words."""
    one, other = compared(plan), compared(whole)
    if isinstance(other, Several) and isinstance(one, Several):
        return {*one.of} < {*other.of}
    if _is_part(plan, whole):
        return True
    told, fuller = (
        [each for scope in _scopes_of(p) for each in scope.filters] for p in (one, other)
    )
    return any(
        each.column == beside.column
        and {*map(type, (*each.values, *beside.values))} == {str}
        and any(
            str(a) != str(b) and str(a).lower() in str(b).lower()
            for a in each.values
            for b in beside.values
        )
        for each in told
        for beside in fuller
    )


def _is_part(plan: DataPlan, whole: DataPlan) -> bool:
    """Return whether a plan is a part of what is told of two things side by side."""
    one, other = compared(plan), compared(whole)
    if not isinstance(other, Several) or not all(map(_is_beside, other.of)):
        return False
    return {*(one.of if isinstance(one, Several) else (one,))} < {*other.of}


def _is_beside(query: Query) -> bool:
    """Return whether a query tells a number of each of several things that were named."""
    named = compared_column(query.scope)
    is_grouped = isinstance(query, GroupBy) and query.dimension.column == named
    return isinstance(query, Comparison) or is_grouped


def _is_same(found: Candidate, plan: DataPlan) -> bool:
    """Return whether a plan is a candidate's, codes and the names of the same things alike."""
    own = compared(found.plan)
    if own == compared(plan):
        return True
    names = dict(found.called_as)
    if not names or isinstance(plan, Describe | Columns):
        return False
    renamed = rebuilt(plan, lambda part: names.get(part, part) if isinstance(part, str) else part)
    return own == compared(renamed)


def _ranks_signed(plan: DataPlan, index: SchemaIndex) -> bool:
    return dataset_of(plan) == index.profile.dataset and ranks_signed(plan, index)


def _counts_parts(frame: QuestionFrame, plan: DataPlan) -> bool:
    """Return whether a plan counts rows, and several of them are one of the things asked for."""
    index = frame.index
    numbered = [each for each in index.profile.columns if numbers_things(index, each.name)]
    if isinstance(plan, Describe | Columns) or not (numbered and frame.noun):
        return False
    query = query_of(plan)
    counts = isinstance(query, GroupBy | Number) and query.measure.kind in ("count", "per")
    said = {stem(word) for word in normalize(frame.noun).split()}
    return counts and any(
        not said.isdisjoint(stem(word.normalized) for word in tokenize(each.name))
        for each in numbered
    )


def _counts_unknown(frame: QuestionFrame, plan: DataPlan) -> bool:
    """Return whether rows are counted for a word that nothing is called, which may be an amount.

    So 'total de xpto por mês', where each row tells how much there was of something; not so 'número
    de xpto'.
    """
    index, query = frame.index, query_of(plan)
    counts = isinstance(query, Number | GroupBy) and query.measure.kind == "count"
    is_told = any(index.is_amount(name) for name in index.measures)
    said = frame.words_of("#count").split() if frame.has("count") else ()
    adds_up = any(_ADDING & {*domain_lexicon().concepts_of_name(word)} for word in said)
    return counts and is_told and adds_up and bool(frame.guessed_nouns)


def _takes_limit(best: Candidate, index: SchemaIndex) -> bool:
    """Return whether a word is taken for what ought to be: 'produção', of 'Produção prevista'."""
    mentions = () if best.path is None else best.path.mentions
    return any(
        each.kind == "column" and is_target(index, each.column) and not is_limit(each.text)
        for each in mentions
    )


def _is_of_another_sheet(best: Candidate, index: SchemaIndex) -> bool:
    """Return whether a word names a column that the sheet of the first reading has not."""
    mentions = () if best.path is None else best.path.mentions
    return any(each.kind == "column" and each.column not in index.roles for each in mentions)


def _names_several(frame: QuestionFrame) -> bool:
    """Return whether a name is that of several things in the data, not only of columns."""
    columns = {each.name for each in frame.index.profile.columns}
    return any(value not in columns for each in frame.ambiguities for _, value in each.options)


def _is_called_so(frame: QuestionFrame, plan: Plan, best: Candidate) -> bool:
    """Return whether one of the columns that may be meant was said by its whole name."""
    meant = {value for each in frame.ambiguities for _, value in each.options}
    meant |= {name for name, _ in plan.readings} if isinstance(plan, Ask) else set()
    mentions = () if best.path is None else best.path.mentions
    return any(
        each.kind == "column" and each.is_whole and not each.cost and each.column in meant
        for each in mentions
    )


def _is_said_in_full(frame: QuestionFrame, best: Candidate) -> bool:
    """Return whether the words that are unclear are only a part of one value that was said."""
    mentions = () if best.path is None else best.path.mentions
    full = [
        {*normalize(each.text).split()}
        for each in mentions
        if each.kind == "value" and len(each.values) == 1
    ]
    unclear = [{*normalize(each.word).split()} for each in frame.ambiguities]
    return bool(unclear) and all(any(words < said for said in full) for words in unclear)


def _unknown(plan: Plan, best: Candidate, index: SchemaIndex) -> Plan:
    """Return what was not understood, without the words that the best candidate knows.

    Of such a word it cannot be said that it is not in the data, nor of a number that may be a code.
    """
    if not isinstance(plan, Unknown):
        return Unknown()
    if plan.what not in ("column", "value") or best.path is None:
        return plan
    mentions = best.path.mentions
    unknown = {normalize(each.text) for each in mentions if _is_unplaced(each)}
    unknown |= {each for each in _lost_numbers(best) if not _may_be_code(each, index)}
    words = tuple(said for said in plan.words if unknown & {*normalize(said).split()})
    return replace(plan, words=words) if words else Unknown()


def _lost_numbers(found: Candidate) -> Iterator[str]:
    """Yield the numbers that a candidate does not tell: 'Line 7', of which there are two."""
    told = str(plan_to_json(found.plan))
    for each in found.path.mentions if found.path is not None else ():
        if each.kind != "number" or each.text in told:
            continue
        if f" {each.number:g}," not in told:  # 'top cinco'
            yield each.text


def _may_be_code(number: str, index: SchemaIndex) -> bool:
    """Return whether a number lies among those by which things are called in some column."""
    ends = [(each.min, each.max) for each in index.profile.columns if _is_code(each.name, index)]
    said = parse_number(number)
    return said is None or any(
        isinstance(low, int | float) and isinstance(high, int | float) and low <= said <= high
        for low, high in ends
    )


def _is_code(name: str, index: SchemaIndex) -> bool:
    return index.roles[name] in ("code", "id")


def _guesses(found: Candidate) -> bool:
    """Return whether a word is taken for a name of the rows, or for nothing, at a guess."""
    mentions = () if found.path is None else found.path.mentions
    return any(each.kind in ("noun", "unknown") and each.cost >= GUESSED for each in mentions)


def _adds_up_apart(found: Candidate) -> bool:
    """Return whether values of a column are taken together that no word joins.

    They may be of several things: 'pedidos urgentes no inventário'.
    """
    mentions = () if found.path is None else found.path.mentions
    joining = AND_WORDS | words_by_role("or") | words_by_role("versus")
    for one, other in pairwise(each for each in mentions if each.kind == "value"):
        between = [each for each in mentions if one.end <= each.start < other.start]
        said = {word for each in between for word in normalize(each.text).split()}
        if one.column == other.column and said and joining.isdisjoint(said):
            return True
    return False


def _uses_all(found: Candidate) -> bool:
    """Return whether a plan has a use for every word of a question of several, and guesses none."""
    mentions = () if found.path is None else found.path.mentions
    is_said = sum(each.is_content for each in mentions) > 1 and not _adds_up_apart(found)
    return is_said and not (
        _guesses(found) or unclear_words(found) or any(map(_is_unplaced, mentions))
    )


def _is_unplaced(mention: Mention) -> bool:
    """Return whether nothing was made of words that may mean something: not so 'ainda', 'one'."""
    return mention.kind in ("unknown", "noun") and mention.cost > _MEANS_NOTHING


def _is_odd(plan: Several | Comparison, index: SchemaIndex) -> bool:
    """Return whether a part has no rows by what is known of a column, or adds prices up."""
    parts = parts_of(plan) or ()
    measures = [each.measure for each in parts if isinstance(each, Number | GroupBy)]
    return any(
        meets_none(index, each) for part in parts for each in part.scope.filters if each.column
    ) or any(each.kind == "sum" and is_price(index, each.column) for each in measures)


def _is_settled(frame: QuestionFrame, plan: Plan) -> bool:
    """Return whether nothing but the first way of reading has a say.

    So in the plant's own log of defects, of which the lexicon was made, in data without rows, and
    where a question only asks for another form of an answer that there is not, or for the future.
    """
    index = frame.index
    if not index.profile.rows or index.profile.id in (LOG, LOG_ID):
        return True
    fields = [field for field in _PLANT if any(field in each for each in index.lemmas.values())]
    if index.type_column is not None and len(fields) >= _LEAST_FIELDS:
        return True
    if isinstance(plan, Describe | Columns):
        return frame.names_dataset
    return isinstance(plan, Unknown) and plan.what in ("nothing before", "future", "factor")


def offered(found: Sequence[Candidate], most: float = _OFFERED) -> Ask | None:
    """Return the question whether a plan is meant, or which of a few; None if none is near.

    Args:
        found: Candidates, the best first.
        most: What the best may cost.

    """
    if not found or found[0].cost > most:
        return None
    best = found[0]
    plans: dict[DataPlan, DataPlan] = {}
    for each in with_all_columns(found):
        is_near = each.cost <= best.cost + _OFFERED_TOO and not _bends(each, best)
        if is_near and len(plans) < _MOST_OFFERED:
            plans.setdefault(compared(each.plan), each.plan)
    return Ask("", tuple(("", each) for each in plans.values()), unclear_words(best))


def other_readings(
    frame: QuestionFrame, made: Plan, plan: Plan, found: Sequence[Candidate]
) -> tuple[DataPlan, ...]:
    """Return what else a question may mean, the likeliest first.

    Left out is what comes to the same as another, and what adds a condition that nobody named: on
    another column, or by a part of a value that is the likeliest reading's own word.

    Args:
        frame: What the question was read as.
        made: The plan by its words from left to right.
        plan: The one that is answered, or what is asked back.
        found: The candidates, the cheapest first.

    """
    weighed = weigh(frame, made, with_all_columns(found))
    ranked = list(found if weighed is None else weighed.found)
    if not ranked:
        return ()
    passed = _passed_over(ranked[0], plan) if isinstance(plan, Unknown) else 0.0
    most = min(ranked[0].cost + _INSTEAD, _OFFERED + passed)
    if weighed is not None and weighed.kind == "rival" and isinstance(made, DataPlan):
        ranked.insert(1, Candidate(made, ranked[0].cost))
    asked = plan.readings if isinstance(plan, Ask) else ()
    told = [each for _, each in asked] or ([plan] if isinstance(plan, DataPlan) else [])
    seen = {_result_of(each, frame.index) for each in told}
    others: list[DataPlan] = []
    for each in ranked:
        shapes = {_result_of(one, frame.index) for one in (each.plan, _as_named(each))}
        if each.cost <= most and seen.isdisjoint(shapes) and not _bends(each, ranked[0]):
            others.append(each.plan)
            seen |= shapes
    return tuple(others[:_MOST_OTHERS])


def _passed_over(best: Candidate, plan: Unknown) -> float:
    """Return what the likeliest reading costs by the words that are not known, and are marked."""
    mentions = () if best.path is None else best.path.mentions
    unknown = {word for each in plan.words for word in normalize(each).split()}
    return sum(
        each.cost
        for each in mentions
        if _is_unplaced(each) and not unknown.isdisjoint(normalize(each.text).split())
    )


def unlike(plans: Sequence[DataPlan], indexes: Sequence[SchemaIndex]) -> tuple[DataPlan, ...]:
    """Return plans without those that come to the same rows as one before, or nearly so.

    All groups are left out behind a ranking of them; a ranking of more groups than there are is of
    all.
    """
    by_name = {each.profile.dataset: each for each in indexes}
    kept: dict[DataPlan, DataPlan] = {}
    ranked: set[DataPlan] = set()
    for each in plans:
        index = by_name[dataset_of(each)]
        plan = _of_all_groups(each, index) if kept else each
        made = _result_of(plan, index)
        if made in ranked:
            continue
        kept.setdefault(made, plan)
        if isinstance(made, GroupBy) and made.n is not None:
            ranked.add(replace(made, n=None, order=""))
    return tuple(kept.values())


def with_other_amounts(
    plan: DataPlan, best: Candidate | None, index: SchemaIndex
) -> tuple[DataPlan, ...]:
    """Return a plan alone, with what else its number may be where no word says which it is.

    An amount may be added up or averaged, or its rows counted.
    """
    mentions = () if best is None or best.path is None else best.path.mentions
    cues = {each.lemma for each in mentions if each.kind == "cue"}
    match plan:
        case (
            Number(measure=Measure("sum" | "mean" as kind, str(name), over="", unit=""))
            | GroupBy(
                measure=Measure("sum" | "mean" as kind, str(name), over="", unit=""), having=None
            )
        ) if cues.isdisjoint({*STATISTIC_CUES, "#total"}):
            measures = [Measure("mean" if kind == "sum" else "sum", name), Measure()]
            if kind == "mean" and not index.is_amount(name):
                del measures[0]
            return (plan, *(replace(plan, measure=each) for each in measures))
        case _:
            return (plan,)


def _of_all_groups(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a ranking of more groups than there are as the groups."""
    if not isinstance(plan, GroupBy) or plan.n is None or plan.dimension.grain or plan.within:
        return plan
    there = index.column(plan.dimension.column).distinct
    return replace(plan, n=None, order="") if plan.n > there else plan


def _result_of(plan: DataPlan, index: SchemaIndex) -> DataPlan:
    """Return a plan that is the same for all that come to the same rows, however presented."""
    query = plan if isinstance(plan, Describe | Columns | AsDashboard) else query_of(plan)
    if dataset_of(plan) != index.profile.dataset:
        return _without_what_is_shown(query)
    made = _by_gaps(_by_name(_comes_to(query, index), index), index)
    return rebuilt(made, _in_order)


def _in_order(part: object) -> object:
    """Return the conditions on rows in one order, whichever was said first."""
    if not isinstance(part, RowSelection):
        return part
    return replace(part, filters=tuple(sorted(part.filters, key=repr)))


def _bends(found: Candidate, best: Candidate) -> bool:
    """Return whether a value stands where the best has another use for the words.

    So a part of a value: 'state' is not 'Trans States Airlines' where it names a column. So a part
    of a column's name, too: 'day' of 'time of day'.
    """
    if found.path is None or best.path is None:
        return False
    otherwise = [each for each in best.path.mentions if each.kind in ("column", "number", "cue")]
    return any(
        each.kind == "value"
        and any(
            one.start < each.end
            and each.start < one.end
            and not (one.column == each.column and each.start <= one.start < one.end < each.end)
            and (not _is_said_whole(each) or one.end - one.start > each.end - each.start)
            for one in otherwise
        )
        for each in found.path.mentions
    )


def _is_said_whole(value: Mention) -> bool:
    return normalize(value.text) in {normalize(str(each)) for each in value.values}


def _as_named(found: Candidate) -> DataPlan:
    """Return a candidate's plan without the conditions on columns that its words do not name."""
    if found.path is None or found.is_follow_up:
        return found.plan
    named = {name for each in found.path.mentions for name in (each.column, each.since)}

    def told(part: object) -> object:
        if not isinstance(part, RowSelection):
            return part
        return replace(part, filters=tuple(each for each in part.filters if each.column in named))

    return rebuilt(found.plan, told)


def meant_instead(plan: DataPlan, others: Sequence[DataPlan]) -> tuple[DataPlan, ...]:
    """Return the other readings to tell where a plan that was answered finds nothing, or all."""
    own = _scopes_of(plan)
    found = (
        each for each in others if dataset_of(each) == dataset_of(plan) and _scopes_of(each) != own
    )
    return tuple(found)[: _MOST_OFFERED - 1]


def _scopes_of(plan: DataPlan) -> tuple[RowSelection, ...]:
    """Return the rows that a plan is of."""
    if isinstance(plan, Describe | Columns):
        return ()
    query = query_of(plan)
    return tuple(each.scope for each in parts_of(query) or (query,))


def offered_rather(ask: Ask, frame: QuestionFrame, found: Sequence[Candidate]) -> Ask:
    """Return the question about the whole plan, where the one about a word does not lead to it."""
    if _names_several(frame) or not found:
        return ask
    best = compared(found[0].plan)
    first = tuple(each for each in ask.readings if compared(each[1]) == best)
    if first and len(ask.readings) > 1:  # the likeliest leads
        return replace(ask, readings=(*first, *(e for e in ask.readings if e not in first)))
    if asks_criterion(ask, frame) and not _ranks_by_amount(found[0].plan):
        return ask
    return offered(found) or ask


def _ranks_by_amount(plan: DataPlan) -> bool:
    query = query_of(plan)
    return isinstance(query, GroupBy) and query.n is not None and bool(query.measure.column)


def asks_criterion(plan: Plan, frame: QuestionFrame) -> bool:
    """Return whether it is asked by what the groups that were named are ranked: 'pior posto'."""
    words = (frame.words_of("#worst"), frame.words_of("#best"))
    return isinstance(plan, Ask) and plan.word in words


def unclear_words(found: Candidate) -> tuple[str, ...]:
    """Return the words of a question that a candidate has no place for, as they were written."""
    mentions = () if found.path is None else found.path.mentions
    query = query_of(found.plan)
    called = query.noun if isinstance(query, Number | Rows) else ""
    named = {AVAILABILITY} if _is_rate(query) else frozenset[str]()
    unclear = (
        each.text
        for each in mentions
        if (
            (each.kind == "unknown" and _is_unplaced(each))
            or (each.kind == "noun" and each.cost >= GUESSED and each.text not in called)
            or (each.lemma == "#money" and not _tells_money(query, each.text))
        )
        and named.isdisjoint(domain_lexicon().concepts_of_name(each.text))
        and each.text not in found.placed
    )
    return tuple(dict.fromkeys((*unclear, *_lost_numbers(found), *found.left)))


def _tells_money(query: Query, said: str) -> bool:
    """Return whether no plain quantity is told where money was asked for."""
    measures = [query, *(parts_of(query) or ())]
    names = [each.measure.column for each in measures if isinstance(each, Number | GroupBy)]
    meant = {*domain_lexicon().concepts_of_name(said)}
    return not any(
        "quantity" in told and meant.isdisjoint(told)
        for told in (domain_lexicon().concepts_of_name(name) for name in names if name)
    )


def _is_rate(query: DataPlan) -> bool:
    return isinstance(query, Number | GroupBy) and query.measure.kind == "rate"


def _says_what_lacks(plan: Plan) -> bool:
    """Return whether it is told what is not in the data: a column, a name, or a near one."""
    if not isinstance(plan, Unknown) or plan.what not in ("column", "value"):
        return False
    is_name = any(any(map(str.isdigit, each)) or each[:1].isupper() for each in plan.words)
    return plan.what == "column" or bool(plan.nearest) or is_name


def _explain(
    said: str,
    rules: Sequence[str],
    plan: Plan,
    weighed: Weighed | None,
    limits: Limits | None,
) -> None:
    """Log what both readers made of a question, if anybody listens.

    `said` is the question, `plan` what the words make when they are read from left to right, by
    these `rules`, `weighed` the plans of the lattice of meanings with their costs, `limits` what
    the best may cost to be answered.
    """
    if _LOG.isEnabledFor(logging.DEBUG):
        _LOG.debug("%s", "\n".join((said, *_explanation(rules, plan, weighed, limits))))


def _explanation(
    rules: Sequence[str], plan: Plan, weighed: Weighed | None, limits: Limits | None
) -> Iterator[str]:
    yield f"left to right: {_plan_text(plan)}"
    if rules:
        yield f"  by {', '.join(rules)}"
    if weighed is None or limits is None:
        yield "lattice: not asked, or nothing found"
        return
    if weighed.best.path is not None:
        yield "words of the best plan, with what each costs:"
        yield from (f"  {_mention_text(each)}" for each in weighed.best.path.mentions)
    if weighed.best.rules:
        yield f"rules of the best plan: {', '.join(weighed.best.rules)}"
    yield "plans, the cheapest first:"
    for each in weighed.found[:_EXPLAINED_PLANS]:
        unused = f", without {', '.join(each.left)}" if each.left else ""
        yield f"  {each.cost:.2f}  {_plan_text(each.plan)}{unused}"
    verdict = "answered" if weighed.leads else "asked back"
    yield (
        f"both readers: {weighed.kind}; cost {weighed.cost:.2f} of at most {limits.most:.2f},"
        f" lead {weighed.lead:.2f} of at least {limits.least:.2f}: {verdict}"
    )


def _mention_text(mention: Mention) -> str:
    meant = mention.lemma or " = ".join(filter(None, (mention.column, *map(str, mention.values))))
    return f"{mention.cost:5.2f}  '{mention.text}': {mention.kind} {meant}".rstrip()


def _plan_text(plan: Plan) -> str:
    """Return a plan without the parts that say nothing."""
    return str(_lean(plan_to_json(plan)))


def _lean(value: object) -> object:
    if isinstance(value, dict):
        kept = {name: _lean(each) for name, each in value.items()}
        return {name: each for name, each in kept.items() if each not in (None, "", [], {}, False)}
    return [_lean(each) for each in value] if isinstance(value, list) else value
