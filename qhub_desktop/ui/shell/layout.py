"""Window layout: top bar, three columns, the open conversation in the middle, status bar."""

from __future__ import annotations  # the page is imported after the first paint

import asyncio
import gc
import importlib
import logging
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStatusBar,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import ConversationId, MessageId, agent_of_unstarted
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.documents import KEEPERS
from qhub_desktop.ui.controls.buttons import ElidedButton, IconButton, TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, ElidedLabel, column_of, make_label, row_of
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.plain_text import set_caption
from qhub_desktop.ui.controls.popup import PaletteEntry
from qhub_desktop.ui.data_panel.panel import DataPanel
from qhub_desktop.ui.documents.panel import DocumentPanel
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.monitors import MonitorService
from qhub_desktop.ui.shell.reviews import ReviewService
from qhub_desktop.ui.shell.sidebar import Sidebar
from qhub_desktop.ui.shell.top_bar import TopBar
from qhub_desktop.ui.shell.window_state import WindowState, default_widths
from qhub_desktop.ui.tasks import LatestTask, Tasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.data.workspace import Progress
    from qhub_desktop.store.questions import QuestionRepository
    from qhub_desktop.tools.study_service import StudyService
    from qhub_desktop.ui.charts.card import WidgetCard
    from qhub_desktop.ui.chat.conversation_page import ConversationPage
    from qhub_desktop.ui.chat.empty_state import ProfileCard
    from qhub_desktop.ui.chat.page_actions import PageActions, Retry
    from qhub_desktop.ui.settings.network_fields import ProxyDialog

LOG = logging.getLogger(__name__)
_PAGE = "qhub_desktop.ui.chat.conversation_page"
MAX_FOUND_CONVERSATIONS = 20  # most listed in the command palette
MAX_PROFILES = 3  # data profiles shown for one file of many sheets
MINUTE_MS = 60_000
# Least widths at 100 %; where there is no room for all columns, those at the sides are folded.
_MIN_PX = {"sidebar": 200, "centre": 400, "panel": 240}
_CENTRE_PX = 280  # wide enough for a conversation in larger text


