"""Updater: finds an update in its folder, verifies and keeps it, installs it at the next start.

Nothing is looked for unless a person or a policy has chosen so, and nothing is installed to which
neither has agreed. The folder is trusted as far as its signature, and may be a share that is gone:
it is read on threads for which nobody has to wait.
"""

# Why it is so: decisions/updates.md

import asyncio
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from qhub_desktop import __version__
from qhub_desktop.core.errors import QHubError, ServiceError, UserError, data_folder_error
from qhub_desktop.core.paths import hold_folder, long_path, replace_file
from qhub_desktop.core.processes.threads import OnShare, PatientWorker, SignOfLife, SilentError
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import open_regular, parse_object, read_regular
from qhub_desktop.updates import (
    MOST_OFFER_BYTES,
    OFFER_FILE,
    VERSION,
    Age,
    Offered,
    Release,
    Status,
    UpToDate,
    matching,
    prepared_sentence,
    read_release,
    signing_time,
    version_numbers,
)

FOLDER = "updates"  # in the data folder
KEPT_OFFER = "offer.json"  # written last: where it is, the installer beside it is whole
KEPT_INSTALLER = "qhub-desktop-setup.exe"
ATTEMPT = "attempt.json"  # the offer whose installation was begun
SEEN = "seen.json"  # by public key, the newest version that was offered and the latest signature
CHUNK_BYTES = 128_000  # a sign of life in time, by a slow line, too
SILENCE_S = 20.0  # of a folder that still may answer; Windows itself waits for a minute
NEXT_CHECK_S = 4 * 3600.0

Output = TypeVar("Output")


class Installation(Protocol):
    """The way in which a new version takes the place of this one."""

    def check(self) -> None:
        """Raise UserError if no update can take the place of this program."""
        ...

    @property
    def obstacle(self) -> str:
        """Why the very last step cannot be taken on this system; empty where it can."""
        ...

    def start(self, installer: Path) -> None:
        """Start the installer, which waits until this program has ended, and starts the new one.

        Raises OSError.
        """
        ...


