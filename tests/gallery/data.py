"""The data panel and the import report: many files, many sheets, and everything to be said."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.paths import home
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.attachments import PasswordField
from qhub_desktop.ui.data_panel.dataset_card import DatasetCard
from qhub_desktop.ui.importing.receipt import ReceiptView
from qhub_desktop.ui.importing.report_window import OnProgress, ReportActions, ReportWindow
from qhub_desktop.ui.tasks import Tasks
from tests.gallery import _imports
from tests.gallery.shell import opened
from tests.waiting import until


async def _head(_profile: DatasetProfile) -> Sequence[Sequence[str]]:
    return _imports.HEAD


async def _read_again(
    profile: DatasetProfile, _choices: ImportChoices, _tell: OnProgress
) -> DatasetProfile:
    return profile


def _show(error: QHubError) -> None:
    raise error


def report() -> ReportWindow:
    """A report with everything in it."""
    profile = _imports.profile()
    assert profile.report is not None
    return ReportWindow(
        profile,
        profile.report,
        ReportActions(head=_head, read_again=_read_again, sheets=lambda each: [each]),
        tasks=Tasks(_show),
        parent=None,
    )


async def panel() -> QWidget:
    """A workbook of several sheets, a messy export, and its newer version."""
    window = await opened()
    folder = home() / "exports"
    await asyncio.to_thread(_imports.write_files, folder)
    shown = window.frame.panel
    window.controller.files.import_files([folder / "producao_semana_09.xlsx"])
    await until(lambda: len(shown.profiles) > 3)
    window.controller.files.import_files([folder / "medicoes_2026-02.csv"])
    await until(lambda: any(each.file.startswith("medicoes") for each in shown.profiles))
    card = shown.cards[0]
    card.columns[2].setChecked(True)
    shown.cards[2].exclude_requested.emit()
    await until(lambda: shown.unused)
    return window


def offers() -> QWidget:
    """What a card offers, and what is under way with it."""
    card = DatasetCard(_imports.profile(), part="file", is_open=True)
    card.offer(
        "A newer version of defeitos. 1 204 rows are new, 12 are gone, 11 191 are the same.",
        [("Replace", str), ("Append", str), ("Keep both", str)],
    )
    card.offer(
        "This looks like a table of defects.",
        [("Add to the defect log", str), ("Confirm columns", str)],
    )
    card.begin("Writing defeitos.xlsx").set_progress("Writing defeitos.xlsx", 0.4)
    for place in (4, 6):
        card.columns[place].setChecked(True)
    page = QFrame()
    page.setProperty("kind", "panel")
    column = QVBoxLayout(page)
    column.addWidget(card)
    column.addStretch(1)
    page.resize(310, 1080)
    return page


def receipt() -> QWidget:
    """The whole receipt, as the copied report has it."""
    shown = _imports.profile()
    assert shown.report is not None
    view = ReceiptView()
    view.show_report(shown, shown.report)
    view.resize(376, 1150)
    return view


async def choices() -> ReportWindow:
    """Another header, and a type of one's own, in one sheet of several."""
    window = report()
    shown = _imports.profile(sheet="Defeitos", sheets=("Capa", "Defeitos", "Notas"))
    assert shown.report is not None
    window.show_profile(shown, shown.report)
    await until(window.head.head_model.rowCount)
    window.head.head_model.set_type(5, "number")
    window.head.types_chosen.emit()
    window.choices.choose_header(4)
    return window


async def password() -> QWidget:
    """A protected workbook asks for its password, and another was refused."""
    window = await opened()
    file = home() / "exports" / "turnos.xlsx"
    await asyncio.to_thread(_imports.write_protected, file, "segredo")
    window.controller.files.import_files([file])
    chips = window.frame.centre.page.composer
    await until(lambda: chips.chips and chips.chips[0].findChildren(PasswordField))
    (field,) = chips.chips[0].findChildren(PasswordField)
    first = chips.chips[0].status
    field.line_edit.setText("outro")
    field.line_edit.returnPressed.emit()
    await until(lambda: chips.chips[0].status not in (first, _("Reading…")))
    await until(
        lambda: any(not each.isHidden() for each in chips.chips[0].findChildren(PasswordField))
    )
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "report": report,
    "panel": panel,
    "offers": offers,
    "receipt": receipt,
    "choices": choices,
    "password": password,
}
