"""Files made worse at random: bits, pieces, members of zips, values in XML, letters of text."""

import io
import random
import re
import zipfile
import zlib
from collections.abc import Callable

# Where programs that read sizes and places stumble.
_NUMBERS: tuple[bytes, ...] = (
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"16385",
    b"1048577",
    b"2147483648",
    b"4294967295",
    b"99999999999999999999",
    b"1e308",
    b"NaN",
    b"",
    b"0.1",
)
_BYTES = (0, 0xFF, 0x80, 0x7F, 0x0A, 0x0D, 0x22, 0x1A, 0x3C)
_LETTERS = ('"', "'", ";", ",", "\t", "\0", "\r", "\n", "\ufeff", "\u2028", "é", "€", "\x1a", "|")
_ENCODINGS = ("utf-8", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "cp850", "utf-32", "utf-7")
_PIECE = 4_096
_LARGEST = 4 * 2**20  # what a mutated file may grow to, unpacked

_VALUE = re.compile(rb'="[^"<>]{0,40}"')
_INSIDE = re.compile(rb">[^<>]{1,40}<")
_TAG = re.compile(rb"<[^<>]{1,200}>")

Mutation = Callable[[random.Random, bytes, bytes], bytes]


def mutated(chance: random.Random, file: bytes, other: bytes) -> bytes:
    """The file made worse; `other` is where foreign pieces come from."""
    if not file:
        return other[: chance.randrange(200)]
    kinds = _ANY
    if file.startswith(b"PK\x03\x04"):
        kinds = (_parts, _parts, _parts, *_ANY)
    elif _is_text(file):
        kinds = (*_TEXT, *_TEXT, *_ANY)
    for _time in range(chance.choice((1, 1, 1, 2, 4))):
        file = chance.choice(kinds)(chance, file, other) or file
    return file


def _is_text(file: bytes) -> bool:
    return sum(file[:1_000].count(code) for code in range(9)) * 10 < len(file[:1_000])


def _bits(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    changed = bytearray(file)
    for _time in range(chance.choice((1, 2, 8, 64))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _values(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    changed = bytearray(file)
    start = chance.randrange(len(changed))
    for place in range(start, min(len(changed), start + chance.choice((1, 2, 4, 16)))):
        changed[place] = chance.choice(_BYTES)
    return bytes(changed)


def _cut(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    if chance.random() < 0.2:
        return file[chance.randrange(len(file)) :]
    return file[: chance.randrange(len(file))]


def _twice(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    start, end = _span(chance, file)
    piece = file[start:end] * chance.choice((1, 1, 2, 50))
    return (file[:end] + piece + file[end:])[:_LARGEST]


def _without(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    start, end = _span(chance, file)
    return file[:start] + file[end:]


def _swapped(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    (first, middle), (start, end) = sorted((_span(chance, file), _span(chance, file)))
    if middle > start:
        return file[:first]
    return file[:first] + file[start:end] + file[middle:start] + file[first:middle] + file[end:]


def _foreign(chance: random.Random, file: bytes, other: bytes) -> bytes:
    start, end = _span(chance, other) if other else (0, 0)
    place = chance.randrange(len(file))
    return file[:place] + other[start:end] + file[place:]


def _span(chance: random.Random, file: bytes) -> tuple[int, int]:
    start = chance.randrange(len(file))
    return start, min(len(file), start + chance.randrange(1, _PIECE))


_ANY: tuple[Mutation, ...] = (_bits, _values, _cut, _twice, _without, _swapped, _foreign)


def _letters(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    place = chance.randrange(len(file))
    put = chance.choice(_LETTERS) * chance.choice((1, 1, 1, 3, 3_000))
    return file[:place] + put.encode("utf-8") + file[place + chance.randrange(2) :]


def _lines(chance: random.Random, file: bytes, other: bytes) -> bytes:
    lines = file.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            lines.insert(place, chance.choice(lines))
        case 1:
            del lines[place]
        case 2:
            lines[place] = lines[place] * chance.choice((2, 300))
        case 3:
            lines.insert(place, b"".join(other.splitlines(keepends=True)[:5]))
        case _:
            chance.shuffle(lines)
    return b"".join(lines)[:_LARGEST]


def _recoded(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    text = file.decode("utf-8", "replace")
    return text.encode(chance.choice(_ENCODINGS), "replace")


def _written(chance: random.Random, file: bytes, _other: bytes) -> bytes:
    """A value, a text or a tag of the XML is another."""
    pattern, words = chance.choice(
        (
            (_VALUE, b'="%b"' % chance.choice(_NUMBERS)),
            (_VALUE, b""),
            (_INSIDE, b">%b<" % chance.choice(_NUMBERS)),
            (_TAG, b""),
            (_TAG, b"\\g<0>\\g<0>"),
        )
    )
    found = list(pattern.finditer(file))
    if not found:
        return file
    one = chance.choice(found)
    return file[: one.start()] + one.expand(words) + file[one.end() :]


_TEXT: tuple[Mutation, ...] = (_letters, _lines, _recoded, _written, _written)


def _parts(chance: random.Random, file: bytes, other: bytes) -> bytes:
    """A member of the zip is mutated, left out, renamed, or in another's place."""
    try:
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            if sum(each.file_size for each in archive.infolist()) > _LARGEST:
                return file
            parts = {each.filename: archive.read(each) for each in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, OSError, RuntimeError, ValueError, zlib.error):
        return _bits(chance, file, other)
    if not parts:
        return file
    name = chance.choice(list(parts))
    part = parts[name]
    match chance.randrange(8):
        case 0:
            del parts[name]
        case 1:
            parts[chance.choice(list(parts))] = part
        case 2:
            parts[name.swapcase()] = parts.pop(name)
        case 3:
            parts[name] = chance.choice(_ANY)(chance, part, other) if part else other
        case _:
            for _time in range(chance.choice((1, 1, 3, 10))):
                parts[name] = part = chance.choice(_TEXT)(chance, part or b" ", other) or b" "
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for each, content in parts.items():
            made.writestr(zipfile.ZipInfo(each), content)
    return target.getvalue()
