"""Reading the words of a question over one data set, from left to right."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from qhub_desktop.chat.offline.asked import Asked, Doubt
from qhub_desktop.chat.offline.dates.days import Span
from qhub_desktop.chat.offline.dates.hours import Hours
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.lining import RELATIONS, Comparison, lined_up, number_of
from qhub_desktop.chat.offline.plan import Dimension, Filter, Grain, Period, Relation, Value
from qhub_desktop.chat.offline.vocabulary import Token, vocabulary
from qhub_desktop.chat.offline.words import figure

_GRAINS: dict[str, Grain] = {
    "#grain_hour": "hour",
    "#grain_day": "day",
    "#grain_weekday": "weekday",
    "#grain_week": "week",
    "#grain_month": "month",
    "#grain_year": "year",
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS: dict[str, tuple[int, ...]] = {name: (day,) for day, name in enumerate(_WEEKDAYS, start=1)}
_DAYS |= {"weekend": (6, 7), "workday": (1, 2, 3, 4, 5)}
_CODE = re.compile(r"(\D*)(\d+)")
_VERB = re.compile(
    r".{2,}(?:aram|eram|iram|amos|emos|imos|ando|endo|indo|ava|avam|ing|ed|ou|eu|iu)"
)
_TO = ("a", "ao", "ate", "to", "through")
_WEEK, _MONTH = 7, 27  # days
DAYS = "@days"  # what numbers may be taken for, besides a column
_PARTS = frozenset(["peca", "pecas", "part", "parts", "piece", "pieces", "pcs"])
_REACH = 3  # words between a comparison and the column that it is about
_RANKING = ("#top", "#most", "#least", "#max", "#min", "#worst", "#best")
_OF = frozenset(
    (
        *("de", "do", "da", "dos", "das", "no", "na", "nos", "nas", "com"),
        *("pelo", "pela", "pelos", "pelas", "of", "in", "from", "with", "at", "ao", "aos", "on"),
    )
)


class Reader:
    """Goes through a question from left to right, once.

    `chosen` settles words that could be read in several ways: what they are taken for.
    """

    def __init__(
        self,
        index: Index,
        words: Sequence[Token],
        chosen: dict[str, str] | None = None,
        recent: str | None = None,
    ) -> None:
        self._index = index
        self._all = words
        self._tokens = lined_up(index, words)
        self._chosen = chosen or {}
        self._recent = recent  # the column of numbers that was last compared
        self._filter_places: list[tuple[int, str]] = []
        self._place = 0
        self._is_by = False
        self._is_except = False
        self._is_share = False
        self._shared = ""  # the column whose value a share is of: 'a percentagem de sucata'
        self._excepted = ""  # the column of which values were left out
        self._last_column: str | None = None
        self._cues: list[str] = []
        self._dimensions: list[Dimension] = []
        self._columns: list[Dimension] = []
        self._column_places: dict[str, int] = {}
        self._filters: dict[tuple[str, Relation], list[Value]] = {}
        self._weekdays: list[Value] = []
        self._weekday_column = ""
        self._hours: list[Filter] = []
        self._counted: set[str] = set()
        self._plural_by: dict[str, bool] = {}
        self._number: int | None = None
        self._has_subject = False
        self._subject_plural = False
        self._counts_parts = False
        self._counts_time = False
        self._unknown_dimension: list[str] = []
        self._ignored: list[str] = []
        self._doubts: list[Doubt] = []
        self._pending: list[Comparison] = []
        self._having: Filter | None = None
        self._relation: Relation = "is"  # 'acima da posição 7': said before the column
        self._names_dataset = False
        self.period: Period | None = None
        self.unknown: list[str] = []
        self.coverage = 0

    def read(self) -> None:
        """All of it."""
        while self._place < len(self._tokens):
            self._place += self._step()
        for each in self._pending:
            self._settle(each)
        self._refuse_alternatives()

    def take_days(self, column: str, span: Span, second: Span | None, *, said: str) -> None:
        """The rows of some days; two stretches are told apart, over all from one to the other."""
        self.coverage += 1
        if second is None:
            self.period = Period(column, *span, said)
            return
        if (shared := _shared(span, second)) is not None:  # 'a última semana de fevereiro'
            self.period = Period(column, *shared, said)
            return
        edges = [day for day in (*span, *second) if day is not None]
        self.period = Period(column, min(edges), max(edges), said, _gap(span, second))
        self._dimensions.append(Dimension(column, _grain_of(span)))

    def take_hours(self, column: str, hours: Hours) -> None:
        """The rows of some hours of every day."""
        self.coverage += 1
        self._hours.append(Filter(column, hours.numbers, hours.relation, grain="hour"))

    def result(self) -> Asked:
        """What was found."""
        filters = [
            Filter(column, tuple(dict.fromkeys(values)), relation)
            for (column, relation), values in self._filters.items()
        ]
        filters.sort(key=lambda each: each.column != self._shared)  # it is said first, then where
        if set(self._weekdays) == set(range(1, 8)):  # 'no fim de semana ou durante a semana'
            self._dimensions.append(Dimension(self._weekday_column, "weekday"))
        elif self._weekdays:
            filters.append(Filter(self._weekday_column, tuple(self._weekdays), grain="weekday"))
        ranked = [*self._dimensions, *self._columns]
        plural = self._plural_by.get(ranked[0].column) if ranked else self._subject_plural
        return Asked(
            index=self._index,
            cues=frozenset(self._cues),
            cue_words=tuple((each.lemma, each.text) for each in self._tokens if each.is_cue),
            first_cue=self._cues[0] if self._cues else "",
            dimensions=tuple(dict.fromkeys(self._dimensions)),
            columns=tuple(dict.fromkeys(self._columns)),
            filters=(*filters, *self._hours),
            period=self.period,
            number=self._number,
            has_subject=self._has_subject,
            counts_time=self._counts_time,
            counts_parts=self._counts_parts,
            is_plural=bool(plural),
            is_counted_column=any(each.column in self._counted for each in self._columns),
            unknown=tuple(self.unknown),
            unknown_dimension=tuple(self._unknown_dimension),
            ignored=tuple(self._ignored),
            doubts=tuple(self._doubts),
            having=self._having,
            names_dataset=self._names_dataset,
            coverage=self.coverage,
        )

    def _step(self) -> int:
        """Read what stands here; gives how many words that took."""
        token = self._tokens[self._place]
        if isinstance(token, Comparison):
            return self._take_comparison(token)
        if length := self._dataset_here():
            return length
        # 'por operador na posição 3': the position is no longer what to group by.
        after_by = ("#by", "#again", "#count")
        if self._is_by and self._before() not in after_by and self._is_after_of():
            self._is_by = False
        if length := self._numbered_before(token):
            return length
        value = self._index.values_at(self._tokens, self._place)
        columns = self._index.columns_at(self._tokens, self._place)
        parts = self._index.values_with(token)
        if parts and self._before() in ("#which", "#by"):
            parts = ()  # 'que cliente' asks for a column, not for 'cliente avisado'
        if value is None and columns is None and parts:
            return self._take_values(parts)
        if value and not (columns and (self._is_by or columns[1] > value[1])):
            self._take_value(value[0])
            self.coverage += value[1]
            return value[1]
        if token.words[0].plain == "linhas" and not self._is_by:  # rows, even where lines are made
            is_bare = all(each.is_cue or each is token for each in self._tokens)
            if columns and is_bare and not self._names_dataset and "linhas" not in self._chosen:
                options = ((token.text, "@rows"), (columns[0][0], columns[0][0]))
                self._doubts.append(Doubt("linhas", options))
            if columns and self._chosen.get("linhas") in columns[0]:
                return self._take_column(columns[0][0], columns[1])
            return self._take_word(token)
        is_by = self._is_by and not self._ranks_by_them()
        if token.lemma == "defect" and (columns is None or columns[1] == 1) and not is_by:
            return self._take_defect(columns)
        if token.words[0].plain in ("when", "quando") and self._place:
            return 1  # 'when humidity is above 65' asks for no day
        if token.words[0].plain in _PARTS and self._is_only_said(columns):
            self._has_subject = self._counts_parts = True
            return 1
        if columns and len(columns[0]) == 1:
            return self._take_column(columns[0][0], columns[1])
        if columns:
            return self._take_one_of(*columns)
        return self._take_word(token)

    def _ranks_by_them(self) -> bool:
        """'top 5 racks by defects': they are counted, not grouped by."""
        ranks = any(cue in _RANKING for cue in self._cues)
        return ranks and bool(self._columns) and self._is_plural_here()

    def _is_only_said(self, columns: tuple[tuple[str, ...], int] | None) -> bool:
        """'quantas peças foram rejeitadas': pieces are what is counted, not a column."""
        if (columns is not None and columns[1] > 1) or self._is_by:
            return False
        follows = self._tokens[self._place + 1].lemma if self._has_next() else ""
        ranks = any(each.lemma in _RANKING for each in self._tokens)
        asked = ("#which", "#top", "#most", "#least", "#distinct", "#by", "#table")
        is_asked = self._before() in asked or (ranks and not self._is_plural_here())
        return not is_asked and follows != "#distinct" and not self._is_valued(columns)

    def _is_valued(self, columns: tuple[tuple[str, ...], int] | None) -> bool:
        """Whether a value of the column follows its name: 'peça 004512'."""
        if columns is None or not self._has_next():
            return False
        found = self._index.values_at(self._tokens, self._place + 1)
        return found is not None and any(name in columns[0] for name, _ in found[0])

    def _has_next(self) -> bool:
        return self._place + 1 < len(self._tokens)

    def _dataset_here(self) -> int:
        name = self._index.name
        here = tuple(token.lemma for token in self._tokens[self._place : self._place + len(name)])
        if here != name or name == ("defect",):
            return 0
        if len(name) == 1 and name[0] in self._index.parts and self._before() != "#data":
            return 0  # 'produção' is a column rather than the file of that name
        self._names_dataset = True
        if "#rows" in name:  # of 'medições', a measurement is a row
            self._has_subject = True
            self._subject_plural = self._is_plural_here()
            self._cues.append("#rows")
        self.coverage += 1
        return len(name)

    def _numbered_before(self, token: Token) -> int:
        """'2º turno', 'primeiro turno', 'R12 a R14' by their numbers: a value before its column."""
        number = number_of(token)
        if number is None or not self._has_next():
            return 0
        found = self._index.column_at(self._tokens, self._place + 1)
        if found is None or self._index.is_number(found[0]) or self._before() in _RANKING:
            return 0
        value = self._with_number(found[0], number)
        if value is None:
            return 0
        self._add_filter(found[0], "is not" if self._is_except else "is", value)
        self.coverage += 1 + found[1]
        return 1 + found[1]

    def _with_number(self, name: str, number: float) -> str | None:
        """The value of a column that is told from the others by this number."""
        wanted = f"{number:g}"
        known = [str(value) for value, _ in self._index.column(name).top]
        found = [
            value
            for value in known
            if (digits := re.findall(r"\d+", value)) and digits[0].lstrip("0") == wanted
        ]
        return found[0] if len(found) == 1 else None

    def _take_value(self, choices: tuple[tuple[str, Value], ...]) -> None:
        token = self._tokens[self._place]
        choice = next((each for each in choices if each[0] == self._last_column), None)
        if choice is None and (column := self._chosen.get(token.text)):
            choice = next((each for each in choices if each[0] == column), None)
        if choice is None:
            choice = choices[0]
            if len({column for column, _ in choices}) > 1 and not self._says_the_same(choices):
                options = tuple((f"{column}: {value}", column) for column, value in choices)
                self._doubts.append(Doubt(token.text, options))
        column, value = choice
        # 'tudo exceto lixo no R13': what is left out was said, and R13 is where.
        if self._excepted not in ("", column) and self._is_after_of():
            self._is_except = False
        relation: Relation = "is not" if self._is_except else "is"
        if self._is_except:
            self._excepted = column
        between = self._up_to(column, value) if isinstance(value, str) else []
        self._add_filter(column, relation, *between, value)

    def _says_the_same(self, choices: tuple[tuple[str, Value], ...]) -> bool:
        """Whether the values are told of equally many rows: two columns that say one thing."""
        counts = {dict(self._index.column(column).top).get(value) for column, value in choices}
        return len(counts) == 1

    def _take_values(self, choices: tuple[tuple[str, str], ...]) -> int:
        token = self._tokens[self._place]
        self.coverage += 1
        relation: Relation = "is not" if self._is_except else "is"
        if len(choices) > 1:
            chosen = self._chosen.get(token.text)
            if chosen is None:
                options = tuple((value, value) for _, value in choices)
                self._doubts.append(Doubt(token.text, options))
            choices = tuple(each for each in choices if each[1] == chosen) or choices[:1]
        self._add_filter(choices[0][0], relation, choices[0][1])
        return 1

    def _up_to(self, column: str, value: str) -> list[str]:
        """What lies between the value before and this one: 'R10 a R12' names R11 too."""
        token = self._tokens[self._place]
        place = self._place_in_all(token)
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
        if self._is_share and not self._shared:
            self._shared = column
        if self._place < len(self._tokens):
            self._filter_places.append((self._place_in_all(self._tokens[self._place]), column))

    def _take_defect(self, columns: tuple[tuple[str, ...], int] | None) -> int:
        index = self._index
        if columns and len(columns[0]) == 1 and index.is_number(columns[0][0]):
            return self._take_column(columns[0][0], columns[1])
        self._has_subject = True
        self._subject_plural = self._is_plural_here()
        if index.type_column is not None:
            self.coverage += 2  # rows of other data are not defects, whatever else they have
            self._plural_by[index.type_column] = self._subject_plural
        elif not columns:
            self._ignored.append(self._tokens[self._place].text)
        return 1

    def _take_one_of(self, names: tuple[str, ...], length: int) -> int:
        """A word that several columns have in their names."""
        words = " ".join(each.text for each in self._tokens[self._place : self._place + length])
        following = self._tokens[self._place + length : self._place + length + 1]
        if following and self._is_mark(following[0]):
            self.coverage += length
            self.unknown.append(f"{words} {following[0].text}")
            return length + 1
        if length == 1 and self._is_said_already(""):
            self.coverage += 1
            return 1
        if (chosen := self._chosen.get(words)) in names:
            return self._take_column(chosen or names[0], length)
        self._doubts.append(Doubt(words, tuple((name, name) for name in names)))
        return self._take_column(names[0], length)

    def _is_mark(self, token: Token) -> bool:
        """A number or a letter that tells one column of several, and here tells none."""
        text = token.words[0].text
        return (number_of(token) is not None and text.isdigit()) or (
            len(text) == 1 and text.isupper()
        )

    def _take_column(self, name: str, length: int) -> int:
        self.coverage += length
        if length == 1 and self._is_said_already(name):
            return 1
        after = self._place + length
        was_last = self._last_column == name
        self._plural_by[name] = self._is_plural_here()
        if taken := self._value_of(name, after):
            return length + taken
        if self._takes_comparison(name):
            return length
        if was_last and not self._is_by:  # 'night shift', 'turno da noite'
            return length
        if self._is_except and self._before() == "#except" and not self._is_by:
            self._add_filter(name, "missing")  # 'sem operador'
            self._is_except = False
            return length
        if self._before() == "#count":
            self._counted.add(name)
        type_ = self._index.column(name).type
        grain: Grain = "day" if type_ in ("date", "datetime") else ""
        (self._dimensions if self._is_by else self._columns).append(Dimension(name, grain))
        self._column_places[name] = self._place + length - 1
        self._last_column = name
        return length

    def _is_said_already(self, name: str) -> bool:
        """'a bomba C tem a pressão mais baixa': a word of the column that was just named."""
        last = self._last_column
        lemma = self._tokens[self._place].lemma
        is_named = any(each.column == last for each in self._columns)
        return (
            last is not None
            and last != name
            and is_named
            and len(self._index.lemmas[last]) > 1
            and lemma in self._index.lemmas[last]
            and not self._is_by
        )

    def _takes_comparison(self, name: str) -> bool:
        """'mais de 20 rejeitadas': the comparison said just before is about this column."""
        if not self._pending or not self._index.is_measure(name) or self._is_by:
            return False
        self._compare(name, self._pending.pop())
        return not self._measures()

    def _measures(self) -> bool:
        return any(cue in ("#mean", "#sum", "#median", "#std") for cue in self._cues)

    def _take_comparison(self, token: Comparison) -> int:
        """About the column just before, else about the next one."""
        self.coverage += 1
        near = [
            name
            for name, place in self._column_places.items()
            if self._index.is_measure(name) and self._place - place <= _REACH
        ]
        ahead = self._index.column_at(self._tokens, self._place + 1)
        if ahead is not None and ahead[0] not in near and self._index.is_measure(ahead[0]):
            near = []  # 'menos de 100 boas'
        if not near and self._counts_rows(self._place + 1):
            self._having = Filter("", token.numbers, token.relation)
            return 1
        if near:
            name = near[-1]
            self._compare(name, token)
            if not self._measures():
                self._columns = [each for each in self._columns if each.column != name]
        else:
            self._pending.append(token)
        follows = self._tokens[self._place + 1 : self._place + 2]
        is_unit = bool(follows) and follows[0].lemma in self._index.units | {"minute"}
        return 1 + (is_unit and bool(near))

    def _counts_rows(self, place: int) -> bool:
        """Whether a comparison is about how many rows: 'mais de 10 defeitos'."""
        follows = self._tokens[place].lemma if place < len(self._tokens) else ""
        has_groups = bool(self._dimensions or self._columns) or any(
            each.lemma in (*_GRAINS, "#which") for each in self._tokens
        )
        return follows in ("defect", "#rows") and has_groups

    def _compare(self, name: str, token: Comparison) -> None:
        relation = token.relation
        opposite: dict[Relation, Relation] = {"is": "is not", "between": "outside"}
        if self._is_except:
            relation = opposite.get(relation, relation)
        self._add_filter(name, relation, *token.numbers)

    def _settle(self, token: Comparison) -> None:
        """A comparison with no column in reach."""
        named = [each.column for each in self._columns if self._index.is_number(each.column)]
        if len(named) == 1:
            self._compare(named[0], token)
            if not self._measures():
                self._columns = [each for each in self._columns if each.column != named[0]]
            return
        self._doubt_number(token.text, [*token.numbers], token)

    def _doubt_number(self, text: str, numbers: Sequence[float], token: Comparison | None) -> None:
        """Numbers that any column of numbers could be meant by, or days."""
        chosen = self._chosen.get(text) or (self._recent if token is not None else None)
        if chosen == DAYS:
            self._take_numbered_days(numbers)
            return
        if chosen is not None and token is not None:
            self._compare(chosen, token)
            return
        if chosen is not None:
            self._add_filter(chosen, "is", *numbers)
            return
        fitting = [name for name in self._index.measures if self._holds(name, numbers, token)]
        options = [(name, name) for name in fitting]
        if (days := self._days_of(numbers, token)) is not None:
            options.append((days, DAYS))
        if len(options) > 1:
            self._doubts.append(Doubt(text, tuple(options)))
        elif fitting and token is not None:
            self._compare(fitting[0], token)
        else:
            self.unknown.append(text)

    def _days_of(self, numbers: Sequence[float], token: Comparison | None) -> str | None:
        """How numbers would be read as days of the data's last month, if they can be."""
        last, column = self._index.last_day, self._index.date_column
        is_range = token is None or token.relation in ("is", "between")
        if last is None or column is None or not is_range:
            return None
        if not all(number == int(number) and 1 <= number <= last.day for number in numbers):
            return None
        return f"{column}: " + "–".join(f"{int(n):02d}/{last.month:02d}" for n in numbers)

    def _take_numbered_days(self, numbers: Sequence[float]) -> None:
        last, column = self._index.last_day, self._index.date_column
        assert last is not None
        assert column is not None
        days = [last.replace(day=int(number)) for number in numbers]
        self.period = Period(column, min(days), max(days))

    def _holds(self, name: str, numbers: Sequence[float], token: Comparison | None) -> bool:
        column = self._index.column(name)
        if not isinstance(column.min, int | float) or not isinstance(column.max, int | float):
            return False
        low, high = min(numbers), max(numbers)
        if token is None and column.type != "integer":
            return False
        return column.min <= high and low <= column.max

    def _value_of(self, name: str, place: int) -> int:
        """What follows a column's name and says which of its values: how many words of it."""
        if place >= len(self._tokens):
            return 0
        token = self._tokens[place]
        if isinstance(token, Comparison):
            if token.relation == "between" and not self._index.is_number(name):
                return self._codes_between(name, token)
            return 0
        found = self._index.values_at(self._tokens, place)
        if found and any(column == name for column, _ in found[0]):
            self._last_column = name
            self._take_value(tuple(each for each in found[0] if each[0] == name))
            self.coverage += found[1]
            return found[1]
        number = number_of(token)
        if number is not None and not self._is_by and self._before() not in _RANKING:
            if self._index.is_number(name) and not self._is_said_of(place):
                return 0
            return self._numbered(name, token, number)
        is_text = self._index.column(name).type in ("text", "category")
        if is_text and not found and not token.is_cue and self._is_literal(token):
            return self._literally(name, token)
        return 0

    def _is_said_of(self, place: int) -> bool:
        """Whether a number stands right after a column's name, and is no other column's."""
        at = self._place_in_all(self._tokens[place])
        words = [word.plain for word in self._all[at - 1].words]
        if not self._all[at - 1].lemma and words[-1] not in ("é", "is", "n", "no", "nº"):
            return False
        if (
            not self._tokens[place].words[0].plain.isdigit()
            and figure(self._tokens[place].words[0].plain) is None
        ):
            return False
        column = self._index.column_at(self._tokens, place + 1)
        return column is None or self._index.is_number(column[0])

    def _codes_between(self, name: str, token: Comparison) -> int:
        first, last = (self._with_number(name, number) for number in token.numbers)
        if first is None or last is None:
            return 0
        low, high = token.numbers
        values = [
            value
            for number in range(int(low), int(high) + 1)
            if (value := self._with_number(name, number)) is not None
        ]
        self._add_filter(name, "is not" if self._is_except else "is", *values)
        return 1

    def _literally(self, name: str, token: Token) -> int:
        """A value as it was typed: known by none, unless the column has more than are listed."""
        column = self._index.column(name)
        if column.distinct <= len(column.top):
            self.unknown.append(token.text)
            return 1
        self._add_filter(name, "is not" if self._is_except else "is", token.text)
        return 1

    def _is_literal(self, token: Token) -> bool:
        word = token.words[0]
        if word.is_quoted:
            return True
        return (
            word.is_name
            and self._index.columns_at([token], 0) is None
            and not self._index.values_with(token)
            and token.lemma not in vocabulary().vague
            and token.lemma != "defect"
            and token.lemma not in _WEEKDAYS
        )

    def _numbered(self, name: str, token: Token, number: float) -> int:
        relation: Relation = "is not" if self._is_except else "is"
        if self._index.is_number(name):
            self._add_filter(name, relation if relation == "is not" else self._relation, number)
            self._relation = "is"
            return 1
        # 'rack 12' is R12, 'linha 3' is L3.
        column = self._index.column(name)
        text = next((str(value) for value, _ in column.top if str(value) == token.text), None)
        value = text or self._with_number(name, number)
        if value is not None:
            self._add_filter(name, relation, value)
            return 1
        if column.type not in ("text", "category"):
            return 0
        return self._literally(name, token)

    def _take_word(self, token: Token) -> int:
        lemma = token.lemma
        if lemma in _GRAINS:
            return self._take_grain(token)
        if lemma in _DAYS and (column := self._index.date_column):
            self._weekdays += _DAYS[lemma]
            self._weekday_column = column
            self.coverage += 1
            return 1
        if lemma in RELATIONS:
            self._relation = RELATIONS[lemma]
        if lemma in ("#part_of", "#percent", "#rate"):
            self._is_share = True
        if lemma == "#part_of":
            self._cues.append("#percent")
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
        number = number_of(token)
        is_first = number == 1 and not token.words[0].text.isdigit()  # 'a primeira medição'
        if is_first:
            self._cues.append("#first")
        if number is not None and number == int(number) and self._takes_number():
            self._number = int(number)
            return 1
        if is_first:
            return 1
        if number is not None and self._goes_on_with(number):
            return 1
        if number is not None and token.words[0].text.isdigit():
            self._doubt_number(token.text, [number], None)
            return 1
        self._take_unknown(token)
        self._is_by = False
        return 1

    def _goes_on_with(self, number: float) -> bool:
        """'gravidade 1 ou 2': another value of the column that has just been compared."""
        values = self._filters.get((self._last_column or "", "is"), [])
        place = self._place_in_all(self._tokens[self._place])
        joined = place > 1 and self._all[place - 1].words[-1].plain in ("e", "ou", "or", "and")
        if not values or not joined or isinstance(values[-1], str | bool):
            return False
        values.append(number)
        return True

    def _takes_number(self) -> bool:
        """Whether a number here says how many are wanted."""
        nearby = {self._before(), *(each.lemma for each in self._tokens[self._place + 1 :])}
        wanted = {
            *_RANKING,
            "#rows",
            "line",
            "#list",
            "#last",
            "#first",
            "#descending",
            "#ascending",
        }
        return bool(nearby & wanted)

    def _take_grain(self, token: Token) -> int:
        index, lemma = self._index, token.lemma
        if named := index.column_by_cue(lemma):
            says_by = self._is_by or token.words[0].plain in ("por", "by", "per")
            self.coverage += 1
            (self._dimensions if says_by else self._columns).append(Dimension(named))
            return 1
        is_timed = lemma != "#grain_hour" or index.has_hours
        if index.date_column is None or not is_timed:
            self._unknown_dimension.append(token.words[-1].text)
            return 1
        self.coverage += 1
        self._counts_time = self._counts_time or self._before() == "#count"
        self._plural_by[index.date_column] = self._is_plural_here()
        self._dimensions.append(Dimension(index.date_column, _GRAINS[lemma]))
        return 1

    def _take_unknown(self, token: Token) -> None:
        if token.lemma in vocabulary().vague | self._index.units | {"defect", "ok", "minute"}:
            return
        if self._is_by:
            self._unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = self._all and token is self._all[0]
        is_named = word.is_quoted or (word.is_name and not is_first) or self._is_after_of()
        is_thing = token.lemma in vocabulary().things - {"passed", "went"}
        is_verb = not is_thing and _VERB.fullmatch(word.plain)
        if not is_named and is_verb:
            self._ignored.append(token.text)
        else:
            self.unknown.append(token.text)

    def _refuse_alternatives(self) -> None:
        """'mais de 100 minutos ou mais de 80 euros': either of two columns is no filter of ours."""
        for place, word in enumerate(self._all):
            if word.words[0].plain not in ("ou", "or"):
                continue
            before = [column for at, column in self._filter_places if at < place]
            after = [column for at, column in self._filter_places if at > place]
            if before and after and before[-1] != after[0]:
                self.unknown.append(word.text)

    def _place_in_all(self, token: Token) -> int:
        return next((place for place, each in enumerate(self._all) if each.words == token.words), 0)

    def _is_after_of(self) -> bool:
        place = self._place_in_all(self._tokens[self._place])
        return place > 0 and self._all[place - 1].words[-1].plain in _OF

    def _before(self) -> str:
        """What the word before this one means; 'é', 'o' and the like do not count."""
        for token in reversed(self._tokens[: self._place]):
            if token.lemma not in ("#noise", "#distinct"):
                return token.lemma
        return ""

    def _is_plural_here(self) -> bool:
        return self._tokens[self._place].words[0].plain.endswith("s")


def _gap(first: Span, second: Span) -> tuple[date, date] | None:
    """The days between two stretches: 'semana 6 e semana 8' is without the seventh."""
    early, late = sorted((first, second), key=lambda span: span[0] or date.min)
    if early[1] is None or late[0] is None:
        return None
    start, end = early[1] + timedelta(days=1), late[0] - timedelta(days=1)
    return (start, end) if start <= end else None


def _shared(first: Span, second: Span) -> Span | None:
    """The days that are in both, if there are any."""
    starts = [each[0] for each in (first, second) if each[0] is not None]
    ends = [each[1] for each in (first, second) if each[1] is not None]
    start, end = max(starts, default=None), min(ends, default=None)
    return None if start is not None and end is not None and start > end else (start, end)


def _grain_of(span: Span) -> Grain:
    first, last = span
    days = (last - first).days if first is not None and last is not None else 0
    return "day" if days < _WEEK - 1 else "week" if days < _MONTH else "month"
