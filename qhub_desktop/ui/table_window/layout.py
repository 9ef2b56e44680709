"""Where the parts of the table's window stand."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from qhub_desktop.ui.theme import GRID_PX

SIDE_PX = 12


def lay_out(
    window: QWidget,
    *,
    find: QWidget,
    buttons: Sequence[QWidget],
    chips: QWidget,
    busy: QWidget,
    grid: QWidget,
    said: Sequence[QWidget],
) -> None:
    """The bar, the filters, the rows, and what is said below them: the second takes the room."""
    bar = QHBoxLayout()
    bar.setContentsMargins(SIDE_PX, GRID_PX, SIDE_PX, GRID_PX)
    bar.setSpacing(4)
    bar.addWidget(find)
    bar.addStretch(1)
    for button in buttons:
        bar.addWidget(button)
    filters = QHBoxLayout()
    filters.setContentsMargins(SIDE_PX, 0, SIDE_PX, 0)
    filters.addWidget(chips)
    foot = QHBoxLayout()
    foot.setContentsMargins(SIDE_PX, 6, SIDE_PX, 6)
    foot.setSpacing(2 * GRID_PX)
    for at, each in enumerate(said):
        foot.addWidget(each, 1 if at == 1 else 0)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(bar)
    column.addLayout(filters)
    column.addWidget(busy)
    column.addWidget(grid, 1)
    column.addLayout(foot)
