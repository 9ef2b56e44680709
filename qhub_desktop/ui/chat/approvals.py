"""Decisions an answer leaves to the person: approvals, choices, corrections."""

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.events import ApprovalAsked, CostAsked, CostChoice
from qhub_desktop.core.message import Chip, Choice, Clarification, Interpretation, Part, has_form
from qhub_desktop.core.text import field_words, gettext_noop, number, value_words
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import with_signs
from qhub_desktop.ui.chat.reading_strip import whole_groups
from qhub_desktop.ui.chat.text_views import CodeView
from qhub_desktop.ui.controls.buttons import ElidedButton, IconButton, TextButton, icon
from qhub_desktop.ui.controls.layouts import STRETCH, FlowLayout, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import add_action, elided, set_tooltip
from qhub_desktop.ui.controls.popup import make_menu
from qhub_desktop.ui.theme import GRID_PX, bold_font, mix, theme

READ_MS = 600  # from when the card is seen; a key or a click of before is meant for something else


def leave_card(card: QWidget) -> None:
    """Move the focus from a card that closes to where questions are typed.

    Qt would move it to whatever comes next in the window. The page passes its focus on to the box.
    """
    focused = cast("QWidget | None", card.window().focusWidget())
    if focused is None or not card.isAncestorOf(focused):
        return
    page = card.parentWidget()
    while page is not None:
        box = page
        while (proxy := box.focusProxy()) is not None:
            box = proxy
        if box is not page and box.focusPolicy() != Qt.FocusPolicy.NoFocus:
            box.setFocus()
            return
        page = page.parentWidget()


class ApprovalCard(QFrame):
    """Card that asks to approve a tool call and shows its arguments; afterwards the decision.

    Signals:
        decided: the input to run it with, in which code may have been changed; None to refuse.
    """

    decided = Signal(object)

    def __init__(self, request: ApprovalAsked) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setAccessibleName(request.text)
        self._verdict_label = make_label(role="quiet")
        self._verdict_label.hide()
        self.approve_button = ElidedButton(request.consent, kind="primary")
        self.decline_button = ElidedButton(_("Cancel"))
        self.approve_button.clicked.connect(lambda: self._decide(is_approved=True))
        self.decline_button.clicked.connect(lambda: self._decide(is_approved=False))
        self._is_open = True
        self._can_agree = False
        self._request = request
        self.code_view: CodeView | None = None
        self.setFocusProxy(self.approve_button)
        title = make_label(request.text, role="heading", is_wrapped=True)
        column = column_of(title, owner=self, margins=(2 * GRID_PX, 14), spacing=12)
        arguments = {
            name: each for name, each in request.call.input.items() if name != request.code
        }
        if arguments:
            column.addWidget(_arguments_form(arguments, request.parameter_labels))
        if request.code:
            code = str(request.call.input.get(request.code, ""))
            self.code_view = CodeView(code, is_editable=True)
            self.code_view.submitted.connect(lambda: self._decide(is_approved=True))
            column.addWidget(self.code_view)
        row = row_of(self.approve_button, self.decline_button, self._verdict_label, STRETCH)
        column.addLayout(row)

    @property
    def is_open(self) -> bool:
        """Whether the decision is pending."""
        return self._is_open

    @property
    def can_agree(self) -> bool:
        """Whether it was seen for long enough to agree; it can be refused at once."""
        return self._can_agree

    def close_unanswered(self) -> None:
        """Close the card: the turn ended before a decision."""
        if self._is_open:
            self._close(_("Not answered; nothing was changed."))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and focused in (
            self.approve_button,
            self.decline_button,
        ):
            self._decide(is_approved=focused is self.approve_button)
        else:
            super().keyPressEvent(event)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(READ_MS, self, self._let_agree)

    def _let_agree(self) -> None:
        self._can_agree = True

    def _decide(self, *, is_approved: bool) -> None:
        if not self._is_open or (is_approved and not self._can_agree):
            return
        self._close(_("You agreed.") if is_approved else _("You cancelled; nothing was changed."))
        self.decided.emit(self._approved_input() if is_approved else None)

    def _approved_input(self) -> JsonObject:
        given = self._request.call.input
        if self.code_view is None or self.code_view.code == given.get(self._request.code):
            return given
        return {**given, self._request.code: self.code_view.code}

    def _close(self, verdict: str) -> None:
        self._is_open = False
        leave_card(self)
        if self.code_view is not None:
            self.code_view.editor.setReadOnly(True)
        self.approve_button.hide()
        self.decline_button.hide()
        self._verdict_label.setText(verdict)
        self._verdict_label.show()


