"""Updates that an administrator offers in a folder: an offer's form, signature and sentences.

`build/sign_update.py` writes offers; `updates/updater.py` fetches and installs what they name.
"""

# Why it is so: decisions/updates.md

import re
from datetime import UTC, datetime

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import parse_object
from qhub_desktop.core.values import dataclass

OFFER_FILE = "qhub-update.json"
CONTEXT = b"QHub Desktop update\n"  # signed before the manifest: the key may sign other things, too
FORMAT = 1
PRODUCT = "qhub-desktop"
SYSTEM = "windows-x64"
VERSION = re.compile(r"(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})")
# One name, no path; neither Windows' devices nor its streams can be spelt so.
INSTALLER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}-setup\.exe")
DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_OFFER_BYTES = 64_000
MOST_INSTALLER_BYTES = 4_000_000_000
MOST_NOTES = 500  # characters
YEAR_3000_S = 32_503_680_000  # Windows tells no later moment


@dataclass(frozen=True, slots=True)
class Age:
    """Age of an offer: its version, and when it was signed."""

    version: str
    made: int  # seconds since 1970; 0 where the offer does not say

    def is_older_than(self, other: "Age") -> bool:
        """Return whether the version is a lower one, or was signed before."""
        numbers, others = version_numbers(self.version), version_numbers(other.version)
        return numbers < others or self.made < other.made

    @property
    def words(self) -> str:
        """What a person is told."""
        if not self.made:
            return self.version
        signed = datetime.fromtimestamp(self.made, UTC).astimezone()
        return _("{version} of {moment}").format(version=self.version, moment=moment(signed))


@dataclass(frozen=True, slots=True)
class Release:
    """A version that is offered: what its signed manifest says."""

    version: str
    file: str
    size: int
    sha256: str
    notes: str = ""
    made: int = 0

    @property
    def age(self) -> Age:
        """How new it is."""
        return Age(self.version, self.made)


@dataclass(frozen=True, slots=True)
class Offered:
    """The folder offers a newer version; `is_prepared` once it is verified and kept here."""

    release: Release
    is_prepared: bool

    @property
    def sentence(self) -> str:
        """What a person is told."""
        version = self.release.version
        if self.is_prepared:
            return prepared_sentence(version)
        return _("Version {version} is available ({size} MB).").format(
            version=version, size=number(self.release.size / 1e6, digits=0)
        )


@dataclass(frozen=True, slots=True)
class UpToDate:
    """Nothing newer is offered; `offered` is what the folder has, empty for nothing at all."""

    version: str
    offered: str

    @property
    def sentence(self) -> str:
        """What a person is told."""
        if not self.offered:
            text = _("The folder of updates offers nothing. This is version {version}.")
        elif self.offered == self.version:
            text = _("This is version {version}, the newest that is offered.")
        else:
            text = _(
                "The folder of updates offers {offered}, which is older than this version,"
                " {version}. Nothing is installed."
            )
        return text.format(version=self.version, offered=self.offered)


Status = Offered | UpToDate


def prepared_sentence(version: str, obstacle: str = "") -> str:
    """Return what is said of a version that waits for the next start, or can go no further."""
    kept = _("Version {version} is verified and kept.").format(version=version)
    # Outside of the braces, where texts are not looked for.
    waits = _("It is installed when QHub Desktop is next started.")
    return f"{kept} {obstacle or waits}"


def read_release(offer: bytes, key: str) -> Release:
    """Read what an offer says, once its signature is found to be that of the key.

    Raises UserError for a key that is none, a signature of another key, and an offer that is not
    whole, not for this product or system, or made for a later program.
    """
    text = _verified(offer, key)
    try:
        manifest = parse_object(text)
        if manifest["format"] != FORMAT:
            raise UserError(
                _(
                    "The offered update was made for another version of this program. Install it"
                    " by hand once; nothing was changed."
                )
            )
        if (manifest["product"], manifest["system"]) != (PRODUCT, SYSTEM):
            raise UserError(
                _(
                    "What the folder of updates offers is for another program or system. Whoever"
                    " looks after the folder can put it right; nothing was changed."
                )
            )
        release = Release(
            version=matching(VERSION, manifest["version"]),
            file=matching(INSTALLER, manifest["file"]),
            size=_whole(manifest["size"]),
            sha256=matching(DIGEST, manifest["sha256"]),
            notes=sanitize(str(manifest.get("notes", "")))[:MOST_NOTES],
            made=signing_time(manifest.get("made", 0)),
        )
        if not 0 < release.size <= MOST_INSTALLER_BYTES:
            raise ValueError(release.size)
    except (ValueError, KeyError) as error:
        raise UserError(
            _(
                "The offered update is signed, but cannot be understood. Whoever looks after the"
                " folder has to make it again; nothing was changed."
            )
        ) from error
    return release


def _verified(offer: bytes, key: str) -> bytes:
    """Return the manifest of an offer that is signed with the key. Raises UserError."""
    # With the first offer only: it takes 50 ms, and most stations are offered nothing.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if not DIGEST.fullmatch(key.strip().lower()):
        raise UserError(
            _(
                "The public key of updates is none: it has 64 digits from 0 to 9 and a to f."
                " Correct it in Settings, under Updates, or ask whoever looks after this computer."
            )
        )
    try:
        envelope = parse_object(offer)
        manifest = _text(envelope["manifest"]).encode()
        signature = bytes.fromhex(_text(envelope["signature"]))
    except (ValueError, KeyError) as error:
        raise UserError(
            _(
                "The offer in the folder of updates is not whole. It may be copied just now: look"
                " again in a few minutes. Nothing was changed."
            )
        ) from error
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, CONTEXT + manifest)
    except (InvalidSignature, ValueError) as error:
        raise UserError(
            _(
                "The update that is offered does not bear the signature of whoever looks after"
                " updates here. Tell them; nothing was changed."
            )
        ) from error
    return manifest


def signing_time(value: object) -> int:
    """Check when something was signed, in seconds since 1970. Raises ValueError."""
    if not isinstance(value, int) or not 0 <= value < YEAR_3000_S:
        raise ValueError(value)
    return value


def matching(form: re.Pattern[str], value: object) -> str:
    """Return a text that has a form. Raises ValueError for anything else."""
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(value)  # noqa: TRY004  as for every other value that is wrong
    return value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError(value)
    return value


def version_numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, which compare as versions do."""
    return tuple(map(int, version.split(".")))
