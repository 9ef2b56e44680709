"""Turns: a question is stored, put to an agent's model, its tools run, and the answer kept.

`TurnRunner` begins a turn, `ToolLoop` (`chat.rounds`) plays its rounds, and `LiveAnswer`
(`chat.checkpoint`) keeps what has arrived on the disk while it grows.
"""

# Why it is so: decisions/conversations.md

from __future__ import annotations  # the public class comes first

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from qhub_desktop.chat.agents import Agent, describe
from qhub_desktop.chat.checkpoint import BlockKeeper, LiveAnswer
from qhub_desktop.chat.context import (
    ContextAsked,
    ContextSource,
    context_of,
    damage_status,
    with_context,
)
from qhub_desktop.chat.guard.screen import Screen, without_blocked
from qhub_desktop.chat.rounds import CheckAccount, DecisionLog, ToolLoop, show_error
from qhub_desktop.core.asking import Reply, Unanswered
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.context import NEVER_STORED, Context
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError, ToolError, UserError
from qhub_desktop.core.events import (
    AskedEngine,
    Audience,
    ChatModel,
    ConfirmCost,
    CostAsked,
    CostChoice,
    Done,
    ModelRequest,
    ReadingChosen,
    TextAdded,
    UsageCounted,
)
from qhub_desktop.core.guard import ENGINE as GUARD_ENGINE
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.ids import ConversationId, MessageId, agent_of_unstarted
from qhub_desktop.core.message import (
    Block,
    ChosenPlan,
    Clarification,
    Message,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.signals import SignalKind, signal_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import Tool, ToolContext, ToolOutput
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass


class TurnRunner:
    """Turns, one after the other in a conversation, several conversations at once."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        messages: Messages,
        readings: WordReadings,
        model: ChatModel,
        tools: Mapping[str, Tool],
        agents: Mapping[str, Agent],
        common_prompt: str,
        profiles: Callable[[ConversationId], Awaitable[tuple[DatasetProfile, ...]]],
        settings: Callable[[], Settings],
        log: DecisionLog,
        fixed: Collection[str] = (),
        estimate: Estimate | None = None,
        check_account: CheckAccount | None = None,
        context: Sequence[ContextSource] = (),
        person: Callable[[], str] = str,
        signals: Signals | None = None,
        screen: Screen | None = None,
        leaves: Callable[[ModelRequest], Awaitable[bool]] | None = None,
        offered: OfferedQuestions | None = None,
    ) -> None:
        self._offered = offered
        self._signals = signals
        self._screen = screen
        self._leaves = leaves  # whether a request goes to a service, as far as one can say
        self._check_account = check_account
        self._context = context
        self._person = person  # the account that asks, "" where nobody signs in
        self._log = log
        self._fixed = fixed  # settings that no agent has of its own
        self._estimate = estimate
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
        self._history_starts: dict[
            ConversationId, MessageId
        ] = {}  # by conversation: the first message last sent

    async def reply(
        self,
        conversation: ConversationId,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Store the question, then answer it; `Done` is the last event shown.

        `wanted` is the plan that the person chose, where they did not just ask. Stop by cancelling
        the task: what had arrived is kept. `confirm` is asked before a question is sent that may
        cost more than the settings let pass; cancelled there, the question is hidden again.
        """
        plan = () if wanted is None else (ChosenPlan(wanted),)
        with self._only_turn(conversation):
            first = self._note_reply(conversation, question, wanted)
            await self._ask(
                conversation, question, audience, plan=plan, confirm=confirm, first=first
            )

    async def retry(
        self,
        conversation: ConversationId,
        *,
        audience: Audience,
        engine: AskedEngine | None = None,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Answer the last question again, by this engine or by that of the settings; the earlier
        answer is hidden, not lost.
        """
        with self._only_turn(conversation):
            await self.note(conversation, "retried")
            await self._answer_again(
                conversation, audience, self._model, engine=engine, confirm=confirm
            )

    async def answer(
        self,
        conversation: ConversationId,
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
        self,
        conversation: ConversationId,
        message: MessageId,
        question: str,
        *,
        audience: Audience,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Ask differently: the question `message` and all after it are hidden, not lost."""
        with self._only_turn(conversation):
            await self.note(conversation, "edited")
            await self._messages.supersede(message)
            await self._ask(conversation, question, audience, confirm=confirm)

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
            check_account=self._check_account,
            person=self._person,
            screen=self._screen,
            leaves=self._leaves,
        )

    @contextmanager
    def _only_turn(self, conversation: ConversationId) -> Iterator[None]:
        if conversation in self._busy:
            raise BusyError(_("An answer is under way here. Stop it first, or wait for its end."))
        self._busy.add(conversation)
        try:
            yield
        finally:
            self._busy.discard(conversation)

    async def _ask(
        self,
        conversation: ConversationId,
        question: str,
        audience: Audience,
        *,
        plan: Sequence[Block] = (),
        confirm: ConfirmCost | None = None,
        first: Awaitable[None] | None = None,
    ) -> None:
        """Store a question as the guard lets it be stored, and answer it unless it is blocked.

        What is to be done `first` looks at what is stored before it.
        """
        storing = asyncio.ensure_future(self._store_question(conversation, question, plan, first))
        try:
            asked, guarded = await asyncio.shield(storing)
        except asyncio.CancelledError:  # it is in sight: the window closes once it is stored
            await storing
            raise
        if asked is None:
            await self._tell_blocked(conversation, guarded, audience)
            return
        if guarded is not None:
            audience.show(guarded)
        if not await self._answer(
            conversation, audience, self._model, confirm=confirm, guarded=guarded
        ):
            await self._messages.supersede(asked.id)

    async def _store_question(
        self,
        conversation: ConversationId,
        question: str,
        plan: Sequence[Block],
        first: Awaitable[None] | None,
    ) -> tuple[Message | None, Guarded | None]:
        """Store a question as the guard lets it be stored; nothing of one that it blocks."""
        if first is not None:
            await first
        text, guarded = sanitize(question), None
        if self._screen is not None:
            text, guarded = await self._screen.screened(conversation, text)
        if guarded is not None and guarded.action == "block":
            return None, guarded
        return await self._messages.add(conversation, "user", [Text(text), *plan]), guarded

    async def _tell_blocked(
        self, conversation: ConversationId, guarded: Guarded | None, audience: Audience
    ) -> None:
        """Store a blocked question where no model ever reads it, with the guard's sentence."""
        assert guarded is not None
        await self._messages.add(conversation, "user", [guarded])
        told = replace(guarded, words="")
        answer = await self._messages.add(conversation, "assistant", [Text(guarded.text), told])
        await self._messages.end(answer.id, "complete", engine=GUARD_ENGINE)
        audience.show(TextAdded(guarded.text))
        audience.show(told)
        audience.show(Done("complete"))

    async def _answer_again(
        self,
        conversation: ConversationId,
        audience: Audience,
        model: ChatModel,
        *,
        engine: AskedEngine | None = None,
        confirm: ConfirmCost | None = None,
    ) -> None:
        history = await self._messages.latest(conversation, limit=2)
        if history and history[-1].role == "assistant":
            await self._messages.supersede(history.pop().id)
        asked = history[-1] if history and history[-1].role == "user" else None
        guarded = None
        if self._screen is not None and asked is not None:
            # It may have been stored by another version, or before a rule was changed.
            blocked = asked.blocked_words
            before = asked.text if blocked is None else blocked
            text, guarded = await self._screen.screened(conversation, before)
            is_blocked = guarded is not None and guarded.action == "block"
            if text != before or is_blocked or blocked is not None:
                await self._messages.supersede(asked.id)
                if guarded is not None and is_blocked:
                    await self._tell_blocked(conversation, guarded, audience)
                    return
                plan = [each for each in asked.blocks if isinstance(each, ChosenPlan)]
                await self._messages.add(conversation, "user", [Text(text), *plan])
            if guarded is not None:
                audience.show(guarded)
        await self._answer(
            conversation, audience, model, engine=engine, confirm=confirm, guarded=guarded
        )

    async def _answer(
        self,
        conversation: ConversationId,
        audience: Audience,
        model: ChatModel,
        *,
        engine: AskedEngine | None = None,
        confirm: ConfirmCost | None = None,
        guarded: Guarded | None = None,
    ) -> bool:
        """Answer the last question; return False if the person took it back."""
        try:
            turn = await self._begin(conversation, audience, model, engine, confirm, guarded)
        except QHubError as error:  # before there is an answer to tell it in
            show_error(error, audience)
            audience.show(Done("failed"))
            return True
        except asyncio.CancelledError:
            audience.show(Done("cancelled"))
            raise
        if turn is None:
            audience.show(Done("cancelled", "cost"))
            return False
        try:
            await turn.play()
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.ensure_future(self.note(conversation, "stopped")))
            raise
        return True

    async def note(self, conversation: ConversationId, kind: SignalKind) -> None:
        """Count what a person did with an answer, where that is counted; never in their way."""
        if self._signals is None or not self._settings().signals:
            return
        with suppress(QHubError):
            await self._signals.count((await self._conversations.find(conversation)).agent, kind)

    async def _note_reply(
        self, conversation: ConversationId, question: str, wanted: JsonObject | None
    ) -> None:
        """Count what the next question tells of the answer before it."""
        if self._signals is None or not self._settings().signals:
            return
        before = await self._messages.latest(conversation, limit=1)
        kind = signal_of(question, wanted, before[-1] if before else None)
        if kind is not None:
            await self.note(conversation, kind)

    async def _begin(
        self,
        conversation: ConversationId,
        audience: Audience,
        model: ChatModel,
        engine: AskedEngine | None,
        confirm: ConfirmCost | None,
        guarded: Guarded | None,
    ) -> ToolLoop | None:
        # Who answers, and by which settings.
        agent = await self._agent_of(conversation)
        settings = agent.settings_for(self._settings(), self._fixed)
        # What the model is asked: the history, the data sets and the tools that the agent may use.
        most = settings.history_messages
        latest = await self._messages.latest(conversation, limit=most)
        if (damage := damage_status(latest)) is not None:
            audience.show(damage)
        history: Sequence[Message] = self._trimmed(conversation, without_blocked(latest), most)
        is_sent = "offline" not in (engine, settings.engine) and agent.privacy != "nothing"
        sources = [each for each in self._context if is_sent or each.section in NEVER_STORED]
        tools = await self._tools_of(agent, settings)
        asked = ContextAsked(conversation, self._person(), history, settings, agent.id, [*tools])
        history = await self._with_context(asked, sources)
        profiles = await self._profiles(conversation)
        closed = tools
        if agent.privacy == "aggregates":
            closed = {name: each.closed for name, each in tools.items() if each.closed is not None}
        request = ModelRequest(
            stable_prompt=f"{agent.prompt}\n\n{self._common_prompt}",
            messages=tuple(history),
            tools=tuple(tool.spec for tool in tools.values()),
            closed_tools=tuple(tool.spec for tool in closed.values()),
            profiles=profiles,
            profiles_text=describe(profiles, settings, agent.privacy),
            answer_tokens=settings.answer_tokens,
            result_characters=settings.result_characters,
            privacy=agent.privacy,
            model=settings.model,
            engine=engine,
            examples=await self._examples_for(asked),
        )
        # Before anything is stored of an answer, the person agrees to what leaves and may cost.
        if is_sent:
            leaving = await self._leaving(conversation, request, model, audience, settings)
            if leaving is None:
                return None
            request, guarded = leaving[0], leaving[1] or guarded
        match "send" if confirm is None else await self._choice(request, confirm, settings):
            case "cancel":
                return None
            case "offline":
                request = replace(request, engine="offline")
            case "send":
                pass
        live = LiveAnswer(
            await self._messages.add(conversation, "assistant"),
            self._messages,
            result_characters=settings.result_characters,
        )
        if guarded is not None:
            await live.add(guarded)
        return ToolLoop(
            live=live,
            request=replace(request, answer=live.id),
            model=model,
            tools=tools,
            closed_tools=closed,
            asks_first=lambda tool: agent.asks_first(tool, settings),
            context=ToolContext(
                conversation, profiles, person=self._person(), message=live.id, agent=agent.id
            ),
            settings=settings,
            audience=audience,
            spend=lambda usage: self._messages.add_usage(live.id, usage),
            remember=lambda chosen: self._remember(chosen, profiles),
            log=self._log,
            check_account=self._check_account,
            notice=None if self._screen is None else partial(self._screen.noticed, conversation),
        )

    async def _leaving(
        self,
        conversation: ConversationId,
        request: ModelRequest,
        model: ChatModel,
        audience: Audience,
        settings: Settings,
    ) -> tuple[ModelRequest, Guarded | None] | None:
        """Return a request with what of the person's words may leave; None if nothing is to."""
        leaves = self._leaves if model is self._model else None
        if self._screen is None or (leaves is not None and not await leaves(request)):
            return request, None

        async def ask(question: Clarification) -> Reply:
            audience.show(question)
            try:
                async with asyncio.timeout(settings.question_s):
                    return await audience.ask(question, _hold_nothing)
            except TimeoutError:
                return Unanswered("prazo")

        leaving = await self._screen.leaving(conversation, request.messages, ask)
        if leaving is None:
            return None
        messages, guarded = leaving
        if guarded is not None:
            audience.show(guarded)
        return replace(request, messages=tuple(messages)), guarded

    def tool_label(self, name: str) -> str:
        """Return what a tool is called for a person; "" for one that is there no more."""
        tool = self._tools.get(name)
        return _(tool.declared.label) if tool is not None and tool.declared.label else ""

    async def preview(self, conversation: ConversationId, question: str) -> Preview:
        """Return what a turn would ask the offline engine of a question, of which nothing is kept.

        Raises UserError where the conversation cannot be gone on with.
        """
        agent = await self._agent_of(conversation)
        settings = agent.settings_for(self._settings(), self._fixed)
        most = settings.history_messages
        asked = Message(MessageId(0), "user", (Text(sanitize(question)),), datetime.now(UTC))
        is_stored = not agent_of_unstarted(conversation)
        history = await self._messages.latest(conversation, limit=most) if is_stored else []
        start = self._history_starts.get(conversation)
        profiles = await self._profiles(conversation)
        tools = await self._tools_of(agent, settings)
        request = ModelRequest(
            stable_prompt="",
            messages=trim_history([*without_blocked(history), asked], most, start=start),
            tools=tuple(tool.spec for tool in tools.values()),
            profiles=profiles,
            profiles_text="",
            answer_tokens=settings.answer_tokens,
            engine="offline",
        )
        context = ToolContext(conversation, profiles, person=self._person(), agent=agent.id)
        return Preview(request, tools, replace(context, engine="offline"))

    async def _examples_for(self, asked: ContextAsked) -> tuple[str, ...]:
        """Return the questions of examples to offer where this one is declined."""
        if self._offered is None or not asked.settings.examples or not asked.history:
            return ()
        return await self._offered(asked.agent, asked.question, asked.tools)

    async def _agent_of(self, conversation: ConversationId) -> Agent:
        name = agent_of_unstarted(conversation)
        agent = self._agents.get(name or (await self._conversations.find(conversation)).agent)
        if agent is None:
            raise UserError(
                _(
                    "The agent of this conversation is not there any more: it can be read, not"
                    " continued. Ask in a new conversation."
                ),
                fault="refused",
            )
        return agent

    async def _tools_of(self, agent: Agent, settings: Settings) -> dict[str, Tool]:
        """Return the tools that an agent may use now, by name."""
        return {
            name: tool
            for name, tool in agent.tools_of(self._tools).items()
            if await tool.is_there() and not (tool.declared.code and settings.python == "off")
        }

    async def _with_context(
        self, asked: ContextAsked, sources: Sequence[ContextSource]
    ) -> Sequence[Message]:
        """Return a history whose question has its context: stored with it, and never made anew."""
        history = asked.history
        question = history[-1] if history else None
        if (
            question is None
            or question.role != "user"
            or any(isinstance(block, Context) for block in question.blocks)
        ):
            return history
        context = await context_of(asked, sources)
        if context is None:
            return history
        if (stored := context.stored) is not None:
            await self._messages.put_block(question.id, len(question.blocks), stored)
        return [*history[:-1], with_context(question, context)]

    async def _choice(
        self, request: ModelRequest, confirm: ConfirmCost, settings: Settings
    ) -> CostChoice:
        """Ask the person about a question that may cost much; cancel it if nobody answers."""
        most = settings.ask_above_usd
        usd = None if self._estimate is None else await self._estimate(request)
        if usd is None or usd <= most:
            return "send"
        try:
            async with asyncio.timeout(settings.question_s):
                return await confirm(CostAsked(usd, most))
        except TimeoutError:
            return "cancel"

    def _trimmed(
        self, conversation: ConversationId, history: Sequence[Message], most: int
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


@dataclass(frozen=True, slots=True)
class Preview:
    """A turn that is not begun: what it would ask, and the tools that only read."""

    request: ModelRequest
    tools: Mapping[str, Tool]
    context: ToolContext

    async def run(self, call: ToolCall) -> ToolResult:
        """Run a call of a tool that reads, and keep nothing of it. Raises ToolError."""
        tool = self.tools.get(call.name)
        if tool is None or tool.declared.risk != "read" or tool.needs_approval:
            raise ToolError(f"A ferramenta '{call.name}' não se experimenta.")
        outcome = await tool.prepare(call.input)(self.context)
        return ToolResult(call.id, outcome.content, widget=outcome.widget, source=outcome.source)


# Estimates what a question may cost, in US dollars; None where it costs nothing or nobody knows.
Estimate = Callable[[ModelRequest], Awaitable[float | None]]


# Returns questions of approved examples near one: by an agent, the question, and its tools.
OfferedQuestions = Callable[[str, str, Collection[str]], Awaitable[tuple[str, ...]]]


class BusyError(UserError):
    """An answer is under way in the conversation."""


class ConversationRef(Protocol):
    """Part of a conversation that a turn needs to know."""

    @property
    def agent(self) -> str:
        """The id of the agent it is held with."""
        ...


class Conversations(Protocol):
    """Store of conversations."""

    async def find(self, conversation: ConversationId, /) -> ConversationRef:
        """Find a conversation by its id. Raises UserError for an unknown one."""
        ...


class Messages(BlockKeeper, Protocol):
    """Store of messages, and of what answers took."""

    async def add(
        self,
        conversation: ConversationId,
        role: Literal["user", "assistant"],
        blocks: Sequence[Block] = (),
    ) -> Message:
        """Begin a message."""
        ...

    async def latest(
        self, conversation: ConversationId, *, before: MessageId | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last messages, oldest first, every call in them with a result."""
        ...

    async def supersede(self, message: MessageId) -> None:
        """Hide a message and all after it."""
        ...

    async def add_usage(self, message: MessageId, usage: UsageCounted) -> None:
        """Keep what one call to the model took."""
        ...


class Signals(Protocol):
    """Store of what people do with answers."""

    async def count(self, agent: str, kind: SignalKind, /) -> None:
        """Count one more."""
        ...


class WordReadings(Protocol):
    """Store of what the person chose a word to mean."""

    async def keep_reading(self, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember what a word is taken for in data with these columns."""
        ...


@dataclass(frozen=True, slots=True)
class _Rehearsals:
    """Conversations that are all with one agent, and of which nothing is remembered."""

    agent: str

    async def find(self, _conversation: ConversationId, /) -> _Rehearsals:
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

    closed = None if tool.closed is None else _rehearsed(tool.closed)
    return replace(tool, prepare=prepare, closed=closed)


def _hold_nothing() -> None:
    """Let the time go on."""


async def _note_nothing(_decided: str, _tool: str, _detail: JsonObject) -> None:
    """Keep no record of what is tried out."""


KEPT_AFTER_TRIMMING = 0.6  # a good half, so that the cached beginning lasts some questions


def trim_history(
    messages: Sequence[Message], most: int, *, start: int | None = None
) -> tuple[Message, ...]:
    """Return the end of a history, at most `most` messages, from a question on: from the one with
    the id `start`, where that fits.

    A model counts more messages than people do: in a round with tools the calls are one, and their
    results another. Of those there are at most twice as many, so that a few answers of many rounds
    do not fill all that a model can read. An answer is never taken apart, so no call is without its
    result. The last question stays whatever it weighs.

    A service's cache holds what begins alike. So a history that has outgrown `most` is cut to a
    good half of it, and grows again from that place; cut by one question each time, all of it would
    be paid for anew with every question.
    """
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    if start is not None:
        begun = [place for place in starts if messages[place].id == start]
        if begun and _fits(messages[begun[0] :], most):
            return tuple(messages[begun[0] :])
        most = int(most * KEPT_AFTER_TRIMMING)
    for place in starts[:-1]:
        if _fits(messages[place:], most):
            return tuple(messages[place:])
    return tuple(messages[starts[-1] :]) if starts else ()


def _fits(messages: Sequence[Message], most: int) -> bool:
    counts = (_model_message_count(message) for message in messages)
    return len(messages) <= most and sum(counts) <= 2 * most


def _model_message_count(message: Message) -> int:
    blocks = message.blocks
    rounds = sum(
        isinstance(block, ToolResult)
        and not (place + 1 < len(blocks) and isinstance(blocks[place + 1], ToolResult))
        for place, block in enumerate(blocks)
    )
    return 1 + 2 * rounds
