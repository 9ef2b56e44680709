"""The plant's network: what was sent for an answer."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.store.sent import SentRequest
from qhub_desktop.ui.chat.sent_window import SentWindow
from qhub_desktop.ui.tasks import Tasks

_WHEN = datetime(2026, 2, 28, 14, 2, 11).astimezone()
_HOST = "gateway.fabrica.example"
_BODY: JsonObject = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 4096,
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Qual é o defeito mais frequente no turno da noite?"}
            ],
        }
    ],
    "stream": True,
    "system": [{"type": "text", "text": "És um assistente da qualidade de uma fábrica…"}],
    "tools": [
        {
            "name": "contar_defeitos",
            "description": "Conta os defeitos registados, no total e por tipo.",
            "input_schema": {"type": "object", "properties": {}},
        }
    ],
}


class _Sent:
    """Requests that were sent."""

    def __init__(self, *requests: SentRequest) -> None:
        self._requests = [*requests]

    async def latest(self, *, limit: int, message: int | None = None) -> list[SentRequest]:
        del message
        return self._requests[:limit]

    async def body(self, _id: int, /) -> JsonObject:
        return _BODY


def _request(id_: int, size: int, usage: UsageCounted | None) -> SentRequest:
    return SentRequest(id_, _WHEN, 7, _HOST, "/v1/messages", "claude-sonnet-5-5", size, usage)


def _raise(error: QHubError) -> None:
    raise error


def sent(*requests: SentRequest) -> Callable[[], QWidget | Awaitable[QWidget]]:
    """What was sent for an answer."""

    def scene() -> QWidget:
        return SentWindow(7, sent=_Sent(*requests), tasks=Tasks(_raise), owner=None)

    return scene


_USAGE = UsageCounted("claude-sonnet-5-5", 310, 212, 8_240, 1_105, 0.0121)
SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "sent": sent(_request(2, 41_830, _USAGE), _request(1, 38_204, _USAGE)),
    "sent_nothing": sent(),
}
