"""Files that can not be read: each is refused in a sentence, with what to do instead."""

from typing import Protocol

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark

HEAD_BYTES = 65_536
UNPACKED_LIMIT_BYTES = 2**30
CELLS_LIMIT = 25_000_000  # that a sheet's used range may span; 1,048,576 rows of 23 columns

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SAVE_AS = mark("In Excel, use Save As, choose 'Excel Workbook (.xlsx)', and drop that file.")

OLD_EXCEL = mark("{file} is an Excel file of a very old kind.")
LOCKED = mark("{file} is protected by a password.")
UNLOCK = mark("Open it in Excel, remove the password under File, Info, and drop it again.")
UNLOCK_ELSEWHERE = mark("Open it where it was made, save it without a password, and drop it again.")
TYPE_PASSWORD = mark("Type it, or ask whoever made the file.")
WRONG_PASSWORD = mark("The password of {file} is another one.")
TYPE_AGAIN = mark("Type it again, minding capitals, or ask whoever made the file.")
OTHER_LOCK = mark("{file} is protected in a way that can not be opened here.")
PICTURE = mark("{file} is a picture, and only tables can be read.")
PDF = mark("{file} is a PDF, and only tables can be read.")
DOCUMENT = mark("{file} is a document, and only tables can be read.")
DATABASE = mark("{file} is a database, and only tables can be read.")
FROM_SOURCE = mark("Export the data as .xlsx or .csv, and drop that file.")
ARCHIVE = mark("{file} is a compressed archive.")
NESTED = mark("{file} is an archive inside an archive.")
EMPTY_ARCHIVE = mark("{file} is an archive without a table in it.")
UNPACK = mark("Unpack it, and drop the files that are in it.")
NO_TABLE = mark("{file} is a web page without a table.")
OTHER_XML = mark("{file} is XML of a kind that holds no spreadsheet.")
OTHER_JSON = mark("{file} is JSON, but not a list of records.")
OTHER = mark("{file} is not a table that can be read.")
EMPTY = mark("{file} is empty.")
EXPORT_AGAIN = mark("Export it again, and drop the new file.")
BROKEN = mark("{file} is damaged or was not copied to its end.")
TOO_LARGE = mark("{file} would take more than 1 GB once unpacked.")
TOO_LONG = mark("{file} is too large to be read as what it is.")
AS_TEXT = mark("Export the data as .csv, and drop that file.")
SPLIT = mark("Save the part that you need as a file of its own, and drop that.")
UNSAFE = mark(
    "{file} contains XML declarations that no real spreadsheet has, so it was not opened."
)
OWNER = mark("{file} is only Excel's note that a workbook is open.")
DROP_REAL = mark("Drop the workbook itself: the file without '~$' at the start of its name.")


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
