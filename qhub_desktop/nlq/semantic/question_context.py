"""Question context: a question's words over one data set, and what they may name."""

from collections.abc import Sequence
from functools import cached_property

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import numbers_things
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    money_measures,
)
from qhub_desktop.nlq.semantic.schema_linking import (
    ColumnLink,
    SchemaLinker,
    ValueLink,
    linker_of,
)
from qhub_desktop.nlq.semantic.similar_columns import (
    meanings_of,
    numbered,
    tells_outcomes,
)
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import (
    due_and_closed,
    elapsed_pair,
    moments_of,
)
from qhub_desktop.nlq.semantic.word_keys import (
    asks_amount,
    keys_of,
)
from qhub_desktop.nlq.tokenizer import BLANK, Word, root, stem, without_unit

_INSIDE_NAMES = (
    words_by_role("of") | words_by_role("article") | words_by_role("in_name")
) - words_by_role("not_in_name")
SHORTEST_NOUN = 4  # letters


class QuestionContext:
    """The words of a question over one data set."""

    def __init__(self, words: Sequence[Word], index: SchemaIndex, language: Language) -> None:
        self.words = words
        self.index = index
        self.lexicon = current_lexicon()
        self.linker: SchemaLinker = linker_of(index)
        known = index.known | index.rare.known(words) | self.linker.known_stems
        self.stems = self.lexicon.stems(words, known)
        self.own = [stem(word.normalized) for word in words]
        self.keys = keys_of(words, self.lexicon)
        self.language = language
        self.is_part = False  # what is named here is a column of numbers, or of yes and no
        self.is_flag = False  # it is one of yes and no
        self.telling = frozenset(
            each.name
            for each in index.profile.columns
            if index.is_measure(each.name) or flag_values(each) is not None
        )
        self.column_words = self.linker.single_words
        names = (each.name for each in index.profile.columns)
        self.numbered = frozenset(name for name in names if numbers_things(index, name))
        self.counts_parts = any(
            index.is_measure(name)
            for concept in ("quantity", "produced", "part")
            for name in (*index.concepts.get(concept, ()), *index.parts.get(concept, ()))
        )
        self.told_by_number = numbered(index)
        self.roots_of_rows = frozenset(
            root(name)[0] for name in index.row_names if len(name) > SHORTEST_NOUN
        )
        called = (each.name for each in index.profile.columns if index.is_identity(each.name))
        self.row_concepts = self.lexicon.rows & {
            *(meant for name in index.row_names for meant in meanings_of(name)),
            *(meant for name in called for meant in domain_lexicon().concepts_of_name(name)),
        }
        self.says_gain = any(GAINS & (each.concepts | each.derived) for each in self.keys)
        self.has_money = bool(money_measures(index))
        self.is_due = None not in due_and_closed(index)
        self.lasts = len(moments_of(index)) > 1 or elapsed_pair(index) is not None
        self.tells_outcomes = tells_outcomes(index)
        self.asks_amount = asks_amount(words)
        joins = [e.normalized in self.lexicon.joining for e in words]
        self.joining = frozenset(at for at, j in enumerate(joins) if j and not self._is_code(at))
        self.inside = frozenset(
            place for place in self.joining if words[place].normalized in _INSIDE_NAMES
        )
        self.tokens = [
            Token((word,), self._lemma(stemmed))
            for word, stemmed in zip(words, self.stems, strict=True)
        ]
        self.column_links: dict[int, list[ColumnLink]] = {}
        self.event_links_from: dict[int, list[ColumnLink]] = {}  # with those by what happened
        self.value_links: dict[int, list[ValueLink]] = {}
        self.arcs: list[list[Mention]] = []  # found so far, from each word on
        self.spans_time = False  # a time from one moment to another is named

    def named_columns_at(self, at: int) -> list[ColumnLink]:
        """Return the columns that words from a position on name, other than by events."""
        if at not in self.column_links:
            self.column_links[at] = self.linker.columns_at(self.keys, at, self.inside)
        return self.column_links[at]

    def values_at(self, at: int) -> list[ValueLink]:
        """Return the values that are named from a word on."""
        if at not in self.value_links:
            self.value_links[at] = self.linker.values_at(self.keys, at, self.inside)
        return self.value_links[at]

    def _lemma(self, stemmed: str) -> str:
        return next(iter(self.lexicon.field_meanings((stemmed,))), stemmed)

    @cached_property
    def asks_days(self) -> bool:
        """Whether it is asked how long something took, or how late it was."""
        said = {lemma for at in range(len(self.words)) for lemma in self.cues_of(at)}
        is_late = any({"delay", "overdue"} & keys.concepts for keys in self.keys)
        return is_late or bool({"#duration", "#grain_day", "#overdue"} & said)

    @cached_property
    def asks_day(self) -> bool:
        """Whether the question has a day, so that a verb may tell what happened on it."""
        if self.asks_when or any(word.text == BLANK for word in self.words):
            return True
        said = {lemma for at in range(len(self.words)) for lemma in self.cues_of(at)}
        return bool({"#after", "#before", "#when"} & said)

    @cached_property
    def asks_when(self) -> bool:
        """Whether a day is asked for: 'quando'."""
        return any(each.normalized in words_by_role("when") for each in self.words)

    def _is_value_in_capitals(self, text: str) -> bool:
        """Return whether a value is written in capitals as here, in a question that is not."""
        return not all(word.text.isupper() for word in self.words) and any(
            text in column.known
            for column in self.index.profile.columns
            if column.type == "category"
        )

    def _is_code(self, place: int) -> bool:
        text = self.words[place].text
        named = [each.name.rstrip("*") for each in self.index.profile.columns]
        if len(text) > 1 and text.isupper():  # 'a OS', of 'OS (Internal)'
            named += [without_unit(each.name).strip() for each in self.index.profile.columns]
        if not text.islower() and text != text.title() and text in named:
            return True  # 'dE', of a column that is called so, or 'dE*'
        if len(text) > 1 and text.isupper() and self._is_value_in_capitals(text):
            return True  # 'em IT', of a department
        is_letter = len(text) == 1 and text.isupper() and place > 0 and text != "I"
        return is_letter or self.words[place].is_quoted

    def text(self, start: int, end: int) -> str:
        """Return some words as they were written."""
        return " ".join(word.text for word in self.words[start:end])

    def cues_of(self, at: int) -> frozenset[str]:
        """Return the cues that begin with a word, none beyond the question."""
        return self._lemmas[at] if 0 <= at < len(self._lemmas) else frozenset()

    @cached_property
    def _lemmas(self) -> list[frozenset[str]]:
        return [
            frozenset(lemma for lemma, *_ in self.lexicon.cues_at(self.stems, at, self.language))
            for at in range(len(self.stems))
        ]

    def names_row(self, at: int) -> bool:
        """Return whether a word is what the file or its rows are called by."""
        if at >= len(self.words):
            return False
        return self.index.is_in_file_name(self.tokens[at]) or bool(
            self.keys[at].concepts & self.lexicon.rows
        )

    def is_of_file(self, at: int) -> bool:
        """Return whether a word has the root of one in the file's name: 'visita', of visitors."""
        own, _ = root(self.words[at].normalized)
        return len(own) >= SHORTEST_NOUN and own in self.roots_of_rows
