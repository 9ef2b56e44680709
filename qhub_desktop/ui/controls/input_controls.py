"""Controls of a tool's typed input: one for each field, its label above, what is wrong below.

A form is made of them. What can be chosen, the words for it and the limits are the tool's own.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget
from typing_extensions import override

from qhub_desktop.core.codec import Json
from qhub_desktop.core.table import Column, is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import InputField
from qhub_desktop.ui.controls.buttons import ElidedButton
from qhub_desktop.ui.controls.forms import (
    caption,
    choice_box,
    number_to_type,
    set_editor_name,
    text_field,
    typed_number,
)
from qhub_desktop.ui.controls.layouts import FlowLayout, column_of, set_height_for_width
from qhub_desktop.ui.controls.plain_text import one_line, set_tooltip
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.theme import set_style_property

_NOTHING = "–"
_SIZES = (2, 3, 4, 5, 10)  # of subgroups, offered beside columns
_LEAST_LETTERS = 10


class InputControl(QWidget):
    """Control of one field of a tool's input.

    Signals:
        edited: there is another value; whether it was typed, and more may follow.
    """

    edited = Signal(bool)

    def __init__(self, about: InputField, control: QWidget) -> None:
        super().__init__()
        self.about = about
        self.control = control
        self.fault = StatusLabel(role="bad")
        label = caption(control, about.label)
        label.setWordWrap(True)
        column_of(label, control, self.fault, owner=self, spacing=4)
        self.setFocusProxy(control)

    @property
    def value(self) -> Json:
        """What is chosen; None for nothing, for what is usual, and for what is wrong."""
        try:
            value = self._read()
        except ValueError:
            return None
        return None if value == self.about.usual else value

    def set_value(self, value: Json) -> None:
        """Show a value, or what leaving it out means."""
        raise NotImplementedError

    def check(self) -> bool:
        """Return whether the value is within the field's limits, and say what is wrong."""
        try:
            self._read()
        except ValueError as error:
            self.tell(str(error))
            return False
        self.tell("")
        return True

    def tell(self, sentence: str) -> None:
        """Say what is wrong with the value; nothing where it is right."""
        self.fault.tell(sentence)
        set_style_property(self.control, "state", "bad" if sentence else "")

    def _read(self) -> Json:
        """Return the value. Raises ValueError with a sentence for what is wrong with it."""
        raise NotImplementedError

    def _number(self, typed: str) -> int | float:
        """Read a number within the limits. Raises ValueError with a sentence."""
        about = self.about
        try:
            number = typed_number(typed)
        except ValueError:
            raise ValueError(_("Write a number.")) from None
        if "number" not in about.kinds and not isinstance(number, int):
            raise ValueError(_("Write a whole number."))
        least, most = about.least, about.most
        if least is not None and (number < least or (about.is_above and number == least)):
            words = _("More than {number}.") if about.is_above else _("At least {number}.")
            raise ValueError(words.format(number=number_to_type(least)))
        if most is not None and number > most:
            raise ValueError(_("At most {number}.").format(number=number_to_type(most)))
        return number


class BoxControl(InputControl):
    """Box of choices; where a number, or points, do as well as a column, they are typed there."""

    def __init__(self, about: InputField, choices: Iterable[tuple[Json, str]]) -> None:
        self.box: QComboBox = choice_box()
        super().__init__(about, self.box)
        self._is_typed = about.takes == "points" or bool({"integer", "number"} & about.kinds)
        if about.usual is None and not about.is_required:
            self._add(None, about.nothing or _NOTHING)
        for value, words in choices:
            self._add(value, words)
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(_LEAST_LETTERS)
        self.box.activated.connect(lambda: self.edited.emit(False))  # noqa: FBT003  a signal's
        if self._is_typed:
            self.box.setEditable(True)
            self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            set_editor_name(self.box, about.label)
            if about.takes == "points":
                set_tooltip(self.box, _("for example {points}").format(points="21; 41"))
            self._line.textEdited.connect(lambda: self.edited.emit(True))  # noqa: FBT003

    @override
    def set_value(self, value: Json) -> None:
        wanted = self.about.usual if value is None else value
        at = self._place(wanted)
        if at < 0 and self.about.takes and isinstance(wanted, str):  # of another data set
            self._add(wanted, self.about.said(wanted))
            at = self.box.count() - 1
        if at < 0 and self._is_typed and isinstance(wanted, int | float):
            self._line.setText(number_to_type(wanted))
            return
        if at < 0 and isinstance(wanted, list):
            self._line.setText("; ".join(str(each) for each in wanted))
            return
        self.box.setCurrentIndex(max(at, 0))

    @override
    def _read(self) -> Json:
        at = self.box.currentIndex()
        if not self._is_typed or self._line.text() == self.box.itemText(at):
            return cast("Json", self.box.itemData(at))
        typed = self._line.text().strip()
        if (at := self.box.findText(typed)) >= 0:
            return cast("Json", self.box.itemData(at))
        if self.about.takes == "points":
            return [each.strip() for each in typed.split(";") if each.strip()] or None
        try:
            return self._number(typed) if typed else None
        except ValueError as error:
            sentence = _("Choose a column, or write a number.")
            raise ValueError(str(error) if typed[:1].isdecimal() else sentence) from None

    @property
    def _line(self) -> QLineEdit:
        line = self.box.lineEdit()
        assert line is not None
        return line

    def _add(self, value: Json, words: str) -> None:
        self.box.addItem(one_line(words), value)

    def _place(self, value: Json) -> int:
        every = (self.box.itemData(at) for at in range(self.box.count()))
        return next((at for at, each in enumerate(every) if each == value), -1)


