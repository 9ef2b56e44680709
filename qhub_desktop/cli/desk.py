"""What the command line works with: parts of the program, each made when a command needs it."""

from __future__ import annotations  # a command loads only the parts that it uses

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from qhub_desktop.core.errors import UserError

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.engine import Engine
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.core.dashboard import Viewer
    from qhub_desktop.core.tool import Tool
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.store.store import Store
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.dashboard_export import DashboardFiles
    from qhub_desktop.tools.dashboard_queries import DashboardQueries


class CommandDesk(Protocol):
    """The parts a command may need."""

    store: Store
    trouble: UserError | None

    @property
    def workspace(self) -> Workspace:
        """The data sets."""
        ...

    @property
    def shelf(self) -> ConversationDatasets:
        """The data sets by conversation, and the log of defects."""
        ...

    @property
    def engine(self) -> Engine:
        """What plays the turns."""
        ...

    @property
    def outbox(self) -> Outbox:
        """The questions that wait for Claude."""
        ...

    @property
    def agents(self) -> Mapping[str, Agent]:
        """Every agent, by its id."""
        ...

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Every tool, by its name."""
        ...

    @property
    def viewer(self) -> Viewer:
        """Who looks at dashboards."""
        ...

    @property
    def dashboards(self) -> DashboardQueries:
        """What runs their queries."""
        ...

    @property
    def dashboard_files(self) -> DashboardFiles:
        """What writes them to files."""
        ...
