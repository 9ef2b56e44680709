"""Test bench of an agent: its starter questions, put to what is written, saved or not."""

import asyncio
import json
from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid

from qhub_desktop.chat.agents import Agent
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
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, TableView, title_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, number
from qhub_desktop.core.untrusted import visible
from qhub_desktop.tools.agent_catalogue import AgentCatalogue
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

MOST_INPUT = 160  # characters of a call's input that are shown


class RehearsalPanel(QWidget):
    """Puts questions to a draft, and shows the answers and the calls of tools as text."""

    def __init__(
        self, catalogue: AgentCatalogue, draft: Callable[[], Agent], *, tasks: Tasks
    ) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._draft = draft
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        about = _(
            "Asks with what is written here, saved or not, by the engine of the settings. It is in"
            " no list; what it costs counts. What would write is only checked."
        )
        self.run_button = TextButton(_("Ask the starter questions"), icon_name="retry")
        self.run_button.clicked.connect(self.run_starters)
        self.stop_button = TextButton(_("Stop"), icon_name="stop")
        self.stop_button.setEnabled(False)
        self.stop_button.clicked.connect(self.stop)
        self.question = QLineEdit()
        self.question.setPlaceholderText(_("Another question, then Enter"))
        self.question.setAccessibleName(_("Question to try"))
        self.question.returnPressed.connect(self._on_entered)
        self.output = QPlainTextEdit()
        self.output.setReadOnly(True)
        self.output.setProperty("kind", "field")
        self.output.setTabChangesFocus(True)
        self.output.setAccessibleName(_("Answers of the test bench"))
        self.output.setPlaceholderText(_("The answers come here."))
        buttons = row_layout(spacing=GRID_PX)
        buttons.addWidget(self.run_button)
        buttons.addWidget(self.stop_button)
        buttons.addStretch(1)
        column = column_layout(self, margins=(GRID_PX, 0, 0, 0), spacing=GRID_PX)
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
            self.write(str(error))
            return
        self.run(draft.starters.get(language(), ()) or _any_starters(draft))

    def run(self, questions: Sequence[str]) -> None:
        """Ask these questions, each in a conversation of its own."""
        if self._task is not None:
            return
        self._begin()
        if not questions:
            self.write(_("There is no starter question yet. Write some under Description."))
            return
        self._task = self._tasks.start(self._play(questions), on_error=self._on_error)
        cancel_with(self, self._task)
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

    def write(self, text: str) -> None:
        """Add some text at the end, and keep the end in sight if it was."""
        if not isValid(self):
            return
        bar = self.output.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.output.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(visible(text))
        if is_at_end:
            bar.setValue(bar.maximum())

    async def _play(self, questions: Sequence[str]) -> None:
        draft = self._draft()
        for question in questions:
            audience = _Reader(self.write)
            self.write(f"> {question}\n\n")
            try:
                await self._catalogue.rehearse(draft, question, audience)
            except asyncio.CancelledError:
                self.write("\n" + _("Stopped."))
                raise
            self.write("\n\n")

    def _on_entered(self) -> None:
        question = self.question.text().strip()
        if question and self._task is None:
            self.run([question])
            self.question.clear()

    def _begin(self) -> None:
        self.output.clear()

    def _on_error(self, error: QHubError) -> None:
        self.write(str(error))

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
    """Writes down an answer; lets code run, and nothing be written."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._is_in_text = False
        self._cost_usd = 0.0

    def show(self, event: ChatEvent) -> None:
        """Write down what a person reads of an event."""
        match event:
            case TextAdded(text):
                self._write(text)
                self._is_in_text = True
            case ToolUsed(call, result):
                given = json.dumps(call.input, ensure_ascii=False)
                short = given if len(given) <= MOST_INPUT else f"{given[:MOST_INPUT]}…"
                sign = "✗" if result.is_error else "✓"
                self._line(f"{sign} {call.name} {short}")
                if result.is_error:
                    self._line(f"   {json.dumps(result.content, ensure_ascii=False)}")
            case WidgetShown(DashboardLink(title=title)):
                self._line(f"[{title}]")
            case WidgetShown((Chart() | TableView() | Kpi()) as widget):
                self._line(f"[{title_of(widget)}]")
            case Clarification(text, choices):
                self._line("\n".join([text, *(f"  - {each.label}" for each in choices)]))
            case StatusChanged(kind, text) if kind != "thinking":
                self._line(text)
            case UsageCounted(cost_usd=cost) if cost is not None:
                self._cost_usd += cost
            case ErrorHappened(text=text):
                self._line(text)
            case Done(reason):
                if reason == "limit":
                    self._line(_("A limit of the agent was reached."))
                if self._cost_usd:
                    self._line(_("{amount} $").format(amount=number(self._cost_usd, digits=4)))
            case _:
                pass

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Write down that the person would be asked."""
        self._line(_("Would ask first: {tool}").format(tool=request.call.name))
        return request.call.input if request.code else None

    def _line(self, text: str) -> None:
        self._write(("\n" if self._is_in_text else "") + text + "\n")
        self._is_in_text = False
