"""Versions of agents: kept for ever, in order, each with an entry in the log."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.store import Store
from qhub_desktop.store.agents import AgentVersion
from qhub_desktop.store.database import connect
from tests.store.test_people import account

SHIPPED: JsonObject = {"name": "Qualidade", "prompt": "És…"}


async def add(
    store: Store, content: JsonObject | None, *, after: int, note: str = ""
) -> AgentVersion:
    return await store.agents.add(
        "qualidade", content, after=after, note=note, detail={"how": "edited"}, shipped=SHIPPED
    )


async def test_each_edit_is_a_version_and_what_had_shipped_is_kept(store: Store) -> None:
    store.enter(await account(store, "ana", "admin"))
    first, second = {**SHIPPED, "name": "Um"}, {**SHIPPED, "name": "Dois"}
    await add(store, first, after=0, note="  de\n ensaio ")
    await add(store, second, after=1)
    await add(store, None, after=2)

    listed = await store.agents.listed("qualidade")
    assert [(each.number, each.person, each.note, each.content) for each in listed] == [
        (3, "ana", "", None),
        (2, "ana", "", second),
        (1, "ana", "de ensaio", first),
        (0, "", "", SHIPPED),
    ]
    removed = replace(listed[0], name="Dois")  # what it was called last
    assert store.agents.latest_now() == [removed] == await store.agents.latest()
    assert await store.agents.originals() == {"qualidade": SHIPPED}
    told = await store.audit.listed(action="agent")
    assert [each.detail["version"] for each in told] == [3, 2, 1]
    assert (await store.audit.verify()).broken is None


async def test_of_two_who_edit_the_same_version_the_second_is_told(store: Store) -> None:
    await add(store, SHIPPED, after=0)
    with pytest.raises(UserError, match="version 1 of this agent"):
        await add(store, {**SHIPPED, "name": "B"}, after=0)

    assert [each.number for each in await store.agents.listed("qualidade")] == [1, 0]
    assert len(await store.audit.listed(action="agent")) == 1


@pytest.mark.parametrize("damage", ["{", "[1]", json.dumps({"x": "\ud800"})])
async def test_a_damaged_version_is_one_without_anything_in_it(
    store: Store, folder: Path, damage: str
) -> None:
    await add(store, SHIPPED, after=0)
    store.close()
    with closing(connect(folder / "qhub.db")) as db:
        db.execute("UPDATE agent_versions SET content = ? WHERE number = 1", (damage,))
    again = Store.open(folder)
    (latest,) = again.agents.latest_now()
    again.close()

    assert latest.content is not None
    assert "name" not in latest.content


async def test_a_rehearsal_is_in_no_list_and_costs_what_it_costs(store: Store) -> None:
    talk = await store.conversations.create_rehearsal("qualidade")
    question = await store.messages.add(talk, "user", [])

    assert question.id
    assert await store.conversations.listed(include_archived=True) == []
    with pytest.raises(UserError, match="no conversation"):
        await store.conversations.find(talk)
