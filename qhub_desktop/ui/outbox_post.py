"""Joins the outbox to the window: what waits is shown, and what comes of it is told."""

from __future__ import annotations  # the outbox is imported after the first paint

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.messages import Message
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.waiting import Waiting
from qhub_desktop.ui.banner import Banner, Remedy
from qhub_desktop.ui.centre import Centre
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.sidebar import Sidebar
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

if TYPE_CHECKING:
    from qhub_desktop.chat.outbox import Outbox, Play
    from qhub_desktop.ui.waiting_list import WaitingList

SHOWN_CHARACTERS = 80


class OutboxPost(QObject):
    """Sends what waits for as long as the window is there.

    Signals:
        counted: how many questions wait.
        open_wanted: a conversation, to read the answer that has come.
    """

    counted = Signal(int)
    open_wanted = Signal(str)

    def __init__(
        self,
        desk: Desk,
        outbox: Outbox,
        *,
        centre: Centre,
        sidebar: Sidebar,
        banner: Banner,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._outbox = outbox
        self._centre = centre
        self._sidebar = sidebar
        self._banner = banner
        self._tasks = tasks
        self._window = parent
        self._list: WaitingList | None = None
        self._running: asyncio.Task[None] | None = None
        self._waiting: Sequence[Waiting] = ()
        page = centre.page
        page.offer_waiting(self._can_wait)
        page.wait_requested.connect(
            lambda conversation, text: tasks.start(self._put(conversation, text))
        )
        page.withdraw_requested.connect(self.withdraw)
        page.renew_requested.connect(self.renew)
        page.running_changed.connect(self._on_running_changed)
        centre.opened.connect(self._on_opened)
        outbox.listen(self._on_changed)

    async def begin(self) -> None:
        """Show what waited since before, and send it when that is possible."""
        await self._show()
        self._run()

    def look(self) -> None:
        """Another program may have let a question wait."""
        self._tasks.start(self._show())
        self._run()

    def wake(self) -> None:
        """Claude may be there again."""
        self._outbox.wake()
        self._run()

    def withdraw(self, number: int) -> None:
        """Take a question back."""
        self._tasks.start(self._outbox.withdraw(number))

    def renew(self, number: int) -> None:
        """Send a question again that was refused."""
        self._tasks.start(self._outbox.renew(number))

    def open_list(self, anchor: QWidget, palette: Palette) -> WaitingList:
        """Everything that waits, over the widget that was pressed."""
        from qhub_desktop.ui.waiting_list import WaitingList  # comes with the page

        opened = WaitingList(palette, anchor)
        opened.withdrawn.connect(self.withdraw)
        opened.renewed.connect(self.renew)
        opened.send_wanted.connect(self.wake)
        opened.destroyed.connect(self._forget_list)
        opened.show_waiting(self._waiting)
        opened.open_above(anchor)
        self._list = opened
        return opened

    async def present(self, question: Waiting, play: Play) -> bool:
        """Let the answer come into its conversation, in sight or not."""
        agent = self._desk.agents.get(question.agent)
        if agent is None:
            return False
        return await self._centre.page.attend(question, agent, play)

    def tell(self, question: Waiting) -> None:
        """Say that Claude has answered, unless the person has just watched it."""
        self._tasks.start(self._sidebar.refresh())
        is_active = self._window.window().isActiveWindow()
        if not is_active:
            QApplication.alert(self._window.window())
        open_ = self._centre.conversation
        if is_active and open_ is not None and open_.id == question.conversation:
            return
        words = " ".join(question.text.split())
        if len(words) > SHOWN_CHARACTERS:
            words = words[: SHOWN_CHARACTERS - 1] + "…"
        self._banner.note(
            _("Claude has answered: {question}").format(question=words),
            Remedy(_("Open"), lambda: self.open_wanted.emit(question.conversation)),
        )

    async def _put(self, conversation: str, text: str) -> None:
        await self._outbox.put(conversation, text)

    async def _can_wait(self, question: Message) -> bool:
        return await self._outbox.takes(question.text)

    async def _show(self) -> None:
        self._waiting = await self._outbox.waiting()
        self._centre.page.show_waiting(self._waiting)
        self.counted.emit(len(self._waiting))
        if self._list is not None:
            self._list.show_waiting(self._waiting)

    def _run(self) -> None:
        if self._running is None or self._running.done():
            self._running = self._tasks.start(self._outbox.run(self))

    def _on_changed(self) -> None:
        self._tasks.start(self._show())
        self._run()

    def _on_running_changed(self, _conversation: str, is_running: bool) -> None:  # noqa: FBT001  a signal's
        if not is_running:
            self._outbox.wake_if_held_up()

    def _on_opened(self) -> None:
        conversation = self._centre.conversation
        if conversation is not None and conversation.is_unread:
            self._tasks.start(self._mark_read(conversation.id))

    async def _mark_read(self, conversation: str) -> None:
        await self._desk.store.set_unread(conversation, is_unread=False)
        await self._sidebar.refresh()

    def _forget_list(self) -> None:
        self._list = None
