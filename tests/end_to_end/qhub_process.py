"""Calling the command line as another program would: a process, its exit code and its lines."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QHUB = shutil.which("qhub", path=str(Path(sys.executable).parent)) or "qhub"


@dataclass(frozen=True, slots=True)
class Called:
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON, an object a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def all(self, kind: str) -> list[dict[str, Any]]:
        """The events of one kind."""
        return [line for line in self.lines if line["type"] == kind]

    @property
    def text(self) -> str:
        """The words of the answer."""
        return "".join(line["content"] for line in self.all("text"))

    @property
    def conversation(self) -> str:
        """The id that the first line tells."""
        assert self.lines[0]["type"] == "conversation"
        return str(self.lines[0]["id"])


def qhub(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Called:
    """Run `qhub` with a data folder of the test's own (QHUB_HOME is set by a fixture)."""
    done = subprocess.run(
        [QHUB, *map(str, arguments)],
        capture_output=True,
        check=False,
        encoding=encoding,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    return Called(done.returncode, done.stdout, done.stderr)
