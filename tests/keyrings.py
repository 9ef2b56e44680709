"""Key stores as the systems have them, played in memory at keyring's own seam."""

import threading
from collections.abc import Iterator
from typing import Any, cast

import keyring
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import KeyringLocked, PasswordDeleteError
from typing_extensions import override

from qhub_desktop.core.keystore import KeyPlace, KeyPlaces

NO_STORE = cast("Any", fail.Keyring)()  # keyring's own classes carry no types
FORGETFUL_STORE = cast("Any", null.Keyring)()
CREDENTIAL_BYTES = 2560  # CRED_MAX_CREDENTIAL_BLOB_SIZE of Windows


class MemoryStore(KeyringBackend):
    """A key store that lives as long as a test."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    @override
    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    @override
    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    @override
    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


class LockedStore(MemoryStore):
    """A key store whose owner has gone."""

    @override
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(service)


class StuckStore(MemoryStore):
    """A key store that waits for a password prompt nobody sees."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    @override
    def get_password(self, service: str, username: str) -> str | None:
        self.released.wait(30)
        return None


class SmallStore(MemoryStore):
    """A key store with the limit of Windows' Credential Manager."""

    @override
    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password.encode("utf-16-le")) > CREDENTIAL_BYTES:
            raise OSError(1783, "The stub received bad data.")
        super().set_password(service, username, password)


def using(backend: Any) -> Iterator[Any]:
    """Have keyring use a store until the end of a test."""
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(NO_STORE)


class KeptAt(KeyPlaces):
    """Where keys are kept, as a test says."""

    def __init__(self, place: KeyPlace = "system") -> None:
        self.now = place

    @override
    async def place(self) -> KeyPlace:
        return self.now

    @override
    async def unlock(self, _passphrase: str, /) -> None:
        self.now = "file"

    @override
    async def keep_for_session(self) -> None:
        self.now = "session"
