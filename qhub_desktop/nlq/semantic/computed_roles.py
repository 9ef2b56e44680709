"""Numbers that no column holds, computed of two: an amount by its price, what is left of another.

'Valor comprado' of a table with quantities and unit prices is the sum of one times the other,
'falta receber' the sum of what was ordered less what was received, 'peças por hora' what was made
by the time that was run. Each is read only where the columns for it are there.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.nlq.column_roles import PAYING, priced_unit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import (
    AVAILABILITY,
    availability_of,
    is_part_amount,
    is_rejected_amount,
)
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Measure
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    actual_of,
    factor_between,
    is_price,
    is_target,
    money_measures,
    time_unit,
)
from qhub_desktop.nlq.semantic.mention_context import MentionContext
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES
from qhub_desktop.nlq.tokenizer import normalize, tokenize, unit
from qhub_desktop.nlq.word_meanings import OF_WORDS, RELATIONS

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

_SAID = 0.1  # what words cost that name a computed number
_VALUES = PAYING | GAINS | frozenset(["#total", "total_amount", "order_value"])
_PAID = _VALUES | frozenset(["cost", "expense", "purchase"])
ASKED_FOR = frozenset(["ordered_quantity", "planned_quantity", "requested", "purchase"])
ASKED_FOR |= {"sales_order", "purchase_order"}
_CAME = frozenset(["delivered_quantity", "delivered", "received", "completed", "produced"])
_CYCLE = frozenset(["cycle", "cycle_time"])
EFFECTIVENESS = (AVAILABILITY, "performance", "quality")  # of which it is the product
_OF_ROWS = ("#mean", "#median")
_BY_THE_HOUR = "hourly_rate"
_HOURS = frozenset(["hour", "hours", "time", "overtime", "run_time"])
_PIECES = frozenset(["part", "piece", "unit", "quantity", "produced"])
_RUN = frozenset(["run_time", "active", "in_progress"])
_APART = tuple(words_by_role("difference_word"))
_INFINITIVES = tuple(words_by_role("infinitive_ending"))
_NOT_YET, _CLOSING = words_by_role("not_yet"), words_by_role("closing_verb")
_FULFILS = words_by_role("fulfils")
_LACKING, _ADDS, _TAKES = (words_by_role(each) for each in ("lacking", "adds", "takes_away"))


def _meant(index: "SchemaIndex", name: str) -> set[str]:
    return {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


@lru_cache(maxsize=64)
def priced_amounts(index: "SchemaIndex", *, is_value: bool) -> tuple[tuple[str, str], ...]:
    """Return the amounts that one column of prices tells the money of, with that column.

    A column of money holds it already, but that what the carriage cost is no value of the goods.
    """
    prices = [name for name in index.measures if is_price(index, name)]
    money = {name for name, _ in money_measures(index)} - {*prices}
    if is_value:
        money = {name for name in money if _VALUES & _meant(index, name)}
    if index.wide is not None or len(prices) != 1 or money:
        return ()
    price = prices[0]
    sold_by = priced_unit(price)
    wanted = _HOURS if _BY_THE_HOUR in _meant(index, price) else {sold_by or "quantity"}
    found = [
        name
        for name in index.measures
        if name != price and index.is_amount(name) and wanted & _meant(index, name)
    ]
    return tuple((name, price) for name in found)


@lru_cache(maxsize=64)
def asked_and_came(index: "SchemaIndex") -> tuple[tuple[str, str], ...]:
    """Return amounts that were asked for, each with what came of it: ordered, and received."""
    amounts = [name for name in index.measures if index.is_amount(name)]
    targets = [name for name in index.measures if is_target(index, name)]
    found = [(name, actual_of(index, name)) for name in targets]
    asked = [name for name in amounts if ASKED_FOR & _meant(index, name)]
    came = [name for name in amounts if _has_come(index, name) and name not in asked]
    if index.wide is None and len(asked) == len(came) == 1:
        found.append((asked[0], came[0]))
    return tuple(
        dict.fromkeys((one, other) for one, other in found if other and index.is_amount(other))
    )


def _has_come(index: "SchemaIndex", name: str) -> bool:
    words = {each.normalized for each in tokenize(name)}
    return bool(_CAME & _meant(index, name) or words & _CLOSING)


def bind_computed(context: MentionContext) -> None:
    """Bind the first number that is computed of two columns."""
    for bind in (
        _bind_effectiveness,
        _bind_fulfilled,
        _bind_good,
        _bind_pace,
        _bind_together,
        _bind_rest,
        _bind_money,
    ):
        for at, item in enumerate(context.items):
            if context.slots.ratio is None:
                bind(context, at, item)


def _take(context: MentionContext, places: Collection[int], *measures: Measure) -> None:
    """Take a number that is said at some places; the first of those that it may be leads."""
    slots = context.slots
    for at in places:
        item = context.items[at]
        slots.cost -= max(0.0, item.cost - _SAID)
        context.used.add(at)
        slots.placed.append(item.text)
    slots.ratio, slots.instead = measures[0], measures[1:]
    slots.order.append(("measure", measures[0].column))


@role_rule
def _bind_money(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind money, of which there is no column, as an amount by its price: 'valor comprado'."""
    meant = {*domain_lexicon().concepts_of_name(item.text)}
    pairs = priced_amounts(context.index, is_value=bool(_VALUES & meant))
    if not pairs or not _says_money(context, at, item) or _counts_things(context):
        return False
    places = [at]
    following = context.items[at + 1] if at + 1 < len(context.items) else None
    said = {name for name, _ in pairs}
    if following is not None and following.column in said:
        pairs = tuple(each for each in pairs if each[0] == following.column)
        places.append(at + 1)  # 'valor da quantidade pedida'
    elif following is not None and _is_of_money(following):
        places.append(at + 1)  # 'valor comprado'
    beside = (place for place in (at - 1, at + 1) if 0 <= place < len(context.items))
    places += [each for each in beside if context.items[each].lemma in ("#total", "#sum")]
    statistics = [at for at, each in enumerate(context.items) if each.lemma in _OF_ROWS]
    places += statistics[:1]
    kind = STATISTIC_CUES[context.items[statistics[0]].lemma] if statistics else "sum"
    made = (Measure(kind, name, since=price, unit="product") for name, price in pairs)
    _take(context, places, *made)
    return True


