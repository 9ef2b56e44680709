"""Audit log page: what was done at a station, to read, verify and export."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QFrame, QTreeWidgetItem
from shiboken6 import isValid

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, moment, ngettext
from qhub_desktop.core.untrusted import visible
from qhub_desktop.store.audit_repository import MOST_LISTED, AuditEntry, AuditRepository
from qhub_desktop.store.audit_words import ACTIONS, action_words, detail_words, subject_words
from qhub_desktop.store.people import PeopleRepository
from qhub_desktop.tools.audit_files import export_audit
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.forms import choice_box
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    column_of,
    make_label,
    make_list,
    make_row,
    row_of,
    selected_key,
)
from qhub_desktop.ui.controls.plain_text import one_line, set_tooltip
from qhub_desktop.ui.controls.popup import SearchBox
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks

DEBOUNCE_S = 0.15  # without a key press, before a search starts
SHOWN_CHARACTERS = 36  # of what an entry is about; all of it stands below the list
COLUMNS = (
    gettext_noop("When"),
    gettext_noop("Who"),
    gettext_noop("What"),
    gettext_noop("About"),
    gettext_noop("Details"),
)


class AuditPage(QFrame):
    """The entries, the latest first, a page at a time."""

    def __init__(self, audit: AuditRepository, people: PeopleRepository, *, tasks: Tasks) -> None:
        super().__init__()
        self._audit = audit
        self._people = people
        self._reading = LatestTask(tasks)
        self._last: int | None = None
        self.person = choice_box(_("Of whom"), [("", _("Everybody"))])
        self.person.activated.connect(lambda _place: self._read())
        actions = [(action, _(label)) for action, label in ACTIONS.items()]
        self.action = choice_box(_("What was done"), [("", _("Everything")), *actions])
        self.action.activated.connect(lambda _place: self._read())
        self.search = SearchBox(_("Search the log"))
        self.search.textChanged.connect(
            lambda _words: self._reading.start_after(DEBOUNCE_S, self._show_latest)
        )
        self.list = make_list(
            _("What was done"),
            [_(name) for name in COLUMNS],
            wide=len(COLUMNS) - 1,
        )
        self.list.itemSelectionChanged.connect(self._on_selected)
        self.detail = make_label(is_wrapped=True, is_selectable=True)
        self.detail.hide()
        # Selectable: the number and the hash of the last entry are to be kept elsewhere.
        self.result = StatusLabel(is_selectable=True)
        self._work = WidgetTasks(self, tasks, self.result.tell_error)
        self.older_button = TextButton(_("Show older ones"))
        self.older_button.clicked.connect(lambda: self._reading.start(self._show_page()))
        self.verify_button = TextButton(_("Verify"))
        set_tooltip(self.verify_button, _("Whether an entry was changed or taken out"))
        self.verify_button.clicked.connect(lambda: self._work.start(self._verify()))
        self.export_button = TextButton(_("Export CSV…"), on_click=self.open_export_dialog)
        self._build()

    def refresh(self) -> None:
        """Read the people and the latest entries again."""
        self._work.start(self._read_people())
        self._read()

    def open_export_dialog(self) -> QFileDialog:
        """Open the dialog for the file that the log is written to."""
        return open_save_dialog(
            self,
            _("What was done"),
            kind="CSV",
            suffix=".csv",
            on_selected=lambda name: self._work.start(self.export(Path(name))),
        )

    async def export(self, target: Path) -> None:
        """Write the whole log to a file."""
        count = await export_audit(self._audit, target)
        said = ngettext("{count} entry in {file}.", "{count} entries in {file}.", count)
        said = said.format(count=count, file=target.name)
        self.result.tell_saved(said, target, role="good")

    def _read(self) -> None:
        self._reading.start(self._show_latest())

    async def _read_people(self) -> None:
        names = ["", *(each.name for each in await self._people.listed())]
        if not isValid(self):
            return
        chosen = self.person.currentData()
        self.person.clear()
        for name in names:
            self.person.addItem(one_line(name) if name else _("Everybody"), name)
        self.person.setCurrentIndex(max(0, self.person.findData(chosen)))

    async def _show_latest(self) -> None:
        self._last = None
        await self._show_page()

    async def _show_page(self) -> None:
        before = self._last
        page = await self._audit.listed(
            person=self.person.currentData() or "",
            action=self.action.currentData() or "",
            search=self.search.text().strip(),
            before=before,
        )
        if not isValid(self):
            return
        if before is None:
            self.list.clear()
        self.list.addTopLevelItems([_item(entry) for entry in page])
        self._last = page[-1].id if page else before
        self.older_button.setVisible(len(page) == MOST_LISTED)

    def _on_selected(self) -> None:
        """Show the selected entry whole: a line has no room for most."""
        whole: str | None = selected_key(self.list)
        self.detail.setText(whole or "")
        self.detail.setVisible(whole is not None)

    async def _verify(self) -> None:
        self.result.tell(_("Being verified…"))
        verdict = await self._audit.verify()
        self.result.tell(verdict.sentence, role="good" if verdict.is_whole else "bad")

    def _build(self) -> None:
        top = row_of(self.person, self.action, (self.search, 1))
        foot = row_of(self.verify_button, self.export_button, self.older_button, STRETCH)
        self.older_button.hide()
        column_of(top, (self.list, 1), self.detail, self.result, foot, owner=self)


def _item(entry: AuditEntry) -> QTreeWidgetItem:
    who, action, subject = entry.person or "–", action_words(entry), subject_words(entry)
    detail = detail_words(entry)
    cells = (moment(entry.at), who, action, one_line(subject, limit=SHOWN_CHARACTERS), detail)
    return make_row(cells, visible(f"{subject}: {detail}" if detail else subject))
