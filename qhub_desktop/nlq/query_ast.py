"""The query plan: typed, to JSON and back; all that stands between language and tools."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, cast

from qhub_desktop.core import codec
from qhub_desktop.core.json_values import JsonObject

Part = Literal["hello", "morning", "afternoon", "night"]
Relation = Literal[
    "is", "is not", "above", "at least", "below", "at most", "between", "outside", "missing"
]
MeasureKind = Literal[
    "count", "mean", "sum", "min", "max", "median", "std", "distinct", "rate", "share", "per"
]
Order = Literal["", "most", "least", "name"]  # by value, or by name; as it comes where not said
Grain = Literal["", "hour", "day", "weekday", "week", "month", "year"]
Value = str | float | bool
# The tool's names of what a defect report must have, in the order in which they are asked for.
DEFECT_FIELDS = ("tipo_defeito", "turno", "operador", "material", "rack", "posicao")


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows whose `column` stands in a relation to some values, by the data's own names."""

    column: str
    values: tuple[Value, ...]
    relation: Relation = "is"
    grain: Literal["", "weekday", "hour"] = ""  # of a date column: Monday is 1


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included, by a date column."""

    column: str
    start: date | None
    end: date | None
    said: str = ""  # the words, where they were counted from the data's own last day
    but: tuple[date, date] | None = None  # days between that are left out


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Which rows: of one data set, by its name in SQL, those that fit."""

    dataset: str
    filters: tuple[Filter, ...] = ()
    period: Period | None = None

    def filter_on(self, column: str) -> Filter | None:
        """The condition on a column, if there is one."""
        return next((each for each in self.filters if each.column == column), None)

    def without(self, column: str) -> "RowSelection":
        """The same rows, whatever a column says."""
        kept = tuple(each for each in self.filters if each.column != column)
        return replace(self, filters=kept)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number made of many rows; `column` is empty when rows are counted."""

    kind: MeasureKind = "count"
    column: str = ""
    # Of a rate, the column whose sum it is divided by; of rows per day or week, which of them.
    over: str = ""
    part: tuple[Filter, ...] = ()  # of a share: the rows that are counted among all


@dataclass(frozen=True, slots=True)
class Dimension:
    """What rows are sorted into groups by: a column, or the time in it at some grain."""

    column: str
    grain: Grain = ""


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows, or which share of all of them."""

    scope: RowSelection
    is_share: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number over a column."""

    scope: RowSelection
    measure: Measure


@dataclass(frozen=True, slots=True)
class Distinct:
    """Which different values a column has."""

    scope: RowSelection
    column: str


@dataclass(frozen=True, slots=True)
class Top:
    """The groups with the most rows, or the fewest."""

    scope: RowSelection
    dimension: Dimension
    n: int
    order: Literal["most", "least"] = "most"
    is_share: bool = False
    within: Dimension | None = None  # ranked anew in each of these groups


@dataclass(frozen=True, slots=True)
class ByShift:
    """Rows by the shift they fell in."""

    scope: RowSelection
    dimension: Dimension
    is_share: bool = False


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
    having: Filter | None = None  # only groups with so many rows; its column says nothing


@dataclass(frozen=True, slots=True)
class RawValues:
    """Columns as they are, to be drawn: one for a distribution, two for a relation."""

    scope: RowSelection
    columns: tuple[str, ...]
    dimension: Dimension | None = None


@dataclass(frozen=True, slots=True)
class Outliers:
    """The values of a column that lie far outside: over 1.5 interquartile ranges off (Tukey)."""

    scope: RowSelection
    column: str


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two columns go together: Pearson's coefficient."""

    scope: RowSelection
    columns: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Summary:
    """A column of numbers in short: mean, spread, quartiles, extremes."""

    scope: RowSelection
    column: str


@dataclass(frozen=True, slots=True)
class Missing:
    """How many values each column lacks."""

    scope: RowSelection


@dataclass(frozen=True, slots=True)
class Duplicates:
    """How many rows are there a second time."""

    scope: RowSelection


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows themselves: the first, the latest, or all of them."""

    scope: RowSelection
    n: int | None = None
    order: Literal["first", "last", "most", "least"] = "first"
    by: str = ""  # the column that they are ranked by


@dataclass(frozen=True, slots=True)
class Describe:
    """What a data set holds."""

    dataset: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns a data set has."""

    dataset: str


