"""Budgets in the window: fields for two amounts, a dialog around them, a card that lists all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QTreeWidgetItem, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.budget import (
    PERIODS,
    BudgetStanding,
    Limits,
    Period,
    Scope,
    Spending,
    parse_usd,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number
from qhub_desktop.core.text import language as spoken
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import FormDialog, caption, text_field
from qhub_desktop.ui.controls.layouts import (
    add_to,
    column_of,
    make_label,
    make_list,
    make_row,
    row_of,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.costs import CostRepository

Subject = tuple[Scope, str]  # the name is empty for the station
LoadSpendings = Callable[[], Awaitable[Sequence[Spending]]]

_FIELD_LABELS: dict[Period, str] = {
    "day": gettext_noop("US$ a day (empty: no limit)"),
    "month": gettext_noop("US$ a month (empty: no limit)"),
}
_SPENT: dict[Period, str] = {
    "day": gettext_noop("Spent today: {spent}"),
    "month": gettext_noop("Spent this month: {spent}"),
}
_MOST_ROWS = 5
_ROW_PX = 30


class BudgetFields(QFrame):
    """Fields for what may be spent in a day and in a month, with what was.

    What is loaded can be changed; until then nothing is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loaded: Sequence[Spending] = ()
        self.fields: dict[Period, QLineEdit] = {}
        self.spent = {each: make_label(role="small") for each in PERIODS}
        row = row_of(owner=self, spacing=2 * GRID_PX)
        for period in PERIODS:
            field = self.fields[period] = text_field(most=20)
            field.setAcceptDrops(False)
            label = caption(field, _(_FIELD_LABELS[period]))
            column = column_of(label, field, self.spent[period], spacing=4)
            self.spent[period].hide()
            row.addLayout(column, 1)

    def show_spendings(self, spendings: Sequence[Spending]) -> None:
        """Show what was spent, and may be."""
        self._loaded = spendings
        for each in spendings:
            self.fields[each.period].setText(one_line(_written(each.usd)))
            spent = _(_SPENT[each.period])
            self.spent[each.period].setText(spent.format(spent=_usd(each.spent_usd)))
            self.spent[each.period].show()

    def limits(self) -> Limits:
        """Return what is written, of what was changed. Raises UserError for what is no amount."""
        changed: dict[Period, float | None] = {}
        before = {each.period: _written(each.usd) for each in self._loaded}
        for period, field in self.fields.items():
            if field.text().strip() != before.get(period, ""):
                changed[period] = parse_usd(field.text())
        return changed


class BudgetDialog(FormDialog):
    """Asks whose budget, and how much; `subjects` are the names that are shown for them."""

    def __init__(
        self,
        budgets: CostRepository,
        subjects: Mapping[Subject, str],
        chosen: Subject,
        *,
        on_saved: Callable[[], object],
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Budget"),
            subtitle=_(
                "Once 80 % of it is spent there is a warning; once all is, Claude is not asked, and"
                " the offline engine answers."
            ),
            size=QSize(500, 390),
            done=_("Save"),
            tasks=tasks,
        )
        self._budgets = budgets
        self._subjects = list(subjects)
        self._on_saved = on_saved
        self.subject = QComboBox()
        for name in subjects.values():
            self.subject.addItem(one_line(name))
        self.subject.setCurrentIndex(self._subjects.index(chosen))
        self.subject.currentIndexChanged.connect(self._start_load)
        self.amounts = BudgetFields()
        add_to(self.column, caption(self.subject, _("Whose budget")), self.subject, self.amounts)
        self._end_form()
        self.subject.setFocus()
        self._start_load()

    def _start_load(self) -> None:
        self.problem.hide()
        self.amounts.setEnabled(False)
        self._work.start(self._load())

    async def _load(self) -> None:
        at = self.subject.currentIndex()
        found = await self._budgets.spendings(*self._subjects[at])
        if isValid(self) and at == self.subject.currentIndex():
            self.amounts.show_spendings(found)
            self.amounts.setEnabled(True)

    @override
    def _on_submitted(self) -> None:
        if self.amounts.isEnabled():
            self._keep(self._save())

    async def _save(self) -> None:
        subject = self._subjects[self.subject.currentIndex()]
        await self._budgets.set_budgets(*subject, self.amounts.limits())
        self._on_saved()
        if isValid(self):
            self.close()


