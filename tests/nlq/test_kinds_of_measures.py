"""Kinds of questions by what a table's amounts are of, over small tables of many trades."""

from dataclasses import replace
from datetime import date

import pytest

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Rows,
    is_count,
)
from tests.nlq.schemas import all_mean, by, plan_over, read_as, rows_of, table


@pytest.mark.parametrize(
    ("amount", "questions"),
    [
        (
            "Visitantes",
            (
                "quantos dias sem visitantes?",
                "dias sem visitantes",
                "how many days without visitors?",
                "quantos dias com zero visitantes?",
                "how many days with zero visitors?",
            ),
        ),
        (
            "Peças boas",
            (
                "quantos dias sem peças boas?",
                "dias sem peças boas",
                "how many days without good pieces?",
            ),
        ),
        (
            "Acidentes",
            (
                "quantos dias sem acidentes?",
                "how many days without accidents?",
                "dias sem acidentes",
            ),
        ),
        ("Chuva (mm)", ("dias sem chuva", "quantos dias sem chuva?")),
    ],
)
def test_none_of_what_is_counted_is_nought_where_no_cell_is_empty(
    amount: str, questions: tuple[str, ...]
) -> None:
    made = table("diario", {"Dia": "day", amount: "0#90", "Carros": "#"})

    all_mean(made, Number(rows_of(made, Filter(amount, (0.0,)))), *questions)


@pytest.mark.parametrize(
    ("amount", "thing", "en"),
    [
        ("Visitantes", "visitantes", "visitors"),
        ("Garrafas", "garrafas", "bottles"),
        ("Passageiros", "passageiros", "passengers"),
        ("Consumo (kWh)", "consumo", "consumption"),
    ],
)
def test_where_rows_are_days_days_are_rows(amount: str, thing: str, en: str) -> None:
    made = table("diario", {"Dia": "day", amount: "#", "Temperatura média": "#30"})

    all_mean(made, Number(rows_of(made)), "quantos dias há?", "how many days are there?")
    all_mean(
        made,
        Number(rows_of(made, Filter(amount, (50.0,), "above"))),
        f"quantos dias com mais de 50 {thing}?",
        f"how many days with more than 50 {en}?",
        f"quantos dias tiveram {thing} acima de 50?",
    )
    all_mean(made, Rows(rows_of(made), 5, "most", amount), f"os 5 dias com mais {thing}")
    monthly = GroupBy(rows_of(made), Dimension("Dia", "month"), Measure("sum", amount))
    all_mean(made, monthly, f"{thing} por mês", f"{en} by month")


@pytest.mark.parametrize(
    ("part", "whole", "questions"),
    [
        (
            "Rejeitadas",
            "Produzidas",
            (
                "taxa de rejeição por prensa",
                "rejection rate by press",
                "percentagem de rejeitadas por prensa",
            ),
        ),
        (
            "Peças rejeitadas",
            "Peças produzidas",
            (
                "taxa de rejeição por prensa",
                "reject rate by press",
                "percentagem de peças rejeitadas por prensa",
            ),
        ),
        (
            "Scrap",
            "Produced",
            ("scrap rate by press", "taxa de sucata por prensa", "percentage of scrap by press"),
        ),
        (
            "Sucata (kg)",
            "Total produzido (kg)",
            ("taxa de sucata por prensa", "scrap rate by press"),
        ),
    ],
)
def test_a_rate_is_of_its_part_and_the_whole(
    part: str, whole: str, questions: tuple[str, ...]
) -> None:
    made = table("fabrico", {"Data": "day", "Prensa": "A1,A2,A3", whole: "#900", part: "#9"})

    all_mean(made, by(made, "Prensa", Measure("rate", part, over=whole)), *questions)


