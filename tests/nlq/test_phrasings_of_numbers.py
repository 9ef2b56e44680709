"""Phrasings of one number: counts, sums, means and other statistics, extremes, shares, ratios."""

from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    distinct,
)
from tests.nlq.schemas import OVER_ALL, Trade, check


def of(trade: Trade, kind: MeasureKind, role: str, quantile: float = 0.5) -> Number:
    """A number over all rows."""
    return Number(trade.scope, Measure(kind, trade[role], quantile=quantile))


@OVER_ALL
def test_counts(trade: Trade) -> None:
    check(
        trade,
        Number(trade.scope),
        pt=(
            "quant{g}s {rows}?",
            "nº de {rows}",
            "n.º de {rows}",
            "nº {rows}",
            "qtde de {rows}",
            "quantidade total de {rows}",
        ),
        en=(
            "how many {rows}?",
            "# of {rows}",
            "#{rows}",
            "nr of {rows}",
            "count up the {rows}",
            "tally of {rows}",
            "tally the {rows}",
            "hm {rows} !elevadores",
        ),
    )


@OVER_ALL
def test_sums(trade: Trade) -> None:
    check(
        trade,
        of(trade, "sum", "amount"),
        pt=(
            "soma d{g_amount} {amount}",
            "soma de {amount}",
            "soma {g_amount} {amount}",
            "quanto somam {g}s {rows} em {amount}?",
            "em quanto vai {g_amount} {amount}?",
            "a quanto ascende {g_amount} {amount}?",
            "{g}s {rows} somam quanto de {amount}?",
            "quanto totaliza {g_amount} {amount}?",
            "tot. {amount}",
            "totaliza {g_amount} {amount}",
        ),
        en=(
            "sum of {amount}",
            "sum of the {amount}",
            "sum {amount}",
            "add up the {amount}",
            "add up all the {amount}",
            "combined {amount}",
            "combined {amount} of all {rows}",
            "what does the {amount} add up to?",
            "tot {amount}",
        ),
    )


@OVER_ALL
def test_means(trade: Trade) -> None:
    check(
        trade,
        of(trade, "mean", "level"),
        pt=(
            "média d{g_level} {level}",
            "média de {level}",
            "media da {level}",
            "média aritmética de {level}",
            "quanto costuma ser {g_level} {level}?",
            "med. de {level}",
            "méd. {level}",
        ),
        en=(
            "mean {level}",
            "mean of {level}",
            "the mean {level}",
            "mean value of {level}",
            "average value of {level}",
            "arithmetic mean of {level}",
            "typical {level}",
            "what is the typical {level}?",
            "what's a typical {level}?",
            "how high is the {level} on average?",
        ),
    )
    check(
        trade,
        of(trade, "mean", "amount"),
        pt=(
            "{amount} médi{g_amount}",
            "{amount} médi{g_amount} por {row}",
            "média d{g_amount} {amount}",
        ),
        en=(
            "average {amount}",
            "average {amount} per {row}",
            "{amount} per {row}",
        ),
    )


@OVER_ALL
def test_medians(trade: Trade) -> None:
    check(
        trade,
        of(trade, "median", "level"),
        pt=(
            "mediana d{g_level} {level}",
            "mediana de {level}",
            "qual a mediana de {level}?",
            "{level} median{g_level}",
            "qual {g_level} {level} median{g_level}?",
            "valor mediano de {level}",
            "valor mediano d{g_level} {level}",
            "o valor mediano da {level}",
            "valor do meio d{g_level} {level}",
            "percentil 50 d{g_level} {level}",
            "p50 d{g_level} {level}",
        ),
        en=(
            "median {level}",
            "median of {level}",
            "the median {level}",
            "median value of {level}",
            "middle value of {level}",
            "50th percentile of {level}",
            "p50 of {level}",
            "p50 {level}",
            "{level} p50",
        ),
    )


