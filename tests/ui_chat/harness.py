"""The page with all that stands behind it, and ways to wait for what it does."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import fields
from typing import TypeVar

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from qhub_desktop.chat.agents import Agent
from qhub_desktop.chat.guard.reader import GuardReader
from qhub_desktop.chat.guard.screen import Screen
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import ModelRequest
from qhub_desktop.core.message import Block, Message, Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.moderation import ModerationRepository
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.approvals import ApprovalCard, CostCard
from qhub_desktop.ui.chat.conversation_page import ConversationPage
from qhub_desktop.ui.chat.conversation_view import ConversationView
from qhub_desktop.ui.chat.page_actions import PageActions
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.tasks import Tasks
from tests.chat.fakes import AGENT, ScriptedModel, Toolbox, turns_with
from tests.waiting import PATIENCE_S, until

ACTIONS = [each.name for each in fields(PageActions)]
Entry = TypeVar("Entry", bound=QWidget)


class PageHarness:
    """A page, its store, its model, and the errors that no part of the page showed."""

    def __init__(
        self,
        store: Store,
        model: ScriptedModel,
        settings: Settings | None = None,
        *,
        usd: float | None = None,
    ) -> None:
        self.store = store
        self.model = model
        self.toolbox = Toolbox()
        self.errors: list[QHubError] = []
        # What was asked of the window, by action.
        self.asked: dict[str, list[tuple[object, ...]]] = defaultdict(list)
        self.tasks = Tasks(self.errors.append)

        async def estimate(_request: ModelRequest) -> float | None:
            return usd

        screen = Screen(
            GuardReader(store.path.parent),
            ModerationRepository(store.messages.database),
            settings=lambda: settings or Settings(),
        )
        turns = turns_with(
            store,
            model,
            toolbox=self.toolbox,
            settings=settings,
            estimate=estimate,
            screen=screen,
        )
        self.page = ConversationPage(
            turns=turns,
            messages=store.messages,
            drafts=store.settings,
            actions=PageActions(**{name: self._note(name) for name in ACTIONS}),
            tasks=self.tasks,
        )

    def _note(self, action: str) -> Callable[..., None]:
        return lambda *given: self.asked[action].append(given)

    async def conversation(self, *said: str) -> Conversation:
        """A stored conversation of questions and answers by turns."""
        made = await self.store.conversations.create(AGENT.id)
        for place, words in enumerate(said):
            if place % 2 == 0:
                await self.store.messages.add(made.id, "user", [Text(words)])
            else:
                await self.answered(made, Text(words))
        return made

    async def answered(self, conversation: Conversation, *blocks: Block) -> Message:
        """One more stored answer."""
        message = await self.store.messages.add(conversation.id, "assistant", blocks)
        await self.store.messages.end(message.id, "complete", engine="offline")
        return message

    async def open(self, *said: str) -> Conversation:
        """A stored conversation, on the page."""
        conversation = await self.conversation(*said)
        await self.page.open(conversation, AGENT)
        return conversation

    async def ask(self, question: str) -> AnswerView:
        """Put a question; the answer when it has ended."""
        self.page.ask(question)
        await until(lambda: self.view.is_running)
        await self.settled()
        assert self.view.last_answer is not None
        return self.view.last_answer

    async def settled(self) -> None:
        """Until no answer is under way."""
        await until(lambda: not self.view.is_running)

    async def idle(self) -> None:
        """Until nothing that the page started is under way."""
        me = asyncio.current_task()
        while others := asyncio.all_tasks() - {me}:
            await asyncio.wait(others, timeout=PATIENCE_S)

    async def leave(self) -> None:
        """End what is under way and close the page, as the program does before its loop ends."""
        await self.tasks.cancel_all()
        self.page.close()
        # At once: what is left to Python's collector may be freed on the store's thread, and Qt
        # does not survive the end of a timer on another thread than its own.
        shiboken6.delete(self.page)

    @property
    def agent(self) -> Agent:
        return AGENT

    @property
    def view(self) -> ConversationView:
        assert self.page.view is not None
        return self.page.view

    @property
    def questions(self) -> list[str]:
        return [entry.text for entry in self.entries(QuestionView)]

    @property
    def answers(self) -> list[str]:
        return [entry.text for entry in self.entries(AnswerView)]

    def entries(self, kind: type[Entry]) -> list[Entry]:
        return [entry for entry in self.view.transcript.entries if isinstance(entry, kind)]

    def approval(self) -> ApprovalCard | None:
        cards = self.view.findChildren(ApprovalCard)
        return cards[-1] if cards else None

    def cost(self) -> CostCard | None:
        cards = self.view.findChildren(CostCard)
        return cards[-1] if cards else None

    def press(self, key: Qt.Key, *, shift: bool = False) -> None:
        """A key, in the box."""
        modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.page.composer.question_box, key, modifier)
