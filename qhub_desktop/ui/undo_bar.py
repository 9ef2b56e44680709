"""What was just taken away, and the way back, for a few seconds."""

import asyncio
from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

OFFERED_S = 8.0


class UndoBar(QFrame):
    """One sentence and one button; it hides itself."""

    def __init__(self, tasks: Tasks, palette: Palette, *, offered_s: float = OFFERED_S) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self._tasks = tasks
        self._offered_s = offered_s
        self._undo: Callable[[], object] | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._said = ElidedLabel()
        self.button = WordButton(_("Undo"), palette, kind="link")
        self.button.clicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.addWidget(self._said, 1)
        row.addWidget(self.button)
        self.hide()

    def offer(self, said: str, undo: Callable[[], object]) -> None:
        """Show what happened; `undo` is called if the person wants it back."""
        self._said.setText(said)
        self._undo = undo
        self.show()
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._tasks.start(self._hide_later())

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.button.set_palette(palette)

    def _on_clicked(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()

    async def _hide_later(self) -> None:
        await asyncio.sleep(self._offered_s)
        self.hide()
