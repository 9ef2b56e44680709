"""Kinds of questions about rows, each in several forms over tables of several trades."""

from datetime import timedelta

from qhub_desktop.core.text import Language
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
from tests.nlq.schemas import OVER_ALL, Trade, check


@OVER_ALL
def test_rows_are_counted_by_what_they_are_called(trade: Trade) -> None:
    check(
        trade,
        Number(trade.scope),
        pt=("quant{g}s {rows} há?", "número de {rows}", "total de {rows}"),
        en=("how many {rows} are there?", "number of {rows}"),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"])),
        pt=("{rows} por {name}", "quant{g}s {rows} por {name}?"),
        en=("{rows} by {name}", "how many {rows} per {name}?"),
    )


@OVER_ALL
def test_states_are_values_in_any_language(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["state"], (trade.open,)))),
        pt=("quant{g}s {rows} {open}?", "quant{g}s {rows} estão {open}?", "quant{g}s {open}?"),
        en=("how many {rows} are {open}?", "how many {open} {rows}? !lieferungen"),
    )
    check(
        trade,
        Number(trade.where(Filter(trade["state"], (trade.closed,)))),
        pt=("quant{g}s {rows} {closed}?", "quant{g}s {rows} já foram {closed}?"),
        en=("how many {rows} are {closed}?",),
    )


@OVER_ALL
def test_yes_and_no_are_told_from_ones_letters_and_words(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["first"], (trade.yes[0],)))),
        pt=("quant{g}s {rows} {first}?", "quant{g}s {rows} estão {first}? !rentals !lieferungen"),
        en=("how many {rows} are {first}?",),
    )
    check(
        trade,
        Number(trade.where(Filter(trade["first"], (trade.no[0],)))),
        pt=("quant{g}s {rows} não {first}?",),
        en=(
            "how many {rows} are not {first}?",
            "how many {rows} have not been {first} yet?",
            "how many {rows} aren't {first}?",
        ),
    )
    check(
        trade,
        GroupBy(trade.where(Filter(trade["first"], (trade.no[0],))), Dimension(trade["name"])),
        pt=("{rows} não {first} por {name}",),
        en=("{rows} not {first} by {name}",),
    )


@OVER_ALL
def test_rows_of_one_name_are_left_out(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["name"], (trade.names[1],), "is not"))),
        pt=(
            "quant{g}s {rows} que não são de {value}?",
            "{rows} exceto {value}",
            "quant{g}s {rows} sem contar {value}?",
        ),
        en=("how many {rows} except {value}?", "how many {rows} not of {value}?"),
    )


@OVER_ALL
def test_two_flags_hold_at_once(trade: Trade) -> None:
    both = trade.where(
        Filter(trade["first"], (trade.yes[0],)), Filter(trade["second"], (trade.yes[1],))
    )
    check(
        trade,
        Number(both),
        pt=(
            "quant{g}s {rows} {first} e {second}? !rentals !lieferungen",
            "quant{g}s {rows} são {first} e {second} ao mesmo tempo? !rentals !lieferungen",
        ),
        en=("how many {rows} are {first} and {second}? !elevadores !lieferungen",),
    )


@OVER_ALL
def test_overdue_is_due_before_the_last_day_and_not_done(trade: Trade) -> None:
    forms: tuple[tuple[str, Language], ...] = (
        ("quant{g}s {rows} em atraso?", "pt"),
        ("quant{g}s {rows} atrasad{g}s?", "pt"),
        ("how many {rows} are overdue?", "en"),
        ("how many {rows} are late?", "en"),
    )
    before = trade.latest - timedelta(days=1)
    for form, language in forms:
        plan = trade.understood(form, language)

        assert is_count(plan), trade.asked(form, language)
        assert plan.scope.period == Period(trade["due"], None, before), form
        assert plan.scope.filters, form
        assert {*plan.scope.filters} <= {
            Filter(trade["done"], (), "missing"),
            Filter(trade["state"], (trade.closed,), "is not"),
        }


@OVER_ALL
def test_done_late_is_done_after_it_was_due(trade: Trade) -> None:
    after = Filter(trade["done"], (), "above", other=trade["due"])
    check(
        trade,
        Number(trade.where(after)),
        pt=("quant{g}s {rows} têm {done} depois do {due}?",),
        en=("how many {rows} have a {done} later than the {due}? !elevadores !lieferungen",),
    )
    check(
        trade,
        Number(trade.where(after, Filter(trade["state"], (trade.closed,)))),
        en=("how many {rows} were {closed} late? !elevadores",),
    )


