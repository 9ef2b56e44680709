"""What rows are to be left by one column: ticked values, words, or a range."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import cell, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.views import Between, Contains, Empty, Filter, NotEmpty, View
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.popup_frame import PopupFrame
from qhub_desktop.ui.table_window.value_list import ValueList
from qhub_desktop.ui.table_window.words import read_bound, written_bound
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import GRID_PX, Palette

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace

WIDTH_PX = 320
PAUSE_S = 0.25
LISTED = 200
Kind = Literal["values", "words", "range", "empty", "filled"]


class FilterPopup(PopupFrame):
    """Closed, it is gone.

    Signals:
        chosen: the filter of the column from now on, or None for none.
    """

    chosen = Signal(object)

    def __init__(
        self,
        column: ColumnProfile,
        dataset: str,
        view: View,
        *,
        workspace: Workspace,
        tasks: Tasks,
        palette: Palette,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Filter {column}").format(column=column.name))
        self._column = column
        self._dataset = dataset
        self._view = view
        self._workspace = workspace
        self._tasks = tasks
        self._now = next((each for each in view.filters if each.column == column.name), None)
        self._asked = 0

        self.kinds = QComboBox()
        self.kinds.setAccessibleName(_("How the column is filtered"))
        self.search = QLineEdit()
        self.values = ValueList(palette)
        self.words = QLineEdit()
        self.least, self.most = QLineEdit(), QLineEdit()
        self._said = QLabel()
        self._pages = QStackedWidget()
        self.apply = WordButton(_("Apply"), palette, kind="primary")
        self.clear = WordButton(_("Clear"), palette)
        self._build()
        self._fill_in()

    @override
    def open_at(self, place: QPoint) -> None:
        super().open_at(place)
        first = {"values": self.search, "words": self.words, "range": self.least}
        first.get(self._kind, self.kinds).setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def _kind(self) -> Kind:
        kind: Kind = self.kinds.currentData()
        return kind

    def _build(self) -> None:
        title = QLabel(self._column.name)
        title.setProperty("role", "heading")
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        self.search.setPlaceholderText(_("Search in the values"))
        self.search.setAccessibleName(_("Search in the values"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search_changed)
        self.search.returnPressed.connect(self._on_apply)
        self._said.setProperty("role", "small")
        self._said.setWordWrap(True)
        self.values.ticked.connect(self._check)
        self.values.taken.connect(self._on_apply)
        for kind, words in self._offered():
            self.kinds.addItem(words, kind)
        for field in (self.words, self.least, self.most):
            field.returnPressed.connect(self._on_apply)
            field.textChanged.connect(self._check)
        self._pages.addWidget(self._values_page())
        self._pages.addWidget(self._words_page())
        self._pages.addWidget(self._range_page())
        self._pages.addWidget(QWidget())
        buttons = QHBoxLayout()
        buttons.addWidget(self.clear)
        buttons.addStretch(1)
        buttons.addWidget(self.apply)
        self.clear.clicked.connect(lambda: self._finish(None))
        self.clear.setEnabled(self._now is not None)
        self.apply.clicked.connect(self._on_apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(GRID_PX)
        for each in (title, self.kinds, self._pages):
            column.addWidget(each)
        column.addLayout(buttons)
        self.setFixedWidth(WIDTH_PX)
        self.kinds.currentIndexChanged.connect(self._on_kind_changed)

    def _offered(self) -> list[tuple[Kind, str]]:
        offered: list[tuple[Kind, str]] = [("values", _("is one of"))]
        match self._column.type:
            case "text" | "category":
                offered.append(("words", _("contains")))
            case "integer" | "number":
                offered.insert(0, ("range", _("lies between")))
            case "date" | "datetime":
                offered.insert(0, ("range", _("lies between")))
            case "boolean":
                pass
        return [*offered, ("empty", _("is empty")), ("filled", _("is not empty"))]

    def _values_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for each in (self.search, self.values, self._said):
            column.addWidget(each)
        return page

    def _words_page(self) -> QWidget:
        self.words.setPlaceholderText(_("Words, in any case"))
        self.words.setAccessibleName(_("Words that the cells contain"))
        return _stacked(self.words)

    def _range_page(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GRID_PX)
        least, most = self._column.min, self._column.max
        for at, (says, field, end) in enumerate(
            ((_("From"), self.least, least), (_("To"), self.most, most))
        ):
            label = QLabel(says)
            label.setBuddy(field)
            field.setAccessibleName(says)
            # What stands there unless something is typed: the column's own ends.
            field.setPlaceholderText(cell(end))
            grid.addWidget(label, at, 0)
            grid.addWidget(field, at, 1)
        grid.setRowStretch(2, 1)
        return page

    def _fill_in(self) -> None:
        """As the filter in force says."""
        kind: Kind = self.kinds.itemData(0)
        match self._now:
            case Contains(words=words):
                kind = "words"
                self.words.setText(words)
            case Between(lower=lower, upper=upper):
                kind = "range"
                self.least.setText(written_bound(lower))
                self.most.setText(written_bound(upper))
            case Empty():
                kind = "empty"
            case NotEmpty():
                kind = "filled"
            case None:
                pass
            case _:
                kind = "values"
        self.values.begin(self._now)
        self.kinds.setCurrentIndex(self.kinds.findData(kind))
        self._on_kind_changed()

    def _on_kind_changed(self) -> None:
        at = {"values": 0, "words": 1, "range": 2}.get(self._kind, 3)
        self._pages.setCurrentIndex(at)
        self._fit()
        if self._kind == "values" and not self.values.topLevelItemCount():
            self._read_values()
        self._check()

    def _fit(self) -> None:
        """A stack is as high as its highest page, unless the others are told to be nothing."""
        at = self._pages.currentIndex()
        for page in range(self._pages.count()):
            widget = self._pages.widget(page)
            assert widget is not None
            widget.setMaximumHeight(16_777_215 if page == at else 0)
            if page == at:
                self._pages.setMaximumHeight(widget.sizeHint().height())
        self.adjustSize()

    def _on_search_changed(self, _words: str) -> None:
        self._read_values(pause_s=PAUSE_S)

    def _read_values(self, *, pause_s: float = 0) -> None:
        self._asked += 1
        self._tasks.start(self._list(self._asked, pause_s), on_error=self._on_error)

    async def _list(self, asked: int, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        if asked != self._asked:
            return
        words = self.search.text().strip()
        found = await self._workspace.values(
            self._dataset, self._column.name, self._view, words=words, limit=LISTED
        )
        if asked != self._asked:
            return
        self.values.show_values(found, is_searched=bool(words))
        if found.distinct > len(found.values):
            self._said.setText(
                _("The {shown} most frequent of {count} values. Search for the others.").format(
                    shown=number(len(found.values), digits=0),
                    count=number(found.distinct, digits=0),
                )
            )
        else:
            self._said.setText("" if found.values else _("No value is like this."))
        self._said.setVisible(bool(self._said.text()))
        self._fit()

    def _on_error(self, error: QHubError) -> None:
        self._said.setText(str(error))
        self._said.show()

    def _wanted(self) -> Filter | None:
        """What is filled in, as a filter. Raises ValueError for a bound that is none."""
        name = self._column.name
        match self._kind:
            case "values":
                return self.values.wanted(name)
            case "words":
                words = self.words.text().strip()
                return Contains(name, words) if words else None
            case "range":
                lower = read_bound(self.least.text(), self._column.type)
                upper = read_bound(self.most.text(), self._column.type)
                return None if lower is None and upper is None else Between(name, lower, upper)
            case "empty":
                return Empty(name)
            case "filled":
                return NotEmpty(name)

    def _check(self) -> None:
        is_right = not (self._kind == "values" and self.values.is_nothing)
        for field in (self.least, self.most):
            try:
                read_bound(field.text(), self._column.type)
                state = ""
            except ValueError:
                state = "bad"
                is_right = is_right and self._kind != "range"
            if field.property("state") != state:
                field.setProperty("state", state)
                field.style().unpolish(field)
                field.style().polish(field)
        self.apply.setEnabled(is_right)

    def _on_apply(self) -> None:
        if self.apply.isEnabled():
            self._finish(self._wanted())

    def _finish(self, wanted: Filter | None) -> None:
        self.chosen.emit(wanted)
        self.close()


def _stacked(widget: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(widget)
    column.addStretch(1)
    return page
