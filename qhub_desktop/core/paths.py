"""Paths: of what ships with the program, and of the person's own data; files as Windows holds them.

Windows refuses for a moment what other systems always allow: a virus scanner, an indexer or a
second window of ours has the file open.
"""

# Why it is so: decisions/data-folder.md

import ntpath
import os
import shutil
import stat
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import platformdirs

Output = TypeVar("Output")


def _shipped() -> Path:
    """Return the folder of resources/ and data/: the packaged program's, or the source's."""
    bundle = getattr(sys, "_MEIPASS", None)
    return Path(bundle) if bundle else Path(__file__).resolve().parents[2]


RESOURCES = _shipped() / "resources"
DEMO_DATA = _shipped() / "data"


def data_folder() -> Path:
    """Return the folder for the person's data: `QHUB_HOME`, a portable program's own, or the
    platform's.
    """
    moved = os.environ.get("QHUB_HOME")
    if moved:
        return Path(moved)
    return _portable_data() or Path(platformdirs.user_data_dir("QHub", appauthor=False))


def is_portable() -> bool:
    """Return whether the data lie beside a packaged program, which is carried about with them."""
    return not os.environ.get("QHUB_HOME") and _portable_data() is not None


def is_moved() -> bool:
    """Return whether the data folder is another one than the platform's own for this account."""
    return bool(os.environ.get("QHUB_HOME")) or _portable_data() is not None


def _portable_data() -> Path | None:
    """Return the folder beside a packaged program that has a file `portable` beside it."""
    if not getattr(sys, "frozen", False):
        return None
    folder = Path(sys.executable).parent
    return folder / "data" if (folder / "portable").exists() else None


def licences_page() -> Path | None:
    """Return the page with the licences of all parts, which is beside a packaged program."""
    page = Path(sys.executable).parent / "licences" / "index.html"
    return page if getattr(sys, "frozen", False) and page.exists() else None


POLICY_FILE = "policy.toml"


def policy_files() -> tuple[Path, ...]:
    """Return where an administrator may fix settings; what a later one says prevails.

    No variable of the environment says where: the person could set it. A program that was installed
    without an administrator lies where the person can write, the computer's own folder does not.
    """
    beside = (Path(sys.executable).parent,) if getattr(sys, "frozen", False) else ()
    return tuple(folder / POLICY_FILE for folder in (*beside, _computers_folder()))


if sys.platform == "win32":

    def _computers_folder() -> Path:
        import ctypes

        path = ctypes.create_unicode_buffer(260)
        common_app_data = 0x23  # ProgramData
        ctypes.windll.shell32.SHGetFolderPathW(None, common_app_data, None, 0, path)
        return Path(path.value or "C:\\ProgramData") / "QHub"

else:

    def _computers_folder() -> Path:
        return Path("/etc/qhub-desktop")


def home() -> Path:
    """Return the folder for the person's data. It exists, or OSError is raised."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def exports() -> Path:
    """Return the folder for files that are made for the person. It exists.

    Where `QHUB_HOME` is given, the program is portable, or nothing may be written to the documents,
    it is beside the rest.
    """
    if not is_moved():
        folder = platformdirs.user_documents_path() / "QHub"
        try:
            with persons_umask():
                folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            pass
        else:
            return folder
    folder = home() / EXPORTS
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class _Umask:
    """What the person's programs leave out of the permissions of a new file; None where ours do the
    same.
    """

    persons: int | None = None


def make_files_private() -> None:
    """Make files and folders for this account alone from now on, as children do, too.

    On Windows it is the folder's access list that says who may open them.
    """
    if sys.platform != "win32" and _Umask.persons is None:
        _Umask.persons = os.umask(0o077)


@contextmanager
def persons_umask() -> Iterator[None]:
    """Make what is the person's, outside of the data folder, as their other programs make it."""
    before = None if _Umask.persons is None else os.umask(_Umask.persons)
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def hand_out(file: Path, *, mode: int = 0o666) -> None:
    """Give a new file of the person's the permissions that their other programs give.

    `mode` is what they are at most. In the data folder, everything stays private.
    """
    if _Umask.persons is not None and not file.is_relative_to(data_folder().resolve()):
        with suppress(OSError):  # a stick knows no permissions
            file.chmod(mode & ~_Umask.persons)


HOLD_FILE = "held"
HELD = {5, 32, 33}  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
WAITS_S = (0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.4)  # a scanner lets go within a second
# A folder must leave room for a file of 8.3 in it, so its limit is 248.
LONGEST_PLAIN_PATH = 247


def retry_while_held(work: Callable[[], Output], *, waits_s: Sequence[float] = WAITS_S) -> Output:
    """Return what `work` returns; try again for a second while Windows says that a file is held.

    Raises what `work` raises at last.
    """
    for wait_s in waits_s:
        try:
            return work()
        except PermissionError as error:
            # Of other systems, and of a file that may not be written to, waiting mends nothing.
            if not _may_be_held(error):
                raise
        time.sleep(wait_s)
    return work()


