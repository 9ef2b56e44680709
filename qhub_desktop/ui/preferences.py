"""The settings dialog as the window owns it: one at a time, and remade in another language."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.settings import Section, Settings
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.key_field import KeyField
from qhub_desktop.ui.settings_dialog import SettingsDialog
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.vocabulary_field import VocabularyField


class Preferences:
    """`on_key_saved` is called when a key was kept or forgotten."""

    def __init__(
        self,
        desk: Desk,
        *,
        tasks: Tasks,
        palette: Callable[[], Palette],
        on_key_saved: Callable[[], object],
        parent: QWidget,
    ) -> None:
        self._desk = desk
        self._tasks = tasks
        self._palette = palette
        self._on_key_saved = on_key_saved
        self._parent = parent
        self._dialog: SettingsDialog | None = None

    @property
    def section(self) -> Section | None:
        """The section that is open, if any."""
        return self._dialog.section if self._dialog is not None else None

    def open(self, section: Section) -> SettingsDialog:
        """Show a section."""
        if self._dialog is not None:
            self._dialog.show_section(section)
            self._dialog.raise_()
            return self._dialog
        dialog = SettingsDialog(
            self._desk.chosen.settings,
            key_field=self._make_key_field,
            vocabulary_field=VocabularyField(tasks=self._tasks, palette=self._palette()),
            section=section,
            palette=self._palette(),
            parent=self._parent,
        )
        dialog.changed.connect(self._desk.chosen.replace)
        dialog.finished.connect(self._on_finished)
        self._dialog = dialog
        dialog.show()
        return dialog

    def close(self) -> None:
        """Close what is open, whatever stands in it."""
        if self._dialog is not None:
            self._dialog.done(0)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        if self._dialog is not None:
            self._dialog.set_palette(palette)

    def _make_key_field(self, settings: Callable[[], Settings]) -> KeyField:
        return KeyField(
            settings=settings,
            test_connection=self._desk.test_connection,
            save_key=self._desk.save_key,
            has_key=self._desk.has_key,
            on_saved=self._on_key_saved,
            tasks=self._tasks,
            palette=self._palette(),
        )

    def _on_finished(self) -> None:
        self._dialog = None
