r"""Artifacts: pages and drawings in fenced blocks of an answer, found while it is streamed.

    parting = Parting()
    for piece in parting.feed("Veja:\n```html\n<p>olá"):
        ...  # Words("Veja:\n"), Begun("html"), Code("<p>olá")

Fences as in CommonMark (https://spec.commonmark.org/0.31.2/#fenced-code-blocks): three or more
backticks or tildes, indented by three spaces at most, closed by at least as many alone on a line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast, get_args

Kind = Literal["html", "svg", "jsx"]

OPENING = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_MAYBE_FENCE = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3,}.*)")
_MAYBE_CLOSING = re.compile(r" {0,3}(?:`*|~*)[ \t\r]*")


@dataclass(frozen=True, slots=True)
class Artifact:
    """A page or a drawing; one that is not closed broke off while it was written."""

    kind: Kind
    source: str
    is_closed: bool = True

    @property
    def markdown(self) -> str:
        """As it stands in an answer, behind a fence that nothing in it closes."""
        longest = max((len(each) for each in re.findall(r"`{3,}", self.source)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}{self.kind}\n{self.source}\n{fence}"


@dataclass(frozen=True, slots=True)
class Words:
    """Some Markdown outside of artifacts."""

    text: str


@dataclass(frozen=True, slots=True)
class Begun:
    """An artifact begins."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Code:
    """Some more of the artifact that has begun."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The whole artifact that had begun."""

    artifact: Artifact


Piece = Words | Begun | Code | Ended


class Parting:
    """Incremental parser of fences: takes text in any pieces, holds back only what may be one."""

    def __init__(self) -> None:
        self._held = ""  # of a line that has not come to its end
        self._is_inside_line = False  # whose beginning was given out
        self._fence = ""  # the line that opened the block that is open
        self._kind: Kind | None = None  # of the block, if it is an artifact
        self._source: list[str] = []

    def feed(self, text: str) -> list[Piece]:
        """Split some more of the text into pieces."""
        found: list[Piece] = []
        *lines, rest = (self._held + text).split("\n")
        for line in lines:
            self._take(f"{line}\n", found)
        is_open = bool(rest) and (self._is_inside_line or not self._may_be_fence(rest))
        if is_open:
            self._give(rest, found)
            self._is_inside_line = True
        self._held = "" if is_open else rest
        return _joined(found)

    def finish(self) -> list[Piece]:
        """Return the pieces that were held back: no more text will come."""
        found: list[Piece] = []
        if self._held:
            self._take(self._held, found)
            self._held = ""
        if self._kind is not None:
            found.append(Ended(Artifact(self._kind, self._written(), is_closed=False)))
        self._fence, self._kind, self._source = "", None, []
        self._is_inside_line = False
        return _joined(found)

    def _take(self, line: str, found: list[Piece]) -> None:
        if self._is_inside_line:
            self._is_inside_line = False
            self._give(line, found)
        elif self._fence:
            if not closes(line, self._fence):
                self._give(line, found)
            elif self._kind is None:
                self._fence = ""
                self._give(line, found)
            else:
                found.append(Ended(Artifact(self._kind, self._written())))
                self._fence, self._kind, self._source = "", None, []
        else:
            self._begin(line, found)

    def _begin(self, line: str, found: list[Piece]) -> None:
        opening = OPENING.match(line.rstrip("\r\n"))
        # An information string after backticks holds none: that would be code within a sentence.
        if opening is None or (opening[1].startswith("`") and "`" in opening[2]):
            self._give(line, found)
            return
        self._fence = line
        name = opening[2].split()[0].lower() if opening[2].split() else ""
        if name in get_args(Kind):
            self._kind = cast("Kind", name)
            found.append(Begun(self._kind))
        else:
            self._give(line, found)

    def _give(self, text: str, found: list[Piece]) -> None:
        if self._kind is None:
            found.append(Words(text))
        else:
            self._source.append(text)
            found.append(Code(text))

    def _may_be_fence(self, line: str) -> bool:
        pattern = _MAYBE_CLOSING if self._fence else _MAYBE_FENCE
        return pattern.fullmatch(line) is not None

    def _written(self) -> str:
        return "".join(self._source).rstrip("\r\n")


def parted(text: str) -> Iterator[str | Artifact]:
    """Split a whole text into its words and the artifacts between them."""
    parting = Parting()
    words: list[str] = []
    for piece in (*parting.feed(text), *parting.finish()):
        match piece:
            case Words(some):
                words.append(some)
            case Ended(artifact):
                if "".join(words).strip():
                    yield "".join(words)
                words.clear()
                yield artifact
            case Begun() | Code():
                pass
    if "".join(words).strip():
        yield "".join(words)


def closes(line: str, opening: str) -> bool:
    """Return whether a line closes the fence that the line `opening` has opened."""
    mark = opening.strip()
    run = len(mark) - len(mark.lstrip(mark[0]))
    bare = line.strip()
    return len(bare) >= run and set(bare) == {mark[0]}


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Join neighbours of one kind, so that each is shown once."""
    joined: list[Piece] = []
    for piece in pieces:
        match (joined[-1] if joined else None), piece:
            case Words(before), Words(text):
                joined[-1] = Words(before + text)
            case Code(before), Code(text):
                joined[-1] = Code(before + text)
            case _:
                joined.append(piece)
    return joined
