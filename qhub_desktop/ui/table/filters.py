"""Filters of a column: the popup that makes one, and their words and bounds as text."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLineEdit,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell, ColumnType, is_numeric
from qhub_desktop.core.text import cell, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.query.service import ValueCounts
from qhub_desktop.data.query.view_spec import (
    Between,
    Bound,
    Contains,
    Empty,
    Filter,
    NoneOf,
    NotEmpty,
    OneOf,
    RowView,
)
from qhub_desktop.ui.controls.buttons import TextButton, add_clear_button
from qhub_desktop.ui.controls.forms import number_to_type, typed_number
from qhub_desktop.ui.controls.layouts import ANY_HEIGHT_PX, STRETCH, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import one_line, tooltip
from qhub_desktop.ui.controls.popup import PopupFrame
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX, set_style_property, theme

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace

MIN_PX, MAX_PX = 96, 288
VALUE_ROLE = int(Qt.ItemDataRole.UserRole)


class ValueList(QTreeWidget):
    """List of values with check boxes; keeps 'these' or 'all but these', never every value.

    Signals:
        ticked: a check box changed.
        submitted: Enter was pressed in the list.
    """

    ticked = Signal()
    submitted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_all = True
        self._exceptions: list[Cell] = []  # exceptions to `_is_all`
        self.setProperty("kind", "choices")
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(_("Values"))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.itemChanged.connect(self._on_item_changed)

    def set_filter(self, wanted: Filter | None) -> None:
        """Tick the values that this filter lets through; all without one."""
        match wanted:
            case OneOf(values=values):
                self._is_all, self._exceptions = False, list(values)
            case NoneOf(values=values):
                self._is_all, self._exceptions = True, list(values)
            case _:
                self._is_all, self._exceptions = True, []

    def show_values(self, found: ValueCounts, *, is_searched: bool) -> None:
        """List these values, below a line that ticks all unless they are found by a search."""
        with QSignalBlocker(self):
            self.clear()
            if not is_searched:
                self._add(_("(all)"), "")
            for value, count in found.values:
                item = self._add(value_text(value), number(count, digits=0))
                item.setData(0, VALUE_ROLE, (value,))
                if value is None:
                    item.setForeground(0, QColor(theme().palette.quiet))
        self._update_check_states()
        rows_px = self.topLevelItemCount() * max(self.sizeHintForRow(0), 1) + 4
        self.setFixedHeight(max(MIN_PX, min(MAX_PX, rows_px)))

    def filter_for(self, column: str) -> Filter | None:
        """Return the ticked values as a filter; None if all are ticked."""
        if not self._is_all:
            return OneOf(column, tuple(self._exceptions))
        return NoneOf(column, tuple(self._exceptions)) if self._exceptions else None

    @property
    def is_empty(self) -> bool:
        """Whether no value is ticked."""
        return not self._is_all and not self._exceptions

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.submitted.emit()
        else:
            super().keyPressEvent(event)

    def _add(self, words: str, count: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([one_line(words), count])
        item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | item.flags())
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(1, QColor(theme().palette.quiet))
        item.setToolTip(0, tooltip(words))
        item.setCheckState(0, Qt.CheckState.Checked)
        self.addTopLevelItem(item)
        return item

    def _on_item_changed(self, item: QTreeWidgetItem, _column: int) -> None:
        is_ticked = item.checkState(0) == Qt.CheckState.Checked
        held = item.data(0, VALUE_ROLE)
        if held is None:
            self._is_all, self._exceptions = is_ticked, []
        else:
            (value,) = held
            self._exceptions = [
                each for each in self._exceptions if not _is_same_value(each, value)
            ]
            if is_ticked != self._is_all:
                self._exceptions.append(value)
        self._update_check_states()
        self.ticked.emit()

    def _update_check_states(self) -> None:
        with QSignalBlocker(self):
            for item in self._items():
                item.setCheckState(0, self._check_state(item.data(0, VALUE_ROLE)))

    def _check_state(self, held: tuple[Cell] | None) -> Qt.CheckState:
        """Return the state of a value's check box, or of that for all."""
        if held is None and self._exceptions:
            return Qt.CheckState.PartiallyChecked
        is_other = held is not None and any(
            _is_same_value(each, held[0]) for each in self._exceptions
        )
        is_ticked = self._is_all is not is_other
        return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for at in range(self.topLevelItemCount()):
            item = self.topLevelItem(at)
            if item is not None:
                yield item


