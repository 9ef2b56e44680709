"""Phrasings of orders: groups and rows with the most and the least, the first, the last."""

from qhub_desktop.nlq.query_ast import (
    Dimension,
    GroupBy,
    Measure,
    MeasureKind,
    Order,
    Rows,
    top,
)
from tests.nlq.schemas import OVER_ALL, Trade, check


def by(
    trade: Trade, kind: MeasureKind, role: str, n: int | None = None, order: Order = "most"
) -> GroupBy:
    """A number for every name, or for the first of them."""
    return GroupBy(
        trade.scope,
        Dimension(trade["name"]),
        Measure(kind, trade[role]),
        n=n,
        order=order if n else "",
    )


@OVER_ALL
def test_groups_with_the_most_and_the_fewest_rows(trade: Trade) -> None:
    name = Dimension(trade["name"])
    check(
        trade,
        top(trade.scope, name, 3),
        pt=(
            "top 3 {names} por {rows}",
            "top 3 de {names} por {rows}",
            "top 3 {names} com mais {rows}",
            "top3 {names} com mais {rows}",
            "top-3 {names} com mais {rows}",
            "top três {names} com mais {rows}",
            "os 3 primeiros {names} por {rows}",
        ),
        en=(
            "top 3 {names} by {rows}",
            "top 3 {names} by number of {rows}",
            "top 3 {names} by # of {rows}",
            "top 3 {names} by count of {rows}",
            "top 3 {names} with most {rows}",
            "top-3 {names} by {rows}",
            "top3 {names} by {rows}",
            "what are the top 3 {names} by {rows}?",
        ),
    )
    check(
        trade,
        top(trade.scope, name, 3, "least"),
        pt=(
            "os 3 {names} com menos {rows}",
            "3 {names} com menos {rows}",
            "quais os 3 {names} com menos {rows}?",
        ),
        en=(
            "bottom 3 {names} by number of {rows}",
            "3 {names} with the fewest {rows}",
            "the 3 {names} with the fewest {rows}",
        ),
    )
    check(
        trade,
        top(trade.scope, name, 1),
        pt=(
            "que {name} tem mais {rows}?",
            "qual {name} tem mais {rows}?",
            "qual o {name} com mais {rows}? !rentals",
        ),
        en=(
            "which {name} has the most {rows}?",
            "which {name} has most {rows}?",
            "which {name} had the most {rows}?",
            "which {name} has more {rows} than any other?",
            "busiest {name} by {rows}",
        ),
    )
    check(
        trade,
        top(trade.scope, name, 5),
        pt=(
            "top {names} por {rows}",
            "top de {names} por {rows}",
            "ranking de {names}",
            "ranking de {names} por {rows}",
            "ranking de {names} por número de {rows}",
            "ranking dos {names} com mais {rows}",
            "maiores {names} por {rows}",
        ),
        en=(
            "top {names} by {rows}",
            "ranking of {names} by {rows}",
            "{names} ranking by {rows} !lieferungen",
            "{names} with the most {rows}",
            "which {names} have the most {rows}?",
            "leading {names} by {rows}",
            "biggest {names} by {rows}",
        ),
    )


@OVER_ALL
def test_groups_with_the_most_and_the_least_of_an_amount(trade: Trade) -> None:
    check(
        trade,
        by(trade, "sum", "amount", 3),
        pt=(
            "top 3 {names} por {amount}",
            "top 3 {names} em {amount}",
            "top 3 de {names} por {amount}",
            "3 maiores {names} por {amount}",
            "os 3 maiores {names} por {amount}",
            "os 3 primeiros {names} por {amount}",
            "{amount} por {name}, só os 3 maiores",
            "{amount} por {name}: os 3 maiores",
        ),
        en=(
            "top 3 {names} by {amount}",
            "top 3 {names} by total {amount}",
            "top 3 {names} in {amount}",
            "3 largest {names} by {amount}",
        ),
    )
    check(
        trade,
        by(trade, "sum", "amount", 3, "least"),
        pt=(
            "os 3 {names} com menos {amount}",
            "os 3 {names} com menor {amount}",
            "3 {names} com menor {amount} total",
        ),
        en=(
            "bottom 3 {names} by {amount}",
            "bottom three {names} by {amount}",
            "the 3 {names} with the lowest {amount}",
            "3 smallest {names} by {amount}",
        ),
    )
    check(
        trade,
        by(trade, "sum", "amount", 1),
        pt=(
            "que {name} tem mais {amount}?",
            "que {name} tem maior {amount}?",
            "que {name} teve maior {amount}?",
        ),
        en=(
            "which {name} has the most {amount}?",
            "which {name} has the highest {amount}?",
            "which {name} has the highest total {amount}?",
        ),
    )
    check(
        trade,
        by(trade, "mean", "level", 3),
        pt=(
            "top 3 {names} por {level} médi{g_level} !rentals",
            "os 3 {names} com maior {level} médi{g_level} !rentals",
            "os 3 {names} com {level} médi{g_level} mais alt{g_level} !rentals",
        ),
        en=(
            "top 3 {names} by average {level}",
            "top 3 {names} by mean {level}",
            "the 3 {names} with the highest average {level}",
        ),
    )