class WindowLayout(QWidget):
    """Layout that connects the columns: the open conversation and its data sets.

    Signals:
        datasets_shown: the number of data sets of the open conversation.
    """

    datasets_shown = Signal(int)

    def __init__(self, services: AppServices, tasks: Tasks, *, station: str) -> None:
        super().__init__()
        self._services = services
        self._tasks = tasks
        self._opening = LatestTask(tasks)
        self.widths = (0, 0)  # left and right, in px, as set by the user; 0 if never set
        self._scale = 1.0
        self._is_operator_mode = False
        self._wanted = {"sidebar": True, "panel": True}  # by the person
        self._drawn_out = ""  # the column that is shown in spite of there being no room
        now = datetime.now().astimezone()
        self.top_bar = TopBar(station=station, now=now)
        self.banner = Banner()
        self.sidebar = Sidebar(
            agents=services.agents(), conversations=services.store.conversations, tasks=tasks
        )
        self.centre = ConversationHost(services, tasks)
        self.panel = DataPanel(
            datasets=services.store.datasets,
            defects=services.store.defects,
            workspace=services.workspace,
            conversation_datasets=services.conversation_datasets,
            defect_importer=services.defect_importer,
            tasks=tasks,
        )
        self.documents = DocumentPanel(
            services.documents,
            can_keep=services.person is None or services.person.role in KEEPERS,
            tasks=tasks,
        )
        self.side = SideColumn(self.panel, self.documents)
        self.splitter = QSplitter()
        # The handle is drawn one pixel wide; Qt lets five pixels be dragged.
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        for part in (self.sidebar, self.centre, self.side):
            self.splitter.addWidget(part)
        self.splitter.splitterMoved.connect(self._on_splitter_moved)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(2, 0)
        rule = QFrame()
        rule.setProperty("kind", "line")
        rule.setFixedHeight(1)
        column = column_of(
            self.top_bar, rule, self.banner, (self.splitter, 1), owner=self, spacing=0
        )
        self._column = column
        self.monitors = MonitorService(services, self.banner, tasks, self)
        self.reviews = ReviewService(services, self.banner, tasks, self)
        self._connect()
        stop = services.agent_catalogue().listen(self._on_agents_changed)
        self.destroyed.connect(lambda _gone: stop())
        clock = QTimer(self, interval=MINUTE_MS)  # an agent may be edited in another program
        clock.timeout.connect(lambda: tasks.start(services.agent_catalogue().reload()))
        clock.start()

    def add_notice(self, notice: QWidget) -> None:
        """Show what stays to be read above everything else."""
        self._column.insertWidget(2, notice)

    @property
    def has_sidebar(self) -> bool:
        """Whether the sidebar is wanted; it is folded where there is no room."""
        return self._wanted["sidebar"]

    @property
    def has_panel(self) -> bool:
        """Whether the column of data and documents is wanted; it is folded as the sidebar is."""
        return self._wanted["panel"]

    async def search_conversations(self, typed: str) -> list[PaletteEntry]:
        """Return the conversations that match the search text, as palette choices."""
        found = await self._services.store.conversations.listed(
            search=typed, limit=MAX_FOUND_CONVERSATIONS
        )
        return [
            PaletteEntry(
                conversation.title or _("New conversation"),
                "chat",
                partial(self.open, conversation.id),
                group=_("Conversation"),
            )
            for conversation in found
        ]

    def new_conversation(self, agent: str | None = None) -> None:
        """Start a new conversation with this agent or the selected one."""
        if self.centre.is_loaded:
            self._opening.cancel()
            self.centre.new_conversation(agent)
            self.centre.page.setFocus()

    def open(self, conversation: ConversationId, *, message: MessageId | None = None) -> None:
        """Open a conversation, at a message if given, and cancel any other that is loading."""
        self._opening.start(self.centre.open(conversation, message=message))

    async def show_titles(self) -> None:
        """Show the title that a first question gave, and which conversations wait for answers."""
        await self.centre.refresh()
        await self.sidebar.refresh()

    async def show_datasets(self) -> None:
        """Reload the data sets of the conversation."""
        conversation = self.centre.conversation
        await self.panel.show_conversation(conversation.id if conversation else None)
        self.datasets_shown.emit(len(self.panel.profiles))

    async def show_imported(
        self, conversation: Conversation, profiles: tuple[DatasetProfile, ...]
    ) -> None:
        """Show a newly imported file in its conversation, which may be called after it."""
        await self.show_titles()
        centre = self.centre
        if centre.conversation is None or centre.conversation.id != conversation.id:
            return
        await self.show_datasets()
        for profile in profiles[:MAX_PROFILES]:
            centre.page.show_profile(profile)
        await self.panel.offer_actions(conversation.id, profiles)

    def read_again(self, card: ProfileCard, choices: ImportChoices) -> None:
        """Read the file of a card in the conversation again, under other choices."""
        conversation = self.centre.conversation
        if conversation is None:
            return

        def on_progress(progress: Progress) -> None:
            if isValid(card):
                card.show_reading(progress.text)

        async def read() -> None:
            made = await self.panel.changes.read_again(
                conversation.id, card.profile, choices, on_progress
            )
            if isValid(card):
                card.show_profile(made)
                card.show()

        card.show_reading(_("Reading…"))
        self._tasks.start(
            read(), on_error=lambda error: card.show_error(str(error)) if isValid(card) else None
        )

    def _on_datasets_changed(self) -> None:
        """Show what has become of the data sets that the open conversation tells of."""
        from qhub_desktop.ui.chat.empty_state import ProfileCard  # not before the first paint

        view = self.centre.page.view if self.centre.is_loaded else None
        for card in view.findChildren(ProfileCard) if view is not None else ():
            card.follow(self.panel.held)

    def restore(self, window_state: WindowState, *, scale: float) -> None:
        """Restore stored column widths; widths never set follow from the window's width."""
        self._wanted = {"sidebar": window_state.has_sidebar, "panel": window_state.has_panel}
        self.side.show_panel(shows_documents=window_state.shows_documents)
        self.widths = (window_state.sidebar_px, window_state.panel_px)
        self.set_scale(scale)

    def set_scale(self, scale: float) -> None:
        """Scale the column widths with the text size."""
        self._scale = scale
        self._apply_widths()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._drawn_out = ""
        self._apply_widths()

    def _apply_widths(self) -> None:
        """Give the columns their widths; fold those at the sides that there is no room for."""
        default_left, default_right = default_widths(self.width())
        least = {
            name: max(round(_MIN_PX[name] * self._scale), column.minimumSizeHint().width())
            for name, column in (("sidebar", self.sidebar), ("panel", self.side))
        }
        left = max(self.widths[0] or round(default_left * self._scale), least["sidebar"])
        right = max(self.widths[1] or round(default_right * self._scale), least["panel"])
        room = self.width() - max(_MIN_PX["centre"], round(_CENTRE_PX * self._scale))
        if room < left + right:
            left, right = least["sidebar"], least["panel"]
        is_left = self._wanted["sidebar"] and room >= left
        is_right = self._wanted["panel"] and room >= right + left * is_left
        match self._drawn_out:
            case "sidebar":
                is_left, is_right = True, False
            case "panel":
                is_left, is_right = False, True
        # A column without any room beside it takes all of the window until it is folded again.
        is_alone = bool(self._drawn_out) and room < (left if is_left else right)
        self.sidebar.setVisible(is_left)
        self.side.setVisible(is_right)
        self.centre.setVisible(not is_alone)
        # A hidden column gets width 0, or its share would go to the others.
        left, right = left * is_left, right * is_right
        self.splitter.setSizes([left, max(self.width() - left - right, 0), right])
        self._show_report()

    def _toggle(self, name: str, column: QWidget) -> None:
        """Show or hide a column; one that is folded is drawn out over the others."""
        if self._drawn_out == name:
            self._drawn_out = ""
        elif self._wanted[name] and column.isHidden():
            self._drawn_out = name
        else:
            self._wanted[name] = not self._wanted[name]
            self._drawn_out = ""
            self._apply_widths()
            if self._wanted[name] and column.isHidden():
                self._drawn_out = name
        self._apply_widths()

    def _on_splitter_moved(self) -> None:
        left, _centre, right = self.splitter.sizes()
        self.widths = (left or self.widths[0], right or self.widths[1])

    def set_operator_mode(self, *, is_operator_mode: bool, target_px: int) -> None:
        """Set the height of targets; in operators' mode a defect can be reported at any time."""
        self.sidebar.set_operator_mode(is_operator_mode=is_operator_mode, target_px=target_px)
        self._is_operator_mode = is_operator_mode
        self._show_report()

    def _show_report(self) -> None:
        is_out_of_sight = self._is_operator_mode and not self.has_sidebar
        self.centre.header.show_report(is_shown=is_out_of_sight)

    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self._toggle("sidebar", self.sidebar)

    def search_all(self) -> None:
        """Focus the search over all conversations."""
        if self.sidebar.isHidden():
            self.toggle_sidebar()
        self.sidebar.focus_search()

    def toggle_panel(self) -> None:
        """Show or hide the column of data and documents."""
        self._toggle("panel", self.side)

    def show_documents(self) -> None:
        """Show the documents, and search them."""
        if self.side.isHidden():
            self.toggle_panel()
        self.side.show_panel(shows_documents=True)
        self.documents.search_box.setFocus()

    def _connect(self) -> None:
        sidebar, centre = self.sidebar, self.centre
        sidebar.agent_chosen.connect(self.new_conversation)
        sidebar.new_requested.connect(self.new_conversation)
        centre.header.report_button.clicked.connect(sidebar.report_requested)
        sidebar.monitors_requested.connect(self.monitors.open)
        centre.loaded.connect(self.monitors.begin)
        centre.loaded.connect(self.documents.begin)
        self.monitors.counted.connect(sidebar.show_violations)
        sidebar.reviews_requested.connect(self.reviews.open)
        centre.loaded.connect(self.reviews.look)
        self.reviews.counted.connect(sidebar.show_reviews)
        sidebar.conversation_chosen.connect(self.open)
        sidebar.conversation_deleted.connect(self._on_conversation_gone)
        sidebar.conversation_renamed.connect(lambda *_named: self._tasks.start(centre.refresh()))
        sidebar.stop_answer = centre.stop_answer
        centre.opened.connect(self._on_opened)
        self.panel.changed.connect(self._on_datasets_changed)
        for column in (sidebar, self.panel):
            column.undo_offered.connect(self.banner.toast.offer_undo)
        centre.created.connect(lambda: self._tasks.start(sidebar.refresh()))
        centre.header.menu_requested.connect(self._on_menu_requested)

    def _on_opened(self) -> None:
        centre, sidebar = self.centre, self.sidebar
        if self._drawn_out:
            self._drawn_out = ""
            self._apply_widths()
        conversation = centre.conversation.id if centre.conversation else None
        sidebar.select_agent(centre.agent.id)
        sidebar.select(conversation)
        self._tasks.start(self.show_datasets())

    def _on_agents_changed(self) -> None:
        if isValid(self):
            self.sidebar.show_agents(self._services.agents())
            self.centre.renew_agent()

    def _on_conversation_gone(self, conversation: ConversationId) -> None:
        opened = self.centre.conversation
        if opened is not None and opened.id == conversation:
            self.new_conversation()

    def _on_menu_requested(self) -> None:
        centre = self.centre
        if centre.conversation is not None:
            more = centre.header.more_button
            below = more.mapToGlobal(QPoint(0, more.height()))
            self.sidebar.menu_for(centre.conversation).popup(below)


