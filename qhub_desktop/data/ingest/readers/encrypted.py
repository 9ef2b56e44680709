"""Workbooks under a password, opened with the one that the person typed."""

import dataclasses
import io
import re
import struct
from collections.abc import Sequence
from xml.parsers import expat

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers import ole_container, rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile
from qhub_desktop.data.ingest.readers.sniff import SIGNATURE, Content, wrapping

UNLOCKED = "unlocked"
# Excel itself tries this one, and asks for nothing if it fits: what write protection leaves behind.
SILENT_PASSWORD = "VelvetSweatshop"  # noqa: S105  published in MS-OFFCRYPTO, and no secret
PACKAGE_LIMIT_BYTES = 2**28
OLD_LIMIT_BYTES = 2**26  # each byte of an .xls takes many while it is decrypted
DESCRIPTION_BYTES = 2**16
SPINS_LIMIT = 1_000_000  # how often a password is hashed: 100,000 times by Excel; 1 s each million

_SPINS = re.compile(rb"""spinCount\s*=\s*["']\s*(\d+)""")


def _is_locked(content: Content) -> bool:
    if "EncryptedPackage" in content.streams:
        return True
    book = next((name for name in ("Workbook", "Book") if name in content.streams), None)
    return book is not None and ole_container.is_locked_book(content.source, book)


@wrapping(sniff=_is_locked, rank=SIGNATURE - 1, is_archive=False)
def unlocked(source: InputFile, _suffixes: Sequence[str]) -> tuple[InputFile, list[Finding]]:
    """The workbook without its protection, as a file in the source's folder.

    Raises PasswordNeededError where the password is missing or another one.
    """
    names = ole_container.stream_names(source)
    if "EncryptedPackage" in names:
        _check_package(source)
    elif source.path.stat().st_size > OLD_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNLOCK)
    elif "Workbook" not in names:
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK)
    content = _decrypted(source, source.password or SILENT_PASSWORD)
    source.folder.mkdir(parents=True, exist_ok=True)
    target = source.folder / UNLOCKED
    target.write_bytes(content)
    return dataclasses.replace(source, path=target), []


def password_needed(source: InputFile) -> PasswordNeededError:
    """Ask for the password, or for another one."""
    what, step = (
        (rejection.WRONG_PASSWORD, rejection.TYPE_AGAIN)
        if source.password
        else (rejection.LOCKED, rejection.TYPE_PASSWORD)
    )
    return PasswordNeededError(f"{_(what).format(file=source.name)} {_(step)}")


def _check_package(source: InputFile) -> None:
    """Refuse what would keep the library busy for hours, or make it explode."""
    described = ole_container.read_stream(source, "EncryptionInfo", limit=DESCRIPTION_BYTES)
    spins = _SPINS.search(described)
    if b"<!" in described or (spins and int(spins[1][:12]) > SPINS_LIMIT):
        raise rejection.refusal(source, rejection.OTHER_LOCK, rejection.UNLOCK)
    if source.path.stat().st_size > PACKAGE_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.UNLOCK)


def _decrypted(source: InputFile, password: str) -> bytes:
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
    # What a damaged or hostile description makes of a library that trusts it.
    except (
        exceptions.FileFormatError,
        exceptions.ParseError,
        expat.ExpatError,
        OleFileError,
        struct.error,
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise _broken(source) from error
    return target.getvalue()


def _broken(source: InputFile) -> UserError:
    return rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN)
