"""The parser of a question over one data set: its dates first, then its words in order."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.lexicon import Token, small_words, vocabulary
from qhub_desktop.nlq.parser.comparisons import (
    Comparison,
    ComparisonReader,
    TimeReader,
    apply_token_rules,
)
from qhub_desktop.nlq.parser.entity_linking import ColumnLinker, ValueLinker
from qhub_desktop.nlq.parser.intent_cues import CueReader
from qhub_desktop.nlq.parser.slots import RANKING, Cursor, QuestionFrame, SlotCollector
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.temporal import Calendar, find_days, find_hours, says_relatively
from qhub_desktop.nlq.tokenizer import tokenize

_PARTS = small_words("part")
_BY = ("#by", "#again", "#count")
_ASKED = ("#which", "#top", "#most", "#least", "#distinct", "#by", "#table")


class Parser:
    """Goes through a question once.

    `chosen` settles words that could be read in several ways: what they are taken for.
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
        self._place = Cursor(words, apply_token_rules(index, words))
        self._found = SlotCollector(index, self._place, chosen)
        self._values = ValueLinker(self._place, self._found)
        self._comparisons = ComparisonReader(self._place, self._found, recent)
        self._columns = ColumnLinker(self._place, self._found, self._values, self._comparisons)
        times = TimeReader(self._place, self._found)
        self._cues = CueReader(self._place, self._found, times, self._comparisons)

    def read(self) -> SlotCollector:
        """All of it."""
        while not self._place.is_at_end:
            self._place.at += self._step()
        self._comparisons.settle()
        self._refuse_alternatives()
        return self._found

    def _step(self) -> int:
        """Read what stands here; gives how many words that took."""
        place, token = self._place, self._place.here
        if isinstance(token, Comparison):
            return self._comparisons.take(token)
        if length := self._take_dataset():
            return length
        # 'por operador na posição 3': the position is no longer what to group by.
        if place.is_by and place.before not in _BY and place.is_after_of:
            place.is_by = False
        if length := self._values.take_before_column(token):
            return length
        if length := self._take_value(token):
            return length
        names, length = self._columns_here()
        if token.words[0].plain in small_words("rows_or_lines") and not place.is_by:
            return self._take_lines(token, names, length)
        is_by = place.is_by and not self._ranks_by_them()
        if token.lemma == "defect" and length <= 1 and not is_by:
            return self._columns.take_defect(names, length)
        if token.words[0].plain in small_words("when") and place.at:
            return 1  # 'when humidity is above 65' asks for no day
        if token.words[0].plain in _PARTS and self._is_only_said(names, length):
            self._found.has_subject = self._found.counts_parts = True
            return 1
        if names:
            return self._columns.take(names, length)
        return self._cues.take(token)

    def _columns_here(self) -> tuple[tuple[str, ...], int]:
        """The columns that may be named here, and by how many words."""
        return self._index.columns_at(self._place.tokens, self._place.at) or ((), 0)

    def _take_dataset(self) -> int:
        """The name of the data set itself."""
        place, found, name = self._place, self._found, self._index.name
        here = tuple(token.lemma for token in place.tokens[place.at : place.at + len(name)])
        if here != name or name == ("defect",):
            return 0
        if len(name) == 1 and name[0] in self._index.parts and place.before != "#data":
            return 0  # 'produção' is a column rather than the file of that name
        found.names_dataset = True
        if "#rows" in name:  # of 'medições', a measurement is a row
            found.has_subject = True
            found.is_subject_plural = place.is_plural
            found.cues.append("#rows")
        found.coverage += 1
        return len(name)

    def _take_value(self, token: Token) -> int:
        """A value that is named by itself, unless a column is meant rather than it."""
        place = self._place
        value = self._index.values_at(place.tokens, place.at)
        names, length = self._columns_here()
        if value and not (names and (place.is_by or length > value[1])):
            self._values.take(value[0])
            self._found.coverage += value[1]
            return value[1]
        # 'que cliente' asks for a column, not for 'cliente avisado'.
        asks_column = bool(names) or place.before in ("#which", "#by")
        parts = () if value is not None or asks_column else self._index.values_with(token)
        return self._values.take_by_part(parts) if parts else 0

    def _take_lines(self, token: Token, names: tuple[str, ...], length: int) -> int:
        """'linhas' are rows, even where lines are made."""
        found = self._found
        is_bare = all(each.is_cue or each is token for each in self._place.tokens)
        if names and is_bare and not found.names_dataset and "linhas" not in found.chosen:
            found.doubt("linhas", ((token.text, "@rows"), (names[0], names[0])))
        if found.chosen.get("linhas") in names:
            return self._columns.take(names[:1], length)
        return self._cues.take(token)

    def _ranks_by_them(self) -> bool:
        """'top 5 racks by defects': they are counted, not grouped by."""
        ranks = any(cue in RANKING for cue in self._found.cues)
        return ranks and bool(self._found.columns) and self._place.is_plural

    def _is_only_said(self, names: tuple[str, ...], length: int) -> bool:
        """'quantas peças foram rejeitadas': pieces are what is counted, not a column."""
        place = self._place
        if length > 1 or place.is_by:
            return False
        ranks = any(each.lemma in RANKING for each in place.tokens)
        is_asked = place.before in _ASKED or (ranks and not place.is_plural)
        is_distinct = place.meaning(place.at + 1) == "#distinct"
        return not is_asked and not is_distinct and not self._is_valued(names)

    def _is_valued(self, names: tuple[str, ...]) -> bool:
        """Whether a value of the column follows its name: 'peça 004512'."""
        found = self._index.values_at(self._place.tokens, self._place.at + 1)
        return found is not None and any(name in names for name, _ in found[0])

    def _refuse_alternatives(self) -> None:
        """'mais de 100 minutos ou mais de 80 euros': either of two columns is no filter of ours."""
        for place, word in enumerate(self._place.said):
            if word.words[0].plain not in small_words("or"):
                continue
            before = [column for at, column in self._found.filter_places if at < place]
            after = [column for at, column in self._found.filter_places if at > place]
            if before and after and before[-1] != after[0]:
                self._found.unknown.append(word.text)


