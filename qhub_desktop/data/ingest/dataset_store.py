"""The store of data sets on disk: one folder each, in place only when complete, by file hash.

Import presets stand beside them: a person's choices, remembered for files of the same shape.
"""

import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from qhub_desktop.core.codec import Json, Packed, pack, unpack_strictly
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile, ImportChoices
from qhub_desktop.core.paths import (
    HOLD_FILE,
    PASTED,
    hold_folder,
    is_left_over,
    replace_file,
    write_file,
)
from qhub_desktop.core.untrusted_files import (
    IrregularFileError,
    parse_json,
    read_regular,
)
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import versionless_name
from qhub_desktop.data.ingest.readers.rejection import (
    chunks_of,
    explain_os_error,
    file_changed,
    private_copy,
)

ROWS_FILE = "rows.duckdb"
PROFILE_FILE = "profile.json"
HEAD_FILE = "head.json"
ORIGINALS = "originals"
UNFINISHED = ".importing-"
REPLACED = "replaced-"  # in the folder of the import that replaces it
LATER_CHOICES = ("totals", "table", "filled_down", "transposed")
PRESETS_FILE = "choices.json"
MOST_BYTES = 64_000_000  # of a profile: 2,000 columns with their most frequent values
Head = tuple[tuple[str, ...], ...]
PRESETS_LIMIT = 100  # shapes; the oldest goes first
_SHA256 = re.compile(r"[0-9a-f]{64}")
# The hash of the file, the number of the sheet, that of the table if the sheet has several, and the
# hash of the choices, if any were made.
_ID = re.compile(r"[0-9a-f]{12}-\d{1,5}(?:\.\d{1,4})?(?:-[0-9a-f]{6})?")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of importing one file: its data sets' ids, and the names of all its sheets.

    `is_checked` is missing from the first versions, which read the file itself, not a copy: where
    it was written to meanwhile, its rows may not be those of its bytes.
    """

    ids: tuple[str, ...]
    sheets: tuple[str, ...]
    is_checked: bool = False


class DatasetStore:
    """The folder in which data sets are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[Path, int] = {}  # unfinished imports, which no other program sweeps

    def rows(self, id_: str) -> Path | None:
        """Return the path of the database with a data set's rows, if it exists."""
        file = self._folder / id_ / ROWS_FILE
        return file if _ID.fullmatch(id_) and file.is_file() else None

    def profile(self, id_: str) -> DatasetProfile | None:
        """Return the profile of a data set, or None if it is missing or incomplete."""
        return None if self.rows(id_) is None else _profile_in(self._folder / id_)

    def profiles_of(self, sha256: str) -> tuple[DatasetProfile, ...]:
        """Return the data sets of a file that was imported before; none if any is incomplete."""
        receipt = self._receipt(sha256)
        if receipt is None:
            return ()
        found = [self.profile(id_) for id_ in receipt.ids]
        whole = tuple(profile for profile in found if profile is not None)
        return whole if len(whole) == len(receipt.ids) else ()

    def head(self, id_: str) -> Head:
        """Return the first rows of the sheet as they stand in the file."""
        if self.rows(id_) is None:
            return ()
        return _read(self._folder / id_ / HEAD_FILE, Head) or ()

    def replace_in_receipt(self, sha256: str, old: str, new: str) -> None:
        """Replace a data set in its file's receipt by the one made under other choices."""
        if (receipt := self._receipt(sha256)) is not None:
            ids = tuple(new if id_ == old else id_ for id_ in receipt.ids)
            write_receipt(self._folder, sha256, replace(receipt, ids=ids))

    def is_checked(self, sha256: str) -> bool:
        """Return whether a file's rows are those of its bytes for certain."""
        receipt = self._receipt(sha256)
        return receipt is not None and receipt.is_checked

    def mark_checked(self, sha256: str) -> None:
        """Note that a file's rows are those of its bytes."""
        if (receipt := self._receipt(sha256)) is not None:
            write_receipt(self._folder, sha256, replace(receipt, is_checked=True))

    def unchecked_originals(self) -> tuple[str, ...]:
        """Return the hashes of the kept files that an earlier version has read."""
        kept = (self._folder / ORIGINALS).glob("*")
        hashes = sorted(each.name for each in kept if _SHA256.fullmatch(each.name))
        return tuple(
            each for each in hashes if self.profiles_of(each) and not self.is_checked(each)
        )

    def _receipt(self, sha256: str) -> Receipt | None:
        return _read(self._folder / _receipt_name(sha256), Receipt)

    def original(self, sha256: str) -> Path | None:
        """Return the copy of a file, if one was kept."""
        file = self._folder / ORIGINALS / sha256
        return file if file.is_file() else None

    def keep_original(self, file: Path, sha256: str) -> None:
        """Keep a copy of a file, whole or not at all; a copy of the import's own is moved.

        Raises OSError, and FileChangedError if its bytes are others by now.
        """
        target = self._folder / ORIGINALS / sha256
        if target.is_file():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.is_relative_to(self._folder):
            replace_file(file, target)
            return
        drafts = target.with_name(f"{sha256}.{uuid.uuid4().hex[:8]}")
        try:
            copy = _copied(file, drafts)
            if sha256_of(copy) != sha256:
                raise file_changed(file.name)
            replace_file(copy, target)
        finally:
            shutil.rmtree(drafts, ignore_errors=True)

    def begin(self) -> Path:
        """Create a folder for an import, to be given to `finish` or `abandon`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.sweep()
        folder = self._folder / f"{UNFINISHED}{uuid.uuid4().hex[:12]}"
        folder.mkdir()
        if (held := hold_folder(folder)) is not None:
            self._held[folder] = held
        return folder

    def finish(self, unfinished: Path, *, is_whole: bool = True) -> None:
        """Move everything of an import into place, its receipt last.

        If only some of the file's sheets were imported (`is_whole` is false), the file's receipt
        stays.
        """
        for made in sorted(unfinished.iterdir(), key=lambda each: each.is_file()):
            if made.name == HOLD_FILE:
                continue
            if made.is_dir() and not _ID.fullmatch(made.name):
                continue  # an unpacked archive
            if made.is_file() and not is_whole:
                continue
            target = self._folder / made.name
            if made.is_dir() and target.exists():
                before = self.profile(made.name)
                if before is not None and _has_rows_of(before, _profile_in(made)):
                    continue  # the same bytes were read before, and gave the same rows
                _swap(made, target, aside=unfinished / f"{REPLACED}{made.name}")
            else:
                replace_file(made, target)
        self.abandon(unfinished)

    def abandon(self, unfinished: Path) -> None:
        """Delete what is left of an import."""
        if (held := self._held.pop(unfinished, None)) is not None:
            os.close(held)
        shutil.rmtree(unfinished, ignore_errors=True)

    def rename(self, profile: DatasetProfile) -> None:
        """Store the profile under the name that the file was last given."""
        write_profile(self._folder / profile.id, profile)

    def remove(self, id_: str) -> bool:
        """Delete everything of the file that a data set is of, and a pasted table's own copy.

        Return whether it is gone: what another program has open stays.
        """
        if not _ID.fullmatch(id_):
            return True
        key = id_[:12]
        profile = self.profile(id_)
        origin = Path(profile.origin) if profile is not None and profile.origin else None
        if origin is not None and origin.parent == self._folder.parent / PASTED:
            origin.unlink(missing_ok=True)
        (self._folder / f"{key}.json").unlink(missing_ok=True)
        is_gone = True
        for each in (*self._folder.glob(f"{key}-*"), *(self._folder / ORIGINALS).glob(f"{key}*")):
            # Whole or not at all: what is left of an import is deleted with the next one.
            aside = self._folder / f"{UNFINISHED}{uuid.uuid4().hex[:12]}"
            try:
                replace_file(each, aside)
            except OSError:
                is_gone = False
                continue
            if aside.is_dir():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                aside.unlink(missing_ok=True)
        return is_gone

    def sweep(self) -> None:
        """Delete folders left by imports whose program was killed; another's are held by it."""
        for left in self._folder.glob(f"{UNFINISHED}*"):
            if is_left_over(left):
                shutil.rmtree(left, ignore_errors=True)


