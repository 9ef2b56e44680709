"""Roles of mentions: what is grouped by, ranked, measured, counted or selected, by its neighbours.

What does not fit costs; of two roles of a mention, the cheaper whole plan decides.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import flag_values, has_no, measured_first
from qhub_desktop.nlq.grouping import has_lines, numbers_things
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.query_ast import Dimension, Filter, Relation
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic import comparison_roles, computed_roles, cue_roles, ratio_roles
from qhub_desktop.nlq.semantic.column_meaning import edge_of_days, time_unit
from qhub_desktop.nlq.semantic.mention_context import AND, GUESSED, HAVING, UNBOUND, MentionContext
from qhub_desktop.nlq.semantic.slots import Mention, Slots
from qhub_desktop.nlq.semantic.timestamps import due_and_closed, is_planned
from qhub_desktop.nlq.semantic.word_keys import asks_amount
from qhub_desktop.nlq.tokenizer import Word, normalize
from qhub_desktop.nlq.word_meanings import (
    COPULAS,
    EXTREME_WORDS,
    FINITE,
    GRAIN_CUES,
    OF_WORDS,
    OR_WORDS,
    RANKING,
    RANKING_WORDS,
    RELATIONS,
    SUPERLATIVES,
)

_WHICH = words_by_role("asking") - words_by_role("how_many") - words_by_role("how_much")
_MOST_NUMBERED = 60  # numbers by which things of one kind are called: tables, floors
_TWO_NOUNS, _NOT_JOINED, _KNOWN_ROW = 0.9, 1.2, 0.2
_NO_ROWS = 2.5  # an amount, of which no column is known
_LOOSE, _SAID_TWICE = 0.4, 0.5  # 'freight per carrier', of which only one is the carrier
_RARE = 0.5  # of the rows lack a cell
_GOES_ON, _CAME_ABOUT = words_by_role("goes_on"), words_by_role("came_about")
_FOR_EACH = words_by_role("for_each")
# What stands before the noun that says what a row is.
_BEFORE_NOUNS = frozenset(
    [
        *(
            "#only",
            "#count",
            "#list",
            "#show",
            "#which",
            "#percent",
            "#part_of",
            "#rate",
            "#everything",
        ),
        *("#who", "#when", "#where"),
        *("#trend", "#distribution", "#compare", "#chart", "#table", "#cumulative", "#mean"),
        *(
            "#duration",
            "#overdue",
            "#on_time",
            "#duplicates",
            "#dashboard",
            "#total",
            "#sum",
            "#summary",
            "#missing",
            *SUPERLATIVES,
        ),
    ]
)


@dataclass(frozen=True, slots=True)
class _ColumnSaid:
    """A column in a question, with what stands around it."""

    at: int
    item: Mention
    profile: ColumnProfile
    before: str  # the cue before it
    following: Mention | None
    is_joined: bool  # 'e' stands before it
    is_flag: bool
    is_measure: bool
    is_moment: bool

    @property
    def name(self) -> str:
        """The column's name."""
        return self.item.column


