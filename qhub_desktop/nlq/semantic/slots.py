"""Mentions, what a span of a question may stand for, and slots, what a question says by role."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    MeasureKind,
    Relation,
    Value,
)

STATISTICS: dict[str, MeasureKind] = {
    "#mean": "mean",
    "#sum": "sum",
    "#median": "median",
    "#std": "std",
    "#range": "range",
    "#percentile": "percentile",
}
EXTREMES = {
    "#max": "max",
    "#min": "min",
}
SUPERLATIVES = frozenset(
    [
        *("#top", "#most", "#least", "#max", "#min", "#worst", "#best", "#first", "#last"),
        *(
            f"#{edge}_{what}"
            for edge in ("max", "min")
            for what in ("cost", "time", "date", "temperature", "weight")
        ),
        *("#min_age", "#max_age"),
    ]
)


Kind = Literal[
    "cue", "column", "value", "number", "unit", "noun", "date", "elapsed", "joining", "unknown"
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


@dataclass
class Slots:
    """What a question says, each part in its role."""

    cues: list[str] = field(default_factory=list)
    cue_texts: dict[str, str] = field(default_factory=dict)
    order: list[tuple[str, str]] = field(default_factory=list)  # (role, name), as they were said
    groups: list[Dimension] = field(default_factory=list)
    targets: list[Dimension] = field(default_factory=list)  # what is ranked or asked for
    bare: list[Dimension] = field(default_factory=list)  # named, and nothing said of it
    counted: list[str] = field(default_factory=list)  # columns whose values are counted
    measures: list[str] = field(default_factory=list)
    statistics: list[MeasureKind] = field(default_factory=list)
    filters: dict[tuple[str, Relation], list[Value]] = field(default_factory=dict)
    compared: list[Filter] = field(default_factory=list)
    first_filter: str = ""  # the column of the filter that is a share's part
    having: Filter | None = None
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
    grains: list[tuple[str, bool]] = field(default_factory=list)  # (grain, whether grouped by)
    outputs: list[str] = field(default_factory=list)  # asked of what is ranked
    contains: list[str] = field(default_factory=list)
    contains_in: str = ""
    years: list[int] = field(default_factory=list)
    dates: int = 0
    unknown: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    goes_on: bool = False  # 'e' stands before what asks again
    asks_amount: bool = False  # 'how much', 'quanto'
    asks_row: bool = False  # 'qual tem o maior erro'
    cost: float = 0.0

    def has(self, *cues: str) -> bool:
        """Return whether one of these cues was said."""
        return any(f"#{cue}" in self.cues for cue in cues)

    @property
    def counts_rows(self) -> bool:
        """Whether it is rows that are counted, by the words side by side: 'quantas entregas'."""
        return any(
            said == ("cue", "#count") and (role == "noun" or name == "#rows")
            for said, (role, name) in pairwise(self.order)
        )

    @property
    def counts_and_asks(self) -> bool:
        """Whether it is asked how many, and then which: 'quantos são e em que máquinas?'."""
        cues = [name for role, name in self.order if role == "cue"]
        return "#count" in cues and "#which" in cues[cues.index("#count") + 1 :] and self.goes_on

    def statistic_of(self, measure: str) -> MeasureKind | None:
        """Return the statistic that is asked of a measure, None if none is.

        'Média de A e B' asks for both means, 'A e B médio' for that of B alone.
        """
        if len({*self.statistics}) != 1 or len({*self.measures}) < 2:
            return self.statistics[0] if self.statistics else None
        found: MeasureKind | None = None
        for at, (role, name) in enumerate(self.order):
            if (role, name) == ("measure", measure):
                behind = self.order[at + 1 : at + 2]
                after = STATISTICS.get(behind[0][1]) if behind else None
                return after or found
            before = self.order[at - 1][0] if at else ""
            if role == "cue" and name in STATISTICS and before != "measure":
                found = STATISTICS[name]
        return self.statistics[0]

    @property
    def all_filters(self) -> tuple[Filter, ...]:
        """The conditions on rows, that of a share's part first."""
        made = [
            Filter(column, tuple(dict.fromkeys(values)), relation)
            for (column, relation), values in self.filters.items()
        ]
        made.extend(self.compared)
        return tuple(dict.fromkeys(made))
