"""Answers typed at a terminal; only what is typed after the question was shown counts."""

# Why it is so: decisions/text-from-outside.md

import asyncio
import getpass
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import line_with_signs

DIGITS = "23456789"  # a glove finds them on the keypad; 0 and 1 look like letters
MOST_TRIES = 3
LOOK_S = 0.1  # between two looks at whether somebody types


def terminal() -> TextIO | None:
    """Return the stream on which a person reads questions; None where nobody could answer."""
    if not is_terminal(sys.stdin):
        return None
    return next(filter(is_terminal, (sys.stdout, sys.stderr)), None)


async def confirm(question: str) -> bool:
    """Ask at the terminal for a number that is chosen now; refuse if there is no terminal.

    What a model's words may have asked the person to type before cannot be that number.
    """
    stream = terminal()
    if stream is None:
        return False
    asked = _("{question} Type {number} to confirm, or only Enter to refuse: ")
    for _try in range(MOST_TRIES):
        number = "".join(secrets.choice(DIGITS) for _digit in range(4))
        line = await typed(asked.format(question=question, number=number))
        if "".join(line.split()) == number:
            return True
        if not line.strip():
            break
        print(_("That is not the number."), file=stream, flush=True)
    return False


async def typed(prompt: str) -> str:
    """Return the line that is typed at the terminal; "" at the end of what is typed."""

    def ask(is_over: Callable[[], bool]) -> str:
        _drop_typed()
        print(line_with_signs(prompt), end="", file=terminal(), flush=True)
        while not is_over():
            # Who gave up waiting meanwhile must not take the line from who asks next.
            if _is_typing() and not is_over():
                return _read_line().rstrip("\r\n")
        return ""

    return await _on_thread(ask)


async def typed_secret(prompt: str) -> str:
    """Return what is typed at the terminal, which does not show it."""
    return await _on_thread(lambda _is_over: read_secret(prompt))


def read_secret(prompt: str) -> str:
    """Return what is typed at the terminal, which does not show it. Blocks."""
    _drop_typed()
    return getpass.getpass(line_with_signs(prompt))


async def _on_thread(ask: Callable[[Callable[[], bool]], str]) -> str:
    loop = asyncio.get_running_loop()
    # Not on a thread of the loop's pool, which is waited for: Ctrl+C did nothing until Enter.
    line: asyncio.Future[str] = loop.create_future()

    def finish(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def wait() -> None:
        try:
            text = ask(line.done)
        except (EOFError, KeyboardInterrupt):  # Windows interrupts the thread that reads
            text = ""
        with suppress(RuntimeError):  # the loop is closed: the command was stopped
            loop.call_soon_threadsafe(finish, text)

    # A thread of the loop's own pool is waited for at the end: Ctrl+C would do nothing until Enter.
    in_background(wait, "typing")
    return await line


if sys.platform == "win32":
    import ctypes
    import msvcrt

    def is_terminal(stream: TextIO | None) -> bool:
        """Return whether a person types there, or reads."""
        if stream is None or not stream.isatty():
            return False
        # Windows takes the device NUL for a terminal, too.
        console = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
        return bool(ctypes.windll.kernel32.GetConsoleMode(console, ctypes.byref(ctypes.c_uint32())))

    def _drop_typed() -> None:
        while msvcrt.kbhit():
            msvcrt.getwch()

    def _is_typing() -> bool:
        time.sleep(LOOK_S)
        return msvcrt.kbhit()

    def _read_line() -> str:
        return input()

else:
    import select
    import termios

    def is_terminal(stream: TextIO | None) -> bool:
        """Return whether a person types there, or reads."""
        return stream is not None and stream.isatty()

    def _drop_typed() -> None:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _is_typing() -> bool:
        return bool(select.select([sys.stdin], [], [], LOOK_S)[0])

    def _read_line() -> str:
        # Past Python's buffer, which takes several lines at once of a terminal in raw mode.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as keys:
            return keys.readline().decode(sys.stdin.encoding, "replace")
