"""Rows of a study: which ones, their columns as arrays in order, and counts by production day.

A production day may begin at any time, 06:00 for one: what happens before belongs to the day
before. Periods in which nothing was counted are there, with zero.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile, numbered_alike
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, ColumnType, Table, is_numeric, quoted, sql_literal
from qhub_desktop.core.text import cell, fold_name, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.tokenizer import without_unit
from qhub_desktop.quality.findings import NotComputableError

if TYPE_CHECKING:
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets, RememberedQueries

FloatArray = npt.NDArray[np.float64]
Period = Literal["hora", "dia", "turno", "semana", "mes"]

MOST_ROWS = 500_000
NAMED = 5  # examples in a sentence
MOST_WARNINGS = 20  # of an import that are looked at
_STANDS = "_stands"  # where a row stands in its table
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:h]([0-5]\d)?")


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """Beginnings of a production day and, by name, of its shifts; minutes after midnight."""

    day_start: int = 0
    shifts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, day_start: str | None, shifts: Mapping[str, str] | None) -> "WorkingTime":
        """Read times such as 06:00; the day begins with the first shift unless it is said.

        Raises ToolError for what is no time.
        """
        starts = tuple((name, _minutes(clock)) for name, clock in (shifts or {}).items())
        first = starts[0][1] if starts else 0
        start = first if day_start is None else _minutes(day_start)
        # In the order of the production day, whichever was named first.
        in_order = sorted(starts, key=lambda each: (each[1] - start) % 1440)
        return cls(start, tuple(in_order))


def _minutes(clock: str) -> int:
    found = _CLOCK.fullmatch(clock.strip())
    if found is None:
        raise ToolError(
            _("{time} is no time of day. Write it as {example}.").format(
                time=quoted_name(clock), example="06:00"
            )
        )
    return int(found[1]) * 60 + int(found[2] or 0)


Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class StudyColumns:
    """Columns of the chosen rows, top to bottom, and where they came from."""

    table: Table
    source: Provenance
    made: dict[object, object] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: str, place: int, make: Callable[[], Made]) -> Made:
        """Return what is made of a column, which is made once for the rows of one query."""
        if (name, place) not in self.made:
            self.made[name, place] = make()
        return cast("Made", self.made[name, place])

    def cells(self, place: int) -> list[Cell]:
        """Return one column's cells."""
        return [row[place] for row in self.table.rows]

    def numbers(self, place: int) -> FloatArray:
        """Return a column as numbers, which cannot be changed; NaN where there is none."""
        return self.once("numbers", place, lambda: self._numbers(place))

    def _numbers(self, place: int) -> FloatArray:
        found = np.array(self.cells(place), dtype=np.float64)
        found.flags.writeable = False
        return found

    def texts(self, place: int) -> tuple[str, ...]:
        """Return a column as a person reads it."""
        return self.once("texts", place, lambda: self._texts(place))

    def _texts(self, place: int) -> tuple[str, ...]:
        cells = self.cells(place)
        told = {each: written(each) for each in set(cells)}  # most columns have few values
        return tuple([told[each] for each in cells])


