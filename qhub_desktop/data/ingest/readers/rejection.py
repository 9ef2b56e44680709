"""Rejection of files that cannot be read, with what to do instead; the copy that is read."""

import errno
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from qhub_desktop.core.errors import FileChangedError, UserError, is_disk_full
from qhub_desktop.core.paths import long_path
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted_files import IrregularFileError, open_regular
from qhub_desktop.data.ingest.readers.package import is_cut_off, is_damaged

UNPACKED = "unpacked"  # the folder of an import for what it alone reads
COPY = "copy"
# 110 MB take 0.2 s of an import of 23 s.
COPIED_AT_ONCE = 2**20
# What Windows says of a share that does not answer.
WINDOWS_GONE = {53, 54, 55, 59, 64, 65, 67, 121, 1231, 1232, 1236}
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
OTHER_LOCK = gettext_noop("{file} is protected in a way that cannot be opened here.")
LABELLED = gettext_noop(
    "{file} is protected by a confidentiality label of an organisation, which only Excel can open,"
    " and only for whom it is meant."
)
UNLABEL = gettext_noop(
    "Open it in Excel, choose a label without protection or ask whoever set it, save it as a new"
    " file, and drop that."
)
PICTURE = gettext_noop("{file} is a picture, and only tables can be read.")
PDF = gettext_noop("{file} is a PDF, and only tables can be read.")
DOCUMENT = gettext_noop("{file} is a document, and only tables can be read.")
VCARD = gettext_noop("{file} holds addresses (vCard), and only tables can be read.")
CALENDAR = gettext_noop("{file} is a calendar (iCalendar), and only tables can be read.")
STATEMENT = gettext_noop("{file} is a bank statement (MT940), and only tables can be read.")
MESSAGE = gettext_noop("{file} is a message between programs (EDI or HL7), and no table.")
MAIL = gettext_noop("{file} is an e-mail, and only tables can be read.")
DRAWING = gettext_noop("{file} is a drawing (CAD), and only tables can be read.")
LIBSVM = gettext_noop("{file} is a list of numbers for machine learning (libsvm), and no table.")
QDAS_VALUES = gettext_noop("{file} holds values (Q-DAS) without what describes them.")
QDAS_DESCRIPTION = gettext_noop("{file} describes characteristics (Q-DAS), and holds no values.")
QDAS_BESIDE = gettext_noop(
    "Put the description (.dfd) and the values (.dfx) into one folder under the same name, and drop"
    " one of them."
)
COMMANDS = gettext_noop("{file} holds commands for a database (SQL), and no rows of a table.")
DATABASE = gettext_noop("{file} is a database, and only tables can be read.")
FROM_SOURCE = gettext_noop("Export the data as .xlsx or .csv, and drop that file.")
ARCHIVE = gettext_noop("{file} is a compressed archive.")
NESTED = gettext_noop("{file} is an archive inside an archive.")
EMPTY_ARCHIVE = gettext_noop("{file} is an archive without a table in it.")
UNPACK = gettext_noop("Unpack it, and drop the files that are in it.")
NO_TABLE = gettext_noop("{file} is a web page without a table.")
OTHER_JSON = gettext_noop("{file} is JSON, but not a list of records.")
OTHER = gettext_noop("{file} is not a table that can be read.")
EMPTY_FILE = gettext_noop("{file} is empty.")
EXPORT_AGAIN = gettext_noop("Export it again, and drop the new file.")
DAMAGED = gettext_noop("{file} is damaged: what it holds is not what was once written.")
CUT_OFF = gettext_noop("{file} ends in the middle: it was not copied or exported to its end.")
INCOMPLETE = gettext_noop("{file} lacks a part that it names: what wrote it left that out.")
BEYOND = gettext_noop("{file} has cells beyond the last row that Excel knows.")
UNKNOWN = gettext_noop("{file} has something in it that cannot be read here.")
SAVE_AGAIN = gettext_noop(
    "Open it where it was made, save it again or export the data as .csv, and drop that file."
)
PACKED = gettext_noop("{file} is packed in a way that cannot be read here.")
TOO_LARGE = gettext_noop("{file} would take more than 1 GB once unpacked.")
TOO_LONG = gettext_noop("{file} is too large to be read as what it is.")
AS_TEXT = gettext_noop("Export the data as .csv, and drop that file.")
SPLIT = gettext_noop("Save the part that you need as a file of its own, and drop that.")
UNSAFE = gettext_noop(
    "{file} contains XML declarations that no real spreadsheet has, so it was not opened."
)
DEVICE = gettext_noop("{file} is a device or a pipe, not a file with a table. Choose a file.")
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


