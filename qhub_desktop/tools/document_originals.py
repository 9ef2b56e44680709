"""Kept originals of the documents: their bytes, by SHA-256; all else can be made anew of them."""

import hashlib
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Literal

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.paths import is_link, long_path, replace_file
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import open_regular
from qhub_desktop.data.ingest.readers.rejection import explain_os_error, unchanged
from qhub_desktop.knowledge.readers.source import MOST_BYTES, TOO_LARGE, refusal

OriginalState = Literal["same", "changed", "gone", "unknown"]
CHUNK_BYTES = 2**20
# By these, what of a folder is looked at; what a file is, its content decides then.
DOCUMENT_SUFFIXES = frozenset(
    {
        *(".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".eml", ".msg", ".txt", ".md", ".html"),
        *(".htm", ".png", ".jpg", ".jpeg", ".tif", ".tiff"),
    }
)
NEW_S = 3_600  # copying 200 MB from a share takes minutes
_DRAFT = ".draft"


class Originals:
    """The folder of the kept bytes. Its methods block, and raise UserError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, sha256: str, file: str) -> Path:
        """Return where the bytes of a file lie, under a suffix that the system opens it by."""
        return self._folder / sha256[:2] / f"{sha256}{_suffix(file)}"

    def keep(self, source: Path, on_bytes: Callable[[], object] = lambda: None) -> str:
        """Keep a copy of a file, whole or not at all; return its SHA-256.

        `on_bytes` is called with every part that was read. Raises FileChangedError for a file that
        is written to meanwhile.
        """
        draft = self._folder / f"{uuid.uuid4().hex}{_DRAFT}"
        source = long_path(source)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with unchanged(source), open_regular(source) as opened, draft.open("xb") as copy:
                digest = hashlib.sha256()
                size = 0
                while part := opened.read(CHUNK_BYTES):
                    size += len(part)
                    if size > MOST_BYTES:
                        raise refusal(TOO_LARGE, source.name)
                    digest.update(part)
                    copy.write(part)
                    on_bytes()
                copy.flush()
                os.fsync(copy.fileno())
            target = self.path(digest.hexdigest(), source.name)
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                replace_file(draft, target)
        except OSError as error:
            raise explain_os_error(error, sanitize(source.name)) from error
        finally:
            with suppress(OSError):
                draft.unlink()
        return digest.hexdigest()

    def remove(self, hashes: list[str]) -> None:
        """Delete kept bytes, as far as Windows lets go of them; the rest goes with a sweep."""
        for sha256 in hashes:
            with suppress(OSError):
                for kept in (self._folder / sha256[:2]).glob(f"{sha256}*"):
                    kept.unlink()

    def sweep(self) -> None:
        """Delete drafts that a kill has left; what no document has stays, for a restored list."""
        with suppress(OSError):
            for draft in self._folder.glob(f"*{_DRAFT}"):
                with suppress(OSError):
                    if time.time() - draft.stat().st_mtime > NEW_S:
                        draft.unlink()


def files_in(
    folder: Path, on_entry: Callable[[], object] = lambda: None
) -> Iterator[os.DirEntry[str]]:
    """Yield the files of documents in a folder and those below it, hidden ones and links left out.

    Raises OSError if the folder itself cannot be listed; one below it that cannot is passed over.
    """
    waiting = [str(long_path(folder))]
    is_first = True
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    on_entry()
                    if entry.name.startswith(("~$", ".")) or not _is_text(entry.path):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if not is_link(Path(entry.path)):
                            waiting.append(entry.path)
                    elif is_document(entry.name) and entry.is_file(follow_symlinks=False):
                        yield entry
        except OSError:
            if is_first:
                raise
        is_first = False


def state_of(
    path: Path, sha256: str, on_bytes: Callable[[], object] = lambda: None
) -> OriginalState:
    """Return whether a file has these bytes, others, or is gone."""
    digest = hashlib.sha256()
    try:
        with open_regular(long_path(path)) as opened:
            while part := opened.read(CHUNK_BYTES):
                digest.update(part)
                on_bytes()
    except FileNotFoundError:
        return "gone"
    except (OSError, QHubError):
        return "unknown"
    return "same" if digest.hexdigest() == sha256 else "changed"


def is_document(name: str) -> bool:
    """Return whether a file is looked at in a folder, by its name."""
    return PurePath(name).suffix.lower() in DOCUMENT_SUFFIXES


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:  # it could not be stored
        return False
    return True


def _suffix(file: str) -> str:
    suffix = PurePath(file).suffix.lower()
    return suffix if re.fullmatch(r"\.[a-z0-9]{1,8}", suffix) else ""
