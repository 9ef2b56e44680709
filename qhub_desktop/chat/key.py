"""Keys to services, in the system's own key store: never in a file of ours, a log or an export.

These functions block, at worst for about `patience_s`: call them on a thread.
"""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TypeVar

from qhub_desktop.chat.service import Service
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.worker import in_background

STORE_NAME = "QHub Desktop"
VARIABLE = "ANTHROPIC_API_KEY"
PATIENCE_S = 3.0

Given = TypeVar("Given")


def read_key(
    service: Service, environment: Mapping[str, str], *, patience_s: float = PATIENCE_S
) -> str | None:
    """The key for this service: the stored one, else the environment's."""
    try:
        stored = _ask_store(lambda: _stored(service), patience_s)
    except _NoStoreError:
        stored = None
    return _clean(stored or environment.get(VARIABLE, "")) or None


def save_key(service: Service, key: str, *, patience_s: float = PATIENCE_S) -> None:
    """Store a key for this service alone. Raises UserError where it cannot be stored."""
    import keyring

    clean = _clean(key)
    if not clean or not clean.isascii() or not clean.isprintable():
        raise UserError(
            _("This is not a key. Copy it again from where it was made, the whole of it."),
            fault="key",
        )
    try:
        _ask_store(lambda: keyring.set_password(STORE_NAME, service.account, clean), patience_s)
        kept = _ask_store(lambda: _stored(service), patience_s)
    except _NoStoreError as error:
        raise _unstorable() from error
    # A store that forgets everything reports no error.
    if kept != clean:
        raise _unstorable()


def forget_key(service: Service, *, patience_s: float = PATIENCE_S) -> None:
    """Take this service's key out of the store; nothing happens if there is none."""
    import keyring

    def forget() -> None:
        if _stored(service) is not None:
            keyring.delete_password(STORE_NAME, service.account)

    try:
        _ask_store(forget, patience_s)
    except _NoStoreError as error:
        raise UserError(
            _("The system's key store does not answer. Unlock it, and try again."), fault="key"
        ) from error


class _NoStoreError(Exception):
    """There is no key store on this computer, or it does not let us in."""


def _stored(service: Service) -> str | None:
    import keyring

    return keyring.get_password(STORE_NAME, service.account)


def _ask_store(work: Callable[[], Given], patience_s: float) -> Given:
    """Do `work` on a thread that can be left behind.

    A store may wait for a password prompt that nobody can see, as on a Linux computer without a
    screen, and for as long as it likes.
    """
    answer: Future[Given] = Future()
    troubles = _troubles()

    def ask() -> None:
        try:
            answer.set_result(work())
        except troubles as error:
            answer.set_exception(error)

    in_background(ask, "key-store")
    try:
        return answer.result(timeout=patience_s)
    except troubles as error:
        raise _NoStoreError from error


def _troubles() -> tuple[type[Exception], ...]:
    """What the stores of the three systems raise; keyring does not translate all of it."""
    from keyring.errors import KeyringError

    # A time-out is an OSError, too.
    kinds: list[type[Exception]] = [KeyringError, OSError, RuntimeError]
    if sys.platform == "win32":
        from win32ctypes.pywin32 import pywintypes

        kinds.append(pywintypes.error)
    if sys.platform == "linux":
        from secretstorage.exceptions import SecretStorageException

        kinds.append(SecretStorageException)
    return tuple(kinds)


def _clean(key: str) -> str:
    return key.strip().strip("\"'").strip()


def _unstorable() -> UserError:
    return UserError(
        _(
            "This computer has no key store that can be used. Set the environment variable"
            " {variable} instead, and start the program again."
        ).format(variable=VARIABLE),
        fault="key",
    )
