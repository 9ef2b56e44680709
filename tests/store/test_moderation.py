"""The record of moderation: kept half a year, contested by its person, reviewed by others."""

from datetime import UTC, datetime, timedelta

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.store import Store
from qhub_desktop.store.database import as_us
from qhub_desktop.store.moderation import ModerationRepository


async def test_entries_are_contested_reviewed_and_proposed(store: Store) -> None:
    talk = (await store.conversations.create("analise")).id
    moderation = ModerationRepository(store.messages.database)
    first = await moderation.add(talk, "safety", "safety.bypass", "block", "a" * 300)
    second = await moderation.add(talk, "safety", "safety.bypass", "block", "b\nc")

    found = await moderation.listed()
    assert [(each.id, each.excerpt) for each in found] == [
        (second, "b c"),
        (first, "a" * 199 + "…"),
    ]
    await moderation.contest(first)
    assert (await moderation.listed())[1].review == "contested"
    assert (await moderation.review(first, "wrong")).review == "wrong"
    assert await moderation.proposed_off() == []
    await moderation.review(second, "wrong")
    assert await moderation.proposed_off() == ["safety.bypass"]
    with pytest.raises(UserError):
        await moderation.contest(first)
    with pytest.raises(UserError):
        await moderation.review(99, "right")


async def test_entries_are_found_by_kind_and_day_and_outlive_the_conversation(
    store: Store,
) -> None:
    talk = (await store.conversations.create("analise")).id
    moderation = ModerationRepository(store.messages.database)
    await moderation.add(talk, "abuse", "abuse.hate", "block", "x")
    today = datetime.now().astimezone().date()
    assert len(await moderation.listed(category="abuse", since=today)) == 1
    assert await moderation.listed(category="secret") == []
    assert await moderation.listed(since=today + timedelta(days=1)) == []

    await store.conversations.erase(talk)
    (kept,) = await moderation.listed()
    assert kept.conversation == ""

    old = as_us(datetime.now(UTC) - timedelta(days=181))
    store.messages.database.run_now(
        lambda db: db.execute("UPDATE moderation SET created = ?", (old,))
    )
    assert await moderation.listed() == []
