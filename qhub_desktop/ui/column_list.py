"""The columns of a data set below each other; of a wide one, some at a time."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import ngettext
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.column_view import ColumnView
from qhub_desktop.ui.theme import Palette

AT_A_TIME = 24


class ColumnList(QWidget):
    """Each column opens by itself."""

    def __init__(self, profile: DatasetProfile, palette: Palette) -> None:
        super().__init__()
        self._profile = profile
        self._palette = palette
        self.views: list[ColumnView] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.more = WordButton("", palette, kind="link")
        self.more.clicked.connect(self._add)
        self._column.addWidget(self.more)
        self._add()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        for view in self.views:
            view.set_palette(palette)

    def _add(self) -> None:
        start = len(self.views)
        for position, column in enumerate(self._profile.columns[start : start + AT_A_TIME], start):
            view = ColumnView(column, rows=self._profile.rows, palette=self._palette)
            self.views.append(view)
            self._column.insertWidget(position, view)
        hidden = len(self._profile.columns) - len(self.views)
        next_ = min(hidden, AT_A_TIME)
        words = ngettext("Show {count} more column", "Show {count} more columns", next_)
        self.more.setText(words.format(count=next_))
        self.more.setVisible(hidden > 0)
