from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.tool import ToolContext, ToolOutput, tools_of
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store.store import Store
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.dashboard_export import DashboardFiles
from qhub_desktop.tools.dashboard_page import Page
from qhub_desktop.tools.dashboard_queries import DashboardQueries
from qhub_desktop.tools.dashboards import DashboardTools
from qhub_desktop.tools.datasets import DatasetTools
from qhub_desktop.tools.defects import DefectTools
from qhub_desktop.tools.exports import ExportTools
from qhub_desktop.tools.render import RenderTools


class Drawn:
    """Plays the process that draws pages."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    async def __call__(self, page: Page, target: Path) -> None:
        self.pages.append(page)
        target.write_bytes(b"drawn")  # noqa: ASYNC240  five bytes


class Station:
    """A conversation at a station, and the tools at work in it."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(folder)
        self.workspace = Workspace(folder / "workspace")
        self.shelf = ConversationDatasets(self.store.datasets, self.store.defects, self.workspace)
        self._showing = RenderTools(self.shelf)
        self._exporting = ExportTools(self.store.messages, self.workspace, self.shelf)
        self.dashboards = DashboardQueries(self.store.dashboards, self.shelf)
        self.printer = Drawn()
        self.files = DashboardFiles(self.dashboards, self.workspace, self.printer)
        self.tools = tools_of(
            DefectTools(self.store.defects, self.shelf),
            DatasetTools(self.shelf),
            self._showing,
            self._exporting,
            DashboardTools(
                self.store.dashboards, self.store.conversations, self.dashboards, author="rui"
            ),
        )
        self._conversation = ""

    async def conversation(self) -> str:
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
        setting = ToolContext(conversation, await self.shelf.profiles(conversation))
        return await self.tools[name].prepare(given)(setting)

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

    def close(self) -> None:
        self._showing.close()
        self._exporting.close()
        self.files.close()
        self.dashboards.close()
        self.workspace.close()
        self.store.close()

    async def _talk(self) -> str:
        if not self._conversation:
            self._conversation = (await self.store.conversations.create("analise")).id
        return self._conversation


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    station = Station(tmp_path)
    yield station
    station.close()
