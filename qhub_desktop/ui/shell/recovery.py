"""Recovery while there is no main window: the choice to repair damaged data, and the repair.

Where the data that there are tell nobody to be an administrator, one of the safety copy signs in.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QProgressBar
from typing_extensions import override

from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.person import LONGEST_SECRET
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.backups import Backup
from qhub_desktop.store.recovery import (
    Restored,
    account_in,
    accounts_in,
    newest_sound,
    restore,
    shown_moment,
    what_changes,
)
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import caption, text_field
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import add_window_keys
from qhub_desktop.ui.people.sign_in import SecretField
from qhub_desktop.ui.tasks import set_result_once

Wanted = Backup | Literal["newest"]
_RECOVERY_WIDTH_PX = 560


class RecoveryDialog(QDialog):
    """Window that stands alone: it offers to repair the data, and shows that they are."""

    def __init__(self) -> None:
        super().__init__()
        set_title(self, "QHub Desktop")
        add_window_keys(self)
        self._answer: asyncio.Future[bool] | None = None
        self._is_busy = False
        self.heading = make_label(role="heading", is_wrapped=True)
        self.words = make_label(is_wrapped=True, is_selectable=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(_("At work"))
        self.name = text_field(most=LONGEST_SECRET)
        self._name_label = caption(self.name, _("Name or e-mail"))
        self.secret = SecretField(_("Password"))
        self.problem = make_label(role="bad", is_wrapped=True)
        self.repair_button = TextButton("", kind="primary")
        self.repair_button.clicked.connect(lambda: self._on_answer(is_yes=True))
        self.leave_button = TextButton(_("Close QHub"), on_click=self.close)
        self.leave_button.setAutoDefault(False)
        buttons = row_of(STRETCH, self.leave_button, self.repair_button)
        column = column_of(owner=self, margins=(24, 20, 24, 18), spacing=12)
        add_to(column, self.heading, self.words, self.bar)
        who = column_of(self._name_label, self.name, spacing=4)
        add_to(column, who, self.secret, self.problem, STRETCH, buttons)

    @override
    def sizeHint(self) -> QSize:
        return QSize(_RECOVERY_WIDTH_PX, max(self.heightForWidth(_RECOVERY_WIDTH_PX), 200))

    def show_choice(
        self,
        heading: str,
        words: str,
        *,
        repair: str,
        asks_who: bool = False,
        problem: str = "",
    ) -> None:
        """Show the two ways there are, and fields for who goes back to a copy where that is asked.

        `problem` is what was wrong with what was given before.
        """
        self.problem.setText(problem)
        self._fill(heading, words, is_busy=False, asks_who=asks_who)
        self.repair_button.set_caption(repair)
        if asks_who:
            (self.secret if problem else self.name).setFocus()

    def show_busy(self, heading: str, words: str) -> None:
        """Show that the data are being restored; it cannot be closed until they are."""
        self._fill(heading, words, is_busy=True)

    async def answer(self) -> bool:
        """Wait for the person: True to repair, False to leave."""
        self._answer = asyncio.get_running_loop().create_future()
        return await self._answer

    @override
    def reject(self) -> None:
        if not self._is_busy:
            self._on_answer(is_yes=False)
            super().reject()

    def _on_answer(self, *, is_yes: bool) -> None:
        if self._answer is not None:
            set_result_once(self._answer, is_yes)

    def _fill(self, heading: str, words: str, *, is_busy: bool, asks_who: bool = False) -> None:
        self._is_busy = is_busy
        for widget in (self._name_label, self.name, self.secret):
            widget.setVisible(asks_who)
        self.secret.clear()
        self.problem.setVisible(bool(self.problem.text()) and not is_busy)
        self.heading.setText(heading)
        self.words.setText(words)
        self.bar.setVisible(is_busy)
        for button in (self.repair_button, self.leave_button):
            button.setVisible(not is_busy)
        self.adjustSize()
        self.show()
        self.raise_()


async def offer_repair(
    error: DamagedStoreError, *, dialog: Callable[[], RecoveryDialog] = RecoveryDialog
) -> Restored | None:
    """Offer to repair a file that does not open, until it is repaired or the person leaves."""
    path, shown = error.path, dialog()
    with closing(Worker("recovery")) as worker:
        try:
            backup = await worker.run(newest_sound, path)
            heading, words = _("The data are damaged"), repair_sentence(path, backup)
            changes = await worker.run(what_changes, path, backup) if backup else ""
            while True:
                by = await _who_goes_back(
                    shown, worker, backup, heading, f"{words} {changes}".strip(), _("Repair now")
                )
                if by is None:
                    return None
                shown.show_busy(_restoring(), "")
                try:
                    return await worker.run(partial(restore, path, backup, by=by))
                except UserError as failure:
                    heading, words, changes = _("The data were not repaired"), str(failure), ""
        finally:
            shown.deleteLater()


async def restore_alone(
    path: Path,
    wanted: Wanted,
    *,
    by: str | None = None,
    dialog: Callable[[], RecoveryDialog] = RecoveryDialog,
) -> Restored | UserError | None:
    """Restore while no window is there; a failure, which changes nothing, is returned.

    `by` is the administrator who wants it; without one, somebody of the copy is asked to sign in.
    None if they leave it as it is.
    """
    shown = dialog()
    shown.show_busy(_restoring(), "")
    with closing(Worker("recovery")) as worker:
        try:
            backup = wanted if isinstance(wanted, Backup) else None
            if backup is None:
                backup = await worker.run(newest_sound, path)
            if by is None and backup is not None:
                changes = await worker.run(what_changes, path, backup)  # examines it first
                if await worker.run(_has_accounts, backup):
                    heading, act = _("Going back to a safety copy"), _("Go back to it")
                    by = await _who_goes_back(shown, worker, backup, heading, changes, act)
                    if by is None:
                        return None
                    shown.show_busy(_restoring(), "")
            return await worker.run(partial(restore, path, backup, by=by or ""))
        except UserError as error:
            return error
        finally:
            shown.deleteLater()


async def _who_goes_back(
    shown: RecoveryDialog,
    worker: Worker,
    backup: Backup | None,
    heading: str,
    words: str,
    act: str,
) -> str | None:
    """Return the administrator who goes back to a copy, "" where it has no accounts.

    None if the person leaves.
    """
    from qhub_desktop.people.accounts import administrator_of_copy  # Argon2, which few starts need

    asks_who = backup is not None and await worker.run(_has_accounts, backup)
    if asks_who:
        words = f"{words} {signs_in_sentence()}"
    problem = ""
    while True:
        shown.show_choice(heading, words, repair=act, asks_who=asks_who, problem=problem)
        if not await shown.answer():
            return None
        if backup is None or not asks_who:
            return ""
        find = partial(account_in, backup.path)
        try:
            return (await administrator_of_copy(find, shown.name.text(), shown.secret.text)).name
        except UserError as error:
            problem = str(error)


def _has_accounts(backup: Backup) -> bool:
    return accounts_in(backup.path) > 0


def signs_in_sentence() -> str:
    """Return who is to go back to a copy with accounts."""
    return _("An administrator of this safety copy signs in, with the password of then.")


def _restoring() -> str:
    return _("The data are being restored…")


def repair_sentence(path: Path, backup: Backup | None) -> str:
    """Return what can be done about a file that does not open."""
    if backup is None:
        return _(
            "{path} cannot be opened, and there is no safety copy. What can still be read of it"
            " can be put into a new file; the damaged one is kept beside it."
        ).format(path=path)
    return _(
        "{path} cannot be opened. It can be restored from the safety copy of {moment}, and what"
        " can still be read of the damaged file is added; that file is kept beside it."
    ).format(path=path, moment=shown_moment(backup))