@OVER_ALL
def test_percentiles(trade: Trade) -> None:
    check(
        trade,
        of(trade, "percentile", "level", quantile=0.9),
        pt=(
            "percentil 90 d{g_level} {level}",
            "percentil 90 de {level}",
            "{level} percentil 90",
            "p90 d{g_level} {level}",
            "P90 d{g_level} {level}",
            "p90 de {level}",
            "p90 {level}",
            "{level} p90",
            "{level} P90",
            "o p90 d{g_level} {level}",
            "qual o p90 de {level}?",
            "qual é o P90 d{g_level} {level}?",
            "percentil 0,9 d{g_level} {level}",
            "quantil 0,9 d{g_level} {level}",
            "quantil 0.9 de {level}",
            "nono decil d{g_level} {level}",
            "perc. 90 d{g_level} {level}",
            "pctl 90 d{g_level} {level}",
        ),
        en=(
            "90th percentile of {level}",
            "90th percentile {level}",
            "{level} 90th percentile",
            "the 90th percentile of the {level}",
            "90% percentile of {level}",
            "p90 {level}",
            "P90 {level}",
            "p90 of {level}",
            "P90 of the {level}",
            "{level} p90",
            "{level} at p90",
            "p 90 of {level}",
            "what's the p90 of {level}?",
            "0.9 quantile of {level}",
            "quantile 0.9 of {level}",
            "90th pctl of {level}",
            "90th pctile of {level}",
            "90th centile of {level}",
        ),
    )
    check(
        trade,
        of(trade, "percentile", "level", quantile=0.25),
        pt=(
            "primeiro quartil d{g_level} {level}",
            "1º quartil de {level}",
        ),
        en=(
            "first quartile of {level}",
            "lower quartile of {level}",
            "p25 of {level}",
            "1st quartile {level}",
        ),
    )
    check(
        trade,
        of(trade, "percentile", "level", quantile=0.75),
        pt=(
            "terceiro quartil d{g_level} {level}",
            "3º quartil de {level}",
            "quartil 3 d{g_level} {level}",
        ),
        en=(
            "third quartile of {level}",
            "upper quartile of {level}",
            "p75 of {level}",
            "3rd quartile {level}",
        ),
    )
    check(
        trade,
        of(trade, "percentile", "level", quantile=0.995),
        pt=("percentil 99,5 d{g_level} {level}", "p99,5 d{g_level} {level}"),
        en=("99.5th percentile of {level}", "p99.5 of {level}"),
    )
    check(
        trade,
        GroupBy(
            trade.scope,
            Dimension(trade["name"]),
            Measure("percentile", trade["level"], quantile=0.95),
        ),
        pt=(
            "p95 d{g_level} {level} por {name} !rentals",
            "P95 de {level} por {name} !rentals",
            "percentil 95 d{g_level} {level} por {name} !rentals",
            "p95 d{g_level} {level} de cada {name} !rentals",
        ),
        en=(
            "p95 {level} by {name}",
            "P95 of {level} per {name}",
            "95th percentile of {level} by {name}",
        ),
    )


@OVER_ALL
def test_standard_deviations(trade: Trade) -> None:
    check(
        trade,
        of(trade, "std", "level"),
        pt=(
            "desvio padrão d{g_level} {level}",
            "desvio-padrão d{g_level} {level}",
            "desvio padrao de {level}",
            "desv. padrão d{g_level} {level}",
            "desv padrão d{g_level} {level}",
            "desv. pad. de {level}",
            "desvpad d{g_level} {level}",
            "desvio standard d{g_level} {level}",
            "desvio típico d{g_level} {level}",
            "sigma d{g_level} {level}",
        ),
        en=(
            "standard deviation of {level}",
            "standard deviation of the {level}",
            "{level} standard deviation",
            "st dev of {level}",
            "st. dev. {level}",
            "sd of {level}",
            "SD of {level}",
            "{level} SD",
            "sigma of {level}",
            "standard dev of {level}",
            "dispersion of {level}",
        ),
    )


@OVER_ALL
def test_extremes_of_a_level(trade: Trade) -> None:
    check(
        trade,
        of(trade, "max", "level"),
        pt=(
            "máximo d{g_level} {level}",
            "{level} máxim{g_level}",
            "maximo de {level}",
            "o valor mais alto d{g_level} {level}",
            "o valor mais alto de {level}",
            "valor mais elevado d{g_level} {level}",
            "pico d{g_level} {level}",
            "recorde de {level}",
            "o recorde d{g_level} {level}",
            "{level} recorde",
            "até quanto chegou {g_level} {level}?",
            "máximo valor de {level}",
        ),
        en=(
            "max {level}",
            "maximum {level}",
            "max. {level}",
            "biggest {level}",
            "greatest {level}",
            "peak {level}",
            "peak of {level}",
            "{level} peak",
            "record high {level}",
            "how high did the {level} get?",
            "how high was the {level} at most?",
            "what did the {level} peak at?",
        ),
    )
    check(
        trade,
        of(trade, "min", "level"),
        pt=(
            "mínimo d{g_level} {level}",
            "{level} mínim{g_level}",
            "minimo de {level}",
            "{level} mais reduzid{g_level}",
            "o valor mais baixo de {level}",
            "mínimo histórico d{g_level} {level}",
        ),
        en=(
            "min {level}",
            "minimum {level}",
            "min. {level}",
            "record low {level}",
            "how low did the {level} get?",
            "how low was the {level} at least?",
        ),
    )


