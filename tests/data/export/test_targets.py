"""Targets of exports: a source is never replaced, no link is written through, permissions stay."""

import asyncio
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Column, Table
from qhub_desktop.data.export.output import OutputSheet, atomic_write, os_error_text
from qhub_desktop.data.export_service import ExportService
from qhub_desktop.data.workspace import Workspace

TEXT = "n;peça\n1;a\n2;b\n"


def itself(source: Path) -> Path:
    return source


def around(source: Path) -> Path:
    return source.parent / "pasta" / ".." / source.name


def linked(source: Path) -> Path:
    link = source.with_name("ligação.csv")
    link.symlink_to(source)
    return link


def linked_twice(source: Path) -> Path:
    link = source.with_name("outra.csv")
    link.symlink_to(linked(source))
    return link


def linked_hard(source: Path) -> Path:
    link = source.with_name("gémeo.csv")
    os.link(source, link)
    return link


def through_a_folder(source: Path) -> Path:
    folder = source.with_name("atalho")
    folder.symlink_to(source.parent, target_is_directory=True)
    return folder / source.name


def in_capitals(source: Path) -> Path:
    return source.with_name(source.name.upper())


NAMES = [itself, around, linked, linked_twice, linked_hard, through_a_folder]
if sys.platform == "win32":
    NAMES.append(in_capitals)


@pytest.mark.parametrize("way", NAMES, ids=lambda way: way.__name__)
async def test_a_source_is_never_its_own_target(
    workspace: Workspace, tmp_path: Path, way: Callable[[Path], Path]
) -> None:
    source = tmp_path / "fonte.csv"
    source.write_text(TEXT, encoding="utf-8")
    (tmp_path / "pasta").mkdir()
    (profile,) = await workspace.load(source)

    with pytest.raises(UserError, match="is the file that these rows come from"):
        await workspace.export(profile.id, way(source))

    assert source.read_text(encoding="utf-8") == TEXT


@pytest.fixture(params=["csv", "xlsx"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"alvo.{request.param}"


def export(target: Path) -> None:
    rows = Table((Column("n", "integer"),), ((1,), (2,)))
    asyncio.run(ExportService().export_sheets((OutputSheet("n", rows),), target))


@pytest.mark.parametrize("kind", ["a file", "nothing", "itself", "a link"])
def test_a_link_is_refused_and_what_it_leads_to_stays(
    target: Path, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "ficheiro"
    leads_to = target if kind == "itself" else file
    if kind != "nothing":
        file.write_bytes(b"before")
    if kind == "a link":
        leads_to = tmp_path / "segunda"
        leads_to.symlink_to(file)
    target.symlink_to(leads_to)
    before = sorted(tmp_path.iterdir())

    with pytest.raises(UserError, match=rf"{target.name} is a link to another file"):
        export(target)

    assert target.is_symlink()
    assert [each for each in sorted(tmp_path.iterdir()) if each.name != "home"] == before
    assert kind == "nothing" or file.read_bytes() == b"before"


def test_a_folder_that_is_a_link_is_written_into(target: Path, tmp_path: Path) -> None:
    (tmp_path / "longe").mkdir()
    (tmp_path / "perto").symlink_to(tmp_path / "longe", target_is_directory=True)

    export(tmp_path / "perto" / target.name)

    assert [each.name for each in (tmp_path / "longe").iterdir()] == [target.name]


def test_a_link_that_takes_the_place_of_the_target_meanwhile_is_replaced(tmp_path: Path) -> None:
    target, theirs = tmp_path / "alvo.csv", tmp_path / "deles"
    theirs.write_bytes(b"before")
    with atomic_write(target) as draft:
        draft.write_bytes(b"new")
        target.symlink_to(theirs)

    assert not target.is_symlink()
    assert (target.read_bytes(), theirs.read_bytes()) == (b"new", b"before")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has one such bit")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_permissions_stay(target: Path, mode: int) -> None:
    target.write_bytes(b"before")
    target.chmod(mode)
    export(target)
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_a_file_that_may_only_be_read_stays_as_it_is(target: Path, tmp_path: Path) -> None:
    target.write_bytes(b"before")
    target.chmod(stat.S_IREAD)
    with pytest.raises(UserError, match=rf"{target.name} may only be read, not changed\."):
        export(target)
    assert target.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".part"] == []
    target.chmod(stat.S_IREAD | stat.S_IWRITE)


@pytest.mark.skipif(sys.platform == "win32", reason="its pipes are elsewhere")
def test_a_pipe_is_no_target(target: Path) -> None:
    os.mkfifo(target)
    with pytest.raises(UserError, match="is a device or a pipe"):
        export(target)
    assert target.is_fifo()


def test_an_error_on_the_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "f.csv"
    file.write_bytes(b"before")
    with pytest.raises(UserError), atomic_write(file) as draft:
        (draft / "below a file that is not there").write_bytes(b"half")
    assert file.read_bytes() == b"before"
    assert len([*tmp_path.iterdir()]) == 1 + (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("error", "is_there", "said"),
    [
        (PermissionError(13, "denied"), True, "open in another program"),
        (PermissionError(13, "denied"), False, "Nothing may be written to"),
        (OSError(5, "I/O error"), True, "could not be written (I/O error)"),
        (FileNotFoundError(2, "no such file"), False, "is not there"),
    ],
)
def test_what_stopped_a_file_from_being_written_is_said_with_its_remedy(
    error: OSError, is_there: bool, said: str, tmp_path: Path
) -> None:
    target = tmp_path / "relatório.xlsx"
    if is_there:
        target.write_bytes(b"x")

    assert said in os_error_text(error, target)
