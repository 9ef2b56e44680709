"""Window of the people of a station, for administrators: their accounts, and what was done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.budget import PERIODS, BudgetStanding, Period
from qhub_desktop.core.person import ROLE_LABELS, Person
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.people.accounts import Accounts
from qhub_desktop.people.file import import_accounts
from qhub_desktop.store.audit_repository import AuditRepository
from qhub_desktop.store.people import PeopleRepository
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_file_dialog, open_save_dialog
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    column_of,
    make_label,
    make_list,
    make_row,
    row_of,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import OwnWindow, SearchBox, fit_screen
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.people.account_dialog import AccountDialog, Draft, SecretCard
from qhub_desktop.ui.people.audit_page import AuditPage
from qhub_desktop.ui.people.budgets import standing_text
from qhub_desktop.ui.tasks import Tasks, WidgetTasks

if TYPE_CHECKING:
    from qhub_desktop.store.audited_reading import AuditedReading
    from qhub_desktop.store.costs import CostRepository
    from qhub_desktop.store.personal_data import PersonalDataRepository
    from qhub_desktop.tools.deletion import Deletion

PEOPLE_SIZE = QSize(960, 640)


@dataclass(frozen=True, slots=True)
class PeopleServices:
    """Services that the window works with.

    `agents` are the names of the agents by their ids; `person` is who has signed in, and None at a
    station without accounts; `enter` is called with whoever makes the first account. `reading` says
    whether others' conversations may be read, `open_conversations` shows somebody's, and
    `export_person` writes everything of somebody's to a file and counts the conversations.
    """

    people: PeopleRepository
    accounts: Accounts
    budgets: CostRepository
    audit: AuditRepository
    agents: Mapping[str, str]
    person: Person | None
    enter: Callable[[Person], object]
    reading: AuditedReading
    open_conversations: Callable[[Person], object]
    personal_data: PersonalDataRepository
    deletion: Callable[[], Deletion]
    export_person: Callable[[str, Path], Awaitable[int]]
    tasks: Tasks


class PeopleWindow(OwnWindow):
    """The accounts of a station on one page, the log of what was done on another."""

    def __init__(self, services: PeopleServices, owner: QWidget | None) -> None:
        super().__init__(owner)
        set_title(self, _("People"))
        self.people = PeoplePage(services)
        self.audit = AuditPage(services.audit, services.people, tasks=services.tasks)
        self._pages = QStackedWidget()
        self._buttons: list[TextButton] = []
        head = row_of()
        for place, (words, page) in enumerate(
            ((_("People"), self.people), (_("What was done"), self.audit))
        ):
            button = TextButton(words, kind="flat")
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, place=place: self.show_page(place))
            self._buttons.append(button)
            head.addWidget(button)
            self._pages.addWidget(page)
        head.addStretch(1)
        self._buttons[0].setChecked(True)
        column_of(head, (self._pages, 1), owner=self, margins=(16, 12, 16, 16))
        fit_screen(self, PEOPLE_SIZE)
        self.people.search.setFocus()

    def show_page(self, place: int) -> None:
        """Show the accounts (0), or the log (1) as it is by now."""
        for at, button in enumerate(self._buttons):
            button.setChecked(at == place)
        self._pages.setCurrentIndex(place)
        if place == 1:
            self.audit.refresh()


class PeoplePage(QFrame):
    """The accounts, to find, make and change them."""

    def __init__(self, services: PeopleServices) -> None:
        super().__init__()
        self._services = services
        self._person = services.person
        self._found: Sequence[Person] = ()
        self._standings: Mapping[tuple[str, Period], BudgetStanding] = {}
        self.dialog: AccountDialog | QFileDialog | None = None
        self.search = SearchBox(_("Search the people"))
        self.search.textChanged.connect(self._show_found)
        heads = [_("Name"), _("Role"), _("Agents"), _("State"), _("US$ today"), _("US$ this month")]
        self.list = make_list(_("People"), heads, wide=2, numbers=(4, 5))
        self.list.itemSelectionChanged.connect(self._update_buttons)
        self.list.itemActivated.connect(lambda _item: self.open_change_dialog())
        self.note = StatusLabel()
        self._work = WidgetTasks(self, services.tasks, self.note.tell_error)
        self.unclaimed = make_label(
            _(
                "A repair has saved conversations of which nothing tells whose they were. Give them"
                " to their people with: qhub admin recovered list"
            ),
            is_wrapped=True,
        )
        self.unclaimed.hide()
        self.new_button = TextButton(_("New…"), icon_name="plus", on_click=self.open_new_dialog)
        self.import_button = TextButton(_("Import CSV…"), on_click=self.open_import_dialog)
        self.change_button = TextButton(_("Role, agents, budget…"))
        self.change_button.clicked.connect(self.open_change_dialog)
        self.reset_button = TextButton(_("Reset password"))
        self.reset_button.clicked.connect(lambda: self._start(self._reset()))
        self.disable_button = TextButton(_("Disable"))
        self.disable_button.clicked.connect(lambda: self._start(self._disable()))
        self.export_button = TextButton(_("Export everything…"), on_click=self.open_export_dialog)
        self.delete_button = TextButton(_("Delete…"))
        self.delete_button.clicked.connect(lambda: self._start(self._ask_to_delete()))
        self.deletion = DeletionCard()
        self.deletion.delete_requested.connect(lambda name: self._start(self._delete(name)))
        self.read_button = TextButton(_("Conversations…"), on_click=self._on_read_clicked)
        self.read_button.hide()
        self.secrets = SecretCard()
        self._build()
        self._start(self.load())

    @property
    def selected(self) -> Person | None:
        """The selected person."""
        found: Person | None = selected_key(self.list)
        return found

    def open_new_dialog(self) -> AccountDialog:
        """Open the dialog for a new account."""
        return self._open_account_dialog(None, self._add)

    def open_change_dialog(self) -> AccountDialog | None:
        """Open the dialog for the role and the agents of the selected person."""
        person = self.selected
        if person is None:
            return None

        async def change(draft: Draft) -> None:
            agents = None if draft.agents is None else tuple(draft.agents)
            if (draft.role, agents) != (person.role, person.agents):  # it ends their sessions
                await self._services.people.change(person.name, draft.role, draft.agents)
            await self._services.budgets.set_budgets("person", person.name, draft.limits)
            await self.load()

        return self._open_account_dialog(person, change)

    def open_import_dialog(self) -> QFileDialog:
        """Open the dialog for a file of accounts."""
        return open_file_dialog(
            self,
            _("Import CSV…"),
            kind="CSV",
            on_selected=lambda file: self._start(self.import_file(file)),
        )

    def open_export_dialog(self) -> QFileDialog | None:
        """Open the dialog for the file that everything of the selected person is written to."""
        if (person := self.selected) is None:
            return None
        self.dialog = open_save_dialog(
            self,
            person.name,
            kind="ZIP",
            suffix=".zip",
            on_selected=lambda file: self._start(self.export(person.name, Path(file))),
        )
        return self.dialog

    async def export(self, name: str, target: Path) -> None:
        """Write everything that is somebody's to a ZIP, and tell what it holds."""
        count = await self._services.export_person(name, target)
        if isValid(self):
            said = ngettext(
                "{count} conversation in {file}.", "{count} conversations in {file}.", count
            )
            said = said.format(count=number(count), file=target.name)
            self.note.tell_saved(said, target, role="good")

    async def import_file(self, file: Path) -> None:
        """Make the accounts of a file, and tell what could not be made."""
        services = self._services
        done = await import_accounts(services.accounts, services.budgets, file, services.agents)
        if not isValid(self):
            return
        self.secrets.show_secrets(done.made)
        count = len(done.made)
        said = ngettext("{count} account made.", "{count} accounts made.", count)
        told = [said.format(count=count), *done.problems]
        self.note.tell("\n".join(told), role="bad" if done.problems else "good")
        await self.load()

    async def load(self) -> None:
        """Read the accounts again."""
        found = await self._services.people.listed()
        standings = await self._services.budgets.all_standings()
        is_read = await self._services.reading.is_on()
        unclaimed = await self._services.people.unclaimed()
        if isValid(self):
            self.unclaimed.setVisible(bool(unclaimed))
            self._found = found
            self._standings = {
                (each.budget.name, each.budget.period): each
                for each in standings
                if each.budget.scope == "person"
            }
            self.read_button.setVisible(is_read)
            self._show_found()

    def _open_account_dialog(
        self, person: Person | None, save: Callable[[Draft], Coroutine[Any, Any, None]]
    ) -> AccountDialog:
        self.note.hide()
        dialog = AccountDialog(
            person,
            agents=self._services.agents,
            is_first=self._person is None,
            spendings=None
            if person is None
            else lambda: self._services.budgets.spendings("person", person.name),
            save=save,
            tasks=self._services.tasks,
            owner=self,
        )
        dialog.open()
        return dialog

    async def _add(self, draft: Draft) -> None:
        is_first = self._person is None
        made = await self._services.accounts.add(
            draft.name, draft.role, draft.agents, secret=draft.secret
        )
        if is_first:
            self._services.enter(made.person)
        await self._services.budgets.set_budgets("person", made.person.name, draft.limits)
        if not isValid(self):
            return
        if is_first:
            self._person = made.person
            self.note.tell(
                _(
                    "{name} is the administrator. From the next start on, everybody signs in."
                ).format(name=made.person.name),
                role="good",
            )
        self.secrets.show_secrets([made])
        await self.load()

    async def _reset(self) -> None:
        if (person := self.selected) is None:
            return
        made = await self._services.accounts.reset(person)
        if isValid(self):
            self.secrets.show_secrets([made])
            await self.load()

    async def _disable(self) -> None:
        if (person := self.selected) is None:
            return
        people = self._services.people
        await people.set_disabled(person.name, is_disabled=not person.is_disabled)
        await self.load()

    async def _ask_to_delete(self) -> None:
        if (person := self.selected) is None:
            return
        counts = await self._services.personal_data.counts_of(person.name)
        if isValid(self):
            self.deletion.ask(person.name, counts)

    async def _delete(self, name: str) -> None:
        deletion = self._services.deletion()
        deleted = await deletion.delete_person(name)
        copies = await deletion.holding_copies()
        if not isValid(self):
            return
        told = [_("'{name}' is deleted.").format(name=name), deleted.notice, copies.notice]
        self.note.tell(" ".join(filter(None, told)), role="good" if deleted.is_complete else "")
        await self.load()

    def _on_read_clicked(self) -> None:
        if (person := self.selected) is not None:
            self._services.open_conversations(person)

    def _show_found(self) -> None:
        selected, words = self.selected, self.search.text().casefold().split()
        self.list.clear()
        for person in self._found:
            item = make_row(self._cells(person), person, numbers=(4, 5))
            if all(word in " ".join(self._cells(person)).casefold() for word in words):
                self.list.addTopLevelItem(item)
                item.setSelected(selected is not None and selected.id == person.id)
        if not self._found:
            self.note.tell(
                _(
                    "Nobody has an account: the station works without signing in. The first account"
                    " is an administrator's."
                )
            )
        self._update_buttons()

    def _cells(self, person: Person) -> list[str]:
        names = self._services.agents
        agents = person.agents
        return [
            person.name,
            _(ROLE_LABELS[person.role]),
            _("every agent")
            if agents is None
            else ", ".join(names.get(each, each) for each in agents),
            _state(person),
            *(standing_text(self._standings.get((person.name, each))) for each in PERIODS),
        ]

    def _update_buttons(self) -> None:
        person = self.selected
        is_oneself = (
            person is not None and self._person is not None and person.id == self._person.id
        )
        self.deletion.hide()  # it was about another one
        for button in (
            *(self.change_button, self.reset_button, self.read_button),
            *(self.disable_button, self.delete_button),
        ):
            button.setEnabled(person is not None and not is_oneself)
        self.export_button.setEnabled(person is not None)
        is_out = person is not None and person.is_disabled
        self.disable_button.set_caption(_("Enable") if is_out else _("Disable"))
        self.import_button.setEnabled(self._person is not None)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.note.hide()
        self._work.start(work)

    def _build(self) -> None:
        top = row_of((self.search, 1), self.new_button, self.import_button)
        foot = row_of(
            *(self.change_button, self.reset_button, self.disable_button, self.delete_button),
            *(self.export_button, self.read_button, STRETCH),
        )
        cards = (self.unclaimed, self.note, self.secrets, self.deletion)
        column_of(top, (self.list, 1), *cards, foot, owner=self)


