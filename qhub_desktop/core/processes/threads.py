"""Threads: one that owns a resource, and those that work ahead of need."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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

    def close(self) -> None:
        """Let what has begun end; drop what has not."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def abandon(self) -> None:
        """Drop what has not begun, without waiting for what has."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def in_background(work: Callable[[], object], name: str) -> threading.Thread:
    """Start `work` on a thread that dies with the program: for warming up, never for saving."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread
