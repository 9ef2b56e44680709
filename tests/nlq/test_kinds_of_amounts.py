"""Kinds of questions about amounts, each in several forms over tables of several trades."""

from datetime import date

import pytest

from qhub_desktop.nlq.query_ast import (
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Several,
    top,
)
from tests.nlq.schemas import APRIL, MARCH, OVER_ALL, Trade, check


def total(trade: Trade) -> Measure:
    return Measure("sum", trade["amount"])


@OVER_ALL
def test_an_amount_is_added_up_and_a_level_is_averaged(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["day"], "month"), total(trade)),
        pt=("{amount} por mês", "{amount} total por mês"),
        en=("{amount} per month", "monthly {amount}"),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), Measure("mean", trade["level"])),
        pt=("{level} médi{g_level} por {name}",),
        en=("{level} by {name}", "average {level} by {name}"),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["day"], "quarter"), total(trade)),
        pt=("{amount} por trimestre",),
        en=("{amount} by quarter", "quarterly {amount}"),
    )


@OVER_ALL
def test_units_of_the_answer_are_no_condition(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), total(trade)),
        pt=("{amount} em {unit} por {name}",),
        en=("{amount} in {unit} by {name}",),
    )


@OVER_ALL
@pytest.mark.parametrize("percent", [5, 90, 99])
def test_percentiles_are_said_in_several_ways(trade: Trade, percent: int) -> None:
    check(
        trade,
        Number(trade.scope, Measure("percentile", trade["amount"], quantile=percent / 100)),
        pt=(f"percentil {percent} d{{g_amount}} {{amount}}",),
        en=(f"{percent}th percentile of {{amount}}", f"percentile {percent} of {{amount}}"),
    )


@OVER_ALL
def test_a_spread_is_the_most_less_the_least(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), Measure("range", trade["level"])),
        pt=("amplitude d{g_level} {level} por {name}",),
        en=("range of {level} by {name}",),
    )
    check(
        trade,
        Number(trade.scope, Measure("range", trade["level"])),
        pt=("qual a amplitude d{g_level} {level}?",),
        en=("what is the range of {level}?",),
    )
    check(
        trade,
        Number(trade.scope, Measure("std", trade["level"])),
        pt=("desvio padrão d{g_level} {level}",),
        en=("standard deviation of {level}",),
    )


@OVER_ALL
def test_days_between_two_dates(trade: Trade) -> None:
    days = Measure("mean", trade["done"], since=trade["day"], unit="days")
    check(
        trade,
        Number(trade.scope, days),
        pt=("quantos dias em média entre {day} e {done}?", "média de dias entre {day} e {done}"),
        en=(
            "average days between {day} and {done} !elevadores",
            "how many days on average from {day} to {done}? !elevadores",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), days),
        pt=("média de dias entre {day} e {done} por {name}",),
        en=("average days from {day} to {done} by {name} !lieferungen !elevadores",),
    )


@OVER_ALL
def test_running_totals_go_over_time(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["day"], "month"), total(trade), is_cumulative=True),
        pt=("{amount} acumulad{g_amount} por mês",),
        en=("cumulative {amount} by month", "running total of {amount} by month"),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["day"], "month"), is_cumulative=True),
        pt=("{rows} acumulad{g}s por mês",),
        en=("cumulative {rows} by month",),
    )


@OVER_ALL
def test_days_are_ranked_as_groups(trade: Trade) -> None:
    by_day = Dimension(trade["day"], "day")
    check(
        trade,
        GroupBy(trade.scope, by_day, total(trade), n=5, order="most"),
        pt=("os 5 dias com mais {amount}", "top 5 dias por {amount}"),
        en=("top 5 days by {amount}", "the 5 days with the most {amount}"),
    )
    check(
        trade,
        top(trade.scope, Dimension(trade["day"], "month"), 1),
        pt=("em que mês houve mais {rows}?", "mês com mais {rows}"),
        en=("which month had the most {rows}?",),
    )


