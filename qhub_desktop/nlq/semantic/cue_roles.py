"""Roles of cues: statistics, orders, grains, negations, and what they say of neighbours."""

from dataclasses import replace

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import numbers_things
from qhub_desktop.nlq.lexicon import current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import Dimension, Filter, Grain, Value
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic.mention_context import (
    AND,
    GUESSED,
    HAVING,
    UNBOUND,
    MentionContext,
)
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.statistic_kinds import EXTREMES, STATISTIC_CUES
from qhub_desktop.nlq.tokenizer import normalize, stem, unit
from qhub_desktop.nlq.word_meanings import (
    GRAIN_CUES,
    MEASURED_WORDS,
    OR_WORDS,
    RELATIONS,
    SUPERLATIVES,
    WEEKDAY_NUMBERS,
)

_COPULAS_AND_IS = words_by_role("copula") | words_by_role("is")
_IN_ALL = words_by_role("in_the_whole")
_NEVER = words_by_role("never")
_HOW_MANY_OR_MUCH = words_by_role("how_many") | words_by_role("how_much")
_TWO_QUESTIONS = 1.2
_UNHEEDED = 1.0  # a month that nothing is grouped by: 'a month'
_LONGEST_SINGULAR = 3  # letters of a grain that ends like a plural: 'mês'
_RANKED_GRAINS = ("#grain_day", "#grain_week", "#grain_month")  # 'os 5 dias com mais'
_WITH = words_by_role("with") | HAVING
_TOLD = ("list", "show", "table", "chart", "compare", "most", "least", "max", "min", "top")
# What is never counted in rows.
_MASS = frozenset(["produced", "consumption", "energy", "revenue", "income", "expense", "weight"])


def take_cue(context: MentionContext, at: int, item: Mention) -> None:
    """Put what a cue asks for into the slots: a statistic, an order, a condition or a group."""
    slots, lemma = context.slots, item.lemma
    slots.cue_texts.setdefault(lemma, item.text)
    if _take_joining(context, at, item) or _take_condition(context, at, item):
        return
    if (
        lemma in ("#most", "#least")
        and context.word_before(at) in OR_WORDS
        and _is_number(context, at)
    ):
        slots.cost += UNBOUND  # '10 ou mais' is no rank
    if lemma in STATISTIC_CUES:
        slots.statistics.append(STATISTIC_CUES[lemma])
    if lemma == "#percentile":
        _take_quantile(context, at)
    if lemma == "#part_of":
        slots.cues.append("#percent")
    if lemma in ("#rate", "#percent") and (part := _part_before(context, at, item)):
        slots.first_filter = part
    if lemma == "#repeated":
        slots.having = Filter("", (1,), "above")
    lemma = _lemma_meant(context, at, lemma)
    if lemma == "#money":
        slots.implied = slots.implied or "money"
        return
    if lemma == "#duration":
        slots.implied = slots.implied or "time"
    if lemma == "#rows":
        slots.has_rows = True
        slots.is_plural = slots.is_plural or normalize(item.text).endswith("s")
    if lemma in RELATIONS or lemma in ("#or_more", "#or_less"):
        _take_relation(context, lemma, item.text)
        return
    if lemma == "#show" and slots.order[-1:] == [("cue", "#count")]:
        slots.cost += UNBOUND  # 'how many no-shows', which are no wish
    if lemma == "#count" and "#count" in slots.cues and at > 1:
        slots.cost += _TWO_QUESTIONS
    if lemma == "#count" and context.is_by:
        context.counts_by = at
    slots.cues.append(lemma)
    slots.order.append(("cue", lemma))
    context.is_by = context.is_by and lemma in ("#which", "#distinct")


def _take_joining(context: MentionContext, at: int, item: Mention) -> bool:
    """Read a cue that says how what follows it belongs to the rest: 'por', 'e', 'sem', 'só'."""
    slots = context.slots
    match item.lemma:
        case "#noise":
            pass
        case "#by":
            context.is_by = True
        case "#again":
            if at == 0:
                slots.cues.append(item.lemma)
            following = context.following(at)
            if following is not None and following.lemma == "#which":
                slots.goes_on = True
            asks = {*normalize(item.text).split()} & _HOW_MANY_OR_MUCH
            if asks and slots.has("count"):
                slots.cost += _TWO_QUESTIONS
        case "#except":
            context.is_negated, context.negated_at = True, at
            slots.is_never = slots.is_never or normalize(item.text) in _NEVER
        case "#only":
            context.is_negated = False
        case "#least" if _takes_away(context, at, item):
            context.is_negated, context.negated_at = True, at
        case _:
            return False
    return True


