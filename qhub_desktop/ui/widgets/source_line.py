"""Where a widget's numbers came from, and the query behind them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.widgets import Source
from qhub_desktop.ui.theme import SMALL_PT
from qhub_desktop.ui.widgets.fonts import points

MOST_LINES = 10
LETTERS_IN_A_LINE = 86  # at the usual width of a card
BOX_PAD_PX = 14


class SourceLine(QWidget):
    """One quiet line; its link unfolds the query under it, to be read and copied."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.link = QPushButton(_("query"))
        self.link.setProperty("kind", "link")
        self.link.setCheckable(True)
        self.link.setAccessibleName(_("Show the query"))
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link.setStyleSheet(
            f"min-height: 18px; padding: 0 2px; font-size: {points(SMALL_PT)}pt;"
        )
        self.link.setVisible(bool(source.sql))
        self.box = QueryBox(source.sql)
        self.box.hide()
        self.link.toggled.connect(self.box.setVisible)
        words = QLabel(source_text(source) + (" ·" if source.sql else ""))
        words.setProperty("role", "small")
        words.setToolTip(file_text(source))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(words)
        row.addWidget(self.link)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.box)


class QueryBox(QPlainTextEdit):
    """A query, as high as it is long."""

    def __init__(self, sql: str) -> None:
        super().__init__(sql.strip())
        self.setReadOnly(True)
        self.setAccessibleName(_("Query"))
        self.setTabChangesFocus(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.setFont(font)
        self.setProperty("kind", "chip")
        lines = sum(1 + len(line) // LETTERS_IN_A_LINE for line in sql.strip().splitlines())
        lines = max(1, min(MOST_LINES, lines))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + BOX_PAD_PX)


def source_text(source: Source) -> str:
    """The line: data set, sheet, and how many of its rows took part."""
    names = " · ".join(part for part in (source.dataset, source.sheet) if part)
    return _("Source: {names} · {rows}").format(names=names, rows=rows_text(source))


def rows_text(source: Source) -> str:
    """The same for narrow places: the rows alone."""
    total = number(source.rows_total)
    if source.rows_used is None:
        return _("of {total} rows").format(total=total)
    return _("{used} of {total} rows").format(used=number(source.rows_used), total=total)


def file_text(source: Source) -> str:
    """The file that the person knows, and its sheet."""
    return " · ".join(part for part in (source.file, source.sheet) if part)
