"""People in a window: one's own password, and for an administrator all accounts."""

from __future__ import annotations  # its windows are imported on first use

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid

from qhub_desktop.core.person import reading_notice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconLabel
from qhub_desktop.ui.controls.layouts import make_label, row_of
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.controls.popup import Command
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.core.person import Person
    from qhub_desktop.core.settings import Settings
    from qhub_desktop.store.audited_reading import AuditedReading
    from qhub_desktop.ui.people.agents_window import AgentsWindow
    from qhub_desktop.ui.people.conversations_window import ConversationsWindow
    from qhub_desktop.ui.people.password_dialog import PasswordDialog
    from qhub_desktop.ui.people.people_window import PeopleWindow
    from qhub_desktop.ui.people.session import Session


ACCOUNT_CHECK_MS = 60_000


class PeopleService:
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
        self._is_chosen = self._is_read = services.live_settings.settings.is_audited_reading
        self.notice: ReadingNotice | None = None
        self.window: PeopleWindow | None = None
        self.agents: AgentsWindow | None = None
        self.conversations: ConversationsWindow | None = None
        services.live_settings.listen(self._on_settings_replaced)
        # Another program may switch it, as whoever looks after this computer does with a script.
        self._clock = QTimer(parent, interval=ACCOUNT_CHECK_MS)
        self._clock.timeout.connect(lambda: tasks.start(self.refresh_notice()))

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
            commands.append(Command(_("Agents"), "engine", self.open_agents))
        return commands

    def join(
        self, add_button: Callable[[QWidget], object], add_notice: Callable[[QWidget], object]
    ) -> None:
        """Add what shows who works here, where people sign in, and what they are to know."""
        if self._session is None:
            return
        add_button(self._session.make_button(self.commands()))
        self.notice = ReadingNotice()
        add_notice(self.notice)
        self._show_notice(is_read=self._is_read)
        self._clock.start()

    async def refresh_notice(self) -> None:
        """Tell whether administrators may read what others say, as it is stored by now."""
        self._show_notice(is_read=await self._reading.is_on())

    def open_people(self) -> PeopleWindow:
        """Open the window of the people, or bring it to the front."""
        from qhub_desktop.ui.people.people_window import PeopleServices, PeopleWindow

        if self.window is None:
            services = self._services
            self.window = PeopleWindow(
                PeopleServices(
                    people=services.store.people,
                    accounts=services.accounts(),
                    budgets=services.store.costs,
                    audit=services.store.audit,
                    agents={id_: agent.name for id_, agent in services.agents().items()},
                    person=self._person,
                    enter=self._enter,
                    reading=self._reading,
                    open_conversations=self.open_conversations,
                    personal_data=services.store.personal_data,
                    deletion=services.deletion,
                    export_person=services.export_person,
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

    def open_agents(self) -> AgentsWindow:
        """Open the window of the agents, or bring it to the front."""
        from qhub_desktop.ui.people.agents_window import AgentsWindow

        if self.agents is None:
            services = self._services
            self.agents = AgentsWindow(
                services.agent_catalogue(),
                settings=services.live_settings,
                drafts=services.store.settings,
                tasks=self._tasks,
                parent=self._parent,
            )
            self.agents.destroyed.connect(self._forget_agents)
            self.agents.show()
        else:
            self.agents.raise_()
            self.agents.activateWindow()
        return self.agents

    def open_conversations(self, person: Person) -> ConversationsWindow:
        """Open the window in which an administrator reads somebody's conversations."""
        from qhub_desktop.ui.people.conversations_window import ConversationsWindow

        if self.conversations is not None:
            self.conversations.close()
        window = ConversationsWindow(
            person.name,
            self._reading,
            agents={id_: agent.name for id_, agent in self._services.agents().items()},
            tool_label=self._services.turns().tool_label,
            note_export=self._services.store.audit.add_export,
            tasks=self._tasks,
            owner=self._parent,
        )
        self.conversations = window
        window.destroyed.connect(lambda: self._forget_conversations(window))
        window.show()
        return window

    def open_password_dialog(self) -> PasswordDialog:
        """Open the dialog for one's own password."""
        from qhub_desktop.ui.people.password_dialog import PasswordDialog

        person = self._services.person
        assert person is not None, "nobody has signed in"
        dialog = PasswordDialog(
            person,
            self._services.accounts(),
            self._services.sessions(),
            on_changed=self._on_password_changed,
            tasks=self._tasks,
            owner=self._parent,
        )
        dialog.open()
        return dialog

    @cached_property
    def _reading(self) -> AuditedReading:
        # Loads what only messages need: not before the first paint.
        return self._services.store.audited_reading(self._services.live_settings.policy)

    def _on_settings_replaced(self, settings: Settings) -> None:
        if settings.is_audited_reading != self._is_chosen:
            self._is_chosen = settings.is_audited_reading
            self._show_notice(is_read=self._is_chosen)

    def _show_notice(self, *, is_read: bool) -> None:
        self._is_read = is_read
        if self._session is not None:
            self._session.notice = reading_notice() if is_read else ""
        if self.notice is not None and isValid(self.notice):
            self.notice.setVisible(is_read)

    def _on_password_changed(self, person: Person) -> None:
        if self._session is not None:
            self._session.person = person
        self._banner().toast.tell(_("Your password is changed."))

    def _enter(self, person: Person) -> None:
        """Let whoever made the first account work on, as the administrator that they are now."""
        self._person = person
        self._services.enter(person)

    def _forget_agents(self) -> None:
        self.agents = None

    def _forget_window(self) -> None:
        self.window = None

    def _forget_conversations(self, window: ConversationsWindow) -> None:
        if self.conversations is window:
            self.conversations = None


class ReadingNotice(QFrame):
    """Line that says for as long as it is so that administrators may read what others say."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "note")
        words = make_label(reading_notice(), role="small", is_wrapped=True)
        row_of(IconLabel("eye", "warn", size_px=16), (words, 1), owner=self, margins=(12, 4))
        self.setAccessibleName(reading_notice())
        self.hide()
