"""What people say of answers: their own to give, and whoever reviews sees it with the answer."""

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.feedback import reason_of
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from tests.store.test_people import account


async def answered(store: Store, *answers: str) -> tuple[ConversationId, list[MessageId]]:
    """A conversation with answers to the same question."""
    talk = (await store.conversations.create("analise")).id
    said = []
    for words in answers:
        await store.messages.add(talk, "user", [Text("Quantos defeitos?")])
        message = await store.messages.add(talk, "assistant", [Text(words)])
        await store.messages.end(message.id, "complete", engine="offline")
        said.append(message.id)
    return talk, said


async def test_a_poor_answer_is_open_until_it_is_resolved(store: Store) -> None:
    talk, (first, last) = await answered(store, "São 3.", "São 4.")

    given = await store.reviews.feedback.give(
        talk, None, is_good=False, reason="number", text=" é \n 62 "
    )
    await store.reviews.feedback.give(talk, first, is_good=True)

    assert (given.message, given.reason, given.text) == (last, "number", "é 62")
    assert await store.reviews.feedback.open_count() == 1
    assert [each.message for each in await store.reviews.feedback.listed(is_open=True)] == [last]
    assert [each.message for each in await store.reviews.feedback.listed()] == [first, last]
    assert [each.rating for each in await store.messages.latest(talk)][1::2] == [1, -1]

    done = await store.reviews.feedback.resolve(given.id, note="Filtro corrigido.")
    assert (done.is_open, done.note) == (False, "Filtro corrigido.")
    assert await store.reviews.feedback.open_count() == 0
    # Said once more, it waits again.
    again = await store.reviews.feedback.give(talk, last, is_good=False)
    assert (again.id, again.is_open, again.note) == (given.id, True, "")

    await store.reviews.feedback.take_back(last)
    assert [each.message for each in await store.reviews.feedback.listed()] == [first]
    assert (await store.messages.latest(talk))[-1].rating == 0


async def test_who_reviews_sees_the_answer_also_once_it_is_hidden(store: Store) -> None:
    talk, (message,) = await answered(store, "São 3.")
    given = await store.reviews.feedback.give(talk, message, is_good=False)
    await store.messages.supersede(message)

    seen = await store.reviews.feedback.reviewed(given.id)

    assert seen.question is not None
    assert (seen.question.text, seen.answer.text) == ("Quantos defeitos?", "São 3.")


async def test_others_see_it_by_their_role_and_their_agents(store: Store) -> None:
    lead = await account(store, "ana", "admin")
    elsewhere = await account(store, "eva", "responsavel", ["visao"])
    near = await account(store, "ivo", "responsavel", ["analise"])
    other = await account(store, "zé")
    store.enter(await account(store, "rui"))
    talk, (message,) = await answered(store, "São 3.")
    given = await store.reviews.feedback.give(talk, message, is_good=False)
    assert [each.id for each in await store.reviews.feedback.listed()] == [given.id]  # one's own
    with pytest.raises(UserError, match="This is for"):
        await store.reviews.feedback.resolve(given.id)

    for person, count in ((lead, 1), (near, 1), (elsewhere, 0), (other, 0)):
        store.enter(person)
        assert await store.reviews.feedback.open_count() == count, person.name
        assert len(await store.reviews.feedback.listed()) == count, person.name
    store.enter(elsewhere)
    with pytest.raises(UserError, match="no feedback"):
        await store.reviews.feedback.reviewed(given.id)
    store.enter(other)
    with pytest.raises(UserError, match="no conversation"):
        await store.reviews.feedback.give(talk, message, is_good=True)
    store.enter(near)
    assert (await store.reviews.feedback.reviewed(given.id)).answer.text == "São 3."


async def test_it_goes_with_its_conversation(store: Store) -> None:
    talk, (message,) = await answered(store, "São 3.")
    given = await store.reviews.feedback.give(talk, message, is_good=False)

    await store.conversations.set_deleted(talk, is_deleted=True)

    assert await store.reviews.feedback.listed() == []
    assert await store.reviews.feedback.open_count() == 0
    with pytest.raises(UserError, match="no feedback"):
        await store.reviews.feedback.resolve(given.id)


async def test_only_an_answer_has_feedback(store: Store) -> None:
    talk, (message,) = await answered(store, "São 3.")
    for wrong in (MessageId(message - 1), MessageId(99)):
        with pytest.raises(UserError, match="no such answer"):
            await store.reviews.feedback.give(talk, wrong, is_good=True)


def test_a_reason_is_told_by_its_name_or_as_it_is_shown() -> None:
    assert reason_of("number") == reason_of("Wrong number") == "number"
    with pytest.raises(UserError, match="misunderstood"):
        reason_of("nada")