class CostCard(QFrame):
    """Card that asks whether to send a question that may cost much.

    Signals:
        decided: 'send', 'offline' or 'cancel'.
    """

    decided = Signal(str)

    def __init__(self, request: CostAsked) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        asked = _("This question may cost about {usd} US$.").format(
            usd=number(request.usd, digits=2)
        )
        self.setAccessibleName(asked)
        why = _(
            "You are asked above {most} US$. The offline engine costs nothing; cancelled, the"
            " question goes back to where it was typed."
        ).format(most=number(request.most_usd, digits=2))
        choices: list[tuple[CostChoice, str]] = [
            ("send", _("Send to Claude")),
            ("offline", _("Ask offline")),
            ("cancel", _("Cancel")),
        ]
        self.buttons: dict[CostChoice, ElidedButton] = {
            choice: ElidedButton(label, kind="primary" if choice == "send" else "")
            for choice, label in choices
        }
        self.setFocusProxy(self.buttons["cancel"])
        column = column_of(owner=self, margins=(2 * GRID_PX, 14), spacing=12)
        column.addWidget(make_label(asked, role="heading", is_wrapped=True))
        column.addWidget(make_label(why, role="quiet", is_wrapped=True))
        row = row_of()
        for choice, button in self.buttons.items():
            button.clicked.connect(lambda _checked=False, choice=choice: self.decide(choice))
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.decide("cancel")
            return
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            for choice, button in self.buttons.items():
                if focused is button:
                    self.decide(choice)
                    return
        super().keyPressEvent(event)

    def decide(self, choice: CostChoice) -> None:
        """Take the decision, and close the card."""
        leave_card(self)
        self.hide()
        self.decided.emit(choice)


