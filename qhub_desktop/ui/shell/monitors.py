"""Monitors in the window: they look while it is open, and a violation is told at once."""

from __future__ import annotations  # what is shown is imported after the first paint

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import day_words, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.file_dialogs import open_folder_dialog
from qhub_desktop.ui.controls.notices import Banner, Remedy
from qhub_desktop.ui.controls.plain_text import add_action
from qhub_desktop.ui.controls.popup import make_menu
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.desktop_notice import DesktopNotice
from qhub_desktop.ui.tasks import Tasks, cancel_with

if TYPE_CHECKING:
    from qhub_desktop.core.monitor import Monitor, Violation
    from qhub_desktop.core.study import Study
    from qhub_desktop.tools.studies.monitors import Monitors
    from qhub_desktop.ui.shell.monitors_window import MonitorsWindow


class MonitorService(QObject):
    """Work of a person on monitors, and what monitors say to the person.

    Signals:
        counted: how many violations wait for cause and action.
    """

    counted = Signal(int)

    def __init__(
        self, services: AppServices, banner: Banner, tasks: Tasks, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._store = services.store.monitors
        self._banner = banner
        self._tasks = tasks
        self._owner = parent
        self._notice = DesktopNotice(parent, self.open)
        self.window: MonitorsWindow | None = None
        self.file_dialog: QFileDialog | None = None

    def begin(self) -> None:
        """Look from now on, as long as the window is there."""
        cancel_with(self, self._tasks.start(self._look_on()))

    def open(self) -> MonitorsWindow:
        """Open the list of violations, or bring it to the front."""
        from qhub_desktop.ui.shell.monitors_window import MonitorsWindow

        if self.window is None or not isValid(self.window):
            self.window = MonitorsWindow(
                self._monitors, self._store, self._tasks, self._owner.window()
            )
            self.window.answered.connect(lambda: self._tasks.start(self._count()))
            self.window.new_requested.connect(self.offer_charts)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        return self.window

    def offer(self, study: Study, conversation: ConversationId, button: QWidget) -> QMenu:
        """Ask what the limits of a chart are to watch: its own data, or a folder."""
        menu = make_menu(button)
        self._fill(menu, study, conversation)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
        return menu

    def offer_charts(self, button: QWidget) -> QMenu:
        """Ask which chart of the conversation that is open is to watch data, and which data."""
        from qhub_desktop.ui.charts.study_card import StudyView

        menu = make_menu(button)
        views = self._owner.window().findChildren(StudyView)
        frozen = [each for each in views if each.study.has_frozen_limits]
        for view in frozen:
            chart = QMenu(menu)
            self._fill(chart, view.study, view.conversation)
            add_action(menu, view.study.title).setMenu(chart)
        if not frozen:
            words = _("First press Freeze limits on a control chart of the open conversation")
            add_action(menu, words).setEnabled(False)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
        return menu

    def _fill(self, menu: QMenu, study: Study, conversation: ConversationId) -> None:
        add_action(
            menu,
            _("New rows of these data"),
            lambda: self._tasks.start(self.watch(study, conversation)),
        )
        add_action(
            menu, _("New files of a folder…"), lambda: self._choose_folder(study, conversation)
        )

    async def watch(
        self, study: Study, conversation: ConversationId, folder: Path | None = None
    ) -> Monitor | None:
        """Make a monitor of a chart, and say so; None where the chart cannot be one."""
        from qhub_desktop.core.study import subject_of

        try:
            made = await self._monitors().create(
                conversation, study, subject=subject_of(study), folder=folder
            )
        except QHubError as error:
            self._banner.show_error(str(error))
            return None
        words = _("Watching {name}. What comes in is judged by these limits.")
        self._banner.toast.tell(
            words.format(name=made.watched.name), Remedy(_("Monitors"), self.open)
        )
        if self.window is not None and isValid(self.window):
            self.window.reload()
        return made

    def tell(self, found: Sequence[Violation]) -> None:
        """Tell of violations, which are stored: in the window, in the task bar, and by the tray."""
        first = found[0]
        said = _("{chart}: {label}, {rule}").format(
            chart=first.title, label=day_words(first.found.label), rule=first.found.words[0]
        )
        if len(found) > 1:
            words = _("{count} violations on charts that watch data. The first: {first}")
            said = words.format(count=number(len(found), digits=0), first=said)
        self._banner.show_error(said, Remedy(_("Open"), self.open))
        self._notice.tell(_("Violation on a control chart"), said)
        self._tasks.start(self._count())
        if self.window is not None and isValid(self.window):
            self.window.reload()

    def _choose_folder(self, study: Study, conversation: ConversationId) -> None:
        self.file_dialog = open_folder_dialog(
            self._owner.window(),
            _("Folder to watch"),
            lambda folder: self._tasks.start(self.watch(study, conversation, folder)),
        )

    def _monitors(self) -> Monitors:
        return self._services.study_tools().monitors(self._store)

    async def _look_on(self) -> None:
        await self._count()
        await self._monitors().run(self.tell)

    async def _count(self) -> None:
        count = await self._store.open_count()
        if isValid(self):
            self.counted.emit(count)
        if not count:
            self._notice.hide()
