"""Columns of studies: parts, operators, subgroups, readings, limits and rejects by name."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dataset import numbered_alike
from qhub_desktop.core.table import Cell
from qhub_desktop.nlq.column_roles import is_limit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import is_rejected_amount, whole_of_amounts
from qhub_desktop.nlq.lexicon import role_pattern
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem, without_unit

# What parts and samples are numbered by, however such a number looks like an amount.
_COUNTED_THINGS = frozenset(["part", "sample", "subgroup", "operator", "test"])
_MEASURED_THINGS = frozenset(["part", "sample"])
_SUBGROUPS = frozenset(["subgroup", "sample"])
_LIMITS = {"lie": "lower", "lse": "upper", "alvo": "target"}
_LARGEST_SUBGROUP = 25
_MOST_OPINIONS = 1  # different values of a column that tells nothing apart
_MOST_GRADES = 10
_LIMIT_FIGURE = re.compile(r"[-+]?\d+(?:[.,]\d+)?")


def _meant(index: SchemaIndex, name: str) -> set[str]:
    return {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


def numbers_in_turn(index: SchemaIndex, name: str) -> bool:
    """Return whether a column numbers things 1, 2, 3 and so on: its mean would say nothing."""
    column = index.column(name)
    low, high = column.min, column.max
    if column.type != "integer" or not isinstance(low, int) or not isinstance(high, int):
        return False
    if low < 1 or high - low + 1 != column.distinct:
        return False
    is_of_things = not _COUNTED_THINGS.isdisjoint(_meant(index, name))
    return is_of_things or (low == 1 and not index.is_amount(name))


def readings(index: SchemaIndex) -> tuple[str, ...]:
    """Return the columns that hold what was measured: no numbers of things, and no limits."""
    return tuple(
        name
        for name in index.measures
        if not (is_limit(name) or is_specified(index, name) or numbers_in_turn(index, name))
    )


def is_specified(index: SchemaIndex, name: str) -> bool:
    """Return whether a column holds limits or targets, which are never what was measured."""
    if index.column(name).is_constant and is_limit(name):
        return True
    return any(_limit_name(role).fullmatch(_said(name)) for role in _LIMITS.values())


def is_of_trials(index: SchemaIndex, name: str) -> bool:
    """Return whether a column numbers the trials of each part."""
    column = index.column(name)
    return column.type == "integer" and column.distinct <= _MOST_GRADES and _called(name, "trial")


def gauge_columns(index: SchemaIndex) -> dict[str, str]:
    """Return the columns of parts ('peca') and operators ('operador'), where there is one each."""
    columns = _repeated(index)
    named = {
        "peca": [each for each in columns if not _MEASURED_THINGS.isdisjoint(_meant(index, each))],
        "operador": [each for each in columns if "operator" in _meant(index, each)],
    }
    return {field: names[0] for field, names in named.items() if len(names) == 1}


def _repeated(index: SchemaIndex) -> list[str]:
    """Return the columns of what was measured more than once, or who measured."""
    return [
        each.name
        for each in index.profile.columns
        if (not index.is_measure(each.name) or numbers_in_turn(index, each.name))
        and each.distinct < index.profile.rows
    ]


def likely_gauge_columns(index: SchemaIndex) -> dict[str, str]:
    """Return the columns of parts and operators of data that are known to be of a gauge study.

    What no name tells, the columns do that alone are left: the one with fewer names is of the
    operators.
    """
    found = gauge_columns(index)
    reference = reference_column(index)
    judged = None if reference is None else judged_column(index, [*found.values()])
    beside = [
        each
        for each in _repeated(index)
        if each not in (*found.values(), judged)
        and each not in (index.date_column, index.shift_column)
        and not _called(each, "trial", "reference")
        and index.column(each).distinct > _MOST_OPINIONS
    ]
    missing = [field for field in ("peca", "operador") if field not in found]
    if missing and len(beside) == len(missing):
        beside.sort(key=lambda name: index.column(name).distinct, reverse=True)
        found |= dict(zip(missing, beside, strict=True))
    return found


def reference_column(index: SchemaIndex) -> str | None:
    """Return the column of what a reading or a judgement should have been."""
    named = [each.name for each in index.profile.columns if _called(each.name, "reference")]
    return named[0] if len(named) == 1 else None


def judged_column(index: SchemaIndex, taken: Sequence[str]) -> str | None:
    """Return the column of judgements: of few values, those of the reference where there is one."""
    reference = reference_column(index)
    columns = [
        each
        for each in index.profile.columns
        if each.name not in (*taken, reference)
        and 2 <= each.distinct <= _MOST_GRADES
        and not _called(each.name, "trial")
    ]
    if reference is not None:
        right = {*index.column(reference).known}
        columns = [each for each in columns if right & {*each.known}] or columns
    kinds = [each.name for each in columns if not index.is_number(each.name)]
    names = kinds or [each.name for each in columns]
    return names[0] if len(names) == 1 else None


def readings_in_columns(index: SchemaIndex) -> tuple[str, ...]:
    """Return the columns of a subgroup's readings, where each row is one: x1, x2, x3."""
    numbers = [each.name for each in index.profile.columns if index.is_number(each.name)]
    found = numbered_alike(numbers)
    others = [
        each
        for each in numbers
        if each not in found
        and index.column(each).type == "number"
        and not index.column(each).is_constant
    ]
    return () if others else found


