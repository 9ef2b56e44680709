"""Questions that wait for Claude: offered, waiting in their conversation, listed, answered."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import QueuedQuestion
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language
from qhub_desktop.ui.chat.question import QueueOffer
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.outbox import QueuedList
from tests.gallery.shell import SMALL, answered, opened

_ASKED = {
    "pt": (
        "Porque é que há tanto lixo à noite?",
        "O que devemos mudar na cabina 2, sabendo que a humidade subiu e o primário mudou?",
        "Escreve o resumo para a reunião de segunda",
    ),
    "en": (
        "Why is there so much dirt at night?",
        "What should we change in booth 2, given that humidity rose and the primer is another?",
        "Write the summary for Monday's meeting",
    ),
}


def _questions(conversation: ConversationId) -> list[QueuedQuestion]:
    asked = datetime(2026, 2, 28, 14, 2).astimezone()
    return [
        QueuedQuestion(number, conversation, "qualidade", "maria", text, asked)
        for number, text in enumerate(_ASKED[language()], start=1)
    ]


async def offered(size: tuple[int, int] = (1366, 768)) -> MainWindow:
    """The offline engine has answered, and Claude could be asked later."""
    window = await opened(size)
    await answered(window, _ASKED[language()][0])
    view = window.frame.centre.page.view
    assert view is not None
    view.transcript.append(QueueOffer())
    return window


async def waiting(size: tuple[int, int] = (1366, 768)) -> MainWindow:
    """Two questions wait in the conversation that is open; one was refused."""
    window = await opened(size)
    await answered(window, _ASKED[language()][0])
    view = window.frame.centre.page.view
    assert view is not None
    first, second, third = _questions(view.conversation)
    why = _(
        "The account at {host} has no credit left. Add some there, or choose the offline engine in"
        " Settings."
    ).format(host="api.anthropic.com")
    refused = replace(third, state="failed", error=why)
    window.frame.centre.page.show_queued([first, second, refused])
    window.controller.status.show_queued(3)
    # They take room from the answer above: which was laid out first decides what is seen of it.
    view.transcript.lay_out_now()
    view.transcript.follow_end()
    return window


async def told() -> MainWindow:
    """Claude has answered in another conversation."""
    window = await opened()
    conversations = window.frame.sidebar._conversations
    for conversation in (await conversations.listed())[1:3]:
        await conversations.set_unread(conversation.id, is_unread=True)
    await window.frame.sidebar.refresh()
    question = _ASKED[language()][0]
    window.frame.banner.toast.tell(
        _("Claude has answered: {question}").format(question=question),
        Remedy(_("Open"), window.frame.new_conversation),
    )
    return window


def listed() -> QWidget:
    """Everything that waits."""
    shown = QueuedList()
    first, second, third = _questions(ConversationId("x"))
    key = _(
        "There is no key for {host}. Enter one in Settings, under Engine, or choose the offline"
        " engine there."
    ).format(host="api.anthropic.com")
    shown.show_questions([first, replace(second, state="sending"), replace(third, error=key)])
    return shown


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "offered": offered,
    "waiting": waiting,
    "narrow": lambda: waiting(SMALL),
    "told": told,
    "listed": listed,
}
