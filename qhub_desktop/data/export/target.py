"""Files that appear whole or not at all, and sentences for those that can not be written."""

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _

DISK_IS_FULL = {errno.ENOSPC, errno.EDQUOT}
WINDOWS_DISK_IS_FULL = {39, 112}  # ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
LONGEST_STEM = 80


@contextmanager
def draft_of(target: Path) -> Iterator[Path]:
    """A file beside `target` to be written, which takes its place when the block ends well.

    Whatever goes wrong leaves `target` as it was, and nothing beside it. Raises UserError where it
    can not be written, if possible before any work is done.
    """
    with told(target):
        _check(target)
    # In the same folder, since only there it can take the other's place in one step.
    draft = target.with_name(f"~{target.stem[:LONGEST_STEM]}.{uuid.uuid4().hex[:8]}.part")
    try:
        with told(target):
            yield draft
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def told(target: Path) -> Iterator[None]:
    """Errors of the file system in the block become sentences about `target`."""
    try:
        yield
    except OSError as error:
        raise UserError(sentence(error, target)) from error


def sentence(error: OSError, target: Path) -> str:
    """What to do about a file that could not be written."""
    name, folder = target.name, target.parent
    windows = getattr(error, "winerror", None)
    if error.errno in DISK_IS_FULL or windows in WINDOWS_DISK_IS_FULL:
        return _(
            "There is no room left on the disk for {name}. Free some, or choose another folder."
        ).format(name=name)
    if target.is_dir():
        return _("{name} is a folder. Choose another name.").format(name=name)
    if isinstance(error, PermissionError) and target.exists():
        return _(
            "{name} is open in another program. Close it in Excel, or choose another name."
        ).format(name=name)
    if isinstance(error, PermissionError):
        return _("Nothing may be written to {folder}. Choose another folder.").format(folder=folder)
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return _("The folder {folder} is not there. Choose another folder.").format(folder=folder)
    return _("{name} could not be written ({reason}). Choose another folder.").format(
        name=name, reason=error.strerror or error
    )


def _check(target: Path) -> None:
    """Meet now what would be met only when all is written."""
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if target.exists():
        # Excel lets nobody write to what it shows.
        with target.open("r+b"):
            pass
