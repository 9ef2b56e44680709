"""What can be done with one column, and with one cell."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.views import Direction
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.table_window.words import value_words
from qhub_desktop.ui.theme import Palette

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
    palette: Palette,
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
        action = menu.addAction(icon(name, palette.quiet, size_px=16), words)
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
