"""The view of an answer: text, tool calls, widgets and errors in the order of their arrival."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QEvent, QMimeData, Signal
from PySide6.QtGui import QEnterEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget
from typing_extensions import override

from qhub_desktop.chat.number_check import number_places
from qhub_desktop.core.artifact import (
    Artifact,
    ArtifactDelta,
    ArtifactEnded,
    ArtifactEvent,
    ArtifactKind,
    ArtifactParser,
    ArtifactStarted,
    TextDelta,
    split_artifacts,
)
from qhub_desktop.core.asking import StoredQuestion
from qhub_desktop.core.citations import (
    NUMBER_SCHEME,
    UNSUPPORTED_SCHEME,
    citation_of,
    plain_citations,
    unlinked_citations,
)
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import ADDRESS
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.events import Action, ApprovalAsked, Cause, CostAsked, UsageCounted
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.memory import FoundMessage, found_messages, told_of_note
from qhub_desktop.core.message import (
    RECORD_TOOL,
    CheckedNumber,
    Clarification,
    EndReason,
    Interpretation,
    NumberCheck,
    ToolCall,
    ToolResult,
    has_form,
    said_of_defect,
)
from qhub_desktop.core.result_widgets import DashboardLink, Kpi, Shown, Widget
from qhub_desktop.core.study import STUDY_TOOLS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.ui.chat.answer_footer import (
    ActivityIndicator,
    AnswerActions,
    AnswerNote,
    ErrorNotice,
    NumberLine,
    SourceRow,
    end_note,
)
from qhub_desktop.ui.chat.approvals import (
    ApprovalCard,
    ChoiceCard,
    CostCard,
    FormOffer,
    InterpretationRow,
    NextQuestions,
    OtherReadings,
)
from qhub_desktop.ui.chat.artifact import ArtifactCard
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.chat.note_line import NoteLine
from qhub_desktop.ui.chat.streaming import StreamedText
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.chat.tool_line import ToolLine
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    chain_tabs,
    column_of,
    make_label,
    row_of,
    widgets_in,
)
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.controls.saving import put_on_clipboard
from qhub_desktop.ui.theme import GRID_PX
from qhub_desktop.ui.web.web_engine import AwakePages

_KPI_PX = 168
_MAX_KPIS_PER_ROW = 4
_TITLE_CHARACTERS = 48


@runtime_checkable
class FormCard(Protocol):
    """Card whose menu may lead to the form that its widget was made by."""

    def offer_form(self, opens: Callable[[], object], plan: JsonObject | None = None) -> None:
        """Add to the menu what opens the form, which `plan` is filled into."""
        ...


class WidgetFlow(QWidget):
    """Column of widget cards in the order of their arrival; `make_card` builds one."""

    def __init__(self, make_card: Callable[[Widget], QWidget]) -> None:
        super().__init__()
        self._make_card = make_card
        self._column = column_of(owner=self, spacing=GRID_PX + 4)
        self._last: QWidget | None = None
        self.cards: list[QWidget] = []

    def add(self, widget: Widget) -> None:
        """Add the card of a widget."""
        card = self._make_card(widget)
        self.cards.append(card)
        if not isinstance(widget, Kpi):
            self._last = card
            self._column.addWidget(card)
            return
        if not isinstance(self._last, _KpiRows):
            self._last = _KpiRows()
            self._column.addWidget(self._last)
        self._last.add(card)


class _KpiRows(QWidget):
    """KPIs side by side, as many in a row as fit."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID_PX + 4)
        self._cards: list[QWidget] = []
        self._columns = 0

    def add(self, card: QWidget) -> None:
        self._cards.append(card)
        self._columns = 0
        self._arrange()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        room = max(1, self.width() // _KPI_PX)
        columns = min(room, _MAX_KPIS_PER_ROW, len(self._cards))
        if columns == self._columns:
            return
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, place // columns, place % columns)
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)
        self._columns = columns


MakeCard = Callable[[Widget], QWidget]


class CallGroup(QWidget):
    """Consecutive tool calls: their lines above, their widgets below."""

    def __init__(self, make_card: MakeCard) -> None:
        super().__init__()
        self._lines = column_of(spacing=0)
        self._flow = WidgetFlow(make_card)
        self._flow.hide()
        column_of(self._lines, self._flow, owner=self)

    @property
    def cards(self) -> list[QWidget]:
        """Cards of the calls' widgets, in order."""
        return self._flow.cards

    def add_line(self, line: ToolLine) -> None:
        """Add the line of a call."""
        self._lines.addWidget(line)

    def add_widget(self, widget: Widget) -> None:
        """Add a chart, a table or a KPI."""
        self._flow.add(widget)
        self._flow.show()


