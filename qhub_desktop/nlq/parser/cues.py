"""The reader of cues: words that name no part of the data, and what a row is called."""

import re

from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.comparisons import COMPARED, ComparisonReader, TimeReader
from qhub_desktop.nlq.parser.slots import Cursor, Part, SlotCollector
from qhub_desktop.nlq.rules import step_rule
from qhub_desktop.nlq.tokenizer import stem
from qhub_desktop.nlq.verbs import verbs
from qhub_desktop.nlq.word_meanings import (
    COPULAS,
    ENDS,
    FINITE,
    RANKED,
    RANKING,
    RELATIONS,
    VERB,
    number_of,
)

_COUNTABLE = frozenset((*RANKED, "#rows", "line", "#list", "#descending", "#ascending"))
_JOINED = words_by_role("or") | words_by_role("and")
SHORTEST_NOUN = 3  # letters
_WHOLE = 100  # percent
_PARTICIPLE = re.compile(rf"(?:{'|'.join(sorted(words_by_role('participle_ending')))})$")
_OF_AGES = {"#min_date": "#max_age", "#max_date": "#min_age"}
_BEFORE_ROWS_OF = (
    "#count",
    "#percent",
    "#part_of",
    "#trend",
    "#rate",
    "#cumulative",
    "#chart",
    "#dashboard",
    "#compare",
)
# What stands before that which is counted, listed or ranked.
BEFORE_ROWS = (
    *_BEFORE_ROWS_OF,
    *(each for each in RANKING if each not in ("#worst", "#best")),
    "#list",
    "#everything",
    *ENDS,
)


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
                    slots.add_cue(lemma)
                return
            case "#except":
                cursor.begin_exception()
            case "#only":
                cursor.is_except = False
            case "#part_of":
                slots.add_cue("#percent")
            case _ if lemma.startswith(("#max_", "#min_")) and lemma != "#min_age":
                if lemma in _OF_AGES and self._names_age():
                    lemma = _OF_AGES[lemma]
                lemma, _, concept = lemma.partition("_")
                slots.implied = "money" if concept == "cost" else concept
            case "#min_age":
                lemma, slots.implied = "#min", "age"
            case "#percentile":
                self._take_quantile()
            case "#which" if cursor.is_by and slots.dimensions:
                cursor.is_by = False  # 'por loja, qual o custo?'
            case "#forget":
                slots.is_forgetting = True
            case "#count":
                named, _length = self._index.columns_at(cursor.tokens, cursor.at + 1) or ((), 0)
                is_numbered = any("number" in self._index.lemmas[name] for name in named)
                cursor.is_by = cursor.is_by and is_numbered  # not 'by number of strikes'
            case "#money":
                slots.implied = slots.implied or "money"
                return
            case "#duration":
                slots.implied = slots.implied or "time"
            case "#instead":
                slots.is_forgetting = cursor.is_except = False
                lemma = "#again"
            case "#zero" | "#negative":
                slots.signs.append(lemma)
            case "#rows":
                slots.has_subject = slots.is_subject_plural = True
            case "#data":
                slots.is_subject_plural = True
            case _:
                cursor.relation = RELATIONS.get(lemma, cursor.relation)
        slots.add_cue(lemma)

    def _names_age(self) -> bool:
        """Return whether an age is named, of which the oldest has the most."""
        ages = self._index.concepts.get("age", ())
        tokens = self._cursor.tokens
        found = (self._index.column_at(tokens, at) for at in range(len(tokens)))
        return any(each is not None and each[0] in ages for each in found)

    @step_rule
    def _take_quantile(self) -> None:
        """Read the number of a percentile, before or after the word: '95th percentile'."""
        cursor = self._cursor
        for at in (cursor.at - 1, cursor.at + 1):
            number = number_of(cursor.tokens[at]) if 0 <= at < len(cursor.tokens) else None
            if number is not None and 0 < number < _WHOLE:
                self._slots.quantile = number if number < 1 else number / _WHOLE
                return

    @step_rule
    def _take_number(self, token: Token, number: float) -> None:
        """Read a number that no comparison has: a year, how many to rank, one value more."""
        around = [self._cursor.meaning(at) for at in (self._cursor.at - 1, self._cursor.at + 1)]
        if "#percentile" in around:
            return  # taken with the word
        is_figure = token.words[0].text.isdigit()
        is_first = number == 1 and not is_figure  # 'a primeira medição'
        if is_first:
            self._slots.add_cue("#first")
        if is_figure and self._index.is_year(number):
            self._slots.years.append(int(number))
            return
        if number == int(number) and self._is_limit():
            if self._slots.number not in (None, int(number)):
                self._slots.unheeded.append(str(self._slots.number))
            self._slots.number = int(number)
            self._slots.parts.append(Part("number", token.text))
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

    @step_rule
    def _extends_comparison(self, number: float) -> bool:
        """Add a further value to the comparison just made: 'gravidade 1 ou 2'."""
        values = self._slots.filters.get((self._cursor.last_column or "", "is"), [])
        is_joined = self._cursor.joined_by(self._cursor.here) in _JOINED
        if not values or not is_joined or isinstance(values[-1], str | bool):
            return False
        values.append(number)
        return True

    @step_rule
    def _take_row_noun(self, token: Token, *, is_by: bool) -> bool:
        """Read a noun that names nothing in the data as what a row is called: 'how many strikes'.

        It stands where rows are counted, listed or ranked, or is what an amount is divided by:
        'custo por colisão'. There is one such noun in a question, of one word or several.
        """
        cursor, slots = self._cursor, self._slots
        word = token.words[0]
        is_noun = word.text.isalpha() and not word.is_quoted and len(word.text) > SHORTEST_NOUN
        is_first = bool(cursor.words_said) and token is cursor.words_said[0]
        is_thing = token.lemma in current_lexicon().things - current_lexicon().rows
        if slots.nouns and slots.index.is_one_name(slots.nouns[-1], token):
            is_thing = False  # 'ordens de trabalho'
        is_distinct = cursor.meaning(cursor.at + 1) == "#distinct"
        if not is_noun or is_thing or is_distinct or (word.is_name and not is_first):
            return False
        if slots.nouns:
            return False  # 'paragens de manutenção' are not all
        if self._index.means_number(token):
            return False  # 'consumo', where no column is one
        if not is_by and self._is_said_of_rows(token):
            return False
        if slots.has_subject or self._index.type_column is not None:
            return False  # 'defeitos de ferrugem': what is counted was named, or is known
        numbers = any(slots.index.is_measure(each.column) for each in slots.columns)
        is_right_after = cursor.before == "#by"
        if is_right_after and (numbers or slots.has_measure) and not cursor.is_plural:
            slots.add_cue("#per_row")
        elif is_by or not self._is_where_rows_are(token):
            return False
        slots.add_noun(token)
        slots.guessed_nouns.append(token.text)
        slots.has_subject = True
        slots.is_subject_plural = cursor.is_plural
        return True

    def _is_said_of_rows(self, token: Token) -> bool:
        """Return whether a word says something of rows: 'encomendas impagas', 'foram expulsos'."""
        cursor = self._cursor
        if verbs().states(token.words[0].normalized):
            return True
        place = cursor.position_of(token)
        if not place:
            return False
        name = self._index.name
        before = cursor.words_said[place - 1].words[-1].normalized
        return before in COPULAS or (len(name) == 1 and stem(before) == name[0])

    def _is_where_rows_are(self, token: Token) -> bool:
        """Return whether what is counted, listed or ranked stands here."""
        cursor = self._cursor
        if VERB.fullmatch(token.words[0].normalized) or self._slots.ignored:
            return False
        if cursor.before == COMPARED or not cursor.before:
            return True  # also the first word: 'paragens por máquina'
        said = [each for each in self._slots.parts if each.kind not in ("filter", "number")]
        before = said[-1].name if said and said[-1].kind == "cue" else ""
        if before.startswith("#kind_"):
            before = "#chart"
        return before in BEFORE_ROWS and (not cursor.is_after_of or before in _BEFORE_ROWS_OF)

    @step_rule
    def _take_unknown(self, token: Token) -> None:
        """Record a word as unknown, or as ignored if it looks like a verb."""
        cursor, slots = self._cursor, self._slots
        is_by, cursor.is_by = cursor.is_by, False
        if self._index.measures_in(token) and not is_by and len(cursor.tokens) > 1:
            slots.units.append(token)
            return
        if token.lemma in self._index.units | current_lexicon().vague | {"minute", "went"}:
            return
        is_unit = bool(self._index.measures_in(token))
        if not is_unit and self._take_row_noun(token, is_by=is_by):
            return
        if is_by:
            slots.unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = bool(cursor.words_said) and token is cursor.words_said[0]
        is_named = word.is_quoted or (word.is_name and not is_first) or cursor.is_after_of
        is_thing = token.lemma in current_lexicon().things - {"passed", "went"}
        is_thing = is_thing or (
            token.lemma not in ("passed", "went") and self._index.means_something(token)
        )
        says_state = FINITE.fullmatch(word.normalized) and verbs().states(word.normalized)
        if VERB.fullmatch(word.normalized) and slots.index.columns_of_verb(token):
            slots.derived.append(token)
        elif not is_named and (says_state or (not is_thing and VERB.fullmatch(word.normalized))):
            slots.ignored.append(token.text)
        else:
            slots.unknown.append(token.text)
