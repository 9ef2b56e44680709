"""The settings, as they are declared: what is valid holds at once, what is not says why."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Section, Settings, about_settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.key_field import KeyField
from qhub_desktop.ui.setting_field import SettingField
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.vocabulary_field import VocabularyField

SECTIONS: dict[Section, tuple[str, str]] = {
    "general": (mark("General"), "gear"),
    "engine": (mark("Engine"), "engine"),
    "limits": (mark("Limits"), "chart"),
    "time": (mark("Times"), "clock"),
}


class SettingsDialog(QDialog):
    """Stays open beside the window.

    Signals:
        changed: the settings to use from now on.
    """

    changed = Signal(object)

    def __init__(
        self,
        settings: Settings,
        *,
        key_field: Callable[[Callable[[], Settings]], KeyField],
        vocabulary_field: VocabularyField,
        section: Section,
        palette: Palette,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Settings"))
        self._settings = settings
        self._pending: dict[str, Any] = {}
        self._has_warned = False
        self.fields = {
            name: SettingField(name, about, getattr(settings, name))
            for name, about in about_settings().items()
        }
        for field in self.fields.values():
            field.edited.connect(self._on_edited)
        self.key_field = key_field(lambda: self._settings)
        self.vocabulary_field = vocabulary_field
        self._names = QListWidget()
        self._names.setAccessibleName(_("Sections"))
        self._names.setFixedWidth(184)
        self._names.setIconSize(QSize(18, 18))
        self._names.setProperty("kind", "sections")
        self._pages = QStackedWidget()
        for each, (name, _icon) in SECTIONS.items():
            self._names.addItem(QListWidgetItem(_(name)))
            self._pages.addWidget(self._page(each, _(name)))
        self._names.currentRowChanged.connect(self._pages.setCurrentIndex)
        self._names.setCurrentRow(list(SECTIONS).index(section))
        self._close = WordButton(_("Close"), palette, kind="primary")
        self._close.setAutoDefault(False)
        self._close.clicked.connect(self.close)

        sides = QHBoxLayout()
        sides.setSpacing(0)
        sides.addWidget(self._names)
        sides.addWidget(self._pages, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 12, 24, 16)
        kept = QLabel(_("Changes are kept at once."))
        kept.setProperty("role", "small")
        foot.addWidget(kept, 1)
        foot.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(sides, 1)
        column.addLayout(foot)
        self.set_palette(palette)
        self.resize(760, 560)
        self._names.setFocus()

    @property
    def section(self) -> Section:
        """The section in sight."""
        return list(SECTIONS)[self._names.currentRow()]

    def show_section(self, section: Section) -> None:
        """Bring a section in sight."""
        self._names.setCurrentRow(list(SECTIONS).index(section))

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        for position, (_name, icon_name) in enumerate(SECTIONS.values()):
            self._names.item(position).setIcon(icon(icon_name, palette.quiet, size_px=18))

    @override
    def reject(self) -> None:
        """Close; a value that cannot be used is pointed at first, and lost at the second time."""
        self.setFocus()  # what is still being typed is read now
        if self._pending and not self._has_warned:
            self._has_warned = True
            name = next(iter(self._pending))
            self.show_section(about_settings()[name].section)
            self.fields[name].control.setFocus()
            return
        super().reject()

    def _page(self, section: Section, name: str) -> QScrollArea:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(18)
        title = QLabel(name)
        title.setProperty("role", "title")
        column.addWidget(title)
        for field_name, about in about_settings().items():
            if about.section == section:
                column.addWidget(self.fields[field_name])
                if field_name == "engine":
                    column.addWidget(self.key_field)
        if section == "engine":
            column.addWidget(self.vocabulary_field)
        column.addStretch(1)
        page = QScrollArea()
        page.setWidget(inside)
        page.setWidgetResizable(True)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return page

    def _on_edited(self, name: str, value: object) -> None:
        """Use the value with all that could not be used yet; else say why not."""
        self._pending[name] = value
        self._has_warned = False
        try:
            settings = replace(self._settings, **self._pending)
        except UserError as error:
            self.fields[name].complain(str(error))
            self._use_alone(name)
            return
        self._pending.clear()
        for field in self.fields.values():
            field.complain("")
        self._use(settings)

    def _use_alone(self, name: str) -> None:
        """A good value must not wait for a bad one elsewhere."""
        try:
            settings = replace(self._settings, **{name: self._pending[name]})
        except UserError:
            return
        del self._pending[name]
        self.fields[name].complain("")
        self._use(settings)

    def _use(self, settings: Settings) -> None:
        if settings != self._settings:
            self._settings = settings
            self.changed.emit(settings)
