"""Preamble: greetings and reasons around a question, which ask nothing of the data.

'Bom dia, para a reunião preciso do custo por linha, se faz favor' asks for the cost by line. What
may be left out is told by its structure: a clause in which no word names anything in the data, and
of which a word greets, thanks or speaks of the one who asks. A noun alone is none: 'multas, quantas
houve?' is about fines. A clause that restricts or denies is none either.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.text import Language, fold_in_place
from qhub_desktop.nlq.dialogue.appositions import MOST_NAMING_COST
from qhub_desktop.nlq.lexicon import (
    cues_in,
    current_lexicon,
    role_pattern,
    tokens_in,
    words_by_role,
)
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import Part
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.semantic.schema_linking import linker_of
from qhub_desktop.nlq.semantic.word_keys import keys_of
from qhub_desktop.nlq.study_options import words_of
from qhub_desktop.nlq.tokenizer import normalize_in_place, tokenize
from qhub_desktop.nlq.word_meanings import RANKED

GREETINGS: dict[str, Part] = {
    "#greet": "hello",
    "#greet_morning": "morning",
    "#greet_afternoon": "afternoon",
    "#greet_night": "night",
}
_POLITE = frozenset([*GREETINGS, "#thanks", "#bye"])
_IDLE = _POLITE | {"", "#noise", "#show", "#everything", "#again", "#help"}
_RESTRICTS = frozenset(["#only", "#except", "#missing", "#instead", "#forget"])
_CLAUSES = re.compile(r"(?<=[!?;:,])\s+|(?<=\.)\s+(?=[A-ZÀ-Ý])")
_SENTENCES = re.compile(r"(?<=[!?;:])\s+|(?<=\.)\s+(?=[A-ZÀ-Ý])")
_HOUR = re.compile(r"\b\d{1,2}(?:h(?:\d\d)?|:\d\d)(?!\w)", re.IGNORECASE)
_LONG = 12  # words; a shorter question has no sentence beside it
_ASKING_CUES = frozenset(["#count", "#which", "#mean", "#sum", "#list", "#show", "#chart"])

FramesOf = Callable[[str], list[QuestionFrame]]


def without_preamble(
    question: str, language: Language, indexes: Sequence[SchemaIndex], frames_of: FramesOf
) -> str:
    """Leave out what asks nothing of the data, where another part of the question does.

    Args:
        question: As the person said it.
        language: That of the question.
        indexes: The data sets that it may be about.
        frames_of: Parses a text over each of them.

    """

    def is_named(said: str) -> bool:
        return _names_something(said, language, indexes)

    def is_idle(clause: str) -> bool:
        return _asks_nothing(clause, language) and not is_named(clause)

    def without_idle(said: str) -> str:
        clauses = _CLAUSES.split(said)
        while len(clauses) > 1 and is_idle(clauses[0]):
            clauses = clauses[1:]
        while len(clauses) > 1 and is_idle(clauses[-1]):
            clauses = clauses[:-1]
        return " ".join(clauses).rstrip(",;: ")

    rest = without_idle(_behind_request(without_idle(question), language, is_named))
    is_cut = rest != question and (_asks(rest, language) or is_named(rest))
    return _asking_sentences(rest if is_cut else question, language, frames_of)


def is_thanked(question: str, language: Language, indexes: Sequence[SchemaIndex]) -> bool:
    """Return whether someone only thanks, in whatever words: 'valeu demais, era isso aí'."""
    cues = cues_in(question, language)
    told = {each for each in cues if each.startswith("#")}
    if "#thanks" not in cues or "?" in question or not told <= _IDLE - {"#again"}:
        return False
    return not (any(map(str.isdigit, question)) or _names_something(question, language, indexes))


def _behind_request(question: str, language: Language, is_named: Callable[[str], bool]) -> str:
    """Return a question without what stands before 'I need' or 'pediu-me' in its sentence.

    That is who asked for it, what for, or what the person is doing. What names something in the
    data stays: 'for the members who left, I need…'.
    """
    folded = fold_in_place(question)
    for found in reversed([*_requests().finditer(folded)]):
        begin = max(
            (each.end() for each in _SENTENCES.finditer(question[: found.start()])), default=0
        )
        prefix, rest = question[begin : found.start()], question[found.end() :]
        if not (_asks(rest, language) or is_named(rest)):
            continue
        first = [word.normalized for word in tokenize(prefix)[:1]]
        is_of_others = found["others"] is not None
        is_of_speaker = bool({*first} & words_by_role("speaker"))
        cues = cues_in(prefix, language)
        says_when = {*first} & words_by_role("purpose")  # 'para a reunião das 9h'
        counted = _HOUR.sub("", prefix) if says_when else prefix
        is_empty = not (cues & _RESTRICTS or any(map(str.isdigit, counted)) or is_named(counted))
        if is_of_others or is_of_speaker or is_empty:
            return f"{question[:begin]}{rest.lstrip(' ,:')}"
    return question


def _asks(said: str, language: Language) -> bool:
    """Return whether a word asks for a number or rows, or a number or a day is said."""
    return bool(cues_in(said, language) & _ASKING_CUES - {"#show"}) or any(map(str.isdigit, said))


def _asks_nothing(clause: str, language: Language) -> bool:
    """Return whether a clause greets, thanks or speaks of who asks, and no word asks for more."""
    told = {each for each in cues_in(clause, language) if each.startswith("#")}
    if words_of("study_words", "level").search(normalize_in_place(clause)):
        return False  # 'nível I', in which no one speaks
    is_marked = bool(told & _POLITE) or any(
        word.normalized in words_by_role("speaking_person") for word in tokenize(clause)
    )
    if clause.rstrip().endswith(":") and "#kpi" in told:
        is_marked, told = True, told - {"#kpi"}  # 'um indicador:'
    return is_marked and told <= _IDLE and not any(map(str.isdigit, clause))


def _names_something(said: str, language: Language, indexes: Sequence[SchemaIndex]) -> bool:
    """Return whether a word names a column or a value of one of the data sets.

    The station's own log of defects has no say where other data were brought.
    """
    brought = [each for each in indexes if each.profile.id not in (LOG, LOG_ID)]
    lexicon = current_lexicon()
    words = tokenize(said)
    keys = keys_of(words, lexicon)
    social = {
        word.normalized
        for token in tokens_in(said, language)
        if token.lemma in _POLITE or token.lemma.startswith("#grain_")
        for word in token.words
    }
    passed = social | lexicon.joining
    places = [at for at, each in enumerate(words) if each.normalized not in passed]
    linkers = [linker_of(index) for index in brought or indexes]
    nothing = frozenset[int]()
    return any(
        any(link.cost <= MOST_NAMING_COST for link in linker.columns_at(keys, at, nothing))
        or any(link.cost <= MOST_NAMING_COST for link in linker.values_at(keys, at, nothing))
        for linker in linkers
        for at in places
    )


def _asking_sentences(question: str, language: Language, frames_of: FramesOf) -> str:
    """Leave out sentences of a long question that ask nothing of the data, where others do."""
    is_short = len(question.split()) < _LONG
    if is_short or not cues_in(question, language).isdisjoint(("#dashboard", "#by")):
        return question
    asking = [
        each
        for each in _SENTENCES.split(question)
        if cues_in(each, language) & (_ASKING_CUES | RANKED)  # 'the very last: who was it?'
        or any(frame.filters or frame.columns for frame in frames_of(each))
        or any(map(str.isdigit, each))  # 'menores de 5 anos: …'
    ]
    return " ".join(asking) if asking else question


@cache
def _requests() -> re.Pattern[str]:
    """Return a pattern of what asks for something: of oneself, or of what others want."""
    own, others = (role_pattern("words", each) for each in ("requesting", "asked_by_others"))
    return re.compile(rf"(?<!\w)(?:(?P<others>{others})|{own})(?!\w)".replace(r"\ ", r"[\s\-]+"))
