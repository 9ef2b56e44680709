"""Choice of the engine: Claude with a key and a network, else a local model, else our own."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from qhub_desktop.core.budget import BudgetSpentError
from qhub_desktop.core.errors import Fault, QHubError, ServiceError, UserError
from qhub_desktop.core.events import (
    Action,
    Answering,
    ChatModel,
    ModelEvent,
    ModelRequest,
    RequestReady,
    StatusChanged,
    UsageBegun,
)
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import LOCAL, ChosenPlan
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _

OFFLINE = "offline"
MOST_SMALL_TALK_WORDS = 12  # whoever says more has something to ask
# What the offline engine answers in the place of.
FALLS_BACK: tuple[Fault, ...] = ("network", "setup", "network_setup", "proxy_login", "budget")
MOST_TAKEN_OVER = 50  # answers at once
UNREACHABLE_S = 30.0  # after a failure, nobody waits for the network again for so long


class KeyedModel(ChatModel, Protocol):
    """A model that cannot be asked without a key."""

    async def has_key(self) -> bool:
        """Return whether it can be asked."""
        ...

    async def estimate(self, request: ModelRequest, /) -> float | None:
        """Estimate the cost of a question in US dollars; None where nobody knows."""
        ...


class LocalChatModel(ChatModel, Protocol):
    """A model that is there where a file of it is chosen."""

    @property
    def path(self) -> str:
        """The file; "" for none."""
        ...


class Router:
    """The engine that the settings name; by itself, the best that can be reached.

    A turn ends with the engine that it began with, but where the local model gets nowhere: the
    offline engine answers in its place, and before it where it is sure of a question (`is_sure`).
    Greetings, thanks, and who answers what are always for the offline engine, whose `is_small_talk`
    tells them apart: they cost no tokens. Owns a thread until closed, on which that is called.
    """

    def __init__(
        self,
        *,
        claude: KeyedModel,
        offline: ChatModel,
        is_small_talk: Callable[[str], bool],
        settings: Callable[[], Settings],
        local: LocalChatModel | None = None,
        is_sure: Callable[[ModelRequest], Awaitable[bool]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._claude = claude
        self._offline = offline
        self._local = local
        self._is_sure = is_sure
        # By an answer that the offline engine took over: how many of its blocks were there before.
        self._taken_over: dict[MessageId | None, int] = {}
        self._is_small_talk = is_small_talk
        self._settings = settings
        self._clock = clock
        self._unreachable_until = 0.0
        self._why = ""  # the offline engine answers
        self._said = ""
        self._reader = Worker("talk")  # the first reading loads the offline engine's words

    def close(self) -> None:
        """Let go of the thread."""
        self._reader.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round of the engine that is right for it."""
        rounds = (
            self._offline.stream
            if await self._is_for_offline_engine(request)
            else self._chosen_engine
        )
        async for event in rounds(request):
            yield event

    async def estimate(self, request: ModelRequest) -> float | None:
        """Estimate the cost of a question in US dollars; None where it is free, or unknown."""
        return await self._claude.estimate(request) if await self.leaves(request) else None

    async def leaves(self, request: ModelRequest) -> bool:
        """Return whether a question goes to a service, as far as one can say before."""
        if await self._is_for_offline_engine(request) or _has_plan(request):
            return False
        match self._settings().engine:
            case "offline" | "local":
                return False
            case "auto":
                is_back = self._clock() >= self._unreachable_until
                return is_back and await self._claude.has_key()
            case _:
                return True

    @property
    def _has_local(self) -> bool:
        return self._local is not None and bool(self._local.path)

    async def is_small_talk(self, text: str) -> bool:
        """Return whether a question is small talk."""
        is_short = 0 < len(text.split()) <= MOST_SMALL_TALK_WORDS
        return is_short and await self._reader.run(self._is_small_talk, text)

    async def _is_for_offline_engine(self, request: ModelRequest) -> bool:
        last = request.messages[-1] if request.messages else None
        if request.engine == OFFLINE or (request.privacy == "nothing" and not self._has_local):
            return True
        if last is None or last.role != "user" or self._settings().engine == "offline":
            return False
        return await self.is_small_talk(last.text)

    def _chosen_engine(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        last = request.messages[-1] if request.messages else None
        if last is not None and last.role == "assistant" and last.engine:
            if last.engine == OFFLINE:
                return self._offline.stream(self._own_part(request))
            if last.engine.startswith(LOCAL):
                return self._local_or_offline(request)
            return self._claude.stream(request)
        if _has_plan(request):
            return self._offline.stream(request)  # nobody else can compute one
        if request.engine == "local" or (request.privacy == "nothing" and self._has_local):
            return self._local_or_offline(request)
        match self._settings().engine:
            case "offline":
                return self._offline.stream(request)
            case "local":
                return self._local_or_offline(request)
            case "claude":
                return self._claude.stream(request)
            case "auto":
                return self._claude_or_offline(request)

    async def _claude_or_offline(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        action: Action = ""
        if self._clock() >= self._unreachable_until:
            has_begun = False
            try:
                if await self._claude.has_key():
                    async for event in self._claude.stream(request):
                        if not has_begun and _has_model_begun(event):
                            has_begun = True
                            if self._said:
                                self._said = ""
                                yield StatusChanged("online", _("Claude answers again."))
                        yield event
                    return
                self._why = _(
                    "There is no key for Claude: the offline engine answers. Add one in Settings."
                )
                if self._has_local:
                    self._why = ""
            except (ServiceError, UserError) as error:
                if has_begun or error.fault not in FALLS_BACK:
                    raise
                action = "proxy_login" if error.fault == "proxy_login" else ""
                self._why = _("Claude cannot be reached: the offline engine answers.")
                if self._has_local:
                    self._why = _("Claude cannot be reached: the local model answers.")
                elif error.fault != "network":
                    reason = error.reason if isinstance(error, BudgetSpentError) else error
                    told = _("{reason} Meanwhile the offline engine answers.")
                    self._why = told.format(reason=reason)
                # What the person can correct is looked at again with the next question.
                if error.fault == "network" or isinstance(error, ServiceError):
                    self._unreachable_until = self._clock() + UNREACHABLE_S
        # Said once: with every answer it would be noise, but where it can be put right at once.
        if self._why and (self._said != self._why or action):
            self._said = self._why
            yield StatusChanged("offline", self._why, action=action)
        others = self._local_or_offline if self._has_local else self._offline.stream
        async for event in others(request):
            yield event

    async def _local_or_offline(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the local model; the offline engine where that is sure, and where it gets nowhere."""
        last = request.messages[-1] if request.messages else None
        is_begun = last is not None and last.role == "assistant"
        is_leading = False
        if self._is_sure is not None and not is_begun and request.engine != "local":
            is_leading = await self._is_sure(request)
        if is_leading:
            told = _("Answered by the app's own engine, which is sure of this question.")
            yield StatusChanged("offline", told, action="local")
            async for event in self._offline.stream(request):
                yield event
            return
        try:
            if self._local is None or not self._local.path:
                raise UserError(
                    _("No local model is chosen, in Settings, under Engine."), fault="setup"
                )
            async for event in self._local.stream(request):
                yield event
        except QHubError as error:
            told = _("{reason} The offline engine answers.").format(reason=error)
            yield StatusChanged("offline", told, action=_remedy(error))
            if last is not None and is_begun:
                while len(self._taken_over) >= MOST_TAKEN_OVER:
                    del self._taken_over[next(iter(self._taken_over))]
                self._taken_over[request.answer] = len(last.blocks)
            async for event in self._offline.stream(self._own_part(request)):
                yield event

    def _own_part(self, request: ModelRequest) -> ModelRequest:
        """Return a request without what another engine has begun of its answer."""
        *before, last = request.messages
        count = self._taken_over.get(request.answer, 0) if last.role == "assistant" else 0
        own = [replace(last, blocks=last.blocks[count:])] if last.blocks[count:] else []
        return replace(request, messages=(*before, *own)) if count else request


def _has_plan(request: ModelRequest) -> bool:
    """Return whether the person chose a plan instead of asking."""
    blocks = request.messages[-1].blocks if request.messages else ()
    return any(isinstance(block, ChosenPlan) for block in blocks)


def _has_model_begun(event: ModelEvent) -> bool:
    """Return whether the model itself has begun to answer, or at least to think."""
    match event:
        case RequestReady() | Answering() | UsageBegun():
            return False
        case StatusChanged(kind):
            return kind == "thinking"
        case _:
            return True


def _remedy(error: QHubError) -> Action:
    return "settings" if isinstance(error, UserError) and error.fault == "setup" else ""
