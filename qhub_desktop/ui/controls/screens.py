"""Screens: a window's frame, its title bar included, is kept on one of them."""

import sys

from PySide6.QtCore import QEvent, QMargins, QObject, QRect, QTimer
from PySide6.QtWidgets import QWidget
from typing_extensions import override

# After it is shown, a window manager needs a moment to put its frame round a window.
SETTLING_MS = 700
USUAL_FRAME = QMargins(1, 31, 1, 1)  # of Windows 11, until a window has one
# Windows counts as frame what nobody sees: the strips by which a window is resized.
_UNSEEN_PX = 7 if sys.platform == "win32" else 0


def frame_margins(window: QWidget) -> QMargins:
    """Return what is seen of a window's frame on each side."""
    inner, outer = window.geometry(), window.frameGeometry()
    return QMargins(
        max(0, inner.left() - outer.left() - _UNSEEN_PX),
        inner.top() - outer.top(),
        max(0, outer.right() - inner.right() - _UNSEEN_PX),
        max(0, outer.bottom() - inner.bottom() - _UNSEEN_PX),
    )


def kept_inside(wished: QRect, frame: QMargins, screen: QRect) -> QRect:
    """Return a window's inner geometry, made smaller and moved until its frame is on the screen."""
    room = screen.marginsRemoved(frame)
    size = wished.size().boundedTo(room.size())
    left = min(max(wished.left(), room.left()), room.right() - size.width() + 1)
    top = min(max(wished.top(), room.top()), room.bottom() - size.height() + 1)
    return QRect(left, top, size.width(), size.height())


def keep_on_screen(window: QWidget) -> None:
    """Keep a window's whole frame on its screen when it is shown, once the frame is there."""
    _FrameKeeper(window)


class _FrameKeeper(QObject):
    """Watches a window from its first showing until its frame has come to rest.

    Later the person moves it where they like.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._clock = QTimer(self, interval=SETTLING_MS, singleShot=True)
        self._clock.timeout.connect(self._end)
        window.installEventFilter(self)
        if window.isVisible():
            self._clock.start()
            self._keep()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.Show if not self._clock.isActive():
                self._clock.start()
            case QEvent.Type.Move | QEvent.Type.Resize if self._clock.isActive():
                QTimer.singleShot(0, self, self._keep)
        return super().eventFilter(watched, event)

    def _keep(self) -> None:
        window = self._window
        if window.isMaximized() or window.isFullScreen() or not window.isVisible():
            return
        if window.geometry() == window.frameGeometry():
            return  # there is no frame, or not yet
        screen = window.screen()
        kept = kept_inside(window.geometry(), frame_margins(window), screen.availableGeometry())
        if kept != window.geometry():
            window.setGeometry(kept)

    def _end(self) -> None:
        self._keep()
        self._window.removeEventFilter(self)
