"""Coroutines started from Qt slots: kept alive, errors shown, cancelled with the window."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

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

    def report(self, error: QHubError) -> None:
        """Show an error with the common handler: what started the work is gone."""
        self._on_error(error)

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


class WidgetTasks:
    """Tasks of one widget of the window; their errors go to `on_error` for as long as it is there.

    The window shows those that come later: what was begun has failed all the same.
    """

    def __init__(self, widget: QObject, tasks: Tasks, on_error: OnError) -> None:
        self._widget = widget
        self._tasks = tasks
        self._on_error = on_error

    def start(
        self, coroutine: Coroutine[Any, Any, Output], *buttons: QWidget
    ) -> asyncio.Task[Output]:
        """Start a task that ends with the widget; the buttons are disabled until it has ended."""
        task = self.start_kept(coroutine, *buttons)
        cancel_with(self._widget, task)
        return task

    def start_kept(
        self, coroutine: Coroutine[Any, Any, Output], *buttons: QWidget
    ) -> asyncio.Task[Output]:
        """Start a task that goes on without the widget, for what is to be written whole."""
        for button in buttons:
            button.setEnabled(False)
        task = self._tasks.start(coroutine, on_error=self._show_error)
        task.add_done_callback(lambda _done: _enable(buttons))
        return task

    def _show_error(self, error: QHubError) -> None:
        if isValid(self._widget):
            self._on_error(error)
        else:
            self._tasks.report(error)


def _enable(buttons: Iterable[QWidget]) -> None:
    for button in buttons:
        if isValid(button):
            button.setEnabled(True)


class LatestTask:
    """At most one task of a kind: a new one cancels the one before."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Start a coroutine in place of the one before."""
        self.cancel()
        self._task = self._tasks.start(coroutine)

    def start_after(self, wait_s: float, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start what `make` returns after a while, unless another takes its place meanwhile."""
        self.start(_after(wait_s, make))

    def cancel(self) -> None:
        """Cancel the task under way, if there is one."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


async def _after(wait_s: float, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    await asyncio.sleep(wait_s)
    await make()


def set_result_once(future: asyncio.Future[Output], result: Output) -> None:
    """Set the result of a future, unless it is done: a button can be pressed twice before the
    waiting task resumes.
    """
    if not future.done():
        future.set_result(result)


def cancel_with(owner: QObject, task: asyncio.Task[Any]) -> None:
    """Cancel a task when the object that it works on is destroyed before the window."""
    owner.destroyed.connect(lambda _owner: task.cancel())
