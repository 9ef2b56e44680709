"""State of a dialogue: a fold over the questions, which gives the plan of the last one."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cache, partial
from itertools import pairwise
from typing import Literal, cast

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.text import Language, lexicons
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.date_units import days_beside, says_those
from qhub_desktop.nlq.dialogue.appositions import without_appositions
from qhub_desktop.nlq.dialogue.candidates import (
    as_asked_of,
    candidates_over,
    is_elliptic,
    points_back,
)
from qhub_desktop.nlq.dialogue.carryover import carry_over
from qhub_desktop.nlq.dialogue.clarification import (
    MOST_READINGS,
    RememberedReadings,
    ResolvedAmbiguity,
    clarification_for,
    open_ambiguity,
    resolve,
    resolve_named,
    word_key,
)
from qhub_desktop.nlq.dialogue.fiscal_years import (
    FiscalYear,
    fiscal_readings,
    fiscal_year_in,
)
from qhub_desktop.nlq.dialogue.preamble import GREETINGS, is_thanked, without_preamble
from qhub_desktop.nlq.dialogue.references import both_answered, clauses_of, referred, refers
from qhub_desktop.nlq.dialogue.selection import (
    asks_criterion,
    choose,
    offered,
    offered_rather,
    other_readings,
)
from qhub_desktop.nlq.dialogue.wishes import LIST, each_wished, wishes_of
from qhub_desktop.nlq.lexicon import (
    cues_in,
    current_lexicon,
    role_pattern,
    tokens_in,
    words_by_role,
)
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.parser.slots import Ambiguity, QuestionFrame
from qhub_desktop.nlq.planner import is_self_contained, listed_dashboard_queries, new_plan
from qhub_desktop.nlq.query_ast import (
    DEFECT_FIELDS,
    Abilities,
    AsDashboard,
    Ask,
    Columns,
    DataPlan,
    Describe,
    DialogueAct,
    Filter,
    Goodbye,
    Greeting,
    GroupBy,
    Help,
    Identity,
    Measure,
    Number,
    Plan,
    Register,
    RowSelection,
    Thanks,
    Unknown,
    Why,
    dataset_of,
    last_compared_column,
    query_of,
)
from qhub_desktop.nlq.question import Question, question_over
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.semantic.candidate import Candidate
from qhub_desktop.nlq.semantic.computed_roles import lacks_of_effectiveness
from qhub_desktop.nlq.shorthand import in_a_language_read, plainly, signed
from qhub_desktop.nlq.studies import read_study, studied, study_plan
from qhub_desktop.nlq.tokenizer import (
    LONGEST_QUESTION,
    Word,
    is_too_long,
    normalize,
    normalize_in_place,
    tokenize,
)
from qhub_desktop.nlq.unused_words import unaccounted
from qhub_desktop.nlq.word_meanings import ranks_causes

_COUNTING = (
    *("count", "list", "total", "chart", "dashboard", "trend", "table", "distribution"),
    *("describe", "columns", "data", "missing", "duplicates", "summary"),
)


def data_plan(frame: QuestionFrame, topic: DataPlan | None) -> DataPlan | Unknown | Ask:
    """Make the plan of a question, given the topic of the conversation.

    A plan that does not hold every word that could change it is none.
    """
    plan = _best_plan(frame, topic)
    if isinstance(plan, Unknown | Ask):
        return plan
    follows = topic is not None and _is_follow_up(frame, topic)
    left = unaccounted(as_asked_of(frame, topic) if topic and follows else frame, plan)
    return Unknown("unheeded", left) if left else plan


def _best_plan(frame: QuestionFrame, topic: DataPlan | None) -> DataPlan | Unknown | Ask:
    if frame.has("future", "beyond"):
        return Unknown("future") if frame.has("future") else Unknown()
    if frame.unknown_dimension:
        return Unknown("column", frame.unknown_dimension)
    if frame.unknown and not (frame.coverage or frame.has_subject):
        return Unknown()
    if frame.noun and not (frame.coverage or frame.names_something or frame.has(*_COUNTING)):
        return Unknown()  # 'conta-me uma piada'
    if frame.unknown:
        return Unknown("value", frame.unknown, _nearest_names(frame))
    if topic is not None and frame.has("dashboard") and _has_anaphora(frame):
        return AsDashboard((query_of(topic),))
    if topic is not None and _is_follow_up(frame, topic):
        followed = carry_over(as_asked_of(frame, topic), topic)
        if followed is not None:
            return followed
    if _is_presentation_only(frame):
        return Unknown() if topic is not None else Unknown("nothing before")
    return clarification_for(frame) or new_plan(frame)


def _is_follow_up(frame: QuestionFrame, topic: DataPlan) -> bool:
    """Return whether a question is about the topic and not clear without it."""
    refers = frame.first_cue == "#again" or frame.has("those")
    is_new = not refers and is_self_contained(frame) and not is_elliptic(frame, topic)
    return dataset_of(topic) == frame.index.profile.dataset and not is_new


def _has_anaphora(frame: QuestionFrame) -> bool:
    """Return whether a question refers to the last answer: 'um painel com isso'."""
    words = {text.lower() for cue, text in frame.cue_words if cue == "#noise"}
    return bool(words & words_by_role("anaphora")) and not frame.names_something


def _is_presentation_only(frame: QuestionFrame) -> bool:
    """Return whether only a form is named, and nothing to show in it: 'mostra num gráfico'."""
    is_presenting = frame.chart_kind is not None or frame.has(
        "chart", "table", "kpi", "workbook", "percent"
    )
    return is_presenting and not (
        frame.names_something
        or frame.has_subject
        or frame.has("trend", "top", "most", "count", "on_time")
    )


def _nearest_names(frame: QuestionFrame) -> tuple[str, ...]:
    """Return the names in the data that are spelt most like the unknown words."""
    profile = frame.index.profile
    names = [each.name for each in profile.columns]
    names += [str(value) for each in profile.columns for value in each.known]
    known = {name.casefold(): name for name in names if not name.isdigit()}
    found: list[str] = []
    for word in map(str.casefold, frame.unknown):
        # Of very different lengths none is alike, and the comparison takes its time.
        alike = [name for name in known if len(word) / 2 < len(name) < 2 * len(word)]
        found += difflib.get_close_matches(word, alike, n=2, cutoff=0.7)
    return tuple(dict.fromkeys(known[name] for name in found))


_SOCIAL: tuple[tuple[str, DialogueAct], ...] = (
    ("#identity", Identity()),
    ("#abilities", Abilities()),
    ("#help", Help()),
    ("#thanks", Thanks()),
    ("#bye", Goodbye()),
)


def small_talk_of(cues: Sequence[str]) -> DialogueAct | None:
    """Return the dialogue act of a sentence that is nothing but small talk."""
    if not cues:
        return None
    rest = [cue for cue in cues if cue not in GREETINGS and cue not in ("#again", "#noise")]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in GREETINGS]):
        return Greeting(GREETINGS[greeted[0]])
    return None


_LOGS = (LOG, LOG_ID)
MAX_HISTORY = 20  # topics that can be gone back to
_TOLD_TOO = 2  # words for data, with which nothing is undone: 'as linhas anuldas por mês'
_MOST_PASSED = 2  # words of a question that are unknown, and passed over
_MOST_OF_EACH = 2  # readings of a question that goes on from one of those
_MOST_OPEN = 3  # readings of a question without an answer that the next one changes
_POSITION = re.compile(rf"\b(?:{'|'.join(words_by_role('position'))})\s*[:=]?\s*(\d{{1,4}})\b")
# What defects may be in a table that has no column called so: the log is not meant beside it.
_HAVING_DEFECTS = frozenset(["defect", "reject", "scrap", "rework", "good"])
_FILE_ENDING = re.compile(r"\.(?:csv|xlsx|xlsm|xls|txt|tsv)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DialogueState:
    """State of a dialogue after a question: its plan, and what a follow-up would refer to."""

    plan: Plan
    language: Language
    topic: DataPlan | None = None
    dataset: str = ""  # the data set that the question was parsed over
    history: tuple[DataPlan, ...] = ()  # earlier topics, the latest last
    previous: DataPlan | None = None  # the topic that a follow-up has changed
    ambiguities: tuple[ResolvedAmbiguity, ...] = ()  # of the question, open or resolved
    others: tuple[DataPlan, ...] = ()  # what else it may mean, the likeliest first
    leader: Filter | None = None  # the group that the answer named: what 'essa' is
    # By whose words it was read, and those that say days.
    best: Candidate | None = field(default=None, compare=False)
    said_days: str = field(default="", compare=False)


INITIAL_STATE = DialogueState(Unknown(), "pt")


@dataclass(frozen=True, slots=True)
class StoredStep:
    """What a question has made of the state before, besides its plan: kept with its answer.

    The dialogue `goes` on to a new topic, back to the one before, or stays where it was.
    """

    language: Language
    dataset: str
    goes: Literal["on", "back", "nowhere"]
    ambiguities: tuple[ResolvedAmbiguity, ...] = ()
    others: tuple[DataPlan, ...] = ()  # where the plan answers nothing, and the next may go on


def step_to(state: DialogueState, before: DialogueState) -> StoredStep:
    """Return the step from one state of the dialogue to the next."""
    goes: Literal["on", "back", "nowhere"] = "on"
    if len(state.history) < len(before.history):
        goes = "back"
    elif (state.topic, state.history) == (before.topic, before.history):
        goes = "nowhere"
    others = state.others if isinstance(state.plan, Unknown) else ()
    return StoredStep(state.language, state.dataset, goes, state.ambiguities, others)


def after_step(plan: Plan, step: StoredStep, before: DialogueState) -> DialogueState:
    """Return the state after a question whose plan and step were kept."""
    if step.goes == "back":
        made = _undo(before, step.language)
    elif step.goes == "on" and isinstance(plan, DataPlan):
        made = advance(before, plan, step.language)
    else:
        made = replace(before, plan=plan, language=step.language, best=None)
    return replace(made, dataset=step.dataset, ambiguities=step.ambiguities, others=step.others)


def interpret(
    question: str,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    *,
    today: date,
    chosen: Mapping[str, RememberedReadings] | None = None,
) -> DialogueState:
    """Interpret one question after a state of the dialogue.

    `chosen` holds, for each data set, the readings of words that the person chose.
    """

    def read(said: str, after: DialogueState) -> DialogueState:
        state = _interpret(said, after, indexes, today=today, chosen=chosen)
        if state.plan == after.plan:
            return state
        topic = signed(state.topic, said) if state.topic == state.plan else state.topic
        others = tuple(signed(each, said) for each in state.others)
        return replace(state, plan=signed(state.plan, said), topic=topic, others=others)

    def frames_of(said: str) -> list[QuestionFrame]:
        return [parse(question_over(said, each, language, today)) for each in indexes]

    def is_of_data(said: str) -> bool:
        return any(each.names_something or each.period is not None for each in frames_of(said))

    question = in_a_language_read(question, tuple(indexes))
    words = tokenize(question[:LONGEST_QUESTION])
    language = current_lexicon().language(words) or before.language
    if is_too_long(question, words):
        return replace(before, plan=Unknown("too long"), language=language, ambiguities=())
    bare = without_preamble(question, language, indexes, frames_of)
    if read_study(bare, indexes) is not None:
        question = bare  # of a study, what stands apart is an option
    elif read_study(question, indexes) is None:  # 'quantas peças preciso para ver' is its method
        question = without_appositions(bare, language, indexes)
    named = fiscal_year_in(question)
    if named is not None and indexes:
        return _in_fiscal_year(named, question, before, indexes, read, chosen or {})
    state = read(question, before)
    language = state.language
    if isinstance(state.plan, AsDashboard | Ask | Unknown) and state.dataset not in (LOG, LOG_ID):
        wishes = wishes_of(question, language, is_of_data)
        if len(wishes) > 1:
            plan = each_wished(state, wishes, before, language, read)
            return _with_plan(state, plan, before)
    clauses = clauses_of(plainly(question, tuple(indexes))) if indexes else None
    if clauses is None:
        return state
    plan = both_answered(state, clauses, before, read, _chosen)
    return _with_plan(state, plan, before)


def _in_fiscal_year(
    named: FiscalYear,
    question: str,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    read: Callable[[str, DialogueState], DialogueState],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Return the state after a question about a fiscal year, which begins as the person said."""
    days = [day for each in indexes for day in (each.first_day, each.last_day) if day]
    ends = (min(days, default=date.min), max(days, default=date.min))
    about = read(fiscal_readings(named, question, *ends, {})[0][1], before).dataset
    known = chosen.get(about, {})
    dated = fiscal_readings(named, question, *ends, known)
    states = {label: read(said, before) for label, said in dated}
    plans = [(label, each.plan) for label, each in states.items() if each.topic == each.plan]
    state = states[dated[0][0]]
    if len(plans) < len(states):
        return state  # the rest of the question is asked about first
    plan, ambiguities = resolve_named(Ask(named.said, tuple(plans)), question, known)
    state = _with_plan(state, plan, before)
    return replace(state, ambiguities=ambiguities)


