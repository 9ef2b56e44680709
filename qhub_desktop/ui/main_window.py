"""The window: carries word between its parts, follows the settings, and remembers its place."""

import asyncio
import contextlib
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.paths import home
from qhub_desktop.core.settings import Section, Settings, ThemeChoice, written_settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.values import Conversation
from qhub_desktop.ui.accepted import suffixes
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.banner import Remedy
from qhub_desktop.ui.clock import Clock
from qhub_desktop.ui.command_palette import Choice, CommandPalette
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.drop_overlay import DropOverlay
from qhub_desktop.ui.files import FileIntake
from qhub_desktop.ui.frame import Frame
from qhub_desktop.ui.key_field import KeyField
from qhub_desktop.ui.settings_dialog import SettingsDialog
from qhub_desktop.ui.shortcuts import Command, bind, choices
from qhub_desktop.ui.status_line import StatusLine
from qhub_desktop.ui.status_pill import Retrying, after, answered_by, expected
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.window_place import WindowPlace, fitted, read_place, written_place

STATE = "window"  # under which its place is kept
SMALLEST_PX = (880, 560)
FIRST_PAINT_S = 1.0
FOUND_CONVERSATIONS = 20  # in the palette
MOST_PROFILES = 3  # shown on the page for one file of many sheets


