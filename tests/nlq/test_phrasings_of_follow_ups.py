"""Phrasings of follow-ups: what is asked after an answer, short, and the plan that it comes to."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from typing import cast

import pytest

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsTable,
    Comparison,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Order,
    Plan,
    Query,
    Relation,
    Rows,
    distinct,
)
from tests.nlq.schemas import APRIL, MARCH, TRADES, Trade, understood

Days = tuple[date, date]
Condition = Callable[[Trade], Filter]
Wanted = Callable[[Trade], Plan]
Of = Callable[[Trade], Measure]
FEB = (date(2026, 2, 1), date(2026, 2, 28))
Q1 = (date(2026, 1, 1), date(2026, 3, 31))
Q2 = (date(2026, 4, 1), date(2026, 6, 30))
Y26 = (date(2026, 1, 1), date(2026, 12, 31))


def value(trade: Trade) -> Filter:
    return Filter(trade["name"], (trade.names[1],))


def other(trade: Trade) -> Filter:
    return Filter(trade["name"], (trade.names[2],))


def both(trade: Trade) -> Filter:
    return Filter(trade["name"], trade.names[1:3])


def but_value(trade: Trade) -> Filter:
    return replace(value(trade), relation="is not")


def opened(trade: Trade) -> Filter:
    return Filter(trade["state"], (trade.open,))


def closed(trade: Trade) -> Filter:
    return Filter(trade["state"], (trade.closed,))


def second(trade: Trade) -> Filter:
    return Filter(trade["second"], (trade.yes[1],))


def not_second(trade: Trade) -> Filter:
    return Filter(trade["second"], (trade.no[1],))


def over(number: float, relation: Relation = "above") -> Condition:
    return lambda trade: Filter(trade["amount"], (float(number),), relation)


def of(kind: MeasureKind, role: str) -> Of:
    return lambda trade: Measure(kind, trade[role])


def of_days(kind: MeasureKind) -> Of:
    return lambda trade: Measure(kind, trade["done"], since=trade["day"], unit="days")


def of_percentile(quantile: float) -> Of:
    return lambda trade: Measure("percentile", trade["amount"], quantile=quantile)


TOTAL, MEAN, LEVEL = of("sum", "amount"), of("mean", "amount"), of("mean", "level")
DAYS_MEAN, DAYS_MAX, NINETIETH = of_days("mean"), of_days("max"), of_percentile(0.9)
PEOPLE = of("distinct", "staff")


def share_open(trade: Trade) -> Measure:
    return Measure("share", part=(opened(trade),))


def count(*where: Condition, days: Days | None = None, share: bool = False) -> Wanted:
    return lambda trade: Number(
        trade.where(*(each(trade) for each in where), days=days), is_share=share
    )


def measured(measure: Of, *where: Condition, days: Days | None = None) -> Wanted:
    return lambda trade: Number(
        trade.where(*(each(trade) for each in where), days=days), measure(trade)
    )


def grouped(
    role: str,
    *where: Condition,
    days: Days | None = None,
    of: Of = lambda _trade: Measure(),
    grain: Grain = "",
    split: str = "",
    n: int | None = None,
    order: Order = "",
    share: bool = False,
    cum: bool = False,
    having: float | None = None,
) -> Wanted:
    return lambda trade: GroupBy(
        trade.where(*(each(trade) for each in where), days=days),
        Dimension(trade[role], grain),
        of(trade),
        Dimension(trade[split]) if split else None,
        n=n,
        order=order,
        is_share=share,
        is_cumulative=cum,
        having=None if having is None else Filter("", (having,), "above"),
    )


def ranked(
    n: int,
    order: Order = "most",
    *where: Condition,
    days: Days | None = None,
    of: Of = TOTAL,
    role: str = "name",
    grain: Grain = "",
) -> Wanted:
    return grouped(role, *where, days=days, of=of, grain=grain, n=n, order=order)


def top(
    role: str, n: int, *where: Condition, days: Days | None = None, order: Order = "most"
) -> Wanted:
    return grouped(role, *where, days=days, n=n, order=order)


def rows(
    n: int | None, order: str, *where: Condition, days: Days | None = None, shows: str = ""
) -> Wanted:
    return lambda trade: Rows(
        trade.where(*(each(trade) for each in where), days=days),
        n,
        "least" if order == "least" else "most",
        trade["amount"],
        (trade[shows],) if shows else (),
    )


def different(role: str, *where: Condition, days: Days | None = None) -> Wanted:
    return lambda trade: distinct(
        trade.where(*(each(trade) for each in where), days=days), trade[role]
    )


def compared(first: Wanted, last: Wanted) -> Wanted:
    return lambda trade: Comparison(cast("Number", first(trade)), cast("Number", last(trade)))


def table(query: Wanted) -> Wanted:
    return lambda trade: AsTable(cast("Query", query(trade)))


def chart(query: Wanted, kind: str | None = None) -> Wanted:
    return lambda trade: AsChart(cast("Query", query(trade)), kind)


WANTED: dict[str, Wanted] = {
    "count value": count(other),
    "count flag": count(value, second),
    "count period": count(value, days=MARCH),
    "period period": count(value, days=APRIL),
    "period quarter": count(value, days=Q1),
    "period prior": count(value, days=FEB),
    "count group": grouped("staff", value),
    "count month": grouped("day", value, grain="month"),
    "count measure": measured(TOTAL, value),
    "count share": count(value, share=True),
    "count drop": count(days=MARCH),
    "count dropperiod": count(value),
    "count third": count(other, days=MARCH),
    "count fresh": measured(TOTAL, days=MARCH),
    "sum period": measured(TOTAL, value, days=APRIL),
    "sum mean": measured(MEAN, value, days=MARCH),
    "sum measure": measured(LEVEL, value, days=MARCH),
    "sum group": grouped("staff", value, days=MARCH, of=TOTAL),
    "sum ranktop": grouped("name", days=MARCH, of=TOTAL, n=3, order="most"),
    "maxrow min": rows(1, "least"),
    "maxrow who": rows(1, "most", shows="staff"),
    "maxrow when": rows(1, "most", shows="day"),
    "maxrow top3": rows(3, "most"),
    "maxrow name": rows(1, "most", shows="name"),
    "top reverse": ranked(3, "least"),
    "top period": ranked(3, "most", days=MARCH),
    "top n": ranked(5),
    "top role": ranked(3, "most", role="staff"),
    "top mean": ranked(3, "most", of=MEAN),
    "top measure": ranked(3, "most", of=LEVEL),
    "top count": top("name", 3),
    "top chart": chart(ranked(3)),
    "top1 least": ranked(1, "least"),
    "share abs": count(opened),
    "share period": measured(share_open, days=MARCH),
    "share within": measured(share_open, value),
    "share group": grouped("name", of=share_open),
    "share month": grouped("day", of=share_open, grain="month"),
    "cmp add": compared(count(opened, days=MARCH), count(opened, days=APRIL)),
    "cmp value": compared(count(value, days=MARCH), count(value, days=APRIL)),
    "cmp measure": compared(measured(TOTAL, days=MARCH), measured(TOTAL, days=APRIL)),
    "cmpa value": compared(measured(TOTAL, value, days=MARCH), measured(TOTAL, value, days=APRIL)),
    "cmpa mean": compared(measured(MEAN, days=MARCH), measured(MEAN, days=APRIL)),
    "cmpa newperiod": compared(measured(TOTAL, days=FEB), measured(TOTAL, days=MARCH)),
    "group month": grouped("day", of=TOTAL, grain="month"),
    "group measure": grouped("name", of=LEVEL),
    "group count": grouped("name"),
    "group period": grouped("name", days=MARCH, of=TOTAL),
    "group max1": ranked(1),
    "group sort": grouped("name", of=TOTAL, order="most"),
    "group total": measured(TOTAL),
    "trend measure": chart(grouped("day", of=LEVEL, grain="month")),
    "trend best": ranked(1, "most", role="day", grain="month"),
    "list sort": rows(None, "most", value),
    "distinct which": different("staff"),
    "elapsed stat": measured(DAYS_MAX),
    "elapsed median": measured(of_days("median")),
    "pc value": measured(NINETIETH, value),
    "pc period": measured(NINETIETH, days=MARCH),
    "pc median": measured(of("median", "amount")),
    "pc other": measured(of_percentile(0.95)),
    "pc group": grouped("name", of=NINETIETH),
    "nb above": count(over(80)),
    "nb below": count(over(20, "below")),
    "nb add": count(over(50), value),
    "nb group": grouped("name", over(50)),
    "nb period": count(over(50), days=MARCH),
    "nb share": count(over(50), share=True),
    "nb rows": count(over(50)),
    "nb measure": measured(TOTAL, over(50)),
    "fresh top": top("name", 1),
    "fresh group": grouped("staff"),
    "three chain": count(other, opened, days=MARCH),
    "three sum": chart(grouped("staff", value, days=MARCH, of=MEAN)),
    "three top": ranked(3, "least", days=MARCH, role="staff"),
    "three share": measured(share_open, days=APRIL),
    "three share2": grouped("name", of=share_open, days=MARCH),
    "three share3": measured(share_open, other),
    "three maxrow": rows(1, "most", days=MARCH, shows="staff"),
    "max when": rows(1, "most", value, shows="day"),
    "max who": rows(1, "most", value, shows="staff"),
    "max min": measured(of("min", "amount"), value),
    "dist by": grouped("name", of=PEOPLE),
    "cmp back": compared(count(days=FEB), count(days=MARCH)),
    "cmp chain": compared(measured(MEAN, value, days=MARCH), measured(MEAN, value, days=APRIL)),
}

# The words that each table has besides those of `schemas.py`.
ARTICLES = {
    "elevadores": {"g_name": "o", "g_row": "a", "those": "dessas"},
    "rentals": {"g_name": "a", "g_row": "o", "those": "desses"},
    "lieferungen": {"g_name": "o", "g_row": "a", "those": "dessas"},
    "servicos": {"g_name": "o", "g_row": "o", "those": "desses"},
}
FIRST: dict[tuple[str, str], str] = {
    ("pt", "count"): "quant{g}s {rows} de {value}?",
    ("en", "count"): "how many {rows} of {value}?",
    ("pt", "sum"): "{amount} total de {value} em março",
    ("en", "sum"): "total {amount} of {value} in March",
    ("pt", "mean"): "{level} médi{g_level} de {value}",
    ("en", "mean"): "average {level} of {value}",
    ("pt", "row"): "qual {g_row} {row} com maior {amount}?",
    ("en", "row"): "which {row} has the highest {amount}?",
    ("pt", "top"): "top 3 {names} por {amount}",
    ("en", "top"): "top 3 {names} by {amount}",
    ("pt", "part"): "que percentagem d{g}s {rows} é de {value}?",
    ("en", "part"): "what percentage of {rows} is of {value}?",
    ("pt", "share"): "percentagem de {rows} {open}",
    ("en", "share"): "percentage of {open} {rows}",
    ("pt", "compared"): "compara {rows} em março e abril",
    ("en", "compared"): "compare {rows} in March and April",
    ("pt", "sums"): "compara {g_amount} {amount} de março com {g_amount} de abril",
    ("en", "sums"): "compare {amount} in March with April",
    ("pt", "groups"): "{amount} por {name}",
    ("en", "groups"): "{amount} by {name}",
    ("pt", "counts"): "{rows} por {name}",
    ("en", "counts"): "{rows} by {name}",
    ("pt", "trend"): "evolução d{g_amount} {amount} por mês",
    ("en", "trend"): "trend of {amount} by month",
    ("pt", "list"): "lista {g}s {rows} de {value}",
    ("en", "list"): "list the {rows} of {value}",
    ("pt", "distinct"): "quant{g_staff}s {staff}s diferentes há?",
    ("en", "distinct"): "how many different {staff}s are there?",
    ("pt", "days"): "média de dias entre {day} e {done}",
    ("en", "days"): "average days between {day} and {done}",
    ("pt", "values"): "compara {amount} de {value} e {other}",
    ("en", "values"): "compare {amount} of {value} and {other}",
    ("pt", "percentile"): "percentil 90 d{g_amount} {amount}",
    ("en", "percentile"): "90th percentile of {amount}",
    ("pt", "above"): "quant{g}s {rows} com {amount} acima de 50?",
    ("en", "above"): "how many {rows} with {amount} above 50?",
}

# By the plan that the last of some questions comes to, the language, the first question and what
# follows it, each way by '|', one after the other by '>'; not over a table named after '!'.
SAID = """\
= count value
pt count: ops, {other} | melhor, {other} // en count: wait, {other} | not {value}, {other}
= count flag
pt count: só {g}s {second} | e {second}?
en count: how many of them are {second}? | and {second}? | of those, how many are {second}?
= count period
en count: what about March? | only March
en sum: how many {rows} was that? | over how many {rows}? // en list: only March
= period period
pt quant{g}s {rows} de {value} em março?: e no mês seguinte? | desculpa, era abril |
  desculpe, abril | enganei-me, era em abril | ops, abril | aliás, abril
en how many {rows} of {value} in March?: and the month after? | sorry, April | my bad, April
= period quarter
en how many {rows} of {value} in March?: sorry, Q1
= period prior
pt quant{g}s {rows} de {value} em março?: e no mês anterior? | e no mês antes?
en how many {rows} of {value} in March?: and the month before? | and the previous month?
= count group
pt count: divide por {staff} | separa por {staff} | e dividid{g}s por {staff}?
en count: break it down by {staff}
= count month
pt count: e mensalmente?
= count measure
pt groups: quanto foi de {value}? // en groups: how much was {value}?
= count share
pt count: e em percentagem do total? // en count: and as a percentage of the total?
= count drop
pt quant{g}s {rows} de {value} em março?: em tod{g_name}s {g_name}s {names} |
  tod{g_name}s {g_name}s {names} | sem filtrar por {name}
en how many {rows} of {value} in March?: without the {name} filter | for all {names} |
  all {names} | remove the {name}
= count dropperiod
pt quant{g}s {rows} de {value} em março?: esquece o mês | sem o filtro de data |
  em todo o período | esquece a data | em todas as datas !elevadores
en how many {rows} of {value} in March?: forget the month | without the date filter |
  for the whole period | forget the date | for all dates !rentals | all time
pt count: quais? | quais são? | mostra-as | lista | lista-{g}s | mostra-me | quais foram? |
  ver lista
