"""The offline engine: a chat model that parses, plans, calls tools and writes sentences."""

# Why it is so: decisions/reading-questions.md

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.context import Context
from qhub_desktop.core.dataset import (
    DEFECT_FIELDS,
    DEFECT_TYPES,
    SHIFTS,
    ColumnProfile,
    DatasetProfile,
)
from qhub_desktop.core.events import (
    Answering,
    ModelEvent,
    ModelRequest,
    ReadingChosen,
    RoundEnded,
    TextAdded,
)
from qhub_desktop.core.memory import TOOL as MEMORY_TOOL
from qhub_desktop.core.message import (
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.tone import tone_of, without_tone
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq import memory, requests
from qhub_desktop.nlq.answer.plan_editor import PlanEditor
from qhub_desktop.nlq.answer.suggestions import FollowUps
from qhub_desktop.nlq.answer.writer import AnswerWriter
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.contribution_analysis import ContributionAnalysis, analysis_target
from qhub_desktop.nlq.dialogue.clarification import (
    RememberedReadings,
    describe,
    reading_chips,
    resolved_by,
    word_key,
)
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, DialogueState, advance, interpret
from qhub_desktop.nlq.executor import Call, PlanExecutor, defect_index, report_call
from qhub_desktop.nlq.lexicon import Lexicon, current_lexicon, reload_lexicon
from qhub_desktop.nlq.phrases import plan_title
from qhub_desktop.nlq.query_ast import (
    Abilities,
    Ask,
    DataPlan,
    Goodbye,
    Greeting,
    Help,
    Identity,
    Plan,
    Register,
    Thanks,
    Why,
    dataset_of,
    plan_from_json,
    plan_to_json,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex, schema_index_of
from qhub_desktop.nlq.tool_results import (
    error_text,
    first_label,
    is_empty_result,
    tells_nothing,
)

_KEPT_READINGS = 64
_PIECE = re.compile(r"(?:\S+\s*){1,4}")


class OfflineEngine:
    """Chat model without a language model: the same answer to the same question, no network.

    It owns one thread, begun with the first question, until closed.
    """

    def __init__(self) -> None:
        self._worker = Worker("offline")

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round: the calls that are still needed, or else the answer in words."""
        yield Answering("offline")
        # Indexing a wide data set for the first time takes 100 ms.
        reply = await self._worker.run(_reply_to, request)
        for call in reply.calls:
            yield call
        for piece in _PIECE.findall(reply.text):
            yield TextAdded(piece)
            await asyncio.sleep(0)
        for chosen_readings in reply.chosen_readings:
            yield ReadingChosen(*chosen_readings)
        if not reply.calls and reply.interpretation is not None:
            yield reply.interpretation
        if not reply.calls and reply.clarification is not None:
            yield reply.clarification
        yield RoundEnded("tools" if reply.calls else "complete")

    def close(self) -> None:
        """Stop the thread."""
        self._worker.close()


def _reply_to(request: ModelRequest) -> "Reply":
    reload_lexicon()
    return reply_to(request)


def is_small_talk(text: str) -> bool:
    """Return whether a text only greets, thanks, says goodbye, or asks who answers and how.

    Importing this module loads the words of all languages (80 ms), so do both on a thread.
    """
    plan = interpret(text, INITIAL_STATE, (), today=date.today()).plan
    return isinstance(plan, Greeting | Thanks | Goodbye | Help | Abilities | Identity)


@dataclass(frozen=True, slots=True)
class Reply:
    """One round: the calls that are still needed, or else the answer in words.

    A last round may carry an interpretation, a clarification question, and readings that were
    chosen: data set, word and name of the reading.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    interpretation: Interpretation | None = None
    clarification: Clarification | None = None
    chosen_readings: tuple[tuple[str, str, str], ...] = ()


def reply_to(request: ModelRequest) -> Reply:
    """Return the next round for the last question, given the results so far."""
    tools = [tool.name for tool in request.tools]
    if (remembered := _remembered(request, tools)) is not None:
        return remembered
    if (recalled := _recalled(request, tools)) is not None:
        return recalled
    indexes = _indexes(request, tools)
    repeated = _repeated_call(request.messages)
    chosen = {each.dataset: dict(each.readings) for each in request.profiles if each.readings}
    state = _fold(_about_data(request.messages, tools), indexes, chosen)
    index = _index_of(state, indexes)
    locale = AnswerLocale(state.language)
    if isinstance(state.plan, Ask) and not state.plan.word:
        state = replace(state, plan=_with_names(state.plan, indexes, locale))
    writer = AnswerWriter(index, locale)
    if repeated is not None:
        return _repeat(repeated, request, writer)
    executor = None if index is None else _executor_of(index, indexes, locale, tools)
    calls = _calls(state, index, executor, locale)
    if missing := tuple(dict.fromkeys(call.name for call in calls if call.name not in tools)):
        return Reply(writer.missing_tools(missing))
    answered = _answered_calls(request.messages)
    waiting = [
        call
        for place, call in enumerate(calls)
        if call not in calls[:place] and call not in [known for known, _ in answered]
    ]
    if waiting:
        return _round_of(waiting, request, len(answered))
    # One for each call, in order, also where the same call is wanted twice.
    results = [next(result for known, result in answered if known == call) for call in calls]
    drawn: ToolResult | None = None
    if executor is not None and isinstance(state.plan, DataPlan) and error_text(results) is None:
        picture = executor.chart_call(state.plan, results)
        drawn = next((result for known, result in answered if known == picture), None)
        if picture is not None and drawn is None:
            return _round_of([picture], request, len(answered))
    text = writer.write(state, results, drawn)
    asked: Plan = state.plan
    if state.others and tells_nothing(state.plan, results):
        asked = _with_names(Ask("", tuple(("", each) for each in state.others)), indexes, locale)
        next_ = [writer.rather(asked)]
    else:
        next_ = _next_lines(state, index, indexes, request, results)
    return Reply(
        "\n\n".join([text, *describe(state.ambiguities, locale.markdown), *next_]),
        interpretation=_interpretation_of(state, index, locale),
        clarification=_clarification_of(asked, writer),
        chosen_readings=tuple(
            (state.dataset, word_key(each.word), each.chosen)
            for each in state.ambiguities
            if each.is_new
        ),
    )


def _remembered(request: ModelRequest, tools: Sequence[str]) -> Reply | None:
    """Return the next round where the last question is about what is remembered of the person."""
    questions = [each for each in request.messages if each.role == "user"]
    if not questions or MEMORY_TOOL not in tools:
        return None
    wanted = memory.memory_request(questions[-1].text)
    # Said after other questions, it may be about a filter of theirs.
    if wanted is None or (wanted.may_be_data and len(questions) > 1):
        return None
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([Call(MEMORY_TOOL, memory.first_call(wanted))], request, 0)
    result = answered[-1][1]
    if (failed := error_text([result])) is not None:
        return Reply(failed)
    content = result.content if isinstance(result.content, dict) else {}
    if wanted.wish == "forget" and len(answered) == 1:
        notes = memory.notes_about(content, wanted.about)
        if len(notes) == 1:
            forget: JsonObject = {"comando": "delete", "caminho": notes[0]["caminho"]}
            return _round_of([Call(MEMORY_TOOL, forget)], request, 1)
        if not notes and wanted.may_be_data:
            return None
        return Reply(memory.which_note(notes, wanted))
    return Reply(memory.answer(wanted, content))


def _recalled(request: ModelRequest, tools: Sequence[str]) -> Reply | None:
    """Return the next round where the last question asks for what was said before."""
    question = next((each for each in reversed(request.messages) if each.role == "user"), None)
    if question is None or requests.RECALL_TOOL not in tools:
        return None
    wanted = requests.recall_call(question.text, question.created.astimezone().date())
    if wanted is None:
        return None
    given, language = wanted
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([Call(requests.RECALL_TOOL, given)], request, 0)
    ((_call, result), *_more) = answered
    if (failed := error_text([result])) is not None:
        return Reply(failed)
    content = result.content if isinstance(result.content, dict) else {}
    return Reply(requests.recall_text(content, language))


def _with_names(ask: Ask, indexes: Sequence[SchemaIndex], locale: AnswerLocale) -> Ask:
    """Return the question which plan is meant, each plan named by its title."""
    by_name = {index.profile.dataset: index for index in indexes}
    datasets = {dataset_of(plan) for _, plan in ask.readings}
    named: dict[str, DataPlan] = {}
    for _, plan in ask.readings:
        index = by_name[dataset_of(plan)]
        name = plan_title(plan, index, locale)
        if len(datasets) > 1:
            name = f"{name} [{index.profile.sheet or index.profile.dataset}]"
        named.setdefault(name, plan)
    return replace(ask, readings=tuple(named.items()))


def _about_data(messages: Sequence[Message], tools: Sequence[str]) -> list[Message]:
    """Return the messages without what was said of the memory: it is no topic."""
    if MEMORY_TOOL not in tools:
        return [*messages]
    wishes = {each.id: memory.memory_request(each.text) for each in messages}
    return [each for each in messages if (wish := wishes[each.id]) is None or wish.may_be_data]


def _repeated_call(messages: Sequence[Message]) -> Call | None:
    """Return the tool call that the last question wants to be made once more."""
    question = next((each for each in reversed(messages) if each.role == "user"), None)
    for block in question.blocks if question is not None else ():
        if isinstance(block, ChosenPlan) and block.call is not None:
            return Call(*block.call)
    return None


def _repeat(call: Call, request: ModelRequest, writer: AnswerWriter) -> Reply:
    """Return the next round of a tool call that is made once more."""
    if call.name not in [tool.name for tool in request.tools]:
        return Reply(writer.missing_tools([call.name]))
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([call], request, 0)
    return Reply(writer.repeated(error_text([result for _call, result in answered])))


def _next_lines(
    state: DialogueState,
    index: SchemaIndex | None,
    indexes: Sequence[SchemaIndex],
    request: ModelRequest,
    results: Sequence[ToolResult],
) -> list[str]:
    """Return what stands below the answer: questions that could follow, or for whoever is in a
    hurry or annoyed nothing; the second time in a row, whom to call.
    """
    asked = [each for each in request.messages if each.role == "user"]
    if not any(
        isinstance(block, Context) and "tom" in block.sections for block in asked[-1].blocks
    ):
        return _suggestion_lines(state, index, indexes, request, results)
    is_again = len(asked) > 1 and tone_of(asked[-2].text) != "none"
    call = AnswerLocale(state.language).gettext("Call whoever is responsible for the station.")
    return [call] if is_again else []


def _suggestion_lines(
    state: DialogueState,
    index: SchemaIndex | None,
    indexes: Sequence[SchemaIndex],
    request: ModelRequest,
    results: Sequence[ToolResult],
) -> list[str]:
    """Return a line with two questions that could follow."""
    plan, locale = state.plan, AnswerLocale(state.language)
    if index is None or not isinstance(plan, (DataPlan, Why)) or error_text(results) is not None:
        return []
    question = next(each for each in reversed(request.messages) if each.role == "user")
    today = question.created.astimezone().date()
    follow_ups = FollowUps(
        locale, lambda text, before: interpret(text, before, indexes, today=today)
    )
    leader = first_label(plan, results) if isinstance(plan, DataPlan) else None
    line = follow_ups.line(state, index, leader, is_empty=is_empty_result(plan, results))
    return [line] if line else []


def _interpretation_of(
    state: DialogueState, index: SchemaIndex | None, locale: AnswerLocale
) -> Interpretation:
    """Return the plan with its parts as chips."""
    plan = state.plan
    parts: tuple[Chip, ...] = ()
    if index is not None and plan == state.topic and state.topic is not None:
        parts = PlanEditor(index, locale).chips(state.topic, state.previous)
        parts = (*reading_chips(state.ambiguities), *parts)
    return Interpretation(plan_to_json(plan), parts)


def _clarification_of(plan: Plan, writer: AnswerWriter) -> Clarification | None:
    """Return the clarification question of a plan that asks one."""
    match plan:
        case Ask(readings=readings):
            choices = tuple(Choice(name, plan_to_json(each)) for name, each in readings)
            return Clarification(writer.question(plan), choices)
        case _:
            return None


def _indexes(request: ModelRequest, tools: Sequence[str]) -> list[SchemaIndex]:
    indexes = [schema_index_of(profile) for profile in request.profiles]
    is_hidden = all(profile.dataset != LOG for profile in request.profiles)
    if "contar_defeitos" in tools and is_hidden and defect_index(indexes) is None:
        indexes.insert(0, schema_index_of(_hidden_log_profile()))
    return indexes


def _fold(
    messages: Sequence[Message],
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Return the state of the dialogue after all questions."""
    state = INITIAL_STATE
    for message in messages:
        if message.role == "user":
            state = _next_state(state, message, indexes, chosen)
    return state


def _next_state(
    before: DialogueState,
    message: Message,
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Apply one more message: its words, or the plan that was chosen with it."""
    wanted = next((each for each in message.blocks if isinstance(each, ChosenPlan)), None)
    if wanted is not None and wanted.call is not None:
        return before  # its words are no question
    if wanted is not None:
        with contextlib.suppress(
            ValueError
        ):  # a plan of an earlier version: the message's words are read instead
            return _choose_plan(before, plan_from_json(wanted.plan))
    day = message.created.astimezone().date()
    remembered = tuple((name, tuple(each.items())) for name, each in chosen.items())
    return _read(
        without_tone(message.text), before, tuple(indexes), day, remembered, current_lexicon()
    )


@lru_cache(maxsize=_KEPT_READINGS)
def _read(
    text: str,
    before: DialogueState,
    indexes: tuple[SchemaIndex, ...],
    day: date,
    remembered: tuple[tuple[str, tuple[tuple[str, str], ...]], ...],
    _words: Lexicon,  # by which it was read
) -> DialogueState:
    """Read a question once: each round of an answer begins with all questions before it."""
    chosen = {name: dict(each) for name, each in remembered}
    return interpret(text, before, indexes, today=day, chosen=chosen)


def _choose_plan(before: DialogueState, plan: DataPlan) -> DialogueState:
    """Make a chosen plan the topic; it may resolve what a word means."""
    resolved = resolved_by(before.ambiguities, plan)
    if plan == before.topic:  # a remembered reading makes the same plan of the words
        return replace(before, plan=plan, ambiguities=resolved)
    return replace(advance(before, plan, before.language), ambiguities=resolved)


def _index_of(state: DialogueState, indexes: Sequence[SchemaIndex]) -> SchemaIndex | None:
    """Return the data set that an answer is about: as named, else the topic's, else the last."""
    about = state.dataset or (dataset_of(state.topic) if state.topic else "")
    named = [index for index in indexes if index.profile.dataset == about]
    return next(iter([*named, *reversed(indexes)]), None)


def _executor_of(
    index: SchemaIndex, indexes: Sequence[SchemaIndex], locale: AnswerLocale, tools: Sequence[str]
) -> PlanExecutor:
    has_tools = index is defect_index(indexes)
    return PlanExecutor(index, locale, tools=tools, has_defect_tools=has_tools)


def _calls(
    state: DialogueState,
    index: SchemaIndex | None,
    executor: PlanExecutor | None,
    locale: AnswerLocale,
) -> tuple[Call, ...]:
    match state.plan:
        case Register() as report:
            call = report_call(report)
            return () if call is None else (call,)
        case Why() as why if index is not None and executor is not None:
            scope, measure = analysis_target(why, state.topic, index)
            return executor.contribution_calls(ContributionAnalysis(index, locale, scope, measure))
        case plan if isinstance(plan, DataPlan) and executor is not None:
            return executor.calls(plan)
        case _:
            return ()


def _round_of(calls: Sequence[Call], request: ModelRequest, before: int) -> Reply:
    """Return a round of calls, numbered on from those `before`."""
    made = [
        ToolCall(f"offline_{request.messages[-1].id}_{number}", call.name, call.input)
        for number, call in enumerate(calls, start=before + 1)
    ]
    return Reply("", tuple(made))


def _answered_calls(messages: Sequence[Message]) -> list[tuple[Call, ToolResult]]:
    """Return the calls of the answer under way that have a result."""
    if not messages or messages[-1].role != "assistant":
        return []
    made: dict[str, Call] = {}
    answered: list[tuple[Call, ToolResult]] = []
    for block in messages[-1].blocks:
        match block:
            case ToolCall(id_, name, given):
                made[id_] = Call(name, given)
            case ToolResult(call_id) if call_id in made:
                answered.append((made[call_id], block))
    return answered


def _hidden_log_profile() -> DatasetProfile:
    """Return the defect log when only its tools can see it: its columns and the plant's words."""
    types: dict[str, ColumnType] = {"id": "integer", "posicao": "integer", "data": "date"}
    values = {"tipo_defeito": DEFECT_TYPES, "turno": SHIFTS}
    columns = tuple(
        ColumnProfile(
            name,
            types.get(name, "category"),
            missing=0,
            distinct=len(values.get(name, ())),
            top=tuple((value, 0) for value in values.get(name, ())),
        )
        for name in DEFECT_FIELDS
    )
    table = Table(tuple(Column(each.name, each.type) for each in columns), ())
    return DatasetProfile(
        id=LOG,
        dataset=LOG,
        file=LOG,
        sheet=None,
        sheets=(),
        rows=0,
        sha256="",
        columns=columns,
        preview=table,
    )
