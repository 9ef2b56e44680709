"""One turn: the model speaks, tools run, until there is nothing more to say."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from qhub_desktop.chat.live import LiveAnswer
from qhub_desktop.chat.model import (
    Answering,
    AskedBack,
    CallMade,
    ChatModel,
    ModelRequest,
    ReadingChosen,
    Reconsidered,
    RoundEnd,
    RoundEnded,
    Spent,
    TextPiece,
    ThoughtPiece,
    UnderstoodAs,
)
from qhub_desktop.chat.tool import Outcome, Setting, Tool
from qhub_desktop.core.errors import Fault, QHubError, ServiceError, ToolError, UserError
from qhub_desktop.core.events import (
    Action,
    ApprovalAsked,
    ArtifactShown,
    ChartShown,
    ChatEvent,
    DashboardShown,
    Done,
    ErrorHappened,
    KpiShown,
    QuestionAsked,
    StatusChanged,
    TableShown,
    TextAdded,
    ToolStarted,
    ToolUsed,
    UnderstandingShown,
    UsageCounted,
)
from qhub_desktop.core.fenced import Ended, Parting, Piece
from qhub_desktop.core.messages import Notice, ToolCall, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Chart, DashboardLink, Kpi, Shown, TableView

STOPPED = "parado pela pessoa"
NOT_RUN = "não executado"


class Audience(Protocol):
    """Whoever watches a turn and may be asked."""

    def show(self, event: ChatEvent) -> None:
        """Take an event in; cheap, and never waiting."""
        ...

    async def approve(self, request: ApprovalAsked) -> bool:
        """The person's word on a tool that changes something."""
        ...


class Turn:
    """One answer from its first word to its last, however it ends."""

    def __init__(
        self,
        *,
        live: LiveAnswer,
        request: ModelRequest,
        model: ChatModel,
        tools: Mapping[str, Tool],
        setting: Setting,
        settings: Settings,
        audience: Audience,
        spend: Callable[[Spent], Awaitable[UsageCounted]],
        remember: Callable[[ReadingChosen], Awaitable[None]],
    ) -> None:
        self._live = live
        self._request = request
        self._model = model
        self._tools = tools
        self._setting = setting
        self._settings = settings
        self._audience = audience
        self._spend = spend
        self._remember = remember
        self._idle = asyncio.timeout(None)

    async def play(self) -> None:
        """Everything, to the `Done` that is always shown, also when cancelled or broken."""
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
            await self._tell(error)
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
        parting = Parting()
        async for event in self._model.stream(request):
            self._note_progress()
            match event:
                case TextPiece(text):
                    self._live.add_text(text)
                    self._audience.show(TextAdded(text))
                    self._show_artifacts(parting.feed(text))
                case ThoughtPiece(text):
                    self._audience.show(StatusChanged("thinking", text))
                case CallMade(call):
                    await self._live.add(call)
                case Reconsidered(reasoning):
                    self._live.add_reasoning(reasoning)
                case Spent():
                    self._audience.show(await self._spend(event))
                case Answering(engine):
                    self._live.engine = engine
                case StatusChanged():
                    self._audience.show(event)
                case UnderstoodAs(understood):
                    await self._live.add(understood)
                    self._audience.show(UnderstandingShown(understood))
                case AskedBack(asked):
                    await self._live.add(asked)
                    self._audience.show(QuestionAsked(asked.text, asked.choices))
                case ReadingChosen():
                    await self._remember(event)
                case RoundEnded(reason):
                    self._show_artifacts(parting.finish())
                    return "tools" if self._live.open_calls() else reason
        message = _("The answer broke off. What arrived is kept; try again.")
        raise ServiceError(message, fault="cut")

    def _show_artifacts(self, pieces: Sequence[Piece]) -> None:
        """Announce those that are whole; their source was among the words."""
        for piece in pieces:
            if isinstance(piece, Ended) and piece.artifact.is_closed:
                self._audience.show(ArtifactShown(piece.artifact.kind, piece.artifact.source))

    async def _run(self, call: ToolCall) -> None:
        self._audience.show(ToolStarted(call.id, call.name, call.input))
        started = time.perf_counter()
        try:
            outcome, is_error = await self._outcome(call), False
        except QHubError as error:  # also a file that has gone: the model can say so, or work round
            outcome, is_error = Outcome({"erro": str(error)}), True
        ms = round((time.perf_counter() - started) * 1000)
        result = ToolResult(
            call_id=call.id,
            content=outcome.content,
            widget=outcome.widget,
            source=outcome.source,
            is_error=is_error,
            ms=ms,
        )
        await self._live.add(result)
        self._note_progress()
        self._audience.show(
            ToolUsed(call.id, call.name, call.input, outcome.content, ms, is_error, outcome.source)
        )
        if outcome.widget is not None:
            self._audience.show(_shown(outcome.widget))

    async def _outcome(self, call: ToolCall) -> Outcome:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools)
            raise ToolError(f"A ferramenta '{call.name}' não existe aqui. Existem: {names}.")
        work = tool.prepare(call.input)
        if tool.needs_approval and not await self._is_approved(call):
            return Outcome({"estado": "não confirmado pela pessoa; nada foi gravado"})
        return await work(self._setting)

    async def _is_approved(self, call: ToolCall) -> bool:
        text = _("Confirm before anything is written.")
        request = ApprovalAsked(call.id, call.name, call.input, text)
        self._audience.show(request)
        try:
            async with asyncio.timeout(self._settings.question_s):
                return await self._audience.approve(request)
        except TimeoutError:
            return False

    async def _tell(self, error: QHubError) -> None:
        await self._live.add(Notice(_fault(error), str(error)))
        show_error(error, self._audience)

    def _note_progress(self) -> None:
        now = asyncio.get_running_loop().time()
        self._idle.reschedule(now + self._settings.inactivity_s)


def show_error(error: QHubError, audience: Audience) -> None:
    """Tell what went wrong, and what the person can do about it."""
    fault = _fault(error)
    action: Action = "settings" if fault in ("key", "credit", "model") else "retry"
    audience.show(ErrorHappened(fault, str(error), action))


def _fault(error: QHubError) -> Fault:
    return error.fault if isinstance(error, (UserError, ServiceError)) else "other"


def _shown(widget: Shown) -> ChatEvent:
    match widget:
        case Chart():
            return ChartShown(widget)
        case TableView():
            return TableShown(widget)
        case Kpi():
            return KpiShown(widget)
        case DashboardLink(title, url):
            return DashboardShown(title, url)
