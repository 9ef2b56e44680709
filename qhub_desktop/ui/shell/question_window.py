"""Window that asks by choices: a list for each part of a question, and what it comes to beside."""

from __future__ import annotations  # cards of charts are imported when there is one to draw

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget
from shiboken6 import isValid

from qhub_desktop.core.codec import Json, JsonObject, pack, unpack
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.question_form import (
    FormField,
    FormResult,
    FormSource,
    Path,
    QuestionForm,
    WrittenQuestion,
    put,
)
from qhub_desktop.core.result_widgets import DashboardLink, Widget
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import line_with_signs
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import choice_box, number_to_type, text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    FormBeside,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
    set_height_for_width,
)
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.table.filters import format_bound, parse_bound
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX, set_style_property

TYPING_PAUSE_S = 0.25  # after a key in a box
_BOX_PX, _WIDEST_PX = 112, 300
_WIDEST_TYPED, _BOX_PAD_PX = "00/00/0000", 16
_LABEL_PX = 92
_FORM_PX, _NARROW_PX = 420, 780  # below it, the result stands below the form
_SHOWN_ROWS = 8  # of a table
KeepShown = Callable[[Widget, JsonObject | None], Awaitable[None]]


class FieldControl(QWidget):
    """Control of one field of the form: a list where there are choices, else a box.

    Signals:
        changed: where the value stands, and the value.
    """

    changed = Signal(object, object)

    def __init__(self, field: FormField, tasks: Tasks) -> None:
        super().__init__()
        self.field = field
        self._typing = LatestTask(tasks)
        self.box = text_field()
        self.list: QComboBox = choice_box()
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.list.setMaximumWidth(_WIDEST_PX)
        self.list.setVisible(bool(field.choices))
        self.box.setVisible(not field.choices)
        row_of(self.list, self.box, owner=self, spacing=0)
        self.list.activated.connect(self.choose)
        self.box.textEdited.connect(self._on_typed)

    def show_field(self, field: FormField) -> None:
        """Show the field as it is now; what is being typed stays as it stands."""
        is_new = field.choices != self.field.choices or not self.list.count()
        self.field = field
        values = [each.value for each in field.choices]
        with QSignalBlocker(self.list):
            if is_new:
                self.list.clear()
                self.list.addItems([one_line(each.label) for each in field.choices])
            if field.value in values:
                self.list.setCurrentIndex(values.index(field.value))
        self.box.ensurePolished()  # larger in operators' mode
        wide = self.box.fontMetrics().horizontalAdvance(_WIDEST_TYPED) + 2 * _BOX_PAD_PX
        self.box.setFixedWidth(max(_BOX_PX, wide))
        if not self.box.hasFocus():
            self.box.setText(_written(field.value))
            self._mark(is_bad=bool(field.problem))
        for each in (self.list, self.box):
            each.setAccessibleName(field.label)

    def choose(self, index: int) -> None:
        """Choose an item of the list."""
        self.list.setCurrentIndex(index)
        self.changed.emit(self.field.path, self.field.choices[index].value)

    def _mark(self, *, is_bad: bool) -> None:
        for each in (self.list, self.box):
            set_style_property(each, "state", "bad" if is_bad else "")

    def _on_typed(self, text: str) -> None:
        try:
            typed = parse_bound(text, self.field.type)
        except ValueError:
            self._mark(is_bad=True)
            self._typing.cancel()
            return
        self._mark(is_bad=False)
        value = pack(float(typed) if isinstance(typed, int) else typed)
        self._typing.start_after(TYPING_PAUSE_S, lambda: self._give(value))

    async def _give(self, value: Json) -> None:
        if isValid(self):
            self.changed.emit(self.field.path, value)


def _written(value: Json) -> str:
    """Write a value of a field as it is typed."""
    match value:
        case dict():
            return format_bound(unpack(date, value))
        case float() | int() if not isinstance(value, bool):
            return number_to_type(value)
        case _:
            return "" if value is None else str(value)


class FieldRow(QWidget):
    """Controls of one part of the question, behind what it is called; what is wrong stands below.

    Signals:
        changed: where a value stands, and the value.
    """

    changed = Signal(object, object)

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self.controls: dict[Path, FieldControl] = {}
        self._label = make_label(role="quiet")
        self._flow = FlowLayout(spacing_px=6)
        self._problem = StatusLabel(role="bad")
        inside = QWidget()
        inside.setLayout(self._flow)
        set_height_for_width(inside)
        controls = column_of(inside, self._problem, spacing=2)
        row_of((self._label, 0, Qt.AlignmentFlag.AlignTop), (controls, 1), owner=self)

    def show_fields(self, fields: list[FormField]) -> None:
        """Show these fields; a control that stays keeps the focus."""
        self._label.setText(fields[0].label)
        self._label.ensurePolished()
        self._label.setFixedWidth(max(_LABEL_PX, self._label.sizeHint().width()))
        wanted = {each.path: each for each in fields}
        for path, control in [*self.controls.items()]:
            field = wanted.get(path)
            if field is None or bool(field.choices) != bool(control.field.choices):
                self._flow.removeWidget(control)
                control.hide()
                control.deleteLater()
                del self.controls[path]
        for field in fields:
            if field.path not in self.controls:
                control = FieldControl(field, self._tasks)
                control.changed.connect(self.changed)
                self.controls[field.path] = control
            control = self.controls[field.path]
            self._flow.removeWidget(control)
            self._flow.addWidget(control)  # in their order
            control.show_field(field)
            control.show()
        self._problem.tell(next((each.problem for each in fields if each.problem), ""))
        self._label.setMinimumHeight(next(iter(self.controls.values())).sizeHint().height())


