"""Phrases of an answer: which rows are meant, what is counted, how values are written."""

from datetime import date, datetime

from qhub_desktop.core.json_values import Json
from qhub_desktop.nlq.locale import WEEKDAYS, AnswerLocale
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    ByShift,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    GroupBy,
    Missing,
    Outliers,
    Period,
    Query,
    RawValues,
    Rows,
    RowSelection,
    Summary,
    Top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import DRAWN_ROWS, SIGNS, Names
from qhub_desktop.nlq.tool_results import Group


def scope_text(scope: RowSelection, index: SchemaIndex, voice: AnswerLocale) -> str:
    """' (turno: noite, operador: Julia)', or nothing where all rows are meant."""
    said = [filter_text(each, index, voice) for each in scope.filters]
    if scope.period is not None:
        days = period_text(scope.period, voice)
        if scope.period.said:
            text = voice.gettext("“{words}” from the data's last day on: {days}")
            days = text.format(words=scope.period.said, days=days)
        said.append(days)
    return f" ({', '.join(said)})" if said else ""


def filter_text(wanted: Filter, index: SchemaIndex, voice: AnswerLocale) -> str:
    """'turno: noite', 'posição > 5', 'lixo left out'."""
    _ = voice.gettext
    column = voice.column(wanted.column)
    if wanted.grain == "hour":
        column = _("hour")
    is_shift = wanted.column == index.shift_column
    values = [voice.value(value, is_shift=is_shift) for value in wanted.values]
    if wanted.grain == "weekday":
        values = [_(WEEKDAYS[int(value) - 1]) for value in wanted.values]
    match wanted.relation:
        case "is":
            return f"{column}: {voice.listed(values)}"
        case "is not":
            return _("{column}: not {values}").format(column=column, values=voice.listed(values))
        case "above" | "at least" | "below" | "at most" as relation:
            return f"{column} {SIGNS[relation]} {values[0]}"
        case "missing":
            return _("{column}: empty").format(column=column)
        case "outside":
            return _("{column}: not from {first} to {last}").format(
                column=column, first=values[0], last=values[1]
            )
        case "between":
            return _("{column}: from {first} to {last}").format(
                column=column, first=values[0], last=values[1]
            )


def period_text(period: Period, voice: AnswerLocale) -> str:
    """'from 01/02/2026 to 10/02/2026', '12/02/2026', 'since …', 'until …'."""
    _ = voice.gettext
    start = None if period.start is None else voice.value(period.start)
    end = None if period.end is None else voice.value(period.end)
    if start is None:
        return _("until {day}").format(day=end)
    if end is None:
        return _("since {day}").format(day=start)
    if start == end:
        return start
    return _("from {first} to {last}").format(first=start, last=end)


def counts_defects(index: SchemaIndex) -> bool:
    """Whether the rows of a data set are defects."""
    return index.type_column is not None


def title(plan: Query, index: SchemaIndex, voice: AnswerLocale) -> str:
    """What a picture, a table or a number is called."""
    told = f"{_title(plan, index, voice)}{scope_text(plan.scope, index, voice)}"
    if isinstance(plan, RawValues) and index.profile.rows > DRAWN_ROWS:
        text = voice.gettext("{count} rows at random")
        told += f" ({text.format(count=voice.number(DRAWN_ROWS))})"
    if isinstance(plan, GroupBy) and plan.having is not None:
        told += f" ({having_text(plan.having, voice)})"
    return told


def having_text(wanted: Filter, voice: AnswerLocale) -> str:
    """'more than 10 each' as a sign and a number: '> 10'."""
    values = [voice.value(value) for value in wanted.values]
    if wanted.relation == "between":
        return "–".join(values)
    return f"{SIGNS.get(wanted.relation, '=')} {values[0]}"