def _read(context: MentionContext) -> Slots:
    """Give every mention its role."""
    ratio_roles.bind_ratios(context)
    computed_roles.bind_computed(context)
    comparison_roles.bind_comparisons(context)
    first = [word.normalized for word in context.words[:2]]
    context.slots.asks_amount = asks_amount(context.words)
    said = {word.normalized for word in context.words}
    context.slots.is_now = not said.isdisjoint(_GOES_ON)
    context.slots.is_past = not said.isdisjoint(_CAME_ABOUT)
    days = [at for at, each in enumerate(context.items) if each.kind == "date"]
    if len(days) == 2:
        between = context.items[days[0] + 1 : days[1]]
        context.slots.are_days_of_two = any(
            (
                each.kind in ("column", "value")
                and FINITE.fullmatch(context.words[each.start].normalized)
            )
            or context.word_before(context.items.index(each)) in COPULAS
            for each in between
        )
    context.slots.asks_thing = bool({*first[:1], " ".join(first)} & _WHICH)
    context.slots.asks_row = len(first) == 2 and first[0] in _WHICH and first[1] in HAVING
    for at, item in enumerate(context.items):
        if at in context.used:
            continue
        # Not 'no', which is 'in the': 'percentagem de faltas no SNS'.
        context.follows_copula = context.word_before(at) in COPULAS
        match item.kind:
            case "cue":
                cue_roles.take_cue(context, at, item)
            case "column":
                _take_column(context, at, item)
            case "value":
                _take_value(context, at, item)
            case "number":
                cue_roles.take_number(context, at, item)
            case "noun":
                _take_noun(context, at, item)
            case "date":
                context.slots.dates += 1
            case "elapsed":
                context.slots.elapsed = (item.since, item.column)
                context.slots.order.append(("elapsed", item.column))
            case "unit":
                context.slots.units.append(item.text)
            case _:
                context.slots.cost += UNBOUND * _is_adjective(context, at)
                _take_unknown(context, item)
    _price_alternatives(context)
    grouped = {each.column for each in context.slots.groups}
    loose = [each.column for each in context.items if each.cost >= _LOOSE]
    exact = {each.column for each in context.items if each.cost < _LOOSE}
    context.slots.cost += _SAID_TWICE * bool(grouped & exact & {*loose})
    if context.negated_at >= 0 and context.is_negated:
        context.slots.cost += UNBOUND  # a negation of nothing
    return context.slots


def _price_alternatives(context: MentionContext) -> None:
    """Price an 'or' between conditions on two columns, which filters cannot say."""
    said = [each for each in context.items if each.kind in ("value", "column")]
    for one, other in pairwise(said):
        between = {word.normalized for word in context.words[one.end : other.start]}
        is_condition = one.kind == "value" or (
            flag_values(context.index.column(one.column)) is not None
        )
        if is_condition and one.column != other.column and between & OR_WORDS:
            context.slots.cost += UNBOUND


def _take_unknown(context: MentionContext, item: Mention) -> None:
    """Read a word that names nothing: what a text contains, else it is passed over."""
    if _take_contained(context, item):
        return
    if item.cost > 1.0 and cue_roles.is_amount_said(item):
        context.slots.cost += UNBOUND  # 'output by weekday' is no number of rows
    context.slots.unknown.append(item.text)


@role_rule
def _take_contained(context: MentionContext, item: Mention) -> bool:
    """Read a word of no meaning as what a text contains: 'cuja descrição fala de bolhas'."""
    if not context.slots.has("contains") or context.slots.contains:
        return False
    context.slots.contains.append(item.text)
    context.slots.cost += 0.1 - item.cost
    texts = [
        each
        for each in context.slots.bare
        if context.index.column(each.column).type in ("text", "category")
    ]
    if texts and context.slots.order[-2:-1] == [("column", texts[-1].column)]:
        context.slots.contains_in = texts[-1].column
        context.slots.bare.remove(texts[-1])
    elif not context.slots.contains_in:
        context.slots.contains_in = _noted(context, item)
    return True


def _take_column(context: MentionContext, at: int, item: Mention) -> None:
    """Give a column its role: the first of the rules that takes it."""
    name = item.column
    if context.slots.cues and context.slots.cues[-1] == "#forget":
        context.slots.forgotten.append(name)
        return
    if context.previous_cue(at) == "#instead" and context.slots.groups:
        return  # 'por operador em vez de peça'
    said = _column_said(context, at, item)
    if said.is_joined and said.is_measure and [role for role, _ in context.slots.order] == ["noun"]:
        context.slots.is_row_joined = True
    if not (
        _take_with_value(context, said)
        or _take_lacking(context, said)
        or _take_filled(context, said)
        or _take_behind_by(context, said)
        or _take_flagged(context, said)
        or _take_measured(context, said)
        or _take_counted(context, said)
    ):
        _take_open(context, said)


def _column_said(context: MentionContext, at: int, item: Mention) -> _ColumnSaid:
    """Return a column with what stands around it."""
    profile = context.index.column(item.column)
    is_flag = flag_values(profile) is not None
    return _ColumnSaid(
        at,
        item,
        profile,
        before=context.previous_cue(at),
        following=context.following(at),
        is_joined=context.word_before(at) in AND
        or bool(at and context.items[at - 1].lemma == "#again"),
        is_flag=is_flag,
        is_measure=context.index.is_measure(item.column) and not is_flag,
        is_moment=context.index.is_moment(item.column),
    )


