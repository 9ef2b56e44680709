"""The text of a file that is decoded as a whole, and how its letters were written."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.kinds import is_utf16

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What calls itself latin-1 is read as cp1252 by every browser.
AS_CP1252 = {"iso8859-1", "ascii"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and its encoding."""

    text: str
    encoding: str


def decoded(content: bytes, *, chosen: str | None = None, said: Sequence[str] = ()) -> Decoded:
    """By what was chosen, its mark, what it says itself, or what fits."""
    marked = next((name for mark, name in MARKS if content.startswith(mark)), None)
    guessed = is_utf16(content[: refused.HEAD_BYTES])
    for name in (chosen, marked, guessed, *said, "utf-8", "cp1252"):
        try:
            encoding = codecs.lookup(name).name if name else ""
            if encoding in AS_CP1252:
                encoding = "cp1252"
            if encoding:
                return Decoded(content.decode(encoding), encoding)
        except (LookupError, UnicodeError):
            continue  # not what it says it is
    return Decoded(content.decode("latin-1"), "latin-1")
