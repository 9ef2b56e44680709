"""Dialog for an account, new or with another role, agents and budget; card of new passwords."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.budget import Limits
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import LONGEST_PERSON_NAME, ROLE_LABELS, ROLES, Person, Role
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import visible
from qhub_desktop.core.values import dataclass
from qhub_desktop.people.accounts import NewAccount
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import FormDialog, caption, choice_box
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import captioned, one_line
from qhub_desktop.ui.people.budgets import BudgetFields, LoadSpendings
from qhub_desktop.ui.people.sign_in import SecretField
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import GRID_PX


@dataclass(frozen=True, slots=True)
class Draft:
    """Draft of an account: no agents stand for every agent, no secret for one that is chosen.

    `limits` are the budgets that were changed.
    """

    name: str
    role: Role
    agents: Sequence[str] | None
    secret: str | None
    limits: Limits


Save = Callable[[Draft], Awaitable[None]]


class AccountDialog(FormDialog):
    """Asks for the name, the role, the agents and the password of an account.

    `agents` are the names of the agents by their ids. Without `person` the account is a new one;
    the first is an administrator's, who chooses the password, for nobody else could. `spendings`
    are what a person of before has spent, and may.
    """

    def __init__(
        self,
        person: Person | None,
        *,
        agents: Mapping[str, str],
        is_first: bool,
        spendings: LoadSpendings | None,
        save: Save,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        first = _(
            "This is the first account, an administrator's. From the next start on, everybody signs"
            " in; what there is now becomes this person's."
        )
        super().__init__(
            owner,
            _("New account") if person is None else _("Role, agents and budget"),
            subtitle=first if is_first else "",
            size=QSize(480, 460),
            done=_("Save"),
            tasks=tasks,
        )
        self._is_first = is_first
        self._save = save
        self.name = QLineEdit(one_line(person.name) if person else "")
        self.name.setMaxLength(LONGEST_PERSON_NAME)
        self.name.setEnabled(person is None)
        self.role = choice_box(choices=((role, _(ROLE_LABELS[role])) for role in ROLES))
        chosen: Role = "admin" if is_first else person.role if person else "operador"
        self.role.setCurrentIndex(ROLES.index(chosen))
        self.role.setEnabled(not is_first)
        self.every_agent = captioned(QCheckBox(), _("Every agent"))
        self.agents = {id_: captioned(QCheckBox(), name) for id_, name in agents.items()}
        theirs = self._theirs = None if person is None else person.agents
        for id_ in theirs or ():
            if id_ not in agents:  # else it would be taken from them by saving something else
                name = _("{agent} (not there any more)").format(agent=id_)
                self.agents[id_] = captioned(QCheckBox(), name)
        for id_, box in self.agents.items():
            box.setChecked(theirs is None or id_ in theirs)
        self.every_agent.toggled.connect(self._on_every_agent_toggled)
        self.every_agent.setChecked(theirs is None)
        self.secret = SecretField(
            _("Password") if is_first else _("Password or PIN (empty: one is chosen for you)")
        )
        self.again = SecretField(_("The same once more"))
        for field in (self.secret, self.again):
            field.setVisible(person is None)
        self.budget = BudgetFields()
        if spendings is not None:
            self.budget.setEnabled(False)
            self._work.start(self._load(spendings))
        self._build()
        (self.name if person is None else self.role).setFocus()

    @property
    def draft(self) -> Draft:
        """What is written now. Raises UserError for a budget that is no amount."""
        chosen = [id_ for id_, box in self.agents.items() if box.isChecked()]
        # In the order of before: what is not changed is not saved, for that ends their sessions.
        before = [id_ for id_ in self._theirs or () if id_ in chosen]
        agents = [*before, *(id_ for id_ in chosen if id_ not in before)]
        return Draft(
            self.name.text(),
            ROLES[self.role.currentIndex()],
            None if self.every_agent.isChecked() else agents,
            self.secret.text or None,
            {} if self._is_first else self.budget.limits(),
        )

    def _build(self) -> None:
        for words, field in ((_("Name or e-mail"), self.name), (_("Role"), self.role)):
            add_to(self.column, caption(field, words), field)
        which = QFrame()
        column = column_of(owner=which, spacing=0)
        column.addWidget(make_label(_("Agents that they may use"), role="small"))
        for box in (self.every_agent, *self.agents.values()):
            column.addWidget(box)
        if self._is_first:
            which.hide()
            self.budget.hide()
        add_to(self.column, which, self.budget, self.secret, self.again)
        self._end_form()

    def _on_every_agent_toggled(self, is_checked: bool) -> None:  # noqa: FBT001  Qt's signal
        for box in self.agents.values():
            box.setEnabled(not is_checked)

    @override
    def _on_submitted(self) -> None:
        if not self.name.text().strip():
            self.name.setFocus()
        elif self._is_first and not self.secret.text:
            self.secret.setFocus()
        elif self.secret.text != self.again.text:
            self.problem.tell(_("The two are not the same. Write the second one again."))
            self.again.clear()
            self.again.setFocus()
        else:
            self._submit()

    def _submit(self) -> None:
        try:
            draft = self.draft
        except UserError as error:
            self.problem.tell_error(error)
            return
        if draft.agents == []:
            self.problem.tell(_("Choose one agent or more."))
            return
        self._keep(self._store(draft))

    async def _load(self, spendings: LoadSpendings) -> None:
        found = await spendings()
        if isValid(self):
            self.budget.show_spendings(found)
            self.budget.setEnabled(True)

    async def _store(self, draft: Draft) -> None:
        await self._save(draft)
        if isValid(self):
            self.close()


_MOST_LINES = 6


class SecretCard(QFrame):
    """The passwords that were chosen, shown until they are put away: they are kept nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "note")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(_("Passwords that were chosen"))
        self.copy_button = TextButton(_("Copy"), icon_name="copy")
        self.copy_button.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        self.done_button = TextButton(_("Put away"), on_click=self._on_done)
        about = _("Shown once, and kept nowhere. Each is replaced at the first sign-in.")
        buttons = row_of(
            (make_label(about, is_wrapped=True), 1), self.copy_button, self.done_button
        )
        column_of(self.text, buttons, owner=self, margins=(12, 10))
        self.hide()

    def show_secrets(self, made: Sequence[NewAccount]) -> None:
        """Show the secrets of these accounts, of those where one was chosen."""
        lines = [f"{each.person.name}\t{each.secret}" for each in made if each.secret]
        if not lines:
            return
        self.text.setPlainText(visible("\n".join(lines)))
        shown = min(len(lines), _MOST_LINES) + 1
        self.text.setFixedHeight(shown * self.text.fontMetrics().lineSpacing() + GRID_PX)
        self.show()
        self.copy_button.setFocus()

    def _on_done(self) -> None:
        self.text.clear()
        self.hide()