@role_rule
def _take_with_value(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column that a value or a number stands behind, or a grain that changes."""
    at, item, name = said.at, said.item, said.name
    if said.is_moment and context.regroups(at, name):
        return True
    beside = context.items[at + 1] if at + 1 < len(context.items) else None
    if beside is not None and beside.kind == "value" and not context.is_by:
        if beside.column == name:
            context.last_column = name
            return True
        if not said.is_measure and context.calls(item, beside):
            return True  # 'a exploração 0417', by its code
    if cue_roles.take_numbered(context, at, item, said.following):
        return True
    if context.counts_by == at - 1 and at and not context.index.is_measure(name):
        context.slots.cost += 0.1
        _noun(context, item.text, at)
        return True
    return False


@role_rule
def _take_lacking(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column that rows are told not to have: 'sem peças boas', 'sem técnico'."""
    at, name, following = said.at, said.name, said.following
    compared = following is not None and following.lemma in RELATIONS
    is_near = context.is_negated and at - context.negated_at <= 2
    if is_near and not (said.is_measure and compared):
        is_zero = said.is_measure and not said.profile.missing and said.profile.min == 0
        if said.is_flag and _take_flag(context, name, is_negated=True):
            pass
        elif is_zero and context.index.wide is None:
            context.add_filter(name, "is", 0.0)  # 'sem peças boas', where no cell is empty
        else:
            context.add_filter(name, "missing")
            if not (said.is_measure or said.is_moment) and (
                _denies_state(context, at) or has_no(said.profile)
            ):
                context.slots.cost += UNBOUND  # 'não conformes', which are no empty cells
            if said.is_measure and context.acts_between(at):
                context.slots.cost += UNBOUND  # 'não chegaram ao objetivo'
        context.is_negated = False
        return True
    if said.before == "#missing" or (following is not None and following.lemma == "#missing"):
        context.add_filter(name, "missing")
        return True
    return False


@role_rule
def _take_filled(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column that rows are told to have: 'com dias perdidos', 'ainda com stock'."""
    name, item = said.name, said.item
    is_full = said.is_measure and not said.profile.missing
    if not (said.is_flag or said.is_moment or is_full) and cue_roles.says_filled(context, item):
        context.add_filter(name, "present")
        return True
    if said.is_measure and _is_left(context, item) and not context.is_by:
        context.add_filter(name, "above", 0.0)  # 'ainda com stock'
        context.slots.cost -= 0.1
        return True
    return False


@role_rule
def _take_behind_by(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column behind 'por', or joined to one that is: what is grouped or put in order."""
    at, item, name, slots = said.at, said.item, said.name, context.slots
    if not context.is_by:
        if said.is_joined and slots.groups and at and _is_dimension(context, at - 1):
            context.group_by(name)
            return True
        return False
    if said.is_measure and slots.groups and not said.is_joined:
        context.measure(name)  # 'por loja, qual o custo?', 'por loja: custo e peso'
        return True
    is_extreme = slots.has(*EXTREME_WORDS) and bool(slots.targets or slots.nouns)
    ranks = slots.has(*RANKING_WORDS, "sort") or is_extreme
    if said.is_measure and ranks:
        slots.cost += 0.05
        context.measure(name)  # 'top 5 clientes por peças'
        return True
    is_of_row = context.index.is_identity(name) and context.index.wide is None
    if is_of_row and (slots.measures or slots.statistics or slots.implied):
        slots.cues.append("#per_row")
        context.is_by = False
        _noun(context, item.text, at)
        return True
    if cue_roles.is_row(context, name) and cue_roles.ranks_by_rows(context, at, item):
        slots.cost += 0.1
        context.is_by = False
        _noun(context, item.text, at)
        return True
    if said.before == "#which" and SUPERLATIVES & {*slots.cues} and at > 1:
        slots.outputs.append(name)  # 'a mais longa, e por que motivo'
        slots.order.append(("column", name))
        context.is_by = False
        return True
    lists = slots.has("list") and not (slots.statistics or slots.has("count"))
    if said.is_moment and lists:
        slots.sorted_by, context.is_by = name, False  # 'lista as provas por data'
        slots.order.append(("group", name))
        return True
    context.group_by(name)
    return True


@role_rule
def _take_flagged(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column of yes and no as a condition, or as what a statistic is of."""
    if not said.is_flag:
        return False
    at, name = said.at, said.name
    asks_part = context.shares and any(
        each.lemma in ("#part_of", "#percent") for each in context.items[:at]
    )
    if said.before != "#which" and (asks_part or not context.flips_at(at)):
        context.slots.cost += 0.1 if said.item.is_whole else 0.35
        others = any(
            each.kind == "column"
            and each.column != name
            and context.index.is_measure(each.column)
            and flag_values(context.index.column(each.column)) is None
            for each in context.items
        )
        if context.slots.statistics and not others:
            context.measure(name)
        else:
            _take_flag(context, name, is_negated=False)
        return True
    return False


@role_rule
def _take_measured(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column of moments or of numbers."""
    at, item, name, before = said.at, said.item, said.name, said.before
    if said.is_moment:
        _take_moment(context, at, item)
        return True
    if not said.is_measure:
        return False
    if cue_roles.has_any(context, at, item):
        if said.profile.min == 0:
            context.slots.compared.append(Filter(name, (0.0,), "above"))  # 'lotes com stock'
            context.slots.order.append(("filter", name))
        else:
            context.add_filter(name, "present")
        return True
    is_few = said.profile.type == "integer" and said.profile.distinct <= _MOST_NUMBERED
    ranks = any(each.lemma in SUPERLATIVES for each in context.items)
    is_thing = is_few and ranks and not context.index.is_amount(name)
    if before in ("#which", "#top") and is_thing:
        context.slots.targets.append(Dimension(name))  # 'em que mesas se gasta mais'
        context.slots.order.append(("column", name))
        return True
    if name in context.slots.measures and context.before(at) & OF_WORDS:
        context.slots.cost -= item.cost  # 'desvio médio da temperatura', of 'Desv. (°C)'
    preceding = context.items[at - 1] if at else None
    if (
        preceding is not None
        and preceding.kind == "column"
        and preceding.column in context.slots.measures
        and preceding.column != name
        and context.before(at) & OF_WORDS
    ):
        context.slots.cost += UNBOUND / 4  # 'tempo de ciclo' is one
    context.measure(name)
    return True


@role_rule
def _take_counted(context: MentionContext, said: _ColumnSaid) -> bool:
    """Read a column that is counted, or that rows are called by: 'quantos pedidos'."""
    at, item, name, before = said.at, said.item, said.name, said.before
    if _tells_that(context, at, name, before) and not context.flips_at(at):
        context.add_filter(name, "present")  # 'alarms by furnace', of a code that few rows have
        return True
    is_row = cue_roles.is_row(context, name)
    is_distinct = said.following is not None and said.following.lemma == "#distinct"
    if before == "#count" or (before == "#distinct" and context.slots.has("count")):
        tells_apart = is_distinct or context.slots.has("distinct")
        if is_row and not tells_apart and not context.flips_at(at):
            _noun(context, item.text, at)
            return True
        context.slots.counted.append(name)
        context.slots.order.append(("counted", name))
        return True
    counts = before in ("#most", "#least", "#by", "") or context.is_plural(item)
    counts = counts and not is_distinct and before != "#which"
    if counts and numbers_things(context.index, name):
        context.slots.counted.append(name)  # 'pedidos por canal', of lines of orders
        context.slots.order.append(("counted", name))
        return True
    is_noun = is_row and not context.flips_at(at) and not context.slots.nouns
    if is_noun and before not in ("#which", "#first", "#last") and (at == 0 or before):
        _noun(context, item.text, at)
        return True
    return False


@role_rule
def _take_open(context: MentionContext, said: _ColumnSaid) -> None:
    """Read a column of names that nothing is said of: what is ranked, or asked for."""
    at, name, before = said.at, said.name, said.before
    context.last_column = name
    dimension = Dimension(name)
    context.slots.order.append(("column", name))
    is_plural = context.is_plural(said.item)
    context.slots.is_plural = context.slots.is_plural or is_plural
    context.slots.plural_of[name] = is_plural
    if before in ("#most", "#least") and any(each.column != name for each in _ranked(context)):
        context.slots.cost += UNBOUND / 2  # 'o registo com mais peças': what has them is ranked
    if before == "#which" and SUPERLATIVES & {*context.slots.cues}:
        context.slots.outputs.append(name)
    elif before in ("#which", *RANKING) or (
        context.slots.number is not None and at and context.items[at - 1].kind == "number"
    ):
        context.slots.targets.append(dimension)
    else:
        context.slots.bare.append(dimension)


def _is_left(context: MentionContext, item: Mention) -> bool:
    """Return whether rows are meant that still have some of an amount: 'still in stock'."""
    before = [each.normalized for each in context.words[max(0, item.start - 3) : item.start]]
    is_still = not words_by_role("still").isdisjoint(before)
    return is_still and before[-1] in HAVING | words_by_role("with") | words_by_role("in_unit")


def _ranked(context: MentionContext) -> list[Dimension]:
    return [*context.slots.targets, *context.slots.bare]


def _tells_that(context: MentionContext, at: int, name: str, before: str) -> bool:
    """Return whether rows are meant that have a cell in a column, which most have not."""
    column, rows = context.index.column(name), context.index.profile.rows
    is_rare = context.index.wide is None and column.missing > _RARE * rows
    following = context.following(at)
    is_first = at == 0 and following is not None and following.lemma in ("#by", "#trend")
    counts = before in ("#count", "#most", "#least") or is_first
    return is_rare and counts and context.is_plural(context.items[at])


def _noted(context: MentionContext, item: Mention) -> str:
    """Return the column of notes that was named before: 'quantas observações falam de'."""
    said = (each for each in context.items if each.kind == "column" and each.end <= item.start)
    return next((name for name in (each.column for each in said) if _is_text(context, name)), "")


def _is_text(context: MentionContext, name: str) -> bool:
    column = context.index.column(name)
    is_sentence = any(" " in str(value) for value in column.known[:5])
    return column.type == "text" and (is_sentence or not context.index.is_identity(name))


def _is_dimension(context: MentionContext, at: int) -> bool:
    while at > 0 and context.items[at].lemma in ("#again", "#noise"):
        at -= 1
    return context.items[at].lemma in GRAIN_CUES and bool(context.slots.groups)


def _take_flag(context: MentionContext, name: str, *, is_negated: bool) -> bool:
    pair = flag_values(context.index.column(name))
    if pair is None:
        return False
    yes, no = pair
    if is_negated and no == "":
        context.add_filter(name, "is not", yes)
    else:
        context.add_filter(name, "is", no if is_negated else yes)
    return True


def _denies_state(context: MentionContext, at: int) -> bool:
    """Return whether 'não' stands right before what is denied: 'não conformes'."""
    denying = normalize(context.items[context.negated_at].text)
    return at == context.negated_at + 1 and denying in words_by_role("negation")


@role_rule
def _take_moment(context: MentionContext, at: int, item: Mention) -> None:
    """Read a column of days: when something was, which of two came first, or that it was."""
    name = item.column
    before = context.previous_cue(at)
    if _happened(context, item):
        context.add_filter(name, "present")  # 'quantos já saíram'
        return
    places = range(at + 1, min(at + 4, len(context.items)))
    free = [context.items[place] for place in places if place not in context.used]
    named = (each.column for each in free if each.kind == "column")
    others = [each for each in named if context.index.is_moment(each)]
    relation = next((each.lemma for each in free[:2] if each.lemma in ("#after", "#before")), "")
    due, closed = due_and_closed(context.index)
    if others and relation:
        if is_planned(others[0]) and (name, others[0]) != (closed, due):
            context.slots.cost += UNBOUND / 4
        context.slots.compared.append(
            Filter(name, (), "above" if relation == "#after" else "below", other=others[0])
        )
        for place in range(at + 1, min(at + 4, len(context.items))):
            each = context.items[place]
            if each.lemma == relation or each.column == others[0]:
                context.used.add(place)
        context.slots.order.append(("filter", name))
        return
    side = context.previous_cue(at)
    if side in ("#after", "#before") and name == due and closed is not None:
        late: Relation = "above" if side == "#after" else "below"
        context.slots.compared.append(Filter(closed, (), late, other=due))
        context.slots.order.append(("filter", closed))
        return  # 'entregues depois da data prevista'
    near = context.items[at + 1 : at + 3]
    if any(each.kind == "date" for each in near) and item.cost > 0:
        context.slots.cost -= min(0.35, item.cost)  # 'abertas em março'
    dated = any(each.kind == "date" for each in context.items)
    _take_edge(context, item, before, dated=dated)
    ranks = not before and context.slots.has("first", "last")  # 'o último a inscrever-se'
    is_asked = ranks or before in ("#which", "#first", "#last")
    if not (dated or is_asked or context.is_by):
        context.slots.cost += 0.2
    context.slots.moments.append(name)
    context.slots.order.append(("moment", name))
    if before == "#which":
        context.slots.cues.append("#when")


@role_rule
def _take_edge(context: MentionContext, item: Mention, before: str, *, dated: bool) -> bool:
    """Read the name of a column of days as its last or its next one: 'última manutenção'."""
    slots = context.slots
    edge = edge_of_days(item.text)
    is_told = slots.has(
        "count", "list", "show", "missing", "duration", *RANKING_WORDS, *EXTREME_WORDS
    )
    if not edge or dated or is_told or before not in ("", "#when", "#which"):
        return False
    if edge != edge_of_days(item.column) or slots.moments:
        return False
    slots.cues.append(edge)
    slots.is_next = edge == "#first"
    return True


def _happened(context: MentionContext, item: Mention) -> bool:
    """Return whether a verb says that what a column is the day of has come about."""
    asks = ("#which", "#first", "#last", "#when", "#duration", "#trend")
    return (
        FINITE.fullmatch(normalize(item.text)) is not None
        and context.index.column(item.column).missing > 0
        and not any(each.kind == "date" for each in context.items)
        and not any(each.lemma in asks or each.lemma in GRAIN_CUES for each in context.items)
        and not any(
            each.kind == "column" and each is not item and context.index.is_moment(each.column)
            for each in context.items
        )
    )


@role_rule
def _take_value(context: MentionContext, at: int, item: Mention) -> None:
    """Select rows by a value that is named: 'vendas do Porto'."""
    joined = context.word_before(at) in AND or (at and context.items[at - 1].lemma == "#again")
    values = item.values
    if context.slots.has("contains") and not context.slots.contains:
        context.slots.contains.append(item.text)
        context.slots.cost += 0.1 - item.cost
        return
    if context.last_column == item.column and at and context.items[at - 1].kind == "column":
        context.slots.cost -= 0.12  # 'no distrito de Setúbal'
    if context.is_by and context.slots.measures and context.word_of(at - 1) in _FOR_EACH:
        context.slots.cost += UNBOUND  # 'cost per hire' is no cost of those hired
    if comparison_roles.is_another_alone(context, at, item):
        context.slots.cost += _NOT_JOINED
    if context.is_negated and context.has_column_for(item):
        context.slots.cost += UNBOUND / 4  # 'how many have no salary', and a column has salaries
    context.add_filter(item.column, context.is_or_not(), *values)
    if context.index.is_unit(item.column) and context.previous_cue(at) == "#count":
        context.slots.implied = context.slots.implied or "quantity"
    following = context.following(at)
    goes_on = following is not None and (
        following.lemma == "#again"
        or (following.kind == "value" and following.column == item.column)
    )
    if context.is_negated and not (goes_on or joined):
        context.is_negated = False
    elif context.is_negated:
        context.negated_at = -9
    context.is_by = False


@role_rule
def _take_noun(context: MentionContext, at: int, item: Mention) -> None:
    """Read a word that names no part of the data as what a row is called: 'quantas visitas'."""
    before = context.previous_cue(at)
    previous = context.previous(at)
    if context.slots.has("contains") and not context.slots.contains:
        _take_unknown(context, item)
        return
    if context.is_by and has_lines(context.index, item.text):
        context.slots.cost += _TWO_NOUNS  # 'valor médio por nota', of which a row is a line
    adjacent = previous is not None and previous.kind == "noun"
    if context.slots.nouns and not adjacent:
        said = {normalize(each).rstrip("s") for each in context.slots.nouns}
        of_file = context.index.is_in_file_name(Token((context.words[item.start],), item.text))
        if normalize(item.text).rstrip("s") not in said:
            context.slots.cost += 0.1 if of_file else _TWO_NOUNS  # 'o aluno da academia'
    made = measured_first(context.index.parts.get("produced", ()))
    is_part = normalize(item.text) in words_by_role("part") and not context.is_by
    beside = context.items[at + 1] if at + 1 < len(context.items) else None
    is_of_amount = (
        beside is not None
        and beside.kind == "column"
        and beside.start == item.end
        and context.index.is_measure(beside.column)
    )
    if is_of_amount and (is_part or (context.slots.statistics and item.cost <= _KNOWN_ROW)):
        return  # 'peças rejeitadas', of which there is a column; 'mean trip distance'
    if is_part and len(made) == 1 and context.index.is_measure(made[0]):
        context.slots.cost += 0.05
        context.measure(made[0])  # 'quantas peças se fizeram', in a log of production
        return
    if adjacent and not _is_one_name(context, at):
        context.slots.cost += UNBOUND / 2
    if context.is_by:
        if context.slots.measures or context.slots.statistics:
            context.slots.cost += 0.2 if item.cost < 0.3 else 1.6
            context.slots.cues.append("#per_row")
            context.is_by = False
            _noun(context, item.text, at)
            return
        if cue_roles.ranks_by_rows(context, at, item):
            context.is_by = False
            context.slots.cost += 0.1
            _noun(context, item.text, at)
            return
        context.slots.cost += UNBOUND
        context.slots.unknown.append(item.text)
        return
    if _is_adjective(context, at):
        context.slots.cost += UNBOUND
        context.slots.unknown.append(item.text)
        return
    fits = (
        before in _BEFORE_NOUNS
        or (at == 0)
        or adjacent
        or before.startswith("#kind_")
        or (previous is not None and previous.kind == "number")
        or (beside is not None and beside.lemma in ("#max", "#min"))
    )
    is_counted = before in ("#count", "#list", "#which", "#percent", "#part_of") or context.is_by
    is_time = bool(time_unit(context.words[item.end - 1].text))  # 'training hours'
    is_mass = (is_time or not context.is_plural(item)) and not (
        context.slots.measures or context.slots.statistics
    )
    if is_mass and not is_counted and cue_roles.is_amount_said(item):
        context.slots.cost += _NO_ROWS  # 'output by weekday'
    elif is_mass and not is_counted and any(map(context.index.is_amount, context.index.measures)):
        context.slots.cost += 0.35  # 'stock por armazém': what is added up, rather than rows
    if not fits:
        context.slots.cost += 0.5
    _noun(context, item.text, at)


def _is_adjective(context: MentionContext, at: int) -> bool:
    """Return whether an unknown word says of what a level has the most: 'ruído mais fraco'."""
    if at < 2 or context.is_plural(context.items[at]):
        return False
    level, most = context.items[at - 2 : at]
    return (
        most.lemma in ("#most", "#least")
        and level.kind == "column"
        and context.index.is_measure(level.column)
        and (level.end, most.end) == (most.start, context.items[at].start)
    )


def _is_one_name(context: MentionContext, at: int) -> bool:
    """Return whether a noun and the one before are one name: 'ordens de trabalho'."""
    first, second = (
        Token((context.words[each.start],), each.text) for each in context.items[at - 1 : at + 1]
    )
    return context.index.is_one_name(first, second)


def _noun(context: MentionContext, text: str, at: int) -> None:
    context.slots.nouns.append(text)
    context.slots.has_rows = True
    context.slots.is_plural = context.slots.is_plural or context.is_plural(context.items[at])
    context.slots.order.append(("noun", text))


def roles_of(
    mentions: Sequence[Mention],
    words: Sequence[Word],
    index: SchemaIndex,
    recent: str | None = None,
) -> Iterator[Slots]:
    """Yield the slots of a sequence of mentions, then those with one role changed."""
    context = MentionContext(mentions, words, index, recent=recent)
    yield _read(context)
    for place in sorted(context.alternatives):
        slots = _read(MentionContext(mentions, words, index, frozenset([place]), recent))
        slots.cost += GUESSED
        yield slots
