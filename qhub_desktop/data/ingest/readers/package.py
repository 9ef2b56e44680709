"""Packages: the zip archives that workbooks and documents are, and whether a file is whole."""

import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO
from xml.parsers import expat

PIECE_BYTES = 2**20
LARGEST_PART = 2**26  # of XML that is looked through
FIRST_PART_BYTES = 2**12
TAIL_BYTES = 2**16 + 22  # the end of an archive, with the longest comment
OLE_HEADER = 512
FREE_SECTOR = 0xFFFFFFFF
_ROOT = re.compile(rb"<([A-Za-z_][\w:.-]*)")


def open_package(file: Path | IO[bytes]) -> zipfile.ZipFile:
    """Open a package; its parts have names with slashes, though some programs write backslashes.

    Excel opens those all the same.
    """
    package = zipfile.ZipFile(file)
    for entry in package.infolist():
        if "\\" in entry.filename:
            package.NameToInfo.pop(entry.filename, None)
            entry.filename = entry.filename.replace("\\", "/")
            package.NameToInfo[entry.filename] = entry
    return package


def is_damaged(path: Path) -> bool:
    """Return whether the bytes of a package are wrong: by a check sum, or as XML."""
    with path.open("rb") as opened:
        if opened.read(2) != b"PK":
            return False
    try:
        with open_package(path) as package:
            for entry in package.infolist():
                is_xml = entry.filename.lower().endswith((".xml", ".rels"))
                is_read = is_xml and entry.file_size < LARGEST_PART
                parser = expat.ParserCreate() if is_read else None
                with package.open(entry) as part:
                    while piece := part.read(PIECE_BYTES):
                        if parser is not None:
                            parser.Parse(piece, False)  # noqa: FBT003  positional only
                if parser is not None:
                    parser.Parse(b"", True)  # noqa: FBT003  positional only
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, struct.error):
        return True
    except (NotImplementedError, RuntimeError, ValueError):  # packed or encrypted in other ways
        return False
    return False


def is_cut_off(path: Path) -> bool:
    """Return whether a file's end is not there, by the mark with which files of its kind end.

    Sources: PKWARE's APPNOTE 4.3.16, [MS-CFB] 2.2 and 2.3, the Parquet format, XML 1.0.
    """
    with path.open("rb") as opened:
        head = opened.read(FIRST_PART_BYTES)
        size = opened.seek(0, 2)
        opened.seek(max(0, size - TAIL_BYTES))
        tail = opened.read()
        if head.startswith(b"PK"):
            return b"PK\x05\x06" not in tail
        if head.startswith(b"PAR1"):
            return not tail.endswith(b"PAR1")
        if head.startswith(b"\xd0\xcf\x11\xe0"):
            return _is_ole_cut_off(head, opened, size)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and size % 2:
        return True
    root = _ROOT.search(head.replace(b"\0", b""))
    return root is not None and b"</" + root[1] not in tail.replace(b"\0", b"")


def _is_ole_cut_off(head: bytes, opened: IO[bytes], size: int) -> bool:
    """Return whether the table of sectors, or a sector that it gives out, lies behind the end."""
    if len(head) < OLE_HEADER:
        return True
    (shift,) = struct.unpack_from("<H", head, 30)
    if shift not in (9, 12):  # the header's bytes are wrong
        return False
    sector = 1 << shift
    tables = [each for each in struct.unpack_from("<109I", head, 76) if each < 0xFFFFFFFA]
    last = 0
    for number, place in enumerate(tables):
        opened.seek((place + 1) * sector)
        entries = opened.read(sector)
        if len(entries) < sector:
            return True
        used = [
            at
            for at, (each,) in enumerate(struct.iter_unpack("<I", entries))
            if each != FREE_SECTOR
        ]
        last = max(last, number * (sector // 4) + used[-1]) if used else last
    # A sound file's last sector may be short; one that cannot be opened was cut there.
    return bool((last + 1) * sector >= size) or size % sector > 0
