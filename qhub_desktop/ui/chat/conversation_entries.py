"""Questions and answers of a conversation, connected to what the window does for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.asking import PersonAnswer, StoredQuestion, quoted_answer
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.feedback import Reason
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import RECORD_TOOL, Message
from qhub_desktop.core.result_widgets import Widget
from qhub_desktop.core.signals import SignalKind
from qhub_desktop.core.study import AskedStudy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.feedback import FeedbackRepository
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import Rating
from qhub_desktop.ui.chat.approvals import OtherReadings
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.chat.feedback_card import ask_why, stop_asking
from qhub_desktop.ui.chat.history import damage_of
from qhub_desktop.ui.chat.note_line import NoteLine
from qhub_desktop.ui.chat.page_actions import PageActions
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.reading_strip import printed
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.web.web_engine import AwakePages

if TYPE_CHECKING:
    from qhub_desktop.core.readings import ReadingSource
    from qhub_desktop.store.messages import MessageRepository
    from qhub_desktop.store.questions import QuestionRepository
    from qhub_desktop.tools.study_service import StudyService
    from qhub_desktop.ui.charts.card import WidgetCard

_RATINGS: dict[int, Rating] = {-1: -1, 0: 0, 1: 1}


class ConversationEntries(QObject):
    """Makes the entries of a conversation's transcript; `start` starts a task that ends with it.

    Signals:
        asked: a late answer to a question, as the person's next message.
        chosen: a Choice was pressed.
        action_requested: action of an error or a remark ("retry", "continue", "settings", …).
        part_opened: an answer, and the part of it that was opened.
        edit_requested: the QuestionView to edit, if it is loaded.
        study_recomputed: the question and the answer of a study with other choices, both stored.
    """

    asked = Signal(str)
    chosen = Signal(object)
    action_requested = Signal(str)
    part_opened = Signal(QWidget, QWidget)
    edit_requested = Signal(object)
    study_recomputed = Signal(object, object)

    def __init__(
        self,
        conversation: ConversationId,
        transcript: Transcript,
        *,
        messages: MessageRepository,
        actions: PageActions,
        tasks: Tasks,
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        awake: AwakePages,
        preview_rows: int,
        study_service: Callable[[], StudyService] | None,
        questions: Callable[[], QuestionRepository | None],
        readings: Callable[[], ReadingSource | None],
        tool_label: Callable[[str], str],
        note: Callable[[ConversationId, SignalKind], Coroutine[Any, Any, None]],
    ) -> None:
        super().__init__(transcript)
        self.can_choose = True  # whether the choices of answers made from now on are enabled
        self._questions = questions
        self._readings = readings
        self._tool_label = tool_label
        self._note = note
        self._stored_questions: Sequence[StoredQuestion] = ()
        self._conversation = conversation
        self._transcript = transcript
        self._messages = messages
        self._actions = actions
        self._tasks = tasks
        self._start = start
        self._awake = awake
        self._preview_rows = preview_rows
        self._study_service = study_service

    def question(self, text: str, message: MessageId | None = None) -> QuestionView:
        """Return the view of a question; `message` is its number once it is stored."""
        question = QuestionView(text, message=message)
        question.edit_requested.connect(lambda: self.edit_requested.emit(question))
        question.action_requested.connect(self.action_requested)
        return question

    def stored_question(self, message: Message) -> QuestionView:
        """Return the view of a stored question."""
        question = self.question(message.text or message.blocked_words or "", message.id)
        if damage := damage_of(message):
            question.show_damage(damage)
        return question

    def stored_answer(self, message: Message) -> AnswerView:
        """Return the empty view of a stored answer."""
        answer = self.answer(message.id, is_stored=True)
        answer.tool_label = self._tool_label
        own = [each for each in self._stored_questions if each.message == message.id]
        answer.stored_questions = {each.question.call_id: each for each in own}
        return answer

    def answer(self, message: MessageId | None = None, *, is_stored: bool = False) -> AnswerView:
        """Return the empty view of an answer."""
        make_card = partial(self._make_card, told=set(), is_counted=not is_stored)
        answer = AnswerView(make_card=make_card, awake=self._awake, message=message)
        answer.set_choices_enabled(can_choose=self.can_choose)
        answer.action_requested.connect(self.action_requested)
        answer.chosen.connect(self.chosen)
        answer.values_wanted.connect(lambda others: self._start(self._show_values(others)))
        answer.answered_late.connect(
            lambda card, given: self._start(self._answer_late(answer, card, given))
        )
        answer.question_looked_after.connect(
            lambda card: self._start(self._close_answered(answer, card))
        )
        answer.dashboard_opened.connect(self._actions.open_dashboard)
        answer.dashboard_requested.connect(
            lambda contents: self._actions.keep_dashboard(contents, self._conversation)
        )
        answer.exported.connect(self._actions.note_export)
        answer.note_edited.connect(self._actions.open_note)
        answer.form_requested.connect(self._open_form)
        answer.plan_opened.connect(self._actions.open_question_form)
        answer.citations_opened.connect(self._actions.open_citations)
        answer.result_opened.connect(lambda line: self.part_opened.emit(answer, line))
        answer.contested.connect(lambda entry: self._tasks.start(self._contest(entry)))
        answer.message_opened.connect(self._actions.open_message)
        answer.note_undone.connect(
            lambda note, call: self._tasks.start(self._undo_note(note, call))
        )
        answer.hovered.connect(lambda: self._start(self._load_usage(answer)))
        footer = answer.footer
        footer.retry_requested.connect(lambda: self.action_requested.emit("retry"))
        footer.edit_requested.connect(lambda: self.edit_requested.emit(self.question_above(answer)))
        footer.sent_requested.connect(lambda: self._open_sent(answer))
        footer.rated.connect(lambda rating: self._tasks.start(self._rate(answer, _RATINGS[rating])))
        return answer

    async def _contest(self, entry: int) -> None:
        from qhub_desktop.store.moderation import ModerationRepository

        await ModerationRepository(self._messages.database).contest(entry)

    def question_above(self, answer: AnswerView) -> QuestionView | None:
        """Return the question that an answer stands below, if it is loaded."""
        above: QuestionView | None = None
        for entry in self._transcript.entries:
            if entry is answer:
                return above
            if isinstance(entry, QuestionView):
                above = entry
        return None

    def _open_form(self, tool: str, given: JsonObject) -> None:
        """Open the form of a tool, filled in with what was said."""
        if tool == RECORD_TOOL:
            self._actions.open_defects(given)
        else:
            self._actions.open_study(self._conversation, AskedStudy(tool, given))

    def _make_card(self, widget: Widget, *, told: set[str], is_counted: bool) -> QWidget:
        """Make the card of a widget, without the warnings that its answer has told already."""
        # Imports pyqtgraph, 0.5 s: not before there is something to draw.
        from qhub_desktop.ui.charts.card import WidgetCard

        actions, conversation = self._actions, self._conversation
        card = WidgetCard(widget, preview_rows=self._preview_rows)
        card.warn_once(told)
        card.offer_pin()
        card.pin_requested.connect(lambda pinned, plan: actions.pin(pinned, conversation, plan))
        card.offer_workbook()
        card.exported.connect(actions.note_export)
        card.workbook_requested.connect(lambda file: actions.save_workbook(card, file))
        if is_counted:
            self._count_use(card)
        if self._study_service is not None and card.study_view is not None:
            view = card.study_view
            service = self._study_service()
            view.work_with(service, conversation, self._tasks)
            view.recomputed.connect(self.study_recomputed)
            view.monitor_requested.connect(
                lambda study, button: actions.monitor(study, conversation, button)
            )
            view.form_requested.connect(
                lambda study, field: actions.open_study(
                    conversation, AskedStudy(study.method, study.arguments, field)
                )
            )
            if service.has_form(view.study):
                card.offer_form(lambda: view.form_requested.emit(view.study, ""))
        return card

    def _count_use(self, card: WidgetCard) -> None:
        """Count that a card is shown, and once what the person does with it."""
        unused = {"card"}

        def note(kind: SignalKind) -> None:
            if unused:
                unused.clear()
                self._tasks.start(self._note(self._conversation, kind))

        self._tasks.start(self._note(self._conversation, "shown"))
        card.used.connect(note)
        card.exported.connect(lambda *_file: note("exported"))
        card.workbook_requested.connect(lambda _file: note("exported"))
        card.pin_requested.connect(lambda *_pinned: note("pinned"))

    async def read_questions(self) -> None:
        """Read what answers here have asked the person, for the answers made from now on."""
        questions = self._questions()
        self._stored_questions = () if questions is None else await questions.of(self._conversation)

    async def _answer_late(self, answer: AnswerView, card: AskCard, given: PersonAnswer) -> None:
        """Send the answer to a question for which nobody waits any more, as the next message."""
        questions = self._questions()
        if questions is None or not self.can_choose:
            return
        asked = await self._stored_question(questions, answer, card)
        if asked is None:
            return
        is_awaited = await questions.answer(asked.id, given)
        await self.read_questions()
        if is_awaited:
            card.close_with(_("You answered: the answer goes on where it was asked."))
            return
        card.close_with(_("You answered later."))
        self.asked.emit(quoted_answer(card.question, given))

    async def _close_answered(self, answer: AnswerView, card: AskCard) -> None:
        """Close the card of a question that was answered in another program meanwhile."""
        questions = self._questions()
        if questions is None:
            return
        with suppress(UserError):  # another program is busy: it is looked at again
            asked = await self._stored_question(questions, answer, card)
            if asked is not None and not asked.can_be_answered and isValid(card) and card.is_open:
                card.close_with(_("This question was answered elsewhere before."))

    async def _stored_question(
        self, questions: QuestionRepository, answer: AnswerView, card: AskCard
    ) -> StoredQuestion | None:
        call_id = card.question.call_id
        for each in await questions.of(self._conversation):
            if each.question.call_id == call_id and answer.message in (None, each.message):
                return each
        return None

    async def _show_values(self, others: OtherReadings) -> None:
        """Show what other readings come to, one after the other."""
        source = self._readings()
        for button in others.buttons:
            if source is None or button.value:
                continue
            value = await source.value(self._conversation, button.choice.plan)
            if value is not None and isValid(button):
                button.show_value(printed(value))

    async def _undo_note(self, note: NoteLine, call: str) -> None:
        from qhub_desktop.store.memories import MemoryRepository

        memories = MemoryRepository(self._messages.database)
        try:
            await memories.undo(self._conversation, call)
        except QHubError as error:
            if isValid(note):
                note.show_error(error)
        else:
            if isValid(note):
                note.show_undone()

    async def _rate(self, answer: AnswerView, rating: Rating) -> None:
        """Keep a thumb; of a poor answer, nobody else is told before the person says why."""
        stop_asking(answer)
        if answer.message is None:
            return
        feedback = FeedbackRepository(self._messages.database)
        if rating == 1:
            await feedback.give(self._conversation, answer.message, is_good=True)
            return
        await feedback.take_back(answer.message)
        if rating == -1:
            await self._messages.rate(answer.message, rating)
            card = ask_why(answer)
            card.sent.connect(lambda *said: self._tasks.start(self._tell_why(answer, *said)))
            card.dismissed.connect(lambda: stop_asking(answer))

    async def _tell_why(self, answer: AnswerView, reason: Reason, text: str) -> None:
        if answer.message is None:
            return
        stop_asking(answer)
        feedback = FeedbackRepository(self._messages.database)
        await feedback.give(
            self._conversation, answer.message, is_good=False, reason=reason, text=text
        )
        if isValid(answer):
            answer.add_note(_("Sent to whoever reviews the answers."), icon_name="check")

    async def _load_usage(self, answer: AnswerView) -> None:
        if answer.message is not None and not answer.footer.cost:
            answer.footer.set_usage(await self._messages.usage(answer.message))

    def _open_sent(self, answer: AnswerView) -> None:
        if answer.message is not None:
            self._actions.open_sent(answer.message)
