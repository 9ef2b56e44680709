"""Page of safety copies: their list, verified as it is shown; one made now; going back to one."""

import asyncio
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.store.backups import KEPT_DAYS, KEPT_WEEKS, Backup, label_of
from qhub_desktop.store.recovery import shown_moment, what_changes
from qhub_desktop.ui.controls.buttons import TextButton, icon
from qhub_desktop.ui.controls.forms import button_row
from qhub_desktop.ui.controls.layouts import column_of, make_label, make_list
from qhub_desktop.ui.controls.plain_text import one_line, tooltip
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import LatestTask, WidgetTasks
from qhub_desktop.ui.theme import theme

_DATE, _SIZE, _REASON, _STATE = range(4)
_ROW_ROLE = Qt.ItemDataRole.UserRole
_SHOWN_ROWS = 6  # the others are scrolled to


@settings_part("backups")
class SafetyCopyField(QWidget):
    """List of the copies with what can be done: make one now, go back to the selected one."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._copies = copies = context.services.safety_copies()
        self._restore = context.services.restore
        self._looking = LatestTask(context.tasks)
        self.result = StatusLabel(is_selectable=True)
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self.make_button = TextButton(_("Make one now"))
        self.make_button.clicked.connect(lambda: self._work.start(self._make(), self.make_button))
        self.folder_button = TextButton(_("Open the folder"))
        self.folder_button.clicked.connect(lambda: open_file(copies.folder))
        self.restore_button = TextButton(_("Go back to it…"))
        self.restore_button.clicked.connect(lambda: self._work.start(self._ask()))
        self.list = self._make_list()
        self.question = self._make_question()
        about = _(
            "Everything that is stored (conversations, defects, dashboards, settings) is copied"
            " once a day while QHub is open, and before every update; the last {days} days and"
            " {weeks} weeks are kept. Loaded files stay where they are, and keys are in no copy."
        ).format(days=KEPT_DAYS, weeks=KEPT_WEEKS)
        column = column_of(owner=self)
        column.addWidget(make_label(about, role="small", is_wrapped=True))
        column.addWidget(self.list)
        column.addLayout(button_row(self.make_button, self.restore_button, self.folder_button))
        column.addWidget(self.result)
        column.addWidget(self.question)
        self._update_buttons()
        self._work.start(self._show_list())

    @property
    def selected(self) -> Backup | None:
        """The selected copy."""
        items = self.list.selectedItems()
        found: Backup | None = items[0].data(_DATE, _ROW_ROLE) if items else None
        return found

    def _make_list(self) -> QTreeWidget:
        heads = [_("Made"), _("Size"), _("Why"), _("State")]
        list_ = make_list(_("Safety copies"), heads, wide=_REASON, numbers=(_SIZE,))
        list_.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        list_.hide()
        list_.itemSelectionChanged.connect(self._on_selected)
        list_.itemActivated.connect(lambda _item: self._work.start(self._ask()))
        return list_

    def _make_question(self) -> QFrame:
        card = QFrame()
        card.setProperty("kind", "note")
        self.changes = make_label(is_wrapped=True)
        self.confirm_button = TextButton(_("Go back and start anew"), kind="primary")
        self.confirm_button.clicked.connect(lambda: self._work.start(self._go_back()))
        keep = TextButton(_("Leave it as it is"))
        keep.clicked.connect(card.hide)
        column_of(self.changes, button_row(self.confirm_button, keep), owner=card, margins=(12, 10))
        card.hide()
        return card

    async def _show_list(self) -> None:
        found = await self._copies.listed()
        if not isValid(self):
            return
        self.list.clear()
        for backup in found:
            item = QTreeWidgetItem(
                [
                    one_line(shown_moment(backup)),
                    one_line(f"{number(backup.size / 1e6, digits=1)} MB"),
                    one_line(label_of(backup.reason)),
                    one_line(_("being checked…")),
                ]
            )
            item.setData(_DATE, _ROW_ROLE, backup)
            item.setTextAlignment(
                _SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
            self.list.addTopLevelItem(item)
        rows = min(len(found), _SHOWN_ROWS)
        row_px = max(self.list.sizeHintForRow(0), 1)
        self.list.setFixedHeight(self.list.header().sizeHint().height() + rows * row_px + 4)
        self.list.setVisible(bool(found))
        if not found:
            self.result.tell(_("There is no safety copy yet."))
        self._update_buttons()
        self._looking.start(self._verify(found))

    async def _verify(self, found: list[Backup]) -> None:
        """Show of each copy whether it is sound, the newest first."""
        for row, backup in enumerate(found):
            examined = await self._copies.examine(backup)
            if not isValid(self):
                return
            item = self.list.topLevelItem(row)
            if item is not None and item.data(_DATE, _ROW_ROLE) == backup:
                palette = theme().palette
                name, colour, state = "check", palette.good, _("verified")
                if examined.doubt:
                    name, colour, state = "info", palette.quiet, _("not proven")
                if examined.problem:
                    name, colour, state = "warning", palette.bad, _("damaged")
                item.setIcon(_STATE, icon(name, colour, size_px=16))
                item.setText(_STATE, state)
                item.setToolTip(_STATE, tooltip(examined.problem or examined.doubt))

    async def _make(self) -> None:
        self.result.tell(_("Copying and verifying…"))
        backup = await self._copies.make()
        self.result.tell(_("Made, and verified: {name}").format(name=backup.name), role="good")
        await self._show_list()

    async def _ask(self) -> None:
        """Show what going back would change, and the button that does."""
        if (backup := self.selected) is None:
            return
        changes = await self._copies.run(partial(what_changes, self._copies.database, backup))
        if not isValid(self) or backup != self.selected:
            return
        kept = _(
            "What there is now is kept as a safety copy of its own. The window closes and opens"
            " again."
        )
        self.changes.setText(f"{changes} {kept}")
        self.result.hide()
        self.question.show()
        self.confirm_button.setFocus()
        page = self.parentWidget()
        while page is not None and not isinstance(page, QScrollArea):
            page = page.parentWidget()
        if page is not None:
            await asyncio.sleep(0)  # until the card has its place
            page.ensureWidgetVisible(self.question)

    async def _go_back(self) -> None:
        self.question.hide()
        if (backup := self.selected) is not None:
            self._restore(backup)

    def _on_selected(self) -> None:
        self.question.hide()
        self._update_buttons()

    def _update_buttons(self) -> None:
        self.restore_button.setEnabled(self.selected is not None)
        self.folder_button.setEnabled(self.list.topLevelItemCount() > 0)
