"""A conversation page on a real store and a real engine; the model and the person are played."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.store.store import Store
from tests.conftest import LEAVING
from tests.engine.playing import ScriptedModel, Step
from tests.ui_chat.desk import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "store")
    yield store
    store.close()


@pytest.fixture
def desk(qapp: QApplication, request: pytest.FixtureRequest, store: Store) -> MakeDesk:
    """A page of 800 x 600 whose model plays these rounds."""
    desks: list[Desk] = []

    def make(*rounds: list[Step]) -> Desk:
        made = Desk(store, ScriptedModel(*rounds))
        desks.append(made)
        made.page.resize(800, 600)
        made.page.show()
        return made

    async def leave() -> None:
        for made in desks:
            await made.leave()

    request.node.stash[LEAVING] = leave
    return make
