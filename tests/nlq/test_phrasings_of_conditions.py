"""Phrasings of conditions and comparisons: limits, gaps, negations, states, lists, two things."""

from dataclasses import replace
from datetime import timedelta

from qhub_desktop.nlq.query_ast import (
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Period,
    Relation,
    Value,
)
from tests.nlq.schemas import APRIL, MARCH, OVER_ALL, Trade, check


def counted(trade: Trade, role: str, relation: Relation, *values: Value) -> Number:
    """How many rows have a cell that stands in a relation to some values."""
    return Number(trade.where(Filter(trade[role], values, relation)))


@OVER_ALL
def test_limits(trade: Trade) -> None:
    check(
        trade,
        counted(trade, "amount", "above", 50.0),
        pt=(
            "quant{g}s {rows} com {amount} acima de 50?",
            "quant{g}s {rows} com {amount} superior a 50?",
            "quant{g}s {rows} com {amount} maior que 50?",
            "quant{g}s {rows} têm {amount} para lá de 50?",
        ),
        en=(
            "how many {rows} with {amount} above 50?",
            "how many {rows} with {amount} over 50?",
            "how many {rows} have {amount} greater than 50?",
            "how many {rows} have {amount} in excess of 50?",
        ),
    )
    check(
        trade,
        counted(trade, "amount", "below", 50.0),
        pt=(
            "quant{g}s {rows} com {amount} abaixo de 50?",
            "quant{g}s {rows} com {amount} inferior a 50?",
            "quant{g}s {rows} com {amount} menor que 50?",
            "quant{g}s {rows} não chegam a 50 de {amount}?",
            "quant{g}s {rows} não chegaram aos 50 de {amount}?",
        ),
        en=(
            "how many {rows} with {amount} below 50?",
            "how many {rows} with {amount} under 50?",
            "how many {rows} have {amount} less than 50?",
        ),
    )
    check(
        trade,
        counted(trade, "amount", "at least", 50.0),
        pt=(
            "quant{g}s {rows} com {amount} de pelo menos 50?",
            "quant{g}s {rows} com pelo menos 50 de {amount}?",
            "quant{g}s {rows} com {amount} >= 50?",
            "quant{g}s {rows} com {amount} igual ou superior a 50?",
            "quant{g}s {rows} com {amount} superior ou igual a 50?",
            "quant{g}s {rows} com {amount} a partir de 50?",
            "quant{g}s {rows} com um mínimo de 50 de {amount}?",
        ),
        en=(
            "how many {rows} with {amount} of at least 50?",
            "how many {rows} have at least 50 {amount}? !lieferungen",
            "how many {rows} with {amount} >= 50?",
            "how many {rows} with {amount} 50+?",
            "how many {rows} with {amount} equal to or above 50?",
        ),
    )
    check(
        trade,
        counted(trade, "amount", "at most", 50.0),
        pt=(
            "quant{g}s {rows} com {amount} de no máximo 50?",
            "quant{g}s {rows} com no máximo 50 de {amount}?",
            "quant{g}s {rows} com {amount} <= 50?",
            "quant{g}s {rows} com {amount} igual ou inferior a 50?",
            "quant{g}s {rows} com {amount} inferior ou igual a 50?",
            "quant{g}s {rows} com {amount} até 50?",
            "quant{g}s {rows} com um máximo de 50 de {amount}?",
        ),
        en=(
            "how many {rows} with {amount} of at most 50?",
            "how many {rows} have at most 50 {amount}? !lieferungen",
            "how many {rows} with {amount} <= 50?",
            "how many {rows} with a maximum {amount} of 50?",
            "how many {rows} with {amount} equal to or below 50?",
        ),
    )
    check(
        trade,
        counted(trade, "amount", "between", 20.0, 50.0),
        pt=(
            "quant{g}s {rows} com {amount} entre 20 e 50?",
            "quant{g}s {rows} entre 20 e 50 de {amount}?",
            "quant{g}s {rows} com {amount} de 20 a 50?",
            "quant{g}s {rows} com {amount} compreendid{g_amount} entre 20 e 50?",
            "quant{g}s {rows} com {amount} situad{g_amount} entre 20 e 50?",
            "quant{g}s {rows} com {amount} no intervalo de 20 a 50?",
        ),
        en=(
            "how many {rows} with {amount} between 20 and 50?",
            "how many {rows} have {amount} between 20 and 50?",
            "how many {rows} have a {amount} of 20 to 50?",
            "how many {rows} with {amount} in the range 20 to 50?",
            "how many {rows} with {amount} ranging from 20 to 50?",
            "how many {rows} whose {amount} lies between 20 and 50?",
            "how many {rows} with {amount} anywhere between 20 and 50?",
        ),
    )
    check(
        trade,
        counted(trade, "level", "is", 42.0),
        pt=(
            "quant{g}s {rows} com {level} igual a 42?",
            "quant{g}s {rows} com {level} de 42?",
            "quant{g}s {rows} com {level} exatamente 42?",
            "quant{g}s {rows} com {level} = 42?",
            "quant{g}s {rows} cuj{g_level} {level} é 42?",
        ),
        en=(
            "how many {rows} with {level} equal to 42?",
            "how many {rows} with {level} exactly 42?",
            "how many {rows} with {level} = 42?",
            "how many {rows} with {level} of 42?",
            "how many {rows} where {level} is 42?",
        ),
    )


