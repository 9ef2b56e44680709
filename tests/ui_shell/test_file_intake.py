import os
import threading
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.ui.chat.attachments import FileChip
from qhub_desktop.ui.chat.empty_state import ProfileCard
from qhub_desktop.ui.shell.file_actions import PENDING
from tests.ui_shell.window_harness import WindowHarness, opened, take_back
from tests.waiting import until

COPY, LEFT, NO_KEY = (
    Qt.DropAction.CopyAction,
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.NoModifier,
)


class Drag:
    """Somebody holds files over a widget."""

    def __init__(self, *files: Path) -> None:
        self.mime = QMimeData()
        self.mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        self.place = QPointF(60, 60)

    def enter(self, target: QWidget) -> bool:
        event = QDragEnterEvent(QPoint(50, 50), COPY, self.mime, LEFT, NO_KEY)
        QApplication.sendEvent(target, event)
        return event.isAccepted()

    def move(self, target: QWidget) -> bool:
        event = QDragMoveEvent(QPoint(60, 60), COPY, self.mime, LEFT, NO_KEY)
        QApplication.sendEvent(target, event)
        return event.isAccepted()

    def drop(self, target: QWidget) -> bool:
        event = QDropEvent(self.place, COPY, self.mime, LEFT, NO_KEY)
        QApplication.sendEvent(target, event)
        return event.isAccepted()


def drop(target: QWidget, *files: Path) -> None:
    """Drag files over a widget, and let go."""
    drag = Drag(*files)
    drag.enter(target)
    drag.move(target)
    drag.drop(target)


def files_shown(harness: WindowHarness) -> list[str]:
    return [profile.file for profile in harness.window.frame.panel.profiles]


