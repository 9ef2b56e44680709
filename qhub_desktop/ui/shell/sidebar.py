"""Sidebar: list of agents, and searchable list of conversations."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QMenu,
    QSizePolicy,
)
from typing_extensions import override

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, language, ngettext, number
from qhub_desktop.store.conversations import Conversation, ConversationRepository
from qhub_desktop.ui.controls.buttons import IconButton, TextButton, agent_icon, icon
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import add_action, elided, set_tooltip
from qhub_desktop.ui.controls.popup import SearchBox, make_menu
from qhub_desktop.ui.shell.conversation_list import ConversationList, ConversationModel, rows_for
from qhub_desktop.ui.tasks import LatestTask, Tasks
from qhub_desktop.ui.theme import RADIUS_PX, bold_font, small_font, theme

_AGENT_ICON_PX = 24
_AGENT_PAD_PX = 10


class AgentRow(QAbstractButton):
    """Row of one agent, checked while that agent is selected."""

    def __init__(self, name: str, summary: str, icon_svg: str) -> None:
        super().__init__()
        self._name = name
        self._summary = summary
        self._icon_svg = icon_svg
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.setAccessibleDescription(summary)
        set_tooltip(self, summary)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @override
    def sizeHint(self) -> QSize:
        lines = (
            QFontMetrics(bold_font(self.font())).height()
            + QFontMetrics(small_font(self.font())).height()
        )
        return QSize(160, lines + 18)

    @override
    def nextCheckState(self) -> None:
        """Keep the checked state: the owner sets it, not the click."""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self.rect().adjusted(0, 1, 0, -1)
        if self.isChecked() or self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            colour = palette.chosen if self.isChecked() else palette.hover
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(ground, RADIUS_PX, RADIUS_PX)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
        tone = palette.accent if self.isChecked() else palette.quiet
        picture = agent_icon(self._icon_svg, tone, size_px=_AGENT_ICON_PX)
        top = (self.height() - _AGENT_ICON_PX) // 2
        place = QRect(_AGENT_PAD_PX, top, _AGENT_ICON_PX, _AGENT_ICON_PX)
        picture.paint(painter, place)
        self._draw_text(painter, left=place.right() + 11)

    def _draw_text(self, painter: QPainter, *, left: int) -> None:
        palette = theme().palette
        width = self.width() - left - _AGENT_PAD_PX
        name, summary = QFontMetrics(bold_font(self.font())), QFontMetrics(small_font(self.font()))
        top = (self.height() - name.height() - summary.height()) // 2
        painter.setFont(bold_font(self.font()))
        painter.setPen(QColor(palette.text))
        words = elided(self._name, name, width)
        painter.drawText(QRect(left, top, width, name.height()), 0, words)
        painter.setFont(small_font(self.font()))
        painter.setPen(QColor(palette.quiet))
        words = elided(self._summary, summary, width)
        painter.drawText(QRect(left, top + name.height(), width, summary.height()), 0, words)


# Entries of a conversation's menu, by the suffix of the file.
EXPORTS = {
    ".pdf": gettext_noop("Export as PDF…"),
    ".md": gettext_noop("Export as Markdown…"),
    ".json": gettext_noop("Export as JSON…"),
}
PAGE_SIZE = 200  # conversations loaded at a time
DEBOUNCE_S = 0.15  # debounce before a search starts


async def _stop_nothing(_conversation: ConversationId) -> None:
    """Stop nothing: no answer can be under way yet."""


class Sidebar(QFrame):
    """Sidebar to select an agent or open a conversation.

    Signals:
        agent_chosen: the agent's id.
        new_requested: a new conversation with the selected agent is requested.
        report_requested: a defect is to be reported.
        dashboards_requested: the list of dashboards is to be shown.
        reviews_requested: the answers that people found poor are to be shown.
        monitors_requested: the violations that monitors have found are to be shown.
        conversation_chosen: the conversation's id.
        conversation_deleted: the id of one that was deleted.
        conversation_renamed: the id and the new title.
        export_requested: the conversation, and the suffix of the file to write it to.
        undo_offered: what was done, and the function that undoes it.
    """

    agent_chosen = Signal(str)
    new_requested = Signal()
    report_requested = Signal()
    dashboards_requested = Signal()
    monitors_requested = Signal()
    reviews_requested = Signal()
    conversation_chosen = Signal(str)
    conversation_deleted = Signal(str)
    conversation_renamed = Signal(str, str)
    export_requested = Signal(object, str)
    undo_offered = Signal(str, object)

    def __init__(
        self,
        *,
        agents: Mapping[str, Agent],
        conversations: ConversationRepository,
        tasks: Tasks,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._conversations = conversations
        self._tasks = tasks
        self._limit = PAGE_SIZE
        self._shown = 0
        self._searching = LatestTask(tasks)
        self._selected: ConversationId | None = None
        # Stops the answer under way in a conversation that is to be deleted.
        self.stop_answer: Callable[[ConversationId], Awaitable[object]] = _stop_nothing

        # Agents and what can be begun.
        heading = make_label(_("Agents"), role="small")
        self._agents: dict[str, AgentRow] = {}
        self._agent_rows = column_of(spacing=2)
        self._new_button = TextButton(_("New conversation"), icon_name="plus")
        set_tooltip(self._new_button, _("New conversation ({key})").format(key="Ctrl+N"))
        self._new_button.clicked.connect(self.new_requested)
        self.dashboards_button = TextButton(_("Dashboards"), icon_name="chart")
        set_tooltip(self.dashboards_button, _("Dashboards ({key})").format(key="Ctrl+D"))
        self.dashboards_button.clicked.connect(self.dashboards_requested)
        self.monitors_button = TextButton("", icon_name="warning", on_click=self.monitors_requested)
        self.monitors_button.hide()
        self.reviews_button = TextButton(
            "", icon_name="thumb-down", on_click=self.reviews_requested
        )
        self.reviews_button.hide()
        self.report_button = TextButton(_("Report a defect"), icon_name="pencil", kind="primary")
        self.report_button.clicked.connect(self.report_requested)
        self.report_button.hide()
        # Conversations: their search and their list.
        self.search = SearchBox(_("Search every conversation"), shortcut="Ctrl+Shift+F")
        self.search.textChanged.connect(self._on_search_changed)
        self.archived_button = IconButton("archive", _("Show archived conversations"))
        self.archived_button.setCheckable(True)
        self.archived_button.toggled.connect(self._on_archived_toggled)
        self.model = ConversationModel(self)
        self.model.renamed.connect(self._on_renamed)
        self.list = ConversationList(self.model)
        self.list.opened.connect(self.conversation_chosen)
        self.list.menu_requested.connect(self._on_menu_requested)
        self.list.end_reached.connect(self._on_end_reached)
        self.search.down_pressed.connect(self.list.setFocus)
        self.empty_label = make_label(role="quiet", is_wrapped=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty_label.setContentsMargins(10, 12, 10, 0)
        self.empty_label.hide()

        # Layout, from top to bottom.
        indented = row_of(heading, margins=(10, 0, 0, 4), spacing=None)
        column = column_of(indented, self._agent_rows, owner=self, margins=(8, 12, 8, 8), spacing=2)
        self.show_agents(agents)
        column.addSpacing(10)
        column.addWidget(self.report_button)
        column.addSpacing(4)
        column.addWidget(self._new_button)
        column.addSpacing(4)
        column.addWidget(self.dashboards_button)
        column.addWidget(self.monitors_button)
        column.addWidget(self.reviews_button)
        column.addSpacing(6)
        finding = row_of((self.search, 1), self.archived_button, spacing=4)
        add_to(column, finding, 2, (self.list, 1), (self.empty_label, 1))

    def show_agents(self, agents: Mapping[str, Agent]) -> None:
        """Show these agents; the selected one stays selected."""
        selected = {id_ for id_, row in self._agents.items() if row.isChecked()}
        for row in self._agents.values():
            self._agent_rows.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._agents = {}
        for agent in agents.values():
            row = AgentRow(agent.name, agent.summary.get(language(), ""), agent.icon)
            row.setChecked(agent.id in selected)
            row.clicked.connect(lambda _checked=False, id_=agent.id: self.agent_chosen.emit(id_))
            self._agents[agent.id] = row
            self._agent_rows.addWidget(row)

    async def refresh(self) -> None:
        """Reload the list of conversations."""
        words = self.search.text()
        found = await self._conversations.listed(
            search=words, include_archived=self.archived_button.isChecked(), limit=self._limit
        )
        self._shown = len(found)
        scrolled = self.list.verticalScrollBar().value()
        now = datetime.now().astimezone()
        self.model.show_rows(rows_for(found, is_search=bool(words.strip()), now=now))
        self.list.verticalScrollBar().setValue(scrolled)
        self.list.select(self._selected)
        self.list.setVisible(bool(found))
        self.empty_label.setVisible(not found)
        self.empty_label.setText(
            _("Nothing was said with these words.")
            if words.strip()
            else _("What you ask is kept here, by day.")
        )

    def select_agent(self, agent: str) -> None:
        """Select the agent that answers."""
        for id_, row in self._agents.items():
            row.setChecked(id_ == agent)

    def select(self, conversation: ConversationId | None) -> None:
        """Select the open conversation, or none."""
        self._selected = conversation
        self.list.select(conversation)

    def focus_search(self) -> None:
        """Move keyboard focus to the search box."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def show_violations(self, count: int) -> None:
        """Show how many violations wait for cause and action; nothing where none does."""
        words = ngettext("{count} open violation", "{count} open violations", count)
        self.monitors_button.set_caption(words.format(count=number(count, digits=0)))
        self.monitors_button.setVisible(count > 0)

    def show_reviews(self, count: int) -> None:
        """Show how many poor answers wait for a review; nothing where none does."""
        words = ngettext("{count} answer to review", "{count} answers to review", count)
        self.reviews_button.set_caption(words.format(count=number(count, digits=0)))
        self.reviews_button.setVisible(count > 0)

    def set_operator_mode(self, *, is_operator_mode: bool, target_px: int) -> None:
        """Set the minimum row height; operator mode always shows the report button."""
        self.list.set_row_height(target_px)
        self.report_button.setVisible(is_operator_mode)

    def menu_for(self, conversation: Conversation) -> QMenu:
        """Return the context menu of a conversation."""
        menu = make_menu(self)
        id_ = conversation.id
        rename = self._action(menu, "pencil", _("Rename"))
        rename.setShortcut(QKeySequence("F2"))
        rename.triggered.connect(lambda: self.list.rename(id_))
        pin = self._action(menu, "pin", _("Unpin") if conversation.is_pinned else _("Pin"))
        pin.triggered.connect(
            lambda: self._change(
                self._conversations.set_pinned(id_, is_pinned=not conversation.is_pinned)
            )
        )
        words = _("Take out of the archive") if conversation.is_archived else _("Archive")
        archive = self._action(menu, "archive", words)
        archive.triggered.connect(lambda: self._tasks.start(self._archive(conversation)))
        for suffix, label in EXPORTS.items():
            export = self._action(menu, "save", _(label))
            export.triggered.connect(
                lambda _checked=False, suffix=suffix: self.export_requested.emit(
                    conversation, suffix
                )
            )
        menu.addSeparator()
        delete = self._action(menu, "trash", _("Delete"))
        delete.triggered.connect(lambda: self._tasks.start(self._delete(conversation)))
        return menu

    def _action(self, menu: QMenu, icon_name: str, words: str) -> QAction:
        return add_action(menu, words, picture=icon(icon_name, theme().palette.quiet, size_px=18))

    def _on_menu_requested(self, conversation: Conversation, place: QPoint) -> None:
        self.menu_for(conversation).popup(place)

    def _on_renamed(self, conversation: ConversationId, title: str) -> None:
        self._tasks.start(self._rename(conversation, title))

    def _on_search_changed(self) -> None:
        self._limit = PAGE_SIZE
        self._searching.start_after(DEBOUNCE_S, self.refresh)

    def _on_archived_toggled(self) -> None:
        self._tasks.start(self.refresh())

    def _on_end_reached(self) -> None:
        if self._shown == self._limit:
            self._limit += PAGE_SIZE
            self._tasks.start(self.refresh())

    def _change(self, change: Coroutine[Any, Any, None]) -> None:
        self._tasks.start(self._and_refresh(change))

    async def _and_refresh(self, change: Coroutine[Any, Any, None]) -> None:
        await change
        await self.refresh()

    async def _rename(self, conversation: ConversationId, title: str) -> None:
        await self._conversations.rename(conversation, title)
        await self.refresh()
        self.conversation_renamed.emit(conversation, title)

    async def _archive(self, conversation: Conversation) -> None:
        id_, was_archived = conversation.id, conversation.is_archived
        await self._conversations.set_archived(id_, is_archived=not was_archived)
        await self.refresh()
        if not was_archived:
            self.undo_offered.emit(
                _("Archived: {title}").format(title=conversation.title or _("New conversation")),
                lambda: self._change(self._conversations.set_archived(id_, is_archived=False)),
            )

    async def _delete(self, conversation: Conversation) -> None:
        await self.stop_answer(conversation.id)  # or it would go on being written, and paid for
        await self._conversations.set_deleted(conversation.id, is_deleted=True)
        await self.refresh()
        self.undo_offered.emit(
            _("Conversation deleted: {title}").format(
                title=conversation.title or _("New conversation")
            ),
            lambda: self._change(
                self._conversations.set_deleted(conversation.id, is_deleted=False)
            ),
        )
        self.conversation_deleted.emit(conversation.id)