def _with_plan(state: DialogueState, plan: Plan, before: DialogueState) -> DialogueState:
    """Return a state with another plan in the place of its own."""
    if plan == state.plan:
        return state
    if isinstance(plan, Unknown | Ask):
        made = replace(before, plan=plan, language=state.language, dataset=state.dataset)
    else:
        made = advance(before, cast("DataPlan", plan), state.language)
    return replace(made, others=state.others, best=state.best, said_days=state.said_days)


def _chosen(state: DialogueState, plan: DataPlan) -> DialogueState:
    """Return a state in which one reading of what was asked back is the answer."""
    return advance(state, plan, state.language)


def _interpret(
    question: str,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    *,
    today: date,
    chosen: Mapping[str, RememberedReadings] | None,
) -> DialogueState:
    """Interpret one question that stands for itself, with no preamble and one wish."""
    hanging = before.others
    before = replace(before, ambiguities=(), others=(), best=None)
    as_said = _FILE_ENDING.sub(" ", question)
    if (of_log := _asked_of_log(as_said, indexes)) is not None:
        as_said, indexes = of_log
    else:
        as_said, indexes = _asked_of_sheet(as_said, indexes)
    language = current_lexicon().language(tokenize(as_said)) or before.language
    if (state := _without_data(as_said, before, indexes, language)) is not None:
        return state
    over = partial(question_over, language=language, today=today)
    if (state := _referring(as_said, before, indexes, language, over)) is not None:
        return state
    question = _beside_days_before(plainly(as_said, tuple(indexes)), before.topic, language)
    study = read_study(question, indexes)
    question = question if study is None else study.rest
    if study is not None:
        indexes = studied(study, indexes)
    questions = [over(question, each) for each in indexes]
    frame = _best_frame(questions, before)
    plan: Plan
    found: Sequence[Candidate] = ()
    make = partial(_plan, topic=before.topic, question=question, language=language, today=today)
    if study is not None:
        plan = study_plan(study, frame)
    else:
        plan = _defect_report(frame, before, question, today=today) or make(frame)
        brought = [each for each in questions if each.index.profile.id not in (LOG, LOG_ID)]
        about = dataset_of(before.topic) if before.topic is not None else ""
        dataset = frame.index.profile.dataset
        if isinstance(plan, Unknown) and brought and dataset in (LOG, LOG_ID) and about != dataset:
            # What the station's log cannot tell is asked of what was brought.
            frame = _best_frame(brought, before)
            plan = make(frame)
    dataset, read = frame.index.profile.dataset, (frame, plan)
    if study is None and not isinstance(plan, (Register, Why, AsDashboard)):
        found = candidates_over(
            _unless_log_is_alien(questions, frame, before.topic),
            follow=carry_over,
            topic=before.topic,
            likely=frame.index,
            leader=before.leader,
        )
        frame, plan = choose(frame, plan, found, said=question)
        plan = _unless_of_log(plan, frame, questions, make)
        if not isinstance(plan, (Unknown, Ask)):
            dataset = dataset_of(cast("DataPlan", plan))
    best, days = found[0] if found else None, over(question, frame.index).said_days
    again = partial(_interpret, indexes=indexes, today=today, chosen=chosen)
    for rest in _without_aside(as_said, plan, language) if isinstance(plan, Unknown) else ():
        if (marked := _marked(again(rest, before), cast("Unknown", plan), before)) is not None:
            return marked
    ambiguities: tuple[ResolvedAmbiguity, ...] = ()
    gone_on = _of_declined(frame, before, hanging, partial(again, as_said), as_said, plan)
    if gone_on is not None:
        plan, found = gone_on, ()
    elif study is None and not isinstance(plan, Unknown):
        known = (chosen or {}).get(dataset, {})
        asked = over(question, frame.index)
        plan, ambiguities = _clarified(plan, asked, frame, before.topic, known, found)
    is_open = isinstance(plan, Unknown) and plan.what in ("future", "nothing before", "factor")
    meant = () if is_open else other_readings(*read, plan, found)
    if isinstance(plan, Unknown) and meant and _is_passed_over(plan, as_said):
        plan, meant = Ask("", tuple(("", each) for each in meant), plan.words), ()
    if isinstance(plan, (Unknown, Why, Register, Ask)):
        state = replace(before, plan=plan, language=language, dataset=dataset)
    else:
        assert not isinstance(plan, (Greeting, Thanks, Goodbye, Help, Abilities, Identity))
        state = advance(before, plan, language)
    others = meant or (hanging if plan == before.plan else ())
    return replace(state, ambiguities=ambiguities, others=others, best=best, said_days=days)


