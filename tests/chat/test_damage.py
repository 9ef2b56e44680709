"""Damage to a conversation, as the person and the model are told of it."""

import sqlite3
from contextlib import closing

from qhub_desktop.chat.context import DamageSource
from qhub_desktop.core.context import Context
from qhub_desktop.core.events import Answering, RoundEnded, StatusChanged, TextAdded
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, ScriptedModel, turns_with

ROUND = (Answering("claude"), TextAdded("Sim."), RoundEnded("complete"))


async def talked(store: Store) -> tuple[ConversationId, list[MessageId]]:
    """A conversation of three questions with answers; its id, and those of its messages."""
    made = await store.conversations.create(AGENT.id)
    turns = turns_with(store, ScriptedModel(ROUND, ROUND, ROUND))
    for number in range(3):
        await turns.reply(made.id, f"Pergunta {number}?", audience=Person())
    return made.id, [each.id for each in await store.messages.latest(made.id)]


def change(store: Store, statement: str) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute(statement)


async def test_model_and_person_are_told_once_of_what_is_missing(store: Store) -> None:
    conversation, ids = await talked(store)
    change(store, f"DELETE FROM messages WHERE id IN ({ids[1]}, {ids[2]})")
    model, person = ScriptedModel(ROUND, ROUND), Person()
    turns = turns_with(store, model, context=[DamageSource(store.integrity)])

    await turns.reply(conversation, "e agora?", audience=person)
    await turns.reply(conversation, "e depois?", audience=Person())

    asked = [each for each in model.requests[1].messages if each.role == "user"][-2:]
    assert [each.blocks for each in asked] == [
        (
            Text("e agora?"),
            Context({"avisos": "faltam 2 mensagens; não presumas o que diziam"}),
        ),
        (Text("e depois?"),),
    ]
    assert [each.kind for each in person.all(StatusChanged)] == ["damaged"]
    assert (await store.integrity.check(conversation)).left == 2  # asking has repaired nothing


async def test_a_model_is_told_not_to_rely_on_what_was_altered(store: Store) -> None:
    conversation, ids = await talked(store)
    change(store, f"UPDATE blocks SET data = replace(data, 'Sim', 'Não') WHERE message = {ids[3]}")
    model = ScriptedModel(ROUND)

    await turns_with(store, model, context=[DamageSource(store.integrity)]).reply(
        conversation, "e agora?", audience=Person()
    )

    assert model.requests[0].messages[-1].blocks[1] == Context(
        {"avisos": "1 mensagem danificada; não te fies no que resta"}
    )


async def test_what_was_set_apart_is_still_told_to_be_missing(store: Store) -> None:
    conversation, ids = await talked(store)
    change(store, f"DELETE FROM blocks WHERE message = {ids[3]}")
    change(store, f"DELETE FROM texts WHERE message = {ids[3]}")
    await store.integrity.repair()
    model, person = ScriptedModel(ROUND), Person()

    await turns_with(store, model, context=[DamageSource(store.integrity)]).reply(
        conversation, "e agora?", audience=person
    )

    assert model.requests[0].messages[-1].blocks[1] == Context(
        {"avisos": "falta 1 mensagem; não presumas o que dizia"}
    )
    assert person.all(StatusChanged) == []


async def test_a_sound_conversation_is_told_nothing_of_damage(store: Store) -> None:
    conversation, _ids = await talked(store)
    model, person = ScriptedModel(ROUND), Person()

    await turns_with(store, model, context=[DamageSource(store.integrity)]).reply(
        conversation, "e agora?", audience=person
    )

    assert len(model.requests[0].messages[-1].blocks) == 1
    assert person.all(StatusChanged) == []
