"""Import report: the receipt, the first rows of the file, and other ways to read it."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices, ImportReport
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import one_line, set_title
from qhub_desktop.ui.controls.popup import add_window_keys, fit_screen
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.importing import receipt
from qhub_desktop.ui.importing.head_view import HeadView
from qhub_desktop.ui.importing.receipt import ReceiptView
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Progress

_OTHER = "other"


class ChoicesBar(QWidget):
    """Bar of import choices, made by the program or by the person.

    Signals:
        changed: another header, separator or encoding was chosen.
        sheet_requested: the id of another data set of the same file.
    """

    changed = Signal()
    sheet_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._held = ""
        self.sheet = QComboBox()
        self.header = QComboBox()
        self.separator = QComboBox()
        self.other = QLineEdit()
        self.encoding = QComboBox()
        self.other.setMaxLength(1)
        self.other.setFixedWidth(44)
        self.other.setAccessibleName(_("Another separator"))
        self.other.hide()
        beside = row_of((self.separator, 1), self.other, spacing=4)
        row = row_of(owner=self, spacing=12)
        self._fields = {
            "sheet": _field(_("Sheet"), self.sheet),
            "header": _field(_("Header"), self.header),
            "separator": _field(_("Separator"), self.separator, beside),
            "encoding": _field(_("Encoding"), self.encoding),
        }
        for field in self._fields.values():
            row.addWidget(field, 1)
        self.sheet.activated.connect(self._on_sheet_chosen)
        self.header.currentIndexChanged.connect(self.changed)
        self.separator.currentIndexChanged.connect(self._on_separator_changed)
        self.other.textChanged.connect(self.changed)
        self.encoding.currentIndexChanged.connect(self.changed)

    @property
    def header_row(self) -> int | None:
        """Row of the header from 1; 0 for no header, None to detect it."""
        row: int | None = self.header.currentData()
        return row

    @property
    def chosen_separator(self) -> str | None:
        """Separator of the cells; None to detect it."""
        chosen: str | None = self.separator.currentData()
        return (self.other.text() or None) if chosen == _OTHER else chosen

    @property
    def chosen_encoding(self) -> str | None:
        """Text encoding; None to detect it."""
        chosen: str | None = self.encoding.currentData()
        return chosen

    def show_report(self, profile: DatasetProfile, report: ImportReport, *, rows: int) -> None:
        """Show how a sheet was read, with its first `rows` rows as possible headers."""
        with QSignalBlocker(self):  # filling the fields is not a choice
            self._fill_header(report, rows)
            self._fill_separator(report)
            self._fill_encoding(report)
        self._fields["sheet"].setVisible(len(profile.sheets) > 1 or bool(profile.area))
        is_text = report.format == "CSV" or report.separator is not None
        self._fields["separator"].setVisible(is_text)
        self._fields["encoding"].setVisible(report.encoding is not None)

    def show_sheets(self, profile: DatasetProfile, sheets: Sequence[DatasetProfile]) -> None:
        """Offer the sheets of the same file; those without a data set are marked "not here"."""
        held = {each.id: each for each in (*sheets, profile)}.values()
        self.sheet.clear()
        for name in profile.sheets or (None,):
            here = [each for each in held if each.sheet == name]
            for each in here:
                shown = " ".join(filter(None, (name, each.area)))
                self.sheet.addItem(one_line(shown), each.id)
            if not here:
                self.sheet.addItem(one_line(_("{sheet} (not here)").format(sheet=name)), None)
        self._held = profile.id
        self.sheet.setCurrentIndex(self.sheet.findData(profile.id))

    def choose_header(self, row: int) -> None:
        """Select this header row, as if the person had picked it from the list."""
        place = self.header.findData(row)
        if place >= 0:
            self.header.setCurrentIndex(place)

    def _fill_header(self, report: ImportReport, rows: int) -> None:
        self.header.clear()
        found = receipt.header_name(report) if report.header_row else _("none")
        is_found = report.choices.header_row is None
        self.header.addItem(one_line(_automatic_text(found if is_found else "")), None)
        self.header.addItem(_("No header"), 0)
        for row in range(1, max(rows, report.header_row or 0) + 1):
            self.header.addItem(one_line(_("Row {row}").format(row=row)), row)
        self.header.setCurrentIndex(max(self.header.findData(report.choices.header_row), 0))

    def _fill_separator(self, report: ImportReport) -> None:
        self.separator.clear()
        is_found = report.choices.separator is None and report.separator is not None
        found = receipt.separator_name(report.separator or "")
        self.separator.addItem(one_line(_automatic_text(found if is_found else "")), None)
        for separator in (";", ",", "\t", "|"):
            self.separator.addItem(one_line(receipt.separator_name(separator)), separator)
        self.separator.addItem(_("Another…"), _OTHER)
        chosen = report.choices.separator
        place = self.separator.findData(chosen) if chosen is not None else 0
        is_other = chosen is not None and place < 0
        self.separator.setCurrentIndex(self.separator.count() - 1 if is_other else place)
        self.other.setText(chosen or "" if is_other else "")
        self.other.setVisible(is_other)

    def _fill_encoding(self, report: ImportReport) -> None:
        self.encoding.clear()
        is_found = report.choices.encoding is None and report.encoding is not None
        found = receipt.encoding_name(report.encoding or "")
        self.encoding.addItem(one_line(_automatic_text(found if is_found else "")), None)
        for encoding in receipt.ENCODINGS:
            self.encoding.addItem(one_line(receipt.encoding_name(encoding)), encoding)
        chosen = report.choices.encoding
        if chosen is not None and self.encoding.findData(chosen) < 0:
            self.encoding.addItem(one_line(receipt.encoding_name(chosen)), chosen)
        self.encoding.setCurrentIndex(max(self.encoding.findData(chosen), 0) if chosen else 0)

    def _on_sheet_chosen(self) -> None:
        if (held := self.sheet.currentData()) is not None:
            self._held = held
            self.sheet_requested.emit(held)
        else:
            self.sheet.setCurrentIndex(self.sheet.findData(self._held))

    def _on_separator_changed(self) -> None:
        is_other = self.separator.currentData() == _OTHER
        self.other.setVisible(is_other)
        if is_other:
            self.other.setFocus()
        self.changed.emit()


def _automatic_text(found: str) -> str:
    return _("{what} · found").format(what=found) if found else _("Let the program find it")


def _field(words: str, control: QComboBox, beside: QHBoxLayout | None = None) -> QWidget:
    together = QWidget()
    column = column_of(owner=together, spacing=2)
    label = make_label(words, role="small")
    label.setBuddy(control)
    control.setAccessibleName(words)
    control.setMinimumContentsLength(8)
    control.setMaximumWidth(260)
    control.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    column.addWidget(label)
    if beside is None:
        column.addWidget(control)
    else:
        column.addLayout(beside)
    return together


RECEIPT_PX = 360
Rows = Sequence[Sequence[str]]
OnProgress = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True)
class ReportActions:
    """Functions that the report window calls.

    `head` returns the first rows of a sheet as they stand in the file; `read_again` reads the file
    under other choices and replaces the data set by the result; `sheets` returns the data sets of
    the same file that are in the conversation.
    """

    head: Callable[[DatasetProfile], Awaitable[Rows]]
    read_again: Callable[[DatasetProfile, ImportChoices, OnProgress], Awaitable[DatasetProfile]]
    sheets: Callable[[DatasetProfile], Sequence[DatasetProfile]]


class ReportWindow(QDialog):
    """Separate window with the import report of a data set; deleted when closed."""

    def __init__(
        self,
        profile: DatasetProfile,
        report: ImportReport,
        actions: ReportActions,
        *,
        tasks: Tasks,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_window_keys(self)
        self._actions = actions
        self._profile = profile
        self._report = report
        self._is_busy = False
        self._head_task: asyncio.Task[None] | None = None
        self._import_task: asyncio.Task[None] | None = None
        self.receipt = ReceiptView()
        self.head = HeadView()
        self.choices = ChoicesBar()
        self._hint = make_label(
            _("Click the number of a row to make it the header, and a column's head for its type."),
            role="small",
        )
        self._message = StatusLabel()
        self._work = WidgetTasks(self, tasks, self._message.tell_error)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(_("At work"))
        self._bar.setFixedWidth(140)
        self._cancel_button = TextButton(_("Cancel"), kind="flat", on_click=self._on_stop_clicked)
        self.copy_button = TextButton(_("Copy report"), icon_name="copy")
        self.import_button = TextButton(_("Import again"), icon_name="retry", kind="primary")
        for button in (self._cancel_button, self.copy_button, self.import_button):
            button.setAutoDefault(False)  # Enter in a list of choices must not import
        self._lay_out()
        self.copy_button.clicked.connect(self._on_copy_clicked)
        self.import_button.clicked.connect(self._on_again_clicked)
        self.receipt.cell_clicked.connect(self._on_cell_clicked)
        self.receipt.offer_clicked.connect(self._on_offer_clicked)
        self.head.header_chosen.connect(self.choices.choose_header)
        self.head.types_chosen.connect(self._on_changed)
        self.choices.changed.connect(self._on_changed)
        self.choices.sheet_requested.connect(self._on_sheet_requested)
        fit_screen(self, QSize(1180, 660))
        self.show_profile(profile, report)

    @property
    def profile(self) -> DatasetProfile:
        """Data set whose report is shown."""
        return self._profile

    @property
    def message(self) -> str:
        """Message at the bottom; empty while hidden."""
        return "" if self._message.isHidden() else self._message.text()

    def current_choices(self) -> ImportChoices:
        """Return the import choices as currently set in the window."""
        return ImportChoices(
            header_row=self.choices.header_row,
            separator=self.choices.chosen_separator,
            encoding=self.choices.chosen_encoding,
            types=self.head.head_model.chosen_types,
            totals=self._report.choices.totals,
            table=self._report.choices.table,
            filled_down=self._report.choices.filled_down,
            transposed=self._report.choices.transposed,
        )

    def show_profile(self, profile: DatasetProfile, report: ImportReport) -> None:
        """Show the import report of a data set."""
        self._profile, self._report = profile, report
        set_title(self, _("Import report · {file}").format(file=profile.file))
        self.receipt.show_report(profile, report)
        self._fill(())
        self._message.tell("")
        if self._head_task is not None:
            self._head_task.cancel()
        self._head_task = self._work.start(self._load_head(profile))

    async def _load_head(self, profile: DatasetProfile) -> None:
        self._fill(await self._actions.head(profile))

    def _fill(self, rows: Rows) -> None:
        self.head.fill(rows, self._profile, self._report)
        self.choices.show_report(self._profile, self._report, rows=len(rows))
        self.choices.show_sheets(self._profile, self._actions.sheets(self._profile))
        self._on_changed()

    async def _read_again(self, choices: ImportChoices) -> None:
        self._show_busy(is_busy=True)
        try:
            profile = await self._actions.read_again(self._profile, choices, self._on_progress)
        finally:
            if isValid(self):  # closing the window cancels this
                self._show_busy(is_busy=False)
        if profile.report is not None:
            self.show_profile(profile, profile.report)
        rows = ngettext("{count} row", "{count} rows", profile.rows)
        self._message.tell(
            _("Read again: {rows}.").format(rows=rows.format(count=number(profile.rows, digits=0))),
            role="good",
        )

    def _show_busy(self, *, is_busy: bool) -> None:
        self._is_busy = is_busy
        for part in (self._bar, self._cancel_button):
            part.setVisible(is_busy)
        self._kept_hint.setVisible(not is_busy)
        self._bar.setRange(0, 0)
        self.choices.setEnabled(not is_busy)
        self.head.setEnabled(not is_busy)
        self._message.tell(_("Reading…") if is_busy else "")
        self._on_changed()

    def _lay_out(self) -> None:
        right = column_of(self.choices, self._hint, (self.head, 1))
        self.receipt.setFixedWidth(RECEIPT_PX)
        middle = row_of(self.receipt, (right, 1), spacing=2 * GRID_PX)
        foot = row_of()
        kept = make_label(_("Choices are kept for files of this shape."), role="small")
        foot.addWidget(self.copy_button)
        foot.addWidget(self._message, 1)
        foot.addStretch(1)
        foot.addWidget(kept)
        foot.addWidget(self._bar)
        foot.addWidget(self._cancel_button)
        foot.addWidget(self.import_button)
        self._kept_hint = kept
        column_of((middle, 1), foot, owner=self, margins=(2 * GRID_PX, 14), spacing=14)
        self._bar.hide()
        self._cancel_button.hide()

    def _on_progress(self, progress: Progress) -> None:
        self._message.tell(progress.text)
        self._bar.setRange(0, 0 if progress.share is None else 1000)
        if progress.share is not None:
            self._bar.setValue(round(progress.share * 1000))

    def _on_changed(self) -> None:
        row = self.choices.header_row
        if row is None:
            last = self._report.header_row or 0
            first = last - max(self._report.header_rows, 1) + 1 if last else 0
            self.head.head_model.set_header(first, last)
        else:
            self.head.head_model.set_header(row, row)
        self.import_button.setEnabled(
            not self._is_busy and self.current_choices() != self._report.choices
        )

    def _on_again_clicked(self) -> None:
        self._import_again(self.current_choices())

    def _on_offer_clicked(self, choices: ImportChoices) -> None:
        if not self._is_busy:
            self._import_again(choices)

    def _import_again(self, choices: ImportChoices) -> None:
        self._import_task = self._work.start(self._read_again(choices))

    def _on_stop_clicked(self) -> None:
        if self._import_task is not None:
            self._import_task.cancel()

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.receipt.text)
        self._message.tell(_("The report is in the clipboard."))

    def _on_cell_clicked(self, cell: str) -> None:
        if not self.head.go_to_cell(cell):
            self._message.tell(
                _("{cell} is further down than the rows shown here.").format(cell=cell)
            )

    def _on_sheet_requested(self, id_: str) -> None:
        for profile in self._actions.sheets(self._profile):
            if profile.id == id_ and profile.report is not None:
                self.show_profile(profile, profile.report)
