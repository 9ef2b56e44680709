"""What can be decided about how a file is read: its sheet, header, separator and encoding."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile, ImportReport
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.importing import wording

_OTHER = "other"


class ChoicesBar(QWidget):
    """Shows what was decided, by the program or by the person.

    Signals:
        changed: another header, separator or encoding is wanted.
        sheet_wanted: the id of another data set of the same file.
    """

    changed = Signal()
    sheet_wanted = Signal(str)

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
        beside = QHBoxLayout()
        beside.setSpacing(4)
        beside.addWidget(self.separator, 1)
        beside.addWidget(self.other)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
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
        """The row of the names, 0 for none of them, nothing for what the program finds."""
        row: int | None = self.header.currentData()
        return row

    @property
    def chosen_separator(self) -> str | None:
        """What parts the cells; nothing for what the program finds."""
        chosen: str | None = self.separator.currentData()
        return (self.other.text() or None) if chosen == _OTHER else chosen

    @property
    def chosen_encoding(self) -> str | None:
        """How the bytes are text; nothing for what the program finds."""
        chosen: str | None = self.encoding.currentData()
        return chosen

    def show_report(self, profile: DatasetProfile, report: ImportReport, *, rows: int) -> None:
        """Show how a sheet was read; its header may be any of so many rows."""
        with QSignalBlocker(self):  # nobody has chosen anything
            self._fill_header(report, rows)
            self._fill_separator(report)
            self._fill_encoding(report)
        self._fields["sheet"].setVisible(len(profile.sheets) > 1)
        is_text = report.format == "CSV" or report.separator is not None
        self._fields["separator"].setVisible(is_text)
        self._fields["encoding"].setVisible(report.encoding is not None)

    def show_sheets(self, profile: DatasetProfile, sheets: Sequence[DatasetProfile]) -> None:
        """Offer the sheets of the same file; those without a data set are named, and no more."""
        ids = {each.sheet: each.id for each in sheets} | {profile.sheet: profile.id}
        self.sheet.clear()
        for name in profile.sheets:
            held = ids.get(name)
            self.sheet.addItem(name if held else _("{sheet} (not here)").format(sheet=name), held)
        self._held = profile.id
        self.sheet.setCurrentIndex(self.sheet.findData(profile.id))

    def choose_header(self, row: int) -> None:
        """As if this row had been picked from the list."""
        place = self.header.findData(row)
        if place >= 0:
            self.header.setCurrentIndex(place)

    def _fill_header(self, report: ImportReport, rows: int) -> None:
        self.header.clear()
        found = wording.header_name(report) if report.header_row else _("none")
        is_found = report.choices.header_row is None
        self.header.addItem(_automatic(found if is_found else ""), None)
        self.header.addItem(_("No header"), 0)
        for row in range(1, max(rows, report.header_row or 0) + 1):
            self.header.addItem(_("Row {row}").format(row=row), row)
        self.header.setCurrentIndex(max(self.header.findData(report.choices.header_row), 0))

    def _fill_separator(self, report: ImportReport) -> None:
        self.separator.clear()
        is_found = report.choices.separator is None and report.separator is not None
        found = wording.separator_name(report.separator or "")
        self.separator.addItem(_automatic(found if is_found else ""), None)
        for separator in (";", ",", "\t", "|"):
            self.separator.addItem(wording.separator_name(separator), separator)
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
        found = wording.encoding_name(report.encoding or "")
        self.encoding.addItem(_automatic(found if is_found else ""), None)
        for encoding in wording.ENCODINGS:
            self.encoding.addItem(wording.encoding_name(encoding), encoding)
        chosen = report.choices.encoding
        if chosen is not None and self.encoding.findData(chosen) < 0:
            self.encoding.addItem(wording.encoding_name(chosen), chosen)
        self.encoding.setCurrentIndex(max(self.encoding.findData(chosen), 0) if chosen else 0)

    def _on_sheet_chosen(self) -> None:
        if (held := self.sheet.currentData()) is not None:
            self._held = held
            self.sheet_wanted.emit(held)
        else:
            self.sheet.setCurrentIndex(self.sheet.findData(self._held))

    def _on_separator_changed(self) -> None:
        is_other = self.separator.currentData() == _OTHER
        self.other.setVisible(is_other)
        if is_other:
            self.other.setFocus()
        self.changed.emit()


def _automatic(found: str) -> str:
    return _("{what} · found").format(what=found) if found else _("Let the program find it")


def _field(words: str, control: QComboBox, beside: QHBoxLayout | None = None) -> QWidget:
    together = QWidget()
    column = QVBoxLayout(together)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    label = QLabel(words)
    label.setProperty("role", "small")
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