en count: which ones? | list them | show them | show me those | which are they? | show the list
= count third
en count: what about {other}? > only March
= count fresh
pt count: {amount} em março | qual {g_amount} {amount} total em março? |
  {g_amount} {amount} total de março
pt quant{g}s {rows} {open}?: {amount} em março | qual {g_amount} {amount} total em março? |
  {g_amount} {amount} total de março
en count: {amount} in March | what is the total {amount} in March?
en how many {open} {rows}?: {amount} in March | what is the total {amount} in March?
pt sum: de tod{g_name}s {g_name}s {names} // en sum: without the {name} filter | for all {names}
= sum period
pt sum: desculpa, abril | e no mês seguinte? | e no mês a seguir?
en sum: sorry, in April | and the next month?
= sum mean
pt sum: desculpa, a média // en sum: sorry, the average
= sum measure
pt sum: e {g_level} {level}? | e {level}? | não, {g_level} {level} |
  queria dizer {g_level} {level} | desculpa, {g_level} {level}
en sum: and the {level}? | and {level}? | no, the {level} | i meant the {level} | sorry, {level}
= sum group
pt sum: divide por {staff} // en sum: break it down by {staff}
= sum ranktop
pt sum: top 3 {names} | e o top 3 de {names}? | os 3 {names} com mais
en sum: top 3 {names} | and the top 3 {names}?
= maxrow min
pt row: e o menor? | e a menor? | ao contrário | e o mais baixo? | e com menor {amount}? |
  e {g_row} com menor {amount}?
