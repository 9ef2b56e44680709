"""What a window began, ended with it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from typing_extensions import override

from qhub_desktop.ui.tasks import OnError, Tasks

Output = TypeVar("Output")


class WindowTasks(Tasks):
    """Begins everything as tasks of the program, and drops it when the window goes."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__(lambda _error: None)
        self._tasks = tasks
        self._begun: set[asyncio.Task[Any]] = set()

    @override
    def start(
        self, coroutine: Coroutine[Any, Any, Output], *, on_error: OnError | None = None
    ) -> asyncio.Task[Output]:
        task = self._tasks.start(coroutine, on_error=on_error)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    def drop(self) -> None:
        """Stop everything at once, without waiting."""
        for task in list(self._begun):
            task.cancel()
