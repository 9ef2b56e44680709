"""Sniffing of file formats: by content, never by name.

A format is declared where its reader is written, with `@file_format`: its name, its suffixes, and a
sniffer that looks at the `Content` and says whether it is its own. Sniffers are asked in the order
of their `rank`: signatures first, then text that begins in a certain way, then any text at all.
"""

import codecs
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import olefile

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.package import open_package
from qhub_desktop.data.ingest.readers.rejection import (
    HEAD_BYTES,
    OLE,
    UNPACKED_LIMIT_BYTES,
    ZIP,
    refusal,
)
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile

EMPTY_ZIP = b"PK\x05\x06"
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\1\0")
ARCHIVES = (b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", EMPTY_ZIP)
DATABASES = (b"SQLite format 3\0", b"\0\1\0\0Standard ACE DB", b"\0\1\0\0Standard Jet DB")
# The beginning of workbooks of Excel 2 to 5 that stand alone, not in an OLE file.
BARE_BIFF = (b"\x09\0\4\0", b"\x09\0\6\0", b"\x09\2\6\0", b"\x09\4\6\0", b"\x09\x08")
# Texts whose first lines, in lower case, say that they are no tables.
TEXTS = (
    (re.compile(r"begin:vcard\s*?[\r\n]"), rejection.VCARD),
    (re.compile(r"begin:vcalendar\s*?[\r\n]"), rejection.CALENDAR),
    (re.compile(r"(?:%[^\r\n]*[\r\n]+)*\\(?:documentclass\b|begin\{)"), rejection.DOCUMENT),
    (
        re.compile(r"(?:\{1:[^\r\n]*[\r\n]+)?:20:[^\r\n]*[\r\n]+:(?:2[158]|60)[a-z]?:"),
        rejection.STATEMENT,
    ),
    (
        re.compile(r"(?:<(?:\?xml|!--|!doctype svg)[^>]*>\s*)*<(?:svg:)?svg[\s/>]"),
        rejection.PICTURE,
    ),
    # EDIFACT, which may name its signs first, X12 and HL7.
    (re.compile(r"(?:una.{6}\s*)?unb.uno[a-z].\d|isa(.)\d\d\1.{10}\1"), rejection.MESSAGE),
    (re.compile(r"(?:[fb]hs\|[^\r\n]*[\r\n]+)?msh\|\^~\\&"), rejection.MESSAGE),
    (re.compile(r"iso-10303-21;|(?:999\s[^\r\n]*\s+)?0[\r\n]+section[\r\n]"), rejection.DRAWING),
    (
        re.compile(
            r"(?:return-path|received|delivered-to|message-id|from): [^\r\n]*@[^\r\n]*[\r\n]+"
            r"(?:(?:[\w-]+:|[ \t])[^\r\n]*[\r\n]+){2}(?![\s\S]*(?:text/html|multipart))"
        ),
        rejection.MAIL,
    ),
)
# A number, and pairs of a place and a value: '1 3:0.5 7:1'.
SPARSE = re.compile(r"[-+]?\d+(?:\.\d+)?(?: qid:\d+)?((?: \d+:[-+]?\d[\d.eE+-]*){2,}) *(?:#.*)?")
SPARSE_LINES = 3
OLE_LIMIT_BYTES = 2**28  # a full .xls, 65,536 rows of 256 columns, is about 240 MB
OWNER_BYTES = 1_024
OFFICE_PARTS = {"word/document.xml", "ppt/presentation.xml", "Index/Document.iwa", "Index.zip"}
OFFICE_STREAMS = {"WordDocument", "PowerPoint Document", "__properties_version1.0"}

# Ranks. What is refused by its signature (pictures, databases) is refused between the first two, so
# that a format may claim one of those signatures.
SIGNATURE = 10
CONTAINER = 20  # any zip that is not one of the formats above
MARKUP = 30
ANY_TEXT = 40

# Raises UserError for a file that it cannot read, at once or while its rows are iterated.
Reader = Callable[[InputFile], ParsedFile]
# Returns the file in a container, and the findings. The suffixes are the readable ones, by which
# one of several files is chosen.
Extract = Callable[[InputFile, Sequence[str]], tuple[InputFile, list[Finding]]]


class Content:
    """A file's beginning and, of a container, its directory, for sniffers to examine.

    Raises:
        UserError: The container is damaged, or too large once unpacked.

    """

    def __init__(self, source: InputFile) -> None:
        self.source = source
        with source.path.open("rb") as opened:
            self.head = opened.read(HEAD_BYTES)

    @cached_property
    def text(self) -> str:
        """The beginning decoded as text, well enough to recognise it."""
        if self.head.startswith((b"\xff\xfe", b"\xfe\xff")):
            decoded = self.head.decode("utf-16", "replace")
        else:
            decoded = self.head.decode(utf16_order(self.head) or "utf-8", "replace")
        return decoded.lstrip("\ufeff \t\r\n")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text; the last may be cut."""
        return re.split(r"\r\n|\n|\r", self.text)

    @cached_property
    def start(self) -> str:
        """The first characters of the text, in lower case."""
        return self.text[:2_000].lower()

    @property
    def is_xml(self) -> bool:
        """Whether it begins as XML does."""
        return self.start.startswith(("<?xml", "<!--", "<!doctype", "<workbook", "<ss:workbook"))

    @cached_property
    def is_binary(self) -> bool:
        """Whether it is no text: it has more than a few control characters, but for UTF-16."""
        head = self.head
        if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or utf16_order(head):
            return False
        # Tabs, ends of lines and pages, and the signs that part cells in some old exports.
        usual = (1, 9, 10, 11, 12, 13, 27, 28, 29, 30, 31)
        controls = sum(head.count(code) for code in range(32) if code not in usual)
        return controls * 50 > len(head)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip archive, of files or of the parts of a document."""
        return self.head.startswith(ZIP)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names in a zip archive; none of another file."""
        if not self.is_zip:
            return frozenset()
        try:
            with open_package(self.source.path) as archive:
                entries = archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
            raise rejection.given_up(self.source, error) from error
        if sum(entry.file_size for entry in entries) > UNPACKED_LIMIT_BYTES:
            raise refusal(self.source, rejection.TOO_LARGE, rejection.SPLIT)
        return frozenset(entry.filename.replace("\\", "/") for entry in entries)

    def part(self, name: str, *, limit: int) -> bytes:
        """Return a part of the zip, unpacked; b'' if it is missing or reaches the limit."""
        try:
            with open_package(self.source.path) as archive:
                info = archive.NameToInfo.get(name)
                return b"" if info is None or info.file_size >= limit else archive.read(info)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, zlib.error) as error:
            raise rejection.given_up(self.source, error) from error
        except RuntimeError as error:  # the entry is encrypted
            raise refusal(self.source, rejection.LOCKED, rejection.UNLOCK_ELSEWHERE) from error

    @cached_property
    def streams(self) -> frozenset[str]:
        """The names of the streams in an OLE file; none of another file."""
        if not self.head.startswith(OLE):
            return frozenset()
        names = ole_stream_names(self.source)
        if not names:  # a directory cut off
            raise rejection.damaged(self.source)
        return frozenset(names)


Sniffer = Callable[[Content], bool]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format that can be read."""

    name: str  # as the person knows it: "Excel", "CSV", "HTML"…
    suffixes: tuple[str, ...]
    open: Reader
    sniff: Sniffer
    rank: int  # of the sniffer: the lowest is asked first
    place: int  # in lists for people


@dataclass(frozen=True, slots=True)
class Container:
    """A format that holds a file of another: an archive or an encrypted workbook."""

    suffixes: tuple[str, ...]
    extract: Extract
    sniff: Sniffer
    rank: int
    is_archive: bool  # else encryption, under which only a workbook is looked for


READERS: list[FileFormat] = []  # of the modules loaded so far
CONTAINERS: list[Container] = []


def file_format(
    name: str,
    *,
    suffixes: tuple[str, ...],
    sniff: Sniffer,
    rank: int = SIGNATURE,
    place: int = 100,
) -> Callable[[Reader], Reader]:
    """Declare a function to be the reader of a kind of file."""

    def declare(reader: Reader) -> Reader:
        READERS.append(FileFormat(name, suffixes, reader, sniff, rank, place))
        return reader

    return declare


def container(
    *, suffixes: tuple[str, ...] = (), sniff: Sniffer, rank: int, is_archive: bool
) -> Callable[[Extract], Extract]:
    """Declare a function that takes a file out of a container."""

    def declare(extract: Extract) -> Extract:
        CONTAINERS.append(Container(suffixes, extract, sniff, rank, is_archive))
        return extract

    return declare


def identify(source: InputFile) -> FileFormat | Container:
    """Return the format or container of a file, by its content.

    Raises:
        UserError: No reader takes it. The text says what to do.

    """
    content = Content(source)
    if not content.head:
        raise refusal(source, rejection.EMPTY_FILE, rejection.EXPORT_AGAIN)
    if source.name.startswith("~$") and source.path.stat().st_size <= OWNER_BYTES:
        raise refusal(source, rejection.OWNER, rejection.DROP_REAL)
    readers = sorted(READERS, key=lambda each: (each.rank, each.place))
    both: list[FileFormat | Container] = [*CONTAINERS, *readers]
    kinds = sorted(both, key=lambda each: each.rank)
    signed = [each for each in kinds if each.rank < CONTAINER]
    if found := next((each for each in signed if each.sniff(content)), None):
        return found
    _reject_known(content)
    others = kinds[len(signed) :]
    if found := next((each for each in others if each.sniff(content)), None):
        return found
    raise refusal(source, rejection.OTHER, rejection.FROM_SOURCE)


def utf16_order(head: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark; None if it is another encoding.

    Every other byte of Western text is a NUL; of other texts, that of every delimiter and newline.
    """
    sample = head[: len(head) // 2 * 2]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if len(sample) < 4 or min(even, odd) * 50 > len(sample):
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    if max(even, odd) * 10 >= len(sample) // 2 * 7:
        return encoding
    is_mostly_text = max(even, odd) * 10 >= len(sample) // 2 and not min(even, odd)
    return encoding if is_mostly_text and _is_text(sample, encoding) else None


def _is_text(sample: bytes, encoding: str) -> bool:
    """Return whether the decoded sample has lines, of characters that texts have."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    odd = sum(unicodedata.category(letter)[0] == "C" for letter in text if letter not in "\t\r\n")
    return "\n" in text and not odd


def _reject_known(content: Content) -> None:
    """Raise UserError for what its signature or its parts show to be no table."""
    source, head = content.source, content.head
    if content.parts & OFFICE_PARTS or content.streams & OFFICE_STREAMS:
        raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)
    if content.streams:
        raise refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    if any(name.startswith("xl/") for name in content.parts):  # what is left of a workbook
        raise refusal(source, rejection.INCOMPLETE, rejection.EXPORT_AGAIN)
    if "[Content_Types].xml" in content.parts:  # a package of another program
        raise refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    if head.startswith(b".pfile"):
        raise refusal(source, rejection.LABELLED, rejection.UNLABEL)
    if head.startswith(b"%PDF"):
        raise refusal(source, rejection.PDF, rejection.FROM_SOURCE)
    if head.startswith(DATABASES):
        raise refusal(source, rejection.DATABASE, rejection.FROM_SOURCE)
    if head.startswith(BARE_BIFF) and content.is_binary:
        raise refusal(source, rejection.OLD_EXCEL, rejection.SAVE_AS)
    if head.startswith(PICTURES) and content.is_binary:
        raise refusal(source, rejection.PICTURE, rejection.FROM_SOURCE)
    if head.startswith(ARCHIVES):
        raise refusal(source, rejection.ARCHIVE, rejection.UNPACK)
    if head.lstrip().startswith(b"{\\rtf"):
        raise refusal(source, rejection.DOCUMENT, rejection.FROM_SOURCE)
    if what := next((what for begins, what in TEXTS if begins.match(content.start)), None):
        raise refusal(source, what, rejection.FROM_SOURCE)
    if not source.choices.separator and _is_sparse(content.lines[:-1]):
        raise refusal(source, rejection.LIBSVM, rejection.FROM_SOURCE)


def _is_sparse(lines: Sequence[str]) -> bool:
    """Return whether each line tells a few of many values, by places that rise in every line."""
    if len(lines) < SPARSE_LINES or SPARSE.fullmatch(lines[0]) is None:
        return False
    found = [SPARSE.fullmatch(line) for line in lines if line.strip()]
    places = [[int(each.partition(":")[0]) for each in line[1].split()] for line in found if line]
    is_rising = all(each == sorted({*each}) for each in places)
    return len(places) == len(found) and is_rising and any(len(each) > 2 for each in places)


def ole_stream_names(source: InputFile) -> set[str]:
    """Return the names of an OLE file's streams, without the folders they are in."""
    with _ole_file(source) as ole:
        return {path[-1] for path in ole.listdir()}


def read_ole_stream(source: InputFile, name: str, *, limit: int = OLE_LIMIT_BYTES) -> bytes:
    """Return a stream at the top of an OLE file. Raises UserError if it is larger than `limit`."""
    with _ole_file(source) as ole:
        if ole.get_size(name) > limit:
            raise rejection.refusal(source, rejection.TOO_LONG, rejection.AS_TEXT)
        content: bytes = ole.openstream(name).read()
        return content


def read_ole_head(source: InputFile, name: str, size: int) -> bytes:
    """Return the first `size` bytes of a stream at the top of an OLE file."""
    with _ole_file(source) as ole:
        content: bytes = ole.openstream(name).read(size)
        return content


@contextmanager
def _ole_file(source: InputFile) -> Iterator[olefile.OleFileIO]:
    try:
        with olefile.OleFileIO(str(source.path)) as ole:
            yield ole
    # What a damaged directory or sector table makes of a library that trusts both.
    except OSError as error:
        if error.errno is not None:  # of the disk
            raise
        raise rejection.damaged(source) from error
    except (
        AttributeError,
        IndexError,
        RecursionError,
        TypeError,
        ValueError,
        struct.error,
    ) as error:
        raise rejection.damaged(source) from error
