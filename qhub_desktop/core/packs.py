"""Packs: what the packaged program does not hold itself, and takes from beside it by hash.

A pack is made with the program (`build/make.py`) and laid beside it, or into the person's own
folder. The program knows the hashes of its files and takes nothing else. Where the program runs
from source there are no packs: what they hold is installed with the rest.
"""

import asyncio
import hashlib
import os
import shutil
import sys
import sysconfig
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.paths import RESOURCES, data_folder, replace_file
from qhub_desktop.core.processes.supervisor import OnProgress, Progress
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted_files import (
    MalformedContentError,
    check_regular,
    open_regular,
    parse_json,
    read_regular,
)
from qhub_desktop.core.values import dataclass

ABOUT_FILE = "pack.json"
LICENCES = "licences"  # a folder that goes with a pack and is not read
UNPACKED_BYTES = 2**20  # at once
MOST_ABOUT_BYTES = 1_000_000


class PackMissingError(Exception):
    """There is no pack that may be used; the reason is for the person."""


@dataclass(frozen=True, slots=True)
class PackContent:
    """Content of a pack: the files by name, with their sizes in bytes and their SHA-256.

    `made_for` is the Python and the system whose program can load it, as `this_python` says it; ""
    where the hashes alone decide.
    """

    archive: str  # under which name it is handed out
    sizes: Mapping[str, int]
    sha256: Mapping[str, str]
    made_for: str = ""


def this_python() -> str:
    """Return the version of this Python, and its system: 'Python 3.13, win-amd64'."""
    return f"Python {sys.version_info[0]}.{sys.version_info[1]}, {sysconfig.get_platform()}"


