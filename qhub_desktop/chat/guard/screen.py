"""Screen: what the guard does with a question before all else, and the record of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from qhub_desktop.chat.guard.reader import GuardReader
from qhub_desktop.core.asking import PersonAnswer, Reply
from qhub_desktop.core.codec import Json
from qhub_desktop.core.guard import (
    DATA_NOTICE,
    GUARD_CALL,
    GuardAction,
    GuardCategory,
    Guarded,
    GuardVerdict,
    guard_words,
)
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Block, Choice, Clarification, Message, Text, bounded
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _

SHORT = 2_000  # characters, read without a thread


class ModerationLog(Protocol):
    """Record of what the guard did."""

    async def add(
        self,
        conversation: ConversationId,
        category: GuardCategory,
        rule: str,
        action: GuardAction,
        text: str,
        /,
    ) -> int:
        """Note what was done with a text; return the number of the entry."""
        ...

    async def choice(self, conversation: ConversationId, /) -> GuardAction | None:
        """Return what was chosen last for personal data in a conversation."""
        ...


# Asks a small model whether a doubtful text is to be blocked; None where it does not answer.
AskDoubt = Callable[[ConversationId, str], Awaitable[bool | None]]
# Puts a question to the person, and returns their reply.
AskPerson = Callable[[Clarification], Awaitable[Reply]]


class Screen:
    """The guard of all turns: it reads what is asked, decides, and keeps the record."""

    def __init__(
        self,
        reader: GuardReader,
        log: ModerationLog,
        *,
        settings: Callable[[], Settings],
        ask_doubt: AskDoubt | None = None,
    ) -> None:
        self._reader = reader
        self._log = log
        self._settings = settings
        self._ask_doubt = ask_doubt

    async def verdict(self, text: str) -> GuardVerdict:
        """Return what a text is; nothing is noted of it."""
        if len(text) <= SHORT and self._reader.is_ready:
            return self._reader.read(text)
        return await asyncio.to_thread(self._reader.read, text)

    async def blocks(self, text: str) -> bool:
        """Return whether a text will not be answered."""
        return self._settings().guard and (await self.verdict(text)).action == "block"

    async def screened(self, conversation: ConversationId, text: str) -> tuple[str, Guarded | None]:
        """Return a question as it may be stored, and what was done with it, if anything was."""
        settings = self._settings()
        if not settings.guard:
            return text, None
        found = await self.verdict(text)
        if found.is_doubtful and settings.guard_model and self._ask_doubt is not None:
            found = await self._settled(conversation, found)
        if found.category is None or found.action not in ("mask", "block"):
            return found.masked, None
        entry = await self._log.add(
            conversation, found.category, found.rule, found.action, found.masked
        )
        told = guard_words(found.category, found.action, contact=self._reader.rules.contact)
        words = found.masked if found.action == "block" else ""
        return found.masked, Guarded(
            found.category, found.rule, found.action, told, words=words, entry=entry
        )

    async def _settled(self, conversation: ConversationId, found: GuardVerdict) -> GuardVerdict:
        assert self._ask_doubt is not None
        assert found.category is not None
        is_bad = await self._ask_doubt(conversation, found.masked)
        if is_bad:
            return replace(found, action="block")
        if is_bad is None:
            await self._log.add(conversation, found.category, found.rule, "allow", found.masked)
        return found

    async def leaving(
        self, conversation: ConversationId, history: Sequence[Message], ask: AskPerson
    ) -> tuple[Sequence[Message], Guarded | None] | None:
        """Return a history as it leaves this computer, and what was done; None to send nothing.

        The person is asked once in a conversation; who says nothing lets nothing leave.
        """
        if not self._settings().guard:
            return history, None
        asked = [each.text for each in history if each.role == "user"]
        found = await self._personal(asked)
        if not found:
            return history, None
        choice = await self._log.choice(conversation)
        done: Guarded | None = None
        if choice is None:
            choice = await _chosen(ask)
            last = (await self.verdict(asked[-1])).masked
            excerpt = self._reader.without_people(last)
            entry = await self._log.add(conversation, "personal", found, choice, excerpt)
            done = Guarded("personal", found, choice, guard_words("personal", choice), entry=entry)
        if choice == "cancel":
            return None
        if choice == "send":
            return history, done
        return [self._hidden(each) for each in history], done

    async def _personal(self, asked: Sequence[str]) -> str:
        def first_rule() -> str:
            return next(filter(None, map(self._reader.personal_rule, asked)), "")

        if sum(map(len, asked)) <= SHORT and self._reader.is_ready:
            return first_rule()
        return await asyncio.to_thread(first_rule)

    def _hidden(self, message: Message) -> Message:
        if message.role != "user":
            return message

        def hidden(block: Block) -> Block:
            if not isinstance(block, Text):
                return block
            return Text(self._reader.without_people(block.text))

        return replace(message, blocks=tuple(map(hidden, message.blocks)))

    async def noticed(self, conversation: ConversationId, content: Json) -> Json:
        """Return a tool's result, with a notice where a text in it looks like an order."""
        if not self._settings().guard:
            return content
        rule = await asyncio.to_thread(lambda: self._reader.order_in(bounded(content)))
        if not rule:
            return content
        await self._log.add(conversation, "injection", rule, "note", DATA_NOTICE)
        told = content if isinstance(content, dict) else {"resultado": content}
        return {**told, "aviso": DATA_NOTICE}


async def _chosen(ask: AskPerson) -> GuardAction:
    options: dict[GuardAction, str] = {
        "hide": _("Send it, with that hidden"),
        "send": _("Send it as it is"),
        "cancel": _("Do not send it"),
    }
    reply = await ask(
        Clarification(
            _("This tells of a person what should not leave the plant. What is to be done?"),
            tuple(Choice(each, {}) for each in options.values()),
            call_id=GUARD_CALL,
            takes_text=False,
        )
    )
    chosen = reply.options if isinstance(reply, PersonAnswer) else ()
    return next((action for action, label in options.items() if label in chosen), "hide")


def without_blocked(history: Sequence[Message]) -> list[Message]:
    """Return a history without the questions that were blocked, and what was said to them."""
    return [each for each in history if each.blocked_words is None]