@OVER_ALL
def test_gaps_and_what_is_filled(trade: Trade) -> None:
    check(
        trade,
        counted(trade, "staff", "missing"),
        pt=(
            "quant{g}s {rows} sem {staff}?",
            "quant{g}s {rows} estão sem {staff}?",
            "quant{g}s {rows} não têm {staff}?",
            "quant{g}s {rows} sem qualquer {staff}?",
            "quant{g}s {rows} sem indicação de {staff}?",
            "em quant{g}s {rows} falta o {staff}?",
            "em quant{g}s {rows} o {staff} não está preenchido? !elevadores",
            "{rows} s/ {staff}, quant{g}s?",
        ),
        en=(
            "how many {rows} without {staff}?",
            "how many {rows} without a {staff}?",
            "how many {rows} without any {staff}?",
            "how many {rows} where the {staff} is empty?",
            "how many {rows} with empty {staff}?",
            "how many {rows} lack a {staff}?",
            "how many {rows} have {staff} not filled in?",
            "how many {rows} with {staff} left blank?",
            "how many {rows} did not state the {staff}?",
            "how many {rows} did not state a {staff}?",
        ),
    )
    check(
        trade,
        counted(trade, "staff", "present"),
        pt=(
            "quant{g}s {rows} com {staff} preenchido?",
            "quant{g}s {rows} com {staff} atribuído?",
            "quant{g}s {rows} com {staff} indicado?",
            "quant{g}s {rows} têm {staff} preenchido?",
            "quant{g}s {rows} têm {staff}?",
            "quant{g}s {rows} têm {staff} atribuído?",
            "quant{g}s {rows} com o {staff} preenchido?",
            "em quant{g}s {rows} o {staff} está preenchido?",
            "quant{g}s {rows} com {staff} definido?",
        ),
        en=(
            "how many {rows} have a {staff} assigned?",
            "how many {rows} with a {staff} assigned?",
        ),
    )


@OVER_ALL
def test_negations(trade: Trade) -> None:
    check(
        trade,
        counted(trade, "name", "is not", trade.names[1]),
        pt=(
            "quant{g}s {rows} que não são de {value}?",
            "quant{g}s {rows} não são de {value}?",
            "quant{g}s {rows} exceto {value}?",
            "quant{g}s {rows} menos {value}?",
            "quant{g}s {rows} sem incluir {value}?",
            "quant{g}s {rows} à exceção de {value}?",
            "quant{g}s {rows} com exceção de {value}?",
            "quant{g}s {rows} salvo {value}?",
            "quant{g}s {rows} retirando {value}?",
            "quant{g}s {rows} para além de {value}?",
            "quant{g}s {rows} além de {value}?",
        ),
        en=(
            "how many {rows} not {value}?",
            "how many {rows} are not {value}?",
            "how many {rows} are not from {value}?",
            "how many {rows} excl. {value}?",
            "how many {rows} aside from {value}?",
            "how many {rows} without counting {value}?",
            "how many {rows} not including {value}?",
            "how many {rows} leaving {value} out?",
            "how many {rows} for everyone but {value}?",
        ),
    )


@OVER_ALL
def test_yes_and_no(trade: Trade) -> None:
    check(
        trade,
        counted(trade, "first", "is", trade.yes[0]),
        pt=(
            "quant{g}s {rows} {first}?",
            "quant{g}s {rows} são {first}?",
            "quant{g}s {rows} foram {first}?",
            "quant{g}s {rows} já {first}?",
            "quant{g}s das {rows} foram {first}?",
        ),
        en=(
            "how many {rows} are {first}?",
            "how many {rows} were {first}?",
            "how many {rows} have been {first}? !lieferungen",
        ),
    )
    check(
        trade,
        counted(trade, "first", "is", trade.no[0]),
        pt=(
            "quant{g}s {rows} não {first}?",
            "quant{g}s {rows} não são {first}?",
            "quant{g}s {rows} não foram {first}? !lieferungen",
            "quant{g}s {rows} que não foram {first}?",
            "{rows} por não {first}",
        ),
        en=(
            "how many {rows} are not {first}?",
            "how many {rows} were not {first}?",
            "how many {rows} have not been {first}?",
        ),
    )


