"""Tables on the clipboard, as Excel likes them."""

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from qhub_desktop.core.table import Table
from qhub_desktop.data.writing.clipboard import to_html, to_tsv


def copy_table(table: Table) -> None:
    """Put a table on the clipboard with its columns' names, for whichever program comes first."""
    data = QMimeData()
    data.setText(to_tsv(table))
    data.setHtml(to_html(table))
    QGuiApplication.clipboard().setMimeData(data)
