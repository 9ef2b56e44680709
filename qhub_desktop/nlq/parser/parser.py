"""The parser of a question over one data set: dates first, then entities and cues in order."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.comparisons import (
    RELATIONS,
    Comparison,
    ComparisonReader,
    TimeReader,
    apply_token_rules,
    number_of,
)
from qhub_desktop.nlq.parser.entity_linking import ColumnLinker, ValueLinker
from qhub_desktop.nlq.parser.slots import RANKING, Cursor, QuestionFrame, SlotCollector
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.temporal import Calendar, find_days, find_hours, says_relatively
from qhub_desktop.nlq.tokenizer import tokenize

_VERB = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('verb_ending'))})")
_COUNTABLE = frozenset(
    (*RANKING, "#rows", "line", "#list", "#last", "#first", "#descending", "#ascending")
)
_JOINED = words_by_role("or") | words_by_role("and")
_PARTS = words_by_role("part")
_BY = ("#by", "#again", "#count")
_ASKING = ("#which", "#top", "#most", "#least", "#distinct", "#by", "#table")


def parse(
    question: str,
    index: SchemaIndex,
    *,
    language: Language,
    today: date,
    chosen: dict[str, str] | None = None,
    recent: str | None = None,
) -> QuestionFrame:
    """Parse a question over one data set; `chosen` maps ambiguous words to their resolutions.

    `recent` is the column of numbers that was last compared: 'e abaixo de 22?' is about it.

    Results are cached, since a conversation is interpreted anew with each round.
    """
    return _parse(question, index, language, today, tuple((chosen or {}).items()), recent)


@lru_cache(maxsize=512)
def _parse(
    question: str,
    index: SchemaIndex,
    language: Language,
    today: date,
    chosen: tuple[tuple[str, str], ...],
    recent: str | None,
) -> QuestionFrame:
    calendar = Calendar(today=today, last=index.last_day or today)
    rest, hours = find_hours(question)
    if hours is not None and hours.relation == "is" and index.hour_column is None:
        rest, hours = question, None  # it may be a name
    timed, (rest, span) = rest, find_days(rest, calendar)
    said = _blanked(timed, rest) if calendar.is_old and says_relatively(timed, rest) else ""
    rest, second = find_days(rest, calendar)
    words = current_lexicon().tokens(tokenize(rest), language, known=index.known)
    slots = Parser(index, words, dict(chosen), recent).read()
    if hours is not None and not slots.take_hours(hours):
        slots.unknown.append(_blanked(question, timed))
    if span is not None and index.date_column is not None:
        slots.take_days(index.date_column, span, second, said=said)
    elif span is not None:
        slots.unknown.append(_blanked(question, rest))
    return slots.frame()


def _blanked(question: str, rest: str) -> str:
    return "".join(a for a, b in zip(question, rest, strict=True) if a != b or a == " ").strip()


class Parser:
    """One pass over the tokens of a question, over one data set.

    `chosen` maps ambiguous words to their resolutions.
    `recent` is the column of numbers that was last compared.
    """

    def __init__(
        self,
        index: SchemaIndex,
        words: Sequence[Token],
        chosen: Mapping[str, str],
        recent: str | None = None,
    ) -> None:
        self._index = index
        self._cursor = Cursor(words, apply_token_rules(index, words))
        self._slots = SlotCollector(index, self._cursor, chosen)
        self._values = ValueLinker(self._cursor, self._slots)
        self._comparisons = ComparisonReader(self._cursor, self._slots, recent)
        self._columns = ColumnLinker(self._cursor, self._slots, self._values, self._comparisons)
        times = TimeReader(self._cursor, self._slots)
        self._cues = CueReader(self._cursor, self._slots, times, self._comparisons)

    def read(self) -> SlotCollector:
        """Read all tokens and return the slots."""
        while not self._cursor.is_at_end:
            self._cursor.at += self._step()
        self._comparisons.link_remaining()
        self._reject_or_between_columns()
        return self._slots

    def _step(self) -> int:
        """Consume what stands here; return how many tokens that took."""
        cursor, token = self._cursor, self._cursor.here
        if isinstance(token, Comparison):
            return self._comparisons.take(token)
        if length := self._take_dataset():
            return length
        # A preposition ends 'por': in 'por operador na posição 3' the position is a filter.
        if cursor.is_by and cursor.before not in _BY and cursor.is_after_of:
            cursor.is_by = False
        if length := self._values.take_before_column(token):
            return length
        if length := self._take_value(token):
            return length
        names, length = self._columns_here()
        if token.words[0].normalized in words_by_role("rows_or_lines") and not cursor.is_by:
            return self._take_lines(token, names, length)
        is_by = cursor.is_by and not self._is_ranking_criterion()
        if token.lemma == "defect" and length <= 1 and not is_by:
            return self._columns.take_defect(names, length)
        if token.words[0].normalized in words_by_role("when") and cursor.at:
            return 1  # a condition, not a date: 'when humidity is above 65'
        if token.words[0].normalized in _PARTS and self._counts_pieces(names, length):
            self._slots.has_subject = self._slots.counts_parts = True
            return 1
        if names:
            return self._columns.take(names, length)
        return self._cues.take(token)

    def _columns_here(self) -> tuple[tuple[str, ...], int]:
        """Return the columns that may be named here, and by how many tokens."""
        return self._index.columns_at(self._cursor.tokens, self._cursor.at) or ((), 0)

    def _take_dataset(self) -> int:
        """Consume the name of the data set itself."""
        cursor, slots, name = self._cursor, self._slots, self._index.name
        here = tuple(token.lemma for token in cursor.tokens[cursor.at : cursor.at + len(name)])
        if here != name or name == ("defect",):
            return 0
        if len(name) == 1 and name[0] in self._index.parts and cursor.before != "#data":
            return 0  # a column and the file have this name; the column is meant
        slots.names_dataset = True
        if "#rows" in name:  # of 'medições', a measurement is a row
            slots.has_subject = True
            slots.is_subject_plural = cursor.is_plural
            slots.cues.append("#rows")
        slots.coverage += 1
        return len(name)

    def _take_value(self, token: Token) -> int:
        """Consume a value that stands alone, unless a column is meant rather than it."""
        cursor = self._cursor
        value = self._index.values_at(cursor.tokens, cursor.at)
        names, length = self._columns_here()
        if value and not (names and (cursor.is_by or length > value[1])):
            self._values.take(value[0])
            self._slots.coverage += value[1]
            return value[1]
        # 'que cliente' asks for a column, not for 'cliente avisado'.
        asks_column = bool(names) or cursor.before in ("#which", "#by")
        parts = () if value is not None or asks_column else self._index.values_with(token)
        return self._values.take_by_part(parts) if parts else 0

    def _take_lines(self, token: Token, names: tuple[str, ...], length: int) -> int:
        """Read 'linhas' as rows, unless a column of production lines was chosen."""
        slots = self._slots
        is_bare = all(each.is_cue or each is token for each in self._cursor.tokens)
        if names and is_bare and not slots.names_dataset and "linhas" not in slots.chosen:
            slots.add_ambiguity("linhas", ((token.text, "@rows"), (names[0], names[0])))
        if slots.chosen.get("linhas") in names:
            return self._columns.take(names[:1], length)
        return self._cues.take(token)

    def _is_ranking_criterion(self) -> bool:
        """Return whether a plural after 'by' is what ranks: 'top 5 racks by defects'."""
        ranks = any(cue in RANKING for cue in self._slots.cues)
        return ranks and bool(self._slots.columns) and self._cursor.is_plural

    def _counts_pieces(self, names: tuple[str, ...], length: int) -> bool:
        """Return whether pieces are what is counted, not a column: 'quantas peças'."""
        cursor = self._cursor
        if length > 1 or cursor.is_by:
            return False
        ranks = any(each.lemma in RANKING for each in cursor.tokens)
        is_asked = cursor.before in _ASKING or (ranks and not cursor.is_plural)
        is_distinct = cursor.meaning(cursor.at + 1) == "#distinct"
        return not is_asked and not is_distinct and not self._is_valued(names)

    def _is_valued(self, names: tuple[str, ...]) -> bool:
        """Return whether a value of the column follows its name: 'peça 004512'."""
        found = self._index.values_at(self._cursor.tokens, self._cursor.at + 1)
        return found is not None and any(name in names for name, _ in found[0])

    def _reject_or_between_columns(self) -> None:
        """Record an 'or' between two columns as unknown: filters cannot say it."""
        for place, word in enumerate(self._cursor.words_said):
            if word.words[0].normalized not in words_by_role("or"):
                continue
            before = [column for at, column in self._slots.filter_places if at < place]
            after = [column for at, column in self._slots.filter_places if at > place]
            if before and after and before[-1] != after[0]:
                self._slots.unknown.append(word.text)


class CueReader:
    """Reader of every word that names no part of the data."""

    def __init__(
        self, cursor: Cursor, slots: SlotCollector, times: TimeReader, comparisons: ComparisonReader
    ) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots
        self._times = times
        self._comparisons = comparisons

    def take(self, token: Token) -> int:
        """Consume the token here; return how many tokens that took."""
        if length := self._times.take(token):
            return length
        # 'quantas linhas', where no column is called so
        is_rows = token.lemma == "line" and self._cursor.is_plural
        lemma = "#rows" if is_rows else token.lemma
        if lemma.startswith("#"):
            self._take_cue(lemma)
        elif (number := number_of(token)) is not None:
            self._take_number(token, number)
        else:
            self._take_unknown(token)
        return 1

    def _take_cue(self, lemma: str) -> None:
        cursor, slots = self._cursor, self._slots
        match lemma:
            case "#by":
                cursor.is_by = True
                return
            case "#noise":
                return
            case "#again":
                if not slots.cues:
                    slots.cues.append(lemma)
                return
            case "#except":
                cursor.begin_exception()
            case "#only":
                cursor.is_except = False
            case "#part_of":
                slots.cues.append("#percent")
            case "#rows":
                slots.has_subject = slots.is_subject_plural = True
            case "#data":
                slots.is_subject_plural = True
            case _:
                cursor.relation = RELATIONS.get(lemma, cursor.relation)
        slots.cues.append(lemma)

    def _take_number(self, token: Token, number: float) -> None:
        is_figure = token.words[0].text.isdigit()
        is_first = number == 1 and not is_figure  # 'a primeira medição'
        if is_first:
            self._slots.cues.append("#first")
        if number == int(number) and self._is_limit():
            self._slots.number = int(number)
            return
        if is_first or self._extends_comparison(number):
            return
        if is_figure:
            self._comparisons.link_number(token.text, [number])
        else:
            self._take_unknown(token)

    def _is_limit(self) -> bool:
        """Return whether a number here is a limit: 'top 5'."""
        after = (each.lemma for each in self._cursor.tokens[self._cursor.at + 1 :])
        return not _COUNTABLE.isdisjoint((self._cursor.before, *after))

    def _extends_comparison(self, number: float) -> bool:
        """Add a further value to the comparison just made: 'gravidade 1 ou 2'."""
        values = self._slots.filters.get((self._cursor.last_column or "", "is"), [])
        is_joined = self._cursor.joined_by(self._cursor.here) in _JOINED
        if not values or not is_joined or isinstance(values[-1], str | bool):
            return False
        values.append(number)
        return True

    def _take_unknown(self, token: Token) -> None:
        """Record a word as unknown, or as ignored if it looks like a verb."""
        cursor, slots = self._cursor, self._slots
        is_by, cursor.is_by = cursor.is_by, False
        if token.lemma in current_lexicon().vague | self._index.units | {"defect", "ok", "minute"}:
            return
        if is_by:
            slots.unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = bool(cursor.words_said) and token is cursor.words_said[0]
        is_named = word.is_quoted or (word.is_name and not is_first) or cursor.is_after_of
        is_thing = token.lemma in current_lexicon().things - {"passed", "went"}
        if not is_named and not is_thing and _VERB.fullmatch(word.normalized):
            slots.ignored.append(token.text)
        else:
            slots.unknown.append(token.text)
