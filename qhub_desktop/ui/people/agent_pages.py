"""Pages beside the form of an agent: the test bench of a draft, and the versions."""

import asyncio
import json
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QLabel, QWidget
from shiboken6 import isValid

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.asking import Reply, Unanswered
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import (
    ApprovalAsked,
    ChatEvent,
    Done,
    ErrorHappened,
    StatusChanged,
    TextAdded,
    ToolUsed,
    UsageCounted,
    WidgetShown,
)
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, Study, TableView
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, moment, number
from qhub_desktop.core.untrusted import visible
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.agent_catalogue import (
    AgentCatalogue,
    AgentRecord,
    DiffKind,
    EarlierAgent,
    compare,
)
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.markdown_style import monospace
from qhub_desktop.ui.chat.streaming import StreamedText
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import text_box, text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    column_of,
    make_label,
    make_list,
    make_row,
    row_of,
    scrolled,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import breakable
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX, SMALL_PT, mix, scaled_pt, theme

MOST_INPUT = 160  # characters of a call's input that are shown
SHIPPED = -1  # stands for what ships, among the numbers of versions
_SIGNS: dict[DiffKind, str] = {"added": "+ ", "removed": "- ", "same": "  ", "gap": "…"}


class RehearsalPanel(QWidget):
    """Puts questions to a draft, and shows the answers as a conversation does, and the calls."""

    def __init__(
        self, catalogue: AgentCatalogue, draft: Callable[[], Agent], *, tasks: Tasks
    ) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._draft = draft
        self._work = WidgetTasks(self, tasks, lambda error: self.say(str(error)))
        self._task: asyncio.Task[None] | None = None
        about = _(
            "Asks with what is written here, saved or not, by the engine of the settings. It is in"
            " no list; what it costs counts. What would write is only checked."
        )
        self.run_button = TextButton(_("Ask the starter questions"), icon_name="retry")
        self.run_button.clicked.connect(self.run_starters)
        self.stop_button = TextButton(_("Stop"), icon_name="stop", on_click=self.stop)
        self.stop_button.setEnabled(False)
        hint = _("Another question, then Enter")
        self.question = text_field(_("Question to try"), placeholder=hint)
        self.question.returnPressed.connect(self._on_entered)
        self._inside = QWidget()
        self._answers = column_of(STRETCH, owner=self._inside, margins=(0, 0, GRID_PX, 0))
        self.output = scrolled(self._inside)
        self.output.setAccessibleName(_("Answers of the test bench"))
        self.output.verticalScrollBar().rangeChanged.connect(self._on_grown)
        self._is_at_end = True
        self.output.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        buttons = row_of(self.run_button, self.stop_button, STRETCH)
        column = column_of(owner=self, margins=(GRID_PX, 0, 0, 0))
        column.addWidget(make_label(_("Test bench"), role="heading"))
        column.addWidget(make_label(about, role="small", is_wrapped=True))
        column.addLayout(buttons)
        column.addWidget(self.question)
        column.addWidget(self.output, 1)

    @property
    def is_running(self) -> bool:
        """Whether an answer is under way."""
        return self._task is not None

    def run_starters(self) -> None:
        """Ask the starter questions of the language that is spoken, one after the other."""
        try:
            draft = self._draft()
        except QHubError as error:
            self._begin()
            self.say(str(error))
            return
        self.run(draft.starters.get(language(), ()) or _any_starters(draft))

    def run(self, questions: Sequence[str]) -> None:
        """Ask these questions, each in a conversation of its own."""
        if self._task is not None:
            return
        self._begin()
        if not questions:
            self.say(_("There is no starter question yet. Write some under Description."))
            return
        self._task = self._work.start(self._play(questions))
        self._task.add_done_callback(lambda _done: self._on_ended())
        self._update_buttons()

    def stop(self) -> None:
        """Stop the answer under way; no further question is asked."""
        if self._task is not None:
            self._task.cancel()

    def clear(self) -> None:
        """Forget what was asked of another agent."""
        self.stop()
        self._begin()

    def append(self, part: QWidget) -> None:
        """Add a part of an answer at the end, and keep the end in sight if it was."""
        if isValid(self):
            self._answers.insertWidget(self._answers.count() - 1, part)

    @property
    def texts(self) -> list[str]:
        """What is shown, line by line and answer by answer."""
        parts = self._inside.findChildren(
            QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
        )
        return [
            part.text() if isinstance(part, QLabel) else part.text
            for part in parts
            if isinstance(part, QLabel | StreamedText)
        ]

    def called(self, name: str) -> str:
        """Return what a person calls a tool."""
        tool = self._catalogue.tools.get(name)
        return name if tool is None else tool.words

    def say(self, text: str, *, role: str = "") -> None:
        """Add a line at the end."""
        words = breakable(visible(text))
        self.append(make_label(words, role=role, is_wrapped=True, is_selectable=True))

    def _on_scrolled(self, value: int) -> None:
        self._is_at_end = value >= self.output.verticalScrollBar().maximum() - 2

    def _on_grown(self, _least: int, most: int) -> None:
        if self._is_at_end:
            self.output.verticalScrollBar().setValue(most)

    async def _play(self, questions: Sequence[str]) -> None:
        draft = self._draft()
        for question in questions:
            audience = _Reader(self)
            self.say(question, role="heading")
            try:
                await self._catalogue.rehearse(draft, question, audience)
            except asyncio.CancelledError:
                self.say(_("Stopped."), role="small")
                raise
            finally:
                audience.finish()

    def _on_entered(self) -> None:
        question = self.question.text().strip()
        if question and self._task is None:
            self.run([question])
            self.question.clear()

    def _begin(self) -> None:
        while self._answers.count() > 1 and (item := self._answers.takeAt(0)) is not None:
            if (part := item.widget()) is not None:
                part.hide()
                part.deleteLater()
        self._is_at_end = True

    def _on_ended(self) -> None:
        self._task = None
        if isValid(self):
            self._update_buttons()

    def _update_buttons(self) -> None:
        self.run_button.setEnabled(self._task is None)
        self.stop_button.setEnabled(self._task is not None)


