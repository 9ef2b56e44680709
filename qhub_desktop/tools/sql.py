"""Writing SQL from values: names and texts in quotes, words compared as people write them."""

import unicodedata
from datetime import date
from typing import Literal


def quoted(name: str) -> str:
    """An identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text value, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"


def folded(text: str) -> str:
    """A name or a value without case, accents and the difference of space and underscore."""
    bare = unicodedata.normalize("NFKD", text.strip().lower())
    return "".join(each for each in bare if not unicodedata.combining(each)).replace(" ", "_")


def name_is(column: str, value: str) -> str:
    """Whether a column's text is `value`, however it is written."""
    cell = f"trim(CAST({quoted(column)} AS VARCHAR))"
    return f"replace(lower(strip_accents({cell})), ' ', '_') = {literal(folded(value))}"


def date_is(column: str, relation: Literal[">=", "<="], day: date) -> str:
    """Whether a column's day is on the right side of `day`, that day included."""
    return f"CAST({quoted(column)} AS DATE) {relation} DATE {literal(day.isoformat())}"
