"""The panel of a study: as a file suggests it, a fault at its control, the chips on a card."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.study import AskedStudy
from qhub_desktop.ui.charts.study_card import StudyView
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.study_window import StudyWindow
from tests.gallery.methods import WrittenRows, gauge, lots, thickness
from tests.gallery.shell import opened
from tests.program import passing_folder
from tests.waiting import until


async def with_file(rows: WrittenRows, *, is_operator_mode: bool = False) -> MainWindow:
    """A window whose conversation has a file of these rows."""
    window = await opened(is_operator_mode=is_operator_mode)
    head, lines = rows()
    file = passing_folder() / f"{rows.__name__}.csv"
    file.write_text("\n".join((head, *lines)), encoding="utf-8")
    window.controller.files.import_files([file])
    panel = window.frame.panel
    await until(lambda: file.name in [each.file for each in panel.profiles], "the file")
    return window


async def panel(
    rows: WrittenRows,
    method: str = "",
    given: JsonObject | None = None,
    *,
    is_operator_mode: bool = False,
) -> StudyWindow:
    """The panel over a file, with the study that it suggests, or one that is given."""
    window = await with_file(rows, is_operator_mode=is_operator_mode)
    form = window.controller.windows.open_statistics()
    form.resize(1280, 760)
    made: list[object] = []
    form.made.connect(made.append)
    await until(lambda: made, "the study")
    if method:
        made.clear()
        await form.begin(AskedStudy(method, given))
        await until(lambda: made or form.is_stale, "the other study")
    return form


async def wrong() -> StudyWindow:
    """Limits that are upside down, and a tile of a condition."""
    given: JsonObject = {
        "coluna": "espessura_um",
        "onde": "turno <> 'noite'",
        "lie": 108,
        "lse": 92,
    }
    return await panel(thickness, "capacidade", given)


async def narrow() -> StudyWindow:
    """In a window as narrow as may be."""
    form = await panel(lots)
    form.resize(640, 760)
    return form


async def on_card(*, is_operator_mode: bool = False) -> QWidget:
    """A study that was put into the conversation: what it was given, and the way back."""
    window = await with_file(thickness, is_operator_mode=is_operator_mode)
    given: JsonObject = {"coluna": "espessura_um", "subgrupo": "lote", "lie": 85, "lse": 115}
    await window.frame.centre.keep_study(
        window.frame.centre.conversation.id,  # type: ignore[union-attr]
        "capacidade",
        given,
    )
    await until(lambda: window.findChildren(StudyView), "the card")
    (view,) = window.findChildren(StudyView)
    shown = window.frame.centre.page.view
    assert shown is not None
    shown.transcript.ensureWidgetVisible(view.verdict)
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "gauge": lambda: panel(gauge),
    "chart": lambda: panel(thickness),
    "operators": lambda: panel(thickness, is_operator_mode=True),
    "wrong": wrong,
    "narrow": narrow,
    "on_card": on_card,
    "operators_on_card": lambda: on_card(is_operator_mode=True),
}
