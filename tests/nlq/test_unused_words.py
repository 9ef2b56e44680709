"""Every content word of a question stands in the plan, or no number is given."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.query_ast import Ask, Plan, Unknown, plan_to_json
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data, data

TODAY = date(2026, 2, 20)
SYLLABLES = ("bra", "lu", "zen", "tof", "ki", "mar", "gul", "pev", "dor", "xan", "wil", "hep")
ROWS = 60


def words(rng: random.Random, count: int) -> list[str]:
    """Words that no language has, of which none begins like another."""
    made = ["".join(each) for each in product(SYLLABLES, repeat=3)]
    chosen: list[str] = []
    for word in rng.sample(made, len(made)):
        if all(word[:4] != other[:4] for other in chosen):
            chosen.append(word)
    return chosen[:count]


def schema(rng: random.Random) -> tuple[Data, dict[str, list[str]], list[str], str]:
    """A table of made-up names: its data, values by column, columns of numbers, and other words."""
    made = words(rng, 30)
    categories = {
        made[place].title(): [each.title() for each in made[3 + 3 * place : 6 + 3 * place]]
        for place in range(3)
    }
    numbers = [each.title() for each in made[12:14]]
    columns: dict[str, tuple[ColumnType, list[Cell]]] = {
        "Data": ("date", [date(2026, 1, 1) + timedelta(row) for row in range(ROWS)])
    }
    columns |= {
        name: ("category", [values[row % len(values)] for row in range(ROWS)])
        for name, values in categories.items()
    }
    columns |= {
        name: ("number", [place + row / 7 for row in range(ROWS)])
        for place, name in enumerate(numbers)
    }
    return data(made[20], columns), categories, numbers, made[21]


def questions(seed: int) -> Iterator[tuple[Data, str, list[str], str]]:
    """Questions over a schema, the names in each that must stand in the plan, and a strange one."""
    rng = random.Random(seed)
    source, categories, numbers, strange = schema(rng)
    column, other = rng.sample([*categories], 2)
    value, measure = rng.choice(categories[column]), rng.choice(numbers)
    for text, names in (
        (f"quantas linhas com {column} {value}?", [value]),
        (f"how many rows with {value}, by {other}?", [value, other]),
        (f"média de {measure} por {column}", [measure, column]),
        (f"soma de {measure} por {column} exceto {value}", [measure, column, value]),
        (f"average {measure} of {value} in January", [measure, value, "2026-01-01"]),
        (f"mediana de {measure} acima de 3", [measure, "median", "above"]),
        (f"top 2 {other} by {measure}", [other, measure, "2"]),
        (f"quantas linhas sem {column} {value} por mês", [value, "is not", "month"]),
        (f"percentagem de {value} por {other}", [value, other]),
        (f"maximum {measure} by {other} for {value}", [measure, other, value, "max"]),
    ):
        yield source, text, names, strange


CASES = [case for seed in range(4) for case in questions(seed)]


def plan_of(question: str, source: Data) -> Plan:
    indexes = [schema_index_of(source.profile)]
    return interpret(question, INITIAL_STATE, indexes, today=TODAY).plan


def test_what_is_said_stands_in_the_plan_or_is_asked_about() -> None:
    answered = 0
    for source, question, names, _strange in CASES:
        plan = plan_of(question, source)
        if isinstance(plan, Unknown | Ask):
            continue
        answered += 1
        held = str(plan_to_json(plan))
        for name in names:
            assert name in held, f"{question}: {name} is not in {held}"
    assert answered > 0.8 * len(CASES)


@pytest.mark.parametrize("place", ["end", "with", "quoted", "verb"])
def test_a_word_of_nothing_in_the_data_gets_no_number(place: str) -> None:
    for source, question, _names, strange in CASES:
        said = {
            "end": f"{question.rstrip('?')} {strange}",
            "with": f"{question.rstrip('?')} com {strange}",
            "quoted": f'{question.rstrip("?")} "{strange.title()}"',
            "verb": f"{question.rstrip('?')} que {strange}aram",
        }[place]

        plan = plan_of(said, source)

        held = str(plan_to_json(plan))
        is_row_word = strange in held and not isinstance(plan, Unknown | Ask)
        assert isinstance(plan, Unknown | Ask) or is_row_word, said


@pytest.mark.parametrize(
    "word", ["mediana", "desvio padrão", "correlação", "percentagem", "máximo"]
)
def test_a_statistic_is_computed_or_asked_about(word: str) -> None:
    told = {
        "mediana": ("median",),
        "desvio padrão": ("std",),
        "correlação": ("correlation", "values"),
        "percentagem": ("share", "rate"),
        "máximo": ("max", "most"),
    }
    for source, question, _names, _strange in CASES:
        plan = plan_of(f"{word}: {question}", source)

        held = str(plan_to_json(plan))
        is_held = any(each in held for each in told[word])
        assert isinstance(plan, Unknown | Ask) or is_held, f"{word}: {question}: {held}"


@pytest.mark.parametrize("told", ["sem contar", "excluding", "exceto"])
def test_a_negation_excludes_something_or_is_asked_about(told: str) -> None:
    for source, question, _names, strange in CASES:
        plan = plan_of(f"{question.rstrip('?')}, {told} {strange}", source)

        assert isinstance(plan, Unknown | Ask)