class ChoiceButton(ElidedButton):
    """Button of a choice, with what it comes to at its right end."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(with_signs(choice.label), kind="tile")
        self.choice = choice
        self.value = ""
        self.show_value(choice.value)

    def show_value(self, value: str) -> None:
        """Show what the choice comes to; nothing where that is not known."""
        self.value = with_signs(value)
        words = with_signs(self.choice.label)
        self.setAccessibleName(f"{words}: {self.value}" if value else words)
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        font = bold_font(self.font())
        metrics, inside = QFontMetrics(font), self.rect().adjusted(2 * GRID_PX, 0, -2 * GRID_PX, 0)
        value = whole_groups(self.value, font, inside.width() / 2)
        self.kept_px = metrics.horizontalAdvance(value) + 2 * GRID_PX if value else 0
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(font)
        palette = theme().palette
        painter.setPen(QColor(palette.text if self.isEnabled() else palette.quiet))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, int(right), value)


class OtherReadings(QWidget):
    """Other readings of a question that was answered, folded until they are asked for.

    Signals:
        chosen: the Choice whose button was pressed.
        opened: the fold was opened for the first time: the values are wanted.
    """

    chosen = Signal(object)
    opened = Signal()

    def __init__(self, others: Sequence[Choice]) -> None:
        super().__init__()
        self._was_opened = False
        words = _("Other readings ({count})").format(count=len(others))
        self.fold_button = TextButton(words, icon_name="chevron-right", kind="link")
        self.fold_button.clicked.connect(self._turn)
        self.buttons = [ChoiceButton(each) for each in others]
        self._inside = QWidget()
        column = column_of(owner=self._inside)
        for button in self.buttons:
            button.clicked.connect(lambda _on=False, each=button.choice: self.chosen.emit(each))
            column.addWidget(button)
        self._inside.hide()
        column_of(row_of(self.fold_button, STRETCH), self._inside, owner=self)

    def _turn(self) -> None:
        is_open = self._inside.isHidden()
        self._inside.setVisible(is_open)
        self.fold_button.set_icon("chevron-down" if is_open else "chevron-right")
        if is_open and not self._was_opened:
            self._was_opened = True
            self.opened.emit()


class FormOffer(QWidget):
    """Way from an answer to a form, filled in with what was said.

    Signals:
        requested: the tool of the form, and what was said, as its input.
    """

    requested = Signal(str, object)

    def __init__(self, tool: str, given: JsonObject) -> None:
        super().__init__()
        self.given = given
        self.button = TextButton(_("Fill in the form"), icon_name="more", kind="link")
        self.button.clicked.connect(lambda: self.requested.emit(tool, self.given))
        row_of(self.button, STRETCH, owner=self)


class ChoiceCard(QFrame):
    """Card of a clarification, with its choices as buttons.

    Signals:
        chosen: the Choice whose button was pressed.
    """

    chosen = Signal(object)

    def __init__(self, question: Clarification) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        title = make_label(with_signs(question.text), role="heading", is_wrapped=True)
        column = column_of(title, 4, owner=self, margins=(2 * GRID_PX, 14))
        self.buttons = [ChoiceButton(choice) for choice in question.choices]
        for button, choice in zip(self.buttons, question.choices, strict=True):
            button.clicked.connect(lambda _checked=False, choice=choice: self.chosen.emit(choice))
            column.addWidget(button)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and focused in self.buttons:
            focused.click()
        else:
            super().keyPressEvent(event)


def _arguments_form(arguments: Mapping[str, Json], labels: Mapping[str, str]) -> QWidget:
    form = QWidget()
    grid = QGridLayout(form)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(3 * GRID_PX)
    grid.setVerticalSpacing(6)
    for row, (name, value) in enumerate(arguments.items()):
        label = make_label(labels.get(name) or with_signs(field_words(name)), role="quiet")
        words = make_label(with_signs(value_words(value)), is_wrapped=True, is_selectable=True)
        grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(words, row, 1)
    grid.setColumnStretch(1, 1)
    return form


PART_NAMES: dict[Part, str] = {
    "dataset": gettext_noop("Data"),
    "measure": gettext_noop("Measure"),
    "dimension": gettext_noop("By"),
    "filter": gettext_noop("Where"),
    "period": gettext_noop("Period"),
    "chart": gettext_noop("Chart"),
    "order": gettext_noop("Order"),
    "reading": gettext_noop("Word"),
}
_CHIP_PAD_PX = 12
_CHIP_GAP_PX = 7
_ARROW_PX = 9
_CHECK_PX = 16
_MIN_PX = 96


class PartButton(QPushButton):
    """Button of one part of an interpretation: its kind, its value, and whether it was carried
    over.

    Signals:
        chosen: the Choice to use instead.
    """

    chosen = Signal(object)

    def __init__(self, chip: Chip) -> None:
        super().__init__()
        self.chip = chip
        self._name = _(PART_NAMES[chip.part])
        self._kept_text = _("kept") if chip.is_kept else ""
        self.setProperty("kind", "part")
        # A label longer than a line is elided.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        # Without alternatives it is a label, not a button.
        can_change = bool(chip.choices)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_change else Qt.FocusPolicy.NoFocus)
        if can_change:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        description = self._description()
        self.setAccessibleName(description)
        set_tooltip(self, description)
        self.clicked.connect(self._open_menu)

    def choices_menu(self) -> QMenu:
        """Return the menu of the current value and its alternatives."""
        menu = make_menu(self)
        menu.setProperty("kind", "choices")
        if self.chip.label not in [choice.label for choice in self.chip.choices]:
            self._set_check_icon(add_action(menu, self.chip.label))
        for choice in self.chip.choices:
            action = add_action(menu, choice.label)
            if choice.label == self.chip.label:
                self._set_check_icon(action)
            else:
                action.triggered.connect(lambda _on=False, each=choice: self.chosen.emit(each))
        return menu

    @override
    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics = self.fontMetrics()
        width = 2 * _CHIP_PAD_PX + self._decoration_px() + _width_px(metrics, self.chip.label)
        return QSize(width, max(self.minimumHeight(), metrics.height() + _CHIP_PAD_PX))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), _MIN_PX), self.minimumHeight())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self._open_menu()
        else:
            super().keyPressEvent(event)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_frame(painter)
        self._draw_text(painter)
        if self.chip.choices:
            self._draw_arrow(painter)

    def _draw_frame(self, painter: QPainter) -> None:
        palette = theme().palette
        is_live = self.isEnabled() and bool(self.chip.choices)
        back = palette.page if self.chip.is_kept or not self.chip.choices else palette.panel
        if is_live and self.isDown():
            back = mix(palette.panel, palette.text, 0.13)
        elif is_live and self.underMouse():
            back = palette.hover
        pen = QPen(QColor(mix(palette.card, palette.text, 0.2)), 1.0)
        if self.hasFocus():
            pen = QPen(QColor(palette.accent), 2.0)
        elif self.chip.is_kept:
            pen = QPen(QColor(palette.edge), 1.0, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QColor(back))
        inset = pen.widthF() / 2
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)

    def _draw_text(self, painter: QPainter) -> None:
        palette, metrics = theme().palette, self.fontMetrics()
        is_faint = self.chip.is_kept or not self.isEnabled()
        room = self.width() - 2 * _CHIP_PAD_PX - self._decoration_px()
        label = elided(self.chip.label, metrics, room)
        left = _CHIP_PAD_PX
        for words, colour in (
            (self._name, palette.quiet),
            (label, palette.quiet if is_faint else palette.text),
            (self._kept_text, palette.quiet),
        ):
            if words is self._kept_text:
                painter.setFont(self._italic_font())
            painter.setPen(QColor(colour))
            place = QRect(left, 0, self.width() - left, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
            left += _width_px(metrics, words) + _CHIP_GAP_PX

    def _draw_arrow(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(theme().palette.quiet), 1.5))
        middle = self.height() / 2
        left = self.width() - _CHIP_PAD_PX - _ARROW_PX
        painter.drawPolyline(
            [
                QPointF(left, middle - 2),
                QPointF(left + _ARROW_PX / 2, middle + 2.5),
                QPointF(left + _ARROW_PX, middle - 2),
            ]
        )

    def _decoration_px(self) -> int:
        """Return the width of everything beside the label, gaps included, in pixels."""
        metrics = self.fontMetrics()
        around = _width_px(metrics, self._name) + _CHIP_GAP_PX
        if self._kept_text:
            around += _CHIP_GAP_PX + _width_px(QFontMetrics(self._italic_font()), self._kept_text)
        if self.chip.choices:
            around += _CHIP_GAP_PX + _ARROW_PX
        return around

    def _italic_font(self) -> QFont:
        font = QFont(self.font())
        font.setItalic(True)
        return font

    def _description(self) -> str:
        description = [_("{part}: {words}.").format(part=self._name, words=self.chip.label)]
        if self.chip.is_kept:
            description.append(_("Kept from the question before."))
        if self.chip.choices:
            description.append(_("Press to change it."))
        return " ".join(description)

    def _set_check_icon(self, action: QAction) -> None:
        action.setIcon(icon("check", theme().palette.accent, size_px=_CHECK_PX))

    def _open_menu(self) -> None:
        if self.chip.choices:
            self.choices_menu().popup(self.mapToGlobal(QPoint(0, self.height() + 2)))


def _width_px(metrics: QFontMetrics, words: str) -> int:
    """Return the width of words, rounded up: rounded down, Qt would elide them."""
    return metrics.horizontalAdvance(words) + 1


class NextQuestions(QWidget):
    """Row of questions that may be asked next, wrapped over several lines.

    Signals:
        chosen: the Choice whose button was pressed.
    """

    chosen = Signal(object)

    def __init__(self, offered: Sequence[Choice]) -> None:
        super().__init__()
        self.setAccessibleName(_("You could ask next"))
        flow = FlowLayout(spacing_px=GRID_PX)
        self.setLayout(flow)
        self.buttons = [ElidedButton(with_signs(each.label), icon_name="chat") for each in offered]
        for button, choice in zip(self.buttons, offered, strict=True):
            button.clicked.connect(lambda _on=False, each=choice: self.chosen.emit(each))
            flow.addWidget(button)


class InterpretationRow(QWidget):
    """Row of the parts of an interpretation, wrapped over several lines.

    Signals:
        chosen: the Choice taken for one of the parts.
        form_requested: the plan, to be changed in a form.
    """

    chosen = Signal(object)
    form_requested = Signal(object)

    def __init__(self, understood: Interpretation) -> None:
        super().__init__()
        self.setAccessibleName(_("What was understood"))
        flow = FlowLayout(spacing_px=GRID_PX)
        self.setLayout(flow)
        self.parts = [PartButton(chip) for chip in understood.chips]
        for part in self.parts:
            part.chosen.connect(self.chosen)
            flow.addWidget(part)
        if has_form(understood):
            self.form_button = IconButton("more", _("Change it by choices"))
            self.form_button.clicked.connect(lambda: self.form_requested.emit(understood.plan))
            flow.addWidget(self.form_button)
