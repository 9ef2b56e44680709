"""Rounds of one turn: asks a model, runs its tools, and again until it calls no more.

`chat.turn` begins a turn, `chat.checkpoint` keeps on the disk what has arrived.
"""

from __future__ import annotations  # the public class comes first

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from qhub_desktop.chat.checkpoint import LiveAnswer
from qhub_desktop.chat.number_check import check_numbers, said_before
from qhub_desktop.core.artifact import ArtifactEnded, ArtifactEvent, ArtifactParser
from qhub_desktop.core.asking import AnswerTime, Reply, Unanswered
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import (
    Fault,
    InputError,
    QHubError,
    ServiceError,
    SessionOverError,
    ToolError,
    UserError,
)
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
    UsageBegun,
    UsageCounted,
    WidgetShown,
    action_for,
)
from qhub_desktop.core.message import (
    CHANGED_INPUT,
    WRONG_INPUT,
    Clarification,
    Interpretation,
    Notice,
    Reasoning,
    ToolCall,
    ToolResult,
    answers_here,
)
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import DECLINED, Tool, ToolContext, ToolOutput

MOST_PAUSES = 3  # that a model makes in one answer, each of which costs as a question
STOPPED = "parado pela pessoa"
NOT_RUN = "não executado"

ACCOUNT_S = 2.0  # until a turn learns what another program did to the account of its person
# Raises SessionOverError if that was disabled or changed.
CheckAccount = Callable[[], Awaitable[None]]
# What a person has decided about a tool, its name, and what it was asked to do.
DecisionLog = Callable[[Literal["approved", "declined"], str, JsonObject], Awaitable[None]]


