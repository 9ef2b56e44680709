"""Rankings and groups to sentences: who leads, by how much, and the rest."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.naming import TIME, Namer
from qhub_desktop.chat.offline.phrases import counts_defects
from qhub_desktop.chat.offline.plan import ByShift, Dimension, GroupBy, Top
from qhub_desktop.chat.offline.results import Found, Group
from qhub_desktop.chat.offline.sql import Writer
from qhub_desktop.chat.offline.tables import crossed, markdown
from qhub_desktop.chat.offline.voice import Voice

_INLINE = 4  # so many groups still make a sentence
LINES = 12  # longer lists are cut, and say so


class GroupTeller:
    """Tells what groups came to, over one data set and in one language."""

    def __init__(self, index: Index, voice: Voice) -> None:
        self._index = index
        self._voice = voice
        self._writer = Writer(index, voice)
        self._namer = Namer(index, voice)

    def top(self, plan: Top, read: Found, scope: str, *, is_brief: bool) -> list[str]:
        """A ranking. `is_brief` leaves the list out."""
        if not read.groups:
            return [self._namer.nothing(scope)]
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
                f"**{self._namer.named(group.labels[1], plan.dimension)}** "
                f"{self._namer.count_and_share(group, total)}"
                for group in groups
                if sign * group.value <= last
            ]
            name = self._namer.named(groups[0].labels[0], within)
            lines.append(f"- {name}: {self._voice.listed(named)}")
        return "\n".join(lines)

    def _leader(self, plan: Top, read: Found, scope: str) -> str:
        _, voice = self._voice.gettext, self._voice
        first = read.groups[0]
        tied = [group for group in read.groups if group.value == first.value]
        labels = [f"**{self._namer.label(group, plan.dimension)}**" for group in tied[:_INLINE]]
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
        return text.format(value=labels[0], scope=scope, share=self._namer.part(first, read.total))

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
        lead = self._leader(top, Found(tuple(ranked), read.total), scope)
        return [lead] if is_brief else [lead, self._listing(plan, read)]

    def _in_a_sentence(self, plan: ByShift | GroupBy, read: Found, scope: str) -> str:
        """'manhã 73, tarde 68 e noite 59', the largest first."""
        voice, is_shift = self._voice, self._namer.is_shift(plan.dimension)
        ranked = sorted(read.groups, key=lambda group: -group.value)
        asked = plan.scope.filter_on(plan.dimension.column)
        if asked is not None and asked.relation == "is" and read.total:
            named = [self._namer.with_part(group, plan.dimension, read.total) for group in ranked]
            return f"{self._namer.how_many(int(read.total), scope)[:-1]}: {voice.listed(named)}."
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
                value=self._namer.label(first, plan.dimension),
                share=self._namer.part(first, read.total),
            )
        else:
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
            voice.column(self._writer.dimension_name(plan.dimension)),
            self._writer.count_name(),
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
        _, voice = self._voice.gettext, self._voice
        peak = max(read.groups, key=lambda group: group.value)
        mean = sum(group.value for group in read.groups) / len(read.groups)
        text = _("The peak{scope} is **{value}**, with {share}; the mean per {unit} is {mean}.")
        lead = text.format(
            scope=scope,
            unit=self._writer.dimension_name(plan.dimension),
            value=self._namer.label(peak, plan.dimension),
            share=self._namer.part(peak, read.total),
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
                    value=self._namer.figure(first.value),
                    count=len(read.groups),
                )
            ]
        if plan.order == "least":
            lead = _(
                "{measure}{scope}: lowest **{first}** ({first_value}), highest {second}"
                " ({second_value})."
            )
        else:
            lead = _(
                "{measure}{scope}: highest **{first}** ({first_value}), lowest {second}"
                " ({second_value})."
            )
        if len(read.groups) == 1:
            lead = _("{measure}{scope}: **{first}** has {first_value}.")
        told = lead.format(
            measure=name[:1].upper() + name[1:],
            scope=scope,
            first=self._namer.label(first, plan.dimension),
            first_value=self._namer.figure(first.value),
            second=self._namer.label(second, plan.dimension),
            second_value=self._namer.figure(second.value),
        )
        if is_brief or plan.n == 1 or len(read.groups) < 3:
            return [told]
        heads = [voice.column(self._writer.dimension_name(plan.dimension)), name]
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
        value = (
            self._namer.figure(first.value)
            if plan.measure.column
            else self._namer.part(first, read.total)
        )
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
                self._namer.named(group.labels[0], plan.dimension),
                self._namer.named(group.labels[1], split),
                self._namer.figure(group.value),
            )
            for group in read.groups
        ]
        return [lead, crossed(heads, cells, most_lines=LINES)]
