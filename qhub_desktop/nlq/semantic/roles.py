"""Roles of mentions: what is grouped by, ranked, measured, counted or selected, by its neighbours.

What does not fit costs; of two roles of a mention, the cheaper whole plan decides.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import flag_values, has_no
from qhub_desktop.nlq.grouping import has_lines, numbers_things
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.query_ast import Dimension, Filter, Relation
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.comparison_roles import ComparisonRoles
from qhub_desktop.nlq.semantic.cue_roles import NumberRoles
from qhub_desktop.nlq.semantic.mention_context import AND, GUESSED, HAVING, UNBOUND
from qhub_desktop.nlq.semantic.ratio_roles import RatioRoles
from qhub_desktop.nlq.semantic.slots import SUPERLATIVES, Mention, Slots
from qhub_desktop.nlq.semantic.timestamp_roles import TimestampRoles
from qhub_desktop.nlq.semantic.timestamps import due_and_closed, is_planned
from qhub_desktop.nlq.semantic.word_keys import asks_amount
from qhub_desktop.nlq.tokenizer import Word, normalize
from qhub_desktop.nlq.word_meanings import COPULAS, FINITE, GRAINS, RELATIONS

_WHICH = words_by_role("asking") - words_by_role("how_many") - words_by_role("how_much")
_RANKING = ("top", "most", "least", "sort", "worst", "best")
_MOST_NUMBERED = 60  # numbers by which things of one kind are called: tables, floors
_TWO_NOUNS, _NOT_JOINED, _KNOWN_ROW = 0.9, 1.2, 0.2
_NO_ROWS = 2.5  # an amount, of which no column is known
_LOOSE, _SAID_TWICE = 0.4, 0.5  # 'freight per carrier', of which only one is the carrier
_RARE = 0.5  # of the rows lack a cell
_OR, _OF = words_by_role("or"), words_by_role("of")
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


class RoleReader(RatioRoles, TimestampRoles, ComparisonRoles, NumberRoles):
    """One pass over mentions, which gives each of them its role."""

    def read(self) -> Slots:
        """Give every mention its role."""
        self._bind_ratios()
        self._bind_comparisons()
        first = [word.normalized for word in self._words[:2]]
        self.slots.asks_amount = asks_amount(self._words)
        said = {word.normalized for word in self._words}
        self.slots.is_now = not said.isdisjoint(_GOES_ON)
        self.slots.is_past = not said.isdisjoint(_CAME_ABOUT)
        days = [at for at, each in enumerate(self._items) if each.kind == "date"]
        if len(days) == 2:
            between = self._items[days[0] + 1 : days[1]]
            self.slots.are_days_of_two = any(
                (
                    each.kind in ("column", "value")
                    and FINITE.fullmatch(self._words[each.start].normalized)
                )
                or self._word_before(self._items.index(each)) in COPULAS
                for each in between
            )
        self.slots.asks_thing = bool({*first[:1], " ".join(first)} & _WHICH)
        self.slots.asks_row = len(first) == 2 and first[0] in _WHICH and first[1] in HAVING
        for at, item in enumerate(self._items):
            if at in self._used:
                continue
            # Not 'no', which is 'in the': 'percentagem de faltas no SNS'.
            self._follows_copula = self._word_before(at) in COPULAS
            match item.kind:
                case "cue":
                    self._take_cue(at, item)
                case "column":
                    self._take_column(at, item)
                case "value":
                    self._take_value(at, item)
                case "number":
                    self._take_number(at, item)
                case "noun":
                    self._take_noun(at, item)
                case "date":
                    self.slots.dates += 1
                case "elapsed":
                    self.slots.elapsed = (item.since, item.column)
                    self.slots.order.append(("elapsed", item.column))
                case "unit":
                    self.slots.units.append(item.text)
                case _:
                    self.slots.cost += UNBOUND * self._is_adjective(at)
                    self._take_unknown(item)
        self._price_alternatives()
        grouped = {each.column for each in self.slots.groups}
        loose = [each.column for each in self._items if each.cost >= _LOOSE]
        exact = {each.column for each in self._items if each.cost < _LOOSE}
        self.slots.cost += _SAID_TWICE * bool(grouped & exact & {*loose})
        if self._negated_at >= 0 and self._is_negated:
            self.slots.cost += UNBOUND  # a negation of nothing
        return self.slots

    def _price_alternatives(self) -> None:
        """Price an 'or' between conditions on two columns, which filters cannot say."""
        said = [each for each in self._items if each.kind in ("value", "column")]
        for one, other in pairwise(said):
            between = {word.normalized for word in self._words[one.end : other.start]}
            is_condition = one.kind == "value" or (
                flag_values(self._index.column(one.column)) is not None
            )
            if is_condition and one.column != other.column and between & _OR:
                self.slots.cost += UNBOUND

    def _take_unknown(self, item: Mention) -> None:
        """Read a word that names nothing: what a text contains, else it is passed over."""
        if self.slots.has("contains") and not self.slots.contains:
            self.slots.contains.append(item.text)
            self.slots.cost += 0.1 - item.cost
            texts = [
                each
                for each in self.slots.bare
                if self._index.column(each.column).type in ("text", "category")
            ]
            if texts and self.slots.order[-2:-1] == [("column", texts[-1].column)]:
                self.slots.contains_in = texts[-1].column
                self.slots.bare.remove(texts[-1])
            elif not self.slots.contains_in:
                self.slots.contains_in = self._noted(item)
        else:
            if item.cost > 1.0 and self._is_amount_said(item):
                self.slots.cost += UNBOUND  # 'output by weekday' is no number of rows
            self.slots.unknown.append(item.text)

    # What stands around a mention.

    def _take_column(self, at: int, item: Mention) -> None:
        """Give a column its role: the first of the rules that takes it."""
        name = item.column
        if self.slots.cues and self.slots.cues[-1] == "#forget":
            self.slots.forgotten.append(name)
            return
        if self._previous_cue(at) == "#instead" and self.slots.groups:
            return  # 'por operador em vez de peça'
        said = self._column_said(at, item)
        if (
            said.is_joined
            and said.is_measure
            and [role for role, _ in self.slots.order] == ["noun"]
        ):
            self.slots.is_row_joined = True
        rules = (
            self._take_with_value,
            self._take_lacking,
            self._take_filled,
            self._take_behind_by,
            self._take_flagged,
            self._take_measured,
            self._take_counted,
        )
        if not any(rule(said) for rule in rules):
            self._take_open(said)

    def _column_said(self, at: int, item: Mention) -> _ColumnSaid:
        """Return a column with what stands around it."""
        profile = self._index.column(item.column)
        is_flag = flag_values(profile) is not None
        return _ColumnSaid(
            at,
            item,
            profile,
            before=self._previous_cue(at),
            following=self._next(at),
            is_joined=self._word_before(at) in AND
            or bool(at and self._items[at - 1].lemma == "#again"),
            is_flag=is_flag,
            is_measure=self._index.is_measure(item.column) and not is_flag,
            is_moment=self._index.is_moment(item.column),
        )

    def _take_with_value(self, said: _ColumnSaid) -> bool:
        """Read a column that a value or a number stands behind, or a grain that changes."""
        at, item, name = said.at, said.item, said.name
        if said.is_moment and self._regroups(at, name):
            return True
        beside = self._items[at + 1] if at + 1 < len(self._items) else None
        if beside is not None and beside.kind == "value" and not self._is_by:
            if beside.column == name:
                self._last_column = name
                return True
            if not said.is_measure and self._calls(item, beside):
                return True  # 'a exploração 0417', by its code
        if self._take_numbered(at, item, said.following):
            return True
        if self._counts_by == at - 1 and at and not self._index.is_measure(name):
            self.slots.cost += 0.1
            self._noun(item.text, at)
            return True
        return False

    def _take_lacking(self, said: _ColumnSaid) -> bool:
        """Read a column that rows are told not to have: 'sem peças boas', 'sem técnico'."""
        at, name, following = said.at, said.name, said.following
        compared = following is not None and following.lemma in RELATIONS
        is_near = self._is_negated and at - self._negated_at <= 2
        if is_near and not (said.is_measure and compared):
            is_zero = said.is_measure and not said.profile.missing and said.profile.min == 0
            if said.is_flag and self._take_flag(name, is_negated=True):
                pass
            elif is_zero and self._index.wide is None:
                self._filter(name, "is", 0.0)  # 'sem peças boas', where no cell is empty
            else:
                self._filter(name, "missing")
                if not (said.is_measure or said.is_moment) and (
                    self._denies_state(at) or has_no(said.profile)
                ):
                    self.slots.cost += UNBOUND  # 'não conformes', which are no empty cells
                if said.is_measure and self._acts_between(at):
                    self.slots.cost += UNBOUND  # 'não chegaram ao objetivo'
            self._is_negated = False
            return True
        if said.before == "#missing" or (following is not None and following.lemma == "#missing"):
            self._filter(name, "missing")
            return True
        return False

    def _take_filled(self, said: _ColumnSaid) -> bool:
        """Read a column that rows are told to have: 'com dias perdidos', 'ainda com stock'."""
        name, item = said.name, said.item
        is_full = said.is_measure and not said.profile.missing
        if not (said.is_flag or said.is_moment or is_full) and self._says_filled(item):
            self._filter(name, "present")
            return True
        if said.is_measure and self._is_left(item) and not self._is_by:
            self._filter(name, "above", 0.0)  # 'ainda com stock'
            self.slots.cost -= 0.1
            return True
        return False

    def _take_behind_by(self, said: _ColumnSaid) -> bool:
        """Read a column behind 'por', or joined to one that is: what is grouped or put in order."""
        at, item, name, slots = said.at, said.item, said.name, self.slots
        if not self._is_by:
            if said.is_joined and slots.groups and at and self._is_dimension(at - 1):
                self._group(name)
                return True
            return False
        if said.is_measure and slots.groups and not said.is_joined:
            self._measure(name)  # 'por loja, qual o custo?', 'por loja: custo e peso'
            return True
        ranks = slots.has(*_RANKING) or (
            slots.has("max", "min") and bool(slots.targets or slots.nouns)
        )
        if said.is_measure and ranks:
            slots.cost += 0.05
            self._measure(name)  # 'top 5 clientes por peças'
            return True
        is_of_row = self._index.is_identity(name) and self._index.wide is None
        if is_of_row and (slots.measures or slots.statistics or slots.implied):
            slots.cues.append("#per_row")
            self._is_by = False
            self._noun(item.text, at)
            return True
        if self._is_row(name) and self._ranks_by_rows(at, item):
            slots.cost += 0.1
            self._is_by = False
            self._noun(item.text, at)
            return True
        if said.before == "#which" and SUPERLATIVES & {*slots.cues} and at > 1:
            slots.outputs.append(name)  # 'a mais longa, e por que motivo'
            slots.order.append(("column", name))
            self._is_by = False
            return True
        lists = slots.has("list") and not (slots.statistics or slots.has("count"))
        if said.is_moment and lists:
            slots.sorted_by, self._is_by = name, False  # 'lista as provas por data'
            slots.order.append(("group", name))
            return True
        self._group(name)
        return True

    def _take_flagged(self, said: _ColumnSaid) -> bool:
        """Read a column of yes and no as a condition, or as what a statistic is of."""
        if not said.is_flag:
            return False
        at, name = said.at, said.name
        asks_part = self._shares and any(
            each.lemma in ("#part_of", "#percent") for each in self._items[:at]
        )
        if said.before != "#which" and (asks_part or not self._flips_at(at)):
            self.slots.cost += 0.1 if said.item.is_whole else 0.35
            others = any(
                each.kind == "column"
                and each.column != name
                and self._index.is_measure(each.column)
                and flag_values(self._index.column(each.column)) is None
                for each in self._items
            )
            if self.slots.statistics and not others:
                self._measure(name)
            else:
                self._take_flag(name, is_negated=False)
            return True
        return False

    def _take_measured(self, said: _ColumnSaid) -> bool:
        """Read a column of moments or of numbers."""
        at, item, name, before = said.at, said.item, said.name, said.before
        if said.is_moment:
            self._take_moment(at, item)
            return True
        if not said.is_measure:
            return False
        if self._has_any(at, item):
            if said.profile.min == 0:
                self.slots.compared.append(Filter(name, (0.0,), "above"))  # 'lotes com stock'
                self.slots.order.append(("filter", name))
            else:
                self._filter(name, "present")
            return True
        is_few = said.profile.type == "integer" and said.profile.distinct <= _MOST_NUMBERED
        ranks = any(each.lemma in SUPERLATIVES for each in self._items)
        is_thing = is_few and ranks and not self._index.is_amount(name)
        if before in ("#which", "#top") and is_thing:
            self.slots.targets.append(Dimension(name))  # 'em que mesas se gasta mais'
            self.slots.order.append(("column", name))
            return True
        if name in self.slots.measures and self._before(at) & _OF:
            self.slots.cost -= item.cost  # 'desvio médio da temperatura', of 'Desv. (°C)'
        preceding = self._items[at - 1] if at else None
        if (
            preceding is not None
            and preceding.kind == "column"
            and preceding.column in self.slots.measures
            and preceding.column != name
            and self._before(at) & _OF
        ):
            self.slots.cost += UNBOUND / 4  # 'tempo de ciclo' is one
        self._measure(name)
        return True

    def _take_counted(self, said: _ColumnSaid) -> bool:
        """Read a column that is counted, or that rows are called by: 'quantos pedidos'."""
        at, item, name, before = said.at, said.item, said.name, said.before
        if self._tells_that(at, name, before) and not self._flips_at(at):
            self._filter(name, "present")  # 'alarms by furnace', of a code that few rows have
            return True
        is_row = self._is_row(name)
        is_distinct = said.following is not None and said.following.lemma == "#distinct"
        if before == "#count" or (before == "#distinct" and self.slots.has("count")):
            tells_apart = is_distinct or self.slots.has("distinct")
            if is_row and not tells_apart and not self._flips_at(at):
                self._noun(item.text, at)
                return True
            self.slots.counted.append(name)
            self.slots.order.append(("counted", name))
            return True
        counts = before in ("#most", "#least", "#by", "#having", "") or self._is_plural(item)
        counts = counts and not is_distinct and before != "#which"
        if counts and numbers_things(self._index, name):
            self.slots.counted.append(name)  # 'pedidos por canal', of lines of orders
            self.slots.order.append(("counted", name))
            return True
        is_noun = is_row and not self._flips_at(at) and not self.slots.nouns
        if is_noun and before not in ("#which", "#first", "#last") and (at == 0 or before):
            self._noun(item.text, at)
            return True
        return False

    def _take_open(self, said: _ColumnSaid) -> None:
        """Read a column of names that nothing is said of: what is ranked, or asked for."""
        at, name, before = said.at, said.name, said.before
        self._last_column = name
        dimension = Dimension(name)
        self.slots.order.append(("column", name))
        is_plural = self._is_plural(said.item)
        self.slots.is_plural = self.slots.is_plural or is_plural
        self.slots.plural_of[name] = is_plural
        if before in ("#most", "#least") and any(each.column != name for each in self._ranked()):
            self.slots.cost += UNBOUND / 2  # 'o registo com mais peças': what has them is ranked
        if before == "#which" and SUPERLATIVES & {*self.slots.cues}:
            self.slots.outputs.append(name)
        elif before in ("#which", "#top", "#most", "#least", "#worst", "#best", "#max", "#min") or (
            self.slots.number is not None and at and self._items[at - 1].kind == "number"
        ):
            self.slots.targets.append(dimension)
        else:
            self.slots.bare.append(dimension)

    def _is_left(self, item: Mention) -> bool:
        """Return whether rows are meant that still have some of an amount: 'still in stock'."""
        before = [each.normalized for each in self._words[max(0, item.start - 3) : item.start]]
        is_still = not words_by_role("still").isdisjoint(before)
        return is_still and before[-1] in HAVING | words_by_role("with") | words_by_role("in_unit")

    def _ranked(self) -> list[Dimension]:
        return [*self.slots.targets, *self.slots.bare]

    def _tells_that(self, at: int, name: str, before: str) -> bool:
        """Return whether rows are meant that have a cell in a column, which most have not."""
        column, rows = self._index.column(name), self._index.profile.rows
        is_rare = self._index.wide is None and column.missing > _RARE * rows
        following = self._next(at)
        is_first = at == 0 and following is not None and following.lemma in ("#by", "#trend")
        counts = before in ("#count", "#most", "#least") or is_first
        return is_rare and counts and self._is_plural(self._items[at])

    def _noted(self, item: Mention) -> str:
        """Return the column of notes that was named before: 'quantas observações falam de'."""
        said = (each for each in self._items if each.kind == "column" and each.end <= item.start)
        return next((name for name in (each.column for each in said) if self._is_text(name)), "")

    def _is_text(self, name: str) -> bool:
        column = self._index.column(name)
        is_sentence = any(" " in str(value) for value in column.known[:5])
        return column.type == "text" and (is_sentence or not self._index.is_identity(name))

    def _is_dimension(self, at: int) -> bool:
        while at > 0 and self._items[at].lemma in ("#again", "#noise"):
            at -= 1
        return self._items[at].lemma in GRAINS and bool(self.slots.groups)

    def _take_flag(self, name: str, *, is_negated: bool) -> bool:
        pair = flag_values(self._index.column(name))
        if pair is None:
            return False
        yes, no = pair
        if is_negated and no == "":
            self._filter(name, "is not", yes)
        else:
            self._filter(name, "is", no if is_negated else yes)
        return True

    def _denies_state(self, at: int) -> bool:
        """Return whether 'não' stands right before what is denied: 'não conformes'."""
        denying = normalize(self._items[self._negated_at].text)
        return at == self._negated_at + 1 and denying in words_by_role("negation")

    def _take_moment(self, at: int, item: Mention) -> None:
        name = item.column
        before = self._previous_cue(at)
        if self._happened(item):
            self._filter(name, "present")  # 'quantos já saíram'
            return
        places = range(at + 1, min(at + 4, len(self._items)))
        free = [self._items[place] for place in places if place not in self._used]
        named = (each.column for each in free if each.kind == "column")
        others = [each for each in named if self._index.is_moment(each)]
        relation = next(
            (each.lemma for each in free[:2] if each.lemma in ("#after", "#before")), ""
        )
        due, closed = due_and_closed(self._index)
        if others and relation:
            if is_planned(others[0]) and (name, others[0]) != (closed, due):
                self.slots.cost += UNBOUND / 4
            self.slots.compared.append(
                Filter(name, (), "above" if relation == "#after" else "below", other=others[0])
            )
            for place in range(at + 1, min(at + 4, len(self._items))):
                each = self._items[place]
                if each.lemma == relation or each.column == others[0]:
                    self._used.add(place)
            self.slots.order.append(("filter", name))
            return
        side = self._previous_cue(at)
        if side in ("#after", "#before") and name == due and closed is not None:
            late: Relation = "above" if side == "#after" else "below"
            self.slots.compared.append(Filter(closed, (), late, other=due))
            self.slots.order.append(("filter", closed))
            return  # 'entregues depois da data prevista'
        near = self._items[at + 1 : at + 3]
        if any(each.kind == "date" for each in near) and item.cost > 0:
            self.slots.cost -= min(0.35, item.cost)  # 'abertas em março'
        dated = any(each.kind == "date" for each in self._items)
        ranks = not before and self.slots.has("first", "last")  # 'o último a inscrever-se'
        is_asked = ranks or before in ("#which", "#first", "#last")
        if not (dated or is_asked or self._is_by):
            self.slots.cost += 0.2
        self.slots.moments.append(name)
        self.slots.order.append(("moment", name))
        if before == "#which":
            self.slots.cues.append("#when")

    def _happened(self, item: Mention) -> bool:
        """Return whether a verb says that what a column is the day of has come about."""
        asks = ("#which", "#first", "#last", "#when", "#duration", "#trend")
        return (
            FINITE.fullmatch(normalize(item.text)) is not None
            and self._index.column(item.column).missing > 0
            and not any(each.kind == "date" for each in self._items)
            and not any(each.lemma in asks or each.lemma in GRAINS for each in self._items)
            and not any(
                each.kind == "column" and each is not item and self._index.is_moment(each.column)
                for each in self._items
            )
        )

    def _take_value(self, at: int, item: Mention) -> None:
        joined = self._word_before(at) in AND or (at and self._items[at - 1].lemma == "#again")
        values = item.values
        if self.slots.has("contains") and not self.slots.contains:
            self.slots.contains.append(item.text)
            self.slots.cost += 0.1 - item.cost
            return
        if self._last_column == item.column and at and self._items[at - 1].kind == "column":
            self.slots.cost -= 0.12  # 'no distrito de Setúbal'
        if self._is_by and self.slots.measures and self._word_of(at - 1) in _FOR_EACH:
            self.slots.cost += UNBOUND  # 'cost per hire' is no cost of those hired
        if self._is_another_alone(at, item):
            self.slots.cost += _NOT_JOINED
        if self._is_negated and self._has_column_for(item):
            self.slots.cost += UNBOUND / 4  # 'how many have no salary', and a column has salaries
        self._filter(item.column, self._is_or_not(), *values)
        if self._index.is_unit(item.column) and self._previous_cue(at) == "#count":
            self.slots.implied = self.slots.implied or "quantity"
        following = self._next(at)
        goes_on = following is not None and (
            following.lemma == "#again"
            or (following.kind == "value" and following.column == item.column)
        )
        if self._is_negated and not (goes_on or joined):
            self._is_negated = False
        elif self._is_negated:
            self._negated_at = -9
        self._is_by = False

    def _take_noun(self, at: int, item: Mention) -> None:
        before = self._previous_cue(at)
        previous = self._previous(at)
        if self.slots.has("contains") and not self.slots.contains:
            self._take_unknown(item)
            return
        if self._is_by and has_lines(self._index, item.text):
            self.slots.cost += _TWO_NOUNS  # 'valor médio por nota', of which a row is a line
        adjacent = previous is not None and previous.kind == "noun"
        if self.slots.nouns and not adjacent:
            said = {normalize(each).rstrip("s") for each in self.slots.nouns}
            of_file = self._index.is_in_file_name(Token((self._words[item.start],), item.text))
            if normalize(item.text).rstrip("s") not in said:
                self.slots.cost += 0.1 if of_file else _TWO_NOUNS  # 'o aluno da academia'
        made = self._index.parts.get("produced", ())
        is_part = normalize(item.text) in words_by_role("part") and not self._is_by
        beside = self._items[at + 1] if at + 1 < len(self._items) else None
        is_of_amount = (
            beside is not None
            and beside.kind == "column"
            and beside.start == item.end
            and self._index.is_measure(beside.column)
        )
        if is_of_amount and (is_part or (self.slots.statistics and item.cost <= _KNOWN_ROW)):
            return  # 'peças rejeitadas', of which there is a column; 'mean trip distance'
        if is_part and len(made) == 1 and self._index.is_measure(made[0]):
            self.slots.cost += 0.05
            self._measure(made[0])  # 'quantas peças se fizeram', in a log of production
            return
        if adjacent and not self._is_one_name(at):
            self.slots.cost += UNBOUND / 2
        if self._is_by:
            if self.slots.measures or self.slots.statistics:
                self.slots.cost += 0.2 if item.cost < 0.3 else 1.6
                self.slots.cues.append("#per_row")
                self._is_by = False
                self._noun(item.text, at)
                return
            if self._ranks_by_rows(at, item):
                self._is_by = False
                self.slots.cost += 0.1
                self._noun(item.text, at)
                return
            self.slots.cost += UNBOUND
            self.slots.unknown.append(item.text)
            return
        if self._is_adjective(at):
            self.slots.cost += UNBOUND
            self.slots.unknown.append(item.text)
            return
        fits = (
            before in _BEFORE_NOUNS
            or (at == 0)
            or adjacent
            or before.startswith("#kind_")
            or (previous is not None and previous.kind == "number")
            or (beside is not None and beside.lemma in ("#max", "#min"))
        )
        is_counted = before in ("#count", "#list", "#which", "#percent", "#part_of") or self._is_by
        is_time = bool(self._time_said(self._words[item.end - 1].text))  # 'training hours'
        is_mass = (is_time or not self._is_plural(item)) and not (
            self.slots.measures or self.slots.statistics
        )
        if is_mass and not is_counted and self._is_amount_said(item):
            self.slots.cost += _NO_ROWS  # 'output by weekday'
        elif is_mass and not is_counted and any(map(self._index.is_amount, self._index.measures)):
            self.slots.cost += 0.35  # 'stock por armazém': what is added up, rather than rows
        if not fits:
            self.slots.cost += 0.5
        self._noun(item.text, at)

    def _is_adjective(self, at: int) -> bool:
        """Return whether an unknown word says of what a level has the most: 'ruído mais fraco'."""
        if at < 2 or self._is_plural(self._items[at]):
            return False
        level, most = self._items[at - 2 : at]
        return (
            most.lemma in ("#most", "#least")
            and level.kind == "column"
            and self._index.is_measure(level.column)
            and (level.end, most.end) == (most.start, self._items[at].start)
        )

    def _is_one_name(self, at: int) -> bool:
        """Return whether a noun and the one before are one name: 'ordens de trabalho'."""
        first, second = (
            Token((self._words[each.start],), each.text) for each in self._items[at - 1 : at + 1]
        )
        return self._index.is_one_name(first, second)

    def _noun(self, text: str, at: int) -> None:
        self.slots.nouns.append(text)
        self.slots.has_rows = True
        self.slots.is_plural = self.slots.is_plural or self._is_plural(self._items[at])
        self.slots.order.append(("noun", text))


def roles_of(
    mentions: Sequence[Mention],
    words: Sequence[Word],
    index: SchemaIndex,
    recent: str | None = None,
) -> Iterator[Slots]:
    """Yield the slots of a sequence of mentions, then those with one role changed."""
    reader = RoleReader(mentions, words, index, recent=recent)
    yield reader.read()
    for place in sorted(reader.alternatives):
        slots = RoleReader(mentions, words, index, frozenset([place]), recent).read()
        slots.cost += GUESSED
        yield slots
