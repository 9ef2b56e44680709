"""Kinds of ratios and of comparisons: one amount by another; two things in several measures."""

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    RowSelection,
    Several,
)
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import all_mean, by, plan_at_once, plan_over, rows_of, table

TRIPS = table(
    "freight_trips",
    {
        "Trip": "key",
        "Date": "day",
        "Depot": "North,South,East",
        "KM_DRIVEN": "#900",
        "LT_FUEL": "#90",
        "Toll (€)": "#60",
        "Price €/l": "#3",
    },
)
COURSES = table(
    "formacoes",
    {
        "Registo": "key",
        "Dia": "day",
        "Curso": "Incêndio,Primeiros socorros,Empilhador",
        "Custo (€)": "#900",
        "Horas": "#90",
        "Estadia (dias)": "12,40,55,60",
    },
)
LOTS = table(
    "registo_producao",
    {
        "Registo": "key",
        "Dia": "day",
        "Máquina": "M1,M2,M3",
        "Qtd OK": "#900",
        "Qtd NOK": "#90",
    },
)
FUEL = Measure("ratio", "KM_DRIVEN", "LT_FUEL")
HOURLY = Measure("ratio", "Custo (€)", "Horas")
REJECTED = Measure("rate", "Qtd NOK", "Qtd OK", amount="Qtd NOK")


@pytest.mark.parametrize(
    ("dataset", "question", "measure", "by"),
    [
        (TRIPS, "average km per litre", FUEL, ""),
        (TRIPS, "km per litre by depot", FUEL, "Depot"),
        (TRIPS, "toll per km for each depot", Measure("ratio", "Toll (€)", "KM_DRIVEN"), "Depot"),
        (COURSES, "custo por hora", HOURLY, ""),
        (COURSES, "custo por hora de formação", HOURLY, ""),
        (COURSES, "custo por hora (custo a dividir por horas)", HOURLY, ""),
        (COURSES, "quanto custa em média cada hora, por curso?", HOURLY, "Curso"),
        (COURSES, "custo a dividir por horas em cada curso", HOURLY, "Curso"),
        (LOTS, "overall scrap rate", REJECTED, ""),
        (LOTS, "taxa de rejeição por máquina (nok sobre o total produzido)", REJECTED, "Máquina"),
    ],
)
def test_one_amount_is_divided_by_another(
    dataset: Data, question: str, measure: Measure, by: str
) -> None:
    rows = RowSelection(dataset.profile.dataset)
    wanted = GroupBy(rows, Dimension(by), measure) if by else Number(rows, measure)

    assert plan_over(dataset, question) == wanted


@pytest.mark.parametrize("question", ["price per litre", "custo por curso"])
def test_a_price_is_not_divided_and_a_name_divides_nothing(question: str) -> None:
    dataset = TRIPS if "price" in question else COURSES

    assert "ratio" not in str(plan_over(dataset, question))


SALES = table(
    "vendas_loja",
    {
        "Talão": "key",
        "Dia": "day",
        "Loja": "Braga,Porto,Faro",
        "Balcão": "101,102,103",
        "Valor (€)": "#900",
        "Peso (kg)": "#90",
    },
)
BRAGA_AND_PORTO = Filter("Loja", ("Braga", "Porto"))


@pytest.mark.parametrize("scale", [1, 100])
def test_a_column_of_rates_is_averaged_by_what_it_is_of(scale: int) -> None:
    produced, rejected = [100, 1000, 400] * 4, [10, 20, 8] * 4
    rates = [scale * part / whole for part, whole in zip(rejected, produced, strict=True)]
    counted: dict[str, tuple[ColumnType, list[Cell]]] = {
        "Linha": ("category", ["A", "B", "C"] * 4),
        "Produzidas": ("integer", [*produced]),
        "Rejeitadas": ("integer", [*rejected]),
    }
    made = data("linhas", {**counted, "Taxa": ("number", [*rates])})
    others = data("linhas", {**counted, "Taxa": ("number", [20 * each for each in rates])})
    weighted = Measure("rate", "Rejeitadas", "Produzidas")

    assert plan_over(made, "qual a taxa média?") == Number(rows_of(made), weighted)
    assert plan_over(made, "média da taxa por linha") == by(made, "Linha", weighted)
    own = Number(rows_of(others), Measure("mean", "Taxa"))
    assert plan_over(others, "qual a taxa média?") == own
    named = data("linhas", {**counted, "Taxa de rejeição": ("number", [*rates])})
    asked = plan_at_once(named, "qual a média da taxa de rejeição?")
    assert asked == Number(rows_of(named), weighted)


