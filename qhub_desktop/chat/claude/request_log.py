"""Log of requests: what is sent to a service is kept before it goes out."""

from typing import Protocol

from qhub_desktop.chat.claude.credentials import Endpoint
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import MessageId


class RequestLog(Protocol):
    """Store of what was sent."""

    async def add(
        self,
        *,
        host: str,
        path: str,
        model: str,
        body: JsonObject,
        message: MessageId | None,
        days: int,
    ) -> int:
        """Keep a request for so many days, and return its number."""
        ...

    async def add_usage(self, id_: int, /, usage: UsageCounted) -> None:
        """Keep what a request took."""
        ...

    async def sweep(self, *, days: int) -> None:
        """Drop what is older than so many days."""
        ...


async def keep_request(
    log: RequestLog | None,
    service: Endpoint,
    path: str,
    body: JsonObject,
    *,
    message: MessageId | None,
    days: int,
) -> int | None:
    """Keep a request that is about to be sent; with 0 days, drop what there is instead."""
    if log is None:
        return None
    if not days:
        await log.sweep(days=0)
        return None
    return await log.add(
        host=service.host, path=path, model=service.model, body=body, message=message, days=days
    )
