"""Clarification questions where slots are empty or ambiguous, and remembered answers to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from qhub_desktop.core.message import Chip, Choice
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.column_roles import is_limit
from qhub_desktop.nlq.grouping import is_good_state
from qhub_desktop.nlq.parser.slots import Ambiguity, QuestionFrame
from qhub_desktop.nlq.planner import new_plan
from qhub_desktop.nlq.query_ast import Ask, DataPlan, Dimension, Unknown, plan_to_json
from qhub_desktop.nlq.statistic_kinds import STATISTICS
from qhub_desktop.nlq.tokenizer import stem, tokenize

MOST_READINGS = 8  # offered at once


def clarification_for(frame: QuestionFrame) -> Ask | None:
    """Ask which column or criterion is meant where a required slot is empty: 'a média?'."""
    index = frame.index
    kind = frame.measure_kind
    is_numeric = any(index.is_number(each.column) for each in frame.columns)
    options: tuple[str, ...] = ()
    is_per_time = frame.has_subject and any(each.grain for each in frame.dimensions)
    moments = [each for each in frame.columns if index.is_moment(each.column)]
    if (is_per_time and kind == "mean") or len(moments) > 1:
        return None  # 'quantos lançamentos por dia em média?'
    needs_column = kind is not None and STATISTICS[kind].needs_column
    if needs_column and not is_numeric and len(index.measures) > 1:
        options = index.measures
    elif frame.has("outliers", "correlation") and not is_numeric and len(index.measures) > 1:
        options = index.measures if frame.has("outliers") else ()
    elif _lacks_dimension(frame):
        options = index.categories
    elif _lacks_criterion(frame):
        return _which_criterion(frame)
    word = kind or ("outliers" if frame.has("outliers") else "top")
    readings = _readings((name, _with_column(frame, name)) for name in options[:MOST_READINGS])
    return Ask(frame.words_of(f"#{word}"), readings) if readings else None


def _readings(meant: Iterable[tuple[str, QuestionFrame]]) -> tuple[tuple[str, DataPlan], ...]:
    """Return each candidate frame's plan, by name, leaving out those that make none."""
    plans = ((name, new_plan(frame)) for name, frame in meant)
    return tuple((name, plan) for name, plan in plans if not isinstance(plan, Unknown))


def _with_column(frame: QuestionFrame, column: str) -> QuestionFrame:
    """Return the frame with one more column."""
    return replace(frame, columns=(*frame.columns, Dimension(column)))


def _lacks_dimension(frame: QuestionFrame) -> bool:
    """Return whether a ranking names nothing to rank: 'o top 3'."""
    is_bare = not (frame.columns or frame.dimensions or frame.has_subject)
    return is_bare and frame.has("top") and not frame.index.is_of_defects


def _lacks_criterion(frame: QuestionFrame) -> bool:
    """Return whether 'o pior turno' has several criteria to choose from."""
    index = frame.index
    named = [*frame.columns, *frame.dimensions]
    is_said = frame.has_subject or any(index.is_number(each.column) for each in named)
    is_said = is_said or (frame.has("rate", "percent") and is_good_state(frame.filters) is not None)
    counts = any(index.is_amount(name) for name in index.measures) or (
        bool(index.measures) and index.type_column is None
    )
    return frame.has("worst", "best") and not is_said and counts and bool(named)


def _which_criterion(frame: QuestionFrame) -> Ask:
    """Ask whether to rank by rows or by an amount, by what is known to be bad or good first."""
    index = frame.index
    counted = (index.profile.dataset, replace(frame, has_subject=True))
    names = [each for each in index.measures if index.is_amount(each) or index.type_column is None]
    names = [each for each in names if not is_limit(each)]
    known = sorted(
        (each for each in names if index.is_gain(each) is not None),
        key=lambda name: index.is_gain(name) is True,
    )
    told = [(name, _with_column(frame, name)) for name in known or names]
    word = frame.words_of("#worst" if frame.has("worst") else "#best")
    readings = (*told, counted) if known else (counted, *told)
    return Ask(word, _readings(readings)[:MOST_READINGS])


