"""Where keys are kept, in the settings of a computer that has no key store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core import keystore
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.settings.key_fields import KeyField
from tests.keyrings import NO_STORE, using
from tests.ui_shell.window_harness import opened
from tests.waiting import until


@pytest.fixture
def without_store() -> Iterator[None]:
    """A computer without a key store."""
    for _backend in using(NO_STORE):
        yield
        keystore.leave()


@pytest.mark.usefixtures("without_store")
async def test_a_person_chooses_where_the_key_is_kept(qapp: QApplication, home: Path) -> None:
    settings = Settings(language="en", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("engine").part(KeyField).place_field
        await until(lambda: "no key store" in field.sentence.text())
        field.passphrase.setText("short")
        field.unlock_button.click()
        await until(lambda: "8 characters" in field.error.text())
        field.passphrase.setText("a long enough passphrase")
        field.unlock_button.click()
        await until(lambda: "has opened" in field.sentence.text())
        assert field.choices.isHidden()
        assert field.passphrase.text() == ""
        await harness.program.save_key("sk-kept-in-the-file")
        assert await harness.program.claude.has_key()
        assert keystore.place(home / "keys.locked") == "file"
