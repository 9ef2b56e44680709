"""A plan in parts that can be seen and changed: measure, dimensions, filters, period, chart."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from qhub_desktop.core.chart_kinds import Shape, chart_kinds
from qhub_desktop.core.message import Chip, Choice
from qhub_desktop.nlq.locale import AnswerLocale
from qhub_desktop.nlq.phrases import filter_text, period_text
from qhub_desktop.nlq.planner import charted, tabled
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    ByShift,
    Columns,
    Count,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    MeasureKind,
    Period,
    Query,
    Relation,
    RowSelection,
    Top,
    numbers_of,
    packed,
)
from qhub_desktop.nlq.ranking import grouped
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import Names, Parts

MOST_CHOICES = 10
_KINDS: tuple[MeasureKind, ...] = ("sum", "mean", "median", "min", "max", "std")
_GRAINS: tuple[Grain, ...] = ("day", "week", "month", "weekday")
_OPPOSITES: dict[Relation, Relation] = {"is": "is not", "above": "at most", "below": "at least"}
_OPPOSITES |= {opposite: relation for relation, opposite in _OPPOSITES.items()}
_WEEK = 7


class PlanEditor:
    """Takes plans over one data set apart, in one language."""

    def __init__(self, index: SchemaIndex, voice: AnswerLocale) -> None:
        self._index = index
        self._voice = voice
        self._names = Names(index.profile, voice)
        self._sql = Parts(index, voice)

    def chips(self, plan: DataPlan, kept: DataPlan | None = None) -> tuple[Chip, ...]:
        """What was understood; what was carried over from the plan `kept` is told so."""
        if isinstance(plan, Describe | Columns | AsDashboard):
            return ()
        return tuple(self._marked(self._parts(plan), plan, kept))

    def _parts(self, plan: DataPlan) -> Iterator[Chip]:
        numbers = numbers_of(plan)
        yield from self._measure(plan, numbers)
        yield from self._dimensions(plan, numbers)
        yield from self._filters(plan, numbers.scope)
        yield from self._period(plan, numbers.scope)
        yield from self._order(plan, numbers)
        yield from self._chart(plan, numbers)

    def _marked(
        self, chips: Iterator[Chip], plan: DataPlan, kept: DataPlan | None
    ) -> Iterator[Chip]:
        if kept is None or isinstance(kept, Describe | Columns | AsDashboard) or kept == plan:
            yield from chips
            return
        before = {(chip.part, chip.label) for chip in self._parts(kept)}
        for chip in chips:
            yield replace(chip, is_kept=(chip.part, chip.label) in before)

    def _choice(self, label: str, plan: DataPlan) -> Choice:
        return Choice(label, packed(plan))

    def _measure(self, plan: DataPlan, numbers: Query) -> Iterator[Chip]:
        match numbers:
            case Count() | Top(within=None) | ByShift():
                measure = Measure()
            case Aggregate(measure=measure) | GroupBy(measure=measure):
                pass
            case _:
                return
        share = self._voice.gettext("in percent")
        label = self._names.measure(measure)
        if getattr(numbers, "is_share", False):
            label = f"{label}, {share}"
        choices = [
            self._choice(self._names.measure(each), within(plan, _measuring(numbers, each)))
            for each in self._other_measures(measure)
        ]
        if isinstance(numbers, Count | Top | ByShift | GroupBy) and not numbers.is_share:
            choices.append(self._choice(share, within(plan, replace(numbers, is_share=True))))
        yield Chip("measure", label, tuple(choices[:MOST_CHOICES]))

    def _other_measures(self, measure: Measure) -> Iterator[Measure]:
        if measure.kind != "count":
            yield Measure()
        if measure.column and not measure.over:
            for kind in _KINDS:
                if kind != measure.kind:
                    yield Measure(kind, measure.column)
        for name in self._index.measures:
            if name != measure.column:
                kind = measure.kind if measure.kind in _KINDS else "mean"
                if measure.kind == "count" and self._index.is_amount(name):
                    kind = "sum"
                yield Measure(kind, name)

    def _dimensions(self, plan: DataPlan, numbers: Query) -> Iterator[Chip]:
        match numbers:
            case GroupBy(dimension=first, split=second):
                present = [first, *([second] if second else [])]
            case Top(dimension=first, within=None) | ByShift(dimension=first):
                present = [first]
            case Count() | Aggregate():
                present = []
            case _:
                return
        for place, dimension in enumerate(present):
            choices = [
                self._choice(
                    self._by(each), within(plan, self._regrouped(numbers, present, place, each))
                )
                for each in self._others(present)
            ]
            none = self._regrouped(numbers, present, place, None)
            choices.insert(0, self._choice(self._voice.gettext("do not split"), within(plan, none)))
            yield Chip("dimension", self._by(dimension), tuple(choices[:MOST_CHOICES]))
        if not present:
            choices = [
                self._choice(self._by(each), within(plan, self._regrouped(numbers, [], 0, each)))
                for each in self._others(present)
            ]
            if choices:
                label = self._voice.gettext("not split")
                yield Chip("dimension", label, tuple(choices[:MOST_CHOICES]))

    def _by(self, dimension: Dimension) -> str:
        return self._voice.column(self._names.dimension(dimension))

    def _others(self, present: Sequence[Dimension]) -> Iterator[Dimension]:
        for name in self._index.categories:
            if all(each.column != name for each in present):
                yield Dimension(name)
        if (day := self._index.date_column) is not None:
            for grain in _GRAINS:
                if Dimension(day, grain) not in present:
                    yield Dimension(day, grain)

    def _regrouped(
        self, numbers: Query, present: Sequence[Dimension], place: int, new: Dimension | None
    ) -> Query:
        dimensions = [*present]
        if new is not None:
            dimensions[place : place + 1] = [new]
        else:
            del dimensions[place]
        measure = getattr(numbers, "measure", Measure())
        if not dimensions:
            is_count = measure.kind == "count"
            return Count(numbers.scope) if is_count else Aggregate(numbers.scope, measure)
        if measure.kind != "count":
            split = dimensions[1] if len(dimensions) > 1 else None
            return GroupBy(numbers.scope, dimensions[0], measure, split)
        if isinstance(numbers, Top) and new is not None:
            return replace(numbers, dimension=new)
        is_share = getattr(numbers, "is_share", False)
        return grouped(numbers.scope, dimensions, self._index, is_share=is_share)

    def _filters(self, plan: DataPlan, scope: RowSelection) -> Iterator[Chip]:
        for wanted in scope.filters:
            choices = [
                self._choice(
                    self._voice.gettext("without this filter"), self._in(plan, scope, wanted, None)
                )
            ]
            for other in self._other_filters(wanted):
                label = filter_text(other, self._index, self._voice)
                choices.append(self._choice(label, self._in(plan, scope, wanted, other)))
            label = filter_text(wanted, self._index, self._voice)
            yield Chip("filter", label, tuple(choices[:MOST_CHOICES]))

    def _other_filters(self, wanted: Filter) -> Iterator[Filter]:
        if (relation := _OPPOSITES.get(wanted.relation)) is not None:
            yield replace(wanted, relation=relation)
        if wanted.grain or wanted.relation not in ("is", "is not"):
            return
        for value, _count in self._index.column(wanted.column).top:
            if isinstance(value, str) and value not in wanted.values:
                yield replace(wanted, values=(value,))

    def _in(self, plan: DataPlan, scope: RowSelection, old: Filter, new: Filter | None) -> DataPlan:
        filters = [
            new if one == old else one for one in scope.filters if one != old or new is not None
        ]
        kept = tuple(one for one in filters if one is not None)
        return within(plan, replace(numbers_of(plan), scope=replace(scope, filters=kept)))

    def _period(self, plan: DataPlan, scope: RowSelection) -> Iterator[Chip]:
        column, last = self._index.date_column, self._index.last_day
        if column is None or last is None:
            return
        period = scope.period
        whole = self._voice.gettext("all days")
        choices: list[Choice] = []
        if period is not None:
            choices.append(self._choice(whole, self._over(plan, scope, None)))
        for label, start, end in self._spans(last):
            other = Period(column, start, end)
            if period is None or (period.start, period.end) != (start, end):
                choices.append(self._choice(label, self._over(plan, scope, other)))
        label = whole if period is None else period_text(period, self._voice)
        yield Chip("period", label, tuple(choices))

    def _spans(self, last: date) -> Iterator[tuple[str, date, date]]:
        """Stretches up to the data's last day, each with its name."""
        _ = self._voice.gettext
        monday = last - timedelta(days=last.weekday())
        yield _("the last day"), last, last
        yield _("the last 7 days"), last - timedelta(days=_WEEK - 1), last
        yield _("the last week"), monday, monday + timedelta(days=_WEEK - 1)
        before = monday - timedelta(days=_WEEK)
        yield _("the week before"), before, before + timedelta(days=_WEEK - 1)
        first = last.replace(day=1)
        yield _("the last month"), first, last
        end = first - timedelta(days=1)
        yield _("the month before"), end.replace(day=1), end

    def _over(self, plan: DataPlan, scope: RowSelection, period: Period | None) -> DataPlan:
        return within(plan, replace(numbers_of(plan), scope=replace(scope, period=period)))

    def _order(self, plan: DataPlan, numbers: Query) -> Iterator[Chip]:
        _ = self._voice.gettext
        names = {"most": _("largest first"), "least": _("smallest first"), "name": _("by name")}
        match numbers:
            case GroupBy(split=None, dimension=Dimension(grain="")):
                made: dict[str, Query] = {
                    "most": replace(numbers, order="most"),
                    "least": replace(numbers, order="least"),
                    "name": replace(numbers, order="name"),
                }
                is_natural = self._sql.natural_order(numbers.dimension) is not None
                usual = _("in order") if is_natural else names["most"]
                label = names.get(numbers.order, usual)
            case Top(within=None):
                made = {
                    "most": replace(numbers, order="most"),
                    "least": replace(numbers, order="least"),
                }
                label = names[numbers.order]
            case _:
                return
        choices = tuple(
            self._choice(names[order], within(plan, each))
            for order, each in made.items()
            if order != numbers.order
        )
        yield Chip("order", label, choices)

    def _chart(self, plan: DataPlan, numbers: Query) -> Iterator[Chip]:
        _ = self._voice.gettext
        shape = charted(numbers, self._index)
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
            if each.name != kind and _shape_of(shape) in each.suits
        ]
        if not isinstance(plan, AsTable):
            choices.append(self._choice(_("table"), AsTable(tabled(numbers, self._index))))
        if isinstance(plan, AsChart | AsTable):
            choices.append(self._choice(_("no chart"), numbers))
        yield Chip("chart", label, tuple(choices))


