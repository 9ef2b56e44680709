import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QPushButton
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.app import Program
from qhub_desktop.core.errors import UnencryptedKeyError, UserError
from qhub_desktop.core.settings import Settings, setting_infos
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.settings.fields import VocabularyField
from qhub_desktop.ui.settings.key_fields import KeyField
from tests.ui_shell.window_harness import KeyRing, opened
from tests.waiting import until


async def test_a_valid_value_holds_and_is_kept_at_once(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("general")
        dialog.fields["station"].type_in("Station P2")

        assert harness.program.settings.station == "Station P2"
        assert "Station P2" in harness.window.frame.top_bar.location_text
        await until(
            lambda: harness.program.store.settings.load_now().get("station") == "Station P2"
        )


async def test_a_value_out_of_bounds_says_why_at_its_field_and_changes_nothing(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("limits")
        field = dialog.fields["rounds"]

        field.type_in("99")
        assert field.error_text == "Tool rounds in one answer: choose a value from 1 to 50."
        field.type_in("many")
        assert field.error_text == "Tool rounds in one answer: this is not a valid value."
        assert harness.program.settings.rounds == 8

        field.type_in("12")
        assert field.error_text == ""
        assert harness.program.settings.rounds == 12


async def test_a_bad_value_is_pointed_at_before_it_is_lost(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("limits")
        dialog.fields["rounds"].type_in("99")
        dialog.show_section("general")

        dialog.reject()
        assert dialog.isVisible()
        assert dialog.section == "limits"
        dialog.reject()

        assert dialog.isHidden()


async def test_a_bad_value_does_not_hold_up_a_good_one(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("limits")
        dialog.fields["rounds"].type_in("99")
        dialog.fields["top_values"].type_in("25")

        assert harness.program.settings.top_values == 25
        assert harness.program.settings.rounds == 8
        assert dialog.fields["rounds"].error_text


async def test_times_that_contradict_each_other_can_be_mended_one_by_one(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("time")

        dialog.fields["heartbeat_s"].type_in("400")
        assert "must grow" in dialog.fields["heartbeat_s"].error_text
        dialog.fields["question_s"].type_in("500")

        assert dialog.fields["heartbeat_s"].error_text == ""
        assert harness.program.settings.heartbeat_s == 400
        assert harness.program.settings.question_s == 500


async def test_a_decimal_comma_is_understood(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("time")
        dialog.fields["heartbeat_s"].type_in("45,5")

        assert harness.program.settings.heartbeat_s == 45.5


async def test_choices_and_switches_hold_at_once(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("general")
        theme = dialog.fields["theme"].control
        switch = dialog.fields["is_operator_mode"].control
        assert isinstance(theme, QComboBox)
        assert isinstance(switch, QCheckBox)

        theme.setCurrentIndex(theme.findData("dark"))
        assert harness.appearance.palette.is_dark
        switch.setChecked(True)
        assert harness.appearance.scale == 1.25

        harness.program.chosen.replace(Settings(language="en", engine="offline", theme="light"))


async def test_every_declared_setting_has_a_control_with_a_name(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        fields = harness.window.controller.open_settings().fields

        assert set(fields) == set(setting_infos())
        assert all(field.control.accessibleName() for field in fields.values())


async def test_a_key_is_tried_kept_and_forgotten_and_never_shown(qapp: QApplication) -> None:
    keys = KeyRing(refused={"sk-bad"})
    async with opened(qapp, keys=keys) as harness:
        field = harness.window.controller.open_settings("engine").part(KeyField)

        field.line_edit.setText("sk-bad")
        field.test_button.click()
        await until(lambda: "refused" in field.result.text())
        field.line_edit.setText("sk-good")
        field.test_button.click()
        await until(lambda: field.result.text() == "Claude answered.")
        field.save_button.click()
        await until(lambda: keys.key == "sk-good")
        await until(lambda: field.line_edit.text() == "")
        assert "sk-good" not in field.line_edit.placeholderText()

        field.forget_button.click()
        await until(lambda: keys.key == "")


class ExposedKeyRing(KeyRing):
    """A service that the key would reach without encryption."""

    @override
    async def test(self, key: str, settings: Settings) -> str:
        if settings.unencrypted_host != "gateway.plant":
            raise UnencryptedKeyError("Without encryption.", host="gateway.plant")
        return "Claude answered."


async def test_a_key_goes_out_unencrypted_once_the_person_has_said_so(qapp: QApplication) -> None:
    async with opened(qapp, keys=ExposedKeyRing()) as harness:
        field = harness.window.controller.open_settings("engine").part(KeyField)
        field.test_button.click()
        await until(lambda: not field.allow_button.isHidden())
        assert field.result.text() == "Without encryption."

        field.allow_button.click()

        await until(lambda: field.result.text() == "Claude answered.")
        assert field.allow_button.isHidden()
        assert harness.program.settings.unencrypted_host == "gateway.plant"


class LockedKeyRing(KeyRing):
    """A key store that lets its caller wait, then refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = asyncio.Event()

    @override
    async def save(self, key: str) -> None:
        await self.answered.wait()
        raise UserError("The key store is locked. Unlock it, and try again.")


async def test_a_key_that_is_refused_after_the_dialog_has_closed_is_told_in_the_window(
    qapp: QApplication,
) -> None:
    keys = LockedKeyRing()
    async with opened(qapp, keys=keys) as harness:
        dialog = harness.window.controller.open_settings("engine")
        dialog.part(KeyField).line_edit.setText("sk-good")
        dialog.part(KeyField).save_button.click()
        dialog.close()
        await until(lambda: not isValid(dialog))

        keys.answered.set()

        await until(lambda: "is locked" in harness.window.frame.banner.text)


async def test_a_kept_key_changes_who_answers(qapp: QApplication) -> None:
    settings = Settings(language="en", engine="auto")
    async with opened(qapp, settings=settings) as harness:
        pill = harness.window.frame.top_bar.pill
        await until(lambda: pill.text().strip() == "Offline · local engine")
        field = harness.window.controller.open_settings("engine").part(KeyField)

        field.line_edit.setText("sk-good")
        field.save_button.click()

        await until(lambda: pill.text().strip() == "Claude · online")


async def test_the_own_words_are_opened_and_what_is_wrong_in_them_is_said(
    qapp: QApplication, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[QUrl] = []

    def show(url: QUrl) -> bool:
        shown.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", show)
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("engine")
        field = dialog.part(VocabularyField)
        await until(lambda: field.result.text() == "There are no own words yet.")

        field.open_button.click()
        await until(lambda: bool(shown))
        file = Path(shown[0].toLocalFile())
        made = await asyncio.to_thread(file.read_text, encoding="utf-8")
        assert made.startswith("# Palavras")
        assert field.result.text() == "0 own words are read."

        words = '[field.skid]\npt = ["patim"]\n[cue.x]\npt = ["y"]\n'
        await asyncio.to_thread(file.write_text, words, encoding="utf-8")
        QApplication.sendEvent(field, QEvent(QEvent.Type.WindowActivate))

        await until(lambda: field.result.text().startswith("1 own word is read.\nLine 3: "))


async def test_a_table_in_an_answer_shows_the_rows_chosen(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("limits")
        dialog.fields["preview_rows"].type_in("3")
        dialog.close()
        page = harness.window.frame.centre.page
        page.ask("defects by type in a table")
        await until(lambda: page.findChildren(TableWidget) and not page.running_conversations)

        view = page.findChildren(TableWidget)[0].view
        await until(lambda: view.viewport().height() > 0)
        bottom = view.viewport().rect().bottomLeft()
        assert view.indexAt(bottom).row() == 2


async def test_what_an_administrator_fixes_is_shown_and_can_not_be_changed(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(
        '[settings]\nengine = "offline"\nmodel = ""\ntheme = "dark"\nstation = "P9"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr("qhub_desktop.app.policy_files", lambda: (file,))
    monkeypatch.setenv("ANTHROPIC_MODEL", "another")

    before = Program()
    await before.store.settings.save({"language": "en", "station": "P1", "theme": "light"})
    await before.close()

    async with opened(qapp) as harness:
        controller = harness.window.controller
        dialog = controller.open_settings("general")
        controller.toggle_theme()
        dialog.fields["station"].type_in("P2")
        dialog.fields["rounds"].type_in("12")
        fixed = {name for name, each in dialog.fields.items() if not each.control.isEnabled()}
        said = dialog.fields["station"].control.accessibleDescription()
        banner = harness.window.frame.banner.text

        assert harness.program.settings.engine == "offline"
        assert harness.program.settings.station == "P9"
        assert harness.program.settings.theme == "dark"
        assert "ANTHROPIC_MODEL" not in harness.program.environment
        await until(lambda: harness.program.store.settings.load_now().get("rounds") == 12)
        stored = harness.program.store.settings.load_now()

    assert (stored["station"], stored["theme"]) == ("P1", "light")

    assert fixed == {"engine", "model", "theme", "station"}
    assert said == "Fixed by whoever looks after this computer."
    assert banner == "Appearance: fixed by whoever looks after this computer."


def test_the_command_line_overrides_no_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[settings]\nengine = "offline"\n', encoding="utf-8")
    monkeypatch.setattr("qhub_desktop.app.policy_files", lambda: (file,))

    with pytest.raises(UserError, match="Engine: fixed"):
        Program(engine="claude")

    program = Program(engine="offline")
    asyncio.run(program.close())
    file.write_text("[settings", encoding="utf-8")
    with pytest.raises(UserError, match=r"policy\.toml"):
        Program()


async def test_what_is_wrong_in_a_policy_is_told_and_no_service_is_tested(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[settings]\nengine = "gpt"\nlanguage = "en"\n', encoding="utf-8")
    monkeypatch.setattr("qhub_desktop.app.policy_files", lambda: (file,))

    async with opened(qapp) as harness:
        field = harness.window.controller.open_settings("engine").part(KeyField)

        assert harness.program.settings.engine == "offline"
        assert "The rest holds" in str(harness.program.trouble)
        assert not field.test_button.isEnabled()
        assert "no service is asked" in field.result.text()
        with pytest.raises(UserError, match="no service is asked"):
            await harness.program.services().test_connection("sk-x", harness.program.settings)


async def test_a_path_can_be_chosen_from_the_disk(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        dialog = harness.window.controller.open_settings("updates")
        field = dialog.fields["update_folder"]

        buttons = {each.text(): each for each in field.findChildren(QPushButton)}
        buttons["Browse…"].click()
        assert field.dialog is not None
        field.dialog.fileSelected.emit(str(tmp_path))

        assert harness.program.settings.update_folder == str(tmp_path)