class MainWindow(QMainWindow):
    """Shows itself empty at once; `open` brings what is heavy after the first paint.

    Signals:
        painted: the window has been seen.
        closed: nothing of the window is under way any more.
    """

    painted = Signal()
    closed = Signal()

    def __init__(self, desk: Desk, appearance: Appearance) -> None:
        super().__init__()
        self._desk = desk
        self._look = appearance
        self._settings = desk.chosen.settings
        self._place = read_place(desk.store.state_now(STATE))
        self._has_key = False
        self._is_painted = False
        self._answering: set[str] = set()
        self._leaving: asyncio.Task[None] | None = None
        self._dialog: SettingsDialog | None = None
        self._intake: FileIntake | None = None
        self.tasks = Tasks(self._on_error)
        self.setWindowTitle("QHub Desktop")
        self.setMinimumSize(*SMALLEST_PX)
        self.setAcceptDrops(True)
        appearance.speak(self._settings.language)
        appearance.zoom_to(self._place.zoom)
        self._build()
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self.setGeometry(fitted(self._place, screens))
        self.frame.stand(self._place, width_px=self.width())
        appearance.changed.connect(self._on_appearance_changed)
        desk.chosen.listen(self._on_settings_replaced)
        self._clock = Clock()
        self._clock.ticked.connect(
            lambda: self.frame.top_bar.show_time(datetime.now().astimezone())
        )

    async def open(self) -> None:
        """Show the window, then load what it works with."""
        if self._place.is_maximized:
            self.showMaximized()
        else:
            self.show()
        await self._until_painted()
        await self._furnish()

    async def until_closed(self) -> None:
        """Wait until the window has gone, and all that it began has ended."""
        gone = asyncio.Event()
        self.closed.connect(gone.set)
        await gone.wait()

    def show_status(self, event: StatusChanged) -> None:
        """Let the pill say what an answer tells of the connection."""
        pill = self.frame.top_bar.pill
        pill.show_connection(after(event, pill.connection, self._settings))

    def show_engine(self, engine: str) -> None:
        """Let the pill name who answers."""
        self.frame.top_bar.pill.show_connection(answered_by(engine, self._settings))

    def take_files(self, paths: list[Path]) -> None:
        """Bring files into the conversation, as if they had been dropped."""
        if self._intake is not None:
            self._intake.take(paths)

    def open_settings(self, section: Section = "general") -> SettingsDialog:
        """Open the settings, or bring them to the front."""
        if self._dialog is not None:
            self._dialog.show_section(section)
            self._dialog.raise_()
            return self._dialog
        dialog = SettingsDialog(
            self._settings,
            key_field=lambda settings: KeyField(
                settings=settings,
                test_connection=self._desk.test_connection,
                save_key=self._desk.save_key,
                has_key=self._desk.has_key,
                on_saved=lambda: self.tasks.start(self._look_for_key()),
                tasks=self.tasks,
                palette=self._look.palette,
            ),
            section=section,
            palette=self._look.palette,
            parent=self,
        )
        dialog.changed.connect(self._desk.chosen.replace)
        dialog.finished.connect(self._on_settings_closed)
        self._dialog = dialog
        dialog.show()
        return dialog

    def open_palette(self) -> CommandPalette:
        """Offer everything that can be done or opened."""
        agents = [
            Choice(
                agent.name,
                "chat",
                partial(self._begin, agent.id),
                group=_("New conversation with"),
            )
            for agent in self._desk.agents.values()
        ]
        palette = CommandPalette(
            [*choices(self._commands), *agents],
            self._found_conversations,
            tasks=self.tasks,
            palette=self._look.palette,
            parent=self,
        )
        palette.open()
        return palette

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.frame.centre.is_furnished:
            self.frame.centre.page.stop()
        else:
            super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Go at once from the screen; `closed` comes when all that was begun has ended."""
        if self._leaving is None:
            self._place = self._place_now()
            self._leaving = asyncio.get_running_loop().create_task(self._leave())
        event.accept()

    def _build(self) -> None:
        """Everything that can be seen at once; called again for another language."""
        palette = self._look.palette
        self.frame = Frame(self._desk, self.tasks, palette, station=self._settings.station)
        self.frame.sidebar.set_target(self._look.target_px)
        self.frame.top_bar.pill.hide()  # until it is known who will answer
        self.status = StatusLine()
        self.setCentralWidget(self.frame)
        self.setStatusBar(self.status)
        self.overlay = DropOverlay(palette, self)
        for action in self.actions():
            self.removeAction(action)
        self._commands = self._make_commands()
        bind(self._commands, self)
        self._connect()

    def _connect(self) -> None:
        bar, sidebar, centre = self.frame.top_bar, self.frame.sidebar, self.frame.centre
        bar.sidebar_toggled.connect(self._toggle_sidebar)
        bar.panel_toggled.connect(self._toggle_panel)
        bar.theme_toggled.connect(self._toggle_theme)
        bar.settings_opened.connect(self.open_settings)
        bar.pill.settings_wanted.connect(lambda: self.open_settings("engine"))
        bar.pill.retry_wanted.connect(lambda: self.tasks.start(self._try_connection()))
        sidebar.agent_chosen.connect(self._begin)
        sidebar.new_wanted.connect(self._begin)
        sidebar.conversation_chosen.connect(self._open_conversation)
        sidebar.conversation_gone.connect(self._on_conversation_gone)
        sidebar.conversation_renamed.connect(lambda *_named: self.tasks.start(centre.refresh()))
        centre.opened.connect(self._on_opened)
        centre.begun.connect(lambda: self.tasks.start(sidebar.refresh()))
        centre.header.menu_wanted.connect(self._on_menu_wanted)
        self.frame.panel.files_wanted.connect(self._choose_files)
        self.overlay.dropped.connect(self.take_files)

    async def _furnish(self) -> None:
        """Load what is heavy, and read what is on the disk."""
        page = await self.frame.centre.furnish()
        page.set_roomy(is_roomy=self._settings.is_operator_mode)
        page.running_changed.connect(self._on_running_changed)
        page.status_changed.connect(self.show_status)
        page.usage_changed.connect(lambda: self.tasks.start(self._show_spent()))
        page.saved.connect(lambda: self.status.show_saved(datetime.now().astimezone()))
        page.files_dropped.connect(self.take_files)
        page.attach_requested.connect(self._choose_files)
        page.settings_requested.connect(lambda: self.open_settings("engine"))
        self._intake = FileIntake(
            store=self._desk.store,
            workspace=self._desk.workspace,
            tasks=self.tasks,
            home=home(),
            add_chip=page.add_chip,
            conversation=self.frame.centre.ensure,
            on_pinned=self._on_pinned,
        )
        page.table_pasted.connect(self._intake.take_table)
        await self._open_first()
        await self.frame.sidebar.refresh()
        self.status.show_answers(0)
        page.setFocus()
        await self._look_for_key()
        await self._show_spent()
        self._desk.workspace().warm()

    async def _open_first(self) -> None:
        """What was open last; a new conversation where that is gone."""
        centre = self.frame.centre
        conversation = centre.conversation.id if centre.conversation else self._place.conversation
        if conversation:
            with contextlib.suppress(UserError):
                await centre.open(conversation)
                return
        centre.begin(self._place.agent or None)

    async def _rebuild(self) -> None:
        """Say everything in another language."""
        centre = self.frame.centre
        self._place = self._place_now()
        section = self._dialog.section if self._dialog is not None else None
        await self.tasks.stop_all()
        if self._dialog is not None:
            self._dialog.close()
        self._look.speak(self._settings.language)
        self.overlay.deleteLater()
        centre.setEnabled(False)
        self._build()
        self.frame.stand(self._place, width_px=self.width())
        await self._furnish()
        if section is not None:
            self.open_settings(section)

    async def _leave(self) -> None:
        self._clock.close()
        await self.tasks.cancel_all()
        await self._desk.store.save_state(STATE, written_place(self._place))
        self.closed.emit()

    async def _until_painted(self) -> None:
        seen = asyncio.Event()
        self.painted.connect(seen.set)
        if self._is_painted:
            return
        # A window that starts minimised is not painted, and works all the same.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), FIRST_PAINT_S)

    def _begin(self, agent: str | None = None) -> None:
        if self.frame.centre.is_furnished:
            self.frame.centre.begin(agent)
            self.frame.centre.page.setFocus()

    def _open_conversation(self, conversation: str) -> None:
        self.tasks.start(self.frame.centre.open(conversation))

    def _on_opened(self) -> None:
        centre, sidebar = self.frame.centre, self.frame.sidebar
        conversation = centre.conversation.id if centre.conversation else None
        sidebar.select_agent(centre.agent.id)
        sidebar.select(conversation)
        self.tasks.start(self._show_datasets())

    async def _show_datasets(self) -> None:
        conversation = self.frame.centre.conversation
        await self.frame.panel.show_conversation(conversation.id if conversation else None)
        self.status.show_datasets(len(self.frame.panel.profiles))

    async def _on_pinned(
        self, conversation: Conversation, profiles: tuple[DatasetProfile, ...]
    ) -> None:
        centre = self.frame.centre
        if centre.conversation is None or centre.conversation.id != conversation.id:
            return
        await self._show_datasets()
        for profile in profiles[:MOST_PROFILES]:
            centre.page.show_profile(profile)

    def _on_running_changed(self, conversation: str, is_running: bool) -> None:  # noqa: FBT001  a signal's
        if is_running:
            self._answering.add(conversation)
        else:
            self._answering.discard(conversation)
            self.tasks.start(self._after_answer())
            if not self.isActiveWindow():
                QApplication.alert(self)
        self.status.show_answers(len(self._answering))

    async def _after_answer(self) -> None:
        if isinstance(self.frame.top_bar.pill.connection, Retrying):
            self._show_expected()
        await self.frame.centre.refresh()
        await self.frame.sidebar.refresh()
        await self._show_datasets()  # a defect may have been reported

    def _on_conversation_gone(self, conversation: str) -> None:
        opened = self.frame.centre.conversation
        if opened is not None and opened.id == conversation:
            self._begin()

    def _on_menu_wanted(self) -> None:
        centre = self.frame.centre
        if centre.conversation is not None:
            more = centre.header.more
            below = more.mapToGlobal(QPoint(0, more.height()))
            self.frame.sidebar.menu_for(centre.conversation).popup(below)

    async def _found_conversations(self, typed: str) -> list[Choice]:
        found = await self._desk.store.conversations(search=typed, limit=FOUND_CONVERSATIONS)
        return [
            Choice(
                conversation.title or _("New conversation"),
                "chat",
                partial(self._open_conversation, conversation.id),
                group=_("Conversation"),
            )
            for conversation in found
        ]

    async def _show_spent(self) -> None:
        self.status.show_spent(await self._desk.store.spent_today())

    async def _look_for_key(self) -> None:
        self._has_key = await self._desk.has_key()
        self._show_expected()

    def _show_expected(self) -> None:
        pill = self.frame.top_bar.pill
        pill.show_connection(expected(self._settings, has_key=self._has_key))
        pill.show()

    async def _try_connection(self) -> None:
        await self._desk.test_connection("", self._settings)
        self.show_engine(self._settings.model)

    def _choose_files(self) -> None:
        dialog = QFileDialog(self, _("Choose files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        kinds = " ".join(f"*{suffix}" for suffix in suffixes())
        dialog.setNameFilters([f"{_('Tables')} ({kinds})", f"{_('All files')} (*)"])
        dialog.filesSelected.connect(lambda names: self.take_files([Path(name) for name in names]))
        dialog.open()

    def _paste(self) -> None:
        mime = QGuiApplication.clipboard().mimeData()
        if self._intake is not None and not self._intake.take_pasted(mime):
            self.frame.banner.tell(
                _("There is no table in the clipboard. Copy some rows in Excel, then paste again.")
            )

    def _on_settings_replaced(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        self.tasks.start(self._desk.store.save_settings(written_settings(settings)))
        self._look.choose(settings)
        if settings.language != before.language:
            self.tasks.start(self._rebuild())
            return
        self.frame.top_bar.show_station(settings.station, datetime.now().astimezone())
        self.frame.sidebar.set_target(self._look.target_px)
        if self.frame.centre.is_furnished:
            self.frame.centre.page.set_roomy(is_roomy=settings.is_operator_mode)
        if before.engine != settings.engine or before.endpoint != settings.endpoint:
            self.tasks.start(self._look_for_key())

    def _on_settings_closed(self) -> None:
        self._dialog = None

    def _on_appearance_changed(self) -> None:
        palette = self._look.palette
        self.frame.set_palette(palette)
        self.overlay.set_palette(palette)
        if self._dialog is not None:
            self._dialog.set_palette(palette)

    def _on_error(self, error: QHubError) -> None:
        remedy = None
        if isinstance(error, UserError | ServiceError) and error.fault in ("key", "model"):
            remedy = Remedy(_("Settings…"), lambda: self.open_settings("engine"))
        self.frame.banner.tell(str(error), remedy)

    def _toggle_sidebar(self) -> None:
        self._place = self._place_now()
        self.frame.sidebar.setVisible(self.frame.sidebar.isHidden())

    def _toggle_panel(self) -> None:
        self._place = self._place_now()
        self.frame.panel.setVisible(self.frame.panel.isHidden())

    def _toggle_theme(self) -> None:
        theme: ThemeChoice = "light" if self._look.palette.is_dark else "dark"
        self._desk.chosen.replace(replace(self._settings, theme=theme))

    def _toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def _search_all(self) -> None:
        self.frame.sidebar.show()
        self.frame.sidebar.focus_search()

    def _find_words(self) -> None:
        if self.frame.centre.is_furnished:
            self.frame.centre.page.find_words()

    def _stop(self) -> None:
        if self.frame.centre.is_furnished:
            self.frame.centre.page.stop()

    def _make_commands(self) -> list[Command]:
        zoom = self._look.zoom_by
        return [
            Command(_("New conversation"), "plus", self._begin, ("Ctrl+N",)),
            Command(_("Add files"), "attach", self._choose_files, ("Ctrl+O",)),
            Command(_("Paste a table"), "table", self._paste),
            Command(_("Find in this conversation"), "search", self._find_words, ("Ctrl+F",)),
            Command(_("Search every conversation"), "search", self._search_all, ("Ctrl+Shift+F",)),
            Command(_("Stop the answer"), "stop", self._stop),
            Command(_("Settings"), "gear", self.open_settings, ("Ctrl+,",)),
            Command(_("Light or dark"), "moon", self._toggle_theme),
            Command(_("Hide or show the agents"), "sidebar-left", self._toggle_sidebar, ("F9",)),
            Command(_("Hide or show the data"), "sidebar-right", self._toggle_panel, ("F10",)),
            Command(_("Full screen"), "full-screen", self._toggle_full_screen, ("F11",)),
            Command(_("Larger text"), "zoom-in", lambda: zoom(1), ("Ctrl++", "Ctrl+=")),
            Command(_("Smaller text"), "zoom-out", lambda: zoom(-1), ("Ctrl+-",)),
            Command(
                _("Text of the usual size"), "text", lambda: self._look.zoom_to(1.0), ("Ctrl+0",)
            ),
            Command("", "", self.open_palette, ("Ctrl+K",), is_listed=False),
        ]

    def _place_now(self) -> WindowPlace:
        usual = self.normalGeometry() if self.isVisible() else self.geometry()
        sidebar_px, panel_px = self.frame.widths(self._place)
        conversation = self.frame.centre.conversation
        return WindowPlace(
            x=usual.x(),
            y=usual.y(),
            width=usual.width(),
            height=usual.height(),
            is_maximized=self.isMaximized(),
            sidebar_px=sidebar_px,
            panel_px=panel_px,
            has_sidebar=not self.frame.sidebar.isHidden(),
            has_panel=not self.frame.panel.isHidden(),
            zoom=self._look.zoom,
            agent=self.frame.centre.agent.id,
            conversation=conversation.id if conversation else "",
        )
