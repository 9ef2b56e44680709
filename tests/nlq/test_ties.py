"""Rows and groups of one value: always in the same order, and never cut off without a word."""

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.nlq.query_ast import Dimension, GroupBy, Measure, Rows, RowSelection, top
from tests.nlq.conftest import Talks
from tests.nlq.driver import Answer
from tests.nlq.profiles import data

LONGEST = 49  # minutes, of every fiftieth stop
ROWS = 3_000
SCOPE, MADE = RowSelection("paragens"), RowSelection("linhas")
STOPS = data(
    "paragens",
    {
        "Nota": ("text", [f"n{place * 7919 % ROWS}" for place in range(ROWS)]),
        "Linha": ("category", [f"L{place % 100 // 50}" for place in range(ROWS)]),
        "Máquina": ("category", [f"M{place % 9}" for place in range(ROWS)]),
        "Duração": ("integer", [place % (LONGEST + 1) for place in range(ROWS)]),
        "Lugar": ("integer", list(range(ROWS))),
    },
)
MACHINES = data(
    "linhas",
    {
        "Máquina": ("category", [*"AABBCCDDEEF"]),
        "Peças": ("integer", [5, 5, 4, 4, 4, 4, 4, 4, 1, 1, 1]),
    },
)


def lines(answer: Answer) -> list[list[Json]]:
    """The rows that the first tool gave."""
    content = answer.results[0].content
    assert isinstance(content, dict)
    found = content["linhas"]
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, list)]


@pytest.mark.parametrize("n", [1, 5])
async def test_rows_that_tie_come_as_in_the_file(talks: Talks, n: int) -> None:
    answer = await talks(STOPS).choose(Rows(SCOPE, n, "most", "Duração", ("Máquina", "Lugar")))

    assert [place for _, _, place, *_ in lines(answer)][:5] == [49, 99, 149, 199, 249]
    source = answer.results[0].source
    assert source is not None
    assert source.rows_used == ROWS  # all of them were looked at


async def test_the_last_rows_of_a_file_without_days_are_its_last(talks: Talks) -> None:
    answer = await talks(STOPS, tools=("consultar_dados",)).choose(Rows(SCOPE, 3, "last"))

    assert [line[-1] for line in lines(answer)] == [2999, 2998, 2997]


async def test_of_rows_that_tie_in_a_group_the_same_one_is_told_every_time(talks: Talks) -> None:
    each = Rows(SCOPE, 1, "most", "Duração", ("Lugar",), within="Linha")

    answer = await talks(STOPS, tools=("consultar_dados",)).choose(each)

    assert [line[2] for line in lines(answer)] == [2949, 2999]


async def test_the_best_few_of_each_group_are_told_across_a_tie(talks: Talks) -> None:
    each = Rows(SCOPE, 2, "least", "Peças", ("Lugar",), within="Máquina")
    pieces = [*[3, 1, 2, 1, 1], *[7, 5, 6]]
    file = data(
        "paragens",
        {
            "Máquina": ("category", [*"AAAAABBB"]),
            "Peças": ("integer", pieces),
            "Lugar": ("integer", list(range(len(pieces)))),
        },
    )

    answer = await talks(file, tools=("consultar_dados",)).choose(each)

    assert [line[:3] for line in lines(answer)] == [
        ["A", 1, 1],
        ["A", 1, 3],
        ["B", 5, 6],
        ["B", 6, 7],
    ]


async def test_a_cause_is_looked_for_in_the_same_order_every_time(talks: Talks) -> None:
    answer = await talks(STOPS, tools=("consultar_dados",)).ask(
        "porque é que há tantas na linha L0?"
    )

    machines = [f"M{place}" for place in range(9)]
    assert [line[:2] for line in lines(answer)] == [
        ["", ""],
        *(["Máquina", each] for each in machines),
    ]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (Rows(SCOPE, 5, "most", "Duração"), "Há 55 outros com 49."),
        (Rows(SCOPE, 61, "most", "Duração"), "Há 59 outros com 48."),
        (top(MADE, Dimension("Máquina"), 1), "Há 2 outros com 2."),
        (top(MADE, Dimension("Máquina"), 2), "Há 2 outros com 2."),
        (
            GroupBy(
                MADE,
                Dimension("Máquina"),
                Measure("sum", "Peças"),
                n=2,
                order="most",
            ),
            "A seguir: B com 8. Há 2 outros com 8.",
        ),
    ],
)
async def test_a_ranking_that_cuts_through_a_tie_says_so(
    talks: Talks, plan: Rows | GroupBy, told: str
) -> None:
    answer = await talks(STOPS, MACHINES).choose(plan)

    assert told in answer.text


@pytest.mark.parametrize(
    ("n", "level", "told"),
    [
        (1, 2, "Há 2 outros com 2."),  # three are fetched
        (2, 3, "Há 3 outros com 2."),
        (6, 1, "A seguir: F com 1 (8,3\N{NO-BREAK SPACE}%). Há 1 outro com 1."),
        (7, None, "Há 2 outros com 2."),  # the text names three
    ],
)
async def test_a_tie_that_the_tool_of_defects_cuts_is_told(
    talks: Talks, n: int, level: int | None, told: str
) -> None:
    kinds = [*"AABBCCDDEE", "F", "G"]
    counted = data("registo", {"tipo_defeito": ("category", kinds)})

    answer = await talks(counted).choose(top(RowSelection("registo"), Dimension("tipo_defeito"), n))

    assert answer.calls[0].name == "top_defeitos"
    content = answer.results[0].content
    assert isinstance(content, dict)
    assert content.get("empatados") == level
    assert told in answer.text


async def test_a_ranking_that_cuts_no_tie_says_nothing_of_any(talks: Talks) -> None:
    answer = await talks(STOPS, MACHINES).choose(Rows(SCOPE, 60, "most", "Duração"))

    assert "outros com" not in answer.text
