"""Kinds of questions over tables as systems export them: short headers, units, states, wishes."""

from dataclasses import replace

import pytest

from qhub_desktop.nlq.answer.plan_editor import PlanEditor
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.column_roles import flag_values, priced_unit
from qhub_desktop.nlq.query_ast import (
    AsDashboard,
    Ask,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    RowSelection,
    Several,
    is_count,
    is_top,
    query_of,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.shorthand import plainly
from tests.nlq.profiles import Data
from tests.nlq.schemas import all_mean, by, plan_at_once, plan_over, rows_of, table

MILK = table(
    "recolhas_leite",
    {
        "NrTalao": "key",
        "DtRecolha": "day",
        "Concelho": "Maia,Trofa,Barcelos",
        "Rota": "R01,R02",
        "VolL": "#900",
        "TempC": "#9",
        "Conf": "C,NC",
    },
)
FUEL = table(
    "abastecimentos",
    {
        "COD_TRANS": "key",
        "DT_TRANS": "day",
        "FILIAL": "Norte,Sul",
        "QTD_LT": "#90",
        "VL_LT (R$)": "#9",
        "VL_TOTAL (R$)": "#900",
    },
)
GRAIN = table(
    "entregas",
    {"Guia": "key", "Data": "day", "Produtor": "Ana,Rui,Zé", "Peso (kg)": "#900"},
)
MEMBERS = table(
    "socios",
    {"Nr.": "key", "Dt Adesão": "day", "Dt Cancel.": "day+20", "Unid.": "Porto,Braga"},
)


@pytest.mark.parametrize(
    ("dataset", "unit", "amount", "group"),
    [(MILK, "litros", "VolL", "Rota"), (FUEL, "litros", "QTD_LT", "FILIAL")],
)
def test_the_word_of_a_unit_is_the_amount_that_is_measured_in_it(
    dataset: Data, unit: str, amount: str, group: str
) -> None:
    total = Measure("sum", amount)

    all_mean(dataset, by(dataset, group, total), f"{unit} por {group.lower()}")
    assert plan_over(dataset, f"total de {unit}") == Number(rows_of(dataset), total)


def test_a_thing_that_can_not_be_counted_is_no_row() -> None:
    litres = replace(by(MILK, "Rota", Measure("sum", "VolL")), n=1, order="most")

    all_mean(MILK, litres, "qual a rota com mais leite?")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("VL_LT (R$)", "volume"),
        ("Valor kg (€)", "weight"),
        ("€/L", "volume"),
        ("VL_TOTAL (R$)", ""),
        ("Volume (L)", ""),
    ],
)
def test_a_price_is_told_by_the_unit_beside_the_money(name: str, unit: str) -> None:
    assert priced_unit(name) == unit


@pytest.mark.parametrize(
    ("headers", "said", "column"),
    [
        ({"P. Base (€)": "#900", "Rev. Preços": "S,N"}, "preço base", "P. Base (€)"),
        ({"Cli.": "Alfa,Beta,Gama", "Custo (€)": "#90"}, "customer", "Cli."),
        ({"Op.": "Ana,Rui,Zé", "Nº OR": "key"}, "operador", "Op."),
        ({"Dep.": "D1,D2,D3", "Custo (€)": "#90"}, "depósito", "Dep."),
    ],
)
def test_a_short_header_is_what_its_letters_begin(
    headers: dict[str, str], said: str, column: str
) -> None:
    made = table("x", {"Data": "day", **headers})
    plan = plan_over(made, f"median {said}" if headers[column][0] == "#" else f"rows by {said}")

    assert plan in (
        Number(rows_of(made), Measure("median", column)),
        by(made, column),
    )


def test_orders_are_no_operators() -> None:
    made = table(
        "retrabalho", {"Nº OR": "key", "Data": "day", "Op.": "Ana,Rui", "Cor": "Azul,Preto"}
    )

    all_mean(made, Number(rows_of(made)), "quantas ordens?", "quantas ordens há?")


@pytest.mark.parametrize("name", ["Conf", "Conforme?"])
def test_what_does_not_conform_is_a_state_and_no_empty_cell(name: str) -> None:
    made = table("ensaios", {"Nr.": "key", "Data": "day", "Turno": "M,T", name: "C,NC"})
    found = plan_over(made, "quantos não conformes?")

    assert flag_values(made.profile.columns[3]) == ("C", "NC")
    assert is_count(found) or isinstance(found, GroupBy)
    assert query_of(found).scope == rows_of(made, Filter(name, ("NC",)))


