"""A plan in parts that can be seen and changed: measure, dimensions, filters, period, chart."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from qhub_desktop.core.figure import Shape, chart_kinds
from qhub_desktop.core.message import Chip, Choice
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import (
    compared_names,
    days_text,
    filter_text,
    having_text,
    ranking_text,
)
from qhub_desktop.nlq.planner import chart_query, table_query
from qhub_desktop.nlq.query_ast import (
    OPPOSITES,
    AsChart,
    AsDashboard,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Number,
    Period,
    Query,
    Rows,
    RowSelection,
    Several,
    alike_groups,
    dataset_of,
    is_count,
    is_same_shape,
    is_top,
    is_unranked,
    plan_to_json,
    query_of,
    select,
    with_rows,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_expressions import SqlExpressions
from qhub_desktop.nlq.statistic_kinds import StatisticKind

MOST_CHOICES = 10
STATISTICS_OFFERED: tuple[StatisticKind, ...] = ("sum", "mean", "median", "min", "max", "std")
# Offered in this order; hours and years are rarely an alternative, and have to be asked for.
_GRAINS: tuple[Grain, ...] = ("day", "week", "month", "weekday", "quarter")
_WEEK = 7


@dataclass(frozen=True, slots=True)
class NamedDays:
    """Days on offer, counted back from the last of the data; `said` is their name in a question."""

    label: str
    said: str
    start: date
    end: date


def named_days(last: date, locale: AnswerLocale) -> Iterator[NamedDays]:
    """Yield the periods on offer, back from the data's last day."""
    _ = locale.gettext
    monday = last - timedelta(days=last.weekday())
    sunday = monday + timedelta(days=_WEEK - 1)
    first, week = last.replace(day=1), timedelta(days=_WEEK)
    end = first - timedelta(days=1)
    yield NamedDays(_("the last day"), _("on the last day"), last, last)
    seven = last - week + timedelta(days=1)
    yield NamedDays(_("the last 7 days"), _("in the last 7 days"), seven, last)
    yield NamedDays(_("the last week"), "", monday, sunday)
    yield NamedDays(_("the week before"), "", monday - week, sunday - week)
    yield NamedDays(_("the last month"), "", first, last)
    yield NamedDays(_("the month before"), "", end.replace(day=1), end)


