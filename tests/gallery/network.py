"""The plant's network: the way to the service, and what was sent for an answer."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.chat.claude.diagnosis import STEPS, Network, State, StepResult
from qhub_desktop.chat.claude.proxies import ProxyChoice
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.sent import SentRepository, SentRequest
from qhub_desktop.ui.chat.sent_window import SentWindow
from qhub_desktop.ui.settings.network_fields import DiagnosisField, ProxyDialog
from qhub_desktop.ui.tasks import Tasks
from tests.gallery.shell import opened
from tests.waiting import until

_WHEN = datetime(2026, 2, 28, 14, 2, 11).astimezone()
_HOST = "gateway.fabrica.example"
_PROXY = "http://proxy.fabrica.example:8080"
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


class _Sent(SentRepository):
    """Requests that were sent."""

    def __init__(self, *requests: SentRequest) -> None:
        self._requests = [*requests]

    @override
    async def latest(self, *, limit: int, message: MessageId | None = None) -> list[SentRequest]:
        del message
        return self._requests[:limit]

    @override
    async def body(self, _id: int, /) -> JsonObject:
        return _BODY


def _request(id_: int, size: int, usage: UsageCounted | None) -> SentRequest:
    return SentRequest(
        id_, _WHEN, MessageId(7), _HOST, "/v1/messages", "claude-sonnet-5-5", size, usage
    )


async def login() -> QWidget:
    """A proxy wants a name and a password."""
    dialog = ProxyDialog(
        _Network(proxy="http://proxy.fabrica.example:3128"), tasks=Tasks(_raise), owner=None
    )
    await until(dialog.sentence.text)
    dialog.user.setText("FABRICA\\carla")
    return dialog


def _raise(error: QHubError) -> None:
    raise error


def sent(*requests: SentRequest) -> Callable[[], QWidget | Awaitable[QWidget]]:
    """What was sent for an answer."""

    def scene() -> QWidget:
        return SentWindow(MessageId(7), sent=_Sent(*requests), tasks=Tasks(_raise), owner=None)

    return scene


class _Network(Network):
    """A network in which the service's certificate is another one than it should be."""

    def __init__(self, *findings: StepResult, proxy: str = "") -> None:
        self._findings = findings
        self._proxy = ProxyChoice(proxy, "system" if proxy else "none")

    @override
    async def proxy(self) -> tuple[ProxyChoice, bool]:
        return self._proxy, False

    @override
    async def models(self) -> str:
        return _("The model that finds passages by meaning is in place.")

    @override
    async def save_login(self, user: str, password: str) -> None:
        raise NotImplementedError(user, password)

    @override
    async def diagnose(self) -> AsyncIterator[StepResult]:
        for each in self._findings:
            yield each

    @override
    async def report(self, findings: Sequence[StepResult]) -> JsonObject:
        raise NotImplementedError(findings)


def diagnosed(network: _Network) -> Callable[[], Awaitable[QWidget]]:
    """The settings, after the way to the service was tried."""

    async def scene() -> QWidget:
        window = await opened(network=network)
        dialog = window.controller.open_settings("network")
        dialog.resize(760, 900)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        dialog.part(DiagnosisField).start_button.click()
        return dialog

    return scene


def _walk(*states: State, text: str, ask: str = "") -> list[StepResult]:
    said = {
        "name": _("The name {host} is known.").format(host="proxy.fabrica.example"),
        "proxy": _("The proxy {proxy} lets us through.").format(proxy=_PROXY),
        "tls": _("The certificate of {host} is trusted ({kind}).").format(
            host=_HOST, kind="TLSv1.3"
        ),
        "key": _("{host} takes the key.").format(host=_HOST),
        "model": _("{host} answers, with {model}, in {milliseconds} ms.").format(
            host=_HOST, model="claude-sonnet-5-5", milliseconds=812
        ),
    }
    found = []
    for step, state in zip(STEPS, states, strict=True):
        match state:
            case "good":
                found.append(StepResult(step, state, said[step]))
            case "bad":
                found.append(StepResult(step, state, text, ask))
            case _:
                found.append(StepResult(step, state))
    return found


def trusted() -> Callable[[], Awaitable[QWidget]]:
    """Everything works."""

    async def scene() -> QWidget:
        way = _walk("good", "good", "good", "good", "good", text="")
        return await diagnosed(_Network(*way, proxy=_PROXY))()

    return scene


def untrusted() -> Callable[[], Awaitable[QWidget]]:
    """The certificate is one of the company's own."""

    async def scene() -> QWidget:
        text = _("The certificate of {host} is not trusted here ({reason}).")
        way = _walk(
            "good",
            "good",
            "bad",
            "skipped",
            "skipped",
            text=text.format(host=_HOST, reason="self-signed certificate in certificate chain"),
            ask=_(
                "Ask IT for the company's root certificate as a file '.cer', and choose it above."
            ),
        )
        return await diagnosed(_Network(*way, proxy=_PROXY))()

    return scene


_USAGE = UsageCounted("claude-sonnet-5-5", 310, 212, 8_240, 1_105, 0.0121)
SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "proxy_login": login,
    "diagnosis_good": trusted(),
    "diagnosis_bad": untrusted(),
    "sent": sent(_request(2, 41_830, _USAGE), _request(1, 38_204, _USAGE)),
    "sent_nothing": sent(),
}
