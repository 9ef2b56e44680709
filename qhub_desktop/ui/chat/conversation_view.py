"""One conversation on the page: its stored messages and the answer under way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTextEdit, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.events import AskedEngine, Done, ErrorHappened, action_for
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, QueuedQuestion
from qhub_desktop.core.settings import PREVIEW_ROWS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.chat.conversation_entries import ConversationEntries
from qhub_desktop.ui.chat.empty_state import EmptyState, ProfileCard
from qhub_desktop.ui.chat.history import History, damage_of, replay
from qhub_desktop.ui.chat.page_actions import PageActions
from qhub_desktop.ui.chat.question import QuestionView, QueuedStrip, QueueOffer, is_unanswered
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.chat.turn import Turn
from qhub_desktop.ui.controls.layouts import column_of
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.web.web_engine import AwakePages

if TYPE_CHECKING:
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.core.readings import ReadingSource
    from qhub_desktop.store.messages import MessageRepository
    from qhub_desktop.store.questions import QuestionRepository
    from qhub_desktop.tools.study_service import StudyService


class ConversationView(QWidget):
    """View of a conversation, which keeps up with its answer even while hidden.

    Signals:
        running_changed: an answer began, or has ended and is stored.
        asked: a question was pressed, for the owner to ask.
        chosen: a Choice was pressed, for the owner to have computed.
        edit_requested: number and text of a stored question to edit.
        begun: the question of an answer is stored, which may have given the conversation a title.
        question_asked: a question in the middle of the answer is pending, with its text.
        approval_asked: an approval, or a decision on the cost, is pending, with its card.
        taken_back: text of a question that the person did not send after all.
    """

    running_changed = Signal(bool)
    asked = Signal(str)
    chosen = Signal(object)
    edit_requested = Signal(int, str)
    begun = Signal()
    question_asked = Signal(str)
    approval_asked = Signal(object)
    taken_back = Signal(str)

    def __init__(
        self,
        conversation: ConversationId,
        agent: Agent,
        *,
        turns: TurnRunner,
        messages: MessageRepository,
        actions: PageActions,
        tasks: Tasks,
        awake: AwakePages | None = None,
        is_operator_mode: bool = False,
        preview_rows: int = PREVIEW_ROWS,
        study_service: Callable[[], StudyService] | None = None,
        questions: Callable[[], QuestionRepository | None] = lambda: None,
        readings: Callable[[], ReadingSource | None] = lambda: None,
    ) -> None:
        super().__init__()
        self.conversation = conversation
        self.agent = agent
        self.past_questions: list[str] = []  # the person's questions, oldest first
        # Whether a question that Claude did not answer may be queued for it.
        self.can_queue: Callable[[Message], Awaitable[bool]] | None = None
        self._turns = turns
        self._messages = messages
        self._actions = actions
        self._tasks = tasks
        self._is_operator_mode = is_operator_mode
        self._empty_state: EmptyState | None = None
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._unsaved_answer: AnswerView | None = None  # not stored yet
        self._opening: asyncio.Task[None] | None = None
        self._own_tasks: set[asyncio.Task[None]] = set()  # tasks to cancel with this widget
        self.transcript = Transcript()
        self._entries = ConversationEntries(
            conversation,
            self.transcript,
            messages=messages,
            actions=actions,
            tasks=tasks,
            start=self._start,
            awake=awake or AwakePages(),
            preview_rows=preview_rows,
            study_service=study_service,
            questions=questions,
            readings=readings,
            tool_label=turns.tool_label,
            note=turns.note,
        )
        self._entries.chosen.connect(self.chosen)
        self._entries.asked.connect(self.asked)
        self._entries.action_requested.connect(self._on_action_requested)
        self._entries.part_opened.connect(self.transcript.show_part)
        self._entries.edit_requested.connect(self._on_edit_requested)
        self._entries.study_recomputed.connect(
            lambda question, answer: self._start(self.append_stored(question, answer))
        )
        self.history = History(
            conversation,
            messages,
            self.transcript,
            make_question=self._entries.stored_question,
            make_answer=self._entries.stored_answer,
        )
        self.queued_strip = QueuedStrip()
        self.queued_strip.withdrawn.connect(actions.withdraw)
        self.queued_strip.renewed.connect(actions.renew)
        column_of((self.transcript, 1), self.queued_strip, owner=self, spacing=None)
        self.running_changed.connect(self._on_running_changed)
        self.transcript.top_neared.connect(lambda: self._start(self.history.load_older()))
        self.transcript.bottom_neared.connect(lambda: self._start(self.history.load_newer()))

    @property
    def is_running(self) -> bool:
        """Whether an answer is under way."""
        return self._turn is not None

    @property
    def last_answer(self) -> AnswerView | None:
        """The newest answer, if it is loaded."""
        if self._unsaved_answer is not None:
            return self._unsaved_answer
        newest = self.history.newest
        return newest if isinstance(newest, AnswerView) else None

    async def load(self) -> None:
        """Show the latest stored messages; return early if the view is closed meanwhile."""
        self._opening = self._start(self._open())
        await asyncio.wait({self._opening})

    def cancel_tasks(self) -> None:
        """Cancel all tasks that build this view."""
        for task in self._own_tasks:
            task.cancel()

    def show_empty(self) -> None:
        """Show what can be asked here."""
        self._empty_state = EmptyState(self.agent, is_operator_mode=self._is_operator_mode)
        self._empty_state.asked.connect(self.asked)
        self.transcript.append(self._empty_state)
        self.transcript.follow_end(read_from=self._empty_state)

    def show_profile(self, profile: DatasetProfile) -> None:
        """Show the profile of a data set, with suggested questions."""
        self._remove_empty_state()
        card = ProfileCard(profile, self.agent.tools)
        card.asked.connect(self.asked)
        card.choices_made.connect(lambda choices: self._actions.read_again(card, choices))
        self.transcript.append(card)
        self.transcript.lay_out_now()
        self.transcript.follow_end()

    def ask(self, question: str, *, wanted: JsonObject | None = None) -> None:
        """Ask a question, or have a chosen plan computed, and show the answer as it arrives."""
        if not self.is_running:
            self._start(self._ask(question, wanted))

    def edit(self, message: MessageId, question: str) -> None:
        """Replace an earlier question; later messages are hidden."""
        if self.is_running:
            return
        entry = self.history.entry(message)
        if entry is not None:
            self.transcript.remove_from(entry)
        self.history.remove_from(message)
        self._unsaved_answer = None
        self._append_question(question)
        self._start_turn(
            lambda turn: self._turns.edit(
                self.conversation, message, question, audience=turn, confirm=turn.confirm_cost
            )
        )

    def retry(self, *, engine: AskedEngine | None = None) -> None:
        """Answer the last question again, by this engine or by that of the settings."""
        if self.is_running:
            return
        self._start(self._retry(engine))

    def _retry_if_open(self) -> None:
        if isValid(self):
            self.retry()

    async def play_queued(
        self, question: QueuedQuestion, play: Callable[[Turn], Awaitable[None]]
    ) -> bool:
        """Show a queued question and its answer to the end; return False if one is under way."""
        await self.history.go_to_end()
        if self.is_running:
            return False
        asked = [each for each in self.transcript.entries if isinstance(each, QuestionView)]
        if question.message is not None and asked and asked[-1].message == question.message:
            self._remove_last_answer()  # answer of an earlier attempt
        else:
            self._append_question(question.text)
        ended = asyncio.Event()
        self._start_turn(play)
        self.running_changed.connect(lambda _is_running: ended.set())
        await ended.wait()
        return True

    def stop(self) -> None:
        """Stop the answer under way; what has arrived stays, a question not sent is taken back."""
        if self._turn is not None and self._turn.take_back():
            return
        if self._task is not None:
            self._task.cancel()

    async def stop_and_wait(self) -> None:
        """Stop the answer under way, and wait until nothing more of it will be stored."""
        self.stop()
        if self._task is not None:
            await asyncio.wait({self._task})

    def text_views(self, message: MessageId) -> list[QTextEdit]:
        """Return the text views of a message, top to bottom."""
        return _text_views(self.history.entry(message))

    def all_text_views(self) -> list[QTextEdit]:
        """Return all text views, top to bottom."""
        return [text for entry in self.transcript.entries for text in _text_views(entry)]

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._turn is not None:
            self._turn.flush()

    async def _open(self) -> None:
        await self._entries.read_questions()
        messages = await self.history.open()
        self.past_questions = [each.text for each in messages if each.role == "user"]
        if not messages:
            self.show_empty()
            return
        if any(map(damage_of, messages)):
            self._start(self.history.name_copy())
        if messages[-1].role == "user" and not self.is_running:
            self._offer_retry(_("This question was not answered: the program was closed."))
        await self._offer_queueing()
        while self.history.has_older and self.isVisible() and not self.transcript.is_scrollable:
            # Too short to scroll: older messages could not be reached
            await self.history.load_older()

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._tasks.start(coroutine)
        self._own_tasks.add(task)
        task.add_done_callback(self._own_tasks.discard)
        return task

    async def _ask(self, question: str, wanted: JsonObject | None) -> None:
        if self._opening is not None:
            await asyncio.wait({self._opening})
        await self.history.go_to_end()
        if self.is_running:
            return
        self._append_question(question)
        self._start_turn(
            lambda turn: self._turns.reply(
                self.conversation,
                question,
                audience=turn,
                wanted=wanted,
                confirm=turn.confirm_cost,
            )
        )

    async def _retry(self, engine: AskedEngine | None) -> None:
        await self.history.go_to_end()
        if self.is_running:
            return
        self._remove_last_answer()
        self._start_turn(
            lambda turn: self._turns.retry(
                self.conversation, audience=turn, engine=engine, confirm=turn.confirm_cost
            )
        )

    def _remove_last_answer(self) -> None:
        last = self.last_answer
        if last is not None:
            if last.message is not None:
                self.history.remove_from(last.message)
            self.transcript.remove(last)
            self._unsaved_answer = None
        self._remove_offers()

    def _append_question(self, question: str) -> None:
        self._remove_empty_state()
        self._remove_offers()
        self.past_questions.append(question)
        self.transcript.append(self._entries.question(question))

    def _start_turn(self, work: Callable[[Turn], Awaitable[None]]) -> None:
        if self.last_answer is not None:
            self.last_answer.set_last(is_last=False)
        answer = self._entries.answer()
        self._unsaved_answer = answer
        self.transcript.append(answer)
        self.transcript.lay_out_now()
        asked = self.transcript.entries[-2:-1]
        self.transcript.follow_end(read_from=asked[0] if asked else None)
        self.history.keeps_end = True
        turn = Turn(answer)
        turn.content_added.connect(self.transcript.show_jump_button)
        turn.status_changed.connect(self._actions.show_status)
        turn.usage_counted.connect(self._actions.show_usage)
        turn.tool_used.connect(lambda _event: self._actions.show_saved())
        for asked_in_turn in (turn.approval_asked, turn.question_asked):
            asked_in_turn.connect(lambda _asked: self.transcript.bring_end())
        turn.approval_asked.connect(self.approval_asked)
        turn.question_asked.connect(self.question_asked)
        turn.begun.connect(self.begun)
        turn.ended.connect(lambda done: self._tasks.start(self._finish_turn(answer, done)))
        self._turn = turn
        self._task = self._tasks.start(self._play(turn, work))
        self.running_changed.emit(self.is_running)

    async def _play(self, turn: Turn, work: Callable[[Turn], Awaitable[None]]) -> None:
        end = Done("failed")
        try:
            await work(turn)
        except asyncio.CancelledError:
            end = Done("cancelled")
            raise
        except QHubError as error:
            fault = error.fault if isinstance(error, UserError | ServiceError) else "other"
            turn.show(ErrorHappened(fault, str(error), action_for(fault)))
        finally:
            if not turn.is_finished:
                turn.show(end)

    async def _finish_turn(self, answer: AnswerView, done: Done) -> None:
        """Give the complete question and answer the numbers they are stored under."""
        if self._task is not None:
            await asyncio.wait({self._task})
        if done.cause == "cost":
            self._take_back(answer)
            return
        turn = self._turn
        answer.set_last(is_last=True)
        question = self._entries.question_above(answer)
        try:
            for message in await self._messages.latest(self.conversation, limit=2):
                if message.role == "user" and question is not None:
                    self.history.add_stored(message.id, question)
                    question.show_stored(message.text or message.blocked_words or question.text)
                    self.past_questions[-1:] = [question.text]
                elif message.role == "assistant":
                    self.history.add_stored(message.id, answer)
                    self._unsaved_answer = None
        finally:  # also where the disk is busy: the next question must not wait for this one
            self._turn = self._task = None
            self.history.keeps_end = False
            self.running_changed.emit(self.is_running)
        await self._entries.read_questions()
        self._actions.show_saved()
        if turn is not None and turn.wants_proxy_login and self.isVisible():
            self._actions.show_proxy_refusal(self._retry_if_open)
        await self._offer_queueing()

    def _take_back(self, answer: AnswerView) -> None:
        """Remove a question that was not sent, and its empty answer."""
        question = self._entries.question_above(answer)
        self.transcript.remove(answer)
        self._turn = self._task = self._unsaved_answer = None
        self.history.keeps_end = False
        if question is not None and question.message is None:
            self.transcript.remove(question)
            self.past_questions.pop()
            if not self.transcript.entries:
                self.show_empty()
            self.running_changed.emit(self.is_running)
            self.taken_back.emit(question.text)
        else:  # it was to be answered again: it stays, without an answer
            self.running_changed.emit(self.is_running)
            self._offer_retry(_("This question was not sent."))
        if self.last_answer is not None:
            self.last_answer.set_last(is_last=True)
        self._actions.show_saved()

    async def append_stored(self, question: Message, answer: Message) -> None:
        """Show a question and its answer at the end, which were stored before."""
        if self._task is not None and self.is_running:
            await asyncio.wait({self._task})
        await self.history.go_to_end()
        self._remove_offers()
        asked = self._entries.stored_question(question)
        answered = self._entries.stored_answer(answer)
        self.past_questions.append(question.text)
        if self.last_answer is not None:
            self.last_answer.set_last(is_last=False)
        self.transcript.append(asked)
        self.history.add_stored(question.id, asked)
        self.transcript.append(answered)
        for _block in replay(answered, answer, is_last=True):
            await asyncio.sleep(0)
        self.history.add_stored(answer.id, answered)
        self.transcript.lay_out_now()
        self.transcript.follow_end()
        self._actions.show_saved()

    def _on_running_changed(self) -> None:
        self._entries.can_choose = not self.is_running
        for entry in self.transcript.entries:
            if isinstance(entry, AnswerView):
                entry.set_choices_enabled(can_choose=not self.is_running)

    def _on_action_requested(self, action: str) -> None:
        match action:
            case "repair":
                self._start(self.history.repair())
            case "continue":
                self.asked.emit(_("Continue"))
            case "settings":
                self._actions.open_settings("engine")
            case "network":
                self._actions.open_settings("network")
            case "offline" | "local" as engine:
                self.retry(engine=engine)
            case "proxy_login":
                self._actions.ask_proxy_login(self._retry_if_open)
            case _:
                self.retry()

    def _on_edit_requested(self, question: QuestionView | None) -> None:
        if question is not None and question.message is not None and not self.is_running:
            self.edit_requested.emit(question.message, question.text)

    def _offer_retry(self, words: str) -> None:
        """Offer to answer the last question, and say why it has no answer."""
        offer = AnswerNote(words, icon_name="stop", action="retry")
        offer.action_requested.connect(self._on_action_requested)
        self.transcript.append(offer)

    async def _offer_queueing(self) -> None:
        """Offer to queue the last question, if Claude should have answered and did not."""
        last = await self._messages.latest(self.conversation, limit=2)
        if self.can_queue is None or len(last) < 2 or not is_unanswered(*last):
            return
        question = last[0].text
        if (
            self.queued_strip.contains(question)
            or not await self.can_queue(last[0])
            or self.is_running
        ):
            return
        self._remove_offers()
        offer = QueueOffer()
        offer.queue_requested.connect(self._remove_offers)
        offer.queue_requested.connect(lambda: self._actions.queue(self.conversation, question))
        self.transcript.append(offer)

    def _remove_offers(self) -> None:
        for entry in self.transcript.entries:
            if isinstance(entry, AnswerNote | QueueOffer):
                self.transcript.remove(entry)

    def _remove_empty_state(self) -> None:
        if self._empty_state is not None:
            self.transcript.remove(self._empty_state)
            self._empty_state = None


def _text_views(entry: QWidget | None) -> list[QTextEdit]:
    match entry:
        case QuestionView():
            return [entry.text_view]
        case AnswerView():
            return list(entry.views)
        case _:
            return []
