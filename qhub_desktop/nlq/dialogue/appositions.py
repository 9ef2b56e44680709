"""Appositions: brackets that say in the data's own words what stands before them.

'Lotes bloqueados (Sperrbest. X)' asks for what 'lotes Sperrbest. X' does: the words before the
brackets that name nothing, or the same column, are explained by them and say no more. A condition
in brackets explains a denial, too ('not fully paid (OPEN or PART)'); a column alone does not: 'sem
comprovante (POD)' is without a POD. What names another column, counts, or is a row is left alone.
"""

import re
from collections.abc import Sequence

from qhub_desktop.core.dataset import LOG_ID, ColumnProfile
from qhub_desktop.core.text import Language, fold, lexicons, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import YES_NO, flag_values
from qhub_desktop.nlq.lexicon import Token, cues_in, current_lexicon, role_pattern, words_by_role
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.semantic.schema_linking import linker_of
from qhub_desktop.nlq.semantic.word_keys import INFINITIVE, is_neutral_verb, keys_of
from qhub_desktop.nlq.tokenizer import Word, normalize, tokenize

_BRACKETS = re.compile(r"(?P<end>[?!.]?) ?\((?P<inside>[^()]{1,60})\)")
_BETWEEN = re.compile(rf"\s*[,;/|]\s*|\s+{role_pattern('words', 'or', 'and')}\s+", re.IGNORECASE)
_EQUALS = re.compile(r"^\s*[=:]\s*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
MOST_NAMING_COST = 0.5  # what a word may cost that names something in the data
_IN_BRACKETS = 0.45  # what a column may cost that brackets name
_PAIRS: tuple[list[str], ...] = words_of("files", "yes_no")
# Cues beside a value or in a column's name; others compare or ask.
_SAID_OF_VALUES = frozenset(["#noise", "#equal", "#missing", "#money", "#show"])
_MOST_WORDS = 4  # that brackets say otherwise
_MOST_VERBS = 2  # between a denial and what it denies
_OF_WHAT = frozenset(["#rate", "#percent"])  # 'rejection rate (Result = R)'
_SHORT = 2  # letters of a value that is no name by itself: 'R', 'X'


@dataclass(frozen=True, slots=True)
class _Said:
    """What brackets say: a column, and whether they choose among its values."""

    column: str
    text: str
    is_condition: bool


def without_appositions(question: str, language: Language, indexes: Sequence[SchemaIndex]) -> str:
    """Put what brackets say in the place of the words before them that they explain."""
    brought = [each for each in indexes if each.profile.id not in (LOG, LOG_ID)]
    for found in reversed([*_BRACKETS.finditer(question)]):
        for index in brought:
            before = question[: found.start()]
            run = _Run(before, language, index)
            said = _said(found["inside"], index, run)
            place = None if said is None else run.explained_by(said, is_adjacent=not found["end"])
            if said is not None and place is not None:
                start, end = place
                rest = f"{before[end:]}{found['end']}{question[found.end() :]}"
                question = f"{before[:start]}{said.text}{rest}"
                break
    return question


def _said(inside: str, index: SchemaIndex, run: "_Run") -> _Said | None:
    """Return what brackets say, None where it is not all of one column."""
    whole = words = tokenize(inside)
    while words and words[0].normalized in current_lexicon().joining:
        words = words[1:]
    keys = keys_of(words, current_lexicon())
    values = [each.strip() for each in _BETWEEN.split(inside) if each.strip()]
    for column in index.profile.columns:
        held = _spelt(column, values)
        if held:
            text = inside if len(held) == 1 else run.either(column.name, held)
            return _Said(column.name, text, is_condition=True)
    links = linker_of(index).columns_at(keys, 0, frozenset()) if keys else []
    links = [each for each in links if each.cost <= _IN_BRACKETS]
    links.sort(key=lambda each: (-each.length, each.cost))
    if len(links) > 1 and links[0].length == links[1].length and links[0].cost == links[1].cost:
        return None  # it may be of either
    for link in links:
        column = index.column(link.column)
        own = [word.normalized for word in tokenize(column.name)]
        is_full = own == [word.normalized for word in words[: len(own)]]  # 'Signed By'
        length = len(own) if is_full else link.length
        others = (*whole[: len(whole) - len(words)], *words[length:])
        if any(cue not in _SAID_OF_VALUES for cue in _cues_of(others)):
            continue  # 'pelo menos uma criança', which compares
        text = _EQUALS.sub("", _behind(inside, words[:length]).lstrip("."))
        if not text.strip():
            return _Said(column.name, inside, is_condition=False)
        if _is_of_cells(text):
            return _Said(column.name, inside, is_condition=True)
        values = [each.strip() for each in _BETWEEN.split(text) if each.strip()]
        if (flag := _as_flag(column, values)) is not None:
            said = column.name if flag else f"{run.without} {column.name}"
            return _Said(column.name, said, is_condition=True)
        if index.is_number(column.name) and all(map(_NUMBER.fullmatch, values)):
            return _Said(column.name, inside, is_condition=True)
        if held := _spelt(column, values):
            return _Said(column.name, run.either(column.name, held), is_condition=True)
    return None


def _behind(text: str, words: Sequence[Word]) -> str:
    """Return a text behind some words with which it begins."""
    at = 0
    for word in words:
        at = text.index(word.text, at) + len(word.text)
    return text[at:]


def _spelt(column: ColumnProfile, values: Sequence[str]) -> tuple[str, ...]:
    """Return values of a column as it spells them, nothing where it lacks one."""
    known = {fold(str(each)): str(each) for each in column.known}
    if column.type in ("integer", "number"):
        known = {each.removesuffix(".0"): each for each in known}
        if not all(map(_NUMBER.fullmatch, values)):
            return ()
    if column.type == "boolean":
        return ()
    spelt = tuple(known.get(fold(each), "") for each in values)
    return spelt if all(spelt) else ()


def _as_flag(column: ColumnProfile, values: Sequence[str]) -> bool | None:
    """Return whether words say yes or no of a column of both, None where they say neither."""
    flag = flag_values(column)
    if flag is None or not values:
        return None
    told = dict(YES_NO)
    told |= {normalize(each): not place for pair in _PAIRS for place, each in enumerate(pair)}
    for place, each in enumerate(flag):
        told[normalize(f"{each:g}" if isinstance(each, float) else str(each))] = not place
    answers = {told.get(normalize(each)) for each in values}
    return answers.pop() if len(answers) == 1 else None


def _cues_of(words: Sequence[Word]) -> set[str]:
    """Return the cues that words are, in either language of the program."""
    text = " ".join(word.text for word in words)
    return {each for told in ("pt", "en") for each in cues_in(text, told) if each[:1] == "#"}


def _is_of_cells(text: str) -> bool:
    """Return whether a text says that cells are empty or filled: 'em branco', 'preenchida'."""
    words = tokenize(text)
    filled = {word.normalized for word in words} <= words_by_role("filled")
    return "#missing" in _cues_of(words) or filled


class _Run:
    """The words before brackets, and what each names in the data."""

    def __init__(self, before: str, language: Language, index: SchemaIndex) -> None:
        self._lexicon, self._index, self._language = current_lexicon(), index, language
        self._text, self._words = before, tokenize(before)
        self._spans: list[tuple[int, int]] = []
        at = 0
        for word in self._words:
            begin = before.find(word.text, at)
            self._spans.append((begin, begin + len(word.text)))
            at = max(at, begin + len(word.text))
        keys, linker = keys_of(self._words, self._lexicon), linker_of(index)
        inside = frozenset(
            place for place, word in enumerate(self._words) if self._joins(word.normalized)
        )
        self._named: list[set[str]] = [set() for _ in self._words]
        for place in range(len(self._words)):
            if place in inside:
                continue
            columns = linker.columns_at(keys, place, inside)
            values = linker.values_at(keys, place, inside)
            found = [
                (each.column, each.length) for each in columns if each.cost <= MOST_NAMING_COST
            ]
            found += [
                (each.column, each.length) for each in values if each.cost <= MOST_NAMING_COST
            ]
            for name, length in found:
                for named in self._named[place : place + length]:
                    named.add(name)

    @property
    def without(self) -> str:
        """The word for 'without' in the question's language."""
        return str(lexicons()[self._language]["words"]["denial"][-1])

    def either(self, column: str, values: Sequence[str]) -> str:
        """Return a condition in words: the values by themselves where they are names."""
        joined = f" {lexicons()[self._language]['words']['or'][0]} "
        if all(len(each) > _SHORT and not any(map(str.isdigit, each)) for each in values):
            return joined.join(f'"{each}"' for each in values)
        return f"{column} {joined.join(values)}"

    def explained_by(self, said: _Said, *, is_adjacent: bool) -> tuple[int, int] | None:
        """Return the place of the words that brackets explain, None where there are none."""
        last = len(self._words) - 1
        if any(start < 0 for start, _ in self._spans):
            return None
        is_adjacent = is_adjacent and not (last >= 0 and self._cue(last) in _OF_WHAT)
        if not is_adjacent:  # behind the question: the nearest words that nothing else explains
            while last >= 0 and not self._is_explained(last, said):
                last -= 1
        start, verbs, told = -1, 0, 0
        for place in range(last, -1, -1):
            if place < last and re.search(r"[,;:.?!()]", self._gap(place)):
                break
            word = self._words[place].normalized
            if self._denies(place):
                start = place if said.is_condition and start >= 0 else start
                break
            if self._joins(word) or word in words_by_role("adverb"):
                continue
            if verbs == 0 and told < _MOST_WORDS and self._is_explained(place, said):
                start, told = place, told + 1
                continue
            is_row = place == last and not said.is_condition and self._is_row(place)
            if is_row:
                start, told = place, told + 1
                continue
            if not (said.is_condition and start >= 0 and self._is_idle(place)):
                break
            verbs += 1
            if verbs > _MOST_VERBS:
                break
        return None if start < 0 else (self._spans[start][0], self._spans[last][1])

    def _gap(self, place: int) -> str:
        return self._text[self._spans[place][1] : self._spans[place + 1][0]]

    def _joins(self, word: str) -> bool:
        return word in self._lexicon.joining and word not in words_by_role("denial")

    def _denies(self, place: int) -> bool:
        word = self._words[place].normalized
        following = self._words[place + 1].normalized if place + 1 < len(self._words) else ""
        is_not_yet = word in words_by_role("not_yet") and INFINITIVE.fullmatch(following)
        return word in words_by_role("denial") or bool(is_not_yet)

    def _is_idle(self, place: int) -> bool:
        """Return whether a word only says that something is, or is done."""
        word = self._words[place].normalized
        return (
            is_neutral_verb(word) or word in words_by_role("copula") or self._cue(place) == "#noise"
        )

    def _cue(self, place: int) -> str:
        tokens = self._lexicon.tokens([self._words[place]], self._language)
        return tokens[0].lemma if tokens and tokens[0].is_cue else ""

    def _is_row(self, place: int) -> bool:
        word = self._words[place]
        (keys,) = keys_of([word], self._lexicon)
        return self._index.names_rows(Token((word,), word.normalized)) or bool(
            keys.concepts & self._lexicon.rows
        )

    def _is_explained(self, place: int, said: _Said) -> bool:
        """Return whether a word names the same column, or nothing at all."""
        word = self._words[place]
        is_state = word.normalized in words_by_role("open_state") | words_by_role("over_state")
        if said.column in self._named[place] or (said.is_condition and is_state):
            return True
        is_other = bool(self._named[place]) or self._is_row(place) or self._is_idle(place)
        is_other = is_other or bool(self._cue(place)) or self._joins(word.normalized)
        return not (is_other or any(map(str.isdigit, word.text)) or self._denies(place))
