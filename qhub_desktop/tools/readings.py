"""Readings of what is being typed, with their values: read and computed, and nothing is kept."""

from __future__ import annotations  # the public class comes first

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import ConversationId, unstarted
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.question_form import FormResult, QuestionForm, WrittenQuestion
from qhub_desktop.core.readings import Completion, Readings, ReadingValue
from qhub_desktop.core.result_widgets import Chart, TableView
from qhub_desktop.core.text import Language, language
from qhub_desktop.core.text import gettext as _
from qhub_desktop.nlq.completions import completions_of
from qhub_desktop.nlq.executor import Call
from qhub_desktop.nlq.lexicon import reload_lexicon
from qhub_desktop.nlq.offline_engine import indexes_of
from qhub_desktop.nlq.query_ast import Plan, any_plan_from_json, dataset_of, plan_from_json
from qhub_desktop.nlq.readings import (
    form_of,
    kind_of,
    language_of,
    readings_of,
    sentence_of,
    shown_calls,
    value_calls,
    value_of,
)
from qhub_desktop.nlq.schema_index import LOG

if TYPE_CHECKING:
    from qhub_desktop.chat.turn import Preview, TurnRunner
    from qhub_desktop.core.events import ModelRequest
    from qhub_desktop.store.messages import MessageRepository

_KEPT_VALUES = 256
# What a query may still take that nobody waits for any more. Ending it costs its process, which
# takes half a second to start, and the next question waits for it.
_GRACE_S = 0.5
_ASKED_S = 60  # that plans asked before are taken as they were


