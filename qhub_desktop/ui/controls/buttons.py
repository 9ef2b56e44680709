"""Buttons and line icons that follow the theme."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, SignalInstance
from PySide6.QtGui import QAction, QFocusEvent, QIcon, QPainter, QPaintEvent, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.layouts import PlainLabel
from qhub_desktop.ui.controls.plain_text import elided, set_caption, set_tooltip
from qhub_desktop.ui.theme import mix, theme

ICONS = RESOURCES / "icons"
_SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)


def icon(name: str, colour: str, *, size_px: int = 20) -> QIcon:
    """Return a bundled icon by its file name."""
    return _render_icon(_svg_source(ICONS / f"{name}.svg"), colour, size_px)


def agent_icon(svg: str, colour: str, *, size_px: int = 24) -> QIcon:
    """Return an agent's icon, or a speech bubble if it has none."""
    return _render_icon(svg or _svg_source(ICONS / "chat.svg"), colour, size_px)


def pixmap(name: str, colour: str, *, size_px: int, ratio: float) -> QPixmap:
    """Return an icon as a pixmap for a device pixel ratio."""
    return _render_pixmap(_svg_source(ICONS / f"{name}.svg"), colour, size_px, ratio)


def _render_icon(svg: str, colour: str, size_px: int) -> QIcon:
    drawn = QIcon()
    for ratio in _SCALES:
        drawn.addPixmap(_render_pixmap(svg, colour, size_px, ratio))
    return drawn


@cache
def _svg_source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _render_pixmap(svg: str, colour: str, size_px: int, ratio: float) -> QPixmap:
    key = f"{size_px} {ratio} {colour} {svg}"
    drawn = QPixmap()
    if QPixmapCache.find(key, drawn):
        return drawn
    renderer = QSvgRenderer(QByteArray(svg.replace("currentColor", colour).encode()))
    # By default the SVG renderer does not keep the aspect ratio.
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    side = round(size_px * ratio)
    drawn = QPixmap(side, side)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    QPixmapCache.insert(key, drawn)
    return drawn


OnClick = Callable[..., object] | SignalInstance  # may take whether the button is checked
Tone = Literal["accent", "quiet", "good", "warn", "bad"]
ICON_PX = 20
SMALL_ICON_PX = 18
_ICON_GAP_PX = 4  # between icon and text, as Qt leaves it


class IconLabel(PlainLabel):
    """Line icon that stands beside words, in a colour of the theme; none without a name."""

    def __init__(self, name: str = "", tone: Tone = "quiet", *, size_px: int = ICON_PX) -> None:
        super().__init__()
        self._name = name
        self._tone = tone
        self._size_px = size_px
        theme().register(self._restyle)

    def show_icon(self, name: str, tone: Tone) -> None:
        """Replace the icon."""
        self._name, self._tone = name, tone
        self._restyle()

    def _restyle(self) -> None:
        if not self._name:
            self.clear()
            return
        palette, ratio = theme().palette, self.devicePixelRatioF()
        tones = {
            "accent": palette.accent,
            "quiet": palette.quiet,
            "good": palette.good,
            "warn": palette.warn,
            "bad": palette.bad,
        }
        self.setPixmap(pixmap(self._name, tones[self._tone], size_px=self._size_px, ratio=ratio))


