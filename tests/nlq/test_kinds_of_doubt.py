"""Kinds of questions that are not sure enough to be answered: what is offered, and what is told."""

import pytest

from qhub_desktop.core.table import Cell
from qhub_desktop.nlq.dialogue.selection import offered, offered_rather
from qhub_desktop.nlq.parser.parser import parse
from qhub_desktop.nlq.query_ast import (
    Ask,
    DataPlan,
    Filter,
    Measure,
    Number,
    Rows,
    Unknown,
)
from qhub_desktop.nlq.question import question_over
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.semantic.candidate import Candidate
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import LINES, TODAY, by, plan_at_once, plan_over, rows_of, table

VISITS = table(
    "visitas",
    {"Data": "day", "Cliente": "Alfa,Beta", "Técnico": "Ana,Rui,Zé", "Duração (min)": "#90"},
)
ORDERS = table(
    "orders",
    {"Order No": "key", "Order Date": "day", "Country": "PT,ES,FR", "Amount": "#900"},
)
CATCH = table(
    "pesca",
    {"Data": "day", "Lota": "Aveiro,Peniche", "Espécie": "Sardinha,Carapau", "Peso (kg)": "#50"},
)
MEANT = {
    "visitas": by(VISITS, "Técnico", Measure("mean", "Duração (min)")),
    "orders": by(ORDERS, "Country", Measure("sum", "Amount")),
    "pesca": by(CATCH, "Lota", Measure("sum", "Peso (kg)")),
}


@pytest.mark.parametrize(
    ("dataset", "question", "word"),
    [
        (VISITS, "duração média zorb por técnico", "zorb"),
        (VISITS, "duração média grolenta por técnico", "grolenta"),
        (ORDERS, "total amount flubber by country", "flubber"),
        (CATCH, "peso total brumoso por lota", "brumoso"),
    ],
)
def test_what_the_other_words_mean_is_offered_beside_the_unclear_one(
    dataset: Data, question: str, word: str
) -> None:
    asked = plan_at_once(dataset, question)

    assert isinstance(asked, Ask)
    assert asked.readings[0] == ("", MEANT[dataset.profile.dataset])
    assert asked.unclear == (word,)


@pytest.mark.parametrize(
    ("dataset", "question", "word"),
    [
        (VISITS, "moda da duração", "moda"),
        (VISITS, "curtose da duração", "curtose"),
        (VISITS, "assimetria da duração", "assimetria"),
        (CATCH, "entropia do peso", "entropia"),
        (ORDERS, "kurtosis of amount", "kurtosis"),
        (ORDERS, "skewness of the amount", "skewness"),
    ],
)
def test_a_figure_that_is_not_known_is_told_and_no_mean_is_answered(
    dataset: Data, question: str, word: str
) -> None:
    asked = plan_at_once(dataset, question)

    assert isinstance(asked, Ask)
    assert asked.unclear == (word,)


@pytest.mark.parametrize(
    ("dataset", "question"),
    [(VISITS, "média da duração"), (VISITS, "amplitude da duração"), (CATCH, "soma do peso")],
)
def test_a_figure_that_is_known_is_answered(dataset: Data, question: str) -> None:
    assert isinstance(plan_over(dataset, question), Number)


@pytest.mark.parametrize(
    ("dataset", "question", "name"),
    [
        (VISITS, "quantas visitas do Trambolho", "Trambolho"),
        (VISITS, "quantas visitas do cliente X99", "X99"),
        (ORDERS, "how many orders from Narnia", "Narnia"),
        (CATCH, "peso de Bacalhau", "Bacalhau"),
    ],
)
def test_a_name_that_is_nowhere_is_told_and_left_out_of_no_offer(
    dataset: Data, question: str, name: str
) -> None:
    assert plan_over(dataset, question) == Unknown("value", (name,))


@pytest.mark.parametrize(
    "question", ["how many produced on Line 7", "average scrap of Line 7 by shift"]
)
def test_a_number_of_which_there_is_no_thing_is_told(question: str) -> None:
    made = table("runs", {"Line": "Line 1,Line 2", "Shift": "A,B", "Produced": "#", "Scrap": "#9"})

    assert plan_at_once(made, question) == Unknown("value", ("7",))


def test_a_number_that_may_be_a_code_is_not_told_to_lack() -> None:
    """The numbers of a column are not known one by one."""
    codes: list[Cell] = [501 + place % 3 for place in range(LINES)]
    made = data(
        "lançamentos",
        {
            "Mov": ("integer", codes),
            "Centro": ("category", [f"C{place % 3}" for place in range(LINES)]),
            "Peso": ("number", [place / 2 for place in range(LINES)]),
        },
    )
    plan = plan_at_once(made, "quantos lançamentos com tipo 502 por centro?")

    assert not (isinstance(plan, Unknown) and "502" in plan.words)