Query = (
    Count
    | Aggregate
    | Distinct
    | Top
    | ByShift
    | GroupBy
    | RawValues
    | Outliers
    | Correlation
    | Summary
    | Missing
    | Duplicates
    | Rows
)


@dataclass(frozen=True, slots=True)
class AsChart:
    """Numbers as a picture. `is_new`: they were not told just before, so they are told with it."""

    of: Query
    kind: str | None = None  # of chart, by its name in `core.figure`
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class AsTable:
    """Numbers as a table."""

    of: Query


@dataclass(frozen=True, slots=True)
class AsWorkbook:
    """Numbers as an Excel file, drawn there too if there is anything to draw."""

    of: Query
    kind: str | None = None  # of chart, by its name in `core.figure`


@dataclass(frozen=True, slots=True)
class AsKpi:
    """One number, large."""

    of: Count | Aggregate


@dataclass(frozen=True, slots=True)
class AsDashboard:
    """Several numbers on a page that is kept and can be refreshed."""

    of: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Greeting:
    """The person said hello."""

    part: Part = "hello"


@dataclass(frozen=True, slots=True)
class Thanks:
    """The person is pleased."""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The person is leaving."""


@dataclass(frozen=True, slots=True)
class Help:
    """The person wants to know how to go on."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The person asks what can be asked."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The person asks who answers."""


@dataclass(frozen=True, slots=True)
class Why:
    """The person asks for a cause, which data alone cannot tell: of what, if that is said."""

    scope: RowSelection | None = None  # where it is not said, what was talked of before
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A defect to be reported, by the tool's names of its fields."""

    fields: tuple[tuple[str, str | int], ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The required fields that have no value yet."""
        given = dict(self.fields)
        return tuple(name for name in DEFECT_FIELDS if name not in given)


@dataclass(frozen=True, slots=True)
class Unknown:
    """What was not understood: the question, or some words that name nothing in the data."""

    what: Literal["question", "column", "value", "nothing before", "future"] = "question"
    words: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()  # names in the data that could have been meant


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with more than one reading: each by its name, and the plan that it makes."""

    word: str
    readings: tuple[tuple[str, "DataPlan"], ...]


DataPlan = Query | Describe | Columns | AsChart | AsTable | AsKpi | AsWorkbook | AsDashboard
DialogueAct = Greeting | Thanks | Goodbye | Help | Abilities | Identity | Why | Unknown | Ask
Plan = DataPlan | DialogueAct | Register


codec.name(
    {
        Count: "count",
        Aggregate: "measure",
        Distinct: "distinct",
        Top: "top",
        ByShift: "by_shift",
        GroupBy: "group",
        RawValues: "values",
        Outliers: "outliers",
        Correlation: "correlation",
        Summary: "summary",
        Missing: "missing",
        Duplicates: "duplicates",
        Rows: "rows",
        Describe: "describe",
        Columns: "columns",
        AsChart: "chart",
        AsTable: "table",
        AsKpi: "kpi",
        AsWorkbook: "workbook",
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
    """A plan as JSON, in which `type` says what kind it is."""
    made = codec.pack(plan)
    assert isinstance(made, dict)
    return made


def plan_from_json(plan: JsonObject) -> DataPlan:
    """The plan that was packed. Raises ValueError for anything else."""
    return cast("DataPlan", codec.unpack(cast("Any", DataPlan), plan))


def query_of(topic: DataPlan) -> Query:
    """The numbers of a plan, however they are shown."""
    match topic:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of):
            return of
        case AsDashboard(of=plans):
            return plans[0]
        case Describe(dataset) | Columns(dataset):
            return Count(RowSelection(dataset))
        case _:
            return topic


def dataset_of(plan: DataPlan) -> str:
    """The data set that a plan is about."""
    return query_of(plan).scope.dataset


def last_compared_column(topic: DataPlan) -> str | None:
    """The column of numbers that was last compared: 'acima de 28? e abaixo de 22?'."""
    compared = [
        each.column
        for each in query_of(topic).scope.filters
        if each.relation not in ("is", "is not", "missing") and not each.grain
    ]
    return compared[-1] if compared else None
