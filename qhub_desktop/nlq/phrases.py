"""Phrases that answers share: filters, periods, titles, counts, values, example questions."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import cast

from qhub_desktop.core.codec import Json
from qhub_desktop.core.text import gettext_noop, lexicons, words_of
from qhub_desktop.nlq.answer_locale import (
    WEEKDAY_TEXTS,
    AnswerLocale,
    ColumnNames,
    comparison_text,
    elapsed_name,
)
from qhub_desktop.nlq.column_roles import SHARING
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.query_ast import (
    CALENDAR_GRAINS,
    COMPARING,
    OF_NUMBERS,
    PER_CENT,
    PER_THOUSAND,
    SIGNS,
    AsChart,
    AsDashboard,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Profile,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    is_count,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import STATISTICS
from qhub_desktop.nlq.tokenizer import normalize, unit
from qhub_desktop.nlq.tool_results import Group

DRAWN_ROWS = 50_000  # of raw values; more are sampled


def scope_text(scope: RowSelection, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Write which rows are selected, ' (turno: noite, operador: Julia)', empty for all rows.

    Days are told with the column that they are in.
    """
    said = [filter_text(each, index, locale) for each in scope.filters]
    if scope.period is not None:
        days = days_text(scope.period, locale)
        if scope.period.said:
            text = locale.gettext("“{words}” from the data's last day on: {days}")
            days = text.format(words=scope.period.said, days=days)
        said.append(f"{locale.column(scope.period.column)}: {days}")
    return f" ({', '.join(said)})" if said else ""


