"""Windows of their own for what is too large for a card: data, a chart, a query."""

from typing import Protocol

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QVBoxLayout, QWidget

from qhub_desktop.core.figure import Figure
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.theme import GRID_PX, Palette

SCREEN_SHARE = 0.9
ZOOM_IN, ZOOM_OUT = 0.7, 1 / 0.7


class Dressed(Protocol):
    """Something that wears a palette."""

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        ...


class DetailWindow(QDialog):
    """One widget, large, beside the conversation, which goes on. It is gone once closed."""

    def __init__(
        self, owner: QWidget | None, title: str, *, subtitle: str = "", wanted: QSize
    ) -> None:
        super().__init__(owner)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, on=False)
        self.setWindowTitle(title)
        self._dressed: list[Dressed] = []
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX)
        self.column.setSpacing(GRID_PX)
        self._add_words(title, "title")
        if subtitle:
            self._add_words(subtitle, "small")
        room = self.screen().availableSize() * SCREEN_SHARE
        self.resize(wanted.boundedTo(room))

    def add(self, widget: QWidget, dressed: Dressed | None = None) -> None:
        """Fill the window."""
        self.column.addWidget(widget, 1)
        if dressed is not None:
            self._dressed.append(dressed)

    def add_note(self, text: str) -> None:
        """A quiet line at the foot."""
        self._add_words(text, "small")

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for each in self._dressed:
            each.set_palette(palette)

    def _add_words(self, text: str, role: str) -> None:
        words = QLabel(text)
        words.setProperty("role", role)
        words.setWordWrap(True)
        self.column.addWidget(words)


def chart_window(owner: QWidget | None, figure: Figure, palette: Palette) -> DetailWindow:
    """A chart that can be zoomed and moved."""
    # Half a second to import: nobody waits for it who enlarges no chart.
    from qhub_desktop.ui.widgets.plot_view import PlotView

    window = DetailWindow(owner, figure.title, subtitle=figure.subtitle, wanted=QSize(1180, 760))
    plot = PlotView(figure, palette, is_pannable=True)
    frame = QFrame()
    frame.setProperty("kind", "card")
    inner = QVBoxLayout(frame)
    inner.setContentsMargins(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, GRID_PX)
    inner.addWidget(plot)
    window.add(frame, plot)
    window.add_note(_("Ctrl + wheel zooms, dragging moves, a double click shows everything."))
    for keys, words, does in (
        (QKeySequence.StandardKey.ZoomIn, _("Zoom in"), lambda: plot.zoom(ZOOM_IN)),
        (QKeySequence.StandardKey.ZoomOut, _("Zoom out"), lambda: plot.zoom(ZOOM_OUT)),
        (QKeySequence("Ctrl+0"), _("Show everything"), plot.reset),
    ):
        action = QAction(words, window)
        action.setShortcut(keys)
        action.triggered.connect(does)
        window.addAction(action)
    return window