class DashboardCard(QFrame):
    """Card of a dashboard made by the answer, with a button that opens it.

    Signals:
        opened: id of the dashboard.
    """

    opened = Signal(str)

    def __init__(self, link: DashboardLink) -> None:
        super().__init__()
        self.link = link
        self.setProperty("kind", "card")
        self.setAccessibleName(link.title)
        title = make_label(link.title, role="heading", is_wrapped=True)
        self.button = TextButton(_("Open dashboard"), icon_name="chart", kind="primary")
        self.button.clicked.connect(lambda: self.opened.emit(link.url.removeprefix(ADDRESS)))
        row_of(
            (title, 1), self.button, owner=self, margins=(2 * GRID_PX, GRID_PX + 4), spacing=None
        )


Entry = TypeVar("Entry", bound=QWidget)


class TextWriter:
    """Text as it streams: paragraphs, and the artifacts that are written between them."""

    def __init__(
        self,
        insert_text: Callable[[], StreamedText],
        insert_artifact: Callable[[ArtifactKind], ArtifactCard],
    ) -> None:
        self._insert_text = insert_text
        self._insert_artifact = insert_artifact
        self._parser = ArtifactParser()
        self._artifact: ArtifactCard | None = None  # the artifact being written
        self._unfinished: list[StreamedText] = []  # texts above that artifact
        self._text: StreamedText | None = None

    def feed(self, words: str) -> None:
        """Add what has arrived."""
        for event in self._parser.feed(words):
            self._show(event)

    def end_paragraph(self) -> None:
        """Let what arrives next stand below what was inserted meanwhile."""
        self._text = None

    def finish(self) -> Iterator[None]:
        """Render the text so far as complete, a little at each step of the iterator."""
        for event in self._parser.finish():
            self._show(event)
        texts, self._unfinished = self._unfinished, []
        if self._text is not None:
            texts.append(self._text)
            self._text = None
        for text in texts:
            yield from text.finish()

    def _show(self, event: ArtifactEvent) -> None:
        match event:
            case TextDelta(words) if self._text is not None:
                self._text.add(words)
            case TextDelta(words) if words.strip():
                self._text = self._insert_text()
                self._text.add(words)
            case ArtifactStarted(kind):
                if self._text is not None:
                    self._unfinished.append(self._text)
                    self._text = None
                self._artifact = self._insert_artifact(kind)
            case ArtifactDelta(code) if self._artifact is not None:
                self._artifact.add_code(code)
            case ArtifactEnded(artifact) if self._artifact is not None:
                self._artifact.end(artifact)
                self._artifact = None


class RecallLine(QFrame):
    """A button for each message that a search has found, to be opened in its conversation.

    Signals:
        opened: the conversation and the message.
    """

    opened = Signal(str, int)

    def __init__(self, hits: Sequence[FoundMessage]) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self.setAccessibleName(_("Messages that were found"))
        self.buttons = [self._button(each) for each in hits]
        column = column_of(owner=self, margins=(GRID_PX + 4, GRID_PX), spacing=0)
        for button in self.buttons:
            column.addLayout(row_of(button, STRETCH))

    def _button(self, hit: FoundMessage) -> TextButton:
        title = one_line(hit.title or hit.excerpt, most=_TITLE_CHARACTERS)
        words = f"{moment(hit.said)} · {title}"
        button = TextButton(words, icon_name="search", kind="link")
        set_tooltip(button, one_line(hit.excerpt, most=300))
        button.clicked.connect(lambda: self.opened.emit(hit.conversation, hit.message))
        return button