@pytest.mark.parametrize(
    ("gross", "net", "tax"),
    [
        ("Total c/ IVA", "Valor s/ IVA", "IVA"),
        ("Total amount", "Net amount", "VAT"),
        ("Valor total", "Valor líquido", "Imposto"),
    ],
)
def test_an_amount_is_the_whole_before_its_parts(gross: str, net: str, tax: str) -> None:
    made = table(
        "faturas",
        {
            "Fatura": "key",
            "Emissão": "day",
            "Cliente": "Alfa,Beto,Gama",
            net: "#4001",
            tax: "#900",
            gross: "#5001",
        },
    )
    february = Period("Emissão", date(2026, 2, 1), date(2026, 2, 28))
    whole = Measure("sum", gross)

    all_mean(made, Number(rows_of(made), whole), "quanto faturámos?")
    in_february = replace(rows_of(made), period=february)
    all_mean(made, Number(in_february, whole), "quanto faturámos em fevereiro?")
    all_mean(made, by(made, "Cliente", whole), f"{gross} por cliente", f"{gross} by cliente")
    all_mean(made, by(made, "Cliente", Measure("sum", tax)), f"{tax} por cliente")


@pytest.mark.parametrize(
    ("sold", "returned"),
    [("Vendas (€)", "Devoluções (€)"), ("Sales (EUR)", "Refunds (EUR)")],
)
def test_what_is_sold_is_no_refund(sold: str, returned: str) -> None:
    made = table(
        "bilheteira",
        {"Bilhete": "key", "Data": "day", "Sala": "Azul,Verde,Roxa", sold: "#400", returned: "#17"},
    )

    all_mean(
        made,
        Number(rows_of(made), Measure("sum", sold)),
        "how much did we sell?",
        "total de vendas",
    )
    all_mean(made, by(made, "Sala", Measure("sum", sold)), "vendas por sala", "sales by room")
    all_mean(
        made, by(made, "Sala", Measure("sum", returned)), "devoluções por sala", "refunds by room"
    )


@pytest.mark.parametrize(
    ("top", "bottom", "questions"),
    [
        (
            "Litros",
            "Km",
            ("litros por km por camião", "litres per km by truck", "litros por km de cada camião"),
        ),
        ("Portagens (€)", "Km", ("portagens por km por camião", "tolls per km by truck")),
        ("Custo (€)", "Horas", ("custo por hora por camião",)),
        ("Consumo (kWh)", "Toneladas", ("consumo por tonelada por camião",)),
    ],
)
def test_an_amount_per_unit_of_another_is_a_ratio_of_sums(
    top: str, bottom: str, questions: tuple[str, ...]
) -> None:
    made = table(
        "frota",
        {"Viagem": "key", "Data": "day", "Camião": "Volvo,Scania,Iveco", top: "#", bottom: "#400"},
    )

    all_mean(made, by(made, "Camião", Measure("ratio", top, over=bottom)), *questions)


@pytest.mark.parametrize(
    ("day", "later", "questions"),
    [
        (
            "Entrada",
            "Saída",
            (
                "quantos lotes saíram em abril de 2026?",
                "quantos lotes em abril de 2026?",
                "quantos lotes com saída em abril de 2026?",
            ),
        ),
        (
            "Order Date",
            "Ship Date",
            ("how many lots were shipped in April 2026?", "how many lots in April 2026?"),
        ),
        (
            "Início",
            "Fim",
            ("quantos lotes em abril de 2026?", "quantos lotes acabaram em abril de 2026?"),
        ),
    ],
)
def test_a_period_that_no_row_reaches_by_one_day_is_of_another(
    day: str, later: str, questions: tuple[str, ...]
) -> None:
    made = table("lotes", {"Lote": "key", day: "day", later: "day+65", "Armazém": "Norte,Sul"})
    april = Period(later, date(2026, 4, 1), date(2026, 4, 30))

    all_mean(made, Number(replace(rows_of(made), period=april)), *questions)


