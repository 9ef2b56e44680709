"""Kinds of questions about rows: by which nouns they are called, and what these nouns are not."""

import pytest

from qhub_desktop.nlq.query_ast import (
    Filter,
    GroupBy,
    Measure,
    Number,
    is_distinct,
)
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import LINES, all_mean, by, plan_at_once, plan_over, rows_of, table

FINDINGS = table(
    "fiscaliz_2026",
    {
        "Nº Infrac.": "key",
        "Data": "day",
        "Descrição da infracção": "porta aberta,chão sujo,luz fundida",
        "Zona": "Norte,Sul,Centro",
    },
)
NOTES = table(
    "audits_2026",
    {
        "Find. No.": "key",
        "Date": "day",
        "Description of finding": "open door,wet floor,no label,loose cable",
        "Area": "Press,Paint,Yard",
    },
)


@pytest.mark.parametrize(
    ("made", "group", "many", "grouped"),
    [
        (FINDINGS, "Zona", "quantas infracções houve?", "infracções por zona"),
        (NOTES, "Area", "how many findings were there?", "findings by area"),
    ],
)
def test_the_description_of_what_rows_are_is_no_other_thing(
    made: Data, group: str, many: str, grouped: str
) -> None:
    all_mean(made, Number(rows_of(made)), many)
    all_mean(made, by(made, group), grouped)


GAUGES = table(
    "instr_reg",
    {
        "RecNo": "key",
        "GaugeType": "Caliper,Micrometer,Dial indicator,Torque wrench",
        "CalDate": "day",
        "CalLab": "Trescal,CATIM,ISQ",
        "CalResult": "PASS,FAIL",
        "CalCostEUR": "#",
    },
)


def test_what_has_its_day_in_every_row_is_the_row() -> None:
    failed = Filter("CalResult", ("FAIL",))
    all_mean(GAUGES, by(GAUGES, "CalLab"), "calibrations per lab", "calibrações por laboratório")
    all_mean(GAUGES, Number(rows_of(GAUGES, failed)), "quantas calibrações reprovaram?")
    total = Number(rows_of(GAUGES), Measure("sum", "CalCostEUR"))
    all_mean(GAUGES, total, "how much did we spend on calibrations?")


def test_numbers_that_all_differ_are_no_counts() -> None:
    numbers = [5000 + place for place in range(LINES)]
    made = data(
        "clinica_consultas",
        {
            "Nº Cons.": ("integer", [*numbers]),
            "Espécie": ("category", [("cão", "gato", "ave")[place % 3] for place in range(LINES)]),
            "Valor": ("number", [place % 7 + 0.5 for place in range(LINES)]),
        },
    )

    all_mean(made, by(made, "Espécie"), "consultas por espécie", "n.º de consultas por espécie")


def test_a_word_that_ends_as_a_verb_may_begin_the_name_of_a_group() -> None:
    made = table("registo", {"Nr": "key", "Dia": "day", "Pilar 5S": "Ordem,Limpeza,Triagem"})

    all_mean(made, by(made, "Pilar 5S"), "registos por pilar", "quantos registos por pilar?")


LIFTS = table(
    "svc",
    {
        "CallNo": "key",
        "Opened": "day",
        "Mfr": "KONE,Otis,Thyssen",
        "Site": "Norte,Sul,Leste",
        "Unit": "0417,0166,0520",
        "Keeper": "Ana Paz,Rui Melo,Gil Cruz",
        "CostEUR": "#",
    },
)


@pytest.mark.parametrize(
    ("column", "value", "question"),
    [
        ("Mfr", "KONE", "quanto gastámos nos elevadores KONE?"),
        ("Mfr", "KONE", "custo total dos ascensores KONE"),
        ("Site", "Norte", "custo total no pavilhão Norte"),
        ("Mfr", "Otis", "total cost of the Otis elevators"),
        ("Unit", "0417", "custo total do aparelhómetro 0417"),
    ],
)
def test_a_noun_beside_a_name_only_says_what_it_is(column: str, value: str, question: str) -> None:
    total = Measure("sum", "CostEUR")

    all_mean(LIFTS, Number(rows_of(LIFTS, Filter(column, (value,))), total), question)


def test_a_state_beside_a_name_is_not_passed_over() -> None:
    asked = "custo total dos elevadores avariados KONE"

    assert not isinstance(plan_at_once(LIFTS, asked), Number)


BOXES = table(
    "bewegungen",
    {
        "Beleg": "key",
        "Datum": "day",
        "BwA": "WA,WE",
        "LHM": "KLT4315,KLT6428,EPAL",
        "Mge (Stk)": "#400",
    },
)


@pytest.mark.parametrize(
    "question",
    ["quantas caixas KLT4315 saíram (WA)?", "how many boxes KLT4315 (WA)?"],
)
def test_packages_are_counted_by_their_quantity_and_are_no_chart(question: str) -> None:
    boxes, out = Filter("LHM", ("KLT4315",)), Filter("BwA", ("WA",))
    wanted = Number(rows_of(BOXES, *sorted((boxes, out), key=repr)), Measure("sum", "Mge (Stk)"))

    all_mean(BOXES, wanted, question)


def test_what_is_said_before_brackets_of_something_else_stays() -> None:
    plan = plan_over(BOXES, "movimentos KLT4315 saíram (WA), quantos?")

    assert "KLT4315" in repr(plan)


def test_the_last_of_something_is_no_list_of_all_there_are() -> None:
    asked = "the very last call of the whole long year: which keeper was it and what did it cost?"

    assert not is_distinct(plan_over(LIFTS, asked))
    assert "distinct(" not in repr(plan_over(LIFTS, asked))


BATHS = table(
    "medicoes_banho",
    {
        "Registo": "key",
        "Dia": "day",
        "Tanque": "T1,T2,T3",
        "Operador": "Rui,Ana,Ivo",
        "pH": "#14?",
        "Temp. (ºC)": "#40?",
    },
)
BATH_LOG = table(
    "bath_log",
    {
        "Entry": "key",
        "Day": "day",
        "Tank": "T1,T2,T3",
        "Operator": "Rui,Ana,Ivo",
        "pH": "#14?",
        "Temp": "#40?",
    },
)


@pytest.mark.parametrize(
    ("dataset", "question", "lacking", "group"),
    [
        (BATHS, "que tanque se esquece mais vezes de registar o pH?", "pH", "Tanque"),
        (BATHS, "quem se esqueceu mais de preencher a temperatura?", "Temp. (ºC)", "Operador"),
        (BATHS, "que operador deixa mais vezes o pH em branco", "pH", "Operador"),
        (BATHS, "quantas vezes se esqueceram de registar o pH", "pH", ""),
        (BATHS, "em quantos registos ficou o pH por preencher?", "pH", ""),
        (BATH_LOG, "which tank most often forgets to record the pH?", "pH", "Tank"),
        (BATH_LOG, "who forgot to fill in the pH most often?", "pH", "Operator"),
        (BATH_LOG, "which operator leaves the temp blank most often?", "Temp", "Operator"),
        (BATH_LOG, "how many times did they forget to log the temp?", "Temp", ""),
    ],
)
def test_what_was_forgotten_is_counted_by_its_empty_cells(
    dataset: Data, question: str, lacking: str, group: str
) -> None:
    plan = plan_at_once(dataset, question)

    assert isinstance(plan, GroupBy | Number)
    assert plan.scope == rows_of(dataset, Filter(lacking, (), "missing"))
    assert plan.measure == Measure()
    ranked = (plan.dimension.column, plan.n) if isinstance(plan, GroupBy) else ("", 1)
    assert ranked == (group, 1)
