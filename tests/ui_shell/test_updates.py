"""Updates in the window: told, agreed to in the settings, and begun at the next start."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QComboBox

from qhub_desktop.app import Program
from qhub_desktop.core.settings import Settings, changed_settings
from qhub_desktop.store.backups import listed
from qhub_desktop.ui.settings import fields
from qhub_desktop.ui.settings.fields import UpdateField
from qhub_desktop.updates.updater import Updater
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.updates.offers import Administrator, Station
from tests.waiting import LOOK_S, PATIENCE_S, until


@pytest.fixture
def administrator(tmp_path: Path) -> Administrator:
    return Administrator(tmp_path / "share")


def chosen(administrator: Administrator, **changes: object) -> Settings:
    """The settings of a station that is told of updates."""
    given: dict[str, object] = {
        "language": "en",
        "engine": "offline",
        "theme": "light",
        "updates": "tell",
        "update_folder": str(administrator.folder),
        "update_key": administrator.public_key,
    }
    return Settings(**{**given, **changes})  # type: ignore[arg-type]


def fetched(home: Path) -> bool:
    """Whether an installer is kept in the data folder."""
    return any(home.glob("updates/*.exe"))


async def field_of(harness: WindowHarness) -> UpdateField:
    field = harness.window.controller.open_settings("updates").part(UpdateField)
    await until(lambda: field.result.text() != "")
    return field


async def test_a_person_looks_agrees_and_takes_it_back(
    qapp: QApplication, administrator: Administrator, home: Path
) -> None:
    administrator.offer("9.0.0", notes="Faster <b>imports</b>.")
    async with opened(qapp, settings=chosen(administrator)) as harness:
        field = await field_of(harness)
        assert field.result.text() == "This is version 0.3.0."
        assert field.install_button.isHidden()

        field.look_button.click()
        await until(lambda: "9.0.0" in field.result.text())
        assert field.result.text() == "Version 9.0.0 is available (1 MB)."
        assert field.notes.text() == "Faster <b>imports</b>."
        assert not fetched(home)

        field.install_button.click()
        await until(lambda: "verified and kept" in field.result.text())
        assert field.install_button.isHidden()
        assert fetched(home)

        field.withdraw_button.click()
        await until(lambda: not field.install_button.isHidden())
        assert not fetched(home)


async def test_the_packaged_program_opens_the_licences_of_its_parts(
    qapp: QApplication,
    administrator: Administrator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = tmp_path / "licences" / "index.html"
    asked: list[Path] = []
    monkeypatch.setattr(fields, "open_file", asked.append)
    async with opened(qapp, settings=chosen(administrator)) as harness:
        assert (await field_of(harness)).licences_button.isHidden()
    page.parent.mkdir()
    page.write_text("<p>", encoding="utf-8")
    monkeypatch.setattr(fields, "licences_page", lambda: page)
    async with opened(qapp, settings=chosen(administrator)) as harness:
        (await field_of(harness)).licences_button.click()

    assert asked == [page]


async def test_what_is_wrong_with_an_offer_is_said_and_stays(
    qapp: QApplication,
    administrator: Administrator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    administrator.offer("9.0.0")
    key = Administrator(tmp_path).public_key
    is_said, is_read = threading.Event(), threading.Event()

    def read_late(_updater: Updater) -> None:
        is_said.wait(timeout=PATIENCE_S)
        is_read.set()

    # A slow disk: what waits for the next start is known after the folder has been looked into.
    monkeypatch.setattr(Updater, "prepared", read_late)
    async with opened(qapp, settings=chosen(administrator, update_key=key)) as harness:
        field = await field_of(harness)
        field.look_button.click()
        await until(lambda: "signature" in field.result.text())
        is_said.set()
        await until(is_read.is_set)
        await asyncio.sleep(10 * LOOK_S)

        assert "signature" in field.result.text()
        assert field.result.property("role") == "bad"
        assert field.install_button.isHidden()
        assert field.look_button.isEnabled()


async def test_nothing_can_be_looked_for_until_it_is_chosen(
    qapp: QApplication, administrator: Administrator
) -> None:
    administrator.offer("9.0.0")
    async with opened(qapp, settings=chosen(administrator, updates="off")) as harness:
        field = await field_of(harness)
        assert not field.look_button.isEnabled()

        choice = harness.window.controller.open_settings("updates").fields["updates"].control
        assert isinstance(choice, QComboBox)
        choice.setCurrentIndex(choice.findData("tell"))
        await until(field.look_button.isEnabled)


async def test_an_update_that_is_there_is_told_quietly(
    qapp: QApplication, administrator: Administrator
) -> None:
    administrator.offer("9.0.0")
    async with opened(qapp, settings=chosen(administrator)) as harness:
        banner = harness.window.frame.banner
        await until(lambda: "9.0.0" in banner.text)
        banner.remedy_button.click()

        assert harness.window.controller.open_settings("updates").section == "updates"


async def test_a_program_that_was_updated_says_so_at_its_next_start(
    qapp: QApplication, administrator: Administrator, home: Path
) -> None:
    administrator.offer("9.0.0")
    station = Station.of(administrator, home)
    before = station.started_as("0.2.0")
    status = await before.check()
    await before.prepare(status.release)  # type: ignore[union-attr]
    assert station.started_as("0.2.0").begin_installation()

    async def updated(program: Program) -> None:
        program.updates.version = "9.0.0"
        program.chosen.replace(chosen(administrator))
        assert not program.begin_update()

    async with opened(qapp, prepare=updated) as harness:
        banner = harness.window.frame.banner
        await until(lambda: "9.0.0" in banner.text)
        assert banner.remedy_button.isHidden()


# A start of the window that finds an update: its installation is played by a process of its own.
START = """
import json, subprocess, sys
from pathlib import Path
from qhub_desktop import app
from qhub_desktop.updates import updater

class Played(updater.WindowsInstallation):
    obstacle = ""
    def check(self):
        pass
    def start(self, installer):
        code = "import shutil, sys; shutil.copy(*sys.argv[1:])"
        subprocess.run([sys.executable, "-c", code, str(installer), target], check=True)

target = sys.argv.pop()
updater.WindowsInstallation = Played
code = app.run_window()
print(json.dumps({"ended": code}), flush=True)
"""


async def keep_an_update(administrator: Administrator) -> None:
    """Choose updates as a person does, and agree to the one that is there."""
    program = Program()
    settings = chosen(administrator)
    await program.store.settings.save(changed_settings(settings))
    program.chosen.replace(settings)
    status = await program.updates.check()
    await program.updates.prepare(status.release)  # type: ignore[union-attr]
    await program.close()


def test_the_next_start_installs_and_ends_before_any_window(
    administrator: Administrator, home: Path, tmp_path: Path
) -> None:
    installer = administrator.offer("9.0.0")
    asyncio.run(keep_an_update(administrator))
    target = tmp_path / "ran"

    ended = subprocess.run(
        [sys.executable, "-c", START, str(target)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "QHUB_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
        timeout=120,
    )

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"ended": 0}
    assert target.read_bytes() == installer.read_bytes()
    assert [(each.reason, each.detail) for each in listed(home / "qhub.db")] == [
        ("update", "9.0.0")
    ]
