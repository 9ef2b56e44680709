"""Buttons whose icon follows the palette."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.theme import Palette

ICON_PX = 20
SMALL_ICON_PX = 18


class IconButton(QToolButton):
    """A square button with an icon alone; its name is read out and shown on hovering."""

    def __init__(self, name: str, tip: str, palette: Palette, *, shortcut: str = "") -> None:
        super().__init__()
        self._name = name
        self.setProperty("kind", "icon")
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        # A click must not take the keyboard away from where the person is typing.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_tip(tip, shortcut=shortcut)
        self.set_palette(palette)

    def set_tip(self, tip: str, *, shortcut: str = "") -> None:
        """What it does, in words."""
        self.setAccessibleName(tip)
        self.setToolTip(f"{tip} ({shortcut})" if shortcut else tip)

    def set_icon(self, name: str, palette: Palette) -> None:
        """Another icon from now on."""
        self._name = name
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.setIcon(icon(self._name, palette.quiet, size_px=ICON_PX))


class WordButton(QPushButton):
    """A button with words, and perhaps an icon before them. `kind` as the theme documents it."""

    def __init__(
        self,
        words: str,
        palette: Palette,
        *,
        icon_name: str = "",
        kind: str = "",
        parent: QWidget | None = None,
    ) -> None:
        # Qt leaves four pixels between an icon and the words; it takes eight to breathe.
        super().__init__(f"\N{NO-BREAK SPACE}{words}" if icon_name else words, parent)
        self.setAccessibleName(words)
        self._icon_name = icon_name
        self._kind = kind
        if kind:
            self.setProperty("kind", kind)
        self.setIconSize(QSize(SMALL_ICON_PX, SMALL_ICON_PX))
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        if not self._icon_name:
            return
        colours = {
            "primary": palette.on_accent,
            "danger": palette.bad,
            "link": palette.accent,
        }
        colour = colours.get(self._kind, palette.quiet)
        self.setIcon(icon(self._icon_name, colour, size_px=SMALL_ICON_PX))
