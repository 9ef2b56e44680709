"""Answers on their way into files: a card saved as a workbook, a workbook that an answer made."""

import asyncio
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from qhub_desktop.core.message import Text
from qhub_desktop.core.paths import exports
from qhub_desktop.store.audit_repository import AuditEntry, AuditRepository
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.artifact import ArtifactCard
from qhub_desktop.ui.chat.tool_line import FileLink, ToolLine, result_file
from tests.foundation.scratch import SOURCE
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

COPYING = """
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from qhub_desktop.ui.controls.saving import put_on_clipboard

application = QApplication([])
for text in ("first", "second"):
    data = QMimeData()
    data.setText(text)
    data.setHtml(f"<b>{text}</b>")
    put_on_clipboard(data)
assert QGuiApplication.clipboard().mimeData().hasHtml()
"""
OTHERS = "QGuiApplication.clipboard().setText('of another')"


@pytest.mark.parametrize("then", ["", OTHERS, "del data", "del application"])
def test_a_program_that_has_copied_ends_well(then: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"{COPYING}\n{then}"], check=False)

    assert done.returncode == 0


async def card_of(harness: WindowHarness) -> WidgetCard:
    """The card of a chart that the program's own engine has drawn."""
    page = harness.window.frame.centre.page
    page.ask("top 5 defects in a chart")
    await until(lambda: page.findChildren(WidgetCard) and not page.running_conversations)
    return page.findChildren(WidgetCard)[0]


def choose(card: WidgetCard, file: Path, action: str = "Save as Excel…") -> None:
    """Pick an action, and answer with this file."""
    next(each for each in card.menu.actions() if each.text() == action).trigger()
    dialog = card.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(file))
    dialog.close()


def words_on(card: WidgetCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if not label.isHidden()]


async def test_a_card_is_saved_as_a_workbook_with_its_chart(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        card = await card_of(harness)

        choose(card, tmp_path / "top.xlsx")
        await until(lambda: "Saved as top.xlsx." in words_on(card))

    (sheet,) = openpyxl.load_workbook(tmp_path / "top.xlsx").worksheets
    assert len(vars(sheet)["_charts"]) == 1
    assert ("lixo", 62) in [row[:2] for row in sheet.iter_rows(values_only=True)]


async def test_what_can_not_be_saved_is_said_on_its_card(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        card = await card_of(harness)

        choose(card, tmp_path / "nowhere" / "top.xlsx")
        await until(lambda: any("is not there" in words for words in words_on(card)))


async def test_a_card_that_has_gone_meanwhile_is_told_nothing(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        card = await card_of(harness)

        choose(card, tmp_path / "top.xlsx")
        harness.window.frame.centre.new_conversation()
        card.deleteLater()
        await until((tmp_path / "top.xlsx").exists)


def test_a_call_that_made_a_file_offers_to_open_it(qapp: QApplication) -> None:
    line = ToolLine("exportar_excel", {})
    line.finish({"estado": "gravado", "ficheiro": "Top 5.xlsx"}, ms=80)

    made = line.findChild(FileLink)
    assert made is not None
    assert made.open_button.text() == "Open Top 5.xlsx"
    made.open_button.click()
    assert made.error_text == "It is no longer there."
    line.deleteLater()


def test_only_files_of_our_own_folder_and_kind_are_ever_opened() -> None:
    made = result_file({"estado": "gravado", "ficheiro": "a.xlsx"})

    assert made == exports() / "a.xlsx"
    for name in ("../a.xlsx", "/etc/a.xlsx", "C:\\a.xlsx", "a.exe", "a.xlsx/../../b.xlsx"):
        found = result_file({"estado": "gravado", "ficheiro": name})
        assert found is None or found.parent == exports()
    assert result_file({"estado": "gravado", "ficheiro": "a.exe"}) is None
    assert result_file({"ficheiro": "a.xlsx"}) is None
    assert result_file({"erro": "não"}) is None


def test_all_that_is_made_of_several_forms_goes_through_one_function() -> None:
    modules = {
        module.name
        for module in (SOURCE / "qhub_desktop" / "ui").rglob("*.py")
        if "setMimeData(" in module.read_text(encoding="utf-8")
    }

    assert modules == {"saving.py"}


async def exported(audit: AuditRepository) -> list[AuditEntry]:
    """The exports in the log, the oldest first."""
    await asyncio.sleep(0)  # what was begun has asked the store by then, which keeps the order
    return [*reversed(await audit.listed(action="export"))]


async def test_what_is_saved_of_a_card_stands_in_the_log(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        card, audit = await card_of(harness), harness.program.store.audit
        kinds = {".png": "Save as PNG…", ".svg": "Save as SVG…", ".csv": "Save as CSV…"}
        for suffix, action in kinds.items():
            choose(card, tmp_path / f"turnos{suffix}", action)
        choose(card, tmp_path / "no folder" / "turnos.png", "Save as PNG…")

        told = await exported(audit)
        assert [each.subject for each in told] == [f"turnos{suffix}" for suffix in kinds]
        assert {each.detail["rows"] for each in told} == {5}
        assert told[0].detail["file"] == str(tmp_path / "turnos.png")


async def test_a_page_that_is_saved_stands_in_the_log(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        page, store = harness.window.frame.centre.page, harness.program.store
        talk = await store.conversations.create("analise")
        answer = await store.messages.add(talk.id, "assistant")
        drawing = "```svg\n<svg xmlns='http://www.w3.org/2000/svg'><title>Linha</title></svg>\n```"
        await store.messages.put_block(answer.id, 0, Text(drawing))
        await store.messages.end(answer.id, "complete", engine="claude")
        harness.window.frame.open(talk.id)
        await until(lambda: page.findChildren(ArtifactCard))
        page.findChildren(ArtifactCard)[0]._write_svg(str(tmp_path / "linha.svg"))

        (told,) = await exported(store.audit)
        assert (told.subject, told.detail["rows"]) == ("linha.svg", 0)