def inspected_column(index: SchemaIndex, part: str) -> str | None:
    """Return the column of what was inspected, made or checked, beside a count of some of it."""
    whole = whole_of_amounts(index, part)
    if whole is not None:
        return whole
    most = index.column(part).max
    if not isinstance(most, int | float):
        return None
    named = [
        each.name
        for each in index.profile.columns
        if each.name != part
        and each.type == "integer"
        and isinstance(each.max, int)
        and each.max >= most
        and _called(each.name, "inspected")
    ]
    return named[0] if len(named) == 1 else None


def is_of_defects(index: SchemaIndex, name: str) -> bool:
    """Return whether a column counts defects, of which a part may have several."""
    return index.column(name).type == "integer" and _called(name, "defects")


def column_named(index: SchemaIndex, text: str, of: Sequence[str] | None = None) -> str | None:
    """Return the column that a text names first, in the plural too; the longest name of several."""
    said = f" {_stems(text)} "
    columns = [each.name for each in index.profile.columns] if of is None else of
    names = [(_stems(without_unit(each)), each) for each in columns]
    found = [(said.find(f" {name} "), -len(name), each) for name, each in names if name]
    placed = sorted(each for each in found if each[0] >= 0)
    return placed[0][2] if placed else None


def numbers_named(index: SchemaIndex, text: str) -> list[str]:
    """Return the columns of numbers whose whole names stand in a text, in its order."""
    said = f" {_stems(text)} "
    names = [
        (f" {_stems(without_unit(each.name))} ", each.name)
        for each in index.profile.columns
        if index.is_number(each.name)
    ]
    placed = [(said.find(name), name, own) for name, own in names if name.strip() and name in said]
    return [
        own
        for _at, name, own in sorted(placed)
        if not any(name != other and name in other for _other, other, _own in placed)
    ]


def _stems(text: str) -> str:
    return " ".join(stem(word) for word in re.findall(r"[^\W_]+", normalize(text)))


def _called(name: str, *roles: str) -> bool:
    """Return whether a column's name has a word of some roles: 'ref', 'inspecionadas', 'n'."""
    return _name_with(roles).search(_said(name).replace("_", " ")) is not None


@cache
def _name_with(roles: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){role_pattern('study_columns', *roles)}(?!\w)")


def trials(index: SchemaIndex) -> tuple[str, ...]:
    """Return the columns of the trials, where a table has one for each beside two others."""
    columns = [each.name for each in index.profile.columns]
    found = numbered_alike([each for each in columns if index.is_number(each)])
    return found if len(columns) == len(found) + 2 else ()


