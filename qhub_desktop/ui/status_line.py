"""The line at the bottom: what goes on, how many data sets, what today cost, what is saved."""

from datetime import datetime

from PySide6.QtWidgets import QLabel, QStatusBar

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number


class StatusLine(QStatusBar):
    """Small and quiet."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._doing = QLabel(_("Starting…"))
        self._sets = QLabel()
        self._spent = QLabel()
        self._saved = QLabel()
        self.setContentsMargins(10, 0, 10, 0)
        for label in (self._doing, self._sets, self._spent):
            self.addWidget(label)
        self.addPermanentWidget(self._saved)

    def text(self) -> str:
        """All that it says."""
        labels = (self._doing, self._sets, self._spent, self._saved)
        return " | ".join(label.text() for label in labels if label.text())

    def show_answers(self, count: int) -> None:
        """Say in how many conversations an answer is under way."""
        self._doing.setText(_("Answering…") if count else _("Ready"))

    def show_datasets(self, count: int) -> None:
        """Say how many data sets the conversation may ask about."""
        words = ngettext("{count} data set", "{count} data sets", count)
        self._sets.setText(f"·  {words.format(count=count)}" if count else "")

    def show_spent(self, spent_usd: float) -> None:
        """Say what today has cost; nothing while it has cost nothing."""
        if spent_usd:
            words = _("today {amount} $").format(amount=number(spent_usd, digits=2))
            self._spent.setText(f"·  {words}")

    def show_saved(self, now: datetime) -> None:
        """Say when something was last kept on disk."""
        self._saved.setText(_("saved {time}").format(time=now.strftime("%H:%M:%S")))
