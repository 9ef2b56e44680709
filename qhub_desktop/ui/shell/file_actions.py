"""Files that the person brings into the window, and takes from it."""

from __future__ import annotations  # the page is imported after the first paint

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from qhub_desktop.core.paths import home
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.file_dialogs import open_file_dialog, open_save_dialog
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.file_intake import FileImporter, choose_files
from qhub_desktop.ui.shell.layout import WindowLayout
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.store.conversations import Conversation

KINDS = {".pdf": "PDF", ".md": "Markdown", ".json": "JSON"}  # that a conversation is written as


class FileActions:
    """Imports files into the open conversation; writes and reads conversations as files.

    `frame` returns the layout of the window, which a change of language makes anew.
    """

    def __init__(
        self,
        services: AppServices,
        *,
        frame: Callable[[], WindowLayout],
        tasks: Tasks,
        window: QWidget,
    ) -> None:
        self._services = services
        self._frame = frame
        self._tasks = tasks
        self._window = window
        self._importer: FileImporter | None = None
        self.dialog: QFileDialog | None = None

    def begin(self) -> None:
        """Import into the page, which is loaded by now."""
        frame = self._frame()
        self._importer = FileImporter(
            datasets=self._services.store.datasets,
            workspace=self._services.workspace,
            conversation_datasets=self._services.conversation_datasets,
            tasks=self._tasks,
            home=home(),
            add_chip=frame.centre.page.composer.add_chip,
            conversation=frame.centre.ensure_conversation,
            on_pinned=frame.show_imported,
        )

    def import_files(self, paths: Sequence[Path]) -> None:
        """Import files into the conversation, as if they had been dropped."""
        if self._importer is not None:
            self._importer.import_paths(paths)

    def import_table(self, text: str) -> None:
        """Import tab-separated cells into the conversation, as if they had been pasted."""
        if self._importer is not None:
            self._importer.import_table(text)

    def paste(self) -> None:
        """Import the files or the table on the clipboard."""
        mime = QGuiApplication.clipboard().mimeData()
        if self._importer is not None and not self._importer.import_pasted(mime):
            self._frame().banner.show_error(
                _("There is no table in the clipboard. Copy some rows in Excel, then paste again.")
            )

    def choose_files(self) -> None:
        """Open the file dialog and import the chosen files."""
        self.dialog = choose_files(self._window, self.import_files)

    def open_export_dialog(self, conversation: Conversation, suffix: str) -> QFileDialog:
        """Open the dialog for the file that a conversation is written to."""
        self.dialog = open_save_dialog(
            self._window,
            conversation.title or _("Conversation"),
            kind=KINDS[suffix],
            suffix=suffix,
            on_selected=partial(self._on_export_selected, conversation.id),
        )
        return self.dialog

    def choose_conversation(self) -> None:
        """Open the dialog for a conversation that was exported as JSON."""
        self.dialog = open_file_dialog(
            self._window,
            _("Import a conversation"),
            kind="JSON",
            on_selected=lambda file: self._tasks.start(self._import_conversation(file)),
        )

    def _on_export_selected(self, conversation: str, name: str) -> None:
        self._tasks.start(self._export_conversation(conversation, Path(name)))

    async def _export_conversation(self, id_: str, target: Path) -> None:
        await self._services.conversation_files().export(id_, target)
        self._frame().banner.show_note(_("Saved as {name}.").format(name=target.name))

    async def _import_conversation(self, file: Path) -> None:
        imported = await self._services.conversation_files().import_file(file)
        frame = self._frame()
        await frame.sidebar.refresh()
        frame.open(imported.conversation.id)
        if imported.notice:
            frame.banner.show_note(imported.notice)