@OVER_ALL
def test_rows_with_the_most_and_who_when_and_where(trade: Trade) -> None:
    check(
        trade,
        Rows(trade.scope, 1, "most", trade["amount"]),
        pt=(
            "qual {g} {row} com maior {amount}?",
            "qual {g} {row} com mais {amount}?",
            "qual foi {g} {row} com maior {amount}?",
        ),
        en=(
            "which {row} has the highest {amount}?",
            "which {row} had the highest {amount}?",
            "which {row} has the most {amount}?",
            "{row} with the greatest {amount}",
        ),
    )
    check(
        trade,
        Rows(trade.scope, 1, "least", trade["amount"]),
        pt=(
            "qual {g} {row} com menor {amount}?",
            "qual {g} {row} com menos {amount}?",
            "que {row} tem menor {amount}?",
        ),
        en=(
            "which {row} has the lowest {amount}?",
            "which {row} has the smallest {amount}?",
            "which {row} has the minimum {amount}?",
        ),
    )
    check(
        trade,
        Rows(trade.scope, 5, "most", trade["amount"]),
        pt=(
            "{g}s 5 {rows} com maior {amount}",
            "5 {rows} com maior {amount}",
            "top 5 {rows} por {amount}",
            "top 5 {rows} com maior {amount}",
            "{g}s 5 maiores {rows} por {amount}",
        ),
        en=(
            "top 5 {rows} by {amount}",
            "top five {rows} by {amount}",
            "the 5 {rows} with the highest {amount}",
            "5 {rows} with the highest {amount}",
            "the five {rows} with the highest {amount}",
            "5 largest {rows} by {amount}",
        ),
    )


@OVER_ALL
def test_first_and_last_rows(trade: Trade) -> None:
    check(
        trade,
        Rows(trade.scope, 1, "least", trade["day"]),
        pt=(
            "qual {g} {row} mais antig{g}?",
            "qual é {g} {row} mais antig{g}?",
            "{g} {row} mais antig{g}",
        ),
        en=(
            "which {row} is the oldest?",
            "the oldest {row}",
            "oldest {row}",
            "the very first {row}",
            "first ever {row}",
        ),
    )
    check(
        trade,
        Rows(trade.scope, 1, "most", trade["day"]),
        pt=(
            "qual {g} {row} mais recente?",
            "{g} {row} mais recente",
            "{row} mais recente",
        ),
        en=(
            "which {row} is the latest?",
            "the latest {row}",
            "latest {row}",
            "the very last {row}",
        ),
    )
    check(
        trade,
        Rows(trade.scope, 5, "most", trade["day"]),
        pt=(
            "{g}s últim{g}s 5 {rows}",
            "últim{g}s 5 {rows}",
            "{g}s 5 últim{g}s {rows}",
        ),
        en=(
            "the last 5 {rows}",
            "last 5 {rows}",
            "the 5 latest {rows}",
        ),
    )
    check(
        trade,
        Rows(trade.scope, 5, "least", trade["day"]),
        pt=(
            "{g}s 5 {rows} mais antig{g}s",
            "5 {rows} mais antig{g}s",
            "{g}s primeir{g}s 5 {rows}",
        ),
        en=(
            "the 5 oldest {rows}",
            "5 oldest {rows}",
            "oldest 5 {rows}",
        ),
    )