class IconButton(QToolButton):
    """Square icon-only button; its name is the tool tip and the accessible name."""

    def __init__(
        self,
        name: str,
        tooltip: str,
        *,
        shortcut: str = "",
        size_px: int = ICON_PX,
        on_click: OnClick | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._size_px = size_px
        if on_click is not None:
            self.clicked.connect(on_click)
        self.setProperty("kind", "icon")
        self.setIconSize(QSize(size_px, size_px))
        # A click must not take keyboard focus away from a text field.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_tooltip(tooltip, shortcut=shortcut)
        theme().register(self._restyle)

    def set_tooltip(self, tooltip: str, *, shortcut: str = "") -> None:
        """Set the tool tip and the accessible name."""
        self.setAccessibleName(tooltip)
        set_tooltip(self, f"{tooltip} ({shortcut})" if shortcut else tooltip)

    def set_icon(self, name: str) -> None:
        """Replace the icon."""
        self._name = name
        self._restyle()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._restyle()  # what the style makes of a grey icon looks like the icon

    def _restyle(self) -> None:
        palette = theme().palette
        colour = palette.quiet if self.isEnabled() else mix(palette.page, palette.quiet, 0.4)
        self.setIcon(icon(self._name, colour, size_px=self._size_px))


def add_clear_button(field: QLineEdit) -> None:
    """Show a button in a text field that clears it, with a name; Qt gives it none."""
    field.setClearButtonEnabled(True)
    action = field.findChild(QAction, "_q_qlineeditclearaction")
    if action is not None:
        set_caption(action, _("Clear all"))


def reveal_button(password: QLineEdit) -> IconButton:
    """Return a button that shows what is typed into a password field, while checked."""
    button = IconButton("eye", _("Show what is typed"))
    button.setCheckable(True)
    modes = QLineEdit.EchoMode
    button.toggled.connect(
        lambda is_checked: password.setEchoMode(modes.Normal if is_checked else modes.Password)
    )
    return button


class TextButton(QPushButton):
    """Text button with an optional icon; `kind` selects a style of the theme."""

    def __init__(
        self,
        words: str,
        *,
        icon_name: str = "",
        kind: str = "",
        parent: QWidget | None = None,
        on_click: OnClick | None = None,
    ) -> None:
        super().__init__(parent)
        if on_click is not None:
            self.clicked.connect(on_click)
        self._icon_name = icon_name
        self.set_caption(words)
        self._kind = kind
        if kind:
            self.setProperty("kind", kind)
        self.setIconSize(QSize(SMALL_ICON_PX, SMALL_ICON_PX))
        theme().register(self._restyle)

    def set_caption(self, words: str) -> None:
        """Set the text and the accessible name."""
        # Qt leaves 4 px between icon and text; the design asks for 8.
        set_caption(self, f"\N{NO-BREAK SPACE}{words}" if self._icon_name else words)
        self.setAccessibleName(words)

    def set_icon(self, name: str) -> None:
        """Replace the icon."""
        self._icon_name = name
        self._restyle()

    def _restyle(self) -> None:
        palette = theme().palette
        if not self._icon_name:
            return
        colours = {
            "primary": palette.on_accent,
            "danger": palette.bad,
            "link": palette.accent,
        }
        colour = colours.get(self._kind, palette.quiet)
        self.setIcon(icon(self._icon_name, colour, size_px=SMALL_ICON_PX))


LEAST_PX = 72


class ElidedButton(TextButton):
    """Text button that elides its text where there is no room for all of it."""

    def __init__(
        self, words: str, *, icon_name: str = "", kind: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(words, icon_name=icon_name, kind=kind, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.kept_px = 0  # at the right end, for what else is drawn there

    @override
    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), LEAST_PX), least.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        inside = QStyle.SubElement.SE_PushButtonContents
        room = self.style().subElementRect(inside, option, self).width() - self.kept_px
        if not self.icon().isNull():
            room -= self.iconSize().width() + _ICON_GAP_PX
        words = self.text()
        option.text = elided(words, self.fontMetrics(), room)
        set_tooltip(self, "" if option.text == words else self.accessibleName())
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)


_HOVER_ICON_PX = 16


class HoverButton(QToolButton):
    """Small icon button that keeps its space in the layout while hidden."""

    def __init__(self, name: str, tooltip: str) -> None:
        super().__init__()
        self._name = name
        self._is_shown = False
        self._colour = ""
        self._drawn = ""
        self.setProperty("kind", "icon")
        set_tooltip(self, tooltip)
        self.setAccessibleName(tooltip)
        self.setIconSize(QSize(_HOVER_ICON_PX, _HOVER_ICON_PX))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoRaise(True)
        theme().on_change(self._draw)

    @property
    def is_shown(self) -> bool:
        """Whether the icon is visible."""
        return self._is_shown or self.hasFocus()

    def set_shown(self, *, is_shown: bool) -> None:
        """Show or hide the icon; the space stays reserved."""
        self._is_shown = is_shown
        self._draw()

    def set_icon(self, name: str, *, colour: str = "") -> None:
        """Replace the icon, optionally in a colour other than the muted one."""
        self._name, self._colour = name, colour
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
        colour = self._colour or theme().palette.quiet
        wanted = f"{self._name} {colour}" if self.is_shown else ""
        if wanted == self._drawn:
            return
        self._drawn = wanted
        self.setIcon(icon(self._name, colour, size_px=_HOVER_ICON_PX) if wanted else QIcon())