en row: and the lowest? | the other way round | and the smallest?
= maxrow who
pt row: quem foi {g_staff} {staff}? | e {g_staff} {staff}? | qual {g_staff} {staff}?
en row: who was the {staff}? | and the {staff}? | which {staff}?
= maxrow when
pt row: quando foi? | e em que data? !elevadores | quando? | em que dia foi? | em que dia? |
  e quando foi? | qual a data? !elevadores
en row: when was that? | when was it? | when? | on what date? !rentals | and when? |
  what day was that?
= maxrow top3
pt row: top 3 | e as 3 maiores? | e os 3 maiores? | e as três primeiras?
en row: top 3 | and the top 3? | the 3 highest?
= maxrow name
pt row: de que {name}? | de que {name} é? | e {g_name} {name}? | em que {name}?
en row: which {name}? | and the {name}? | at which {name}?
= top reverse
pt top: e os de menor {amount}? | e os últimos 3? // en top: the opposite
= top period
en top: only March
= top n
pt top: 5 em vez de 3 // en top: 5 instead of 3
= top role
pt top: e por {staff}? | e {staff}s? | e d{g_staff}s {staff}s? | agora por {staff}
en top: and by {staff}? | and {staff}s? | now {staff}s
= top mean
pt top: e em média? | e a média? | e por média? | por média
en top: and on average? | and the average? | by average | and by average?
= top measure
pt top: e por {level}? | e por {level} médi{g_level}? // en top: and by {level}?
= top count
pt top: e por número de {rows}? // en top: and by number of {rows}?
= top chart
pt top: em gráfico | num gráfico | mostra em gráfico | faz um gráfico | gráfico? |
  põe num gráfico
