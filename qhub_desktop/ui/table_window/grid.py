"""The grid: a million rows of one height, of which only those in sight are drawn."""

import unicodedata

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.table_window.header import MARKS_PX, ColumnHeader
from qhub_desktop.ui.table_window.rows_model import RowsModel
from qhub_desktop.ui.theme import Palette, mix
from qhub_desktop.ui.widgets.fonts import sized

ROW_PAD_PX = 11
SIDE_PX = 8
NARROWEST_PX = 72
WIDEST_PX = 320
ROWS_MEASURED = 50
COLUMNS_MEASURED = 200  # the others have the width of a short name

State = QStyle.StateFlag


class Grid(QTableView):
    """Read only; cells are selected as in a spreadsheet.

    Signals:
        seen: other rows are in sight: the first and the last of them.
    """

    seen = Signal(int, int)

    def __init__(self, model: RowsModel, palette: Palette) -> None:
        super().__init__()
        self._rows = model
        self._cells = CellDelegate(model, palette, self)
        self.header = ColumnHeader(model.columns, palette, self)
        self.setHorizontalHeader(self.header)
        self.setModel(model)
        self.setItemDelegate(self._cells)
        self.setAccessibleName(_("Rows"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the grid; the arrows move in it
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().setSectionResizeMode(self.verticalHeader().ResizeMode.Fixed)
        self.verticalHeader().setSectionsClickable(True)
        self.verticalHeader().setHighlightSections(False)
        self.verticalHeader().setAccessibleName(_("Row numbers"))
        self.verticalHeader().setStyleSheet(
            "QHeaderView::section:vertical { font-weight: 400; border-bottom: none; }"
        )
        self.setCornerWidget(QWidget())
        self._nothing = QLabel(_("No row passes the filters."), self.viewport())
        self._nothing.setProperty("role", "quiet")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        # A click on a name sorts; it is the menu and Ctrl+Space that select a column.
        self.header.sectionPressed.disconnect()
        self.header.sectionEntered.disconnect()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        # The numbers at the side come with their rows. Were the model to say that they changed, Qt
        # would lay the whole window out again: 25 ms.
        model.dataChanged.connect(self.verticalHeader().viewport().update)
        self.size_columns()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._cells.set_palette(palette)
        self.header.set_palette(palette)
        self.viewport().update()

    def highlight(self, words: str) -> None:
        """Mark these words wherever they are in sight."""
        self._cells.words = _folded(words.strip())
        self.viewport().update()

    def sight(self) -> tuple[int, int]:
        """The first and the last row in sight."""
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        return first, last if last >= 0 else max(0, self._rows.rowCount() - 1)

    @property
    def is_empty_said(self) -> bool:
        """Whether it is said that there is no row."""
        return self._nothing.isVisible()

    def tell_sight(self) -> None:
        """Say anew which rows are in sight."""
        self._nothing.resize(self.viewport().width(), self.viewport().height() // 2)
        self._nothing.setVisible(not self._rows.rowCount())
        self.seen.emit(*self.sight())

    def go_to(self, row: int, column: int) -> None:
        """Make a cell the current one and bring it into sight, not at the very edge."""
        index = self._rows.index(row, column)
        first, last = self.sight()
        is_near = first < row < last
        hint = self.ScrollHint.EnsureVisible if is_near else self.ScrollHint.PositionAtCenter
        self.setCurrentIndex(index)
        self.scrollTo(index, hint)

    def select_column(self, column: int) -> None:
        """Select a whole column and nothing else, whatever keys are held down."""
        self._select(0, column, self._rows.rowCount() - 1, column)

    def select_row(self, row: int) -> None:
        """Select a whole row and nothing else."""
        self._select(row, 0, row, self._rows.columnCount() - 1)

    def size_rows(self) -> None:
        """Give rows the height, and their numbers the width, that the font needs."""
        self._cells.forget_font()
        row_px = QFontMetrics(self.font()).height() + ROW_PAD_PX
        heads = self.verticalHeader()
        heads.setFont(sized(9))
        widest = number(max(self._rows.known_rows, 1_000), digits=0)
        heads.setFixedWidth(QFontMetrics(sized(9)).horizontalAdvance(widest) + 2 * SIDE_PX + 4)
        if heads.defaultSectionSize() != row_px:
            heads.setDefaultSectionSize(row_px)

    def size_columns(self) -> None:
        """Let columns be as wide as their first cells."""
        metrics = QFontMetrics(self.font())
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        names = QFontMetrics(bold)
        for column, profile in enumerate(self._rows.columns[:COLUMNS_MEASURED]):
            texts = [
                self._rows.text(row, column)
                for row in range(min(ROWS_MEASURED, self._rows.rowCount()))
                if self._rows.is_there(row)
            ]
            cells_px = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * SIDE_PX + 4
            name_px = names.horizontalAdvance(profile.name) + MARKS_PX
            wanted = max(cells_px, min(name_px, WIDEST_PX))
            self.header.resizeSection(column, max(NARROWEST_PX, min(WIDEST_PX, wanted)))

    @override
    def keyboardSearch(self, search: str) -> None:
        """Nothing: Qt would look through a million rows for a letter. There is Ctrl+F."""

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.tell_sight()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Only now has the grid the font of the style sheet.
        self.size_rows()
        self.size_columns()
        self.tell_sight()

    def _select(self, top: int, left: int, bottom: int, right: int) -> None:
        if top < 0 or left < 0 or bottom < top:
            return
        area = QItemSelection(self._rows.index(top, left), self._rows.index(bottom, right))
        self.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _on_scrolled(self, _value: int) -> None:
        self.tell_sight()


class CellDelegate(QStyledItemDelegate):
    """Draws cells by hand: through the style sheet one screen of them takes ten times as long."""

    def __init__(self, model: RowsModel, palette: Palette, grid: QTableView) -> None:
        super().__init__(grid)
        self._rows = model
        self._grid = grid
        self.words = ""
        self._wide_px = 0
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._text = QColor(palette.text)
        self._quiet = QColor(palette.quiet)
        self._other = QColor(palette.panel)
        self._selected = QColor(mix(palette.card, palette.accent, 0.18))
        self._found = QColor(mix(palette.card, palette.series[1], 0.5))
        self._frame = QPen(QColor(palette.accent), 2)

    def forget_font(self) -> None:
        """Measure the letters anew."""
        self._wide_px = 0

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row, column = index.row(), index.column()
        place: QRect = option.rect
        if option.state & State.State_Selected:
            painter.fillRect(place, self._selected)
        elif row % 2:
            painter.fillRect(place, self._other)
        metrics = option.fontMetrics
        if not self._wide_px:
            self._wide_px = metrics.horizontalAdvance("W")
        text = self._rows.text(row, column)
        left, room_px = place.left() + SIDE_PX, place.width() - 2 * SIDE_PX
        # To measure costs as much as to draw: what would fit in capitals is not measured.
        if len(text) * self._wide_px > room_px:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room_px)
        if self._rows.is_right(column):
            left += room_px - metrics.horizontalAdvance(text)
        if self.words:
            self._mark(painter, place, left, text, metrics)
        painter.setPen(self._quiet if self._rows.is_missing(row, column) else self._text)
        # From a point: laying out in a rectangle takes twice as long.
        base = place.top() + (place.height() + metrics.ascent() - metrics.descent()) // 2
        painter.drawText(left, base, text)
        # Also while the person types what is looked for.
        if index == self._grid.currentIndex():
            painter.setPen(self._frame)
            painter.drawRect(place.adjusted(1, 1, -1, -1))

    def _mark(
        self, painter: QPainter, place: QRect, start: int, text: str, metrics: QFontMetrics
    ) -> None:
        """Colour behind each place where the words stand."""
        folded = _folded(text)
        if len(folded) != len(text):
            return  # a letter that is two without its case: the places would be wrong
        top = place.center().y() - metrics.height() // 2
        at = folded.find(self.words)
        while at >= 0:
            left = start + metrics.horizontalAdvance(text[:at])
            width = metrics.horizontalAdvance(text[at : at + len(self.words)])
            painter.fillRect(QRect(left, top, width, metrics.height()), self._found)
            at = folded.find(self.words, at + len(self.words))


def _folded(words: str) -> str:
    """The words without case and accents, and with plain spaces."""
    apart = unicodedata.normalize("NFD", words.replace("\N{NO-BREAK SPACE}", " ").casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))