def within(plan: DataPlan, numbers: Query) -> DataPlan:
    """Other numbers, shown as those of the plan are."""
    match plan:
        case AsChart(kind=kind):
            is_same = type(numbers) is type(plan.of)
            return AsChart(numbers, kind if is_same else None)
        case AsTable():
            return AsTable(numbers)
        case AsKpi() if isinstance(numbers, Count | Aggregate):
            return AsKpi(numbers)
        case AsWorkbook():
            return AsWorkbook(numbers, plan.kind)
        case _:
            return numbers


def _measuring(numbers: Query, measure: Measure) -> Query:
    match numbers:
        case Count(scope) | Aggregate(scope):
            return Count(scope) if measure.kind == "count" else Aggregate(scope, measure)
        case GroupBy():
            return replace(numbers, measure=measure, is_share=False)
        case Top(scope, dimension, n, order):
            return GroupBy(scope, dimension, measure, n=n, order=order)
        case ByShift(scope, dimension):
            return GroupBy(scope, dimension, measure)
        case _:
            return numbers


def _shape_of(numbers: Query) -> Shape:
    """What there is to show in a picture of these numbers."""
    match numbers:
        case GroupBy(split=split) if split is not None:
            return "split"
        case GroupBy() | Top() | ByShift():
            return "times" if numbers.dimension.grain else "groups"
        case _:
            return "pair" if len(getattr(numbers, "columns", ())) > 1 else "values"
