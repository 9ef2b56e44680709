"""Kinds of the shapes of sentences: what is said before a question or in brackets, and causes."""

import pytest

from qhub_desktop.nlq.dialogue.appositions import without_appositions
from qhub_desktop.nlq.dialogue.preamble import without_preamble
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    Ask,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Thanks,
    Unknown,
    Why,
    is_count,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.semantic.candidate import compared
from tests.nlq.profiles import Data
from tests.nlq.schemas import by, plan_at_once, plan_over, rows_of, table

GYM = table(
    "gym_visits",
    {
        "Visit": "key",
        "Date": "day",
        "Club": "Centre,Harbour,Hill",
        "Fee (€)": "#90",
        "Reason": "Moving,Price,Injury",
    },
)
TREES = table(
    "podas_arvores",
    {
        "Intervenção": "key",
        "Dia": "day",
        "Freguesia": "Alvalade,Benfica,Ajuda",
        "Causa": "Tempestade,Praga,Idade",
        "Custo (€)": "#900",
        "Horas": "#40",
    },
)
LOTS = table(
    "stock_batches",
    {
        "Batch": "key",
        "Arrived": "day",
        "Item": "Bolt,Nut,Washer",
        "UD": "A,R,W",
        "State": "Waiting,Working,Held,Done",
        "Blk.": "yes,no",
        "Signed By": "Ann,Bob,Eve",
        "Cost (€)": "#900",
    },
)
FEES = {
    "the total fee by club": by(GYM, "Club", Measure("sum", "Fee (€)")),
    "how many visits by club": by(GYM, "Club", Measure()),
}


@pytest.mark.parametrize("wanted", FEES)
@pytest.mark.parametrize(
    "said",
    [
        "Hi, sorry to bother you, for the monthly memo I need {}, could you get me that please?",
        "Good morning, I'm writing my letter and would be grateful if you could tell me {}.",
        "Good afternoon! My boss asked me for {}",
        "Hello, for the board I need {}. Thank you very much!",
    ],
)
def test_what_is_said_before_a_question_asks_nothing(said: str, wanted: str) -> None:
    assert plan_over(GYM, said.format(wanted)) == FEES[wanted]


@pytest.mark.parametrize(
    "said",
    [
        "Boa tarde. O presidente da junta pediu-me um indicador: {}. Obrigada!",
        "Bom dia, peço desculpa pelo incómodo. Precisava de saber {}",
        "e aí, tudo bem? me diz {}",
    ],
)
def test_what_is_said_in_portuguese_before_a_question_asks_nothing(said: str) -> None:
    wanted = by(TREES, "Freguesia", Measure("sum", "Custo (€)"))

    assert plan_over(TREES, said.format("o custo total por freguesia")) == wanted


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("multas, quantas houve em Benfica?", "multas"),
        ("só as podas de Ajuda, se faz favor: preciso do custo", "Ajuda"),
        ("sem contar as pragas, preciso de saber o custo por causa", "sem contar"),
    ],
)
def test_what_is_about_rows_is_no_preamble(question: str, kept: str) -> None:
    rest = without_preamble(question, "pt", [schema_index_of(TREES.profile)], lambda _said: [])

    assert kept in rest


def test_what_restricts_rows_is_no_preamble() -> None:
    plan = plan_over(GYM, "for the Harbour club only, could you tell me the total fee?")

    assert "Harbour" in repr(plan)


@pytest.mark.parametrize(
    "said", ["ok obrigado", "valeu demais, era isso aí", "valeu, ajudou muito!", "ok thanks"]
)
def test_thanks_in_any_words_are_thanks(said: str) -> None:
    assert isinstance(plan_over(GYM, said), Thanks)


def test_a_dashboard_for_something_is_of_what_stands_behind_the_colon() -> None:
    plan = plan_over(
        TREES,
        "Bom dia, preciso de um painel para a reunião das 10h, se faz favor: "
        "custo por freguesia, horas por causa e número de intervenções. Obrigado",
    )

    assert isinstance(plan, AsDashboard)
    assert [compared(each) for each in plan.of] == [
        by(TREES, "Freguesia", Measure("sum", "Custo (€)")),
        by(TREES, "Causa", Measure("sum", "Horas")),
        Number(rows_of(TREES)),
    ]


@pytest.mark.parametrize(
    ("dataset", "question", "column"),
    [
        (TREES, "faz o pareto das causas das podas", "Causa"),
        (TREES, "um pareto das causas", "Causa"),
        (GYM, "pareto of the reasons", "Reason"),
    ],
)
def test_causes_that_are_ranked_are_no_question_why(
    dataset: Data, question: str, column: str
) -> None:
    plan = plan_over(dataset, question)

    assert isinstance(plan, AsChart)
    assert plan.kind == "pareto"
    assert isinstance(plan.of, GroupBy)
    assert plan.of.dimension.column == column


