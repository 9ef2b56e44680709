"""Diagnosis of the way to the service, step by step, with what to ask IT for."""

from __future__ import annotations

import asyncio
import base64
import json
import platform
import ssl
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import unquote, urlsplit

from qhub_desktop import __version__
from qhub_desktop.chat.claude.credentials import Endpoint, chosen_endpoint
from qhub_desktop.chat.claude.proxies import (
    ProxyChoice,
    add_certificates,
    choose_proxy,
    has_login,
    save_login,
    signed_in,
)
from qhub_desktop.core.crash import LIBRARIES
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.keystore import KeyPlaces
from qhub_desktop.core.packs import PACKS, Pack
from qhub_desktop.core.person import ADMINS, Role
from qhub_desktop.core.settings import LiveSettings, Settings, offline_by_policy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted import one_line, redact
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from qhub_desktop.core.codec import Json, JsonObject

Step = Literal["name", "proxy", "tls", "key", "model"]
State = Literal["running", "good", "bad", "skipped"]
STEPS: dict[Step, str] = {
    "name": gettext_noop("Name"),
    "proxy": gettext_noop("Proxy"),
    "tls": gettext_noop("Encryption"),
    "key": gettext_noop("Key"),
    "model": gettext_noop("Model"),
}
STEP_S = 10.0  # for one step of the way
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass(frozen=True, slots=True)
class StepResult:
    """Outcome of a step; `ask` is what to do then, or whom to ask for what."""

    step: Step
    state: State
    text: str = ""
    ask: str = ""
    ms: int = 0


class AskedService(Protocol):
    """The client that asks the service."""

    async def has_key(self) -> bool:
        """Return whether there is a key, or none is needed."""
        ...

    async def reach(self) -> None:
        """Check that the service can be asked. Raises what is in the way."""
        ...

    async def test_connection(self, settings: Settings) -> str:
        """Ask for a word, and return a sentence on the answer. Raises what to correct."""
        ...


class PythonWalls(Protocol):
    """The safe Python, as far as it tells what stands around it."""

    @property
    def walls(self) -> tuple[str, ...]:
        """Walls that stand, once it has run."""
        ...

    @property
    def missing_walls(self) -> tuple[str, ...]:
        """Walls that do not."""
        ...


class ProgramParts(Protocol):
    """Parts of the program that a report tells of."""

    home: Path
    chosen: LiveSettings

    async def check_account(self, *roles: Role) -> None:
        """Raise UserError unless somebody of these roles acts, by their account as it is now."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that may say what the settings leave open."""
        ...

    @property
    def claude(self) -> AskedService:
        """The client that asks the service."""
        ...

    @property
    def python_tools(self) -> PythonWalls:
        """The safe Python."""
        ...

    def model_problem(self) -> str:
        """Return why passages are found by words alone; "" where the model for it is in place."""
        ...


class _FailedError(Exception):
    """A step failed: what is wrong, and what to ask for."""

    def __init__(self, text: str, ask: str) -> None:
        super().__init__(text)
        self.text = text
        self.ask = ask


