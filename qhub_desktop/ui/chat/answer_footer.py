"""Rows under an answer: actions, errors and remarks with their remedy, and what is going on."""

import math
import time
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from qhub_desktop.core.documents import Citation
from qhub_desktop.core.events import Action, Cause, UsageCounted
from qhub_desktop.core.message import Choice, EndReason, NumberCheck, number_line
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.controls.buttons import ElidedButton, HoverButton, IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    add_to,
    make_label,
    row_of,
    set_height_for_width,
)
from qhub_desktop.ui.controls.plain_text import captioned
from qhub_desktop.ui.controls.progress import Spinner
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, mix, theme

Rating = Literal[-1, 0, 1]


class AnswerActions(QWidget):
    """Actions of an answer, visible on hover or keyboard focus; always for the last answer.

    Signals:
        copy_requested, retry_requested, edit_requested, sent_requested: the button was pressed.
        rated: -1, 0 or 1.
    """

    copy_requested = Signal()
    retry_requested = Signal()
    edit_requested = Signal()
    sent_requested = Signal()
    rated = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rating: Rating = 0
        self._is_last = False
        self._is_hovered = False
        self.copy_button = HoverButton("copy", _("Copy the answer"))
        self.retry_button = HoverButton("retry", _("Try again"))
        self.edit_button = HoverButton("pencil", _("Edit the question"))
        self.sent_button = HoverButton("cloud", _("See what was sent"))
        self.up_button = HoverButton("thumb-up", _("Good answer"))
        self.down_button = HoverButton("thumb-down", _("Poor answer"))
        self._cost = make_label(role="small")
        row_of(*self._buttons, 8, self._cost, STRETCH, owner=self, spacing=0)
        self.copy_button.clicked.connect(self.copy_requested)
        self.retry_button.clicked.connect(self.retry_requested)
        self.edit_button.clicked.connect(self.edit_requested)
        self.sent_button.clicked.connect(self.sent_requested)
        self.up_button.clicked.connect(lambda: self._rate(1))
        self.down_button.clicked.connect(lambda: self._rate(-1))
        self.setFixedHeight(34)
        self._update_buttons()
        theme().on_change(self._update_rating)

    @property
    def cost(self) -> str:
        """Tokens and cost as text."""
        return self._cost.text()

    def set_last(self, *, is_last: bool) -> None:
        """Set whether this is the last answer: it can be retried, and its row stays visible."""
        self._is_last = is_last
        self.retry_button.setVisible(is_last)
        self._update_buttons()

    def set_hovered(self, *, is_hovered: bool) -> None:
        """Set whether the pointer is on the answer."""
        self._is_hovered = is_hovered
        self._update_buttons()

    def set_rating(self, rating: Rating) -> None:
        """Show a rating."""
        self._rating = rating
        self._update_rating()

    def set_usage(self, usage: Sequence[UsageCounted]) -> None:
        """Show tokens and cost; nothing for engines without usage."""
        self._cost.setText(cost_text(usage))

    def confirm_copied(self) -> None:
        """Confirm that the answer was copied."""
        self.copy_button.set_icon("check", colour=theme().palette.good)

    @property
    def _buttons(self) -> tuple[HoverButton, ...]:
        return (
            self.copy_button,
            self.retry_button,
            self.edit_button,
            self.sent_button,
            self.up_button,
            self.down_button,
        )

    def _rate(self, rating: Rating) -> None:
        self.set_rating(0 if rating == self._rating else rating)
        self.rated.emit(self._rating)

    def _update_buttons(self) -> None:
        is_shown = self._is_last or self._is_hovered
        for button in self._buttons:
            button.set_shown(is_shown=is_shown)
        self._update_rating()
        self._cost.setVisible(self._is_hovered)
        if not self._is_hovered:
            self.copy_button.set_icon("copy")

    def _update_rating(self) -> None:
        # A given rating stays visible.
        is_shown = self._is_last or self._is_hovered
        for button, value in ((self.up_button, 1), (self.down_button, -1)):
            is_given = self._rating == value
            button.set_icon(
                "thumb-up" if value > 0 else "thumb-down",
                colour=theme().palette.accent if is_given else "",
            )
            button.set_shown(is_shown=is_shown or is_given)


def cost_text(usage: Sequence[UsageCounted]) -> str:
    """Return tokens in and out as text, with the cost if every price is known."""
    read = sum(
        each.input_tokens + each.cache_read_tokens + each.cache_write_tokens for each in usage
    )
    written = sum(each.output_tokens for each in usage)
    if not read and not written:
        return ""
    text = _("{read} tokens read · {written} written").format(
        read=number(read), written=number(written)
    )
    if any(each.is_estimated for each in usage):
        text = _("about {tokens}").format(tokens=text)
    costs = [each.cost_usd for each in usage]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return text
    return f"{text} · {number(sum(known), digits=4)} US$"


_TICK_MS = 250


class _Remark(QFrame):
    """A text beside an icon, with at most one button.

    Signals:
        action_requested: the button was pressed, with its action.
    """

    action_requested = Signal(str)

    def __init__(self, text: str, action: Action) -> None:
        super().__init__()
        self._label = make_label(text, is_wrapped=True, is_selectable=True)
        self.action = action
        self.button: QPushButton | None = None
        if words := _action_label(action):
            self.button = captioned(QPushButton(), words)
            self.button.clicked.connect(lambda: self.action_requested.emit(action))

    @property
    def text(self) -> str:
        """The shown text."""
        return self._label.text()

    def remove_action(self) -> None:
        """Remove the button."""
        if self.button is not None:
            self.button.hide()


