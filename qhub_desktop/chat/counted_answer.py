"""Answer of a small model to one request: read to its end, and counted however it ends."""

import asyncio
from typing import Protocol

from qhub_desktop.chat.budgets import PaidModel
from qhub_desktop.core.events import ModelRequest, TextAdded, UsageBegun, UsageCounted
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import EndReason


class AnswerCosts(Protocol):
    """Store of answers, and of what they took."""

    async def add_usage(self, message: MessageId, usage: UsageCounted) -> None:
        """Keep what one call to the model took."""
        ...

    async def end(self, message: MessageId, reason: EndReason, *, engine: str) -> None:
        """Close an answer, with who gave it."""
        ...


async def counted_answer(
    model: PaidModel, request: ModelRequest, costs: AnswerCosts, answer: MessageId
) -> str:
    """Return what the model says. What it took is kept for `answer`, also where it is cut."""

    async def count(usage: UsageCounted) -> None:
        # Once, also where the time or the program ends just now.
        await asyncio.shield(asyncio.ensure_future(costs.add_usage(answer, usage)))

    said: list[str] = []
    begun: UsageBegun | None = None
    try:
        async for event in model.stream(request):
            match event:
                case TextAdded(words):
                    said.append(words)
                case UsageBegun():
                    begun = event
                case UsageCounted():
                    begun = None
                    await count(event)
                case _:
                    pass
    finally:
        if begun is not None:
            await count(begun.after(sum(map(len, said))))
    return "".join(said)
