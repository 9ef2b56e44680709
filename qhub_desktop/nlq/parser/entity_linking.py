"""Linking of words to the values and columns of a data set."""

import re
from collections.abc import Sequence
from itertools import chain

from qhub_desktop.core.text import word_table
from qhub_desktop.nlq.column_roles import by_statistic, has_no
from qhub_desktop.nlq.lexicon import MOST_SHARED, Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.comparisons import COMPARED, ComparisonReader, ComparisonToken
from qhub_desktop.nlq.parser.slots import Cursor, Part, SlotCollector
from qhub_desktop.nlq.query_ast import OPPOSITES, Dimension, Value
from qhub_desktop.nlq.rules import step_rule
from qhub_desktop.nlq.tokenizer import parse_number
from qhub_desktop.nlq.word_meanings import RANKED, RANKING, TO_WORDS, WEEKDAYS, number_of

_CODE = re.compile(r"(\D*)(\d+)")
_DIGITS = re.compile(r"\d+")
_YES_NO: dict[str, bool] = word_table("yes_no_words")
_IS = words_by_role("is")

Choice = tuple[str, Value]  # column, value


class ValueLinker:
    """Linking of values that are named, to filters."""

    def __init__(self, cursor: Cursor, slots: SlotCollector) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots

    def take(self, choices: tuple[Choice, ...]) -> None:
        """Link the value here to a filter; of several columns that have it, to one."""
        column, value = self._chosen(choices)
        self._cursor.end_exception_before(column)
        between = self._values_between(column, value) if isinstance(value, str) else []
        self._slots.add_filter(column, self._cursor.is_or_not, *between, value)

    @step_rule
    def take_by_part(self, choices: tuple[tuple[str, str], ...]) -> int:
        """Link a value by a word of its name, which several values may have."""
        self._slots.coverage += 1
        return self._link_one_of(self._cursor.here.text, choices)

    def _link_one_of(self, word: str, choices: Sequence[tuple[str, str]]) -> int:
        """Filter by one of the values that a word may name; which of several is asked."""
        if len(choices) > 1:
            chosen = self._slots.chosen.get(word)
            if chosen is None:
                self._slots.add_ambiguity(word, tuple((value, value) for _, value in choices))
            choices = [each for each in choices if each[1] == chosen] or choices[:1]
        column, value = choices[0]
        self._slots.add_filter(column, self._cursor.is_or_not, value)
        return 1

    @step_rule
    def take_before_column(self, token: Token) -> int:
        """Link a number said before its column to a value: '2º turno', 'primeiro turno'."""
        number = number_of(token)
        if number is None or self._cursor.at + 1 >= len(self._cursor.tokens):
            return 0
        found = self._index.column_at(self._cursor.tokens, self._cursor.at + 1)
        if found is None or self._index.is_number(found[0]) or self._cursor.before in RANKING:
            return 0
        if self._index.is_identity(found[0]):
            return 0  # 'as três NC mais caras'
        name, length = found
        value = self._with_number(name, number)
        if value is None:
            return 0
        self._slots.add_filter(name, self._cursor.is_or_not, value)
        self._slots.coverage += 1 + length
        return 1 + length

    @step_rule
    def take_after_column(self, name: str, at: int) -> int:
        """Link a value said after its column; return how many tokens that took."""
        if at >= len(self._cursor.tokens):
            return 0
        token = self._cursor.tokens[at]
        if isinstance(token, ComparisonToken):
            if token.relation == "between" and not self._index.is_number(name):
                return self._link_range(name, token)
            return 0
        found = self._index.values_at(self._cursor.tokens, at)
        if found and any(column == name for column, _ in found[0]):
            self._cursor.last_column = name
            self.take(tuple(each for each in found[0] if each[0] == name))
            self._slots.coverage += found[1]
            return found[1]
        number = number_of(token)
        if number is not None and self._index.is_number(name) and self._index.is_year(number):
            return 0
        if number is not None and not self._cursor.is_by and self._cursor.before not in RANKING:
            if self._index.is_number(name) and not self._follows_column(at):
                return 0
            return self._link_number(name, token, number)
        is_text = self._index.column(name).type in ("text", "category")
        if is_text and not found and not token.is_cue and self._is_literal(token):
            return self._link_literal(name, token)
        return 0

    def _chosen(self, choices: tuple[Choice, ...]) -> Choice:
        """Return the value of the last column, else of the remembered, else of a named one."""
        word = self._cursor.here.text
        named = [
            found[0]
            for at in range(len(self._cursor.tokens))
            if (found := self._index.column_at(self._cursor.tokens, at)) is not None
        ]
        for column in (self._cursor.last_column, self._slots.chosen.get(word), *named):
            for choice in choices:
                if choice[0] == column:
                    return choice
        if len({column for column, _ in choices}) > 1 and not self._are_synonymous(choices):
            options = tuple((f"{column}: {value}", column) for column, value in choices)
            self._slots.add_ambiguity(word, options)
        return choices[0]

    def _are_synonymous(self, choices: tuple[Choice, ...]) -> bool:
        """Return whether the values have equal counts: two columns with one meaning."""
        counts = {dict(self._index.column(column).top).get(value) for column, value in choices}
        return len(counts) == 1 and None not in counts

    @step_rule
    def _values_between(self, column: str, value: str) -> list[str]:
        """Return the values from the last one to this: 'R10 a R12' names R11, too."""
        earlier = self._slots.filters.get((column, "is"), [])
        if not earlier or self._cursor.joined_by(self._cursor.here) not in TO_WORDS:
            return []
        first, last = _CODE.fullmatch(str(earlier[-1])), _CODE.fullmatch(value)
        if first is None or last is None or first[1] != last[1]:
            return []
        return sorted(
            str(each)
            for each in self._index.column(column).known
            if (code := _CODE.fullmatch(str(each)))
            and code[1] == first[1]
            and int(first[2]) < int(code[2]) < int(last[2])
        )

    def _with_number(self, name: str, number: float) -> str | None:
        """Return the only value of a column that has this number in it."""
        found = self._by_number(name).get(f"{number:g}", [])
        return found[0] if len(found) == 1 else None

    def _by_number(self, name: str) -> dict[str, list[str]]:
        """Return the values of a column by the first number in each."""
        found: dict[str, list[str]] = {}
        for value in map(str, self._index.column(name).known):
            if digits := _DIGITS.search(value):
                found.setdefault(digits[0].lstrip("0"), []).append(value)
        return found

    @step_rule
    def _link_range(self, name: str, token: ComparisonToken) -> int:
        """Filter by the values of a column from one number to another: 'turnos 1 a 2'."""
        low, high = token.numbers
        known = self._by_number(name).items()
        between = [(int(number), each) for number, each in known if number and len(each) == 1]
        values = [each[0] for number, each in sorted(between) if low <= number <= high]
        self._slots.add_filter(name, self._cursor.is_or_not, *values)
        return 1

    def _follows_column(self, at: int) -> bool:
        """Return whether a number stands right after a column's name, and is no other column's."""
        token = self._cursor.tokens[at]
        before = self._cursor.preceding(token)
        if before is not None and not before.lemma and before.words[-1].normalized not in _IS:
            return False
        text = token.words[0].normalized
        if not text.isdigit() and parse_number(text) is None:
            return False
        column = self._index.column_at(self._cursor.tokens, at + 1)
        return column is None or self._index.is_number(column[0])

    def _link_number(self, name: str, token: Token, number: float) -> int:
        if self._index.is_number(name):
            relation = self._cursor.relation
            if self._cursor.is_or_not == "is not":
                relation = OPPOSITES[relation]
            self._slots.add_filter(name, relation, number)
            self._cursor.relation = "is"
            return 1
        # 'rack 12' is R12, 'linha 3' is L3.
        column = self._index.column(name)
        text = token.text if token.text in map(str, column.known) else None
        numbered = self._by_number(name).get(f"{number:g}", [])
        if text is not None or 0 < len(numbered) <= MOST_SHARED:
            named = numbered if text is None else [text]
            return self._link_one_of(token.text, [(name, value) for value in named])
        if column.type not in ("text", "category"):
            return 0
        return self._link_literal(name, token)

    @step_rule
    def _link_literal(self, name: str, token: Token) -> int:
        """Filter by a word as typed; unknown if the profile has all of the column's values."""
        column = self._index.column(name)
        if column.distinct <= len(column.known):
            self._slots.unknown.append(token.text)
            return 1
        self._slots.add_filter(name, self._cursor.is_or_not, token.text)
        return 1

    def _is_literal(self, token: Token) -> bool:
        word = token.words[0]
        if word.is_quoted:
            return True
        return (
            word.is_name
            and self._index.columns_at([token], 0) is None
            and not self._index.values_with(token)
            and token.lemma not in current_lexicon().vague
            and token.lemma != "defect"
            and token.lemma not in WEEKDAYS
        )