class ErrorNotice(_Remark):
    """An error: one sentence and at most one button."""

    def __init__(self, text: str, action: Action) -> None:
        super().__init__(text, action)
        middle = Qt.AlignmentFlag.AlignVCenter
        sign = (IconLabel("warning", "bad"), 0, middle)
        row = row_of(sign, (self._label, 1), owner=self, margins=(12, GRID_PX), spacing=10)
        if self.button is not None:
            row.addWidget(self.button, alignment=middle)
        self.setAccessibleName(text)
        theme().register(self._restyle)

    def _restyle(self) -> None:
        palette = theme().palette
        self.setStyleSheet(
            f"{type(self).__name__} {{ background: {mix(palette.card, palette.bad, 0.08)};"
            f" border: 1px solid {mix(palette.card, palette.bad, 0.55)};"
            f" border-radius: {RADIUS_PX}px; }}"
        )


class SourceRow(QWidget):
    """Row of the passages that an answer quotes, each a button that opens its page.

    Signals:
        pressed: index of a citation.
    """

    pressed = Signal(int)

    def __init__(self, citations: Sequence[Citation]) -> None:
        super().__init__()
        self.buttons: list[ElidedButton] = []
        flow = FlowLayout(spacing_px=6)
        sources = make_label(_("Sources"), role="small")
        flow.addWidget(sources)
        for index, citation in enumerate(citations):
            words = citation.label
            if citation.certainty is not None:
                words = _("{source} (OCR)").format(source=words)
            button = ElidedButton(words, kind="part")
            button.setAccessibleDescription(citation.quote)
            button.clicked.connect(lambda *_clicked, index=index: self.pressed.emit(index))
            flow.addWidget(button)
            self.buttons.append(button)
        sources.setFixedHeight(self.buttons[0].sizeHint().height())
        self.setLayout(flow)
        set_height_for_width(self)


class NumberLine(QWidget):
    """Line on where the numbers of an answer are from; marked ones can be asked for by a tool.

    Signals:
        chosen: the Choice whose label asks to compute what no tool has computed.
    """

    chosen = Signal(object)

    def __init__(self, check: NumberCheck, marked: Sequence[str]) -> None:
        super().__init__()
        self.text = number_line(check)
        has_marked = check.count("unsupported") > 0
        sign = IconLabel("warning" if has_marked else "check", size_px=14)
        row = row_of(sign, make_label(self.text, role="small"), owner=self, margins=(4, 0, 0, 0))
        self.compute_button: TextButton | None = None
        if marked:
            self.compute_button = TextButton(_("Compute"), icon_name="engine")
            asks = _("Compute this with a tool: {numbers}").format(numbers="; ".join(marked))
            self.compute_button.clicked.connect(lambda: self.chosen.emit(Choice(asks, {})))
            row.addWidget(self.compute_button)
        row.addStretch()


class AnswerNote(_Remark):
    """A remark under or inside an answer, with at most one button."""

    def __init__(self, text: str, *, icon_name: str, action: Action = "") -> None:
        super().__init__(text, action)
        self._label.setProperty("role", "small")
        sign = IconLabel(icon_name, size_px=14)
        row = row_of(sign, (self._label, 0 if self.button else 1), owner=self, margins=(4, 0, 0, 0))
        if self.button is not None:
            self._label.setWordWrap(False)
            add_to(row, self.button, STRETCH)


class ActivityIndicator(QWidget):
    """Progress in one line with a spinner; counts down a known wait."""

    def __init__(self) -> None:
        super().__init__()
        self._spinner = Spinner()
        self._label = make_label(role="small")
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._progress_text = ""
        self._deadline = 0.0
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._count_down)
        row_of(self._spinner, (self._label, 1), owner=self, margins=(4, 4, 0, 4))

    @property
    def text(self) -> str:
        """The shown text."""
        return self._label.text()

    def show_text(self, text: str, *, wait_s: float | None = None) -> None:
        """Show this text; with `wait_s`, count the seconds down."""
        self._progress_text = text
        self._timer.stop()
        if wait_s is None:
            self._label.setText(text)
            return
        self._deadline = time.monotonic() + wait_s
        self._timer.start()
        self._count_down()

    def _count_down(self) -> None:
        left = math.ceil(self._deadline - time.monotonic())
        if left <= 0:
            self._timer.stop()
            self._label.setText(_("Trying again…"))
            return
        self._label.setText(
            _("{what} Trying again in {left} s").format(what=self._progress_text, left=left)
        )


def end_note(reason: EndReason, cause: Cause) -> str:
    """Return a remark on how an answer ended, "" for a normal end."""
    match reason, cause:
        case "limit", "tokens":
            return _("Cut at the limit on the answer's length.")
        case "limit", "rounds":
            return _("Stopped at the limit on the steps of one answer.")
        case "limit", "time":
            return _("Stopped at the limit on the time of one answer.")
        case "limit", _other:
            return _("Cut at a limit.")
        case "cancelled", _other:
            return _("Stopped.")
        case _:
            return ""


def _action_label(action: Action) -> str:
    match action:
        case "retry" | "wait":
            return _("Try again")
        case "continue":
            return _("Continue")
        case "repair":
            return _("Repair")
        case "settings" | "network":
            return _("Open the settings")
        case "offline":
            return _("Ask offline")
        case "local":
            return _("Ask the model")
        case "proxy_login":
            return _("Enter name and password…")
        case "":
            return ""
