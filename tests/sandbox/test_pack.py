"""The pack of the safe Python: where it is looked for, added from its archive, loaded, refused."""

import ctypes
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import wasmtime

from qhub_desktop.cli import parse
from qhub_desktop.core import packs, paths
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.packs import SAFE_PYTHON, PackMissingError
from qhub_desktop.core.processes.supervisor import Progress
from qhub_desktop.sandbox import PythonService, engine, pack
from tests.program import offline_program

SMALL = {"python.cwasm": b"module" * 999, "python.image": b"image", "_libwasmtime.so": b"library"}


@dataclass
class Shipped:
    """A packaged program that wants a pack, and a folder in which that lies."""

    folder: Path
    archive: Path

    def pack_up(self, name: str = "pack.zip") -> Path:
        """Return an archive of the folder as it is now."""
        made = self.archive.with_name(name)
        with zipfile.ZipFile(made, "w") as opened:
            for each in self.folder.iterdir():
                opened.write(each, f"python/{each.name}")
        return made


def _describe(folder: Path, archive: str = "QHub-Desktop-1.0.0-python-windows.zip") -> None:
    files = {each.name: [each.stat().st_size, packs.sha256_of(each)] for each in folder.iterdir()}
    told = json.dumps({"archive": archive, "files": files})
    (folder / packs.ABOUT_FILE).write_text(told, encoding="utf-8")


