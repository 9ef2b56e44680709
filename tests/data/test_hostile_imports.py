"""Hostile files in a process of their own: each a sentence, the workspace as it was, no traces."""

import asyncio
import io
import os
import sys
import threading
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import xlsxwriter

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.data.ingest import service
from qhub_desktop.data.ingest.dataset_store import DatasetStore, sha256_of
from qhub_desktop.data.ingest.service import ImportRequest, ImportService
from qhub_desktop.data.workspace import Progress, Workspace
from tests.data.conftest import Read

GOOD = "n;peça\n1;a\n2;b\n"


@pytest.fixture
def datasets(tmp_path: Path) -> Path:
    return tmp_path / "datasets"


@asynccontextmanager
async def as_it_was(workspace: Workspace, datasets: Path) -> AsyncIterator[None]:
    """A workspace that holds what it held before, and goes on reading files."""
    good = datasets.with_name("bom.csv")
    good.write_text(GOOD, encoding="utf-8")
    before = await workspace.load(good)
    held = traces(datasets)
    yield
    assert traces(datasets) == held
    answer = await workspace.query("SELECT sum(n) FROM d", {"d": before[0].id}, limit=1)
    assert answer.table.rows == ((3,),)
    good.write_text(GOOD + "3;c\n", encoding="utf-8")
    (after,) = await workspace.load(good)
    assert after.rows == 3


def traces(datasets: Path) -> list[str]:
    return sorted(path.relative_to(datasets).as_posix() for path in datasets.rglob("*"))


def workbook(*, place: str = "A2") -> bytes:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as made:
        sheet = made.add_worksheet()
        for row in range(50):
            sheet.write_row(row, 0, [f"peça {row}", row / 3])
        sheet.write(place, "x")
    return target.getvalue()