def filter_text(wanted: Filter, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Write a filter: 'turno: noite', 'posição > 5'."""
    _ = locale.gettext
    column = locale.column(wanted.column)
    is_moment = not wanted.grain and is_of_days(wanted.column, index)
    if wanted.unit:
        column, is_moment = elapsed_name(wanted.since, wanted.column, wanted.unit, locale), False
    if wanted.statistic:
        told = _(STATISTICS[wanted.statistic].label)
        usual = index.column(wanted.column).mean if wanted.statistic == "mean" else None
        if usual is not None:
            told += f" ({rounded_text(usual, locale)}{sign_of(wanted.column)})"
        return comparison_text(column, wanted.relation, [told], locale, is_moment=False)
    if wanted.other:
        other = locale.column(wanted.other)
        return comparison_text(column, wanted.relation, [other], locale, is_moment=is_moment)
    if wanted.grain in ("hour", "minute"):
        column = _("hour")
    is_shift = wanted.column == index.shift_column
    values = [locale.value(value, is_shift=is_shift) for value in wanted.values]
    if wanted.relation in COMPARING and not (wanted.grain or wanted.unit):
        values[-1:] = [f"{value}{sign_of(wanted.column)}" for value in values[-1:]]
    if is_moment:
        values = [moment_text(str(value), locale) for value in wanted.values]
    if wanted.grain == "weekday":
        values = [_(WEEKDAY_TEXTS[int(value) - 1]) for value in wanted.values]
    if wanted.grain == "minute":
        times = (divmod(int(value), 60) for value in wanted.values)
        values = [f"{hour:02d}:{minute:02d}" for hour, minute in times]
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
            return comparison_text(column, relation, values, locale, is_moment=is_moment)
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


def is_of_days(column: str, index: SchemaIndex) -> bool:
    """Return whether a column holds dates, or dates with their times."""
    found = index.profile.column(column)
    return found is not None and found.type in ("date", "datetime")


def moment_text(value: str, locale: AnswerLocale) -> str:
    """Format a date or a moment that a plan holds as text in ISO form."""
    try:
        moment = datetime.fromisoformat(value if value[4:5] == "-" else "")
    except ValueError:
        return locale.value(value)
    return locale.value(moment.date() if len(value) <= DAY_LENGTH else moment)


DAY_LENGTH = len("2026-01-01")


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


def days_text(period: Period, locale: AnswerLocale) -> str:
    """Write a period by its name where it has one, else by its days."""
    return period_name(period, locale) or period_text(period, locale)


def quarter_text(day: date, locale: AnswerLocale) -> str:
    """Write the quarter of a day: '2026-Q1'."""
    text = locale.gettext("{year}-Q{quarter}")
    return text.format(year=day.year, quarter=(day.month + 2) // 3)


def period_name(period: Period, locale: AnswerLocale) -> str:
    """Write a period by its name, if it is a whole year, quarter or month: '2026', '02/2026'."""
    start, end = period.start, period.end
    if start is None or end is None or period.but is not None or start.day != 1:
        return ""
    months = 12 * (end.year - start.year) + end.month - start.month + 1
    if end.day != monthrange(end.year, end.month)[1] or (start.month - 1) % months:
        return ""
    match months:
        case 1:
            return start.strftime("%m/%Y")
        case 3:
            return quarter_text(start, locale)
        case 12:
            return str(start.year)
        case _:
            return ""


def compared_names(
    plan: Comparison, index: SchemaIndex, locale: AnswerLocale
) -> tuple[tuple[str, str], RowSelection]:
    """Name what tells two numbers apart, 'in 2007' and 'in 2008'; return what they share too."""
    first, second = plan.first, plan.second
    common = tuple(each for each in first.scope.filters if each in second.scope.filters)
    period = first.scope.period if first.scope.period == second.scope.period else None
    names = [_own_name(each, other, index, locale) for each, other in _both_ways(first, second)]
    return (names[0], names[1]), replace(first.scope, filters=common, period=period)


def _both_ways(first: Number, second: Number) -> tuple[tuple[Number, Number], ...]:
    return (first, second), (second, first)


def _own_name(plan: Number, other: Number, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Name what one number is of and the other is not."""
    _ = locale.gettext
    named: list[str] = []
    if plan.measure != other.measure:
        names = ColumnNames(index.profile, locale)
        named.append(names.measure(plan.measure))
    own = [each for each in plan.scope.filters if each not in other.scope.filters]
    named += [filter_text(each, index, locale) for each in own]
    period = plan.scope.period
    if period != other.scope.period:
        days = _("all days") if period is None else period_name(period, locale)
        named.append(days or period_text(cast("Period", period), locale))
    return ", ".join(named) or _("all rows")


def file_names(indexes: Sequence[SchemaIndex]) -> dict[str, str]:
    """Return what data sets are told by: their files, and their sheets where a file has several."""
    told: dict[str, str] = {}
    for profile in (each.profile for each in indexes):
        has_sheets = profile.sheet is not None and len(profile.sheets) > 1
        told[profile.dataset] = f"{profile.file} [{profile.sheet}]" if has_sheets else profile.file
    named = [*told.values()]
    return {each: name if named.count(name) == 1 else each for each, name in told.items()}


def counts_defects(index: SchemaIndex) -> bool:
    """Return whether the rows of a data set are defects."""
    return index.type_column is not None


def title(plan: Query, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Return the title of a query's chart, table or number."""
    if isinstance(plan, Several):
        scopes = {each.scope for each in plan.of}
        if len(scopes) > 1 or any(isinstance(each, Comparison) for each in plan.of):
            return locale.listed([title(each, index, locale) for each in plan.of])
    scope = plan.scope
    if isinstance(plan, Comparison):
        _names, scope = compared_names(plan, index, locale)
    sentence = f"{_title(plan, index, locale)}{scope_text(scope, index, locale)}"
    if isinstance(plan, Spread) and plan.shows == "values" and index.profile.rows > DRAWN_ROWS:
        text = locale.gettext("{count} rows at random")
        sentence += f" ({text.format(count=locale.number(DRAWN_ROWS))})"
    if isinstance(plan, GroupBy) and plan.having is not None:
        sentence += f" ({having_text(plan.having, plan.measure, locale)})"
    return sentence


def plan_title(plan: DataPlan, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Return what a plan computes and how it is shown, by which a person tells it from others."""
    _ = locale.gettext
    match plan:
        case Describe():
            return _("Summary of the data")
        case Columns():
            return _("Columns of the data")
        case AsChart(of=of):
            return _("{title}, as a chart").format(title=title(of, index, locale))
        case AsWorkbook(of=of):
            return _("{title}, in Excel").format(title=title(of, index, locale))
        case AsTable(of=of) | AsKpi(of=of):
            return title(of, index, locale)
        case AsStudy(of=of, tool=tool, given=given):
            names = [
                locale.column(each)
                for _name, each in given
                if isinstance(each, str) and index.profile.column(each) is not None
            ]
            study = _(STUDIES[tool]) if tool in STUDIES else tool
            return ": ".join(filter(None, (study, locale.listed(names)))) + scope_text(
                of.scope, index, locale
            )
        case AsDashboard(of=of):
            return locale.listed([title(each, index, locale) for each in of])
        case Rows(by="") as rows:
            return _("List: {title}").format(title=title(rows, index, locale))
        case _:
            return title(plan, index, locale)


# What the studies are called, by the tools that make them.
STUDIES = {
    "carta_controlo": gettext_noop("Control chart"),
    "capacidade": gettext_noop("Capability"),
    "teste_hipotese": gettext_noop("Hypothesis test"),
    "estudo_rr": gettext_noop("Measurement system (R&R)"),
    "plano_amostragem": gettext_noop("Sampling plan"),
    "rendimento": gettext_noop("Yield"),
    "pareto": gettext_noop("Pareto"),
}


def part_names(parts: Sequence[Query], index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    """Return a name for each of several queries, shorter where that tells them apart."""
    short = [_title(each, index, locale) for each in parts]
    if len({*short}) == len(short):
        return short
    full = [title(each, index, locale) for each in parts]
    return [f"{name} #{at}" if name in full[:at] else name for at, name in enumerate(full)]


def ranking_text(plan: GroupBy, locale: AnswerLocale) -> str:
    """Write how many groups of a ranking are asked for: 'the highest', 'the lowest 3'."""
    _ = locale.gettext
    if plan.n == 1:
        return _("the lowest") if plan.order == "least" else _("the highest")
    text = _("the lowest {n}") if plan.order == "least" else _("the highest {n}")
    return text.format(n=plan.n)


def having_text(wanted: Filter, measure: Measure, locale: AnswerLocale) -> str:
    """Write a condition on a measure as a sign and a number with its unit: '> 10 min'."""
    if wanted.statistic:
        text = locale.gettext("{statistic} of the groups")
        told = text.format(statistic=locale.gettext(STATISTICS[wanted.statistic].label))
        return f"{SIGNS[wanted.relation]} {told}"
    values = [locale.value(value) for value in wanted.values]
    values[-1:] = [f"{value}{unit_of(measure, locale)}" for value in values[-1:]]
    if wanted.relation == "between":
        return "–".join(values)
    if wanted.relation == "outside":
        return f"< {values[0]}, > {values[1]}"
    return f"{SIGNS.get(wanted.relation, '=')} {values[0]}"


def _title(plan: Query, index: SchemaIndex, locale: AnswerLocale) -> str:
    _ = locale.gettext
    names = ColumnNames(index.profile, locale)
    rows = _("Defects") if counts_defects(index) else _("Rows")
    shares = _("Share of the defects (%)") if counts_defects(index) else _("Share of the rows (%)")

    def by(dimension: Dimension) -> str:
        return names.told(dimension)

    match plan:
        case Number(is_share=True):
            return shares
        case Number(measure=measure) if not is_count(plan):
            return _capital(names.measure(measure))
        case Spread(columns=(column,), shows="distinct"):
            return _("Values of {column}").format(column=locale.column(column))
        case GroupBy(dimension=dimension, measure=measure, n=int(n), split=None):
            told = _ranking_title(plan, n, index, locale)
            if plan.within is None:
                return told
            return _("{title}, in each {dimension}").format(title=told, dimension=by(plan.within))
        case GroupBy(dimension=dimension, measure=measure, split=split):
            what = shares if plan.is_share else rows
            if measure.column or measure.kind in ("share", "product"):
                what = _capital(names.measure(measure)) + (PERCENT_OF if plan.is_share else "")
            if plan.is_cumulative:
                return _("{rows} by {dimension}, running total").format(
                    rows=what, dimension=by(dimension)
                )
            if split is not None:
                return _("{rows} by {dimension} and {split}").format(
                    rows=what, dimension=by(dimension), split=by(split)
                )
            return _("{rows} by {dimension}").format(rows=what, dimension=by(dimension))
        case Spread(columns=(first, second)):
            return _("{second} against {first}").format(
                first=locale.column(first), second=locale.column(second)
            )
        case Spread(columns=(column,), shows="outliers"):
            return _("Unusual values of {column}").format(column=locale.column(column))
        case Spread(columns=(column,), shows="summary"):
            return _("{column} in short").format(column=locale.column(column))
        case Spread(columns=columns, dimension=dimension):
            what = locale.column(columns[0])
            if dimension is None:
                return _("Distribution of {column}").format(column=what)
            return _("Distribution of {column} by {dimension}").format(
                column=what, dimension=by(dimension)
            )
        case Profile(shows="missing"):
            return _("Missing values by column")
        case Profile():
            return _("Repeated rows")
        case Rows(by=by_) as rows_ if by_:
            low, high = _("Lowest {column}"), _("Highest {column}")
            if not rows_.unit and is_of_days(by_, index):
                low, high = _("Earliest {column}"), _("Latest {column}")
            text = (low if plan.order == "least" else high).format(column=names.ranked(rows_))
            group = locale.column(rows_.within or by_)
            told = _("{rows} by {dimension}").format(rows=text, dimension=group)
            return told if rows_.within else text
        case Number():
            return _capital(names.count())
        case Rows():
            return rows
        case Comparison(first=first, second=second):
            (one, other), _scope = compared_names(plan, index, locale)
            text = _("{first} and {second}")
            if first.measure == second.measure:
                text = _("{title}: {first} and {second}")
            what = _title(first, index, locale)
            days, other_days = first.scope.period, second.scope.period
            if days and other_days and days != other_days and days.column == other_days.column:
                what = f"{what} ({locale.column(days.column)})"
            return _capital(text.format(title=what, first=one, second=other))
        case Several(of=of):
            return locale.listed(list(dict.fromkeys(_title(each, index, locale) for each in of)))


def _ranking_title(plan: GroupBy, n: int, index: SchemaIndex, locale: AnswerLocale) -> str:
    """Return the title of a ranking: 'Machine with the most rows', 'Top 3: rows by machine'."""
    _, measure, is_least = locale.gettext, plan.measure, plan.order == "least"
    names, of_defects = ColumnNames(index.profile, locale), counts_defects(index)
    rows = _("Defects") if of_defects else _("Rows")
    what = rows.lower() if measure.kind == "count" else names.measure(measure)
    if n > 1 or plan.within is not None:
        text = _("Top {n}: {rows} by {dimension}")
        if is_least:
            text = _("Lowest {n}: {rows} by {dimension}")
        return text.format(n=n, rows=what, dimension=names.told(plan.dimension))
    text = _("{dimension} with the highest {measure}")
    if is_least:
        text = _("{dimension} with the lowest {measure}")
    if measure.kind == "count" and of_defects:
        text = _("{dimension} with the most defects")
        if is_least:
            text = _("{dimension} with the fewest defects")
    elif measure.kind == "count":
        text = _("{dimension} with the most rows")
        if is_least:
            text = _("{dimension} with the fewest rows")
    return _capital(text.format(dimension=names.told(plan.dimension), measure=what))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


PERCENT = " %"
PERCENT_OF = " (%)"  # behind a title
DIGITS = 2  # decimal places of a mean
_UNITS_OF_TIME = frozenset(["minute", "#grain_hour", "#grain_day", "#grain_week"])
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


def unit_of(measure: Measure, locale: AnswerLocale) -> str:
    """Return the unit behind a measure's number, with its space; empty where none is known."""
    _ = locale.gettext
    if measure.kind in ("rate", "share"):
        is_alike = unit(measure.column) == unit(measure.over)  # none of 'kWh por mil peças'
        per_thousand = " ‰" if is_alike else ""
        return {PER_CENT: PERCENT, PER_THOUSAND: per_thousand}.get(measure.per, "")
    if measure.kind in ("cv", "product"):
        return PERCENT
    if measure.unit in OF_NUMBERS:
        column = measure.since if measure.unit == "product" else measure.column
        sign, slash, _over = sign_of(column).partition("/")  # of a price, that of the money
        return sign if slash or sign_of(measure.since) == sign else ""
    if measure.unit:
        return {"minutes": " min", "hours": " h", "days": _(" days")}[measure.unit]
    if measure.over or measure.kind not in STATISTICS:
        return ""
    return sign_of(measure.column)


def sign_of(column: str) -> str:
    """Return the unit in a column's name behind a space; what else stands in brackets is none."""
    sign = unit(column).strip("()[] ")
    known, times = words_of("files", "currency_units"), current_lexicon().lemmas(sign)
    is_known = any(each in _UNITS_OF_TIME for each in times) or all(
        normalize(part) in known or domain_lexicon().concept_of_unit(part)
        for part in ([sign] if domain_lexicon().concept_of_unit(sign) else sign.split("/"))
    )
    return f" {sign}" if sign and is_known else ""


class Phrases:
    """Values and numbers of one data set as phrases of one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale
        self._names = ColumnNames(index.profile, locale)

    def no_rows(self, scope: str) -> str:
        """Write that no row was found, and which days the data covers."""
        sentence = self.row_count(0, scope)
        span = self.date_range()
        return f"{sentence} {span}" if span else sentence

    def row_count(self, total: int, scope: str, noun: str = "") -> str:
        """Write a count: '**200** defects.'; `noun` is what the person calls the rows."""
        count = self._locale.number(total)
        if noun:
            scope = self.called(noun) + scope
        if counts_defects(self._index):
            text = self._locale.ngettext(
                "**{count}** defect{scope}.", "**{count}** defects{scope}.", total
            )
        else:
            text = self._locale.ngettext(
                "**{count}** row{scope}.", "**{count}** rows{scope}.", total
            )
        return text.format(count=count, scope=scope)

    def called(self, noun: str) -> str:
        """Write what the person calls the rows: ', here called “strikes”'."""
        return self._locale.gettext(", here called “{noun}”").format(
            noun=self._locale.literal(noun)
        )

    def count_of_total(self, count: float, total: float | None, scope: str) -> str:
        """Write '**62** of 200 defects (31%)', or the count alone if the total is not known."""
        _, locale = self._locale.gettext, self._locale
        if not total:
            return self.row_count(int(count), scope).removesuffix(".")
        share = locale.percent(count, total)
        details = f"{share}; {scope[2:-1]}" if scope else share
        if counts_defects(self._index):
            text = _("**{count}** of {total} defects ({details})")
        else:
            text = _("**{count}** of {total} rows ({details})")
        return text.format(count=locale.number(count), total=locale.number(total), details=details)

    def the_measure(self, measure: Measure) -> str:
        """Write what a number is: 'the sum of hours'."""
        _ = self._locale.gettext
        match measure.kind:
            case "distinct":
                text = _("the number of different values of {column}")
            case "ratio":
                text = _("the ratio of {column} to {over}")
            case "count":
                return _("the number of rows")
            case "rate" | "share" | "per" | "product":  # whose names begin with a noun
                return _("the {measure}").format(measure=self._names.measure(measure))
            case _:
                text = _(STATISTICS[measure.kind].phrase)
        return self._names.filled(text, measure)

    def level_beyond(self, count: int | None, value: str) -> list[str]:
        """Write how many have the value of the last that is told, but are not told: '10 others'.

        None says that nobody knows how many.
        """
        if count is None:
            return [self._locale.gettext("There are others with {value}.").format(value=value)]
        if count <= 0:
            return []
        text = self._locale.ngettext(
            "{count} other with {value}.", "{count} others with {value}.", count
        )
        return [text.format(count=self._locale.number(count), value=value)]

    def elapsed_note(self, measure: Measure, used: int, rows: int, negative: int) -> str:
        """Write of how many rows a time between two columns is, and how many are below zero."""
        locale, is_time = self._locale, measure.unit not in OF_NUMBERS
        text = locale.gettext("Computed in {used} of the {rows} rows.")
        if used < rows and is_time:
            text = locale.gettext("Computed in {used} of the {rows} rows; the others lack a date.")
        sentence = text.format(used=locale.number(used), rows=locale.number(rows))
        if not negative or not is_time:
            return sentence
        text = locale.ngettext(
            "In {count} row {end} is before {start}.",
            "In {count} rows {end} is before {start}.",
            negative,
        )
        told = text.format(
            count=locale.number(negative),
            end=locale.column(measure.column),
            start=locale.column(measure.since),
        )
        return f"{sentence} {told}"

    def unweighted_note(self, measure: Measure) -> str:
        """Say of a mean of rates that it is not weighted; empty for any other."""
        meant = {*domain_lexicon().concepts_of_name(measure.column)}
        if measure.kind != "mean" or measure.unit or SHARING.isdisjoint(meant):
            return ""
        text = self._locale.gettext("Each row counts alike, whatever amount its {column} is of.")
        return text.format(column=self._locale.column(measure.column))

    def change(self, now: float, before: float, unit: str = "") -> str:
        """Write a difference: '+12 (+33%)', without the share where the baseline is zero.

        `unit` stands behind it, with its space.
        """
        difference = rounded(now - before)
        sign = "+" if difference > 0 else "±" if not difference else ""
        sentence = f"{sign}{rounded_text(difference, self._locale)}{unit}"
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

    def in_a_sentence(self, label: Json, dimension: Dimension) -> str:
        """Format a group's value in a sentence, behind its column where it says nothing alone."""
        told = self.group_value(label, dimension)
        if dimension.grain == "week":
            return self._locale.gettext("week of {day}").format(day=told)
        joins = lexicons("date_words")[self._locale.language].get("date_words", {}).get("in", ())
        is_bare = label in (None, "") or isinstance(label, bool) or told.isdigit()
        is_bare |= normalize(told).partition(" ")[0] in joins  # 'em Em curso'
        if dimension.grain or not is_bare:
            return told
        return f"{self._locale.column(dimension.column)} {told}"

    def group_value(self, label: Json, dimension: Dimension) -> str:
        """Format a value by which rows are grouped."""
        if dimension.grain in CALENDAR_GRAINS and isinstance(label, str):
            return self._moment(label, dimension)
        if dimension.grain == "hour" and isinstance(label, int):
            return f"{label:02d}:00"
        is_code = isinstance(label, int) and not isinstance(label, bool)
        if dimension.grain == "year" or (is_code and not dimension.grain):
            return str(label)  # without thousands separators
        return self._locale.value(label, is_shift=self.is_shift(dimension))

    def _moment(self, label: str, dimension: Dimension) -> str:
        day = _iso_day(label)
        if day is None:
            return self._locale.literal(label)
        if dimension.grain == "quarter":
            return quarter_text(day, self._locale)
        return day.strftime("%m/%Y") if dimension.grain == "month" else self._locale.value(day)

    def is_shift(self, dimension: Dimension) -> bool:
        """Return whether groups are shifts."""
        return dimension.column == self._index.shift_column

    def number(self, value: float | str) -> str:
        """Format a measure, with as many digits as matter."""
        if isinstance(value, str):
            return moment_text(value, self._locale)
        return rounded_text(value, self._locale)

    def with_unit(self, value: float | str, measure: Measure) -> str:
        """Format a measure with its unit behind it, where one is known: '3,4 min'."""
        known = "" if isinstance(value, str) else unit_of(measure, self._locale)
        return self.number(value) + known

    def bold(self, value: float | str, measure: Measure) -> str:
        """Format a measure as the number that an answer leads with: '**3,4** min'."""
        number, known = self.number(value), self.with_unit(value, measure)
        rest = known.removeprefix(number)
        return f"**{known}**" if rest == PERCENT else f"**{number}**{rest}"

    def cell(self, value: Json, column: str) -> str:
        """Format a cell of a column: days as days, numbers that name things as they stand."""
        if isinstance(value, str) and is_of_days(column, self._index):
            return moment_text(value, self._locale)
        known = self._index.profile.column(column)
        if isinstance(value, bool) or not isinstance(value, int | float) or known is None:
            return self._locale.value(value)
        is_name = isinstance(value, int) and not self._index.is_measure(column)
        return str(value) if is_name else rounded_text(value, self._locale)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