class AnswerView(QWidget):
    """View of one answer; its owner feeds it, so it knows neither store nor engine.

    Signals:
        action_requested: action of an error or a remark ("retry", "continue", "settings", …).
        answered_late: the AskCard of a question for which nobody waits any more, and the answer.
        question_looked_after: such a card, which may have been answered elsewhere.
        chosen: a Choice, of a clarification, of a part of the interpretation, or another reading.
        values_wanted: the OtherReadings that were opened, to be shown what they come to.
        dashboard_opened: id of the dashboard to open.
        dashboard_requested: DashboardSpec of an artifact to store as a dashboard.
        exported: the file that an artifact was saved as, and a number of rows, which is 0.
        note_undone: the NoteLine of a note that is to be as before, and the id of the call.
        note_edited: path of a note to edit.
        form_requested: the tool of a form, and what was said, as its input.
        plan_opened: the plan of a question, to be changed in a form.
        citations_opened: all Citations of the answer, and the index of the one that was pressed.
        message_opened: the conversation and the message of something that was found.
        contested: number of an entry of the record of moderation that the person calls wrong.
        result_opened: the line of the call whose result a number that was pressed stands in.
        hovered: the pointer entered for the first time.
    """

    action_requested = Signal(str)
    answered_late = Signal(object, object)
    question_looked_after = Signal(object)
    chosen = Signal(object)
    values_wanted = Signal(object)
    dashboard_opened = Signal(str)
    dashboard_requested = Signal(object)
    exported = Signal(object, int)
    note_undone = Signal(object, str)
    note_edited = Signal(str)
    form_requested = Signal(str, object)
    plan_opened = Signal(object)
    citations_opened = Signal(object, int)
    message_opened = Signal(str, int)
    contested = Signal(int)
    result_opened = Signal(QWidget)
    hovered = Signal()

    def __init__(
        self,
        *,
        make_card: MakeCard,
        awake: AwakePages | None = None,
        message: MessageId | None = None,
    ) -> None:
        super().__init__()
        self.message = message
        self._make_card = make_card
        self._awake = awake or AwakePages()
        self._writer = TextWriter(self._insert_text, self._insert_artifact)
        self._call_group: CallGroup | None = None
        self.tool_lines: dict[str, ToolLine] = {}  # by the id of the call, in order
        self._calls: dict[str, ToolCall] = {}
        self._said: tuple[str, JsonObject] | None = None  # a tool, and the input for its form
        self._plan: JsonObject | None = None  # of the question, which a form can change
        self._usage: list[UsageCounted] = []
        self.numbers: Sequence[CheckedNumber] = ()  # that were checked, in order
        self.citations: list[Citation] = []  # their marks stand in the text, sources at the end
        self._is_hovered = False
        self._can_choose = True
        self._is_last = True
        self.stored_questions: Mapping[str, StoredQuestion] = {}  # by the id of the call
        self.tool_label: Callable[[str], str] = lambda _name: ""  # of a stored call, by its tool
        self._activity = ActivityIndicator()
        self._activity.hide()
        self.footer = AnswerActions()
        self.footer.hide()
        self._column = column_of(self._activity, self.footer, owner=self, spacing=GRID_PX + 2)
        self.footer.copy_requested.connect(self._copy)

    @property
    def text(self) -> str:
        """The whole text as Markdown."""
        entries = widgets_in(self._column)
        words = [each.text for each in entries if isinstance(each, StreamedText | ArtifactCard)]
        return "\n\n".join(filter(None, map(str.strip, words)))

    @property
    def views(self) -> list[MarkdownView]:
        """Views of the text, top to bottom."""
        return [view for each in self.entries(StreamedText) for view in each.views]

    @property
    def cards(self) -> list[QWidget]:
        """Cards of widgets, in order."""
        return [card for each in self.entries(CallGroup) for card in each.cards]

    def entries(self, kind: type[Entry]) -> list[Entry]:
        """Return what stands in the answer of a kind, top to bottom."""
        return [each for each in widgets_in(self._column) if isinstance(each, kind)]

    @property
    def activity(self) -> str:
        """The progress shown, "" for none."""
        return "" if self._activity.isHidden() else self._activity.text

    def add_text(self, words: str) -> None:
        """Add streamed text, which may contain artifacts."""
        self.hide_activity()
        self._writer.feed(words)

    def show_text(self, text: str) -> None:
        """Add complete text."""
        self._end_group()
        for part in split_artifacts(text):
            if isinstance(part, Artifact):
                self._insert_artifact(part.kind).end(part)
            else:
                self._insert_text().set_text(part)

    def finish_text(self) -> Iterator[None]:
        """Render the text so far as complete, a little at each step of the iterator."""
        return self._writer.finish()

    def start_tool(self, call: ToolCall, label: str = "") -> None:
        """Show a running tool call; `label` says what it does, "" for a stored call."""
        self.hide_activity()
        label = label or self.tool_label(call.name)
        line = ToolLine(call.name, call.input, label=label)
        line.chosen.connect(self.chosen)
        self.tool_lines[call.id] = line
        self._calls[call.id] = call
        self._open_group().add_line(line)

    def finish_tool(self, result: ToolResult) -> None:
        """Show the result of a tool call."""
        if line := self.tool_lines.get(result.call_id):
            line.finish(
                result.content, ms=result.ms, is_error=result.is_error, source=result.source
            )
            call = self._calls[result.call_id]
            for card in self.entries(AskCard):
                if card.question.call_id == call.id:
                    card.show_result(result)
            if (said := said_of_defect(call)) is not None:
                self._said = RECORD_TOOL, said
            elif call.name in STUDY_TOOLS:  # what is made has a way to the form on its card
                self._said = (call.name, call.input) if result.is_error else None
            if told := told_of_note(call, result):
                self._end_group()
                note = self.insert(NoteLine(told, call, result))
                note.undo_requested.connect(lambda id_: self.note_undone.emit(note, id_))
                note.edit_requested.connect(self.note_edited)
            elif hits := [*found_messages(call, result)]:
                self._end_group()
                self.insert(RecallLine(hits)).opened.connect(self.message_opened)

    def add_widget(self, widget: Shown) -> None:
        """Add a widget: a chart, a table, a KPI or a dashboard."""
        if isinstance(widget, DashboardLink):
            self._end_group()
            card = self.insert(DashboardCard(widget))
            card.opened.connect(self.dashboard_opened)
            return
        self._open_group().add_widget(widget)

    def add_error(self, text: str, action: Action) -> None:
        """Add an error with its remedy."""
        self.hide_activity()
        self._end_group()
        self.insert(ErrorNotice(text, action)).action_requested.connect(self.action_requested)

    def add_note(self, text: str, *, icon_name: str, action: Action = "") -> None:
        """Add a remark."""
        self._end_group()
        note = self.insert(AnswerNote(text, icon_name=icon_name, action=action))
        note.action_requested.connect(self.action_requested)

    def add_approval(self, request: ApprovalAsked) -> ApprovalCard:
        """Add the card that asks to approve a tool call."""
        self.hide_activity()
        self._end_group()
        return self.insert(ApprovalCard(request))

    def add_cost(self, request: CostAsked) -> CostCard:
        """Add the card that asks whether to send a question that may cost much."""
        self.hide_activity()
        return self.insert(CostCard(request))

    def add_question(self, question: Clarification) -> AskCard:
        """Add a question in the middle of the answer."""
        self.hide_activity()
        self._end_group()
        card = self.insert(AskCard(question))
        card.set_late_enabled(can_answer=self._can_choose)
        card.answered_late.connect(lambda answer: self.answered_late.emit(card, answer))
        card.looked_after.connect(lambda: self.question_looked_after.emit(card))
        return card

    def add_choice(self, question: Clarification) -> None:
        """Add a clarification."""
        self.hide_activity()
        self._end_group()
        card = self.insert(ChoiceCard(question))
        card.setEnabled(self._can_choose)
        card.chosen.connect(self.chosen)

    def add_interpretation(self, understood: Interpretation) -> None:
        """Add the interpretation of the question."""
        self.hide_activity()
        self._end_group()
        entries: list[InterpretationRow | OtherReadings | NextQuestions] = []
        if has_form(understood):
            self._plan = understood.plan
        if understood.chips:
            row = InterpretationRow(understood)
            row.form_requested.connect(self.plan_opened)
            entries.append(row)
        if understood.others:
            others = OtherReadings(understood.others)
            others.opened.connect(lambda: self.values_wanted.emit(others))
            entries.append(others)
        if understood.next and self._is_last:
            entries.append(NextQuestions(understood.next))
        for entry in entries:
            self.insert(entry).setEnabled(self._can_choose)
            entry.chosen.connect(self.chosen)
        if (said := said_of_defect(understood)) is not None:
            self._said = RECORD_TOOL, said

    def show_numbers(self, check: NumberCheck) -> Iterator[None]:
        """Show where the numbers are from, a little at each step of the iterator."""
        self._end_group()
        self.numbers = check.numbers
        texts = self.entries(StreamedText)
        places = [(text, place) for text in texts for place in number_places(text.text)]
        if len(places) == len(check.numbers):
            by_text: dict[StreamedText, list[tuple[int, int, str]]] = {}
            for index, ((text, (start, end)), each) in enumerate(
                zip(places, check.numbers, strict=True)
            ):
                scheme = UNSUPPORTED_SCHEME if each.state == "unsupported" else NUMBER_SCHEME
                by_text.setdefault(text, []).append((start, end, f"{scheme}:{index}"))
            for text, addresses in by_text.items():
                yield from text.link_numbers(addresses)
        marked = [
            text.text[start:end]
            for (text, (start, end)), each in zip(places, check.numbers, strict=False)
            if each.state == "unsupported"
        ]
        line = self.insert(NumberLine(check, marked))
        line.setEnabled(self._can_choose)
        line.chosen.connect(self.chosen)

    def set_choices_enabled(self, *, can_choose: bool) -> None:
        """Enable or disable choices, for instance while an answer is under way."""
        self._can_choose = can_choose
        for kind in (ChoiceCard, InterpretationRow, OtherReadings, NextQuestions, NumberLine):
            for entry in self.entries(kind):
                entry.setEnabled(can_choose)
        for card in self.entries(AskCard):
            card.set_late_enabled(can_answer=can_choose)

    def make_read_only(self) -> None:
        """Take away what only the person whose conversation it is may do."""
        self.set_choices_enabled(can_choose=False)
        self.footer.hide()
        for made in self.entries(DashboardCard):
            made.button.hide()
        for artifact in self.entries(ArtifactCard):
            artifact.keep_button.setEnabled(False)
        for note in self.entries(NoteLine):
            note.remove_actions()
        for found in (*self.entries(RecallLine), *self.entries(FormOffer)):
            found.hide()

    def show_activity(self, text: str, *, wait_s: float | None = None) -> None:
        """Show progress until text arrives; `wait_s` is counted down."""
        self._activity.show_text(text, wait_s=wait_s)
        self._activity.show()

    def hide_activity(self) -> None:
        """Hide the progress."""
        self._activity.hide()

    def add_usage(self, usage: UsageCounted) -> None:
        """Add the token usage of a model call."""
        self._usage.append(usage)
        self.footer.set_usage(self._usage)

    def end(self, reason: EndReason, cause: Cause) -> None:
        """End the answer, for a reason that is shown if it matters."""
        self.hide_activity()
        for line in self.tool_lines.values():
            if not line.is_finished:
                line.interrupt()
        for card in self.entries(ApprovalCard):
            card.close_unanswered()
        if self.citations:
            sources = self.insert(SourceRow(self.citations))
            sources.pressed.connect(lambda at: self.citations_opened.emit(self.citations, at))
        for made in self.cards if self._plan is not None else ():
            if isinstance(made, FormCard):
                made.offer_form(lambda: self.plan_opened.emit(self._plan), self._plan)
        if self._said is not None:
            self._end_group()
            self.insert(FormOffer(*self._said)).requested.connect(self.form_requested)
        if words := end_note(reason, cause):
            self.add_note(words, icon_name="stop", action="continue" if reason == "limit" else "")
        self.footer.show()
        chain_tabs([self])  # the actions were made before what stands above them

    def set_last(self, *, is_last: bool) -> None:
        """Tell whether nothing follows; else remedies and next questions go."""
        self._is_last = is_last
        self.footer.set_last(is_last=is_last)
        for entry in self.entries(NextQuestions):
            entry.setVisible(is_last)
        if not is_last:
            for remedy in (*self.entries(ErrorNotice), *self.entries(AnswerNote)):
                remedy.remove_action()

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.footer.set_hovered(is_hovered=True)
        if not self._is_hovered:
            self._is_hovered = True
            self.hovered.emit()

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.footer.set_hovered(is_hovered=False)

    def insert(self, entry: Entry) -> Entry:
        """Insert a widget behind all that is shown so far."""
        self._column.insertWidget(self._column.indexOf(self._activity), entry)
        return entry

    def _insert_text(self) -> StreamedText:
        self._call_group = None
        text = self.insert(StreamedText())
        text.cited.connect(partial(_open_address, self))
        return text

    def _insert_artifact(self, kind: ArtifactKind) -> ArtifactCard:
        self._call_group = None
        card = self.insert(ArtifactCard(kind, self._awake))
        card.dashboard_requested.connect(self.dashboard_requested)
        card.exported.connect(self.exported)
        return card

    def _open_group(self) -> CallGroup:
        self._writer.end_paragraph()
        if self._call_group is None:
            self._call_group = self.insert(CallGroup(self._make_card))
        return self._call_group

    def _end_group(self) -> None:
        self._writer.end_paragraph()
        self._call_group = None

    def _copy(self) -> None:
        data = QMimeData()
        data.setText(plain_citations(self.text))
        data.setHtml(unlinked_citations("".join(view.toHtml() for view in self.views)))
        put_on_clipboard(data)
        self.footer.confirm_copied()


def _open_address(answer: AnswerView, address: str) -> None:
    scheme, _colon, number = address.partition(":")
    if scheme in (NUMBER_SCHEME, UNSUPPORTED_SCHEME):
        checked = answer.numbers[int(number) : int(number) + 1]
        for line in (answer.tool_lines.get(each.call) for each in checked):
            if line is not None:
                if not line.is_open:
                    line.toggle()
                answer.result_opened.emit(line)
    elif (citation := citation_of(address, answer.citations)) is not None:
        answer.citations_opened.emit(answer.citations, answer.citations.index(citation))
