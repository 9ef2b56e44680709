"""Query plans from the slots of a question, how they are presented, and dashboards of several."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.figure import EACH_VALUE, takes
from qhub_desktop.nlq.grouping import (
    compared_column,
    grain_for,
    is_good_state,
    is_part_amount,
    mean_of,
    part_first,
    rate_of_part,
)
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Profile,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    Unknown,
    distinct,
    is_top,
    scalars_of,
    select,
)
from qhub_desktop.nlq.ranking import (
    elapsed_query,
    limit_of,
    main_dimension,
    order_of,
    ranked_by_amount,
    ranked_rows,
    ranks_groups,
    top_query,
    with_order,
    with_time,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import STATISTICS
from qhub_desktop.nlq.word_meanings import EXTREME_WORDS, RANKING_WORDS

_SEVERAL_ROWS = 20
_ONE_OF_TWO = ("rate", "percent", "part_of", "correlation", "summary", "divided", "dashboard")
MOST_CARDS = 6
BARS = 10  # of a chart of a ranking, at least


def new_plan(frame: QuestionFrame) -> DataPlan | Unknown:
    """Make the plan of a question that stands alone."""
    index = frame.index
    dataset = index.profile.dataset
    if frame.ignored and not (frame.coverage or frame.has_subject or frame.has("data")):
        return Unknown()
    if frame.has("missing") or frame.has("duplicates"):
        wanted = build_query(frame)
        assert wanted is not None
        return wanted
    if frame.has("columns") and not frame.names_something:
        return Describe(dataset) if frame.has("rows") else Columns(dataset)
    if frame.has("dashboard"):
        return AsDashboard(dashboard_queries(frame))
    is_of_all = not (frame.dimensions or frame.filters or frame.columns or frame.period)
    if frame.has("describe") and is_of_all:
        return Describe(dataset)
    wanted = build_query(frame)
    return Unknown() if wanted is None else with_presentation(wanted, frame)


def is_self_contained(frame: QuestionFrame) -> bool:
    """Return whether a question is clear without what was said before it."""
    is_half = not (frame.columns or frame.dimensions or frame.second_period or frame.filters[1:])
    if frame.has("compare") and is_half and not frame.has_subject:
        return False  # 'compara com 2024'
    if frame.has("describe", "columns", "trend", "compare", "missing", "duplicates"):
        return True
    if frame.has("outliers", "correlation") or frame.has_subject:
        return True
    if frame.names_dataset or (frame.has("data") and frame.has("show", "count", "list")):
        return True
    if frame.filters and (frame.dimensions or (frame.has("percent") and frame.filters[1:])):
        return True  # '% de faltas sem justificativa'
    if frame.measure_kinds and any(frame.index.is_number(each.column) for each in frame.columns):
        return True
    is_only_measured = frame.has("count") and not (
        frame.noun or frame.filters or frame.dimensions or frame.period
    )
    measured = [frame.index.is_measure(each.column) for each in frame.columns]
    if is_only_measured and measured and all(measured):
        return False  # 'quantos minutos?', of what was asked about before
    if any(measured) and (frame.period or frame.filters):  # 'custo em março'
        return True
    if frame.columns and frame.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    has_number = any(frame.index.is_number(each.column) for each in frame.columns)
    return has_number and bool(frame.dimensions)


def build_query(frame: QuestionFrame) -> Query | None:
    """Build the query of a frame, None if it does not say what to compute."""
    if frame.has("missing"):
        return _missing(frame)
    if frame.has("duplicates"):
        return _duplicates(frame)
    if frame.second_period is not None and (compared := _compared_periods(frame)) is not None:
        return compared
    numeric = _numeric(frame)
    if (ranked := ranked_rows(frame, numeric)) is not None:
        return ranked
    if (moment := _first_or_last(frame)) is not None:
        return moment
    if (elapsed := elapsed_query(frame)) is not None:
        return elapsed
    dimensions = [
        *frame.dimensions,
        *(each for each in frame.columns if each.column not in numeric),
    ]
    if frame.has("kind_pareto"):
        numeric, dimensions = _of_pareto(frame, numeric, dimensions)
    if (several := _several(frame, numeric)) is not None:
        return several
    of_columns = (
        _column_analysis(frame, numeric, dimensions)
        or _per_time(frame, numeric, dimensions)
        or _summary(frame, numeric, dimensions)
        or _raw_values(frame, numeric, dimensions)
    )
    if of_columns is not None:
        return of_columns
    numeric, dimensions = ranked_by_amount(frame, numeric, dimensions)
    measure, scope = measure_and_rows(frame, numeric, dimensions)
    if measure is not None:
        return measure_query(frame, measure, scope, dimensions)
    if frame.has("rate"):
        return None  # of nothing that the data has
    return _count_query(frame, numeric, dimensions)


def _of_pareto(
    frame: QuestionFrame, numeric: list[str], dimensions: list[Dimension]
) -> tuple[list[str], list[Dimension]]:
    """Return what a Pareto chart adds up, and its groups: no amount, and of defects their types."""
    index = frame.index
    if not numeric:
        numeric = [each.column for each in dimensions if index.is_amount(each.column)][:1]
        dimensions = [each for each in dimensions if each.column not in numeric]
    if numeric and not dimensions and frame.has_subject and index.type_column is not None:
        dimensions = [Dimension(index.type_column)]
    return numeric, dimensions


def _compared_periods(frame: QuestionFrame) -> Query | None:
    """Build the same number in two periods: 'compara o custo de 2007 com o de 2008'."""
    first, second = (
        build_query(
            replace(frame, period=period, second_period=None, cues=frame.cues - {"#compare"})
        )
        for period in (frame.period, frame.second_period)
    )
    if isinstance(first, Number) and isinstance(second, Number):
        return Comparison(first, second)
    return None


def _several(frame: QuestionFrame, numeric: Sequence[str]) -> Query | None:
    """Build the same of several columns, or several statistics: 'averages of G1, G2 and G3'."""
    kinds = frame.measure_kinds
    if frame.has(*_ONE_OF_TWO) or takes(frame.chart_kind) in EACH_VALUE:
        return None
    is_ranking = frame.has("most", "least", "top", "which", "sort") or frame.number is not None
    if len(numeric) > 1 and not is_ranking:
        dropped = [
            replace(
                frame,
                columns=tuple(
                    each
                    for each in frame.columns
                    if each.column not in numeric or each.column == name
                ),
            )
            for name in numeric
        ]
    elif len(numeric) == 1 and len(kinds) > 1 and not is_ranking:
        dropped = [
            replace(frame, cues=frame.cues - {f"#{kind}" for kind in kinds if kind != kept})
            for kept in kinds
        ]
    else:
        return None
    made = [build_query(each) for each in dropped]
    parts = [each for each in made if isinstance(each, Number | GroupBy)]
    if len(parts) != len(made):
        return None
    first, *others = parts
    if (
        frame.has("compare")
        and len(others) == 1
        and isinstance(first, Number)
        and isinstance(others[0], Number)
    ):
        return Comparison(first, others[0])
    return Several(tuple(parts))


def _numeric(frame: QuestionFrame) -> list[str]:
    """Return the columns that are named to compute with their numbers."""
    numeric = [each.column for each in frame.columns if frame.index.is_measure(each.column)]
    made = frame.index.parts.get("produced", ())
    if (wide := frame.index.wide) is not None and not numeric:
        counts_lines = frame.is_counted_column or frame.has("rows", "distinct", "list", "columns")
        return [] if counts_lines or (frame.noun and not frame.counts_parts) else [wide.value]
    is_of_pieces = frame.counts_parts and not frame.filters_on_numbers
    return [made[0]] if is_of_pieces and not numeric and len(made) == 1 else numeric


def _missing(frame: QuestionFrame) -> Query:
    named, scope = [*frame.dimensions, *frame.columns], frame.scope
    if len(named) != 1:
        return Profile(scope, "missing")
    lacking = Filter(named[0].column, (), "missing")  # 'valores em falta no caudal'
    return Number(replace(scope, filters=(*scope.filters, lacking)))


def _duplicates(frame: QuestionFrame) -> Query:
    named = [*frame.dimensions, *frame.columns]
    if not named:
        return Profile(frame.scope, "duplicates")
    more = Filter("", (2,), "at least")  # of one column: the values that occur more than once
    return GroupBy(frame.scope, named[0], order="most", having=more)


def _first_or_last(frame: QuestionFrame) -> Query | None:
    """Build the first or last day: 'quando foi a última medição?'"""
    column = frame.index.date_column
    if any(frame.index.is_measure(each.column) for each in frame.columns):
        return None
    is_when = column is not None and any(each.column == column for each in frame.columns)
    if column is None or not is_when or not frame.has("last", "first", "max", "min"):
        return None
    return Number(frame.scope, Measure("min" if frame.has("first", "min") else "max", column))


def _column_analysis(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Build outliers of a column, or the correlation of two."""
    measures = frame.index.measures
    if frame.has("outliers"):
        if not numeric and len(measures) != 1:
            return None
        return Spread(frame.scope, tuple(numeric[:1]) or measures, shows="outliers")
    if frame.has("correlation") and len(numeric) == 2:
        return Spread(frame.scope, tuple(numeric), shows="correlation")
    if frame.has("correlation") and len(numeric) == 1 and len(dimensions) == 1:
        return Spread(frame.scope, (numeric[0],), dimensions[0])
    return None


