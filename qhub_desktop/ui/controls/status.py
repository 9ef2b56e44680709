"""Labels that tell what came of the last thing done: it is under way, done, or has failed."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import PlainLabel
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.theme import GRID_PX, set_style_property


class StatusLabel(PlainLabel):
    """Label of a sentence about the last thing done, hidden until there is one.

    `role` is the style of what is told without another one. The window may be closed while the
    thing is done: then nothing is shown.
    """

    def __init__(self, *, role: str = "quiet", is_selectable: bool = False) -> None:
        super().__init__()
        self._role = role
        self.setWordWrap(True)
        self.setProperty("role", role)
        if is_selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._saved: Path | None = None
        self._room_px = 0  # that the button takes at the right
        self.open_button = TextButton(_("Open"), kind="link", on_click=self._on_open_clicked)
        self.open_button.setAutoDefault(False)  # Enter in a dialog is not for it
        self.open_button.setParent(self)
        self.open_button.hide()
        self.hide()

    def tell_saved(self, sentence: str, file: Path, *, role: str = "") -> None:
        """Tell that a file was saved, with a button that opens it."""
        self.tell(sentence, role=role)
        if isValid(self):
            self._saved = file
            self.open_button.adjustSize()
            self.open_button.show()
            self.setMinimumHeight(self.open_button.height())
            self._make_room(self.open_button.width() + GRID_PX)
            self._place_button()

    def tell(self, sentence: str, *, role: str = "") -> None:
        """Show a sentence in the style of a role; hide the label for an empty one."""
        if isValid(self):
            self._saved = None
            self.open_button.hide()
            self.setMinimumHeight(0)
            self._make_room(0)
            self.setText(sentence)
            set_style_property(self, "role", role or self._role)
            self.setVisible(bool(sentence))

    def tell_error(self, error: QHubError) -> None:
        """Show an error."""
        self.tell(str(error), role="bad")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def _make_room(self, room_px: int) -> None:
        margins = self.contentsMargins()
        margins.setRight(margins.right() + room_px - self._room_px)
        self._room_px = room_px
        self.setContentsMargins(margins)

    def _place_button(self) -> None:
        """Put the button beside the words."""
        words_px = self.fontMetrics().horizontalAdvance(self.text())
        left = self.contentsMargins().left() + words_px + GRID_PX
        left = min(left, self.width() - self.open_button.width())
        top = (self.height() - self.open_button.height()) // 2
        self.open_button.move(max(0, left), max(0, top))

    def _on_open_clicked(self) -> None:
        if self._saved is not None and not open_file(self._saved):
            open_file(self._saved.parent)