def _unless_log_is_alien(
    questions: Sequence[Question], frame: QuestionFrame, topic: DataPlan | None
) -> list[Question]:
    """Return the questions over each data set, without the log where only a shared word names it.

    It is meant where it was asked about before, where defects or a type of them are named that is
    nothing in what was brought, or where that does not fit better.
    """
    if frame.names_dataset:
        return [each for each in questions if each.index is frame.index]
    logs = [each for each in questions if each.index.profile.id in _LOGS]
    said = {word.normalized for word in tokenize(questions[0].text)}
    is_topic = topic is not None and dataset_of(topic) in {
        each.index.profile.dataset for each in logs
    }
    if is_topic or frame.index.profile.id in _LOGS or said & words_by_role("log_subject"):
        return [*questions]
    if not frame.filters and any(parse(each).names_type for each in logs):
        return [*questions]
    return [each for each in questions if each.index.profile.id not in _LOGS]


def _marked(state: DialogueState, unknown: Unknown, before: DialogueState) -> DialogueState | None:
    """Return the state that lists what is answered without the words that are unknown, if any."""
    match state.plan:
        case Ask(readings=readings):
            pass
        case plan if isinstance(plan, DataPlan) and plan != before.topic:
            readings = (("", plan),)
        case _:
            return None
    listed = Ask("", readings, unknown.words)
    told = replace(before, plan=listed, language=state.language, best=state.best)
    return replace(told, dataset=state.dataset, others=state.others)


