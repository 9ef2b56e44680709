"""Files that others hold, as Windows says it, and paths that are longer than Windows takes."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from qhub_desktop.core import paths
from qhub_desktop.core.errors import data_folder_error
from qhub_desktop.core.paths import extended_path, long_path, replace_file
from qhub_desktop.core.untrusted_files import read_regular

Refuse = Callable[..., list[str]]


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Make a method of paths fail as on Windows, so many times; the calls are returned."""

    def begin(method: str, winerror: int | None, times: int) -> list[str]:
        calls: list[str] = []
        real = getattr(Path, method)

        def refused(path: Path, *args: object, **kwargs: object) -> object:
            calls.append(path.name)
            if len(calls) > times:
                return real(path, *args, **kwargs)
            error = PermissionError(13, "refused", str(path))
            if winerror is not None:
                error.winerror = winerror  # type: ignore[attr-defined]  # Windows alone has it
            raise error

        monkeypatch.setattr(Path, method, refused)
        monkeypatch.setattr(time, "sleep", lambda _seconds: None)
        return calls

    return begin


@pytest.mark.parametrize("winerror", [5, 32, 33])
def test_a_file_is_replaced_once_its_holder_lets_go(
    tmp_path: Path, refuse: Refuse, winerror: int
) -> None:
    draft, target = tmp_path / "draft", tmp_path / "target"
    draft.write_text("new", encoding="utf-8")
    target.write_text("old", encoding="utf-8")
    calls = refuse("replace", winerror, 3)

    replace_file(draft, target)

    assert target.read_text(encoding="utf-8") == "new"
    assert len(calls) == 4


def test_a_file_that_nobody_lets_go_of_stays_as_it_was(tmp_path: Path, refuse: Refuse) -> None:
    draft, target = tmp_path / "draft", tmp_path / "target"
    draft.write_text("new", encoding="utf-8")
    target.write_text("old", encoding="utf-8")
    refuse("replace", 32, 99)

    with pytest.raises(PermissionError):
        replace_file(draft, target)

    assert target.read_text(encoding="utf-8") == "old"


def test_a_refusal_that_waiting_does_not_mend_is_raised_at_once(
    tmp_path: Path, refuse: Refuse
) -> None:
    calls = refuse("replace", None, 99)

    with pytest.raises(PermissionError):
        replace_file(tmp_path / "draft", tmp_path / "target")

    assert len(calls) == 1


def test_a_file_that_is_being_replaced_is_read_afterwards(tmp_path: Path, refuse: Refuse) -> None:
    file = tmp_path / "choices.json"
    file.write_text("{}", encoding="utf-8")
    refuse("stat", 5, 2)

    assert read_regular(file, most_bytes=10) == b"{}"


def test_it_is_waited_for_about_a_second() -> None:
    assert 0.8 <= sum(paths.WAITS_S) <= 1.2


def test_a_held_file_is_not_called_a_missing_right(tmp_path: Path) -> None:
    error = PermissionError(13, "held")
    error.winerror = 32  # type: ignore[attr-defined]  # Windows alone has it

    assert "Another program" in str(data_folder_error(error, tmp_path))


@pytest.mark.parametrize(
    ("path", "extended"),
    [
        (r"C:\dados\março.xlsx", r"\\?\C:\dados\março.xlsx"),
        (r"C:/dados/./x/../março.xlsx", r"\\?\C:\dados\março.xlsx"),
        (r"\\servidor\partilha\março.xlsx", r"\\?\UNC\servidor\partilha\março.xlsx"),
        (r"\\?\C:\dados\março.xlsx", r"\\?\C:\dados\março.xlsx"),
        (r"\\.\pipe\x", r"\\.\pipe\x"),
    ],
)
def test_a_long_path_gets_the_prefix_without_a_limit(path: str, extended: str) -> None:
    assert extended_path(path) == extended


def test_only_a_path_that_windows_would_not_take_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = tmp_path / "a.csv", tmp_path / ("x" * 200) / ("y" * 60)
    assert long_path(long) == long or sys.platform == "win32"
    monkeypatch.setattr(sys, "platform", "win32")

    assert long_path(short) == short
    assert str(long_path(long)).startswith("\\\\?\\")
