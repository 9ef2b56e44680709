"""Questions over one data set, made ready once for both readers: their words, days and hours.

The text is what a person said with its short words in full. Nothing is cut out of it: what says
days or hours, and what brackets say in the data's own words, is marked, and the words are those
beside the marks.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

from qhub_desktop.core.text import Language
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.date_units import Calendar, Span
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import Filter
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.schema_linking import linker_of
from qhub_desktop.nlq.semantic.word_keys import keys_of
from qhub_desktop.nlq.shorthand import names_with_months, written_out_question
from qhub_desktop.nlq.statistic_kinds import EXTREMES, STATISTIC_CUES
from qhub_desktop.nlq.temporal import days_in, says_ahead, says_relatively, with_years
from qhub_desktop.nlq.times_of_day import Hours, hours_in, part_of_day_in
from qhub_desktop.nlq.tokenizer import Place, Word, blanked, stem, tokenize
from qhub_desktop.nlq.word_meanings import COPULAS

# '50.000' and '50 000', or in English '50,000', are 50000.
_THOUSANDS = (
    re.compile(r"(?<![\d.,/])[1-9]\d{0,2}(?:[.\N{NO-BREAK SPACE} ]\d{3})+(?![\d.,/])"),
    re.compile(r"(?<![\d.,/])[1-9]\d{0,2}(?:,\d{3})+(?![\d.,/])"),
)
# 'não, as menores' corrects what was said.
_CORRECTED = re.compile(
    rf"^\s*(?:{'|'.join(sorted(words_by_role('correction')))})\s*[,;.:]", re.IGNORECASE
)
_GLOSS = re.compile(r"(?<=\w) ?\((?P<inside>[^()]{1,60})\)")
_GLOSSED = 3  # words, at most, that brackets say otherwise
_SET_AGAINST = ("#after", "#before")
_LEFT_OUT = "\N{OBJECT REPLACEMENT CHARACTER}"  # ends a date, as no blank does
_SPANS = 2  # of days, that are compared or joined


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question over one data set: its words, and the days and hours that stand beside them.

    Compared by identity, as each is made once.
    """

    text: str
    index: SchemaIndex
    language: Language
    words: tuple[Word, ...]
    tokens: tuple[Token, ...]  # the words put together to phrases, slips of the finger mended
    days: tuple[Span, ...]  # at most two
    hours: Hours | None
    said_days: str  # the words that say the days
    said_hours: str
    relative: str  # those that count from today, in data that ended long ago
    is_ahead: bool  # the days are still to come

    def hours_on(self, named: Iterable[str]) -> Filter | None:
        """Return the condition on times of day, None where no column has any.

        It is on the one column of moments or times that is named, else on the data's own.
        """
        timed = [each for each in named if self.index.column(each).type in ("datetime", "time")]
        column = timed[0] if len(timed) == 1 else self.index.hour_column
        if column is None or self.hours is None:
            return None
        return Filter(column, self.hours.numbers, self.hours.relation, self.hours.grain)


@lru_cache(maxsize=512)
def question_over(text: str, index: SchemaIndex, language: Language, today: date) -> Question:
    """Return a question over a data set; cached, since each round reads a conversation anew."""
    calendar = Calendar(today=today, last=index.last_day or today)
    text = _THOUSANDS[language == "en"].sub(lambda said: re.sub(r"\D", "", said[0]), text)
    text = written_out_question(_as_follow_up(text), index, language)
    text = with_years(text, calendar, index.is_code)
    clock, hours = _hours_in(text, index)
    timed = blanked(blanked(text, clock), names_with_months(text, index), by=_LEFT_OUT)
    found = days_in(timed, calendar)[:_SPANS]
    days, spans = [place for place, _ in found], tuple(span for _, span in found)
    rest = blanked(timed, days[:1])
    is_relative = calendar.is_old and says_relatively(timed, rest)
    left = blanked(text, [*clock, *days])
    words = tokenize(blanked(left, _glossed(left, index, language), by=" "))
    words = _reordered(words, index)
    known = index.known | index.rare.known(words)
    return Question(
        text,
        index,
        language,
        words,
        current_lexicon().tokens(words, language, known=known),
        spans,
        hours,
        _said(text, days),
        _said(text, clock),
        relative=_said(text, days[:1]) if is_relative else "",
        is_ahead=bool(days) and says_ahead(timed, rest),
    )


