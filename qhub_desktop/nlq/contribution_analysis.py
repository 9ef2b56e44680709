"""Contribution analysis of 'why?': what changed against a baseline, and in which segments."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import Phrases, counts_defects, period_text, scope_text
from qhub_desktop.nlq.query_ast import (
    DataPlan,
    Dimension,
    GroupBy,
    Measure,
    Number,
    Period,
    RowSelection,
    Why,
    query_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_expressions import SqlExpressions

# A tenth of a period may be missing at its edge: holidays, the days until today.
_MISSING_DIVISOR = 10
_WEEK, _MONTH = 7, 28
_PERIODS_NEEDED = 3  # times a period must fit into the data to be compared


def last_periods(index: SchemaIndex) -> tuple[Period, Period] | None:
    """Return the last period of the data and the one before: four weeks, or else one."""
    column, first, last = index.date_column, index.first_day, index.last_day
    if column is None or first is None or last is None:
        return None
    days = (last - first).days + 1
    for length in (_MONTH, _WEEK):
        if days >= _PERIODS_NEEDED * length:
            start = last - timedelta(days=length - 1)
            before = (start - timedelta(days=length), start - timedelta(days=1))
            return Period(column, start, last), Period(column, *before)
    return None


def compared_periods(period: Period | None, index: SchemaIndex) -> tuple[Period, Period] | None:
    """Return a period, by default the last, and the one before, if the data covers both."""
    if period is None:
        return last_periods(index)
    before = _period_before(period, index)
    return None if before is None else (period, before)


def _period_before(period: Period, index: SchemaIndex) -> Period | None:
    first, last = index.first_day, index.last_day
    start, end = period.start, period.end
    is_there = period.column == index.date_column and first is not None and last is not None
    if not is_there or start is None or end is None or period.but is not None:
        return None
    assert first is not None
    assert last is not None
    before = _span_before(start, end)
    allowed = timedelta(days=((end - start).days + 1) // _MISSING_DIVISOR)
    if first > before[0] + allowed or end > last + allowed:
        return None
    return Period(period.column, *before)


def _span_before(start: date, end: date) -> tuple[date, date]:
    """Return the span before, as long; of a whole month, quarter or year, the one before."""
    last = start - timedelta(days=1)
    is_to_end = end.day == monthrange(end.year, end.month)[1]
    if start.day == 1 and is_to_end and (start.year, start.month) == (end.year, end.month):
        return last.replace(day=1), last
    is_quarter = start.month % 3 == 1 and (start.year, start.month + 2) == (end.year, end.month)
    if start.day == 1 and is_to_end and is_quarter:
        return last.replace(month=last.month - 2, day=1), last
    if (start.month, start.day, end.month, end.day) == (1, 1, 12, 31) and start.year == end.year:
        return start.replace(year=start.year - 1), last
    return start - (end - start) - timedelta(days=1), last


_COLUMNS, _VALUES = 4, 20  # broken down by at most so many columns, of at most so many values
_NAMED = 3
_FEW = 3  # rows; a mean of fewer says little


@dataclass(frozen=True, slots=True)
class _Segment:
    """Rows with one value of a column, or all rows, with their number now and before."""

    column: str
    value: str
    now: float
    before: float
    rows: int


def analysis_target(
    plan: Why, topic: DataPlan | None, index: SchemaIndex
) -> tuple[RowSelection, Measure]:
    """Return the rows and the measure whose cause is asked for: as said, else the topic's."""
    scope, measure = plan.scope, plan.measure
    wanted = None if topic is None else query_of(topic)
    if scope is None and wanted is not None:
        is_same = wanted.scope.dataset == index.profile.dataset
        scope = wanted.scope if is_same else None
        if measure is None and is_same and isinstance(wanted, (Number, GroupBy)):
            measure = wanted.measure
    return scope or RowSelection(index.profile.dataset), measure or Measure()


