"""Conditions on cells, in SQL: a text, a date, a text by its meaning."""

from collections.abc import Mapping
from datetime import date
from typing import Literal

from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.text import fold_name


def text_of(column: str) -> str:
    """Write SQL for the cells of a column as trimmed text."""
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


def text_is(text: str, value: str) -> str:
    """Write SQL that compares a text with `value`, ignoring case and accents."""
    return f"replace(lower(strip_accents({text})), ' ', '_') = {sql_literal(fold_name(value))}"


def translated(text: str, meanings: Mapping[str, str]) -> str:
    """Write SQL that replaces a text by its meaning, if it has one."""
    if not meanings:
        return text
    cases = " ".join(
        f"WHEN {sql_literal(word)} THEN {sql_literal(to)}" for word, to in meanings.items()
    )
    return f"CASE {text} {cases} ELSE {text} END"


def date_is(column: str, relation: Literal[">=", "<="], day: date) -> str:
    """Write SQL that compares the date of a column with `day`, inclusive."""
    return f"CAST({quoted(column)} AS DATE) {relation} DATE {sql_literal(day.isoformat())}"
