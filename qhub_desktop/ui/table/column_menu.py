"""The menu of a column, its statistics, and its filters in words."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell, ColumnType, is_numeric
from qhub_desktop.core.text import cell, language, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.query.view_spec import (
    Between,
    Bound,
    Contains,
    Direction,
    Empty,
    Filter,
    NoneOf,
    NotEmpty,
    OneOf,
)
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.column_summary import ColumnView
from qhub_desktop.ui.controls.layouts import Flow
from qhub_desktop.ui.controls.popup import PopupFrame
from qhub_desktop.ui.theme import GRID_PX, theme

NAMED = 2  # values that a chip names; of more it says how many
LONGEST_FILTER = 28

_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


def describe(wanted: Filter) -> str:
    """A filter as a chip says it."""
    name = _short(wanted.column)
    match wanted:
        case Contains(words=words):
            return _("{column} contains “{words}”").format(column=name, words=_short(words))
        case OneOf(values=values):
            return f"{name}: {_listed(values)}"
        case NoneOf(values=values):
            return _("{column}: not {values}").format(column=name, values=_listed(values))
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


def value_words(value: Cell) -> str:
    """A value as a list of values says it."""
    return _("(empty)") if value is None else cell(value)


def read_bound(typed: str, type_: ColumnType) -> Bound:
    """What was typed as a bound; nothing for nothing. Raises ValueError."""
    words = typed.replace("\N{NO-BREAK SPACE}", " ").strip()
    if not words:
        return None
    if is_numeric(type_):
        return _number(words.replace(" ", ""))
    moment = _moment(words)
    if type_ == "date" and isinstance(moment, datetime):
        return moment.date()
    return moment


def written_bound(bound: Bound) -> str:
    """A bound as it is typed."""
    match bound:
        case None:
            return ""
        case float() if language() == "pt":
            return repr(bound).replace(".", ",")
        case int() | float():
            return repr(bound)
        case _:
            return cell(bound)


def counted_rows(shown: int, rows: int) -> str:
    """How many rows there are, or how many of them are shown."""
    if shown == rows:
        words = ngettext("{rows} row", "{rows} rows", rows)
    else:
        words = ngettext("{shown} of {rows} row", "{shown} of {rows} rows", rows)
    return words.format(shown=number(shown, digits=0), rows=number(rows, digits=0))


def rows_words(shown: int, rows: int, columns: int) -> str:
    """How much of a data set is in sight."""
    wide = ngettext("{count} column", "{count} columns", columns)
    return " · ".join((counted_rows(shown, rows), wide.format(count=number(columns, digits=0))))


def _number(words: str) -> int | float:
    if language() == "pt":
        is_grouped = "," in words or re.fullmatch(r"-?\d{1,3}(\.\d{3})+", words)
        words = words.replace(".", "").replace(",", ".") if is_grouped else words
    else:
        words = words.replace(",", "")
    if not re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", words, re.IGNORECASE):
        raise ValueError(words)
    return int(words) if re.fullmatch(r"-?\d+", words) else float(words)


def _moment(words: str) -> date | datetime:
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


def _listed(values: tuple[Cell, ...]) -> str:
    named = ", ".join(_short(value_words(value)) for value in values[:NAMED])
    if len(values) <= NAMED:
        return named or "–"
    return _("{values} and {count} more").format(
        values=named, count=number(len(values) - NAMED, digits=0)
    )


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= LONGEST_FILTER else words[: LONGEST_FILTER - 1] + "…"


LONGEST = 32  # characters of a value in a menu


@dataclass(frozen=True, slots=True)
class ColumnActs:
    """What the lines of the menu do."""

    sort: Callable[[Direction | None], object]
    filter: Callable[[], object]
    unfilter: Callable[[], object]
    statistics: Callable[[], object]
    copy: Callable[[], object]
    select: Callable[[], object]
    hide: Callable[[], object]


def column_menu(
    acts: ColumnActs,
    *,
    sorted_by: Direction | None,
    is_filtered: bool,
    is_last: bool,
    parent: QWidget,
) -> QMenu:
    """The menu; it is gone once closed."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)

    def add(words: str, name: str, does: Callable[[], object]) -> QAction:
        action = menu.addAction(icon(name, theme().palette.quiet, size_px=16), words)
        action.triggered.connect(lambda _on: does())  # not the tick, which it would be given
        return action

    add(_("Sort upwards"), "sort-up", lambda: acts.sort("up")).setEnabled(sorted_by != "up")
    add(_("Sort downwards"), "sort-down", lambda: acts.sort("down")).setEnabled(sorted_by != "down")
    if sorted_by:
        add(_("Do not sort by it"), "close", lambda: acts.sort(None))
    menu.addSeparator()
    add(_("Filter…"), "filter", acts.filter)
    if is_filtered:
        add(_("Clear its filter"), "close", acts.unfilter)
    menu.addSeparator()
    add(_("Statistics"), "chart", acts.statistics)
    menu.addSeparator()
    add(_("Select the column"), "columns", acts.select)
    add(_("Copy the column"), "copy", acts.copy)
    add(_("Hide the column"), "eye-off", acts.hide).setEnabled(not is_last)
    return menu