def _is_same_value(one: Cell, other: Cell) -> bool:
    """Whether two cells are equal and of one type: in Python True == 1."""
    return type(one) is type(other) and one == other


FILTER_WIDTH_PX = 320
VALUES_DEBOUNCE_S = 0.25
MAX_VALUES = 200
Kind = Literal["values", "words", "range", "empty", "filled"]


class FilterPopup(PopupFrame):
    """Popup that edits the filter of one column; it is deleted when closed.

    Signals:
        chosen: the new filter of the column, or None to remove it.
    """

    chosen = Signal(object)

    def __init__(
        self,
        column: ColumnProfile,
        dataset: str,
        view: RowView,
        *,
        workspace: Workspace,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Filter {column}").format(column=column.name))
        self._column = column
        self._dataset = dataset
        self._view = view
        self._workspace = workspace
        self._current = next((each for each in view.filters if each.column == column.name), None)
        self._request = 0

        self.kind_box = QComboBox()
        self.kind_box.setAccessibleName(_("How the column is filtered"))
        self.search_edit = QLineEdit()
        self.value_list = ValueList()
        self.text_edit = QLineEdit()
        self.lower_edit, self.upper_edit = QLineEdit(), QLineEdit()
        self._message = StatusLabel(role="small")
        self._work = WidgetTasks(self, tasks, lambda error: self._message.tell(str(error)))
        self._pages = QStackedWidget()
        self.apply_button = TextButton(_("Apply"), kind="primary")
        self.clear_button = TextButton(_("Clear"))
        self._build()
        self._fill_fields()

    @override
    def open_at(self, place: QPoint) -> None:
        super().open_at(place)
        first = {"values": self.search_edit, "words": self.text_edit, "range": self.lower_edit}
        first.get(self._kind, self.kind_box).setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def _kind(self) -> Kind:
        kind: Kind = self.kind_box.currentData()
        return kind

    def _build(self) -> None:
        title = make_label(self._column.name, role="heading", is_wrapped=True)
        self.search_edit.setPlaceholderText(_("Search in the values"))
        self.search_edit.setAccessibleName(_("Search in the values"))
        add_clear_button(self.search_edit)
        self.search_edit.textChanged.connect(self._on_search_changed)
        self.search_edit.returnPressed.connect(self._on_apply)
        self.value_list.ticked.connect(self._check)
        self.value_list.submitted.connect(self._on_apply)
        for kind, words in self._filter_kinds():
            self.kind_box.addItem(words, kind)
        for field in (self.text_edit, self.lower_edit, self.upper_edit):
            field.returnPressed.connect(self._on_apply)
            field.textChanged.connect(self._check)
        self._pages.addWidget(self._values_page())
        self._pages.addWidget(self._words_page())
        self._pages.addWidget(self._range_page())
        self._pages.addWidget(QWidget())
        buttons = row_of(self.clear_button, STRETCH, self.apply_button, spacing=None)
        self.clear_button.clicked.connect(lambda: self._finish(None))
        self.clear_button.setEnabled(self._current is not None)
        self.apply_button.clicked.connect(self._on_apply)
        column_of(title, self.kind_box, self._pages, buttons, owner=self, margins=12)
        self.setFixedWidth(FILTER_WIDTH_PX)
        self.kind_box.currentIndexChanged.connect(self._on_kind_changed)

    def _filter_kinds(self) -> list[tuple[Kind, str]]:
        offered: list[tuple[Kind, str]] = [("values", _("is one of"))]
        match self._column.type:
            case "text" | "category":
                offered.append(("words", _("contains")))
            case "integer" | "number" | "date" | "datetime":
                offered.insert(0, ("range", _("lies between")))
            case "boolean" | "time":
                pass
        return [*offered, ("empty", _("is empty")), ("filled", _("is not empty"))]

    def _values_page(self) -> QWidget:
        page = QWidget()
        column_of(self.search_edit, self.value_list, self._message, owner=page, spacing=6)
        return page

    def _words_page(self) -> QWidget:
        self.text_edit.setPlaceholderText(_("Words, in any case"))
        self.text_edit.setAccessibleName(_("Words that the cells contain"))
        return _stacked(self.text_edit)

    def _range_page(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GRID_PX)
        least, most = self._column.min, self._column.max
        for at, (says, field, end) in enumerate(
            ((_("From"), self.lower_edit, least), (_("To"), self.upper_edit, most))
        ):
            label = make_label(says)
            label.setBuddy(field)
            field.setAccessibleName(says)
            # Placeholders: the column's minimum and maximum.
            field.setPlaceholderText(cell(end))
            grid.addWidget(label, at, 0)
            grid.addWidget(field, at, 1)
        grid.setRowStretch(2, 1)
        return page

    def _fill_fields(self) -> None:
        """Fill the fields from the filter in force."""
        kind: Kind = self.kind_box.itemData(0)
        match self._current:
            case Contains(words=words):
                kind = "words"
                self.text_edit.setText(words)
            case Between(lower=lower, upper=upper):
                kind = "range"
                self.lower_edit.setText(format_bound(lower))
                self.upper_edit.setText(format_bound(upper))
            case Empty():
                kind = "empty"
            case NotEmpty():
                kind = "filled"
            case None:
                pass
            case _:
                kind = "values"
        self.value_list.set_filter(self._current)
        self.kind_box.setCurrentIndex(self.kind_box.findData(kind))
        self._on_kind_changed()

    def _on_kind_changed(self) -> None:
        at = {"values": 0, "words": 1, "range": 2}.get(self._kind, 3)
        self._pages.setCurrentIndex(at)
        self._fit_height()
        if self._kind == "values" and not self.value_list.topLevelItemCount():
            self._load_values()
        self._check()

    def _fit_height(self) -> None:
        """Fit the height to the current page: a stack is as high as its highest page otherwise."""
        at = self._pages.currentIndex()
        for page in range(self._pages.count()):
            widget = self._pages.widget(page)
            assert widget is not None
            widget.setMaximumHeight(ANY_HEIGHT_PX if page == at else 0)
            if page == at:
                self._pages.setMaximumHeight(widget.sizeHint().height())
        self.adjustSize()

    def _on_search_changed(self, _words: str) -> None:
        self._load_values(pause_s=VALUES_DEBOUNCE_S)

    def _load_values(self, *, pause_s: float = 0) -> None:
        self._request += 1
        self._work.start_kept(self._show_values(self._request, pause_s))

    async def _show_values(self, asked: int, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        if not self._is_wanted(asked):
            return
        words = self.search_edit.text().strip()
        found = await self._workspace.views.values(
            self._dataset, self._column.name, self._view, words=words, limit=MAX_VALUES
        )
        if not self._is_wanted(asked):
            return
        self.value_list.show_values(found, is_searched=bool(words))
        if found.distinct > len(found.values):
            self._message.tell(
                _("The {shown} most frequent of {count} values. Search for the others.").format(
                    shown=number(len(found.values), digits=0),
                    count=number(found.distinct, digits=0),
                )
            )
        else:
            self._message.tell("" if found.values else _("No value is like this."))
        self._fit_height()

    def _is_wanted(self, asked: int) -> bool:
        # Cancelled with the popup, the query would end its process, which the table needs.
        return isValid(self) and asked == self._request

    def _chosen_filter(self) -> Filter | None:
        """Return the filled-in filter, or None. Raises ValueError if a bound cannot be parsed."""
        name = self._column.name
        match self._kind:
            case "values":
                return self.value_list.filter_for(name)
            case "words":
                words = self.text_edit.text().strip()
                return Contains(name, words) if words else None
            case "range":
                lower = parse_bound(self.lower_edit.text(), self._column.type)
                upper = parse_bound(self.upper_edit.text(), self._column.type)
                return None if lower is None and upper is None else Between(name, lower, upper)
            case "empty":
                return Empty(name)
            case "filled":
                return NotEmpty(name)

    def _check(self) -> None:
        is_right = not (self._kind == "values" and self.value_list.is_empty)
        for field in (self.lower_edit, self.upper_edit):
            try:
                parse_bound(field.text(), self._column.type)
                state = ""
            except ValueError:
                state = "bad"
                is_right = is_right and self._kind != "range"
            if field.property("state") != state:
                set_style_property(field, "state", state)
        self.apply_button.setEnabled(is_right)

    def _on_apply(self) -> None:
        if self.apply_button.isEnabled():
            self._finish(self._chosen_filter())

    def _finish(self, wanted: Filter | None) -> None:
        self.chosen.emit(wanted)
        self.close()


def _stacked(widget: QWidget) -> QWidget:
    page = QWidget()
    column_of(widget, STRETCH, owner=page, spacing=None)
    return page


MAX_NAMED_VALUES = 2  # values that a chip names; the others are counted
MAX_FILTER_CHARACTERS = 28

_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


def describe_filter(wanted: Filter) -> str:
    """Return a filter in words, for a chip."""
    name = _shortened(wanted.column)
    match wanted:
        case Contains(words=words):
            return _("{column} contains “{words}”").format(column=name, words=_shortened(words))
        case OneOf(values=values):
            return f"{name}: {_values_text(values)}"
        case NoneOf(values=values):
            return _("{column}: not {values}").format(column=name, values=_values_text(values))
        case Between(lower=None, upper=upper):
            return f"{name} ≤ {cell(upper)}"
        case Between(lower=lower, upper=None):
            return f"{name} ≥ {cell(lower)}"
        case Between(lower=lower, upper=upper):
            return f"{name}: {cell(lower)} – {cell(upper)}"
        case Empty():
            return _("{column}: empty").format(column=name)
        case NotEmpty():
            return _("{column}: not empty").format(column=name)


def _values_text(values: tuple[Cell, ...]) -> str:
    named = ", ".join(_shortened(value_text(value)) for value in values[:MAX_NAMED_VALUES])
    if len(values) <= MAX_NAMED_VALUES:
        return named or "–"
    return _("{values} and {count} more").format(
        values=named, count=number(len(values) - MAX_NAMED_VALUES, digits=0)
    )


def _shortened(words: str) -> str:
    words = " ".join(words.split())
    return (
        words if len(words) <= MAX_FILTER_CHARACTERS else words[: MAX_FILTER_CHARACTERS - 1] + "…"
    )


def value_text(value: Cell) -> str:
    """Return a cell as text, "(empty)" for none."""
    return _("(empty)") if value is None else cell(value)


def parse_bound(typed: str, type_: ColumnType) -> Bound:
    """Parse a typed bound; None for blank text. Raises ValueError if it does not fit the type."""
    words = typed.replace("\N{NO-BREAK SPACE}", " ").strip()
    if not words:
        return None
    if is_numeric(type_):
        return typed_number(words)
    moment = _parse_moment(words)
    if type_ == "date" and isinstance(moment, datetime):
        return moment.date()
    return moment


def _parse_moment(words: str) -> date | datetime:
    if found := _DAY.fullmatch(words):
        day, month, year, *clock = found.groups()
    elif found := _ISO.fullmatch(words):
        year, month, day, *clock = found.groups()
    else:
        raise ValueError(words)
    that_day = date(int(year), int(month), int(day))
    if clock[0] is None:
        return that_day
    hour, minute, second = (int(part or 0) for part in clock)
    return datetime(that_day.year, that_day.month, that_day.day, hour, minute, second)


def format_bound(bound: Bound) -> str:
    """Return a bound as text that `parse_bound` reads."""
    match bound:
        case None:
            return ""
        case int() | float():
            return number_to_type(bound)
        case _:
            return cell(bound)
