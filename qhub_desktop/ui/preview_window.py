"""All rows of a data set in a window of their own, to sort, filter and copy."""

from __future__ import annotations  # the workspace is imported after the first paint

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.dataset_card import size_of
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.ui.widgets.table_view import TableWidget

MOST_ROWS = 10_000


class PreviewWindow(QWidget):
    """Closed, it is gone."""

    def __init__(
        self,
        profile: DatasetProfile,
        *,
        workspace: Workspace,
        tasks: Tasks,
        palette: Palette,
        parent: QWidget,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"{profile.file} · {size_of(profile)}")
        self._palette = palette
        self.table: TableWidget | None = None
        self._said = QLabel(_("Reading the rows…"))
        self._said.setProperty("role", "quiet")
        self._said.setWordWrap(True)
        self._said.setContentsMargins(4, 4, 4, 4)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 12)
        self._column.setSpacing(8)
        self._column.addWidget(self._said)
        self.resize(920, 600)
        reading = tasks.start(self._read(profile, workspace), on_error=self._on_error)
        self.destroyed.connect(reading.cancel)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        if self.table is not None:
            self.table.set_palette(palette)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    async def _read(self, profile: DatasetProfile, workspace: Workspace) -> None:
        answer = await workspace.query(
            "SELECT * FROM rows_of_it", {"rows_of_it": profile.id}, limit=MOST_ROWS
        )
        from qhub_desktop.ui.widgets.table_view import TableWidget  # not before it is needed

        self.table = TableWidget(answer.table, self._palette, row_count=answer.row_count)
        self._column.addWidget(self.table, 1)
        shown = len(answer.table.rows)
        self._said.setVisible(shown < answer.row_count)
        self._said.setText(
            _(
                "The first {shown} of {rows} rows. Ask a question to have all of them counted."
            ).format(shown=number(shown, digits=0), rows=number(answer.row_count, digits=0))
        )

    def _on_error(self, error: QHubError) -> None:
        self._said.setText(str(error))
