"""Archives that hold one table: unpacked within limits, and read as what they hold."""

import dataclasses
import gzip
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.encrypted import password_needed
from qhub_desktop.data.ingest.readers.sheet import InputFile
from qhub_desktop.data.ingest.readers.sniff import WRAPPING, Content, wrapping

UNPACKED = "unpacked"
LOCKED_LIMIT_BYTES = 2**26  # decrypting takes about a second for each megabyte
CHUNK_BYTES = 2**20
NAMES_TOLD = 5
AES = 99  # the compression method that such an entry claims
ENCRYPTED = 1
STRONGLY = 64
# What systems put into archives of their own accord.
_LITTER = {".ds_store", "thumbs.db", "desktop.ini"}


def _is_zip(content: Content) -> bool:
    return content.is_zip


def _is_gzip(content: Content) -> bool:
    return content.head.startswith(b"\x1f\x8b")


@wrapping(suffixes=(".zip",), sniff=_is_zip, rank=WRAPPING, is_archive=True)
def unpacked(source: InputFile, suffixes: Sequence[str]) -> tuple[InputFile, list[Finding]]:
    """The one table of a zip, as a file in the source's folder, and what is to be said of it.

    `suffixes` are those that tables have; they matter only where there are several files.
    """
    with _errors_told(source), zipfile.ZipFile(source.path) as archive:
        entries = [entry for entry in archive.infolist() if _counts(entry)]
        entry = _chosen(source, entries, suffixes)
        others = [_name(each) for each in entries if each is not entry]
        if entry.flag_bits & ENCRYPTED:
            target = _decrypted(source, archive, entry)
        else:
            with archive.open(entry) as stream:
                target = _kept(source, stream, _name(entry))
    found = _told(_name(entry), others) if others else []
    return target, found


@wrapping(suffixes=(".gz",), sniff=_is_gzip, rank=WRAPPING, is_archive=True)
def inflated(source: InputFile, _suffixes: Sequence[str]) -> tuple[InputFile, list[Finding]]:
    """What a .gz holds, as a file in the source's folder."""
    name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
    with _errors_told(source), gzip.open(source.path) as stream:
        return _kept(source, stream, name), []


def _counts(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    return not (
        entry.is_dir()
        or "__MACOSX" in path.parts
        or path.name.startswith(("._", "~$"))
        or path.name.lower() in _LITTER
    )


def _name(entry: zipfile.ZipInfo) -> str:
    return PurePosixPath(entry.filename.replace("\\", "/")).name


def _chosen(
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
            file=source.name, count=len(tables), names=_listed([_name(table) for table in tables])
        )
    )


def _decrypted(source: InputFile, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> InputFile:
    if entry.compress_type == AES or entry.flag_bits & STRONGLY:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNPACK)
    if entry.compress_size > LOCKED_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNPACK)
    if not source.password:
        raise password_needed(source)
    for encoding in ("utf-8", "cp1252"):
        try:
            with archive.open(entry, pwd=source.password.encode(encoding, "replace")) as stream:
                return _kept(source, stream, _name(entry))
        # One wrong password of 256 passes the first look, and comes out as noise.
        except (RuntimeError, zipfile.BadZipFile, zlib.error):
            continue
    raise password_needed(source)


def _kept(source: InputFile, stream: IO[bytes] | gzip.GzipFile, name: str) -> InputFile:
    """The stream as a file, as long as it keeps to the limit."""
    source.folder.mkdir(parents=True, exist_ok=True)
    target = source.folder / UNPACKED
    size = 0
    with target.open("wb") as file:
        while chunk := stream.read(CHUNK_BYTES):
            size += len(chunk)
            if size > rejection.UNPACKED_LIMIT_BYTES:
                raise rejection.refusal(source, rejection.TOO_LARGE, rejection.SPLIT)
            file.write(chunk)
            source.tell(_("Unpacking {file}").format(file=source.name), None)
    return dataclasses.replace(source, path=target, name=f"{name} ({source.name})")


@contextmanager
def _errors_told(source: InputFile) -> Iterator[None]:
    try:
        yield
    except (
        EOFError,
        NotImplementedError,
        gzip.BadGzipFile,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error


def _told(name: str, others: Sequence[str]) -> list[Finding]:
    return [
        Finding(
            kind="archive_others",
            text=_("Of the archive, {name} was read; {others} hold no table.").format(
                name=name, others=_listed(others)
            ),
            count=len(others),
        )
    ]


def _listed(names: Iterator[str] | Sequence[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:NAMES_TOLD]) + (", …" if len(listed) > NAMES_TOLD else "")
