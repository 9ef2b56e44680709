"""Mentions, what a span of a question may stand for, and slots, what a question says by role."""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import Literal

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    Grain,
    Measure,
    Relation,
    Value,
)
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES, StatisticKind

NUMBERED = 0.6  # 'pedidos', of which a row is a line
_ADDED: Mapping[str, StatisticKind] = {**STATISTIC_CUES, "#total": "sum"}
ODD, WRONG = 0.9, 2.5  # what a reading costs that is doubtful, or hardly meant
_NO_AMOUNT = 0.5  # of a column that says whether it was invoiced
_PATHS = 14  # kept at each word
EACH = 0.08  # for each part, so that fewer and longer ones are preferred
TWICE = 0.5  # what a column costs more that is named in two parts

Kind = Literal[
    "cue",
    "column",
    "value",
    "number",
    "unit",
    "noun",
    "date",
    "elapsed",
    "against",
    "joining",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Mention:
    """What a span of a question may stand for."""

    kind: Kind
    start: int
    end: int
    cost: float
    text: str
    lemma: str = ""  # of a cue, or the concept of a unit
    column: str = ""  # of a time that elapsed: that of its end, and `since` that of its beginning
    since: str = ""
    values: tuple[Value, ...] = ()
    number: float = 0.0
    is_whole: bool = True  # a column's name is said whole

    @property
    def is_content(self) -> bool:
        """Whether it is more than a word that joins."""
        return self.kind != "joining"


@dataclass(frozen=True, slots=True)
class Path:
    """Mentions that cover a question, and what they cost together."""

    mentions: tuple[Mention, ...]
    cost: float


def numbered_first(columns: list[Mention], numbered: Collection[str], most: float) -> list[Mention]:
    """Make others cost more than the number of a thing: 'pedidos', by when they were made.

    `most` is what the link to that number may cost.
    """
    if not any(each.column in numbered and each.cost <= most for each in columns):
        return columns
    return [
        each if each.column in numbered else replace(each, cost=each.cost + NUMBERED)
        for each in columns
    ]


def cues_that_name(
    columns: Iterable[Mention], lowest: tuple[float, float], *, is_value: bool
) -> frozenset[str]:
    """Return the cues that rather name what the data holds.

    'Peso', of a column of weights, 'o faturado', of what was invoiced, 'em dinheiro', a way of
    paying. `lowest` are what a link to a column has to cost for a share and for money.
    """
    cost = min((each.cost for each in columns if each.text != "%"), default=1.0)
    named = {"#percent", "#part_of"} if cost <= lowest[0] else set()
    return frozenset(named | ({"#money"} if is_value or cost < lowest[1] else set()))


def flags_last(columns: list[Mention], amounts: Collection[str], least: float) -> list[Mention]:
    """Make flags cost more where money is said, and amounts of it are there: 'revenue'.

    `least` is what the link to a column that is only meant costs.
    """
    return [
        each
        if each.cost < least or each.column in amounts
        else replace(each, cost=each.cost + _NO_AMOUNT)
        for each in columns
    ]


def cheapest_paths(arcs: Sequence[Sequence[Mention]], most: int = _PATHS) -> list[Path]:
    """Return the cheapest sequences of mentions from each word on that cover all words."""
    count = len(arcs)
    ways: list[list[tuple[float, tuple[Mention, ...]]]] = [[] for _ in range(count + 1)]
    ways[0] = [(0.0, ())]
    for at in range(count):
        kept = heapq.nsmallest(most, ways[at], key=lambda way: way[0])
        for arc in arcs[at]:
            paid = arc.cost + (EACH if arc.is_content else 0.0)
            ways[arc.end].extend(
                (cost + paid + TWICE * _is_twice(said, arc), (*said, arc)) for cost, said in kept
            )
    best = heapq.nsmallest(most, ways[count], key=lambda way: way[0])
    return [Path(said, cost) for cost, said in best]


def _is_twice(said: Sequence[Mention], arc: Mention) -> bool:
    """Return whether a column is named in two parts that are side by side: 'Pot Sev'."""
    if arc.kind != "column" or not said or said[-1].end != arc.start:
        return False
    return said[-1].kind == "column" and said[-1].column == arc.column


@dataclass
class Slots:
    """What a question says, each part in its role."""

    cues: list[str] = field(default_factory=list)
    cue_texts: dict[str, str] = field(default_factory=dict)
    order: list[tuple[str, str]] = field(default_factory=list)  # (role, name), as they were said
    groups: list[Dimension] = field(default_factory=list)
    targets: list[Dimension] = field(default_factory=list)  # what is ranked or asked for
    bare: list[Dimension] = field(default_factory=list)  # named, and nothing said of it
    sorted_by: str = ""  # the column of moments by which a list is put in order
    counted: list[str] = field(default_factory=list)  # columns whose values are counted
    measures: list[str] = field(default_factory=list)
    ratio: Measure | None = None  # what is computed of two columns: one amount by another
    shared_whole: str = ""  # what a share is of, where a clause says its part: 'of A was B'
    placed: list[str] = field(default_factory=list)  # the words for it
    instead: tuple[Measure, ...] = ()  # other numbers that the same words may mean
    statistics: list[StatisticKind] = field(default_factory=list)
    filters: dict[tuple[str, Relation], list[Value]] = field(default_factory=dict)
    compared: list[Filter] = field(default_factory=list)
    first_filter: str = ""  # the column of the filter that is a share's part
    having: Filter | None = None
    different: str = ""  # the column of which a group has so many values: 'com mais de 3 produtos'
    number: int | None = None
    numbers_left: list[str] = field(default_factory=list)
    moments: list[str] = field(default_factory=list)
    elapsed: tuple[str, str] | None = None  # the columns between which a time is asked for
    nouns: list[str] = field(default_factory=list)
    plural_of: dict[str, bool] = field(default_factory=dict)  # columns said in the plural
    has_rows: bool = False
    is_plural: bool = False
    quantile: float | None = None
    implied: str = ""
    units: list[str] = field(default_factory=list)
    grains: list[tuple[Grain, bool]] = field(default_factory=list)  # (grain, whether grouped by)
    outputs: list[str] = field(default_factory=list)  # asked of what is ranked
    contains: list[str] = field(default_factory=list)
    contains_in: str = ""
    years: list[int] = field(default_factory=list)
    dates: int = 0
    unknown: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    is_row_joined: bool = False  # what a row is called stands first, and 'and' is behind it
    goes_on: bool = False  # 'e' stands before what asks again
    asks_amount: bool = False  # 'how much', 'quanto'
    is_now: bool = False  # 'estão', 'still': of a state that goes on
    is_past: bool = False  # 'chegaram', 'delivered': of what has come about
    are_days_of_two: bool = False  # 'pedidas em maio e concluídas em junho'
    is_never: bool = False  # 'nunca', of a value that no row of a thing has
    is_next: bool = False  # 'a próxima manutenção', of days that are to come
    asks_thing: bool = False  # 'qual foi a margem'
    asks_row: bool = False  # 'qual tem o maior erro'
    rules: list[str] = field(default_factory=list)  # that gave the parts their roles, by name
    cost: float = 0.0

    def has(self, *cues: str) -> bool:
        """Return whether one of these cues was said."""
        return any(f"#{cue}" in self.cues for cue in cues)

    @property
    def counts_rows(self) -> bool:
        """Whether it is rows that are counted, by the words side by side: 'quantas entregas'."""
        return self.counts_beside or any(
            said == ("cue", "#count") and (role == "noun" or name == "#rows")
            for said, (role, name) in pairwise(self.order)
        )

    @property
    def is_mean_deviation(self) -> bool:
        """Whether a mean of how far off something is was asked for: 'desvio médio'."""
        said = self.cue_texts.get("#std", "").split()
        return {*self.statistics} == {"std", "mean"} and len(said) == 1

    @property
    def averages_column(self) -> bool:
        """Whether a statistic is of a column, and not of rows: 'média de visitas por cliente'."""
        is_of_rows = self.statistics == ["mean"] and self.nouns and self.groups
        return bool(self.statistics) and not (is_of_rows and self.is_plural and not self.implied)

    @property
    def counts_and_asks(self) -> bool:
        """Whether it is asked how many, and then which: 'quantos são e em que máquinas?'."""
        cues = [name for role, name in self.order if role == "cue"]
        return "#count" in cues and "#which" in cues[cues.index("#count") + 1 :] and self.goes_on

    @property
    def said_statistics(self) -> list[StatisticKind]:
        """The statistics that are asked for; 'total' is one beside another: 'total e média'."""
        if not self.statistics or not self.has("total"):
            return self.statistics
        said = (_ADDED.get(name) for role, name in self.order if role == "cue")
        return [kind for kind in said if kind is not None]

    @property
    def counts_beside(self) -> bool:
        """Whether rows are named beside an amount that is told, too: 'encomendas e vendas'."""
        kinds = [role for role, _ in self.order[:2]]
        is_many = bool(self.nouns) and self.nouns[0].lower().endswith("s")
        return is_many and self.is_row_joined and kinds == ["noun", "measure"]

    def statistic_of(self, measure: str) -> StatisticKind | None:
        """Return the statistic that is asked of a measure, None if none is.

        'Média de A e B' asks for both means, 'A e B médio' for that of B alone, and each measure
        has the one beside it in 'total de A e média de B' as in 'A total e B médio'.
        """
        kinds = self.said_statistics
        if len({*self.measures}) < 2 or not kinds:
            return kinds[0] if kinds else None
        said: list[tuple[str, StatisticKind | None]] = []
        for role, name in self.order:
            kind = _ADDED.get(name) if role == "cue" else None
            if role == "measure" or kind is not None:
                said.append((name, kind))
        found: StatisticKind | None = None
        leads = bool(said) and said[0][1] is not None
        for at, (name, kind) in enumerate(said):
            if kind is not None:
                found = kind if leads else None
            elif name == measure:
                behind = said[at + 1][1] if at + 1 < len(said) else None
                is_free = not leads or at + 2 == len(said)
                return behind if behind is not None and is_free else found
        return None

    @property
    def all_filters(self) -> tuple[Filter, ...]:
        """The conditions on rows, that of a share's part first.

        Values that are named need not be told from others: 'open (new, on hold)'.
        """
        made = [
            Filter(column, tuple(dict.fromkeys(values)), relation)
            for (column, relation), values in self.filters.items()
            if relation != "is not" or {*self.filters.get((column, "is"), values)} & {*values}
        ]
        made.extend(self.compared)
        return tuple(dict.fromkeys(made))

    @property
    def contradicts(self) -> bool:
        """Whether no row can meet the conditions: a value that a column has and has not."""
        chosen = {
            (each.column, value)
            for each in self.all_filters
            if each.relation == "is"
            for value in each.values
        }
        return any(
            each.relation == "is not"
            and not chosen.isdisjoint((each.column, value) for value in each.values)
            for each in self.all_filters
        )
