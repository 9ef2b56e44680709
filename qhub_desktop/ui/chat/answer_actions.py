"""The quiet row under an answer: copy, try again, ask differently, thumbs, what it cost."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.controls.buttons import QuietButton
from qhub_desktop.ui.theme import theme

Rating = Literal[-1, 0, 1]


class AnswerActions(QWidget):
    """Seen while the pointer is on the answer or the keyboard in the row; always for the last one.

    Signals:
        copy_requested, retry_requested, edit_requested: the button was pressed.
        rated: -1, 0 or 1.
    """

    copy_requested = Signal()
    retry_requested = Signal()
    edit_requested = Signal()
    rated = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rating: Rating = 0
        self._is_last = False
        self._is_near = False
        self.copy = QuietButton("copy", _("Copy the answer"))
        self.retry = QuietButton("retry", _("Try again"))
        self.edit = QuietButton("pencil", _("Edit the question"))
        self.up = QuietButton("thumb-up", _("Good answer"))
        self.down = QuietButton("thumb-down", _("Poor answer"))
        self._cost = QLabel()
        self._cost.setProperty("role", "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in self._buttons:
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(self._cost)
        row.addStretch(1)
        self.copy.clicked.connect(self.copy_requested)
        self.retry.clicked.connect(self.retry_requested)
        self.edit.clicked.connect(self.edit_requested)
        self.up.clicked.connect(lambda: self._rate(1))
        self.down.clicked.connect(lambda: self._rate(-1))
        self.setFixedHeight(34)
        self._show()
        theme().follow(self._show_rating)

    @property
    def cost(self) -> str:
        """What is said of tokens and money."""
        return self._cost.text()

    def set_last(self, *, is_last: bool) -> None:
        """Only the last answer can be tried again; its row always shows."""
        self._is_last = is_last
        self.retry.setVisible(is_last)
        self._show()

    def set_near(self, *, is_near: bool) -> None:
        """The pointer has come, or gone."""
        self._is_near = is_near
        self._show()

    def set_rating(self, rating: Rating) -> None:
        """What the person thought of it."""
        self._rating = rating
        self._show_rating()

    def set_usage(self, usage: Sequence[UsageCounted]) -> None:
        """What the answer took; nothing is said of an engine that takes nothing."""
        self._cost.setText(cost_words(usage))

    def acknowledge_copy(self) -> None:
        """The answer is on the clipboard."""
        self.copy.set_icon("check", colour=theme().palette.good)

    @property
    def _buttons(self) -> tuple[QuietButton, ...]:
        return (self.copy, self.retry, self.edit, self.up, self.down)

    def _rate(self, rating: Rating) -> None:
        self.set_rating(0 if rating == self._rating else rating)
        self.rated.emit(self._rating)

    def _show(self) -> None:
        is_shown = self._is_last or self._is_near
        for button in self._buttons:
            button.set_shown(is_shown=is_shown)
        self._show_rating()
        self._cost.setVisible(self._is_near)
        if not self._is_near:
            self.copy.set_icon("copy")

    def _show_rating(self) -> None:
        # A given rating stays in sight.
        is_shown = self._is_last or self._is_near
        for button, value in ((self.up, 1), (self.down, -1)):
            is_given = self._rating == value
            button.set_icon(
                "thumb-up" if value > 0 else "thumb-down",
                colour=theme().palette.accent if is_given else "",
            )
            button.set_shown(is_shown=is_shown or is_given)


def cost_words(usage: Sequence[UsageCounted]) -> str:
    """Tokens in and out, and the money where every price is known."""
    read = sum(
        each.input_tokens + each.cache_read_tokens + each.cache_write_tokens for each in usage
    )
    written = sum(each.output_tokens for each in usage)
    if not read and not written:
        return ""
    words = _("{read} tokens read · {written} written").format(
        read=number(read), written=number(written)
    )
    costs = [each.cost_usd for each in usage]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return words
    return f"{words} · {number(sum(known), digits=4)} $"
