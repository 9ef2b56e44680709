"""Page of documents: watched folders, and collections with who may read and use them."""

from __future__ import annotations  # the service is imported after the first paint

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QTreeWidget, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.documents import Collection, WatchedFolder
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ROLE_LABELS, ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_folder_dialog
from qhub_desktop.ui.controls.forms import (
    FormDialog,
    button_row,
    caption,
    choice_box,
    set_editor_name,
    text_field,
)
from qhub_desktop.ui.controls.layouts import (
    add_to,
    column_of,
    make_label,
    make_list,
    make_row,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import captioned, entered, one_line
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import Tasks, WidgetTasks

if TYPE_CHECKING:
    from qhub_desktop.tools.document_service import DocumentService

LIST_PX = 132
LONGEST_NAME = 80


@settings_part("documents")
class FoldersField(QWidget):
    """List of the watched folders; new ones are added to a collection."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._documents = context.services.documents
        self.result = StatusLabel(is_selectable=True)
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self.dialog: QFileDialog | None = None
        self.list = _short_list(_("Watched folders"), [_("Folder"), _("Collection"), _("Files")])
        self.collection = choice_box(_("Collection of the next folder"))
        self.collection.setEditable(True)
        set_editor_name(self.collection, _("Collection of the next folder"))
        self.add_button = TextButton(_("Watch a folder…"), on_click=self._choose)
        self.remove_button = TextButton(_("Watch no longer"), on_click=self._on_remove_clicked)
        self.list.itemSelectionChanged.connect(self._on_selected)
        about = _(
            "Documents of these folders, and of those below, are kept up to date by themselves. The"
            " folders are never written to; what is deleted there is searched no more."
        )
        column_of(
            make_label(_("Watched folders"), role="heading"),
            make_label(about, role="small", is_wrapped=True),
            self.list,
            caption(self.collection, _("Collection of the next folder")),
            self.collection,
            button_row(self.add_button, self.remove_button),
            self.result,
            owner=self,
        )
        self._on_selected()
        self._work.start(self._load())

    async def _load(self) -> None:
        service = self._documents()
        folders = await service.watched()
        names = [each.name for each in await service.collections()]
        written = self.collection.currentText()
        self.collection.clear()
        self.collection.addItems([one_line(name) for name in names if name])
        self.collection.setEditText(one_line(written))
        self.list.clear()
        for folder in folders:
            files = number(folder.files, digits=0)
            if folder.waiting:
                files = _("{count}, {waiting} to read").format(count=files, waiting=folder.waiting)
            self.list.addTopLevelItem(make_row([folder.path, folder.collection, files], folder))
        self._on_selected()

    def _choose(self) -> None:
        self.dialog = open_folder_dialog(
            self,
            _("Folder to be watched"),
            lambda folder: self._work.start_kept(self.watch(folder), self.add_button),
        )

    async def watch(self, folder: Path) -> None:
        """Watch a folder from now on."""
        await self._documents().watch(folder, collection=self.collection.currentText().strip())
        self.result.tell(_("{folder} is watched.").format(folder=folder))
        if isValid(self):
            await self._load()

    def _on_remove_clicked(self) -> None:
        folder = selected_key(self.list)
        if isinstance(folder, WatchedFolder):
            self._work.start_kept(self._unwatch(folder), self.remove_button)

    async def _unwatch(self, folder: WatchedFolder) -> None:
        await self._documents().unwatch(Path(folder.path))
        self.result.tell(
            _("{folder} is watched no longer; its documents stay.").format(folder=folder.path)
        )
        if isValid(self):
            await self._load()

    def _on_selected(self) -> None:
        self.remove_button.setEnabled(bool(self.list.selectedItems()))


@settings_part("documents")
class CollectionsField(QWidget):
    """List of the collections, with who may read them and which agents use them."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._documents = context.services.documents
        self._agents = {each.id: each.name for each in context.services.agents().values()}
        self._tasks = context.tasks
        self.result = StatusLabel()
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self.dialog: CollectionDialog | None = None
        columns = [_("Collection"), _("Read by"), _("Used by")]
        self.list = _short_list(_("Collections"), columns, wide=2)
        self.new_button = TextButton(_("New collection…"), on_click=lambda: self.edit(None))
        self.edit_button = TextButton(_("Change…"), on_click=self._on_edit_clicked)
        self.list.itemSelectionChanged.connect(self._on_selected)
        self.list.itemActivated.connect(lambda _row, _column: self._on_edit_clicked())
        about = _("A document that is not theirs is found by nobody else, and by no other agent.")
        column_of(
            make_label(_("Collections"), role="heading"),
            make_label(about, role="small", is_wrapped=True),
            self.list,
            button_row(self.new_button, self.edit_button),
            self.result,
            owner=self,
        )
        self._on_selected()
        self._work.start(self._load())

    async def _load(self) -> None:
        found = await self._documents().collections()
        self.list.clear()
        for each in found:
            if each.name:
                roles = ", ".join(_(ROLE_LABELS[role]) for role in each.roles) or _("everybody")
                agents = [self._agents.get(id_, id_) for id_ in each.agents]
                used = ", ".join(agents) or _("every agent")
                self.list.addTopLevelItem(make_row([each.name, roles, used], each))
        self._on_selected()

    def edit(self, collection: Collection | None) -> CollectionDialog:
        """Open the dialog of a collection, or of a new one."""
        dialog = CollectionDialog(
            collection,
            self._agents,
            self._documents(),
            tasks=self._tasks,
            owner=self.window(),
        )
        dialog.saved.connect(lambda: self._work.start(self._load()))
        dialog.show()
        self.dialog = dialog
        return dialog

    def _on_edit_clicked(self) -> None:
        collection = selected_key(self.list)
        if isinstance(collection, Collection):
            self.edit(collection)

    def _on_selected(self) -> None:
        self.edit_button.setEnabled(bool(self.list.selectedItems()))


class CollectionDialog(FormDialog):
    """Asks for the name of a collection, who may read it, and which agents use it.

    Signals:
        saved: the collection was kept.
    """

    saved = Signal()

    def __init__(
        self,
        collection: Collection | None,
        agents: dict[str, str],
        documents: DocumentService,
        *,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("New collection") if collection is None else _("Collection"),
            subtitle=_("Without a choice, everybody reads it and every agent uses it."),
            size=QSize(420, 460),
            done=_("Save"),
            tasks=tasks,
        )
        self._documents = documents
        before = self._before = collection or Collection("")
        self.name = text_field(_("Name"), most=LONGEST_NAME)
        self.name.setText(one_line(before.name, limit=LONGEST_NAME))
        self.name.setEnabled(collection is None)
        self.roles = {role: captioned(QCheckBox(), _(ROLE_LABELS[role])) for role in ROLES}
        self.agents = {id_: captioned(QCheckBox(), name) for id_, name in agents.items()}
        for role, box in self.roles.items():
            box.setChecked(role in before.roles)
        for id_, box in self.agents.items():
            box.setChecked(id_ in before.agents)
        add_to(self.column, caption(self.name, _("Name")), self.name)
        add_to(self.column, make_label(_("Read by"), role="small"), *self.roles.values())
        add_to(self.column, make_label(_("Used by"), role="small"), *self.agents.values())
        self._end_form()
        (self.name if collection is None else next(iter(self.roles.values()))).setFocus()

    @override
    def _on_submitted(self) -> None:
        name = entered(self.name.text(), self._before.name, limit=LONGEST_NAME).strip()
        if not name:
            self.problem.tell_error(UserError(_("Give the collection a name.")))
            return
        roles = tuple(role for role, box in self.roles.items() if box.isChecked())
        agents = tuple(id_ for id_, box in self.agents.items() if box.isChecked())
        # Agents that are not there now stay, or they would be taken from it by another change.
        gone = tuple(id_ for id_ in self._before.agents if id_ not in self.agents)
        self._keep(self._save(Collection(name, roles, agents + gone)))

    async def _save(self, collection: Collection) -> None:
        await self._documents.put_collection(collection)
        if isValid(self):
            self.saved.emit()
            self.close()


def _short_list(name: str, columns: list[str], *, wide: int = 0) -> QTreeWidget:
    list_ = make_list(name, columns, wide=wide)
    list_.setFixedHeight(LIST_PX)
    return list_
