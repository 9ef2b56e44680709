"""Outbox: questions that wait for Claude, sent in order, one at a time, once it can be reached."""

# Why it is so: decisions/model-service.md

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol

from qhub_desktop.chat.guard.screen import Screen
from qhub_desktop.chat.turn import BusyError
from qhub_desktop.core.asking import Reply
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import Fault, ServiceError, UserError
from qhub_desktop.core.events import (
    ApprovalAsked,
    Audience,
    ChatEvent,
    ChatModel,
    Done,
    ErrorHappened,
)
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Clarification, EndReason, QueuedQuestion
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _

FIRST_WAIT_S = 5.0  # before the network is looked for again; it grows
LONGEST_WAIT_S = 60.0  # the longest that a network may be back before it is noticed
# Nothing was asked: it is tried again once that is put right, however often.
IN_THE_WAY: tuple[Fault, ...] = ("key", "setup", "network_setup", "proxy_login", "network")
MOST_ATTEMPTS = 5  # at a service that is there, but does not get to the end of an answer

Play = Callable[[Audience], Awaitable[None]]
AttemptResult = Literal["sent", "later", "refused"]


class StoredQueue(Protocol):
    """Store of the questions that wait."""

    async def put(
        self, conversation: ConversationId, text: str, *, user: str = ""
    ) -> QueuedQuestion:
        """Queue a question, once."""
        ...

    async def listed(self) -> list[QueuedQuestion]:
        """List the questions that are not done with, the first asked first."""
        ...

    async def withdraw(self, id_: int, /) -> QueuedQuestion:
        """Take a question back."""
        ...

    async def requeue(self, id_: int, /) -> None:
        """Let one that has failed wait again."""
        ...

    async def lock(self) -> bool:
        """Become the one program that sends, if no other is."""
        ...

    async def unlock(self) -> None:
        """Let another program send."""
        ...

    async def recover(self) -> list[QueuedQuestion]:
        """Decide what became of what was being sent when its sender was killed."""
        ...

    async def claim(self, id_: int, /) -> bool:
        """Begin to send, unless it was withdrawn."""
        ...

    async def place(self, id_: int, /) -> int:
        """Make it the last question of its conversation."""
        ...

    async def release(self, id_: int, error: str, /, *, is_counted: bool = False) -> None:
        """Let a question wait again."""
        ...

    async def fail(self, id_: int, error: str, /) -> None:
        """Mark a question as refused."""
        ...

    async def finish(self, id_: int, /, *, is_seen: bool) -> None:
        """Mark a question as answered."""
        ...

    async def note_error(self, error: str, /) -> None:
        """Keep what is in the way of all that waits."""
        ...


class Answerer(Protocol):
    """Whoever plays turns."""

    async def answer(
        self,
        conversation: ConversationId,
        *,
        place: Callable[[], Awaitable[object]],
        model: ChatModel,
        audience: Audience,
    ) -> None:
        """Have `model` answer the question that `place` puts into the conversation."""
        ...


class ReachableModel(ChatModel, Protocol):
    """A model far away."""

    async def reach(self) -> None:
        """Raise what is in the way of asking, without asking."""
        ...


class Presenter(Protocol):
    """Whoever shows what comes of the questions."""

    async def present(self, question: QueuedQuestion, play: Play) -> bool:
        """Call `play` with whoever watches, to its end; return whether the answer was seen.

        Without the call, the question waits on.
        """
        ...

    def tell(self, question: QueuedQuestion) -> None:
        """Tell the person, wherever they are, that a question was answered."""
        ...


