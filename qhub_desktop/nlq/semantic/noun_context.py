"""Nouns of a question: what rows are grouped by, what a column numbers, what names a class.

A noun beside a name or a code may only say of what kind that is ('elevadores KONE', 'a linha
B1'): then it explains nothing more, and does not make the engine ask. What is counted, what names
a column, a value, an amount, an event or a state of the data is never such a noun.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qhub_desktop.nlq.column_roles import is_grouping
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.row_events import events_said
from qhub_desktop.nlq.row_names import is_noun
from qhub_desktop.nlq.semantic.schema_linking import MEANT, RELATED
from qhub_desktop.nlq.semantic.similar_columns import is_rather_thing, rows_have_type
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.word_keys import PIECES

if TYPE_CHECKING:
    from qhub_desktop.nlq.semantic.question_context import QuestionContext
else:  # stands behind this in whatever reads a question
    QuestionContext = object

NUMBER = words_by_role("number_word")
_VALUE = MEANT + 0.05  # what a value may cost that a noun is rather than the rows
_GOOD = 0.6  # what a column of numbers costs at most that a word names
_SHORTEST = 3  # letters of a noun


class NounContext(QuestionContext):
    """What the nouns of a question stand for, by what stands beside them."""

    def _calls_value(self, at: int) -> bool:
        """Return whether a noun only says of what kind the name beside it is: 'no armazém B1'.

        A code has what it is the code of before it; a name, what it is called by that the data do
        not tell of ('elevadores KONE', 'MEGA trailers', 'parking lot Norte').
        """
        behind = self.words[at + 1] if at + 1 < len(self.words) else None
        is_code = behind is not None and not behind.text.isdigit()
        is_code = is_code and any(map(str.isdigit, behind.text if behind else ""))
        if self._counts_parts and self._keys[at].concepts & PIECES and self._is_counted(at):
            return False  # 'quantas caixas KLT4315', of which there is a quantity
        if is_code and self._keys[at].concepts:
            return any(not each.cost for each in self._values_at(at + 1))
        if not self._is_mere_noun(at) or self._is_counted(at):
            return False
        follows = bool(self._keys[at].concepts) and any(  # an English noun, not any word
            not each.cost and each.length == at - place
            for place in range(max(0, at - 2), at)
            if self._is_written_as_name(place)
            for each in self._values_at(place)
        )
        first = next((n for n in (at + 1, at + 2) if not self._is_mere_noun(n)), at)
        before = at - 1 - (self._is_mere_noun(at - 1) if at else 0)
        leads = before < 0 or before in self._joining
        named = first > at and leads and self._is_written_as_name(first)
        return follows or (named and any(not each.cost for each in self._values_at(first)))

    def _is_written_as_name(self, at: int) -> bool:
        """Return whether a word is written as a name or a number of several digits is."""
        text = self.words[at].text if at < len(self.words) else ""
        return text[:1].isupper() or (text.isdigit() and len(text) > 2)

    def _is_mere_noun(self, at: int) -> bool:
        """Return whether a word names a thing of which the data tell nothing."""
        if not 0 <= at < len(self.words) or at in self._joining:
            return False
        word = self.words[at]
        if not word.text.isalpha() or len(word.text) < _SHORTEST or word.is_quoted or word.is_name:
            return False
        domain, concepts = domain_lexicon(), self._keys[at].concepts
        is_measured = any(domain.kind(each) in ("amount", "level") for each in concepts)
        if is_measured or concepts & self._lexicon.rows or not is_noun(word.normalized):
            return False
        if events_said(word.normalized) or self._cues_of(at) or self._values_at(at):
            return False
        return all(each.cost > RELATED + 0.1 for each in self._columns_at(at))

    def _counts_behind(self, at: int) -> bool:
        """Return whether a word counts what is behind it, in the plural: 'n.º de provas'."""
        counts = "#count" in self._cues_of(at)
        behind = at + 1
        while behind < len(self.words) and behind in self._inside:
            behind += 1
        return counts and behind < len(self.words) and self.words[behind].normalized.endswith("s")

    def _is_numbered(self, at: int) -> bool:
        """Return whether a column has the numbers of what is named, several rows of one."""
        links = (each for each in self._columns_at(at) if each.column in self._numbered)
        return any(each.cost <= MEANT for each in links)

    def _is_grouped(self, at: int) -> bool:
        """Return whether things are told for each of something: 'visitas por zona'."""
        following = self.words[at + 1].normalized if at + 1 < len(self.words) else ""
        return following in words_by_role("by") and self.words[at].normalized.endswith("s")

    def _means_value(self, at: int) -> bool:
        """Return whether a word alone may be a value, rather than what rows are called."""
        word, keys = self.words[at], self._keys[at]
        values = [each for each in self._values_at(at) if each.length == 1 and each.cost <= _VALUE]
        meant = [each for each in values if each.cost >= MEANT]
        return len(values) > sum(is_rather_thing(self._index, word, keys, each) for each in meant)

    def _names_rare(self, at: int) -> bool:
        """Return whether a column is named of which most cells are empty: 'alarms'."""
        rows = self._index.profile.rows
        return any(
            each.length == 1
            and each.cost <= RELATED + 0.1
            and 2 * self._index.column(each.column).missing > rows
            for each in self._columns_at(at)
        )

    def _names_groups(self, at: int, *, or_type: bool = False) -> bool:
        """Return whether a column is named that rows are grouped by, and is no type of the rows."""
        return (or_type or not rows_have_type(self._index, self._keys[at].concepts)) and any(
            each.length == 1
            and each.cost <= RELATED + 0.1
            and is_grouping(self._index.column(each.column))
            for each in self._columns_at(at)
        )

    def _is_dated(self, at: int) -> bool:
        """Return whether the day of something is meant, and not its state: 'data de abertura'."""
        before = at - 1
        while before > 0 and before in self._inside:
            before -= 1
        return before >= 0 and "date" in self._keys[before].concepts

    def _may_be_said(self, at: int) -> bool:
        """Return whether a unit is that of a column, or whether things are counted behind it."""
        if self.words[at].normalized in NUMBER:
            return any(each.normalized.endswith("s") for each in self.words[at + 2 : at + 3])
        return any(self._index.is_measure(each.column) for each in self._columns_at(at))

    def _names_amount(self, names: Sequence[Mention]) -> bool:
        """Return whether a column of numbers is among what a word may name."""
        good = (each for each in names if each.kind == "column" and each.cost < _GOOD)
        return any(self._index.is_measure(each.column) for each in good)
