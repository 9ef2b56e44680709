"""The offline engine as a chat model: question, plan, tool calls, sentences."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from qhub_desktop.core.chat_model import ModelRequest
from qhub_desktop.core.events import Answering, ModelEvent, ReadingChosen, RoundEnded, TextAdded
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
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.nlq.answer.plan_editor import PlanEditor
from qhub_desktop.nlq.answer.suggestions import FollowUps
from qhub_desktop.nlq.answer.writer import AnswerWriter
from qhub_desktop.nlq.dialogue.clarification import (
    RememberedReadings,
    chips,
    describe,
    key,
    settled_by,
)
from qhub_desktop.nlq.dialogue.state import NOTHING, Understanding, taken, understand_one
from qhub_desktop.nlq.drivers import Drivers, about
from qhub_desktop.nlq.executor import Call, PlanExecutor, chosen_by_defect_tools, report_call
from qhub_desktop.nlq.locale import AnswerLocale
from qhub_desktop.nlq.query_ast import (
    Ask,
    DataPlan,
    Plan,
    Register,
    Why,
    dataset_of,
    packed,
    unpacked,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex, schema_index_of, unseen_log
from qhub_desktop.nlq.tool_results import complaint, is_nothing, leading

_PIECE = re.compile(r"(?:\S+\s*){1,4}")


class OfflineEngine:
    """Answers by itself: no model, no network, and the same answer to the same question.

    It owns one thread, begun with the first question, until closed.
    """

    def __init__(self) -> None:
        self._worker = Worker("offline")

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One round: the calls that are still needed, or else the answer in words."""
        yield Answering("offline")
        # Reading the words of a wide data set for the first time takes a tenth of a second.
        reply = await self._worker.run(_reply_to, request)
        for call in reply.calls:
            yield call
        for piece in _PIECE.findall(reply.text):
            yield TextAdded(piece)
            await asyncio.sleep(0)
        for settled in reply.settled:
            yield ReadingChosen(*settled)
        if not reply.calls and reply.understood is not None:
            yield reply.understood
        if not reply.calls and reply.asked is not None:
            yield reply.asked
        yield RoundEnded("tools" if reply.calls else "complete")

    def close(self) -> None:
        """Let go of the thread."""
        self._worker.close()


def _reply_to(request: ModelRequest) -> "Reply":
    # Measured: 80 ms with its many small classes, which no window should wait for.

    from qhub_desktop.nlq.lexicon import renew

    renew()
    return reply_to(request)


def is_talk(text: str) -> bool:
    """Whether this only greets, thanks, says goodbye, or asks who answers and what can be asked.

    The first call loads what the engine needs to read (80 ms), so call it on a thread.
    """
    from qhub_desktop.nlq.dialogue.state import NOTHING, understand_one
    from qhub_desktop.nlq.query_ast import Abilities, Goodbye, Greeting, Help, Identity, Thanks

    plan = understand_one(text, NOTHING, (), today=date.today()).plan
    return isinstance(plan, Greeting | Thanks | Goodbye | Help | Abilities | Identity)


