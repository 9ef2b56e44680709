"""Rankings and groups to sentences and Markdown tables."""

from collections import Counter
from collections.abc import Sequence

from qhub_desktop.nlq.locale import AnswerLocale
from qhub_desktop.nlq.phrases import TIME, Namer
from qhub_desktop.nlq.query_ast import ByShift, Dimension, GroupBy, Top
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import Names
from qhub_desktop.nlq.tool_results import Found, Group

_MOST_COLUMNS = 9


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is words and whose others are numbers."""
    lines = [_line(heads), _line(["---", *("---:" for _ in heads[1:])])]
    lines.extend(_line(row) for row in rows)
    return "\n".join(lines)


def crossed(heads: Sequence[str], cells: Sequence[tuple[str, str, str]], *, most_lines: int) -> str:
    """Cells by two labels: as a cross table if it is not too wide, else line by line."""
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


_INLINE = 4  # so many groups still make a sentence
LINES = 12  # longer lists are cut, and say so


class GroupWriter:
    """Tells what groups came to, over one data set and in one language."""

    def __init__(self, index: SchemaIndex, voice: AnswerLocale) -> None:
        self._index = index
        self._voice = voice
        self._names = Names(index.profile, voice)
        self._namer = Namer(index, voice)

    def top(self, plan: Top, read: Found, scope: str, *, is_brief: bool) -> list[str]:
        """A ranking. `is_brief` leaves the list out."""
        if not read.groups:
            return [self._namer.nothing(scope)]
        if plan.within is not None:
            return self._top_within(plan, plan.within, read)
        lead = self._leader(plan, read, scope)
        if plan.n == 1:
            return [" ".join([lead, *self._runners_up(plan, read)])]
        shown = read.groups[: plan.n]
        if is_brief:
            return [" ".join([lead, *self._runners_up(plan, read), *self._together(shown, read)])]
        return [
            lead,
            self._numbered(shown, plan.dimension, read.total),
            *self._together(shown, read),
        ]

    def _top_within(self, plan: Top, within: Dimension, read: Found) -> list[str]:
        """'manhã: lixo 20 (27 %)', a line for each group; then who leads most often."""
        lines: list[str] = []
        leaders: list[str] = []
        for label in dict.fromkeys(str(group.labels[0]) for group in read.groups):
            groups = [group for group in read.groups if str(group.labels[0]) == label]
            total = sum(group.value for group in groups)
            sign = 1 if plan.order == "least" else -1
            groups.sort(key=lambda group: sign * group.value)
            last = sign * groups[min(plan.n, len(groups)) - 1].value
            named = [
                f"**{self._namer.named(group.labels[1], plan.dimension)}** "
                f"{self._namer.count_and_share(group, total)}"
                for group in groups
                if sign * group.value <= last
            ]
            leaders += [
                self._namer.named(group.labels[1], plan.dimension)
                for group in groups
                if group.value == groups[0].value
            ]
            name = self._namer.named(groups[0].labels[0], within)
            lines.append(f"- {name}: {self._voice.listed(named)}")
        first, times = Counter(leaders).most_common(1)[0]
        if len(lines) == 1:
            return lines
        text = self._voice.gettext("In **{count}** of {groups}, **{value}** comes first:")
        lead = text.format(count=times, groups=len(lines), value=first)
        return [lead, "\n".join(lines)]

    def _leader(self, plan: Top, read: Found, scope: str) -> str:
        """'**62** of 200 defects (31%) are **lixo**, the most frequent.'"""
        _, voice = self._voice.gettext, self._voice
        first = read.groups[0]
        tied = [group for group in read.groups if group.value == first.value]
        labels = [f"**{self._namer.label(group, plan.dimension)}**" for group in tied[:_INLINE]]
        count = int(first.value)
        if len(tied) > 1:
            return _("**{count}** each: {values} are level{scope}.").format(
                values=voice.listed(labels), scope=scope, count=voice.number(count)
            )
        if plan.dimension.column == self._index.type_column:
            text = (
                voice.ngettext(
                    "{part} is {value}, the most frequent.",
                    "{part} are {value}, the most frequent.",
                    count,
                )
                if plan.order == "most"
                else voice.ngettext(
                    "{part} is {value}, the least frequent.",
                    "{part} are {value}, the least frequent.",
                    count,
                )
            )
        elif plan.order == "most":
            text = voice.ngettext(
                "{part} belongs to {value}, the most by {dimension}.",
                "{part} belong to {value}, the most by {dimension}.",
                count,
            )
        else:
            text = voice.ngettext(
                "{part} belongs to {value}, the fewest by {dimension}.",
                "{part} belong to {value}, the fewest by {dimension}.",
                count,
            )
        told = text.format(
            part=self._namer.of_all(first.value, read.total, scope),
            value=labels[0],
            dimension=self._unit(plan.dimension),
        )
        return f"{told} {mean}" if (mean := self._mean(plan.dimension, read)) else told

    def _mean(self, dimension: Dimension, read: Found) -> str:
        """What a group has on average, if all of them are known, and more than can be told."""
        counted = sum(group.value for group in read.groups)
        if len(read.groups) <= _INLINE or counted != read.total:
            return ""
        text = self._voice.gettext("The mean per {unit} is {mean}.")
        mean = self._voice.number(round(counted / len(read.groups), 1))
        return text.format(unit=self._unit(dimension), mean=mean)

    def _unit(self, dimension: Dimension) -> str:
        return self._voice.column(self._names.dimension(dimension))

    def _runners_up(self, plan: Top, read: Found) -> list[str]:
        first = read.groups[0]
        others = [group for group in read.groups if group.value != first.value][:2]
        if not others:
            return []
        named = [self._namer.with_part(group, plan.dimension, read.total) for group in others]
        text = self._voice.gettext("Next: {values}.")
        return [text.format(values=self._voice.listed(named))]

    def _numbered(self, groups: Sequence[Group], dimension: Dimension, total: float | None) -> str:
        namer = self._namer
        return "\n".join(
            f"{place}. {namer.label(group, dimension)}: {namer.count_and_share(group, total)}"
            for place, group in enumerate(groups, start=1)
        )

    def _together(self, shown: Sequence[Group], read: Found) -> list[str]:
        part = sum(group.value for group in shown)
        if not read.total or part >= read.total:
            return []
        text = self._voice.gettext("Together they make up {share}.")
        return [text.format(share=self._voice.share(part, read.total))]

    def groups(
        self, plan: ByShift | GroupBy, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        """Groups. `is_brief` leaves the list out."""
        if not read.groups:
            return [self._namer.nothing(scope)]
        if isinstance(plan, GroupBy) and plan.split is not None:
            return self._crossed(plan, plan.split, read, scope, is_brief=is_brief)
        if isinstance(plan, GroupBy) and plan.measure.kind != "count":
            return self._measures(plan, read, scope, is_brief=is_brief)
        if len(read.groups) == 1:
            only = read.groups[0]
            label = self._namer.label(only, plan.dimension)
            return [f"{self._namer.how_many(int(only.value), scope)[:-1]}: **{label}**."]
        if plan.dimension.grain in TIME:
            return self._over_time(plan, read, scope, is_brief=is_brief)
        if len(read.groups) <= _INLINE:
            return [self._in_a_sentence(plan, read, scope)]
        ranked = sorted(read.groups, key=lambda group: -group.value)
        top = Top(plan.scope, plan.dimension, len(read.groups))
        ranking = Found(tuple(ranked), read.total)
        lead = self._leader(top, ranking, scope)
        if is_brief:
            return [" ".join([lead, *self._runners_up(top, ranking), *self._uncounted(read)])]
        return [lead, self._listing(plan, read)]

    def _uncounted(self, read: Found) -> list[str]:
        """How many groups there are beside those that were read."""
        rest = read.group_count - len(read.groups)
        if rest <= 0:
            return []
        text = self._voice.ngettext("… and {count} more.", "… and {count} more.", rest)
        return [text.format(count=self._voice.number(rest))]

    def _in_a_sentence(self, plan: ByShift | GroupBy, read: Found, scope: str) -> str:
        """'manhã 73, tarde 68 e noite 59', the largest first."""
        voice = self._voice
        ranked = sorted(read.groups, key=lambda group: -group.value)
        asked = plan.scope.filter_on(plan.dimension.column)
        if asked is not None and asked.relation == "is" and read.total:
            named = [self._namer.with_part(group, plan.dimension, read.total) for group in ranked]
            return f"{self._namer.how_many(int(read.total), scope)[:-1]}: {voice.listed(named)}."
        tied = [group for group in ranked if group.value == ranked[0].value]
        top = Top(plan.scope, plan.dimension, len(ranked))
        lead = self._leader(top, Found(tuple(ranked), read.total), scope)
        others = ranked[len(tied) :]
        if not others:
            return lead
        named = [self._namer.with_part(group, plan.dimension, read.total) for group in others]
        return lead + " " + voice.gettext("Next: {values}.").format(values=voice.listed(named))

    def _listing(self, plan: ByShift | GroupBy, read: Found) -> str:
        voice = self._voice
        heads = [
            voice.column(self._names.dimension(plan.dimension)),
            self._names.count(),
            "%",
        ]
        rows = [
            [
                self._namer.label(group, plan.dimension),
                voice.number(group.value),
                voice.percent(group.value, read.total) if read.total else "",
            ]
            for group in read.groups[:LINES]
        ]
        return markdown(heads, rows) + self._left_out(read)

    def _left_out(self, read: Found) -> str:
        rest = read.group_count - min(len(read.groups), LINES)
        if rest <= 0:
            return ""
        text = self._voice.ngettext("… and {count} more.", "… and {count} more.", rest)
        return "\n\n" + text.format(count=self._voice.number(rest))

    def _over_time(
        self, plan: ByShift | GroupBy, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, namer = self._voice.gettext, self._namer
        if isinstance(plan, GroupBy) and plan.is_cumulative:
            lead = self._piled_up(plan, read, scope)
            return [lead] if is_brief else [lead, self._listing(plan, read)]
        peak = max(read.groups, key=lambda group: group.value)
        mean = sum(group.value for group in read.groups) / len(read.groups)
        lead = _("{part} in **{value}**, the peak; the mean per {unit} is {mean}.").format(
            part=namer.of_all(peak.value, read.total, scope),
            value=namer.label(peak, plan.dimension),
            unit=self._names.dimension(plan.dimension),
            mean=self._voice.number(round(mean, 1)),
        )
        if len(read.groups) > 2 and read.group_count == len(read.groups):
            ordered = sorted(read.groups, key=lambda group: str(group.labels[0]))
            lead += " " + _(
                "The last, {label}, has {count}: {change} against the one before."
            ).format(
                label=namer.label(ordered[-1], plan.dimension),
                count=self._voice.number(ordered[-1].value),
                change=namer.change(ordered[-1].value, ordered[-2].value),
            )
        return [lead] if is_brief else [lead, self._listing(plan, read)]

    def _piled_up(self, plan: GroupBy, read: Found, scope: str) -> str:
        """A running total: where it ends, and when half of it was there."""
        ordered = sorted(read.groups, key=lambda group: str(group.labels[0]))
        last = ordered[-1]
        half = next(group for group in ordered if 2 * group.value >= last.value)
        return self._voice.gettext(
            "{part} in all until {last}; half of that was reached in {half}."
        ).format(
            part=self._namer.how_many(int(last.value), scope).removesuffix("."),
            last=self._namer.label(last, plan.dimension),
            half=self._namer.label(half, plan.dimension),
        )

    def _measures(self, plan: GroupBy, read: Found, scope: str, *, is_brief: bool) -> list[str]:
        _, voice = self._voice.gettext, self._voice
        name = self._names.measure(plan.measure)
        highest = max(read.groups, key=lambda group: group.value)
        lowest = min(read.groups, key=lambda group: group.value)
        first, second = (lowest, highest) if plan.order == "least" else (highest, lowest)
        known = {
            "measure": name,
            "scope": scope,
            "first": self._namer.label(first, plan.dimension),
            "first_value": self._namer.figure(first.value),
            "second": self._namer.label(second, plan.dimension),
            "second_value": self._namer.figure(second.value),
            "count": len(read.groups),
        }
        if len(read.groups) == 1:
            text = _("**{first_value}** is the {measure} in **{first}**{scope}.")
        elif first.value == second.value:
            text = _("**{first_value}** is the {measure}{scope} in each of {count} groups.")
        elif plan.order == "least":
            text = _(
                "**{first_value}** in **{first}** is the lowest {measure}{scope}; "
                "the highest is {second_value}, in {second}."
            )
        else:
            text = _(
                "**{first_value}** in **{first}** is the highest {measure}{scope}; "
                "the lowest is {second_value}, in {second}."
            )
        told = text.format(**known)
        if len(read.groups) > 2 and first.value != second.value:
            mean = sum(group.value for group in read.groups) / len(read.groups)
            text = _("The mean of the {count} groups is {mean}.")
            told += " " + text.format(count=len(read.groups), mean=self._namer.figure(mean))
        if is_brief or plan.n == 1 or len(read.groups) < 3:
            return [told]
        heads = [voice.column(self._names.dimension(plan.dimension)), name]
        cut = read.groups[: plan.n or LINES]
        rows = [
            [self._namer.label(each, plan.dimension), self._namer.figure(each.value)]
            for each in cut
        ]
        rest = "" if plan.n else self._left_out(read)
        return [told, markdown(heads, rows) + rest]

    def _crossed(
        self, plan: GroupBy, split: Dimension, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, voice = self._voice.gettext, self._voice
        first = max(read.groups, key=lambda group: group.value)
        names = [
            self._namer.named(first.labels[0], plan.dimension),
            self._namer.named(first.labels[1], split),
        ]
        pair = " / ".join(names)
        if plan.measure.kind != "count":
            lead = _("**{value}** in **{pair}** is the highest {measure}{scope}.").format(
                value=self._namer.figure(first.value),
                pair=pair,
                measure=self._names.measure(plan.measure),
                scope=scope,
            )
        else:
            lead = _("{part} in **{pair}**, the most of all pairs.").format(
                part=self._namer.of_all(first.value, read.total, scope), pair=pair
            )
        if is_brief:
            return [lead]
        heads = [voice.column(self._names.dimension(each)) for each in (plan.dimension, split)]
        cells = [
            (
                self._namer.named(group.labels[0], plan.dimension),
                self._namer.named(group.labels[1], split),
                self._namer.figure(group.value),
            )
            for group in read.groups
        ]
        return [lead, crossed(heads, cells, most_lines=LINES)]
