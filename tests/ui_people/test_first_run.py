"""The first run: a real window over a real folder, and nothing kept before its end."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from qhub_desktop.app import Program
from qhub_desktop.core import keystore, text
from qhub_desktop.core.settings import LanguageChoice, Policy
from qhub_desktop.store import Beginning, Store, begin_station, is_unused
from qhub_desktop.tools.first_run import FirstRun
from qhub_desktop.ui.people.first_run import FirstRunWindow
from qhub_desktop.ui.people.first_run_pages import (
    DataPage,
    EnginePage,
    FirstAccountPage,
    StationPage,
)
from tests.keyrings import NO_STORE, MemoryStore, using
from tests.waiting import until
from tests.wire import WireServer, answer, scenes

SECRET = "uma frase longa"
KEY = "sk-ant-planted-0123456789"
KEYS = Qt.Key


@pytest.fixture
def key_store() -> Iterator[MemoryStore]:
    yield from using(MemoryStore())


@pytest.fixture
def no_key_store() -> Iterator[None]:
    yield from using(NO_STORE)
    keystore.leave()


class Asking:
    """The window of a first run, and the person at its keyboard."""

    def __init__(self, home: Path, **fixed: Any) -> None:
        self.first_run = FirstRun(home, Policy(fixed))
        self.window = FirstRunWindow(self.first_run, set_language=self.speak)
        self.begun = asyncio.ensure_future(self.window.until_begun())

    def speak(self, language: LanguageChoice) -> None:
        text.use(language)

    def page(self, kind: type[Any]) -> Any:
        assert isinstance(self.window.page, kind)
        return self.window.page

    def press(self, key: KEYS, modifier: Qt.KeyboardModifier | None = None) -> None:
        focused: QWidget | None = self.window.focusWidget()
        modifiers = Qt.KeyboardModifier
        QTest.keyClick(focused or self.window, key, modifier or modifiers.NoModifier)
        QCoreApplication.sendPostedEvents(None, 0)

    def type(self, words: str) -> None:
        QTest.keyClicks(self.window.focusWidget(), words)

    async def leave(self) -> None:
        self.window.close()
        self.window.leave_button.click()
        assert await self.begun is None
        await self.first_run.close()


async def ask(home: Path, **fixed: Any) -> Asking:
    QApplication.setQuitOnLastWindowClosed(False)  # as the program has it
    asking = Asking(home, **fixed)
    await until(asking.window.isActiveWindow, "the window")
    return asking


def files_in(folder: Path) -> list[str]:
    return [each.name for each in folder.rglob("*")] if folder.exists() else []


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_enter_alone_begins_as_before_with_demo_data_and_nobody_signing_in(
    qapp: QApplication, home: Path, key_store: MemoryStore
) -> None:
    asking = await ask(home)
    for _step in range(5):
        assert files_in(home) == []
        asking.press(KEYS.Key_Return)
    assert await asking.begun == ""
    await asking.first_run.close()

    assert not is_unused(home)
    store = Store.open(home)
    assert not store.people.are_in_use()
    assert len((await store.defects.log()).rows) == 200
    assert store.settings.load_now() == {"engine": "offline"}
    store.close()


async def test_all_that_was_chosen_by_keyboard_is_kept_at_the_end_and_secrets_nowhere_else(
    qapp: QApplication, home: Path, key_store: MemoryStore
) -> None:
    asking = await ask(home)
    asking.press(KEYS.Key_Down)
    assert asking.window.next_button.text() == "Next"
    asking.press(KEYS.Key_Return)
    asking.page(StationPage)
    asking.type("Linha 2")
    asking.press(KEYS.Key_Return)
    asking.press(KEYS.Key_Down)
    asking.press(KEYS.Key_Tab)
    asking.type("Ana")
    page = asking.page(FirstAccountPage)
    asking.press(KEYS.Key_Tab)
    asking.type("12345678")
    assert [rule.text()[0] for rule in page.rules] == ["✓", "○", "○", "○"]
    asking.press(KEYS.Key_Return)
    assert "PIN" in asking.window.told
    page.secret.clear()
    asking.type(SECRET)
    asking.press(KEYS.Key_Tab)
    asking.press(KEYS.Key_Tab)
    asking.type(SECRET)
    assert [rule.text()[0] for rule in page.rules] == ["✓"] * 4
    asking.press(KEYS.Key_Return)
    asking.press(KEYS.Key_Down)
    asking.press(KEYS.Key_Return)
    assert "Write the key" in asking.window.told
    asking.type(KEY)
    asking.press(KEYS.Key_Return)
    asking.page(DataPage)
    asking.press(KEYS.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert asking.page(EnginePage).key.text == KEY  # what was answered is still there
    asking.press(KEYS.Key_Return)
    asking.press(KEYS.Key_Down)
    assert (files_in(home), key_store.kept) == ([], {})
    asking.press(KEYS.Key_Return)
    assert await asking.begun == "ana"
    await asking.first_run.close()

    assert key_store.kept == {(keystore.STORE_NAME, "anthropic"): KEY}
    for secret in (KEY, SECRET):
        assert secret.encode() not in bytes_in(home)
    program = Program()
    assert program.needs_sign_in
    ana = await program.accounts.sign_in("ana", SECRET)
    program.enter(ana)
    assert (ana.role, ana.must_change) == ("admin", False)
    assert (program.settings.station, program.settings.language) == ("Linha 2", "en")
    assert program.settings.engine == "auto"
    assert (await program.store.defects.log()).rows == ()
    noted = {each.subject for each in await program.store.audit.listed()}
    assert noted == {"ana", "station", "language", "key"}
    assert (await program.store.audit.verify()).broken is None
    await program.close()


async def test_the_language_is_spoken_at_once(qapp: QApplication, home: Path) -> None:
    asking = await ask(home)
    words = [asking.window.next_button.text()]
    for key in (KEYS.Key_Down, KEYS.Key_Up):
        asking.press(key)
        words.append(asking.window.next_button.text())
    assert words == ["Seguinte", "Next", "Seguinte"]
    asking.press(KEYS.Key_Return)
    assert asking.window.at == 1
    await asking.leave()


async def test_the_frames_cross_asks_first_as_esc_does(qapp: QApplication, home: Path) -> None:
    asking = await ask(home)

    asking.window.close()

    assert asking.window.isVisible()
    assert asking.window.stay_button.isVisible()
    assert not asking.begun.done()
    await asking.leave()


async def test_what_was_wrong_is_told_no_longer_once_it_is_put_right(
    qapp: QApplication, home: Path
) -> None:
    asking = await ask(home)
    for key in (KEYS.Key_Return, KEYS.Key_Return, KEYS.Key_Down, KEYS.Key_Return):
        asking.press(key)
    page = asking.page(FirstAccountPage)
    assert asking.window.told == "Escreva o nome com que vai entrar."

    QTest.keyClicks(page.name, "a")

    assert asking.window.told == ""
    await asking.leave()


async def test_esc_asks_first_and_who_leaves_finds_the_questions_again(
    qapp: QApplication, home: Path
) -> None:
    asking = await ask(home, language="en")
    asking.press(KEYS.Key_Escape)
    assert asking.window.stay_button.isVisible()
    asking.press(KEYS.Key_Escape)
    assert not asking.window.stay_button.isVisible()
    asking.press(KEYS.Key_Return)
    assert asking.window.at == 1
    asking.press(KEYS.Key_Escape)
    asking.window.leave_button.click()

    assert await asking.begun is None
    assert is_unused(home)
    await asking.first_run.close()


async def test_what_a_policy_fixes_is_not_asked_and_not_stored(
    qapp: QApplication, home: Path
) -> None:
    asking = await ask(home, language="en", station="P2", engine="offline")
    asking.page(FirstAccountPage)
    shown = asking.window.findChildren(QPushButton)
    assert any("Next" in each.text() for each in shown)
    assert "Station: P2; Engine: Offline" in asking.window.fixed
    for _step in range(2):
        asking.press(KEYS.Key_Return)
    assert await asking.begun == ""
    await asking.first_run.close()

    store = Store.open(home)
    assert store.settings.load_now() == {}
    store.close()


async def test_without_a_key_store_the_key_goes_to_a_file_that_the_passphrase_opens(
    qapp: QApplication, home: Path, no_key_store: None
) -> None:
    asking = await ask(home, language="en", station="")
    asking.press(KEYS.Key_Return)
    page = asking.page(EnginePage)
    asking.press(KEYS.Key_Down)
    await until(page.places.isVisible, "the places")
    page.key.set_text(KEY)
    page.places.passphrase.set_text("curta")
    asking.press(KEYS.Key_Return)
    assert "A passphrase has 8 characters" in asking.window.told
    page.places.passphrase.set_text(SECRET)
    asking.press(KEYS.Key_Return)
    assert files_in(home) == []
    asking.press(KEYS.Key_Return)
    assert await asking.begun == ""
    await asking.first_run.close()

    keystore.leave()
    assert keystore.place(home / keystore.KEY_FILE) == "locked"
    keystore.unlock(home / keystore.KEY_FILE, SECRET)
    assert keystore.read_secret("anthropic") == KEY


async def test_a_key_can_be_tried_before_anything_is_kept(
    qapp: QApplication, home: Path, key_store: MemoryStore
) -> None:
    with WireServer([scenes.WRONG_KEY, answer("olá")]) as server:
        asking = await ask(home, language="en", station="P2", endpoint=server.url)
        asking.press(KEYS.Key_Return)
        page = asking.page(EnginePage)
        asking.press(KEYS.Key_Down)
        page.key.set_text(KEY)
        page.test_button.click()
        await until(lambda: "refused the key" in page.result.text(), "the refusal")
        page.test_button.click()
        await until(lambda: "answers, with" in page.result.text(), "the answer")
        await asking.leave()

    assert files_in(home) == []
    assert key_store.kept == {}


async def test_what_a_trial_sent_is_seen_like_other_requests(
    qapp: QApplication, home: Path, key_store: MemoryStore
) -> None:
    with WireServer([scenes.WRONG_KEY, answer("olá")]) as server:
        asking = await ask(home, language="en", station="P2", endpoint=server.url)
        asking.press(KEYS.Key_Return)
        page = asking.page(EnginePage)
        asking.press(KEYS.Key_Down)
        page.key.set_text(KEY)
        page.test_button.click()
        await until(lambda: "refused the key" in page.result.text(), "the refusal")
        begun = datetime.now(UTC)
        page.test_button.click()
        await until(lambda: "answers, with" in page.result.text(), "the answer")
        asking.press(KEYS.Key_Return)
        asking.press(KEYS.Key_Return)
        assert await asking.begun == ""
        await asking.first_run.close()
        arrived = [each.body for each in server.requests if each.body]

    store = Store.open(home)
    kept = await store.sent.latest(limit=9)
    asked = [each for each in kept[::-1] if each.path == "/v1/messages"]
    assert [await store.sent.body(each.id) for each in asked] == arrived
    assert len(arrived) == 2
    assert [each.created < begun for each in asked] == [True, False]
    assert {each.host for each in kept} == {server.url.partition("//")[2]}
    store.close()
    assert KEY.encode() not in bytes_in(home)


async def test_where_another_program_was_quicker_nothing_is_kept_and_it_is_said(
    qapp: QApplication, home: Path, no_key_store: None
) -> None:
    asking = await ask(home, language="en")
    asking.press(KEYS.Key_Return)
    asking.press(KEYS.Key_Return)
    page = asking.page(EnginePage)
    asking.press(KEYS.Key_Down)
    await until(page.places.isVisible, "the places")
    page.key.set_text(KEY)
    page.places.passphrase.set_text(SECRET)
    asking.press(KEYS.Key_Return)
    Store.open(home).close()
    asking.press(KEYS.Key_Return)
    await until(lambda: "Another QHub program" in asking.window.told, "the reason")

    assert not (home / keystore.KEY_FILE).exists()
    assert keystore.read_secret("anthropic") is None
    assert asking.window.next_button.isEnabled()
    await asking.leave()


KILLED = """
import os, sys
from pathlib import Path
import qhub_desktop.store as store
from qhub_desktop.store import people
append = people.insert_account
people.insert_account = lambda *words, **more: (append(*words, **more), os._exit(9))
from qhub_desktop.core.person import FirstAccount
store.begin_station(
    Path(sys.argv[1]), store.Beginning({"station": "P2"}, FirstAccount("ana", "x"), True)
)
"""


def test_a_program_killed_at_the_end_leaves_a_folder_that_is_asked_about_again(home: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(home)], check=False)
    assert ended.returncode == 9
    assert (home / "qhub.db").exists()

    assert is_unused(home)
    assert begin_station(home, Beginning({}, None, has_demo_data=False))
    assert not is_unused(home)
    with closing(Store.open(home)) as store:
        assert store.settings.load_now() == {}
        assert not store.people.are_in_use()
    assert not begin_station(home, Beginning({}, None, has_demo_data=True))


# The program as it is really started; the person at it is played.
RUN = """
import asyncio, json
from qhub_desktop import app
from qhub_desktop.ui.people import first_run
from qhub_desktop.ui.shell import main_window