def _take_condition(context: MentionContext, at: int, item: Mention) -> bool:
    """Read a cue that selects or groups rows by itself: 'por mês', 'em aberto', 'negativos'."""
    if item.lemma in GRAIN_CUES:
        _take_grain(context, at, item)
        return True
    if item.lemma == "#on_weekday":
        _take_weekday(context, item)
        return True
    return _take_negative(context, at, item) or _take_state(context, item)


_OPENED_THEN = 0.9  # what may be open is rather counted by when it was opened


@role_rule
def _take_negative(context: MentionContext, at: int, item: Mention) -> bool:
    """Select rows in which a number beside the word is below zero: 'stock negativo'."""
    slots = context.slots
    near = context.near_measure(at) if item.lemma == "#negative" else None
    if near is None:
        return False
    name = context.items[near].column
    slots.compared.append(Filter(name, (0.0,), "below"))
    slots.order.append(("filter", name))
    context.used.add(near)
    if name in slots.measures:
        slots.measures.remove(name)
        slots.order.remove(("measure", name))
    return True


@role_rule
def _take_state(context: MentionContext, item: Mention) -> bool:
    """Select rows that are open or over, by their state or the day of closing: 'em aberto'."""
    if item.lemma not in ("#open", "#over"):
        return False
    is_open = (item.lemma == "#open") != context.is_negated
    if is_open and _may_be_opened_then(context, item):
        context.slots.cost += _OPENED_THEN  # 'abertas por mês'
    if item.values:  # the states in which a row is over
        context.add_filter(item.column, "is not" if is_open else "is", *item.values)
    else:
        context.add_filter(item.column, "missing" if is_open else "present")
    context.is_negated = False
    return True


def _may_be_opened_then(context: MentionContext, item: Mention) -> bool:
    """Return whether a state is told by days: 'abertas por mês', not 'em aberto por mês'."""
    place = context.items.index(item)
    behind = [each.lemma for each in context.items[place + 1 : place + 3] if each.lemma != "#by"]
    before = [word.normalized for word in context.words[: item.start]][-1:]
    phrase = " ".join([*before, normalize(item.text)])
    is_state = " " in item.text or phrase in words_by_role("open_state")
    return bool(behind) and behind[0].startswith("#grain_") and not is_state


def _lemma_meant(context: MentionContext, at: int, lemma: str) -> str:
    """Return the cue that one stands for here: 'cheapest' is the least, of money."""
    slots = context.slots
    base, _, what = lemma.partition("_")
    if base in ("#max", "#min") and what in MEASURED_WORDS:
        slots.implied = "money" if what == "cost" else what
        lemma = base if what != "age" else "#min"
        if what == "date" and _names_age(context):
            lemma = "#min" if base == "#max" else "#max"
            slots.implied = ""
        elif what == "date":
            lemma = "#last" if base == "#max" else "#first"
    if lemma in ("#best", "#worst"):
        return _edge_of(context, at, lemma)
    return lemma


@role_rule
def _take_relation(context: MentionContext, lemma: str, text: str) -> None:
    """Read a comparison without a number: of two values, or of two periods."""
    slots = context.slots
    if lemma in ("#above", "#below") and _compares_values(context):
        lemma = "#most" if lemma == "#above" else "#least"
        slots.cues.append(lemma)
        slots.order.append(("cue", lemma))
        return
    if sum(each.kind == "date" for each in context.items) == 2:
        slots.cues.append("#compare")  # 'o de maio foi superior ao de abril?'
        slots.order.append(("cue", "#compare"))
        return
    if lemma != "#equal":
        slots.cost += UNBOUND / 2
        slots.unknown.append(text)


def _is_number(context: MentionContext, at: int) -> bool:
    """Return whether a number stands before a mention."""
    return at > 0 and context.items[at - 1].kind == "number"


