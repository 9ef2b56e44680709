"""Secrets by account in the system's key store; nothing else keeps a copy of them.

Where a computer has none, a person may choose an encrypted file that a passphrase opens, or to have
secrets kept until the program ends. May block for as long as `patience_s`: called on a thread.
Loads keyring with the first call.
"""

import hashlib
import secrets
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Literal, TypeVar

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import is_portable
from qhub_desktop.core.processes.threads import Worker, in_background
from qhub_desktop.core.secret_file import SecretFile
from qhub_desktop.core.text import gettext as _

STORE_NAME = "QHub Desktop"
KEY_FILE = "keys.locked"  # in the data folder, on a computer without a key store
PATIENCE_S = 3.0  # for a key store that asks for a password, or hangs
# Windows' Credential Manager takes 2,560 bytes (CRED_MAX_CREDENTIAL_BLOB_SIZE) of UTF-16. A token
# of a plant's gateway may be longer: it is kept in parts, on every system alike.
PART_CHARACTERS = 1_200
MOST_PARTS = 16
_PROOFS = "proofs"  # an account
_PARTS = "qhub-parts"  # what a secret in parts begins with: its number of parts, its digest

Given = TypeVar("Given")


# Where secrets are kept now; `locked` for a file that waits for its passphrase.
KeyPlace = Literal["system", "file", "locked", "session", "none"]


class NoKeyStoreError(UserError):
    """There is no key store on this computer, or it does not let us in."""


class _Chosen:
    """Choice in the place of a key store, for this program: as a key store it is one."""

    file: SecretFile | None = None
    session: dict[str, str] | None = None
    locked: tuple[Path, Callable[[], str]] | None = None  # with a way to its passphrase


def place(file: Path, *, patience_s: float = PATIENCE_S) -> KeyPlace:
    """Return where secrets are kept now; `file` is where the encrypted one stands, if any."""
    if _Chosen.session is not None:
        return "session"
    if _Chosen.file is not None:
        return "file"
    if _has_system_store(patience_s):
        return "system"
    return "locked" if file.exists() else "none"


def place_sentence(kept: KeyPlace) -> str:
    """Return in words where secrets are kept, and what can be chosen where they cannot be."""
    match kept:
        case "system":
            return _("Kept in the system's own key store, never in a file.")
        case "file":
            return _("Kept in an encrypted file, which your passphrase has opened until the end.")
        case "session":
            return _("Kept until the program ends, and nowhere else.")
        case "locked":
            return _(
                "The encrypted file of keys is locked. Give its passphrase, or keep the key until"
                " the program ends."
            )
        case "none":
            return _(
                "This computer has no key store. Choose a passphrase for an encrypted file, or keep"
                " the key until the program ends."
            )


def unlock(file: Path, passphrase: str) -> None:
    """Keep secrets in an encrypted file from now on; it is made if there is none.

    Raises UserError for a wrong passphrase, and for one that is too short.
    """
    _Chosen.file = SecretFile(file, passphrase)
    _Chosen.session = None


def unlock_when_needed(file: Path, passphrase: Callable[[], str]) -> None:
    """Unlock an encrypted file with the first question for a secret that no store answers.

    An empty passphrase leaves it locked. Asked for once, on whichever thread needs the secret.
    """
    _Chosen.locked = (file, passphrase)


def _unlock_if_needed() -> SecretFile | None:
    """Unlock the file that waits for it, and return it. Raises UserError for a wrong passphrase."""
    if (waiting := _Chosen.locked) is None:
        return None
    _Chosen.locked = None
    file, passphrase = waiting
    if file.exists() and (given := passphrase()):
        unlock(file, given)
    return _Chosen.file


def keep_for_session() -> None:
    """Keep secrets in this program's memory from now on."""
    if _Chosen.session is None:
        _Chosen.session = {}


def leave() -> None:
    """Forget what was chosen in the place of the system's store."""
    _Chosen.file = _Chosen.session = _Chosen.locked = None


def read_secret(account: str, *, patience_s: float = PATIENCE_S) -> str | None:
    """Read what is kept for an account; None where nothing is, or no store answers.

    Raises UserError for a wrong passphrase of a file that is unlocked when needed.
    """
    if _Chosen.session is not None:
        return _Chosen.session.get(account)
    if _Chosen.file is not None:
        try:
            return _Chosen.file.read().get(account)
        except UserError:  # exchanged for another one: to be unlocked again
            _Chosen.file = None
            return None
    try:
        return _ask_store(lambda: _joined(account), patience_s)
    except _UnansweredError:
        unlocked = _unlock_if_needed()
        return None if unlocked is None else unlocked.read().get(account)


def save_secret(account: str, secret: str, *, patience_s: float = PATIENCE_S) -> None:
    """Keep a secret for an account, in the place of an earlier one.

    Raises NoKeyStoreError where it cannot be kept, UserError for one that is too long.
    """
    if not secret or len(secret) > PART_CHARACTERS * MOST_PARTS:
        raise UserError(_("This is too long, or too short, to be kept as a secret."), fault="key")

    if _Chosen.session is not None:
        _Chosen.session[account] = secret
        return
    if _Chosen.file is not None:
        _Chosen.file.save(account, secret)
        return

    _save_in_store(account, secret, patience_s)


