"""A copy of the program in a folder of the test's own, to be added to and run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.end_to_end.qhub_process import Called

SOURCE = Path(__file__).resolve().parents[2]
_SHIPPED = ("qhub_desktop", "resources", "data")
_QHUB = "from qhub_desktop.app import command_line; raise SystemExit(command_line())"


class ScratchTree:
    """The package and its resources, copied; changes to them are seen by its own processes only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _SHIPPED:
            # Compiled modules come along: they are valid, since the times of the sources are kept.
            shutil.copytree(SOURCE / name, folder / name)

    def write(self, path: str, text: str) -> None:
        """Add a file. Raises FileExistsError if there is one already."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)

    def append(self, path: str, text: str) -> None:
        """Add lines to the end of a file."""
        with (self.folder / path).open("a", encoding="utf-8") as stream:
            stream.write(text)

    def insert_before(self, path: str, line: str, text: str) -> None:
        """Add lines before the one line of a file that begins with `line`."""
        file = self.folder / path
        whole = file.read_text(encoding="utf-8")
        assert whole.count(f"\n{line}") == 1, f"{path}: not one line {line!r}"
        file.write_text(whole.replace(f"\n{line}", f"\n{text}{line}"), encoding="utf-8")

    def qhub(self, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> Called:
        """Run the copy's `qhub` (QHUB_HOME is set by a fixture)."""
        return self.python(_QHUB, *arguments, environment=environment)

    def python(
        self, code: str, *arguments: str | Path, environment: Mapping[str, str] | None = None
    ) -> Called:
        """Run some code that imports the copy."""
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            check=False,
            cwd=self.folder,
            encoding="utf-8",
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "PYTHONIOENCODING": "utf-8",
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        return Called(done.returncode, done.stdout, done.stderr)
