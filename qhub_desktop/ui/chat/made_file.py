"""A file that an answer has made, with the ways to it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from qhub_desktop.core.json_values import Json
from qhub_desktop.core.paths import exports
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.theme import GRID_PX

_MAKES_FILES = {"exportar_excel"}
_OPENED = {".xlsx"}


class MadeFile(QWidget):
    """The file's name, which opens it, and its folder. It says so when the file has gone."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self.open_button = self._link(_("Open {name}").format(name=file.name), self._open)
        self.folder_button = self._link(_("Show in its folder"), self._show_folder)
        self._gone = QLabel()
        self._gone.setProperty("role", "small")
        self._gone.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID_PX, 0, 0, 0)
        row.setSpacing(GRID_PX)
        for each in (self.open_button, self.folder_button, self._gone):
            row.addWidget(each)
        row.addStretch(1)

    @property
    def said(self) -> str:
        """What it complains of."""
        return self._gone.text()

    def _link(self, words: str, does: Callable[[], None]) -> QPushButton:
        button = QPushButton(words)
        button.setProperty("kind", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(does)
        return button

    def _open(self) -> None:
        if self._is_there():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file)))

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent)))

    def _is_there(self) -> bool:
        is_there = self._file.is_file()
        self._gone.setText("" if is_there else _("It is no longer there."))
        self._gone.setVisible(not is_there)
        return is_there


def file_made(tool: str, result: Json) -> Path | None:
    """The file that a call has made, where it makes any: in the program's folder for them."""
    match result:
        # A bare name and of this kind, so that nothing else can ever be opened from here.
        case {"ficheiro": str(name)} if tool in _MAKES_FILES:
            is_bare = Path(name).name == name and Path(name).suffix.lower() in _OPENED
            return exports() / name if is_bare else None
        case _:
            return None
