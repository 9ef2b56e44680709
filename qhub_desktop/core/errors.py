"""Errors that are not bugs, by who can do something about them."""

import errno
import shutil
import sys
from pathlib import Path
from typing import Literal

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import hide_secrets, one_line, sanitize

Fault = Literal[
    "key",  # the key was refused, or there is none
    "credit",  # the account has no money left
    "budget",  # what the plant lets be spent is spent
    "model",  # the model's name is unknown or retired
    "rate",  # too many questions for now
    "overloaded",  # the service is too busy
    "network",  # nothing could be reached
    "setup",  # what stands in between is set up wrongly: a proxy, an address that sends on
    "network_setup",  # the same, and Settings, under Network, can put it right
    "proxy_login",  # the proxy on the way wants a name and a password
    "cut",  # the connection broke in the middle of an answer
    "stalled",  # the service went silent
    "malformed",  # what arrived made no sense
    "refused",  # the service understood, and said no
    "other",
]


class QHubError(Exception):
    """Something a person can be told: `str(error)` is fit to be shown, with the next step in it.

    It is also stored, printed and told to models, and may quote a service, a file or a person: no
    secret in use gets into it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(hide_secrets(sanitize(message)))


class UserError(QHubError):
    """The person can fix it: a file, a key, a setting."""

    def __init__(self, message: str, *, fault: Fault = "other") -> None:
        super().__init__(message)
        self.fault: Fault = fault


class ServiceError(QHubError):
    """The world outside failed; trying again may help.

    `retry_after_s` is how long the service asked us to wait, where it said so.
    """

    def __init__(
        self, message: str, *, fault: Fault = "other", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.fault: Fault = fault
        self.retry_after_s = retry_after_s


class ToolError(QHubError):
    """The model can fix it; the text is written for the model.

    `field` is the parameter of the call that is wrong, "" where it is none of them.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class InputError(ToolError):
    """A model's input is wrong by itself: the text tells nothing of what is in any data."""


class UsageError(UserError):
    """A command, or a variable that it reads, is written wrongly: exit code 2."""


class SessionOverError(UserError):
    """The account of whoever works here was disabled or changed since they signed in."""


class PasswordNeededError(UserError):
    """A file is protected, and the password is missing or wrong."""


class FileChangedError(UserError):
    """A file was written to while it was read; reading it again may help."""


class DamagedStoreError(UserError):
    """The database at `path` is damaged; it can be repaired from a safety copy."""

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class NoAccountsError(UserError):
    """A name was given with `--as` where the station has no accounts."""

    def __init__(self) -> None:
        super().__init__(_("Nobody has an account here. Leave --as out, and ask again."))


class UnencryptedKeyError(UserError):
    """A key would go to `host` without encryption, and the person has not allowed it."""

    def __init__(self, message: str, *, host: str) -> None:
        super().__init__(message, fault="setup")
        self.host = host


class ProxyPasswordError(UserError):
    """The proxy, `proxy`, wants a name and a password."""

    def __init__(self, message: str, *, proxy: str) -> None:
        super().__init__(message, fault="proxy_login")
        self.proxy = proxy


WINDOWS_FULL = {39, 112}  # ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
WINDOWS_HELD = {32, 33}  # ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
FULL = {errno.ENOSPC, errno.EFBIG} | ({errno.EDQUOT} if hasattr(errno, "EDQUOT") else set())
LEAST_ROOM_BYTES = 2**18  # below it, a failure is a lack of room whatever it is called


def is_disk_full(error: OSError) -> bool:
    """Return whether an operation failed for lack of room."""
    return error.errno in FULL or getattr(error, "winerror", None) in WINDOWS_FULL


def is_reader_gone(error: OSError) -> bool:
    """Return whether writing to a pipe failed because its reader has left."""
    # Windows' C library has no EPIPE: it makes EINVAL of a pipe that is being closed.
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    )


def has_no_room(folder: Path) -> bool:
    """Return whether the disk of a folder is as good as full."""
    try:
        return shutil.disk_usage(folder).free < LEAST_ROOM_BYTES
    except OSError:
        return False


def reason_of(error: Exception) -> str:
    """Return in the person's words why a file could not be read, to stand in brackets."""
    if isinstance(error, FileNotFoundError):
        return _("it is not there")
    if isinstance(error, PermissionError):
        return _("it may not be read from this account, or another program holds it")
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error)).rstrip(".")


def unreadable(error: Exception, path: Path) -> UserError:
    """Return the error for a person who has chosen a file that cannot be read, and why."""
    return UserError(
        _("{name} cannot be read ({reason}). Choose the file again.").format(
            name=path.name or str(path), reason=reason_of(error)
        )
    )


def data_folder_error(error: OSError, folder: Path) -> UserError:
    """Return the error for a person: why nothing can be kept in a folder, and what to do."""
    if is_disk_full(error) or has_no_room(folder):
        text = _("There is no room left on the disk of {path}. Free some, and try again.")
    elif getattr(error, "winerror", None) in WINDOWS_HELD:
        text = _(
            "Another program holds a file in the folder {path}. Close what has it open, or wait for"
            " the virus scanner, and try again."
        )
    elif isinstance(error, (FileExistsError, NotADirectoryError, IsADirectoryError)):
        text = _(
            "Something else stands where the folder {path} keeps its files. Move it away, or set"
            " QHUB_HOME to another folder."
        )
    else:
        text = _(
            "Nothing can be kept in the folder {path}. Check that it is there and that you may"
            " write to it, or set QHUB_HOME to another folder."
        )
    return UserError(text.format(path=folder))
