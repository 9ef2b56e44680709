"""What stands in the window: the bar on top, three columns, and between them what went wrong."""

from datetime import datetime

from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from qhub_desktop.ui.banner import Banner
from qhub_desktop.ui.centre import Centre
from qhub_desktop.ui.data_panel import DataPanel
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.sidebar import Sidebar
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Painted, Palette
from qhub_desktop.ui.top_bar import TopBar
from qhub_desktop.ui.window_place import WindowPlace

SIDEBAR_PX = 256
PANEL_PX = 304
_SMALLEST_PX = {"sidebar": 200, "centre": 400, "panel": 248}


class Frame(QWidget):
    """The parts, laid out; who uses the window joins them."""

    def __init__(self, desk: Desk, tasks: Tasks, palette: Palette, *, station: str) -> None:
        super().__init__()
        now = datetime.now().astimezone()
        self.top_bar = TopBar(palette, station=station, now=now)
        self.banner = Banner(palette)
        self.sidebar = Sidebar(agents=desk.agents, store=desk.store, tasks=tasks, palette=palette)
        self.centre = Centre(desk, tasks, palette)
        self.panel = DataPanel(
            store=desk.store,
            workspace=desk.workspace,
            shelf=desk.shelf,
            tasks=tasks,
            palette=palette,
        )
        self._splitter = QSplitter()
        # One pixel is drawn; Qt lets five be taken hold of.
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for part in (self.sidebar, self.centre, self.panel):
            self._splitter.addWidget(part)
        self._splitter.setStretchFactor(0, 0)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setStretchFactor(2, 0)
        self.sidebar.setMinimumWidth(_SMALLEST_PX["sidebar"])
        self.centre.setMinimumWidth(_SMALLEST_PX["centre"])
        self.panel.setMinimumWidth(_SMALLEST_PX["panel"])
        rule = QFrame()
        rule.setProperty("kind", "line")
        rule.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(rule)
        column.addWidget(self.banner)
        column.addWidget(self._splitter, 1)

    def stand(self, place: WindowPlace, *, width_px: int) -> None:
        """Give the columns the widths that they had; call it again once the window has its own."""
        self.sidebar.setVisible(place.has_sidebar)
        self.panel.setVisible(place.has_panel)
        left = place.sidebar_px or SIDEBAR_PX
        right = place.panel_px or PANEL_PX
        self._splitter.setSizes([left, max(width_px - left - right, 0), right])

    def widths(self, before: WindowPlace) -> tuple[int, int]:
        """The widths of the columns left and right; of a hidden one, what it was before."""
        left, _centre, right = self._splitter.sizes()
        return left or before.sidebar_px, right or before.panel_px

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        painted: list[Painted] = [
            self.top_bar,
            self.banner,
            self.sidebar,
            self.centre,
            self.panel,
        ]
        for each in painted:
            each.set_palette(palette)
