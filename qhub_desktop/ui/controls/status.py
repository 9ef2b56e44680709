"""Labels that tell what came of the last thing done: it is under way, done, or has failed."""

from PySide6.QtCore import Qt
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.ui.controls.layouts import PlainLabel
from qhub_desktop.ui.theme import set_style_property


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
        self.hide()

    def tell(self, sentence: str, *, role: str = "") -> None:
        """Show a sentence in the style of a role; hide the label for an empty one."""
        if isValid(self):
            self.setText(sentence)
            set_style_property(self, "role", role or self._role)
            self.setVisible(bool(sentence))

    def tell_error(self, error: QHubError) -> None:
        """Show an error."""
        self.tell(str(error), role="bad")