class LineControl(InputControl):
    """Line for a number, or for several texts with semicolons between them."""

    def __init__(self, about: InputField) -> None:
        usual = number_to_type(about.usual) if isinstance(about.usual, int | float) else ""
        self.line = text_field(placeholder=usual or about.nothing, most=about.length)
        super().__init__(about, self.line)
        self._kept: Json = None  # what no line can show
        self.line.textEdited.connect(lambda: self.edited.emit(True))  # noqa: FBT003  a signal's

    @override
    def set_value(self, value: Json) -> None:
        self._kept = value if isinstance(value, dict) else None
        match value:
            case list():
                self.line.setText("; ".join(str(each) for each in value))
            case int() | float():
                self.line.setText(number_to_type(value))
            case str():
                self.line.setText(value)
            case _:
                self.line.clear()
        if self._kept is not None:
            self.line.setPlaceholderText(one_line(self.about.said(self._kept)))

    @override
    def _read(self) -> Json:
        typed = self.line.text().strip()
        if not typed:
            return self._kept
        if "array" in self.about.kinds:
            return [each.strip() for each in typed.split(";") if each.strip()]
        return typed if "string" in self.about.kinds else self._number(typed)


class TilesControl(InputControl):
    """Tiles of which several are chosen; those that were given, and none of the choices, too."""

    def __init__(self, about: InputField) -> None:
        self._inside = QWidget()
        super().__init__(about, self._inside)
        self._inside.setLayout(FlowLayout(spacing_px=4))
        set_height_for_width(self._inside)
        self.tiles: dict[str, ElidedButton] = {}
        for each in about.choices:
            self._add(each)
        self.setFocusProxy(next(iter(self.tiles.values())))

    @override
    def set_value(self, value: Json) -> None:
        wanted = value if isinstance(value, list) else self.about.usual
        named = [str(each) for each in wanted] if isinstance(wanted, list) else []
        for each in named:
            if each not in self.tiles:
                self._add(each)
        for each, tile in self.tiles.items():
            tile.setChecked(each in named)

    @override
    def _read(self) -> Json:
        chosen: list[Json] = [each for each, tile in self.tiles.items() if tile.isChecked()]
        if not chosen:
            raise ValueError(_("Choose at least one."))
        return chosen

    def _add(self, value: str) -> None:
        tile = ElidedButton(self.about.said(value), kind="tile")
        tile.setCheckable(True)
        tile.setAutoDefault(False)
        tile.clicked.connect(lambda: self.edited.emit(False))  # noqa: FBT003  a signal's
        self.tiles[value] = tile
        flow = self._inside.layout()
        assert flow is not None
        flow.addWidget(tile)


class KeptControl(InputControl):
    """What was given and no control makes, such as a condition: it can be dropped, and taken back.

    It is hidden where there is nothing.
    """

    def __init__(self, about: InputField) -> None:
        self.tile = ElidedButton("", kind="tile")
        super().__init__(about, self.tile)
        self.tile.setCheckable(True)
        self.tile.setAutoDefault(False)
        self.tile.clicked.connect(lambda: self.edited.emit(False))  # noqa: FBT003  a signal's
        self.given: Json = None

    @override
    def set_value(self, value: Json) -> None:
        self.given = value
        self.tile.set_caption(self.about.said(value))
        self.tile.setChecked(value is not None)

    @override
    def _read(self) -> Json:
        return self.given if self.tile.isChecked() else None


def input_control(
    about: InputField, columns: Sequence[Column], datasets: Sequence[tuple[Json, str]]
) -> InputControl | None:
    """Return the control of a field, over a data set's columns; None for what a form hides."""
    match about.takes:
        case "hidden":
            return None
        case "kept":
            return KeptControl(about)
        case "dataset":
            return BoxControl(about, datasets)
        case "points":
            return BoxControl(about, [(each.name, each.name) for each in columns])
        case "column" | "numbers":
            fitting = [
                each.name for each in columns if about.takes == "column" or is_numeric(each.type)
            ]
            sizes = _SIZES if "integer" in about.kinds else ()
            rows = [(size, _("{count} in a row").format(count=size)) for size in sizes]
            return BoxControl(about, [*((each, each) for each in fitting), *rows])
        case _ if "array" in about.kinds and about.choices:
            return TilesControl(about)
        case _ if about.choices:
            return BoxControl(about, [(each, about.said(each)) for each in about.choices])
        case _:
            return LineControl(about)
