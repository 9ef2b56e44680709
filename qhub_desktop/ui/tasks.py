"""Coroutines started from slots: kept alive, their errors shown, ended with the window."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from qhub_desktop.core.errors import QHubError

Output = TypeVar("Output")
OnError = Callable[[QHubError], None]


class Tasks:
    """Owns every coroutine that a window began, until they end or are cancelled.

    What a person can be told goes to `on_error`; anything else is a bug and goes to the loop's
    exception handler, which writes the crash report.
    """

    def __init__(self, on_error: OnError) -> None:
        self._on_error = on_error
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def start(
        self, coroutine: Coroutine[Any, Any, Output], *, on_error: OnError | None = None
    ) -> asyncio.Task[Output]:
        """Begin, and keep until done. `on_error` shows this one's errors where they happened."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(lambda done: self._on_done(done, on_error or self._on_error))
        if self._is_closed:
            task.cancel()
        return task

    async def stop_all(self) -> None:
        """Stop everything but the caller, and wait until it has stopped."""
        me = asyncio.current_task()
        while running := self._running - {me}:
            for task in running:
                task.cancel()
            await asyncio.wait(running)
            # The done callbacks run on the loop's next step.
            await asyncio.sleep(0)

    async def cancel_all(self) -> None:
        """The same, for good: what is started later stops at once."""
        self._is_closed = True
        await self.stop_all()

    def _on_done(self, task: asyncio.Task[Any], on_error: OnError) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        match task.exception():
            case None:
                return
            case QHubError() as error:
                if not self._is_closed:
                    on_error(error)
            case bug:
                # Raised anew inside a callback, it would be logged without its task.
                task.get_loop().call_exception_handler(
                    {"message": "A task of the window failed", "exception": bug, "task": task}
                )


def cancel_with(owner: QObject, task: asyncio.Task[Any]) -> None:
    """Cancel a task when the object that it works on is destroyed before the window."""
    owner.destroyed.connect(lambda _owner: task.cancel())