@pytest.mark.parametrize(
    ("said", "number"),
    [("10 mil", 10_000), ("10k", 10_000), ("10.000", 10_000), ("2 mil", 2000), ("12 500", 12_500)],
)
def test_thousands_are_one_number(said: str, number: int) -> None:
    made = table(
        "compras", {"Compra": "key", "Data": "day", "Loja": "Norte,Sul", "Montante (€)": "#20001"}
    )

    all_mean(
        made,
        Number(rows_of(made, Filter("Montante (€)", (float(number),), "above"))),
        f"quantas compras acima de {said} €?",
        f"quantas compras com montante superior a {said}?",
        f"compras acima de {said} euros",
    )


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        ("Peso (kg)", "sum"),
        ("Litros", "sum"),
        ("Custo (€)", "sum"),
        ("Minutos", "sum"),
        ("Peças", "sum"),
        ("Temperatura (°C)", "mean"),
        ("Espessura (mm)", "mean"),
        ("Humidade (%)", "mean"),
        ("Nota", "mean"),
        ("Idade", "mean"),
        ("Velocidade (km/h)", "mean"),
    ],
)
def test_the_natural_aggregate_is_of_the_kind_of_amount(amount: str, wanted: str) -> None:
    made = table("registo", {"Ensaio": "key", "Data": "day", "Posto": "P1,P2,P3", amount: "#"})
    word = amount.split(" (", maxsplit=1)[0].lower()

    all_mean(made, by(made, "Posto", Measure(wanted, amount)), f"{word} por posto")  # type: ignore[arg-type]
    all_mean(
        made,
        by(made, "Posto", Measure("median", amount)),
        f"mediana de {word} por posto",
        f"median {word} by posto",
    )
    all_mean(made, by(made, "Posto", Measure("max", amount)), f"máximo de {word} por posto")


@pytest.mark.parametrize("header", ["VLPERDA_R$", "VL PERDA (R$)", "VlrPerda"])
@pytest.mark.parametrize("question", ["total de perda em reais", "quanto é a perda ao todo?"])
def test_money_lost_is_no_number_of_pieces_sold(header: str, question: str) -> None:
    made = table("lojas", {"Dia": "day", "Loja": "Norte,Sul", "QTD_VEND": "#", header: "#900"})

    assert plan_over(made, question) == Number(rows_of(made), Measure("sum", header))


@pytest.mark.parametrize("sold", ["QTD_VEND", "Qtd. vendida", "Units sold"])
@pytest.mark.parametrize("question", ["quanto dinheiro ao todo?", "how much money in total?"])
def test_pieces_sold_are_no_money(sold: str, question: str) -> None:
    made = table("lojas", {"Dia": "day", "Loja": "Norte,Sul", sold: "#"})

    assert Number(rows_of(made), Measure("sum", sold)) not in read_as(made, question)


@pytest.mark.parametrize("price", ["Rate (€/h)", "Hourly rate (€)"])
def test_an_hourly_rate_is_no_group_of_hours(price: str) -> None:
    columns = {"Day": "day", "Company": "Anker,Bolt,Crown", price: "#60", "Hours": "#9"}
    made = table("contractors", columns)

    plan = by(made, "Company", Measure("mean", price))
    all_mean(made, plan, "average hourly rate per company", "mean hourly rate by company")


@pytest.mark.parametrize("header", ["Primeira vez", "1a consulta", "First time?"])
def test_a_first_time_is_no_length_of_time(header: str) -> None:
    made = table(
        "agenda", {"Data": "day", "Utente": "Ana,Rui,Eva", "Dur. (min)": "#", header: "Sim,Não"}
    )

    (plan, *_) = read_as(made, "how many first-time visits do we have?")

    assert is_count(plan)
    assert plan.scope.filters == (Filter(header, ("Sim",)),)


@pytest.mark.parametrize("number", ["Rekl.Nr.", "Claim No", "N.º Recl."])
def test_the_numbers_of_rows_are_no_amount_in_what_follows(number: str) -> None:
    made = table("claims", {number: "number", "Opened": "day", "Closed": "day+9", "Plant": "A,B"})
    before = "on average how many days from opened to closed?"

    for question in ("which claim took longest?", "which claim is the longest?"):
        for plan in read_as(made, before, question):
            assert not (isinstance(plan, Number) and plan.measure.column == number)
