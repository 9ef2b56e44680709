"""Conversations: their list, their titles, and what became of them."""

import re

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store


async def ids(store: Store, *, include_archived: bool = False) -> list[str]:
    return [each.id for each in await store.conversations.listed(include_archived=include_archived)]


async def test_a_new_conversation_has_an_id_of_twelve_hex_characters_and_no_title(
    store: Store,
) -> None:
    made = await store.conversations.create("qualidade")

    assert re.fullmatch("[0-9a-f]{12}", made.id)
    assert (made.agent, made.title) == ("qualidade", "")
    assert made.created.tzinfo is not None
    assert await store.conversations.find(made.id) == made


async def test_the_first_question_gives_the_title_and_later_ones_leave_it(store: Store) -> None:
    made = await store.conversations.create("qualidade")
    for question in ("\n  Quantos   defeitos hoje?\nE ontem?", "E por turno?"):
        await store.messages.add(made.id, "user", [Text(question)])

    assert (await store.conversations.find(made.id)).title == "Quantos defeitos hoje?"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("palavra " * 20, "palavra palavra palavra palavra palavra palavra palavra…"),
        ("x" * 200, "x" * 59 + "…"),
        ("x" * 60, "x" * 60),
        ("aaaa, " * 20, "aaaa, " * 9 + "aaaa…"),
        ("olá \ud83d mundo", "olá \ufffd mundo"),
    ],
)
async def test_a_long_question_makes_a_title_of_at_most_60_characters(
    store: Store, question: str, title: str
) -> None:
    made = await store.conversations.create("qualidade")
    await store.messages.add(made.id, "user", [Text(question)])

    found = (await store.conversations.find(made.id)).title

    assert found == title
    assert len(found) <= 60


async def test_a_persons_title_is_not_replaced_by_a_question(store: Store) -> None:
    made = await store.conversations.create("qualidade")
    await store.conversations.rename(made.id, "  Fevereiro,\n linha 2 ")
    await store.messages.add(made.id, "user", [Text("Quantos?")])

    assert (await store.conversations.find(made.id)).title == "Fevereiro, linha 2"


@pytest.mark.parametrize(("own", "left"), [("", ""), ("Fevereiro", "Fevereiro")])
async def test_a_title_goes_with_the_only_question_that_gave_it(
    store: Store, own: str, left: str
) -> None:
    made = await store.conversations.create("analise")
    first = await store.messages.add(made.id, "user", [Text("Quantos defeitos hoje?\nE ontem?")])
    if own:
        await store.conversations.rename(made.id, own)
    second = await store.messages.add(made.id, "user", [Text("E na noite?")])

    await store.messages.supersede(second.id)
    assert (await store.conversations.find(made.id)).title == (own or "Quantos defeitos hoje?")
    await store.messages.supersede(first.id)

    assert (await store.conversations.find(made.id)).title == left


async def test_an_empty_title_is_refused_with_the_next_step(store: Store) -> None:
    made = await store.conversations.create("qualidade")

    with pytest.raises(UserError, match="Write at least one letter"):
        await store.conversations.rename(made.id, "  \n")


async def test_the_latest_conversation_comes_first_and_an_answer_makes_it_the_latest(
    store: Store,
) -> None:
    first, second = [(await store.conversations.create("analise")).id for _ in range(2)]
    assert await ids(store) == [second, first]

    answer = await store.messages.add(first, "assistant")
    assert await ids(store) == [first, second]

    await store.messages.add(second, "user", [Text("Olá")])
    await store.messages.end(answer.id, "complete", engine="offline")
    assert await ids(store) == [first, second]


async def test_pinned_conversations_stay_on_top(store: Store) -> None:
    first, second = [(await store.conversations.create("analise")).id for _ in range(2)]

    await store.conversations.set_pinned(first, is_pinned=True)
    assert await ids(store) == [first, second]
    assert (await store.conversations.find(first)).is_pinned

    await store.conversations.set_pinned(first, is_pinned=False)
    assert await ids(store) == [second, first]


async def test_archived_conversations_are_listed_only_when_asked_for(store: Store) -> None:
    kept, away = [(await store.conversations.create("analise")).id for _ in range(2)]
    await store.conversations.set_archived(away, is_archived=True)

    assert await ids(store) == [kept]
    assert await ids(store, include_archived=True) == [away, kept]

    await store.conversations.set_archived(away, is_archived=False)
    assert await ids(store) == [away, kept]


async def test_a_deleted_conversation_comes_back_whole(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text("Quantos no rack R12?")])
    whole = await store.conversations.find(made.id)

    await store.conversations.set_deleted(made.id, is_deleted=True)
    assert await store.conversations.listed(include_archived=True) == []
    assert await store.conversations.listed(search="rack") == []
    with pytest.raises(UserError):
        await store.conversations.find(made.id)

    await store.conversations.set_deleted(made.id, is_deleted=False)
    assert await store.conversations.find(made.id) == whole
    assert [message.text for message in await store.messages.latest(made.id)] == [
        "Quantos no rack R12?"
    ]


async def test_an_answer_to_a_conversation_deleted_meanwhile_is_still_kept(store: Store) -> None:
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    await store.conversations.set_deleted(made.id, is_deleted=True)
    await store.messages.put_block(answer.id, 0, Text("62"))
    await store.messages.end(answer.id, "complete", engine="offline")
    await store.conversations.set_deleted(made.id, is_deleted=False)

    assert [message.text for message in await store.messages.latest(made.id)] == ["62"]


@pytest.mark.parametrize("id_", ["", "000000000000", "x'; DROP TABLE messages; --", "\ud83d"])
async def test_an_unknown_conversation_is_named_with_the_next_step(
    store: Store, id_: ConversationId
) -> None:
    for use in (
        store.conversations.find(id_),
        store.messages.latest(id_),
        store.conversations.rename(id_, "x"),
        store.conversations.set_deleted(id_, is_deleted=True),
        store.datasets.pinned(id_),
        store.messages.add(id_, "user", [Text("x")]),
    ):
        with pytest.raises(UserError, match="qhub conversations"):
            await use


async def test_the_list_ends_at_its_limit(store: Store) -> None:
    made = [(await store.conversations.create("analise")).id for _ in range(5)]

    assert [each.id for each in await store.conversations.listed(limit=2)] == [made[4], made[3]]
