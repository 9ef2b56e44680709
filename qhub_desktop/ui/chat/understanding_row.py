"""What a question was taken to mean: a row of parts under the answer, each to be changed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.understanding import Understood
from qhub_desktop.ui.chat.part_button import PartButton
from qhub_desktop.ui.flow import Flow
from qhub_desktop.ui.theme import GRID_PX, Palette


class UnderstandingRow(QWidget):
    """A button for each part, in as many lines as it takes.

    Signals:
        chosen: the Choice that was taken for one of the parts.
    """

    chosen = Signal(object)

    def __init__(self, understood: Understood, palette: Palette) -> None:
        super().__init__()
        self.setAccessibleName(_("What was understood"))
        flow = Flow(spacing_px=GRID_PX)
        self.setLayout(flow)
        self.parts = [PartButton(chip, palette) for chip in understood.chips]
        for part in self.parts:
            part.chosen.connect(self.chosen)
            flow.addWidget(part)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        for part in self.parts:
            part.set_palette(palette)