def test_the_days_of_a_follow_up_are_of_the_column_of_those_before() -> None:
    plan = plan_over(MEMBERS, "cancelamentos em janeiro", "e em fevereiro?")

    assert is_count(plan)
    assert plan.scope.period is not None
    assert plan.scope.period.column == "Dt Cancel."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("quantas entregas em janeiro?", "nesse mês, qual o produtor com mais?"),
        ("how many deliveries in January?", "in that month, which Produtor had the most?"),
    ],
)
def test_that_month_is_the_one_that_was_asked_about(first: str, second: str) -> None:
    before, after = plan_over(GRAIN, first), plan_over(GRAIN, first, second)

    assert is_count(before)
    assert is_top(after)
    assert after.scope.period is not None
    assert before.scope.period is not None
    assert after.scope.period.start == before.scope.period.start


def test_a_unit_alone_is_no_follow_up() -> None:
    made = table("chamadas", {"Id": "key", "Dia": "day", "Fila": "A,B", "Espera (s)": "#90"})
    first = "espera média na fila A"

    assert isinstance(plan_over(made, first), Number)
    assert not isinstance(plan_at_once(made, first, "em minutos"), Number)


def test_a_length_is_held_against_the_column_that_is_named() -> None:
    made = table(
        "obras",
        {
            "Nr.": "key",
            "Início": "day",
            "Fim": "day+30",
            "Empresa": "Alfa,Beta,Gama",
            "Atraso (dias)": "#90",
        },
    )
    plan = plan_over(made, "que empresas têm um atraso médio superior a 45 dias?")

    assert plan is not None
    groups = query_of(plan)  # type: ignore[arg-type]  # of data
    assert isinstance(groups, GroupBy)
    assert groups.measure == Measure("mean", "Atraso (dias)")
    assert groups.having is not None
    assert groups.having.values == (45.0,)


LITRES, TEMPERATURE = Measure("sum", "VolL"), Measure("mean", "TempC")
CARDS = (
    by(MILK, "Concelho", LITRES),
    by(MILK, "Rota", TEMPERATURE),
    GroupBy(rows_of(MILK), Dimension("DtRecolha", "month"), LITRES),
)


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        (
            "quero um painel com litros por concelho, temperatura média por rota e litros por mês",
            CARDS,
        ),
        ("dashboard with litres by concelho and average temperature by rota", CARDS[:2]),
        ("painel: litros por concelho e por rota", (CARDS[0], by(MILK, "Rota", LITRES))),
        ("painel: litros por concelho, rota", (CARDS[0], by(MILK, "Rota", LITRES))),
    ],
)
def test_each_wish_of_a_dashboard_is_a_card_as_it_was_said(
    question: str, cards: tuple[GroupBy, ...]
) -> None:
    assert plan_over(MILK, question) == AsDashboard(cards)


def test_a_wish_that_is_not_sure_is_asked_about_with_the_whole_dashboard() -> None:
    asked = plan_at_once(MILK, "painel com litros zorb por concelho e temperatura média por rota")

    assert isinstance(asked, Ask)
    assert [plan for _, plan in asked.readings] == [AsDashboard(CARDS[:2])]
    assert asked.unclear == ("zorb",)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (
            "Olá, para a reunião de amanhã preciso de saber quantas entregas há",
            "quantas entregas há",
        ),
        ("o chefe pediu o peso total, consegues dizer-me?", "o peso total?"),
        ("Hi, I'm planning - could you tell me how many there are", "how many there are"),
        ("preciso de saber o peso", "o peso"),
        # What names something in the data stays.
        ("para o produtor Rui preciso de saber o peso", None),
        ("para o relatório de março preciso de saber o peso", None),
        ("For the night shift I need to know how many there are", None),
        ("I'm looking at March - could you tell me how many there are", None),
    ],
)
def test_what_a_question_is_for_is_no_part_of_it(said: str, plain: str | None) -> None:
    found = plainly(said, (schema_index_of(GRAIN.profile),))

    assert found == (said if plain is None else plain)


@pytest.mark.parametrize(
    "said",
    [
        "linhas com Queiroz nas observações",
        "linhas em que nas observações se fala de Queiroz",
        "linhas que falam de Queiroz nas observações",
    ],
)
def test_a_word_in_notes_is_looked_for_in_them(said: str) -> None:
    assert "observações mencionam Queiroz" in plainly(said, ())


