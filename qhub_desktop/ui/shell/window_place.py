"""Where a window stood, and where it may stand now: another screen may be a smaller one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from PySide6.QtCore import QRect

from qhub_desktop.core.json_values import Json, JsonObject

FIRST_WIDTH_PX = 1366
FIRST_HEIGHT_PX = 768
SIDEBAR_PX = 256
PANEL_PX = 304
NARROW_PX = 1200  # of the window, below which its columns leave more to the middle
# So much of the window must be on a screen for the person to get hold of it.
_GRIP_PX = 120


@dataclass(frozen=True, slots=True)
class WindowPlace:
    """What is remembered of the window between two runs. Sizes of 0 were never chosen."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    is_maximized: bool = False
    sidebar_px: int = 0
    panel_px: int = 0
    has_sidebar: bool = True
    has_panel: bool = True
    zoom: float = 1.0
    agent: str = ""
    conversation: str = ""


def read_place(stored: Json) -> WindowPlace:
    """What was stored; what is missing or of another kind is left at its default."""
    if not isinstance(stored, dict):
        return WindowPlace()
    default = WindowPlace()
    known = {
        each.name: stored[each.name]
        for each in fields(WindowPlace)
        if type(stored.get(each.name)) is type(getattr(default, each.name))
    }
    return WindowPlace(**known)  # type: ignore[arg-type]  # each was compared with its default


def written_place(place: WindowPlace) -> JsonObject:
    """The place as JSON."""
    return asdict(place)


def fitted(place: WindowPlace, screens: Sequence[QRect]) -> QRect:
    """The window on one of the screens (the first is the main one), no larger than it."""
    main = screens[0]
    if not place.width or not place.height:
        return _centred(FIRST_WIDTH_PX, FIRST_HEIGHT_PX, main)
    wished = QRect(place.x, place.y, place.width, place.height)
    title = QRect(wished.left(), wished.top(), wished.width(), _GRIP_PX)
    for screen in screens:
        seen = screen.intersected(title)
        if seen.width() >= _GRIP_PX and wished.top() >= screen.top() - 8:
            return _moved_into(wished, screen)
    return _centred(place.width, place.height, main)


def usual_widths(width_px: int) -> tuple[int, int]:
    """How wide the columns left and right are in a window of this width, until a person chooses."""
    if width_px < NARROW_PX:
        return SIDEBAR_PX - 32, PANEL_PX - 48
    return SIDEBAR_PX, PANEL_PX


def _centred(width: int, height: int, screen: QRect) -> QRect:
    made = QRect(0, 0, min(width, screen.width()), min(height, screen.height()))
    made.moveCenter(screen.center())
    return made


def _moved_into(wished: QRect, screen: QRect) -> QRect:
    """No larger than the screen, and with its lower edge on it."""
    made = QRect(wished)
    made.setSize(wished.size().boundedTo(screen.size()))
    if made.bottom() > screen.bottom():
        made.moveTop(max(screen.top(), screen.bottom() - made.height() + 1))
    return made
