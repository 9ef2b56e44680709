"""Window controller: connects the parts of the window to settings, engine and commands."""

from __future__ import annotations  # dashboard windows are imported on first use

import contextlib
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.paths import home
from qhub_desktop.core.settings import Section, Settings, ThemeChoice, written_settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.chart_body import warm
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.controls.shortcuts import Choice, Command, bind, choices
from qhub_desktop.ui.settings.dialog import Preferences, SettingsDialog
from qhub_desktop.ui.shell.command_palette import CommandPalette
from qhub_desktop.ui.shell.drop_zone import DropOverlay
from qhub_desktop.ui.shell.file_intake import FileIntake, choose_files
from qhub_desktop.ui.shell.layout import WindowLayout
from qhub_desktop.ui.shell.outbox import OutboxPost
from qhub_desktop.ui.shell.services import AppServices
from qhub_desktop.ui.shell.status_bar import Clock, StatusLine
from qhub_desktop.ui.shell.top_bar import Retrying, after, answered_by, expected
from qhub_desktop.ui.shell.window_place import WindowPlace
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.ui.dashboards.windows import DashboardWindows


class Told(Protocol):
    """Protocol of the receiver of commands, implemented by the window's controller."""

    frame: WindowLayout

    def choose_files(self) -> None:
        """Open the system's file dialog."""

    def paste(self) -> None:
        """Import the table on the clipboard."""

    def find_words(self) -> None:
        """Open the search within the current conversation."""

    def search_all(self) -> None:
        """Focus the search over all conversations."""

    def stop(self) -> None:
        """Cancel the answer in progress."""

    def open_dashboards(self) -> object:
        """Open the list of dashboards."""

    def open_settings(self) -> object:
        """Open the settings dialog."""

    def open_palette(self) -> object:
        """Open the command palette."""

    def toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""

    def toggle_full_screen(self) -> None:
        """Enter or leave full-screen mode."""

    def zoom(self, steps: int) -> None:
        """Zoom the text by a number of steps; 0 resets the zoom."""


def commands_of(interior: Told) -> list[Command]:
    """Return all commands in the order in which the palette lists them."""
    return [
        Command(_("New conversation"), "plus", interior.frame.begin, ("Ctrl+N",)),
        Command(_("Report a defect"), "pencil", interior.frame.report),
        Command(_("Dashboards"), "chart", interior.open_dashboards, ("Ctrl+D",)),
        Command(_("Add files"), "attach", interior.choose_files, ("Ctrl+O",)),
        Command(_("Paste a table"), "table", interior.paste),
        Command(_("Find in this conversation"), "search", interior.find_words, ("Ctrl+F",)),
        Command(_("Search every conversation"), "search", interior.search_all, ("Ctrl+Shift+F",)),
        Command(_("Stop the answer"), "stop", interior.stop),
        Command(_("Settings"), "gear", interior.open_settings, ("Ctrl+,",)),
        Command(_("Light or dark"), "moon", interior.toggle_theme),
        Command(
            _("Hide or show the agents"), "sidebar-left", interior.frame.toggle_sidebar, ("F9",)
        ),
        Command(_("Hide or show the data"), "sidebar-right", interior.frame.toggle_panel, ("F10",)),
        Command(_("Full screen"), "full-screen", interior.toggle_full_screen, ("F11",)),
        Command(_("Larger text"), "zoom-in", partial(interior.zoom, 1), ("Ctrl++", "Ctrl+=")),
        Command(_("Smaller text"), "zoom-out", partial(interior.zoom, -1), ("Ctrl+-",)),
        Command(_("Text of the usual size"), "text", partial(interior.zoom, 0), ("Ctrl+0",)),
        Command("", "", interior.open_palette, ("Ctrl+K",), is_listed=False),
    ]


