"""Stored messages on the page: the latest first, older ones loaded on scrolling up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, get_args

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import Fault
from qhub_desktop.core.events import Action, action_for
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import (
    DAMAGED,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    NumberCheck,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.chat.guard_line import show_guard
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.controls.plain_text import set_caption

if TYPE_CHECKING:
    from qhub_desktop.store.integrity import IntegrityRepository
    from qhub_desktop.store.messages import MessageRepository


_FAULTS: tuple[Fault, ...] = get_args(Fault)


def replay(answer: AnswerView, message: Message, *, is_last: bool) -> Iterator[None]:
    """Fill an answer from a stored message, one block at each step.

    Remedies of errors are offered in the last answer only.
    """
    for block in message.blocks:
        match block:
            case Text(text):
                answer.show_text(text)
            case ToolCall():
                answer.start_tool(block)
            case ToolResult():
                answer.finish_tool(block)
                if stored := answer.stored_questions.get(block.call_id):
                    answer.add_question(stored.question).show_stored(stored, block.content)
                for widget in block.widgets:
                    yield
                    answer.add_widget(widget)
            case Notice(kind, text):
                _show_notice(answer, kind, text, is_last=is_last)
            case Citation():
                answer.citations.append(block)
            case NumberCheck():
                yield from answer.show_numbers(block)
            case Guarded():
                show_guard(answer, block)
            case Interpretation():
                answer.add_interpretation(block)
            case Clarification():
                answer.add_choice(block)
            case Reasoning() | ChosenPlan():
                pass
        yield
    if message.end is None:
        action: Action = "continue" if is_last else ""
        answer.add_note(
            _("Interrupted: what had arrived was kept."), icon_name="stop", action=action
        )
    answer.end(message.end or "complete", "")
    answer.footer.set_rating(message.rating)


def _show_notice(answer: AnswerView, kind: str, text: str, *, is_last: bool) -> None:
    fault = next((each for each in _FAULTS if each == kind), None)
    if kind == DAMAGED:
        answer.add_note(text, icon_name="warning", action="repair")
    elif fault is not None:
        answer.add_error(text, action_for(fault) if is_last else "")
    else:
        answer.add_note(text, icon_name="engine" if kind == "offline" else "info")


def damage_of(message: Message) -> str:
    """Return what a notice in a message tells of damage there; "" for none."""
    notices = (each for each in message.blocks if isinstance(each, Notice))
    return next((each.text for each in notices if each.kind == DAMAGED), "")


FIRST_MESSAGES = 30
_PAGE_SIZE = 20
_MAX_LOADED = 120  # messages on the page; the others are loaded again on scrolling
_REPLAY_SLICE_S = 0.010  # of work between two events of the window

Entry = QuestionView | AnswerView


def _notes(entry: Entry) -> Sequence[AnswerNote]:
    if isinstance(entry, AnswerView):
        return entry.entries(AnswerNote)
    return () if entry.damage_note is None else (entry.damage_note,)


class History:
    """Sliding window on the messages of a conversation.

    `make_question` and `make_answer` build an empty entry for a message, connected by the owner.
    """

    def __init__(
        self,
        conversation: ConversationId,
        pages: MessageRepository,
        transcript: Transcript,
        *,
        make_question: Callable[[Message], QuestionView],
        make_answer: Callable[[Message], AnswerView],
    ) -> None:
        self._conversation = conversation
        self._pages = pages
        self._transcript = transcript
        self._make_question = make_question
        self._make_answer = make_answer
        # Numbers of all messages seen, oldest first; loaded as widgets: `[self._first:self._end]`.
        self._ids: list[MessageId] = []
        self._first = 0
        self._end = 0
        self._is_all_loaded = False
        self._entries: dict[MessageId, Entry] = {}
        self._lock = asyncio.Lock()
        # While an answer is under way, the newest messages stay loaded.
        self.keeps_end = False

    @property
    def loaded_count(self) -> int:
        """Number of messages loaded as widgets."""
        return self._end - self._first

    @property
    def is_at_end(self) -> bool:
        """Whether the newest message is loaded."""
        return self._end == len(self._ids)

    @property
    def has_older(self) -> bool:
        """Whether there are messages older than those loaded."""
        return self._first > 0 or not self._is_all_loaded

    @property
    def is_empty(self) -> bool:
        """Whether there are no messages."""
        return not self._ids

    @property
    def newest(self) -> Entry | None:
        """The widget of the newest message; None if it is not loaded."""
        return self._entries.get(self._ids[-1]) if self._ids else None

    def entry(self, message: MessageId) -> Entry | None:
        """Return the widget of a message; None if it is not loaded."""
        return self._entries.get(message)

    async def open(self) -> list[Message]:
        """Load the latest messages, newest first, and return them."""
        async with self._lock:
            messages = await self._pages.latest(self._conversation, limit=FIRST_MESSAGES)
            self._is_all_loaded = len(messages) < FIRST_MESSAGES
            self._ids = [message.id for message in messages]
            self._first = self._end = len(self._ids)
            await self._build_above(messages, is_end=True)
            return messages

    @cached_property
    def _integrity(self) -> IntegrityRepository:
        from qhub_desktop.store.integrity import IntegrityRepository

        return IntegrityRepository(self._pages.database)

    async def name_copy(self) -> None:
        """Say on the buttons that repair from which day's safety copy they do."""
        made = await self._integrity.copy_to_repair_from(self._conversation)
        if made is None:
            return
        words = _("Restore from the copy of {day}").format(day=f"{made.astimezone():%d/%m}")
        for entry in self._entries.values():
            for note in _notes(entry):
                if note.action == "repair" and note.button is not None:
                    set_caption(note.button, words)

    async def repair(self) -> None:
        """Repair what is damaged, and show the same place again; not while one is made."""
        if self.keeps_end:
            return
        top = self._transcript.top_entry
        place = top.message if isinstance(top, Entry) else None
        await self._integrity.repair(self._conversation)
        async with self._lock:
            for message in list(self._entries):
                self._unload(message)
        await self.open()
        self._transcript.set_has_newest(has_newest=True)
        again = None if place is None else await self.load_message(place)
        if again is None:
            self._transcript.follow_end()
        else:
            self._transcript.scroll_to_entry(again)

    async def load_older(self) -> None:
        """Load some older messages, if there are any."""
        if self._lock.locked():
            return
        async with self._lock:
            if self._first == 0 and not self._is_all_loaded:
                await self._read_older_ids()
            start = max(0, self._first - _PAGE_SIZE)
            if start == self._first:
                return
            await self._build_above(await self._read(start, self._first), is_end=False)
            self._unload_below()
            self._transcript.set_has_newest(has_newest=self.is_at_end)

    async def load_newer(self) -> None:
        """Load some newer messages, if they had been unloaded."""
        if self._lock.locked() or self.is_at_end:
            return
        async with self._lock:
            stop = min(len(self._ids), self._end + _PAGE_SIZE)
            await self._build_below(await self._read(self._end, stop))
            self._unload_above()
            self._transcript.set_has_newest(has_newest=self.is_at_end)

    async def go_to_end(self) -> None:
        """Load the newest messages."""
        if not self.is_at_end:
            async with self._lock:
                await self._move_to(len(self._ids))

    async def load_message(self, message: MessageId) -> Entry | None:
        """Load a message and return its widget; None if there is no such message."""
        async with self._lock:
            while not self._is_all_loaded and (not self._ids or message < self._ids[0]):
                await self._read_older_ids()
            if message not in self._entries and message in self._ids:
                around = self._ids.index(message) + _PAGE_SIZE // 2
                await self._move_to(min(around, len(self._ids)))
        return self._entries.get(message)

    def add_stored(self, message: MessageId, entry: Entry) -> None:
        """Add the widget of a message that has been stored after it was shown."""
        if message in self._entries:
            return
        entry.message = message
        self._entries[message] = entry
        self._ids.append(message)
        self._end = len(self._ids)

    def remove_from(self, message: MessageId) -> None:
        """Remove a message and all later ones, which were hidden in the store."""
        keep = [each for each in self._ids if each < message]
        for gone in self._ids[len(keep) :]:
            self._entries.pop(gone, None)
        self._ids = keep
        self._first = min(self._first, len(keep))
        self._end = min(self._end, len(keep))

    async def _read(self, start: int, stop: int) -> list[Message]:
        before = self._ids[stop] if stop < len(self._ids) else None
        return await self._pages.latest(self._conversation, before=before, limit=stop - start)

    async def _read_older_ids(self) -> None:
        """Read the numbers of older messages; their content is read when they are loaded."""
        before = self._ids[0] if self._ids else None
        older = await self._pages.latest(self._conversation, before=before, limit=_PAGE_SIZE)
        self._is_all_loaded = len(older) < _PAGE_SIZE
        self._ids[:0] = [message.id for message in older]
        self._first += len(older)
        self._end += len(older)

    async def _build_above(self, messages: Sequence[Message], *, is_end: bool) -> None:
        time_slice = _TimeSlice()
        for count, message in enumerate(reversed(messages)):
            is_last = is_end and count == 0
            entry = await self._build_entry(message, time_slice, is_last=is_last)
            self._transcript.insert(self._index_above(), entry)
            self._first -= 1
            await time_slice.yield_if_due(self._transcript.lay_out_now)
        self._transcript.lay_out_now()

    async def _build_below(self, messages: Sequence[Message]) -> None:
        time_slice = _TimeSlice()
        for message in messages:
            is_last = message.id == self._ids[-1]
            entry = await self._build_entry(message, time_slice, is_last=is_last)
            self._transcript.insert(self._index_below(), entry)
            self._end += 1
            await time_slice.yield_if_due(self._transcript.lay_out_now)
        self._transcript.lay_out_now()

    async def _move_to(self, stop: int) -> None:
        """Move the window so that it ends at `stop`."""
        for message in list(self._entries):
            self._unload(message)
        self._first = self._end = stop
        start = max(0, stop - _PAGE_SIZE)
        is_end = stop == len(self._ids)
        self._transcript.set_has_newest(has_newest=is_end)
        await self._build_above(await self._read(start, stop), is_end=is_end)

    def _index_above(self) -> int:
        if self._first < self._end:
            return self._transcript.index_of(self._entries[self._ids[self._first]])
        return 0

    def _index_below(self) -> int:
        if self._first < self._end:
            return self._transcript.index_of(self._entries[self._ids[self._end - 1]]) + 1
        return 0

    async def _build_entry(
        self, message: Message, time_slice: _TimeSlice, *, is_last: bool
    ) -> Entry:
        entry: Entry
        if message.role == "user":
            entry = self._make_question(message)
        else:
            entry = self._make_answer(message)
            entry.set_last(is_last=is_last)
            for _block in replay(entry, message, is_last=is_last):
                await time_slice.yield_if_due()
        self._entries[message.id] = entry
        return entry

    def _unload_below(self) -> None:
        while self.loaded_count > _MAX_LOADED and not self.keeps_end:
            self._end -= 1
            self._unload(self._ids[self._end])

    def _unload_above(self) -> None:
        while self.loaded_count > _MAX_LOADED:
            self._unload(self._ids[self._first])
            self._first += 1

    def _unload(self, message: MessageId) -> None:
        entry: QWidget = self._entries.pop(message)
        self._transcript.remove(entry)


class _TimeSlice:
    """Yields to the event loop after some time of work."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    async def yield_if_due(self, before: Callable[[], None] | None = None) -> None:
        if time.perf_counter() - self._since < _REPLAY_SLICE_S:
            return
        if before is not None:
            before()
        await asyncio.sleep(0)
        self._since = time.perf_counter()