def _says_money(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether a mention says money at large, or a price that is added up."""
    if item.kind == "column":
        near = context.items[max(0, at - 1) : at + 2]
        is_total = any(each.lemma in ("#total", "#sum") for each in near)
        said = {*domain_lexicon().concepts_of_name(item.text)}
        is_other = bool(GAINS & said) and _VALUES.isdisjoint(_meant(context.index, item.column))
        return is_other or (is_price(context.index, item.column) and is_total)
    if item.lemma == "#money":
        return True
    return _is_of_money(item)


def _counts_things(context: MentionContext) -> bool:
    """Return whether 'quantos' is asked, which is of things: 'quantos fornecedores venderam'."""
    counts = [normalize(each.text) for each in context.items if each.lemma == "#count"]
    return not words_by_role("how_many").isdisjoint(counts)


def _is_of_money(item: Mention) -> bool:
    meant = {*domain_lexicon().concepts_of_name(item.text)}
    return item.kind in ("noun", "unknown") and bool(_PAID & meant)


@role_rule
def _bind_rest(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind what is left of what was asked for: 'falta receber', 'por produzir'."""
    if not _says_lacking(context, at, item):
        return False
    pairs, places = asked_and_came(context.index), [at]
    asks = at == 0 or context.previous_cue(at) == "#count"  # and not 'por falta de operador'
    if item.lemma == "#by":
        asks, places = True, [at, at + 1]  # 'por fazer'
    before = context.items[at - 1].column if at else ""
    if any(before in pair for pair in pairs) and not context.index.column(before).missing:
        asks, places = True, [at - 1, at]  # 'quantidade em falta', where no cell is empty
    for place in range(at + 1, min(at + 3, len(context.items))):
        said = context.items[place].column if not context.before(place) & OF_WORDS else ""
        if said and any(said in pair for pair in pairs):
            pairs = tuple(each for each in pairs if said in each)
            places.append(place)
    is_named = any(context.items[place].column for place in places)
    if not pairs or (not is_named and (len(pairs) > 1 or not asks)):
        return False
    for place, other in enumerate(context.items):
        if other.column in pairs[0] and place not in places:
            places.append(place)  # 'face ao planeado'
        elif other.lemma in ("#compare", "#count") and place not in places:
            context.used.add(place)
    made = (Measure("sum", asked, since=came, unit="difference") for asked, came in pairs)
    _take(context, places, *made)
    return True


def _says_lacking(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether a word says that something has not come: 'falta', or 'por' before a verb."""
    if item.lemma == "#by" and at + 1 < len(context.items):
        said = context.items[at + 1].text
        is_verb = normalize(said).endswith(_INFINITIVES) and context.word_before(at + 1) in _NOT_YET
        is_known = bool(context.items[at + 1].column) or normalize(said) in _CLOSING
        return is_verb and is_known
    return bool({*normalize(item.text).split()} & _LACKING) and item.kind not in ("column", "value")


@role_rule
def _bind_together(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind two amounts that are added or taken away: 'A mais B', 'diferença entre A e B'."""
    index = context.index
    place = next((each for each, said in enumerate(context.items) if each > at and said.column), at)
    one, other = item.column, context.items[place].column
    if place - at > 2 or not (one and other) or one == other or unit(one) != unit(other):
        return False
    if index.wide is not None or not (index.is_amount(one) and index.is_amount(other)):
        return False
    if any(each.lemma in RELATIONS for each in context.items[at + 1 : place]):
        return False  # 'delivered less than ordered'
    words = context.words[item.end : context.items[place].start]
    between = {each.normalized for each in words}
    before = context.previous(at)
    said = "" if before is None or before.lemma != "#compare" else normalize(before.text)
    is_apart = said.startswith(_APART)
    if not (is_apart or between & (_ADDS | _TAKES)):
        return False
    adds = bool(between & _ADDS) and not is_apart
    measure = Measure("sum", one, since=other, unit="sum" if adds else "difference")
    leads = [at - 1] if before is not None and is_apart else []
    context.used.update(range(at, place))
    _take(context, [*leads, at, place], measure)
    return True


@role_rule
def _bind_effectiveness(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind overall effectiveness, of which there is no column, as the product of its factors."""
    if item.kind not in ("noun", "unknown"):
        return False
    if "oee" not in domain_lexicon().concepts_of_name(item.text):
        return False
    factors = _factors_of_effectiveness(context.index)
    if len(factors) == len(EFFECTIVENESS):
        _take(context, [at], Measure("product", factors=tuple(factors.values())))
    return len(factors) == len(EFFECTIVENESS)


def lacks_of_effectiveness(question: str, index: "SchemaIndex") -> tuple[str, ...]:
    """Return what overall effectiveness is asked for without: there is no column of it either."""
    asked = any("oee" in domain_lexicon().concepts_of_name(e.text) for e in tokenize(question))
    if not asked or index.wide is not None or index.concepts.get("oee") or index.parts.get("oee"):
        return ()
    found = _factors_of_effectiveness(index)
    return tuple(each for each in EFFECTIVENESS if each not in found)


def _factors_of_effectiveness(index: "SchemaIndex") -> dict[str, Measure]:
    """Return availability, performance and quality: columns of them, or computed of amounts."""
    if index.wide is not None:
        return {}
    levels = [name for name in index.measures if not index.is_amount(name)]
    pieces = _pieces(index)
    run, _minutes = _run_in(index, "min")
    scrap = [name for name in index.measures if is_rejected_amount(index, name)]
    cycles = [name for name in index.measures if _CYCLE & _meant(index, name)]
    computed: dict[str, Measure | None] = {
        AVAILABILITY: availability_of(index),
        "performance": Measure("rate", pieces, run, since=cycles[0], unit="product")
        if pieces and run and len(cycles) == 1
        else None,
        "quality": Measure("rate", pieces, pieces, since=scrap[0], unit="difference")
        if pieces and len(scrap) == 1
        else None,
    }
    found: dict[str, Measure] = {}
    for concept, made in computed.items():
        named = [name for name in levels if concept in _meant(index, name)]
        if len(named) == 1:
            found[concept] = Measure("mean", named[0])
        elif made is not None:
            found[concept] = made
    return found


@role_rule
def _bind_fulfilled(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind what came as a part of what was asked for: 'cumprimento do plano'."""
    pairs = asked_and_came(context.index)
    if normalize(item.text) not in _FULFILS or item.column:
        return False
    place = at + 1 if at + 1 < len(context.items) else at
    named = [each for each in pairs if context.items[place].column in each]
    pairs = tuple(named) or pairs
    if len(pairs) != 1:
        return False
    asked, came = pairs[0]
    _take(context, [at, place] if named else [at], Measure("rate", came, asked))
    return True


@role_rule
def _bind_good(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind good pieces, of which there is no column, as those made less the rejected ones."""
    index, said = context.index, domain_lexicon().concepts_of_name(item.text)
    if item.kind not in ("noun", "unknown") or "good" not in said or index.wide is not None:
        return False
    made, scrap = (
        _pieces(index),
        [name for name in index.measures if is_rejected_amount(index, name)],
    )
    has_good = any("good" in _meant(index, name) for name in index.measures)
    if has_good or not made or len(scrap) != 1:
        return False
    before = context.items[at - 1] if at else None
    is_piece = before is not None and _PIECES & {*domain_lexicon().concepts_of_name(before.text)}
    measure = Measure("sum", made, since=scrap[0], unit="difference")
    _take(context, [at - 1, at] if is_piece else [at], measure)
    return True


@role_rule
def _bind_pace(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind pieces by the time that was run, or a cost by pieces: 'peças por hora'."""
    following = context.following(at)
    if at + 2 >= len(context.items) or following is None or following.lemma != "#by":
        return False
    index, place = context.index, context.items.index(following) + 1
    if index.wide is not None or place >= len(context.items):
        return False
    over, pieces = context.items[place], _pieces(index)
    said = {*domain_lexicon().concepts_of_name(item.text)}
    part = item.column if item.column and index.is_amount(item.column) else ""
    if not part and item.kind in ("noun", "unknown") and _PIECES & said:
        part = pieces
    is_named = over.kind in ("noun", "unknown")
    if is_named and _PIECES & {*domain_lexicon().concepts_of_name(over.text)}:
        whole, factor = pieces, 1.0
    else:
        whole, factor = _run_in(index, over.text)
    if not (part and whole) or part == whole:
        return False
    measure = Measure("ratio", part, whole)
    if factor != 1.0:
        if not factor.is_integer():
            return False
        measure = Measure("rate", part, whole, per=int(factor))
    _take(context, [at, place - 1, place], measure)
    return True


def _pieces(index: "SchemaIndex") -> str:
    """Return the column of how many pieces were made, '' where none or several may be it."""
    for concepts in ({"produced"}, {"quantity"}):
        found = [
            name
            for name in index.measures
            if index.is_amount(name)
            and concepts & _meant(index, name)
            and not (is_target(index, name) or is_part_amount(index, name))
        ]
        if found:
            return found[0] if len(found) == 1 else ""
    return ""


def _run_in(index: "SchemaIndex", said: str) -> tuple[str, float]:
    """Return the column of the time that was run, and how much of it a unit of time is."""
    if time_unit(said) not in ("hours", "minutes"):
        return "", 1.0  # rows have a day of their own
    times = [name for name in index.measures if time_unit(unit(name).strip("()[] "))]
    times = [name for name in times if not is_target(index, name)]
    run = [name for name in times if _RUN & _meant(index, name)]
    return (run[0], factor_between(said, run[0])) if len(run) == 1 else ("", 1.0)
