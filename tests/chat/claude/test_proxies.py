"""Proxies of the environment: used where they can be; no question is left without an answer."""

import os
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from qhub_desktop.chat.router import Router
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import (
    Answering,
    ModelEvent,
    ModelRequest,
    RoundEnded,
    StatusChanged,
    TextAdded,
)
from qhub_desktop.core.settings import Settings
from tests.chat.requests import Heard, claude_at, hear
from tests.end_to_end.qhub_process import qhub_in_turn
from tests.wire import WireServer, answer

GATEWAY = "http://gateway.invalid"  # a name that only a proxy can make something of
ALLOWED = Settings(endpoint=GATEWAY, unencrypted_host="gateway.invalid")
VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
NO_PROXIES = (
    *(f"{scheme}://proxy.invalid:3128" for scheme in ("socks", "socks4", "socks4a", "ftp", "file")),
    *(f"{scheme}://proxy.invalid:3128" for scheme in ("quic", "x", "HTTPS+unix", "data", "ldap")),
    "http://",
    "://proxy.invalid",
    "http://proxy.invalid:99999",
    "http://proxy.invalid:port",
    "http://[::1",
    "http://proxy .invalid:1",
    "socks5://",
    "proxy\x01.invalid",
    "http://ç\udce9:1" if os.name == "posix" else "http://%:1",
    "http://" + "p" * 5000 + ":1",
)
UNREACHED = (
    "http://127.0.0.1:9",
    "https://127.0.0.1:9",
    "socks5://127.0.0.1:9",
    "socks5h://127.0.0.1:9",
    "http://carla:geheim-77@127.0.0.1:9",
    "127.0.0.1:9",
)


class Offline:
    """An engine that needs nothing."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Answering("offline")
        yield TextAdded("62")
        yield RoundEnded("complete")


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the proxy for everything, the way the environment does."""

    def set_proxy(proxy: str) -> None:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("ALL_PROXY", proxy)

    return set_proxy


async def _heard(settings: Settings, *, rounds: int = 1) -> Heard:
    async with claude_at("", settings=settings) as claude:
        router = Router(
            claude=claude,
            offline=Offline(),
            is_small_talk=lambda _text: False,
            settings=lambda: settings,
        )
        heard = Heard()
        try:
            for _ in range(rounds):
                heard = await hear(router)
        finally:
            router.close()
        return heard


@pytest.mark.parametrize("proxy", [*NO_PROXIES, *UNREACHED])
async def test_with_automatic_the_question_is_answered_and_the_reason_said(
    proxy: str, proxied: Callable[[str], None]
) -> None:
    proxied(proxy)

    heard = await _heard(ALLOWED)

    assert (heard.failure, heard.text) == (None, "62")
    (status,) = heard.of(StatusChanged)
    assert status.kind == "offline"
    assert "proxy" in status.text
    assert "offline engine answers" in status.text
    assert "geheim" not in status.text
    assert len(status.text) < 500


@pytest.mark.parametrize("proxy", NO_PROXIES)
async def test_with_claude_alone_a_proxy_that_is_none_is_refused_in_words(
    proxy: str, proxied: Callable[[str], None]
) -> None:
    proxied(proxy)
    async with claude_at(
        GATEWAY, settings=Settings(engine="claude", unencrypted_host="gateway.invalid")
    ) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "setup"
    assert "socks5" in str(heard.failure)


@pytest.mark.parametrize("address", ["gopher://gateway", "http://", "https://a b", "https://h:0"])
async def test_an_address_that_is_none_leaves_the_offline_engine_alone(address: str) -> None:
    heard = await _heard(Settings(endpoint=address))

    assert (heard.failure, heard.text) == (None, "62")
    assert "is not an address" in heard.of(StatusChanged)[0].text


async def test_certificates_that_cannot_be_read_leave_the_offline_engine_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")

    heard = await _heard(Settings(endpoint="https://gateway.invalid"))

    assert (heard.failure, heard.text) == (None, "62")
    assert "SSL_CERT_FILE" in heard.of(StatusChanged)[0].text


async def test_a_key_that_would_go_unencrypted_leaves_the_offline_engine_alone() -> None:
    heard = await _heard(Settings(endpoint=GATEWAY))

    assert (heard.failure, heard.text) == (None, "62")
    assert "without encryption" in heard.of(StatusChanged)[0].text


async def test_the_reason_is_said_once(proxied: Callable[[str], None]) -> None:
    proxied("socks4://proxy.invalid")

    heard = await _heard(ALLOWED, rounds=3)

    assert heard.of(StatusChanged) == []


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("person", ["", "carla:geheim-77@"])
async def test_a_socks_proxy_is_used(
    scheme: str, person: str, proxied: Callable[[str], None]
) -> None:
    with WireServer([answer("Sessenta e dois.")]) as server, _socks_proxy(server.url) as port:
        proxied(f"{scheme}://{person}127.0.0.1:{port}")
        async with claude_at("", settings=ALLOWED) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "Sessenta e dois.")


@pytest.mark.parametrize("proxy", NO_PROXIES)
async def test_a_service_on_this_computer_needs_no_proxy(
    proxy: str, proxied: Callable[[str], None]
) -> None:
    proxied(proxy)
    with WireServer([answer("62")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "62")


@pytest.mark.parametrize("proxy", ["socks4://proxy.invalid", "socks5://127.0.0.1:9"])
def test_on_the_command_line_the_answer_is_offline_and_the_reason_on_standard_error(
    proxy: str,
) -> None:
    environment = {
        **dict.fromkeys([*VARIABLES, *map(str.lower, VARIABLES)], ""),
        "ALL_PROXY": proxy,
        "all_proxy": proxy,
        "ANTHROPIC_API_KEY": "key-for-tests",
        "ANTHROPIC_BASE_URL": "https://gateway.invalid",
    }
    called, refused = qhub_in_turn(
        [
            ("ask", "qual é o defeito mais frequente?"),
            ("ask", "--engine", "claude", "olá bom amigo"),
        ],
        environment=environment,
    )

    assert called.code == 0, called.err
    assert "lixo" in called.out
    assert "proxy" in called.err
    assert (refused.code, "proxy" in refused.err) == (1, True)


@contextmanager
def _socks_proxy(url: str) -> Iterator[int]:
    """A SOCKS5 proxy for one connection, for which every name is this service's."""
    port = int(url.rpartition(":")[2])

    def serve(there: socket.socket) -> None:
        there.recv(1)
        methods = there.recv(there.recv(1)[0])
        there.sendall(b"\x05\x02" if 2 in methods else b"\x05\x00")
        if 2 in methods:
            there.recv(1)
            for _each in ("name", "password"):
                there.recv(there.recv(1)[0])
            there.sendall(b"\x01\x00")
        kind = there.recv(4)[3]
        there.recv({1: 4, 3: 0, 4: 16}[kind] or there.recv(1)[0])
        there.recv(2)
        there.sendall(b"\x05\x00\x00\x01" + struct.pack("!4sH", bytes(4), 0))
        with socket.create_connection(("127.0.0.1", port)) as service:
            back = threading.Thread(target=_copy, args=(service, there), daemon=True)
            back.start()
            _copy(there, service)
            back.join(5)

    with _listening(serve) as listening:
        yield listening


@contextmanager
def _listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            with suppress(OSError):  # the end of the test
                while True:
                    there, _address = server.accept()
                    with there:
                        serve(there)

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
