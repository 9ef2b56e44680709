"""The check of the numbers in an answer: what supports one, and what it may come of."""

import pytest

from qhub_desktop.chat.number_check import check_numbers, number_places, said_before
from qhub_desktop.core.codec import Json
from qhub_desktop.core.events import Answering, RoundEnded, TextAdded
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import (
    Message,
    NumberCheck,
    NumberState,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.result_widgets import Kpi, Provenance
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, ScriptedModel, Step, turns_with
from tests.gallery._talk import NOW

DEFECTS: Json = {
    "total": 200,
    "por_tipo": {"lixo": 62, "falta_tinta": 31, "gordura": 24},
    "media": 4.59,
    "quota": 0.31,
}
MACHINES: Json = {
    "colunas": ["maquina", "produzidas", "refugo"],
    "linhas": [["Robô 1", 5200, 182], ["Robô 2", 4722, 161], ["Manual", 1188, 64]],
}
SUPPORTED, DERIVED, ASKED, NOT = "supported", "derived", "asked", "unsupported"


def states(text: str, *results: Json, question: str = "") -> list[tuple[str, NumberState]]:
    blocks = [ToolResult(f"c{at}", each) for at, each in enumerate(results)]
    checked = check_numbers([*blocks, Text(text)], question=question)
    assert all(each.block == len(blocks) for each in checked.numbers)
    return [(text[each.start : each.end], each.state) for each in checked.numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Houve **62** de lixo em 200.", [("62", SUPPORTED), ("200", SUPPORTED)]),
        ("A média é 4,6, ou 4,59.", [("4,6", SUPPORTED), ("4,59", SUPPORTED)]),
        ("The mean is 4.7.", [("4.7", NOT)]),
        ("São 31 % de tudo.", [("31 %", SUPPORTED)]),
        ("A falta de tinta dá 15,5 % e a gordura 12,5 %.", [("15,5 %", DERIVED), ("12,5 %", NOT)]),
        ("O lixo tem mais 38 do que a gordura.", [("38", DERIVED)]),
        ("O lixo e a gordura somam 86.", [("86", DERIVED)]),
        ("O lixo é 2 vezes a falta_tinta.", [("2", DERIVED)]),
        ("São cerca de 60 de lixo, 1.234 no ano.", [("60", SUPPORTED), ("1.234", NOT)]),
        ("Os 3 tipos mais frequentes.", [("3", SUPPORTED)]),
        ("Lixo / gordura: 62 / 24", [("62", SUPPORTED), ("24", SUPPORTED)]),
        ("Lixo / gordura: 31", [("31", NOT)]),
        ("The falta_tinta is 29% up on gordura with 24.", [("29%", DERIVED), ("24", SUPPORTED)]),
    ],
)
def test_numbers_are_of_a_result_or_come_of_it(
    text: str, expected: list[tuple[str, NumberState]]
) -> None:
    assert states(text, DEFECTS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O Robô 1 teve 182 de 5 200 (3,5 %).", [SUPPORTED, SUPPORTED, SUPPORTED, DERIVED]),
        ("O Robô 1 teve 182 de 5 200 (4,5 %).", [SUPPORTED, SUPPORTED, SUPPORTED, NOT]),
        ("The robots made 9,922 parts together.", [DERIVED]),
        ("| Manual | 1 188 | 64 | 5,4 % |", [SUPPORTED, SUPPORTED, DERIVED]),
    ],
)
def test_numbers_of_one_row_go_together(text: str, expected: list[NumberState]) -> None:
    assert [state for _words, state in states(text, MACHINES)] == expected


def test_a_number_behind_a_name_is_of_a_row_of_that_name() -> None:
    assert states("- lixo: 24", DEFECTS) == [("24", NOT)]
    assert states("- gordura: 24", DEFECTS) == [("24", SUPPORTED)]


@pytest.mark.parametrize(
    "text",
    [
        "Em 2026-02-11, a 11/02/2026, às 14:30 e às 14h30, em fevereiro de 2026, desde 2025.",
        "Between 1 and 7 February, on 11 March.",
        "1. Primeiro\n2. Segundo",
        "O 1.º turno na linha L2, rack R12, peça A-005, defeitos2.csv, ISO 9001:2015 (7.1.5), 8D.",
        "`x = 99` e «77 peças» e $a = 98$\n```\n97\n```\n> 96 disse ele",
        "[IT-014, p. 3](qhub-citation:1)",
    ],
)
def test_dates_names_code_and_quotes_are_no_numbers(text: str) -> None:
    assert states(text) == []


def test_what_the_person_said_is_theirs() -> None:
    assert states("Acima de 12 peças há 62.", DEFECTS, question="acima de 12?") == [
        ("12", ASKED),
        ("62", SUPPORTED),
    ]


def test_rows_read_and_widgets_count_as_results() -> None:
    source = Provenance("d", "f.csv", None, 183, 4216, "SELECT 1")
    result = ToolResult("c", "ok", widget=Kpi("Refugo", 12.5, change=0.043), source=source)
    text = "12,5, mais 4,3 %, de 183 de 4 216 linhas; 9,9 não."
    checked = check_numbers([result, Text(text)])
    assert [each.state for each in checked.numbers] == [SUPPORTED] * 4 + [NOT]


def test_what_failed_supports_nothing() -> None:
    failed = ToolResult("c", {"erro": "62"}, is_error=True)
    assert check_numbers([failed, Text("São 62.")]).count("unsupported") == 1


def test_earlier_words_support_without_what_was_marked_in_them() -> None:
    words = Text("Eram 621, ou 622.")
    (first, second) = number_places(words.text)
    check = check_numbers([ToolResult("c", 621), words])
    assert [(each.start, each.end) for each in check.numbers] == [first, second]
    earlier = Message(MessageId(1), "assistant", (ToolResult("c", 621), words, check), NOW)

    told = list(said_before([earlier]))

    again = check_numbers([Text("Antes 621 e 622.")], given=told)
    assert [each.state for each in again.numbers] == [SUPPORTED, NOT]


SCRIPT: tuple[list[Step], ...] = (
    [ToolCall("c1", "somar", {"valores": [1, 61]}), RoundEnded("tools")],
    [Answering("claude"), TextAdded("São 62, e 777 por fora."), RoundEnded("complete")],
)


async def test_the_check_is_shown_stored_and_never_sent(store: Store) -> None:
    model = ScriptedModel(
        *SCRIPT, [Answering("claude"), TextAdded("Nada."), RoundEnded("complete")]
    )
    person = Person()
    talk = (await store.conversations.create(AGENT.id)).id
    turns = turns_with(store, model)

    await turns.reply(talk, "quanto?", audience=person)

    (shown,) = person.all(NumberCheck)
    assert shown.counts == {"supported": 1, "derived": 0, "unsupported": 1}
    stored = (await store.messages.latest(talk))[-1]
    assert stored.blocks[-1] == shown


async def test_switched_off_and_offline_nothing_is_checked(store: Store) -> None:
    for engine, settings in (("claude", Settings(figures=False)), ("offline", Settings())):
        steps: list[Step] = [Answering(engine), TextAdded("São 777."), RoundEnded("complete")]
        person = Person()
        talk = (await store.conversations.create(AGENT.id)).id
        turns = turns_with(store, ScriptedModel(steps), settings=settings)
        await turns.reply(talk, "quanto?", audience=person)
        assert person.all(NumberCheck) == []
