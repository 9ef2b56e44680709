"""Rankings and groups to sentences and Markdown tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import Phrases, counts_defects, having_text, rounded, unit_of
from qhub_desktop.nlq.query_ast import CALENDAR_GRAINS, Dimension, Filter, GroupBy, is_top, top
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tool_results import Group, PlanResult

_MOST_COLUMNS = 9


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is words and whose others are numbers."""
    lines = [_line(heads), _line(["---", *("---:" for _ in heads[1:])])]
    lines.extend(_line(row) for row in rows)
    return "\n".join(lines)


def crossed(heads: Sequence[str], cells: Sequence[tuple[str, str, str]], *, most_lines: int) -> str:
    """Render cells with two labels as a cross table, or one line each if that were too wide."""
    rows = list(dict.fromkeys(row for row, _, _ in cells))
    columns = list(dict.fromkeys(column for _, column, _ in cells))
    if len(columns) > _MOST_COLUMNS:
        values = [[row, column, value] for row, column, value in cells[:most_lines]]
        return markdown([*heads, ""], values)
    at = {(row, column): value for row, column, value in cells}
    return markdown(
        [heads[0], *columns],
        [[row, *(at.get((row, column), "") for column in columns)] for row in rows[:most_lines]],
    )


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in cells) + " |"


_INLINE = 4  # groups, at most, in a sentence that has no chart
_NAMED = 3  # of more, so many are named; the rest is left to a chart or a table
_DECIMALS = range(3, 7)  # of two numbers that look alike in fewer
LINES = 20  # longer lists are cut, with a note