def subgroup_column(index: SchemaIndex) -> tuple[str, float] | None:
    """Return the column that says which readings were taken together, and how many these are."""
    for column in index.profile.columns:
        size = index.profile.rows / max(column.distinct, 1)
        if (
            column.distinct > 1
            and 2 <= size <= _LARGEST_SUBGROUP
            and not _SUBGROUPS.isdisjoint(_meant(index, column.name))
        ):
            return column.name, size
    return None


def unused_of_yield(index: SchemaIndex, given: Mapping[str, object]) -> str | None:
    """Return a column that a yield turns on and is not computed with.

    Those are units that were good the first time beside those that came in, of which defective
    ones are the rest, and opportunities that differ from row to row.
    """
    good = [each for each in index.measures if _called(each, "first_pass")]
    if len(good) == 1 and inspected_column(index, good[0]) is not None:
        return good[0]
    chances = [each for each in index.measures if _called(each, "opportunities")]
    return chances[0] if chances and "oportunidades" not in given else None


def rejected_column(index: SchemaIndex) -> str | None:
    """Return the column of rejected parts, where another says of how many."""
    told = next((each for each in index.measures if is_rejected_amount(index, each)), None)
    if told is not None:
        return told
    named = [
        each
        for each in index.measures
        if _called(each, "rejected") and inspected_column(index, each) is not None
    ]
    return named[0] if len(named) == 1 else None


def limits(index: SchemaIndex, column: str) -> dict[str, float]:
    """Return the specification ('lie', 'lse', 'alvo') of a column, as columns or facts tell it.

    A column tells it where every row has the same limit; a fact may name the column behind it.
    """
    own = f" {_said(column)}"
    report = index.profile.report
    told: list[tuple[str, Cell]] = [
        (each.name, each.min)
        for each in index.profile.columns
        if each.is_constant and index.is_number(each.name)
    ]
    told += report.facts if report is not None else ()
    found: dict[str, float] = {}
    for field, role in _LIMITS.items():
        called = _limit_name(role)
        named = ((_said(name).removesuffix(own), value) for name, value in told)
        values = {_number(value) for name, value in named if called.fullmatch(name)}
        if len(values) == 1 and (value := values.pop()) is not None:
            found[field] = value
    low, high = found.get("lie"), found.get("lse")
    is_upside_down = low is not None and high is not None and low >= high
    return {} if is_upside_down else found


def fitting_study(index: SchemaIndex) -> str:
    """Return the tool of the study that a data set was most likely made for."""
    if trials(index) or (len(gauge_columns(index)) == 2 and readings(index)):
        return "estudo_rr"
    told = limits(index, measured[0]) if (measured := readings(index)) else {}
    is_specified = "lie" in told or "lse" in told
    return "capacidade" if is_specified and rejected_column(index) is None else "carta_controlo"


def study_input(tool: str, index: SchemaIndex) -> dict[str, Json]:
    """Return the input of a study's tool that the columns suggest."""
    measured = () if index.is_of_defects else readings(index)
    given: dict[str, Json] = {"coluna": measured[0]} if measured else {}
    rejected = rejected_column(index)
    whole = None if rejected is None else whole_of_amounts(index, rejected)
    subgroup = subgroup_column(index)
    groups: dict[str, Json] = {} if subgroup is None else {"subgrupo": subgroup[0]}
    match tool:
        case "estudo_rr":
            return {} if trials(index) else {**given, **gauge_columns(index)}
        case "carta_controlo" if rejected is not None and whole is not None:
            return {"tipo": "p", "coluna": rejected, "volume": whole}
        case "rendimento":
            return {} if whole is None else {"defeituosas": rejected, "volume": whole}
        case "carta_controlo":
            return {**given, **groups} if measured else {}
        case "capacidade":
            return {**given, **groups, **(limits(index, measured[0]) if measured else {})}
        case "teste_hipotese":
            return {**given, **({"por": index.categories[0]} if index.categories else {})}
        case _:
            return {}


@cache
def _limit_name(role: str) -> re.Pattern[str]:
    return re.compile(role_pattern("study_words", role))


def _said(name: str) -> str:
    return normalize(without_unit(name)).strip()


def _number(value: Cell) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    found = _LIMIT_FIGURE.match(str(value).strip())
    return None if found is None else float(found[0].replace(",", "."))
