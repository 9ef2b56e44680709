"""One setting on the settings page: its label, its control, its help, and what is wrong with it."""

from typing import Any, get_type_hints

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.settings import About, Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, number

_NUMBER_PX = 120


class SettingField(QWidget):
    """The control that fits a setting's declaration.

    Signals:
        edited: the setting's name and its new value, which may be out of bounds.
    """

    edited = Signal(str, object)

    def __init__(self, name: str, about: About, value: object) -> None:
        super().__init__()
        self.name = name
        self._type = get_type_hints(Settings)[name]
        self._value = value
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        label = QLabel(_(about.label))
        self.control = self._make_control(about, value)
        self.control.setAccessibleName(_(about.label))
        self.control.setAccessibleDescription(_(about.help) if about.help else "")
        if isinstance(self.control, QCheckBox):
            self.control.setText(_(about.label))
        else:
            label.setBuddy(self.control)
            self._column.addWidget(label)
        self._column.addWidget(_with_unit(self.control, about), 0, Qt.AlignmentFlag.AlignLeft)
        if about.help:
            help_ = QLabel(_(about.help))
            help_.setProperty("role", "small")
            help_.setWordWrap(True)
            self._column.addWidget(help_)
        self._complaint = QLabel()
        self._complaint.setProperty("role", "bad")
        self._complaint.setWordWrap(True)
        self._complaint.hide()
        self._column.addWidget(self._complaint)

    @property
    def complaint(self) -> str:
        """What is said to be wrong with the value; empty if nothing is."""
        return "" if self._complaint.isHidden() else self._complaint.text()

    def type_in(self, typed: str) -> None:
        """As if the person had typed this, and gone on."""
        if isinstance(self.control, QLineEdit):
            self.control.setText(typed)
            self.control.editingFinished.emit()

    def complain(self, sentence: str) -> None:
        """Say what is wrong with the value; an empty sentence says that nothing is."""
        self._complaint.setText(sentence)
        self._complaint.setVisible(bool(sentence))
        self.control.setProperty("state", "bad" if sentence else "")
        style = self.control.style()
        style.unpolish(self.control)
        style.polish(self.control)

    def _make_control(self, about: About, value: object) -> QWidget:
        if about.choices:
            return self._choice(about, value)
        if self._type is bool:
            box = QCheckBox()
            box.setChecked(bool(value))
            box.toggled.connect(self._tell)
            return box
        line = QLineEdit(_written(value))
        line.setAcceptDrops(False)
        if self._type in (int, float):
            line.setFixedWidth(_NUMBER_PX)
            line.setAlignment(Qt.AlignmentFlag.AlignRight)
        else:
            line.setMinimumWidth(360)
        line.editingFinished.connect(lambda: self._tell(self._read(line.text().strip())))
        return line

    def _choice(self, about: About, value: object) -> QComboBox:
        box = QComboBox()
        box.setMinimumWidth(220)
        for each, label in about.choices:
            box.addItem(_(label), each)
        box.setCurrentIndex(box.findData(value))
        box.currentIndexChanged.connect(lambda: self._tell(box.currentData()))
        return box

    def _read(self, typed: str) -> Any:
        """What was typed, as the setting's type; as typed where it is no such thing."""
        if self._type not in (int, float):
            return typed
        try:
            # A decimal comma is how it is written here; the setting knows one separator.
            return self._type(typed.replace(",", "."))
        except ValueError:
            return typed

    def _tell(self, value: object) -> None:
        if value != self._value:
            self._value = value
            self.edited.emit(self.name, value)


def _written(value: object) -> str:
    """A value as it is typed: without groups of digits, with the person's decimal separator."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:g}".replace(".", "," if language() == "pt" else ".")


def _with_unit(control: QWidget, about: About) -> QWidget:
    if not about.unit and about.lower is None:
        return control
    together = QWidget()
    row = QHBoxLayout(together)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(control)
    bounds = _("{lower} to {upper}").format(
        lower=number(about.lower or 0), upper=number(about.upper or 0)
    )
    said = QLabel(" · ".join(filter(None, (about.unit, bounds))))
    said.setProperty("role", "small")
    row.addWidget(said)
    return together