def bomb() -> bytes:
    target = io.BytesIO()
    blanks = bytes(2**24)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        made.writestr("xl/workbook.xml", "<workbook/>")
        with made.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(65):
                part.write(blanks)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("programa.csv", bytes(range(256)) * 40, "is not a table"),
        ("cortado.xlsx", workbook()[:-400], "ends in the middle"),
        ("canto.xlsx", workbook(place="XFD1048576"), "as far as the cell XFD1048576"),
        ("bomba.xlsx", bomb(), "more than 1 GB"),
        ("vazio.csv", b"", "is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
async def test_a_hostile_file_is_refused_and_everything_else_goes_on(
    workspace: Workspace, datasets: Path, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    async with as_it_was(workspace, datasets):
        with pytest.raises(UserError) as caught:
            await workspace.load(file)
    assert words in str(caught.value)
    assert name in str(caught.value)
    assert str(caught.value).endswith(".")
    assert file.read_bytes() == content


async def test_what_is_no_file_is_refused_without_a_process(
    workspace: Workspace, datasets: Path, tmp_path: Path
) -> None:
    (tmp_path / "pasta.xlsx").mkdir()
    async with as_it_was(workspace, datasets):
        with pytest.raises(UserError, match=r"pasta\.xlsx is a folder.*\.$"):
            await workspace.load(tmp_path / "pasta.xlsx")
        with pytest.raises(UserError, match=r"nada\.csv is no longer there.*\.$"):
            await workspace.load(tmp_path / "nada.csv")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="whoever administers may read every file"
)
async def test_a_file_that_may_not_be_read_is_said_to_be_one(
    workspace: Workspace, datasets: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fechado.csv"
    file.write_text(GOOD, encoding="utf-8")
    file.chmod(0)
    async with as_it_was(workspace, datasets):
        with pytest.raises(UserError, match=r"fechado\.csv cannot be read.*\.$"):
            await workspace.load(file)


@pytest.mark.parametrize("fate", ["no longer there", "changed while it was read"])
async def test_a_file_that_goes_or_changes_while_it_is_read_is_not_used(
    datasets: Path, tmp_path: Path, fate: str
) -> None:
    file = tmp_path / "vivo.csv"
    file.write_text(GOOD, encoding="utf-8")
    sha256 = sha256_of(file)
    if fate == "no longer there":
        file.unlink()
    else:
        file.write_text(GOOD + "9;z\n", encoding="utf-8")
    shelf = DatasetStore(datasets)
    files = Worker("files")
    imports = ImportService(datasets, shelf, files, keeps_files=lambda: False)
    with pytest.raises(UserError, match=rf"vivo\.csv .*{fate}\. .*\.$"):
        await imports._import(ImportRequest(file, file.name), sha256, lambda _progress: None)
    imports.close()
    files.close()
    assert shelf.profiles_of(sha256) == ()
    assert not [name for name in traces(datasets) if name.endswith("rows.duckdb")]


async def test_reading_again_can_be_cancelled_and_leaves_what_there_was(
    workspace: Workspace, datasets: Path, tmp_path: Path
) -> None:
    file = tmp_path / "grande.csv"
    with file.open("w", encoding="utf-8") as opened:
        opened.write("n;turno;valor\n")
        opened.writelines(f"{number};T{number % 3};{number / 7}\n" for number in range(100_000))
    (first,) = await workspace.load(file)
    has_begun = asyncio.Event()

    def on_progress(progress: Progress) -> None:
        if progress.share is not None:  # a child is reading rows
            has_begun.set()

    wanted = ImportChoices(types=(("n", "text"),))
    async with as_it_was(workspace, datasets):
        reading = asyncio.create_task(
            workspace.read_again(first.id, wanted, on_progress=on_progress)
        )
        await has_begun.wait()
        reading.cancel()
        await asyncio.wait([reading], timeout=5)
        assert reading.cancelled()
    assert await workspace.load(file) == (first,)


async def test_a_choice_that_can_not_be_read_leaves_the_data_set_as_it_was(
    workspace: Workspace, datasets: Path, tmp_path: Path
) -> None:
    file = tmp_path / "largo.csv"
    line = ";".join(",".join(str(n) for n in range(50)) for _ in range(100))  # by commas, 4,901
    file.write_text(f"{line}\n{line}\n", encoding="utf-8")
    (first,) = await workspace.load(file, choices=ImportChoices(separator=";"))
    held = traces(datasets)
    with pytest.raises(UserError, match=r"largo\.csv has 4901 columns.*\.$"):
        await workspace.read_again(first.id, ImportChoices(separator=","))
    assert traces(datasets) == held
    assert await workspace.profile(first.id) == first


@pytest.mark.parametrize("width", [110, 390])
async def test_a_table_of_many_columns_and_few_rows_has_room(
    workspace: Workspace, tmp_path: Path, width: int
) -> None:
    file = tmp_path / "largo.csv"
    rows = [";".join(f"{word} {n}" for n in range(width)) for word in ("nome", "um", "dois")]
    file.write_text("\n".join(rows), encoding="utf-8")
    (profile,) = await workspace.load(file)
    assert (profile.rows, len(profile.columns)) == (2, width)
    answer = await workspace.query("FROM d", {"d": profile.id}, limit=10)
    assert [row[-1] for row in answer.table.rows] == [f"um {width - 1}", f"dois {width - 1}"]


@pytest.mark.parametrize("digits", [400, 5_000])
def test_digits_that_no_number_holds_are_a_text(read: Read, tmp_path: Path, digits: int) -> None:
    file = tmp_path / "códigos.csv"
    rows = "".join(f"p{number};{number};2\n" for number in range(30))
    file.write_text(f"peça;n;m\n{rows}{'9' * digits};;\n", encoding="utf-8")

    (imported,) = read(file)

    assert imported.column("peça")[-1] == "9" * digits


def test_a_total_of_nothing_but_a_blank_is_a_row_like_others(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "peças.csv"
    rows = "".join(f"p{number};{number};x\n" for number in range(10))
    file.write_text(f"peça;n;m\n{rows}Total -\u2003;9;x\n", encoding="utf-8")

    (imported,) = read(file)

    assert imported.column("n")[-2:] == [9, 9]


async def test_a_share_that_hangs_holds_nothing_up_when_the_person_stops_waiting(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bom.csv"
    file.write_text(GOOD, encoding="utf-8")
    answers = threading.Event()
    in_time = threading.Timer(5, answers.set)  # else the loop that it holds up would never end
    monkeypatch.setattr(service, "sha256_of", lambda _file: str(answers.wait()))
    in_time.start()

    loading = asyncio.create_task(workspace.load(file))
    await asyncio.sleep(0.1)  # until the thread reads
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading

    assert not answers.is_set()
    in_time.cancel()
    answers.set()