def _without_aside(question: str, plan: Unknown, language: Language) -> Iterator[str]:
    """Yield a question without a part that restricts nothing, of which words are unknown.

    That is what is said besides, behind a comma, of a word that is unknown there alone ('não só as
    boas'), what it is for ('para a reunião das 9h'), and what leads up to a colon.
    """
    if plan.what not in ("value", "column", "question") or not plan.words:
        return
    unknown = {word for each in plan.words for word in normalize(each).split()}
    before, comma, aside = question.rpartition(",")
    told = [each.normalized for each in tokenize(aside)]
    if comma and unknown <= {*told} and unknown.isdisjoint(normalize(before).split()):
        cues = [each.lemma for each in tokens_in(aside, language) if not each.is_empty]
        denies = any(one == "#except" and other == "#only" for one, other in pairwise(cues))
        if denies or told[0] in words_by_role("purpose"):
            yield before
    lead, colon, behind = question.partition(":")
    if colon and behind[:1].isspace() and not unknown.isdisjoint(normalize(lead).split()):
        yield behind.strip()


def _is_passed_over(plan: Unknown, question: str) -> bool:
    """Return whether a word or two are unknown, and the rest is asked about all the same.

    Each stands right behind a known part and before another. A name, a code, a word that joins, and
    one behind such a word or a negation ('de ferrugem', 'por cor', 'sem lixo') could be in the data
    or change the number.
    """
    words = [word for each in plan.words for word in tokenize(each)]
    if plan.what not in ("value", "column") or plan.nearest or len(words) > _MOST_PASSED:
        return False
    said = [word.normalized for word in tokenize(question)]
    joining = current_lexicon().joining | words_by_role("by") | words_by_role("denial")
    joining |= words_by_role("asking_word")  # 'quanta energia', which is asked for

    def is_between(word: Word) -> bool:
        at = said.index(word.normalized) if word.normalized in said else 0
        beside = {*said[at - 1 : at + 1]}
        return 0 < at < len(said) - 1 and not word.is_name and joining.isdisjoint(beside)

    return bool(words) and all(map(is_between, words))


