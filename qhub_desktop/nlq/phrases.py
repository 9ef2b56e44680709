"""Phrases that answers share: filters, periods, titles, counts, values, example questions."""

from dataclasses import replace
from datetime import date, datetime

from qhub_desktop.core.codec import Json
from qhub_desktop.nlq.answer_locale import WEEKDAYS, AnswerLocale
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    ByShift,
    Comparison,
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
    Several,
    Summary,
    Top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import DRAWN_ROWS, SIGNS, ColumnNames
from qhub_desktop.nlq.tool_results import Group


def scope_text(scope: RowSelection, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Write which rows are selected, ' (turno: noite, operador: Julia)', empty for all rows."""
    said = [filter_text(each, index, locale) for each in scope.filters]
    if scope.period is not None:
        days = period_text(scope.period, locale)
        if scope.period.said:
            text = locale.gettext("“{words}” from the data's last day on: {days}")
            days = text.format(words=scope.period.said, days=days)
        said.append(days)
    return f" ({', '.join(said)})" if said else ""


def filter_text(wanted: Filter, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Write a filter: 'turno: noite', 'posição > 5'."""
    _ = locale.gettext
    column = locale.column(wanted.column)
    if wanted.grain in ("hour", "minute"):
        column = _("hour")
    is_shift = wanted.column == index.shift_column
    values = [locale.value(value, is_shift=is_shift) for value in wanted.values]
    if wanted.grain == "weekday":
        values = [_(WEEKDAYS[int(value) - 1]) for value in wanted.values]
    if wanted.grain == "minute":
        times = (divmod(int(value), 60) for value in wanted.values)
        values = [f"{hour:02d}:{minute:02d}" for hour, minute in times]
    if wanted.other:
        return f"{column} {SIGNS.get(wanted.relation, '=')} {locale.column(wanted.other)}"
    match wanted.relation:
        case "is":
            return f"{column}: {locale.listed(values)}"
        case "present":
            return _("{column}: filled in").format(column=column)
        case "contains":
            text = _("{column}: with {values} in it")
            return text.format(
                column=column, values=locale.listed([f"“{each}”" for each in values])
            )
        case "lacks":
            text = _("{column}: without {values} in it")
            return text.format(
                column=column, values=locale.listed([f"“{each}”" for each in values])
            )
        case "is not":
            return _("{column}: not {values}").format(column=column, values=locale.listed(values))
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


def period_text(period: Period, locale: AnswerLocale) -> str:
    """Write a period: 'from 01/02/2026 to 10/02/2026', '12/02/2026', 'since …', 'until …'."""
    _ = locale.gettext
    if period.but is not None:
        days = period_text(replace(period, but=None), locale)
        left_out = period_text(Period(period.column, *period.but), locale)
        return _("{days}, except {left_out}").format(days=days, left_out=left_out)
    start = None if period.start is None else locale.value(period.start)
    end = None if period.end is None else locale.value(period.end)
    if start is None:
        return _("until {day}").format(day=end)
    if end is None:
        return _("since {day}").format(day=start)
    if start == end:
        return start
    return _("from {first} to {last}").format(first=start, last=end)


def counts_defects(index: SchemaIndex) -> bool:
    """Return whether the rows of a data set are defects."""
    return index.type_column is not None


def title(plan: Query, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Return the title of a query's chart, table or number."""
    sentence = f"{_title(plan, index, locale)}{scope_text(plan.scope, index, locale)}"
    if isinstance(plan, RawValues) and index.profile.rows > DRAWN_ROWS:
        text = locale.gettext("{count} rows at random")
        sentence += f" ({text.format(count=locale.number(DRAWN_ROWS))})"
    if isinstance(plan, GroupBy) and plan.having is not None:
        sentence += f" ({having_text(plan.having, locale)})"
    return sentence


def having_text(wanted: Filter, locale: AnswerLocale) -> str:
    """Write a condition on counts as a sign and a number: '> 10'."""
    values = [locale.value(value) for value in wanted.values]
    if wanted.relation == "between":
        return "–".join(values)
    if wanted.relation == "outside":
        return f"< {values[0]}, > {values[1]}"
    return f"{SIGNS.get(wanted.relation, '=')} {values[0]}"


def _title(plan: Query, index: SchemaIndex, locale: AnswerLocale) -> str:
    _ = locale.gettext
    names = ColumnNames(index.profile, locale)
    rows = _("Defects") if counts_defects(index) else _("Rows")

    def by(dimension: Dimension) -> str:
        return locale.column(names.dimension(dimension))

    match plan:
        case Count():
            return rows
        case Aggregate(measure=measure):
            return _capital(names.measure(measure))
        case Distinct(column=column):
            return _("Values of {column}").format(column=locale.column(column))
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
                first=locale.column(first), second=locale.column(second)
            )
        case RawValues(columns=columns, dimension=dimension):
            what = locale.column(columns[0])
            if dimension is None:
                return _("Distribution of {column}").format(column=what)
            return _("Distribution of {column} by {dimension}").format(
                column=what, dimension=by(dimension)
            )
        case Outliers(column=column):
            return _("Unusual values of {column}").format(column=locale.column(column))
        case Correlation(columns=(first, second)):
            return _("{second} against {first}").format(
                first=locale.column(first), second=locale.column(second)
            )
        case Summary(column=column):
            return _("{column} in short").format(column=locale.column(column))
        case Missing():
            return _("Missing values by column")
        case Duplicates():
            return _("Repeated rows")
        case Rows(by=by_) if by_:
            text = _("Lowest {column}") if plan.order == "least" else _("Highest {column}")
            return text.format(column=locale.column(by_))
        case Rows():
            return rows
        case Comparison(first=first):
            return _title(first, index, locale)
        case Several(of=of):
            return locale.listed([_title(each, index, locale) for each in of])


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


TIME = ("day", "week", "month", "quarter", "year")
DIGITS = 2  # decimal places of a mean
_SMALL = 0.1  # of smaller numbers, three digits are told
_NOISE = 1e-9  # what calculations leave of a difference


def rounded(value: float) -> float:
    """Round a number to the digits that matter."""
    is_small = _NOISE <= abs(value) < _SMALL
    return float(f"{value:.3g}") if is_small else round(value, DIGITS)


def rounded_text(value: float, locale: AnswerLocale) -> str:
    """Format a number with the digits that matter."""
    shown = rounded(value)
    if not 0 < abs(shown) < _SMALL:
        return locale.number(shown)
    decimals = f"{shown:.12f}".rstrip("0").partition(".")[2]
    return locale.number(shown, digits=len(decimals))


class Phrases:
    """Values and numbers of one data set as phrases of one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale

    def no_rows(self, scope: str) -> str:
        """Write that no row was found, and which days the data covers."""
        sentence = self.row_count(0, scope)
        span = self.date_range()
        return f"{sentence} {span}" if span else sentence

    def row_count(self, total: int, scope: str) -> str:
        """Write a count: '**200** defects.'"""
        count = self._locale.number(total)
        if counts_defects(self._index):
            text = self._locale.ngettext(
                "**{count}** defect{scope}.", "**{count}** defects{scope}.", total
            )
        else:
            text = self._locale.ngettext(
                "**{count}** row{scope}.", "**{count}** rows{scope}.", total
            )
        return text.format(count=count, scope=scope)

    def count_of_total(self, count: float, total: float | None, scope: str) -> str:
        """Write '**62** of 200 defects (31%)', or the count alone if the total is not known."""
        _, locale = self._locale.gettext, self._locale
        if not total:
            return self.row_count(int(count), scope).removesuffix(".")
        if counts_defects(self._index):
            text = _("**{count}** of {total} defects{scope} ({share})")
        else:
            text = _("**{count}** of {total} rows{scope} ({share})")
        return text.format(
            count=locale.number(count),
            total=locale.number(total),
            scope=scope,
            share=locale.percent(count, total),
        )

    def change(self, now: float, before: float) -> str:
        """Write a difference: '+12 (+33%)', without the share where the baseline is zero."""
        difference = rounded(now - before)
        sign = "+" if difference > 0 else "±" if not difference else ""
        sentence = f"{sign}{rounded_text(difference, self._locale)}"
        if not before or not difference:
            return sentence
        return f"{sentence} ({sign}{self._locale.percent(difference, abs(before))})"

    def date_range(self) -> str:
        """Write which days the data covers, empty if it has none."""
        name = self._index.date_column
        if name is None:
            return ""
        column = self._index.column(name)
        match column.min, column.max:
            case (date() as first, date() as last):
                return self._locale.gettext("The data goes from {first} to {last}.").format(
                    first=self._locale.value(_day(first)), last=self._locale.value(_day(last))
                )
            case _:
                return ""

    def part(self, group: Group, total: float | None) -> str:
        """Write '62 of 200 (31%)', or the number alone if the total is not known."""
        return self._locale.share(group.value, total) if total else self._locale.number(group.value)

    def value_and_count(self, group: Group, dimension: Dimension, total: float | None) -> str:
        """Write 'lixo with 62 (31%)'."""
        return self._locale.gettext("{value} with {count}").format(
            value=self.label(group, dimension), count=self.count_and_share(group, total)
        )

    def count_and_share(self, group: Group, total: float | None) -> str:
        """Write '62 (31%)'."""
        count = self._locale.number(group.value)
        return f"{count} ({self._locale.percent(group.value, total)})" if total else count

    def label(self, group: Group, dimension: Dimension) -> str:
        """Format a group's first label."""
        return self.group_value(group.labels[0], dimension)

    def group_value(self, label: Json, dimension: Dimension) -> str:
        """Format a value by which rows are grouped."""
        if dimension.grain in TIME and isinstance(label, str):
            return self._moment(label, dimension)
        if dimension.grain == "hour" and isinstance(label, int):
            return f"{label:02d}:00"
        if dimension.grain == "year" or (isinstance(label, int) and not dimension.grain):
            return str(label)  # codes have no thousands separators
        return self._locale.value(label, is_shift=self.is_shift(dimension))

    def _moment(self, label: str, dimension: Dimension) -> str:
        day = _iso_day(label)
        if day is None:
            return self._locale.literal(label)
        if dimension.grain == "quarter":
            quarter = (day.month + 2) // 3
            return self._locale.gettext("Q{quarter} {year}").format(quarter=quarter, year=day.year)
        return day.strftime("%m/%Y") if dimension.grain == "month" else self._locale.value(day)

    def is_shift(self, dimension: Dimension) -> bool:
        """Return whether groups are shifts."""
        return dimension.column == self._index.shift_column

    def number(self, value: float | str) -> str:
        """Format a measure, with as many digits as matter."""
        if isinstance(value, str):
            return self._locale.value(value)
        return rounded_text(value, self._locale)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def suggestions(index: SchemaIndex, locale: AnswerLocale) -> tuple[str, ...]:
    """Return example questions about a data set, which this engine understands."""
    made = _of_defects(index, locale) if index.type_column else _of_rows(index, locale)
    _ = locale.gettext
    general = [_("Summarise the data"), _("Which columns are there?"), _("How many rows?")]
    return tuple([*made, *general][:3])


def drill_down_questions(index: SchemaIndex, locale: AnswerLocale) -> tuple[str, ...]:
    """Return follow-up questions by each dimension, offered where no cause can be told."""
    text = locale.gettext("And by {column}?")
    columns = [column for column in index.categories if column != index.type_column]
    return tuple(text.format(column=locale.column(column)) for column in columns[:3])


def _of_defects(index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    _ = locale.gettext
    made = [_("What is the most frequent defect?")]
    kind, shift = _first_value(index, index.type_column), _first_value(index, index.shift_column)
    if kind and shift and index.shift_column:
        made.append(
            _("How many {type} defects in the {shift}?").format(
                type=kind, shift=locale.value(shift, is_shift=True)
            )
        )
    settled = (index.type_column, index.shift_column)
    others = [column for column in index.categories if column not in settled]
    if column := next(iter([*others, *index.categories]), None):
        made.append(_("Defects by {column} in a chart").format(column=locale.column(column)))
    return made


def _of_rows(index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    _ = locale.gettext
    made: list[str] = []
    category = next(iter(index.categories), None)
    measure = next(iter(index.measures), None)
    if category:
        made.append(_("How many rows by {column}?").format(column=locale.column(category)))
    if measure and category:
        made.append(
            _("Mean of {measure} by {column} in a chart").format(
                measure=locale.column(measure), column=locale.column(category)
            )
        )
    elif measure:
        made.append(_("Mean of {measure}").format(measure=locale.column(measure)))
    if category and (value := _first_value(index, category)):
        made.append(
            _("How many rows with {column} “{value}”?").format(
                column=locale.column(category), value=value
            )
        )
    return made


def _first_value(index: SchemaIndex, column: str | None) -> str | None:
    if column is None:
        return None
    return next((value for value, _ in index.column(column).top if isinstance(value, str)), None)