@OVER_ALL
def test_overdue(trade: Trade) -> None:
    undone = [
        Filter(trade["done"], (), "missing"),
        Filter(trade["state"], (trade.closed,), "is not"),
    ]
    due = Period(trade["due"], None, trade.latest - timedelta(days=1))
    check(
        trade,
        Number(replace(trade.where(*undone), period=due)),
        pt=(
            "quant{g}s {rows} em atraso?",
            "quant{g}s {rows} fora do prazo?",
            "quant{g}s {rows} já passaram do prazo?",
            "quant{g}s {rows} com o prazo ultrapassado?",
            "quant{g}s {rows} com prazo vencido?",
        ),
        en=(
            "how many {rows} are overdue?",
            "how many {rows} are past due?",
            "how many {rows} have passed their deadline?",
            "how many {rows} missed the deadline?",
        ),
    )


@OVER_ALL
def test_rows_listed(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["state"], (trade.open,)))),  # the same as its rows
        pt=(
            "lista {g}s {rows} {open}",
            "lista de {rows} {open}",
            "lista-me {g}s {rows} {open}",
            "que {rows} estão {open}?",
            "que {rows} estão ainda {open}?",
            "quais {rows} estão {open}?",
        ),
        en=(
            "list {rows} that are {open}",
            "list the {rows} that are {open}",
            "list all {rows} that are {open}",
        ),
    )


@OVER_ALL
def test_two_values_against_each_other(trade: Trade) -> None:
    both = Filter(trade["name"], (trade.names[1], trade.names[2]))
    check(
        trade,
        GroupBy(trade.where(both), Dimension(trade["name"])),
        pt=(
            "{value} vs {other}",
            "{rows} de {value} vs {other}",
            "{rows} {value} vs {other}",
            "{rows} de {value} contra {other}",
            "{rows} {value} contra {other}",
        ),
        en=(
            "{value} vs {other}",
            "{value} vs. {other}",
            "{rows} {value} vs {other}",
        ),
    )
    check(
        trade,
        GroupBy(trade.where(both), Dimension(trade["name"]), Measure("mean", trade["level"])),
        pt=(
            "{level} médi{g_level} de {value} vs {other} !rentals",
            "compara {g_level} {level} médi{g_level} de {value} e {other} !rentals",
            "compara {g_level} {level} de {value} com {g_level} de {other} !rentals",
        ),
        en=(
            "average {level} of {value} vs {other}",
            "compare the average {level} of {value} and {other}",
            "compare the {level} of {value} with {other}",
        ),
    )


@OVER_ALL
def test_two_periods_against_each_other(trade: Trade) -> None:
    check(
        trade,
        Comparison(Number(trade.where(days=MARCH)), Number(trade.where(days=APRIL))),
        pt=(
            "{rows} em março vs abril",
            "{rows} em março vs em abril",
            "{rows} de março vs abril",
            "{rows} de março contra abril",
            "{rows} em março contra abril",
            "{g}s {rows} subiram de março para abril?",
            "{g}s {rows} aumentaram de março para abril?",
            "{g}s {rows} subiram ou desceram de março para abril?",
            "{g}s {rows} diminuíram de março para abril?",
            "variação d{g}s {rows} de março para abril",
            "quanto variaram {g}s {rows} de março para abril?",
        ),
        en=(
            "{rows} in March vs April",
            "{rows} in March vs in April",
            "{rows} March vs April",
            "did {rows} increase from March to April?",
            "did {rows} decrease from March to April?",
            "have {rows} increased from March to April?",
        ),
    )
    mean = Measure("mean", trade["level"])
    check(
        trade,
        Comparison(Number(trade.where(days=MARCH), mean), Number(trade.where(days=APRIL), mean)),
        pt=(
            "{level} médi{g_level} em março vs abril",
            "{level} em março vs abril !rentals",
            "compara {g_level} {level} médi{g_level} de março com {g_level} de abril",
            "{g_level} {level} subiu ou desceu de março para abril? !rentals",
            "{g_level} {level} subiu de março para abril? !rentals",
            "{g_level} {level} melhorou de março para abril? !rentals",
            "{g_level} {level} aumentou de março para abril? !rentals",
            "variação d{g_level} {level} de março para abril !rentals",
        ),
        en=(
            "average {level} in March vs April",
            "{level} in March vs April",
            "compare average {level} in March and April",
            "did {level} increase from March to April?",
            "did {level} improve from March to April?",
        ),
    )


@OVER_ALL
def test_elapsed_times(trade: Trade) -> None:
    check(
        trade,
        Number(trade.scope, Measure("mean", trade["done"], since=trade["day"], unit="days")),
        pt=(
            "tempo médio entre {day} e {done}",
            "quantos dias em média entre {day} e {done}?",
            "média de dias entre {day} e {done}",
        ),
        en=(
            "average time between {day} and {done} !elevadores",
            "average days between {day} and {done} !elevadores",
            "average number of days between {day} and {done} !elevadores",
            "average duration between {day} and {done} !elevadores",
        ),
    )
