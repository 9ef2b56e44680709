"""An icon that shows only when it may be wanted: the pointer is near, or the keyboard is on it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFocusEvent, QIcon
from PySide6.QtWidgets import QToolButton
from typing_extensions import override

from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.theme import Palette

_ICON_PX = 16


class QuietButton(QToolButton):
    """A small button with one icon; it keeps its place while it does not show."""

    def __init__(self, name: str, says: str, palette: Palette) -> None:
        super().__init__()
        self._name = name
        self._palette = palette
        self._is_shown = False
        self._colour = ""
        self._drawn = ""
        self.setProperty("kind", "icon")
        self.setToolTip(says)
        self.setAccessibleName(says)
        self.setIconSize(QSize(_ICON_PX, _ICON_PX))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoRaise(True)

    @property
    def is_shown(self) -> bool:
        """Whether its icon is to be seen."""
        return self._is_shown or self.hasFocus()

    def set_shown(self, *, is_shown: bool) -> None:
        """Show the icon, or only keep its place."""
        self._is_shown = is_shown
        self._draw()

    def set_icon(self, name: str, *, colour: str = "") -> None:
        """Another icon, in a colour other than the quiet one if wanted."""
        self._name, self._colour = name, colour
        self._draw()

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        self._draw()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._draw()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._draw()

    def _draw(self) -> None:
        colour = self._colour or self._palette.quiet
        wanted = f"{self._name} {colour}" if self.is_shown else ""
        if wanted == self._drawn:
            return
        self._drawn = wanted
        self.setIcon(icon(self._name, colour, size_px=_ICON_PX) if wanted else QIcon())
