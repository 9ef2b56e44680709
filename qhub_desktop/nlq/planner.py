"""Query plans from the slots of a question, how they are presented, and dashboards of several."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.chart_kinds import takes
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    ByShift,
    Columns,
    Correlation,
    Count,
    DataPlan,
    Describe,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    GroupBy,
    Measure,
    Missing,
    Outliers,
    Query,
    RawValues,
    Rows,
    RowSelection,
    Summary,
    Top,
    Unknown,
)
from qhub_desktop.nlq.ranking import (
    by_amount,
    grain_for,
    grouped,
    how_many,
    main_dimension,
    order_of,
    ordered,
    over_time,
    ranked_rows,
    several_in,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex

_ROWS = 20
_RANKING = ("top", "most", "least", "max", "min", "worst", "best")
MOST_CARDS = 6
BARS = 10  # a ranking of one is no picture


def new_plan(asked: QuestionFrame) -> DataPlan | Unknown:
    """What a question asks for by itself."""
    index = asked.index
    dataset = index.profile.dataset
    if asked.ignored and not (asked.coverage or asked.has_subject or asked.has("data")):
        return Unknown()
    if asked.has("missing") or asked.has("duplicates"):
        wanted = numbers(asked)
        assert wanted is not None
        return wanted
    if asked.has("columns") and not asked.names_something:
        return Describe(dataset) if asked.has("rows") else Columns(dataset)
    if asked.has("dashboard"):
        return AsDashboard(on_a_page(asked))
    is_of_all = not (asked.dimensions or asked.filters or asked.columns or asked.period)
    if asked.has("describe") and is_of_all:
        return Describe(dataset)
    wanted = numbers(asked)
    return Unknown() if wanted is None else presented(wanted, asked)


def stands_alone(asked: QuestionFrame) -> bool:
    """Whether a question is clear without what was said before it."""
    if asked.has("describe", "columns", "trend", "compare", "missing", "duplicates"):
        return True
    if asked.has("outliers", "correlation") or asked.has_subject:
        return True
    if asked.names_dataset or (asked.has("data") and asked.has("show", "count", "list")):
        return True
    if asked.filters and asked.dimensions:
        return True
    if asked.measure_kinds and any(asked.index.is_number(each.column) for each in asked.columns):
        return True
    if asked.columns and asked.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    return any(asked.index.is_number(each.column) for each in asked.columns) and bool(
        asked.dimensions
    )


def numbers(asked: QuestionFrame) -> Query | None:
    """What is to be computed, as far as the question says so itself."""
    if asked.has("missing"):
        return _missing(asked)
    if asked.has("duplicates"):
        return _duplicates(asked)
    if (moment := _first_or_last(asked)) is not None:
        return moment
    numeric = _numeric(asked)
    dimensions = [
        *asked.dimensions,
        *(each for each in asked.columns if each.column not in numeric),
    ]
    of_columns = (
        _between_columns(asked, numeric, dimensions)
        or _of_days(asked, numeric, dimensions)
        or _summary(asked, numeric, dimensions)
        or _drawn_as_they_are(asked, numeric, dimensions)
    )
    if of_columns is not None:
        return of_columns
    numeric, dimensions = by_amount(asked, numeric, dimensions)
    if (ranked := ranked_rows(asked, numeric, dimensions)) is not None:
        return ranked
    measure, scope = measure_of(asked, numeric, dimensions)
    if measure is not None:
        return measured(asked, measure, scope, dimensions)
    if asked.has("rate"):
        return None  # of nothing that is there
    return _counted(asked, numeric, dimensions)


def _numeric(asked: QuestionFrame) -> list[str]:
    """The columns that are named to compute with their numbers."""
    numeric = [each.column for each in asked.columns if asked.index.is_measure(each.column)]
    made = asked.index.parts.get("produced", ())
    is_of_pieces = asked.counts_parts and not asked.filters_on_numbers
    return [made[0]] if is_of_pieces and not numeric and len(made) == 1 else numeric


def _missing(asked: QuestionFrame) -> Query:
    named, scope = [*asked.dimensions, *asked.columns], asked.scope
    if len(named) != 1:
        return Missing(scope)
    lacking = Filter(named[0].column, (), "missing")  # 'valores em falta no caudal'
    return Count(replace(scope, filters=(*scope.filters, lacking)))


def _duplicates(asked: QuestionFrame) -> Query:
    named = [*asked.dimensions, *asked.columns]
    if not named:
        return Duplicates(asked.scope)
    more = Filter("", (2,), "at least")  # of one column: the values that are there more than once
    return GroupBy(asked.scope, named[0], order="most", having=more)


def _first_or_last(asked: QuestionFrame) -> Query | None:
    """'quando foi a última medição?'"""
    column = asked.index.date_column
    if any(asked.index.is_measure(each.column) for each in asked.columns):
        return None
    is_when = column is not None and any(each.column == column for each in asked.columns)
    if column is None or not is_when or not asked.has("last", "first", "max", "min"):
        return None
    return Aggregate(asked.scope, Measure("min" if asked.has("first", "min") else "max", column))


def _between_columns(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """What is asked of whole columns of numbers: outliers, how two go together."""
    measures = asked.index.measures
    if asked.has("outliers"):
        if not numeric and len(measures) != 1:
            return None
        return Outliers(asked.scope, numeric[0] if numeric else measures[0])
    if asked.has("correlation") and len(numeric) == 2:
        return Correlation(asked.scope, (numeric[0], numeric[1]))
    if asked.has("correlation") and len(numeric) == 1 and len(dimensions) == 1:
        return RawValues(asked.scope, (numeric[0],), dimensions[0])
    return None


def _of_days(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """'média de defeitos por dia', 'em quantos dias': days are counted, not listed."""
    time = next((each for each in dimensions if each.grain in ("day", "week", "month")), None)
    if time is None or numeric or asked.having is not None:
        return None
    rest = [each for each in dimensions if each != time]
    if asked.has("mean"):
        measure = Measure("per", time.column, time.grain)
        return GroupBy(asked.scope, rest[0], measure) if rest else Aggregate(asked.scope, measure)
    if asked.counts_time and time.grain == "day" and not rest:
        return Aggregate(asked.scope, Measure("distinct", time.column))
    return None


def _summary(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """'mínimo e máximo da espessura', 'estatísticas da espessura'."""
    is_ranking = asked.has("most", "least", "top")
    asks_all = asked.has("summary") or (len(asked.measure_kinds) > 1 and not is_ranking)
    if len(numeric) != 1 or dimensions or not asks_all:
        return None
    return Summary(asked.scope, numeric[0])


def _drawn_as_they_are(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Values that are drawn one by one."""
    data, index = takes(asked.chart_kind), asked.index
    if not numeric and data in ("values", "grouped values") and len(index.measures) == 1:
        numeric = index.measures
    if asked.chart_kind is None and asked.has("distribution") and len(numeric) == 1:
        data = "grouped values" if dimensions else "values"
    if numeric and data in ("values", "grouped values", "pair"):
        is_split = dimensions and (
            data == "grouped values" or (data == "pair" and len(numeric) == 1)
        )
        split = dimensions[0] if is_split else None
        return RawValues(asked.scope, tuple(numeric[: 2 if data == "pair" else 1]), split)
    if data == "pair" and len(index.measures) > 1 and not dimensions:
        return RawValues(asked.scope, index.measures[:2])
    return None


