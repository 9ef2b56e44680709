"""What kind of file this is, told by its content and never by its name."""

import re
import zipfile
from typing import Literal

from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.rejection import (
    HEAD_BYTES,
    OLE,
    UNPACKED_LIMIT_BYTES,
    ZIP,
    refusal,
)
from qhub_desktop.data.ingest.readers.sheet import InputFile

Kind = Literal[
    "xlsx",
    "xls",
    "xlsb",
    "ods",
    "html",
    "mhtml",
    "spreadsheetml",
    "parquet",
    "json",
    "text",
    "locked",  # a workbook under a password
    "zip",  # of files
    "gzip",
]

EMPTY_ZIP = b"PK\x05\x06"
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\1\0")
ARCHIVES = (b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", EMPTY_ZIP)
DATABASES = (b"SQLite format 3\0", b"\0\1\0\0Standard ACE DB", b"\0\1\0\0Standard Jet DB")
# The beginning of workbooks of Excel 2 to 5 that stand alone, not in an OLE file.
BARE_BIFF = (b"\x09\0\4\0", b"\x09\0\6\0", b"\x09\2\6\0", b"\x09\4\6\0", b"\x09\x08")
OWNER_BYTES = 1_024
PARQUET = b"PAR1"
SPREADSHEET_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
SHEETS_2003 = "urn:schemas-microsoft-com:office:spreadsheet"

_HTML = re.compile(
    r"<!doctype html|<(?:html|head|body|meta|table|style|div|title|center|h\d|p|tr)[\s>]"
)
# An opened bracket alone may begin a machine's log ("[Header]"), so what follows counts too.
_JSON = re.compile(r'\{\s*(?:"|\}\s*$)|\[\s*[\[{\]]')
JSON_SUFFIXES = (".json", ".ndjson", ".jsonl")


def kind_of(source: InputFile) -> Kind:
    """How to read a file. Raises UserError for what no reader takes, saying what to do."""
    with source.path.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
    if not head:
        raise refusal(source, rejection.EMPTY, rejection.EXPORT_AGAIN)
    if source.name.startswith("~$") and source.path.stat().st_size <= OWNER_BYTES:
        raise refusal(source, rejection.OWNER, rejection.DROP_REAL)
    if head.startswith(ZIP):
        return _kind_of_zip(source)
    if head.startswith(OLE):
        return _kind_of_ole(source)
    if head.startswith(PARQUET):
        return "parquet"
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    _refuse_known(source, head)
    return _kind_of_text(source, head)


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


def _refuse_known(source: InputFile, head: bytes) -> None:
    if head.startswith(b"%PDF"):
        raise refusal(source, rejection.PDF, rejection.FROM_SOURCE)
    if head.startswith(DATABASES):
        raise refusal(source, rejection.DATABASE, rejection.FROM_SOURCE)
    if head.startswith(BARE_BIFF) and _is_binary(head):
        raise refusal(source, rejection.OLD_EXCEL, rejection.SAVE_AS)
    if head.startswith(PICTURES) and _is_binary(head):
        raise refusal(source, rejection.PICTURE, rejection.FROM_SOURCE)
    if head.startswith(ARCHIVES):
        raise refusal(source, rejection.ARCHIVE, rejection.UNPACK)
    if head.lstrip().startswith(b"{\\rtf"):
        raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)


def _kind_of_text(source: InputFile, head: bytes) -> Kind:
    text = _as_text(head).lstrip("\ufeff \t\r\n")
    start = text[:2_000].lower()
    if start.startswith(("<?xml", "<!--", "<!doctype", "<workbook", "<ss:workbook")):
        if SHEETS_2003 in text and re.search(r"<(?:\w+:)?Workbook\b", text):
            return "spreadsheetml"
        if not re.search(r"<(?:html|table)\b|<!doctype html", text.lower()):
            raise refusal(source, rejection.OTHER_XML, rejection.FROM_SOURCE)
        return "html"
    if _HTML.match(start):
        return "html"
    if start.startswith("mime-version:") or (
        start.startswith(("from:", "content-type: multipart")) and "\nmime-version:" in start
    ):
        return "mhtml"
    is_called_json = source.name.lower().endswith(JSON_SUFFIXES)
    if _JSON.match(text) or (is_called_json and text.startswith(("{", "["))):
        return "json"
    if _is_binary(head):
        raise refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    return "text"


def _as_text(head: bytes) -> str:
    """The beginning as text, well enough to see what it is."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    return head.decode(is_utf16(head) or "utf-8", "replace")


def _kind_of_zip(source: InputFile) -> Kind:
    try:
        with zipfile.ZipFile(source.path) as archive:
            entries = archive.infolist()
            described = b""
            if (info := archive.NameToInfo.get("mimetype")) and info.file_size < HEAD_BYTES:
                described = archive.read(info)
            is_locked_document = b"encryption-data" in _manifest(archive)
    # RuntimeError: the entry is encrypted; such a zip has no description worth reading.
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
    names = {entry.filename.replace("\\", "/") for entry in entries}
    if sum(entry.file_size for entry in entries) > UNPACKED_LIMIT_BYTES:
        raise refusal(source, rejection.TOO_LARGE, rejection.SPLIT)
    if "xl/workbook.bin" in names:
        return "xlsb"
    if any(name.lower() == "xl/workbook.xml" for name in names):
        return "xlsx"
    if "content.xml" in names and (described or "META-INF/manifest.xml" in names):
        if is_locked_document:
            raise refusal(source, rejection.LOCKED, rejection.UNLOCK_ELSEWHERE)
        if described and not described.strip().startswith(SPREADSHEET_DOCUMENT):
            raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)
        return "ods"
    if names & {"word/document.xml", "ppt/presentation.xml", "Index/Document.iwa", "Index.zip"}:
        raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)
    if "[Content_Types].xml" in names:
        raise refusal(
            source, rejection.BROKEN, rejection.EXPORT_AGAIN
        )  # what is left of a workbook
    return "zip"


def _manifest(archive: zipfile.ZipFile) -> bytes:
    info = archive.NameToInfo.get("META-INF/manifest.xml")
    if info is None or info.file_size > 2**24 or info.flag_bits & 1:
        return b""
    return archive.read(info)


def _kind_of_ole(source: InputFile) -> Kind:
    from qhub_desktop.data.ingest.readers import ole_container  # reads OLE files, which are rare

    streams = ole_container.stream_names(source)
    if not streams:
        raise refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN)  # its directory is cut
    if "EncryptedPackage" in streams:
        return "locked"
    if book := next((name for name in ("Workbook", "Book") if name in streams), None):
        return "locked" if ole_container.is_locked_book(source, book) else "xls"
    if streams & {"WordDocument", "PowerPoint Document", "__properties_version1.0"}:
        raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)
    raise refusal(source, rejection.OTHER, rejection.FROM_SOURCE)


def _is_binary(head: bytes) -> bool:
    """Whether this is no text: more than a few control characters that are not UTF-16's."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or is_utf16(head):
        return False
    # Tabs, ends of lines and pages, and the signs that part cells in some old exports.
    usual = (1, 9, 10, 11, 12, 13, 27, 28, 29, 30, 31)
    controls = sum(head.count(code) for code in range(32) if code not in usual)
    return controls * 50 > len(head)
