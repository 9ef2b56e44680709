"""Whose conversations are whose, and a log that only grows."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.dashboard import DashboardSpec
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import Text
from qhub_desktop.core.person import Person, Role
from qhub_desktop.store import Store
from qhub_desktop.store.database import connect


async def account(
    store: Store, name: str, role: Role = "operador", agents: Sequence[str] | None = None
) -> Person:
    return await store.people.add(
        name, role, agents, secret="hash", kind="password", must_change=False
    )


async def test_what_the_station_had_becomes_the_first_administrators(store: Store) -> None:
    talk = await store.conversations.create("analise")
    ana = await account(store, "ana", "admin")
    rui = await account(store, "rui")

    store.enter(None)
    assert await store.conversations.listed() == []
    with pytest.raises(UserError):
        await store.conversations.find(talk.id)
    store.enter(rui)
    assert await store.conversations.listed() == []
    store.enter(ana)
    assert [each.id for each in await store.conversations.listed()] == [talk.id]


async def test_the_first_account_is_an_administrators(store: Store) -> None:
    with pytest.raises(UserError, match="first account"):
        await account(store, "rui")
    assert not store.people.are_in_use()


async def test_nobody_reaches_the_conversation_of_somebody_else(store: Store) -> None:
    ana, rui = await account(store, "ana", "admin"), await account(store, "rui")
    store.enter(ana)
    talk = await store.conversations.create("analise")
    await store.messages.add(talk.id, "user", [Text("quantos defeitos de verniz?")])
    store.enter(rui)

    conversations = store.conversations
    for refused in (
        lambda: conversations.find(talk.id),
        lambda: conversations.rename(talk.id, "mine"),
        lambda: conversations.set_pinned(talk.id, is_pinned=True),
        lambda: conversations.set_archived(talk.id, is_archived=True),
        lambda: conversations.set_unread(talk.id, is_unread=True),
        lambda: conversations.set_deleted(talk.id, is_deleted=True),
        lambda: store.messages.latest(talk.id),
        lambda: store.messages.add(talk.id, "user", [Text("and mine?")]),
        lambda: store.outbox.put(talk.id, "and mine?"),
    ):
        with pytest.raises(UserError, match="no conversation"):
            await refused()
    assert await conversations.listed(search="verniz") == []
    store.enter(ana)
    assert (await conversations.find(talk.id)).title == "quantos defeitos de verniz?"


async def test_a_conversation_with_an_agent_that_is_not_theirs_any_more_is_out_of_reach(
    store: Store,
) -> None:
    ana = await account(store, "ana", "admin")
    rui = await account(store, "rui", "operador", ["analise", "it's"])
    store.enter(rui)
    talk = await store.conversations.create("analise")
    other = await store.conversations.create("it's")
    await store.outbox.put(talk.id, "quantos?")

    store.enter(ana)
    store.enter(await store.people.change("rui", "operador", ["it's"]))

    assert [each.id for each in await store.conversations.listed()] == [other.id]
    assert await store.outbox.listed() == []
    with pytest.raises(UserError):
        await store.messages.latest(talk.id)


async def test_questions_of_others_stay_in_the_outbox(store: Store) -> None:
    ana, rui = await account(store, "ana", "admin"), await account(store, "rui")
    store.enter(rui)
    talk = await store.conversations.create("qualidade")
    waiting = await store.outbox.put(talk.id, "quantos?")
    await store.outbox.claim(waiting.id)

    store.enter(ana)
    assert await store.outbox.recover() == []
    assert await store.outbox.listed() == []
    store.enter(rui)
    assert [each.state for each in await store.outbox.listed()] == ["sending"]


async def test_the_dashboards_that_were_for_one_become_the_first_administrators(
    store: Store,
) -> None:
    made = await store.dashboards.create(
        DashboardSpec("Manhã", "<p>x</p>"), (), author="windows-user", agent="analise"
    )
    await account(store, "ana", "admin")
    assert (await store.dashboards.find(made.id)).author == "ana"


async def test_every_change_of_an_account_stands_in_the_log(store: Store) -> None:
    ana = await account(store, "ana", "admin")
    store.enter(ana)
    await account(store, "rui")
    await store.people.change("rui", "responsavel", ["analise"])
    await store.people.set_disabled("rui", is_disabled=True)
    await store.people.reset_secret("rui", secret="other", kind="password")
    await store.people.refuse("nobody", why="unknown")
    talk = await store.conversations.create("analise")
    await store.conversations.set_deleted(talk.id, is_deleted=True)

    told = await store.audit.listed()

    assert [(each.person, each.action, each.subject) for each in reversed(told)] == [
        ("", "account", "ana"),
        ("ana", "account", "rui"),
        ("ana", "account", "rui"),
        ("ana", "account", "rui"),
        ("ana", "account", "rui"),
        ("ana", "refused", "nobody"),
        ("ana", "delete", f"conversation {talk.id}"),
    ]
    assert (await store.audit.verify()).broken is None
    assert [each.id for each in await store.audit.listed(search="responsavel")] == [3]
    assert [each.id for each in await store.audit.listed(action="refused")] == [6]


async def test_the_file_itself_refuses_to_change_the_log(store: Store, folder: Path) -> None:
    await store.audit.add("export", "dados.csv", {"rows": 3})
    with closing(connect(folder / "qhub.db")) as db:
        for statement in ("DELETE FROM audit", "UPDATE audit SET subject = 'other'"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                db.execute(statement)


FORGERIES = {
    "changed": "UPDATE audit SET detail = '{}' WHERE id = 3",
    "by another": "UPDATE audit SET person = 'eva' WHERE id = 3",
    "taken out": "DELETE FROM audit WHERE id = 3",
    "swapped": "UPDATE audit SET id = 7 - id WHERE id IN (3, 4)",
    "cut off": "DELETE FROM audit WHERE id >= 3",
    "put in": """INSERT INTO audit SELECT 6, at, person, action, subject, detail, hash FROM audit
        WHERE id = 5""",
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_what_was_done_to_the_log_around_its_guard_is_found(
    store: Store, folder: Path, forgery: str
) -> None:
    for number in range(5):
        await store.audit.add("export", f"file {number}.csv", {"rows": number})
    assert (await store.audit.verify()).broken is None
    with closing(connect(folder / "qhub.db")) as db:
        for trigger in ("audit_stays", "audit_holds"):
            db.execute(f"DROP TRIGGER {trigger}")
        try:
            db.execute(FORGERIES[forgery])
        except sqlite3.IntegrityError:  # ids are unique: through a free one
            db.execute("UPDATE audit SET id = 99 WHERE id = 3")
            db.execute("UPDATE audit SET id = 3 WHERE id = 4")
            db.execute("UPDATE audit SET id = 4 WHERE id = 99")

    verdict = await store.audit.verify()

    assert verdict.broken == (6 if forgery == "put in" else 3)


async def test_a_changed_setting_stands_in_the_log_with_what_it_was(store: Store) -> None:
    await store.settings.save({"station": "P1"})
    await store.settings.save({"station": "P2"})
    await store.settings.save({"station": "P2"})

    told = await store.audit.listed(action="setting")

    assert [each.detail for each in told] == [
        {"before": "P1", "after": "P2"},
        {"before": None, "after": "P1"},
    ]
