"""Data panel: the data sets that questions in the open conversation can use."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QWidget,
)

from qhub_desktop.core.dataset import LOG_ID, DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.store.defects import DefectRepository
from qhub_desktop.ui.controls.buttons import IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.notices import Action
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.data_panel.actions import DatasetChanges, DatasetExport
from qhub_desktop.ui.data_panel.dataset_card import DatasetCard, Part
from qhub_desktop.ui.data_panel.defect_import import DefectOffers
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.defects import DefectImporter
    from qhub_desktop.ui.importing.report_window import ReportWindow
    from qhub_desktop.ui.table.window import TableWindow


@dataclass(slots=True)
class FileGroup:
    """Data sets of one file, the biggest sheet first."""

    file: str
    used: list[DatasetProfile] = field(default_factory=list)
    unused: list[DatasetProfile] = field(default_factory=list)

    @property
    def sheets(self) -> int:
        """Number of its sheets in the conversation."""
        return len(self.used) + len(self.unused)

    @property
    def is_workbook(self) -> bool:
        """Whether its sheets are listed under the file name; a single sheet has no heading."""
        return self.sheets > 1 or not self.used


def group_by_file(
    used: Sequence[DatasetProfile], unused: Sequence[DatasetProfile]
) -> list[FileGroup]:
    """Group data sets by file, in the order in which the conversation shows them."""
    groups: dict[tuple[str, str], FileGroup] = {}
    for profile in used:
        _group(groups, profile).used.append(profile)
    for profile in unused:
        _group(groups, profile).unused.append(profile)
    for group in groups.values():
        group.used.sort(key=lambda each: -each.rows)
        group.unused.sort(key=lambda each: -each.rows)
    return list(reversed(groups.values()))


def _group(groups: dict[tuple[str, str], FileGroup], profile: DatasetProfile) -> FileGroup:
    return groups.setdefault((profile.sha256, profile.file), FileGroup(profile.file))


MAX_SHEETS = 6  # unused sheets listed; a workbook may have 255


class FileHeading(QWidget):
    """Heading above the sheets of one file."""

    def __init__(self, file: str, sheets: int) -> None:
        super().__init__()
        counted = ngettext("{count} sheet", "{count} sheets", sheets).format(count=sheets)
        said = make_label(counted, role="small")
        self.setAccessibleName(f"{file}, {counted}")
        name = ElidedLabel(file, role="heading", mode=Qt.TextElideMode.ElideMiddle)
        sign = IconLabel("file", "accent", size_px=18)
        row_of(sign, (name, 1), said, owner=self, margins=(6, 6, 6, 0))


class UnusedSheets(QWidget):
    """List of the data sets of a file that are excluded from questions, each with a check box.

    Signals:
        use_requested: the id of a data set to include.
    """

    use_requested = Signal(str)

    def __init__(self, profiles: list[DatasetProfile]) -> None:
        super().__init__()
        self.profiles = profiles
        self.boxes: list[QCheckBox] = []
        self._column = column_of(owner=self, margins=(16, 0, 8, 0), spacing=0)
        self._add(profiles[:MAX_SHEETS])
        rest = profiles[MAX_SHEETS:]
        if rest:
            words = ngettext("Show {count} more sheet", "Show {count} more sheets", len(rest))
            more = TextButton(words.format(count=len(rest)), kind="link")
            more.clicked.connect(lambda: self._on_more_clicked(more, rest))
            self._column.addWidget(more)

    def _add(self, profiles: list[DatasetProfile]) -> None:
        for profile in profiles:
            name = profile.sheet or profile.file
            rows = ngettext("{count} row", "{count} rows", profile.rows)
            counted = make_label(rows.format(count=number(profile.rows, digits=0)), role="small")
            box = QCheckBox()
            box.setAccessibleName(_("Use {sheet} in the conversation").format(sheet=name))
            set_tooltip(box, _("Use in the conversation"))
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.toggled.connect(lambda _is_checked, id_=profile.id: self.use_requested.emit(id_))
            line = row_of(box, (ElidedLabel(name, role="quiet"), 1), counted, spacing=4)
            self.boxes.append(box)
            self._column.addLayout(line)

    def _on_more_clicked(self, button: TextButton, rest: list[DatasetProfile]) -> None:
        button.hide()
        self._add(rest)


class DataPanel(QFrame):
    """Panel of the data sets of one conversation; without any, it shows the defect log.

    Signals:
        files_requested: choose files to import.
        changed: a data set was removed, restored, included or excluded.
        card_made: a card was added to the panel.
        undo_offered: what was done, and the function that undoes it.
    """

    files_requested = Signal()
    changed = Signal()
    card_made = Signal(DatasetCard)
    undo_offered = Signal(str, object)

    def __init__(
        self,
        *,
        datasets: DatasetRepository,
        defects: DefectRepository,
        workspace: Callable[[], Workspace],
        conversation_datasets: Callable[[], ConversationDatasets],
        defect_importer: Callable[[], DefectImporter],
        tasks: Tasks,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._datasets = datasets
        self._workspace = workspace
        self._conversation_datasets = conversation_datasets
        self._tasks = tasks
        self._conversation: ConversationId | None = None
        self._lock = asyncio.Lock()
        self._profiles: tuple[DatasetProfile, ...] = ()
        self._unused: tuple[DatasetProfile, ...] = ()
        self.cards: list[DatasetCard] = []
        self.headings: list[FileHeading] = []
        self.unused: list[UnusedSheets] = []
        self.changes = DatasetChanges(
            datasets=datasets,
            workspace=workspace,
            tasks=tasks,
            offer_undo=self.undo_offered.emit,
            refresh=self._refresh,
        )
        self.windows = DataWindows(
            workspace=workspace,
            changes=self.changes,
            shown=lambda: self.held,
            tasks=tasks,
            parent=self,
        )
        self.defects = DefectOffers(
            defects=defects,
            importer=defect_importer,
            tasks=tasks,
            refresh=self.refresh,
            shown=self.card,
            parent=self,
        )
        self.card_made.connect(self.defects.offer_import)
        self.export = DatasetExport(workspace, host=self.card, tasks=tasks, parent=self)
        self.windows.export_requested.connect(self.export.ask)
        self._hint = make_label(role="quiet", is_wrapped=True)
        self._hint.setContentsMargins(4, 8, 4, 0)
        self._lay_out()

    @property
    def profiles(self) -> tuple[DatasetProfile, ...]:
        """Data sets that questions can use, in the order shown."""
        return self._profiles

    @property
    def held(self) -> tuple[DatasetProfile, ...]:
        """All data sets of the conversation, whether or not questions use them."""
        return (*self._profiles, *self._unused)

    def card(self, dataset_id: str) -> DatasetCard | None:
        """Return the card of a data set; None if it is not shown."""
        return next((card for card in self.cards if card.profile.id == dataset_id), None)

    async def show_conversation(self, conversation: ConversationId | None) -> None:
        """Show the data sets of a conversation; `None` is one that has not begun."""
        async with self._lock:
            conversation_datasets = self._conversation_datasets()
            found = (
                await conversation_datasets.profiles(conversation)
                if conversation
                else (await conversation_datasets.log(),)
            )
            unused = await self._excluded_profiles(conversation) if conversation else ()
            if conversation != self._conversation:
                self._conversation = conversation
                self._clear()
            await self._show(found, unused)

    async def offer_actions(
        self, conversation: ConversationId, profiles: Sequence[DatasetProfile]
    ) -> None:
        """Offer the actions that fit data sets just added to a conversation."""
        from qhub_desktop.data.query.diff import is_same_export  # not before the first paint

        if conversation != self._conversation:
            return
        new = {profile.id for profile in profiles}
        for profile in self._profiles:
            card = self.card(profile.id)
            if profile.id not in new or card is None:
                continue
            for old in self._profiles:  # the last dropped first
                if old.id not in new and old.sha256 and is_same_export(old, profile):
                    await self._offer_version(conversation, card, old)
                    break

    def preview(self, profile: DatasetProfile) -> TableWindow:
        """Open a window with all rows of a data set."""
        return self.windows.preview(profile)

    def report(self, profile: DatasetProfile) -> ReportWindow | None:
        """Open the import report of a data set; return None if there is none."""
        if self._conversation is None:
            return None
        return self.windows.report(self._conversation, profile)

    async def _excluded_profiles(self, conversation: ConversationId) -> tuple[DatasetProfile, ...]:
        unused = []
        for pin in await self._datasets.pinned(conversation, include_unused=True):
            if pin.is_used:
                continue
            try:
                profile = await self._workspace().profile(pin.dataset_id)
            except UserError:
                continue  # its rows are not on this machine any more
            unused.append(replace(profile, dataset=pin.name))
        return tuple(unused)

    async def _refresh(self, conversation: ConversationId) -> None:
        if self._conversation == conversation:
            await self.show_conversation(conversation)
        self.changed.emit()

    async def refresh(self) -> None:
        """Show the data sets anew, which something beside the panel has changed."""
        await self.show_conversation(self._conversation)
        self.changed.emit()

    async def _show(
        self, found: Sequence[DatasetProfile], unused: tuple[DatasetProfile, ...]
    ) -> None:
        dropped = [profile for profile in found if profile.id != LOG_ID]
        log = [profile for profile in found if profile.id == LOG_ID]
        groups = group_by_file(dropped, unused)
        shown = (*(profile for group in groups for profile in group.used), *log)
        if shown != self._profiles or unused != self._unused:
            made = await self._rebuild(groups, log)
            self._profiles, self._unused = shown, unused
            for card in made:
                self.card_made.emit(card)
        self._hint.setText(
            ""
            if groups
            else _(
                "Drop an Excel or CSV file anywhere on the window to ask about it. Until then"
                " questions go to the defect log."
            )
        )
        self._hint.setHidden(bool(groups))
        self.windows.update_reports()

    def _clear(self) -> None:
        """Remove everything of the previous conversation: cards, their states and their offers."""
        for card in self.cards:
            card.hide()
            card.deleteLater()
        self.cards = []
        self._profiles = self._unused = ()

    async def _rebuild(
        self, groups: Sequence[FileGroup], log: Sequence[DatasetProfile]
    ) -> list[DatasetCard]:
        """Update the column and return the new cards.

        Cards that remain keep their state and their offers.
        """
        kept = {card.profile.id: card for card in self.cards}
        cards: list[DatasetCard] = []
        for gone in (*self.headings, *self.unused):
            gone.hide()
            gone.deleteLater()
        self.headings, self.unused = [], []
        self._next_index = 0
        for group in groups:
            if group.is_workbook:
                heading = FileHeading(group.file, group.sheets)
                self.headings.append(heading)
                self._insert(heading)
            for profile in group.used:
                part: Part = "sheet" if group.is_workbook else "file"
                cards.append(await self._insert_card(profile, part, kept, is_first=not cards))
            if group.unused:
                rest = UnusedSheets(group.unused)
                rest.use_requested.connect(self._on_use_requested)
                self.unused.append(rest)
                self._insert(rest)
        for profile in log:
            cards.append(await self._insert_card(profile, "log", kept, is_first=not cards))
        before, self.cards = self.cards, cards
        for card in kept.values():
            card.hide()
            card.deleteLater()
        return [card for card in cards if card not in before]

    async def _insert_card(
        self,
        profile: DatasetProfile,
        part: Part,
        kept: dict[str, DatasetCard],
        *,
        is_first: bool,
    ) -> DatasetCard:
        card = kept.get(profile.id)
        if card is not None and card.part == part and _is_same(card.profile, profile):
            del kept[profile.id]
            card.show_name(profile)
        else:
            is_open = card.is_open if card else is_first
            card = DatasetCard(profile, part=part, is_open=is_open)
            self._connect(card)
        self._insert(card)
        await asyncio.sleep(0)  # let the window paint: a workbook may have hundreds of sheets
        return card

    def _insert(self, widget: QWidget) -> None:
        self._list.insertWidget(self._next_index, widget)
        self._next_index += 1

    def _connect(self, card: DatasetCard) -> None:
        changes = self.changes
        card.preview_requested.connect(lambda: self.preview(card.profile))
        card.report_requested.connect(lambda: self.report(card.profile))
        card.export_requested.connect(lambda kind: self.export.ask(card.profile, kind))
        card.renamed.connect(
            lambda typed: self._change(lambda each: changes.rename(each, card.profile, typed))
        )
        card.exclude_requested.connect(
            lambda: self._change(lambda each: changes.set_used(each, card.profile, is_used=False))
        )
        card.removal_requested.connect(
            lambda: self._change(lambda each: changes.remove(each, card.profile))
        )

    def _change(self, change: Callable[[ConversationId], Coroutine[Any, Any, None]]) -> None:
        if self._conversation is not None:
            self._tasks.start(change(self._conversation))

    async def _offer_version(
        self, conversation: ConversationId, card: DatasetCard, old: DatasetProfile
    ) -> None:
        new = card.profile
        compared = await self._workspace().compare(old.id, new.id)
        if self.card(new.id) is not card:
            return  # removed meanwhile
        words = _("A newer version of {name}. {what_changed}").format(
            name=old.dataset, what_changed=compared.sentence
        )
        replace_, append = (
            lambda: self._tasks.start(self.changes.replace(conversation, old, new)),
            lambda: self._tasks.start(self.changes.append(conversation, old, new)),
        )
        actions: list[Action] = [(_("Replace"), replace_)]
        if compared.rows_added:
            actions.append((_("Append"), append))
        card.offer(words, [*actions, (_("Keep both"), lambda: None)])

    def _on_use_requested(self, dataset_id: str) -> None:
        for profile in self._unused:
            if profile.id == dataset_id:
                use = partial(self.changes.set_used, profile=profile, is_used=True)
                self._change(use)

    def _lay_out(self) -> None:
        inside = QWidget()
        self._list = column_of(
            self._hint, STRETCH, owner=inside, margins=(12, 4, 12, 12), spacing=10
        )
        column_of((scrolled(inside), 1), owner=self, spacing=0)


def _is_same(one: DatasetProfile, other: DatasetProfile) -> bool:
    """Return whether two profiles are equal but for the name."""
    return one is other or replace(one, dataset=other.dataset) == other


class DataWindows(QObject):
    """Open preview and report windows.

    `shown` returns the data sets of the conversation.

    Signals:
        export_requested: a profile, the format to export its rows to, and the view of them.
    """

    export_requested = Signal(object, str, object)

    def __init__(
        self,
        *,
        workspace: Callable[[], Workspace],
        changes: DatasetChanges,
        shown: Callable[[], Sequence[DatasetProfile]],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._changes = changes
        self._profiles = shown
        self._tasks = tasks
        self._parent = parent
        self.previews: list[TableWindow] = []
        self.reports: list[ReportWindow] = []

    def preview(self, profile: DatasetProfile) -> TableWindow:
        """Open a window with all rows of a data set."""
        from qhub_desktop.ui.table.window import TableWindow  # not before the first paint

        window = TableWindow(
            profile, workspace=self._workspace(), tasks=self._tasks, parent=self._parent
        )
        self.previews.append(window)
        window.export_requested.connect(self.export_requested)
        window.destroyed.connect(lambda: self.previews.remove(window))
        window.show()
        return window

    def report(self, conversation: ConversationId, profile: DatasetProfile) -> ReportWindow | None:
        """Open the import report, or bring it to the front; return None if there is none."""
        if profile.report is None:
            return None
        from qhub_desktop.ui.importing.report_window import ReportActions, ReportWindow

        for window in self.reports:
            if window.profile.id == profile.id:
                window.raise_()
                window.activateWindow()
                return window
        window = ReportWindow(
            profile,
            profile.report,
            ReportActions(
                head=lambda each: self._workspace().head(each.id),
                read_again=lambda each, choices, tell: self._changes.read_again(
                    conversation, each, choices, tell
                ),
                sheets=self._sheets_of_file,
            ),
            tasks=self._tasks,
            parent=self._parent,
        )
        self.reports.append(window)
        window.destroyed.connect(lambda: self.reports.remove(window))
        window.show()
        return window

    def update_reports(self) -> None:
        """Update open reports whose data set was replaced by another one."""
        shown = self._profiles()
        for window in self.reports:
            before = window.profile
            if any(each.id == before.id for each in shown):
                continue
            for each in shown:
                if each.place == before.place and each.report:
                    window.show_profile(each, each.report)

    def _sheets_of_file(self, profile: DatasetProfile) -> list[DatasetProfile]:
        return [each for each in self._profiles() if each.sha256 == profile.sha256]
