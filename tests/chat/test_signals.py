"""What people do with answers: counted by agent and day, without the person."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import ModelEvent, ModelRequest, RoundEnded, TextAdded
from qhub_desktop.core.message import Chip, Choice, Interpretation
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.signals import SignalKind, signal_of
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, ScriptedModel, turns_with
from tests.chat.requests import answered
from tests.store.test_people import account

END = RoundEnded("complete")
PLAN: JsonObject = {"type": "number"}
OTHER: JsonObject = {"type": "rows"}
UNDERSTOOD = Interpretation(
    PLAN, (Chip("measure", "total", (Choice("rows", OTHER),)),), next=(Choice("and by shift?", {}),)
)


@pytest.mark.parametrize(
    ("question", "wanted", "kind"),
    [
        ("Não era isso!", None, "refused"),
        ("that's not what I asked", None, "refused"),
        ("and by shift?", None, "suggested"),
        ("rows", OTHER, "changed"),
        ("again", {"chamada": "contar", "entrada": {}}, "retried"),
        ("quantos defeitos não são riscos?", None, None),
    ],
)
def test_a_next_question_tells_of_the_answer_before(
    question: str, wanted: JsonObject | None, kind: SignalKind | None
) -> None:
    before = answered(UNDERSTOOD)
    assert signal_of(question, wanted, before) == kind
    assert signal_of(question, wanted, None) is None


async def test_what_is_done_is_added_up_by_agent_and_day(store: Store) -> None:
    rounds: list[list[Any]] = [[TextAdded("x"), UNDERSTOOD, END] for _each in range(5)]
    turns = turns_with(store, ScriptedModel(*rounds))
    talk = (await store.conversations.create(AGENT.id)).id
    await turns.reply(talk, "how many?", audience=Person())
    await turns.reply(talk, "rows", audience=Person(), wanted=OTHER)
    await turns.retry(talk, audience=Person())
    question = (await store.messages.latest(talk))[-2]
    await turns.edit(talk, question.id, "other words", audience=Person())
    for kind in ("shown", "shown", "opened"):
        await turns.note(talk, kind)

    (found,) = await store.reviews.signals.totals("agent")
    assert found == {
        "agent": AGENT.id,
        "shown": 2,
        "clicked": 1,
        "ctr": 0.5,
        "suggested": 0,
        "retried": 1,
        "edited": 2,
        "stopped": 0,
        "left": 0,
    }
    (day,) = await store.reviews.signals.totals("day")
    assert len(str(day["day"])) == 10
    assert await store.reviews.signals.totals("workflow") == []
    await store.reviews.signals.count(AGENT.id, "left", workflow="8D")
    (left,) = await store.reviews.signals.totals("workflow")
    assert (left["workflow"], left["left"]) == ("8D", 1)


async def test_an_answer_that_is_stopped_is_counted(store: Store) -> None:
    begun, gate = asyncio.Event(), asyncio.Event()

    class Waiting(ScriptedModel):
        @override
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            yield TextAdded("x")
            begun.set()
            await gate.wait()

    turns = turns_with(store, Waiting())
    talk = (await store.conversations.create(AGENT.id)).id
    task = asyncio.ensure_future(turns.reply(talk, "?", audience=Person()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (found,) = await store.reviews.signals.totals()
    assert found["stopped"] == 1


async def test_with_the_ability_off_nothing_is_counted(store: Store) -> None:
    turns = turns_with(
        store,
        ScriptedModel([TextAdded("x"), END], [TextAdded("y"), END]),
        settings=Settings(signals=False),
    )
    talk = (await store.conversations.create(AGENT.id)).id
    await turns.reply(talk, "?", audience=Person())
    await turns.retry(talk, audience=Person())
    await turns.note(talk, "shown")
    (found,) = await store.reviews.signals.totals()
    assert not any(found.values())


async def test_an_operator_counts_and_does_not_see_the_sums(store: Store) -> None:
    await account(store, "ana", "admin")
    store.enter(await account(store, "rui"))
    await store.reviews.signals.count("analise", "shown")
    with pytest.raises(Exception, match="This is for"):
        await store.reviews.signals.totals()
