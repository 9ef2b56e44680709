"""What a person changes about the data sets of a conversation, each time with a way back."""

from __future__ import annotations  # the workspace is imported after the first paint

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.store import Store
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.undo_bar import UndoBar

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Progress, Workspace


class DatasetChanges:
    """`refresh` shows a conversation again after something in it has changed."""

    def __init__(
        self,
        *,
        store: Store,
        workspace: Callable[[], Workspace],
        tasks: Tasks,
        undo: UndoBar,
        refresh: Callable[[str], Awaitable[None]],
    ) -> None:
        self._store = store
        self._workspace = workspace
        self._tasks = tasks
        self._undo = undo
        self._refresh = refresh

    async def remove(self, conversation: str, profile: DatasetProfile) -> None:
        """Take a data set out of the conversation."""
        await self._store.unpin_dataset(conversation, profile.id)
        await self._refresh(conversation)

        async def back() -> None:
            await self._store.pin_dataset(conversation, profile.id, profile.dataset)
            await self._refresh(conversation)

        self._offer(_("Taken out: {file}").format(file=profile.file), back)

    async def use(self, conversation: str, profile: DatasetProfile, *, is_used: bool) -> None:
        """Let questions be about it, or not."""
        await self._store.use_dataset(conversation, profile.id, is_used=is_used)
        await self._refresh(conversation)
        if is_used:
            return

        async def back() -> None:
            await self._store.use_dataset(conversation, profile.id, is_used=True)
            await self._refresh(conversation)

        self._offer(_("Not used: {name}").format(name=profile.sheet or profile.file), back)

    async def rename(self, conversation: str, profile: DatasetProfile, typed: str) -> None:
        """Call it otherwise in questions. Raises UserError for what can be no name."""
        from qhub_desktop.data.naming import dataset_name, slug  # not before it is needed

        if not slug(typed):
            raise UserError(_("A name has at least one letter or digit. Type another one."))
        await self._store.rename_dataset(conversation, profile.id, dataset_name(typed))
        await self._refresh(conversation)

        async def back() -> None:
            await self._store.rename_dataset(conversation, profile.id, profile.dataset)
            await self._refresh(conversation)

        self._offer(_("It was called {name}").format(name=profile.dataset), back)

    async def read_again(
        self,
        conversation: str,
        profile: DatasetProfile,
        choices: ImportChoices,
        on_progress: Callable[[Progress], None],
    ) -> DatasetProfile:
        """Read the file under other choices; what comes of it takes the place of what was there."""
        made = await self._workspace().read_again(profile.id, choices, on_progress=on_progress)
        await self._put_in_place(conversation, profile, made)
        return made

    async def replace(self, conversation: str, old: DatasetProfile, new: DatasetProfile) -> None:
        """Let a newer version, which is in the conversation too, be all that is left."""

        async def back() -> None:
            await self._store.replace_dataset(conversation, new.id, old.id)
            await self._store.pin_dataset(conversation, new.id, new.dataset)
            await self._refresh(conversation)

        await self._store.replace_dataset(conversation, old.id, new.id)
        await self._refresh(conversation)
        self._offer(_("Replaced: {file}").format(file=old.file), back)

    async def append(self, conversation: str, old: DatasetProfile, new: DatasetProfile) -> None:
        """Add the rows that are new to the old ones; one data set is left of the two."""
        whole = await self._workspace().append(old.id, new.id)

        async def back() -> None:
            await self._store.replace_dataset(conversation, whole.id, old.id)
            await self._store.pin_dataset(conversation, new.id, new.dataset)
            await self._refresh(conversation)

        await self._store.replace_dataset(conversation, old.id, whole.id)
        await self._store.unpin_dataset(conversation, new.id)
        await self._refresh(conversation)
        self._offer(_("Appended to {name}").format(name=old.dataset), back)

    async def _put_in_place(
        self, conversation: str, old: DatasetProfile, new: DatasetProfile
    ) -> None:
        if old.id == new.id:
            return
        await self._store.replace_dataset(conversation, old.id, new.id)
        await self._refresh(conversation)

        async def back() -> None:
            await self._store.replace_dataset(conversation, new.id, old.id)
            await self._refresh(conversation)

        self._offer(_("Read again: {file}").format(file=new.file), back)

    def _offer(self, said: str, back: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._undo.offer(said, lambda: self._tasks.start(back()))
