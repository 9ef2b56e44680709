"""Files and folders of ours that a scanner or a second window has open, as Windows does it."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.core import untrusted_files
from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import DRAFT_NOTE, SCRATCH, scratch_folder, sweep_scratch
from qhub_desktop.data.export.output import atomic_write
from qhub_desktop.data.ingest.dataset_store import (
    PRESETS_FILE,
    DatasetStore,
    Preset,
    Receipt,
    load_presets,
    save_preset,
    write_profile,
    write_receipt,
)
from qhub_desktop.data.workspace import Workspace
from tests.data.conftest import read_here
from tests.waiting import until

Hold = Callable[[Callable[[Path], bool]], None]


def held() -> PermissionError:
    error = PermissionError(13, "used by another process")
    error.winerror = 32  # type: ignore[attr-defined]  # Windows alone has it
    return error


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Have every move, reading and removal of such files refused until the test ends."""
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)

    def begin(is_held: Callable[[Path], bool]) -> None:
        for owner, method in (
            (Path, "replace"),
            (Path, "unlink"),
            (untrusted_files, "_descriptor"),  # every file of ours is opened with it
        ):
            real = getattr(owner, method)

            def refused(
                path: Path, *args: object, real: Callable[..., object] = real, **kwargs: object
            ) -> object:
                if is_held(path):
                    raise held()
                return real(path, *args, **kwargs)

            monkeypatch.setattr(owner, method, refused)

    return begin


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "medidas.csv"
    made.write_text("n;valor\n1;2,5\n2;3,5\n", encoding="utf-8")
    return made


def test_a_data_set_that_is_held_stays_whole_when_it_is_read_again(
    tmp_path: Path, file: Path, hold: Hold
) -> None:
    kept = tmp_path / "kept"
    (before,) = read_here(file, kept)
    store = DatasetStore(kept)
    write_profile(kept / before.profile.id, replace(before.profile, rows=99))  # reads differently
    hold(lambda path: path.name == before.profile.id and path.parent == kept)

    with pytest.raises(PermissionError):
        read_here(file, kept)

    assert store.rows(before.profile.id) is not None
    assert store.profile(before.profile.id) == replace(before.profile, rows=99)


def test_a_data_set_comes_back_where_the_new_one_is_held(
    tmp_path: Path, file: Path, hold: Hold
) -> None:
    kept = tmp_path / "kept"
    (before,) = read_here(file, kept)
    write_profile(kept / before.profile.id, replace(before.profile, rows=99))
    hold(lambda path: path.name == before.profile.id and path.parent != kept)

    with pytest.raises(PermissionError):
        read_here(file, kept)

    assert DatasetStore(kept).profile(before.profile.id) == replace(before.profile, rows=99)


def test_presets_that_can_not_be_read_are_not_written_over(tmp_path: Path, hold: Hold) -> None:
    save_preset(tmp_path, Preset(("n", "valor"), 1, ImportChoices(header_row=2)))
    hold(lambda path: path.name == PRESETS_FILE)

    with pytest.raises(PermissionError):
        save_preset(tmp_path, Preset(("a",), 1, ImportChoices(header_row=3)))

    assert (tmp_path / PRESETS_FILE).read_bytes().count(b"valor") == 1


def test_presets_of_two_programs_have_drafts_of_their_own(tmp_path: Path) -> None:
    seen: set[str] = set()
    real = os.fsync

    with pytest.MonkeyPatch.context() as patched:

        def look(descriptor: int) -> None:
            seen.update(path.name for path in tmp_path.iterdir())
            real(descriptor)

        patched.setattr(os, "fsync", look)
        for header in (1, 2):
            save_preset(tmp_path, Preset(("n",), 1, ImportChoices(header_row=header)))

    assert len(seen - {PRESETS_FILE}) == 2
    assert len(load_presets(tmp_path)) == 1


def test_a_draft_that_can_not_take_its_place_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "0123456789ab.json" / "in the way").mkdir(parents=True)

    with pytest.raises(OSError, match="0123456789ab"):
        write_receipt(tmp_path, "0123456789ab", Receipt((), ()))

    assert [path.name for path in tmp_path.iterdir()] == ["0123456789ab.json"]


async def test_a_profile_that_can_not_be_read_is_said_in_a_sentence(
    workspace: Workspace, file: Path, hold: Hold
) -> None:
    (profile,) = await workspace.load(file)
    hold(lambda path: path.name == "profile.json")

    with pytest.raises(UserError, match="Another program holds a file"):
        await workspace.profile(profile.id)


def test_a_draft_that_is_held_hides_no_error(tmp_path: Path, hold: Hold) -> None:
    target = tmp_path / "saída.csv"
    hold(lambda path: path.suffix == ".part")

    def fail() -> None:
        with atomic_write(target) as draft:
            draft.write_text("half", encoding="utf-8")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert not target.exists()


def test_only_what_belongs_to_no_living_program_is_swept(home: Path, tmp_path: Path) -> None:
    drafts = [tmp_path / f"~{number}.part" for number in range(3)]
    left, new, stranger = (home / SCRATCH / name for name in ("left", "new", "stranger"))
    for folder, draft in ((left, drafts[0]), (new, drafts[1]), (stranger, tmp_path / "own.csv")):
        draft.write_text("half", encoding="utf-8")
        folder.mkdir(parents=True)
        (folder / DRAFT_NOTE).write_bytes(os.fsencode(draft))
    with scratch_folder(drafts[2]) as mine:
        drafts[2].write_text("half", encoding="utf-8")
        for old in (left, stranger, mine):
            os.utime(old, (0, 0))

        sweep_scratch()

        assert sorted((home / SCRATCH).iterdir()) == sorted((mine, new))
        assert [draft.exists() for draft in drafts] == [False, True, True]
        assert (tmp_path / "own.csv").exists()
    assert [*(home / SCRATCH).iterdir()] == [new]


async def test_a_window_sweeps_what_exports_have_left(home: Path, tmp_path: Path) -> None:
    left = home / SCRATCH / "left"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    workspace = Workspace(tmp_path / "datasets")

    workspace.warm(imports=True)

    await until(lambda: not left.exists())
    workspace.close()


def test_a_scratch_folder_that_is_held_ends_no_export(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise held()

    with scratch_folder() as folder:
        (folder / "sheet1.xml").write_text("<x/>", encoding="utf-8")
        with monkeypatch.context() as patched:
            patched.setattr(os, "unlink", refuse)
            patched.setattr(os, "rmdir", refuse)
            with scratch_folder() as resisting:
                (resisting / "x").write_text("x", encoding="utf-8")

    assert not folder.exists()
    assert resisting.exists()
    (resisting / "x").unlink()
    resisting.rmdir()
