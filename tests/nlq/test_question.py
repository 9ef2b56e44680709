"""Questions over one data set: their words, and what is marked beside them."""

from datetime import date, datetime, timedelta

import pytest

from qhub_desktop.nlq.date_units import Span
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.query_ast import Filter
from qhub_desktop.nlq.question import Question, question_over
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.tokenizer import BLANK
from tests.nlq.profiles import Data, data

TODAY = date(2026, 4, 1)
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
_STARTS = [datetime(2026, 2, 2, 6) + timedelta(hours=19 * place) for place in range(60)]
_MACHINES = [("Prensa", "Rio de Março")[place % 2] for place in range(60)]
STOPS = data(
    "paragens",
    {
        "Máquina": ("category", [*_MACHINES]),
        "Início": ("datetime", [*_STARTS]),
        "Fim": ("datetime", [each + timedelta(minutes=25) for each in _STARTS]),
    },
)
PARTS = data(
    "pecas",
    {
        "Máquina": ("category", [*_MACHINES]),
        "Peso": ("number", [20.5 + place % 7 for place in range(60)]),
    },
)


def asked(text: str, table: Data = STOPS) -> Question:
    return question_over(text, schema_index_of(table.profile), "pt", TODAY)


@pytest.mark.parametrize(
    ("text", "words", "days"),
    [
        ("paragens em março", ["paragens", BLANK], (MARCH,)),
        (
            "paragens de março vs abril de 2026",
            ["paragens", BLANK, "vs", BLANK],
            (MARCH, (date(2026, 4, 1), date(2026, 4, 30))),
        ),
        ("paragens do Rio de Março", ["paragens", "do", "Rio", "de", "Março"], ()),
        ("paragens de onde parou (Máquina)", ["paragens", "Máquina"], ()),
    ],
)
def test_words_stand_beside_marks(text: str, words: list[str], days: tuple[Span, ...]) -> None:
    question = asked(text)

    assert [each.text for each in question.words] == words
    assert question.days == days


def test_a_question_is_made_once() -> None:
    assert asked("paragens em março") is asked("paragens em março")


def test_a_part_of_the_day_is_hours_for_both_readers() -> None:
    question = asked("quantas paragens de manhã")
    morning = Filter("Início", (6.0, 11.0), "between", "hour")

    assert question.hours_on(()) == morning
    assert question.hours_on(["Máquina", "Fim"]) == Filter("Fim", (6.0, 11.0), "between", "hour")
    assert parse(question).filters == (morning,)


def test_hours_that_no_column_has_are_told() -> None:
    question = asked("quantas paragens depois das 14h", PARTS)

    assert question.hours_on(["Peso"]) is None
    assert "depois das 14h" in parse(question).unknown


def test_a_statistic_stands_before_the_name_that_it_splits() -> None:
    table = data(
        "bombas",
        {
            "Pressão bomba A": ("number", [*map(float, range(60))]),
            "Pressão bomba B": ("number", [*map(float, range(60))]),
        },
    )

    words = [each.text for each in asked("pressão média da bomba A", table).words]

    assert words == ["média", "pressão", "bomba", "A"]