class Network:
    """The way to the service: its proxy, who signs in there, and its diagnosis."""

    def __init__(self, program: ProgramParts, places: KeyPlaces) -> None:
        self._program = program
        self._places = places
        self._chosen = program.chosen

    async def proxy(self) -> tuple[ProxyChoice, bool]:
        """Return the proxy on the way, and whether there is a login for it."""
        endpoint = self._endpoint()

        def look() -> tuple[ProxyChoice, bool]:
            choice = choose_proxy(endpoint)
            return choice, has_login(choice)

        return await asyncio.to_thread(look)

    async def models(self) -> str:
        """Return a sentence on the models that lie with the program."""
        problem = await asyncio.to_thread(self._program.model_problem)
        return problem or _("The model that finds passages by meaning is in place.")

    async def save_login(self, user: str, password: str) -> None:
        """Keep who signs in to the proxy; an empty name forgets them.

        Raises UserError where it cannot be kept, and for a person who is no administrator.
        """
        await self._program.check_account(*ADMINS)
        choice, _has = await self.proxy()
        await asyncio.to_thread(save_login, choice, user, password)

    async def diagnose(self) -> AsyncIterator[StepResult]:
        """Try each step until one fails; each is announced as running before it is tried."""
        trial = _Trial(self._endpoint(), self._chosen.settings, self._program.claude)
        # Whom an administrator lets ask nothing but the offline engine asks nobody here, either.
        is_offline = self._chosen.policy.is_offline or self._chosen.fixed.get("engine") == "offline"
        is_closed = is_offline
        for step in STEPS:
            if is_closed:
                text = offline_by_policy() if is_offline else ""
                yield StepResult(step, "skipped", text)
                continue
            yield StepResult(step, "running")
            began = time.perf_counter()
            try:
                state, text = await trial.run(step)
            except _FailedError as error:
                is_closed = True
                yield StepResult(
                    step, "bad", redact(error.text), redact(error.ask), _ms_since(began)
                )
            else:
                yield StepResult(step, state, redact(text), "", _ms_since(began))

    def _endpoint(self) -> Endpoint:
        return chosen_endpoint(self._chosen.settings, self._program.environment)

    async def report(self, findings: Sequence[StepResult]) -> JsonObject:
        """Return what was found, and what the program knows of itself; no secret is in it."""
        settings = self._chosen.settings
        endpoint = self._endpoint()
        choice, has = await self.proxy()
        python = self._program.python_tools
        facts: JsonObject = {
            "version": __version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            "program": "packaged" if getattr(sys, "frozen", False) else "source",
            "data_folder": str(self._program.home),
            "engine": settings.engine,
            "service": endpoint.host,
            "model": endpoint.model,
            "key_place": await self._places.place(),
            "has_key": await self._program.claude.has_key(),
            "proxy": choice.shown or None,
            "proxy_from": choice.origin,
            "proxy_login": has,
            "certificates": settings.ca_file or None,
            "certificates_from_environment": [
                *filter(self._program.environment.get, _CERTIFICATES)
            ],
            "fixed_settings": [*sorted(self._chosen.policy.fixed)],
            "sandbox_walls": [*python.walls],
            "sandbox_walls_missing": [*python.missing_walls],
            "models": await self.models(),
            "packs": {each.folder: await asyncio.to_thread(_pack_state, each) for each in PACKS},
            "libraries": {name: _version_of(name) for name in LIBRARIES},
        }
        steps: list[Json] = [
            {
                "step": each.step,
                "state": each.state,
                "text": each.text,
                "ask": each.ask,
                "ms": each.ms,
            }
            for each in findings
        ]
        whole: JsonObject = {"steps": steps, "facts": facts}
        report: JsonObject = json.loads(redact(json.dumps(whole)))
        return report


def report_text(report: JsonObject) -> str:
    """Write a report for people: a step a line, then what is known, a name a line."""
    lines = ["QHub Desktop", ""]
    steps, facts = report["steps"], report["facts"]
    assert isinstance(steps, list)
    assert isinstance(facts, dict)
    for each in steps:
        assert isinstance(each, dict)
        lines.append(f"{each['step']}: {each['state']} ({each['ms']} ms) {each['text']}".rstrip())
        if each["ask"]:
            lines.append(f"    -> {each['ask']}")
    lines.append("")
    for name, fact in facts.items():
        shown = fact if isinstance(fact, str) else json.dumps(fact, ensure_ascii=False)
        lines.append(f"{name}: {shown}")
    return "\n".join(lines) + "\n"


def _pack_state(pack: Pack) -> str:
    if pack.wanted() is None:
        return "installed with the rest"
    return pack.missing() or "in place"


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


