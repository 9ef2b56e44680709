"""Where the key is typed, kept and tried; it is never shown again."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

_KEPT = "•" * 24


class KeyField(QWidget):
    """A masked line, and what came of trying the key."""

    def __init__(
        self,
        *,
        settings: Callable[[], Settings],
        test_connection: Callable[[str, Settings], Awaitable[str]],
        save_key: Callable[[str], Awaitable[None]],
        has_key: Callable[[], Awaitable[bool]],
        on_saved: Callable[[], object],
        tasks: Tasks,
        palette: Palette,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._test_connection = test_connection
        self._save_key = save_key
        self._has_key = has_key
        self._on_saved = on_saved
        self._tasks = tasks

        label = QLabel(_("Key"))
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAcceptDrops(False)
        self.line.setFixedWidth(360)
        self.line.setAccessibleName(_("Key"))
        self.line.textChanged.connect(self._on_text_changed)
        label.setBuddy(self.line)
        self._eye = IconButton("eye", _("Show what is typed"), palette)
        self._eye.setCheckable(True)
        self._eye.toggled.connect(self._on_eye_toggled)
        self.test = WordButton(_("Test connection"), palette)
        self.test.setAutoDefault(False)
        self.test.clicked.connect(lambda: tasks.start(self._test(), on_error=self._on_error))
        self.save = WordButton(_("Keep key"), palette)
        self.save.setAutoDefault(False)
        self.save.setEnabled(False)
        self.save.clicked.connect(
            lambda: tasks.start(self._save(self.line.text().strip()), on_error=self._on_error)
        )
        self.forget = WordButton(_("Forget key"), palette, kind="danger")
        self.forget.setAutoDefault(False)
        self.forget.hide()
        self.forget.clicked.connect(lambda: tasks.start(self._save(""), on_error=self._on_error))
        self.result = QLabel()
        self.result.setWordWrap(True)
        self.result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.result.hide()
        help_ = QLabel(_("Kept in the system's own key store, never in a file."))
        help_.setProperty("role", "small")
        help_.setWordWrap(True)

        typed = QHBoxLayout()
        typed.setSpacing(4)
        typed.addWidget(self.line)
        typed.addWidget(self._eye)
        typed.addStretch(1)
        doing = QHBoxLayout()
        doing.setSpacing(8)
        for button in (self.save, self.test, self.forget):
            doing.addWidget(button)
        doing.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(label)
        column.addLayout(typed)
        column.addWidget(help_)
        column.addSpacing(4)
        column.addLayout(doing)
        column.addWidget(self.result)
        tasks.start(self.refresh(), on_error=self._on_error)

    async def refresh(self) -> None:
        """Say whether a key is kept."""
        has_key = await self._has_key()
        self.line.setPlaceholderText(_KEPT if has_key else "sk-ant-…")
        self.forget.setVisible(has_key)

    async def _save(self, key: str) -> None:
        await self._save_key(key)
        self.line.clear()
        await self.refresh()
        self._say(_("The key is kept.") if key else _("The key is forgotten."), role="good")
        self._on_saved()

    async def _test(self) -> None:
        self.test.setEnabled(False)
        self._say(_("Asking the service…"), role="quiet")
        try:
            said = await self._test_connection(self.line.text().strip(), self._settings())
        finally:
            self.test.setEnabled(True)
        self._say(said, role="good")

    def _on_error(self, error: QHubError) -> None:
        self._say(str(error), role="bad")

    def _say(self, sentence: str, *, role: str) -> None:
        self.result.setText(sentence)
        self.result.setProperty("role", role)
        style = self.result.style()
        style.unpolish(self.result)
        style.polish(self.result)
        self.result.show()

    def _on_text_changed(self, text: str) -> None:
        self.save.setEnabled(bool(text.strip()))

    def _on_eye_toggled(self, is_checked: bool) -> None:  # noqa: FBT001  the signal's own argument
        mode = QLineEdit.EchoMode.Normal if is_checked else QLineEdit.EchoMode.Password
        self.line.setEchoMode(mode)
