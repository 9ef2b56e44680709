"""Windows beside the main one: dashboards, costs, forms, and what was sent for an answer."""

from __future__ import annotations  # they are imported on first use, not before the first paint

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget
from shiboken6 import isValid

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Citation, Document
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId, unstarted
from qhub_desktop.core.study import AskedStudy, Study
from qhub_desktop.knowledge.passages import corners
from qhub_desktop.ui.controls.notices import Banner
from qhub_desktop.ui.documents.panel import load_viewer
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.core.dashboard import PinnedCard
    from qhub_desktop.ui.chat.sent_window import SentWindow
    from qhub_desktop.ui.dashboards.dashboard_window import KeepCard
    from qhub_desktop.ui.dashboards.windows import DashboardWindows
    from qhub_desktop.ui.documents.viewer import DocumentWindow
    from qhub_desktop.ui.shell.costs_window import CostsWindow
    from qhub_desktop.ui.shell.defect_window import DefectWindow
    from qhub_desktop.ui.shell.layout import ConversationHost
    from qhub_desktop.ui.shell.memory_window import MemoryWindow
    from qhub_desktop.ui.shell.question_window import QuestionWindow
    from qhub_desktop.ui.shell.study_window import StudyWindow


SHEET = "document-sheet"  # the id of its rows, of which there are those of one window