def written(value: Cell) -> str:
    """Write a cell as a label: dates as ISO, so that they can be named again."""
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes" if not value.second else "seconds")
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else cell(value)


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows that a study is about: a data set or one SELECT, and a condition on its rows."""

    datasets: "ConversationDatasets | RememberedQueries"
    context: ToolContext
    profile: DatasetProfile
    types: Mapping[str, ColumnType]
    select: str | None = None
    condition: str | None = None
    time: WorkingTime = field(default_factory=WorkingTime)

    @classmethod
    async def of(
        cls,
        datasets: "ConversationDatasets | RememberedQueries",
        context: ToolContext,
        profile: DatasetProfile,
        *,
        sql: str | None = None,
        where: str | None = None,
        time: WorkingTime | None = None,
    ) -> "Selection":
        """Choose rows of a data set, or those of a SELECT. Raises ToolError for wrong SQL."""
        types: dict[str, ColumnType] = {each.name: each.type for each in profile.columns}
        if sql is not None:
            sql = sql.strip().rstrip(";")
            shape = await datasets.query(context, f"SELECT * FROM ({sql}) LIMIT 0", limit=1)  # noqa: S608  guarded
            types = {each.name: each.type for each in shape.table.columns}
            read = shape.source.dataset
            profile = next((each for each in context.profiles if each.dataset == read), profile)
        return cls(datasets, context, profile, types, sql, where or None, time or WorkingTime())

    @property
    def relation(self) -> str:
        """The rows as SQL, unfiltered."""
        return quoted(self.profile.dataset) if self.select is None else f"({self.select})"

    @property
    def where(self) -> str:
        """The WHERE clause; empty where every row takes part."""
        return "" if self.condition is None else f" WHERE ({self.condition})"

    def column(self, name: str) -> str:
        """Return the rows' own name of a column; case, accents and its unit do not matter.

        Raises ToolError if there is none.
        """
        if name in self.types:
            return name
        alike = [each for each in self.types if fold_name(each) == fold_name(name)] or [
            each for each in self.types if fold_name(without_unit(each)) == fold_name(name)
        ]
        if len(alike) == 1:
            return alike[0]
        of_log = self.profile.defect_column(fold_name(name)) if self.select is None else None
        if of_log is not None:
            return of_log
        raise ToolError(
            _("There is no column {name}. There are: {names}.").format(
                name=quoted_name(name), names=", ".join(map(quoted_name, self.types))
            )
        )

    def number_column(self, name: str) -> str:
        """Return the name of a column of numbers.

        Raises NotComputableError ("not_numeric") if it holds something else.
        """
        column = self.column(name)
        if not is_numeric(self.types[column]):
            numeric = [each for each, type_ in self.types.items() if is_numeric(type_)]
            said = _("The column {name} does not hold numbers.").format(name=quoted_name(column))
            # Why it does not, the import may know: units mixed, or values that are none.
            named = re.compile(rf"(?<!\w){re.escape(column)}(?!\w)", re.IGNORECASE)
            said = " ".join([said, *filter(named.search, self.profile.warnings[:MOST_WARNINGS])])
            if numeric:
                names = ", ".join(map(quoted_name, numeric[:NAMED]))
                said = f"{said} " + _("These do: {names}.").format(names=names)
            else:
                said = f"{said} " + _(
                    "No other one does: read the file again with that column as numbers, or drop"
                    " the file that holds the measurements."
                )
            raise NotComputableError("not_numeric", said)
        return column

    def readings_in_rows(self) -> tuple[str, ...]:
        """Return the columns of a table that has a subgroup in each row: x1, x2, x3.

        None where another column holds measurements; one with the same number everywhere, as of a
        limit, does not.
        """
        found = numbered_alike([name for name, type_ in self.types.items() if is_numeric(type_)])
        same = {each.name for each in self.profile.columns if each.is_constant}
        others = {name for name, type_ in self.types.items() if type_ == "number"} - same
        return found if others <= {*found} else ()

    def measured(self, name: str | None) -> str:
        """Return the column of measurements: the one named, or the only one that can be it.

        Raises NotComputableError ("not_numeric", "no_column").
        """
        if name is not None:
            return self.number_column(name)
        numeric = [
            each
            for each, type_ in self.types.items()
            if type_ == "number" or (type_ == "integer" and not self._counts_rows(each))
        ]
        measures = [each for each in numeric if self.types[each] == "number"] or numeric
        if len(measures) == 1:
            return measures[0]
        if not measures:
            raise NotComputableError(
                "no_column",
                _(
                    "There is no column of measurements in {name}. Drop the file that holds them."
                ).format(name=quoted_name(self.profile.file)),
            )
        raise NotComputableError(
            "no_column",
            _("Say which column: {names}.").format(
                names=", ".join(map(quoted_name, measures[:NAMED]))
            ),
        )

    def _counts_rows(self, name: str) -> bool:
        """Return whether a column of integers only numbers the rows."""
        about = self.profile.column(name)
        return about is not None and about.distinct == self.profile.rows > 1 and not about.missing

    def moment_column(self) -> str | None:
        """Return the column that says when something happened, if there is one."""
        known = self.profile.defect_column("data") if self.select is None else None
        if known is not None and self.types.get(known) in ("date", "datetime"):
            return known
        for wanted in ("datetime", "date"):
            for name, type_ in self.types.items():
                if type_ == wanted:
                    return name
        return None

    def shift_column(self) -> str | None:
        """Return the column that holds the shift, if there is one."""
        if self.select is None and (known := self.profile.defect_column("turno")) is not None:
            return known
        folded = {fold_name(name): name for name in self.types}
        return folded.get("turno") or folded.get("shift")

    async def columns(self, *selected: str, order: str | None = None) -> StudyColumns:
        """Read columns of the chosen rows, in their order or that of a column.

        `selected` are SQL expressions. Raises NotComputableError ("no_rows", "too_many_rows").
        """
        listed = ", ".join(f"{each} AS c{at}" for at, each in enumerate(selected))
        sql = f"SELECT {listed} FROM {self._in_order(order)}"  # noqa: S608  quoted names
        found = await self.datasets.query(self.context, sql, limit=MOST_ROWS, about=self.profile)
        if found.row_count > MOST_ROWS:
            raise NotComputableError(
                "too_many_rows",
                _(
                    "There are {count} rows, and a study takes {most}. Filter them, by a period"
                    " for one."
                ).format(count=number(found.row_count, digits=0), most=number(MOST_ROWS, digits=0)),
            )
        if not found.table.rows:
            raise NotComputableError(
                "no_rows", _("No row fits. Check the filters, or take another period.")
            )
        return StudyColumns(found.table, found.source, found.made)

    def _in_order(self, order: str | None) -> str:
        """Write SQL for the chosen rows in the order of a column; rows alike stay as they stand."""
        if order is None:
            return f"{self.relation}{self.where}"
        by = self.moment() if order == self.moment_column() else quoted(order)
        numbered = f"SELECT *, row_number() OVER () AS {_STANDS} FROM {self.relation}"  # noqa: S608
        return f"({numbered}){self.where} ORDER BY {by}, {_STANDS}"

    async def grouped(self, by: Sequence[str], amount: str = "count(*)") -> StudyColumns:
        """Add up the chosen rows by SQL expressions, in their order; the amounts come last."""
        listed = ", ".join(by)
        sql = (
            f"SELECT {listed}, {amount} FROM {self.relation}{self.where}"  # noqa: S608  quoted names
            f" GROUP BY ALL ORDER BY {', '.join(str(at + 1) for at in range(len(by)))}"
        )
        found = await self.datasets.query(self.context, sql, limit=MOST_ROWS, about=self.profile)
        if not found.table.rows:
            raise NotComputableError(
                "no_rows", _("No row fits. Check the filters, or take another period.")
            )
        return StudyColumns(found.table, found.source, found.made)

    # --- production days and shifts ---------------------------------------------------------------

    def moment(self) -> str:
        """Write SQL for the moment of a row. Raises NotComputableError ("no_date")."""
        column = self.moment_column()
        if column is None:
            raise NotComputableError(
                "no_date",
                _(
                    "Nothing says when the rows happened: there is no column of dates in {name}."
                    " Read the file again with one as dates."
                ).format(name=quoted_name(self.profile.file)),
            )
        if self.types[column] == "date":
            times = [name for name, type_ in self.types.items() if type_ == "time"]
            if len(times) == 1:
                return f"({quoted(column)} + coalesce({quoted(times[0])}, TIME '12:00'))"
        return quoted(column)

    def has_times(self) -> bool:
        """Return whether rows tell the time of day besides the day."""
        column = self.moment_column()
        if column is None:
            return False
        return self.types[column] == "datetime" or "+" in self.moment()

    def day(self) -> str:
        """Write SQL for the production day of a row."""
        start = self.time.day_start if self.has_times() else 0
        if not start:
            return f"CAST({self.moment()} AS DATE)"
        return f"CAST({self.moment()} - INTERVAL {start} MINUTE AS DATE)"

    def shift(self) -> str:
        """Write SQL for the shift of a row: of its own column, or by the times of shifts.

        Raises NotComputableError ("no_shift") where nothing tells.
        """
        column = self.shift_column()
        if column is not None:
            return quoted(column)
        if not self.time.shifts or not self.has_times():
            raise NotComputableError(
                "no_shift",
                _(
                    "Nothing says in which shift the rows happened. Give the times at which the"
                    " shifts begin, and a column with the time of day."
                ),
            )
        moment, start = self.moment(), self.time.day_start
        minutes = (
            f"((60 * extract('hour' FROM {moment}) + extract('minute' FROM {moment})"
            f" - {start} + 1440) % 1440)"
        )
        cases = "".join(
            f" WHEN {minutes} >= {(begin - start) % 1440} THEN {sql_literal(name)}"
            for name, begin in reversed(self.time.shifts)
        )
        return f"CASE{cases} ELSE {sql_literal(self.time.shifts[-1][0])} END"

    def period(self, period: Period) -> tuple[str, ...]:
        """Write SQL for the period of a row: the first day of it, and the shift, if asked for."""
        day = self.day()
        match period:
            case "dia":
                return (day,)
            case "turno":
                return (day, self.shift())
            case "semana":
                return (f"CAST(date_trunc('week', {day}) AS DATE)",)
            case "mes":
                return (f"CAST(date_trunc('month', {day}) AS DATE)",)
            case "hora":
                if not self.has_times():
                    raise NotComputableError(
                        "no_hour",
                        _("Nothing says at which hour the rows happened: there is no time of day."),
                    )
                return (f"date_trunc('hour', {self.moment()})",)

    def rows_of(
        self,
        label: str,
        *,
        period: Period | None = None,
        column: str | None = None,
        day: str = "",
        order: str | None = None,
        size: int = 1,
    ) -> str:
        """Write the SELECT of the rows behind a point, which has this label.

        The point is a period, a value of a column, or else the n-th `size` rows.
        """
        conditions = [] if self.condition is None else [f"({self.condition})"]
        if day:
            conditions.append(f"{self.day()} = DATE {sql_literal(day)}")
        if period == "hora":
            conditions.append(f"{self.period(period)[0]} = TIMESTAMP {sql_literal(label)}")
        elif period is not None:
            day, _blank, shift = label.partition(" ")
            keys = self.period(period)
            conditions.append(f"{keys[0]} = DATE {sql_literal(day)}")
            if len(keys) > 1:
                conditions.append(f"CAST({keys[1]} AS VARCHAR) = {sql_literal(shift)}")
        elif column is not None and self.types[column] == "date":
            conditions.append(f"{quoted(column)} = DATE {sql_literal(label)}")
        elif column is not None and self.types[column] == "datetime":
            conditions.append(
                f"starts_with(CAST({quoted(column)} AS VARCHAR), {sql_literal(label)})"
            )
        elif column is not None:
            conditions.append(f"CAST({quoted(column)} AS VARCHAR) = {sql_literal(label)}")
        else:
            first = (int(label) - 1) * size
            shown = "*" if order is None else f"* EXCLUDE ({_STANDS})"
            return (
                f"SELECT {shown} FROM {self._in_order(order)}"  # noqa: S608  quoted names
                f" LIMIT {size} OFFSET {first}"
            )
        return f"SELECT * FROM {self.relation} WHERE {' AND '.join(conditions)}"  # noqa: S608  quoted names


def shift_order(shift: str, time: WorkingTime) -> tuple[int, str]:
    """Return what shifts are sorted by: as given, else as the day goes."""
    given = [fold_name(name) for name, _start in time.shifts]
    usual = ("manha", "tarde", "noite")
    for names in (given, usual):
        if fold_name(shift) in names:
            return [*names].index(fold_name(shift)), shift
    return len(usual), shift


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """Result of a method: for the model, for the person, and the whole result of `quality`."""

    content: JsonObject
    study: Study
    result: object


Work = Callable[[], Computed]  # for a thread
