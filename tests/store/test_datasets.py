"""Data sets of a conversation: pinned in order, renamed, set aside and replaced."""

from datetime import date

import pytest

from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from qhub_desktop.store.datasets import Pin

DEFECT = Defect(date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


async def test_data_sets_are_pinned_once_in_order_with_names_of_their_own(store: Store) -> None:
    made = await store.conversations.create("analise")
    names = [
        await store.datasets.pin(made.id, id_, name)
        for id_, name in (
            ("aa", "defeitos"),
            ("bb", "Defeitos"),
            ("cc", "peças"),
            ("aa", "outro"),
            ("dd", "defeitos"),
        )
    ]

    assert names == ["defeitos", "Defeitos_2", "peças", "defeitos", "defeitos_3"]
    assert await store.datasets.pinned(made.id) == [
        Pin("aa", "defeitos"),
        Pin("bb", "Defeitos_2"),
        Pin("cc", "peças"),
        Pin("dd", "defeitos_3"),
    ]


async def test_a_renamed_data_set_gets_a_name_that_nobody_has(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.datasets.pin(made.id, "aa", "defeitos")
    await store.datasets.pin(made.id, "bb", "pecas")

    assert await store.datasets.rename(made.id, "bb", "Defeitos") == "Defeitos_2"
    assert await store.datasets.rename(made.id, "bb", "defeitos_2") == "defeitos_2"
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos"), Pin("bb", "defeitos_2")]


async def test_a_data_set_that_is_not_used_keeps_its_place_and_name(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.datasets.pin(made.id, "aa", "defeitos")
    await store.datasets.pin(made.id, "bb", "notas", is_used=False)
    await store.datasets.set_used(made.id, "aa", is_used=False)

    assert await store.datasets.pinned(made.id) == []
    assert await store.datasets.pinned(made.id, include_unused=True) == [
        Pin("aa", "defeitos", is_used=False),
        Pin("bb", "notas", is_used=False),
    ]
    await store.datasets.set_used(made.id, "aa", is_used=True)
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos")]


async def test_a_newer_data_set_takes_the_place_and_the_name_of_the_old_one(store: Store) -> None:
    made = await store.conversations.create("analise")
    for id_, name in (("aa", "defeitos"), ("bb", "pecas"), ("cc", "defeitos")):
        await store.datasets.pin(made.id, id_, name)

    assert await store.datasets.replace(made.id, "aa", "cc") == "defeitos"
    assert await store.datasets.pinned(made.id) == [Pin("cc", "defeitos"), Pin("bb", "pecas")]
    assert await store.datasets.replace(made.id, "cc", "aa") == "defeitos"
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos"), Pin("bb", "pecas")]
    with pytest.raises(UserError):
        await store.datasets.replace(made.id, "never pinned", "dd")


async def test_an_unpinned_data_set_is_gone_from_its_conversation_alone(store: Store) -> None:
    made = await store.conversations.create("analise")
    other = await store.conversations.create("analise")
    for conversation in (made, other):
        await store.datasets.pin(conversation.id, "aa", "defeitos")

    await store.datasets.unpin(made.id, "aa")
    await store.datasets.unpin(made.id, "never pinned")

    assert await store.datasets.pinned(made.id) == []
    assert await store.datasets.pinned(other.id) == [Pin("aa", "defeitos")]


async def test_a_conversation_that_holds_files_alone_is_called_after_the_first(
    store: Store,
) -> None:
    made = await store.conversations.create("analise")
    await store.datasets.pin(made.id, "aa", "medidas")
    await store.datasets.pin(made.id, "bb", "outras")
    assert (await store.conversations.find(made.id)).title == "medidas"

    await store.messages.add(made.id, "user", [Text("média por turno?")])

    assert (await store.conversations.find(made.id)).title == "média por turno?"
