"""Takes the languages that the program does not speak out of ICU's data, of which there are two.

Qt has one on Linux, sorts texts by it, and knows names of time zones and old encodings from it: 30
MB of 32 go. The web engine has its own: what breaks lines and reads encodings stays for all
languages; order, names and formats for a few. What is asked for in another language is answered as
Unicode's default has it, or English. Windows has an ICU of its own for the rest.

Sources: ICU's udata.h and ucmndata.h (a table of names and offsets, sorted, and what they name),
and the format of ELF.
"""

import re
import struct
from collections.abc import Callable, Collection
from pathlib import Path

PAGE = 4096
ALIGNMENT = 16
MAGIC = b"\xda\x27"
FORMAT = b"CmnD"
ELF = "<16sHHIQQQIHHHHHH"
SEGMENT = "<IIQQQQQQ"
LOAD = 1
SPOKEN = ("root", "pt", "en")
OF_PAGES = (*SPOKEN, "de", "es", "fr")  # those of a plant's customers
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)?")
NO_LOCALES = {"res_index"}
# Converters, security profiles, names of characters; all folders but that of collation.
UNUSED = (".cnv", ".spp", ".cfu", "unames.icu")
FOLDER_KEPT = "coll"
KEPT_FOR_PAGES = "brkitr"


def shrink(library: Path) -> None:
    """Rewrite a libicudata with what Qt needs. Raises ValueError for one of another make."""
    content, start = library.read_bytes(), PAGE
    header = list(struct.unpack_from(ELF, content))
    segments_at, size, count = header[5], header[9], header[10]
    segments = [
        list(struct.unpack_from(SEGMENT, content, segments_at + size * each))
        for each in range(count)
    ]
    known = content[start + 2 : start + 4] + content[start + 12 : start + 16]
    if not segments or segments[0][0] != LOAD or segments[0][2] or known != MAGIC + FORMAT:
        raise ValueError(f"{library.name} is not laid out as it was")
    first = segments[0]
    data = smaller(content[start : first[5]], is_needed)
    end = start + len(data)
    # What comes after keeps its addresses, and its place in a page.
    cut = (first[5] - end) // PAGE * PAGE
    kept = content[:start] + data + bytes(first[5] - cut - end) + content[first[5] :]
    first[5] = first[6] = first[5] - cut
    for each in segments[1:]:
        each[2] -= cut if each[2] >= end else 0
    made = bytearray(kept)
    for number, each in enumerate(segments):
        struct.pack_into(SEGMENT, made, segments_at + size * number, *each)
    header[6] = header[12] = header[13] = 0  # sections, which no loader reads
    struct.pack_into(ELF, made, 0, *header)
    last = max(each[2] + each[5] for each in segments)
    library.write_bytes(bytes(made[:last]))


def shrink_for_pages(file: Path) -> None:
    """Rewrite the web engine's icudtl.dat with what pages need. Raises ValueError as above."""
    data = file.read_bytes()
    if data[2:4] + data[12:16] != MAGIC + FORMAT:
        raise ValueError(f"{file.name} is not laid out as it was")
    file.write_bytes(smaller(data, is_needed_by_pages))


def smaller(data: bytes, is_kept: Callable[[str], bool]) -> bytes:
    """Return a table of ICU's data with the items that are kept."""
    (head,) = struct.unpack_from("<H", data)
    (count,) = struct.unpack_from("<I", data, head)
    offsets = struct.unpack_from(f"<{2 * count}I", data, head + 4)
    names = [data[head + at : data.index(b"\0", head + at)] for at in offsets[::2]]
    ends = (*offsets[3::2], len(data) - head)
    items = [
        (name, data[head + at : head + end])
        for name, at, end in zip(names, offsets[1::2], ends, strict=True)
        if is_kept(name.decode())
    ]
    texts = b"".join(name + b"\0" for name, _item in items)
    table_bytes = 4 + 8 * len(items)
    at = table_bytes + len(texts)
    at += -(head + at) % ALIGNMENT
    texts = texts.ljust(at - table_bytes, b"\0")
    table, name_at, body = struct.pack("<I", len(items)), table_bytes, b""
    for name, item in items:
        table += struct.pack("<II", name_at, at + len(body))
        name_at += len(name) + 1
        body += item.ljust(len(item) + -len(item) % ALIGNMENT, b"\0")
    return data[:head] + table + texts + body


def is_needed(name: str) -> bool:
    """Return whether an item is kept, such as `icudt73l/coll/pt.res`."""
    *folders, file = name.split("/")[1:]
    if folders not in ([], [FOLDER_KEPT]) or file.endswith(UNUSED):
        return False
    return is_one_of(SPOKEN, file)


def is_needed_by_pages(name: str) -> bool:
    """Return whether an item is kept for pages."""
    *folders, file = name.split("/")[1:]
    return folders == [KEPT_FOR_PAGES] or not file.endswith(".res") or is_one_of(OF_PAGES, file)


def is_one_of(languages: Collection[str], file: str) -> bool:
    """Return whether a file is of one of these languages, or of none."""
    stem = file.partition(".")[0]
    if stem in NO_LOCALES or not LOCALE.fullmatch(stem):
        return True
    return stem.partition("_")[0] in languages
