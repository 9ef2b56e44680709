"""Whether an administrator reads what others have said, and what the log says of it."""

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.core.settings import Policy
from qhub_desktop.store import Store
from tests.store.test_people import account

SETTING = "is_audited_reading"
NOBODY = Policy()


async def talk_of_rui(store: Store) -> ConversationId:
    """A conversation of rui's; ana, an administrator, uses the program then."""
    ana = await account(store, "ana", "admin")
    store.enter(await account(store, "rui"))
    talk = await store.conversations.create("analise")
    await store.messages.add(talk.id, "user", [Text("quantos defeitos de verniz?")])
    store.enter(ana)
    return talk.id


async def test_nobody_reads_what_others_said_until_the_plant_has_switched_it_on(
    store: Store,
) -> None:
    talk = await talk_of_rui(store)
    for policy in (NOBODY, Policy({SETTING: False})):
        reading = store.audited_reading(policy)
        if policy.fixed:
            await store.settings.save({SETTING: True})
        assert not await reading.is_on()
        with pytest.raises(UserError, match="nobody else reads them here"):
            await reading.read("rui", talk)
        with pytest.raises(UserError, match="nobody else reads them here"):
            await reading.listed("rui", search="verniz")
    assert await store.audit.listed(action="read") == []


async def test_each_reading_stands_in_the_log_and_opens_nothing_else(store: Store) -> None:
    talk = await talk_of_rui(store)
    reading = store.audited_reading(NOBODY)
    await store.settings.save({SETTING: True})

    (found,) = await reading.listed("rui", search="vern")
    whole = await reading.read("rui", found.id)

    assert found.id == whole.conversation.id == talk
    assert [each.text for each in whole.messages] == ["quantos defeitos de verniz?"]
    told = await store.audit.listed(action="read")
    assert [(each.person, each.subject, each.detail) for each in reversed(told)] == [
        ("ana", "conversations", {"of": "rui", "conversations": 1, "search": "vern"}),
        ("ana", f"conversation {talk}", {"of": "rui", "messages": 1}),
    ]
    # What is not read through it stays where it was, also after one that failed on the way.
    with pytest.raises(UserError, match="no conversation"):
        await reading.read("rui", ConversationId("0123456789ab"))
    assert await store.conversations.listed(search="verniz") == []
    with pytest.raises(UserError, match="no conversation"):
        await store.messages.latest(talk)
    assert len(await store.audit.listed(action="read")) == 2


async def test_only_administrators_read_and_only_with_their_own_agents(store: Store) -> None:
    talk = await talk_of_rui(store)
    reading = store.audited_reading(Policy({SETTING: True}))
    assert (await reading.read("rui", talk)).person == "rui"

    store.enter(await store.people.change("ana", "admin", ["qualidade"]))
    assert await reading.listed("rui") == []
    with pytest.raises(UserError, match="no conversation"):
        await reading.read("rui", talk)
    with pytest.raises(UserError, match="no account 'eva'"):
        await reading.listed("eva")
    store.enter(await account(store, "eva", "responsavel"))
    with pytest.raises(UserError, match="Administrator"):
        await reading.read("rui", talk)
    store.enter(None)
    with pytest.raises(UserError, match="Sign in"):
        await reading.listed("rui")


async def test_nothing_is_returned_that_the_log_could_not_take(store: Store) -> None:
    talk = await talk_of_rui(store)
    reading = store.audited_reading(Policy({SETTING: True}))
    await store.settings.database.run(
        lambda db: db.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON main.audit BEGIN"
            " SELECT RAISE(ABORT, 'no room'); END"
        )
    )
    with pytest.raises(Exception, match="no room"):
        await reading.read("rui", talk)
    assert await store.conversations.listed() == []
