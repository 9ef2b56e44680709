"""The audit log as people read it."""

from datetime import UTC, datetime

import pytest

from qhub_desktop.core import text
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.store import Store
from qhub_desktop.store.audit import Action
from qhub_desktop.store.audit_repository import AuditEntry
from qhub_desktop.store.audit_words import action_words, detail_words, subject_words
from tests.store.test_people import account

READING = "Administrators may read everybody's conversations"


async def said(store: Store) -> list[str]:
    """What stands in the log, the oldest first."""
    entries = [*reversed(await store.audit.listed())]
    return [f"{action_words(e)} | {subject_words(e)} | {detail_words(e)}" for e in entries]


async def done(store: Store) -> None:
    """One of most of the things that stand in a log."""
    store.enter(await account(store, "ana", "admin"))
    await account(store, "rui", "operador", ["qualidade"])
    await store.people.set_disabled("rui", is_disabled=True)
    await store.people.reset_secret("rui", secret="other", kind="pin")
    await store.people.refuse("nobody", why="unknown")
    await store.people.refuse("rui", why="secret")
    await store.settings.save({"engine": "offline", "is_audited_reading": True})
    await store.settings.save({"engine": "claude", "is_audited_reading": True, "rounds": 4})
    await store.costs.set_budget(Budget("person", "rui", "month", 12.5))
    await store.costs.remove_budget("person", "rui", "month")
    await store.audit.add("export", "dados.csv", {"file": "/x/dados.csv", "rows": 2400})
    await store.audit.add("export", "costs", {"file": "custos.csv"})
    await store.audit.add("approved", "defects_add", {"conversation": "ab12", "input": {"n": 1}})


async def test_what_was_done_is_told_in_sentences(store: Store) -> None:
    await done(store)

    assert await said(store) == [
        "account changed | ana | Made. Administrator; agents: every agent.",
        "account changed | rui | Made. Operator; agents: qualidade.",
        "account changed | rui | Disabled.",
        "account changed | rui | Reset: it is to be replaced.",
        "sign-in refused | nobody | There is no such account.",
        "sign-in refused | rui | The password or PIN was wrong.",
        "setting changed | Engine | From the usual to Offline.",
        f"setting changed | {READING} | From the usual to on.",
        "setting changed | Engine | From Offline to Claude.",
        "setting changed | Tool rounds in one answer | From the usual to 4.",
        "budget changed | The budget of rui for this month | 12.50 US$",
        "budget changed | The budget of rui for this month | Taken away.",
        "exported | dados.csv | 2,400 rows to /x/dados.csv.",
        "exported | the costs | To custos.csv.",
        'approved | defects_add | In conversation ab12: {"n": 1}',
    ]


async def test_nothing_is_left_in_english_in_portuguese(store: Store) -> None:
    await done(store)
    english = await said(store)
    text.use("pt")

    told = await said(store)
    assert told[0] == "conta mudada | ana | Criada. Administrador; agentes: todos os agentes."
    assert [a for a, b in zip(told, english, strict=True) if a == b] == []


@pytest.mark.parametrize(
    ("action", "detail"),
    [
        ("account", {"role": "chief", "agents": "[broken"}),
        ("account", {"role": 3}),
        ("setting", {"before": [1], "after": {"a": None}}),
        ("read", {"of": "rui", "messages": "x"}),
        ("refused", {"why": "later"}),
        ("agent", {"version": 3, "name": "Qualidade"}),
        ("something new", {"a": 1}),
    ],
)
def test_an_entry_of_a_later_program_is_told_as_it_stands(
    action: Action, detail: JsonObject
) -> None:
    entry = AuditEntry(1, datetime.now(UTC), "ana", action, "x", detail)
    assert action_words(entry)
    assert subject_words(entry) == "x"
    assert detail_words(entry)
