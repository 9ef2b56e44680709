"""Rejection of files that cannot be read: sentences with what to do instead; files under lock."""

import errno
import os
import shutil
import sys
from pathlib import Path
from typing import BinaryIO, Protocol

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop

COPY = "copy"
# What Windows says: a full disk (39, 112), and a share that does not answer.
WINDOWS_FULL = {39, 112}
WINDOWS_GONE = {53, 54, 55, 59, 64, 65, 67, 121, 1231, 1232, 1236}
FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
GONE = {
    getattr(errno, name)
    for name in ("EIO", "ENODEV", "ENXIO", "ENOTCONN", "ENETDOWN", "ENETUNREACH", "EHOSTDOWN",
                 "EHOSTUNREACH", "ESTALE", "ETIMEDOUT", "EREMOTEIO")
    if hasattr(errno, name)
}  # fmt: skip

HEAD_BYTES = 65_536
UNPACKED_LIMIT_BYTES = 2**30
CELLS_LIMIT = 25_000_000  # that a sheet's used range may span; 1,048,576 rows of 23 columns

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SAVE_AS = gettext_noop(
    "In Excel, use Save As, choose 'Excel Workbook (.xlsx)', and drop that file."
)

OLD_EXCEL = gettext_noop("{file} is an Excel file of a very old kind.")
LOCKED = gettext_noop("{file} is protected by a password.")
UNLOCK = gettext_noop("Open it in Excel, remove the password under File, Info, and drop it again.")
UNLOCK_ELSEWHERE = gettext_noop(
    "Open it where it was made, save it without a password, and drop it again."
)
TYPE_PASSWORD = gettext_noop("Type it, or ask whoever made the file.")
WRONG_PASSWORD = gettext_noop("The password of {file} is another one.")
TYPE_AGAIN = gettext_noop("Type it again, minding capitals, or ask whoever made the file.")
OTHER_LOCK = gettext_noop("{file} is protected in a way that can not be opened here.")
PICTURE = gettext_noop("{file} is a picture, and only tables can be read.")
PDF = gettext_noop("{file} is a PDF, and only tables can be read.")
DOCUMENT = gettext_noop("{file} is a document, and only tables can be read.")
DATABASE = gettext_noop("{file} is a database, and only tables can be read.")
FROM_SOURCE = gettext_noop("Export the data as .xlsx or .csv, and drop that file.")
ARCHIVE = gettext_noop("{file} is a compressed archive.")
NESTED = gettext_noop("{file} is an archive inside an archive.")
EMPTY_ARCHIVE = gettext_noop("{file} is an archive without a table in it.")
UNPACK = gettext_noop("Unpack it, and drop the files that are in it.")
NO_TABLE = gettext_noop("{file} is a web page without a table.")
OTHER_XML = gettext_noop("{file} is XML of a kind that holds no spreadsheet.")
OTHER_JSON = gettext_noop("{file} is JSON, but not a list of records.")
OTHER = gettext_noop("{file} is not a table that can be read.")
EMPTY = gettext_noop("{file} is empty.")
EXPORT_AGAIN = gettext_noop("Export it again, and drop the new file.")
BROKEN = gettext_noop("{file} is damaged or was not copied to its end.")
TOO_LARGE = gettext_noop("{file} would take more than 1 GB once unpacked.")
TOO_LONG = gettext_noop("{file} is too large to be read as what it is.")
AS_TEXT = gettext_noop("Export the data as .csv, and drop that file.")
SPLIT = gettext_noop("Save the part that you need as a file of its own, and drop that.")
UNSAFE = gettext_noop(
    "{file} contains XML declarations that no real spreadsheet has, so it was not opened."
)
OWNER = gettext_noop("{file} is only Excel's note that a workbook is open.")
DROP_REAL = gettext_noop(
    "Drop the workbook itself: the file without '~$' at the start of its name."
)


class Named(Protocol):
    """A file with the name that sentences use."""

    @property
    def name(self) -> str:
        """The name as the person knows it."""
        ...


