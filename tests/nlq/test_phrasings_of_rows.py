"""Phrasings of which row it was: who, when and where, against the group that has the most."""

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Rows,
    top,
)
from tests.nlq.schemas import OVER_ALL, Trade, all_mean, check, rows_of, table

FINES = table(
    "multas",
    {
        "Auto": "key",
        "Data": "day",
        "Condutor": "Reis,Dias,Luz",
        "Local": "Porto,Braga,Faro",
        "Valor (€)": "#400",
        "Pontos": "#7",
    },
)
STOPS = table(
    "paragens",
    {
        "Paragem": "key",
        "Início": "day",
        "Máquina": "M1,M2,M3,M4",
        "Motivo": "Avaria,Setup,Falta de peças",
        "Duração (min)": "#240",
    },
)
TRIPS = table(
    "frota",
    {"Viagem": "key", "Data": "day", "Motorista": "Gil,Zito,Nando", "Km": "#400", "Litros": "#90"},
)


def test_the_row_of_the_most_money_is_told_with_who_when_and_where() -> None:
    def highest(*columns: str) -> Rows:
        return Rows(rows_of(FINES), 1, "most", "Valor (€)", columns)

    all_mean(
        FINES,
        highest("Auto", "Data", "Condutor"),
        "quem teve a multa mais alta?",
        "qual foi a multa mais alta e de quem?",
        "a multa mais cara foi de quem?",
        "maior multa: quem?",
    )
    all_mean(
        FINES,
        highest("Auto", "Data"),
        "quando foi a multa mais alta?",
        "em que data foi a maior multa?",
        "a maior multa foi quando?",
    )
    all_mean(
        FINES,
        highest("Auto", "Data", "Local"),
        "onde foi a multa mais alta?",
        "a multa mais alta foi em que local?",
        "maior multa: quando e onde?",
        "quando e onde foi a multa mais alta?",
    )
    all_mean(
        FINES,
        Rows(rows_of(FINES), 1, "least", "Valor (€)", ("Auto", "Data", "Condutor")),
        "quem teve a multa mais baixa?",
        "qual foi a multa mais barata e de quem?",
    )


def test_who_has_the_most_rows_or_money_is_one_group() -> None:
    driver = Dimension("Condutor")
    all_mean(
        FINES,
        top(rows_of(FINES), driver, 1),
        "quem teve mais multas?",
        "quem tem mais multas?",
        "que condutor apanhou mais multas?",
    )
    all_mean(
        FINES,
        GroupBy(rows_of(FINES), driver, Measure("sum", "Valor (€)"), n=1, order="most"),
        "quem pagou mais em multas?",
        "que condutor pagou mais?",
    )


def test_the_longest_is_a_row_wherever_it_was() -> None:
    longest = Rows(
        rows_of(STOPS), 1, "most", "Duração (min)", columns=("Paragem", "Início", "Máquina")
    )
    all_mean(
        STOPS,
        longest,
        "em que máquina foi a paragem mais longa?",
        "que máquina teve a paragem mais longa?",
        "which machine had the longest stop?",
        "on which machine was the longest stop?",
        "a paragem mais longa foi em que máquina?",
    )
    all_mean(STOPS, Rows(rows_of(STOPS), 1, "most", "Duração (min)"), "a maior paragem")
    on_m2 = rows_of(STOPS, Filter("Máquina", ("M2",)))
    all_mean(
        STOPS,
        Rows(on_m2, 1, "most", "Duração (min)"),
        "qual foi a maior paragem da máquina M2?",
        "paragem mais longa na M2",
    )
    all_mean(
        TRIPS,
        Rows(rows_of(TRIPS), 1, "most", "Km", ("Viagem", "Data", "Motorista")),
        "quem fez a viagem mais longa?",
        "a viagem mais longa foi de quem?",
        "who made the longest trip?",
        "viagem com mais km e o motorista",
    )
    all_mean(
        TRIPS,
        GroupBy(rows_of(TRIPS), Dimension("Motorista"), Measure("sum", "Km"), n=1, order="most"),
        "quem fez mais km?",
        "que motorista fez mais km?",
    )


@OVER_ALL
def test_the_row_of_the_most_is_told_with_what_is_asked_for(trade: Trade) -> None:
    def largest(*roles: str) -> Rows:
        return Rows(trade.scope, 1, "most", trade["amount"], tuple(trade[each] for each in roles))

    check(
        trade,
        largest("key", "day", "name"),
        pt=(
            "{row} com maior {amount}: que {name}?",
            "em que {name} foi {g} {row} com maior {amount}? !rentals !lieferungen",
            "quando e em que {name} foi {g} {row} com maior {amount}?",
        ),
        en=("highest {amount}: which {name}?", "highest {amount}: when and which {name}?"),
    )
    check(
        trade,
        largest("key", "day", "staff"),
        pt=("{row} com mais {amount}: quem foi o {staff}?",),
        en=("{row} with the highest {amount} and its {staff}",),
    )


@OVER_ALL
def test_conditions_that_are_all_denied(trade: Trade) -> None:
    neither = Filter(trade["name"], (trade.names[1], trade.names[2]), "is not")
    check(
        trade,
        Number(trade.where(neither)),
        pt=(
            "quant{g}s {rows} não são de {value} nem de {other}?",
            "quant{g}s {rows} nem de {value} nem de {other}?",
            "tod{g}s {g}s {rows} menos {value} e {other}",
        ),
        en=(
            "how many {rows} are neither {value} nor {other}?",
            "all {rows} but {value} and {other}",
            "how many {rows} excluding {value} and {other}?",
        ),
    )
