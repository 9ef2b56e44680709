"""Fields of keys in the settings dialog: the key of a service, and where keys are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError, UnencryptedKeyError
from qhub_desktop.core.settings import offline_by_policy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton, reveal_button
from qhub_desktop.ui.controls.forms import button_row, caption, text_field
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_caption
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import Tasks, WidgetTasks

if TYPE_CHECKING:
    from qhub_desktop.core.keystore import KeyPlaces


class KeyPlaceField(QWidget):
    """Field of where keys are kept; without a system's key store, what may be chosen instead."""

    def __init__(self, places: KeyPlaces, *, on_chosen: Callable[[], object], tasks: Tasks) -> None:
        super().__init__()
        self._places = places
        self._on_chosen = on_chosen
        self.sentence = make_label(role="small", is_wrapped=True)
        name = _("Passphrase")
        self.passphrase = text_field(name, placeholder=name, is_secret=True)
        self.passphrase.setFixedWidth(360)
        self.unlock_button = TextButton(_("Use an encrypted file"))
        self.session_button = TextButton(_("Only until the program ends"))
        self.error = StatusLabel(role="bad")
        work = WidgetTasks(self, tasks, self.error.tell_error)
        self.unlock_button.clicked.connect(lambda: work.start_kept(self._unlock()))
        self.session_button.clicked.connect(lambda: work.start_kept(self._keep_for_session()))
        self.choices = QWidget()
        inside = column_of(owner=self.choices, margins=(0, 4, 0, 0))
        add_to(inside, self.passphrase, button_row(self.unlock_button, self.session_button))
        self.choices.hide()
        column_of(self.sentence, self.choices, self.error, owner=self, spacing=0)
        work.start(self.refresh())

    async def refresh(self) -> None:
        """Show where keys are kept now."""
        from qhub_desktop.core.keystore import place_sentence  # with what it loads

        kept = await self._places.place()
        if isValid(self):
            self.sentence.setText(place_sentence(kept))
            self.choices.setVisible(kept in ("none", "locked"))
            label = _("Unlock the file") if kept == "locked" else _("Use an encrypted file")
            set_caption(self.unlock_button, label)

    async def _unlock(self) -> None:
        await self._places.unlock(self.passphrase.text())
        await self._chosen()

    async def _keep_for_session(self) -> None:
        await self._places.keep_for_session()
        await self._chosen()

    async def _chosen(self) -> None:
        self._on_chosen()
        if isValid(self):
            self.passphrase.clear()
            self.error.hide()
            await self.refresh()


_MASK = "•" * 24


@settings_part("engine", after="engine")
class KeyField(QWidget):
    """Masked input of the API key, with the result of testing it."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._services = services = context.services
        self._on_saved = context.on_key_saved
        self._type_in = context.type_in
        self._unencrypted_host = ""
        self._work = work = WidgetTasks(self, context.tasks, self._on_error)

        self.line_edit = text_field(is_secret=True)
        self.line_edit.setFixedWidth(360)
        self.line_edit.textChanged.connect(self._on_text_changed)
        self.test_button = TextButton(_("Test connection"))
        self.test_button.clicked.connect(lambda: work.start(self._test(), self.test_button))
        self.save_button = TextButton(_("Keep key"))
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(
            lambda: work.start_kept(self._save(self.line_edit.text().strip()))
        )
        self.forget_button = TextButton(_("Forget key"), kind="danger")
        self.forget_button.hide()
        self.forget_button.clicked.connect(lambda: work.start_kept(self._save("")))
        self.result = StatusLabel(is_selectable=True)
        self.allow_button = TextButton(_("Send it without encryption"), kind="danger")
        self.allow_button.setAutoDefault(False)
        self.allow_button.hide()
        self.allow_button.clicked.connect(self._on_allowed)
        self.place_field = KeyPlaceField(
            services.key_places, on_chosen=self._on_place_chosen, tasks=context.tasks
        )

        # Layout: the key, where it is kept, what can be done with it, what came of it.
        typed = row_of(self.line_edit, reveal_button(self.line_edit), STRETCH, spacing=4)
        column = column_of(owner=self, spacing=4)
        column.addWidget(caption(self.line_edit, _("Key"), role=""))
        column.addLayout(typed)
        column.addWidget(self.place_field)
        column.addSpacing(4)
        column.addLayout(button_row(self.save_button, self.test_button, self.forget_button))
        column.addWidget(self.result)
        column.addWidget(self.allow_button, 0, Qt.AlignmentFlag.AlignLeft)
        if services.live_settings.policy.is_offline:
            obstacle = offline_by_policy()
            self.test_button.setEnabled(False)
            self.test_button.setAccessibleDescription(obstacle)
            self._show_result(obstacle, role="quiet")
        work.start(self.refresh())

    async def refresh(self) -> None:
        """Show whether a key is stored."""
        has_key = await self._services.has_key()
        self.line_edit.setPlaceholderText(_MASK if has_key else "sk-ant-…")
        self.forget_button.setVisible(has_key)

    def _on_place_chosen(self) -> None:
        self._on_saved()
        self._work.start(self.refresh())

    async def _save(self, key: str) -> None:
        await self._services.save_key(key)
        self._on_saved()
        if not isValid(self):  # the dialog was closed meanwhile; the key is stored anyway
            return
        self.line_edit.clear()
        self._show_result(_("The key is kept.") if key else _("The key is forgotten."), role="good")
        self._work.start(self.refresh())

    async def _test(self) -> None:
        self._show_result(_("Asking the service…"), role="quiet")
        key, settings = self.line_edit.text().strip(), self._services.live_settings.settings
        said = await self._services.test_connection(key, settings)
        self._show_result(said, role="good")

    def _on_error(self, error: QHubError) -> None:
        self._show_result(str(error), role="bad")
        if isinstance(error, UnencryptedKeyError):
            self._unencrypted_host = error.host
            self.allow_button.show()

    def _on_allowed(self) -> None:
        """Allow the host to get its key without encryption, and try again."""
        self._type_in("unencrypted_host", self._unencrypted_host)
        self.test_button.click()

    def _show_result(self, sentence: str, *, role: str) -> None:
        self.allow_button.hide()
        self.result.tell(sentence, role=role)

    def _on_text_changed(self, text: str) -> None:
        self.save_button.setEnabled(bool(text.strip()))