class ContributionAnalysis:
    """Contributions of segments to a number and its change: the queries, and their sentences.

    DuckDB returns groups in any order, so ties are ranked by their values: otherwise the same
    question would get another answer.
    """

    def __init__(
        self, index: SchemaIndex, locale: AnswerLocale, scope: RowSelection, measure: Measure
    ) -> None:
        self._index = index
        self._locale = locale
        self._sql = SqlExpressions(index, locale)
        self._names = ColumnNames(index.profile, locale)
        self._phrases = Phrases(index, locale)
        self._scope = scope
        self._measure = measure
        self._periods = compared_periods(scope.period, index)

    def queries(self) -> tuple[str, ...]:
        """Return the SELECT for concentrations, then the one for changes if there is a baseline."""
        queries = [self._breakdown(self._scope, "TRUE")]
        if self._periods is not None:
            now, before = self._periods
            both = replace(now, start=before.start)
            assert now.start is not None
            is_now = f"CAST({quoted(now.column)} AS DATE) >= DATE '{now.start.isoformat()}'"
            queries.append(self._breakdown(replace(self._scope, period=both), is_now))
        return tuple(queries)

    def write(self, results: Sequence[ToolResult]) -> list[str]:
        """Write what changed and where it concentrates; an empty list if nothing is known."""
        paragraphs: list[str] = []
        if len(results) > 1:
            paragraphs += self._changes(_segments(results[1]))
        if results:
            paragraphs += self._concentration(_segments(results[0]))
        return paragraphs

    def _breakdown(self, scope: RowSelection, is_now: str) -> str:
        _ = self._locale.gettext
        measured = self._sql.aggregate(self._measure)
        names = [_("column"), _("value"), _("now"), _("measure"), _("rows")]
        selects: list[str] = []
        for column in (None, *self._columns()):
            label, value = "''", "''"
            present: tuple[str, ...] = ()
            if column is not None:
                label, value = (
                    sql_literal(column),
                    f"CAST({self._sql.cell(column)} AS VARCHAR)",
                )
                present = (f"{quoted(column)} IS NOT NULL",)
            cells = (label, value, is_now, measured, "count(*)")
            listed = ", ".join(
                f"{cell} AS {quoted(name)}" for cell, name in zip(cells, names, strict=True)
            )
            selects.append(f"SELECT {listed}{self._sql.from_where(scope, present)} GROUP BY 2, 3")
        if len(selects) == 1:  # of one table alone it is told how many rows were read
            return f"{selects[0]} ORDER BY 2, 3"
        parts = " UNION ALL ".join(
            f"SELECT *, {place} AS place FROM ({each})"  # noqa: S608  names are quoted
            for place, each in enumerate(selects)
        )
        return f"SELECT * EXCLUDE (place) FROM ({parts}) ORDER BY place, 2, 3"  # noqa: S608

    def _columns(self) -> list[str]:
        settled = {each.column for each in self._scope.filters}
        return [
            name
            for name in self._index.categories
            if name not in settled and 2 <= self._index.column(name).distinct <= _VALUES
        ][:_COLUMNS]

    def _changes(self, segments: Sequence[_Segment]) -> list[str]:
        _, phrases = self._locale.gettext, self._phrases
        whole = next((segment for segment in segments if not segment.column), None)
        if whole is None or self._periods is None:
            return []
        if self._measure.kind not in ("count", "sum") and not whole.rows:
            return []  # without a row there is no mean, which is not 0
        now, before = self._periods
        sentence = _(
            "What changed: {what}{scope} went from {before} ({days_before}) to **{now}** "
            "({days}), {change}."
        ).format(
            what=self._subject(),
            scope=scope_text(replace(self._scope, period=None), self._index, self._locale),
            before=phrases.number(whole.before),
            days_before=period_text(before, self._locale),
            now=phrases.number(whole.now),
            days=period_text(now, self._locale),
            change=phrases.change(whole.now, whole.before),
        )
        sign = 1 if whole.now >= whole.before else -1
        moved = [
            segment
            for segment in segments
            if segment.column and sign * (segment.now - segment.before) > 0
        ]
        if self._measure.kind != "count":
            moved = [segment for segment in moved if segment.rows >= _FEW]
        moved.sort(key=lambda segment: (-sign * (segment.now - segment.before), segment.value))
        named = [
            _("{column} {value} (from {before} to {now})").format(
                column=self._locale.column(segment.column),
                value=self._value(segment),
                before=phrases.number(segment.before),
                now=phrases.number(segment.now),
            )
            for segment in _first_per_column(moved)
        ]
        if named:
            text = _("It moved most with {values}.")
            sentence += " " + text.format(values=self._locale.listed(named))
        return [sentence]

    def _concentration(self, segments: Sequence[_Segment]) -> list[str]:
        whole = next((segment for segment in segments if not segment.column), None)
        if whole is None:
            return []
        if self._measure.kind != "count":
            return self._outlying(segments, whole)
        # A segment stands out if its share exceeds its share of all rows, or an even share.
        ranked = sorted(
            (segment for segment in segments if segment.column),
            key=lambda segment: (
                self._expected_share(segment) - segment.now / whole.now,
                segment.value,
            ),
        )
        named = [self._with_share(segment, whole.now) for segment in _first_per_column(ranked)]
        if not named:
            return []
        text = self._locale.gettext("Where it concentrates: {values}.")
        return [text.format(values="; ".join(named))]

    def _with_share(self, segment: _Segment, whole: float) -> str:
        _, locale = self._locale.gettext, self._locale
        sentence = _("{column} {value} with {share}").format(
            column=locale.column(segment.column),
            value=self._value(segment),
            share=locale.share(segment.now, whole),
        )
        usual = self._share_of_rows(segment)
        if usual is not None:
            sentence += _(", against {share} of all rows").format(share=locale.percent(usual, 1))
        return sentence

    def _outlying(self, segments: Sequence[_Segment], whole: _Segment) -> list[str]:
        """Write the segments whose mean is furthest from that of all rows."""
        _ = self._locale.gettext
        ranked = sorted(
            (segment for segment in segments if segment.column and segment.rows >= _FEW),
            key=lambda segment: (-abs(segment.now - whole.now), segment.value),
        )
        named = [
            f"{self._locale.column(segment.column)} {self._value(segment)} "
            f"({self._phrases.number(segment.now)})"
            for segment in _first_per_column(ranked)
        ]
        if not named:
            return []
        text = _("Furthest from {all} over all rows: {values}.")
        figure = self._phrases.number(whole.now)
        return [text.format(all=figure, values=self._locale.listed(named))]

    def _expected_share(self, segment: _Segment) -> float:
        usual = self._share_of_rows(segment)
        return 1 / self._index.column(segment.column).distinct if usual is None else usual

    def _share_of_rows(self, segment: _Segment) -> float | None:
        """Return the share of all rows that have this value, where only some rows are selected."""
        if not (self._scope.filters or self._scope.period):
            return None
        column = self._index.column(segment.column)
        counts = {str(value): count for value, count in column.top}
        count, rows = counts.get(segment.value), self._index.profile.rows
        return None if count is None or not rows else count / rows

    def _value(self, segment: _Segment) -> str:
        return self._phrases.group_value(segment.value, Dimension(segment.column))

    def _subject(self) -> str:
        _ = self._locale.gettext
        if self._measure.kind != "count":
            return self._names.measure(self._measure)
        return _("the defects") if counts_defects(self._index) else _("the rows")


def _first_per_column(ranked: Sequence[_Segment]) -> list[_Segment]:
    """Return the first segment of every column, so that no column takes all places."""
    firsts: dict[str, _Segment] = {}
    for segment in ranked:
        firsts.setdefault(segment.column, segment)
    return list(firsts.values())[:_NAMED]


def _segments(result: ToolResult) -> list[_Segment]:
    now: dict[tuple[str, str], tuple[float, int]] = {}
    before: dict[tuple[str, str], tuple[float, int]] = {}
    content = result.content
    lines: Json = content.get("linhas") if isinstance(content, dict) else None
    for line in lines if isinstance(lines, list) else []:
        match line:
            case [str(column), str(value), bool(is_now), int() | float() as number, int(rows)]:
                (now if is_now else before)[column, value] = number, rows
    return [
        _Segment(
            *key,
            now=now.get(key, (0, 0))[0],
            before=before.get(key, (0, 0))[0],
            rows=min(each[key][1] if key in each else 0 for each in (now, before or now)),
        )
        for key in dict.fromkeys([*now, *before])
    ]
