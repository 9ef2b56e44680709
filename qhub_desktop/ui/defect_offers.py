"""What can be done with a table of defects that was dropped: count it, add it to the log."""

from __future__ import annotations  # the shelf is imported after the first paint

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.defect import DefectMapping
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.store import Store
from qhub_desktop.ui.dataset_card import DatasetCard
from qhub_desktop.ui.offer_box import Action
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

if TYPE_CHECKING:
    from qhub_desktop.data.defects import Proposal
    from qhub_desktop.tools.defect_log import DefectLog
    from qhub_desktop.tools.shelf import Shelf
    from qhub_desktop.ui.defect_mapping import DefectMappingDialog


class DefectOffers:
    """Puts its offers on the cards of data sets.

    `refresh` is called when the log or a mapping has changed; `shown` gives the card of a data set
    as it is after that, if it is still there.
    """

    def __init__(
        self,
        *,
        store: Store,
        shelf: Callable[[], Shelf],
        tasks: Tasks,
        refresh: Callable[[], Awaitable[None]],
        shown: Callable[[str], DatasetCard | None],
        palette: Callable[[], Palette],
        parent: QWidget,
    ) -> None:
        self._store = store
        self._shelf = shelf
        self._tasks = tasks
        self._refresh = refresh
        self._shown = shown
        self._palette = palette
        self._parent = parent
        self.dialog: DefectMappingDialog | None = None

    def consider(self, card: DatasetCard) -> None:
        """Offer what fits, if the card's data set is a table of defects that is not in the log."""
        if not card.is_log:
            looking = self._tasks.start(self._consider(card), on_error=_unsaid)
            card.destroyed.connect(looking.cancel)

    async def _consider(self, card: DatasetCard) -> None:
        log = self._log()
        if await log.is_appended(card.profile):
            return
        proposal = await log.proposal(card.profile)
        if proposal is None:
            return
        check = (_("Check the columns"), lambda: self._ask(card, proposal))
        if proposal.is_confirmed or proposal.is_certain:
            add = (
                _("Add to the defects"),
                lambda: self._start(card, self._append(card, proposal.mapping)),
            )
            card.offer(_("This is a table of defects."), [add, check])
        else:
            card.offer(_("This looks like a table of defects."), [check])

    def _ask(self, card: DatasetCard, proposal: Proposal) -> None:
        # Not before it is needed: most files are no tables of defects.
        from qhub_desktop.data.plant_words import meaning_of
        from qhub_desktop.ui.defect_mapping import DefectMappingDialog

        log = self._log()
        dialog = DefectMappingDialog(
            card.profile,
            proposal.mapping,
            words=lambda mapping, field: log.words(card.profile, mapping, field),
            recognise=meaning_of,
            tasks=self._tasks,
            palette=self._palette(),
            parent=self._parent,
        )
        dialog.confirmed.connect(lambda mapping: self._start(card, self._confirm(card, mapping)))
        dialog.rejected.connect(lambda: self._start(card, self._consider_again(card)))
        dialog.destroyed.connect(self._on_dialog_destroyed)
        self.dialog = dialog
        dialog.show()

    async def _confirm(self, card: DatasetCard, mapping: DefectMapping) -> None:
        await self._log().confirm(card.profile, mapping)
        await self._refresh()
        await self._consider_again(card)

    async def _consider_again(self, card: DatasetCard) -> None:
        """A card that was made anew has been considered; one that stayed has not."""
        if self._shown(card.profile.id) is card:
            await self._consider(card)

    async def _append(self, card: DatasetCard, mapping: DefectMapping) -> None:
        from qhub_desktop.tools.defect_log import told

        came = await self._log().append(card.profile, mapping)
        await self._refresh()
        undo: list[Action] = []
        if (number := came.id) is not None:
            undo = [(_("Undo"), lambda: self._start(card, self._take_back(card, number)))]
        self._say(card, told(came), undo)

    async def _take_back(self, card: DatasetCard, appended: int) -> None:
        await self._log().take_back(appended)
        await self._refresh()
        await self._consider_again(card)

    def _start(self, card: DatasetCard, doing: Coroutine[Any, Any, None]) -> None:
        self._tasks.start(doing, on_error=lambda error: self._say(card, str(error), []))

    def _say(self, card: DatasetCard, words: str, actions: list[Action]) -> None:
        shown = self._shown(card.profile.id)
        if shown is not None:
            shown.offer(words, actions)

    def _on_dialog_destroyed(self) -> None:
        self.dialog = None

    def _log(self) -> DefectLog:
        from qhub_desktop.tools.defect_log import DefectLog

        return DefectLog(self._store, self._shelf())


def _unsaid(_error: QHubError) -> None:
    """Nobody has asked for anything yet: what can not be looked at is simply not offered."""
