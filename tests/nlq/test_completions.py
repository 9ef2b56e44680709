"""What is typed goes on with what the data hold."""

import pytest

from qhub_desktop.core.readings import MOST_COMPLETIONS, Completion
from qhub_desktop.nlq.completions import completions_of
from qhub_desktop.nlq.query_ast import Filter, Number, Plan, RowSelection
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import data, demo, measurements, production

STOPS = data(
    "paragens",
    {
        "Motivo de paragem": ("category", ["Avaria", "Avaria", "Setup", "Falta de operador"] * 10),
        "Máquina": ("category", ["M1", "M2"] * 20),
        "Noite": ("category", ["sim", "não"] * 20),
    },
)


def completed(typed: str, *asked: Plan, cursor: int | None = None) -> tuple[Completion, ...]:
    """How a text goes on over a table of production."""
    indexes = [schema_index_of(production().profile)]
    at = len(typed) if cursor is None else cursor
    return completions_of(typed, at, indexes, "pt", asked)


def texts(typed: str, *asked: Plan) -> list[str]:
    """The texts that it may go on with."""
    return [each.text for each in completed(typed, *asked)]


@pytest.mark.parametrize(
    ("typed", "wanted", "kind"),
    [
        ("soma de suc", "Sucata", "column"),
        ("soma de peças pro", "Peças produzidas", "column"),
        ("soma de produz", "Peças produzidas", "column"),
        ("quantas linhas do nor", "Norte Lda", "value"),
        ("quantas da man", "Manhã", "value"),
        ("sucata por tu", "por Turno", "phrase"),
        ("sucata por", "por Turno", "phrase"),
        ("sucata por ", "por Máquina", "phrase"),
        ("sucata por sem", "por semana", "phrase"),
        ("top", "top 5 Cliente", "phrase"),
        ("sucata em jan", "janeiro", "period"),
        ("sucata do mês pa", "mês passado", "period"),
        ("sucata nos últimos 7", "os últimos 7 dias", "period"),
        ("sucata num gráf", "gráfico de barras", "chart"),
        ("sucata em pare", "gráfico de Pareto", "chart"),
        ("scrap by sh", "Turno", "column"),
        ("scrap at nig", "Noite", "value"),
    ],
)
def test_it_goes_on_with_what_the_data_hold(typed: str, wanted: str, kind: str) -> None:
    found = {each.text: each.kind for each in completed(typed)}

    assert found.get(wanted) == kind


def test_what_is_put_in_takes_the_place_of_what_was_typed() -> None:
    typed = "média de peças pro e mais"

    (first, *_more) = completed(typed, cursor=len("média de peças pro"))

    taken = typed[: first.start] + first.text + typed[len("média de peças pro") :]
    assert taken == "média de Peças produzidas e mais"


def test_a_value_tells_its_column() -> None:
    (found, *_more) = [each for each in completed("da m3") if each.kind == "value"]

    assert (found.text, found.hint) == ("M3", "Máquina")


@pytest.mark.parametrize("typed", ["", " ", "s", "soma de Sucata", "soma de xaro", "soma de "])
def test_nothing_is_offered_where_nothing_goes_on(typed: str) -> None:
    assert completed(typed) == ()


def test_nothing_is_offered_within_a_word() -> None:
    assert completed("soma de sucata", cursor=len("soma de suc")) == ()


def test_at_most_a_few_are_offered_and_each_once() -> None:
    found = texts("por ")

    assert len(found) == len({*found}) == MOST_COMPLETIONS


def test_months_are_those_of_the_data() -> None:
    assert "janeiro" in texts("em jan")
    assert "junho" not in texts("em jun")


def test_what_was_asked_before_comes_first() -> None:
    before = texts("por ")
    last = before[2]
    of_last = {"por Turno": "Turno", "por Máquina": "Máquina", "por Cliente": "Cliente"}[last]
    asked = Number(RowSelection("outro nome", (Filter(of_last, ("x",)),)))
    elsewhere = Number(RowSelection("producao", (Filter("Coluna que não há", ("x",)),)))

    assert texts("por ", asked)[0] == last
    assert texts("por ", elsewhere) == before


def test_values_come_by_how_often_they_are_there() -> None:
    indexes = [schema_index_of(STOPS.profile)]

    found = completions_of("paragens por av", 15, indexes, "pt", ())
    named = completions_of("paragens com falta de op", 24, indexes, "pt", ())

    assert [(each.text, each.hint) for each in found] == [("Avaria", "Motivo de paragem")]
    assert [each.text for each in named] == ["Falta de operador"]


async def test_the_conversation_s_own_data_are_completed_not_the_log(talks: Talks) -> None:
    brought = talks(measurements())
    alone = talks(demo())

    files = await brought.program.readings.complete(await brought.begin(), "by paint", 8)
    log = await alone.program.readings.complete(await alone.begin(), "por mat", 7)
    neither = await brought.program.readings.complete(await brought.begin(), "por oper", 8)

    assert [each.text for each in files[:2]] == ["by Paint Line", "Paint Line"]
    assert "por material" in [each.text for each in log]
    assert neither == ()


async def test_what_the_person_asked_of_such_a_table_is_known(talks: Talks) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    await talk.ask("quantas linhas por cliente?")
    for message in talk.messages:
        await talk.program.store.messages.add(conversation, message.role, message.blocks)

    plans = await talk.program.store.messages.asked_plans()

    assert any("Cliente" in str(each) for each in plans)


@pytest.mark.parametrize("typed", ["sucata por semana", "sucata por sem", "sucata por mês"])
def test_behind_a_grouping_no_period_is_offered(typed: str) -> None:
    assert not [each for each in completed(typed) if each.kind == "period"]
    assert "esta semana" in texts("sucata sem")