@dataclass(frozen=True, slots=True)
class Reply:
    """One round: the calls that are still needed, or else the answer in words.

    A last round may say what was understood, ask back, or give words the reading that was chosen:
    each word with the data set and the name of its reading.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    understood: Interpretation | None = None
    asked: Clarification | None = None
    settled: tuple[tuple[str, str, str], ...] = ()


def reply_to(request: ModelRequest) -> Reply:
    """What to do next for the last question, given the results so far."""
    tools = [tool.name for tool in request.tools]
    indexes = _indexes(request, tools)
    chosen = {each.dataset: dict(each.readings) for each in request.profiles if each.readings}
    understood = _understood(request.messages, indexes, chosen)
    index = _index_of(understood, indexes)
    voice = AnswerLocale(understood.language)
    teller = AnswerWriter(index, voice)
    performer = None if index is None else _performer(index, indexes, voice, tools)
    calls = _calls(understood, index, performer, voice)
    if lacking := tuple(dict.fromkeys(call.name for call in calls if call.name not in tools)):
        return Reply(teller.lacks(lacking))
    answered = _answered(request.messages)
    waiting = [call for call in calls if call not in [known for known, _ in answered]]
    if waiting:
        return _calling(waiting, request, len(answered))
    results = [result for call in calls for known, result in answered if known == call]
    drawn: ToolResult | None = None
    if (
        performer is not None
        and isinstance(understood.plan, DataPlan)
        and complaint(results) is None
    ):
        picture = performer.picture(understood.plan, results)
        drawn = next((result for known, result in answered if known == picture), None)
        if picture is not None and drawn is None:
            return _calling([picture], request, len(answered))
    text = teller.tell(understood, results, drawn)
    next_ = _next(understood, index, indexes, request, results)
    return Reply(
        "\n\n".join([text, *describe(understood.doubted, voice), *next_]),
        understood=_shown(understood, index, voice),
        asked=_asked(understood.plan, teller),
        settled=tuple(
            (understood.about, key(each.word), each.chosen)
            for each in understood.doubted
            if each.is_new
        ),
    )


def _next(
    understood: Understanding,
    index: SchemaIndex | None,
    indexes: Sequence[SchemaIndex],
    request: ModelRequest,
    results: Sequence[ToolResult],
) -> list[str]:
    """A line with two questions that could follow."""
    plan, voice = understood.plan, AnswerLocale(understood.language)
    if index is None or not isinstance(plan, (DataPlan, Why)) or complaint(results) is not None:
        return []
    asked = next(each for each in reversed(request.messages) if each.role == "user")
    follow_ups = FollowUps(indexes, voice, asked.created.astimezone().date())
    leader = leading(plan, results) if isinstance(plan, DataPlan) else None
    line = follow_ups.line(understood, index, leader, is_empty=is_nothing(plan, results))
    return [line] if line else []


def _shown(
    understood: Understanding, index: SchemaIndex | None, voice: AnswerLocale
) -> Interpretation:
    """The plan, and what of it can be seen and changed."""
    plan = understood.plan
    parts: tuple[Chip, ...] = ()
    if index is not None and plan == understood.topic and understood.topic is not None:
        parts = PlanEditor(index, voice).chips(understood.topic, understood.kept)
        parts = (*chips(understood.doubted), *parts)
    return Interpretation(packed(plan), parts)


def _asked(plan: Plan, teller: AnswerWriter) -> Clarification | None:
    """What is asked back, if anything is."""
    match plan:
        case Ask(word, readings):
            choices = tuple(Choice(name, packed(each)) for name, each in readings)
            return Clarification(teller.question(word), choices)
        case _:
            return None


def _indexes(request: ModelRequest, tools: Sequence[str]) -> list[SchemaIndex]:
    indexes = [schema_index_of(profile) for profile in request.profiles]
    is_hidden = all(profile.dataset != LOG for profile in request.profiles)
    if "contar_defeitos" in tools and is_hidden and chosen_by_defect_tools(indexes) is None:
        indexes.insert(0, schema_index_of(unseen_log()))
    return indexes


def _understood(
    messages: Sequence[Message],
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> Understanding:
    """The last question, understood after all those before it."""
    understood = NOTHING
    for message in messages:
        if message.role == "user":
            understood = _after(understood, message, indexes, chosen)
    return understood


def _after(
    before: Understanding,
    message: Message,
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> Understanding:
    """What one more question changes: by its words, or by the plan that was chosen."""
    wanted = next((each for each in message.blocks if isinstance(each, ChosenPlan)), None)
    if wanted is not None:
        with contextlib.suppress(ValueError):  # of an earlier version: its words are left
            return _with_plan(before, unpacked(wanted.plan))
    day = message.created.astimezone().date()
    return understand_one(message.text, before, indexes, today=day, chosen=chosen)


def _with_plan(before: Understanding, plan: DataPlan) -> Understanding:
    """What choosing a plan changes; it may settle what a word means."""
    doubted = settled_by(before.doubted, plan)
    if plan == before.topic:  # as the question is read by now, since it was chosen
        return replace(before, plan=plan, ignored=(), doubted=doubted)
    return replace(taken(before, plan, before.language), doubted=doubted)


def _index_of(understood: Understanding, indexes: Sequence[SchemaIndex]) -> SchemaIndex | None:
    """The data set that an answer is about; what was talked of before, or else the last."""
    about = understood.about or (dataset_of(understood.topic) if understood.topic else "")
    named = [index for index in indexes if index.profile.dataset == about]
    return next(iter([*named, *reversed(indexes)]), None)


def _performer(
    index: SchemaIndex, indexes: Sequence[SchemaIndex], voice: AnswerLocale, tools: Sequence[str]
) -> PlanExecutor:
    has_tools = index is chosen_by_defect_tools(indexes)
    return PlanExecutor(index, voice, tools=tools, has_defect_tools=has_tools)


def _calls(
    understood: Understanding,
    index: SchemaIndex | None,
    performer: PlanExecutor | None,
    voice: AnswerLocale,
) -> tuple[Call, ...]:
    match understood.plan:
        case Register() as report:
            call = report_call(report)
            return () if call is None else (call,)
        case Why() as why if index is not None and performer is not None:
            scope, measure = about(why, understood.topic, index)
            return performer.around(Drivers(index, voice, scope, measure))
        case plan if isinstance(plan, DataPlan) and performer is not None:
            return performer.calls(plan)
        case _:
            return ()


def _calling(calls: Sequence[Call], request: ModelRequest, before: int) -> Reply:
    """A round of calls, numbered on from those `before`."""
    made = [
        ToolCall(f"offline_{request.messages[-1].id}_{number}", call.name, call.input)
        for number, call in enumerate(calls, start=before + 1)
    ]
    return Reply("", tuple(made))


def _answered(messages: Sequence[Message]) -> list[tuple[Call, ToolResult]]:
    """The calls of the answer under way that have a result."""
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
