"""Window of the answers that people found poor: each with all that led to it, and what to do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QWidget
from shiboken6 import isValid

from qhub_desktop import __version__
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.feedback import LONGEST_WORDS, Feedback, Reviewed
from qhub_desktop.core.message import Interpretation, Message, ToolCall
from qhub_desktop.core.result_widgets import Widget
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import visible
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.history import replay
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX
from qhub_desktop.ui.web.web_engine import AwakePages

if TYPE_CHECKING:
    from qhub_desktop.store import Reviews

REVIEW_LIST_PX = 280
_FEEDBACK_ID = Qt.ItemDataRole.UserRole


class ReviewsWindow(DetailWindow):
    """Feedback, what waits first, and the answer that is chosen; nothing of it can be changed.

    Signals:
        changed: something was resolved.
        prompt_requested: id of an agent whose prompt is to be edited.
        example_requested: the Reviewed whose answer is to teach, corrected.
        examples_requested: the examples are to be shown.
    """

    changed = Signal()
    prompt_requested = Signal(str)
    example_requested = Signal(object)
    examples_requested = Signal()

    def __init__(
        self,
        reviews: Reviews,
        *,
        name_of: Callable[[str], str],
        may_edit: bool,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Reviews of answers"),
            subtitle=_("What people said of answers, with all that led to each."),
            size=QSize(1080, 720),
        )
        self._reviews = reviews
        self._name_of = name_of
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._opening = opening = LatestTask(tasks)
        self.destroyed.connect(lambda _window: opening.cancel())
        self._listed: list[Feedback] = []
        self.shown: Reviewed | None = None
        self._awake = AwakePages()
        self.list = QListWidget()
        self.list.setAccessibleName(_("Answers"))
        self.list.setProperty("kind", "choices")
        self.list.setSpacing(2)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_chosen)
        self.about = make_label(is_wrapped=True)
        self.transcript = Transcript()
        words = _("What was done about it")
        self.note_box = text_field(words, placeholder=words, most=LONGEST_WORDS)
        self.note_box.returnPressed.connect(self.resolve)
        self.resolve_button = TextButton(_("Resolved"), kind="primary", on_click=self.resolve)
        self.prompt_button = TextButton(_("Edit the prompt…"), icon_name="pencil")
        self.prompt_button.clicked.connect(self._ask_for_prompt)
        self.prompt_button.setVisible(may_edit)
        self.report_button = TextButton(_("Report a rule"), icon_name="copy")
        self.report_button.clicked.connect(self._copy_report)
        self.example_button = TextButton(_("Correct into an example…"), icon_name="check")
        self.example_button.clicked.connect(lambda: self.example_requested.emit(self.shown))
        self.examples_button = TextButton(_("Examples…"), kind="link")
        self.examples_button.clicked.connect(self.examples_requested)
        self.status = StatusLabel()
        self._detail = QWidget()
        self._build()
        self.reload()

    def _build(self) -> None:
        actions = row_of(
            self.example_button,
            self.prompt_button,
            self.report_button,
            STRETCH,
            self.examples_button,
        )
        closing = row_of((self.note_box, 1), self.resolve_button)
        column_of(
            self.about,
            (self.transcript, 1),
            self.status,
            actions,
            closing,
            owner=self._detail,
            margins=(GRID_PX, 0, 0, 0),
        )
        for each in (
            self.resolve_button,
            self.prompt_button,
            self.report_button,
            self.example_button,
            self.examples_button,
        ):
            each.setAutoDefault(False)
        sides = QSplitter()
        sides.setHandleWidth(1)
        sides.setChildrenCollapsible(False)
        for side in (self.list, self._detail):
            sides.addWidget(side)
        sides.setStretchFactor(1, 1)
        sides.setSizes([REVIEW_LIST_PX, self.width() - REVIEW_LIST_PX])
        self.add(sides)

    def reload(self) -> None:
        """Read the list again; what was chosen stays chosen."""
        self._work.start(self._load())

    def resolve(self) -> None:
        """Note that something was done about the answer that is shown."""
        if self.shown is not None and self.shown.feedback.is_open:
            self._work.start_kept(self._resolve(self.shown.feedback.id), self.resolve_button)

    async def _load(self) -> None:
        found = await self._reviews.feedback.listed()
        if not isValid(self):
            return
        chosen = None if self.shown is None else self.shown.feedback.id
        self._listed = sorted(found, key=lambda each: not each.is_open)
        self.list.blockSignals(True)  # noqa: FBT003  Qt's own
        self.list.clear()
        for each in self._listed:
            item = QListWidgetItem(visible(_item_words(each, self._name_of(each.agent))))
            item.setData(_FEEDBACK_ID, each.id)
            self.list.addItem(item)
        self.list.blockSignals(False)  # noqa: FBT003  Qt's own
        rows = [row for row, each in enumerate(self._listed) if each.id == chosen] or [0]
        self._detail.setVisible(bool(self._listed))
        if self._listed:
            self.list.setCurrentRow(rows[0])
        else:
            self.status.setParent(self)
            self.column.insertWidget(2, self.status)
            self.status.tell(_("Nobody has said anything of an answer yet."))

    def _on_chosen(self, row: int) -> None:
        if 0 <= row < len(self._listed):
            self._opening.start(self._open(self._listed[row].id))

    async def _open(self, id_: int) -> None:
        try:
            shown = await self._reviews.feedback.reviewed(id_)
        except QHubError as error:
            if isValid(self):
                self._on_error(error)
            return
        if not isValid(self):
            return
        self.shown = shown
        for entry in self.transcript.entries:
            self.transcript.remove(entry)
        feedback = shown.feedback
        self.about.setText(_about(feedback, self._name_of(feedback.agent)))
        self.status.clear()
        self.status.hide()
        self.note_box.clear()
        self.note_box.setVisible(feedback.is_open)
        self.resolve_button.setVisible(feedback.is_open)
        if shown.question is not None:
            self.transcript.append(QuestionView(shown.question.text))
        await self._show_answer(shown.answer)

    async def _show_answer(self, message: Message) -> None:
        answer = AnswerView(make_card=_make_card, awake=self._awake)
        self.transcript.append(answer)
        for _block in replay(answer, message, is_last=False):
            await asyncio.sleep(0)
        answer.make_read_only()
        self.transcript.lay_out_now()

    async def _resolve(self, id_: int) -> None:
        await self._reviews.feedback.resolve(id_, note=self.note_box.text())
        if isValid(self):
            self.changed.emit()
            self.shown = None  # the next one that waits is shown
            self.reload()

    def _ask_for_prompt(self) -> None:
        if self.shown is not None:
            self.prompt_requested.emit(self.shown.feedback.agent)

    def _copy_report(self) -> None:
        if self.shown is not None:
            QGuiApplication.clipboard().setText(report_of(self.shown))
            self.status.tell(_("Copied: how the question was read, and the calls, without data."))

    def _on_error(self, error: QHubError) -> None:
        self.status.tell_error(error)


def _make_card(widget: Widget) -> QWidget:
    # Imports pyqtgraph, 0.5 s: not before there is something to draw.
    from qhub_desktop.ui.charts.card import WidgetCard

    return WidgetCard(widget)


def _item_words(feedback: Feedback, agent: str) -> str:
    said = feedback.reason_words or (_("Good answer") if feedback.is_good else _("Poor answer"))
    mark = "● " if feedback.is_open else ""
    return f"{mark}{one_line(said)}\n{one_line(agent)} · {moment(feedback.created)}"


def _about(feedback: Feedback, agent: str) -> str:
    verdict = _("Good answer") if feedback.is_good else _("Poor answer")
    said = [f"{verdict} · {agent} · {moment(feedback.created.replace(second=0))}"]
    why = [feedback.reason_words, f"«{feedback.text}»" if feedback.text else ""]
    said.append(": ".join(filter(None, why)))
    if feedback.note:
        said.append(_("What was done: {note}").format(note=feedback.note))
    return "\n".join(filter(None, said))


def report_of(reviewed: Reviewed) -> str:
    """Return how a question was read, for whoever keeps the rules of reading it: no results."""
    answer = reviewed.answer
    report: JsonObject = {
        "version": __version__,
        "question": "" if reviewed.question is None else reviewed.question.text,
        "reason": reviewed.feedback.reason,
        "text": reviewed.feedback.text,
        "agent": reviewed.feedback.agent,
        "engine": answer.engine,
        "understood": [*_plans(answer)],
        "calls": [
            {"tool": each.name, "input": each.input}
            for each in answer.blocks
            if isinstance(each, ToolCall)
        ],
    }
    return json.dumps(report, ensure_ascii=False, indent=1)


def _plans(answer: Message) -> Iterator[JsonObject]:
    return (each.plan for each in answer.blocks if isinstance(each, Interpretation))
