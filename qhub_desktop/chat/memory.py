"""Memory as a model is told of it: which notes, how many of them, and when again."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol

from qhub_desktop.chat.context import ContextAsked
from qhub_desktop.core.context import Context, SectionName
from qhub_desktop.core.memory import CHANGED, LEARNED, OTHERS, Memory
from qhub_desktop.core.text import fold

MOST_CHARACTERS = 1_500  # told in one conversation: 500 tokens at three characters each
LEARNED_CHARACTERS = 300
# Of them, for notes that are neither pinned nor about the question, and for names: what is told is
# paid for again with each round, and a model can look up the rest.
_UNASKED = 500
_NAMES = 80  # characters kept for the names of those that are not told whole
_LEAST_CHANGES = 200  # for what has changed in a conversation that was told as much as it may
_LEAST_WORD = 4  # letters of a word that says what a question is about


class Memories(Protocol):
    """Store of the person's notes."""

    async def listed(self, *, search: str = "", include_archived: bool = True) -> Sequence[Memory]:
        """List the notes, pinned ones first, then the latest used."""
        ...

    async def note_use(self, paths: Collection[str]) -> None:
        """Note that these were told just now."""
        ...

    async def refused_services(self) -> Sequence[str]:
        """Return the services that the person lets no note go to."""
        ...


class MemorySource:
    """Tells a model the person's notes: with a conversation's first question, and again where they
    have left what is sent, or were changed since.
    """

    section: SectionName = "memoria"

    def __init__(self, memories: Memories, service: Callable[[], str]) -> None:
        self._memories = memories
        self._service = service

    async def text(self, asked: ContextAsked) -> str:
        """Return the notes to tell; "" for none, with the ability off, and for a service that the
        person lets nothing go to.
        """
        if asked.settings.memory == "off":
            return ""
        notes = await self._memories.listed(include_archived=False)
        if not notes or self._service() in await self._memories.refused_services():
            return ""
        told = asked.told("memoria")
        if any(not each.startswith(CHANGED) for each in told):
            room = max(MOST_CHARACTERS - sum(map(len, told)), _LEAST_CHANGES)
            chosen, text = _changes(notes, asked, room)
        else:
            chosen, text = whole_memory(notes, asked.question)
        if chosen:
            await self._memories.note_use(chosen)
        return text


def whole_memory(notes: Sequence[Memory], question: str) -> tuple[list[str], str]:
    """Return the notes that are told whole, by their paths, and the text that tells of all.

    What was counted of the person's questions comes first, then pinned notes, those that share
    words with the question, and the last used; the others by name.
    """
    words = _words(question)
    shared = {each.path: len(words & _words(f"{each.name} {each.text}")) for each in notes}
    order = sorted(
        notes,
        key=lambda each: (
            not each.path.startswith(LEARNED),
            not each.is_pinned,
            -shared[each.path],
        ),
    )
    is_whole = sum(len(_line(each)) + 1 for each in notes) <= _UNASKED
    kept = 0 if is_whole else _NAMES
    lines: list[str] = []
    told: list[str] = []
    length = 0
    for note in order:
        line = _line(note)
        most = MOST_CHARACTERS if note.is_pinned or shared[note.path] else _UNASKED
        if length + len(line) < most - kept:
            lines.append(line)
            told.append(note.path)
            length += len(line) + 1
    others = [each.name for each in order if each.path not in told]
    return told, "\n".join([*lines, *_others(others, max(_UNASKED - length, kept))])


def _changes(notes: Sequence[Memory], asked: ContextAsked, room: int) -> tuple[list[str], str]:
    """Return what was changed since the conversation was told last, but for what its own answers
    have written: the model knows of that.
    """
    last = max(
        each.created
        for each in asked.history
        if any(isinstance(block, Context) and "memoria" in block.sections for block in each.blocks)
    )
    own = {each.id for each in asked.history}
    changed = [each for each in notes if each.updated > last and each.message not in own]
    lines = [CHANGED]
    told: list[str] = []
    room -= len(CHANGED) + 1
    for note in changed:
        line = _line(note)
        if len(line) < room:
            lines.append(line)
            told.append(note.path)
            room -= len(line) + 1
    lines += _others([each.name for each in changed if each.path not in told], room)
    return told, "\n".join(lines) if len(lines) > 1 else ""


def _line(note: Memory) -> str:
    """Return the line of a note; of what was counted, no line is cut through its number."""
    while note.path.startswith(LEARNED) and len(note.line) > LEARNED_CHARACTERS:
        fewer = note.text.rpartition("\n")[0]
        if not fewer:
            return note.line[:LEARNED_CHARACTERS]
        note = replace(note, text=fewer)
    return note.line


def _others(names: Sequence[str], room: int) -> list[str]:
    line = ""
    for name in names:
        more = f"{line}, {name}" if line else f"{OTHERS}{name}"
        if len(more) >= room:
            break
        line = more
    return [line] if line else []


def _words(text: str) -> set[str]:
    # Without the ending, so that 'turno' is in 'turnos'.
    words = re.findall(r"[^\W_]+", fold(text))
    return {each.rstrip("s") for each in words if len(each) >= _LEAST_WORD}