@pytest.mark.parametrize(
    ("dataset", "question", "column"),
    [
        (VISITS, "duração média por bairro", "bairro"),
        (ORDERS, "total amount by warehouse", "warehouse"),
        (CATCH, "peso total por mestre", "mestre"),
    ],
)
def test_a_column_that_lacks_is_told(dataset: Data, question: str, column: str) -> None:
    assert plan_over(dataset, question) == Unknown("column", (column,))


@pytest.mark.parametrize(
    ("dataset", "question", "word"),
    [
        (CATCH, "total de zorbas por lota", "zorbas"),
        (CATCH, "total de xpto por mês", "xpto"),
        (ORDERS, "total of gizmos by country", "gizmos"),
    ],
)
def test_rows_are_not_counted_for_a_word_that_may_be_an_amount(
    dataset: Data, question: str, word: str
) -> None:
    """What means nothing here is told, where each row says how much there was of something."""
    asked = plan_at_once(dataset, question)

    assert isinstance(asked, Ask)
    assert asked.unclear == (word,)


def test_a_number_of_any_word_is_that_of_the_rows() -> None:
    made = table("achados", {"Data": "day", "Zona": "A1,B2", "Estado": "aberto,fechado"})

    assert plan_at_once(made, "quantas zorbas por zona") == by(made, "Zona")
    assert plan_at_once(CATCH, "número de zorbas por lota") == by(CATCH, "Lota")


@pytest.mark.parametrize("question", ["pior linha", "qual a pior linha?", "worst Linha in January"])
def test_what_is_worst_is_asked_by_what_is_known_to_be_bad(question: str) -> None:
    """What is not wanted stands first, what is wanted behind it, and targets are no criterion."""
    made = table(
        "turnos",
        {"Data": "day", "Linha": "L1,L2", "Produzidas": "#90", "Sucata": "#9", "Objetivo": "#99"},
    )
    asked = plan_at_once(made, question)

    assert isinstance(asked, Ask)
    assert [name for name, _ in asked.readings] == ["Sucata", "Produzidas", "turnos"]


async def test_the_offer_says_what_is_in_doubt_and_is_answered_when_it_is_chosen(
    talks: Talks,
) -> None:
    talk = talks(CATCH)
    kilos = MEANT["pesca"]

    doubt = await talk.ask("peso total brumoso por lota")
    chosen = await talk.choose(kilos)
    after = await talk.ask("e por espécie?")

    assert doubt.tools == ["consultar_dados"]  # for the value of its one reading
    assert doubt.text.startswith("Não sei o que fazer com “brumoso” nesta pergunta.")
    assert "é uma leitura, não a resposta" in doubt.text
    assert "Peniche" in chosen.text
    assert "Carapau" in after.text


async def test_the_offer_is_in_the_language_of_the_question(talks: Talks) -> None:
    doubt = await talks(ORDERS).ask("what is the total amount flubber by country?")

    assert doubt.text.startswith("I could not place “flubber” in this question.")
    assert "is a reading, not an answer" in doubt.text


def _candidates(*costs: float) -> list[Candidate]:
    plans: list[DataPlan] = [
        Number(rows_of(VISITS)),
        MEANT["visitas"],
        by(VISITS, "Cliente"),
        Number(rows_of(VISITS, Filter("Cliente", ("Beta",)))),
        by(VISITS, "Técnico"),
    ]
    return [Candidate(plan, cost) for plan, cost in zip(plans, costs, strict=False)]


@pytest.mark.parametrize(
    ("costs", "buttons"),
    [
        ((), 0),
        ((9.0, 9.1), 0),
        ((2.0,), 1),
        ((2.0, 2.2), 2),
        ((2.0, 4.0), 1),
        ((2.0, 2.1, 2.2, 2.3, 2.4), 3),
    ],
)
def test_only_what_is_near_the_best_is_a_button(costs: tuple[float, ...], buttons: int) -> None:
    found = offered(_candidates(*costs))

    assert len(found.readings if found else ()) == buttons


def test_a_list_of_rows_and_their_number_are_one_button() -> None:
    rows = rows_of(VISITS, Filter("Cliente", ("Beta",)))
    found = offered([Candidate(Rows(rows), 1.0), Candidate(Number(rows), 1.1)])

    assert found is not None
    assert len(found.readings) == 1


def test_a_question_about_a_word_stays_where_it_leads_to_the_best_plan() -> None:
    frame = parse(question_over("duração", schema_index_of(VISITS.profile), "pt", TODAY))
    best, other, third = (each.plan for each in _candidates(1.0, 1.1, 1.2))
    leading = Ask("duração", (("a", best), ("b", other)))
    astray = Ask("duração", (("b", other), ("c", third)))
    found = _candidates(1.0, 1.1)

    assert offered_rather(leading, frame, found) == leading
    assert offered_rather(astray, frame, found) == offered(found)
    assert offered_rather(astray, frame, []) == astray
