"""Measure choices: which columns may be measured, how, and what it costs to take them."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from qhub_desktop.nlq.column_roles import SHARING, measured_first, priced_unit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import mean_of, names_documents
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import (
    Measure,
    MeasureKind,
)
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    actual_of,
    counterpart_of,
    gained_measures,
    is_price,
    is_target,
    money_measures,
    time_unit,
)
from qhub_desktop.nlq.semantic.query_context import MeasureChoice, QueryContext
from qhub_desktop.nlq.semantic.slots import ODD, WRONG
from qhub_desktop.nlq.statistic_kinds import EXTREMES
from qhub_desktop.nlq.tokenizer import normalize, root, tokenize, unit
from qhub_desktop.nlq.wide_tables import Unpivoted

_CHOSEN = 0.45  # one of several columns that may be measured
_AS_PRICE = 0.2  # one price of a document, where an amount is rather meant
_TRADED = frozenset(["sale", "purchase"])
_COUNTED = 0.6  # an amount, where things are counted
_LIMITED = 0.5  # a measure of which only a limit was said
# The rows of what is counted, where a column says how many there were: more where a total is asked
# for, and in a table of defects, which are counted so by the other way of reading.
_ROWS_OF_PIECES, _NO_TOTAL, _OF_DEFECTS = 0.25, 0.4, 0.5
_CURRENCIES = words_by_role("currency")
_NUMBER_WORDS = words_by_role("number_word") | words_by_role("how_many")


def _main_amounts(context: QueryContext) -> tuple[str, ...]:
    """Return the columns by which rows are large or small, where none is named."""
    index = context.index
    if context.slots.implied == "time":
        return index.measures_of("distance") or index.measures_of("length")
    if context.slots.implied:
        return ()
    costs = money_measures(index)
    amounts = [name for name in index.measures if index.is_amount(name)]
    least = [name for name, cost in costs if cost == costs[0][1]]
    return tuple(least or amounts)


def measure_choices(context: QueryContext) -> Iterator[MeasureChoice]:
    """Yield each choice of columns that may be measured, with its cost."""
    slots, index = context.slots, context.index
    named = tuple(dict.fromkeys(slots.measures))
    if len(named) == 1 and slots.has("compare") and is_target(index, named[0]):
        actual = actual_of(index, named[0])  # 'diferença para a meta'
        named = named if actual is None else (actual, *named)
    limited = {each.column for each in slots.compared if not (each.other or each.unit)}
    only_limited = bool(limited) and not slots.statistics and not context.superlatives
    only_limited = only_limited and not slots.has("total", "chart", "trend")
    if named and only_limited and limited.issuperset(named) and not slots.groups:
        yield (), 0.0  # 'lines worth more than 10k EUR'
        yield named, _LIMITED
        return
    if named:
        yield named, WRONG if _is_other_unit(context, named) else 0.0
        return
    found: tuple[str, ...] = ()
    if slots.implied and slots.implied != "date":
        if not (slots.implied == "time" and len(slots.moments) > 1):
            found = index.measures_of(slots.implied)
        if slots.implied == "money":
            found, of_money = _amounts_of_money(context)
            if of_money:
                yield from of_money
                return
    elif index.wide is not None:
        limits = limited if only_limited else set[str]()
        yield from _cells_measured(context, index.wide, limits)
        return
    if (choices := _measures_of_rows(context, found)) is not None:
        yield from choices
    elif not found and (pieces := _pieces_meant(context)):
        yield (pieces,), 0.0
        says_total = "total" in slots.cue_texts.get("#count", "#total").lower()
        of_defects = _OF_DEFECTS * (index.type_column is not None)
        yield (), _ROWS_OF_PIECES + _NO_TOTAL * says_total + of_defects
    elif found:
        yield from _chosen(context, found)
    else:
        yield from _any_measure(context)


def _amounts_of_money(context: QueryContext) -> tuple[tuple[str, ...], Sequence[MeasureChoice]]:
    """Return the amounts of money, and those to choose from where that is settled."""
    slots, index = context.slots, context.index
    found = tuple(name for name, _ in money_measures(index))
    if index.wide is not None and _is_of_cells(context):
        return found, [((index.wide.value,), 0.1), *(((name,), ODD) for name in found[:4])]
    if _counts_things(context):
        sold = index.measures_of("quantity") if slots.filters else ()
        is_sold = [(sold, 0.05)] if len(sold) == 1 and _sells(context) else []
        # 'quantos bolos vendemos', 'quantos foram pagos'
        counted = (((name,), _COUNTED) for name in found[:4])
        return found, [*is_sold, ((), 0.3 * bool(sold)), *counted]
    said = slots.cue_texts.get("#money", "")
    if GAINS & {
        *domain_lexicon().concepts_of_name(said),
        *domain_lexicon().derived_from(root(normalize(said))[0]),
    }:
        gained = gained_measures(index)
        if not gained:
            return found, [(found[:1], _COUNTED)]  # refunds are no sales
        found = gained
    prices = index.measures_of("price") or tuple(
        each for each in index.measures if priced_unit(each)
    )
    is_dear = bool({"#max_cost", "#min_cost"} & {*slots.cue_texts})
    if prices and is_dear and (slots.targets or slots.groups or slots.bare):
        whole = [name for name in found if not is_price(index, name)]
        if whole and ranks_documents(context):
            return found, [*(((name,), 0.1) for name in whole[:3]), (prices[:1], _AS_PRICE)]
        # 'que posto tem o gasóleo mais barato'
        return found, [(prices[:1], 0.1), *(((name,), _CHOSEN) for name in found[:3])]
    return found, ()


def ranks_documents(context: QueryContext) -> bool:
    """Return whether documents are ranked by what they cost, not things by their prices."""
    slots = context.slots
    named = [each.column for each in (*slots.targets, *slots.bare)]
    is_dear = bool({"#max_cost", "#min_cost"} & {*slots.cue_texts})
    return is_dear and any(map(names_documents, named))


def used_up(context: QueryContext) -> tuple[str, ...]:
    """Return columns of what was consumed, which 'gastar' may mean where no column is surely money.

    One whose name is a short form that two words share, 'Desp.', is not surely money.
    """
    index, domain = context.index, domain_lexicon()
    said = (context.slots.cue_texts.get("#money", ""), *context.slots.placed)
    meant = {each for word in said for each in domain.concepts_of_name(word)}
    meant.update(each for word in said for each in domain.derived_from(root(normalize(word))[0]))
    money = [name for name, _ in money_measures(index)]
    shared = [
        name
        for name in money
        if not unit(name)
        and any(domain.abbreviated(each.normalized)[1:] for each in tokenize(name))
    ]
    if "expense" not in meant or index.wide is not None or shared != money:
        return ()
    used = index.measures_of("consumption")
    return tuple(name for name in used if index.is_amount(name) and name not in money)


def _cells_measured(
    context: QueryContext, wide: Unpivoted, limited: Collection[str]
) -> Iterator[MeasureChoice]:
    """Yield the cells of a wide table as what is measured, or its lines as what is counted."""
    slots = context.slots
    is_missing = (each for each in context.scope.filters if each.relation == "missing")
    if any(each.column == wide.value for each in is_missing):
        yield (), 0.0  # 'lojas sem valor em agosto'
        return
    lists = slots.has("rows", "list") or (slots.has("show") and slots.has_rows)
    if wide.value in limited:
        yield (), 0.1
    if not (slots.counted or lists):
        paid = 0.0 if not slots.nouns else 1.0 if slots.has("count") else 0.2
        if says_money(context):
            paid += WRONG
        yield (wide.value,), paid
    if slots.has_rows or slots.counted:
        yield (), 0.4


def _measures_of_rows(
    context: QueryContext, found: tuple[str, ...]
) -> Sequence[MeasureChoice] | None:
    """Return what a row is told by, where the question asks a row, or how much, at large."""
    slots, index = context.slots, context.index
    what, result = index.results or ("", "")
    if (_needs_measure(context) or context.ranks_row) and any(
        each.column == what for each in context.scope.filters
    ):
        return [((result,), 0.1)]  # 'pH médio', of a table with a row a result
    if found:
        return None
    if context.ranks_row and (amounts := _main_amounts(context)):
        return [*_chosen(context, amounts)]
    if _asks_how_much(context):
        names = tuple(name for name, _ in money_measures(index))
        whole = [name for name in names if "#total" in index.lemmas[name]]
        paid = 0.25 if len(names) == 1 or len(whole) == 1 else 0.25 + _CHOSEN
        told = whole if len(whole) == 1 else names[:4]
        return [*(((name,), paid) for name in told), ((), ODD)]
    if asks_elapsed(context) or slots.elapsed is not None:
        return [((), 0.0)]
    return None


def _pieces_meant(context: QueryContext) -> str:
    """Return the column of how many there were of what is told by a value: 'total de riscos'.

    Where a row tells of several things at once, they are counted by it and not by their rows.
    """
    slots, index = context.slots, context.index
    told = [each for each in context.scope.filters if each.relation == "is" and not each.grain]
    is_counted = (
        slots.has("count", "total")
        and bool(told)
        and slots.order[:2]
        == [
            ("cue", "#total" if slots.has("total") else "#count"),
            ("filter", told[0].column),
        ]
    )
    is_of_rows = slots.has_rows or slots.nouns or slots.counted or slots.statistics
    if not is_counted or is_of_rows or slots.has("percent", "rate", "part_of"):
        return ""
    pieces = [
        name
        for name in measured_first(index.measures)
        if index.is_amount(name) and index.lemmas[name] == ("quantity",)
    ]
    return pieces[0] if len(pieces) == 1 and index.wide is None else ""


def _needs_measure(context: QueryContext) -> bool:
    """Whether a statistic is asked for, which some column has to be measured for."""
    return context.slots.averages_column and not any(is_by for _, is_by in context.slots.grains)


def _any_measure(context: QueryContext) -> Iterator[MeasureChoice]:
    """Yield any column of numbers where one is needed and none named, else none."""
    slots = context.slots
    missing = slots.implied in ("money", "time", "age") and not (
        slots.implied == "time" and len(slots.moments) > 1
    )
    measured = measured_first(context.index.measures)
    if _needs_measure(context) and len(measured) == 1:
        yield (measured[0],), 0.3
    elif _needs_measure(context) and len(measured) > 1 and not len(slots.moments) > 1:
        yield from (((name,), 1.0) for name in measured[:6])
    else:
        yield (), WRONG if missing else 0.0


def _chosen(
    context: QueryContext, found: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield one of several columns that may be measured, the one of the whole first."""
    slots, index = context.slots, context.index
    whole = [name for name in found if "#total" in index.lemmas[name]]
    if len(found) > 1 and len(whole) != 1:
        edge = "#max" if slots.has("max", "most") else "#min" if slots.has("min") else ""
        named_so = [name for name in found if edge in index.lemmas[name]]
        for name in found[:6]:
            yield (name,), 0.1 if named_so == [name] else _CHOSEN
        return
    yield ((whole or found)[0],), 0.1