class ToolLoop:
    """One answer from its first word to its last, however it ends."""

    def __init__(
        self,
        *,
        live: LiveAnswer,
        request: ModelRequest,
        model: ChatModel,
        tools: Mapping[str, Tool],
        closed_tools: Mapping[str, Tool],
        asks_first: Callable[[Tool], bool],
        context: ToolContext,
        settings: Settings,
        audience: Audience,
        spend: Callable[[UsageCounted], Awaitable[None]],
        remember: Callable[[ReadingChosen], Awaitable[None]],
        log: DecisionLog,
        check_account: CheckAccount | None = None,
        notice: Callable[[Json], Awaitable[Json]] | None = None,
    ) -> None:
        self._notice = notice
        self._check_account = check_account
        self._log = log
        self._live = live
        self._request = request
        self._model = model
        self._open_tools = tools
        self._closed_tools = closed_tools
        self._asks_first = asks_first
        self._context = replace(context, tell=self._tell, ask=self._ask)
        self._settings = settings
        self._audience = audience
        self._spend = spend
        self._remember = remember
        self._changed: dict[str, JsonObject] = {}  # by the call's id: inputs that the person edited
        self._idle = asyncio.timeout(None)
        self._begun: UsageBegun | None = None  # a call of which nobody has said yet what it took
        self._arrived_characters = 0

    async def play(self) -> None:
        """Play the turn to its `Done`, which is always shown, also when cancelled or broken.

        It ends with the session of its person, too: where their account is disabled or changed.
        """
        end = Done("failed")
        session = asyncio.timeout(None)
        watch = asyncio.ensure_future(self._until_over(session))
        try:
            async with asyncio.timeout(self._settings.answer_s), self._idle, session:
                end = await self._rounds()
        except TimeoutError:
            end = Done("limit", "time")
            if session.expired():
                end = Done("failed")
                await self._store_error(watch.result())
        except asyncio.CancelledError:
            end = Done("cancelled")
            raise
        except QHubError as error:
            await self._store_error(error)
        finally:
            watch.cancel()
            # A second cancellation must not leave the answer open on disk.
            await asyncio.shield(asyncio.ensure_future(self._finish(end)))

    async def _until_over(self, session: asyncio.Timeout) -> SessionOverError:
        """Wait until the account is not what it was, and end the session; return what to tell."""
        while True:
            await asyncio.sleep(ACCOUNT_S)
            try:
                if self._check_account is not None:
                    await self._check_account()
            except SessionOverError as error:
                session.reschedule(asyncio.get_running_loop().time())
                return error
            except UserError:
                continue  # another program is busy

    async def _finish(self, end: Done) -> None:
        try:
            if self._begun is not None:
                await self._count(self._begun.after(self._arrived_characters))
            await self._live.close_calls(STOPPED if end.reason == "cancelled" else NOT_RUN)
            await self._check_numbers()
            await self._live.end(end.reason)
        finally:
            self._audience.show(end)

    async def _check_numbers(self) -> None:
        """Store and show where the numbers of a model's words are from."""
        if self._live.engine == "offline" or not self._settings.figures:
            return
        *before, question = self._request.messages
        blocks = self._live.message.blocks
        told = [*said_before(before), self._request.profiles_text]
        checked = await asyncio.to_thread(check_numbers, blocks, question=question.text, given=told)
        if checked.numbers:
            await self._live.add(checked)
            self._audience.show(checked)

    async def _count(self, usage: UsageCounted) -> None:
        """Store what a call took, then show it."""
        await self._spend(usage)
        self._audience.show(usage)

    async def _rounds(self) -> Done:
        pauses = 0
        for _round in range(self._settings.rounds):
            match await self._round():
                case "paused":
                    pauses += 1
                    if pauses > MOST_PAUSES:
                        break
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
        self._begun, self._arrived_characters = None, 0
        parser = ArtifactParser()
        async for event in self._model.stream(request):
            self._note_progress()
            match event:
                case UsageBegun():
                    self._begun = event
                case TextAdded(text):
                    self._arrived_characters += len(text)
                    self._live.add_text(text)
                    self._audience.show(event)
                    self._show_artifacts(parser.feed(text))
                case StatusChanged(kind, text):
                    self._arrived_characters += len(text) if kind == "thinking" else 0
                    self._audience.show(event)
                case UsageCounted():
                    self._begun = None
                    # Counted once, also where the person stops the answer just now.
                    await asyncio.shield(asyncio.ensure_future(self._count(event)))
                case Citation():
                    if mark := await self._live.cite(event):
                        self._audience.show(TextAdded(mark))
                        self._audience.show(event)
                case Interpretation() | Clarification():
                    await self._live.add(event)
                    self._audience.show(event)
                case ToolCall():
                    self._arrived_characters += len(json.dumps(event.input, ensure_ascii=False))
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

    @property
    def _tools(self) -> Mapping[str, Tool]:
        """Tools of who answers: nothing leaves with what is given to somebody on this computer."""
        return self._open_tools if answers_here(self._live.engine) else self._closed_tools

    async def _run(self, call: ToolCall) -> None:
        tool = self._tools.get(call.name)
        label = "" if tool is None else _(tool.declared.label)
        self._audience.show(ToolStarted(call, label))
        started = time.perf_counter()
        try:
            outcome = await self._outcome(call)
        except QHubError as error:  # also a file that has gone: the model can say so, or work round
            wrong = WRONG_INPUT if isinstance(error, InputError) else {}
            outcome = ToolOutput({"erro": str(error), **wrong}, is_error=True)
        if (changed := self._changed.pop(call.id, None)) is not None:
            # The record and the model must know what ran: the call keeps what the model wrote.
            told = outcome.content if isinstance(outcome.content, dict) else {}
            outcome = replace(outcome, content={**told, CHANGED_INPUT: changed})
        ms = round((time.perf_counter() - started) * 1000)
        if self._notice is not None:
            outcome = replace(outcome, content=await self._notice(outcome.content))
        result = ToolResult(
            call_id=call.id,
            content=outcome.content,
            widget=outcome.widget,
            source=outcome.source,
            is_error=outcome.is_error,
            ms=ms,
            more=outcome.more,
            passages=outcome.passages,
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

    async def _ask(self, question: Clarification) -> Reply:
        """Put a tool's question to the person. Its time stands still while they type or mark."""
        wait_s = self._settings.question_s
        if question.wait_s is not None:
            wait_s = min(wait_s, question.wait_s)
        question = replace(question, wait_s=wait_s)
        time_left = AnswerTime(wait_s, self._note_progress)
        self._note_progress()
        self._audience.show(question)
        try:
            async with time_left.limit:
                return await self._audience.ask(question, time_left.hold)
        except TimeoutError:
            return Unanswered("prazo")

    async def _outcome(self, call: ToolCall) -> ToolOutput:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools)
            raise ToolError(f"A ferramenta '{call.name}' não existe aqui. Existem: {names}.")
        work = tool.prepare(call.input)
        context = replace(self._context, call=call.id, engine=self._live.engine)
        reason = "" if tool.ask_reason is None else await tool.ask_reason(call.input, context)
        if not reason and not self._asks_first(tool):
            return await work(context)
        approved = await self._approved_input(call, tool, reason)
        decided: JsonObject = {"conversation": self._context.conversation}
        if tool.ask_reason is None:  # else it is of the person: the log is nothing's to delete from
            decided["input"] = call.input
        if approved is None:
            await self._log("declined", call.name, decided)
            what = "nada correu" if tool.declared.code else "nada foi gravado"
            return ToolOutput({"estado": f"{DECLINED}; {what}"})
        if approved != call.input:
            self._changed[call.id] = approved
            work = tool.prepare(approved)
            decided["changed"] = approved
        await self._log("approved", call.name, decided)
        return await work(context)

    async def _approved_input(self, call: ToolCall, tool: Tool, reason: str) -> JsonObject | None:
        usual = (
            _("Confirm before this code runs. You may change it.")
            if tool.declared.code
            else _("Confirm before anything is written.")
        )
        request = ApprovalAsked(
            call,
            reason or usual,
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