en top: as a chart | in a chart | chart it | show me a chart | plot that | graph?
= top1 least
pt groups: qual o menor? | e o menor? // en groups: which is the lowest? | and the smallest?
= share abs
pt share: em número? | e em números absolutos? | e o número?
en share: in absolute numbers? !lieferungen | and the number? !lieferungen
= share period
pt share: e em março? // en share: and in March? !lieferungen
= share within
pt share: e de {value}? | e em {value}?
en share: and for {value}? !lieferungen | and at {value}? !lieferungen
= share group
pt share: e por {name}? | por {name}? | agora por {name}
en share: and by {name}? !lieferungen | by {name}? !lieferungen | now by {name} !lieferungen
= share month
pt share: e por mês? // en share: and by month? !lieferungen
= cmp add
pt compared: só {g}s {open} // en compared: only the {open} ones
= cmp value
pt compared: e de {value}? // en compared: and for {value}?
= cmp measure
pt compared: e {g_amount} {amount}? | e em {amount}?
en compared: and the {amount}? | and in {amount}?
= cmpa value
pt sums: e de {value}? // en sums: and for {value}?
= cmpa mean
pt sums: e a média? | e em média? // en sums: and the average? | and on average?
= cmpa newperiod
pt sums: e fevereiro com março? | e fevereiro e março?
en sums: and February with March? | and February and March? | and February vs March?
= group month
pt groups: e mensalmente?
= group measure
pt groups: e {g_level} {level}? // en groups: and the {level}?
= group count
pt groups: e o número de {rows}? // en groups: and how many {rows}? | and the number of {rows}?
= group period
en groups: just March
= group max1
pt groups: qual o maior? | e o maior?
en groups: which is the highest? | which one is the biggest?
= group sort
en groups: sort from highest to lowest | in descending order
= group total
pt groups: e o total? | e no total? | qual o total? | e ao todo?
en groups: and the total? | and in total? | what's the total? | and overall?
= trend measure
pt trend: e {g_level} {level}? | e d{g_level} {level}?
en trend: and {level}? | and the {level}?
= trend best
pt trend: qual o mês com mais? | em que mês foi maior? | qual o maior?
en trend: which month was the highest? | which month has the most?
= list sort
pt list: ordena por {amount} // en list: sort by {amount}
= distinct which
pt distinct: quais? | quais são? // en distinct: which ones? | who are they? | which?
= elapsed stat
pt days: e o máximo? | qual o máximo? // en days: and the max? !elevadores
= elapsed median
pt days: e a mediana? // en days: and the median? !elevadores
= pc value
pt percentile: e de {value}? // en percentile: and for {value}?
= pc period
pt percentile: e em março? // en percentile: and in March?
= pc median
pt percentile: e a mediana? // en percentile: and the median?
= pc other
pt percentile: e o percentil 95? // en percentile: and the 95th percentile?
= pc group
pt percentile: e por {name}? // en percentile: and by {name}?
= nb above
pt above: não, 80 // en above: no, 80
= nb below
pt above: e abaixo de 20? // en above: and below 20?
= nb add
pt above: só de {value} // en above: only {value}
= nb group
pt above: e por {name}? // en above: and by {name}?
= nb period
pt above: e em março? // en above: and in March?
= nb share
pt above: em percentagem? // en above: as a percentage?
= nb rows
pt above: quais? // en above: which ones?
= nb measure
pt above: e {g_amount} {amount} total? // en above: and their total {amount}?
= fresh top
pt sum: que {name} tem mais {rows}? // pt count: que {name} tem mais {rows}?
en sum: which {name} has the most {rows}? // en count: which {name} has the most {rows}?
= fresh group
pt sum: {rows} por {staff} // pt count: {rows} por {staff}
en sum: {rows} by {staff} !lieferungen // en count: {rows} by {staff} !lieferungen
= three chain
pt count: só {g}s {open} > e em março? > e {other}?
en count: only the {open} ones > and in March? > and {other}?
= three sum
pt sum: e por {staff}? > em gráfico > e a média?
en sum: and by {staff}? > as a chart > and the average?
= three top
pt top: e em março? > e por {staff}? > ao contrário
en top: and in March? > and by {staff}? > the other way round
= three share
pt share: e em março? > e em abril? // en share: and in March? > and in April? !lieferungen
= three share2
pt share: e por {name}? > e em março? // en share: and by {name}? > and in March? !lieferungen
= three share3
pt share: e de {value}? > e de {other}?
en share: and for {value}? > and for {other}? !lieferungen
= three maxrow
pt row: e em março? > quem foi {g_staff} {staff}? // en row: and in March? > who was the {staff}?
= max when
pt {amount} máxim{g_amount} de {value}: quando foi?
en maximum {amount} of {value}: when was that?
= max who
pt {amount} máxim{g_amount} de {value}: e {g_staff} {staff}?
en maximum {amount} of {value}: and the {staff}?
= max min
pt {amount} máxim{g_amount} de {value}: e o mínimo?
en maximum {amount} of {value}: and the minimum?
= dist by
pt distinct: e por {name}? | por {name} // en distinct: and by {name}? | by {name}
= cmp back
pt compared: e fevereiro com março? // en compared: and February with March?
= cmp chain
pt sums: e de {value}? > e a média? // en sums: and for {value}? > and the average?
"""


def cases() -> Iterator[tuple[str, Language, str, tuple[str, ...]]]:
    joined = SAID.replace("|\n ", "|").replace(" // ", "\n")
    for block in joined.split("= ")[1:]:
        wanted, *lines = block.strip().split("\n")
        for line in lines:
            before, _, follow_ups = line.partition(": ")
            language, _, first = before.partition(" ")
            ways = tuple(each.strip() for each in follow_ups.split(" | "))
            yield wanted, language, FIRST.get((language, first), first), ways


def asked() -> Iterator[tuple[Trade, str, Language, str, tuple[str, ...]]]:
    """Each case over two of the tables, the next one over the two others."""
    for number, case in enumerate(cases()):
        for trade in TRADES[number % 2 :: 2]:
            yield trade, *case


@pytest.mark.parametrize(("trade", "wanted", "language", "first", "ways"), [*asked()])
def test_what_follows_an_answer_changes_what_it_says_and_keeps_the_rest(
    trade: Trade, wanted: str, language: Language, first: str, ways: tuple[str, ...]
) -> None:
    dataset = trade.data.profile.dataset
    articles = ARTICLES[dataset] | {"g_staff": "o", "g_ao": "ão"}
    known = replace(trade, pt={**trade.pt, **articles})
    for way in ways:
        follow_ups, *others = way.split(" !")
        if dataset in others:
            continue
        said = [known.asked(form, language) for form in (first, *follow_ups.split(" > "))]
        plan = understood(*said, trade.index)
        right = WANTED[wanted](trade)
        if isinstance(plan, AsChart):
            plan = replace(plan, is_new=True)
            if isinstance(right, AsChart) and right.kind is None:
                plan = replace(plan, kind=None)
        assert plan == right, said