class SideColumn(QFrame):
    """Right column of the window: the data of the conversation, or the plant's documents."""

    def __init__(self, data: DataPanel, documents: DocumentPanel) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.data_button = ElidedButton(_("Data"), kind="tab")
        self.documents_button = ElidedButton(_("Documents"), kind="tab")
        # Tab skips the buttons of an exclusive group that are not checked.
        for index, button in enumerate((self.data_button, self.documents_button)):
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._show, index))
        self._panels = QStackedWidget()
        self._panels.addWidget(data)
        self._panels.addWidget(documents)
        add_file = IconButton(
            "plus", _("Add file"), shortcut="Ctrl+O", on_click=data.files_requested
        )
        add_document = IconButton("plus", _("Add documents"), on_click=documents.choose)
        self._adds = (add_file, add_document)
        self._can_keep = documents.can_keep
        head = row_of(
            self.data_button,
            self.documents_button,
            STRETCH,
            *self._adds,
            margins=(12, 6, 8, 2),
            spacing=4,
        )
        column_of(head, (self._panels, 1), owner=self, spacing=0)
        self._show(0)

    @property
    def shows_documents(self) -> bool:
        """Whether the documents are shown, else the data."""
        return self.documents_button.isChecked()

    def show_panel(self, *, shows_documents: bool) -> None:
        """Show the documents, or the data."""
        self._show(int(shows_documents))

    def _show(self, index: int, *_clicked: object) -> None:
        self._panels.setCurrentIndex(index)
        for place, button in enumerate((self.data_button, self.documents_button)):
            button.setChecked(place == index)
        self._adds[0].setVisible(index == 0)
        self._adds[1].setVisible(index == 1 and self._can_keep)


