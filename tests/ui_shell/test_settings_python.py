"""The safe Python and the reading of scans in the settings: tried on this very computer."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core import paths
from qhub_desktop.core.packs import OCR, SAFE_PYTHON
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.settings.fields import OcrField, PythonField
from tests.ui_shell.window_harness import opened
from tests.waiting import until


@pytest.mark.usefixtures("safe_python")
async def test_the_safe_python_is_tried_and_tells_its_walls(qapp: QApplication, home: Path) -> None:
    settings = Settings(language="en", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("engine").part(PythonField)
        assert field.result.isHidden()

        field.check_button.click()
        await until(lambda: field.check_button.isEnabled() and "works" in field.result.text())
        assert "Around its process: a limit of memory" in field.result.text()


@pytest.mark.usefixtures("safe_python")
async def test_a_program_without_the_pack_says_how_to_get_it_and_adds_it(
    qapp: QApplication, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made" / "python"
    made.mkdir(parents=True)
    content = b"the engine" * 999
    (made / "python.image").write_bytes(content)
    files = {"python.image": [len(content), hashlib.sha256(content).hexdigest()]}
    told = {"archive": "QHub-Desktop-1.0.0-python-windows.zip", "files": files}
    (made / "pack.json").write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.setattr(SAFE_PYTHON, "shipped", made / "pack.json")
    archive = Path(shutil.make_archive(str(tmp_path / "python"), "zip", made.parent))
    wrong = tmp_path / "other.zip"
    wrong.write_bytes(b"no archive")
    settings = Settings(language="pt", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("engine").part(PythonField)
        await until(field.add_button.isVisible)
        assert not field.check_button.isVisible()
        assert field.result.text() == SAFE_PYTHON.missing()
        assert "QHub-Desktop-1.0.0-python-windows.zip" in field.result.text()

        field.add_button.click()
        assert field.dialog is not None
        field.dialog.fileSelected.emit(str(wrong))
        field.dialog.close()
        await until(lambda: "não é o pacote desta versão" in field.result.text())
        assert field.add_button.isEnabled()

        field.add_pack(archive)
        await until(lambda: field.check_button.isVisible() and field.check_button.isEnabled())
        assert not field.add_button.isVisible()
        assert SAFE_PYTHON.found() == paths.data_folder() / "python"


async def test_a_program_without_the_pack_that_reads_scans_adds_it_and_reads_one(
    qapp: QApplication, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made" / "ocr"
    (made / "packages").mkdir(parents=True)
    content = b"# counts"
    (made / "packages" / "six.py").write_bytes(content)
    files = {"packages/six.py": [len(content), hashlib.sha256(content).hexdigest()]}
    told = {"archive": "QHub-Desktop-1.0.0-ocr-windows.zip", "files": files}
    (made / "pack.json").write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.setattr(OCR, "shipped", made / "pack.json")
    archive = Path(shutil.make_archive(str(tmp_path / "ocr"), "zip", made.parent))
    settings = Settings(language="pt", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("documents").part(OcrField)
        await until(field.add_button.isVisible)
        assert "A leitura de digitalizações não está neste computador" in field.result.text()
        assert "QHub-Desktop-1.0.0-ocr-windows.zip" in field.result.text()

        field.add_pack(archive)
        await until(lambda: field.check_button.isVisible() and field.check_button.isEnabled())
        assert (
            field.result.text()
            == "As páginas digitalizadas e as imagens são lidas neste computador."
        )
        assert OCR.found() == paths.data_folder() / "ocr"