def _sells(context: QueryContext) -> bool:
    """Whether a verb of money is of what was sold or bought: 'vendemos'."""
    said = context.slots.cue_texts.get("#money", "")
    return bool(_TRADED & {*domain_lexicon().derived_from(root(normalize(said))[0])})


def _is_of_cells(context: QueryContext) -> bool:
    """Whether what is asked of a wide table has days, which only its cells have."""
    return context.period is not None or bool(context.slots.grains) or context.slots.has("trend")


def asks_elapsed(context: QueryContext) -> bool:
    """Whether it is asked how long something took, and no column of numbers holds that."""
    slots, index = context.slots, context.index
    asks_time = slots.implied == "time" or (
        any(grain in ("day", "hour") and not is_by for grain, is_by in slots.grains)
        and (slots.has("count", "total") or bool(slots.statistics))
    )
    asks_time = asks_time or (slots.elapsed is not None and slots.has("overdue"))
    asks_time = asks_time or any(time_unit(each) for each in slots.units)
    return asks_time and not slots.measures and not index.measures_of("time")


def says_money(context: QueryContext) -> bool:
    """Whether a currency is named."""
    said = (*context.slots.units, *context.slots.nouns, *context.slots.unknown)
    return not _CURRENCIES.isdisjoint(each.lower() for each in said)


