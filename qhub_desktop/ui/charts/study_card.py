"""A study on its card: doubts first, then the verdict, the panels, facts and tables."""

from __future__ import annotations  # a view names windows that follow below

import itertools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QLineEdit, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.study import HEADS, PAGED, PointNote, Study, TableView, label_of
from qhub_desktop.core.text import cell, day_words, moment, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.ui.charts.panels import StudyPanels
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import ElidedButton, IconLabel, TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    add_to,
    column_of,
    make_label,
    row_of,
    set_height_for_width,
)
from qhub_desktop.ui.controls.popup import DetailWindow, PopupFrame
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.tools.study_service import StudyService
    from qhub_desktop.ui.tasks import Tasks

BESIDE_PX = 12
POPOVER_PX = 420
FACT_COLUMNS = 2
TABLE_ROWS = 8


class RemarkBox(QFrame):
    """Calm box of sentences under one icon: doubts on a study, or what was changed by hand."""

    def __init__(self, name: str, sentences: Sequence[str], *, icon_name: str) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self.setAccessibleName(f"{name}: {' '.join(sentences)}")
        sign = IconLabel(icon_name, "warn", size_px=18)
        said = [make_label(each, is_wrapped=True, is_selectable=True) for each in sentences]
        words = column_of(*said, spacing=4)
        row_of((sign, 0, Qt.AlignmentFlag.AlignTop), (words, 1), owner=self, margins=(10, 6))


