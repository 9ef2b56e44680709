"""The pack of the safe Python: its engine, which the packaged program does not hold itself.

It is made with the program (`build/make.py`) and laid beside it, or into the person's own folder:
the compiled module, the start image, the guest's library and Wasmtime's, some 380 MB. The program
knows their hashes and takes nothing else. Where the program runs from source there is no pack: the
engine is then made from the packages (`sandbox/engine.py`).
"""

# Why it is so: decisions/sandbox.md

import contextlib
import ctypes
import hashlib
import os
import shutil
import sys
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.paths import RESOURCES, data_folder, replace_file
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import (
    MalformedContentError,
    check_regular,
    open_regular,
    parse_json,
    read_regular,
)
from qhub_desktop.core.values import dataclass

# Written by build/make.py beside the guest's own file; from source it is not there.
SHIPPED = RESOURCES / "python" / "pack.json"
FOLDER = "python"  # the pack's own, wherever it lies, and that of its archive
ABOUT_FILE = "pack.json"
PLACE_VARIABLE = "QHUB_PYTHON_PACK"  # a folder that is looked in first
LIBRARIES = ("_libwasmtime.so", "_wasmtime.dll", "_libwasmtime.dylib")
BLOCK = 2**20
MOST_ABOUT_BYTES = 1_000_000


class EngineMissingError(Exception):
    """There is no engine that may be used; the reason is for the person."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Content of a pack: the files by name, with their sizes in bytes and their SHA-256."""

    archive: str  # under which name it is handed out
    sizes: Mapping[str, int]
    sha256: Mapping[str, str]

    @property
    def library(self) -> str:
        """The name of Wasmtime's library."""
        return next(name for name in LIBRARIES if name in self.sizes)


def wanted() -> Pack | None:
    """Return the pack that goes with this program; None where it needs none."""
    try:
        return _read(SHIPPED.read_bytes())
    except FileNotFoundError:
        return None


def _read(content: bytes) -> Pack:
    """Read the description of a pack. Raises MalformedContentError."""
    match parse_json(content):
        case {"archive": str(archive), "files": dict(files)} if all(
            isinstance(each, list) and list(map(type, each)) == [int, str]
            for each in files.values()
        ):
            described = cast("dict[str, tuple[int, str]]", files)
            return Pack(
                archive,
                {name: size for name, (size, _known) in described.items()},
                {name: known for name, (_size, known) in described.items()},
            )
    raise MalformedContentError(_("it is no description of a pack"))


_used: list[Path] = []  # by this process, whatever the places say


def use(folder: Path) -> None:
    """Take the pack in this folder: a process without the person's environment is told where."""
    _used[:] = [folder]


def places() -> tuple[Path, ...]:
    """Return the folders in which a pack may lie, the first one first."""
    if _used:
        return tuple(_used)
    named = os.environ.get(PLACE_VARIABLE)
    beside = Path(sys.executable).parent / FOLDER
    return (*([Path(named)] if named else []), beside, own_place())


def own_place() -> Path:
    """Return the folder of the person's own pack."""
    return data_folder() / FOLDER


def found() -> Path | None:
    """Return the folder of the pack that goes with this program, by names and sizes alone.

    Its bytes are compared with their hashes when they are loaded.
    """
    pack = wanted()
    if pack is None:
        return None
    return next((folder for folder in places() if _is_there(pack, folder)), None)


def _described(folder: Path) -> Pack | None:
    try:
        about = folder / ABOUT_FILE
        return _read(read_regular(about, most_bytes=MOST_ABOUT_BYTES, follows_links=False))
    except (OSError, ValueError):
        return None


def _is_there(pack: Pack, folder: Path) -> bool:
    told = _described(folder)
    if told is None or told.sha256 != pack.sha256:
        return False
    try:
        for name, size in pack.sizes.items():
            check_regular(folder / name, follows_links=False)
            if (folder / name).stat().st_size != size:
                return False
    except OSError:
        return False
    return True


