"""The safe Python in the settings: tried on this very computer."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.core.settings import Settings
from tests.ui_shell.window_harness import opened
from tests.waiting import until


async def test_the_safe_python_is_tried_and_tells_its_walls(qapp: QApplication, home: Path) -> None:
    settings = Settings(language="en", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("engine").python_field
        assert field.result.isHidden()

        field.check_button.click()
        await until(lambda: field.check_button.isEnabled() and "works" in field.result.text())
        assert "Around its process: a limit of memory" in field.result.text()
