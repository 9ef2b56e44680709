"""The window in which people sign in: at the start, at a shift's change, at a session's end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.person import LONGEST_SECRET, Person, shown_name
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton, reveal_button
from qhub_desktop.ui.controls.forms import caption, text_field
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of, scrolled
from qhub_desktop.ui.controls.plain_text import (
    captioned,
    elided,
    one_line,
    set_title,
    set_tooltip,
)
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.desktop import ICON
from qhub_desktop.ui.tasks import Tasks, set_result_once
from qhub_desktop.ui.theme import bold_font, theme

if TYPE_CHECKING:
    from qhub_desktop.people.accounts import Accounts

SIGN_IN_CARD_PX = 400
PAD_PX = 56
SIGN_IN_LOGO_PX = 44
FACE_PX = 52
FACES_IN_ROW = 4
FACE_ROWS = 2  # seen at once; the others are scrolled to
_PAD = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "⌫")


Remember = Callable[[Person], Awaitable[None]]


class SecretField(QFrame):
    """A field for a password or a PIN, that shows what is typed while asked to.

    Signals:
        edited: another text is in it.
    """

    edited = Signal()

    def __init__(self, name: str, *, longest: int = LONGEST_SECRET) -> None:
        super().__init__()
        self._field = text_field(most=longest, is_secret=True)
        self._field.textChanged.connect(self.edited)
        line = row_of((self._field, 1), reveal_button(self._field), spacing=4)
        column_of(caption(self._field, name), line, owner=self, spacing=4)
        self.setFocusProxy(self._field)

    @property
    def text(self) -> str:
        """What was typed."""
        return self._field.text()

    @property
    def is_typed_in(self) -> bool:
        """Whether it has the keys."""
        return self._field.hasFocus()

    def set_text(self, text: str, *, placeholder: str = "") -> None:
        """Fill it; while it is empty, the placeholder is shown."""
        self._field.clear()
        self._field.insert(text)
        self._field.setPlaceholderText(placeholder)

    def clear(self) -> None:
        """Forget what was typed."""
        self._field.clear()

    def type_in(self, key: str) -> None:
        """Type a digit at the end, or take the last one back."""
        if key == _PAD[-1]:
            self._field.backspace()
        else:
            self._field.insert(key)


class PinPad(QFrame):
    """Large keys for a PIN, at a screen that is touched.

    Signals:
        pressed: a key, '⌫' takes the last digit back.
    """

    pressed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setSpacing(8)
        for place, key in enumerate(_PAD):
            if not key:
                continue
            button = TextButton(key, kind="pad")
            button.setMinimumWidth(PAD_PX + 40)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAccessibleName(_("Delete") if key == _PAD[-1] else key)
            button.clicked.connect(lambda _checked=False, key=key: self.pressed.emit(key))
            grid.addWidget(button, place // 3, place % 3)


class FaceButton(QPushButton):
    """Round sign of a person with their initials, and the name below it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setProperty("kind", "flat")
        self.setFixedSize(FACE_PX + 28, FACE_PX + 36)
        self.setAccessibleName(shown_name(name))
        set_tooltip(self, shown_name(name))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        palette, shown = theme().palette, shown_name(self.name)
        words = [each for each in re.split(r"[\W_]+", shown.partition("@")[0]) if each]
        initials = "".join(each[0] for each in (words[:1] + words[1:][-1:])).upper()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        face = QRectF((self.width() - FACE_PX) / 2, 6, FACE_PX, FACE_PX)
        hue = sum(map(ord, self.name)) * 47 % 360  # one's own, whoever else is there
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor.fromHsl(hue, 110, 90))
        painter.drawEllipse(face)
        font = bold_font(self.font())
        font.setPointSizeF(self.font().pointSizeF() * 1.4)
        painter.setFont(font)
        painter.setPen(QColor("white"))
        painter.drawText(face, int(Qt.AlignmentFlag.AlignCenter), initials)
        painter.setFont(self.font())
        painter.setPen(QColor(palette.text))
        below = QRectF(2, face.bottom() + 2, self.width() - 4, self.height() - face.bottom() - 4)
        called = elided(shown.partition("@")[0], painter.fontMetrics(), int(below.width()))
        painter.drawText(below, int(Qt.AlignmentFlag.AlignCenter), called)


