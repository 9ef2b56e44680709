"""Recovery while there is no main window: the choice to repair damaged data, and the repair."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QProgressBar
from typing_extensions import override

from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.backups import Backup
from qhub_desktop.store.recovery import (
    Restored,
    newest_sound,
    restore,
    shown_moment,
    what_changes,
)
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import add_window_keys
from qhub_desktop.ui.tasks import set_result_once

Wanted = Backup | Literal["newest"]
_WIDTH_PX = 560


class RecoveryDialog(QDialog):
    """Window that stands alone: it offers to repair the data, and shows that they are."""

    def __init__(self) -> None:
        super().__init__()
        set_title(self, "QHub Desktop")
        add_window_keys(self)
        self._answer: asyncio.Future[bool] | None = None
        self._is_busy = False
        self.heading = make_label(role="heading", is_wrapped=True)
        self.words = make_label(is_wrapped=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(_("At work"))
        self.repair_button = TextButton("", kind="primary")
        self.repair_button.clicked.connect(lambda: self._on_answer(is_yes=True))
        self.leave_button = TextButton(_("Close QHub"))
        self.leave_button.setAutoDefault(False)
        self.leave_button.clicked.connect(self.close)
        buttons = row_layout(spacing=8)
        buttons.addStretch(1)
        buttons.addWidget(self.leave_button)
        buttons.addWidget(self.repair_button)
        column = column_layout(self, margins=(24, 20, 24, 18), spacing=12)
        for widget in (self.heading, self.words, self.bar):
            column.addWidget(widget)
        column.addStretch(1)
        column.addLayout(buttons)

    @override
    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, max(self.heightForWidth(_WIDTH_PX), 200))

    def show_choice(self, heading: str, words: str, *, repair: str) -> None:
        """Show the two ways there are."""
        self._fill(heading, words, is_busy=False)
        self.repair_button.set_caption(repair)

    def show_busy(self, heading: str, words: str) -> None:
        """Show that the data are being restored; it can not be closed until they are."""
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

    def _fill(self, heading: str, words: str, *, is_busy: bool) -> None:
        self._is_busy = is_busy
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
                shown.show_choice(heading, f"{words} {changes}".strip(), repair=_("Repair now"))
                if not await shown.answer():
                    return None
                shown.show_busy(_restoring(), "")
                try:
                    return await worker.run(restore, path, backup)
                except UserError as failure:
                    heading, words, changes = _("The data were not repaired"), str(failure), ""
        finally:
            shown.deleteLater()


async def restore_alone(path: Path, wanted: Wanted) -> Restored | UserError:
    """Restore while no window is there; a failure, which changes nothing, is returned."""
    shown = RecoveryDialog()
    shown.show_busy(_restoring(), "")
    with closing(Worker("recovery")) as worker:
        try:
            backup = wanted if isinstance(wanted, Backup) else None
            if backup is None:
                backup = await worker.run(newest_sound, path)
            return await worker.run(partial(restore, path, backup))
        except UserError as error:
            return error
        finally:
            shown.deleteLater()


def _restoring() -> str:
    return _("The data are being restored…")


def repair_sentence(path: Path, backup: Backup | None) -> str:
    """Return what can be done about a file that does not open."""
    if backup is None:
        return _(
            "{path} can not be opened, and there is no safety copy. What can still be read of it"
            " can be put into a new file; the damaged one is kept beside it."
        ).format(path=path)
    return _(
        "{path} can not be opened. It can be restored from the safety copy of {moment}, and what"
        " can still be read of the damaged file is added; that file is kept beside it."
    ).format(path=path, moment=shown_moment(backup))
