"""The columns that were hidden, to be shown again."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QTableView

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.theme import Palette


class HiddenColumns(WordButton):
    """Says how many there are, and is not there without any."""

    def __init__(self, grid: QTableView, palette: Palette) -> None:
        super().__init__("", palette, icon_name="eye-off", kind="flat")
        self._grid = grid
        self.clicked.connect(self._on_clicked)
        self.hide()

    def put_away(self, column: int) -> None:
        """Leave a column out of sight."""
        self._grid.hideColumn(column)
        self._say()

    def _on_clicked(self) -> None:
        model = self._grid.model()
        hidden = [at for at in range(model.columnCount()) if self._grid.isColumnHidden(at)]
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(_("Show all columns")).triggered.connect(lambda: self._bring_back(*hidden))
        menu.addSeparator()
        for at in hidden:
            words = str(model.headerData(at, Qt.Orientation.Horizontal)).replace("&", "&&")
            menu.addAction(words).triggered.connect(lambda _on=False, at=at: self._bring_back(at))
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _bring_back(self, *columns: int) -> None:
        for each in columns:
            self._grid.showColumn(each)
        self._say()

    def _say(self) -> None:
        count = self._grid.horizontalHeader().hiddenSectionCount()
        words = ngettext("{count} hidden column", "{count} hidden columns", count)
        said = words.format(count=number(count, digits=0))
        self.setText(f"\N{NO-BREAK SPACE}{said}")
        self.setAccessibleName(said)
        self.setVisible(bool(count))