@pytest.fixture
def shipped(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Shipped:
    """A program that wants a small pack, which lies in a folder where nobody looks."""
    folder = tmp_path / "made"
    folder.mkdir()
    for name, content in SMALL.items():
        (folder / name).write_bytes(content)
    _describe(folder)
    about = tmp_path / "pack.json"
    shutil.copy(folder / packs.ABOUT_FILE, about)
    monkeypatch.setattr(SAFE_PYTHON, "shipped", about)
    return Shipped(folder, tmp_path / "pack.zip")


def test_a_program_from_source_needs_no_pack() -> None:
    assert SAFE_PYTHON.wanted() is None
    assert SAFE_PYTHON.found() is None
    assert SAFE_PYTHON.missing() is None
    with pytest.raises(UserError, match="needs no pack"):
        SAFE_PYTHON.add(Path("pack.zip"))


def test_a_pack_that_is_not_there_is_told_with_what_to_do(shipped: Shipped) -> None:
    said = SAFE_PYTHON.missing() or ""

    assert "QHub-Desktop-1.0.0-python-windows.zip" in said
    assert "Settings, Engine" in said
    assert SAFE_PYTHON.found() is None
    with pytest.raises(PackMissingError, match="pack of its own"), pack.own_library():
        raise AssertionError


def test_a_pack_is_added_and_found(shipped: Shipped) -> None:
    shares: list[float] = []

    added = SAFE_PYTHON.add(shipped.pack_up(), shares.append)

    assert added == SAFE_PYTHON.found() == paths.data_folder() / "python"
    assert {each.name for each in added.iterdir()} == {*SMALL, packs.ABOUT_FILE}
    assert shares[-1] == 1.0
    assert SAFE_PYTHON.missing() is None
    assert SAFE_PYTHON.add(shipped.pack_up()) == added  # again, over the first
    assert [each.name for each in paths.data_folder().iterdir() if "python" in each.name] == [
        "python"
    ]


def test_a_pack_is_looked_for_in_the_place_that_is_named_first(
    shipped: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = SAFE_PYTHON.add(shipped.pack_up())
    monkeypatch.setenv(SAFE_PYTHON.variable, str(shipped.folder))
    assert SAFE_PYTHON.found() == shipped.folder

    (shipped.folder / "python.image").unlink()
    assert SAFE_PYTHON.found() == added
    SAFE_PYTHON.use(shipped.folder)
    try:
        assert SAFE_PYTHON.places() == (shipped.folder,)
        assert SAFE_PYTHON.found() is None
    finally:
        SAFE_PYTHON.use(None)


def _damaged(shipped: Shipped) -> Path:
    (shipped.folder / "python.image").write_bytes(b"egami")
    return shipped.pack_up()


def _of_another_version(shipped: Shipped) -> Path:
    (shipped.folder / "python.image").write_bytes(b"newer image")
    (shipped.folder / packs.ABOUT_FILE).unlink()
    _describe(shipped.folder)
    return shipped.pack_up()


def _cut(shipped: Shipped) -> Path:
    made = shipped.pack_up()
    os.truncate(made, 200)
    return made


def _short(shipped: Shipped) -> Path:
    (shipped.folder / "python.cwasm").write_bytes(b"module")
    return shipped.pack_up()


def _no_archive(shipped: Shipped) -> Path:
    shipped.archive.write_bytes(b"PK\x03\x04 is not enough")
    return shipped.archive


def _another_archive(shipped: Shipped) -> Path:
    with zipfile.ZipFile(shipped.archive, "w") as opened:
        opened.writestr("python/pack.json", "[]")
    return shipped.archive


WRONG: dict[Callable[[Shipped], Path], str] = {
    _damaged: "damaged: python.image",
    _short: "damaged: python.cwasm",
    _of_another_version: "is not the pack of this version",
    _cut: "is not the pack of this version",
    _no_archive: "is not the pack of this version",
    _another_archive: "is not the pack of this version",
}


@pytest.mark.parametrize("spoil", WRONG)
def test_what_is_no_pack_of_this_program_is_refused_and_nothing_changed(
    shipped: Shipped, spoil: Callable[[Shipped], Path]
) -> None:
    before = SAFE_PYTHON.add(shipped.pack_up("good.zip"))

    with pytest.raises(UserError, match=WRONG[spoil]):
        SAFE_PYTHON.add(spoil(shipped))

    assert SAFE_PYTHON.found() == before
    assert [each for each in before.parent.iterdir() if each.suffix in {".part", ".old"}] == []


def test_an_archive_that_is_not_there_or_a_full_disk_is_a_sentence(
    shipped: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"nowhere\.zip cannot be read \(it is not there\)"):
        SAFE_PYTHON.add(shipped.archive.with_name("nowhere.zip"))

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packs, "replace_file", full)
    with pytest.raises(UserError, match="No space left"):
        SAFE_PYTHON.add(shipped.pack_up())
    assert SAFE_PYTHON.found() is None


def test_a_pack_of_an_earlier_version_is_told_as_one(shipped: Shipped, tmp_path: Path) -> None:
    SAFE_PYTHON.add(shipped.pack_up())
    told = json.loads(SAFE_PYTHON.shipped.read_bytes())
    told["files"]["python.image"][1] = "0" * 64
    SAFE_PYTHON.shipped.write_text(json.dumps(told), encoding="utf-8")

    assert "another version" in (SAFE_PYTHON.missing() or "")
    assert SAFE_PYTHON.found() is None


def test_a_pack_that_was_cut_is_told_as_one(shipped: Shipped) -> None:
    os.truncate(SAFE_PYTHON.add(shipped.pack_up()) / "python.cwasm", 9)

    assert "not whole" in (SAFE_PYTHON.missing() or "")
    assert SAFE_PYTHON.found() is None


def test_the_library_is_checked_before_it_is_loaded(
    shipped: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(
        ctypes.LibraryLoader, "LoadLibrary", lambda _self, name: loaded.append(name)
    )
    folder = SAFE_PYTHON.add(shipped.pack_up())
    with pack.own_library():
        ctypes.cdll.LoadLibrary("/elsewhere/linux-x86_64/_libwasmtime.so")
        ctypes.cdll.LoadLibrary("other.so")
    assert loaded == [str(folder / "_libwasmtime.so"), "other.so"]
    assert "LoadLibrary" not in vars(ctypes.cdll)

    (folder / "_libwasmtime.so").write_bytes(b"lybrary")
    with pytest.raises(PackMissingError, match="has been changed"), pack.own_library():
        raise AssertionError
    assert len(loaded) == 2


async def test_without_its_pack_the_tool_is_offered_to_nobody(
    shipped: Shipped, tmp_path: Path
) -> None:
    program = offline_program(tmp_path / "home")
    try:
        tool = program.tools["executar_python"]
        assert not await tool.is_there()
        with pytest.raises(ToolError, match=r"O Python está desligado: .* pack of its own"):
            await program.python_tools.compute("1", ())
        SAFE_PYTHON.add(shipped.pack_up())
        assert await tool.is_there()
    finally:
        await program.close()


@pytest.fixture
def real(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Shipped:
    """The pack of what was made here, with this system's Wasmtime."""
    made = engine.find()
    assert made is not None
    folder = tmp_path / "made"
    folder.mkdir()
    (library,) = Path(wasmtime.__file__).parent.glob("*-*/_*wasmtime.*")
    for source, name in (
        (made.module, engine.MODULE_FILE),
        (made.image, engine.IMAGE_FILE),
        (made.library, engine.LIBRARY_FILE),
        (library, library.name),
    ):
        shutil.copyfile(source, folder / name)
    _describe(folder)
    about = tmp_path / "pack.json"
    shutil.copy(folder / packs.ABOUT_FILE, about)
    monkeypatch.setattr(SAFE_PYTHON, "shipped", about)
    return Shipped(folder, tmp_path / "pack.zip")


def test_an_engine_that_was_changed_is_not_loaded(
    real: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SAFE_PYTHON.variable, str(real.folder))
    assert engine.load().files.module == real.folder / engine.MODULE_FILE
    for name in (engine.MODULE_FILE, engine.IMAGE_FILE, engine.LIBRARY_FILE):
        with (real.folder / name).open("r+b") as file:
            file.seek(100_000)
            before = file.read(1)
            file.seek(100_000)
            file.write(bytes([before[0] ^ 1]))
        with pytest.raises(PackMissingError, match=name):
            engine.load()
        with (real.folder / name).open("r+b") as file:
            file.seek(100_000)
            file.write(before)
    (real.folder / engine.IMAGE_FILE).unlink()
    with pytest.raises(PackMissingError, match="not whole"):
        engine.load()


def test_an_engine_of_another_origin_is_not_loaded(
    real: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SAFE_PYTHON.variable, str(real.folder))
    (real.folder / engine.MODULE_FILE).write_bytes(b"\x7fELF" + bytes(1_000))
    (real.folder / packs.ABOUT_FILE).unlink()
    _describe(real.folder)
    shutil.copy(real.folder / packs.ABOUT_FILE, SAFE_PYTHON.shipped)

    with pytest.raises(pack.EngineMissingError, match="made for another computer"):
        engine.load()


async def test_the_command_line_says_what_is_missing_and_how_to_get_it(
    shipped: Shipped, tmp_path: Path
) -> None:
    code = tmp_path / "code.py"
    code.write_text("1", encoding="utf-8")
    program = offline_program(tmp_path / "home")
    asked = parse(["python", str(code)])
    try:
        with pytest.raises(UserError) as told:
            await asked.run(program, asked)
    finally:
        await program.close()

    assert str(told.value) == SAFE_PYTHON.missing()


async def test_the_command_line_adds_the_pack_and_tries_it(
    real: Shipped,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # A child is a process of the source, which wants no pack: what is tried here is its adding.
    program = offline_program(tmp_path / "home")
    asked = parse(["python", "--add", str(real.pack_up())])
    try:
        await asked.run(program, asked)
    finally:
        await program.close()

    told = capsys.readouterr()
    assert "The safe Python works" in told.out
    assert "100" in told.err
    assert SAFE_PYTHON.found() == paths.data_folder() / "python"


async def test_a_pack_that_was_added_runs_code(real: Shipped) -> None:
    service = PythonService()
    told: list[Progress] = []
    try:
        with pytest.raises(UserError, match="pack of its own"):
            await service.prepare()
        await service.add_pack(real.pack_up(), told.append)
        await service.prepare()
        run = await service.run("6 * 7")
    finally:
        service.close()

    assert run.output == "42"
    assert told
    assert told[-1].share == 1.0
