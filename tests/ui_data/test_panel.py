"""The data panel at work: a real window on real files; the person is played."""

import asyncio
import io
from dataclasses import replace
from pathlib import Path

import xlsxwriter
from msoffcrypto.format.ooxml import OOXMLFile
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from qhub_desktop.data.query.view_spec import Between
from qhub_desktop.ui.chat.attachments import FileChip, PasswordField
from tests.ui_shell.window_harness import WindowHarness, opened, take_back
from tests.waiting import until

MESSY = """Medições da linha 2;;
;;
Data;Turno;Valor
01/02/2026;manha;1,5
02/02/2026;tarde;2,5
03/02/2026;noite;3,5
Total;;7,5
"""


def write(folder: Path, name: str, content: str) -> Path:
    """A text file that somebody exported."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


def workbook(folder: Path, **rows: int) -> Path:
    """A workbook with a sheet for each name, of so many rows."""
    file = folder / "semana.xlsx"
    with xlsxwriter.Workbook(file) as book:
        for name, count in rows.items():
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["peca", "total"])
            for row in range(count):
                sheet.write_row(row + 1, 0, [f"p{row}", row])
    return file


def locked(folder: Path, password: str) -> Path:
    """The same, behind a password."""
    plain = workbook(folder, Dados=3)
    file = folder / "locked.xlsx"
    with file.open("wb") as target:
        OOXMLFile(io.BytesIO(plain.read_bytes())).encrypt(password, target)
    return file


async def bring(harness: WindowHarness, file: Path) -> None:
    """Drop a file, and wait until it is in."""
    harness.window.controller.files.import_files([file])
    await until(lambda: file.name in {each.file for each in harness.window.frame.panel.profiles})
    await until(lambda: not any(chip.is_busy for chip in chips(harness)))


def chips(harness: WindowHarness) -> tuple[FileChip, ...]:
    return harness.window.frame.centre.page.composer.chips


def names(harness: WindowHarness) -> list[str]:
    return [profile.dataset for profile in harness.window.frame.panel.profiles]


async def test_a_messy_file_says_so_on_its_card_and_can_be_read_again_and_back(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))
        (before, *_log) = panel.profiles
        assert (
            "rows\N{NO-BREAK SPACE}set\N{NO-BREAK SPACE}apart"
            in panel.cards[0].summary_label.text()
        )

        panel.cards[0].report_requested.emit()
        (window,) = panel.windows.reports
        await until(window.head.head_model.rowCount)
        words = [label.text() for label in window.receipt.findChildren(QLabel)]
        assert "Every row is accounted for." in words
        assert any("Medições da linha 2" in each for each in words)
        window.choices.choose_header(4)
        window.import_button.click()
        await until(lambda: panel.profiles[0].id != before.id)
        await until(lambda: window.profile.id == panel.profiles[0].id)
        report = panel.profiles[0].report
        assert report is not None
        assert report.choices.header_row == 4
        assert panel.profiles[0].dataset == before.dataset

        take_back(harness)
        await until(lambda: panel.profiles[0].id == before.id)
        assert window.profile.id == before.id
        window.close()
        await until(lambda: not panel.windows.reports)


async def test_sheets_stand_under_their_file_and_can_be_left_unused(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, workbook(tmp_path, Pequena=2, Grande=9))
        assert [card.profile.sheet for card in panel.cards if not card.is_log] == [
            "Grande",
            "Pequena",
        ]
        assert len(panel.headings) == 1
        conversation = harness.window.frame.centre.conversation
        assert conversation is not None

        panel.cards[1].exclude_requested.emit()
        await until(lambda: panel.unused)
        assert len(await harness.program.store.datasets.pinned(conversation.id)) == 1
        panel.unused[0].boxes[0].click()
        await until(lambda: not panel.unused)

        assert len(await harness.program.store.datasets.pinned(conversation.id)) == 2


async def test_a_data_set_is_renamed_where_its_name_stands_and_back(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))
        card = panel.cards[0]
        box = card.offer("Stay here.", [])

        field = card.name.edit()
        field.setText("Medições Fev.")
        field.returnPressed.emit()
        await until(lambda: "medicoes_fev" in names(harness))

        assert panel.cards[0] is card
        assert card.offers == [box]
        take_back(harness)
        await until(lambda: "linha2" in names(harness))


async def test_a_newer_version_can_take_the_old_ones_place(
    qapp: QApplication, tmp_path: Path
) -> None:
    later = MESSY.replace("Total;;7,5", "04/02/2026;manha;4,5")
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2_2026-02-03.csv", MESSY))
        await bring(harness, write(tmp_path, "linha2_2026-02-04.csv", later))
        await until(lambda: any("newer" in each.text for each in panel.cards[0].offers))
        (offer,) = [each for each in panel.cards[0].offers if "newer" in each.text]
        assert "1 new row" in offer.text

        offer.buttons[0].click()
        await until(lambda: len(panel.cards) == 2)
        assert panel.profiles[0].rows == 4
        take_back(harness)

        await until(lambda: len(panel.cards) == 3)


async def test_a_newer_version_can_be_appended(qapp: QApplication, tmp_path: Path) -> None:
    later = "Data;Turno;Valor\n03/02/2026;noite;3,5\n04/02/2026;manha;4,5\n"
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY.replace("tarde", "manha")))
        await bring(harness, write(tmp_path, "linha2 (1).csv", later))
        await until(lambda: any("newer" in each.text for each in panel.cards[0].offers))
        (offer,) = [each for each in panel.cards[0].offers if "newer" in each.text]

        offer.buttons[1].click()
        await until(lambda: len(panel.cards) == 2)

        assert panel.profiles[0].rows == 4
        take_back(harness)
        await until(lambda: len(panel.cards) == 3)


async def test_a_protected_workbook_asks_on_its_chip_until_the_password_is_right(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        file = locked(tmp_path, "segredo")
        harness.window.controller.files.import_files([file])
        await until(lambda: chips(harness) and chips(harness)[0].findChildren(PasswordField))
        (chip,) = chips(harness)
        first = chip.status

        type_password(chip, "outro")
        await until(lambda: chip.status != first and chip.findChildren(PasswordField))
        assert "password" in chip.status.lower()
        type_password(chip, "segredo")
        await until(lambda: harness.window.frame.panel.profiles[0].file == file.name)

        assert harness.window.frame.panel.profiles[0].rows == 3


async def test_a_protected_workbook_that_is_given_up_leaves_nothing(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        harness.window.controller.files.import_files([locked(tmp_path, "segredo")])
        await until(lambda: chips(harness) and chips(harness)[0].findChildren(PasswordField))
        conversation = harness.window.frame.centre.conversation
        assert conversation is not None

        chips(harness)[0].click_close()
        await until(lambda: not chips(harness))
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))

        assert len(await harness.program.store.datasets.pinned(conversation.id)) == 1


async def test_a_mistake_of_ours_ends_the_chip_with_a_sentence_and_is_reported(
    qapp: QApplication, tmp_path: Path
) -> None:
    reported: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: reported.append(context.get("exception")))
    async with opened(qapp) as harness:
        harness.window.controller.files.import_files([tmp_path / "nul\0.csv"])
        await until(lambda: chips(harness) and not chips(harness)[0].is_busy)

        assert "mistake in QHub" in chips(harness)[0].status
        assert len(reported) == 1


async def test_a_whole_data_set_is_written_to_a_file(qapp: QApplication, tmp_path: Path) -> None:
    target = tmp_path / "fora.csv"
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))
        card = panel.cards[0]

        dialog = panel.export.ask(card.profile, "csv")
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(lambda: any("fora.csv" in each.text for each in card.offers))

        assert "3 rows" in card.offers[-1].text
        assert target.stat().st_size > 0


async def test_a_file_is_named_after_its_sheet_whatever_that_is_called(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))
        profile = replace(panel.cards[0].profile, sheet="1/2024: a", sheets=("1/2024: a", "b"))

        dialog = panel.export.ask(profile, "xlsx")
        (offered,) = dialog.selectedFiles()
        dialog.close()

        assert Path(offered).name == "linha2 1 2024 a.xlsx"


async def test_the_rows_that_a_window_shows_are_written_to_a_file(
    qapp: QApplication, tmp_path: Path
) -> None:
    target = tmp_path / "fora.csv"
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await bring(harness, write(tmp_path, "linha2.csv", MESSY))
        window = panel.preview(panel.cards[0].profile)
        window.sort(2, "down")
        window.filter(2, Between("Valor", 2, None))
        window.hide_column(1)
        await until(lambda: window.is_up_to_date)

        window.export_button.click()
        (menu,) = window.findChildren(QMenu)
        words = [action.text() for action in menu.actions()]
        assert words == ["Export 2 of 3 rows to Excel…", "Export 2 of 3 rows as CSV…"]
        menu.actions()[1].trigger()
        menu.close()
        dialog = panel.export.dialog
        assert dialog is not None
        dialog.fileSelected.emit(str(target))
        dialog.close()
        card = panel.cards[0]
        await until(lambda: any("fora.csv" in each.text for each in card.offers))

        assert card.offers[-1].text == (
            "Saved 2 of 3 rows as fora.csv. 1 hidden column was left out."
        )
        lines = target.read_text(encoding="utf-8-sig").splitlines()
        assert lines == ["Data,Valor", "2026-02-03,3.5", "2026-02-02,2.5"]
        window.close()


def type_password(chip: FileChip, password: str) -> None:
    """As the person would."""
    (field,) = [each for each in chip.findChildren(PasswordField) if not each.isHidden()]
    field.line_edit.setText(password)
    field.line_edit.returnPressed.emit()
