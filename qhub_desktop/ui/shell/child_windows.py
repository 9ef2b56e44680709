"""Windows beside the main one: dashboards, costs, and what was sent for an answer."""

from __future__ import annotations  # they are imported on first use, not before the first paint

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.ui.chat.sent_window import SentWindow
    from qhub_desktop.ui.dashboards.windows import DashboardWindows
    from qhub_desktop.ui.shell.costs_window import CostsWindow
    from qhub_desktop.ui.shell.memory_window import MemoryWindow


class ChildWindows:
    """Opens the windows beside the main one, which is their parent.

    `banner` returns where they tell something, which a change of language makes anew;
    `open_message` shows a message in its conversation.
    """

    def __init__(
        self,
        services: AppServices,
        *,
        banner: Callable[[], Banner],
        open_message: Callable[[str, int], object],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._services = services
        self._open_message = open_message
        self._banner = banner
        self._tasks = tasks
        self._parent = parent
        self._dashboards: DashboardWindows | None = None

    def open_sent(self, message: int) -> SentWindow:
        """Open the window of what was sent for an answer."""
        from qhub_desktop.ui.chat.sent_window import SentWindow

        sent = self._services.store.sent
        window = SentWindow(message, sent=sent, tasks=self._tasks, owner=self._parent)
        window.show()
        return window

    def open_costs(self) -> CostsWindow:
        """Open the window of the costs: an administrator's shows everybody's."""
        from qhub_desktop.ui.shell.costs_window import CostsWindow

        person, store = self._services.person, self._services.store
        window = CostsWindow(
            costs=store.costs,
            owner=None if person is None or person.is_admin else person.id,
            agents={agent.id: agent.name for agent in self._services.agents().values()},
            note_export=partial(store.audit.add, "export", "costs"),
            tasks=self._tasks,
            parent=self._parent,
        )
        window.show()
        return window

    def open_memory(self, path: str = "") -> MemoryWindow:
        """Open the window of what is known of the person, or bring it to the front; with a path,
        that note is ready to be edited.
        """
        from qhub_desktop.ui.shell.memory_window import MemoryWindow

        window = next(iter(self._parent.findChildren(MemoryWindow)), None)
        if window is None:
            person = self._services.person
            window = MemoryWindow(
                memories=self._services.store.memories,
                open_message=self._open_message,
                service=self._services.service_host(),
                can_change_station=person is None or person.is_admin,
                tasks=self._tasks,
                parent=self._parent,
            )
            window.show()
        window.raise_()
        if path:
            window.edit(path)
        return window

    def dashboards(self) -> DashboardWindows:
        """Return the windows of the dashboards, made on first use."""
        if self._dashboards is None:
            from qhub_desktop.ui.dashboards.windows import DashboardWindows

            self._dashboards = DashboardWindows(
                self._services.dashboards(self._tasks), banner=self._banner, parent=self._parent
            )
        return self._dashboards

    def open_dashboards(self) -> None:
        """Open the list of dashboards."""
        self.dashboards().open_list()

    def close(self) -> None:
        """Close the windows of the dashboards, whose answers stay as they were."""
        if self._dashboards is not None:
            self._dashboards.close()
            self._dashboards = None
