"""Schema linking: the columns and values that a span of a question may name, each with a cost.

Every column and value is compared with every span, by words, gender and plural apart, by what they
mean in any language, by roots, abbreviations and slips of the finger. Nothing is decided here: two
columns that fit equally well are two links of equal cost.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import is_type_of
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import (
    Token,
    current_lexicon,
    words_by_role,
)
from qhub_desktop.nlq.query_ast import Value
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.word_keys import (
    DENIALS,
    PIECES,
    SHORTEST_SLIP,
    Name,
    WordKeys,
    column_name,
    inflected,
    is_subsequence,
    spelled_out,
    takes_in_values,
    value_names,
)
from qhub_desktop.nlq.tokenizer import (
    normalize,
    one_edit_away,
    root,
    stem,
    tokenize,
    unit,
    without_number,
    without_unit,
)
from qhub_desktop.nlq.word_meanings import ARTICLES, PER

MOST_WORDS = 6  # words of a span
_MOST_ALTERNATIVES = 8  # values that one word may stand for together
# What a link costs, by how a word was recognised.
EXACT, INFLECTED, MEANT, ABBREVIATED = 0.0, 0.03, 0.2, 0.2
RELATED, SIMILAR, MISTYPED = 0.4, 0.5, 0.6
_BESIDE = 0.1  # what a word costs that only says of what kind a column is: 'número', of 'Recibo'
_UNSAID = 0.5  # a column's or value's words that were not said, all of them
_ANOTHER = 0.3  # 'o adjudicado, o faturado' are two
_HARDLY, _NEARLY_ALL = 0.4, 0.85  # that hardly a word was said: 'dias', of 'Obj. dia'
_SEVERAL = 0.4  # what it costs that a word is part of several values
_MOST_DERIVED = 4  # meanings of a root, of which more tell little: 'deliver'
_MOST_SINGLE = 4
_PART_OF_VALUE = 0.25
LIMITS_UNSAID = 0.35  # of a limit, a target or a plan of which nothing says that it is meant
_DENIES = 0.8  # that a value denies what was said: 'peças', of 'sem peças'
_LITTLE = 0.15  # of a value: 'Eng.', where all are called so, and 'de'


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """A column that a span may name."""

    column: str
    length: int  # words of the span
    cost: float
    is_whole: bool  # every word of the column's name was said


@dataclass(frozen=True, slots=True)
class ValueLink:
    """Values of one column that a span may name, alternatives of each other."""

    column: str
    values: tuple[Value, ...]
    length: int
    cost: float


class SchemaLinker:
    """Links spans of questions to the columns and values of one data set."""

    def __init__(self, index: SchemaIndex) -> None:
        self.index = index
        self._lexicon = current_lexicon()
        named = [column_name(each, index, self._lexicon) for each in index.profile.columns]
        full = spelled_out([each.words for each in named])
        self._columns = [
            replace(each, words=words) for each, words in zip(named, full, strict=True)
        ]
        self._by_key: dict[str, list[tuple[Name, int]]] = {}
        self._by_root: dict[str, list[tuple[Name, bool]]] = {}  # of values of one word
        self._by_cognate: dict[str, list[Name]] = {}
        self._value_stems: set[str] = set()
        for column in index.profile.columns:
            for name in value_names(column, self._lexicon):
                if len(name.words) == 1 and name.words[0].text.isalpha():
                    own, has_ending = root(name.words[0].text)
                    self._by_root.setdefault(own, []).append((name, has_ending))
                    self._by_cognate.setdefault(name.words[0].cognate, []).append(name)
                for place, keys in enumerate(name.words):
                    if name.weights[place] < 0.3:
                        continue  # 'de' begins no value
                    self._by_key.setdefault(keys.inflected, []).append((name, place))
                    self._value_stems.add(keys.stemmed)
        self._countries = [
            column.name
            for column in index.profile.columns
            if {"country", "nationality", "origin_country", "destination_country"}
            & {*domain_lexicon().concepts_of_name(column.name), *index.lemmas.get(column.name, ())}
        ]
        self.units_behind = frozenset(  # the last word of a name, and its unit
            (tokenize(without_unit(each.name))[-1].normalized, word.normalized)
            for each in index.profile.columns
            if unit(each.name) and tokenize(without_unit(each.name))
            for word in tokenize(unit(each.name))
        )
        self.single_words = [each.words[0] for each in self._columns if len(each.words) == 1]
        self.known_stems = frozenset(
            {keys.stemmed for each in self._columns for keys in each.words} | self._value_stems
        )

    def begins_name(self, said: str) -> bool:
        """Return whether a column's name begins with a word, letter for letter."""
        return any(each.words[0].text == said for each in self._columns)

    def columns_at(
        self, said: Sequence[WordKeys], at: int, skipped: frozenset[int]
    ) -> list[ColumnLink]:
        """Return the columns that the words from `at` on may name; `skipped` are function words."""
        found: list[ColumnLink] = []
        if said[at].text.isdigit() or said[at].text in words_by_role("copula"):
            return found  # neither names a column alone: 'Sensor 51', 'estão' of 'Est.'
        for name in self._columns:
            found.extend(self._links_of_column(name, said, at, skipped))
        return found

    def _links_of_column(
        self, name: Name, said: Sequence[WordKeys], at: int, skipped: frozenset[int]
    ) -> Iterable[ColumnLink]:
        used, cost, end = set[int](), 0.0, at
        phrase = self._phrase_link(name, said, at)
        if phrase is not None:
            yield phrase
            behind = at + phrase.length
            if behind < len(said) and self._says_kind(name, said, behind):  # 'work order number'
                yield replace(phrase, length=phrase.length + 1, cost=phrase.cost + _BESIDE)
        elif self._says_kind(name, said, at):
            first = next((n for n in range(at + 1, len(said)) if n not in skipped), at)
            phrase = self._phrase_link(name, said, first) if first > at else None
            if phrase is not None:  # 'número da ordem de trabalho'
                length = first - at + phrase.length
                yield replace(phrase, length=length, cost=phrase.cost + _BESIDE)
        if said[at].text == name.initials and self._is_no_word(said[at]):
            yield ColumnLink(name.column, 1, ABBREVIATED, is_whole=True)  # 'FCR'
        if name.priced and "price" in said[at].concepts:
            per = at + 2 < len(said) and said[at + 1].text in PER
            length = 3 if per and name.priced in said[at + 2].concepts else 1
            yield ColumnLink(name.column, length, MEANT / length, is_whole=True)
        limits = LIMITS_UNSAID if name.limiting else 0.0
        if name.measured and name.measured in said[at].concepts and not limits:
            yield ColumnLink(name.column, 1, RELATED, is_whole=False)  # 'litros', of 'Menge (l)'
        while end < len(said) and end - at < MOST_WORDS:
            if end in skipped and end > at:
                cost += _ANOTHER * (said[end].text in ARTICLES)
                end += 1
                continue
            joined = self._joined_word(name, said, end)
            best = min(
                (
                    (paid, place)
                    for place, keys in enumerate(name.words)
                    if place not in used
                    and (paid := self._word_cost(said[end], keys, name)) is not None
                ),
                default=None,
            )
            if joined is not None and joined not in used:
                best, end = (EXACT, joined), end + 1
            if best is None or best[0] >= RELATED:
                says_kind = self._says_kind(name, said, end, used)
                if best is None and not says_kind:
                    return
                best = None if says_kind else best
            if best is None:
                cost, end = cost + _BESIDE, end + 1
                if not used:
                    continue
            else:
                cost += best[0]
                used.add(best[1])
                end += 1
            whole = sum(name.weights)
            unsaid = sum(w for place, w in enumerate(name.weights) if place not in used) / whole
            paid = cost + _UNSAID * unsaid + limits * name.limiting.isdisjoint(used)
            paid += _HARDLY * (unsaid > _NEARLY_ALL)  # a generic word alone
            means = {*said[at].concepts, domain_lexicon().concept_of_unit(said[at].text)} - {""}
            paid += RELATED * (means == {name.priced})  # 'litros', of 'VL_LT (R$)'
            letters = {len(name.words[place].text) for place in used} == {1}
            if not (letters and unsaid and len(said[at].text) > 1):  # 'consumo' is no 'C. Unit.'
                yield ColumnLink(name.column, end - at, paid, is_whole=unsaid == 0)

    def _is_no_word(self, said: WordKeys) -> bool:
        """Return whether letters mean nothing else, so that they may stand for a name."""
        known = said.concepts or said.derived or said.text in self._lexicon.joining
        return not known and not any(self._lexicon.cues_at([said.stemmed], 0, "en"))

    def _says_kind(
        self, name: Name, said: Sequence[WordKeys], at: int, used: Collection[int] = ()
    ) -> bool:
        """Return whether a word only says of what kind a column is: 'número', of 'Recibo'."""
        if any(said[at].concepts & name.words[each].concepts for each in used):
            return "number" in {*said[at].concepts, *said[at - 1].concepts, *said[at - 2].concepts}
        if not name.beside & said[at].concepts:
            return False
        around = said[max(0, at - 1) : at + 3]  # a number of things is how many of them there are
        return not name.is_named or all(each.text == each.stemmed for each in around)

    def _joined_word(self, name: Name, said: Sequence[WordKeys], at: int) -> int | None:
        """Return the word of a name that two words of a question are: 'zone 1', of 'zone1'."""
        if at + 1 >= len(said) or not said[at + 1].text.isdigit():
            return None
        text = said[at].text + said[at + 1].text
        return next((n for n, keys in enumerate(name.words) if keys.text == text), None)

    def _phrase_link(self, name: Name, said: Sequence[WordKeys], at: int) -> ColumnLink | None:
        """Return a link by a meaning of several words: 'centro de custo' of 'Kostenstelle'."""
        stems = [each.stemmed for each in said[at : at + MOST_WORDS]]
        own = (
            (concept, length)
            for length in range(len(stems), 1, -1)
            for concept in self._lexicon.field_meanings(tuple(stems[:length]))
        )
        near: ColumnLink | None = None
        for concept, length in (*own, *domain_lexicon().concepts_at(stems, 0)):
            if concept not in name.concepts:
                near = near or self._near_link(name, concept, length)
                continue
            if length == 1 and (
                any(concept in keys.concepts for keys in name.words)
                or (len(name.words) > 1 and not name.is_number and concept not in name.called)
            ):
                continue  # compared word by word
            unsaid = 0.0
            if any(concept in keys.concepts for keys in name.words):
                pairs = zip(name.words, name.weights, strict=True)
                others = [weight for keys, weight in pairs if concept not in keys.concepts]
                unsaid = sum(others) / sum(name.weights)
            says_type = any("type" in each.concepts for each in said[at : at + length])
            is_other = says_type and name.column in self._untyped(concept)
            paid = MEANT + _UNSAID * unsaid + RELATED * is_other  # 'tipo de quarto', of 'Nº Quarto'
            return ColumnLink(name.column, length, paid, is_whole=not unsaid)
        return near

    def _near_link(self, name: Name, concept: str, length: int) -> ColumnLink | None:
        """Return a link by what means something near it, where one of both has several words.

        As 'ordem de compra' of 'Encomenda', and 'família' of 'Grupo merc.'.
        """
        meant = name.concepts if length > 1 and len(name.words) == 1 else name.called
        if meant.isdisjoint(self._near(name, concept)):
            return None
        return ColumnLink(name.column, length, SIMILAR, is_whole=True)

    def _near(self, name: Name, concept: str) -> Collection[str]:
        """Return what a column may tell in the place of a concept: of an amount only if it does."""
        is_amount = domain_lexicon().kind(concept) in ("amount", "level")
        is_far = is_amount and not name.is_number and name.value is None
        return () if is_far else self._lexicon.similar.get(concept, ())

    def _untyped(self, concept: str) -> Collection[str]:
        """Return the columns of a concept that tell no type of it, where another one does."""
        found = {
            name.column: any("type" in keys.concepts for keys in name.words)
            for name in self._columns
            if concept in name.concepts
        }
        return [name for name, is_typed in found.items() if not is_typed and any(found.values())]

    def _word_cost(self, said: WordKeys, own: WordKeys, name: Name) -> float | None:
        """Return what it costs that a word names another, None if it does not."""
        if said.text == own.text or said.stemmed == own.stemmed:
            return EXACT
        if own.text in (said.text.removesuffix("s"), said.text.removesuffix("es")):
            return EXACT  # 'reasons', whose stem is a Portuguese one
        if said.inflected == own.inflected:
            return INFLECTED
        if without_number(own.text) in (said.text, said.stemmed):
            return ABBREVIATED  # 'executante', of 'Executante1'
        if len(own.text) >= SHORTEST_SLIP and said.text in own.english:
            return 2 * INFLECTED  # 'refunded', of 'refundEur'
        if said.concepts & own.concepts:
            return MEANT
        if name.is_number and "quantity" in own.concepts and said.concepts & PIECES:
            return MEANT
        if len(own.text) >= 3 and own.text.isalpha() and said.text.startswith(own.text):
            if own.is_cut:
                return ABBREVIATED / 2
            if not (said.concepts and own.concepts):  # 'customer' is not cut off in 'Custo'
                return ABBREVIATED if len(said.text) > len(own.text) + 2 else RELATED
        if own.is_cut and len(own.text) == 1 and said.text[0] == own.text and len(said.text) > 3:
            return ABBREVIATED  # 'preço', of 'P. Base'
        if (
            len(said.text) >= 3
            and own.text.startswith(said.text)
            and len(own.text) > len(said.text) + 2
        ):
            return RELATED
        if (
            2 <= len(own.text) <= 4
            and len(said.text) >= 5
            and own.text.isalpha()
            and own.text[0] == said.text[0]
            and not set("aeiou") & set(own.text)
            and is_subsequence(own.text, said.text)
        ):
            return RELATED  # 'Mv', of 'movimento'
        if said.cognate and said.cognate == own.cognate and not (said.concepts and own.concepts):
            return MEANT
        if said.root[0] == own.root[0] and (said.root[1] or own.root[1]):
            return RELATED
        if said.derived & own.concepts:
            is_vague = name.is_number and len(said.derived) > _MOST_DERIVED
            return MISTYPED if is_vague else RELATED
        if any(not own.concepts.isdisjoint(self._near(name, each)) for each in said.concepts):
            return SIMILAR
        if said.is_slip and any(
            not own.concepts.isdisjoint(self._near(name, each)) for each in said.derived
        ):
            return MISTYPED  # 'faturamneto', of 'Honorários'
        if (
            len(said.stemmed) >= SHORTEST_SLIP
            and said.stemmed.isalpha()
            and not said.concepts
            and abs(len(said.stemmed) - len(own.stemmed)) <= 1
            and one_edit_away(said.stemmed, (own.stemmed,)) is not None
        ):
            return MISTYPED
        return None

    def values_at(
        self, said: Sequence[WordKeys], at: int, skipped: frozenset[int]
    ) -> list[ValueLink]:
        """Return the values that the words from `at` on may name."""
        found: dict[tuple[str, Value], tuple[int, float]] = {}
        keys = DENIALS if said[at].text in DENIALS else (said[at].inflected,)
        if said[at].text[-1:] == "s" and any(map(str.isdigit, said[at].text)):
            keys = (*keys, said[at].text[:-1])  # 'P1s'
        for name, place in (each for key in keys for each in self._by_key.get(key, ())):
            length, cost = self._match_value(name, place, said, at, skipped)
            key = (name.column, name.value)
            assert name.value is not None
            if key not in found or (length, -cost) > (found[key][0], -found[key][1]):
                found[(name.column, name.value)] = (length, cost)
        if not found and said[at].cognate:
            for name in self._by_cognate.get(said[at].cognate, ()):
                if name.value is not None:
                    found[(name.column, name.value)] = (1, MEANT)  # 'Cardiology'
        if not found:
            for name, has_ending in self._by_root.get(said[at].root[0], ()):
                if (has_ending or said[at].root[1]) and name.value is not None:
                    found[(name.column, name.value)] = (1, RELATED)  # 'abandono', of 'Abandonada'
        return [*self._grouped(found), *self._meant(said, at), *self._native(said, at)]

    def _native(self, said: Sequence[WordKeys], at: int) -> Iterable[ValueLink]:
        """Yield the country that a word for its people begins as: 'franceses', of 'Francia'."""
        word = said[at].text
        if len(word) < 6 or said[at].concepts:
            return
        for column in self._countries:
            for value in self.index.column(column).known:
                name = normalize(str(value))
                shared = next(
                    (n for n, (a, b) in enumerate(zip(word, name, strict=False)) if a != b),
                    min(len(word), len(name)),
                )
                if shared >= 4 and shared >= 0.55 * len(name):
                    yield ValueLink(column, (str(value),), 1, RELATED)

    def _match_value(
        self,
        name: Name,
        place: int,
        said: Sequence[WordKeys],
        at: int,
        skipped: frozenset[int],
    ) -> tuple[int, float]:
        used = {place}
        cost = EXACT if said[at].stemmed == name.words[place].stemmed else INFLECTED
        end = at + 1
        while end < len(said) and end - at < MOST_WORDS:
            own = next(
                (
                    other
                    for other, keys in enumerate(name.words)
                    if other not in used and keys.inflected == said[end].inflected
                ),
                None,
            )
            if own is not None:
                used.add(own)
                end += 1
            elif end in skipped and end + 1 < len(said) and end + 1 - at < MOST_WORDS:
                end += 1
            else:
                break
        while (
            end - 1 in skipped
            and end - 1 > at
            and not any(keys.inflected == said[end - 1].inflected for keys in name.words)
        ):
            end -= 1
        whole = sum(name.weights)
        unsaid = sum(w for other, w in enumerate(name.weights) if other not in used) / whole
        is_part = unsaid > _LITTLE
        denies = any(
            keys.text in DENIALS for other, keys in enumerate(name.words) if other not in used
        )
        paid = _UNSAID * unsaid + _PART_OF_VALUE * is_part + _DENIES * denies
        return end - at, cost + paid

    def _grouped(self, found: Mapping[tuple[str, Value], tuple[int, float]]) -> Iterable[ValueLink]:
        """Yield links, values of one column that fit equally well together."""
        groups: dict[tuple[str, int, bool], list[tuple[float, Value]]] = {}
        for (column, value), (length, cost) in found.items():
            is_part = cost >= _PART_OF_VALUE
            groups.setdefault((column, length, is_part), []).append((cost, value))
        for (column, length, is_part), members in groups.items():
            members.sort(key=lambda each: each[0])
            best = members[0][0]
            if not is_part:
                alike = [value for cost, value in members if cost == best]
                yield ValueLink(column, tuple(alike), length, best + 0.3 * (len(alike) > 1))
                continue
            if len(members) > _MOST_ALTERNATIVES:
                continue
            values = tuple(value for _, value in members)
            yield ValueLink(column, values, length, best + _SEVERAL * (len(values) > 1))
            if 1 < len(values) <= _MOST_SINGLE:  # which of them is asked
                for cost, value in members:
                    yield ValueLink(column, (value,), length, cost + _SEVERAL)

    def _meant(self, said: Sequence[WordKeys], at: int) -> Iterable[ValueLink]:
        """Yield the values that mean, maybe in another language, what stands here."""
        stems = [each.stemmed for each in said[at : at + MOST_WORDS]]
        concepts = [*domain_lexicon().concepts_at(stems, 0)]
        concepts += [(each, 1) for each in said[at].concepts if (each, 1) not in concepts]
        for concept in said[at].derived:
            yield from self._of_meaning(concept, 1, RELATED)
            if said[at].is_slip:
                for near in self._lexicon.similar.get(concept, ()):
                    yield from self._of_meaning(near, 1, MISTYPED)
        for concept, length in concepts:
            if length > 1 and any("date" in each.concepts for each in said[at : at + length]):
                continue  # 'data de entrega' is no value
            is_wide = takes_in_values(self.index.value_concepts, concept, self._lexicon)
            alike = () if is_wide else self._lexicon.similar.get(concept, ())
            for near, paid in ((concept, MEANT), *((each, SIMILAR) for each in alike)):
                yield from self._of_meaning(near, length, paid, several=0.05)

    def _of_meaning(
        self, concept: str, length: int, cost: float, several: float = 0.0
    ) -> Iterable[ValueLink]:
        """Yield the values of each column that mean a concept; several of one cost more."""
        columns: dict[str, list[Value]] = {}
        for column, value in self.index.value_concepts.get(concept, ()):
            columns.setdefault(column, []).append(value)
        for column, values in columns.items():
            if len(values) == 1 or not is_type_of(column, (concept,)):
                yield ValueLink(column, tuple(values), length, cost + several * (len(values) > 1))

    def rare_values_at(self, tokens: Sequence[Token], at: int) -> list[ValueLink]:
        """Return the values of columns with very many that are named letter for letter."""
        found = self.index.values_at(tokens, at)
        links: dict[str, list[Value]] = {}
        for column, value in found[0] if found else ():
            links.setdefault(column, []).append(value)
        length = found[1] if found else 0
        if not found and (held := self.index.rare.with_word(tokens[at])):
            by_column: dict[str, list[Value]] = {}
            for column, value in held:
                by_column.setdefault(column, []).append(value)
            return [
                ValueLink(column, tuple(values), 1, _PART_OF_VALUE + _SEVERAL * (len(values) > 1))
                for column, values in by_column.items()
            ]
        said = {
            inflected(stem(word.normalized))
            for each in tokens[at : at + length]
            for word in each.words
        }
        return [
            ValueLink(
                column,
                tuple(values),
                length,
                EXACT
                if any(
                    inflected(stem(word.normalized)) in said
                    for value in values
                    for word in tokenize(str(value))
                )
                else MEANT + 0.1,
            )
            for column, values in links.items()
        ]


@lru_cache(maxsize=32)
def linker_of(index: SchemaIndex) -> SchemaLinker:
    """Return the linker of a data set; made once."""
    return SchemaLinker(index)
