"""That something takes its time, and how to stop it."""

import asyncio

from PySide6.QtWidgets import QLabel, QProgressBar

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.tasks import Tasks

SHOWN_AFTER_S = 0.3
STOPPABLE_AFTER_S = 2.0
HEIGHT_PX = 3


class BusyLine(QProgressBar):
    """A line that moves, and `words` that stand elsewhere. What is quick shows neither."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self._waiting: asyncio.Task[None] | None = None
        self.setTextVisible(False)
        self.setFixedHeight(HEIGHT_PX)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing jumps when it comes
        self.setSizePolicy(policy)
        self.setAccessibleName(_("At work"))
        self.hide()
        self.words = QLabel()
        self.words.setProperty("role", "small")
        self.words.setMinimumWidth(1)

    def begin(self, words: str) -> None:
        """Something has begun. Each `begin` is followed by an `end`, or by another `begin`."""
        self._stop_waiting()
        self._waiting = self._tasks.start(self._tell(words))

    def end(self) -> None:
        """It is done."""
        self._stop_waiting()
        self.hide()
        self.words.clear()

    def say(self, words: str) -> None:
        """Something that stays until the next thing is done."""
        self.words.setText(words)
        self.words.setToolTip(words)

    async def _tell(self, words: str) -> None:
        await asyncio.sleep(SHOWN_AFTER_S)
        self.setRange(0, 0)
        self.show()
        self.say(words)
        await asyncio.sleep(STOPPABLE_AFTER_S - SHOWN_AFTER_S)
        self.say(_("{doing} Esc stops it.").format(doing=words))

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