@pytest.mark.parametrize(
    "question",
    ["porque é que há mais podas em Benfica?", "por que motivo há mais podas em Benfica?"],
)
def test_a_question_why_is_one(question: str) -> None:
    assert isinstance(plan_over(TREES, question), Why)


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("how many batches are trashed (UD = R)?", [Filter("UD", ("R",))]),
        ("how many batches were binned (UD R)?", [Filter("UD", ("R",))]),
        ("quantos lotes foram chumbados (UD: R)?", [Filter("UD", ("R",))]),
        (
            "how many batches are not finalised (Waiting, Working or Held)?",
            [Filter("State", ("Waiting", "Working", "Held"))],
        ),
        (
            "quantos lotes estão por despachar? (Waiting, Working, Held)",
            [Filter("State", ("Waiting", "Working", "Held"))],
        ),
        (
            "how many batches are without a signature (Signed By empty)?",
            [Filter("Signed By", (), "missing")],
        ),
        ("quantos lotes sem rubrica (Signed By em branco)?", [Filter("Signed By", (), "missing")]),
        ("how many batches are frozen (Blk. yes)?", [Filter("Blk.", ("yes",))]),
        ("quantos lotes estão congelados (Blk. sim)?", [Filter("Blk.", ("yes",))]),
        ("quantos lotes congelados (Blk.)?", [Filter("Blk.", ("yes",))]),
    ],
)
def test_brackets_say_what_the_words_before_them_mean(question: str, chosen: list[Filter]) -> None:
    plan = plan_over(LOTS, question)

    assert is_count(plan)
    assert compared(plan) == Number(rows_of(LOTS, *chosen))


def test_brackets_of_a_column_are_that_column() -> None:
    wanted = by(LOTS, "Signed By", Measure("sum", "Cost (€)"))

    assert plan_over(LOTS, "total cost per endorser (Signed By)") == wanted
    assert plan_over(LOTS, "custo total por rubricador (Signed By)") == wanted


@pytest.mark.parametrize(
    "question",
    [
        "how many batches have at least one endorser (at least one)?",
        "cost of batches by state (Blk. or UD)",
        "total cost by item (Ann)",
    ],
)
def test_brackets_that_are_about_something_else_stay(question: str) -> None:
    indexes = [schema_index_of(LOTS.profile)]

    assert without_appositions(question, "en", indexes).count("(") == question.count("(")


@pytest.mark.parametrize(
    "question",
    ["em que dias houve mais do que uma?", "quais os Item com mais do que uma poda?"],
)
def test_more_than_one_is_compared_or_asked_about(question: str) -> None:
    plan = plan_over(LOTS, question)

    assert not isinstance(plan, GroupBy) or plan.having is not None


CALLS = table(
    "service_desk",
    {
        "Call": "key",
        "Opened": "day",
        "Solved": "day+3",
        "Duration (min)": "#90",
        "Topic": "Printer,Mail,Network",
    },
)


@pytest.mark.parametrize("said", ["request length", "call length", "ticket length"])
def test_what_explains_every_word_and_is_far_ahead_is_answered(said: str) -> None:
    spread = Measure("std", "Duration (min)")

    assert plan_over(CALLS, f"standard deviation of {said}") == Number(rows_of(CALLS), spread)


def test_a_word_that_names_nothing_is_asked_about_however_far_the_best_is_ahead() -> None:
    plan = plan_at_once(CALLS, "standard deviation of request length of the penguins")

    assert isinstance(plan, Ask | Unknown)


@pytest.mark.parametrize(
    "asked",
    [
        "o custo tem vindo a subir ou a descer de um mês para o outro?",
        "o custo está aumentando ou caindo de um mês pro outro?",
        "o custo por mês anda subindo ou descendo?",
        "o custo por mês está crescendo?",
    ],
)
def test_rising_and_falling_are_a_course_in_any_form_of_the_verb(asked: str) -> None:
    plan = plan_over(TREES, asked)

    assert isinstance(plan, AsChart)
    assert plan.of == GroupBy(
        rows_of(TREES), Dimension("Dia", "month"), Measure("sum", "Custo (€)")
    )


@pytest.mark.parametrize("asked", ["bota num gráfico", "mete num gráfico"])
@pytest.mark.parametrize("polite", ["", " pf"])
def test_a_chart_is_asked_for_with_any_verb_of_putting(asked: str, polite: str) -> None:
    plan = plan_over(TREES, f"custo por freguesia{polite}", f"{asked}{polite}")

    assert isinstance(plan, AsChart)
    assert plan.of == by(TREES, "Freguesia", Measure("sum", "Custo (€)"))


REPORTS = table(
    "relatorios", {"Relatório": "key", "Dia": "day", "Técnico": "Ana,Rui,Eva", "Nota": "text"}
)


@pytest.mark.parametrize("asked", ["se fala do termopar", "se fala da bomba", "falam da bomba"])
def test_what_a_text_speaks_of_is_what_it_contains(asked: str) -> None:
    word = asked.rsplit(maxsplit=1)[-1]

    assert plan_over(REPORTS, f"quantos relatórios cuja nota {asked}") == Number(
        rows_of(REPORTS, Filter("Nota", (word,), "contains"))
    )
