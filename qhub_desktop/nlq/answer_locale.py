"""The language of an answer: its texts, and how it formats numbers, values and names."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import cast

from qhub_desktop.core import text
from qhub_desktop.core.codec import Json
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import Language, gettext_noop
from qhub_desktop.core.untrusted import literal_markdown, one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.query_ast import (
    PER_CENT,
    PER_THOUSAND,
    SIGNS,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Relation,
    Rows,
    TimeUnit,
)
from qhub_desktop.nlq.statistic_kinds import STATISTICS
from qhub_desktop.nlq.tokenizer import unit as unit_in_name
from qhub_desktop.nlq.tokenizer import without_unit

WEEKDAY_TEXTS = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)
_SHIFTS: dict[tuple[str, ...], str] = {
    ("morning",): gettext_noop("morning"),
    ("afternoon",): gettext_noop("afternoon"),
    ("night",): gettext_noop("night"),
}
_COLUMNS: dict[tuple[str, ...], str] = {
    ("defect", "type"): gettext_noop("type"),
    ("shift",): gettext_noop("shift"),
    ("operator",): gettext_noop("operator"),
    ("material",): gettext_noop("material"),
    ("rack",): gettext_noop("rack"),
    ("position",): gettext_noop("position"),
    ("date",): gettext_noop("date"),
}


@dataclass(frozen=True, slots=True)
class AnswerLocale:
    """Language of an answer: its texts, its numbers, and its names for values and columns.

    With `is_markdown`, names and values are written so that Markdown shows them as they stand.
    """

    language: Language
    is_markdown: bool = False

    @property
    def markdown(self) -> "AnswerLocale":
        """Return this for sentences in Markdown."""
        return replace(self, is_markdown=True)

    def literal(self, words: str) -> str:
        """Return words from outside as what is written here shows them."""
        return literal_markdown(words) if self.is_markdown else words

    def gettext(self, message: str) -> str:
        """Translate a text."""
        return text.gettext(message, language=self.language)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Translate a text that depends on a count."""
        return text.ngettext(one, many, count, language=self.language)

    def number(self, value: float, *, digits: int | None = None) -> str:
        """Format a number with the language's separators."""
        return text.number(value, digits=digits, language=self.language)

    def percent(self, part: float, whole: float) -> str:
        """Format a part of a whole in percent."""
        return text.percent(part / whole if whole else 0, language=self.language)

    def share(self, part: float, whole: float) -> str:
        """Format a part of a whole: '62 of 200 (31%)'."""
        return self.gettext("{part} of {whole} ({share})").format(
            part=self.number(part), whole=self.number(whole), share=self.percent(part, whole)
        )

    def listed(self, items: Sequence[str]) -> str:
        """Join words: 'a, b and c'."""
        if len(items) < 2:
            return "".join(items)
        return self.gettext("{first} and {last}").format(
            first=", ".join(items[:-1]), last=items[-1]
        )

    def value(self, value: Json | date | datetime, *, is_shift: bool = False) -> str:
        """Format a value of the data: days as dates, shifts by their names."""
        match value:
            case None | "" | "(sem valor)":
                return self.gettext("(empty)")
            case bool() | int() | float() | date():
                return text.cell(value, language=self.language)
            case str():
                if is_shift and (named := _SHIFTS.get(current_lexicon().lemmas(value))):
                    return self.gettext(named)
                return self.literal(one_line(value))
            case _:
                return self.literal(str(value))

    def column(self, name: str) -> str:
        """Format a column's name for a sentence; well-known ones are translated."""
        if label := _COLUMNS.get(tuple(sorted(current_lexicon().lemmas(name)))):
            return self.gettext(label)
        return self.literal(without_unit(name).replace("_", " ").strip())


def elapsed_name(start: str, end: str, unit: TimeUnit, locale: AnswerLocale) -> str:
    """Return the name of the time from one column to another: 'days from A to B'."""
    _ = locale.gettext
    texts = {
        "minutes": _("minutes from {start} to {end}"),
        "hours": _("hours from {start} to {end}"),
        "days": _("days from {start} to {end}"),
        "difference": _("{end} less {start}"),
        "sum": _("{end} and {start} together"),
        "product": _("{end} × {start}"),
    }
    return texts[unit].format(start=locale.column(start), end=locale.column(end))


