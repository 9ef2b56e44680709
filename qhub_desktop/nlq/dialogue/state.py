"""The state of a dialogue, as a fold over the person's questions, and the plan of the last one."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.defect import LOG_ID
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.dialogue.carryover import follow_up
from qhub_desktop.nlq.dialogue.clarification import (
    MOST_READINGS,
    RememberedReadings,
    ResolvedAmbiguity,
    key,
    lacking,
    open_doubt,
    recalled,
)
from qhub_desktop.nlq.lexicon import small_words, vocabulary
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.parser.slots import Ambiguity, QuestionFrame
from qhub_desktop.nlq.planner import listed_on_a_page, new_plan, stands_alone
from qhub_desktop.nlq.query_ast import (
    DEFECT_FIELDS,
    Abilities,
    AsChart,
    AsDashboard,
    Ask,
    AsKpi,
    AsTable,
    AsWorkbook,
    DataPlan,
    Goodbye,
    Greeting,
    GroupBy,
    Help,
    Identity,
    Measure,
    Outliers,
    Part,
    Plan,
    Register,
    Rows,
    Talk,
    Thanks,
    Top,
    Unknown,
    Why,
    compared_last,
    dataset_of,
    numbers_of,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex, schema_index_of
from qhub_desktop.nlq.tokenizer import plain, tokenize

_NAMES = 200  # of a column, among which near ones are looked for


def data_plan(asked: QuestionFrame, topic: DataPlan | None) -> DataPlan | Unknown | Ask:
    """What a question asks for, after what was talked of before it."""
    if asked.has("future", "beyond"):
        return Unknown("future") if asked.has("future") else Unknown()
    if asked.unknown_dimension:
        return Unknown("column", asked.unknown_dimension)
    if asked.unknown and not (asked.coverage or asked.has_subject):
        return Unknown()
    if asked.unknown:
        return Unknown("value", asked.unknown, _nearest(asked))
    if topic is not None and asked.has("dashboard") and _points_back(asked):
        return AsDashboard((numbers_of(topic),))
    if topic is not None and _leans_on(asked, topic) and (followed := follow_up(asked, topic)):
        return followed
    if _only_presents(asked):
        return Unknown("nothing before")
    return lacking(asked) or new_plan(asked)


def _leans_on(asked: QuestionFrame, topic: DataPlan) -> bool:
    """Whether a question may be about what was talked of, and is not clear without it."""
    is_new = asked.first_cue != "#again" and stands_alone(asked)
    return dataset_of(topic) == asked.index.profile.dataset and not is_new


def _points_back(asked: QuestionFrame) -> bool:
    """'um painel com isso'."""
    words = {text.lower() for cue, text in asked.cue_words if cue == "#noise"}
    return bool(words & {"isso", "isto", "this", "that", "it"}) and not asked.names_something


def _only_presents(asked: QuestionFrame) -> bool:
    """'mostra num gráfico', of nothing."""
    is_presenting = asked.chart_kind is not None or asked.has(
        "chart", "table", "kpi", "workbook", "percent"
    )
    return is_presenting and not (
        asked.names_something or asked.has_subject or asked.has("trend", "top", "most", "count")
    )


def _nearest(asked: QuestionFrame) -> tuple[str, ...]:
    """The names in the data that are most like the words that were not found."""
    profile = asked.index.profile
    names = [each.name for each in profile.columns]
    names += [str(value) for each in profile.columns for value, _ in each.top[:_NAMES]]
    known = {name.casefold(): name for name in names if not name.isdigit()}
    found: list[str] = []
    for word in asked.unknown:
        found += difflib.get_close_matches(word.casefold(), known, n=2, cutoff=0.7)
    return tuple(dict.fromkeys(known[name] for name in found))


_GREETINGS: dict[str, Part] = {
    "#greet": "hello",
    "#greet_morning": "morning",
    "#greet_afternoon": "afternoon",
    "#greet_night": "night",
}
_SOCIAL: tuple[tuple[str, Talk], ...] = (
    ("#identity", Identity()),
    ("#abilities", Abilities()),
    ("#help", Help()),
    ("#thanks", Thanks()),
    ("#bye", Goodbye()),
)


def talk_of(cues: Sequence[str]) -> Talk | None:
    """The talk that a sentence is, if it has nothing else in it."""
    if not cues:
        return None
    rest = [cue for cue in cues if cue not in _GREETINGS and cue not in ("#again", "#noise")]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in _GREETINGS]):
        return Greeting(_GREETINGS[greeted[0]])
    return None


REMEMBERED = 20  # topics that one can go back to
# What parts the wishes of one question: 'os defeitos por turno, o top 5 de racks e a tendência'.
_LIST = re.compile(r"[,;]|\b(?:e|and|plus)\b", re.IGNORECASE)
_POSITION = re.compile(rf"\b(?:{'|'.join(small_words('position'))})\s*[:=]?\s*(\d{{1,4}})\b")
_FILE_ENDING = re.compile(r"\.(?:csv|xlsx|xlsm|xls|txt|tsv)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question asks for, in which language, and what a follow-up would be about."""

    plan: Plan
    language: Language
    topic: DataPlan | None = None
    about: str = ""  # the data set that was looked at
    ignored: tuple[str, ...] = ()  # words that were passed over
    earlier: tuple[DataPlan, ...] = ()  # the topics before, the latest last
    kept: DataPlan | None = None  # what the plan was made from, where it follows up
    doubted: tuple[ResolvedAmbiguity, ...] = ()  # words of several readings


