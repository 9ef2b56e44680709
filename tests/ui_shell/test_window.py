import asyncio
import json
import subprocess
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QWidget,
)
from shiboken6 import delete
from typing_extensions import override

from qhub_desktop.app import Program
from qhub_desktop.core import text
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.settings import LanguageChoice, Settings
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store.settings import SettingRepository
from qhub_desktop.ui.controls.buttons import ElidedButton
from qhub_desktop.ui.shell.command_palette import CommandPalette
from qhub_desktop.ui.shell.defect_window import DefectWindow
from qhub_desktop.ui.shell.layout import WindowLayout
from qhub_desktop.ui.shell.outbox import QueuedList
from tests.ui_shell.window_harness import KeyRing, WindowHarness, opened
from tests.waiting import PATIENCE_S, until

HEAVY = ("anthropic", "babel", "duckdb", "numpy", "pydantic", "pyqtgraph")


def test_the_window_needs_nothing_heavy_before_its_first_paint() -> None:
    asks = (
        "import json, sys;"
        "import qhub_desktop.ui.shell.main_window, qhub_desktop.ui.shell.controller;"
        f"print(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )

    said = subprocess.run(
        [sys.executable, "-c", asks], check=True, capture_output=True, encoding="utf-8"
    ).stdout

    assert json.loads(said) == []


async def test_the_first_window_teaches_and_says_who_answers(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        await until(lambda: window.frame.panel.profiles)

        assert window.frame.top_bar.pill.text().strip() == "Offline · local engine"
        assert [profile.rows for profile in window.frame.panel.profiles] == [200]
        assert window.controller.status.text().startswith("Ready")
        assert window.frame.centre.page.composer.question_box.hasFocus()


async def test_a_window_comes_back_as_it_was_left(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        window.setGeometry(40, 30, 1000, 600)
        window.frame.toggle_panel()
        window.controller.zoom(1)
        conversation = await window.frame.centre.ensure_conversation()

    async with opened(qapp) as harness:
        window = harness.window

        assert (window.width(), window.height()) == (800, 600) or window.width() <= 1000
        assert not window.frame.has_panel
        assert harness.appearance.zoom == 1.1
        assert window.frame.centre.conversation is not None
        assert window.frame.centre.conversation.id == conversation.id
        harness.appearance.zoom_to(1.0)


async def test_columns_keep_the_widths_that_the_person_gave_them(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        frame = harness.window.frame
        harness.window.resize(1300, 700)
        handle = frame.splitter.handle(1)
        start = handle.rect().center()
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(handle, start + QPoint(60, 0))
        QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
        wide = frame.sidebar.width()
        assert wide > 256

    async with opened(qapp) as harness:
        harness.window.resize(1300, 700)

        assert abs(harness.window.frame.sidebar.width() - wide) <= 2


async def test_a_column_hides_and_comes_back_by_its_key(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        window.resize(1300, 700)  # room for all columns
        window.activateWindow()

        QTest.keyClick(window, Qt.Key.Key_F9)
        seen = [window.frame.has_sidebar]
        QTest.keyClick(window, Qt.Key.Key_F9)
        seen.append(window.frame.has_sidebar)
        QTest.keyClick(window, Qt.Key.Key_F10)
        seen.append(window.frame.has_panel)

        assert seen == [False, True, False]


async def test_another_language_is_spoken_at_once_and_the_conversation_stays(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        conversation = await window.frame.centre.ensure_conversation()
        window.controller.open_settings("general")
        before = window.frame

        harness.program.chosen.replace(Settings(language="pt", engine="offline"))
        await until(lambda: window.frame is not before and window.frame.centre.conversation)

        opened_again = window.frame.centre.conversation
        assert opened_again is not None
        assert opened_again.id == conversation.id
        assert text.language() == "pt"
        assert harness.program.store.settings.load_now()["engine"] == "offline"
        dialog = window.controller.open_settings("general")
        assert dialog.windowTitle() == text.gettext("Settings")
        harness.program.chosen.replace(Settings(language="en", engine="offline"))
        changed = window.frame
        await until(lambda: window.frame is not changed and window.frame.centre.is_loaded)
    assert text.language() == "en"


async def test_an_error_stands_in_the_window_with_the_way_to_deal_with_it(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        banner = window.frame.banner

        async def fail() -> None:
            raise UserError("The key was refused.", fault="key")

        window.tasks.start(fail())
        await until(lambda: banner.text == "The key was refused.")
        banner.remedy_button.click()

        assert banner.text == ""
        assert window.controller.open_settings("engine").section == "engine"


async def test_the_pill_counts_down_and_recovers(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        pill = harness.window.frame.top_bar.pill

        connection = harness.window.controller.connection
        connection.show_status(StatusChanged("retrying", "Too many questions.", 8.0))
        assert pill.text().strip() == "Trying again in 8 s"
        connection.show_status(StatusChanged("offline", ""))

        assert pill.text().strip() == "Offline · local engine"


async def test_the_pill_says_what_it_means_and_leads_to_the_settings(qapp: QApplication) -> None:
    async with opened(qapp, settings=Settings(language="en", engine="claude")) as harness:
        pill = harness.window.frame.top_bar.pill
        await until(lambda: pill.text().strip() == "No key")

        popover = pill.open()
        popover.settings_requested.emit()
        popover.close()

        assert harness.window.controller.open_settings("engine").section == "engine"


async def test_trying_again_names_what_is_wrong(qapp: QApplication) -> None:
    keys = KeyRing(key="old", refused={"old"})
    settings = Settings(language="en", engine="claude")
    async with opened(qapp, keys=keys, settings=settings) as harness:
        harness.window.frame.top_bar.pill.retry_requested.emit()
        await until(lambda: harness.window.frame.banner.text)

        assert harness.window.frame.banner.text.startswith("The key was refused")


async def test_closing_ends_an_answer_and_keeps_what_had_arrived(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        page = harness.window.frame.centre.page
        page.ask("what is the most frequent defect?")
        await until(lambda: page.running_conversations)

    program = Program()
    (kept,) = await program.store.conversations.listed()
    messages = await program.store.messages.latest(kept.id)
    await program.close()

    assert messages[0].text == "what is the most frequent defect?"


async def test_an_operator_reports_with_one_tap(qapp: QApplication) -> None:
    settings = Settings(language="en", engine="offline", is_operator_mode=True)
    async with opened(qapp, settings=settings) as harness:
        frame = harness.window.frame
        assert not frame.sidebar.report_button.isHidden()
        assert frame.sidebar.report_button.height() >= 44

        frame.sidebar.report_button.click()

        assert harness.window.findChild(DefectWindow) is not None
        assert frame.centre.conversation is None
        harness.program.chosen.replace(Settings(language="en", engine="offline"))


async def test_everything_can_be_found_by_a_few_letters_and_run_without_a_mouse(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        made = await harness.program.store.conversations.create("analise")
        await harness.program.store.conversations.rename(made.id, "Retrabalho do rack R12")

        palette = window.controller.open_palette()
        QTest.keyClicks(palette.line_edit, "retrab")
        await until(lambda: "Retrabalho do rack R12" in palette.labels())
        while palette.labels()[palette.list.currentRow()] != "Retrabalho do rack R12":
            QTest.keyClick(palette.line_edit, Qt.Key.Key_Down)
        QTest.keyClick(palette.line_edit, Qt.Key.Key_Return)
        await until(lambda: window.frame.centre.conversation)

        opened_one = window.frame.centre.conversation
        assert opened_one is not None
        assert opened_one.id == made.id
        assert window.frame.centre.agent.id == "analise"


async def test_the_palette_runs_commands_and_leaves_by_escape(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        window.resize(1300, 700)  # room for all columns
        QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        palette = window.findChild(CommandPalette)
        assert isinstance(palette, CommandPalette)
        QTest.keyClick(palette.line_edit, Qt.Key.Key_Escape)
        assert palette.isHidden()

        palette = window.controller.open_palette()
        QTest.keyClicks(palette.line_edit, "hide or show the data")
        QTest.keyClick(palette.line_edit, Qt.Key.Key_Return)

        assert not window.frame.has_panel


async def test_what_a_task_fails_with_is_told_in_the_window(qapp: QApplication) -> None:
    async with opened(qapp) as harness:

        async def fail() -> None:
            raise ServiceError("The disk is full. Free some space, then ask again.")

        harness.window.tasks.start(fail())
        await until(lambda: harness.window.frame.banner.text)

        assert "disk is full" in harness.window.frame.banner.text


async def test_the_command_palette_gives_the_keys_back_to_what_had_them(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        window.activateWindow()
        search = window.frame.sidebar.search
        search.setFocus()
        palette = window.controller.open_palette()
        await until(palette.line_edit.hasFocus)

        QTest.keyClick(palette.line_edit, Qt.Key.Key_Escape)

        assert palette.isHidden()
        assert search.hasFocus()


async def test_the_command_palette_outlives_the_field_that_had_the_keys(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        window.activateWindow()
        field = QLineEdit(window)
        field.show()
        field.setFocus()
        palette = window.controller.open_palette()
        await until(palette.line_edit.hasFocus)
        delete(field)  # as the field in which a conversation is renamed

        QTest.keyClick(palette.line_edit, Qt.Key.Key_Escape)

        assert palette.isHidden()


async def test_a_title_read_late_does_not_bring_back_the_conversation_that_was_left(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        centre = harness.window.frame.centre
        await centre.ensure_conversation()
        reading = asyncio.ensure_future(centre.refresh())
        await asyncio.sleep(0)

        centre.new_conversation()
        await reading

        assert centre.conversation is None
        assert centre.header.title == ""


async def test_a_window_whose_place_can_not_be_kept_closes_all_the_same(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(_settings: SettingRepository, _key: str, _value: Json) -> None:
        raise UserError("There is no room left on the disk.")

    async with opened(qapp) as harness:
        monkeypatch.setattr(SettingRepository, "save_state", refused)
        gone = asyncio.ensure_future(harness.window.until_closed())
        await asyncio.sleep(0)

        harness.window.close()

        await asyncio.wait_for(gone, PATIENCE_S)


async def test_a_change_of_language_leaves_no_commands_behind(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        before = len(window.findChildren(QAction))
        await speak(harness, "pt")
        await speak(harness, "en")

        assert len(window.findChildren(QAction)) == before


async def speak(harness: WindowHarness, language: LanguageChoice) -> None:
    """Choose a language, and wait until the window is built in it."""
    former = harness.window.frame
    harness.program.chosen.replace(replace(harness.program.settings, language=language))
    await until(lambda: harness.window.frame is not former)
    await until(lambda: harness.window.frame.panel.profiles)


class WrongAddress(KeyRing):
    """A key store that cannot be asked, for the service's address is none."""

    @override
    async def has(self) -> bool:
        raise UserError("The address is none.")


async def test_a_wrong_address_leaves_the_rest_of_the_window_ready(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[object] = []
    monkeypatch.setattr(Workspace, "warm", lambda workspace, **_what: warmed.append(workspace))

    async with opened(qapp, keys=WrongAddress()) as harness:
        assert harness.window.frame.banner.text == "The address is none."
        assert warmed


async def test_the_questions_that_wait_are_listed_on_the_screen(qapp: QApplication) -> None:
    anchor = QPushButton("1 question waits")
    screen = anchor.screen().availableGeometry()
    anchor.move(screen.right() - 40, screen.bottom() - 40)
    anchor.show()
    queued = QueuedList(anchor)

    queued.open_above(anchor)

    assert screen.contains(queued.geometry())
    queued.close()
    anchor.close()


async def test_what_is_typed_reaches_the_question_wherever_the_focus_is(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        page = harness.window.frame.centre.page
        page.ask("Mostra os defeitos por turno numa tabela")
        await until(lambda: page.findChildren(QTableView) and not page.running_conversations)
        box = page.composer.question_box
        typing = (QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox)
        places = [
            each
            for each in harness.window.findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus
            and each.isVisible()
            and each.isEnabled()
            and not isinstance(each, typing)
        ]
        assert len(places) > 20

        lost = []
        for place in places:
            box.clear()
            place.setFocus()
            QTest.keyClicks(place, "x3")
            if box.toPlainText() != "x3" or harness.window.focusWidget() is not box:
                lost.append(f"{type(place).__name__} {place.accessibleName()}")

        assert lost == []


@pytest.mark.parametrize("zoom", [1.0, 2.0])
async def test_nothing_is_cut_sideways_in_a_narrow_window(qapp: QApplication, zoom: float) -> None:
    settings = Settings(language="pt", engine="offline", theme="light", is_operator_mode=True)
    async with opened(qapp, settings=settings) as harness:
        window, frame = harness.window, harness.window.frame
        harness.appearance.zoom_to(zoom)
        try:
            for width in (1024, 640, 400):
                window.resize(width, 640)
                shown = f"{width} px"
                await until(lambda width=width: window.width() == width, shown)  # type: ignore[misc]
                await asyncio.sleep(0.05)
                assert cut_in(window) == [], shown
                for toggle, column in (
                    (frame.toggle_sidebar, frame.sidebar),
                    (frame.toggle_panel, frame.side),
                ):
                    was_hidden = column.isHidden()
                    toggle()
                    await asyncio.sleep(0.05)
                    assert column.isHidden() != was_hidden, shown
                    assert cut_in(window) == [], f"{shown}, {type(column).__name__}"
                    toggle()
                    assert column.isHidden() == was_hidden, shown
        finally:
            harness.appearance.zoom_to(1.0)


def cut_in(window: QWidget) -> list[str]:
    """The buttons whose words do not fit, and what stands over the window's right edge."""
    buttons = [
        f"{each.text()}: {each.width()} of {each.minimumSizeHint().width()}"
        for each in window.findChildren(QPushButton)
        if each.isVisible()
        and each.text()
        and not isinstance(each, ElidedButton)  # whose words end in '…'
        and each.width() < each.minimumSizeHint().width()
    ]
    frame = window.findChild(WindowLayout)
    assert frame is not None
    columns = [
        f"{type(each).__name__} ends at {each.geometry().right()} of {window.width()}"
        for each in (frame.top_bar, frame.sidebar, frame.centre, frame.side)
        if each.isVisible() and each.geometry().right() >= window.width()
    ]
    return [*buttons, *columns]