def _unless_of_log(
    plan: Plan,
    frame: QuestionFrame,
    questions: Sequence[Question],
    make: Callable[[QuestionFrame], Plan],
) -> Plan:
    """Return a plan, or what is asked back where it counts rows as the defects that were named.

    A table without a column of defects may hold how many there were, and the log holds them, too.
    """
    log = [each for each in questions if each.index.profile.id in (LOG, LOG_ID)]
    said = {word.normalized for word in tokenize(questions[0].text)}
    is_own = frame.index.profile.id in (LOG, LOG_ID) or frame.index.type_column is not None
    if not log or is_own or said.isdisjoint(words_by_role("log_subject")):
        return plan
    of_log = make(parse(log[0]))
    if isinstance(plan, Ask):
        if plan.word or not isinstance(of_log, DataPlan):
            return plan
        return replace(plan, readings=(*plan.readings, ("", of_log)))
    if not isinstance(plan, DataPlan) or isinstance(plan, Describe | Columns):
        return plan
    query = query_of(plan)
    if not (isinstance(query, Number | GroupBy) and query.measure.kind == "count"):
        return plan
    readings = [each for each in (plan, of_log) if isinstance(each, DataPlan)]
    return Ask("", tuple(("", each) for each in readings))


def _clarified(
    plan: Plan,
    asked: Question,
    frame: QuestionFrame,
    topic: DataPlan | None,
    known: RememberedReadings,
    found: Sequence[Candidate],
) -> tuple[Plan, tuple[ResolvedAmbiguity, ...]]:
    """Return a plan as the person has chosen to have its words read, or what is asked back."""
    ambiguities: tuple[ResolvedAmbiguity, ...] = ()
    if frame.ambiguities:
        # What is open, and cannot be asked, is not guessed.
        rather = plan if asks_criterion(plan, frame) else offered(found) or Unknown()
        plan, ambiguities = _clarification(
            frame.ambiguities, partial(parse, asked), topic, known
        ) or (rather, ())
    if isinstance(plan, Ask) and plan.word:
        plan, resolved = resolve(plan, asked.text, known)
        ambiguities = (*resolved, *ambiguities)
    if isinstance(plan, Ask) and plan.word:
        rather = offered_rather(plan, frame, found)
        plan, ambiguities = rather, ambiguities if rather.word == plan.word else ()
    return plan, ambiguities


