"""Signing in, a lock, and one's own password."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import Person
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.people.sign_in import SignInWindow
from tests.waiting import until

EVA = Person(1, "eva", "operador", ("qualidade",), must_change=True)


class _Accounts:
    """The one way in, which knows one password."""

    async def sign_in(self, written: str, secret: str) -> Person:
        if secret != "k3pt-4sdf-xq9z":
            raise UserError(
                _("The name or the password is wrong. Whoever manages the accounts can reset it.")
            )
        return EVA

    async def change_own(self, person: Person, *, old: str, new: str) -> Person:
        raise NotImplementedError(person, old, new)


async def _remember(_person: Person) -> None:
    raise NotImplementedError


def first() -> QWidget:
    """The first window of a shift."""
    return SignInWindow(_Accounts(), station="Estação P2", remember=_remember)


def locked() -> QWidget:
    """A window whose session is over, with the keys for a PIN."""
    window = SignInWindow(_Accounts(), station="Estação P2", remember=None, locked="rui")
    for button in window.findChildren(QPushButton):
        if button.isCheckable():
            button.click()
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


async def _enter(window: SignInWindow, secret: str) -> None:
    name, password, *_rest = window.findChildren(QLineEdit)
    name.setText("eva")
    password.setText(secret)
    next(each for each in window.findChildren(QPushButton) if each.isDefault()).click()


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "sign_in": first,
    "sign_in_refused": refused,
    "sign_in_locked": locked,
    "sign_in_own_password": own,
}
