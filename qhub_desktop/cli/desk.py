"""What the command line works with, built once by the composition root."""

from collections.abc import Mapping
from dataclasses import dataclass

from qhub_desktop.chat.agent import Agent
from qhub_desktop.chat.engine import Engine
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store.store import Store


@dataclass(frozen=True, slots=True)
class CommandDesk:
    """The parts a command may need."""

    store: Store
    workspace: Workspace
    engine: Engine
    agents: Mapping[str, Agent]
