"""Says which locked dependencies have no wheel for Windows x64, for each Python that is supported.

Run it after a change of a lock: `python build/windows_wheels.py`, or with the lock's path. It asks
pip's own index for names and hashes and downloads no wheel where the index tells the metadata; what
it finds is compared with the lock's hashes. It ends with 1 if any wheel is missing.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pip._vendor.packaging.markers import Marker

LOCK = Path(__file__).resolve().parents[1] / "requirements.lock"
VERSIONS = ("3.11", "3.12", "3.13")
# pip works markers out for the Python that it runs on, so they are taken off and asked for here.
WINDOWS = {
    "implementation_name": "cpython",
    "os_name": "nt",
    "platform_machine": "AMD64",
    "platform_python_implementation": "CPython",
    "platform_system": "Windows",
    "sys_platform": "win32",
}


@dataclass(frozen=True)
class Locked:
    """One requirement of a lock: `name==version`, its marker, and the hashes of its files."""

    requirement: str
    marker: str
    hashes: frozenset[str]

    @property
    def name(self) -> str:
        """The name in the form that is compared."""
        return normalized(self.requirement.partition("==")[0])

    def is_for_windows(self, version: str) -> bool:
        """Return whether a Windows Python of this version needs it."""
        if not self.marker:
            return True
        about = {**WINDOWS, "python_version": version, "python_full_version": f"{version}.0"}
        return bool(Marker(self.marker).evaluate(about))


def normalized(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(text: str) -> Iterator[Locked]:
    """Read every requirement of a lock."""
    for entry in text.replace("\\\n", " ").splitlines():
        words = entry.partition("#")[0].strip()
        if "==" not in words:
            continue
        required, *hashes = words.split("--hash=sha256:")
        requirement, _semicolon, marker = required.partition(";")
        yield Locked(requirement.strip(), marker.strip(), frozenset(map(str.strip, hashes)))


def problems(locked: list[Locked], version: str) -> list[str]:
    """Return what a Windows Python of this version could not install, and why."""
    needed = [each for each in locked if each.is_for_windows(version)]
    found, error = _resolved([each.requirement for each in needed], version)
    if error:  # it stops at the first; to name all, each is asked for alone
        found = {}
        for each in needed:
            found |= _resolved([each.requirement], version)[0]
    return [problem for each in needed if (problem := _problem(each, found))]


def _problem(locked: Locked, found: Mapping[str, tuple[str, str]]) -> str:
    if locked.name not in found:
        return f"{locked.requirement}: no wheel"
    url, sha256 = found[locked.name]
    if sha256 not in locked.hashes:
        return f"{locked.requirement}: {url.rpartition('/')[2]} is not among the lock's hashes"
    return ""


def _resolved(requirements: list[str], version: str) -> tuple[dict[str, tuple[str, str]], str]:
    """Return the address and hash of each requirement's wheel, and what pip says if it fails."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        called = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"),
                *("--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:"),
                *("--platform=win_amd64", f"--python-version={version}", "--implementation=cp"),
                *(f"--target={folder}", f"--report={report}", *requirements),
            ],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if called.returncode:
            return {}, called.stderr
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {normalized(each["metadata"]["name"]): _wheel(each) for each in installed}, ""


def _wheel(installed: dict[str, Any]) -> tuple[str, str]:
    about = installed["download_info"]
    return about["url"], about["archive_info"]["hashes"]["sha256"]


def main() -> int:
    """Check every version of Python, and print what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lock", type=Path, nargs="?", default=LOCK)
    locked = [*read_lock(parser.parse_args().lock.read_text(encoding="utf-8"))]
    is_whole = True
    for version in VERSIONS:
        missing = problems(locked, version)
        count = sum(each.is_for_windows(version) for each in locked)
        print(f"Python {version}: {count - len(missing)} of {count} have a wheel.", flush=True)
        for each in missing:
            print(f"  {each}")
        is_whole = is_whole and not missing
    return 0 if is_whole else 1


if __name__ == "__main__":
    raise SystemExit(main())
