"""Large XML read piece by piece; what could make a parser explode is refused."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Protocol
from xml.parsers import expat

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.sheet import Source

CHUNK_BYTES = 2**18

Open = Callable[[], AbstractContextManager[IO[bytes]]]


class Elements(Protocol):
    """What is told of a document's elements. Names are '<namespace> <local name>'."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        ...

    def end(self, name: str) -> None:
        """An element has come to its end."""
        ...

    def text(self, text: str) -> None:
        """Text between elements, perhaps not all of it."""
        ...


def read_xml(source: Source, opened: Open, elements: Elements) -> Iterator[int]:
    """Tell of every element; pauses after each piece, giving how many bytes were read so far."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = elements.start
    parser.EndElementHandler = elements.end
    parser.CharacterDataHandler = elements.text
    parser.StartDoctypeDeclHandler = lambda *_declared: _refuse(source)
    size = 0
    try:
        with opened() as stream:
            while chunk := stream.read(CHUNK_BYTES):
                parser.Parse(chunk, False)  # noqa: FBT003  positional only
                size += len(chunk)
                yield size
            parser.Parse(b"", True)  # noqa: FBT003  positional only
    except (
        EOFError,
        NotImplementedError,
        expat.ExpatError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,  # a declared encoding that does not exist
    ) as error:
        raise refused.refusal(source, refused.BROKEN, refused.EXPORT_AGAIN) from error


def names_of(source: Source, opened: Open, element: str, attribute: str) -> list[str]:
    """What all elements of one name are called, in order."""
    names = _Names(element, attribute)
    for _size in read_xml(source, opened, names):
        pass
    return names.found


class _Names:
    def __init__(self, element: str, attribute: str) -> None:
        self._element = element
        self._attribute = attribute
        self.found: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._element:
            self.found.append(attributes.get(self._attribute, ""))

    def end(self, name: str) -> None:
        """Nothing to do."""

    def text(self, text: str) -> None:
        """Nothing to do."""


def _refuse(source: Source) -> None:
    raise refused.refusal(source, refused.UNSAFE, refused.FROM_SOURCE)
