"""A dropped table of defects at the window: recognised, confirmed, added to the log, taken out."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.ui.data_panel.dataset_card import DatasetCard
from qhub_desktop.ui.data_panel.defect_import import DefectMappingDialog
from tests.ui_shell.station import Station, opened
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


def card_of(station: Station, file: str) -> DatasetCard | None:
    cards = station.window.frame.panel.cards
    return next((card for card in cards if card.profile.file == file), None)


def offered(station: Station, words: str) -> bool:
    card = card_of(station, "exportação.csv")
    return card is not None and any(words in box.text for box in card.offers)


async def choose(station: Station, words: str, button: str) -> None:
    """Wait for an offer, and press one of its buttons."""
    await until(lambda: offered(station, words))
    card = card_of(station, "exportação.csv")
    assert card is not None
    (box,) = (box for box in card.offers if words in box.text)
    (pressed,) = (each for each in box.buttons if each.accessibleName() == button)
    pressed.click()


async def count(station: Station) -> int:
    return len((await station.program.store.defects.log()).rows)


async def test_a_foreign_export_is_confirmed_added_and_taken_out_again(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as station:
        panel = station.window.frame.panel
        station.window.controller.import_files([export(tmp_path)])
        await choose(station, "looks like a table of defects", "Check the columns")
        dialog = panel.defects.dialog
        assert isinstance(dialog, DefectMappingDialog)
        await until(lambda: len(dialog.meaning_boxes) == 6)
        zarcao = dialog.meaning_boxes["tipo_defeito", "Zarcão"]
        assert dialog.column_boxes["rack"].currentData() == "Suporte"
        assert zarcao.currentText() == "keep as it is"
        zarcao.setCurrentIndex(zarcao.findData("outros"))
        dialog.confirm_button.click()

        await choose(station, "is a table of defects", "Add to the defects")
        await until(lambda: offered(station, "2 defects added"))
        assert offered(station, "Left out: 1 without a date.")
        assert await count(station) == 202
        assert (await station.program.store.defects.log()).rows[-1][4] == "outros"
        log = card_of(station, "defeitos.csv")
        assert log is not None
        assert log.profile.rows == 202

        await choose(station, "2 defects added", "Undo")
        await until(lambda: offered(station, "is a table of defects"))
        assert await count(station) == 200


async def test_a_mapping_that_lacks_a_date_or_has_a_column_twice_can_not_be_confirmed(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as station:
        station.window.controller.import_files([export(tmp_path)])
        await choose(station, "looks like a table of defects", "Check the columns")
        dialog = station.window.frame.panel.defects.dialog
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
        await until(lambda: offered(station, "looks like a table of defects"))


async def test_an_ordinary_table_is_offered_nothing(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as station:
        file = tmp_path / "vendas.csv"
        file.write_text("Cliente;Valor\nA;1,5\nB;2,5\n", encoding="utf-8")
        station.window.controller.import_files([file])
        await until(lambda: card_of(station, "vendas.csv"))
        await station.window.frame.panel.show_conversation(None)
        await until(lambda: card_of(station, "defeitos.csv"))

        assert all(not card.offers for card in station.window.frame.panel.cards)
