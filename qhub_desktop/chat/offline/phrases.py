"""The parts of sentences: which rows are meant, what is counted, what a picture is called."""

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    ByShift,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    GroupBy,
    Measured,
    Missing,
    Numbers,
    Outliers,
    Period,
    Readings,
    Rows,
    Scope,
    Summary,
    Top,
)
from qhub_desktop.chat.offline.sql import DRAWN_ROWS
from qhub_desktop.chat.offline.sql_names import Names
from qhub_desktop.chat.offline.sql_parts import SIGNS
from qhub_desktop.chat.offline.voice import WEEKDAYS, Voice


def scope_text(scope: Scope, index: Index, voice: Voice) -> str:
    """' (turno: noite, operador: Julia)', or nothing where all rows are meant."""
    said = [filter_text(each, index, voice) for each in scope.filters]
    if scope.period is not None:
        days = period_text(scope.period, voice)
        if scope.period.said:
            text = voice.gettext("“{words}” from the data's last day on: {days}")
            days = text.format(words=scope.period.said, days=days)
        said.append(days)
    return f" ({', '.join(said)})" if said else ""


def filter_text(wanted: Filter, index: Index, voice: Voice) -> str:
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


def period_text(period: Period, voice: Voice) -> str:
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


def counts_defects(index: Index) -> bool:
    """Whether the rows of a data set are defects."""
    return index.type_column is not None


def title(plan: Numbers, index: Index, voice: Voice) -> str:
    """What a picture, a table or a number is called."""
    told = f"{_title(plan, index, voice)}{scope_text(plan.scope, index, voice)}"
    if isinstance(plan, Readings) and index.profile.rows > DRAWN_ROWS:
        text = voice.gettext("{count} rows at random")
        told += f" ({text.format(count=voice.number(DRAWN_ROWS))})"
    if isinstance(plan, GroupBy) and plan.having is not None:
        told += f" ({having_text(plan.having, voice)})"
    return told


def having_text(wanted: Filter, voice: Voice) -> str:
    """'more than 10 each' as a sign and a number: '> 10'."""
    values = [voice.value(value) for value in wanted.values]
    if wanted.relation == "between":
        return "–".join(values)
    return f"{SIGNS.get(wanted.relation, '=')} {values[0]}"


def _title(plan: Numbers, index: Index, voice: Voice) -> str:
    _ = voice.gettext
    names = Names(index.profile, voice)
    rows = _("Defects") if counts_defects(index) else _("Rows")

    def by(dimension: Dimension) -> str:
        return voice.column(names.dimension(dimension))

    match plan:
        case Count():
            return rows
        case Measured(measure=measure):
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
        case Readings(columns=(first, second)):
            return _("{second} against {first}").format(
                first=voice.column(first), second=voice.column(second)
            )
        case Readings(columns=columns, dimension=dimension):
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
