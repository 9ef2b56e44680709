"""The status bar, and the clock that moves what shows the time."""

from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

PLACE = 2  # of what waits: behind what goes on and the data sets


class StatusLine(QStatusBar):
    """Small and quiet. `waiting` opens what waits for Claude; it is there while something does."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._doing = QLabel(_("Starting…"))
        self._sets = QLabel()
        self._spent = QLabel()
        self._saved = QLabel()
        self.waiting = QPushButton()
        self.waiting.setProperty("kind", "link")
        self.waiting.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContentsMargins(10, 0, 10, 0)
        for label in (self._doing, self._sets, self._spent):
            self.addWidget(label)
        self.waiting.setParent(self)
        self.waiting.hide()
        self.addPermanentWidget(self._saved)

    def text(self) -> str:
        """All that it says."""
        labels = (self._doing, self._sets, self._spent, self._saved)
        said = [label.text() for label in labels if label.text()]
        return " | ".join([*said, self.waiting.text()] if self.waiting.text() else said)

    def show_answers(self, count: int) -> None:
        """Say in how many conversations an answer is under way."""
        self._doing.setText(_("Answering…") if count else _("Ready"))

    def show_waiting(self, count: int) -> None:
        """Say how many questions wait for Claude."""
        words = ngettext("{count} question waits", "{count} questions wait", count)
        self.waiting.setText(words.format(count=count) if count else "")
        self.waiting.setAccessibleName(self.waiting.text())
        # While it is hidden, the bar is as low as its words.
        self.removeWidget(self.waiting)
        if count:
            self.insertWidget(PLACE, self.waiting)
            self.waiting.show()

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


_MINUTE_MS = 60_000


class Clock(QObject):
    """Ticks until closed.

    Signals:
        ticked: another minute has gone by.
    """

    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.ticked)
        self._timer.start(_MINUTE_MS)

    def close(self) -> None:
        """Stop ticking."""
        self._timer.stop()