NOTHING = Understanding(Unknown(), "pt")


def understand(
    questions: Iterable[tuple[str, date]], profiles: Sequence[DatasetProfile]
) -> Understanding:
    """The last question's meaning: a fold over all of them, each with its day."""
    indexes = [schema_index_of(profile) for profile in profiles]
    before = NOTHING
    for question, day in questions:
        before = understand_one(question, before, indexes, today=day)
    return before


def understand_one(
    question: str,
    before: Understanding,
    indexes: Sequence[SchemaIndex],
    *,
    today: date,
    chosen: Mapping[str, RememberedReadings] | None = None,
) -> Understanding:
    """One question's meaning after what was understood before.

    `chosen` tells for each data set which readings of words the person chose.
    """
    before = replace(before, doubted=())
    question = _FILE_ENDING.sub(" ", question)
    words = tokenize(question)
    language = vocabulary().language(words) or before.language
    cues = [token.lemma for token in vocabulary().tokens(words, language) if not token.is_empty]
    if talk := talk_of(cues):
        return replace(before, plan=talk, language=language, ignored=())
    if not indexes:
        return replace(before, plan=Unknown(), language=language, ignored=())
    if "#undo" in cues:
        return _undone(before, language)

    asked = _about(question, before, indexes, language=language, today=today)
    about = asked.index.profile.dataset
    plan: Plan = _report(asked, before, question, today=today) or _planned(
        asked, before.topic, question, language=language, today=today
    )
    known = (chosen or {}).get(about, {})
    doubted: tuple[ResolvedAmbiguity, ...] = ()
    if not isinstance(plan, Unknown) and asked.doubts:
        ask_again = partial(parse, question, asked.index, language=language, today=today)
        plan, doubted = _asking(asked.doubts, ask_again, before.topic, known) or (plan, ())
    if isinstance(plan, Ask):
        plan, asked_back = recalled(plan, question, known)
        doubted = (*asked_back, *doubted)
    if isinstance(plan, (Unknown, Why, Register, Ask)):
        return replace(
            before, plan=plan, language=language, about=about, ignored=(), doubted=doubted
        )
    assert not isinstance(plan, (Greeting, Thanks, Goodbye, Help, Abilities, Identity))
    after = taken(before, plan, language, ignored=_passed_over(asked, plan))
    return replace(after, doubted=doubted)


def taken(
    before: Understanding, plan: DataPlan, language: Language, *, ignored: tuple[str, ...] = ()
) -> Understanding:
    """A plan as what is talked of from now on."""
    earlier = (*before.earlier, before.topic) if before.topic is not None else before.earlier
    return Understanding(
        plan, language, plan, dataset_of(plan), ignored, earlier[-REMEMBERED:], before.topic
    )


def _undone(before: Understanding, language: Language) -> Understanding:
    """What was talked of before the last change."""
    if not before.earlier:
        return replace(before, plan=Unknown("nothing before"), language=language, ignored=())
    *earlier, plan = before.earlier
    return Understanding(plan, language, plan, dataset_of(plan), earlier=tuple(earlier))


def _about(
    question: str,
    before: Understanding,
    indexes: Sequence[SchemaIndex],
    *,
    language: Language,
    today: date,
) -> QuestionFrame:
    """The question over the data set that explains most of it; of several, the last dropped."""
    topic = dataset_of(before.topic) if before.topic else None
    recent = compared_last(before.topic) if before.topic else None
    readings = [
        parse(question, index, language=language, today=today, recent=recent) for index in indexes
    ]

    def fitness(place: int) -> tuple[bool, bool, bool, int, bool, int]:
        asked = readings[place]
        is_topic = not stands_alone(asked) and asked.index.profile.dataset == topic
        goes_on = is_topic and asked.first_cue == "#again"
        # Whoever does not speak of defects does not mean the station's log of them.
        is_meant = (
            asked.index.profile.id not in (LOG, LOG_ID) or is_topic or asked.speaks_of_defects
        )
        return asked.names_dataset, goes_on, is_meant, asked.coverage, is_topic, place

    return readings[max(range(len(readings)), key=fitness)]


