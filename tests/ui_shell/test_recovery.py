"""Safety copies in the window: made, gone back to, and damaged data repaired, with real files."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.errors import DamagedStoreError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.people.accounts import Accounts
from qhub_desktop.store import Store
from qhub_desktop.store.backups import Backup, listed, make
from qhub_desktop.store.recovery import Restored
from qhub_desktop.ui.settings.safety_copies import SafetyCopyField
from qhub_desktop.ui.shell.recovery import RecoveryDialog, offer_repair, restore_alone
from tests.ui_shell.window_harness import opened
from tests.waiting import until


async def say(folder: Path, words: str) -> ConversationId:
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text(words)])
    store.close()
    return made.id


def damage_head(folder: Path) -> None:
    path = folder / "qhub.db"
    path.write_bytes(b"\xa5" * 4096 + path.read_bytes()[4096:])


def damage_inside(folder: Path, words: bytes) -> None:
    path = folder / "qhub.db"
    content = path.read_bytes()
    page = content.rfind(words) // 4096 * 4096
    assert page > 0
    path.write_bytes(content[:page] + bytes(4096) + content[page + 4096 :])


def states(field: SafetyCopyField) -> list[str]:
    items = [field.list.topLevelItem(row) for row in range(field.list.topLevelItemCount())]
    return [item.text(3) for item in items if item is not None]


async def test_the_page_makes_a_copy_shows_its_state_and_asks_before_it_goes_back(
    qapp: QApplication, home: Path
) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("backups")
        field = dialog.part(SafetyCopyField)
        await until(lambda: "no safety copy" in field.result.text())
        assert not field.restore_button.isEnabled()

        field.make_button.click()
        await until(lambda: states(field) == ["verified"])
        assert "Made, and verified" in field.result.text()
        broken = make(home / "qhub.db", "manual")
        broken.path.write_bytes(broken.path.read_bytes()[:-5000])
        field.make_button.click()
        await until(lambda: sorted(states(field)) == ["damaged", "verified", "verified"])

        (_broken_row, *_others) = [
            row for row, state in enumerate(states(field)) if state == "verified"
        ]
        item = field.list.topLevelItem(_broken_row)
        assert item is not None
        item.setSelected(True)
        chosen = field.selected
        assert field.question.isHidden()
        field.restore_button.click()
        await until(lambda: not field.question.isHidden())
        assert "0 conversations" in field.changes.text()
        assert "kept as a safety copy" in field.changes.text()
        assert harness.program.wanted_restore is None

        field.confirm_button.click()
        await until(lambda: harness.program.wanted_restore == chosen)


async def test_a_file_that_does_not_open_is_repaired_once_the_person_says_so(
    qapp: QApplication, home: Path
) -> None:
    await say(home, "antes")
    make(home / "qhub.db", "daily")
    await say(home, "depois")
    damage_head(home)
    with pytest.raises(DamagedStoreError) as raised:
        Store.open(home)
    made: list[RecoveryDialog] = []

    def dialog() -> RecoveryDialog:
        made.append(RecoveryDialog())
        return made[0]

    offering = asyncio.ensure_future(offer_repair(raised.value, dialog=dialog))
    await until(lambda: bool(made) and made[0].repair_button.isVisible())
    assert "safety copy of" in made[0].words.text()
    made[0].repair_button.click()
    done = await offering

    assert isinstance(done, Restored)
    assert done.messages == 1
    store = Store.open(home)
    assert len(await store.conversations.listed()) == 2
    store.close()


async def test_who_leaves_leaves_the_file_as_it_is(qapp: QApplication, home: Path) -> None:
    await say(home, "antes")
    damage_head(home)
    before = (home / "qhub.db").read_bytes()
    shown = RecoveryDialog()
    error = DamagedStoreError("damaged", path=home / "qhub.db")

    offering = asyncio.ensure_future(offer_repair(error, dialog=lambda: shown))
    await until(shown.repair_button.isVisible)
    assert "there is no safety copy" in shown.words.text()
    QTest.keyClick(shown, Qt.Key.Key_Escape)

    assert await offering is None
    assert (home / "qhub.db").read_bytes() == before


async def test_a_repair_that_fails_says_why_and_can_be_tried_again(
    qapp: QApplication, home: Path
) -> None:
    await say(home, "antes")
    make(home / "qhub.db", "daily")
    other = Store.open(home)  # another program has the data open
    damage_head(home)
    shown = RecoveryDialog()
    error = DamagedStoreError("damaged", path=home / "qhub.db")

    offering = asyncio.ensure_future(offer_repair(error, dialog=lambda: shown))
    await until(shown.repair_button.isVisible)
    shown.repair_button.click()
    await until(lambda: "Another QHub program" in shown.words.text())
    other._mark.close()
    shown.repair_button.click()

    assert isinstance(await offering, Restored)
    other._database.close()


async def with_administrator(home: Path) -> Backup:
    """A safety copy of a station where ana is the administrator, and rui none."""
    store = Store.open(home)
    accounts = Accounts(store.people)
    await accounts.add("ana", "admin", None, secret="uma frase longa")
    await accounts.add("rui", "responsavel", None, secret="outra frase longa")
    store.close()
    return make(home / "qhub.db", "manual")


async def signed_in(shown: RecoveryDialog, name: str, secret: str, *, expected: str) -> None:
    """Give a name and a password, and wait for what is said of them."""
    shown.name.setText(name)
    shown.secret.set_text(secret)
    shown.repair_button.click()
    await until(lambda: expected in shown.problem.text() or shown.bar.isVisible())


async def who_restored(home: Path) -> str:
    store = Store.open(home)
    store.enter(await Accounts(store.people).sign_in("ana", "uma frase longa"))
    (entry, *_older) = await store.audit.listed(action="restore")
    verdict = await store.audit.verify()
    store.close()
    assert verdict.is_whole, verdict.sentence
    return entry.person


async def test_damaged_data_of_people_are_repaired_by_an_administrator_of_the_copy(
    qapp: QApplication, home: Path
) -> None:
    await with_administrator(home)
    damage_head(home)
    before = (home / "qhub.db").read_bytes()
    shown = RecoveryDialog()
    error = DamagedStoreError("damaged", path=home / "qhub.db")

    offering = asyncio.ensure_future(offer_repair(error, dialog=lambda: shown))
    await until(shown.repair_button.isVisible)
    assert shown.name.isVisible()
    assert "2 people have accounts" in shown.words.text()
    assert "An administrator of this safety copy signs in" in shown.words.text()
    await signed_in(shown, "ana", "uma frase errada", expected="is wrong")
    await signed_in(shown, "rui", "outra frase longa", expected="no administrator")
    assert (home / "qhub.db").read_bytes() == before
    assert shown.secret.text == ""
    await signed_in(shown, "Ana", "uma frase longa", expected="")

    assert isinstance(await offering, Restored)
    assert await who_restored(home) == "ana"


async def test_a_copy_with_accounts_is_gone_back_to_by_its_administrator_where_nobody_signed_in(
    qapp: QApplication, home: Path
) -> None:
    copy = await with_administrator(home)
    (home / "qhub.db").unlink()
    Store.open(home).close()
    shown = RecoveryDialog()

    left = asyncio.ensure_future(restore_alone(home / "qhub.db", copy, dialog=lambda: shown))
    await until(shown.leave_button.isVisible)
    assert shown.heading.text() == "Going back to a safety copy"
    shown.leave_button.click()
    assert await left is None
    with closing(Store.open(home)) as store:
        assert not store.people.are_in_use()


async def test_the_window_names_who_goes_back_and_asks_nobody_twice(
    qapp: QApplication, home: Path
) -> None:
    copy = await with_administrator(home)
    done = await restore_alone(home / "qhub.db", copy, by="ana")
    assert isinstance(done, Restored)
    assert await who_restored(home) == "ana"

    with closing(sqlite3.connect(copy.path)) as db, db:
        db.execute("UPDATE people SET role = 'admin'")
    refused = await restore_alone(home / "qhub.db", copy, by=None)
    assert "its content is not what it was" in str(refused)


# A window as it is really run: what a person does is played, and told at the end.
RUN = """
import asyncio, json, sys
from PySide6.QtWidgets import QApplication
from qhub_desktop import app
from qhub_desktop.ui.shell import main_window, recovery

