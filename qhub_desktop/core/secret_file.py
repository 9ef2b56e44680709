"""Secrets in one encrypted file, for a computer without a key store: opened by a passphrase."""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError, data_folder_error
from qhub_desktop.core.paths import write_file
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import use_secret
from qhub_desktop.core.untrusted_files import parse_object, read_regular

LEAST_PASSPHRASE = 8
MOST_BYTES = 10_000_000  # a hundred times what every secret of a station takes
# 64 MB and 0.2 s for each guess (RFC 7914; OWASP names 2^17 as its first choice, which the smallest
# of a plant's PCs has not free beside a window).
COST = 2**16
BLOCK = 8  # scrypt's r
SALT_BYTES = 16
NONCE_BYTES = 12  # what AES-GCM takes; a new one with every writing
_FORMAT = {"format": 1, "kdf": "scrypt", "n": COST, "r": BLOCK, "cipher": "aes-256-gcm"}


class SecretFile:
    """An unlocked file: secrets by account. What it holds in memory is the derived key alone."""

    def __init__(self, path: Path, passphrase: str) -> None:
        """Unlock the file, or make it. Blocks for the derivation.

        Raises UserError for another passphrase than the file's, and for one that is too short.
        """
        use_secret(passphrase)
        if len(passphrase) < LEAST_PASSPHRASE:
            raise UserError(
                _("A passphrase has {count} characters or more.").format(count=LEAST_PASSPHRASE),
                fault="key",
            )
        self._path = path
        head = _read(path)
        self._salt = os.urandom(SALT_BYTES) if head is None else self._bytes(head, "salt")
        self._key = _derive(passphrase, self._salt)
        if head is None:
            self._write({})
        else:
            self.read()

    def read(self) -> dict[str, str]:
        """Read every secret, as another program may have left them.

        Raises UserError if the file is another one than was unlocked, or damaged.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        head = _read(self._path)
        if head is None:  # deleted meanwhile: there is none
            return {}
        salt, nonce, data = (self._bytes(head, name) for name in ("salt", "nonce", "data"))
        try:
            plain = AESGCM(self._key).decrypt(nonce, data, _bound(salt))
            secrets = parse_object(plain)
        except InvalidTag as error:
            raise UserError(
                _("This is not the passphrase of the encrypted file of keys."), fault="key"
            ) from error
        except ValueError as error:  # among others, a nonce of another length
            raise _damaged(self._path) from error
        return {account: str(secret) for account, secret in secrets.items()}

    def save(self, account: str, secret: str) -> None:
        """Keep a secret. Raises UserError if the file cannot be written."""
        self._write({**self.read(), account: secret})

    def forget(self, account: str) -> None:
        """Drop a secret; nothing happens if there is none."""
        kept = self.read()
        if kept.pop(account, None) is not None:
            self._write(kept)

    def _write(self, secrets: Mapping[str, str]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(NONCE_BYTES)
        data = AESGCM(self._key).encrypt(
            nonce, json.dumps(dict(secrets)).encode(), _bound(self._salt)
        )
        named = {"salt": self._salt, "nonce": nonce, "data": data}
        head = {
            **_FORMAT,
            **{name: base64.b64encode(each).decode() for name, each in named.items()},
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._path, json.dumps(head).encode(), mode=0o600)
        except OSError as error:
            raise data_folder_error(error, self._path.parent) from error

    def _bytes(self, head: Mapping[str, object], name: str) -> bytes:
        try:
            return base64.b64decode(str(head[name]), validate=True)
        except (KeyError, ValueError) as error:
            raise _damaged(self._path) from error


def _derive(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=COST, r=BLOCK, p=1).derive(
        passphrase.encode("utf-8", "surrogatepass")
    )


def _bound(salt: bytes) -> bytes:
    """Return what the cipher vouches for beside the secrets: the format and the salt."""
    return json.dumps(_FORMAT, sort_keys=True).encode() + salt


def _read(path: Path) -> JsonObject | None:
    """Read the outside of the file; None where there is none. Raises UserError for damage."""
    try:
        head = parse_object(read_regular(path, most_bytes=MOST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(path) from error
    if any(head.get(name) != _FORMAT[name] for name in _FORMAT):
        raise _damaged(path)
    return head


def _damaged(path: Path) -> UserError:
    return UserError(
        _(
            "The encrypted file of keys {path} cannot be read. Delete it, and enter the keys anew."
        ).format(path=path),
        fault="key",
    )