@OVER_ALL
def test_ranges(trade: Trade) -> None:
    check(
        trade,
        of(trade, "range", "level"),
        pt=(
            "amplitude d{g_level} {level}",
            "amplitude de {level}",
            "qual a amplitude d{g_level} {level}?",
            "diferença entre o máximo e o mínimo d{g_level} {level}",
            "diferença entre o máximo e o mínimo de {level}",
            "diferença entre o mínimo e o máximo d{g_level} {level}",
            "diferença entre {g_level} maior e {g_level} menor {level}",
            "diferença entre a {level} mais alta e a mais baixa",
            "qual a diferença entre o máximo e o mínimo de {level}?",
            "qual é a diferença entre {g_level} {level} máxim{g_level} e mínim{g_level}?",
            "máximo - mínimo d{g_level} {level}",
            "max - min d{g_level} {level}",
            "max-min de {level}",
            "diferença do máximo para o mínimo d{g_level} {level}",
            "diferença entre max e min de {level}",
            "diferença entre os extremos d{g_level} {level}",
            "gama de variação d{g_level} {level}",
        ),
        en=(
            "range of {level}",
            "range of the {level}",
            "{level} range",
            "what is the range of {level}?",
            "what's the {level} range?",
            "difference between max and min {level}",
            "difference between the max and min {level}",
            "difference between the highest and lowest {level}",
            "difference between the highest and the lowest {level}",
            "difference between lowest and highest {level}",
            "what is the difference between the maximum and minimum {level}?",
            "difference between the maximum and the minimum of {level}",
            "max - min {level}",
            "max-min of {level}",
            "highest minus lowest {level}",
            "gap between highest and lowest {level}",
            "gap between the highest and lowest {level}",
            "spread between max and min {level}",
            "difference between biggest and smallest {level}",
            "min-max range of {level}",
        ),
    )


@OVER_ALL
def test_shares(trade: Trade) -> None:
    opened = Filter(trade["state"], (trade.open,))
    check(
        trade,
        Number(trade.where(opened), is_share=True),
        pt=(
            "que percentagem d{g}s {rows} está {open}?",
            "que percentagem de {rows} estão {open}?",
            "que porcentagem de {rows} está {open}?",
            "perc. de {rows} {open}",
            "quanto representam {g}s {rows} {open}?",
            "quanto representam {g}s {rows} {open} no total?",
            "quanto representam {g}s {open}?",
        ),
        en=(
            "what percentage of {rows} are {open}?",
            "what percent of {rows} are {open}?",
            "what % of {rows} is {open}?",
            "what portion of {rows} are {open}?",
            "what part of the {rows} is {open}?",
            "how much of the {rows} is {open}?",
        ),
    )
    mine = Filter(trade["name"], (trade.names[1],))
    check(
        trade,
        Number(trade.where(mine), is_share=True),
        pt=(
            "que percentagem d{g}s {rows} é de {value}?",
            "percentagem de {rows} de {value}",
            "% de {rows} de {value}",
            "quanto representa {value} n{g}s {rows}?",
            "quanto representa {value} no total de {rows}?",
        ),
        en=(
            "what percentage of {rows} is {value}?",
            "what percentage of {rows} are from {value}?",
            "what share of {rows} is {value}?",
            "how much of the {rows} is {value}?",
        ),
    )
    check(
        trade,
        Number(trade.scope, Measure("share", trade["amount"], part=(mine,))),
        pt=(
            "que percentagem d{g_amount} {amount} é de {value}?",
            "% d{g_amount} {amount} de {value}",
            "percentagem d{g_amount} {amount} de {value}",
            "quanto representa {value} n{g_amount} {amount}?",
            "quanto representa {value} n{g_amount} {amount} total?",
        ),
        en=(
            "what percentage of {amount} is {value}?",
            "what share of {amount} is from {value}?",
            "what share of the {amount} is {value}?",
            "how much of the {amount} is {value}?",
            "how much of the total {amount} is {value}?",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), is_share=True),
        pt=(
            "percentagem de {rows} por {name}",
            "% de {rows} por {name}",
            "% {rows} por {name}",
            "peso de cada {name} n{g}s {rows}",
            "qual o peso de cada {name} n{g}s {rows}?",
            "quota de cada {name} n{g}s {rows}",
            "quanto representa cada {name} n{g}s {rows}?",
            "quanto pesa cada {name} n{g}s {rows}?",
        ),
        en=(
            "percentage of {rows} by {name}",
            "% of {rows} by {name}",
            "% of {rows} per {name}",
            "share of each {name} in {rows}",
        ),
    )


@OVER_ALL
def test_distinct_values(trade: Trade) -> None:
    check(
        trade,
        distinct(trade.scope, trade["name"]),
        pt=(
            "quantos {names} diferentes? !rentals",
            "quantos {names} há?  !rentals",
            "quantas {names} há? !elevadores !lieferungen !servicos",
            "nº de {names}",
        ),
        en=(
            "how many different {names}?",
            "how many {names}?",
            "how many {names} are there?",
            "# of {names}",
        ),
    )
