"""Import of defects into the station's log: the offer, and the mapping of columns."""

from __future__ import annotations  # the data sets are imported after the first paint

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QGridLayout,
    QHeaderView,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dataset import (
    DEFECT_FIELDS,
    DEFECT_WORDS,
    DatasetProfile,
    DefectMapping,
    describe_append,
)
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import cell, gettext_noop
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.defects import DefectRepository
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.notices import Action
from qhub_desktop.ui.controls.plain_text import one_line, set_title
from qhub_desktop.ui.controls.popup import add_window_keys, fit_screen
from qhub_desktop.ui.data_panel.dataset_card import DatasetCard
from qhub_desktop.ui.tasks import Tasks, WidgetTasks, cancel_with

if TYPE_CHECKING:
    from qhub_desktop.data.defect_recognition import MappingProposal
    from qhub_desktop.tools.defects import DefectImporter

FIELDS = {
    "id": gettext_noop("Number of the record"),
    "data": gettext_noop("Date"),
    "turno": gettext_noop("Shift"),
    "operador": gettext_noop("Operator"),
    "tipo_defeito": gettext_noop("Type of defect"),
    "material": gettext_noop("Material"),
    "rack": gettext_noop("Rack"),
    "posicao": gettext_noop("Position"),
}
REQUIRED_FIELDS = ("data", "tipo_defeito")
PREVIEW_ROWS = 4
MAX_WORDS = 80  # words offered for translation; further ones are kept unchanged

Words = Callable[[DefectMapping, str], Awaitable[tuple[str, ...]]]