class StudyView(QWidget):
    """Everything of a study under its title, in the order in which it should be read.

    Signals:
        recomputed: question and answer with another version of the study, both stored.
        monitor_requested: the study, whose limits are to watch data, and the button pressed.
        form_requested: the study is to be changed in its form, beginning at a field, "" for none.
    """

    recomputed = Signal(object, object)
    monitor_requested = Signal(object, object)
    form_requested = Signal(object, str)

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study
        self.panels: StudyPanels | None = None
        self._service: StudyService | None = None
        self._conversation = NO_CONVERSATION
        self._work: WidgetTasks | None = None
        self._notes: list[PointNote] = []
        self.offered: dict[str, Callable[[str], object]] = {}  # at each point, given its label
        column = column_of(owner=self, spacing=GRID_PX + 2)
        self.said: dict[str, ElidedButton] = {}  # what the study was given, by its field
        self._said = QWidget()
        self._said.setAccessibleName(_("What was understood"))
        self._said.setLayout(FlowLayout(spacing_px=GRID_PX))
        self._said.hide()
        column.addWidget(self._said)
        if study.doubts:
            column.addWidget(RemarkBox(_("Doubts"), study.doubts, icon_name="warning"))
        self.verdict = make_label(study.verdict, is_wrapped=True, is_selectable=True)
        self.verdict.setVisible(bool(study.verdict))
        column.addWidget(self.verdict)
        if study.overrides:
            changed = [each.sentence for each in study.overrides]
            column.addWidget(RemarkBox(_("Changes by hand"), changed, icon_name="pencil"))
        if any(study.panels):
            self.panels = StudyPanels(study.panels, study.signals, title=study.title)
            self.panels.point_chosen.connect(self.open_point)
            column.addWidget(self.panels)
        self.freeze_button = ElidedButton(_("Freeze limits"), kind="link")
        self.freeze_button.hide()
        self.freeze_button.clicked.connect(self.freeze)
        self.monitor_button = ElidedButton(_("Monitor this chart…"), kind="link")
        self.monitor_button.hide()
        self.monitor_button.clicked.connect(
            lambda: self.monitor_requested.emit(self.study, self.monitor_button)
        )
        self.report_button = ElidedButton(_("Report (PDF and Excel)…"), kind="link")
        self.report_button.hide()
        self.report_button.clicked.connect(lambda _on: self.ask_report())
        self.page_button = ElidedButton(_("Customer's report, one page…"), kind="link")
        self.page_button.hide()
        self.page_button.clicked.connect(lambda: self._start(self._ask_page(), self.page_button))
        self.form_button = ElidedButton(_("Change this study…"), icon_name="more", kind="link")
        self.form_button.hide()
        self.form_button.clicked.connect(lambda: self.form_requested.emit(self.study, ""))
        below, flow = QWidget(), FlowLayout(spacing_px=0)
        set_height_for_width(below)
        below.setLayout(flow)
        for button in (
            self.form_button,
            self.freeze_button,
            self.monitor_button,
            self.report_button,
            self.page_button,
        ):
            flow.addWidget(button)
        column.addWidget(below)
        self._message = StatusLabel(role="small")
        column.addWidget(self._message)
        if study.facts:
            column.addWidget(FactGrid(study.facts))
        self.tables = [self._add_table(view) for view in study.tables]
        if study.opens and self.tables:
            self.tables[0].view.activated.connect(
                lambda index: self.open_row(self.tables[0].row_of(index))
            )
            column.addWidget(
                make_label(
                    _("A double click on a row opens its study."), role="small", is_wrapped=True
                )
            )

    def work_with(self, service: StudyService, conversation: ConversationId, tasks: Tasks) -> None:
        """Offer what a person does with points and limits, and show what is noted on points."""
        self._service, self._conversation = service, conversation
        self._work = WidgetTasks(self, tasks, self._message.tell_error)
        self.monitor_button.setVisible(self.study.has_frozen_limits)
        self.freeze_button.setVisible(self.study.can_freeze and self.study.points is not None)
        self.report_button.show()
        self.page_button.setVisible(self.study.method in PAGED)
        self._show_said(service)
        if self.study.points is not None:
            tasks.start(self._load_notes(service))

    def _show_said(self, service: StudyService) -> None:
        """Show what the study was given, a button each, that opens the form there."""
        flow = self._said.layout()
        assert flow is not None
        for field, label, value in service.said(self.study):
            words = _("{name}: {value}").format(name=label, value=value)
            button = ElidedButton(words, kind="pill")
            button.clicked.connect(
                lambda _on=False, field=field: self.form_requested.emit(self.study, field)
            )
            self.said[field] = button
            flow.addWidget(button)
        self._said.setVisible(bool(self.said))
        self.form_button.setVisible(service.has_form(self.study))

    @property
    def conversation(self) -> ConversationId:
        """The conversation that it stands in; empty where nothing can be done with it."""
        return self._conversation

    def notes_on(self, point: int) -> list[PointNote]:
        """Return the notes on a point, the oldest first."""
        if self.study.points is None or not 0 <= point < len(self.study.points.rows):
            return []
        label = label_of(self.study, point)
        return [note for note in self._notes if note.label == label]

    def open_point(self, point: int) -> PointPopover | None:
        """Show a point's values, rules and notes beside it, and what can be done with it."""
        points = self.study.points
        if self.panels is None or points is None or not 0 <= point < len(points.rows):
            return None
        self._message.hide()
        popover = PointPopover(self, self.study, point, self.notes_on(point))
        if self._service is not None:
            if self._service.can_show_rows:
                popover.offer(_("Show its rows"), lambda: self._start(self._show_rows(point)))
            popover.offer(_("Note cause and action…"), lambda: self.open_note(point))
            if self.study.can_exclude:
                popover.offer(_("Leave this point out…"), lambda: self.open_exclusion(point))
        for words, run in self.offered.items():
            popover.offer(words, partial(run, label_of(self.study, point)))
        place = self.panels.point_rect(point).bottomRight()
        popover.open_at(self.panels.mapToGlobal(place) + QPoint(BESIDE_PX, BESIDE_PX))
        return popover

    def open_row(self, row: int) -> None:
        """Compute the study that a row of the first table stands for, and show it."""
        if self._service is not None and 0 <= row < len(self.study.opens):
            self._start(self._open_row(row))

    def open_note(self, point: int) -> AskWindow:
        """Ask for cause and action, and keep them on the point."""
        window = AskWindow(
            self,
            _("Point {label}: cause and action").format(
                label=day_words(label_of(self.study, point))
            ),
            (_("Cause"), _("Action")),
            _("Keep the note"),
        )
        window.answered.connect(lambda words: self._start(self._note(window, point, words)))
        window.show()
        return window

    def open_exclusion(self, point: int) -> AskWindow:
        """Ask for the reason, and compute the study again without the point."""
        window = AskWindow(
            self,
            _("Leave point {label} out").format(label=day_words(label_of(self.study, point))),
            (_("Reason"),),
            _("Leave it out"),
        )
        window.answered.connect(lambda words: self._start(self._exclude(window, point, words)))
        window.show()
        return window

    def freeze(self) -> None:
        """Keep the limits; where points break rules, ask before: the limits would be of these."""
        if not self.study.signals:
            self._start(self._freeze(), self.freeze_button)
            return
        count = len(self.study.signals)
        words = ngettext(
            "{count} point breaks the rules. Limits that are frozen with it take what made it for"
            " normal. Leave the point out first if its cause is known and gone.",
            "{count} points break the rules. Limits that are frozen with them take what made them"
            " for normal. Leave the points out first if their causes are known and gone.",
            count,
        )
        window = DetailWindow(self, _("Freeze limits?"), size=QSize(460, 200))
        back = TextButton(_("Cancel"), on_click=window.close)
        sure = TextButton(_("Freeze all the same"), kind="danger", on_click=window.close)
        sure.clicked.connect(lambda: self._start(self._freeze(), self.freeze_button))
        sure.setAutoDefault(False)
        said = make_label(words.format(count=number(count, digits=0)), is_wrapped=True)
        add_to(window.column, said, STRETCH, row_of(STRETCH, back, sure))
        window.show()
        back.setFocus()

    async def _ask_page(self) -> None:
        """Ask what stands in the head of the customer's page, then for a file."""
        assert self._service is not None
        known = await self._service.head(self.study)
        if not isValid(self):
            return
        names = [_(label) for label in HEADS.values()]
        values = [known[name] for name in HEADS]
        window = AskWindow(self, _("Head of the report"), names, _("Choose the file…"), values)

        def on_answered(words: tuple[str, ...]) -> None:
            window.finish()
            self.ask_report(dict(zip(HEADS, words, strict=True)))

        window.answered.connect(on_answered)
        window.show()

    def ask_report(self, head: Mapping[str, str] | None = None) -> None:
        """Ask for a file, then write the report there; the customer's, if it has a head."""
        open_save_dialog(
            self,
            self.study.title,
            kind=_("PDF report, with an Excel file beside it"),
            suffix=".pdf",
            on_selected=lambda name: self._start(
                self._report(Path(name), head), self.report_button, self.page_button
            ),
        )

    def _start(self, work: Coroutine[Any, Any, None], *buttons: QWidget) -> None:
        assert self._work is not None
        self._work.start_kept(work, *buttons)

    async def _load_notes(self, service: StudyService) -> None:
        notes = await service.notes(self.study)
        if isValid(self):
            self._notes = notes
            self._show_flags()

    def _show_flags(self) -> None:
        if self.panels is None or self.study.points is None or not self._notes:
            return
        noted = {note.label for note in self._notes}
        rows = self.study.points.rows
        self.panels.set_flags(tuple(at for at, row in enumerate(rows) if str(row[0]) in noted))

    async def _show_rows(self, point: int) -> None:
        assert self._service is not None
        view = await self._service.rows(self._conversation, self.study, point)
        if not isValid(self):
            return
        window = DetailWindow(self, view.title, size=QSize(960, 560))
        table = TableWidget(view.table, row_count=view.row_count)
        window.add(table)
        window.show()
        table.view.setFocus()

    async def _note(self, window: AskWindow, point: int, words: tuple[str, ...]) -> None:
        assert self._service is not None
        cause, action = words
        try:
            note = await self._service.note(self.study, point, cause=cause, action=action)
        except QHubError as error:
            window.show_error(error)
            return
        window.finish()
        if isValid(self):
            self._notes.append(note)
            self._show_flags()

    async def _exclude(self, window: AskWindow, point: int, words: tuple[str, ...]) -> None:
        assert self._service is not None
        try:
            made = await self._service.exclude(self._conversation, self.study, point, words[0])
        except QHubError as error:
            window.show_error(error)
            return
        window.finish()
        if isValid(self):
            self.recomputed.emit(*made)

    async def _open_row(self, row: int) -> None:
        assert self._service is not None
        given = self.study.opens[row]
        made = await self._service.put(self._conversation, self.study.method, given)
        if isValid(self):
            self.recomputed.emit(*made)

    async def _freeze(self) -> None:
        assert self._service is not None
        made = await self._service.freeze(self._conversation, self.study)
        if isValid(self):
            self.recomputed.emit(*made)

    async def _report(self, target: Path, head: Mapping[str, str] | None) -> None:
        assert self._service is not None
        self.report_button.setText(_("Writing the report…"))
        try:
            document, book = await self._service.report(
                self._conversation, self.study, target, head
            )
        finally:
            if isValid(self):
                self.report_button.setText(_("Report (PDF and Excel)…"))
        names = f"{document.name}, {book.name}"
        self._message.tell_saved(_("Saved as {name}.").format(name=names), document)

    def _add_table(self, view: TableView) -> TableWidget:
        column = self.layout()
        assert column is not None
        head = make_label(view.title, is_wrapped=True)
        head.setProperty("role", "heading")
        table = TableWidget(view.table, row_count=view.row_count)
        table.fit_rows(TABLE_ROWS)
        column.addWidget(head)
        column.addWidget(table)
        return table


