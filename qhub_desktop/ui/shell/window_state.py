"""Window geometry: stored between runs, and fitted to the screens available now."""

from collections.abc import Sequence
from dataclasses import fields

from PySide6.QtCore import QRect

from qhub_desktop.core.codec import Json
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.screens import USUAL_FRAME, kept_inside

DEFAULT_WIDTH_PX = 1366
DEFAULT_HEIGHT_PX = 768
SIDEBAR_PX = 256
PANEL_PX = 304
NARROW_PX = 1200  # window width below which the side columns are narrower
# Part of the window that must be on a screen for the user to drag it.
_MIN_VISIBLE_PX = 120


@dataclass(frozen=True, slots=True)
class WindowState:
    """Window geometry and layout stored between runs; sizes of 0 were never set."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    is_maximized: bool = False
    sidebar_px: int = 0
    panel_px: int = 0
    has_sidebar: bool = True
    has_panel: bool = True
    shows_documents: bool = False  # in the panel
    zoom: float = 1.0
    agent: str = ""
    conversation: ConversationId = NO_CONVERSATION


def read_window_state(stored: Json) -> WindowState:
    """Return the stored geometry, with defaults for values missing or of the wrong type."""
    if not isinstance(stored, dict):
        return WindowState()
    default = WindowState()
    known = {
        each.name: stored[each.name]
        for each in fields(WindowState)
        if type(stored.get(each.name)) is type(getattr(default, each.name))
    }
    return WindowState(**known)  # type: ignore[arg-type]  # types were checked against the defaults


def fit_to_screens(state: WindowState, screens: Sequence[QRect]) -> QRect:
    """Return the inner geometry whose frame fits into one of the screens (the first is the
    primary).
    """
    main = screens[0]
    if not state.width or not state.height:
        return _centred(DEFAULT_WIDTH_PX, DEFAULT_HEIGHT_PX, main)
    wished = QRect(state.x, state.y, state.width, state.height)
    title = QRect(wished.left(), wished.top(), wished.width(), _MIN_VISIBLE_PX)
    for screen in screens:
        seen = screen.intersected(title)
        if seen.width() >= _MIN_VISIBLE_PX and wished.top() >= screen.top() - 8:
            return kept_inside(wished, USUAL_FRAME, screen)
    return _centred(state.width, state.height, main)


def default_widths(width_px: int) -> tuple[int, int]:
    """Return the default widths of the left and right columns, in px, for a window width."""
    if width_px < NARROW_PX:
        return SIDEBAR_PX - 32, PANEL_PX - 48
    return SIDEBAR_PX, PANEL_PX


def _centred(width: int, height: int, screen: QRect) -> QRect:
    made = QRect(0, 0, width, height)
    made.moveCenter(screen.center())
    return kept_inside(made, USUAL_FRAME, screen)
