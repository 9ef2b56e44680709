"""Window of the examples that teach: those that wait to be approved first."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.examples import Example
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of, scrolled
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.examples import ExampleRepository

SHOWN_EXAMPLES = 100  # more would take long to lay out, and nobody reads them


class ExamplesWindow(DetailWindow):
    """Examples, each with what a model is told of it, to be approved or retired."""

    def __init__(
        self,
        store: ExampleRepository,
        *,
        name_of: Callable[[str], str],
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Examples that teach"),
            subtitle=_("Told to a model with questions of the same kind; no figure is kept."),
            size=QSize(760, 720),
        )
        self._store = store
        self._name_of = name_of
        self._work = WidgetTasks(self, tasks, self._on_error)
        self.cards: list[ExampleCard] = []
        self.status = StatusLabel()
        self.column.addWidget(self.status)
        self._inside = QWidget()
        self._column = column_of(owner=self._inside, margins=(0, 0, GRID_PX, 0))
        self.add(scrolled(self._inside))
        self.reload()

    def reload(self) -> None:
        """Read the examples again."""
        self._work.start(self._load())

    async def _load(self) -> None:
        examples = await self._store.listed()
        if isValid(self):
            self._show(examples[:SHOWN_EXAMPLES])

    def _show(self, examples: Sequence[Example]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (before := item.widget()) is not None:
                before.deleteLater()
        self.cards = [ExampleCard(each, self._name_of(each.agent)) for each in examples]
        for card in self.cards:
            card.approve_button.clicked.connect(
                lambda _on=False, id_=card.example.id: self._work.start_kept(self._approve(id_))
            )
            card.retire_button.clicked.connect(
                lambda _on=False, id_=card.example.id: self._work.start_kept(self._retire(id_))
            )
            self._column.addWidget(card)
        if not examples:
            words = _("There is no example yet. Make one of an answer under Reviews of answers.")
            self._column.addWidget(make_label(words, role="quiet", is_wrapped=True))
        self._column.addStretch(1)

    async def _approve(self, id_: int) -> None:
        await self._store.approve(id_)
        if isValid(self):
            self.reload()

    async def _retire(self, id_: int) -> None:
        await self._store.retire(id_)
        if isValid(self):
            self.reload()

    def _on_error(self, error: QHubError) -> None:
        self.status.tell_error(error)


class ExampleCard(QFrame):
    """An example: its question, calls, answer and rule, and what may be done with it."""

    def __init__(self, example: Example, agent: str) -> None:
        super().__init__()
        self.example = example
        self.setProperty("kind", "card")
        self.setAccessibleName(example.question)
        states = {"proposed": _("proposed"), "active": _("active"), "retired": _("retired")}
        said = [states[example.state], agent, moment(example.created.date())]
        self.approve_button = TextButton(_("Approve"), kind="primary")
        self.approve_button.setVisible(example.state != "active")
        self.retire_button = TextButton(_("Retire"))
        self.retire_button.setVisible(example.state != "retired")
        for button in (self.approve_button, self.retire_button):
            button.setAutoDefault(False)
        column = column_of(owner=self, margins=(2 * GRID_PX, GRID_PX + 4), spacing=6)
        column.addWidget(make_label(example.question, role="heading", is_wrapped=True))
        column.addWidget(make_label(" · ".join(said), role="small", is_wrapped=True))
        for call in example.calls:
            given = json.dumps(call.input, ensure_ascii=False)
            column.addWidget(make_label(f"{call.name} {given}", role="small", is_wrapped=True))
        column.addWidget(make_label(example.answer, is_wrapped=True))
        if example.note:
            words = _("Rule: {note}").format(note=example.note)
            column.addWidget(make_label(words, is_wrapped=True))
        column.addLayout(row_of(self.approve_button, self.retire_button, STRETCH))
