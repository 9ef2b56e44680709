"""Files that others may have written: opened only if they are files, parsed up to a size and depth.

A pipe would be waited for, a device has no end, a link leads to what nobody has chosen. Deeply
nested, huge or ambiguous JSON and TOML become one exception whose text is the reason.
"""

# Why it is so: decisions/text-from-outside.md

import errno
import json
import math
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.paths import is_link, long_path, retry_while_held
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import is_device_name, number
from qhub_desktop.core.untrusted import map_texts, one_line, sanitize

DEEPEST = 100  # levels; the deepest that is stored, a model's input of a tool, has 60
MOST_VALUES = 10_000_000  # of 64 MB of numbers; as empty lists they take 700 MB of memory
LARGEST_INTEGER = 2**63  # of TOML, by its specification
MOST_KEY_PARTS = 10  # of a dotted key: tomllib takes the square of their number


class MalformedContentError(ValueError):
    """The content is not what was expected; the text is the reason, without a full stop."""


class IrregularFileError(FileExistsError):
    """Something else stands where a file is expected: a pipe, a device, a socket, or a link where
    none is followed. `strerror` is the reason.
    """

    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(errno.EEXIST, reason, str(path))


def open_regular(path: Path, *, follows_links: bool = True) -> BufferedReader | BytesIO:
    """Open a file for reading, whatever others do with it; never wait for a pipe or a device.

    Raises IrregularFileError, IsADirectoryError, and OSError as opening does.
    """

    def look_and_open() -> int:
        check_regular(path, follows_links=follows_links)
        return _descriptor(path, follows_links=follows_links)

    descriptor = retry_while_held(look_and_open)
    with ExitStack() as undo:
        undo.callback(os.close, descriptor)
        # It may have been exchanged since it was looked at.
        now = os.fstat(descriptor)
        _check_mode(path, now.st_mode)
        if now.st_size == 0:
            # The system's own files, as /proc/kmsg, say so too, and keep their reader waiting.
            return BytesIO()
        if sys.platform != "win32":
            os.set_blocking(descriptor, True)
        undo.pop_all()
        return os.fdopen(descriptor, "rb")


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    GENERIC_READ = 0x80000000
    SHARE_ALL = 1 | 2 | 4  # others may read, write and delete meanwhile
    OPEN_EXISTING = 3
    OPEN_REPARSE_POINT = 0x00200000  # the link itself, which is no file then
    INVALID_HANDLE = wintypes.HANDLE(-1).value

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _create = _kernel.CreateFileW
    _create.restype = wintypes.HANDLE
    _create.argtypes = (
        wintypes.LPCWSTR,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.LPVOID,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.HANDLE,
    )

    def _descriptor(path: Path, *, follows_links: bool) -> int:
        name = str(long_path(path))
        flags = 0 if follows_links else OPEN_REPARSE_POINT
        handle = _create(name, GENERIC_READ, SHARE_ALL, None, OPEN_EXISTING, flags, None)
        if handle == INVALID_HANDLE:
            raise ctypes.WinError(ctypes.get_last_error())
        return msvcrt.open_osfhandle(int(handle), os.O_RDONLY | os.O_BINARY)

else:

    def _descriptor(path: Path, *, follows_links: bool) -> int:
        # No program locks files here; but a pipe would be waited for.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        return os.open(path, flags if follows_links else flags | os.O_NOFOLLOW)


def read_regular(path: Path, *, most_bytes: int, follows_links: bool = True) -> bytes:
    """Read a whole file.

    Raises MalformedContentError for one that is larger, and like `open_regular`.
    """
    with open_regular(path, follows_links=follows_links) as file:
        if file.seek(0, os.SEEK_END) <= most_bytes:
            file.seek(0)
            content = file.read(most_bytes + 1)  # it may have grown
            if len(content) <= most_bytes:
                return content
    size = number(most_bytes / 1_000_000)
    raise MalformedContentError(_("it has more than {size} MB").format(size=size))


def check_regular(path: Path, *, follows_links: bool = True) -> None:
    """Raise what `open_regular` does for what is no file, without opening it."""
    if sys.platform == "win32" and (is_device_name(path.name) or is_device_path(str(path))):
        raise IrregularFileError(_("it is a device or a pipe, not a file"), path)
    if not follows_links and is_link(path):
        raise IrregularFileError(_("it is a link, and the file itself is wanted"), path)
    try:
        seen = long_path(path).stat()
    except ValueError as error:  # NUL, or a half character, which no file's name has
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from error
    _check_mode(path, seen.st_mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, _("it is a folder"), str(path))
    if not stat.S_ISREG(mode):
        raise IrregularFileError(_("it is a device or a pipe, not a file"), path)


_DEVICE_PATH = re.compile(
    r"""[\\/]{2} (?: \.[\\/] | \?[\\/](?! (?:[a-z]:|unc)[\\/] )  # but a long path
        | [^\\/]+[\\/]pipe[\\/] )  # of another computer""",
    re.IGNORECASE | re.VERBOSE,
)


