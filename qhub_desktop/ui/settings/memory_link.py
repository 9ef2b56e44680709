"""Way from the settings to what is known of the person."""

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import button_row
from qhub_desktop.ui.controls.layouts import column_of
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part


@settings_part("abilities", after="memory")
class MemoryLink(QWidget):
    """Button that opens the window of the notes."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._open_memory = context.open_memory
        self.button = TextButton(_("What I know of you"), on_click=self._open)
        column_of(button_row(self.button), owner=self)

    def _open(self) -> None:
        self._open_memory()
