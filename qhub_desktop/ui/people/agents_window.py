"""Window of the agents, for administrators: their form, their versions, copies and folders."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.settings import LiveSettings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.agent_catalogue import AgentCatalogue, AgentRecord
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_folder_dialog
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import (
    ROW_KEY,
    column_of,
    make_label,
    make_list,
    make_row,
    row_of,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import OwnWindow, fit_screen
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.people.agent_form import PAGES, AgentForm
from qhub_desktop.ui.people.agent_pages import SHIPPED, RehearsalPanel, VersionsPage
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.settings import SettingRepository

AGENTS_SIZE = QSize(1120, 700)
AGENT_LIST_PX = 270
DRAFT_DELAY_S = 0.4  # without a key press, before what is written is kept
MOST_NOTE = 200  # characters


class AgentsWindow(OwnWindow):
    """The agents on the left; on the right the form of the selected one, and its versions.

    What is written and not saved is kept, also when the program is ended by force; another agent,
    and the end of the window, wait until the person has said what becomes of it.
    """

    def __init__(
        self,
        catalogue: AgentCatalogue,
        *,
        settings: LiveSettings,
        drafts: SettingRepository,
        tasks: Tasks,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent, [("Ctrl+S", _("Save"))])
        set_title(self, _("Agents"))
        self._catalogue = catalogue
        self._drafts = AgentDrafts(drafts, tasks)
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._records: Sequence[AgentRecord] = ()
        self._outdated: set[str] = set()
        self._id = ""  # of the agent that is shown
        self._version = 0  # of it that is edited; somebody else may have saved a later one
        self._may_close = False
        self.dialog: QFileDialog | None = None
        self.list = make_list(_("Agents"), [_("Agent"), _("State")], wide=0)
        self.list.setFixedWidth(AGENT_LIST_PX)
        self.bench = RehearsalPanel(catalogue, self._draft, tasks=tasks)
        self.form = AgentForm(catalogue.tools, settings, self.bench)
        self.versions = VersionsPage()
        self.pages = QStackedWidget()
        self.page_buttons: list[TextButton] = []
        self.about = make_label(role="quiet", is_wrapped=True)
        self.result = StatusLabel()
        hint = _("What the change is for (may be empty)")
        self.note = text_field(_("What the change is for"), placeholder=hint, most=MOST_NOTE)
        self.save_button = TextButton(_("Save"), kind="primary")
        self.save_button.setShortcut("Ctrl+S")
        self.discard_button = TextButton(_("Discard changes"))
        self.question = UnsavedQuestion()
        self.duplicate_button = TextButton(_("Duplicate"), icon_name="copy")
        self.import_button = TextButton(_("Import…"), icon_name="folder")
        self.export_button = TextButton(_("Export…"), icon_name="save")
        self.remove_button = TextButton(_("Remove"), icon_name="trash")
        self._build()
        self._connect()
        stop = catalogue.listen(self._on_agents_changed)
        self.destroyed.connect(lambda _gone: stop())
        self._start(self._load())

    @property
    def record(self) -> AgentRecord | None:
        """The agent that is shown."""
        return next((each for each in self._records if each.id == self._id), None)

    def _draft(self) -> Agent:
        return self.form.draft()

    def show_page(self, place: int) -> None:
        """Show a page of the form, or after them the versions."""
        for at, button in enumerate(self.page_buttons):
            button.setChecked(at == place)
        is_form = place < len(PAGES)
        self.pages.setCurrentWidget(self.form if is_form else self.versions)
        if is_form:
            self.form.setCurrentIndex(place)

    def select(self, id_: str) -> None:
        """Show another agent, once what is written is saved or given up."""
        if id_ != self._id:
            self._unless_edited(lambda: self._show(id_))

    def save(self) -> None:
        """Save what is written as a new version."""
        if self.form.is_edited:
            self._start(self._save())

    def discard(self) -> None:
        """Give up what is written."""
        self._drafts.forget(self._id)
        self._fill()
        self._update()

    def open_import_dialog(self) -> None:
        """Open the dialog for the folder of an agent."""
        self.dialog = open_folder_dialog(self, _("Import…"), self.import_folder)

    def open_export_dialog(self) -> None:
        """Open the dialog for the folder in which the agent's own is made."""
        self.dialog = open_folder_dialog(self, _("Export…"), self.export)

    def import_folder(self, folder: Path) -> None:
        """Take in an agent from a folder."""
        self._start(self._import(folder))

    def export(self, folder: Path) -> None:
        """Write the agent into a folder of its own in this one."""
        self._start(self._export(folder / self._id))

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self.form.is_edited and not self._may_close:
            event.ignore()
            self.question.ask(self._close_now)
            return
        super().closeEvent(event)

    def _close_now(self) -> None:
        self._may_close = True
        self.close()

    async def _load(self, show: str = "") -> None:
        """Read the agents again; show one of them, else the one that was shown."""
        outdated = await self._catalogue.outdated()
        if not isValid(self):
            return
        self._outdated = outdated
        self._records = self._catalogue.records()
        self.list.blockSignals(True)  # noqa: FBT003  Qt's own
        self.list.clear()
        for record in self._records:
            self.list.addTopLevelItem(make_row([record.name, _state(record)], record.id))
        self.list.blockSignals(False)  # noqa: FBT003  Qt's own
        first = next((each.id for each in self._records if each.agent is not None), "")
        chosen = show or self._id or first
        if self.form.is_edited and chosen == self._id:
            self._select_row(chosen)
            await self._show_versions()
        else:
            self._show(chosen)

    def _show(self, id_: str) -> None:
        if id_ != self._id:
            self.bench.clear()
        self._id = id_
        self._select_row(id_)
        self.note.clear()
        record = self.record
        self._fill()
        is_there = record is not None and record.agent is not None
        if is_there and (draft := self._drafts.kept(id_)) is not None:
            self.form.write(draft.written)
            self._version = draft.version  # where another was saved since, that is told
            self.result.tell(_("This is what you had written and not saved."))
        self._update()
        self._work.start(self._show_versions())

    def _fill(self) -> None:
        """Show the agent as it is stored by now."""
        if (record := self.record) is not None and record.agent is not None:
            self.form.show_agent(record.agent)
            self._version = record.version

    async def _show_versions(self) -> None:
        id_ = self._id
        versions = await self._catalogue.versions(id_)
        record = self.record
        if isValid(self) and record is not None and id_ == self._id:
            is_outdated = id_ in self._outdated
            self.versions.show_versions(record, versions, is_outdated=is_outdated)

    async def _save(self) -> None:
        draft, note = self.form.draft(), self.note.text()
        saved = await self._catalogue.save(draft, after=self._version, note=note)
        await self._after(_("Saved as version {number}.").format(number=saved.version))

    async def _restore(self, number: int) -> None:
        if number == SHIPPED:
            await self._catalogue.restore_shipped(self._id)
        else:
            await self._catalogue.restore(self._id, number)
        await self._after(_("Restored. What there was before is a version, too."))

    async def _duplicate(self) -> None:
        made = await self._catalogue.duplicate(self._id)
        await self._after(_("{name} was made.").format(name=made.name), show=made.id)

    async def _remove(self) -> None:
        await self._catalogue.remove(self._id)
        await self._after(_("Removed. What was said with it can be read; restore it in Versions."))

    async def _import(self, folder: Path) -> None:
        made = await self._catalogue.import_folder(folder)
        said = _("{name} was taken in as version {number}.")
        await self._after(said.format(name=made.name, number=made.version), show=made.id)

    async def _export(self, folder: Path) -> None:
        await self._catalogue.export(self._id, folder)
        self.result.tell(_("Written: {path}").format(path=folder), role="good")

    async def _after(self, sentence: str, *, show: str = "") -> None:
        """Show what there is after a change, and go on with what waited for it."""
        if not isValid(self):
            return
        self._drafts.forget(self._id)
        self._fill()  # so that nothing is written over what comes
        await self._load(show)
        if isValid(self):
            self.result.tell(sentence, role="good")
            self.question.go_on()

    def _on_agents_changed(self) -> None:
        if isValid(self):
            self._work.start(self._load())

    def _on_row_chosen(self) -> None:
        id_: str | None = selected_key(self.list)
        if id_ is None:
            return
        if id_ != self._id and self.form.is_edited:
            self._select_row(self._id)
        self.select(id_)

    def _select_row(self, id_: str) -> None:
        self.list.blockSignals(True)  # noqa: FBT003  Qt's own
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None and item.data(0, ROW_KEY) == id_:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)  # noqa: FBT003  Qt's own

    def _unless_edited(self, act: Callable[[], object]) -> None:
        if self.form.is_edited:
            self.question.ask(act)
        else:
            act()

    def _on_edited(self) -> None:
        self.result.hide()
        self._update()
        self._drafts.keep(self._id, AgentDraft(self._version, self.form.written))

    def _update(self) -> None:
        """Enable what can be done now, and say what is to be known of the agent."""
        record = self.record
        is_there = record is not None and record.agent is not None
        is_edited = is_there and self.form.is_edited
        self.form.setEnabled(is_there)
        for button in (self.save_button, self.discard_button):
            button.setEnabled(is_edited)
        self.note.setEnabled(is_there)
        for button in (self.duplicate_button, self.export_button, self.remove_button):
            button.setEnabled(is_there)
        said = ""
        if is_there and self._id in self._outdated:
            said = _("Another version of it ships now than the one that was edited: see Versions.")
        if record is not None and record.problem:
            said = _("It cannot be read, so nobody is offered it ({reason}). Restore a version.")
            said = said.format(reason=record.problem.rstrip("."))
        elif record is not None and record.is_removed:
            said = _("It was removed, so nobody is offered it. Restore a version to have it back.")
        self.about.setText(said)
        self.about.setVisible(bool(said))
        if not is_there:
            self.show_page(len(PAGES))

    def _on_error(self, error: QHubError) -> None:
        self.question.forget()
        self.result.tell_error(error)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.result.hide()
        self._work.start(work)

    def _connect(self) -> None:
        self.list.itemSelectionChanged.connect(self._on_row_chosen)
        self.form.edited.connect(self._on_edited)
        self.save_button.clicked.connect(self.save)
        self.discard_button.clicked.connect(self.discard)
        self.question.save_requested.connect(self.save)
        self.question.discard_requested.connect(self.discard)
        for button, act in (
            (self.duplicate_button, lambda: self._start(self._duplicate())),
            (self.import_button, self.open_import_dialog),
            (self.export_button, self.open_export_dialog),
            (self.remove_button, lambda: self._start(self._remove())),
        ):
            button.clicked.connect(lambda _on=False, act=act: self._unless_edited(act))
        self.versions.restore_requested.connect(
            lambda number: self._unless_edited(lambda: self._start(self._restore(number)))
        )

    def _build(self) -> None:
        left = column_of((self.list, 1))
        grid = QGridLayout()
        grid.setSpacing(GRID_PX)
        for place, button in enumerate(
            (self.duplicate_button, self.remove_button, self.import_button, self.export_button)
        ):
            grid.addWidget(button, place // 2, place % 2)
        left.addLayout(grid)
        head = row_of()
        for place, words in enumerate((*(_(each) for each in PAGES), _("Versions"))):
            button = TextButton(words, kind="flat")
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, place=place: self.show_page(place))
            self.page_buttons.append(button)
            head.addWidget(button)
        head.addStretch(1)
        self.pages.addWidget(self.form)
        self.pages.addWidget(self.versions)
        foot = row_of((self.note, 1), self.discard_button, self.save_button)
        right = column_of(head, self.about, (self.pages, 1), self.result, self.question, foot)
        row_of(left, (right, 1), owner=self, margins=(16, 12, 16, 16), spacing=2 * GRID_PX)
        self.show_page(0)
        fit_screen(self, AGENTS_SIZE)
        self.list.setFocus()