def _swap(made: Path, target: Path, *, aside: Path) -> None:
    """Put a folder in the place of another, which goes aside; both stay where one is held.

    Removed file by file, a folder would lose all but the one that is open. Raises OSError.
    """
    replace_file(target, aside)
    try:
        replace_file(made, target)
    except OSError:
        replace_file(aside, target)
        raise


def _profile_in(folder: Path) -> DatasetProfile | None:
    return _read(folder / PROFILE_FILE, DatasetProfile)


def _read(file: Path, kind: type[Packed]) -> Packed | None:
    """Read what was stored; None for what is missing or is not what was written.

    It is then made anew with its data set, as soon as the file is read again.
    """
    try:
        found = parse_json(read_regular(file, most_bytes=MOST_BYTES))
        return unpack_strictly(kind, found, also=_check_number)
    except (FileNotFoundError, IrregularFileError, ValueError):
        return None


def _check_number(value: object) -> None:
    """Raise TypeError for an integer that no column can hold."""
    if isinstance(value, int) and abs(value) >= 2**128:
        raise TypeError("a number of too many digits")


def _has_rows_of(before: DatasetProfile, now: DatasetProfile | None) -> bool:
    """Return whether a data set holds the rows that reading its bytes again has given.

    Another version may find other types; only columns of the same type are compared.
    """
    if now is None:
        return True
    counted = [each.report and each.report.rows_present for each in (before, now)]
    if before.rows != now.rows or counted[0] != counted[1]:
        return False
    types = {each.name: each for each in now.columns}
    return all(
        each.name not in types
        or types[each.name].type != each.type
        or _values(types[each.name]) == _values(each)
        for each in before.columns
    )


