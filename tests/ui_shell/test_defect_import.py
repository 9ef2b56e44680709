"""A dropped table of defects at the window: recognised, confirmed, added to the log, taken out."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.ui.data_panel.dataset_card import DatasetCard
from qhub_desktop.ui.data_panel.defect_import import DefectMappingDialog
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

ROWS = (
    "Dt. Registo;Shift;Colaborador;Cód. Defeito;Suporte",
    "13/03/2026;M;Júlia;Falta Tinta;R10",
    "13/03/2026;T;Carlos;Zarcão;R11",
    ";N;Pedro;Lixo;R12",
)


def export(folder: Path) -> Path:
    file = folder / "exportação.csv"
    file.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return file


def card_of(harness: WindowHarness, file: str) -> DatasetCard | None:
    cards = harness.window.frame.panel.cards
    return next((card for card in cards if card.profile.file == file), None)


def offered(harness: WindowHarness, words: str) -> bool:
    card = card_of(harness, "exportação.csv")
    return card is not None and any(words in box.text for box in card.offers)


async def choose(harness: WindowHarness, words: str, button: str) -> None:
    """Wait for an offer, and press one of its buttons."""
    await until(lambda: offered(harness, words))
    card = card_of(harness, "exportação.csv")
    assert card is not None
    (box,) = (box for box in card.offers if words in box.text)
    (pressed,) = (each for each in box.buttons if each.accessibleName() == button)
    pressed.click()


async def count(harness: WindowHarness) -> int:
    return len((await harness.program.store.defects.log()).rows)


async def test_a_foreign_export_is_confirmed_added_and_taken_out_again(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = harness.window.frame.panel
        harness.window.controller.files.import_files([export(tmp_path)])
        await choose(harness, "looks like a table of defects", "Check the columns")
        dialog = panel.defects.dialog
        assert isinstance(dialog, DefectMappingDialog)
        await until(lambda: len(dialog.meaning_boxes) == 6)
        zarcao = dialog.meaning_boxes["tipo_defeito", "Zarcão"]
        assert dialog.column_boxes["rack"].currentData() == "Suporte"
        assert zarcao.currentText() == "keep as it is"
        zarcao.setCurrentIndex(zarcao.findData("outros"))
        dialog.confirm_button.click()

        await choose(harness, "is a table of defects", "Add to the defect log")
        await until(lambda: offered(harness, "2 defects added"))
        assert offered(harness, "Left out: 1 without a date.")
        assert await count(harness) == 202
        assert (await harness.program.store.defects.log()).rows[-1][4] == "outros"
        log = card_of(harness, "defeitos.csv")
        assert log is not None
        assert log.profile.rows == 202

        await choose(harness, "2 defects added", "Undo")
        await until(lambda: offered(harness, "is a table of defects"))
        assert await count(harness) == 200


async def test_a_mapping_that_lacks_a_date_or_has_a_column_twice_can_not_be_confirmed(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        harness.window.controller.files.import_files([export(tmp_path)])
        await choose(harness, "looks like a table of defects", "Check the columns")
        dialog = harness.window.frame.panel.defects.dialog
        assert dialog is not None

        day = dialog.column_boxes["data"]
        day.setCurrentIndex(0)
        assert not dialog.confirm_button.isEnabled()
        day.setCurrentIndex(day.findData("Dt. Registo"))
        assert dialog.confirm_button.isEnabled()
        rack = dialog.column_boxes["rack"]
        rack.setCurrentIndex(rack.findData("Shift"))
        assert not dialog.confirm_button.isEnabled()

        dialog.cancel_button.click()
        await until(lambda: offered(harness, "looks like a table of defects"))


async def test_an_ordinary_table_is_offered_nothing(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        file = tmp_path / "vendas.csv"
        file.write_text("Cliente;Valor\nA;1,5\nB;2,5\n", encoding="utf-8")
        harness.window.controller.files.import_files([file])
        await until(lambda: card_of(harness, "vendas.csv"))
        await harness.window.frame.panel.show_conversation(None)
        await until(lambda: card_of(harness, "defeitos.csv"))

        assert all(not card.offers for card in harness.window.frame.panel.cards)
