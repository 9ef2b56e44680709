"""The body of a chart card: a placeholder until it is visible; and the preloading of pyqtgraph."""

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimerEvent, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Figure
from qhub_desktop.core.text import number
from qhub_desktop.ui.charts.scales import height_px
from qhub_desktop.ui.controls.layouts import column_of
from qhub_desktop.ui.gui_thread import Preload

if TYPE_CHECKING:
    from qhub_desktop.ui.charts.plot_view import PlotView


def preload() -> None:
    """Import pyqtgraph and number formats on a thread; call it after the first paint."""
    _preloader()


def is_preloaded() -> bool:
    """Whether a chart can be built at once; starts preloading if nobody has."""
    return _preloader().is_done


@cache
def _preloader() -> Preload:
    return Preload(_load, "charts")  # imports are global to the process, hence one for all


def _load() -> None:
    import qhub_desktop.ui.charts.plot_view  # noqa: F401  480 ms, most of it pyqtgraph

    number(1234.5)


POLL_MS = 30  # between checks whether pyqtgraph is loaded


class ChartBody(QWidget):
    """Widget that draws its figure when it becomes visible; its height never changes.

    Signals:
        drawn: the figure was built.
    """

    drawn = Signal()

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._figure = figure
        self._plot: PlotView | None = None
        self._timer = 0
        self._column = column_of(owner=self, spacing=None)
        self.setFixedHeight(height_px(figure))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(figure.title)

    @property
    def is_drawn(self) -> bool:
        """Whether the figure was built."""
        return self._plot is not None

    def plot(self) -> "PlotView":
        """Return the plot, built now if it has not been visible yet."""
        if self._plot is None:
            # Imports pyqtgraph, 0.5 s: only when a chart is shown.
            from qhub_desktop.ui.charts.plot_view import PlotView

            self._plot = PlotView(self._figure)
            self._column.addWidget(self._plot)
            # A picture may be taken before Qt has laid out the new widget.
            self._plot.resize(self.size())
            self.drawn.emit()
        return self._plot

    @override
    def sizeHint(self) -> QSize:
        return QSize(560, height_px(self._figure))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        # Widgets must not be made while painting. While pyqtgraph is still loading on its
        # thread, importing it here would block the window until it is loaded.
        if self._plot is None and not self._timer:
            self._timer = self.startTimer(0 if is_preloaded() else POLL_MS)

    @override
    def timerEvent(self, event: QTimerEvent) -> None:
        if event.timerId() != self._timer:
            super().timerEvent(event)
            return
        if is_preloaded():
            self.killTimer(self._timer)
            self._timer = 0
            self.plot()