class ColumnNames:
    """Names of result columns over one data set, in one language."""

    def __init__(self, profile: DatasetProfile, locale: AnswerLocale) -> None:
        self._profile = profile
        self._locale = locale

    def dimension(self, dimension: Dimension) -> str:
        """Return the name of a dimension's column."""
        _ = self._locale.gettext
        match dimension.grain:
            case "":
                return dimension.column
            case "hour":
                return _("hour")
            case "day":
                return _("day")
            case "weekday":
                return _("day of the week")
            case "week":
                return _("week")
            case "month":
                return _("month")
            case "quarter":
                return _("quarter")
            case "year":
                return _("year")

    def told(self, dimension: Dimension) -> str:
        """Return a dimension in a sentence; where dates are in several columns, with its own."""
        name = self._locale.column(self.dimension(dimension))
        dated = [each for each in self._profile.columns if each.type in ("date", "datetime")]
        if not dimension.grain or len(dated) < 2:
            return name
        column = self._locale.column(dimension.column)
        return self._locale.gettext("{grain} of {column}").format(grain=name, column=column)

    def measure(self, measure: Measure) -> str:
        """Return the name of a measure's column."""
        _ = self._locale.gettext
        column = self.of(measure)
        match measure.kind:
            case "count":
                return self.count()
            case "product":
                return " × ".join(f"({self.measure(each)})" for each in measure.factors)
            case "ratio":
                return self.filled(_("ratio of {column} to {over}"), measure)
            case "distinct":
                return self.filled(_("different values of {column}"), measure)
            case "per":
                grain = cast("Grain", measure.over)
                unit = self.dimension(Dimension(measure.column, grain))
                if measure.amount:
                    amount = self._locale.column(measure.amount)
                    return _("mean {column} per {unit}").format(column=amount, unit=unit)
                text = _("mean number of rows per {unit}")
                if self._is_of_defects:
                    text = _("mean number of defects per {unit}")
                return text.format(unit=unit)
            case "rate":
                over = self._locale.column(measure.over)
                if measure.per != PER_CENT:
                    text = _("{column} per {number} of {over}")
                    number = str(measure.per)
                    if measure.per != PER_THOUSAND:  # of pieces by 60 min of a time
                        number += f" {unit_in_name(measure.over).strip('()[] ')}"
                    return text.format(column=column, number=number, over=over)
                if measure.amount:
                    over = f"{over} + {self._locale.column(measure.amount)}"
                return _("percentage of {column} in {over}").format(column=column, over=over)
            case "share":
                values = [
                    self._part(each.column, value) for each in measure.part for value in each.values
                ] or [self._compared(each) for each in measure.part]
                listed = self._locale.listed(values)
                if measure.column:
                    text = _("percentage of {values} in {column}")
                    return text.format(values=listed, column=column)
                return _("percentage of {values}").format(values=listed)
            case _:
                return self.filled(_(STATISTICS[measure.kind].name), measure)

    def _compared(self, part: Filter) -> str:
        """Return what a share is of where it is told by two columns: one after the other."""
        column, found = self._locale.column(part.column), self._profile.column(part.column)
        if not part.other:
            return column
        is_moment = found is not None and found.type in ("date", "datetime")
        other = self._locale.column(part.other)
        return comparison_text(column, part.relation, [other], self._locale, is_moment=is_moment)

    def _part(self, column: str, value: Json) -> str:
        """Return what a share is of: a value, behind its column where it says nothing alone."""
        told = self._locale.value(value)
        is_name = isinstance(value, str) and not told.isdigit()
        return told if is_name else f"{self._locale.column(column)}: {told}"

    @property
    def _is_of_defects(self) -> bool:
        return self._profile.defect_column("tipo_defeito") is not None

    def filled(self, text: str, measure: Measure) -> str:
        """Fill in a text with the column of a measure, its divisor and its percentile."""
        return text.format(
            column=self.of(measure),
            over=self._locale.column(measure.over),
            percent=self._locale.number(round(100 * measure.quantile, 1)),
        )

    def of(self, measure: Measure) -> str:
        """Return the name of what is measured: a column, or the time between two."""
        if measure.unit:
            return elapsed_name(measure.since, measure.column, measure.unit, self._locale)
        name, found = self._locale.column(measure.column), self._profile.column(measure.column)
        if measure.kind == "range" and found is not None and found.type in ("date", "datetime"):
            return self._locale.gettext("{column} (days)").format(column=name)
        return name

    def ranked(self, rows: Rows) -> str:
        """Return the name of that by which rows are ranked: a column, or the time between two."""
        if rows.unit:
            return elapsed_name(rows.since, rows.by, rows.unit, self._locale)
        return self._locale.column(rows.by)

    def count(self) -> str:
        """Return the name of the column of counts, which no column of the data has."""
        _ = self._locale.gettext
        return self.unused(_("number of defects") if self._is_of_defects else _("number of rows"))

    def share(self) -> str:
        """Return the name of the column of percentages, which no column of the data has."""
        return self.unused(self._locale.gettext("percentage"))

    def charted(self, plan: GroupBy) -> str:
        """Return the column of a query that a chart of it draws."""
        if plan.is_share:
            return self.share()
        if plan.measure.kind != "count":
            return self.measure(plan.measure)
        return self.count()

    def unused(self, name: str) -> str:
        """Return a name that no column of the data has."""
        taken = {each.name.lower() for each in self._profile.columns}
        while name.lower() in taken:
            name += "_"
        return name


def comparison_text(
    column: str, relation: Relation, values: Sequence[str], locale: AnswerLocale, *, is_moment: bool
) -> str:
    """Write a comparison with a value or a column: 'preço > custo', 'envio depois de prazo'."""
    _ = locale.gettext
    if not is_moment:
        return f"{column} {SIGNS.get(relation, '≠' if relation == 'is not' else '=')} {values[0]}"
    match relation:
        case "above":
            text = _("{column} after {value}")
        case "at least":
            text = _("{column} on or after {value}")
        case "below":
            text = _("{column} before {value}")
        case "at most":
            text = _("{column} on or before {value}")
        case "is not":
            text = _("{column} other than {value}")
        case _:
            text = _("{column} the same as {value}")
    return text.format(column=column, value=values[0])
