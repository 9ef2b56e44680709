"""Comparisons, numbers and times in a question: put together from words, and linked to columns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import MOST_NAME_WORDS, Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.slots import Cursor, Part, SlotCollector
from qhub_desktop.nlq.query_ast import OPPOSITES, Dimension, Filter, Period, Relation
from qhub_desktop.nlq.rules import step_rule
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import BLANK, parse_number
from qhub_desktop.nlq.word_meanings import (
    AFTERWARDS,
    AND_WORDS,
    GRAIN_CUES,
    ORDERING,
    PER,
    RELATIONS,
    WEEKDAY_NUMBERS,
    number_of,
)

_TO_OR_AND = words_by_role("to") | AND_WORDS
_UNITS = words_by_role("unit")
COMPARED = "#compared"
_HOURS = 24
_MINUTES = 60  # of an hour
_ORDERS = words_by_role("orders")  # plurals, which put nothing in order
_TIME_WORDS = ("minute", "hour", "day")
_DAYS = "@days"  # resolves numbers that are days, not those of a column
_REACH = 3  # tokens, at most, between a column and its comparison


@dataclass(frozen=True, slots=True)
class ComparisonToken(Token):
    """A relation with its numbers: 'maior que 5', 'entre 3 e 7', '20 ou mais'."""

    relation: Relation = "is"
    numbers: tuple[float, ...] = ()


def apply_token_rules(index: SchemaIndex, words: Sequence[Token]) -> list[Token]:
    """Return the tokens that mean something, rewritten for the names of one data set."""
    tokens = [*_by_columns(index, [*_with_comparisons([*_without_units(words)])])]
    tokens = [*_with_amounts(index, tokens)]
    asked = words_by_role("where")
    tokens = [
        replace(token, lemma=token.text) if token.words[0].normalized in asked else token
        for token in tokens
    ]
    tokens = _join_points(index, [token for token in _with_exact(index, tokens) if token.lemma])
    tokens = [
        replace(token, lemma="order") if token.text.lower() in _ORDERS else token
        for token in tokens
    ]
    counted = [False, *(token.lemma == "#count" for token in tokens)]
    tokens = [  # 'quantas caixas', which are no chart
        replace(token, lemma=token.text) if is_counted and _is_chart_word(token) else token
        for token, is_counted in zip(tokens, counted, strict=False)
    ]
    value = "value" if "value" in index.concepts else "#noise"
    tokens = [  # singular, not 'valores', which are the different ones
        replace(token, lemma=value) if token.text.lower() in ("valor", "value") else token
        for token in tokens
    ]
    return [
        token if index.values_at(tokens, place) else _similar_concept(index, token)
        for place, token in enumerate(tokens)
    ]


def _by_columns(index: SchemaIndex, tokens: Sequence[Token]) -> Iterator[Token]:
    """Take for a column what stands after 'by' and is called as one, though it is part of a cue.

    'By name' orders by letters, and of a table with a name it groups by that.
    """
    is_by = False
    for token in tokens:
        is_phrase = token.lemma in ORDERING and token.words[0].normalized in PER
        named = token.words[is_phrase:]
        lemmas = current_lexicon().lemmas(" ".join(word.text for word in named))
        name = index.columns.get(lemmas) if len(lemmas) == 1 and lemmas[0].isalpha() else None
        is_column = name is not None and not index.is_number(name)
        if is_column and is_phrase and named:
            yield from (Token(token.words[:1], "#by"), Token(named, lemmas[0]))
        elif is_column and is_by and token.lemma == "#noise":
            yield replace(token, lemma=lemmas[0])
        else:
            yield token
        is_by = token.lemma == "#by" or (is_by and not token.lemma)


def _with_amounts(index: SchemaIndex, tokens: Sequence[Token]) -> Iterator[Token]:
    """Take for a column the amount that a cue of counting begins with, of rows with some value.

    'Quantidade total de tampas' is how many rows there are only where no column has a quantity.
    """
    for place, token in enumerate(tokens):
        first, *rest = token.words
        lemmas = current_lexicon().lemmas(first.text)
        name = index.columns.get(lemmas) if token.lemma == "#count" else None
        said = [at for at in range(place + 1, len(tokens)) if tokens[at].lemma][:1]
        is_amount = name is not None and index.is_measure(name)
        if not is_amount or not any(index.values_at(tokens, at) for at in said):
            yield token
            continue
        yield Token((first,), lemmas[0])
        for word in rest:
            yield from current_lexicon().tokens((word,), "")


def _is_chart_word(token: Token) -> bool:
    return token.lemma.startswith("#kind_") and len(token.words) == 1


def _with_exact(index: SchemaIndex, tokens: Sequence[Token]) -> Iterator[Token]:
    """Join words that are a value letter for letter, though each means little: 'Em uso'."""
    place = 0
    while place < len(tokens):
        for length in range(min(MOST_NAME_WORDS, len(tokens) - place), 0, -1):
            words = tuple(word for each in tokens[place : place + length] for word in each.words)
            if (lemma := index.exact.get(tuple(word.normalized for word in words))) is not None:
                yield Token(words, lemma)
                place += length
                break
        else:
            yield tokens[place]
            place += 1


def _join_points(index: SchemaIndex, tokens: Sequence[Token]) -> list[Token]:
    """Join 'ponto 4' to P4, as columns are called."""
    joined: list[Token] = []
    for token in tokens:
        mark = f"p{token.words[0].normalized}"
        if joined and joined[-1].lemma == "point" and mark in index.known:
            joined[-1] = Token((*joined[-1].words, *token.words), mark)
        else:
            joined.append(token)
    return joined


def _without_units(words: Sequence[Token]) -> Iterator[Token]:
    """Drop units after a number: in '20 min', 'min' is no minimum."""
    for before, token in pairwise((None, *words)):
        assert token is not None
        is_unit = token.words[0].normalized in _UNITS
        if not (
            is_unit and before is not None and parse_number(before.words[0].normalized) is not None
        ):
            yield token


def _with_comparisons(words: Sequence[Token]) -> Iterator[Token]:
    place = 0
    while place < len(words):
        found = _comparison(words, place)
        if found is None:
            yield words[place]
            place += 1
            continue
        made, length = found
        yield made
        place += length


def _comparison(words: Sequence[Token], place: int) -> tuple[ComparisonToken, int] | None:
    token = words[place]
    if token.lemma == "#between":
        return _range(words, place, place + 1)
    if (relation := RELATIONS.get(token.lemma)) is not None:
        # Function words may stand between: 'maior ou igual a 5', 'acima dos 5'.
        at = place + 1
        while at < len(words) and not words[at].lemma:
            at += 1
        if at < len(words) and (number := number_of(words[at])) is not None:
            made = words[place : at + 1]
            return _comparison_of(made, relation, number), len(made)
        return None
    first = parse_number(token.words[0].normalized)
    if first is None:
        return None
    for at in (place + 1, place + 2):
        if at < len(words) and (relation := AFTERWARDS.get(words[at].lemma)) is not None:
            if at == place + 1 or not words[place + 1].lemma:
                return _comparison_of(words[place : at + 1], relation, first), at + 1 - place
            return None
    return _bare_range(words, place)


def _range(words: Sequence[Token], place: int, at: int) -> tuple[ComparisonToken, int] | None:
    """Read the two numbers after 'entre'."""
    numbers: list[float] = []
    end = at
    while end < len(words) and len(numbers) < 2:
        number = parse_number(words[end].words[0].normalized)
        if number is not None:
            numbers.append(number)
        elif words[end].lemma not in ("", "#again"):
            return None
        end += 1
    if len(numbers) < 2:
        return None
    made = words[place:end]
    return _comparison_of(made, "between", *sorted(numbers)), len(made)


def _bare_range(words: Sequence[Token], place: int) -> tuple[ComparisonToken, int] | None:
    """Read '2 a 4' or '2 to 4', of which the column tells what they are."""
    if place + 2 >= len(words) or words[place + 1].words[-1].normalized not in _TO_OR_AND:
        return None
    if words[place + 1].lemma == "#again" and words[place + 1].words[0].normalized in AND_WORDS:
        return None  # two values: 'as posições 2 e 4'
    first, second = (parse_number(words[at].words[0].normalized) for at in (place, place + 2))
    if first is None or second is None or first >= second:
        return None
    return _comparison_of(words[place : place + 3], "between", first, second), 3


def _comparison_of(words: Sequence[Token], relation: Relation, *numbers: float) -> ComparisonToken:
    return ComparisonToken(
        tuple(word for each in words for word in each.words), COMPARED, relation, numbers
    )


def _similar_concept(index: SchemaIndex, token: Token) -> Token:
    """Replace a concept that the data lacks by a similar one that it has."""
    if token.is_cue or (token.lemma in index.known and not _is_of_several(index, token)):
        return token
    for lemma in current_lexicon().similar.get(token.lemma, ()):
        if lemma in index.known:
            return replace(token, lemma=lemma)
    return token


def _is_of_several(index: SchemaIndex, token: Token) -> bool:
    """Return whether a word is part of several values and a whole one of none: 'robô'."""
    is_named = token.lemma in index.parts or (token.lemma,) in index.values
    return not is_named and len(index.value_parts.get(token.lemma, ())) > 1


class ComparisonReader:
    """Linking of each comparison to a column: the one just before, else the next one.

    `recent` is the column of numbers that was last compared in the conversation.
    """

    def __init__(self, cursor: Cursor, slots: SlotCollector, recent: str | None) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots
        self._recent = recent
        self._waiting: list[ComparisonToken] = []

    def take(self, token: ComparisonToken) -> int:
        """Consume the comparison here; return how many tokens that took."""
        self._slots.coverage += 1
        at = self._cursor.at
        token = self._negated(token)
        nearby = [
            name
            for name, place in self._slots.column_places.items()
            if self._index.is_measure(name) and at - place <= _REACH
        ]
        ahead = self._index.column_at(self._cursor.tokens, at + 1)
        if ahead is not None and ahead[0] not in nearby and self._index.is_measure(ahead[0]):
            nearby = []  # 'menos de 100 boas'
        if (duration := self._in_hours(at + 1)) is not None:
            numbers = tuple(_MINUTES * number for number in token.numbers)
            self._compare_named(duration, replace(token, numbers=numbers))
            return 2
        if not nearby and self._counts_rows(at + 1):
            self._slots.having = Filter("", token.numbers, token.relation)
            return 1
        if not nearby:
            self._waiting.append(token)
            return 1
        self._compare_named(nearby[-1], token)
        is_unit = self._cursor.meaning(at + 1) in self._index.units | {"minute"}
        return 2 if is_unit else 1

    @step_rule
    def _in_hours(self, at: int) -> str | None:
        """Return the one column of minutes, where a comparison is in hours: 'mais de 1 hora'."""
        if self._cursor.meaning(at) != "#grain_hour":
            return None
        minutes = self._index.measures_in_unit("minute")
        return minutes[0] if len(minutes) == 1 else None

    def _negated(self, token: ComparisonToken) -> ComparisonToken:
        """Return the opposite of a comparison that follows 'exceto', or the column after that."""
        cursor = self._cursor
        if not cursor.is_except or cursor.excepted:
            return token
        cursor.excepted = COMPARED
        cursor.idle_exceptions.clear()
        return replace(token, relation=OPPOSITES[token.relation])

    def is_next(self, name: str, at: int) -> bool:
        """Return whether a comparison of a column follows its name, at a position."""
        while self._cursor.meaning(at) == "#noise":
            at += 1
        return self._index.is_measure(name) and self._cursor.meaning(at) == COMPARED

    @step_rule
    def take_waiting(self, name: str) -> bool:
        """Link a waiting comparison to the column named after it: 'mais de 20 rejeitadas'.

        Returns whether that is all that is said of the column.
        """
        if not self._waiting or not self._index.is_measure(name) or self._cursor.is_by:
            return False
        self._compare(name, self._waiting.pop())
        return not self._slots.has_measure

    def link_remaining(self) -> None:
        """Link the comparisons that are still without a column once all words are read."""
        for token in self._waiting:
            columns = [each.column for each in self._slots.columns]
            named = [name for name in columns if self._index.is_number(name)]
            if len(named) == 1:
                self._compare_named(named[0], token)
            else:
                self.link_number(token.text, token.numbers, token)

    @step_rule
    def link_number(
        self, text: str, numbers: Sequence[float], token: ComparisonToken | None = None
    ) -> None:
        """Link numbers to the only column that holds such, else record an ambiguity."""
        chosen = self._slots.chosen.get(text) or (self._recent if token is not None else None)
        if chosen == _DAYS:
            self._take_days(numbers)
            return
        if chosen is not None and token is not None:
            self._compare(chosen, token)
            return
        if chosen is not None:
            self._slots.add_filter(chosen, "is", *numbers)
            return
        codes = [
            name
            for name, role in self._index.roles.items()
            if role == "code" and token is None and self._has_in_range(name, numbers, token)
        ]
        fitting = codes or [
            name for name in self._index.measures if self._has_in_range(name, numbers, token)
        ]
        options = [(name, name) for name in fitting]
        if (days := self._days_of(numbers, token)) is not None:
            options.append((days, _DAYS))
        if codes and len(codes) == 1:
            self._slots.add_filter(codes[0], "is", *numbers)
        elif len(options) > 1:
            self._slots.add_ambiguity(text, tuple(options))
        elif fitting and token is not None:
            self._compare(fitting[0], token)
        else:
            self._slots.unknown.append(text)

    @step_rule
    def _counts_rows(self, at: int) -> bool:
        """Return whether a comparison is about the count of rows: 'mais de 10 defeitos'."""
        has_groups = bool(self._slots.dimensions or self._slots.columns) or any(
            each.lemma in (*GRAIN_CUES, "#which") for each in self._cursor.tokens
        )
        if not has_groups or at >= len(self._cursor.tokens):
            return False
        token = self._cursor.tokens[at]
        if token.lemma in ("defect", "#rows"):
            return True
        named = self._index.columns_at(self._cursor.tokens, at)
        if named is not None:
            return any(self._index.is_identity(name) for name in named[0])
        if self._index.names_rows(token):
            return True
        meant = self._index.columns_meant(self._cursor.tokens, at)
        is_unit = bool(self._index.measures_in(token)) or token.lemma in _TIME_WORDS
        return meant is None and not token.is_cue and not is_unit and token.lemma.isalpha()

    def _compare_named(self, name: str, token: ComparisonToken) -> None:
        """Compare a named column, which is then not measured as well."""
        self._compare(name, token)
        if not self._slots.has_measure:
            self._slots.drop_column(name)

    def _compare(self, name: str, token: ComparisonToken) -> None:
        self._slots.add_filter(name, token.relation, *token.numbers)

    def _days_of(self, numbers: Sequence[float], token: ComparisonToken | None) -> str | None:
        """Return numbers as days of the data's last month, if they can be."""
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
        self._slots.period = Period(column, min(days), max(days))

    def _has_in_range(
        self, name: str, numbers: Sequence[float], token: ComparisonToken | None
    ) -> bool:
        column = self._index.column(name)
        if not isinstance(column.min, int | float) or not isinstance(column.max, int | float):
            return False
        if token is None and column.type != "integer":
            return False
        return column.min <= max(numbers) and min(numbers) <= column.max


