"""Settings dialog: a single instance; valid values are applied at once."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Settings, setting_infos
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui import settings as package
from qhub_desktop.ui.controls.buttons import TextButton, icon
from qhub_desktop.ui.controls.layouts import column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import add_window_keys, fit_screen
from qhub_desktop.ui.settings.fields import SettingField
from qhub_desktop.ui.settings.pages import PAGES, PARTS, SettingsContext
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import theme

if TYPE_CHECKING:
    from qhub_desktop.ui.services import AppServices

for _module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
    import_module(_module.name)

Part = TypeVar("Part", bound=QWidget)


class SettingsDialog(QDialog):
    """Non-modal dialog of all settings."""

    def __init__(
        self,
        services: AppServices,
        *,
        on_key_saved: Callable[[], object],
        open_memory: Callable[[], object],
        tasks: Tasks,
        section: str,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_title(self, _("Settings"))
        add_window_keys(self)
        self._live_settings = live = services.live_settings
        self._settings = live.settings
        self._pending: dict[str, Any] = {}
        self._has_warned = False
        self.fields = {
            name: SettingField(
                name, about, getattr(live.settings, name), is_fixed=name in live.fixed
            )
            for name, about in setting_infos().items()
        }
        for field in self.fields.values():
            field.edited.connect(self._on_edited)
        context = SettingsContext(
            services,
            tasks,
            lambda name, text: self.fields[name].type_in(text),
            on_key_saved,
            open_memory,
        )
        self._parts = [(section, after, make(context)) for section, after, make in PARTS]
        # The sections on the left, the page of the chosen one on the right.
        self._section_list = QListWidget()
        self._section_list.setAccessibleName(_("Sections"))
        self._section_list.setFixedWidth(216)
        self._section_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._section_list.setIconSize(QSize(18, 18))
        self._section_list.setProperty("kind", "sections")
        self._pages = QStackedWidget()
        for each, page in PAGES.items():
            self._section_list.addItem(QListWidgetItem(_(page.label)))
            self._pages.addWidget(self._make_page(each, _(page.label)))
        self._section_list.currentRowChanged.connect(self._pages.setCurrentIndex)
        self.show_section(section)
        self._close = TextButton(_("Close"), kind="primary", on_click=self.close)
        self._close.setAutoDefault(False)

        sides = row_of(self._section_list, (self._pages, 1), spacing=0)
        kept = make_label(_("Changes are kept at once."), role="small")
        foot = row_of((kept, 1), self._close, margins=(24, 12, 24, 16), spacing=None)
        column_of((sides, 1), foot, owner=self, spacing=0)
        theme().register(self._restyle)
        fit_screen(self, QSize(800, 580))
        self._section_list.setFocus()

    @property
    def section(self) -> str:
        """Section shown."""
        return list(PAGES)[self._section_list.currentRow()]

    def show_section(self, section: str) -> None:
        """Show a section."""
        self._section_list.setCurrentRow(list(PAGES).index(section))

    def part(self, kind: type[Part]) -> Part:
        """Return the part of this class."""
        return next(each for _section, _after, each in self._parts if isinstance(each, kind))

    def _restyle(self) -> None:
        for position, page in enumerate(PAGES.values()):
            self._section_list.item(position).setIcon(
                icon(page.icon, theme().palette.quiet, size_px=18)
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

    def _make_page(self, section: str, name: str) -> QScrollArea:
        inside = QWidget()
        title = make_label(name, role="title")
        column = column_of(title, owner=inside, margins=(24, 20), spacing=18)
        for field_name, about in setting_infos().items():
            if about.section == section:
                column.addWidget(self.fields[field_name])
                self._add_parts(column, section, field_name)
        self._add_parts(column, section, "")
        column.addStretch(1)
        page = QScrollArea()
        page.setWidget(inside)
        page.setWidgetResizable(True)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return page

    def _add_parts(self, column: QVBoxLayout, section: str, after: str) -> None:
        for at, below, part in self._parts:
            if (at, below) == (section, after):
                column.addWidget(part)

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
            self._live_settings.replace(settings)


class SettingsOpener:
    """Opener of the settings dialog, of which there is at most one."""

    def __init__(
        self,
        services: AppServices,
        *,
        on_key_saved: Callable[[], object],
        open_memory: Callable[[], object],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._services = services
        self._on_key_saved = on_key_saved
        self._open_memory = open_memory
        self._tasks = tasks
        self._parent = parent
        self._dialog: SettingsDialog | None = None

    @property
    def section(self) -> str | None:
        """Section shown, None while the dialog is closed."""
        return self._dialog.section if self._dialog is not None else None

    def open(self, section: str) -> SettingsDialog:
        """Open the dialog at a section, or bring it to the front."""
        if self._dialog is not None:
            self._dialog.show_section(section)
            self._dialog.raise_()
            return self._dialog
        dialog = self._dialog = SettingsDialog(
            self._services,
            on_key_saved=self._on_key_saved,
            open_memory=self._open_memory,
            tasks=self._tasks,
            section=section,
            parent=self._parent,
        )
        dialog.finished.connect(self._on_finished)
        dialog.show()
        return dialog

    def close(self) -> None:
        """Close the dialog, discarding invalid values."""
        if self._dialog is not None:
            self._dialog.done(0)

    def _on_finished(self) -> None:
        self._dialog = None
