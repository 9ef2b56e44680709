"""Column roles: what the columns of a data set are for, roots of their names, the plant's words."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import word_table, words_of
from qhub_desktop.nlq.domain_lexicon import GLUED_NUMBERINGS, Phrase, domain_lexicon
from qhub_desktop.nlq.query_ast import Value
from qhub_desktop.nlq.tokenizer import (
    normalize,
    root,
    stem,
    tokenize,
    unit,
    unit_behind,
    without_unit,
)

_PARTIAL = frozenset(["freight", "tax", "vat", "discount", "fee", "tip", "surcharge", "commission"])
_IDENTIFIERS = frozenset(
    ["order", "code", "id", "n", "batch"]
)  # numbers that identify, and are not measured
_AIMS = frozenset(["target", "planned", "plan", "actual_value", "limit"])  # never numbers of rows
_SAYING_TYPE = frozenset(["type", "category", "status"])
_ORDERS_AND_BATCHES = frozenset(["order", "batch"])  # of which amounts may be told, too
_NUMBERINGS = (("id",), ("n",), ("no",), ("nr",))
Role = Literal["amount", "level", "id", "code", "flag", "moment", "name"]
_SHARED, _FEWEST_SHARING = 0.7, 3  # of a column's values begin with a word that tells none apart
_TIMES = frozenset(["#grain_hour", "#grain_day", "minute"])  # numbers of hours and minutes
_LEAST_LETTERS = 3  # of a name that may be written in several ways
_NUMERIC = ("amount", "level")  # kinds of concepts
# The words of a name that say a statistic, and what they mean in any language.
_STATISTICS = {"mean": "average", "min": "minimum", "max": "maximum"}
_MIN_AND_MAX = ("min", "max")
# What numbers are called by rather than measured: 'Material 10004711'.
_THINGS = frozenset(
    [
        *(
            "material",
            "product",
            "customer",
            "supplier",
            "machine",
            "operator",
            "employee",
            "plant",
        ),
        *(
            "warehouse",
            "invoice",
            "line",
            "station",
            "document",
            "article",
            "account",
            "department",
        ),
        *(
            "centre",
            "cost_centre",
            "user",
            "student",
            "patient",
            "vehicle",
            "route",
            "store",
            "asset",
        ),
        *("receipt", "ticket", "member", "policy", "insurance_claim", "case_number", "waybill"),
    ]
)
# What few of are told apart by small numbers, too: 'Turno 2'.
_NUMBERED_THINGS = _THINGS - {"material", "product", "receipt", "policy"} | {"shift"}
# Words that say that something is numbered, not what.
_NUMBERS = frozenset(["number", "id", "reference_number"])
# Plurals that measure something else, or are taught.
_NOT_COUNTED = frozenset(
    [
        *("day", "week", "month", "year", "hour", "minute", "second", "time", "length", "distance"),
        *("weight", "volume", "power", "voltage", "language", "science", "portugal", "france"),
        "united_kingdom",
    ]
)
# Concepts of numbers by which others are measured: what these should be, may be, are to be.
LIMITING = frozenset(
    [
        *("target", "planned", "plan", "budget", "limit", "nominal", "lower_limit", "upper_limit"),
        *("safety_stock", "maximum_stock", "reorder_level", "tolerance", "upper_tolerance"),
        *("lower_tolerance", "specification", "forecast", "planned_quantity"),
    ]
)
# Concepts of a column whose numbers mean what another column of their row names, and of that one.
_RESULTS = frozenset(["result", "value", "measurement", "reading"])
_MEASURED = frozenset(["parameter", "characteristic", "test", "analyte", "indicator"])
_MOST_MEASURED = 60
# Words that only say of what kind a column is.
_NAMING = frozenset(["number", "code", "id", "reference_number"])
_COUNTING = frozenset(["number", "count", "quantity"])
_DATING = frozenset(["date"])
_LASTING = frozenset(["time", "duration", "minute", "hours"])
SHARING = frozenset(["percentage", "share", "rate", "percent"])
PAYING = frozenset(["value", "amount"])
_LAST_HOUR = 24
_SHORTEST_PLURAL, _LAST_YEAR = 4, 2199  # letters; a year of the calendar
_NUMBER_OF = frozenset(words_of("files", "number_of"))
NUMBERED_BY = frozenset(words_of("files", "numbered_by"))
_VALUE_PER_UNIT = 2  # words of such a name: 'VL_LT (R$)'
_SOLD_BY = frozenset(["volume", "weight", "length", "distance", "area", "energy"])
_ADDED_UP = _SOLD_BY - {"length", "area"}
_PER_UNIT = re.compile(r"[^\W\d_]{0,4}[€$£%°]?/[^\W\d_]{1,5}[²³23]?")
_OWN_RATE = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?) ?%")  # 'HE 50%'
_PER_HUNDRED = re.compile(r"/ ?10+ ?\w")  # 'Defeitos/100m'
_CONFORMITY = frozenset(words_of("files", "conformity_names"))
YES_NO: dict[str, bool] = word_table("yes_no_words")
_LEAST_NUMBER = 100_000  # by which things are called, however many there are: work orders
_LEAST_CODE, _MOST_CODES = 100, 60  # few numbers from so many on name things: plants, movements
_STEP = 10  # by which the items of a document are numbered
ROWS_PER_CODE = 20
_ROWS_PER_THING = 3  # of things that are told apart by small numbers
FIRST = 3  # columns among which numbers that are all different number the rows


def role_of(
    column: ColumnProfile,
    place: int,
    lemmas: Phrase,
    meant: Collection[str],
    rows: int,
    *,
    levels: Collection[str],
    amounts: Collection[str],
    heads: Collection[str] = (),
) -> Role:
    """Return what the cells of a column are for; `meant` are the concepts that its name names.

    `levels` are the concepts whose numbers are averaged, `amounts` those that are added up, `heads`
    the words that stand over several columns, which tell nothing of one.
    """
    if rate_in_name(column.name):
        meant = {*meant} - SHARING or meant  # 'HE 50%' are hours, and no percentage
    said = {*lemmas, *meant}
    kinds = {domain_lexicon().kind(concept) for concept in meant}
    match column.type:
        case "boolean":
            return "flag"
        case "date" | "datetime" | "time":
            return "moment"
        case "integer" | "number":
            pass
        case _:
            return "name"
    low, high = column.min, column.max
    if _counts_things(column, rows):
        return "amount"
    if column.type == "integer" and (_numbers_things(column, rows) or _says_kinds(column, meant)):
        return "code"
    is_whole = column.type == "integer"
    is_measured = not {"amount", "level"}.isdisjoint(kinds) or "#total" in lemmas
    if lemmas in _NUMBERINGS or (lemmas and lemmas[-1] in _IDENTIFIERS):
        return "id"
    if (
        lemmas
        and lemmas[0] in _IDENTIFIERS
        and not (is_measured and lemmas[0] in _ORDERS_AND_BATCHES)
    ):
        return "id"  # none of 'orderTotal' and 'Batch Qty'
    if is_whole and column.distinct == 2 and (low, high) == (0, 1):
        return "flag"
    if _is_per_unit(column):
        return "level"
    if is_whole and _tells_years(column, meant):
        return "code"
    if is_whole and _is_clock(column, lemmas, heads):
        return "code"
    if _TIMES & {*lemmas} and "level" not in kinds:
        return "amount"
    if not said.isdisjoint(levels) or "level" in kinds:
        is_added = _is_fee(column, meant) or "lost" in said  # 'pontos perdidos'
        return "amount" if is_added else "level"
    if is_whole and _names_things(column, meant, kinds):
        return "code"
    if not said.isdisjoint(amounts) or "amount" in kinds or _names_unit(column):
        return "amount"
    if is_whole and {each for each in meant if domain_lexicon().kind(each) == "id"} - _NUMBERS:
        return "code"
    if is_whole and _is_plural_count(column, heads):
        return "amount"
    is_all_different = is_whole and column.distinct == rows > ROWS_PER_CODE and place < FIRST
    if is_all_different and _AIMS.isdisjoint(said):
        return "id"
    if is_whole and _numbers_few(column, said, rows):
        return "code"
    most = rows if isinstance(low, int) and low >= _LEAST_NUMBER else _MOST_CODES
    is_few = column.distinct <= min(most, rows / ROWS_PER_CODE)
    is_limiting = not LIMITING.isdisjoint(meant)  # the same target in every row is one
    if is_whole and is_few and not is_limiting and isinstance(low, int) and isinstance(high, int):
        return "code" if low >= _LEAST_CODE and high < 2 * low else "level"
    return "level"


def rate_in_name(name: str) -> str:
    """Return the per cents by which a column is called, '' if it is not: '50', of 'HE 50%'."""
    return next(iter(_OWN_RATE.findall(name)), "")


def _names_unit(column: ColumnProfile) -> bool:
    """Return whether a name of several words begins or ends with a unit: 'LT_DIESEL', 'fuel kg'."""
    said = f"{without_unit(column.name)} {unit_behind(column.name)}"
    words = [each.normalized for each in tokenize(said)]
    edges = {*words[:1], *words[-1:]} if len(words) > 1 else set()
    return any(
        len(each) > 1 and domain_lexicon().concept_of_unit(each) in _ADDED_UP for each in edges
    )


def _is_per_unit(column: ColumnProfile) -> bool:
    """Return whether a column holds so much per one of something: '€/L', 'Tarifa (€/h)'."""
    if column.type == "integer":
        return False  # 'Peças/dia', which are counted
    if _PER_HUNDRED.search(column.name):
        return True
    said = (column.name.strip(), unit(column.name).strip("()[] "))
    is_priced = "/" in column.name and bool(priced_unit(column.name))  # 'Pfand/Stk (EUR)'
    return is_priced or any(_PER_UNIT.fullmatch(each) for each in said)


def _tells_years(column: ColumnProfile, meant: Collection[str]) -> bool:
    """Return whether whole numbers are years of the calendar: 'YearBuilt', 'Ano de fabrico'."""
    low, high = column.min, column.max
    return (
        "year" in meant
        and isinstance(low, int)
        and isinstance(high, int)
        and 1000 <= low <= high <= _LAST_YEAR
    )


def _is_fee(column: ColumnProfile, meant: Collection[str]) -> bool:
    """Return whether what is called a rate is an amount of money: 'Taxa (€)'."""
    levels = {each for each in meant if domain_lexicon().kind(each) == "level"}
    own = normalize(unit(column.name).strip("()[] "))
    return levels == {"rate"} and own in words_of("files", "currency_units")


def words_over_several(names: Sequence[str]) -> frozenset[str]:
    """Return the first words of names that stand over several columns, as in a head of two rows.

    So 'Dados', of 'Dados Máquina', 'Dados Hora' and 'Dados Turno'; not what is measured or counted.
    """
    said = [[word.normalized for word in tokenize(name)] for name in names]
    times = Counter(words[0] for words in said if len(words) > 1)
    kinds = domain_lexicon().kind
    return frozenset(
        word
        for word, count in times.items()
        if count >= _FEWEST_SHARING
        and {kinds(each) for each in domain_lexicon().concepts_of_name(word)}.isdisjoint(_NUMERIC)
    )


def _is_plural_count(column: ColumnProfile, heads: Collection[str]) -> bool:
    """Return whether whole numbers say how many there were of what is named: 'support_calls'.

    The word that is counted comes first or last; units and subjects that are taught are not.
    """
    if not isinstance(column.min, int) or column.min < 0 or unit(column.name):
        return False
    words = [word for word in tokenize(column.name) if word.normalized.isalpha()]
    words = words[words[0].normalized in heads :] if words else words
    return any(_is_counted(word.text) for word in (*words[:1], *words[-1:]))


def _is_counted(text: str) -> bool:
    said = normalize(text)
    if text.isupper() or len(said) < _SHORTEST_PLURAL or not said.endswith("s"):
        return False
    if stem(said) == said or said.endswith("ics") or text[-2:-1] != said[-2:-1]:
        return False  # 'status', 'physics', 'Inglês'
    meant = domain_lexicon().concepts_of_name(said)
    return not _NOT_COUNTED & {*meant, domain_lexicon().concept_of_unit(said)}


def is_partial(name: str) -> bool:
    """Return whether an amount is only added to others, or taken off: postage, taxes, discounts."""
    return not _PARTIAL.isdisjoint(domain_lexicon().concepts_of_name(name))


def priced_unit(name: str) -> str:
    """Return the concept of that of which a column tells the price, '' if it tells none.

    So of '€/L', and of 'VL_LT (R$)', where an amount of money is said beside another unit.
    """
    own, currencies = without_unit(name).strip(), words_of("files", "currency_units")
    in_money = normalize(unit(name).strip("()[] ")) in currencies
    for said in (name.strip(), unit(name).strip("()[] "), own):
        money, slash, per = said.partition("/")
        is_money = normalize(money) in currencies or (in_money and said == own)
        if slash and (is_money or "price" in domain_lexicon().concepts_of_name(money)):
            meant = domain_lexicon().concepts_of_name(per)
            return domain_lexicon().concept_of_unit(per) or next(iter(meant), "")
    words = tokenize(without_unit(name)) if in_money else ()
    is_pair = len(words) == _VALUE_PER_UNIT
    sold_by = domain_lexicon().concept_of_unit(words[-1].normalized) if is_pair else ""
    return sold_by if sold_by in _SOLD_BY else ""


def words_beside(column: ColumnProfile, role: Role) -> frozenset[str]:
    """Return the concepts of words that only say of what kind a column is: 'número', of a code."""
    own = domain_lexicon().concept_of_unit(unit(column.name))
    match role:
        case "moment":
            return _DATING
        case "name":
            return _NAMING | {"name"}
        case "id" | "code":
            return _NAMING
        case "amount" if own in _LASTING:
            return _LASTING
        case "amount" if own:
            return PAYING
        case "amount" if column.type == "integer":
            return _COUNTING
        case "level" if "%" in column.name:
            return SHARING
        case _:
            return frozenset()


def limiting_words(words: Sequence[str]) -> frozenset[int]:
    """Return the places of words of a name that say that its numbers limit or plan something.

    Without them it would be another name: 'min', of 'min stock'; 'target', of 'target thickness'.
    """
    meant = domain_lexicon().concepts_of_name
    if LIMITING.isdisjoint(meant(" ".join(words))):
        return frozenset()
    needed = [
        place
        for place in range(len(words))
        if LIMITING.isdisjoint(meant(" ".join((*words[:place], *words[place + 1 :]))))
    ]
    edges = [each for each in needed if words[each] in words_of("words", "extreme_value")]
    return frozenset(edges or needed)


@lru_cache(maxsize=4096)
def is_limit(name: str) -> bool:
    """Return whether a name is that of what others are measured by: 'Target', 'min stock'."""
    return not LIMITING.isdisjoint(domain_lexicon().concepts_of_name(name))


def named_by(name: str, meant: tuple[str, ...]) -> tuple[str, ...]:
    """Return the concepts of a column's name by which it is called.

    What a limit is a number of is no name of it: 'thickness' names no 'LSL_um'.
    """
    if not is_limit(name) or not unit(name):
        return meant
    bare = without_unit(name.removesuffix(f"_{name.rpartition('_')[2]}") if "_" in name else name)
    kept = domain_lexicon().concepts_of_name(bare)
    return tuple(each for each in meant if each in kept or each in LIMITING)


def measured_first(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns without those of limits and plans, if others are left."""
    given = tuple(names)
    return tuple(name for name in given if not is_limit(name)) or given


