"""The lines of a text file as letters, whatever bytes they are written in."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from qhub_desktop.data.formats.encoding import END_MARK, MIXED, Look, decode_mixed

SAMPLE_CHARACTERS = 200_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class Lines:
    """Every line of one file with its end, from the first on, and how far the reading is."""

    def __init__(self, path: Path, look: Look) -> None:
        self._path = path
        self._look = look
        self._size = max(1, path.stat().st_size)
        self._position: Callable[[], int] = lambda: 0
        self.others: list[int] = []  # the numbers of lines that are not in UTF-8 as others are

    @property
    def share(self) -> float:
        """The part of the file that was read."""
        return min(1.0, self._position() / self._size)

    def sample(self) -> list[str]:
        """The first lines, none of them cut unless it is the only one."""
        lines: list[str] = []
        characters = 0
        others = self.others.copy()
        for line in self:
            characters += len(line)
            if characters > SAMPLE_CHARACTERS:
                if not lines:
                    lines.append(line[:SAMPLE_CHARACTERS])
                break
            lines.append(line)
        self.others = others
        self._position = lambda: 0
        return lines

    def __iter__(self) -> Iterator[str]:
        lines = self._mixed() if self._look.encoding == MIXED else self._plain()
        if self._look.has_end_mark:
            lines = (line for line in lines if line != END_MARK)
        if self._look.nuls:
            lines = (line.replace("\0", "") for line in lines)
        return lines

    def _plain(self) -> Iterator[str]:
        with (
            self._path.open("rb") as source,
            io.TextIOWrapper(
                source, encoding=self._look.encoding, errors=self._look.errors, newline=""
            ) as opened,
        ):
            self._position = source.tell
            try:
                yield from opened
            finally:
                self._position = lambda: self._size

    def _mixed(self) -> Iterator[str]:
        with self._path.open("rb") as opened:
            self._position = opened.tell
            try:
                for number, line in enumerate(opened, start=1):
                    text = self._decoded(number, line)
                    yield from _LINE.findall(text) if "\r" in text else (text,)
            finally:
                self._position = lambda: self._size

    def _decoded(self, number: int, line: bytes) -> str:
        try:
            return line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            self.others.append(number)
            return decode_mixed(line)
