"""Files written to while they are read: the rows are those of the hashed bytes, or none."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.core.errors import FileChangedError
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.data.ingest.dataset_store import write_profile
from qhub_desktop.data.workspace import Progress, Workspace
from tests.data.conftest import read_here

ROWS = 60_000


def table(rows: int, *, step: int = 1) -> bytes:
    lines = (f"{number};T{number % 3};{number * step:08}\n" for number in range(rows))
    return ("n;turno;valor\n" + "".join(lines)).encode()


WHOLE, OTHER = table(ROWS), table(ROWS, step=3)


def cut(file: Path) -> None:
    file.write_bytes(WHOLE[: len(WHOLE) // 2])


def append(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"1;T1;00000001\n" * 500)


def overwrite(file: Path) -> None:
    """Write other rows of the same size over the second half, and set the time back."""
    before = file.stat()
    with file.open("r+b") as opened:
        opened.seek(len(WHOLE) // 2)
        opened.write(OTHER[len(WHOLE) // 2 :])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def exchange(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(OTHER)
    other.replace(file)


def delete(file: Path) -> None:
    file.unlink()


WAYS: list[Callable[[Path], None]] = [cut, append, overwrite, exchange, delete]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_rows_are_those_of_the_hashed_bytes_whenever_a_file_changes(
    tmp_path: Path, way: Callable[[Path], None]
) -> None:
    file = tmp_path / "vivo.csv"
    file.write_bytes(WHOLE)
    intact = read_here(file, tmp_path / "intact")
    moments: list[str] = []
    read_here(file, tmp_path / "counted", tell=lambda text, _share: moments.append(text))
    assert len(moments) >= 3
    for moment in range(1, len(moments)):
        file.write_bytes(WHOLE)
        left = moment

        def change(_text: str, _share: float | None) -> None:
            nonlocal left
            if left == 0:
                way(file)
            left -= 1

        # The first word is told before anything is read, the others while it is.
        assert read_here(file, tmp_path / str(moment), tell=change)[0].rows == intact[0].rows


@pytest.mark.parametrize("way", WAYS[:-1], ids=lambda way: way.__name__)
async def test_a_file_that_changed_since_it_was_hashed_is_refused(
    tmp_path: Path, way: Callable[[Path], None]
) -> None:
    file = tmp_path / "vivo.csv"
    file.write_bytes(WHOLE)
    is_told = False

    def change(_text: str, _share: float | None) -> None:
        nonlocal is_told
        if not is_told:
            way(file)
        is_told = True

    with pytest.raises(FileChangedError, match=r"vivo\.csv was changed while it was read"):
        read_here(file, tmp_path / "kept", tell=change)


async def test_the_intact_file_is_found_again_with_its_own_rows(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "vivo.csv"
    file.write_bytes(WHOLE)
    is_told = False

    def change(progress: Progress) -> None:
        nonlocal is_told
        if progress.share is not None and not is_told:
            is_told = True
            cut(file)

    await workspace.load(file, on_progress=change)
    file.write_bytes(WHOLE)
    (again,) = await workspace.load(file)
    answer = await workspace.query("SELECT count(*), sum(n) FROM d", {"d": again.id}, limit=1)
    assert is_told
    assert answer.table.rows == ((ROWS, ROWS * (ROWS - 1) // 2),)


def halve(file: Path) -> Path:
    half = file.with_name("half.csv")
    half.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return half


async def half_read(workspace: Workspace, datasets: Path, file: Path) -> str:
    """Store half of a file under the hash of the whole, as an earlier version did."""
    (whole,) = await workspace.load(file)
    (part,) = await workspace.load(halve(file))
    shutil.copyfile(datasets / part.id / "rows.duckdb", datasets / whole.id / "rows.duckdb")
    write_profile(
        datasets / whole.id, replace(part, id=whole.id, sha256=whole.sha256, file=whole.file)
    )
    forget_check(datasets, whole.sha256)
    return whole.id


def forget_check(datasets: Path, sha256: str) -> None:
    receipt = datasets / f"{sha256[:12]}.json"
    fields = json.loads(receipt.read_text(encoding="utf-8"))
    assert fields.pop("is_checked") is True
    receipt.write_text(json.dumps(fields), encoding="utf-8")


@pytest.mark.parametrize("found", ["dropped again", "kept"])
async def test_what_an_earlier_version_read_by_half_is_read_again(
    tmp_path: Path, found: str
) -> None:
    datasets, file = tmp_path / "datasets", tmp_path / "vivo.csv"
    file.write_bytes(WHOLE)
    workspace = Workspace(datasets, keeps_files=lambda: found == "kept")
    try:
        id_ = await half_read(workspace, datasets, file)
        count = "SELECT count(*) FROM d"
        before = await workspace.query(count, {"d": id_}, limit=1)
        if found == "kept":
            await workspace.imports.check_kept()
        else:
            await workspace.load(file)
        after = await workspace.query(count, {"d": id_}, limit=1)
        assert (await workspace.profile(id_)).rows == ROWS
    finally:
        workspace.close()
    assert before.table.rows != after.table.rows == ((ROWS,),)


async def test_what_an_earlier_version_read_well_stays_and_is_checked_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    datasets, file = tmp_path / "datasets", DEMO_DATA / "defeitos.csv"
    (profile,) = await workspace.load(file)
    forget_check(datasets, profile.sha256)
    rows = datasets / profile.id / "rows.duckdb"
    before = rows.stat().st_mtime_ns
    first: list[Progress] = []
    second: list[Progress] = []
    for told in (first, second):
        assert await workspace.load(file, on_progress=told.append) == (profile,)
    assert rows.stat().st_mtime_ns == before
    assert len(first) > len(second) == 1


async def test_the_kept_original_is_what_was_read(tmp_path: Path) -> None:
    file = tmp_path / "vivo.csv"
    file.write_bytes(WHOLE)
    workspace = Workspace(tmp_path / "datasets", keeps_files=lambda: True)
    is_told = False

    def change(progress: Progress) -> None:
        nonlocal is_told
        if progress.share is not None and not is_told:
            is_told = True
            append(file)

    try:
        await workspace.load(file, on_progress=change)
    finally:
        workspace.close()
    (kept,) = (tmp_path / "datasets" / "originals").iterdir()
    assert kept.name == hashlib.sha256(kept.read_bytes()).hexdigest()
    assert kept.read_bytes() == WHOLE
