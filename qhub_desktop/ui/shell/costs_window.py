"""Window of the costs: today and this month, day by day, and by person, agent or model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.result_widgets import Kpi
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.export.text_tables import to_csv
from qhub_desktop.store.costs import CostTotal, Dimension, notes_on
from qhub_desktop.ui.charts.chart_body import ChartBody
from qhub_desktop.ui.charts.kpi_view import KpiView
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.saving import save
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.people.budgets import BudgetCard
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.costs import CostRepository

SHOWN_DAYS = 21  # as many as have room for their dates
ROWS_PX = 180  # the window scrolls where a small screen has no room for them


class CostsWindow(DetailWindow):
    """Window of what was spent: by everybody, or by the person of the id `owner` alone.

    Whoever sees everybody's manages the budgets, and may look at one person's. `agents` are their
    names by id; `note_export` puts what is known of a file in the audit log.
    """

    def __init__(
        self,
        *,
        costs: CostRepository,
        owner: int | None,
        agents: Mapping[str, str],
        note_export: Callable[[JsonObject], Awaitable[None]],
        tasks: Tasks,
        parent: QWidget | None,
    ) -> None:
        super().__init__(
            parent,
            _("Costs"),
            subtitle=_("In US dollars, by the price list of this program."),
            size=QSize(820, 760),
        )
        self._costs = costs
        self._owner = owner
        self._agents = agents
        self._note_export = note_export
        self._tasks = tasks
        self._table = Table((), ())
        self.dialog: QFileDialog | None = None
        # What is shown: sums, the chart by day, and rows by a dimension, of one person or of all.
        self._sums = QWidget()
        column_of(owner=self._sums, spacing=None)
        self._chart = self._frame()
        self.person_box = QComboBox()
        self.person_box.setAccessibleName(_("Person"))
        self.person_box.addItem(one_line(_("Everybody")), None)
        # As wide as two thirds of the window, whatever the names are.
        self.person_box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.person_box.hide()  # until there is somebody to choose
        self.person_box.currentIndexChanged.connect(self._on_person_changed)
        self.by_box = QComboBox()
        self.by_box.setAccessibleName(_("Added up by"))
        for by, label in (
            ("agent", _("Agent")),
            ("model", _("Model")),
            ("person", _("Person")),
            ("day", _("Day")),
            ("month", _("Month")),
        ):
            self.by_box.addItem(one_line(label), by)
        self.by_box.currentIndexChanged.connect(self._on_dimension_changed)
        self.export_button = TextButton(_("Export CSV…"), on_click=self._on_export_clicked)
        self.export_button.setAutoDefault(False)
        self._rows = self._frame()
        self.note = make_label(role="small", is_wrapped=True)
        self.budgets = BudgetCard(
            costs, is_managed=owner is None, agents=agents, tasks=tasks, owner=self
        )
        # Layout, from top to bottom.
        self.saved = StatusLabel(role="small")
        head = row_of(self.by_box, STRETCH, self.export_button)
        whose = row_of((self.person_box, 2), STRETCH, spacing=None)
        self._rows.setMinimumHeight(ROWS_PX)
        inside = QWidget()
        page = column_of(owner=inside, margins=(0, GRID_PX, 0, 0))
        add_to(page, whose, self._sums, self._chart, self.budgets, head, self.saved)
        add_to(page, (self._rows, 1), self.note)
        self.add(scrolled(inside))
        self._on_person_changed()
        if owner is None:
            cancel_with(self, tasks.start(self._load_people()))

    def _frame(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("kind", "card")
        column_of(owner=frame, margins=GRID_PX, spacing=None)
        return frame

    @property
    def _person(self) -> str | None:
        """Name of the person whose costs are shown; None for everybody's."""
        name: str | None = self.person_box.currentData()
        return name

    async def _load_people(self) -> None:
        spent = [each.key for each in await self._costs.totals("person")]
        names = sorted({*spent, *await self._costs.account_names()})
        if not isValid(self) or not any(names):
            return
        for name in names:
            self.person_box.addItem(one_line(name or _("Without an account")), name)
        self.person_box.show()

    async def _load(self) -> None:
        person = self._person
        today = datetime.now().astimezone().date()
        first = min(today.replace(day=1), today - timedelta(days=SHOWN_DAYS - 1))
        # To no end: as the budgets count, with what stands on days to come.
        found = await self._costs.totals("day", first=first, owner=self._owner, person=person)
        by_day = {each.key: each.cost_usd for each in found}
        days = [today - timedelta(days=back) for back in reversed(range(SHOWN_DAYS))]
        figure = await asyncio.to_thread(_figure, days, by_day)
        if not isValid(self) or person != self._person:
            return
        spent = [
            (title, sum(usd for day, usd in by_day.items() if day >= begun.isoformat()))
            for title, begun in ((_("Today"), today), (_("This month"), today.replace(day=1)))
        ]
        sums = QWidget()
        row = row_of(owner=sums, spacing=3 * GRID_PX)
        for title, usd in spent:
            column = QVBoxLayout()
            column.addWidget(make_label(title, role="small"))
            column.addWidget(KpiView(Kpi(title, number(usd, digits=2), "US$")))
            row.addLayout(column)
        row.addStretch(1)
        _put(self._sums, sums)
        _put(self._chart, make_label(figure.title, role="small"), ChartBody(figure))
        self.note.setText("\n".join(notes_on(found)))
        self.note.setVisible(bool(self.note.text()))

    async def _load_table(self) -> None:
        by: Dimension = self.by_box.currentData()
        person = self._person
        found = await self._costs.totals(by, owner=self._owner, person=person)
        if not isValid(self) or (by, person) != (self.by_box.currentData(), self._person):
            return
        names = self._agents if by == "agent" else {}
        self._table = _table(found, self.by_box.currentText(), names)
        _put(self._rows, TableWidget(self._table))
        self.export_button.setEnabled(bool(found))

    def _on_person_changed(self) -> None:
        cancel_with(self, self._tasks.start(self._load()))
        cancel_with(self, self._tasks.start(self._load_table()))

    def _on_dimension_changed(self) -> None:
        cancel_with(self, self._tasks.start(self._load_table()))

    def _on_export_clicked(self) -> None:
        title, whose = _("Costs"), self._person
        self.dialog = open_save_dialog(
            self,
            title if whose is None else f"{title} {whose}".rstrip(),
            kind="CSV",
            suffix=".csv",
            on_selected=self._on_file_selected,
        )

    def _on_file_selected(self, path: str) -> None:
        self._tasks.start(self._export(Path(path)))

    async def _export(self, file: Path) -> None:
        noted: JsonObject = {"file": file.name}
        if self._person is not None:
            noted["person"] = self._person
        await self._note_export(noted)
        await asyncio.to_thread(save, to_csv(self._table), file)
        self.saved.tell_saved(_("Saved as {name}.").format(name=file.name), file)


