"""One program for the conversations of all tests: a query process takes half a second to start."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

import qhub_desktop.charts.catalogue  # noqa: F401  the kinds of chart, which are words too
from qhub_desktop.app import Program
from tests.nlq.driver import Conversation
from tests.program import offline_program

Talks = Callable[..., Conversation]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A program that no test writes a defect into."""
    made = offline_program(tmp_path_factory.mktemp("station"))
    yield made
    asyncio.run(made.close())


@pytest.fixture
def talks(program: Program) -> Talks:
    """A new conversation over some data sets, as `Conversation` takes them."""
    return lambda *data, **given: Conversation(program, data, **given)
