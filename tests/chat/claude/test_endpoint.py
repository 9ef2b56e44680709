"""The service in the settings: tried before it is used; its models, address and certificate."""

from pathlib import Path

import pytest

from qhub_desktop.chat.claude.credentials import ANTHROPIC, Endpoint, chosen_endpoint
from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.settings import Settings
from tests.chat.requests import claude_at, hear
from tests.wire import Refusal, WireServer, answer, scenes


async def test_a_connection_that_holds_says_so_with_the_model() -> None:
    with WireServer([answer("olá")], key="sk-new") as server:
        async with claude_at("", key=None) as claude:
            sentence = await claude.test_connection(Settings(endpoint=server.url), key="sk-new")

    assert "answers, with claude-sonnet-5-5, in" in sentence
    assert server.requests[0].body["max_tokens"] == 16


async def test_a_model_that_will_end_soon_is_warned_of() -> None:
    with WireServer([answer("olá")]) as server:
        async with claude_at(server.url) as claude:
            sentence = await claude.test_connection(Settings(model="claude-sonnet-4-5"))

    assert "ends on 30/11/2026" in sentence


@pytest.mark.parametrize(
    ("settings", "scene", "kind", "words"),
    [
        (Settings(), scenes.WRONG_KEY, UserError, "refused the key"),
        (Settings(), scenes.NO_CREDIT, UserError, "no credit"),
        (Settings(), scenes.OVERLOADED, ServiceError, "too busy"),
        (Settings(), scenes.RESET, ServiceError, "cannot be reached"),
        (Settings(), Refusal(200, html="<h1>Router</h1>"), ServiceError, "web page"),
        (Settings(model="claude-3"), answer("nunca"), UserError, "claude-sonnet-5-5, claude-haiku"),
    ],
)
async def test_a_connection_that_fails_says_what_to_correct(
    settings: Settings, scene: scenes.Scene, kind: type[Exception], words: str
) -> None:
    with WireServer([scene]) as server:
        async with claude_at(server.url) as claude:
            with pytest.raises(kind, match=words):
                await claude.test_connection(settings)

    assert len(server.requests) == 1


async def test_the_models_offered_for_one_that_is_gone_are_the_services_own() -> None:
    retired = {"id": "claude-sonnet-4-20250514", "lifecycle": "retired"}
    own = {"id": "qwen3-8b", "lifecycle": "active"}
    with WireServer([scenes.UNKNOWN_MODEL], models=(own, retired)) as server:
        async with claude_at(server.url) as claude:
            with pytest.raises(UserError, match=r": qwen3-8b\.$"):
                await claude.test_connection(Settings())


async def test_a_service_on_this_computer_is_asked_without_proxy_and_without_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with WireServer([answer("62")]) as server:
        async with claude_at(server.url, key=None) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "62")


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    with WireServer([], certificate=_self_signed(tmp_path)) as server:
        async with claude_at(server.url.replace("127.0.0.1", "localhost")) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "network_setup"
    assert "under Network" in str(heard.failure)


async def test_a_certificate_file_of_the_company_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = _self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with WireServer([answer("62")], certificate=certificate) as server:
        async with claude_at(server.url.replace("127.0.0.1", "localhost")) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "62")


def test_the_settings_come_before_the_environment_and_that_before_anthropic() -> None:
    there = {"ANTHROPIC_BASE_URL": "https://plant.example/", "ANTHROPIC_MODEL": "claude-opus-5-5"}
    own = Settings(endpoint="http://localhost:11434", model="qwen3-8b")

    assert chosen_endpoint(Settings(), {}) == Endpoint(ANTHROPIC, "claude-sonnet-5-5", "anthropic")
    assert chosen_endpoint(Settings(), there) == Endpoint(
        "https://plant.example", "claude-opus-5-5", "environment"
    )
    assert chosen_endpoint(own, there) == Endpoint("http://localhost:11434", "qwen3-8b", "settings")


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("http://localhost:8080/v1/messages", "http://localhost:8080"),
        ("https://plant.example/claude/v1/", "https://plant.example/claude"),
        ("localhost:1234", "http://localhost:1234"),
        ("plant.example", "https://plant.example"),
        ("localhost/v1", "http://localhost"),
        ("[::1]", "http://[::1]"),
        ("HTTP://Plant.example:8080", "http://Plant.example:8080"),
        (" http://[::1]:8080 ", "http://[::1]:8080"),
    ],
)
def test_an_address_is_understood_as_people_write_it(written: str, address: str) -> None:
    assert chosen_endpoint(Settings(endpoint=written), {}).address == address


@pytest.mark.parametrize("written", ["ftp://plant.example", "http://", "two words", "http://a:b"])
def test_what_is_no_address_is_said_to_be_none(written: str) -> None:
    with pytest.raises(UserError, match="is not an address"):
        chosen_endpoint(Settings(endpoint=written), {})


@pytest.mark.parametrize(
    "written", ["u:geheim@plant.example:99999", "ftp://u:geheim@plant.example"]
)
def test_a_password_in_what_is_no_address_is_not_repeated(written: str) -> None:
    with pytest.raises(UserError) as refused:
        chosen_endpoint(Settings(endpoint=written), {})

    assert "plant.example" in str(refused.value)
    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "account", "needs_key"),
    [
        ("", "anthropic", True),
        ("https://api.anthropic.com/", "anthropic", True),
        ("https://plant.example:8443", "plant.example:8443", True),
        ("http://localhost:11434", "localhost:11434", False),
        ("http://127.0.0.2:1234", "127.0.0.2:1234", False),
    ],
)
def test_each_service_has_its_own_key_and_one_on_this_computer_needs_none(
    address: str, account: str, needs_key: bool
) -> None:
    service = chosen_endpoint(Settings(endpoint=address), {})

    assert (service.account, service.needs_key) == (account, needs_key)


def _self_signed(folder: Path) -> Path:
    """A key and a certificate for localhost that it signed itself, in one file."""
    x509 = pytest.importorskip("cryptography.x509")
    from datetime import UTC, datetime, timedelta

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "localhost.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file