class Outbox:
    """Questions that wait for Claude, and their sending; `run` sends while anything waits."""

    def __init__(
        self,
        *,
        queue: StoredQueue,
        turns: Answerer,
        claude: ReachableModel,
        settings: Callable[[], Settings],
        is_small_talk: Callable[[str], Awaitable[bool]],
        user: str = "",
        screen: Screen | None = None,
        first_wait_s: float = FIRST_WAIT_S,
        longest_wait_s: float = LONGEST_WAIT_S,
    ) -> None:
        self._queue = queue
        self._turns = turns
        self._claude = claude
        self._settings = settings
        self._is_small_talk = is_small_talk
        self._user = user
        self._screen = screen
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._woken = asyncio.Event()
        self._is_conversation_busy = False
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever a question was queued, moved on, or has gone.

        Return a function that ends this.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def accepts(self, text: str) -> bool:
        """Return whether a question is for Claude at all, by the settings and by its words."""
        if not self._settings().asks_service or await self._is_small_talk(text):
            return False
        return self._screen is None or not await self._screen.blocks(text)

    async def put(self, conversation: ConversationId, text: str) -> QueuedQuestion:
        """Queue a question; it is on the disk when this returns, without secrets.

        Raises UserError for one that the guard blocks.
        """
        if self._screen is not None:
            text, guarded = await self._screen.screened(conversation, text)
            if guarded is not None and guarded.action == "block":
                raise UserError(guarded.text, fault="refused")
        question = await self._queue.put(conversation, text, user=self._user)
        self._changed()
        self.wake()
        return question

    async def waiting(self) -> list[QueuedQuestion]:
        """List the questions that are not done with, the first asked first."""
        return await self._queue.listed()

    async def withdraw(self, id_: int) -> QueuedQuestion:
        """Take a question back. Raises UserError for one that is being answered."""
        question = await self._queue.withdraw(id_)
        self._changed()
        return question

    async def requeue(self, id_: int) -> None:
        """Send one again that was refused."""
        await self._queue.requeue(id_)
        self._changed()
        self.wake()

    def wake(self) -> None:
        """Try again now: Claude may be there again."""
        self._woken.set()

    def wake_if_conversation_busy(self) -> None:
        """Try again if a question waited for the end of an answer under way."""
        if self._is_conversation_busy:
            self._woken.set()

    async def run(self, presenter: Presenter) -> None:
        """Send what waits whenever Claude is there, until nothing waits."""
        failures = 0
        while True:
            self._woken.clear()
            if all(each.state == "failed" for each in await self.waiting()):
                if not self._woken.is_set():
                    return
                continue  # something began to wait while we looked
            try:
                await self.send(presenter)
                failures = 0
                continue
            except (UserError, ServiceError):  # kept with the questions, and shown there
                wait_s = min(self._first_wait_s * 2**failures, self._longest_wait_s)
                failures += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), wait_s)
                failures = 0

    async def send(self, presenter: Presenter) -> int:
        """Send the queued questions now; return how many were answered.

        Raises UserError or ServiceError: what is in the way of the next one.
        """
        if not await self._queue.lock():
            raise UserError(_("Another QHub program is sending what waits. Leave it to that one."))
        count = 0
        try:
            for answered in await self._queue.recover():
                presenter.tell(answered)
            while question := await self._next():
                await self._reach()
                count += await self._send(question, presenter)
        finally:
            await self._queue.unlock()
            self._changed()
        return count

    async def _next(self) -> QueuedQuestion | None:
        return next((each for each in await self.waiting() if each.state == "waiting"), None)

    async def _reach(self) -> None:
        try:
            if not self._settings().asks_service:
                raise UserError(
                    _("The offline engine is chosen in Settings: what waits for Claude stays here.")
                )
            await self._claude.reach()
        except (UserError, ServiceError) as error:
            await self._queue.note_error("" if error.fault == "network" else str(error))
            raise
        await self._queue.note_error("")

    async def _send(self, question: QueuedQuestion, presenter: Presenter) -> bool:
        """Send one question; return whether it was answered. Raises what is in the way of all."""
        if not await self._queue.claim(question.id):
            return False
        self._changed()
        attempt = _SendAttempt()

        async def play(audience: Audience) -> None:
            await self._turns.answer(
                question.conversation,
                place=lambda: self._queue.place(question.id),
                model=self._claude,
                audience=attempt.watched_by(audience),
            )

        is_seen = False
        try:
            is_seen = await presenter.present(question, play)
        except BusyError:
            attempt.end = None
        self._is_conversation_busy = attempt.end is None
        if attempt.end is None:
            await self._queue.release(question.id, "")
            raise BusyError(_("An answer is under way here. Stop it first, or wait for its end."))
        match attempt.result:
            case "sent":
                await self._queue.finish(question.id, is_seen=is_seen)
                presenter.tell(question)
                return True
            case "later" if attempt.fault in IN_THE_WAY:
                error = "" if attempt.fault == "network" else attempt.error
                await self._queue.release(question.id, error)
            case "later" if question.attempts + 1 < MOST_ATTEMPTS:
                await self._queue.release(question.id, attempt.error, is_counted=True)
            case _:
                await self._queue.fail(question.id, attempt.error)
                self._changed()
                return False
        raise ServiceError(attempt.error, fault=attempt.fault)

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()


@dataclass(slots=True)
class _SendAttempt:
    """One attempt to send a question, and how it ended."""

    end: EndReason | None = None
    fault: Fault = "other"
    error: str = ""

    def watched_by(self, audience: Audience) -> "_RecordingAudience":
        return _RecordingAudience(self, audience)

    @property
    def result(self) -> AttemptResult:
        """An answer that the person has stopped is answered: it is not begun again."""
        if self.end != "failed":
            return "sent"
        match self.fault:
            case (
                "key"
                | "setup"
                | "network_setup"
                | "proxy_login"
                | "network"
                | "rate"
                | "overloaded"
                | "cut"
                | "stalled"
                | "malformed"
            ):
                return "later"
            case _:
                return "refused"


class _RecordingAudience:
    """Passes every event on, and records how the turn ended."""

    def __init__(self, attempt: _SendAttempt, audience: Audience) -> None:
        self._attempt = attempt
        self._audience = audience

    def show(self, event: ChatEvent) -> None:
        match event:
            case ErrorHappened(kind, text):
                self._attempt.fault, self._attempt.error = kind, text
            case Done(reason):
                self._attempt.end = reason
            case _:
                pass
        self._audience.show(event)

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        return await self._audience.approve(request)

    async def ask(self, question: Clarification, hold: Callable[[], None]) -> Reply:
        return await self._audience.ask(question, hold)
