"""Numbers that are days: of a spreadsheet's calendar, or a year, a month and a day in one."""

from dataclasses import dataclass

from qhub_desktop.core.dataset import Finding
from qhub_desktop.data import doubts
from qhub_desktop.data.column_texts import ColumnTexts
from qhub_desktop.data.naming import slug

# Day 1 of a spreadsheet's calendar, and its last.
EPOCH = "DATE '1899-12-30'"
LAST_DAY = 2_958_465
# Days of that calendar that can be told from plain numbers: 1954 to 2119.
SERIALS = (20_000, 80_000)
COMPACT = (19_000_101, 21_001_231)  # a year, a month and a day as one number
_DATE_NAMES = {"data", "date", "dia", "day", "datum", "fecha", "dt"}


@dataclass(frozen=True, slots=True)
class Days:
    """SQL for the days, and what there is to say of them."""

    expression: str
    told: Finding
    is_compact: bool = False


def is_date_name(name: str) -> bool:
    """Whether a column of this name says that it holds dates."""
    return bool(_DATE_NAMES & set(slug(name).split("_")))


def days_of(texts: ColumnTexts, name: str, value: str) -> Days | None:
    """The days that the numbers of a column are, if it says that it holds dates.

    `value` is SQL for a number.
    """
    if not is_date_name(name):
        return None
    lowest, highest, fractions = texts.figures(
        f"min({value}), max({value}), count(*) FILTER ({value} <> floor({value}))"
    )
    if lowest is None:
        return None
    if not fractions and COMPACT[0] <= lowest <= highest <= COMPACT[1]:
        return _compact(texts, name, value, example=str(int(lowest)))
    if not SERIALS[0] <= lowest <= highest <= SERIALS[1]:
        return None
    days = f"({EPOCH} + CAST({value} AS INTEGER))"
    if fractions:
        days = (
            f"(CAST({EPOCH} AS TIMESTAMP)"
            f" + to_microseconds(CAST(round(({value}) * 86400) * 1000000 AS BIGINT)))"
        )
    return Days(days, doubts.serial_dates(name))


def _compact(texts: ColumnTexts, name: str, value: str, *, example: str) -> Days | None:
    """Dates as SAP writes them: 20260131."""
    moment = f"TRY_STRPTIME(CAST(CAST({value} AS BIGINT) AS VARCHAR), '%Y%m%d')"
    lost, present = texts.figures(f"count({value}) - count({moment}), count({moment})")
    if lost or not present:
        return None
    return Days(f"CAST({moment} AS DATE)", doubts.compact_dates(name, example), is_compact=True)


def moment_of(value: str) -> str:
    """SQL for the moment that a number of either kind stands for, NULL where it stands for none."""
    first, last = COMPACT
    digits = f"CAST(TRY_CAST({value} AS BIGINT) AS VARCHAR)"
    seconds = f"CAST(round(({value}) * 86400) AS BIGINT)"
    return (
        f"CASE WHEN ({value}) = floor({value}) AND ({value}) BETWEEN {first} AND {last}"
        f" THEN TRY_STRPTIME({digits}, '%Y%m%d')"
        f" WHEN ({value}) >= 1 AND ({value}) < {LAST_DAY + 1}"
        f" THEN CAST({EPOCH} AS TIMESTAMP) + to_seconds({seconds}) END"
    )
