"""Kinds of questions in which a noun is a row, a column or a value."""

import pytest

from qhub_desktop.nlq.query_ast import (
    Ask,
    Filter,
    GroupBy,
    Measure,
    Number,
    Unknown,
    distinct,
    is_count,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import data
from tests.nlq.schemas import all_mean, at_once, by, plan_over, rows_of, table, understood

ROOMS = {
    "Fecha": "day",
    "Nº Hab.": "101,102,103,201,202",
    "Tipo Hab.": "Suite,Doble,Individual",
    "Tipo Limpieza": "Salida,Repaso",
    "Estado": "Limpia,Pendiente",
}
VISITS = {
    "Date": "day",
    "Visit Type": "Repair,Inspection",
    "Visit Status": "Done,Planned",
    "Client": "Ada,Bo,Cy",
}


def test_a_noun_is_what_a_column_tells_the_type_of_and_no_value() -> None:
    made = table("partes", ROOMS)

    all_mean(made, Number(rows_of(made)), "quantas limpezas há", "quantas limpezas?")
    all_mean(made, distinct(rows_of(made), "Nº Hab."), "quantos quartos há?")
    clean = rows_of(made, Filter("Estado", ("Limpia",)))
    all_mean(made, distinct(clean, "Nº Hab."), "quantos quartos foram limpos?")
    all_mean(made, by(made, "Tipo Hab."), "nº de limpezas por tipo de quarto", "por tipo de quarto")
    visits = table("log", VISITS)
    all_mean(visits, Number(rows_of(visits)), "how many visits")


@pytest.mark.parametrize(
    ("columns", "whole"),
    [
        ({"orderTotal": "#900", "shippingCost": "#9"}, "orderTotal"),
        ({"Valor do pedido": "#900", "Valor frete": "#9", "Desconto": "#5"}, "Valor do pedido"),
        ({"Versandkosten": "#9", "Auftragswert": "#900"}, "Auftragswert"),
    ],
)
def test_money_is_the_whole_and_no_postage(columns: dict[str, str], whole: str) -> None:
    made = table("x", {"Nr": "key", "day": "day", "country": "PT,ES", **columns})
    total = Measure("sum", whole)

    all_mean(made, Number(rows_of(made), total), "quanto faturámos?", "how much did we sell?")
    all_mean(made, GroupBy(rows_of(made), by(made, "country").dimension, total), "vendas por país")


@pytest.mark.parametrize(
    ("name", "said", "asked"),
    [
        (
            "Storno",
            ("J", "N"),
            ("quantos estornos?", "how many reversals?"),
        ),
        ("gift_wrap", ("S", "N"), ("quantas linhas com embrulho", "how many rows with gift wrap")),
    ],
)
def test_letters_for_yes_and_no_are_asked_in_any_language(
    name: str, said: tuple[str, str], asked: tuple[str, ...]
) -> None:
    made = data("x", {"Nr": ("integer", [*range(40)]), name: ("boolean", [True, False] * 20)})

    all_mean(made, Number(rows_of(made, Filter(name, (True,)))), *asked)


def test_what_stays_open_or_is_not_told_is_no_answer() -> None:
    made = data(
        "partes",
        {
            "Nº Hab.": ("category", ["101", "102", "103", "104"] * 15),
            "Tipo Hab.": ("category", ["Doble", "Suite", "Individual"] * 20),
            "Avaria": ("boolean", [True, False, False, False, False] * 12),
            "Tempo padrão (min)": ("integer", [20 + place % 7 for place in range(60)]),
        },
    )
    index = schema_index_of(made.profile)
    for question in (
        "quantas vezes se passou o tempo padrão?",
        "percentagem de quartos com avaria",
    ):
        assert isinstance(at_once(question, index), Ask | Unknown), question


def test_counts_lengths_and_targets_of_one_name_are_told_apart() -> None:
    made = table(
        "oee",
        {
            "Dt": "day",
            "Trn": "M,T,N",
            "T.Par(min)": "#90",
            "Nr.Par": "0#9",
            "PcBoas": "#900",
            "PcRej": "#40",
            "OEE%": "#95",
            "ObjOEE%": "#80",
        },
    )
    stops, minutes = Measure("sum", "Nr.Par"), Measure("sum", "T.Par(min)")
    all_mean(made, Number(rows_of(made), stops), "quantas paragens?", "how many stops?")
    all_mean(
        made, by(made, "Trn", minutes), "downtime minutes by shift", "minutos de paragem por turno"
    )
    night = rows_of(made, Filter("Trn", ("N",)))
    level = Number(night, Measure("mean", "OEE%"))
    all_mean(made, level, "OEE médio do turno da noite", "average OEE on the night shift")
    rate = Measure("rate", "PcRej", "PcBoas", amount="PcRej")
    all_mean(made, by(made, "Trn", rate), "taxa de rejeição por turno", "reject rate by shift")


@pytest.mark.parametrize(("file", "number"), [("vendas_loja", "OrderNo"), ("armazem", "Order No.")])
def test_orders_are_counted_by_their_number_and_not_by_their_lines(file: str, number: str) -> None:
    made = data(
        file,
        {
            number: ("text", [f"W{100 + place // 2}" for place in range(60)]),
            "Canal": ("category", ["web", "loja", "app"] * 20),
            "Cupão": ("category", ["PROMO5", "VERAO", "AMIGO"] * 20),
        },
    )
    index = schema_index_of(made.profile)
    wanted = distinct(rows_of(made, Filter("Canal", ("web",))), number)
    for question in ("quantos pedidos vieram da web?", "quantos pedidos tem o canal web?"):
        plan = understood(question, index)
        offered = [plan, *(each for _, each in plan.readings)] if isinstance(plan, Ask) else [plan]
        assert wanted in offered, question
        assert Number(wanted.scope) != plan, question


PETS = {
    "Nr": "key",
    "Data": "day",
    "Espécie": "Cão,Gato,Coelho",
    "Honorários": "#90",
    "Médico": "Ana,Rui",
    "Pago": "Sim,Não",
}
MOVES = {"Beleg": "key", "Datum": "day", "Ergebnis": "i.O.,n.i.O.", "Menge": "#90", "Peso kg": "#9"}


@pytest.mark.parametrize(
    "said", ["quantos cachorros", "quantos cahorros", "how many dogs", "qauntos cães"]
)
def test_a_slip_in_a_word_of_the_lexicon_names_no_rows(said: str) -> None:
    made = table("visitas", PETS)

    all_mean(made, Number(rows_of(made, Filter("Espécie", ("Cão",)))), said)


@pytest.mark.parametrize("said", ["faturamento por médico", "faturamneto por medico"])
def test_a_slip_in_what_is_near_an_amount_names_it(said: str) -> None:
    made = table("visitas", PETS)

    all_mean(made, by(made, "Médico", Measure("sum", "Honorários")), said)


@pytest.mark.parametrize("said", ["quantas rejeitadas", "quantas rejetiadas", "how many rejected"])
def test_a_slip_in_a_form_of_a_verb_is_one_of_its_state(said: str) -> None:
    made = table("bewegungen", MOVES)

    all_mean(made, Number(rows_of(made, Filter("Ergebnis", ("n.i.O.",)))), said)


def test_what_is_not_paid_yet_is_told_by_a_flag_and_no_amount() -> None:
    made = table("visitas", PETS)
    unpaid = rows_of(made, Filter("Pago", ("Não",)))

    all_mean(made, Number(unpaid, Measure("sum", "Honorários")), "quanto está por pagar?")


DEFECTS_MADE = table(
    "registos",
    {"operador": "101,102,103", "nome": "Rui,Ana,Zé", "defeito": "Lixo,Risco", "qtd": "#"},
)


@pytest.mark.parametrize(
    "question",
    [
        "quantos defeitos fez a Marta e a Ana?",
        "quantos defeitos fez a Ana e a Marta?",
        "quantos defeitos fez a Marta?",
        "defeitos da Marta",
        "defeitos da Sofia e do Rui",
        "how many defects did Marta and Ana make?",
    ],
)
def test_a_name_that_is_not_in_the_data_is_told_though_it_is_like_a_word(question: str) -> None:
    plan = plan_over(DEFECTS_MADE, question)

    assert isinstance(plan, Unknown), question
    assert {*plan.words} <= {"Marta", "Sofia"}
    assert plan.words


def test_what_several_people_did_is_counted_as_what_one_did() -> None:
    both = rows_of(DEFECTS_MADE, Filter("nome", ("Rui", "Ana")))
    plan = plan_over(DEFECTS_MADE, "quantos defeitos fez o Rui e a Ana?")
    one = plan_over(DEFECTS_MADE, "quantos defeitos fez o Rui?")

    assert is_count(plan)
    assert plan.scope == both
    assert is_count(one)