def _may_be_held(error: PermissionError) -> bool:
    code = getattr(error, "winerror", None)
    # A file is opened by C's library, which translates every reason to one, and tells no code.
    return code in HELD or (code is None and sys.platform == "win32")


def replace_file(source: Path, target: Path, *, waits_s: Sequence[float] = WAITS_S) -> None:
    """Move a file or folder to `target`, replacing a file there. Raises OSError.

    Every replacement goes through here: on Windows it fails while anybody has one of both open.
    """
    retry_while_held(lambda: source.replace(target), waits_s=waits_s)


def write_file(target: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file that is there whole or not at all, and on the disk. Raises OSError.

    `mode` is what its permissions are at most.

    A link that stands there is replaced, and what it led to stays as it is.
    """
    draft = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        with draft.open("xb") as file:
            if mode != 0o666:
                with suppress(OSError):  # a stick knows no permissions
                    draft.chmod(mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        hand_out(draft, mode=mode)
        replace_file(draft, target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT


def is_link(path: Path) -> bool:
    """Return whether a path is itself a link, or one of Windows' junctions, wherever it leads.

    What a cloud keeps for itself until it is opened is a file. False for what is not there.
    """
    try:
        seen = long_path(path).lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(seen.st_mode) or getattr(seen, "st_reparse_tag", 0) == JUNCTION


def long_path(path: Path) -> Path:
    """Return a path that Windows takes whatever its length, as SharePoint makes them."""
    whole = str(path.absolute())
    if sys.platform == "win32" and len(whole) > LONGEST_PLAIN_PATH:
        return Path(extended_path(whole))
    return path


def extended_path(path: str) -> str:
    r"""Return an absolute Windows path with the prefix \\?\, which no limit of 260 holds for."""
    if path.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    plain = ntpath.normpath(path)  # behind the prefix, neither slashes nor dots are understood
    if plain.startswith("\\\\"):
        return f"\\\\?\\UNC{plain[1:]}"
    return f"\\\\?\\{plain}"


if sys.platform == "win32":

    def hold_folder(folder: Path) -> int | None:
        """Hold a folder until the descriptor is closed; None if another program holds it."""
        file = folder / HOLD_FILE
        try:
            file.unlink(missing_ok=True)  # no file is deleted that is open
            return os.open(file, os.O_CREAT | os.O_RDWR)
        except PermissionError:
            return None

else:
    import fcntl

    def hold_folder(folder: Path) -> int | None:
        """Hold a folder until the descriptor is closed; None if another program holds it."""
        held = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(held)
            if isinstance(error, BlockingIOError):
                return None
            raise
        return held


BEGINNING_S = 60  # so long a program has to hold a folder that it has made
EXPORTS = "exports"  # in the data folder, where that is the place for them
PASTED = "pasted"  # in the data folder: tables from the clipboard, as files
SCRATCH = "unfinished"
DRAFT_NOTE = "draft"  # says where a file is written before it replaces its target
DRAFT_SUFFIX = ".part"


@contextmanager
def scratch_folder(draft: Path | None = None) -> Iterator[Path]:
    """Yield a folder for temporary files, deleted when the block ends as far as Windows lets go.

    Held by this program: where that is killed, `sweep_scratch` deletes the folder, and with it the
    `draft` of a file elsewhere. Raises OSError.
    """
    # Not in the system's folder, where nobody would know what is nobody's any more.
    folder = home() / SCRATCH / uuid.uuid4().hex[:12]
    folder.mkdir(parents=True)
    held = hold_folder(folder)
    try:
        if draft is not None:
            (folder / DRAFT_NOTE).write_bytes(os.fsencode(draft))
        yield folder
    finally:
        if held is not None:
            os.close(held)
        # Not a TemporaryDirectory: where a folder is held, that of 3.11 calls itself without end.
        shutil.rmtree(folder, ignore_errors=True)


def sweep_scratch() -> None:
    """Delete what programs that were killed have left of their scratch folders and drafts."""
    with suppress(OSError):
        for left in (data_folder() / SCRATCH).iterdir():
            if is_left_over(left):
                with suppress(OSError):  # it has no note, or the draft is gone
                    draft = Path(os.fsdecode((left / DRAFT_NOTE).read_bytes()))
                    if draft.suffix == DRAFT_SUFFIX:
                        draft.unlink()
                shutil.rmtree(left, ignore_errors=True)


def is_left_over(folder: Path) -> bool:
    """Return whether the program that made a folder, and held it, was killed."""
    with suppress(OSError):  # gone, or somebody else's
        if time.time() - folder.stat().st_mtime < BEGINNING_S:
            return False
        if (held := hold_folder(folder)) is not None:
            os.close(held)
            return True
    return False