class WindowsInstallation:
    """The packaged program in the folder where its own installer has put it for one person."""

    def __init__(self, program: Path | None = None, *, system: str = sys.platform) -> None:
        is_packaged = getattr(sys, "frozen", False)
        self._folder = program or (Path(sys.executable).parent if is_packaged else None)
        self._system = system

    @property
    def obstacle(self) -> str:
        """Why the very last step cannot be taken on this system; empty on Windows."""
        return "" if self._system == "win32" else _("It can only be installed on Windows.")

    def check(self) -> None:
        """Raise UserError for a program on Windows that its installer has not put there, or has
        put there for everybody.
        """
        if self._system != "win32":
            return
        if self._folder is None or not (self._folder / "uninstall.exe").exists():
            raise UserError(
                _(
                    "This QHub Desktop was not installed by its installer, so it cannot be updated"
                    " by itself. Replace its folder by that of the new version."
                )
            )
        self._check_writable()

    def start(self, installer: Path) -> None:
        """Start the installer, silently. Raises OSError."""
        assert self._folder is not None, "checked before"
        # All of it, since the new version is started with what its installer has. The loader of
        # the packaged program passes its state on to what is started.
        surroundings = {**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"}
        if sys.platform == "win32":
            import ctypes

            ctypes.windll.kernel32.SetDllDirectoryW(None)
        # In another folder than the one that it replaces.
        subprocess.Popen(
            install_command(installer, self._folder), cwd=installer.parent, env=surroundings
        )

    def _check_writable(self) -> None:
        try:
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as error:
            raise UserError(
                _(
                    "QHub Desktop is installed for everybody on this computer. Whoever looks after"
                    " it installs new versions."
                )
            ) from error


def install_command(installer: Path, folder: Path) -> str:
    """Return the command line: NSIS wants the folder last, and without quotes whatever it is."""
    return f'"{installer}" /S /RESTART /D={folder}'


class Updater:
    """Updates: what is offered, what is kept of it in the data folder, and its installation.

    `back_up` makes a copy of the database before the version that it is given; `note` and
    `trouble` are what came of an installation, for the window to tell.
    """

    def __init__(
        self,
        home: Path,
        *,
        settings: Callable[[], Settings],
        back_up: Callable[[str], object],
        installation: Installation,
        version: str = __version__,
        silence_s: float = SILENCE_S,
    ) -> None:
        self.version = version
        self.status: Status | None = None  # as last seen
        self.note = ""
        self.trouble: UserError | None = None
        self._folder = home / FOLDER
        self._settings = settings
        self._back_up = back_up
        self._installation = installation
        self._next_look = time.monotonic()
        self._told: set[str] = set()
        self._worker = PatientWorker("updates", silence_s=silence_s)

    @property
    def obstacle(self) -> str:
        """Why the very last step cannot be taken on this system; empty where it can."""
        return self._installation.obstacle

    async def check(self) -> Status:
        """Look into the folder of updates; drop what waits here if it is no longer offered.

        Raises ServiceError if it cannot be reached, UserError for settings that are missing, an
        offer that is not to be trusted, and one that is older than another that was seen before.
        """
        settings = self._settings()
        check_settings(settings)
        offer = await self._read(lambda _life: _read_offer(Path(settings.update_folder)))
        release = None if offer is None else read_release(offer, settings.update_key)
        if release is not None:
            await asyncio.to_thread(self._check_seen, release)
        kept = await asyncio.to_thread(self.prepared)
        if kept is not None and kept != release:
            await self.withdraw()  # an administrator takes back what turned out to be bad
        if release is None or version_numbers(release.version) <= version_numbers(self.version):
            self.status = UpToDate(self.version, release.version if release else "")
        else:
            self.status = Offered(release, is_prepared=kept == release)
        return self.status

    async def prepare(self, release: Release, *, on_share: OnShare | None = None) -> None:
        """Copy the installer of what was offered, verify it, and have it wait for the next start.

        Raises like `check`, and UserError if something else is offered by now, the installer is not
        whole, or is not the one that was signed. What was kept before is gone then.
        """
        settings = self._settings()
        check_settings(settings)
        self._installation.check()
        await self._read(lambda life: self._fetch(release, settings, life), on_share=on_share)
        self.status = Offered(release, is_prepared=True)

    def prepared(self) -> Release | None:
        """Return the release that waits for the next start, if there is one. Blocks."""
        with contextlib.suppress(OSError, UserError):
            return read_release(_offer_in(self._folder / KEPT_OFFER), self._settings().update_key)
        return None

    async def withdraw(self) -> None:
        """Forget the release that waits: nothing is installed at the next start."""
        await asyncio.to_thread(self._clear)
        if isinstance(self.status, Offered):
            self.status = Offered(self.status.release, is_prepared=False)

    async def news(self) -> str:
        """Look once in a while, as the settings say; return a sentence that was not told before.

        Called often. Mostly empty, also where the folder is out of reach: a laptop often is.
        """
        settings = self._settings()
        if settings.updates == "off" or not settings.update_folder:
            return ""
        if time.monotonic() < self._next_look:
            return ""
        self._next_look = time.monotonic() + NEXT_CHECK_S
        try:
            sentence = await self._found()
        except ServiceError:
            return ""
        except QHubError as error:
            sentence = str(error)
        is_new = sentence not in self._told
        self._told.add(sentence)
        return sentence if is_new else ""

    def begin_installation(self) -> bool:
        """Install what waits; return whether the program has to end for it. For start-up: blocks.

        Whatever is in the way becomes `trouble`, and nothing is installed then.
        """
        try:
            self._tell_last_attempt()
            return self._install()
        except UserError as error:
            self.trouble = error
            return False

    async def _found(self) -> str:
        status = await self.check()
        if isinstance(status, UpToDate):
            return ""
        if self._settings().updates == "install" and not status.is_prepared and not self.obstacle:
            await self.prepare(status.release)
            return prepared_sentence(status.release.version)
        return status.sentence

    async def _read(
        self, work: Callable[[SignOfLife], Output], *, on_share: OnShare | None = None
    ) -> Output:
        try:
            return await self._worker.run(work, on_share=on_share)
        except SilentError as error:
            raise ServiceError(
                _(
                    "The folder of updates {path} does not answer. Check the network, or try again"
                    " later; nothing was changed."
                ).format(path=self._settings().update_folder)
            ) from error

    def _fetch(self, release: Release, settings: Settings, life: SignOfLife) -> None:
        source = Path(settings.update_folder)
        with _translated(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            held = hold_folder(self._folder)
        if held is None:
            raise UserError(
                _("Another QHub program is at work on this update. Wait a moment, and try again.")
            )
        try:
            self._clear()
            offer = _read_offer(source)
            life.beat()
            if offer is None or read_release(offer, settings.update_key) != release:
                raise UserError(
                    _(
                        "Something else is offered by now than what was found. Look again;"
                        " nothing was changed."
                    )
                )
            if version_numbers(release.version) <= version_numbers(self.version):
                raise UserError(UpToDate(self.version, release.version).sentence)
            self._copy(source / release.file, release, life)
            with _translated(self._folder):
                part = self._folder / f"{KEPT_OFFER}.part"
                part.write_bytes(offer)
                replace_file(part, self._folder / KEPT_OFFER)
        finally:
            os.close(held)

    def _copy(self, source: Path, release: Release, life: SignOfLife) -> None:
        """Copy the installer; only what is whole and has the signed digest gets its name."""
        part = self._folder / f"{KEPT_INSTALLER}.part"
        try:
            with _reached(source.parent), _open_installer(source) as file:
                _check_size(file.seek(0, os.SEEK_END), release)
                file.seek(0)
                digest = self._copy_bytes(file, part, release, life)
            if digest != release.sha256:
                raise UserError(_not_the_signed_file())
            with _translated(self._folder):
                replace_file(part, self._folder / KEPT_INSTALLER)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)

    def _copy_bytes(self, file: BinaryIO, part: Path, release: Release, life: SignOfLife) -> str:
        digest = hashlib.sha256()
        done = 0
        with _translated(self._folder):
            target = part.open("wb")
        with target:
            while chunk := file.read(CHUNK_BYTES):
                done += len(chunk)
                life.beat(done / release.size)
                if done > release.size:
                    break
                digest.update(chunk)
                with _translated(self._folder):
                    target.write(chunk)
            _check_size(done, release)
            with _translated(self._folder):
                target.flush()
                os.fsync(target.fileno())
        return digest.hexdigest()

    def _install(self) -> bool:
        kept = self._folder / KEPT_OFFER
        if not kept.exists():
            return False
        settings = self._settings()
        if settings.updates == "off":
            self._clear()
            return False
        try:
            with _translated(self._folder):
                release = read_release(_offer_in(kept), settings.update_key)
            if version_numbers(release.version) <= version_numbers(self.version):
                self._clear()  # installed by hand meanwhile
                return False
            self._check_seen(release)
            if self.obstacle:
                raise UserError(
                    _("Version {version} waits to be installed.").format(version=release.version)
                    + f" {self.obstacle}"
                )
            self._installation.check()
            installer = self._folder / KEPT_INSTALLER
            with _translated(self._folder), open_regular(installer) as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != release.sha256:
                    raise UserError(_not_the_signed_file())
        except UserError:
            self._clear()
            raise
        self._back_up(release.version)
        with _translated(self._folder):
            # Before it begins: what fails is tried again by a person, not at every start.
            replace_file(kept, self._folder / ATTEMPT)
        try:
            self._installation.start(installer)
        except OSError as error:
            self._clear()
            raise UserError(_not_installed(release.version)) from error
        return True

    def _check_seen(self, release: Release) -> None:
        """Keep how new the offers are that were seen. Raises UserError for an older one.

        Whoever may write to the folder, but does not have the key, could offer a signed version of
        before, with the faults that were mended since.
        """
        file = self._folder / SEEN
        key = self._settings().update_key.strip().lower()
        with _translated(self._folder):
            seen = _read_seen(file)
        newest = seen.get(key, release.age)
        if release.age.is_older_than(newest):
            raise UserError(
                _(
                    "The folder of updates offers version {offered}, older than the one seen there"
                    " before, {seen}. Nothing is installed. Tell whoever looks after updates: a"
                    " version is taken back by offering one with a higher number."
                ).format(offered=release.age.words, seen=newest.words)
            )
        if seen.get(key) == release.age:
            return
        told = {each: asdict(age) for each, age in {**seen, key: release.age}.items()}
        with _translated(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            part = self._folder / f"{SEEN}.{os.getpid()}.part"
            part.write_text(json.dumps(told), encoding="utf-8")
            replace_file(part, file)

    def _tell_last_attempt(self) -> None:
        """Tell what came of an installation that was begun at the last start, and tidy up."""
        attempt = self._folder / ATTEMPT
        if not attempt.exists():
            return
        try:
            version = read_release(_offer_in(attempt), self._settings().update_key).version
        except (OSError, UserError):
            version = ""
        self._clear()
        with contextlib.suppress(OSError):
            attempt.unlink(missing_ok=True)
        if version and version_numbers(version) <= version_numbers(self.version):
            self.note = _("QHub Desktop was updated to version {version}.").format(
                version=self.version
            )
        elif version:
            raise UserError(_not_installed(version))

    def _clear(self) -> None:
        """Forget what waits; the offer first, without which the rest is nothing."""
        with _translated(self._folder):
            for name in (KEPT_OFFER, KEPT_INSTALLER):
                (self._folder / name).unlink(missing_ok=True)
                (self._folder / f"{name}.part").unlink(missing_ok=True)


def check_settings(settings: Settings) -> None:
    """Raise UserError if updates are turned off, or the settings do not say where and whose."""
    if settings.updates == "off":
        raise UserError(
            _(
                "Updates are turned off. They can be turned on in Settings, under Updates, unless"
                " whoever looks after this computer has decided otherwise."
            )
        )
    if not (settings.update_folder and settings.update_key):
        raise UserError(
            _(
                "The folder of updates and their public key belong in Settings, under Updates."
                " Whoever looks after this computer knows them."
            )
        )
    if not Path(settings.update_folder).is_absolute():
        raise UserError(
            _(
                "The folder of updates needs its whole path, as in {example}. Correct it in"
                " Settings, under Updates."
            ).format(example=r"\\server\share\QHub")
        )


def _read_seen(file: Path) -> dict[str, Age]:
    """Read how new the offers are that were seen, by public key. Raises OSError.

    Nothing was seen where the file is not there, or damaged.
    """
    try:
        told = parse_object(read_regular(file, most_bytes=MOST_OFFER_BYTES))
        return {
            key: Age(matching(VERSION, each["version"]), signing_time(each["made"]))
            for key, each in told.items()
            if isinstance(each, dict)
        }
    except (FileNotFoundError, ValueError, KeyError):
        return {}


def _read_offer(folder: Path) -> bytes | None:
    """Read the offer of a folder, None if it has none. Raises ServiceError and UserError."""
    file = long_path(folder / OFFER_FILE)
    with _reached(folder):
        try:
            return _offer_in(file)
        except FileNotFoundError:
            # Windows says so of a server that does not answer, too.
            if not long_path(folder).is_dir():
                raise
            return None


def _offer_in(file: Path) -> bytes:
    with open_regular(file) as opened:
        return opened.read(MOST_OFFER_BYTES)  # what is longer is cut short, and then not whole


@contextlib.contextmanager
def _reached(path: Path) -> Iterator[None]:
    """Raise what a folder of others refuses as ServiceError."""
    try:
        yield
    except OSError as error:
        raise ServiceError(
            _(
                "The folder of updates {path} cannot be read ({reason}). Check the network, or ask"
                " whoever looks after it; nothing was changed."
            ).format(path=path, reason=error.strerror or type(error).__name__)
        ) from error


@contextlib.contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Raise what our own data folder refuses as UserError."""
    try:
        yield
    except OSError as error:
        raise data_folder_error(error, folder) from error


def _open_installer(path: Path) -> BinaryIO:
    try:
        return open_regular(path)
    except FileNotFoundError as error:
        if not long_path(path.parent / OFFER_FILE).exists():  # the whole folder has gone
            raise
        raise UserError(_not_whole()) from error


def _check_size(size: int, release: Release) -> None:
    """Raise UserError for an installer that is not as long as the signed one."""
    if size < release.size:
        raise UserError(_not_whole())
    if size > release.size:
        raise UserError(_not_the_signed_file())


def _not_whole() -> str:
    return _(
        "The installer in the folder of updates is not whole. It may be copied just now: look again"
        " in a few minutes. Nothing was changed."
    )


def _not_the_signed_file() -> str:
    return _(
        "The installer is not the one that was signed. Tell whoever looks after updates here;"
        " nothing was installed."
    )


def _not_installed(version: str) -> str:
    return _(
        "Version {version} could not be installed; nothing is lost. Close every QHub window and"
        " command, then choose it again in Settings, under Updates."
    ).format(version=version)
