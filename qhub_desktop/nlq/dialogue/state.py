"""State of a dialogue: a fold over the questions, which gives the plan of the last one."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import cast

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.text import Language, lexicons
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.date_units import days_beside, says_those
from qhub_desktop.nlq.dialogue.appositions import without_appositions
from qhub_desktop.nlq.dialogue.candidates import as_asked_of, candidates_over, is_elliptic
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
from qhub_desktop.nlq.dialogue.preamble import is_thanked, without_preamble
from qhub_desktop.nlq.dialogue.references import both_answered, clauses_of, referred, refers
from qhub_desktop.nlq.dialogue.selection import choose, meant_instead, offered, offered_rather
from qhub_desktop.nlq.dialogue.wishes import LIST, each_wished, wishes_of
from qhub_desktop.nlq.lexicon import cues_in, current_lexicon, tokens_in, words_by_role
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.parser.slots import Ambiguity, QuestionFrame
from qhub_desktop.nlq.planner import is_self_contained, listed_dashboard_queries, new_plan
from qhub_desktop.nlq.query_ast import (
    DEFECT_FIELDS,
    Abilities,
    AsDashboard,
    Ask,
    DataPlan,
    DialogueAct,
    Goodbye,
    Greeting,
    Help,
    Identity,
    Measure,
    Part,
    Plan,
    Register,
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
from qhub_desktop.nlq.shorthand import plainly, signed
from qhub_desktop.nlq.studies import read_study, study_plan
from qhub_desktop.nlq.tokenizer import (
    LONGEST_QUESTION,
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
        frame.names_something or frame.has_subject or frame.has("trend", "top", "most", "count")
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


_GREETINGS: dict[str, Part] = {
    "#greet": "hello",
    "#greet_morning": "morning",
    "#greet_afternoon": "afternoon",
    "#greet_night": "night",
}
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
    rest = [cue for cue in cues if cue not in _GREETINGS and cue not in ("#again", "#noise")]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in _GREETINGS]):
        return Greeting(_GREETINGS[greeted[0]])
    return None


MAX_HISTORY = 20  # topics that can be gone back to
_POSITION = re.compile(rf"\b(?:{'|'.join(words_by_role('position'))})\s*[:=]?\s*(\d{{1,4}})\b")
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
    others: tuple[DataPlan, ...] = ()  # what it may mean where the plan finds nothing


INITIAL_STATE = DialogueState(Unknown(), "pt")


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
        return replace(state, plan=signed(state.plan, said), topic=topic)

    def frames_of(said: str) -> list[QuestionFrame]:
        return [parse(question_over(said, each, language, today)) for each in indexes]

    def is_of_data(said: str) -> bool:
        return any(each.names_something or each.period is not None for each in frames_of(said))

    words = tokenize(question[:LONGEST_QUESTION])
    language = current_lexicon().language(words) or before.language
    if is_too_long(question, words):
        return replace(before, plan=Unknown("too long"), language=language, ambiguities=())
    question = without_preamble(question, language, indexes, frames_of)
    question = without_appositions(question, language, indexes)
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
    plan = both_answered(state, clauses, before, read)
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
        return replace(before, plan=plan, language=state.language, dataset=state.dataset)
    return advance(before, cast("DataPlan", plan), state.language)


def _interpret(
    question: str,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    *,
    today: date,
    chosen: Mapping[str, RememberedReadings] | None,
) -> DialogueState:
    """Interpret one question that stands for itself, with no preamble and one wish."""
    before = replace(before, ambiguities=())
    as_said = _FILE_ENDING.sub(" ", question)
    language = current_lexicon().language(tokenize(as_said)) or before.language
    if (state := _without_data(as_said, before, indexes, language)) is not None:
        return state
    over = partial(question_over, language=language, today=today)
    if (state := _referring(as_said, before, indexes, language, over)) is not None:
        return state
    question = _beside_days_before(plainly(as_said, tuple(indexes)), before.topic, language)
    study = read_study(question, indexes)
    question = question if study is None else study.rest
    questions = [over(question, each) for each in indexes]
    frame = _best_frame(questions, before)
    plan: Plan
    found: Sequence[Candidate] = ()
    if study is not None:
        plan = study_plan(study, frame)
    else:
        make = partial(_plan, topic=before.topic, question=question, language=language, today=today)
        plan = _defect_report(frame, before, question, today=today) or make(frame)
        brought = [each for each in questions if each.index.profile.id not in (LOG, LOG_ID)]
        about = dataset_of(before.topic) if before.topic is not None else ""
        dataset = frame.index.profile.dataset
        if isinstance(plan, Unknown) and brought and dataset in (LOG, LOG_ID) and about != dataset:
            # What the station's log cannot tell is asked of what was brought.
            frame = _best_frame(brought, before)
            plan = make(frame)
    dataset = frame.index.profile.dataset
    if study is None and not isinstance(plan, (Register, Why, AsDashboard)):
        found = candidates_over(
            [each for each in questions if each.index is frame.index or not frame.names_dataset],
            follow=carry_over,
            topic=before.topic,
            likely=frame.index,
        )
        frame, plan = choose(frame, plan, found, said=question)
        if not isinstance(plan, (Unknown, Ask)):
            dataset = dataset_of(cast("DataPlan", plan))
    if _follows_declined(frame, before):
        assert isinstance(before.plan, Unknown | Ask)
        plan = before.plan
    known = (chosen or {}).get(dataset, {})
    ambiguities: tuple[ResolvedAmbiguity, ...] = ()
    if study is None and not isinstance(plan, Unknown) and frame.ambiguities:
        parse_again = partial(parse, over(question, frame.index))
        # What is open, and cannot be asked, is not guessed.
        plan, ambiguities = _clarification(frame.ambiguities, parse_again, before.topic, known) or (
            offered(found) or Unknown(),
            (),
        )
    if isinstance(plan, Ask) and plan.word:
        plan, resolved = resolve(plan, question, known)
        ambiguities = (*resolved, *ambiguities)
    if isinstance(plan, Ask) and plan.word:
        rather = offered_rather(plan, frame, found)
        plan, ambiguities = rather, ambiguities if rather == plan else ()
    if isinstance(plan, (Unknown, Why, Register, Ask)):
        return replace(
            before,
            plan=plan,
            language=language,
            dataset=dataset,
            ambiguities=ambiguities,
        )
    assert not isinstance(plan, (Greeting, Thanks, Goodbye, Help, Abilities, Identity))
    others = () if study is not None else meant_instead(plan, found)
    return replace(advance(before, plan, language), ambiguities=ambiguities, others=others)


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
    return _undo(before, language) if "#undo" in cues else None


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
            return frame.first_cue in ("#again", "#only") and not is_self_contained(frame)
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
        is_alien = len(frames) > 1 and not (names_defects or frame.names_type)
        is_rival = is_log and not is_topic and (is_withheld or is_brought or is_alien)
        return frame.names_dataset, goes_on, not is_rival, is_meant, frame.coverage, is_topic, place

    is_withheld = not isinstance(before.plan, Register) and any(
        _asks_own_defects(frame) for frame in frames
    )
    # What was brought is what is asked about, unless defects are named and not in it.
    said = {word.normalized for word in tokenize(questions[0].text)}
    names_defects = not said.isdisjoint(words_by_role("log_subject"))
    is_brought = not isinstance(before.plan, Register) and any(
        not frame.has("register")
        and (frame.coverage or frame.noun)
        and not (frame.unknown and names_defects)
        for frame in frames
        if frame.index.profile.id not in (LOG, LOG_ID)
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
