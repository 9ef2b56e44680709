"""The windows that stand beside the program's: all rows of a data set, and how it was read."""

from __future__ import annotations  # the workspace is imported after the first paint

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.ui.dataset_changes import DatasetChanges
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Painted, Palette

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.ui.importing.report_window import ReportWindow
    from qhub_desktop.ui.table_window.window import TableWindow


class DataWindows(QObject):
    """Knows those that are open. `shown` gives the data sets of the conversation.

    Signals:
        export_wanted: a profile, the kind of file that its rows are to be written to, and the view
            of them.
    """

    export_wanted = Signal(object, str, object)

    def __init__(
        self,
        *,
        workspace: Callable[[], Workspace],
        changes: DatasetChanges,
        shown: Callable[[], Sequence[DatasetProfile]],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._changes = changes
        self._shown = shown
        self._tasks = tasks
        self._parent = parent
        self.previews: list[TableWindow] = []
        self.reports: list[ReportWindow] = []

    def preview(self, profile: DatasetProfile, palette: Palette) -> TableWindow:
        """Open all its rows."""
        from qhub_desktop.ui.table_window.window import TableWindow  # not before the first paint

        window = TableWindow(
            profile,
            workspace=self._workspace(),
            tasks=self._tasks,
            palette=palette,
            parent=self._parent,
        )
        self.previews.append(window)
        window.export_wanted.connect(self.export_wanted)
        window.destroyed.connect(lambda: self.previews.remove(window))
        window.show()
        return window

    def report(
        self, conversation: str, profile: DatasetProfile, palette: Palette
    ) -> ReportWindow | None:
        """Open how it was read, or bring it to the front; nothing where nobody knows."""
        if profile.report is None:
            return None
        from qhub_desktop.ui.importing.report_window import Reading, ReportWindow

        for window in self.reports:
            if window.profile.id == profile.id:
                window.raise_()
                window.activateWindow()
                return window
        window = ReportWindow(
            profile,
            profile.report,
            Reading(
                head=lambda each: self._workspace().head(each.id),
                read_again=lambda each, choices, tell: self._changes.read_again(
                    conversation, each, choices, tell
                ),
                sheets=self._of_the_same_file,
            ),
            tasks=self._tasks,
            palette=palette,
            parent=self._parent,
        )
        self.reports.append(window)
        window.destroyed.connect(lambda: self.reports.remove(window))
        window.show()
        return window

    def follow(self) -> None:
        """Let a report go on with the data set that took the place of the one it shows."""
        shown = self._shown()
        for window in self.reports:
            before = window.profile
            if any(each.id == before.id for each in shown):
                continue
            for each in shown:
                if (each.sha256, each.sheet) == (before.sha256, before.sheet) and each.report:
                    window.show_profile(each, each.report)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        painted: list[Painted] = [*self.previews, *self.reports]
        for each in painted:
            each.set_palette(palette)

    def _of_the_same_file(self, profile: DatasetProfile) -> list[DatasetProfile]:
        return [each for each in self._shown() if each.sha256 == profile.sha256]
