"""A plan as the controls of a form: what may be chosen in each, and the plan that this makes.

What is given is the form's input: `asked_parts` fills it in with a plan, `PlanForm` makes one.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Literal, cast

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.question_form import FormChoice, FormField
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer.plan_editor import STATISTICS_OFFERED, named_days, shape_of
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import counts_defects, filter_text, period_text
from qhub_desktop.nlq.planner import chart_query, table_query
from qhub_desktop.nlq.query_ast import (
    GRAINS,
    ROW_COUNT,
    SIGNS,
    AsChart,
    AsTable,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Order,
    Period,
    Query,
    Relation,
    Rows,
    RowSelection,
    Spread,
    query_of,
    select,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import STATISTICS, StatisticKind

# Of a column, but for the first two and the last; `other` is a measure that has no control.
Statistic = Literal["count", "share", StatisticKind, "distinct", "values", "rows", "other"]
_OFFERED: tuple[Statistic, ...] = (
    "count",
    "share",
    *STATISTICS_OFFERED,
    "range",
    "distinct",
    "values",
    "rows",
)
_MOST_GROUPS = 200  # of a column that rows are offered to be grouped by
_MOST_VALUES = 300  # in a list to choose from
_MOST_NUMBERS = 30  # different ones, for rows to be grouped by them
_MOST_MONTHS = 24
_OWN = "own"  # said of days that are typed, which may be those that have a name, too
_RANKED = (3, 5, 10, 20)
_OPEN: tuple[Relation, ...] = ("missing", "present")
_OF_WORDS: tuple[Relation, ...] = ("is", "is not", "contains", "lacks", *_OPEN)
_OF_NUMBERS: tuple[Relation, ...] = ("is", "is not", *SIGNS, "between", *_OPEN)
_SEVERAL: tuple[Relation, ...] = ("is", "is not", "contains", "lacks")


@dataclass(frozen=True, slots=True)
class Ranking:
    """How many groups are shown, and from which end."""

    n: int
    order: Order = "most"


@dataclass(frozen=True, slots=True)
class AskedParts:
    """What the form is given. Filters and days may be unfinished."""

    dataset: str = ""
    statistic: Statistic = "count"
    column: str = ""
    other: Measure | None = None
    dimension: Dimension | None = None
    split: Dimension | None = None
    ranking: Ranking | None = None
    filters: tuple[Filter, ...] = ()
    period: Period | None = None
    shown: str = ""  # "table" or a kind of chart

    @property
    def measure(self) -> Measure:
        """What is measured of the rows."""
        if self.statistic == "other" and self.other is not None:
            return self.other
        match self.statistic:
            case "count" | "share" | "values" | "rows" | "other":
                return ROW_COUNT
            case kind:
                return Measure(kind, self.column)


def asked_parts(plan: DataPlan) -> AskedParts:
    """Return the parts of a plan that the form has controls for."""
    shown = plan.kind or "" if isinstance(plan, AsChart) else ""
    parts = AskedParts(shown="table" if isinstance(plan, AsTable) else shown)
    query = query_of(plan)
    match query:
        case Number(measure=measure) | GroupBy(measure=measure):
            parts = _with_measure(parts, measure, is_share=query.is_share)
        case Spread(columns=(column, *_), shows="values", dimension=by):
            parts = replace(parts, statistic="values", column=column, dimension=by)
        case Rows():
            parts = replace(parts, statistic="rows")
        case _:
            pass
    if isinstance(query, GroupBy):
        parts = replace(parts, dimension=query.dimension, split=query.split)
        if query.n is not None and query.split is None:
            parts = replace(parts, ranking=Ranking(query.n, query.order))
    scope, period = query.scope, query.scope.period
    return replace(
        parts,
        dataset=scope.dataset,
        filters=scope.filters,
        period=None if period is None else replace(period, said=""),
    )


def _with_measure(parts: AskedParts, measure: Measure, *, is_share: bool) -> AskedParts:
    if measure == ROW_COUNT:
        return replace(parts, statistic="share" if is_share else "count")
    for kind in _OFFERED:
        if (
            measure.column
            and measure == Measure(measure.kind, measure.column)
            and measure.kind == kind
        ):
            return replace(parts, statistic=kind, column=measure.column)
    return replace(parts, statistic="other", other=measure)


class PlanForm:
    """Form of plans over one data set: its controls, and the plan that they make."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)

    def settled(self, parts: AskedParts) -> AskedParts:
        """Return the parts without what the data set or another part leaves no room for."""
        index = self._index
        parts = replace(parts, dataset=index.profile.dataset)
        columns = self._measured(parts.statistic)
        if parts.statistic not in self._statistics(parts):
            parts = replace(parts, statistic="count")
        elif columns and parts.column not in columns:
            parts = replace(parts, column=columns[0])
        groups = self._groups(parts)
        if parts.dimension not in groups and not self._is_known(parts.dimension):
            parts = replace(parts, dimension=None)
        if parts.dimension is None or parts.statistic in ("values", "rows"):
            parts = replace(parts, split=None, ranking=None)
        if parts.split == parts.dimension or not self._is_known(parts.split):
            parts = replace(parts, split=None)
        if parts.split is not None:
            parts = replace(parts, ranking=None)
        kept = (each for each in parts.filters if each.column and index.has_columns([each.column]))
        parts = replace(parts, filters=tuple(map(self._settled_filter, kept)))
        period = parts.period
        if period is not None and self._days(period.column) is None:
            parts = replace(parts, period=None)
        shapes = [each.value for each in self._shapes(parts)]
        if parts.shown not in shapes:
            parts = replace(parts, shown=str(shapes[0]))
        return parts

    def plan(self, parts: AskedParts) -> DataPlan | None:
        """Return the plan of settled parts; None while something is missing or wrong."""
        if any(each.problem for each in self.fields(parts)):
            return None
        filters = tuple(each for each in parts.filters if self._is_whole(each))
        period = None if parts.period is None else replace(parts.period, said="")
        scope = RowSelection(parts.dataset, filters, period)
        query = self._query(parts, scope)
        if parts.shown == "table":
            return AsTable(table_query(query, self._index))
        if parts.shown or parts.statistic == "values":
            drawn = chart_query(query, self._index)
            return query if drawn is None else AsChart(drawn, parts.shown or None)
        return query

    def _query(self, parts: AskedParts, scope: RowSelection) -> Query:
        if parts.statistic == "rows":
            return Rows(scope)
        if parts.statistic == "values":
            return Spread(scope, (parts.column,), parts.dimension)
        dimensions = [each for each in (parts.dimension, parts.split) if each is not None]
        is_share = parts.statistic == "share"
        made = select(scope, dimensions, parts.measure, is_share=is_share)
        if isinstance(made, GroupBy) and parts.ranking is not None:
            return replace(made, n=parts.ranking.n, order=parts.ranking.order)
        return made

    def fields(self, parts: AskedParts) -> tuple[FormField, ...]:
        """Return the controls of settled parts, in their order."""
        return tuple(self._fields(parts))

    def _fields(self, parts: AskedParts) -> Iterator[FormField]:
        _ = self._locale.gettext
        problem = ""
        if parts.statistic == "share" and not (
            parts.dimension or any(map(self._is_whole, parts.filters))
        ):
            problem = _("A share is of something: choose by what, or which rows.")
        chosen = [FormChoice(self._statistic(parts, e), e) for e in self._statistics(parts)]
        yield FormField(
            ("statistic",), "measure", _("Measure"), parts.statistic, tuple(chosen), problem=problem
        )
        if columns := self._measured(parts.statistic):
            of = tuple(FormChoice(self._locale.column(each), each) for each in columns)
            yield FormField(("column",), "measure", _("Column"), parts.column, of, is_joined=True)
        yield from self._group_fields(parts)
        for at, wanted in enumerate((*parts.filters, Filter("", ()))):
            yield from self._filter_fields(at, wanted)
        yield from self._period_fields(parts.period)
        if len(shapes := self._shapes(parts)) > 1:
            yield FormField(("shown",), "chart", _("Chart"), parts.shown, shapes)

    # What is measured.

    def _statistics(self, parts: AskedParts) -> list[Statistic]:
        every = [*_OFFERED]
        if parts.other is not None and self._index.has_columns(filter(None, [parts.other.column])):
            every.insert(0, "other")
        always = ("other", "count", "share", "rows")
        return [each for each in every if each in always or self._measured(each)]

    def _statistic(self, parts: AskedParts, kind: Statistic) -> str:
        _ = self._locale.gettext
        is_of_defects = counts_defects(self._index)
        match kind:
            case "other" if parts.other is not None:
                return self._names.measure(parts.other)
            case "share":
                return _("share of the defects") if is_of_defects else _("share of the rows")
            case "distinct":
                return _("different values")
            case "values":
                return _("distribution")
            case "rows":
                return _("the defects themselves") if is_of_defects else _("the rows themselves")
            case "count" | "other":
                return self._names.count()
            case _:
                return _(STATISTICS[kind].label)

    def _measured(self, kind: Statistic) -> list[str]:
        """Return the columns that a statistic may be of; none where it is of no column."""
        if kind == "distinct":
            return [each.name for each in self._index.profile.columns]
        is_of_column = kind in STATISTICS or kind == "values"
        return [*self._index.measures] if is_of_column else []

    # How it is grouped.

    def _groups(self, parts: AskedParts) -> list[Dimension]:
        """Return what rows may be grouped by, the most telling first."""
        if parts.statistic == "rows":
            return []
        index, found = self._index, [Dimension(each) for each in self._index.categories]
        moments = [] if parts.statistic == "values" else self._moments()
        if index.date_column in moments:
            moments.sort(key=lambda each: each != index.date_column)
        for name in moments:
            is_timed = index.column(name).type == "datetime"
            grains = [each for each in GRAINS if each != "hour" or is_timed]
            found += [Dimension(name, each) for each in grains]
        for each in index.profile.columns:
            most = _MOST_NUMBERS if index.is_measure(each.name) else _MOST_GROUPS
            if (
                1 < each.distinct <= most
                and Dimension(each.name) not in found
                and not index.is_moment(each.name)
            ):
                found.append(Dimension(each.name))
        return found

    def _is_known(self, dimension: Dimension | None) -> bool:
        return dimension is None or self._index.has_columns([dimension.column])

    def _group_fields(self, parts: AskedParts) -> Iterator[FormField]:
        _ = self._locale.gettext
        groups, by = self._groups(parts), parts.dimension
        if not groups:
            return
        none = FormChoice(_("not split"), None)
        yield FormField(
            ("dimension",), "dimension", _("By"), codec.pack(by), (none, *self._by(groups, by))
        )
        if by is None or parts.statistic == "values":
            return
        if parts.ranking is None:
            rest = [each for each in groups if each.column != by.column]
            second = (FormChoice(_("and by…"), None), *self._by(rest, parts.split))
            label = _("and by")
            yield FormField(
                ("split",), "dimension", label, codec.pack(parts.split), second, is_joined=True
            )
        if parts.split is None and not by.grain:
            yield self._ranking_field(parts.ranking)

    def _by(self, groups: Sequence[Dimension], chosen: Dimension | None) -> list[FormChoice]:
        listed = [*groups, *([chosen] if chosen is not None and chosen not in groups else [])]
        return [FormChoice(self._names.told(each), codec.pack(each)) for each in listed]

    def _ranking_field(self, chosen: Ranking | None) -> FormField:
        _ = self._locale.gettext
        ends: tuple[tuple[Order, str], ...] = (
            ("most", _("the highest {n}")),
            ("least", _("the lowest {n}")),
        )
        offered = [Ranking(n, order) for order, _text in ends for n in _RANKED]
        if chosen is not None and chosen not in offered:
            offered.insert(0, chosen)
        told = dict(ends)
        choices = [FormChoice(_("all groups"), None)]
        choices += [FormChoice(told[e.order].format(n=e.n), codec.pack(e)) for e in offered]
        value = codec.pack(chosen)
        return FormField(("ranking",), "order", _("How many"), value, tuple(choices))

    # Which rows.

    def _begun(self, column: str) -> Filter:
        """Return a filter as it is when its column has just been chosen."""
        return Filter(column, (), self._relations(column)[0])

    def _settled_filter(self, wanted: Filter) -> Filter:
        if self._is_plain(wanted):
            if wanted.relation not in self._relations(wanted.column):
                wanted = self._begun(wanted.column)
            most = {"missing": 0, "present": 0, "between": 2}.get(wanted.relation)
            if most is None and wanted.relation not in _SEVERAL:
                most = 1
            fits = [each for each in wanted.values if self._fits(each, wanted)]
            return replace(wanted, values=tuple(dict.fromkeys(fits))[:most])
        return wanted

    def _is_plain(self, wanted: Filter) -> bool:
        """Return whether the form has controls for a filter; others stay as they are, or go."""
        if (
            wanted.grain
            or wanted.other
            or wanted.unit
            or wanted.statistic
            or wanted.relation == "outside"
        ):
            return False
        return wanted.relation in _OPEN or not self._index.is_moment(wanted.column)

    def _fits(self, value: object, wanted: Filter) -> bool:
        is_number = self._index.is_number(wanted.column) and wanted.relation not in (
            "contains",
            "lacks",
        )
        return is_number == (isinstance(value, int | float) and not isinstance(value, bool))

    def _is_whole(self, wanted: Filter) -> bool:
        least = {"missing": 0, "present": 0, "between": 2}.get(wanted.relation, 1)
        return not self._is_plain(wanted) or len(wanted.values) >= least

    def _relations(self, column: str) -> tuple[Relation, ...]:
        if self._index.is_moment(column):
            return _OPEN
        if self._index.column(column).type == "boolean":
            return ("is", *_OPEN)
        return _OF_NUMBERS if self._index.is_number(column) else _OF_WORDS

    def _filter_fields(self, at: int, wanted: Filter) -> Iterator[FormField]:
        _, path = self._locale.gettext, ("filters", at)
        columns = [
            FormChoice(self._locale.column(each.name), codec.pack(self._begun(each.name)))
            for each in self._index.profile.columns
        ]
        label = _("and where") if at else _("Where")
        if not wanted.column:
            none = FormChoice("–" if at else _("all rows"), None)
            yield FormField(path, "filter", label, None, (none, *columns))
            return
        none = FormChoice(_("without this filter"), None)
        if not self._is_plain(wanted):
            told = filter_text(wanted, self._index, self._locale)
            kept = FormChoice(told, codec.pack(wanted))
            yield FormField(path, "filter", label, kept.value, (kept, none))
            return
        own = codec.pack(self._begun(wanted.column))
        yield FormField(path, "filter", label, own, (none, *columns))
        relations = [FormChoice(self._relation(e), e) for e in self._relations(wanted.column)]
        yield FormField(
            (*path, "relation"),
            *("filter", _("Relation"), wanted.relation, tuple(relations)),
            is_joined=True,
        )
        yield from self._value_fields(path, wanted)

    def _relation(self, relation: Relation) -> str:
        _ = self._locale.gettext
        told = {
            "is": _("is"),
            "is not": _("is not"),
            "between": _("between"),
            "missing": _("is empty"),
            "present": _("is filled in"),
            "contains": _("contains"),
            "lacks": _("does not contain"),
        }
        return told.get(relation, SIGNS.get(relation, relation))

    def _value_fields(self, path: tuple[str | int, ...], wanted: Filter) -> Iterator[FormField]:
        _, column = self._locale.gettext, self._index.column(wanted.column)
        if wanted.relation in _OPEN:
            return
        count = len(wanted.values) + 1 if wanted.relation in _SEVERAL else 1
        count = 2 if wanted.relation == "between" else count
        choices: tuple[FormChoice, ...] = ()
        is_listed = wanted.relation in ("is", "is not") and not is_numeric(column.type)
        if is_listed and column.distinct <= len(column.known) <= _MOST_VALUES:
            is_shift = column.name == self._index.shift_column
            choices = tuple(
                FormChoice(
                    self._locale.value(cast("Json", each), is_shift=is_shift), codec.pack(each)
                )
                for each in column.known
                if each not in (None, "")
            )
        is_number = is_numeric(column.type) and wanted.relation not in ("contains", "lacks")
        for at in range(count):
            value = wanted.values[at] if at < len(wanted.values) else None
            label = (
                _("Value") if not at else (_("and") if wanted.relation == "between" else _("or"))
            )
            none = FormChoice(_("or…") if at else "–", None)
            problem = ""
            if wanted.relation == "between" and at and wanted.values[1:] < wanted.values[:1]:
                problem = _("The second number is below the first.")
            yield FormField(
                (*path, "values", at),
                *("filter", label, codec.pack(value)),
                choices=(none, *choices) if choices else (),
                type=column.type if is_number else "text",
                problem=problem,
                is_joined=True,
            )

    # When.

    def _moments(self) -> list[str]:
        columns = self._index.profile.columns
        return [each.name for each in columns if each.type in ("date", "datetime")]

    def _days(self, column: str) -> tuple[date, date] | None:
        """Return the first and the last day of a column; None where there are none."""
        found = self._index.profile.column(column)
        match found and (found.min, found.max):
            case (date() as first, date() as last):
                return _day(first), _day(last)
            case _:
                return None

    def _named_days(self, column: str) -> Iterator[tuple[str, Period]]:
        """Yield the days on offer by their names, and the latest months of the data."""
        days = self._days(column)
        if days is None:
            return
        first, last = days
        for each in named_days(last, self._locale):
            yield each.label, Period(column, each.start, each.end)
        month = last.replace(day=1)
        for _at in range(_MOST_MONTHS):
            end = month.replace(day=monthrange(month.year, month.month)[1])
            yield month.strftime("%m/%Y"), Period(column, month, end)
            month = (month - timedelta(days=1)).replace(day=1)
            if month < first.replace(day=1):
                return

    def _period_fields(self, period: Period | None) -> Iterator[FormField]:
        _ = self._locale.gettext
        days = [each for each in self._moments() if self._days(each)]
        if not days:
            return
        column = self._index.date_column if period is None else period.column
        column = column if column in days else days[0]
        named = {"None": FormChoice(_("all days"), None)}
        for name, days_ in self._named_days(column):
            named.setdefault(repr(days_), FormChoice(name, codec.pack(days_)))
        choices, value = [*named.values()], codec.pack(period)
        is_own = period is not None and value not in [each.value for each in choices]
        if period is not None and is_own:
            label = period_text(period, self._locale) if period.but else _("other days…")
            choices.append(FormChoice(label, value))
        else:
            first, last = self._days(column) or (None, None)
            whole = Period(column, first, last, said=_OWN)
            choices.append(FormChoice(_("other days…"), codec.pack(whole)))
        yield FormField(("period",), "period", _("Period"), value, tuple(choices))
        if period is None:
            return
        if is_own and period.but is None:
            is_turned = bool(period.start and period.end and period.end < period.start)
            problem = _("The last day is before the first.") if is_turned else ""
            ends = (("start", _("from"), ""), ("end", _("to"), problem))
            for name, label, wrong in ends:
                day = codec.pack(getattr(period, name))
                yield FormField(
                    ("period", name),
                    *("period", label, day),
                    type="date",
                    problem=wrong,
                    is_joined=True,
                )
        if len(days) > 1:
            listed = tuple(FormChoice(self._locale.column(each), each) for each in days)
            yield FormField(("period", "column"), "period", _("of"), column, listed, is_joined=True)

    # How it is shown.

    def _shapes(self, parts: AskedParts) -> tuple[FormChoice, ...]:
        """Return the ways to show what the parts make."""
        _ = self._locale.gettext
        if parts.statistic == "rows" or (parts.dimension is None and parts.statistic != "values"):
            return (FormChoice(_("no chart"), ""),)
        query = self._query(parts, RowSelection(parts.dataset))
        drawn = chart_query(query, self._index)
        kinds = [
            FormChoice(_(each.label), each.name)
            for each in chart_kinds()
            if drawn is not None and shape_of(drawn) in each.suits
            if not isinstance(drawn, Spread)
            or (each.takes == "values") is (drawn.dimension is None)
        ]
        if parts.statistic == "values":
            return tuple(kinds)
        return (FormChoice(_("automatic"), ""), FormChoice(_("table"), "table"), *kinds)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
