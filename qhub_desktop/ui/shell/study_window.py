"""Panel of a study: a control for each thing it can be given, and the study beside them."""

from __future__ import annotations  # cards and tools are imported when it opens

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QWidget
from shiboken6 import isValid

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError, ToolError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.study import AskedStudy, Study
from qhub_desktop.core.table import Column
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import InputField, ToolContext, tools_of
from qhub_desktop.tools.conversation_datasets import find_dataset
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import caption, choice_box
from qhub_desktop.ui.controls.input_controls import InputControl, KeptControl, input_control
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FormBeside,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.ui.charts.card import WidgetCard

TYPING_S = 0.2  # after a key, before the study is made: a number has more than one figure
BUSY_S = 0.4  # before it is said that the study is being made
FORM_PX = 352
_NARROW_PX = 828  # below it, the study stands below the form


class StudyWindow(DetailWindow):
    """Form of the tools of studies, with the study that it makes; each change makes it anew.

    `keep` puts a study into the conversation, by its tool and input; for a card of a dashboard,
    `keep_card` puts the study that is shown into its place.

    Signals:
        made: the Study that is shown by now.
    """

    made = Signal(object)

    def __init__(
        self,
        services: AppServices,
        tasks: Tasks,
        owner: QWidget | None,
        *,
        conversation: ConversationId,
        keep: Callable[[str, JsonObject], Awaitable[None]] | None = None,
        keep_card: Callable[[Study], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(owner, _("Study"), size=QSize(1280, 800))
        self._datasets = services.conversation_datasets()
        self._conversation = conversation
        self._keep_study = keep
        self._keep_card = keep_card
        self._toolbox = services.study_tools().for_form()
        self.destroyed.connect(self._toolbox.abandon)
        every = tools_of(self._toolbox)
        self._tools = {name: each for name, each in every.items() if each.declared.name}
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._latest = LatestTask(tasks)
        self.destroyed.connect(self._latest.cancel)
        self._context = ToolContext(conversation, ())
        self._about: dict[str, InputField] = {}
        self._unshown: JsonObject = {}  # of the input: what has no control
        self.controls: dict[str, InputControl] = {}
        self.card: WidgetCard | None = None
        self.is_stale = False  # what is shown is not of what is filled in
        self.method_box = choice_box(
            choices=((name, _(each.declared.name)) for name, each in self._tools.items())
        )
        self.method_box.activated.connect(lambda: self._work.start(self._change_method()))
        self.status = StatusLabel(role="bad")
        words = _("Put into the conversation") if keep_card is None else _("Put on the dashboard")
        self.keep_button = TextButton(words, kind="primary", on_click=self._on_kept)
        self._lay_out()

    def _lay_out(self) -> None:
        self._inside = QWidget()
        self._rows = column_of(
            owner=self._inside, margins=(2, 0, GRID_PX, GRID_PX), spacing=GRID_PX + 2
        )
        kind = caption(self.method_box, _("Kind of study"))
        add_to(self._rows, column_of(kind, self.method_box, spacing=4), STRETCH)
        self._form = scrolled(self._inside)
        self._form.setMinimumWidth(FORM_PX)
        beside = QWidget()
        self._shown: QWidget = make_label()
        shown = (self._shown, 0, Qt.AlignmentFlag.AlignTop)
        self._place = column_of(shown, STRETCH, owner=beside, margins=(0, 0, GRID_PX, 0))
        self.area = scrolled(beside)
        right = column_of(self.status, (self.area, 1))
        body = FormBeside(self._form, right, narrow_px=_NARROW_PX, shares=(1, 3))
        self.column.addWidget(body, 1)
        self.keep_button.setAutoDefault(False)
        self.keep_button.setEnabled(False)
        self.keep_button.setShortcut(QKeySequence("Ctrl+Return"))
        add_to(self.column, row_of(STRETCH, self.keep_button))

    def begin(self, asked: AskedStudy) -> asyncio.Task[None]:
        """Fill in what a study was given; of an empty one, what the columns suggest."""
        return self._work.start(self._begin(asked))

    async def _begin(self, asked: AskedStudy) -> None:
        profiles = await self._datasets.profiles(self._conversation)
        self._context = ToolContext(self._conversation, profiles)
        method, given = asked.method, asked.given
        if given is None:
            method, given = await self._toolbox.first_guess(self._profile({}), method)
        self._show_form(method, given)
        first = self.controls.get(asked.field)
        (first or self.method_box).setFocus()
        if first is not None:
            self._show_control(first)
        self._make()

    @property
    def method(self) -> str:
        """The tool of the study."""
        return str(self.method_box.currentData())

    @property
    def given(self) -> JsonObject:
        """The input of the tool, as it is filled in."""
        every = self._filled
        return _nested({name: value for name, value in every.items() if self._is_asked(name)})

    @property
    def _filled(self) -> JsonObject:
        """What every control has, and what has none, by the names of fields."""
        shown = {name: each.value for name, each in self.controls.items()}
        return {**self._unshown, **{name: each for name, each in shown.items() if each is not None}}

    def _is_asked(self, name: str) -> bool:
        about = self._about.get(name)
        return about is None or about.is_asked(_nested(self._filled), self._about)

    def _profile(self, given: JsonObject) -> DatasetProfile:
        named = given.get("conjunto")
        try:
            return find_dataset(self._context, named if isinstance(named, str) else None)
        except ToolError:  # its file is no longer here
            return find_dataset(self._context, None)

    def _show_form(self, method: str, given: JsonObject) -> None:
        """Make the controls of a method over the data set of its input, and fill them in."""
        for control in self.controls.values():
            self._rows.removeWidget(control)
            control.hide()
            control.deleteLater()
        self.method_box.setCurrentIndex(self.method_box.findData(method))
        profile = self._profile(given)
        columns = [Column(each.name, each.type) for each in profile.columns]
        datasets: list[tuple[Json, str]] = [
            (each.dataset, " · ".join(filter(None, (each.file, each.sheet))))
            for each in self._context.profiles
        ]
        self._about = self._tools[method].input_fields()
        if "conjunto" in self._about:
            latest = self._context.profiles[-1].dataset
            self._about["conjunto"] = replace(self._about["conjunto"], usual=latest)
        self.controls = {}
        for name, about in self._about.items():
            made = input_control(about, columns, datasets)
            if made is not None:
                made.set_value(about.of(given))
                made.edited.connect(lambda is_typed, name=name: self._on_edited(name, is_typed))
                self.controls[name] = made
                self._rows.insertWidget(self._rows.count() - 1, made)
        self._unshown = {name: each for name, each in given.items() if self._is_hidden(name)}
        self._show_fields()

    def _is_hidden(self, name: str) -> bool:
        return name in self._about and name not in self.controls

    def _show_fields(self) -> None:
        """Show the fields that play a part beside the others."""
        for name, control in self.controls.items():
            is_empty = isinstance(control, KeptControl) and control.given is None
            control.setVisible(self._is_asked(name) and not is_empty)

    async def _change_method(self) -> None:
        """Go over to another method with what both take, and the columns that fit the rest."""
        method, before = self.method, _nested(self._filled)
        fields = self._tools[method].input_fields()
        carried = {
            name: value
            for name, value in before.items()
            if name in fields and (not fields[name].choices or value in fields[name].choices)
        }
        _method, first = await self._toolbox.first_guess(self._profile(before), method)
        self._show_form(method, {**first, **carried})
        self._make()

    def _on_edited(self, name: str, is_typed: bool) -> None:  # noqa: FBT001  a signal's
        if name == "conjunto":
            self._work.start(self._change_dataset())
            return
        self._show_fields()
        self._make(TYPING_S if is_typed else 0)

    async def _change_dataset(self) -> None:
        """Go over to another data set: its columns are others."""
        named = {"conjunto": self._filled.get("conjunto")}
        _method, first = await self._toolbox.first_guess(self._profile(named), self.method)
        self._show_form(
            self.method, {**first, **{name: each for name, each in named.items() if each}}
        )
        self._make()

    def _make(self, wait_s: float = 0) -> None:
        self._latest.start_after(wait_s, self._make_now)

    async def _make_now(self) -> None:
        """Make the study of what is filled in, unless that is wrong; the next change ends it."""
        self.keep_button.setEnabled(False)
        asked = [each for each in self.controls.values() if not each.isHidden()]
        if not min([each.check() for each in asked], default=True):  # each says what is wrong
            self._show_stale()
            return
        tool, given = self._tools[self.method], self.given
        busy = asyncio.get_running_loop().call_later(BUSY_S, self._tell_busy)
        try:
            output = await tool.prepare(given)(self._context)
        except QHubError as error:
            if isValid(self):
                self._tell(error)
            return
        finally:
            busy.cancel()
        if isValid(self) and isinstance(output.widget, Study):
            # Imports pyqtgraph, 0.5 s: not before there is something to draw.
            from qhub_desktop.ui.charts.card import WidgetCard

            card = WidgetCard(output.widget)
            await asyncio.sleep(0)  # to make it and to draw it would be too much at once
            if isValid(self):
                self._show(card, output.widget)

    def _tell_busy(self) -> None:
        self.status.tell(_("The study is being made…"), role="quiet")

    def _tell(self, error: QHubError) -> None:
        """Say what is wrong at the control that it is about, or else above the study."""
        self._show_stale()
        named = error.field if isinstance(error, ToolError) else ""
        control = self.controls.get(named)
        words = self._in_labels(str(error))
        if control is None or control.isHidden():
            self.status.tell(words)
            return
        control.tell(words)
        self._show_control(control)

    def _in_labels(self, sentence: str) -> str:
        """Write a sentence for a model with the labels of fields, not their names."""
        for name, about in self._about.items():
            sentence = sentence.replace(f" ({name})", "")
            sentence = re.sub(rf"\b{re.escape(name)}\b(?=\W*$)", about.label, sentence)
        return sentence

    def _show_control(self, control: InputControl) -> None:
        """Scroll the form to a control, with what is said below it."""
        self._form.ensurePolished()
        self._rows.activate()
        self._inside.adjustSize()
        self._form.ensureWidgetVisible(control, 0, 2 * GRID_PX)

    def _show_stale(self) -> None:
        """Grey the study that is no longer the one of the form."""
        self.is_stale = True
        self.status.hide()
        if self.card is not None:
            self.card.setEnabled(False)

    def _show(self, card: WidgetCard, study: Study) -> None:
        self.status.hide()
        seen = self.area.verticalScrollBar().value()
        self.card = card
        view = self.card.study_view
        if view is not None and "etapas" in self.controls:
            view.offered[_("Begin a phase here")] = self._begin_phase
        for button in self.card.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter in a field is for the field
        self._place.replaceWidget(self._shown, self.card)
        self._shown.hide()
        self._shown.deleteLater()
        self._shown = self.card
        self._place.activate()
        self.area.verticalScrollBar().setValue(seen)
        self.is_stale = False
        self.keep_button.setEnabled(True)
        self.made.emit(study)

    def _begin_phase(self, label: str) -> None:
        """Begin a phase at a point of the chart."""
        control = self.controls["etapas"]
        before = control.value
        control.set_value([*(before if isinstance(before, list) else []), label])
        self._make()

    def _on_kept(self) -> None:
        self._work.start_kept(self._keep(), self.keep_button)

    async def _keep(self) -> None:
        if self._keep_study is not None:
            await self._keep_study(self.method, self.given)
        if self._keep_card is not None and self.card is not None:
            assert isinstance(self.card.widget, Study)
            await self._keep_card(self.card.widget)
        if isValid(self):
            self.close()

    def _on_error(self, error: QHubError) -> None:
        self.status.tell_error(error)


def _nested(named: JsonObject) -> JsonObject:
    """Return the input of a tool, from the values of its fields by their names."""
    found: JsonObject = {}
    for name, value in named.items():
        whole, _dot, part = name.partition(".")
        if not part:
            found[whole] = value
            continue
        parts = found.setdefault(whole, {})
        assert isinstance(parts, dict)
        parts[part] = value
    return found
