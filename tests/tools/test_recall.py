"""Earlier conversations, found by their words: one's own, archived too, deleted never."""

from datetime import date, timedelta
from typing import Any

import pytest

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.message import Text, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.tool import ToolContext, tools_of
from qhub_desktop.nlq.offline_engine import OfflineEngine
from qhub_desktop.store import Store
from qhub_desktop.tools.recall import RecallTools
from tests.chat.fakes import Person, turns_with


async def _say(
    store: Store, *words: str, conversation: ConversationId = NO_CONVERSATION
) -> tuple[ConversationId, list[MessageId]]:
    """Ask and answer in turn; return the conversation and the messages."""
    talk = conversation or (await store.conversations.create("analise")).id
    ids = []
    for n, text in enumerate(words):
        message = await store.messages.add(talk, "assistant" if n % 2 else "user", [Text(text)])
        if n % 2:
            await store.messages.end(message.id, "complete", engine="offline")
        ids.append(message.id)
    return talk, ids


async def _found(store: Store, *, message: MessageId | None = None, **given: Any) -> Any:
    tools = tools_of(RecallTools(store.recall, Settings))
    work = tools["procurar_conversas"].prepare(given)
    return (await work(ToolContext(NO_CONVERSATION, (), message=message))).content


async def test_words_are_found_in_whatever_form_they_were_said(store: Store) -> None:
    talk, (question, answer) = await _say(store, "Há crateras na rack R12?", "Sim: 14 crateras.")
    await _say(store, "E lixo?", "Não.")

    content = await _found(store, palavras="cratera R12")

    (hit,) = content["mensagens"]
    assert (hit["conversa"], hit["mensagem"], hit["de"]) == (talk, question, "pessoa")
    assert "crateras na rack R12" in hit["excerto"]
    both = await _found(store, palavras="CRATÉRAS")
    assert {each["mensagem"] for each in both["mensagens"]} == {question, answer}


async def test_where_no_message_has_all_words_some_are_told(store: Store) -> None:
    await _say(store, "Há crateras?", "Sim.")

    content = await _found(store, palavras="crateras na estufa sete")

    assert content["parcial"] is True
    assert len(content["mensagens"]) == 1
    assert await _found(store, palavras="xaile") == {"mensagens": []}


async def test_archived_ones_are_found_and_deleted_ones_never(store: Store) -> None:
    archived, _ids = await _say(store, "crateras em fevereiro", "sim")
    deleted, _ids = await _say(store, "crateras em março", "sim")
    await store.conversations.set_archived(archived, is_archived=True)
    await store.conversations.set_deleted(deleted, is_deleted=True)

    content = await _found(store, palavras="crateras")

    assert [each["conversa"] for each in content["mensagens"]] == [archived]


async def test_the_question_itself_is_no_hit_but_what_was_said_before_is(store: Store) -> None:
    talk, (first, *_rest) = await _say(store, "crateras ontem", "três", "e as crateras de hoje?")
    answer = await store.messages.add(talk, "assistant")

    content = await _found(store, palavras="crateras", message=answer.id)

    assert [each["mensagem"] for each in content["mensagens"]] == [first]


async def test_days_bound_what_is_found(store: Store) -> None:
    await _say(store, "crateras", "sim")
    today = date.today()

    async def count(**given: Any) -> int:
        return len((await _found(store, palavras="crateras", **given))["mensagens"])

    assert await count(de=today.isoformat(), ate=today.isoformat()) == 1
    assert await count(ate=(today - timedelta(days=1)).isoformat()) == 0
    assert await count(de=(today + timedelta(days=1)).isoformat()) == 0


async def test_a_message_is_told_with_two_on_either_side(store: Store) -> None:
    talk, ids = await _say(store, *(f"mensagem {n} {'x' * 2000}" for n in range(7)))

    content = await _found(store, conversa=talk, a_volta_de=ids[3])

    assert [each["mensagem"] for each in content["mensagens"]] == ids[1:6]
    assert all(len(each["excerto"]) <= 1_010 for each in content["mensagens"])
    other, _ids = await _say(store, "outra")
    assert await _found(store, conversa=other, a_volta_de=ids[3]) == {"mensagens": []}


async def test_a_conversation_that_is_none_is_told(store: Store) -> None:
    with pytest.raises(ToolError):
        await _found(store, palavras="x", conversa="msg_01abc")
    with pytest.raises(ToolError):
        await _found(store, a_volta_de=3)


@pytest.mark.parametrize("is_on", [True, False])
async def test_nobody_is_told_of_the_tool_with_the_ability_off(
    store: Store, *, is_on: bool
) -> None:
    tools = tools_of(RecallTools(store.recall, lambda: Settings(session_search=is_on)))

    assert await tools["procurar_conversas"].is_there() is is_on


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("o que vimos hoje sobre crateras?", "Há crateras na rack R12?"),
        ("O que é que te perguntei sobre crateras?", "Há crateras na rack R12?"),
        ("what did we say about crateras today?", "Há crateras na rack R12?"),
        ("o que falámos ontem sobre crateras?", "Não encontrei"),
    ],
)
async def test_the_offline_engine_looks_for_what_was_said(
    store: Store, question: str, told: str
) -> None:
    await _say(store, "Há crateras na rack R12?", "Sim: 14.")
    engine = OfflineEngine()
    agent = Agent(
        id="analise",
        name="A",
        summary={"pt": "", "en": ""},
        icon="",
        prompt="",
        tools=("procurar_conversas",),
        starters={"pt": (), "en": ()},
    )
    turns = turns_with(store, engine, agent=agent, toolbox=RecallTools(store.recall, Settings))
    talk = (await store.conversations.create("analise")).id

    await turns.reply(talk, question, audience=Person())
    engine.close()

    _later, (*_, asking) = await _say(store, "e hoje?", "Nada.")
    found = await _found(store, palavras="crateras", message=asking)
    heard = [each["excerto"] for each in found["mensagens"]]
    assert heard == ["Há crateras na rack R12?"]  # to look for them is no talk of them
    answer = (await store.messages.latest(talk))[-1]
    assert any(isinstance(block, ToolResult) for block in answer.blocks)
    assert told in answer.text
