"""What the rows of the window can be written to."""

from collections.abc import Callable

from PySide6.QtWidgets import QMenu, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.table_window.words import counted_rows


def export_menu(
    export: Callable[[str], object], *, shown: int, rows: int, parent: QWidget
) -> QMenu:
    """The menu; it says how many rows go where some are left out, and is gone once closed."""
    to_excel, to_csv = _("Export to Excel…"), _("Export as CSV…")
    if shown != rows:
        counted = counted_rows(shown, rows)
        to_excel = _("Export {rows} to Excel…").format(rows=counted)
        to_csv = _("Export {rows} as CSV…").format(rows=counted)
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.addAction(to_excel).triggered.connect(lambda _on: export("xlsx"))
    menu.addAction(to_csv).triggered.connect(lambda _on: export("csv"))
    return menu