def _read(content: bytes) -> PackContent:
    """Read the description of a pack. Raises MalformedContentError."""
    match parse_json(content):
        case {"archive": str(archive), "files": dict(files), **more} if all(
            isinstance(each, list) and list(map(type, each)) == [int, str]
            for each in files.values()
        ):
            described = cast("dict[str, tuple[int, str]]", files)
            return PackContent(
                archive,
                {name: size for name, (size, _known) in described.items()},
                {name: known for name, (_size, known) in described.items()},
                str(more.get("made_for", "")),
            )
    raise MalformedContentError(_("it is no description of a pack"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Pack:
    """A pack: what it is called, and the places where it may lie."""

    def __init__(self, folder: str, *, title: str, page: str, variable: str) -> None:
        """`folder` is its own, wherever it lies, and that of its archive; `title` and the settings'
        `page` where it is added are catalogue keys; `variable` of the environment names a folder
        that is looked in first.
        """
        self.folder = folder
        self._title = title
        self._page = page
        self.variable = variable
        # Written by build/make.py; from source it is not there.
        self.shipped = RESOURCES / folder / ABOUT_FILE
        self._used: Path | None = None

    @property
    def title(self) -> str:
        """What it adds."""
        return _(self._title)

    def wanted(self) -> PackContent | None:
        """Return the content that goes with this program; None where it needs none."""
        try:
            return _read(self.shipped.read_bytes())
        except FileNotFoundError:
            return None

    def use(self, folder: Path | None) -> None:
        """Take the pack in this folder, whatever the places say; None: look in these again.

        A process without the person's environment is told so.
        """
        self._used = folder

    def places(self) -> tuple[Path, ...]:
        """Return the folders in which it may lie, the first one first."""
        if self._used is not None:
            return (self._used,)
        named = os.environ.get(self.variable)
        beside = Path(sys.executable).parent / self.folder
        return (*([Path(named)] if named else []), beside, self.own_place())

    def own_place(self) -> Path:
        """Return the folder of the person's own."""
        return data_folder() / self.folder

    def found(self) -> Path | None:
        """Return the folder of the one that goes with this program, by names and sizes alone.

        Its bytes are compared with their hashes when they are loaded.
        """
        content = self.wanted()
        if content is None:
            return None
        return next((folder for folder in self.places() if _is_there(content, folder)), None)

    def missing(self) -> str | None:
        """Return a sentence where it is needed and not there, None where all is well."""
        content = self.wanted()
        if content is None or self.found() is not None:
            return None
        there = [told for folder in self.places() if (told := _described(folder)) is not None]
        if any(told.sha256 == content.sha256 for told in there):
            said = _(
                "{pack}: the pack on this computer is not whole. Get {file} and add it again under"
                " Settings, {page}."
            )
        elif there:
            said = _(
                "{pack}: the pack on this computer belongs to another version of QHub Desktop. Get"
                " {file} and add it under Settings, {page}."
            )
        else:
            said = _(
                "{pack} is not on this computer: it is a pack of its own. Get {file} from where"
                " QHub Desktop came from, and add it under Settings, {page}."
            )
        return said.format(pack=self.title, file=content.archive, page=_(self._page))

    def check(self, path: Path, known: str) -> None:
        """Compare a file with its hash. Raises PackMissingError."""
        try:
            is_same = sha256_of(path) == known
        except OSError as error:
            raise PackMissingError(
                _("{pack} is not whole: {file} cannot be read.").format(
                    pack=self.title, file=path.name
                )
            ) from error
        if not is_same:
            raise PackMissingError(
                _("{pack} has been changed: {file} is not what was made.").format(
                    pack=self.title, file=path.name
                )
            )

    def checked(self) -> Path | None:
        """Return the folder of the pack, once every byte in it is what was made and nothing else
        lies there; None where the program needs no pack. Raises PackMissingError.
        """
        content, folder = self.wanted(), self.found()
        if content is None:
            return None
        if folder is None:
            raise PackMissingError(self.missing() or "")
        if content.made_for not in {"", this_python()}:
            raise PackMissingError(self._made_for_another(content.archive, content))
        for name in _files(folder):
            if name not in content.sha256:
                raise PackMissingError(
                    _("{pack} has been changed: {file} is not part of it.").format(
                        pack=self.title, file=name
                    )
                )
        for name, known in content.sha256.items():
            self.check(folder / name, known)
        return folder

    def _made_for_another(self, file: str, content: PackContent) -> str:
        return _(
            "{file} was made for {made}, and this program is of {own}. Get the one that was made"
            " with it."
        ).format(file=file, made=content.made_for, own=this_python())

    def add(self, archive: Path, tell: Callable[[float], object] = lambda _share: None) -> Path:
        """Unpack an archive into the person's own folder, every byte compared with what is
        expected.

        What was there is replaced once all of it is. `tell` is given shares of one. Raises
        UserError.
        """
        content = self.wanted()
        if content is None:
            raise UserError(
                _(
                    "{pack}: this program needs no pack. What it holds was installed with the rest."
                ).format(pack=self.title)
            )
        target = self.own_place()
        draft = target.with_name(f"{self.folder}-{uuid.uuid4().hex[:8]}.part")
        try:
            opened = open_regular(archive)
        except OSError as error:
            raise unreadable(error, archive) from error
        try:
            draft.mkdir(parents=True)
            with opened:
                self._unpack(archive.name, opened, content, draft, tell)
            if target.exists():
                replace_file(target, old := target.with_name(f"{draft.stem}.old"))
                shutil.rmtree(old, ignore_errors=True)  # what a process has mapped stays a while
            replace_file(draft, target)
        except OSError as error:
            raise UserError(
                _(
                    "The pack could not be put into {folder}: {reason}. It takes {size} MB. Nothing"
                    " was changed."
                ).format(
                    folder=target,
                    reason=error.strerror or str(error),
                    size=round(sum(content.sizes.values()) / 1e6),
                )
            ) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return target

    def _unpack(
        self,
        archive: str,
        file: BinaryIO,
        content: PackContent,
        folder: Path,
        tell: Callable[[float], object],
    ) -> None:
        whole, done = sum(content.sizes.values()), 0
        wrong = _("{file} is not the pack of this version of QHub Desktop. Get {expected}.").format(
            file=archive, expected=content.archive
        )
        try:
            with zipfile.ZipFile(file) as opened:
                # Told before 400 MB are unpacked.
                with opened.open(f"{self.folder}/{ABOUT_FILE}") as described:
                    about = described.read(MOST_ABOUT_BYTES)
                told = _read(about)
                if told.made_for != content.made_for:
                    raise UserError(self._made_for_another(archive, told))
                if told.sha256 != content.sha256:
                    raise UserError(wrong)
                for name, known in content.sha256.items():
                    digest = hashlib.sha256()
                    left = content.sizes[name]
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    with (
                        opened.open(f"{self.folder}/{name}") as source,
                        (folder / name).open("wb") as target,
                    ):
                        # No more than is expected, whatever the archive holds.
                        while left > 0 and (block := source.read(min(UNPACKED_BYTES, left))):
                            target.write(block)
                            digest.update(block)
                            left -= len(block)
                            done += len(block)
                            tell(done / whole)
                    if digest.hexdigest() != known:
                        raise UserError(
                            _(
                                "{file} is damaged: {part} is not what was made. Get it again."
                            ).format(file=archive, part=name)
                        )
                (folder / ABOUT_FILE).write_bytes(about)
        except _NO_PACK as error:
            raise UserError(wrong) from error


def _described(folder: Path) -> PackContent | None:
    try:
        about = folder / ABOUT_FILE
        return _read(read_regular(about, most_bytes=MOST_ABOUT_BYTES, follows_links=False))
    except (OSError, ValueError):
        return None


def _is_there(content: PackContent, folder: Path) -> bool:
    told = _described(folder)
    if told is None or told.sha256 != content.sha256:
        return False
    try:
        for name, size in content.sizes.items():
            check_regular(folder / name, follows_links=False)
            if (folder / name).stat().st_size != size:
                return False
    except OSError:
        return False
    return True


def _files(folder: Path) -> Iterator[str]:
    """Yield the names of what lies in a pack's folder, links among it, but for its licences."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        is_file = path.is_symlink() or not path.is_dir()
        if is_file and name.parts[0] != LICENCES and name.as_posix() != ABOUT_FILE:
            yield name.as_posix()


# What zipfile raises for an archive that is none, damaged, encrypted or packed in a rare way.
_NO_PACK = (
    *(zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError),
    *(RuntimeError, NotImplementedError),
)


async def add_pack(pack: Pack, archive: Path, on_progress: OnProgress) -> None:
    """Add a pack from its archive, off the loop; `on_progress` is told of each hundredth.

    Raises UserError.
    """
    loop = asyncio.get_running_loop()
    said = _("{pack}: adding it…").format(pack=pack.title)
    told = 0

    def tell(share: float) -> None:
        nonlocal told
        if (hundredth := int(100 * share)) > told:
            told = hundredth
            loop.call_soon_threadsafe(on_progress, Progress(said, share))

    await asyncio.to_thread(pack.add, archive, tell)


SAFE_PYTHON = Pack(
    "python",
    title=gettext_noop("The safe Python"),
    page=gettext_noop("Engine"),
    variable="QHUB_PYTHON_PACK",
)
OCR = Pack(
    "ocr",
    title=gettext_noop("The reading of scans"),
    page=gettext_noop("Documents"),
    variable="QHUB_OCR_PACK",
)
PACKS = (SAFE_PYTHON, OCR)
