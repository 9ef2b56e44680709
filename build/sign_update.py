"""Offers an update to the stations of a plant: `python build/sign_update.py`.

    new-key KEY.pem                 make a private key, and print the public one
    public-key KEY.pem              print the public key of a private one
    offer SETUP.exe KEY.pem FOLDER  put an installer into a folder or share, and sign for it

Any Python with the package `cryptography` will do, such as that of build/.work/environment/. The
password of the key, if it has one, is read from QHUB_UPDATE_KEY_PASSWORD. What an offer is made of
stands in qhub_desktop/updates/, which reads it.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

OFFER_FILE = "qhub-update.json"
CONTEXT = b"QHub Desktop update\n"
INSTALLER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*?-(\d+\.\d+\.\d+)-setup\.exe")
PASSWORD = "QHUB_UPDATE_KEY_PASSWORD"
PLACE = Path(__file__).name


def main(words: Sequence[str]) -> int:
    """Do what is asked; the program ends with a sentence if it cannot."""
    asked = _parse(words)
    if asked.doing == "new-key":
        make_key(asked.key)
    key = read_key(asked.key)
    if asked.doing == "offer":
        try:
            offer(asked.installer, key, asked.folder, notes=asked.notes)
        except OSError as error:
            sys.exit(f"Nothing is offered: {error}")
        print(f"Offered in {asked.folder}: {asked.installer.name}.")
    print(f"Public key, for update_key: {public_key(key)}")
    return 0


def make_key(file: Path) -> None:
    """Write a new private key, which nobody but its owner may read; never over another one."""
    key = Ed25519PrivateKey.generate()
    password = os.environ.get(PASSWORD, "").encode()
    data = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption(),
    )
    try:
        with open(file, "xb", opener=_only_mine) as opened:
            opened.write(data)
    except FileExistsError:
        sys.exit(f"{file} is there already. Its stations would trust no other key: keep it.")
    except OSError as error:
        sys.exit(f"The key {file} cannot be written: {error}")


def _only_mine(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def read_key(file: Path) -> Ed25519PrivateKey:
    """Read a private key."""
    password = os.environ.get(PASSWORD, "").encode() or None
    try:
        key = serialization.load_pem_private_key(file.read_bytes(), password)
    except (OSError, ValueError, TypeError) as error:
        sys.exit(f"The key {file} cannot be read: {error}")
    if not isinstance(key, Ed25519PrivateKey):
        sys.exit(f"The key {file} is not of the kind Ed25519. Make one with: {PLACE} new-key")
    return key


def public_key(key: Ed25519PrivateKey) -> str:
    """Return the public key as the setting `update_key` has it."""
    raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return raw.hex()


def offer(installer: Path, key: Ed25519PrivateKey, folder: Path, *, notes: str = "") -> None:
    """Copy an installer to a folder, then put the signed offer there, each whole or not at all."""
    named = INSTALLER.fullmatch(installer.name)
    if not named:
        sys.exit(f"{installer.name} is no installer's name, such as QHub-Desktop-1.2.3-setup.exe.")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / installer.name
    made = _signing_time(folder, named[1])
    if installer.resolve() != target.resolve():
        part = target.with_suffix(".part")
        shutil.copyfile(installer, part)
        part.replace(target)
    with target.open("rb") as file:  # what was copied, not what was to be
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    manifest = json.dumps(
        {
            "format": 1,
            "product": "qhub-desktop",
            "system": "windows-x64",
            "version": named[1],
            "file": installer.name,
            "size": target.stat().st_size,
            "sha256": digest,
            "notes": notes,
            "made": made,
        }
    )
    signature = key.sign(CONTEXT + manifest.encode()).hex()
    part = folder / f"{OFFER_FILE}.part"
    part.write_text(
        json.dumps({"manifest": manifest, "signature": signature}, indent=1) + "\n",
        encoding="utf-8",
        newline="\n",
    )
    part.replace(folder / OFFER_FILE)


def _signing_time(folder: Path, version: str) -> int:
    """Return the present time in seconds, or the next after what is offered there already.

    Stations refuse an offer that is older than one that they have seen, by version or by time; the
    clock of a computer may have been put back meanwhile.
    """
    now = int(time.time())
    try:
        manifest = json.loads(json.loads((folder / OFFER_FILE).read_bytes())["manifest"])
        before, made = str(manifest["version"]), int(manifest.get("made", 0))
        is_older = _numbers(version) < _numbers(before)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return now
    if is_older:
        sys.exit(
            f"{folder} offers {before}: stations that have seen it refuse {version}. To take a"
            " version back, build the older program under a higher number, and offer that."
        )
    return max(now, made + 1)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python build/{PLACE}",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doing = parser.add_subparsers(dest="doing", required=True, metavar="DOING")
    for name in ("new-key", "public-key"):
        doing.add_parser(name).add_argument("key", type=Path, metavar="KEY")
    offering = doing.add_parser("offer")
    offering.add_argument("installer", type=Path, metavar="SETUP")
    offering.add_argument("key", type=Path, metavar="KEY")
    offering.add_argument("folder", type=Path, metavar="FOLDER")
    offering.add_argument("--notes", default="", metavar="TEXT", help="a sentence for people")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
