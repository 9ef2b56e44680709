"""Folders and files of another kind: a sentence each, exit 1, and nothing lost."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from qhub_desktop.core.paths import DEMO_DATA
from tests.end_to_end.qhub_process import QHUB, Called, qhub, qhub_in_turn
from tests.waiting import LOOK_S

DEMO = DEMO_DATA / "defeitos.csv"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="such files are POSIX's")
EXPORT = "exporta os defeitos por turno para excel"
CALLS: list[tuple[str | Path, ...]] = [
    ("profile", DEMO),
    ("ask", "--engine", "offline", "top 3 defeitos"),
    ("agents",),
]
ASK = ("ask", "--engine", "offline")


def a_file(folder: Path) -> Path:
    (folder / "home").write_text("mine", encoding="utf-8")
    return folder / "home"


def below_a_file(folder: Path) -> Path:
    return a_file(folder) / "below"


def a_device(_folder: Path) -> Path:
    return Path(os.devnull)


def a_name_without_text(folder: Path) -> Path:
    return folder / os.fsdecode(b"caf\xe9")


def taken_inside(name: str) -> Callable[[Path], Path]:
    def place(folder: Path) -> Path:
        (folder / "home").mkdir()
        (folder / "home" / name).write_text("mine", encoding="utf-8")
        return folder / "home"

    place.__name__ = f"{name} is a file"
    return place


HOMES = [
    a_file,
    below_a_file,
    a_device,
    taken_inside("logs"),
    *([] if sys.platform == "win32" else [a_name_without_text]),
]


def assert_told(called: Called, *, code: int = 1) -> None:
    """One sentence, and no word of a mistake inside the program."""
    assert called.code == code, called.err
    assert len(called.err.strip().splitlines()) == 1, called.err
    assert called.err.strip().endswith(".")
    for word in ("Traceback", "went wrong", "correu mal", "Error"):
        assert word not in called.err


@pytest.mark.parametrize("place", HOMES, ids=lambda place: place.__name__)
def test_a_data_folder_of_another_kind_is_said_to_be_one(
    tmp_path: Path, place: Callable[[Path], Path]
) -> None:
    folder = tmp_path / "place"
    folder.mkdir()
    home = place(folder)
    for called in qhub_in_turn(CALLS, environment={"QHUB_HOME": str(home)}):
        assert_told(called)
    for left in folder.rglob("*"):
        assert not left.is_file() or left.read_text(encoding="utf-8") == "mine"


def test_what_stands_in_the_way_of_data_sets_is_said(tmp_path: Path) -> None:
    home = taken_inside("workspace")(tmp_path)
    assert_told(qhub("profile", DEMO, environment={"QHUB_HOME": str(home)}))


def test_what_stands_in_the_way_of_exports_is_said_in_the_answer(tmp_path: Path) -> None:
    home = taken_inside("exports")(tmp_path)

    asked = qhub(*ASK, EXPORT, environment={"QHUB_HOME": str(home)})

    assert str(home / "exports") in asked.out
    assert asked.code in (0, 1)
    assert asked.err == "A escrever um ficheiro Excel…\n"  # what it was doing
    assert (home / "exports").read_text(encoding="utf-8") == "mine"
    assert not [*home.glob("logs/crash*")]


def made_by_use(home: Path) -> list[Path]:
    """Everything that the program keeps in its folder after a file, a question and an export."""
    for call in (CALLS[0], (*ASK, EXPORT)):
        assert qhub(*call, environment={"QHUB_HOME": str(home)}).code == 0
    made = [each.relative_to(home) for each in sorted(home.rglob("*"))]
    assert {Path("exports"), Path("workspace"), Path("qhub.db"), Path("logs")} <= {*made}
    return [*made, Path("workspace", "originals"), Path("workspace", "choices.json")]


def test_a_file_for_a_folder_and_a_folder_for_a_file_are_never_a_bug(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    for place in made_by_use(whole):
        home = tmp_path / "home"
        shutil.copytree(whole, home)
        taken = home / place
        if taken.is_dir() or not taken.suffix:
            shutil.rmtree(taken, ignore_errors=True)
            taken.write_text("mine", encoding="utf-8")
        else:
            taken.unlink(missing_ok=True)
            (taken / "inside").mkdir(parents=True)
        called = qhub(*CALLS[0], environment={"QHUB_HOME": str(home)})
        if called.code:
            assert_told(called)
        assert not [*home.glob("logs/crash*")], place
        shutil.rmtree(home)


@contextmanager
def small_disk(folder: Path, *options: str) -> Iterator[Path]:
    """Mount a disk that is small, or may only be read, where this account may."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    if (
        not shutil.which("mount")
        or subprocess.run(mounting, capture_output=True, check=False).returncode
    ):
        pytest.skip("this account cannot mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> None:
    with contextlib.suppress(OSError), (disk / "filling").open("wb", buffering=0) as filling:
        while True:
            filling.write(bytes(4096))


@POSIX
def test_a_folder_that_may_only_be_read_is_said_to_be_one(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "ro", "size=3m") as disk:
        for called in qhub_in_turn(CALLS, environment={"QHUB_HOME": str(disk)}):
            assert_told(called)


@POSIX
@pytest.mark.parametrize("room", ["at first", "later"])
def test_a_full_disk_is_told_by_its_name(tmp_path: Path, room: str) -> None:
    with small_disk(tmp_path / "disk", "size=100k" if room == "at first" else "size=3m") as disk:
        if room == "later":
            assert qhub("agents", environment={"QHUB_HOME": str(disk)}).code == 0
            fill(disk)
        called = qhub_in_turn(CALLS, environment={"QHUB_HOME": str(disk)})
    for told in called:
        assert_told(told)
        assert "room" in told.err or "espaço" in told.err


@POSIX
def test_the_data_folder_is_the_persons_alone_and_what_is_exported_is_not(
    tmp_path: Path, home: Path
) -> None:
    home.mkdir(mode=0o755)
    (home / "vocabulary.toml").touch(mode=0o644)
    saved = tmp_path / "saved"
    saved.mkdir()
    calls: list[tuple[str | Path, ...]] = [
        (*ASK, EXPORT),
        ("export", DEMO, saved / "table.csv"),
        ("admin", "agents", "export", "qualidade", saved / "agent"),
        ("backup", "--to", saved / "all.db"),
    ]
    before = os.umask(0o022)
    try:
        for called in qhub_in_turn(calls):
            assert called.code == 0, called.err
    finally:
        os.umask(before)

    kept = [home, *home.rglob("*")]
    assert [each for each in kept if each.lstat().st_mode & 0o077] == []
    modes = {each.name: oct(each.stat().st_mode & 0o777) for each in saved.rglob("*")}
    assert modes == {
        "table.csv": "0o644",
        "agent": "0o755",
        **dict.fromkeys(["agent.toml", "prompt.md", "icon.svg"], "0o644"),
        "all.db": "0o600",
    }


@POSIX
def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "p.csv"
    os.mkfifo(pipe)
    endless = (pipe, *map(Path, ("/dev/zero", "/dev/null", "/dev/tty")))
    calls: list[tuple[str | Path, ...]] = [("profile", each) for each in endless]
    calls += [("ask", "--file", each, "quantas linhas?") for each in endless]

    for called in qhub_in_turn(calls):
        assert_told(called)


def _no_files(folder: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield what is no file, each with what puts it at a path."""
    yield "pipe", os.mkfifo
    if sys.platform != "win32" and os.geteuid() == 0:
        # As /dev/full.
        yield "a device", lambda path: os.mknod(path, 0o020666, os.makedev(1, 7))
    yield "a link to a device", lambda path: path.symlink_to("/dev/zero")
    yield "a link to nothing", lambda path: path.symlink_to(folder / "gone")
    yield "folder", Path.mkdir


def _calls_for(folder: Path, conversation: str) -> list[tuple[str | Path, ...]]:
    """Return a call of every verb that reads a file, or writes one, of this folder."""
    made = folder / "no.file"
    text, table, copy, report, study = _targets(folder)
    return [
        ("export", made, folder / "x.csv"),
        ("python", made),
        ("stats", "c", made),
        ("defects", "append", made),
        ("conversations", "import", made),
        ("admin", "people", "import", made),
        ("admin", "agents", "import", made),
        ("export", DEMO, table, "--overwrite"),
        ("conversations", "export", conversation, "--to", text, "--overwrite"),
        ("costs", "--csv", table, "--overwrite"),
        ("admin", "audit", "export", table, "--overwrite"),
        ("diagnose", "--to", report, "--overwrite"),
        ("stats", "c", DEMO, "--period", "day", "--report", study),
        *([] if folder.name == "folder" else [("backup", "--to", copy, "--overwrite")]),
        ("restore", made, "--yes"),
    ]


def _targets(folder: Path) -> list[Path]:
    return [folder / f"target{suffix}" for suffix in (".md", ".csv", ".db", ".txt", ".pdf")]


@POSIX
def test_no_verb_waits_for_what_is_no_file(tmp_path: Path) -> None:
    asked = qhub("ask", "--engine", "offline", "quantos?", "--json")
    calls: list[tuple[str | Path, ...]] = []
    for kind, make in _no_files(tmp_path):
        folder = tmp_path / kind
        folder.mkdir()
        for each in (folder / "no.file", *_targets(folder)):
            make(each)
        calls += _calls_for(folder, asked.conversation)
    put = [each for each in sorted(tmp_path.rglob("*.*")) if "home" not in each.parts]
    before = [each.lstat().st_mode for each in put]

    for call, called in zip(calls, qhub_in_turn(calls), strict=True):
        assert called.code == 1, call
        if call[0] == "restore":
            assert called.err.strip().endswith("qhub backup list"), call
        else:
            assert_told(called)

    assert [each for each in sorted(tmp_path.rglob("*.*")) if "home" not in each.parts] == put
    assert [each.lstat().st_mode for each in put] == before
    assert not (tmp_path / "gone").exists()


@POSIX
def test_a_name_that_is_no_text_is_read_and_shown_as_far_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.csv")
    shutil.copyfile(DEMO, file)
    target = tmp_path / os.fsdecode(b"sa\xedda.csv")

    (profile,) = qhub("profile", file, "--json").lines
    asked = qhub("ask", "--engine", "offline", "--file", file, "quantas linhas?")
    written = qhub("export", file, target)
    gone = qhub("profile", tmp_path / os.fsdecode(b"nada\xff.csv"))

    assert (profile["rows"], profile["file"]) == (200, "caf�.csv")
    assert "200" in asked.out
    assert (asked.code, written.code) == (0, 0)
    assert len(target.read_text(encoding="utf-8-sig").splitlines()) == 201
    assert_told(gone)


def test_half_characters_of_json_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "meio.json"
    half = "\\ud800"
    rows = [
        f'{{"pe\\udc00a": "a{half}", "n": {n}, "d": {{"x{half}": "{half}"}}}}' for n in range(3)
    ]
    file.write_text(f"[{','.join(rows)}]", encoding="ascii")

    (profile,) = qhub("profile", file, "--json").lines
    (found,) = qhub("sql", file, f"FROM {profile['dataset']}", "--json").lines
    asked = qhub("ask", "--engine", "offline", "--file", file, "quantas linhas?")

    assert [column["name"] for column in profile["columns"]] == ["pe�a", "n", "d.x�"]
    assert found["rows"][0] == ["a�", 0, "�"]
    assert asked.code == 0


def test_what_a_killed_import_left_is_swept_by_the_next(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "grande.csv"
    line = "1;manha;2,5;peça\n"
    file.write_text("n;turno;valor;nome\n" + line * 600_000, encoding="utf-8")
    process = subprocess.Popen([QHUB, "profile", file], stdout=subprocess.PIPE)
    assert process.stdout is not None
    while not (left := [*home.glob("workspace/.importing-*")]):
        assert process.poll() is None
        time.sleep(LOOK_S)
    psutil.Process(process.pid).suspend()  # or it is done before the next one looks
    held = qhub("profile", DEMO)
    is_held = left[0].exists()
    process.kill()
    process.stdout.close()
    process.wait()
    if left[0].exists():
        os.utime(left[0], (0, 0))

    swept = qhub("profile", DEMO_DATA / "defeitos.xlsx")

    assert (held.code, is_held, swept.code) == (0, True, 0)
    assert [*home.glob("workspace/.importing-*")] == []


@pytest.mark.parametrize(
    ("name", "begun"), [("grande.xlsx", "home/unfinished/*/tmp*"), ("grande.csv", "saved/~*")]
)
def test_what_a_killed_export_left_is_swept_by_the_next(
    tmp_path: Path, home: Path, name: str, begun: str
) -> None:
    saved, temporary = tmp_path / "saved", tmp_path / "temporary"
    for folder in (saved, temporary):
        folder.mkdir()
    surroundings = {each: str(temporary) for each in ("TMPDIR", "TEMP", "TMP")}
    file = tmp_path / "file.csv"
    file.write_text("n;turno;nome\n" + "1;manha;peça\n" * 300_000, encoding="utf-8")
    qhub("profile", file)
    process = subprocess.Popen(
        [QHUB, "export", file, saved / name], env={**os.environ, **surroundings}
    )
    while not [*tmp_path.glob(begun)]:
        assert process.poll() is None
        time.sleep(LOOK_S)
    process.kill()
    process.wait()
    unfinished = [*home.glob("unfinished/*")]
    for folder in unfinished:
        os.utime(folder, (0, 0))

    swept = qhub("export", DEMO, saved / "swept.xlsx", environment=surroundings)

    assert unfinished
    assert swept.code == 0
    left = [*home.glob("unfinished/*"), *temporary.iterdir(), *saved.iterdir()]
    assert left == [saved / "swept.xlsx"]
