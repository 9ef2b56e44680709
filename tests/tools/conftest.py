import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.tool import ToolContext, ToolOutput
from qhub_desktop.tools.dashboard_export import DashboardFiles
from qhub_desktop.tools.widget_pages import PageDocument
from tests.program import offline_program


class Drawn:
    """Plays the process that draws pages."""

    def __init__(self) -> None:
        self.pages: list[PageDocument] = []

    async def __call__(self, page: PageDocument, target: Path) -> None:
        self.pages.append(page)
        target.write_bytes(b"drawn")  # noqa: ASYNC240  five bytes


class ToolHarness:
    """A conversation at a harness, and the tools at work in it."""

    def __init__(self, folder: Path, *, conversation: ConversationId = NO_CONVERSATION) -> None:
        self.program = offline_program(folder)
        self.store = self.program.store
        self.workspace = self.program.workspace
        self.conversation_datasets = self.program.conversation_datasets
        self.dashboards = self.program.dashboards
        self.printer = Drawn()
        self.files = DashboardFiles(self.dashboards, self.workspace, self.printer)
        self.program.dashboard_files = self.files
        self.tools = self.program.tools
        self._conversation = conversation

    async def conversation(self) -> ConversationId:
        """The conversation that the tools are at work in."""
        return await self._talk()

    async def drop(self, file: Path) -> None:
        """Bring a file into the conversation."""
        conversation = await self._talk()
        for profile in await self.workspace.load(file):
            await self.store.datasets.pin(conversation, profile.id, profile.dataset)

    async def use(self, name: str, **given: Any) -> ToolOutput:
        """Call a tool as the engine does."""
        conversation = await self._talk()
        context = ToolContext(conversation, await self.conversation_datasets.profiles(conversation))
        return await self.tools[name].prepare(given)(context)

    async def use_closed(self, name: str, **given: Any) -> ToolOutput:
        """Call a tool as a model does from which rows are kept."""
        conversation = await self._talk()
        context = ToolContext(conversation, await self.conversation_datasets.profiles(conversation))
        closed = self.tools[name].closed
        assert closed is not None
        return await closed.prepare(given)(context)

    async def result(self, name: str, **given: Any) -> dict[str, Any]:
        """What a tool tells the model."""
        content = (await self.use(name, **given)).content
        assert isinstance(content, dict)
        return content

    async def show(self, name: str, **given: Any) -> None:
        """Call a tool, and keep what came of it in the conversation, as a turn does."""
        outcome = await self.use(name, **given)
        call = ToolCall("call", name, given)
        result = ToolResult("call", outcome.content, outcome.widget, outcome.source)
        await self.store.messages.add(await self._talk(), "assistant", (call, result))

    async def _talk(self) -> ConversationId:
        if not self._conversation:
            self._conversation = (await self.store.conversations.create("analise")).id
        return self._conversation


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToolHarness]:
    monkeypatch.setenv("USERNAME", "rui")
    harness = ToolHarness(tmp_path)
    yield harness
    asyncio.run(harness.program.close())