@OVER_ALL
def test_cells_that_are_said_not_to_be_filled_are_empty(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["staff"], (), "missing"))),
        pt=(
            "quant{g}s {rows} sem {staff}?",
            "quant{g}s {rows} sem {staff} atribuído?",
            "quant{g}s {rows} não têm {staff}?",
        ),
        en=(
            "how many {rows} have no {staff}?",
            "how many {rows} without a {staff}?",
            "how many {rows} have no {staff} assigned?",
        ),
    )


@OVER_ALL
def test_texts_are_searched_for_a_word(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["note"], (trade.pt["word"],), "contains"))),
        pt=(
            "quant{g}s {rows} cuja observação contém {word}?",
            "quant{g}s {rows} cujas observações mencionam {word}?",
        ),
        en=("how many {rows} whose remarks contain {word}?",),
    )


@OVER_ALL
def test_groups_are_kept_by_their_count_or_their_measure(trade: Trade) -> None:
    by = Dimension(trade["name"])
    check(
        trade,
        GroupBy(trade.scope, by, having=Filter("", (25,), "above")),
        pt=("{names} com mais de 25 {rows}", "que {names} têm mais de 25 {rows}?"),
        en=(
            "{names} with more than 25 {rows} !lieferungen",
            "which {names} have more than 25 {rows}?",
        ),
    )
    check(
        trade,
        GroupBy(
            trade.scope, by, Measure("mean", trade["level"]), having=Filter("", (47,), "above")
        ),
        en=("{names} with average {level} above 47",),
    )


@OVER_ALL
def test_thousands_are_said_in_words(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), having=Filter("", (2000,), "above")),
        pt=(
            "{names} com mais de 2 mil {rows} !rentals !lieferungen",
            "{names} com mais de 2.000 {rows}",
        ),
        en=("{names} with more than 2,000 {rows} !lieferungen",),
    )


@OVER_ALL
def test_rows_are_kept_by_their_own_amount(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["amount"], (50,), "above"))),
        pt=(
            "quant{g}s {rows} com {amount} acima de 50?",
            "quant{g}s {rows} com {amount} superior a 50 {unit}?",
            "quant{g}s {rows} acima de 50 {unit}?",
        ),
        en=(
            "how many {rows} with {amount} above 50?",
            "how many {rows} have a {amount} over 50?",
            "how many {rows} above 50 {unit}?",
        ),
    )


@OVER_ALL
def test_a_share_is_of_the_rows_that_are_named(trade: Trade) -> None:
    opened = Filter(trade["state"], (trade.open,))
    check(
        trade,
        Number(trade.where(opened), is_share=True),
        pt=(
            "que percentagem das {rows} está {open}?",
            "percentagem de {rows} {open}",
            "qual a % de {rows} {open}?",
        ),
        en=(
            "what percentage of {rows} are {open}?",
            "share of {open} {rows} !lieferungen",
            "what % of {rows} are {open}?",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"]), Measure("share", part=(opened,))),
        pt=("percentagem de {rows} {open} por {name} !lieferungen",),
        en=("percentage of {open} {rows} by {name} !elevadores !rentals",),
    )


@OVER_ALL
def test_one_row_is_found_by_its_day_or_its_amount(trade: Trade) -> None:
    check(
        trade,
        Rows(trade.scope, 1, "most", trade["amount"]),
        pt=(
            "qual {g} {row} com maior {amount}?",
            "{row} com mais {amount}",
            "{g} {row} de maior {amount}",
        ),
        en=("which {row} has the highest {amount}?", "{row} with the highest {amount}"),
    )
    check(
        trade,
        Rows(trade.scope, 3, "most", trade["amount"]),
        pt=("{g}s 3 {rows} com maior {amount}",),
        en=("the 3 {rows} with the highest {amount}",),
    )
    check(
        trade,
        Rows(trade.scope, 1, "least", trade["day"]),
        pt=("qual {g} {row} mais antig{g}?", "qual foi {g} primeir{g} {row}?"),
        en=("which {row} is the oldest?", "the oldest {row}"),
    )
    check(
        trade,
        Rows(trade.scope, 1, "most", trade["day"]),
        pt=("qual {g} {row} mais recente?", "qual foi {g} últim{g} {row}? !lieferungen"),
        en=("which {row} is the latest?", "most recent {row}", "last {row}"),
    )


@OVER_ALL
def test_rows_are_listed_with_what_was_asked_for(trade: Trade) -> None:
    told = (trade["key"], trade["day"], trade["staff"], trade["amount"])
    check(
        trade,
        Rows(trade.where(Filter(trade["name"], (trade.names[1],))), columns=told),
        pt=(
            "lista {g}s {rows} de {value} com {amount} e {staff} !lieferungen",
            "mostra {g}s {rows} de {value}: {amount} e {staff} !rentals !lieferungen !servicos",
        ),
    )