told = []
open_window = main_window.MainWindow.open

async def opened(window):
    await open_window(window)
    asyncio.ensure_future(played(window))

async def played(window):
    try:
        await look(window)
    except BaseException as error:
        told.append(["failed", repr(error)])
        window.close()

async def look(window):
    banner = window.frame.banner
    for _look in range(400):
        if banner.text:
            break
        await asyncio.sleep(0.02)
    found = await window._services.store.conversations.listed()
    told.append([banner.text, [each.title for each in found]])
    if "damaged" in banner.text and not banner.remedy_button.isHidden():
        banner.remedy_button.click()
    else:
        window.close()

async def agreed(dialog):
    told.append(["asked", dialog.words.text()])
    return True

main_window.MainWindow.open = opened
recovery.RecoveryDialog.answer = agreed
code = app.run_window()
print(json.dumps([code, told]), flush=True)
"""


def run_window(home: Path) -> list[tuple[str, Any]]:
    ended = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "QHUB_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    code, told = json.loads(ended.stdout.splitlines()[-1])
    assert code == 0
    return [(first, second) for first, second in told]


def left_marks(home: Path) -> list[str]:
    return [each.name for each in home.glob("open-*")]


async def speak_english(home: Path) -> None:
    store = Store.open(home)
    await store.settings.save({"language": "en", "engine": "offline"})
    store.close()


async def test_the_program_that_finds_its_file_damaged_asks_repairs_and_opens(home: Path) -> None:
    await speak_english(home)
    await say(home, "antes")
    make(home / "qhub.db", "daily")
    await say(home, "depois")
    damage_head(home)

    told = await asyncio.to_thread(run_window, home)

    (asked, _words), (banner, titles) = told
    assert asked == "asked"
    assert "1 message" in banner
    assert "damaged file is kept as qhub.damaged-" in banner
    assert titles == ["depois", "antes"]


async def test_after_a_crash_the_window_looks_finds_repairs_and_opens_again(home: Path) -> None:
    await speak_english(home)
    for number in range(40):
        await say(home, f"título {number}\n" + f"antes {number} " * 400)
    make(home / "qhub.db", "daily")
    await say(home, "depois")
    damage_inside(home, b"antes 20 antes 20")
    (home / "open-000000000000").mkdir()  # as a killed program leaves it

    told = await asyncio.to_thread(run_window, home)

    (damaged, _titles), (repaired, titles) = told
    assert "part of the data is damaged" in damaged
    assert "were restored from the safety copy" in repaired
    assert len(titles) == 41
    assert [each.reason for each in listed(home / "qhub.db")] == ["daily"]
    assert not left_marks(home)
