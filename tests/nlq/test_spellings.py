"""Names that data write in several ways: counted as one, and said."""

import pytest

from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data

WAYS = ["Injeção", "Injecao", "INJEÇÃO ", "Injeção", "Pintura", "Estufas"]
METERS = data(
    "contadores",
    {
        "Zona": ("category", WAYS * 6),
        "Código": ("category", ["a", "A", "b", "B", "c", "C"] * 6),
        "Consumo": ("number", [float(each) for each in (10, 20, 30, 40, 5, 7)] * 6),
    },
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("consumo total por zona", "600"),
        ("quantas zonas diferentes há?", "3"),
        ("consumo da injeção", "600"),
        ("quantas linhas são da Injeção?", "24"),
    ],
)
async def test_ways_of_writing_a_name_count_as_one(talks: Talks, question: str, told: str) -> None:
    answer = await talks(METERS).told(question)

    assert f"**{told}**" in answer.text
    assert "contam como um só: Injeção, INJEÇÃO e Injecao" in answer.text


async def test_what_is_written_in_one_way_is_not_told_of(talks: Talks) -> None:
    answer = await talks(METERS).told("consumo da pintura")

    assert "**30**" in answer.text
    assert "contam como" not in answer.text


async def test_codes_of_a_letter_are_two(talks: Talks) -> None:
    answer = await talks(METERS).told("quantos códigos diferentes há?")

    assert "**6**" in answer.text


def test_one_way_alone_changes_nothing() -> None:
    plain: Data = data("z", {"Zona": ("category", ["Injeção", "Pintura"] * 3)})
    assert schema_index_of(plain.profile).meanings == {}
