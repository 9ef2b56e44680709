"""What people say of answers: the card that asks why, and the list of whoever reviews."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.examples import Example, TaughtCall
from qhub_desktop.core.feedback import Feedback, Reviewed
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.ui.chat.feedback_card import ask_why
from qhub_desktop.ui.shell.examples_window import ExamplesWindow
from qhub_desktop.ui.shell.reviews_window import ReviewsWindow
from qhub_desktop.ui.tasks import Tasks
from tests.gallery._talk import called, question, staged, stored
from tests.waiting import until

AT = datetime(2026, 3, 4, 10, 12, tzinfo=UTC)
TALK = ConversationId("c")
BLOCKS = (
    *called("contar_defeitos", {"tipo_defeito": "lixo", "turno": "noite"}, {"total": 21}),
    Text("À noite há **21** defeitos de lixo."),
)


def why() -> QWidget:
    """A thumb down, and the card that asks why."""
    answer = stored(*BLOCKS)
    answer.footer.set_rating(-1)
    card = ask_why(answer)
    card.reasons["number"].click()
    card.text_box.setText("Na folha do turno estavam 19.")
    return staged(question("quantos defeitos de lixo há à noite?"), answer)


class _Feedback:
    """Three answers, or none."""

    def __init__(self, *, is_empty: bool) -> None:
        self._listed = (
            ()
            if is_empty
            else (
                Feedback(
                    1,
                    TALK,
                    MessageId(2),
                    "qualidade",
                    is_good=False,
                    reason="number",
                    text="Na folha do turno estavam 19.",
                    created=AT,
                ),
                Feedback(
                    2,
                    TALK,
                    MessageId(4),
                    "analise",
                    is_good=False,
                    reason="long",
                    text="",
                    created=AT,
                    resolved=AT,
                    note="Prompt mais curto.",
                ),
                Feedback(
                    3, TALK, MessageId(6), "analise", is_good=True, reason="", text="", created=AT
                ),
            )
        )

    async def listed(self) -> list[Feedback]:
        return [*self._listed]

    async def reviewed(self, id_: int) -> Reviewed:
        asked = Message(MessageId(1), "user", (Text("quantos defeitos de lixo há à noite?"),), AT)
        answer = Message(MessageId(2), "assistant", BLOCKS, AT, "offline", "complete", rating=-1)
        return Reviewed(next(each for each in self._listed if each.id == id_), asked, answer)


def _raise(error: QHubError) -> None:
    raise error


def reviews(*, is_empty: bool = False) -> Callable[[], Awaitable[QWidget]]:
    """The list of whoever reviews."""

    async def scene() -> QWidget:
        window = ReviewsWindow(
            cast("Any", SimpleNamespace(feedback=_Feedback(is_empty=is_empty))),
            name_of=str.capitalize,
            may_edit=True,
            tasks=Tasks(_raise),
            owner=None,
        )
        await until(lambda: is_empty or len(window.transcript.entries) > 1)
        return window

    return scene


def examples() -> QWidget:
    """One that waits to be approved, and one that is told."""

    class Kept:
        async def listed(self) -> list[Example]:
            calls = (TaughtCall("contar_defeitos", {"tipo_defeito": "lixo", "turno": "noite"}),)
            said = ("Há ‹n› defeitos de ‹valor› à noite.", "Conta sempre com a ferramenta.")
            question = "quantos defeitos de lixo há à noite?"
            return [
                Example(2, "qualidade", 3, "proposed", question, "number", calls, *said, AT),
                Example(1, "analise", 0, "active", "defeitos por turno", "group", calls, *said, AT),
            ]

    return ExamplesWindow(
        cast("Any", Kept()), name_of=str.capitalize, tasks=Tasks(_raise), owner=None
    )


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "feedback_why": why,
    "reviews": reviews(),
    "examples": examples,
    "reviews_none": reviews(is_empty=True),
}
