"""The widgets of one stretch of an answer: cards below each other, indicators side by side."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.widgets import Kpi, Widget
from qhub_desktop.ui.theme import GRID_PX, Palette

_KPI_PX = 168
_KPIS_IN_A_ROW = 4


@runtime_checkable
class Dressable(Protocol):
    """Something that wears a palette."""

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        ...


class WidgetFlow(QWidget):
    """Cards, in the order in which they came. `make_card` builds one."""

    def __init__(self, make_card: Callable[[Widget], QWidget]) -> None:
        super().__init__()
        self._make_card = make_card
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID_PX + 4)
        self._last: QWidget | None = None
        self.cards: list[QWidget] = []

    def add(self, widget: Widget) -> None:
        """Show one more."""
        card = self._make_card(widget)
        self.cards.append(card)
        if not isinstance(widget, Kpi):
            self._last = card
            self._column.addWidget(card)
            return
        if not isinstance(self._last, _KpiRows):
            self._last = _KpiRows()
            self._column.addWidget(self._last)
        self._last.add(card)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for card in self.cards:
            if isinstance(card, Dressable):
                card.set_palette(palette)


class _KpiRows(QWidget):
    """Indicators side by side, as many in a row as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID_PX + 4)
        self._cards: list[QWidget] = []
        self._columns = 0

    def add(self, card: QWidget) -> None:
        self._cards.append(card)
        self._columns = 0
        self._place()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        room = max(1, self.width() // _KPI_PX)
        columns = min(room, _KPIS_IN_A_ROW, len(self._cards))
        if columns == self._columns:
            return
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, place // columns, place % columns)
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)
        self._columns = columns
