"""The right column: the data sets that the open conversation may ask about."""

from __future__ import annotations  # workspace and shelf are imported after the first paint

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.store import Store
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.dataset_card import DatasetCard
from qhub_desktop.ui.preview_window import PreviewWindow
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Painted, Palette
from qhub_desktop.ui.undo_bar import UndoBar

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.tools.shelf import Shelf


class DataPanel(QFrame):
    """Shows the data sets of one conversation, or the station's log where none was dropped.

    Signals:
        files_wanted: the person wants to choose files.
        changed: a data set was taken out, or put back.
    """

    files_wanted = Signal()
    changed = Signal()

    def __init__(
        self,
        *,
        store: Store,
        workspace: Callable[[], Workspace],
        shelf: Callable[[], Shelf],
        tasks: Tasks,
        palette: Palette,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._store = store
        self._workspace = workspace
        self._shelf = shelf
        self._tasks = tasks
        self._palette = palette
        self._conversation: str | None = None
        self._profiles: tuple[DatasetProfile, ...] = ()
        self.cards: list[DatasetCard] = []
        self._previews: list[PreviewWindow] = []

        heading = QLabel(_("Data"))
        heading.setProperty("role", "heading")
        self._add = WordButton(_("Add file"), palette, icon_name="plus", kind="flat")
        self._add.setToolTip(_("Choose files ({key})").format(key="Ctrl+O"))
        self._add.clicked.connect(self.files_wanted)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 4)
        head.addWidget(heading, 1)
        head.addWidget(self._add)
        self._hint = QLabel()
        self._hint.setProperty("role", "quiet")
        self._hint.setWordWrap(True)
        self._hint.setContentsMargins(4, 8, 4, 0)
        inside = QWidget()
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(12, 4, 12, 12)
        self._list.setSpacing(10)
        self._list.addWidget(self._hint)
        self._list.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside.setAutoFillBackground(False)
        self._scroll.viewport().setAutoFillBackground(False)
        self.undo = UndoBar(tasks, palette)
        undo = QHBoxLayout()
        undo.setContentsMargins(8, 0, 8, 8)
        undo.addWidget(self.undo)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        column.addLayout(undo)

    @property
    def profiles(self) -> tuple[DatasetProfile, ...]:
        """What is shown, in the order it is shown."""
        return self._profiles

    async def show_conversation(self, conversation: str | None) -> None:
        """Show what this conversation may ask about; `None` is one that has not begun."""
        from qhub_desktop.tools.shelf import LOG_ID  # not before the first paint

        shelf = self._shelf()
        found = await shelf.profiles(conversation) if conversation else (await shelf.log(),)
        dropped = [profile for profile in found if profile.id != LOG_ID]
        log = [profile for profile in found if profile.id == LOG_ID]
        self._conversation = conversation
        self._show((*reversed(dropped), *log), log_id=LOG_ID)
        self._hint.setText(
            ""
            if dropped
            else _(
                "Drop an Excel or CSV file anywhere on the window to ask about it. Until then"
                " questions go to the station's own log of defects."
            )
        )
        self._hint.setHidden(bool(dropped))

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        painted: list[Painted] = [self._add, self.undo, *self.cards, *self._previews]
        for each in painted:
            each.set_palette(palette)

    def preview(self, profile: DatasetProfile) -> PreviewWindow:
        """Open all its rows in a window of their own."""
        window = PreviewWindow(
            profile,
            workspace=self._workspace(),
            tasks=self._tasks,
            palette=self._palette,
            parent=self,
        )
        self._previews.append(window)
        window.destroyed.connect(lambda: self._previews.remove(window))
        window.show()
        return window

    def _show(self, profiles: Sequence[DatasetProfile], *, log_id: str) -> None:
        if tuple(profiles) == self._profiles:
            return
        self._profiles = tuple(profiles)
        for card in self.cards:
            card.deleteLater()
            card.hide()
        self.cards = [
            DatasetCard(
                profile, self._palette, is_log=profile.id == log_id, is_open=profile is profiles[0]
            )
            for profile in profiles
        ]
        for position, card in enumerate(self.cards):
            profile = card.profile
            card.preview_wanted.connect(lambda profile=profile: self.preview(profile))
            card.removal_wanted.connect(
                lambda profile=profile: self._tasks.start(self._remove(profile))
            )
            self._list.insertWidget(position, card)

    async def _remove(self, profile: DatasetProfile) -> None:
        conversation = self._conversation
        if conversation is None:
            return
        await self._store.unpin_dataset(conversation, profile.id)
        await self.show_conversation(conversation)
        self.undo.offer(
            _("Taken out: {file}").format(file=profile.file),
            lambda: self._tasks.start(self._put_back(conversation, profile)),
        )
        self.changed.emit()

    async def _put_back(self, conversation: str, profile: DatasetProfile) -> None:
        await self._store.pin_dataset(conversation, profile.id, profile.dataset)
        if self._conversation == conversation:
            await self.show_conversation(conversation)
        self.changed.emit()
