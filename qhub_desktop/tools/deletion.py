"""Deletion: what was deleted goes out of every file of the data folder, safety copies excepted."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.paths import EXPORTS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store import Store
from qhub_desktop.store.backups import KEPT_WEEKS, SafetyCopies


@dataclass(frozen=True, slots=True)
class Deleted:
    """What went, as rows by table.

    `is_complete` is False while another program has some of it open: it goes with a later start.
    """

    rows: dict[str, int]
    is_complete: bool

    @property
    def notice(self) -> str:
        """Sentence on what is still to go, "" where nothing is."""
        if self.is_complete:
            return ""
        return _(
            "Another QHub program has the data open. What is left of it in the files goes when QHub"
            " is started the next time."
        )


@dataclass(frozen=True, slots=True)
class HoldingCopies:
    """Safety copies that still hold what was deleted; `until` is the last day of the daily ones."""

    count: int
    others: int  # made by hand, or before an update: they stay until somebody deletes them
    until: date | None

    @property
    def notice(self) -> str:
        """Sentences for a person, "" where there is no copy."""
        if not self.count:
            return ""
        said = ngettext(
            "{count} safety copy still holds it.",
            "{count} safety copies still hold it.",
            self.count,
        )
        told = [said.format(count=self.count)]
        if self.until is not None:
            told.append(
                _("The last of the daily ones goes after {day}.").format(day=self.until.isoformat())
            )
        if self.others:
            told.append(
                _(
                    "Those made by hand or before a change of version stay: delete their files"
                    " where they are to go, too."
                )
            )
        return " ".join(told)


class Deletion:
    """Deletes for good, and takes the rest out of the files."""

    def __init__(
        self, store: Store, workspace: Callable[[], Workspace], copies: SafetyCopies
    ) -> None:
        self._store = store
        self._workspace = workspace
        self._copies = copies

    async def delete_person(self, name: str) -> Deleted:
        """Delete an account with everything that is its person's. Raises UserError.

        Workbooks that answers have made go where they lie in the data folder.
        """
        return Deleted(await self._store.personal_data.delete(name), await self._finish())

    async def delete_conversation(self, id_: ConversationId) -> Deleted:
        """Delete a conversation of one's own; nobody can bring it back. Raises UserError."""
        return Deleted(await self._store.conversations.erase(id_), await self._finish())

    async def sweep(self) -> None:
        """Delete what can be brought back no longer, and end what a kill or a busy file left."""
        await self._store.conversations.purge()
        if await self._store.is_deletion_due():
            await self._finish()

    async def holding_copies(self) -> HoldingCopies:
        """Return which safety copies still hold what is deleted now. Raises UserError."""
        copies = await self._copies.listed()
        daily = [each.made for each in copies if each.reason == "daily"]
        until = max(daily).date() + timedelta(weeks=KEPT_WEEKS) if daily else None
        return HoldingCopies(len(copies), len(copies) - len(daily), until)

    async def _finish(self) -> bool:
        """Take what is gone out of the workspace and the file; return whether all of it is.

        A kill leaves each step to be made again: what is still to go is noted in the file.
        """
        exports = self._store.path.parent / EXPORTS
        has_files = await asyncio.to_thread(_remove, exports, await self._store.leaving_files())
        datasets = self._store.datasets
        released = await datasets.released()
        gone = await self._workspace().remove(released) if released else []
        await datasets.forget_released(gone)
        is_complete = await self._store.erase() and len(gone) == len(released) and not has_files
        if is_complete:
            await self._store.end_deletion()
        return is_complete


def _remove(folder: Path, files: Sequence[str]) -> bool:
    """Remove files; return whether some are left: open in Excel, they go with a later start."""
    is_left = False
    for each in files:
        if Path(each).name == each:  # whatever stands in the file
            try:
                (folder / each).unlink(missing_ok=True)
            except OSError:
                is_left = True
    return is_left