def _of_declined(
    frame: QuestionFrame,
    before: DialogueState,
    others: Sequence[DataPlan],
    interpret_again: Callable[[DialogueState], DialogueState],
    said: str,
    by_itself: Plan,
) -> Plan | None:
    """Return what is asked back where a question goes on from one that got no answer.

    What that may have meant is each changed by the question, as it was `said`; `others` are its
    readings, `by_itself` is what the question means alone. None where it goes on from none, or
    changes nothing of a list: it is asked anew.
    """
    if not isinstance(before.plan, Unknown | Ask):
        return None
    points = points_back(tokenize(said)) != ""
    alone: list[Plan] = [by_itself]
    if isinstance(by_itself, Ask):
        alone = [] if by_itself.word else [each for _, each in by_itself.readings]
    has_open = bool(others) or (isinstance(before.plan, Ask) and not before.plan.word)
    if not (_follows_declined(frame, before) or (points and has_open)):
        return None
    open_ = [plan for _, plan in before.plan.readings] if isinstance(before.plan, Ask) else others
    made: list[DataPlan] = []
    listed: list[DataPlan] = []
    for place, plan in enumerate(open_[:_MOST_OPEN]):
        topic = replace(before, plan=plan, topic=plan, dataset=dataset_of(plan))
        after = interpret_again(topic if place == 0 else replace(topic, leader=None))
        if isinstance(after.plan, Ask) and not after.plan.word:
            listed += [each for _, each in after.plan.readings[:_MOST_OF_EACH] if each != plan]
        elif isinstance(after.plan, DataPlan) and after.topic == after.plan != plan:
            made.append(after.plan)
    made = sorted([*made, *listed], key=lambda each: query_of(each).scope == _rows_of_all(each))
    unclear = before.plan.unclear if isinstance(before.plan, Ask) else before.plan.words
    goes_on = bool(made) and frame.first_cue in ("#again", "#only")
    if goes_on or not {*made} <= {*alone}:
        first = [each for each in made if each not in alone]
        beside = [each for each in alone if isinstance(each, DataPlan)]
        told = first if first and goes_on else [*first, *beside]
        return Ask("", tuple(("", each) for each in dict.fromkeys(told)), unclear)
    return None if isinstance(before.plan, Ask) else before.plan


def _rows_of_all(plan: DataPlan) -> RowSelection:
    return RowSelection(dataset_of(plan))


def _without_data(
    question: str, before: DialogueState, indexes: Sequence[SchemaIndex], language: Language
) -> DialogueState | None:
    """Return the state after small talk, thanks, an undo, or any question where no data are."""
    cues = [token.lemma for token in tokens_in(question, language) if not token.is_empty]
    if talk := small_talk_of(cues):
        return replace(before, plan=talk, language=language)
    if not indexes:
        return replace(before, plan=Unknown(), language=language)
    if is_thanked(question, language, indexes):
        return replace(before, plan=Thanks(), language=language)
    told = [each for each in cues if not each.startswith("#")]
    return _undo(before, language) if "#undo" in cues and len(told) < _TOLD_TOO else None


def _referring(
    question: str,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    language: Language,
    over: Callable[[str, SchemaIndex], Question],
) -> DialogueState | None:
    """Return the state after a question about earlier answers: 'qual a diferença?'."""
    if refers(question) and isinstance(before.plan, Unknown | Ask):
        return before  # to what got no answer
    about = dataset_of(before.topic) if before.topic is not None else ""
    own = [each for each in indexes if each.profile.dataset == about]
    if not own:
        return None
    meant = referred(question, before.topic, before.history, lambda said: parse(over(said, own[0])))
    if meant is not None:
        return advance(before, meant, language)
    return replace(before, plan=Unknown(), language=language) if refers(question) else None


def advance(before: DialogueState, plan: DataPlan, language: Language) -> DialogueState:
    """Return the state with a plan as the new topic, and the old topic in its history."""
    history = (*before.history, before.topic) if before.topic is not None else before.history
    return DialogueState(
        plan, language, plan, dataset_of(plan), history[-MAX_HISTORY:], before.topic
    )


def _follows_declined(frame: QuestionFrame, before: DialogueState) -> bool:
    """Return whether a question goes on from one that got no answer: it would change another."""
    match before.plan:
        case Unknown(what="value" | "unheeded" | "column"):
            is_meant = frame.first_cue == "#again"
            is_meant |= frame.first_cue == "#only" and not frame.has("count", "which", "list")
            return is_meant and not is_self_contained(frame)
        case Unknown(what="question") if before.dataset and before.topic is None:
            return frame.first_cue == "#again" and not is_self_contained(frame)
        case Ask():
            return not is_self_contained(frame)
        case _:
            return False


def _beside_days_before(question: str, topic: DataPlan | None, language: Language) -> str:
    """Return days that count from those asked about before as such: 'e no mês anterior?'.

    'Nesse mês' is the one that was asked about, and makes a question a follow-up.
    """
    period = query_of(topic).scope.period if topic is not None else None
    if period is None or period.start is None or period.end is None:
        return question
    said = normalize_in_place(question).rstrip(" ?!.")
    words = lexicons()[language]["date_words"]
    if (place := says_those(said, (period.start, period.end))) is not None:
        days = f"{words['from'][0]} {period.start} {words['to'][0]} {period.end}"
        joined = lexicons()[language]["words"]["listing"][0]
        return f"{joined} {question[: place[0]]}{days}{question[place[1] :]}"
    for word in re.finditer(r"\b\w", said):
        at = word.start()
        found = days_beside(said[at:], (period.start, period.end))
        if found is None:
            continue
        if cues_in(question[:at], language) - {"", "#again", "#noise"}:
            return question
        first, last = (day.isoformat() for day in found)
        return f"{question[:at]}{words['from'][0]} {first} {words['to'][0]} {last}"
    return question


