"""What was understood, what is asked back, and plans that the person chose: kept, then shown."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import Answering, ChatEvent, Done, ModelEvent, RoundEnded, TextAdded
from qhub_desktop.core.message import (
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Text,
    unpack_block,
)
from qhub_desktop.store import FILE, Store
from qhub_desktop.store.database import connect
from tests.chat.fakes import AGENT, Person, ScriptedModel, turns_with

COMPLETE = RoundEnded("complete")
UNDERSTOOD = Interpretation(
    {"n": 5}, (Chip("order", "do maior", (Choice("do menor", {"n": -5}),), is_kept=True),)
)
ASKED = Clarification("Qual?", (Choice("ciclo", {"of": "ciclo"}), Choice("outra", {})))


@pytest.mark.parametrize(
    ("said", "kind", "shown"),
    [
        (UNDERSTOOD, "understood", UNDERSTOOD),
        (ASKED, "asked", ASKED),
    ],
)
async def test_what_can_be_pressed_is_on_the_disk_before_it_is_shown(
    store: Store, folder: Path, said: ModelEvent, kind: str, shown: ChatEvent
) -> None:
    model = ScriptedModel([Answering("offline"), TextAdded("São 5."), said, COMPLETE])
    person = Person()
    kinds: list[str] = []
    talk = (await store.conversations.create(AGENT.id)).id

    def look(event: ChatEvent) -> None:
        if isinstance(event, (Interpretation, Clarification)):
            with closing(connect(folder / FILE)) as db:
                rows = db.execute("SELECT data FROM blocks ORDER BY message, position")
                kinds.extend(json.loads(data)["type"] for (data,) in rows)

    person.when = look
    await turns_with(store, model).reply(talk, "e agora?", audience=person)

    assert kinds == ["text", "text", kind]
    assert person.saw == [TextAdded("São 5."), shown, Done("complete")]


async def test_a_chosen_plan_is_kept_beside_the_words_and_given_to_the_model(store: Store) -> None:
    model = ScriptedModel([UNDERSTOOD, COMPLETE], [COMPLETE])
    talk = (await store.conversations.create(AGENT.id)).id
    turns = turns_with(store, model)

    await turns.reply(talk, "do menor", audience=Person(), wanted={"n": -5})
    await turns.retry(talk, audience=Person())

    question = (await store.messages.latest(talk))[0]
    assert question.blocks == (Text("do menor"), ChosenPlan({"n": -5}))
    assert [request.messages for request in model.requests] == [(question,), (question,)]


async def test_a_question_that_was_typed_carries_no_plan(store: Store) -> None:
    model = ScriptedModel([COMPLETE])
    talk = (await store.conversations.create(AGENT.id)).id

    await turns_with(store, model).reply(talk, "do menor", audience=Person())

    assert (await store.messages.latest(talk))[0].blocks == (Text("do menor"),)


def test_what_an_earlier_version_stored_is_read_without_values_and_other_readings() -> None:
    choice: JsonObject = {"label": "ciclo", "plan": {}}
    understood: JsonObject = {"type": "understood", "plan": {"n": 5}, "chips": []}
    asked: JsonObject = {"type": "asked", "text": "Qual?", "choices": [choice]}

    assert unpack_block(understood) == Interpretation({"n": 5}, (), ())
    assert unpack_block(asked) == Clarification("Qual?", (Choice("ciclo", {}, ""),))
