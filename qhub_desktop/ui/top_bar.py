"""The bar across the top: which station and shift this is, who answers, and how it all looks."""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton
from qhub_desktop.ui.status_pill import StatusPill
from qhub_desktop.ui.theme import Palette

# The plant's shifts begin at these hours.
MORNING_H = 6
AFTERNOON_H = 14
NIGHT_H = 22


def shift_at(moment: datetime) -> str:
    """The name of the shift that is at work."""
    if MORNING_H <= moment.hour < AFTERNOON_H:
        return _("Morning shift")
    if AFTERNOON_H <= moment.hour < NIGHT_H:
        return _("Afternoon shift")
    return _("Night shift")


class TopBar(QFrame):
    """Never more than one line.

    Signals:
        sidebar_toggled, panel_toggled: the column on that side is to hide, or to come back.
        theme_toggled: the other appearance is wanted.
        settings_opened: the settings are wanted.
    """

    sidebar_toggled = Signal()
    panel_toggled = Signal()
    theme_toggled = Signal()
    settings_opened = Signal()

    def __init__(self, palette: Palette, *, station: str, now: datetime) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._station = station
        self._sidebar = IconButton(
            "sidebar-left", _("Agents and conversations"), palette, shortcut="F9"
        )
        self._sidebar.clicked.connect(self.sidebar_toggled)
        name = QLabel("QHub")
        name.setProperty("role", "heading")
        self._where = QLabel()
        self._where.setProperty("role", "quiet")
        self._where.setTextFormat(Qt.TextFormat.PlainText)
        self.pill = StatusPill(palette)
        self._theme = IconButton("moon", "", palette)
        self._theme.clicked.connect(self.theme_toggled)
        self._gear = IconButton("gear", _("Settings"), palette, shortcut="Ctrl+,")
        self._gear.clicked.connect(self.settings_opened)
        self._panel = IconButton("sidebar-right", _("Data"), palette, shortcut="F10")
        self._panel.clicked.connect(self.panel_toggled)

        left = QHBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._sidebar)
        left.addWidget(name)
        left.addSpacing(4)
        left.addWidget(self._where, 1)
        right = QHBoxLayout()
        right.setSpacing(4)
        right.addStretch(1)
        for button in (self._theme, self._gear, self._panel):
            right.addWidget(button)
        row = QGridLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.addLayout(left, 0, 0)
        row.addWidget(self.pill, 0, 1)
        row.addLayout(right, 0, 2)
        # Equal sides keep the pill in the middle of the window.
        row.setColumnStretch(0, 1)
        row.setColumnStretch(2, 1)
        self.show_time(now)
        self.set_palette(palette)

    @property
    def where(self) -> str:
        """The station and its shift, as shown."""
        return self._where.text()

    def show_time(self, now: datetime) -> None:
        """Say which shift is at work."""
        self._where.setText(" · ".join(filter(None, (self._station, shift_at(now)))))

    def show_station(self, station: str, now: datetime) -> None:
        """Say which station this is, and its shift."""
        self._station = station
        self.show_time(now)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        tip = _("Light appearance") if palette.is_dark else _("Dark appearance")
        self._theme.set_tip(tip)
        self._theme.set_icon("sun" if palette.is_dark else "moon", palette)
        for button in (self._sidebar, self._gear, self._panel):
            button.set_palette(palette)
        self.pill.set_palette(palette)