# Word keys, each with the name of the reading that was chosen.
RememberedReadings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ResolvedAmbiguity:
    """An ambiguous word, or question: its readings with their plans, and the one chosen."""

    word: str
    readings: tuple[tuple[str, DataPlan], ...] = ()
    chosen: str = ""  # empty while the question is open
    is_new: bool = False  # chosen with the last message
    is_question: bool = False  # the word is a whole question


def word_key(words: str) -> str:
    """Return the key under which a word's reading is remembered: without case, accents, plural."""
    return " ".join(stem(word.normalized) for word in tokenize(words))


def open_ambiguity(
    ambiguities: Sequence[Ambiguity], known: RememberedReadings
) -> tuple[Ambiguity, dict[str, str]]:
    """Return the ambiguity to ask about, an unresolved one if there is any.

    With it come the remembered resolutions of the others.
    """
    settled: dict[str, str] = {}
    for ambiguity in ambiguities:
        name = known.get(word_key(ambiguity.word), "")
        if (value := dict(ambiguity.options).get(name)) is not None:
            settled[ambiguity.word] = value
    ambiguity = next((each for each in ambiguities if each.word not in settled), ambiguities[0])
    settled.pop(ambiguity.word, None)
    return ambiguity, settled


def resolve(
    ask: Ask, question: str, known: RememberedReadings
) -> tuple[DataPlan | Ask, tuple[ResolvedAmbiguity, ...]]:
    """Return the plan of the remembered reading, else the question; and the ambiguity itself.

    Only a reading of a word that stands in the question can be remembered.
    """
    word = word_key(ask.word)
    if f" {word} " not in f" {word_key(question)} ":
        return ask, ()
    readings, name = dict(ask.readings), known.get(word, "")
    if name not in readings:
        return ask, (ResolvedAmbiguity(ask.word, ask.readings),)
    return readings[name], (ResolvedAmbiguity(ask.word, ask.readings, name),)


def resolve_named(
    ask: Ask, question: str, known: RememberedReadings
) -> tuple[DataPlan | Ask, tuple[ResolvedAmbiguity, ...]]:
    """Return what `resolve` does, by a reading that was chosen, whatever the word was then.

    A fiscal year is 'ano fiscal' in one question and 'FY' in another.
    """
    labels = {label for label, _ in ask.readings}
    chosen = next((name for name in known.values() if name in labels), "")
    return resolve(ask, f"{ask.word} {question}", {word_key(ask.word): chosen})


def resolved_by(
    ambiguities: Sequence[ResolvedAmbiguity], plan: DataPlan
) -> tuple[ResolvedAmbiguity, ...]:
    """Return the ambiguities that choosing a plan resolves."""
    return tuple(
        replace(each, chosen=name, is_new=name != each.chosen)
        for each in ambiguities
        for name, made in each.readings
        if made == plan
    )


def describe(ambiguities: Sequence[ResolvedAmbiguity], locale: AnswerLocale) -> Iterator[str]:
    """Yield a sentence for each word that was read as chosen."""
    for each in ambiguities:
        if each.chosen and each.is_new:
            text = locale.gettext(
                "“{word}”: {reading}, and from now on in data with these columns."
            )
            yield text.format(word=locale.literal(each.word), reading=locale.literal(each.chosen))
        elif each.chosen:
            text = locale.gettext("“{word}”: {reading}, as you chose before.")
            yield text.format(word=locale.literal(each.word), reading=locale.literal(each.chosen))


def reading_chips(ambiguities: Sequence[ResolvedAmbiguity]) -> Iterator[Chip]:
    """Yield a chip with the other readings of each word that was read as chosen."""
    for each in ambiguities:
        others = [
            Choice(name, plan_to_json(plan)) for name, plan in each.readings if name != each.chosen
        ]
        if each.chosen and others and not each.is_question:
            yield Chip("reading", f"“{each.word}”: {each.chosen}", tuple(others))