def _report(
    asked: QuestionFrame, before: Understanding, question: str, *, today: date
) -> Register | None:
    """A defect to be reported, or more of one that was begun."""
    if asked.has("register") and not asked.has("count", "most", "top", "least"):
        return Register(_in_order(_reported(asked, question, today=today)))
    match before.plan:
        case Register(fields) as begun if begun.missing and not _wants_data(asked):
            more = _reported(asked, question, today=None)
            return Register(_in_order(dict(fields) | more)) if more else None
    return None


def _reported(asked: QuestionFrame, question: str, *, today: date | None) -> dict[str, str | int]:
    """The fields that a sentence gives. The day is `today` unless it says another."""
    found: dict[str, str | int] = {}
    for each in asked.filters:
        field = asked.index.profile.defect_field(each.column)
        if field is None or field not in DEFECT_FIELDS or each.relation != "is":
            continue
        if isinstance(value := each.values[0], str):
            found[field] = value
    if position := _POSITION.search(plain(question)):
        found["posicao"] = int(position[1])
    if asked.period is not None and asked.period.start is not None:
        found["data"] = asked.period.start.isoformat()
    elif today is not None:
        found["data"] = today.isoformat()
    return found


def _in_order(found: Mapping[str, str | int]) -> tuple[tuple[str, str | int], ...]:
    return tuple((name, found[name]) for name in (*DEFECT_FIELDS, "data") if name in found)


def _wants_data(asked: QuestionFrame) -> bool:
    return asked.has(
        "count", "most", "top", "least", "chart", "table", "describe", "which", "why", "show"
    ) or bool(asked.dimensions)


def _planned(
    asked: QuestionFrame, topic: DataPlan | None, question: str, *, language: Language, today: date
) -> Plan:
    """What is asked for, if it is no report."""
    if asked.has("why"):
        return _cause(asked)
    if asked.has("dashboard"):
        wishes = [
            parse(each, asked.index, language=language, today=today)
            for each in _LIST.split(question)
            if each.strip()
        ]
        if cards := listed_on_a_page(wishes, asked.scope):
            return AsDashboard(cards)
    return data_plan(asked, topic)


def _cause(asked: QuestionFrame) -> Why:
    """A cause that is asked for, of the rows and the number that the question names."""
    index = asked.index
    scope = asked.scope if asked.filters or asked.period else None
    named = [each.column for each in asked.columns if index.is_measure(each.column)]
    if not named:
        return Why(scope)
    return Why(scope, Measure("sum" if index.is_amount(named[0]) else "mean", named[0]))


def _asking(
    doubts: Sequence[Ambiguity],
    ask_again: Callable[..., QuestionFrame],
    topic: DataPlan | None,
    known: RememberedReadings,
) -> tuple[Ask, tuple[ResolvedAmbiguity, ...]] | None:
    """What is asked back, every reading with the plan that it makes; and the doubts not asked."""
    doubt, others = open_doubt(doubts, known)
    readings: list[tuple[str, DataPlan]] = []
    for name, settled in doubt.options[:MOST_READINGS]:
        plan = data_plan(ask_again(chosen={**others, doubt.word: settled}), topic)
        if not isinstance(plan, (Unknown, Ask)):
            readings.append((name, plan))
    rest = tuple(ResolvedAmbiguity(word, chosen=known[key(word)]) for word in others)
    return (Ask(doubt.word, tuple(readings)), rest) if readings else None


def _passed_over(asked: QuestionFrame, plan: DataPlan) -> tuple[str, ...]:
    """The words that the plan does not heed, to be owned up to."""
    shown = (AsChart, AsTable, AsKpi, AsWorkbook)
    wanted = plan.of if isinstance(plan, shown) else plan
    if isinstance(wanted, Outliers) and asked.dimensions:
        return (*asked.ignored, *(each.column for each in asked.dimensions))
    shown_as = wanted.of if isinstance(wanted, AsDashboard) else (wanted,)
    heeds_number = asked.number is None or any(
        isinstance(each, (Top, GroupBy, Rows)) for each in shown_as
    )
    return asked.ignored if heeds_number else (*asked.ignored, str(asked.number))