QUEUE_POSITION = 2  # in the layout, after the running answers and the data sets


class StatusLine(QStatusBar):
    """Status bar; `queue_button` opens the outbox and is visible while questions wait.

    Where there is no room for all of it, what is said last is left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._activity = make_label(_("Starting…"))
        self._dataset_count = make_label()
        self._cost = make_label()
        self._saved = make_label()
        self.queue_button = QPushButton()
        self.queue_button.setProperty("kind", "link")
        self.queue_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContentsMargins(10, 0, 10, 0)
        for label in (self._activity, self._dataset_count, self._cost):
            self.addWidget(label)
        self.queue_button.setParent(self)
        self.queue_button.hide()
        self.addPermanentWidget(self._saved)

    def text(self) -> str:
        """Return the full text of the status bar."""
        labels = (self._activity, self._dataset_count, self._cost, self._saved)
        said = [label.text() for label in labels if label.text()]
        return " | ".join([*said, self.queue_button.text()] if self.queue_button.text() else said)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._fit)

    def _fit(self) -> None:
        room = self.width() - 4 * GRID_PX
        for label in (self._activity, self._cost, self._dataset_count, self._saved):
            room -= label.sizeHint().width() + GRID_PX if label.text() else 0
            label.setVisible(room >= 0)

    def show_answers(self, count: int) -> None:
        """Show the number of conversations with an answer in progress."""
        self._activity.setText(_("Answering…") if count else _("Ready"))
        self._fit()

    def show_queued(self, count: int) -> None:
        """Show the number of questions queued for Claude."""
        words = ngettext("{count} question waits", "{count} questions wait", count)
        set_caption(self.queue_button, words.format(count=count) if count else "")
        self.queue_button.setAccessibleName(self.queue_button.text())
        # While the button is hidden, the bar is only as high as its text.
        self.removeWidget(self.queue_button)
        if count:
            self.insertWidget(QUEUE_POSITION, self.queue_button)
            self.queue_button.show()

    def show_datasets(self, count: int) -> None:
        """Show the number of data sets of the conversation."""
        words = ngettext("{count} data set", "{count} data sets", count)
        self._dataset_count.setText(f"·  {words.format(count=count)}" if count else "")
        self._fit()

    def show_cost(self, spent_usd: float) -> None:
        """Show today's cost, hidden while it is zero."""
        words = _("today {amount} US$").format(amount=number(spent_usd, digits=2))
        self._cost.setText(f"·  {words}" if spent_usd else "")
        self._fit()

    def show_saved(self, now: datetime) -> None:
        """Show the time of the last save."""
        self._saved.setText(_("saved {time}").format(time=now.strftime("%H:%M:%S")))
        self._fit()