@pytest.mark.parametrize(
    ("question", "measure"),
    [
        ("compara Braga com Porto: número de vendas e peso total", Measure("sum", "Peso (kg)")),
        ("Braga vs Porto: valor total e número de vendas", Measure("sum", "Valor (€)")),
    ],
)
def test_two_things_are_compared_by_how_many_and_by_a_measure(
    question: str, measure: Measure
) -> None:
    rows = RowSelection("vendas_loja", (BRAGA_AND_PORTO,))
    counts, other = GroupBy(rows, Dimension("Loja")), GroupBy(rows, Dimension("Loja"), measure)

    found = plan_over(SALES, question)
    assert isinstance(found, Several)
    assert {*found.of} == {counts, other}


@pytest.mark.parametrize(
    "question",
    [
        "compara janeiro com fevereiro: total em € e número de vendas",
        "compara janeiro com fevereiro: valor total e número de vendas",
    ],
)
def test_two_months_are_compared_by_how_many_and_by_a_measure(question: str) -> None:
    found = plan_over(SALES, question)

    assert isinstance(found, Several)
    assert all(isinstance(each, Comparison) for each in found.of)
    firsts = {type(each.first) for each in found.of if isinstance(each, Comparison)}
    assert firsts == {Number, Number}


@pytest.mark.parametrize("question", ["balcão 101 vs 102: valor total", "balcão 101 com 102"])
def test_a_second_number_behind_versus_is_of_the_same_column(question: str) -> None:
    found = plan_over(SALES, question if "vs" in question else f"compara o {question}: valor total")

    assert isinstance(found, GroupBy)
    assert found.scope.filters == (Filter("Balcão", ("101", "102")),)


OVENS = table(
    "leituras_fornos",
    {
        "Leitura": "key",
        "Dia": "day",
        "Forno": "F1,F2,F3",
        "Temp alvo (°C)": "#240",
        "Temp medida (°C)": "#260",
    },
)
APART = Measure("mean", "Temp medida (°C)", since="Temp alvo (°C)", unit="difference")
TEN_OFF = Filter(
    "Temp medida (°C)", (-10.0, 10.0), "outside", since="Temp alvo (°C)", unit="difference"
)


@pytest.mark.parametrize(
    ("dataset", "question", "wanted"),
    [
        (OVENS, "desvio médio por forno", by(OVENS, "Forno", APART)),
        (OVENS, "qual o desvio médio da temperatura?", Number(rows_of(OVENS), APART)),
        (
            OVENS,
            "how many readings were more than 10 degrees off target, either way?",
            Number(rows_of(OVENS, TEN_OFF)),
        ),
        (
            OVENS,
            "quantas leituras ficaram mais de 10 graus afastadas do alvo?",
            Number(rows_of(OVENS, TEN_OFF)),
        ),
        (LOTS, "taxa por máquina: Qtd NOK / (Qtd OK + Qtd NOK)", by(LOTS, "Máquina", REJECTED)),
        (COURSES, "custo to horas ratio", Number(rows_of(COURSES), HOURLY)),
        (COURSES, "ratio of custo to horas por curso", by(COURSES, "Curso", HOURLY)),
    ],
)
def test_two_columns_are_set_apart_or_divided(dataset: Data, question: str, wanted: Plan) -> None:
    assert plan_over(dataset, question) == wanted


ALERTS = table(
    "alertas",
    {
        "Alerta": "key",
        "Dia": "day",
        "Tipo": "Avaria,Aviso,Teste",
        "Linha": "L1,L2",
        "Reconhecido": "Sim,Não",
    },
)
BREAKDOWNS = Filter("Tipo", ("Avaria",))


