"""The service that answers: its address and model, and its key in the system's key store."""

import ipaddress
import re
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, sanitize, use_secret

ANTHROPIC = "https://api.anthropic.com"
DEFAULT_MODEL = "claude-sonnet-5-5"
SHOWN_CHARACTERS = 100  # of an address
_USER = re.compile(r"(?:(?<=//)|^)[^/?#]*@")  # 'name:password@', also where the scheme is missing

Origin = Literal["anthropic", "settings", "environment"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that speaks the Messages format, and the model asked for there."""

    address: str
    model: str
    origin: Origin

    @property
    def host(self) -> str:
        """What the person knows the service by: the host, with its port if it has one."""
        return urlsplit(self.address).netloc.rpartition("@")[2]

    @property
    def is_loopback(self) -> bool:
        """Whether it runs on this very computer."""
        return _is_loopback(urlsplit(self.address).hostname or "")

    @property
    def is_exposed(self) -> bool:
        """Whether a key on its way there could be read by anybody on the network."""
        return self.address.startswith("http://") and not self.is_loopback

    @property
    def account(self) -> str:
        """Whose key it takes: each service has its own, so none is shown to another."""
        return "anthropic" if self.address == ANTHROPIC else self.host

    @property
    def needs_key(self) -> bool:
        """Whether it is no use asking without a key; local servers mostly want none."""
        return not self.is_loopback

    @property
    def understands_thinking(self) -> bool:
        """Whether it is a Claude that can be asked for summaries of its thinking.

        A local server given in the settings gets the default model's name too, and ignores it.
        """
        is_local_server = self.origin == "settings" and self.is_loopback
        return self.model.startswith("claude-") and not is_local_server


def chosen_endpoint(settings: Settings, environment: Mapping[str, str]) -> Endpoint:
    """Choose the endpoint: the settings', else the environment's, else Anthropic's own.

    Raises UserError for an address that is none.
    """
    model = one_line(settings.model) or one_line(environment.get("ANTHROPIC_MODEL", ""))
    addresses: tuple[tuple[str, Origin], ...] = (
        (settings.endpoint, "settings"),
        (environment.get("ANTHROPIC_BASE_URL", ""), "environment"),
    )
    for written, origin in addresses:
        if written.strip():
            return Endpoint(_address(written.strip()), model or DEFAULT_MODEL, origin)
    return Endpoint(ANTHROPIC, model or DEFAULT_MODEL, "anthropic")


def _is_loopback(name: str) -> bool:
    """Return whether a host's name, or its number, is that of this very computer."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _address(written: str) -> str:
    """Normalize an address: add a missing scheme, remove the path of the messages.

    Raises UserError for an address that is none.
    """
    address = written if "://" in written else f"//{written}"
    for tail in ("/", "/messages", "/v1"):
        address = address.removesuffix(tail)
    scheme = ""
    try:
        parts = urlsplit(address)
        use_secret(parts.password)
        if (name := parts.hostname) and parts.port != 0 and " " not in address:
            scheme = parts.scheme or ("http" if _is_loopback(name) else "https")
    except ValueError:
        raise bad_address(written) from None  # its own words may quote a part of a password
    if scheme not in ("http", "https"):
        raise bad_address(written)
    # The scheme in small letters: 'HTTP' is as open to the network as 'http'.
    return f"{scheme}:{address[address.index('//') :]}"


def bad_address(written: str) -> UserError:
    """Make the error for an address that is none."""
    return UserError(
        _(
            "'{address}' is not an address. Write it as in https://gateway.example.com,"
            " in Settings, under Engine."
        ).format(address=shown_address(written)),
        fault="setup",
    )


def shown_address(address: str) -> str:
    """Write an address for the person, without the name and the password that may be in it."""
    return one_line(_USER.sub("", address), most=SHOWN_CHARACTERS)


STORE_NAME = "QHub Desktop"
VARIABLE = "ANTHROPIC_API_KEY"
PATIENCE_S = 3.0

Given = TypeVar("Given")


def read_key(
    service: Endpoint, environment: Mapping[str, str], *, patience_s: float = PATIENCE_S
) -> str | None:
    """Read the key for this service: the stored one, else the environment's."""
    try:
        stored = _ask_store(lambda: _stored(service), patience_s)
    except _NoStoreError:
        stored = None
    return _clean(stored or environment.get(VARIABLE, "")) or None


def use_known_keys(settings: Settings, environment: Mapping[str, str]) -> None:
    """Have every key hidden that this computer knows: the stored ones and the environment's."""
    services = {Endpoint(ANTHROPIC, DEFAULT_MODEL, "anthropic")}
    with suppress(UserError):  # an address that is none: said with the first question
        services.add(chosen_endpoint(settings, environment))
    for service in services:
        use_secret(read_key(service, environment))
    for name in (VARIABLE, "ANTHROPIC_AUTH_TOKEN"):
        use_secret(_clean(environment.get(name, "")))


def save_key(service: Endpoint, key: str, *, patience_s: float = PATIENCE_S) -> None:
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


def forget_key(service: Endpoint, *, patience_s: float = PATIENCE_S) -> None:
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


def _stored(service: Endpoint) -> str | None:
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


def _clean(key: str) -> str:
    return sanitize(key).strip().strip("\"'").strip()


def _unstorable() -> UserError:
    return UserError(
        _(
            "This computer has no key store that can be used. Set the environment variable"
            " {variable} instead, and start the program again."
        ).format(variable=VARIABLE),
        fault="key",
    )
