"""The numbers by which Excel knows days and times."""

from datetime import date, datetime, time

FIRST_DAY = date(1899, 12, 30).toordinal()
# Before it Excel's count of days is off by one, since it has a 29th of February 1900.
FIRST_SURE_DAY = date(1900, 3, 1).toordinal()
DAY_S = 86_400


def serial(moment: date | datetime | time) -> float | int | None:
    """A moment's number, the zone ignored; none for a day that Excel does not count right."""
    match moment:
        case time():
            return _share(moment)
        case datetime():
            days = _days(moment)
            return None if days is None else days + _share(moment)
        case date():
            return _days(moment)


def _days(day: date) -> int | None:
    ordinal = day.toordinal()
    return ordinal - FIRST_DAY if ordinal >= FIRST_SURE_DAY else None


def _share(moment: datetime | time) -> float:
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return (seconds + moment.microsecond / 1e6) / DAY_S
