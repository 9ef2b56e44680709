"""Limits above a table: rows such as 'LSL | 9,90', right above the names of its columns."""

from collections.abc import Sequence

from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.raw_table import (
    as_text,
    is_amount,
    is_missing_word,
    is_name,
    is_unit,
)
from qhub_desktop.data.ingest.readers.sheet import Value
from qhub_desktop.data.ingest.rows_between import is_limit_label

LEAST_LIMITS = 2  # that are no vague words


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit in a row: what it is called, and its values by their columns."""

    label: str
    values: dict[int, str]


def limits_above(rows: Sequence[Sequence[Value]], filled: Sequence[Sequence[int]]) -> int:
    """Return the number of the row that follows limits right above the names of a table; 0 if
    there are none. A title may stand above them.
    """
    labels: list[str] = []
    for number, places in enumerate(filled):
        found = limits_in(rows[number])
        labels += [each.label.casefold() for each in found]
        if found or not places or (len(places) < 2 and not labels):
            continue
        is_header = len(places) > 1 and all(is_name(rows[number][place]) for place in places)
        sure = {each for each in labels if is_limit_label(each, is_sure=True)}
        are_limits = len(sure) >= LEAST_LIMITS and len({*labels}) == len(labels)
        return number if is_header and are_limits and any(filled[number + 1 :]) else 0
    return 0


def limits_in(row: Sequence[Value]) -> list[Limit]:
    """Return the limits that a row consists of; none where anything else stands in it."""
    found: list[Limit] = []
    for place, cell in enumerate(row):
        text = as_text(cell).strip()
        if not text:
            continue
        if is_limit_label(text):
            found.append(Limit(text.rstrip(" :."), {}))
        elif not found:
            return []
        elif is_amount(text):
            found[-1].values[place] = text
        elif is_unit(text, is_sure=False) and place - 1 in found[-1].values:
            found[-1].values[place - 1] += f" {text}"
        elif not is_missing_word(text):
            return []
    return found if all(each.values for each in found) else []


def limit_facts(row: Sequence[Value], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the limits of a row as facts; where one has several values, by the names of their
    columns.
    """
    facts: list[tuple[str, str]] = []
    for each in limits_in(row):
        if len(each.values) == 1:
            facts += [(each.label, value) for value in each.values.values()]
            continue
        for place, value in each.values.items():
            name = " ".join(names[place].split()) if place < len(names) else ""
            facts.append((f"{each.label} {name}".strip(), value))
    return facts