@pytest.mark.parametrize(
    ("question", "part", "rest"),
    [
        ("que percentagem das avarias está por reconhecer?", "Não", (BREAKDOWNS,)),
        ("% de avarias reconhecidas", "Sim", (BREAKDOWNS,)),
    ],
)
def test_a_state_is_the_part_of_what_it_is_said_of(
    question: str, part: str, rest: tuple[Filter, ...]
) -> None:
    share = Measure("share", part=(Filter("Reconhecido", (part,)),))

    assert plan_over(ALERTS, question) == Number(rows_of(ALERTS, *rest), share)


VISITS = table(
    "visits",
    {"Visit": "key", "Date": "day", "Ward": "North,South", "Discount (%)": "0#30", "Fee": "#90"},
)
REDUCED = rows_of(VISITS, Filter("Discount (%)", (0.0,), "above"))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what share of the visits had a discount?", Number(REDUCED, is_share=True)),
        ("how many visits with a discount?", Number(REDUCED)),
    ],
)
def test_rows_that_have_some_of_a_level_are_counted(question: str, wanted: Plan) -> None:
    assert plan_over(VISITS, question) == wanted


PRESSES = table(
    "prensas",
    {
        "Data": "day",
        "Prensa": "P1,P2,P3",
        "Tempo planeado (min)": "#480",
        "Tempo de operação (min)": "#450",
        "Peças": "#90",
    },
)


def test_availability_is_the_time_run_of_the_time_planned() -> None:
    """Where no column is called so; it is listed, and its word is none that is unclear."""
    measure = Measure("rate", "Tempo de operação (min)", "Tempo planeado (min)")

    all_mean(
        PRESSES,
        by(PRESSES, "Prensa", measure),
        "disponibilidade por prensa",
        "availability by prensa",
    )
    all_mean(PRESSES, Number(rows_of(PRESSES), measure), "qual a disponibilidade média?")
    asked = plan_at_once(PRESSES, "disponibilidade por prensa")
    assert isinstance(asked, Ask)
    assert asked.unclear == ()


def test_there_is_no_availability_without_both_times() -> None:
    made = table("prensas", {"Data": "day", "Prensa": "P1,P2", "Tempo planeado (min)": "#480"})
    plan = plan_at_once(made, "disponibilidade por prensa")

    assert not isinstance(plan, Number | GroupBy)


CLAIMS = table(
    "warranty_claims",
    {
        "Case": "key",
        "Opened": "day",
        "Dealer": "Oslo,Bergen,Turku",
        "Requested (EUR)": "#900",
        "Granted (EUR)": "#500",
    },
)
REFUNDS = table(
    "reembolsos",
    {
        "Processo": "key",
        "Dia": "day",
        "Seguradora": "Alfa,Beta,Gama",
        "Reclamado (€)": "#900",
        "Aceite (€)": "#500",
    },
)
GRANTED = Measure("rate", "Granted (EUR)", "Requested (EUR)")
AGREED = Measure("rate", "Aceite (€)", "Reclamado (€)")


@pytest.mark.parametrize(
    ("dataset", "question", "measure", "group"),
    [
        (CLAIMS, "What percentage of the money requested did we end up granting?", GRANTED, ""),
        (CLAIMS, "Of the money requested, what share did we end up granting?", GRANTED, ""),
        (CLAIMS, "what share of requested has been granted, by dealer", GRANTED, "Dealer"),
        (CLAIMS, "percentage of granted in requested", GRANTED, ""),
        (CLAIMS, "what percentage was granted of requested", GRANTED, ""),
        (REFUNDS, "que percentagem do que reclamaram é que aceitámos?", AGREED, ""),
        (REFUNDS, "que percentagem do reclamado aceitámos", AGREED, ""),
        (REFUNDS, "do reclamado, que percentagem foi aceite?", AGREED, ""),
        (REFUNDS, "que percentagem do reclamado foi aceite, por seguradora?", AGREED, "Seguradora"),
        (REFUNDS, "percentagem do aceite no reclamado", AGREED, ""),
    ],
)
def test_the_part_of_a_share_stands_in_the_clause(
    dataset: Data, question: str, measure: Measure, group: str
) -> None:
    wanted = by(dataset, group, measure) if group else Number(rows_of(dataset), measure)

    assert plan_at_once(dataset, question) == wanted
