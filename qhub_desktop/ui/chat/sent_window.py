"""Window of what was sent for an answer: each request as it went out, to be read and copied."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QWidget
from shiboken6 import isValid

from qhub_desktop.chat.agents import described_in
from qhub_desktop.chat.claude.messages_api import rows_in
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.core.untrusted import visible
from qhub_desktop.store.sent import SentRequest
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_caption
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
        self, message: MessageId, *, sent: SentRepository, tasks: Tasks, owner: QWidget | None
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
        self.sentence = make_label(is_wrapped=True, is_selectable=True)
        self.json_button = TextButton(_("Show the JSON"), kind="link")
        self.json_button.setCheckable(True)
        self.json_button.setAutoDefault(False)
        self.json_button.toggled.connect(self._show_json)
        self.text = QPlainTextEdit()
        self.text.hide()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(_("Request as JSON"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy_button = TextButton(_("Copy"))
        self.copy_button.setAutoDefault(False)
        self.copy_button.setEnabled(False)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._whole))
        add_to(self.column, self.note, self.list, self.sentence, self.address, (self.text, 1))
        foot = row_of(self.json_button, STRETCH, self.copy_button)
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
        for each in (self.list, self.json_button, self.copy_button):
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
        self.sentence.setText(await asyncio.to_thread(_sentence, request, body))
        self.address.setText(f"{moment(request.created)} · {request.address}")
        shown = whole
        if len(whole) > SHOWN_CHARACTERS:
            more = _("This is the beginning; copying takes the whole.")
            shown = f"{whole[:SHOWN_CHARACTERS]}\n… {more}"
        self.text.setPlainText(visible(shown))
        self.copy_button.setEnabled(True)

    def _show_json(self, is_shown: bool) -> None:  # noqa: FBT001  Qt's signal
        self.text.setVisible(is_shown)
        set_caption(self.json_button, _("Hide the JSON") if is_shown else _("Show the JSON"))


def _sentence(request: SentRequest, body: JsonObject) -> str:
    """Say how much of the data sets stood in a request, and how long it was."""
    columns = rows = 0
    for text in _texts(body):
        more_columns, more_rows = described_in(text)
        columns, rows = columns + more_columns, rows + more_rows + rows_in(text)
    size = request.amount
    if request.usage is not None:
        read = request.usage.read_tokens
        size = ngettext("{count} token", "{count} tokens", read).format(count=number(read))
    return _("{columns}, {rows}; {size}").format(
        columns=ngettext("{count} column", "{count} columns", columns).format(
            count=number(columns)
        ),
        rows=ngettext("{count} row", "{count} rows", rows).format(count=number(rows)),
        size=size,
    )


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for each in value.values():
                yield from _texts(each)
        case _:
            pass
