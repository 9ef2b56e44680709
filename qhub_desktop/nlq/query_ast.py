"""Query plans: the typed tree between language and tools, and its JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import date
from typing import Any, Literal, TypeGuard, TypeVar, cast, get_args

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.text import fold
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.statistic_kinds import StatisticKind

_Part = TypeVar("_Part")
Part = Literal["hello", "morning", "afternoon", "night"]
Relation = Literal[
    "is",
    "is not",
    "above",
    "at least",
    "below",
    "at most",
    "between",
    "outside",
    "missing",
    "present",
    "contains",
    "lacks",
]
# Comparisons with one limit, as they are written.
SIGNS: Mapping[Relation, str] = {"above": ">", "at least": ">=", "below": "<", "at most": "<="}
COMPARING = (*SIGNS, "between", "outside")
# What is left of rows when those in a relation are taken away. Missing values are in no comparison.
OPPOSITES: Mapping[Relation, Relation] = {
    "is": "is not",
    "is not": "is",
    "above": "at most",
    "at most": "above",
    "below": "at least",
    "at least": "below",
    "between": "outside",
    "outside": "between",
    "missing": "present",
    "present": "missing",
    "contains": "lacks",
    "lacks": "contains",
}
MeasureKind = Literal[
    StatisticKind, "count", "distinct", "rate", "ratio", "share", "per", "product"
]
Order = Literal["", "most", "least", "name"]  # by value or by name; empty for the natural order
Grain = Literal["", "hour", "day", "weekday", "week", "month", "quarter", "year"]
# All but the empty one; and those that come once, as an hour of a day or a day of a week does not.
GRAINS: tuple[Grain, ...] = get_args(Grain)[1:]
CALENDAR_GRAINS = tuple(each for each in GRAINS if each not in ("hour", "weekday"))
# A time between two moments; what one column of numbers has more than another, both together, or
# one times the other: an amount by its price.
TimeUnit = Literal["", "minutes", "hours", "days", "difference", "sum", "product"]
OF_NUMBERS: tuple[TimeUnit, ...] = ("difference", "sum", "product")
UNIT_SECONDS: Mapping[TimeUnit, int] = {"minutes": 60, "hours": 3600, "days": 86_400}
Value = str | float | bool
# The tool's names of a defect report's required fields, in the order in which they are asked.
DEFECT_FIELDS = ("tipo_defeito", "turno", "operador", "material", "rack", "posicao")


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a column: rows that stand in `relation` to some values of the data."""

    column: str
    values: tuple[Value, ...]
    relation: Relation = "is"
    # Of a date column: Monday is 1, minutes count from midnight. Times from 22 to 5 pass midnight.
    grain: Literal["", "weekday", "hour", "minute"] = ""
    other: str = ""  # a column of the same row to compare with, instead of values
    # With a unit, what is compared is the time from a column of moments to that of the filter.
    since: str = ""
    unit: TimeUnit = ""
    # What is compared with instead of values: that of all rows, or of all groups.
    statistic: Literal["", "mean", "median"] = ""


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included, by a date column."""

    column: str
    start: date | None
    end: date | None
    said: str = ""  # the words, if they count from the data's last day
    but: tuple[date, date] | None = None  # days between that are excluded


@dataclass(frozen=True, slots=True)
class RowSelection:
    """A selection of rows: a data set by its name in SQL, its filters and its period."""

    dataset: str
    filters: tuple[Filter, ...] = ()
    period: Period | None = None

    def filter_on(self, column: str) -> Filter | None:
        """Return the condition on a column, if there is one."""
        return next((each for each in self.filters if each.column == column), None)

    def without(self, column: str) -> "RowSelection":
        """Return the same rows, whatever a column says."""
        kept = tuple(each for each in self.filters if each.column != column)
        return replace(self, filters=kept)


PER_CENT, PER_THOUSAND = 100, 1000


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregate of rows; `column` is empty when rows are counted."""

    kind: MeasureKind = "count"
    column: str = ""
    # Of a rate or a ratio: the column of the divisor. Of rows per time: the grain, which is empty
    # where they are per value of the column.
    over: str = ""
    part: tuple[Filter, ...] = ()  # of a share: the rows of the numerator
    quantile: float = 0.5  # of a percentile, from 0 to 1
    # Of what is per time: the column that is added up; rows, if it is empty. Of a rate: what the
    # divisor is only a part of the whole without.
    amount: str = ""
    # With a unit, the numbers are the time from a column of moments to that of the measure.
    since: str = ""
    unit: TimeUnit = ""
    per: int = PER_CENT  # of a rate
    factors: tuple["Measure", ...] = ()  # of a product, each a rate or the mean of a column of them


