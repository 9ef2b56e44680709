"""Words that say what is wanted, how many of it, or nothing that the data knows."""

import re

from qhub_desktop.nlq.lexicon import Token, small_words, vocabulary
from qhub_desktop.nlq.parser.comparisons import RELATIONS, ComparisonReader, TimeReader, number_of
from qhub_desktop.nlq.parser.slots import RANKING, Cursor, SlotCollector

_VERB = re.compile(
    r".{2,}(?:aram|eram|iram|amos|emos|imos|ando|endo|indo|ava|avam|ing|ed|ou|eu|iu)"
)
_COUNTABLE = frozenset(
    (*RANKING, "#rows", "line", "#list", "#last", "#first", "#descending", "#ascending")
)
_JOINED = small_words("or") | small_words("and")


class CueReader:
    """Takes every word that names no part of the data."""

    def __init__(
        self, place: Cursor, found: SlotCollector, times: TimeReader, comparisons: ComparisonReader
    ) -> None:
        self._index = found.index
        self._place = place
        self._found = found
        self._times = times
        self._comparisons = comparisons

    def take(self, token: Token) -> int:
        """What stands here; gives how many words that took."""
        if length := self._times.take(token):
            return length
        # 'quantas linhas', where none is a column
        is_rows = token.lemma == "line" and self._place.is_plural
        lemma = "#rows" if is_rows else token.lemma
        if lemma.startswith("#"):
            self._take_cue(lemma)
        elif (number := number_of(token)) is not None:
            self._take_number(token, number)
        else:
            self._take_unknown(token)
        return 1

    def _take_cue(self, lemma: str) -> None:
        place, found = self._place, self._found
        match lemma:
            case "#by":
                place.is_by = True
                return
            case "#noise":
                return
            case "#again":
                if not found.cues:
                    found.cues.append(lemma)
                return
            case "#except":
                place.is_except = True
            case "#only":
                place.is_except = False
            case "#part_of":
                found.cues.append("#percent")
            case "#rows":
                found.has_subject = found.is_subject_plural = True
            case "#data":
                found.is_subject_plural = True
            case _:
                place.relation = RELATIONS.get(lemma, place.relation)
        found.cues.append(lemma)

    def _take_number(self, token: Token, number: float) -> None:
        is_figure = token.words[0].text.isdigit()
        is_first = number == 1 and not is_figure  # 'a primeira medição'
        if is_first:
            self._found.cues.append("#first")
        if number == int(number) and self._says_how_many():
            self._found.number = int(number)
            return
        if is_first or self._goes_on_with(number):
            return
        if is_figure:
            self._comparisons.doubt(token.text, [number])
        else:
            self._take_unknown(token)

    def _says_how_many(self) -> bool:
        """Whether a number here says how many are wanted."""
        after = (each.lemma for each in self._place.tokens[self._place.at + 1 :])
        return not _COUNTABLE.isdisjoint((self._place.before, *after))

    def _goes_on_with(self, number: float) -> bool:
        """'gravidade 1 ou 2': another value of the column that has just been compared."""
        values = self._found.filters.get((self._place.last_column or "", "is"), [])
        is_joined = self._place.joined_by(self._place.here) in _JOINED
        if not values or not is_joined or isinstance(values[-1], str | bool):
            return False
        values.append(number)
        return True

    def _take_unknown(self, token: Token) -> None:
        """A word that is not vague either: not found, or passed over if it looks like a verb."""
        place, found = self._place, self._found
        is_by, place.is_by = place.is_by, False
        if token.lemma in vocabulary().vague | self._index.units | {"defect", "ok", "minute"}:
            return
        if is_by:
            found.unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = bool(place.said) and token is place.said[0]
        is_named = word.is_quoted or (word.is_name and not is_first) or place.is_after_of
        is_thing = token.lemma in vocabulary().things - {"passed", "went"}
        if not is_named and not is_thing and _VERB.fullmatch(word.plain):
            found.ignored.append(token.text)
        else:
            found.unknown.append(token.text)