def _per_time(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Count per day, or count days: 'média de defeitos por dia', 'em quantos dias'."""
    time = next((each for each in dimensions if each.grain in ("day", "week", "month")), None)
    if time is None or numeric or frame.having is not None:
        return None
    rest = [each for each in dimensions if each != time]
    if frame.has("mean"):
        measure = Measure("per", time.column, time.grain)
        return select(frame.scope, rest[:1], measure)
    if frame.counts_time and time.grain == "day" and not rest:
        return Number(frame.scope, Measure("distinct", time.column))
    return None


def _summary(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Build a summary of a column: 'mínimo e máximo da espessura', 'estatísticas'."""
    asks_all = frame.has("summary")
    if len(numeric) != 1 or dimensions or not asks_all:
        return None
    return Spread(frame.scope, tuple(numeric), shows="summary")


def _raw_values(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Build raw values, for charts that draw each of them."""
    data, index = takes(frame.chart_kind), frame.index
    if not numeric and data in ("values", "grouped values") and len(index.measures) == 1:
        numeric = index.measures
    if frame.chart_kind is None and frame.has("distribution") and len(numeric) == 1:
        data = "grouped values" if dimensions else "values"
    if numeric and data in EACH_VALUE:
        is_split = dimensions and (
            data == "grouped values" or (data == "pair" and len(numeric) == 1)
        )
        split = dimensions[0] if is_split else None
        return Spread(frame.scope, tuple(numeric[: 2 if data == "pair" else 1]), split)
    if data == "pair" and len(index.measures) > 1 and not dimensions:
        return Spread(frame.scope, index.measures[:2])
    return None


def _count_query(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Query | None:
    """Build a count of rows, where nothing is measured."""
    scope = frame.scope
    is_over_time = frame.has("trend") or (frame.has("cumulative") and not frame.has("kind_pareto"))
    dimensions = with_time(frame, dimensions) if is_over_time else [*dimensions]
    dimensions.extend(Dimension(column) for column in numeric)
    if frame.has(*RANKING_WORDS, *EXTREME_WORDS) and not frame.has("sort") and frame.having is None:
        return top_query(frame, dimensions)
    if _asks_distinct(frame, dimensions):
        return distinct(scope, dimensions[0].column)
    several = compared_column(scope)
    if several is not None and len(dimensions) == 1 and dimensions[0].column != several:
        dimensions.append(Dimension(several))  # 'Julia e Carlos por turno'
    if not dimensions:
        return _ungrouped_query(frame)
    if frame.having is not None:
        split = dimensions[1] if len(dimensions) > 1 else None
        return GroupBy(scope, dimensions[0], split=split, having=frame.having)
    wanted = select(scope, dimensions, is_share=frame.has("percent"))
    return with_order(wanted, order_of(frame), is_cumulative=frame.has("cumulative"))


def _asks_distinct(frame: QuestionFrame, dimensions: Sequence[Dimension]) -> bool:
    if frame.dimensions or len(dimensions) != 1 or frame.has("chart", "percent"):
        return False
    if frame.is_counted_column:
        return True
    lacking = any(each.relation in ("missing", "present") for each in frame.filters)
    if lacking and not frame.has("which", "list"):
        return False  # 'há equipamentos sem responsável?'
    is_listing = frame.has("which", "distinct", "list") and not frame.has_subject
    return is_listing and not frame.has("count")


def _ungrouped_query(frame: QuestionFrame) -> Query | None:
    """Build a query of rows without any dimension."""
    index, scope, is_share = frame.index, frame.scope, frame.has("percent")
    main = main_dimension(index, scope)
    if frame.has_subject and _asks_types(frame) and main and main.column == index.type_column:
        return distinct(scope, main.column)
    if is_share and frame.filters:
        return Number(scope, is_share=True, noun=frame.noun)
    asks_parts = frame.has("distribution", "percent") or frame.names_chart_of("parts")
    if main and frame.has_subject and asks_parts:
        return GroupBy(scope, main, is_share=is_share)
    if several := compared_column(scope):
        return GroupBy(scope, Dimension(several), is_share=is_share)
    if frame.has("last", "first") and frame.has_subject and not frame.has("count"):
        n = frame.number or (_SEVERAL_ROWS if frame.is_plural else 1)
        return Rows(scope, n, "last" if frame.has("last") else "first")
    is_shown = frame.has("show", "list") and not frame.has("count", "percent", "chart")
    if is_shown and (frame.has_subject or frame.has("data", "everything") or frame.filters):
        return Rows(scope, frame.number, noun=frame.noun)
    if frame.has_subject or frame.has("count", "total") or frame.filters or frame.period:
        return Number(scope, is_share=is_share, noun=frame.noun)
    return None


def _asks_types(frame: QuestionFrame) -> bool:
    return frame.has("which", "distinct") and not frame.has("count", "rows", "percent")


def measure_and_rows(
    frame: QuestionFrame, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> tuple[Measure | None, RowSelection]:
    """Return the measure and its rows; a share is of the rows without its own filter."""
    scope = frame.scope
    if frame.has("rate") or (frame.has("percent", "divided") and len(numeric) > 1):
        return _rate(frame, numeric)
    if frame.has("percent") and len(numeric) == 1 and frame.index.is_amount(numeric[0]):
        named = (each for each in scope.filters if each.relation == "is" and not each.grain)
        if (part := next(named, None)) is not None:  # 'que percentagem do custo é lixo?'
            return Measure("share", numeric[0], part=(part,)), scope.without(part.column)
    is_part = len(numeric) == 1 and is_part_amount(frame.index, numeric[0])
    if is_part and frame.has("percent") and not frame.has("total"):
        return _rate(frame, numeric)  # of what was produced: '% de rejeitadas'
    is_flag = any(frame.index.is_flag(each.column) for each in scope.filters)
    is_rate = frame.has("part_of") or (frame.has("percent") and is_flag)
    if is_rate and dimensions and not numeric and scope.filters:
        return _rate(frame, numeric)  # of each operator's rows: '% de OK por operador'
    if not numeric:
        return None, scope
    name = numeric[0]
    kind = frame.measure_kind
    if kind in ("max", "min") and dimensions and frame.index.is_amount(name):
        # 'que linha tem o maior retrabalho' ranks sums; 'o máximo por linha' is a maximum.
        is_said_by = any(not each.grain or not frame.has("which") for each in frame.dimensions)
        kind = kind if is_said_by or not ranks_groups(frame) else "sum"
    if kind is not None:
        is_mean = kind == "mean"
        own = Measure(kind, name, quantile=frame.quantile)
        return mean_of(frame.index, name) if is_mean else own, scope
    if frame.has("per_row", "total"):
        return mean_of(frame.index, name) if frame.has("per_row") else Measure("sum", name), scope
    if frame.has("distinct") and not frame.has_subject and not dimensions:
        return None, scope
    if frame.index.is_amount(name):
        return Measure("sum", name), scope
    if frame.has("most", "least", "top", "distinct") or frame.is_counted_column:
        return None, scope
    return (None, scope) if frame.has_subject else (mean_of(frame.index, name), scope)


def measure_query(
    frame: QuestionFrame, measure: Measure, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query:
    """Build a measure over all rows, or over each group."""
    is_timed = frame.has("trend", "cumulative")
    dimensions = with_time(frame, dimensions) if is_timed else [*dimensions]
    several, named = compared_column(scope), [each.column for each in dimensions]
    is_compared = frame.has("compare") or (not named and measure.kind != "sum")
    if several is not None and is_compared and len(named) < 2 and several not in named:
        dimensions.append(Dimension(several))
    if not dimensions:
        return Number(scope, measure)
    split = dimensions[1] if len(dimensions) > 1 else None
    extremes = () if measure.kind in ("max", "min") else ("max", "min")
    is_ranked = frame.has("most", "least", "top", "worst", "best", *extremes) and not frame.has(
        "sort"
    )
    is_ranked = is_ranked or (frame.has("which") and not frame.dimensions)
    is_rising = frame.has("least", *extremes[1:]) and not frame.has("most")
    is_gain = (
        frame.index.is_gain(measure.column) if measure.column else bool(is_good_state(measure.part))
    )
    if is_gain is not None and measure.kind != "rate":  # the worst month of production is the least
        is_rising = is_rising or frame.has("worst" if is_gain else "best")
    return GroupBy(
        scope,
        dimensions[0],
        measure,
        split,
        n=limit_of(frame) if is_ranked and split is None else None,
        order=order_of(frame) or ("least" if is_rising else "most" if is_ranked else ""),
        is_share=frame.has("percent") and measure.kind == "sum",
        is_cumulative=frame.has("cumulative") and bool(dimensions[0].grain),
    )


def _rate(frame: QuestionFrame, numeric: Sequence[str]) -> tuple[Measure | None, RowSelection]:
    """Return one sum by another, or a share of rows: 'rejeitadas sobre boas', 'taxa de NOK'."""
    scope = frame.scope
    if len(numeric) > 1:
        column, over = numeric[0], numeric[1]
        if "#total" in frame.index.lemmas[column] and not frame.has("divided"):
            column, over = over, column  # 'que parte da área total é mato?'
        if not frame.has("divided"):
            column, over = part_first(frame.index, column, over)
        kind: MeasureKind = "rate" if frame.has("percent", "rate") else "ratio"
        return Measure(kind, column, over), scope
    if numeric:
        return rate_of_part(frame.index, numeric[0]), scope
    named = (each for each in scope.filters if each.relation == "is" and not each.grain)
    part = next((each for each in named if len(each.values) == 1), None)
    if part is None:
        return None, scope
    return Measure("share", part=(part,)), scope.without(part.column)


def with_presentation(wanted: Query, frame: QuestionFrame, *, is_new: bool = True) -> DataPlan:
    """Wrap a query in the form that the question names: chart, table, number, workbook."""
    if frame.has("workbook"):
        return AsWorkbook(table_query(wanted, frame.index), frame.chart_kind)
    if frame.has("table") and not isinstance(wanted, Rows):
        return AsTable(table_query(wanted, frame.index))
    if frame.has("kpi") and isinstance(wanted, Number):
        return AsKpi(wanted)
    kind = frame.chart_kind
    is_drawn = frame.has("chart") or (frame.has("trend") and not isinstance(wanted, Comparison))
    if kind is None and not is_drawn:
        return wanted  # two periods that are compared tell more in words: 'subiu de março a abril?'
    return as_chart(wanted, frame.index, kind, is_new=is_new)


def as_chart(wanted: Query, index: SchemaIndex, kind: str | None, *, is_new: bool) -> DataPlan:
    """Wrap a query as a chart, or return it as it is if there is nothing to draw."""
    data = takes(kind)
    if data == "values" and isinstance(wanted, GroupBy) and wanted.measure.column:
        return AsChart(Spread(wanted.scope, (wanted.measure.column,)), kind, is_new=is_new)
    if data == "grouped values" and isinstance(wanted, GroupBy) and wanted.measure.column:
        readings = Spread(wanted.scope, (wanted.measure.column,), wanted.dimension)
        return AsChart(readings, kind, is_new=is_new)
    is_pair = isinstance(wanted, Spread) and wanted.shows == "values" and len(wanted.columns) > 1
    if data == "pair" and not is_pair:
        kind = None  # there are no two columns of numbers
    shape = chart_query(wanted, index)
    return wanted if shape is None else AsChart(shape, kind, is_new=is_new)


def can_be_drawn(plan: DataPlan) -> bool:
    """Return whether a chart gets what it takes: no groups are made of the values of an amount."""
    if not isinstance(plan, AsChart) or not isinstance(plan.of, Spread):
        return True
    return takes(plan.kind) in (None, *EACH_VALUE)


def chart_query(wanted: Query, index: SchemaIndex) -> Query | None:
    """Return the query that a chart of this one draws, None if there is nothing to draw."""
    match wanted:
        case GroupBy(scope, dimension, within=Dimension() as within):
            return GroupBy(scope, within, split=dimension)
        case GroupBy(n=None):
            return wanted
        case GroupBy(n=n):
            return replace(wanted, n=BARS if n == 1 else n)
        case Number(scope, measure) if measure.kind in STATISTICS and not measure.unit:
            return Spread(scope, (measure.column,))
        case Spread(scope, (column,), shows="distinct"):
            return GroupBy(scope, Dimension(column))
        case Spread():
            return replace(wanted, shows="values")
        case Comparison():
            return wanted
        case Several(of=of):
            drawn = tuple(each for each in of if isinstance(each, GroupBy | Comparison))
            if scalars_of(of):
                return wanted
            return (replace(wanted, of=drawn) if len(drawn) > 1 else drawn[0]) if drawn else None
        case Number(measure=Measure("count")) | Rows():
            main = main_dimension(index, wanted.scope)
            is_share = isinstance(wanted, Number) and wanted.is_share
            return GroupBy(wanted.scope, main, is_share=is_share) if main else None
        case Number() | Profile():
            return None


def table_query(wanted: Query, index: SchemaIndex) -> Query:
    """Return the query that a table of this one shows."""
    match wanted:
        case Number(measure=Measure("count")) | Spread(shows="distinct"):
            return chart_query(wanted, index) or wanted
        case GroupBy(within=Dimension()):
            return chart_query(wanted, index) or wanted
        case GroupBy(n=1) if is_top(wanted):
            return replace(wanted, n=BARS)
        case _:
            return wanted


def overview(index: SchemaIndex, scope: RowSelection) -> tuple[Query, ...]:
    """Return a data set's default dashboard: counts, a trend, the main dimensions."""
    made: list[Query] = [Number(scope)]
    amounts = [name for name in index.measures if index.is_amount(name)]
    made += [Number(scope, Measure("sum", name)) for name in amounts[:2]]
    if not amounts:
        made += [Number(scope, Measure("mean", name)) for name in index.measures[:1]]
    measure = Measure("sum", amounts[0]) if amounts and not index.is_of_defects else Measure()
    if index.date_column is not None:
        day = Dimension(index.date_column, grain_for(index, scope.period))
        made.append(GroupBy(scope, day, measure))
    made += [GroupBy(scope, Dimension(column), measure) for column in index.categories[:3]]
    return tuple(made[:MOST_CARDS])


def dashboard_queries(frame: QuestionFrame) -> tuple[Query, ...]:
    """Return the dashboard of a question: the total, and each of its dimensions."""
    whole, parts = _split_by_dimension(frame)
    if not parts and not whole.columns:
        return overview(frame.index, frame.scope)
    if frame.has("percent") and parts:
        return _cards(parts)  # the total of a share is always 100 %
    return _cards((whole, *parts)) or overview(frame.index, frame.scope)


def listed_dashboard_queries(
    wishes: Sequence[QuestionFrame], scope: RowSelection
) -> tuple[Query, ...]:
    """Return the dashboard of several wishes, each parsed by itself.

    Empty if one of them means nothing by itself, or selects other rows than the whole question.
    """
    parts: list[QuestionFrame] = []
    for wish in wishes:
        whole, own = _split_by_dimension(wish)
        says_what = own or whole.columns or wish.has_subject or wish.has("total", "count", "trend")
        if wish.scope != scope or wish.unknown or not says_what:
            return ()
        is_ranked = wish.has("top", "most", "least")
        parts += [wish] if is_ranked else own or [whole]
    return _cards(parts) if len(wishes) > 1 else ()


def _split_by_dimension(frame: QuestionFrame) -> tuple[QuestionFrame, list[QuestionFrame]]:
    """Return a frame without its dimensions, and with each of them alone."""
    index = frame.index
    named = [each for each in frame.columns if not index.is_measure(each.column)]
    measured = tuple(each for each in frame.columns if each not in named)
    whole = replace(frame, dimensions=(), columns=measured, has_subject=not measured)
    return whole, [replace(whole, dimensions=(each,)) for each in (*frame.dimensions, *named)]


def _cards(parts: Sequence[QuestionFrame]) -> tuple[Query, ...]:
    made = [wanted for each in parts if (wanted := build_query(each)) is not None]
    return tuple(dict.fromkeys(made))[:MOST_CARDS]
