"""The bare lines of the window: what is seen while the rest is loaded."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from qhub_desktop.ui.theme import TARGET_PX
from qhub_desktop.ui.window_place import WindowPlace, usual_widths

_BAR_PX = TARGET_PX + 15


class Skeleton(QWidget):
    """The bar and the columns, empty, where they will be.

    Made of frames that the style sheet paints: a first call of a painter loads every enumeration
    of Qt's, which takes 27 ms.
    """

    def __init__(self, place: WindowPlace, *, width_px: int) -> None:
        super().__init__()
        usual_left, usual_right = usual_widths(width_px)
        columns = QHBoxLayout()
        columns.setSpacing(0)
        if place.has_sidebar:
            columns.addWidget(_frame("panel", width_px=place.sidebar_px or usual_left))
            columns.addWidget(_frame("line", width_px=1))
        columns.addStretch(1)
        if place.has_panel:
            columns.addWidget(_frame("line", width_px=1))
            columns.addWidget(_frame("panel", width_px=place.panel_px or usual_right))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(_frame("panel", height_px=_BAR_PX))
        whole.addWidget(_frame("line", height_px=1))
        whole.addLayout(columns, 1)


def _frame(kind: str, *, width_px: int = 0, height_px: int = 0) -> QFrame:
    frame = QFrame()
    frame.setProperty("kind", kind)
    if width_px:
        frame.setFixedWidth(width_px)
    if height_px:
        frame.setFixedHeight(height_px)
    return frame
