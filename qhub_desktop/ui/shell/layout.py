"""What stands in the window: the bar on top, three columns, and between them what went wrong."""

from __future__ import annotations  # the page is imported after the first paint

import asyncio
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.shortcuts import Choice
from qhub_desktop.ui.data_panel.panel import DataPanel
from qhub_desktop.ui.shell.conversation_host import ConversationHost
from qhub_desktop.ui.shell.outbox import OutboxPost
from qhub_desktop.ui.shell.services import AppServices
from qhub_desktop.ui.shell.sidebar import Sidebar
from qhub_desktop.ui.shell.top_bar import TopBar
from qhub_desktop.ui.shell.window_place import WindowPlace, usual_widths
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.ui.chat.page import ChatPage

FOUND_CONVERSATIONS = 20  # in the palette
MOST_PROFILES = 3  # shown on the page for one file of many sheets
_MOST_SCALE = 1.3  # of the columns: larger text still leaves the middle the most
_SMALLEST_PX = {"sidebar": 200, "centre": 400, "panel": 240}


class WindowLayout(QWidget):
    """Carries word between the columns: which conversation is open, and on which data.

    Signals:
        datasets_shown: how many data sets the open conversation may ask about.
        waiting_counted: how many questions wait for Claude.
    """

    datasets_shown = Signal(int)
    waiting_counted = Signal(int)

    def __init__(self, desk: AppServices, tasks: Tasks, *, station: str) -> None:
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self._post: OutboxPost | None = None
        self._opening: asyncio.Task[None] | None = None
        self._widths = (0, 0)  # as chosen by the person
        self._scale = 1.0
        now = datetime.now().astimezone()
        self.top_bar = TopBar(station=station, now=now)
        self.banner = Banner()
        self.sidebar = Sidebar(
            agents=desk.agents, conversations=desk.store.conversations, tasks=tasks
        )
        self.centre = ConversationHost(desk, tasks)
        self.panel = DataPanel(
            datasets=desk.store.datasets,
            defects=desk.store.defects,
            workspace=desk.workspace,
            shelf=desk.shelf,
            tasks=tasks,
        )
        self.splitter = QSplitter()
        # One pixel is drawn; Qt lets five be taken hold of.
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        for part in (self.sidebar, self.centre, self.panel):
            self.splitter.addWidget(part)
        self.splitter.splitterMoved.connect(self._on_splitter_moved)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(2, 0)
        self.sidebar.setMinimumWidth(_SMALLEST_PX["sidebar"])
        self.centre.setMinimumWidth(_SMALLEST_PX["centre"])
        self.panel.setMinimumWidth(_SMALLEST_PX["panel"])
        rule = QFrame()
        rule.setProperty("kind", "line")
        rule.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(rule)
        column.addWidget(self.banner)
        column.addWidget(self.splitter, 1)
        self._connect()

    @property
    def has_sidebar(self) -> bool:
        """Whether the agents and conversations are in sight."""
        return not self.sidebar.isHidden()

    @property
    def has_panel(self) -> bool:
        """Whether the data is in sight."""
        return not self.panel.isHidden()

    async def furnish(self) -> ChatPage:
        """Put the page into the middle, and send what waited for Claude since before."""
        page = await self.centre.furnish()
        self._post = OutboxPost(
            self._desk,
            self._desk.outbox(),
            centre=self.centre,
            sidebar=self.sidebar,
            banner=self.banner,
            tasks=self._tasks,
            parent=self,
        )
        self._post.counted.connect(self.waiting_counted)
        self._post.open_wanted.connect(self.open)
        await self._post.begin()
        return page

    def leave_outbox(self) -> None:
        """Stop following what waits for Claude: this window is about to go, or to be rebuilt."""
        if self._post is not None:
            self._post.close()
            self._post = None

    def wake_outbox(self) -> None:
        """Claude may be there again, or chosen again: try to send what waits."""
        if self._post is not None:
            self._post.wake()

    def look_at_outbox(self) -> None:
        """Another program may have let a question wait."""
        if self._post is not None:
            self._post.look()

    def open_waiting(self, anchor: QWidget) -> None:
        """Show everything that waits for Claude."""
        if self._post is not None:
            self._post.open_list(anchor)

    async def found_conversations(self, typed: str) -> list[Choice]:
        """Those in which these words were said, to be opened."""
        found = await self._desk.store.conversations.listed(search=typed, limit=FOUND_CONVERSATIONS)
        return [
            Choice(
                conversation.title or _("New conversation"),
                "chat",
                partial(self.open, conversation.id),
                group=_("Conversation"),
            )
            for conversation in found
        ]

    def begin(self, agent: str | None = None) -> None:
        """A new conversation, with this agent or the one that is chosen."""
        if self.centre.is_furnished:
            self._stop_opening()
            self.centre.begin(agent)
            self.centre.page.setFocus()

    def open(self, conversation: str) -> None:
        """Open a conversation; one that is still being opened is not wanted any more."""
        self._stop_opening()
        self._opening = self._tasks.start(self.centre.open(conversation))

    def report(self) -> None:
        """Let the person report a defect, by talking to the agent that is there for it."""
        if self.centre.is_furnished:
            self.centre.page.ask(_("Report a defect"))

    async def show_datasets(self) -> None:
        """Read again what the conversation may ask about."""
        conversation = self.centre.conversation
        await self.panel.show_conversation(conversation.id if conversation else None)
        self.datasets_shown.emit(len(self.panel.profiles))

    async def arrived(
        self, conversation: Conversation, profiles: tuple[DatasetProfile, ...]
    ) -> None:
        """Show a file that has come into a conversation."""
        centre = self.centre
        if centre.conversation is None or centre.conversation.id != conversation.id:
            return
        await self.show_datasets()
        for profile in profiles[:MOST_PROFILES]:
            centre.page.show_profile(profile)
        await self.panel.greet(conversation.id, profiles)

    def stand(self, place: WindowPlace, *, scale: float) -> None:
        """Give the columns the widths that were chosen; those never chosen follow the window's."""
        self.sidebar.setVisible(place.has_sidebar)
        self.panel.setVisible(place.has_panel)
        self._widths = (place.sidebar_px, place.panel_px)
        self.set_scale(scale)

    def set_scale(self, scale: float) -> None:
        """Leave room for text of this size."""
        self._scale = min(scale, _MOST_SCALE)
        self._share_width()

    def widths(self) -> tuple[int, int]:
        """The widths of the columns left and right, as the person chose them; 0 if never."""
        return self._widths

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        usual_left, usual_right = usual_widths(self.width())
        left = self._widths[0] or round(usual_left * self._scale)
        right = self._widths[1] or round(usual_right * self._scale)
        # A hidden column is given nothing, or its share would go to the others.
        left, right = left * self.has_sidebar, right * self.has_panel
        self.splitter.setSizes([left, max(self.width() - left - right, 0), right])

    def _on_splitter_moved(self) -> None:
        left, _centre, right = self.splitter.sizes()
        self._widths = (left or self._widths[0], right or self._widths[1])

    def toggle_sidebar(self) -> None:
        """Hide the agents and conversations, or bring them back."""
        self.sidebar.setVisible(not self.has_sidebar)
        self._share_width()

    def toggle_panel(self) -> None:
        """Hide the data, or bring it back."""
        self.panel.setVisible(not self.has_panel)
        self._share_width()

    def _stop_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()

    def _connect(self) -> None:
        sidebar, centre = self.sidebar, self.centre
        sidebar.agent_chosen.connect(self.begin)
        sidebar.new_wanted.connect(self.begin)
        sidebar.report_wanted.connect(self.report)
        sidebar.conversation_chosen.connect(self.open)
        sidebar.conversation_gone.connect(self._on_conversation_gone)
        sidebar.conversation_renamed.connect(lambda *_named: self._tasks.start(centre.refresh()))
        centre.opened.connect(self._on_opened)
        centre.begun.connect(lambda: self._tasks.start(sidebar.refresh()))
        centre.header.menu_wanted.connect(self._on_menu_wanted)

    def _on_opened(self) -> None:
        centre, sidebar = self.centre, self.sidebar
        conversation = centre.conversation.id if centre.conversation else None
        sidebar.select_agent(centre.agent.id)
        sidebar.select(conversation)
        self._tasks.start(self.show_datasets())

    def _on_conversation_gone(self, conversation: str) -> None:
        opened = self.centre.conversation
        if opened is not None and opened.id == conversation:
            self.begin()

    def _on_menu_wanted(self) -> None:
        centre = self.centre
        if centre.conversation is not None:
            more = centre.header.more
            below = more.mapToGlobal(QPoint(0, more.height()))
            self.sidebar.menu_for(centre.conversation).popup(below)
