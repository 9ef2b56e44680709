"""The filters in force, each taken away by a click."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.views import Filter
from qhub_desktop.ui.flow import Flow
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.table_window.words import told
from qhub_desktop.ui.theme import GRID_PX, Palette

GAP_PX = 6
ICON_PX = 14


class FilterChips(QWidget):
    """One for each, in as many lines as it takes.

    Signals:
        removed: the filter at this position is to go.
        cleared: all are to go.
    """

    removed = Signal(int)
    cleared = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._filters: tuple[Filter, ...] = ()
        self._chips: list[QPushButton] = []
        self._flow = Flow(spacing_px=GAP_PX)
        self.setLayout(self._flow)
        self.setContentsMargins(0, 0, 0, GRID_PX)
        self.hide()

    def show_filters(self, filters: tuple[Filter, ...]) -> None:
        """Show these, and nothing for none."""
        self._filters = filters
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(at, each) for at, each in enumerate(filters)]
        if filters:
            clear = QPushButton(_("Clear all"))
            clear.setProperty("kind", "pill")
            clear.clicked.connect(self.cleared)
            self._chips.append(clear)
        for chip in self._chips:
            self._flow.addWidget(chip)
        self.setVisible(bool(filters))

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        self.show_filters(self._filters)

    def _chip(self, at: int, wanted: Filter) -> QPushButton:
        words = told(wanted)
        chip = QPushButton(f"{words}\N{NO-BREAK SPACE}")  # room before the cross
        chip.setProperty("kind", "pill")
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands at the end
        chip.setIcon(icon("close", self._palette.quiet, size_px=ICON_PX))
        chip.setIconSize(QSize(ICON_PX, ICON_PX))
        chip.setAccessibleName(_("Take away the filter {words}").format(words=words))
        chip.setToolTip(_("Take this filter away"))
        chip.clicked.connect(lambda: self.removed.emit(at))
        return chip