def forget_secret(account: str, *, patience_s: float = PATIENCE_S) -> None:
    """Take an account's secret out of the store; nothing happens if there is none.

    Raises NoKeyStoreError where the store does not answer.
    """
    if _Chosen.session is not None:
        _Chosen.session.pop(account, None)
        return
    if _Chosen.file is not None:
        _Chosen.file.forget(account)
        return
    try:
        _ask_store(lambda: _delete(account), patience_s)
    except _UnansweredError as error:
        raise NoKeyStoreError(
            _("The system's key store does not answer. Unlock it, and try again."), fault="key"
        ) from error


def read_from_system(account: str, *, patience_s: float = PATIENCE_S) -> str | None:
    """Read from the system's own store, whatever was chosen in its place; None where nothing is.

    Raises NoKeyStoreError where none answers.
    """
    _refuse_portable()
    try:
        return _ask_store(lambda: _joined(account), patience_s)
    except _UnansweredError as error:
        raise _no_store() from error


def save_in_system(account: str, value: str, *, patience_s: float = PATIENCE_S) -> None:
    """Keep a value in the system's own store. Raises NoKeyStoreError where it cannot be kept."""
    _refuse_portable()
    _save_in_store(account, value, patience_s)


def proof_key(*, is_made: bool = False) -> bytes | None:
    """Return the key with which this computer proves what it has written, None where there is none.

    It is made if asked to be; one for all data folders of an account of the system's. Blocks.
    """
    try:
        kept = read_from_system(_PROOFS)
        if kept is None and is_made:
            kept = secrets.token_hex(32)
            save_in_system(_PROOFS, kept)
        return None if kept is None else kept.encode()
    except NoKeyStoreError:
        return None


def _refuse_portable() -> None:
    # A portable program leaves nothing on a computer, and finds another one tomorrow.
    if is_portable():
        raise _no_store()


def _save_in_store(account: str, value: str, patience_s: float) -> None:
    def save() -> str | None:
        _write(account, value)
        return _joined(account)

    try:
        kept = _ask_store(save, patience_s)
    except _UnansweredError as error:
        raise _no_store() from error
    # A store that forgets everything reports no error.
    if kept != value:
        raise _no_store()


def _no_store() -> NoKeyStoreError:
    return NoKeyStoreError(
        _("This computer has no key store that can be used."),
        fault="key",
    )


_PROBE = "probe"  # an account that is none


def _has_system_store(patience_s: float) -> bool:
    """Return whether the system has a store that answers; nothing is written to find out."""
    import keyring
    from keyring.backends import fail, null

    def ask() -> bool:
        if isinstance(keyring.get_keyring(), (fail.Keyring, null.Keyring)):
            return False
        _get(_PROBE)
        return True

    try:
        return _ask_store(ask, patience_s)
    except _UnansweredError:
        return False


class _UnansweredError(Exception):
    """No key store answered, in time and without an error."""


def _get(account: str) -> str | None:
    import keyring

    return keyring.get_password(STORE_NAME, account)


def _set(account: str, secret: str) -> None:
    import keyring

    keyring.set_password(STORE_NAME, account, secret)


def _part(account: str, number: int) -> str:
    return f"{account}#{number}"


def _digest(secret: str) -> str:
    # Tells parts of one secret from those of a half-written other; long secrets only, which no
    # list of guesses contains.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _count_of(head: str | None) -> int:
    """Return in how many parts a secret is kept, by what stands under its account; 0 for whole."""
    name, _mark, rest = (head or "").partition(":")
    number = rest.partition(":")[0]
    return int(number) if name == _PARTS and number.isdecimal() else 0


def _joined(account: str) -> str | None:
    head = _get(account)
    if not (count := min(_count_of(head), MOST_PARTS)):
        return head or None
    parts = [_get(_part(account, number)) or "" for number in range(1, count + 1)]
    secret = "".join(parts)
    assert head is not None
    return secret if head.rpartition(":")[2] == _digest(secret) else None


def _write(account: str, secret: str) -> None:
    before = _count_of(_get(account))
    is_short = len(secret) <= PART_CHARACTERS
    parts = [
        secret[start : start + PART_CHARACTERS]
        for start in range(0, 0 if is_short else len(secret), PART_CHARACTERS)
    ]
    for number, part in enumerate(parts, start=1):
        _set(_part(account, number), part)
    _set(account, secret if is_short else f"{_PARTS}:{len(parts)}:{_digest(secret)}")
    _delete_parts(account, range(len(parts) + 1, before + 1))


def _delete(account: str) -> None:
    import keyring

    if (head := _get(account)) is not None:
        keyring.delete_password(STORE_NAME, account)
        _delete_parts(account, range(1, _count_of(head) + 1))


def _delete_parts(account: str, numbers: range) -> None:
    import keyring

    for number in numbers:
        if _get(_part(account, number)) is not None:
            keyring.delete_password(STORE_NAME, _part(account, number))


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
        raise _UnansweredError from error


def _troubles() -> tuple[type[Exception], ...]:
    """Return what the key stores of the three systems raise; keyring translates only a part."""
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


class KeyPlaces:
    """Places of secrets, now and possible, asked on a thread of the caller's."""

    def __init__(self, file: Path, worker: Worker) -> None:
        self._file = file
        self._worker = worker

    async def place(self) -> KeyPlace:
        """Return where they are kept now."""
        return await self._worker.run(place, self._file)

    async def unlock(self, passphrase: str, /) -> None:
        """Keep them in an encrypted file. Raises UserError for a wrong passphrase."""
        await self._worker.run(unlock, self._file, passphrase)

    async def keep_for_session(self) -> None:
        """Keep them until the program ends."""
        await self._worker.run(keep_for_session)
