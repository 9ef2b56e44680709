"""Child processes run from the event loop: progress, cancellation, time limits, clean-up."""

# Why it is so: decisions/processes.md

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from qhub_desktop.core import text
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import (
    FileChangedError,
    PasswordNeededError,
    QHubError,
    ToolError,
    UserError,
)
from qhub_desktop.core.processes.child import (
    Child,
    ChildBugError,
    ChildGoneError,
    ChildMemoryError,
)
from qhub_desktop.core.processes.threads import Worker, in_background
from qhub_desktop.core.text import Language
from qhub_desktop.core.values import dataclass

Output = TypeVar("Output")

IDLE_S = 60  # a child that waits for a file holds 100 MB
# What a child may raise for a reader of its sentence, by the name that travels.
_ERRORS: dict[str, type[QHubError]] = {
    each.__name__: each for each in (FileChangedError, PasswordNeededError, ToolError, UserError)
}


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a child; `share` of one, where that is known."""

    text: str
    share: float | None


OnProgress = Callable[[Progress], None]


class ChildNotStartedError(ChildGoneError):
    """The child could not be started."""


class ChildServer:
    """A child that answers in turn: started when first needed, and anew after it has died.

    One thread starts it, speaks with it and waits for its end; the event loop only ever kills it.
    """

    def __init__(
        self,
        start: Callable[[], Child],
        *,
        greet: Callable[[Child], object] = lambda _child: None,
    ) -> None:
        """Start nothing yet. `greet` speaks with each new child before anything is asked of it."""
        self._start = start
        self._greet = greet
        self._thread = Worker("child")
        self._turn = asyncio.Lock()
        self._child: Child | None = None
        self._is_closed = False

    def warm(self) -> None:
        """Start the child on a thread of its own, without blocking."""
        in_background(self._warm, "warming a child")

    async def ask(self, talk: Callable[[Child], Output], *, limit_s: float | None = None) -> Output:
        """Let `talk` speak with the child, on its thread, and return what comes of it.

        Whoever stops waiting kills the child at once, and then waits until `talk` has ended.

        Raises:
            ChildNotStartedError: there is no child, and none can be started.
            ChildGoneError: it died or spoke nonsense; the next call starts another.
            ChildBugError: it met a bug, and ended.
            TimeoutError: it was killed after `limit_s`, which does not count its start.

        """
        async with self._turn:
            await self._undisturbed(self._ready)
            async with asyncio.timeout(limit_s):
                return await self._undisturbed(lambda: self._exchange(talk))

    async def rest(self) -> None:
        """End the child, until it is needed again."""
        async with self._turn:
            await self._thread.run(self._reap)

    def kill(self) -> None:
        """End the child, and start no other; whoever waits for it gets ChildGoneError."""
        self._is_closed = True
        self._interrupt()

    def close(self) -> None:
        """End the child, and wait until nothing is left of it."""
        self.kill()
        self._thread.run_now(self._reap)
        self._thread.close()

    async def _undisturbed(self, work: Callable[[], Output]) -> Output:
        doing = asyncio.ensure_future(self._thread.run(work))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self._interrupt()  # so that the thread ends
            with contextlib.suppress(ChildGoneError, ChildBugError, QHubError):
                await doing
            raise

    def _interrupt(self) -> None:
        if self._child is not None:
            self._child.kill()

    # From here on: only on the thread.

    def _warm(self) -> None:
        # One that was closed meanwhile refuses the work.
        with contextlib.suppress(RuntimeError, ChildGoneError):
            self._thread.run_now(self._ready)

    def _ready(self) -> None:
        if self._is_closed:
            raise ChildNotStartedError("it was closed")
        if self._child is not None and self._child.is_alive:
            return
        self._reap()
        try:
            self._child = self._start()
            self._greet(self._child)
        except ChildGoneError as error:
            self._reap()
            raise ChildNotStartedError(str(error)) from error

    def _exchange(self, talk: Callable[[Child], Output]) -> Output:
        if self._child is None or self._is_closed:
            raise ChildGoneError("it was closed")
        try:
            return talk(self._child)
        except (ChildGoneError, ChildBugError):
            self._reap()
            raise

    def _reap(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None


class ChildRunner:
    """Runs children that do one piece of work each. Owns those that run until closed."""

    def __init__(self, start: Callable[[], Child], *, limit_s: float | None = None) -> None:
        self._start = start
        self._limit_s = limit_s
        self._running: set[ChildServer] = set()
        self._spare: _Spare | None = None

    async def run(
        self,
        request: JsonObject,
        *,
        failure: str,
        out_of_memory: str = "",
        out_of_time: str = "",
        files: Callable[[ExitStack], JsonObject] = lambda _stack: {},
        on_progress: OnProgress = lambda _progress: None,
    ) -> Json:
        """Start a child, give it the request, and return its reply.

        `files` makes, on a thread, what the child writes to, and adds it to the request; the stack
        is left once the child is gone. Cancelling kills the child at once, and returns when its
        files are cleaned away.

        Raises:
            QHubError: what the child raised; or UserError with `failure` where it died, and with
                the sentences of their own where it needed more memory than its cap, or more time
                than the limit.
            ChildBugError: it met a bug.

        """
        loop = asyncio.get_running_loop()

        def tell(progress: Progress) -> None:
            # A program that is closing has closed its loop before the last words of a child.
            if not loop.is_closed():
                loop.call_soon_threadsafe(on_progress, progress)

        def talk(child: Child) -> Json:
            with ExitStack() as stack:
                whole = {**request, **files(stack)}
                stack.callback(child.close)  # left first: its files are closed when they are moved
                child.send(whole)
                return receive_reply(child, tell)

        server = ChildServer(self._start if self._spare is None else self._spare.take)
        self._running.add(server)
        try:
            return await server.ask(talk, limit_s=self._limit_s)
        except ChildMemoryError as error:
            raise UserError(out_of_memory or failure) from error
        except TimeoutError as error:
            raise UserError(out_of_time or failure) from error
        except ChildGoneError as error:
            raise UserError(failure) from error
        finally:
            self._running.discard(server)
            server.close()
            if self._spare is not None:
                self.warm()

    def warm(self) -> None:
        """Keep one child ready for the next request, from now on; without blocking.

        One that nobody has needed for `IDLE_S` ends; the next request starts its own, and then
        another is kept ready.
        """
        self._spare = self._spare or _Spare(self._start)
        in_background(self._spare.prepare, "warming a child")

    def close(self) -> None:
        """End every child."""
        if self._spare is not None:
            self._spare.close()
        for server in self._running:
            server.kill()


def receive_reply(child: Child, tell: OnProgress) -> Json:
    """Receive a child's reply, after any number of reports on its progress.

    Raises the QHubError that it says.
    """
    while True:
        match child.receive():
            case {"progress": str(words), "share": int() | float() | None as share}:
                tell(Progress(words, share))
            case {"error": str(sentence), "kind": str(kind)} if kind in _ERRORS:
                raise _ERRORS[kind](sentence)
            case {"done": reply}:
                return reply
            case _:
                raise ChildGoneError("another answer was expected")


class _Spare:
    """One child started ahead of need: on a plant's PC that takes longer than most files do.

    Any thread may call.
    """

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self._waiting: queue.SimpleQueue[tuple[Language, Child]] = queue.SimpleQueue()
        self._closed = threading.Event()

    def prepare(self) -> None:
        """Start one, unless one is waiting."""
        if self._closed.is_set() or not self._waiting.empty():
            return
        with contextlib.suppress(ChildGoneError):  # whoever needs one will be told
            child = self._start()
            self._waiting.put((text.language(), child))
            in_background(lambda: self._end_unneeded(child), "idle child")
        if self._closed.is_set():  # meanwhile
            self._drop()

    def _end_unneeded(self, child: Child) -> None:
        if self._closed.wait(IDLE_S):
            return
        with contextlib.suppress(queue.Empty):
            language, waiting = self._waiting.get_nowait()
            if waiting is child:
                child.close()
            else:  # a later one
                self._waiting.put((language, waiting))

    def take(self) -> Child:
        """Return the one that waits, or else a new one. Raises ChildGoneError."""
        with contextlib.suppress(queue.Empty):
            language, child = self._waiting.get_nowait()
            if child.is_alive and language == text.language():
                return child
            child.close()
        return self._start()

    def close(self) -> None:
        """End it, and start no other."""
        self._closed.set()
        self._drop()

    def _drop(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()[1].close()
