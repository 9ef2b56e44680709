"""Window controller: connects the parts of the window to settings, engine and commands."""

from __future__ import annotations  # dashboard windows are imported on first use

import contextlib
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from qhub_desktop.core.errors import DamagedStoreError, QHubError, ServiceError, UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.settings import Section, Settings, ThemeChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.chart_body import preload
from qhub_desktop.ui.chat.page_actions import PageActions
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.controls.popup import (
    Command,
    PaletteEntry,
    PopupFrame,
    add_shortcuts,
    open_key_help,
    palette_entries,
)
from qhub_desktop.ui.people.people_service import PeopleService
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.settings.dialog import SettingsDialog, SettingsOpener
from qhub_desktop.ui.shell.child_windows import ChildWindows
from qhub_desktop.ui.shell.command_palette import CommandPalette
from qhub_desktop.ui.shell.file_actions import FileActions
from qhub_desktop.ui.shell.file_intake import DropOverlay
from qhub_desktop.ui.shell.layout import MINUTE_MS, StatusLine, WindowLayout
from qhub_desktop.ui.shell.outbox import OutboxController
from qhub_desktop.ui.shell.top_bar import ConnectionStatus
from qhub_desktop.ui.shell.window_state import WindowState
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.core.events import UsageCounted
    from qhub_desktop.store.recovery import Restored
    from qhub_desktop.ui.people.session import Session


