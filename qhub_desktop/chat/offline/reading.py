"""Reading the words of a question over one data set, from left to right."""

import re
from collections.abc import Sequence

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dates import Span
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import Dimension, Filter, Grain, Period, Relation, Value
from qhub_desktop.chat.offline.vocabulary import Token, vocabulary

_GRAINS: dict[str, Grain] = {
    "#grain_hour": "hour",
    "#grain_day": "day",
    "#grain_weekday": "weekday",
    "#grain_week": "week",
    "#grain_month": "month",
    "#grain_year": "year",
}
_COMPARING: dict[str, Relation] = {
    "#above": "above",
    "#at_least": "at least",
    "#below": "below",
    "#at_most": "at most",
    "#between": "between",
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CODE = re.compile(r"(\D*)(\d+)")
_TO = ("a", "ao", "ate", "to", "through")
_WEEK, _MONTH = 7, 27  # days
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
_RANKING = ("#top", "#most", "#least", "#max", "#min")
_OF = frozenset(
    (
        *("de", "do", "da", "dos", "das", "no", "na", "nos", "nas", "com"),
        *("pelo", "pela", "pelos", "pelas", "of", "in", "from", "with", "at", "ao", "aos", "on"),
    )
)


class Reader:
    """Goes through a question from left to right, once."""

    def __init__(self, index: Index, words: Sequence[Token]) -> None:
        self._index = index
        self._all = words
        self._tokens = [token for token in words if token.lemma]
        self._place = 0
        self._is_by = False
        self._is_except = False
        self._last_column: str | None = None
        self._cues: list[str] = []
        self._dimensions: list[Dimension] = []
        self._columns: list[Dimension] = []
        self._filters: dict[tuple[str, Relation], list[Value]] = {}
        self._weekdays: list[Value] = []
        self._weekday_column = ""
        self._counted: set[str] = set()
        self._plural_by: dict[str, bool] = {}
        self._number: int | None = None
        self._has_subject = False
        self._subject_plural = False
        self._unknown_dimension: list[str] = []
        self._ignored: list[str] = []
        self._names_dataset = False
        self.period: Period | None = None
        self.unknown: list[str] = []
        self.coverage = 0

    def read(self) -> None:
        """All of it."""
        while self._place < len(self._tokens):
            self._place += self._step()

    def take_days(self, column: str, span: Span, second: Span | None) -> None:
        """The rows of some days; two stretches are told apart, over all from one to the other."""
        self.coverage += 1
        if second is None:
            self.period = Period(column, *span)
            return
        edges = [day for day in (*span, *second) if day is not None]
        self.period = Period(column, min(edges), max(edges))
        self._dimensions.append(Dimension(column, _grain_of(span)))

    def result(self) -> Asked:
        """What was found."""
        ranked = [*self._dimensions, *self._columns]
        filters = [
            Filter(column, tuple(dict.fromkeys(values)), relation)
            for (column, relation), values in self._filters.items()
        ]
        if self._weekdays:
            filters.append(Filter(self._weekday_column, tuple(self._weekdays), grain="weekday"))
        plural = self._plural_by.get(ranked[0].column) if ranked else self._subject_plural
        return Asked(
            index=self._index,
            cues=frozenset(self._cues),
            first_cue=self._cues[0] if self._cues else "",
            dimensions=tuple(dict.fromkeys(self._dimensions)),
            columns=tuple(dict.fromkeys(self._columns)),
            filters=tuple(filters),
            period=self.period,
            number=self._number,
            has_subject=self._has_subject,
            is_plural=bool(plural),
            is_counted_column=any(each.column in self._counted for each in self._columns),
            unknown=tuple(self.unknown),
            unknown_dimension=tuple(self._unknown_dimension),
            ignored=tuple(self._ignored),
            names_dataset=self._names_dataset,
            coverage=self.coverage,
        )

    def _step(self) -> int:
        """Read what stands here; gives how many words that took."""
        if length := self._dataset_here():
            return length
        # 'por operador na posição 3': the position is no longer what to group by.
        if self._is_by and self._before() not in ("#by", "#again") and self._is_after_of():
            self._is_by = False
        value = self._index.values_at(self._tokens, self._place)
        if value is None and (several := self._index.values_with(self._tokens[self._place])):
            return self._take_values(several)
        column = self._index.column_at(self._tokens, self._place)
        if value and not (column and (self._is_by or column[1] > value[1])):
            self._take_value(value[0])
            self.coverage += value[1]
            return value[1]
        token = self._tokens[self._place]
        if token.words[0].plain == "linhas" and not self._is_by:  # rows, even where lines are made
            return self._take_word(token)
        if token.lemma == "defect" and (column is None or column[1] == 1) and not self._is_by:
            return self._take_defect(column)
        if column:
            return self._take_column(*column)
        return self._take_word(token)

    def _dataset_here(self) -> int:
        name = self._index.name
        here = tuple(token.lemma for token in self._tokens[self._place : self._place + len(name)])
        if here != name or name == ("defect",):
            return 0
        self._names_dataset = True
        self.coverage += 1
        return len(name)

    def _take_value(self, choices: tuple[tuple[str, str], ...]) -> None:
        column, value = next((each for each in choices if each[0] == self._last_column), choices[0])
        relation: Relation = "is not" if self._is_except else "is"
        self._add_filter(column, relation, *self._up_to(column, value), value)
        self._is_by = False

    def _take_values(self, choices: tuple[tuple[str, str], ...]) -> int:
        """'PP' names every value that begins so."""
        relation: Relation = "is not" if self._is_except else "is"
        self._add_filter(choices[0][0], relation, *(value for _, value in choices))
        self.coverage += 1
        return 1

    def _up_to(self, column: str, value: str) -> list[str]:
        """What lies between the value before and this one: 'R10 a R12' names R11 too."""
        token = self._tokens[self._place]
        place = next(place for place, each in enumerate(self._all) if each is token)
        earlier = self._filters.get((column, "is"), [])
        if not earlier or place == 0 or self._all[place - 1].words[-1].plain not in _TO:
            return []
        first, last = _CODE.fullmatch(str(earlier[-1])), _CODE.fullmatch(value)
        if first is None or last is None or first[1] != last[1]:
            return []
        return sorted(
            str(each)
            for each, _ in self._index.column(column).top
            if (code := _CODE.fullmatch(str(each)))
            and code[1] == first[1]
            and int(first[2]) < int(code[2]) < int(last[2])
        )

    def _add_filter(self, column: str, relation: Relation, *values: Value) -> None:
        self._filters.setdefault((column, relation), []).extend(values)
        self._last_column = column

    def _take_defect(self, column: tuple[str, int] | None) -> int:
        index = self._index
        if column and index.is_number(column[0]):
            return self._take_column(*column)
        self._has_subject = True
        self._subject_plural = self._is_plural_here()
        if index.type_column is not None:
            self.coverage += 2  # rows of other data are not defects, whatever else they have
            self._plural_by[index.type_column] = self._subject_plural
        elif not column:
            self._ignored.append(self._tokens[self._place].text)
        return 1

    def _take_column(self, name: str, length: int) -> int:
        self.coverage += length
        after = self._place + length
        was_last = self._last_column == name
        self._plural_by[name] = self._is_plural_here()
        if taken := self._value_of(name, after):
            return length + taken
        if was_last and not self._is_by:  # 'night shift', 'turno da noite'
            return length
        if self._before() == "#count":
            self._counted.add(name)
        type_ = self._index.column(name).type
        grain: Grain = "day" if type_ in ("date", "datetime") else ""
        (self._dimensions if self._is_by else self._columns).append(Dimension(name, grain))
        self._last_column = name
        return length

    def _value_of(self, name: str, place: int) -> int:
        """What follows a column's name and says which of its values: how many words of it."""
        if place >= len(self._tokens):
            return 0
        token = self._tokens[place]
        found = self._index.values_at(self._tokens, place)
        if found and any(column == name for column, _ in found[0]):
            self._last_column = name
            self._take_value(found[0])
            self.coverage += found[1]
            return found[1]
        if token.lemma in _COMPARING and self._index.is_number(name):
            return self._compared(name, place)
        number = _number(token)
        if number is not None and not self._is_by and self._before() not in _RANKING:
            return self._numbered(name, token, number)
        is_text = self._index.column(name).type in ("text", "category")
        if is_text and not found and not token.is_cue and self._is_literal(token):
            self._add_filter(name, "is not" if self._is_except else "is", token.text)
            return 1
        return 0

    def _is_literal(self, token: Token) -> bool:
        word = token.words[0]
        if word.is_quoted:
            return True
        return (
            word.is_name
            and self._index.column_at([token], 0) is None
            and token.lemma not in vocabulary().vague
            and token.lemma != "defect"
        )

    def _compared(self, name: str, place: int) -> int:
        relation = _COMPARING[self._tokens[place].lemma]
        following = self._tokens[place + 1 : place + 4]
        numbers = [found for each in following if (found := _number(each)) is not None]
        needed = 2 if relation == "between" else 1
        if len(numbers) < needed:
            return 0
        self._add_filter(name, relation, *sorted(numbers[:needed]))
        return 1 + needed + (following[1].lemma == "#again" if needed == 2 else 0)

    def _numbered(self, name: str, token: Token, number: float) -> int:
        if self._index.is_number(name):
            self._add_filter(name, "is not" if self._is_except else "is", number)
            return 1
        # 'rack 12' is R12.
        column = self._index.column(name)
        for value, _ in column.top:
            text = str(value)
            if text == token.text or (
                text[:1].isalpha() and text.lstrip(text[0]).lstrip(" -_0") == token.text
            ):
                self._add_filter(name, "is not" if self._is_except else "is", text)
                return 1
        if column.type in ("text", "category"):
            self._add_filter(name, "is", token.text)
            return 1
        return 0

    def _take_word(self, token: Token) -> int:
        lemma = token.lemma
        if lemma in _GRAINS:
            return self._take_grain(token)
        if lemma in _WEEKDAYS and (column := self._index.date_column):
            self._weekdays.append(_WEEKDAYS.index(lemma) + 1)
            self._weekday_column = column
            self.coverage += 1
            return 1
        if lemma == "#by":
            self._is_by = True
        elif lemma == "#except":
            self._is_except = True
        elif lemma == "#only":
            self._is_except = False
        if lemma in ("#again", "#noise") or lemma == "#by":
            if lemma == "#again" and not self._cues:
                self._cues.append(lemma)
            return 1
        if lemma == "line" and self._is_plural_here():  # 'quantas linhas', where none is a column
            lemma = "#rows"
        if lemma.startswith("#"):
            if lemma in ("#rows", "#data"):
                self._has_subject = self._has_subject or lemma == "#rows"
                self._subject_plural = True
            self._cues.append(lemma)
            return 1
        number = _number(token)
        if number is not None and number == int(number) and self._takes_number():
            self._number = int(number)
            return 1
        self._take_unknown(token)
        self._is_by = False
        return 1

    def _takes_number(self) -> bool:
        """Whether a number here says how many are wanted."""
        nearby = {self._before(), *(each.lemma for each in self._tokens[self._place + 1 :])}
        return bool(nearby & {*_RANKING, "#rows", "line", "#list", "#last"})

    def _take_grain(self, token: Token) -> int:
        index, lemma = self._index, token.lemma
        if named := index.column_by_cue(lemma):
            says_by = self._is_by or token.words[0].plain in ("por", "by", "per")
            self.coverage += 1
            (self._dimensions if says_by else self._columns).append(Dimension(named))
            return 1
        if index.date_column is None:
            self._unknown_dimension.append(token.words[-1].text)
            return 1
        self.coverage += 1
        self._plural_by[index.date_column] = self._is_plural_here()
        self._dimensions.append(Dimension(index.date_column, _GRAINS[lemma]))
        return 1

    def _take_unknown(self, token: Token) -> None:
        if token.lemma in vocabulary().vague | self._index.units | {"defect"}:
            return
        if self._is_by:
            self._unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = self._all and token is self._all[0]
        if word.is_quoted or (word.is_name and not is_first) or self._is_after_of():
            self.unknown.append(token.text)
        else:
            self._ignored.append(token.text)

    def _is_after_of(self) -> bool:
        token = self._tokens[self._place]
        place = next(place for place, each in enumerate(self._all) if each is token)
        return place > 0 and self._all[place - 1].words[-1].plain in _OF

    def _before(self) -> str:
        """What the word before this one means; 'é', 'o' and the like do not count."""
        for token in reversed(self._tokens[: self._place]):
            if token.lemma not in ("#noise", "#distinct"):
                return token.lemma
        return ""

    def _is_plural_here(self) -> bool:
        return self._tokens[self._place].words[0].plain.endswith("s")


def _grain_of(span: Span) -> Grain:
    first, last = span
    days = (last - first).days if first is not None and last is not None else 0
    return "day" if days < _WEEK - 1 else "week" if days < _MONTH else "month"


def _number(token: Token) -> float | None:
    text = token.words[0].plain
    if text in vocabulary().numbers:
        return vocabulary().numbers[text]
    return float(text.replace(",", ".")) if _FIGURE.fullmatch(text) else None
