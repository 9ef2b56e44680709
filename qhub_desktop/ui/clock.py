"""Tells what shows the time that a minute has gone by."""

from PySide6.QtCore import QObject, QTimer, Signal

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
