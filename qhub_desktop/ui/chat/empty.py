"""An empty conversation teaches: who answers here, three questions to begin with, where to drop."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from qhub_desktop.chat.agent import Agent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language
from qhub_desktop.ui.icons import agent_icon, icon
from qhub_desktop.ui.theme import GRID_PX, OPERATOR_TARGET_PX, Palette, mix

_ICON_PX = 44
_STARTER_PX = 44
_WIDTH_PX = 480


class EmptyState(QWidget):
    """An agent's icon, name, summary and starter questions.

    Signals:
        asked: a starter question was pressed.
    """

    asked = Signal(str)

    def __init__(self, agent: Agent, palette: Palette, *, is_roomy: bool = False) -> None:
        super().__init__()
        self._agent = agent
        self._sign = QLabel()
        self._hint_sign = QLabel()
        self._starters: list[QPushButton] = []
        spoken = language()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 5 * GRID_PX, 0, 2 * GRID_PX)
        column.setSpacing(GRID_PX)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(self._sign, alignment=middle)
        column.addSpacing(4)
        column.addWidget(_label(agent.name, role="title"), alignment=middle)
        column.addWidget(_label(agent.summary.get(spoken, ""), role="quiet"), alignment=middle)
        column.addSpacing(2 * GRID_PX)
        for question in agent.starters.get(spoken, ())[:3]:
            starter = self._starter(question, is_roomy=is_roomy)
            self._starters.append(starter)
            column.addWidget(starter, alignment=middle)
        column.addSpacing(2 * GRID_PX)
        hint = _label(
            _("Drop an Excel or CSV file anywhere in this window to ask about your own data."),
            role="small",
        )
        hint.setWordWrap(True)
        hint.setAlignment(middle)
        column.addWidget(self._hint_sign, alignment=middle)
        column.addWidget(hint)
        column.addStretch(1)
        self.set_palette(palette)

    @property
    def starters(self) -> tuple[QPushButton, ...]:
        """The questions, as buttons."""
        return tuple(self._starters)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        ratio = self.devicePixelRatioF()
        drawn = agent_icon(self._agent.icon, palette.accent, size_px=_ICON_PX)
        self._sign.setPixmap(_sharp(drawn, _ICON_PX, ratio))
        quiet = mix(palette.page, palette.quiet, 0.7)
        self._hint_sign.setPixmap(_sharp(icon("drop", quiet, size_px=20), 20, ratio))
        for starter in self._starters:
            starter.setIcon(icon("chat", palette.accent, size_px=18))

    def _starter(self, question: str, *, is_roomy: bool) -> QPushButton:
        button = QPushButton(f" {question.replace('&', '&&')}")
        button.setProperty("kind", "tile")
        button.setFixedWidth(_WIDTH_PX if not is_roomy else _WIDTH_PX + 120)
        height = _STARTER_PX if not is_roomy else OPERATOR_TARGET_PX + 20
        # The style sheet of the application would undo a minimum that is only set.
        button.setStyleSheet(f"min-height: {height - 2}px;")
        button.setIconSize(QSize(18, 18))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setAccessibleName(_("Ask: {question}").format(question=question))
        button.clicked.connect(lambda: self.asked.emit(question))
        return button


def _label(text: str, *, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _sharp(drawn: QIcon, side: int, ratio: float) -> QPixmap:
    return drawn.pixmap(QSize(side, side), ratio)
