"""Work on a study that was shown: its points' rows, other versions of it, and notes on points."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Block, Message, Text, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import (
    EXCLUDED,
    FROZEN,
    HEADS,
    PointNote,
    Study,
    label_of,
    subject_of,
)
from qhub_desktop.core.text import day_words
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import Tool, ToolContext
from qhub_desktop.store.messages import MessageRepository
from qhub_desktop.store.point_notes import PointNoteRepository
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.studies.customer_page import ReportOrigin

if TYPE_CHECKING:
    from qhub_desktop.store.settings import SettingRepository
    from qhub_desktop.tools.studies.report import StudyReports

SHOWN_ROWS = 500


class PointRows(Protocol):
    """Source of the rows that a point was made of."""

    async def rows_behind(self, context: ToolContext, study: Study, point: int, /) -> str:
        """Return the SELECT of the rows behind a point. Raises ToolError."""
        ...


class StudyService:
    """Work of a person on a study; whoever signs in is named on what they change."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        datasets: ConversationDatasets,
        messages: MessageRepository,
        notes: PointNoteRepository,
        *,
        user: str,
        points: PointRows | None = None,
        reports: StudyReports | None = None,
        kept: SettingRepository | None = None,
    ) -> None:
        self._tools = tools
        self._points = points
        self._reports = reports
        self._kept = kept
        self._datasets = datasets
        self._messages = messages
        self._notes = notes
        self._user = user

    @property
    def can_show_rows(self) -> bool:
        """Whether the rows behind points can be found."""
        return self._points is not None

    async def rows(self, conversation: ConversationId, study: Study, point: int) -> TableView:
        """Return the rows behind a point. Raises UserError or ToolError if they are gone."""
        assert self._points is not None
        context = await self._context(conversation)
        sql = await self._points.rows_behind(context, study, point)
        found = await self._datasets.query(context, sql, limit=SHOWN_ROWS)
        title = _("Rows of point {label}").format(label=day_words(label_of(study, point)))
        return TableView(title, found.table, found.row_count, found.source)

    async def exclude(
        self, conversation: ConversationId, study: Study, point: int, reason: str
    ) -> tuple[Message, Message]:
        """Leave a point out, for a reason, and compute the study again.

        Question and answer are stored before they are returned. Raises UserError without a reason,
        or if the study cannot be computed without the point; nothing is stored then.
        """
        words = " ".join(reason.split())
        if not words:
            raise UserError(_("A point is left out for a reason. Write it in a few words."))
        label = label_of(study, point)
        given = dict(study.arguments or {})
        before = given.get(EXCLUDED)
        former = [*before] if isinstance(before, list) else []
        given[EXCLUDED] = [*former, {"ponto": label, "motivo": words}]
        asked = _("Leave point {label} out: {reason}").format(label=label, reason=words)
        return await self._again(conversation, study.method, given, asked)

    async def freeze(self, conversation: ConversationId, study: Study) -> tuple[Message, Message]:
        """Keep the limits as they are now, for later data, and compute the study again.

        Stored as `exclude` stores. Raises UserError if the study has no points.
        """
        if study.points is None or not study.points.rows:
            raise UserError(_("This study has no limits to freeze."))
        given = dict(study.arguments or {})
        given[FROZEN] = len(study.points.rows)
        asked = _("Freeze the limits of this chart")
        return await self._again(conversation, study.method, given, asked)

    def has_form(self, study: Study) -> bool:
        """Whether a form can make the study anew."""
        tool = self._tools.get(study.method)
        return tool is not None and bool(tool.declared.name)

    def said(self, study: Study) -> tuple[tuple[str, str, str], ...]:
        """Return what a study was given: each field, its label, and the value in words."""
        tool = self._tools.get(study.method)
        return () if tool is None else said_input(tool, study.arguments or {})

    async def put(
        self, conversation: ConversationId, method: str, given: JsonObject
    ) -> tuple[Message, Message]:
        """Compute a study of the form, and keep it as question and answer, as `exclude` does."""
        tool = self._tools[method]
        said = [
            _("{name}: {value}").format(name=label, value=value)
            for _field, label, value in said_input(tool, given)
        ]
        asked = " · ".join([_(tool.declared.name), *said])
        return await self._again(conversation, method, given, asked)

    async def notes(self, study: Study) -> list[PointNote]:
        """Return every note on this chart, in whichever version of it, the oldest first."""
        return await self._notes.of(subject_of(study))

    async def note(self, study: Study, point: int, *, cause: str, action: str) -> PointNote:
        """Keep cause and action on a point. Raises UserError if both are empty."""
        now = datetime.now().astimezone()
        note = PointNote(label_of(study, point), cause, action, self._user, now)
        return await self._notes.add(subject_of(study), note)

    async def head(self, study: Study) -> dict[str, str]:
        """Return what stands in the head of a study's page: as last written for its column."""
        kept = None if self._kept is None else await self._kept.state(_head_key(study))
        known = kept if isinstance(kept, dict) else {}
        usual = {"characteristic": str((study.arguments or {}).get("coluna") or "")}
        return {name: str(known.get(name) or usual.get(name, "")) for name in HEADS}

    async def report(
        self,
        conversation: ConversationId,
        study: Study,
        target: Path,
        head: Mapping[str, str] | None = None,
    ) -> tuple[Path, Path]:
        """Write the report of a study, with every note on its points; return its two files.

        With a head, which is remembered, it is the customer's, on one page. Raises UserError if a
        file cannot be written.
        """
        assert self._reports is not None
        source = None if study.source is None else study.source.dataset
        profiles = await self._datasets.profiles(conversation)
        sha256 = next((each.sha256 for each in profiles if each.dataset == source), "")
        notes = tuple(await self._notes.of(subject_of(study)))
        now = datetime.now().astimezone()
        if head is not None and self._kept is not None:
            await self._kept.save_state(_head_key(study), dict(head))
        known = head if head is not None else await self.head(study)
        origin = ReportOrigin(self._user, now, sha256, notes, known)
        return await self._reports.write(study, target, origin, is_one_page=head is not None)

    async def _context(self, conversation: ConversationId) -> ToolContext:
        return ToolContext(conversation, await self._datasets.profiles(conversation))

    async def _again(
        self, conversation: ConversationId, method: str, given: JsonObject, asked: str
    ) -> tuple[Message, Message]:
        context = await self._context(conversation)
        begun = time.perf_counter()
        tool = self._tools.get(method)
        output = await tool.prepare(given)(context) if tool is not None else None
        made = output.widget if output is not None else None
        if output is None or not isinstance(made, Study):
            raise UserError(
                _("{method} cannot be computed again here. Ask for the study anew.").format(
                    method=method
                )
            )
        ms = round(1000 * (time.perf_counter() - begun))
        call = ToolCall(f"card_{uuid4().hex}", method, given)
        result = ToolResult(call.id, output.content, made, output.source or made.source, ms=ms)
        blocks: Sequence[Block] = (call, result, Text(made.verdict))
        question = await self._messages.add(conversation, "user", (Text(asked),))
        answer = await self._messages.add(conversation, "assistant", blocks)
        await self._messages.end(answer.id, "complete", engine="")
        return question, replace(answer, end="complete")


def _head_key(study: Study) -> str:
    """Return what the head of a page is kept under: the kind of study, and the characteristic."""
    column = str((study.arguments or {}).get("coluna") or "")
    return f"report/{study.method}/{column.casefold()}"


def said_input(tool: Tool, given: JsonObject) -> tuple[tuple[str, str, str], ...]:
    """Return what the input of a tool says: each field, its label, and the value in words."""
    fields = tool.input_fields()
    values = ((each, each.of(given)) for each in fields.values() if each.takes != "hidden")
    return tuple(
        (each.name, each.label, each.said(value))
        for each, value in values
        if value is not None and value != each.usual
    )
