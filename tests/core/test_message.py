"""Results of tools: as much as is stored with an answer and sent to a model."""

import json
import random

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import CELL_CHARACTERS, RESULT_CHARACTERS, bounded


def _size(content: Json) -> int:
    return len(json.dumps(content, ensure_ascii=False))


ROWS: list[Json] = [[number, "x" * 20] for number in range(50_000)]
LARGE: list[Json] = [
    {"colunas": ["n", "texto"], "linhas": ROWS, "total_linhas": 50_000, "fonte": "a.csv"},
    {"linhas": [["y" * 1_000_000] * 50], "total_linhas": 1},
    {"linhas": [["y" * 900] * 2_000] * 10, "total_linhas": 10},
    {f"tipo {number}": number for number in range(50_000)},
    {"a": {"b": {"c": ["z" * 999] * 200}}, "d": ["w"] * 50_000, "total": 1},
    ["x" * 10, *ROWS],
    "t" * 5_000_000,
    ['"\\\n' * 900] * 100,
]


@pytest.mark.parametrize("content", LARGE, ids=range(len(LARGE)))
@pytest.mark.parametrize("most", [2_000, RESULT_CHARACTERS, 200_000])
def test_a_large_result_is_cut_and_says_so(content: Json, most: int) -> None:
    kept = bounded(content, most=most)

    assert _size(kept) <= most
    assert isinstance(kept, dict)
    assert str(kept["cortado"]).startswith(f"Só o início, até {most} caracteres (")
    assert bounded(kept, most=most) == kept


def test_the_rows_that_stay_are_the_first_and_whole_and_the_total_is_true() -> None:
    kept = bounded(LARGE[0])

    assert isinstance(kept, dict)
    rows = kept["linhas"]
    assert isinstance(rows, list)
    assert rows == ROWS[: len(rows)]
    assert 400 < len(rows) < 1000
    assert (kept["total_linhas"], kept["fonte"]) == (50_000, "a.csv")
    assert f"linhas: {len(rows)} de 50000" in str(kept["cortado"])


def test_a_cell_has_its_own_greatest_size() -> None:
    kept = bounded({"linhas": [["a" * 1000], ["b" * 1001]]})

    assert isinstance(kept, dict)
    assert kept["linhas"] == [["a" * 1000], ["b" * (CELL_CHARACTERS - 1) + "…"]]
    assert "textos com mais de 1000 caracteres: 1" in str(kept["cortado"])


@pytest.mark.parametrize("content", [None, 62, "62", [], {}, {"total": 62}, ROWS[:300]])
def test_a_small_result_is_left_as_it_is(content: Json) -> None:
    assert bounded(content) == content


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_result_is_made_of_it_fits(seed: int) -> None:
    dice = random.Random(seed)

    def made(level: int) -> Json:
        match dice.randrange(6 if level < 5 else 3):
            case 0:
                return dice.random()
            case 1:
                return dice.choice(["a", '"', "\n", "é😀"]) * dice.choice([1, 20, 3000])
            case 2:
                return None
            case 3 | 4:
                return [made(level + 1) for _ in range(dice.choice([0, 1, 5, 40]))]
            case _:
                names = (dice.choice("abc\n") * dice.randrange(300) for _ in range(20))
                return {name: made(level + 1) for name in names}

    for most in (2_000, 20_000):
        kept = bounded(made(0), most=most)
        assert _size(kept) <= most
        assert bounded(kept, most=most) == kept