class GroupWriter:
    """Writer of rankings and grouped results, over one data set and in one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)
        self._phrases = Phrases(index, locale)

    def _top(self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool) -> list[str]:
        """Write a ranking. `is_brief` leaves the list out."""
        if not result.groups:
            return [self._phrases.no_rows(scope)]
        if plan.within is not None:
            return self._top_within(plan, plan.within, result)
        shown = result.groups[: plan.n]
        is_level = shown[-1].value == shown[0].value  # of which the lead tells
        level = [] if is_level else self._level_beyond(plan, result, _NAMED)
        lead = self._leader(plan, result, scope)
        next_ = self._runners_up(plan, result)
        if plan.n == 1:
            return [" ".join([lead, *next_])]
        rest = [*level, *self._combined_share(shown, result, _NAMED if is_brief else len(shown))]
        if is_brief:
            return [" ".join([lead, *next_, *rest])]
        return [lead, self._numbered(shown, plan.dimension, result.total), *rest]

    def _level_beyond(self, plan: GroupBy, result: PlanResult, named: int) -> list[str]:
        """Write how many groups have the same value as the last of a ranking, but are not told.

        Of those that are level with the first, so many are `named`, however many are asked for.
        """
        groups = result.groups
        if plan.n is None or plan.order == "name" or len(groups) + result.level <= plan.n:
            return []
        first, last = groups[0].value, groups[min(plan.n, len(groups)) - 1].value
        told = named if first == last else plan.n
        level = sum(group.value == last for group in groups[told:])
        level += result.level if groups[-1].value == last else 0
        is_known = not (result.is_cut and result.groups[-1].value == last)
        value = self._phrases.with_unit(last, plan.measure)
        return self._phrases.level_beyond(level if is_known else None, value)

    def _top_within(self, plan: GroupBy, within: Dimension, result: PlanResult) -> list[str]:
        """Write a line for each outer group, 'manhã: lixo 20 (27 %)', under who leads most."""
        lines: list[str] = []
        leaders: list[str] = []
        for label in dict.fromkeys(str(group.labels[0]) for group in result.groups):
            groups = [group for group in result.groups if str(group.labels[0]) == label]
            total = sum(group.value for group in groups)
            sign = 1 if plan.order == "least" else -1
            groups.sort(key=lambda group: sign * group.value)
            last = sign * groups[min(plan.n or 1, len(groups)) - 1].value
            named = [
                f"**{self._phrases.group_value(group.labels[1], plan.dimension)}** "
                f"{self._phrases.count_and_share(group, total)}"
                for group in groups
                if sign * group.value <= last
            ]
            leaders += [
                self._phrases.group_value(group.labels[1], plan.dimension)
                for group in groups
                if group.value == groups[0].value
            ]
            name = self._phrases.group_value(groups[0].labels[0], within)
            lines.append(f"- {name}: {self._locale.listed(named)}")
        first, times = Counter(leaders).most_common(1)[0]
        if len(lines) == 1:
            return lines
        text = self._locale.gettext("In **{count}** of {groups}, **{value}** comes first:")
        lead = text.format(count=times, groups=len(lines), value=first)
        return [lead, "\n".join(lines)]

    def _leader(self, plan: GroupBy, result: PlanResult, scope: str) -> str:
        """Write the lead: '**62** of 200 defects (31%) are **lixo**, the most frequent.'"""
        _, locale = self._locale.gettext, self._locale
        first = result.groups[0]
        tied = [group for group in result.groups if group.value == first.value]
        labels = [f"**{self._named(group, plan)}**" for group in tied[:_NAMED]]
        count = int(first.value)
        goes_on = result.groups[-1].value == first.value  # beyond those that were fetched
        if len(tied) > 1:
            text = _("**{count}** each: {values} are level{scope}.").format(
                values=locale.listed(labels), scope=scope, count=locale.number(count)
            )
            level: int | None = len(tied) - len(labels) + (result.level if goes_on else 0)
            if goes_on and result.is_cut:
                level = None
            return " ".join([text, *self._phrases.level_beyond(level, locale.number(count))])
        if plan.dimension.column == self._index.type_column:
            text = (
                locale.ngettext(
                    "{part} is {value}, the most frequent.",
                    "{part} are {value}, the most frequent.",
                    count,
                )
                if plan.order == "most"
                else locale.ngettext(
                    "{part} is {value}, the least frequent.",
                    "{part} are {value}, the least frequent.",
                    count,
                )
            )
        elif plan.order == "most":
            text = locale.ngettext(
                "{part} belongs to {value}, the most by {dimension}.",
                "{part} belong to {value}, the most by {dimension}.",
                count,
            )
        else:
            text = locale.ngettext(
                "{part} belongs to {value}, the fewest by {dimension}.",
                "{part} belong to {value}, the fewest by {dimension}.",
                count,
            )
        sentence = text.format(
            part=self._phrases.count_of_total(first.value, result.total, scope),
            value=labels[0],
            dimension=self._unit(plan.dimension),
        )
        return f"{sentence} {mean}" if (mean := self._mean(plan.dimension, result)) else sentence

    def _mean(self, dimension: Dimension, result: PlanResult) -> str:
        """Write the mean of a group, if all groups are known and too many to be listed."""
        counted = sum(group.value for group in result.groups)
        if len(result.groups) <= _INLINE or counted != result.total:
            return ""
        text = self._locale.gettext("The mean per {unit} is {mean}.")
        mean = self._locale.number(round(counted / len(result.groups), 1))
        return text.format(unit=self._unit(dimension), mean=mean)

    def _unit(self, dimension: Dimension) -> str:
        return self._names.told(dimension)

    def _runners_up(self, plan: GroupBy, result: PlanResult, sign: str = "") -> list[str]:
        first = result.groups[0]
        asked = result.groups if plan.n == 1 else result.groups[: plan.n]
        others = [group for group in asked if group.value != first.value][: _NAMED - 1]
        if not others:
            return []
        pair = self._locale.gettext("{value} with {count}")
        named = [
            pair.format(
                value=self._phrases.label(group, plan.dimension),
                count=self._told(group, result.total, sign),
            )
            for group in others
        ]
        text = self._locale.gettext("Next: {values}.")
        return [text.format(values=self._locale.listed(named))]

    def _numbered(self, groups: Sequence[Group], dimension: Dimension, total: float | None) -> str:
        phrases = self._phrases
        return "\n".join(
            f"{place}. {phrases.label(group, dimension)}: {phrases.count_and_share(group, total)}"
            for place, group in enumerate(groups, start=1)
        )

    def _combined_share(self, shown: Sequence[Group], result: PlanResult, named: int) -> list[str]:
        """Write what groups make up together, of which so many are `named`."""
        part = sum(group.value for group in shown)
        if not result.total or part >= result.total:
            return []
        text = self._locale.gettext("Together they make up {share}.")
        if len(shown) > named:
            text = self._locale.gettext("The {count} together make up {share}.")
        return [text.format(count=len(shown), share=self._locale.share(part, result.total))]

    def groups(self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool) -> list[str]:
        """Write a grouped result. `is_brief` has no table, and no list of many groups."""
        if is_top(plan):
            return self._top(plan, result, scope, is_brief=is_brief)
        told = self._grouped(plan, result, scope, is_brief=is_brief)
        return [" ".join([told[0], *self._difference(plan, result)]), *told[1:]]

    def _difference(self, plan: GroupBy, result: PlanResult) -> list[str]:
        """Write by how much the first of two values that were named differs from the other."""
        of_two = plan.scope.filter_on(plan.dimension.column)
        measure, is_plain = plan.measure, plan.split is None and plan.having is None
        if of_two is None or of_two.relation != "is" or not is_plain or result.is_cut:
            return []
        numbers = {group.labels[0]: group for group in result.groups}
        if len(of_two.values) != 2 or {*numbers} != {*of_two.values}:
            return []
        first, second = (numbers[each] for each in of_two.values)
        sign = unit_of(measure, self._locale)
        change = self._phrases.change(first.value, second.value, sign)
        if measure.kind in ("share", "rate") or plan.is_share:
            points = self._phrases.number(round(first.value - second.value, 2))
            change = self._locale.gettext("{change} percentage points").format(change=points)
        text = self._locale.gettext("{first} against {second}: {change}.")
        times = first.value / second.value if second.value else 0.0
        is_ratio = measure.kind in ("count", "sum") and not plan.is_share
        if is_ratio and times > 0 and rounded(times) != 1:
            text = self._locale.gettext("{first} against {second}: {change}, or {times} times.")
        return [
            text.format(
                first=self._phrases.label(first, plan.dimension),
                second=self._phrases.label(second, plan.dimension),
                change=change,
                times=self._phrases.number(times),
            )
        ]

    def _grouped(
        self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool
    ) -> list[str]:
        if plan.having is not None and plan.split is None:
            return self._meeting(plan, plan.having, result, scope, is_brief=is_brief)
        if not result.groups:
            return [self._phrases.no_rows(scope)]
        if plan.split is not None:
            return self._crossed(plan, plan.split, result, scope, is_brief=is_brief)
        if plan.is_cumulative:
            return self._cumulative(plan, result, scope, is_brief=is_brief)
        if plan.measure.kind != "count":
            return self._measures(plan, result, scope, is_brief=is_brief)
        if len(result.groups) == 1:
            only = result.groups[0]
            label = self._phrases.label(only, plan.dimension)
            return [f"{self._phrases.row_count(int(only.value), scope)[:-1]}: **{label}**."]
        if plan.dimension.grain in CALENDAR_GRAINS:
            return self._over_time(plan, result, scope, is_brief=is_brief)
        if len(result.groups) <= _INLINE:
            return [self._in_a_sentence(plan, result, scope)]
        ranked = sorted(result.groups, key=lambda group: -group.value)
        first = top(plan.scope, plan.dimension, len(result.groups))
        ranking = PlanResult(tuple(ranked), result.total)
        lead = self._leader(first, ranking, scope)
        if is_brief:
            listed = self._inline(plan.dimension, result)
            rest = listed or [*self._runners_up(first, ranking), *self._uncounted(result)]
            return [" ".join([lead, *rest])]
        return [lead, self._listing(plan, result)]

    def _inline(self, dimension: Dimension, result: PlanResult, sign: str = "") -> list[str]:
        """Write every group with its number as a sentence, none if there are too many."""
        if result.group_count > _NAMED and len(result.groups) > _NAMED:
            return []
        pair = self._locale.gettext("{value} with {count}")
        named = [
            pair.format(
                value=self._phrases.label(group, dimension),
                count=self._told(group, result.total, sign),
            )
            for group in result.groups
        ]
        text = self._locale.gettext("By {dimension}: {values}.")
        return [text.format(dimension=self._unit(dimension), values="; ".join(named))]

    def _told(self, group: Group, total: float | None, sign: str = "") -> str:
        """Write a group's number, with its share of the total or the range that it spans.

        `sign` is the unit that stands behind it.
        """
        number = self._phrases.number(group.value) + sign
        if total:
            return f"{number} ({self._locale.percent(group.value, total)})"
        if group.extremes is not None:
            low, high = (self._phrases.number(value) for value in group.extremes)
            return f"{number} ({low} – {high})"
        return number

    def _meeting(
        self,
        plan: GroupBy,
        wanted: Filter,
        result: PlanResult,
        scope: str,
        *,
        is_brief: bool,
    ) -> list[str]:
        """Write how many groups meet a condition on their measure, and which."""
        locale = self._locale
        text = locale.ngettext(
            "**{count}** group by {dimension} has {measure} {condition}{scope}.",
            "**{count}** groups by {dimension} have {measure} {condition}{scope}.",
            result.group_count,
        )
        counted = locale.gettext("a number of rows")
        if counts_defects(self._index):
            counted = locale.gettext("a number of defects")
        is_count = plan.measure.kind == "count"
        lead = text.format(
            count=locale.number(result.group_count),
            dimension=self._unit(plan.dimension),
            measure=counted if is_count else self._names.measure(plan.measure),
            condition=having_text(wanted, plan.measure, locale),
            scope=scope,
        )
        if not result.groups:
            return [lead]
        plain = replace(result, total=None)
        if is_brief or len(result.groups) <= _INLINE:
            return [" ".join([lead, *self._inline(plan.dimension, plain)])]
        return [lead, self._listing(plan, plain)]

    def _cumulative(
        self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool
    ) -> list[str]:
        """Write running totals: where they end, when half of it was there, and each of them."""
        lead = self._running_total(plan, result, scope)
        up_to_last = replace(result, total=result.groups[-1].value)
        if is_brief:
            sign = unit_of(plan.measure, self._locale)
            return [" ".join([lead, *self._inline(plan.dimension, up_to_last, sign)])]
        return [lead, self._listing(plan, up_to_last)]

    def _uncounted(self, result: PlanResult) -> list[str]:
        """Write how many groups there are beyond those that were fetched."""
        rest = result.group_count - len(result.groups)
        if rest <= 0:
            return []
        text = self._locale.ngettext("… and {count} more.", "… and {count} more.", rest)
        return [text.format(count=self._locale.number(rest))]

    def _in_a_sentence(self, plan: GroupBy, result: PlanResult, scope: str) -> str:
        """Write few groups as one sentence, the largest first: 'manhã 73, tarde 68 e noite 59'."""
        locale = self._locale
        ranked = sorted(result.groups, key=lambda group: -group.value)
        condition = plan.scope.filter_on(plan.dimension.column)
        if condition is not None and condition.relation == "is" and result.total:
            named = [
                self._phrases.value_and_count(group, plan.dimension, result.total)
                for group in ranked
            ]
            rows = self._phrases.row_count(int(result.total), scope)[:-1]
            return f"{rows}: {locale.listed(named)}."
        tied = [group for group in ranked if group.value == ranked[0].value]
        first = top(plan.scope, plan.dimension, len(ranked))
        lead = self._leader(first, PlanResult(tuple(ranked), result.total), scope)
        others = ranked[len(tied) :]
        if not others:
            return lead
        named = [
            self._phrases.value_and_count(group, plan.dimension, result.total) for group in others
        ]
        return lead + " " + locale.gettext("Next: {values}.").format(values=locale.listed(named))

    def _listing(self, plan: GroupBy, result: PlanResult) -> str:
        locale = self._locale
        heads = [
            locale.column(self._names.dimension(plan.dimension)),
            self._names.count(),
            "%",
        ]
        if plan.measure.kind != "count":
            sign = unit_of(plan.measure, locale).strip()
            heads[1] = self._names.measure(plan.measure) + (f" ({sign})" if sign else "")
        rows = [
            [
                self._phrases.label(group, plan.dimension),
                self._told(group, None),
                locale.percent(group.value, result.total) if result.total else "",
            ]
            for group in result.groups[:LINES]
        ]
        shown = len(heads) if result.total else len(heads) - 1
        table = markdown(heads[:shown], [row[:shown] for row in rows])
        return table + self._more_line(result)

    def _more_line(self, result: PlanResult) -> str:
        rest = result.group_count - min(len(result.groups), LINES)
        if rest <= 0:
            return ""
        text = self._locale.ngettext("… and {count} more.", "… and {count} more.", rest)
        return "\n\n" + text.format(count=self._locale.number(rest))

    def _over_time(
        self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, phrases = self._locale.gettext, self._phrases
        if result.is_cut:
            lead = phrases.row_count(int(result.total or 0), scope)
            return [lead] if is_brief else [lead, self._listing(plan, result)]
        peak = max(result.groups, key=lambda group: group.value)
        mean = sum(group.value for group in result.groups) / len(result.groups)
        lead = _("{part} in **{value}**, the peak; the mean per {unit} is {mean}.").format(
            part=phrases.count_of_total(peak.value, result.total, scope),
            value=self._named(peak, plan),
            unit=self._unit(plan.dimension),
            mean=self._locale.number(round(mean, 1)),
        )
        if is_brief:
            return [" ".join([lead, *self._inline(plan.dimension, result)])]
        return [lead, self._listing(plan, result)]

    def _running_total(self, plan: GroupBy, result: PlanResult, scope: str) -> str:
        """Write a running total: where it ends, and when half of it was reached."""
        _, phrases, last = self._locale.gettext, self._phrases, result.groups[-1]
        if plan.measure.kind == "count":
            part = phrases.row_count(int(last.value), scope).removesuffix(".")
        else:
            part = _("{value} is {measure}{scope}").format(
                value=phrases.bold(last.value, plan.measure),
                measure=phrases.the_measure(plan.measure),
                scope=scope,
            )
        end = self._named(last, plan)
        if last.value <= 0:
            return _("{part} in all until {last}.").format(part=part, last=end)
        unit = self._unit(plan.dimension)
        half = next(group for group in result.groups if 2 * group.value >= last.value)
        text = _("{part} in all until {last}, by {unit}; half of that was reached in {half}.")
        return text.format(part=part, last=end, unit=unit, half=self._named(half, plan))

    def _measures(
        self, plan: GroupBy, result: PlanResult, scope: str, *, is_brief: bool
    ) -> list[str]:
        is_even = not result.is_cut and len({group.value for group in result.groups}) == 1
        named = len(result.groups) if is_even else 1 if result.is_cut else _NAMED
        level = self._level_beyond(plan, result, named)
        unweighted = filter(None, [self._phrases.unweighted_note(plan.measure)])
        notes = [*level, *self._elapsed_notes(plan, result), *unweighted]
        is_share = plan.is_share and plan.measure.kind == "sum" and not result.is_cut
        sign = "" if is_share else unit_of(plan.measure, self._locale)
        listed = replace(result, total=result.total if is_share else None)
        if plan.n is not None:
            listed = replace(listed, groups=result.groups[: plan.n])
        is_short = is_brief or len(listed.groups) < 3
        if is_short and plan.n is not None and plan.n > 1:
            notes = [*self._runners_up(plan, listed, sign), *notes]
        sentence = " ".join([self._lead(plan, result, scope), *notes])
        if plan.n == 1 or len(listed.groups) < 3:
            return [sentence]
        if is_brief and plan.n is None:
            return [" ".join([sentence, *self._inline(plan.dimension, listed, sign)])]
        if is_brief:
            return [sentence]
        if plan.n is not None:
            listed = replace(listed, group_count=len(listed.groups))
        return [sentence, self._listing(plan, listed)]

    def _lead(self, plan: GroupBy, result: PlanResult, scope: str) -> str:
        """Write which group has the highest measure and which the lowest, or the other way."""
        _ = self._locale.gettext
        highest = max(result.groups, key=lambda group: group.value)
        lowest = min(result.groups, key=lambda group: group.value)
        first, second = (lowest, highest) if plan.order == "least" else (highest, lowest)
        if result.is_cut:
            first = result.groups[0]
        is_share = plan.is_share and plan.measure.kind == "sum"
        total = result.total if is_share and not result.is_cut else None
        tied = [group for group in result.groups if group.value == first.value]
        labels = [self._named(each, plan) for each in tied[:_NAMED]]
        if result.is_cut:
            labels = labels[:1]
        sign = "" if total else unit_of(plan.measure, self._locale)
        known = {
            "measure": self._phrases.the_measure(plan.measure),
            "scope": scope,
            "first": self._locale.listed([f"**{each}**" for each in labels]),
            "first_value": self._phrases.bold(first.value, plan.measure),
            "second": self._named(second, plan),
            "second_value": self._told(second, total, sign),
            "count": len(result.groups),
        }
        if digits := self._digits_apart(first.value, second.value):
            one, other = (self._locale.number(e.value, digits=digits) for e in (first, second))
            known |= {"first_value": f"**{one}**{sign}", "second_value": f"{other}{sign}"}
        if len(result.groups) == 1 or result.is_cut:
            text = _("{first_value} is {measure} in {first}{scope}.")
        elif first.value == second.value:
            text = _("{first_value} is {measure}{scope} in each of {count} groups.")
        elif plan.order == "least":
            text = _(
                "{first_value} is {measure} in {first}{scope}, the lowest; "
                "the highest is {second_value}, in {second}."
            )
        else:
            text = _(
                "{first_value} is {measure} in {first}{scope}, the highest; "
                "the lowest is {second_value}, in {second}."
            )
        if total and len(result.groups) > 1 and first.value != second.value:
            return self._share_lead(plan, first, second, total, scope)
        sentence = text.format(**known)
        if plan.n is None and not result.is_cut and first.value != second.value:
            beyond = len(tied) - len(labels)
            value = self._phrases.with_unit(first.value, plan.measure)
            sentence = " ".join([sentence, *self._phrases.level_beyond(beyond, value)])
        if not result.is_cut and len(result.groups) > 2 and first.value != second.value:
            return " ".join([sentence, *self._usual(plan, result, is_of_all=not scope)])
        return sentence

    def _digits_apart(self, one: float | str, other: float | str) -> int:
        """Return the decimals by which two numbers differ that look alike, 0 for others."""
        written, number = self._phrases.number, self._locale.number
        if isinstance(one, str) or isinstance(other, str):
            return 0
        if one == other or written(one) != written(other):
            return 0
        apart = (n for n in _DECIMALS if number(one, digits=n) != number(other, digits=n))
        return next(apart, 0)

    def _usual(self, plan: GroupBy, result: PlanResult, *, is_of_all: bool) -> list[str]:
        """Write what groups are compared with: their mean, or the mean of all rows where known.

        A mean of means is none.
        """
        measure, column = plan.measure, self._index.profile.column(plan.measure.column)
        if measure.kind == "sum":
            mean = sum(group.value for group in result.groups) / len(result.groups)
            text = self._locale.gettext("The mean per {unit} is {mean}.")
            unit = self._unit(plan.dimension)
            return [text.format(unit=unit, mean=self._phrases.with_unit(mean, measure))]
        is_known = is_of_all and measure.kind == "mean" and not (measure.unit or measure.over)
        if not is_known or column is None or column.mean is None:
            return []
        text = self._locale.gettext("Over all rows it is {value}.")
        return [text.format(value=self._phrases.with_unit(column.mean, measure))]

    def _named(self, group: Group, plan: GroupBy) -> str:
        return self._phrases.in_a_sentence(group.labels[0], plan.dimension)

    def _share_lead(
        self, plan: GroupBy, first: Group, second: Group, total: float, scope: str
    ) -> str:
        """Write which group has the largest share of a sum, the percentage first."""
        _, locale, phrases = self._locale.gettext, self._locale, self._phrases
        text = _(
            "**{share}** in **{first}**{scope}, the largest share: {measure} is {part} of {whole}; "
            "the smallest is {second_value}, in {second}."
        )
        if plan.order == "least":
            text = _(
                "**{share}** in **{first}**{scope}, the smallest share: {measure} is {part} of "
                "{whole}; the largest is {second_value}, in {second}."
            )
        return text.format(
            share=locale.percent(first.value, total),
            first=self._named(first, plan),
            scope=scope,
            measure=phrases.the_measure(plan.measure),
            part=phrases.number(first.value),
            whole=phrases.with_unit(total, plan.measure),
            second_value=self._told(second, total),
            second=self._named(second, plan),
        )

    def _elapsed_notes(self, plan: GroupBy, result: PlanResult) -> list[str]:
        """Write of how many rows a time between two columns is, and how many are below zero."""
        if not plan.measure.unit:
            return []
        used, rows, negative = (sum(counts) for counts in zip(*result.counts, strict=True))
        return [self._phrases.elapsed_note(plan.measure, used, rows, negative)]

    def _crossed(
        self, plan: GroupBy, split: Dimension, result: PlanResult, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, locale = self._locale.gettext, self._locale
        first = max(result.groups, key=lambda group: group.value)
        if result.is_cut:
            first = result.groups[0]
        names = [
            self._phrases.in_a_sentence(first.labels[0], plan.dimension),
            self._phrases.in_a_sentence(first.labels[1], split),
        ]
        pair = " / ".join(names)
        groups = _("by {dimension} and {split}").format(
            dimension=self._unit(plan.dimension), split=self._unit(split)
        )
        measure = self._phrases.the_measure(plan.measure)
        if plan.measure.kind != "count" and result.is_cut:
            lead = _("{first_value} is {measure} in {first}{scope}.").format(
                first_value=self._phrases.bold(first.value, plan.measure),
                first=f"**{pair}**",
                measure=measure,
                scope=scope,
            )
        elif result.is_cut:
            lead = self._phrases.row_count(int(result.total or 0), scope)
        elif plan.measure.kind != "count":
            text = _("{value} is {measure} in **{pair}**{scope}, the highest {groups}.")
            lead = text.format(
                groups=groups,
                value=self._phrases.bold(first.value, plan.measure),
                pair=pair,
                measure=measure,
                scope=scope,
            )
        else:
            lead = _("{part} in **{pair}**, the most {groups}.").format(
                part=self._phrases.count_of_total(first.value, result.total, scope),
                pair=pair,
                groups=groups,
            )
        if is_brief:
            return [" ".join([lead, *self._inline_pairs(plan, split, result)])]
        heads = [locale.column(self._names.dimension(each)) for each in (plan.dimension, split)]
        cells = [
            (
                self._phrases.group_value(group.labels[0], plan.dimension),
                self._phrases.group_value(group.labels[1], split),
                self._phrases.number(group.value),
            )
            for group in result.groups
        ]
        return [lead, crossed(heads, cells, most_lines=LINES)]

    def _inline_pairs(self, plan: GroupBy, split: Dimension, result: PlanResult) -> list[str]:
        if result.group_count > _NAMED:
            return []
        named = [
            f"{self._phrases.group_value(group.labels[0], plan.dimension)} / "
            f"{self._phrases.group_value(group.labels[1], split)} "
            f"{self._phrases.number(group.value)}"
            for group in result.groups
        ]
        text = self._locale.gettext("By {dimension} and {split}: {values}.")
        return [
            text.format(
                dimension=self._unit(plan.dimension),
                split=self._unit(split),
                values="; ".join(named),
            )
        ]