def parse(
    question: str,
    index: SchemaIndex,
    *,
    language: Language,
    today: date,
    chosen: dict[str, str] | None = None,
    recent: str | None = None,
) -> QuestionFrame:
    """Read a question over one data set; `chosen` settles words that have several readings.

    `recent` is the column of numbers that was last compared: 'e abaixo de 22?' is about it.

    The same question is read once: a conversation is understood anew with each round.
    """
    return _asked(question, index, language, today, tuple((chosen or {}).items()), recent)


@lru_cache(maxsize=512)
def _asked(
    question: str,
    index: SchemaIndex,
    language: Language,
    today: date,
    chosen: tuple[tuple[str, str], ...],
    recent: str | None,
) -> QuestionFrame:
    calendar = Calendar(today=today, last=index.last_day or today)
    rest, hours = find_hours(question)
    timed, (rest, span) = rest, find_days(rest, calendar)
    said = _blanked(timed, rest) if calendar.is_old and says_relatively(timed, rest) else ""
    rest, second = find_days(rest, calendar)
    words = vocabulary().tokens(tokenize(rest), language, known=index.known)
    found = Parser(index, words, dict(chosen), recent).read()
    if hours is not None and index.has_hours:
        assert index.date_column is not None
        found.take_hours(index.date_column, hours)
    elif hours is not None:
        found.unknown.append(_blanked(question, timed))
    if span is not None and index.date_column is not None:
        found.take_days(index.date_column, span, second, said=said)
    elif span is not None:
        found.unknown.append(_blanked(question, rest))
    return found.asked()


def _blanked(question: str, rest: str) -> str:
    return "".join(a for a, b in zip(question, rest, strict=True) if a != b or a == " ").strip()
