"""Saving of files and copying of tables at the user's request."""

import atexit
from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QDir, QIODevice, QMimeData, QStandardPaths, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from qhub_desktop.core.table import Table
from qhub_desktop.core.text import file_name
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.export.output import atomic_write
from qhub_desktop.data.export.text_tables import to_html, to_tsv

IMAGE_SUFFIXES = (".png", ".svg")
PNG_QUALITY = 30  # Qt's PNG quality, of 100: a third faster than the default, a fifth larger


def open_save_dialog(
    parent: QWidget, title: str, *, kind: str, suffix: str, on_selected: Callable[[str], None]
) -> QFileDialog:
    """Open a non-blocking save dialog, for a file named after `title` by default."""
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


def png(image: QImage) -> bytes:
    """Encode an image as PNG."""
    # Let the buffer own its bytes: it could outlive a byte array of ours and crash.
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    writer.setCompression(PNG_QUALITY)
    writer.write(image)
    return bytes(buffer.data().data())


def save(content: bytes, file: Path) -> None:
    """Write a file atomically. Raises UserError with a remedy if it cannot be written."""
    with atomic_write(file) as draft:
        draft.write_bytes(content)


def copy_table(table: Table) -> None:
    """Copy a table with its header to the clipboard, as tab-separated text and as HTML."""
    data = QMimeData()
    data.setText(to_tsv(table))
    data.setHtml(to_html(table))
    put_on_clipboard(data)


def put_on_clipboard(data: QMimeData) -> None:
    """Put several forms of one thing on the clipboard."""
    QGuiApplication.clipboard().setMimeData(data)
    _Copied.data = data
    _leave_text_at_the_end()


class _Copied:
    """What was put on the clipboard last. There is one clipboard, so it is kept in one place."""

    data: QMimeData | None = None


@cache
def _leave_text_at_the_end() -> None:
    """Have the clipboard hold Qt's own copy of its text when the program ends.

    Qt asks for the data once more after Python has ended, to hand them to the system. Data that
    Python has made crash then: they are a Python object. What was copied can still be pasted.
    """
    atexit.register(_leave_text)


def _leave_text() -> None:
    if QGuiApplication.instance() is None:
        return
    clipboard = QGuiApplication.clipboard()
    # What another program has copied since is its own. Qt has deleted ours then.
    if _Copied.data is not None and clipboard.mimeData() is _Copied.data:
        clipboard.setText(clipboard.text())
    _Copied.data = None