def cell_menu(
    value: Cell,
    *,
    copy: Callable[[], object],
    only: Callable[[], object],
    without: Callable[[], object],
    parent: QWidget,
) -> QMenu:
    """What can be done with one cell; the menu is gone once closed."""
    words = " ".join(value_words(value).split())
    named = (words if len(words) <= LONGEST else words[: LONGEST - 1] + "…").replace("&", "&&")
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.addAction(_("Copy")).triggered.connect(lambda _on: copy())
    menu.addSeparator()
    for says, does in (
        (_("Only rows with “{value}”"), only),
        (_("Rows without “{value}”"), without),
    ):
        action = menu.addAction(says.format(value=named))
        action.triggered.connect(lambda _on, does=does: does())
    return menu


WIDTH_PX = 320
PAD_PX = 12


class ColumnStatistics(PopupFrame):
    """Says of how many rows it is: all of the data set, whatever is filtered."""

    def __init__(self, column: ColumnProfile, *, rows: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = ColumnView(column, rows=rows)
        self.view.setFixedWidth(WIDTH_PX)
        self.view.setChecked(True)
        # It stays open, unlike in the panel.
        self.view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        words = ngettext(
            "Of {count} row, filtered or not", "Of all {count} rows, filtered or not", rows
        )
        self.scope = QLabel(words.format(count=number(rows, digits=0)))
        self.scope.setProperty("role", "small")
        self.scope.setIndent(GRID_PX)
        self.setAccessibleName(_("Statistics of {column}").format(column=column.name))
        self.setAccessibleDescription(self.view.accessibleDescription())
        lines = QVBoxLayout(self)
        lines.setContentsMargins(PAD_PX, PAD_PX, PAD_PX, PAD_PX)
        lines.addWidget(self.view)
        lines.addWidget(self.scope)


GAP_PX = 6
ICON_PX = 14


class FilterChips(QWidget):
    """One for each, in as many lines as it takes.

    Signals:
        removed: the filter at this position is to go.
        cleared: all are to go.
    """

    removed = Signal(int)
    cleared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._filters: tuple[Filter, ...] = ()
        self._chips: list[QPushButton] = []
        self._flow = Flow(spacing_px=GAP_PX)
        self.setLayout(self._flow)
        self.setContentsMargins(0, 0, 0, GRID_PX)
        self.hide()
        theme().follow(self._restyle)

    def show_filters(self, filters: tuple[Filter, ...]) -> None:
        """Show these, and nothing for none."""
        self._filters = filters
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(at, each) for at, each in enumerate(filters)]
        if filters:
            clear = QPushButton(_("Clear all"))
            clear.setProperty("kind", "pill")
            clear.clicked.connect(self.cleared)
            self._chips.append(clear)
        for chip in self._chips:
            self._flow.addWidget(chip)
        self.setVisible(bool(filters))

    def _restyle(self) -> None:
        self.show_filters(self._filters)

    def _chip(self, at: int, wanted: Filter) -> QPushButton:
        words = describe(wanted)
        chip = QPushButton(f"{words}\N{NO-BREAK SPACE}")  # room before the cross
        chip.setProperty("kind", "pill")
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands at the end
        chip.setIcon(icon("close", theme().palette.quiet, size_px=ICON_PX))
        chip.setIconSize(QSize(ICON_PX, ICON_PX))
        chip.setAccessibleName(_("Take away the filter {words}").format(words=words))
        chip.setToolTip(_("Take this filter away"))
        chip.clicked.connect(lambda: self.removed.emit(at))
        return chip
