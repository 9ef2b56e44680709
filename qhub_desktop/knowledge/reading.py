"""Reading of documents: what a file is, by its content, and its passages with their places."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from qhub_desktop.core.documents import DocumentText, OcrUse
from qhub_desktop.core.errors import PasswordNeededError, QHubError, unreadable
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import check_regular
from qhub_desktop.knowledge.facts import find_facts
from qhub_desktop.knowledge.passages import Block, passages
from qhub_desktop.knowledge.readers.mail import is_mail, read_mail, read_outlook
from qhub_desktop.knowledge.readers.plain_text import decode, read_text
from qhub_desktop.knowledge.readers.source import (
    DAMAGED,
    EMPTY,
    HEAD_BYTES,
    LOCKED,
    MOST_BYTES,
    NO_WORDS,
    OLD_POWERPOINT,
    OLD_WORD,
    OTHER,
    TOO_LARGE,
    UNSAFE,
    WRONG_PASSWORD,
    DocumentContent,
    SheetReader,
    Source,
    check_package,
    refusal,
)
from qhub_desktop.knowledge.readers.workbook import read_workbook

PDF_BYTES = 1_024  # among the first of which a PDF says that it is one
_PDF = re.compile(rb"(?:^|[\r\n])\s*%PDF-\d")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
MOST_LOCKED_BYTES = 2**26  # decrypting takes about a second for each megabyte
MOST_SPINS = 1_000_000  # how often a password is hashed: 100,000 times by Office
_SPINS = re.compile(rb"""spinCount\s*=\s*["']\s*(\d{1,12})""")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
LONGEST_TITLE = 200
MOST_EQUAL = 0.7  # of a table's first lines have as many cells
FIRST_BLOCKS = 180  # that stand for a first page where the format has none
# A page may begin with comments and with the declaration of XML.
_HTML = re.compile(
    r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_DECLARATION = re.compile(
    r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<!(?:doctype|entity)\b", re.IGNORECASE | re.DOTALL
)


def read_document(
    path: Path,
    *,
    name: str,
    ocr: OcrUse = "auto",
    password: str | None = None,
    attachments: Path | None = None,
    sheets: SheetReader | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> DocumentText:
    """Read a file as passages with their places.

    `name` is what people call the file. Files that lie in it are written into the folder
    `attachments`, and named in the result. `sheets` reads workbooks and tables. `on_progress` is
    told pages read, and of how many. Raises UserError, with cause and next step, for what cannot be
    read, MemoryError where the process may not have enough.
    """
    source = Source(path, name, ocr, password, attachments, sheets, on_progress)
    try:
        check_regular(path)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise refusal(TOO_LARGE, name)
        if not size:
            raise refusal(EMPTY, name)
        content = _read(source)
    except QHubError:
        raise
    except OSError as error:
        if error.errno is None:  # of a library, about what it read
            raise refusal(DAMAGED, name) from error
        raise unreadable(error, path) from error
    except MemoryError:
        raise
    except (
        Exception
    ) as error:  # the readers' libraries raise whatever the bytes make them stumble over
        raise refusal(DAMAGED, name) from error
    pages = content.pages or 1
    on_progress(pages, pages)
    return _document(content, name)


def _document(content: DocumentContent, name: str) -> DocumentText:
    blocks = content.blocks
    first = [
        block
        for block in blocks[:FIRST_BLOCKS]
        if (block.place.page, block.place.slide) == (blocks[0].place.page, blocks[0].place.slide)
    ]
    lines = [line for block in first for line in (block.header, *block.text.splitlines()) if line]
    headings = [block for block in first if block.level]
    title = content.title or min(headings, key=lambda block: block.level, default=Block("")).text
    title = " ".join(sanitize(title).split())[:LONGEST_TITLE]
    facts = find_facts(content.headers, dict.fromkeys(lines), title=title, name=name)
    made = tuple(replace(each, text=sanitize(each.text)) for each in passages(blocks))
    warnings = content.warnings
    if not made and not warnings:
        warnings = (_(NO_WORDS),)
    return DocumentText(
        content.format, title, facts, made, content.pages, warnings, content.attachments
    )


def _read(source: Source) -> DocumentContent:
    """Choose the reader by the content; each is loaded when a file needs it."""
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(b"PK\x03\x04"):
        return _read_package(source)
    if head.startswith(OLE):
        return _read_ole(source)
    if head.startswith(PICTURES):
        from qhub_desktop.knowledge.readers.ocr import read_picture

        return read_picture(source)
    if _PDF.search(head, 0, PDF_BYTES):  # other files hold PDFs
        from qhub_desktop.knowledge.readers.pdf import read_pdf

        return read_pdf(source)
    if head.startswith(UTF_16) or not (b"\0" in head or _has_controls(head)):
        return _read_text(source, head)
    raise refusal(OTHER, source.name)


def _has_controls(head: bytes) -> bool:
    """Return whether bytes are no text: signs that no person writes."""
    return (
        sum(byte < ord(" ") and byte not in b"\t\n\v\f\r\x1a\x1b" for byte in head)
        > len(head) // 100
    )


def _read_text(source: Source, head: bytes) -> DocumentContent:
    start = decode(head[:-2] if head.startswith(UTF_16) and len(head) % 2 else head).lstrip(
        "\ufeff \r\n\t"
    )
    if start.startswith("{\\rtf"):
        raise refusal(OTHER, source.name)
    if is_mail(head):
        return read_mail(source)
    if _HTML.match(start):
        from qhub_desktop.knowledge.readers.web_page import read_web_page

        return read_web_page(source)
    if _DECLARATION.match(start):
        raise refusal(UNSAFE, source.name)
    if _is_delimited(start, source.name):
        return read_workbook(source, is_text=True)
    return read_text(source)


def _is_delimited(start: str, name: str) -> bool:
    """Return whether the first lines have cells, as many on each; commas count by the name only.

    With such a name, a title may have fewer, and a row one more where a cell has the sign in it.
    """
    lines = [line for line in start.splitlines()[:-1] or start.splitlines() if line.strip()][:10]
    is_named = Path(name).suffix.lower() in (".csv", ".tsv")
    counts = [[line.count(sign) for line in lines] for sign in (";\t," if is_named else ";\t")]
    least = MOST_EQUAL if is_named else 1
    return len(lines) > 1 and any(
        max(each) > 0 and max(map(each.count, filter(None, each))) >= least * len(lines)
        for each in counts
    )


def _read_package(source: Source) -> DocumentContent:
    parts = check_package(source)
    if "word/document.xml" in parts:
        from qhub_desktop.knowledge.readers.word import read_word

        return read_word(source)
    if "ppt/presentation.xml" in parts:
        from qhub_desktop.knowledge.readers.slides import read_slides

        return read_slides(source)
    if parts & {"xl/workbook.xml", "xl/workbook.bin"}:
        return read_workbook(source)
    raise refusal(OTHER, source.name)


def _read_ole(source: Source) -> DocumentContent:
    """Read what is inside an OLE file: a message, an old workbook, a locked package."""
    from olefile import OleFileIO

    with OleFileIO(str(source.path)) as ole:
        names = {path[-1] for path in ole.listdir()}
    if "EncryptedPackage" in names:
        with TemporaryDirectory() as folder:
            unlocked = Path(folder) / "unlocked"
            unlocked.write_bytes(_decrypted(source))
            return _read_package(replace(source, path=unlocked))
    if "WordDocument" in names:
        raise refusal(OLD_WORD, source.name)
    if "PowerPoint Document" in names:
        raise refusal(OLD_POWERPOINT, source.name)
    if names & {"Workbook", "Book"}:
        return read_workbook(source)
    if "__properties_version1.0" in names:
        return read_outlook(source)
    raise refusal(OTHER, source.name)


def _decrypted(source: Source) -> bytes:
    """Return the package that a password locks. Raises PasswordNeededError."""
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    content = source.path.read_bytes()
    if len(content) > MOST_LOCKED_BYTES:
        raise refusal(TOO_LARGE, source.name)
    spins = [int(each) for each in _SPINS.findall(content)]
    if max(spins, default=0) > MOST_SPINS:
        raise refusal(DAMAGED, source.name)
    if not source.password:
        raise PasswordNeededError(str(refusal(LOCKED, source.name)))
    opened = io.BytesIO()
    try:
        locked = msoffcrypto.OfficeFile(io.BytesIO(content))
        locked.load_key(password=source.password)
        locked.decrypt(opened)
    except (InvalidKeyError, DecryptionError) as error:
        raise PasswordNeededError(str(refusal(WRONG_PASSWORD, source.name))) from error
    return opened.getvalue()