class ReadingService:
    """Reader of questions that are being typed. It owns a thread, until closed."""

    def __init__(self, turns: Callable[[], TurnRunner], messages: MessageRepository) -> None:
        reload_lexicon()  # 0.2 s on the thread that makes this, not at the first key
        self._turns = turns
        self._messages = messages
        self._asked: tuple[float, tuple[JsonObject, ...]] | None = None  # since when, and what
        self._worker = Worker("readings")
        self._values: OrderedDict[str, ReadingValue | None] = OrderedDict()
        self._spoken: dict[ConversationId, Language] = {}  # of what was typed last
        self._ending: set[asyncio.Task[None]] = set()

    async def read(self, conversation: ConversationId, question: str) -> Readings:
        """Return what a question would answer here. Raises UserError, as a turn would."""
        preview = await self._turns().preview(conversation, question)
        found = await self._worker.run(readings_of, preview.request)
        spoken = self._spoken.get(conversation, language())
        self._spoken[conversation] = await self._worker.run(language_of, question, spoken)
        return found

    async def kind(self, conversation: ConversationId, question: str) -> str:
        """Return the kind of plan that a question makes here; "" where it makes none."""
        preview = await self._turns().preview(conversation, question)
        return await self._worker.run(kind_of, preview.request)

    async def kind_alone(self, agent: str, question: str) -> str:
        """Return the kind of plan that a question makes where it is the first; "" for none, and
        for an agent that is not there.
        """
        with suppress(UserError):
            return await self.kind(unstarted(agent), question)
        return ""

    async def value(self, conversation: ConversationId, plan: JsonObject) -> ReadingValue | None:
        """Return what a reading's plan comes to; None where it has no value to show."""
        preview = await self._turns().preview(conversation, "")
        try:
            wanted = plan_from_json(plan)
        except ValueError:  # of another version
            return None
        spoken = self._spoken.get(conversation, language())
        own = next(
            (each for each in preview.request.profiles if each.dataset == dataset_of(wanted)), None
        )
        key = None
        if own is not None and own.id != LOG_ID:  # which changes while the program runs
            key = f"{spoken} {own.id} {json.dumps(plan)}"
        if key is not None and key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        calls = await self._worker.run(value_calls, preview.request, wanted, spoken)
        results = await self._results(preview, calls)
        if results is None:
            return None
        value = await self._worker.run(value_of, preview.request, wanted, results, spoken)
        if key is not None:
            self._values[key] = value
            if len(self._values) > _KEPT_VALUES:
                self._values.popitem(last=False)
        return value

    async def complete(
        self, conversation: ConversationId, text: str, cursor: int
    ) -> tuple[Completion, ...]:
        """Return how the text may go on at the cursor, the likeliest first."""
        preview = await self._turns().preview(conversation, "")
        spoken = self._spoken.get(conversation, language())
        asked = await self._plans()
        return await self._worker.run(_completed, preview.request, text, cursor, spoken, asked)

    async def _plans(self) -> tuple[JsonObject, ...]:
        """Return what the person has asked before, as it was a moment ago."""
        now = time.monotonic()
        if self._asked is None or now > self._asked[0] + _ASKED_S:
            self._asked = now, tuple(await self._messages.asked_plans())
        return self._asked[1]

    async def form(self, conversation: ConversationId, given: JsonObject) -> QuestionForm:
        """Return the form of what is given: nothing yet, its own input, or a plan to fill in.

        Raises UserError for a plan of another version.
        """
        preview = await self._turns().preview(conversation, "")
        try:
            return await self._worker.run(form_of, preview.request, given, language())
        except ValueError as error:
            raise UserError(_("This answer is of an earlier version: ask again.")) from error

    async def result(self, conversation: ConversationId, plan: JsonObject) -> FormResult:
        """Return what a plan comes to, in short and as it is shown; nothing where it fails."""
        preview, wanted, spoken = (
            await self._turns().preview(conversation, ""),
            plan_from_json(plan),
            language(),
        )
        short = await self._worker.run(value_calls, preview.request, wanted, spoken)
        told = await self._results(preview, short)
        value = await self._worker.run(value_of, preview.request, wanted, told or (), spoken)
        calls = await self._worker.run(shown_calls, preview.request, wanted, spoken)
        if [*calls] == [*short] and told is not None:
            calls = await self._worker.run(shown_calls, preview.request, wanted, spoken, told)
        drawn = await self._results(preview, [each for each in calls if each not in short]) or ()
        shown = (each.widget for each in drawn if isinstance(each.widget, Chart | TableView))
        return FormResult(value, next(shown, None))

    async def sentence(self, conversation: ConversationId, plan: JsonObject) -> WrittenQuestion:
        """Return the sentence that asks for a plan."""
        preview = await self._turns().preview(conversation, "")
        wanted = plan_from_json(plan)
        return await self._worker.run(sentence_of, preview.request, wanted, language())

    def close(self) -> None:
        """Stop the thread, and what is left of queries."""
        for each in self._ending:
            each.cancel()
        self._worker.close()

    async def _results(self, preview: Preview, calls: Sequence[Call]) -> list[ToolResult] | None:
        """Run calls one after the other; None where one fails."""
        results: list[ToolResult] = []
        for number, call in enumerate(calls):
            running = asyncio.ensure_future(
                preview.run(ToolCall(f"reading_{number}", call.name, call.input))
            )
            try:
                results.append(await asyncio.shield(running))
            except QHubError:
                return None
            except asyncio.CancelledError:
                ending = asyncio.ensure_future(_end_soon(running))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)
                raise
        return results


def _completed(
    request: ModelRequest,
    text: str,
    cursor: int,
    spoken: Language,
    asked: Sequence[JsonObject],
) -> tuple[Completion, ...]:
    """Complete a text over the data sets that were brought, over the log where there is none."""
    reload_lexicon()
    indexes = indexes_of(request, [tool.name for tool in request.tools])
    brought = [each for each in indexes if each.profile.id not in (LOG, LOG_ID)]
    plans: list[Plan] = []
    for each in asked:
        with suppress(ValueError):  # of another version
            plans.append(any_plan_from_json(each))
    return completions_of(text, cursor, brought or indexes, spoken, plans)


async def _end_soon(running: asyncio.Future[ToolResult]) -> None:
    """Let a query end by itself for a moment, then end it."""
    try:
        async with asyncio.timeout(_GRACE_S):
            await running
    except (QHubError, TimeoutError):
        return
