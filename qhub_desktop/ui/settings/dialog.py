"""Settings dialog: a single instance; valid values are applied at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import (
    LiveSettings,
    Section,
    Settings,
    offline_by_policy,
    setting_infos,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.store.backups import Backup, SafetyCopies
from qhub_desktop.ui.controls.buttons import TextButton, icon
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import add_window_keys
from qhub_desktop.ui.settings.fields import (
    PythonField,
    SettingField,
    UpdateField,
    VocabularyField,
)
from qhub_desktop.ui.settings.key_fields import KeyField
from qhub_desktop.ui.settings.network_fields import DiagnosisField, ProxyField
from qhub_desktop.ui.settings.safety_copies import SafetyCopyField
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import theme
from qhub_desktop.updates.updater import Updater

if TYPE_CHECKING:
    from qhub_desktop.chat.claude.diagnosis import Network
    from qhub_desktop.core.keystore import KeyPlaces
    from qhub_desktop.tools.datasets import PythonTools

SECTIONS: dict[Section, tuple[str, str]] = {
    "general": (gettext_noop("General"), "gear"),
    "engine": (gettext_noop("Engine"), "engine"),
    "network": (gettext_noop("Network"), "cloud"),
    "limits": (gettext_noop("Limits"), "chart"),
    "time": (gettext_noop("Times"), "clock"),
    "backups": (gettext_noop("Safety copies"), "save"),
    "updates": (gettext_noop("Updates"), "retry"),
}


class SettingsDialog(QDialog):
    """Non-modal dialog of all settings.

    Signals:
        changed: the new settings.
    """

    changed = Signal(object)

    def __init__(
        self,
        settings: Settings,
        *,
        fixed: Collection[str] = (),
        key_field: Callable[[Callable[[], Settings], Callable[[str], object]], KeyField],
        vocabulary_field: VocabularyField,
        python_field: PythonField,
        update_field: UpdateField,
        safety_copy_field: SafetyCopyField,
        network: Callable[[], Network],
        tasks: Tasks,
        section: Section,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_title(self, _("Settings"))
        add_window_keys(self)
        self._settings = settings
        self._pending: dict[str, Any] = {}
        self._has_warned = False
        self.fields = {
            name: SettingField(name, about, getattr(settings, name), is_fixed=name in fixed)
            for name, about in setting_infos().items()
        }
        for field in self.fields.values():
            field.edited.connect(self._on_edited)
        self.key_field = key_field(lambda: self._settings, self.fields["unencrypted_host"].type_in)
        self.vocabulary_field = vocabulary_field
        self.python_field = python_field
        self.update_field = update_field
        self.safety_copy_field = safety_copy_field
        self.proxy_field = ProxyField(network, tasks=tasks)
        self.diagnosis_field = DiagnosisField(network, tasks=tasks)
        # The sections on the left, the page of the chosen one on the right.
        self._section_list = QListWidget()
        self._section_list.setAccessibleName(_("Sections"))
        self._section_list.setFixedWidth(216)
        self._section_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._section_list.setIconSize(QSize(18, 18))
        self._section_list.setProperty("kind", "sections")
        self._pages = QStackedWidget()
        for each, (name, _icon) in SECTIONS.items():
            self._section_list.addItem(QListWidgetItem(_(name)))
            self._pages.addWidget(self._make_page(each, _(name)))
        self._section_list.currentRowChanged.connect(self._pages.setCurrentIndex)
        self._section_list.setCurrentRow(list(SECTIONS).index(section))
        self._close = TextButton(_("Close"), kind="primary")
        self._close.setAutoDefault(False)
        self._close.clicked.connect(self.close)

        sides = row_layout(spacing=0)
        sides.addWidget(self._section_list)
        sides.addWidget(self._pages, 1)
        foot = row_layout(margins=(24, 12, 24, 16))
        kept = make_label(_("Changes are kept at once."), role="small")
        foot.addWidget(kept, 1)
        foot.addWidget(self._close)
        column = column_layout(self, margins=(0, 0, 0, 0), spacing=0)
        column.addLayout(sides, 1)
        column.addLayout(foot)
        theme().register(self._restyle)
        self.resize(800, 580)
        self._section_list.setFocus()

    @property
    def section(self) -> Section:
        """Section shown."""
        return list(SECTIONS)[self._section_list.currentRow()]

    def show_section(self, section: Section) -> None:
        """Show a section."""
        self._section_list.setCurrentRow(list(SECTIONS).index(section))

    def _restyle(self) -> None:
        for position, (_name, icon_name) in enumerate(SECTIONS.values()):
            self._section_list.item(position).setIcon(
                icon(icon_name, theme().palette.quiet, size_px=18)
            )

    @override
    def reject(self) -> None:
        """Close; an invalid value is shown first and discarded at the second attempt."""
        self.setFocus()  # commits the field being edited
        if self._pending and not self._has_warned:
            self._has_warned = True
            name = next(iter(self._pending))
            self.show_section(setting_infos()[name].section)
            self.fields[name].control.setFocus()
            return
        super().reject()

    def _make_page(self, section: Section, name: str) -> QScrollArea:
        inside = QWidget()
        column = column_layout(inside, margins=(24, 20, 24, 20), spacing=18)
        title = make_label(name, role="title")
        column.addWidget(title)
        for field_name, about in setting_infos().items():
            if about.section == section:
                column.addWidget(self.fields[field_name])
                if field_name == "engine":
                    column.addWidget(self.key_field)
                if field_name == "python":
                    column.addWidget(self.python_field)
        if section == "engine":
            column.addWidget(self.vocabulary_field)
        if section == "backups":
            column.addWidget(self.safety_copy_field)
        if section == "network":
            column.addWidget(self.proxy_field)
            column.addWidget(self.diagnosis_field)
        if section == "updates":
            column.addWidget(self.update_field)
        column.addStretch(1)
        page = QScrollArea()
        page.setWidget(inside)
        page.setWidgetResizable(True)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return page

    def _on_edited(self, name: str, value: object) -> None:
        """Apply the value together with pending invalid ones, or show the error."""
        self._pending[name] = value
        self._has_warned = False
        try:
            settings = replace(self._settings, **self._pending)
        except UserError as error:
            self.fields[name].show_error(str(error))
            self._apply_single(name)
            return
        self._pending.clear()
        for field in self.fields.values():
            field.show_error("")
        self._apply(settings)

    def _apply_single(self, name: str) -> None:
        """Apply one valid value although others are still invalid."""
        try:
            settings = replace(self._settings, **{name: self._pending[name]})
        except UserError:
            return
        del self._pending[name]
        self.fields[name].show_error("")
        self._apply(settings)

    def _apply(self, settings: Settings) -> None:
        if settings != self._settings:
            self._settings = settings
            self.changed.emit(settings)


class SettingsOpener:
    """Opener of the settings dialog, of which there is at most one.

    `test_connection`, `save_key` and `has_key` are passed to KeyField; `on_key_saved` is called
    when a key was stored or deleted, `updates` with the first opening.
    """

    def __init__(
        self,
        chosen: LiveSettings,
        *,
        test_connection: Callable[[str, Settings], Awaitable[str]],
        save_key: Callable[[str], Awaitable[None]],
        has_key: Callable[[], Awaitable[bool]],
        key_places: KeyPlaces,
        network: Callable[[], Network],
        tasks: Tasks,
        on_key_saved: Callable[[], object],
        updates: Callable[[], Updater],
        python_tools: Callable[[], PythonTools],
        safety_copies: Callable[[], SafetyCopies],
        restore: Callable[[Backup], None],
        parent: QWidget,
    ) -> None:
        self._python_tools = python_tools
        self._safety_copies = safety_copies
        self._restore = restore
        self._chosen = chosen
        self._test_connection = test_connection
        self._save_key = save_key
        self._has_key = has_key
        self._key_places = key_places
        self._network = network
        self._tasks = tasks
        self._on_key_saved = on_key_saved
        self._updates = updates
        self._parent = parent
        self._dialog: SettingsDialog | None = None

    @property
    def section(self) -> Section | None:
        """Section shown, None while the dialog is closed."""
        return self._dialog.section if self._dialog is not None else None

    def open(self, section: Section) -> SettingsDialog:
        """Open the dialog at a section, or bring it to the front."""
        if self._dialog is not None:
            self._dialog.show_section(section)
            self._dialog.raise_()
            return self._dialog
        dialog = SettingsDialog(
            self._chosen.settings,
            fixed=self._chosen.fixed,
            key_field=self._make_key_field,
            vocabulary_field=VocabularyField(tasks=self._tasks),
            python_field=PythonField(self._python_tools, tasks=self._tasks),
            update_field=UpdateField(
                self._updates(), settings=lambda: self._chosen.settings, tasks=self._tasks
            ),
            safety_copy_field=SafetyCopyField(
                self._safety_copies(), on_restore=self._restore, tasks=self._tasks
            ),
            network=self._network,
            tasks=self._tasks,
            section=section,
            parent=self._parent,
        )
        dialog.changed.connect(self._chosen.replace)
        dialog.changed.connect(lambda _settings: dialog.update_field.start_refresh())
        dialog.finished.connect(self._on_finished)
        self._dialog = dialog
        dialog.show()
        return dialog

    def close(self) -> None:
        """Close the dialog, discarding invalid values."""
        if self._dialog is not None:
            self._dialog.done(0)

    def _make_key_field(
        self, settings: Callable[[], Settings], allow_unencrypted: Callable[[str], object]
    ) -> KeyField:
        return KeyField(
            settings=settings,
            allow_unencrypted=allow_unencrypted,
            test_connection=self._test_connection,
            save_key=self._save_key,
            has_key=self._has_key,
            on_saved=self._on_key_saved,
            places=self._key_places,
            tasks=self._tasks,
            obstacle=offline_by_policy() if self._chosen.policy.is_offline else "",
        )

    def _on_finished(self) -> None:
        self._dialog = None
