"""Intent cues: words for what is wanted, limits, and words that nothing in the data explains."""

import re

from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.comparisons import RELATIONS, ComparisonReader, TimeReader, number_of
from qhub_desktop.nlq.parser.slots import RANKING, Cursor, SlotCollector

_VERB = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('verb_ending'))})")
_COUNTABLE = frozenset(
    (*RANKING, "#rows", "line", "#list", "#last", "#first", "#descending", "#ascending")
)
_JOINED = words_by_role("or") | words_by_role("and")


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
                cursor.is_except = True
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
        if number == int(number) and self._says_how_many():
            self._slots.number = int(number)
            return
        if is_first or self._goes_on_with(number):
            return
        if is_figure:
            self._comparisons.link_number(token.text, [number])
        else:
            self._take_unknown(token)

    def _says_how_many(self) -> bool:
        """Return whether a number here is a limit: 'top 5'."""
        after = (each.lemma for each in self._cursor.tokens[self._cursor.at + 1 :])
        return not _COUNTABLE.isdisjoint((self._cursor.before, *after))

    def _goes_on_with(self, number: float) -> bool:
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
