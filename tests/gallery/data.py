"""The data panel and the import report: many files, many sheets, and everything to be said."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.paths import home
from qhub_desktop.ui.dataset_card import DatasetCard
from qhub_desktop.ui.importing.report_window import OnProgress, Reading, ReportWindow
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette
from tests.gallery import _imports
from tests.gallery.shell import opened
from tests.ui_shell.station import until


async def _head(_profile: DatasetProfile) -> Sequence[Sequence[str]]:
    return _imports.HEAD


async def _read_again(
    profile: DatasetProfile, _choices: ImportChoices, _tell: OnProgress
) -> DatasetProfile:
    return profile


def _show(error: QHubError) -> None:
    raise error


def report(palette: Palette) -> ReportWindow:
    """A report with everything in it."""
    profile = _imports.profile()
    assert profile.report is not None
    return ReportWindow(
        profile,
        profile.report,
        Reading(head=_head, read_again=_read_again, sheets=lambda each: [each]),
        tasks=Tasks(_show),
        palette=palette,
        parent=None,
    )


async def panel(palette: Palette) -> QWidget:
    """A workbook of several sheets, a messy export, and its newer version."""
    window = await opened(palette)
    folder = home() / "exports"
    await asyncio.to_thread(_imports.write_files, folder)
    shown = window.frame.panel
    window.interior.take_files([folder / "producao_semana_09.xlsx"])
    await until(lambda: len(shown.profiles) > 3)
    window.interior.take_files([folder / "medicoes_2026-02.csv"])
    await until(lambda: any(each.file.startswith("medicoes") for each in shown.profiles))
    card = shown.cards[0]
    card.columns[2].setChecked(True)
    shown.cards[2].unused.emit()
    await until(lambda: shown.unused)
    return window


def offers(palette: Palette) -> QWidget:
    """What a card offers, and what is under way with it."""
    card = DatasetCard(_imports.profile(), palette, part="file", is_open=True)
    card.offer(
        "A newer version of defeitos. 1 204 rows are new, 12 are gone, 11 191 are the same.",
        [("Replace", str), ("Append", str), ("Keep both", str)],
    )
    card.offer(
        "This looks like a table of defects.",
        [("Add to the defects", str), ("Confirm columns", str)],
    )
    card.begin("Writing defeitos.xlsx").set_progress("Writing defeitos.xlsx", 0.4)
    for place in (4, 6):
        card.columns[place].setChecked(True)
    page = QFrame()
    page.setProperty("kind", "panel")
    column = QVBoxLayout(page)
    column.addWidget(card)
    column.addStretch(1)
    page.resize(310, 860)
    return page


SCENES: dict[str, Callable[[Palette], QWidget | Awaitable[QWidget]]] = {
    "report": report,
    "panel": panel,
    "offers": offers,
}
