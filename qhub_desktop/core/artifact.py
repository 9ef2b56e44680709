r"""Artifacts: pages and drawings in fenced blocks of an answer, found while it is streamed.

    parser = ArtifactParser()
    for event in parser.feed("Veja:\n```html\n<p>olá"):
        ...  # TextDelta("Veja:\n"), ArtifactStarted("html"), ArtifactDelta("<p>olá")

Fences as in CommonMark (https://spec.commonmark.org/0.31.2/#fenced-code-blocks): three or more
backticks or tildes, indented by three spaces at most, closed by at least as many alone on a line.
"""

import re
from collections.abc import Iterator
from typing import Literal, cast, get_args

from qhub_desktop.core.values import dataclass

ArtifactKind = Literal["html", "svg", "jsx"]

FENCE_OPENING = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_MAYBE_FENCE = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3,}.*)")
_MAYBE_CLOSING = re.compile(r" {0,3}(?:`*|~*)[ \t\r]*")
_CLOSING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t\r]*\n?")


@dataclass(frozen=True, slots=True)
class Artifact:
    """A page or a drawing; one that is not closed broke off while it was written."""

    kind: ArtifactKind
    source: str
    is_closed: bool = True

    @property
    def markdown(self) -> str:
        """As it stands in an answer, behind a fence that nothing in it closes."""
        longest = max((len(each) for each in re.findall(r"`{3,}", self.source)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}{self.kind}\n{self.source}\n{fence}"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some more Markdown outside of artifacts."""

    text: str


@dataclass(frozen=True, slots=True)
class ArtifactStarted:
    """An artifact begins: its fence is open."""

    kind: ArtifactKind


@dataclass(frozen=True, slots=True)
class ArtifactDelta:
    """Some more of the source of the artifact that has started."""

    text: str


@dataclass(frozen=True, slots=True)
class ArtifactEnded:
    """The whole artifact that had started."""

    artifact: Artifact


ArtifactEvent = TextDelta | ArtifactStarted | ArtifactDelta | ArtifactEnded


class ArtifactParser:
    """Incremental parser: takes text in any pieces, and holds back only what may be a fence."""

    def __init__(self) -> None:
        self._held = ""  # of a line that has not come to its end
        self._is_inside_line = False  # whose beginning was given out
        self._fence = ""  # the line that opened the block that is open
        self._kind: ArtifactKind | None = None  # of the block, if it is an artifact
        self._source: list[str] = []

    def feed(self, text: str) -> list[ArtifactEvent]:
        """Parse some more of the text into events."""
        found: list[ArtifactEvent] = []
        *lines, rest = (self._held + text).split("\n")
        for line in lines:
            self._parse_line(f"{line}\n", found)
        is_open = bool(rest) and (self._is_inside_line or not self._may_be_fence(rest))
        if is_open:
            self._emit(rest, found)
            self._is_inside_line = True
        self._held = "" if is_open else rest
        return _merge_deltas(found)

    def finish(self) -> list[ArtifactEvent]:
        """Return the events of what was held back: no more text will come."""
        found: list[ArtifactEvent] = []
        if self._held:
            self._parse_line(self._held, found)
            self._held = ""
        if self._kind is not None:
            found.append(ArtifactEnded(Artifact(self._kind, self._source_text(), is_closed=False)))
        self._fence, self._kind, self._source = "", None, []
        self._is_inside_line = False
        return _merge_deltas(found)

    def _parse_line(self, line: str, found: list[ArtifactEvent]) -> None:
        if self._is_inside_line:
            self._is_inside_line = False
            self._emit(line, found)
        elif self._fence:
            if not closes_fence(line, self._fence):
                self._emit(line, found)
            elif self._kind is None:
                self._fence = ""
                self._emit(line, found)
            else:
                found.append(ArtifactEnded(Artifact(self._kind, self._source_text())))
                self._fence, self._kind, self._source = "", None, []
        else:
            self._open_fence(line, found)

    def _open_fence(self, line: str, found: list[ArtifactEvent]) -> None:
        information = opened_fence(line)
        if information is None:
            self._emit(line, found)
            return
        self._fence = line
        name = information.split()[0].lower() if information.split() else ""
        if name in get_args(ArtifactKind):
            self._kind = cast("ArtifactKind", name)
            found.append(ArtifactStarted(self._kind))
        else:
            self._emit(line, found)

    def _emit(self, text: str, found: list[ArtifactEvent]) -> None:
        if self._kind is None:
            found.append(TextDelta(text))
        else:
            self._source.append(text)
            found.append(ArtifactDelta(text))

    def _may_be_fence(self, line: str) -> bool:
        pattern = _MAYBE_CLOSING if self._fence else _MAYBE_FENCE
        return pattern.fullmatch(line) is not None

    def _source_text(self) -> str:
        return "".join(self._source).rstrip("\r\n")


def split_artifacts(text: str) -> Iterator[str | Artifact]:
    """Split a whole text into its Markdown and the artifacts between."""
    parser = ArtifactParser()
    words: list[str] = []
    for event in (*parser.feed(text), *parser.finish()):
        match event:
            case TextDelta(some):
                words.append(some)
            case ArtifactEnded(artifact):
                if "".join(words).strip():
                    yield "".join(words)
                words.clear()
                yield artifact
            case ArtifactStarted() | ArtifactDelta():
                pass
    if "".join(words).strip():
        yield "".join(words)


def opened_fence(line: str) -> str | None:
    """Return the information string of the fence that a line opens; None if it opens none."""
    opening = FENCE_OPENING.match(line.rstrip("\r\n"))
    # One after backticks holds none itself: that would be code within a sentence.
    if opening is None or (opening[1].startswith("`") and "`" in opening[2]):
        return None
    return opening[2].strip()


def closes_fence(line: str, opening: str) -> bool:
    """Return whether a line closes the fence that the line `opening` has opened."""
    begun, closing = FENCE_OPENING.match(opening.rstrip("\r\n")), _CLOSING.fullmatch(line)
    return begun is not None and closing is not None and closing[1].startswith(begun[1])


def _merge_deltas(events: list[ArtifactEvent]) -> list[ArtifactEvent]:
    """Join neighbouring deltas of one kind, so that each is shown once."""
    joined: list[ArtifactEvent] = []
    for event in events:
        match (joined[-1] if joined else None), event:
            case TextDelta(before), TextDelta(text):
                joined[-1] = TextDelta(before + text)
            case ArtifactDelta(before), ArtifactDelta(text):
                joined[-1] = ArtifactDelta(before + text)
            case _:
                joined.append(event)
    return joined
