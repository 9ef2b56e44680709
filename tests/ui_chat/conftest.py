"""A conversation page on a real store and a real engine; the model and the person are played."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

import qhub_desktop.charts.catalogue  # noqa: F401  the kinds of chart, which are words too
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.chat.fakes import ScriptedModel, Step
from tests.conftest import LEAVING
from tests.ui_chat.harness import PageHarness

MakeHarness = Callable[..., PageHarness]


@pytest.fixture
def harness(qapp: QApplication, request: pytest.FixtureRequest, store: Store) -> MakeHarness:
    """A page of 800 x 600 whose model plays these rounds."""
    harnesses: list[PageHarness] = []

    def make(
        *rounds: list[Step], settings: Settings | None = None, usd: float | None = None
    ) -> PageHarness:
        made = PageHarness(store, ScriptedModel(*rounds), settings, usd=usd)
        harnesses.append(made)
        made.page.resize(800, 600)
        made.page.show()
        return made

    async def leave() -> None:
        for made in harnesses:
            await made.leave()

    request.node.stash[LEAVING] = leave
    return make
