"""Turns: a question is stored, put to an agent's model, its tools run, and the answer kept.

`TurnRunner` begins a turn, `Turn` plays its rounds, and `LiveAnswer` (`chat.checkpoint`) keeps what
has arrived on the disk while it grows.
"""

from __future__ import annotations  # the public class comes first

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from qhub_desktop.chat.agents import Agent, describe
from qhub_desktop.chat.checkpoint import BlockKeeper, LiveAnswer
from qhub_desktop.core.artifact import ArtifactEnded, ArtifactEvent, ArtifactParser
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import Fault, QHubError, ServiceError, ToolError, UserError
from qhub_desktop.core.events import (
    Answering,
    ApprovalAsked,
    ArtifactShown,
    Audience,
    ChatModel,
    Done,
    ErrorHappened,
    ModelRequest,
    ReadingChosen,
    RoundEnd,
    RoundEnded,
    StatusChanged,
    TextAdded,
    ToolStarted,
    ToolUsed,
    UsageCounted,
    WidgetShown,
    action_for,
)
from qhub_desktop.core.message import (
    CHANGED_INPUT,
    Block,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import Tool, ToolContext, ToolOutput
from qhub_desktop.core.untrusted import sanitize

STOPPED = "parado pela pessoa"
NOT_RUN = "não executado"


class TurnRunner:
    """Turns, one after the other in a conversation, several conversations at once."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        messages: Messages,
        readings: Readings,
        model: ChatModel,
        tools: Mapping[str, Tool],
        agents: Mapping[str, Agent],
        common_prompt: str,
        profiles: Callable[[str], Awaitable[tuple[DatasetProfile, ...]]],
        settings: Callable[[], Settings],
        log: DecisionLog,
        fixed: Collection[str] = (),
    ) -> None:
        self._log = log
        self._fixed = fixed  # settings that no agent has of its own
        self._conversations = conversations
        self._messages = messages
        self._readings = readings
        self._model = model
        self._tools = tools
        self._agents = agents
        self._common_prompt = common_prompt
        self._profiles = profiles
        self._settings = settings
        self._busy: set[str] = set()
        self._history_starts: dict[str, int] = {}  # by conversation: the first message last sent

    async def reply(
        self,
        conversation: str,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
    ) -> None:
        """Store the question, then answer it; `Done` is the last event shown.

        `wanted` is the plan that the person chose, where they did not just ask. Stop by cancelling
        the task: what had arrived is kept.
        """
        blocks: list[Block] = [Text(sanitize(question))]
        if wanted is not None:
            blocks.append(ChosenPlan(wanted))
        with self._only_turn(conversation):
            await self._messages.add(conversation, "user", blocks)
            await self._answer(conversation, audience, self._model)

    async def retry(self, conversation: str, *, audience: Audience) -> None:
        """Answer the last question again; the earlier answer is hidden, not lost."""
        with self._only_turn(conversation):
            await self._answer_again(conversation, audience, self._model)

    async def answer(
        self,
        conversation: str,
        *,
        place: Callable[[], Awaitable[object]],
        model: ChatModel,
        audience: Audience,
    ) -> None:
        """Let `place` make a question the last one here, then have `model` answer it.

        An earlier answer to it is hidden, not lost. Raises BusyError, and does nothing, where an
        answer is under way.
        """
        with self._only_turn(conversation):
            await place()
            await self._answer_again(conversation, audience, model)

    async def edit(
        self, conversation: str, message: int, question: str, *, audience: Audience
    ) -> None:
        """Ask differently: the question `message` and all after it are hidden, not lost."""
        with self._only_turn(conversation):
            await self._messages.supersede(message)
            await self._messages.add(conversation, "user", [Text(sanitize(question))])
            await self._answer(conversation, audience, self._model)

    def rehearsal(self, agent: Agent) -> TurnRunner:
        """Return a runner that tries out this agent, stored or not, in whichever conversation.

        What would leave something behind (a record, a page, a file) is checked and not run.
        """
        return TurnRunner(
            conversations=_Rehearsals(agent.id),
            messages=self._messages,
            readings=_Rehearsals(agent.id),
            model=self._model,
            tools={name: _rehearsed(tool) for name, tool in self._tools.items()},
            agents={agent.id: agent},
            common_prompt=self._common_prompt,
            profiles=self._profiles,
            settings=self._settings,
            log=_note_nothing,
            fixed=self._fixed,
        )

    @contextmanager
    def _only_turn(self, conversation: str) -> Iterator[None]:
        if conversation in self._busy:
            raise BusyError(_("An answer is under way here. Stop it first, or wait for its end."))
        self._busy.add(conversation)
        try:
            yield
        finally:
            self._busy.discard(conversation)

    async def _answer_again(self, conversation: str, audience: Audience, model: ChatModel) -> None:
        history = await self._messages.latest(conversation, limit=1)
        if history and history[-1].role == "assistant":
            await self._messages.supersede(history[-1].id)
        await self._answer(conversation, audience, model)

    async def _answer(self, conversation: str, audience: Audience, model: ChatModel) -> None:
        try:
            turn = await self._begin(conversation, audience, model)
        except QHubError as error:  # before there is an answer to tell it in
            show_error(error, audience)
            audience.show(Done("failed"))
            return
        except asyncio.CancelledError:
            audience.show(Done("cancelled"))
            raise
        await turn.play()

    async def _begin(self, conversation: str, audience: Audience, model: ChatModel) -> Turn:
        agent = self._agents.get((await self._conversations.find(conversation)).agent)
        if agent is None:
            raise UserError(
                _(
                    "The agent of this conversation is not there any more: it can be read, not"
                    " continued. Ask in a new conversation."
                ),
                fault="refused",
            )
        settings = agent.settings_for(self._settings(), self._fixed)
        history = await self._messages.latest(conversation, limit=settings.history_messages)
        profiles = await self._profiles(conversation)
        tools = {
            name: tool
            for name, tool in agent.tools_of(self._tools).items()
            if not (tool.declared.code and settings.python == "off")
        }
        request = ModelRequest(
            stable_prompt=f"{agent.prompt}\n\n{self._common_prompt}",
            messages=self._trimmed(conversation, history, settings.history_messages),
            tools=tuple(tool.spec for tool in tools.values()),
            profiles=profiles,
            profiles_text=describe(profiles, settings, agent.privacy),
            answer_tokens=settings.answer_tokens,
            result_characters=settings.result_characters,
            privacy=agent.privacy,
            model=settings.model,
        )
        live = LiveAnswer(
            await self._messages.add(conversation, "assistant"),
            self._messages,
            result_characters=settings.result_characters,
        )
        return Turn(
            live=live,
            request=replace(request, answer=live.id),
            model=model,
            tools=tools,
            asks_first=lambda tool: agent.asks_first(tool, settings),
            context=ToolContext(conversation, profiles),
            settings=settings,
            audience=audience,
            spend=lambda usage: self._messages.add_usage(live.id, usage),
            remember=lambda chosen: self._remember(chosen, profiles),
            log=self._log,
        )

    def _trimmed(
        self, conversation: str, history: Sequence[Message], most: int
    ) -> tuple[Message, ...]:
        sent = trim_history(history, most, start=self._history_starts.get(conversation))
        if sent:
            self._history_starts[conversation] = sent[0].id
        return sent

    async def _remember(self, chosen: ReadingChosen, profiles: Sequence[DatasetProfile]) -> None:
        for profile in profiles:
            if profile.dataset == chosen.dataset:
                names = [column.name for column in profile.columns]
                await self._readings.keep_reading(names, chosen.word, chosen.reading)


class BusyError(UserError):
    """An answer is under way in the conversation."""


class ConversationRef(Protocol):
    """What a turn needs to know of a conversation."""

    @property
    def agent(self) -> str:
        """The id of the agent it is held with."""
        ...


class Conversations(Protocol):
    """Where conversations are kept."""

    async def find(self, conversation: str, /) -> ConversationRef:
        """Find a conversation by its id. Raises UserError for an unknown one."""
        ...


class Messages(BlockKeeper, Protocol):
    """Where what is said in conversations is kept, and what it took."""

    async def add(
        self, conversation: str, role: Literal["user", "assistant"], blocks: Sequence[Block] = ()
    ) -> Message:
        """Begin a message."""
        ...

    async def latest(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last messages, oldest first, every call in them with a result."""
        ...

    async def supersede(self, message: int) -> None:
        """Hide a message and all after it."""
        ...

    async def add_usage(self, message: int, usage: UsageCounted) -> None:
        """Keep what one call to the model took."""
        ...


# What a person has decided about a tool, its name, and what it was asked to do.
DecisionLog = Callable[[Literal["approved", "declined"], str, JsonObject], Awaitable[None]]


class Readings(Protocol):
    """Where it is kept what the person chose a word to mean."""

    async def keep_reading(self, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember what a word is taken for in data with these columns."""
        ...


@dataclass(frozen=True, slots=True)
class _Rehearsals:
    """Conversations that are all with one agent, and of which nothing is remembered."""

    agent: str

    async def find(self, _conversation: str, /) -> _Rehearsals:
        return self

    async def keep_reading(self, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember nothing."""


def _rehearsed(tool: Tool) -> Tool:
    """Return a tool as it is tried out: one that leaves something behind only checks its input."""
    if not tool.needs_approval and tool.declared.category not in ("action", "dashboard"):
        return tool

    def prepare(given: Json) -> Callable[[ToolContext], Awaitable[ToolOutput]]:
        tool.prepare(given)

        async def run(_context: ToolContext) -> ToolOutput:
            return ToolOutput({"estado": "ensaio: a entrada está certa; nada foi feito"})

        return run

    return replace(tool, prepare=prepare)


async def _note_nothing(_decided: str, _tool: str, _detail: JsonObject) -> None:
    """Keep no record of what is tried out."""


KEPT_AFTER_TRIMMING = 0.6


def trim_history(
    messages: Sequence[Message], most: int, *, start: int | None = None
) -> tuple[Message, ...]:
    """Return the end of a history, at most `most` messages as a model counts them, from a question
    on: from the one with the id `start`, where that fits.

    A round with tools counts as two: the calls, and their results. An answer is never taken apart,
    so no call is without its result. The last question stays whatever it weighs.

    A service's cache holds what begins alike. So a history that has outgrown `most` is cut to a
    good half of it, and grows again from that place; cut by one question each time, all of it would
    be paid for anew with every question.
    """
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    weights = [_model_message_count(message) for message in messages]
    if start is not None:
        begun = [place for place in starts if messages[place].id == start]
        if begun and sum(weights[begun[0] :]) <= most:
            return tuple(messages[begun[0] :])
        most = int(most * KEPT_AFTER_TRIMMING)
    for place in starts[:-1]:
        if sum(weights[place:]) <= most:
            return tuple(messages[place:])
    return tuple(messages[starts[-1] :]) if starts else ()


def _model_message_count(message: Message) -> int:
    blocks = message.blocks
    rounds = sum(
        isinstance(block, ToolResult)
        and not (place + 1 < len(blocks) and isinstance(blocks[place + 1], ToolResult))
        for place, block in enumerate(blocks)
    )
    return 1 + 2 * rounds


class Turn:
    """One answer from its first word to its last, however it ends."""

    def __init__(
        self,
        *,
        live: LiveAnswer,
        request: ModelRequest,
        model: ChatModel,
        tools: Mapping[str, Tool],
        asks_first: Callable[[Tool], bool],
        context: ToolContext,
        settings: Settings,
        audience: Audience,
        spend: Callable[[UsageCounted], Awaitable[None]],
        remember: Callable[[ReadingChosen], Awaitable[None]],
        log: DecisionLog,
    ) -> None:
        self._log = log
        self._live = live
        self._request = request
        self._model = model
        self._tools = tools
        self._asks_first = asks_first
        self._context = replace(context, tell=self._tell)
        self._settings = settings
        self._audience = audience
        self._spend = spend
        self._remember = remember
        self._changed: dict[str, JsonObject] = {}  # by the call's id: inputs that the person edited
        self._idle = asyncio.timeout(None)

    async def play(self) -> None:
        """Play the turn to its `Done`, which is always shown, also when cancelled or broken."""
        end = Done("failed")
        try:
            async with asyncio.timeout(self._settings.answer_s), self._idle:
                end = await self._rounds()
        except TimeoutError:
            end = Done("limit", "time")
        except asyncio.CancelledError:
            end = Done("cancelled")
            raise
        except QHubError as error:
            await self._store_error(error)
        finally:
            # A second cancellation must not leave the answer open on disk.
            await asyncio.shield(asyncio.ensure_future(self._finish(end)))

    async def _finish(self, end: Done) -> None:
        try:
            await self._live.close_calls(STOPPED if end.reason == "cancelled" else NOT_RUN)
            await self._live.end(end.reason)
        finally:
            self._audience.show(end)

    async def _rounds(self) -> Done:
        for _round in range(self._settings.rounds):
            match await self._round():
                case "complete":
                    return Done("complete")
                case "tokens":
                    return Done("limit", "tokens")
                case "refused":
                    message = _("The model declined to answer this. Ask in another way.")
                    raise ServiceError(message, fault="refused")
                case "tools":
                    for call in self._live.open_calls():
                        await self._run(call)
        return Done("limit", "rounds")

    async def _round(self) -> RoundEnd:
        request = self._request
        if not self._live.is_empty:
            request = replace(request, messages=(*request.messages, self._live.message))
        self._note_progress()
        parser = ArtifactParser()
        async for event in self._model.stream(request):
            self._note_progress()
            match event:
                case TextAdded(text):
                    self._live.add_text(text)
                    self._audience.show(event)
                    self._show_artifacts(parser.feed(text))
                case StatusChanged():
                    self._audience.show(event)
                case UsageCounted():
                    await self._spend(event)
                    self._audience.show(event)
                case Interpretation() | Clarification():
                    await self._live.add(event)
                    self._audience.show(event)
                case ToolCall():
                    await self._live.add(event)
                case Reasoning():
                    self._live.add_reasoning(event)
                case Answering(engine):
                    self._live.engine = engine
                case ReadingChosen():
                    await self._remember(event)
                case RoundEnded(reason):
                    self._show_artifacts(parser.finish())
                    if self._live.open_calls():
                        return "tools"
                    if reason != "tools":
                        return reason
                    break  # calls are announced, and none has arrived: asked again, it may go on so
        message = _("The answer broke off. What arrived is kept; try again.")
        raise ServiceError(message, fault="cut")

    def _show_artifacts(self, events: Sequence[ArtifactEvent]) -> None:
        """Announce the artifacts that are whole; their source was among the words."""
        for event in events:
            if isinstance(event, ArtifactEnded) and event.artifact.is_closed:
                self._audience.show(ArtifactShown(event.artifact.kind, event.artifact.source))

    async def _run(self, call: ToolCall) -> None:
        tool = self._tools.get(call.name)
        label = "" if tool is None else _(tool.declared.label)
        self._audience.show(ToolStarted(call, label))
        started = time.perf_counter()
        try:
            outcome = await self._outcome(call)
        except QHubError as error:  # also a file that has gone: the model can say so, or work round
            outcome = ToolOutput({"erro": str(error)}, is_error=True)
        if (changed := self._changed.pop(call.id, None)) is not None:
            # The record and the model must know what ran: the call keeps what the model wrote.
            told = outcome.content if isinstance(outcome.content, dict) else {}
            outcome = replace(outcome, content={**told, CHANGED_INPUT: changed})
        ms = round((time.perf_counter() - started) * 1000)
        result = ToolResult(
            call_id=call.id,
            content=outcome.content,
            widget=outcome.widget,
            source=outcome.source,
            is_error=outcome.is_error,
            ms=ms,
            more=outcome.more,
        )
        await self._live.add(result)
        self._note_progress()
        self._audience.show(ToolUsed(call, result))
        for widget in result.widgets:
            self._audience.show(WidgetShown(widget))

    def _tell(self, words: str) -> None:
        """Tell what a tool is doing that takes long."""
        self._note_progress()
        self._audience.show(StatusChanged("preparing", words))

    async def _outcome(self, call: ToolCall) -> ToolOutput:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools)
            raise ToolError(f"A ferramenta '{call.name}' não existe aqui. Existem: {names}.")
        work = tool.prepare(call.input)
        if not self._asks_first(tool):
            return await work(self._context)
        approved = await self._approved_input(call, tool)
        decided: JsonObject = {"conversation": self._context.conversation, "input": call.input}
        if approved is None:
            await self._log("declined", call.name, decided)
            what = "nada correu" if tool.declared.code else "nada foi gravado"
            return ToolOutput({"estado": f"não confirmado pela pessoa; {what}"})
        if approved != call.input:
            self._changed[call.id] = approved
            work = tool.prepare(approved)
            decided["changed"] = approved
        await self._log("approved", call.name, decided)
        return await work(self._context)

    async def _approved_input(self, call: ToolCall, tool: Tool) -> JsonObject | None:
        request = ApprovalAsked(
            call,
            _("Confirm before this code runs. You may change it.")
            if tool.declared.code
            else _("Confirm before anything is written."),
            _(tool.declared.consent),
            {name: _(label) for name, label in tool.parameter_labels.items()},
            tool.declared.code,
        )
        self._audience.show(request)
        try:
            async with asyncio.timeout(self._settings.question_s):
                return await self._audience.approve(request)
        except TimeoutError:
            return None

    async def _store_error(self, error: QHubError) -> None:
        await self._live.add(Notice(_fault(error), str(error)))
        show_error(error, self._audience)

    def _note_progress(self) -> None:
        now = asyncio.get_running_loop().time()
        self._idle.reschedule(now + self._settings.inactivity_s)


def show_error(error: QHubError, audience: Audience) -> None:
    """Tell what went wrong, and what the person can do about it."""
    fault = _fault(error)
    audience.show(ErrorHappened(fault, str(error), action_for(fault)))


def _fault(error: QHubError) -> Fault:
    return error.fault if isinstance(error, (UserError, ServiceError)) else "other"