class TimeReader:
    """Reader of time grains and days of the week, for the data's date column."""

    def __init__(self, cursor: Cursor, slots: SlotCollector) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots

    def take(self, token: Token) -> int:
        """Consume the token here; return how many tokens that took, 0 if it is none of these."""
        if token.lemma in GRAIN_CUES:
            return self._take_grain(token)
        column = self._index.date_column
        if token.lemma not in WEEKDAY_NUMBERS or column is None:
            return 0
        self._slots.add_weekdays(column, WEEKDAY_NUMBERS[token.lemma])
        self._slots.coverage += 1
        return 1

    @step_rule
    def _is_of_all(self, token: Token) -> bool:
        """Return whether the one month or year that the data has is named: 'no ano', 'do mês'."""
        first, last = self._index.first_day, self._index.last_day
        behind = self._cursor.words_said[self._cursor.position_of(token) + 1 :]
        said = next((each for each in behind if each.lemma or BLANK in each.text), None)
        if said is not None and BLANK in said.text and not self._cursor.is_by:
            return self._cursor.is_after_of  # 'da semana de 06/07 a 10/07'
        if first is None or last is None or self._cursor.is_by or not self._cursor.is_after_of:
            return False
        if self._cursor.before in ("#which", "#count") or self._cursor.is_plural:
            return False
        is_year = token.lemma == "#grain_year" and first.year == last.year
        is_month = token.lemma == "#grain_month" and first.replace(day=1) == last.replace(day=1)
        return is_year or is_month

    @step_rule
    def _counts_hours(self, token: Token) -> bool:
        """Return whether a row is an hour: 'quantas horas', where each has its time of day."""
        times = [each for each in self._index.profile.columns if each.type == "time"]
        is_hourly = len(times) == 1 and times[0].distinct <= _HOURS
        before = self._cursor.before in ("#count", "#percent", "#part_of")
        return token.lemma == "#grain_hour" and is_hourly and before

    @step_rule
    def _take_grain(self, token: Token) -> int:
        """Read a unit of time, by which rows are grouped: 'por mês'."""
        index, slots = self._index, self._slots
        if named := index.column_by_cue(token.lemma):
            says_by = self._cursor.is_by or token.words[0].normalized in words_by_role("by")
            slots.coverage += 1
            (slots.dimensions if says_by else slots.columns).append(Dimension(named))
            return 1
        column = index.date_column
        if self._cursor.before == "#only":
            slots.unheeded.append(token.text)  # 'só dias com produção'
        if self._is_of_all(token):
            slots.coverage += 1
            return 1
        if token.lemma == "#grain_hour":
            column = index.hour_column
            # 'quantas horas' may mean hours of several days, which times alone do not tell.
            if self._cursor.is_plural and column != index.date_column:
                column = None
        if column is None and token.lemma == "#grain_hour" and index.measures_in(token):
            slots.units.append(token)
            return 1
        if column is None and self._counts_hours(token):
            slots.add_noun(token)
            slots.has_subject = slots.is_subject_plural = True
            return 1
        if column is None:
            slots.unknown_dimension.append(token.words[-1].text)
            return 1
        slots.coverage += 1
        slots.counts_time = slots.counts_time or self._cursor.before == "#count"
        slots.plural_by[column] = self._cursor.is_plural
        if slots.columns[-1:] == [Dimension(column, "day")]:
            del slots.columns[-1]  # 'abertas por mês': by months of that day
        slots.dimensions.append(Dimension(column, GRAIN_CUES[token.lemma]))
        slots.parts.append(Part("dimension", column))
        return 1
