"""A reader that has left, as `qhub … | more` after the first page, is no failure of the program."""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

import pytest

import qhub_desktop.core.processes.supervisor  # noqa: F401  before another system is pretended
from qhub_desktop.cli import main
from qhub_desktop.cli.verbs import Caller, CommandServices
from qhub_desktop.core import crash
from qhub_desktop.core.settings import EngineChoice

LEFT = [BrokenPipeError(32, "broken pipe"), OSError(22, "Invalid argument")]


def fail(error: OSError) -> CommandServices:
    raise error


def told(error: OSError, home: Path) -> int:
    """Run a command whose output meets this error, with reports as the program keeps them."""

    @asynccontextmanager
    async def services(
        _engine: EngineChoice | None, _caller: Caller | None
    ) -> AsyncIterator[CommandServices]:
        with crash.install(home):
            yield fail(error)

    return main(["conversations"], services)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[TextIO]:
    """A standard output of the program's own, which it may close: to be set by the test itself.

    Between a fixture and its test, pytest sets its own again. That one, left on the null device,
    would be a terminal on Windows, which the program gives another stream to.
    """
    monkeypatch.setattr(sys, "platform", "win32")
    with (tmp_path / "output").open("w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize("error", LEFT)
def test_a_reader_that_left_is_no_crash(error: OSError, home: Path, output: TextIO) -> None:
    with redirect_stdout(output):
        assert told(error, home) == 1
        print("what is still in the buffer", flush=True)  # fails no more
    assert list((home / "logs").glob("crash-*")) == []
    assert Path(output.name).read_text(encoding="utf-8") == ""


def test_a_file_with_an_impossible_name_is_one(home: Path, output: TextIO) -> None:
    error = OSError(22, os.strerror(22), "C:\\a?b")

    with redirect_stdout(output), pytest.raises(OSError, match="Invalid argument"):
        told(error, home)
    assert len(list((home / "logs").glob("crash-*"))) == 1
