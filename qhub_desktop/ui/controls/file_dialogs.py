"""The system's dialogs for files and folders, opened without blocking."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDir, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from qhub_desktop.core.text import file_name
from qhub_desktop.core.text import gettext as _

IMAGE_SUFFIXES = (".png", ".svg")


def open_save_dialog(
    parent: QWidget, title: str, *, kind: str, suffix: str, on_selected: Callable[[str], object]
) -> QFileDialog:
    """Open the dialog for a file to write, named after `title` by default.

    A bound method of a widget as `on_selected` does not keep the widget alive, as a closure does.
    """
    places = QStandardPaths.StandardLocation
    folder = QStandardPaths.writableLocation(
        places.PicturesLocation if suffix in IMAGE_SUFFIXES else places.DocumentsLocation
    )
    dialog = QFileDialog(parent, _("Save as"), folder or QDir.homePath())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(f"{kind} (*{suffix})")
    dialog.setDefaultSuffix(suffix)
    dialog.selectFile(file_name(title, suffix))
    dialog.fileSelected.connect(on_selected)
    dialog.open()
    return dialog


def open_file_dialog(
    parent: QWidget, title: str, *, kind: str = "", on_selected: Callable[[Path], object]
) -> QFileDialog:
    """Open the dialog for a file to read, of a kind such as "SVG" or of any."""
    dialog = _dialog(parent, title, on_selected)
    if kind:
        dialog.setNameFilter(f"{kind} (*.{kind.lower()})")
    dialog.open()
    return dialog


def open_folder_dialog(
    parent: QWidget, title: str, on_selected: Callable[[Path], object]
) -> QFileDialog:
    """Open the dialog for a folder."""
    dialog = _dialog(parent, title, on_selected)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, on_selected: Callable[[Path], object]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: on_selected(Path(name)))
    return dialog