def _version_of(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


class _Trial:
    """One walk along the way; what a step learns serves the next."""

    def __init__(self, endpoint: Endpoint, settings: Settings, service: AskedService) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._service = service
        self._proxy = ProxyChoice("", "none")
        parts = urlsplit(endpoint.address)
        self._is_safe = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._is_safe else 80)

    async def run(self, step: Step) -> tuple[State, str]:
        """Try a step, and return what came of it. Raises _FailedError."""
        match step:
            case "name":
                return await self._name()
            case "proxy":
                return await self._tunnel()
            case "tls":
                return await self._encryption()
            case "key":
                return await self._key()
            case "model":
                return await self._model()

    async def _name(self) -> tuple[State, str]:
        self._proxy = await asyncio.to_thread(lambda: signed_in(choose_proxy(self._endpoint)))
        host, port = self._next_hop()
        try:
            async with asyncio.timeout(STEP_S):
                await asyncio.get_running_loop().getaddrinfo(host, port)
        except (OSError, UnicodeError) as error:  # a time-out is an OSError, too
            raise _FailedError(
                _("The name {host} is not known in this network.").format(host=host),
                _(
                    "Ask IT that the name {host} can be looked up from this computer, or which"
                    " proxy leads to it."
                ).format(host=host),
            ) from error
        return "good", _("The name {host} is known.").format(host=host)

    def _next_hop(self) -> tuple[str, int]:
        """Return the host and the port that this computer itself connects to."""
        if not self._proxy.address:
            return self._host, self._port
        parts = urlsplit(self._proxy.address)
        try:
            return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            return parts.hostname or "", 0

    async def _tunnel(self) -> tuple[State, str]:
        if not self._proxy.address:
            said = _("No proxy is on the way.")
            return "good", f"{said} {self._proxy.trouble}".rstrip()
        shown = self._proxy.shown
        try:
            async with asyncio.timeout(STEP_S):
                reader, writer = await self._connect()
                await _close(writer)
        except (OSError, ssl.SSLError) as error:
            raise _FailedError(
                _("The proxy {proxy} does not answer.").format(proxy=shown),
                _("Ask IT whether {proxy} is the right proxy for this computer.").format(
                    proxy=shown
                ),
            ) from error
        del reader
        return "good", _("The proxy {proxy} lets us through.").format(proxy=shown)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the service, through the proxy if there is one; not encrypted yet."""
        host, port = self._next_hop()
        is_safe = self._proxy.address.lower().startswith("https:")
        trusted = await self._trusted() if is_safe else None
        reader, writer = await asyncio.open_connection(host, port, ssl=trusted)
        is_tunnel = self._is_safe and self._proxy.address.lower().startswith("http")
        if is_tunnel:
            try:
                await self._ask_through(reader, writer)
            except BaseException:
                writer.close()
                raise
        return reader, writer

    async def _ask_through(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        target = f"{self._host}:{self._port}"
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
        if self._proxy.has_login:
            parts = urlsplit(self._proxy.address)
            login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
            told = base64.b64encode(login.encode()).decode()
            head += f"Proxy-Authorization: Basic {told}\r\n"
        writer.write(f"{head}\r\n".encode())
        await writer.drain()
        try:
            answer = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise OSError from error
        first, *headers = answer.decode("latin-1").split("\r\n")
        status = first.partition(" ")[2].strip()
        if status.startswith("2"):
            return
        if not status.startswith("407"):
            raise _FailedError(
                _("The proxy {proxy} refuses to lead to {host} ({status}).").format(
                    proxy=self._proxy.shown, host=self._host, status=one_line(status, most=80)
                ),
                _("Ask IT to let {host}, port {port}, through the proxy {proxy}.").format(
                    host=self._host, port=self._port, proxy=self._proxy.shown
                ),
            )
        raise self._login_wanted(headers)

    def _login_wanted(self, headers: Sequence[str]) -> _FailedError:
        offered = [
            value.split()[0]
            for name, _mark, value in (each.partition(":") for each in headers)
            if name.strip().lower() == "proxy-authenticate" and value.strip()
        ]
        if offered and "basic" not in [each.lower() for each in offered]:
            return _FailedError(
                _("The proxy {proxy} signs in by {ways} alone, which this program cannot.").format(
                    proxy=self._proxy.shown, ways=one_line(", ".join(offered), most=80)
                ),
                _(
                    "Ask IT for a way to {host} that needs no sign-in, or for one by name and"
                    " password (Basic)."
                ).format(host=self._host),
            )
        text = _("The proxy {proxy} wants a name and a password.")
        if self._proxy.has_login:
            text = _("The proxy {proxy} does not take this name and password.")
        return _FailedError(
            text.format(proxy=self._proxy.shown),
            _("Enter them above, or ask IT for a name and a password for the proxy."),
        )

    async def _trusted(self) -> ssl.SSLContext:
        def make() -> ssl.SSLContext:
            import httpx2  # with the SDK: what the answers themselves will trust

            trusted = httpx2.create_ssl_context()
            if self._settings.ca_file:
                add_certificates(trusted, self._settings.ca_file)
            return trusted

        try:
            return await asyncio.to_thread(make)
        except UserError as error:
            raise _FailedError(str(error), "") from error
        except OSError as error:
            raise _FailedError(
                _("The certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be read."),
                _("Ask IT for the right file, or take the variable away."),
            ) from error

    async def _encryption(self) -> tuple[State, str]:
        if not self._is_safe:
            await self._straight()
            return "good", _("{host} is asked without encryption.").format(host=self._endpoint.host)
        if self._proxy.address.lower().startswith("socks"):
            return "skipped", _("Through a proxy of this kind it is tried with the key.")
        trusted = await self._trusted()
        try:
            async with asyncio.timeout(STEP_S):
                _reader, writer = await self._connect()
                try:
                    await writer.start_tls(trusted, server_hostname=self._host)
                    kind = writer.get_extra_info("ssl_object").version()
                finally:
                    await _close(writer)
        except ssl.SSLCertVerificationError as error:
            raise _FailedError(
                _("The certificate of {host} is not trusted here ({reason}).").format(
                    host=self._host, reason=one_line(error.verify_message, most=100)
                ),
                _(
                    "Ask IT for the company's root certificate as a file '.cer', and choose it"
                    " above."
                ),
            ) from error
        except ssl.SSLError as error:
            raise _FailedError(
                _("{host} and this computer agree on no encryption ({reason}).").format(
                    host=self._host, reason=one_line(error.reason or "", most=100)
                ),
                _("Ask IT which appliance on the way to {host} changes the encryption.").format(
                    host=self._host
                ),
            ) from error
        except OSError as error:
            raise self._unanswered() from error
        return "good", _("The certificate of {host} is trusted ({kind}).").format(
            host=self._host, kind=kind
        )

    async def _straight(self) -> None:
        if self._proxy.address:
            return
        try:
            async with asyncio.timeout(STEP_S):
                _reader, writer = await self._connect()
                await _close(writer)
        except OSError as error:
            raise self._unanswered() from error

    def _unanswered(self) -> _FailedError:
        return _FailedError(
            _("{host} does not answer on port {port}.").format(host=self._host, port=self._port),
            _("Ask IT to open the firewall to {host}, port {port}.").format(
                host=self._host, port=self._port
            ),
        )

    async def _key(self) -> tuple[State, str]:
        host = self._endpoint.host
        if not self._endpoint.needs_key and not await self._asked(self._service.has_key()):
            return "good", _("{host} needs no key.").format(host=host)
        ask = _("Ask whoever manages the account at {host} for a key.").format(host=host)
        if not await self._asked(self._service.has_key()):
            raise _FailedError(
                _("There is no key for {host} on this computer.").format(host=host), ask
            )
        try:
            await self._service.reach()
        except QHubError as error:
            is_key = isinstance(error, UserError) and error.fault == "key"
            raise _FailedError(str(error), ask if is_key else _ask_for(error)) from error
        return "good", _("{host} takes the key.").format(host=host)

    async def _asked(self, has_key: Awaitable[bool]) -> bool:
        return await has_key

    async def _model(self) -> tuple[State, str]:
        try:
            return "good", await self._service.test_connection(self._settings)
        except QHubError as error:
            raise _FailedError(str(error), _ask_for(error)) from error


def _ask_for(error: QHubError) -> str:
    fault = error.fault if isinstance(error, (UserError, ServiceError)) else "other"
    match fault:
        case "model":
            return _("Ask whoever manages the account which model may be used.")
        case "credit":
            return _("Ask whoever manages the account to add credit.")
        case "rate" | "overloaded" | "stalled" | "cut":
            return _("Try again in a moment; there is nothing to ask IT for.")
        case "network" | "setup" | "network_setup" | "proxy_login" | "malformed":
            return _("Show this report to IT.")
        case _:
            return _("Show this report to whoever manages the account.")


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, ssl.SSLError):  # an end that is not polite is one, too
        await writer.wait_closed()