class DeletionCard(QFrame):
    """Asks, beside the list of people, whether somebody is to be deleted for good.

    Signals:
        delete_requested(name): yes.
    """

    delete_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self.setProperty("kind", "note")
        self.text = make_label("", is_wrapped=True)
        self.back_button = TextButton(_("Keep account"), on_click=self._on_back_clicked)
        self.delete_button = TextButton(_("Delete for good"), on_click=self._on_delete_clicked)
        row_of((self.text, 1), self.back_button, self.delete_button, owner=self, margins=(12, 8))
        self.hide()

    def ask(self, name: str, counts: Mapping[str, int]) -> None:
        """Ask about an account, with the rows that would go by table."""
        conversations, messages = counts.get("conversations", 0), counts.get("messages", 0)
        said = ngettext("{count} conversation", "{count} conversations", conversations)
        heard = ngettext("{count} message", "{count} messages", messages)
        self._name = name
        self.text.setText(
            _(
                "'{name}' goes for good, with {conversations}, {messages} and everything else that"
                " is theirs. 'Export everything' writes it to a file first."
            ).format(
                name=name,
                conversations=said.format(count=number(conversations)),
                messages=heard.format(count=number(messages)),
            )
        )
        self.show()
        self.back_button.setFocus()  # Enter must not delete by accident

    def _on_back_clicked(self) -> None:
        self.hide()

    def _on_delete_clicked(self) -> None:
        self.hide()
        self.delete_requested.emit(self._name)


def _state(person: Person) -> str:
    if person.is_disabled:
        return _("disabled")
    if person.must_change:
        return _("password to be replaced")
    return ""
