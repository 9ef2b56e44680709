"""Signing in, a lock, and one's own password."""

import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from typing_extensions import override

from qhub_desktop.cli.verbs.admin import DEMO
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.errors import QHubError, SessionOverError, UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.person import Person, reading_notice
from qhub_desktop.core.settings import Policy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.people.accounts import Accounts, NewAccount, Sessions
from qhub_desktop.store import Store
from qhub_desktop.store.audit import LogHead
from qhub_desktop.store.audit_verification import AuditVerdict
from qhub_desktop.store.audited_reading import AuditedConversation, AuditedReading
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.tools.deletion import Deletion
from qhub_desktop.ui.people.conversations_window import ConversationsWindow
from qhub_desktop.ui.people.password_dialog import PasswordDialog
from qhub_desktop.ui.people.people_window import PeopleServices, PeopleWindow
from qhub_desktop.ui.people.sign_in import SignInWindow
from qhub_desktop.ui.tasks import Tasks
from tests.program import passing_folder
from tests.waiting import until

_THEN = datetime(2026, 2, 27, 14, 5, tzinfo=UTC)
EVA = Person(1, "eva", "operador", ("qualidade",), must_change=True)


class _Accounts(Accounts):
    """The one way in, which knows one password."""

    def __init__(self) -> None:
        pass  # nothing is kept

    @override
    async def sign_in(self, written: str, secret: str) -> Person:
        if secret != "k3pt-4sdf-xq9z":
            raise UserError(
                _("The name or the password is wrong. Whoever manages the accounts can reset it.")
            )
        return EVA

    @override
    async def with_pin(self) -> list[str]:
        return ["ana.costa", "júlia", "rui", "zé"]

    @override
    async def change_own(self, person: Person, *, old: str, new: str) -> Person:
        raise NotImplementedError(person, old, new)


async def _remember(_person: Person) -> None:
    raise NotImplementedError


async def first() -> QWidget:
    """The first window of a shift, with the faces of who has a PIN."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=_remember)
    await window.show_faces()
    return window


def locked() -> QWidget:
    """A window whose session is over, with the keys for a PIN."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=None, locked="rui")
    for button in window.findChildren(QPushButton):
        if button.isCheckable():
            button.click()
    return window


def ended() -> QWidget:
    """Locked since another program has changed the account; in words as `store.rights` has them."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=None, locked="rui")
    with contextlib.closing(Store.open(passing_folder())) as store:
        store.enter(Person(7, "rui", "operador", None))  # whom nobody knows any more
        try:
            store.people.check_account_now()
        except SessionOverError as error:
            window.tell(str(error))
    return window


async def refused() -> QWidget:
    """A wrong password."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=_remember)
    await _enter(window, "wrong")
    await until(lambda: window.error)
    return window


async def own() -> QWidget:
    """A password that somebody else had chosen is replaced."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=_remember)
    await _enter(window, "k3pt-4sdf-xq9z")
    await until(lambda: window.person)
    return window


class _Sessions(Sessions):
    """A computer that keeps no session."""

    def __init__(self) -> None:
        pass  # nothing is kept

    @override
    def remembered(self) -> None:
        return None

    @override
    def remember(self, person: Person) -> None:
        raise NotImplementedError(person)


def _raise(error: QHubError) -> None:
    raise error


def change() -> QWidget:
    """A password is changed, and the second one is another."""
    dialog = PasswordDialog(
        EVA,
        _Accounts(),
        _Sessions(),
        on_changed=lambda _person: None,
        tasks=Tasks(_raise),
        owner=None,
    )
    for field, secret in zip(dialog.findChildren(QLineEdit), ("alt", "neu", "nue"), strict=True):
        field.setText(secret)
    dialog.save_button.click()
    return dialog


async def listed() -> QWidget:
    """The accounts, with a password that was just reset."""
    window = await _people()
    window.people.search.setText("")
    (item,) = window.people.list.findItems("julia@demo.com", Qt.MatchFlag.MatchExactly)
    window.people.list.setCurrentItem(item)
    eva = Person(1, "julia@demo.com", "operador", None)
    window.people.secrets.show_secrets([NewAccount(eva, "k3pt-4sdf-xq9z")])
    return window


async def listed_and_read() -> QWidget:
    """The accounts where administrators may read what others say."""
    return await _people(is_read=True)


async def log() -> QWidget:
    """What was done, verified."""
    window = await _people()
    window.show_page(1)
    await until(window.audit.list.topLevelItemCount)
    for row in range(window.audit.list.topLevelItemCount()):
        item = window.audit.list.topLevelItem(row)
        assert item is not None
        item.setText(0, f"28/02/2026 14:02:{59 - row}")
    agrees = _("It agrees with {where}, from its beginning.").format(where=_("the key store"))
    verdict = AuditVerdict(6, LogHead(6, "4fc1a20b77e39d15" * 4), (), (agrees,), None)
    window.audit.result.setText(verdict.sentence)
    window.audit.result.show()
    newest = window.audit.list.topLevelItem(0)
    assert newest is not None
    window.audit.list.setCurrentItem(newest)
    return window


async def account() -> QWidget:
    """A new account, for one agent."""
    dialog = (await _people()).people.open_new_dialog()
    dialog.name.setText("eva")
    dialog.every_agent.setChecked(False)
    return dialog


async def changed_account() -> QWidget:
    """Role, agents and budget of somebody."""
    window = await _people()
    (item,) = window.people.list.findItems("julia@demo.com", Qt.MatchFlag.MatchExactly)
    window.people.list.setCurrentItem(item)
    dialog = window.people.open_change_dialog()
    assert dialog is not None
    await until(dialog.budget.isEnabled)
    return dialog


async def first_account() -> QWidget:
    """The first account of a station."""
    return (await _people(is_empty=True)).people.open_new_dialog()


def told() -> QWidget:
    """The first window of a shift where administrators may read what others say."""
    return SignInWindow(
        _Accounts(), station="Estação P2", remember=_remember, notice=reading_notice()
    )


async def read() -> QWidget:
    """Somebody's conversations, one of them read by an administrator."""
    reading = _Reading()
    window = ConversationsWindow(
        "julia@demo.com",
        reading,
        agents={"qualidade": "Assistente de Qualidade"},
        tool_label=lambda _name: _("Querying the data…"),
        note_export=_no_export,
        tasks=Tasks(_raise),
        owner=None,
    )
    await until(window.list.count)
    window.list.setCurrentRow(0)
    window.list.itemActivated.emit(window.list.item(0))
    await until(lambda: len(window.transcript.entries) == len(reading.said))
    return window


