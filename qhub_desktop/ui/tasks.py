"""Coroutines started from Qt slots: kept alive, errors shown, cancelled with the window."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from qhub_desktop.core.errors import QHubError

Output = TypeVar("Output")
OnError = Callable[[QHubError], None]


class Tasks:
    """Owner of all coroutines started by a window, until they end or are cancelled.

    Errors meant for the user go to `on_error`; any other is a bug and goes to the loop's
    exception handler, which writes the crash report.
    """

    def __init__(self, on_error: OnError) -> None:
        self._on_error = on_error
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def start(
        self, coroutine: Coroutine[Any, Any, Output], *, on_error: OnError | None = None
    ) -> asyncio.Task[Output]:
        """Start a coroutine and keep it until done; `on_error` overrides the common handler."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(lambda done: self._on_done(done, on_error or self._on_error))
        if self._is_closed:
            task.cancel()
        return task

    async def stop_all(self) -> None:
        """Cancel all tasks but the calling one, and wait until they have ended."""
        me = asyncio.current_task()
        while running := self._running - {me}:
            for task in running:
                task.cancel()
            await asyncio.wait(running)
            # Done callbacks run in the loop's next iteration.
            await asyncio.sleep(0)

    async def cancel_all(self) -> None:
        """Cancel all tasks for good: tasks started later are cancelled at once."""
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
                # Re-raised inside a callback, it would be logged without its task.
                task.get_loop().call_exception_handler(
                    {"message": "A task of the window failed", "exception": bug, "task": task}
                )


def cancel_with(owner: QObject, task: asyncio.Task[Any]) -> None:
    """Cancel a task when the object that it works on is destroyed before the window."""
    owner.destroyed.connect(lambda _owner: task.cancel())