def _any_starters(draft: Agent) -> Sequence[str]:
    return next((asked for asked in draft.starters.values() if asked), ())


class _Reader:
    """Shows an answer on the bench; lets code run, and nothing be written."""

    def __init__(self, panel: RehearsalPanel) -> None:
        self._panel = panel
        self._text: StreamedText | None = None
        self._cost_usd = 0.0

    def show(self, event: ChatEvent) -> None:
        """Show what a person reads of an event."""
        if not isValid(self._panel):
            return
        match event:
            case TextAdded(text):
                if self._text is None:
                    self._text = StreamedText()
                    self._panel.append(self._text)
                self._text.add(text)
            case ToolUsed(call, result):
                given = json.dumps(call.input, ensure_ascii=False)
                short = given if len(given) <= MOST_INPUT else f"{given[:MOST_INPUT]}…"
                sign = "✗" if result.is_error else "✓"
                self._line(f"{sign} {self._panel.called(call.name)} {short}")
                if result.is_error:
                    self._line(json.dumps(result.content, ensure_ascii=False), role="bad")
            case WidgetShown(DashboardLink(title=title)):
                self._line(f"[{title}]")
            case WidgetShown((Chart() | TableView() | Kpi() | Study()) as widget):
                self.finish()
                self._panel.append(WidgetCard(widget))
            case Clarification(text, choices):
                self._line("\n".join([text, *(f"  - {each.label}" for each in choices)]), role="")
            case StatusChanged(kind, text) if kind != "thinking":
                self._line(text)
            case UsageCounted(cost_usd=cost) if cost is not None:
                self._cost_usd += cost
            case ErrorHappened(text=text):
                self._line(text, role="bad")
            case Done(reason):
                if reason == "limit":
                    self._line(_("A limit of the agent was reached."), role="bad")
                if self._cost_usd:
                    self._line(_("{amount} US$").format(amount=number(self._cost_usd, digits=4)))
            case _:
                pass

    def finish(self) -> None:
        """Show the text so far as it is whole."""
        if self._text is not None and isValid(self._text):
            for _slice in self._text.finish():
                pass
        self._text = None

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Say that the person would be asked."""
        self._line(_("Would ask first: {tool}").format(tool=self._panel.called(request.call.name)))
        return request.call.input if request.code else None

    async def ask(self, _question: Clarification, _hold: Callable[[], None]) -> Reply:
        """Answer nothing: a question is shown as it stands."""
        return Unanswered("ninguem")

    def _line(self, text: str, *, role: str = "small") -> None:
        self.finish()
        self._panel.say(text, role=role)


@dataclass(frozen=True, slots=True)
class _Row:
    """One version, or what ships now."""

    number: int
    agent: Agent | None
    cells: tuple[str, str, str, str]


class VersionsPage(QWidget):
    """The versions, latest first, the comparison of one, and its restoring.

    Signals:
        restore_requested: the number of a version, or SHIPPED.
    """

    restore_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._current: Agent | None = None
        self._lines: Sequence[tuple[DiffKind, str]] = ()
        self.list = make_list(_("Versions"), [_("Version"), _("When"), _("Who"), _("Note")], wide=3)
        self.list.itemSelectionChanged.connect(self._on_selected)
        self.against = QComboBox()
        self.against.setAccessibleName(_("Compared with"))
        against: tuple[tuple[str, Callable[[_Row], Agent | None]], ...] = (
            (_("Compared with the version before"), self._before),
            (_("Compared with the present one"), lambda _row: self._current),
        )
        self._others = [other for _words, other in against]
        for words, _other in against:
            self.against.addItem(words)
        self.against.activated.connect(lambda _place: self._on_selected())
        self.restore_button = TextButton(_("Restore this version"), icon_name="undo")
        self.restore_button.clicked.connect(self._on_restore)
        self.text = text_box(_("What differs"), is_read_only=True)
        self.note = make_label(role="quiet", is_wrapped=True)
        middle = row_of(self.against, STRETCH, self.restore_button)
        column_of(self.note, (self.list, 2), middle, (self.text, 3), owner=self)
        theme().register(self._restyle)

    def show_versions(
        self, record: AgentRecord, versions: Sequence[EarlierAgent], *, is_outdated: bool
    ) -> None:
        """Show the versions of an agent."""
        self._current = record.agent
        self._rows = [_row_of(each) for each in versions]
        if record.shipped is not None and (is_outdated or not versions):
            cells = (_("ships"), "", "", _("what comes with this version of the program"))
            self._rows.append(_Row(SHIPPED, record.shipped, cells))
        self.note.setText(
            _("Another version of this agent ships now than the one that was edited: compare.")
            if is_outdated
            else _("Nobody has changed it: it is as it ships.")
        )
        self.note.setVisible(is_outdated or not versions)
        self.list.clear()
        for row in self._rows:
            self.list.addTopLevelItem(make_row(row.cells, row.number))
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)
        self._on_selected()

    def _selected(self) -> _Row | None:
        number: int | None = selected_key(self.list)
        return next((row for row in self._rows if row.number == number), None)

    def _before(self, row: _Row) -> Agent | None:
        place = self._rows.index(row) + 1
        return self._rows[place].agent if place < len(self._rows) else row.agent

    def _on_selected(self) -> None:
        row = self._selected()
        other = None if row is None else self._others[self.against.currentIndex()](row)
        is_back = self.against.currentIndex() == 1
        self._lines = ()
        if row is not None:
            # Against the present one it is told what restoring it would change.
            pair = (other, row.agent)
            self._lines = compare(*pair)
        self.restore_button.setEnabled(
            row is not None and row.agent is not None and row.agent != self._current
        )
        self._show_lines(is_back=is_back)

    def _show_lines(self, *, is_back: bool = False) -> None:
        palette = theme().palette
        self.text.clear()
        if not self._lines:
            same = _("It is the present one.") if is_back else _("Nothing differs.")
            self.text.setPlainText(visible(same if self._rows else ""))
            return
        tints = {
            "added": mix(palette.card, palette.good, 0.18),
            "removed": mix(palette.card, palette.bad, 0.18),
        }
        cursor = QTextCursor(self.text.document())
        cursor.beginEditBlock()
        for place, (kind, line) in enumerate(self._lines):
            form = QTextBlockFormat()
            if kind in tints:
                form.setBackground(QColor(tints[kind]))
            if place:
                cursor.insertBlock(form)
            else:
                cursor.setBlockFormat(form)
            cursor.insertText(_SIGNS[kind] + visible(line))
        cursor.endEditBlock()

    def _restyle(self) -> None:
        self.text.setFont(monospace(scaled_pt(SMALL_PT)))
        self._show_lines(is_back=self.against.currentIndex() == 1)

    def _on_restore(self) -> None:
        if (row := self._selected()) is not None:
            self.restore_requested.emit(row.number)


def _row_of(earlier: EarlierAgent) -> _Row:
    version = earlier.version
    if version.number == 0:
        note = _("as it shipped when it was first edited")
        return _Row(0, earlier.agent, ("0", moment(version.at), "–", note))
    note = version.note
    if version.content is None:
        note = _("removed")
    elif earlier.agent is None:
        note = _("cannot be read")
    cells = (str(version.number), moment(version.at), version.person or "–", note)
    return _Row(version.number, earlier.agent, cells)
