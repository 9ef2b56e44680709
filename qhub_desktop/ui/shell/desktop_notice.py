"""Notifications of the desktop, where it has any: what is to be seen while the window is not."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget


class DesktopNotice(QObject):
    """Tells of something in the task bar and by the tray; a click shows the window and opens it."""

    def __init__(self, owner: QWidget, opens: Callable[[], object]) -> None:
        super().__init__(owner)
        self._owner = owner
        self._opens = opens
        self._tray: QSystemTrayIcon | None = None

    def tell(self, title: str, words: str) -> None:
        """Tell of it, unless the person has the window before them."""
        window = self._owner.window()
        if window.isActiveWindow():
            return
        QApplication.alert(window)
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
            self._tray.messageClicked.connect(self._on_clicked)
            self._tray.activated.connect(self._on_clicked)
        self._tray.show()  # Windows shows messages of icons that are seen alone
        self._tray.showMessage(title, words, QSystemTrayIcon.MessageIcon.Warning)

    def hide(self) -> None:
        """Take the icon away: nothing waits any more."""
        if self._tray is not None:
            self._tray.hide()

    def _on_clicked(self) -> None:
        window = self._owner.window()
        window.showNormal() if window.isMinimized() else window.show()
        window.activateWindow()
        self._opens()
