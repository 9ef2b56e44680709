"""A conversation page on a real store and a real engine; the model and the person are played."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication

from qhub_desktop.core import text
from qhub_desktop.store.store import Store
from qhub_desktop.ui.chat.page import ChatPage
from tests.engine.playing import ScriptedModel, Step
from tests.ui_chat.desk import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    spoken = text.language()
    text.use("en")
    yield
    text.use(spoken)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "store")
    yield store
    store.close()


@pytest.fixture
def desk(qapp: QApplication, store: Store) -> Iterator[MakeDesk]:
    """A page of 800 x 600 whose model plays these rounds."""
    pages: list[ChatPage] = []

    def make(*rounds: list[Step]) -> Desk:
        made = Desk(store, ScriptedModel(*rounds))
        pages.append(made.page)
        made.page.resize(800, 600)
        made.page.show()
        return made

    yield make
    for page in pages:
        page.close()
        # At once: what is left to Python's collector may be freed on the store's thread, and Qt
        # does not survive the end of a timer on another thread than its own.
        shiboken6.delete(page)
