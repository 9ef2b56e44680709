"""Clarification questions: what is left open is asked back, and what was chosen is remembered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from qhub_desktop.core.message import Chip, Choice
from qhub_desktop.nlq.locale import AnswerLocale
from qhub_desktop.nlq.parser.slots import Ambiguity, QuestionFrame
from qhub_desktop.nlq.planner import new_plan
from qhub_desktop.nlq.query_ast import Ask, DataPlan, Dimension, Unknown, packed
from qhub_desktop.nlq.tokenizer import stem, tokenize

MOST_READINGS = 8  # that one can choose from at a glance


def lacking(asked: QuestionFrame) -> Ask | None:
    """A mean of nothing said, a ranking of nothing said: of which column, is asked back."""
    index = asked.index
    kind = asked.measure_kind
    is_numeric = any(index.is_number(each.column) for each in asked.columns)
    options: tuple[str, ...] = ()
    if (several := _several_amounts(asked)) is not None:
        return several
    is_per_time = asked.has_subject and any(each.grain for each in asked.dimensions)
    if is_per_time and kind == "mean":
        return None  # 'quantos lançamentos por dia em média?'
    if kind in ("mean", "median", "std", "sum") and not is_numeric and len(index.measures) > 1:
        options = index.measures
    elif asked.has("outliers", "correlation") and not is_numeric and len(index.measures) > 1:
        options = index.measures if asked.has("outliers") else ()
    elif _ranks_nothing(asked):
        options = index.categories
    elif _is_worst_of_nothing(asked):
        return _worst(asked)
    word = kind or ("outliers" if asked.has("outliers") else "top")
    readings = _readings((name, _naming(asked, name)) for name in options[:MOST_READINGS])
    return Ask(asked.said(f"#{word}"), readings) if readings else None


def _readings(meant: Iterable[tuple[str, QuestionFrame]]) -> tuple[tuple[str, DataPlan], ...]:
    """Whatever may be meant with the plan that it makes, if it makes one."""
    plans = ((name, new_plan(asked)) for name, asked in meant)
    return tuple((name, plan) for name, plan in plans if not isinstance(plan, Unknown))


def _naming(asked: QuestionFrame, column: str) -> QuestionFrame:
    """The same with a column named, too."""
    return replace(asked, columns=(*asked.columns, Dimension(column)))


def _several_amounts(asked: QuestionFrame) -> Ask | None:
    """'boas e rejeitadas por centro': one at a time, whichever is meant first."""
    index = asked.index
    named = [each for each in asked.columns if index.is_measure(each.column)]
    if len(named) == 1 and (asked.dimensions or len(asked.columns) > 1):
        return _several_kinds(asked)
    if (
        len(named) < 2
        or asked.names_chart_of("pair")
        or asked.has("rate", "percent", "correlation")
    ):
        return None
    readings = _readings((each.column, _measuring_only(asked, each)) for each in named)
    return Ask(" / ".join(each.column for each in named), readings) if readings else None


def _measuring_only(asked: QuestionFrame, kept: Dimension) -> QuestionFrame:
    """The same with one column that can be measured, of all that are named."""
    columns = (
        each for each in asked.columns if each == kept or not asked.index.is_measure(each.column)
    )
    return replace(asked, columns=tuple(columns))


def _several_kinds(asked: QuestionFrame) -> Ask | None:
    """'mínimo e máximo por posição': one at a time."""
    kinds = asked.measure_kinds
    is_ranking = asked.has("most", "least", "top", "which", "sort") or asked.number is not None
    if len(kinds) < 2 or is_ranking:
        return None
    words = {kind: asked.said(f"#{kind}") for kind in kinds}
    cues = {kind: asked.cues - {f"#{each}" for each in kinds if each != kind} for kind in kinds}
    readings = _readings((words[kind], replace(asked, cues=cues[kind])) for kind in kinds)
    return Ask(" / ".join(words.values()), readings) if readings else None


def _ranks_nothing(asked: QuestionFrame) -> bool:
    """'o top 3', of data in which nothing says what."""
    is_bare = not (asked.columns or asked.dimensions or asked.has_subject)
    return is_bare and asked.has("top") and not asked.index.is_of_defects


def _is_worst_of_nothing(asked: QuestionFrame) -> bool:
    """'o pior turno', of data that counts several things."""
    index = asked.index
    named = [*asked.columns, *asked.dimensions]
    is_said = asked.has_subject or any(index.is_number(each.column) for each in named)
    counts = any(index.is_amount(name) for name in index.measures) or (
        bool(index.measures) and index.type_column is None
    )
    return asked.has("worst", "best") and not is_said and counts and bool(named)


def _worst(asked: QuestionFrame) -> Ask:
    """By rows, or by one of the amounts."""
    index = asked.index
    counted = (index.profile.dataset, replace(asked, has_subject=True))
    amounts = (
        (name, _naming(asked, name))
        for name in index.measures
        if index.is_amount(name) or index.type_column is None
    )
    word = asked.said("#worst" if asked.has("worst") else "#best")
    return Ask(word, _readings((counted, *amounts))[:MOST_READINGS])


RememberedReadings = Mapping[
    str, str
]  # words as they are compared, each with the name of its reading


@dataclass(frozen=True, slots=True)
class ResolvedAmbiguity:
    """A word with its readings, each a plan, and the name of the one that was chosen."""

    word: str
    readings: tuple[tuple[str, DataPlan], ...] = ()
    chosen: str = ""  # none yet: it is asked back
    is_new: bool = False  # chosen with this very question


def key(words: str) -> str:
    """Words as they are compared: 'Temperaturas' is what 'temperatura' was."""
    return " ".join(stem(word.plain) for word in tokenize(words))


def open_doubt(
    doubts: Sequence[Ambiguity], known: RememberedReadings
) -> tuple[Ambiguity, dict[str, str]]:
    """The doubt to be asked about, one of which nothing is known if there is any.

    With it comes what settles the others, as far as it is known.
    """
    settled: dict[str, str] = {}
    for doubt in doubts:
        name = known.get(key(doubt.word), "")
        if (value := dict(doubt.options).get(name)) is not None:
            settled[doubt.word] = value
    doubt = next((each for each in doubts if each.word not in settled), doubts[0])
    settled.pop(doubt.word, None)
    return doubt, settled


def recalled(
    ask: Ask, question: str, known: RememberedReadings
) -> tuple[DataPlan | Ask, tuple[ResolvedAmbiguity, ...]]:
    """What to do about several readings: as was chosen, if anything was; and the doubt itself.

    Only what a word of the question means can be remembered.
    """
    word = key(ask.word)
    if f" {word} " not in f" {key(question)} ":
        return ask, ()
    readings, name = dict(ask.readings), known.get(word, "")
    if name not in readings:
        return ask, (ResolvedAmbiguity(ask.word, ask.readings),)
    return readings[name], (ResolvedAmbiguity(ask.word, ask.readings, name),)


def settled_by(
    doubted: Sequence[ResolvedAmbiguity], plan: DataPlan
) -> tuple[ResolvedAmbiguity, ...]:
    """The doubts that are settled by choosing a plan."""
    return tuple(
        replace(each, chosen=name, is_new=name != each.chosen)
        for each in doubted
        for name, made in each.readings
        if made == plan
    )


def describe(doubted: Sequence[ResolvedAmbiguity], voice: AnswerLocale) -> Iterator[str]:
    """A sentence on each word that was read as was chosen."""
    for each in doubted:
        if each.chosen and each.is_new:
            text = voice.gettext("“{word}”: {reading}, and from now on in data with these columns.")
            yield text.format(word=each.word, reading=each.chosen)
        elif each.chosen:
            text = voice.gettext("“{word}”: {reading}, as you chose before.")
            yield text.format(word=each.word, reading=each.chosen)


def chips(doubted: Sequence[ResolvedAmbiguity]) -> Iterator[Chip]:
    """A part to choose another reading with, for each word that was read as was chosen."""
    for each in doubted:
        others = [Choice(name, packed(plan)) for name, plan in each.readings if name != each.chosen]
        if each.chosen and others:
            yield Chip("reading", f"“{each.word}”: {each.chosen}", tuple(others))
