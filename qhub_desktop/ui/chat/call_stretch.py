"""Calls of an answer with no words between them, and what they drew."""

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qhub_desktop.core.widgets import Widget
from qhub_desktop.ui.chat.tool_line import ToolLine
from qhub_desktop.ui.chat.widget_flow import WidgetFlow
from qhub_desktop.ui.theme import GRID_PX, Palette

MakeCard = Callable[[Widget], QWidget]


class CallStretch(QWidget):
    """Their lines above, what they drew below."""

    def __init__(self, make_card: MakeCard) -> None:
        super().__init__()
        self._lines = QVBoxLayout()
        self._lines.setSpacing(0)
        self._flow = WidgetFlow(make_card)
        self._flow.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID_PX)
        column.addLayout(self._lines)
        column.addWidget(self._flow)

    @property
    def cards(self) -> list[QWidget]:
        """What they drew, in order."""
        return self._flow.cards

    def add_line(self, line: ToolLine) -> None:
        """One more call."""
        self._lines.addWidget(line)

    def add_widget(self, widget: Widget) -> None:
        """One more chart, table or indicator."""
        self._flow.add(widget)
        self._flow.show()

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for place in range(self._lines.count()):
            item = self._lines.itemAt(place)
            line = item.widget() if item is not None else None
            if isinstance(line, ToolLine):
                line.set_palette(palette)
        self._flow.set_palette(palette)
