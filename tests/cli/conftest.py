"""The command line, called as another program calls it."""

from typing import Protocol

import pytest

from qhub_desktop.app import command_line


class Call(Protocol):
    """Call `qhub`; its exit code, its output and what it says went wrong."""

    def __call__(self, *words: str, secret: str = "") -> tuple[int, str, str]: ...


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `qhub` in an empty data folder."""

    def called(*words: str, secret: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["qhub", *words])
        monkeypatch.setenv("QHUB_SECRET", secret)
        code = command_line()
        told = capsys.readouterr()
        return code, told.out, told.err

    return called
