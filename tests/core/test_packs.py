"""Packs: of another Python, changed after they were added, with something beside their files."""

import json
import shutil
from pathlib import Path

import pytest

from qhub_desktop.cli import parse
from qhub_desktop.core import packs, paths
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import OCR, PackMissingError
from qhub_desktop.knowledge.readers import ocr
from qhub_desktop.knowledge.reading import read_document
from tests.program import offline_program

SMALL = {"packages/cv2/__init__.py": b"# sees", "packages/six.py": b"# counts"}


@pytest.fixture
def archive(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The archive of a small pack that a program wants, which reads scans by it alone."""
    made = tmp_path / "made" / "ocr"
    for name, content in SMALL.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(content)
    _describe(made, packs.this_python())
    monkeypatch.setattr(OCR, "shipped", made / packs.ABOUT_FILE)
    ocr._engine.cache_clear()
    return Path(shutil.make_archive(str(tmp_path / "ocr"), "zip", made.parent))


def _describe(folder: Path, made_for: str) -> None:
    files = {
        name: [(folder / name).stat().st_size, packs.sha256_of(folder / name)] for name in SMALL
    }
    told = {"archive": "QHub-Desktop-1.0.0-ocr-windows.zip", "made_for": made_for, "files": files}
    (folder / packs.ABOUT_FILE).write_text(json.dumps(told), encoding="utf-8")


def test_a_pack_for_another_python_is_refused_with_both_named(
    archive: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "ocr"
    shutil.copytree(OCR.shipped.parent, other)
    _describe(other, "Python 3.9, win32")
    wrong = Path(shutil.make_archive(str(tmp_path / "wrong"), "zip", other.parent))

    with pytest.raises(UserError) as told:
        OCR.add(wrong)

    assert "Python 3.9, win32" in str(told.value)
    assert packs.this_python() in str(told.value)
    assert not (paths.data_folder() / "ocr").exists()


def test_a_pack_that_goes_with_another_python_is_not_loaded(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    OCR.add(archive)
    monkeypatch.setattr(packs, "this_python", lambda: "Python 3.99, win-arm64")

    with pytest.raises(PackMissingError, match=r"this program is of Python 3\.99, win-arm64"):
        OCR.checked()


def test_a_pack_is_used_only_as_it_was_made_and_with_nothing_beside_it(archive: Path) -> None:
    added = OCR.add(archive)
    assert OCR.checked() == added

    (added / "licences").mkdir()
    (added / "licences" / "LICENSE").write_text("free", encoding="utf-8")
    assert OCR.checked() == added
    strange = added / "packages" / "yaml.py"
    strange.write_text("print()", encoding="utf-8")
    with pytest.raises(PackMissingError, match=r"packages/yaml\.py is not part of it"):
        OCR.checked()
    strange.unlink()
    (added / "packages" / "six.py").write_bytes(b"# COUNTS")
    with pytest.raises(PackMissingError, match=r"has been changed: six\.py"):
        OCR.checked()


def test_a_picture_says_which_pack_it_takes_to_read_it(archive: Path, tmp_path: Path) -> None:
    from PIL import Image

    scan = tmp_path / "scan.png"
    Image.new("L", (600, 400), 255).save(scan)

    (said,) = read_document(scan, name="scan.png").warnings

    assert "QHub-Desktop-1.0.0-ocr-windows.zip" in said
    assert "Settings, Documents" in said


async def test_the_list_of_documents_says_what_was_not_read(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from PIL import Image

    scan = tmp_path / "scan.png"
    Image.new("L", (600, 400), 255).save(scan)
    program = offline_program(tmp_path / "home")
    asked = parse(["docs", "add", str(scan), "--ocr", "never"])
    try:
        await asked.run(program, asked)
        (document,) = await program.documents.documents()
    finally:
        await program.close()

    assert document.warnings == ("The picture was not read, as asked.",)
    assert "! The picture was not read, as asked." in capsys.readouterr().out


async def test_the_command_line_adds_the_pack_and_tries_it(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A child is a process of the source, which wants no pack: what is tried here is its adding.
    program = offline_program(tmp_path / "home")
    wrong = archive.with_name("wrong.zip")
    wrong.write_bytes(b"no archive")
    try:
        asked = parse(["docs", "--add-ocr", str(wrong)])
        with pytest.raises(UserError, match="is not the pack of this version"):
            await asked.run(program, asked)
        asked = parse(["docs", "--add-ocr", str(archive)])
        await asked.run(program, asked)
    finally:
        await program.close()

    told = capsys.readouterr()
    assert "are read on this computer" in told.out
    assert "100" in told.err
    assert OCR.checked() == paths.data_folder() / "ocr"
