"""Reviews in the window: a poor answer is told to whoever reviews, and opened in their list."""

from __future__ import annotations  # what is shown is imported after the first paint

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import REVIEWERS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.controls.notices import Banner, Remedy
from qhub_desktop.ui.controls.popup import Command
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.desktop_notice import DesktopNotice
from qhub_desktop.ui.tasks import Tasks, cancel_with

if TYPE_CHECKING:
    from qhub_desktop.ui.shell.reviews_window import ReviewsWindow


class ReviewService(QObject):
    """What waits for whoever reviews answers, and the window of it.

    Signals:
        counted: how many poor answers wait.
        prompt_requested: id of an agent whose prompt is to be edited.
    """

    counted = Signal(int)
    prompt_requested = Signal(str)

    def __init__(
        self, services: AppServices, banner: Banner, tasks: Tasks, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._banner = banner
        self._tasks = tasks
        self._owner = parent
        self._notice = DesktopNotice(parent, self.open)
        self._count: int | None = None  # that was told of last
        self._blocked: int | None = None  # the same, of what the guard blocked
        self.window: ReviewsWindow | None = None

    @property
    def may_review(self) -> bool:
        """Whether the person who works here reviews answers."""
        person = self._services.person
        return person is None or person.role in REVIEWERS

    def commands(self) -> list[Command]:
        """Return what the palette offers: the list, to those who review."""
        if not self.may_review:
            return []
        return [Command(_("Reviews of answers"), "thumb-down", self.open)]

    def look(self) -> None:
        """Count what waits, and tell of what is new; another program may have kept it."""
        if self.may_review:
            cancel_with(self, self._tasks.start(self._look()))

    def open(self) -> ReviewsWindow:
        """Open the list, or bring it to the front."""
        from qhub_desktop.ui.shell.reviews_window import ReviewsWindow

        if self.window is None or not isValid(self.window):
            person = self._services.person
            self.window = ReviewsWindow(
                self._services.store.reviews,
                name_of=self._services.agent_catalogue().name_of,
                may_edit=person is None or person.is_admin,
                tasks=self._tasks,
                owner=self._owner.window(),
            )
            self.window.changed.connect(self.look)
            self.window.prompt_requested.connect(self.prompt_requested)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        return self.window

    async def _look_at_guard(self) -> None:
        """Tell an administrator of what the guard blocked and somebody must look at."""
        from qhub_desktop.store.moderation import ModerationRepository

        person = self._services.person
        if person is not None and not person.is_admin:
            return
        try:
            database = self._services.store.messages.database
            count = await ModerationRepository(database).waiting()
        except UserError:
            return
        before, self._blocked = self._blocked, count
        if not isValid(self) or before is None or count <= before:
            return
        words = ngettext(
            "{count} blocked question waits for you: qhub guard log",
            "{count} blocked questions wait for you: qhub guard log",
            count,
        ).format(count=number(count, digits=0))
        self._banner.toast.tell(words, stays=True)
        self._notice.tell(_("A question was blocked"), words)

    async def _look(self) -> None:
        try:
            count = await self._services.store.reviews.feedback.open_count()
        except UserError:  # busy, or nobody's any more: with the next look
            return
        if not isValid(self):
            return
        await self._look_at_guard()
        self.counted.emit(count)
        before, self._count = self._count, count
        if not count:
            self._notice.hide()
        if before is None or count <= before:
            return
        words = ngettext(
            "{count} answer waits for a review.", "{count} answers wait for a review.", count
        ).format(count=number(count, digits=0))
        self._banner.toast.tell(words, Remedy(_("Open"), self.open))
        self._notice.tell(_("An answer was found poor"), words)
        if self.window is not None and isValid(self.window):
            self.window.reload()
