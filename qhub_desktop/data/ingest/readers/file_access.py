"""Getting at a file that another program holds, and saying what is wrong where that fails."""

import errno
import os
import shutil
import sys
from pathlib import Path
from typing import BinaryIO

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _

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


def readable_copy(path: Path, folder: Path) -> Path:
    """The file itself, or a copy in `folder` where another program keeps readers out.

    Excel leaves a workbook that it has open readable, but only to those who let it go on writing,
    which Python does and many libraries do not: those get a copy. Raises OSError.
    """
    if _is_free(path):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{COPY}{path.suffix}"
    with _shared(path) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, 2**20)
    return target


def sentence_of(error: OSError, name: str) -> UserError:
    """What a failed reading or storing of that file means to the person, and what to do."""
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
        """Whether a reader that lets nobody write gets at the file."""
        try:
            handle = _handle(path, SHARE_READ)
        except OSError as error:
            if error.winerror in (SHARING_VIOLATION, LOCK_VIOLATION):
                return False
            raise
        os.close(msvcrt.open_osfhandle(handle, os.O_RDONLY))
        return True

    def _shared(path: Path) -> BinaryIO:
        """The file opened for reading, whatever others do with it."""
        descriptor = msvcrt.open_osfhandle(_handle(path, SHARE_ALL), os.O_RDONLY | os.O_BINARY)
        return os.fdopen(descriptor, "rb")

else:

    def _is_free(path: Path) -> bool:
        """Nobody keeps a reader out here, but the file may be gone or not be ours to read."""
        path.open("rb").close()
        return True

    def _shared(path: Path) -> BinaryIO:
        return path.open("rb")
