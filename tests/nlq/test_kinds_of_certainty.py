"""Kinds of what makes an answer sure: what comes to the same, what nothing joins, what is told."""

from datetime import date

import pytest

from qhub_desktop.nlq.dialogue.selection import meant_instead
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    AsTable,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Rows,
    Why,
    is_count,
    is_top,
)
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data
from tests.nlq.schemas import all_mean, by, plan_at_once, plan_over, read_as, rows_of, table

SALES = table(
    "vendas_lota",
    {
        "Nº Venda": "key",
        "Dt. Venda": "day",
        "Embarcação": "Culatra,Vouga,Minho",
        "Comprador": "Peixaria Sol,Mercado Azul",
        "Valor (€)": "#900",
    },
)
STOPS = table(
    "paragens",
    {
        "Registo": "key",
        "Dia": "day",
        "Máquina": "IS-11,IS-12,IS-14",
        "Motivo": "Gota fora de peso,Falha de energia",
        "Dur. (min)": "#90",
    },
)
ORDERS = table(
    "encomendas",
    {
        "Pedido": "key",
        "Dia": "day",
        "Fornecedor Nº": "700101,700102,700103",
        "Fornecedor": "Alfa Lda,Beta SA,Gama Lda",
        "Resultado": "Aceite,Rejeitado",
        "Obs.": "urgente,inventário,normal",
    },
)
TRIPS = table(
    "freight_trips",
    {"Trip": "key", "Date": "day", "Driver": "Ann,Bob", "Distance (km)": "#900", "Fuel (l)": "#90"},
)


@pytest.mark.parametrize(
    ("dataset", "question", "told"),
    [
        (SALES, "a venda de maior valor: quem comprou e que barco foi?", "Embarcação **Culatra**"),
        (STOPS, "qual foi a paragem mais longa, em que máquina e quando?", "O resto da linha:"),
        (TRIPS, "which trip had the longest distance and who drove?", "The rest of the row:"),
    ],
)
async def test_the_whole_of_the_one_row_is_told(
    talks: Talks, dataset: Data, question: str, told: str
) -> None:
    answer = await talks(dataset).told(question)

    assert told in answer.text
    for column in dataset.profile.columns:
        name = column.name.partition(" (")[0].rstrip(".")
        assert name.lower() in answer.text.lower(), (column.name, answer.text)


def test_the_groups_of_numbers_are_told_by_the_names_beside_them() -> None:
    rejected = Measure("share", part=(Filter("Resultado", ("Rejeitado",)),))

    all_mean(
        ORDERS,
        by(ORDERS, "Fornecedor", rejected),
        "taxa de rejeitado por fornecedor",
        "% de rejeitado por fornecedor",
    )


@pytest.mark.parametrize(
    ("dataset", "question"),
    [
        (ORDERS, "quantos pedidos urgentes temos no inventário?"),
        (ORDERS, "how many urgente orders are in the inventário?"),
    ],
)
def test_values_of_a_column_that_nothing_joins_are_not_added_up(
    dataset: Data, question: str
) -> None:
    plan = plan_at_once(dataset, question)

    assert not is_count(plan)


def test_values_that_are_joined_are_added_up() -> None:
    both = Filter("Obs.", ("urgente", "inventário"))

    plan = plan_over(ORDERS, "quantos pedidos são urgente ou inventário?")

    assert is_count(plan)
    assert plan.scope == rows_of(ORDERS, both)


@pytest.mark.parametrize(
    ("dataset", "question", "columns"),
    [
        (ORDERS, "cruza fornecedor com resultado", ("Fornecedor", "Resultado")),
        (SALES, "cross table of comprador against embarcação", ("Comprador", "Embarcação")),
        (STOPS, "tabela cruzada de máquina com motivo", ("Máquina", "Motivo")),
    ],
)
def test_a_table_that_crosses_has_two_columns(
    dataset: Data, question: str, columns: tuple[str, str]
) -> None:
    plan = plan_over(dataset, question)

    assert isinstance(plan, AsTable)
    assert isinstance(plan.of, GroupBy)
    assert plan.of.split is not None
    assert {plan.of.dimension.column, plan.of.split.column} == {*columns}


