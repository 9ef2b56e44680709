"""Window of what is known of the person: every note with its source, to be changed and deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.memory import (
    LEARNED,
    STATION,
    Memory,
    MemoryVersion,
    as_markdown,
    as_object,
    checked_path,
    checked_text,
    name_from,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, moment
from qhub_desktop.core.untrusted import visible
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.forms import button_row, text_box
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.plain_text import captioned
from qhub_desktop.ui.controls.popup import DetailWindow, SearchBox
from qhub_desktop.ui.controls.saving import save
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.memories import MemoryRepository

_ORIGINS = {
    "person": gettext_noop("You wrote it"),
    "model": gettext_noop("Noted by the assistant"),
    "learned": gettext_noop("Counted of your questions"),
}
EDIT_PX = 96


class NoteCard(QFrame):
    """Card of one note.

    Signals:
        saved: the new text.
        pinned, archived: the note is to be so, or no more.
        deleted: it is to be deleted for good; pressed twice.
        opened: the conversation and the message that it is from.
        earlier_requested: show what stood in it before.
    """

    saved = Signal(str)
    pinned = Signal(bool)
    archived = Signal(bool)
    deleted = Signal()
    opened = Signal(str, int)
    earlier_requested = Signal()

    def __init__(self, note: Memory, *, can_change: bool) -> None:
        super().__init__()
        self.note = note
        self._can_restore = can_change and not note.path.startswith(LEARNED)
        self.setProperty("kind", "card")
        self.setAccessibleName(note.name)
        marks = [_("pinned")] if note.is_pinned else []
        marks += [_("archived")] if note.is_archived else []
        self.text_label = make_label(note.text, is_wrapped=True, is_selectable=True)
        when = moment(note.updated.astimezone().replace(second=0, microsecond=0))
        origin = [_(_ORIGINS[note.origin]), when]
        if note.path.startswith(STATION):
            origin = [_("Of the station, for everybody")]
        source = " · ".join([*marks, *origin, note.name])
        self.open_button = TextButton(_("Open where it was said"), kind="link")
        if not (note.conversation and note.message):
            self.open_button.hide()
        self.open_button.clicked.connect(
            lambda: self.opened.emit(note.conversation, note.message or 0)
        )
        self.status = StatusLabel(role="bad")
        self.editor = text_box(_("Text of the note"))
        self.editor.setFixedHeight(EDIT_PX)
        self.editor.hide()
        self._make_buttons(can_change=can_change)
        self.earlier_button = TextButton(_("Earlier versions"), kind="link")
        self.earlier_button.clicked.connect(self.earlier_requested)
        self.earlier_button.setVisible(note.version_count > 1)
        self.restore_buttons: list[TextButton] = []
        self._earlier = column_of(spacing=GRID_PX)
        links = (self.open_button, self.earlier_button)
        where = row_of((make_label(source, role="small", is_wrapped=True), 1), *links)
        column = column_of(owner=self, margins=(2 * GRID_PX, 12))
        add_to(column, self.text_label, self.editor, where)
        column.addLayout(self._earlier)
        add_to(column, self._doing, self._editing, self.status)

    def _make_buttons(self, *, can_change: bool) -> None:
        note = self.note
        self.edit_button = TextButton(_("Edit"), on_click=self.begin_edit)
        if note.path.startswith(LEARNED):
            self.edit_button.hide()
        self.pin_button = TextButton(
            _("Unpin") if note.is_pinned else _("Pin"),
            on_click=lambda: self.pinned.emit(not note.is_pinned),
        )
        self.archive_button = TextButton(
            _("Bring back") if note.is_archived else _("Archive"),
            on_click=lambda: self.archived.emit(not note.is_archived),
        )
        self.delete_button = TextButton(_("Delete"), kind="danger", on_click=self._on_delete)
        self._is_sure = False
        self._doing = QWidget()
        column_of(
            button_row(self.edit_button, self.pin_button, self.archive_button, self.delete_button),
            owner=self._doing,
        )
        if not can_change:
            self._doing.hide()
        self.save_button = TextButton(
            _("Save"), kind="primary", on_click=lambda: self.saved.emit(self.editor.toPlainText())
        )
        cancel = TextButton(_("Cancel"), on_click=self._end_edit)
        self._editing = QWidget()
        column_of(button_row(self.save_button, cancel), owner=self._editing)
        self._editing.hide()

    def begin_edit(self) -> None:
        """Show the text in a box, to be changed."""
        self.editor.setPlainText(visible(self.note.text))
        self._show_editor(is_shown=True)
        self.editor.setFocus()

    def show_earlier(self, versions: Sequence[MemoryVersion]) -> None:
        """Show what stood in the note before, each to be put back."""
        self.earlier_button.hide()
        for each in versions:
            words = make_label(f"{moment(each.at)}: {each.text}", role="small", is_wrapped=True)
            button = TextButton(
                _("Put back"), on_click=lambda *_on, text=each.text: self.saved.emit(text)
            )
            button.setVisible(self._can_restore)
            self.restore_buttons.append(button)
            self._earlier.addLayout(row_of((words, 1), button))

    def _end_edit(self) -> None:
        self.status.tell("")
        self._show_editor(is_shown=False)

    def _show_editor(self, *, is_shown: bool) -> None:
        self.editor.setVisible(is_shown)
        self._editing.setVisible(is_shown)
        self.text_label.setVisible(not is_shown)
        self._doing.setVisible(not is_shown)

    def _on_delete(self) -> None:
        if self._is_sure:
            self.deleted.emit()
        self._is_sure = True
        self.delete_button.set_caption(_("Delete for good"))


class MemoryWindow(DetailWindow):
    """Window of the notes. `open_message` shows where one was said; `service` is the host that
    models are asked at, "" for none; `can_change_station` whether the station's are theirs.
    """

    def __init__(
        self,
        *,
        memories: MemoryRepository,
        open_message: Callable[[ConversationId, MessageId], object],
        service: str,
        can_change_station: bool,
        tasks: Tasks,
        parent: QWidget | None,
    ) -> None:
        super().__init__(
            parent,
            _("What I know of you"),
            subtitle=_(
                "Notes that a model is told with your questions, as data. What you delete is gone"
                " at once from everything that was told and sent; safety copies keep it until they"
                " go."
            ),
            size=QSize(720, 680),
        )
        self._memories = memories
        self._open_message = open_message
        self._service = service
        self._can_change_station = can_change_station
        self._wanted = ""  # the path of the note to be edited once it is shown
        self.dialog: QFileDialog | None = None
        self.status = StatusLabel()
        self._work = WidgetTasks(self, tasks, self.status.tell_error)
        self._loading = LatestTask(tasks)
        self.search_box = SearchBox(_("Search the notes"))
        self.search_box.textChanged.connect(self._load)
        # A new note, the notes, and what is done with all of them.
        self.new_box = text_box(_("New note"))
        self.new_box.setPlaceholderText(_("Something that is to be known in later conversations"))
        self.new_box.setFixedHeight(EDIT_PX * 2 // 3)
        self.add_button = TextButton(_("Keep"), on_click=self._on_added)
        self._cards = QWidget()
        self._column = column_of(owner=self._cards, margins=(0, GRID_PX, GRID_PX, 0))
        self.empty_label = make_label(
            _("Nothing yet. Say 'remember that …' in a conversation, or write it here."),
            role="quiet",
            is_wrapped=True,
        )
        self.service_box = captioned(QCheckBox(), _("Send them to {host}").format(host=service))
        if not service:
            self.service_box.hide()
        self.export_button = TextButton(_("Export…"), on_click=self._on_export_clicked)
        self.clear_button = TextButton(_("Delete all"), kind="danger", on_click=self._on_clear)
        self._is_sure = False
        foot = row_of(self.service_box, STRETCH, self.export_button, self.clear_button)
        for button in (self.add_button, self.export_button, self.clear_button):
            button.setAutoDefault(False)
        add = row_of((self.new_box, 1), self.add_button)
        add_to(self.column, add, self.search_box, self.empty_label, (scrolled(self._cards), 1))
        add_to(self.column, self.status, foot)
        self._work.start(self._load_service())
        self._load()

    @property
    def cards(self) -> list[NoteCard]:
        """Cards of the notes, top to bottom."""
        items = (self._column.itemAt(at) for at in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [each for each in widgets if isinstance(each, NoteCard)]

    def edit(self, path: str) -> None:
        """Show a note with its text ready to be changed."""
        self._wanted = path
        self._load()

    def _load(self, *_signal: object) -> None:
        self._loading.start(self._show_notes())

    async def _show_notes(self) -> None:
        notes = await self._memories.listed(search=self.search_box.text())
        if not isValid(self):
            return
        while (item := self._column.takeAt(0)) is not None:
            if (before := item.widget()) is not None:
                before.hide()
                before.deleteLater()
        for note in notes:
            self._column.addWidget(self._card(note))
        self._column.addStretch(1)
        self.empty_label.setVisible(not notes and not self.search_box.text())
        self.clear_button.setEnabled(bool(notes))
        self.export_button.setEnabled(bool(notes))
        wanted = next((each for each in self.cards if each.note.path == self._wanted), None)
        if wanted is not None:
            self._wanted = ""
            wanted.begin_edit()

    def _card(self, note: Memory) -> NoteCard:
        memories, path = self._memories, note.path
        is_station = path.startswith(STATION)
        card = NoteCard(note, can_change=self._can_change_station or not is_station)
        card.opened.connect(self._open_message)
        card.pinned.connect(
            lambda is_pinned: self._do(memories.set_pinned(path, is_pinned=is_pinned))
        )
        card.archived.connect(
            lambda is_archived: self._do(memories.set_archived(path, is_archived=is_archived))
        )
        card.deleted.connect(lambda: self._do(memories.delete(path)))
        card.saved.connect(lambda text: self._save(card, text))
        card.earlier_requested.connect(lambda: self._work.start(self._show_earlier(card)))
        return card

    async def _show_earlier(self, card: NoteCard) -> None:
        versions = await self._memories.earlier(card.note.path)
        if isValid(card):
            card.show_earlier(versions)

    def _save(self, card: NoteCard, text: str) -> None:
        try:
            checked = checked_text(text)
        except QHubError as error:
            card.status.tell_error(error)
            return
        self._do(self._write(card.note.path, checked))

    def _on_added(self) -> None:
        try:
            text = checked_text(self.new_box.toPlainText())
            path = checked_path(name_from(text))
        except QHubError as error:
            self.status.tell_error(error)
            return
        self.new_box.clear()
        self._do(self._write(path, text))

    async def _write(self, path: str, text: str) -> None:
        await self._memories.edit(path, lambda _before: text, origin="person")

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something with a note, whole also if the window is closed, and show them anew."""
        self.status.tell("")

        async def done() -> None:
            await work
            if isValid(self):
                self._load()

        self._work.start_kept(done())

    async def _load_service(self) -> None:
        refused = await self._memories.refused_services()
        if isValid(self):
            self.service_box.setChecked(self._service not in refused)
            self.service_box.toggled.connect(self._on_service_toggled)

    def _on_service_toggled(self, is_sent: bool) -> None:  # noqa: FBT001  a signal's
        self._work.start_kept(self._memories.set_refused(self._service, is_refused=not is_sent))

    def _on_clear(self) -> None:
        if self._is_sure:
            self._is_sure = False
            self.clear_button.set_caption(_("Delete all"))
            self._do(self._memories.clear())
            return
        self._is_sure = True
        self.clear_button.set_caption(_("Delete all for good"))
        self.status.tell(_("Every note of yours will be gone. Press once more to delete them."))

    def _on_export_clicked(self) -> None:
        self.dialog = open_save_dialog(
            self,
            _("What I know of you"),
            kind="Markdown",
            suffix=".md",
            on_selected=self._on_file_selected,
        )

    def _on_file_selected(self, path: str) -> None:
        self._work.start_kept(self._export(Path(path)))

    async def _export(self, file: Path) -> None:
        notes = await self._memories.listed()
        is_json = file.suffix.lower() == ".json"
        objects = [as_object(each) for each in notes]
        text = json.dumps(objects, ensure_ascii=False, indent=1) if is_json else as_markdown(notes)
        await asyncio.to_thread(save, text.encode(), file)
        self.status.tell_saved(_("Saved as {name}.").format(name=file.name), file)