told = []
until_begun = first_run.FirstRunWindow.until_begun
open_window = main_window.MainWindow.open

async def answered(window):
    told.append(window._heading.text())
    asyncio.ensure_future(play(window))
    return await until_begun(window)

async def play(window):
    while window.isVisible() and window.next_button.isEnabled():
        if hasattr(window.page, "rules"):
            window.page.tiles.tiles["several"].click()
            window.page.name.setText("ana")
            for field in (window.page.secret, window.page.again):
                field.set_text("uma frase longa")
        window.next_button.click()
        await asyncio.sleep(0)

async def opened(window):
    await open_window(window)
    person = window._services.person
    told.append([person and person.name, window._services.live_settings.settings.language])
    window.close()

first_run.FirstRunWindow.until_begun = answered
main_window.MainWindow.open = opened
code = app.run_window()
print(json.dumps([code, told]), flush=True)
"""


def run_window(home: Path, **more: str) -> list[Any]:
    ended = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "QHUB_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", **more},
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    code, told = json.loads(ended.stdout.splitlines()[-1])
    assert code == 0
    return list(told)


def test_the_program_asks_in_a_new_folder_alone_and_opens_for_who_answered(home: Path) -> None:
    assert run_window(home, QHUB_FIRST_RUN="ask") == ["Que idioma?", ["ana", "pt"]]

    used = home.parent / "used"
    with closing(Store.open(used)):
        pass
    assert run_window(used, QHUB_FIRST_RUN="ask") == [[None, "pt"]]
    skipped = home.parent / "skipped"
    assert run_window(skipped, QHUB_FIRST_RUN="skip") == [[None, "pt"]]
