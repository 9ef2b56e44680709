"""The data folder is the person's alone, mended at start, unless several accounts share it."""

import logging
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from qhub_desktop.core import paths, permissions
from qhub_desktop.core.permissions import SHARED_FILE, allowed_in, keep_private, owner_in

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has access lists instead")
USER = "S-1-5-21-1-2-3-1001"


def modes(folder: Path) -> dict[str, int]:
    """The permissions of a folder and of all in it, but of links."""
    found = {each.relative_to(folder).as_posix(): each for each in (folder, *folder.rglob("*"))}
    return {
        name: stat.S_IMODE(each.lstat().st_mode)
        for name, each in found.items()
        if not each.is_symlink()
    }


@pytest.fixture
def open_home(home: Path) -> Iterator[Path]:
    """A data folder as an earlier version has made it, whose every part others can read."""
    before = os.umask(0o022)
    for name in ("qhub.db", "workspace/a-1/rows.duckdb", "logs/qhub.log", "backups/x.db"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"x")
    (home / "workspace" / "run.sh").touch(mode=0o755)
    yield home
    os.umask(before)


@POSIX
def test_a_folder_that_others_can_read_is_closed_with_all_in_it(open_home: Path) -> None:
    keep_private(open_home)

    assert {mode & 0o077 for mode in modes(open_home).values()} == {0}
    assert modes(open_home)["qhub.db"] == 0o600
    assert modes(open_home)["workspace/a-1"] == 0o700


@POSIX
def test_what_was_opened_in_a_private_folder_is_closed_again(open_home: Path) -> None:
    keep_private(open_home)
    (open_home / "qhub.db").chmod(0o666)
    (open_home / "workspace").chmod(0o777)
    (open_home / "workspace" / "a-1" / "rows.duckdb").chmod(0o644)
    (open_home / "workspace" / "a-1").chmod(0o755)

    keep_private(open_home)

    assert {mode & 0o077 for mode in modes(open_home).values()} == {0}


@POSIX
def test_what_a_link_in_it_leads_to_keeps_its_permissions(open_home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "theirs").touch(mode=0o644)
    (open_home / "file").symlink_to(outside / "theirs")
    (open_home / "folder").symlink_to(outside, target_is_directory=True)
    (open_home / "nothing").symlink_to(outside / "gone")

    keep_private(open_home)

    assert modes(outside) == {".": 0o755, "theirs": 0o644}
    assert modes(open_home)["."] == 0o700


@POSIX
def test_a_folder_that_is_reached_by_a_link_is_closed(
    open_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(open_home, target_is_directory=True)
    monkeypatch.setenv("QHUB_HOME", str(link))

    keep_private(link)

    assert {mode & 0o077 for mode in modes(open_home).values()} == {0}


@POSIX
def test_a_folder_that_says_that_it_is_shared_stays_as_it_is(open_home: Path) -> None:
    (open_home / SHARED_FILE).touch(mode=0o664)
    open_home.chmod(0o2775)
    before = modes(open_home)

    keep_private(open_home)

    assert modes(open_home) == before


@POSIX
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives away")
@pytest.mark.parametrize("part", [".", "qhub.db"])
def test_a_folder_that_another_account_works_in_stays_as_it_is(open_home: Path, part: str) -> None:
    if sys.platform != "win32":
        os.chown(open_home / part, 12345, 12345)
    before = modes(open_home)

    keep_private(open_home)

    assert modes(open_home) == before


@POSIX
def test_the_platforms_own_folder_is_nobody_elses_whatever_it_holds(
    open_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (open_home / SHARED_FILE).touch()
    monkeypatch.delenv("QHUB_HOME")

    keep_private(open_home)

    assert modes(open_home)["."] == 0o700


@POSIX
def test_a_disk_that_keeps_no_permissions_is_told_in_the_log(
    open_home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Path, "chmod", lambda _path, _mode: None)

    with caplog.at_level(logging.INFO):
        keep_private(open_home)

    (told,) = caplog.messages
    assert "other accounts may be able to read" in told


@POSIX
def test_what_cannot_be_closed_does_not_keep_the_rest_open(
    open_home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = Path.chmod

    def refused(path: Path, mode: int) -> None:
        if path.name == "logs":
            raise PermissionError(1, "not permitted", str(path))
        real(path, mode)

    monkeypatch.setattr(Path, "chmod", refused)

    keep_private(open_home)

    assert [name for name, mode in modes(open_home).items() if mode & 0o077] == [
        "logs",
        "logs/qhub.log",
    ]
    assert any("other accounts may be able to read" in each for each in caplog.messages)


@POSIX
def test_new_files_are_private_and_what_is_handed_out_is_as_the_persons_others(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths._Umask, "persons", None)
    before = os.umask(0o022)
    try:
        permissions.begin()
        permissions.begin()
        home.mkdir()
        paths.write_file(home / "kept", b"x")
        paths.write_file(tmp_path / "exported", b"x")
        paths.write_file(tmp_path / "secret", b"x", mode=0o600)
        with paths.persons_umask():
            (tmp_path / "folder").mkdir()
        (tmp_path / "other").touch()
    finally:
        os.umask(before)

    assert modes(home) == {".": 0o700, "kept": 0o600}
    found = modes(tmp_path)
    assert [found[each] for each in ("exported", "secret", "folder", "other")] == [
        *(0o644, 0o600, 0o755, 0o600)
    ]


@POSIX
def test_in_a_shared_folder_files_are_made_as_the_person_makes_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths._Umask, "persons", None)
    home.mkdir()
    (home / SHARED_FILE).touch()
    before = os.umask(0o002)
    try:
        permissions.begin()
        (home / "kept").touch()
    finally:
        os.umask(before)

    assert modes(home)["kept"] == 0o664


@pytest.mark.parametrize(
    ("described", "owner", "allowed"),
    [
        (
            f"O:{USER}G:{USER}D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;{USER})",
            USER,
            {"SY", "BA", USER},
        ),
        ("O:LAD:PAI(A;OICI;FA;;;LA)(A;OICI;FA;;;SY)", "LA", {"LA", "SY"}),
        (
            "O:BAD:AI(A;ID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;ID;0x1301bf;;;AU)",
            "BA",
            {"BA", "CO", "AU"},
        ),
        ("O:BAD:(D;;FA;;;WD)(A;;FA;;;BU)", "BA", {"BU"}),
        ('O:SYD:(XA;;FX;;;S-1-1-0;(@User.Title=="PM"))', "SY", {"S-1-1-0"}),
        ("O:BAD:NO_ACCESS_CONTROL", "BA", {"WD"}),
        ("O:BA", "BA", {"WD"}),
        ("O:BAD:", "BA", set()),
        (f"O:{USER}D:P", USER, set()),
    ],
)
def test_an_access_list_of_windows_is_read(described: str, owner: str, allowed: set[str]) -> None:
    assert owner_in(described) == owner
    assert allowed_in(described) == allowed