class UnsavedQuestion(QFrame):
    """Asks what becomes of what is written and not saved, before something else is done.

    Signals:
        save_requested: what is written is to be saved; `go_on` afterwards.
        discard_requested: what is written is given up.
    """

    save_requested = Signal()
    discard_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Callable[[], object] | None = None
        self.setProperty("kind", "note")
        self.save_button = TextButton(_("Save"), kind="primary", on_click=self._on_save_clicked)
        self.discard_button = TextButton(_("Discard changes"), on_click=self._on_discard_clicked)
        self.back_button = TextButton(_("Go on writing"), on_click=self._on_back_clicked)
        row = row_of(owner=self, margins=(12, 8))
        row.addWidget(make_label(_("What you have written is not saved."), is_wrapped=True), 1)
        for button in (self.back_button, self.discard_button, self.save_button):
            row.addWidget(button)
        self.hide()

    def ask(self, act: Callable[[], object]) -> None:
        """Ask, and do this once what is written is saved or given up."""
        self._waiting = act
        self.show()
        self.save_button.setFocus()

    def go_on(self) -> None:
        """Do what waited."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.hide()
            waiting()

    def forget(self) -> None:
        """Let nothing wait any more."""
        self._waiting = None

    def _on_save_clicked(self) -> None:
        self.hide()
        self.save_requested.emit()

    def _on_discard_clicked(self) -> None:
        self.hide()
        if self._waiting is not None:
            self.discard_requested.emit()
            self.go_on()

    def _on_back_clicked(self) -> None:
        self.hide()
        self.forget()


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """What is written of an agent and not saved, and the version that it was written over."""

    version: int
    written: JsonObject


class AgentDrafts:
    """Drafts of agents, kept in the data folder until they are saved or given up."""

    def __init__(self, settings: SettingRepository, tasks: Tasks) -> None:
        self._settings = settings
        self._tasks = tasks
        self._keeping = LatestTask(tasks)

    def kept(self, agent: str) -> AgentDraft | None:
        """Return the draft of an agent that was kept."""
        match self._settings.state_now(_draft_key(agent)):
            case {"version": int(version), "written": dict(written)}:
                return AgentDraft(version, written)
            case _:
                return None

    def keep(self, agent: str, draft: AgentDraft) -> None:
        """Keep a draft once no key was pressed for a moment; nothing of an empty one."""
        kept: JsonObject = {"version": draft.version, "written": draft.written}
        state = kept if draft.written else None
        self._keeping.start_after(
            DRAFT_DELAY_S, lambda: self._settings.save_state(_draft_key(agent), state)
        )

    def forget(self, agent: str) -> None:
        """Give up the draft of an agent."""
        self._keeping.cancel()
        self._tasks.start(self._settings.save_state(_draft_key(agent), None))


def _draft_key(agent: str) -> str:
    return f"agent draft/{agent}"


def _state(record: AgentRecord) -> str:
    if record.problem:
        return _("cannot be read")
    if record.is_removed:
        return _("removed")
    if record.is_as_shipped:
        return ""
    return _("version {number}").format(number=record.version)
