"""Workbooks under a password, opened with the one that the person typed."""

import dataclasses
import io
import re
import struct
from xml.parsers import expat

from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.formats import compound, refused
from qhub_desktop.data.formats.sheet import Source

UNLOCKED = "unlocked"
# Excel itself tries this one, and asks for nothing if it fits: what write protection leaves behind.
SILENT_PASSWORD = "VelvetSweatshop"  # noqa: S105  published in MS-OFFCRYPTO, and no secret
PACKAGE_LIMIT_BYTES = 2**28
OLD_LIMIT_BYTES = 2**26  # each byte of an .xls takes many while it is decrypted
DESCRIPTION_BYTES = 2**16
SPINS_LIMIT = 1_000_000  # how often a password is hashed: 100,000 times by Excel; 1 s each million

_SPINS = re.compile(rb"""spinCount\s*=\s*["']\s*(\d+)""")


def unlocked(source: Source) -> Source:
    """The workbook without its protection, as a file in the source's folder.

    Raises PasswordNeededError where the password is missing or another one.
    """
    names = compound.stream_names(source)
    if "EncryptedPackage" in names:
        _check_package(source)
    elif source.path.stat().st_size > OLD_LIMIT_BYTES:
        raise refused.refusal(source, refused.TOO_LONG, refused.UNLOCK)
    elif "Workbook" not in names:
        raise refused.refusal(source, refused.OTHER_LOCK, refused.UNLOCK)
    content = _decrypted(source, source.password or SILENT_PASSWORD)
    source.folder.mkdir(parents=True, exist_ok=True)
    target = source.folder / UNLOCKED
    target.write_bytes(content)
    return dataclasses.replace(source, path=target)


def password_needed(source: Source) -> PasswordNeededError:
    """Ask for the password, or for another one."""
    what, step = (
        (refused.WRONG_PASSWORD, refused.TYPE_AGAIN)
        if source.password
        else (refused.LOCKED, refused.TYPE_PASSWORD)
    )
    return PasswordNeededError(f"{_(what).format(file=source.name)} {_(step)}")


def _check_package(source: Source) -> None:
    """Refuse what would keep the library busy for hours, or make it explode."""
    described = compound.read_stream(source, "EncryptionInfo", limit=DESCRIPTION_BYTES)
    spins = _SPINS.search(described)
    if b"<!" in described or (spins and int(spins[1][:12]) > SPINS_LIMIT):
        raise refused.refusal(source, refused.OTHER_LOCK, refused.UNLOCK)
    if source.path.stat().st_size > PACKAGE_LIMIT_BYTES:
        raise refused.refusal(source, refused.TOO_LONG, refused.UNLOCK)


def _decrypted(source: Source, password: str) -> bytes:
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
        raise refused.refusal(source, refused.OTHER_LOCK, refused.UNLOCK) from error
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


def _broken(source: Source) -> UserError:
    return refused.refusal(source, refused.BROKEN, refused.EXPORT_AGAIN)