class ChildWindows:
    """Opens the windows beside the main one, which is their parent.

    `banner` returns where they tell something, which a change of language makes anew;
    `open_message` shows a message in its conversation; `on_log_changed` is called when defects were
    recorded; `centre` returns where conversations are shown.
    """

    def __init__(
        self,
        services: AppServices,
        *,
        banner: Callable[[], Banner],
        open_message: Callable[[ConversationId, MessageId], object],
        on_log_changed: Callable[[], object],
        centre: Callable[[], ConversationHost],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        self._services = services
        self._open_message = open_message
        self._on_log_changed = on_log_changed
        self._centre = centre
        self._banner = banner
        self._tasks = tasks
        self._parent = parent
        self._dashboards: DashboardWindows | None = None

    def open_sent(self, message: MessageId) -> SentWindow:
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

    def open_defects(self, given: JsonObject | None = None) -> DefectWindow:
        """Open the form of defects, or bring it to the front, filled in with what was said."""
        from qhub_desktop.ui.shell.defect_window import DefectWindow

        window = next(iter(self._parent.findChildren(DefectWindow)), None)
        if window is None:
            window = DefectWindow(self._services, self._tasks, self._parent)
            window.log_changed.connect(self._on_log_changed)
            window.log_changed.connect(self._note_if_left(window, "defect"))
            window.show()
        window.raise_()
        window.activateWindow()
        window.fill(given or {})
        return window

    def open_question_form(self, plan: JsonObject | None = None) -> QuestionWindow:
        """Open the form of a question, or bring it to the front; with a plan, filled in with it."""
        from qhub_desktop.ui.shell.question_window import QuestionWindow

        page = self._centre().page
        is_own = Qt.FindChildOption.FindDirectChildrenOnly  # others are those of dashboards' cards
        found = self._parent.findChildren(QuestionWindow, options=is_own)
        window = next(iter(found), None)
        if window is None:
            window = QuestionWindow(
                self._services.question_forms,
                conversation=page.reading.conversation,
                is_busy=lambda: page.view is not None and page.view.is_running,
                keep=self._services.store.patterns.keep,
                tasks=self._tasks,
                owner=self._parent,
            )
            window.asked.connect(lambda text, asked: page.ask(text, wanted=asked))
            window.edited.connect(page.composer.write)
            done = self._note_if_left(window, "question")
            window.asked.connect(done)
            window.edited.connect(done)
            window.show()
        window.raise_()
        window.activateWindow()
        if plan:
            window.fill(plan)
        return window

    def _note_if_left(self, window: QDialog, workflow: str) -> Callable[..., None]:
        """Count a window that is closed before what is returned was called: it led to nothing."""
        left = {workflow}

        def note(_result: int) -> None:
            is_counted = self._services.live_settings.settings.signals
            # With the whole program, it is not the form that is left.
            if left and is_counted and self._parent.isVisible():
                count = self._services.store.reviews.signals.count
                self._tasks.start(count(self._centre().agent.id, "left", workflow=workflow))

        window.finished.connect(note)
        return lambda *_said: left.clear()

    def _open_card_form(self, card: PinnedCard, keep: KeepCard, owner: QWidget) -> None:
        """Open the form that a card of a dashboard was made by, filled in with it."""
        from qhub_desktop.ui.shell.question_window import QuestionWindow
        from qhub_desktop.ui.shell.study_window import StudyWindow

        if isinstance(card.widget, Study):
            study_form = StudyWindow(
                self._services,
                self._tasks,
                owner,
                conversation=card.conversation,
                keep_card=lambda study: keep(study, None),
            )
            study_form.show()
            study_form.begin(AskedStudy(card.widget.method, card.widget.arguments))
            return
        form = QuestionWindow(
            self._services.question_forms,
            conversation=lambda: card.conversation,
            is_busy=lambda: False,
            keep=self._services.store.patterns.keep,
            keep_card=keep,
            tasks=self._tasks,
            owner=owner,
        )
        form.show()
        form.fill(card.plan or {})

    def refresh_question_form(self) -> None:
        """Make the form of a question anew, where it is open: the data may be others."""
        from qhub_desktop.ui.shell.question_window import QuestionWindow

        for window in self._parent.findChildren(QuestionWindow):
            window.refresh()

    def open_statistics(self) -> StudyWindow:
        """Open the panel of a study over the data sets of the open conversation."""
        centre = self._centre()
        opened = centre.conversation
        id_ = unstarted(centre.agent.id) if opened is None else opened.id
        return self.open_study(id_, AskedStudy())

    def open_study(self, conversation: ConversationId, asked: AskedStudy) -> StudyWindow:
        """Open the panel of a study over the data sets of a conversation, filled in."""
        from qhub_desktop.ui.shell.study_window import StudyWindow

        window = StudyWindow(
            self._services,
            self._tasks,
            self._parent,
            conversation=conversation,
            keep=partial(self._centre().keep_study, conversation),
        )
        window.show()
        window.begin(asked)
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

    def open_document(self, document: Document) -> None:
        """Show a document from its beginning, in the window of documents."""
        self._tasks.start(self._show_documents(lambda window: window.show_document(document)))

    def open_hits(self, hits: Sequence[Citation], at: int = 0) -> None:
        """Show one of several passages in the window of documents; the others are a key away.

        One of a sheet is shown in a table window, at its cells.
        """
        self._tasks.start(self._show_hits(hits, at))

    async def _show_hits(self, hits: Sequence[Citation], at: int) -> None:
        if not hits[at].place.cells or not await self._show_sheet(hits[at]):
            await self._show_documents(lambda window: window.show_hits(hits, at))

    async def _show_sheet(self, hit: Citation) -> bool:
        """Show the cells of a hit; return whether the kept copy still gives them."""
        await load_viewer()
        from qhub_desktop.ui.documents.viewer import changed_text, tell_revision
        from qhub_desktop.ui.table.window import TableWindow

        documents, workspace = self._services.documents(), self._services.workspace()
        cells = corners(hit.place.cells)
        try:
            document = await documents.document(hit.document)
            if cells is None or document.sha256 != hit.sha256:
                return False
            table = await documents.sheet(document, hit.place.sheet)
        except UserError:  # it is kept no more, or locked: its text says what there is
            return False
        if not table.rows:
            return False
        self._close_sheet()
        sheet = await workspace.register(SHEET, hit.label, table)
        window = TableWindow(sheet, workspace=workspace, tasks=self._tasks, parent=self._parent)
        window.setObjectName(SHEET)
        window.export_button.hide()  # its file is the better export
        window.show()
        await tell_revision(document, documents, window.banner, self.open_document)
        if window.view_task is not None:
            await window.view_task
        window.grid.select_cells(*cells)
        said = changed_text(document, await documents.original(document))
        if said and isValid(window):
            window.banner.show_note(said)
        return True

    def _close_sheet(self) -> None:
        for window in self._parent.findChildren(QWidget, SHEET):
            window.close()

    async def _show_documents(self, show: Callable[[DocumentWindow], object]) -> None:
        await load_viewer()
        from qhub_desktop.ui.documents.viewer import DocumentWindow

        window = next(iter(self._parent.findChildren(DocumentWindow)), None)
        if window is None:
            service = self._services.documents()
            window = DocumentWindow(service, tasks=self._tasks, parent=self._parent)
        show(window)
        await asyncio.sleep(0)  # to make it and to draw it would be too much at once
        window.show()
        window.raise_()
        window.activateWindow()

    def dashboards(self) -> DashboardWindows:
        """Return the windows of the dashboards, made on first use."""
        if self._dashboards is None:
            from qhub_desktop.ui.dashboards.windows import DashboardWindows

            self._dashboards = DashboardWindows(
                self._services.dashboards(self._tasks),
                banner=self._banner,
                open_form=self._open_card_form,
                parent=self._parent,
            )
        return self._dashboards

    def open_dashboards(self) -> None:
        """Open the list of dashboards."""
        self.dashboards().open_list()

    def open_new_dashboard(self) -> None:
        """Open the form of a new dashboard."""
        self.dashboards().open_new()

    def close(self) -> None:
        """Close the windows of the dashboards, whose answers stay as they were."""
        if self._dashboards is not None:
            self._dashboards.close()
            self._dashboards = None