class Controller:
    """Owner of the window's contents until closed; `load` loads the page and stored data."""

    def __init__(
        self,
        window: QMainWindow,
        services: AppServices,
        appearance: Appearance,
        *,
        window_state: WindowState,
        tasks: Tasks,
        session: Session | None = None,
    ) -> None:
        self._window = window
        self._services = services
        self._appearance = appearance
        self._window_state = window_state
        self._tasks = tasks
        self._settings = services.live_settings.settings
        self._answering: set[ConversationId] = set()
        self._outbox: OutboxController | None = None
        self.files = FileActions(services, frame=lambda: self.frame, tasks=tasks, window=window)
        self.windows = ChildWindows(
            services,
            banner=lambda: self.frame.banner,
            open_message=lambda id_, message: self.frame.open(id_, message=message),
            on_log_changed=lambda: tasks.start(self.frame.show_datasets()),
            centre=lambda: self.frame.centre,
            tasks=tasks,
            parent=window,
        )
        self.connection = ConnectionStatus(
            services,
            pill=lambda: self.frame.top_bar.pill,
            on_reachable=self.wake_outbox,
            tasks=tasks,
        )
        self._preferences = SettingsOpener(
            services,
            on_key_saved=self.connection.check_key,
            open_memory=self.windows.open_memory,
            tasks=tasks,
            parent=window,
        )
        self.people = PeopleService(services, session, lambda: self.frame.banner, tasks, window)
        appearance.set_language(self._settings.language)
        self._build()
        appearance.changed.connect(self._on_appearance_changed)
        services.live_settings.listen(self._on_settings_replaced)
        self._clock = QTimer(interval=MINUTE_MS)
        self._clock.timeout.connect(self._on_minute_passed)
        self._clock.start()

    def wake_outbox(self) -> None:
        """Retry the queued questions: Claude may be reachable or selected again."""
        if self._outbox is not None:
            self._outbox.wake()

    def close_outbox(self) -> None:
        """Unsubscribe from the outbox before the window is closed or rebuilt."""
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None

    def reload_outbox(self) -> None:
        """Reload the outbox: another process may have queued a question."""
        if self._outbox is not None:
            self._outbox.reload()

    def open_settings(self, section: Section = "general") -> SettingsDialog:
        """Open the settings dialog, or bring it to the front."""
        return self._preferences.open(section)

    def open_palette(self) -> CommandPalette:
        """Open the command palette with all commands, agents and conversations."""
        agents = [
            PaletteEntry(
                agent.name,
                "chat",
                partial(self.frame.new_conversation, agent.id),
                group=_("New conversation with"),
            )
            for agent in self._services.agents().values()
        ]
        palette = CommandPalette(
            [*palette_entries(self._commands), *agents],
            self.frame.search_conversations,
            tasks=self._tasks,
            parent=self._window,
        )
        palette.open()
        return palette

    def zoom(self, steps: int) -> None:
        """Zoom the text by a number of steps; 0 resets the zoom."""
        if steps:
            self._appearance.zoom_by(steps)
        else:
            self._appearance.zoom_to(1.0)

    def toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""
        theme: ThemeChoice = "light" if self._appearance.palette.is_dark else "dark"
        try:
            self._services.live_settings.check("theme", theme)
            self._services.live_settings.replace(replace(self._settings, theme=theme))
        except UserError as error:
            self.show_error(error)

    def open_keys(self) -> PopupFrame:
        """Show the keys of the window."""
        keys = [(each.shortcut, each.label) for each in self._commands if each.keys]
        typing = [
            ("Esc", _("Stop the answer")),
            ("Tab", _("Take how the word goes on")),
            ("↓ ↑", _("Choose a reading of the question")),
            ("Ctrl+Enter", _("Take the local answer")),
            ("Alt+1…4", _("Take another reading")),
        ]
        return open_key_help(self._window, [*keys, *typing])

    def toggle_full_screen(self) -> None:
        """Enter or leave full-screen mode."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def handle_key(self, event: QKeyEvent) -> bool:
        """Handle a key press no widget accepted; return whether it was used."""
        if event.key() != Qt.Key.Key_Escape:
            return self.frame.centre.take_key(event)
        self.frame.centre.stop()
        return True

    async def load(self) -> None:
        """Load the heavy modules and the stored data."""
        page = await self.frame.centre.load(self._page_actions())
        self._outbox = OutboxController(
            self._services,
            self._services.outbox(),
            page=page,
            conversation=lambda: self.frame.centre.conversation,
            sidebar=self.frame.sidebar,
            banner=self.frame.banner,
            tasks=self._tasks,
            parent=self.frame,
        )
        self.frame.centre.opened.connect(self._outbox.mark_opened)
        self._outbox.counted.connect(self.status.show_queued)
        self._outbox.open_requested.connect(self.frame.open)
        await self._outbox.begin()
        self._apply_settings_to_page()
        page.running_changed.connect(self._on_running_changed)
        page.question_asked.connect(self._on_question_asked)
        page.begun.connect(lambda: self._tasks.start(self.frame.show_titles()))
        page.reading.has_model = lambda: (
            self.connection.has_model and self.frame.centre.agent.privacy != "nothing"
        )
        self.files.begin()
        await self._open_last_conversation()
        await self.frame.sidebar.refresh()
        self.status.show_answers(0)
        page.setFocus()
        await self._show_cost()
        self._tasks.start(self._tell_updates())
        self._tasks.start(self.files.offer_pending())
        self.connection.watch_network()
        self.connection.check_key()  # the key store may take longer than all the rest
        workspace = self._services.workspace()
        workspace.warm(imports=True)
        self._tasks.start(workspace.imports.check_kept())
        self._tasks.start(self.frame.centre.load_readings())
        preload()  # preloads the imports of the first chart

    def _page_actions(self) -> PageActions:
        tasks, centre, outbox = self._tasks, self.frame.centre, self._services.outbox()
        windows, files = self.windows, self.files
        note_export = self._services.store.audit.add_export
        return PageActions(
            show_status=self.connection.show_status,
            show_usage=lambda usage: tasks.start(self._show_cost(usage)),
            show_saved=lambda: self.status.show_saved(datetime.now().astimezone()),
            choose_files=files.choose_files,
            import_files=files.import_files,
            import_table=files.import_table,
            read_again=self.frame.read_again,
            queue=lambda id_, question: tasks.start(outbox.put(id_, question)),
            withdraw=lambda number: tasks.start(outbox.withdraw(number)),
            renew=lambda number: tasks.start(outbox.requeue(number)),
            open_settings=self.open_settings,
            ask_proxy_login=centre.ask_proxy_login,
            show_proxy_refusal=centre.show_proxy_refusal,
            open_sent=windows.open_sent,
            open_note=windows.open_memory,
            open_defects=windows.open_defects,
            open_question_form=windows.open_question_form,
            open_study=windows.open_study,
            open_citations=windows.open_hits,
            open_message=lambda id_, message: self.frame.open(id_, message=message),
            open_dashboard=lambda id_: windows.dashboards().open(id_),
            keep_dashboard=lambda spec, id_: windows.dashboards().save_as_dashboard(spec, id_),
            pin=lambda widget, id_, plan: windows.dashboards().offer_pin(widget, id_, plan),
            monitor=self.frame.monitors.offer,
            save_workbook=centre.save_workbook,
            note_export=lambda file, rows: tasks.start(note_export(file, rows)),
        )

    def window_state(self) -> WindowState:
        """Return the window's current geometry and layout, to be stored."""
        usual = self._window.normalGeometry()
        sidebar_px, panel_px = self.frame.widths
        conversation = self.frame.centre.conversation
        return WindowState(
            x=usual.x(),
            y=usual.y(),
            width=usual.width(),
            height=usual.height(),
            is_maximized=self._window.isMaximized(),
            sidebar_px=sidebar_px,
            panel_px=panel_px,
            has_sidebar=self.frame.has_sidebar,
            has_panel=self.frame.has_panel,
            shows_documents=self.frame.side.shows_documents,
            zoom=self._appearance.zoom,
            agent=self.frame.centre.agent.id,
            conversation=conversation.id if conversation else NO_CONVERSATION,
        )

    def show_error(self, error: QHubError) -> None:
        """Show an error with the action that resolves it."""
        remedy = None
        if isinstance(error, DamagedStoreError):
            self._show_damage()
            return
        if isinstance(error, UserError | ServiceError) and error.fault in ("key", "model"):
            remedy = Remedy(_("Settings…"), lambda: self.open_settings("engine"))
        self.frame.banner.show_error(str(error), remedy)

    def tell_restored(self, restored: Restored | UserError) -> None:
        """Tell what a restore before this window has done, or why it has not."""
        if isinstance(restored, UserError):
            self.show_error(restored)
        else:
            self.frame.banner.show_note(restored.sentence)

    async def keep_safe(self) -> None:
        """Look at the data after a crash; then make a safety copy a day, for as long as awaited."""
        store = self._services.store
        was_interrupted = store.was_interrupted
        if was_interrupted and await store.find_damage():
            self._show_damage()
            return  # there is nothing to copy that is sound
        if was_interrupted and (damaged := await store.find_damaged_conversations()):
            self._show_damaged_messages(damaged)
        await self._services.safety_copies().keep_daily(on_trouble=self.show_error)

    def close(self) -> None:
        """Stop the clock and unsubscribe from appearance changes."""
        self.windows.close()
        self._clock.stop()
        self.close_outbox()
        self._appearance.changed.disconnect(self._on_appearance_changed)

    def _show_damage(self) -> None:
        damaged = _(
            "A part of the data is damaged, perhaps since QHub was ended by force or the disk"
            " failed. Repair them now: the newest safety copy is completed with what can still"
            " be read. The window closes and opens again."
        )
        repair = Remedy(_("Repair now"), lambda: self._services.restore("newest"))
        self.frame.banner.show_error(damaged, repair)

    def _show_damaged_messages(self, conversations: list[ConversationId]) -> None:
        told = ngettext(
            "Messages of {count} conversation are damaged: open it to repair them there.",
            "Messages of {count} conversations are damaged: open them to repair them there.",
            len(conversations),
        )
        open_ = Remedy(_("Open"), lambda: self.frame.open(conversations[0]))
        self.frame.banner.show_error(told.format(count=len(conversations)), open_)

    def _build(self) -> None:
        """Build the visible widgets; called again after a change of language."""
        self.frame = WindowLayout(self._services, self._tasks, station=self._settings.station)
        self.frame.restore(self._window_state, scale=self._appearance.scale)
        self._apply_settings()
        self.people.join(self.frame.top_bar.add_person, self.frame.add_notice)
        self.frame.reviews.prompt_requested.connect(
            lambda agent: self.people.open_agents().select(agent)
        )
        self.frame.top_bar.pill.hide()  # hidden until the answering engine is known
        self.status = StatusLine()
        self._window.setCentralWidget(self.frame)
        self._window.setStatusBar(self.status)
        self.overlay = DropOverlay(self._window, self.frame.documents)
        for action in self._window.actions():  # of the former language
            self._window.removeAction(action)
            action.deleteLater()
        self._commands = self._window_commands()
        add_shortcuts(self._commands, self._window)
        self._connect()

    def _window_commands(self) -> list[Command]:
        """Return all commands in the order in which the palette lists them."""
        frame = self.frame
        return [
            Command(_("New conversation"), "plus", frame.new_conversation, ("Ctrl+N",)),
            Command(_("Report a defect"), "pencil", self.windows.open_defects, ("Ctrl+R",)),
            Command(_("Ask by choices"), "filter", self.windows.open_question_form, ("Ctrl+E",)),
            Command(_("Statistics…"), "chart", self.windows.open_statistics, ("Ctrl+Shift+E",)),
            Command(_("Dashboards"), "chart", self.windows.open_dashboards, ("Ctrl+D",)),
            Command(_("New dashboard"), "plus", self.windows.open_new_dashboard),
            Command(_("Documents"), "document", frame.show_documents, ("Ctrl+Shift+D",)),
            Command(_("Monitors"), "eye", frame.monitors.open),
            *frame.reviews.commands(),
            Command(_("Add files"), "attach", self.files.choose_files, ("Ctrl+O",)),
            Command(_("Paste a table"), "table", self.files.paste),
            Command(_("Import a conversation"), "folder", self.files.choose_conversation),
            Command(_("Find in this conversation"), "search", frame.centre.open_find, ("Ctrl+F",)),
            Command(_("Search every conversation"), "search", frame.search_all, ("Ctrl+Shift+F",)),
            Command(_("Stop the answer"), "stop", frame.centre.stop),
            Command(_("Costs"), "receipt", self.windows.open_costs),
            Command(_("What I know of you"), "person", self.windows.open_memory),
            Command(_("Settings"), "gear", self.open_settings, ("Ctrl+,",)),
            Command(_("Light or dark"), "moon", self.toggle_theme),
            Command(_("Hide or show the agents"), "sidebar-left", frame.toggle_sidebar, ("F9",)),
            Command(_("Hide or show the data"), "sidebar-right", frame.toggle_panel, ("F10",)),
            Command(_("Full screen"), "full-screen", self.toggle_full_screen, ("F11",)),
            Command(_("Larger text"), "zoom-in", partial(self.zoom, 1), ("Ctrl++", "Ctrl+=")),
            Command(_("Smaller text"), "zoom-out", partial(self.zoom, -1), ("Ctrl+-",)),
            Command(_("Text of the usual size"), "text", partial(self.zoom, 0), ("Ctrl+0",)),
            *self.people.commands(),
            Command(_("Keys"), "keyboard", self.open_keys, ("F1",)),
            Command(_("Command"), "", self.open_palette, ("Ctrl+K",), is_listed=False),
        ]

    def _apply_settings(self) -> None:
        is_operator_mode = self._settings.is_operator_mode
        self.frame.set_operator_mode(
            is_operator_mode=is_operator_mode, target_px=self._appearance.target_px
        )
        if self.frame.centre.is_loaded:
            self._apply_settings_to_page()

    def _apply_settings_to_page(self) -> None:
        page = self.frame.centre.page
        page.set_operator_mode(is_operator_mode=self._settings.is_operator_mode)
        page.preview_rows = self._settings.preview_rows

    def _connect(self) -> None:
        bar = self.frame.top_bar
        bar.sidebar_toggled.connect(self.frame.toggle_sidebar)
        bar.panel_toggled.connect(self.frame.toggle_panel)
        bar.theme_toggled.connect(self.toggle_theme)
        bar.settings_opened.connect(self.open_settings)
        bar.pill.settings_requested.connect(lambda: self.open_settings("engine"))
        bar.pill.retry_requested.connect(self.connection.retry)
        self.frame.sidebar.export_requested.connect(self.files.open_export_dialog)
        self.frame.sidebar.report_requested.connect(self.windows.open_defects)
        self.frame.sidebar.dashboards_requested.connect(self.windows.open_dashboards)
        self.frame.panel.files_requested.connect(self.files.choose_files)
        self.frame.datasets_shown.connect(self.status.show_datasets)
        self.frame.datasets_shown.connect(self.windows.refresh_question_form)
        waiting = self.status.queue_button
        waiting.clicked.connect(lambda: self._outbox and self._outbox.open_list(waiting))
        self.overlay.dropped.connect(self.files.import_files)
        self.overlay.documents_dropped.connect(self.frame.documents.add)
        self.frame.documents.opened.connect(self.windows.open_document)
        self.frame.documents.hits_opened.connect(self.windows.open_hits)
        self.frame.documents.settings_requested.connect(lambda: self.open_settings("documents"))

    async def _open_last_conversation(self) -> None:
        """Open the last open conversation, or a new one if it was deleted."""
        centre = self.frame.centre
        conversation = (
            centre.conversation.id if centre.conversation else self._window_state.conversation
        )
        if conversation:
            with contextlib.suppress(UserError):
                await centre.open(conversation)
                return
        centre.new_conversation(self._window_state.agent or None)

    async def _rebuild(self) -> None:
        """Rebuild all widgets in the newly chosen language."""
        centre = self.frame.centre
        self._window_state = self.window_state()
        section = self._preferences.section
        self.close_outbox()
        await self._tasks.stop_all()
        self._preferences.close()
        self.windows.close()
        self._appearance.set_language(self._settings.language)
        self.overlay.deleteLater()
        centre.setEnabled(False)
        self._build()
        await self.load()
        if section is not None:
            self._preferences.open(section)

    def _on_running_changed(self, conversation: ConversationId, is_running: bool) -> None:  # noqa: FBT001  a signal's
        if is_running:
            self._answering.add(conversation)
        else:
            self._answering.discard(conversation)
            self._tasks.start(self._after_answer())
            if not self._window.isActiveWindow():
                QApplication.alert(self._window)
        self.status.show_answers(len(self._answering))

    def _on_question_asked(self, conversation: ConversationId, text: str) -> None:
        """Tell of a question that is not on screen: in the window, and in the task bar."""
        self._tasks.start(self.frame.sidebar.refresh())
        is_active = self._window.isActiveWindow()
        if not is_active:
            QApplication.alert(self._window)
        open_ = self.frame.centre.conversation
        if is_active and open_ is not None and open_.id == conversation:
            return
        self.frame.banner.toast.tell(
            _("An answer asks you: {question}").format(question=text),
            Remedy(_("Open"), lambda: self.frame.open(conversation)),
            stays=True,
        )

    async def _after_answer(self) -> None:
        self.connection.end_retrying()
        await self.frame.show_titles()
        await self.frame.show_datasets()  # the answer may have stored a defect report

    async def _show_cost(self, usage: UsageCounted | None = None) -> None:
        """Show what today's answers cost; with a `usage`, also that its model answers."""
        if usage is not None:
            self.connection.show_answered(usage.model)
        self.status.show_cost(await self._services.store.messages.spent_today())

    async def _tell_updates(self) -> None:
        """Tell what came of an update at this start, and what the folder of updates offers."""
        updates = self._services.updates()
        if updates.trouble is not None:
            self.show_error(updates.trouble)
        elif updates.note:
            self.frame.banner.show_note(updates.note)
        updates.trouble, updates.note = None, ""
        if news := await updates.news():
            settings = Remedy(_("Settings…"), lambda: self.open_settings("updates"))
            self.frame.banner.show_note(news, settings)

    def _on_minute_passed(self) -> None:
        self.frame.top_bar.show_time(datetime.now().astimezone())
        self.reload_outbox()
        if self.frame.centre.is_loaded:
            self._tasks.start(self._tell_updates())
            self._tasks.start(self.frame.centre.count_habits())
            self.frame.reviews.look()
            if not self.frame.centre.page.running_conversations:
                self._tasks.start(self.frame.reviews.judge_on())

    def _on_settings_replaced(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        self._tasks.start(
            self._services.store.settings.save(self._services.live_settings.to_store())
        )
        self._appearance.apply_settings(settings)
        if settings.language != before.language:
            self._tasks.start(self._rebuild())
            return
        self.frame.top_bar.show_station(settings.station, datetime.now().astimezone())
        self._apply_settings()
        if before.engine != settings.engine or before.endpoint != settings.endpoint:
            self.connection.check_key()

    def _on_appearance_changed(self) -> None:
        self.frame.set_scale(self._appearance.scale)
