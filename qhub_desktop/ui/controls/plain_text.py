"""Text from outside (files, cells, people, models), shown as it stands and never read as markup.

Qt guesses: a tool tip that begins like HTML is drawn as HTML, with its pictures, and a picture at
a network address tells that address who looks. An ampersand in a button's or menu's text makes a
mnemonic, `[*]` in a window's title vanishes. Every such text goes through here;
`tests/foundation/test_plain_text.py` finds those that do not.
"""

# Why it is so: decisions/text-from-outside.md

from __future__ import annotations  # Qt's namespace takes 17 ms, before the first paint

import re
import textwrap
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QFontMetrics, QFontMetricsF, QIcon
from PySide6.QtWidgets import QAbstractButton, QMenu, QToolTip, QWidget

from qhub_desktop.core.untrusted import visible

if TYPE_CHECKING:
    from PySide6.QtGui import Qt

Button = TypeVar("Button", bound=QAbstractButton)

MAX_TOOLTIP_CHARACTERS = 2_000
MAX_TOOLTIP_LINES = 30
MAX_TOOLTIP_LINE = 100  # characters; Qt ends no line of a plain text before the edge of the screen
MAX_LINE_CHARACTERS = 300  # of titles, buttons and menus: more is wider than any screen

LONGEST_WORD = 60
LONGEST_WORD_OF_TITLE = 20  # beside buttons
_PART_OF_WORD = re.compile(r".{12}")


class _HasTooltip(Protocol):
    """Widget, action or list item."""

    def setToolTip(self, tip: str, /) -> object: ...  # noqa: N802  Qt's name


class _HasText(Protocol):
    """Button or action, where an ampersand would be a mnemonic."""

    def setText(self, text: str, /) -> None: ...  # noqa: N802  Qt's name


def breakable(text: str, *, longest: int = LONGEST_WORD) -> str:
    """Return the text with places in its longest words where a line may end.

    A label is as wide as its longest word, and a window as its widest label. A path can be broken
    at its folders, and stays one that can be copied.
    """
    if len(text) <= longest:
        return text
    words = rf"[^\s/\\]{{{longest},}}"
    return re.sub(words, lambda word: _PART_OF_WORD.sub("\\g<0>\u200b", word[0]), text)


def elided(
    text: str,
    metrics: QFontMetrics | QFontMetricsF,
    room_px: float,
    *,
    mode: Qt.TextElideMode | None = None,
) -> str:
    """Return what fits of a text into a line that is painted: no line breaks, nothing turned.

    It loses its end, where nothing else is said.
    """
    from PySide6.QtGui import Qt

    line = one_line(text)
    mode = mode or Qt.TextElideMode.ElideRight
    if isinstance(metrics, QFontMetricsF):
        return metrics.elidedText(line, mode, room_px)
    return metrics.elidedText(line, mode, int(room_px))


def one_line(text: str, *, limit: int = MAX_LINE_CHARACTERS) -> str:
    """Return the text on one line, cut at `limit` characters."""
    line = visible(" ".join(text.split()) if set(text) & set("\n\r\t\v\f\u2028\u2029") else text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def entered(typed: str, before: str, *, limit: int = MAX_LINE_CHARACTERS) -> str:
    """Return what is meant by the text of a field that was filled with `one_line(before)`.

    Unless the person has changed it, that is `before`, with what is not shown of it. `limit` is
    the greatest length of the field.
    """
    typed = typed.strip()
    return before if typed == one_line(before)[:limit].strip() else typed


def tooltip(text: str) -> str:
    """Return what Qt draws as this text in a tool tip, also where it guesses that it is HTML."""
    shown = visible(text)
    if len(shown) > MAX_TOOLTIP_CHARACTERS:
        shown = f"{shown[: MAX_TOOLTIP_CHARACTERS - 1]}…"
    shown = _wrapped(shown)
    from PySide6.QtGui import Qt

    if not Qt.mightBeRichText(shown):
        return shown
    return f'<p style="white-space:pre-wrap">{escape(shown)}</p>'


def _wrapped(text: str) -> str:
    """Return the text in lines that a screen shows; what is short enough stays as it is."""
    lines = text.splitlines()
    if len(lines) <= MAX_TOOLTIP_LINES and all(len(line) <= MAX_TOOLTIP_LINE for line in lines):
        return text
    lines = [part for line in lines for part in textwrap.wrap(line, MAX_TOOLTIP_LINE) or [""]]
    if len(lines) > MAX_TOOLTIP_LINES:
        lines = [*lines[: MAX_TOOLTIP_LINES - 1], "…"]
    return "\n".join(lines)


def set_tooltip(target: _HasTooltip, text: str) -> None:
    """Set the tool tip of a widget, an action or an item of a list."""
    target.setToolTip(tooltip(text))


def show_tooltip(place: QPoint, text: str, owner: QWidget) -> None:
    """Show a tool tip at a place on the screen."""
    QToolTip.showText(place, tooltip(text), owner)


def without_mnemonic(text: str) -> str:
    """Return what a button or a menu draws as this text, on one line and with its ampersands."""
    return one_line(text).replace("&", "&&")


def set_caption(target: _HasText, text: str) -> None:
    """Set the text of a button or an action."""
    target.setText(without_mnemonic(text))


def captioned(button: Button, text: str) -> Button:
    """Return the button with this text."""
    set_caption(button, text)
    return button


def make_action(text: str, owner: QWidget | None = None) -> QAction:
    """Return an action, which is not in any menu yet."""
    action = QAction(owner)
    set_caption(action, text)
    return action


def add_action(
    menu: QMenu,
    text: str,
    does: Callable[..., object] | None = None,
    *,
    picture: QIcon | None = None,
) -> QAction:
    """Add an action to a menu, and return it; `does` may take whether it is checked."""
    action = make_action(text, menu)
    if does is not None:
        action.triggered.connect(does)
    if picture is not None:
        action.setIcon(picture)
    menu.addAction(action)
    return action


def set_title(window: QWidget, text: str) -> None:
    """Set the title of a window; `[*]` in it is shown, where Qt would put its mark of changes."""
    window.setWindowTitle(one_line(text).replace("[*]", "[*][*]"))
