"""Everything from nothing but Python: `python dev.py run` opens the app, `test` checks it all.

Standard library only. What is needed goes into `.venv/` beside this file, at the exact versions
of requirements.lock; where to fetch it from, and through which proxy, is pip's own configuration.
The syntax stays readable for Python 3.6, so that an old Python gets a sentence.
"""

import contextlib
import ctypes
import hashlib
import importlib.util
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(
        f"QHub Desktop needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]}.\n"
        "Run dev.py with one of those, for example: py -3.13 dev.py run (Windows),"
        " python3.13 dev.py run (elsewhere)."
    )

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
VENV = ROOT / ".venv"
STAMP = VENV / "made-from.json"
MAKE_MODEL = ROOT / "build" / "embedding_model.py"
IS_WINDOWS = sys.platform == "win32"
PYTHON = VENV / ("Scripts/python.exe" if IS_WINDOWS else "bin/python")
RECIPE = 1  # one more whenever `_make_environment` makes something else
TESTS_FAILED = 1  # what pytest ends with then
AGAIN_ALONE = 3  # more failed tests than these are no accident of a busy machine

# The libraries of the system that Qt loads, and the Debian packages that have them: found by
# starting from a bare system and adding until a window opened.
FOR_WIDGETS = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
}
FOR_PAGES = {
    "libnss3.so": "libnss3",
    "libasound.so.2": "libasound2",
    "libXcomposite.so.1": "libxcomposite1",
    "libXdamage.so.1": "libxdamage1",
    "libXrandr.so.2": "libxrandr2",
    "libXtst.so.6": "libxtst6",
    "libxkbfile.so.1": "libxkbfile1",
}
FOR_WINDOWS_ON_X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def run(arguments: list[str]) -> int:
    """Open the app; without a display, on a virtual one. Arguments go to the app."""
    sees = _display()
    prepare({**FOR_WIDGETS, **FOR_PAGES, **FOR_WINDOWS_ON_X11}, with_xvfb=sees is None)
    # Demo data and no accounts, at once; with "ask" a new data folder begins with questions.
    os.environ.setdefault("QHUB_FIRST_RUN", "skip")
    if sees is not None:
        return _play("-m", "qhub_desktop", *arguments)
    with virtual_display() as display:
        print(
            f"No display here, so QHub Desktop runs on a virtual one: DISPLAY={display}."
            " Ctrl+C ends it.",
            flush=True,
        )
        return _play("-m", "qhub_desktop", *arguments, DISPLAY=display)


def test(arguments: list[str]) -> int:
    """Check everything, then run the tests; with --quick those of a minute. Others go to pytest."""
    prepare({**FOR_WIDGETS, **FOR_PAGES, **FOR_WINDOWS_ON_X11}, with_xvfb=True)
    if "--quick" in arguments:
        failed = _failed_checks()
        others = [each for each in arguments if each != "--quick"]
        return _play("-m", "pytest", *QUICK, *others, folder=ROOT) or bool(failed)
    # It takes 70 s of a processor where it is not made yet: too long for the limit of a test, and
    # as long as the checks, which keep one processor busy.
    make = [str(PYTHON), "-c", MAKE_SANDBOX]
    with _begin(make, folder=ROOT, PYTHONPATH=str(ROOT)) as sandbox:
        try:
            failed = _failed_checks()
            if sandbox.wait():
                failed.append("sandbox")
        except BaseException:
            sandbox.terminate()
            raise
    code = _play_tests(arguments)
    if failed:
        print(f"Failed before the tests: {', '.join(failed)}. Their words are above.")
    return code or bool(failed)


