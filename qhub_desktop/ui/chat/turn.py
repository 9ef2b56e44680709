"""The audience of one turn: takes events at any rate and shows them 30 times a second."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from qhub_desktop.core.asking import PersonAnswer, Reply, Unanswered
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.events import (
    ApprovalAsked,
    ArtifactShown,
    ChatEvent,
    CostAsked,
    CostChoice,
    Done,
    ErrorHappened,
    StatusChanged,
    TextAdded,
    ToolStarted,
    ToolUsed,
    UsageCounted,
    WidgetShown,
)
from qhub_desktop.core.guard import GUARD_CALL, Guarded
from qhub_desktop.core.message import Clarification, Interpretation, NumberCheck
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.approvals import ApprovalCard
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.chat.guard_line import show_guard
from qhub_desktop.ui.tasks import set_result_once

FRAME_MS = 33
_HIDDEN_MS = 1_000  # while hidden: only keep up
_DRAWING_SLICE_S = 0.012  # of drawing in a frame of 33 ms
# Rendering takes at most a quarter of the time: slow frames are followed by longer pauses.
_PAUSE_FACTOR = 3
# Events between texts that do not end a run of text; before others the run is rendered whole.
_WITHIN_TEXT = (TextAdded, Citation, ArtifactShown, StatusChanged, UsageCounted)


@dataclass
class _AskedQuestion:
    """A question that waits for the person, and its card once that is shown."""

    reply: asyncio.Future[Reply]
    hold: Callable[[], None]
    card: AskCard | None = None


class Turn(QObject):
    """Shows one answer as its events arrive.

    Signals:
        begun: the first event arrived: the question is stored.
        content_added: something new is visible.
        status_changed, usage_counted, tool_used: such an event arrived.
        question_asked: a question to the person is pending, with its text.
        approval_asked: an approval, or a decision on the cost, is pending, with its card.
        ended: everything is shown; carries the `Done`.
    """

    begun = Signal()
    content_added = Signal()
    status_changed = Signal(object)
    usage_counted = Signal(object)
    tool_used = Signal(object)
    approval_asked = Signal(object)
    question_asked = Signal(str)
    ended = Signal(object)

    def __init__(self, answer: AnswerView) -> None:
        super().__init__(answer)
        self._answer = answer
        self._events: deque[ChatEvent | CostAsked] = deque()
        self.wants_proxy_login = False  # a proxy lets nobody through without a name and a password
        self._rendering: Iterator[None] | None = None
        self._thinking_text = ""
        self._approvals: dict[str, asyncio.Future[JsonObject | None]] = {}
        self._approval_cards: dict[str, ApprovalCard] = {}
        self._questions: dict[str, _AskedQuestion] = {}  # those that wait, by the call's id
        self._cost_choice: asyncio.Future[CostChoice] | None = None
        self._is_finished = False
        self._has_begun = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._render)
        answer.show_activity(_("Working on it…"))

    @property
    def is_finished(self) -> bool:
        """Whether the end has arrived, shown or not."""
        return self._is_finished

    @property
    def is_behind(self) -> bool:
        """Whether events wait to be shown."""
        return bool(self._events) or self._rendering is not None

    def show(self, event: ChatEvent | CostAsked) -> None:
        """Queue an event for the next frame."""
        if not self._has_begun:
            self._has_begun = True
            self.begun.emit()
        self._is_finished = self._is_finished or isinstance(event, Done)
        self._events.append(event)
        if not self._timer.isActive():
            self._timer.start(FRAME_MS if self._answer.isVisible() else _HIDDEN_MS)

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Ask the person for approval and wait for the decision."""
        self.show(request)
        try:
            return await self._decision(request.call.id)
        finally:
            self._approvals.pop(request.call.id, None)

    async def ask(self, question: Clarification, hold: Callable[[], None]) -> Reply:
        """Wait for the person's answer to a question; its card stays, to be answered late."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        asked = self._questions[question.call_id] = _AskedQuestion(reply, hold)
        self.question_asked.emit(question.text)
        try:
            return await reply
        finally:
            del self._questions[question.call_id]
            if asked.card is not None and isValid(asked.card):
                if question.call_id == GUARD_CALL:  # nothing can be answered late
                    asked.card.close_with(_decided(reply))
                else:
                    asked.card.end_wait()

    async def confirm_cost(self, request: CostAsked) -> CostChoice:
        """Ask the person whether to send the question, and wait for the decision."""
        self._cost_choice = asyncio.get_running_loop().create_future()
        self.show(request)
        try:
            return await self._cost_choice
        finally:
            self._cost_choice = None

    def take_back(self) -> bool:
        """Take the question back, if its cost is being asked about; return whether it is."""
        if self._cost_choice is None:
            return False
        set_result_once(self._cost_choice, "cancel")
        return True

    def flush(self) -> None:
        """Show queued events now: the answer became visible."""
        if self._timer.isActive():
            self._timer.start(0)

    def _decision(self, call_id: str) -> asyncio.Future[JsonObject | None]:
        if call_id not in self._approvals:
            self._approvals[call_id] = asyncio.get_running_loop().create_future()
        return self._approvals[call_id]

    def _render(self) -> None:
        started = time.perf_counter()
        has_shown = False
        try:
            while time.perf_counter() - started < _DRAWING_SLICE_S:
                if self._step():
                    has_shown = True
                elif self._events:
                    self._rendering = self._show_event(self._events.popleft())
                else:
                    break
        finally:  # also where one part cannot be drawn: the others are, and the answer ends
            took_ms = round((time.perf_counter() - started) * 1_000)
            if self._rendering is not None:
                self._timer.start(1)
            elif self._events:
                self._timer.start(max(FRAME_MS, took_ms * _PAUSE_FACTOR))
        if has_shown:
            self.content_added.emit()

    def _step(self) -> bool:
        """Do a little of the pending work; return False if there is none."""
        if self._rendering is None:
            return False
        try:
            next(self._rendering)
        except StopIteration:
            self._rendering = None
        return True

    def _show_event(self, event: ChatEvent | CostAsked) -> Iterator[None]:
        """Show one event, a little at each step of the iterator."""
        answer = self._answer
        if not isinstance(event, _WITHIN_TEXT):
            yield from answer.finish_text()
            self._thinking_text = ""
        match event:
            case TextAdded(content):
                self._thinking_text = ""
                answer.add_text(content + self._following_text())
            case Citation():
                answer.citations.append(event)
            case StatusChanged():
                self._show_status(event)
                self.status_changed.emit(event)
            case UsageCounted():
                answer.add_usage(event)
                self.usage_counted.emit(event)
            case ToolStarted(call, label):
                answer.start_tool(call, label)
            case ToolUsed(_call, result):
                answer.finish_tool(result)
                answer.show_activity(_("Working on it…"))
                self.tool_used.emit(event)
            case WidgetShown(widget):
                answer.add_widget(widget)
            case ArtifactShown():
                pass  # shown by its text already
            case Clarification(call_id=""):
                answer.add_choice(event)
            case Clarification():
                self._ask_person(event)
            case Interpretation():
                answer.add_interpretation(event)
            case Guarded():
                show_guard(answer, event)
            case NumberCheck():
                yield from answer.show_numbers(event)
            case ApprovalAsked():
                self._ask_approval(event)
            case CostAsked():
                self._ask_cost(event)
            case ErrorHappened(_kind, text, action):
                answer.add_error(text, action)
                self.wants_proxy_login |= action == "proxy_login"
            case Done(reason, cause):
                answer.end(reason, cause)
                self.ended.emit(event)

    def _following_text(self) -> str:
        words: list[str] = []
        while self._events and isinstance(following := self._events[0], TextAdded):
            words.append(following.content)
            self._events.popleft()
        return "".join(words)

    def _show_status(self, status: StatusChanged) -> None:
        match status.kind:
            case "thinking":
                self._thinking_text += status.text
                self._answer.show_activity(_last_line(self._thinking_text))
            case "retrying" | "queued" | "preparing":
                self._answer.show_activity(status.text, wait_s=status.wait_s)
            case "offline" | "online":
                icon_name = "engine" if status.kind == "offline" else "cloud"
                self._answer.add_note(status.text, icon_name=icon_name, action=status.action)
                self.wants_proxy_login |= status.action == "proxy_login"
            case "local":
                pass  # shown by the status pill alone
            case "budget" | "damaged":
                self._answer.add_note(status.text, icon_name="warning")

    def _ask_approval(self, request: ApprovalAsked) -> None:
        if request.call.id in self._approval_cards:
            return
        card = self._answer.add_approval(request)
        self._approval_cards[request.call.id] = card
        decision = self._decision(request.call.id)
        card.decided.connect(lambda approved: set_result_once(decision, approved))
        self.approval_asked.emit(card)

    def _ask_person(self, question: Clarification) -> None:
        card = self._answer.add_question(question)
        asked = self._questions.get(question.call_id)
        if asked is None:  # over before it could be shown
            card.end_wait()
            return
        asked.card = card
        reply = asked.reply
        card.touched.connect(asked.hold)
        card.answered.connect(lambda answer: self._on_replied(reply, answer))
        card.skipped.connect(lambda: self._on_replied(reply, Unanswered("saltada")))

    def _on_replied(self, reply: asyncio.Future[Reply], given: Reply) -> None:
        set_result_once(reply, given)
        self._answer.show_activity(_("Working on it…"))

    def _ask_cost(self, request: CostAsked) -> None:
        card = self._answer.add_cost(request)
        card.decided.connect(self._on_cost_decided)
        self.approval_asked.emit(card)

    def _on_cost_decided(self, choice: CostChoice) -> None:
        if self._cost_choice is not None:
            set_result_once(self._cost_choice, choice)
            self._answer.show_activity(_("Working on it…"))


def _decided(reply: asyncio.Future[Reply]) -> str:
    """Return what was decided about personal data: without an answer, nothing leaves."""
    given = reply.result() if reply.done() and not reply.cancelled() else None
    if isinstance(given, PersonAnswer):
        return ", ".join(given.options)
    return _("Nobody answered, so it was hidden.")


def _last_line(thought: str) -> str:
    lines = thought.strip().splitlines()
    return lines[-1].strip(" *#") if lines else ""