def _counts_things(context: QueryContext) -> bool:
    """Whether 'quantos' is asked, which is of things, not of money."""
    said = context.slots.cue_texts.get("#count", "").lower()
    return normalize(said) in words_by_role("how_many") and not context.slots.has("percent")


def _is_other_unit(context: QueryContext, named: tuple[str, ...]) -> bool:
    """Return whether money is asked for, and none of the columns may hold any."""
    money = {name for name, _ in money_measures(context.index)}
    return says_money(context) and money.isdisjoint(named)


def _asks_how_much(context: QueryContext) -> bool:
    """Return whether 'quanto' is asked of nothing that is counted: 'quanto perdemos'."""
    slots = context.slots
    said = slots.cue_texts.get("#count", "").lower()
    is_much = normalize(said) in words_by_role("how_much")
    return is_much and not (slots.nouns or slots.counted or slots.has("rows"))


def _kind(context: QueryContext, name: str, *, ranks_groups: bool) -> tuple[MeasureKind, float]:
    """Return how a column is put together, and what is doubtful of it."""
    slots, index = context.slots, context.index
    if (statistic := slots.statistic_of(name)) is not None:
        return statistic, 0.0
    extreme = next((EXTREMES[each] for each in slots.cues if each in EXTREMES), None)
    compares = len({*slots.measures}) > 1 or slots.has("compare")
    beside = counterpart_of(index, name) if compares else None
    amount = index.is_amount(name) or (beside is not None and index.is_amount(beside))
    asks_sum = (("cue", "#count"), ("measure", name)) in pairwise(slots.order)
    if asks_sum and not extreme:
        said = {*normalize(slots.cue_texts.get("#count", "")).split()}
        counts = not said.isdisjoint(_NUMBER_WORDS) and name in dict(money_measures(index))
        return "sum", ODD if counts else 0.0 if amount else 0.2  # 'número de vendas'
    is_rate = not SHARING.isdisjoint(domain_lexicon().concepts_of_name(name))
    if extreme and not (ranks_groups and (amount or is_rate)):
        return extreme, 0.0  # the highest rate of groups is that of a group, not of a row
    if slots.has("per_row"):
        return "mean", 0.0
    if slots.has("total"):
        return "sum", WRONG if is_price(index, name) else 0.0 if amount else 0.3
    return ("sum", 0.0) if amount else ("mean", 0.1)


def measure_of(
    context: QueryContext, name: str, *, ranks_groups: bool = False
) -> tuple[Measure, float]:
    """Return how a column is measured, as a sum or a mean say, and the cost of that choice."""
    kind, paid = _kind(context, name, ranks_groups=ranks_groups)
    wide = context.index.wide
    if wide is not None and kind == "sum" and name in wide.totals:
        name = wide.value  # a line's total is the sum of its cells
    quantile = context.slots.quantile if context.slots.quantile is not None else 0.5
    if kind == "percentile" and context.slots.quantile is None:
        paid += ODD
    if kind == "mean":
        return mean_of(context.index, name), paid
    return Measure(kind, name, quantile=quantile), paid
