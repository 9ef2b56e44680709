"""Files that can not be read: each is refused in a sentence, with what to do instead."""

from typing import Protocol

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop

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
    """A file, for as far as a sentence needs it."""

    @property
    def name(self) -> str:
        """What the person calls it."""
        ...


def refusal(file: Named, what: str, step: str) -> UserError:
    """The sentence, in the person's language."""
    return UserError(f"{_(what).format(file=file.name)} {_(step)}")


def check_range(
    file: Named, sheet: str, *, rows: int, columns: int, corner: str, values: int
) -> None:
    """Refuse a sheet that claims a used range far beyond what it holds.

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
