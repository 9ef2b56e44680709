"""The pace of an answer: bursts gathered into pieces, waits counted down."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from itertools import groupby

from qhub_desktop.chat import faults
from qhub_desktop.chat.model import ModelEvent, TextPiece, ThoughtPiece
from qhub_desktop.core.errors import QHubError, ServiceError
from qhub_desktop.core.events import StatusChanged

PAUSE_S = 0.010  # pieces are gathered for so long: nobody reads a hundred a second

Take = Callable[[ModelEvent], None]


async def gathered(
    read: Callable[[Take], Coroutine[None, None, QHubError | None]],
) -> AsyncIterator[ModelEvent]:
    """What `read` takes in, in pieces of a readable pace; then raises what it returns, if anything.

    Reading is a task of its own, so that its time limits strike there and never in the consumer's
    code. Leaving the generator half way cancels it, without awaiting anything: under qasync nobody
    closes a generator that is dropped.
    """
    arrived: list[ModelEvent] = []
    fresh = asyncio.Event()

    def take(event: ModelEvent) -> None:
        arrived.append(event)
        fresh.set()

    reader = asyncio.create_task(read(take))
    reader.add_done_callback(lambda _reader: fresh.set())
    try:
        while arrived or not reader.done():
            await fresh.wait()
            fresh.clear()
            batch = list(_joined(arrived))
            arrived.clear()
            for event in batch:
                yield event
            if not reader.done():
                await asyncio.sleep(PAUSE_S)
    finally:
        reader.cancel()
    if failure := reader.result():
        raise failure


async def countdown(error: ServiceError, wait_s: float) -> AsyncIterator[StatusChanged]:
    """Wait, and say every second how long it will still be."""
    loop = asyncio.get_running_loop()
    end = loop.time() + wait_s
    for left in range(math.ceil(wait_s), 0, -1):
        yield StatusChanged("retrying", faults.waiting(error.fault), wait_s=left)
        await asyncio.sleep(end - (left - 1) - loop.time())


def _joined(events: Iterable[ModelEvent]) -> Iterator[ModelEvent]:
    """The same events, neighbouring pieces of text in one."""
    for kind, group in groupby(events, type):
        if kind is TextPiece:
            yield TextPiece("".join(each.text for each in group if isinstance(each, TextPiece)))
        elif kind is ThoughtPiece:
            pieces = (each.text for each in group if isinstance(each, ThoughtPiece))
            yield ThoughtPiece("".join(pieces))
        else:
            yield from group
