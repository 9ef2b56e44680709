"""Dialog in which somebody replaces their own password or PIN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.person import Person
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.forms import FormDialog
from qhub_desktop.ui.controls.layouts import add_to
from qhub_desktop.ui.people.sign_in import SecretField
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.people.accounts import Accounts, Sessions


class PasswordDialog(FormDialog):
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
            done=_("Change"),
            tasks=tasks,
        )
        self._person = person
        self._accounts = accounts
        self._sessions = sessions
        self._on_changed = on_changed
        self.old = SecretField(_("Password or PIN until now"))
        self.new = SecretField(_("New password or PIN"))
        self.again = SecretField(_("The same once more"))
        add_to(self.column, self.old, self.new, self.again)
        self._end_form()
        self.old.setFocus()

    @override
    def _on_submitted(self) -> None:
        fields = (self.old, self.new, self.again)
        empty = next((each for each in fields if not each.text), None)
        if empty is not None:  # as when Enter follows the first
            empty.setFocus()
        elif self.new.text != self.again.text:
            self._show(_("The two are not the same. Write the second one again."), self.again)
        else:
            self._keep(self._change(self.old.text, self.new.text))

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

    @override
    def _on_error(self, error: QHubError) -> None:
        self._show(str(error), self.old)

    def _show(self, sentence: str, field: SecretField) -> None:
        self.problem.tell(sentence)
        field.clear()
        field.setFocus()