class PageHeader(QWidget):
    """Page header with agent and title; without a title before the conversation starts.

    Signals:
        menu_requested: the conversation's menu is requested; it opens below the button.
    """

    menu_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._agent = make_label(role="quiet")
        self._title = ElidedLabel(role="heading")
        self.more_button = IconButton("more", _("What can be done with this conversation"))
        self.more_button.clicked.connect(self.menu_requested)
        kept = self.more_button.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the header is as high without it
        self.more_button.setSizePolicy(kept)
        self.report_button = TextButton(_("Report a defect"), icon_name="pencil", kind="primary")
        self.report_button.hide()
        row = row_of(
            self._agent, (self._title, 1), self.report_button, self.more_button, owner=self
        )
        row.setContentsMargins(24, 6, 12, 6)
        self.setFixedHeight(self.sizeHint().height())

    @property
    def title(self) -> str:
        """Title shown; empty for a conversation not yet started."""
        return self._title.text()

    def show_report(self, *, is_shown: bool) -> None:
        """Show the button that reports a defect, or hide it."""
        self.report_button.setVisible(is_shown)
        self.ensurePolished()
        self.setFixedHeight(self.sizeHint().height())

    def show_conversation(self, agent: str, title: str | None) -> None:
        """Show agent and title; `None` is a conversation not yet started."""
        self._agent.setText("" if title is None else f"{agent} ·")
        self._title.setText(title or "")
        self.more_button.setVisible(title is not None)