def _undo(before: DialogueState, language: Language) -> DialogueState:
    """Return to the topic before the last change."""
    if not before.history:
        return replace(before, plan=Unknown("nothing before"), language=language)
    *history, plan = before.history
    return DialogueState(plan, language, plan, dataset_of(plan), history=tuple(history))


def _asked_of_log(
    question: str, indexes: Sequence[SchemaIndex]
) -> tuple[str, Sequence[SchemaIndex]] | None:
    """Return a question that names the station's log without that name, and the log alone."""
    log = [each for each in indexes if each.profile.id in (LOG, LOG_ID)]
    named = _log_name().search(normalize_in_place(question)) if log else None
    if named is None:
        return None
    # What stands for the rows themselves is their name: 'o registo do posto por turno'.
    rows = "" if named["in"] else f" {min(words_by_role('log_subject'))} "
    return f"{question[: named.start()]}{rows}{question[named.end() :]}", log


def _asked_of_sheet(
    question: str, indexes: Sequence[SchemaIndex]
) -> tuple[str, Sequence[SchemaIndex]]:
    """Return a question without the sheet that it names as one, and the data sets of that sheet.

    So 'na folha GRR' says where, and is nothing that the rows hold.
    """
    folded = normalize_in_place(question)
    behind, before = (role_pattern("files", f"sheet_{place}") for place in ("behind", "before"))
    for name in sorted({each.profile.sheet or "" for each in indexes} - {""}, key=len)[::-1]:
        said = rf"[\"“”«»']?{re.escape(normalize_in_place(name))}[\"“”«»']?"
        found = re.search(rf"(?<!\w)(?:{behind} {said}|{before} {said} {behind})(?!\w)", folded)
        if found is not None:
            held = [each for each in indexes if each.profile.sheet == name]
            return f"{question[: found.start()]} {question[found.end() :]}".strip(), held
    return question, indexes


@cache
def _log_name() -> re.Pattern[str]:
    """Return a pattern of what the station's log is called, with what says that rows are in it."""
    declared = [file.get("date_words", {}) for file in lexicons().values()]
    the = {each for words in declared for each in words.get("the", ())}
    said = {each for words in declared for key in ("in", "on") for each in words.get(key, ())}
    names, within, articles = (
        "|".join(sorted(map(re.escape, words), key=len, reverse=True))
        for words in (words_by_role("log_name"), said - the, the)
    )
    return re.compile(rf"(?<!\w)(?P<in>(?:{within}) )?(?:(?:{articles}) )?(?:{names})(?!\w)")


def _best_frame(questions: Sequence[Question], before: DialogueState) -> QuestionFrame:
    """Parse the question over every data set; return the frame that explains most of it.

    Of equally good ones the last data set wins. The station's defect log does not compete with
    a file of defects that the person brought: a column missing there is told, not looked up here.
    """
    topic = dataset_of(before.topic) if before.topic else None
    recent = last_compared_column(before.topic) if before.topic else None
    frames = [parse(each, recent=recent) for each in questions]

    def fitness(place: int) -> tuple[bool, bool, bool, bool, int, bool, int]:
        frame = frames[place]
        is_topic = not is_self_contained(frame) and frame.index.profile.dataset == topic
        goes_on = is_topic and frame.first_cue == "#again"
        # The station's defect log is meant only where defects are mentioned.
        is_meant = (
            frame.index.profile.id not in (LOG, LOG_ID) or is_topic or frame.speaks_of_defects
        )
        is_log = frame.index.profile.id in (LOG, LOG_ID)
        is_alien = len(frames) > 1 and not (names_defects or is_report)
        is_rival = is_log and not is_topic and (is_withheld or is_brought or is_alien)
        return frame.names_dataset, goes_on, not is_rival, is_meant, frame.coverage, is_topic, place

    is_report = isinstance(before.plan, Register) or any(each.has("register") for each in frames)
    is_withheld = not isinstance(before.plan, Register) and any(
        _asks_own_defects(frame) for frame in frames
    )
    # What was brought is what is asked about, unless defects are named and cannot be in it.
    said = {word.normalized for word in tokenize(questions[0].text)}
    brought = [frame for frame in frames if frame.index.profile.id not in (LOG, LOG_ID)]
    names_defects = not said.isdisjoint(words_by_role("log_subject")) and not any(
        _HAVING_DEFECTS & frame.index.concepts.keys() for frame in brought
    )
    is_brought = not isinstance(before.plan, Register) and any(
        not frame.has("register")
        and (frame.coverage or frame.noun)
        and not (frame.unknown and names_defects)
        for frame in brought
    )
    return frames[max(range(len(frames)), key=fitness)]


