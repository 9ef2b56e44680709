"""What the tests of the chat share: sentences in English, whatever the catalogue says."""

from collections.abc import Iterator

import pytest

from qhub_desktop.core import text


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Speak English for the length of a test."""
    before = text.language()
    text.use("en")
    yield
    text.use(before)