def test_a_code_that_begins_with_a_small_word_is_one_name() -> None:
    named = rows_of(STOPS, Filter("Máquina", ("IS-11", "IS-12")))
    minutes = GroupBy(named, Dimension("Máquina"), Measure("sum", "Dur. (min)"))

    all_mean(STOPS, minutes, "IS-11 vs IS-12: soma da duração", "duração total: IS-11 vs IS-12")


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("quantas paragens de segunda a quinta?", (1, 2, 3, 4)),
        ("how many paragens from Tuesday to Thursday?", (2, 3, 4)),
        ("quantas paragens à segunda e à quinta?", (1, 4)),
        ("segunda quinta: quantas paragens", (1, 4)),
    ],
)
def test_days_of_the_week_from_one_to_another(question: str, days: tuple[int, ...]) -> None:
    plan = plan_over(STOPS, question)

    assert is_count(plan)
    assert plan.scope == rows_of(STOPS, Filter("Dia", days, grain="weekday"))


def test_more_than_one_is_a_condition_on_groups_not_a_rank() -> None:
    plan = plan_over(SALES, "quantos compradores têm mais do que uma venda?")

    assert not is_top(plan)
    groups = plan.of if isinstance(plan, AsTable) else plan
    assert isinstance(groups, GroupBy)
    assert groups.dimension == Dimension("Comprador")
    assert groups.having is not None


def test_rows_are_chosen_by_a_cause_where_they_are_counted() -> None:
    plan = plan_over(STOPS, "quantas paragens por causa de falha de energia?")

    assert is_count(plan)
    assert plan.scope == rows_of(STOPS, Filter("Motivo", ("Falha de energia",)))
    assert isinstance(plan_over(STOPS, "porque aumentaram as paragens?"), Why)


def test_a_word_for_the_rows_beside_an_amount_changes_nothing() -> None:
    scope = rows_of(TRIPS)

    all_mean(
        TRIPS,
        Number(scope, Measure("percentile", "Distance (km)", quantile=0.9)),
        "90th percentile of trip distance",
        "90th percentile of distance",
    )


@pytest.mark.parametrize(
    "question",
    [
        "Olá, para a reunião de amanhã queria um painel com vendas por barco e valor por comprador",
        "bom dia, precisava de um painel com as vendas por embarcação e o valor por comprador",
        "for tomorrow's meeting, I need a dashboard with vendas by boat and valor by comprador",
    ],
)
def test_what_is_said_before_a_dashboard_is_no_card(question: str) -> None:
    board = plan_over(SALES, question)

    assert isinstance(board, AsDashboard)
    assert [each.dimension.column for each in board.of if isinstance(each, GroupBy)] == [
        "Embarcação",
        "Comprador",
    ]
    assert len(board.of) == 2


def test_only_other_rows_are_meant_instead() -> None:
    plan = Number(rows_of(SALES, Filter("Embarcação", ("Culatra",))))
    same = by(SALES, "Comprador")
    alike = GroupBy(plan.scope, Dimension("Comprador"))
    other = Rows(rows_of(SALES), 1, "most", "Valor (€)")

    assert meant_instead(plan, [alike, other, same]) == (other, same)


AIR = table(
    "air_quality",
    {
        "Taken": "day",
        "NO2(GT)": "#300",
        "NOx(GT)": "#900",
        "CO(GT)": "#9",
        "Weight (kg)": "#90",
        "Weight (%)": "#100",
        "Type": "L,M,H",
        "Failure": "yes,no",
    },
)


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("quantas horas com NO2(GT) acima de 150?", "NO2(GT)"),
        ("how many hours had a nox(gt) above 150?", "NOx(GT)"),
        ("quantas linhas com weight (kg) acima de 5?", "Weight (kg)"),
    ],
)
def test_a_name_typed_as_in_the_header_is_that_column_alone(question: str, column: str) -> None:
    plan = plan_over(AIR, question)

    assert is_count(plan)
    assert [each.column for each in plan.scope.filters] == [column]


@pytest.mark.parametrize("question", ["how many units of type L or M failed", "how many failed"])
def test_how_many_is_never_a_list(question: str) -> None:
    read = read_as(AIR, question)

    assert any(is_count(each) for each in read)
    assert not any(isinstance(each, Rows) for each in read)


