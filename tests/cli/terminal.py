"""A real terminal for the command line in this process, and a person who reads and types at it."""

import codecs
import io
import os
import re
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from qhub_desktop.cli.printing import MARK, TerminalText

if sys.platform != "win32":
    import fcntl
    import pty
    import termios

posix_alone = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX is made here")
Person = Callable[[str], str | None]  # what came on the screen since they typed: what they type


def number_in(seen: str) -> str | None:
    """Return the number that a question asks for, once it was asked."""
    # In either language, and the last of a line: the question may have numbers of its own.
    found = re.search(rf"^(?!{MARK}).*\b([2-9]{{4}})\b.*: $", seen, re.MULTILINE)
    return None if found is None else found[1]


def typing(*lines: str) -> Person:
    """Return a person who answers each question with one of these; 'number' is what it asks for."""
    left = list(lines)

    def read(seen: str) -> str | None:
        if not left or not seen.endswith(": ") or seen.rpartition("\n")[2].startswith(MARK):
            return None
        line = left.pop(0)
        return line if line != "number" else f"{number_in(seen)}\n"

    return read


class Terminal:
    """A pseudo-terminal that the streams of this process lead to."""

    def __init__(self, person: Person, *, columns: int) -> None:
        self._keys, self._screen = pty.openpty()
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.person = person
        self.seen = ""
        self._raw: list[IO[bytes]] = []
        self._new = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def open(self, mode: str) -> io.TextIOWrapper:
        """Return a stream of the terminal."""
        screen = os.dup(self._screen)
        raw: IO[bytes] = os.fdopen(screen, "wb") if "w" in mode else os.fdopen(screen, "rb")
        self._raw.append(raw)
        kind = TerminalText if "w" in mode else io.TextIOWrapper
        return kind(raw, "utf-8", line_buffering=True)

    def type(self, text: str) -> None:
        """Type something, now."""
        os.write(self._keys, text.encode())

    def close(self) -> None:
        """Read what is left, and close it."""
        for stream in self._raw:
            stream.close()
        os.close(self._screen)
        self._reader.join()
        os.close(self._keys)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            while some := os.read(self._keys, 65_536):
                text = decoder.decode(some)
                # The terminal's own line ends, which may come in two parts.
                self.seen = (self.seen + text).replace("\r\n", "\n")
                self._new = (self._new + text).replace("\r\n", "\n")
                if (line := self.person(self._new)) is not None:
                    self._new = ""
                    self.type(line)
        except OSError:  # Linux says so when the other side is closed
            pass


@contextmanager
def at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, person: Person | None = None, *, columns: int = 80
) -> Iterator[Terminal]:
    """Have the standard streams lead to a terminal; `seen` is all that came on it."""
    made = Terminal(person or typing(), columns=columns)
    with monkeypatch.context() as patch:
        for name, mode in (("stdin", "rb"), ("stdout", "wb"), ("stderr", "wb")):
            patch.setattr(sys, name, made.open(mode))
        try:
            yield made
        finally:
            made.close()