def test_a_plan_of_another_sheet_keeps_no_part_of_the_one_before() -> None:
    editor = PlanEditor(schema_index_of(GRAIN.profile), AnswerLocale("pt"))
    before = Number(RowSelection("abastecimentos"), Measure("sum", "VL_TOTAL (R$)"))

    chips = editor.chips(Number(rows_of(GRAIN)), before)

    assert chips
    assert not any(each.is_kept for each in chips)


STAYS = table(
    "reservas",
    {
        "Reserva": "key",
        "Entrada": "day",
        "Saída": "day+3",
        "Cidade": "Rio de Janeiro,Niterói,Porto",
        "Situação": "Confirmada,No-show",
        "Nota": "#9",
    },
)


def test_a_month_in_a_name_is_no_time() -> None:
    janeiro = Filter("Cidade", ("Rio de Janeiro",))

    assert plan_over(STAYS, "quantas reservas do Rio de Janeiro?") == Number(
        rows_of(STAYS, janeiro)
    )
    february = plan_over(STAYS, "quantas reservas do Rio de Janeiro em fevereiro?")
    assert is_count(february)
    assert february.scope.filters == (janeiro,)
    assert february.scope.period is not None
    assert february.scope.period.start is not None
    assert february.scope.period.start.month == 2


def test_a_name_of_small_words_is_no_filler() -> None:
    plan = plan_over(STAYS, "quantas reservas no-show?")

    assert plan == Number(rows_of(STAYS, Filter("Situação", ("No-show",))))


@pytest.mark.parametrize("question", ["reservas por mês de saída", "reservations by Saída month"])
def test_a_month_is_of_the_column_that_is_named_beside_it(question: str) -> None:
    plan = plan_over(STAYS, question)

    assert isinstance(plan, GroupBy)
    assert (plan.dimension, plan.split) == (Dimension("Saída", "month"), None)


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [("nota por reserva", True), ("nota por produto", False), ("nota média por cidade", True)],
)
def test_a_thing_that_no_column_holds_is_no_row(question: str, *, is_answered: bool) -> None:
    assert isinstance(plan_at_once(STAYS, question), Number | GroupBy) == is_answered


def test_each_of_two_that_are_compared_gets_its_numbers() -> None:
    plan = plan_over(STAYS, "compara Porto e Niterói: número de reservas e nota média")

    assert isinstance(plan, Several)  # the mean of each alone would leave their numbers out
    groups = [each for each in plan.of if isinstance(each, GroupBy)]
    assert [each.dimension for each in groups] == [Dimension("Cidade"), Dimension("Cidade")]
    assert [each.measure.kind for each in groups] == ["count", "mean"]


SALES = table(
    "vendas",
    {
        "Lote": "key",
        "Dia": "day",
        "Espécie": "Polvo,Sardinha",
        "Peso (kg)": "#300",
        "Preço €/kg": "#9",
        "Valor (€)": "#900",
    },
)


@pytest.mark.parametrize("question", ["quantos lotes entre 100 e 200 kg?", "lotes acima de 100 kg"])
def test_a_weight_is_held_against_no_price_by_weight(question: str) -> None:
    plan = plan_over(SALES, question)

    assert plan is not None
    (held,) = query_of(plan).scope.filters  # type: ignore[arg-type]  # of data
    assert held.column == "Peso (kg)"


def test_an_amount_of_money_is_no_number_of_rows() -> None:
    plan = plan_over(SALES, "que espécies passaram os 1000 euros?")

    assert isinstance(plan, GroupBy)
    assert plan.measure == Measure("sum", "Valor (€)")
    assert plan.having == Filter("", (1000.0,), "above")


@pytest.mark.parametrize("name", ["dE*", "dE", "Delta E", "Delta_E", "ΔE"])
@pytest.mark.parametrize("question", ["delta E médio", "qual é o delta e médio?"])
def test_the_difference_of_a_colour_is_that_of_no_other_axis(name: str, question: str) -> None:
    columns = {"Nr": "key", "Dia": "day", "Cor": "Azul,Preto", "dL*": "#9", name: "#9"}
    made = table("medicoes", columns)

    if name == "ΔE":  # a sign that nobody types
        assert isinstance(plan_at_once(made, question), Ask)
    else:
        assert plan_over(made, question) == Number(rows_of(made), Measure("mean", name))
