"""Which service answers: its address, its model, and what it may be told."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _

ANTHROPIC = "https://api.anthropic.com"
DEFAULT_MODEL = "claude-sonnet-5-5"

Origin = Literal["anthropic", "settings", "environment"]


@dataclass(frozen=True, slots=True)
class Service:
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
        name = urlsplit(self.address).hostname or ""
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

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


def chosen_service(settings: Settings, environment: Mapping[str, str]) -> Service:
    """What the settings say, else the environment, else Anthropic's own with the default model.

    Raises UserError for an address that is none.
    """
    model = settings.model.strip() or environment.get("ANTHROPIC_MODEL", "").strip()
    addresses: tuple[tuple[str, Origin], ...] = (
        (settings.endpoint, "settings"),
        (environment.get("ANTHROPIC_BASE_URL", ""), "environment"),
    )
    for written, origin in addresses:
        if written.strip():
            return Service(_address(written.strip()), model or DEFAULT_MODEL, origin)
    return Service(ANTHROPIC, model or DEFAULT_MODEL, "anthropic")


def _address(written: str) -> str:
    """The address without what people copy along: a missing scheme, the path of the messages."""
    address = written if "://" in written else f"{_scheme(written)}://{written}"
    for tail in ("/", "/messages", "/v1"):
        address = address.removesuffix(tail)
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_usable = is_usable and parts.port != 0 and " " not in address
    except ValueError:
        is_usable = False
    if not is_usable:
        raise UserError(
            _(
                "'{address}' is not an address. Write it as in https://gateway.example.com,"
                " in Settings, under Engine."
            ).format(address=written)
        )
    return address


def _scheme(written: str) -> str:
    name = written.partition("/")[0].rpartition(":")[0] or written
    return "http" if name in ("localhost", "127.0.0.1", "[::1]") else "https"
