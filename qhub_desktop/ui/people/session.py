"""A session in the window: its person's menu, its end after a shift, and its lock."""

from __future__ import annotations  # the public class comes first

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from qhub_desktop.core.person import ROLE_LABELS, Person, shown_name
from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.plain_text import add_action, set_tooltip
from qhub_desktop.ui.controls.popup import Command, make_menu
from qhub_desktop.ui.people.sign_in import SignInWindow
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.people.accounts import Accounts, Sessions
    from qhub_desktop.store.people import PeopleRepository

SESSION = timedelta(hours=8)
NOBODY = Person(0, "", "operador", ())  # worked here, before others made accounts
SESSION_CHECK_MS = 15_000

Now = Callable[[], datetime]


class Session:
    """The session of who works in a window: locked at its end, with the work going on behind.

    Where their account is not any more what it was, it ends: whoever signs in then, they too, gets
    another window. `successor` is who signed in at the lock in the place of its person: the window
    is closed for them, with everything stored. `is_over` says that nobody works here any more until
    somebody signs in. `notice` is what everybody is told before they do.
    """

    def __init__(
        self,
        window: QWidget,
        person: Person,
        accounts: Accounts,
        *,
        station: Callable[[], str],
        forget: Callable[[], object],
        tasks: Tasks,
        now: Now = lambda: datetime.now(UTC),
    ) -> None:
        self.person = person
        self.successor: Person | None = None
        self.is_over = False
        self.asking: SignInWindow | None = None
        self.notice = ""
        self._window = window
        self._accounts = accounts
        self._station = station
        self._forget = forget
        self._tasks = tasks
        self._now = now
        self._why_ended = ""
        self._ends = now() + SESSION
        # A clock on the wall, which goes on while the computer sleeps.
        self._timer = QTimer(window, interval=SESSION_CHECK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def commands(self) -> list[Command]:
        """Return what a person may do about the session."""
        return [
            Command(_("Lock"), "key", self.lock, ("Ctrl+L",)),
            Command(_("Sign out"), "person", self.switch),
        ]

    def make_button(self, commands: Sequence[Command]) -> PersonButton:
        """Return a button for the top bar, with these commands in its menu."""
        return PersonButton(self.person, commands)

    def look(self) -> None:
        """Lock if the session is over."""
        if self._now() >= self._ends:
            self.lock()

    def lock(self) -> None:
        """Hide every window until somebody signs in. What runs goes on."""
        if self.asking is None:
            self._tasks.start(self._lock())

    def end(self, why: str) -> None:
        """Lock for good, and say why."""
        if self._why_ended:
            return
        self._why_ended = why
        if self.asking is not None:
            self.asking.tell(why)
        self.lock()

    def switch(self) -> None:
        """End the session for another person's; everything is stored."""
        self.is_over = True
        # On a thread: a key store may wait for a password that nobody sees.
        in_background(self._forget, "session")
        self._window.close()

    async def _lock(self) -> None:
        hidden = [
            each for each in QApplication.topLevelWidgets() if each.isVisible() and each.isWindow()
        ]
        self.asking = SignInWindow(
            self._accounts,
            station=self._station(),
            remember=None,
            locked=self.person.name,
            notice=self.notice,
        )
        if self._why_ended:
            self.asking.tell(self._why_ended)
        for each in hidden:
            each.hide()
        try:
            person = await self.asking.until_signed_in()
        finally:
            self.asking = None
        if person == self.person and not self._why_ended:
            self._ends = self._now() + SESSION
            for each in hidden:
                each.show()
            self._window.activateWindow()
            return
        self.successor, self.is_over = person, person is not None
        # Not from within a task of the window, which waits for all of them to end.
        asyncio.get_running_loop().call_soon(self._window.close)


async def sign_in_at_start(
    accounts: Accounts,
    sessions: Sessions,
    people: PeopleRepository,
    *,
    station: str,
    notice: str = "",
) -> Person | None:
    """Return whose session is kept on this computer, else who signs in; None if no one does."""
    kept = await asyncio.to_thread(sessions.remembered)
    person = None if kept is None else await people.with_id(kept[0])
    if kept is not None and person is not None and person.generation == kept[1]:
        is_free = not (person.is_disabled or person.must_change or person.needs_password)
        if is_free:
            return person

    async def remember(person: Person) -> None:
        await asyncio.to_thread(sessions.remember, person)

    window = SignInWindow(accounts, station=station, remember=remember, notice=notice)
    return await window.until_signed_in()


class PersonButton(TextButton):
    """Button with who works in the window, and what they may do about it."""

    def __init__(self, person: Person, commands: Sequence[Command]) -> None:
        super().__init__(shown_name(person.name), icon_name="person", kind="flat")
        self._commands = commands
        set_tooltip(self, _(ROLE_LABELS[person.role]))
        self.clicked.connect(self._on_clicked)

    def make_menu(self) -> QMenu:
        """Return the menu."""
        menu = make_menu(self)
        for each in self._commands:
            add_action(menu, each.label, each.run)
        return menu

    def _on_clicked(self) -> None:
        self.make_menu().popup(self.mapToGlobal(self.rect().bottomLeft()))
