"""Actions on data sets: changes that can be undone, and exports."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import file_name, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qhub_desktop.data.query.view_spec import RowView
    from qhub_desktop.data.workspace import Progress, Workspace
    from qhub_desktop.ui.controls.notices import Action
    from qhub_desktop.ui.controls.progress import ProgressLine


class DatasetChanges:
    """Changes to the data sets of a conversation, each offered for undo.

    `offer_undo` tells of a change with what undoes it; `refresh` shows the conversation again
    after a change.
    """

    def __init__(
        self,
        *,
        datasets: DatasetRepository,
        workspace: Callable[[], Workspace],
        tasks: Tasks,
        offer_undo: Callable[[str, Callable[[], object]], object],
        refresh: Callable[[ConversationId], Awaitable[None]],
    ) -> None:
        self._datasets = datasets
        self._workspace = workspace
        self._tasks = tasks
        self._offer_undo = offer_undo
        self._refresh = refresh

    async def remove(self, conversation: ConversationId, profile: DatasetProfile) -> None:
        """Remove a data set from the conversation."""
        await self._datasets.unpin(conversation, profile.id)
        await self._refresh(conversation)

        async def undo() -> None:
            await self._datasets.pin(conversation, profile.id, profile.dataset)
            await self._refresh(conversation)

        self._offer(_("Taken out: {file}").format(file=profile.file), undo)

    async def set_used(
        self, conversation: ConversationId, profile: DatasetProfile, *, is_used: bool
    ) -> None:
        """Include a data set in questions, or exclude it from them."""
        await self._datasets.set_used(conversation, profile.id, is_used=is_used)
        await self._refresh(conversation)
        if is_used:
            return

        async def undo() -> None:
            await self._datasets.set_used(conversation, profile.id, is_used=True)
            await self._refresh(conversation)

        self._offer(_("Not used: {name}").format(name=profile.sheet or profile.file), undo)

    async def rename(
        self, conversation: ConversationId, profile: DatasetProfile, typed: str
    ) -> None:
        """Rename a data set within the conversation.

        Raises UserError if the name has no letter and no digit.
        """
        from qhub_desktop.data.columns import dataset_name, slug  # not before it is needed

        if not slug(typed):
            raise UserError(_("A name has at least one letter or digit. Type another one."))
        await self._datasets.rename(conversation, profile.id, dataset_name(typed))
        await self._refresh(conversation)

        async def undo() -> None:
            await self._datasets.rename(conversation, profile.id, profile.dataset)
            await self._refresh(conversation)

        self._offer(_("It was called {name}").format(name=profile.dataset), undo)

    async def read_again(
        self,
        conversation: ConversationId,
        profile: DatasetProfile,
        choices: ImportChoices,
        on_progress: Callable[[Progress], None],
    ) -> DatasetProfile:
        """Read the file again under other choices, and replace the data set by the result."""
        made = await self._workspace().read_again(profile.id, choices, on_progress=on_progress)
        await self._replace_with(conversation, profile, made)
        return made

    async def replace(
        self, conversation: ConversationId, old: DatasetProfile, new: DatasetProfile
    ) -> None:
        """Replace a data set by a newer version that is in the same conversation."""

        async def undo() -> None:
            await self._datasets.replace(conversation, new.id, old.id)
            await self._datasets.pin(conversation, new.id, new.dataset)
            await self._refresh(conversation)

        await self._datasets.replace(conversation, old.id, new.id)
        await self._refresh(conversation)
        self._offer(_("Replaced: {file}").format(file=old.file), undo)

    async def append(
        self, conversation: ConversationId, old: DatasetProfile, new: DatasetProfile
    ) -> None:
        """Append the rows that are new to the old data set, and replace both by the result."""
        whole = await self._workspace().append(old.id, new.id)

        async def undo() -> None:
            await self._datasets.replace(conversation, whole.id, old.id)
            await self._datasets.pin(conversation, new.id, new.dataset)
            await self._refresh(conversation)

        await self._datasets.replace(conversation, old.id, whole.id)
        await self._datasets.unpin(conversation, new.id)
        await self._refresh(conversation)
        self._offer(_("Appended to {name}").format(name=old.dataset), undo)

    async def _replace_with(
        self, conversation: ConversationId, old: DatasetProfile, new: DatasetProfile
    ) -> None:
        if old.id == new.id:
            return
        await self._datasets.replace(conversation, old.id, new.id)
        await self._refresh(conversation)

        async def undo() -> None:
            await self._datasets.replace(conversation, new.id, old.id)
            await self._refresh(conversation)

        self._offer(_("Read again: {file}").format(file=new.file), undo)

    def _offer(self, said: str, undo: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._offer_undo(said, lambda: self._tasks.start(undo()))


ALERT_AFTER_S = 10.0  # exports that take longer notify a person in another window


class ExportHost(Protocol):
    """Place where the progress and the result of an export are shown."""

    def begin(self, words: str) -> ProgressLine:
        """Show a progress line."""
        ...

    def end(self, line: ProgressLine) -> None:
        """Remove the progress line."""
        ...

    def offer(self, words: str, actions: Sequence[Action]) -> object:
        """Show a message with actions."""
        ...


class DatasetExport:
    """Exports of data sets to Excel workbooks and CSV files.

    `host` returns where the progress of a data set is shown, or None if it is not on the screen.
    """

    def __init__(
        self,
        workspace: Callable[[], Workspace],
        *,
        host: Callable[[str], ExportHost | None],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._workspace = workspace
        self._host_of = host
        self._tasks = tasks
        self._parent = parent
        self.dialog: QFileDialog | None = None

    def ask(self, profile: DatasetProfile, kind: str, view: RowView | None = None) -> QFileDialog:
        """Open the system's save dialog for a file of this kind: "xlsx", "csv" or "dfq".

        The rows of `view` are exported in its order; without a view, all rows in the file's order.
        """
        names = {"xlsx": _("Excel workbook"), "csv": _("CSV file"), "dfq": _("Q-DAS file")}
        stem = Path(profile.file).stem
        if profile.sheet and len(profile.sheets) > 1:
            stem = f"{stem} {profile.sheet}"
        dialog = QFileDialog(self._parent, _("Export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{names[kind]} (*.{kind})")
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(file_name(stem, f".{kind}"))
        dialog.fileSelected.connect(lambda name: self.start(profile, Path(name), view))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        self.dialog = dialog
        return dialog

    def start(
        self, profile: DatasetProfile, target: Path, view: RowView | None = None
    ) -> asyncio.Task[None]:
        """Start the export; an error is shown where the progress of the data set is."""

        def on_error(error: QHubError) -> None:
            self._show_result(profile, str(error), ())

        return self._tasks.start(self._write(profile, target, view), on_error=on_error)

    async def _write(self, profile: DatasetProfile, target: Path, view: RowView | None) -> None:
        words = _("Writing {file}").format(file=target.name)
        host = self._host_of(profile.id)
        line = host.begin(words) if host else None
        task = asyncio.current_task()
        if line is not None and task is not None:
            line.cancelled.connect(task.cancel)

        def on_progress(progress: Progress) -> None:
            if line is not None and self._host_of(profile.id) is host:
                line.set_progress(words, progress.share)

        began = asyncio.get_running_loop().time()
        try:
            written = await self._workspace().export(
                profile.id, target, view=view, on_progress=on_progress
            )
        finally:
            if host is not None and line is not None and self._host_of(profile.id) is host:
                host.end(line)
        self._show_result(
            profile,
            " ".join((*_result_sentences(target, written.rows, profile, view), *written.notes)),
            ((_("Open"), lambda: _open(target)), (_("Folder"), lambda: _open(target.parent))),
        )
        if asyncio.get_running_loop().time() - began > ALERT_AFTER_S:
            QApplication.alert(self._parent.window())

    def _show_result(self, profile: DatasetProfile, words: str, actions: Sequence[Action]) -> None:
        host = self._host_of(profile.id)
        if host is not None:
            host.offer(words, actions)


def _result_sentences(
    target: Path, written: int, profile: DatasetProfile, view: RowView | None
) -> Iterator[str]:
    """Yield sentences about the exported file, and how many rows and columns it has if not all."""
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
    open_file(path)
