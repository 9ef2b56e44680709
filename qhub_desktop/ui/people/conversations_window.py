"""Window in which an administrator reads what somebody has said, where the plant lets them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message
from qhub_desktop.core.result_widgets import Widget
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import visible
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.history import replay
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow, SearchBox
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX
from qhub_desktop.ui.web.web_engine import AwakePages

if TYPE_CHECKING:
    from qhub_desktop.store.audited_reading import AuditedReading

SHOWN_MESSAGES = 40  # at a time: each is some widgets
CONVERSATION_LIST_PX = 280
_CONVERSATION_ID = Qt.ItemDataRole.UserRole


class ConversationsWindow(DetailWindow):
    """The conversations of one person, and the one that is chosen; nothing of it can be changed."""

    def __init__(
        self,
        name: str,
        reading: AuditedReading,
        *,
        agents: Mapping[str, str],
        tool_label: Callable[[str], str],
        note_export: Callable[[Path, int], Coroutine[Any, Any, None]],
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Conversations of {name}").format(name=name),
            subtitle=_("To be read only. What you open here is recorded in the log."),
            size=QSize(1080, 720),
        )
        self._name = name
        self._reading = reading
        self._agents = agents
        self._tool_label = tool_label
        self._note_export = note_export
        self._tasks = tasks
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._opening = opening = LatestTask(tasks)
        self.destroyed.connect(lambda _window: opening.cancel())
        self._opened = ""  # the id of the conversation that is shown
        self._awake = AwakePages()
        self._older: Sequence[Message] = ()
        self.search = SearchBox(_("Search these conversations"))
        self.search.returnPressed.connect(lambda: self._work.start(self._list()))
        self.list = QListWidget()
        self.list.setAccessibleName(_("Conversations"))
        self.list.setProperty("kind", "choices")
        self.list.setSpacing(2)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Read when it is opened, not when the keys pass over it: each reading is recorded.
        self.list.itemActivated.connect(self._on_chosen)
        self.list.itemClicked.connect(self._on_chosen)
        self.note = StatusLabel()
        self.about = make_label(role="small", is_wrapped=True)
        self.older_button = TextButton(_("Show older ones"))
        self.older_button.setAutoDefault(False)
        self.older_button.clicked.connect(lambda: self._opening.start(self._show_older()))
        self.older_button.hide()
        self.transcript = Transcript()
        self.transcript.hide()
        self._build()
        self._work.start(self._list())

    def _build(self) -> None:
        left, right = QWidget(), QWidget()
        column_of(self.search, (self.list, 1), owner=left, margins=(0, 0, GRID_PX, 0))
        said = column_of(owner=right, margins=(GRID_PX, 0, 0, 0))
        said.addWidget(self.note)
        said.addWidget(self.about)
        said.addWidget(self.older_button, alignment=Qt.AlignmentFlag.AlignHCenter)
        said.addWidget(self.transcript, 1)
        said.addStretch()
        sides = QSplitter()
        sides.setHandleWidth(1)
        sides.setChildrenCollapsible(False)
        for side in (left, right):
            sides.addWidget(side)
        sides.setStretchFactor(1, 1)
        sides.setSizes([CONVERSATION_LIST_PX, self.width() - CONVERSATION_LIST_PX])
        self.add(sides)
        self.list.setFocus()

    async def _list(self) -> None:
        search = self.search.text().strip()
        found = await self._reading.listed(self._name, search=search)
        if not isValid(self):
            return
        self.list.clear()
        for each in found:
            title = one_line(each.title or _("New conversation"))
            item = QListWidgetItem(visible(f"{title}\n{moment(each.updated)}"))
            item.setData(_CONVERSATION_ID, each.id)
            self.list.addItem(item)
        nothing = _("Nothing was found.") if search else _("There is no conversation yet.")
        self._tell(_("Choose a conversation to read it.") if found else nothing)

    def _on_chosen(self, item: QListWidgetItem) -> None:
        id_: ConversationId = item.data(_CONVERSATION_ID)
        if id_ != self._opened:  # a double click chooses twice
            self._opened = id_
            self._opening.start(self._open(id_))

    async def _open(self, id_: ConversationId) -> None:
        try:
            whole = await self._reading.read(self._name, id_)
        except QHubError as error:
            if isValid(self):
                self._on_error(error)
            return
        if not isValid(self):
            return
        for entry in self.transcript.entries:
            self.transcript.remove(entry)
        conversation = whole.conversation
        agent = self._agents.get(conversation.agent, conversation.agent)
        self.note.hide()
        self.about.setText(f"{agent} · {moment(conversation.created)}")
        self.about.show()
        self.transcript.show()
        self.transcript.follow_end()
        self._older = whole.messages
        await self._show_older()

    async def _show_older(self) -> None:
        """Show as many messages above those that are shown as there is room for at a time."""
        self.older_button.hide()
        page, self._older = self._older[-SHOWN_MESSAGES:], self._older[:-SHOWN_MESSAGES]
        for message in reversed(page):
            entry = await self._entry(message)
            self.transcript.insert(0, entry)
            await asyncio.sleep(0)
        self.transcript.lay_out_now()
        self.older_button.setVisible(bool(self._older))

    async def _entry(self, message: Message) -> QWidget:
        if message.role == "user":
            return QuestionView(message.text)
        answer = AnswerView(make_card=self._make_card, awake=self._awake)
        answer.exported.connect(self._on_exported)
        answer.tool_label = self._tool_label
        for _block in replay(answer, message, is_last=False):
            await asyncio.sleep(0)
        answer.make_read_only()
        return answer

    def _make_card(self, widget: Widget) -> QWidget:
        # Imports pyqtgraph, 0.5 s: not before there is something to draw.
        from qhub_desktop.ui.charts.card import WidgetCard

        card = WidgetCard(widget)
        card.exported.connect(self._on_exported)
        return card

    def _on_exported(self, file: Path, rows: int) -> None:
        self._tasks.start(self._note_export(file, rows))

    def _tell(self, sentence: str, *, role: str = "quiet") -> None:
        self._opened = ""
        self.transcript.hide()
        self.about.hide()
        self.older_button.hide()
        self.note.tell(sentence, role=role)

    def _on_error(self, error: QHubError) -> None:
        self._tell(str(error), role="bad")
