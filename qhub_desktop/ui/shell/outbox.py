"""Outbox in the window: questions queued for Claude, and their answers."""

from __future__ import annotations  # the outbox is imported after the first paint

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message, QueuedQuestion
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.question import QueuedCard
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of, scrolled
from qhub_desktop.ui.controls.notices import Banner, Remedy
from qhub_desktop.ui.controls.popup import PopupFrame
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.sidebar import Sidebar
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from qhub_desktop.chat.outbox import Outbox, Play
    from qhub_desktop.store.conversations import Conversation
    from qhub_desktop.ui.chat.conversation_page import ConversationPage

MAX_NOTE_CHARACTERS = 80


class OutboxController(QObject):
    """Sender of queued questions while the window is open.

    Signals:
        counted: the number of queued questions.
        open_requested: the conversation with a new answer is to be opened.
    """

    counted = Signal(int)
    open_requested = Signal(str)

    def __init__(
        self,
        services: AppServices,
        outbox: Outbox,
        *,
        page: ConversationPage,
        conversation: Callable[[], Conversation | None],
        sidebar: Sidebar,
        banner: Banner,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._outbox = outbox
        self._page = page
        self._conversation = conversation
        self._sidebar = sidebar
        self._banner = banner
        self._tasks = tasks
        self._window = parent
        self._list: QueuedList | None = None
        self._sending: asyncio.Task[None] | None = None
        self._queued: Sequence[QueuedQuestion] = ()
        page.enable_queueing(self._can_queue)
        page.running_changed.connect(self._on_running_changed)
        self._unsubscribe = outbox.listen(self._on_changed)

    def close(self) -> None:
        """Unsubscribe from the outbox, which outlives the window; sending in progress goes on."""
        self._unsubscribe()

    async def begin(self) -> None:
        """Show the questions queued earlier, and send them when possible."""
        await self._show()
        self._send()

    def reload(self) -> None:
        """Reload the queue: another process may have added a question."""
        self._tasks.start(self._show())
        self._send()

    def wake(self) -> None:
        """Retry sending: Claude may be reachable again."""
        self._outbox.wake()
        self._send()

    def withdraw(self, number: int) -> None:
        """Remove a question from the queue."""
        self._tasks.start(self._outbox.withdraw(number))

    def renew(self, number: int) -> None:
        """Queue a rejected question again."""
        self._tasks.start(self._outbox.requeue(number))

    def open_list(self, anchor: QWidget) -> QueuedList:
        """Open the list of queued questions above the clicked widget."""
        opened = QueuedList(anchor)
        opened.withdrawn.connect(self.withdraw)
        opened.renewed.connect(self.renew)
        opened.send_requested.connect(self.wake)
        opened.destroyed.connect(self._forget_list)
        opened.show_questions(self._queued)
        opened.open_above(anchor)
        self._list = opened
        return opened

    async def present(self, question: QueuedQuestion, play: Play) -> bool:
        """Play the answer into its conversation, whether or not it is open."""
        agent = self._services.agents().get(question.agent)
        if agent is None:
            return False
        return await self._page.play_queued(question, agent, play)

    def tell(self, question: QueuedQuestion) -> None:
        """Notify the user of the answer, unless it was just watched."""
        self._tasks.start(self._sidebar.refresh())
        is_active = self._window.window().isActiveWindow()
        if not is_active:
            QApplication.alert(self._window.window())
        open_ = self._conversation()
        if is_active and open_ is not None and open_.id == question.conversation:
            return
        words = " ".join(question.text.split())
        if len(words) > MAX_NOTE_CHARACTERS:
            words = words[: MAX_NOTE_CHARACTERS - 1] + "…"
        self._banner.toast.tell(
            _("Claude has answered: {question}").format(question=words),
            Remedy(_("Open"), lambda: self.open_requested.emit(question.conversation)),
            stays=True,
        )

    async def _can_queue(self, question: Message) -> bool:
        """Return whether Claude could answer a question once there is a network: with a key."""
        settings = self._services.live_settings.settings
        has_way = bool(settings.endpoint) or await self._services.has_key()
        return has_way and await self._outbox.accepts(question.text)

    async def _show(self) -> None:
        self._queued = await self._outbox.waiting()
        self._page.show_queued(self._queued)
        self.counted.emit(len(self._queued))
        if self._list is not None:
            self._list.show_questions(self._queued)

    def _send(self) -> None:
        if self._sending is None or self._sending.done():
            self._sending = self._tasks.start(self._outbox.run(self))

    def _on_changed(self) -> None:
        self._tasks.start(self._show())
        self._send()

    def _on_running_changed(self, _conversation: ConversationId, is_running: bool) -> None:  # noqa: FBT001  a signal's
        if not is_running:
            self._outbox.wake_if_conversation_busy()

    def mark_opened(self) -> None:
        """Mark the open conversation as read if it has an unread answer."""
        conversation = self._conversation()
        if conversation is not None and conversation.is_unread:
            self._tasks.start(self._mark_read(conversation.id))

    async def _mark_read(self, conversation: ConversationId) -> None:
        await self._services.store.conversations.set_unread(conversation, is_unread=False)
        await self._sidebar.refresh()

    def _forget_list(self) -> None:
        self._list = None


WIDTH_PX = 420
MAX_HEIGHT_PX = 380
GAP_PX = 6
EDGE_PX = 16


class QueuedList(PopupFrame):
    """Popup list of queued questions, oldest first; closes on a click elsewhere or when empty.

    Signals:
        withdrawn, renewed: a question's number.
        send_requested: sending is to be tried now.
    """

    withdrawn = Signal(int)
    renewed = Signal(int)
    send_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[QueuedCard] = []
        self._shown: tuple[QueuedQuestion, ...] = ()
        heading = make_label(_("Waiting for Claude"), role="heading")
        meaning = make_label(
            _("Sent in this order as soon as there is a network."), role="quiet", is_wrapped=True
        )
        self.send = TextButton(_("Try now"), icon_name="retry", on_click=self.send_requested)
        inside = QWidget()
        self._rows = column_of(STRETCH, owner=inside, spacing=GAP_PX)
        self._scroll_area = scrolled(inside)
        foot = row_of(self.send, STRETCH, spacing=None)
        column_of(heading, meaning, self._scroll_area, foot, owner=self, margins=(EDGE_PX, 14))
        self.setFixedWidth(WIDTH_PX)

    def show_questions(self, questions: Sequence[QueuedQuestion]) -> None:
        """Replace the listed questions."""
        if not questions:
            self.close()
            return
        if tuple(questions) == self._shown:
            return
        self._shown = tuple(questions)
        for card in self.cards:
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [self._card(each) for each in questions]
        for place, card in enumerate(self.cards):
            self._rows.insertWidget(place, card)
        self._fit_height()

    def open_above(self, anchor: QWidget) -> None:
        """Open above the clicked widget."""
        self._fit_height()
        self.open_at(anchor.mapToGlobal(QPoint(0, -self.height() - GAP_PX)))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Set the height the questions need, once the width of their text is known."""
        for each in (self, *self.findChildren(QWidget)):
            each.ensurePolished()
        wide = WIDTH_PX - 2 * EDGE_PX
        needed = sum(card.heightForWidth(wide) + GAP_PX for card in self.cards) - GAP_PX
        self._scroll_area.setFixedHeight(min(needed, MAX_HEIGHT_PX))
        self.adjustSize()

    def _card(self, question: QueuedQuestion) -> QueuedCard:
        card = QueuedCard(question)
        card.withdrawn.connect(lambda: self.withdrawn.emit(question.id))
        card.renewed.connect(lambda: self.renewed.emit(question.id))
        return card
