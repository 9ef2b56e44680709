"""The judge by a model: what it is sent, once each, in a batch that outlives the program."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.app import Program
from qhub_desktop.chat.model_judge import JUDGE, JUDGE_MODEL
from qhub_desktop.core.budget import Budget, BudgetSpentError
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Block, Text, ToolCall, ToolResult
from qhub_desktop.store import Store
from tests.program import offline_program
from tests.wire import Answer, Usage, WireServer, calls

GOOD = {"apoiado": True, "responde": True, "ferramenta": True, "claro": True, "exemplo": False}


def vote(**changed: Any) -> Answer:
    """What the judge says of one answer."""
    return calls(("avaliar", {**GOOD, "motivo": "Certo.", **changed}), usage=Usage(3_000, 100))


@asynccontextmanager
async def judging(
    folder: Path, monkeypatch: pytest.MonkeyPatch, server: WireServer
) -> AsyncIterator[Program]:
    """A program whose judge is on, and asks this server."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    program = offline_program(folder)
    program.chosen.replace(replace(program.settings, engine="claude", judge=True))
    try:
        yield program
    finally:
        await program.close()


async def answered(
    store: Store, count: int, *, agent: str = "qualidade", rating: int = 0
) -> tuple[ConversationId, list[MessageId]]:
    """Answers that a model gave."""
    talk = (await store.conversations.create(agent)).id
    made = []
    for number in range(count):
        await store.messages.add(talk, "user", [Text(f"quantos lixos há? ({number})")])
        call = ToolCall(f"c{number}", "contar_defeitos", {"tipo_defeito": "lixo"})
        said: list[Block] = [call, ToolResult(call.id, {"total": 62}), Text("Há 62.")]
        answer = await store.messages.add(talk, "assistant", said)
        await store.messages.end(answer.id, "complete", engine="claude-sonnet-5-5")
        if rating:
            await store.reviews.feedback.give(talk, answer.id, is_good=rating > 0)
        made.append(answer.id)
    return talk, made


async def test_a_batch_is_sent_left_and_collected_by_a_later_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = [vote(), vote(claro=False, motivo="Confuso."), vote(exemplo=True)]
    with WireServer([*script]) as server:
        async with judging(tmp_path, monkeypatch, server) as program:
            _talk, made = await answered(program.store, 3, rating=1)
            plan = await program.judge.plan()
            assert len(plan.cases) == 3
            assert 0 < plan.usd < 0.02 * 3
            assert server.requests == []
            assert await program.judge.run(plan)
            assert await program.judge.collect() is None  # the service still works on it
            with pytest.raises(UserError, match="already"):
                await program.judge.run(plan)
        async with judging(tmp_path, monkeypatch, server) as program:
            assert await program.judge.is_under_way()
            verdicts = await program.judge.collect()
            assert verdicts is not None
            assert {each.message: each.is_good for each in verdicts} == {
                made[2]: True,
                made[1]: False,
                made[0]: True,
            } or sorted(each.is_good for each in verdicts) == [False, True, True]
            assert "Confuso." in [each.why for each in verdicts]
            assert not await program.judge.is_under_way()
            assert (await program.judge.plan()).cases == ()  # each answer once
            assert await program.judge.agreement() == (2, 3)
            (proposed,) = await program.store.reviews.examples.listed()
            assert (proposed.state, proposed.answer) == ("proposed", "Há ‹n›.")
            spent = await program.store.messages.spent_today()
            assert spent == pytest.approx(3 * 0.5 * (3_000 * 4 + 100 * 20) / 1e6)
        bodies = [each.body for each in server.requests]
    assert {each["model"] for each in bodies} == {JUDGE_MODEL}
    for body in bodies:
        assert "tool_choice" not in body  # not forced
        (tool,) = body["tools"]
        assert tool["name"] == "avaliar"
        text = json.dumps(body["messages"], ensure_ascii=False)
        told = r"PERGUNTA: .*CHAMADA: contar_defeitos.*RESULTADO: .*RESPOSTA: Há 62"
        assert re.search(told, text)


async def test_personal_data_is_hidden_from_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([vote()]) as server:
        async with judging(tmp_path, monkeypatch, server) as program:
            talk = (await program.store.conversations.create("qualidade")).id
            asked = "quantos defeitos tem o contribuinte NIF 501964843?"
            await program.store.messages.add(talk, "user", [Text(asked)])
            answer = await program.store.messages.add(talk, "assistant", [Text("Há 62.")])
            await program.store.messages.end(answer.id, "complete", engine="claude-sonnet-5-5")
            await program.store.reviews.feedback.give(talk, answer.id, is_good=True)
            assert await program.judge.run(await program.judge.plan())
        sent = json.dumps([each.body for each in server.requests], ensure_ascii=False)
    assert "quantos defeitos" in sent
    assert "501964843" not in sent


async def test_of_those_without_a_word_one_in_ten_is_judged_as_far_as_the_money_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([]) as server:
        async with judging(tmp_path, monkeypatch, server) as program:
            _talk, made = await answered(program.store, 40)
            await program.store.reviews.feedback.give(_talk, made[0], is_good=False)
            plan = await program.judge.plan()
            rest = [each for each in made[1:] if each % 10 == 0]
            assert [each.answer.id for each in plan.cases] == [made[0], *reversed(rest)]
            each_usd = plan.usd / len(plan.cases)
            assert len((await program.judge.plan(most_usd=2.5 * each_usd)).cases) == 2
            assert len((await program.judge.plan(limit=1)).cases) == 1
        assert server.requests == []


async def test_nothing_is_asked_without_the_ability_or_room_in_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([]) as server:
        async with judging(tmp_path, monkeypatch, server) as program:
            await answered(program.store, 2, rating=1)
            await answered(program.store, 2, rating=1, agent="removed")  # goes nowhere
            plan = await program.judge.plan()
            assert len(plan.cases) == 2
            await program.store.costs.set_budget(Budget("station", "", "day", 0.001))
            with pytest.raises(BudgetSpentError):
                await program.judge.run(plan)
            assert not await program.judge.is_under_way()
            program.chosen.replace(replace(program.settings, judge=False))
            with pytest.raises(UserError, match="flags set judge on"):
                await program.judge.run(plan)
        assert server.requests == []


async def test_a_judge_that_disagrees_with_people_proposes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(lambda _body: vote(exemplo=True)) as server:
        async with judging(tmp_path, monkeypatch, server) as program:
            await answered(program.store, 20, rating=-1)
            for _minute in range(3):  # sent, looked at, collected
                await program.judge.idle()
            assert await program.store.reviews.judgements.agreement(JUDGE) == (0, 20)
            await program.judge.idle()  # nothing is left to judge
            assert await program.store.reviews.examples.listed() == []