LAB = table(
    "resultados",
    {
        "Amostra": "key",
        "Colheita": "day",
        "Parâmetro": "pH,Gordura,Humidade",
        "Resultado": "#90",
        "Produto": "Nata,Iogurte",
        "Custo (€)": "#30",
    },
)
GAUGED = table(
    "messwerte",
    {
        "Nr": "key",
        "Datum": "day",
        "Merkmal": "Glanz,Schichtdicke,Farbton",
        "Messwert": "#120",
        "Anlage": "A1,A2",
        "Prüfzeit (min)": "#30",
    },
)


@pytest.mark.parametrize(
    ("dataset", "question", "kind", "name"),
    [
        (LAB, "qual é o pH médio?", "mean", "pH"),
        (LAB, "average gordura", "mean", "Gordura"),
        (LAB, "mediana da humidade", "median", "Humidade"),
        (GAUGED, "average Schichtdicke", "mean", "Schichtdicke"),
        (GAUGED, "desvio padrão do Glanz", "std", "Glanz"),
    ],
)
def test_what_a_column_names_is_measured_by_the_results_beside_it(
    dataset: Data, question: str, kind: str, name: str
) -> None:
    what, result = ("Parâmetro", "Resultado") if dataset is LAB else ("Merkmal", "Messwert")

    plan = plan_over(dataset, question)

    assert isinstance(plan, Number)
    assert (plan.measure.kind, plan.measure.column) == (kind, result)
    assert plan.scope.filters == (Filter(what, (name,)),)


def test_the_greatest_of_what_a_column_names_is_a_row() -> None:
    plan = plan_over(LAB, "which sample had the highest pH?")

    assert isinstance(plan, Rows)
    assert (plan.by, plan.n) == ("Resultado", 1)


def test_what_a_column_names_can_still_be_counted() -> None:
    assert is_count(plan_over(LAB, "quantas análises de pH?"))


METERS = table(
    "contadores",
    {
        "Contador": "key",
        "Suministro": "Electricidad,Agua,Gas",
        "Ud.": "kWh,m3,ud",
        "Edificio": "Nave A,Nave B",
        **dict.fromkeys(("nov-25", "dic-25", "ene-26", "feb-26", "mar-26"), "#900"),
    },
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("consumo de água em janeiro de 2026", "Agua"),
        ("consumo de gás em jan 26", "Gas"),
        ("electricity consumption in jan 26", "Electricidad"),
    ],
)
def test_what_several_values_are_is_none_of_them(question: str, name: str) -> None:
    plan = plan_over(METERS, question)

    assert isinstance(plan, Number)
    assert plan.scope.filters == (Filter("Suministro", (name,)),)
    assert plan.scope.period is not None
    assert (plan.scope.period.start, plan.scope.period.end) == (date(2026, 1, 1), date(2026, 1, 31))


REWORK = table(
    "ordens",
    {
        "Nº OR": "key",
        "Dia": "day",
        "CodDef": "010,020,030",
        "Desc.Def.": "Sujidade,Cratera,Escorrido",
        "Qtd.Suc.": "#40",
        "Custo": "#90",
    },
)


@pytest.mark.parametrize(
    "question", ["top 3 defeitos em peças sucatadas", "top 3 defects by scrapped quantity"]
)
def test_the_first_of_several_kinds_are_groups(question: str) -> None:
    read = read_as(REWORK, question)

    assert isinstance(read[0], GroupBy)


STOPPED = table(
    "registo",
    {
        "Data": "day",
        "Máq.": "BO-1,BO-2",
        "Cód. Par.": "P01,P02,P03",
        "T. Par. (min)": "#90",
    },
)


@pytest.mark.parametrize("question", ["tempo de paragem da BO-1", "downtime of BO-1 per month"])
def test_time_is_no_code_of_what_lasted(question: str) -> None:
    read = read_as(STOPPED, question)

    assert isinstance(read[0], Number | GroupBy)
    assert read[0].measure == Measure("sum", "T. Par. (min)")


MOULDED = table(
    "moldes",
    {
        "Dia": "day",
        "Molde": "M-1,M-2",
        "Pç OK": "#900",
        "Scrap [pç]": "#40",
        "Aprov.": "OK,NOK",
    },
)


