"""Permissions of the data folder: the person's alone, checked at every start and mended.

A folder that is private closes all below it, so what lies in it is looked at, and what lies deeper
only where a folder was open. Nobody is refused for want of it: a share or a stick may know no
permissions, and what could not be had stands in the log.

A folder that several accounts of a computer use on purpose stays theirs: one that was moved
(`QHUB_HOME`, a portable copy) and is another account's, has in it what is, or a file `shared`.
"""

# Why it is so: decisions/data-folder.md

import errno
import logging
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from qhub_desktop.core.paths import data_folder, is_link, is_moved, make_files_private

_log = logging.getLogger(__name__)

SHARED_FILE = "shared"  # in the data folder: several accounts of this computer use it


def begin() -> None:
    """Have every later file of this program and its children made for the person alone."""
    # A name that is no text is told with the folder's first use.
    with suppress(OSError, ValueError):
        if not is_shared(data_folder()):
            make_files_private()


def is_shared(folder: Path) -> bool:
    """Return whether several accounts of this computer use a data folder on purpose."""
    if not is_moved():
        return False
    try:
        whole = folder.resolve()
        return (whole / SHARED_FILE).exists() or any(map(_is_of_others, (whole, *_inside(whole))))
    except OSError:  # it is not there, or cannot be looked into
        return False


def keep_private(folder: Path) -> None:
    """Close the data folder to other accounts, and what lies in it, where it is open.

    The system and its administrators keep their access. What cannot be changed is logged.
    """
    if is_shared(folder):
        _log.info("other accounts use the data folder, too: its permissions stay as they are")
        return
    top = folder.resolve()
    closed, trouble, waiting = 0, None, [top]
    while waiting:  # the outermost first: nobody exchanges what is in a folder that is closed
        path = waiting.pop()
        try:
            is_open = not is_link(path) and _is_open(path)  # a link may lead to no data of ours
            if is_open:
                _close(path)
                if _is_open(path):
                    raise PermissionError(errno.EPERM, "this disk keeps no permissions", str(path))
                closed += 1
            if path == top or (is_open and path.is_dir()):
                waiting += _inside(path)
        except FileNotFoundError:
            pass  # another program has taken it away meanwhile
        except OSError as error:
            trouble = error
    if closed:
        _log.info("%d files and folders were open to other accounts, and are no more", closed)
    if trouble is not None:
        _log.warning("other accounts may be able to read what is in the data folder: %s", trouble)


