"""Panel of the plant's documents: listed, searched, added; how far they are read."""

from __future__ import annotations  # the service is imported after the first paint

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QFileSystemWatcher, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QMenu,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.documents import Citation, Document, DocumentHit
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import fold, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconButton, IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.plain_text import add_action
from qhub_desktop.ui.controls.popup import SearchBox, make_menu
from qhub_desktop.ui.controls.progress import ProgressLine
from qhub_desktop.ui.documents.dialogs import DocumentPasswordDialog, FactsDialog
from qhub_desktop.ui.documents.list_view import (
    DocumentList,
    DocumentModel,
    DocumentRow,
    HitRow,
    Row,
)
from qhub_desktop.ui.gui_thread import import_in_turn
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.tools.document_indexing import IndexingProgress
    from qhub_desktop.tools.document_service import DocumentService

KINDS = (
    *(".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".eml", ".msg", ".txt", ".md", ".html"),
    *(".png", ".jpg", ".tif"),
)
OLD_KINDS = {".doc": ".docx", ".ppt": ".pptx"}
SHOWN_HITS = 20
# Of the viewer, in the order in which they import each other: together they hold the window up.
VIEWER_MODULES = (
    *("difflib", "PySide6.QtPdf", "qhub_desktop.knowledge.quotations"),
    *("qhub_desktop.ui.chat.attachments", "qhub_desktop.ui.chat.find"),
    *("qhub_desktop.ui.documents.pages", "qhub_desktop.ui.documents.page_view"),
    *("qhub_desktop.ui.documents.text_view", "qhub_desktop.ui.documents.viewer"),
)
_SEARCH_AFTER_S = 0.35
_TELL_AFTER_MS = 400  # between two looks at what was read, while much is
_LEAST_LETTERS = 3  # that passages are searched by


class DocumentPanel(QFrame):
    """Panel of all documents that the person may read.

    Signals:
        opened: a Document to be shown.
        hits_opened: Citations to be shown, and the index of the first.
        settings_requested: collections and watched folders are to be shown.
    """

    opened = Signal(object)
    hits_opened = Signal(object, int)
    settings_requested = Signal()

    def __init__(
        self, documents: Callable[[], DocumentService], *, can_keep: bool, tasks: Tasks
    ) -> None:
        """`can_keep` says whether the person may add and change documents."""
        super().__init__()
        self.setProperty("kind", "panel")
        self._make = documents
        self._service: DocumentService | None = None
        self._can_keep = can_keep
        self._tasks = tasks
        self._documents: Sequence[Document] = ()
        self._hits: Sequence[DocumentHit] = ()
        self._searched = ""
        self._progress: IndexingProgress | None = None
        self._refreshing = LatestTask(tasks)
        self._searching = LatestTask(tasks)
        self.banner = Banner()
        self._work = WidgetTasks(self, tasks, self._on_error)
        self.file_dialog: QFileDialog | None = None
        self.facts_dialog: FactsDialog | None = None
        self.password_dialog: DocumentPasswordDialog | None = None
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_folder_changed)
        self._telling = QTimer(self, interval=_TELL_AFTER_MS, singleShot=True)
        self._telling.timeout.connect(self.refresh)
        self.model = DocumentModel()
        self.list = DocumentList(self.model)
        self.list.opened.connect(self._on_opened)
        self.list.menu_requested.connect(self.open_menu)
        self.list.removal_requested.connect(self._ask_removal)
        self.search_box = SearchBox(_("Search the documents"))
        self.search_box.setPlaceholderText(_("Search the documents"))
        self.search_box.textChanged.connect(self._on_typed)
        self.search_box.down_pressed.connect(self.list.setFocus)
        self._lay_out()
        for task in (self._refreshing, self._searching):
            self.destroyed.connect(task.cancel)

    @property
    def can_keep(self) -> bool:
        """Whether the person may add and change documents."""
        return self._can_keep

    @property
    def documents(self) -> Sequence[Document]:
        """The documents, as listed."""
        return self._documents

    @property
    def service(self) -> DocumentService:
        """The service; only after `begin`."""
        assert self._service is not None, "it comes after the first paint"
        return self._service

    def begin(self) -> None:
        """List the documents, and read them in the background as long as the panel is there."""
        cancel_with(self, self._tasks.start(self._begin()))

    def refresh(self) -> None:
        """List the documents anew."""
        if self._service is not None:
            self._refreshing.start(self._refresh())

    def add(self, paths: Sequence[Path]) -> None:
        """Add files, and those of folders, as documents."""
        self._work.start_kept(self.keep(paths))

    async def keep(self, paths: Sequence[Path], password: str | None = None) -> list[Document]:
        """Add files as documents, and return these. Raises UserError for the first refused one."""
        added: list[Document] = []
        refused: list[str] = []
        for path in paths:
            if newer := OLD_KINDS.get(path.suffix.lower()):
                refused.append(
                    _("{file}: save it as {suffix}, and add that file.").format(
                        file=path.name, suffix=newer
                    )
                )
                continue
            try:
                added += await self.service.add([path], password=password)
            except UserError as error:
                refused.append(str(error))
            self._telling.start()
        if refused:
            rest = len(refused) - 1
            more = ngettext("{count} more was refused.", "{count} more were refused.", rest)
            raise UserError(refused[0] + (f" {more.format(count=rest)}" if rest else ""))
        return added

    def choose(self) -> QFileDialog:
        """Open the dialog for files to add."""
        dialog = QFileDialog(self, _("Add documents"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        kinds = " ".join(f"*{suffix}" for suffix in KINDS)
        words, everything = _("Documents"), _("All files")
        dialog.setNameFilters([f"{words} ({kinds})", f"{everything} (*)"])
        dialog.filesSelected.connect(lambda names: self.add([Path(name) for name in names]))
        dialog.open()
        self.file_dialog = dialog
        return dialog

    def open_menu(self, document: Document, place: QPoint) -> QMenu:
        """Open the menu of a document."""
        menu = make_menu(self)
        add_action(menu, _("Open"), lambda: self.opened.emit(document))
        if self._can_keep:
            add_action(menu, _("Code, revision and collection…"), lambda: self.edit(document))
            if document.state == "failed" and document.path:
                paths = [Path(document.path)]
                add_action(menu, _("Read it again"), lambda: self.add(paths))
                add_action(menu, _("Type its password…"), lambda: self.ask_password(document))
            else:
                add_action(
                    menu,
                    _("Read it again"),
                    lambda: self._work.start_kept(self._read_again(document)),
                )
            menu.addSeparator()
            add_action(menu, _("Remove…"), lambda: self._ask_removal(document))
        menu.popup(place)
        return menu

    def ask_password(self, document: Document) -> DocumentPasswordDialog:
        """Open the dialog for the password of a document, which is then read again."""
        dialog = DocumentPasswordDialog(
            document,
            lambda word: self.keep([Path(document.path)], word),
            tasks=self._tasks,
            owner=self.window(),
        )
        dialog.show()
        self.password_dialog = dialog
        return dialog

    def edit(self, document: Document) -> FactsDialog:
        """Open the dialog of what is known of a document."""
        dialog = FactsDialog(document, self.service, tasks=self._tasks, owner=self.window())
        dialog.saved.connect(self.refresh)
        dialog.show()
        self.facts_dialog = dialog
        return dialog

    # Work

    async def _begin(self) -> None:
        imports = Worker("imports")
        try:
            self._service = await imports.run(self._make)
        finally:
            imports.close()
        service = self._service
        service.indexing.listeners.append(self._on_progress)
        self.destroyed.connect(lambda _gone: service.indexing.listeners.clear())
        await self._refresh()
        await service.run()

    async def _refresh(self) -> None:
        found = await self.service.documents()
        folders = await self.service.watched()
        self._documents = found
        self._show_rows()
        words = ngettext("{count} watched folder", "{count} watched folders", len(folders))
        self.folders_button.set_caption(
            words.format(count=len(folders)) if folders else _("Collections and folders…")
        )
        watched = [folder.path for folder in folders if Path(folder.path).drive[:2] != "\\\\"]
        known = self._watcher.directories()
        if gone := [each for each in known if each not in watched]:
            self._watcher.removePaths(gone)
        if new := [each for each in watched if each not in known]:
            await asyncio.sleep(0)
            self._watcher.addPaths(new)
        if self.isVisible():  # whoever sees documents may open one
            await load_viewer()

    @override
    def event(self, event: QEvent) -> bool:
        """List the documents anew on coming into sight: another program may have changed some."""
        is_seen = event.type() == QEvent.Type.WindowActivate and self.isVisible()
        if is_seen or event.type() == QEvent.Type.Show:
            self.refresh()
        return super().event(event)

    def _on_folder_changed(self) -> None:
        if self._service is not None:
            self._service.folders.wake()

    def _on_progress(self, progress: IndexingProgress) -> None:
        if not isValid(self):
            return
        before, self._progress = self._progress, progress
        self._show_progress(progress)
        if before is None or (before.reading, before.waiting) != (
            progress.reading,
            progress.waiting,
        ):
            if not self._telling.isActive():
                self._telling.start()
        elif progress.is_done and not before.is_done:
            self._telling.start()

    def _show_progress(self, progress: IndexingProgress) -> None:
        words, share = _progress_text(progress), progress.share
        if words and not progress.reading and progress.passages:
            share = progress.embedded / progress.passages
        self.progress_line.setHidden(not words)
        self.progress_line.set_progress(words, share)
        is_paused = progress.pause == "person"
        self.pause_button.setHidden(not words or bool(progress.reading))
        self.pause_button.set_icon("play" if is_paused else "pause")
        self.pause_button.set_tooltip(_("Go on") if is_paused else _("Pause"))
        self.progress_box.setHidden(not words)

    def _on_pause_clicked(self) -> None:
        is_paused = self._progress is not None and self._progress.pause == "person"
        self._work.start_kept(self.service.indexing.pause(is_paused=not is_paused))

    def _ask_removal(self, document: Document) -> None:
        if self._can_keep:
            self._removed = document
            self.question_label.setText(
                _("Remove {document}? Its kept copy is deleted, too.").format(
                    document=document.name
                )
            )
            self.question.show()
            self.keep_button.setFocus()

    async def _read_again(self, document: Document) -> None:
        await self.service.reindex(document.id)
        await self._refresh()

    async def _remove(self, document: Document) -> None:
        self.question.hide()
        await self.service.remove(document.id)
        await self._refresh()

    # Search

    def _on_typed(self, words: str) -> None:
        self._hits, self._searched = (), ""
        self._show_rows()
        self._searching.cancel()
        if len(words.strip()) >= _LEAST_LETTERS and self._service is not None:
            self._searching.start_after(_SEARCH_AFTER_S, partial(self._search, words))

    async def _search(self, words: str) -> None:
        try:
            found = await self.service.search(words, count=SHOWN_HITS)
        except QHubError as error:
            self._on_error(error)
            return
        if words == self.search_box.text():
            self._hits, self._searched = found.hits, words
            self._show_rows()

    def _show_rows(self) -> None:
        words = fold(self.search_box.text())
        reading = self._progress.reading if self._progress is not None else ""
        named = [each for each in self._documents if not words or words in _searched_name(each)]
        rows: list[Row] = []
        collections = sorted({each.collection for each in named}, key=fold)
        for collection in collections:
            if len(collections) > 1 or collection or words:
                rows.append(collection or _("Documents"))
            rows += [
                DocumentRow(each, is_read=each.state == "queued" and each.file == reading)
                for each in sorted(named, key=_order)
                if each.collection == collection
            ]
        if self._hits:
            rows.append(_("Passages"))
            rows += [HitRow(hit, number_) for number_, hit in enumerate(self._hits)]
        self.model.show_rows(rows)
        is_empty = not self._documents and not words
        self._nothing.setText(
            _("Nothing was found for “{words}”.").format(words=self._searched)
            if self._searched
            else ""
        )
        self._nothing.setHidden(bool(rows) or not self._searched)
        self._body.setCurrentWidget(self.empty_page if is_empty else self._list_page)
        self.search_box.setHidden(is_empty)

    def _on_opened(self, row: Row) -> None:
        match row:
            case DocumentRow(document) if document.state == "failed":
                self.banner.show_error(document.error or row.state_text)
                self.opened.emit(document)
            case DocumentRow(document):
                self.opened.emit(document)
            case HitRow(_hit, place):
                from qhub_desktop.ui.documents.viewer import cited

                hits: list[Citation] = [cited(each) for each in self._hits]
                self.hits_opened.emit(hits, place)

    def _on_error(self, error: QHubError) -> None:
        self.banner.show_error(str(error))

    # Parts

    def _lay_out(self) -> None:
        searching = row_of((self.search_box, 1), margins=(12, 4, 12, 4))
        self.progress_line = ProgressLine("")
        self.progress_line.hide_cancel()
        self.pause_button = IconButton("pause", _("Pause"), on_click=self._on_pause_clicked)
        self.progress_box = QWidget()
        row_of(
            (self.progress_line, 1),
            self.pause_button,
            owner=self.progress_box,
            margins=(12, 0, 8, 4),
            spacing=4,
        )
        self.progress_box.hide()
        self._nothing = make_label(role="quiet", is_wrapped=True)
        self._nothing.setContentsMargins(6, 8, 4, 8)
        self._list_page = QWidget()
        column_of(
            self._nothing,
            (self.list, 1),
            owner=self._list_page,
            margins=(8, 0, 8, 0),
            spacing=0,
        )
        self.empty_page = self._make_empty_page()
        self._body = QStackedWidget()
        self._body.addWidget(self._list_page)
        self._body.addWidget(self.empty_page)
        self.question = self._make_question()
        self.folders_button = TextButton(
            _("Collections and folders…"),
            icon_name="folder",
            kind="link",
            on_click=self.settings_requested,
        )
        if not self._can_keep:
            self.folders_button.hide()
        foot = row_of(self.folders_button, STRETCH, margins=(8, 4, 8, 8))
        column_of(
            self.banner,
            searching,
            self.progress_box,
            (self._body, 1),
            self.question,
            foot,
            owner=self,
            spacing=0,
        )
        self._show_rows()

    def _make_empty_page(self) -> QWidget:
        page = QWidget()
        what = make_label(
            _(
                "Instructions, standards, data sheets: drop them here, and ask about them. Answers"
                " quote them with the page."
            ),
            role="quiet",
            is_wrapped=True,
        )
        kinds = ", ".join(suffix.removeprefix(".") for suffix in KINDS)
        which = make_label(kinds, role="small", is_wrapped=True)
        button = TextButton(_("Add documents"), kind="primary", on_click=self.choose)
        if not self._can_keep:
            button.hide()
        above = Qt.AlignmentFlag.AlignLeft
        column_of(
            IconLabel("document", "accent", size_px=32),
            what,
            which,
            (button, 0, above),
            STRETCH,
            owner=page,
            margins=(16, 2 * GRID_PX, 16, 8),
            spacing=10,
        )
        return page

    def _make_question(self) -> QFrame:
        card = QFrame()
        card.setProperty("kind", "note")
        self.question_label = make_label(is_wrapped=True)
        self.remove_button = TextButton(
            _("Remove"),
            kind="danger",
            on_click=lambda: self._work.start_kept(self._remove(self._removed)),
        )
        self.keep_button = TextButton(_("Keep it"), on_click=card.hide)
        buttons = row_of(self.remove_button, self.keep_button, STRETCH)
        column_of(self.question_label, buttons, owner=card, margins=(12, 8))
        card.hide()
        return card


async def load_viewer() -> None:
    """Import the viewer of documents, without holding the window up; not at the start."""
    await import_in_turn(VIEWER_MODULES)


def _progress_text(progress: IndexingProgress) -> str:
    """Return what is under way; empty where nothing is."""
    if progress.reading:
        words = _("Reading {file}…").format(file=progress.reading)
        if progress.waiting:
            left = ngettext("{count} more waits", "{count} more wait", progress.waiting)
            words += f" {left.format(count=number(progress.waiting, digits=0))}"
        return words
    if progress.problem or progress.embedded >= progress.passages:
        return ""
    if progress.pause == "battery":
        return _("Searched by words; the rest is prepared once the battery is charged.")
    counts = {
        "done": number(progress.embedded, digits=0),
        "count": number(progress.passages, digits=0),
    }
    if progress.pause == "person":
        return _("Paused: {done} of {count} passages searched by meaning.").format(**counts)
    return _("Searched by words; by meaning, {done} of {count} passages.").format(**counts)


def _searched_name(document: Document) -> str:
    facts = document.facts
    return fold(" ".join((document.name, document.file, document.title, facts.customer)))


def _order(document: Document) -> tuple[str, bool, str]:
    """Put revisions of one code together, the one in force first."""
    return fold(document.facts.code or document.name), document.state == "superseded", document.file
