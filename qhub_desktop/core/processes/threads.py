"""Threads: one that owns a resource, those that work ahead of need, those that may never end."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")


class Worker:
    """Thread that does one piece of work after the other.

    What it owns is touched by that thread alone, so nothing of it needs a lock.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(
        self, work: Callable[Inputs, Output], *args: Inputs.args, **kwargs: Inputs.kwargs
    ) -> Output:
        """Wait for `work` without holding up the loop.

        A caller that stops waiting does not stop the work, begun or not; work that can be stopped
        is given its own way to be (an `interrupt`, a process to kill), and is then awaited to its
        end.
        """
        future = self._pool.submit(work, *args, **kwargs)
        # Without the shield, cancelling would take a write that waits its turn out of the queue.
        return await asyncio.shield(asyncio.wrap_future(future))

    def run_now(
        self, work: Callable[Inputs, Output], *args: Inputs.args, **kwargs: Inputs.kwargs
    ) -> Output:
        """Block until `work` is done: for start-up, before there is a loop."""
        return self._pool.submit(work, *args, **kwargs).result()

    def run_ahead(self, work: Callable[[], object]) -> None:
        """Queue `work` that nobody waits for; dropped where the worker closes before it begins."""
        self._pool.submit(work).add_done_callback(_report)

    def close(self) -> None:
        """Let what has begun end; drop what has not."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def abandon(self) -> None:
        """Drop what has not begun, without waiting for what has."""
        # Waiting for a share that hangs would hold the event loop up for minutes.
        self._pool.shutdown(wait=False, cancel_futures=True)


def _report(done: Future[object]) -> None:
    """Hand an error of work that nobody waits for to whoever hears those of threads."""
    # A thread that only waited for the cancelled work is no bug.
    if not done.cancelled() and (error := done.exception()) is not None:
        threading.excepthook(
            threading.ExceptHookArgs((type(error), error, error.__traceback__, None))
        )


def in_background(work: Callable[[], object], name: str) -> threading.Thread:
    """Start `work` on a thread that dies with the program: for warming up, never for saving."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


class AbandonedError(Exception):
    """The work of a PatientWorker is no longer awaited, and ends with this."""


class SilentError(Exception):
    """Work has given no sign of life for too long."""


class SignOfLife:
    """Sign of work that may be held up."""

    def __init__(self) -> None:
        self.is_abandoned = False
        self.share = 0.0
        self._last = time.monotonic()

    def beat(self, share: float = 0.0) -> None:
        """Say that the work goes on, and how far it is. Raises AbandonedError to end it."""
        if self.is_abandoned:
            raise AbandonedError
        self.share = share
        self._last = time.monotonic()

    @property
    def silence_s(self) -> float:
        """How long nothing was heard."""
        return time.monotonic() - self._last


OnShare = Callable[[float], object]
# Windows cannot be asked to give up a share: a thread that is silent is left alone, one at most,
# and nobody waits for it at the end.
LOOK_S = 0.2


class PatientWorker:
    """Does work that the system may hold up for ever, such as reading a share that is gone.

    Its threads are of their own: whoever closes a Worker waits for it, and so does the interpreter.
    """

    def __init__(self, name: str, *, silence_s: float) -> None:
        self._name = name
        self._silence_s = silence_s
        self._held: threading.Thread | None = None  # for which nobody waits any more

    async def run(
        self, work: Callable[[SignOfLife], Output], *, on_share: OnShare | None = None
    ) -> Output:
        """Wait for work as long as it gives signs of life; `on_share` hears how far it is.

        Who stops waiting ends it at its next sign. Raises SilentError after too long a silence, and
        at once while an earlier work is still held up.
        """
        if self._held is not None and self._held.is_alive():
            raise SilentError
        life = SignOfLife()
        outcome: Future[Output] = Future()
        outcome.set_running_or_notify_cancel()  # from here on, cancelling does not reach it

        def run() -> None:
            try:
                outcome.set_result(work(life))
            except BaseException as error:  # noqa: BLE001  raised again by whoever waits
                outcome.set_exception(error)

        waiting = asyncio.wrap_future(outcome)
        waiting.add_done_callback(_look_at)
        thread = in_background(run, self._name)
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=LOOK_S)
                if on_share is not None:
                    on_share(life.share)
                if life.silence_s > self._silence_s and not waiting.done():
                    raise SilentError
            return waiting.result()
        finally:
            life.is_abandoned = True
            if not waiting.done():
                self._held = thread


def _look_at(outcome: asyncio.Future[Output]) -> None:
    """Look at an error, so that one for which nobody waits any more is not called a bug."""
    if not outcome.cancelled():
        outcome.exception()
