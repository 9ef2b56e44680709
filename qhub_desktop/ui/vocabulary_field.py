"""Where the plant's own words are opened, and what of them is read."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

_MOST_SAID = 5


class VocabularyField(QWidget):
    """A button for the file, and a sentence on it that is made anew when the window is back."""

    def __init__(self, *, tasks: Tasks, palette: Palette) -> None:
        super().__init__()
        self._tasks = tasks
        label = QLabel(_("Vocabulary"))
        self.open = WordButton(_("Open the file"), palette)
        self.open.setAutoDefault(False)
        self.open.setAccessibleDescription(_("The plant's own words"))
        self.open.clicked.connect(lambda: tasks.start(self._open(), on_error=self._on_error))
        help_ = QLabel(
            _(
                "Your plant's own words for the local engine: columns, machines, defects. They "
                "count from the next question on."
            )
        )
        help_.setProperty("role", "small")
        help_.setWordWrap(True)
        self.result = QLabel()
        self.result.setWordWrap(True)
        self.result.setTextFormat(Qt.TextFormat.PlainText)
        self.result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setBuddy(self.open)
        row = QHBoxLayout()
        row.addWidget(self.open)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(label)
        column.addLayout(row)
        column.addWidget(help_)
        column.addWidget(self.result)
        tasks.start(self.refresh(), on_error=self._on_error)

    async def refresh(self) -> None:
        """Say what is read of the file, and what is not."""
        said, problems = await asyncio.to_thread(_look)
        shown = problems[:_MOST_SAID]
        if len(problems) > len(shown):
            shown.append(_("And {count} more.").format(count=len(problems) - len(shown)))
        self._say("\n".join([said, *shown]), role="bad" if problems else "quiet")

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self._tasks.start(self.refresh(), on_error=self._on_error)
        return super().event(event)

    async def _open(self) -> None:
        file = await asyncio.to_thread(_make)
        await self.refresh()
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(file))):
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))

    def _on_error(self, error: QHubError) -> None:
        self._say(str(error), role="bad")

    def _say(self, sentence: str, *, role: str) -> None:
        self.result.setText(sentence)
        self.result.setProperty("role", role)
        style = self.result.style()
        style.unpolish(self.result)
        style.polish(self.result)


def _look() -> tuple[str, list[str]]:
    # With the first question the engine's words are loaded; the settings page need not wait.
    from qhub_desktop.chat.offline.own_words import own_file, read_own_words, told
    from qhub_desktop.chat.offline.vocabulary import shipped

    words = read_own_words(own_file(), shipped())
    return told(words), [str(each) for each in words.complaints]


def _make() -> Path:
    from qhub_desktop.chat.offline.own_words import make_own_file

    return make_own_file()
