"""A key for an address without encryption: the person at the terminal is asked first."""

import argparse

import pytest

from qhub_desktop.app import Program
from qhub_desktop.cli.verbs.conversations import confirm_unencrypted_key
from tests.cli.terminal import at_a_terminal, posix_alone, typing


@posix_alone
@pytest.mark.parametrize(
    ("line", "address", "json", "allowed"),
    [
        ("number", "http://gateway.invalid:8080/v1", False, "gateway.invalid:8080"),
        ("number", "http://gateway.invalid", False, "gateway.invalid"),
        ("\n", "http://gateway.invalid", False, ""),
        ("\x04", "http://gateway.invalid", False, ""),  # the end of what is typed: Ctrl+D
        ("number", "http://gateway.invalid", True, ""),  # a program does not confirm for a person
        ("number", "https://gateway.invalid", False, ""),
        ("number", "http://localhost:8080", False, ""),
        ("number", "gopher://gateway.invalid", False, ""),
    ],
)
async def test_a_yes_is_kept_for_that_host_alone(
    line: str, address: str, json: bool, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    program = Program()

    with at_a_terminal(monkeypatch, typing(line)):
        await confirm_unencrypted_key(program, argparse.Namespace(json=json))

    assert program.settings.unencrypted_host == allowed
    assert program.store.settings.load_now().get("unencrypted_host", "") == allowed
    assert await program.unencrypted_host() in (None, "gateway.invalid")
    await program.close()