class DefectMappingDialog(QDialog):
    """Modeless dialog that maps the columns and words of a file to those of the log.

    `words` returns the words of a file for a field under a mapping.

    Signals:
        confirmed: the mapping to use, and to remember for files with these columns.
    """

    confirmed = Signal(object)

    def __init__(
        self,
        profile: DatasetProfile,
        mapping: DefectMapping,
        *,
        words: Words,
        recognise: Callable[[str, str], str | None],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_title(self, _("Defects in {file}").format(file=profile.file))
        add_window_keys(self, [("Enter", _("Confirm"))])
        self._profile = profile
        self._mapping = mapping
        self._words = words
        self._recognise = recognise
        self._work = WidgetTasks(self, tasks, lambda error: self._problem_label.setText(str(error)))
        self.column_boxes = {field: self._columns_box(field) for field in DEFECT_FIELDS}
        self.meaning_boxes: dict[tuple[str, str], QComboBox] = {}

        # Which column holds what, the first rows, and what their words mean.
        intro = make_label(
            _(
                "This looks like a table of defects. Check which column holds what; it is"
                " remembered for files with the same columns."
            )
        )
        intro.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(6)
        for place, field in enumerate(DEFECT_FIELDS):
            row, side = place % 4, place // 4 * 2
            label = make_label(_(FIELDS[field]))
            label.setBuddy(self.column_boxes[field])
            self._grid.addWidget(label, row, side)
            self._grid.addWidget(self.column_boxes[field], row, side + 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        self._preview = self._table()
        self._words_heading = make_label(_("What the file's words mean"), role="heading")
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setMinimumHeight(120)
        self._problem_label = make_label(role="warn", is_wrapped=True)
        self.confirm_button = TextButton(_("Confirm"), kind="primary")
        self.confirm_button.clicked.connect(self._on_confirm_clicked)
        self.cancel_button = TextButton(_("Cancel"), on_click=self.reject)
        self.cancel_button.setAutoDefault(False)
        foot = row_of((self._problem_label, 1), self.cancel_button, self.confirm_button)
        column = column_of(owner=self, margins=(24, 20, 24, 16), spacing=12)
        add_to(
            column, intro, self._grid, self._preview, self._words_heading, (self._scroll, 1), foot
        )
        fit_screen(self, QSize(720, 560))
        for field, box in self.column_boxes.items():
            box.currentIndexChanged.connect(lambda _at, field=field: self._on_changed(field))
        self._show_columns()
        self._load_words()

    @property
    def mapping(self) -> DefectMapping:
        """Mapping as currently chosen."""
        pairs = ((field, self.column_boxes[field].currentData()) for field in DEFECT_FIELDS)
        columns = tuple((field, column) for field, column in pairs if column)
        words = tuple(
            (field, word, str(box.currentData()))
            for (field, word), box in self.meaning_boxes.items()
        )
        asked = {(field, word) for field, word, _meaning in words}
        kept = tuple(
            each
            for each in self._mapping.words
            if each[:2] not in asked and self._is_as_proposed(each[0])
        )
        return DefectMapping(columns, (*kept, *words))

    def _columns_box(self, field: str) -> QComboBox:
        box = _FormComboBox()
        box.setAccessibleName(_(FIELDS[field]))
        box.setMinimumContentsLength(12)
        box.addItem(_("(none)"), "")
        for column in self._profile.columns:
            if field != "data" or column.type in ("date", "datetime"):
                box.addItem(one_line(column.name), column.name)
        box.setCurrentIndex(max(0, box.findData(self._mapping.column(field) or "")))
        return box

    def _table(self) -> QTableWidget:
        rows = self._profile.preview.rows[:PREVIEW_ROWS]
        table = QTableWidget(len(rows), 0)
        table.setAccessibleName(_("First rows"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.verticalHeader().hide()
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        height = table.verticalHeader().defaultSectionSize()
        table.setFixedHeight((len(rows) + 2) * height)  # a heading, and a scroll bar if it is wide
        return table

    def _show_columns(self) -> None:
        """Preview the first rows under the mapping, and list what still prevents the import."""
        mapping = self.mapping
        names = self._profile.preview.names
        fields = [(field, column) for field, column in mapping.columns if column in names]
        self._preview.setColumnCount(len(fields))
        self._preview.setHorizontalHeaderLabels([_(FIELDS[field]) for field, _column in fields])
        for at, (field, column) in enumerate(fields):
            cells = list(self._profile.preview.cells(column))[:PREVIEW_ROWS]
            for row, value in enumerate(cells):
                words = cell(value)
                shown = mapping.meaning(field, words) if field in DEFECT_WORDS else words
                self._preview.setItem(row, at, QTableWidgetItem(one_line(shown)))
        chosen = [column for _field, column in mapping.columns]
        lacking = [_(FIELDS[field]) for field in REQUIRED_FIELDS if mapping.column(field) is None]
        twice = sorted({column for column in chosen if chosen.count(column) > 1})
        if lacking:
            said = _("Choose a column for: {names}.").format(names=", ".join(lacking))
        elif twice:
            said = _("Chosen twice: {names}.").format(names=", ".join(twice))
        else:
            said = ""
        self._problem_label.setText(said)
        self.confirm_button.setEnabled(not said)

    def _on_changed(self, field: str) -> None:
        self._show_columns()
        if field in DEFECT_WORDS:
            self._load_words()

    def _on_confirm_clicked(self) -> None:
        self.confirmed.emit(self.mapping)
        self.accept()

    def _load_words(self) -> None:
        self._work.start(self._show_words())

    async def _show_words(self) -> None:
        """List every word of the file, unknown words first."""
        mapping = self.mapping
        found: list[tuple[str, str, str | None]] = []
        for field in DEFECT_WORDS:
            known = {word: to for each, word, to in mapping.words if each == field}
            said = await self._words(mapping, field)
            found += [
                (field, word, known.get(word) or self._recognise(field, word)) for word in said
            ]
        found.sort(key=lambda each: each[2] is not None)
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(8, 8, 8, 8)
        grid.setVerticalSpacing(4)
        self.meaning_boxes = {}
        for row, (field, word, meaning) in enumerate(found[:MAX_WORDS]):
            box = _meaning_box(field, word, meaning)
            box.currentIndexChanged.connect(lambda _at: self._show_columns())
            self.meaning_boxes[field, word] = box
            label = make_label(word)
            label.setBuddy(box)
            if meaning is None:
                label.setProperty("role", "warn")
            grid.addWidget(make_label(_(FIELDS[field])), row, 0)
            grid.addWidget(label, row, 1)
            grid.addWidget(box, row, 2)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(len(found), 1)
        self._scroll.setWidget(inside)
        self._scroll.setVisible(bool(found))
        self._words_heading.setVisible(bool(found))
        self._show_columns()

    def _is_as_proposed(self, field: str) -> bool:
        return bool(self.column_boxes[field].currentData() == self._mapping.column(field))


class _FormComboBox(QComboBox):
    """Combo box that ignores the wheel without focus: the wheel scrolls the list around it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _meaning_box(field: str, word: str, meaning: str | None) -> QComboBox:
    box = _FormComboBox()
    box.setAccessibleName(_("What {word} means").format(word=word))
    box.addItem(_("keep as it is"), word)
    for each in DEFECT_WORDS[field]:
        box.addItem(one_line(each.replace("_", " ")), each)
    box.setCurrentIndex(max(0, box.findData(meaning)) if meaning is not None else 0)
    return box


class DefectOffers:
    """Offers, on the cards of data sets, to import their defects.

    `refresh` is called when the log or a mapping has changed; `shown` returns the current card of a
    data set after that, or None if it is gone.
    """

    def __init__(
        self,
        *,
        defects: DefectRepository,
        importer: Callable[[], DefectImporter],
        tasks: Tasks,
        refresh: Callable[[], Awaitable[None]],
        shown: Callable[[str], DatasetCard | None],
        parent: QWidget,
    ) -> None:
        self._defects = defects
        self._importer = importer
        self._tasks = tasks
        self._refresh = refresh
        self._current_card = shown
        self._parent = parent
        self.dialog: DefectMappingDialog | None = None

    def offer_import(self, card: DatasetCard) -> None:
        """Offer the import if the card shows a table of defects that is not in the log."""
        if not card.is_log:
            cancel_with(card, self._tasks.start(self._offer_import(card), on_error=_ignore_error))

    async def _offer_import(self, card: DatasetCard) -> None:
        importer = self._importer()
        if await self._defects.is_appended(card.profile.id):
            return
        proposal = await importer.proposal(card.profile)
        if proposal is None:
            return
        check = (_("Check the columns"), lambda: self._ask(card, proposal))
        if proposal.is_confirmed or proposal.is_certain:
            add = (
                _("Add to the defect log"),
                lambda: self._start(card, self._append(card, proposal.mapping)),
            )
            card.offer(_("This is a table of defects."), [add, check])
        else:
            card.offer(_("This looks like a table of defects."), [check])

    def _ask(self, card: DatasetCard, proposal: MappingProposal) -> None:
        # Not before it is needed: most files are no tables of defects.
        from qhub_desktop.data.defect_recognition import meaning_of

        importer = self._importer()
        dialog = DefectMappingDialog(
            card.profile,
            proposal.mapping,
            words=lambda mapping, field: importer.words(card.profile, mapping, field),
            recognise=meaning_of,
            tasks=self._tasks,
            parent=self._parent,
        )
        dialog.confirmed.connect(lambda mapping: self._start(card, self._confirm(card, mapping)))
        dialog.rejected.connect(lambda: self._start(card, self._offer_again(card)))
        dialog.destroyed.connect(self._on_dialog_destroyed)
        self.dialog = dialog
        dialog.show()

    async def _confirm(self, card: DatasetCard, mapping: DefectMapping) -> None:
        await self._importer().confirm(card.profile, mapping)
        await self._refresh()
        await self._offer_again(card)

    async def _offer_again(self, card: DatasetCard) -> None:
        """Consider a card that outlived a refresh; a recreated card was already considered."""
        if self._current_card(card.profile.id) is card:
            await self._offer_import(card)

    async def _append(self, card: DatasetCard, mapping: DefectMapping) -> None:
        came = await self._importer().append(card.profile, mapping)
        await self._refresh()
        undo: list[Action] = []
        if (number := came.id) is not None:
            undo = [(_("Undo"), lambda: self._start(card, self._take_back(card, number)))]
        self._show_message(card, describe_append(came), undo)

    async def _take_back(self, card: DatasetCard, appended: int) -> None:
        await self._importer().take_back(appended)
        await self._refresh()
        await self._offer_again(card)

    def _start(self, card: DatasetCard, doing: Coroutine[Any, Any, None]) -> None:
        self._tasks.start(doing, on_error=lambda error: self._show_message(card, str(error), []))

    def _show_message(self, card: DatasetCard, words: str, actions: list[Action]) -> None:
        shown = self._current_card(card.profile.id)
        if shown is not None:
            shown.offer(words, actions)

    def _on_dialog_destroyed(self) -> None:
        self.dialog = None


def _ignore_error(_error: QHubError) -> None:
    """Ignore an error of an automatic check, which the person did not ask for."""
