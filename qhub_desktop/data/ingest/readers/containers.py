"""Container formats: archives that hold one table, and workbooks under a password.

Each is unpacked or decrypted within limits, and read as what it holds.
"""

import dataclasses
import gzip
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO
from xml.parsers import expat

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.findings import Sentence, listed
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile
from qhub_desktop.data.ingest.readers.sniff import (
    CONTAINER,
    SIGNATURE,
    Content,
    container,
    ole_stream_names,
    read_ole_head,
    read_ole_stream,
)

LOCKED_LIMIT_BYTES = 2**26  # decrypting takes about a second for each megabyte
UNPACKED_BYTES = 2**20
NAMES_TOLD = 5
_ARCHIVE_OTHERS = Sentence(
    "archive_others", "Of the archive, {name} was read; {others} hold no table."
)
AES = 99  # the compression method that such an entry claims
ENCRYPTED = 1
STRONGLY = 64
# What systems put into archives of their own accord.
_SYSTEM_FILES = {".ds_store", "thumbs.db", "desktop.ini"}

UNLOCKED = "unlocked"
# Streams of what Rights Management encrypts, since 2007 and before (MS-OFFCRYPTO, 2.2). Of the old
# ones, the workbook beside them says no more than that it is protected.
LABELS = {"DRMEncryptedDataSpace", "\tDRMDataSpace", "\tDRMContent"}
# Excel itself tries this one, and asks for nothing if it fits: what write protection leaves behind.
SILENT_PASSWORD = "VelvetSweatshop"  # noqa: S105  published in MS-OFFCRYPTO, and no secret
PACKAGE_LIMIT_BYTES = 2**28
OLD_LIMIT_BYTES = 2**26  # each byte of an .xls takes many while it is decrypted
DESCRIPTION_BYTES = 2**16
SPINS_LIMIT = 1_000_000  # how often a password is hashed: 100,000 times by Excel; 1 s each million

_SPINS = re.compile(rb"""spinCount\s*=\s*["']\s*(\d+)""")
GLOBALS_BYTES = 2**20  # of a stream: in them, the globals of a workbook are looked for
END_OF_RECORDS = 0x000A
FILEPASS = 0x002F


def _is_zip(content: Content) -> bool:
    return content.is_zip


def _is_gzip(content: Content) -> bool:
    return content.head.startswith(b"\x1f\x8b")


@container(suffixes=(".zip",), sniff=_is_zip, rank=CONTAINER, is_archive=True)
def unpack_zip(source: InputFile, suffixes: Sequence[str]) -> tuple[InputFile, list[Finding]]:
    """Unpack the one table of a zip into the source's folder; return it and the findings.

    `suffixes` are those of readable files; they matter only if the archive holds several.
    """
    with _errors_explained(source), zipfile.ZipFile(source.path) as archive:
        entries = [entry for entry in archive.infolist() if _is_relevant(entry)]
        entry = _chosen_entry(source, entries, suffixes)
        others = [_name(each) for each in entries if each is not entry]
        if entry.flag_bits & ENCRYPTED:
            target = _decrypt_entry(source, archive, entry)
        else:
            with archive.open(entry) as stream:
                target = _stored(source, stream, _name(entry))
    found = _findings(_name(entry), others) if others else []
    return target, found


@container(suffixes=(".gz",), sniff=_is_gzip, rank=CONTAINER, is_archive=True)
def unpack_gzip(source: InputFile, _suffixes: Sequence[str]) -> tuple[InputFile, list[Finding]]:
    """Unpack a .gz into the source's folder."""
    name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
    with _errors_explained(source), gzip.open(source.path) as stream:
        return _stored(source, stream, name), []


def _is_relevant(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    return not (
        entry.is_dir()
        or "__MACOSX" in path.parts
        or path.name.startswith(("._", "~$"))
        or path.name.lower() in _SYSTEM_FILES
    )


def _name(entry: zipfile.ZipInfo) -> str:
    return PurePosixPath(entry.filename.replace("\\", "/")).name


def _chosen_entry(
    source: InputFile, entries: Sequence[zipfile.ZipInfo], suffixes: Sequence[str]
) -> zipfile.ZipInfo:
    if len(entries) == 1:
        return entries[0]
    tables = [entry for entry in entries if _name(entry).lower().endswith(tuple(suffixes))]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise rejection.refusal(source, rejection.EMPTY_ARCHIVE, rejection.UNPACK)
    raise UserError(
        _("{file} holds {count} tables: {names}. Unpack it, and drop those that you need.").format(
            file=source.name,
            count=len(tables),
            names=listed([*map(_name, tables[:NAMES_TOLD])], of=len(tables)),
        )
    )


def _decrypt_entry(
    source: InputFile, archive: zipfile.ZipFile, entry: zipfile.ZipInfo
) -> InputFile:
    if entry.compress_type == AES or entry.flag_bits & STRONGLY:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNPACK)
    if entry.compress_size > LOCKED_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNPACK)
    if not source.password:
        raise password_needed(source)
    for encoding in ("utf-8", "cp1252"):
        try:
            with archive.open(entry, pwd=source.password.encode(encoding, "replace")) as stream:
                return _stored(source, stream, _name(entry))
        # One wrong password of 256 passes the check in the header, and gives noise.
        except (RuntimeError, zipfile.BadZipFile, zlib.error):
            continue
    raise password_needed(source)


