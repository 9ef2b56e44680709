"""The host of the open conversation: its page, its agent and its header."""

from __future__ import annotations  # the page is imported after the first paint

import asyncio
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.layouts import ElidedLabel
from qhub_desktop.ui.shell.services import AppServices
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.ui.charts.card import WidgetCard
    from qhub_desktop.ui.chat.page import ChatPage


class PageHeader(QWidget):
    """Says nothing of a conversation that has not begun.

    Signals:
        menu_wanted: what can be done with the conversation; the menu opens below the button.
    """

    menu_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._agent = QLabel()
        self._agent.setProperty("role", "quiet")
        self._title = ElidedLabel(role="heading")
        self.more = IconButton("more", _("What can be done with this conversation"))
        self.more.clicked.connect(self.menu_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._agent)
        row.addWidget(self._title, 1)
        row.addWidget(self.more)
        self.setFixedHeight(self.sizeHint().height())

    @property
    def title(self) -> str:
        """The title that is shown; empty for a conversation that has not begun."""
        return self._title.text()

    def show_conversation(self, agent: str, title: str | None) -> None:
        """Name what is on the page; `None` is a conversation that has not begun."""
        self._agent.setText("" if title is None else f"{agent} ·")
        self._title.setText(title or "")
        self.more.setVisible(title is not None)


_PAGE = "qhub_desktop.ui.chat.page"


class ConversationHost(QWidget):
    """Blank until `furnish`.

    Signals:
        opened: another conversation is open, or none.
        begun: a conversation was made, because something was asked or dropped.
    """

    opened = Signal()
    begun = Signal()

    def __init__(self, desk: AppServices, tasks: Tasks) -> None:
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self._page: ChatPage | None = None
        self._beginning = asyncio.Lock()
        self.agent: Agent = next(iter(desk.agents.values()))
        self.conversation: Conversation | None = None
        self.header = PageHeader()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.header)
        self._blank = QWidget()
        self._column.addWidget(self._blank, 1)
        self.header.show_conversation("", None)

    @property
    def page(self) -> ChatPage:
        """The page, once it is there."""
        assert self._page is not None, "the page comes after the first paint"
        return self._page

    @property
    def is_furnished(self) -> bool:
        """Whether the page is there."""
        return self._page is not None

    async def furnish(self) -> ChatPage:
        """Load what the page needs, without holding up the window, and put it there."""
        imports = Worker("imports")
        try:
            await imports.run(importlib.import_module, _PAGE)
            engine = await imports.run(self._desk.engine)
        finally:
            imports.close()
        from qhub_desktop.ui.chat.page import ChatPage

        page = ChatPage(
            engine=engine,
            messages=self._desk.store.messages,
            drafts=self._desk.store.settings,
            tasks=self._tasks,
        )
        page.conversation_needed.connect(
            lambda question: self._tasks.start(self._ask_first(question))
        )
        page.workbook_requested.connect(
            lambda card, file: self._tasks.start(
                self._save_workbook(card, file),
                on_error=lambda error: card.tell_error(error) if isValid(card) else None,
            )
        )
        self._page = page
        self._column.replaceWidget(self._blank, page)
        self._blank.deleteLater()
        return page

    async def open(self, conversation: str) -> None:
        """Open a conversation. Raises UserError if it is gone."""
        found = await self._desk.store.conversations.find(conversation)
        agent = self._desk.agents.get(found.agent)
        if agent is None:
            raise UserError(
                _("The agent of this conversation is not there any more. Choose another one.")
            )
        await self._arrive(found, agent)

    def begin(self, agent: str | None = None) -> None:
        """Nothing said yet, to this agent or the one that is chosen."""
        self.agent = self._desk.agents.get(agent or self.agent.id, self.agent)
        self.conversation = None
        self.page.show_empty(self.agent)
        self.header.show_conversation(self.agent.name, None)
        self.opened.emit()

    async def ensure(self) -> Conversation:
        """The conversation that is open; a new one if there is none."""
        async with self._beginning:
            if self.conversation is None:
                made = await self._desk.store.conversations.create(self.agent.id)
                await self._arrive(made, self.agent)
                self.begun.emit()
            assert self.conversation is not None
            return self.conversation

    async def refresh(self) -> None:
        """Read the open conversation's title again: the first question gives it one."""
        if self.conversation is not None:
            self.conversation = await self._desk.store.conversations.find(self.conversation.id)
            self._name()

    async def _arrive(self, conversation: Conversation, agent: Agent) -> None:
        self.conversation, self.agent = conversation, agent
        self._name()
        await self.page.open(conversation, agent)
        self.opened.emit()

    async def _save_workbook(self, card: WidgetCard, file: Path) -> None:
        from qhub_desktop.data.export.output import sheet_of  # comes with the card

        sheet = sheet_of(card.widget)
        await self._desk.workspace().save_tables((sheet,), file, title=sheet.name)
        if isValid(card):  # it may have been scrolled out of sight and unloaded
            card.tell_saved(file)

    async def _ask_first(self, question: str) -> None:
        await self.ensure()
        self.page.ask(question)

    def _name(self) -> None:
        assert self.conversation is not None
        title = self.conversation.title or _("New conversation")
        self.header.show_conversation(self.agent.name, title)
