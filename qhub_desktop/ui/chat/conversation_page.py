"""The conversation page: one conversation at a time, and the composer below it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.chat.agents import Agent
from qhub_desktop.chat.guard.identifiers import without_secrets
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.ids import ConversationId, MessageId, unstarted
from qhub_desktop.core.message import Choice, Message, QueuedQuestion
from qhub_desktop.core.settings import PREVIEW_ROWS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.chat.composer import Composer
from qhub_desktop.ui.chat.conversation_view import ConversationView
from qhub_desktop.ui.chat.empty_state import EmptyState
from qhub_desktop.ui.chat.find import ConversationSearch, FindBar
from qhub_desktop.ui.chat.page_actions import PageActions
from qhub_desktop.ui.chat.question_reading import QuestionReading
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.chat.turn import Turn
from qhub_desktop.ui.controls.layouts import chain_tabs, column_of
from qhub_desktop.ui.tasks import LatestTask, Tasks
from qhub_desktop.ui.theme import GRID_PX, theme
from qhub_desktop.ui.web.web_engine import AwakePages

if TYPE_CHECKING:
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.core.readings import ReadingSource
    from qhub_desktop.store.conversations import Conversation
    from qhub_desktop.store.messages import MessageRepository
    from qhub_desktop.store.patterns import PatternRepository
    from qhub_desktop.store.questions import QuestionRepository
    from qhub_desktop.store.settings import SettingRepository
    from qhub_desktop.tools.study_service import StudyService

_DRAFT_DELAY_S = 0.4


class ConversationPage(QWidget):
    """Centre of the window: the open conversation and the composer.

    Signals:
        conversation_needed: question asked with no conversation open, and the plan that the person
            chose for it or None; `open` one, then `ask`.
        begun: the question of an answer is stored, which may have given a conversation its title.
        question_asked: a conversation's id, and what its answer asks the person.
        running_changed: a conversation's id, and whether an answer is under way in it.
    """

    conversation_needed = Signal(str, object)
    begun = Signal()
    question_asked = Signal(str, str)
    running_changed = Signal(str, bool)

    def __init__(
        self,
        *,
        turns: TurnRunner,
        messages: MessageRepository,
        drafts: SettingRepository,
        actions: PageActions,
        tasks: Tasks,
    ) -> None:
        super().__init__()
        self._turns = turns
        self._messages = messages
        self._drafts = drafts
        self._actions = actions
        self._tasks = tasks
        self._awake = AwakePages()
        self._is_operator_mode = False
        # Questions in the middle of answers; None where that ability is off.
        self.questions: Callable[[], QuestionRepository | None] = lambda: None
        # What reads questions without asking them; None before it can.
        self.readings: Callable[[], ReadingSource | None] = lambda: None
        # What the person often asks; nothing where that ability is off.
        self.habits: Callable[[], Awaitable[Sequence[str]]] | None = None
        self.starters: PatternRepository | None = None  # questions that the person has kept
        self.study_service: Callable[[], StudyService] | None = None
        self.preview_rows = PREVIEW_ROWS  # of the conversations opened from now on
        self._views: dict[ConversationId, ConversationView] = {}
        self._view: ConversationView | None = None
        self._empty_page: Transcript | None = None
        self._edited_message: MessageId | None = None
        self._queued: Sequence[QueuedQuestion] = ()
        self._can_queue: Callable[[Message], Awaitable[bool]] | None = None
        self._stack = QStackedWidget()
        self.composer = Composer()
        self._unstarted: ConversationId | None = None  # what is typed on the start page is read in
        self.reading = QuestionReading(
            self.composer,
            lambda: self._view.conversation if self._view else self._unstarted,
            tasks,
        )
        self.find_bar = FindBar(_("Find in this conversation"))
        self.find_bar.setParent(self)
        self.find_bar.hide()
        self._finder = ConversationSearch(self.find_bar, messages, tasks)
        column_of((self._stack, 1), self.composer, owner=self, spacing=0)
        self.setFocusProxy(self.composer)
        self._draft_saving = LatestTask(tasks)
        self._draft_key = ""
        self._sent_question = ""  # a question being sent to a new conversation: no longer a draft
        self._connect()

    @property
    def view(self) -> ConversationView | None:
        """View of the open conversation."""
        return self._view

    @property
    def running_conversations(self) -> tuple[ConversationId, ...]:
        """Ids of conversations with an answer under way."""
        return tuple(key for key, view in self._views.items() if view.is_running)

    async def open(self, conversation: Conversation, agent: Agent) -> None:
        """Show a conversation, its end first."""
        if self._view is not None and self._view.conversation == conversation.id:
            return
        self._leave_conversation()
        is_kept = conversation.id in self._views
        view = self._views.get(conversation.id) or self._new_view(conversation.id, agent)
        self._view = view
        self._stack.setCurrentWidget(view)
        self._reset_composer(f"draft/{conversation.id}")
        if not is_kept:
            await view.load()
        if view is self._view:
            self.composer.question_box.set_history(view.past_questions)

    def show_empty(self, agent: Agent) -> None:
        """Show the start page of an agent, with no conversation yet."""
        self._leave_conversation()
        self._unstarted = unstarted(agent.id)
        empty = EmptyState(agent, is_operator_mode=self._is_operator_mode)
        empty.asked.connect(self.ask)
        if (starters := self.starters) is not None:
            empty.forgotten.connect(lambda each: self._tasks.start(starters.forget(each)))
        self._empty_page = Transcript()
        self._empty_page.append(empty)
        self._stack.addWidget(self._empty_page)
        self._stack.setCurrentWidget(self._empty_page)
        self._reset_composer(f"draft/new/{agent.id}")
        self.composer.question_box.set_history(())
        if self.habits is not None:
            self._tasks.start(self._offer_habits(empty, self.habits))

    async def _offer_habits(
        self, empty: EmptyState, habits: Callable[[], Awaitable[Sequence[str]]]
    ) -> None:
        kept = [] if self.starters is None else await self.starters.kept()
        questions = await habits()
        if isValid(empty) and empty.parent() is not None:  # else another page is shown by now
            empty.offer_kept(kept)
            empty.offer_habits(questions)

    def ask(self, question: str, *, wanted: JsonObject | None = None) -> None:
        """Ask a question in the open conversation, as if it had been typed.

        `wanted` is the plan that the person chose for it.
        """
        self.setFocus()  # else Qt moves the focus from a starter that goes to any enabled widget
        view = self._view
        if view is None:
            self._sent_question = question.strip()
            self.conversation_needed.emit(question, wanted)
            return
        waiting = view.findChildren(AskCard) if view.is_running else []
        is_taken = any(card.take_words(question.strip()) for card in waiting)
        if view.is_running and not is_taken:
            self.composer.show_wait_hint()
            return
        if self.composer.text.strip() == question.strip():
            self.composer.clear()
            self._save_draft()
        if is_taken:
            return
        edited, self._edited_message = self._edited_message, None
        self.composer.set_editing(is_editing=False)
        if edited is None:
            view.ask(question, wanted=wanted)
        else:
            view.edit(edited, question)
        self.composer.question_box.set_history(
            [*view.past_questions, question] if edited is None else view.past_questions
        )

    def ask_choice(self, choice: Choice) -> None:
        """Have the plan of a choice computed; without a plan, ask its text."""
        if self._view is None:
            return
        if self._view.is_running:
            self.composer.show_wait_hint()
            return
        self.setFocus()  # else Qt moves the focus to any enabled widget
        self._view.ask(choice.label, wanted=choice.plan or None)
        self.composer.question_box.set_history([*self._view.past_questions, choice.label])

    def enable_queueing(self, can_wait: Callable[[Message], Awaitable[bool]]) -> None:
        """Set whether questions can be queued for Claude."""
        self._can_queue = can_wait
        for view in self._views.values():
            view.can_queue = can_wait

    def show_queued(self, waiting: Sequence[QueuedQuestion]) -> None:
        """Show queued questions, each in its conversation."""
        self._queued = waiting
        for view in self._views.values():
            self._show_queued_in(view)

    async def play_queued(
        self, question: QueuedQuestion, agent: Agent, play: Callable[[Turn], Awaitable[None]]
    ) -> bool:
        """Show a queued question and its answer; return whether it was visible."""
        view = self._views.get(question.conversation)
        if view is None:
            view = self._new_view(question.conversation, agent)
            await view.load()
        return await view.play_queued(question, play) and view is self._view

    def stop(self) -> None:
        """Stop the answer under way."""
        if self._view is not None:
            self._view.stop()

    async def stop_answer(self, conversation: ConversationId) -> None:
        """Stop the answer under way in a conversation, and wait for its last word to be stored."""
        view = self._views.get(conversation)
        if view is not None:
            await view.stop_and_wait()

    def open_find(self) -> None:
        """Open the search bar."""
        if self._view is not None:
            self._finder.start(self._view)
            self._place_find_bar()

    def show_profile(self, profile: DatasetProfile) -> None:
        """Show the profile of a data set, with suggested questions."""
        if self._view is not None:
            self._view.show_profile(profile)
            self.reading.refresh()

    def set_operator_mode(self, *, is_operator_mode: bool) -> None:
        """Set operators' mode, with large targets, for what is opened from now on."""
        self._is_operator_mode = is_operator_mode
        self.composer.set_operator_mode(is_operator_mode=is_operator_mode)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        # Not by a palette of its own: the style gives back the one from before a change of theme
        # once the page is polished again.
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(theme().palette.page))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_find_bar()

    def _connect(self) -> None:
        composer = self.composer
        composer.submitted.connect(self.ask)
        composer.stopped.connect(self.stop)
        composer.edit_cancelled.connect(self._leave_edit)
        composer.attach_requested.connect(self._actions.choose_files)
        composer.choices_requested.connect(lambda: self._actions.open_question_form({}))
        composer.files_dropped.connect(self._actions.import_files)
        composer.table_pasted.connect(self._actions.import_table)
        self.reading.taken.connect(lambda question, plan: self.ask(question, wanted=plan))
        composer.changed.connect(lambda _text: self._save_draft_soon())

    def _new_view(self, conversation: ConversationId, agent: Agent) -> ConversationView:
        view = ConversationView(
            conversation,
            agent,
            turns=self._turns,
            messages=self._messages,
            actions=self._actions,
            tasks=self._tasks,
            awake=self._awake,
            is_operator_mode=self._is_operator_mode,
            preview_rows=self.preview_rows,
            study_service=self.study_service,
            questions=self.questions,
            readings=self.readings,
        )
        view.asked.connect(self.ask)
        view.chosen.connect(self.ask_choice)
        view.edit_requested.connect(self._enter_edit)
        view.running_changed.connect(lambda running: self._on_running(view, is_running=running))
        view.approval_asked.connect(lambda card: self._on_approval_asked(view, card))
        view.question_asked.connect(lambda text: self.question_asked.emit(view.conversation, text))
        view.begun.connect(self.begun)
        view.taken_back.connect(lambda question: self._on_taken_back(view, question))
        view.can_queue = self._can_queue
        self._views[conversation] = view
        self._show_queued_in(view)
        self._stack.addWidget(view)
        return view

    def _show_queued_in(self, view: ConversationView) -> None:
        own = [each for each in self._queued if each.conversation == view.conversation]
        view.queued_strip.show_questions(own)

    def _leave_conversation(self) -> None:
        """Leave the conversation: keep its draft; an answer under way continues hidden."""
        self._save_draft()
        self._sent_question = ""
        self._finder.close()
        self._edited_message = None
        if self._empty_page is not None:
            self._stack.removeWidget(self._empty_page)
            self._empty_page.deleteLater()
            self._empty_page = None
        if self._view is not None and not self._view.is_running:
            self._close_view(self._view)
        self._view = None

    def _close_view(self, view: ConversationView) -> None:
        del self._views[view.conversation]
        view.cancel_tasks()
        self._stack.removeWidget(view)
        view.deleteLater()

    def _reset_composer(self, draft_key: str) -> None:
        self._draft_key = draft_key
        kept = self._drafts.state_now(draft_key)
        self.composer.clear()
        self.composer.question_box.set_text(kept if isinstance(kept, str) else "")
        self._draft_saving.cancel()
        is_answering = self._view is not None and self._view.is_running
        self.composer.set_answering(is_answering=is_answering)
        self.composer.show_chips_of(self._view.conversation if self._view else None)
        self.reading.refresh()
        self.composer.question_box.set_placeholder(_("Ask about the data, or drop a file…"))

    def _save_draft_soon(self) -> None:
        """Store the draft when nothing was typed for a moment."""
        self._draft_saving.cancel()
        if self._draft_key and self._edited_message is None:
            self._draft_saving.start(self._save_draft_after_delay())

    async def _save_draft_after_delay(self) -> None:
        await asyncio.sleep(_DRAFT_DELAY_S)
        self._save_draft()

    def _save_draft(self) -> None:
        """Start to store the draft, which goes on whatever is opened next."""
        self._draft_saving.cancel()
        if self._draft_key and self._edited_message is None:
            text = self.composer.text
            is_gone = not text or text.strip() == self._sent_question
            self._tasks.start(self._store_draft(self._draft_key, None if is_gone else text))

    async def _store_draft(self, key: str, text: str | None) -> None:
        if text is not None:
            # A secret is on no disk, sent or not.
            text, _rule = await asyncio.to_thread(without_secrets, text)
        await self._drafts.save_state(key, text)
        self._actions.show_saved()

    def _on_running(self, view: ConversationView, *, is_running: bool) -> None:
        if view is self._view:
            if not is_running:  # Tab reads the conversation down to the question to come
                chain_tabs([*view.transcript.entries[-3:], *self.composer.tab_parts])
            self.composer.set_answering(is_answering=is_running)
            self.reading.refresh()
            self.composer.question_box.set_history(view.past_questions)
        elif not is_running:
            self._close_view(view)
        self.running_changed.emit(view.conversation, is_running)

    def _on_taken_back(self, view: ConversationView, question: str) -> None:
        """Put a question back where it was typed, unless something else stands there by now."""
        if view is not self._view:
            self._tasks.start(self._store_draft(f"draft/{view.conversation}", question))
        elif not self.composer.text.strip():
            self.composer.question_box.set_text(question)
            self.composer.question_box.set_history(view.past_questions)
            self.setFocus()

    def _on_approval_asked(self, view: ConversationView, card: QWidget) -> None:
        # Focus the card only if nobody is typing: Enter must not approve by accident.
        if view is self._view and not self.composer.text:
            card.setFocus()

    def _enter_edit(self, message: MessageId, question: str) -> None:
        self._save_draft()
        self._edited_message = message
        self.composer.set_editing(is_editing=True)
        self.composer.question_box.set_text(question)
        self.composer.question_box.setFocus()

    def _leave_edit(self) -> None:
        self._edited_message = None
        self.composer.clear()

    def _place_find_bar(self) -> None:
        self.find_bar.adjustSize()
        self.find_bar.move(self.width() - self.find_bar.width() - 3 * GRID_PX, GRID_PX)
