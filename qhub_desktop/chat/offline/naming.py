"""Counts, groups and values as they are written in sentences."""

from datetime import date, datetime

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.phrases import counts_defects
from qhub_desktop.chat.offline.plan import Dimension
from qhub_desktop.chat.offline.results import Group
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.json_values import Json

TIME = ("day", "week", "month", "year")
DIGITS = 2  # of a mean


class Namer:
    """Writes the values and numbers of one data set in one language."""

    def __init__(self, index: Index, voice: Voice) -> None:
        self._index = index
        self._voice = voice

    def nothing(self, scope: str) -> str:
        """That there is nothing, and how far the data goes: most often it ends before."""
        told = self.how_many(0, scope)
        span = self.days()
        return f"{told} {span}" if span else told

    def how_many(self, total: int, scope: str) -> str:
        """'**200** defects.'"""
        count = self._voice.number(total)
        if counts_defects(self._index):
            text = self._voice.ngettext(
                "**{count}** defect{scope}.", "**{count}** defects{scope}.", total
            )
        else:
            text = self._voice.ngettext(
                "**{count}** row{scope}.", "**{count}** rows{scope}.", total
            )
        return text.format(count=count, scope=scope)

    def of_all(self, count: float, total: float | None, scope: str) -> str:
        """'**62** of 200 defects (31%)', or the count alone if the whole is not known."""
        _, voice = self._voice.gettext, self._voice
        if not total:
            return self.how_many(int(count), scope).removesuffix(".")
        if counts_defects(self._index):
            text = _("**{count}** of {total} defects{scope} ({share})")
        else:
            text = _("**{count}** of {total} rows{scope} ({share})")
        return text.format(
            count=voice.number(count),
            total=voice.number(total),
            scope=scope,
            share=voice.percent(count, total),
        )

    def change(self, now: float, before: float) -> str:
        """'+12 (+33%)', or the difference alone where before there was nothing."""
        difference = round(now - before, DIGITS)
        sign = "+" if difference > 0 else "±" if not difference else ""
        told = f"{sign}{self._voice.number(difference)}"
        if not before or not difference:
            return told
        return f"{told} ({sign}{self._voice.percent(difference, abs(before))})"

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

    def part(self, group: Group, total: float | None) -> str:
        """'62 of 200 (31%)', or the number alone if the whole is not known."""
        return self._voice.share(group.value, total) if total else self._voice.number(group.value)

    def with_part(self, group: Group, dimension: Dimension, total: float | None) -> str:
        """'lixo with 62 (31%)'."""
        return self._voice.gettext("{value} with {count}").format(
            value=self.label(group, dimension), count=self.count_and_share(group, total)
        )

    def count_and_share(self, group: Group, total: float | None) -> str:
        """'62 (31%)'."""
        count = self._voice.number(group.value)
        return f"{count} ({self._voice.percent(group.value, total)})" if total else count

    def label(self, group: Group, dimension: Dimension) -> str:
        """A group's name."""
        return self.named(group.labels[0], dimension)

    def named(self, label: Json, dimension: Dimension) -> str:
        """A value by which rows are grouped, as it is read."""
        if dimension.grain in TIME and isinstance(label, str):
            return self._moment(label, dimension)
        if dimension.grain == "hour" and isinstance(label, int):
            return f"{label:02d}:00"
        if dimension.grain == "year" or (isinstance(label, int) and not dimension.grain):
            return str(label)  # what numbers call things by is written without gaps
        return self._voice.value(label, is_shift=self.is_shift(dimension))

    def _moment(self, label: str, dimension: Dimension) -> str:
        day = _iso_day(label)
        if day is None:
            return label
        return day.strftime("%m/%Y") if dimension.grain == "month" else self._voice.value(day)

    def is_shift(self, dimension: Dimension) -> bool:
        """Whether groups are shifts."""
        return dimension.column == self._index.shift_column

    def figure(self, value: float | str) -> str:
        """A measure, with as many digits as matter."""
        if isinstance(value, str):
            return self._voice.value(value)
        return self._voice.number(round(value, DIGITS))


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
