"""What identifies a file: its bytes."""

import hashlib
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.formats.copying import sentence_of


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file's bytes. Raises UserError for what can not be opened."""
    if file.is_dir():
        raise UserError(
            _("{file} is a folder. Drop the files that are in it.").format(file=file.name)
        )
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise sentence_of(error, file.name) from error
