"""Any time at which a dashboard is to refresh itself, beyond those that are offered."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.dashboard import DailyAt, EveryMinutes, Schedule, schedule_from
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.theme import GRID_PX, Palette

FIRST_MINUTES = "10"
FIRST_TIME = "06:00"


class ScheduleDialog(QDialog):
    """Asks for minutes, or for a time of the day.

    Signals:
        chosen: the Schedule.
    """

    chosen = Signal(object)

    def __init__(self, held: Schedule, palette: Palette, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Refresh at another time"))
        self.kind = QComboBox()
        self.kind.setAccessibleName(_("Refresh"))
        self.kind.addItem(_("Every so many minutes"), "every")
        self.kind.addItem(_("Every day at"), "at")
        self.when = QLineEdit()
        self.when.setMaxLength(5)
        self.said = QLabel()
        self.said.setProperty("role", "bad")
        self.said.setWordWrap(True)
        self.keep = WordButton(_("Save"), palette, kind="primary")
        self.keep.setDefault(True)
        self.keep.clicked.connect(self._on_keep_clicked)
        cancel = WordButton(_("Cancel"), palette)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        asking = QHBoxLayout()
        asking.setSpacing(GRID_PX)
        asking.addWidget(self.kind)
        asking.addWidget(self.when, 1)
        foot = QHBoxLayout()
        foot.setSpacing(GRID_PX)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * GRID_PX, 2 * GRID_PX, 3 * GRID_PX, 2 * GRID_PX)
        column.setSpacing(GRID_PX)
        column.addLayout(asking)
        column.addWidget(self.said)
        column.addLayout(foot)
        self.kind.currentIndexChanged.connect(lambda _at: self._on_kind_changed())
        self._show(held)

    def _show(self, held: Schedule) -> None:
        self.kind.setCurrentIndex(1 if isinstance(held, DailyAt) else 0)
        self._on_kind_changed()
        match held:
            case EveryMinutes(minutes):
                self.when.setText(str(minutes))
            case DailyAt(at):
                self.when.setText(f"{at:%H:%M}")
            case _:
                pass
        self.when.selectAll()
        self.when.setFocus()

    def _on_kind_changed(self) -> None:
        is_daily = self.kind.currentData() == "at"
        self.when.setText(FIRST_TIME if is_daily else FIRST_MINUTES)
        self.when.setAccessibleName(_("Time, as 06:00") if is_daily else _("Minutes, 1 to 1440"))
        self.when.setToolTip(self.when.accessibleName())
        self.said.clear()

    def _on_keep_clicked(self) -> None:
        try:
            schedule = schedule_from(f"{self.kind.currentData()} {self.when.text().strip()}")
        except UserError:
            is_daily = self.kind.currentData() == "at"
            self.said.setText(
                _("Write a time of the day, for example 06:00.")
                if is_daily
                else _("Write how many minutes, from 1 to 1440.")
            )
            self.when.setFocus()
            return
        self.chosen.emit(schedule)
        self.accept()