ROW_COUNT = Measure()


@dataclass(frozen=True, slots=True)
class Dimension:
    """A column to group by, or the time in it at some grain."""

    column: str
    grain: Grain = ""


@dataclass(frozen=True, slots=True)
class Number:
    """One number: how many rows there are, or a measure of them."""

    scope: RowSelection
    measure: Measure = Measure()
    is_share: bool = False  # of a count: in percent of all rows
    noun: str = ""  # what the person calls the rows


def is_count(query: object) -> TypeGuard[Number]:
    """Return whether a query is a number of rows, or their share of all rows."""
    return isinstance(query, Number) and query.measure.kind == "count"


@dataclass(frozen=True, slots=True)
class GroupBy:
    """A measure for every group, and for every group within a group if there is a `split`."""

    scope: RowSelection
    dimension: Dimension
    measure: Measure = Measure()
    split: Dimension | None = None
    n: int | None = None
    order: Order = ""
    is_share: bool = False
    is_cumulative: bool = False
    having: Filter | None = None  # condition on the measure of a group; its column is empty
    within: Dimension | None = None  # the first `n` within each of these groups

    @property
    def keys(self) -> tuple[Dimension, ...]:
        """The columns whose values tell a group, the outer one first."""
        dimensions = (self.within, self.dimension, self.split)
        return tuple(each for each in dimensions if each is not None)


def select(
    scope: RowSelection,
    dimensions: Sequence[Dimension],
    measure: Measure = ROW_COUNT,
    *,
    is_share: bool = False,
) -> Number | GroupBy:
    """Return a measure of each group, by one dimension or two; one number where there is none."""
    if not dimensions:
        return Number(scope, measure, is_share)
    split = dimensions[1] if len(dimensions) > 1 else None
    return GroupBy(scope, dimensions[0], measure, split, is_share=is_share)


def top(
    scope: RowSelection,
    dimension: Dimension,
    n: int,
    order: Literal["most", "least"] = "most",
    *,
    is_share: bool = False,
    within: Dimension | None = None,
) -> GroupBy:
    """Return a ranking: the groups with the most rows, or the fewest."""
    return GroupBy(scope, dimension, n=n, order=order, is_share=is_share, within=within)


def is_top(query: object) -> TypeGuard[GroupBy]:
    """Return whether a query is a ranking of groups by their number of rows.

    Its sentence, its title and the defect tool are other ones than those of any other groups.
    """
    return (
        isinstance(query, GroupBy)
        and query.n is not None
        and query.order in ("most", "least")
        and query.measure == ROW_COUNT
        and query.split is None
        and query.having is None
        and not query.is_cumulative
    )


def is_unranked(query: object) -> TypeGuard[GroupBy]:
    """Return whether a query is of groups, but no ranking of them by their number of rows."""
    return isinstance(query, GroupBy) and not is_top(query)


def is_same_shape(one: object, other: object) -> bool:
    """Return whether two queries are of one kind, so that one's chart fits the other."""
    return type(one) is type(other) and is_top(one) == is_top(other)


@dataclass(frozen=True, slots=True)
class Spread:
    """Which values a column has and how they are spread, or how those of two go together.

    Distinct values are told with how often each is there. Others are drawn as they are, or told in
    short: mean, spread, quartiles, extremes. Outliers are over 1.5 interquartile ranges off
    (Tukey); the correlation is Pearson's.
    """

    scope: RowSelection
    columns: tuple[str, ...]  # one, or two for a relation
    dimension: Dimension | None = None  # of drawn values: a picture for each group
    shows: Literal["values", "distinct", "summary", "outliers", "correlation"] = "values"


