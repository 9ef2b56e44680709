"""Questions to plans: each understood by itself, and against what was talked of before it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from qhub_desktop.chat.offline.ask import ask
from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.compose import MEASURES, chart_kind, numbers
from qhub_desktop.chat.offline.follow import follow_up
from qhub_desktop.chat.offline.index import Index, index_of
from qhub_desktop.chat.offline.plan import (
    Abilities,
    AsChart,
    AsKpi,
    AsTable,
    AsWorkbook,
    Columns,
    Data,
    Describe,
    Goodbye,
    Greeting,
    GroupBy,
    Help,
    Identity,
    Part,
    Plan,
    Register,
    Rows,
    Talk,
    Thanks,
    Top,
    Unknown,
    Why,
)
from qhub_desktop.chat.offline.present import presented
from qhub_desktop.chat.offline.register import continued, is_complete, reported
from qhub_desktop.chat.offline.vocabulary import vocabulary
from qhub_desktop.chat.offline.words import read
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import Language

_FILE_ENDING = re.compile(r"\.(?:csv|xlsx|xlsm|xls|txt|tsv)\b", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question asks for, in which language, and what a follow-up would be about."""

    plan: Plan
    language: Language
    topic: Data | None = None
    about: str = ""  # the data set that was looked at
    ignored: tuple[str, ...] = ()  # words that were passed over


NOTHING = Understanding(Unknown(), "pt")


def understand(
    questions: Iterable[tuple[str, date]], profiles: Sequence[DatasetProfile]
) -> Understanding:
    """The last question's meaning: a fold over all of them, each with its day."""
    indexes = [index_of(profile) for profile in profiles]
    before = NOTHING
    for question, day in questions:
        before = understand_one(question, before, indexes, today=day)
    return before


def understand_one(
    question: str, before: Understanding, indexes: Sequence[Index], *, today: date
) -> Understanding:
    """One question's meaning after what was understood before."""
    question = _FILE_ENDING.sub(" ", question)
    words = read(question)
    language = vocabulary().language(words) or before.language
    cues = [token.lemma for token in vocabulary().tokens(words, language) if not token.is_empty]
    if talk := _talk(cues):
        return Understanding(talk, language, before.topic)
    if not indexes:
        return Understanding(Unknown(), language, before.topic)

    asked = _about(question, before, indexes, language=language, today=today)
    about = asked.index.profile.dataset
    if report := _report(asked, before, question, today=today):
        return Understanding(report, language, before.topic, about)
    if asked.has("why"):
        return Understanding(Why(), language, before.topic, about)
    plan = _data_plan(asked, before.topic)
    if isinstance(plan, Unknown):
        return Understanding(plan, language, before.topic, about)
    return Understanding(plan, language, plan, about, ignored=_passed_over(asked, plan))


def _talk(cues: Sequence[str]) -> Talk | None:
    """What is said between people, if the sentence has nothing else in it."""
    if not cues:
        return None
    rest = [cue for cue in cues if cue not in _GREETINGS and cue != "#again"]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in _GREETINGS]):
        return Greeting(_GREETINGS[greeted[0]])
    return None


def _about(
    question: str,
    before: Understanding,
    indexes: Sequence[Index],
    *,
    language: Language,
    today: date,
) -> Asked:
    """The question over the data set that explains most of it; of several, the last dropped."""
    topic = dataset_of(before.topic) if before.topic else None
    readings = [ask(question, index, language=language, today=today) for index in indexes]

    def fitness(place: int) -> tuple[bool, bool, int, bool, int]:
        asked = readings[place]
        is_topic = not _stands_alone(asked) and asked.index.profile.dataset == topic
        goes_on = is_topic and asked.first_cue == "#again"
        return asked.names_dataset, goes_on, asked.coverage, is_topic, place

    return readings[max(range(len(readings)), key=fitness)]


def dataset_of(plan: Data) -> str:
    """The data set that a plan is about."""
    match plan:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of):
            return of.scope.dataset
        case Describe(dataset) | Columns(dataset):
            return dataset
        case _:
            return plan.scope.dataset


def _passed_over(asked: Asked, plan: Data) -> tuple[str, ...]:
    """The words that the plan does not heed, to be owned up to."""
    shown = (AsChart, AsTable, AsKpi, AsWorkbook)
    wanted = plan.of if isinstance(plan, shown) else plan
    heeds_number = asked.number is None or isinstance(wanted, (Top, GroupBy, Rows))
    return asked.ignored if heeds_number else (*asked.ignored, str(asked.number))


def _report(asked: Asked, before: Understanding, question: str, *, today: date) -> Register | None:
    """A defect to be reported, or more of one that was begun."""
    if asked.has("register") and not asked.has("count", "most", "top", "least"):
        return Register(reported(asked, question, today=today))
    match before.plan:
        case Register(fields) if not is_complete(fields) and not _wants_data(asked):
            more = reported(asked, question, today=None)
            return Register(continued(fields, more)) if more else None
    return None


def _wants_data(asked: Asked) -> bool:
    return asked.has(
        "count", "most", "top", "least", "chart", "table", "describe", "which", "why", "show"
    ) or bool(asked.dimensions)


def _data_plan(asked: Asked, topic: Data | None) -> Data | Unknown:
    if asked.unknown_dimension:
        return Unknown("column", asked.unknown_dimension)
    if asked.unknown and not (asked.coverage or asked.has_subject):
        return Unknown()
    if asked.unknown:
        return Unknown("value", asked.unknown)
    leans = topic is not None and _is_about(asked, topic) and not _is_new(asked)
    if topic is not None and leans and (followed := follow_up(asked, topic)):
        return followed
    if _only_presents(asked):
        return Unknown("nothing before")
    return _new_plan(asked)


def _is_about(asked: Asked, topic: Data) -> bool:
    return dataset_of(topic) == asked.index.profile.dataset


def _is_new(asked: Asked) -> bool:
    """Whether the question needs nothing that was said before it."""
    return asked.first_cue != "#again" and _stands_alone(asked)


def _stands_alone(asked: Asked) -> bool:
    if asked.has("describe", "columns", "trend", "compare") or asked.has_subject:
        return True
    if asked.names_dataset or (asked.has("data") and asked.has("show", "count", "list")):
        return True
    if asked.filters and asked.dimensions:
        return True
    if asked.has(*MEASURES) and any(asked.index.is_number(each.column) for each in asked.columns):
        return True
    if asked.columns and asked.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    return any(asked.index.is_number(each.column) for each in asked.columns) and bool(
        asked.dimensions
    )


def _only_presents(asked: Asked) -> bool:
    is_presenting = chart_kind(asked) is not None or asked.has(
        "chart", "table", "kpi", "workbook", "percent"
    )
    return is_presenting and not (
        asked.names_something or asked.has_subject or asked.has("trend", "top", "most", "count")
    )


def _new_plan(asked: Asked) -> Data | Unknown:
    index = asked.index
    dataset = index.profile.dataset
    if asked.ignored and not (asked.coverage or asked.has_subject or asked.has("data")):
        return Unknown()
    if asked.has("beyond"):
        return Unknown()
    if asked.has("columns") and not asked.names_something:
        return Describe(dataset) if asked.has("rows") else Columns(dataset)
    if asked.has("describe") and not (asked.dimensions or asked.filters or asked.columns):
        return Describe(dataset)
    wanted = numbers(asked)
    return Unknown() if wanted is None else presented(wanted, asked)
