"""The offline engine as a model: rounds of calls and words, like any other's."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from qhub_desktop.chat.model import (
    Answering,
    AskedBack,
    CallMade,
    ModelEvent,
    ModelRequest,
    ReadingChosen,
    RoundEnded,
    TextPiece,
    UnderstoodAs,
)
from qhub_desktop.core.worker import Worker

if TYPE_CHECKING:
    from qhub_desktop.chat.offline.answer import Reply

_PIECE = re.compile(r"(?:\S+\s*){1,4}")


class Offline:
    """Answers by itself: no model, no network, and the same answer to the same question.

    It owns one thread, begun with the first question, until closed.
    """

    def __init__(self) -> None:
        self._worker = Worker("offline")

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One round: the calls that are still needed, or else the answer in words."""
        yield Answering("offline")
        # Reading the words of a wide data set for the first time takes a tenth of a second.
        reply = await self._worker.run(_reply_to, request)
        for call in reply.calls:
            yield CallMade(call)
        for piece in _PIECE.findall(reply.text):
            yield TextPiece(piece)
            await asyncio.sleep(0)
        for settled in reply.settled:
            yield ReadingChosen(*settled)
        if not reply.calls and reply.understood is not None:
            yield UnderstoodAs(reply.understood)
        if not reply.calls and reply.asked is not None:
            yield AskedBack(reply.asked)
        yield RoundEnded("tools" if reply.calls else "complete")

    def close(self) -> None:
        """Let go of the thread."""
        self._worker.close()


def _reply_to(request: ModelRequest) -> "Reply":
    # Measured: 80 ms with its many small classes, which no window should wait for.
    from qhub_desktop.chat.offline.answer import reply_to
    from qhub_desktop.chat.offline.vocabulary import renew

    renew()
    return reply_to(request)
