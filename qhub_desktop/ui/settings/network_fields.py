"""Network fields: the proxy's login, also where it stops a question; the diagnosis."""

from __future__ import annotations  # what looks at the network is loaded with its first use

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconLabel, TextButton, Tone, reveal_button
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.forms import FormDialog, button_row, caption, text_field
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.saving import save
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import Tasks, WidgetTasks

if TYPE_CHECKING:
    from qhub_desktop.chat.claude.diagnosis import Network, StepResult

_FIELD_PX = 200
_ICON_PX = 16
_ICONS = {"good": "check", "bad": "warning", "running": "clock", "skipped": "forbidden"}


@settings_part("network")
class ProxyField(QWidget):
    """Field of the proxy that leads to the service, and who signs in there."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._network = context.services.network
        label = make_label(_("Proxy"))
        self.sentence = make_label(role="small", is_wrapped=True)
        self.user = text_field(_("Name at the proxy"), placeholder=_("Name"))
        secret = _("Password at the proxy")
        self.password = text_field(secret, placeholder=_("Password"), is_secret=True)
        for line in (self.user, self.password):
            line.setFixedWidth(_FIELD_PX)
            line.setAcceptDrops(False)
        self.save_button = TextButton(_("Keep the password"))
        self.forget_button = TextButton(_("Forget the password"), kind="danger")
        self.result = StatusLabel()
        work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self.save_button.clicked.connect(
            lambda: work.start_kept(self._save(self.user.text().strip(), self.password.text()))
        )
        self.forget_button.clicked.connect(lambda: work.start_kept(self._save("", "")))
        self.login = QWidget()
        inside = column_of(owner=self.login, margins=(0, 4, 0, 0))
        names = row_of(self.user, self.password, reveal_button(self.password), STRETCH)
        add_to(inside, names, button_row(self.save_button, self.forget_button))
        self.login.hide()
        column_of(label, self.sentence, self.login, self.result, owner=self, spacing=4)
        work.start(self.refresh())

    async def refresh(self) -> None:
        """Show the proxy, and whether somebody signs in there."""
        proxy, has_login = await self._network().proxy()
        if not isValid(self):
            return
        self.login.setVisible(bool(proxy.address) and not proxy.has_login)
        self.forget_button.setVisible(has_login)
        if not proxy.address:
            said = _("No proxy leads to the service, by the system's settings.")
            self.sentence.setText(f"{said} {proxy.trouble}".rstrip())
            return
        said = _("{proxy} leads to the service.").format(proxy=proxy.shown)
        kept = _("Its name and password are in the key store.") if has_login else ""
        self.sentence.setText(f"{said} {kept}".rstrip())

    async def _save(self, user: str, password: str) -> None:
        await self._network().save_login(user, password)
        if isValid(self):
            self.user.clear()
            self.password.clear()
            said = _("The password is kept.") if user else _("The password is forgotten.")
            self.result.tell(said, role="good")
            await self.refresh()


class ProxyDialog(FormDialog):
    """Asks for the name and the password, which go to the key store.

    Signals:
        kept: they are there; what was asked can be asked again.
    """

    kept = Signal()

    def __init__(self, network: Network, *, tasks: Tasks, owner: QWidget | None) -> None:
        super().__init__(
            owner,
            _("Sign in to the proxy"),
            subtitle=_("They are kept in the key store, and sent to the proxy alone."),
            size=QSize(440, 340),
            done=_("Keep, and ask again"),
            tasks=tasks,
        )
        self._network = network
        self.sentence = make_label(is_wrapped=True)
        self.user, self.password = text_field(), text_field(is_secret=True)
        self.column.addWidget(self.sentence)
        for field, name in ((self.user, _("Name")), (self.password, _("Password"))):
            field.setAcceptDrops(False)
            self.column.addWidget(caption(field, name))
            line = row_of((field, 1), spacing=4)
            if field is self.password:
                line.addWidget(reveal_button(field))
            self.column.addLayout(line)
        self._end_form()
        self.user.setFocus()
        self._work.start(self._load())

    async def _load(self) -> None:
        proxy, has_login = await self._network.proxy()
        if not isValid(self):
            return
        said = _("The proxy {proxy} wants a name and a password.")
        if has_login:
            said = _("The proxy {proxy} does not take this name and password.")
        self.sentence.setText(said.format(proxy=proxy.shown))

    @override
    def _on_submitted(self) -> None:
        name = self.user.text().strip()
        empty = self.user if not name else self.password if not self.password.text() else None
        if empty is not None:  # as when Enter follows the name
            empty.setFocus()
            return
        self._keep(self._save(name, self.password.text()))

    async def _save(self, user: str, password: str) -> None:
        await self._network.save_login(user, password)
        if isValid(self):
            self.kept.emit()
            self.close()


class _StepLine(QWidget):
    """One step of the diagnosis: how it went, in words, and what to ask for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._icon = IconLabel(size_px=_ICON_PX)
        self._icon.setFixedWidth(_ICON_PX)
        self.name = make_label(name)
        self.text = make_label(role="small", is_wrapped=True)
        self.ask = make_label(is_wrapped=True)
        for label in (self.text, self.ask):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.hide()
        words = column_of(self.name, self.text, self.ask, spacing=2)
        row_of((self._icon, 0, Qt.AlignmentFlag.AlignTop), (words, 1), owner=self)

    def show_finding(self, state: str, text: str, ask: str) -> None:
        """Show how the step went."""
        tones: dict[str, Tone] = {"good": "good", "bad": "bad"}
        self._icon.show_icon(_ICONS.get(state, ""), tones.get(state, "quiet"))
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self.ask.setText(ask)
        self.ask.setVisible(bool(ask))


