"""Header of a model file in GGUF: what it says of itself, read within bounds.

A model file is untrusted: nothing is believed before it has been compared with the file's size, and
nothing of it is given to the engine before this has read it. Its format stands in the specification
of ggml (docs/gguf.md).
"""

import mmap
import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.untrusted_files import open_regular
from qhub_desktop.core.values import dataclass

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_ENTRIES = 10_000
MOST_TENSORS = 100_000
MOST_TEXT_BYTES = 4 * 2**20  # of one text: a template may have 100 KB
MOST_VALUES = 4 * 2**20  # of one list: a vocabulary has up to 260,000
MOST_CONTEXT = 2**24
NAME_CHARACTERS = 80
# Kinds of values: how `struct` reads those of one size; of the others 8 is a text and 9 a list.
_SIZED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
# Values in one block of a kind of tensor, and its bytes (ggml's `type_traits`).
BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
    41: (128, 18),
}
# Families that make vectors, or read pictures, and write nothing.
_WITHOUT_WORDS = re.compile(r"bert|t5encoder|clip|wavtokenizer|embedding|rerank")
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)")


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """What a model file says of itself: sizes in bytes, `context` in tokens.

    `knows_tools` where its chat template has a place for them.
    """

    name: str
    architecture: str
    licence: str
    size: int
    parameters: int
    context: int
    token_bytes: int  # of the memory of one token of context
    knows_tools: bool

    def memory(self, context: int) -> int:
        """Estimate the bytes that it needs with so many tokens of context."""
        return self.size + context * self.token_bytes + WORKING_BYTES

    def as_object(self) -> JsonObject:
        """Return it as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


WORKING_BYTES = 400 * 2**20  # for what is computed with, and the program itself


class _CutShortError(Exception):
    """The file ends before what it announces."""


class _AbsurdError(Exception):
    """The file announces what no model has."""


def read_header(path: Path) -> ModelHeader:
    """Read the header of a model file, and of the parts of one that was split.

    Raises UserError, which says why it cannot be used.
    """
    try:
        if path.suffix.lower() != ".gguf":
            raise UserError(_("{file} is not a model file (.gguf).").format(file=_shown(path)))
        header = _read(path)
        parts = _PART.search(path.name)
        if parts is None:
            return header
        size = header.size
        for number in range(2, int(parts[2]) + 1):
            other = path.with_name(_PART.sub(f"-{number:05d}-of-{parts[2]}", path.name))
            if not other.is_file():
                missing = _("A part of this model is missing: {file}. Copy it beside the first.")
                raise UserError(missing.format(file=_shown(other)))
            size += other.stat().st_size
        return replace(header, size=size)
    except FileNotFoundError as error:
        raise UserError(
            _("{file} is not there any more. Copy it again, or choose another model.").format(
                file=_shown(path)
            )
        ) from error
    except OSError as error:
        raise UserError(
            _("{file} cannot be read: {reason}").format(file=_shown(path), reason=reason_of(error))
        ) from error
    except _CutShortError as error:
        raise UserError(
            _("{file} is cut short. Copy it again, the whole of it.").format(file=_shown(path))
        ) from error
    except (_AbsurdError, UnicodeDecodeError, struct.error, ValueError, OverflowError) as error:
        raise UserError(
            _("{file} is damaged, or not a model file. Copy it again.").format(file=_shown(path))
        ) from error


def _shown(path: Path) -> str:
    return one_line(path.name, most=NAME_CHARACTERS)


def _read(path: Path) -> ModelHeader:
    with open_regular(path) as file:
        size = path.stat().st_size
        if file.read(4) != MAGIC or size < 24:
            raise UserError(_("{file} is not a model file (.gguf).").format(file=_shown(path)))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _header(_Reader(content), path)


class _Reader:
    """Reads values one after the other, none beyond the end of the file."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.at = 4

    def number(self, form: str) -> Any:
        size = struct.calcsize(f"<{form}")
        return struct.unpack(f"<{form}", self.bytes(size))[0]

    def bytes(self, count: int) -> bytes:
        if count > len(self.content) - self.at:
            raise _CutShortError
        self.at += count
        return self.content[self.at - count : self.at]

    def text(self) -> str:
        length = self.number("Q")
        if length > MOST_TEXT_BYTES:
            raise _AbsurdError
        return self.bytes(length).decode("utf-8", "replace")

    def value(self) -> Any:
        return self._of_kind(self.number("I"))

    def _of_kind(self, kind: int) -> Any:
        if kind in _SIZED:
            return self.number(_SIZED[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise _AbsurdError
        inner, count = self.number("I"), self.number("Q")
        if count > MOST_VALUES:
            raise _AbsurdError
        if inner in _SIZED:  # the largest of a list is all that is wanted of it
            size = struct.calcsize(f"<{_SIZED[inner]}")
            values = struct.unpack(f"<{count}{_SIZED[inner]}", self.bytes(count * size))
            return max(values, default=0)
        if inner != _TEXT:
            raise _AbsurdError
        for _each in range(count):
            length = self.number("Q")
            if length > len(self.content) - self.at:
                raise _CutShortError
            self.at += length
        return count


def _header(reader: _Reader, path: Path) -> ModelHeader:
    version, tensors, entries = (reader.number(each) for each in "IQQ")
    if version not in VERSIONS or tensors > MOST_TENSORS or entries > MOST_ENTRIES:
        raise _AbsurdError
    said: dict[str, Any] = {}
    for _each in range(entries):
        key = reader.text()
        said[key] = reader.value()
    parameters = _check_tensors(reader, tensors, said)
    architecture = str(said.get("general.architecture", ""))
    _check_kind(said, architecture, path)

    def number(key: str) -> int:
        value = said.get(f"{architecture}.{key}", 0)
        return value if isinstance(value, int) and 0 <= value < MOST_CONTEXT else 0

    heads = number("attention.head_count_kv") or number("attention.head_count")
    of_head = number("embedding_length") // max(number("attention.head_count"), 1)
    key_size = number("attention.key_length") or of_head
    value_size = number("attention.value_length") or of_head
    name = said.get("general.name")
    return ModelHeader(
        name=one_line(str(name), most=NAME_CHARACTERS) if name else _shown(path),
        architecture=one_line(architecture, most=NAME_CHARACTERS),
        licence=one_line(str(said.get("general.license", "")), most=NAME_CHARACTERS),
        size=len(reader.content),
        parameters=parameters,
        context=number("context_length"),
        token_bytes=2 * number("block_count") * heads * (key_size + value_size),
        knows_tools="tools" in str(said.get("tokenizer.chat_template", "")),
    )


def _check_tensors(reader: _Reader, count: int, said: Mapping[str, Any]) -> int:
    """Return how many parameters there are, once each tensor is known to lie within the file."""
    parameters = end = 0
    for _each in range(count):
        reader.text()
        dimensions = reader.number("I")
        if dimensions > 8:
            raise _AbsurdError
        values = 1
        for _dimension in range(dimensions):
            values *= reader.number("Q")
        kind, offset = reader.number("I"), reader.number("Q")
        in_block, block = BLOCKS.get(kind, (1, 0))
        parameters += values
        end = max(end, offset + values // in_block * block)
    alignment = said.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= 2**16:
        raise _AbsurdError
    if -(-reader.at // alignment) * alignment + end > len(reader.content):
        raise _CutShortError
    return parameters


def _check_kind(said: Mapping[str, Any], architecture: str, path: Path) -> None:
    """Raise UserError where the file holds something else than a model that writes."""
    is_other = said.get("general.type", "model") != "model" or not architecture
    is_other |= f"{architecture}.pooling_type" in said
    if is_other or _WITHOUT_WORDS.search(architecture):
        raise UserError(
            _(
                "{file} does not hold a model that writes answers (it makes vectors, reads pictures"
                " or is a part of another). Choose a chat model."
            ).format(file=_shown(path))
        )
    parts = said.get("split.count", 0)
    with suppress(TypeError, ValueError):
        if int(parts) > 1 and not _PART.search(path.name):
            raise UserError(
                _(
                    "{file} is one part of a model in {count} files. Give the files back the names"
                    " that they were copied with, and choose the first."
                ).format(file=_shown(path), count=int(parts))
            )
    if int(said.get("split.no", 0) or 0) > 0:
        raise UserError(_("This is not the first part of the model: choose the file of part 1."))