def _counted(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Rows that are counted, where nothing is measured of them."""
    scope = asked.scope
    is_over_time = asked.has("trend") or (asked.has("cumulative") and not asked.has("kind_pareto"))
    dimensions = over_time(asked, dimensions) if is_over_time else [*dimensions]
    dimensions.extend(Dimension(column) for column in numeric)
    if asked.has(*_RANKING) and not asked.has("sort") and asked.having is None:
        return top(asked, dimensions)
    if _asks_distinct(asked, dimensions):
        return Distinct(scope, dimensions[0].column)
    several = several_in(scope)
    if several is not None and len(dimensions) == 1 and dimensions[0].column != several:
        dimensions.append(Dimension(several))  # 'Julia e Carlos por turno'
    if not dimensions:
        return _of_all(asked)
    if asked.having is not None:
        split = dimensions[1] if len(dimensions) > 1 else None
        return GroupBy(scope, dimensions[0], split=split, having=asked.having)
    wanted = grouped(scope, dimensions, asked.index, is_share=asked.has("percent"))
    return ordered(wanted, order_of(asked), is_cumulative=asked.has("cumulative"))


def _asks_distinct(asked: QuestionFrame, dimensions: Sequence[Dimension]) -> bool:
    if asked.dimensions or len(dimensions) != 1 or asked.has("chart", "percent"):
        return False
    if asked.is_counted_column:
        return True
    is_listing = asked.has("which", "distinct", "list") and not asked.has_subject
    return is_listing and not asked.has("count")


def _of_all(asked: QuestionFrame) -> Query | None:
    """What is asked of rows that nothing sorts into groups."""
    index, scope, is_share = asked.index, asked.scope, asked.has("percent")
    main = main_dimension(index, scope)
    if asked.has_subject and _asks_types(asked) and main and main.column == index.type_column:
        return Distinct(scope, main.column)
    if is_share and asked.filters:
        return Count(scope, is_share=True)
    asks_parts = asked.has("distribution", "percent") or asked.names_chart_of("parts")
    if main and asked.has_subject and asks_parts:
        return grouped(scope, [main], index, is_share=is_share)
    if several := several_in(scope):
        return grouped(scope, [Dimension(several)], index, is_share=is_share)
    if asked.has("last", "first") and asked.has_subject and not asked.has("count"):
        n = asked.number or (_ROWS if asked.is_plural else 1)
        return Rows(scope, n, "last" if asked.has("last") else "first")
    is_shown = asked.has("show", "list") and not asked.has("count", "percent", "chart")
    if is_shown and (asked.has_subject or asked.has("data", "everything") or asked.filters):
        return Rows(scope, asked.number)
    if asked.has_subject or asked.has("count", "total") or asked.filters or asked.period:
        return Count(scope, is_share=is_share)
    return None


def _asks_types(asked: QuestionFrame) -> bool:
    return asked.has("which", "distinct") and not asked.has("count", "rows", "percent")


def measure_of(
    asked: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> tuple[Measure | None, RowSelection]:
    """What is measured, and over which rows: a share is of those without what it is a share of."""
    scope = asked.scope
    if asked.has("rate") or (asked.has("percent") and len(numeric) > 1):
        return _rate(asked, numeric)
    if asked.has("part_of") and len(numeric) == 1 and asked.index.is_amount(numeric[0]):
        named = (each for each in scope.filters if each.relation == "is" and not each.grain)
        if (part := next(named, None)) is not None:  # 'que percentagem do custo é lixo?'
            return Measure("share", numeric[0], part=(part,)), scope.without(part.column)
    is_part = len(numeric) == 1 and asked.index.is_part(numeric[0])
    if is_part and asked.has("percent") and not asked.has("total"):
        return _rate(asked, numeric)  # '% de rejeitadas' is of what was produced
    if asked.has("part_of") and dimensions and not numeric and scope.filters:
        return _rate(asked, numeric)  # '% de OK por operador' is of each operator's
    if not numeric:
        return None, scope
    name = numeric[0]
    kind = asked.measure_kind
    if kind in ("max", "min") and dimensions and asked.index.is_amount(name):
        # 'que linha tem o maior retrabalho' ranks lines; 'o máximo por linha' is a maximum.
        kind = kind if asked.dimensions or not asked.has("which") else "sum"
    if kind is not None:
        return Measure(kind, name), scope
    if asked.has("distinct") and not asked.has_subject and not dimensions:
        return None, scope
    if asked.index.is_amount(name):
        return Measure("sum", name), scope
    if asked.has("most", "least", "top", "distinct") or asked.is_counted_column:
        return None, scope
    return (None, scope) if asked.has_subject else (Measure("mean", name), scope)


def measured(
    asked: QuestionFrame, measure: Measure, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query:
    """A measure of these rows: of all of them, or of each of the groups."""
    is_timed = asked.has("trend", "cumulative")
    dimensions = over_time(asked, dimensions) if is_timed else [*dimensions]
    several, named = several_in(scope), [each.column for each in dimensions]
    is_compared = asked.has("compare") or (not named and measure.kind != "sum")
    if several is not None and is_compared and len(named) < 2 and several not in named:
        dimensions.append(Dimension(several))
    if not dimensions:
        return Aggregate(scope, measure)
    split = dimensions[1] if len(dimensions) > 1 else None
    extremes = () if measure.kind in ("max", "min") else ("max", "min")
    is_ranked = asked.has("most", "least", "top", "worst", "best", *extremes) and not asked.has(
        "sort"
    )
    is_ranked = is_ranked or (asked.has("which") and not asked.dimensions)
    is_rising = asked.has("least", *extremes[1:]) and not asked.has("most")
    return GroupBy(
        scope,
        dimensions[0],
        measure,
        split,
        n=how_many(asked) if is_ranked and split is None else None,
        order=order_of(asked) or ("least" if is_rising else "most" if is_ranked else ""),
        is_share=asked.has("percent") and measure.kind == "sum",
        is_cumulative=asked.has("cumulative") and bool(dimensions[0].grain),
    )


def _rate(asked: QuestionFrame, numeric: Sequence[str]) -> tuple[Measure | None, RowSelection]:
    """'rejeitadas sobre boas', 'taxa de NOK': one sum by another, or a share of the rows."""
    scope = asked.scope
    if len(numeric) > 1:
        return Measure("rate", numeric[0], numeric[1]), scope
    if numeric:
        whole = asked.index.whole_of_amounts(numeric[0])
        return (Measure("rate", numeric[0], whole), scope) if whole else (None, scope)
    single = (
        each
        for each in scope.filters
        if each.relation == "is" and len(each.values) == 1 and not each.grain
    )
    part = next(single, None)
    if part is None:
        return None, scope
    return Measure("share", part=(part,)), scope.without(part.column)


def presented(wanted: Query, asked: QuestionFrame, *, is_new: bool = True) -> DataPlan:
    """Numbers in the form that a question asks for, or as they are."""
    if asked.has("workbook"):
        return AsWorkbook(tabled(wanted, asked.index), asked.chart_kind)
    if asked.has("table") and not isinstance(wanted, Rows):
        return AsTable(tabled(wanted, asked.index))
    if asked.has("kpi") and isinstance(wanted, (Count, Aggregate)):
        return AsKpi(wanted)
    kind = asked.chart_kind
    if kind is None and not asked.has("chart", "trend"):
        return wanted
    return drawn(wanted, asked.index, kind, is_new=is_new)


def drawn(wanted: Query, index: SchemaIndex, kind: str | None, *, is_new: bool) -> DataPlan:
    """Numbers as a picture, or as they are if there is nothing to draw."""
    data = takes(kind)
    if data == "values" and isinstance(wanted, GroupBy) and wanted.measure.column:
        return AsChart(RawValues(wanted.scope, (wanted.measure.column,)), kind, is_new=is_new)
    if data == "grouped values" and isinstance(wanted, GroupBy) and wanted.measure.column:
        readings = RawValues(wanted.scope, (wanted.measure.column,), wanted.dimension)
        return AsChart(readings, kind, is_new=is_new)
    if data == "pair" and not (isinstance(wanted, RawValues) and len(wanted.columns) > 1):
        kind = None  # there are no two numbers to set against each other
    shape = charted(wanted, index)
    return wanted if shape is None else AsChart(shape, kind, is_new=is_new)


def charted(wanted: Query, index: SchemaIndex) -> Query | None:
    """What is drawn of some numbers."""
    match wanted:
        case ByShift() | GroupBy(n=None) | RawValues():
            return wanted
        case GroupBy(n=n):
            return replace(wanted, n=max(n or 0, BARS))
        case Top(scope=scope, dimension=dimension, within=within) if within is not None:
            return GroupBy(scope, within, split=dimension)
        case Top(n=n):
            return replace(wanted, n=BARS) if n == 1 else wanted
        case Aggregate(scope, measure) if measure.kind not in ("rate", "share", "distinct"):
            return RawValues(scope, (measure.column,))
        case Correlation(scope, columns):
            return RawValues(scope, columns)
        case Outliers(scope, column) | Summary(scope, column):
            return RawValues(scope, (column,))
        case Aggregate() | Missing() | Duplicates():
            return None
        case Distinct(scope, column):
            return grouped(scope, [Dimension(column)], index, is_share=False)
        case Count() | Rows():
            main = main_dimension(index, wanted.scope)
            is_share = isinstance(wanted, Count) and wanted.is_share
            return grouped(wanted.scope, [main], index, is_share=is_share) if main else None


def tabled(wanted: Query, index: SchemaIndex) -> Query:
    """What a table shows of some numbers."""
    match wanted:
        case Count() | Distinct():
            return charted(wanted, index) or wanted
        case Top(within=within) if within is not None:
            return charted(wanted, index) or wanted
        case Top(n=1):
            return replace(wanted, n=BARS)
        case _:
            return wanted


def overview(index: SchemaIndex, scope: RowSelection) -> tuple[Query, ...]:
    """What a dashboard shows when nothing is said: how many, over time, by the telling columns."""
    made: list[Query] = [Count(scope)]
    amounts = [name for name in index.measures if index.is_amount(name)]
    made += [Aggregate(scope, Measure("sum", name)) for name in amounts[:2]]
    if not amounts:
        made += [Aggregate(scope, Measure("mean", name)) for name in index.measures[:1]]
    measure = Measure("sum", amounts[0]) if amounts and not index.is_of_defects else Measure()
    if index.date_column is not None:
        day = Dimension(index.date_column, grain_for(index, scope.period))
        made.append(GroupBy(scope, day, measure))
    for column in index.categories[:3]:
        dimension = Dimension(column)
        made.append(
            grouped(scope, [dimension], index, is_share=False)
            if measure.kind == "count"
            else GroupBy(scope, dimension, measure)
        )
    return tuple(made[:MOST_CARDS])


def on_a_page(asked: QuestionFrame) -> tuple[Query, ...]:
    """What a dashboard shows of a question: the whole, and each of the dimensions named."""
    whole, parts = _taken_apart(asked)
    if not parts and not whole.columns:
        return overview(asked.index, asked.scope)
    if asked.has("percent") and parts:
        return _cards(parts)  # of a share, the whole says nothing
    return _cards((whole, *parts)) or overview(asked.index, asked.scope)


def listed_on_a_page(wishes: Sequence[QuestionFrame], scope: RowSelection) -> tuple[Query, ...]:
    """What a dashboard shows of several wishes, each read by itself.

    Nothing where one of them means nothing by itself, or is about other rows than all together.
    """
    parts: list[QuestionFrame] = []
    for wish in wishes:
        whole, own = _taken_apart(wish)
        says_what = own or whole.columns or wish.has_subject or wish.has("total", "count", "trend")
        if wish.scope != scope or wish.unknown or not says_what:
            return ()
        is_ranked = wish.has("top", "most", "least")
        parts += [wish] if is_ranked else own or [whole]
    return _cards(parts) if len(wishes) > 1 else ()


def _taken_apart(asked: QuestionFrame) -> tuple[QuestionFrame, list[QuestionFrame]]:
    """A question without what it is grouped by, and with each of that."""
    index = asked.index
    named = [each for each in asked.columns if not index.is_measure(each.column)]
    measured = tuple(each for each in asked.columns if each not in named)
    whole = replace(asked, dimensions=(), columns=measured, has_subject=not measured)
    return whole, [replace(whole, dimensions=(each,)) for each in (*asked.dimensions, *named)]


def _cards(parts: Sequence[QuestionFrame]) -> tuple[Query, ...]:
    made = [wanted for each in parts if (wanted := numbers(each)) is not None]
    return tuple(dict.fromkeys(made))[:MOST_CARDS]