def missing() -> str | None:
    """Return a sentence where the pack is needed and not there, None where all is well."""
    pack = wanted()
    if pack is None or found() is not None:
        return None
    there = [told for folder in places() if (told := _described(folder)) is not None]
    if any(told.sha256 == pack.sha256 for told in there):
        return _(
            "The pack of the safe Python on this computer is not whole. Get {file} and add it again"
            " under Settings, Engine."
        ).format(file=pack.archive)
    if there:
        return _(
            "The pack of the safe Python on this computer belongs to another version of QHub"
            " Desktop. Get {file} and add it under Settings, Engine."
        ).format(file=pack.archive)
    return _(
        "The safe Python is not on this computer: it is a pack of its own. Get {file} from where"
        " QHub Desktop came from, and add it under Settings, Engine."
    ).format(file=pack.archive)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(path: Path, known: str) -> None:
    """Compare a file with its hash. Raises EngineMissingError."""
    try:
        is_same = sha256_of(path) == known
    except OSError as error:
        raise EngineMissingError(
            _("The safe Python is not whole: {file} cannot be read.").format(file=path.name)
        ) from error
    if not is_same:
        raise EngineMissingError(
            _("The safe Python has been changed: {file} is not what was made.").format(
                file=path.name
            )
        )


@contextlib.contextmanager
def own_library() -> Iterator[None]:
    """Let Wasmtime's binding, which is imported meanwhile, load the pack's library, once checked.

    From source it has one of its own. Raises EngineMissingError.
    """
    pack, folder = wanted(), found()
    if pack is None:
        yield
        return
    if folder is None:
        raise EngineMissingError(missing() or "")
    library = folder / pack.library
    check(library, pack.sha256[pack.library])
    loader = ctypes.cdll
    load = loader.LoadLibrary

    def load_ours(name: str) -> ctypes.CDLL:
        return load(str(library) if Path(name).name == library.name else name)

    vars(loader)["LoadLibrary"] = load_ours
    try:
        yield
    finally:
        del vars(loader)["LoadLibrary"]


def add(archive: Path, tell: Callable[[float], object] = lambda _share: None) -> Path:
    """Unpack an archive into the person's own folder, every byte compared with what is expected.

    What was there is replaced once all of it is. `tell` is given shares of one. Raises UserError.
    """
    pack = wanted()
    if pack is None:
        raise UserError(_("This program needs no pack of the safe Python."))
    target = own_place()
    draft = target.with_name(f"{FOLDER}-{uuid.uuid4().hex[:8]}.part")
    try:
        opened = open_regular(archive)
    except OSError as error:
        raise unreadable(error, archive) from error
    try:
        draft.mkdir(parents=True)
        with opened:
            _unpack(archive.name, opened, pack, draft, tell)
        if target.exists():
            replace_file(target, old := target.with_name(f"{draft.stem}.old"))
            shutil.rmtree(old, ignore_errors=True)  # what a process has mapped stays a while
        replace_file(draft, target)
    except OSError as error:
        raise UserError(
            _(
                "The pack could not be put into {folder}: {reason}. It takes {size} MB. Nothing was"
                " changed."
            ).format(
                folder=target,
                reason=error.strerror or str(error),
                size=round(sum(pack.sizes.values()) / 1e6),
            )
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _unpack(
    archive: str, file: BinaryIO, pack: Pack, folder: Path, tell: Callable[[float], object]
) -> None:
    whole, done = sum(pack.sizes.values()), 0
    wrong = _("{file} is not the pack of this version of QHub Desktop. Get {expected}.").format(
        file=archive, expected=pack.archive
    )
    try:
        with zipfile.ZipFile(file) as opened:
            # Told before 400 MB are unpacked.
            with opened.open(f"{FOLDER}/{ABOUT_FILE}") as described:
                about = described.read(MOST_ABOUT_BYTES)
            if _read(about).sha256 != pack.sha256:
                raise UserError(wrong)
            for name, known in pack.sha256.items():
                digest = hashlib.sha256()
                left = pack.sizes[name]
                with (
                    opened.open(f"{FOLDER}/{name}") as source,
                    (folder / name).open("wb") as target,
                ):
                    # No more than is expected, whatever the archive holds.
                    while left > 0 and (block := source.read(min(BLOCK, left))):
                        target.write(block)
                        digest.update(block)
                        left -= len(block)
                        done += len(block)
                        tell(done / whole)
                if digest.hexdigest() != known:
                    raise UserError(
                        _("{file} is damaged: {part} is not what was made. Get it again.").format(
                            file=archive, part=name
                        )
                    )
            (folder / ABOUT_FILE).write_bytes(about)
    except _NO_PACK as error:
        raise UserError(wrong) from error


# What zipfile raises for an archive that is none, damaged, encrypted or packed in a rare way.
_NO_PACK = (
    *(zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError),
    *(RuntimeError, NotImplementedError),
)
