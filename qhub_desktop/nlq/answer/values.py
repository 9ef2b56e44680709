"""Values of queries in short: the number, the first groups, a line over time."""

from collections.abc import Collection, Sequence
from typing import Literal

from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.readings import MOST_SPARKS, ReadingValue
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.executor import Call, PlanExecutor, defect_index
from qhub_desktop.nlq.phrases import Phrases, sign_of, unit_of
from qhub_desktop.nlq.query_ast import (
    CALENDAR_GRAINS,
    AsDashboard,
    AsStudy,
    Columns,
    DataPlan,
    Describe,
    Dimension,
    GroupBy,
    Number,
    Query,
    Rows,
    Spread,
    columns_of,
    dataset_of,
    is_count,
    parts_of,
    query_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tool_results import Group, error_text, measured_value, read_result

_FIRST_GROUPS = 3


def value_calls(
    plan: DataPlan, indexes: Sequence[SchemaIndex], locale: AnswerLocale, tools: Collection[str]
) -> tuple[Call, ...]:
    """Return the calls for the numbers of a plan, without its chart, table or page.

    None where the plan is of data that are not here, or has no numbers to show in short.
    """
    index = _own_index(plan, indexes)
    if index is None or isinstance(plan, Describe | Columns | AsDashboard | AsStudy):
        return ()
    has_tools = index is defect_index(indexes)
    executor = PlanExecutor(index, locale, tools=tools, has_defect_tools=has_tools)
    return tuple(each for each in executor.value_calls(query_of(plan)) if each.name in tools)


def value_of(
    plan: DataPlan,
    results: Sequence[ToolResult],
    indexes: Sequence[SchemaIndex],
    locale: AnswerLocale,
) -> ReadingValue | None:
    """Return what a plan comes to by the results of its `value_calls`; None where it has none."""
    index = _own_index(plan, indexes)
    if index is None or not results or error_text(results) is not None:
        return None
    return ValueWriter(index, locale).of(query_of(plan), results)


def printed(value: ReadingValue) -> str:
    """Return a value on one line: its first groups, each with its number, else its text."""
    return " · ".join(": ".join(each) for each in value.groups) or value.text


def _own_index(plan: DataPlan, indexes: Sequence[SchemaIndex]) -> SchemaIndex | None:
    named = [each for each in indexes if each.profile.dataset == dataset_of(plan)]
    return next((each for each in named if each.has_columns(columns_of(plan))), None)


class ValueWriter:
    """Writer of what queries over one data set come to, in short."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._phrases = Phrases(index, locale)

    def of(self, query: Query, results: Sequence[ToolResult]) -> ReadingValue | None:
        """Return what a query comes to."""
        if (parts := parts_of(query)) is not None:
            if (beside := self._beside(parts, results)) is not None:
                return beside
            told = [self.of(part, results[place : place + 1]) for place, part in enumerate(parts)]
            values = [printed(each) for each in told if each is not None]
            between = "; " if any(each is not None and each.groups for each in told) else " · "
            return ReadingValue(between.join(values)) if len(values) == len(parts) else None
        match query:
            case Number():
                return ReadingValue(self._number(query, results))
            case GroupBy():
                return self._groups(query, results)
            case Rows(by="", n=n):
                count = int(read_result(Number(query.scope), results).total or 0)
                return ReadingValue(self._count(min(count, n or count), "row"))
            case Spread(shows="outliers"):
                return ReadingValue(self._count(_row_count(results), "row"))
            case Rows(by=by):
                return self._ranked(query, by, results)
            case Spread(shows="distinct", columns=(column,)):
                read = read_result(query, results)
                groups = tuple(
                    (
                        self._group_name(each.labels, (Dimension(column),)),
                        self._phrases.number(each.value),
                    )
                    for each in read.groups[:_FIRST_GROUPS]
                )
                number = self._count(read.group_count, "value")
                first = ((number, ": ".join(groups[0])), *groups[1:]) if groups else ()
                return ReadingValue(number, first)
            case Spread(shows="correlation"):
                value = measured_value(results)[0]
                if not isinstance(value, int | float):
                    return None
                return ReadingValue(self._locale.number(value, digits=2))
            case _:
                return None

    def _beside(self, parts: Sequence[Query], results: Sequence[ToolResult]) -> ReadingValue | None:
        """Return the first groups with several numbers each; None where the parts have others."""
        of_groups = [each for each in parts if isinstance(each, GroupBy)]
        if len(of_groups) < len(parts) or len({each.keys for each in of_groups}) > 1:
            return None
        read = [
            read_result(each, results[place : place + 1]) for place, each in enumerate(of_groups)
        ]
        first, *others = [
            {each.labels: self._group_number(query, each, one.total) for each in one.groups}
            for query, one in zip(of_groups, read, strict=True)
        ]
        groups = tuple(
            (
                self._group_name(labels, of_groups[0].keys),
                " / ".join([number, *(each.get(labels, "–") for each in others)]),
            )
            for labels, number in [*first.items()][:_FIRST_GROUPS]
        )
        return ReadingValue(self._count(read[0].group_count, "group"), groups)

    def _number(self, query: Number, results: Sequence[ToolResult]) -> str:
        if is_count(query):
            read = read_result(query, results)
            if query.is_share:
                return self._locale.percent(read.total or 0, read.whole or 0)
            return self._locale.number(read.total or 0)
        value = measured_value(results)[0]
        if value is None:
            return self._locale.gettext("no value")
        return self._phrases.number(value) + unit_of(query.measure, self._locale)

    def _groups(self, query: GroupBy, results: Sequence[ToolResult]) -> ReadingValue:
        read = read_result(query, results)
        first = tuple(
            (self._group_name(each.labels, query.keys), self._group_number(query, each, read.total))
            for each in read.groups[:_FIRST_GROUPS]
        )
        values = tuple(float(each.value) for each in read.groups)
        is_over_time = query.dimension.grain in CALENDAR_GRAINS and len(query.keys) == 1
        spark = values[-MOST_SPARKS:] if is_over_time else ()
        if query.n == 1 and first:
            return ReadingValue(": ".join(first[0]))
        return ReadingValue(self._count(read.group_count, "group"), first, spark)

    def _group_name(self, labels: Sequence[Json], keys: Sequence[Dimension]) -> str:
        told = zip(labels, keys, strict=False)
        return " · ".join(self._phrases.group_value(label, key) for label, key in told)

    def _group_number(self, query: GroupBy, group: Group, total: float | None) -> str:
        if query.is_share and total:
            return self._locale.percent(group.value, total)
        return self._phrases.with_unit(group.value, query.measure)

    def _ranked(self, query: Rows, by: str, results: Sequence[ToolResult]) -> ReadingValue | None:
        """Return what the first rows have, each by what it is called."""
        match results[0].content:
            case {"linhas": [[_, *_], *_] as lines, "colunas": [str(head), *_] as heads}:
                rows = [each for each in lines if isinstance(each, list)]
                called = [each for each in self._index.telling if self._index.is_identity(each)]
                at = next((heads.index(each) for each in called if each in heads), None)
                cells = [self._phrases.cell(row[0], head) + sign_of(by) for row in rows]
                if at is None or query.within:
                    return ReadingValue(cells[0])
                names = [self._phrases.cell(row[at], called[0]) for row in rows]
                told = tuple(zip(names, cells, strict=True))[:_FIRST_GROUPS]
                if query.n == 1:
                    return ReadingValue(": ".join(told[0]))
                return ReadingValue(self._count(min(len(rows), query.n or len(rows)), "row"), told)
            case _:
                return ReadingValue(self._count(0, "row"))

    def _count(self, count: int, of: Literal["row", "value", "group"]) -> str:
        ngettext = self._locale.ngettext
        text = ngettext("{count} row", "{count} rows", count)
        if of == "value":
            text = ngettext("{count} value", "{count} values", count)
        elif of == "group":
            text = ngettext("{count} group", "{count} groups", count)
        return text.format(count=self._locale.number(count))


def _row_count(results: Sequence[ToolResult]) -> int:
    """Return how many rows a query has found, the ones that were not fetched among them."""
    match results[0].content:
        case {"total_linhas": int() as count}:
            return count
        case _:
            return 0
