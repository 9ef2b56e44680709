"""What a window offers about people: one's own password, and for an administrator all accounts."""

from __future__ import annotations  # its windows are imported on first use

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.popup import Command
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.core.person import Person
    from qhub_desktop.ui.people.password_dialog import PasswordDialog
    from qhub_desktop.ui.people.people_window import PeopleWindow
    from qhub_desktop.ui.people.session import Session


class PeopleDesk:
    """Opens the windows about people, and offers what may be done about the session."""

    def __init__(
        self,
        services: AppServices,
        session: Session | None,
        banner: Callable[[], Banner],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._services = services
        self._session = session
        self._banner = banner
        self._tasks = tasks
        self._parent = parent
        self._person = services.person
        self.window: PeopleWindow | None = None

    def commands(self) -> list[Command]:
        """Return what the person who works here may do.

        At a station without accounts, whoever works there may make the first one.
        """
        person = self._services.person
        commands = [] if self._session is None else self._session.commands()
        if person is not None:
            commands.append(Command(_("Change password…"), "key", self.open_password_dialog))
        if person is None or person.is_admin:
            commands.append(Command(_("People"), "person", self.open_people))
        return commands

    def add_button(self, add: Callable[[QWidget], object]) -> None:
        """Add a button that shows who works here, where people sign in, with what they may do."""
        if self._session is not None:
            add(self._session.make_button(self.commands()))

    def open_people(self) -> PeopleWindow:
        """Open the window of the people, or bring it to the front."""
        from qhub_desktop.ui.people.people_window import PeopleServices, PeopleWindow

        if self.window is None:
            services = self._services
            self.window = PeopleWindow(
                PeopleServices(
                    people=services.store.people,
                    accounts=services.accounts(),
                    audit=services.store.audit,
                    agents={id_: agent.name for id_, agent in services.agents.items()},
                    person=self._person,
                    enter=self._enter,
                    tasks=self._tasks,
                ),
                self._parent,
            )
            self.window.destroyed.connect(self._forget_window)
            self.window.show()
        else:
            self.window.raise_()
            self.window.activateWindow()
        return self.window

    def open_password_dialog(self) -> PasswordDialog:
        """Open the dialog for one's own password."""
        from qhub_desktop.ui.people.password_dialog import PasswordDialog

        person = self._services.person
        assert person is not None, "nobody has signed in"
        dialog = PasswordDialog(
            person,
            self._services.accounts(),
            self._services.sessions(),
            on_changed=lambda: self._banner().show_note(_("Your password is changed.")),
            tasks=self._tasks,
            owner=self._parent,
        )
        dialog.open()
        return dialog

    def _enter(self, person: Person) -> None:
        """Let whoever made the first account work on, as the administrator that they are now."""
        self._person = person
        self._services.enter(person)

    def _forget_window(self) -> None:
        self.window = None
