"""Window of what was sent for an answer: each request as it went out, to be read and copied."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QWidget
from shiboken6 import isValid

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import visible
from qhub_desktop.store.sent import SentRequest
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, make_label, row_of
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.sent import SentRepository

MOST_REQUESTS = 100
MOST_LISTED = 6
SHOWN_CHARACTERS = 300_000  # what a text box still scrolls without a pause; copying takes all


class SentWindow(DetailWindow):
    """The requests of one answer, and the one that is chosen as readable JSON."""

    def __init__(
        self, message: int, *, sent: SentRepository, tasks: Tasks, owner: QWidget | None
    ) -> None:
        super().__init__(
            owner,
            _("What was sent"),
            subtitle=_("Each request as it went out to the service; the key is in none of them."),
            size=QSize(860, 640),
        )
        self._message = message
        self._sent = sent
        self._tasks = tasks
        self._requests: Sequence[SentRequest] = ()
        self._whole = ""
        self.note = make_label(is_wrapped=True)
        self.note.hide()
        self.list = QListWidget()
        self.list.setAccessibleName(_("Requests"))
        self.list.setProperty("kind", "sections")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.address = make_label(role="small", is_wrapped=True)
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(_("Request as JSON"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy_button = TextButton(_("Copy"))
        self.copy_button.setAutoDefault(False)
        self.copy_button.setEnabled(False)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._whole))
        add_to(self.column, self.note, self.list, self.address, (self.text, 1))
        foot = row_of(STRETCH, self.copy_button)
        self.column.addStretch()  # takes room only while there is no text
        self.column.addLayout(foot)
        cancel_with(self, tasks.start(self._load()))

    async def _load(self) -> None:
        found = await self._sent.latest(limit=MOST_REQUESTS, message=self._message)
        self._requests = [*reversed(found)]
        self.note.setText(
            _(
                "Nothing is kept of a request for this answer: it was given on this computer, or"
                " its requests are older than what is kept (Settings, under Network)."
            )
        )
        self.note.setVisible(not found)
        for each in (self.list, self.text, self.copy_button):
            each.setVisible(bool(found))
        for request in self._requests:
            self.list.addItem(f"{request.created:%H:%M:%S} · {request.amount}")
        if found:
            line = self.list.sizeHintForRow(0)
            frame = 2 * (self.list.frameWidth() + GRID_PX)
            self.list.setFixedHeight(min(len(found), MOST_LISTED) * line + frame)
            self.list.setCurrentRow(0)

    def _on_row_changed(self, row: int) -> None:
        if 0 <= row < len(self._requests):
            cancel_with(self, self._tasks.start(self._show(self._requests[row])))

    async def _show(self, request: SentRequest) -> None:
        body = await self._sent.body(request.id)
        whole = await asyncio.to_thread(json.dumps, body, ensure_ascii=False, indent=2)
        if not isValid(self) or self._requests[self.list.currentRow()] is not request:
            return
        self._whole = whole
        self.address.setText(f"{moment(request.created)} · {request.address}")
        shown = whole
        if len(whole) > SHOWN_CHARACTERS:
            more = _("This is the beginning; copying takes the whole.")
            shown = f"{whole[:SHOWN_CHARACTERS]}\n… {more}"
        self.text.setPlainText(visible(shown))
        self.copy_button.setEnabled(True)