def test_parts_that_a_column_counts_are_no_state_of_a_row() -> None:
    read = read_as(MOULDED, "quantas peças boas tem o molde M-1?")

    assert isinstance(read[0], Number)
    assert read[0].measure == Measure("sum", "Pç OK")
    assert not any(is_count(each) for each in read)


SAMPLES = table(
    "laboratorio",
    {
        "Ensaio": "key",
        "Colheita": "day",
        "Resultado em": "day",
        "Parâmetro": "pH,Gordura",
        "Resultado": "#90",
        "Produto": "Nata,Iogurte",
    },
)


def test_time_that_is_asked_for_is_never_another_measure() -> None:
    plan = plan_over(
        SAMPLES, "qual é o pH médio por produto?", "tempo médio da colheita ao resultado, em dias"
    )

    assert isinstance(plan, Number)
    assert (plan.measure.since, plan.measure.column) == ("Colheita", "Resultado em")


def test_a_pareto_adds_up_what_was_averaged_before() -> None:
    plan = plan_over(SAMPLES, "qual é o pH médio por produto?", "faz um pareto dos produtos")

    assert isinstance(plan, AsChart)
    assert isinstance(plan.of, GroupBy)
    assert plan.of.measure == Measure()


def test_what_names_nothing_is_not_sure() -> None:
    plan = plan_at_once(SAMPLES, "qual é o pH médio por produto?", "list them")

    assert not is_count(plan)


AUDITS = table(
    "auditorias",
    {
        "Nº": "key",
        "Dt. Auditoria": "day",
        "Descrição da constatação": "Fuga de óleo,Contentor a transbordar",
        "Posto": "PINT-A,MT-10",
        "Pts. perdidos": "#5",
        "NDA assin.": "Sim,Não,n.a.",
        "Saldo (h)": "#40",
    },
)


def test_what_is_lost_is_added_up() -> None:
    plan = plan_over(AUDITS, "top 2 postos com mais pontos perdidos")

    assert isinstance(plan, GroupBy)
    assert plan.measure == Measure("sum", "Pts. perdidos")


def test_a_no_is_never_taken_for_an_empty_cell() -> None:
    plan = plan_at_once(AUDITS, "quantas não têm o NDA assinado?")

    assert not is_count(plan)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("quantas linhas com saldo abaixo de -15?", (-15.0,)),
        ("how many rows with saldo below -2.5", (-2.5,)),
        ("quantas linhas com saldo acima de 15?", (15.0,)),
        ("quantas linhas com saldo entre -10 e -5?", (-10.0, -5.0)),
        ("how many rows with saldo between -5 and 5", (-5.0, 5.0)),
    ],
)
def test_a_number_keeps_its_sign(question: str, values: tuple[float, ...]) -> None:
    plan = plan_over(AUDITS, question)

    assert is_count(plan)
    assert [each.values for each in plan.scope.filters] == [values]


MINUTES = table(
    "paragens",
    {
        "Evento": "key",
        "Início": "day",
        "Motivo": "Limpeza,Avaria,Setup",
        "Duração (min)": "#90",
        "Turno": "Manhã,Noite",
    },
)
ACTIONS = table(
    "acoes",
    {
        "ID": "key",
        "Prazo": "day",
        "Estado": "Aberta,Em curso,Concluída,Cancelada",
    },
)


@pytest.mark.parametrize(
    "question", ["pareto dos motivos por minutos", "pareto dos motivos por duração"]
)
def test_a_pareto_by_an_amount_adds_it_up(question: str) -> None:
    plan = plan_over(MINUTES, question)

    assert isinstance(plan, AsChart)
    assert plan.of == by(MINUTES, "Motivo", Measure("sum", "Duração (min)"))


def test_the_hour_of_a_meeting_chooses_no_rows() -> None:
    minutes = by(MINUTES, "Turno", Measure("sum", "Duração (min)"))

    all_mean(
        MINUTES,
        minutes,
        "para a reunião das 10h preciso do total de minutos por turno",
        "para a reunião das 9:30 preciso do total de minutos por turno",
    )


def test_a_state_that_is_named_is_told_once() -> None:
    plan = plan_over(ACTIONS, "which actions are still open and past their due date?")

    assert isinstance(plan, Rows) or is_count(plan)
    assert [each for each in plan.scope.filters if each.column == "Estado"] == [
        Filter("Estado", ("Aberta",))
    ]
