"""Local model in the settings: what the chosen file holds, its neighbours, and a trial."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.processes.supervisor import Progress
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import button_row, caption, choice_box
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import WidgetTasks

if TYPE_CHECKING:
    from qhub_desktop.chat.local.gguf_header import ModelHeader

_LIST_PX = 360


@settings_part("engine", after="local_model")
class LocalModelField(QWidget):
    """What the chosen model is, or why it cannot be used; the others of its folder; a trial."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._trials = context.services.model_trials
        self._type_in = context.type_in
        self.sentence = make_label(role="small", is_wrapped=True)
        self.others = choice_box(_("Models in this folder"), [])
        self.others.setMinimumWidth(_LIST_PX)
        self.others.activated.connect(self._on_other_chosen)
        self.others_label = caption(self.others, _("Models in this folder"))
        self.try_button = TextButton(_("Try the model"), on_click=self._on_try_clicked)
        self.cancel_button = TextButton(_("Cancel"), on_click=self._on_cancel_clicked)
        self.cancel_button.hide()
        self.result = StatusLabel()
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self._trying: asyncio.Task[None] | None = None
        column_of(
            self.sentence,
            self.others_label,
            self.others,
            button_row(self.try_button, self.cancel_button),
            self.result,
            owner=self,
            spacing=4,
        )
        self._path: str | None = None
        live_settings = context.services.live_settings
        self.others.setEnabled("local_model" not in live_settings.fixed)
        self._follow(live_settings.settings)
        stop = live_settings.listen(self._follow)
        self.destroyed.connect(lambda _gone: stop())

    def _follow(self, settings: Settings) -> None:
        if settings.local_model == self._path:
            return
        self._path = settings.local_model
        self._on_cancel_clicked()
        self.result.tell("")
        self.setVisible(bool(self._path))
        if self._path:
            self._work.start(self._load(self._path))

    async def _load(self, path: str) -> None:
        from qhub_desktop.tools.model_trial import header_line, tools_sentence

        self.sentence.setText(_("Reading the file…"))
        self.sentence.show()
        self.try_button.setEnabled(False)
        place, trials = Path(path), self._trials()
        files = await trials.files(place)
        header: ModelHeader | None = None
        told = trouble = ""
        try:
            header = await trials.header(place)
            told = f"{header_line(header)}\n{tools_sentence(header)}"
            told = f"{told} {await trials.needs(place)}"
        except QHubError as error:
            trouble = str(error)
        if not isValid(self) or path != self._path:
            return
        self.sentence.setText(told)
        self.sentence.setVisible(bool(told))
        self.result.tell(trouble, role="bad")
        self.try_button.setEnabled(header is not None)
        self.others.clear()
        for file in files:
            self.others.addItem(one_line(file.name), str(file))
        self.others.setCurrentIndex(max(self.others.findData(path), 0))
        for widget in (self.others, self.others_label):
            widget.setVisible(len(files) > 1)

    def _on_other_chosen(self, _place: int) -> None:
        self._type_in("local_model", str(self.others.currentData()))

    def _on_try_clicked(self) -> None:
        self._set_trying(is_on=True)
        self._trying = self._work.start(self._try(str(self._path)))

    def _on_cancel_clicked(self) -> None:
        if self._trying is not None:
            self._trying.cancel()
            self._trying = None
        self._set_trying(is_on=False)

    async def _try(self, path: str) -> None:
        from qhub_desktop.tools.model_trial import trial_sentence

        def show(progress: Progress) -> None:
            if isValid(self):
                self.result.tell(progress.text)

        try:
            self.result.tell(_("Loading the model…"))
            trial = await self._trials().run(Path(path), show)
            if isValid(self):
                self.result.tell(trial_sentence(trial), role="good" if trial.has_called else "bad")
        finally:
            if isValid(self):
                self._trying = None
                self._set_trying(is_on=False)

    def _set_trying(self, *, is_on: bool) -> None:
        self.try_button.setEnabled(not is_on)
        self.cancel_button.setVisible(is_on)