def _title(plan: Query, index: SchemaIndex, voice: AnswerLocale) -> str:
    _ = voice.gettext
    names = Names(index.profile, voice)
    rows = _("Defects") if counts_defects(index) else _("Rows")

    def by(dimension: Dimension) -> str:
        return voice.column(names.dimension(dimension))

    match plan:
        case Count():
            return rows
        case Aggregate(measure=measure):
            return _capital(names.measure(measure))
        case Distinct(column=column):
            return _("Values of {column}").format(column=voice.column(column))
        case Top(dimension=dimension, n=n, order="most"):
            return _("Top {n}: {rows} by {dimension}").format(
                n=n, rows=rows.lower(), dimension=by(dimension)
            )
        case Top(dimension=dimension) | ByShift(dimension=dimension):
            return _("{rows} by {dimension}").format(rows=rows, dimension=by(dimension))
        case GroupBy(dimension=dimension, measure=measure, split=split):
            what = _capital(names.measure(measure)) if measure.column else rows
            if plan.is_cumulative:
                return _("{rows} by {dimension}, running total").format(
                    rows=what, dimension=by(dimension)
                )
            if split is not None:
                return _("{rows} by {dimension} and {split}").format(
                    rows=what, dimension=by(dimension), split=by(split)
                )
            return _("{rows} by {dimension}").format(rows=what, dimension=by(dimension))
        case RawValues(columns=(first, second)):
            return _("{second} against {first}").format(
                first=voice.column(first), second=voice.column(second)
            )
        case RawValues(columns=columns, dimension=dimension):
            what = voice.column(columns[0])
            if dimension is None:
                return _("Distribution of {column}").format(column=what)
            return _("Distribution of {column} by {dimension}").format(
                column=what, dimension=by(dimension)
            )
        case Outliers(column=column):
            return _("Unusual values of {column}").format(column=voice.column(column))
        case Correlation(columns=(first, second)):
            return _("{second} against {first}").format(
                first=voice.column(first), second=voice.column(second)
            )
        case Summary(column=column):
            return _("{column} in short").format(column=voice.column(column))
        case Missing():
            return _("Missing values by column")
        case Duplicates():
            return _("Repeated rows")
        case Rows():
            return rows


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


TIME = ("day", "week", "month", "year")
DIGITS = 2  # of a mean


class Namer:
    """Writes the values and numbers of one data set in one language."""

    def __init__(self, index: SchemaIndex, voice: AnswerLocale) -> None:
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


def suggestions(index: SchemaIndex, voice: AnswerLocale) -> tuple[str, ...]:
    """Questions that this engine understands, as a person would write them."""
    made = _of_defects(index, voice) if index.type_column else _of_rows(index, voice)
    _ = voice.gettext
    general = [_("Summarise the data"), _("Which columns are there?"), _("How many rows?")]
    return tuple([*made, *general][:3])


def where_it_concentrates(index: SchemaIndex, voice: AnswerLocale) -> tuple[str, ...]:
    """What can be shown in the place of a cause."""
    text = voice.gettext("And by {column}?")
    columns = [column for column in index.categories if column != index.type_column]
    return tuple(text.format(column=voice.column(column)) for column in columns[:3])


def _of_defects(index: SchemaIndex, voice: AnswerLocale) -> list[str]:
    _ = voice.gettext
    made = [_("What is the most frequent defect?")]
    kind, shift = _first_value(index, index.type_column), _first_value(index, index.shift_column)
    if kind and shift and index.shift_column:
        made.append(
            _("How many {type} defects in the {shift}?").format(
                type=kind, shift=voice.value(shift, is_shift=True)
            )
        )
    settled = (index.type_column, index.shift_column)
    others = [column for column in index.categories if column not in settled]
    if column := next(iter([*others, *index.categories]), None):
        made.append(_("Defects by {column} in a chart").format(column=voice.column(column)))
    return made


def _of_rows(index: SchemaIndex, voice: AnswerLocale) -> list[str]:
    _ = voice.gettext
    made: list[str] = []
    category = next(iter(index.categories), None)
    measure = next(iter(index.measures), None)
    if category:
        made.append(_("How many rows by {column}?").format(column=voice.column(category)))
    if measure and category:
        made.append(
            _("Mean of {measure} by {column} in a chart").format(
                measure=voice.column(measure), column=voice.column(category)
            )
        )
    elif measure:
        made.append(_("Mean of {measure}").format(measure=voice.column(measure)))
    if category and (value := _first_value(index, category)):
        made.append(
            _("How many rows with {column} “{value}”?").format(
                column=voice.column(category), value=value
            )
        )
    return made


def _first_value(index: SchemaIndex, column: str | None) -> str | None:
    if column is None:
        return None
    return next((value for value, _ in index.column(column).top if isinstance(value, str)), None)