class FactGrid(QWidget):
    """Names and values in columns beside each other, or below where there is no room."""

    def __init__(self, facts: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(_("Facts"))
        self._beside = row_of(owner=self, spacing=2 * GRID_PX)
        self._grids: list[QGridLayout] = []
        set_height_for_width(self)
        rows = -(-len(facts) // FACT_COLUMNS)
        for start in range(0, len(facts), rows):
            grid = QGridLayout()
            grid.setHorizontalSpacing(GRID_PX + 4)
            grid.setVerticalSpacing(2)
            grid.setColumnStretch(0, 2)
            grid.setColumnStretch(1, 3)
            for row, (name, value) in enumerate(facts[start : start + rows]):
                label = make_label(name, role="quiet", is_wrapped=True)
                label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                grid.addWidget(label, row, 0)
                grid.addWidget(_value(value), row, 1)
            grid.setRowStretch(rows, 1)
            self._beside.addLayout(grid, 1)
            self._grids.append(grid)

    @override
    def minimumSizeHint(self) -> QSize:
        widest = max((each.minimumSize().width() for each in self._grids), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        gaps = self._beside.spacing() * (len(self._grids) - 1)
        needed = sum(each.minimumSize().width() for each in self._grids) + gaps
        is_narrow = event.size().width() < needed
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._beside.setDirection(way)


def _value(text: str) -> QLabel:
    label = make_label(text, is_wrapped=True, is_selectable=True)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return label


class PointPopover(PopupFrame):
    """A point beside itself: its values, the rules it breaks, what was noted, what can be done."""

    def __init__(
        self, owner: QWidget | None, study: Study, point: int, notes: Sequence[PointNote]
    ) -> None:
        super().__init__(owner)
        assert study.points is not None
        name = _("Point {label}").format(label=day_words(label_of(study, point)))
        self.setAccessibleName(name)
        self.setMaximumWidth(POPOVER_PX)
        self.buttons: list[TextButton] = []
        self._column = column_of(owner=self, margins=(14, 10, 14, 12), spacing=GRID_PX // 2)
        self._column.addWidget(make_label(name, role="heading"))
        columns, row = study.points.columns[1:], study.points.rows[point][1:]
        values = [
            _("{name}: {value}").format(name=each.name, value=cell(value))
            for each, value in zip(columns, row, strict=True)
            if value is not None
        ]
        self._column.addWidget(make_label(" · ".join(values), role="quiet", is_wrapped=True))
        broken = [each for each in study.signals if each.point == point]
        for sentence in (words for each in broken for words in each.sentences):
            self._column.addWidget(make_label(sentence, role="bad", is_wrapped=True))
        if not broken:
            self._column.addWidget(make_label(_("It breaks no rule."), role="good"))
        for note in notes:
            self._column.addWidget(make_label(note_text(note), is_wrapped=True))

    def offer(self, words: str, run: Callable[[], object]) -> None:
        """Add a button, which closes the popover."""
        button = TextButton(words, kind="link", on_click=lambda: self._on_clicked(run))
        self.buttons.append(button)
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def _on_clicked(self, run: Callable[[], object]) -> None:
        self.close()
        run()


def note_text(note: PointNote) -> str:
    """Return a note in words: cause, action, by whom and when."""
    parts = []
    if note.cause:
        parts.append(_("Cause: {text}").format(text=note.cause.rstrip(".")))
    if note.action:
        parts.append(_("Action: {text}").format(text=note.action.rstrip(".")))
    when = moment(note.at.astimezone())
    return f"{'. '.join(parts)} ({', '.join(filter(None, (note.by, when)))})"


class AskWindow(DetailWindow):
    """Window with one or more lines to fill in, which stays open until they were taken.

    Signals:
        answered: the lines' texts, when the button is pressed.
    """

    answered = Signal(tuple)

    def __init__(
        self,
        owner: QWidget | None,
        title: str,
        names: Sequence[str],
        done: str,
        values: Sequence[str] = (),
    ) -> None:
        super().__init__(owner, title, size=QSize(460, 120 + 64 * len(names)))
        self.fields: list[QLineEdit] = []
        for name, value in itertools.zip_longest(names, values, fillvalue=""):
            field = text_field(name)
            field.setText(one_line(value))
            add_to(self.column, make_label(name, role="small"), field)
            self.fields.append(field)
            field.returnPressed.connect(self._on_clicked)
        self._message = StatusLabel()
        add_to(self.column, self._message, STRETCH)
        self.button = TextButton(done, kind="primary", on_click=self._on_clicked)
        self.button.setAutoDefault(False)  # Enter in a line is answered there, once
        self.column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)
        self.fields[0].setFocus()

    def show_error(self, error: QHubError) -> None:
        """Show why the lines were not taken; they stay as they are."""
        if isValid(self):
            self._message.tell_error(error)
            self.button.setEnabled(True)

    def finish(self) -> None:
        """Close: the lines were taken."""
        if isValid(self):
            self.close()

    def _on_clicked(self) -> None:
        if self.button.isEnabled():
            self.button.setEnabled(False)
            self.answered.emit(tuple(field.text() for field in self.fields))
