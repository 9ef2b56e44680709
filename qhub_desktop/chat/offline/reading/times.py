"""Time in a question: 'por semana', 'que dia', 'ao sábado', 'on workdays'."""

from qhub_desktop.chat.offline.plan import Dimension, Grain
from qhub_desktop.chat.offline.reading.findings import Findings
from qhub_desktop.chat.offline.reading.place import Place
from qhub_desktop.chat.offline.vocabulary import Token

GRAINS: dict[str, Grain] = {
    "#grain_hour": "hour",
    "#grain_day": "day",
    "#grain_weekday": "weekday",
    "#grain_week": "week",
    "#grain_month": "month",
    "#grain_year": "year",
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS: dict[str, tuple[int, ...]] = {name: (day,) for day, name in enumerate(WEEKDAYS, start=1)}
_DAYS |= {"weekend": (6, 7), "workday": (1, 2, 3, 4, 5)}


class TimeReader:
    """Takes what cuts time into pieces, and days of the week, by the data's column of days."""

    def __init__(self, place: Place, found: Findings) -> None:
        self._index = found.index
        self._place = place
        self._found = found

    def take(self, token: Token) -> int:
        """What stands here; gives how many words that took, none if it is no time."""
        if token.lemma in GRAINS:
            return self._take_grain(token)
        column = self._index.date_column
        if token.lemma not in _DAYS or column is None:
            return 0
        self._found.add_weekdays(column, _DAYS[token.lemma])
        self._found.coverage += 1
        return 1

    def _take_grain(self, token: Token) -> int:
        index, found = self._index, self._found
        if named := index.column_by_cue(token.lemma):
            says_by = self._place.is_by or token.words[0].plain in ("por", "by", "per")
            found.coverage += 1
            (found.dimensions if says_by else found.columns).append(Dimension(named))
            return 1
        is_timed = token.lemma != "#grain_hour" or index.has_hours
        if index.date_column is None or not is_timed:
            found.unknown_dimension.append(token.words[-1].text)
            return 1
        found.coverage += 1
        found.counts_time = found.counts_time or self._place.before == "#count"
        found.plural_by[index.date_column] = self._place.is_plural
        found.dimensions.append(Dimension(index.date_column, GRAINS[token.lemma]))
        return 1
