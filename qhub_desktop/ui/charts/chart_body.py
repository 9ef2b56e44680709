"""The body of a chart card: its place kept free until it is seen, its libraries preloaded."""

import threading
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimerEvent, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Figure
from qhub_desktop.core.processes.thread import LOADING, in_background
from qhub_desktop.core.text import number
from qhub_desktop.ui.charts.viewport import height_px

if TYPE_CHECKING:
    from qhub_desktop.ui.charts.plot_view import PlotView


def warm() -> None:
    """Import pyqtgraph and the formats of numbers on a thread; call it after the first paint."""
    _loading()


def is_warm() -> bool:
    """Whether a chart can be built without waiting; starts the loading where nobody has."""
    return not _loading().is_alive()


@cache
def _loading() -> threading.Thread:
    # What is imported is imported for the whole process, once; so is this thread.
    return in_background(_load, f"{LOADING}charts")


def _load() -> None:
    import qhub_desktop.ui.charts.plot_view  # noqa: F401  480 ms, most of it pyqtgraph

    number(1234.5)


WARMING_MS = 30  # between looks whether pyqtgraph is there


class ChartBody(QWidget):
    """A figure that is drawn when it comes into sight, without moving what lies below.

    Signals:
        drawn: the figure is there.
    """

    drawn = Signal()

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._figure = figure
        self._plot: PlotView | None = None
        self._timer = 0
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setFixedHeight(height_px(figure))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(figure.title)

    @property
    def is_drawn(self) -> bool:
        """Whether the figure is there."""
        return self._plot is not None

    def plot(self) -> "PlotView":
        """What draws the figure; made now if it has not been in sight yet."""
        if self._plot is None:
            # Half a second to import: nobody waits for it who sees no chart.
            from qhub_desktop.ui.charts.plot_view import PlotView

            self._plot = PlotView(self._figure)
            self._column.addWidget(self._plot)
            # A picture may be wanted before the layout has had its turn.
            self._plot.resize(self.size())
            self.drawn.emit()
        return self._plot

    @override
    def sizeHint(self) -> QSize:
        return QSize(560, height_px(self._figure))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        # Widgets are not made in the middle of painting, nor while pyqtgraph is still loading:
        # importing it here as well would hold the window up until it is there.
        if self._plot is None and not self._timer:
            self._timer = self.startTimer(0 if is_warm() else WARMING_MS)

    @override
    def timerEvent(self, event: QTimerEvent) -> None:
        if event.timerId() != self._timer:
            super().timerEvent(event)
            return
        if is_warm():
            self.killTimer(self._timer)
            self._timer = 0
            self.plot()
