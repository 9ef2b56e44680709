"""A dashboard in a conversation: its name, and the way to it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from qhub_desktop.core.dashboard import ADDRESS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import DashboardLink
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.theme import GRID_PX, Palette


class DashboardCard(QFrame):
    """A page that an answer has made, and a button that opens it.

    Signals:
        opened: its id.
    """

    opened = Signal(str)

    def __init__(self, link: DashboardLink, palette: Palette) -> None:
        super().__init__()
        self.link = link
        self.setProperty("kind", "card")
        self.setAccessibleName(_("Dashboard {title}").format(title=link.title))
        title = QLabel(link.title)
        title.setProperty("role", "heading")
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        address = QLabel(link.url)
        address.setProperty("role", "small")
        address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = WordButton(_("Open dashboard"), palette, icon_name="chart", kind="primary")
        self.button.clicked.connect(lambda: self.opened.emit(link.url.removeprefix(ADDRESS)))
        words = QVBoxLayout()
        words.setSpacing(GRID_PX // 2)
        words.addWidget(title)
        words.addWidget(address)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID_PX, GRID_PX + 4, 2 * GRID_PX, GRID_PX + 4)
        row.addLayout(words, 1)
        row.addWidget(self.button)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self.button.set_palette(palette)
