"""Question context: a question's words over one data set, with their neighbours.

What is asked here of a place in a question needs no choice among readings: whether a word joins,
names a column, is counted, denies, is a unit or says what the cells of a table hold.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import numbers_things
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import Value
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    is_daily,
    money_measures,
)
from qhub_desktop.nlq.semantic.schema_linking import (
    INFLECTED,
    MEANT,
    RELATED,
    ColumnLink,
    SchemaLinker,
    ValueLink,
    linker_of,
)
from qhub_desktop.nlq.semantic.similar_columns import (
    is_amount,
    meanings_of,
    numbered,
    says_cells,
    tells_outcomes,
    without_gender,
)
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import (
    due_and_closed,
    elapsed_pair,
    moments_of,
)
from qhub_desktop.nlq.semantic.word_keys import (
    INFINITIVE,
    LASTING_VERBS,
    asks_amount,
    ending_with,
    is_neutral_verb,
    keys_of,
)
from qhub_desktop.nlq.tokenizer import BLANK, Word, root, stem, tokenize
from qhub_desktop.nlq.verbs import verbs
from qhub_desktop.nlq.word_meanings import COPULAS, FINITE, VERB

_INSIDE_NAMES = (
    words_by_role("of") | words_by_role("article") | words_by_role("in_name")
) - words_by_role("not_in_name")
SHORTEST_NOUN = 4  # letters
_MORE_ASKED = frozenset[str]().union(*map(words_by_role, ("and", "who", "where", "when")))
_DENIAL_REACH = 4  # words before a verb that may deny it, or say that it is one
_AND = words_by_role("and")
_ASKED_OF = words_by_role("and") | words_by_role("copula") | {BLANK}
_BEFORE_ASKING = frozenset(
    words_by_role("and") | words_by_role("copula") | words_by_role("before_pronoun") | {BLANK}
)


class QuestionContext:
    """The words of a question over one data set."""

    def __init__(self, words: Sequence[Word], index: SchemaIndex, language: Language) -> None:
        self.words = words
        self._index = index
        self._lexicon = current_lexicon()
        self._linker: SchemaLinker = linker_of(index)
        known = index.known | index.rare.known(words) | self._linker.known_stems
        self._stems = self._lexicon.stems(words, known)
        self._own = [stem(word.normalized) for word in words]
        self._keys = keys_of(words, self._lexicon)
        self._language = language
        self._is_part = False
        self._telling = frozenset(
            each.name
            for each in index.profile.columns
            if index.is_measure(each.name) or flag_values(each) is not None
        )
        self._column_words = self._linker.single_words
        names = (each.name for each in index.profile.columns)
        self._numbered = frozenset(name for name in names if numbers_things(index, name))
        self._counts_parts = any(
            index.is_measure(name)
            for concept in ("quantity", "produced", "part")
            for name in (*index.concepts.get(concept, ()), *index.parts.get(concept, ()))
        )
        self._told_by_number = numbered(index)
        self._roots_of_rows = frozenset(
            root(name)[0] for name in index.row_names if len(name) > SHORTEST_NOUN
        )
        called = (each.name for each in index.profile.columns if index.is_identity(each.name))
        self._row_concepts = self._lexicon.rows & {
            *(meant for name in index.row_names for meant in meanings_of(name)),
            *(meant for name in called for meant in domain_lexicon().concepts_of_name(name)),
        }
        self._says_gain = any(GAINS & (each.concepts | each.derived) for each in self._keys)
        self._has_money = bool(money_measures(index))
        self._is_due = None not in due_and_closed(index)
        self._lasts = len(moments_of(index)) > 1 or elapsed_pair(index) is not None
        self._tells_outcomes = tells_outcomes(index)
        self._asks_amount = asks_amount(words)
        joins = [e.normalized in self._lexicon.joining for e in words]
        self._joining = frozenset(at for at, j in enumerate(joins) if j and not self._is_code(at))
        self._inside = frozenset(
            place for place in self._joining if words[place].normalized in _INSIDE_NAMES
        )
        self._tokens = [
            Token((word,), self._lemma(stemmed))
            for word, stemmed in zip(words, self._stems, strict=True)
        ]
        self._column_links: dict[int, list[ColumnLink]] = {}
        self._value_links: dict[int, list[ValueLink]] = {}
        self.arcs: list[list[Mention]] = []  # found so far, from each word on

    def _columns_at(self, at: int) -> list[ColumnLink]:
        if at not in self._column_links:
            self._column_links[at] = self._linker.columns_at(self._keys, at, self._inside)
        return self._column_links[at]

    def _values_at(self, at: int) -> list[ValueLink]:
        if at not in self._value_links:
            self._value_links[at] = self._linker.values_at(self._keys, at, self._inside)
        return self._value_links[at]

    def _lemma(self, stemmed: str) -> str:
        return next(iter(self._lexicon.field_meanings((stemmed,))), stemmed)

    def _is_value_in_capitals(self, text: str) -> bool:
        """Return whether a value is written in capitals as here, in a question that is not."""
        return not all(word.text.isupper() for word in self.words) and any(
            text in column.known
            for column in self._index.profile.columns
            if column.type == "category"
        )

    def _is_code(self, place: int) -> bool:
        text = self.words[place].text
        named = (each.name.rstrip("*") for each in self._index.profile.columns)
        if not text.islower() and text != text.title() and text in named:
            return True  # 'dE', of a column that is called so, or 'dE*'
        if len(text) > 1 and text.isupper() and self._is_value_in_capitals(text):
            return True  # 'em IT', of a department
        is_letter = len(text) == 1 and text.isupper() and place > 0 and text != "I"
        return is_letter or self.words[place].is_quoted

    def _text(self, start: int, end: int) -> str:
        return " ".join(word.text for word in self.words[start:end])

    def _is_unit_of_name(self, at: int) -> bool:
        """Return whether a word is the unit in a column's name that stands before it."""
        if not at:
            return False
        before, here = self.words[at - 1].normalized, self.words[at].normalized
        if here.isdigit():
            return False
        return (before, here) in self._linker.units_behind

    def _is_said_of_cell(self, at: int) -> bool:
        """Return whether a word says that cells are filled or not: 'sem técnico atribuído'."""
        if self.words[at].normalized not in words_by_role("filled"):
            return False
        before = range(max(0, at - 4), at)
        return any(
            (each.kind == "cue" and each.lemma in ("#except", "#missing"))
            or (each.kind == "column" and each.column not in self._telling and self._ends(each, at))
            for place in before
            for each in self.arcs[place]
        )

    def _ends(self, name: Mention, at: int) -> bool:
        """Return whether a name ends right before a word, or before 'está' there."""
        between = {word.normalized for word in self.words[name.end : at]}
        return name.end <= at <= name.end + 1 and between <= words_by_role("copula")

    def _names_beside(self, at: int) -> bool:
        """Return whether a column is named before or behind a word: 'tipo de movimento'."""
        behind = at + 1
        while behind < len(self.words) and behind in self._inside:
            behind += 1
        places = (at - 1, behind)
        return any(
            each.cost <= RELATED + 0.1
            for place in places
            if 0 <= place < len(self.words)
            for each in self._columns_at(place)
        )

    def _cues_of(self, at: int) -> frozenset[str]:
        return self._lemmas[at] if 0 <= at < len(self._lemmas) else frozenset()

    @cached_property
    def _lemmas(self) -> list[frozenset[str]]:
        return [
            frozenset(lemma for lemma, *_ in self._lexicon.cues_at(self._stems, at, self._language))
            for at in range(len(self._stems))
        ]

    def _names_row(self, at: int) -> bool:
        """Return whether a word is what the file or its rows are called by."""
        if at >= len(self.words):
            return False
        return self._index.is_in_file_name(self._tokens[at]) or bool(
            self._keys[at].concepts & self._lexicon.rows
        )

    def _orders(self, at: int) -> bool:
        """Return whether a number says which row comes first: 'a primeira', no first shift."""
        if "#first" not in self._cues_of(at) or at + 1 == len(self.words):
            return False
        return all(each.cost > RELATED + 0.1 for each in self._columns_at(at + 1))

    def _names_cells(self, at: int) -> bool:
        """Return whether a word says what the cells of a wide table hold: 'produção', 'consumiu'.

        It stands in the name of the file, or has the root of a word there.
        """
        word = self.words[at].normalized
        is_money = bool(self._keys[at].concepts & GAINS)
        says_total = [each.normalized for each in self.words[max(0, at - 2) : at]] == [
            "total",
            "de",
        ]
        is_total = says_total and any(map(is_amount, self._keys[at].concepts))
        if (word.endswith("s") and not is_money) or (self._is_counted(at) and not is_total):
            return False
        roots = {root(name)[0] for name in self._index.row_names if len(name) >= SHORTEST_NOUN}
        if root(word)[0] in roots:
            return True
        return says_cells(self._index, self._keys[at].concepts, is_named=bool(roots))

    def _unit_of_answer(self, at: int) -> str | None:
        """Return what the unit measures in which an answer is asked for: 'em kWh'."""
        if not at or self.words[at - 1].normalized not in words_by_role("in_unit"):
            return None
        word = self.words[at]
        concept = domain_lexicon().concept_of_unit(word.text)
        is_unit = concept or word.normalized in words_by_role("currency") | words_by_role("unit")
        return (concept or "") if is_unit and concept != "percentage" else None  # 'em %'

    def _is_row_of_day(self, at: int) -> bool:
        """Return whether a row is a day, and a word says 'dias'."""
        if not is_daily(self._index):
            return False
        cues = self._lexicon.cues_at(self._stems, at, self._language)
        return any(lemma == "#grain_day" and length == 1 for lemma, length, _ in cues)

    def _asked(self, at: int) -> str:
        """Return the cue of a pronoun that asks: 'quem', 'onde', 'quando'; '' where it joins."""
        said = self.words[at].normalized
        before = self.words[at - 1].normalized if at else ""
        asks = at == 0 or at == len(self.words) - 1 or before in _BEFORE_ASKING
        asks = asks or (at + 1 < len(self.words) and self.words[at + 1].normalized in _MORE_ASKED)
        leads = at == 1 or (at > 1 and self.words[at - 2].normalized in _AND)
        behind = [each.normalized for each in self.words[at + 1 : at + 3]]
        leads = leads or (not {*behind[:1]} - COPULAS and not {*behind[1:]} - _AND)
        asks_of = leads and before in self._lexicon.joining  # 'e de quem é', 'by whom'
        for role in ("who", "where", "when"):
            if said in words_by_role(role):
                goes_on = at + 1 < len(self.words) and self.words[at + 1].normalized in _MORE_ASKED
                is_inside = 0 < at < len(self.words) - 1 and not goes_on
                of_rows = role == "who" and is_inside and before not in _ASKED_OF
                of_rows = of_rows and not asks_of
                return f"#{role}" if (asks or asks_of or role == "who") and not of_rows else ""
        return ""

    def _is_column(self, at: int) -> bool:
        links = self._columns_at(at)
        return any(each.is_whole and each.cost <= MEANT for each in links)

    def _is_named_value(self, at: int, length: int) -> bool:
        """Return whether a capital within a sentence names a value: 'o plano Total'."""
        text = self.words[at].text
        if not at or length > 1 or not text[:1].isupper() or text.isupper():
            return False
        found = self._values_at(at)
        return any(each.length == 1 and not each.cost for each in found)

    def _denies(self, at: int, following: str) -> bool:
        """Return whether 'por' denies what a verb says: 'por fechar'."""
        if self.words[at].normalized not in words_by_role("not_yet") or not INFINITIVE.fullmatch(
            following
        ):
            return False
        is_name = self.words[at + 1].text[:1].isupper() or any(
            following == keys.text for keys in self._column_words
        )
        begins = verbs().form(following) is None and self._linker.begins_name(following)
        return not (is_name or begins)  # 'por pilar', of 'Pilar 5S'

    def _says_something(self, at: int) -> bool:
        """Return whether a word that is passed over elsewhere may mean something here."""
        word = self.words[at].normalized
        if VERB.fullmatch(word) is not None and not is_neutral_verb(word):
            return True
        if len(word) < 5 or is_neutral_verb(word):
            return False
        if word in words_by_role("adverb") | words_by_role("copula"):
            return False
        return bool(self._keys[at].concepts or self._keys[at].derived)

    def _is_planned(self, name: str) -> bool:
        """Return whether a column tells what was planned, not what happened."""
        if not self._index.is_moment(name):
            return False
        said = {*self._index.lemmas[name], *domain_lexicon().concepts_of_name(name)}
        return any(each.startswith("planned") or each in ("expected", "due_date") for each in said)

    def _is_counted(self, at: int) -> bool:
        """Return whether what stands here is counted: 'quantas peças', 'total de peças'."""
        return any(
            each.kind == "cue" and each.lemma == "#count" and each.end == at
            for place in range(max(0, at - 3), at)
            for each in self.arcs[place]
        )

    def _is_verb_of_key(self, at: int, link: ColumnLink) -> bool:
        """Return whether a verb only resembles the name of a key: 'produziu', of 'ProdOrderNo'."""
        word = self.words[at].normalized
        is_verb = VERB.fullmatch(word) is not None or INFINITIVE.fullmatch(word) is not None
        is_day = self._index.is_moment(link.column) and not self._names_row(at)  # 'a encerrar'
        is_key = self._index.is_identity(link.column) and not is_day
        return is_verb and link.length == 1 and link.cost > 0 and is_key

    def _starts_name(self, at: int) -> bool:
        """Return whether a function word may begin a name: 'N.º', 'A'."""
        if len(self.words) == at + 1:
            return False
        if self._index.values_at(self._tokens, at):
            return True
        found = self._values_at(at)
        return any(each.length > 1 and each.cost <= INFLECTED for each in found)

    def _is_of_file(self, at: int) -> bool:
        """Return whether a word has the root of one in the file's name: 'visita', of visitors."""
        own, _ = root(self.words[at].normalized)
        return len(own) >= SHORTEST_NOUN and own in self._roots_of_rows

    def _begins_name(self, at: int) -> bool:
        """Return whether a column's name of several words begins here: 'qtd recebida'."""
        links = self._columns_at(at)
        return any(each.length > 1 and each.is_whole and each.cost <= RELATED for each in links)

    def _ends_name(self, at: int) -> bool:
        """Return whether a column's name that begins with the word before goes on here."""
        links = self._columns_at(at - 1) if at else []
        return any(each.length > 1 and each.is_whole and each.cost <= RELATED for each in links)

    def _qualifies(self, at: int) -> bool:
        """Return whether a participle only says which things are meant: 'peças perdidas'."""
        word = self.words[at].normalized
        before = self.words[at - 1].normalized if at else ""
        is_participle = re.fullmatch(f".+(?:{ending_with('participle_ending')})", word) is not None
        is_noun = len(before) >= SHORTEST_NOUN and before.isalpha() and at - 1 not in self._joining
        return is_participle and is_noun and before[-2:] == word[-2:]

    def _is_idle_verb(self, at: int) -> bool:
        """Return whether a verb only says what is done in the rows, all of them: 'montámos'.

        It selects or measures something where it names a value, a day, an amount or a flag, is
        denied, or is the amount that is asked for; and where rows tell what became of them.
        """
        word = self.words[at]
        if self._is_verb_of_rows(at):
            return True
        verb = verbs().form(word.normalized)
        if word.is_quoted or (word.is_name and at > 0):
            return False
        if verb is None:
            return self._is_done_by_all(at)
        before = [each.normalized for each in self.words[max(0, at - _DENIAL_REACH) : at]]
        if verb.kind == "bare" and not self._is_said_as_verb(at):
            return False
        if verb.kind == "participle" and self._is_thing_counted(at):
            return False
        if verb.kind == "participle" and before[-1:] and before[-1] in words_by_role("whole"):
            return False  # 'total produzido', an amount
        if verb.role == "outcome" and self._tells_outcomes:
            return False
        if verb.kind != "finite" and words_by_role("state_marker") & {*before}:
            return False
        if words_by_role("denial") & {*before} or any(
            each.lemma in ("#except", "#missing", "#only")
            for place in range(max(0, at - _DENIAL_REACH), at)
            for each in self.arcs[place]
        ):
            return False
        if self._values_at(at):
            return False
        links = [each for each in self._columns_at(at) if each.cost <= RELATED + 0.1]
        if any(
            each.column in self._telling or self._index.is_moment(each.column) or not each.cost
            for each in links
        ):
            return False
        return not self._asks_amount or self._measures_beside(at)

    def _is_thing_counted(self, at: int) -> bool:
        """Return whether a noun that looks like a participle is counted: 'quantos pedidos'."""
        said = self.words[at - 1].normalized if at else ""
        follows = at + 1 < len(self.words)
        return said in words_by_role("how_many") and follows and bool(self._columns_at(at))

    def _is_done_by_all(self, at: int) -> bool:
        """Return whether an amount is asked for of all who do something: 'que entregam mais'.

        What is counted, those alone are that did it: 'quantos pagaram?'.
        """
        said = self.words[at].normalized
        if FINITE.fullmatch(said) is None or not verbs().states(said):
            return False
        is_counted = words_by_role("how_many") & {each.normalized for each in self.words[:at]}
        is_denied = words_by_role("denial") & {each.normalized for each in self.words[:at]}
        is_linked = self._values_at(at) or any(
            each.cost <= RELATED + 0.1 for each in self._columns_at(at)
        )
        return not (is_counted or is_denied or is_linked) and self._measures_beside(at)

    def _measures_beside(self, at: int) -> bool:
        """Return whether another word names a column of numbers."""
        others = (*range(at), *range(at + 1, len(self.words)))
        links = (each for place in others for each in self._columns_at(place))
        return any(each.cost <= RELATED and self._index.is_measure(each.column) for each in links)

    def _is_verb_of_rows(self, at: int) -> bool:
        """Return whether a verb says what a row is: 'ligaram', of calls, 'visitaram', of visits."""
        keys, before = self._keys[at], self.words[max(0, at - _DENIAL_REACH) : at]
        if FINITE.fullmatch(keys.text) is None or self._values_at(at):
            return False
        is_denied = words_by_role("denial") & {each.normalized for each in before}
        if is_denied or not self._row_concepts & (keys.concepts | keys.derived):
            return False
        named = (each for each in self._columns_at(at) if each.is_whole and each.cost <= RELATED)
        return not any(each.column in self._telling for each in named)

    def _is_counted_and_is(self, at: int) -> bool:
        """Return whether it is said of counted rows what they are: 'how many were paid'."""
        before = [word.normalized for word in self.words[:at]]
        is_said_of = bool(before) and before[-1] in words_by_role("copula")
        return is_said_of and bool(words_by_role("how_many") & {*before})

    def _opposites_at(self, at: int) -> Iterator[tuple[str, Value]]:
        """Yield the flags whose yes a word denies, with their no: 'reprovados', of 'Aprovado'."""
        word = self.words[at]
        against = {
            other for each in self._keys[at].concepts for other in verbs().opposites.get(each, ())
        }
        denied = [
            stem(word.normalized.removeprefix(each))
            for each in verbs().denying
            if word.normalized.startswith(each)
            and len(word.normalized) >= len(each) + SHORTEST_NOUN
        ]
        for column in self._index.profile.columns:
            pair = flag_values(column)
            if pair is None or pair[1] == "":
                continue
            said = [stem(each.normalized) for each in tokenize(column.name)]
            is_denied = len(said) == 1 and without_gender(said[0]) in map(without_gender, denied)
            if is_denied or against & {*domain_lexicon().concepts_of_name(column.name)}:
                yield column.name, pair[1]

    def _is_said_as_verb(self, at: int) -> bool:
        """Return whether what may be a noun stands where a verb does: 'did we move'."""
        if not at or self.words[at - 1].normalized in words_by_role("before_noun"):
            return False
        if self.words[at - 1].normalized in words_by_role("before_verb"):
            return True
        verb = verbs().form(self.words[at].normalized)
        if verb is not None and INFINITIVE.fullmatch(verb.infinitive):
            # Its nouns do not stand side by side: 'que máquina usa mais'.
            return self._is_column(at - 1) or self._index.is_in_file_name(self._tokens[at - 1])
        return any(
            each.normalized in words_by_role("before_plain_verb")
            for each in self.words[max(0, at - _DENIAL_REACH) : at]
        )

    def _is_mistyped(self, at: int) -> bool:
        """Return whether a word is one slip away from what the data tell, or from an amount."""
        keys = self._keys[at]
        if not keys.is_slip:
            return False
        kinds = {domain_lexicon().kind(each) for each in keys.derived}
        return "amount" in kinds or bool(self._columns_at(at) or self._values_at(at))

    def _may_name(self, at: int) -> bool:
        links = self._columns_at(at)
        return any(each.length == 1 and each.cost <= RELATED + 0.1 for each in links)

    def _weighs(self, at: int) -> bool:
        """Return whether a weight is a share in an amount: 'peso da Renova no frete'."""
        is_of = at + 3 < len(self.words) and at + 1 in self._inside
        if not is_of or "weight" not in self._keys[at].concepts:
            return False
        if not any(each.cost <= RELATED for each in self._values_at(at + 2)):
            return False
        return any(
            word.normalized in words_by_role("within_whole")
            and any(self._index.is_amount(each.column) for each in links)
            for place, word in enumerate(self.words[at + 3 : at + 7], start=at + 4)
            if place < len(self.words)
            and (links := [each for each in self._columns_at(place) if each.cost <= RELATED])
        )

    def _is_between_rows(self, at: int) -> bool:
        """Return whether time is asked for that lies between rows: 'tempo entre acidentes'."""
        said = [word.normalized for word in self.words[at + 1 :]]
        place = next(
            (p for p, word in enumerate(said) if word in words_by_role("between_rows")), -1
        )
        return place >= 0 and not {*said[place:]} & words_by_role("spanned_and")

    def _lasts_most(self, at: int) -> bool:
        """Return whether a verb says what took the most time: 'quem demora mais'."""
        said = [word.normalized for word in self.words[at : at + 3]]
        is_most = len(said) > 1 and said[1] in words_by_role("ranked_by")
        return (
            is_most
            and said[0].startswith(LASTING_VERBS)
            and not {*said[2:]} & words_by_role("behind_most")
        )
