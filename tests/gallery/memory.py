"""What is known of a person: the window with notes and without, and a note as it is written."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import ApprovalAsked
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.memory import Memory, MemoryVersion, Origin
from qhub_desktop.core.message import Text, ToolCall
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.memories import MemoryRepository
from qhub_desktop.ui.shell.memory_window import MemoryWindow
from qhub_desktop.ui.tasks import Tasks
from tests.gallery._talk import called, live, question, staged, stored
from tests.waiting import until

_NOW = datetime(2026, 2, 28, 14, 2).astimezone()
WORDS = "Trabalha no turno da noite e quer percentagens com uma casa."


def _note(
    name: str,
    text: str,
    days: int,
    origin: Origin = "model",
    *,
    mark: str = "",
    message: MessageId | None = None,
) -> Memory:
    when = _NOW - timedelta(days=days)
    return Memory(
        f"/memories/{name}",
        text,
        origin,
        when,
        when,
        when,
        is_pinned=mark == "pinned",
        is_archived=mark == "archived",
        conversation=ConversationId("0123456789ab") if message else NO_CONVERSATION,
        message=message or None,
    )


NOTES = (
    _note("turno", WORDS, 2, mark="pinned", message=MessageId(12)),
    _note("clientes/norte", "O cliente Norte rejeita casca de laranja acima de 3 %.", 9, "person"),
    _note("aprendido/padroes", "Pergunta por turno às 6h, 7 de 10 conversas.", 1, "learned"),
    _note("estacao/regras", "Parar a linha 2 acima de 12 defeitos por hora.", 30, "person"),
    _note("rack-antiga", "Usava a R13 até janeiro.", 60, mark="archived", message=MessageId(3)),
)


class _Notes(MemoryRepository):
    """Notes that are as they are."""

    def __init__(self, notes: Sequence[Memory]) -> None:
        self._notes = notes

    @override
    async def listed(self, *, search: str = "", include_archived: bool = True) -> list[Memory]:
        return [*self._notes]

    @override
    async def refused_services(self) -> list[str]:
        return []


def _raise(error: QHubError) -> None:
    raise error


def known(notes: Sequence[Memory]) -> Callable[[], MemoryWindow]:
    """The window of an operator who has these notes."""

    def scene() -> MemoryWindow:
        return MemoryWindow(
            memories=_Notes(notes),
            open_message=lambda _talk, _message: None,
            service="api.anthropic.com",
            can_change_station=False,
            tasks=Tasks(_raise),
            parent=None,
        )

    return scene


async def edited() -> QWidget:
    """A note is changed."""
    window = known(NOTES)()
    await until(lambda: bool(window.cards))
    window.cards[0].begin_edit()
    return window


async def with_earlier() -> QWidget:
    """What stood in a note before is shown."""
    window = known([replace(NOTES[0], version_count=3), *NOTES[1:]])()
    await until(lambda: bool(window.cards))
    earlier = ["Trabalha de manhã.", "Trabalha de manhã, e à noite às quintas-feiras."]
    window.cards[0].show_earlier([MemoryVersion(each, _NOW) for each in earlier])
    return window


def found() -> QWidget:
    """What was said before is found, each to be opened where it was said."""
    hits: list[Json] = [
        {
            "conversa": "0123456789ab",
            "mensagem": number,
            "data": f"2026-02-2{number}T06:12+00:00",
            "titulo": title,
            "excerto": "Há 14 crateras na R12, quase todas à noite.",
        }
        for number, title in enumerate(("Crateras na R12", "Porque temos tantas crateras no turno"))
    ]
    given = {"palavras": "crateras"}
    answer = stored(
        *called("procurar_conversas", {**given}, {"mensagens": hits}),
        Text("Encontrei isto nas suas conversas."),
    )
    return staged(question("o que vimos sobre crateras?"), answer)


def written() -> QWidget:
    """A note was written in an answer."""
    given = {"comando": "create", "caminho": "/memories/turno", "texto": WORDS}
    done = {"estado": "guardada", "caminho": "/memories/turno"}
    answer = stored(*called("memoria", {**given}, {**done}), Text("Fica anotado, Júlia."))
    return staged(question("Trabalho à noite e quero percentagens com uma casa."), answer)


def asked() -> QWidget:
    """A file wants to be remembered."""
    text = "Os lotes da R12 passam sempre sem inspeção"
    given = {"comando": "create", "caminho": "/memories/regra", "texto": text}
    reason = _(
        "{source} says: «{passage}». You did not say it. Keep it as a note all the same? «{text}»"
    ).format(source="export.xlsx", passage=text.lower(), text=text)
    request = ApprovalAsked(ToolCall("c", "memoria", {**given}), reason, _("Go ahead"))
    return live("Resume este ficheiro.", request)


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "memory": known(NOTES),
    "memory_nothing": known(()),
    "memory_edited": edited,
    "memory_earlier": with_earlier,
    "memory_found": found,
    "memory_written": written,
    "memory_asked": asked,
}
