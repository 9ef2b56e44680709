"""Files that can not be read, told by their content; each is refused with what to do instead."""

import zipfile
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark

HEAD_BYTES = 65_536
UNPACKED_LIMIT_BYTES = 2**30

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\1\0")
ARCHIVES = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ", b"PK\x05\x06")
SAVE_AS = mark("In Excel, use Save As, choose 'Excel Workbook (.xlsx)', and drop that file.")

OLD_EXCEL = mark("{file} is an Excel file of the old kind (.xls).")
LOCKED = mark("{file} is protected by a password.")
UNLOCK = mark("Open it in Excel, remove the password under File, Info, and drop it again.")
PICTURE = mark("{file} is a picture, and only tables can be read.")
PDF = mark("{file} is a PDF, and only tables can be read.")
DOCUMENT = mark("{file} is a document, and only tables can be read.")
FROM_SOURCE = mark("Export the data as .xlsx or .csv, and drop that file.")
ARCHIVE = mark("{file} is a compressed archive.")
UNPACK = mark("Unpack it, and drop the files that are in it.")
BINARY_BOOK = mark("{file} is a spreadsheet of another kind.")
WEB_PAGE = mark("{file} is a web page or XML, whatever its name says.")
OTHER = mark("{file} is not a table that can be read.")
EMPTY = mark("{file} is empty.")
EXPORT_AGAIN = mark("Export it again, and drop the new file.")
BROKEN = mark("{file} is damaged or was not copied to its end.")
TOO_LARGE = mark("{file} would take more than 1 GB once unpacked.")
SPLIT = mark("Save the part that you need as a file of its own, and drop that.")
UNSAFE = mark(
    "{file} contains XML declarations that no real spreadsheet has, so it was not opened."
)


def refusal(file: Path, what: str, step: str) -> UserError:
    """The sentence, in the person's language."""
    return UserError(f"{_(what).format(file=file.name)} {_(step)}")


def is_zip(file: Path) -> bool:
    """Whether this is some kind of zip."""
    with file.open("rb") as opened:
        return opened.read(4) == ZIP


def check(file: Path) -> None:
    """Raise UserError for every kind of file that no reader takes."""
    with file.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
    if not head:
        raise refusal(file, EMPTY, EXPORT_AGAIN)
    if head.startswith(ZIP):
        _check_zip(file)
        return
    if head.startswith(OLE):
        if "EncryptedPackage".encode("utf-16-le") in file.read_bytes():
            raise refusal(file, LOCKED, UNLOCK)
        if "WordDocument".encode("utf-16-le") in head:
            raise refusal(file, DOCUMENT, FROM_SOURCE)
        raise refusal(file, OLD_EXCEL, SAVE_AS)
    if head.startswith(b"%PDF"):
        raise refusal(file, PDF, FROM_SOURCE)
    if head.startswith(PICTURES) and _is_binary(head):
        raise refusal(file, PICTURE, FROM_SOURCE)
    if head.startswith(ARCHIVES):
        raise refusal(file, ARCHIVE, UNPACK)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<table", b"{\\rtf")):
        raise refusal(file, WEB_PAGE, SAVE_AS)
    if text.startswith((b'{"', b"[{", b"{\n", b"{\r")) or _is_binary(head):
        raise refusal(file, OTHER, FROM_SOURCE)


def _check_zip(file: Path) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise refusal(file, BROKEN, EXPORT_AGAIN) from error
    names = {entry.filename for entry in entries}
    if any(entry.flag_bits & 1 for entry in entries):
        raise refusal(file, LOCKED, UNLOCK)
    if sum(entry.file_size for entry in entries) > UNPACKED_LIMIT_BYTES:
        raise refusal(file, TOO_LARGE, SPLIT)
    if "xl/workbook.xml" in names:
        return
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise refusal(file, BINARY_BOOK, SAVE_AS)
    if names & {"word/document.xml", "ppt/presentation.xml"}:
        raise refusal(file, DOCUMENT, FROM_SOURCE)
    raise refusal(file, ARCHIVE, UNPACK)


def _is_binary(head: bytes) -> bool:
    """Whether this is no text: NUL bytes that are not UTF-16's, or many control characters."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or is_utf16(head):
        return False
    controls = sum(head.count(code) for code in range(32) if code not in (9, 10, 11, 12, 13, 27))
    return b"\0" in head or controls * 50 > len(head)


def is_utf16(head: bytes) -> str | None:
    """The byte order of UTF-16 without a mark: every other byte of Western text is a NUL."""
    sample = head[: len(head) // 2 * 2]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if (
        len(sample) < 4
        or max(even, odd) * 10 < len(sample) // 2 * 7
        or min(even, odd) * 50 > len(sample)
    ):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"
