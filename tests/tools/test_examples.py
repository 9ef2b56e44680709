"""Examples that teach: made without figures, approved, chosen for a question, and told."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.context import Context
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.examples import LONGEST_EXAMPLE, Example, TaughtCall, drafted
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Interpretation, Text, ToolCall, ToolResult
from qhub_desktop.tools.examples import nearest
from tests.chat.requests import answered
from tests.nlq.test_clarification import Heard
from tests.program import offline_program
from tests.store.test_people import account
from tests.wire import WireServer, answer, calls, scenes

SHIFTS = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"


def example(id_: int, question: str, *, plan: str = "", calls: Sequence[str] = ()) -> Example:
    return Example(
        id_,
        "qualidade",
        0,
        "active",
        question,
        plan,
        tuple(TaughtCall(each, {}) for each in calls),
        "Há ‹n›.",
        "",
        datetime(2026, 3, 1, tzinfo=UTC),
    )


def test_no_figure_and_no_value_of_the_data_is_kept() -> None:
    rows: JsonObject = {
        "colunas": ["turno", "tipo_defeito", "n"],
        "linhas": [["manha", "falta_tinta", 1362], ["noite", "lixo", 12.75]],
        "total": 1374,
    }
    said = answered(
        ToolCall("c", "contar_defeitos", {"turno": "manha", "minimo": 1362, "limite": 7}),
        ToolResult("c", rows),
        ToolCall("d", "consultar_dados", {"sql": "SELECT 'lixo' WHERE n > 12.75 LIMIT 3"}),
        ToolResult("d", {"n": 1}),
        Text(
            "De **1 374**, a falta de tinta de manhã tem 1.362 (99,1 %) em 2026-03-02; o"
            " lixo, 12,75."
        ),
    )

    made = drafted("quantos defeitos de manha, acima de 1374?", said, note="Conta 1362 uma vez.")

    assert made.answer == (
        "De **‹n› ‹n›**, a ‹valor› de manhã tem ‹n› (‹n› %) em ‹n›-‹n›-‹n›; o ‹valor›, ‹n›."
    )
    assert made.question == "quantos defeitos de manha, acima de ‹n›?"
    assert made.calls[0].input == {"turno": "manha", "minimo": "‹n›", "limite": 7}
    assert made.calls[1].input == {"sql": "SELECT '‹valor›' WHERE n > ‹n› LIMIT 3"}
    assert made.note == "Conta ‹n› uma vez."


def test_what_was_corrected_is_cleaned_alike() -> None:
    said = answered(ToolCall("c", "contar", {}), ToolResult("c", {"lixo": 62}), Text("São 61."))
    made = drafted("quantos?", said, words="São 62, do turno 3.")
    assert made.answer == "São ‹n›, do turno ‹n›."


def test_an_example_is_a_few_short_lines() -> None:
    long = replace(
        example(1, "quantos?\nlinhas", calls=["contar"]), answer="palavra " * 400, note="Regra."
    )
    lines = long.text.split("\n")
    assert [each[:3] for each in lines] == ["P: ", "F: ", "R: ", "N: "]
    assert len(long.text) <= LONGEST_EXAMPLE


def test_those_of_the_same_kind_of_plan_come_first_then_by_words() -> None:
    known = [
        example(1, "quantos defeitos por turno?", plan="group"),
        example(2, "defeitos sem operador", plan="rows"),
        example(3, "defeitos com operador", plan="rows"),
        example(4, "desenha um gráfico de barras", plan="chart"),
    ]
    found = nearest("mostra os defeitos sem operador", "rows", known)
    assert [each.id for each in found] == [2, 3, 1]  # 'sem' tells two of a kind apart
    assert [each.id for each in nearest("xpto", "chart", known)] == [4]
    assert nearest("xpto", "", known) == []


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Program]:
    program = offline_program(folder)
    try:
        yield program
    finally:
        await program.close()


async def ask(
    program: Program, question: str, talk: ConversationId | None = None
) -> ConversationId:
    talk = talk or (await program.store.conversations.create("qualidade")).id
    await program.turns.reply(talk, question, audience=Heard())
    return talk


async def test_an_example_is_told_once_it_is_approved_and_no_more_once_it_is_retired(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as program:
        talk = await ask(program, "quantos defeitos de lixo há?")
        made = await program.examples.add(talk, note="Conta com a ferramenta.")
        assert (made.state, made.plan) == ("proposed", "number")
        assert not re.search(r"\d", made.answer)
        assert (await program.examples.add(talk, note="Conta com a ferramenta.")).id == made.id
        question = "quantos defeitos de gordura há?"
        assert await program.examples.match(question, agent="qualidade") == []

        await program.store.reviews.examples.approve(made.id)
        assert [e.id for e in await program.examples.match(question, agent="qualidade")] == [
            made.id
        ]
        assert await program.examples.match(question, agent="analise") == []
        with pytest.raises(UserError, match="no example"):
            await program.store.reviews.examples.approve(99)

        await program.store.reviews.examples.retire(made.id)
        assert await program.examples.match(question, agent="qualidade") == []


async def test_on_the_wire_stands_no_digit_of_any_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as program:
        script: list[scenes.Scene] = [
            calls(("contar_defeitos", {"turno": "manha"}), ("consultar_dados", {"sql": SHIFTS})),
            answer("De manhã há **73** defeitos; ao todo 200, e a noite tem 59."),
            answer("Há 62."),
            answer("Há 10."),
        ]
        with WireServer(script) as server:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
            program.chosen.replace(replace(program.settings, engine="claude"))
            first = await ask(program, "quantos defeitos de manhã?")
            stored = (await program.store.messages.latest(first))[-1]
            made = await program.examples.add(first, note="Primeiro conta, depois compara.")
            await program.store.reviews.examples.approve(made.id)
            second = await ask(program, "quantos defeitos de lixo?")
            await ask(program, "quantos defeitos de gordura?", second)
            bodies = [each.body for each in server.requests if "messages" in each.body]

        told = [
            re.findall(
                r"<exemplos>\n(.*?)\n</exemplos>",
                json.dumps(b, ensure_ascii=False).replace("\\n", "\n"),
                re.DOTALL,
            )
            for b in bodies
        ]
        assert [len(each) for each in told] == [0, 0, 1, 1]  # once in a conversation
        text = told[2][0].replace("\\\\", "\\").replace('\\"', '"')
        assert text.startswith("P: quantos defeitos de manhã?\nF: contar_defeitos")
        assert "N: Primeiro conta" in text
        results = [each for each in stored.blocks if isinstance(each, ToolResult)]
        figures = set(re.findall(r"\d+", json.dumps([each.content for each in results])))
        assert figures
        assert not figures & set(re.findall(r"\d+", text))

        await program.store.reviews.examples.retire(made.id)
        question = (await program.store.messages.latest(second))[0]
        assert not any(isinstance(each, Context) for each in question.blocks)
        assert await program.store.integrity.count_damage(second) == (0, 0)


async def test_offline_they_are_offered_where_a_question_is_declined(tmp_path: Path) -> None:
    async with running(tmp_path) as program:
        declined = "xpto lixo abracadabra"
        before = await ask(program, declined)
        talk = await ask(program, "quantos defeitos de lixo há?")
        made = await program.examples.add(talk)
        await program.store.reviews.examples.approve(made.id)

        after = await ask(program, declined)

        said, again = [(await program.store.messages.latest(each))[-1] for each in (before, after)]
        assert said.text == again.text
        offered = [
            [choice.label for choice in block.next]
            for each in (said, again)
            for block in each.blocks
            if isinstance(block, Interpretation)
        ]
        assert offered[1] == ["quantos defeitos de lixo há?"]
        assert "quantos defeitos de lixo há?" not in offered[0]


async def test_only_who_reviews_the_agent_approves(tmp_path: Path) -> None:
    async with running(tmp_path) as program:
        store = program.store
        talk = await ask(program, "quantos defeitos de lixo há?")
        made = await program.examples.add(talk)
        store.enter(await account(store, "ana", "admin"))
        operator = await account(store, "rui")
        elsewhere = await account(store, "eva", "responsavel", ["analise"])
        near = await account(store, "ivo", "responsavel", ["qualidade"])
        for person in (operator, elsewhere):
            store.enter(person)
            with pytest.raises(UserError):
                await store.reviews.examples.approve(made.id)
        store.enter(near)
        assert (await store.reviews.examples.approve(made.id)).state == "active"
