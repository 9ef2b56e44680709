"""Keys in the system's key store, played by one in memory."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.chat.claude.credentials import chosen_endpoint, forget_key, read_key, save_key
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Settings
from tests.chat.requests import claude_at, hear
from tests.keyrings import FORGETFUL_STORE, NO_STORE, LockedStore, MemoryStore, StuckStore, using
from tests.wire import WireServer, answer

ANTHROPIC = chosen_endpoint(Settings(), {})
PLANT = chosen_endpoint(Settings(endpoint="https://plant.example"), {})
THERE = {"ANTHROPIC_API_KEY": "sk-environment"}


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    """A key store of this test's own."""
    yield from using(MemoryStore())


def test_a_saved_key_is_read_before_the_environments(store: MemoryStore) -> None:
    save_key(ANTHROPIC, " sk-stored\n")

    assert read_key(ANTHROPIC, THERE) == "sk-stored"
    assert store.kept == {("QHub Desktop", "anthropic"): "sk-stored"}


def test_the_environments_key_serves_where_none_is_stored(store: MemoryStore) -> None:
    assert read_key(ANTHROPIC, THERE) == "sk-environment"
    assert read_key(ANTHROPIC, {}) is None


def test_each_service_is_shown_its_own_key_only(store: MemoryStore) -> None:
    save_key(ANTHROPIC, "sk-anthropic")
    save_key(PLANT, "plant-key")

    assert read_key(PLANT, {}) == "plant-key"
    forget_key(PLANT)
    assert read_key(PLANT, {}) is None
    assert read_key(ANTHROPIC, {}) == "sk-anthropic"


def test_forgetting_what_is_not_there_is_no_fault(store: MemoryStore) -> None:
    forget_key(ANTHROPIC)

    assert store.kept == {}


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", "not a key"),
        ("   ", "not a key"),
        ("sk-\u00e7\u00e3", "not a key"),
        ("sk-\u200btest", "not a key"),
        ("sk-two\nlines", "blank or a line end"),
        ("sk-two parts", "blank or a line end"),
        ("sk-two\u00a0parts", "blank or a line end"),
        ("\ufeffsk-test", "byte-order mark"),
        ("sk-test\ufeff\n", "byte-order mark"),
    ],
)
def test_what_is_no_key_is_not_saved_and_told_why(
    written: str, words: str, store: MemoryStore
) -> None:
    with pytest.raises(UserError, match=words) as wrong:
        save_key(ANTHROPIC, written)

    assert wrong.value.fault == "key"
    assert store.kept == {}


@pytest.mark.parametrize(
    ("kept", "words"), [("sk-two parts", "blank"), ("\ufeffsk-test", "byte-order mark")]
)
async def test_a_key_that_cannot_be_one_is_told_before_anything_is_sent(
    kept: str, words: str
) -> None:
    with WireServer([answer("a")] * 2) as server:
        async with claude_at(server.url, key=kept) as claude:
            heard = await hear(claude)
        async with claude_at(server.url, key=None) as claude:
            with pytest.raises(UserError, match=words):
                await claude.test_connection(Settings(), key=kept)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "key"
    assert words in str(heard.failure)
    assert server.requests == []


@pytest.mark.parametrize("backend", [NO_STORE, FORGETFUL_STORE, LockedStore()])
def test_without_a_store_the_environment_is_the_way(backend: Any) -> None:
    for _ in using(backend):
        assert read_key(ANTHROPIC, THERE) == "sk-environment"
        assert read_key(ANTHROPIC, {}) is None
        with pytest.raises(UserError, match="ANTHROPIC_API_KEY"):
            save_key(ANTHROPIC, "sk-test")


def test_a_store_that_never_answers_is_left_behind() -> None:
    for backend in using(StuckStore()):
        assert read_key(ANTHROPIC, THERE, patience_s=0.05) == "sk-environment"
        with pytest.raises(UserError, match="ANTHROPIC_API_KEY"):
            save_key(ANTHROPIC, "sk-test", patience_s=0.05)
        backend.released.set()


def test_no_key_is_ever_logged_or_told(
    store: MemoryStore, caplog: pytest.LogCaptureFixture, home: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    save_key(ANTHROPIC, "sk-very-secret")
    read_key(ANTHROPIC, THERE)

    assert "secret" not in caplog.text
    assert not any(home.rglob("*"))
