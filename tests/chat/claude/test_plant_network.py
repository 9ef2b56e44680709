"""A plant's network, with real parts: a proxy with a password, a company's own certificates."""

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qhub_desktop.chat.claude.credentials import chosen_endpoint
from qhub_desktop.chat.claude.proxies import (
    ProxyChoice,
    choose_proxy,
    first_listed,
    has_login,
    save_login,
)
from qhub_desktop.core.errors import ProxyPasswordError, UserError
from qhub_desktop.core.settings import Settings, read_policy
from tests.chat.requests import claude_at, hear
from tests.keyrings import MemoryStore, using
from tests.wire import WireServer, answer
from tests.wire.proxy import PlantCertificates, PlantProxy

PASSWORD = "géhé#m/77:@ x"
VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
Proxied = Callable[[str], ProxyChoice]


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    """A key store of this test's own."""
    yield from using(MemoryStore())


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Proxied:
    """Sets the proxy for everything, the way the environment does."""

    def set_proxy(proxy: str) -> ProxyChoice:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("ALL_PROXY", proxy)
        return choose_proxy(chosen_endpoint(Settings(endpoint="https://gateway.plant.test"), {}))

    return set_proxy


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> PlantCertificates:
    """A company's certificates."""
    return PlantCertificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def root(certificates: PlantCertificates, tmp_path: Path) -> Path:
    """The file that the IT department gives out."""
    file = tmp_path / "raiz da fábrica.cer"
    file.write_bytes(certificates.root_pem)
    return file


def _named(server: WireServer) -> str:
    return f"https://gateway.plant.test:{server.url.rpartition(':')[2]}"


async def test_a_proxy_without_its_password_is_told_apart_and_with_it_it_leads_to_the_service(
    proxied: Proxied,
    store: MemoryStore,
    certificates: PlantCertificates,
    root: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = Settings(engine="claude", ca_file=str(root))
    with (
        WireServer([answer("62")], certificate=certificates.service) as server,
        PlantProxy(login=f"carla:{PASSWORD}") as proxy,
    ):
        choice = proxied(proxy.address)
        async with claude_at(_named(server), settings=settings) as claude:
            before = await hear(claude)
            assert not has_login(choice)
            save_login(choice, "carla", PASSWORD)
            after = await hear(claude)
            save_login(choice, "", "")
            forgotten = await hear(claude)

    assert isinstance(before.failure, ProxyPasswordError)
    assert before.failure.proxy == proxy.address
    assert "under Network" in str(before.failure)
    assert (after.failure, after.text) == (None, "62")
    assert isinstance(forgotten.failure, ProxyPasswordError)
    assert PASSWORD not in caplog.text
    assert store.kept == {}


async def test_a_wrong_password_is_asked_for_again(
    proxied: Proxied, store: MemoryStore, certificates: PlantCertificates, root: Path
) -> None:
    with (
        WireServer([], certificate=certificates.service) as server,
        PlantProxy(login=f"carla:{PASSWORD}") as proxy,
    ):
        save_login(proxied(proxy.address), "carla", "another-password")
        async with claude_at(
            _named(server), settings=Settings(engine="claude", ca_file=str(root))
        ) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, ProxyPasswordError)
    assert "another-password" not in str(heard.failure)
    assert len(proxy.refused) == 1  # a domain locks who tries too often


async def test_a_proxy_on_the_way_to_an_unencrypted_service_asks_for_its_password_too(
    proxied: Proxied, store: MemoryStore
) -> None:
    with WireServer([answer("62")]) as server, PlantProxy(login=f"c:{PASSWORD}") as proxy:
        choice = proxied(proxy.address)
        host = f"gateway.plant.test:{server.url.rpartition(':')[2]}"
        settings = Settings(engine="claude", unencrypted_host=host)
        async with claude_at(f"http://{host}", settings=settings) as claude:
            before = await hear(claude)
            save_login(choice, "c", PASSWORD)
            after = await hear(claude)

    assert isinstance(before.failure, ProxyPasswordError)
    assert (after.failure, after.text) == (None, "62")


def test_a_password_for_no_proxy_is_refused_in_words(store: MemoryStore) -> None:
    with pytest.raises(UserError, match="No proxy"):
        save_login(ProxyChoice("", "none"), "carla", PASSWORD)


@pytest.mark.parametrize(
    "written",
    [
        lambda plant: plant.root_pem,
        lambda plant: plant.root_der,
        lambda plant: b"Raiz da f\xe1brica\r\n" + plant.root_pem.replace(b"\n", b"\r\n") + b"fim",
        lambda plant: "\ufeff".encode() + plant.root_pem,
        lambda plant: plant.root_pem.decode().encode("utf-16"),
    ],
    ids=["pem", "der", "with words", "with a mark", "as PowerShell writes"],
)
async def test_the_companys_certificate_is_trusted_beside_the_systems(
    written: Callable[[PlantCertificates], bytes],
    certificates: PlantCertificates,
    tmp_path: Path,
) -> None:
    file = tmp_path / "raiz da fábrica.cer"
    file.write_bytes(written(certificates))
    with WireServer([answer("62")], certificate=certificates.service) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        async with claude_at(url, settings=Settings(engine="claude")) as claude:
            without = await hear(claude)
        async with claude_at(url, settings=Settings(engine="claude", ca_file=str(file))) as claude:
            heard = await hear(claude)

    assert "under Network" in str(without.failure)
    assert (heard.failure, heard.text) == (None, "62")


@pytest.mark.parametrize(
    "content", [None, b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n", b"\x30\x82"]
)
async def test_a_file_that_holds_no_certificate_is_told_in_a_sentence(
    content: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "raiz.cer"
    if content is not None:
        file.write_bytes(content)
    async with claude_at(
        "https://gateway.invalid", settings=Settings(engine="claude", ca_file=str(file))
    ) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "network_setup"
    assert "raiz.cer" in str(heard.failure)
    assert "IT department" in str(heard.failure)


def test_an_administrator_can_fix_the_file_of_certificates(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[settings]\nca_file = 'C:\\TI\\raiz.cer'\n", encoding="utf-8")

    fixed = read_policy([policy])

    assert fixed.apply(Settings(ca_file="other")).ca_file == "C:\\TI\\raiz.cer"
    with pytest.raises(UserError, match="looks after this computer"):
        fixed.check("ca_file", "other")


@pytest.mark.parametrize(
    ("listed", "first"),
    [
        ("proxy:8080", "http://proxy:8080"),
        ("proxy:8080;other:3128", "http://proxy:8080"),
        ("http=plain:80;https=safe:443", "http://safe:443"),
        ("http=plain:80 https=safe:443", "http://safe:443"),
        ("https=https://safe:443", "https://safe:443"),
        ("http=plain:80", ""),
        ("", ""),
    ],
)
def test_the_first_proxy_of_a_list_of_windows_is_taken(listed: str, first: str) -> None:
    assert first_listed(listed, "https") == first


@pytest.mark.skipif(sys.platform != "win32", reason="asks Windows' own service")
def test_windows_answers_about_its_automatic_script() -> None:
    service = chosen_endpoint(Settings(endpoint="https://gateway.plant.test"), {})

    assert choose_proxy(service).origin in ("none", "environment", "system", "script")
