"""Questions that are being typed: what they would answer, in words and numbers, unkept."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, cast

import pytest

from qhub_desktop.app import Program
from qhub_desktop.core.message import Interpretation
from qhub_desktop.core.readings import MOST_READINGS, Readings
from qhub_desktop.nlq.executor import Call
from qhub_desktop.nlq.query_ast import (
    Filter,
    Number,
    RowSelection,
    plan_from_json,
    plan_to_json,
    query_of,
)
from qhub_desktop.nlq.semantic.candidate import compared
from tests.nlq.conftest import Talks
from tests.nlq.driver import Conversation
from tests.nlq.profiles import Data, data, measurements, production
from tests.program import offline_program


async def read(talks: Talks, question: str, *of: Data) -> Readings:
    """What a question would answer over data sets of a new conversation."""
    talk = talks(*of or (production(),))
    return await talk.program.readings.read(await talk.begin(), question)


def marked(found: Readings) -> dict[str, str]:
    """What each marked stretch of a question is taken for."""
    return {found.question[each.start : each.end]: each.kind for each in found.marks}


async def test_a_reading_is_told_in_parts(talks: Talks) -> None:
    found = await read(talks, "soma de peças produzidas por turno em janeiro num gráfico de barras")

    assert found.is_sure
    assert [(each.kind, each.text, each.is_strong) for each in found.readings[0].parts] == [
        ("measure", "Soma de", False),
        ("measure", "Peças produzidas", True),
        ("group", "por", False),
        ("group", "turno", True),
        ("period", "data", True),
        ("period", "01/2026", False),
        ("file", "produção.xlsx", False),
        ("form", "barras", False),
    ]
    assert found.readings[0].dataset == "producao"


async def test_a_count_and_its_conditions_are_told(talks: Talks) -> None:
    found = await read(talks, "quantas linhas da M2 com sucata acima de 3?")

    assert [(each.kind, each.text) for each in found.readings[0].parts] == [
        ("measure", "Número de linhas"),
        ("filter", "Máquina: M2"),
        ("filter", "Sucata > 3"),
        ("file", "produção.xlsx"),
    ]


async def test_words_are_marked_where_they_were_typed(talks: Talks) -> None:
    found = await read(talks, "  SOMA da Sucata,  da m3, por  MÁQUINA em janeiro ")

    assert marked(found) == {
        "Sucata": "column",
        "m3": "value",
        "MÁQUINA": "column",
        "em janeiro": "period",
    }
    assert found.ignored == ()


async def test_a_word_that_nothing_is_made_of_is_told(talks: Talks) -> None:
    found = await read(talks, "soma da sucata xaropada por máquina")

    assert marked(found)["xaropada"] == "unused"
    assert found.ignored == ("xaropada",)
    parts = [each.text for each in found.readings[0].parts]
    assert parts == ["Soma de", "Sucata", "por", "Máquina", "produção.xlsx"]


async def test_what_is_not_in_the_data_is_told_where_there_is_no_reading(talks: Talks) -> None:
    found = await read(talks, "quem ganhou o campeonato de xadrez de Zurbado?")

    assert found.readings == ()
    assert not found.is_sure


@pytest.mark.parametrize(
    "question", ["", "   ", "olá", "obrigado!", "lembra-te que sou da pintura"]
)
async def test_what_is_asked_of_no_data_has_no_reading(talks: Talks, question: str) -> None:
    found = await read(talks, question)

    assert (found.readings, found.note, found.ignored) == ((), "", ())


QUESTIONS = (
    "quantas linhas há?",
    "total de peças por turno",
    "sucata média da M1",
    "qual a máquina com mais sucata?",
    "top 2 clientes por peças produzidas",
    "peças produzidas por semana",
    "lista as linhas com sucata 4",
    "percentagem de linhas à noite",
    "resume os dados",
    "mostra a sucata por turno numa tabela",
    "quantas peças na tarde e na noite?",
    "sucata no turno da manhã da M2 do Sul",
)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_answer_is_that_of_the_first_reading(talks: Talks, question: str) -> None:
    talk = talks(production())
    found = await talk.program.readings.read(await talk.begin(), question)

    await talk.ask(question)

    kept = [each for each in talk.messages[-1].blocks if isinstance(each, Interpretation)]
    assert found.is_sure == (kept[0].plan["type"] not in ("ask", "unknown"))
    if found.is_sure:
        assert found.readings[0].plan == kept[0].plan
        others = [(each.title, each.plan) for each in found.readings[1:]]
        assert others == [(each.label, each.plan) for each in kept[0].others]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_no_two_readings_are_the_same(talks: Talks, question: str) -> None:
    found = await read(talks, question)

    plans = [plan_from_json(each.plan) for each in found.readings]
    assert 1 <= len(plans) <= MOST_READINGS
    assert len({compared(query_of(each)) for each in plans}) == len(plans)
    assert len({each.title for each in found.readings}) == len(plans)


async def test_a_question_goes_on_from_those_before(talks: Talks) -> None:
    talk = talks(production())
    await talk.ask("soma da sucata da M2")
    conversation = await talk.begin()
    for message in talk.messages:
        await talk.program.store.messages.add(conversation, message.role, message.blocks)

    found = await talk.program.readings.read(conversation, "e por turno?")

    assert [(each.kind, each.text) for each in found.readings[0].parts] == [
        ("measure", "Soma de"),
        ("measure", "Sucata"),
        ("group", "por"),
        ("group", "turno"),
        ("filter", "Máquina: M2"),
        ("file", "produção.xlsx"),
    ]


async def test_values_are_those_of_the_rows(talks: Talks) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    source, rows = talk.program.readings, cast("Sequence[Mapping[str, Any]]", production().rows)
    by_shift: defaultdict[Any, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_shift[row["Turno"]].append(row)

    async def value(question: str) -> Any:
        found = await source.read(conversation, question)
        return await source.value(conversation, found.readings[0].plan)

    counted = await value("quantas linhas da M2?")
    averaged = await value("sucata média da M1")
    grouped = await value("total de peças produzidas por turno")
    first = await value("qual a máquina com mais peças produzidas?")
    listed = await value("lista as linhas com sucata 4")
    shared = await value("percentagem de linhas à noite")

    machines = Counter(row["Máquina"] for row in rows)
    assert counted.text == str(machines["M2"])
    own = mean(row["Sucata"] for row in rows if row["Máquina"] == "M1")
    assert averaged.text == f"{own:.2f}".rstrip("0").rstrip(".").replace(".", ",")
    sums = {name: sum(row["Peças produzidas"] for row in own) for name, own in by_shift.items()}
    told = {name: int(said.replace("\N{NO-BREAK SPACE}", "")) for name, said in grouped.groups}
    assert grouped.text == "3 grupos"
    assert {name.casefold(): each for name, each in told.items()} == {
        name.casefold(): each for name, each in sums.items()
    }
    made: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        made[row["Máquina"]] += row["Peças produzidas"]
    best = max(made, key=lambda name: made[name])
    assert first.text.replace("\N{NO-BREAK SPACE}", "") == f"{best}: {made[best]}"
    assert listed.text == f"{sum(row['Sucata'] == 4 for row in rows)} linhas"
    assert shared.text.startswith("33,3")


async def test_numbers_over_time_are_a_line(talks: Talks) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    found = await talk.program.readings.read(conversation, "soma da sucata por dia")

    value = await talk.program.readings.value(conversation, found.readings[0].plan)

    by_day: defaultdict[Any, int] = defaultdict(int)
    for row in cast("Sequence[Mapping[str, Any]]", production().rows):
        by_day[row["Data"]] += row["Sucata"]
    assert value is not None
    assert value.spark == tuple(float(by_day[day]) for day in sorted(by_day))
    assert value.groups[0][0] == "01/01/2026"


async def test_a_unit_stands_behind_the_number(talks: Talks) -> None:
    talk = talks(measurements())
    conversation = await talk.begin()
    found = await talk.program.readings.read(conversation, "média de thickness")

    value = await talk.program.readings.value(conversation, found.readings[0].plan)

    assert value is not None
    assert value.text == "31,95 µm"


async def test_what_stands_in_brackets_and_is_no_unit_is_not_told(talks: Talks) -> None:
    stops = data(
        "stops",
        {
            "Duration (P,*)": ("number", [float(place) for place in range(1, 41)]),
            "Line": ("category", ["A", "B"] * 20),
        },
    )
    talk = talks(stops)
    conversation = await talk.begin()
    found = await talk.program.readings.read(conversation, "sum of duration")

    value = await talk.program.readings.value(conversation, found.readings[0].plan)

    assert value is not None
    assert value.text == "820"


async def test_nothing_of_a_reading_is_kept(talks: Talks) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    store = talk.program.store
    before = (await store.messages.latest(conversation), await store.conversations.listed())

    found = await talk.program.readings.read(conversation, "sucata por turno")
    await talk.program.readings.value(conversation, found.readings[0].plan)

    assert (await store.messages.latest(conversation), await store.conversations.listed()) == before


async def test_a_value_is_computed_once(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    plan = plan_to_json(Number(RowSelection("producao", (Filter("Sucata", (2.0,), "above"),))))
    asked = []
    query = talk.program.workspace.query

    async def counting(sql: str, *given: Any, **named: Any) -> Any:
        asked.append(sql)
        return await query(sql, *given, **named)

    monkeypatch.setattr(talk.program.workspace, "query", counting)
    values = [await talk.program.readings.value(conversation, plan) for _ in range(3)]

    assert len(asked) == 1
    assert len(set(values)) == 1


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Conversation]:
    """A conversation in a program of its own: queries that wait for each other keep to one loop."""
    program = offline_program(tmp_path)
    yield Conversation(program, (production(),))
    asyncio.run(program.close())


async def test_a_value_that_nobody_waits_for_is_let_go_of_at_once(own: Conversation) -> None:
    talk = own
    conversation = await talk.begin()
    plan = plan_to_json(Number(RowSelection("producao", (Filter("Sucata", (1.0,), "above"),))))
    source = talk.program.readings

    for _key in range(5):
        waiting = asyncio.ensure_future(source.value(conversation, plan))
        await asyncio.sleep(0.002)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    value = await source.value(conversation, plan)
    assert value is not None
    assert value.text == str(sum(row["Sucata"] > 1 for row in production().rows))  # type: ignore[operator]


async def test_a_long_query_that_nobody_waits_for_is_ended(own: Conversation) -> None:
    talk = own
    conversation = await talk.begin()
    source = talk.program.readings
    preview = await talk.program.turns.preview(conversation, "")
    joined = ", ".join(f"producao t{number}" for number in range(7))
    endless = Call("consultar_dados", {"sql": f"SELECT sum(t0.Sucata * t6.Sucata) FROM {joined}"})

    waiting = asyncio.ensure_future(source._results(preview, [endless]))
    await asyncio.sleep(0.5)
    assert not waiting.done()
    waiting.cancel()
    async with asyncio.timeout(45):  # the query is allowed a minute
        with pytest.raises(asyncio.CancelledError):
            await waiting
        value = await source.value(conversation, plan_to_json(Number(RowSelection("producao"))))

    assert value is not None
    assert value.text == "60"


async def test_a_plan_of_data_that_are_not_here_has_no_value(
    talks: Talks, program: Program
) -> None:
    conversation = await talks(production()).begin()
    plans = [
        Number(RowSelection("outro")),
        Number(RowSelection("producao", (Filter("Coluna que não há", ("a",)),))),
    ]

    for plan in plans:
        assert await program.readings.value(conversation, plan_to_json(plan)) is None
    assert await program.readings.value(conversation, {"type": "of another version"}) is None
