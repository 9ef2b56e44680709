"""Data sets on disk: one folder each, in place only when whole."""

import json
import os
import re
import shutil
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.packing import pack, unpack

ROWS_FILE = "rows.duckdb"
PROFILE_FILE = "profile.json"
UNFINISHED = ".importing-"
ABANDONED_S = 24 * 3600
_ID = re.compile(r"[0-9a-f]{12}-\d{1,5}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of one file: the data sets of its sheets that hold something."""

    ids: tuple[str, ...]
    sheets: tuple[str, ...]


class Shelf:
    """The folder in which data sets are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, id_: str) -> Path | None:
        """The database with a data set's rows, if there is one."""
        file = self._folder / id_ / ROWS_FILE
        return file if _ID.fullmatch(id_) and file.is_file() else None

    def profile(self, id_: str) -> DatasetProfile | None:
        """What is known of a data set, if it is there and whole."""
        if self.rows(id_) is None:
            return None
        try:
            text = (self._folder / id_ / PROFILE_FILE).read_text(encoding="utf-8")
            return unpack(DatasetProfile, json.loads(text))
        except (FileNotFoundError, ValueError):
            return None

    def profiles_of(self, sha256: str) -> tuple[DatasetProfile, ...]:
        """The data sets of a file that was read before; nothing if any of them is not whole."""
        try:
            text = (self._folder / _receipt_name(sha256)).read_text(encoding="utf-8")
            receipt = unpack(Receipt, json.loads(text))
        except (FileNotFoundError, ValueError):
            return ()
        found = [self.profile(id_) for id_ in receipt.ids]
        whole = tuple(profile for profile in found if profile is not None)
        return whole if len(whole) == len(receipt.ids) else ()

    def begin(self) -> Path:
        """A folder for an import, to be given to `finish` or `abandon`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._sweep()
        folder = self._folder / f"{UNFINISHED}{uuid.uuid4().hex[:12]}"
        folder.mkdir()
        return folder

    def finish(self, unfinished: Path) -> None:
        """Put everything of an import in its place, its receipt last."""
        for made in sorted(unfinished.iterdir(), key=lambda each: each.is_file()):
            target = self._folder / made.name
            if made.is_dir() and target.exists():
                if self.profile(made.name) is not None:
                    continue  # the same bytes were read before, and give the same rows
                shutil.rmtree(target)
            made.replace(target)
        self.abandon(unfinished)

    def abandon(self, unfinished: Path) -> None:
        """Leave nothing of an import."""
        shutil.rmtree(unfinished, ignore_errors=True)

    def rename(self, profile: DatasetProfile) -> None:
        """Remember the name under which the person last gave this file."""
        write_profile(self._folder / profile.id, profile)

    def _sweep(self) -> None:
        """Clear away what a crash has left; another window may be importing at this moment."""
        for left in self._folder.glob(f"{UNFINISHED}*"):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)


def number_of(id_: str) -> int:
    """The place of a data set's sheet in its file, from 1."""
    return int(id_.rpartition("-")[2])


def write_profile(folder: Path, profile: DatasetProfile) -> None:
    """Store what is known of a data set beside its rows."""
    _write(folder / PROFILE_FILE, profile)


def write_receipt(folder: Path, sha256: str, receipt: Receipt) -> None:
    """Store what came of a file."""
    _write(folder / _receipt_name(sha256), receipt)


def _write(target: Path, value: object) -> None:
    draft = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(pack(value), file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)


def _receipt_name(sha256: str) -> str:
    return f"{sha256[:12]}.json"
