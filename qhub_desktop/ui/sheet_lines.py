"""A file of several sheets in the right column: its name, and the sheets that are not in use."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import Palette

FIRST_SHEETS = 6  # of those that are not in use; a workbook may have 255


class FileHeading(QWidget):
    """Above the sheets of one file."""

    def __init__(self, file: str, sheets: int, palette: Palette) -> None:
        super().__init__()
        self._sign = QLabel()
        counted = ngettext("{count} sheet", "{count} sheets", sheets).format(count=sheets)
        said = QLabel(counted)
        said.setProperty("role", "small")
        self.setAccessibleName(f"{file}, {counted}")
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 6, 6, 0)
        row.setSpacing(8)
        row.addWidget(self._sign)
        row.addWidget(ElidedLabel(file, role="heading"), 1)
        row.addWidget(said)
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        ratio = self.devicePixelRatioF()
        self._sign.setPixmap(pixmap("file", palette.accent, size_px=18, ratio=ratio))


class UnusedSheets(QWidget):
    """What came with a file and is not asked about: a line each, with a box to take it in.

    Signals:
        wanted: the id of a data set that is to be used.
    """

    wanted = Signal(str)

    def __init__(self, profiles: list[DatasetProfile], palette: Palette) -> None:
        super().__init__()
        self.profiles = profiles
        self.boxes: list[QCheckBox] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 0, 8, 0)
        self._column.setSpacing(0)
        self._add(profiles[:FIRST_SHEETS])
        rest = profiles[FIRST_SHEETS:]
        if rest:
            words = ngettext("Show {count} more sheet", "Show {count} more sheets", len(rest))
            more = WordButton(words.format(count=len(rest)), palette, kind="link")
            more.clicked.connect(lambda: self._on_more_clicked(more, rest))
            self._column.addWidget(more)

    def _add(self, profiles: list[DatasetProfile]) -> None:
        for profile in profiles:
            name = profile.sheet or profile.file
            rows = ngettext("{count} row", "{count} rows", profile.rows)
            counted = QLabel(rows.format(count=number(profile.rows, digits=0)))
            counted.setProperty("role", "small")
            box = QCheckBox()
            box.setAccessibleName(_("Use {sheet} in the conversation").format(sheet=name))
            box.setToolTip(_("Use in the conversation"))
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.toggled.connect(lambda _is_checked, id_=profile.id: self.wanted.emit(id_))
            line = QHBoxLayout()
            line.setSpacing(4)
            line.addWidget(box)
            line.addWidget(ElidedLabel(name, role="quiet"), 1)
            line.addWidget(counted)
            self.boxes.append(box)
            self._column.addLayout(line)

    def _on_more_clicked(self, button: WordButton, rest: list[DatasetProfile]) -> None:
        button.hide()
        self._add(rest)