class Controller:
    """Owner of the window's contents until closed; `furnish` loads the page and stored data."""

    def __init__(
        self,
        window: QMainWindow,
        desk: AppServices,
        look: Appearance,
        *,
        place: WindowPlace,
        tasks: Tasks,
    ) -> None:
        self._window = window
        self._desk = desk
        self._look = look
        self._place = place
        self._tasks = tasks
        self._settings = desk.chosen.settings
        self._has_key = False
        self._answering: set[str] = set()
        self._intake: FileIntake | None = None
        self._post: OutboxPost | None = None
        self.file_dialog: QFileDialog | None = None
        self.dashboards: DashboardWindows | None = None
        self._preferences = Preferences(
            desk.chosen,
            test_connection=desk.test_connection,
            save_key=desk.save_key,
            has_key=desk.has_key,
            tasks=tasks,
            on_key_saved=lambda: tasks.start(self._look_for_key()),
            parent=window,
        )
        look.speak(self._settings.language)
        self._build()
        look.changed.connect(self._on_appearance_changed)
        desk.chosen.listen(self._on_settings_replaced)
        self._clock = Clock()
        self._clock.ticked.connect(self._on_minute_gone)

    def show_status(self, event: StatusChanged) -> None:
        """Update the status pill from an answer's connection status."""
        pill = self.frame.top_bar.pill
        pill.show_connection(after(event, pill.connection, self._settings))
        if event.kind == "online":
            self.wake_outbox()

    def show_engine(self, engine: str) -> None:
        """Update the status pill with the engine that answered."""
        self.frame.top_bar.pill.show_connection(answered_by(engine, self._settings))

    def wake_outbox(self) -> None:
        """Retry the queued questions: Claude may be reachable or selected again."""
        if self._post is not None:
            self._post.wake()

    def leave_outbox(self) -> None:
        """Unsubscribe from the outbox before the window is closed or rebuilt."""
        if self._post is not None:
            self._post.close()
            self._post = None

    def look_at_outbox(self) -> None:
        """Reload the outbox: another process may have queued a question."""
        if self._post is not None:
            self._post.look()

    def take_files(self, paths: list[Path]) -> None:
        """Import files into the conversation, as if they had been dropped."""
        if self._intake is not None:
            self._intake.take(paths)

    def open_settings(self, section: Section = "general") -> SettingsDialog:
        """Open the settings dialog, or bring it to the front."""
        return self._preferences.open(section)

    def open_dashboards(self) -> None:
        """Open the list of dashboards."""
        self._dashboards().open_list()

    def open_palette(self) -> CommandPalette:
        """Open the command palette with all commands, agents and conversations."""
        agents = [
            Choice(
                agent.name,
                "chat",
                partial(self.frame.begin, agent.id),
                group=_("New conversation with"),
            )
            for agent in self._desk.agents.values()
        ]
        palette = CommandPalette(
            [*choices(self._commands), *agents],
            self.frame.found_conversations,
            tasks=self._tasks,
            parent=self._window,
        )
        palette.open()
        return palette

    def zoom(self, steps: int) -> None:
        """Zoom the text by a number of steps; 0 resets the zoom."""
        if steps:
            self._look.zoom_by(steps)
        else:
            self._look.zoom_to(1.0)

    def toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""
        theme: ThemeChoice = "light" if self._look.palette.is_dark else "dark"
        self._desk.chosen.replace(replace(self._settings, theme=theme))

    def toggle_full_screen(self) -> None:
        """Enter or leave full-screen mode."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def search_all(self) -> None:
        """Focus the search over all conversations."""
        if not self.frame.has_sidebar:
            self.frame.toggle_sidebar()
        self.frame.sidebar.focus_search()

    def find_words(self) -> None:
        """Open the search within the current conversation."""
        if self.frame.centre.is_furnished:
            self.frame.centre.page.find_words()

    def stop(self) -> None:
        """Cancel the answer in progress."""
        if self.frame.centre.is_furnished:
            self.frame.centre.page.stop()

    def take_key(self, event: QKeyEvent) -> bool:
        """Handle a key press no widget accepted; return whether it was used."""
        if event.key() != Qt.Key.Key_Escape:
            return False
        self.stop()
        return True

    def choose_files(self) -> None:
        """Open the file dialog and import the chosen files."""
        self.file_dialog = choose_files(self._window, self.take_files)

    def paste(self) -> None:
        """Import the files or the table on the clipboard."""
        mime = QGuiApplication.clipboard().mimeData()
        if self._intake is not None and not self._intake.take_pasted(mime):
            self.frame.banner.tell(
                _("There is no table in the clipboard. Copy some rows in Excel, then paste again.")
            )

    async def furnish(self) -> None:
        """Load the heavy modules and the stored data."""
        page = await self.frame.centre.furnish()
        self._post = OutboxPost(
            self._desk,
            self._desk.outbox(),
            page=page,
            conversation=lambda: self.frame.centre.conversation,
            sidebar=self.frame.sidebar,
            banner=self.frame.banner,
            tasks=self._tasks,
            parent=self.frame,
        )
        self.frame.centre.opened.connect(self._post.mark_opened)
        self._post.counted.connect(self.status.show_waiting)
        self._post.open_wanted.connect(self.frame.open)
        await self._post.begin()
        page.set_roomy(is_roomy=self._settings.is_operator_mode)
        page.running_changed.connect(self._on_running_changed)
        page.status_changed.connect(self.show_status)
        page.usage_changed.connect(lambda: self._tasks.start(self._show_spent()))
        page.saved.connect(lambda: self.status.show_saved(datetime.now().astimezone()))
        page.files_dropped.connect(self.take_files)
        page.attach_requested.connect(self.choose_files)
        page.dashboard_opened.connect(lambda id_: self._dashboards().open(id_))
        page.dashboard_wanted.connect(
            lambda contents, conversation: self._dashboards().keep(contents, conversation)
        )
        page.pin_requested.connect(
            lambda widget, conversation: self._dashboards().offer_pin(widget, conversation)
        )
        page.settings_requested.connect(lambda: self.open_settings("engine"))
        self._intake = FileIntake(
            datasets=self._desk.store.datasets,
            workspace=self._desk.workspace,
            shelf=self._desk.shelf,
            tasks=self._tasks,
            home=home(),
            add_chip=page.add_chip,
            conversation=self.frame.centre.ensure,
            on_pinned=self.frame.arrived,
        )
        page.table_pasted.connect(self._intake.take_table)
        await self._open_first()
        await self.frame.sidebar.refresh()
        self.status.show_answers(0)
        page.setFocus()
        await self._look_for_key()
        await self._show_spent()
        self._desk.workspace().warm(imports=True)
        warm()  # preloads the imports of the first chart

    def place(self) -> WindowPlace:
        """Return the window's current geometry and layout, to be stored."""
        usual = self._window.normalGeometry()
        sidebar_px, panel_px = self.frame.widths()
        conversation = self.frame.centre.conversation
        return WindowPlace(
            x=usual.x(),
            y=usual.y(),
            width=usual.width(),
            height=usual.height(),
            is_maximized=self._window.isMaximized(),
            sidebar_px=sidebar_px,
            panel_px=panel_px,
            has_sidebar=self.frame.has_sidebar,
            has_panel=self.frame.has_panel,
            zoom=self._look.zoom,
            agent=self.frame.centre.agent.id,
            conversation=conversation.id if conversation else "",
        )

    def tell(self, error: QHubError) -> None:
        """Show an error with the action that resolves it."""
        remedy = None
        if isinstance(error, UserError | ServiceError) and error.fault in ("key", "model"):
            remedy = Remedy(_("Settings…"), lambda: self.open_settings("engine"))
        self.frame.banner.tell(str(error), remedy)

    def close(self) -> None:
        """Stop the clock and unsubscribe from appearance changes."""
        self._close_dashboards()
        self._clock.close()
        self.leave_outbox()
        self._look.changed.disconnect(self._on_appearance_changed)

    def _dashboards(self) -> DashboardWindows:
        """Return the dashboard windows, imported and created on first use."""
        if self.dashboards is None:
            from qhub_desktop.ui.dashboards.windows import DashboardWindows

            self.dashboards = DashboardWindows(
                self._desk.dashboards(self._tasks),
                banner=lambda: self.frame.banner,
                parent=self._window,
            )
        return self.dashboards

    def _close_dashboards(self) -> None:
        if self.dashboards is not None:
            self.dashboards.close()
            self.dashboards = None

    def _build(self) -> None:
        """Build the visible widgets; called again after a change of language."""
        self._post = None
        self.frame = WindowLayout(self._desk, self._tasks, station=self._settings.station)
        self.frame.stand(self._place, scale=self._look.scale)
        self._make_room()
        self.frame.top_bar.pill.hide()  # hidden until the answering engine is known
        self.status = StatusLine()
        self._window.setCentralWidget(self.frame)
        self._window.setStatusBar(self.status)
        self.overlay = DropOverlay(self._window)
        for action in self._window.actions():
            self._window.removeAction(action)
        self._commands = commands_of(self)
        bind(self._commands, self._window)
        self._connect()

    def _make_room(self) -> None:
        is_roomy = self._settings.is_operator_mode
        self.frame.sidebar.set_roomy(is_roomy=is_roomy, target_px=self._look.target_px)
        if self.frame.centre.is_furnished:
            self.frame.centre.page.set_roomy(is_roomy=is_roomy)

    def _connect(self) -> None:
        bar = self.frame.top_bar
        bar.sidebar_toggled.connect(self.frame.toggle_sidebar)
        bar.panel_toggled.connect(self.frame.toggle_panel)
        bar.theme_toggled.connect(self.toggle_theme)
        bar.settings_opened.connect(self.open_settings)
        bar.pill.settings_wanted.connect(lambda: self.open_settings("engine"))
        bar.pill.retry_wanted.connect(lambda: self._tasks.start(self._try_connection()))
        self.frame.sidebar.dashboards_wanted.connect(self.open_dashboards)
        self.frame.panel.files_wanted.connect(self.choose_files)
        self.frame.datasets_shown.connect(self.status.show_datasets)
        waiting = self.status.waiting
        waiting.clicked.connect(lambda: self._post and self._post.open_list(waiting))
        self.overlay.dropped.connect(self.take_files)

    async def _open_first(self) -> None:
        """Open the last open conversation, or a new one if it was deleted."""
        centre = self.frame.centre
        conversation = centre.conversation.id if centre.conversation else self._place.conversation
        if conversation:
            with contextlib.suppress(UserError):
                await centre.open(conversation)
                return
        centre.begin(self._place.agent or None)

    async def _rebuild(self) -> None:
        """Rebuild all widgets in the newly chosen language."""
        centre = self.frame.centre
        self._place = self.place()
        section = self._preferences.section
        self.leave_outbox()
        await self._tasks.stop_all()
        self._preferences.close()
        self._close_dashboards()
        self._look.speak(self._settings.language)
        self.overlay.deleteLater()
        centre.setEnabled(False)
        self._build()
        await self.furnish()
        if section is not None:
            self.open_settings(section)

    def _on_running_changed(self, conversation: str, is_running: bool) -> None:  # noqa: FBT001  a signal's
        if is_running:
            self._answering.add(conversation)
        else:
            self._answering.discard(conversation)
            self._tasks.start(self._after_answer())
            if not self._window.isActiveWindow():
                QApplication.alert(self._window)
        self.status.show_answers(len(self._answering))

    async def _after_answer(self) -> None:
        if isinstance(self.frame.top_bar.pill.connection, Retrying):
            self._show_expected()
        await self.frame.centre.refresh()
        await self.frame.sidebar.refresh()
        await self.frame.show_datasets()  # the answer may have stored a defect report

    async def _show_spent(self) -> None:
        self.status.show_spent(await self._desk.store.messages.spent_today())

    async def _look_for_key(self) -> None:
        self._has_key = await self._desk.has_key()
        self.wake_outbox()
        self._show_expected()

    def _show_expected(self) -> None:
        pill = self.frame.top_bar.pill
        pill.show_connection(expected(self._settings, has_key=self._has_key))
        pill.show()

    async def _try_connection(self) -> None:
        await self._desk.test_connection("", self._settings)
        self.show_engine(self._settings.model)

    def _on_minute_gone(self) -> None:
        self.frame.top_bar.show_time(datetime.now().astimezone())
        self.look_at_outbox()

    def _on_settings_replaced(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        self._tasks.start(self._desk.store.settings.save(written_settings(settings)))
        self._look.choose(settings)
        if settings.language != before.language:
            self._tasks.start(self._rebuild())
            return
        self.frame.top_bar.show_station(settings.station, datetime.now().astimezone())
        self._make_room()
        if before.engine != settings.engine or before.endpoint != settings.endpoint:
            self._tasks.start(self._look_for_key())

    def _on_appearance_changed(self) -> None:
        self.frame.set_scale(self._look.scale)
