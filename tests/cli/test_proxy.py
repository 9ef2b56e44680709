"""A proxy with a password on the command line: told, kept, asked for at a terminal."""

import asyncio
import getpass
import json
from collections.abc import Iterator

import pytest

from qhub_desktop.app import Program
from tests.cli.conftest import Call
from tests.cli.terminal import at_a_terminal, posix_alone, typing
from tests.keyrings import MemoryStore, using
from tests.wire import WireServer, answer
from tests.wire.proxy import PlantProxy

PASSWORD = "geheim-77-wort"
ASK = ("ask", "--engine", "claude", "porque temos tanto lixo?")


@pytest.fixture
def kept() -> Iterator[MemoryStore]:
    """A key store of this test's own."""
    yield from using(MemoryStore())


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[PlantProxy]:
    """A proxy that wants a password, on the way to a service that answers."""
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with WireServer([answer("62")]) as server, PlantProxy(login=f"carla:{PASSWORD}") as proxy:
        host = f"gateway.plant.test:{server.url.rpartition(':')[2]}"
        monkeypatch.setenv("ALL_PROXY", proxy.address)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://{host}")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        asyncio.run(allow(host))
        yield proxy


async def allow(host: str) -> None:
    """Let a host have its key without encryption, as a test's server wants it."""
    program = Program()
    await program.store.settings.save({"unencrypted_host": host})
    await program.close()


def logins_in(store: MemoryStore) -> list[str]:
    """What a key store has beside the head of the log."""
    return [each for (_service, name), each in store.kept.items() if not name.startswith("audit-")]


def test_a_proxy_without_its_password_is_told_with_what_to_type(
    call: Call, proxy: PlantProxy, kept: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _out, err = call(*ASK)
    assert code == 1
    assert "qhub proxy --user" in err
    code, _out, err = call("proxy", "--user", "carla")
    assert code == 1
    assert "QHUB_PROXY_PASSWORD" in err

    monkeypatch.setenv("QHUB_PROXY_PASSWORD", PASSWORD)
    code, out, err = call("proxy", "--user", "carla", "--json")
    assert code == 0, err
    assert json.loads(out) == {"proxy": proxy.address, "from": "environment", "login": True}
    assert logins_in(kept) == [f"carla\n{PASSWORD}"]
    code, out, err = call(*ASK)
    assert (code, out.strip()) == (0, "62"), err

    assert call("proxy", "--forget")[0] == 0
    assert logins_in(kept) == []


@posix_alone
def test_at_a_terminal_it_is_asked_for_and_the_question_is_asked_again(
    call: Call, proxy: PlantProxy, kept: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: PASSWORD)

    with at_a_terminal(monkeypatch, typing("carla\n")) as terminal:
        code, *_streams = call(*ASK)

    assert code == 0, terminal.seen
    assert "│ 62\n" in terminal.seen
    assert "qhub proxy --user" in terminal.seen
    assert len(proxy.refused) == 1
    assert logins_in(kept) == [f"carla\n{PASSWORD}"]
    assert PASSWORD not in terminal.seen
