"""What was found in a dropped file, and three questions it invites."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.text import cell, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.suggestions import suggested
from qhub_desktop.ui.column_view import TYPE_ICONS
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.importing.wording import summary
from qhub_desktop.ui.theme import GRID_PX, Palette

_SHOWN_COLUMNS = 12


class ProfileCard(QFrame):
    """One data set: its file, its size, its columns, its warnings.

    Signals:
        asked: a suggested question was pressed.
    """

    asked = Signal(str)

    def __init__(self, profile: DatasetProfile, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._signs: list[tuple[QLabel, str, int]] = []
        self._warnings: list[QLabel] = []
        self._questions: list[QPushButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, 14, 2 * GRID_PX, 14)
        column.setSpacing(12)
        column.addLayout(self._head(profile))
        column.addWidget(self._columns(profile))
        for warning in _doubts(profile):
            column.addLayout(self._warning(warning))
        if profile.report is not None and (done := summary(profile.report)[0]):
            quiet = QLabel(done)
            quiet.setProperty("role", "small")
            quiet.setWordWrap(True)
            column.addWidget(quiet)
        row = QVBoxLayout()
        row.setSpacing(GRID_PX)
        for question in suggested(profile):
            row.addWidget(self._question(question))
        column.addLayout(row)
        self.set_palette(palette)

    @property
    def questions(self) -> tuple[QPushButton, ...]:
        """The suggested questions, as buttons."""
        return tuple(self._questions)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for label, name, side in self._signs:
            colour = palette.accent if side > 16 else palette.quiet
            if name == "warning":
                colour = palette.warn
            label.setPixmap(icon(name, colour, size_px=side).pixmap(side))
        for button in self._questions:
            button.setIcon(icon("chat", palette.accent, size_px=18))

    def _head(self, profile: DatasetProfile) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._sign("table", 24))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(ElidedLabel(profile.file, role="heading"))
        under = QLabel(_size(profile))
        under.setProperty("role", "small")
        under.setTextFormat(Qt.TextFormat.PlainText)
        words.addWidget(under)
        row.addLayout(words, 1)
        return row

    def _columns(self, profile: DatasetProfile) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        half = (min(len(profile.columns), _SHOWN_COLUMNS) + 1) // 2
        for place, column in enumerate(profile.columns[:_SHOWN_COLUMNS]):
            side = 4 * (place // half) if half else 0
            at = place % half if half else 0
            grid.addWidget(self._sign(TYPE_ICONS[column.type], 16), at, side)
            name = QLabel(column.name)
            name.setTextFormat(Qt.TextFormat.PlainText)
            grid.addWidget(name, at, side + 1)
            # Gives way in a small window, where the card would be wider than the page.
            grid.addWidget(ElidedLabel(_about(column), role="small"), at, side + 2)
            grid.setColumnStretch(side + 2, 1)
        more = len(profile.columns) - _SHOWN_COLUMNS
        if more > 0:
            words = ngettext("and {count} more column", "and {count} more columns", more)
            label = QLabel(words.format(count=more))
            label.setProperty("role", "small")
            grid.addWidget(label, half, 0, 1, 7)
        return box

    def _warning(self, text: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GRID_PX)
        row.addWidget(self._sign("warning", 16), alignment=Qt.AlignmentFlag.AlignTop)
        words = QLabel(text)
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        row.addWidget(words, 1)
        return row

    def _question(self, question: str) -> QPushButton:
        button = QPushButton(f" {question.replace('&', '&&')}")
        button.setProperty("kind", "tile")
        button.setIconSize(QSize(18, 18))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setAccessibleName(_("Ask: {question}").format(question=question))
        button.clicked.connect(lambda: self.asked.emit(question))
        self._questions.append(button)
        return button

    def _sign(self, name: str, side: int) -> QLabel:
        label = QLabel()
        label.setFixedSize(side, side)
        self._signs.append((label, name, side))
        return label


def _doubts(profile: DatasetProfile) -> tuple[str, ...]:
    """What the person had better look at; what was repaired is counted, and told in the report."""
    if profile.report is None:
        return profile.warnings
    return tuple(finding.text for finding in profile.report.doubtful)


def _size(profile: DatasetProfile) -> str:
    rows = ngettext("{count} row", "{count} rows", profile.rows).format(count=number(profile.rows))
    count = len(profile.columns)
    columns = ngettext("{count} column", "{count} columns", count).format(count=number(count))
    return " · ".join(filter(None, (profile.sheet, rows, columns)))


def _about(column: ColumnProfile) -> str:
    match column.type:
        case "integer" | "number" | "date" | "datetime" if column.min is not None:
            words = f"{cell(column.min)} – {cell(column.max)}"
        case "category" | "text" if column.top:
            words = ", ".join(cell(value) for value, _count in column.top[:3])
            words += "…" if column.distinct > len(column.top[:3]) else ""
        case _:
            words = ""
    if column.missing:
        missing = ngettext("{count} missing", "{count} missing", column.missing)
        words += " · " if words else ""
        words += missing.format(count=number(column.missing))
    return words if len(words) <= 44 else f"{words[:43]}…"
