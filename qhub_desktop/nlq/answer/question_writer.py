"""Questions in words: the sentence by which a plan is asked for, tried before it is shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from typing_extensions import override

from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.question_form import WrittenQuestion
from qhub_desktop.nlq.answer.plan_editor import named_days
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import counts_defects, period_name
from qhub_desktop.nlq.query_ast import (
    SIGNS,
    AsChart,
    AsTable,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Plan,
    Query,
    Rows,
    RowSelection,
    Spread,
    Value,
    query_of,
    rebuilt,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import STATISTICS

_MOST_TRIED = 8  # sentences for one plan


class QuestionWriter:
    """Writer of questions over one data set; `read` returns what a sentence is understood as."""

    def __init__(
        self, index: SchemaIndex, locale: AnswerLocale, read: Callable[[str], Plan]
    ) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)
        self._read = read

    def write(self, plan: DataPlan) -> WrittenQuestion:
        """Return the first sentence that is read as the plan, or else the plainest."""
        written = [*islice(self._sentences(plan), _MOST_TRIED)]
        for text in written:
            if is_same_plan(self._read(text), plan):
                return WrittenQuestion(text, is_read=True)
        return WrittenQuestion(written[0], is_read=False)

    def _sentences(self, plan: DataPlan) -> Iterator[str]:
        """Yield ways to say a plan, each by other wordings of its parts, the plainest first."""
        query = query_of(plan)
        head, by, rows = [*self._head(query)], [*self._by(_keys(query))], self._rows(query.scope)
        parts = [head, by, *([*each] for each in rows), [*self._form(plan)]]
        ways = sorted(
            product(*(range(len(each)) for each in parts)),
            key=lambda way: (sum(map(bool, way)), way),
        )
        for way in ways:
            what, groups, *where, form = (part[at] for part, at in zip(parts, way, strict=True))
            if where and groups and getattr(query, "is_share", False):
                yield _sentence([" ".join([self._share_by(groups), *where]), form])
            told = " ".join(filter(None, [what, groups]))
            yield _sentence([told, *where, form])
            if where and groups:
                yield _sentence([" ".join([what, *where, groups]), form])

    def _share_by(self, groups: str) -> str:
        """Write a share of groups so that a condition behind it is one of all the rows."""
        _ = self._locale.gettext
        is_of_defects = counts_defects(self._index)
        text = (
            _("percentage {by} of the defects")
            if is_of_defects
            else _("percentage {by} of the rows")
        )
        return text.format(by=groups)

    def _rows(self, scope: RowSelection) -> Iterator[Iterator[str]]:
        """Yield ways to say each condition of a selection."""
        for at, wanted in enumerate(scope.filters):
            yield self._filter(wanted, is_first=not at)
        if scope.period is not None:
            yield self._period(scope.period)

    def _called(self, column: str) -> list[str]:
        """Return what a column may be called, as it is told first, then as it stands."""
        return [*dict.fromkeys([self._locale.column(column), column, f"“{column}”"])]

    # What is asked for.

    def _head(self, query: Query) -> Iterator[str]:
        _ = self._locale.gettext
        is_of_defects = counts_defects(self._index)
        match query:
            case Rows():
                yield _("List the defects") if is_of_defects else _("List the rows")
                yield _("Show the rows")
            case Spread(columns=(column, *_more)):
                for name in self._called(column):
                    yield _("Distribution of {column}").format(column=name)
            case GroupBy(n=int(n), dimension=dimension, order=order):
                text = _("top {n} {dimension} by {measure}")
                if order == "least":
                    text = _("the {n} {dimension} with the least {measure}")
                for what in self._measure(query.measure):
                    for name in self._called(dimension.column):
                        yield text.format(n=n, dimension=name, measure=what)
            case Number(is_share=True) | GroupBy(is_share=True):
                yield _("percentage of defects") if is_of_defects else _("percentage of rows")
            case Number(measure=measure) | GroupBy(measure=measure):
                if measure.kind == "count":
                    yield _("how many defects") if is_of_defects else _("how many rows")
                yield from self._measure(measure)
            case _:
                return

    def _measure(self, measure: Measure) -> Iterator[str]:
        if measure.kind == "count":
            yield self._names.count()
            return
        yield self._names.measure(measure)
        raw = ColumnNames(self._index.profile, _Raw(self._locale.language))
        yield raw.measure(measure)
        if measure.kind == "distinct":
            for name in self._called(measure.column):
                text = self._locale.gettext("how many different {column}")
                yield text.format(column=name)

    def _by(self, keys: tuple[Dimension, ...]) -> Iterator[str]:
        _ = self._locale.gettext
        if not keys:
            yield ""
            return
        for name in (self._names.told, self._names.dimension):
            said = self._locale.listed([name(each) for each in keys])
            yield _("by {column}").format(column=said)
            yield _("in each {column}").format(column=said)
        if len(keys) > 1:
            yield " ".join(_("by {column}").format(column=self._names.dimension(e)) for e in keys)

    # Of which rows, when.

    def _filter(self, wanted: Filter, *, is_first: bool) -> Iterator[str]:
        _ = self._locale.gettext
        start = _("with {condition}") if is_first else _("and {condition}")
        for name in self._called(wanted.column):
            for values in self._values(wanted):
                if wanted.relation == "is not":
                    yield _("except {column} {value}").format(column=name, value=values[0])
                    yield _("without {column}").format(column=f"{name} {values[0]}")
                for said in self._condition(name, wanted, values):
                    yield start.format(condition=said)
            if wanted.relation == "missing":
                yield _("without {column}").format(column=name)

    def _condition(self, name: str, wanted: Filter, values: Sequence[str]) -> Iterator[str]:
        _ = self._locale.gettext
        either = _(" or ").join(values)
        match wanted.relation:
            case "is":
                yield f"{name} {either}"
                yield _("{column} equal to {value}").format(column=name, value=either)
            case "above" | "at least" | "below" | "at most" as relation:
                yield f"{name} {SIGNS[relation]} {either}"
            case "between":
                low, high = values
                text = _("{column} between {low} and {high}")
                yield text.format(column=name, low=low, high=high)
            case "contains":
                yield _("{column} that contains {value}").format(column=name, value=either)
                yield _("{column} with {value} in it").format(column=name, value=either)
            case "lacks":
                yield _("{column} that does not contain {value}").format(column=name, value=either)
            case "missing":
                yield _("{column} empty").format(column=name)
            case "present":
                yield _("{column} filled in").format(column=name)
            case _:
                return

    def _values(self, wanted: Filter) -> Iterator[list[str]]:
        """Yield the values of a condition as they are told, then as they stand in the data."""
        is_shift = wanted.column == self._index.shift_column
        told = [self._value(each, is_shift=is_shift) for each in wanted.values]
        if wanted.statistic:
            told = [self._locale.gettext(STATISTICS[wanted.statistic].label)]
        if wanted.relation in ("contains", "lacks"):
            told = [f"“{each}”" for each in told]
        yield told
        if is_shift and told != [*map(str, wanted.values)]:
            yield [*map(str, wanted.values)]

    def _value(self, value: Value, *, is_shift: bool) -> str:
        match value:
            case int() | float() if not isinstance(value, bool):
                return question_number(value, self._locale)
            case _:
                return self._locale.value(value, is_shift=is_shift)

    def _period(self, period: Period) -> Iterator[str]:
        _ = self._locale.gettext
        first, last = period.start, period.end
        end = self._index.last_day
        if end is not None and period.column == self._index.date_column:
            for each in named_days(end, self._locale):
                if each.said and (each.start, each.end) == (first, last):
                    yield each.said
        start = None if first is None else self._locale.value(first)
        until = None if last is None else self._locale.value(last)
        if start is None:
            days = _("until {day}").format(day=until)
        elif until is None:
            days = _("since {day}").format(day=start)
        elif first == last:
            days = _("on {day}").format(day=start)
        else:
            if name := period_name(period, self._locale):
                yield _("in {month}").format(month=name)
            days = _("from {first} to {last}").format(first=start, last=until)
        yield days
        for name in self._called(period.column):
            yield _("with {condition}").format(condition=f"{name} {days}")

    def _form(self, plan: DataPlan) -> Iterator[str]:
        _ = self._locale.gettext
        match plan:
            case AsTable():
                yield _("in a table")
            case AsChart(kind=str(name)):
                label = next((_(each.label) for each in chart_kinds() if each.name == name), "")
                yield _("as {chart}").format(chart=label)
                yield _("as {chart}").format(chart=_("{kind} chart").format(kind=label))
            case AsChart():
                yield _("in a chart")
            case _:
                yield ""


def _sentence(parts: Sequence[str]) -> str:
    text = ", ".join(filter(None, parts))
    return text[:1].upper() + text[1:]


def _keys(query: Query) -> tuple[Dimension, ...]:
    """Return what a question says behind 'by': not the groups of a ranking."""
    match query:
        case GroupBy(n=None, keys=keys):
            return keys
        case Spread(dimension=Dimension() as dimension):
            return (dimension,)
        case _:
            return ()


class _Raw(AnswerLocale):
    """The language, with the names of columns as they stand in the data."""

    @override
    def column(self, name: str) -> str:
        return name


def question_number(value: float, locale: AnswerLocale) -> str:
    """Write a number whole, without marks of thousands, which a question is not read with."""
    return f"{value:.12g}".replace(".", "," if locale.language == "pt" else ".")


def is_same_plan(one: Plan, other: Plan) -> bool:
    """Return whether two plans compute and show the same, however their questions were worded."""
    return _plain(one) == _plain(other)


def _ordered(scope: RowSelection) -> RowSelection:
    return replace(scope, filters=tuple(sorted(scope.filters, key=repr)))


def _plain(plan: Plan) -> Plan:
    def plainer(part: object) -> object:
        match part:
            case Number() | Rows():
                return replace(part, noun="", scope=_ordered(part.scope))
            case GroupBy() | Spread():
                return replace(part, scope=_ordered(part.scope))
            case Period():
                return replace(part, said="")
            case AsChart():
                return replace(part, is_new=True)
            case _:
                return part

    return rebuilt(plan, plainer)