def is_device_path(path: str) -> bool:
    r"""Return whether a path of Windows names a device, as \\.\COM10 and \\?\pipe\x do."""
    return bool(_DEVICE_PATH.match(path))


def decoded(content: bytes) -> str:
    """Decode text in UTF-8, with Windows' mark or without. Raises MalformedContentError."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedContentError(_("it is not text in UTF-8")) from error


# What no encoder and no database takes: halves of a character, and NUL.
_BROKEN_TEXT = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")
# Texts and comments of TOML, which may hold what looks like a key. One that is not closed goes on
# to the end, or each quotation mark of a hostile file would be a new beginning.
_QUOTED = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z) | \'{3}.*?(?:\'{3}|\Z)
        | "(?:[^"\\\n]|\\.)*+"? | '[^'\n]*+'? | \#[^\n]*+""",
    re.DOTALL | re.VERBOSE,
)
_LONG_KEY = re.compile(
    rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{MOST_KEY_PARTS}}}", re.ASCII
)


@cache
def _decoder() -> json.JSONDecoder:
    # Made once: `json.loads` makes one for each call, a fifth of what a short text takes.
    return json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def parse_json(content: bytes | str) -> Json:
    """Parse JSON; half characters and NULs in its texts are replaced, as in others from outside.

    Raises MalformedContentError for anything that is not sound in every value: cut off, too deep,
    too large, a name twice in an object, a number that is none.
    """
    text = decoded(content) if isinstance(content, bytes) else content
    marks = text.count("[") + text.count("{") + text.count(",")
    if marks > MOST_VALUES:
        raise MalformedContentError(_("it holds too many values"))
    try:
        value: Json = _decoder().decode(text)
    except MalformedContentError:
        raise
    except json.JSONDecodeError as error:
        raise MalformedContentError(
            _("it is cut off, or is not JSON: line {line}").format(line=error.lineno)
        ) from error
    except ValueError as error:
        raise _too_long() from error
    except RecursionError as error:
        raise _too_deep() from error
    except MemoryError as error:
        raise MalformedContentError(_("it holds too many values")) from error
    for depth, values in enumerate(_levels(value)):
        if depth > DEEPEST:
            raise _too_deep()
        if math.inf in values or -math.inf in values:  # '1e999'
            raise _no_such_number("1e999")
    return map_texts(value, sanitize) if _BROKEN_TEXT.search(text) else value


def parse_object(content: bytes | str) -> JsonObject:
    """Parse JSON that is an object. Raises MalformedContentError."""
    value = parse_json(content)
    if not isinstance(value, dict):
        raise MalformedContentError(_("it is not an object of names and values"))
    return value


def parse_toml(content: bytes | str) -> dict[str, Any]:
    """Parse TOML. Raises MalformedContentError; of what is no TOML, its text tells the place."""
    import tomllib  # not before the first paint

    text = decoded(content) if isinstance(content, bytes) else content
    if _LONG_KEY.search(_QUOTED.sub("x", text)):
        raise _too_deep()
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedContentError(str(error)) from error
    except RecursionError as error:
        raise _too_deep() from error
    except MemoryError as error:
        raise MalformedContentError(_("it holds too many values")) from error
    except ValueError as error:
        raise _too_long() from error
    for depth, values in enumerate(_levels(value)):
        if depth > DEEPEST:
            raise _too_deep()
        for each in values:
            if isinstance(each, float) and not math.isfinite(each):
                raise _no_such_number(str(each))
            if isinstance(each, int) and abs(each) >= LARGEST_INTEGER:
                raise _too_long()
    return value


def is_deeper(value: Json, levels: int) -> bool:
    """Return whether lists and objects are nested in more levels than so many."""
    return any(depth >= levels for depth, _values in enumerate(_levels(value), 0))


def _levels(value: object) -> Iterator[list[Any]]:
    """Yield all that stands in a value, level by level, from the value itself on."""
    level = [value]
    while level:
        yield level
        level = [
            each
            for outer in level
            if type(outer) is list or type(outer) is dict
            for each in (outer.values() if type(outer) is dict else outer)
        ]


def _too_deep() -> MalformedContentError:
    return MalformedContentError(_("it is nested too deeply"))


def _object(pairs: Sequence[tuple[str, Json]]) -> JsonObject:
    made = dict(pairs)
    if len(made) < len(pairs):
        (twice, _count), *_others = Counter(name for name, _value in pairs).most_common()
        raise MalformedContentError(
            _("the name '{name}' stands twice in one object").format(name=one_line(twice, most=40))
        )
    return made


def _too_long() -> MalformedContentError:
    # Python converts 4,300 digits: more take the square of their number.
    return MalformedContentError(_("it has a number of too many digits"))


def _no_such_number(written: str) -> MalformedContentError:
    return MalformedContentError(
        _("it has a number that cannot be used: {number}").format(number=one_line(written, most=20))
    )


def _no_number(written: str) -> Json:
    raise _no_such_number(written)