async def test_a_file_dropped_on_the_window_is_read_and_pinned(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        drag = Drag(DEMO_DATA / "defeitos.xlsx")

        assert drag.enter(window)
        assert window.overlay.isVisible()
        assert window.overlay.rejection == ""
        assert drag.move(window.overlay)
        assert drag.drop(window.overlay)
        assert window.overlay.isHidden()
        await until(lambda: "defeitos.xlsx" in files_shown(harness))

        conversation = window.frame.centre.conversation
        assert conversation is not None
        (pin,) = await harness.program.store.datasets.pinned(conversation.id)
        assert (await harness.program.workspace.profile(pin.dataset_id)).rows == 200
        assert await harness.program.store.messages.latest(conversation.id) == []


async def test_a_refused_kind_is_told_while_it_hovers(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        drag = Drag(Path("C:/films/line.mp4"))

        drag.enter(window)

        assert window.overlay.isVisible()
        assert "mp4" in window.overlay.rejection
        assert not drag.move(window.overlay)
        assert not drag.drop(window.overlay)
        assert window.overlay.isHidden()


async def test_the_overlay_goes_when_the_file_leaves(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        Drag(DEMO_DATA / "defeitos.csv").enter(window)

        QApplication.sendEvent(window.overlay, QDragLeaveEvent())

        assert window.overlay.isHidden()


async def test_dragged_words_are_none_of_the_windows_business(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        drag = Drag()
        drag.mime.setText("just words")

        assert not drag.enter(harness.window)
        assert harness.window.overlay.isHidden()


async def test_a_folder_brings_its_tables_into_one_conversation(
    qapp: QApplication, tmp_path: Path
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.csv").write_text(f"turno,{name}\nmanha,1\n", encoding="utf-8")
    async with opened(qapp) as harness:
        drop(harness.window, folder)
        await until(lambda: {"one.csv", "two.csv"} <= set(files_shown(harness)))

        assert len(await harness.program.store.conversations.listed()) == 1


async def test_a_broken_file_says_so_on_its_chip_and_the_others_come_in(
    qapp: QApplication, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 not a zip after all")
    good = tmp_path / "good.csv"
    good.write_text("a,b\n1,2\n", encoding="utf-8")
    async with opened(qapp) as harness:
        drop(harness.window, broken, good)
        await until(lambda: "good.csv" in files_shown(harness))
        chips = harness.window.frame.centre.page.composer.chips
        (chip,) = [chip for chip in chips if chip.name == "broken.xlsx"]
        await until(lambda: not chip.is_busy)

        assert "broken.xlsx" in chip.status


async def test_a_file_that_failed_is_told_in_its_conversation_alone(
    qapp: QApplication, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 not a zip after all")
    async with opened(qapp) as harness:
        frame = harness.window.frame
        composer = frame.centre.page.composer
        drop(harness.window, broken)
        await until(lambda: any(chip.is_failed for chip in composer.chips))
        asked = frame.centre.conversation
        assert asked is not None

        frame.new_conversation("qualidade")
        elsewhere = composer.chips
        frame.open(asked.id)
        await until(lambda: composer.chips)

        assert elsewhere == ()
        assert composer.chips[0].is_failed


async def test_what_came_in_is_told_in_a_corner_and_can_be_undone(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        frame = harness.window.frame
        toast = frame.banner.toast
        before = frame.splitter.geometry()
        drop(harness.window, DEMO_DATA / "defeitos.xlsx")
        await until(lambda: "defeitos.xlsx" in files_shown(harness))
        await until(lambda: toast.text)
        composer = frame.centre.page.composer
        place = composer.mapTo(frame, QPoint(0, 0))

        assert toast.text == "defeitos.xlsx: 200 rows"
        assert (frame.splitter.geometry(), composer.chips) == (before, ())
        assert not toast.geometry().intersects(QRect(place, composer.size()))
        toast.buttons[1].click()
        await until(lambda: "defeitos.xlsx" not in files_shown(harness))
        assert toast.text == ""


async def test_a_doubt_is_settled_where_the_file_is_told_of(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "leituras.csv"
    rows = "".join(f"p{number};{number}\n" for number in range(40))
    file.write_text(f"peca;valor\n{rows}p40;ver acta\n", encoding="utf-8")
    async with opened(qapp) as harness:
        frame = harness.window.frame
        drop(harness.window, file)
        await until(lambda: frame.centre.page.findChildren(ProfileCard))
        (card,) = frame.centre.page.findChildren(ProfileCard)
        (before,) = [each for each in frame.panel.profiles if each.file == "leituras.csv"]

        card.remedies[0].click()
        await until(lambda: card.profile.id != before.id)

        assert [each.columns[1].type for each in (before, card.profile)] == ["text", "number"]
        assert card.remedies == []
        take_back(harness)
        await until(lambda: card.profile.id == before.id)


async def test_a_chip_can_be_cancelled_while_its_file_is_read(
    qapp: QApplication, tmp_path: Path
) -> None:
    large = tmp_path / "large.csv"
    large.write_text("a,b\n" + "1,2\n" * 400_000, encoding="utf-8")
    async with opened(qapp) as harness:
        drop(harness.window, large)
        await until(lambda: harness.window.frame.centre.page.composer.chips)
        (chip,) = harness.window.frame.centre.page.composer.chips
        await until(lambda: chip.progress is not None)
        conversation = harness.window.frame.centre.conversation
        assert conversation is not None
        chip.click_close()
        await until(lambda: not harness.window.frame.centre.page.composer.chips)

        drop(harness.window, DEMO_DATA / "defeitos.csv")
        panel = harness.window.frame.panel
        await until(lambda: panel.cards and not panel.cards[0].is_log)
        assert len(await harness.program.store.datasets.pinned(conversation.id)) == 1


async def test_who_closes_while_a_file_is_read_is_asked_and_it_is_offered_again(
    qapp: QApplication, tmp_path: Path
) -> None:
    large = tmp_path / "large.csv"
    large.write_text("a,b\n" + "1,2\n" * 400_000, encoding="utf-8")
    async with opened(qapp) as harness:
        files, banner = harness.window.controller.files, harness.window.frame.banner
        assert not files.keeps_open(harness.window.close)
        drop(harness.window, large)
        await until(lambda: any(chip.progress is not None for chip in chips(harness)))
        assert files.keeps_open(harness.window.close)
        asked = banner.text
        banner.remedy_button.click()
        await harness.window.until_closed()
    async with opened(qapp) as harness:
        toast = harness.window.frame.banner.toast
        await until(lambda: toast.text)
        told = toast.text
        toast.buttons[0].click()
        await until(lambda: "large.csv" in files_shown(harness))

        assert asked.startswith("large.csv is still being read.")
        assert told == "large.csv was not read to its end."
        assert len(await harness.program.store.conversations.listed()) == 1
        assert await harness.program.store.settings.state(PENDING) is None


async def test_a_table_pasted_from_a_spreadsheet_becomes_a_data_set(
    qapp: QApplication, home: Path
) -> None:
    async with opened(qapp) as harness:
        QGuiApplication.clipboard().setText("turno\ttotal\nmanhã\t73\ntarde\t68\n")

        harness.window.controller.files.paste()
        await until(lambda: any(name.endswith(".tsv") for name in files_shown(harness)))

        profile = harness.window.frame.panel.profiles[0]
        assert profile.rows == 2
        assert [column.name for column in profile.columns] == ["turno", "total"]
        assert len(list((home / "pasted").glob("*.tsv"))) == 1


async def test_a_file_where_pasted_tables_are_kept_is_said(qapp: QApplication, home: Path) -> None:
    async with opened(qapp) as station:
        (home / "pasted").write_text("mine", encoding="utf-8")
        QGuiApplication.clipboard().setText("turno\ttotal\nmanhã\t73\ntarde\t68\n")

        station.window.controller.files.paste()
        await until(lambda: station.window.frame.banner.text)

        assert str(home / "pasted") in station.window.frame.banner.text
    assert (home / "pasted").read_text(encoding="utf-8") == "mine"


async def test_pasting_words_alone_says_what_can_be_pasted(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        QGuiApplication.clipboard().setText("just words")

        harness.window.controller.files.paste()

        assert "Copy some rows" in harness.window.frame.banner.text


async def test_the_file_dialog_opens_without_holding_up_the_window(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        harness.window.controller.files.choose_files()
        dialog = harness.window.controller.files.dialog
        assert dialog is not None

        dialog.filesSelected.emit([str(DEMO_DATA / "defeitos.csv")])
        dialog.close()

        await until(lambda: harness.window.frame.centre.conversation)
        await until(lambda: "defeitos.csv" in files_shown(harness))


async def test_a_data_set_opens_in_full_and_can_be_taken_out_and_put_back(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        drop(harness.window, DEMO_DATA / "defeitos.xlsx")
        await until(lambda: "defeitos.xlsx" in files_shown(harness))

        preview = panel.preview(panel.profiles[0])
        await until(lambda: preview.is_up_to_date)
        assert "200" in preview.windowTitle()
        preview.close()
        panel.cards[0].removal_requested.emit()
        await until(lambda: "defeitos.xlsx" not in files_shown(harness))
        take_back(harness)

        await until(lambda: "defeitos.xlsx" in files_shown(harness))


async def test_columns_open_by_keyboard_and_are_told_to_a_screen_reader(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        await until(lambda: panel.cards)
        column = panel.cards[0].columns[2]
        folded = column.sizeHint().height()

        column.setFocus()
        column.click()

        assert column.sizeHint().height() > folded
        assert column.accessibleName() == "turno, category"
        assert "manha 73" in column.accessibleDescription()


async def test_a_file_that_is_being_written_can_be_read_again_by_a_press(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "vivo.csv"
    file.write_text("n;turno\n" + "1;manha\n" * 1_000_000, encoding="utf-8")
    is_written = threading.Event()

    def write() -> None:
        moment = 1
        while not is_written.is_set():
            moment += 1
            os.utime(file, ns=(moment, moment))

    writer = threading.Thread(target=write)
    async with opened(qapp) as harness:
        writer.start()
        try:
            drop(harness.window, file)
            await until(lambda: any(not chip.is_busy for chip in chips(harness)))
        finally:
            is_written.set()
            writer.join()
        file.write_text("n;turno\n1;manha\n", encoding="utf-8")
        (chip,) = chips(harness)
        said = chip.status
        chip.retry_button.click()
        is_offered = not chip.retry_button.isHidden()
        await until(lambda: "vivo.csv" in files_shown(harness))

        assert "changed while it was read" in said
        assert not is_offered


def chips(harness: WindowHarness) -> list[FileChip]:
    return harness.window.findChildren(FileChip)
