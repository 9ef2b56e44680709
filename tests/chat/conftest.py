from collections.abc import Iterator
from pathlib import Path

import pytest

from qhub_desktop.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path)
    yield store
    store.close()