class ColumnLinker:
    """Linking of columns that are named, with the value or comparison said of them."""

    def __init__(
        self,
        cursor: Cursor,
        slots: SlotCollector,
        values: ValueLinker,
        comparisons: ComparisonReader,
    ) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots
        self._values = values
        self._comparisons = comparisons

    def take(self, names: tuple[str, ...], length: int) -> int:
        """Link the column here, or one of several; return how many tokens that took."""
        at = self._cursor.at
        words = [[word.normalized for word in each.words] for each in self._cursor.tokens]
        own, said = chain(*words[at : at + length]), chain(*words)
        names = by_statistic(names, self._index.lemmas, [*own], said)
        if len(names) == 1:
            return self._take_column(names[0], length)
        return self._take_one_of(names, length)

    @step_rule
    def take_defect(self, names: tuple[str, ...], length: int) -> int:
        """Read 'defeitos' as what is counted, unless a column of numbers has that name."""
        index, slots = self._index, self._slots
        if len(names) == 1 and index.is_number(names[0]):
            return self._take_column(names[0], length)
        slots.has_subject = True
        slots.is_subject_plural = self._cursor.is_plural
        if index.type_column is not None:
            slots.coverage += 2  # outweighs other data sets, whose rows are no defects
            slots.plural_by[index.type_column] = slots.is_subject_plural
        elif not names and not index.names_rows(self._cursor.here):
            slots.unknown.append(self._cursor.here.text)
        return 1

    @step_rule
    def _take_one_of(self, names: tuple[str, ...], length: int) -> int:
        """Link a word that is part of several columns' names."""
        at = self._cursor.at
        words = " ".join(each.text for each in self._cursor.tokens[at : at + length])
        following = self._cursor.tokens[at + length : at + length + 1]
        if following and _is_mark(following[0]):
            self._slots.coverage += length
            self._slots.unknown.append(f"{words} {following[0].text}")
            return length + 1
        if length == 1 and self._cursor.last_column in names:
            self._slots.coverage += 1
            return 1
        if (chosen := self._slots.chosen.get(words)) in names:
            return self._take_column(chosen or names[0], length)
        if (whole := self._whole_of(names)) is not None:
            return self._take_column(whole, length)
        self._slots.add_ambiguity(words, tuple((name, name) for name in names))
        return self._take_column(names[0], length)

    @step_rule
    def _whole_of(self, names: tuple[str, ...]) -> str | None:
        """Return the one of several columns that is their total: 'Cost Total' of three costs."""
        if not all(self._index.is_number(name) for name in names):
            return None
        totals = [name for name in names if "#total" in self._index.lemmas[name]]
        return totals[0] if len(totals) == 1 else None

    @step_rule
    def take_implied(self) -> bool:
        """Link what an adjective or a unit measures, unless a column is named: 'a mais cara'."""
        slots, concept = self._slots, self._slots.implied
        moments = [each for each in slots.columns if self._index.is_moment(each.column)]
        if concept == "time" and len(moments) > 1:
            return False  # the time between the two
        measured = {each.column for each in slots.columns if self._index.is_measure(each.column)}
        if measured:
            if concept == "time" and measured.isdisjoint(self._times()):
                slots.unheeded.append(concept)  # 'the longest', of a column of pieces
            return False
        total = self._index.column_by_cue("#total")
        is_wide = self._index.wide is not None  # whose total is also the sum of its cells
        is_meant = not is_wide or self._names_total()
        if "#total" in slots.cues and total and self._index.is_measure(total) and is_meant:
            slots.columns.append(Dimension(total))
            slots.parts.append(Part("column", total))
            return True
        names: tuple[str, ...] = ()
        if concept == "date":
            names = tuple(filter(None, [self._index.date_column]))
        elif concept:
            names = self._index.measures_of(concept)
        elif slots.units:
            names = self._index.measures_in(slots.units[0])
        else:
            return False
        if len(names) > 1 and (whole := self._whole_of(names)) is not None:
            names = (whole,)
        if not names:
            slots.unknown.append(concept)
            return False
        if len(names) > 1 and (chosen := slots.chosen.get(concept)) is not None:
            names = (chosen,)
        elif len(names) > 1:
            slots.add_ambiguity(concept, tuple((name, name) for name in names))
        slots.columns.append(Dimension(names[0]))
        slots.parts.append(Part("column", names[0]))
        return True

    def _times(self) -> set[str]:
        """Return the columns that measure time."""
        units = (self._index.measures_in_unit(each) for each in ("minute", "#grain_hour"))
        return {*self._index.measures_of("time"), *(name for found in units for name in found)}

    def _names_total(self) -> bool:
        """Return whether 'Total' is written as a name, and not at the beginning."""
        said = self._cursor.words_said
        return any(each.lemma == "#total" and each.words[0].is_name for each in said[1:])

    @step_rule
    def take_signs(self) -> bool:
        """Compare the one number that is named with zero: 'com custo zero', 'valor negativo'."""
        slots = self._slots
        numbers = [each for each in slots.columns if self._index.is_measure(each.column)]
        if not slots.signs or len(numbers) != 1:
            slots.unheeded.extend(sign.removeprefix("#") for sign in slots.signs)
            return False
        slots.add_filter(numbers[0].column, "is" if slots.signs[0] == "#zero" else "below", 0.0)
        slots.drop_column(numbers[0].column)
        return True

    @step_rule
    def _take_flag(self, name: str, length: int) -> int:
        """Link a column of yes and no: its name alone means yes, and no after 'não' or 'sem'."""
        cursor, slots = self._cursor, self._slots
        at, value = cursor.at + length, cursor.is_or_not == "is"
        is_equal = False
        while cursor.meaning(at) in ("#equal", "#noise"):
            is_equal = is_equal or cursor.meaning(at) == "#equal"
            at += 1
        said = cursor.tokens[at].words[0].normalized if at < len(cursor.tokens) else ""
        if said in _YES_NO and (is_equal or said not in words_by_role("of")):
            value, length = _YES_NO[said], at + 1 - cursor.at
        is_boolean = self._index.column(name).type == "boolean"
        slots.add_filter(name, "is", value if is_boolean else float(value))
        cursor.is_except = False
        return length

    def _take_column(self, name: str, length: int) -> int:
        cursor, slots = self._cursor, self._slots
        slots.coverage += length
        cursor.end_exception_before(name)
        asks = cursor.is_by or cursor.before in ("#which", "#missing", "#columns", *RANKING)
        if self._index.is_flag(name) and not asks and not slots.has_measure_of(name):
            return self._take_flag(name, length)
        was_last = cursor.last_column == name
        slots.plural_by[name] = cursor.is_plural
        if taken := self._values.take_after_column(name, cursor.at + length):
            return length + taken
        if self._comparisons.take_waiting(name):
            return length
        if was_last and not cursor.is_by:  # 'night shift', 'turno da noite'
            return length
        is_compared = self._comparisons.is_next(name, cursor.at + length)
        is_without = cursor.is_except and cursor.before == "#except" and not is_compared
        if is_without and self._index.is_moment(name) and cursor.is_after_of:
            slots.unheeded.append(cursor.here.text)  # 'fora de validade' is none without a date
        if is_without and not cursor.is_by:
            cursor.idle_exceptions.clear()
            slots.add_filter(name, "missing")  # 'sem operador'
            if has_no(self._index.column(name)):
                slots.unheeded.append(cursor.here.text)  # 'não têm o NDA assinado'
            cursor.is_except = False
            return length
        if self._index.is_identity(name) and not cursor.is_by and self._is_subject():
            slots.add_noun(cursor.here)
            slots.has_subject = True
            slots.is_subject_plural = cursor.is_plural
            return length
        if self._index.is_identity(name) and cursor.is_by and slots.has_measure_said:
            slots.add_cue("#per_row")
            return length
        if cursor.before == "#count":
            slots.counted.add(name)
        is_day = self._index.column(name).type in ("date", "datetime")
        slots.add_dimension(Dimension(name, "day" if is_day else ""))
        slots.column_places[name] = cursor.at + length - 1
        cursor.last_column = name
        return length

    def _is_subject(self) -> bool:
        """Return whether what stands here is counted, listed or ranked: 'quantas Meldungen'."""
        before = self._cursor.before
        if before in ("#count", "#list", "#percent", "#part_of", "#everything", COMPARED):
            return True
        if before in RANKED:
            return not self._cursor.is_plural or before != "#top"
        return not before and not self._slots.columns


def _is_mark(token: Token) -> bool:
    """Return whether a number or a letter would tell one column of several."""
    text = token.words[0].text
    return (number_of(token) is not None and text.isdigit()) or (len(text) == 1 and text.isupper())