def _put(frame: QWidget, *widgets: QWidget) -> None:
    """Show widgets in a frame, instead of what was there."""
    column = frame.layout()
    assert column is not None
    while (item := column.takeAt(0)) is not None:
        if (before := item.widget()) is not None:
            before.deleteLater()
    for widget in widgets:
        column.addWidget(widget)


def _figure(days: Sequence[date], by_day: Mapping[str, float]) -> Figure:
    # Loads every kind of chart: with the first window of costs, on a thread.
    from qhub_desktop.charts.catalogue import draw

    day, usd = _("Day"), "US$"
    rows = tuple((f"{each:%d/%m}", round(by_day.get(each.isoformat(), 0.0), 4)) for each in days)
    table = Table((Column(day, "text"), Column(usd, "number")), rows)
    title = _("Cost of the last {count} days").format(count=len(days))
    return draw("bar", title, table, x=day, y=[usd])


def _table(totals: Sequence[CostTotal], head: str, names: Mapping[str, str]) -> Table:
    columns = (
        Column(head, "text"),
        Column("US$", "number"),
        Column(_("Answers"), "integer"),
        Column(_("Input"), "integer"),
        Column(_("Output"), "integer"),
        Column(_("Cache written"), "integer"),
        Column(_("Cache read"), "integer"),
    )
    rows = tuple(
        (
            names.get(each.key, each.key) or "-",
            round(each.cost_usd, 4),
            each.answers,
            each.input_tokens,
            each.output_tokens,
            each.cache_write_tokens,
            each.cache_read_tokens,
        )
        for each in totals
    )
    return Table(columns, rows)