class _Reading(AuditedReading):
    """Two conversations of one person."""

    def __init__(self) -> None:
        said = ("Quantos defeitos de verniz houve ontem?", "São **62** defeitos de verniz, 31 %.")
        self.said = tuple(
            Message(
                MessageId(at),
                "user" if at % 2 else "assistant",
                (Text(each),),
                _THEN,
                end="complete",
            )
            for at, each in enumerate(said, start=1)
        )
        self._talks = [
            Conversation(
                ConversationId("0123456789ab"),
                "qualidade",
                "Defeitos de verniz de ontem",
                _THEN,
                _THEN,
            ),
            Conversation(
                ConversationId("0123456789ac"), "qualidade", "Lixo no turno da noite", _THEN, _THEN
            ),
        ]

    @override
    async def listed(self, name: str, *, search: str = "", limit: int = 200) -> list[Conversation]:
        del name, search, limit
        return self._talks

    @override
    async def read(self, name: str, id_: str) -> AuditedConversation:
        del id_
        return AuditedConversation(name, self._talks[0], self.said)


async def _no_export(file: Path, rows: int) -> None:
    raise NotImplementedError(file, rows)


def _no_deletion() -> Deletion:
    raise NotImplementedError


async def _nowhere(name: str, target: Path) -> int:
    raise NotImplementedError(name, target)


def _nobody(person: Person) -> None:
    raise NotImplementedError(person)


async def _people(*, is_empty: bool = False, is_read: bool = False) -> PeopleWindow:
    store = Store.open(passing_folder())
    accounts = Accounts(store.people)
    person = None
    if not is_empty:
        for name, role, agents in DEMO:
            made = await accounts.add(name, role, agents, secret="k3pt-4sdf-xq9z")
            person = person or made.person
        await store.people.set_disabled("rui@demo.com", is_disabled=True)
        await store.costs.set_budget(Budget("person", "julia@demo.com", "day", 0.5))
        await store.costs.set_budget(Budget("person", "julia@demo.com", "month", 5.0))
        with contextlib.suppress(UserError):
            await accounts.sign_in("julia@demo.com", "wrong")
    services = PeopleServices(
        people=store.people,
        accounts=accounts,
        budgets=store.costs,
        audit=store.audit,
        agents={"analise": "Análise", "qualidade": "Qualidade"},
        person=person,
        enter=lambda _person: None,
        reading=store.audited_reading(Policy({"is_audited_reading": is_read})),
        open_conversations=_nobody,
        personal_data=store.personal_data,
        deletion=_no_deletion,
        export_person=_nowhere,
        tasks=Tasks(_raise),
    )
    window = PeopleWindow(services, None)
    window.destroyed.connect(store.close)
    await until(lambda: is_empty or window.people.list.topLevelItemCount())
    return window


async def asked_to_delete() -> QWidget:
    """Before somebody is deleted."""
    window = await _people()
    window.people.deletion.ask("julia@demo.com", {"conversations": 200, "messages": 1312})
    return window


async def _enter(window: SignInWindow, secret: str) -> None:
    name, password, *_rest = window.findChildren(QLineEdit)
    name.setText("eva")
    password.setText(secret)
    next(each for each in window.findChildren(QPushButton) if each.isDefault()).click()


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "sign_in": first,
    "sign_in_refused": refused,
    "sign_in_locked": locked,
    "sign_in_ended": ended,
    "sign_in_own_password": own,
    "change_password": change,
    "sign_in_told": told,
    "people": listed,
    "people_deletion": asked_to_delete,
    "people_read": listed_and_read,
    "people_conversations": read,
    "people_log": log,
    "people_account": account,
    "people_changed_account": changed_account,
    "people_first_account": first_account,
}