class BudgetCard(QFrame):
    """Budgets with what is spent of them.

    Whoever manages the station sees every one, and changes them; others see their own and the
    station's. `agents` are their names by id.
    """

    def __init__(
        self,
        budgets: CostRepository,
        *,
        is_managed: bool,
        agents: Mapping[str, str],
        tasks: Tasks,
        owner: QWidget,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._budgets = budgets
        self._is_managed = is_managed
        self._agents = agents
        self._tasks = tasks
        self._owner = owner
        self._accounts: Sequence[str] = ()
        self.dialog: BudgetDialog | None = None
        self.list = make_list(
            _("Budgets"),
            [_("Whose budget"), _("Today"), _("This month")],
            wide=0,
            numbers=(1, 2),
        )
        self.list.setVerticalScrollMode(self.list.ScrollMode.ScrollPerPixel)
        if is_managed:
            self.list.itemActivated.connect(lambda _item: self.open_dialog())
        self.nothing = make_label(
            _("There is no budget: what is asked is not limited."), role="quiet", is_wrapped=True
        )
        self.change_button = TextButton(_("Budget…"), on_click=self.open_dialog)
        self.change_button.setAutoDefault(False)
        if not is_managed:
            self.change_button.hide()
        head = row_of()
        add_to(head, (make_label(_("Budgets, in US dollars"), role="small"), 1), self.change_button)
        column_of(head, self.nothing, self.list, owner=self, margins=(12, 8), spacing=4)
        self.list.hide()
        self._start_load()

    def open_dialog(self) -> BudgetDialog:
        """Open the dialog, for the selected budget if there is one."""
        subjects: dict[Subject, str] = {("station", ""): _("The station")}
        subjects |= {("agent", id_): name for id_, name in self._agents.items()}
        subjects |= {("person", name): name for name in self._accounts}
        chosen: Subject = selected_key(self.list) or ("station", "")
        self.dialog = BudgetDialog(
            self._budgets,
            subjects,
            chosen if chosen in subjects else ("station", ""),
            on_saved=self._start_load,
            tasks=self._tasks,
            owner=self._owner,
        )
        self.dialog.open()
        return self.dialog

    def _start_load(self) -> None:
        if isValid(self):
            cancel_with(self, self._tasks.start(self._load()))

    async def _load(self) -> None:
        if self._is_managed:
            standings = await self._budgets.all_standings()
            accounts = await self._budgets.account_names()
        else:
            standings, accounts = await self._budgets.standings(None), []
        if isValid(self):
            self._accounts = accounts
            self._show(standings)

    def _show(self, standings: Sequence[BudgetStanding]) -> None:
        by_subject: dict[Subject, dict[Period, BudgetStanding]] = {}
        for each in standings:
            by_subject.setdefault((each.budget.scope, each.budget.name), {})[each.budget.period] = (
                each
            )
        self.list.clear()
        for subject, found in by_subject.items():
            self.list.addTopLevelItem(self._row(subject, found))
        self.nothing.setVisible(not by_subject)
        self.list.setVisible(bool(by_subject))
        self.list.setFixedHeight((min(len(by_subject), _MOST_ROWS) + 1) * _ROW_PX + GRID_PX)

    def _row(self, subject: Subject, found: Mapping[Period, BudgetStanding]) -> QTreeWidgetItem:
        scope, name = subject
        shown = _("The station") if scope == "station" else self._agents.get(name, name)
        cells = [shown, *(standing_text(found.get(period)) for period in PERIODS)]
        return make_row(cells, subject, numbers=(1, 2))


def standing_text(standing: BudgetStanding | None) -> str:
    """Return what is spent of a budget as '0.31 / 1.00', "" where there is none."""
    return "" if standing is None else standing.amounts


def _usd(usd: float) -> str:
    return number(usd, digits=2)


def _written(usd: float | None) -> str:
    """Return an amount as it can be written again."""
    if usd is None:
        return ""
    return f"{usd:.2f}".replace(".", "," if spoken() == "pt" else ".")
