"""The profile of one column, as the data panel shows it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.column_view import ColumnView
from qhub_desktop.ui.popup_frame import PopupFrame
from qhub_desktop.ui.theme import GRID_PX, Palette

WIDTH_PX = 320
PAD_PX = 12


class ColumnStatistics(PopupFrame):
    """Says of how many rows it is: all of the data set, whatever is filtered."""

    def __init__(
        self, column: ColumnProfile, *, rows: int, palette: Palette, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.view = ColumnView(column, rows=rows, palette=palette)
        self.view.setFixedWidth(WIDTH_PX)
        self.view.setChecked(True)
        # It stays open, unlike in the panel.
        self.view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        words = ngettext(
            "Of {count} row, filtered or not", "Of all {count} rows, filtered or not", rows
        )
        self.scope = QLabel(words.format(count=number(rows, digits=0)))
        self.scope.setProperty("role", "small")
        self.scope.setIndent(GRID_PX)
        self.setAccessibleName(_("Statistics of {column}").format(column=column.name))
        self.setAccessibleDescription(self.view.accessibleDescription())
        lines = QVBoxLayout(self)
        lines.setContentsMargins(PAD_PX, PAD_PX, PAD_PX, PAD_PX)
        lines.addWidget(self.view)
        lines.addWidget(self.scope)
