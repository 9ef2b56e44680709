"""What the person said: to the right, tinted."""

import math

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.plain_view import PlainView
from qhub_desktop.ui.chat.quiet_button import QuietButton
from qhub_desktop.ui.theme import CARD_RADIUS_PX, Palette

_PAD_X_PX = 14
_PAD_Y_PX = 9
_SHARE = 0.84  # of the column, at most
_BUTTON_PX = 32


class QuestionView(QWidget):
    """One question.

    Signals:
        edit_requested: the person wants to ask it differently.
    """

    edit_requested = Signal()

    def __init__(self, text: str, palette: Palette, *, message: int | None = None) -> None:
        super().__init__()
        self.message = message
        self._palette = palette
        self._words = PlainView(palette)
        self._words.setParent(self)
        self._words.setPlainText(text)
        self._edit = QuietButton("pencil", _("Edit the question"), palette)
        self._edit.setParent(self)
        self._edit.setFixedSize(_BUTTON_PX, _BUTTON_PX)
        self._edit.clicked.connect(self.edit_requested)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def text(self) -> str:
        """What was asked."""
        return self._words.toPlainText()

    @property
    def words(self) -> PlainView:
        """What shows it."""
        return self._words

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        self._words.set_palette(palette)
        self._edit.set_palette(palette)
        self.update()

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return self._words.heightForWidth(self._text_width(width)) + 2 * _PAD_Y_PX

    @override
    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self._text_width(self.width())
        left = self.width() - _PAD_X_PX - width
        self._words.setGeometry(left, _PAD_Y_PX, width, self.height() - 2 * _PAD_Y_PX)
        self._edit.move(left - _PAD_X_PX - _BUTTON_PX - 4, 2)

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._edit.set_shown(is_shown=self.message is not None)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._edit.set_shown(is_shown=False)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._palette.own))
        box = self._words.geometry().adjusted(-_PAD_X_PX, -_PAD_Y_PX, _PAD_X_PX, _PAD_Y_PX)
        painter.drawRoundedRect(QRectF(box), CARD_RADIUS_PX, CARD_RADIUS_PX)

    def _text_width(self, width: int) -> int:
        most = round(width * _SHARE) - 2 * _PAD_X_PX
        return min(most, math.ceil(self._words.natural_width()) + 2)