class SignInWindow(QDialog):
    """Asks who it is, and for a new secret where somebody else has chosen the old one.

    `locked` is the name of whoever is at work behind it; nobody else's work is shown to others.
    `notice` is what everybody is to know before they sign in.
    """

    def __init__(
        self,
        accounts: Accounts,
        *,
        station: str,
        remember: Remember | None,
        locked: str = "",
        notice: str = "",
    ) -> None:
        super().__init__(None, Qt.WindowType.Window)
        set_title(self, "QHub Desktop")
        self.setMinimumSize(520, 620)
        self.person: Person | None = None
        self._accounts = accounts
        self._remember = remember
        self._answer: asyncio.Future[Person | None] = asyncio.get_running_loop().create_future()
        self._tasks = Tasks(self._on_error)
        self._old = ""

        logo = make_label()
        logo.setPixmap(QIcon(str(ICON)).pixmap(SIGN_IN_LOGO_PX, SIGN_IN_LOGO_PX))
        heading = make_label("QHub Desktop", role="title")
        place = make_label(station, role="quiet")
        place.setVisible(bool(station))
        self._message = make_label(role="quiet", is_wrapped=True)
        self._message.setText(
            _("Locked. {name}'s work goes on behind this.").format(name=shown_name(locked))
            if locked
            else _("Sign in to go on.")
        )
        self._name = QLineEdit(one_line(locked))
        self._name.setMaxLength(LONGEST_SECRET)
        self._name_label = caption(self._name, _("Name or e-mail"))
        inside = QWidget()
        self._face_grid = QGridLayout(inside)
        self._face_grid.setContentsMargins(0, 0, 0, 0)
        self._face_grid.setSpacing(4)
        self.faces = scrolled(inside)
        self.faces.hide()
        self._secret = SecretField(_("Password or PIN"))
        self._new = SecretField(_("New password or PIN"))
        self._again = SecretField(_("The same once more"))
        for field in (self._new, self._again):
            field.hide()
        self._pad = PinPad()
        self._pad.pressed.connect(self._on_pad_pressed)
        self._pad.hide()
        self._pad_button = TextButton(_("Keys for a PIN"), icon_name="keyboard", kind="link")
        self._pad_button.setCheckable(True)
        self._pad_button.toggled.connect(self._pad.setVisible)
        self._is_kept = captioned(QCheckBox(), _("Stay signed in on this computer"))
        self._is_kept.setVisible(remember is not None and not locked)
        self.notice = make_label(notice, is_wrapped=True)
        self.notice.setVisible(bool(notice))
        self._error = StatusLabel(role="bad")
        self._enter = TextButton(_("Sign in"), kind="primary", on_click=self._on_submitted)

        self._lay_out(logo, heading, place)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self._enter.setDefault(True)  # it must be in the dialog by now
        (self._secret if locked else self._name).setFocus()

    def _lay_out(self, logo: QWidget, heading: QWidget, place: QWidget) -> None:
        """Put all that is asked on a card in the middle of the window."""
        card = QFrame()
        card.setProperty("kind", "card")
        card.setFixedWidth(SIGN_IN_CARD_PX)
        inside = column_of(owner=card, margins=(28, 24), spacing=10)
        names = column_of(heading, place, spacing=0)
        head = row_of(logo, (names, 1), spacing=12)
        inside.addLayout(head)
        inside.addWidget(self._message)
        inside.addWidget(self.notice)
        inside.addSpacing(4)
        inside.addWidget(self.faces)
        inside.addLayout(column_of(self._name_label, self._name, spacing=4))
        for widget in (self._secret, self._new, self._again, self._pad_button, self._pad):
            inside.addWidget(widget)
        inside.addWidget(self._is_kept)
        inside.addWidget(self._error)
        inside.addWidget(self._enter)
        # Between stretches: aligned, it would be as high as its lines are at the window's width.
        middle = row_of(STRETCH, card, STRETCH, spacing=None)
        column_of(STRETCH, middle, STRETCH, owner=self, margins=None, spacing=None)

    async def until_signed_in(self) -> Person | None:
        """Show the window, and wait for a person; None when it is closed."""
        self.show()
        self.raise_()
        self.activateWindow()
        self._tasks.start(self.show_faces())
        try:
            return await self._answer
        finally:
            await self._tasks.cancel_all()
            self.hide()
            self.deleteLater()

    async def show_faces(self) -> None:
        """Show who signs in with a PIN: their face is pressed, no name is typed."""
        names = await self._accounts.with_pin()
        for place, name in enumerate(names):
            face = FaceButton(name)
            face.setAutoDefault(False)
            face.clicked.connect(partial(self._on_face_pressed, name))
            self._face_grid.addWidget(face, place // FACES_IN_ROW, place % FACES_IN_ROW)
        rows = min(-(-len(names) // FACES_IN_ROW), FACE_ROWS)
        self.faces.setFixedHeight(rows * (FACE_PX + 40))
        self.faces.setVisible(bool(names))

    def _on_face_pressed(self, name: str, *_clicked: object) -> None:
        self._name.setText(name)
        self._pad_button.setChecked(True)
        self._secret.clear()
        self._secret.setFocus()

    def tell(self, sentence: str) -> None:
        """Say why whoever worked here has to sign in."""
        self._message.setText(sentence)

    @override
    def reject(self) -> None:
        """Stay: Esc is pressed by mistake, and this ends the program. Its frame closes it."""

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        set_result_once(self._answer, None)
        event.accept()

    @property
    def error(self) -> str:
        """The error that is shown."""
        return "" if self._error.isHidden() else self._error.text()

    def _on_error(self, error: QHubError) -> None:
        self._error.tell_error(error)
        self._enter.setEnabled(True)
        field = self._again if self.person is not None else self._secret
        field.clear()
        field.setFocus()

    def _on_pad_pressed(self, key: str) -> None:
        fields = (self._secret, self._new, self._again)
        shown = [field for field in fields if not field.isHidden()]
        next((each for each in shown if each.is_typed_in), shown[0]).type_in(key)

    def _on_submitted(self) -> None:
        empty = self._empty_field()
        if empty is not None:  # as when Enter follows the name
            empty.setFocus()
            return
        self._enter.setEnabled(False)
        self._error.hide()
        self._tasks.start(self._change() if self.person is not None else self._sign_in())

    def _empty_field(self) -> QWidget | None:
        if self.person is None:
            if not self._name.text().strip():
                return self._name
            return None if self._secret.text else self._secret
        return next((each for each in (self._new, self._again) if not each.text), None)

    async def _sign_in(self) -> None:
        person = await self._accounts.sign_in(self._name.text(), self._secret.text)
        if person.must_change:
            self._ask_new_secret(person)
        else:
            await self._done(person)

    def _ask_new_secret(self, person: Person) -> None:
        self.person, self._old = person, self._secret.text
        self._message.setText(
            _("A PIN is for operators alone, and you have other rights now. Choose a password.")
            if person.needs_password
            else _(
                "This password was chosen by somebody else. Choose your own, which nobody knows."
            )
        )
        for widget in (self._name_label, self._name, self._secret, self._is_kept):
            widget.hide()
        self._new.show()
        self._again.show()
        self._enter.set_caption(_("Keep, and go on"))
        self._enter.setEnabled(True)
        self._new.setFocus()

    async def _change(self) -> None:
        assert self.person is not None
        if self._new.text != self._again.text:
            raise UserError(_("The two are not the same. Write the second one again."))
        changed = await self._accounts.change_own(self.person, old=self._old, new=self._new.text)
        await self._done(changed)

    async def _done(self, person: Person) -> None:
        if self._is_kept.isChecked() and self._remember is not None:
            await self._remember(person)
        set_result_once(self._answer, person)
