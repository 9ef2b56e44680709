"""Results to sentences: the number first, then the comparison that matters."""

from collections.abc import Sequence
from datetime import date, datetime

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.phrases import counts_defects, scope_text
from qhub_desktop.chat.offline.plan import (
    ByShift,
    Count,
    Dimension,
    Distinct,
    GroupBy,
    Measured,
    Numbers,
    Readings,
    Rows,
    Top,
)
from qhub_desktop.chat.offline.results import Found, Group, found, measured
from qhub_desktop.chat.offline.sql import Writer
from qhub_desktop.chat.offline.tables import crossed, markdown
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.messages import Json, ToolResult

_INLINE = 4  # so many groups still make a sentence
_LINES = 12  # longer lists are cut, and say so
_DIGITS = 2  # of a mean
_TIME = ("day", "week", "month", "year")


class NumberTeller:
    """Tells what numbers came to, over one data set and in one language."""

    def __init__(self, index: Index, voice: Voice) -> None:
        self._index = index
        self._voice = voice
        self._writer = Writer(index, voice)

    def tell(
        self, plan: Numbers, results: Sequence[ToolResult], *, is_brief: bool = False
    ) -> list[str]:
        """Paragraphs. `is_brief` leaves the lists out, which a picture shows."""
        scope = scope_text(plan.scope, self._index, self._voice)
        if isinstance(plan, Rows):
            return self._rows(plan, results, scope)
        read = found(plan, results)
        match plan:
            case Count():
                return [self._count(plan, read, scope)]
            case Measured():
                return [self._measured(plan, results, scope)]
            case Distinct(column=column):
                return self._distinct(column, read, scope)
            case Top():
                return self._top(plan, read, scope, is_brief=is_brief)
            case ByShift() | GroupBy():
                return self._groups(plan, read, scope, is_brief=is_brief)
            case Readings():
                return []

    def _count(self, plan: Count, read: Found, scope: str) -> str:
        _, total = self._voice.gettext, int(read.total or 0)
        if not total:
            return self._nothing(scope)
        if plan.is_share and read.whole:
            if counts_defects(self._index):
                text = _("That is **{share}** of the defects{scope}: {part} of {whole}.")
            else:
                text = _("That is **{share}** of the rows{scope}: {part} of {whole}.")
            return text.format(
                share=self._voice.percent(total, read.whole),
                scope=scope,
                part=self._voice.number(total),
                whole=self._voice.number(read.whole),
            )
        told = self._how_many(total, scope)
        if scope and read.whole and read.whole > total:
            share = self._voice.percent(total, read.whole)
            whole = self._voice.number(read.whole)
            return f"{told[:-1]}: " + _("{share} of {whole}.").format(share=share, whole=whole)
        kind = self._index.type_column
        if kind is not None and len(read.groups) > 1:
            first = max(read.groups, key=lambda group: group.value)
            return f"{told} " + _("The most frequent is **{value}**, with {part}.").format(
                value=self._label(first, Dimension(kind)),
                part=self._voice.share(first.value, total),
            )
        return told

    def _how_many(self, total: int, scope: str) -> str:
        count = self._voice.number(total)
        if counts_defects(self._index):
            text = self._voice.ngettext(
                "There is **{count}** defect{scope}.",
                "There are **{count}** defects{scope}.",
                total,
            )
        else:
            text = self._voice.ngettext(
                "There is **{count}** row{scope}.", "There are **{count}** rows{scope}.", total
            )
        return text.format(count=count, scope=scope)

    def _nothing(self, scope: str) -> str:
        """Why there may be nothing: most often because the data ends before."""
        _ = self._voice.gettext
        if counts_defects(self._index):
            told = _("There are **no** defects{scope}.").format(scope=scope)
        else:
            told = _("There are **no** rows{scope}.").format(scope=scope)
        if span := self.days():
            told += " " + span
        return told

    def days(self) -> str:
        """From which day to which the data goes, or nothing."""
        name = self._index.date_column
        if name is None:
            return ""
        column = self._index.column(name)
        match column.min, column.max:
            case (date() as first, date() as last):
                return self._voice.gettext("The data goes from {first} to {last}.").format(
                    first=self._voice.value(_day(first)), last=self._voice.value(_day(last))
                )
            case _:
                return ""

    def _measured(self, plan: Measured, results: Sequence[ToolResult], scope: str) -> str:
        _ = self._voice.gettext
        value, rows = measured(results)
        name = self._writer.measure_name(plan.measure)
        if value is None:
            return self._nothing(scope)
        told = _("{measure}{scope}: **{value}**, over {rows} rows.").format(
            measure=name[:1].upper() + name[1:],
            scope=scope,
            value=self._figure(value),
            rows=self._voice.number(rows),
        )
        overall = self._index.column(plan.measure.column).mean
        if scope and plan.measure.kind == "mean" and overall is not None:
            told += " " + _("Over all rows it is {value}.").format(value=self._figure(overall))
        return told

    def _distinct(self, column: str, read: Found, scope: str) -> list[str]:
        if not read.groups:
            return [self._nothing(scope)]
        voice, dimension = self._voice, Dimension(column)
        text = voice.ngettext(
            "There is **{count}** value of {column}{scope}:",
            "There are **{count}** values of {column}{scope}:",
            read.group_count,
        )
        named = [
            f"{self._label(group, dimension)} ({voice.number(group.value)})"
            for group in read.groups[:_LINES]
        ]
        listed = voice.listed(named) if len(named) == read.group_count else ", ".join(named)
        told = text.format(
            count=voice.number(read.group_count), column=voice.column(column), scope=scope
        )
        return [f"{told} {listed}{'.' if len(named) == read.group_count else ' …'}"]

    def _top(self, plan: Top, read: Found, scope: str, *, is_brief: bool) -> list[str]:
        if not read.groups:
            return [self._nothing(scope)]
        if plan.within is not None:
            return [self._top_within(plan, plan.within, read)]
        lead = self._leader(plan, read, scope)
        if plan.n == 1:
            return [" ".join([lead, *self._runners_up(plan, read)])]
        if is_brief:
            return [lead]
        shown = read.groups[: plan.n]
        return [
            lead,
            self._numbered(shown, plan.dimension, read.total),
            *self._together(shown, read),
        ]

    def _top_within(self, plan: Top, within: Dimension, read: Found) -> str:
        """'manhã: lixo 20 (27 %)', a line for each group."""
        lines: list[str] = []
        for label in dict.fromkeys(str(group.labels[0]) for group in read.groups):
            groups = [group for group in read.groups if str(group.labels[0]) == label]
            total = sum(group.value for group in groups)
            sign = 1 if plan.order == "least" else -1
            groups.sort(key=lambda group: sign * group.value)
            last = sign * groups[min(plan.n, len(groups)) - 1].value
            named = [
                f"**{self._named(group.labels[1], plan.dimension)}** "
                f"{self._count_and_share(group, total)}"
                for group in groups
                if sign * group.value <= last
            ]
            name = self._named(groups[0].labels[0], within)
            lines.append(f"- {name}: {self._voice.listed(named)}")
        return "\n".join(lines)

    def _leader(self, plan: Top, read: Found, scope: str) -> str:
        _, voice = self._voice.gettext, self._voice
        first = read.groups[0]
        tied = [group for group in read.groups if group.value == first.value]
        labels = [f"**{self._label(group, plan.dimension)}**" for group in tied[:_INLINE]]
        is_type = plan.dimension.column == self._index.type_column
        if len(tied) > 1:
            return _("{values} are level{scope}, with {count} each.").format(
                values=voice.listed(labels), scope=scope, count=voice.number(first.value)
            )
        if is_type and plan.order == "most":
            text = _("The most frequent defect{scope} is {value}, with {share}.")
        elif is_type:
            text = _("The least frequent defect{scope} is {value}, with {share}.")
        elif plan.order == "most" and counts_defects(self._index):
            text = _("{value} has the most defects{scope}: {share}.")
        elif plan.order == "most":
            text = _("{value} has the most rows{scope}: {share}.")
        elif counts_defects(self._index):
            text = _("{value} has the fewest defects{scope}: {share}.")
        else:
            text = _("{value} has the fewest rows{scope}: {share}.")
        return text.format(value=labels[0], scope=scope, share=self._part(first, read.total))

    def _runners_up(self, plan: Top, read: Found) -> list[str]:
        first = read.groups[0]
        others = [group for group in read.groups if group.value != first.value][:2]
        if not others:
            return []
        named = [self._with_part(group, plan.dimension, read.total) for group in others]
        text = self._voice.gettext("Next: {values}.")
        return [text.format(values=self._voice.listed(named))]

    def _numbered(self, groups: Sequence[Group], dimension: Dimension, total: float | None) -> str:
        return "\n".join(
            f"{place}. {self._label(group, dimension)}: {self._count_and_share(group, total)}"
            for place, group in enumerate(groups, start=1)
        )

    def _together(self, shown: Sequence[Group], read: Found) -> list[str]:
        part = sum(group.value for group in shown)
        if not read.total or part >= read.total:
            return []
        text = self._voice.gettext("Together they make up {share}.")
        return [text.format(share=self._voice.share(part, read.total))]

    def _groups(
        self, plan: ByShift | GroupBy, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        if not read.groups:
            return [self._nothing(scope)]
        if isinstance(plan, GroupBy) and plan.split is not None:
            return self._crossed(plan, plan.split, read, scope, is_brief=is_brief)
        if isinstance(plan, GroupBy) and plan.measure.column:
            return self._measures(plan, read, scope, is_brief=is_brief)
        if len(read.groups) == 1:
            only = read.groups[0]
            label = self._label(only, plan.dimension)
            return [f"{self._how_many(int(only.value), scope)[:-1]}: **{label}**."]
        if plan.dimension.grain in _TIME:
            return self._over_time(plan, read, scope, is_brief=is_brief)
        if len(read.groups) <= _INLINE:
            return [self._in_a_sentence(plan, read, scope)]
        ranked = sorted(read.groups, key=lambda group: -group.value)
        top = Top(plan.scope, plan.dimension, len(read.groups))
        lead = self._leader(top, Found(tuple(ranked), read.total), scope)
        return [lead] if is_brief else [lead, self._listing(plan, read)]

    def _in_a_sentence(self, plan: ByShift | GroupBy, read: Found, scope: str) -> str:
        """'manhã 73, tarde 68 e noite 59', the largest first."""
        voice, is_shift = self._voice, self._is_shift(plan.dimension)
        ranked = sorted(read.groups, key=lambda group: -group.value)
        asked = plan.scope.filter_on(plan.dimension.column)
        if asked is not None and asked.relation == "is" and read.total:
            named = [self._with_part(group, plan.dimension, read.total) for group in ranked]
            return f"{self._how_many(int(read.total), scope)[:-1]}: {voice.listed(named)}."
        first, others = ranked[0], ranked[1:]
        tied = [group for group in ranked if group.value == first.value]
        if is_shift and len(tied) == 1:
            if counts_defects(self._index):
                text = voice.gettext(
                    "The shift with the most defects{scope} is **{value}**: {share}."
                )
            else:
                text = voice.gettext("The shift with the most rows{scope} is **{value}**: {share}.")
            lead = text.format(
                scope=scope,
                value=self._label(first, plan.dimension),
                share=self._part(first, read.total),
            )
        else:
            top = Top(plan.scope, plan.dimension, len(ranked))
            lead = self._leader(top, Found(tuple(ranked), read.total), scope)
            others = ranked[len(tied) :]
        if not others:
            return lead
        named = [self._with_part(group, plan.dimension, read.total) for group in others]
        return lead + " " + voice.gettext("Next: {values}.").format(values=voice.listed(named))

    def _listing(self, plan: ByShift | GroupBy, read: Found) -> str:
        voice = self._voice
        heads = [
            voice.column(self._writer.dimension_name(plan.dimension)),
            self._writer.count_name(),
            "%",
        ]
        rows = [
            [
                self._label(group, plan.dimension),
                voice.number(group.value),
                voice.percent(group.value, read.total) if read.total else "",
            ]
            for group in read.groups[:_LINES]
        ]
        return markdown(heads, rows) + self._left_out(read)

    def _left_out(self, read: Found) -> str:
        rest = read.group_count - min(len(read.groups), _LINES)
        if rest <= 0:
            return ""
        text = self._voice.ngettext("… and {count} more.", "… and {count} more.", rest)
        return "\n\n" + text.format(count=self._voice.number(rest))

    def _over_time(
        self, plan: ByShift | GroupBy, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, voice = self._voice.gettext, self._voice
        peak = max(read.groups, key=lambda group: group.value)
        mean = sum(group.value for group in read.groups) / len(read.groups)
        text = _("The peak{scope} is **{value}**, with {share}; the mean per {unit} is {mean}.")
        lead = text.format(
            scope=scope,
            unit=self._writer.dimension_name(plan.dimension),
            value=self._label(peak, plan.dimension),
            share=self._part(peak, read.total),
            mean=voice.number(round(mean, 1)),
        )
        return [lead] if is_brief else [lead, self._listing(plan, read)]

    def _measures(self, plan: GroupBy, read: Found, scope: str, *, is_brief: bool) -> list[str]:
        _, voice = self._voice.gettext, self._voice
        name = self._writer.measure_name(plan.measure)
        highest = max(read.groups, key=lambda group: group.value)
        lowest = min(read.groups, key=lambda group: group.value)
        first, second = (lowest, highest) if plan.order == "least" else (highest, lowest)
        if first.value == second.value and len(read.groups) > 1:
            return [
                _("{measure}{scope}: **{value}** in each of {count} groups.").format(
                    measure=name[:1].upper() + name[1:],
                    scope=scope,
                    value=self._figure(first.value),
                    count=len(read.groups),
                )
            ]
        lead = _("{measure}{scope}: **{first}** has {first_value}, {second} {second_value}.")
        if len(read.groups) == 1:
            lead = _("{measure}{scope}: **{first}** has {first_value}.")
        told = lead.format(
            measure=name[:1].upper() + name[1:],
            scope=scope,
            first=self._label(first, plan.dimension),
            first_value=self._figure(first.value),
            second=self._label(second, plan.dimension),
            second_value=self._figure(second.value),
        )
        if is_brief or plan.n == 1 or len(read.groups) < 3:
            return [told]
        heads = [voice.column(self._writer.dimension_name(plan.dimension)), name]
        cut = read.groups[: plan.n or _LINES]
        rows = [[self._label(each, plan.dimension), self._figure(each.value)] for each in cut]
        rest = "" if plan.n else self._left_out(read)
        return [told, markdown(heads, rows) + rest]

    def _crossed(
        self, plan: GroupBy, split: Dimension, read: Found, scope: str, *, is_brief: bool
    ) -> list[str]:
        _, voice = self._voice.gettext, self._voice
        first = max(read.groups, key=lambda group: group.value)
        names = [
            self._named(first.labels[0], plan.dimension),
            self._named(first.labels[1], split),
        ]
        value = self._figure(first.value) if plan.measure.column else self._part(first, read.total)
        lead = _("The most{scope} is **{values}**: {value}.").format(
            scope=scope, values=" / ".join(names), value=value
        )
        if is_brief:
            return [lead]
        heads = [
            voice.column(self._writer.dimension_name(each)) for each in (plan.dimension, split)
        ]
        cells = [
            (
                self._named(group.labels[0], plan.dimension),
                self._named(group.labels[1], split),
                self._figure(group.value),
            )
            for group in read.groups
        ]
        return [lead, crossed(heads, cells, most_lines=_LINES)]

    def _rows(self, plan: Rows, results: Sequence[ToolResult], scope: str) -> list[str]:
        match results[0].content if results else None:
            case {"linhas": int() as count}:
                if not count:
                    return [self._nothing(scope)]
                text = self._voice.ngettext(
                    "Here is **{count}** row{scope}.", "Here are **{count}** rows{scope}.", count
                )
                return [text.format(count=self._voice.number(count), scope=scope)]
            case {"linhas": list(lines), "colunas": list(heads)}:
                if not lines:
                    return [self._nothing(scope)]
                rows = [[self._voice.value(cell) for cell in line] for line in _lists(lines)]
                return [markdown([str(head) for head in heads], rows[: plan.n or _LINES])]
            case _:
                return []

    def _part(self, group: Group, total: float | None) -> str:
        return self._voice.share(group.value, total) if total else self._voice.number(group.value)

    def _with_part(self, group: Group, dimension: Dimension, total: float | None) -> str:
        return self._voice.gettext("{value} with {count}").format(
            value=self._label(group, dimension), count=self._count_and_share(group, total)
        )

    def _count_and_share(self, group: Group, total: float | None) -> str:
        count = self._voice.number(group.value)
        return f"{count} ({self._voice.percent(group.value, total)})" if total else count

    def _label(self, group: Group, dimension: Dimension) -> str:
        return self._named(group.labels[0], dimension)

    def _named(self, label: Json, dimension: Dimension) -> str:
        if dimension.grain in _TIME and isinstance(label, str):
            return self._moment(label, dimension)
        if dimension.grain == "hour" and isinstance(label, int):
            return f"{label:02d}:00"
        if dimension.grain == "year":
            return str(label)
        return self._voice.value(label, is_shift=self._is_shift(dimension))

    def _moment(self, label: str, dimension: Dimension) -> str:
        day = _iso_day(label)
        if day is None:
            return label
        return day.strftime("%m/%Y") if dimension.grain == "month" else self._voice.value(day)

    def _is_shift(self, dimension: Dimension) -> bool:
        return dimension.column == self._index.shift_column

    def _figure(self, value: float | str) -> str:
        if isinstance(value, str):
            return self._voice.value(value)
        return self._voice.number(round(value, _DIGITS))


def _lists(lines: Sequence[Json]) -> list[list[Json]]:
    return [line for line in lines if isinstance(line, list)]


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