class ConversationHost(QWidget):
    """Host of the open conversation's page; blank until `load`.

    Signals:
        opened: another conversation was opened, or none is open.
        created: a conversation was created by a first question or dropped file.
        loaded: the page is there.
    """

    opened = Signal()
    created = Signal()
    loaded = Signal()

    def __init__(self, services: AppServices, tasks: Tasks) -> None:
        super().__init__()
        self._services = services
        self._tasks = tasks
        self._page: ConversationPage | None = None
        self._is_login_declined = False
        self.proxy_dialog: ProxyDialog | None = None
        self._creating = asyncio.Lock()
        self.agent: Agent = self._first_agent()
        self.conversation: Conversation | None = None
        self.header = PageHeader()
        self._placeholder = QWidget()
        self._column = column_of(self.header, (self._placeholder, 1), owner=self, spacing=0)
        self.header.show_conversation("", None)

    @property
    def page(self) -> ConversationPage:
        """Chat page; only after `load`."""
        assert self._page is not None, "the page comes after the first paint"
        return self._page

    @property
    def is_loaded(self) -> bool:
        """Whether the page has been created."""
        return self._page is not None

    async def load(self, actions: PageActions) -> ConversationPage:
        """Create the page, loading its imports without blocking the window."""
        imports = Worker("imports")
        try:
            await imports.run(importlib.import_module, _PAGE)
            turns = await imports.run(self._services.turns)
        finally:
            imports.close()
        from qhub_desktop.ui.chat.conversation_page import ConversationPage

        page = ConversationPage(
            turns=turns,
            messages=self._services.store.messages,
            drafts=self._services.store.settings,
            actions=actions,
            tasks=self._tasks,
        )
        page.study_service = self._study_service
        page.questions = self._questions
        page.habits = self._habits
        page.starters = self._services.store.patterns
        page.conversation_needed.connect(
            lambda question, wanted: self._tasks.start(self._create_and_ask(question, wanted))
        )
        self._page = page
        self._column.replaceWidget(self._placeholder, page)
        self._placeholder.deleteLater()
        self.loaded.emit()
        return page

    async def load_readings(self) -> None:
        """Have questions read as they are typed, once what reads them is loaded."""
        imports = Worker("imports")
        try:
            source = await imports.run(self._services.readings)
        finally:
            imports.close()
        # It stays until exit: the collector would look at it for 130 ms, between two keys.
        gc.freeze()
        live = self._services.live_settings
        self.page.readings = lambda: source
        self.page.reading.source = lambda: source if live.settings.reading_strip else None
        self.page.reading.refresh()

    def ask_proxy_login(self, retry: Retry) -> ProxyDialog:
        """Ask who signs in to the proxy that stopped an answer; then ask the question again."""
        from qhub_desktop.ui.settings.network_fields import ProxyDialog

        if self.proxy_dialog is None:
            dialog = ProxyDialog(self._services.network(), tasks=self._tasks, owner=self)
            self._is_login_declined = True
            dialog.kept.connect(lambda: self._on_login_kept(retry))
            dialog.destroyed.connect(self._forget_proxy_dialog)
            dialog.open()
            self.proxy_dialog = dialog
        return self.proxy_dialog

    def _on_login_kept(self, retry: Retry) -> None:
        self._is_login_declined = False
        retry()

    def show_proxy_refusal(self, retry: Retry) -> None:
        """Ask at once, but not again whoever did not answer, nor who may not keep it."""
        person = self._services.person
        if not self._is_login_declined and (person is None or person.is_admin):
            self.ask_proxy_login(retry)

    def _forget_proxy_dialog(self) -> None:
        self.proxy_dialog = None

    async def open(self, conversation: ConversationId, *, message: MessageId | None = None) -> None:
        """Open a conversation, at a message if it is given. Raises UserError if it is gone."""
        found = await self._services.store.conversations.find(conversation)
        # With one that was removed it can be read; the turn says why it cannot be continued.
        agent = self._services.agents().get(found.agent)
        await self._show(found, agent or self._without_agent(found.agent))
        view = self.page.view
        if message is not None and view is not None:
            entry = await view.history.load_message(message)
            if entry is not None and view is self.page.view:
                view.transcript.scroll_to_entry(entry)
                view.transcript.mark(entry)

    def new_conversation(self, agent: str | None = None) -> None:
        """Show an empty conversation with this agent or the selected one."""
        self.agent = self._services.agents().get(agent or self.agent.id) or self._first_agent()
        self.conversation = None
        self.page.show_empty(self.agent)
        self.header.show_conversation(self.agent.name, None)
        self.opened.emit()

    def renew_agent(self) -> None:
        """Show the agent as it is by now; a conversation that is open stays open."""
        agent = self._services.agents().get(self.agent.id)
        if agent == self.agent:
            return
        if self.conversation is None and self.is_loaded and not self.page.composer.text:
            self.new_conversation()
        elif agent is not None:
            self.agent = agent

    async def ensure_conversation(self) -> Conversation:
        """Return the open conversation, creating one if there is none."""
        async with self._creating:
            if self.conversation is None:
                if self.agent.id not in self._services.agents():
                    self.agent = self._first_agent()
                if not self.agent.id:
                    raise UserError(
                        _("There is no agent that you may use. Ask whoever manages the accounts.")
                    )
                made = await self._services.store.conversations.create(self.agent.id)
                await self._show(made, self.agent)
                self.created.emit()
            assert self.conversation is not None
            return self.conversation

    def take_key(self, event: QKeyEvent) -> bool:
        """Type what was pressed elsewhere into the question; return whether it was typing."""
        return self.is_loaded and self.page.composer.take_key(event)

    def open_find(self) -> None:
        """Open the search within the current conversation."""
        if self._page is not None:
            self._page.open_find()

    def stop(self) -> None:
        """Cancel the answer in progress."""
        if self._page is not None:
            self._page.stop()

    async def stop_answer(self, conversation: ConversationId) -> None:
        """Stop the answer under way in a conversation, open or not."""
        if self._page is not None:
            await self._page.stop_answer(conversation)

    async def refresh(self) -> None:
        """Reload the open conversation's title, which the first question sets."""
        before = self.conversation
        if before is None:
            return
        found = await self._services.store.conversations.find(before.id)
        # Another one may have been opened meanwhile.
        if self.conversation is not None and self.conversation.id == found.id:
            self.conversation = found
            self._show_title()

    def _first_agent(self) -> Agent:
        return next(iter(self._services.agents().values()), None) or self._without_agent("")

    def _without_agent(self, id_: str) -> Agent:
        """Return what stands for an agent that is not there."""
        from qhub_desktop.chat.agents import Agent  # already imported with the agents

        name = self._services.agent_catalogue().name_of(id_) if id_ else _("No agent")
        return Agent(id_, name, summary={}, icon="", prompt="", tools=(), starters={})

    async def _show(self, conversation: Conversation, agent: Agent) -> None:
        self.conversation, self.agent = conversation, agent
        self._show_title()
        await self.page.open(conversation, agent)
        self.opened.emit()

    def _questions(self) -> QuestionRepository | None:
        is_on = self._services.live_settings.settings.questions
        return self._services.store.questions if is_on else None

    async def count_habits(self) -> None:
        """Count the person's habits once enough conversations rest, while no answer comes."""
        settings, store = self._services.live_settings.settings, self._services.store
        if not settings.patterns or self.page.running_conversations:
            return
        if await store.patterns.claim_look(settings.patterns_every):
            try:
                await self._services.pattern_reader().read()
            except QHubError as error:  # no network, no budget: they are counted all the same
                LOG.warning("no subjects were named: %s", error)
            await store.patterns.refresh(store.memories)

    async def _habits(self) -> list[str]:
        """Return what the person often asks; nothing with the ability off."""
        if not self._services.live_settings.settings.patterns:
            return []
        found = await self._services.store.patterns.listed()
        return [each.starter for each in found if each.starter]

    def _study_service(self) -> StudyService:
        from qhub_desktop.core.tool import tools_of
        from qhub_desktop.tools.page_printer import PagePrinter
        from qhub_desktop.tools.studies.report import StudyReports
        from qhub_desktop.tools.study_service import StudyService

        services, methods = self._services, self._services.study_tools()
        printer = PagePrinter(lambda: services.live_settings.settings)
        return StudyService(
            tools_of(methods),
            services.conversation_datasets(),
            services.store.messages,
            services.store.point_notes,
            user=services.dashboards(self._tasks).viewer.name,
            points=methods,
            reports=StudyReports(services.workspace().exports, printer),
            kept=services.store.settings,
        )

    def save_workbook(self, card: WidgetCard, file: Path) -> None:
        """Start to save a card's table as an Excel file; the card tells what comes of it."""
        self._tasks.start(
            self._save_workbook(card, file),
            on_error=lambda error: card.show_error(error) if isValid(card) else None,
        )

    async def keep_study(
        self, conversation: ConversationId, method: str, given: JsonObject
    ) -> None:
        """Put a study at the end of a conversation, or of the one that begins with it."""
        if agent_of_unstarted(conversation):
            conversation = (await self.ensure_conversation()).id
        made = await self._study_service().put(conversation, method, given)
        if self.page.view is not None and self.page.view.conversation == conversation:
            await self.page.view.append_stored(*made)

    async def _save_workbook(self, card: WidgetCard, file: Path) -> None:
        from qhub_desktop.data.export.output import sheet_of  # already imported with the card

        sheet = sheet_of(card.widget)
        await self._services.workspace().exports.export_sheets((sheet,), file, title=sheet.name)
        if isValid(card):  # it may have been unloaded after scrolling
            card.show_saved(file)

    async def _create_and_ask(self, question: str, wanted: JsonObject | None) -> None:
        await self.ensure_conversation()
        self.page.ask(question, wanted=wanted)

    def _show_title(self) -> None:
        assert self.conversation is not None
        title = self.conversation.title or _("New conversation")
        self.header.show_conversation(self.agent.name, title)