@OVER_ALL
def test_an_amount_per_month_is_averaged_over_months(trade: Trade) -> None:
    check(
        trade,
        Number(trade.scope, Measure("per", trade["day"], "month", amount=trade["amount"])),
        pt=(
            "média d{g_amount} {amount} por mês",
            "{amount} médi{g_amount} por mês",
            "{amount} médi{g_amount} mensal",
        ),
        en=("average {amount} per month", "mean {amount} per month"),
    )
    check(
        trade,
        Number(trade.scope, Measure("mean", trade["amount"])),
        pt=("{amount} médi{g_amount} por {row}", "média d{g_amount} {amount} por {row}"),
        en=("average {amount} per {row}",),
    )
    check(
        trade,
        Number(trade.scope, Measure("per", trade["day"], "day")),
        pt=("média de {rows} por dia",),
        en=("average {rows} per day",),
    )


@OVER_ALL
def test_two_groups_are_compared(trade: Trade) -> None:
    both = trade.where(Filter(trade["name"], (trade.names[1], trade.names[2])))
    check(
        trade,
        GroupBy(both, Dimension(trade["name"]), total(trade)),
        pt=(
            "compara {g_amount} {amount} de {value} com {other}",
            "compara {g_amount} {amount} de {value} e de {other}",
        ),
        en=("compare {amount} of {value} and {other}",),
    )
    check(
        trade,
        GroupBy(both, Dimension(trade["name"]), Measure("mean", trade["level"])),
        pt=("{level} médi{g_level} de {value} e de {other}",),
        en=("average {level} of {value} and {other}",),
    )


@OVER_ALL
def test_two_periods_are_compared(trade: Trade) -> None:
    march, april = (trade.where(days=each) for each in (MARCH, APRIL))
    check(
        trade,
        Comparison(Number(march), Number(april)),
        pt=(
            "compara {g}s {rows} de março com abril",
            "{rows} em março e em abril",
            "compara março com abril em {rows}",
        ),
        en=("compare {rows} in March and April", "{rows} in March vs April"),
    )
    check(
        trade,
        Comparison(Number(march, total(trade)), Number(april, total(trade))),
        pt=("compara {g_amount} {amount} de março com {g_amount} de abril",),
        en=("compare {amount} in March with April", "{amount} in March versus April"),
    )


@OVER_ALL
def test_a_period_may_be_of_the_year_s_quarters(trade: Trade) -> None:
    first = trade.where(days=(date(2026, 1, 1), date(2026, 3, 31)))
    check(
        trade,
        Number(first, total(trade)),
        pt=(
            "{amount} no 1.º trimestre",
            "{amount} no primeiro trimestre de 2026",
        ),
        en=("{amount} in the first quarter", "{amount} in the 1st quarter of 2026"),
    )


@OVER_ALL
def test_more_than_one_measure(trade: Trade) -> None:
    amount, level = total(trade), Measure("mean", trade["level"])
    by = Dimension(trade["name"])
    check(
        trade,
        Several((GroupBy(trade.scope, by, amount), GroupBy(trade.scope, by, level))),
        pt=("{amount} e {level} por {name} !rentals",),
        en=("{amount} and {level} by {name}",),
    )
    check(
        trade,
        Several(
            (
                Number(trade.scope, Measure("mean", trade["amount"])),
                Number(trade.scope, level),
            )
        ),
        pt=("médias d{g_amount} {amount} e d{g_level} {level} !rentals",),
        en=("averages of {amount} and {level}", "average {amount} and {level}"),
    )
    check(
        trade,
        Several(
            (
                Number(trade.scope, Measure("min", trade["level"])),
                Number(trade.scope, Measure("max", trade["level"])),
            )
        ),
        pt=("mínimo e máximo d{g_level} {level}",),
        en=("minimum and maximum {level}",),
    )


@OVER_ALL
def test_a_slip_of_the_finger_is_passed_over(trade: Trade) -> None:
    for role in ("amount", "name"):
        word = trade.en[role]
        if len(word) < 5:
            continue
        for place in range(1, len(word) - 2):
            slip = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
            said = {**trade.en, role: slip}
            form = "total {amount} by {name}".format(**said)
            assert trade.understood(form, "en") == GroupBy(
                trade.scope, Dimension(trade["name"]), total(trade)
            ), form
