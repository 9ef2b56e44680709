"""The window of the first run: a few questions, one after the other, and nothing kept before."""

from __future__ import annotations  # what makes the data folder is the program's, not the window's

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QWidget
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.settings import Choices, LanguageChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import add_window_keys, fit_screen
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.desktop import ICON
from qhub_desktop.ui.people.first_run_pages import (
    FirstRunPage,
    Tile,
    fixed_sentence,
    steps_under,
)
from qhub_desktop.ui.tasks import Tasks, set_result_once

if TYPE_CHECKING:
    from qhub_desktop.tools.first_run import FirstRun

FIRST_RUN_CARD_PX = 640
CARD_HEIGHT_PX = 640  # of every step, so that the buttons stay where they are
FIRST_RUN_LOGO_PX = 40
FIRST_RUN_SIZE = (860, 720)
LEAST = (560, 420)
BACK_KEY = "Alt+Left"

SetLanguage = Callable[[LanguageChoice], object]


class FirstRunWindow(QDialog):
    """Asks step by step; with the last one the data folder is made, whole or not at all.

    `set_language` has the application speak another language, which the window does at once.
    """

    def __init__(self, first_run: FirstRun, *, set_language: SetLanguage) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setProperty("kind", "roomy")  # targets for gloves
        set_title(self, "QHub Desktop")
        self.setMinimumSize(*LEAST)
        fit_screen(self, QSize(*FIRST_RUN_SIZE))
        settings = first_run.settings
        if "engine" not in first_run.policy.fixed:
            settings = replace(settings, engine="offline")  # what costs nothing, until one chooses
        self.choices = Choices(settings)
        self.at = 0
        self._first_run = first_run
        self._set_language = set_language
        self._steps = steps_under(first_run.policy)
        self._is_busy = False
        self._answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._tasks = Tasks(self._on_error)

        logo = make_label()
        logo.setPixmap(QIcon(str(ICON)).pixmap(FIRST_RUN_LOGO_PX, FIRST_RUN_LOGO_PX))
        self._place = make_label(role="quiet")
        self._heading = make_label(role="title", is_wrapped=True)
        self._words = make_label(role="quiet", is_wrapped=True)
        self.page: FirstRunPage | None = None
        self._fixed = make_label(role="small", is_wrapped=True)
        self._told = StatusLabel()
        self.back_button = TextButton("", on_click=self.go_back)
        self.next_button = TextButton("", kind="primary", on_click=self._on_next_clicked)
        self._leaving = QFrame()
        self._leave_words = make_label(is_wrapped=True)
        self.stay_button = TextButton("", on_click=lambda: self._ask_to_leave(is_asked=False))
        self.leave_button = TextButton("", kind="danger", on_click=self.close)

        card = QFrame()
        card.setProperty("kind", "card")
        card.setMaximumWidth(FIRST_RUN_CARD_PX)
        card.setMaximumHeight(CARD_HEIGHT_PX)
        head = row_of(
            logo, (make_label("QHub Desktop", role="heading"), 1), self._place, spacing=12
        )
        inside = column_of(head, owner=card, margins=(28, 22), spacing=10)
        middle = QWidget()
        # Room for the frame of what has the focus.
        self._steps_column = column_of(owner=middle, margins=(1, 4, 1, 1), spacing=10)
        add_to(self._steps_column, self._fixed, STRETCH)
        add_to(inside, self._heading, self._words, (scrolled(middle), 1), self._told)
        foot = row_of(self.back_button, STRETCH, self.next_button, spacing=12)
        inside.addLayout(foot)
        self._leaving.setProperty("kind", "offer")
        asked = row_of(owner=self._leaving, margins=(12, 8), spacing=12)
        add_to(asked, (self._leave_words, 1), self.leave_button, self.stay_button)
        self._leaving.hide()
        inside.addWidget(self._leaving)
        row_of(STRETCH, (card, 100), STRETCH, owner=self, margins=16, spacing=None)
        for button in (self.back_button, self.next_button):
            button.setAutoDefault(False)
        self.next_button.setDefault(True)  # it must be in the dialog by now
        set_language(self.choices.settings.language)
        self._speak()
        self._show_step()

    async def until_begun(self) -> str | None:
        """Ask; return the administrator's name once all is kept, "" where nobody signs in.

        None if the window was closed: then nothing is kept.
        """
        self.show()
        self.raise_()
        self.activateWindow()
        try:
            return await self._answer
        finally:
            await self._tasks.cancel_all()
            self.hide()
            self.deleteLater()

    def go_back(self) -> None:
        """Go to the step before, with what was answered."""
        if self.at and not self._is_busy and self.page is not None:
            self.choices = self.page.taken(self.choices)
            self.at -= 1
            self._show_step()

    @property
    def told(self) -> str:
        """The sentence that is shown about an answer."""
        return "" if self._told.isHidden() else self._told.text()

    @property
    def fixed(self) -> str:
        """Sentence on the settings that an administrator has fixed."""
        return "" if self._fixed.isHidden() else self._fixed.text()

    @override
    def reject(self) -> None:
        """Ask before leaving: Esc may be pressed by mistake."""
        if not self._is_busy:
            self._ask_to_leave(is_asked=self._leaving.isHidden())

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self._is_busy:
            event.ignore()
        elif self._leaving.isHidden():
            event.ignore()  # the frame's X is as near to a slip as Esc
            self._ask_to_leave(is_asked=True)
        else:
            set_result_once(self._answer, None)
            event.accept()

    def _speak(self) -> None:
        """Write what all steps share in the language of now."""
        for action in self.actions():
            self.removeAction(action)
            action.deleteLater()
        add_window_keys(self, [("Enter", _("Next")), (BACK_KEY, _("Back"))])
        back_action = QAction(self)
        back_action.setShortcut(QKeySequence(BACK_KEY))
        back_action.triggered.connect(self.go_back)
        self.addAction(back_action)
        self.back_button.set_caption(_("Back"))
        self._leave_words.setText(
            _("Leave? Nothing is kept, and the questions come again with the next start.")
        )
        self.leave_button.set_caption(_("Leave"))
        self.stay_button.set_caption(_("Go on"))

    def _show_step(self) -> None:
        before = self.page
        page = self._steps[self.at](self.choices, self._first_run, self._tasks)
        # Later: in the middle of a key's way through the tiles, Qt goes on with those of before.
        page.changed.connect(self._on_page_changed, Qt.ConnectionType.QueuedConnection)
        for field in page.findChildren(QLineEdit):  # what was wrong is being put right
            field.textChanged.connect(self._told.hide)
        for tile in page.findChildren(Tile):
            tile.toggled.connect(self._told.hide)
        self.page = page
        self._heading.setText(page.heading)
        self._words.setText(page.words)
        step = _("Step {number} of {count}")
        self._place.setText(step.format(number=self.at + 1, count=len(self._steps)))
        self._fixed.setText(fixed_sentence(self._first_run) if self.at == 0 else "")
        self._fixed.setVisible(bool(self._fixed.text()))
        self._told.hide()
        self._ask_to_leave(is_asked=False)
        self.back_button.setEnabled(self.at > 0)
        is_last = self.at == len(self._steps) - 1
        self.next_button.set_caption(_("Begin") if is_last else _("Next"))
        if before is not None:
            before.hide()
            before.deleteLater()
        self._steps_column.insertWidget(0, page)
        QWidget.setTabOrder(page, self.back_button)
        page.show()
        page.setFocus()

    def _on_page_changed(self) -> None:
        """Speak the language that was chosen, from here on."""
        assert self.page is not None
        self.choices = self.page.taken(self.choices)
        self._set_language(self.choices.settings.language)
        self._speak()
        self._show_step()

    def _on_next_clicked(self) -> None:
        assert self.page is not None
        if (problem := self.page.problem()) is not None:
            sentence, where = problem
            self._told.tell(sentence, role="bad")
            where.setFocus()
            return
        self.choices = self.page.taken(self.choices)
        if self.at < len(self._steps) - 1:
            self.at += 1
            self._show_step()
        else:
            self._set_busy(is_busy=True)
            self._told.tell(_("Making it ready…"))
            self._tasks.start(self._begin())

    async def _begin(self) -> None:
        set_result_once(self._answer, await self._first_run.begin(self.choices))

    def _on_error(self, error: QHubError) -> None:
        self._set_busy(is_busy=False)
        self._told.tell_error(error)

    def _set_busy(self, *, is_busy: bool) -> None:
        self._is_busy = is_busy
        assert self.page is not None
        self.page.setEnabled(not is_busy)
        self.next_button.setEnabled(not is_busy)
        self.back_button.setEnabled(not is_busy and self.at > 0)

    def _ask_to_leave(self, *, is_asked: bool) -> None:
        self._leaving.setVisible(is_asked)
        for button in (self.back_button, self.next_button):
            button.setVisible(not is_asked)
        where = self.stay_button if is_asked else self.page
        if where is not None:
            where.setFocus()
