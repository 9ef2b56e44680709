"""Subjects that a small model names: of the questions alone, counted by us, one person's."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from qhub_desktop.chat.agents import Agent
from qhub_desktop.chat.budgets import BudgetedModel
from qhub_desktop.chat.patterns import READING_MODEL, PatternReader, subjects_in
from qhub_desktop.core.budget import Budget, BudgetSpentError
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from qhub_desktop.store import patterns as stored
from qhub_desktop.store.patterns import NOTE
from tests.chat.fakes import AGENT
from tests.chat.requests import claude_at
from tests.store.test_people import account
from tests.wire import Answer, Refusal, Usage, WireServer, answer
from tests.wire.scenes import Scene

OPEN = {AGENT.id: AGENT}
ONLINE = Settings(engine="claude")


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "REST", timedelta(0))


async def talk(store: Store, *questions: str, agent: str = AGENT.id) -> ConversationId:
    """Hold a conversation that a service has answered, with a call in each answer."""
    id_ = (await store.conversations.create(agent)).id
    for question in questions:
        await store.messages.add(id_, "user", [Text(question)])
        blocks = (ToolCall("c1", "ler", {}), ToolResult("c1", {"linhas": ["Zwetschge"]}))
        said = await store.messages.add(id_, "assistant", [*blocks, Text("São 62, Zwetschge.")])
        await store.messages.end(said.id, "complete", engine="claude")
    return id_


def naming(*subjects: tuple[str, list[str]]) -> Answer:
    """A model that names these subjects."""
    named = [{"nome": name, "palavras": words} for name, words in subjects]
    return answer(f"Aqui está:\n{json.dumps(named, ensure_ascii=False)}")


@asynccontextmanager
async def reading(
    store: Store,
    url: str,
    *,
    settings: Settings = ONLINE,
    agents: dict[str, Agent] | None = None,
    key: str | None = "sk-test",
) -> AsyncIterator[PatternReader]:
    async with claude_at(url, settings=settings, key=key) as claude:
        yield PatternReader(
            store.patterns,
            store.messages,
            BudgetedModel(claude, store.costs),
            agents=lambda: OPEN if agents is None else agents,
            settings=lambda: settings,
            service=lambda: "api.example.com",
            refused_services=store.memories.refused_services,
        )


async def read(store: Store, script: Sequence[Scene], **how: object) -> list[dict[str, object]]:
    """Have the subjects named; the bodies of what was asked."""
    with WireServer(list(script)) as server:
        async with reading(store, server.url, **how) as reader:  # type: ignore[arg-type]
            await reader.read()
        return [each.body for each in server.requests]


async def test_the_model_reads_the_questions_alone_and_is_asked_once(store: Store) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e a pressão?")

    (body,) = await read(store, [naming(("Crateras por linha", ["crateras", "linha"]))])

    assert body["model"] == READING_MODEL == "claude-haiku-5-5"
    assert "tools" not in body
    assert "thinking" not in body
    whole = json.dumps(body, ensure_ascii=False)
    assert "crateras na linha 2?" in whole
    assert "Zwetschge" not in whole


async def test_how_often_is_counted_here_and_what_nothing_bears_out_is_left_out(
    store: Store,
) -> None:
    for day in range(4):
        await talk(store, f"crateras na linha {day}?", "e agora?")
    await talk(store, "que horas são?", "e agora?")

    await read(
        store,
        [
            naming(
                ("Crateras por linha (50 de 50)", ["cratera", "linhas"]),
                ("Custos por cor", ["custos", "cor"]),
                ("Horas", ["horas"]),
                ("Tudo", ["a"]),
            )
        ],
    )

    (found,) = await store.patterns.refresh(store.memories)
    assert (found.seen, found.of, found.starter) == (4, 5, "crateras na linha 3?")
    assert (await store.memories.find(NOTE)).text == found.line
    assert found.line.endswith("(4 of 5 conversations)")


async def test_at_most_five_are_kept_and_the_next_reading_replaces_them(store: Store) -> None:
    words = ["alfa", "beta", "gama", "delta", "épsilon", "zeta", "eta"]
    for _day in range(3):
        await talk(store, " ".join(words), "e agora?")

    await read(store, [naming(*[(each, [each]) for each in words])])
    assert len(await store.patterns.listed()) == 5
    await read(store, [naming(("eta", ["eta"]))])
    (only,) = await store.patterns.listed()
    assert only.seen == 3


async def test_a_deleted_one_returns_under_no_other_name(store: Store) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "pressão da bomba?")
    await read(store, [naming(("Crateras", ["crateras"]))])
    (found,) = await store.patterns.listed()

    await store.patterns.refuse(found.key)
    again = [("Defeitos da linha", ["linha"]), ("Bomba", ["bomba"])]
    (body,) = await read(store, [naming(*again)])

    assert "crateras" not in json.dumps(body)
    (other,) = await store.patterns.listed()
    assert "Bomba" in other.text


@pytest.mark.parametrize(
    ("settings", "key", "privacy", "refused"),
    [
        (Settings(engine="offline"), "sk-test", "rows", ""),
        (Settings(engine="claude", patterns=False), "sk-test", "rows", ""),
        (ONLINE, "sk-test", "nothing", ""),
        (ONLINE, "sk-test", "rows", "api.example.com"),
    ],
)
async def test_nothing_leaves_where_nothing_may(
    store: Store, settings: Settings, key: str, privacy: str, refused: str
) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e agora?")
    if refused:
        await store.memories.set_refused(refused, is_refused=True)
    agents = {AGENT.id: replace(AGENT, privacy=privacy)}  # type: ignore[arg-type]

    assert await read(store, [], settings=settings, key=key, agents=agents) == []


async def test_of_an_agent_that_lets_nothing_out_no_question_goes(store: Store) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e agora?")
        await talk(store, "salários?", "e ontem?", agent="fechado")
        await talk(store, "quem falta?", "e ontem?", agent="apagado")
    closed = replace(AGENT, id="fechado", privacy="nothing")

    (body,) = await read(store, [naming()], agents={**OPEN, "fechado": closed})

    whole = json.dumps(body, ensure_ascii=False)
    assert "crateras" in whole
    assert "salários" not in whole
    assert "quem falta" not in whole


async def test_it_costs_at_most_what_is_promised(store: Store) -> None:
    for _day in range(30):
        await talk(store, *[f"{number} " + "crateras na linha? " * 40 for number in range(20)])

    (body,) = await read(store, [naming()])

    tokens = len(json.dumps(body, ensure_ascii=False)) / 3
    assert 3_000 < tokens <= 6_000
    assert body["max_tokens"] == 400
    assert tokens * 0.1 / 1e6 + 400 * 0.5 / 1e6 < 0.001


async def test_what_it_took_is_counted_as_the_persons_and_in_no_list(store: Store) -> None:
    ana, rui = await account(store, "ana", "admin"), await account(store, "rui")
    store.enter(rui)
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e agora?")

    await read(store, [replace(naming(("Crateras", ["crateras"])), usage=Usage(5_000, 100))])

    assert len(await store.conversations.listed(include_archived=True)) == 3
    assert (await store.recall.find("palavras")).found == ()
    (total,) = await store.costs.totals("person", owner=rui.id)
    assert (total.key, total.calls, total.input_tokens) == ("rui", 1, 5_000)
    store.enter(ana)
    assert await store.patterns.listed() == []


async def test_a_spent_budget_lets_nothing_be_asked(store: Store) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e agora?")
    await store.costs.set_budget(Budget("station", "", "day", 0.0))

    with WireServer([]) as server:
        async with reading(store, server.url) as reader:
            with pytest.raises(BudgetSpentError):
                await reader.read()

    assert server.requests == []


async def test_a_failure_leaves_what_was_named_before(store: Store) -> None:
    for day in range(3):
        await talk(store, f"crateras na linha {day}?", "e agora?")
    await read(store, [naming(("Crateras", ["crateras"]))])

    broken: list[Callable[[], Scene]] = [
        lambda: naming(("Linha", ["linha"])).broken_off("reset", after=2),
        lambda: Refusal(400, "invalid_request_error", "no"),
    ]
    for make in broken:
        with pytest.raises(QHubError):
            await read(store, [make()])
        (found,) = await store.patterns.listed()
        assert "Crateras" in found.text


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Não há nenhum.",
        "[",
        "[1, 2]",
        '{"nome": "x"}',
        '[{"nome": 1, "palavras": ["linha"]}]',
        '[{"nome": "x", "palavras": "linha"}]',
        '[{"nome": "x", "palavras": []}]',
        '[{"nome": "", "palavras": ["linha"]}]',
        '[{"nome": "x", "palavras": ["um", "de"]}]',
        '[{"nome": "A gravidez da Ana", "palavras": ["linha"]}]',
        '[{"nome": "x", "palavras": ["a1a", "b1b", "c1c", "d1d", "e1e"]}]',
    ],
)
def test_an_answer_that_is_not_as_asked_names_nothing(said: str) -> None:
    assert subjects_in(said) == []