def _edge_of(context: MentionContext, at: int, lemma: str) -> str:
    """Return the extreme that is the best or the worst of a column: 'melhor tempo'."""
    beside = context.items[at + 1] if at + 1 < len(context.items) else None
    if beside is None or beside.kind != "column" or not context.index.is_measure(beside.column):
        return lemma
    gain = context.index.is_gain(beside.column)
    if gain is None or any(each.kind == "column" for each in context.items[:at]):
        return lemma  # 'a loja com melhor faturação'
    return "#max" if gain == (lemma == "#best") else "#min"


@role_rule
def _part_before(context: MentionContext, at: int, item: Mention) -> str:
    """Return the column of the part that a rate is of, named before it: 'reject rate'."""
    before = context.items[at - 1] if at else None
    if before is None or before.end != item.start or before.kind not in ("value", "column"):
        return ""
    if context.word_before(at - 1) in words_by_role("of"):
        return ""  # 'dos verdes que percentagem'
    return before.column if any(name == before.column for name, _ in context.slots.filters) else ""


@role_rule
def _takes_away(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether 'menos' leaves out the value behind it: 'todos menos A'."""
    following = context.items[at + 1] if at + 1 < len(context.items) else None
    said = normalize(item.text)
    return (
        said in words_by_role("ranked_by")
        and said in words_by_role("without_value")
        and following is not None
        and following.kind == "value"
    )


def says_filled(context: MentionContext, item: Mention) -> bool:
    """Return whether rows with a filled cell are counted: 'têm técnico atribuído'."""
    words, place = context.words, item.end
    before = {word.normalized for word in words[max(0, item.start - 3) : item.start]}
    says_rows = context.slots.has_rows or any(each == "#count" for each in context.slots.cues)
    if not says_rows or context.is_by or context.slots.has("compare", "chart", "contains"):
        return False
    is_named_so = normalize(context.index.column(item.column).name).split()[:1] == [
        words[item.start].normalized
    ]  # 'Observações'
    is_note = context.index.column(item.column).type == "text"
    if context.is_plural(item) and not (is_named_so or is_note):
        return False
    if context.is_negated or before & words_by_role("denial"):
        return False
    if place < len(words) and words[place].normalized in _COPULAS_AND_IS:
        place += 1
    filled = words_by_role("filled")
    if (
        place < len(words)
        and {words[place].normalized, words[place].normalized.rstrip("s")} & filled
    ):
        return True
    has = (words_by_role("has") | words_by_role("with")) & {
        word.normalized for word in words[max(0, item.start - 2) : item.start]
    }
    is_done = words[item.start - 1].normalized in _COPULAS_AND_IS | {"been"}  # 'have been driven'
    is_last = place == len(words) and context.index.column(item.column).missing > 0
    return bool(has) and not is_done and is_last


@role_rule
def has_any(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether rows with some of an amount are meant, not all: 'vendas com desconto'."""
    column, slots = context.index.column(item.column), context.slots
    of_rows = slots.has_rows or any(
        is_row(context, each.column) for each in (*slots.targets, *slots.bare)
    )
    before = [each.normalized for each in context.words[max(0, item.start - 2) : item.start]]
    if before[-1:] and before[-1] in current_lexicon().joining - _WITH:
        before.pop()  # 'had a discount'
    if _WITH.isdisjoint(before[-1:]) or not of_rows or context.index.wide is not None:
        return False
    following = context.following(at)
    is_said = slots.statistics or slots.measures or slots.groups or slots.has(*_TOLD)
    is_told = following is not None and following.lemma in (*STATISTIC_CUES, *EXTREMES, "#total")
    lacks = column.min == 0 or column.missing > 0
    counts = context.shares or slots.has("count")  # 'quantas consultas com desconto'
    may_lack = context.index.is_amount(item.column) or counts
    return lacks and may_lack and not (is_said or is_told)


def is_amount_said(item: Mention) -> bool:
    """Return whether a word means an amount by itself: 'produção', 'consumption'."""
    said = normalize(item.text)
    meant = {concept for concept, _ in domain_lexicon().concepts_at((stem(said),), 0)}
    meant.update(current_lexicon().field_meanings((stem(said),)))
    return bool(meant & _MASS)


def is_row(context: MentionContext, name: str) -> bool:
    """Return whether a column names or numbers the rows: 'Pedido', in a file of orders."""
    index = context.index
    if numbers_things(index, name):
        return False
    return index.wide is None and (
        index.is_identity(name) or index.is_row_number(name) or index.is_called_rows(name)
    )


@role_rule
def ranks_by_rows(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether groups are ranked by their number of rows: 'top 3 lojas por vendas'."""
    slots = context.slots
    ranks = any(each in SUPERLATIVES for each in slots.cues) or slots.has("sort")
    later = any(each.lemma in SUPERLATIVES for each in context.items[at + 1 :])
    return (
        (ranks or later)
        and bool(slots.targets or slots.bare)
        and not (slots.measures or slots.statistics or slots.nouns)
        and context.is_plural(item)
    )


def _names_age(context: MentionContext) -> bool:
    ages = context.index.concepts.get("age", ())
    return any(each.kind == "column" and each.column in ages for each in context.items)


def _compares_values(context: MentionContext) -> bool:
    """Return whether two values of a column are set against each other: 'A mais que B'."""
    named = [each for each in context.items if each.kind == "value"]
    return any(
        one.column == other.column and one.values != other.values
        for place, one in enumerate(named)
        for other in named[place + 1 :]
    )


def _is_grouped_moment(context: MentionContext, item: Mention | None) -> bool:
    """Return whether a mention is the column of moments that rows are grouped by last."""
    grouped = context.slots.groups[-1].column if context.slots.groups else ""
    is_last = item is not None and item.kind == "column" and item.column == grouped
    return is_last and context.index.is_moment(grouped)


@role_rule
def _take_grain(context: MentionContext, at: int, item: Mention) -> None:
    """Read a grain of time: what is grouped by, or what is counted or a unit."""
    grain = GRAIN_CUES[item.lemma]
    words = item.text.lower().split()
    says_by = len(words) > 1 or normalize(words[0]) in words_by_role("periodic")
    before = context.previous_cue(at)
    previous = context.previous(at)
    is_by = context.is_by or says_by or before in SUPERLATIVES or before in ("#which", "#trend")
    ranked = context.slots.number is not None and context.slots.order[-1:] == [
        ("number", previous.text if previous is not None else "")
    ]
    if previous is not None and previous.kind == "number" and ranked and not context.is_by:
        column = context.moment_column()
        if column is not None and grain not in ("", "hour"):
            context.slots.targets.append(Dimension(column, grain))  # 'os 5 dias com mais'
            context.slots.grains.append((grain, True))
            context.slots.order.append(("grain", grain))
            return
    if previous is not None and previous.kind == "number" and not says_by:
        context.slots.units.append(item.text)
        return
    if grain and not says_by and _is_grouped_moment(context, previous):
        context.slots.groups[-1] = replace(context.slots.groups[-1], grain=grain)
        return  # 'by report month'
    if any(each.kind == "elapsed" for each in context.items) and not (says_by or context.is_by):
        context.slots.grains.append((grain, False))  # 'dias da encomenda à entrega'
        return
    days = context.index.first_day, context.index.last_day
    is_month = len({each and each.replace(day=1) for each in days}) == 1
    is_whole = grain == "year" or (grain == "month" and is_month)  # all the data's days
    in_all = is_whole and context.word_before(at) in _IN_ALL
    if in_all and not (says_by or context.is_by) and before != "#which":
        context.slots.cost += 0.1  # 'que casa gastou mais no ano'
        return
    if before == "#count" and not (context.is_by or says_by):
        context.slots.grains.append((grain, False))
        context.slots.order.append(("grain", grain))
        return
    if context.word_before(at) in AND and context.slots.groups:
        is_by = True
    leads = at == 0 and any(each.lemma in SUPERLATIVES for each in context.items)
    is_by = is_by or (leads and not says_by)
    if (
        before == "#which"
        and not leads
        and SUPERLATIVES & {*context.slots.cues}
        and not context.is_by
    ):
        if (named := context.moment_column()) is not None:
            context.slots.outputs.append(named)
        return
    asked = (leads or before == "#which" or before in SUPERLATIVES) and not context.is_by
    context.slots.grains.append((grain, is_by))
    context.slots.order.append(("grain", grain))
    column = context.index.hour_column if grain == "hour" else context.moment_column()
    if is_by and column is not None:
        dimension = Dimension(column, grain)
        last = normalize(words[-1])
        context.slots.plural_of[column] = last.endswith("s") and len(last) > _LONGEST_SINGULAR
        (context.slots.targets if asked else context.slots.groups).append(dimension)
    elif is_by:
        context.slots.cost += UNBOUND
    elif not _is_unit_of_answer(context, at, grain):
        context.slots.cost += GUESSED if grain in ("hour", "day") else _UNHEEDED


def _is_unit_of_answer(context: MentionContext, at: int, grain: Grain) -> bool:
    """Return whether an answer is asked for in a unit of time: 'em dias'."""
    slots = context.slots
    is_told = bool(slots.measures or slots.statistics) and not slots.groups
    return is_told and at == len(context.items) - 1 and grain in ("hour", "day", "year")


@role_rule
def _take_weekday(context: MentionContext, item: Mention) -> None:
    """Select the rows of days of the week."""
    column = context.moment_column()
    if column is None:
        context.slots.cost += UNBOUND
        return
    days = WEEKDAY_NUMBERS[item.text]
    if context.is_negated:
        days = tuple(day for day in range(1, 8) if day not in days)
        context.is_negated = False
    for place, each in enumerate(context.slots.compared):
        if each.grain == "weekday" and each.column == column:
            before = (*each.values, *days)
            joined = [
                word.normalized for word in context.words[max(0, item.start - 2) : item.start]
            ]
            if joined[-1] in words_by_role("spanned") and joined[0] not in AND:
                first, last = int(each.values[-1]), days[0]  # 'de segunda a sexta'
                before = tuple(range(first, last + 1)) if first < last else before
            context.slots.compared[place] = Filter(column, before, grain="weekday")
            return
    context.slots.compared.append(Filter(column, days, grain="weekday"))
    context.slots.order.append(("filter", column))
    if context.shares and context.slots.first_filter and context.slots.has("part_of"):
        context.slots.first_filter = column  # 'que % dos NOK foi ao fim de semana?'


@role_rule
def _take_quantile(context: MentionContext, at: int) -> None:
    """Take the number beside a percentile for which one is meant: 'percentil 90'."""
    for place in (at - 1, at + 1):
        if 0 <= place < len(context.items) and context.items[place].kind == "number":
            number = context.items[place].number
            if 0 < number < 100:
                context.slots.quantile = number if number < 1 else number / 100
                context.used.add(place)
                return


@role_rule
def take_numbered(
    context: MentionContext, at: int, item: Mention, following: Mention | None
) -> bool:
    """Read a name with a number behind it as a value: 'linha 3', 'rack R12'."""
    if following is None or following.kind != "number" or context.items[at + 1] is not following:
        return False
    name = item.column
    if context.is_by or following.start > item.end + 1:
        return False
    text = context.words[following.start].text
    if context.index.is_measure(name) and context.index.is_year(following.number):
        return False
    profile = context.index.column(name)
    if context.index.is_number(name):
        if context.index.is_measure(name) and item.end != following.start:
            return False
        if context.previous_cue(at) == "#top":
            return False
        values: tuple[Value, ...] = (following.number,)
    else:
        known = [str(value) for value in profile.known]
        same = [value for value in known if value == text]
        numbered = same or [value for value in known if _number_in(value) == following.number]
        if not numbered or len(numbered) > 8:
            return False
        values = tuple(numbered)
        context.slots.cost += 0.0 if same or len(numbered) == 1 else 0.4
    context.add_filter(name, context.is_or_not(), *values)
    context.used.add(at + 1)
    more = at + 2
    while more < len(context.items):  # 'posições 2 e 4'
        other = context.items[more]
        if other.lemma in ("#again", "#compare"):
            more += 1
            continue
        is_joined = bool(context.before(more) & (AND | _side_by_side(context)))
        is_joined = is_joined or context.items[more - 1].lemma in ("#again", "#compare")
        if other.kind != "number" or not is_joined:
            break
        if context.index.is_number(name):
            context.add_filter(name, context.is_or_not(), other.number)
            context.used.add(more)
        more += 1
    return True


def _side_by_side(context: MentionContext) -> frozenset[str]:
    """Return the words that set one thing beside another, where that is asked for: 'with'."""
    compares = any(each.lemma == "#compare" for each in context.items)
    return words_by_role("versus") if compares else frozenset()


@role_rule
def take_number(context: MentionContext, at: int, item: Mention) -> None:
    """Give a number its role: how many are ranked, a value, a year, or none."""
    number = item.number
    slots = context.slots
    previous, following = context.previous(at), context.following(at)
    is_figure = item.text[:1].isdigit()
    if _take_ordinal(context, at, item) or _take_with_unit(context, at, item):
        return
    if is_figure and context.index.is_year(number) and number == int(number):
        slots.years.append(int(number))
        return
    before = previous.lemma if previous is not None else ""
    later = {each.lemma for each in context.items[at + 1 :]}
    is_zero = item.text.lower() in words_by_role("zero")
    if before == "#percentile" or (following is not None and following.lemma == "#percentile"):
        return
    countable = (
        following is not None
        and not is_zero
        and (following.kind in ("noun", "column") or following.lemma in _RANKED_GRAINS)
    )
    if number == int(number) and (
        before in SUPERLATIVES
        or before in ("#list", "#show", "#only")
        or (countable and (later & SUPERLATIVES or before in ("#which", "")))
        or (later & SUPERLATIVES and before != "#count")
    ):
        if slots.number is not None:
            slots.cost += UNBOUND
        said = normalize(previous.text) if previous is not None else ""
        if before in ("#most", "#least") and said in words_by_role("ranked_by"):
            slots.cost += 1.0  # 'mais de 12'
        slots.number = int(number)
        slots.order.append(("number", item.text))
        return
    if is_zero and (near := context.near_measure(at)) is not None:
        context.add_filter(context.items[near].column, context.is_or_not(), 0.0)
        context.used.add(near)
        if context.items[near].column in slots.measures:
            slots.measures.remove(context.items[near].column)
            slots.order.remove(("measure", context.items[near].column))
        return
    if not is_figure and number == 1:
        return  # 'um', 'one'
    column = context.last_column
    if column and context.index.is_number(column) and previous is not None:
        before_kind = previous.kind
        if before_kind == "column" and previous.column == column:
            context.add_filter(column, context.is_or_not(), number)
            if context.slots.counts_rows and context.slots.measures[-1:] == [column]:
                context.slots.measures.pop()  # 'quantas peças com espessura de 42'
            return
    slots.numbers_left.append(item.text)
    slots.cost += UNBOUND


@role_rule
def _take_with_unit(context: MentionContext, at: int, item: Mention) -> bool:
    """Read a number with the unit of a column as a value of it: 'nos 10 km'."""
    unit_ = context.items[at + 1] if at + 1 < len(context.items) else None
    if unit_ is None or unit_.start != item.end or not item.text[:1].isdigit():
        return False
    before = context.previous(at)
    own = unit(unit_.column).strip("()[] ").casefold() if unit_.kind == "column" else ""
    if unit_.kind == "unit":
        names = context.measures_in(unit_.text)
    else:
        names = (unit_.column,) if own and own == normalize(unit_.text) else ()
    if not names or (before is not None and before.column in names):
        return False
    if len(names) > 1:
        context.slots.cost += UNBOUND
        context.slots.numbers_left.append(item.text)
        return True
    if context.previous_cue(at) in (*SUPERLATIVES, "#which"):
        context.slots.cost += UNBOUND / 4  # 'maior que 1500 euros'
    context.add_filter(names[0], context.is_or_not(), item.number)
    context.used.add(at + 1)
    return True


@role_rule
def _take_ordinal(context: MentionContext, at: int, item: Mention) -> bool:
    """Read a number before a column's name as a value of it: '2º turno', 'primeiro turno'."""
    following = context.items[at + 1] if at + 1 < len(context.items) else None
    if following is None or following.kind != "column" or following.start > item.end:
        return False
    if context.index.is_number(following.column) or context.previous_cue(at) in SUPERLATIVES:
        return False
    if item.text.isdigit() and context.is_plural(following):
        return False  # 'os 3 turnos'
    is_id = context.index.roles.get(following.column) == "id"
    is_id |= context.index.is_identity(following.column)
    if is_id and (item.text.isdigit() or not item.text[:1].isdigit()):
        return False  # 'a primeira sessão' is not session 1, nor are 'as 3 NC' number 3
    known = map(str, context.index.column(following.column).known)
    numbered = [value for value in known if _number_in(value) == item.number]
    if len(numbered) != 1:
        return False
    context.add_filter(following.column, context.is_or_not(), numbered[0])
    context.used.add(at + 1)
    return True


def _number_in(value: str) -> float | None:
    digits = "".join(each if each.isdigit() else " " for each in value).split()
    return float(digits[0]) if len(digits) == 1 else None