def _stored(source: InputFile, stream: IO[bytes] | gzip.GzipFile, name: str) -> InputFile:
    """Store a stream as a file. Raises UserError if it exceeds the limit."""
    source.folder.mkdir(parents=True, exist_ok=True)
    target = source.folder / rejection.UNPACKED
    size = 0
    with target.open("wb") as file:
        while chunk := stream.read(UNPACKED_BYTES):
            size += len(chunk)
            if size > rejection.UNPACKED_LIMIT_BYTES:
                raise rejection.refusal(source, rejection.TOO_LARGE, rejection.SPLIT)
            file.write(chunk)
            source.tell(_("Unpacking {file}").format(file=source.name), None)
    return dataclasses.replace(source, path=target, name=f"{name} ({source.name})")


@contextmanager
def _errors_explained(source: InputFile) -> Iterator[None]:
    try:
        yield
    except NotImplementedError as error:
        raise rejection.refusal(source, rejection.PACKED, rejection.UNPACK) from error
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise rejection.damaged(source) from error


def _findings(name: str, others: Sequence[str]) -> list[Finding]:
    told = listed(others[:NAMES_TOLD], of=len(others))
    return [_ARCHIVE_OTHERS.finding(len(others), name=name, others=told)]


def _is_locked(content: Content) -> bool:
    if "EncryptedPackage" in content.streams or content.streams & LABELS:
        return True
    book = next((name for name in ("Workbook", "Book") if name in content.streams), None)
    return book is not None and _is_encrypted_stream(
        read_ole_head(content.source, book, GLOBALS_BYTES)
    )


@container(sniff=_is_locked, rank=SIGNATURE - 1, is_archive=False)
def decrypt_workbook(
    source: InputFile, _suffixes: Sequence[str]
) -> tuple[InputFile, list[Finding]]:
    """Decrypt a protected workbook into the source's folder.

    Raises PasswordNeededError if the password is missing or wrong.
    """
    names = ole_stream_names(source)
    if names & LABELS:
        raise rejection.refusal(source, rejection.LABELLED, rejection.UNLABEL)
    if "EncryptedPackage" in names and "EncryptionInfo" not in names:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK)
    if "EncryptedPackage" in names:
        _check_package(source)
    elif source.path.stat().st_size > OLD_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNLOCK)
    elif "Workbook" not in names:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK)
    content = _decrypt(source, source.password or SILENT_PASSWORD)
    source.folder.mkdir(parents=True, exist_ok=True)
    target = source.folder / UNLOCKED
    target.write_bytes(content)
    return dataclasses.replace(source, path=target), []


def password_needed(source: InputFile) -> PasswordNeededError:
    """Return the error that asks for the password, or for another one."""
    what, step = (
        (rejection.WRONG_PASSWORD, rejection.TYPE_AGAIN)
        if source.password
        else (rejection.LOCKED, rejection.TYPE_PASSWORD)
    )
    return PasswordNeededError(f"{_(what).format(file=source.name)} {_(step)}")


def _check_package(source: InputFile) -> None:
    """Raise UserError for what would keep the library busy for hours, or exhaust the memory."""
    described = read_ole_stream(source, "EncryptionInfo", limit=DESCRIPTION_BYTES)
    spins = _SPINS.search(described)
    if b"<!" in described or (spins and int(spins[1][:12]) > SPINS_LIMIT):
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK)
    if source.path.stat().st_size > PACKAGE_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNLOCK)


def _decrypt(source: InputFile, password: str) -> bytes:
    # The library and its cryptography take 0.2 s to load, and most files are not protected.
    import msoffcrypto
    from msoffcrypto import exceptions
    from olefile.olefile import OleFileError

    target = io.BytesIO()
    try:
        with source.path.open("rb") as opened:
            office = msoffcrypto.OfficeFile(opened)
            if office.format == "ooxml":
                office.load_key(password=password, verify_password=True)
            else:
                office.load_key(password=password)
            office.decrypt(target)
    except exceptions.InvalidKeyError as error:
        raise password_needed(source) from error
    except exceptions.DecryptionError as error:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK) from error
    except (OleFileError, struct.error) as error:
        raise rejection.damaged(source) from error
    # What a hostile description, or one of another kind, makes of a library that trusts it.
    except (
        exceptions.FileFormatError,
        exceptions.ParseError,
        expat.ExpatError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK) from error
    return target.getvalue()


def _is_encrypted_stream(content: bytes) -> bool:
    """Return whether the first records of a workbook's stream say that the rest is encrypted."""
    place = 0
    while place + 4 <= len(content):
        kind, length = struct.unpack_from("<HH", content, place)
        if kind in (FILEPASS, END_OF_RECORDS):
            return bool(kind == FILEPASS)
        place += 4 + length
    return False
