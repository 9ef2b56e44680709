"""Questions to plans: each understood by itself, and against what was talked of before it."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from qhub_desktop.chat.offline.ask import ask
from qhub_desktop.chat.offline.asked import Asked, Doubt
from qhub_desktop.chat.offline.compose import numbers
from qhub_desktop.chat.offline.follow import follow_up, numbers_of
from qhub_desktop.chat.offline.index import LOG, Index, index_of
from qhub_desktop.chat.offline.panels import on_a_page
from qhub_desktop.chat.offline.plan import (
    Abilities,
    AsChart,
    AsDashboard,
    Ask,
    AsKpi,
    AsTable,
    AsWorkbook,
    Columns,
    Data,
    Describe,
    Dimension,
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
)
from qhub_desktop.chat.offline.present import presented
from qhub_desktop.chat.offline.register import continued, is_complete, reported
from qhub_desktop.chat.offline.settling import Doubted, Known, key, open_doubt, recalled
from qhub_desktop.chat.offline.vocabulary import vocabulary
from qhub_desktop.chat.offline.words import read
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.defect import LOG_ID
from qhub_desktop.core.text import Language

REMEMBERED = 20  # topics that one can go back to
MOST_READINGS = 8  # that one can choose from at a glance
NAMES = 200  # of a column, among which near ones are looked for
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
    earlier: tuple[Data, ...] = ()  # the topics before, the latest last
    kept: Data | None = None  # what the plan was made from, where it follows up
    doubted: tuple[Doubted, ...] = ()  # words of several readings


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
    question: str,
    before: Understanding,
    indexes: Sequence[Index],
    *,
    today: date,
    chosen: Mapping[str, Known] | None = None,
) -> Understanding:
    """One question's meaning after what was understood before.

    `chosen` tells for each data set which readings of words the person chose.
    """
    before = replace(before, doubted=())
    question = _FILE_ENDING.sub(" ", question)
    words = read(question)
    language = vocabulary().language(words) or before.language
    cues = [token.lemma for token in vocabulary().tokens(words, language) if not token.is_empty]
    if talk := _talk(cues):
        return replace(before, plan=talk, language=language, ignored=())
    if not indexes:
        return replace(before, plan=Unknown(), language=language, ignored=())
    if "#undo" in cues:
        return _undone(before, language)

    asked = _about(question, before, indexes, language=language, today=today)
    about = asked.index.profile.dataset
    plan: Plan | None = _report(asked, before, question, today=today)
    if plan is None and asked.has("why"):
        plan = _cause(asked)
    if plan is None:
        plan = _data_plan(asked, before.topic)
    known = (chosen or {}).get(about, {})
    doubted: tuple[Doubted, ...] = ()
    if not isinstance(plan, Unknown) and asked.doubts:
        ask_again = partial(ask, question, asked.index, language=language, today=today)
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


def _cause(asked: Asked) -> Why:
    """A cause that is asked for, of the rows and the number that the question names."""
    index = asked.index
    scope = asked.scope if asked.filters or asked.period else None
    named = [each.column for each in asked.columns if index.is_measure(each.column)]
    if not named:
        return Why(scope)
    return Why(scope, Measure("sum" if index.is_amount(named[0]) else "mean", named[0]))


def taken(
    before: Understanding, plan: Data, language: Language, *, ignored: tuple[str, ...] = ()
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


def _asking(
    doubts: Sequence[Doubt], ask_again: Callable[..., Asked], topic: Data | None, known: Known
) -> tuple[Ask, tuple[Doubted, ...]] | None:
    """What is asked back, every reading with the plan that it makes; and the doubts not asked."""
    doubt, others = open_doubt(doubts, known)
    readings: list[tuple[str, Data]] = []
    for name, settled in doubt.options[:MOST_READINGS]:
        plan = _data_plan(ask_again(chosen={**others, doubt.word: settled}), topic)
        if not isinstance(plan, (Unknown, Ask)):
            readings.append((name, plan))
    rest = tuple(Doubted(word, chosen=known[key(word)]) for word in others)
    return (Ask(doubt.word, tuple(readings)), rest) if readings else None


def _talk(cues: Sequence[str]) -> Talk | None:
    """What is said between people, if the sentence has nothing else in it."""
    if not cues:
        return None
    rest = [cue for cue in cues if cue not in _GREETINGS and cue not in ("#again", "#noise")]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in _GREETINGS]):
        return Greeting(_GREETINGS[greeted[0]])
    return None


def _compared_last(topic: Data | None) -> str | None:
    """The column of numbers that was last compared: 'acima de 28? e abaixo de 22?'."""
    if topic is None or isinstance(topic, (Describe, Columns)):
        return None
    compared = [
        each.column
        for each in numbers_of(topic).scope.filters
        if each.relation not in ("is", "is not", "missing") and not each.grain
    ]
    return compared[-1] if compared else None


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
    recent = _compared_last(before.topic)
    readings = [
        ask(question, index, language=language, today=today, recent=recent) for index in indexes
    ]

    def fitness(place: int) -> tuple[bool, bool, bool, int, bool, int]:
        asked = readings[place]
        is_topic = not _stands_alone(asked) and asked.index.profile.dataset == topic
        goes_on = is_topic and asked.first_cue == "#again"
        # Whoever does not speak of defects does not mean the station's log of them.
        is_meant = (
            asked.index.profile.id not in (LOG, LOG_ID) or is_topic or asked.speaks_of_defects
        )
        return asked.names_dataset, goes_on, is_meant, asked.coverage, is_topic, place

    return readings[max(range(len(readings)), key=fitness)]


def dataset_of(plan: Data) -> str:
    """The data set that a plan is about."""
    match plan:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of):
            return of.scope.dataset
        case AsDashboard(of=plans):
            return plans[0].scope.dataset
        case Describe(dataset) | Columns(dataset):
            return dataset
        case _:
            return plan.scope.dataset


def _passed_over(asked: Asked, plan: Data) -> tuple[str, ...]:
    """The words that the plan does not heed, to be owned up to."""
    shown = (AsChart, AsTable, AsKpi, AsWorkbook)
    wanted = plan.of if isinstance(plan, shown) else plan
    if isinstance(wanted, Outliers) and asked.dimensions:
        return (*asked.ignored, *(each.column for each in asked.dimensions))
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


def _data_plan(asked: Asked, topic: Data | None) -> Data | Unknown | Ask:
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
    leans = topic is not None and _is_about(asked, topic) and not _is_new(asked)
    if topic is not None and leans and (followed := follow_up(asked, topic)):
        return followed
    if _only_presents(asked):
        return Unknown("nothing before")
    return _lacking(asked) or _new_plan(asked)


def _points_back(asked: Asked) -> bool:
    """'um painel com isso'."""
    words = {text.lower() for cue, text in asked.cue_words if cue == "#noise"}
    return bool(words & {"isso", "isto", "this", "that", "it"}) and not asked.names_something


def _nearest(asked: Asked) -> tuple[str, ...]:
    """The names in the data that are most like the words that were not found."""
    profile = asked.index.profile
    names = [each.name for each in profile.columns]
    names += [str(value) for each in profile.columns for value, _ in each.top[:NAMES]]
    known = {name.casefold(): name for name in names if not name.isdigit()}
    found: list[str] = []
    for word in asked.unknown:
        found += difflib.get_close_matches(word.casefold(), known, n=2, cutoff=0.7)
    return tuple(dict.fromkeys(known[name] for name in found))


def _lacking(asked: Asked) -> Ask | None:
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
    if not options:
        return None
    readings: list[tuple[str, Data]] = []
    for name in options[:MOST_READINGS]:
        plan = _new_plan(replace(asked, columns=(*asked.columns, Dimension(name))))
        if not isinstance(plan, Unknown):
            readings.append((name, plan))
    word = kind or ("outliers" if asked.has("outliers") else "top")
    return Ask(asked.said(f"#{word}"), tuple(readings)) if readings else None


def _several_amounts(asked: Asked) -> Ask | None:
    """'boas e rejeitadas por centro': one at a time, whichever is meant first."""
    index = asked.index
    named = [each for each in asked.columns if index.is_measure(each.column)]
    if len(named) == 1 and (asked.dimensions or len(asked.columns) > 1):
        return _several_kinds(asked)
    if len(named) < 2 or asked.has("rate", "percent", "correlation", "kind_scatter"):
        return None
    readings: list[tuple[str, Data]] = []
    for each in named:
        rest = tuple(one for one in asked.columns if one not in named or one == each)
        plan = _new_plan(replace(asked, columns=rest))
        if not isinstance(plan, Unknown):
            readings.append((each.column, plan))
    return Ask(" / ".join(each.column for each in named), tuple(readings)) if readings else None


def _several_kinds(asked: Asked) -> Ask | None:
    """'mínimo e máximo por posição': one at a time."""
    kinds = asked.measure_kinds
    is_ranking = asked.has("most", "least", "top", "which", "sort") or asked.number is not None
    if len(kinds) < 2 or is_ranking:
        return None
    readings: list[tuple[str, Data]] = []
    for kind in kinds:
        others = {f"#{each}" for each in kinds if each != kind}
        plan = _new_plan(replace(asked, cues=asked.cues - others))
        if not isinstance(plan, Unknown):
            readings.append((asked.said(f"#{kind}"), plan))
    word = " / ".join(asked.said(f"#{kind}") for kind in kinds)
    return Ask(word, tuple(readings)) if readings else None


def _ranks_nothing(asked: Asked) -> bool:
    """'o top 3', of data in which nothing says what."""
    is_bare = not (asked.columns or asked.dimensions or asked.has_subject)
    return is_bare and asked.has("top") and not asked.index.is_of_defects


def _is_worst_of_nothing(asked: Asked) -> bool:
    """'o pior turno', of data that counts several things."""
    index = asked.index
    named = [*asked.columns, *asked.dimensions]
    is_said = asked.has_subject or any(index.is_number(each.column) for each in named)
    counts = any(index.is_amount(name) for name in index.measures) or (
        bool(index.measures) and index.type_column is None
    )
    return asked.has("worst", "best") and not is_said and counts and bool(named)


def _worst(asked: Asked) -> Ask:
    """By rows, or by one of the amounts."""
    readings: list[tuple[str, Data]] = []
    counted = _new_plan(replace(asked, has_subject=True))
    if not isinstance(counted, Unknown):
        readings.append((asked.index.profile.dataset, counted))
    for name in asked.index.measures:
        is_meant = asked.index.is_amount(name) or asked.index.type_column is None
        if is_meant and len(readings) < MOST_READINGS:
            plan = _new_plan(replace(asked, columns=(*asked.columns, Dimension(name))))
            if not isinstance(plan, Unknown):
                readings.append((name, plan))
    word = asked.said("#worst" if asked.has("worst") else "#best")
    return Ask(word, tuple(readings))


def _is_about(asked: Asked, topic: Data) -> bool:
    return dataset_of(topic) == asked.index.profile.dataset


def _is_new(asked: Asked) -> bool:
    """Whether the question needs nothing that was said before it."""
    return asked.first_cue != "#again" and _stands_alone(asked)


def _stands_alone(asked: Asked) -> bool:
    if asked.has("describe", "columns", "trend", "compare", "missing", "duplicates"):
        return True
    if asked.has("outliers", "correlation") or asked.has_subject:
        return True
    if asked.names_dataset or (asked.has("data") and asked.has("show", "count", "list")):
        return True
    if asked.filters and asked.dimensions:
        return True
    if asked.measure_kinds and any(asked.index.is_number(each.column) for each in asked.columns):
        return True
    if asked.columns and asked.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    return any(asked.index.is_number(each.column) for each in asked.columns) and bool(
        asked.dimensions
    )


def _only_presents(asked: Asked) -> bool:
    is_meanting = asked.chart_kind is not None or asked.has(
        "chart", "table", "kpi", "workbook", "percent"
    )
    return is_meanting and not (
        asked.names_something or asked.has_subject or asked.has("trend", "top", "most", "count")
    )


def _new_plan(asked: Asked) -> Data | Unknown:
    index = asked.index
    dataset = index.profile.dataset
    if asked.ignored and not (asked.coverage or asked.has_subject or asked.has("data")):
        return Unknown()
    if asked.has("missing") or asked.has("duplicates"):
        wanted = numbers(asked)
        assert wanted is not None
        return wanted
    if asked.has("columns") and not asked.names_something:
        return Describe(dataset) if asked.has("rows") else Columns(dataset)
    if asked.has("dashboard"):
        return AsDashboard(on_a_page(asked))
    is_of_all = not (asked.dimensions or asked.filters or asked.columns or asked.period)
    if asked.has("describe") and is_of_all:
        return Describe(dataset)
    wanted = numbers(asked)
    return Unknown() if wanted is None else presented(wanted, asked)