def _hours_in(text: str, index: SchemaIndex) -> tuple[list[Place], Hours | None]:
    """Return where a text says times of day, and which; nothing where they may be a name."""
    found = hours_in(text)
    if found is not None and found[1].relation == "is" and index.hour_column is None:
        found = None
    if found is None and index.hour_column is not None and index.shift_column is None:
        found = part_of_day_in(text)
    return ([], None) if found is None else ([found[0]], found[1])


def _said(text: str, places: Sequence[Place]) -> str:
    return " ".join(text[start:end].strip() for start, end in places)


def _as_follow_up(text: str) -> str:
    """Return a correction as a follow-up: 'não, as menores' as 'e as menores', equally long."""
    joining = min(words_by_role("and"))
    return _CORRECTED.sub(lambda said: joining.ljust(len(said[0])), text)


def _glossed(text: str, index: SchemaIndex, language: Language) -> list[Place]:
    """Return the words that brackets say in the data's own: 'taxa de falha (machine failure)'."""
    lexicon = current_lexicon()
    places: list[Place] = []
    for gloss in _GLOSS.finditer(text):
        inside = lexicon.tokens(tokenize(gloss["inside"]), language, known=index.known)
        meaning = [each for each in inside if each.lemma]
        values, _ = index.values_at(meaning, 0) or ((), 0)
        named = index.columns_at(meaning, 0) or index.values_at(meaning, 0)
        if named is None or named[1] < len(meaning):
            continue
        before = [*re.finditer(r"\w+", text[: gloss.start()])][-_GLOSSED:]
        starts = [*(each.start() for each in before), gloss.start(), gloss.start()]
        start = gloss.start()
        for place in reversed(range(len(before))):
            word, both = before[place], text[starts[place] : starts[place + 2]]
            tokens = lexicon.tokens(tokenize(both), language, known=index.known)
            if any(each.lemma in _SET_AGAINST for each in tokens):  # 'depois do prazo (Due)'
                start = starts[place + 2]
                break
            tokens = lexicon.tokens(tokenize(word[0]), language, known=index.known)
            is_cue = any(each.is_cue and each.lemma != "#noise" for each in tokens)
            if is_cue or any(each.words[0].normalized in COPULAS for each in tokens):
                break
            if index.columns_at(tokens, 0) and not index.columns_at(meaning, 0):
                break
            told = {column for column, _ in (index.values_at(tokens, 0) or ((), 0))[0]}
            if values and told and told.isdisjoint(column for column, _ in values):
                break  # 'KLT4315 saíram (WA)', of which only what became of it is explained
            start = word.start()
        places += [(start, gloss.start("inside")), (gloss.end("inside"), gloss.end())]
    return places


def _reordered(words: Sequence[Word], index: SchemaIndex) -> tuple[Word, ...]:
    """Move a statistic before a column's name that it splits: 'pressão média da bomba A'."""
    ordered = [*words]
    lexicon, linker = current_lexicon(), linker_of(index)
    for place in range(1, len(ordered) - 1):
        stems = [stem(ordered[place].normalized)]
        cues = {lemma for lemma, _, _ in lexicon.cues_at(stems, 0, "pt")}
        if not cues & {*STATISTIC_CUES, *EXTREMES}:
            continue
        keys, after = keys_of(words, lexicon), place + 1
        while after < len(ordered) - 1 and ordered[after].normalized in lexicon.joining:
            after += 1
        before = {
            each.column: each.cost
            for each in linker.columns_at(keys, place - 1, frozenset())
            if each.length == 1
        }
        rest = [keys[place - 1], *keys[after : after + 3]]
        joined = [
            each
            for each in linker.columns_at(rest, 0, frozenset())
            if each.length > 1 and each.column in before and each.cost < before[each.column]
        ]
        if joined:
            ordered[place - 1 : after] = [ordered[place], ordered[place - 1]]
            return tuple(ordered)
    return tuple(ordered)
