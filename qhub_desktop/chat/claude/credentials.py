"""The service that answers: its address and model, and its key in the system's key store."""

import ipaddress
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal
from urllib.parse import urlsplit

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.keystore import (
    PATIENCE_S,
    NoKeyStoreError,
    forget_secret,
    read_secret,
    save_secret,
)
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, sanitize, use_secret
from qhub_desktop.core.values import dataclass

ANTHROPIC = "https://api.anthropic.com"
DEFAULT_MODEL = "claude-sonnet-5-5"
ADDRESS_CHARACTERS = 100  # of a proxy's address, in a message
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
        """Whether asking needs a key; most local servers do not want one."""
        return not self.is_loopback

    @property
    def is_claude(self) -> bool:
        """Whether it is a Claude, which sums up its thinking and cites the documents it is given.

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
            return Endpoint(service_address(written.strip()), model or DEFAULT_MODEL, origin)
    return Endpoint(ANTHROPIC, model or DEFAULT_MODEL, "anthropic")


def _is_loopback(name: str) -> bool:
    """Return whether a host's name, or its number, is that of this very computer."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def service_address(written: str) -> str:
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
        # 'HTTP://plant' was taken for another scheme than http, and the key went out in the clear.
        if (name := parts.hostname) and parts.port != 0 and " " not in address:
            scheme = parts.scheme or ("http" if _is_loopback(name) else "https")
    except ValueError:
        raise bad_address(written) from None  # its own words may quote a part of a password
    if scheme not in ("http", "https"):
        raise bad_address(written)
    # The scheme in small letters: 'HTTP' is as open to the network as 'http'.
    return f"{scheme}:{address[address.index('//') :]}"


def bad_address(written: str) -> UserError:
    """Make the error for a malformed address."""
    return UserError(
        _(
            "'{address}' is not an address. Write it as in https://gateway.example.com,"
            " in Settings, under Engine."
        ).format(address=shown_address(written)),
        fault="setup",
    )


def shown_address(address: str) -> str:
    """Write an address for the person, without the name and the password that may be in it."""
    return one_line(_USER.sub("", address), most=ADDRESS_CHARACTERS)


VARIABLE = "ANTHROPIC_API_KEY"
# An editor writes it into the file that a variable is read from; the service refused such a key
# without saying why.
BYTE_ORDER_MARK = "\ufeff"


def read_key(
    service: Endpoint, environment: Mapping[str, str], *, patience_s: float = PATIENCE_S
) -> str | None:
    """Read the key for this service: the stored one, else the environment's."""
    stored = read_secret(service.account, patience_s=patience_s)
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
    clean = parse_key(key)
    try:
        save_secret(service.account, clean, patience_s=patience_s)
    except NoKeyStoreError as error:
        raise UserError(
            _(
                "This computer has no key store that can be used. Choose in Settings, under Engine,"
                " where keys are kept, or set the environment variable {variable} and start the"
                " program again."
            ).format(variable=VARIABLE),
            fault="key",
        ) from error


def parse_key(written: str) -> str:
    """Return a key without what was copied with it. Raises UserError for a malformed one."""
    clean = _clean(written)
    check_key(clean)
    return clean


def check_key(key: str) -> None:
    """Raise UserError, which says what is wrong, for a key that no service can have made."""
    if any(each.isspace() for each in key):
        message = _(
            "There is a blank or a line end within the key. Copy it again in one piece, into"
            " Settings, under Engine, or into {variable}."
        )
    elif BYTE_ORDER_MARK in key:
        message = _(
            "There is a byte-order mark in the key, which is not seen: some editors write it into"
            " a file. Enter the key again without it, in Settings, under Engine, or in {variable}."
        )
    elif not key or not key.isascii() or not key.isprintable():
        message = _("This is not a key. Copy it again from where it was made, the whole of it.")
    else:
        return
    raise UserError(message.format(variable=VARIABLE), fault="key")


def forget_key(service: Endpoint, *, patience_s: float = PATIENCE_S) -> None:
    """Take this service's key out of the store; nothing happens if there is none."""
    forget_secret(service.account, patience_s=patience_s)


def _clean(key: str) -> str:
    return sanitize(key).strip().strip("\"'").strip()