def _play_tests(arguments: list[str]) -> int:
    """Run the tests; up to three that failed beside the others once more, each alone, and say so.

    A test that fails both times fails; one that passes alone is named, to be looked into.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "failed.txt"
        code = _play("-m", "pytest", *arguments, folder=ROOT, QHUB_FAILED_TESTS=str(kept))
        failed = kept.read_text("utf-8").splitlines() if kept.exists() else []
    if code != TESTS_FAILED or not 0 < len(failed) <= AGAIN_ALONE:
        return code
    print("Once more, alone:", *failed, sep="\n  ", flush=True)
    again = [_play("-m", "pytest", "--numprocesses=0", each, folder=ROOT) for each in failed]
    passed = [each for each, one in zip(failed, again, strict=True) if not one]
    if passed:
        print("Failed beside the others, passed alone:", *passed, sep="\n  ")
    return max(again)


def check(_arguments: list[str]) -> int:
    """Format, lint, types, layers, translations, pages of folders."""
    prepare({})
    failed = _failed_checks()
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return int(bool(failed))


def gallery(arguments: list[str]) -> int:
    """Render every screen to PNG, into gallery/ or the folder given. Looks can be named."""
    prepare({**FOR_WIDGETS, **FOR_PAGES})
    folder = Path(arguments[0]).resolve() if arguments else ROOT / "gallery"
    return _play("-m", "tests.gallery", str(folder), *arguments[1:], folder=ROOT)


def bench(arguments: list[str]) -> int:
    """Measure. Arguments are names of single measurements."""
    prepare({**FOR_WIDGETS, **FOR_PAGES, **FOR_WINDOWS_ON_X11}, with_xvfb=True)
    return _play("-m", "tests.bench", *arguments, folder=ROOT)


def translate(_arguments: list[str]) -> int:
    """Bring the catalogue up to date with the code, then compile it."""
    prepare({})
    return _play("build/translations.py", "update", folder=ROOT)


COMMANDS = {
    "run": run,
    "test": test,
    "check": check,
    "gallery": gallery,
    "bench": bench,
    "translate": translate,
}
CHECKS = {
    "format": ["-m", "ruff", "format", "--check", "--quiet", "."],
    "lint": ["-m", "ruff", "check", "--quiet", "."],
    "types": ["-m", "mypy", "--no-error-summary"],
    "layers": [
        "-c",
        "from importlinter.cli import lint_imports_command as lint; lint(['--no-logo'])",
    ],
    "translations": ["build/translations.py", "check"],
    "pages": ["-m", "tests.foundation.folder_pages", "--check"],
}


# What a change needs first: the layers without a window or a child process, and the structure.
QUICK = [
    "tests/core",
    "tests/charts",
    "tests/quality",
    "tests/people",
    "tests/updates",
    "tests/foundation/test_structure.py",
    "tests/foundation/test_documentation.py",
    "tests/foundation/test_languages.py",
    "tests/foundation/test_translations.py",
]
MAKE_SANDBOX = "from qhub_desktop.sandbox.engine import prepare; prepare(print)"


def _failed_checks() -> list[str]:
    failed = []
    for name, command in CHECKS.items():
        began = time.monotonic()
        # The tools draw with characters that a redirected Windows console cannot write.
        code = _play(*command, folder=ROOT, PYTHONIOENCODING=":backslashreplace")
        print(f"{name}: {'failed' if code else 'ok'}, {time.monotonic() - began:.1f} s", flush=True)
        if code:
            failed.append(name)
    return failed


def prepare(libraries: dict[str, str], *, with_xvfb: bool = False) -> None:
    """Leave a whole, current environment in .venv/, the system's libraries and the model in place.

    Ends the program with a sentence where a person is needed.
    """
    packages, missing = _missing_from_system(libraries, with_xvfb=with_xvfb)
    if packages:
        _install_packages(packages, missing)
        packages, missing = _missing_from_system(libraries, with_xvfb=with_xvfb)
        if packages:
            _give_up(f"Still missing after the installation: {', '.join(missing)}.")
    made_from = _facts()
    if not _is_made_from(made_from):
        _make_environment(made_from)
    if MAKE_MODEL.exists():  # where it fails it says so, and the program does without
        _call([str(PYTHON), str(MAKE_MODEL)])


def _missing_from_system(
    libraries: dict[str, str], *, with_xvfb: bool
) -> tuple[list[str], list[str]]:
    """Debian packages to install, and what they are for."""
    if sys.platform != "linux":
        return [], []
    lacking = {name: package for name, package in libraries.items() if not _loads(name)}
    if with_xvfb and shutil.which("Xvfb") is None:
        lacking["Xvfb"] = "xvfb"
    needs_venv = not _is_made_from(_facts())
    if needs_venv and not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        lacking["Python's venv"] = "python{}.{}-venv".format(*sys.version_info[:2])
    return list(lacking.values()), list(lacking)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _install_packages(packages: list[str], missing: list[str]) -> None:
    if sys.platform == "win32":
        return
    apt = shutil.which("apt-get")
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if apt is None:
        _give_up(
            f"The system lacks: {', '.join(missing)}. Install them with its package manager and"
            f" run this again. (On Debian and Ubuntu the packages are: {' '.join(packages)}.)"
        )
    if os.geteuid() != 0:
        _give_up(
            f"The system lacks: {', '.join(missing)}. Install them and run this again:\n"
            f"  sudo apt-get update && sudo {' '.join(install)}"
        )
    print(f"Installing what the system lacks: {' '.join(packages)}", flush=True)
    # Not a reason to give up: without a network the package lists may be good enough.
    _call(["apt-get", "update", "--quiet=2"], DEBIAN_FRONTEND="noninteractive")
    if _call([*install, "--quiet=2"], DEBIAN_FRONTEND="noninteractive"):
        _give_up(f"The packages could not be installed: see above. Try: {' '.join(install)}")


def _facts() -> dict[str, object]:
    """All that the environment depends on: when any of it changes, it is made anew."""
    import tomllib  # not there before 3.11

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        "recipe": RECIPE,
        "folder": str(ROOT),
        "python": sys.version,
        "base": sys.base_prefix,
        "platform": sysconfig.get_platform(),
        "lock": hashlib.sha256(LOCK.read_bytes().replace(b"\r\n", b"\n")).hexdigest(),
        "project": declared["project"],
        "build": [declared["build-system"], declared.get("tool", {}).get("hatch")],
    }


def _is_made_from(facts: dict[str, object]) -> bool:
    try:
        return PYTHON.exists() and facts == json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def _make_environment(facts: dict[str, object]) -> None:
    """Make .venv/ from nothing; the stamp comes last, so that half an environment has none."""
    began = time.monotonic()
    print(f"Making the environment in {VENV}, once; this takes a minute or two.", flush=True)
    if IS_WINDOWS and Path(sys.prefix) == VENV:
        _give_up("Run dev.py with the Python you installed (py dev.py ...), not the one in .venv.")
    try:
        if VENV.exists():
            shutil.rmtree(VENV)
    except OSError as error:
        _give_up(
            f"The old environment can not be removed ({error.strerror}: {error.filename})."
            " Close QHub Desktop and all else that uses it, or delete .venv, and run this again."
        )
    # Run from inside an environment, this is the Python that it was made with.
    base = getattr(sys, "_base_executable", None) or sys.executable
    if _call([base, "-m", "venv", str(VENV)]):
        _give_up("Python could not make an environment: see above.")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    locked = ["--require-hashes", "--only-binary=:all:", f"--requirement={LOCK}"]
    if _call([*pip, *locked], PIP_USER="0"):
        _give_up(
            "The packages could not be installed: see above. Check the network, and the proxy and"
            " index in pip's own configuration (pip config list), and run this again."
        )
    itself = ["--quiet", "--no-build-isolation", f"--editable={ROOT}"]
    if _call([*pip, *itself], PIP_USER="0"):
        _give_up("QHub Desktop itself could not be installed: see above.")
    STAMP.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    print(f"The environment is ready after {time.monotonic() - began:.0f} s.", flush=True)


def _display() -> str | None:
    """Where a window would be shown; nothing where none can be."""
    if sys.platform != "linux":
        return sys.platform
    chosen = os.environ.get("QT_QPA_PLATFORM"), os.environ.get("WAYLAND_DISPLAY")
    return next(filter(None, (*chosen, os.environ.get("DISPLAY"))), None)


@contextlib.contextmanager
def virtual_display() -> Iterator[str]:
    """The name of an X display that nobody sees, for as long as it is needed."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1366x768x24"]
    with subprocess.Popen(
        [*command, "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl+C is for the program on it, which ends first
    ) as server:
        os.close(writing)
        try:
            with os.fdopen(reading, encoding="ascii") as told:
                number = told.readline().strip()
            if not number:
                _give_up("Xvfb did not start. Try it by hand: Xvfb -displayfd 1")
            yield f":{number}"
        finally:
            server.terminate()


def _play(*words: str, folder: Path | None = None, **more: str) -> int:
    """Run the environment's Python."""
    # Before 3.13, Windows does not find an editable install in a folder with an accent in its name.
    return _call([str(PYTHON), *words], folder=folder, PYTHONPATH=str(ROOT), **more)


def _call(command: list[str], *, folder: Path | None = None, **more: str) -> int:
    """Run a program to its end, with `more` in its environment."""
    with _begin(command, folder=folder, **more) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the program has heard it too, and ends in its own way
            return process.wait() or 130
        except SystemExit:  # asked to end by a signal that only reached us
            process.terminate()
            raise


def _begin(
    command: list[str], *, folder: Path | None = None, **more: str
) -> "subprocess.Popen[bytes]":
    """Start a program, with `more` in its environment."""
    # Two would lead to another Python's libraries; one would have all of them compiled each time.
    strange = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    ours = {name: text for name, text in os.environ.items() if name not in strange}
    return subprocess.Popen(command, cwd=folder, env={**ours, **more})


def _give_up(sentence: str) -> NoReturn:
    sys.exit(sentence)


def _usage() -> str:
    lines = [f"  {name:<11}{each.__doc__}" for name, each in COMMANDS.items()]
    return "\n".join(["usage: python dev.py COMMAND [ARGUMENT]...", "", *lines])


def main(words: list[str]) -> int:
    """Do what the words say; the exit code is that of the program it came down to."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A folder's name may hold what a Windows console can not write.
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not words or words[0] not in COMMANDS:
        print(_usage())
        return 0 if words in (["-h"], ["--help"]) else 2
    arguments = words[2:] if words[1:2] == ["--"] else words[1:]
    return COMMANDS[words[0]](arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
