"""A data set written to a file of the person's choice, with progress and a way out."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qhub_desktop.data.views import View
    from qhub_desktop.data.workspace import Progress, Workspace
    from qhub_desktop.ui.offer_box import Action
    from qhub_desktop.ui.progress_line import ProgressLine

LONG_S = 10.0  # after which whoever has gone to another window is told


class Place(Protocol):
    """Where the progress of an export is shown, and what came of it."""

    def begin(self, words: str) -> ProgressLine:
        """Show that something is under way."""
        ...

    def end(self, line: ProgressLine) -> None:
        """It is over."""
        ...

    def offer(self, words: str, actions: Sequence[Action]) -> object:
        """Say something, with what can be done."""
        ...


class DatasetExport:
    """`place` gives where a data set's progress is shown, while it is shown at all."""

    def __init__(
        self,
        workspace: Callable[[], Workspace],
        *,
        place: Callable[[str], Place | None],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._workspace = workspace
        self._place = place
        self._tasks = tasks
        self._parent = parent
        self.dialog: QFileDialog | None = None

    def ask(self, profile: DatasetProfile, kind: str, view: View | None = None) -> QFileDialog:
        """Open the system's dialog for a file of this kind, "xlsx" or "csv".

        The rows written are those of the view, in its order, or all as they stand.
        """
        names = {"xlsx": _("Excel workbook"), "csv": _("CSV file")}
        stem = Path(profile.file).stem
        if profile.sheet and len(profile.sheets) > 1:
            stem = f"{stem} {profile.sheet}"
        dialog = QFileDialog(self._parent, _("Export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{names[kind]} (*.{kind})")
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{stem}.{kind}")
        dialog.fileSelected.connect(lambda name: self.start(profile, Path(name), view))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        self.dialog = dialog
        return dialog

    def start(
        self, profile: DatasetProfile, target: Path, view: View | None = None
    ) -> asyncio.Task[None]:
        """Begin to write; what goes wrong is said where the data set is."""

        def on_error(error: QHubError) -> None:
            self._say(profile, str(error), ())

        return self._tasks.start(self._write(profile, target, view), on_error=on_error)

    async def _write(self, profile: DatasetProfile, target: Path, view: View | None) -> None:
        words = _("Writing {file}").format(file=target.name)
        place = self._place(profile.id)
        line = place.begin(words) if place else None
        task = asyncio.current_task()
        if line is not None and task is not None:
            line.cancelled.connect(task.cancel)

        def on_progress(progress: Progress) -> None:
            if line is not None and self._place(profile.id) is place:
                line.set_progress(words, progress.share)

        began = asyncio.get_running_loop().time()
        try:
            written = await self._workspace().export(
                profile.id, target, view=view, on_progress=on_progress
            )
        finally:
            if place is not None and line is not None and self._place(profile.id) is place:
                place.end(line)
        self._say(
            profile,
            " ".join((*_said(target, written.rows, profile, view), *written.notes)),
            ((_("Open"), lambda: _open(target)), (_("Folder"), lambda: _open(target.parent))),
        )
        if asyncio.get_running_loop().time() - began > LONG_S:
            QApplication.alert(self._parent.window())

    def _say(self, profile: DatasetProfile, words: str, actions: Sequence[Action]) -> None:
        place = self._place(profile.id)
        if place is not None:
            place.offer(words, actions)


def _said(target: Path, written: int, profile: DatasetProfile, view: View | None) -> Iterator[str]:
    """What was written, and of how many rows and columns where some were left out."""
    if view is None or not view.is_narrow:
        words = ngettext("{count} row", "{count} rows", written)
        counted = words.format(count=number(written, digits=0))
        yield _("{file} was written: {rows}.").format(file=target.name, rows=counted)
    else:
        words = ngettext(
            "Saved {count} of {rows} row as {file}.",
            "Saved {count} of {rows} rows as {file}.",
            profile.rows,
        )
        counted, all_rows = number(written, digits=0), number(profile.rows, digits=0)
        yield words.format(count=counted, rows=all_rows, file=target.name)
    if view is not None and view.columns and (left := len(profile.columns) - len(view.columns)):
        words = ngettext(
            "{count} hidden column was left out.", "{count} hidden columns were left out.", left
        )
        yield words.format(count=number(left, digits=0))


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
