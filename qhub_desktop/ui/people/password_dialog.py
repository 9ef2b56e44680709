"""Dialog in which somebody replaces their own password or PIN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.person import Person
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import make_label, row_layout
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.people.sign_in import SecretField
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.people.accounts import Accounts, Sessions


class PasswordDialog(DetailWindow):
    """Asks for the old secret, and twice for the new one.

    `on_changed` is called with the person when it has been replaced. A session that is kept on this
    computer goes on; those on others end, and so do other programs' here.
    """

    def __init__(
        self,
        person: Person,
        accounts: Accounts,
        sessions: Sessions,
        *,
        on_changed: Callable[[Person], object],
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Change password"),
            subtitle=_("For the account {name}. An operator may choose a PIN.").format(
                name=person.name
            ),
            size=QSize(420, 360),
        )
        self._person = person
        self._accounts = accounts
        self._sessions = sessions
        self._on_changed = on_changed
        self._tasks = tasks
        self.old = SecretField(_("Password or PIN until now"))
        self.new = SecretField(_("New password or PIN"))
        self.again = SecretField(_("The same once more"))
        self.problem = make_label(role="bad", is_wrapped=True)
        self.problem.hide()
        self.save_button = TextButton(_("Change"), kind="primary")
        self.save_button.clicked.connect(self._on_submitted)
        cancel = TextButton(_("Cancel"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.close)
        for field in (self.old, self.new, self.again):
            self.column.addWidget(field)
        self.column.addWidget(self.problem)
        self.column.addStretch(1)
        foot = row_layout(spacing=8)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.save_button)
        self.column.addLayout(foot)
        self.save_button.setDefault(True)  # it must be in the dialog by now
        self.old.setFocus()

    def _on_submitted(self) -> None:
        fields = (self.old, self.new, self.again)
        empty = next((each for each in fields if not each.text), None)
        if empty is not None:  # as when Enter follows the first
            empty.setFocus()
        elif self.new.text != self.again.text:
            self._show(_("The two are not the same. Write the second one again."), self.again)
        else:
            self.save_button.setEnabled(False)
            self.problem.hide()
            # Not ended with the dialog: what has begun is written whole.
            self._tasks.start(self._change(self.old.text, self.new.text), on_error=self._on_error)

    async def _change(self, old: str, new: str) -> None:
        changed = await self._accounts.change_own(self._person, old=old, new=new)
        await asyncio.to_thread(self._remember_again, changed)
        if isValid(self):
            self.close()
        self._on_changed(changed)

    def _remember_again(self, changed: Person) -> None:
        kept = self._sessions.remembered()
        if kept is not None and kept[0] == changed.id:
            self._sessions.remember(changed)

    def _on_error(self, error: QHubError) -> None:
        if isValid(self):
            self._show(str(error), self.old)

    def _show(self, sentence: str, field: SecretField) -> None:
        self.problem.setText(sentence)
        self.problem.show()
        field.clear()
        field.setFocus()
        self.save_button.setEnabled(True)