def refusal(file: Named, what: str, step: str) -> UserError:
    """Return the error with its sentence and next step, in the person's language."""
    return UserError(f"{_(what).format(file=file.name)} {_(step)}")


def check_range(
    file: Named, sheet: str, *, rows: int, columns: int, corner: str, values: int
) -> None:
    """Raise UserError for a sheet whose used range is far larger than what it holds.

    A reader that lays out the whole range would take all the memory there is, and die of it.
    """
    if rows * columns <= CELLS_LIMIT:
        return
    raise UserError(
        _(
            "In {file}, the sheet '{sheet}' reaches as far as the cell {corner}, with {values}"
            " cells filled on the way: too far to be read. In Excel, delete what stands far from"
            " the table, save, and drop the file again."
        ).format(file=file.name, sheet=sheet, corner=corner, values=values)
    )


def explain_os_error(error: OSError, name: str) -> UserError:
    """Return the error for a person: why reading or storing that file failed, and what to do."""
    code = getattr(error, "winerror", None)
    if error.errno in FULL or code in WINDOWS_FULL:
        text = _("There is no room left on the disk for {file}. Make some, and drop it again.")
    elif isinstance(error, FileNotFoundError) and code not in WINDOWS_GONE:
        text = _("{file} is no longer there. Choose the file again.")
    elif isinstance(error, IsADirectoryError):
        text = _("{file} is a folder. Drop the files that are in it.")
    elif isinstance(error, PermissionError):
        text = _(
            "{file} can not be read: another program holds it, or it may not be read from this"
            " account. Close it there, or copy it to your own folder, and drop it again."
        )
    elif isinstance(error, TimeoutError) or error.errno in GONE or code in WINDOWS_GONE:
        text = _(
            "The drive that {file} is on does not answer. Check the network, or copy the file to"
            " this computer, and drop it again."
        )
    else:
        text = _(
            "{file} could not be read or stored. Check that the disk has room and that the file is"
            " not in use, and drop it again."
        )
    return UserError(text.format(file=name))


def readable_copy(path: Path, folder: Path) -> Path:
    """Return the file itself, or a copy in `folder` if another program locks it.

    Excel leaves a workbook that it has open readable, but only to those who let it go on writing,
    which Python does not and many libraries do not: those get a copy. Raises OSError.
    """
    if _is_free(path):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{COPY}{path.suffix}"
    with _shared(path) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, 2**20)
    return target


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    GENERIC_READ = 0x80000000
    SHARE_READ, SHARE_ALL = 1, 1 | 2 | 4  # all: others may read, write and delete meanwhile
    OPEN_EXISTING = 3
    SHARING_VIOLATION, LOCK_VIOLATION = 32, 33
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

    def _handle(path: Path, share: int) -> int:
        handle = _create(str(path), GENERIC_READ, share, None, OPEN_EXISTING, 0, None)
        if handle == INVALID_HANDLE:
            raise ctypes.WinError(ctypes.get_last_error())
        return int(handle)

    def _is_free(path: Path) -> bool:
        """Return whether a reader that lets nobody write can open the file."""
        try:
            handle = _handle(path, SHARE_READ)
        except OSError as error:
            if error.winerror in (SHARING_VIOLATION, LOCK_VIOLATION):
                return False
            raise
        os.close(msvcrt.open_osfhandle(handle, os.O_RDONLY))
        return True

    def _shared(path: Path) -> BinaryIO:
        """Return the file opened for reading, whatever others do with it."""
        descriptor = msvcrt.open_osfhandle(_handle(path, SHARE_ALL), os.O_RDONLY | os.O_BINARY)
        return os.fdopen(descriptor, "rb")

else:

    def _is_free(path: Path) -> bool:
        """Return True, as no program locks files here; raise OSError if it cannot be opened."""
        path.open("rb").close()
        return True

    def _shared(path: Path) -> BinaryIO:
        return path.open("rb")
