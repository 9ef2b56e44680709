"""The line above a conversation: who answers, what it is called, and what can be done with it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.theme import Palette


class PageHeader(QWidget):
    """Says nothing of a conversation that has not begun.

    Signals:
        menu_wanted: what can be done with the conversation; the menu opens below the button.
    """

    menu_wanted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._agent = QLabel()
        self._agent.setProperty("role", "quiet")
        self._title = ElidedLabel(role="heading")
        self.more = IconButton("more", _("What can be done with this conversation"), palette)
        self.more.clicked.connect(self.menu_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._agent)
        row.addWidget(self._title, 1)
        row.addWidget(self.more)
        self.setFixedHeight(self.sizeHint().height())

    @property
    def title(self) -> str:
        """The title that is shown; empty for a conversation that has not begun."""
        return self._title.text()

    def show_conversation(self, agent: str, title: str | None) -> None:
        """Name what is on the page; `None` is a conversation that has not begun."""
        self._agent.setText("" if title is None else f"{agent} ·")
        self._title.setText(title or "")
        self.more.setVisible(title is not None)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.more.set_palette(palette)
