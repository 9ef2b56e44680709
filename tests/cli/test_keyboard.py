"""What confirms something at a terminal: a number that is shown now, typed after it was shown."""

import asyncio
import io
import re
import sys
import threading

import pytest

from qhub_desktop.cli.keyboard import confirm, typed
from tests.cli.terminal import Person, Terminal, at_a_terminal, number_in, posix_alone, typing
from tests.waiting import PATIENCE_S, until

pytestmark = posix_alone


async def seen_typing(terminal: Terminal, line: str) -> None:
    """Type a line, and wait until the terminal has taken it."""
    before = len(terminal.seen)
    terminal.type(line)
    await until(lambda: len(terminal.seen) > before)


@pytest.mark.parametrize(
    "waiting",
    ["sim\n", "yes\n", "\n", "\n" * 40, "si", "2345\n" * 200, "s\nsim\nSIM\n", "\x04", "1", "é\n"],
)
async def test_what_was_typed_before_a_question_does_not_answer_it(
    waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        await seen_typing(terminal, f"{waiting}\n" if waiting == "\x04" else waiting)
        terminal.person = typing("number")

        assert await confirm("Write it?")

    assert terminal.seen.count("Write it?") == 1


@pytest.mark.parametrize(
    ("person", "is_right", "asked"),
    [
        (typing("number"), True, 1),
        (
            lambda seen: f"  {' '.join(number_in(seen) or '')} \n" if number_in(seen) else None,
            True,
            1,
        ),
        (typing("sim\n", "number"), True, 2),
        (typing("sim\n", "yes\n", "number"), True, 3),
        (typing("sim\n", "yes\n", "s\n", "number"), False, 3),
        (typing("\n", "number"), False, 1),
        (typing("\x04", "number"), False, 1),
        (typing("0000\n", "\n"), False, 2),
        (typing("talvez\n", "\x04"), False, 2),
    ],
)
async def test_only_the_number_confirms_and_enter_alone_refuses(
    person: Person, is_right: bool, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_a_terminal(monkeypatch, person) as terminal:
        assert await confirm("Write it?") is is_right

    assert terminal.seen.count("Write it?") == asked


async def test_every_question_has_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    with at_a_terminal(monkeypatch, typing(*(["no\n"] * 12))) as terminal:
        for _time in range(4):
            await confirm("Write it?")

    numbers = re.findall(r"\b([2-9]{4})\b", terminal.seen)
    assert len(numbers) == 12
    assert len(set(numbers)) > 6


async def test_a_question_is_asked_where_a_person_reads_it_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = typing("number", "number")
    with at_a_terminal(monkeypatch, person) as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", io.StringIO())
        assert await confirm("On standard error?")
        screen = sys.stderr
        patch.setattr(sys, "stderr", io.StringIO())
        assert not await confirm("Nowhere?")
        patch.setattr(sys, "stderr", screen)
        patch.setattr(sys, "stdin", io.StringIO("2345\n"))
        assert not await confirm("To a pipe?")
        patch.setattr(sys, "stdin", None)
        assert not await confirm("To nobody?")

    seen = terminal.seen
    assert "On standard error?" in seen
    assert "Nowhere?" not in seen
    assert "To " not in seen


async def test_who_no_longer_waits_takes_no_line_from_who_asks_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        for question in ("One: ", "Two: "):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(typed(question), 0.05)
        terminal.person = typing("third\n")

        assert await typed("Three: ") == "third"


def test_a_command_that_is_stopped_does_not_wait_for_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stopped() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(confirm("Really?"), 0.05)

    with at_a_terminal(monkeypatch):
        asyncio.run(stopped())

        for reader in [each for each in threading.enumerate() if each.name == "typing"]:
            reader.join(PATIENCE_S)
            assert not reader.is_alive()
