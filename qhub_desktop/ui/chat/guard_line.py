"""Line under an answer on what the guard did, which the person may call wrong."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.controls.buttons import IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import make_label, row_of


class GuardLine(QWidget):
    """Line on what the guard did.

    Signals:
        contested: the person says that the question was legitimate.
    """

    contested = Signal()

    def __init__(self, guarded: Guarded) -> None:
        super().__init__()
        is_blocked = guarded.action == "block"
        words = _("This was noted for review.") if is_blocked else guarded.text
        label = make_label(words, role="small")
        row = row_of(IconLabel("eye", size_px=14), label, owner=self, margins=(4, 0, 0, 0))
        self.contest_button = TextButton(_("It was legitimate"))
        self.contest_button.setVisible(guarded.entry > 0)
        self.contest_button.clicked.connect(self._contest)
        row.addWidget(self.contest_button)
        row.addStretch()

    def _contest(self) -> None:
        self.contest_button.setEnabled(False)
        self.contest_button.set_caption(_("An administrator will decide"))
        self.contested.emit()


def show_guard(answer: AnswerView, guarded: Guarded) -> None:
    """Show what the guard did in an answer, where it did anything that is told."""
    if guarded.text:
        line = GuardLine(guarded)
        line.contested.connect(lambda: answer.contested.emit(guarded.entry))
        answer.insert(line)
