"""Reviews in the window: a poor answer is told to whoever reviews, and opened in their list."""

from __future__ import annotations  # what is shown is imported after the first paint

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.person import REVIEWERS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.controls.notices import Banner, Remedy
from qhub_desktop.ui.controls.popup import Command
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.desktop_notice import DesktopNotice
from qhub_desktop.ui.tasks import Tasks, cancel_with

if TYPE_CHECKING:
    from qhub_desktop.core.feedback import Reviewed
    from qhub_desktop.ui.charts.study_card import AskWindow
    from qhub_desktop.ui.shell.examples_window import ExamplesWindow
    from qhub_desktop.ui.shell.reviews_window import ReviewsWindow


_log = logging.getLogger(__name__)


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
        self.examples: ExamplesWindow | None = None

    @property
    def may_review(self) -> bool:
        """Whether the person who works here reviews answers."""
        person = self._services.person
        return person is None or person.role in REVIEWERS

    def commands(self) -> list[Command]:
        """Return what the palette offers: the list, to those who review."""
        if not self.may_review:
            return []
        return [
            Command(_("Reviews of answers"), "thumb-down", self.open),
            Command(_("Examples that teach"), "check", self.open_examples),
        ]

    def look(self) -> None:
        """Count what waits, and tell of what is new; another program may have kept it."""
        if self.may_review:
            cancel_with(self, self._tasks.start(self._look()))

    async def judge_on(self) -> None:
        """Let a model judge answers, where it may, while no answer comes."""
        if not self._services.live_settings.settings.judge or not self.may_review:
            return
        try:
            await self._services.judge().idle()
        except QHubError as error:  # no network, no budget: with another minute
            _log.warning("no answers were judged: %s", error)

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
            self.window.example_requested.connect(self.ask_example)
            self.window.examples_requested.connect(self.open_examples)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        return self.window

    def open_examples(self) -> ExamplesWindow:
        """Open the examples that teach, or bring them to the front."""
        from qhub_desktop.ui.shell.examples_window import ExamplesWindow

        if self.examples is None or not isValid(self.examples):
            self.examples = ExamplesWindow(
                self._services.store.reviews.examples,
                name_of=self._services.agent_catalogue().name_of,
                tasks=self._tasks,
                owner=self._owner.window(),
            )
        else:
            self.examples.reload()
        self.examples.show()
        self.examples.raise_()
        self.examples.activateWindow()
        return self.examples

    def ask_example(self, reviewed: Reviewed) -> AskWindow:
        """Ask how an answer should have been, and which rule it shows."""
        from qhub_desktop.core.examples import LONGEST_NOTE
        from qhub_desktop.ui.charts.study_card import AskWindow

        window = AskWindow(
            self._owner.window(),
            _("Correct into an example"),
            (
                _("The answer as it should have been; each number is replaced by a mark"),
                _("The rule that it shows, in at most {most} characters").format(most=LONGEST_NOTE),
            ),
            _("Propose the example"),
            (" ".join(reviewed.answer.text.split()),),
        )
        window.fields[1].setMaxLength(LONGEST_NOTE)
        window.answered.connect(
            lambda said: self._tasks.start(self._add_example(window, reviewed, said))
        )
        window.show()
        return window

    async def _add_example(
        self, window: AskWindow, reviewed: Reviewed, said: Sequence[str]
    ) -> None:
        feedback = reviewed.feedback
        try:
            await self._services.examples().add(
                feedback.conversation, feedback.message, words=said[0].strip(), note=said[1]
            )
        except QHubError as error:
            window.show_error(error)
            return
        window.finish()
        if isValid(self):
            self.open_examples()

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
