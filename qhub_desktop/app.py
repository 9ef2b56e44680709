"""The composition root: builds every object once, when it is first asked for, and takes them down.

What is heavy to import is imported where it is built, so that the window's first paint and the
lighter commands do not wait for it.
"""

from __future__ import annotations  # most of the types below are imported lazily

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from qhub_desktop.core import text
from qhub_desktop.core.chosen import Chosen
from qhub_desktop.core.paths import RESOURCES, home
from qhub_desktop.core.settings import EngineChoice, Settings, read_settings
from qhub_desktop.store.store import Store

if TYPE_CHECKING:
    from qhub_desktop.chat.agent import Agent
    from qhub_desktop.chat.automatic import Automatic
    from qhub_desktop.chat.claude import Claude
    from qhub_desktop.chat.cost import Prices
    from qhub_desktop.chat.engine import Engine
    from qhub_desktop.chat.tool import Tool
    from qhub_desktop.cli.desk import CommandDesk
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.tools.shelf import Shelf


class Program:
    """The objects of one running program, each made when it is first asked for.

    `engine` stands in for the stored choice of an engine, for this run alone.
    """

    def __init__(self, *, engine: EngineChoice | None = None) -> None:
        self.home = home()
        self.store = Store.open(self.home)
        settings = read_settings(self.store.settings_now())
        text.use(settings.language)
        self.chosen = Chosen(settings if engine is None else replace(settings, engine=engine))

    @property
    def settings(self) -> Settings:
        """The settings in use now."""
        return self.chosen.settings

    @cached_property
    def agents(self) -> Mapping[str, Agent]:
        """Every agent, by its id."""
        from qhub_desktop.chat.agent import load_agents

        return load_agents(RESOURCES / "agents")

    @cached_property
    def workspace(self) -> Workspace:
        """The data sets."""
        from qhub_desktop.data.workspace import Workspace

        return Workspace(self.home / "workspace", query_s=self.settings.query_s)

    @cached_property
    def shelf(self) -> Shelf:
        """The data sets by conversation."""
        from qhub_desktop.tools.shelf import Shelf

        return Shelf(self.store, self.workspace)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Every tool, by its name."""
        from qhub_desktop.chat.tool import tools_of
        from qhub_desktop.tools.datasets import DatasetTools
        from qhub_desktop.tools.defects import DefectTools
        from qhub_desktop.tools.render import RenderTools

        return tools_of(
            DefectTools(self.store, self.shelf),
            DatasetTools(self.shelf),
            RenderTools(self.shelf),
        )

    @cached_property
    def prices(self) -> Prices:
        """What models cost."""
        from qhub_desktop.chat.cost import load_prices

        return load_prices(RESOURCES, self.home)

    @cached_property
    def claude(self) -> Claude:
        """Claude, or the service that the settings name."""
        from qhub_desktop.chat.claude import Claude
        from qhub_desktop.chat.key import read_key

        return Claude(
            settings=lambda: self.settings,
            key=lambda service: read_key(service, os.environ),
            prices=self.prices,
            environment=os.environ,
        )

    @cached_property
    def model(self) -> Automatic:
        """Claude or the offline engine, as settings, key and network allow."""
        from qhub_desktop.chat.automatic import Automatic
        from qhub_desktop.chat.offline.engine import Offline

        return Automatic(claude=self.claude, offline=Offline(), settings=lambda: self.settings)

    @cached_property
    def engine(self) -> Engine:
        """What plays the turns."""
        from qhub_desktop.chat.engine import Engine

        return Engine(
            journal=self.store,
            model=self.model,
            tools=self.tools,
            agents=self.agents,
            common_prompt=(RESOURCES / "prompts" / "common.md").read_text(encoding="utf-8"),
            profiles=self.shelf.profiles,
            settings=lambda: self.settings,
            cost=self.prices.cost,
        )

    async def close(self) -> None:
        """Take down what was built, the last first."""
        built = vars(self)
        if "claude" in built:
            await self.claude.close()
        if "workspace" in built:
            self.workspace.close()
        self.store.close()


def command_line() -> int:
    """Run `qhub`."""
    from qhub_desktop.cli.main import main

    return main(sys.argv[1:], _command_desk)


@asynccontextmanager
async def _command_desk(engine: EngineChoice | None) -> AsyncIterator[CommandDesk]:
    program = Program(engine=engine)
    try:
        yield program
    finally:
        await program.close()
