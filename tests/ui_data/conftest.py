"""English for these tests, whatever was spoken before and is spoken after them."""

from collections.abc import Iterator

import pytest

from qhub_desktop.core import text


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    before = text.language()
    text.use("en")
    yield
    text.use(before)
