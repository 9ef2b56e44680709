"""Checkpoint of a turn: stores an answer on disk while it grows."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from typing import Protocol

from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import (
    RESULT_CHARACTERS,
    Block,
    Clarification,
    EndReason,
    Interpretation,
    Message,
    Notice,
    NumberCheck,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    bounded,
)

CHECKPOINT_S = 0.5  # so that a killed program loses at most a second of words


class BlockKeeper(Protocol):
    """Somewhere blocks are stored."""

    async def put_block(self, message: MessageId, position: int, block: Block) -> None:
        """Insert or replace one block."""
        ...

    async def end(self, message: MessageId, reason: EndReason, *, engine: str) -> None:
        """Say that nothing more will come."""
        ...


class LiveAnswer:
    """One answer while it grows, with a task that saves it, until `end`."""

    def __init__(
        self, message: Message, keeper: BlockKeeper, *, result_characters: int = RESULT_CHARACTERS
    ) -> None:
        self._message = message
        self._keeper = keeper
        self._result_characters = result_characters
        self._blocks: list[Block] = []
        self._unsaved: set[int] = set()  # the text blocks that have words the disk does not
        self._saver = asyncio.create_task(self._save_periodically())
        self.engine = ""

    @property
    def id(self) -> MessageId:
        """The message's number in the store."""
        return self._message.id

    @property
    def message(self) -> Message:
        """The answer so far, as the model is shown it in the next round."""
        return replace(self._message, blocks=tuple(self._blocks), engine=self.engine)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has arrived yet: what the guard did is no answer."""
        return all(isinstance(each, Guarded) for each in self._blocks)

    def add_text(self, text: str) -> None:
        """Add some words; they are on disk within a second."""
        # Words go on behind a citation as they would without it: it parts no sentence.
        place = len(self._blocks) - 1
        while place >= 0 and isinstance(self._blocks[place], Citation):
            place -= 1
        last = self._blocks[place] if place >= 0 else None
        if isinstance(last, Text):
            self._blocks[place] = Text(last.text + text)
        else:
            self._blocks.append(Text(text))
            place = len(self._blocks) - 1
        # Several texts may wait for the disk: remembered alone, the last one lost the words before
        # a thought.
        self._unsaved.add(place)

    async def cite(self, citation: Citation) -> str:
        """Add a citation, and its mark to the words before it; return the mark.

        What was cited before keeps its number; where its mark ends the words, none is added.
        """
        cited = [block for block in self._blocks if isinstance(block, Citation)]
        is_new = citation not in cited
        number = len(cited) + 1 if is_new else cited.index(citation) + 1
        mark = citation_mark(citation, number)
        words = next((each.text for each in reversed(self._blocks) if isinstance(each, Text)), "")
        if words.endswith(mark):
            return ""
        mark = f" {mark}" if words and not words[-1].isspace() else mark
        self.add_text(mark)
        if is_new:
            await self.add(citation)
        return mark

    def add_reasoning(self, reasoning: Reasoning) -> None:
        """Add a block of thinking for the next rounds; it is never on disk."""
        self._blocks.append(reasoning)

    async def add(
        self,
        block: ToolCall
        | ToolResult
        | Notice
        | Interpretation
        | Clarification
        | Citation
        | NumberCheck
        | Guarded,
    ) -> None:
        """Add a whole block. It is on disk before this returns, behind all that came before it.

        A call by an id that an earlier one in this answer has is given another: results belong to
        calls by their ids.
        """
        if isinstance(block, ToolCall):
            block = self._with_own_id(block)
        await self.save()
        self._blocks.append(block)
        stored: Block = block
        if isinstance(block, ToolResult):
            # The offline engine computes with the rows of this very answer, and needs them all.
            content = bounded(block.content, most=self._result_characters)
            stored = replace(block, content=content)
        await self._keeper.put_block(self.id, len(self._blocks) - 1, stored)

    async def save(self) -> None:
        """Bring the disk up to date. Raises UserError if it cannot be written to."""
        for position in sorted(self._unsaved):
            block = self._blocks[position]
            await self._keeper.put_block(self.id, position, block)
            if self._blocks[position] is block:  # else it has grown meanwhile
                self._unsaved.discard(position)

    async def close_calls(self, reason: str) -> None:
        """Give every call that has no result one that says why."""
        for call in self.open_calls():
            await self.add(ToolResult(call.id, {"erro": reason}, is_error=True))

    def open_calls(self) -> Sequence[ToolCall]:
        """Return the calls without a result, in order."""
        answered = {block.call_id for block in self._blocks if isinstance(block, ToolResult)}
        return [call for call in self._calls() if call.id not in answered]

    async def end(self, reason: EndReason) -> None:
        """Store what is left, and that this is the end."""
        self._saver.cancel()
        with suppress(asyncio.CancelledError):
            await self._saver
        await self.save()
        await self._keeper.end(self.id, reason, engine=self.engine)

    def _with_own_id(self, call: ToolCall) -> ToolCall:
        taken = {each.id for each in self._calls()}
        ids = (f"{call.id}_{number}" for number in count(2))
        return replace(call, id=next(each for each in chain([call.id], ids) if each not in taken))

    def _calls(self) -> Iterator[ToolCall]:
        return (block for block in self._blocks if isinstance(block, ToolCall))

    async def _save_periodically(self) -> None:
        while True:
            await asyncio.sleep(CHECKPOINT_S)
            # Another program may be busy with the file: the next one tries again, and `add` and
            # `end` tell of a disk that stays closed.
            with suppress(UserError):
                await self.save()
