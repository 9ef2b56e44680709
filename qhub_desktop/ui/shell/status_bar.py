"""Status bar, and the minute clock that refreshes displayed times."""

from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

PLACE = 2  # layout position of the queue count, after the running answers and the data sets


class StatusLine(QStatusBar):
    """Status bar; its button `waiting` opens the outbox and is visible while questions wait."""

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
        """Return the full text of the status bar."""
        labels = (self._doing, self._sets, self._spent, self._saved)
        said = [label.text() for label in labels if label.text()]
        return " | ".join([*said, self.waiting.text()] if self.waiting.text() else said)

    def show_answers(self, count: int) -> None:
        """Show the number of conversations with an answer in progress."""
        self._doing.setText(_("Answering…") if count else _("Ready"))

    def show_waiting(self, count: int) -> None:
        """Show the number of questions queued for Claude."""
        words = ngettext("{count} question waits", "{count} questions wait", count)
        self.waiting.setText(words.format(count=count) if count else "")
        self.waiting.setAccessibleName(self.waiting.text())
        # While the button is hidden, the bar is only as high as its text.
        self.removeWidget(self.waiting)
        if count:
            self.insertWidget(PLACE, self.waiting)
            self.waiting.show()

    def show_datasets(self, count: int) -> None:
        """Show the number of data sets of the conversation."""
        words = ngettext("{count} data set", "{count} data sets", count)
        self._sets.setText(f"·  {words.format(count=count)}" if count else "")

    def show_spent(self, spent_usd: float) -> None:
        """Show today's cost, hidden while it is zero."""
        if spent_usd:
            words = _("today {amount} $").format(amount=number(spent_usd, digits=2))
            self._spent.setText(f"·  {words}")

    def show_saved(self, now: datetime) -> None:
        """Show the time of the last save."""
        self._saved.setText(_("saved {time}").format(time=now.strftime("%H:%M:%S")))


_MINUTE_MS = 60_000


class Clock(QObject):
    """Minute clock that ticks until closed.

    Signals:
        ticked: a minute has passed.
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
