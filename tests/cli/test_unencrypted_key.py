"""A key for an address without encryption: the person at the terminal is asked first."""

import argparse
import asyncio
import io
import sys
import threading
from threading import Event

import pytest
from typing_extensions import override

from qhub_desktop.app import Program
from qhub_desktop.cli.printing import confirm
from qhub_desktop.cli.verbs.conversations import confirm_unencrypted_key
from tests.waiting import PATIENCE_S


class Terminal(io.StringIO):
    """A person who types."""

    @override
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "address", "json", "allowed"),
    [
        ("sim\n", "http://gateway.invalid:8080/v1", False, "gateway.invalid:8080"),
        ("yes\n", "http://gateway.invalid", False, "gateway.invalid"),
        ("\n", "http://gateway.invalid", False, ""),
        ("", "http://gateway.invalid", False, ""),  # the end of what is typed: Ctrl+D, or Ctrl+Z
        ("talvez\n", "http://gateway.invalid", False, ""),
        ("sim\n", "http://gateway.invalid", True, ""),  # a program does not confirm for a person
        ("sim\n", "https://gateway.invalid", False, ""),
        ("sim\n", "http://localhost:8080", False, ""),
        ("sim\n", "gopher://gateway.invalid", False, ""),
    ],
)
async def test_a_yes_is_kept_for_that_host_alone(
    typed: str, address: str, json: bool, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    program = Program()

    await confirm_unencrypted_key(program, argparse.Namespace(json=json))

    assert program.settings.unencrypted_host == allowed
    assert program.store.settings.load_now().get("unencrypted_host", "") == allowed
    assert await program.unencrypted_host() in (None, "gateway.invalid")
    await program.close()


def test_a_command_that_is_stopped_does_not_wait_for_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = Event()

    def wait(_prompt: str) -> str:
        typed.wait(PATIENCE_S)
        return ""

    async def stopped() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(confirm("Really?"), 0.05)

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("builtins.input", wait)

    asyncio.run(stopped())

    readers = [each for each in threading.enumerate() if each.name == "typing"]
    assert [each.is_alive() for each in readers] == [True]
    typed.set()