def _values(column: ColumnProfile) -> tuple[object, ...]:
    return column.missing, column.distinct, column.min, column.max


def id_of(sha256: str, number: int, choices: ImportChoices, *, table: int = 0) -> str:
    """Return the id of a sheet (numbered from 1) of a file, read under these choices.

    `table` is that of several in the sheet, from 1.
    """
    plain = f"{sha256[:12]}-{number}.{table}" if table else f"{sha256[:12]}-{number}"
    if choices == ImportChoices():
        return plain
    # What was not chosen of later fields is left out, so that ids stay what they were without them.
    known = {
        key: value
        for key, value in cast("dict[str, Json]", pack(choices)).items()
        if key not in LATER_CHOICES or value is not None
    }
    text = json.dumps(known, sort_keys=True)
    return f"{plain}-{hashlib.sha256(text.encode('utf-8')).hexdigest()[:6]}"


def number_of(id_: str) -> int:
    """Return the number of a data set's sheet in its file, from 1."""
    return int(id_.split("-")[1].partition(".")[0])


def table_of(id_: str) -> int:
    """Return the number of a data set's table in its sheet, from 1; 0 if it is all of the sheet."""
    return int(id_.split("-")[1].partition(".")[2] or 0)


def write_head(folder: Path, head: Head) -> None:
    """Store the first rows of the sheet, as they stand in the file, beside its rows."""
    _write(folder / HEAD_FILE, head)


def write_profile(folder: Path, profile: DatasetProfile) -> None:
    """Store the profile of a data set beside its rows."""
    _write(folder / PROFILE_FILE, profile)


def write_receipt(folder: Path, sha256: str, receipt: Receipt) -> None:
    """Store the receipt of a file."""
    _write(folder / _receipt_name(sha256), receipt)


def _write(target: Path, value: object) -> None:
    # At once: piece by piece, as `dump` writes it, it is encoded without the C encoder.
    write_file(target, json.dumps(pack(value), ensure_ascii=False).encode())


def _receipt_name(sha256: str) -> str:
    return f"{sha256[:12]}.json"


def _copied(file: Path, folder: Path) -> Path:
    try:
        return private_copy(file, folder)
    except OSError as error:
        raise explain_os_error(error, file.name) from error


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes.

    Raises UserError if it cannot be read, FileChangedError if it is written to meanwhile.
    """
    try:
        digest = hashlib.sha256()
        for chunk in chunks_of(file):
            digest.update(chunk)
        return digest.hexdigest()
    except OSError as error:
        raise explain_os_error(error, file.name) from error


@dataclass(frozen=True, slots=True)
class Preset:
    """The import choices of a person for sheets of one shape.

    A shape is the names in the header and the row that it stands in. `row` is the header's last row
    in the file, from 1. Where there is none, `row` is 0, `names` are as many empty names as the
    first row has cells, and `file` is the file's name without dates and versions: a width alone
    would take the header from every table that has as many columns.
    """

    names: tuple[str, ...]
    row: int
    choices: ImportChoices
    file: str = ""

    @property
    def key(self) -> tuple[tuple[str, ...], int, str]:
        """The shape: what tells a preset from others."""
        return self.names, self.row, self.file


@dataclass(frozen=True, slots=True)
class _PresetFile:
    shapes: tuple[Preset, ...] = ()


def load_presets(folder: Path) -> tuple[Preset, ...]:
    """Return all presets, the latest first."""
    kept = _read(folder / PRESETS_FILE, _PresetFile)
    return () if kept is None else kept.shapes


def save_preset(folder: Path, shape: Preset) -> None:
    """Save a preset in place of the one for the same shape; automatic choices delete it."""
    others = [each for each in load_presets(folder) if each.key != shape.key]
    kept = others if shape.choices == ImportChoices() else [shape, *others]
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / PRESETS_FILE, _PresetFile(tuple(kept[:PRESETS_LIMIT])))


def preset_of(
    head: Sequence[Sequence[str]], row: int | None, choices: ImportChoices, *, file: str
) -> Preset:
    """Return the preset for sheets that begin like `head`; `row` is the header, from 1.

    Which of several tables was read is about this file: in the next one, all are.
    """
    choices = replace(choices, table=None) if choices.table else choices
    row = row or 0
    place = max(row, 1) - 1
    names = tuple(" ".join(cell.split()) for cell in head[place]) if place < len(head) else ()
    if not row:
        return Preset(("",) * len(names), row, choices, versionless_name(Path(file).stem))
    return Preset(without_trailing_blanks(names), row, choices)


def without_trailing_blanks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without empty ones at the end."""
    last = max((place for place, name in enumerate(names) if name), default=-1)
    return names[: last + 1]