def _inside(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as found:
        for each in found:
            yield Path(each.path)


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes
    from functools import cache

    _FILE_OBJECT = 1  # SE_FILE_OBJECT
    _OWNER, _DACL, _PROTECTED = 0x1, 0x4, 0x80000000  # of SECURITY_INFORMATION
    _QUERY = 0x8  # TOKEN_QUERY
    _TOKEN_USER = 1
    _REVISION = 1  # SDDL_REVISION_1

    _advapi = ctypes.WinDLL("advapi32", use_last_error=True)
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _POINTER = ctypes.POINTER(ctypes.c_void_p)
    _kernel.GetCurrentProcess.restype = wintypes.HANDLE
    _kernel.LocalFree.argtypes = (ctypes.c_void_p,)
    _kernel.LocalFree.restype = ctypes.c_void_p
    _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    _advapi.OpenProcessToken.argtypes = (
        wintypes.HANDLE,
        wintypes.DWORD,
        ctypes.POINTER(wintypes.HANDLE),
    )
    _advapi.GetTokenInformation.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        ctypes.c_void_p,
        wintypes.DWORD,
        ctypes.POINTER(wintypes.DWORD),
    )
    _advapi.ConvertSidToStringSidW.argtypes = (ctypes.c_void_p, _POINTER)
    _advapi.GetNamedSecurityInfoW.argtypes = (
        wintypes.LPCWSTR,
        ctypes.c_int,
        wintypes.DWORD,
        *([_POINTER] * 5),
    )
    _advapi.GetNamedSecurityInfoW.restype = wintypes.DWORD
    _advapi.SetNamedSecurityInfoW.argtypes = (
        wintypes.LPWSTR,
        ctypes.c_int,
        wintypes.DWORD,
        *([ctypes.c_void_p] * 4),
    )
    _advapi.SetNamedSecurityInfoW.restype = wintypes.DWORD
    _advapi.ConvertSecurityDescriptorToStringSecurityDescriptorW.argtypes = (
        ctypes.c_void_p,
        wintypes.DWORD,
        wintypes.DWORD,
        _POINTER,
        ctypes.c_void_p,
    )
    _advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW.argtypes = (
        wintypes.LPCWSTR,
        wintypes.DWORD,
        _POINTER,
        ctypes.c_void_p,
    )
    _advapi.GetSecurityDescriptorDacl.argtypes = (
        ctypes.c_void_p,
        ctypes.POINTER(wintypes.BOOL),
        _POINTER,
        ctypes.POINTER(wintypes.BOOL),
    )

    def _is_of_others(path: Path) -> bool:
        try:
            return owner_in(_described(path)) not in {*SYSTEMS_OWN, _user()}
        except PermissionError:
            return True

    def _is_open(path: Path) -> bool:
        return bool(allowed_in(_described(path)) - {*SYSTEMS_OWN, _user()})

    def _close(path: Path) -> None:
        described = ctypes.c_void_p()
        _check(
            _advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW(
                private_acl(_user_sid()), _REVISION, ctypes.byref(described), None
            )
        )
        try:
            acl, is_there, is_default = ctypes.c_void_p(), wintypes.BOOL(), wintypes.BOOL()
            _check(
                _advapi.GetSecurityDescriptorDacl(
                    described, ctypes.byref(is_there), ctypes.byref(acl), ctypes.byref(is_default)
                )
            )
            assert acl.value is not None, "without a list, everybody would be allowed everything"
            # What lies below takes over what is inherited.
            _check_code(
                _advapi.SetNamedSecurityInfoW(
                    str(path), _FILE_OBJECT, _DACL | _PROTECTED, None, None, acl, None
                )
            )
        finally:
            _kernel.LocalFree(described)

    def _described(path: Path) -> str:
        """Return the owner and the access list of a file or folder in SDDL."""
        described = ctypes.c_void_p()
        _check_code(
            _advapi.GetNamedSecurityInfoW(
                str(path),
                _FILE_OBJECT,
                _OWNER | _DACL,
                None,
                None,
                None,
                None,
                ctypes.byref(described),
            )
        )
        try:
            return _in_words(described)
        finally:
            _kernel.LocalFree(described)

    def _in_words(described: ctypes.c_void_p) -> str:
        text = ctypes.c_void_p()
        _check(
            _advapi.ConvertSecurityDescriptorToStringSecurityDescriptorW(
                described, _REVISION, _OWNER | _DACL, ctypes.byref(text), None
            )
        )
        return _taken(text)

    @cache
    def _user() -> str:
        """Return this account as SDDL writes it: the first administrator, for one, has two letters
        instead of a number.
        """
        described = ctypes.c_void_p()
        _check(
            _advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW(
                f"O:{_user_sid()}D:", _REVISION, ctypes.byref(described), None
            )
        )
        try:
            return owner_in(_in_words(described))
        finally:
            _kernel.LocalFree(described)

    @cache
    def _user_sid() -> str:
        token, size = wintypes.HANDLE(), wintypes.DWORD()
        process = _kernel.GetCurrentProcess()
        _check(_advapi.OpenProcessToken(process, _QUERY, ctypes.byref(token)))
        try:
            # The first call tells the size.
            _advapi.GetTokenInformation(token, _TOKEN_USER, None, 0, ctypes.byref(size))
            told = ctypes.create_string_buffer(size.value)
            _check(_advapi.GetTokenInformation(token, _TOKEN_USER, told, size, ctypes.byref(size)))
        finally:
            _kernel.CloseHandle(token)
        sid = ctypes.cast(told, _POINTER)[0]  # a TOKEN_USER begins with the address of the SID
        text = ctypes.c_void_p()
        _check(_advapi.ConvertSidToStringSidW(sid, ctypes.byref(text)))
        return _taken(text)

    def _taken(text: ctypes.c_void_p) -> str:
        """Return a text of the system's, which is freed."""
        try:
            assert text.value is not None
            return ctypes.wstring_at(text.value)
        finally:
            _kernel.LocalFree(text)

    def _check(succeeded: int) -> None:
        if not succeeded:
            raise ctypes.WinError(ctypes.get_last_error())

    def _check_code(code: int) -> None:
        if code:
            raise ctypes.WinError(code)

else:

    def _is_of_others(path: Path) -> bool:
        return path.lstat().st_uid not in {os.geteuid(), 0}

    def _is_open(path: Path) -> bool:
        return bool(path.lstat().st_mode & 0o077)

    def _close(path: Path) -> None:
        path.chmod(stat.S_IMODE(path.lstat().st_mode) & 0o700)


# In SDDL: the system, the administrators, and two that stand for whoever made or owns a file.
SYSTEMS_OWN = frozenset({"SY", "BA", "CO", "OW"})
_OWNER_FORM = re.compile(r"O:(S-[\d-]+|[A-Z]{2})")
_ENTRY = re.compile(r"\((A|OA|XA|ZA);[^;()]*;[^;()]*;[^;()]*;[^;()]*;([^;()]+)")
EVERYBODY = "WD"


def private_acl(sid: str) -> str:
    """Return in SDDL the access list of what is one account's, the system's and administrators'.

    Protected, so that nothing is inherited from above, and inherited by all that is below.
    """
    return f"D:P(A;OICI;FA;;;{sid})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"


def owner_in(described: str) -> str:
    """Return the owner that a description in SDDL names, "" for none."""
    found = _OWNER_FORM.search(described)
    return found[1] if found else ""


def allowed_in(described: str) -> frozenset[str]:
    """Return whom a description in SDDL allows anything; without an access list, everybody."""
    if "D:" not in described or "NO_ACCESS_CONTROL" in described:
        return frozenset({EVERYBODY})
    return frozenset(found[2] for found in _ENTRY.finditer(described))