def distinct(scope: RowSelection, column: str) -> Spread:
    """Return the distinct values of a column."""
    return Spread(scope, (column,), shows="distinct")


def is_distinct(query: object) -> TypeGuard[Spread]:
    """Return whether a query is of the distinct values of a column."""
    return isinstance(query, Spread) and query.shows == "distinct"


@dataclass(frozen=True, slots=True)
class Profile:
    """What is wrong with rows: their missing values by column, or how many of them are repeated."""

    scope: RowSelection
    shows: Literal["missing", "duplicates"]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows themselves: the first, the latest, or all of them."""

    scope: RowSelection
    n: int | None = None
    order: Literal["first", "last", "most", "least"] = "first"
    by: str = ""  # column of the ranking; with a unit, the time to it from that of `since`
    columns: tuple[str, ...] = ()  # that are asked for; none for all
    noun: str = ""  # what the person calls the rows
    since: str = ""
    unit: TimeUnit = ""
    within: str = ""  # column of which each value has its own ranking: the latest of each


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two numbers side by side, with their difference and by how much per cent they differ."""

    first: Number
    second: Number

    @property
    def scope(self) -> RowSelection:
        """The rows of the first."""
        return self.first.scope


@dataclass(frozen=True, slots=True)
class Several:
    """Several queries of one question, each answered in a sentence of its own."""

    of: tuple["Query", ...]

    @property
    def scope(self) -> RowSelection:
        """The rows of the first."""
        return self.of[0].scope


@dataclass(frozen=True, slots=True)
class Describe:
    """Description of a data set."""

    dataset: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a data set."""

    dataset: str


Query = Number | GroupBy | Spread | Profile | Rows | Comparison | Several


@dataclass(frozen=True, slots=True)
class AsChart:
    """A query as a chart. If `is_new`, its numbers were not written before and are now."""

    of: Query
    kind: str | None = None  # of chart, by its name in `core.figure`
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class AsTable:
    """A query as a table."""

    of: Query


@dataclass(frozen=True, slots=True)
class AsWorkbook:
    """A query as an Excel file, with a chart if there is anything to draw."""

    of: Query
    kind: str | None = None  # of chart, by its name in `core.figure`


@dataclass(frozen=True, slots=True)
class AsKpi:
    """One number, large."""

    of: Number


@dataclass(frozen=True, slots=True)
class AsStudy:
    """A statistical study of the rows that `of` counts; `given` are arguments of the tool."""

    of: Number
    tool: str
    given: tuple[tuple[str, str | int | float], ...] = ()
    unused: tuple[str, ...] = ()  # words of the question that say nothing of it, which are told


@dataclass(frozen=True, slots=True)
class AsDashboard:
    """Several queries on a page that is kept and can be refreshed."""

    of: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Greeting:
    """A greeting."""

    part: Part = "hello"


@dataclass(frozen=True, slots=True)
class Thanks:
    """Thanks."""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """A goodbye."""


@dataclass(frozen=True, slots=True)
class Help:
    """A request for help."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """A question about what can be asked."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A question about who answers."""


