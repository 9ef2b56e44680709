"""Calling the command line as another program would: a process, its exit code and its lines."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qhub_desktop.core.ids import ConversationId

QHUB = shutil.which("qhub", path=str(Path(sys.executable).parent)) or "qhub"
# Calls one after the other as the interpreter would make them, each on streams as they were at
# first: what every process loads is loaded once.
_IN_TURN = """
import json, sys
from qhub_desktop.app import command_line
before = [(each.encoding, each.errors) for each in (sys.stdout, sys.stderr)]
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    try:
        code = command_line()
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    for stream, (encoding, errors) in zip((sys.stdout, sys.stderr), before):
        print(end=f"\\0ended with {code}\\0", file=stream, flush=True)
        stream.reconfigure(encoding=encoding, errors=errors, newline=None)
"""
_ENDED = re.compile(rb"\0ended with (\d+)\0")


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
    def conversation(self) -> ConversationId:
        """The id that the first line tells."""
        assert self.lines[0]["type"] == "conversation"
        return ConversationId(self.lines[0]["id"])


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


def in_turn(calls: Sequence[Sequence[str | Path]]) -> list[str]:
    """Return the command that makes these calls of `qhub` one after the other, in one process."""
    return [sys.executable, "-c", _IN_TURN, json.dumps([[*map(str, call)] for call in calls])]


def qhub_in_turn(
    calls: Sequence[Sequence[str | Path]],
    *,
    environment: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> list[Called]:
    """Make calls in one process whose streams have this encoding; JSON is UTF-8 in any case."""
    done = subprocess.run(
        in_turn(calls),
        capture_output=True,
        check=True,
        env={**os.environ, **(environment or {}), "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        timeout=240,
    )
    *told, _end = _ENDED.split(done.stdout)
    *said, _end = _ENDED.split(done.stderr)
    return [
        Called(
            int(code), out.decode("utf-8" if "--json" in call else encoding), err.decode(encoding)
        )
        for call, out, code, err in zip(calls, told[::2], told[1::2], said[::2], strict=True)
    ]