class PlanEditor:
    """Editor of plans over one data set: each part as a chip with its alternatives."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)
        self._sql = SqlExpressions(index, locale)

    def chips(self, plan: DataPlan, kept: DataPlan | None = None) -> tuple[Chip, ...]:
        """Return a chip for each part of a plan; those carried over from `kept` are marked."""
        if isinstance(plan, Describe | Columns | AsDashboard):
            return ()
        return tuple(self._mark_kept(self._all_chips(plan), plan, kept))

    def _all_chips(self, plan: DataPlan) -> Iterator[Chip]:
        query = query_of(plan)
        if isinstance(plan, AsStudy):
            yield from self._filters(plan, query.scope)
            yield from self._period(plan, query)
            return
        yield from self._measure(plan, query)
        yield from self._dimensions(plan, query)
        if not isinstance(query, Several) or len({each.scope for each in query.of}) == 1:
            yield from self._filters(plan, self._common(query))
            yield from self._period(plan, query)
        yield from self._order(plan, query)
        yield from self._chart(plan, query)

    def _common(self, query: Query) -> RowSelection:
        """Return the rows of a query; of compared numbers, what they share."""
        match query:
            case Comparison():
                return compared_names(query, self._index, self._locale)[1]
            case _:
                return query.scope

    def _mark_kept(
        self, chips: Iterator[Chip], plan: DataPlan, kept: DataPlan | None
    ) -> Iterator[Chip]:
        if (
            kept is None
            or isinstance(kept, Describe | Columns | AsDashboard)
            or kept == plan
            or dataset_of(kept) != dataset_of(plan)  # whose columns are others
        ):
            yield from chips
            return
        before = {(chip.part, chip.label) for chip in self._all_chips(kept)}
        for chip in chips:
            yield replace(chip, is_kept=(chip.part, chip.label) in before)

    def _choice(self, label: str, plan: DataPlan) -> Choice:
        return Choice(label, plan_to_json(plan))

    def _measure(self, plan: DataPlan, query: Query) -> Iterator[Chip]:
        match query:
            case Number(measure=measure) | GroupBy(measure=measure, within=None):
                pass
            case _:
                return
        share = self._locale.gettext("in percent")
        label = self._names.measure(measure)
        if getattr(query, "is_share", False):
            label = f"{label}, {share}"
        choices = [
            self._choice(self._names.measure(each), with_query(plan, _with_measure(query, each)))
            for each in self._other_measures(measure)
        ]
        if (is_count(query) or isinstance(query, GroupBy)) and not query.is_share:
            choices.append(self._choice(share, with_query(plan, replace(query, is_share=True))))
        yield Chip("measure", label, tuple(choices[:MOST_CHOICES]))

    def _other_measures(self, measure: Measure) -> Iterator[Measure]:
        if measure.kind != "count":
            yield Measure()
        is_of_numbers = bool(measure.column) and self._index.is_number(measure.column)
        if not measure.over and (measure.unit or is_of_numbers):
            for kind in STATISTICS_OFFERED:
                if kind != measure.kind:
                    yield replace(measure, kind=kind, quantile=0.5, part=())
        for name in self._index.measures:
            if name != measure.column:
                kind = measure.kind if measure.kind in STATISTICS_OFFERED else "mean"
                if measure.kind == "count" and self._index.is_amount(name):
                    kind = "sum"
                yield Measure(kind, name)

    def _dimensions(self, plan: DataPlan, query: Query) -> Iterator[Chip]:
        match query:
            case GroupBy(keys=keys, within=None):
                present = [*keys]
            case Number():
                present = []
            case _:
                return
        for place, dimension in enumerate(present):
            choices = [
                self._choice(
                    self._by(each), with_query(plan, self._regrouped(query, present, place, each))
                )
                for each in self._others(present)
            ]
            none = self._regrouped(query, present, place, None)
            choices.insert(
                0, self._choice(self._locale.gettext("do not split"), with_query(plan, none))
            )
            yield Chip("dimension", self._by(dimension), tuple(choices[:MOST_CHOICES]))
        if not present:
            choices = [
                self._choice(self._by(each), with_query(plan, self._regrouped(query, [], 0, each)))
                for each in self._others(present)
            ]
            if choices:
                label = self._locale.gettext("not split")
                yield Chip("dimension", label, tuple(choices[:MOST_CHOICES]))

    def _by(self, dimension: Dimension) -> str:
        return self._names.told(dimension)

    def _others(self, present: Sequence[Dimension]) -> Iterator[Dimension]:
        for name in self._index.categories:
            if all(each.column != name for each in present):
                yield Dimension(name)
        if (day := self._index.date_column) is not None:
            for grain in _GRAINS:
                if Dimension(day, grain) not in present:
                    yield Dimension(day, grain)

    def _regrouped(
        self, query: Query, present: Sequence[Dimension], place: int, new: Dimension | None
    ) -> Query:
        dimensions = [*present]
        if new is not None:
            dimensions[place : place + 1] = [new]
        else:
            del dimensions[place]
        measure = getattr(query, "measure", Measure())
        if is_top(query) and new is not None:
            return replace(query, dimension=new)
        is_share = (
            bool(dimensions) and measure.kind == "count" and getattr(query, "is_share", False)
        )
        return select(query.scope, dimensions, measure, is_share=is_share)

    def _filters(self, plan: DataPlan, scope: RowSelection) -> Iterator[Chip]:
        for wanted in scope.filters:
            choices = [
                self._choice(
                    self._locale.gettext("without this filter"), self._in(plan, scope, wanted, None)
                )
            ]
            for other in self._other_filters(wanted):
                label = filter_text(other, self._index, self._locale)
                choices.append(self._choice(label, self._in(plan, scope, wanted, other)))
            label = filter_text(wanted, self._index, self._locale)
            yield Chip("filter", label, tuple(choices[:MOST_CHOICES]))
        match query_of(plan):
            case GroupBy(having=having, measure=measure) as query if having is not None:
                condition = having_text(having, measure, self._locale)
                label = f"{self._names.measure(measure)} {condition}"
                whole = with_query(plan, replace(query, having=None))
                choice = self._choice(self._locale.gettext("without this filter"), whole)
                yield Chip("filter", label, (choice,))
            case _:
                pass

    def _other_filters(self, wanted: Filter) -> Iterator[Filter]:
        if (relation := OPPOSITES.get(wanted.relation)) is not None:
            yield replace(wanted, relation=relation)
        if wanted.grain or wanted.other or wanted.relation not in ("is", "is not"):
            return
        for value, _count in self._index.column(wanted.column).top:
            if isinstance(value, str) and value not in wanted.values:
                yield replace(wanted, values=(value,))

    def _in(self, plan: DataPlan, scope: RowSelection, old: Filter, new: Filter | None) -> DataPlan:
        filters = [
            new if one == old else one for one in scope.filters if one != old or new is not None
        ]
        kept = tuple(one for one in filters if one is not None)
        return with_query(plan, with_rows(query_of(plan), replace(scope, filters=kept)))

    def _period(self, plan: DataPlan, query: Query) -> Iterator[Chip]:
        column, last = self._index.date_column, self._index.last_day
        if column is None or last is None:
            return
        scope = self._common(query)
        period = scope.period
        if isinstance(query, Comparison) and query.first.scope.period != query.second.scope.period:
            return  # the periods are what is compared
        whole = self._locale.gettext("all days")
        choices: list[Choice] = []
        if period is not None:
            choices.append(self._choice(whole, self._over(plan, scope, None)))
        for each in named_days(last, self._locale):
            other = Period(column, each.start, each.end)
            if period is None or (period.start, period.end) != (each.start, each.end):
                choices.append(self._choice(each.label, self._over(plan, scope, other)))
        label = whole
        if period is not None:
            days = days_text(period, self._locale)
            label = f"{self._locale.column(period.column)}: {days}"
        yield Chip("period", label, tuple(choices))

    def _over(self, plan: DataPlan, scope: RowSelection, period: Period | None) -> DataPlan:
        return with_query(plan, with_rows(query_of(plan), replace(scope, period=period)))

    def _order(self, plan: DataPlan, query: Query) -> Iterator[Chip]:
        _ = self._locale.gettext
        names = {"most": _("largest first"), "least": _("smallest first"), "name": _("by name")}
        match query:
            case GroupBy(split=None, dimension=Dimension(grain="")) if is_unranked(query):
                made: dict[str, Query] = {
                    "most": replace(query, order="most"),
                    "least": replace(query, order="least"),
                    "name": replace(query, order="name"),
                }
                is_natural = self._sql.natural_order(query.dimension) is not None
                usual = _("in order") if is_natural else names["most"]
                label = names.get(query.order, usual)
            case (
                GroupBy(within=None, order="most" | "least")
                | Rows(by=str(_), order="most" | "least")
            ) if not is_unranked(query):
                made = {
                    "most": replace(query, order="most"),
                    "least": replace(query, order="least"),
                }
                label = names[query.order]
            case _:
                return
        if isinstance(query, GroupBy) and query.n is not None and query.order != "name":
            label = ranking_text(query, self._locale)
        choices = tuple(
            self._choice(names[order], with_query(plan, each))
            for order, each in made.items()
            if order != query.order
        )
        yield Chip("order", label, choices)

    def _chart(self, plan: DataPlan, query: Query) -> Iterator[Chip]:
        _ = self._locale.gettext
        shape = chart_query(query, self._index)
        if shape is None:
            return
        kind = plan.kind if isinstance(plan, AsChart) else None
        label = _("no chart")
        if isinstance(plan, AsChart):
            label = next((_(each.label) for each in chart_kinds() if each.name == kind), _("chart"))
        elif isinstance(plan, AsTable):
            label = _("table")
        choices = [
            self._choice(_(each.label), AsChart(shape, each.name))
            for each in chart_kinds()
            if each.name != kind and shape_of(shape) in each.suits
        ]
        if not isinstance(plan, AsTable):
            choices.append(self._choice(_("table"), AsTable(table_query(query, self._index))))
        if isinstance(plan, AsChart | AsTable):
            choices.append(self._choice(_("no chart"), query))
        yield Chip("chart", label, tuple(choices))


def with_query(plan: DataPlan, query: Query) -> DataPlan:
    """Return the plan with another query, presented in the same form."""
    match plan:
        case AsChart(kind=kind):
            return AsChart(query, kind if is_same_shape(query, plan.of) else None)
        case AsTable():
            return AsTable(query)
        case AsKpi() if isinstance(query, Number):
            return AsKpi(query)
        case AsWorkbook():
            return AsWorkbook(query, plan.kind)
        case AsStudy() if is_count(query):
            return replace(plan, of=query)
        case _:
            return query


def _with_measure(query: Query, measure: Measure) -> Query:
    match query:
        case Number(scope):
            return Number(scope, measure)
        case GroupBy():
            return replace(query, measure=measure, is_share=False)
        case _:
            return query


def shape_of(query: Query) -> Shape:
    """Return the shape of a query's result, by which charts are offered."""
    match query:
        case GroupBy(split=split) if split is not None:
            return "split"
        case Several(of=of) if grouped := alike_groups(of):
            return "times" if grouped[0].dimension.grain else "groups"
        case Several() | Comparison():
            return "groups"
        case GroupBy():
            return "times" if query.dimension.grain else "groups"
        case _:
            return "pair" if len(getattr(query, "columns", ())) > 1 else "values"
