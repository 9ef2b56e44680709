"""Zip packages of workbooks and documents, whichever separator their paths have."""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO
from xml.parsers import expat

PIECE_BYTES = 2**20
LARGEST_PART = 2**26  # of XML that is looked through


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