def _asks_own_defects(frame: QuestionFrame) -> bool:
    """Return whether defects are asked for, and a file with a column of them was parsed over."""
    is_own = frame.index.profile.id not in (LOG, LOG_ID) and frame.index.type_column is not None
    return is_own and frame.has_subject and not frame.has("register")


def _defect_report(
    frame: QuestionFrame, before: DialogueState, question: str, *, today: date
) -> Register | None:
    """Return a defect report, new or continued, if the question is one."""
    if frame.has("register") and not frame.has("count", "most", "top", "least"):
        return Register(_in_order(_slots_of_report(frame, question, today=today)))
    match before.plan:
        case Register(fields) as begun if begun.missing and not _is_data_question(frame):
            more = _slots_of_report(frame, question, today=None)
            return Register(_in_order(dict(fields) | more)) if more else None
    return None


def _slots_of_report(
    frame: QuestionFrame, question: str, *, today: date | None
) -> dict[str, str | int]:
    """Return the report's fields in a sentence. The day is `today` unless it says another."""
    found: dict[str, str | int] = {}
    for each in frame.filters:
        field = frame.index.profile.defect_field(each.column)
        if field is None or field not in DEFECT_FIELDS or each.relation != "is":
            continue
        if isinstance(value := each.values[0], str):
            found[field] = value
    if position := _POSITION.search(normalize(question)):
        found["posicao"] = int(position[1])
    if frame.period is not None and frame.period.start is not None:
        found["data"] = frame.period.start.isoformat()
    elif today is not None:
        found["data"] = today.isoformat()
    return found


def _in_order(found: Mapping[str, str | int]) -> tuple[tuple[str, str | int], ...]:
    return tuple((name, found[name]) for name in (*DEFECT_FIELDS, "data") if name in found)


def _is_data_question(frame: QuestionFrame) -> bool:
    return frame.has(
        "count", "most", "top", "least", "chart", "table", "describe", "which", "why", "show"
    ) or bool(frame.dimensions)


def _plan(
    frame: QuestionFrame, topic: DataPlan | None, question: str, *, language: Language, today: date
) -> Plan:
    """Make the plan of a question that is no report."""
    if lacking := lacks_of_effectiveness(question, frame.index):
        return Unknown("factor", lacking)
    if frame.has("why") and not _names_reasons(frame, question):
        return _why_plan(frame)
    if frame.has("dashboard"):
        wishes = [
            parse(question_over(each, frame.index, language, today))
            for each in LIST.split(question)
            if each.strip()
        ]
        if cards := listed_dashboard_queries(wishes, frame.scope):
            return AsDashboard(cards)
    return data_plan(frame, topic)


def _names_reasons(frame: QuestionFrame, question: str) -> bool:
    """Return whether a word for a cause says what rows are told apart by, or are chosen by.

    So where causes are ranked or drawn ('o pareto das causas', 'a causa mais comum'), and where it
    is told how many rows there are of one: 'quantas pararam por causa de avaria'.
    """
    said = normalize_in_place(question)
    counts = not words_by_role("how_many").isdisjoint(said.split())
    if (counts or frame.has(*_TELLING_HOW_MANY)) and any(
        f" {each} " in said for each in words_by_role("because")
    ):
        return True
    return ranks_causes(frame.words_of("#why"), frame.cues)


# Beside these a reason is what rows are chosen by: 'quantas pararam por causa de avaria'.
_TELLING_HOW_MANY = ("count", "list", "sum", "mean", "total")


def _why_plan(frame: QuestionFrame) -> Why:
    """Make the plan of a question for causes, with the rows and the measure that it names."""
    index = frame.index
    scope = frame.scope if frame.filters or frame.period else None
    named = [each.column for each in frame.columns if index.is_measure(each.column)]
    if not named:
        return Why(scope)
    return Why(scope, Measure("sum" if index.is_amount(named[0]) else "mean", named[0]))


def _clarification(
    ambiguities: Sequence[Ambiguity],
    parse_again: Callable[..., QuestionFrame],
    topic: DataPlan | None,
    known: RememberedReadings,
) -> tuple[Ask, tuple[ResolvedAmbiguity, ...]] | None:
    """Ask which reading is meant, each with its plan; return the other ambiguities, too."""
    ambiguity, others = open_ambiguity(ambiguities, known)
    readings: list[tuple[str, DataPlan]] = []
    for name, settled in ambiguity.options[:MOST_READINGS]:
        plan = data_plan(parse_again(chosen={**others, ambiguity.word: settled}), topic)
        if not isinstance(plan, (Unknown, Ask)):
            readings.append((name, plan))
    rest = tuple(ResolvedAmbiguity(word, chosen=known[word_key(word)]) for word in others)
    return (Ask(ambiguity.word, tuple(readings)), rest) if readings else None
