"""The encrypted file of keys on the command line: opened when a key is needed, and not before."""

import getpass
import os
from collections.abc import Iterator

import pytest

from qhub_desktop.core import keystore
from qhub_desktop.core.paths import home
from tests.cli.conftest import Call
from tests.cli.terminal import at_a_terminal, posix_alone
from tests.keyrings import NO_STORE, using
from tests.wire import WireServer, answer

PASSPHRASE = "uma frase longa"
KEY = "sk-ant-of-the-file"
ASK = ("ask", "porque temos tanto lixo?", "--engine", "claude")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    """A service whose key is in the encrypted file of a computer without a key store."""
    with WireServer([answer("olá")], key=KEY) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        for _backend in using(NO_STORE):
            keystore.unlock(home() / keystore.KEY_FILE, PASSPHRASE)
            keystore.save_secret(server.url.removeprefix("http://"), KEY)
            keystore.leave()
            yield server
            keystore.leave()


def test_the_variable_opens_it_and_is_taken_out_of_the_environment(
    call: Call, server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QHUB_PASSPHRASE", PASSPHRASE)

    code, out, err = call(*ASK)

    assert (code, "olá" in out) == (0, True), err
    assert "QHUB_PASSPHRASE" not in os.environ


def test_a_wrong_one_is_told(
    call: Call, server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QHUB_PASSPHRASE", "outra frase longa")

    code, _out, err = call(*ASK)

    assert code == 1
    assert "frase-passe" in err
    assert server.requests == []


@posix_alone
def test_a_person_is_asked_where_a_key_is_needed_alone(
    call: Call, server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def type_in(prompt: str) -> str:
        asked.append(prompt)
        return PASSPHRASE

    monkeypatch.setattr(getpass, "getpass", type_in)

    with at_a_terminal(monkeypatch) as terminal:
        assert call("ask", "quantos defeitos?", "--engine", "offline")[0] == 0
        assert call("agents")[0] == 0
        assert asked == []
        code, *_streams = call(*ASK)

    assert (code, "olá" in terminal.seen) == (0, True), terminal.seen
    assert len(asked) == 1
