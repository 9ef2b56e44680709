"""Status bar, and the minute clock that refreshes displayed times."""

from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

QUEUE_POSITION = (
    2  # layout position of the queue count, after the running answers and the data sets
)


class StatusLine(QStatusBar):
    """Status bar; `queue_button` opens the outbox and is visible while questions wait."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._activity = QLabel(_("Starting…"))
        self._dataset_count = QLabel()
        self._cost = QLabel()
        self._saved = QLabel()
        self.queue_button = QPushButton()
        self.queue_button.setProperty("kind", "link")
        self.queue_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContentsMargins(10, 0, 10, 0)
        for label in (self._activity, self._dataset_count, self._cost):
            self.addWidget(label)
        self.queue_button.setParent(self)
        self.queue_button.hide()
        self.addPermanentWidget(self._saved)

    def text(self) -> str:
        """Return the full text of the status bar."""
        labels = (self._activity, self._dataset_count, self._cost, self._saved)
        said = [label.text() for label in labels if label.text()]
        return " | ".join([*said, self.queue_button.text()] if self.queue_button.text() else said)

    def show_answers(self, count: int) -> None:
        """Show the number of conversations with an answer in progress."""
        self._activity.setText(_("Answering…") if count else _("Ready"))

    def show_queued(self, count: int) -> None:
        """Show the number of questions queued for Claude."""
        words = ngettext("{count} question waits", "{count} questions wait", count)
        self.queue_button.setText(words.format(count=count) if count else "")
        self.queue_button.setAccessibleName(self.queue_button.text())
        # While the button is hidden, the bar is only as high as its text.
        self.removeWidget(self.queue_button)
        if count:
            self.insertWidget(QUEUE_POSITION, self.queue_button)
            self.queue_button.show()

    def show_datasets(self, count: int) -> None:
        """Show the number of data sets of the conversation."""
        words = ngettext("{count} data set", "{count} data sets", count)
        self._dataset_count.setText(f"·  {words.format(count=count)}" if count else "")

    def show_cost(self, spent_usd: float) -> None:
        """Show today's cost, hidden while it is zero."""
        if spent_usd:
            words = _("today {amount} $").format(amount=number(spent_usd, digits=2))
            self._cost.setText(f"·  {words}")

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
