"""The forms of the answers over defects, measurements and production, and the steps to them."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from tests.nlq.questions.question import Json


def number(value: Any) -> Json:
    """One number; what comes out whole is written whole."""
    exact = float(value)
    assert exact == exact, "no number"
    return {"number": int(exact) if exact.is_integer() else exact}


def key(value: Any) -> str:
    """A group's name: a day as YYYY-MM-DD, a number without needless zeros, else its text."""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def pairs(series: Any, *, ordered: bool = False) -> Json:
    """A value for each group."""
    made = [[key(name), number(value)["number"]] for name, value in series.items()]
    return {"pairs": made, "ordered": ordered}


def top(series: Any, count: int | None = None, *, least: bool = False) -> Json:
    """The groups by their values, the first few of them; no two may tie, nor at the cut."""
    falling = series.sort_values(ascending=least)
    cut = len(falling) if count is None else count
    kept = falling.head(cut + 1)
    assert kept.is_unique, f"a tie: {kept.to_dict()}"
    return pairs(falling.head(cut), ordered=True)


def by_name(series: Any) -> Json:
    """The groups in the order of their names."""
    return pairs(series.sort_index(), ordered=True)


def cross(series: Any) -> Json:
    """A value for each pair of groups that has one."""
    made = [
        [key(row), key(column), number(value)["number"]]
        for (row, column), value in series.items()
        if value
    ]
    return {"cross": made}


def rows(frame: pd.DataFrame) -> Json:
    """How many records were listed."""
    return {"rows": len(frame)}


def names(values: Iterable[Any]) -> Json:
    """The names of columns, or the different values of one."""
    return {"names": sorted(str(value) for value in values)}


def gaps(frame: pd.DataFrame) -> Json:
    """The missing values of each column that has any."""
    counted = frame.isna().sum()
    return {"columns": {str(name): int(many) for name, many in counted.items() if many}}


def span(frame: pd.DataFrame, column: str, first: str, last: str) -> pd.DataFrame:
    """The rows from one day to another, both included."""
    days = frame[column].dt.normalize()
    kept: pd.DataFrame = frame[(days >= pd.Timestamp(first)) & (days <= pd.Timestamp(last))]
    return kept


def day(column: Any) -> Any:
    """The day of each moment."""
    return column.dt.normalize()


def week(column: Any) -> Any:
    """The Monday of each moment's week."""
    return column.dt.normalize() - pd.to_timedelta(column.dt.day_of_week, unit="D")


def month(column: Any) -> Any:
    """The first of each moment's month."""
    return column.dt.to_period("M").dt.to_timestamp()


def weekday(column: Any) -> Any:
    """1 for Monday to 7 for Sunday."""
    return column.dt.day_of_week + 1


def far(column: Any) -> Any:
    """Whether each value lies beyond one and a half quartile distances (Tukey)."""
    low, high = column.quantile(0.25), column.quantile(0.75)
    reach = 1.5 * (high - low)
    return (column < low - reach) | (column > high + reach)


def percents(series: Any) -> Any:
    """Each value as a percentage of their sum."""
    return 100 * series / series.sum()
