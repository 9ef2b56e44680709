"""The data panel and the import report: many files, many sheets, and everything to be said."""

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import QHubError
from qhub_desktop.ui.importing.report_window import OnProgress, Reading, ReportWindow
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette
from tests.gallery import _imports


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


SCENES: dict[str, Callable[[Palette], QWidget | Awaitable[QWidget]]] = {"report": report}