class ResultView(QWidget):
    """What the choices come to: the number or the first groups, and the chart or the table."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = make_label(role="title", is_wrapped=True)
        self.detail = make_label(role="small", is_wrapped=True)
        self._inside = QWidget()
        self._cards = QVBoxLayout(self._inside)
        self._cards.setContentsMargins(0, 0, GRID_PX, 0)
        self.card: QWidget | None = None
        self._area = scrolled(self._inside)
        self._told = QWidget()  # in the middle, where there is no card
        for label in (self.heading, self.detail):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column_of(STRETCH, self.heading, self.detail, STRETCH, owner=self._told)
        column_of((self._told, 1), (self._area, 1), owner=self)

    def show_stale(self) -> None:
        """Show that it is being computed anew; what was there stays until then."""
        self.heading.setEnabled(False)
        self._inside.setEnabled(False)

    def show_note(self, note: str) -> None:
        """Show a sentence in the place of a result."""
        self._clear()
        self._tell("", note)

    def show_result(self, result: FormResult) -> None:
        """Show a chart or a table, else the number or the groups."""
        self._clear()
        shown = result.shown
        value = result.value if shown is None else None
        groups = () if value is None else value.groups
        told = " · ".join(": ".join(each) for each in groups)
        if value is None and shown is None:
            told = _("There is nothing to show for these choices.")
        self._tell("" if value is None else value.text, told)
        if shown is not None and not isinstance(shown, DashboardLink):
            # Imports pyqtgraph, 0.5 s: not before there is something to draw.
            from qhub_desktop.ui.charts.card import WidgetCard

            self.card = WidgetCard(shown, preview_rows=_SHOWN_ROWS)
            self._cards.addWidget(self.card, 0, Qt.AlignmentFlag.AlignTop)
        self._cards.addStretch(1)

    def _tell(self, heading: str, detail: str) -> None:
        """Tell this in the middle of the place; nothing where a card takes it."""
        for label, words in ((self.heading, heading), (self.detail, detail)):
            label.setEnabled(True)
            label.setText(line_with_signs(words))
            label.setVisible(bool(words))
        self._told.setVisible(bool(heading or detail))
        self._area.setVisible(not (heading or detail))

    def _clear(self) -> None:
        self._inside.setEnabled(True)
        self.card = None
        while (item := self._cards.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()


class QuestionWindow(DetailWindow):
    """Form of a question about the data of the open conversation; nothing of it is stored.

    `conversation` returns the one that is open or would be begun, `is_busy` whether an answer is
    under way there, and `keep` keeps a question as a starter. For a card of a dashboard,
    `keep_card` puts what is shown into its place, with its plan.

    Signals:
        asked: the question to send, and its plan.
        edited: the question to go on with in words.
    """

    asked = Signal(str, object)
    edited = Signal(str)

    def __init__(
        self,
        source: Callable[[], FormSource],
        *,
        conversation: Callable[[], ConversationId | None],
        is_busy: Callable[[], bool],
        keep: Callable[[str], Awaitable[object]],
        keep_card: KeepShown | None = None,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(owner, _("Ask by choices"), size=QSize(1240, 720))
        self._source = source
        self._conversation = conversation
        self._is_busy = is_busy
        self._keep = keep
        self._keep_card = keep_card
        self._tasks = tasks
        self._work = WidgetTasks(self, tasks, self._on_error)
        self.making: asyncio.Task[None] | None = None  # what was begun last
        self._given: JsonObject = {}
        self.form: QuestionForm | None = None
        self.written: WrittenQuestion | None = None  # of the plan that is shown
        self._shown: Widget | None = None  # what it comes to
        self.rows: dict[Path, FieldRow] = {}
        self.outcome = ResultView()
        self._fields = column_of(spacing=6, margins=(0, 0, GRID_PX, 0))
        self.sentence = make_label(role="heading", is_wrapped=True, is_selectable=True)
        self.note = make_label(role="small", is_wrapped=True)
        self.status = StatusLabel()
        self.keep_button = TextButton(_("Keep as a starter"), icon_name="pin", on_click=self._save)
        self.edit_button = TextButton(_("Edit"), icon_name="pencil", on_click=self._edit)
        asks = _("Ask") if keep_card is None else _("Put on the dashboard")
        self.ask_button = TextButton(asks, kind="primary", on_click=self._ask)
        self.ask_button.setShortcut(QKeySequence("Ctrl+Return"))
        self._lay_out()
        self.fill({})

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setLayout(self._fields)
        for each in (self.keep_button, self.edit_button):
            each.setAutoDefault(False)
            each.setVisible(self._keep_card is None)
        self.ask_button.setDefault(True)
        foot = row_of(self.keep_button, self.edit_button, STRETCH, self.ask_button)
        form = scrolled(inside)
        form.setMinimumWidth(_FORM_PX)
        body = FormBeside(form, self.outcome, narrow_px=_NARROW_PX, shares=(4, 5))
        self.column.addWidget(body, 1)
        add_to(self.column, self.sentence, self.note, self.status, foot)

    def fill(self, given: JsonObject) -> None:
        """Fill in the form with its input, or with a plan that was understood."""
        self._given = given
        self.refresh()

    def refresh(self) -> None:
        """Make the form anew: its conversation or the data may be others."""
        if self.making is not None:
            self.making.cancel()
        self.written = self._shown = None
        self._show_buttons()
        self.making = self._work.start(self._make(self._given))

    async def _make(self, given: JsonObject) -> None:
        conversation, source = self._conversation(), self._source()
        if conversation is None:
            return
        self.form = form = await source.form(conversation, given)
        self._given = form.given
        self._show_fields(form)
        self.note.setText(form.note)
        self.note.setVisible(bool(form.note))
        if form.plan is None:
            self.sentence.setText("")
            self.outcome.show_note(_("Something is missing yet: see the form."))
            return
        self.outcome.show_stale()
        result = await source.result(conversation, form.plan)
        self.outcome.show_result(result)
        self._shown = None if isinstance(result.shown, DashboardLink) else result.shown
        self.written = await source.sentence(conversation, form.plan)
        self.sentence.setText(line_with_signs(self.written.text))
        told = form.note
        if not self.written.is_read:
            told = _("In words alone this could mean something else: asked here, it is as chosen.")
        if self._keep_card is not None:
            told = form.note
            if self._shown is None:
                told = _("A dashboard shows charts and tables: choose one of them.")
        self.note.setText(told)
        self.note.setVisible(bool(told))
        self._show_buttons()

    def _show_fields(self, form: QuestionForm) -> None:
        rows: dict[Path, list[FormField]] = {}
        for field in form.fields:
            if field.is_joined:
                [*rows.values()][-1].append(field)
            else:
                rows[field.path] = [field]
        for path in [each for each in self.rows if each not in rows]:
            row = self.rows.pop(path)
            row.hide()
            row.deleteLater()
        for at, (path, fields) in enumerate(rows.items()):
            if path not in self.rows:
                row = FieldRow(self._tasks)
                row.changed.connect(self._on_changed)
                self.rows[path] = row
            self._fields.insertWidget(at, self.rows[path])
            self.rows[path].show_fields(fields)
        if self._fields.count() == len(rows):
            self._fields.addStretch(1)
        self._order_tabs(rows)

    def _order_tabs(self, rows: dict[Path, list[FormField]]) -> None:
        """Let Tab go through the controls as they stand."""
        inside = [self.rows[path].controls[e.path] for path, fields in rows.items() for e in fields]
        order = [each.list if each.field.choices else each.box for each in inside]
        for before, after in zip(order, [*order[1:], self.keep_button], strict=True):
            QWidget.setTabOrder(before, after)
        if self.focusWidget() is None or self.focusWidget() not in order:
            order[0].setFocus()

    def _show_buttons(self) -> None:
        is_written = self.written is not None
        is_card = self._shown is not None
        self.ask_button.setEnabled(is_written and (is_card or self._keep_card is None))
        self.edit_button.setEnabled(is_written)
        self.keep_button.setEnabled(self.written is not None and self.written.is_read)

    def _on_changed(self, path: Path, value: Json) -> None:
        given = put(self._given, path, value)
        assert isinstance(given, dict)
        self.status.hide()
        self.fill(given)

    def _ask(self) -> None:
        if self.written is None or self.form is None:
            return
        if self._keep_card is not None:
            if self._shown is not None:
                change = self._put_on(self._keep_card, self._shown, self.form.plan)
                self._work.start_kept(change, self.ask_button)
            return
        if self._is_busy():
            self.status.tell(_("An answer is under way. Ask when it has ended."))
            return
        self.asked.emit(self.written.text, self.form.plan)
        self.close()

    async def _put_on(self, keep: KeepShown, shown: Widget, plan: JsonObject | None) -> None:
        await keep(shown, plan)
        if isValid(self):
            self.close()

    def _edit(self) -> None:
        if self.written is not None:
            self.edited.emit(self.written.text)
            self.close()

    def _save(self) -> None:
        if self.written is not None:
            self._work.start_kept(self._save_starter(self.written.text), self.keep_button)

    async def _save_starter(self, text: str) -> None:
        await self._keep(text)
        if isValid(self):
            self.status.tell(_("Kept: it is offered where a conversation begins."))

    def _on_error(self, error: QHubError) -> None:
        self.status.tell_error(error)
