"""Query context: what every query of some slots needs: rows, measures, dimensions, names."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.nlq.column_roles import measured_first, priced_unit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import columns_named, compared_column, grain_for
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import (
    Columns,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Order,
    Period,
    Query,
    Rows,
    RowSelection,
    is_count,
    is_top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    DueRows,
    actual_of,
    counterpart_of,
    gained_measures,
    is_price,
    is_target,
    meets_none,
    money_measures,
    time_unit,
)
from qhub_desktop.nlq.semantic.slots import EXTREMES, ODD, SUPERLATIVES, WRONG, Slots
from qhub_desktop.nlq.tokenizer import normalize, root, stem, tokenize
from qhub_desktop.nlq.wide_tables import Unpivoted

Costed = tuple[Query | Describe | Columns, float]
MeasureChoice = tuple[tuple[str, ...], float]  # columns that are measured, and what they cost
PLURAL = 5  # of a ranking in the plural without a number
_PEOPLE_CONCEPTS = (
    *("operator", "responsible", "cleaner"),
    *("inspector", "worker", "employee", "user", "chief", "assignee"),
    *("customer", "student", "patient", "person", "technician", "seller", "driver", "borrower"),
    *("member", "visitor", "guest", "candidate", "passenger", "player", "resident", "author"),
)
CHOSEN, LOOSE = 0.45, 0.3
_FEW_READ = 150  # groups that nobody reads one by one
_MORE_PEOPLE = 2  # who else is told of a row of which one is asked for
_MANY_CODES = 12
_MANY, _NEARLY = 50, 0.8  # rows of which nearly all have a value of their own
_TRADED = frozenset(["sale", "purchase"])
_COUNTED = 0.6  # an amount, where things are counted
_LIMITED = 0.5  # a measure of which only a limit was said
_PLAIN = frozenset(["name", "description", "code", "number", "type", "#count", "#total"])
_CURRENCIES = words_by_role("currency")
_MOST_OR_LEAST = ("#most", "#least")
_NUMBER_WORDS = words_by_role("number_word") | words_by_role("how_many")


def _coarser(dims: Sequence[Dimension]) -> list[Dimension]:
    """Return dimensions without the days of a column that is grouped by months: 'mês de pedido'."""
    grained = {each.column for each in dims if each.grain not in ("", "day")}
    return [each for each in dims if each.column not in grained or each.grain not in ("", "day")]


class QueryContext(DueRows):
    """Slots over one data set, and what is built of them."""

    def __init__(
        self,
        slots: Slots,
        index: SchemaIndex,
        period: Period | None,
        second: Period | None,
        hours: Filter | None,
    ) -> None:
        self.slots = slots
        self.index = index
        self.period = period
        self.second = second
        filters = slots.all_filters + ((hours,) if hours is not None else ())
        self.scope = RowSelection(index.profile.dataset, filters, period)
        if slots.contradicts:
            slots.cost += WRONG
        slots.cost += WRONG * any(
            each.relation == "is" and meets_none(index, each) for each in filters
        )
        self.noun = " ".join(dict.fromkeys(slots.nouns))
        self.superlatives = [each for each in slots.cues if each in SUPERLATIVES]
        if slots.contains:
            column = slots.contains_in or index.text_column
            if column is None:
                slots.cost += WRONG
            else:
                told = Filter(column, tuple(slots.contains), "contains")
                self.scope = replace(self.scope, filters=(*self.scope.filters, told))
        filled = {each.column for each in self.scope.filters if each.relation in ("is", "contains")}
        filled.update(each.column for each in slots.groups)
        kept = tuple(
            each
            for each in self.scope.filters
            if each.relation != "present" or each.column not in filled
        )
        self.scope = replace(self.scope, filters=kept)  # what is said of a cell needs one
        is_told = any(each.other and index.is_moment(each.column) for each in slots.compared)
        if slots.has("overdue") and slots.elapsed is None and not is_told:
            self._take_overdue()
        elif slots.has("on_time") and not is_told:  # 'on time: on or before the due date'
            self._take_on_time()
        self._take_age()
        self.called_as: dict[str, str] = {}  # columns of names in the place of codes
        self.people: tuple[str, ...] = ()  # others than the one that 'who' is taken for
        self.asked: list[str] = []  # columns that are asked for: who, where, when
        self._ask()
        self.ranks_row = self._ranks_row()

    def _is_key(self, name: str) -> bool:
        """Return whether a column tells the rows apart; none does where a row is many."""
        return self.index.wide is None and self.index.is_identity(name)

    def _has_many(self, name: str) -> bool:
        """Return whether a column has too many values to cross it with another."""
        most = _MANY_CODES if self.index.roles[name] == "code" else _MANY
        return self.index.column(name).distinct > most

    def _ranks_row(self) -> bool:
        """Return whether a row is asked for by what it has the most of: 'a multa mais alta'."""
        slots = self.slots
        order = [(role, name) for role, name in slots.order if role != "number"]
        for at, (role, name) in enumerate(order):
            is_key = role == "column" and self._is_key(name)
            if not (role == "noun" or name == "#rows" or is_key):
                continue
            said = slots.cue_texts.get(name, name)
            many = slots.plural_of.get(name, False) if is_key else normalize(said).endswith("s")
            if many and slots.number is None:
                continue
            (first, cue), (second, other) = [*order[at + 1 : at + 3], ("", ""), ("", "")][:2]
            if first == "cue" and (
                cue in EXTREMES or (cue in _MOST_OR_LEAST and second == "measure")
            ):
                return True
            if first == "measure":
                return second == "cue" and (other in EXTREMES or other in _MOST_OR_LEAST)
            if at and order[at - 1][0] == "cue" and order[at - 1][1] in EXTREMES:
                return True
        return False

    def _main_amounts(self) -> tuple[str, ...]:
        """Return what rows are large or small by, where that is not said."""
        index = self.index
        if self.slots.implied == "time":
            return index.measures_of("distance") or index.measures_of("length")
        if self.slots.implied:
            return ()
        costs = money_measures(index)
        amounts = [name for name in index.measures if index.is_amount(name)]
        least = [name for name, cost in costs if cost == costs[0][1]]
        return tuple(least or amounts)

    def _hardly_groups(self, name: str) -> bool:
        """Return whether nearly every row has a value of its own."""
        column, rows = self.index.column(name), self.index.profile.rows
        is_text = column.type in ("text", "category")
        return is_text and rows >= _MANY and column.distinct > _NEARLY * (rows - column.missing)

    @property
    def chart_kind(self) -> str | None:
        """The kind of chart that is named."""
        named = [each for each in chart_kinds() if self.slots.has(f"kind_{each.name}")]
        return max(named, key=lambda kind: kind.precedence).name if named else None

    def _ask(self) -> None:
        slots, index = self.slots, self.index
        if slots.has("who"):
            people = [
                name
                for concept in _PEOPLE_CONCEPTS
                for name in (*index.concepts.get(concept, ()), *index.parts.get(concept, ()))
                if not index.is_number(name) or index.roles[name] in ("id", "code")
            ]
            people.sort(key=index.is_number)
            called = [
                name
                for name in people
                if not any(map(str.isdigit, str(index.column(name).known[:1])))
                and not (index.is_identity(name) or index.roles[name] in ("id", "code"))
            ]
            named = [*columns_named(index, "name"), *called, *people]
            person = next(iter(named), None)
            order = [each for each in slots.order if each[0] != "number"]
            beside = [
                name
                for (_, cue), (role, name) in pairwise(order)
                if cue == "#who" and role == "column" and not index.is_number(name)
            ]
            if beside:
                self.asked += beside  # 'quem era o médico'
            elif person is None:
                slots.cost += WRONG
            else:
                self.asked.append(person)
                others = [each for each in people if each != person]
                self.people = tuple(dict.fromkeys(others))[:_MORE_PEOPLE]
        if slots.has("where"):
            if index.place_column is None:
                slots.cost += WRONG
            else:
                self.asked.append(index.place_column)
        if slots.has("when"):
            column = slots.moments[0] if slots.moments else index.date_column
            if column is None:
                slots.cost += WRONG
            else:
                self.asked.append(column)

    def _measure_choices(self) -> Iterator[MeasureChoice]:
        """Yield the columns that may be measured, and what it costs to take them."""
        slots, index = self.slots, self.index
        named = tuple(dict.fromkeys(slots.measures))
        if len(named) == 1 and slots.has("compare", "difference") and is_target(index, named[0]):
            actual = actual_of(index, named[0])  # 'diferença para a meta'
            named = named if actual is None else (actual, *named)
        limited = {each.column for each in slots.compared if not (each.other or each.unit)}
        only_limited = bool(limited) and not slots.statistics and not self.superlatives
        only_limited = only_limited and not slots.has("total", "chart", "trend")
        if named and only_limited and limited.issuperset(named) and not slots.groups:
            yield (), 0.0  # 'lines worth more than 10k EUR'
            yield named, _LIMITED
            return
        if named:
            yield named, WRONG if self._is_other_unit(named) else 0.0
            return
        found: tuple[str, ...] = ()
        if slots.implied and slots.implied != "date":
            if not (slots.implied == "time" and len(slots.moments) > 1):
                found = index.measures_of(slots.implied)
            if slots.implied == "money":
                found, of_money = self._amounts_of_money()
                if of_money:
                    yield from of_money
                    return
        elif index.wide is not None:
            limits = limited if only_limited else set[str]()
            yield from self._cells_measured(index.wide, limits)
            return
        if (choices := self._measures_of_rows(found)) is not None:
            yield from choices
        elif found:
            yield from self._chosen(found)
        else:
            yield from self._any_measure()

    def _amounts_of_money(self) -> tuple[tuple[str, ...], Sequence[MeasureChoice]]:
        """Return the amounts of money, and those to choose from where that is settled."""
        slots, index = self.slots, self.index
        found = tuple(name for name, _ in money_measures(index))
        if index.wide is not None and self._is_of_cells:
            return found, [((index.wide.value,), 0.1), *(((name,), ODD) for name in found[:4])]
        if self._counts_things:
            sold = index.measures_of("quantity") if slots.filters else ()
            is_sold = [(sold, 0.05)] if len(sold) == 1 and self._sells else []
            # 'quantos bolos vendemos', 'quantos foram pagos'
            counted = (((name,), _COUNTED) for name in found[:4])
            return found, [*is_sold, ((), 0.3 * bool(sold)), *counted]
        said = slots.cue_texts.get("#money", "")
        if GAINS & {
            *domain_lexicon().concepts_of_name(said),
            *domain_lexicon().derived_from(root(normalize(said))[0]),
        }:
            gained = gained_measures(index)
            if not gained:
                return found, [(found[:1], _COUNTED)]  # refunds are no sales
            found = gained
        prices = index.measures_of("price") or tuple(
            each for each in index.measures if priced_unit(each)
        )
        is_dear = bool({"#max_cost", "#min_cost"} & {*slots.cue_texts})
        if prices and is_dear and (slots.targets or slots.groups or slots.bare):
            # 'que posto tem o gasóleo mais barato'
            return found, [(prices[:1], 0.1), *(((name,), CHOSEN) for name in found[:3])]
        return found, ()

    def _cells_measured(self, wide: Unpivoted, limited: Collection[str]) -> Iterator[MeasureChoice]:
        """Yield the cells of a wide table as what is measured, or its lines as what is counted."""
        slots = self.slots
        is_missing = (each for each in self.scope.filters if each.relation == "missing")
        if any(each.column == wide.value for each in is_missing):
            yield (), 0.0  # 'lojas sem valor em agosto'
            return
        lists = slots.has("rows", "list") or (slots.has("show") and slots.has_rows)
        if wide.value in limited:
            yield (), 0.1
        if not (slots.counted or lists):
            paid = 0.0 if not slots.nouns else 1.0 if slots.has("count") else 0.2
            if self._says_money:
                paid += WRONG
            yield (wide.value,), paid
        if slots.has_rows or slots.counted:
            yield (), 0.4

    def _measures_of_rows(self, found: tuple[str, ...]) -> Sequence[MeasureChoice] | None:
        """Return what a row is told by, where the question asks a row, or how much, at large."""
        slots, index = self.slots, self.index
        what, result = index.results or ("", "")
        if (self._needs_measure or self.ranks_row) and any(
            each.column == what for each in self.scope.filters
        ):
            return [((result,), 0.1)]  # 'pH médio', of a table with a row a result
        if found:
            return None
        if self.ranks_row and (amounts := self._main_amounts()):
            return [*self._chosen(amounts)]
        if self._asks_how_much():
            names = tuple(name for name, _ in money_measures(index))
            whole = [name for name in names if "#total" in index.lemmas[name]]
            paid = 0.25 if len(names) == 1 or len(whole) == 1 else 0.25 + CHOSEN
            told = whole if len(whole) == 1 else names[:4]
            return [*(((name,), paid) for name in told), ((), ODD)]
        if self.asks_elapsed or slots.elapsed is not None:
            return [((), 0.0)]
        return None

    @property
    def _needs_measure(self) -> bool:
        """Whether a statistic is asked for, which some column has to be measured for."""
        return self.slots.averages_column and not any(is_by for _, is_by in self.slots.grains)

    def _any_measure(self) -> Iterator[MeasureChoice]:
        """Yield any column of numbers where one is needed and none named, else none."""
        slots = self.slots
        missing = slots.implied in ("money", "time", "age") and not (
            slots.implied == "time" and len(slots.moments) > 1
        )
        measured = measured_first(self.index.measures)
        if self._needs_measure and len(measured) == 1:
            yield (measured[0],), 0.3
        elif self._needs_measure and len(measured) > 1 and not len(slots.moments) > 1:
            yield from (((name,), 1.0) for name in measured[:6])
        else:
            yield (), WRONG if missing else 0.0

    def _chosen(self, found: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield one of several columns that may be measured, the one of the whole first."""
        slots, index = self.slots, self.index
        whole = [name for name in found if "#total" in index.lemmas[name]]
        if len(found) > 1 and len(whole) != 1:
            edge = "#max" if slots.has("max", "most") else "#min" if slots.has("min") else ""
            named_so = [name for name in found if edge in index.lemmas[name]]
            for name in found[:6]:
                yield (name,), 0.1 if named_so == [name] else CHOSEN
            return
        yield ((whole or found)[0],), 0.1

    @property
    def _sells(self) -> bool:
        """Whether a verb of money is of what was sold or bought: 'vendemos'."""
        said = self.slots.cue_texts.get("#money", "")
        return bool(_TRADED & {*domain_lexicon().derived_from(root(normalize(said))[0])})

    @property
    def _is_of_cells(self) -> bool:
        """Whether what is asked of a wide table has days, which only its cells have."""
        return self.period is not None or bool(self.slots.grains) or self.slots.has("trend")

    @property
    def asks_elapsed(self) -> bool:
        """Whether it is asked how long something took, which no column of numbers says."""
        slots, index = self.slots, self.index
        asks_time = slots.implied == "time" or (
            any(grain in ("day", "hour") and not is_by for grain, is_by in slots.grains)
            and (slots.has("count", "total") or bool(slots.statistics))
        )
        asks_time = asks_time or (slots.elapsed is not None and slots.has("overdue"))
        asks_time = asks_time or any(time_unit(each) for each in slots.units)
        return asks_time and not slots.measures and not index.measures_of("time")

    @property
    def _says_money(self) -> bool:
        """Whether a currency is said."""
        said = (*self.slots.units, *self.slots.nouns, *self.slots.unknown)
        return not _CURRENCIES.isdisjoint(each.lower() for each in said)

    @property
    def _counts_things(self) -> bool:
        """Whether 'quantos' is asked, which is of things, not of money."""
        said = self.slots.cue_texts.get("#count", "").lower()
        return normalize(said) in words_by_role("how_many") and not self.slots.has("percent")

    def _is_other_unit(self, named: tuple[str, ...]) -> bool:
        """Return whether money is asked for, and none of the columns may hold any."""
        money = {name for name, _ in money_measures(self.index)}
        return self._says_money and money.isdisjoint(named)

    def _asks_how_much(self) -> bool:
        """Return whether 'quanto' is asked of nothing that is counted: 'quanto perdemos'."""
        slots = self.slots
        said = slots.cue_texts.get("#count", "").lower()
        is_much = normalize(said) in words_by_role("how_much")
        return is_much and not (slots.nouns or slots.counted or slots.has("rows"))

    def _kind(self, name: str, *, ranks_groups: bool) -> tuple[MeasureKind, float]:
        """Return how a column is put together, and what is doubtful of it."""
        slots, index = self.slots, self.index
        if (statistic := slots.statistic_of(name)) is not None:
            return statistic, 0.0
        extreme = next((EXTREMES[each] for each in slots.cues if each in EXTREMES), None)
        compares = len({*slots.measures}) > 1 or slots.has("compare", "difference")
        beside = counterpart_of(index, name) if compares else None
        amount = index.is_amount(name) or (beside is not None and index.is_amount(beside))
        asks_sum = (("cue", "#count"), ("measure", name)) in pairwise(slots.order)
        if asks_sum and not extreme:
            said = {*normalize(slots.cue_texts.get("#count", "")).split()}
            counts = not said.isdisjoint(_NUMBER_WORDS) and name in dict(money_measures(index))
            return "sum", ODD if counts else 0.0 if amount else 0.2  # 'número de vendas'
        if extreme and not (ranks_groups and amount):
            return extreme, 0.0  # type: ignore[return-value]
        if slots.has("per_row"):
            return "mean", 0.0
        if slots.has("total"):
            return "sum", WRONG if is_price(index, name) else 0.0 if amount else 0.3
        return ("sum", 0.0) if amount else ("mean", 0.1)

    def _measure(self, name: str, *, ranks_groups: bool = False) -> tuple[Measure, float]:
        kind, paid = self._kind(name, ranks_groups=ranks_groups)
        wide = self.index.wide
        if wide is not None and kind == "sum" and name in wide.totals:
            name = wide.value  # a line's total is the sum of its cells
        quantile = self.slots.quantile if self.slots.quantile is not None else 0.5
        if kind == "percentile" and self.slots.quantile is None:
            paid += ODD
        return Measure(kind, name, quantile=quantile), paid

    def _unlike_asked(self, query: Query | Describe | Columns) -> float:
        """Return what it costs that a query answers something else than was asked."""
        slots, wide = self.slots, self.index.wide
        is_timed = self.scope.period is not None or slots.has("trend")
        counts = is_count(query) or is_top(query)
        measure = query.measure if isinstance(query, Number | GroupBy) and not counts else None
        if wide is not None and is_timed and measure is not None:
            is_of_row = measure.kind in ("sum", "mean", "share") and measure.column
            return WRONG if is_of_row not in ("", False, wide.value) else 0.0
        asks_rows = slots.has("count", "total", "percent", "rows", "distinct", "missing", "overdue")
        is_of_rows = is_count(query) or (isinstance(query, Rows) and query.n is None)
        if is_of_rows and slots.asks_thing and not (asks_rows or slots.counted):
            is_thing = bool(slots.nouns) and not slots.nouns[0].lower().endswith("s")
            return WRONG * is_thing  # 'qual foi a margem', which is no number of rows
        if slots.has("compare") and isinstance(query, Number):
            return ODD  # one number, of what is set side by side
        several = compared_column(self.scope)
        compares = slots.has("compare", "most", "least") and not slots.has("which")
        if several is not None and compares and isinstance(query, GroupBy):
            by = {each.column for each in query.keys}
            return 0.0 if several in by else WRONG  # 'A demora mais do que B?', by neither
        return 0.0

    # Queries.

    def _dimensions(self) -> tuple[list[Dimension], float]:
        """Return what is grouped by, and what it costs where that was not said."""
        slots = self.slots
        groups = [*dict.fromkeys(slots.groups)]
        loose = [*dict.fromkeys([*slots.targets, *slots.bare, *map(Dimension, slots.outputs)])]
        fixed = {
            each.column
            for each in self.scope.filters
            if each.relation == "is" and len(each.values) == 1 and not each.grain
        }
        loose = [each for each in loose if each not in groups and each.column not in fixed]
        says = slots.has("chart", "compare", "distribution", "trend", "table", "which", "show") or (
            any(each.startswith("#kind_") for each in slots.cues)
        )
        is_crossed = len(loose) == len(groups) == 1 and slots.order[:2] == [
            ("column", loose[0].column),
            ("group", groups[0].column),
        ]  # 'estado por unidade'
        paid = len(loose) * (
            0.05 if is_crossed or (says and not slots.groups) else LOOSE + 0.3 * bool(slots.groups)
        )
        paid += 0.8 * sum(
            not each.grain and self._is_key(each.column) for each in (*groups, *loose)
        )
        paid += 0.8 * sum(
            not self._is_key(each.column) and self._hardly_groups(each.column) for each in loose
        )
        is_cut = slots.having is not None or bool(slots.compared) or slots.number is not None
        paid += 0.8 * sum(
            not each.grain and self.index.column(each.column).distinct > _FEW_READ
            for each in (() if is_cut else (*groups, *loose))
        )
        if len(groups) + len(loose) > 1:
            paid += 0.6 * sum(
                not each.grain and self._has_many(each.column) for each in (*groups, *loose)
            )
        if not any(grain == "day" for grain, _ in slots.grains):
            kept = _coarser([*groups, *loose])
            groups = [each for each in groups if each in kept]
            loose = [each for each in loose if each in kept]
        time = [each for each in groups if each.grain]
        needs_time = slots.has("trend", "cumulative") and not time
        if needs_time and self.index.date_column is not None:
            grain = grain_for(self.index, self.period)
            groups.insert(0, Dimension(self.index.date_column, grain))
        elif needs_time:
            paid += WRONG
        return [*groups, *loose], paid

    def _grouped(
        self, dims: Sequence[Dimension], measure: Measure, n: int | None = None, order: Order = ""
    ) -> Query:
        split = dims[1] if len(dims) > 1 else None
        return GroupBy(
            self.scope,
            dims[0],
            measure,
            split,
            n=n,
            order=order,
            is_cumulative=self.slots.has("cumulative") and bool(dims[0].grain),
        )

    def _order(self) -> Order:
        slots = self.slots
        if slots.has("by_name"):
            return "name"
        if slots.has("ascending"):
            return "least"
        if slots.has("descending", "by_value", "sort"):
            return "most"
        return ""

    def _is_named_row(self, name: str) -> bool:
        """Return whether a column is called as the rows are, and these were named: 'lotNo'."""
        said = {stem(word.normalized) for noun in self.slots.nouns for word in tokenize(noun)}
        own = {stem(word.normalized) for word in tokenize(name)}
        return bool(said & own) and self.index.is_called_rows(name)

    def _list_order(self, measures: Sequence[str]) -> tuple[str, Literal["most", "least", ""]]:
        """Return the column by which listed rows are put in order, and in which; '' for none."""
        order = self._order()
        if self.slots.sorted_by:
            return self.slots.sorted_by, "most" if order == "most" else "least"
        if (order == "most" or order == "least") and len(measures) == 1:
            return measures[0], order  # 'lista com a quantidade, do maior para o menor'
        return "", ""

    def _called(self, dimension: Dimension) -> Dimension:
        """Return the column of names in the place of one of numbers of the same things."""
        index = self.index
        if dimension.grain or not self._is_code(dimension.column):
            return dimension
        said = words_by_role("name_kind")
        if any(normalize(each) in said for each in self.slots.cue_texts.values()):
            return dimension
        own = index.column(dimension.column)
        meant = {*domain_lexicon().concepts_of_name(own.name), *index.lemmas[own.name]}
        of_people = [name for name in columns_named(index, "name") if meant & {*_PEOPLE_CONCEPTS}]
        named = [
            each.name
            for each in index.profile.columns
            if each.type in ("text", "category")
            and not self._is_code(each.name)
            and meant
            & ({*index.lemmas[each.name], *domain_lexicon().concepts_of_name(each.name)} - _PLAIN)
        ]
        names = [each.name for each in index.profile.columns]
        beside = names[names.index(own.name) + 1 :][:1]
        told = [
            name
            for name in beside
            if not (self._is_code(name) or normalize(own.name).startswith("ref"))
            and self._describes(name)
        ]
        for name in (*of_people, *named, *told):
            if 0.9 * own.distinct <= index.column(name).distinct <= own.distinct:
                self.called_as[own.name] = name
                return Dimension(name)
        return dimension

    def _describes(self, name: str) -> bool:
        """Return whether a column only describes the one before it: 'Kurztext', 'Denominação'."""
        said = {*self.index.lemmas[name], *domain_lexicon().concepts_of_name(name)}
        return bool(said & {"description", "name", "text"})

    def _is_code(self, name: str) -> bool:
        """Return whether a column holds numbers or texts with numbers in them."""
        own = self.index.column(name)
        return self.index.is_number(name) or any(map(str.isdigit, str(own.top and own.top[0][0])))

    def _columns(self, outputs: Sequence[str], by: str) -> tuple[str, ...]:
        asked = [self._called(Dimension(each)).column for each in outputs]
        asked += (*self.asked, *self.people)
        asked = [each for each in dict.fromkeys(asked) if each != by]
        if not asked:
            return ()
        called = [
            each.name
            for each in self.index.profile.columns
            if (each.name in self.index.telling and self.index.is_identity(each.name))
            or (each.type in ("text", "category") and self._is_named_row(each.name))
        ]
        return tuple(dict.fromkeys([*called, *asked]))