class NamedPath(Named, Protocol):
    """A file with its name, and where it lies."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        ...


def refusal(file: Named, what: str, step: str) -> UserError:
    """Return the error with its sentence and next step, in the person's language."""
    return UserError(f"{_(what).format(file=file.name)} {_(step)}")


def given_up(file: NamedPath, error: BaseException, step: str = SAVE_AGAIN) -> UserError:
    """Return the error for a file that its reader gave up on, with what to do if it is sound.

    A package is called damaged where its bytes are wrong; a library may also not know what it met.
    """
    if isinstance(error, NotImplementedError):
        return refusal(file, PACKED, step)
    if is_damaged(file.path):
        return damaged(file)
    return refusal(file, UNKNOWN, step)


def damaged(file: NamedPath) -> UserError:
    """Return the error for a file whose bytes are wrong, or whose end is not there."""
    return refusal(file, CUT_OFF if is_cut_off(file.path) else DAMAGED, EXPORT_AGAIN)


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
    if is_disk_full(error):
        text = _("There is no room left on the disk for {file}. Make some, and drop it again.")
    elif isinstance(error, FileNotFoundError) and code not in WINDOWS_GONE:
        text = _("{file} is no longer there. Choose the file again.")
    elif isinstance(error, IrregularFileError):
        text = _(DEVICE)
    elif isinstance(error, IsADirectoryError):
        text = _("{file} is a folder. Drop the files that are in it.")
    elif isinstance(error, PermissionError):
        text = _(
            "{file} cannot be read: another program holds it, or it may not be read from this"
            " account. Close it there, or copy it to your own folder, and drop it again."
        )
    elif isinstance(error, TimeoutError) or error.errno in GONE or code in WINDOWS_GONE:
        text = _(
            "The drive that {file} is on does not answer. Check the network, or copy the file to"
            " this computer, and drop it again."
        )
    elif error.errno is None and code is None:  # of a library, about what it read
        text = f"{_(UNKNOWN)} {_(SAVE_AGAIN)}"
    else:
        text = _(
            "{file} could not be read or stored. Check that the disk has room and that the file is"
            " not in use, and drop it again."
        )
    return UserError(text.format(file=name))


def private_copy(path: Path, folder: Path) -> Path:
    """Return a copy of a file in `folder`, with its suffix. Raises OSError, FileChangedError.

    What is read is the copy, whose bytes nobody changes: the file may be written to meanwhile. It
    also opens a workbook that Excel holds, which libraries cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{COPY}{path.suffix}"
    with target.open("wb") as copy:
        for chunk in chunks_of(path):
            copy.write(chunk)
    return target


def chunks_of(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes. Raises OSError, and FileChangedError if it is written to meanwhile.

    A file of values that belongs to the description beside it (.dfd and .dfx) is read behind that,
    whichever of the two is named: apart, neither says anything.
    """
    files = _both(path)
    last = b"\n"
    with ExitStack() as open_:
        for file in files:
            open_.enter_context(unchanged(file))
        for number, file in enumerate(files):
            if number and not last.endswith((b"\n", b"\r", b"\0")):
                yield b"\r\n"
            with open_regular(file) as opened:
                while chunk := opened.read(COPIED_AT_ONCE):
                    yield chunk
                    last = chunk


def _both(path: Path) -> list[Path]:
    """Return the description and the values that a file is one of; else the file alone."""
    pairs = {".dfd": ".dfx", ".dfx": ".dfd"}
    other = pairs.get(path.suffix.lower())
    if other is None:
        return [path]
    beside = (path.with_suffix(each) for each in (other, other.upper()))
    found = next((each for each in beside if long_path(each).is_file()), None)
    if found is None:
        return [path]
    return [path, found] if path.suffix.lower() == ".dfd" else [found, path]


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Raise FileChangedError if the file was written to or replaced during the block."""
    before = _state(path)
    yield
    if _state(path) != before:
        raise file_changed(path.name)


def file_changed(name: str) -> FileChangedError:
    """Return the error for a file that was written to while it was read."""
    return FileChangedError(
        _("{file} was changed while it was read. Read it again once it is written.").format(
            file=name
        )
    )


def _state(path: Path) -> tuple[int, int, int]:
    now = long_path(path).stat()
    return now.st_size, now.st_mtime_ns, now.st_ino
