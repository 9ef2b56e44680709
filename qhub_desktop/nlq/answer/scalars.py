"""Single numbers and statistics to sentences: the number first, then what it compares to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import ToolResult
from qhub_desktop.nlq.answer.groups import LINES, GroupWriter, markdown
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import (
    PERCENT,
    Phrases,
    compared_names,
    counts_defects,
    period_name,
    rounded,
    scope_text,
    sign_of,
    title,
    unit_of,
)
from qhub_desktop.nlq.query_ast import (
    Comparison,
    Dimension,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Profile,
    Query,
    Rows,
    Several,
    Spread,
    is_count,
    parts_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import DIVISIONS
from qhub_desktop.nlq.tool_results import PlanResult, measured, measured_value, read_result

_NAMED_KINDS = DIVISIONS - {"ratio"} | {"count", "distinct", "product"}  # told by their names
_NAMED_ROWS = 3  # of those that are level in a ranking
_SHORT_LIST = 5  # rows of a ranking beside its table
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
                return self._several(of, results, is_brief=is_brief)
            case Rows(by=by, within="") if by:
                return self._ranked_rows(plan, results, scope)
            case Rows():
                return self._rows(plan, results, scope)
            case Spread(shows="outliers"):
                return [self._outliers(plan, results, scope)]
            case Spread(shows="correlation"):
                return [self._correlation(plan, results, scope)]
            case Spread(shows="summary"):
                return self._summary(plan, results, scope)
            case Profile(shows="missing"):
                return self._missing(results, scope)
            case Profile():
                return [self._duplicates(results, scope)]
            case _:
                pass
        result = read_result(plan, results)
        match plan:
            case Number(measure=Measure("count")):
                return [self._count(plan, result, scope)]
            case Number():
                return [" ".join(self._measured(plan, results, scope))]
            case Spread(columns=(column,), shows="distinct"):
                return self._distinct(column, result, scope)
            case GroupBy():
                return self._groups.groups(plan, result, scope, is_brief=is_brief)
            case Spread():
                return []

    def _several(
        self, of: Sequence[Query], results: Sequence[ToolResult], *, is_brief: bool
    ) -> list[str]:
        """Write each of several queries; a comparison among them has two results."""
        paragraphs: list[str] = []
        for each in of:
            count = len(parts_of(each) or (each,))
            own, results = results[:count], results[count:]
            paragraphs += self.write(each, own, is_brief=is_brief)
        return paragraphs

    def _difference(self, plan: Comparison, results: Sequence[ToolResult]) -> str:
        """Write two numbers, their difference, and how much of the first that is."""
        _, phrases, parts = self._locale.gettext, self._phrases, (plan.first, plan.second)
        values = [
            self._one_number(part, results[place : place + 1]) for place, part in enumerate(parts)
        ]
        names, common = compared_names(plan, self._index, self._locale)
        if _is_backwards(plan):  # from the earlier to the later, whichever was said first
            parts, values, names = parts[::-1], values[::-1], names[::-1]
        told = [
            f"{self._bold(part, value)} {self._in_period(part, name)}"
            for part, value, name in zip(parts, values, names, strict=True)
        ]
        first, second = values
        sentence = self._locale.listed(told)
        if first is not None and second is not None:
            sentence += f": {self._change(parts, first, second)}"
        scope = scope_text(common, self._index, self._locale)
        measure = plan.first.measure
        if measure != plan.second.measure:
            return f"{sentence}{scope}."
        counted = _("the number of defects") if counts_defects(self._index) else ""
        what = counted if counted and measure.kind == "count" else phrases.the_measure(measure)
        if plan.first.is_share:
            what = _("the share of the rows")
        each = _("Each is {measure}{scope}.").format(measure=what, scope=scope)
        if (period := parts[0].scope.period) is not None and period != common.period:
            column = self._locale.column(period.column)
            each += " " + _("The days are those of {column}.").format(column=column)
        return f"{sentence}. {each}"

    def _bold(self, part: Number, value: float | str | None) -> str:
        if value is None:
            return f"**{self._locale.gettext('no value')}**"
        if part.is_share and not isinstance(value, str):
            return f"**{self._phrases.number(value)}{PERCENT}**"
        return self._phrases.bold(value, part.measure)

    def _in_period(self, part: Number, name: str) -> str:
        """Write what tells a number apart: 'in 2007' of a period with a name, else in brackets."""
        period = part.scope.period
        if period is not None and name == period_name(period, self._locale):
            return self._locale.gettext("in {period}").format(period=name)
        return f"({name})"

    def _change(self, parts: Sequence[Number], first: float | str, second: float | str) -> str:
        """Write how the second differs from the first; of shares, in points."""
        _ = self._locale.gettext
        if isinstance(first, str) or isinstance(second, str):
            days = _days_between(str(first), str(second))
            text = self._locale.ngettext("{count} day later", "{count} days later", abs(days))
            if days < 0:
                text = self._locale.ngettext(
                    "{count} day earlier", "{count} days earlier", abs(days)
                )
            return text.format(count=self._locale.number(abs(days)))
        if all(each.is_share or each.measure.kind in ("rate", "share") for each in parts):
            difference = rounded(second - first)
            sign = "+" if difference > 0 else "" if difference else "±"
            text = _("{change} percentage points")
            return text.format(change=f"{sign}{self._phrases.number(difference)}")
        units = {unit_of(each.measure, self._locale) for each in parts}
        return self._phrases.change(second, first, units.pop() if len(units) == 1 else "")

    def _one_number(self, plan: Number, results: Sequence[ToolResult]) -> float | str | None:
        if is_count(plan):
            read = read_result(plan, results[:1])
            if plan.is_share and read.total is not None:
                return 100 * read.total / read.whole if read.whole else None
            return read.total
        return measured_value(results[:1])[0]

    def _ranked_rows(self, plan: Rows, results: Sequence[ToolResult], scope: str) -> list[str]:
        """Write the row with the most or the least of a column, and what was asked of it."""
        locale = self._locale
        lines, heads = _lists(_content(results, "linhas")), _content(results, "colunas")
        if not lines:
            return [self._phrases.no_rows(scope)]
        told = 1 + len(
            [each for each in plan.columns or self._index.telling if plan.unit or each != plan.by]
        )
        rows = [self._row(heads[1:told], line[1:told], plan) for line in lines]
        count = next((each for each in reversed(lines[0]) if isinstance(each, int)), 1)
        value = self._phrases.cell(lines[0][0], str(heads[0]))
        sign = unit_of(Measure("max", plan.by, unit=plan.unit, since=plan.since), locale)
        sign = sign if isinstance(lines[0][0], int | float) else ""
        named = self._names.ranked(plan)
        known = {"value": f"**{value}**{sign}", "column": named, "scope": scope, "row": rows[0]}
        if count > 1 and plan.n == 1:
            text = locale.ngettext(
                "{lead}, in {count} row: {rows}{more}.",
                "{lead}, in {count} rows: {rows}{more}.",
                count,
            )
            level = rows[:_NAMED_ROWS]
            return [
                text.format(
                    lead=self._superlative(plan).format(**known),
                    count=locale.number(count),
                    rows="; ".join(f"({each})" for each in level),
                    more=" …" if count > len(level) else "",
                )
            ]
        lead = self._superlative(plan).format(**known)
        sentence = f"{lead}: {rows[0]}." if rows[0] else f"{lead}."
        if plan.n == 1 or len(lines) == 1:
            return [sentence, *self._rest_of_row(heads[told:], lines[0][told:])]
        if plan.n is not None:
            last = self._phrases.cell(lines[-1][0], str(heads[0])) + sign
            more = self._phrases.level_beyond(count - plan.n, last)
            sentence = " ".join([sentence, *more])
        has_table = any(each.widget is not None for each in results)
        listed = [
            f"{place}. **{self._phrases.cell(line[0], str(heads[0]))}** · {row}"
            for place, (line, row) in enumerate(zip(lines, rows, strict=True), start=1)
        ]
        return [sentence, "\n".join(listed[: _SHORT_LIST if has_table else LINES])]

    def _superlative(self, plan: Rows) -> str:
        """Return the beginning of the sentence on the leading row."""
        _, is_least = self._locale.gettext, plan.order in ("least", "first")
        if not plan.unit and self._index.is_moment(plan.by):
            return (
                _("{value} is the first {column}{scope}")
                if is_least
                else _("{value} is the last {column}{scope}")
            )
        return (
            _("{value} is the lowest {column}{scope}")
            if is_least
            else _("{value} is the highest {column}{scope}")
        )

    def _row(self, heads: Sequence[Json], line: Sequence[Json], plan: Rows) -> str:
        """Write the cells of a row under their columns; those that were asked for stand out."""
        told: list[str] = []
        for head, cell in zip(heads, line, strict=True):
            name, value = str(head), self._phrases.cell(cell, str(head))
            shown = f"**{value}**" if name in plan.columns else value
            shown += self._sign(cell, name)
            told.append(f"{self._locale.column(name)} {shown}")
        return ", ".join(told)

    def _rest_of_row(self, heads: Sequence[Json], line: Sequence[Json]) -> list[str]:
        """Write the cells of a row that were not asked for, the empty ones left out.

        Who, where and when are asked in words that may be of no column: 'quem a comprou?'.
        """
        told = [
            f"{self._locale.column(str(head))} {self._phrases.cell(cell, str(head))}"
            f"{self._sign(cell, str(head))}"
            for head, cell in zip(heads, line, strict=True)
            if self._index.profile.column(str(head)) is not None and cell not in (None, "")
        ]
        text = self._locale.gettext("The rest of the row: {row}.")
        return [text.format(row=" · ".join(told))] if told else []

    def _sign(self, cell: Json, column: str) -> str:
        """Return the unit behind a cell, empty where it holds no number."""
        is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
        return sign_of(column) if is_number else ""

    def _outliers(self, plan: Spread, results: Sequence[ToolResult], scope: str) -> str:
        _, locale = self._locale.gettext, self._locale
        count = 0
        match results[0].content if results else None:
            case {"linhas": int() as shown}:
                count = shown
            case {"total_linhas": int() as listed}:
                count = listed
            case _:
                pass
        column = self._index.column(plan.columns[0])
        text = locale.ngettext(
            "**{count}** value of {column}{scope} is far from the others",
            "**{count}** values of {column}{scope} are far from the others",
            count,
        ).format(count=locale.number(count), column=locale.column(column.name), scope=scope)
        sentence = f"{text}: " + _("more than 1.5 times the interquartile range off (Tukey).")
        if column.quartiles and not scope:
            low, _middle, high = column.quartiles
            sentence += " " + _("Half of all values lie between {low} and {high}.").format(
                low=self._phrases.number(low),
                high=self._phrases.number(high) + sign_of(column.name),
            )
        return sentence

    def _correlation(self, plan: Spread, results: Sequence[ToolResult], scope: str) -> str:
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

    def _summary(self, plan: Spread, results: Sequence[ToolResult], scope: str) -> list[str]:
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
            "{mean} is the mean of {column}{scope}; the values go from {low} to {high}."
        )
        sentence = text.format(
            column=locale.column(plan.columns[0]),
            scope=scope,
            mean=phrases.bold(mean, Measure("mean", plan.columns[0])),
            low=phrases.number(low),
            high=phrases.number(high) + sign_of(plan.columns[0]),
        )
        rows = [
            [name, phrases.number(value)]
            for name, value in zip(names, values, strict=True)
            if value is not None
        ]
        return [sentence, markdown([locale.column(plan.columns[0]), ""], rows)]

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

    def _count(self, plan: Number, result: PlanResult, scope: str) -> str:
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
        sentence = self._phrases.row_count(total, scope, plan.noun)
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

    def _measured(self, plan: Number, results: Sequence[ToolResult], scope: str) -> list[str]:
        value, rows = measured_value(results)
        if value is None:
            # Of rows without a number, as of a division by zero, the whole answer says so.
            return [] if rows else [self._phrases.no_rows(scope)]
        measure, read = plan.measure, measured(plan.measure, results)
        if read.counts is not None:
            text = self._locale.gettext("{value} is {measure}{scope}.")
            notes = [self._phrases.elapsed_note(measure, *read.counts)]
        else:
            text = self._measure_text(measure.kind)
            notes = []
        sentence = text.format(
            value=self._phrases.bold(value, measure),
            measure=self._names.measure(measure)
            if measure.kind in _NAMED_KINDS
            else self._phrases.the_measure(measure),
            scope=scope,
            rows=self._locale.number(rows),
        )
        if read.extremes is not None:
            low, high = (self._phrases.with_unit(each, measure) for each in read.extremes)
            said = self._locale.gettext("The maximum is {high} and the minimum {low}.")
            notes.insert(0, said.format(low=low, high=high))
        if not measure.unit and (compared := self._compared(measure, value, is_of_all=not scope)):
            notes.append(compared)
        return [sentence, *filter(None, (*notes, self._phrases.unweighted_note(measure)))]

    def _measure_text(self, kind: MeasureKind) -> str:
        _ = self._locale.gettext
        if kind in _NAMED_KINDS:
            return _("{value}: {measure}{scope}, over {rows} rows.")
        return _("{value} is {measure}{scope}, over {rows} rows.")

    def _compared(self, measure: Measure, value: float | str, *, is_of_all: bool) -> str:
        """Compare a measure with what the profile knows: the whole, the range or the mean."""
        _, phrases = self._locale.gettext, self._phrases
        column = self._index.profile.column(measure.column)
        if column is None or column.mean is None or not isinstance(value, int | float):
            return ""
        mean = phrases.with_unit(column.mean, measure)
        match measure.kind:
            case "mean" if not is_of_all:
                return _("Over all rows it is {value}.").format(value=mean)
            case "mean":
                low, high = column.min, column.max
                if not isinstance(low, int | float) or not isinstance(high, int | float):
                    return ""
                text = _("The values go from {low} to {high}.")
                low_, high_ = (phrases.with_unit(each, measure) for each in (low, high))
                return text.format(low=low_, high=high_)
            case "sum" if not is_of_all and column.mean > 0:
                whole = column.mean * (self._index.profile.rows - column.missing)
                text = _("That is {share} of all {whole}.")
                share = self._locale.percent(value, whole)
                return text.format(share=share, whole=phrases.with_unit(whole, measure))
            case "max" | "min" | "median":
                return _("The mean over all rows is {value}.").format(value=mean)
            case _:
                return ""

    def _distinct(self, column: str, result: PlanResult, scope: str) -> list[str]:
        if not result.groups:
            return [self._phrases.no_rows(scope)]
        locale, dimension = self._locale, Dimension(column)
        text = locale.ngettext(
            "**{count}** value in {column}{scope}:",
            "**{count}** different values in {column}{scope}:",
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
                return [self._rows_in_all(plan, count, results[0], scope)]
            case {"linhas": list(lines), "colunas": list(heads), "total_linhas": int(count)}:
                if not lines:
                    return [self._phrases.no_rows(scope)]
                rows = [
                    [
                        self._phrases.cell(cell, str(head))
                        for cell, head in zip(line, heads, strict=True)
                    ]
                    for line in _lists(lines)
                ]
                sentence = self._rows_in_all(plan, count, results[0], scope)
                return [sentence, markdown([str(head) for head in heads], rows[: plan.n or LINES])]
            case _:
                return []

    def _rows_in_all(self, plan: Rows, count: int, result: ToolResult, scope: str) -> str:
        """Write how many rows are listed, and of how many in all where only some were asked for."""
        called = self._phrases.called(plan.noun) if plan.noun else ""
        sentence = self._locale.ngettext(
            "**{count}** row{scope}.", "**{count}** rows{scope}.", count
        ).format(count=self._locale.number(count), scope=called + scope)
        whole = None if result.source is None else result.source.rows_used
        if plan.within:
            text = self._locale.ngettext(
                "{title}: **{count}** row.", "{title}: **{count}** rows.", count
            )
            named = title(plan, self._index, self._locale)
            return text.format(count=self._locale.number(count), title=named)
        if plan.n is None or whole is None or whole <= count:
            return sentence
        text = self._locale.gettext("There are **{count}** in all.")
        return f"{sentence} {text.format(count=self._locale.number(whole))}"


def _is_backwards(plan: Comparison) -> bool:
    """Return whether the same is told of two periods, the later of which was said first."""
    first, second = plan.first.scope.period, plan.second.scope.period
    if first is None or second is None or first.start is None or second.start is None:
        return False
    other = replace(plan.second, scope=replace(plan.second.scope, period=first))
    return first.column == second.column and plan.first == other and second.start < first.start


def _days_between(first: str, second: str) -> int:
    """Return the days from one moment in ISO form to another."""
    one, other = (datetime.fromisoformat(each) for each in (first, second))
    return (other.date() - one.date()).days


def _content(results: Sequence[ToolResult], field: str) -> Sequence[Json]:
    content = results[0].content if results else None
    found = content.get(field) if isinstance(content, dict) else None
    return found if isinstance(found, list) else []


def _lists(lines: Sequence[Json]) -> list[list[Json]]:
    return [line for line in lines if isinstance(line, list)]
