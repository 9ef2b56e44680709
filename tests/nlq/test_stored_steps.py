"""What was understood of an answered question is read from its answer, and never anew."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from qhub_desktop.core.codec import pack, unpack
from qhub_desktop.core.message import Interpretation, Message
from qhub_desktop.nlq import offline_engine
from qhub_desktop.nlq.dialogue.state import (
    INITIAL_STATE,
    DialogueState,
    StoredStep,
    after_step,
    interpret,
    step_to,
)
from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Number,
    RowSelection,
    any_plan_from_json,
    columns_of,
    plan_to_json,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.driver import ASKED_ON, Conversation
from tests.nlq.profiles import demo, production

TALK = (
    "quantos defeitos há?",
    "e por turno?",
    "só à noite",
    "mostra num gráfico",
    "e em percentagem?",
    "por operador",
)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often the words of each question are read; none is remembered from before."""
    counts = Counter[str]()

    def counting(question: str, *given: Any, **named: Any) -> DialogueState:
        counts[question] += 1
        return interpret(question, *given, **named)

    offline_engine._read.cache_clear()
    monkeypatch.setattr(offline_engine, "interpret", counting)
    yield counts
    offline_engine._read.cache_clear()


async def test_the_words_of_each_question_are_read_once(talks: Talks, read: Counter[str]) -> None:
    talk = talks(demo())

    for question in TALK:
        await talk.ask(question)

    assert {each: read[each] for each in TALK} == dict.fromkeys(TALK, 1)


async def test_an_old_answer_is_not_read_by_a_newer_program(
    talks: Talks, read: Counter[str]
) -> None:
    talk = talks(demo())
    await talk.ask("quantos defeitos há?")
    by_material = GroupBy(RowSelection("defeitos"), Dimension("material"))
    _understand(talk, lambda kept: replace(kept, plan=plan_to_json(by_material), step=None))
    read.clear()

    answer = await talk.ask("só à noite")

    assert read["quantos defeitos há?"] == 0
    assert "material" in str(answer.calls[0].input["sql"])


async def test_an_answer_over_data_that_are_gone_is_passed_over(talks: Talks) -> None:
    talk = talks(demo())
    await talk.ask("quantos defeitos há?")
    gone = Number(RowSelection("defeitos", (Filter("coluna que já não há", ("a",)),)))
    _understand(talk, lambda kept: replace(kept, plan=plan_to_json(gone)))

    answer = await talk.ask("e por turno?")

    assert answer.tools == ["defeitos_por_turno"]
    assert "coluna que" not in json.dumps(answer.calls[0].input)


def _understand(talk: Conversation, changed: Any) -> None:
    """Change what is stored of the last answer as understood."""
    last = talk.messages[-1]
    blocks = [changed(each) if isinstance(each, Interpretation) else each for each in last.blocks]
    talk.messages[-1] = Message(last.id, last.role, tuple(blocks), last.created)


@pytest.mark.parametrize(
    "questions",
    [
        TALK,
        ("quantos defeitos?", "por turno", "volta atrás", "volta atrás", "e por material?"),
        ("olá", "quantos defeitos há?", "obrigado", "e por turno?"),
        ("quantos unicórnios de Zurbado há?", "e por turno?", "quantos defeitos?", "porquê?"),
        ("regista um defeito: lixo, rack R12", "posição 3", "quantos defeitos à noite?"),
        ("qual o pior turno?", "how many defects?", "and by shift?", "qual a diferença?"),
    ],
)
def test_a_dialogue_from_what_was_stored_is_that_from_the_words(questions: Sequence[str]) -> None:
    indexes = [schema_index_of(each.profile) for each in (demo(), production())]
    by_words = stored = INITIAL_STATE
    for question in questions:
        before, by_words = by_words, interpret(question, by_words, indexes, today=ASKED_ON.date())
        step = json.loads(json.dumps(pack(step_to(by_words, before))))
        plan = any_plan_from_json(json.loads(json.dumps(plan_to_json(by_words.plan))))
        stored = after_step(plan, unpack(StoredStep, step), stored)

        # Other readings of what was answered are offered once, with the answer.
        told = by_words if by_words.topic != by_words.plan else replace(by_words, others=())
        assert replace(stored, others=told.others) == told


def test_a_plan_tells_the_columns_that_it_names() -> None:
    scope = RowSelection("a", (Filter("b", (1.0,), "above", other="c"),))

    assert columns_of(GroupBy(scope, Dimension("d", "month"))) == {"b", "c", "d"}
