"""Phrasings of several things at once: two questions, measures with statistics of their own."""

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Several,
)
from tests.nlq.schemas import OVER_ALL, Trade, all_mean, by, check, rows_of, table

ORDERS = table(
    "orders",
    {
        "Order ID": "key",
        "Order Date": "day",
        "Customer": "Acme,Bolt,Crane,Dune",
        "Region": "North,South,East",
        "Category": "Tools,Paint,Wood",
        "Sales": "#900",
        "Profit": "#200",
        "Quantity": "#12",
        "Returned": "Yes,No",
    },
)
STOPS = table(
    "paragens",
    {"Paragem": "key", "Início": "day", "Máquina": "M1,M2,M3,M4", "Duração (min)": "#240"},
)


def test_rows_are_counted_beside_a_total() -> None:
    total = Measure("sum", "Sales")
    all_mean(
        ORDERS,
        Several((Number(rows_of(ORDERS)), Number(rows_of(ORDERS), total))),
        "number of orders and total sales",
        "how many orders were there and what were the total sales?",
        "quantas encomendas foram e qual o total de vendas?",
    )
    south = rows_of(ORDERS, Filter("Region", ("South",)))
    all_mean(
        ORDERS,
        Several((Number(south), Number(south, total))),
        "how many orders in the South and total sales?",
        "number of orders and total sales in the South",
    )
    all_mean(
        ORDERS,
        Several((by(ORDERS, "Category"), by(ORDERS, "Category", total))),
        "orders and sales by category",
        "number of orders and sales by category",
        "number of orders and total sales per category",
    )
    all_mean(
        STOPS,
        Several((by(STOPS, "Máquina"), by(STOPS, "Máquina", Measure("sum", "Duração (min)")))),
        "paragens e minutos por máquina",
        "número de paragens e duração total por máquina",
    )


def test_a_column_is_what_it_is_called_before_money_at_large() -> None:
    sales, profit, quantity = (
        by(ORDERS, "Category", Measure("sum", each)) for each in ("Sales", "Profit", "Quantity")
    )
    all_mean(
        ORDERS,
        Several((sales, profit)),
        "sales and profit by category",
        "sales & profit per category",
        "total sales and total profit by category",
        "vendas e lucro por categoria",
    )
    all_mean(ORDERS, Several((sales, profit, quantity)), "sales, profit and quantity by category")


def test_each_measure_has_its_own_statistic() -> None:
    wanted = (by(ORDERS, "Region", Measure("sum", "Sales")),)
    all_mean(
        ORDERS,
        Several((*wanted, by(ORDERS, "Region", Measure("mean", "Quantity")))),
        "total sales and average quantity by region",
        "sum of sales and mean quantity per region",
        "by region: total sales and average quantity",
        "for each region, total sales and average quantity",
    )
    kinds = (Measure("sum", "Duração (min)"), Measure("mean", "Duração (min)"))
    all_mean(
        STOPS,
        Several((by(STOPS, "Máquina", kinds[0]), by(STOPS, "Máquina", kinds[1]))),
        "duração total e média por máquina",
        "total e média da duração por máquina",
        "soma e média da duração de cada máquina",
    )


@OVER_ALL
def test_a_count_and_a_total(trade: Trade) -> None:
    check(
        trade,
        Several((Number(trade.scope), Number(trade.scope, Measure("sum", trade["amount"])))),
        pt=("quant{g}s {rows} e que {amount} total?", "número de {rows} e {amount} total"),
        en=(
            "how many {rows} and what total {amount}?",
            "how many {rows} were there and what was the total {amount}?",
        ),
    )


@OVER_ALL
def test_a_total_and_a_mean_of_one_amount(trade: Trade) -> None:
    check(
        trade,
        Several(
            (
                Number(trade.scope, Measure("sum", trade["amount"])),
                Number(trade.scope, Measure("mean", trade["amount"])),
            )
        ),
        pt=("{amount} total e médi{g_amount}", "total e média de {amount}"),
        en=("total and average {amount}", "sum and average of {amount}"),
    )


@OVER_ALL
def test_a_total_of_one_amount_and_a_mean_of_another(trade: Trade) -> None:
    name = Dimension(trade["name"])
    check(
        trade,
        Several(
            (
                GroupBy(trade.scope, name, Measure("sum", trade["amount"])),
                GroupBy(trade.scope, name, Measure("mean", trade["level"])),
            )
        ),
        pt=("{amount} total e {level} médi{g_level} por {name} !rentals",),
        en=(
            "total {amount} and average {level} by {name} !elevadores !servicos",
            "by {name}, total {amount} and average {level} !elevadores",
        ),
    )


@OVER_ALL
def test_groups_that_pass_a_limit(trade: Trade) -> None:
    name = Dimension(trade["name"])
    check(
        trade,
        GroupBy(trade.scope, name, having=Filter("", (25,), "above")),
        pt=("que {names} já passaram d{g}s 25 {rows}?", "quant{g}s {names} têm mais de 25 {rows}?"),
        en=("which {names} exceed 25 {rows}?",),
    )
    check(
        trade,
        GroupBy(
            trade.scope, name, Measure("sum", trade["amount"]), having=Filter("", (1000,), "above")
        ),
        pt=("{names} que somam mais de 1000 de {amount}",),
        en=("{names} whose total {amount} exceeds 1000",),
    )
    check(
        trade,
        GroupBy(
            trade.scope, name, Measure("mean", trade["level"]), having=Filter("", (47,), "above")
        ),
        pt=("{names} cuj{g_level} média de {level} passa de 47",),
        en=("{names} averaging over 47 {level}",),
    )


def test_a_share_is_of_those_that_are_so() -> None:
    returned = rows_of(ORDERS, Filter("Returned", ("Yes",)))
    all_mean(
        ORDERS,
        Number(returned, is_share=True),
        "what percentage of orders was returned?",
        "what proportion of orders were returned?",
    )
