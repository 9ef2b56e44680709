"""Numbers, comparisons and stretches of time in a question."""

from collections.abc import Sequence

from qhub_desktop.nlq.language_files import small_words
from qhub_desktop.nlq.lexicon import Token
from qhub_desktop.nlq.parser.slots import Cursor, SlotCollector
from qhub_desktop.nlq.parser.token_rules import Comparison
from qhub_desktop.nlq.query_ast import Dimension, Filter, Grain, Period, Relation

GRAINS: dict[str, Grain] = {
    "#grain_hour": "hour",
    "#grain_day": "day",
    "#grain_weekday": "weekday",
    "#grain_week": "week",
    "#grain_month": "month",
    "#grain_year": "year",
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS: dict[str, tuple[int, ...]] = {name: (day,) for day, name in enumerate(WEEKDAYS, start=1)}
_WEEKDAYS |= {"weekend": (6, 7), "workday": (1, 2, 3, 4, 5)}


class TimeReader:
    """Takes what cuts time into pieces, and days of the week, by the data's column of days."""

    def __init__(self, place: Cursor, found: SlotCollector) -> None:
        self._index = found.index
        self._place = place
        self._found = found

    def take(self, token: Token) -> int:
        """What stands here; gives how many words that took, none if it is no time."""
        if token.lemma in GRAINS:
            return self._take_grain(token)
        column = self._index.date_column
        if token.lemma not in _WEEKDAYS or column is None:
            return 0
        self._found.add_weekdays(column, _WEEKDAYS[token.lemma])
        self._found.coverage += 1
        return 1

    def _take_grain(self, token: Token) -> int:
        index, found = self._index, self._found
        if named := index.column_by_cue(token.lemma):
            says_by = self._place.is_by or token.words[0].plain in small_words("by")
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


_DAYS = "@days"  # what numbers may be taken for, besides a column
_REACH = 3  # words between a comparison and the column that it is about
_OPPOSITE: dict[Relation, Relation] = {"is": "is not", "between": "outside"}


class ComparisonReader:
    """Finds the column of each comparison: the one just before, else the next one.

    `recent` is the column of numbers that was last compared in the conversation.
    """

    def __init__(self, place: Cursor, found: SlotCollector, recent: str | None) -> None:
        self._index = found.index
        self._place = place
        self._found = found
        self._recent = recent
        self._waiting: list[Comparison] = []

    def take(self, token: Comparison) -> int:
        """What stands here; gives how many words that took."""
        self._found.coverage += 1
        at = self._place.at
        near = [
            name
            for name, place in self._found.column_places.items()
            if self._index.is_measure(name) and at - place <= _REACH
        ]
        ahead = self._index.column_at(self._place.tokens, at + 1)
        if ahead is not None and ahead[0] not in near and self._index.is_measure(ahead[0]):
            near = []  # 'menos de 100 boas'
        if not near and self._counts_rows(at + 1):
            self._found.having = Filter("", token.numbers, token.relation)
            return 1
        if not near:
            self._waiting.append(token)
            return 1
        self._compare_named(near[-1], token)
        is_unit = self._place.meaning(at + 1) in self._index.units | {"minute"}
        return 2 if is_unit else 1

    def take_waiting(self, name: str) -> bool:
        """'mais de 20 rejeitadas': whether the comparison said before is all that is said of it."""
        if not self._waiting or not self._index.is_measure(name) or self._place.is_by:
            return False
        self._compare(name, self._waiting.pop())
        return not self._found.has_measure

    def settle(self) -> None:
        """At the end, the comparisons that had no column in reach."""
        for token in self._waiting:
            columns = [each.column for each in self._found.columns]
            named = [name for name in columns if self._index.is_number(name)]
            if len(named) == 1:
                self._compare_named(named[0], token)
            else:
                self.doubt(token.text, token.numbers, token)

    def doubt(self, text: str, numbers: Sequence[float], token: Comparison | None = None) -> None:
        """Numbers that any column of numbers could be meant by, or days."""
        chosen = self._found.chosen.get(text) or (self._recent if token is not None else None)
        if chosen == _DAYS:
            self._take_days(numbers)
            return
        if chosen is not None and token is not None:
            self._compare(chosen, token)
            return
        if chosen is not None:
            self._found.add_filter(chosen, "is", *numbers)
            return
        fitting = [name for name in self._index.measures if self._holds(name, numbers, token)]
        options = [(name, name) for name in fitting]
        if (days := self._days_of(numbers, token)) is not None:
            options.append((days, _DAYS))
        if len(options) > 1:
            self._found.doubt(text, tuple(options))
        elif fitting and token is not None:
            self._compare(fitting[0], token)
        else:
            self._found.unknown.append(text)

    def _counts_rows(self, at: int) -> bool:
        """Whether a comparison is about how many rows: 'mais de 10 defeitos'."""
        has_groups = bool(self._found.dimensions or self._found.columns) or any(
            each.lemma in (*GRAINS, "#which") for each in self._place.tokens
        )
        return self._place.meaning(at) in ("defect", "#rows") and has_groups

    def _compare_named(self, name: str, token: Comparison) -> None:
        """Of a column that was named for it, unless that is what is measured, too."""
        self._compare(name, token)
        if not self._found.has_measure:
            self._found.drop_column(name)

    def _compare(self, name: str, token: Comparison) -> None:
        relation = token.relation
        if self._place.is_except:
            relation = _OPPOSITE.get(relation, relation)
        self._found.add_filter(name, relation, *token.numbers)

    def _days_of(self, numbers: Sequence[float], token: Comparison | None) -> str | None:
        """How numbers would be read as days of the data's last month, if they can be."""
        last, column = self._index.last_day, self._index.date_column
        is_range = token is None or token.relation in ("is", "between")
        if last is None or column is None or not is_range:
            return None
        if not all(number == int(number) and 1 <= number <= last.day for number in numbers):
            return None
        return f"{column}: " + "–".join(f"{int(n):02d}/{last.month:02d}" for n in numbers)

    def _take_days(self, numbers: Sequence[float]) -> None:
        last, column = self._index.last_day, self._index.date_column
        assert last is not None
        assert column is not None
        days = [last.replace(day=int(number)) for number in numbers]
        self._found.period = Period(column, min(days), max(days))

    def _holds(self, name: str, numbers: Sequence[float], token: Comparison | None) -> bool:
        column = self._index.column(name)
        if not isinstance(column.min, int | float) or not isinstance(column.max, int | float):
            return False
        if token is None and column.type != "integer":
            return False
        return column.min <= max(numbers) and min(numbers) <= column.max
