"""Single numbers and statistics to sentences: the number first, then what it compares to."""

import math
from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import ToolResult
from qhub_desktop.nlq.answer.groups import LINES, GroupWriter, markdown
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.contribution_analysis import baseline
from qhub_desktop.nlq.phrases import Phrases, counts_defects, period_text, scope_text
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    ByShift,
    Comparison,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    GroupBy,
    Measure,
    MeasureKind,
    Missing,
    Outliers,
    Query,
    RawValues,
    Rows,
    Several,
    Summary,
    Top,
    parts_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import ColumnNames
from qhub_desktop.nlq.tool_results import PlanResult, measured_value, read_result

WEAK, MODERATE, STRONG = 0.2, 0.4, 0.7  # limits of Evans (1996), as in most quality handbooks


class ScalarWriter:
    """Writer of single numbers, statistics and rows, over one data set and in one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)
        self._phrases = Phrases(index, locale)
        self._groups = GroupWriter(index, locale)

    def write(
        self, plan: Query, results: Sequence[ToolResult], *, is_brief: bool = False
    ) -> list[str]:
        """Write a query's result as paragraphs. `is_brief` leaves the lists out."""
        scope = scope_text(plan.scope, self._index, self._locale)
        match plan:
            case Comparison():
                return [self._difference(plan, results)]
            case Several(of=of):
                return self._several(of, results)
            case Rows(by=by) if by:
                return self._ranked_rows(plan, results, scope)
            case Rows():
                return self._rows(plan, results, scope)
            case Outliers():
                return [self._outliers(plan, results, scope)]
            case Correlation():
                return [self._correlation(plan, results, scope)]
            case Summary():
                return self._summary(plan, results, scope)
            case Missing():
                return self._missing(results, scope)
            case Duplicates():
                return [self._duplicates(results, scope)]
            case _:
                pass
        change = self._against_before(plan, results)
        if baseline(plan, self._index) is not None:
            results = results[:1]
        result = read_result(plan, results)
        match plan:
            case Count():
                return [" ".join([self._count(plan, result, scope), *change])]
            case Aggregate():
                return [" ".join([*self._measured(plan, results, scope), *change])]
            case Distinct(column=column):
                return self._distinct(column, result, scope)
            case Top():
                return self._groups.top(plan, result, scope, is_brief=is_brief)
            case ByShift() | GroupBy():
                return self._groups.groups(plan, result, scope, is_brief=is_brief)
            case RawValues():
                return []

    def _several(self, of: Sequence[Query], results: Sequence[ToolResult]) -> list[str]:
        """Write each of several queries; a comparison among them has two results."""
        paragraphs: list[str] = []
        for each in of:
            count = len(parts_of(each) or (each,))
            own, results = results[:count], results[count:]
            paragraphs += self.write(each, own, is_brief=False)
        return paragraphs

    def _difference(self, plan: Comparison, results: Sequence[ToolResult]) -> str:
        """Write two numbers, their difference, and how much of the first that is."""
        _, phrases = self._locale.gettext, self._phrases
        values = [
            self._one_number(part, results[place : place + 1])
            for place, part in enumerate((plan.first, plan.second))
        ]
        names = [
            self._what_differs(plan.first, plan.second),
            self._what_differs(plan.second, plan.first),
        ]
        told = [
            f"**{phrases.number(value)}** ({name})" if value is not None else f"– ({name})"
            for value, name in zip(values, names, strict=True)
        ]
        first, second = values
        sentence = _("{first} against {second}").format(first=told[0], second=told[1])
        if first is None or second is None:
            return f"{sentence}."
        return f"{sentence}: {phrases.change(second, first)}."

    def _one_number(self, plan: Query, results: Sequence[ToolResult]) -> float | None:
        if isinstance(plan, Count):
            return read_result(plan, results[:1]).total
        value = measured_value(results[:1])[0]
        return value if isinstance(value, int | float) else None

    def _what_differs(self, plan: Count | Aggregate, other: Count | Aggregate) -> str:
        """Return in words what one number is of and the other is not."""
        locale = self._locale
        parts: list[str] = []
        if isinstance(plan, Aggregate):
            parts.append(self._names.measure(plan.measure))
        own = replace(
            plan.scope,
            filters=tuple(each for each in plan.scope.filters if each not in other.scope.filters),
            period=plan.scope.period if plan.scope.period != other.scope.period else None,
        )
        parts.append(scope_text(own, self._index, locale).strip(" ()"))
        return ", ".join(filter(None, parts)) or locale.gettext("all rows")

    def _ranked_rows(self, plan: Rows, results: Sequence[ToolResult], scope: str) -> list[str]:
        """Write the row with the most or the least of a number, and what was asked of it."""
        _, locale = self._locale.gettext, self._locale
        lines, heads = _lists(_content(results, "linhas")), _content(results, "colunas")
        if not lines:
            return [self._phrases.no_rows(scope)]
        told = 1 + len(plan.columns or self._index.telling)

        def row(line: Sequence[Json]) -> str:
            cells = zip(heads[1:told], line[1:told], strict=True)
            return "; ".join(
                f"{locale.literal(str(head))}: **{locale.value(cell)}**" for head, cell in cells
            )

        text = (
            _("**{value}** is the lowest {column}{scope}: {row}.")
            if plan.order == "least"
            else _("**{value}** is the highest {column}{scope}: {row}.")
        )
        if self._index.is_moment(plan.by):
            text = (
                _("**{value}** is the first {column}{scope}: {row}.")
                if plan.order in ("least", "first")
                else _("**{value}** is the last {column}{scope}: {row}.")
            )
        first = lines[0]
        sentence = text.format(
            value=locale.value(first[0]),
            column=locale.column(plan.by),
            scope=scope,
            row=row(first),
        )
        if len(lines) == 1:
            return [sentence]
        listed = [
            f"{place}. **{locale.value(line[0])}** · {row(line)}"
            for place, line in enumerate(lines[:LINES], start=1)
        ]
        return [sentence, "\n".join(listed)]

    def _against_before(self, plan: Query, results: Sequence[ToolResult]) -> list[str]:
        """Write the change of a number against its baseline, whose result comes last."""
        before = baseline(plan, self._index)
        if before is None or before.scope.period is None or len(results) < 2:
            return []
        now_and_then: list[float] = []
        for result in (results[0], results[-1]):
            value = (
                read_result(plan, [result]).total
                if isinstance(plan, Count)
                else measured_value([result])[0]
            )
            now_and_then.append(value if isinstance(value, int | float) else math.nan)
        now, then = now_and_then
        if math.isnan(now) or math.isnan(then):
            return []
        text = self._locale.gettext(
            "Change: {change} against {before} in the period before ({days})."
        )
        return [
            text.format(
                change=self._phrases.change(now, then),
                before=self._phrases.number(then),
                days=period_text(before.scope.period, self._locale),
            )
        ]

    def _outliers(self, plan: Outliers, results: Sequence[ToolResult], scope: str) -> str:
        _, locale = self._locale.gettext, self._locale
        count = 0
        match results[0].content if results else None:
            case {"linhas": int() as shown}:
                count = shown
            case {"total_linhas": int() as listed}:
                count = listed
            case _:
                pass
        column = self._index.column(plan.column)
        text = locale.ngettext(
            "**{count}** value of {column}{scope} is far from the others",
            "**{count}** values of {column}{scope} are far from the others",
            count,
        ).format(count=locale.number(count), column=locale.column(plan.column), scope=scope)
        sentence = f"{text}: " + _("more than 1.5 times the interquartile range off (Tukey).")
        if column.quartiles and not scope:
            low, _middle, high = column.quartiles
            sentence += " " + _("Half of all values lie between {low} and {high}.").format(
                low=self._phrases.number(low), high=self._phrases.number(high)
            )
        return sentence

    def _correlation(self, plan: Correlation, results: Sequence[ToolResult], scope: str) -> str:
        _, locale = self._locale.gettext, self._locale
        value, rows = measured_value(results)
        if not isinstance(value, int | float):
            return "" if rows else self._phrases.no_rows(scope)
        size = abs(value)
        text = (
            _("The two hardly go together")
            if size < WEAK
            else _("The two go together weakly")
            if size < MODERATE
            else _("The two go together moderately")
            if size < STRONG
            else _("The two go together strongly")
        )
        sentence = _(
            "**{value}** is the correlation of {first} and {second}{scope}, over {rows} rows."
        )
        return (
            sentence.format(
                first=locale.column(plan.columns[0]),
                second=locale.column(plan.columns[1]),
                scope=scope,
                value=locale.number(value, digits=2),
                rows=locale.number(rows),
            )
            + f" {text}; "
            + _("that does not say that one causes the other.")
        )

    def _summary(self, plan: Summary, results: Sequence[ToolResult], scope: str) -> list[str]:
        locale, phrases = self._locale, self._phrases
        lines = _lists(_content(results, "linhas"))
        names = [str(name) for name in _content(results, "colunas")]
        if not lines or lines[0][0] is None:
            return [phrases.no_rows(scope)]
        # Of one value there is no deviation: every figure is told by its place.
        values = [value if isinstance(value, int | float) else None for value in lines[0]]
        mean, _median, _deviation, low, _lower, _upper, high, _count = values
        assert mean is not None
        assert low is not None
        assert high is not None
        text = locale.gettext(
            "**{mean}** is the mean of {column}{scope}; the values go from {low} to {high}."
        )
        sentence = text.format(
            column=locale.column(plan.column),
            scope=scope,
            mean=phrases.number(mean),
            low=phrases.number(low),
            high=phrases.number(high),
        )
        rows = [
            [name, phrases.number(value)]
            for name, value in zip(names, values, strict=True)
            if value is not None
        ]
        return [sentence, markdown([locale.column(plan.column), ""], rows)]

    def _missing(self, results: Sequence[ToolResult], scope: str) -> list[str]:
        _, locale = self._locale.gettext, self._locale
        lines = _lists(_content(results, "linhas"))
        if not lines:
            return [_("**0** values are missing{scope}.").format(scope=scope)]
        total = sum(int(line[1]) for line in lines if isinstance(line[1], int))
        text = locale.ngettext(
            "**{total}** values are missing{scope}, in {count} column:",
            "**{total}** values are missing{scope}, in {count} columns:",
            len(lines),
        ).format(total=locale.number(total), scope=scope, count=len(lines))
        rows = [[locale.literal(str(line[0])), locale.value(line[1])] for line in lines]
        return [text, markdown([_("column"), _("missing")], rows)]

    def _duplicates(self, results: Sequence[ToolResult], scope: str) -> str:
        lines = _lists(_content(results, "linhas"))
        count = int(lines[0][0]) if lines and isinstance(lines[0][0], int) else 0
        if not count:
            text = self._locale.gettext("**0** rows{scope} are there a second time.")
            return text.format(scope=scope)
        text = self._locale.ngettext(
            "**{count}** row{scope} repeats another, with the same value in every column.",
            "**{count}** rows{scope} repeat others, with the same value in every column.",
            count,
        )
        return text.format(count=self._locale.number(count), scope=scope)

    def _count(self, plan: Count, result: PlanResult, scope: str) -> str:
        _, total = self._locale.gettext, int(result.total or 0)
        if not total:
            return self._phrases.no_rows(scope)
        if plan.is_share and result.whole:
            if counts_defects(self._index):
                text = _("**{share}** of the defects{scope}: {part} of {whole}.")
            else:
                text = _("**{share}** of the rows{scope}: {part} of {whole}.")
            return text.format(
                share=self._locale.percent(total, result.whole),
                scope=scope,
                part=self._locale.number(total),
                whole=self._locale.number(result.whole),
            )
        sentence = self._phrases.row_count(total, scope)
        if scope and result.whole and result.whole > total:
            share = self._locale.percent(total, result.whole)
            whole = self._locale.number(result.whole)
            return f"{sentence[:-1]}: " + _("{share} of {whole}.").format(share=share, whole=whole)
        kind = self._index.type_column
        if kind is not None and len(result.groups) > 1:
            first = max(result.groups, key=lambda group: group.value)
            return f"{sentence} " + _("The most frequent is **{value}**, with {part}.").format(
                value=self._phrases.label(first, Dimension(kind)),
                part=self._locale.share(first.value, total),
            )
        return sentence

    def _measured(self, plan: Aggregate, results: Sequence[ToolResult], scope: str) -> list[str]:
        value, rows = measured_value(results)
        if value is None:
            # Of rows without a number, as of a division by zero, the whole answer says so.
            return [] if rows else [self._phrases.no_rows(scope)]
        measure = plan.measure
        sentence = self._measure_text(measure.kind).format(
            value=self._phrases.number(value) + (" %" if measure.kind in ("rate", "share") else ""),
            measure=self._names.measure(measure),
            column=self._locale.column(measure.column),
            scope=scope,
            rows=self._locale.number(rows),
        )
        compared = self._compared(measure, value, is_of_all=not scope)
        return [sentence, compared] if compared else [sentence]

    def _measure_text(self, kind: MeasureKind) -> str:
        _ = self._locale.gettext
        match kind:
            case "mean":
                return _("**{value}** is the mean of {column}{scope}, over {rows} rows.")
            case "sum":
                return _("**{value}** is the sum of {column}{scope}, over {rows} rows.")
            case "min":
                return _("**{value}** is the minimum of {column}{scope}, over {rows} rows.")
            case "max":
                return _("**{value}** is the maximum of {column}{scope}, over {rows} rows.")
            case "median":
                return _("**{value}** is the median of {column}{scope}, over {rows} rows.")
            case "std":
                return _(
                    "**{value}** is the standard deviation of {column}{scope}, over {rows} rows."
                )
            case _:
                return _("**{value}**: {measure}{scope}, over {rows} rows.")

    def _compared(self, measure: Measure, value: float | str, *, is_of_all: bool) -> str:
        """Compare a measure with what the profile knows: the whole, the range or the mean."""
        _, phrases = self._locale.gettext, self._phrases
        column = self._index.profile.column(measure.column)
        if column is None or column.mean is None or not isinstance(value, int | float):
            return ""
        mean = phrases.number(column.mean)
        match measure.kind:
            case "mean" if not is_of_all:
                return _("Over all rows it is {value}.").format(value=mean)
            case "mean":
                low, high = column.min, column.max
                if not isinstance(low, int | float) or not isinstance(high, int | float):
                    return ""
                text = _("The values go from {low} to {high}.")
                return text.format(low=phrases.number(low), high=phrases.number(high))
            case "sum" if not is_of_all and column.mean > 0:
                whole = column.mean * (self._index.profile.rows - column.missing)
                text = _("That is {share} of all {whole}.")
                share = self._locale.percent(value, whole)
                return text.format(share=share, whole=phrases.number(whole))
            case "max" | "min" | "median":
                return _("The mean over all rows is {value}.").format(value=mean)
            case _:
                return ""

    def _distinct(self, column: str, result: PlanResult, scope: str) -> list[str]:
        if not result.groups:
            return [self._phrases.no_rows(scope)]
        locale, dimension = self._locale, Dimension(column)
        text = locale.ngettext(
            "There is **{count}** value of {column}{scope}:",
            "There are **{count}** values of {column}{scope}:",
            result.group_count,
        )
        named = [
            f"{self._phrases.label(group, dimension)} ({locale.number(group.value)})"
            for group in result.groups[:LINES]
        ]
        listed = locale.listed(named) if len(named) == result.group_count else ", ".join(named)
        sentence = text.format(
            count=locale.number(result.group_count), column=locale.column(column), scope=scope
        )
        return [f"{sentence} {listed}{'.' if len(named) == result.group_count else ' …'}"]

    def _rows(self, plan: Rows, results: Sequence[ToolResult], scope: str) -> list[str]:
        match results[0].content if results else None:
            case {"linhas": int() as count}:
                if not count:
                    return [self._phrases.no_rows(scope)]
                text = self._locale.ngettext(
                    "**{count}** row{scope}.", "**{count}** rows{scope}.", count
                )
                return [text.format(count=self._locale.number(count), scope=scope)]
            case {"linhas": list(lines), "colunas": list(heads), "total_linhas": int(count)}:
                if not lines:
                    return [self._phrases.no_rows(scope)]
                rows = [[self._locale.value(cell) for cell in line] for line in _lists(lines)]
                sentence = self._locale.ngettext(
                    "**{count}** row{scope}.", "**{count}** rows{scope}.", count
                ).format(count=self._locale.number(count), scope=scope)
                return [sentence, markdown([str(head) for head in heads], rows[: plan.n or LINES])]
            case _:
                return []


def _content(results: Sequence[ToolResult], field: str) -> Sequence[Json]:
    content = results[0].content if results else None
    found = content.get(field) if isinstance(content, dict) else None
    return found if isinstance(found, list) else []


def _lists(lines: Sequence[Json]) -> list[list[Json]]:
    return [line for line in lines if isinstance(line, list)]
