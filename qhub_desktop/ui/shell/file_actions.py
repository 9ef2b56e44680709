"""Files that the person brings into the window, and takes from it."""

from __future__ import annotations  # the page is imported after the first paint

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.documents import Document
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.paths import home
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.store.settings import NEW_DRAFT
from qhub_desktop.ui.controls.file_dialogs import open_file_dialog, open_save_dialog
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.file_intake import FileImporter, choose_files
from qhub_desktop.ui.shell.layout import WindowLayout
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.store.conversations import Conversation

KINDS = {".pdf": "PDF", ".md": "Markdown", ".json": "JSON"}  # that a conversation is written as
PENDING = f"{NEW_DRAFT}files"  # key of the files that are being read, and of their conversation


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
            keep_documents=frame.documents.keep,
            tell=frame.banner.toast.tell,
            open_=self._open,
            on_undone=frame.panel.refresh,
            keep_pending=self._keep_pending,
        )
        frame.banner.toast.keep_clear_of(frame.centre.page.composer)
        frame.banner.toast.stand_on(frame.side, frame.sidebar)

    def keeps_open(self, close: Callable[[], object]) -> bool:
        """Return whether files are still being read; if so, ask whether to `close` all the same."""
        pending = self._importer.pending if self._importer is not None else ()
        if pending:
            words = ngettext(
                "{file} is still being read. If you close now, it is offered again at the next"
                " start.",
                "{count} files are still being read. If you close now, they are offered again at"
                " the next start.",
                len(pending),
            )
            said = words.format(file=pending[0].name, count=len(pending))
            self._frame().banner.show_error(said, Remedy(_("Close now"), close))
        return bool(pending)

    async def offer_pending(self) -> None:
        """Offer what was not read to its end when the program ended."""
        states = self._services.store.settings
        kept = await states.state(PENDING)
        if not isinstance(kept, dict):
            return
        await states.save_state(PENDING, None)
        paths = [Path(each) for each in cast("list[str]", kept["paths"])]
        conversation = ConversationId(str(kept["conversation"]))
        words = ngettext(
            "{file} was not read to its end.",
            "{count} files were not read to their end.",
            len(paths),
        )

        def read() -> None:
            self._tasks.start(self._read_pending(conversation, paths))

        self._frame().banner.toast.tell(
            words.format(file=paths[0].name, count=len(paths)),
            Remedy(_("Read now"), read),
            stays=True,
        )

    async def _read_pending(self, conversation: ConversationId, paths: Sequence[Path]) -> None:
        if conversation:
            with contextlib.suppress(UserError):  # it is gone: they come into the one that is open
                await self._frame().centre.open(conversation)
        self.import_files(paths)

    def _keep_pending(self, paths: Sequence[Path], conversation: ConversationId | None) -> None:
        kept: Json = {"paths": [str(each) for each in paths], "conversation": conversation or ""}
        states = self._services.store.settings
        self._tasks.start(states.save_state(PENDING, kept if paths else None))

    def _open(self, imported: DatasetProfile | Document) -> None:
        if isinstance(imported, Document):
            self._frame().documents.opened.emit(imported)
        else:
            self._frame().panel.preview(imported)

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

    def _on_export_selected(self, conversation: ConversationId, name: str) -> None:
        self._tasks.start(self._export_conversation(conversation, Path(name)))

    async def _export_conversation(self, id_: ConversationId, target: Path) -> None:
        await self._services.conversation_files().export(id_, target)
        self._frame().banner.toast.tell(
            _("Saved as {name}.").format(name=target.name),
            Remedy(_("Open"), partial(open_file, target)),
        )

    async def _import_conversation(self, file: Path) -> None:
        imported = await self._services.conversation_files().import_file(file)
        frame = self._frame()
        await frame.sidebar.refresh()
        frame.open(imported.conversation.id)
        if imported.notice:
            frame.banner.show_note(imported.notice)
