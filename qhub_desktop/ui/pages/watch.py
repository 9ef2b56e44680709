"""Watching one page: that it answers, and says no more to us than it may."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from qhub_desktop.ui.pages import renderer
from qhub_desktop.ui.pages.endings import Ending
from qhub_desktop.ui.pages.guard import GUARD, Guarded

BEAT_MS = 500
UNANSWERED = 10
SPUN_S = 2.0  # of a processor, meanwhile: what is silent without it may only be waiting its turn
UNANSWERED_AT_REST = 60
MOST_WORDS = 1_000  # in one beat


class Watch(QObject):
    """Asks a page again and again, and says when it has to be stopped.

    Beats are counted, not seconds: a computer that slept, or a window that was busy, is no fault of
    the page. Nor is it one that its process has not come to start on a busy computer.

    Signals:
        failed: why the page must be stopped, an Ending.
    """

    failed = Signal(str)

    def __init__(
        self,
        ask: Callable[[Callable[[], None]], None],
        process_id: Callable[[], int],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._ask = ask
        self._process_id = process_id
        self._waiting = 0
        self._asked = 0
        self._words = 0
        self._used_s = 0.0  # by the page's process, when it was asked
        self._guarded = Guarded()
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def ending(self) -> Ending | None:
        """Why the guard ended the page, if it did."""
        return self._guarded.ending

    def end(self, ending: Ending) -> None:
        """End the page's process, soon, and with it all that the page does."""
        self._timer.stop()
        if self._guarded.ending is None:
            self.look_up()
            GUARD.end(self._guarded, ending)

    def look_up(self) -> None:
        """Find out again which process draws the page."""
        self._guarded.process_id = self._process_id()

    def start(self) -> None:
        """Watch from now on, with nothing held against the page."""
        self._asked += 1
        self._waiting = self._words = 0
        self._timer.start()
        GUARD.add(self._guarded)

    def stop(self) -> None:
        """Look away."""
        self._timer.stop()
        GUARD.remove(self._guarded)

    def heard(self, cost: int) -> None:
        """The page has said something, which cost the window's thread as much as so many words."""
        self._words += cost
        if self._words >= MOST_WORDS and self._timer.isActive():
            self.failed.emit("flooding")

    def _on_timeout(self) -> None:
        GUARD.beat()
        self.look_up()
        self._words = 0
        self._waiting += 1
        if self._waiting > UNANSWERED and (self._has_spun() or self._waiting > UNANSWERED_AT_REST):
            self.failed.emit("spinning")
        elif self._waiting == 1:
            self._asked += 1
            self._used_s = renderer.processor_s(self._guarded.process_id)
            asked = self._asked
            self._ask(lambda: self._on_answered(asked))

    def _has_spun(self) -> bool:
        used_s = renderer.processor_s(self._guarded.process_id)
        return used_s - self._used_s > SPUN_S

    def _on_answered(self, asked: int) -> None:
        if asked == self._asked:
            self._waiting = 0