def unless_limits(
    names: Iterable[str], said: Iterable[str], others: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the names of columns that words name, without limits and plans if none is said.

    `others` mean what the words say, and take their place if no other name is left.
    """
    given = tuple(names)
    edges = words_of("words", "extreme_value")
    if not any(map(is_limit, given)) or any(is_limit(each) or each in edges for each in said):
        return given
    rest = [name for name in (*given, *others) if not is_limit(name)]
    return tuple(dict.fromkeys(rest)) or given


@lru_cache(maxsize=4096)
def _statistic_in(name: str) -> tuple[tuple[str, ...], str]:
    """Return the words of a name without that of a statistic, and which that is: 'Esp', 'mean'."""
    words = [word.normalized for word in tokenize(without_unit(name))]
    if len(words) > 1:
        for place, word in enumerate(words):
            if statistic := statistic_said(word):
                return (*words[:place], *words[place + 1 :]), statistic
    return tuple(words), ""


@lru_cache(maxsize=4096)
def statistic_said(word: str) -> str:
    """Return the statistic that a word says: 'mean', 'min', 'max', '' for none."""
    meant = domain_lexicon().concepts_of_name(word)
    for statistic, concept in _STATISTICS.items():
        if concept in meant or word in words_of("words", f"{statistic}_value"):
            return statistic
    return ""


def by_statistic(
    names: Iterable[str], columns: Iterable[str], own: Sequence[str], said: Iterable[str]
) -> tuple[str, ...]:
    """Return the names of columns, of those with a statistic of one thing the one that is meant.

    Beside the least, the mean and the most of something ('EspMín', 'EspMéd') it is the one whose
    statistic is `said`, else the mean, else that without any. `own` are the words that name it,
    which may say it themselves.
    """
    written, stated = {"".join(own), *own}, {*map(statistic_said, said)}
    families: dict[tuple[str, ...], dict[str, str]] = {}
    for column in columns:
        base, statistic = _statistic_in(column)
        families.setdefault(base, {}).setdefault(statistic, column)
    made = []
    for name in names:
        base, statistic = _statistic_in(name)
        family = families[base] if name in families.get(base, {}).values() else {}
        is_named = normalize(without_unit(name)) in written or any(map(statistic_said, own))
        wanted = [*(each for each in _MIN_AND_MAX if each in stated), "mean", ""]
        is_one_of = len(family) > 1 and not is_named
        made.append(next((family[each] for each in wanted if is_one_of and each in family), name))
    return tuple(dict.fromkeys(made))


def is_grouping(column: ColumnProfile) -> bool:
    """Return whether a column has few enough values to group rows by."""
    return column.type in ("category", "boolean") or (
        column.type in ("text", "time") and 1 < column.distinct <= 50
    )


def _counts_things(column: ColumnProfile, rows: int) -> bool:
    """Return whether a column says how many of something there were: 'N.º pessoas'."""
    words = [word.normalized for word in tokenize(without_unit(column.name))]
    if len(words) < 2 or words[0] not in _NUMBER_OF:
        return False
    is_few = (
        column.distinct < rows / 3 and isinstance(column.max, int) and column.max < _LEAST_CODE * 10
    )
    return words[-1].endswith("s") and is_few


def _numbers_things(column: ColumnProfile, rows: int) -> bool:
    """Return whether whole numbers say which one a thing is: 'Nº Encomenda', 'NumTalao'.

    They are too many to be counts, and what they number is named in the singular.
    """
    words = [word.normalized for word in tokenize(without_unit(column.name))]
    if words and words[-1].endswith(GLUED_NUMBERINGS) and words[-1] not in NUMBERED_BY:
        return True  # 'Artikelnr.'
    if len(words) < 2:
        return False
    is_cut = column.name.endswith(".") and column.distinct == rows  # 'Nº Cons.'
    if words[-1].endswith("s") and not is_cut:
        return False
    if words[-1] in NUMBERED_BY:
        return True  # 'charge_no'
    if words[0] not in _NUMBER_OF or column.min == 0:
        return False
    if "quantity" in domain_lexicon().concepts_of_name(words[0]):
        return False  # 'Qtd. NC'
    return column.distinct > min(_MOST_CODES, rows / ROWS_PER_CODE)


def _says_kinds(column: ColumnProfile, meant: Collection[str]) -> bool:
    """Return whether whole numbers say which kind, place or account it is: 'BwArt', 'Pos'."""
    low, high, distinct = column.min, column.max, column.distinct
    if not isinstance(low, int) or not isinstance(high, int) or distinct < 2:
        return False
    if "type" in meant or "cost_centre" in meant:
        return low >= _LEAST_CODE and distinct <= _MOST_CODES
    return "position" in meant and low == _STEP and high == _STEP * distinct


def is_number_of(name: str) -> bool:
    """Return whether a name says how many of something there were: 'Nr.Par', 'Qtd Paragens'."""
    words = [word.normalized for word in tokenize(without_unit(name))]
    if len(words) < 2:
        return False
    meant = {"number", "quantity"} & {*domain_lexicon().concepts_of_name(words[0])}
    return bool(meant) or words[0] in _NUMBER_OF


@lru_cache(maxsize=4096)
def _typed(name: str) -> frozenset[str]:
    """Return the concepts of that of which a column tells the type: rooms, of 'Tipo Hab.'."""
    words = [word.normalized for word in tokenize(without_unit(name))]
    meant = [{*domain_lexicon().concepts_of_name(word)} for word in words]
    is_typed = len(words) > 1 and any(_SAYING_TYPE & each for each in meant)
    return frozenset().union(*(each for each in meant if is_typed and not _SAYING_TYPE & each))


def is_type_of(name: str, meant: Collection[str]) -> bool:
    """Return whether a column tells only the type or the state of what a word means."""
    return not _typed(name).isdisjoint(meant)


def _names_things(column: ColumnProfile, meant: Collection[str], kinds: Collection[str]) -> bool:
    """Return whether whole numbers name things, by their column's name and their size."""
    low = column.min
    is_large = isinstance(low, int) and low >= _LEAST_CODE
    return is_large and bool(_THINGS & {*meant}) and not {"amount", "level"} & {*kinds}


def _numbers_few(column: ColumnProfile, said: Collection[str], rows: int) -> bool:
    """Return whether whole numbers say which of a few things is meant: shift 1, 2 or 3."""
    low, high = column.min, column.max
    is_small = isinstance(low, int) and isinstance(high, int) and 0 <= low <= high < _LEAST_CODE
    is_few = 1 < column.distinct <= rows / _ROWS_PER_THING
    return is_small and is_few and not _NUMBERED_THINGS.isdisjoint(said)


def _is_clock(column: ColumnProfile, lemmas: Phrase, heads: Collection[str]) -> bool:
    """Return whether whole numbers are the hour of the day: 'Hora', from 0 to 23."""
    low, high = column.min, column.max
    is_hour = isinstance(low, int) and isinstance(high, int) and 0 <= low < high <= _LAST_HOUR
    first, _, rest = normalize(column.name).partition(" ")
    is_headed = bool(rest) and first in heads
    name = rest if is_headed else normalize(column.name)
    return is_hour and lemmas[is_headed:] == ("#grain_hour",) and name == stem(name)


def has_no(column: ColumnProfile) -> bool:
    """Return whether a column writes no for what is not so, beside others: 'Não', 'n.a.'."""
    said = (normalize(str(each)) for each in column.known)
    return any(YES_NO.get(each) is False for each in said)


def flag_values(column: ColumnProfile) -> tuple[Value, Value] | None:
    """Return what a column writes for yes and for no, None if it says neither."""
    if column.type == "boolean":
        return True, False
    is_number = column.type in ("integer", "number")
    if is_number and column.distinct == 2 and (column.min, column.max) == (0, 1):
        return 1.0, 0.0
    if column.type in ("category", "text") and 0 < column.distinct <= 3:
        texts = {normalize(str(value)): str(value) for value in column.known}
        yes = [said for each, said in texts.items() if YES_NO.get(each) is True]
        no = [said for each, said in texts.items() if YES_NO.get(each) is False]
        if len(yes) == 1 and len(no) <= 1 and len(texts) == len(yes) + len(no):
            return yes[0], (no[0] if no else "")
        named = {word.normalized for word in tokenize(column.name)}
        for good, bad in words_of("files", "conformity") if named & _CONFORMITY else ():
            if texts.keys() == {good, bad}:
                return texts[good], texts[bad]
    return None


def roots_of(profile: DatasetProfile) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Return the columns by the roots of their names' words, and whether these had endings."""
    found: dict[str, tuple[tuple[str, bool], ...]] = {}
    for column in profile.columns:
        for word in tokenize(without_unit(column.name)):
            if word.normalized.isalpha():
                own, has_ending = root(word.normalized)
                found[own] = (*found.get(own, ()), (column.name, has_ending))
    return found


def meanings_of(profile: DatasetProfile) -> dict[str, dict[str, str]]:
    """Return, by column, what values are called here: the plant's words for the file's, and the
    usual spelling of a name that is written in several ways.
    """
    mapping = profile.defects
    found = {}
    for column in profile.columns:
        own = mapping.meanings(mapping.field(column.name) or "") if mapping is not None else {}
        if meanings := {**_spellings(column), **own}:
            found[column.name] = meanings
    return found


def _spellings(column: ColumnProfile) -> dict[str, str]:
    """Return each way in which a name is written in a column, with the most frequent one.

    They differ in capitals, accents and blanks alone: 'Injeção', 'INJECAO', ' Injeção'.
    """
    if column.type not in ("text", "category"):
        return {}
    ways: dict[str, list[str]] = {}
    for value in column.known:
        folded = " ".join(normalize(str(value)).split())
        if sum(map(str.isalpha, folded)) >= _LEAST_LETTERS:  # 'a' and 'A' may be two codes
            ways.setdefault(folded, []).append(str(value))
    counts = {str(value): count for value, count in column.top}
    found = {}
    for written in ways.values():
        usual = max(
            written, key=lambda way: (counts.get(way, 0), not (way.isupper() or way.islower()))
        )
        if len(written) > 1:
            found.update({way.strip(): usual.strip() for way in written})
    return found


def with_meanings(
    profile: DatasetProfile, meanings: Mapping[str, Mapping[str, str]]
) -> DatasetProfile:
    """Translate values to what they are called here, and merge their counts."""
    if not meanings:
        return profile
    columns = tuple(_translated(each, meanings.get(each.name, {})) for each in profile.columns)
    return replace(profile, columns=columns)


def _translated(column: ColumnProfile, meanings: Mapping[str, str]) -> ColumnProfile:
    if not meanings or column.type not in ("text", "category"):
        return column
    counts: Counter[Cell] = Counter()
    for word, count in column.top:
        counts[meanings.get(str(word).strip(), word)] += count
    values = sorted({meanings.get(word.strip(), word) for word in column.values})
    merged = {meanings.get(str(word).strip(), word) for word in column.known}
    return replace(
        column,
        top=tuple(counts.most_common()),
        distinct=column.distinct - len(column.known) + len(merged),
        values=tuple(values),
    )


def own_words(profile: DatasetProfile) -> Iterator[tuple[str, str, str]]:
    """Return the file's own words for what the plant calls otherwise, each with its column."""
    for each, word, meaning in profile.defects.words if profile.defects else ():
        column = profile.defect_column(each)
        if column is not None and word != meaning:
            yield column, word, meaning


def shared_first_words(values: Sequence[str]) -> frozenset[str]:
    """Return the word with which most values of a column begin, a title before names: 'Eng.'."""
    firsts = [words[0].normalized for value in values if len(words := tokenize(value)) > 1]
    numbered = any(word.normalized.isdigit() for value in values for word in tokenize(value)[1:])
    if len(firsts) < _FEWEST_SHARING or numbered:
        return frozenset()
    return frozenset(
        word for word in {*firsts} if word.isalpha() and firsts.count(word) >= _SHARED * len(values)
    )


def results_of(
    profile: DatasetProfile, meant: Mapping[str, Collection[str]], measures: Collection[str]
) -> tuple[str, str] | None:
    """Return the column that names what is measured and the one of its results, else None.

    In such a table a row is one result: 'Parâmetro' is 'pH', 'Resultado' is 6.4. The columns are
    known by what their headers mean.
    """
    found = [name for name in measures if _RESULTS & set(meant[name]) - LIMITING]
    named = [
        each.name
        for each in profile.columns
        if each.type in ("text", "category")
        and 1 < each.distinct <= _MOST_MEASURED
        and _MEASURED & set(meant[each.name])
    ]
    return (named[0], found[0]) if len(found) == 1 and named else None
