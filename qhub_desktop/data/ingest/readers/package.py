"""Packages: the zip archives that workbooks and documents are, whatever parts their folders."""

import zipfile
from pathlib import Path
from typing import IO


def open_package(file: Path | IO[bytes]) -> zipfile.ZipFile:
    """Open a package; its parts have names with slashes, though some programs write backslashes.

    Excel opens those all the same.
    """
    package = zipfile.ZipFile(file)
    for entry in package.infolist():
        if "\\" in entry.filename:
            entry.filename = entry.filename.replace("\\", "/")
            package.NameToInfo[entry.filename] = entry
    return package