@dataclass(frozen=True, slots=True)
class Why:
    """A question for a cause, which data alone cannot tell, of some rows and a measure."""

    scope: RowSelection | None = None  # None for the rows of the topic
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A defect report: its fields by the tool's names."""

    fields: tuple[tuple[str, str | int], ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The required fields that have no value yet."""
        given = dict(self.fields)
        return tuple(name for name in DEFECT_FIELDS if name not in given)


@dataclass(frozen=True, slots=True)
class Unknown:
    """What was not understood: the question, or words that name nothing in the data."""

    what: Literal[
        "question", "column", "value", "nothing before", "future", "unheeded", "too long", "factor"
    ] = "question"
    words: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()  # similar names in the data


@dataclass(frozen=True, slots=True)
class Ask:
    """A clarification question: the word, and each reading with the plan that it makes.

    Without a word it is the whole question that is in doubt; `unclear` are the words of it that
    none of the readings explains.
    """

    word: str
    readings: tuple[tuple[str, "DataPlan"], ...]
    unclear: tuple[str, ...] = ()


DataPlan = (
    Query | Describe | Columns | AsChart | AsTable | AsKpi | AsWorkbook | AsStudy | AsDashboard
)
DialogueAct = Greeting | Thanks | Goodbye | Help | Abilities | Identity | Why | Unknown | Ask
Plan = DataPlan | DialogueAct | Register


codec.register_tags(
    {
        Number: "number",
        GroupBy: "group",
        Spread: "spread",
        Profile: "profile",
        Rows: "rows",
        Comparison: "comparison",
        Several: "several",
        Describe: "describe",
        Columns: "columns",
        AsChart: "chart",
        AsTable: "table",
        AsKpi: "kpi",
        AsWorkbook: "workbook",
        AsStudy: "study",
        AsDashboard: "dashboard",
        Greeting: "greeting",
        Thanks: "thanks",
        Goodbye: "goodbye",
        Help: "help",
        Abilities: "abilities",
        Identity: "identity",
        Why: "why",
        Unknown: "unknown",
        Ask: "ask",
        Register: "register",
    }
)


def plan_to_json(plan: Plan) -> JsonObject:
    """Pack a plan as JSON, in which `type` says what kind it is."""
    made = codec.pack(plan)
    assert isinstance(made, dict)
    return made


def plan_from_json(plan: JsonObject) -> DataPlan:
    """Unpack a data plan, of an earlier version too. Raises ValueError for anything else."""
    return cast("DataPlan", codec.unpack(cast("Any", DataPlan), upgraded(plan)))


def any_plan_from_json(plan: JsonObject) -> Plan:
    """Unpack any plan, of an earlier version too. Raises ValueError."""
    return cast("Plan", codec.unpack(cast("Any", Plan), upgraded(plan)))


# What kinds of query that earlier versions stored are now. Conversations keep them for good.
_EARLIER_KINDS: Mapping[str, JsonObject] = {
    "count": {"type": "number"},
    "measure": {"type": "number"},
    "top": {"type": "group"},
    "by_shift": {"type": "group"},
    "values": {"type": "spread", "shows": "values"},
    "distinct": {"type": "spread", "shows": "distinct"},
    "summary": {"type": "spread", "shows": "summary"},
    "outliers": {"type": "spread", "shows": "outliers"},
    "correlation": {"type": "spread", "shows": "correlation"},
    "missing": {"type": "profile", "shows": "missing"},
    "duplicates": {"type": "profile", "shows": "duplicates"},
}


def upgraded(plan: Json) -> Json:
    """Return a stored plan in the form of today; one of today as it is."""
    match plan:
        case dict():
            now = _EARLIER_KINDS.get(str(plan.get("type")), {})
            made = {name: upgraded(each) for name, each in plan.items()} | now
            if now.get("type") == "spread" and "column" in made:
                made["columns"] = [made.pop("column")]
            return made
        case list():
            return [upgraded(each) for each in plan]
        case _:
            return plan


def columns_of(plan: Plan) -> frozenset[str]:
    """Return the columns that a plan names."""
    named: set[str] = set()

    def note(part: object) -> object:
        match part:
            case Filter(column=column, other=other, since=since):
                named.update((column, other, since))
            case Measure(kind=kind, column=column, over=over, amount=amount, since=since):
                named.update((column, "" if kind == "per" else over, amount, since))
            case Dimension(column=column) | Period(column=column):
                named.add(column)
            case Spread(columns=columns):
                named.update(columns)
            case Rows(by=by, columns=columns, since=since, within=within):
                named.update((by, *columns, since, within))
            case _:
                pass
        return part

    rebuilt(plan, note)
    return frozenset(named - {""})


def ways_of_writing(plan: Plan, meanings: Mapping[str, Mapping[str, str]]) -> list[tuple[str, ...]]:
    """Return the names in a plan that data write in several ways: the usual one, then the others.

    `meanings` are, by column, what values are called; of a filter only its own values count.
    """
    named: dict[str, set[str] | None] = {}  # by column; None for all of them

    def note(part: object) -> object:
        match part:
            case Filter(column=column, values=values, other=""):
                if (known := named.setdefault(column, set())) is not None:
                    known.update(map(str, values))
            case Measure(kind="distinct", column=column) | Dimension(column=column, grain=""):
                named[column] = None
            case Spread(columns=columns):
                named.update(dict.fromkeys(columns))
            case _:
                pass
        return part

    rebuilt(plan, note)
    ways: dict[tuple[str, str], list[str]] = {}
    for column, names in named.items():
        for way, usual in meanings.get(column, {}).items():
            if way != usual and fold(way) == fold(usual) and (names is None or usual in names):
                ways.setdefault((column, usual), [usual]).append(way)
    return [tuple(each) for each in ways.values()]


def rebuilt(plan: _Part, made: Callable[[Any], Any]) -> _Part:
    """Return a plan of which each part, from the inside out, is as `made` makes it."""
    part: Any = plan
    if isinstance(part, tuple):
        return cast("_Part", tuple(rebuilt(each, made) for each in part))
    if is_dataclass(part) and not isinstance(part, type):
        inner = {each.name: getattr(part, each.name) for each in fields(part)}
        changed = {name: rebuilt(each, made) for name, each in inner.items()}
        part = replace(part, **changed) if changed != inner else part
    return cast("_Part", made(part))


def query_of(topic: DataPlan) -> Query:
    """Return the query of a plan, however it is presented."""
    match topic:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of) | AsStudy(of=of):
            return of
        case AsDashboard(of=plans):
            return plans[0]
        case Describe(dataset) | Columns(dataset):
            return Number(RowSelection(dataset))
        case _:
            return topic


def parts_of(query: Query) -> tuple[Query, ...] | None:
    """Return the queries of which one is made, None if it is a single one."""
    match query:
        case Comparison(first, second):
            return first, second
        case Several(of=of):
            return tuple(part for each in of for part in (parts_of(each) or (each,)))
        case _:
            return None


def scalars_of(of: Sequence[Query]) -> list[Number]:
    """Return the numbers that several queries give, none if one gives something else."""
    parts = [part for each in of for part in (parts_of(each) or (each,))]
    numbers = [each for each in parts if isinstance(each, Number)]
    return numbers if len(numbers) == len(parts) else []


def alike_groups(of: Sequence[Query]) -> list[GroupBy]:
    """Return queries that all have the same groups, none if they do not."""
    found = [
        each
        for each in of
        if isinstance(each, GroupBy) and len(each.keys) == 1 and not each.is_cumulative
    ]
    return found if len(found) == len(of) and len({each.dimension for each in found}) == 1 else []


def with_rows(query: Query, scope: RowSelection) -> Query:
    """Return the same query over other rows; compared numbers keep what tells them apart."""
    match query:
        case Comparison(first, second):
            parts = tuple(
                replace(each, scope=_but_for(each.scope, first.scope, second.scope, scope))
                for each in (first, second)
            )
            return Comparison(*parts)
        case Several(of=of):
            return Several(tuple(with_rows(each, scope) for each in of))
        case _:
            return replace(query, scope=scope)


def _but_for(
    own: RowSelection, first: RowSelection, second: RowSelection, scope: RowSelection
) -> RowSelection:
    """Return `scope` with that in which `first` and `second` differ, as it is in `own`."""
    if first.period != second.period:
        scope = replace(scope, period=own.period)
    for each in own.filters:
        if each not in first.filters or each not in second.filters:
            scope = scope.without(each.column)
            scope = replace(scope, filters=(*scope.filters, each))
    return scope


def dataset_of(plan: DataPlan) -> str:
    """Return the data set that a plan is about."""
    return query_of(plan).scope.dataset


def last_compared_column(topic: DataPlan) -> str | None:
    """Return the column of numbers that was last compared: 'acima de 28? e abaixo de 22?'."""
    compared = [
        each.column
        for each in query_of(topic).scope.filters
        if each.relation in COMPARING and not each.grain
    ]
    return compared[-1] if compared else None