@settings_part("network")
class DiagnosisField(QWidget):
    """The way to the service, tried step by step, with a report to be saved."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._network = context.services.network
        self._task: asyncio.Task[None] | None = None
        self._findings: dict[str, StepResult] = {}
        label = make_label(_("Diagnosis"))
        help_ = make_label(
            _("Tries the name, the proxy, the encryption, the key and the model, one by one."),
            role="small",
            is_wrapped=True,
        )
        self.start_button = TextButton(_("Test the connection step by step"))
        self.cancel_button = TextButton(_("Cancel"), on_click=self._on_cancelled)
        self.save_button = TextButton(_("Save the report…"), on_click=self._on_save_clicked)
        self.start_button.clicked.connect(self._on_started)
        self.cancel_button.hide()
        self.save_button.hide()
        self.lines: dict[str, _StepLine] = {}
        self._steps = column_of()
        self.models = make_label(role="small", is_wrapped=True)
        self.models.hide()
        self.result = StatusLabel()
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        column = column_of(owner=self, spacing=4)
        column.addWidget(label)
        column.addWidget(help_)
        column.addSpacing(4)
        column.addLayout(button_row(self.start_button, self.cancel_button, self.save_button))
        column.addSpacing(4)
        column.addLayout(self._steps)
        column.addWidget(self.models)
        column.addWidget(self.result)

    def _on_started(self) -> None:
        self._task = self._work.start(self._diagnose(), self.start_button)

    def _on_cancelled(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _diagnose(self) -> None:
        from qhub_desktop.chat.claude.diagnosis import STEPS  # 30 ms, with the first diagnosis

        self._findings.clear()
        for step, name in STEPS.items():
            if step not in self.lines:
                self.lines[step] = _StepLine(_(name))
                self._steps.addWidget(self.lines[step])
            self.lines[step].show_finding("", "", "")
        self.cancel_button.show()
        self.save_button.hide()
        self.result.hide()
        running = ""
        try:
            async for finding in self._network().diagnose():
                running = finding.step if finding.state == "running" else ""
                self._findings[finding.step] = finding
                text = _("Being tried…") if finding.state == "running" else finding.text
                self.lines[finding.step].show_finding(finding.state, text, finding.ask)
            running = ""
            self.models.setText(await self._network().models())
            self.models.show()
            self._show_summary()
        except asyncio.CancelledError:
            if isValid(self) and running:
                self._findings.pop(running)
                self.lines[running].show_finding("skipped", _("Cancelled."), "")
            raise
        finally:
            if isValid(self):
                self.cancel_button.hide()
                self.save_button.setVisible(bool(self._findings))

    def _show_summary(self) -> None:
        states = {each.state for each in self._findings.values()}
        if "bad" in states:
            self.result.tell(_("The way ends at the step marked above."), role="bad")
        elif "good" in states:
            self.result.tell(_("The service can be reached and answers."), role="good")

    def _on_save_clicked(self) -> None:
        open_save_dialog(
            self.window(),
            _("QHub diagnosis"),
            kind=_("Text"),
            suffix=".txt",
            on_selected=lambda file: self._work.start_kept(self.save_report(Path(file))),
        )

    async def save_report(self, file: Path) -> None:
        """Write what was found to a file, as text or, by its suffix, as JSON."""
        from qhub_desktop.chat.claude.diagnosis import report_text

        report = await self._network().report([*self._findings.values()])
        is_json = file.suffix.lower() == ".json"
        text = json.dumps(report, ensure_ascii=False, indent=2) if is_json else report_text(report)
        await asyncio.to_thread(save, text.encode(), file)
        said = _("The report is in {file}.").format(file=file.name)
        self.result.tell_saved(said, file, role="good")
